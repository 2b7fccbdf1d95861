/* test_format.c - a text laid out: the same tokens, comments and tree, no line too long, and once is enough. */
#include "syntax_help.h"

#include "../../src/parse/parse.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *laid(Bench *b, const char *text)
{
	char *out = format_text(b->arena, &b->names, "model.por", text, strlen(text), &b->error);
	if (!out) fail_msg("%s\nof\n%s", b->error.text, text);
	return out;
}

/* The text without blanks and ends of lines, of which comments keep their own. */
static char *bare(Bench *b, const char *text)
{
	Text t;
	text_open(&t, b->arena);
	for (const char *s = text; *s; s++)
		if (!strchr(" \t\r\n", *s)) text_char(&t, *s);
	return text_done(&t);
}

/* Long texts are told from where they differ on. */
static void same_text(const char *a, const char *b)
{
	size_t i = 0;
	while (a[i] && a[i] == b[i]) i++;
	size_t from = i < 200 ? 0 : i - 200;
	if (a[i] || b[i]) fail_msg("%.300s\nis not\n%.300s", a + from, b + from);
}

/* Laid out it has the tokens, comments and tree that it had, and stays as it is from then on. */
static void keeps(Bench *b, const char *text)
{
	char *once = laid(b, text), *twice = laid(b, once);
	same_text(bare(b, text), bare(b, once));
	same_text(once, twice);
	const Syntax *before = must_parse(b, parse_file, text), *after = must_parse(b, parse_file, once);
	if (!syntax_equal(before, after)) fail_msg("another tree of\n%s\nlaid out\n%s", text, once);
}

/* Tokens apart by blanks, ends of lines and comments as chance has it. */
static char *scattered(Bench *b, const char *text, uint64_t *state)
{
	static const char *const gaps[] = {" ", " ", " ", "  ", "\t", "\n", "\n\n\n", "\n    ", " # a\n", "\n# b\n  # c\n",
		"   # d\n\n", "\r\n"};
	Parser p;
	Text t;
	text_open(&t, b->arena);
	lexer_open(&p, b->arena, &b->names, (Where){"", 1, 1}, text, strlen(text));
	for (; p.token.kind != TOKEN_END; lex_next(&p)) {
		text_add_n(&t, p.token.text, p.token.n);
		*state = hash_mix64(*state + 1);
		text_add(&t, gaps[*state % countof(gaps)]);
	}
	return text_done(&t);
}

static void test_random(void **state)
{
	Bench *b = *state;
	uint64_t chance = 7;
	for (uint32_t i = 0; i < 400; i++) {
		Random r = {b->arena, &b->names, i, 0};
		Text t;
		text_open(&t, b->arena);
		print_syntax(&t, random_file(&r, 5));
		char *text = text_done(&t);
		keeps(b, text);
		keeps(b, scattered(b, text, &chance));
	}
}

static void test_project(void **state)
{
	Bench *b = *state;
	static const char *const folders[] = {"examples/*.por", "examples/*/*.por", "lib/*.por", "rules/*.por",
		"tests/lang/cases/*.por", "tests/library/*.por", "bench/*.por"};
	uint32_t seen = 0;
	for (size_t i = 0; i < countof(folders); i++) {
		glob_t found;
		assert_int_equal(glob(folders[i], 0, NULL, &found), 0);
		for (size_t k = 0; k < found.gl_pathc; k++, seen++) {
			FILE *f = fopen(found.gl_pathv[k], "rb");
			assert_non_null(f);
			char *text = arena_alloc(b->arena, 1 << 20);
			size_t n = fread(text, 1, (1 << 20) - 1, f);
			fclose(f);
			text[n] = 0;
			keeps(b, text);
		}
		globfree(&found);
	}
	assert_true(seen > 50);
}

