/* before.c - numbers that a loop makes in each pass of elements of its sequences alone are made before it.
 *
 * In a loop over numbers each pass is one kernel of one element: an exponential there takes ten times as long
 * as one of many that lie side by side.  What hangs on no carried value is therefore computed for all passes
 * at once, where it is dear, and the loop walks along it.  So that more of it is, sums of logarithms (what
 * commutes and may be bracketed in any way, and is dear) are bracketed with what is carried last.
 * needs: a closed function that `lower` has gone through; gives: the function with such loops, the same bits
 * but for the brackets (law `real`), in bodies too.  Where something is chosen, could fail or is large, or a
 * condition ends the loop, it stays in the pass; so it does where the loop walks along nothing.  No more than
 * twice what a pass reads and gives is made so.
 */
#include "lanes.h"
#include "../ir/pass.h"

/* Elements of a value; terms of one sum; what a function costs that is dear: more than a division. */
enum { SMALL = 8, TERMS = 16, WORK = 10 };

typedef struct BeforeLoop {
	Graph *g;
	Arena *a;
	LoopPass pass;
	bool *free;  /* by place: made of elements alone */
	bool *dear;  /* and with some work */
} BeforeLoop;

static bool is_small(Graph *g, const Node *x)
{
	int64_t n;
	return x->type->kind == TYPE_ARRAY && size_is(type_elements(g, x->type), &n) && n <= SMALL;
}

static bool is_free(const BeforeLoop *b, const Node *x)
{
	uint32_t place = region_place(b->pass.r, x);
	return place == UINT32_MAX || b->free[place];
}

static bool is_dear(const BeforeLoop *b, const Node *x)
{
	uint32_t place = region_place(b->pass.r, x);
	return place != UINT32_MAX && b->dear[place];
}

static bool is_walked(const BeforeLoop *b, const Node *x)
{
	const Opened *o = &b->pass.o;
	if (x == o->param[0]) return true;
	for (uint32_t i = 0; i < b->pass.sequences; i++)
		if (o->param[1 + b->pass.carries + i] == x) return true;
	return false;
}

/* Maps that cannot fail, and numbers. */
static bool may_move(const BeforeLoop *b, const Node *x)
{
	const OpInfo *info = &op_info[x->op];
	if (!is_small(b->g, x)) return false;
	if (x->op == OP_CONST || is_walked(b, x)) return true;
	return info->class == MAP && !(info->flags & (FAILS | CHECKED | EFFECT));
}

static void survey(BeforeLoop *b)
{
	const LoopPass *p = &b->pass;
	b->free = NEW_ARRAY(b->a, bool, p->r->n);
	b->dear = NEW_ARRAY(b->a, bool, p->r->n);
	for (uint32_t i = 0; i < p->r->n; i++) {
		const Node *x = p->r->node[i];
		b->free[i] = may_move(b, x);
		b->dear[i] = p->bound[i] && op_info[x->op].class == MAP && op_info[x->op].cost >= WORK;
		for (uint32_t k = 0; k < x->narg; k++) {
			b->free[i] &= is_free(b, x->arg[k]);
			b->dear[i] |= is_dear(b, x->arg[k]);
		}
	}
}

/* ---- what is carried last ------------------------------------------------------------- */

typedef struct Summands {
	Node *v[TERMS];
	uint32_t n;
} Summands;

/* The terms of a sum, from the left; false: too many, or one is asked for elsewhere. */
static bool terms_of(const BeforeLoop *b, Node *x, Op op, bool top, Summands *t)
{
	if (x->op != op || !(top || pass_uses_once(&b->pass, x))) {
		if (t->n == TERMS) return false;
		t->v[t->n++] = x;
		return true;
	}
	return terms_of(b, x->arg[0], op, false, t) && terms_of(b, x->arg[1], op, false, t);
}

/* The terms that are free first. */
static Node *carried_last(const BeforeLoop *b, Node *x)
{
	Summands t = {.n = 0};
	Node *sum = NULL;
	uint32_t nfree = 0;
	if (!terms_of(b, x, x->op, true, &t)) return x;
	for (uint32_t i = 0; i < t.n; i++) nfree += is_free(b, t.v[i]);
	if (nfree < 2 || nfree == t.n) return x;
	for (int free = 1; free >= 0; free--)
		for (uint32_t i = 0; i < t.n; i++)
			if (is_free(b, t.v[i]) == free)
				sum = sum ? build2(b->g, x->op, sum, t.v[i]) : t.v[i];
	return sum ? sum : x;
}

static bool is_dear_sum(const Node *x)
{
	const OpInfo *info = &op_info[x->op];
	return info->class == MAP && info->flags & COMM && info->flags & ASSOC && info->cost >= WORK;
}

