/* cmd_check.c - check: the same function computed in every way, compared to the bit.
 *
 * The ways: reference, interpreted, native, standalone C; 1 and 2 threads; baseline and best instruction
 * set; and as written beside rewritten by rules of law `exact`.
 */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ATTEMPTS = 8, WILD = 3, NATIVE_EVERY = 50, SLOPES_EVERY = 3, CURVES_EVERY = 30, CALL_SECONDS = 60 };

/* On a terminal a line tells what is being checked; it goes before anything else is printed. */
static bool doing_shown;

static void show_doing(const Check *c, const char *name, int64_t i, int64_t n)
{
	const char *kind = getenv("TERM");
	if (!isatty(STDERR_FILENO) || !kind || !strcmp(kind, "dumb") || option(c->options, "verbose")) return;
	fprintf(stderr, "\r\033[Kchecking %" PRId64 " of %" PRId64 ": %.50s", i, n, name);
	fflush(stderr);
	doing_shown = true;
}

void check_hides(void)
{
	if (doing_shown) fputs("\r\033[K", stderr);
	doing_shown = false;
}

static void count(Check *c, Agreement a, const char *name)
{
	static const char *const told[] = {"same", "same errors", "differs", "not checked"};
	check_hides();
	if (check_is_over(c)) return;
	if (a == AGREE_FAILED && c->too_long) {
		fprintf(stderr, "%s: not checked: a call took more than %g seconds, which --call-seconds raises\n",
			name, c->call_seconds);
		a = REFUSED;
	}
	c->same += a == AGREE || a == AGREE_FAILED;
	c->differ += a == DIFFER;
	c->skipped += a == REFUSED;
	if (option(c->options, "verbose")) fprintf(stderr, "%s: %s\n", name, told[a]);
}

/* A function on random arguments; those that do not suit it are drawn again, unless they are wild. */
static void check_function(Check *c, por_function *f, const char *name)
{
	c->too_long = false;
	Agreement a = compare_ways(c, f, name, c->wild ? WILD : ATTEMPTS, c->wild);
	if (a == AGREE_FAILED && !c->wild && !c->too_long && !check_is_over(c)) {
		check_hides();
		fprintf(stderr, "%s: no arguments were found that suit it\n", name);
		a = REFUSED;
	}
	count(c, a, name);
}

/* ---- what is checked ------------------------------------------------------------------------- */

static char *trimmed(const char *text, size_t n)
{
	while (n && strchr(" \t", *text)) {
		text++;
		n--;
	}
	while (n && strchr(" \t", text[n - 1])) n--;
	return text_copy(text, n);
}

/* A side of a test as a function, after the pipeline's stage; NULL: the graph's error. */
static por_function *side(Check *c, const char *text, const char *stage)
{
	por_function *f = por_function_expression(c->target->graph, c->target->module, text, 0, NULL);
	return stage ? por_optimise(f, NULL, stage) : f;
}

/* left => right: the pipeline turns left into right. */
static bool turns(Check *c, const char *left, const char *right)
{
	por_function *a = side(c, left, "stable"), *b = side(c, right, "stable");
	char *x = a ? por_print_function(a, POR_PRINT_ONE_LINE) : NULL,
	     *y = b ? por_print_function(b, POR_PRINT_ONE_LINE) : NULL;
	bool good = x && y && !strcmp(x, y);
	check_hides();
	if (x && y && !good) fprintf(stderr, "%s => %s: got %s\n", left, right, x);
	por_text_free(x);
	por_text_free(y);
	return good;
}

/* left <=> right: their difference is nothing, on random values of the names. */
static bool agree(Check *c, const char *left, const char *right)
{
	char *text = text_of(
		"let left = %s let right = %s in max(abs(left - right)/(1e-300 + abs(left) + abs(right)))",
		left, right);
	por_function *f = side(c, text, NULL);
	bool good = f;
	for (int attempt = 0; attempt < 20 && good; attempt++) {
		RandomArguments a = random_arguments(c, f);
		Outcome r = compute_interpreted(c, f, a.n, a.in);
		double worst = r.n ? array_number(&r.result[0], 0) : NAN;
		if (!check_is_over(c) && (r.code ? r.code != POR_ERR_CALL : worst > 1e-9)) {
			check_hides();
			fprintf(stderr, "%s <=> %s: %s%.3g\n", left, right,
				r.code ? r.text : "they differ by ", worst);
			good = false;
		}
		outcome_free(&r);
		random_arguments_free(&a);
		if (!por_function_inputs(f)) break; /* the same again */
	}
	free(text);
	return good;
}

