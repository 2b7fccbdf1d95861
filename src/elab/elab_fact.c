/* elab_fact.c - facts of parameters and fields: x: f64 if 0 <= x < 1, n: i64 if integer(n).
 *
 * A fact is a range.  Those of a whole function's parameters are checked by every call; an inner call checks
 * what is a number, and what is a parameter of the whole function gets the fact there.
 */
#include "elaborator.h"

#include <math.h>

/* ---- reading ---------------------------------------------------------------------- */

static bool fact_number(const Syntax *s, double *x)
{
	bool minus = s->kind == SYN_UNARY && s->sign == SIGN_MINUS;
	s = minus ? s->part[0] : s;
	if (s->kind != SYN_NUMBER || s->number == NUMBER_IMAGINARY) return false;
	*x = s->number == NUMBER_INTEGER ? (double)s->integer : s->real;
	*x = minus ? -*x : *x;
	return true;
}

static void tighten(Fact *f, bool low, double x, bool strict)
{
	if (low ? x > f->low : x < f->high) {
		*(low ? &f->low : &f->high) = x;
		*(low ? &f->above_low : &f->below_high) = strict;
	} else if (x == (low ? f->low : f->high))
		*(low ? &f->above_low : &f->below_high) |= strict;
}

/* 0 <= x < 1: bounds on both sides of the name, all of them numbers. */
static bool read_comparison(const Syntax *s, const char *name, Fact *f)
{
	for (uint32_t i = 0; i + 1 < s->count; i++) {
		const Syntax *a = s->part[i], *b = s->part[i + 1];
		Sign sign = (Sign)s->signs[i];
		bool left = a->kind == SYN_NAME && a->name == name,
		     right = b->kind == SYN_NAME && b->name == name;
		double x;
		if (left == right || !fact_number(left ? b : a, &x) || sign == SIGN_NE) return false;
		bool less = sign == SIGN_LT || sign == SIGN_LE, strict = sign == SIGN_LT || sign == SIGN_GT;
		if (sign == SIGN_EQ) {
			tighten(f, true, x, false);
			tighten(f, false, x, false);
		} else
			tighten(f, less != left, x, strict);
	}
	return true;
}

static bool says_integer(const Syntax *s, const char *name)
{
	return s->kind == SYN_CALL && s->count == 2 && s->part[0]->kind == SYN_NAME &&
		s->part[1]->kind == SYN_NAME && !strcmp(s->part[0]->name, "integer") &&
		s->part[1]->name == name;
}

/* The range that the fact gives x; false: it is none that a call can check. */
static bool read_fact(const Syntax *s, const char *name, Fact *f)
{
	bool chain = s->kind == SYN_CHAIN;
	*f = (Fact){.low = -INFINITY, .high = INFINITY, .where = s->where};
	for (uint32_t i = 0; i < (chain ? s->count : 1); i++) {
		const Syntax *p = chain ? s->part[i] : s;
		if (i && s->signs[i - 1] != SIGN_AND) return false;
		if (says_integer(p, name))
			f->integer = true;
		else if (p->kind != SYN_COMPARE || !read_comparison(p, name, f))
			return false;
	}
	return true;
}

bool fact_refused(Graph *g, const Syntax *fact, const char *name)
{
	Text t;
	text_open(&t, g->arena);
	print_syntax(&t, fact);
	return fail(&g->error, ERR_VALUE, fact->where,
		"%s: the promise %s is not understood; write bounds such as 0 <= %s < 1, or integer(%s)",
		name, text_done(&t), name, name);
}

/* ---- of a whole function ---------------------------------------------------------------- */

