/* build.c - the constructors people use: promotion, broadcasting made explicit, axes from the end. */
#include "ir.h"

static Node *make1(Graph *g, Op op, uint32_t nattr, const AttrValue *v, Node *x)
{
	return x ? node_make(g, op, attr_make(g, nattr, v), 1, &x) : NULL;
}

static const char *shown(Graph *g, const Type *t)
{
	Text s;
	text_open(&s, g->arena);
	type_print(&s, t);
	return text_done(&s);
}

/* An axis counted from the front; -1 with an error when there is none such. */
static int64_t front_axis(Graph *g, const char *what, int64_t axis, uint32_t rank)
{
	int64_t a = axis < 0 ? axis + rank : axis;
	if (a >= 0 && a < rank) return a;
	graph_fail(g, ERR_TYPE, "%s: axis %lld of %u axes", what, (long long)axis, rank);
	return -1;
}

/* Axes from the front, ascending, each once; false with an error. */
static bool front_axes(
	Graph *g, const char *what, uint32_t n, const int64_t *axes, uint32_t rank, AttrValue *out)
{
	bool on[RANK_MAX] = {false};
	for (uint32_t i = 0; i < n; i++) {
		int64_t a = front_axis(g, what, axes[i], rank);
		if (a < 0) return false;
		if (on[a]) {
			graph_fail(g, ERR_TYPE, "%s: axis %lld is given twice", what, (long long)axes[i]);
			return false;
		}
		on[a] = true;
	}
	for (uint32_t a = 0, k = 0; a < rank; a++)
		if (on[a]) out[k++] = av_int(a);
	return true;
}

/* ---- dtypes ------------------------------------------------------------------------ */

Node *cast(Graph *g, Node *x, Dtype d)
{
	if (!x || x->type->kind != TYPE_ARRAY || node_dtype(x) == d) return x;
	int64_t i;
	double v;
	const Type *t = type_with_dtype(g, x->type, d);
	bool real = d != DT_KEY && !dtype_is_complex(d);
	if (real && !dtype_is_float(node_dtype(x)) && node_dtype(x) != DT_U64 && constant_integer(x, &i))
		return d == DT_BOOL || !dtype_is_integer(d) || (int64_t)dtype_bytes(d) == 8
			? constant_int(g, t, i)
			: constant_float(g, t, (double)i); /* narrow integers saturate */
	if (real && dtype_is_float(node_dtype(x)) && constant_value(x, &v)) return constant_float(g, t, v);
	if (dtype_is_complex(d) && x->op == OP_CONST && constant_value(x, &v))
		return d == DT_C64 ? constant(g, t, (float[2]){(float)v, 0})
				   : constant(g, t, (double[2]){v, 0});
	AttrValue a = av_dtype(d);
	return make1(g, OP_CAST, 1, &a, x);
}

/* The dtype that all operands meet in. */
static Dtype meet(Graph *g, Op op, uint32_t n, Node *const *x)
{
	Dtype d = node_dtype(x[0]);
	for (uint32_t i = 1; i < n; i++) {
		Dtype e = dtype_promote(d, node_dtype(x[i]));
		if (e == DT_NONE) {
			graph_fail(g, ERR_TYPE, "%s: %s and %s do not mix; convert one, as in %s(x)",
				op_info[op].text, shown(g, x[0]->type), shown(g, x[i]->type),
				dtype_name(dtype_strong(d)));
			return DT_NONE;
		}
		d = e;
	}
	return d;
}

/* ---- shapes ------------------------------------------------------------------------ */

Node *reshape(Graph *g, Node *x, uint32_t rank, const Size *const *dim)
{
	if (!x || rank > RANK_MAX)
		return x
			? graph_fail(g, ERR_TYPE, "reshape: %u axes, at most %d are possible", rank, RANK_MAX)
			: NULL;
	AttrValue v[RANK_MAX];
	bool same = rank == node_rank(x);
	for (uint32_t i = 0; i < rank; i++) {
		if (!dim[i]) return NULL;
		v[i] = av_size(dim[i]);
		same = same && dim[i] == node_dim(x, i);
	}
	if (same) return x;
	if (x->op == OP_CONST && constant_is_uniform(x))
		return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), rank, dim));
	Node *old = x->op == OP_RESHAPE && !is_sized(x) ? x->arg[0] : NULL;
	if (old && old->type == type_array(g, node_dtype(x), rank, dim)) return old;
	return make1(g, OP_RESHAPE, rank, v, x);
}

