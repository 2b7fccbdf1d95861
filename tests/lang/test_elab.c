/* test_elab.c - programs to graphs and back: the texts of tests/lang/elab.txt.
 *
 *     === what is meant
 *     a program of the notation
 *     --- fn NAME          the printed function
 *     --- back NAME        nothing: it only has to come back (its text may change with rules)
 *     --- value NAME       the value of a function without parameters
 *     --- expression TEXT  an expression of the command line, printed
 *     --- error NAME       the message for a function
 *     --- refuse TEXT      the message for an expression
 *
 * What stands below such a line is what must come out.  Every printed
 * function is parsed again and must give the very same function.
 */
#include "diff/diff.h"
#include "oracle/oracle.h"
#include "print/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { FILE_MOST = 1 << 18 };

typedef struct Case { char *program, *ask, *argument, *want; } Case;

static void print_values(Text *t, const Value *v)
{
	for (int64_t i = 0; i < v->count; i++) {
		text_add(t, i ? " " : "");
		if (v->dtype == DT_F64)
			text_number(t, ((const double *)v->data)[i], 64);
		else if (v->dtype == DT_F32)
			text_number(t, ((const float *)v->data)[i], 32);
		else if (v->dtype == DT_I64)
			text_printf(t, "%lld", (long long)((const int64_t *)v->data)[i]);
		else if (v->dtype == DT_BOOL)
			text_add(t, ((const unsigned char *)v->data)[i] ? "true" : "false");
		else
			text_add(t, dtype_name(v->dtype));
	}
}

/* Does the printed function give the same one again? */
static void round_trip(Graph *g, const Signature *sig, Text *out)
{
	Signature named = *sig;
	Text t;
	named.name = named.name ? named.name : "f";
	text_open(&t, g->arena);
	print_function(&t, g, sig->function, &named, NULL, PRINT_NOTES);
	const char *text = text_done(&t);
	Module *m = module_load(g, "printed", text, strlen(text));
	Signature *again = m ? elaborate_function(g, m, named.name, 0, NULL) : NULL;
	if (!again || again->function != sig->function)
		text_printf(out, "does not come back as it was:\n%s", text);
	else if (!verify(g, function_region(g, sig->function), true, NULL))
		text_add(out, "does not verify\n");
}

static void show_error(Graph *g, Text *out)
{
	if (g->error.code)
		text_printf(out, "%d:%d: %s\n", g->error.line, g->error.column, g->error.text);
}

static void answer_function(Graph *g, const Case *c, Text *out)
{
	Module *m = module_load(g, "test.por", c->program, strlen(c->program));
	Signature *sig = m ? elaborate_function(g, m, c->argument, 0, NULL) : NULL;
	if (sig && !strcmp(c->ask, "value")) {
		Value *v = NEW_ARRAY(g->arena, Value, sig->function->nresult);
		if (evaluate(g, g->arena, sig->function, NULL, v, false))
			for (uint32_t i = 0; i < sig->function->nresult; i++)
				print_values(out, &v[i]), text_add(out, "\n");
	} else if (sig) {
		if (strcmp(c->ask, "back"))
			print_function(out, g, sig->function, sig, NULL, 0);
		round_trip(g, sig, out);
	}
}

static void answer_expression(Graph *g, const Case *c, Text *out)
{
	Module *m = module_load(g, "test.por", c->program, strlen(c->program));
	const Syntax *s = parse_expression(g->arena, &g->names, NULL, c->argument, strlen(c->argument),
	                                   &g->error);
	Expression *x = m && s ? elaborate_expression(g, m, s, 0, NULL) : NULL;
	Signature *sig = x ? close_over(g, NULL, x->n, x->name, x->value, x->result) : NULL;
	if (!sig)
		return;
	print_function(out, g, sig->function, sig, NULL, PRINT_ONE_LINE);
	for (uint32_t i = 0; i < sig->nparam; i++) {
		text_printf(out, "%s%s: ", i ? ", " : "", sig->param[i].name);
		structure_print(out, sig->param[i].structure, g, sig->function);
	}
	text_add(out, sig->nparam ? "\n" : "");
	round_trip(g, sig, out);
}

static char *answer(const Case *c)
{
	Graph *g = graph_open(NULL);
	Trap trap;
	assert_non_null(g);
	if (TRAP(&trap))
		abort();
	arena_arm(g->arena, &trap);
	diff_open(g);
	Text out;
	text_open(&out, g->arena);
	bool expression = !strcmp(c->ask, "expression") || !strcmp(c->ask, "refuse");
	(expression ? answer_expression : answer_function)(g, c, &out);
	show_error(g, &out);
	char *text = text_done(&out), *copy = malloc(strlen(text) + 1);
	memcpy(copy, text, strlen(text) + 1);
	graph_close(g);
	return copy;
}

/* Blank lines at the end do not count. */
static void trim(char *s)
{
	for (size_t n = strlen(s); n && (s[n - 1] == '\n' || s[n - 1] == ' '); n--)
		s[n - 1] = 0;
}

