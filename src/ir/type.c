/* type.c - the type of a node from its operator, attributes and operands.
 *
 * Strict: operands already agree in dtype, and shapes of a map in every size
 * that is not merely unproved.  Sizes that are not proved equal become
 * requirements (node_requirements, verify.c); the first operand's stand.
 */
#include "ir.h"

static const char *shown(Graph *g, const Type *t)
{
	Text s;
	text_open(&s, g->arena);
	type_print(&s, t);
	return text_done(&s);
}

/* Of a literal, what it is: it has no dtype yet. */
static void add_type(Text *s, const Type *t)
{
	Dtype d = t->kind == TYPE_ARRAY && !t->n ? (Dtype)t->dtype : DT_NONE;
	if (d == DT_WEAK_INT)
		text_add(s, "a whole number");
	else if (d == DT_WEAK_FLOAT || d == DT_WEAK_COMPLEX)
		text_add(s, d == DT_WEAK_FLOAT ? "a number" : "a complex number");
	else
		type_print(s, t);
}

static const char *shown_all(Graph *g, uint32_t n, Node *const *x)
{
	Text s;
	text_open(&s, g->arena);
	for (uint32_t i = 0; i < n; i++) {
		text_add(&s, i ? (i + 1 == n ? " and " : ", ") : "");
		add_type(&s, x[i]->type);
	}
	return text_done(&s);
}

static const Type *refuse(Graph *g, Op op, const char *wanted, uint32_t n, Node *const *x)
{
	return graph_fail(
		g, ERR_TYPE, "%s: given %s, wanted %s", op_info[op].text, shown_all(g, n, x), wanted);
}

/* ---- maps ---------------------------------------------------------------------- */

/* Are the shapes of the operands one shape, as far as is known? */
static bool one_shape(Graph *g, Op op, uint32_t n, Node *const *x)
{
	for (uint32_t k = 1; k < n; k++) {
		if (node_rank(x[k]) != node_rank(x[0])) {
			graph_fail(g, ERR_TYPE, "%s: shapes differ in rank: %s", op_info[op].text,
				shown_all(g, n, x));
			return false;
		}
		for (uint32_t i = 0; i < node_rank(x[0]); i++)
			if (size_differ(g, node_dim(x[0], i), node_dim(x[k], i))) {
				graph_fail(g, ERR_TYPE, "%s: shapes differ in axis %u: %s", op_info[op].text,
					i, shown_all(g, n, x));
				return false;
			}
	}
	return true;
}

static bool one_dtype(uint32_t n, Node *const *x)
{
	for (uint32_t k = 1; k < n; k++)
		if (node_dtype(x[k]) != node_dtype(x[0])) return false;
	return true;
}

static const Type *own_map_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	Dtype d = node_dtype(x[0]);
	switch (op) {
	case OP_ABS: /* the modulus of a complex number is real, like its parts */
	case OP_RE:
	case OP_IM:
		if (!dtype_is_number(d)) return refuse(g, op, "numbers", n, x);
		return type_with_dtype(g, x[0]->type,
			d == DT_C64                    ? DT_F32
				: d == DT_C128         ? DT_F64
				: d == DT_WEAK_COMPLEX ? DT_WEAK_FLOAT
						       : d);
	case OP_CONJ: return dtype_is_number(d) ? x[0]->type : refuse(g, op, "numbers", n, x);
	case OP_COMPLEX:
		if (!one_dtype(n, x) || (d != DT_F32 && d != DT_F64))
			return refuse(g, op, "two of f32 or two of f64", n, x);
		return type_with_dtype(g, x[0]->type, d == DT_F32 ? DT_C64 : DT_C128);
	case OP_CAST:
		if (d == DT_KEY || attr->v[0].u.dtype == DT_KEY)
			return refuse(g, op, "numbers or bools", n, x);
		if (dtype_is_complex(d) && !dtype_is_complex(attr->v[0].u.dtype))
			return refuse(g, op, "a complex dtype (take re(x) or abs(x))", n, x);
		return type_with_dtype(g, x[0]->type, attr->v[0].u.dtype);
	case OP_BITCAST:
		if (d == DT_BOOL || d == DT_KEY || dtype_is_complex(d) || attr->v[0].u.dtype == DT_BOOL ||
			dtype_bytes(d) != dtype_bytes(attr->v[0].u.dtype))
			return graph_fail(g, ERR_TYPE, "bitcast: %s to %s: the widths differ",
				shown(g, x[0]->type), dtype_name(attr->v[0].u.dtype));
		return type_with_dtype(g, x[0]->type, attr->v[0].u.dtype);
	default: /* STOP */ return x[0]->type;
	}
}

