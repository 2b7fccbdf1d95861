/* flags.c - the rules that follow from what ops.h says of an operator: even, odd, idempotent, to whole
 * numbers, monotone, linear.
 * Needs: nothing.  Gives: a book of algebra, one of `last` and one of derivatives, as text that is read like
 * any other.
 *
 * - of an odd or even function NAME_neg: f(-x) => -f(x), f(x);
 * - of an idempotent one NAME_NAME: f(f(x)) => f(x), of two operands NAME_self: f(x, x) => x, of an
 *   associative one too NAME_again: f(x, f(x, y)) => f(x, y);
 * - of one that gives whole numbers NAME_whole: f(x) => x where x is whole;
 * - of an increasing one max_NAME: max[a](f(x)) => f(max[a](x)), min_NAME, larger_NAME and smaller_NAME:
 *   max(f(x), f(y)) => f(max(x, y)); of such that is defined everywhere and takes no value twice
 *   argmax_NAME, argmin_NAME and lt_NAME, le_, gt_, ge_: f(x) < f(y) => x < y; a decreasing one turns max to
 *   min;
 * - of a comparison NAME_same: x <= x => true where x is a number, NAME_known and NAME_not: x < y => true
 *   where facts say so, false where they say x >= y;
 * - of max and min NAME_above and NAME_known: max(x, y) => x where x >= y, NAME_minus: max(x, -x) =>
 *   abs(x), and NAME_clip of a choice;
 * - of a fold NAME_none: f[a](x) => x where there are no axes, NAME_neg of a linear one; of a bilinear one
 *   that of each operand; of both NAME_scale and NAME_const: f[a](x*c) => f[a](x)*c;
 * - of max and min, any and all what makes one of the other: max_neg: max[a](-x) => -min[a](x);
 *   of integers turned_NAME: not (x < y) => x >= y; and_NAME: x < y and x >= y => false, or_NAME;
 * - of two that absorb one another, as and and or, NAME_absorb: x and (x or y) => x; with the operator that
 *   makes one of the other NAME_nots: not x and not y => not (x or y), NAME_opposite: x and not x => false,
 *   NAME_less: x and (not x or y) => x and y, NAME_without: x or not (x or y) => x or not y;
 * - of a number that changes nothing, or leaves nothing, OP_one, OP_zero and so on;
 * - of two that undo one another F_G: f(g(x)) => x where x is in the domain of g, and G_F; of one that undoes
 *   itself NAME_NAME;
 * - of a logarithm exp_NAME and expm1_NAME, and NAME_any, NaN outside of its domain;
 * - of an exponential NAME_mul and NAME_div: f(x)*f(y) => f(x + y), f(x)/f(y) => f(x - y);
 * - of one that is a quotient of two others NAME_ratio: sin(x)/cos(x) => tan(x), and cos_over_sin;
 * - of one that is linear, bilinear or to whole numbers its differential: f(dx, dy), f(dx, y) + f(x, dy), 0.
 *
 * What makes one function of two waits for derivatives, nearer before it.
 */
#include "rules.h"

/* Negation of unsigned numbers wraps; it has its own rules. */
static const char *guard_of(const OpInfo *o)
{
	return o->dtype == RFLOAT || o->dtype == FLOAT ? "" : " if real(x)";
}

static bool is_sign(const OpInfo *o)
{
	char c = o->text[0];
	return !(c >= 'a' && c <= 'z');
}

static void of_one(Text *t, const OpInfo *o, bool last)
{
	const char *f = o->text;
	if (last) {
		if (o->flags & TO_WHOLE) text_printf(t, "%s_whole: %s(x) => x  exact if whole(x)\n", f, f);
		return;
	}
	const char *sign = o->flags & ODD ? "-" : "";
	if (o->flags & (ODD | EVEN))
		text_printf(t, "%s_neg: %s(-x) => %s%s(x)  exact%s\n", f, f, sign, f, guard_of(o));
	if (o->flags & (IDEM | TO_WHOLE))
		text_printf(t, "%s_%s: %s(%s(x)) => %s(x)  exact\n", f, f, f, f, f);
}

