/* type.c - the type of a node from its operator, attributes and operands.
 *
 * Strict: operands already agree in dtype, and shapes of a map in every size
 * that is not merely unproved.  Sizes that are not proved equal become
 * requirements (node_requirements, verify.c); the first operand's stand.
 */
#include "type.h"
#include "whole.h"

/* ---- what operands are, and that they do not fit ---------------------------------- */

/* Of a literal, what it is: it has no dtype yet. */
static void add_type(Text *s, const Node *x)
{
	const Type *t = x->type;
	Whole w;
	char digits[WHOLE_DIGITS];
	if (t->kind == TYPE_ARRAY && !t->n && literal_dtype(x) != node_dtype(x) && whole_at(x, 0, &w)) {
		whole_text(&w, digits);
		text_printf(s, "%s, which 64 bits do not hold,", digits);
		return;
	}
	Dtype d = t->kind == TYPE_ARRAY && !t->n ? (Dtype)t->dtype : DT_NONE;
	if (d == DT_WEAK_INT)
		text_add(s, "a whole number");
	else if (d == DT_WEAK_FLOAT || d == DT_WEAK_COMPLEX)
		text_add(s, d == DT_WEAK_FLOAT ? "a number" : "a complex number");
	else
		type_print(s, t);
}

static const char *operands_shown(Graph *g, uint32_t n, Node *const *x)
{
	Text s;
	text_open(&s, g->arena);
	for (uint32_t i = 0; i < n; i++) {
		if (i) text_add(&s, i + 1 == n ? " and " : ", ");
		add_type(&s, x[i]);
	}
	return text_done(&s);
}

const Type *type_refused(Graph *g, Op op, const char *wanted, uint32_t n, Node *const *x)
{
	return graph_fail(
		g, ERR_TYPE, "%s: given %s, wanted %s", op_info[op].text, operands_shown(g, n, x), wanted);
}

bool types_agree(Graph *g, const Type *a, const Type *b)
{
	if (a == b) return true;
	if (a->kind != b->kind || a->dtype != b->dtype || a->n != b->n || a->kind != TYPE_ARRAY) return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (sizes_clash(g, DIM(a, i), DIM(b, i))) return false;
	return true;
}

/* ---- maps ---------------------------------------------------------------------- */

static bool operands_fit(Graph *g, Op op, uint32_t n, Node *const *x)
{
	for (uint32_t k = 1; k < n; k++) {
		if (x[k]->type == x[0]->type) continue;
		if (node_rank(x[k]) != node_rank(x[0])) {
			graph_fail(g, ERR_TYPE, "%s: shapes differ in rank: %s", op_info[op].text,
				operands_shown(g, n, x));
			return false;
		}
		for (uint32_t i = 0; i < node_rank(x[0]); i++)
			if (size_differ(g, node_dim(x[0], i), node_dim(x[k], i))) {
				graph_fail(g, ERR_TYPE, "%s: shapes differ in axis %u: %s", op_info[op].text,
					i, operands_shown(g, n, x));
				return false;
			}
	}
	return true;
}

bool operands_share_dtype(uint32_t n, Node *const *x)
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
		if (!dtype_is_number(d)) return type_refused(g, op, "numbers", n, x);
		return type_with_dtype(g, x[0]->type, dtype_part(d));
	case OP_CONJ: return dtype_is_number(d) ? x[0]->type : type_refused(g, op, "numbers", n, x);
	case OP_COMPLEX:
		if (!operands_share_dtype(n, x) || (d != DT_F32 && d != DT_F64))
			return type_refused(g, op, "two of f32 or two of f64", n, x);
		return type_with_dtype(g, x[0]->type, d == DT_F32 ? DT_C64 : DT_C128);
	case OP_CAST:
		if (d == DT_KEY || attr->v[0].u.dtype == DT_KEY)
			return type_refused(g, op, "numbers or bools", n, x);
		if (dtype_is_complex(d) && !dtype_is_complex(attr->v[0].u.dtype))
			return type_refused(g, op, "a complex dtype (take re(x) or abs(x))", n, x);
		return type_with_dtype(g, x[0]->type, attr->v[0].u.dtype);
	case OP_BITCAST:
		if (d == DT_BOOL || d == DT_KEY || dtype_is_complex(d) || attr->v[0].u.dtype == DT_BOOL ||
			dtype_bytes(d) != dtype_bytes(attr->v[0].u.dtype))
			return graph_fail(g, ERR_TYPE, "bitcast: %s to %s: the widths differ",
				type_shown(g, x[0]->type), dtype_name(attr->v[0].u.dtype));
		return type_with_dtype(g, x[0]->type, attr->v[0].u.dtype);
	default: /* STOP */ return x[0]->type;
	}
}

static bool is_real(Dtype d)
{
	return dtype_is_integer(d) || dtype_is_float(d);
}

