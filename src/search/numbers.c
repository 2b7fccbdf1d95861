/* numbers.c - one operator at all points: in f64, and in binary128 with a bound of what is not known. */
#include "measure.h"

static Quad magnitude(Quad x)
{
	return x < 0 ? -x : x;
}

static bool is_number(Quad x)
{
	return x - x == 0;
}

static bool is_nan(Quad x)
{
	return x != x;
}

static bool is_truth(const Node *x)
{
	return node_dtype(x) == DT_BOOL;
}

bool is_computed(const Node *x)
{
	if (x->narg > OPERANDS || !node_is_scalar(x)) return false;
	if (node_dtype(x) != DT_F64 && !is_truth(x)) return false;
	if (x->op == OP_CONST || x->op == OP_INPUT || library_name(x)) return true;
	double y, at[OPERANDS] = {1, 1, 1};
	return op_info[x->op].class == MAP && map_numbers((Op)x->op, at, &y);
}

bool is_measured(const Node *x)
{
	if (!is_computed(x)) return false;
	const QuadOp *q = &quad_op[x->op];
	return !x->narg || library_name(x) || x->op == OP_WHERE || q->of_1 || q->of_2 || q->of_3;
}

/* ---- by the evaluator: an op of the library ---------------------------------------------------- */

typedef struct AppliedTo {
	Graph *g;
	Arena *arena;
	const Node *x;
} AppliedTo;

/* f64; binary128; that, what is rounded moved, by other random words each. */
typedef enum Precision { AS_F64, WIDE, STIRRED = 3, STIRRED_AGAIN = 5 } Precision;

/* Its value there. */
static Quad evaluated(const AppliedTo *s, const Quad *arg, Precision precision)
{
	Arena *scratch = arena_child(s->arena);
	const Function *f = call_function(s->x);
	uint32_t n = s->x->narg;
	Value *in = NEW_ARRAY(scratch, Value, n), out = {0};
	for (uint32_t k = 0; k < n; k++) {
		union {
			Quad wide;
			double own;
		} *number = arena_alloc(scratch, sizeof *number);
		if (precision == AS_F64)
			number->own = (double)arg[k];
		else
			number->wide = arg[k];
		in[k] = (Value){.type = f->param[k], .dtype = DT_F64, .count = 1, .data = number};
	}
	Quad y = quad_nan();
	bool good = precision >= STIRRED ? evaluates_stirred(s->g, scratch, f, in, &out, precision)
				      : evaluates(s->g, scratch, f, in, &out, precision == WIDE);
	if (good) y = precision == AS_F64 ? *(double *)out.data : *(Quad *)out.data;
	arena_free(scratch);
	return y;
}

/* ---- f64 --------------------------------------------------------------------------------------- */

void compute_own(Graph *g, Arena *a, const Node *x, uint32_t n, const double *const *arg, double *out)
{
	double at[OPERANDS] = {0};
	Quad wide[OPERANDS];
	bool call = library_name(x) != NULL;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < x->narg && k < OPERANDS; k++) {
			at[k] = arg[k][i];
			wide[k] = arg[k][i];
		}
		if (call)
			out[i] = (double)evaluated(&(AppliedTo){g, a, x}, wide, AS_F64);
		else
			map_numbers((Op)x->op, at, &out[i]);
	}
}

/* ---- binary128 --------------------------------------------------------------------------------- */

/* Of `where`: the operand that is taken. */
static uint32_t chosen(const Quad *v)
{
	return v[0] != 0 ? 1 : 2;
}

static Quad value_of(const AppliedTo *s, const Quad *v)
{
	const QuadOp *q = &quad_op[s->x->op];
	if (s->x->op == OP_WHERE) return v[chosen(v)];
	if (q->of_1) return q->of_1(v[0]);
	if (q->of_2) return q->of_2(v[0], v[1]);
	if (q->of_3) return q->of_3(v[0], v[1], v[2]);
	return evaluated(s, v, WIDE);
}

/* How far the value moves when operands move as far as they may, each to either side; NaN: it is no number
 * anywhere there. */
static Quad moved(const AppliedTo *s, const Quad *v, const Quad *off, Quad y)
{
	Quad far = 0;
	bool number = !is_nan(y), all = number;
	for (uint32_t corner = 0; corner < 1u << s->x->narg; corner++) {
		Quad w[OPERANDS] = {0};
		bool again = false;
		for (uint32_t k = 0; k < s->x->narg; k++) {
			if (off[k] != 0 && is_truth(s->x->arg[k])) return quad_inf();
			w[k] = corner >> k & 1 ? v[k] + off[k] : v[k] - off[k];
			again |= off[k] == 0 && corner >> k & 1;
		}
		if (again) continue;
		Quad z = value_of(s, w), d = magnitude(z - y);
		number |= !is_nan(z);
		all &= is_number(d);
		if (d > far) far = d;
	}
	if (!number) return quad_nan();
	return all ? far : quad_inf();
}

