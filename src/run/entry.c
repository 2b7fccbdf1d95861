/* entry.c - a whole program as one native function: the standalone text with two plain doors, compiled and
 * cached as units are. */
#include "program.h"
#include "../standalone/standalone.h"
#include "compiler.h"

static const char *const visible = "__attribute__((visibility(\"default\")))";

static bool is_told(const Plan *p, uint32_t i)
{
	return p->buffer[p->scalar[i].buffer].space == SPACE_INPUT;
}

static bool write_entry(Text *t, const Plan *p, int isa, Error *e)
{
	if (!emit_program_for(t, p, "program", isa, e)) return false;
	text_printf(
		t, "\n%s int64_t entry_workspace(const int64_t *s)\n{\n\treturn program_workspace(", visible);
	uint32_t n =
		/* then come the values of arguments that are sizes, and the most of computed sizes */
		p->nsize;
	for (uint32_t i = 0; i < p->nscalar; i++) n += is_told(p, i) || scalar_is_asked(p, i);
	for (uint32_t i = 0; i < n; i++) text_printf(t, "%ss[%u]", i ? ", " : "", i);
	text_printf(t, ");\n}\n%s int entry(void *const *a, const int64_t *s, void *w)\n{\n\treturn program(",
		visible);
	for (uint32_t i = 0; i < p->nsize; i++) text_printf(t, "s[%u], ", i);
	for (uint32_t i = 0, k = p->nsize; i < p->nscalar; k += is_told(p, i) || scalar_is_asked(p, i), i++)
		if (scalar_is_asked(p, i)) text_printf(t, "s[%u], ", k);
	for (uint32_t i = 0; i < p->nin + p->nout; i++) text_printf(t, "a[%u], ", i);
	for (uint32_t i = 0; i < p->nscalar; i++)
		if (scalar_is_asked(p, i) && p->scalar[i].loop == UINT32_MAX) text_add(t, "0, ");
	text_add(t, "w);\n}\n");
	return true;
}

static struct Code *compile(const Plan *p, const RunOptions *o, Compiler *c, Error *e)
{
	Arena *a = arena_new(NULL);
	Trap trap;
	if (!a || TRAP(&trap)) {
		arena_free(a);
		return fail(e, ERR_MEMORY, (Where){0}, "out of memory");
	}
	arena_arm(a, &trap);
	int best = cpu_isa(), isa = o->isa > 0 && o->isa - 1 < best ? o->isa - 1 : best;
	Text t;
	text_open(&t, a);
	const char *source = write_entry(&t, p, isa, e) ? text_done(&t) : NULL;
	arena_disarm(a, &trap);
	struct Code *code = source ? compile_unit(c, source, isa, o->tier == TIER_CACHED, e) : NULL;
	arena_free(a);
	return code;
}

bool entry_open(Entry *x, const Plan *p, const RunOptions *o, Error *e)
{
	Compiler c;
	*x = (Entry){0};
	if (!compiler_open(&c, o->compiler, o->cache, e)) return false;
	c.cancel = o->cancel;
	if (o->time_limit) c.time_limit = o->time_limit;
	x->code = compile(p, o, &c, e);
	compiler_close(&c);
	if (!x->code) return false;
	void *call = code_symbol(x->code, "entry"), *workspace = code_symbol(x->code, "entry_workspace");
	memcpy(&x->call, &call, sizeof call); /* ISO C has no cast from object to function */
	memcpy(&x->workspace, &workspace, sizeof workspace);
	if (call && workspace) return true;
	entry_close(x);
	return fail(e, ERR_INTERNAL, (Where){0}, "the program's function is not in its code");
}

void entry_close(Entry *x)
{
	code_close(x->code);
	*x = (Entry){0};
}
