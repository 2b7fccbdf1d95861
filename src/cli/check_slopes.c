/* check_slopes.c - derivatives of random programs: forward, in reverse, and by differences of values.
 *
 * Arguments are drawn for sizes from 0 on, along a direction.  Differences over three steps say by themselves
 * how right they are: where a program jumps or bends there they say nothing, and forward is compared with
 * reverse alone.  Where the value is a number, as written too, and none of its neighbours fails, both
 * derivatives are.  One that asks for more than the value does, and fails by that, is told, and not checked;
 * so is one where a value within the program is nan or infinite: it may be multiplied by zero, and what holds
 * of numbers has decided between sides when the derivative was made.  Where both are right, they are taken
 * for the program themselves: derivatives of each of them.
 */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 6, STEPS = 3 };
#define SAME 1e-7 /* forward is reverse within this, or they differ */
#define FAR 0x1p-10 /* the first step of differences, and that of others where they bend within it */
#define NEAR 0x1p-18

/* A value, and its slopes: forward and in reverse; of these slopes again. */
enum { VALUE, ALONG, AGAINST, FUNCTIONS };
typedef const char *SlopeNames[FUNCTIONS];
static const SlopeNames first = {"main", "along", "against"},
			second[] = {{"along", "along_along", "along_against"}, {"against", "against_along", "against_against"}};

typedef struct Slopes {
	Check *c;
	const char *name;
	const char *const *names;
	por_function *f[FUNCTIONS];
	por_program *p[FUNCTIONS];
	int code; /* of the last call, and what it told */
	char told[256];
	bool fails; /* where there is a value */
} Slopes;

static int hear_nothing(void *user, const por_effect *e)
{
	(void)user;
	(void)e;
	return 0;
}

static por_program *program_of(const Slopes *s, int which, por_options o)
{
	o.size = sizeof o;
	o.tier = POR_TIER_INTERPRET;
	o.threads = 1;
	o.call_seconds = s->c->call_seconds;
	o.hear = hear_nothing;
	return por_compile_function(s->f[which], &o);
}

static bool make_programs(Slopes *s)
{
	for (int k = 0; k < FUNCTIONS; k++) {
		s->f[k] = por_function_named(s->c->target->module, s->names[k], 0, NULL);
		s->p[k] = s->f[k] ? program_of(s, k, (por_options){0}) : NULL;
		if (!s->p[k]) return false;
	}
	return true;
}

/* The number that a function gives, of the first of these arguments. */
static bool number_of(Slopes *s, int which, const RandomArguments *a, double *y)
{
	Outcome r = call_program(s->p[which], por_function_inputs(s->f[which]), a->in);
	*y = r.n ? array_number(&r.result[0], 0) : NAN;
	s->code = r.code;
	snprintf(s->told, sizeof s->told, "%s", r.text);
	outcome_free(&r);
	return !s->code;
}

/* The direction of a parameter x is dx; -1: it has none. */
static int direction_of(const Slopes *s, int input)
{
	const char *x = input_of(s->f[VALUE], input).path;
	for (int i = 0; i < por_function_inputs(s->f[ALONG]); i++) {
		const char *path = input_of(s->f[ALONG], i).path;
		if (*path == 'd' && !strcmp(path + 1, x)) return i;
	}
	return -1;
}

/* main's value, where its arguments have gone so far along the direction; false: there is none. */
static bool value_at(Slopes *s, RandomArguments *a, double far, double *y)
{
	int n = por_function_inputs(s->f[VALUE]);
	double **was = need(calloc((size_t)n + 1, sizeof *was));
	for (int i = 0; i < n; i++) {
		int d = direction_of(s, i);
		if (d < 0) continue;
		double *x = a->own[i].data, *dx = a->own[d].data;
		was[i] = need(malloc(a->own[i].bytes + 1));
		memcpy(was[i], x, a->own[i].bytes);
		for (int64_t k = 0; k < array_count(&a->own[i]); k++) x[k] += far*dx[k];
	}
	bool good = number_of(s, VALUE, a, y) && isfinite(*y);
	for (int i = 0; i < n; i++) {
		if (was[i]) memcpy(a->own[i].data, was[i], a->own[i].bytes);
		free(was[i]);
	}
	free(was);
	return good;
}

/* The slope by differences, the first as far on either side, and how far it may be off; false: a value is
 * none. */
static bool differences(Slopes *s, RandomArguments *a, double far, double *slope, double *off)
{
	double d[STEPS], most = 0, up, down, least = far;
	for (int k = 0; k < STEPS; k++) {
		least = ldexp(far, -k);
		if (!value_at(s, a, least, &up) || !value_at(s, a, -least, &down)) return false;
		d[k] = (up - down)/(2*least);
		most = fmax(most, fmax(fabs(up), fabs(down)));
	}
	double first = (4*d[1] - d[0])/3, second = (4*d[2] - d[1])/3;
	*slope = second;
	*off = 8*fabs(second - first) + 0x1p-46*most/least + 1e-8*(1 + fabs(second));
	return true;
}

static bool is_same(double a, double b)
{
	return fabs(a - b) <= SAME*(1 + fabs(a) + fabs(b));
}

static bool tell(Slopes *s, const RandomArguments *a)
{
	tell_arguments(s->f[ALONG], a);
	return false;
}

