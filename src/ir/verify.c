/* verify.c - is a region what its operators say?  And what must hold for the sizes that are not proved? */
#include "ir.h"

static bool is_in(const uint64_t *set, const Node *x)
{
	return set[x->id / 64] >> x->id % 64 & 1;
}

static void put_in(uint64_t *set, const Node *x)
{
	set[x->id / 64] |= (uint64_t)1 << x->id % 64;
}

static bool has_its_type(Graph *g, const Node *x)
{
	const OpInfo *info = &op_info[x->op];
	if (info->class == LEAF && x->op != OP_IOTA && x->op != OP_SIZE) return true;
	g->bodies++;
	const Type *t = type_of(g, (Op)x->op, x->attr, node_operands(x), x->arg);
	g->bodies--;
	if (t && t != x->type)
		graph_fail(g, ERR_INTERNAL, "%s: the node's type is not the one its operator gives", info->text);
	return t == x->type;
}

static bool is_open(const Node *x)
{
	return x->op == OP_INPUT || x->op == OP_FRESH ||
		(x->type->kind == TYPE_ARRAY && dtype_is_weak(node_dtype(x)));
}

static bool operands_come_first(const Node *x, const uint64_t *placed)
{
	for (uint32_t k = 0; k < x->narg; k++)
		if (x->arg[k]->id >= x->id || !is_in(placed, x->arg[k])) return false;
	return true;
}

static bool verify_nodes(Graph *g, const Region *r, bool closed, uint64_t *typed, uint64_t *placed)
{
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		region_look_ahead(r, i);
		const char *name = op_info[x->op].text;
		if (closed && is_open(x)) {
			graph_fail(g, ERR_INTERNAL, "%s: an open node in a closed function", name);
			return false;
		}
		if (!operands_come_first(x, placed)) {
			graph_fail(g, ERR_INTERNAL, "%s: an operand comes after its user", name);
			return false;
		}
		put_in(placed, x);
		if (is_in(typed, x)) continue;
		if (!has_its_type(g, x)) return false;
		put_in(typed, x);
	}
	return true;
}

bool verify(Graph *g, const Region *r, bool closed, Verified *known)
{
	Arena *a = arena_child(g->arena);
	uint32_t words = g->nnode / 64 + 1;
	Verified none = {.arena = a};
	if (!known) known = &none;
	if (known->words < words) {
		uint64_t *more = NEW_ARRAY(known->arena, uint64_t, words);
		if (known->words) memcpy(more, known->typed, known->words * sizeof *more);
		arena_release(known->arena, known->typed, known->words * sizeof *more);
		known->typed = more;
		known->words = words;
	}
	bool good = verify_nodes(g, r, closed, known->typed, NEW_ARRAY(a, uint64_t, words));
	arena_free(a);
	return good;
}


static void need_equal(const Size *a, const Size *b, Need need, void *user)
{
	if (a != b) need(user, a, b, true);
}

static void need_shape(const Type *a, const Type *b, Need need, void *user)
{
	bool arrays = a->kind == TYPE_ARRAY && b->kind == TYPE_ARRAY;
	for (uint32_t i = 0; arrays && a != b && i < a->n && i < b->n; i++)
		need_equal(DIM(a, i), DIM(b, i), need, user);
}

bool slice_is_whole(Graph *g, const Size *start, const Size *axis)
{
	return start == size_sub(g, axis, size_const(g, 1));
}

/* Whatever is taken, a slice begins within its axis: forwards perhaps at its end, backwards at an element,
 * but for one of a whole axis, which may be empty. */
static void need_slice(Graph *g, const Node *x, Need need, void *user)
{
	uint32_t n = node_rank(x);
	const Size *zero = size_const(g, 0), *one = size_const(g, 1);
	for (uint32_t i = 0; i < n; i++) {
		const Size *start = x->attr->v[i].u.size, *length = x->attr->v[n + i].u.size;
		const Size *axis = node_dim(x->arg[0], i);
		int64_t step = x->attr->v[2 * n + i].u.i;
		const Size *last =
			size_add(g, start, size_mul(g, size_const(g, step), size_sub(g, length, one)));
		if (step > 0 || !slice_is_whole(g, start, axis)) need(user, zero, start, false);
		if (step != 1) need(user, step > 0 ? start : size_add(g, start, one), axis, false);
		need(user, zero, length, false);
		if (step > 0) need(user, size_add(g, last, one), axis, false);
		if (step < 0) need(user, zero, last, false);
	}
}