static const Type *map_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	for (uint32_t k = 0; k < n; k++)
		if (x[k]->type->kind != TYPE_ARRAY) return refuse(g, op, "arrays", n, x);
	if (!one_shape(g, op, n, x)) return NULL;
	Dtype d = node_dtype(x[0]);
	const Type *t = x[0]->type;
	if (op_info[op].dtype == SELECT) {
		if (d != DT_BOOL || node_dtype(x[1]) != node_dtype(x[2]))
			return refuse(g, op, "a bool and two of one dtype", n, x);
		return type_with_dtype(g, t, node_dtype(x[1]));
	}
	if (op_info[op].dtype == OWN) return own_map_type(g, op, attr, n, x);
	if (!one_dtype(n, x)) return refuse(g, op, "operands of one dtype", n, x);
	bool real = dtype_is_integer(d) || dtype_is_float(d);
	switch (op_info[op].dtype) {
	case SAME: return dtype_is_number(d) ? t : refuse(g, op, "numbers", n, x);
	case REAL: return real ? t : refuse(g, op, "integers or real floats", n, x);
	case FLOAT: return dtype_is_float(d) || dtype_is_complex(d) ? t : refuse(g, op, "floats", n, x);
	case RFLOAT: return dtype_is_float(d) ? t : refuse(g, op, "real floats", n, x);
	case INT: return dtype_is_integer(d) ? t : refuse(g, op, "integers", n, x);
	case BITS: return dtype_is_integer(d) || d == DT_BOOL ? t : refuse(g, op, "integers or bools", n, x);
	case BOOL: return d == DT_BOOL ? t : refuse(g, op, "bools", n, x);
	case TEST:
		return d != DT_KEY ? type_with_dtype(g, t, DT_BOOL) : refuse(g, op, "numbers or bools", n, x);
	case RTEST:
		return real || d == DT_BOOL ? type_with_dtype(g, t, DT_BOOL)
					    : refuse(g, op, "integers, real floats or bools", n, x);
	default:
		return dtype_is_float(d) ? type_with_dtype(g, t, DT_BOOL)
					 : refuse(g, op, "real floats", n, x);
	}
}

/* ---- folds ----------------------------------------------------------------------- */

static Dtype summed(Dtype d)
{
	if (d == DT_BOOL || d == DT_I8 || d == DT_I16 || d == DT_I32) return DT_I64;
	return d == DT_U8 || d == DT_U16 || d == DT_U32 ? DT_U64 : d;
}

static const Type *fold_type(Graph *g, Op op, const Attr *attr, Node *const *x)
{
	const Type *t = x[0]->type;
	Dtype d = t->kind == TYPE_ARRAY ? (Dtype)t->dtype : DT_NONE;
	bool real = dtype_is_integer(d) || dtype_is_float(d);
	if (op == OP_ANY || op == OP_ALL                ? d != DT_BOOL
			: op == OP_LOGSUMEXP            ? !dtype_is_float(d)
			: op == OP_SUM || op == OP_PROD ? !(dtype_is_number(d) || d == DT_BOOL)
							: !real)
		return refuse(g, op, op == OP_ANY || op == OP_ALL ? "bools" : "numbers", 1, x);
	const Size *dim[RANK_MAX];
	uint32_t n = 0, k = 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (k < (attr ? attr->n : 0) && attr->v[k].u.i == i) {
			if ((op == OP_ARGMAX || op == OP_ARGMIN) && size_equals(DIM(t, i), 0))
				return graph_fail(g, ERR_TYPE, "%s: axis %u of %s is empty", op_info[op].text,
					i, shown(g, t));
			k++;
		} else {
			dim[n++] = DIM(t, i);
		}
	if (k != (attr ? attr->n : 0))
		return graph_fail(
			g, ERR_TYPE, "%s: axes are not ascending axes of %s", op_info[op].text, shown(g, t));
	Dtype result = op == OP_ARGMAX || op == OP_ARGMIN ? DT_I64
		: op == OP_SUM || op == OP_PROD           ? summed(d)
							  : d;
	return type_array(g, result, n, dim);
}

