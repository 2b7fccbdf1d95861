/* effects.c - effects as the C interface has them: nodes that are tokens, and who hears of them in a call. */
#define POR_NO_LINES
#include "compiled.h"

int effect_heard(void *user, const Effect *e, const int64_t *pass, const Value *v)
{
	const Heard *to = user;
	por_array value[EFFECT_VALUES];
	for (uint32_t i = 0; i < e->nvalue; i++)
		value[i] = por_view(v[i].data, (int)v[i].dtype, (int)v[i].rank, v[i].dim);
	const por_effect told = {.kind = (int32_t)e->kind,
		.text = e->text ? e->text : "",
		.file = e->where.file ? e->where.file : "",
		.line = e->where.line,
		.npass = (int32_t)e->npass,
		.pass = pass,
		.n = (int32_t)e->nvalue,
		.name = e->name,
		.value = value};
	return to->hear(to->user, &told);
}