/* Comparisons of order: a decreasing function turns their operands. */
static void of_order(Text *t, const OpInfo *o)
{
	const char *f = o->text, *x = o->flags & DECREASING ? "y" : "x", *y = o->flags & DECREASING ? "x" : "y";
	for (Op op = OP_NONE + 1; op < OP_COUNT; op++) {
		const OpInfo *is = &op_info[op];
		if (is->class != MAP || is->dtype != RTEST) continue;
		for (const char *c = is->name; *c; c++) text_char(t, (char)(*c | ' '));
		text_printf(t, "_%s: %s(x) %s %s(y) => %s %s %s  real\n", f, f, is->text, f, x, is->text, y);
	}
}

/* Of law real: what one side takes for NaN, or rounds to equal numbers, the other need not. */
static void of_monotone(Text *t, const OpInfo *o, bool last)
{
	static const char *const name[2] = {"max", "min"}, *const pair[2] = {"larger", "smaller"};
	const char *f = o->text;
	if (!(o->flags & (INCREASING | DECREASING))) return;
	bool turns = o->flags & DECREASING, is_strict = o->flags & NO_NAN && !(o->flags & TO_WHOLE);
	for (int k = 0; k < 2; k++) {
		const char *from = name[k], *to = name[turns ? 1 - k : k];
		if (last) {
			text_printf(t, "%s_%s: %s(%s(x), %s(y)) => %s(%s(x, y))  real\n", pair[k], f, from, f, f,
				f, to);
			continue;
		}
		text_printf(t, "%s_%s: %s[a](%s(x)) => %s(%s[a](x))  real if occupied(a)\n", from, f, from, f, f,
			to);
		if (is_strict && !k) of_order(t, o);
		if (is_strict)
			text_printf(t, "arg%s_%s: arg%s[a](%s(x)) => arg%s[a](x)  real\n", from, f, from, f, to);
	}
}

static void of_two(Text *t, const OpInfo *o, bool last)
{
	const char *f = o->text;
	bool word = !strcmp(f, "and") || !strcmp(f, "or");
	if (!(o->flags & IDEM)) return;
	if (last && word)
		text_printf(t, "%s_again: x %s (x %s y) => x %s y  exact\n", f, f, f, f);
	else if (last && o->flags & ASSOC)
		text_printf(t, "%s_again: %s(x, %s(x, y)) => %s(x, y)  exact\n", f, f, f, f);
	else if (!last && word)
		text_printf(t, "%s_self: x %s x => x  exact\n", f, f);
	else if (!last)
		text_printf(t, "%s_self: %s(x, x) => x  exact\n", f, f);
}

static void of_comparison(Text *t, const OpInfo *o)
{
	static const char *const other[] = {[OP_LT] = ">=", [OP_LE] = ">", [OP_GT] = "<=", [OP_GE] = "<",
		[OP_EQ] = "!=", [OP_NE] = "=="};
	const char *is = o->text, *not = other[o - op_info];
	char name[8] = "";
	for (size_t i = 0; o->name[i]; i++) name[i] = (char)(o->name[i] | ' ');
	bool reflexive = o->flags & REFLEXIVE, differs = o == &op_info[OP_NE]; /* true of NaN */
	text_printf(t, "%s_same: x %s x => %s  exact%s\n", name, is, reflexive ? "true" : "false",
		reflexive || differs ? " if number(x)" : "");
	if (reflexive || differs)
		text_printf(t, "%s_itself: x %s x => %s  finite\n", name, is, reflexive ? "true" : "false");
	if (o->dtype == RTEST || differs)
		text_printf(t, "%s_known: x %s y => true  exact if x %s y%s\n", name, is, is,
			differs ? "" : " and number(x) and number(y)");
	if (!differs) text_printf(t, "%s_not: x %s y => false  exact if x %s y\n", name, is, not);
	bool order = o->dtype == RTEST;
	if (o == &op_info[OP_GT] || o == &op_info[OP_GE]) return; /* found as those of < and <= */
	if (order) text_printf(t, "turned_%s: not (x %s y) => x %s y  exact if integer(x)\n", name, is, not);
	if (o == &op_info[OP_LT]) text_printf(t, "lt_not_gt[logic]: x < y and not (x > y) => x < y  exact\n");
	if (o != &op_info[OP_LT] && o != &op_info[OP_EQ]) return;
	text_printf(t, "and_%s: x %s y and x %s y => false  exact\n", name, is, not);
	text_printf(t, "or_%s: x %s y or x %s y => true  exact%s\n", name, is, not,
		order ? " if number(x) and number(y)" : "");
}

