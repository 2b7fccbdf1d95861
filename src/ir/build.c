/* build.c - any operator as NumPy would take it: dtypes promoted, operands broadcast, axes from the end. */
#include "build.h"
#include "whole.h"

Node *build_unary(Graph *g, Op op, uint32_t nattr, const AttrValue *v, Node *x)
{
	return x ? node_make(g, op, attr_make(g, nattr, v), 1, &x) : NULL;
}

/* ---- dtypes ------------------------------------------------------------------------ */

/* An integer in an integer dtype: the nearest, as a cast of values gives. */
static Node *constant_whole(Graph *g, const Type *t, int64_t i)
{
	Dtype d = (Dtype)t->dtype;
	if (d == DT_U64) return constant_int(g, t, i < 0 ? 0 : i);
	return dtype_bytes(d) == 8 ? constant_int(g, t, i) : constant_float(g, t, (double)i);
}

/* A literal is rounded once to the float that it becomes. */
static double number_for(const Node *x, Dtype d, double value)
{
	Whole w;
	bool narrow = (dtype_is_float(d) || dtype_is_complex(d)) && dtype_digits(d) < dtype_digits(DT_F64);
	return narrow && constant_is_uniform(x) && whole_at(x, 0, &w) ? whole_to_double(&w, true) : value;
}

/* A number as a uniform constant of a complex dtype. */
static Node *constant_complex(Graph *g, const Type *t, double v)
{
	return t->dtype == DT_C64 ? constant(g, t, (float[2]){(float)v, 0})
				  : constant(g, t, (double[2]){v, 0});
}

/* A uniform constant as one of another dtype; NULL, without an error: it is none. */
static Node *cast_constant(Graph *g, const Node *x, Dtype d)
{
	int64_t i;
	double v;
	Dtype own = node_dtype(x);
	const Type *t = type_with_dtype(g, x->type, d);
	if (d == DT_KEY) return NULL;
	if (dtype_is_complex(d))
		return constant_value(x, &v) ? constant_complex(g, t, number_for(x, d, v)) : NULL;
	if (dtype_is_float(own))
		return constant_value(x, &v) ? constant_float(g, t, number_for(x, d, v)) : NULL;
	if (own == DT_U64 || !constant_integer(x, &i)) return NULL;
	return dtype_is_integer(d) ? constant_whole(g, t, i) : constant_int(g, t, i);
}

static Node *cast_or_convert(Graph *g, Node *x, Dtype d, bool nearest)
{
	Whole w;
	if (!x || x->type->kind != TYPE_ARRAY || node_dtype(x) == d) return x;
	if (dtype_is_integer(d) && !dtype_is_weak(d) && whole_at(x, 0, &w))
		return whole_cast(g, x, d, nearest);
	Node *y = cast_constant(g, x, d);
	if (y || g->error.code) return y;
	AttrValue a = av_dtype(d);
	return build_unary(g, OP_CAST, 1, &a, x);
}

Node *cast(Graph *g, Node *x, Dtype d)
{
	return cast_or_convert(g, x, d, false);
}

Node *convert_number(Graph *g, Node *x, Dtype d)
{
	return cast_or_convert(g, x, d, true);
}

Dtype joint_dtype(Graph *g, Op op, uint32_t n, Node *const *x)
{
	Dtype d = literal_dtype(x[0]);
	bool large = d != node_dtype(x[0]);
	for (uint32_t i = 1; i < n; i++) {
		Dtype own = literal_dtype(x[i]), e = dtype_promote(d, own);
		large |= own != node_dtype(x[i]);
		if (e == DT_NONE) {
			const bool keys = d == DT_KEY || own == DT_KEY;
			graph_fail(g, ERR_TYPE, "%s: %s and %s do not mix; %s%s(%s)", op_info[op].text,
				type_shown(g, x[0]->type), type_shown(g, x[i]->type),
				keys ? "of a key numbers are drawn, as by " : "convert one, as in ",
				keys ? "uniform[f64]" : dtype_name(dtype_strong(d)), keys ? "k" : "x");
			return DT_NONE;
		}
		d = e;
	}
	return large && d == DT_WEAK_INT ? DT_WEAK_FLOAT : d; /* past 64 bits, and nobody asks for integers */
}

/* ---- elementwise operators --------------------------------------------------------- */

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
			} else if (!size_equals(s, 1) && sizes_clash(g, s, *d)) {
				graph_fail(g, ERR_TYPE, "%s: shapes do not fit: %s and %s%s",
					op_info[op].text, type_shown(g, x[0]->type),
					type_shown(g, x[k]->type), clash_advice(g, *d, s));
				return false;
			}
		}
	return true;
}

/* Keys and integers, or keys and shapes of draws, elementwise.  Each draw has a key of its own: of one key,
 * k[i]. */