Node *sized(Graph *g, Node *x, uint32_t rank, const Size *const *dim)
{
	const Type *t = x ? type_array(g, node_dtype(x), rank, dim) : NULL;
	if (!t || x->type == t) return t ? x : NULL;
	AttrValue v[RANK_MAX + 1];
	for (uint32_t i = 0; i < rank; i++) v[i] = av_size(dim[i]);
	v[rank] = av_int(1);
	return make1(g, OP_RESHAPE, rank + 1, v, x);
}

Node *squeeze(Graph *g, Node *x, uint32_t n, const int64_t *axes)
{
	AttrValue v[RANK_MAX];
	const Size *dim[RANK_MAX];
	uint32_t r = 0, k = 0;
	if (!x || !front_axes(g, "squeeze", n, axes, node_rank(x), v)) return NULL;
	for (uint32_t i = 0; i < node_rank(x); i++) {
		if (k < n && v[k].u.i == i) {
			k++;
			if (size_differ(g, node_dim(x, i), size_const(g, 1)))
				return graph_fail(g, ERR_TYPE, "squeeze: axis %u of %s is not of size 1", i,
					shown(g, x->type));
		} else {
			dim[r++] = node_dim(x, i);
		}
	}
	return reshape(g, x, r, dim);
}

Node *unsqueeze(Graph *g, Node *x, uint32_t n, const int64_t *axes)
{
	AttrValue v[RANK_MAX];
	const Size *dim[RANK_MAX];
	if (!x || node_rank(x) + n > RANK_MAX)
		return x ? graph_fail(g, ERR_TYPE, "more than %d axes", RANK_MAX) : NULL;
	if (!front_axes(g, "new axis", n, axes, node_rank(x) + n, v)) return NULL;
	for (uint32_t i = 0, k = 0, from = 0; i < node_rank(x) + n; i++)
		dim[i] = k < n && v[k].u.i == i ? (k++, size_const(g, 1)) : node_dim(x, from++);
	return reshape(g, x, node_rank(x) + n, dim);
}

Node *expand(Graph *g, Node *x, uint32_t n, const int64_t *axes, const Size *const *sizes)
{
	if (!x || !n) return x;
	if (node_rank(x) + n > RANK_MAX) return graph_fail(g, ERR_TYPE, "more than %d axes", RANK_MAX);
	const Size *by_axis[RANK_MAX] = {0}, *dim[RANK_MAX];
	AttrValue v[2 * RANK_MAX];
	uint32_t rank = node_rank(x) + n, k = 0;
	for (uint32_t i = 0; i < n; i++) {
		int64_t a = front_axis(g, "expand", axes[i], rank);
		if (a < 0 || !sizes[i]) return NULL;
		by_axis[a] = sizes[i];
	}
	for (uint32_t i = 0, from = 0; i < rank; i++) {
		dim[i] = by_axis[i] ? by_axis[i] : from < node_rank(x) ? node_dim(x, from++) : NULL;
		if (!dim[i]) return graph_fail(g, ERR_TYPE, "expand: an axis is given twice");
		if (by_axis[i]) v[k++] = av_int(i), v[k++] = av_size(by_axis[i]);
	}
	if (x->op == OP_CONST && constant_is_uniform(x))
		return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), rank, dim));
	return make1(g, OP_EXPAND, k, v, x);
}

static Node *no_spread(Graph *g, const Node *x, uint32_t rank, const Size *const *dim)
{
	const Type *want = type_array(g, node_dtype(x), rank, dim);
	return want ? graph_fail(g, ERR_TYPE, "%s does not spread to %s", shown(g, x->type), shown(g, want)) : NULL;
}

