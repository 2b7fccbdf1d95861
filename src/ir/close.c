/* close.c - closing: nodes over bound leaves become a function over parameters by position. */
#include "carry.h"
#include "close.h"
#include "known.h"
#include "size.h"

typedef struct Closing {
	Graph *g;
	IdMap size_of;     /* basic atom id -> our size parameter */
	const Size **size; /* the caller's sizes */
	bool *data;        /* which are values of data */
	uint32_t nsize, size_cap, data_cap;
	IdMap map; /* node id -> rebuilt node */
} Closing;

/* Free sizes become parameters in the order in which they are met; so do those in the types of captures that
 * a node holds which is captured too: our caller could not name it. */
static const Size *close_atom(void *user, const Atom *a)
{
	Closing *c = user;
	if (a->kind != ATOM_NAME && a->kind != ATOM_PARAM && a->kind != ATOM_NODE) return NULL;
	const Size *s = idmap_get(&c->size_of, a->id);
	Node *y = a->kind == ATOM_NODE && !s ? idmap_get(&c->map, a->node->id) : NULL;
	if (y) return size_of_node(c->g, y);
	if (!s) {
		GROW(c->g->arena, c->size, c->nsize, c->size_cap);
		GROW(c->g->arena, c->data, c->nsize, c->data_cap);
		c->data[c->nsize] = a->kind == ATOM_NODE || a->data;
		c->size[c->nsize] = size_of_atom(c->g, *a);
		s = (c->data[c->nsize] ? size_param_of_data : size_param)(c->g, c->nsize);
		c->nsize++;
		idmap_put(&c->size_of, a->id, (void *)s);
	}
	return s;
}

static const Type *strong_type(Graph *g, const Type *t)
{
	return t && t->kind == TYPE_ARRAY ? type_with_dtype(g, t, dtype_strong((Dtype)t->dtype)) : t;
}

static const Type *close_type(Closing *c, const Node *leaf)
{
	return type_substitute(c->g, strong_type(c->g, leaf->type), close_atom, c);
}

/* Parameter i stands for the leaf from now on. */
static void close_leaf(Closing *c, const Node *leaf, uint32_t i, const Type *t)
{
	Node *p = param(c->g, i, t);
	for (Origin *o = leaf->origin; p && o; o = o->next)
		if (o->name) node_note(c->g, p, o->name, NULL, 0);
	if (p) idmap_put(&c->map, leaf->id, p);
}

/* The dtype among the attributes of a node that makes its numbers from others (one_hot, a draw) is weak. */
static const Attr *strong_attr(Graph *g, const Attr *attr)
{
	bool weak = false;
	for (uint32_t i = 0; attr && i < attr->n; i++)
		weak |= attr->v[i].kind == A_DTYPE && dtype_is_weak(attr->v[i].u.dtype);
	if (!weak) return attr;
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, attr->n);
	memcpy(v, attr->v, attr->n * sizeof *v);
	for (uint32_t i = 0; i < attr->n; i++)
		if (v[i].kind == A_DTYPE) v[i].u.dtype = dtype_strong(v[i].u.dtype);
	return attr_make(g, attr->n, v);
}

static bool is_weak_type(const Type *t)
{
	return t->kind == TYPE_ARRAY && dtype_is_weak((Dtype)t->dtype);
}

/* Over operands of the types that x has, without sizes or weak dtypes of its own: it is of x's type, too. */
static bool keeps_type(const Node *x, Node *const *args)
{
	if (op_info[x->op].class == LEAF || x->op == OP_GET || is_weak_type(x->type)) return false;
	for (uint32_t i = 0; x->attr && i < x->attr->n; i++)
		if (x->attr->v[i].kind != A_INT) return false;
	for (uint32_t k = 0; k < x->narg; k++)
		if (!args[k] || args[k]->type != x->arg[k]->type) return false;
	return node_operands(x) == x->narg;
}

/* The rebuilt node, with no weak dtype left. */
static Node *close_node(Closing *c, Node *x, Node **args)
{
	Graph *g = c->g;
	if (keeps_type(x, args)) return node_again(g, x, x->type, x->attr, args);
	if (x->op == OP_CONST && dtype_is_weak(node_dtype(x))) /* without the number beside it: see whole.h */
		return node_leaf(
			g, OP_CONST, attr_make(g, 1, x->attr->v),
			type_substitute(g, strong_type(g, x->type), close_atom, c));
	if (x->op == OP_CAST && dtype_is_weak(x->attr->v[0].u.dtype))
		return cast(g, args[0], dtype_strong(x->attr->v[0].u.dtype));
	if (x->op == OP_CAST && args[0] && node_dtype(args[0]) == x->attr->v[0].u.dtype) return args[0];
	const Attr *attr = strong_attr(g, x->attr);
	if (attr != x->attr && op_info[x->op].class != LEAF)
		x = node_make(g, (Op)x->op, attr, x->narg, x->arg);
	if (x && x->op == OP_SIZE)
		return size_node(g, size_substitute(g, x->attr->v[0].u.size, close_atom, c));
	return x ? node_with(g, x, args, close_atom, c) : NULL;
}