/* f(x, y), between its operands or before them. */
static void add_pair(Text *t, const OpInfo *f, const char *x, const char *y)
{
	text_printf(t, f->dtype == BOOL ? "(%s %s %s)" : "%2$s(%1$s, %3$s)", x, f->text, y);
}

/* Two that absorb one another, and what makes the one of the other. */
static void of_absorbing(Text *t)
{
	static const struct {
		Op f, g;
		const char *not, *x, *y, *nothing; /* NULL: there is none */
	} pair[] = {
		{OP_AND, OP_OR, "not ", "not x", "not y", "false"},
		{OP_OR, OP_AND, "not ", "not x", "not y", "true"},
		{OP_BIT_AND, OP_BIT_OR, "bit_not", "bit_not(x)", "bit_not(y)", "0"},
		{OP_BIT_OR, OP_BIT_AND, "bit_not", "bit_not(x)", "bit_not(y)", "-1"},
		{OP_MAXIMUM, OP_MINIMUM, NULL, NULL, NULL, NULL},
		{OP_MINIMUM, OP_MAXIMUM, NULL, NULL, NULL, NULL},
	};
	for (uint32_t i = 0; i < countof(pair); i++) {
		const OpInfo *f = &op_info[pair[i].f], *g = &op_info[pair[i].g];
		const char *guard = f->dtype == BOOL ? "" : " if integer(x)";
		Text part;
		text_open(&part, t->arena);
		add_pair(&part, g, "x", "y");
		text_printf(t, "%s_absorb: ", f->text);
		add_pair(t, f, "x", text_done(&part));
		text_printf(t, " => x  exact%s\n", guard);
		if (!pair[i].not) continue;
		text_printf(t, "%s_nots: ", f->text);
		add_pair(t, f, pair[i].x, pair[i].y);
		text_printf(t, " => %s", pair[i].not);
		text_printf(t, f->dtype == BOOL ? "%s" : "(%s)", part.s);
		text_printf(t, "  exact\n%s_opposite: ", f->text);
		add_pair(t, f, "x", pair[i].x);
		text_printf(t, " => %s  exact%s\n%s_less: ", pair[i].nothing, guard, f->text);
		text_open(&part, t->arena);
		add_pair(&part, g, pair[i].x, "y");
		add_pair(t, f, "x", text_done(&part));
		text_printf(t, " => ");
		add_pair(t, f, "x", "y");
		text_printf(t, "  exact%s\n%s_without: ", guard, f->text);
		text_open(&part, t->arena);
		text_printf(&part, "%s(", pair[i].not);
		add_pair(&part, f, "x", "y");
		text_char(&part, ')');
		add_pair(t, f, "x", text_done(&part));
		text_printf(t, " => ");
		add_pair(t, f, "x", pair[i].y);
		text_printf(t, "  exact%s\n", guard);
	}
}

static void add_lower(Text *t, const char *name)
{
	for (; *name; name++) text_char(t, (char)(*name >= 'A' && *name <= 'Z' ? *name | ' ' : *name));
}

