/* bodies.c - the functions within a node: which they are, what they are given, opening them, exchanging them.
 *
 * Attributes of a CALL: function, sizes of it...; of a SCAN: body, carried values, sequences, way, sizes of
 * it...; of an IF: what holds, what does not, sizes of the one..., of the other...
 */
#include "ir.h"

uint32_t bodies_of(Op op, const Attr *attr, Body out[BODIES_MAX])
{
	switch (op) {
	case OP_CALL: out[0] = (Body){.f = attr->v[0].u.function, .sizes = 1}; return 1;
	case OP_SCAN:
		out[0] = (Body){.f = attr->v[0].u.function,
			.sizes = 4,
			.bound = (uint32_t)(1 + attr->v[1].u.i + attr->v[2].u.i)};
		return 1;
	case OP_IF:
		out[0] = (Body){.f = attr->v[0].u.function, .sizes = 2, .first = 1};
		out[1] = (Body){.f = attr->v[1].u.function,
			.which = 1,
			.sizes = 2 + out[0].f->nsize,
			.first = 1};
		return 2;
	default: return 0;
	}
}

uint32_t node_bodies(const Node *x, Body out[BODIES_MAX])
{
	return bodies_of((Op)x->op, x->attr, out);
}

const Size **body_sizes(Arena *a, const Node *x, const Body *b)
{
	const Size **size = NEW_ARRAY(a, const Size *, b->f->nsize);
	for (uint32_t i = 0; i < b->f->nsize; i++) size[i] = x->attr->v[b->sizes + i].u.size;
	return size;
}

Nodes captured(const Node *x)
{
	Body b[BODIES_MAX];
	uint32_t first = node_bodies(x, b) ? b->first + b->bound : 0;
	return (Nodes){node_operands(x) - first, x->arg + first};
}

CallSite call_site(Graph *g, const Body *b, const Attr *attr, Node *const *args)
{
	return (CallSite){.g = g, .attr = attr, .arg = args, .body = *b};
}

/* Is the body run wherever its node is: that of a call, or of a loop that has a pass? */
static bool is_reached(const CallSite *c)
{
	if (!c->body.bound) return !c->body.first;
	return size_holds(c->g, size_const(c->g, 1), size_of_node(c->g, c->arg[0]), false);
}

/* Is it made of constants, sizes and captures alone, and fails only where the body does? */
static bool is_outside(const CallSite *c, const Region *r)
{
	bool reached = is_reached(c);
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		bool known = x->op == OP_CONST || x->op == OP_SIZE || x->op == OP_IOTA;
		bool captured = x->op == OP_PARAM && attr_int(x, 0) >= c->body.bound;
		if (op_info[x->op].class == LEAF && !captured && !known) return false;
		if (is_effect(x) || !(reached || node_is_total(c->g, x, NULL))) return false;
	}
	return true;
}

/* What the body computes of captures alone, as its caller would; NULL: it is the body's own. */
static Node *callers_node(CallSite *c, Node *x)
{
	Arena *a = arena_child(c->g->arena);
	Region *r = region_of(a, 1, &x);
	Node *y = NULL;
	if (is_outside(c, r)) {
		IdMap map;
		idmap_open(&map, a);
		for (uint32_t i = 0; i < r->n; i++) {
			const Node *p = r->node[i];
			if (p->op == OP_PARAM) idmap_put(&map, p->id, c->arg[c->body.first + attr_int(p, 0)]);
		}
		rebuild(c->g, (Nodes){1, &x}, &map, callers_size, c, &y);
	}
	arena_free(a);
	return y;
}

const Size *callers_size(void *user, const Atom *a)
{
	CallSite *c = user;
	if (a->kind == ATOM_PARAM) return c->attr->v[c->body.sizes + a->index].u.size;
	if (a->kind != ATOM_NODE) return NULL;
	if (a->node->op == OP_PARAM && attr_int(a->node, 0) >= c->body.bound)
		return size_of_node(c->g, c->arg[c->body.first + attr_int(a->node, 0)]);
	Node *y = callers_node(c, a->node);
	if (y) return size_of_node(c->g, y);
	c->inner = true;
	return NULL;
}

const Type *callers_type(CallSite *c, const Type *t)
{
	return type_substitute(c->g, t, callers_size, c);
}

Opened body_open(Graph *g, Arena *a, const Node *x, const Body *b)
{
	Function *f = b->f;
	Opened o = {.nparam = f->nparam, .nresult = f->nresult};
	o.param = NEW_ARRAY(a, Node *, f->nparam);
	o.result = NEW_ARRAY(a, Node *, f->nresult);
	CallSite c = call_site(g, b, x->attr, x->arg);
	for (uint32_t i = 0; i < f->nparam; i++)
		o.param[i] = i < b->bound ? fresh(g, callers_type(&c, f->param[i]), f->param_name[i])
					  : x->arg[b->first + i];
	if (!g->error.code) function_inline(g, f, body_sizes(a, x, b), o.param, o.result);
	return o;
}