typedef struct FunctionKey {
	unsigned flags;
	const char *op;
	const Attr *opattr;
	uint32_t nparam, nsize, nresult;
	uint32_t noperand; /* told by the op and the types */
	const Type **param;
	Node **result;
	const bool *data; /* told by the types and nodes: no part of identity */
} FunctionKey;

static bool function_same(const void *item, const void *key)
{
	const Function *f = item;
	const FunctionKey *k = key;
	return f->flags == k->flags && f->op == k->op && f->opattr == k->opattr && f->nparam == k->nparam &&
		f->nsize == k->nsize && f->nresult == k->nresult &&
		!memcmp(f->param, k->param, k->nparam * sizeof *k->param) &&
		!memcmp(f->result, k->result, k->nresult * sizeof *k->result);
}

static Function *function_intern(Graph *g, const char *name, FunctionKey *k)
{
	uint32_t h = hash_mix(k->flags, k->opattr ? k->opattr->id : 0);
	if (k->op) h = hash_mix(h, hash_bytes(k->op, strlen(k->op)));
	for (uint32_t i = 0; i < k->nparam; i++) h = hash_mix(h, k->param[i]->id);
	for (uint32_t i = 0; i < k->nresult; i++) h = hash_mix(h, k->result[i]->id);
	h = hash_mix(h, k->nsize);
	Function *f = KNOWN(g, functions, h, k, function_same);
	if (f) return f;
	f = NEW(g->arena, Function);
	*f = (Function){.id = ++g->nfunction,
		.hash = h,
		.flags = k->flags,
		.nparam = k->nparam,
		.nsize = k->nsize,
		.nresult = k->nresult,
		.noperand = k->noperand,
		.param = k->param,
		.result = k->result,
		.op = k->op,
		.opattr = k->opattr,
		.size_of_data = k->data,
		.name = name ? names_get(&g->names, name, strlen(name)) : k->op,
		.where = g->where};
	f->param_name = NEW_ARRAY(g->arena, const char *, k->nparam);
	f->size_name = NEW_ARRAY(g->arena, const char *, k->nsize);
	table_add(&g->functions, h, f);
	return f;
}

/* Of a node: it hangs on a bound one or is to stay within; on anything but constants and sizes; is bound
 * itself; is not asked for, as only bound nodes are made of it; hangs on a bound one. */
enum { INNER = 1, LEAVES = 2, GIVEN = 4, UNASKED = 8, BOUND = 16 };

static bool is_everywhere(const Node *x)
{
	return x->op == OP_CONST || x->op == OP_SIZE || x->op == OP_IOTA || x->op == OP_TOKEN;
}

/* An effect that happens outside, though what it hangs on stays within too: it is not made anew. */
static bool is_others_effect(const Node *x, const IdMap *own)
{
	return x->op != OP_TOKEN && is_effect(x) && !idmap_get(own, x->id);
}

static void put_counted(void *user, const Atom *a)
{
	if (a->kind == ATOM_NODE) idmap_put(user, a->node->id, a->node);
}

void counts_of(Nodes x, IdMap *out)
{
	for (uint32_t i = 0; i < x.n; i++) {
		const Type *t = x.v[i]->type;
		for (uint32_t k = 0; t->kind == TYPE_ARRAY && k < t->n; k++)
			size_atoms(DIM(t, k), put_counted, out);
	}
}

static unsigned char *dependence(
	Arena *a, const Region *r, Nodes params, Nodes results, ClosePlaces at)
{
	unsigned char *on = NEW_ARRAY(a, unsigned char, r->n);
	bool *asked = NEW_ARRAY(a, bool, r->n);
	IdMap bound, counts, own; /* own: effects that happen within */
	idmap_open(&bound, a);
	idmap_open(&counts, a);
	counts_of(params, &counts);
	effects_before(a, results, &own);
	for (uint32_t i = 0; i < params.n; i++) idmap_put(&bound, params.v[i]->id, params.v[i]);
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i];
		region_look_ahead(r, i);
		if (idmap_get(&bound, x->id)) {
			on[i] = INNER | LEAVES | GIVEN | BOUND;
			continue;
		}
		const bool within = at.within && idmap_get(at.within, x->id);
		if (within)
			on[i] = INNER | LEAVES;
		else if (x->op == OP_INPUT || x->op == OP_FRESH || x->op == OP_PARAM)
			on[i] = LEAVES;
		for (uint32_t k = 0; k < x->narg; k++)
			on[i] |= on[region_place(r, x->arg[k])] & (INNER | LEAVES | BOUND);
		/* whatever it hangs on stays within too */
		bool computed = x->op == OP_GET && !within && at.outside && idmap_get(at.outside, x->id);
		if ((computed || is_others_effect(x, &own)) && !(on[i] & BOUND)) on[i] = LEAVES;
	}
	for (uint32_t i = 0; i < results.n; i++) asked[region_place(r, results.v[i])] = true;
	for (uint32_t i = r->n; i-- > 0;) {
		const Node *x = r->node[i];
		if (!asked[i]) on[i] = UNASKED;
		for (uint32_t k = 0; asked[i] && !(on[i] & GIVEN) && k < x->narg; k++)
			if (k < node_operands(x) || !idmap_get(&counts, x->arg[k]->id))
				asked[region_place(r, x->arg[k])] = true;
	}
	return on;
}

