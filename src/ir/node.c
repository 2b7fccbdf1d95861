/* node.c - the graph, its leaves and constants, and the one strict constructor. */
#include "build.h"
#include "known.h"
#include "near.h"

#include <math.h>

/* ---- the graph ------------------------------------------------------------ */

static Graph *graph_on_arena(Arena *a)
{
	Graph *g = NEW(a, Graph);
	g->arena = a;
	names_open(&g->names, a);
	Table *tables[] = {&g->sizes, &g->atoms, &g->types, &g->attrs, &g->datas, &g->nodes, &g->functions};
	for (size_t i = 0; i < countof(tables); i++) table_open(tables[i], a);
	idmap_open(&g->near, a);
	idmap_open(&g->bounds, a);
	idmap_open(&g->total, a);
	idmap_open(&g->promised, a);
	idmap_open(&g->given, a);
	return g;
}

Graph *graph_open(const Allocator *allocator)
{
	Arena *a = arena_new(allocator);
	if (!a) return NULL;
	Trap t;
	if (TRAP(&t)) {
		arena_free(a);
		return NULL;
	}
	arena_arm(a, &t);
	Graph *g = graph_on_arena(a);
	g->watch = NEW(a, Watch);
	g->watch->nodes = &g->nnode;
	arena_watch(a, g->watch);
	watch_begin(g->watch);
	arena_disarm(a, &t);
	return g;
}

Graph *graph_open_on(const Graph *base)
{
	Graph *g = graph_open(arena_allocator(base->arena));
	if (g) {
		g->base = base;
		g->names.base = &base->names;
		g->apply_op = base->apply_op; /* rules name ops of the library where the user does not */
	}
	return g;
}

Graph *graph_open_above(Graph *below)
{
	Graph *g = graph_on_arena(arena_child(below->arena));
	g->base = g->below = below;
	g->names.of = &below->names;
	g->watch = below->watch;
	g->watch->nodes = &g->nnode;
	g->nnode = below->nnode;
	g->nsize = below->nsize;
	g->natom = below->natom;
	g->ntype = below->ntype;
	g->nattr = below->nattr;
	g->ndata = below->ndata;
	g->nfunction = below->nfunction;
	g->nfresh = below->nfresh;
	g->where = below->where;
	g->user = below->user;
	g->apply_op = below->apply_op;
	g->rewriter = below->rewriter;
	g->admit_rule = below->admit_rule;
	g->transforms = below->transforms;
	g->no_rules = below->no_rules;
	g->customs = below->customs;
	return g;
}

void graph_close(Graph *g)
{
	if (!g) return;
	while (g->under) graph_release(g);
	if (g->below)
		g->watch->nodes = &g->below->nnode;
	else
		arena_watch(g->arena, NULL);
	arena_free(g->arena);
}

void *graph_fail(Graph *g, int code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fail_list(&g->error, code, g->where, format, args);
	va_end(args);
	return NULL;
}

/* ---- interning -------------------------------------------------------------- */

typedef struct NodeKey {
	Op op;
	const Type *type;
	const Attr *attr;
	uint32_t n;
	Node *const *arg;
	uint32_t hash, newest; /* newest: id of an operand, 0: there is none */
} NodeKey;

/* With operands the type follows from the others. */
static NodeKey node_key(Op op, const Type *type, const Attr *attr, uint32_t n, Node *const *arg)
{
	uint64_t mixed = hash_more(op, attr ? attr->id : 0);
	uint32_t newest = 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t id = arg[i]->id;
		mixed = hash_more(mixed, id);
		newest = id > newest ? id : newest;
	}
	if (!n) mixed = hash_more(mixed, type->id);
	return (NodeKey){op, type, attr, n, arg, hash_done(mixed), newest};
}

static bool node_same(const void *item, const void *key)
{
	const Node *x = item;
	const NodeKey *k = key;
	return x->op == k->op && x->type == k->type && x->attr == k->attr && x->narg == k->n &&
		(!k->n || !memcmp(x->arg, k->arg, k->n * sizeof *k->arg));
}

static void too_many_nodes(Graph *g)
{
	g->watch->why = WATCH_NODES;
	arena_out_of_memory(g->arena);
}

