/* test_syntax_limits.c - the notation: depth is limited and length is not; random trees, spoiled texts, and memory that
 * runs out. */
#include "syntax_help.h"

#include <stdlib.h>

/* ---- depth and length ------------------------------------------------------------- */

static const struct {
	parse_function parse;
	const char *begin, *open, *middle, *close;
} nests[] = {
	{parse_expression, "", "(", "x", ")"},
	{parse_expression, "", "-", "x", ""},
	{parse_expression, "", "not ", "x", ""},
	{parse_expression, "", "x^", "x", ""},
	{parse_expression, "", "if a then b else ", "x", ""},
	{parse_expression, "", "f(", "x", ")"},
	{parse_expression, "", "x[", "x", "]"},
	{parse_expression, "", "{a = ", "x", "}"},
	{parse_expression, "", "(x) => ", "x", ""},
	{parse_expression, "", "1 + 2*(a and ", "x", ")"},
	{parse_expression, "", "scan (a = 1) => ", "x", ""},
	{parse_expression, "", "let a = ", "x", " in x"},
	{parse_expression, "x", ".a", "", ""},
	{parse_expression, "x", "()", "", ""},
	{parse_expression, "(x) + x", "[0]", "", ""},
	{parse_expression, "", "f(", "x", ").a"},
	{parse_type, "", "(", "f64", ")"},
	{parse_type, "", "() -> ", "f64", ""},
	{parse_type, "", "{a: ", "f64", "}"},
	{parse_type, "f64", "[b]", "", ""},
	{parse_file, "let ", "(", "a", ")"},
};

static char *repeat(Text *t, const char *s, int n)
{
	while (n--) text_add(t, s);
	return t->s;
}

static char *nest(Bench *b, size_t k, int n)
{
	Text t;
	text_open(&t, b->arena);
	text_add(&t, nests[k].begin);
	repeat(&t, nests[k].open, n);
	text_add(&t, nests[k].middle);
	repeat(&t, nests[k].close, n);
	if (nests[k].parse == parse_file) text_add(&t, " = 1");
	return text_done(&t);
}

static void test_depth(void **state)
{
	Bench *b = *state;
	for (size_t k = 0; k < countof(nests); k++) {
		int n = !strcmp(nests[k].close, ").a") ? SYNTAX_DEPTH / 2
						       : SYNTAX_DEPTH - (nests[k].parse == parse_file);
		goes_round(b, nests[k].parse, must_parse(b, nests[k].parse, nest(b, k, n)));
		if (parse_with(b, nests[k].parse, nest(b, k, 1001)))
			fail_msg("%s%s was not refused", nests[k].begin, nests[k].open);
		assert_string_equal(b->error.text, "this is nested more than 1000 deep");
		assert_null(parse_with(b, nests[k].parse, nest(b, k, 100000)));
	}
}

typedef struct LongText {
	const char *begin, *more, *end;
} LongText;

/* begin, n times `more`, end: the bytes that it takes to read it, print it, and read that again */
static uint64_t long_round(const LongText *x, int n)
{
	void *bench;
	Watch watch = {0};
	Text t;
	open_bench(&bench);
	Bench *b = bench;
	arena_watch(b->arena, &watch);
	text_open(&t, b->arena);
	text_add(&t, x->begin);
	repeat(&t, x->more, n);
	text_add(&t, x->end);
	Syntax *s = must_parse(b, parse_expression, text_done(&t));
	assert_true(s->count >= (uint32_t)n);
	assert_true(syntax_equal(s, must_parse(b, parse_expression, printed(b, s))));
	uint64_t bytes = watch.bytes;
	arena_watch(b->arena, NULL);
	close_bench(&bench);
	return bytes;
}

static void test_length(void **state)
{
	static const LongText texts[] = {
		{"x", " - x + 1", ""},
		{"x", "*x", ""},
		{"x", " and x", ""},
		{"x", " < x", ""},
		{"x", " with [0] = 1", ""},
		{"", "let a = 1\n", "in a"},
		{"", "let a = 1 in ", "a"},
		{"[", "1,", "]"},
		{"f(", "x, ", "y)"},
		{"{", "a,", "}"},
		{"x[", ":,", "]"},
	};
	(void)state;
	for (size_t i = 0; i < countof(texts); i++) {
		uint64_t bytes = long_round(&texts[i], 1000000);
		assert_in_range(bytes, 1, 12 * long_round(&texts[i], 100000)); /* ten, and what is rounded up */
	}
}

/* ---- random trees, spoiled texts, memory that runs out -------------------------------- */

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 3000; seed++) {
		void *bench;
		open_bench(&bench);
		Bench *b = bench;
		Random r = {b->arena, &b->names, seed * 1000003, 0};
		goes_round(b, parse_expression, random_expression(&r, (int)(seed % 6)));
		goes_round(b, parse_type, random_type(&r, (int)(seed % 5)));
		goes_round(b, parse_file, random_file(&r, (int)(seed % 4)));
		close_bench(&bench);
	}
}

/* Programs with some characters replaced: what still parses goes round. */
static void test_spoiled(void **state)
{
	static const char letters[] = "()[]{},:.=<>+-*/^@ \n#xif1e";
	uint64_t x = 1;
	int parsed = 0;
	(void)state;
	for (int round = 0; round < 3000; round++) {
		void *bench;
		open_bench(&bench);
		Bench *b = bench;
		char *text = read_case(b, round % 2 ? "lbfgs" : "rules");
		for (int k = round % 4; k >= 0; k--) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			char *c = &text[(x >> 33) % strlen(text)];
			*c = letters[(x >> 20) % (sizeof letters - 1)];
		}
		Syntax *s = parse_with(b, parse_file, text);
		if (s) {
			goes_round(b, parse_file, s);
			parsed++;
		} else {
			assert_true(b->error.line > 0 && b->error.column > 0 && b->error.text[0]);
		}
		close_bench(&bench);
	}
	assert_in_range(parsed, 100, 2900);
}

typedef struct Ration {
	long left;
} Ration;

static void *rationed_alloc(void *user, size_t size, size_t align)
{
	Ration *r = user;
	return r->left-- > 0 ? allocator_libc.alloc(allocator_libc.user, size, align) : NULL;
}

static void rationed_free(void *user, void *p, size_t size, size_t align)
{
	(void)user;
	allocator_libc.free(allocator_libc.user, p, size, align);
}

static bool parses_within(const char *text, long allocations)
{
	Ration ration = {allocations};
	Allocator allocator = {rationed_alloc, rationed_free, &ration};
	Arena *a = arena_new(&allocator);
	Names names;
	Trap trap;
	Text t;
	if (!a) return false;
	if (TRAP(&trap)) {
		arena_free(a);
		return false;
	}
	arena_arm(a, &trap);
	names_open(&names, a);
	text_open(&t, a);
	print_syntax(&t, parse_file(a, &names, "f", text, strlen(text), NULL));
	arena_disarm(a, &trap);
	arena_free(a);
	return true;
}

static void test_memory_runs_out(void **state)
{
	char *text = read_case(*state, "transformer");
	long n = 0;
	while (n < 10000 && !parses_within(text, n)) n++;
	assert_in_range(n, 1, 9999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_depth), TEST(test_length), TEST(test_random),
		TEST(test_spoiled), TEST(test_memory_runs_out)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
