/* build_loop.c - calls of closed functions and loops over them. */
#include "ir.h"

Node *call(Graph *g, Function *f, uint32_t n, Node *const *args)
{
	for (uint32_t i = 0; i < n; i++)
		if (!args[i]) return NULL;
	if (!f) return NULL;
	if (n != f->nparam)
		return graph_fail(g, ERR_TYPE, "%s: %u arguments where %u are wanted",
			f->name ? f->name : "call", n, f->nparam);
	const Size **sizes = NEW_ARRAY(g->arena, const Size *, f->nsize);
	return function_solve_sizes(g, f, n, args, sizes) ? call_with(g, f, sizes, n, args) : NULL;
}

Node *strong_operand(Graph *g, Node *x)
{
	return x->type->kind == TYPE_ARRAY ? cast(g, x, dtype_strong(node_dtype(x))) : x;
}

Node *call_with(Graph *g, Function *f, const Size *const *sizes, uint32_t n, Node *const *args)
{
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, 1 + f->nsize);
	v[0] = av_function(f);
	for (uint32_t i = 0; i < f->nsize; i++) v[1 + i] = av_size(sizes[i]);
	return node_make(g, OP_CALL, attr_make(g, 1 + f->nsize, v), n, args);
}

Function *scan_body(const Node *x)
{
	return x->attr->v[0].u.function;
}
uint32_t scan_carries(const Node *x)
{
	return (uint32_t)x->attr->v[1].u.i;
}
uint32_t scan_sequences(const Node *x)
{
	return (uint32_t)x->attr->v[2].u.i;
}
unsigned scan_way(const Node *x)
{
	return (unsigned)x->attr->v[3].u.i;
}
bool scan_is_back(const Node *x)
{
	return scan_way(x) & WAY_BACK;
}
bool scan_is_while(const Node *x)
{
	return scan_way(x) & WAY_WHILE;
}
Node *scan_steps(const Node *x)
{
	return scan_is_while(x) ? NULL : x->arg[0];
}
Function *call_function(const Node *x)
{
	return x->attr->v[0].u.function;
}

enum { SCAN_OWN = 4 }; /* attributes before the sizes: body, carried values, sequences, way */

Node *scan(Graph *g, const Closure *body, Node *steps, Nodes carry, Nodes seq, unsigned way)
{
	if (!body || !body->function || !steps) return NULL;
	const Function *f = body->function;
	uint32_t n = 1 + carry.n + seq.n + body->ncapture, k = 0;
	if (f->nparam != n || f->nresult < carry.n)
		return graph_fail(
			g, ERR_INTERNAL, "scan: a body of %u parameters for %u operands", f->nparam, n);
	Node **x = NEW_ARRAY(g->arena, Node *, n);
	x[k++] = cast(g, steps, DT_I64);
	for (uint32_t i = 0; i < carry.n; i++) x[k++] = carry.v[i];
	for (uint32_t i = 0; i < seq.n; i++) x[k++] = seq.v[i];
	for (uint32_t i = 0; i < body->ncapture; i++, k++) /* a weak capture is strong inside */
		x[k] = strong_operand(g, body->capture[i]);
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, SCAN_OWN + body->nsize);
	v[0] = av_function(body->function);
	v[1] = av_int(carry.n);
	v[2] = av_int(seq.n);
	v[3] = av_int(way);
	for (uint32_t i = 0; i < body->nsize; i++) v[SCAN_OWN + i] = av_size(body->size[i]);
	return node_make(g, OP_SCAN, attr_make(g, SCAN_OWN + body->nsize, v), n, x);
}

Opened scan_open(Graph *g, Arena *a, const Node *x)
{
	Body b[BODIES_MAX];
	node_bodies(x, b);
	Opened o = body_open(g, a, x, b);
	if (!g->error.code) leaf_is_below(g, o.param[0], x->arg[0]);
	return o;
}
