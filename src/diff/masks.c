/* masks.c - bools that say where a cotangent is not zero: one that holds where any of some does.
 *
 * Two that part by one condition are what they share: `a and c` and `a and not c` are `a`, `c` and `not c`
 * all.
 */
#include "linear.h"

enum { DEEP = 8, MOST = 8 };

/* What m is made of by `and`. */
typedef struct Conjuncts { uint32_t n; Node *v[MOST]; } Conjuncts;

/* false: they are too many, or too deep within */
static bool add_conjuncts(Conjuncts *c, Node *m, uint32_t depth)
{
	if (m->op == OP_AND)
		return depth && add_conjuncts(c, m->arg[0], depth - 1) &&
			add_conjuncts(c, m->arg[1], depth - 1);
	if (c->n == MOST) return false;
	c->v[c->n++] = m;
	return true;
}

static bool is_of(const Node *a, const Node *b, uint32_t depth)
{
	if (a == b || a->op != OP_AND || !depth) return a == b;
	return is_of(a->arg[0], b, depth - 1) || is_of(a->arg[1], b, depth - 1);
}

bool mask_implies(const Node *a, const Node *b)
{
	return is_of(a, b, DEEP);
}

/* As far as it is made of such by `and` and `not`, not too deep within. */
static Node *number_within(Graph *g, Node *m, uint32_t depth)
{
	if (!node_rank(m)) return m;
	if (m->op == OP_EXPAND) return node_rank(m->arg[0]) ? NULL : m->arg[0];
	if ((m->op != OP_AND && m->op != OP_NOT) || !depth) return NULL;
	Node *a = number_within(g, m->arg[0], depth - 1);
	if (!a || m->op == OP_NOT) return a ? build1(g, OP_NOT, a) : NULL;
	Node *b = number_within(g, m->arg[1], depth - 1);
	return b ? build2(g, OP_AND, a, b) : NULL;
}

Node *mask_number(Graph *g, Node *mask)
{
	return number_within(g, mask, DEEP);
}

static bool are_opposite(const Node *a, const Node *b)
{
	return (a->op == OP_NOT && a->arg[0] == b) || (b->op == OP_NOT && b->arg[0] == a);
}

/* What of a is not of b; *shared: the rest. */
static Conjuncts without(const Conjuncts *a, const Conjuncts *b, Conjuncts *shared)
{
	Conjuncts own = {0};
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t k = 0;
		while (k < b->n && b->v[k] != a->v[i]) k++;
		Conjuncts *to = k < b->n ? shared : &own;
		to->v[to->n++] = a->v[i];
	}
	return own;
}

/* Do both together say less than either?  *out: what they say then; NULL: nothing. */
static bool joined(Graph *g, Node *a, Node *b, Node **out)
{
	Conjuncts of[2] = {0}, shared = {0}, twice = {0};
	*out = mask_implies(a, b) ? b : a;
	if (mask_implies(a, b) || mask_implies(b, a)) return true;
	if (!add_conjuncts(&of[0], a, DEEP) || !add_conjuncts(&of[1], b, DEEP)) return false;
	Conjuncts x = without(&of[0], &of[1], &shared), y = without(&of[1], &of[0], &twice);
	if (x.n != 1 || y.n != 1 || !are_opposite(x.v[0], y.v[0])) return false;
	*out = NULL;
	for (uint32_t i = 0; i < shared.n; i++)
		*out = *out ? build2(g, OP_AND, *out, shared.v[i]) : shared.v[i];
	return true;
}

Node *any_mask(Graph *g, uint32_t n, Node **mask)
{
	for (uint32_t i = 1; i < n;) {
		uint32_t k = 0;
		Node *both = NULL;
		while (k < i && !joined(g, mask[k], mask[i], &both)) k++;
		if (k == i) {
			i++;
			continue;
		}
		if (!both) return NULL;
		mask[k] = both; /* which may be joined with others now */
		mask[i] = mask[--n];
		i = 1;
	}
	Node *any = mask[0];
	for (uint32_t i = 1; i < n && any; i++) any = build2(g, OP_OR, any, mask[i]);
	return any;
}

/* Not too far within. */
static bool is_made_of(const Node *x, const Node *of, uint32_t *left)
{
	if (x == of) return true;
	if (x->id < of->id || !*left) return false;
	--*left;
	for (uint32_t k = 0; k < x->narg; k++)
		if (is_made_of(x->arg[k], of, left)) return true;
	return false;
}

static bool is_compared(const Node *x)
{
	switch (x->op) {
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
	case OP_EQ:
	case OP_NE: return x->arg[0] != x->arg[1];
	default: return false;
	}
}

bool mask_asks(const Node *mask, const Node *of)
{
	enum { FAR = 64 };
	Conjuncts c = {0};
	add_conjuncts(&c, (Node *)mask, DEEP);
	for (uint32_t i = 0; i < c.n; i++) {
		const Node *m = c.v[i];
		uint32_t left = FAR;
		while (m->op == OP_NOT || (op_info[m->op].class == VIEW && m->narg)) m = m->arg[0];
		if (is_compared(m) && is_made_of(m, of, &left)) return true;
	}
	return false;
}

bool mask_guards(const Node *mask, const Node *x)
{
	Conjuncts c = {0};
	double zero;
	while (x->op == OP_EXPAND || x->op == OP_TRANSPOSE) x = x->arg[0];
	if (x->op != OP_WHERE || !constant_value(x->arg[2], &zero) || zero != 0) return false;
	const Node *by = x->arg[0];
	while (by->op == OP_EXPAND || by->op == OP_TRANSPOSE) by = by->arg[0];
	add_conjuncts(&c, (Node *)mask, DEEP);
	for (uint32_t i = 0; i < c.n; i++) {
		const Node *m = c.v[i];
		while (m->op == OP_EXPAND || m->op == OP_TRANSPOSE) m = m->arg[0];
		if (m == by) return true;
	}
	return false;
}
