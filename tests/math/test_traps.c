/* test_traps.c - which floating-point exceptions a function may raise: those that C's Annex F (F.10) has for
 * the operand, or, of functions that C lacks, what follows from the same rules.
 *
 * Invalid only where a number gives none; a division by zero only at a pole; overflow only where the result of
 * a finite operand is infinite.  So nothing is raised by the branch that a select does not take, by a
 * neighbour, or by what fills up the last vector.  A comparison with NaN may raise invalid (compilers are told
 * that nobody looks), so NaN is left out; and so are inexact and underflow.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#undef fail
#include "ir/ir.h"
#include "loop/loop.h"
#include "interp/prim.h"
#include "scalars.h"

#include <porism.h>

enum { N = 67, WATCHED = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };

/* ---- the operands ---- */

/* with both signs, and the next larger ones; f32 takes those that it holds */
static const double operands[] = {0, 0x1p-1074, 0x1p-1022, 1e-300, 0x1p-149, 0x1p-126, 1e-30, 1e-20, 1e-10,
	1e-5, 0.1, 0.25, 0.47, 0.5, 0.65, 0.7, 0.9, 0x1.fffffep-1, 1, 1.1, 1.25, 1.5, 1.5707963267948966, 2,
	2.25, 2.5, 3, 3.25, 4, 5, 6.5, 8, 10, 16, 20, 22, 28, 30, 40, 64, 88, 89, 90, 100, 104, 128, 151, 171,
	172, 200, 300, 310, 400, 700, 709.7, 710, 711, 745, 746, 800, 1000, 1024, 1075, 1e4, 1e6, 1e10,
	0x1p45, 0x1p48, 0x1p53, 1e20, 1e30, 1e36, 1e38, 0x1.fffffep127, 1e100, 1e150, 1e200, 1e300,
	0x1.fffffffffffffp1023, __builtin_inf()};
enum { OPERANDS = sizeof operands / sizeof *operands };

/* Every function is a finite number of these, away from what is special. */
static double harmless(const char *name)
{
	return strcmp(name, "acosh") ? 0.625 : 1.5;
}

static int one_of(const char *name, const char *list)
{
	char word[32];
	snprintf(word, sizeof word, " %s ", name);
	return strstr(list, word) != NULL;
}

static int is_pole(const char *name, double x, double y)
{
	if (one_of(name, " log log2 log10 rsqrt log1mexp digamma gamma ")) return x == 0;
	if (one_of(name, " log1p ")) return x == -1;
	if (one_of(name, " atanh erfinv ")) return x == 1 || x == -1;
	if (one_of(name, " logit ")) return x == 0 || x == 1;
	if (one_of(name, " lgamma trigamma ")) return x <= 0 && x == __builtin_floor(x);
	if (one_of(name, " pow ")) return x == 0 && y < 0;
	if (one_of(name, " xlogy ")) return y == 0 && x != 0;
	return one_of(name, " lbeta ") && (x == 0 || y == 0);
}

/* What is promised: operands of such sizes.  f64 is not kept from all other exceptions, where that would cost
 * time at every element.  pow in f64: where its result is 0 or infinite, anything. */
static const struct {
	const char *name;
	int bits;
	double least, most;
} within[] = {{"exp", 64, 0, 1e300}, {"exp2", 64, 0, 1e300}, /* infinity itself overflows */
	{"exp10", 64, 0, 690}, {"expm1", 64, 0, 709}, {"sinh", 64, 0, 710}, {"cosh", 64, 0, 710},
	{"log", 64, 0, 1e290}, {"log2", 64, 0, 1e290}, {"log10", 64, 0, 1e290}, {"log1p", 64, 0, 1e300},
	{"logit", 96, 0x1p-1074, 0.99}, {"cbrt", 64, 0, 1e200}, {"asinh", 64, 0, 1e150},
	{"acosh", 64, 0, 1e150}, {"atanh", 64, 0, 0.99}, {"lgamma", 64, 1e-10, 1e10},
	{"digamma", 96, 0, 1e290}, {"pow", 64, 0, 1e290}, {"atan2", 64, 1e-100, 1e100},
	{"hypot", 64, 1e-100, 1e100}, {"xlogy", 64, 0, 1e290}, {"lbeta", 96, 1e-10, 1e10}};

