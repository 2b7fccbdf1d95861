/* product.c - contractions of few terms, which are no cores: a kernel writes them out, among what else it
 * computes (loop/product.c).
 *
 * needs: the region of groups that are begun
 * gives: which contractions these are.  Measured against the core (docs/performance.md): a core pays a call
 *        for each matrix of a batch, packs, and has its operands stored; a kernel has nothing to gain where
 *        it reads apart what the core turns, or the same rows again for many others
 */
#include "group.h"

enum {
	APART_MAX = 8,     /* terms that lie side by side, where vectors are many rows */
	NEAR_MAX = 16,     /* where those of one vector lie side by side, or rows are few */
	WIDE_MAX = 2,      /* of products of matrices */
	NARROW_MAX = 4,    /* with so few columns that they stay near: */
	NARROW = 512,
	SMALL_MAX = 8,     /* of two small matrices, or many pairs of them: */
	SMALL = 8,
	ROWS_LEAST = 16,
	ALONE_MAX = 4,     /* of dear terms, where rows are fewer */
	DEAR_MAX = 40,
	WRITTEN_MAX = 240
};

/* ---- labels ----------------------------------------------------------------------------------- */

static uint32_t rank_of(const Node *x, uint32_t which)
{
	return which < 2 ? node_rank(x->arg[which]) : node_rank(x);
}

uint32_t contraction_label(const Node *x, uint32_t which, uint32_t axis)
{
	for (uint32_t k = 0; k < which; k++) axis += rank_of(x, k) + 1;
	return (uint32_t)attr_int(x, axis);
}

static bool has_label(const Node *x, uint32_t which, uint32_t label)
{
	for (uint32_t i = 0; i < rank_of(x, which); i++)
		if (contraction_label(x, which, i) == label) return true;
	return false;
}

/* Is label i of an operand the result's, and not the other's? */
static bool is_own(const Node *x, uint32_t operand, uint32_t axis)
{
	uint32_t l = contraction_label(x, operand, axis);
	return has_label(x, 2, l) && !has_label(x, !operand, l);
}

static bool has_own(const Node *x, uint32_t operand)
{
	for (uint32_t i = 0; i < rank_of(x, operand); i++)
		if (is_own(x, operand, i)) return true;
	return false;
}

static bool known_extent(const Node *x, uint32_t label, int64_t *extent)
{
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < rank_of(x, k); i++)
			if (contraction_label(x, k, i) == label && size_is(node_dim(x->arg[k], i), extent))
				return true;
	return false;
}

FoldedLabels folded_labels(const Node *x)
{
	FoldedLabels f = {.terms = 1};
	for (uint32_t i = 0; i < rank_of(x, 0); i++) {
		uint32_t l = contraction_label(x, 0, i);
		int64_t extent;
		if (has_label(x, 2, l)) continue;
		if (!known_extent(x, l, &extent) || extent < 1 || extent > PRODUCT_TERMS / f.terms)
			return (FoldedLabels){0};
		f.label[f.n] = l;
		f.extent[f.n++] = (uint32_t)extent;
		f.terms *= (uint32_t)extent;
	}
	f.in_lanes = f.n && (!has_own(x, 0) || !has_own(x, 1));
	return f;
}

/* ---- shapes ----------------------------------------------------------------------------------- */

/* Are all labels that an operand alone has of known extents, whose product is at most that? */
static bool own_at_most(const Node *x, uint32_t operand, int64_t most)
{
	int64_t n = 1, extent;
	for (uint32_t i = 0; i < rank_of(x, operand); i++) {
		if (!is_own(x, operand, i)) continue;
		if (!size_is(node_dim(x->arg[operand], i), &extent) || extent > most) return false;
		n *= extent;
		if (n > most) return false;
	}
	return true;
}

/* Do elements that lie side by side in the result do so in each operand, or are they one? */
static bool is_near(const Node *x)
{
	uint32_t n = node_rank(x);
	for (uint32_t k = 0; n && k < 2; k++) {
		uint32_t last = contraction_label(x, 2, n - 1), rank = rank_of(x, k);
		bool turned = x->arg[k]->op == OP_TRANSPOSE;
		if (!has_label(x, k, last)) continue;
		if (turned || contraction_label(x, k, rank - 1) != last) return false;
	}
	return true;
}