/* What came of a line; where it does not compute the graph says why. */
static void check_line(Check *c, const char *rule, bool good)
{
	const por_error *e = por_graph_error(c->target->graph);
	check_hides();
	if (check_ends(c, e) || check_is_over(c)) return;
	if (e->code) {
		complain_with(c->options, e, NULL);
		por_clear_error(c->target->graph);
		good = false;
	}
	if (option(c->options, "verbose")) fprintf(stderr, "%s: %s\n", rule, good ? "same" : "differs");
	c->same += good;
	c->differ += !good;
}

/* A book of kind `check`: name: left => right, name: left <=> right, a line each. */
static void check_book(Check *c, const char *text)
{
	const char *head = strstr(text, "book ");
	if (!head || !strstr(head, ": check") || strstr(head, ": check") > head + strcspn(head, "\n")) return;
	const char *line = strchr(head, '\n');
	for (; line && !check_is_over(c); line = strchr(line + 1, '\n')) {
		size_t n = strcspn(++line, "\n"), name = strcspn(line, ":");
		char *rule = name < n ? trimmed(line + name + 1, n - name - 1) : text_copy(line, n);
		char *both = strstr(rule, "<=>"), *arrow = both ? both : strstr(rule, " => ");
		if (arrow && *rule != '#') {
			char *left = trimmed(rule, (size_t)(arrow - rule)),
			     *right = trimmed(arrow + 3, strlen(arrow + 3));
			check_line(c, rule, both ? agree(c, left, right) : turns(c, left, right));
			free(left);
			free(right);
		}
		free(rule);
		line--;
	}
}

/* On arguments of the command line, all of them; sizes keep their names. */
static int check_given(Check *c, por_function *f)
{
	Arguments a;
	CompiledCall call = {0};
	int status = arguments_read(&a, c->target, c->options, 1);
	if (status == EXIT_GOOD) status = call_bind(&call, c->target, f, &a, false);
	if (status == EXIT_GOOD)
		count(c, compare_given(c, f, c->target->function, call.in), c->target->function);
	call_free(&call);
	arguments_free(&a);
	return status;
}

/* One function, which may be another module's or a field: optim.sgd, train.minimise. */
static int check_named(Check *c)
{
	Target *t = c->target;
	por_function *f = por_function_named(t->module, t->function, 0, NULL);
	if (!f) return target_fail(t);
	if (c->options->nword > 1) return check_given(c, f);
	check_function(c, f, t->function);
	return EXIT_GOOD;
}

static int check_file(Check *c)
{
	Target *t = c->target;
	if (t->function) return check_named(c);
	const int n = por_module_count(t->module);
	for (int i = 0; i < n && !check_is_over(c); i++) {
		const char *kind = por_module_kind(t->module, i), *name = por_module_name(t->module, i);
		show_doing(c, name, i + 1, n);
		if (!strcmp(kind, "book")) {
			char *text = por_module_text(t->module, i);
			if (text)
				check_book(c, text);
			else
				check_ends(c, por_graph_error(t->graph));
			por_text_free(text);
		}
		if (strcmp(kind, "fn") && strcmp(kind, "op")) continue;
		por_function *f = por_function_named(t->module, name, 0, NULL);
		if (f)
			check_function(c, f, name);
		else if (!check_ends(c, por_graph_error(t->graph))) {
			check_hides();
			fprintf(stderr, "%s: not checked: %s\n", name, por_graph_error(t->graph)->text);
			por_clear_error(t->graph);
			c->skipped++;
		}
	}
	check_hides();
	return EXIT_GOOD;
}

static int check_expression(Check *c)
{
	Arguments a;
	int status = arguments_read(&a, c->target, c->options, 1);
	por_function *f = status == EXIT_GOOD ? target_function(c->target, NULL, &a, &status) : NULL;
	arguments_free(&a);
	if (!f) return status;
	check_function(c, f, "the expression");
	return EXIT_GOOD;
}

/* A random expression's declared names, each with its type. */
static por_function *expression(Target *t, int n, char **declared)
{
	por_given given[64] = {0};
	for (int i = 0; i < n; i++) {
		char *colon = strchr(declared[i], ':');
		given[i] = (por_given){.name = text_copy(declared[i], (size_t)(colon - declared[i])),
			.declared = declared[i]};
	}
	por_function *f = elaborate(t, NULL, (size_t)n, given);
	for (int i = 0; i < n; i++) free((char *)given[i].name);
	return f;
}

static void print_expression(const char *name, const char *text, int n, char **declared)
{
	printf("%s: porism check '%s'", name, text);
	for (int i = 0; i < n; i++) printf(" '%s'", declared[i]);
	putchar('\n');
}

