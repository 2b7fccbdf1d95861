/* random_program.c - random programs of the notation, for checks that compare the ways of computing.
 *
 * A program is a file: functions that call one another, the last of them `main`.  Their parameters, in any
 * order, are arrays, numbers that act as sizes, counts and indices, and index arrays.  Loops, branches and
 * arrays by formula lie in one another; sizes come from parameters, from data, from what a loop captures;
 * derivatives are taken of all of it.  What an argument makes invalid is a part of it: then every way has to
 * fail.  The same seed gives the same text.
 */
#include "random_program.h"

#include <string.h>

static const char *const orders[] = {"xyAakjq", "kjxyAaq", "jxkyqAa", "qAyxjka", "akyjxAq", "Aqajykx",
	"yAkqxaj", "kqaAjyx"};

static const char *type_of_parameter(char p)
{
	switch (p) {
	case 'x': return "x: f64[n]";
	case 'y': return "y: f64[m]";
	case 'A': return "A: f64[m, n]";
	case 'a': return "a: f64";
	case 'q': return "idx: i64[l]";
	case 'k': return "k: i64";
	default: return "j: i64";
	}
}

static NamesInScope parameters(void)
{
	NamesInScope s = {0};
	forms_name(&s, NUMBER, "a");
	forms_name(&s, WHOLE, "k");
	forms_name(&s, WHOLE, "j");
	forms_name(&s, VECTOR_N, "x");
	forms_name(&s, VECTOR_M, "y");
	return s;
}

/* A call with what is in scope under the names of parameters; directions too, where there are some. */
static void call_of(TextBuffer *b, const char *name, const char *order, const char *directions)
{
	buffer_printf(b, "%s(", name);
	for (const char *p = order; *p; p++) {
		char letter[2] = {*p};
		buffer_printf(b, "%s%s", *p == 'q' ? "idx" : letter, p[1] ? ", " : "");
	}
	for (const char *p = directions; *p; p++) buffer_printf(b, ", d%c", *p);
	buffer_text(b, ")");
}

/* A function that `main` calls so often that it stays one, if it is large. */
static void step(ProgramMaker *r, int nodes)
{
	const NamesInScope s = parameters();
	buffer_text(r->b, "fn step(x: f64[n], y: f64[m], A: f64[m, n], a: f64, idx: i64[l]) = let k = 2 in ");
	buffer_text(r->b, "let j = 1 in x*tanh(a) + tanh(cumsum(x)/(1 + sum(abs(x))))*tanh(");
	r->left = nodes;
	r->loops = 0;
	r->grads = 0;
	forms_number(r, &s);
	buffer_text(r->b, ")\n");
}

static void function(ProgramMaker *r, const char *name, const char *order, int nodes, bool steps)
{
	const NamesInScope s = parameters();
	buffer_printf(r->b, "fn %s(", name);
	for (const char *p = order; *p; p++)
		buffer_printf(r->b, "%s%s", type_of_parameter(*p), p[1] ? ", " : ") = ");
	r->left = nodes;
	r->loops = 0;
	r->grads = 0;
	for (int i = 0; steps && i < 4; i++)
		buffer_printf(r->b, "let x = step(x, y, A, a + %d.0, idx) in ", i);
	for (int i = 0; r->chained && i < 3; i++) {
		char name_of[16];
		snprintf(name_of, sizeof name_of, "f%d", r->callees - 1);
		buffer_text(r->b, "let a = ");
		call_of(r->b, name_of, r->order[r->callees - 1], "");
		buffer_text(r->b, " in ");
	}
	forms_number(r, &s);
	buffer_text(r->b, "\n");
}

/* A function of vectors of any length. */
static void part(ProgramMaker *r, int nodes)
{
	const NamesInScope s = parameters();
	buffer_text(r->b, "fn part(x: f64[n], y: f64[m], a: f64, k: i64, j: i64, idx: i64[l]) = let A = outer(y, x) in ");
	r->left = nodes;
	forms_number(r, &s);
	buffer_text(r->b, "\n");
	r->part = true;
}

static const char directed[] = "xyAa"; /* the parameters that there are derivatives by */

static void parameters_of_slope(TextBuffer *b, const char *name, const char *order)
{
	buffer_printf(b, "fn %s(", name);
	for (const char *p = order; *p; p++) buffer_printf(b, "%s, ", type_of_parameter(*p));
	for (const char *p = directed; *p; p++) buffer_printf(b, "d%s%s", type_of_parameter(*p), p[1] ? ", " : ") = ");
}

/* The slopes of `of` along a direction, in the parameters behind its own: forward and in reverse. */
static void slopes_of(
	TextBuffer *b, const char *of, const char *order, const char *forward, const char *reverse)
{
	const bool first = !strcmp(of, "main");
	parameters_of_slope(b, forward, order);
	for (const char *p = directed; *p; p++) {
		buffer_text(b, p == directed ? "jvp(" : " + jvp(");
		call_of(b, of, order, first ? "" : directed);
		buffer_printf(b, ", %c, d%c)", *p, *p);
	}
	buffer_text(b, "\n");
	parameters_of_slope(b, reverse, order);
	buffer_text(b, "let (gx, gy, gA, ga) = grad(");
	call_of(b, of, order, first ? "" : directed);
	buffer_text(b, ", x, y, A, a) in sum(gx*dx) + sum(gy*dy) + sum(gA*dA) + ga*da\n");
}

/* Those of `main`, and of these. */
static char *all_slopes(const char *order)
{
	TextBuffer b = {0};
	slopes_of(&b, "main", order, "along", "against");
	slopes_of(&b, "along", order, "along_along", "along_against");
	slopes_of(&b, "against", order, "against_along", "against_against");
	return b.text;
}

char *random_program(uint64_t seed, int nodes, char **slopes)
{
	TextBuffer b = {0};
	ProgramMaker r = {.state = seed * 0x2545f4914f6cdd1du + 3, .b = &b};
	r.sizes = seed % 4 == 3;
	r.tables = seed % 32 == 17;
	int functions = (int)forms_pick(&r, 3);
	for (int i = 0; i < functions; i++) {
		char name[16];
		snprintf(name, sizeof name, "f%d", i);
		const char *order = orders[forms_pick(&r, sizeof orders / sizeof *orders)];
		function(&r, name, order, nodes/2, false);
		r.order[r.callees++] = order;
	}
	if (r.sizes) part(&r, nodes/2);
	const bool steps = !forms_pick(&r, 4);
	if (steps) step(&r, nodes/2);
	const char *order = orders[forms_pick(&r, sizeof orders / sizeof *orders)];
	r.chained = functions && seed % 8 == 5;
	function(&r, "main", order, nodes, steps);
	*slopes = all_slopes(order);
	return b.text;
}