Node *node_with_bodies(Graph *g, Node *x, Function *const *f, const Size *const *const *sizes)
{
	Body b[BODIES_MAX];
	uint32_t n = x ? node_bodies(x, b) : 0, own = n ? b[0].sizes : 0, count = own, at = own;
	if (!n) return NULL;
	for (uint32_t k = 0; k < n; k++) {
		if (!f[k]) return NULL;
		count += f[k]->nsize;
	}
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, count);
	memcpy(v, x->attr->v, own * sizeof *v);
	for (uint32_t k = 0; k < n; k++) {
		v[k] = av_function(f[k]);
		for (uint32_t i = 0; i < f[k]->nsize; i++)
			v[at++] = sizes && sizes[k] ? av_size(sizes[k][i]) : x->attr->v[b[k].sizes + i];
	}
	g->bodies++; /* it may belong to a body that is not reached */
	Node *y = node_make(g, (Op)x->op, attr_make(g, count, v), node_operands(x), x->arg);
	g->bodies--;
	return y;
}

/* Not that of an op or another function that is taken apart. */
static bool is_of_body(const Node *x)
{
	return x->op != OP_CALL || call_is_kept(x);
}

bool node_holds_bodies(const Node *x)
{
	Body b[BODIES_MAX];
	return node_bodies(x, b) && is_of_body(x);
}

enum { MOST_BODIES = 1 << 20 };

static uint32_t bodies_of_function(Graph *g, Function *f)
{
	if (f->bodies) return f->bodies - 1;
	Region *r = function_region(g, f);
	uint32_t all = 0;
	for (uint32_t i = 0; i < r->n && all < MOST_BODIES; i++) all += bodies_held(g, r->node[i]);
	f->bodies = all + 1;
	return all;
}

uint32_t bodies_held(Graph *g, const Node *x)
{
	Body b[BODIES_MAX];
	uint32_t n = node_bodies(x, b), all = n;
	for (uint32_t k = 0; k < n && all < MOST_BODIES; k++) all += bodies_of_function(g, b[k].f);
	return all < MOST_BODIES ? all : MOST_BODIES;
}

/* What is looked for in functions, each of which many nodes may hold; asked once of each. */
typedef struct BodySearch {
	Graph *g;
	Arena *a;
	NodeKind kind;
	Replacement by; /* NULL: it is only looked for */
	IdMap holds;    /* function id -> FOUND or ABSENT */
	IdMap made;     /* function id -> what became of it */
} BodySearch;
enum { FOUND = 1, ABSENT };

static BodySearch search_for(Graph *g, NodeKind kind, Replacement by)
{
	BodySearch s = {.g = g, .a = arena_child(g->arena), .kind = kind, .by = by};
	idmap_open(&s.holds, s.a);
	idmap_open(&s.made, s.a);
	return s;
}

static bool holds_any(BodySearch *s, Function *f)
{
	uintptr_t known = (uintptr_t)idmap_get(&s->holds, f->id);
	if (known) return known == FOUND;
	Region *r = function_region(s->g, f);
	bool found = false, may = r->classes & (s->kind.classes | 1u << CONTROL);
	for (uint32_t i = 0; may && i < r->n && !found; i++) {
		Body b[BODIES_MAX];
		uint32_t n = node_bodies(r->node[i], b);
		found = s->kind.is(r->node[i]);
		for (uint32_t k = 0; k < n && !found; k++)
			found = is_of_body(r->node[i]) && holds_any(s, b[k].f);
	}
	idmap_put(&s->holds, f->id, (void *)(uintptr_t)(found ? FOUND : ABSENT));
	return found;
}

bool body_any(Graph *g, Function *f, NodeKind kind)
{
	BodySearch s = search_for(g, kind, NULL);
	bool found = holds_any(&s, f);
	arena_free(s.a);
	return found;
}

/* ---- other nodes in place of some ------------------------------------------------------------ */

static Function *replaced(BodySearch *, Function *);

static Node *with_replaced_bodies(BodySearch *s, Node *x)
{
	Body b[BODIES_MAX];
	Function *f[BODIES_MAX];
	uint32_t n = is_of_body(x) ? node_bodies(x, b) : 0;
	for (uint32_t i = 0; i < n; i++)
		if (!(f[i] = replaced(s, b[i].f))) return NULL;
	return n ? node_with_bodies(s->g, x, f, NULL) : x;
}

/* What stands for x, which over what has become of its operands is y. */
static Node *replacement(void *user, Node *x, Node *y)
{
	BodySearch *s = user;
	Body b[BODIES_MAX];
	if (!s->kind.is(x) && !node_bodies(x, b)) return y;
	y = with_replaced_bodies(s, y);
	Heritage before = heritage_begin(s->g, x);
	if (y && s->kind.is(y)) y = s->by(s->g, s->a, y);
	heritage_end(s->g, before, x, y);
	return y;
}

static Function *replaced_within(BodySearch *s, Function *f)
{
	Graph *g = s->g;
	Arena *a = arena_child(g->arena);
	IdMap map;
	idmap_open(&map, a);
	rebuild_each(g, function_region(g, f), &map, replacement, s);
	Node **result = NEW_ARRAY(a, Node *, f->nresult);
	for (uint32_t i = 0; i < f->nresult; i++) result[i] = idmap_get(&map, f->result[i]->id);
	f = g->error.code ? NULL : function_over(g, f, f->nresult, result);
	arena_free(a);
	return f;
}

static Function *replaced(BodySearch *s, Function *f)
{
	if (!holds_any(s, f)) return f;
	Function *made = idmap_get(&s->made, f->id);
	if (made) return made;
	made = replaced_within(s, f);
	if (made) idmap_put(&s->made, f->id, made);
	return made;
}

Function *function_replace(Graph *g, Function *f, NodeKind kind, Replacement by)
{
	BodySearch s = search_for(g, kind, by);
	f = replaced(&s, f);
	arena_free(s.a);
	return f;
}
