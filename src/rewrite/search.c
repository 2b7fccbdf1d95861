/* search.c - equations: either side in place of the other, where that costs less.
 *
 * Needs: a node over normal operands.  Gives: an equal node that costs less, or
 * NULL.  Costs are estimates: of a product of matrices the multiplications, of a
 * map its elements times the price of its operator, of a view nothing; what
 * something else needs too is free.  Sizes that are no numbers are tried with
 * several values: the cost must fall with some and rise with none.  Every step
 * lowers the cost, so that the search ends; it looks one step ahead.
 */
#include "rules.h"

enum { NODES = 64 };

static const int64_t trial[SIZE_TRIALS][4] = {{64, 64, 64, 64}, {3, 200, 20, 70}, {500, 8, 90, 2}};

static bool size_on_trial(void *user, const Atom *a, int64_t *value)
{
	const int64_t *sizes = user;
	uint32_t h = a->kind == ATOM_NAME ? 0 : a->index;
	for (const char *c = a->kind == ATOM_NAME ? a->name : ""; *c; c++) h = h * 31 + (unsigned char)*c;
	*value = sizes[(h ^ h >> 3) % 4];
	return true;
}

static double extent_of(const Size *s, const int64_t *sizes)
{
	int64_t n;
	return size_evaluate(s, size_on_trial, (void *)sizes, &n) && n > 0 ? (double)n : 1;
}

static double elements(const Type *t, const int64_t *sizes)
{
	double n = 1;
	for (uint32_t i = 0; t->kind == TYPE_ARRAY && i < t->n; i++) n *= extent_of(DIM(t, i), sizes);
	return n;
}

/* The product of the sizes of all labels. */
static double products(const Node *x, const int64_t *sizes)
{
	bool seen[64] = {false};
	double n = 1;
	for (uint32_t i = 0, side = 0, at = 0; i < attr_count(x) && side < 2; i++) {
		int64_t label = attr_int(x, i);
		if (label < 0) {
			side++;
			at = 0;
			continue;
		}
		if (label < 64 && !seen[label]) {
			seen[label] = true;
			n *= extent_of(node_dim(x->arg[side], at), sizes);
		}
		at++;
	}
	return n;
}

bool is_square(const Node *x)
{
	double two;
	return x->op == OP_POW && x->arg[1]->op == OP_CONST && constant_value(x->arg[1], &two) && two == 2;
}

static double price(const Node *x, const int64_t *sizes)
{
	const OpInfo *info = &op_info[x->op];
	switch (info->class) {
	case LEAF:
	case VIEW: return 0;
	case CONTRACT: return products(x, sizes);
	case FOLD:
	case CUMULATIVE: return elements(x->arg[0]->type, sizes);
	case MAP: return elements(x->type, sizes) * (is_square(x) ? 1 : info->cost);
	default: return 20 * elements(x->type, sizes); /* as a function */
	}
}

double price_on_trial(const Node *x, uint32_t k)
{
	return price(x, trial[k]);
}

typedef struct Tree {
	Node *node[NODES];
	uint32_t n;
} Tree;

static bool holds(const Tree *t, const Node *x)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->node[i] == x) return true;
	return false;
}

/* What variables stand for, and the terms that the rule leaves alone. */
static bool is_given(const Match *m, const Tree *apart, const Node *x)
{
	for (uint32_t i = 0; i < m->rule->nvar; i++)
		if (m->rule->var[i].kind == V_VALUE && m->value[i] == x) return true;
	return holds(apart, x);
}

/* The nodes of x that the equation speaks of and nothing else needs; false: too many. */
static bool tree_of(const Match *m, const Tree *apart, const IdMap *needs, Node *x, Tree *t)
{
	t->n = 0;
	t->node[t->n++] = x;
	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t k = 0; k < t->node[i]->narg; k++) {
			Node *a = t->node[i]->arg[k];
			if (is_given(m, apart, a) || needed_twice(needs, a) || holds(t, a)) continue;
			if (t->n == NODES) return false;
			t->node[t->n++] = a;
		}
	return true;
}

bool costs_less(const Match *m, const IdMap *needs, Node *y, Node *x)
{
	Tree old, new, apart = {.n = 0};
	Terms t;
	if (m->whole && terms_of_whole(m, &t))
		for (uint32_t i = 0; i < t.n && apart.n < NODES; i++)
			if (!m->used[i]) apart.node[apart.n++] = t.term[i].x;
	if (!tree_of(m, &apart, needs, x, &old) || !tree_of(m, &apart, needs, y, &new)) return false;
	bool less = false;
	for (uint32_t k = 0; k < SIZE_TRIALS; k++) {
		double before = 0, after = 0;
		for (uint32_t i = 0; i < old.n; i++) before += price(old.node[i], trial[k]);
		for (uint32_t i = 0; i < new.n; i++) after += price(new.node[i], trial[k]);
		if (after > before) return false;
		less |= after < before;
	}
	return less;
}
