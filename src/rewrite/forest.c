/* forest.c - the left sides of a stage as one forest: equal subpatterns are one, and have one number. */
#include "forest.h"

typedef struct ForestMaker {
	Arena *arena;
	Forest *f;
	Table subs;
} ForestMaker;

static bool same_sub(const void *item, const void *key)
{
	const Subpattern *a = item, *b = key;
	return a->kind == b->kind && a->op == b->op && a->tied == b->tied && a->name == b->name &&
		a->n == b->n && a->is_bool == b->is_bool && a->constant == b->constant &&
		(a->value == b->value || (isnan(a->value) && isnan(b->value))) &&
		(!a->n || !memcmp(a->child, b->child, a->n * sizeof *a->child));
}

static uint32_t hash_of(const Subpattern *s)
{
	double value = isnan(s->value) ? 1 : s->value + 0.0; /* 0 and -0 are the same literal */
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	uint64_t h = hash_more(hash_more(hash_more(s->kind, s->op), bits), (uintptr_t)s->name);
	for (uint32_t i = 0; i < s->n; i++) h = hash_more(h, s->child[i]);
	return hash_done(h);
}

static uint32_t number_sub(ForestMaker *m, const Rule *r, const Pattern *p)
{
	bool constant = p->kind == P_VARIABLE && r->constants >> p->var & 1;
	if ((p->kind == P_VARIABLE && !constant) || p->kind == P_RUN) return 0;
	Forest *f = m->f;
	const char *name = p->kind == P_LIBRARY ? p->name : NULL;
	Subpattern s = {0, p->kind, p->op, p->tied, name, p->value, p->n, NULL, p->is_bool, constant};
	s.child = NEW_ARRAY(m->arena, uint32_t, p->n);
	for (uint32_t i = 0; i < p->n; i++) s.child[i] = number_sub(m, r, p->arg[i]);
	uint32_t h = hash_of(&s);
	Subpattern *known = table_find(&m->subs, h, &s, same_sub);
	if (known) return known->id;
	GROW(m->arena, f->sub, f->nsub, f->sub_cap);
	s.id = f->nsub;
	f->sub[f->nsub++] = known = NEW(m->arena, Subpattern);
	*known = s;
	table_add(&m->subs, h, known);
	return s.id;
}

static void list_add(Arena *arena, SubList *l, uint32_t x)
{
	GROW(arena, l->at, l->n, l->cap);
	l->at[l->n++] = x;
}

/* Does it hold a number that may stand below a line, 0.5 as 2? */
static bool halves(const Forest *f, const Subpattern *s)
{
	int e;
	for (uint32_t i = 0; i < s->n; i++) {
		const Subpattern *c = f->sub[s->child[i]];
		if (c && c->kind == P_LITERAL && frexp(c->value, &e) == 0.5 && e < 1) return true;
	}
	return false;
}

/* x*x*x is looked for in x^3 too. */
static bool of_variables(const Subpattern *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->child[i]) return false;
	return true;
}

static void index_sub(Arena *arena, Forest *f, const Subpattern *s)
{
	if (s->kind == P_LITERAL) {
		list_add(arena, &f->literals, s->id);
		return;
	}
	if (s->constant) {
		list_add(arena, &f->constants, s->id);
		return;
	}
	bool minus = s->kind == P_OPERATOR && s->op == OP_NEG;
	if (minus && (!s->child[0] || f->sub[s->child[0]]->constant)) list_add(arena, &f->minus, s->id);
	Op op[4] = {s->op, s->kind == P_OPERATOR ? mirrored(s->op) : OP_NONE, s->tied, mirrored(s->tied)};
	if (s->kind == P_SUM) {
		op[0] = OP_ADD;
		op[1] = OP_SUB;
	} else if (s->kind == P_PRODUCT) {
		op[0] = OP_MUL;
		if (of_variables(s)) op[1] = OP_POW;
		if (halves(f, s)) op[1] = OP_DIV;
	} else if (s->kind == P_LIBRARY)
		op[0] = OP_CALL;
	for (uint32_t k = 0; k < countof(op) && op[k]; k++) {
		list_add(arena, &f->of_op[op[k]], s->id);
		for (uint32_t c = 0; c < s->n; c++) set_put(f->asked[op[k]], s->child[c]);
		if (op[k] == OP_LOG) set_put(f->asked[OP_MUL], s->child[0]); /* f in log(f*y) */
		for (uint32_t c = 0; c < 2 && op[k] == OP_DIV; c++) /* f/y is found in z*(f/(w*y)) */
			set_put(f->asked[OP_MUL], s->child[c]);
	}
}

/* Lines of a table, equations and checks are not for rewriting. */
static void choose_rules(Graph *g, Arena *arena, const char *stage, Forest *f)
{
	uint32_t n, more = 0, *list;
	const uint32_t *all = stage_rules(g, stage, &n), *algebra = NULL;
	if (!strcmp(stage, "stable")) /* what a stable rule leaves is simplified at once */
		algebra = stage_rules(g, "algebra", &more);
	f->rules = list = NEW_ARRAY(arena, uint32_t, n + more);
	for (uint32_t i = 0; i < n + more; i++) {
		const Rule *r = rule_at(g, i < n ? all[i] : algebra[i - n]);
		if (!r->head && !r->equation && !r->written) list[f->nrules++] = r->number;
		if (i < n) f->nown = f->nrules;
	}
	if (!strcmp(stage, "algebra")) f->nown = 0;
}

/* Which rules have a subpattern for their left side, in order. */
static void index_rules(Arena *arena, Forest *f, const uint32_t *root)
{
	f->first = NEW_ARRAY(arena, uint32_t, f->nsub);
	f->next = NEW_ARRAY(arena, uint32_t, f->nrules);
	for (uint32_t i = f->nrules; i-- > 0;) {
		if (!root[i]) continue;
		f->next[i] = f->first[root[i]];
		f->first[root[i]] = i + 1;
	}
}

const Forest *forest_make(Graph *g, Arena *arena, const char *stage)
{
	Forest *f = NEW(arena, Forest);
	ForestMaker m = {.arena = arena, .f = f};
	table_open(&m.subs, arena);
	choose_rules(g, arena, stage, f);
	GROW(arena, f->sub, 0, f->sub_cap);
	f->nsub = 1;
	uint32_t *root = NEW_ARRAY(arena, uint32_t, f->nrules);
	for (uint32_t i = 0; i < f->nrules; i++) {
		const Rule *r = rule_at(g, f->rules[i]);
		root[i] = number_sub(&m, r, r->left);
	}
	f->words = f->nsub / 64 + 1;
	for (uint32_t i = 0; i < OP_COUNT; i++) f->asked[i] = NEW_ARRAY(arena, uint64_t, f->words);
	for (uint32_t i = 1; i < f->nsub; i++) index_sub(arena, f, f->sub[i]);
	index_rules(arena, f, root);
	return f;
}