/* The same but for sizes that are not known to be equal. */
static bool same_type(Graph *g, const Type *a, const Type *b)
{
	if (a == b) return true;
	if (a->kind != b->kind || a->dtype != b->dtype || a->n != b->n || a->kind != TYPE_ARRAY) return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (size_differ(g, DIM(a, i), DIM(b, i))) return false;
	return true;
}

/* ---- views ----------------------------------------------------------------------- */

static const Type *reshape_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *dim[RANK_MAX] = {0};
	uint32_t n = attr ? attr->n : 0;
	bool each = n && attr->v[n - 1].kind == A_INT; /* axis by axis, see sized() */
	n -= each;
	if (n > RANK_MAX)
		return graph_fail(g, ERR_TYPE, "reshape: %u axes, at most %d are possible", n, RANK_MAX);
	for (uint32_t i = 0; i < n; i++) dim[i] = attr->v[i].u.size;
	const Type *t = type_array(g, node_dtype(x[0]), n, dim);
	if (t && each && !same_type(g, t, x[0]->type))
		return graph_fail(g, ERR_TYPE, "given %s, wanted %s", shown(g, x[0]->type), shown(g, t));
	if (!t || (!each && size_differ(g, type_elements(g, t), type_elements(g, x[0]->type))))
		return t ? graph_fail(g, ERR_TYPE, "reshape: %s to %s: the numbers of elements differ",
				   shown(g, x[0]->type), shown(g, t))
			 : NULL;
	return t;
}

static const Type *transpose_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *dim[RANK_MAX];
	uint32_t n = node_rank(x[0]), seen = 0;
	if ((attr ? attr->n : 0) != n)
		return graph_fail(g, ERR_TYPE, "transpose: %u axes given for %s", attr ? attr->n : 0,
			shown(g, x[0]->type));
	for (uint32_t i = 0; i < n; i++) {
		int64_t p = attr->v[i].u.i;
		if (p < 0 || p >= n || seen >> p & 1)
			return graph_fail(g, ERR_TYPE,
				"transpose: the axes are no permutation of those of %s",
				shown(g, x[0]->type));
		seen |= 1u << p;
		dim[i] = node_dim(x[0], (uint32_t)p);
	}
	return type_array(g, node_dtype(x[0]), n, dim);
}

static const Type *expand_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *dim[RANK_MAX];
	uint32_t n = node_rank(x[0]) + (attr ? attr->n : 0) / 2, k = 0, from = 0;
	if (n > RANK_MAX)
		return graph_fail(g, ERR_TYPE, "expand: %u axes, at most %d are possible", n, RANK_MAX);
	for (uint32_t i = 0; i < n; i++) {
		if (k + 1 < (attr ? attr->n : 0) && attr->v[k].u.i == i) {
			dim[i] = attr->v[k + 1].u.size;
			k += 2;
		} else if (from < node_rank(x[0])) {
			dim[i] = node_dim(x[0], from++);
		}
	}
	if (k != (attr ? attr->n : 0))
		return graph_fail(g, ERR_TYPE, "expand: axes are not ascending axes of the result of %s",
			shown(g, x[0]->type));
	return type_array(g, node_dtype(x[0]), n, dim);
}