static int is_promised(const Scalar *e, int bits, double x, double y)
{
	for (size_t i = 0; i < sizeof within / sizeof *within; i++)
		if (!strcmp(within[i].name, e->name) && within[i].bits & bits)
			for (int k = 0; k < e->args; k++) {
				double a = __builtin_fabs(k ? y : x);
				if (a < within[i].least || a > within[i].most) return 0;
			}
	return 1;
}

static int allowed(const Scalar *e, int bits, double x, double y, double result)
{
	int finite = __builtin_isfinite(x) && (e->args == 1 || __builtin_isfinite(y)),
	    ends = result == 0 || !__builtin_isfinite(result);
	if (bits == 64 && !strcmp(e->name, "pow") && (ends || !__builtin_isfinite(y))) return WATCHED;
	if (result != result) return WATCHED; /* outside the domain: it is invalid anyway */
	if (__builtin_isfinite(result)) return 0;
	return is_pole(e->name, x, y) ? FE_DIVBYZERO : finite ? FE_OVERFLOW : 0;
}

/* ---- one operand alone, and among harmless ones ---- */

static int wrong;

static void report(
	const Scalar *e, int bits, double x, double y, double result, int raised, const char *where)
{
	if (wrong++ < 40)
		print_error("%s_f%d(%.17g, %.17g) = %g raises%s%s%s %s\n", e->name, bits, x, y, result,
			raised & FE_INVALID ? " invalid" : "", raised & FE_DIVBYZERO ? " divide-by-zero" : "",
			raised & FE_OVERFLOW ? " overflow" : "", where);
}

static void check(const Scalar *e, int op, double x, double y)
{
	for (int bits = 32; bits <= 64; bits += 32) {
		float x32 = (float)x, y32 = (float)y;
		if (!is_promised(e, bits, x, y) || (bits == 32 && (x32 != x || y32 != y))) continue;
		feclearexcept(FE_ALL_EXCEPT);
		volatile double result = bits == 64
			? (e->args == 1 ? e->one_f64(x) : e->two_f64(x, y))
			: (double)(e->args == 1 ? e->one_f32(x32) : e->two_f32(x32, y32));
		int raised = fetestexcept(WATCHED), may = allowed(e, bits, x, y, result);
		if (raised & ~may) report(e, bits, x, y, result, raised, "as a scalar");
		for (int isa = 0; op >= 0 && isa <= cpu_isa(); isa++)
			for (int k = 0; k < 2; k++) {
				static double a[N], b[N], out[N];
				int at = k ? N - 1 : 13;
				for (int i = 0; i < N; i++) {
					double p = i == at ? x : harmless(e->name),
					       q = i == at ? y : harmless(e->name);
					if (bits == 64)
						a[i] = p, b[i] = q;
					else
						((float *)a)[i] = (float)p, ((float *)b)[i] = (float)q;
				}
				feclearexcept(FE_ALL_EXCEPT);
				prims_of(isa)->map[op][bits == 64 ? DT_F64 : DT_F32](N, out, a, b, b);
				raised = fetestexcept(WATCHED);
				if (raised & ~may)
					report(e, bits, x, y, result, raised,
						isa == 0           ? "at 128 bits"
							: isa == 1 ? "at 256 bits"
								   : "at 512 bits");
			}
	}
}

static int op_of(const char *name)
{
	for (int op = 1; op < OP_COUNT; op++)
		if (op_info[op].class == MAP && prims_of(0)->map[op][DT_F64] &&
			!strcmp(strcmp(name, "pow") ? name : "^", op_info[op].text))
			return op;
	return -1; /* no operator: the scalar alone */
}

