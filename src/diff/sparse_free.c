/* sparse_free.c - which parts of a tuple hang on the leaf, and what stands for those that do not.
 *
 * A branch or loop that computes something linear may give beside it what is not: a value that is used as a
 * factor, or whether a side was taken.  Such a part is the same whatever the leaf is.
 */
#include "sparse.h"

/* Of a loop: what it carries, too, hangs on what it began with and on what the passes make of it. */
static void parts_of_loop(const Forms *w, const Node *x, const bool *depends, bool *hang)
{
	const Opened o = scan_open(w->g, w->a, x);
	Nodes bound = {0, NULL};
	Node **of = NEW_ARRAY(w->a, Node *, x->narg + o.nparam);
	bound.v = of;
	for (uint32_t k = 1; k < x->narg; k++)
		if (depends[k]) of[bound.n++] = k < o.nparam ? o.param[k] : x->arg[k];
	const Region *r = region_of(w->a, o.nresult, o.result);
	for (bool more = true; more && !w->g->error.code;) {
		const bool *hangs = region_hanging(w->a, r, bound);
		more = false;
		for (uint32_t i = 0; i < (x->type->kind == TYPE_TUPLE ? x->type->n : 1); i++) {
			bool began = hang[i];
			hang[i] |= hangs[region_place(r, o.result[i])] ||
				(i < scan_carries(x) && depends[1 + i]);
			if (began || !hang[i] || i >= scan_carries(x) || depends[1 + i]) continue;
			of[bound.n++] = o.param[1 + i];
			more = true;
		}
	}
}

static void parts_of_sides(const Forms *w, const Node *x, const bool *depends, bool *hang)
{
	Body b[BODIES_MAX];
	Nodes bound = {0, NULL};
	Node **of = NEW_ARRAY(w->a, Node *, x->narg);
	bound.v = of;
	for (uint32_t k = 0; k < x->narg; k++)
		if (depends[k]) of[bound.n++] = x->arg[k];
	for (uint32_t k = 0, sides = node_bodies(x, b); k < sides && !w->g->error.code; k++) {
		const Opened o = body_open(w->g, w->a, x, &b[k]);
		const Region *r = region_of(w->a, o.nresult, o.result);
		const bool *hangs = region_hanging(w->a, r, bound);
		for (uint32_t i = 0; i < o.nresult; i++) hang[i] |= hangs[region_place(r, o.result[i])];
	}
}

void parts_that_hang(const Forms *w, const Node *x, const bool *depends, bool *hang)
{
	Body b[BODIES_MAX];
	const bool tuple = x->type->kind == TYPE_TUPLE, bodies = node_bodies(x, b);
	if (bodies && b[0].bound) parts_of_loop(w, x, depends, hang);
	if (bodies && !b[0].bound) parts_of_sides(w, x, depends, hang);
	for (uint32_t i = 0; i < (tuple ? x->type->n : 1); i++) {
		const Type *t = tuple ? x->type->u.elem[i] : x->type;
		bool real = t->kind == TYPE_ARRAY && dtype_is_float((Dtype)t->dtype);
		hang[i] = real && (hang[i] || !bodies);
	}
}

Node *where_leaf_is_zero(const Forms *w, const Node *x, const bool *depends)
{
	Node **arg = NEW_ARRAY(w->a, Node *, x->narg);
	for (uint32_t k = 0; k < x->narg; k++) {
		arg[k] = depends[k] ? like(w->g, x->arg[k], 0) : x->arg[k];
		if (!arg[k]) return NULL;
	}
	return node_with(w->g, x, arg, NULL, NULL);
}