Node *broadcast_to(Graph *g, Node *x, uint32_t rank, const Size *const *dim)
{
	if (!x) return NULL;
	uint32_t r = node_rank(x), lead = rank - r;
	if (rank > RANK_MAX) return graph_fail(g, ERR_TYPE, "more than %d axes", RANK_MAX);
	if (r > rank)
		return graph_fail(g, ERR_TYPE, "%s does not spread to %u axes", shown(g, x->type), rank);
	if (x->op == OP_CONST && constant_is_uniform(x)) {
		for (uint32_t i = 0; i < r; i++)
			if (!size_equals(node_dim(x, i), 1) && size_differ(g, node_dim(x, i), dim[lead + i]))
				return no_spread(g, x, rank, dim);
		return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), rank, dim));
	}
	int64_t gone[RANK_MAX], axes[RANK_MAX];
	const Size *sizes[RANK_MAX];
	uint32_t ngone = 0, n = 0;
	for (uint32_t i = 0; i < lead; i++) axes[n] = i, sizes[n++] = dim[i];
	for (uint32_t i = 0; i < r; i++)
		if (size_equals(node_dim(x, i), 1) && !size_equals(dim[lead + i], 1)) {
			gone[ngone++] = i;
			axes[n] = lead + i, sizes[n++] = dim[lead + i];
		} else if (size_differ(g, node_dim(x, i), dim[lead + i])) {
			return no_spread(g, x, rank, dim);
		}
	return expand(g, ngone ? squeeze(g, x, ngone, gone) : x, n, axes, sizes);
}

/* The shape that operands broadcast to; false with an error naming both. */
static bool joint_shape(Graph *g, Op op, uint32_t n, Node *const *x, uint32_t *rank, const Size **dim)
{
	*rank = 0;
	for (uint32_t k = 0; k < n; k++) *rank = node_rank(x[k]) > *rank ? node_rank(x[k]) : *rank;
	for (uint32_t i = 0; i < *rank; i++) dim[i] = NULL;
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0, lead = *rank - node_rank(x[k]); i < node_rank(x[k]); i++) {
			const Size *s = node_dim(x[k], i), **d = &dim[lead + i];
			if (!*d || size_equals(*d, 1)) {
				*d = s;
			} else if (!size_equals(s, 1) && size_differ(g, s, *d)) {
				graph_fail(g, ERR_TYPE, "%s: shapes do not fit: %s and %s", op_info[op].text,
					shown(g, x[0]->type), shown(g, x[k]->type));
				return false;
			}
		}
	return true;
}

/* Keys and integers, or keys and shapes of draws, elementwise.  Each draw has a key of its own: of one key, k[i]. */
static Node *build_keyed(Graph *g, Op op, Node *const *args)
{
	Dtype d = dtype_strong(node_dtype(args[1]));
	if (op == OP_KEY_AT || dtype_is_integer(d)) d = op == OP_KEY_AT ? DT_I64 : DT_F64;
	Node *x[2] = {args[0], cast(g, args[1], d)};
	const Size *dim[RANK_MAX];
	uint32_t rank = x[1] ? node_rank(x[1]) : 0;
	if (op == OP_GAMMA_DRAW && rank && !node_rank(x[0])) {
		for (uint32_t i = 0; i < rank; i++) dim[i] = node_dim(x[1], i);
		Node *i = iota(g, type_elements(g, x[1]->type));
		x[0] = i ? build2(g, OP_KEY_AT, x[0], reshape(g, i, rank, dim)) : NULL;
	}
	if (!x[0] || !x[1] || !joint_shape(g, op, 2, x, &rank, dim)) return NULL;
	for (int i = 0; i < 2; i++) x[i] = broadcast_to(g, x[i], rank, dim);
	return node_make(g, op, NULL, 2, x);
}

/* ---- any operator -------------------------------------------------------------------- */

static Node *contract_as(Graph *, const Attr *, Node *const *);

static Node *build_map(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *args)
{
	Node *x[4];
	uint32_t rank, first = op_info[op].dtype == SELECT ? 1 : 0;
	const Size *dim[RANK_MAX];
	if (n > countof(x) || (int)n != op_info[op].args)
		return graph_fail(g, ERR_TYPE, "%s: %u operands where %d are wanted", op_info[op].text, n,
			op_info[op].args);
	for (uint32_t i = 0; i < n; i++)
		if (args[i]->type->kind != TYPE_ARRAY)
			return graph_fail(g, ERR_TYPE, "%s: operand %u is no array", op_info[op].text, i + 1);
	memcpy(x, args, n * sizeof *x);
	Dtype d = n > first ? meet(g, op, n - first, x + first) : DT_NONE;
	if (n > first && d == DT_NONE) return NULL;
	DtypeRule rule = op_info[op].dtype;
	if ((rule == FLOAT || rule == RFLOAT || rule == FTEST || op == OP_COMPLEX) &&
		(dtype_is_integer(d) || d == DT_BOOL))
		d = d == DT_WEAK_INT ? DT_WEAK_FLOAT : DT_F64; /* int/int is f64 */
	if (op == OP_COMPLEX && dtype_is_weak(d)) d = DT_F64;
	if (first && node_dtype(x[0]) != DT_BOOL)
		return graph_fail(
			g, ERR_TYPE, "where: the condition is %s, wanted a bool", shown(g, x[0]->type));
	if (n > 1)
		for (uint32_t i = first; i < n; i++) x[i] = cast(g, x[i], d);
	else if (rule != OWN)
		x[0] = cast(g, x[0], d);
	if (n > 1) {
		if (!joint_shape(g, op, n, x, &rank, dim)) return NULL;
		for (uint32_t i = 0; i < n; i++) x[i] = broadcast_to(g, x[i], rank, dim);
	}
	return node_make(g, op, attr, n, x);
}