void add_fact(Graph *g, FactList *out, const Syntax *s, const char *name, uint32_t leaf)
{
	Fact f;
	if (!read_fact(s, name, &f)) {
		fact_refused(g, s, name);
		return;
	}
	f.leaf = leaf;
	if (!out->at.arena) idmap_open(&out->at, g->arena);
	uintptr_t place = (uintptr_t)idmap_get(&out->at, leaf + 1);
	if (place) {
		Fact *old = &out->v[place - 1];
		tighten(old, true, f.low, f.above_low);
		tighten(old, false, f.high, f.below_high);
		old->integer |= f.integer;
		return;
	}
	GROW(g->arena, out->v, out->n, out->cap);
	out->v[out->n++] = f;
	idmap_put(&out->at, leaf + 1, (void *)(uintptr_t)out->n);
}

void field_facts(Graph *g, FactList *out, const TypeTerm *t, const Structure *s)
{
	for (uint32_t i = 0; t && t->kind == TT_RECORD && s->kind == B_RECORD && i < t->n && i < s->n; i++) {
		if (t->fact && t->fact[i] && s->elem[i]->kind == B_NODE)
			add_fact(g, out, t->fact[i], t->field[i], s->elem[i]->leaf);
		field_facts(g, out, t->elem[i], s->elem[i]);
	}
}

static void promise_fact(Graph *g, const Node *leaf, const Fact *f)
{
	leaf_is_promised(
		g, leaf, &(LeafPromise){f->low, f->high, f->above_low, f->below_high, f->integer});
}

/* Of every leaf, so that a call within may add what it asks of one. */
void promise_facts(Graph *g, const Syntax *s, const char *name, const TypeTerm *t, const Binding *b)
{
	Fact f;
	if (b->kind == B_NODE && (b->node->op == OP_FRESH || b->node->op == OP_INPUT)) {
		if (!s || !read_fact(s, name, &f)) f = (Fact){.low = -INFINITY, .high = INFINITY};
		promise_fact(g, b->node, &f);
	}
	bool record = t && t->kind == TT_RECORD && b->kind == B_RECORD;
	for (uint32_t i = 0; i < (b->kind == B_TUPLE || b->kind == B_RECORD ? b->n : 0); i++) {
		bool told = record && i < t->n;
		promise_facts(g, told && t->fact ? t->fact[i] : NULL, told ? t->field[i] : NULL,
			told ? t->elem[i] : NULL, b->elem[i]);
	}
}

void passed_facts(Elab *e, FactList *out, const Binding *value, uint32_t first)
{
	uint32_t n = e->passed.count ? binding_leaves(value, NULL) : 0;
	Node **leaf = NEW_ARRAY(e->g->arena, Node *, n);
	if (n) binding_leaves(value, leaf);
	for (uint32_t i = 0; i < n; i++)
		for (const Passed *p = idmap_get(&e->passed, leaf[i]->id); p; p = p->next)
			add_fact(e->g, out, p->fact, p->name, first + i);
}

/* ---- of an inner call ---------------------------------------------------------------------- */

bool keep_fact(Elab *e, const Syntax *s, const Syntax *fact, const char *name, const Binding *value)
{
	Fact f;
	double x;
	if (!fact || value->kind != B_NODE) return true;
	if (!read_fact(fact, name, &f)) return fact_refused(e->g, fact, name);
	if (value->node->op == OP_FRESH) {
		if (!e->passed.arena) idmap_open(&e->passed, e->g->arena);
		Passed *p = NEW(e->g->arena, Passed);
		*p = (Passed){fact, name, idmap_get(&e->passed, value->node->id)};
		idmap_put(&e->passed, value->node->id, p);
		if (promise_of(e->g, value->node)) promise_fact(e->g, value->node, &f);
	}
	if (value->node->op != OP_CONST || !constant_value(value->node, &x)) return true;
	bool low = f.above_low ? x > f.low : x >= f.low, high = f.below_high ? x < f.high : x <= f.high;
	if (low && high && (!f.integer || x == floor(x))) return true;
	return fail_at_syntax(
		e, s, ERR_TYPE, "%s = %g, which breaks its promise %s", name, x, shown(e, fact));
}
