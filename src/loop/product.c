/* product.c - a contraction of few terms, written out where a kernel wants it.
 *
 * needs: a contraction that the groups call few: known numbers of terms
 * gives: each term as a value, read at its place along the folded labels, and their sum in the order that is
 *        defined (docs/architecture.md, "The order of a fold"): where an operand has no label of its own, a
 *        term is a lane and lanes join by halving; else one chain, rounded once a term
 */
#include "kernel.h"

typedef struct FewTerms {
	Builder *b;
	Node *x;
	Dtype held;            /* in which it is summed */
	Index at[LABELS_MAX];  /* of each label, in the term that is written */
} FewTerms;

static uint16_t factor(FewTerms *p, uint32_t k)
{
	Index at[RANK_MAX];
	Node *y = p->x->arg[k];
	for (uint32_t i = 0; i < node_rank(y); i++) at[i] = p->at[contraction_label(p->x, k, i)];
	return emit_cast(p->b, value_at(p->b, y, at), node_dtype(y), p->held);
}

static uint16_t map_of(const FewTerms *p, Op op, uint16_t x, uint16_t y, uint16_t z)
{
	return emit(p->b,
		(Ins){.kind = INS_MAP,
			.op = (uint16_t)op,
			.dtype = (uint8_t)p->held,
			.from = (uint8_t)p->held,
			.a = x,
			.b = y,
			.c = z});
}

/* The term of that number: its labels' places, the last label fastest. */
static void go_to_term(FewTerms *p, const FoldedLabels *f, uint32_t term)
{
	for (uint32_t i = f->n; i-- > 0;) {
		p->at[f->label[i]] = index_zero(p->b);
		p->at[f->label[i]].offset = size_const(p->b->g, term % f->extent[i]);
		term /= f->extent[i];
	}
}

static uint16_t next_of_chain(FewTerms *p, uint16_t sum, uint16_t x, uint16_t y)
{
	if (dtype_is_float(p->held)) return map_of(p, OP_FMA, x, y, sum);
	return map_of(p, OP_ADD, sum, map_of(p, OP_MUL, x, y, 0), 0);
}

static uint16_t join_lanes(const FewTerms *p, uint32_t n, uint16_t *t)
{
	uint32_t half = 1;
	while (2 * half < n) half *= 2;
	for (; n > 1; n = half, half /= 2)
		for (uint32_t l = 0; l + half < n; l++) t[l] = map_of(p, OP_ADD, t[l], t[l + half], 0);
	return t[0];
}

uint16_t product_at(Builder *b, Node *x, const Index *at)
{
	FoldedLabels f = folded_labels(x);
	uint16_t t[PRODUCT_TERMS];
	FewTerms p = {.b = b, .x = x, .held = dtype_held(node_dtype(x))};
	for (uint32_t i = 0; i < node_rank(x); i++) p.at[contraction_label(x, 2, i)] = at[i];
	for (uint32_t j = 0; j < f.terms; j++) {
		go_to_term(&p, &f, j);
		uint16_t left = factor(&p, 0), right = factor(&p, 1);
		bool first = f.in_lanes || !j;
		t[j] = first ? map_of(&p, OP_MUL, left, right, 0) : next_of_chain(&p, t[j - 1], left, right);
	}
	uint16_t sum = f.in_lanes ? join_lanes(&p, f.terms, t) : t[f.terms - 1];
	return emit_cast(b, sum, p.held, node_dtype(x));
}