typedef struct Outer {
	const Region *r;
	unsigned char *on;
} Outer;

static void is_outer(void *user, const Atom *a)
{
	Outer *o = user;
	uint32_t place = a->kind == ATOM_NODE ? region_place(o->r, a->node) : UINT32_MAX;
	if (place != UINT32_MAX && !o->on[place]) o->on[place] = LEAVES;
}

/* What a body's results are counted by, made of constants and sizes alone: who holds the body counts by it
 * too, so it is computed there. */
static void sizes_are_outer(const Region *r, Nodes results, unsigned char *on)
{
	Outer o = {r, on};
	for (uint32_t i = 0; i < results.n; i++) {
		const Type *t = results.v[i]->type;
		for (uint32_t k = 0; t->kind == TYPE_ARRAY && k < t->n; k++)
			size_atoms(DIM(t, k), is_outer, &o);
	}
	for (uint32_t i = 0; i < r->n; i++) /* and so is what is computed of them */
		for (uint32_t k = 0; !on[i] && k < r->node[i]->narg; k++)
			on[i] = on[region_place(r, r->node[i]->arg[k])] & LEAVES;
}

/* Is it made anew within the function? */
static bool is_rebuilt(const Node *x, unsigned char on)
{
	return !(on & (GIVEN | UNASKED)) && (on != LEAVES || is_everywhere(x));
}

/* What is captured: nodes that hang on outer leaves alone and are wanted as a result, or by what is made anew
 * and is wanted itself. */
static uint32_t find_captures(Graph *g, const Region *r, const unsigned char *on, Nodes results,
	unsigned char *wanted, Node ***capture)
{
	uint32_t n = 0, cap = 0;
	for (uint32_t i = 0; i < results.n; i++) wanted[region_place(r, results.v[i])] = 1;
	for (uint32_t i = r->n; i-- > 0;)
		for (uint32_t k = 0; wanted[i] && is_rebuilt(r->node[i], on[i]) && k < r->node[i]->narg; k++)
			wanted[region_place(r, r->node[i]->arg[k])] = 1;
	*capture = NULL;
	for (uint32_t i = 0; i < r->n; i++) {
		if (!wanted[i] || on[i] != LEAVES || is_everywhere(r->node[i])) continue;
		GROW(g->arena, *capture, n, cap);
		(*capture)[n++] = r->node[i];
	}
	return n;
}

bool close_within(
	Graph *g, Title title, Nodes params, Nodes results, ClosePlaces at, Closure *out)
{
	for (uint32_t i = 0; i < results.n; i++)
		if (!results.v[i] || g->error.code) return false;
	Arena *scratch = arena_child(g->arena);
	Region *r = region_of(scratch, results.n, results.v);
	unsigned char *on = dependence(scratch, r, params, results, at);
	if (title.flags & FN_BODY && !at.again) sizes_are_outer(r, results, on);
	unsigned char *wanted = NEW_ARRAY(scratch, unsigned char, r->n);
	Closing c = {.g = g};
	idmap_open(&c.size_of, scratch);
	idmap_open(&c.map, scratch);
	Node **capture;
	uint32_t ncapture = find_captures(g, r, on, results, wanted, &capture), most = 0;
	FunctionKey key = {.flags = title.flags,
		.op = title.op ? names_get(&g->names, title.op, strlen(title.op)) : NULL,
		.opattr = title.opattr,
		.nparam = params.n + ncapture,
		.noperand = title.noperand ? title.noperand : params.n,
		.nresult = results.n};
	key.param = NEW_ARRAY(g->arena, const Type *, key.nparam);
	key.result = NEW_ARRAY(g->arena, Node *, results.n);
	for (uint32_t i = 0; i < params.n; i++) {
		key.param[i] = close_type(&c, params.v[i]);
		close_leaf(&c, params.v[i], i, key.param[i]);
	}
	for (uint32_t i = 0; i < ncapture; i++) key.param[params.n + i] = close_type(&c, capture[i]);
	for (uint32_t i = 0; i < ncapture; i++)
		close_leaf(&c, capture[i], params.n + i, key.param[params.n + i]);
	for (uint32_t i = 0; i < r->n; i++) most = r->node[i]->narg > most ? r->node[i]->narg : most;
	Node **args = NEW_ARRAY(scratch, Node *, most + 1);
	g->bodies++;
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i];
		region_look_ahead(r, i);
		if (!wanted[i] || !is_rebuilt(x, on[i]) || idmap_get(&c.map, x->id)) continue;
		for (uint32_t k = 0; k < x->narg; k++) args[k] = idmap_get(&c.map, x->arg[k]->id);
		Heritage before = heritage_begin(g, x);
		Node *y = close_node(&c, x, args);
		heritage_end(g, before, x, y);
		if (y) idmap_put(&c.map, x->id, y);
	}
	g->bodies--;
	for (uint32_t i = 0; i < results.n && !g->error.code; i++)
		key.result[i] = idmap_get(&c.map, results.v[i]->id);
	key.nsize = c.nsize;
	key.data = c.data;
	*out = (Closure){.ncapture = ncapture, .capture = capture, .nsize = c.nsize, .size = c.size};
	if (!g->error.code) out->function = function_intern(g, title.name, &key);
	for (uint32_t i = 0; out->function && i < params.n; i++)
		if (!out->function->param_name[i]) out->function->param_name[i] = leaf_name(params.v[i]);
	arena_free(scratch);
	return out->function != NULL;
}

