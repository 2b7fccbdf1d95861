/* cmd_check.c - check: the same function computed in every way, compared to the bit.
 *
 * The ways: reference, interpreted, native; 1 and 2 threads; baseline and best instruction set; and
 * as written beside rewritten by rules of law `exact`.
 */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct Way {
	const char *name;
	int tier, threads;
	const char *target;
	unsigned laws;
	bool no_rules, native;
	int like; /* compared with this way */
} ways[] = {
	{"reference", POR_TIER_REFERENCE, 1, NULL, 0, false, false, 0},
	{"interpreted", POR_TIER_INTERPRET, 1, NULL, 0, false, false, 0},
	{"interpreted, 2 threads", POR_TIER_INTERPRET, 2, NULL, 0, false, false, 0},
	{"interpreted, baseline", POR_TIER_INTERPRET, 1, "baseline", 0, false, false, 0},
	{"native", POR_TIER_NATIVE, 1, NULL, 0, false, true, 0},
	{"native, 2 threads", POR_TIER_NATIVE, 2, NULL, 0, false, true, 0},
	{"native, baseline", POR_TIER_NATIVE, 1, "baseline", 0, false, true, 0},
	{"as written", POR_TIER_INTERPRET, 1, NULL, POR_LAW_EXACT, true, false, 7},
	{"rewritten, law exact", POR_TIER_INTERPRET, 1, NULL, POR_LAW_EXACT, false, false, 7},
};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct Check {
	const Options *options;
	Target *target;
	bool native;
	uint64_t random;
	int same, differ, skipped;
} Check;

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static double next_unit(uint64_t *state)
{
	return (double)(next_random(state) >> 11) * 0x1p-53;
}

/* ---- arguments ------------------------------------------------------------------------------- */

typedef struct Sizes {
	char *name[32];
	int64_t value[32];
	int n;
} Sizes;

static bool name_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(unsigned char)c > 127;
}

/* The text of a size with its names replaced by numbers; new names get one. */
static char *size_numbers(Check *c, Sizes *s, const char *text)
{
	static const int64_t choice[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 33};
	Buffer b = {0};
	while (*text) {
		size_t n = 0;
		while (name_char(text[n])) n++;
		bool name = n && !(*text >= '0' && *text <= '9') && text[n] != '(';
		int k = 0;
		while (name && k < s->n && (strlen(s->name[k]) != n || strncmp(s->name[k], text, n))) k++;
		if (name && k == s->n && k < 32) {
			s->name[s->n] = text_copy(text, n);
			s->value[s->n++] = choice[next_random(&c->random) % 10];
		}
		if (name && k < 32)
			buffer_printf(&b, "%" PRId64, s->value[k]);
		else
			buffer_add(&b, text, n ? n : 1);
		text += n ? n : 1;
	}
	return b.text ? b.text : text_of("0");
}

static int64_t size_value(Check *c, Sizes *s, por_size size)
{
	if (size >= 0) return size;
	char *text = por_size_text(c->target->graph, size), *numbers = size_numbers(c, s, text ? text : "1");
	por_text_free(text);
	Value v = {0};
	char *end;
	int64_t value = strtoll(numbers, &end, 10);
	if (*end && evaluate_text(c->target, numbers, &v) == EXIT_GOOD)
		value = (int64_t)array_number(&v.array, 0);
	value_free(&v);
	free(numbers);
	return value < 0 ? 0 : value;
}

static double random_float(Check *c, const por_leaf *leaf)
{
	bool low = isfinite(leaf->low), high = isfinite(leaf->high);
	double u = next_unit(&c->random), x = 4 * u - 2;
	if (low && high) return leaf->low + (leaf->high - leaf->low) * (0.001 + 0.998 * u);
	if (next_random(&c->random) % 8 == 0) x *= exp(20 * next_unit(&c->random) - 10);
	if (low) return leaf->low + fabs(x) + 0x1p-20;
	if (high) return leaf->high - fabs(x) - 0x1p-20;
	return x;
}

