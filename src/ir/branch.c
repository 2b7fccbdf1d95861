/* branch.c - if: two sides over what they capture.
 *
 * A branch binds nothing, so that nothing says by itself what belongs to a side.  What is computed
 * whichever side is taken is captured: what the condition needs, or both sides do; leaves; and an effect
 * that is none of those that the side's token tells of, for it has happened.  So is the number that a
 * captured write is over, so that this can be in place.  The rest is a side's own, and runs where that is
 * taken alone.
 */
#include "close.h"

typedef struct Dividing {
	Graph *g;
	Arena *a;
	Region *of_condition, *side[2];
	IdMap outside;
	Nodes given; /* of it, by who asks for the branch */
	Node **captured;
	uint32_t n, cap;
	IdMap known; /* what is captured */
	IdMap happens[2]; /* effects on the way to what a side gives */
} Dividing;

/* What is made of indices and sizes alone, in a few steps, is made again: as an array it would cost more. */
static bool is_formula(const Node *x, uint32_t *cost)
{
	if (x->op == OP_CONST || x->op == OP_SIZE || x->op == OP_IOTA || x->op == OP_TOKEN) return true;
	bool map = op_info[x->op].class == MAP;
	*cost += map ? op_info[x->op].cost : 0;
	if ((!map && x->op != OP_EXPAND && x->op != OP_TRANSPOSE) || *cost >= COST_DEAR) return false;
	for (uint32_t i = 0; i < x->narg; i++)
		if (!is_formula(x->arg[i], cost)) return false;
	return true;
}

/* What a length counts, as len(x[k:][2:]): sizes would see no length of a parameter. */
static bool is_counted(const Node *x)
{
	while (x->op == OP_SLICE) x = x->arg[0];
	return x->op == OP_CONST && constant_is_uniform(x);
}

bool is_made_again(const Node *x)
{
	uint32_t cost = 0;
	if (x->op == OP_SLICE && is_counted(x)) return true;
	if (op_info[x->op].class != LEAF && (x->type->kind != TYPE_ARRAY || !x->type->n)) return false;
	return is_formula(x, &cost);
}

static bool is_common(const Dividing *s, uint32_t side, const Node *x)
{
	return idmap_get(&s->outside, x->id) || (is_effect(x) && !idmap_get(&s->happens[side], x->id)) ||
		region_place(s->of_condition, x) != UINT32_MAX ||
		region_place(s->side[!side], x) != UINT32_MAX;
}

/* Of a loop or branch, what is taken of it, as a tuple is no operand. */
static bool is_outside(const Dividing *s, uint32_t side, const Node *x)
{
	if (is_made_again(x)) return false;
	if (op_info[x->op].class == LEAF || is_common(s, side, x)) return true;
	return x->op == OP_GET && is_common(s, side, x->arg[0]);
}

static void capture(Dividing *s, Node *x)
{
	if (idmap_get(&s->known, x->id)) return;
	idmap_put(&s->known, x->id, x);
	GROW(s->a, s->captured, s->n, s->cap);
	s->captured[s->n++] = x;
}

/* What a side takes from outside, and what it computes itself (by id). */
static void divide_side(Dividing *s, uint32_t side, Nodes result, IdMap *own)
{
	Region *r = s->side[side];
	bool *wanted = NEW_ARRAY(s->a, bool, r->n);
	idmap_open(own, s->a);
	for (uint32_t i = 0; i < result.n; i++) wanted[region_place(r, result.v[i])] = true;
	for (uint32_t i = r->n; i-- > 0;) {
		Node *x = r->node[i];
		if (!wanted[i] || is_outside(s, side, x)) continue;
		idmap_put(own, x->id, x);
		for (uint32_t k = 0; k < x->narg; k++) wanted[region_place(r, x->arg[k])] = true;
	}
	for (uint32_t i = 0; i < r->n; i++)
		if (wanted[i] && is_outside(s, side, r->node[i])) capture(s, r->node[i]);
}

static void divide(Dividing *s, const Nodes result[2], IdMap own[2])
{
	s->n = 0;
	idmap_open(&s->known, s->a);
	for (uint32_t k = 0; k < 2; k++) {
		effects_before(s->a, result[k], &s->happens[k]);
		s->side[k] = region_of(s->a, result[k].n, result[k].v);
	}
	for (uint32_t k = 0; k < 2; k++) divide_side(s, k, result[k], &own[k]);
}

static bool writes_over(const Node *w, const Node *x)
{
	return is_scatter(w) && w->arg[0] == x->arg[0] && w->arg[1] == x->arg[1] &&
		attr_int(w, 0) == attr_int(x, 0);
}