/* Does a text have this form, in which * is any text? */
static bool has_form(const char *text, const char *form)
{
	for (; *form != '*'; text++, form++) {
		if (*text != *form) return false;
		if (!*form) return true;
	}
	for (;; text++) {
		if (has_form(text, form + 1)) return true;
		if (!*text) return false;
	}
}

/* What a random program may say that cannot be (docs/notation.md): sizes that two named ones, or numbers,
 * show to be others, also where a call gives one as a number; those that change along a loop or an axis;
 * effects where there are none; derivatives by a constant, where a step of a chain is one; also once
 * derivatives or rules have made numbers known.  Whatever else is refused is a defect, as its types are
 * right. */
bool check_refuses(const por_error *e)
{
	static const char *const forms[] = {"if: one side gives f64[*], the other f64[*]",
		"scan: * begins as f64[*] and goes on as f64[*]*",
		"scan: a value whose size changes from pass to pass: f64[*]",
		"for all of an axis: *: * is a size that differs from one to the next; *",
		"slice: * elements from * by steps of * leave axis * of f64[*]",
		"slice: a negative length on axis * of f64[*]", "*: index * of an axis of *", "axis * has the negative size -*",
		"*: shapes differ in axis *: *", "*: shapes do not fit: f64[*] and f64[*]", "*: shapes do not fit: f64[*] and f64[*]; * as two sizes: *",
		"where: shapes do not fit: bool* and f64[*]*",
		"*: inner sizes differ: * (*: f64[*]) and * (*: f64[*])*", "a direction: f64[*] does not spread to f64[*]*",
		"*: given f64[*], wanted f64[*]*", "given bool[*], wanted bool[*]",
		"*: a is a constant (*); make it a parameter", "the size (*) // 0", "the size (*) % 0", "do: * has no effects"};
	bool told = e->code == POR_ERR_TYPE || e->code == POR_ERR_VALUE || e->code == POR_ERR_DERIVATIVE;
	if (!told) return false;
	for (size_t i = 0; i < sizeof forms/sizeof *forms; i++)
		if (has_form(e->text, forms[i])) return true;
	return false;
}

/* The derivatives of a program, to which their functions are added; then the ways of computing it. */
static void check_program(Check *c, uint64_t seed, por_function *f, const char *name, const char *slopes)
{
	bool good = true;
	if (seed % (uint64_t)c->slopes_every == 0) {
		c->smooth = true;
		good = slopes_agree(c, name, slopes, seed % (uint64_t)c->curves_every ? 1 : 2);
		c->smooth = false;
		c->random = seed;
	}
	c->wild = true;
	if (good)
		check_function(c, f, name);
	else
		count(c, DIFFER, name);
	c->wild = false;
}

/* Random program or expression `seed`: its text, and the ways compared.  What is sure to fail, as a negative
 * size, is refused while it is built. */
static int check_one(Check *c, uint64_t seed, int nodes)
{
	Target t;
	int n = 0, status = target_open(&t, c->options, "0");
	if (status != EXIT_GOOD) return status;
	char name[64], **declared = NULL, *slopes = NULL;
	bool program = seed % 4 != 0;
	snprintf(name, sizeof name, "--seed %" PRIu64, seed);
	free(t.source);
	t.source = program ? random_program(seed, nodes, &slopes)
			   : random_expression(seed, nodes, &declared, &n);
	bool print = option(c->options, "print") != NULL;
	if (print) check_hides();
	if (print && program) printf("# %s\n%s", name, t.source);
	if (print && !program) print_expression(name, t.source, n, declared);
	c->target = &t;
	c->random = seed;
	c->plain = !strstr(t.source, "scan") && !strstr(t.source, "if ");
	por_function *f = NULL;
	if (!program)
		f = expression(&t, n, declared);
	else if (!por_module_add(t.module, t.source, NULL))
		f = por_function_named(t.module, "main", 0, NULL);
	if (f && program)
		check_program(c, seed, f, name, slopes);
	else if (f)
		check_function(c, f, name);
	else if (program && check_refuses(por_graph_error(t.graph))) {
		check_hides();
		fprintf(stderr, "%s: not checked: %s\n", name, por_graph_error(t.graph)->text);
		c->skipped++;
	} else if (!check_ends(c, por_graph_error(t.graph))) {
		check_hides();
		fprintf(stderr, "%s: it is refused\n", name);
		target_fail(&t);
		count(c, DIFFER, name);
	}
	for (int i = 0; i < n; i++) free(declared[i]);
	free(declared);
	free(slopes);
	target_close(&t);
	return status;
}