/* A parameter may be what is computed outside: a leaf in its place, so that nothing below it is made anew. */
static bool put_leaves(Graph *g, Arena *a, Nodes *params, Nodes *results)
{
	IdMap map;
	idmap_open(&map, a);
	Node **leaf = NEW_ARRAY(a, Node *, params->n + 1), **over = NEW_ARRAY(a, Node *, results->n + 1);
	for (uint32_t i = 0; i < params->n; i++) {
		Node *x = leaf[i] = params->v[i];
		if (x->op == OP_INPUT || x->op == OP_FRESH || x->op == OP_PARAM) continue;
		if (!(leaf[i] = fresh(g, x->type, leaf_name(x)))) return false;
		idmap_put(&map, x->id, leaf[i]);
	}
	if (!map.count) return true;
	rebuild(g, *results, &map, NULL, NULL, over);
	params->v = leaf;
	results->v = over;
	return !g->error.code;
}

bool function_close(Graph *g, Title title, Nodes params, Nodes results, Closure *out)
{
	for (uint32_t i = 0; i < results.n; i++)
		if (!results.v[i] || g->error.code) return false;
	Arena *a = arena_child(g->arena);
	if (!put_leaves(g, a, &params, &results)) results.v = NULL;
	if (results.v) results.v = held_once(g, a, results, params);
	if (results.v) results.v = captured_around(g, a, results, params, (Nodes){0}, NULL);
	bool good = results.v && close_within(g, title, params, results, (ClosePlaces){0}, out);
	arena_free(a);
	return good;
}

bool function_close_again(Graph *g, Title title, Nodes params, Nodes results, Closure *out)
{
	return close_within(g, title, params, results, (ClosePlaces){.again = true}, out);
}

Function *function_again(Graph *g, const Function *f, const Attr *opattr, const Type **param, Node **result)
{
	bool *data = NEW_ARRAY(g->arena, bool, f->nsize);
	if (f->nsize) memcpy(data, f->size_of_data, f->nsize * sizeof *data);
	FunctionKey key = {.flags = f->flags,
		.op = f->op ? names_get(&g->names, f->op, strlen(f->op)) : NULL,
		.opattr = opattr,
		.nparam = f->nparam,
		.noperand = f->noperand,
		.nsize = f->nsize,
		.nresult = f->nresult,
		.param = param,
		.result = result,
		.data = data};
	return function_intern(g, f->name, &key);
}

Function *function_over(Graph *g, const Function *f, uint32_t nresult, Node *const *results)
{
	FunctionKey key = {.flags = f->flags,
		.op = f->op,
		.opattr = f->opattr,
		.nparam = f->nparam,
		.noperand = f->noperand,
		.nsize = f->nsize,
		.nresult = nresult,
		.param = f->param,
		.data = f->size_of_data};
	key.result = NEW_ARRAY(g->arena, Node *, nresult);
	for (uint32_t i = 0; i < nresult; i++)
		if (!(key.result[i] = results[i])) return NULL;
	Function *h = function_intern(g, f->name, &key);
	memcpy(h->param_name, f->param_name, f->nparam * sizeof *f->param_name);
	memcpy(h->size_name, f->size_name, f->nsize * sizeof *f->size_name);
	h->where = f->where;
	return h;
}