static Node *build_keyed(Graph *g, Op op, Node *const *args)
{
	Dtype d = dtype_strong(node_dtype(args[1]));
	if (op == OP_KEY_AT && !dtype_is_integer(d))
		return graph_fail(g, ERR_TYPE, "index of a key: given %s, wanted integers",
			type_shown(g, args[1]->type));
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

/* Are they floats of one type, so that nothing has to be brought together? */
static bool are_alike(uint32_t n, Node *const *x)
{
	for (uint32_t i = 1; i < n; i++)
		if (x[i]->type != x[0]->type) return false;
	return n > 1 && dtype_is_float(node_dtype(x[0])) && !dtype_is_weak(node_dtype(x[0]));
}

static Node *build_map(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *args)
{
	Node *x[4];
	uint32_t rank, first = op_info[op].dtype == SELECT ? 1 : 0;
	const Size *dim[RANK_MAX];
	if (n > countof(x) || (int)n != op_info[op].args)
		return graph_fail(g, ERR_TYPE, "%s: %u operands, wanted %d", op_info[op].text, n,
			op_info[op].args);
	for (uint32_t i = 0; i < n; i++)
		if (args[i]->type->kind != TYPE_ARRAY)
			return graph_fail(g, ERR_TYPE, "%s: operand %u is no array", op_info[op].text, i + 1);
	memcpy(x, args, n * sizeof *x);
	Node *known;
	if (whole_map(g, op, n, args, &known)) return known;
	if (!first && op != OP_COMPLEX && are_alike(n, x)) return known_test(g, node_make(g, op, attr, n, x));
	Dtype d = n > first ? joint_dtype(g, op, n - first, x + first) : DT_NONE;
	if (n > first && d == DT_NONE) return NULL;
	DtypeRule rule = op_info[op].dtype;
	if ((rule == FLOAT || rule == RFLOAT || rule == FTEST || op == OP_COMPLEX) &&
		(dtype_is_integer(d) || d == DT_BOOL))
		d = d == DT_WEAK_INT ? DT_WEAK_FLOAT : DT_F64; /* int/int is f64 */
	if (op == OP_COMPLEX && d == DT_WEAK_FLOAT) d = DT_F64;
	if (first && node_dtype(x[0]) != DT_BOOL)
		return graph_fail(
			g, ERR_TYPE, "where: the condition is %s, wanted a bool", type_shown(g, x[0]->type));
	if (n > 1)
		for (uint32_t i = first; i < n; i++) x[i] = cast(g, x[i], d);
	else if (rule != OWN)
		x[0] = cast(g, x[0], d);
	for (uint32_t i = 0; i < n; i++)
		if (!x[i]) return NULL;
	if (n > 1) {
		if (!joint_shape(g, op, n, x, &rank, dim)) return NULL;
		for (uint32_t i = 0; i < n; i++) x[i] = broadcast_to(g, x[i], rank, dim);
	}
	return known_test(g, node_make(g, op, attr, n, x));
}

/* ---- folds ------------------------------------------------------------------------- */

Node *fold(Graph *g, Op op, Node *x, uint32_t n, const int64_t *axes)
{
	AttrValue v[RANK_MAX];
	if (!x || x->type->kind != TYPE_ARRAY)
		return x ? graph_fail(g, ERR_TYPE, "%s: the operand is no array", op_info[op].text) : NULL;
	if (n > RANK_MAX || !front_axes(g, op_info[op].text, n, axes, node_rank(x), v)) return NULL;
	if (op == OP_LOGSUMEXP && (dtype_is_integer(node_dtype(x)) || node_dtype(x) == DT_BOOL))
		x = cast(g, x, node_dtype(x) == DT_WEAK_INT ? DT_WEAK_FLOAT : DT_F64);
	Node *known;
	if (x && n == node_rank(x) && whole_fold(g, op, x, &known)) return known;
	return build_unary(g, op, n, v, x);
}

Node *fold_all(Graph *g, Op op, Node *x)
{
	int64_t axes[RANK_MAX];
	if (!x) return NULL;
	uint32_t rank = x->type->kind == TYPE_ARRAY ? node_rank(x) : 0;
	for (uint32_t i = 0; i < rank; i++) axes[i] = i;
	return fold(g, op, x, rank, axes);
}

/* ---- any operator ------------------------------------------------------------------ */

__attribute__((noinline)) /* into build1 with operands that are not there */
Node *build(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *args)
{
	for (uint32_t i = 0; i < n; i++)
		if (!args[i]) return NULL;
	int64_t axes[RANK_MAX], axis = attr && attr->n && attr->v[0].kind == A_INT ? attr->v[0].u.i : 0;
	switch (op_info[op].class) {
	case MAP:
		return op == OP_CAST ? convert_number(g, args[0], attr->v[0].u.dtype) : build_map(g, op, attr,
			n, args);
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
		if (n == 3)
			return scatter(g, op, args[0], args[1], args[2], axis);
		return node_make(g, op, attr, n, args);
	case CONTRACT: return build_contract(g, attr, args);
	default:
		if (op == OP_CONCAT) return concat(g, axis, n, args);
		if (op == OP_KEY_AT || op == OP_GAMMA_DRAW) return build_keyed(g, op, args);
		if (op_info[op].class == SOLVE) return build_solve(g, op, attr, n, args);
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
