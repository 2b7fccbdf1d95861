/* contractions.c - what is equal to a product of arrays, by its labels: other orders, sums inside, sums of
 * it.
 *
 * A contraction of three arrays, sum over all labels but those of the result of x*y*z, is one whichever two
 * come first; a label that the result and the other array lack is summed first.
 */
#include "egraph.h"

enum { LONGEST = LABELS_MAX };

typedef struct LabelList {
	int64_t v[RANK_MAX];
	uint32_t n;
} LabelList;

static LabelList part(const Labels *s, uint32_t which)
{
	LabelList l = {.n = s->n[which]};
	memcpy(l.v, s->l[which], l.n * sizeof *l.v);
	return l;
}

static bool has(const LabelList *l, int64_t label)
{
	return list_has(l->n, l->v, label);
}

static bool is_plain(const LabelList *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (list_has(i, l->v, l->v[i])) return false;
	return true;
}

static Node *product(
	Graph *g, Node *x, const LabelList *lx, Node *y, const LabelList *ly, const LabelList *to)
{
	return contract(g, (Labelled){x, lx->v}, (Labelled){y, ly->v}, to->n, to->v);
}

/* The labels of x*y that are wanted by one of the others. */
static bool wanted(
	const LabelList *x, const LabelList *y, const LabelList *by, const LabelList *result, LabelList *out)
{
	const LabelList *const both[] = {x, y};
	out->n = 0;
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < both[k]->n; i++) {
			int64_t label = both[k]->v[i];
			if (has(out, label) || !(has(by, label) || has(result, label))) continue;
			if (out->n == RANK_MAX) return false;
			out->v[out->n++] = label;
		}
	return true;
}

typedef struct OneOfThree {
	Node *x;
	LabelList l;
} OneOfThree;

/* a*(b*c) with that result. */
static Node *grouped(
	Graph *g, const OneOfThree *a, const OneOfThree *b, const OneOfThree *c, const LabelList *result)
{
	LabelList inner;
	if (!wanted(&b->l, &c->l, &a->l, result, &inner)) return NULL;
	Node *y = product(g, b->x, &b->l, c->x, &c->l, &inner);
	return y ? product(g, a->x, &a->l, y, &inner, result) : NULL;
}

/* Operand `side` of x is the contraction p: the three arrays in the labels of x; false: too many labels. */
static bool three(const Node *x, uint32_t side, const Node *p, OneOfThree out[3], LabelList *result)
{
	Labels s = labels_of(x->attr), in = labels_of(p->attr);
	LabelList whole = part(&s, side), inner = part(&in, 2);
	int64_t to[LONGEST], next = 0;
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t i = 0; i < s.n[k]; i++)
			if (s.l[k][i] >= next) next = s.l[k][i] + 1;
	for (uint32_t i = 0; i < LONGEST; i++) to[i] = -1;
	for (uint32_t i = 0; i < inner.n; i++) to[inner.v[i]] = whole.v[i];
	for (uint32_t k = 0; k < 2; k++) {
		out[k] = (OneOfThree){p->arg[k], part(&in, k)};
		for (uint32_t i = 0; i < out[k].l.n; i++) {
			int64_t *label = &to[out[k].l.v[i]];
			if (*label < 0) *label = next++;
			if (next >= LONGEST) return false;
			out[k].l.v[i] = *label;
		}
	}
	out[2] = (OneOfThree){x->arg[1 - side], part(&s, 1 - side)};
	*result = part(&s, 2);
	return is_plain(&inner) && is_plain(&out[0].l) && is_plain(&out[1].l) && is_plain(&out[2].l);
}

/* ---- what is equal ----------------------------------------------------------------------------- */

static void regroup(Egraph *e, uint32_t c, const Node *x, uint32_t side, const Node *p)
{
	OneOfThree o[3];
	LabelList result;
	if (p->op != OP_CONTRACT || !three(x, side, p, o, &result)) return;
	egraph_find(e, c, grouped(e->g, &o[0], &o[1], &o[2], &result));
	egraph_find(e, c, grouped(e->g, &o[1], &o[0], &o[2], &result));
}

/* (a + b)*y is a*y + b*y, where one of them is a product itself, as inexact as what comes of it.  Of other
 * terms a difference would lose its digits. */
static void over_sum(Egraph *e, uint32_t c, const Node *x, uint32_t side, const Node *p)
{
	if (p->op != OP_ADD && p->op != OP_SUB) return;
	if (p->arg[0]->op != OP_CONTRACT && p->arg[1]->op != OP_CONTRACT) return;
	Node *term[2];
	for (uint32_t k = 0; k < 2; k++) {
		Node *arg[2] = {x->arg[0], x->arg[1]};
		arg[side] = p->arg[k];
		term[k] = node_make(e->g, OP_CONTRACT, x->attr, 2, arg);
	}
	egraph_find(e, c, build2(e->g, (Op)p->op, term[0], term[1]));
}

