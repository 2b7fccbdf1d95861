/* check_early.c - is a rule nowhere worse, and may it fire before derivatives are taken?
 *
 * Needs: a true rule. Gives: false where the right side, or its first or second derivative, is NaN or
 * infinite while that of the left side is finite, or farther from the true value by more than a few ulp:
 * 1 - tanh(x)^2 has the derivative 0 at 800, of 1/cosh(x)/cosh(x) it is NaN. A rule of stable must be no
 * worse itself; one whose derivatives are worse waits until they are taken.
 */
#include "check.h"
#include "judge.h"
#include "range.h"

/* Luck: one in so many; of a rule that promises no accuracy more. */
enum { EARLY_INSTANCES = 3, EARLY_TRIALS = 12, LUCK = 8, LUCK_OF_OTHERS = 4 };
enum { CLOSE_TRIALS = 120, MODERATE_MODES = 4, MODERATE = 100 };
#define NO_LUCK 0x1p12 /* so many ulp are none: what was written is right there, and at inputs nearby */

typedef struct EarlySides {
	Instance in;
	uint32_t ninput; /* of the rule; tangents follow */
	Node *mask, *left, *right; /* of the rule */
	Node *tangent[2 * RULE_VARIABLES];
	Doubts *doubts;
} EarlySides;

static bool open_sides(EarlySides *s, Graph *g, const Rule *r, Random *random)
{
	Instance *in = &s->in;
	bool never = false;
	if (!instance_open(in, g, r, random, DT_F64, SAMPLE_PLACES)) return false;
	const Type *type = in->m.node->type;
	if (type->dtype != DT_F64) return false;
	for (uint32_t k = 0; k < in->ninput; k++)
		for (uint32_t d = 0; d < node_rank(in->input[k]); d++)
			/* softmax of one number is 1, exactly */
			if (size_equals(node_dim(in->input[k], d), 1)) return false;
	s->ninput = in->ninput;
	s->left = in->m.node;
	s->mask = r->guard ? mask_of(in, r->guard, type, &never) : NULL;
	s->right = never ? NULL : fit_type(g, solid(g, instantiate(&in->m, r->right, type)), type);
	for (uint32_t k = 0; s->right && k < s->ninput; k++) {
		bool real = node_dtype(in->input[k]) == DT_F64;
		s->tangent[k] = real && 2 * s->ninput < countof(in->input) ? instance_input(in,
			in->input[k]->type) : NULL;
	}
	return s->right && !g->error.code && in->ninput > s->ninput;
}

static bool is_defined(const Seen *seen, int64_t i)
{
	const Value *v = &seen->wide[0][0][0];
	Quad x = v->count > i ? ((Quad *)v->data)[i] : 0;
	return x == x;
}

static void say_worse(Text *t, const EarlySides *s, const Value *v, int64_t at, uint32_t order,
	const Judged *j)
{
	static const char *const what[] = {"it", "the first derivative", "the second derivative"};
	text_add(t, what[order]);
	for (uint32_t i = 0, n = 0; i < s->in.rule->nvar; i++)
		for (uint32_t k = 0; k < s->ninput; k++)
			if (s->in.m.value[i] == s->in.input[k] && v[k].dtype == DT_F64) {
				text_printf(t, "%s%s = ", n++ ? ", " : " at ", s->in.rule->var[i].name);
				text_number(t, ((double *)v[k].data)[v[k].count > at ? at : 0], 64);
			}
	text_add(t, " is ");
	text_number(t, j->written, 64);
	text_add(t, " of the left side, ");
	text_number(t, j->ours, 64);
	text_add(t, " of the right");
}

/* Of subnormal numbers second derivatives are out of range; infinite ones are no real numbers, and only
 * derivatives of rules of stable promise something of them; a scalar that leaves a sum is of everyday
 * size. */
static bool is_outside(const EarlySides *s, const Value *v, uint32_t order)
{
	bool stable = order && rule_is_stable(s->in.rule);
	for (uint32_t k = 0; k < s->ninput; k++)
		for (int64_t i = 0; v[k].dtype == DT_F64 && i < v[k].count; i++) {
			double x = ((double *)v[k].data)[i];
			bool leaves = range_may_leave(&s->in, k) && !is_moderate(DT_F64, x);
			if (leaves || fpclassify(x) == FP_SUBNORMAL || (!stable && !isfinite(x))) return true;
		}
	return false;
}

/* Far from the ends of the range. */
static bool is_moderate_size(double x)
{
	return fabs(log2(fabs(x))) < MODERATE;
}

static bool are_moderate(const EarlySides *s, const Value *v)
{
	for (uint32_t k = 0; k < s->ninput; k++)
		for (int64_t i = 0; v[k].dtype == DT_F64 && i < v[k].count; i++)
			if (!is_moderate_size(((double *)v[k].data)[i])) return false;
	return true;
}

/* Of how many elements the right side was the worse one, and what is said of the first. */
typedef struct Losses {
	uint64_t n, worse;
	Text said;
} Losses;

/* The functions of both sides on one sample, of everyday numbers near one another where `close`; false: what
 * no luck explains, which the report says. */
