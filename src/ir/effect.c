/* effect.c - effects: nodes that give nothing but the token of the next, and what happens when they run.
 *
 * An effect is an operator like any other.  Rewriting cannot lose it, because the function's last result
 * hangs on it; cannot double it, because each has another token; and cannot take it out of a loop or a side,
 * because it hangs on the token that is bound there.
 */
#include "ir.h"

#include <ctype.h>

bool is_token(const Node *x)
{
	return x->type->kind == TYPE_TOKEN;
}

bool is_effect(const Node *x)
{
	if (is_token(x)) return true;
	for (uint32_t i = 0; x->type->kind == TYPE_TUPLE && i < x->type->n; i++)
		if (x->type->u.elem[i]->kind == TYPE_TOKEN) return true;
	for (uint32_t i = 0; x->op != OP_GET && i < x->narg; i++)
		if (is_token(x->arg[i])) return true;
	return false;
}

Node *token(Graph *g)
{
	return node_make(g, OP_TOKEN, NULL, 0, NULL);
}

Node *effect(Graph *g, const Effect *e, Node *before, Node *const *passes, Node *const *values)
{
	uint32_t n = 0;
	Node **x = NEW_ARRAY(g->arena, Node *, 1 + e->npass + e->nvalue);
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, 2 + e->nvalue);
	x[n++] = before;
	for (uint32_t i = 0; i < e->npass; i++) x[n++] = cast(g, passes[i], DT_I64);
	for (uint32_t i = 0; i < e->nvalue; i++) x[n++] = values[i] ? strong_operand(g, values[i]) : NULL;
	for (uint32_t i = 0; i < n; i++)
		if (!x[i] || g->error.code) return NULL;
	v[0] = av_int(e->kind);
	v[1] = av_int(e->npass);
	for (uint32_t i = 0; i < e->nvalue; i++)
		v[2 + i] = av_name(names_get(&g->names, e->name[i], strlen(e->name[i])));
	Node *y = node_make(g, OP_ORDER, attr_make(g, 2 + e->nvalue, v), n, x);
	if (y && e->text) node_note(g, y, names_get(&g->names, e->text, strlen(e->text)), NULL, 0);
	return y;
}

void effect_read(Arena *a, const Node *x, Effect *out)
{
	*out = (Effect){.kind = (EffectKind)attr_int(x, 0),
		.npass = (uint32_t)attr_int(x, 1),
		.nvalue = attr_count(x) - 2,
		.text = ""};
	const char **name = NEW_ARRAY(a, const char *, out->nvalue);
	for (uint32_t i = 0; i < out->nvalue; i++) name[i] = x->attr->v[2 + i].u.name;
	out->name = name;
	for (const Origin *o = x->origin; o; o = o->next) {
		if (o->where.line && !out->where.line) out->where = o->where;
		if (o->name && !*out->text) out->text = o->name;
	}
}

void effects_before(Arena *a, Nodes results, IdMap *out)
{
	idmap_open(out, a);
	for (uint32_t i = 0; i < results.n; i++)
		for (Node *x = is_token(results.v[i]) ? results.v[i] : NULL; x && !idmap_get(out, x->id);) {
			Node *before = NULL;
			idmap_put(out, x->id, x);
			if (x->op == OP_GET) before = x->arg[0];
			for (uint32_t k = 0; x->op != OP_GET && k < x->narg; k++)
				if (is_token(x->arg[k])) before = x->arg[k];
			x = before;
		}
}

const Node *effects_begin(const Node *token)
{
	for (const Node *before = token; before; token = before ? before : token) {
		const Node *x = token->op == OP_GET ? token->arg[0] : token;
		before = NULL;
		for (uint32_t k = 0; k < x->narg; k++)
			if (is_token(x->arg[k])) before = x->arg[k];
	}
	return token;
}

/* ---- what happens ------------------------------------------------------------------------------ */

/* The first element that is no finite number; -1: all are. */
static int64_t first_bad(const Value *v)
{
	int64_t i = 0;
	while (i < v->count && value_is_finite(v, i)) i++;
	return i < v->count ? i : -1;
}

const char *effect_name(const Effect *e, uint32_t value)
{
	if (*e->name[value] || e->kind != EFFECT_CHECK) return e->name[value];
	for (const char *c = e->text; *c; c++)
		if (!(isalnum((unsigned char)*c) || *c == '_' || *c == '.' || *c & 0x80)) return "it";
	return *e->text ? e->text : "it";
}

/* What does not hold; false: all does. */
static bool breaks(const Effect *e, const Value *v, Line *l)
{
	if (e->kind == EFFECT_ASSERT) {
		if (*(const uint8_t *)v[0].data) return false;
		line_printf(l, "assert(%s) does not hold", e->text);
		for (uint32_t i = 1; i < e->nvalue; i++) {
			line_printf(l, "%s%s%s", i > 1 ? ", " : ": ", e->name[i], *e->name[i] ? " = " : "");
			line_value(l, &v[i]);
		}
		return true;
	}
	for (uint32_t i = 0; i < e->nvalue; i++) {
		int64_t at = first_bad(&v[i]);
		if (at < 0) continue;
		line_printf(l, "check(%s): %s", e->text, effect_name(e, i));
		line_place(l, &v[i], at);
		line_printf(l, " is ");
		line_element(l, &v[i], at);
		return true;
	}
	return false;
}

bool effect_happens(
	const Effect *e, const EffectSink *sink, const int64_t *pass, const Value *v, Error *error)
{
	Line l = {.n = 0};
	bool broken = e->kind != EFFECT_PRINT && breaks(e, v, &l);
	if (!broken && e->kind != EFFECT_PRINT) return true;
	int code = sink && sink->hear ? sink->hear(sink->user, e, pass, v) : 0;
	if (broken) {
		line_passes(&l, e->npass, pass);
		fail(error, ERR_CALL, e->where, "%s", l.s);
	} else if (code) {
		fail(error, ERR_CALL, e->where, "print: who hears of it gave %d", code);
	}
	return !broken && !code;
}