Node *build(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *args)
{
	for (uint32_t i = 0; i < n; i++)
		if (!args[i]) return NULL;
	int64_t axes[RANK_MAX], axis = attr && attr->n && attr->v[0].kind == A_INT ? attr->v[0].u.i : 0;
	switch (op_info[op].class) {
	case MAP:
		return op == OP_CAST ? cast(g, args[0], attr->v[0].u.dtype) : build_map(g, op, attr, n, args);
	case FOLD:
		if ((attr ? attr->n : 0) > RANK_MAX)
			return graph_fail(g, ERR_TYPE, "%s: more axes than there are", op_info[op].text);
		for (uint32_t i = 0; i < (attr ? attr->n : 0); i++) axes[i] = attr->v[i].u.i;
		return fold(g, op, args[0], attr ? attr->n : 0, axes);
	case CUMULATIVE:
		axis = front_axis(g, op_info[op].text, axis, node_rank(args[0]));
		return axis < 0 ? NULL : node_make(g, op, attr_ints(g, 1, &axis), n, args);
	case INDEX:
		if (op == OP_GATHER) return gather(g, args[0], args[1], axis);
		if (op == OP_SCATTER_ADD || op == OP_SCATTER_SET)
			return scatter(g, op, args[0], args[1], args[2], axis);
		return node_make(g, op, attr, n, args);
	case CONTRACT: return contract_as(g, attr, args);
	default:
		if (op == OP_CONCAT) return concat(g, axis, n, args);
		if (op == OP_KEY_AT || op == OP_GAMMA_DRAW) return build_keyed(g, op, args);
		return node_make(g, op, attr, n, args);
	}
}

Node *build1(Graph *g, Op op, Node *x)
{
	return x ? build(g, op, NULL, 1, &x) : NULL;
}
Node *build2(Graph *g, Op op, Node *x, Node *y)
{
	return build(g, op, NULL, 2, (Node *[]){x, y});
}
Node *build3(Graph *g, Op op, Node *x, Node *y, Node *z)
{
	return build(g, op, NULL, 3, (Node *[]){x, y, z});
}

Node *like(Graph *g, Node *pattern, double value)
{
	return pattern ? constant_float(g, pattern->type, value) : NULL;
}

/* ---- folds ---------------------------------------------------------------------------- */

Node *fold(Graph *g, Op op, Node *x, uint32_t n, const int64_t *axes)
{
	AttrValue v[RANK_MAX];
	if (!x || x->type->kind != TYPE_ARRAY)
		return x ? graph_fail(g, ERR_TYPE, "%s: the operand is no array", op_info[op].text) : NULL;
	if (n > RANK_MAX || !front_axes(g, op_info[op].text, n, axes, node_rank(x), v)) return NULL;
	if (op == OP_LOGSUMEXP && (dtype_is_integer(node_dtype(x)) || node_dtype(x) == DT_BOOL))
		x = cast(g, x, node_dtype(x) == DT_WEAK_INT ? DT_WEAK_FLOAT : DT_F64);
	return make1(g, op, n, v, x);
}

Node *fold_all(Graph *g, Op op, Node *x)
{
	int64_t axes[RANK_MAX];
	if (!x) return NULL;
	uint32_t rank = x->type->kind == TYPE_ARRAY ? node_rank(x) : 0;
	for (uint32_t i = 0; i < rank; i++) axes[i] = i;
	return fold(g, op, x, rank, axes);
}

/* ---- views ----------------------------------------------------------------------------- */