static Node *node_intern(Graph *g, const NodeKey *k)
{
	watch_step(g->arena, g->watch, 1);
	Node *x = k->newest ? near_find(g, k->newest, k->hash, k, node_same)
			    : KNOWN(g, nodes, k->hash, k, node_same);
	bool made = false;
	if (!x) {
		uint32_t depth = 0;
		if (g->watch->nodes_most && g->nnode >= g->watch->nodes_most) too_many_nodes(g);
		x = arena_cut(g->arena, sizeof *x + k->n * sizeof *x->arg, _Alignof(Node));
		*x = (Node){
			.id = ++g->nnode,
			.op = (uint16_t)k->op,
			.narg = k->n,
			.hash = k->hash,
			.type = k->type,
			.attr = k->attr,
		};
		for (uint32_t i = 0; i < k->n; i++) {
			x->arg[i] = k->arg[i];
			depth = x->arg[i]->depth + 1u > depth ? x->arg[i]->depth + 1u : depth;
		}
		x->depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX);
		g->branches += k->op == OP_IF;
		if (k->newest)
			near_add(g, k->newest, k->hash, x);
		else
			table_add(&g->nodes, k->hash, x);
		made = true;
	}
	node_stamp(g, x, made);
	return x;
}

Node *node_again(Graph *g, const Node *x, const Type *type, const Attr *attr, Node *const *args)
{
	NodeKey k = node_key((Op)x->op, type, attr, x->narg, args);
	return node_intern(g, &k);
}

/* Operands that an operator has of its own, before those that only hold data-dependent sizes. */
static uint32_t own_operands(Op op, const Attr *attr, uint32_t n)
{
	Body b[BODIES_MAX];
	if (bodies_of(op, attr, b)) return b->first + b->f->nparam;
	if (op == OP_CUSTOM) return (uint32_t)attr->v[1].u.i;
	int args = op_info[op].args;
	return args == VARIADIC ? n : (uint32_t)args;
}

uint32_t node_operands(const Node *x)
{
	return own_operands((Op)x->op, x->attr, x->narg);
}

/* The scalar nodes that hold the node atoms of some sizes. */
typedef struct SizeNodes {
	Graph *g;
	Node **v;
	uint32_t n, cap;
	bool any;
} SizeNodes;

static void add_size_node(void *user, const Atom *a)
{
	SizeNodes *s = user;
	if (a->kind != ATOM_NODE) return;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i] == a->node) return;
	GROW(s->g->arena, s->v, s->n, s->cap);
	s->v[s->n++] = a->node;
}

static void add_type_nodes(SizeNodes *s, const Type *t)
{
	for (uint32_t i = 0; t->kind == TYPE_ARRAY && i < t->n; i++) size_atoms(DIM(t, i), add_size_node, s);
	for (uint32_t i = 0; t->kind == TYPE_TUPLE && i < t->n; i++) add_type_nodes(s, t->u.elem[i]);
}

static bool is_operand(const NodeKey *k, const Node *x)
{
	uint32_t i = 0;
	while (i < k->n && k->arg[i] != x) i++;
	return i < k->n;
}

/* What a pass counts a carried value by that is not what it begins with: they are compared before it. */
static void add_carried_nodes(SizeNodes *s, const NodeKey *k)
{
	Body b[BODIES_MAX];
	bodies_of(OP_SCAN, k->attr, b);
	CallSite c = call_site(s->g, b, k->attr, k->arg);
	for (uint32_t i = 0; i < (uint32_t)k->attr->v[1].u.i; i++) {
		const Type *goes = callers_type(&c, b->f->result[i]->type);
		if (goes && goes != k->arg[1 + i]->type) add_type_nodes(s, goes);
	}
}

/* With the nodes that its attributes' sizes hold as further operands; what a body counts its results by too,
 * as nobody else may read those. */
static Node *intern_with_sizes(Graph *g, const NodeKey *k, bool sizes_of_type)
{
	SizeNodes s = {.g = g};
	for (uint32_t i = 0; k->attr && i < k->attr->n; i++)
		if (k->attr->v[i].kind == A_SIZE) size_atoms(k->attr->v[i].u.size, add_size_node, &s);
	uint32_t n = s.n;
	if (sizes_of_type) add_type_nodes(&s, k->type);
	if (k->op == OP_SCAN) add_carried_nodes(&s, k);
	for (uint32_t i = n; i < s.n; i++)
		if (!is_operand(k, s.v[i])) s.v[n++] = s.v[i];
	s.n = n;
	if (!s.n) return node_intern(g, k);
	Node **all = NEW_ARRAY(g->arena, Node *, k->n + s.n);
	if (k->n) memcpy(all, k->arg, k->n * sizeof *all);
	for (uint32_t i = 0; i < s.n; i++) all[k->n + i] = s.v[i];
	NodeKey more = node_key(k->op, k->type, k->attr, k->n + s.n, all);
	return node_intern(g, &more);
}

