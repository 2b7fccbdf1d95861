/* build_whole.c - literals that are whole numbers: their arithmetic is exact, as large as it gets.
 *
 * 10^23 is 10^23: as a float it is rounded once, u64(2^64 - 1) is exact, and where an integer dtype is wanted
 * that does not hold a literal, that is an error that names it.
 */
#include "build.h"
#include "whole.h"

#include <math.h>

enum { FOLDED = 4096 }; /* elements of a literal that are looked at */

/* ---- literals as nodes ---------------------------------------------------------------- */

static bool has_numbers(const Node *x)
{
	return x->op == OP_CONST && x->type->kind == TYPE_ARRAY && node_dtype(x) == DT_WEAK_FLOAT &&
		x->attr->n > 1;
}

bool whole_at(const Node *x, int64_t i, Whole *out)
{
	int64_t value;
	if (!x || x->op != OP_CONST || x->type->kind != TYPE_ARRAY) return false;
	i = constant_is_uniform(x) ? 0 : i;
	if (has_numbers(x)) {
		memcpy(out, x->attr->v[1].u.data->at + (size_t)i * sizeof *out, sizeof *out);
		return true;
	}
	if (node_dtype(x) != DT_WEAK_INT) return false;
	memcpy(&value, (const char *)constant_bytes(x) + (size_t)i * sizeof value, sizeof value);
	*out = whole_of_i64(value);
	return true;
}

Dtype literal_dtype(const Node *x)
{
	return has_numbers(x) ? DT_WEAK_INT : node_dtype(x);
}

Node *whole_data(Graph *g, uint32_t rank, const Size *const *dim, int64_t n, const Whole *w)
{
	int64_t *whole = NEW_ARRAY(g->arena, int64_t, n + 1);
	double *real = NEW_ARRAY(g->arena, double, n + 1);
	bool small = true;
	for (int64_t i = 0; i < n; i++) {
		small &= whole_to_i64(&w[i], &whole[i]);
		real[i] = whole_to_double(&w[i], false);
	}
	if (small) return constant_data(g, type_array(g, DT_WEAK_INT, rank, dim), whole);
	Node *x = constant_data(g, type_array(g, DT_WEAK_FLOAT, rank, dim), real);
	bool same = true; /* floats may be equal where the numbers are not: they stay data */
	for (int64_t i = 1; i < n; i++) same &= !whole_compare(&w[0], &w[i]);
	AttrValue v[2] = {
		same || !constant_is_uniform(x) ? x->attr->v[0] : av_data(data_make(g, real,
			(size_t)n * sizeof *real)),
		av_data(data_make(g, w, (size_t)(same ? 1 : n) * sizeof *w))};
	return node_leaf(g, OP_CONST, attr_make(g, 2, v), x->type);
}

Node *whole_number(Graph *g, const Whole *w)
{
	return whole_data(g, 0, NULL, 1, w);
}

/* ---- arithmetic -------------------------------------------------------------------------- */

typedef enum Answer { NOT_WHOLE, WHOLE, TRUTH, REAL_NUMBER, TOO_LARGE } Answer;

typedef struct Result {
	Whole whole;
	bool test;
	double real;
} Result;

static Answer fits(bool small)
{
	return small ? WHOLE : TOO_LARGE;
}

static Answer tested(Result *r, bool test)
{
	r->test = test;
	return TRUTH;
}

/* Is it too long for a float, so that the quotient of the floats would be rounded thrice? */
static bool is_long(const Whole *x)
{
	double d = whole_to_double(x, true);
	return fabs(d) > 9007199254740992.0;
}

static Answer quotient(const Whole *a, const Whole *b, Result *r)
{
	if (!b->n) return NOT_WHOLE;
	r->real = whole_quotient(a, b);
	return REAL_NUMBER;
}

static Answer power(const Whole *a, const Whole *b, Result *r)
{
	if (!b->negative) return fits(whole_power(&r->whole, a, b));
	Whole one = whole_of_i64(1), above = whole_minus(b), below;
	if (!whole_power(&below, a, &above)) return NOT_WHOLE;
	return quotient(&one, &below, r);
}