/* What main gives, called in another way. */
static Outcome value_so(Slopes *s, const RandomArguments *a, por_options how)
{
	por_program *p = program_of(s, VALUE, how);
	Outcome r = p ? call_program(p, por_function_inputs(s->f[VALUE]), a->in) : (Outcome){0};
	por_program_free(p);
	return r;
}

/* Is a value within the program, rewritten or as written, nan or infinite?  `told` says which. */
static bool is_infinite_within(Slopes *s, const RandomArguments *a)
{
	bool infinite = false;
	for (int plain = 0; plain < 2 && !infinite; plain++) {
		Outcome r = value_so(s, a, (por_options){.check_finite = true, .no_rules = plain});
		infinite = r.code == POR_ERR_CALL; /* without being asked for that, it has a value */
		snprintf(s->told, sizeof s->told, "%s", r.text);
		outcome_free(&r);
	}
	return infinite;
}

/* Is it no number as written, and has a value only since rewriting found what is not needed? */
static bool is_none_as_written(Slopes *s, const RandomArguments *a)
{
	Outcome r = value_so(s, a, (por_options){.laws = POR_LAW_EXACT, .no_rules = true});
	bool none = r.code == POR_ERR_CALL || (r.n && !isfinite(array_number(&r.result[0], 0)));
	outcome_free(&r);
	return none;
}

/* A derivative that is not compared, and why. */
static bool leave(Slopes *s, int which, const char *what, const RandomArguments *a)
{
	check_hides();
	fprintf(stderr, "%s: not checked: the slope %s %s: %s\n", s->name, s->names[which], what, s->told);
	s->fails = true;
	tell(s, a);
	return true;
}

/* Are they those by differences?  These may be far off where they bend within the first step: over far
 * smaller ones they would be right. */
static bool is_right(Slopes *s, RandomArguments *a, const double slope[FUNCTIONS], double by, double off)
{
	for (int tries = 0; tries < 2; tries++) {
		if (tries && !differences(s, a, NEAR, &by, &off)) return false;
		bool sure = off < 1e-3*(1 + fabs(by));
		if (!sure) return !tries;
		if (fabs(slope[ALONG] - by) <= off && fabs(slope[AGAINST] - by) <= off) return true;
	}
	return false;
}

static bool compare_slopes(Slopes *s, RandomArguments *a)
{
	double y, by, off, slope[FUNCTIONS] = {0};
	if (!value_at(s, a, 0, &y) || !differences(s, a, FAR, &by, &off)) return true;
	for (int k = ALONG; k < FUNCTIONS; k++)
		if (!number_of(s, k, a, &slope[k]) && !check_is_over(s->c)) {
			if (s->code == POR_ERR_LIMIT || is_none_as_written(s, a)) return true;
			return leave(s, k, "fails where there is a value", a);
		}
	bool same = is_same(slope[ALONG], slope[AGAINST]);
	if (same && is_right(s, a, slope, by, off)) return true;
	if (check_is_over(s->c) || is_none_as_written(s, a)) return true;
	int lost = isnan(slope[AGAINST]) ? AGAINST : ALONG;
	if (isnan(slope[lost]) && is_infinite_within(s, a)) return leave(s, lost, "is nan", a);
	if (same && is_infinite_within(s, a)) return leave(s, ALONG, "is not that by differences", a);
	check_hides();
	fprintf(stderr,
		"%s: the slope of %s is %.12g forward, %.12g in reverse, %.12g by differences, within %.2g\n",
		s->name, s->names[VALUE], slope[ALONG], slope[AGAINST], by, off);
	return tell(s, a);
}

/* They are none: as the program is one that cannot be once derivatives are made, or by a defect. */
static bool has_no_slopes(Slopes *s)
{
	const por_error *e = por_graph_error(s->c->target->graph);
	bool refused = check_refuses(e);
	s->fails |= refused;
	check_hides();
	if (!check_ends(s->c, e))
		fprintf(stderr, "%s: %s: %s\n", s->name,
			refused ? "not checked: its derivative" : "it has no derivative", e->text);
	return refused;
}

/* Those of one function; `fails` where they are not all checked. */
static bool agree_of(Check *c, const char *name, const SlopeNames names, bool *fails)
{
	Slopes s = {.c = c, .name = name, .names = names};
	bool good = make_programs(&s) || has_no_slopes(&s);
	for (int i = 0; i < DRAWS && good && !s.fails && !check_is_over(c); i++) {
		RandomArguments a = random_arguments(c, s.f[ALONG]);
		good = compare_slopes(&s, &a);
		random_arguments_free(&a);
	}
	*fails |= s.fails;
	for (int k = 0; k < FUNCTIONS; k++) por_program_free(s.p[k]);
	por_clear_error(c->target->graph);
	return good;
}

bool slopes_agree(Check *c, const char *name, const char *text, int orders)
{
	bool fails = false;
	bool good = !por_module_add(c->target->module, text, NULL) && agree_of(c, name, first, &fails);
	for (int i = 0; i < 2 && orders > 1 && good && !fails && !check_is_over(c); i++)
		good = agree_of(c, name, second[i], &fails);
	c->skipped += fails;
	return good;
}