static FileArray random_array(Check *c, Sizes *s, const por_leaf *leaf)
{
	FileArray f = {.dtype = "f64", .rank = por_type_rank(leaf->type)};
	const char *dtype = por_dtype_name(por_type_dtype(leaf->type));
	bool real = dtype[0] == 'f' || dtype[0] == 'b' || dtype[0] == 'c', is_bool = !strcmp(dtype, "bool");
	int64_t n = 1;
	for (int i = 0; i < f.rank; i++) n *= f.shape[i] = size_value(c, s, por_type_size(leaf->type, i));
	if (is_bool || !strcmp(dtype, "key")) {
		snprintf(f.dtype, sizeof f.dtype, "%s", dtype);
		f.bytes = (size_t)n * element_bytes(dtype);
		f.data = need(calloc(f.bytes + 1, 1));
		for (size_t i = 0; i < f.bytes; i += is_bool ? 1 : 16)
			((uint8_t *)f.data)[i] = (uint8_t)(next_random(&c->random) & (is_bool ? 1 : 255));
		return f;
	}
	f.bytes = (size_t)n * 8;
	f.data = need(malloc(f.bytes + 1));
	for (int64_t i = 0; i < n; i++) {
		double whole = (double)(next_random(&c->random) % 3);
		if (isfinite(leaf->low) && whole < leaf->low) whole = ceil(leaf->low);
		((double *)f.data)[i] = real && !leaf->integer ? random_float(c, leaf) : whole;
	}
	char error[256];
	array_convert(&f, dtype, error, sizeof error);
	return f;
}

/* ---- the ways -------------------------------------------------------------------------------- */

typedef struct Outcome {
	int code; /* of compiling or calling */
	char text[256];
	int n;
	FileArray *result;
} Outcome;

static void outcome_free(Outcome *r)
{
	for (int i = 0; i < r->n; i++) file_array_free(&r->result[i]);
	free(r->result);
	*r = (Outcome){0};
}

static void note_error(Outcome *r, const por_error *e)
{
	r->code = e->code;
	snprintf(r->text, sizeof r->text, "%.250s", e->text);
}

static Outcome compute(Check *c, por_function *f, const struct Way *w, int nin, const por_array *in)
{
	Outcome r = {0};
	por_options o = {.size = sizeof o,
		.tier = w->tier,
		.threads = w->threads,
		.target = w->target,
		.laws = w->laws,
		.no_rules = w->no_rules};
	por_program *p = por_compile_function(f, &o);
	por_frame *frame = p ? por_frame_new(p) : NULL;
	if (!frame) {
		note_error(&r, por_graph_error(c->target->graph));
		por_clear_error(c->target->graph);
	} else if (por_call(p, frame, nin, in, 0, NULL))
		note_error(&r, por_frame_error(frame));
	else {
		r.n = por_program_outputs(p);
		r.result = need(calloc((size_t)r.n + 1, sizeof *r.result));
		for (int i = 0; i < r.n; i++) r.result[i] = copy_array(por_frame_result(frame, i));
	}
	por_frame_free(frame);
	por_program_free(p);
	return r;
}

static bool same_outcome(const Outcome *a, const Outcome *b)
{
	if (a->code || b->code) return a->code == b->code;
	if (a->n != b->n) return false;
	for (int i = 0; i < a->n; i++)
		if (!array_same_bits(&a->result[i], &b->result[i])) return false;
	return true;
}

static void tell_difference(const char *name, const struct Way *w, const Outcome *a, const Outcome *b)
{
	fprintf(stderr, "%s: %s differs from %s", name, w->name, ways[w->like].name);
	if (a->code || b->code) {
		fprintf(stderr, ": %s; %s\n", b->code ? b->text : "it computes",
			a->code ? a->text : "the other computes");
		return;
	}
	for (int i = 0; i < a->n && i < b->n; i++) {
		const FileArray *x = &a->result[i], *y = &b->result[i];
		if (array_same_bits(x, y)) continue;
		int64_t n = array_count(x) < array_count(y) ? array_count(x) : array_count(y), k = 0;
		while (k < n &&
			(array_number(x, k) == array_number(y, k) ||
				(isnan(array_number(x, k)) && isnan(array_number(y, k)))))
			k++;
		if (k < n)
			fprintf(stderr, ": result %d, element %" PRId64 ": %.17g, not %.17g", i, k,
				array_number(y, k), array_number(x, k));
		break;
	}
	fputc('\n', stderr);
}

/* Gives false when the arguments did not suit: no way computed anything. */
static bool compare(Check *c, por_function *f, const char *name, int nin, const por_array *in)
{
	Outcome base[WAYS] = {0};
	bool same = true, computed = false;
	const Outcome *refused = NULL; /* by the compiled tiers, which do not have it */
	for (int k = 0; k < WAYS; k++) {
		if (ways[k].native && !c->native) continue;
		base[k] = compute(c, f, &ways[k], nin, in);
		computed |= !base[k].code;
		if (k == 0 && base[0].code == POR_ERR_CALL) break;
		if (same_outcome(&base[ways[k].like], &base[k])) continue;
		if (base[k].code == POR_ERR_UNSUPPORTED) {
			refused = &base[k];
			continue;
		}
		tell_difference(name, &ways[k], &base[ways[k].like], &base[k]);
		same = false;
	}
	bool suits = computed || base[0].code != POR_ERR_CALL;
	if (suits && same && (base[0].code || refused)) {
		fprintf(stderr, "%s: %s\n", name, base[0].code ? base[0].text : refused->text);
		c->skipped++;
	} else if (suits) {
		c->same += same;
		c->differ += !same;
	}
	if (option(c->options, "verbose"))
		fprintf(stderr, "%s: %s\n", name,
			!suits            ? "unsuitable"
				: !same   ? "differs"
				: refused ? "not checked"
					  : "same");
	for (int k = 0; k < WAYS; k++) outcome_free(&base[k]);
	return suits;
}