/* Numbers of the sides' own that captured writes are over, which are as much within: are there any? */
static bool note_written_over(Dividing *s, IdMap own[2])
{
	bool writes = false, any = false;
	for (uint32_t i = 0; i < s->n; i++) writes |= is_scatter(s->captured[i]);
	for (uint32_t k = 0; k < 2 && writes; k++)
		for (uint32_t i = 0; i < s->side[k]->n; i++) {
			Node *x = s->side[k]->node[i];
			if (x->op != OP_GATHER || !node_is_scalar(x) || !idmap_get(&own[k], x->id)) continue;
			uint32_t c = 0;
			while (c < s->n && !writes_over(s->captured[c], x)) c++;
			if (c == s->n) continue;
			idmap_put(&s->outside, x->id, x);
			any = true;
		}
	return any;
}

static void divide_sides(Dividing *s, const Nodes result[2], IdMap own[2])
{
	divide(s, result, own);
	if (note_written_over(s, own)) divide(s, result, own);
}

/* What is computed whichever side is taken. */
static Nodes computed_anyway(const Dividing *s)
{
	const Region *r = s->of_condition;
	Node **all = NEW_ARRAY(s->a, Node *, r->n + s->given.n + s->n + 1);
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) all[n++] = r->node[i];
	for (uint32_t i = 0; i < s->given.n; i++) all[n++] = s->given.v[i];
	for (uint32_t i = 0; i < s->n; i++) all[n++] = s->captured[i];
	return (Nodes){n, all};
}

static bool close_sides(Dividing *s, Nodes result[2], Closure *out)
{
	IdMap own[2];
	bool again = false;
	divide_sides(s, result, own);
	Nodes anyway = computed_anyway(s);
	for (uint32_t k = 0; k < 2; k++) {
		Node *const *was = result[k].v;
		result[k].v = captured_around(s->g, s->a, result[k], (Nodes){0}, anyway, &own[k]);
		if (!result[k].v) return false;
		again |= result[k].v != was;
	}
	for (uint32_t k = 0; again && k < 2; k++) counts_of(result[k], &s->outside);
	if (again) divide_sides(s, result, own);
	for (uint32_t k = 0; k < 2; k++)
		if (!close_within(s->g, (Title){.flags = FN_BODY}, (Nodes){s->n, s->captured}, result[k],
			    (ClosePlaces){.within = &own[k]}, &out[k]))
			return false;
	return true;
}

static Node *branch_node(Dividing *s, Node *condition, const Closure *c)
{
	Graph *g = s->g;
	uint32_t n = 2 + c[0].nsize + c[1].nsize, at = 2;
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, n);
	Node **x = NEW_ARRAY(g->arena, Node *, 1 + s->n);
	x[0] = condition;
	for (uint32_t i = 0; i < s->n; i++) /* what is weak is strong inside */
		x[1 + i] = strong_operand(g, s->captured[i]);
	for (uint32_t k = 0; k < 2; k++) {
		v[k] = av_function(c[k].function);
		for (uint32_t i = 0; i < c[k].nsize; i++) v[at++] = av_size(c[k].size[i]);
	}
	return node_make(g, OP_IF, attr_make(g, n, v), 1 + s->n, x);
}

Node *side_value(Graph *g, Node *x, const Node *other)
{
	const Type *a = x->type, *b = other->type;
	if (a->kind != TYPE_ARRAY || b->kind != TYPE_ARRAY) return a == b ? x : NULL;
	Dtype d = dtype_promote((Dtype)a->dtype, (Dtype)b->dtype);
	if (d == DT_NONE) return NULL;
	Node *y = cast(g, x, d);
	return a->n < b->n ? broadcast_to(g, y, b->n, b->u.dim) : y;
}

Node *branch(Graph *g, Node *condition, uint32_t n, Node *const *yes, Node *const *no, Nodes outside)
{
	Nodes result[2] = {{n, yes}, {n, no}};
	Closure c[2];
	if (!condition || g->error.code) return NULL;
	for (uint32_t i = 0; i < n; i++)
		if (!yes[i] || !no[i]) return NULL;
	Dividing s = {.g = g, .a = arena_child(g->arena), .given = outside};
	idmap_open(&s.outside, s.a);
	for (uint32_t i = 0; i < outside.n; i++) idmap_put(&s.outside, outside.v[i]->id, outside.v[i]);
	/* what results are counted by is computed whichever side is taken, as the branch has one type */
	for (uint32_t k = 0; k < 2; k++) counts_of(result[k], &s.outside);
	s.of_condition = region_of(s.a, 1, &condition);
	Node *x = close_sides(&s, result, c) ? branch_node(&s, condition, c) : NULL;
	arena_free(s.a);
	return x;
}
