/* elab_mask.c - x[m] for an array m of bools: the elements where m holds, as many as there are.
 *
 * A mask of one axis is the index array nonzero(m) of the prelude, whose size is counted when the call runs.
 * One of several axes selects from these axes taken as one.
 */
#include "elaborator.h"

#include <string.h>

/* nonzero(mask), which the prelude has. */
static Node *places(Elab *e, const Syntax *s, Node *mask)
{
	const char *name = names_get(&e->g->names, "nonzero", strlen("nonzero"));
	Binding *f = module_member(e, e->lib->prelude, s, name);
	const Given given = {.value = bind_node(e->g, mask), .syntax = s};
	Binding *b = f && given.value ? apply(e, s, f, 1, &given) : NULL;
	return b ? array_in(e, s, b) : NULL;
}

Node *mask_index(Elab *e, const Syntax *s, Node *base, uint32_t axis, Node *mask)
{
	const Size *dim = node_dim(base, axis);
	if (!node_rank(mask))
		return fail_at_syntax(e, s, ERR_TYPE,
			"%s: one bool, wanted an index or a mask; write if m then x else y", shown(e, s));
	if (node_rank(mask) != 1)
		return fail_at_syntax(e, s, ERR_TYPE,
			"%s: a mask of %u axes among other indices or written to, wanted one axis; "
			"where(m, v, x) changes what it selects", shown(e, s), node_rank(mask));
	return places(e, s, sized(e->g, mask, 1, &dim));
}

bool is_mask_of_axes(Elab *e, Env env, const Syntax *s)
{
	if (s->count != 2 || s->part[1]->kind == SYN_SLICE || s->part[1]->kind == SYN_RUN) return false;
	if (s->part[1]->kind == SYN_NAME && !strcmp(s->part[1]->name, "_")) return false;
	Node *before = e->token;
	const Binding *b = elab(e, env, s->part[1]);
	e->token = before; /* it is only asked what it is */
	if (!b || b->kind != B_NODE || b->node->type->kind != TYPE_ARRAY) return false;
	return node_dtype(b->node) == DT_BOOL && node_rank(b->node) > 1;
}

Node *take_mask(Elab *e, const Syntax *s, Node *x, Node *mask)
{
	Graph *g = e->g;
	uint32_t r = mask ? node_rank(mask) : 0, rank = node_rank(x);
	if (!mask) return NULL;
	if (r > rank) return fail_at_syntax(e, s, ERR_TYPE, "a mask of %u axes for %u", r, rank);
	const Size *dim[RANK_MAX] = {size_const(g, 1)}, *axis[RANK_MAX];
	for (uint32_t i = 0; i < rank; i++) {
		axis[i] = node_dim(x, i);
		if (i < r)
			dim[0] = size_mul(g, dim[0], axis[i]);
		else
			dim[1 + i - r] = axis[i];
	}
	mask = sized(g, mask, r, axis);
	mask = mask ? reshape(g, mask, 1, dim) : NULL;
	return gather(g, reshape(g, x, 1 + rank - r, dim), mask ? places(e, s, mask) : NULL, 0);
}