/* Is it a term of a sum that is bracketed as a whole? */
static bool is_inner(const BeforeLoop *b, const Node *x)
{
	if (!pass_uses_once(&b->pass, x)) return false;
	for (uint32_t i = 0; i < b->pass.r->n; i++)
		for (uint32_t k = 0; k < b->pass.r->node[i]->narg; k++)
			if (b->pass.r->node[i]->arg[k] == x) return b->pass.r->node[i]->op == x->op;
	return false;
}

/* The loop with such sums in another order, or itself; NULL with an error. */
static Node *bracketed(BeforeLoop *b)
{
	const Region *r = b->pass.r;
	Node **value = NEW_ARRAY(b->a, Node *, r->n), **by = NEW_ARRAY(b->a, Node *, r->n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i];
		if (!is_dear_sum(x) || b->free[i] || !is_small(b->g, x) || is_inner(b, x)) continue;
		Node *y = carried_last(b, x);
		if (b->g->error.code) return NULL;
		if (y == x) continue;
		value[n] = x;
		by[n++] = y;
	}
	return n ? pass_with(b->g, b->a, &b->pass, n, value, by) : b->pass.x;
}

/* ---- what is made before -------------------------------------------------------------- */

/* Twice what a pass reads and gives, in elements. */
static const Size *most_of(const BeforeLoop *b)
{
	const LoopPass *p = &b->pass;
	const Size *sum = size_const(b->g, 0);
	for (uint32_t i = 0; i < p->sequences; i++)
		sum = size_add(b->g, sum, type_elements(b->g, p->o.param[1 + p->carries + i]->type));
	for (uint32_t i = p->carries; i < p->o.nresult; i++)
		if (p->o.result[i]->type->kind == TYPE_ARRAY)
			sum = size_add(b->g, sum, type_elements(b->g, p->o.result[i]->type));
	return size_add(b->g, sum, sum);
}

/* What is free and dear, and asked for by what is not, or a result. */
static uint32_t find_values(const BeforeLoop *b, Node **value)
{
	const LoopPass *p = &b->pass;
	const Size *room = most_of(b);
	bool *asked = NEW_ARRAY(b->a, bool, p->r->n);
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->r->n; i++)
		for (uint32_t k = 0; k < p->r->node[i]->narg && !b->free[i]; k++) {
			uint32_t place = region_place(p->r, p->r->node[i]->arg[k]);
			if (place != UINT32_MAX) asked[place] = true;
		}
	for (uint32_t i = 0; i < p->o.nresult; i++) {
		uint32_t place = region_place(p->r, p->o.result[i]);
		if (place != UINT32_MAX) asked[place] = true;
	}
	for (uint32_t i = 0; i < p->r->n; i++) {
		const Size *own;
		if (!asked[i] || !b->free[i] || !b->dear[i]) continue;
		own = type_elements(b->g, p->r->node[i]->type);
		if (!size_at_most(b->g, own, room)) continue;
		room = size_sub(b->g, room, own);
		value[n++] = p->r->node[i];
	}
	return n;
}

static Node *made_before(const BeforeLoop *b)
{
	const LoopPass *p = &b->pass;
	const Size *steps = size_of_node(b->g, p->x->arg[0]);
	Node **value = NEW_ARRAY(b->a, Node *, p->r->n + 1), **all = NEW_ARRAY(b->a, Node *, p->r->n + 1);
	uint32_t n = find_values(b, value), nx = 1 + p->sequences;
	if (!n) return p->x;
	Node **leaf = NEW_ARRAY(b->a, Node *, nx), **lanes = NEW_ARRAY(b->a, Node *, nx);
	leaf[0] = p->o.param[0];
	lanes[0] = iota(b->g, steps);
	for (uint32_t i = 0; i < p->sequences; i++) {
		leaf[1 + i] = p->o.param[1 + p->carries + i];
		lanes[1 + i] = p->x->arg[1 + p->carries + i];
	}
	if (!batch(b->g, &(Lanes){.n = steps, .nx = nx, .x = leaf, .xs = lanes}, n, value, all)) return NULL;
	return pass_walking(b->g, b->a, p, n, value, all);
}

static Node *with_maps_before(Graph *g, Arena *a, Node *x)
{
	BeforeLoop b = {.g = g, .a = a};
	if (!passes_are_elements(g, x)) return x;
	if (!pass_open(g, a, x, &b.pass)) return NULL;
	survey(&b);
	Node *y = bracketed(&b);
	if (y && y != x) {
		if (!pass_open(g, a, y, &b.pass)) return NULL;
		survey(&b);
	}
	return y ? made_before(&b) : NULL;
}

/* A counted loop over something, with a dear map in a pass. */
static bool may_map_before(const Node *x)
{
	return x->op == OP_SCAN && !scan_is_while(x) && scan_carries(x) && scan_sequences(x);
}

Function *maps_before_loops(Graph *g, Function *f)
{
	return function_replace(g, f, (NodeKind){1u << CONTROL, may_map_before}, with_maps_before);
}