/* Sizes that begin here are not negative. */
static void need_sizes(Graph *g, const Node *x, Need need, void *user)
{
	for (uint32_t i = 0; x->type->kind == TYPE_ARRAY && i < x->type->n; i++)
		need(user, size_const(g, 0), node_dim(x, i), false);
}

static bool is_difference(const Size *s)
{
	for (uint32_t i = 0; i < s->nterm; i++)
		if (s->term[i].coef < 0) return true;
	return false;
}

/* Zeros that are the rest of an axis, as in the derivative of a slice: what stands before them is told. */
static void need_pad(Graph *g, const Node *x, Need need, void *user)
{
	uint32_t n = node_rank(x);
	const Size *zero = size_const(g, 0);
	for (uint32_t i = 0; i < n; i++) {
		const Size *after = x->attr->v[n + i].u.size, *axis = node_dim(x, i);
		need(user, zero, x->attr->v[i].u.size, false);
		if (is_difference(after))
			need(user, size_sub(g, axis, after), axis, false);
		else
			need(user, zero, after, false);
	}
}

/* The values of a scatter have the shape that a gather gives. */
static void need_scattered(const Node *x, Need need, void *user)
{
	const Node *i = x->arg[1], *v = x->arg[2];
	uint32_t axis = (uint32_t)attr_int(x, 0), at = 0;
	for (uint32_t k = 0; k < node_rank(x); k++)
		if (k != axis)
			need_equal(node_dim(x, k), node_dim(v, at++), need, user);
		else
			for (uint32_t j = 0; j < node_rank(i); j++)
				need_equal(node_dim(i, j), node_dim(v, at++), need, user);
}

/* tri_solve: a square matrix, as many rows, equal batches; qr: no more columns than rows. */
static void need_solvable(const Node *x, Need need, void *user)
{
	const Node *a = x->arg[0];
	uint32_t n = node_rank(a);
	if (x->op == OP_QR) {
		need(user, node_dim(a, n - 1), node_dim(a, n - 2), false);
		return;
	}
	need_equal(node_dim(a, n - 2), node_dim(a, n - 1), need, user);
	for (uint32_t i = 0; i + 1 < n; i++) need_equal(node_dim(a, i), node_dim(x->arg[1], i), need, user);
}

/* Sizes that are given to a function, but for those of data, are never negative in it. */
static void need_given(Graph *g, const Node *x, const Body *b, Need need, void *user)
{
	for (uint32_t i = 0; i < b->f->nsize; i++)
		if (!b->f->size_of_data[i])
			need(user, size_const(g, 0), x->attr->v[b->sizes + i].u.size, false);
}

/* A loop carries on what it began with; a branch gives what either side does. */
void entry_requirements(Graph *g, const Node *x, const Body *b, Need need, void *user)
{
	CallSite c = call_site(g, b, x->attr, x->arg);
	uint32_t n = x->op == OP_SCAN ? scan_carries(x) : b->f->nresult;
	need_given(g, x, b, need, user);
	for (uint32_t i = 0; i < n; i++) {
		const Type *given = callers_type(&c, b->f->result[i]->type);
		const Type *want = x->op == OP_SCAN ? x->arg[1 + i]->type : x->type->u.elem[i];
		if (given) need_shape(want, given, need, user);
	}
}

/* The operands of a function are what its parameters say. */
static void need_operands(Graph *g, const Node *x, const Body *b, Need need, void *user)
{
	CallSite c = call_site(g, b, x->attr, x->arg);
	if (x->op == OP_CALL) need_given(g, x, b, need, user);
	for (uint32_t i = 0; i < b->f->nparam; i++) {
		const Type *want = callers_type(&c, b->f->param[i]);
		if (want) need_shape(want, x->arg[b->first + i]->type, need, user);
	}
}

/* What a loop begins with, walks along and captures is what its body's parameters say. */
static void need_loop(Graph *g, const Node *x, Need need, void *user)
{
	Body b[BODIES_MAX];
	node_bodies(x, b);
	need(user, size_const(g, 0), size_of_node(g, x->arg[0]), false);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x);
	CallSite c = call_site(g, b, x->attr, x->arg);
	for (uint32_t i = 1; i < node_operands(x); i++) {
		const Type *want = callers_type(&c, b->f->param[i]), *given = x->arg[i]->type;
		bool sequence = i > carries && i <= carries + sequences;
		for (uint32_t k = 0; want && want->kind == TYPE_ARRAY && k < want->n; k++)
			need_equal(DIM(want, k), DIM(given, k + sequence), need, user);
	}
	for (uint32_t k = 0; k < sequences; k++)
		need_equal(size_of_node(g, x->arg[0]), node_dim(x->arg[1 + carries + k], 0), need, user);
}