static const Type *slice_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *dim[RANK_MAX], *zero = size_const(g, 0);
	uint32_t n = node_rank(x[0]);
	if ((attr ? attr->n : 0) != 3 * n)
		return graph_fail(
			g, ERR_TYPE, "slice: %u attributes for %s", attr ? attr->n : 0, shown(g, x[0]->type));
	for (uint32_t i = 0; i < n; i++) {
		const Size *start = attr->v[i].u.size, *length = attr->v[n + i].u.size;
		int64_t step = attr->v[2 * n + i].u.i;
		if (step == 0) return graph_fail(g, ERR_TYPE, "slice: a step of 0 on axis %u", i);
		const Size *last = size_add(
			g, start, size_mul(g, size_const(g, step), size_sub(g, length, size_const(g, 1))));
		if (!last) return NULL;
		const Size *high = step > 0 ? last : start, *low = step > 0 ? start : last;
		if (size_compare(g, length, zero) == PROOF_LESS)
			return graph_fail(g, ERR_TYPE, "slice: a negative length on axis %u of %s", i,
				shown(g, x[0]->type));
		Proof over = size_compare(g, high, node_dim(x[0], i));
		if (size_compare(g, length, zero) == PROOF_GREATER &&
			(size_compare(g, low, zero) == PROOF_LESS || over == PROOF_EQUAL ||
				over == PROOF_GREATER || over == PROOF_GREATER_EQUAL))
			return graph_fail(
				g, ERR_TYPE, "slice: outside of axis %u of %s", i, shown(g, x[0]->type));
		dim[i] = length;
	}
	return type_array(g, node_dtype(x[0]), n, dim);
}

static const Type *pad_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *dim[RANK_MAX], *one = size_const(g, 1);
	uint32_t n = node_rank(x[0]);
	if ((attr ? attr->n : 0) != 3 * n)
		return graph_fail(
			g, ERR_TYPE, "pad: %u attributes for %s", attr ? attr->n : 0, shown(g, x[0]->type));
	for (uint32_t i = 0; i < n; i++) {
		int64_t step = attr->v[2 * n + i].u.i;
		if (step < 1)
			return graph_fail(g, ERR_TYPE, "pad: a step of %lld on axis %u", (long long)step, i);
		const Size *inner = node_dim(x[0], i);
		if (step > 1) /* max(0, 1 + step*(n - 1)) */
			inner = size_max(g, size_const(g, 0),
				size_add(g, one, size_mul(g, size_const(g, step), size_sub(g, inner, one))));
		dim[i] = size_add(g, inner, size_add(g, attr->v[i].u.size, attr->v[n + i].u.size));
		if (!dim[i]) return NULL;
	}
	return type_array(g, node_dtype(x[0]), n, dim);
}

static const Type *concat_type(Graph *g, const Attr *attr, uint32_t n, Node *const *x)
{
	const Size *dim[RANK_MAX];
	if (!n) return graph_fail(g, ERR_TYPE, "concat: of nothing");
	uint32_t rank = node_rank(x[0]), axis = (uint32_t)attr->v[0].u.i;
	if (axis >= rank || !one_dtype(n, x))
		return refuse(g, OP_CONCAT, "arrays of one dtype with that axis", n, x);
	for (uint32_t i = 0; i < rank; i++) dim[i] = node_dim(x[0], i);
	for (uint32_t k = 1; k < n; k++) {
		if (node_rank(x[k]) != rank) return refuse(g, OP_CONCAT, "arrays of one rank", n, x);
		for (uint32_t i = 0; i < rank; i++)
			if (i != axis && size_differ(g, dim[i], node_dim(x[k], i)))
				return refuse(g, OP_CONCAT, "equal sizes off the axis", n, x);
		dim[axis] = size_add(g, dim[axis], node_dim(x[k], axis));
	}
	return dim[axis] ? type_array(g, node_dtype(x[0]), rank, dim) : NULL;
}

static const Type *view_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i]->type->kind != TYPE_ARRAY) return refuse(g, op, "an array", n, x);
	switch (op) {
	case OP_RESHAPE: return reshape_type(g, attr, x);
	case OP_TRANSPOSE: return transpose_type(g, attr, x);
	case OP_EXPAND: return expand_type(g, attr, x);
	case OP_SLICE: return slice_type(g, attr, x);
	case OP_PAD: return pad_type(g, attr, x);
	case OP_CONCAT: return concat_type(g, attr, n, x);
	default: break;
	}
	for (uint32_t i = 0; i < (attr ? attr->n : 0); i++) /* FLIP */
		if (attr->v[i].u.i < 0 || attr->v[i].u.i >= node_rank(x[0]))
			return refuse(g, op, "an array with these axes", n, x);
	return x[0]->type;
}

/* ---- indices ------------------------------------------------------------------------ */