static bool has_rows(Graph *g, const Node *x)
{
	int64_t n;
	return !size_is(type_elements(g, x->type), &n) || n > ROWS_LEAST;
}

/* The most terms of a product whose operands are read from memory. */
static uint32_t most_terms(const Node *x, bool lanes)
{
	int64_t n;
	bool one = !node_rank(x), dots = !has_own(x, 0) && !has_own(x, 1);
	bool small = own_at_most(x, 0, SMALL) && own_at_most(x, 1, SMALL);
	if (lanes && dots) return one ? NEAR_MAX : PRODUCT_TERMS;
	if (lanes) return is_near(x) || small ? NEAR_MAX : APART_MAX;
	if (small) return SMALL_MAX;
	if (!is_near(x)) return 1;
	return size_is(node_dim(x, node_rank(x) - 1), &n) && n <= NARROW ? NARROW_MAX : WIDE_MAX;
}

/* ---- what is computed in passing --------------------------------------------------------------- */

bool product_repeats(const Node *x, uint32_t operand)
{
	for (uint32_t i = 0; node_rank(x) > 1 && i < node_rank(x); i++)
		if (!has_label(x, operand, contraction_label(x, 2, i))) return true;
	return false;
}

/* Of an element, were it computed in passing: instructions, and dear ones among them. */
typedef struct Spelled { uint32_t all, dear; } Spelled;

static Spelled written_by(const Groups *gr, const Spelled *w, const Node *x)
{
	Spelled to = {.all = 1};
	Class class = op_info[x->op].class;
	if (class == MAP) to.dear = op_info[x->op].cost >= COST_DEAR;
	if (class == VIEW) to.all = 0;
	if (x->op == OP_PAD || x->op == OP_CONCAT || (class != MAP && class != VIEW))
		return (Spelled){.all = 1};
	for (uint32_t k = 0; k < x->narg; k++) {
		const Spelled *from = &w[region_place(gr->r, x->arg[k])];
		to.all += from->all;
		to.dear += from->dear;
	}
	if (to.all > WRITTEN_MAX) to.all = WRITTEN_MAX + 1;
	if (to.dear > DEAR_MAX) to.dear = DEAR_MAX + 1;
	return to;
}

/* Does an operand move with the result? */
static bool has_result_label(const Node *x, uint32_t operand)
{
	for (uint32_t i = 0; i < node_rank(x); i++)
		if (has_label(x, operand, contraction_label(x, 2, i))) return true;
	return false;
}

/* Is it worth it? */
static bool is_few(const Groups *gr, const Node *x, const Spelled *w)
{
	FoldedLabels f = folded_labels(x);
	uint32_t written = 1, dear = 0;
	bool computes = false;
	for (uint32_t k = 0; f.terms && k < 2; k++) {
		const Spelled *from = &w[region_place(gr->r, x->arg[k])];
		bool passing = from->all > 1 && !product_repeats(x, k);
		computes |= passing && has_result_label(x, k);
		written += passing ? from->all : 1;
		dear += passing ? from->dear : 0;
	}
	uint32_t most = f.in_lanes && computes ? PRODUCT_TERMS : most_terms(x, f.in_lanes);
	if (!f.terms || f.terms > most) return false;
	if (dear && f.terms > ALONE_MAX && !has_rows(gr->g, x)) return false;
	return f.terms * written <= WRITTEN_MAX && f.terms * dear <= DEAR_MAX;
}

void find_few_products(Groups *gr)
{
	Arena *scratch = arena_child(gr->arena);
	Spelled *w = NEW_ARRAY(scratch, Spelled, gr->r->n);
	for (uint32_t i = 0; i < gr->r->n; i++) {
		const Node *x = gr->r->node[i];
		w[i] = written_by(gr, w, x);
		gr->few[i] = x->op == OP_CONTRACT && is_few(gr, x, w);
	}
	arena_free(scratch);
}