/* Numbers that change nothing, or leave nothing. */
static void of_numbers(Text *t)
{
	static const struct {
		Op op;
		const char *number, *word, *guard;
		bool absorbs;
	} fact[] = {
#define OP(...)
#define NEUTRAL(op, number, word, guard) {OP_##op, number, word, guard, false},
#define ABSORBING(op, number, word, guard) {OP_##op, number, word, guard, true},
#include "../ir/ops.h"
#undef OP
#undef NEUTRAL
#undef ABSORBING
	};
	for (uint32_t i = 0; i < countof(fact); i++) {
		const OpInfo *o = &op_info[fact[i].op];
		bool infix = is_sign(o) || o->dtype == BOOL;
		add_lower(t, o->name);
		text_printf(t, infix ? "_%s[neutral]: x %s (%s)" : "_%s[neutral]: %s(x, %s)", fact[i].word, o->text, fact[i].number);
		text_printf(t, " => %s  exact%s%s\n", fact[i].absorbs ? fact[i].number : "x",
			*fact[i].guard ? " if " : "", fact[i].guard);
	}
}

/* FIRST_SECOND[tag]: and a space; a tag of "" is none. */
static void add_name(Text *t, const char *first, const char *second, const char *tag)
{
	const char *open = *tag ? "[" : "", *close = *tag ? "]" : "";
	text_printf(t, "%s_%s%s%s%s: ", first, second, open, tag, close);
}

/* Functions that undo one another. */
static void of_inverses(Text *t)
{
	static const struct {
		Op f, g;
		const char *domain, *tag;
		bool both;
	} pair[] = {
#define OP(...)
#define INVERSE(f, g, domain, tag) {OP_##f, OP_##g, domain, tag, true},
#define ONE_WAY(f, g, domain, tag) {OP_##f, OP_##g, domain, tag, false},
#include "../ir/ops.h"
#undef OP
#undef INVERSE
#undef ONE_WAY
	};
	for (uint32_t i = 0; i < countof(pair); i++) {
		const char *f = op_info[pair[i].f].text, *g = op_info[pair[i].g].text;
		const char *domain = pair[i].domain, *tag = pair[i].tag;
		add_name(t, f, g, tag);
		text_printf(t, "%s(%s(x)) => x  real%s%s\n", f, g, *domain ? " if " : "", domain);
		if (!pair[i].both) continue;
		add_name(t, g, f, tag);
		text_printf(t, "%s(%s(x)) => x  real\n", g, f);
	}
}

static void of_involutions(Text *t)
{
	static const struct {
		Op op;
		const char *guard;
	} of[] = {
#define OP(...)
#define INVOLUTION(op, guard) {OP_##op, guard},
#include "../ir/ops.h"
#undef OP
#undef INVOLUTION
	};
	for (uint32_t i = 0; i < countof(of); i++) {
		const OpInfo *o = &op_info[of[i].op];
		const char *guard = of[i].guard, *f = o->text;
		add_lower(t, o->name);
		text_char(t, '_');
		add_lower(t, o->name);
		text_printf(t, is_sign(o) || o->dtype == BOOL ? ": %s (%s x)" : ": %s(%s(x))", f, f);
		text_printf(t, " => x  exact%s%s\n", *guard ? " if " : "", guard);
	}
}

/* exp and expm1 of logarithms: where they are known, and, behind that, everywhere. */
static void of_logarithms(Text *t, bool last)
{
	static const struct {
		Op f;
		const char *is[2], *domain;
		bool late;
	} of[] = {
#define OP(...)
#define LOGARITHM(f, of, less, domain, late) {OP_##f, {of, less}, domain, late},
#include "../ir/ops.h"
#undef OP
#undef LOGARITHM
	};
	static const char *const exps[] = {"exp", "expm1"};
	for (uint32_t i = 0; i < 2*countof(of); i++) {
		const char *e = exps[i % 2], *f = op_info[of[i / 2].f].text, *is = of[i / 2].is[i % 2];
		const char *domain = of[i / 2].domain;
		if (!last && is)
			text_printf(t, "%s_%s[exponentials]: %s(%s(x)) => %s  real%s%s\n", e, f, e, f, is,
				*domain ? " if " : "", domain);
		if (last && of[i / 2].late)
			text_printf(t, "%s_%s_any: %s(%s(x)) => where(%s, %s, nan)  real\n", e, f, e, f,
				domain, is ? is : "x");
	}
}

