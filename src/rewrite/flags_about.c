/* flags_about.c - the rules that follow from what ops.h says of functions about 0.
 * Needs: the ops of the library.  Gives: a book of stable and one of derivatives, as text that is read like
 * any other.
 *
 * - f_over: f(x)/x, f_over_square: f(x)^2/x^2, over_f: x/f(x), each an op of the library; f_over_minus and
 *   over_f_minus: that less 1;
 * - f_minus: f(x) - x, minus_f: x - f(x), and that over x, f_minus_over, and over the power of x that it is
 *   like, f_bend;
 * - the differentials of f_over and f_over_minus, which are one;
 * - log_f: log(f(x)), an op of the library;
 * - of one whose f(-x) is 1 - f(x) one_f: 1 - f(x), and one_f_cast of what it is converted to;
 * - f_apart: f(x + y) - f(x - y), and after the last derivative f_diff: f(x + y) - f(x), and, behind the
 *   rules of all books, f_less: f(x) - f(y), and what else is told what two arguments are apart.
 */
#include "rules.h"

enum { OVER = 1, FALLS = 2, OVER_LESS = 4, UNDER = 8, UNDER_LESS = 16, LESS = 32, MORE = 64 };

typedef struct About {
	Op op;
	uint32_t has, power;
} About;

static const About abouts[] = {
#define OP(...)
#define ABOUT_0(f, ops, power) {OP_##f, ops, power},
#include "../ir/ops.h"
#undef OP
#undef ABOUT_0
};

/* f_diff(x, y) of the library is f(x + y) - f(x) without the difference; apart, where that is a product, is
 * f(x + y) - f(x - y). */
static const struct Difference {
	Op op;
	const char *apart, *guard; /* with a guard it stands before the last derivative, too */
} differences[] = {
	{OP_SIN, "2*(cos(x)*sin(y))", NULL},
	{OP_COS, "-2*(sin(x)*sin(y))", NULL},
	{OP_CBRT, NULL, NULL},
	{OP_ATAN, NULL, NULL},
	{OP_EXP, NULL, NULL},
	{OP_SQRT, NULL, "x > 0 and x + y >= 0"},
	{OP_LOG, NULL, "x > 0 and x + y >= 0"},
	{OP_LGAMMA, NULL, "x > 0 and y > 0"},
};

/* log_f(x) of the library is log(f(x)). */
static const struct Logarithm {
	const char *tag, *f;
} logarithms[] = {
	{"hyperbolic", "cosh"}, {"hyperbolic", "sinh"}, {"hyperbolic", "tanh"}, {"series", "expm1_over"},
	{"series", "sinh_over"}, {"series", "sin_over"}, {"special", "erfc"}, {"special", "ndtr"},
};

static const struct Mirrored {
	const char *tag;
	Op op;
} mirrors[] = {
#define OP(...)
#define MIRRORED(f, tag) {tag, OP_##f},
#include "../ir/ops.h"
#undef OP
#undef MIRRORED
};

/* f_less(x, y, d) of the library is f(x) - f(y), where d is x - y: what other rules make of that may be known
 * better than x and y are. */
static const Op neighbours[] = {OP_SQRT, OP_CBRT, OP_LOG, OP_LOG1P, OP_LOGIT, OP_EXPM1, OP_SIN,
	OP_COS, OP_TAN, OP_ASIN, OP_ACOS, OP_ATAN, OP_SINH, OP_COSH, OP_TANH, OP_ASINH, OP_ACOSH, OP_ATANH,
	OP_SIGMOID, OP_SOFTPLUS, OP_ERF, OP_ERFC, OP_NDTR};

static void of_quotient(Text *t, const About *a)
{
	const char *f = op_info[a->op].text;
	if (a->has & OVER) {
		text_printf(t, "%s_over: %s(x)/x => %s_over(x)\n", f, f, f);
		text_printf(t, "%s_over_square: %s(x)^2/x^2 => %s_over(x)^2\n", f, f, f);
	}
	if (a->has & OVER_LESS) text_printf(t, "%s_over_minus: %s_over(x) - 1 => %s_over_minus(x)\n", f, f, f);
	if (a->has & UNDER) text_printf(t, "over_%s: x/%s(x) => over_%s(x)\n", f, f, f);
	if (a->has & UNDER_LESS)
		text_printf(t, "over_%s_minus: over_%s(x) - 1 => over_%s_minus(x)\n", f, f, f);
}

/* What f leaves less x, or x less f. */
static void of_difference(Text *t, const About *a)
{
	if (!(a->has & (LESS | MORE))) return;
	bool more = a->has & MORE;
	const char *f = op_info[a->op].text, *minus = more ? "-" : "";
	const char *before = more ? "minus_" : "", *behind = more ? "" : "_minus";
	if (more)
		text_printf(t, "minus_%s: x - %s(x) => minus_%s(x)\n", f, f, f);
	else
		text_printf(t, "%s_minus: %s(x) - x => %s_minus(x)\n", f, f, f);
	if (a->has & OVER_LESS)
		text_printf(t, "%s_minus_over: %s%s%s(x)/x => %s%s_over_minus(x)\n", f, before, f, behind, minus,
			f);
	if (a->power)
		text_printf(t, "%s_bend: %s%s%s(x)/x^%u => %s%s_bend(x)\n", f, before, f, behind, a->power, before,
			f);
}