static const Type *index_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	const Size *dim[2 * RANK_MAX];
	const Type *t = x[0]->type;
	for (uint32_t i = 0; i < n; i++)
		if (x[i]->type->kind != TYPE_ARRAY) return refuse(g, op, "arrays", n, x);
	uint32_t r = 0;
	if (op == OP_ONE_HOT) {
		if (!dtype_is_integer(node_dtype(x[0])) || t->n >= RANK_MAX)
			return refuse(g, op, "an integer array", n, x);
		for (; r < t->n; r++) dim[r] = DIM(t, r);
		dim[r++] = attr->v[0].u.size;
		return type_array(g, attr->v[1].u.dtype, r, dim);
	}
	if (op == OP_TOP_K) {
		if (!t->n || !(dtype_is_integer(node_dtype(x[0])) || dtype_is_float(node_dtype(x[0]))))
			return refuse(g, op, "an array of real numbers", n, x);
		if (size_compare(g, attr->v[0].u.size, DIM(t, t->n - 1)) == PROOF_GREATER)
			return graph_fail(
				g, ERR_TYPE, "top_k: more than the last axis of %s has", shown(g, t));
		for (; r + 1 < t->n; r++) dim[r] = DIM(t, r);
		dim[r++] = attr->v[0].u.size;
		return type_tuple(g, 2,
			(const Type *[]){
				type_array(g, node_dtype(x[0]), r, dim), type_array(g, DT_I64, r, dim)});
	}
	uint32_t axis = (uint32_t)attr->v[0].u.i;
	if (axis >= t->n || !dtype_is_integer(node_dtype(x[1])))
		return refuse(g, op, "an array with that axis and integer indices", n, x);
	for (uint32_t i = 0; i < axis; i++) dim[r++] = DIM(t, i);
	for (uint32_t i = 0; i < node_rank(x[1]); i++) dim[r++] = node_dim(x[1], i);
	for (uint32_t i = axis + 1; i < t->n; i++) dim[r++] = DIM(t, i);
	if (r > RANK_MAX)
		return graph_fail(
			g, ERR_TYPE, "%s: %u axes, at most %d are possible", op_info[op].text, r, RANK_MAX);
	if (op == OP_GATHER) return type_array(g, (Dtype)t->dtype, r, dim);
	bool fits = node_rank(x[2]) == r && node_dtype(x[2]) == (Dtype)t->dtype;
	for (uint32_t i = 0; fits && i < r; i++) fits = !size_differ(g, dim[i], node_dim(x[2], i));
	return fits ? t : refuse(g, op, "values of the shape that a gather gives", n, x);
}

/* ---- contraction and decompositions ---------------------------------------------------- */

static const Type *contract_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *of[64] = {0};
	uint32_t at = 0;
	if (!one_dtype(2, x) || !dtype_is_number(node_dtype(x[0])))
		return refuse(g, OP_CONTRACT, "two arrays of one numeric dtype", 2, x);
	for (uint32_t k = 0; k < 2; k++, at++)
		for (uint32_t i = 0; i < node_rank(x[k]); i++, at++) {
			int64_t l = at < attr->n ? attr->v[at].u.i : -1;
			if (l < 0 || l >= 64) return refuse(g, OP_CONTRACT, "a label for each axis", 2, x);
			if (of[l] && size_differ(g, of[l], node_dim(x[k], i)))
				return graph_fail(
					g, ERR_TYPE, "einsum: inner sizes differ: %s", shown_all(g, 2, x));
			of[l] = of[l] ? of[l] : node_dim(x[k], i);
		}
	const Size *dim[RANK_MAX];
	uint32_t n = 0;
	for (; at < attr->n; at++) {
		int64_t l = attr->v[at].u.i;
		if (l < 0 || l >= 64 || !of[l] || n == RANK_MAX)
			return refuse(g, OP_CONTRACT, "result labels that an operand has", 2, x);
		dim[n++] = of[l];
	}
	return type_array(g, node_dtype(x[0]), n, dim);
}