static bool trial_is_good(
	EarlySides *s, const Compared *sides, uint32_t order, Losses *losses, Text *report)
{
	Graph *g = s->in.m.g;
	Arena *a = s->in.m.scratch;
	const bool close = s->in.close;
	Value *v = instance_values(&s->in, a);
	Seen seen;
	if (is_outside(s, v, order) || (close && !are_moderate(s, v))) return true;
	for (uint32_t k = s->ninput; k < s->in.ninput; k++)
		for (int64_t i = 0; i < v[k].count; i++)
			((double *)v[k].data)[i] = sample_value(s->in.random, 2);
	if (!see(g, a, s->in.random, sides, v, &seen)) return true;
	const Value *mask = s->mask ? &seen.own[0][2] : NULL;
	for (int64_t i = 0; i < seen.own[0][1].count; i++) {
		Judged j = seen_at(&seen, 1, i);
		double excess;
		if ((mask && !((uint8_t *)mask->data)[i]) || !is_defined(&seen, i)) continue;
		Verdict verdict = judge(&j, &excess);
		/* values may come nearer to the end of the range: docs/rules.md, Range */
		bool lost = verdict == VERDICT_LOST && !(fabs(j.written) > 0x1p1011);
		if (close) lost = excess > NO_LUCK && is_moderate_size(j.written);
		if (lost) {
			say_worse(report, s, v, i, order, &j);
			doubt_keep(s->doubts, &s->in, v, i);
			return false;
		}
		losses->n++;
		if (excess > FEW_ULP && !losses->worse++) say_worse(&losses->said, s, v, i, order, &j);
	}
	return true;
}

/* On samples of all places: where both sides cancel, luck makes the right side the worse one now and then. */
static bool is_lucky(EarlySides *s, const Compared *sides, uint32_t order, Text *report)
{
	const bool stable = rule_is_stable(s->in.rule);
	Losses losses = {0};
	text_open(&losses.said, s->in.m.scratch);
	s->in.mode = SAMPLE_PLACES;
	for (uint32_t t = 0; t < EARLY_TRIALS; t++)
		if (!trial_is_good(s, sides, order, &losses, report)) return false;
	if (losses.worse * (stable ? LUCK : LUCK_OF_OTHERS) <= losses.n || (!order && !stable)) return true;
	text_add(report, text_done(&losses.said));
	return false;
}

/* On samples of numbers near one another, and near those that the rule names, drawn on their own. */
static bool is_good_nearby(EarlySides *s, const Compared *sides, Text *report)
{
	Random *random = s->in.random, close = *random;
	Losses losses = {0};
	bool good = true;
	text_open(&losses.said, s->in.m.scratch);
	s->in.close = true;
	s->in.random = &close;
	for (uint32_t t = 0; t < CLOSE_TRIALS && good; t++) {
		s->in.mode = (int)(t % MODERATE_MODES);
		good = trial_is_good(s, sides, 0, &losses, report);
	}
	s->in.random = random;
	s->in.close = false;
	return good;
}

/* side: the functions (value, derivative, mask) of both */
static bool no_worse(EarlySides *s, const Function *const side[2], uint32_t order, Text *report)
{
	const Compared sides = {.written = side[0], .ours = side[1]};
	if (!is_lucky(s, &sides, order, report)) return false;
	return order || !rule_is_stable(s->in.rule) || is_good_nearby(s, &sides, report);
}

static const Function *closed(EarlySides *s, Node *value, Node *derivative)
{
	Closure c = {0};
	Node *result[3] = {value, derivative, s->mask};
	return function_close(s->in.m.g, (Title){.name = "check"}, (Nodes){s->in.ninput, s->in.input},
		(Nodes){s->mask ? 3 : 2, result}, &c) &&
			!c.ncapture
		? c.function
		: NULL;
}

/* Along one input alone. */
static bool early_along(EarlySides *s, uint32_t k, uint32_t first, uint32_t last, Text *report)
{
	Node *only[2 * RULE_VARIABLES] = {0}, *d[2] = {s->left, s->right};
	only[k] = s->tangent[k];
	for (uint32_t order = 0; order <= last; order++) {
		const Function *side[2];
		for (uint32_t i = 0; i < 2; i++) {
			if (order) d[i] = differential(&s->in, s->in.m.scratch, d[i], only, s->ninput);
			side[i] = d[i] ? closed(s, s->left, d[i]) : NULL;
			if (!side[i]) return true;
		}
		if (order >= first && !no_worse(s, side, order, report)) return false;
	}
	return true;
}

bool rule_is_no_worse(Graph *g, const Rule *r, Orders orders, uint64_t seed, Text *report, Doubts *doubts)
{
	Random random = {seed};
	uint32_t first = orders == ORDER_ITSELF ? 0 : 1, last = 2 * first;
	bool good = true;
	if (r->head || r->complex || r->integer || r->boolean || !r->right) return true;
	if (!rule_is_stable(r) && last > 1) last =
		1; /* second derivatives of others differ at the ends of the range alone */
	for (uint32_t i = 0; i < EARLY_INSTANCES && good; i++) {
		EarlySides s = {.doubts = doubts};
		if (open_sides(&s, g, r, &random))
			for (uint32_t k = 0; k < s.ninput && good; k++)
				if (s.tangent[k]) good = early_along(&s, k, first, last, report);
		instance_close(&s.in);
	}
	return good;
}