Node *node_make(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *args)
{
	for (uint32_t i = 0; i < n; i++)
		if (!args[i]) return NULL;
	uint32_t own = own_operands(op, attr, n);
	if (n < own)
		return graph_fail(
			g, ERR_TYPE, "%s: %u operands, wanted %u", op_info[op].text, n, own);
	NodeKey k = {.hash = 0};
	if (own) {
		k = node_key(op, NULL, attr, own, args);
		__builtin_prefetch(near_line(g, k.newest)); /* it is there by the time the type is */
	}
	k.type = type_of(g, op, attr, own, args);
	if (k.type && !own) k = node_key(op, k.type, attr, 0, args);
	Body b[BODIES_MAX];
	return k.type ? intern_with_sizes(g, &k, bodies_of(op, attr, b) > 0) : NULL;
}

Node *node_leaf(Graph *g, Op op, const Attr *attr, const Type *type)
{
	if (!type) return NULL;
	NodeKey k = node_key(op, type, attr, 0, NULL);
	return intern_with_sizes(g, &k, op == OP_CONST);
}

/* ---- leaves ------------------------------------------------------------------ */

static bool input_same(const void *item, const void *key)
{
	const Node *x = item;
	return x->op == OP_INPUT && x->attr->v[0].u.name == key;
}

/* Inputs are few: the name's own entry among the nodes is kept under the hash of its address-free text. */
static uint32_t input_hash(const char *name)
{
	return hash_mix(hash_bytes(name, strlen(name)), 0x1b873593);
}

Node *input_named(const Graph *g, const char *name)
{
	name = names_find(&g->names, name, strlen(name));
	return name ? KNOWN(g, nodes, input_hash(name), name, input_same) : NULL;
}

Node *input(Graph *g, const char *name, const Type *type)
{
	if (!type || !name) return NULL;
	name = names_get(&g->names, name, strlen(name));
	AttrValue v = av_name(name);
	Node *old = input_named(g, name);
	if (old && old->type != type)
		return graph_fail(g, ERR_TYPE, "input %s: %s here, %s before", name, type_shown(g, type),
			type_shown(g, old->type));
	if (old) return old;
	Node *x = node_leaf(g, OP_INPUT, attr_make(g, 1, &v), type);
	table_add(&g->nodes, input_hash(name), x);
	return x;
}

Node *param(Graph *g, uint32_t index, const Type *type)
{
	AttrValue v = av_int(index);
	return node_leaf(g, OP_PARAM, attr_make(g, 1, &v), type);
}

Node *fresh(Graph *g, const Type *type, const char *name)
{
	AttrValue v = av_int(++g->nfresh);
	Node *x = node_leaf(g, OP_FRESH, attr_make(g, 1, &v), type);
	if (name) node_note(g, x, names_get(&g->names, name, strlen(name)), NULL, 0);
	return x;
}

const char *leaf_name(const Node *x)
{
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->name) return o->name;
	return NULL;
}

Node *tuple(Graph *g, uint32_t n, Node *const *x)
{
	return node_make(g, OP_TUPLE, NULL, n, x);
}

Node *get(Graph *g, Node *t, uint32_t i)
{
	if (!t) return NULL;
	if (t->op == OP_TUPLE && i < t->narg) return t->arg[i];
	AttrValue v = av_int(i);
	return node_make(g, OP_GET, attr_make(g, 1, &v), 1, &t);
}

/* ---- constants ------------------------------------------------------------------ */

static Node *constant_bytes_of(Graph *g, const Type *type, const void *bytes, size_t n)
{
	unsigned char one[16], *copy = n <= sizeof one ? one : (unsigned char *)arena_alloc(g->arena, n);
	memcpy(copy, bytes, n);
	elements_quiet((Dtype)type->dtype, copy, n);
	AttrValue v = av_data(data_make(g, copy, n));
	return node_leaf(g, OP_CONST, attr_make(g, 1, &v), type);
}

Node *constant(Graph *g, const Type *type, const void *element)
{
	return type ? constant_bytes_of(g, type, element, dtype_bytes((Dtype)type->dtype)) : NULL;
}

Node *constant_data(Graph *g, const Type *type, const void *elements)
{
	if (!type) return NULL;
	int64_t n;
	const Size *count = type_elements(g, type);
	if (!count || !size_is(count, &n))
		return graph_fail(g, ERR_TYPE, "a constant array needs sizes that are numbers");
	size_t size = dtype_bytes((Dtype)type->dtype);
	const unsigned char *p = elements;
	bool uniform = n > 0;
	for (int64_t i = 1; uniform && i < n; i++) uniform = !memcmp(p, p + (size_t)i * size, size);
	return uniform ? constant(g, type, p) : constant_bytes_of(g, type, p, (size_t)n * size);
}

