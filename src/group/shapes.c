/* shapes.c - the shapes of folds and reshapes that fusion asks about. */
#include "group.h"

bool fold_takes(const Node *fold, uint32_t axis)
{
	for (uint32_t i = 0; i < attr_count(fold); i++)
		if (attr_int(fold, i) == axis) return true;
	return false;
}

bool fold_takes_last(const Node *fold)
{
	uint32_t rank = node_rank(fold->arg[0]);
	return !rank || fold_takes(fold, rank - 1);
}

bool reshape_splits(Graph *g, const Node *x, int *axis, const Size **factor)
{
	const Type *from = x->arg[0]->type, *to = x->type;
	uint32_t i = 0, j = 0;
	const Size *one = size_const(g, 1);
	for (;;) {
		while (i < from->n && DIM(from, i) == one) i++;
		uint32_t first = j;
		const Size *product = one;
		/* gather axes of the result until their product is the operand's axis */
		while (j < to->n && (DIM(to, j) == one || i >= from->n || product != DIM(from, i))) {
			if (DIM(to, j) == one) {
				axis[j++] = -1;
				continue;
			}
			if (i >= from->n) return false;
			axis[j] = (int)i;
			product = size_mul(g, product, DIM(to, j++));
			if (!product) return false;
		}
		if (i >= from->n) return j == to->n;
		if (product != DIM(from, i)) return false;
		const Size *f = one;
		for (uint32_t k = j; k-- > first;)
			if (axis[k] >= 0) {
				factor[k] = f;
				f = size_mul(g, f, DIM(to, k));
			}
		i++;
	}
}