static void of_slope(Text *t, const About *a)
{
	const char *f = op_info[a->op].text, *open = a->has & FALLS ? "-(" : "", *close = a->has & FALLS ? ")" : "";
	const char *less[] = {"", "_minus"};
	for (int k = 0; k < 2; k++)
		if (a->has & (k ? OVER_LESS : OVER))
			text_printf(t, "d(%s_over%s(x)) => %s%s_over_1(x)*dx%s\n", f, less[k], open, f, close);
}

/* Of x and a number, x - y is what tells which is y: it is read first. */
static void of_neighbours(Text *early, Text *late, const struct Difference *d)
{
	const char *f = op_info[d->op].text;
	if (d->apart)
		text_printf(early, "%s_apart: -%s(x - y) + %s(x + y) => %s real if wide(x)\n", f, f, f,
			d->apart);
	text_printf(d->guard ? early : late, "%s_diff: %s(x + y) - %s(x) => %s_diff(x, y)%s%s\n", f, f, f, f,
		d->guard ? "  real if " : "", d->guard ? d->guard : "");
}

/* 1 - f(x) without the difference, of what f is converted to, too. */
static void of_mirrored(Text *t, const struct Mirrored *m)
{
	const char *f = op_info[m->op].text;
	text_printf(t, "tag %s\none_%s: 1 - %s(x) => %s(-x)\n", m->tag, f, f, f);
	text_printf(t, "one_%s_cast: 1 - cast[a](%s(x)) => cast[a](%s(-x))\n", f, f, f);
}

bool rules_about_0(Graph *g)
{
	Text rules, slopes, late;
	text_open(&rules, g->arena);
	text_open(&slopes, g->arena);
	text_open(&late, g->arena);
	text_printf(&rules, "book flags_stable: stable\ntag series\n");
	text_printf(&slopes, "book flags_slopes: derivative\n");
	for (uint32_t i = 0; i < countof(abouts); i++) {
		of_quotient(&rules, &abouts[i]);
		of_difference(&rules, &abouts[i]);
		of_slope(&slopes, &abouts[i]);
	}
	for (uint32_t i = 0; i < countof(logarithms); i++) {
		const char *f = logarithms[i].f;
		text_printf(&rules, "tag %s\nlog_%s: log(%s(x)) => log_%s(x)\n", logarithms[i].tag, f, f, f);
	}
	for (uint32_t i = 0; i < countof(mirrors); i++) of_mirrored(&rules, &mirrors[i]);
	text_printf(&rules, "tag differences\n");
	text_printf(&late, "book flags_differences: stable_last\ntag differences\n");
	for (uint32_t i = 0; i < countof(differences); i++) of_neighbours(&rules, &late, &differences[i]);
	return rules_add(g, rules.s, rules.n, "ops") && rules_add(g, slopes.s, slopes.n, "ops") &&
		rules_add(g, late.s, late.n, "ops");
}

bool rules_of_neighbours(Graph *g)
{
	Text t;
	text_open(&t, g->arena);
	text_printf(&t, "book flags_neighbours: stable_last\ntag differences\n");
	text_printf(&t, "recip_less: 1/x - 1/y => recip_less(x, y, gap_between(x, y))\n");
	text_printf(&t, "hypot_less: hypot(x, z) - hypot(y, z) => hypot_less(x, y, z, gap_between(x, y))\n");
	text_printf(&t, "part_less: part(x, z) - part(y, z) => part_less(x, y, z, gap_between(x, y)) real if x > 0 and y > 0 and z > 0\n");
	text_printf(&t, "part_less_by: part(x, y) - part(x, z) => part_less_by(x, y, z, gap_between(z, y)) real if x > 0 and y > 0 and z > 0\n");
	text_printf(&t, "log1p_ratio: log1p(y/x) => log_diff(x, y) real if x > 0 and y > 0\n");
	text_printf(&t, "log_mean: (x - y)/log(x/y) => (x - y)/log_less(x, y, x - y) real if x > 0 and y > 0\n");
	text_printf(&t, "sqrt_minus_1: sqrt(x) - 1 => sqrt_less(x, 1, x - 1)\n");
	text_printf(&t, "cube_less: x^3 - y^3 => cube_less(x, y, gap_between(x, y))\n");
	text_printf(&t, "pow_less: x^n - y^n => pow_less(x, y, n, gap_between(x, y)) real if x > 0 and y > 0\n");
	text_printf(&t, "log_mul_less: x*log(x) - y*log(y) => log_mul_less(x, y, gap_between(x, y)) real if x > 0 and y > 0\n");
	for (uint32_t i = 0; i < countof(neighbours); i++) {
		const char *f = op_info[neighbours[i]].text;
		text_printf(&t, "%s_less: %s(x) - %s(y) => %s_less(x, y, gap_between(x, y))\n", f, f, f, f);
	}
	return rules_add(g, t.s, t.n, "ops");
}