/* The text up to the next line that begins with === or ---, cut off there. */
static char *section(char **at)
{
	char *begin = *at, *end = begin;
	while (*end && strncmp(end, "===", 3) && strncmp(end, "---", 3)) {
		char *line = strchr(end, '\n');
		end = line ? line + 1 : end + strlen(end);
	}
	char *copy = malloc((size_t)(end - begin) + 1);
	memcpy(copy, begin, (size_t)(end - begin));
	copy[end - begin] = 0;
	*at = end;
	return copy;
}

static char *line_of(char **at)
{
	char *end = strchr(*at, '\n'), *s = *at;
	*at = end ? end + 1 : s + strlen(s);
	if (end)
		*end = 0;
	return s;
}

static void check_file(void **state)
{
	(void)state;
	const char *path = "tests/lang/elab.txt", *accept = getenv("ACCEPT");
	FILE *f = fopen(path, "rb"), *new = accept ? fopen(accept, "wb") : NULL;
	assert_non_null(f);
	char *text = malloc(FILE_MOST), *at = text, *program = NULL, *title = NULL;
	size_t n = fread(text, 1, FILE_MOST - 1, f);
	assert_true(n < FILE_MOST - 1);
	text[n] = 0;
	fclose(f);
	int bad = 0, count = 0;
	while (*at) {
		char *line = line_of(&at), *body;
		if (!strncmp(line, "===", 3)) {
			title = line;
			free(program);
			program = section(&at);
			if (new)
				fprintf(new, "%s\n%s", line, program);
			continue;
		}
		body = section(&at);
		if (strncmp(line, "--- ", 4)) {
			free(body);
			continue;
		}
		char *ask = malloc(strlen(line) + 1), *space;
		strcpy(ask, line + 4);
		space = strchr(ask, ' ');
		assert_non_null(space);
		*space = 0;
		Case c = { program ? program : "", ask, space + 1, body };
		char *got = answer(&c);
		if (new)
			fprintf(new, "%s\n%s\n", line, got);
		trim(got), trim(body);
		count++;
		if (strcmp(got, body)) {
			bad++;
			if (!new)
				print_error("%s\n%s\nwanted:\n%s\ngot:\n%s\n\n", title, line, body, got);
		}
		free(got), free(body), free(ask);
	}
	free(program), free(text);
	if (new)
		fclose(new);
	assert_true(count > 20);
	assert_int_equal(new ? 0 : bad, 0);
}

/* ---- what texts do not show ------------------------------------------------------------- */

static Graph *open_with(const char *text, Module **m, Trap *trap)
{
	Graph *g = graph_open(NULL);
	assert_non_null(g);
	if (TRAP(trap))
		abort();
	arena_arm(g->arena, trap);
	*m = module_load(g, "test.por", text, strlen(text));
	assert_non_null(*m);
	return g;
}

static void check_signature(void **state)
{
	(void)state;
	Trap trap;
	Module *m;
	Graph *g = open_with("# what it does\n"
	                     "fn f(p: {w: f64[n] if w > 0, b: f64}, x: f64 = 0.5 if 0 <= x < 1) = p.w*x + p.b\n",
	        &m, &trap);
	Signature *s = elaborate_function(g, m, "f", 0, NULL);
	assert_non_null(s);
	assert_int_equal(s->nparam, 2);
	assert_int_equal(s->function->nparam, 3);
	assert_int_equal(signature_leaf(s, "p.b")->leaf, 0);    /* b before w */
	assert_int_equal(signature_leaf(s, "p.w")->leaf, 1);
	assert_int_equal(signature_leaf(s, "x")->leaf, 2);
	assert_null(signature_leaf(s, "p"));
	assert_null(signature_leaf(s, "p.q"));
	assert_string_equal(s->documentation, "what it does");
	assert_int_equal(s->nfact, 2);
	assert_int_equal(s->fact[0].leaf, 1);
	assert_true(s->fact[0].low == 0 && s->fact[0].above_low);
	assert_int_equal(s->fact[1].leaf, 2);
	assert_true(s->fact[1].low == 0 && !s->fact[1].above_low && s->fact[1].high == 1
	            && s->fact[1].below_high);
	assert_non_null(s->param[1].fallback);
	graph_close(g);
}

/* Values given fix what a program leaves open; the same types give the same function. */
static void check_given(void **state)
{
	(void)state;
	Trap trap;
	Module *m;
	Graph *g = open_with("fn f(p, x) = p.w @ x\nfn h(x: f64[m, n], y: f64[n]) = x @ y\n", &m, &trap);
	const Size *four = size_const(g, 4), *dims[2] = { size_const(g, 3), four };
	const Declared given[] = { { .name = "p.w", .type = type_array(g, DT_F32, 2, dims) },
	                           { .name = "x", .type = type_array(g, DT_F32, 1, &four) } };
	Signature *s = elaborate_function(g, m, "f", 2, given);
	assert_non_null(s);
	assert_int_equal(s->function->result[0]->type->dtype, DT_F32);
	const Declared x = { .name = "x", .type = type_array(g, DT_F64, 2, dims) };
	Signature *t = elaborate_function(g, m, "h", 1, &x);
	assert_non_null(t);
	assert_true(size_equals(DIM(t->function->param[1], 0), 4));     /* n is 4 for y too */
	graph_close(g);
}

