/* eval_stir.c - binary128 that shows what it has lost.
 *
 * Needs: the operands or the result of an operator in binary128. Gives: the same, each number moved by
 * about 256 units of its last place where the operator has rounded, up or down by chance; what is exact
 * stays. Where a function, evaluated so twice, gives two values far apart, cancellation or the end of
 * the range has left nothing of the true one; where they are near each other, they are near it.
 *
 * A result beyond the range becomes infinity or the largest number by chance, one below it 0 or the
 * smallest.
 */
#include "eval.h"
#include "quad_math.h"

#define NOISE 0x1p-104Q
#define LARGEST_QUAD 1.18973149535723176508575932662800702e4932Q
#define LEAST_QUAD 6.47517511943802511092443895822764655e-4966Q
#define LEAST_NORMAL 3.36210314311209350626267781732175260e-4932Q

/* One stirring goes on from number to number. */
static uint64_t next_word(Eval *e)
{
	uint64_t z = e->stir += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* From 1/2 to 1 in magnitude, of either sign. */
static Quad some_part(Eval *e)
{
	uint64_t w = next_word(e);
	Quad part = (Quad)0.5 + (Quad)(w >> 12) * 0x1p-53Q;
	return w & 1 ? part : -part;
}

static bool is_small_whole(Quad x)
{
	return fabsf128(x) < 0x1p60Q && x == floorf128(x);
}

/* 0, 1 and -1 are where functions have values that are numbers of few digits. */
static bool is_plain(Quad x)
{
	return x == 0 || x == 1 || x == -1 || is_inf(x);
}

/* Is r what the operator is of these numbers, and no rounding of it? */
static bool is_exact(Op op, uint32_t n, const Quad *x, Quad r)
{
	bool few = fabsf128(r) < 0x1p60Q && 2 * r == floorf128(2 * r), plain = true, whole = true;
	Quad s, back;
	for (uint32_t i = 0; i < n; i++) {
		plain &= is_plain(x[i]);
		whole &= is_small_whole(x[i]);
	}
	switch (op) {
	case OP_ADD:
	case OP_SUB:
		s = op == OP_SUB ? -x[1] : x[1];
		back = r - x[0];
		return (x[0] - (r - back)) + (s - back) == 0;
	case OP_MUL: return fmaf128(x[0], x[1], -r) == 0 && (r != 0 || x[0] == 0 || x[1] == 0);
	case OP_DIV: return fmaf128(r, x[1], -x[0]) == 0 && (r != 0 || x[0] == 0);
	case OP_SQRT: return fmaf128(r, r, -x[0]) == 0;
	case OP_FLOORDIV: return fabsf128(r) < 0x1p110Q;
	case OP_HYPOT: return x[0] == 0 || x[1] == 0;
	case OP_POW:
	case OP_EXP2:
	case OP_EXP10:
	case OP_LOG2:
	case OP_LOG10:
	case OP_CBRT:
	case OP_GAMMA:
	case OP_LGAMMA:
	case OP_SINPI:
	case OP_COSPI:
	case OP_SINC: /* whole numbers of whole numbers, and halves */
		for (uint32_t i = 0; i < n; i++) whole &= is_small_whole(2 * x[i]);
		return few && whole && (r != 0 || op == OP_SINPI || op == OP_COSPI || op == OP_SINC || plain);
	default: return few && (plain || (n > 1 && whole && r == 0));
	}
}

/* A number that is no rounding but the end of the range; poles are none. */
static Quad at_the_end(Eval *e, const Quad *x, uint32_t n, Quad r)
{
	bool up = next_word(e) & 1;
	if (!is_inf(r)) return copysignf128(up ? LEAST_QUAD * (Quad)(1 + next_word(e) % 64) : 0, r);
	for (uint32_t i = 0; i < n; i++)
		if (is_inf(x[i]) || is_plain(x[i]) || (x[i] < 0 && is_small_whole(x[i]))) return r;
	return up ? r : copysignf128(LARGEST_QUAD, r);
}

static Quad stirred(Eval *e, Op op, uint32_t n, const Quad *x, Quad r)
{
	if (is_nan(r)) return r;
	if (is_finite(r) && is_exact(op, n, x, r)) return r;
	if (is_inf(r) || fabsf128(r) < LEAST_NORMAL) {
		for (uint32_t i = 0; i < n; i++)
			if (is_inf(x[i])) return r;
		return at_the_end(e, x, n, r);
	}
	return r + quad_lost(op, x, r) * NOISE * some_part(e);
}

/* Both parts by their modulus; one that is 0 stays on its axis. */
static void stir_pair(Eval *e, Quad *r)
{
	Quad size = fabsf128(r[0]) + fabsf128(r[1]);
	for (uint32_t k = 0; k < 2; k++)
		if (!is_small_whole(r[k]) && is_finite(size)) r[k] += size * NOISE * some_part(e);
}

/* What a map has given. */
static void stir_map(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Eval *e = f->e;
	uint32_t n = (uint32_t)op_info[x->op].args;
	for (int64_t i = 0; i < out->count; i++) {
		Quad *r = (Quad *)out->data + (dtype_is_complex(out->dtype) ? 2 * i : i), in[3] = {0, 0, 0};
		if (dtype_is_complex(out->dtype)) {
			stir_pair(e, r);
			continue;
		}
		bool real = true;
		for (uint32_t k = 0; k < n; k++) {
			real &= dtype_is_float(arg[k]->dtype);
			if (real) in[k] = ((Quad *)arg[k]->data)[i];
		}
		*r = real ? stirred(e, (Op)x->op, n, in, *r) : *r + *r * NOISE * some_part(e);
	}
}

static bool is_number_array(const Value *v)
{
	return dtype_is_float(v->dtype) || dtype_is_complex(v->dtype);
}

static int64_t parts_of(const Value *v)
{
	return dtype_is_complex(v->dtype) ? 2 * v->count : v->count;
}

/* Small whole numbers alone: sums of their products are exact. */
static bool is_all_whole(const Value *v)
{
	for (int64_t i = 0; is_number_array(v) && i < parts_of(v); i++) {
		Quad q = ((Quad *)v->data)[i];
		if (!(fabsf128(q) < 0x1p24Q) || q != floorf128(q)) return false;
	}
	return true;
}

/* What a fold or product is made of: its own roundings are as those of its terms. */
static const Value *stirred_operand(Activation *f, const Value *v)
{
	if (!is_number_array(v)) return v;
	int64_t n = parts_of(v);
	Value *moved = NEW(f->arena, Value);
	*moved = *v;
	Quad *to = moved->data = arena_alloc(f->arena, (size_t)(n + 1) * sizeof *to);
	for (int64_t i = 0; i < n; i++) {
		Quad q = ((Quad *)v->data)[i];
		to[i] = is_finite(q) ? q + q * NOISE * some_part(f->e) : q;
	}
	return moved;
}

void eval_stir_operands(Activation *f, const Node *x, const Value **arg)
{
	Class k = op_info[x->op].class;
	bool picks = k == FOLD && op_info[x->op].flags & (IDEM | NO_NAN); /* max, any, argmax */
	bool sums = k == CUMULATIVE || k == CONTRACT || x->op == OP_SCATTER_ADD ||
		x->op == OP_SCATTER_MUL || x->op == OP_SUM;
	bool whole = sums;
	if (picks || (!sums && k != FOLD && k != SOLVE)) return;
	for (uint32_t i = 0; i < node_operands(x); i++) whole = whole && is_all_whole(arg[i]);
	for (uint32_t i = 0; !whole && i < node_operands(x); i++) arg[i] = stirred_operand(f, arg[i]);
}

void eval_stir_result(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	bool number = out->type->kind == TYPE_ARRAY && (dtype_is_float(out->dtype) ||
		dtype_is_complex(out->dtype));
	bool rounds = op_info[x->op].class == MAP && (!(op_info[x->op].flags & EXACT) ||
		x->op == OP_FLOORDIV);
	if (number && rounds && x->op != OP_STOP) stir_map(f, x, arg, out);
}