static void need_bodies(Graph *g, const Node *x, Need need, void *user)
{
	Body b[BODIES_MAX];
	uint32_t n = node_bodies(x, b);
	if (x->op == OP_SCAN) {
		need_loop(g, x, need, user);
		return;
	}
	for (uint32_t i = 0; i < n; i++) need_operands(g, x, &b[i], need, user);
}

/* Off the axis of a concatenation the parts are alike. */
static void need_joined(const Node *x, Need need, void *user)
{
	for (uint32_t k = 1; k < x->narg; k++)
		for (uint32_t i = 0; i < node_rank(x); i++)
			if (i != (uint32_t)attr_int(x, 0))
				need_equal(node_dim(x->arg[0], i), node_dim(x->arg[k], i), need, user);
}

/* Axes of one label have one size. */
static void need_contracted(const Node *x, Need need, void *user)
{
	const Size *of[LABELS_MAX] = {0};
	uint32_t at = 0;
	for (uint32_t k = 0; k < 2; k++, at++)
		for (uint32_t i = 0; i < node_rank(x->arg[k]); i++, at++) {
			int64_t l = attr_int(x, at);
			if (of[l]) need_equal(of[l], node_dim(x->arg[k], i), need, user);
			of[l] = node_dim(x->arg[k], i);
		}
}

void node_requirements(Graph *g, const Node *x, Need need, void *user)
{
	switch (op_info[x->op].class) {
	case LEAF:
		if (x->op == OP_CONST || x->op == OP_IOTA) need_sizes(g, x, need, user);
		break;
	case RANDOM:
		if (op_info[x->op].args == 2) need_shape(x->arg[0]->type, x->arg[1]->type, need, user);
		need_sizes(g, x, need, user);
		break;
	case INDEX:
		if (is_scatter(x)) need_scattered(x, need, user);
		if (x->op == OP_TOP_K)
			need(user, x->attr->v[0].u.size, node_dim(x->arg[0], node_rank(x->arg[0]) - 1),
				false);
		if (x->op == OP_ONE_HOT) need_sizes(g, x, need, user);
		break;
	case SOLVE: need_solvable(x, need, user); break;
	case FOLD:
		for (uint32_t k = 0; (x->op == OP_ARGMAX || x->op == OP_ARGMIN) && x->attr && k < x->attr->n;
			k++)
			need(user, size_const(g, 1), node_dim(x->arg[0], (uint32_t)attr_int(x, k)), false);
		break;
	case MAP:
		for (uint32_t k = 1; k < (uint32_t)op_info[x->op].args; k++)
			need_shape(x->arg[0]->type, x->arg[k]->type, need, user);
		break;
	case VIEW:
		if (is_sized(x))
			need_shape(x->arg[0]->type, x->type, need, user);
		else if (x->op == OP_RESHAPE)
			need_equal(type_elements(g, x->type), type_elements(g, x->arg[0]->type), need, user);
		if (x->op == OP_SLICE) need_slice(g, x, need, user);
		if (x->op == OP_PAD) need_pad(g, x, need, user);
		if (x->op == OP_EXPAND) need_sizes(g, x, need, user);
		if (x->op == OP_CONCAT) need_joined(x, need, user);
		break;
	case CONTRACT: need_contracted(x, need, user); break;
	case CONTROL: need_bodies(g, x, need, user); break;
	default: break;
	}
}

void element_requirements(Graph *g, const Node *x, Need need, void *user)
{
	if (x->op != OP_GATHER || (x->arg[1]->op != OP_CONST && x->arg[1]->op != OP_SIZE) ||
		node_rank(x->arg[1])) return;
	const Size *i = size_of_node(g, x->arg[1]), *n = node_dim(x->arg[0], (uint32_t)attr_int(x, 0));
	need(user, size_const(g, 0), i, false);
	if (!size_equals(i, INT64_MAX)) need(user, size_add(g, i, size_const(g, 1)), n, false);
}