/* A whole number as an element, of a whole dtype its low bytes, which come first. */
static void element_of_whole(Dtype d, int64_t i, unsigned char out[16])
{
	memset(out, 0, 16);
	if (dtype_is_integer(d))
		memcpy(out, &i, dtype_bytes(d));
	else
		element_cast(dtype_part(d), out, DT_I64, &i);
}

Node *constant_int(Graph *g, const Type *type, int64_t i)
{
	if (!type) return NULL;
	struct WholeNumber *known = &g->wholes[((uint64_t)i + type->id) % countof(g->wholes)];
	if (known->type == type && known->value == i) {
		watch_step(g->arena, g->watch, 1);
		node_stamp(g, known->node, false);
		return known->node;
	}
	unsigned char e[16];
	element_of_whole((Dtype)type->dtype, i, e);
	Node *x = constant(g, type, e);
	if (x) *known = (struct WholeNumber){type, i, x};
	return x;
}

Node *constant_float(Graph *g, const Type *type, double x)
{
	if (!type) return NULL;
	unsigned char e[16] = {0};
	element_cast(dtype_part((Dtype)type->dtype), e, DT_F64, &x);
	return constant(g, type, e);
}

Node *weak_int(Graph *g, int64_t i)
{
	return constant_int(g, type_scalar(g, DT_WEAK_INT), i);
}
Node *weak_float(Graph *g, double x)
{
	return constant_float(g, type_scalar(g, DT_WEAK_FLOAT), x);
}

bool constant_integer(const Node *x, int64_t *value)
{
	if (!x || !constant_is_uniform(x)) return false;
	Dtype own = node_dtype(x);
	if (dtype_is_integer(own) || own == DT_BOOL) {
		*value = element_whole(own, constant_bytes(x));
		return true;
	}
	double d;
	if (!constant_value(x, &d) || d != floor(d) || fabs(d) > 9007199254740992.0) return false;
	*value = (int64_t)d;
	return true;
}

bool constant_value(const Node *x, double *value)
{
	if (!x || !constant_is_uniform(x)) return false;
	Dtype own = node_dtype(x);
	if (own == DT_KEY || dtype_is_complex(own)) return false;
	*value = element_number(own, constant_bytes(x));
	return true;
}

static bool is_number(const Node *x)
{
	return x->op == OP_CONST && node_is_scalar(x) && node_dtype(x) != DT_KEY &&
		!dtype_is_complex(node_dtype(x));
}

Node *known_test(Graph *g, Node *x)
{
	if (!x || op_info[x->op].class != MAP || x->narg != 2 || node_dtype(x) != DT_BOOL) return x;
	if (!is_number(x->arg[0]) || !is_number(x->arg[1])) return x;
	const void *a = constant_bytes(x->arg[0]), *b = constant_bytes(x->arg[1]);
	return constant_int(g, x->type, element_test((Op)x->op, node_dtype(x->arg[0]), a, b));
}

/* ---- the same operator over other operands ---------------------------------------- */

/* A size as a number of this type: one that an expression has from a name is weak. */
static Node *size_as(Graph *g, const Size *s, const Type *type)
{
	int64_t n;
	if (!dtype_is_weak((Dtype)type->dtype)) return size_node(g, s);
	if (size_is(s, &n)) return constant_int(g, type, n);
	AttrValue v = av_size(s);
	return node_leaf(g, OP_SIZE, attr_make(g, 1, &v), type);
}

Node *node_with(Graph *g, const Node *x, Node *const *args, atom_map map, void *user)
{
	Op op = (Op)x->op;
	uint32_t own = own_operands(op, x->attr, x->narg);
	const Attr *attr = x->attr;
	if (map && attr) {
		AttrValue few[16], *v = attr->n <= 16 ? few : NEW_ARRAY(g->arena, AttrValue, attr->n);
		bool changed = false;
		for (uint32_t i = 0; i < attr->n; i++) {
			v[i] = attr->v[i];
			if (v[i].kind == A_SIZE) {
				v[i].u.size = size_substitute(g, v[i].u.size, map, user);
				if (!v[i].u.size) return NULL;
				changed |= v[i].u.size != attr->v[i].u.size;
			}
		}
		attr = changed ? attr_make(g, attr->n, v) : attr;
	}
	if (op == OP_SIZE) return size_as(g, attr->v[0].u.size, x->type);
	if (op_info[op].class == LEAF && op != OP_IOTA && op != OP_TOKEN)
		return node_leaf(g, op, attr, map ? type_substitute(g, x->type, map, user) : x->type);
	if (op == OP_GET) return get(g, args[0], (uint32_t)attr_int(x, 0));
	return known_test(g, node_make(g, op, attr, own, args));
}
