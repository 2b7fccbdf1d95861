/* told.c - what a requirement of sizes is told of: what the user wrote, and not the node that asks. */
#include "ir.h"

/* An operand of a product with the axis that is summed last, as on the left, or first. */
static const Type *side_of_product(Graph *g, const Node *x, uint32_t inner, bool left)
{
	const uint32_t n = node_rank(x);
	const Size *dim[2];
	for (uint32_t i = 0; i < n; i++) dim[i] = node_dim(x, i);
	if (n == 2 && (inner == 1) != left) {
		dim[0] = node_dim(x, 1);
		dim[1] = node_dim(x, 0);
	}
	return type_array(g, node_dtype(x), n, dim);
}

/* A contraction that is a product of matrices and vectors, turned or not: the types on either side of @. */
static bool is_product(Graph *g, const Node *x, const Type *side[2])
{
	const Node *a = x->arg[0], *b = x->arg[1];
	const uint32_t ra = node_rank(a), rb = node_rank(b);
	if (is_matmul(x)) {
		side[0] = a->type;
		side[1] = b->type;
		return true;
	}
	if (!ra || !rb || ra > 2 || rb > 2 || node_rank(x) != ra + rb - 2) return false;
	uint32_t shared = 0, i = 0, j = 0;
	for (uint32_t k = 0; k < ra; k++)
		for (uint32_t l = 0; l < rb; l++)
			if (attr_int(x, k) == attr_int(x, ra + 1 + l)) {
				shared++;
				i = k;
				j = l;
			}
	if (shared != 1) return false;
	const int64_t first = node_rank(x) == 2 ? attr_int(x, ra + rb + 2) : -1;
	const bool swapped = first >= 0 && first != attr_int(x, 1 - i);
	side[swapped] = side_of_product(g, a, i, !swapped);
	side[!swapped] = side_of_product(g, b, j, swapped);
	return true;
}

typedef struct Requiring {
	Text *t;
	Graph *g;
	atom_map names;
	void *user;
} Requiring;

static void print_type(const Requiring *o, const Type *x)
{
	type_print(o->t, type_substitute(o->g, x, o->names, o->user));
}

void requirement_print(Text *t, Graph *g, const Node *x, atom_map names, void *user)
{
	const Requiring o = {t, g, names, user};
	const Type *side[2];
	if (is_sized(x)) {
		const bool derived = node_is_derived(x);
		if (derived) print_type(&o, x->arg[0]->type);
		text_add(t, derived ? " for " : "");
		print_type(&o, x->type);
		text_add(t, derived ? ", in a derivative" : "");
	} else if (x->op == OP_CONTRACT && is_product(g, x, side)) {
		text_add(t, "@: ");
		print_type(&o, side[0]);
		text_add(t, " and ");
		print_type(&o, side[1]);
	} else {
		text_add(t, node_told(x));
	}
}

void requirement_sizes(Graph *g, const Node *x, const Size **a, const Size **b)
{
	if (x->op != OP_RESHAPE || is_sized(x)) return;
	const Type *to = x->type, *from = x->arg[0]->type;
	uint32_t lead = 0, most = to->n < from->n ? to->n : from->n;
	while (lead < most && DIM(to, lead) == DIM(from, lead)) lead++;
	*a = *b = size_const(g, 1);
	for (uint32_t i = lead; i < to->n; i++) *a = size_mul(g, *a, DIM(to, i));
	for (uint32_t i = lead; i < from->n; i++) *b = size_mul(g, *b, DIM(from, i));
}