/* One that is the quotient of two others */
static void of_ratios(Text *t)
{
	static const struct {
		Op f, above, below;
	} of[] = {
#define OP(...)
#define RATIO(f, above, below) {OP_##f, OP_##above, OP_##below},
#include "../ir/ops.h"
#undef OP
#undef RATIO
	};
	for (uint32_t i = 0; i < countof(of); i++) {
		const char *f = op_info[of[i].f].text;
		const char *a = op_info[of[i].above].text, *b = op_info[of[i].below].text;
		text_printf(t, "%s_ratio[trigonometry]: %s(x)/%s(x) => %s(x)  real\n", f, a, b, f);
		text_printf(t, "%s_over_%s[trigonometry]: %s(x)/%s(x) => 1/%s(x)  real\n", b, a, b, a, f);
	}
}

static void of_exponentials(Text *t)
{
	static const Op of[] = {
#define OP(...)
#define EXPONENTIAL(op) OP_##op,
#include "../ir/ops.h"
#undef OP
#undef EXPONENTIAL
	};
	for (uint32_t i = 0; i < countof(of); i++) {
		const char *f = op_info[of[i]].text;
		text_printf(t, "%s_mul[rounding, exponentials]: %s(x)*%s(y) => %s(x + y)  real\n", f, f, f, f);
		text_printf(t, "%s_div[rounding, exponentials]: %s(x)/%s(y) => %s(x - y)  real\n", f, f, f, f);
	}
}

/* What repeats along the axes, a number and a scalar leave a sum, as factors and as divisors. */
static void of_scaled(Text *t, const char *f)
{
	const char *tags = "[range, folds]: ";
	for (int k = 0; k < 2; k++) {
		const char *name = k ? "_div" : "", *left = k ? "x/expand" : "x*expand", *a = k ? "" : "c*", *b = k ? "/c" : "";
		const char *n = k ? "" : "number_of(k)*", *m = k ? "/number_of(k)" : "";
		text_printf(t, "%s_scale%s%s%s[a](%s[a](c)) => %s%s[a](x)%s  real if wide(c)\n", f, name, tags, f, left, a, f, b);
		text_printf(t, "%s_const%s%s%s[a](x%sk) => %s%s[a](x)%s  real if moderate(k)\n", f, name, tags, f,
			k ? "/" : "*", n, f, m);
		text_printf(t, "%s_scalar%s%s%s[a](%s[b](c)) => %s%s[a](x)%s  real if scalar(c) and wide(c)\n", f, name,
			tags, f, left, a, f, b);
	}
}

/* A scalar leaves the larger of two operands, which is a pass over it less; a number leaves either. */
static void of_scaled_operand(Text *t, const char *f, bool second)
{
	const char *x = second ? "x, y" : "x", *rest = second ? "" : ", y", *side = second ? "r" : "l";
	const char *larger = second ? "rank(y) > rank(x)" : "rank(x) > rank(y)", *tags = "[range, contractions]: ";
	text_printf(t, "%s_scale_%s%s%s[a](%s*expand[b](c)%s) => c*%s[a](x, y)  real if scalar(c) and wide(c) and %s\n",
		f, side, tags, f, x, rest, f, larger);
	text_printf(t, "%s_scale_d%s%s%s[a](%s/expand[b](c)%s) => %s[a](x, y)/c  real if scalar(c) and wide(c) and %s\n",
		f, side, tags, f, x, rest, f, larger);
	text_printf(t, "%s_const_%s%s%s[a](%s*k%s) => number_of(k)*%s[a](x, y)  real if moderate(k)\n", f, side, tags, f, x,
		rest, f);
}