/* An op by name, as rules apply it, is the node that the notation makes. */
static void check_ops(void **state)
{
	(void)state;
	Trap trap;
	Module *m;
	Graph *g = open_with("fn f(x: f64[3, 4]) = softmax[0](x)\n"
	                     "op own(p: {b: f64, a: f64}, x: f64) = p.a*x + p.b\n"
	                     "fn h(a: f64, b: f64, x: f64) = own({a, b}, x)\n", &m, &trap);
	const int64_t axis = 0;
	Signature *s = elaborate_function(g, m, "f", 0, NULL);
	assert_non_null(s);
	Node *call = s->function->result[0];
	assert_true(g->apply_op(g, "softmax", attr_ints(g, 1, &axis), 1, call->arg) == call);
	assert_non_null(op_declaration(call_function(call)));
	s = elaborate_function(g, m, "h", 0, NULL);
	assert_non_null(s);
	call = s->function->result[0];
	assert_true(g->apply_op(g, "own", NULL, 3, call->arg) == call);
	assert_null(g->apply_op(g, "own", NULL, 2, call->arg));
	assert_int_equal(g->error.code, ERR_TYPE);
	graph_close(g);
}

/* Lengths are not limited: chains of lets and of operators. */
static void check_long(void **state)
{
	(void)state;
	enum { LENGTH = 30000 };
	Trap trap;
	Graph *g = graph_open(NULL);
	assert_non_null(g);
	if (TRAP(&trap))
		abort();
	arena_arm(g->arena, &trap);
	Text t;
	text_open(&t, g->arena);
	text_add(&t, "fn f(x: f64) = ");
	for (int i = 0; i < LENGTH; i++)
		text_printf(&t, "let x = x*x + %d ", i);
	text_add(&t, "in x\nfn h(x: f64) = x");
	for (int i = 0; i < LENGTH; i++)
		text_printf(&t, " - sin(x + %d)", i);
	const char *text = text_done(&t);
	Module *m = module_load(g, "long.por", text, strlen(text));
	const char *const names[] = { "f", "h" };
	for (size_t i = 0; i < countof(names); i++) {
		Signature *s = elaborate_function(g, m, names[i], 0, NULL);
		assert_non_null(s);
		Text problems;
		text_open(&problems, g->arena);
		round_trip(g, s, &problems);
		assert_int_equal(problems.n, 0);
	}
	graph_close(g);
}

/* Functions that each call the one before twice: the paths through 60 are 2^60, the calls that differ are 120.
 * a doubles x (2^60 for 1); b multiplies by 2 + 3; c adds what a call on other arguments gives: (1 + 2)*2^60. */
static void check_calls(void **state)
{
	(void)state;
	enum { CHAIN = 60 };
	Trap trap;
	Graph *g = graph_open(NULL);
	assert_non_null(g);
	if (TRAP(&trap))
		abort();
	arena_arm(g->arena, &trap);
	Text t;
	text_open(&t, g->arena);
	text_add(&t, "fn f0(x) = x\nfn k0[k = 1.0](x) = k*x\n");
	for (int i = 1; i <= CHAIN; i++)
		text_printf(&t, "fn f%d(x) = f%d(x) + f%d(x)\n", i, i - 1, i - 1);
	for (int i = 1; i <= CHAIN; i++)
		text_printf(&t, "fn k%d[k = 1.0](x) = (k%d[k](x) + k%d[k](x))/2\n", i, i - 1, i - 1);
	text_printf(&t, "fn a() = f%d(1.0)\nfn b() = k%d[2.0](1.0) + k%d[3.0](1.0)\nfn c() = f%d(1.0) + f%d(2.0)\n", CHAIN,
	            CHAIN, CHAIN, CHAIN, CHAIN);
	const char *text = text_done(&t);
	Module *m = module_load(g, "calls.por", text, strlen(text));
	const char *const names[] = { "a", "b", "c" };
	const double want[] = { 0x1p60, 5, 0x1.8p61 };
	for (size_t i = 0; i < countof(names); i++) {
		Signature *s = elaborate_function(g, m, names[i], 0, NULL);
		assert_non_null(s);
		Value v;
		assert_true(evaluate(g, g->arena, s->function, NULL, &v, false));
		assert_true(*(const double *)v.data == want[i]);
	}
	graph_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_file), cmocka_unit_test(check_signature), cmocka_unit_test(check_given),
		cmocka_unit_test(check_ops), cmocka_unit_test(check_long), cmocka_unit_test(check_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
