/* build_loop.c - calls of closed functions and loops over them: making them, and taking them apart. */
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

Node *call_with(Graph *g, Function *f, const Size *const *sizes, uint32_t n, Node *const *args)
{
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, CALL_SIZES + f->nsize);
	v[0] = av_function(f);
	for (uint32_t i = 0; i < f->nsize; i++) v[CALL_SIZES + i] = av_size(sizes[i]);
	return node_make(g, OP_CALL, attr_make(g, CALL_SIZES + f->nsize, v), n, args);
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
bool scan_is_back(const Node *x)
{
	return x->attr->v[3].u.i != 0;
}
Function *call_function(const Node *x)
{
	return x->attr->v[0].u.function;
}

Node *scan(Graph *g, const Closure *body, Node *steps, uint32_t ncarry, Node *const *carry, uint32_t nseq,
	Node *const *seq, bool back)
{
	if (!body || !body->function || !steps) return NULL;
	const Function *f = body->function;
	uint32_t n = 1 + ncarry + nseq + body->ncapture, k = 0;
	if (f->nparam != n || f->nresult < ncarry)
		return graph_fail(
			g, ERR_INTERNAL, "scan: a body of %u parameters for %u operands", f->nparam, n);
	Node **x = NEW_ARRAY(g->arena, Node *, n);
	x[k++] = cast(g, steps, DT_I64);
	for (uint32_t i = 0; i < ncarry; i++) x[k++] = carry[i];
	for (uint32_t i = 0; i < nseq; i++) x[k++] = seq[i];
	for (uint32_t i = 0; i < body->ncapture; i++, k++) /* a weak capture is strong inside */
		x[k] = cast(g, body->capture[i], dtype_strong(node_dtype(body->capture[i])));
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, SCAN_SIZES + body->nsize);
	v[0] = av_function(body->function);
	v[1] = av_int(ncarry);
	v[2] = av_int(nseq);
	v[3] = av_int(back);
	for (uint32_t i = 0; i < body->nsize; i++) v[SCAN_SIZES + i] = av_size(body->size[i]);
	return node_make(g, OP_SCAN, attr_make(g, SCAN_SIZES + body->nsize, v), n, x);
}

Node *scan_with_body(Graph *g, Node *x, Function *body)
{
	if (!body || !x) return NULL;
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, x->attr->n);
	memcpy(v, x->attr->v, x->attr->n * sizeof *v);
	v[0] = av_function(body);
	return node_make(g, OP_SCAN, attr_make(g, x->attr->n, v), node_operands(x), x->arg);
}

const Size **given_sizes(Arena *a, const Node *x)
{
	uint32_t first = x->op == OP_SCAN ? SCAN_SIZES : CALL_SIZES, n = x->attr->v[0].u.function->nsize;
	const Size **size = NEW_ARRAY(a, const Size *, n);
	for (uint32_t i = 0; i < n; i++) size[i] = x->attr->v[first + i].u.size;
	return size;
}

CallSite call_site(Graph *g, Op op, const Attr *attr, Node *const *args)
{
	bool loop = op == OP_SCAN;
	return (CallSite){.g = g,
		.attr = attr,
		.arg = args,
		.first = loop ? SCAN_SIZES : CALL_SIZES,
		.bound = loop ? (uint32_t)(1 + attr->v[1].u.i + attr->v[2].u.i) : 0};
}

const Size *callers_size(void *user, const Atom *a)
{
	CallSite *c = user;
	if (a->kind == ATOM_PARAM) return c->attr->v[c->first + a->index].u.size;
	if (a->kind != ATOM_NODE) return NULL;
	if (a->node->op == OP_PARAM && attr_int(a->node, 0) >= c->bound)
		return size_of_node(c->g, c->arg[attr_int(a->node, 0)]);
	c->inner = true;
	return NULL;
}

const Type *callers_type(CallSite *c, const Type *t)
{
	return type_substitute(c->g, t, callers_size, c);
}

Outside captured(const Node *x)
{
	uint32_t first = 1 + scan_carries(x) + scan_sequences(x);
	return (Outside){node_operands(x) - first, x->arg + first};
}

Opened scan_open(Graph *g, Arena *a, Node *x)
{
	Function *f = scan_body(x);
	Opened o = {.nparam = f->nparam, .nresult = f->nresult};
	o.param = NEW_ARRAY(a, Node *, f->nparam);
	o.result = NEW_ARRAY(a, Node *, f->nresult);
	CallSite c = call_site(g, OP_SCAN, x->attr, x->arg);
	for (uint32_t i = 0; i < f->nparam; i++)
		o.param[i] = i < c.bound ? fresh(g, callers_type(&c, f->param[i]),
			f->param_name[i]) : x->arg[i];
	leaf_is_below(g, o.param[0], x->arg[0]);
	if (!g->error.code) function_inline(g, f, given_sizes(a, x), o.param, o.result);
	return o;
}
