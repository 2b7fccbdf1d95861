/* build_index.c - elements by computed indices, and the leaves that count: iota and sizes as numbers. */
#include "build.h"

/* An integer index as i64; a literal negative scalar counts from the end of the axis. */
static Node *index_of(Graph *g, const char *what, Node *x, Node *i, int64_t axis)
{
	int64_t k, n;
	if (!dtype_is_integer(node_dtype(i)))
		return graph_fail(
			g, ERR_TYPE, "%s: an index of %s, wanted integers", what, type_shown(g, i->type));
	if (node_is_scalar(i) && constant_integer(i, &k)) {
		const Size *dim = node_dim(x, (uint32_t)axis);
		if (!g->bodies && size_is(dim, &n) && (k >= n || k < -n)) {
			bool first = !g->error.code;
			graph_fail(g, ERR_TYPE, "%s: index %lld of an axis of %lld", what, (long long)k,
				(long long)n);
			if (first) g->error.argument = ERR_AT_INDEX;
			return NULL;
		}
		if (k < 0) return size_node(g, size_add(g, dim, size_const(g, k)));
	}
	return cast(g, i, DT_I64);
}

Node *gather(Graph *g, Node *x, Node *index, int64_t axis)
{
	if (!x || !index || (axis = front_axis(g, "index", axis, node_rank(x))) < 0) return NULL;
	index = index_of(g, "index", x, index, axis);
	return index ? node_make(g, OP_GATHER, attr_ints(g, 1, &axis), 2, (Node *[]){x, index}) : NULL;
}

Op scatter_map(Op op)
{
	switch (op) {
	case OP_SCATTER_ADD: return OP_ADD;
	case OP_SCATTER_MAX: return OP_MAXIMUM;
	case OP_SCATTER_MIN: return OP_MINIMUM;
	case OP_SCATTER_MUL: return OP_MUL;
	case OP_SCATTER_AND: return OP_AND;
	case OP_SCATTER_OR: return OP_OR;
	default: return OP_NONE;
	}
}

bool scatter_takes(Op op, Dtype d)
{
	switch (op) {
	case OP_SCATTER_MAX:
	case OP_SCATTER_MIN: return dtype_is_integer(d) || dtype_is_float(d);
	case OP_SCATTER_MUL: return dtype_is_number(d);
	case OP_SCATTER_AND:
	case OP_SCATTER_OR: return d == DT_BOOL;
	default: return true;
	}
}

const char *scatter_wanted(Op op)
{
	if (op == OP_SCATTER_AND || op == OP_SCATTER_OR) return "bools";
	return op == OP_SCATTER_MUL ? "numbers" : "real numbers";
}

Node *scatter(Graph *g, Op op, Node *x, Node *index, Node *v, int64_t axis)
{
	if (!x || !index || !v || (axis = front_axis(g, op_info[op].text, axis, node_rank(x))) < 0)
		return NULL;
	index = index_of(g, op_info[op].text, x, index, axis);
	if (!index) return NULL;
	const Size *dim[2 * RANK_MAX];
	uint32_t r = 0;
	for (uint32_t i = 0; i < (uint32_t)axis; i++) dim[r++] = node_dim(x, i);
	for (uint32_t i = 0; i < node_rank(index); i++) dim[r++] = node_dim(index, i);
	for (uint32_t i = (uint32_t)axis + 1; i < node_rank(x); i++) dim[r++] = node_dim(x, i);
	Dtype d = dtype_promote(node_dtype(x), literal_dtype(v));
	if (d == DT_NONE || (!dtype_is_weak(node_dtype(x)) && d != node_dtype(x)))
		return graph_fail(g, ERR_TYPE, "%s: values of %s into %s", op_info[op].text,
			type_shown(g, v->type), type_shown(g, x->type));
	if (!scatter_takes(op, d))
		return graph_fail(g, ERR_TYPE, "%s: %s wanted, given %s", op_info[op].text, scatter_wanted(op),
			type_shown(g, x->type));
	if (r > RANK_MAX) return graph_fail(g, ERR_TYPE, "more than %d axes", RANK_MAX);
	v = spread_to(g, op_info[op].text, cast(g, v, d), r, dim);
	return v ? node_make(g, op, attr_ints(g, 1, &axis), 3, (Node *[]){cast(g, x, d), index, v}) : NULL;
}

Node *iota(Graph *g, const Size *n)
{
	AttrValue v = av_size(n);
	return n ? node_make(g, OP_IOTA, attr_make(g, 1, &v), 0, NULL) : NULL;
}

Node *size_node(Graph *g, const Size *s)
{
	int64_t n;
	if (!s) return NULL;
	if (size_is(s, &n)) return constant_int(g, type_scalar(g, DT_I64), n);
	const Atom *a = size_single(s);
	if (a && a->kind == ATOM_NODE) return a->node;
	AttrValue v = av_size(s);
	return node_make(g, OP_SIZE, attr_make(g, 1, &v), 0, NULL);
}