/* What is linear lets a sign out; a fold over no axes is none, where of a sum -0 may become 0. */
static void of_fold(Text *t, const OpInfo *o)
{
	const char *f = o->text;
	if (o->args == 1 && o->flags & LINEAR) text_printf(t, "%s_neg: %s[a](-x) => -%s[a](x)  real\n", f, f, f);
	if (o->flags & BILINEAR) {
		text_printf(t, "%s_neg_l: %s[a](-x, y) => -%s[a](x, y)  real\n", f, f, f);
		text_printf(t, "%s_neg_r: %s[a](x, -y) => -%s[a](x, y)  real\n", f, f, f);
	}
	for (int k = 0; o->flags & BILINEAR && k < 2; k++) of_scaled_operand(t, f, k);
	if (o->class != FOLD) return;
	if (o->flags & LINEAR) of_scaled(t, f);
	if (!(o->flags & (IDEM | LINEAR))) return;
	const char *law = o->flags & IDEM ? "exact" : "real";
	text_printf(t, "%s_none: %s[a](x) => x  %s if count(a) == 0\n", f, f, law);
}

/* What turns into one another under a minus, or not, the one way and the other. */
static void of_duals(Text *t)
{
	static const char *const fold[] = {"max", "min"}, *const truth[] = {"any", "all"};
	static const char *const shares[] = {"softmax", "log_softmax"}; /* ops of the library that keep order */
	for (int k = 0; k < 2; k++) {
		const char *f = fold[k], *g = fold[1 - k];
		text_printf(t, "%s_scale[folds]: %s[a](k*x) => number_of(k)*%s[a](x)  real if literal(k) and k > 0\n",
			f, f, f);
		text_printf(t, "%s_shift[folds]: %s[a](x + expand[a](c)) => %s[a](x) + c  real\n", f, f, f);
		text_printf(t, "%s_neg[folds]: %s[a](-x) => -%s[a](x)  exact if real(x)\n", f, f, g);
		text_printf(t, "arg%s_neg[folds]: arg%s[a](-x) => arg%s[a](x)  exact if number(x) and real(x)\n", f,
			f, g);
		text_printf(t, "arg%s_exp[folds]: arg%s[a](exp(x)) => arg%s[a](x)  real\n", f, f, f);
		text_printf(t, "arg%s_shift[folds]: arg%s[a](x + expand[a](c)) => arg%s[a](x)  real\n", f, f, f);
		text_printf(t, "arg%s_less[folds]: arg%s[a](x - expand[a](c)) => arg%s[a](x)  real\n", f, f, f);
		text_printf(t, "arg%s_shift_by[folds]: arg%s[a](k + x) => arg%s[a](x)  real if literal(k)\n", f, f, f);
		text_printf(t, "arg%s_scale[folds]: arg%s[a](k*x) => arg%s[a](x)  real if literal(k) and k > 0\n", f, f,
			f);
		text_printf(t, "arg%s_scale_by[folds]: arg%s[a](expand[a](c)*x) => arg%s[a](x)  real if c > 0\n", f, f,
			f);
		text_printf(t, "arg%s_over[folds]: arg%s[a](x/expand[a](c)) => arg%s[a](x)  real if c > 0\n", f, f, f);
		for (uint32_t i = 0; i < countof(shares); i++)
			text_printf(t, "arg%s_%s[folds]: arg%s[a](%s[a](x)) => arg%s[a](x)  real\n", f, shares[i], f,
				shares[i], f);
		text_printf(t, "%s_of_neg[extrema]: -%s(-x, -y) => %s(x, y)  exact if real(x)\n", f, f, g);
		f = truth[k];
		text_printf(t, "%s_not[folds]: %s[a](not x) => not %s[a](x)  exact\n", f, f, truth[1 - k]);
	}
}

/* The larger and the smaller of two, where it is known which that is, and what a choice makes of them.  Of
 * equal floats it is either until derivatives are taken. */