/* Written, and as it is laid out: worked out by hand. */
static const char *const cases[][2] = {
	{"", ""},
	{"\n\n\n# alone\n\n", "# alone\n"},
	{"fn  f( x:f64,y : f64 )=x+y*2-  -x^-2", "fn f(x: f64, y: f64) = x + y*2 - -x^-2\n"},
	{"fn f(x)=x[1 :,_]*x[: : 2]+x[a-1 : b]", "fn f(x) = x[1:, _]*x[::2] + x[a - 1:b]\n"},
	/* a product's blanks say what belongs together: they stay */
	{"fn f(x) = a * b/c", "fn f(x) = a * b/c\n"},
	{"let a={w=1 , b}\nlet p = q with .w=2 with [ 0 ]+=1",
		"let a = {w = 1, b}\nlet p = q with .w = 2 with [0] += 1\n"},
	{"fn f(x) =\nlet a = 1\n  let b =\n2\nin a+\nb",
		"fn f(x) =\n    let a = 1\n    let b =\n        2\n    in a +\n        b\n"},
	{"fn f(x) = if x>0 then\nlet a = 1 in a\nelse if x < 1 then\n2\nelse 3",
		"fn f(x) = if x > 0 then\n        let a = 1 in a\n    else if x < 1 then\n        2\n    else 3\n"},
	{"fn f(x) =\nlet s = scan[back] (s=0.0, v in x,\ni<n) while s<4 =>\nlet t = s in {s = t,\nout=t}\nin s",
		"fn f(x) =\n    let s = scan[back] (s = 0.0, v in x,\n                        i < n) while s < 4 =>\n"
		"        let t = s in {s = t,\n                      out = t}\n    in s\n"},
	{"fn f() = {\nstart = (p) => 1,\nstep = (p,g) =>\nlet a = 1\nin a}",
		"fn f() = {\n    start = (p) => 1,\n    step = (p, g) =>\n        let a = 1\n        in a}\n"},
	/* comments: beside, above, in between, at the end; empty lines at most one */
	{"# of a\n\n\n\n# of f\nfn f(x) = x   # beside\n    # below\nfn g(x) =\n# in g\nx\n#end",
		"# of a\n\n# of f\nfn f(x) = x   # beside\n# below\nfn g(x) =\n    # in g\n    x\n#end\n"},
	/* rules keep their columns and their lines */
	{"book b: algebra\none:     x*1   => x    real if x>0\nlong[t]:x   =>\n    x+0", 
		"book b: algebra\none:     x*1   => x    real if x > 0\nlong[t]: x  =>\n    x + 0\n"},
	{"fn long_name(first: f64[n], second: f64[n], third: f64[n]) = first_function(first, second) + "
	"second_function(second, third)",
		"fn long_name(first: f64[n], second: f64[n], third: f64[n]) =\n"
		"    first_function(first, second) + second_function(second, third)\n"},
	{"fn g(x) = let aaaaaaaaaaaaaaaaaaaaaaaa = bbbbbbbbbbbbbbbbbbbbbbbbbbbb(x) let cccccccccccccc = x in "
	"dddddddddddddddddd",
		"fn g(x) =\n    let aaaaaaaaaaaaaaaaaaaaaaaa = bbbbbbbbbbbbbbbbbbbbbbbbbbbb(x)\n"
		"    let cccccccccccccc = x in dddddddddddddddddd\n"},
};

static void test_cases(void **state)
{
	for (size_t i = 0; i < countof(cases); i++) {
		assert_string_equal(laid(*state, cases[i][0]), cases[i][1]);
		assert_string_equal(laid(*state, cases[i][1]), cases[i][1]);
	}
}

/* A call of many arguments fits, whatever they are. */
static void test_width(void **state)
{
	Bench *b = *state;
	Text t;
	text_open(&t, b->arena);
	text_add(&t, "fn f(x) = let y = scan (a = 1.0, i < n) => g(");
	for (int i = 0; i < 500; i++) text_printf(&t, "%sx%d*(a + {b = [x%d, α]}.b[0])", i ? ", " : "", i, i);
	text_add(&t, ") in y");
	char *text = text_done(&t);
	keeps(b, text);
	size_t width = 0;
	for (const char *s = laid(b, text); *s; s++) {
		width = *s == '\n' ? 0 : width + (((unsigned char)*s & 0xc0) != 0x80);
		assert_true(width <= FORMAT_WIDTH);
	}
}

static void test_mistake(void **state)
{
	Bench *b = *state;
	assert_null(format_text(b->arena, &b->names, "model.por", "fn f(x) = x +", 13, &b->error));
	assert_int_equal(b->error.code, ERR_SYNTAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_cases), TEST(test_random), TEST(test_project), TEST(test_width),
		TEST(test_mistake)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