static bool is_floating(Dtype d)
{
	return dtype_is_float(d) || dtype_is_complex(d);
}

static bool has_bits(Dtype d)
{
	return dtype_is_integer(d) || d == DT_BOOL;
}

static bool is_bool(Dtype d)
{
	return d == DT_BOOL;
}

static bool is_compared(Dtype d)
{
	return d != DT_KEY;
}

static bool is_ordered(Dtype d)
{
	return is_real(d) || d == DT_BOOL;
}

/* What maps of each kind take, all operands of one dtype; a test gives bools, the others what they take. */
static const struct {
	bool (*takes)(Dtype);
	bool test;
	const char *wanted;
} map_takes[] = {
	[SAME] = {dtype_is_number, false, "numbers"},
	[REAL] = {is_real, false, "integers or real floats"},
	[FLOAT] = {is_floating, false, "floats"},
	[RFLOAT] = {dtype_is_float, false, "real floats"},
	[INT] = {dtype_is_integer, false, "integers"},
	[BITS] = {has_bits, false, "integers or bools"},
	[BOOL] = {is_bool, false, "bools"},
	[TEST] = {is_compared, true, "numbers or bools"},
	[RTEST] = {is_ordered, true, "integers, real floats or bools"},
	[FTEST] = {dtype_is_float, true, "real floats"},
};

static const Type *select_type(Graph *g, Op op, uint32_t n, Node *const *x)
{
	if (node_dtype(x[0]) != DT_BOOL || node_dtype(x[1]) != node_dtype(x[2]))
		return type_refused(g, op, "a bool and two of one dtype", n, x);
	return type_with_dtype(g, x[0]->type, node_dtype(x[1]));
}

static const Type *map_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	bool alike = true;
	for (uint32_t k = 0; k < n; k++) {
		if (x[k]->type->kind != TYPE_ARRAY) return type_refused(g, op, "arrays", n, x);
		alike &= x[k]->type == x[0]->type;
	}
	if (!alike && !operands_fit(g, op, n, x)) return NULL;
	DtypeRule rule = op_info[op].dtype;
	if (rule == SELECT) return select_type(g, op, n, x);
	if (rule == OWN || rule == MODULUS) return own_map_type(g, op, attr, n, x);
	if (!alike && !operands_share_dtype(n, x))
		return type_refused(g, op, "operands of one dtype", n, x);
	if (!map_takes[rule].takes(node_dtype(x[0])))
		return type_refused(g, op, map_takes[rule].wanted, n, x);
	return map_takes[rule].test ? type_with_dtype(g, x[0]->type, DT_BOOL) : x[0]->type;
}

/* ---- folds ----------------------------------------------------------------------- */

static bool folds_dtype(Op op, Dtype d)
{
	switch (op) {
	case OP_ANY:
	case OP_ALL: return d == DT_BOOL;
	case OP_LOGSUMEXP: return dtype_is_float(d);
	case OP_SUM:
	case OP_PROD: return dtype_is_number(d) || d == DT_BOOL;
	default: return dtype_is_integer(d) || dtype_is_float(d);
	}
}

static const Type *fold_type(Graph *g, Op op, const Attr *attr, Node *const *x)
{
	const Type *t = x[0]->type;
	Dtype d = t->kind == TYPE_ARRAY ? (Dtype)t->dtype : DT_NONE;
	if (!folds_dtype(op, d))
		return type_refused(g, op, op == OP_ANY || op == OP_ALL ? "bools" : "numbers", 1, x);
	const Size *dim[RANK_MAX];
	uint32_t n = 0, k = 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (k < (attr ? attr->n : 0) && attr->v[k].u.i == i) {
			bool places = op == OP_ARGMAX || op == OP_ARGMIN;
			if (places && !g->bodies && size_equals(DIM(t, i), 0))
				return graph_fail(g, ERR_TYPE, "%s: axis %u of %s is empty", op_info[op].text,
					i, type_shown(g, t));
			k++;
		} else {
			dim[n++] = DIM(t, i);
		}
	if (k != (attr ? attr->n : 0))
		return graph_fail(g, ERR_TYPE, "%s: axes are not ascending axes of %s", op_info[op].text,
			type_shown(g, t));
	Dtype result = d;
	if (op == OP_ARGMAX || op == OP_ARGMIN)
		result = DT_I64;
	else if (op == OP_SUM || op == OP_PROD)
		result = dtype_summed(d);
	return type_array(g, result, n, dim);
}

/* ---- contraction and decompositions ---------------------------------------------------- */