static Answer binary(Op op, const Whole *a, const Whole *b, Result *r)
{
	Whole other;
	int64_t by;
	int c = whole_compare(a, b);
	switch (op) {
	case OP_ADD: return fits(whole_add(&r->whole, a, b));
	case OP_SUB: other = whole_minus(b); return fits(whole_add(&r->whole, a, &other));
	case OP_MUL: return fits(whole_multiply(&r->whole, a, b));
	case OP_DIV: return is_long(a) || is_long(b) ? quotient(a, b, r) : NOT_WHOLE;
	case OP_FLOORDIV: whole_divide(a, b, &r->whole, &other); return WHOLE;
	case OP_MOD: whole_divide(a, b, &other, &r->whole); return WHOLE;
	case OP_POW: return power(a, b, r);
	case OP_MAXIMUM: r->whole = c < 0 ? *b : *a; return WHOLE;
	case OP_MINIMUM: r->whole = c < 0 ? *a : *b; return WHOLE;
	case OP_EQ: return tested(r, c == 0);
	case OP_NE: return tested(r, c != 0);
	case OP_LT: return tested(r, c < 0);
	case OP_LE: return tested(r, c <= 0);
	case OP_GT: return tested(r, c > 0);
	case OP_GE: return tested(r, c >= 0);
	case OP_SHIFT_LEFT:
	case OP_SHIFT_RIGHT:
		if (b->negative) { /* as of integers with a dtype */
			r->whole = whole_of_i64(op == OP_SHIFT_RIGHT && a->negative ? -1 : 0);
			return WHOLE;
		}
		if (b->n > 1 || b->word[0] > INT32_MAX)
			by = INT32_MAX;
		else if (b->n)
			by = (int64_t)b->word[0];
		else
			by = 0;
		return fits(whole_shift(&r->whole, a, op == OP_SHIFT_LEFT ? by : -by));
	default: return NOT_WHOLE;
	}
}

static Answer unary(Op op, const Whole *a, Result *r)
{
	switch (op) {
	case OP_NEG: r->whole = whole_minus(a); return WHOLE;
	case OP_ABS: r->whole = a->negative ? whole_minus(a) : *a; return WHOLE;
	case OP_SIGN: r->whole = whole_of_i64(a->negative ? -1 : a->n > 0); return WHOLE;
	default: return NOT_WHOLE;
	}
}

static void *too_large(Graph *g, Op op)
{
	return graph_fail(g, ERR_VALUE,
		"%s: of these whole numbers it is larger than 1.7976931348623157e308, the largest number there is",
		op_info[op].text);
}

static bool scalar_map(Graph *g, Op op, uint32_t n, const Whole *w, Node **out)
{
	Result r;
	switch (n == 2 ? binary(op, &w[0], &w[1], &r) : unary(op, &w[0], &r)) {
	case WHOLE: *out = whole_number(g, &r.whole); return true;
	case TRUTH: *out = constant_int(g, type_scalar(g, DT_BOOL), r.test); return true;
	case REAL_NUMBER: *out = weak_float(g, r.real); return true;
	case TOO_LARGE: *out = too_large(g, op); return true;
	default: return false;
	}
}

/* Elements of the literals, which have one shape or none; -1: they have not, or are many. */
static int64_t common_count(Graph *g, uint32_t n, Node *const *x, const Node **like)
{
	int64_t count, all = -1;
	for (uint32_t i = 0; i < n; i++) {
		if (!node_rank(x[i])) continue;
		if (!size_is(type_elements(g, x[i]->type), &count) || count > FOLDED) return -1;
		if (*like && memcmp(&(*like)->type->u, &x[i]->type->u, x[i]->type->n * sizeof(Size *)))
			return -1;
		if (*like && (*like)->type->n != x[i]->type->n) return -1;
		*like = x[i];
		all = count;
	}
	return all;
}