/* 0 of operands that are known, one of which is 0, is no rounded number: 0 - 0, sqrt(0); nor is 0 times or
 * over what is known less well. */
static bool is_exact_zero(const Node *x, const Quad *v, const Quad *off, Quad y)
{
	bool exact = y == 0, any = false, zero = false;
	for (uint32_t k = 0; k < x->narg; k++) {
		exact &= off[k] == 0;
		any |= v[k] == 0;
		zero |= v[k] == 0 && off[k] == 0;
	}
	if (x->op == OP_MUL) return y == 0 && zero;
	if (x->op == OP_DIV) return y == 0 && v[0] == 0 && off[0] == 0 && off[1] < magnitude(v[1]);
	return exact && any;
}

/* How far y = op(v) may lie off by what is rounded on the way.  An op of the library has polynomials that are
 * good to f64, and where its own terms cancel in binary128 nothing of it may be left. */
static Quad rounded(const AppliedTo *s, const Quad *v, Quad y)
{
	const Quad few = 0x1p-108Q, least = 0x1p-16400Q, polynomial = 0x1p-54Q;
	if (!library_name(s->x)) return quad_lost((Op)s->x->op, v, y) * few + least;
	Quad far = magnitude(evaluated(s, v, STIRRED) - y);
	Quad again = magnitude(evaluated(s, v, STIRRED_AGAIN) - y);
	if (!is_number(far + again)) return quad_inf();
	return magnitude(y) * polynomial + (far > again ? far : again) + least;
}

static Quad off_of(const AppliedTo *s, const Quad *v, const Quad *off, Quad y)
{
	if (!is_number(y)) return moved(s, v, off, y);
	if (s->x->op == OP_WHERE) return off[0] == 0 ? off[chosen(v)] : quad_inf();
	if (s->x->op == OP_NEG) return off[0];
	if (is_truth(s->x)) return moved(s, v, off, y);
	if (is_exact_zero(s->x, v, off, y)) return 0;
	Quad own = rounded(s, v, y);
	switch (s->x->op) {
	case OP_ADD:
	case OP_SUB: return off[0] + off[1] + own;
	case OP_DIV:
		if (off[1] >= magnitude(v[1])) return quad_inf(); /* the divisor may be 0 */
		break;
	case OP_SIN:
	case OP_COS:
	case OP_TAN:
		if (off[0] >= 1) return quad_inf(); /* there are turns between the ends */
		break;
	case OP_POW:
		if (off[0] > 0 && off[0] >= magnitude(v[0])) return quad_inf();
		break;
	default: break;
	}
	return moved(s, v, off, y) + own;
}

/* Is it no number for any of the values that its operands may have?  What is divided by 0 is infinite, which
 * no real number is, though what is divided by that is 0. */
static bool is_none(const Node *x, const Quad *v, const Quad *off)
{
	if (x->op == OP_WHERE) return off[0] == 0 && is_nan(v[chosen(v)]);
	if (x->op == OP_DIV && v[1] == 0 && off[1] == 0) return true;
	for (uint32_t k = 0; k < x->narg; k++)
		if (is_nan(v[k])) return true;
	return false;
}

void compute_near(Graph *g, Arena *a, const Node *x, uint32_t n, const Near *arg, Near out)
{
	const AppliedTo s = {g, a, x};
	for (uint32_t i = 0; i < n; i++) {
		Quad v[OPERANDS] = {0}, off[OPERANDS] = {0};
		bool known = true;
		for (uint32_t k = 0; k < x->narg; k++) {
			v[k] = arg[k].value[i];
			off[k] = arg[k].off[i];
			known &= is_number(off[k]);
		}
		bool none = is_none(x, v, off);
		if (x->op == OP_WHERE && off[0] == 0) known = is_number(off[chosen(v)]);
		out.value[i] = none ? quad_nan() : 0;
		out.off[i] = quad_inf();
		if (none || !known) continue;
		Quad y = value_of(&s, v), far = off_of(&s, v, off, y);
		if (is_nan(far)) out.value[i] = quad_nan();
		if (!is_number(far)) continue;
		out.value[i] = y;
		out.off[i] = far;
	}
}