/* A function on random arguments; sizes that do not suit are drawn again. */
static void check_function(Check *c, por_function *f, const char *name)
{
	int n = por_function_inputs(f);
	bool done = false;
	for (int attempt = 0; attempt < 8 && !done; attempt++) {
		Sizes s = {0};
		FileArray *own = need(calloc((size_t)n + 1, sizeof *own));
		por_array *in = need(calloc((size_t)n + 1, sizeof *in));
		for (int i = 0; i < n; i++) {
			por_leaf leaf;
			por_function_input(f, i, &leaf);
			own[i] = random_array(c, &s, &leaf);
			in[i] = por_view(
				own[i].data, por_dtype_named(own[i].dtype), own[i].rank, own[i].shape);
		}
		done = compare(c, f, name, n, in);
		for (int i = 0; i < n; i++) file_array_free(&own[i]);
		for (int i = 0; i < s.n; i++) free(s.name[i]);
		free(own);
		free(in);
	}
	if (!done) {
		fprintf(stderr, "%s: no arguments were found that suit it\n", name);
		c->skipped++;
	}
}

/* ---- what is checked ------------------------------------------------------------------------- */

static char *trimmed(const char *text, size_t n)
{
	while (n && strchr(" \t", *text)) text++, n--;
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
		Sizes s = {0};
		int n = por_function_inputs(f);
		FileArray *own = need(calloc((size_t)n + 1, sizeof *own));
		por_array *in = need(calloc((size_t)n + 1, sizeof *in));
		for (int i = 0; i < n; i++) {
			por_leaf leaf;
			por_function_input(f, i, &leaf);
			own[i] = random_array(c, &s, &leaf);
			in[i] = por_view(
				own[i].data, por_dtype_named(own[i].dtype), own[i].rank, own[i].shape);
		}
		Outcome r = compute(c, f, &ways[1], n, in);
		double worst = r.n ? array_number(&r.result[0], 0) : NAN;
		if (r.code ? r.code != POR_ERR_CALL : worst > 1e-9) {
			fprintf(stderr, "%s <=> %s: %s%.3g\n", left, right,
				r.code ? r.text : "they differ by ", worst);
			good = false;
		}
		outcome_free(&r);
		for (int i = 0; i < n; i++) file_array_free(&own[i]);
		for (int i = 0; i < s.n; i++) free(s.name[i]);
		free(own);
		free(in);
		if (!n) break;
	}
	free(text);
	return good;
}

/* A book of kind `check`: name: left => right, name: left <=> right, a line each. */
static void check_book(Check *c, const char *text)
{
	const char *head = strstr(text, "book ");
	if (!head || !strstr(head, ": check") || strstr(head, ": check") > head + strcspn(head, "\n")) return;
	for (const char *line = strchr(head, '\n'); line; line = strchr(line + 1, '\n')) {
		size_t n = strcspn(++line, "\n"), name = strcspn(line, ":");
		char *rule = name < n ? trimmed(line + name + 1, n - name - 1) : text_copy(line, n);
		char *both = strstr(rule, "<=>"), *arrow = both ? both : strstr(rule, " => ");
		if (arrow && *rule != '#') {
			char *left = trimmed(rule, (size_t)(arrow - rule)),
			     *right = trimmed(arrow + 3, strlen(arrow + 3));
			bool good = both ? agree(c, left, right) : turns(c, left, right);
			if (por_graph_error(c->target->graph)->code) {
				complain_with(c->options, por_graph_error(c->target->graph), NULL);
				por_clear_error(c->target->graph);
				good = false;
			}
			if (option(c->options, "verbose"))
				fprintf(stderr, "%s: %s\n", rule, good ? "same" : "differs");
			c->same += good;
			c->differ += !good;
			free(left);
			free(right);
		}
		free(rule);
		line--;
	}
}