static const Type *contract_type(Graph *g, const Attr *attr, Node *const *x)
{
	const Size *of[LABELS_MAX] = {0};
	uint32_t at = 0;
	if (!operands_share_dtype(2, x) || !dtype_is_number(node_dtype(x[0])))
		return type_refused(g, OP_CONTRACT, "two arrays of one numeric dtype", 2, x);
	for (uint32_t k = 0; k < 2; k++, at++)
		for (uint32_t i = 0; i < node_rank(x[k]); i++, at++) {
			int64_t l = at < attr->n ? attr->v[at].u.i : -1;
			if (l < 0 || l >= LABELS_MAX)
				return type_refused(g, OP_CONTRACT, "a label for each axis", 2, x);
			if (of[l] && sizes_clash(g, of[l], node_dim(x[k], i)))
				return graph_fail(g, ERR_TYPE, "einsum: inner sizes differ: %s",
					operands_shown(g, 2, x));
			of[l] = of[l] ? of[l] : node_dim(x[k], i);
		}
	const Size *dim[RANK_MAX];
	uint32_t n = 0;
	for (; at < attr->n; at++) {
		int64_t l = attr->v[at].u.i;
		if (l < 0 || l >= LABELS_MAX || !of[l] || n == RANK_MAX)
			return type_refused(g, OP_CONTRACT, "result labels that an operand has", 2, x);
		dim[n++] = of[l];
	}
	return type_array(g, node_dtype(x[0]), n, dim);
}

static const Type *solve_type(Graph *g, Op op, uint32_t n, Node *const *x)
{
	const Type *a = x[0]->type;
	Dtype d = node_dtype(x[0]);
	if (a->kind != TYPE_ARRAY || a->n < 2 || (d != DT_F32 && d != DT_F64) || !operands_share_dtype(n, x))
		return type_refused(g, op, "matrices of f32 or f64", n, x);
	const Size *rows = DIM(a, a->n - 2), *columns = DIM(a, a->n - 1), *dim[RANK_MAX];
	for (uint32_t i = 0; i < a->n; i++) dim[i] = DIM(a, i);
	if (op == OP_QR) {
		if (!g->bodies && size_compare(g, rows, columns) == PROOF_LESS)
			return type_refused(g, op, "at least as many rows as columns", n, x);
		const Type *q = a;
		dim[a->n - 2] = columns;
		return type_tuple(g, 2, (const Type *[]){q, type_array(g, d, a->n, dim)});
	}
	const Type *b = x[1]->type;
	bool fits = b->n == a->n && !sizes_clash(g, rows, columns) && !sizes_clash(g, rows, DIM(b, b->n - 2));
	for (uint32_t i = 0; fits && i + 2 < a->n; i++) fits = !sizes_clash(g, DIM(a, i), DIM(b, i));
	return fits ? b : type_refused(g, op, "a square matrix and as many rows", n, x);
}

/* ---- random ------------------------------------------------------------------------------ */

static const Type *random_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	if (op == OP_KEY)
		return dtype_is_integer(node_dtype(x[0])) ? type_with_dtype(g, x[0]->type, DT_KEY)
							  : type_refused(g, op, "an integer", n, x);
	if (node_dtype(x[0]) != DT_KEY) return type_refused(g, op, "a key, as key(7)", n, x);
	if (op == OP_KEY_AT) {
		if (!dtype_is_integer(node_dtype(x[1])) || !operands_fit(g, op, n, x))
			return type_refused(g, op, "a key and an integer", n, x);
		return x[0]->type;
	}
	if (op == OP_GAMMA_DRAW)
		return dtype_is_float(node_dtype(x[1])) && operands_fit(g, op, n, x)
			? x[1]->type
			: type_refused(g, op, "keys and shapes of a float dtype", n, x);
	Dtype d = attr->v[0].u.dtype;
	const Size *dim[RANK_MAX];
	uint32_t keys = node_rank(x[0]);
	if (!dtype_is_float(d))
		return graph_fail(g, ERR_TYPE, "%s: numbers of %s are asked for, wanted those of a float dtype; 0 is i64, 0.0 is f64",
			op_info[op].text, dtype_name(d));
	if (keys + attr->n - 1 > RANK_MAX) return type_refused(g, op, "keys, and fewer axes", n, x);
	for (uint32_t i = 0; i < keys; i++) dim[i] = node_dim(x[0], i);
	for (uint32_t i = 1; i < attr->n; i++) dim[keys + i - 1] = attr->v[i].u.size;
	return type_array(g, d, keys + attr->n - 1, dim);
}

/* ---- any operator ------------------------------------------------------------------ */

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
			return type_refused(g, op, "numbers with that axis", n, x);
		return type_with_dtype(g, x[0]->type, dtype_summed(node_dtype(x[0])));
	case VIEW: return view_type(g, op, attr, n, x);
	case INDEX: return index_type(g, op, attr, n, x);
	case CONTRACT: return contract_type(g, attr, x);
	case SOLVE: return solve_type(g, op, n, x);
	case RANDOM: return random_type(g, op, attr, n, x);
	default: return control_type(g, op, attr, n, x);
	}
}