Node *transpose(Graph *g, Node *x, const int64_t *perm)
{
	if (!x) return NULL;
	AttrValue v[RANK_MAX];
	bool same = true;
	for (uint32_t i = 0; i < node_rank(x); i++) {
		v[i] = av_int(perm[i]);
		same = same && perm[i] == i;
	}
	if (!same && x->op == OP_CONST && constant_is_uniform(x)) {
		const Size *dim[RANK_MAX];
		for (uint32_t i = 0; i < node_rank(x); i++)
			dim[i] = perm[i] >= 0 && perm[i] < node_rank(x) ? node_dim(x, (uint32_t)perm[i])
									: NULL;
		for (uint32_t i = 0; i < node_rank(x); i++)
			if (!dim[i]) return make1(g, OP_TRANSPOSE, node_rank(x), v, x);
		return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), node_rank(x), dim));
	}
	return same ? x : make1(g, OP_TRANSPOSE, node_rank(x), v, x);
}

Node *turn(Graph *g, Node *x)
{
	if (!x) return NULL;
	uint32_t n = node_rank(x);
	if (n < 2) return graph_fail(g, ERR_TYPE, ".T: %s has fewer than two axes", shown(g, x->type));
	int64_t p[RANK_MAX];
	for (uint32_t i = 0; i < n; i++) p[i] = i;
	p[n - 2] = n - 1, p[n - 1] = n - 2;
	return transpose(g, x, p);
}

Node *slice(Graph *g, Node *x, const Size *const *start, const Size *const *length, const int64_t *step)
{
	if (!x) return NULL;
	AttrValue v[3 * RANK_MAX];
	uint32_t n = node_rank(x);
	bool same = true;
	for (uint32_t i = 0; i < n; i++) {
		if (!start[i] || !length[i]) return NULL;
		v[i] = av_size(start[i]), v[n + i] = av_size(length[i]), v[2 * n + i] = av_int(step[i]);
		same = same && size_equals(start[i], 0) && length[i] == node_dim(x, i) && step[i] == 1;
	}
	return same ? x : make1(g, OP_SLICE, 3 * n, v, x);
}

Node *pad(Graph *g, Node *x, const Size *const *before, const Size *const *after, const int64_t *step)
{
	if (!x) return NULL;
	AttrValue v[3 * RANK_MAX];
	uint32_t n = node_rank(x);
	bool same = true;
	for (uint32_t i = 0; i < n; i++) {
		if (!before[i] || !after[i]) return NULL;
		v[i] = av_size(before[i]), v[n + i] = av_size(after[i]), v[2 * n + i] = av_int(step[i]);
		same = same && size_equals(before[i], 0) && size_equals(after[i], 0) && step[i] == 1;
	}
	return same ? x : make1(g, OP_PAD, 3 * n, v, x);
}

Node *flip(Graph *g, Node *x, uint32_t n, const int64_t *axes)
{
	AttrValue v[RANK_MAX];
	if (!x || !front_axes(g, "flip", n, axes, node_rank(x), v)) return NULL;
	return n ? make1(g, OP_FLIP, n, v, x) : x;
}

Node *concat(Graph *g, int64_t axis, uint32_t n, Node *const *args)
{
	for (uint32_t i = 0; i < n; i++)
		if (!args[i]) return NULL;
	if (!n || args[0]->type->kind != TYPE_ARRAY)
		return graph_fail(g, ERR_TYPE, "concat: of nothing, or of no arrays");
	axis = front_axis(g, "concat", axis, node_rank(args[0]));
	Dtype d = axis < 0 ? DT_NONE : meet(g, OP_CONCAT, n, args);
	if (d == DT_NONE) return NULL;
	Node **x = NEW_ARRAY(g->arena, Node *, n);
	for (uint32_t i = 0; i < n; i++)
		if (!(x[i] = cast(g, args[i], d))) return NULL;
	return n == 1 ? x[0] : node_make(g, OP_CONCAT, attr_ints(g, 1, &axis), n, x);
}

/* ---- indices ------------------------------------------------------------------------------ */