static int check_file(Check *c)
{
	Target *t = c->target;
	for (int i = 0; i < por_module_count(t->module); i++) {
		const char *kind = por_module_kind(t->module, i), *name = por_module_name(t->module, i);
		if (!strcmp(kind, "book") && !t->function) {
			char *text = por_module_text(t->module, i);
			if (text) check_book(c, text);
			por_text_free(text);
		}
		if ((strcmp(kind, "fn") && strcmp(kind, "op")) || (t->function && strcmp(t->function, name)))
			continue;
		por_function *f = por_function_named(t->module, name, 0, NULL);
		if (f)
			check_function(c, f, name);
		else {
			if (option(c->options, "verbose") || t->function)
				fprintf(stderr, "%s: %s\n", name, por_graph_error(t->graph)->text);
			por_clear_error(t->graph);
			c->skipped++;
		}
	}
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

/* Random expression `seed`: its text, declared names, and the ways compared. */
static int check_one(Check *c, uint64_t seed, int nodes)
{
	Target t;
	int n, status = target_open(&t, c->options, "0");
	if (status != EXIT_GOOD) return status;
	char name[64], **declared;
	snprintf(name, sizeof name, "--seed %" PRIu64, seed);
	free(t.source);
	t.source = random_expression(seed, nodes, &declared, &n);
	por_given given[64] = {0};
	for (int i = 0; i < n; i++) {
		char *colon = strchr(declared[i], ':');
		given[i] = (por_given){.name = text_copy(declared[i], (size_t)(colon - declared[i])),
			.declared = declared[i]};
	}
	if (option(c->options, "print")) {
		printf("%s: porism check '%s'", name, t.source);
		for (int i = 0; i < n; i++) printf(" '%s'", declared[i]);
		putchar('\n');
	}
	c->target = &t, c->random = seed;
	por_function *f = elaborate(&t, NULL, (size_t)n, given);
	if (f)
		check_function(c, f, name);
	else if (por_graph_error(t.graph)->code == POR_ERR_UNSUPPORTED) {
		fprintf(stderr, "%s: %s\n", name, por_graph_error(t.graph)->text);
		c->skipped++;
	} else
		status = target_fail(&t);
	for (int i = 0; i < n; i++) {
		free((char *)given[i].name);
		free(declared[i]);
	}
	free(declared);
	target_close(&t);
	return status;
}

static int check_random(Check *c, int64_t n, uint64_t seed)
{
	int64_t nodes = 12;
	if (!option_number(c->options, "nodes", 1, 10000, &nodes)) return EXIT_USAGE;
	int status = EXIT_GOOD;
	for (int64_t i = 0; i < n && status == EXIT_GOOD; i++)
		status = check_one(c, seed + (uint64_t)i, (int)nodes);
	return status;
}

static int run(Options *o)
{
	int64_t n = 0, seed = 0;
	Target t = {0};
	if (!option_number(o, "random", 1, INT32_MAX, &n) || !option_number(o, "seed", 0, INT64_MAX, &seed))
		return EXIT_USAGE;
	if (!n == !o->nword) return usage(o, "FILE, or --random N, was wanted");
	Check c = {.options = o, .target = &t, .random = (uint64_t)seed, .native = !option(o, "no-native")};
	int status = EXIT_GOOD;
	if (n)
		status = check_random(&c, n, (uint64_t)seed);
	else {
		status = target_open(&t, o, o->word[0]);
		if (status == EXIT_GOOD) status = t.file ? check_file(&c) : check_expression(&c);
		target_close(&t);
	}
	if (status != EXIT_GOOD) return status;
	if (c.skipped) fprintf(stderr, "%d not checked\n", c.skipped);
	printf(o->json ? "{\"same\": %d, \"differ\": %d, \"skipped\": %d}\n" : "same %d differ %d\n", c.same,
		c.differ, c.skipped);
	return c.differ ? EXIT_FAILED : EXIT_GOOD;
}

static const OptionSpec own[] = {
	{"random", 0, "N", "N random expressions instead of a file's functions"},
	{"nodes", 0, "N", "operators of a random expression; 12 if not given"},
	{"no-native", 0, NULL, "without the native tier, which needs a compiler"},
	{"print", 0, NULL, "print the random expressions"},
	{"verbose", 'v', NULL, "a line for each function"},
	{0},
};

const Command command_check = {"check", "FILE[:FN] | 'EXPR' ['name: type']... | --random N --seed S",
	"every way of computing a function, compared to the bit",
	"Reference, interpreted and native; 1 and 2 threads; baseline and best instruction set; as written\n"
	"and rewritten by exact rules; of a file also its books of kind `check`.\n"
	"Random expression i of --seed S is that of --seed S+i.  The last line is\n"
	"  same N differ N",
	own, run};