static void test_functions(void **state)
{
	(void)state;
	int operators = 0;
	for (const Scalar *e = scalars; e < scalars + SCALARS; e++) {
		int op = op_of(e->name);
		operators += op >= 0;
		for (int i = 0; i < 2 * OPERANDS; i++) {
			double x = i % 2 ? -operands[i / 2] : operands[i / 2];
			if (e->args == 1) {
				check(e, op, x, 1);
				if (i % 2 == 0 && i / 2 < OPERANDS - 2)
					check(e, op, f64_of_bits(bits_f64(x) + 1), 1),
						check(e, op, f32_of_bits(bits_f32((float)x) + 1), 1);
				continue;
			}
			for (int j = i % 6; j < 2 * OPERANDS; j += 6)
				check(e, op, x, j % 2 ? -operands[j / 2] : operands[j / 2]);
		}
	}
	assert_true(operators > 40);
	assert_int_equal(wrong, 0);
}

/* ---- what fills the last vector of a kernel ---- */

typedef struct Tail {
	const char *text;
	double first; /* of the operand; the others are 1.5 */
} Tail;

/* Zeros in what is left of a vector would be divided by here, or multiplied by infinity. */
static const Tail tails[] = {{"fn f(x: f64[n]) = 1/x + log(x) + x^-1.5", 1.5},
	{"fn f(x: f32[n]) = 1/x + log(x) + x^-1.5", 1.5}, {"fn f(x: f64[n]) = sum(1/x)/prod(log(x))", 1.5},
	{"fn f(x: f32[n]) = cumsum(1/x)", 1.5}, {"fn f(x: f32[n]) = 1/max(x) - argmax(log(x))", 1.5},
	{"fn f(x: f64[n]) = (x[:, _] + x) @ (x[:, _] + x)", __builtin_inf()},
	{"fn f(x: f32[n]) = (x[:, _] + x) @ (x[:, _] + x)", __builtin_inf()},
	{"fn f(x: f64[n]) = x @ (x[:, _] + x[:3])", __builtin_inf()},
	{"fn f(x: f32[n]) = (x[:, _] + x[:5]) @ x[:5]", __builtin_inf()}};

static int raised_by(por_program *p, por_frame *f, int dtype, void *x, int64_t n)
{
	por_array in = por_view(x, dtype, 1, &n);
	feclearexcept(FE_ALL_EXCEPT);
	assert_int_equal(por_call(p, f, 1, &in, 0, NULL), 0);
	return fetestexcept(WATCHED);
}

static void check_tail(const Tail *t, int tier, const char *target)
{
	por_graph *g = por_open(NULL);
	por_options o = {.size = sizeof o, .tier = tier, .threads = 1, .target = target};
	por_program *p = por_compile_function(
		por_function_named(por_load(g, t->text, -1, "tails.por"), "f", 0, NULL), &o);
	assert_non_null(p);
	por_frame *f = por_frame_new(p);
	bool narrow = strstr(t->text, "f32") != NULL;
	double x64[N];
	float x32[N];
	for (int i = 0; i < N; i++) x32[i] = (float)(x64[i] = i ? 1.5 : t->first);
	for (int64_t n = 5; n < N; n++) {
		int raised =
			raised_by(p, f, narrow ? POR_F32 : POR_F64, narrow ? (void *)x32 : (void *)x64, n);
		if (raised) {
			print_error("%s, tier %d, %s, %d elements: %#x\n", t->text, tier,
				target ? target : "native", (int)n, raised);
			wrong++;
			break;
		}
	}
	por_frame_free(f);
	por_program_free(p);
	por_close(g);
}

static void test_tails(void **state)
{
	(void)state;
	static const char *const targets[] = {"baseline", "avx2", "avx512"};
	wrong = 0;
	for (const Tail *t = tails; t < tails + countof(tails); t++) {
		for (int isa = 0; isa <= cpu_isa(); isa++) check_tail(t, POR_TIER_INTERPRET, targets[isa]);
		check_tail(t, POR_TIER_NATIVE, NULL);
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions), cmocka_unit_test(test_tails)};
	return cmocka_run_group_tests_name("traps", tests, NULL, NULL);
}