/* A label that one operand alone has is summed before. */
static void sum_first(Egraph *e, uint32_t c, const Node *x)
{
	Labels s = labels_of(x->attr);
	for (uint32_t side = 0; side < 2; side++) {
		OneOfThree o[2] = {{x->arg[0], part(&s, 0)}, {x->arg[1], part(&s, 1)}};
		LabelList result = part(&s, 2), kept = {.n = 0};
		int64_t axis[RANK_MAX];
		uint32_t n = 0;
		for (uint32_t i = 0; i < o[side].l.n; i++) {
			int64_t label = o[side].l.v[i];
			if (has(&result, label) || has(&o[1 - side].l, label))
				kept.v[kept.n++] = label;
			else
				axis[n++] = i;
		}
		if (!n || !is_plain(&o[side].l)) continue;
		o[side] = (OneOfThree){fold(e->g, OP_SUM, o[side].x, n, axis), kept};
		egraph_find(e, c, product(e->g, o[0].x, &o[0].l, o[1].x, &o[1].l, &result));
	}
}

/* The sum of a product of two is a contraction of them; of a contraction, one with fewer labels. */
static void sum_of(Egraph *e, uint32_t c, const Node *x, const Node *p)
{
	Labels s = {.n = {0}};
	uint32_t rank = node_rank(x->arg[0]);
	LabelList result = {.n = 0}, all = {.n = rank};
	bool square = is_square(p), map = p->op == OP_MUL || square;
	if (!map && p->op != OP_CONTRACT) return;
	if (p->op == OP_CONTRACT) {
		s = labels_of(p->attr);
		all = part(&s, 2);
	}
	for (uint32_t i = 0; i < rank; i++) {
		bool goes = false;
		if (map) all.v[i] = i;
		for (uint32_t k = 0; k < attr_count(x); k++) goes |= attr_int(x, k) == i;
		if (!goes) result.v[result.n++] = all.v[i];
	}
	const LabelList left = map ? all : part(&s, 0), right = map ? all : part(&s, 1);
	Node *other = p->arg[square ? 0 : 1];
	egraph_find(e, c, product(e->g, p->arg[0], &left, other, &right, &result));
}

/* a*y + b*y is (a + b)*y, of contractions. */
static void common_operand(Egraph *e, uint32_t c, const Node *x, const Node *p, const Node *q)
{
	if (p->op != OP_CONTRACT || q->op != OP_CONTRACT || p->attr != q->attr) return;
	for (uint32_t side = 0; side < 2; side++) {
		if (egraph_class(e, p->arg[side]) != egraph_class(e, q->arg[side])) continue;
		if (p->arg[1 - side]->type != q->arg[1 - side]->type) continue;
		Node *arg[2] = {p->arg[0], p->arg[1]};
		arg[1 - side] = build2(e->g, (Op)x->op, p->arg[1 - side], q->arg[1 - side]);
		egraph_find(e, c, arg[1 - side] ? node_make(e->g, OP_CONTRACT, p->attr, 2, arg) : NULL);
	}
}

/* c*(x*y) is (c*x)*y, and x*(c*y). */
static void scaled(Egraph *e, uint32_t c, const Node *x, uint32_t side, const Node *p)
{
	double number;
	const Node *by = x->arg[1 - side];
	if (p->op != OP_CONTRACT || by->op != OP_CONST || !constant_is_uniform(by) ||
		!constant_value(by, &number) || !is_moderate(node_dtype(by), number))
		return;
	for (uint32_t k = 0; k < 2; k++) {
		Node *arg[2] = {p->arg[0], p->arg[1]};
		arg[k] = build2(e->g, OP_MUL, constant_float(e->g, arg[k]->type, number), arg[k]);
		egraph_find(e, c, arg[k] ? node_make(e->g, OP_CONTRACT, p->attr, 2, arg) : NULL);
	}
}

void contractions_find(Egraph *e, uint32_t c, const Node *x)
{
	if (x->op == OP_CONTRACT) sum_first(e, c, x);
	for (uint32_t side = 0; side < x->narg; side++) {
		uint32_t o = egraph_class(e, x->arg[side]);
		for (uint32_t i = 0; o != UINT32_MAX && i < e->class[o].n; i++) {
			const Node *p = e->class[o].member[i];
			if (x->op == OP_CONTRACT) {
				regroup(e, c, x, side, p);
				over_sum(e, c, x, side, p);
			} else if (x->op == OP_SUM) {
				sum_of(e, c, x, p);
			} else if (x->op == OP_MUL) {
				scaled(e, c, x, side, p);
			} else if (side == 0 && (x->op == OP_ADD || x->op == OP_SUB)) {
				uint32_t other = egraph_class(e, x->arg[1]);
				for (uint32_t k = 0; k < e->class[other].n; k++)
					common_operand(e, c, x, p, e->class[other].member[k]);
			}
		}
	}
}