static void of_extrema(Text *t, bool last)
{
	static const char *const name[] = {"max", "min"};
	for (int k = 0; k < 2; k++) {
		const char *f = name[k], *g = name[1 - k], *first = k ? "y" : "x";
		if (!last) {
			text_printf(t, "%s_above_int[extrema]: %s(x, y) => %s  exact if integer(x) and x >= y\n", f, f, first);
			text_printf(t, "%s_above[extrema]: %s(x, y) => %s  real if x > y\n", f, f, first);
			if (k) continue;
			text_printf(t, "max_plus_min[extrema]: max(x, y) + min(x, y) => x + y  real\n");
			text_printf(t, "max_less_min[extrema]: max(x, y) - min(x, y) => abs(x - y)  real\n");
			continue;
		}
		text_printf(t, "%s_known: %s(x, y) => %s  real if x >= y\n", f, f, first);
		text_printf(t, "%s_minus: %s(x, -x) => %sabs(x)  real\n", f, f, k ? "-" : "");
		text_printf(t, "%s_chosen: where(x %c y, x, y) => %s(x, y)  exact if integer(x)\n", f, k ? '<' : '>', f);
		text_printf(t, "%s_clip: where(x %c y, y, %s(x, z)) => %s(%s(x, z), y)  real if y %c= z\n", f,
			k ? '>' : '<', g, f, g, k ? '>' : '<');
	}
}

/* The operator of operands x and y, brackets as they are. */
static void add_applied(Text *t, const OpInfo *o, const char *x, const char *y)
{
	const char *name = o->text, *some = o->class == MAP ? "[t]" : "[a]", *brackets = *o->brackets ? some : "";
	if (is_sign(o) && o->args == 2)
		text_printf(t, "%s %s %s", x, name, y);
	else if (o->args == 2)
		text_printf(t, "%s%s(%s, %s)", name, brackets, x, y);
	else
		text_printf(t, "%s%s(%s)", name, brackets, x);
}

/* Its differential; those of reshape, slice and pad ask for sizes, and stand in the table. */
static void of_differential(Text *t, const OpInfo *o)
{
	bool sizes = o == &op_info[OP_RESHAPE] || o == &op_info[OP_SLICE] || o == &op_info[OP_PAD];
	bool all = o->args == VARIADIC;
	if (sizes || !(o->flags & (LINEAR | BILINEAR | TO_WHOLE))) return;
	text_printf(t, "d(");
	add_applied(t, o, all ? "..x" : "x", "y");
	text_printf(t, ") => ");
	if (o->flags & TO_WHOLE) {
		text_char(t, '0');
	} else if (o->flags & LINEAR) {
		add_applied(t, o, all ? "..dx" : "dx", "dy");
	} else {
		add_applied(t, o, "dx", "y");
		text_printf(t, " + ");
		add_applied(t, o, "x", "dy");
	}
	text_char(t, '\n');
}

static bool add_derivatives(Graph *g)
{
	Text t;
	text_open(&t, g->arena);
	text_printf(&t, "book flags_derivative: derivative\n");
	for (Op op = OP_NONE + 1; op < OP_COUNT; op++) of_differential(&t, &op_info[op]);
	return rules_add(g, t.s, t.n, "ops");
}

static bool add_book(Graph *g, const char *head, bool last)
{
	Text t;
	text_open(&t, g->arena);
	text_printf(&t, "%s\n", head);
	for (Op op = OP_NONE + 1; op < OP_COUNT; op++) {
		const OpInfo *o = &op_info[op];
		bool compares = o->class == MAP && (o->dtype == TEST || o->dtype == RTEST);
		if (compares && !last) of_comparison(&t, o);
		bool folds = o->class == FOLD || o->class == CUMULATIVE || o->class == CONTRACT;
		if (folds && !last) of_fold(&t, o);
		if (o->class != MAP || is_sign(o)) continue;
		if (o->args == 1) of_one(&t, o, last);
		if (o->args == 1) of_monotone(&t, o, last);
		if (o->args == 2) of_two(&t, o, last);
	}
	if (!last) of_duals(&t);
	if (!last) of_absorbing(&t);
	if (!last) of_numbers(&t);
	if (!last) of_inverses(&t);
	if (!last) of_involutions(&t);
	of_logarithms(&t, last);
	of_extrema(&t, last);
	if (!last) of_exponentials(&t);
	if (!last) of_ratios(&t);
	return rules_add(g, t.s, t.n, "ops");
}

bool rules_of_flags(Graph *g)
{
	return add_book(g, "book flags: algebra", false) && add_book(g, "book flags_last: last", true) &&
		add_derivatives(g) && rules_about_0(g);
}