static const Type *solve_type(Graph *g, Op op, uint32_t n, Node *const *x)
{
	const Type *a = x[0]->type;
	Dtype d = node_dtype(x[0]);
	if (a->kind != TYPE_ARRAY || a->n < 2 || (d != DT_F32 && d != DT_F64) || !one_dtype(n, x))
		return refuse(g, op, "matrices of f32 or f64", n, x);
	const Size *rows = DIM(a, a->n - 2), *columns = DIM(a, a->n - 1), *dim[RANK_MAX];
	for (uint32_t i = 0; i < a->n; i++) dim[i] = DIM(a, i);
	if (op == OP_QR) {
		if (size_compare(g, rows, columns) == PROOF_LESS)
			return refuse(g, op, "at least as many rows as columns", n, x);
		const Type *q = a;
		dim[a->n - 2] = columns;
		return type_tuple(g, 2, (const Type *[]){q, type_array(g, d, a->n, dim)});
	}
	const Type *b = x[1]->type;
	bool fits = b->n == a->n && !size_differ(g, rows, columns) && !size_differ(g, rows, DIM(b, b->n - 2));
	for (uint32_t i = 0; fits && i + 2 < a->n; i++) fits = !size_differ(g, DIM(a, i), DIM(b, i));
	return fits ? b : refuse(g, op, "a square matrix and a matrix with as many rows", n, x);
}

/* ---- random ------------------------------------------------------------------------------ */

static const Type *random_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	if (op == OP_KEY)
		return dtype_is_integer(node_dtype(x[0])) ? type_with_dtype(g, x[0]->type, DT_KEY)
							  : refuse(g, op, "an integer", n, x);
	if (node_dtype(x[0]) != DT_KEY) return refuse(g, op, "a key", n, x);
	if (op == OP_KEY_AT) {
		if (!dtype_is_integer(node_dtype(x[1])) || !one_shape(g, op, n, x))
			return refuse(g, op, "a key and an integer", n, x);
		return x[0]->type;
	}
	if (op == OP_GAMMA_DRAW)
		return dtype_is_float(node_dtype(x[1])) && one_shape(g, op, n, x)
			? x[1]->type
			: refuse(g, op, "keys and shapes of a float dtype", n, x);
	Dtype d = attr->v[0].u.dtype;
	const Size *dim[RANK_MAX];
	if (!node_is_scalar(x[0]) || !dtype_is_float(d) || attr->n - 1 > RANK_MAX)
		return refuse(g, op, "one key and a float dtype", n, x);
	for (uint32_t i = 1; i < attr->n; i++) dim[i - 1] = attr->v[i].u.size;
	return type_array(g, d, attr->n - 1, dim);
}

/* ---- control -------------------------------------------------------------------------------- */

typedef struct SizeArgs {
	const Attr *attr;
	uint32_t first;
} SizeArgs;

static const Size *size_argument(void *user, const Atom *a)
{
	const SizeArgs *s = user;
	return a->kind == ATOM_PARAM ? s->attr->v[s->first + a->index].u.size : NULL;
}

const Type *size_arguments(Graph *g, const Type *t, const Attr *attr, uint32_t first)
{
	SizeArgs sizes = {attr, first};
	return type_substitute(g, t, size_argument, &sizes);
}

static const Type *call_type(Graph *g, const Attr *attr, uint32_t n, Node *const *x)
{
	Function *f = attr->v[0].u.function;
	if (attr->n != 1 + f->nsize)
		return graph_fail(
			g, ERR_INTERNAL, "call: %u sizes where %u are wanted", attr->n - 1, f->nsize);
	for (uint32_t i = 0; i < n; i++) {
		const Type *want = size_arguments(g, f->param[i], attr, 1);
		if (!want || !same_type(g, want, x[i]->type))
			return want ? graph_fail(g, ERR_TYPE, "%s: argument %u: given %s, wanted %s",
					      f->name ? f->name : "call", i + 1, shown(g, x[i]->type),
					      shown(g, want))
				    : NULL;
	}
	const Type **result = NEW_ARRAY(g->arena, const Type *, f->nresult);
	for (uint32_t i = 0; i < f->nresult; i++)
		if (!(result[i] = size_arguments(g, f->result[i]->type, attr, 1))) return NULL;
	return f->nresult == 1 ? result[0] : type_tuple(g, f->nresult, result);
}