/* An integer index as i64; a literal negative scalar counts from the end of the axis. */
static Node *index_of(Graph *g, const char *what, Node *x, Node *i, int64_t axis)
{
	int64_t k, n;
	if (!dtype_is_integer(node_dtype(i)))
		return graph_fail(
			g, ERR_TYPE, "%s: an index of %s, wanted integers", what, shown(g, i->type));
	if (node_is_scalar(i) && constant_integer(i, &k)) {
		const Size *dim = node_dim(x, (uint32_t)axis);
		if (size_is(dim, &n) && (k >= n || k < -n))
			return graph_fail(g, ERR_TYPE, "%s: index %lld of an axis of %lld", what,
				(long long)k, (long long)n);
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
	Dtype d = dtype_promote(node_dtype(x), node_dtype(v));
	if (d == DT_NONE || (!dtype_is_weak(node_dtype(x)) && d != node_dtype(x)))
		return graph_fail(g, ERR_TYPE, "%s: values of %s into %s", op_info[op].text,
			shown(g, v->type), shown(g, x->type));
	if (r > RANK_MAX) return graph_fail(g, ERR_TYPE, "more than %d axes", RANK_MAX);
	v = sized(g, broadcast_to(g, cast(g, v, d), r, dim), r, dim);
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
	if (s->nterm == 1 && s->term[0].coef == 1 && s->term[0].natom == 1 &&
		s->term[0].atom[0]->kind == ATOM_NODE)
		return s->term[0].atom[0]->node;
	AttrValue v = av_size(s);
	return node_make(g, OP_SIZE, attr_make(g, 1, &v), 0, NULL);
}

/* ---- contraction ---------------------------------------------------------------------------- */

/* Labels of an operand without its literal axes of size 1 that the result lacks (and that are 1 in the other, too). */
static Node *squeeze_labels(Graph *g, Node *x, const int64_t *l, const Node *other, const int64_t *lo,
	uint32_t n, const int64_t *result, int64_t *kept)
{
	int64_t gone[RANK_MAX];
	uint32_t ngone = 0, k = 0;
	for (uint32_t i = 0; i < node_rank(x); i++) {
		bool stays = false;
		for (uint32_t j = 0; j < n; j++) stays |= result[j] == l[i];
		for (uint32_t j = 0; j < node_rank(other); j++)
			stays |= lo[j] == l[i] && !size_equals(node_dim(other, j), 1);
		if (!stays && size_equals(node_dim(x, i), 1))
			gone[ngone++] = i;
		else
			kept[k++] = l[i];
	}
	return ngone ? squeeze(g, x, ngone, gone) : x;
}

static bool has_label(uint32_t n, const int64_t *l, int64_t label)
{
	for (uint32_t i = 0; i < n; i++)
		if (l[i] == label) return true;
	return false;
}

/* x where two of its axes agree: one axis, the last.  With a row more of zeros the diagonal is a column. */
static Node *diagonal(Graph *g, Node *x, uint32_t i, uint32_t j)
{
	int64_t perm[RANK_MAX], ones[RANK_MAX];
	const Size *dim[RANK_MAX + 1], *none[RANK_MAX], *after[RANK_MAX], *n = node_dim(x, i);
	uint32_t k = 0;
	for (uint32_t a = 0; a < node_rank(x); a++)
		if (a != i && a != j) dim[k] = node_dim(x, a), perm[k++] = a;
	perm[k] = i, perm[k + 1] = j, dim[k] = dim[k + 1] = n;
	if (!(x = sized(g, transpose(g, x, perm), k + 2, dim))) return NULL;
	for (uint32_t a = 0; a < k + 2; a++) ones[a] = 1, none[a] = after[a] = size_const(g, 0);
	dim[k] = size_mul(g, n, n), after[k] = n;
	if (!(x = reshape(g, x, k + 1, dim)) || !(x = pad(g, x, none, after, ones))) return NULL;
	dim[k] = n, dim[k + 1] = size_add(g, n, size_const(g, 1));
	if (!(x = reshape(g, x, k + 2, dim))) return NULL;
	dim[k + 1] = size_const(g, 1);
	x = slice(g, x, none, dim, ones);
	return x ? squeeze(g, x, 1, (int64_t[]){k + 1}) : NULL;
}

/* An operand with each label once, and without those that nothing else has: these are summed here. */
static Node *own_labels(Graph *g, Node *x, int64_t *l, uint32_t nother, const int64_t *other, uint32_t n,
	const int64_t *result)
{
	int64_t gone[RANK_MAX];
	uint32_t ngone = 0, k = 0;
	Dtype d = x ? node_dtype(x) : DT_NONE;
	for (uint32_t j = 1; x && j < node_rank(x); j++)
		for (uint32_t i = 0; i < j; i++)
			if (l[i] == l[j]) {
				int64_t label = l[i];
				uint32_t rank = node_rank(x), m = 0;
				if (!(x = diagonal(g, x, i, j))) return NULL;
				for (uint32_t a = 0; a < rank; a++)
					if (a != i && a != j) l[m++] = l[a];
				l[m] = label;
				j = 0; /* its axes have moved: from the beginning */
				break;
			}
	for (uint32_t i = 0; x && i < node_rank(x); i++)
		if (has_label(nother, other, l[i]) || has_label(n, result, l[i]))
			l[k++] = l[i];
		else
			gone[ngone++] = i;
	return ngone ? cast(g, fold(g, OP_SUM, x, ngone, gone), d) : x;
}

/* One form for equal contractions: labels are renumbered in the order of their first appearance; each stands
 * once in an operand, and in the other one or in the result. */
Node *contract(
	Graph *g, Node *x, const int64_t *lx, Node *y, const int64_t *ly, uint32_t n, const int64_t *result)
{
	if (!x || !y) return NULL;
	Dtype d = meet(g, OP_CONTRACT, 2, (Node *[]){x, y});
	if (d == DT_NONE) return NULL;
	int64_t kx[RANK_MAX], ky[RANK_MAX], number[64], next = 0;
	Node *x0 = x;
	for (uint32_t i = 0; i < n; i++)
		if (has_label(i, result, result[i]))
			return graph_fail(g, ERR_TYPE, "einsum: a name stands twice in the result");
	x = squeeze_labels(g, cast(g, x, d), lx, y, ly, n, result, kx);
	y = squeeze_labels(g, cast(g, y, d), ly, x0, lx, n, result, ky);
	if (y) x = own_labels(g, x, kx, node_rank(y), ky, n, result);
	if (x) y = own_labels(g, y, ky, node_rank(x), kx, n, result);
	if (!x || !y) return NULL;
	AttrValue v[3 * RANK_MAX + 2];
	uint32_t k = 0;
	memset(number, -1, sizeof number);
#define LABEL(l)                                                                                             \
	do {                                                                                                 \
		int64_t l_ = (l);                                                                            \
		if (l_ < 0 || l_ >= 64) return graph_fail(g, ERR_TYPE, "einsum: a label out of range");      \
		if (number[l_] < 0) number[l_] = next++;                                                     \
		v[k++] = av_int(number[l_]);                                                                 \
	} while (0)
	for (uint32_t i = 0; i < node_rank(x); i++) LABEL(kx[i]);
	v[k++] = av_int(-1);
	for (uint32_t i = 0; i < node_rank(y); i++) LABEL(ky[i]);
	v[k++] = av_int(-1);
	for (uint32_t i = 0; i < n; i++) LABEL(result[i]);
#undef LABEL
	return node_make(g, OP_CONTRACT, attr_make(g, k, v), 2, (Node *[]){x, y});
}

/* The same from the attribute of a node: labels of x, -1, labels of y, -1, labels of the result. */
static Node *contract_as(Graph *g, const Attr *attr, Node *const *x)
{
	int64_t l[3][RANK_MAX];
	uint32_t n[3] = {0}, side = 0;
	for (uint32_t i = 0; i < (attr ? attr->n : 0); i++)
		if (attr->v[i].u.i < 0)
			side++;
		else if (side < 3 && n[side] < RANK_MAX)
			l[side][n[side]++] = attr->v[i].u.i;
	if (side != 2 || n[0] != node_rank(x[0]) || n[1] != node_rank(x[1]))
		return graph_fail(g, ERR_TYPE, "einsum: given %s and %s, wanted a label for each axis",
			shown(g, x[0]->type), shown(g, x[1]->type));
	return contract(g, x[0], l[0], x[1], l[1], n[2], l[2]);
}

Node *matmul(Graph *g, Node *x, Node *y)
{
	if (!x || !y) return NULL;
	uint32_t rx = node_rank(x), ry = node_rank(y);
	if (!rx || !ry || x->type->kind != TYPE_ARRAY || y->type->kind != TYPE_ARRAY)
		return graph_fail(g, ERR_TYPE, "@: %s and %s: both need an axis; use * for scalars",
			shown(g, x->type), shown(g, y->type));
	const Size *inner = node_dim(x, rx - 1), *other = node_dim(y, ry > 1 ? ry - 2 : 0);
	if (size_differ(g, inner, other)) {
		Text a, b;
		text_open(&a, g->arena), text_open(&b, g->arena);
		size_print(&a, inner), size_print(&b, other);
		return graph_fail(g, ERR_TYPE, "@: inner sizes differ: %s (of %s) and %s (of %s)",
			text_done(&a), shown(g, x->type), text_done(&b), shown(g, y->type));
	}
	uint32_t bx = rx > 2 ? rx - 2 : 0, by = ry > 2 ? ry - 2 : 0, batch = bx > by ? bx : by, n = 0;
	int64_t lx[RANK_MAX], ly[RANK_MAX], out[RANK_MAX], gone[RANK_MAX];
	enum { ROW = 40, INNER, COLUMN };
	/* Batches align from the right.  A literal axis of 1 against another size is squeezed away, not repeated. */
	for (uint32_t side = 0; side < 2; side++) {
		Node **p = side ? &y : &x;
		const Node *q = side ? x : y;
		uint32_t bp = side ? by : bx, bq = side ? bx : by, ngone = 0, k = 0;
		int64_t *l = side ? ly : lx;
		for (uint32_t i = 0; i < bp; i++) {
			uint32_t right = bp - i; /* distance from the matrix axes */
			if (right <= bq && size_equals(node_dim(*p, i), 1) &&
				!size_equals(node_dim(q, bq - right), 1))
				gone[ngone++] = i;
			else
				l[k++] = batch - right;
		}
		uint32_t rank = node_rank(*p);
		if (!side)
			l[k++] = rank > 1 ? ROW : INNER;
		else if (rank > 1)
			l[k++] = INNER;
		if (!side ? rank > 1 : true) l[k++] = side ? (rank > 1 ? COLUMN : INNER) : INNER;
		if (ngone && !(*p = squeeze(g, *p, ngone, gone))) return NULL;
	}
	for (uint32_t i = 0; i < batch; i++) out[n++] = i;
	if (rx > 1) out[n++] = ROW;
	if (ry > 1) out[n++] = COLUMN;
	return contract(g, x, lx, y, ly, n, out);
}

/* ---- functions and loops ---------------------------------------------------------------------- */

Node *call(Graph *g, Function *f, uint32_t n, Node *const *args)
{
	for (uint32_t i = 0; i < n; i++)
		if (!args[i]) return NULL;
	if (!f || n != f->nparam)
		return f ? graph_fail(g, ERR_TYPE, "%s: %u arguments where %u are wanted",
				   f->name ? f->name : "call", n, f->nparam)
			 : NULL;
	const Size **sizes = NEW_ARRAY(g->arena, const Size *, f->nsize);
	return function_solve_sizes(g, f, n, args, sizes) ? call_with(g, f, sizes, n, args) : NULL;
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
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, 4 + body->nsize);
	v[0] = av_function(body->function), v[1] = av_int(ncarry), v[2] = av_int(nseq), v[3] = av_int(back);
	for (uint32_t i = 0; i < body->nsize; i++) v[4 + i] = av_size(body->size[i]);
	return node_make(g, OP_SCAN, attr_make(g, 4 + body->nsize, v), n, x);
}

