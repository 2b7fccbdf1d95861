/* identity.c - products with an identity matrix, as the unit vectors of a Jacobian are:
 * one_hot[n](iota[n]()).
 *
 * Needs: a product over normal operands.  Gives: an equal node without it, or NULL, by law `real`: 0 times
 * what is infinite is forgotten.
 */
#include "rules.h"

/* Labels of an operand, and of the result. */
typedef struct LabelledAxes {
	Node *x;
	uint32_t n;
	int64_t label[RANK_MAX];
} LabelledAxes;

static bool is_identity(const Node *x)
{
	return x->op == OP_ONE_HOT && node_rank(x) == 2 && x->arg[0]->op == OP_IOTA &&
		node_dim(x, 0) == node_dim(x, 1);
}

/* The factor beside an identity, with one element for each of its rows, where it is the same along an axis.
 * */
static Node *diagonal_of(Node *x)
{
	if (x->op != OP_EXPAND || node_rank(x) != 2 || attr_count(x) != 2) return NULL;
	return x->arg[0];
}

/* Is x an identity, or one with a diagonal of numbers?  *diagonal: these, or NULL. */
static bool is_diagonal_matrix(Node *x, Node **diagonal)
{
	*diagonal = NULL;
	if (is_identity(x)) return true;
	for (uint32_t k = 0; k < 2 && x->op == OP_MUL; k++)
		if (is_identity(x->arg[k]) && (*diagonal = diagonal_of(x->arg[1 - k]))) return true;
	return false;
}

static void read_labels(const Node *x, LabelledAxes *operand, LabelledAxes *result)
{
	uint32_t at = 0;
	for (uint32_t k = 0; k < 3; k++, at++) {
		LabelledAxes *to = k < 2 ? &operand[k] : result;
		to->x = k < 2 ? x->arg[k] : NULL;
		to->n = 0;
		for (; at < attr_count(x) && attr_int(x, at) >= 0; at++) to->label[to->n++] = attr_int(x, at);
	}
}

/* y times the numbers along its axis `at`. */
static Node *times_along(Graph *g, Node *y, Node *numbers, uint32_t at)
{
	int64_t axis[RANK_MAX];
	const Size *dim[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t i = 0; i < node_rank(y); i++)
		if (i != at) {
			axis[n] = i;
			dim[n++] = node_dim(y, i);
		}
	return build2(g, OP_MUL, expand(g, numbers, n, axis, dim), y);
}

/* y with its axes in the order of the result. */
static Node *ordered(Graph *g, const LabelledAxes *y, const LabelledAxes *result)
{
	int64_t perm[RANK_MAX];
	if (y->n != result->n) return NULL;
	for (uint32_t i = 0; i < result->n; i++) {
		uint32_t k = 0;
		while (k < y->n && y->label[k] != result->label[i]) k++;
		if (k == y->n) return NULL;
		perm[i] = k;
	}
	return transpose(g, y->x, perm);
}

Node *product_of_identity(Graph *g, Node *x)
{
	LabelledAxes operand[2], result;
	Node *diagonal;
	read_labels(x, operand, &result);
	for (uint32_t k = 0; k < 2; k++) {
		LabelledAxes *h = &operand[k], y = operand[1 - k];
		if (h->n != 2 || !is_diagonal_matrix(h->x, &diagonal)) continue;
		for (uint32_t side = 0; side < 2; side++) {
			int64_t summed = h->label[side], kept = h->label[1 - side];
			if (list_has(result.n, result.label, summed) || list_has(y.n, y.label, kept))
				continue;
			uint32_t at = 0;
			while (at < y.n && y.label[at] != summed) at++;
			if (at == y.n) continue;
			y.label[at] = kept;
			if (diagonal) y.x = times_along(g, y.x, diagonal, at);
			return y.x ? ordered(g, &y, &result) : NULL;
		}
	}
	return NULL;
}