/* Of arrays only what leaves i64: the rest is arithmetic of i64 like any other. */
static bool array_map(Graph *g, Op op, uint32_t n, Node *const *x, Node **out)
{
	const Node *like = NULL;
	int64_t count = common_count(g, n, x, &like);
	bool large = false;
	if (count < 0) return false;
	Whole *w = NEW_ARRAY(g->arena, Whole, count + 1), arg[2];
	for (int64_t k = 0; k < count; k++) {
		int64_t small;
		Result r;
		for (uint32_t i = 0; i < n; i++)
			if (!whole_at(x[i], k, &arg[i])) return false;
		Answer a = n == 2 ? binary(op, &arg[0], &arg[1], &r) : unary(op, &arg[0], &r);
		if (a == TOO_LARGE) {
			*out = too_large(g, op);
			return true;
		}
		if (a != WHOLE) return false;
		large |= !whole_to_i64(&r.whole, &small);
		w[k] = r.whole;
	}
	if (large) *out = whole_data(g, like->type->n, like->type->u.dim, count, w);
	return large;
}

bool whole_map(Graph *g, Op op, uint32_t n, Node *const *x, Node **out)
{
	Whole w[2];
	bool scalars = true;
	if (n < 1 || n > 2) return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!whole_at(x[i], 0, &w[i])) return false;
		scalars &= !node_rank(x[i]);
	}
	return scalars ? scalar_map(g, op, n, w, out) : array_map(g, op, n, x, out);
}

bool whole_fold(Graph *g, Op op, Node *x, Node **out)
{
	const Node *like = NULL;
	int64_t small, count;
	Whole w, all = whole_of_i64(op == OP_PROD);
	if ((op != OP_SUM && op != OP_PROD) || !whole_at(x, 0, &w) ||
		(count = common_count(g, 1, &x, &like)) < 0)
		return false;
	for (int64_t i = 0; i < count; i++) {
		whole_at(x, i, &w);
		if (!(op == OP_SUM ? whole_add : whole_multiply)(&all, &all, &w)) {
			*out = too_large(g, op);
			return true;
		}
	}
	if (whole_to_i64(&all, &small)) return false;
	*out = whole_number(g, &all);
	return true;
}

/* ---- literals in an integer dtype ----------------------------------------------------------- */

static Whole limit(Dtype d, bool upper)
{
	Whole w = whole_of_u64(UINT64_MAX >> (64 - dtype_digits(d))), one = whole_of_i64(1);
	if (upper) return w;
	if (dtype_is_unsigned(d)) return whole_of_i64(0);
	whole_add(&w, &w, &one);
	return whole_minus(&w);
}

static bool element(Graph *g, Whole w, Dtype d, bool nearest, unsigned char *to)
{
	Whole low = limit(d, false), high = limit(d, true);
	bool below = whole_compare(&w, &low) < 0, above = whole_compare(&w, &high) > 0;
	char text[3][WHOLE_DIGITS];
	if ((below || above) && !nearest) {
		whole_text(&w, text[0]);
		whole_text(&low, text[1]);
		whole_text(&high, text[2]);
		return graph_fail(g, ERR_VALUE, "%s is no %s: that goes from %s to %s", text[0],
			dtype_name(d), text[1], text[2]);
	}
	if (below)
		w = low;
	else if (above)
		w = high;
	int64_t i = 0;
	uint64_t u = 0;
	if (!whole_to_u64(&w, &u)) {
		whole_to_i64(&w, &i);
		u = (uint64_t)i;
	}
	memcpy(to, &u, dtype_bytes(d)); /* the low bytes come first */
	return true;
}

Node *whole_cast(Graph *g, Node *x, Dtype d, bool nearest)
{
	int64_t n = 1;
	bool uniform = constant_is_uniform(x);
	if (!uniform && !size_is(type_elements(g, x->type), &n)) return NULL;
	size_t size = dtype_bytes(d);
	unsigned char *out = NEW_ARRAY(g->arena, unsigned char, (size_t)n * size + 1);
	Whole w;
	for (int64_t i = 0; i < n; i++)
		if (!whole_at(x, i, &w) || !element(g, w, d, nearest, out + (size_t)i * size)) return NULL;
	const Type *t = type_with_dtype(g, x->type, d);
	return uniform ? constant(g, t, out) : constant_data(g, t, out);
}