static int check_random(Check *c, int64_t n, uint64_t seed)
{
	int64_t nodes = 12;
	c->every = NATIVE_EVERY;
	c->slopes_every = SLOPES_EVERY;
	c->curves_every = CURVES_EVERY;
	if (!option_number(c->options, "nodes", 1, 10000, &nodes) ||
		!option_number(c->options, "native-every", 1, INT32_MAX, &c->every) ||
		!option_number(c->options, "slopes-every", 1, INT32_MAX, &c->slopes_every) ||
		!option_number(c->options, "curves-every", 1, INT32_MAX, &c->curves_every))
		return EXIT_USAGE;
	bool native = c->native;
	int status = EXIT_GOOD;
	for (int64_t i = 0; i < n && status == EXIT_GOOD && !check_is_over(c); i++) {
		char name[64];
		snprintf(name, sizeof name, "--seed %" PRIu64, seed + (uint64_t)i);
		show_doing(c, name, i + 1, n);
		c->native = native && (seed + (uint64_t)i) % (uint64_t)c->every == 0;
		status = check_one(c, seed + (uint64_t)i, (int)nodes);
	}
	check_hides();
	return status;
}

static int run(Options *o)
{
	int64_t n = 0, seed = 0;
	Target t = {0};
	if (!option_number(o, "random", 1, INT32_MAX, &n) || !option_number(o, "seed", 0, INT64_MAX, &seed))
		return EXIT_USAGE;
	if (!n == !o->nword) return usage(o, "FILE, or --random N, was wanted");
	Check c = {.options = o,
		.target = &t,
		.random = (uint64_t)seed,
		.native = !option(o, "no-native"),
		.call_seconds = CALL_SECONDS};
	if (!option_seconds(o, "call-seconds", &c.call_seconds)) return EXIT_USAGE;
	int status = EXIT_GOOD;
	if (n)
		status = check_random(&c, n, (uint64_t)seed);
	else {
		status = target_open(&t, o, o->word[0]);
		if (status == EXIT_GOOD) status = t.file ? check_file(&c) : check_expression(&c);
		target_close(&t);
	}
	if (status != EXIT_GOOD) return status;
	if (c.end.code) return complain_with(o, &c.end, NULL);
	const char *line = c.skipped ? "same %d differ %d not checked %d\n" : "same %d differ %d\n";
	printf(o->json ? "{\"same\": %d, \"differ\": %d, \"skipped\": %d}\n" : line, c.same, c.differ, c.skipped);
	return c.differ || !c.same ? EXIT_FAILED : EXIT_GOOD;
}

static const OptionSpec own[] = {
	{"random", 0, "N", "N random programs and expressions instead of a file's functions"},
	{"seed", 0, "N", "where random programs and arguments begin; 0 if not given"},
	{"nodes", 0, "N", "operators of a random function; 12 if not given"},
	{"no-native", 0, NULL, "without the native tier and standalone C, which need a compiler"},
	{"native-every", 0, "N", "the native tier and standalone C for one random program in N; 50 if not given"},
	{"slopes-every", 0, "N", "derivatives of one random program in N, forward, in reverse and by differences; 3 if not given"},
	{"curves-every", 0, "N", "their derivatives too, where N divides the seed as well; 30 if not given"},
	{"print", 0, NULL, "print the random programs"},
	{"call-seconds", 0, "S", "what a call may take, or its arguments do not suit; 60 if not given"},
	{"verbose", 'v', NULL, "a line for each function"},
	{0},
};

const Command command_check = {"check", "FILE[:FN [name=VALUE...]] | 'EXPR' ['name: type']... | --random N --seed S",
	"every way of computing a function, compared to the bit",
	"Reference, interpreted, native and standalone C; 1 and 2 threads; baseline and best instruction set;\n"
	"as written and rewritten by exact rules; of a file also its books of kind `check`.\n"
	"Arguments are random, or those given for all parameters, as a difference tells them.\n"
	"Results are compared to the bit and errors by their code: an error of one way has to be one of\n"
	"every way.  What is not checked is told, with the reason.\n"
	"Random programs have nested loops, sizes from data and bad numbers, every fourth is an expression;\n"
	"program i of --seed S is that of --seed S+i, and one in --native-every is computed natively\n"
	"and as standalone C too; of one in --slopes-every, derivatives are compared with differences,\n"
	"and of one in --curves-every of those their derivatives.\n"
	"Exit 1 if something differs, or nothing is the same.  The last line is\n"
	"  same N differ N\n"
	"and, where some were not checked, how many.  --random counts a program that cannot be as such.",
	own, TAKES_RULES | TAKES_LIMITS, run};