Node *scan_with_body(Graph *g, Node *x, Function *body)
{
	if (!body || !x) return NULL;
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, x->attr->n);
	memcpy(v, x->attr->v, x->attr->n * sizeof *v);
	v[0] = av_function(body);
	return node_make(g, OP_SCAN, attr_make(g, x->attr->n, v), node_operands(x), x->arg);
}

const Size *scan_size(void *user, const Atom *a)
{
	const Attr *attr = user;
	return a->kind == ATOM_PARAM ? attr->v[4 + a->index].u.size : NULL;
}

Opened scan_open(Graph *g, Arena *a, Node *x)
{
	Function *f = scan_body(x);
	Opened o = {.nparam = f->nparam, .nresult = f->nresult};
	o.param = NEW_ARRAY(a, Node *, f->nparam);
	o.result = NEW_ARRAY(a, Node *, f->nresult);
	uint32_t bound = 1 + scan_carries(x) + scan_sequences(x);
	for (uint32_t i = 0; i < f->nparam; i++)
		o.param[i] = i < bound ? fresh(g, type_substitute(g, f->param[i], scan_size, (void *)x->attr),
						 f->param_name[i])
				       : x->arg[i];
	const Size **size = NEW_ARRAY(a, const Size *, f->nsize);
	for (uint32_t i = 0; i < f->nsize; i++) size[i] = x->attr->v[4 + i].u.size;
	if (!g->error.code) function_inline(g, f, size, o.param, o.result);
	return o;
}