static const Type *scan_type(Graph *g, const Attr *attr, uint32_t n, Node *const *x)
{
	Function *f = attr->v[0].u.function;
	uint32_t carries = (uint32_t)attr->v[1].u.i, sequences = (uint32_t)attr->v[2].u.i;
	const Size *steps = size_of_node(g, x[0]);
	if (!steps) return NULL;
	for (uint32_t i = 1; i < n; i++) {
		const Type *want = size_arguments(g, f->param[i], attr, 4), *given = x[i]->type;
		if (i > carries && i <= carries + sequences) {
			if (given->kind != TYPE_ARRAY || !given->n || size_differ(g, DIM(given, 0), steps))
				return graph_fail(g, ERR_TYPE,
					"scan: a sequence of %s where the steps are others", shown(g, given));
			given = type_array(g, (Dtype)given->dtype, given->n - 1, &DIM(given, 1));
		}
		if (!want || !same_type(g, want, given))
			return want ? graph_fail(g, ERR_TYPE, "scan: operand %u: given %s, wanted %s", i,
					      shown(g, given), shown(g, want))
				    : NULL;
	}
	const Type **result = NEW_ARRAY(g->arena, const Type *, f->nresult);
	for (uint32_t i = 0; i < f->nresult; i++) {
		const Type *t = size_arguments(g, f->result[i]->type, attr, 4);
		if (t && i < carries && !same_type(g, t, x[1 + i]->type))
			return graph_fail(g, ERR_TYPE, "scan: a carried value begins as %s and goes on as %s",
				shown(g, x[1 + i]->type), shown(g, t));
		if (t && i >= carries) {
			const Size *dim[RANK_MAX + 1] = {steps};
			if (t->n >= RANK_MAX || t->kind != TYPE_ARRAY)
				return graph_fail(
					g, ERR_TYPE, "scan: a trace of %s has too many axes", shown(g, t));
			memcpy(dim + 1, t->u.dim, t->n * sizeof *dim);
			t = type_array(g, (Dtype)t->dtype, t->n + 1, dim);
		}
		if (!(result[i] = t && i < carries ? x[1 + i]->type : t)) return NULL;
	}
	return type_tuple(g, f->nresult, result);
}

static const Type *control_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	switch (op) {
	case OP_TUPLE: {
		const Type **e = NEW_ARRAY(g->arena, const Type *, n);
		for (uint32_t i = 0; i < n; i++) {
			if (x[i]->type->kind == TYPE_TUPLE)
				return refuse(g, op, "arrays (tuples do not nest)", n, x);
			e[i] = x[i]->type;
		}
		return type_tuple(g, n, e);
	}
	case OP_GET:
		if (x[0]->type->kind != TYPE_TUPLE || attr->v[0].u.i < 0 || attr->v[0].u.i >= x[0]->type->n)
			return refuse(g, op, "a tuple with that element", n, x);
		return x[0]->type->u.elem[attr->v[0].u.i];
	case OP_CALL: return call_type(g, attr, n, x);
	case OP_SCAN: return scan_type(g, attr, n, x);
	case OP_ORDER: return type_token(g);
	case OP_CUSTOM: return custom_type(g, attr);
	default: return graph_fail(g, ERR_UNSUPPORTED, "%s is not supported yet", op_info[op].text);
	}
}

const Type *type_of(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	switch (op_info[op].class) {
	case LEAF:
		if (op == OP_IOTA) return type_array(g, DT_I64, 1, &attr->v[0].u.size);
		if (op == OP_SIZE) return type_scalar(g, DT_I64);
		if (op == OP_TOKEN) return type_token(g);
		return graph_fail(
			g, ERR_INTERNAL, "%s: a leaf has its type from its maker", op_info[op].text);
	case MAP: return map_type(g, op, attr, n, x);
	case FOLD: return fold_type(g, op, attr, x);
	case CUMULATIVE:
		if (x[0]->type->kind != TYPE_ARRAY || attr->v[0].u.i >= node_rank(x[0]) ||
			!(dtype_is_number(node_dtype(x[0])) || node_dtype(x[0]) == DT_BOOL))
			return refuse(g, op, "numbers with that axis", n, x);
		return type_with_dtype(g, x[0]->type, summed(node_dtype(x[0])));
	case VIEW: return view_type(g, op, attr, n, x);
	case INDEX: return index_type(g, op, attr, n, x);
	case CONTRACT: return contract_type(g, attr, x);
	case SOLVE: return solve_type(g, op, n, x);
	case RANDOM: return random_type(g, op, attr, n, x);
	default: return control_type(g, op, attr, n, x);
	}
}
