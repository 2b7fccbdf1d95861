/* test_syntax.c - the notation: programs go round through printer and parser, errors say what and where. */
#include "syntax_help.h"

#include "elab/elab.h"

#include <stdio.h>

/* ---- programs ------------------------------------------------------------------- */

static void test_programs(void **state)
{
	static const char *const programs[] = {
		"prelude",
		"optim",
		"logp",
		"logistic",
		"classifier",
		"markov",
		"transformer",
		"radon",
		"black_scholes",
		"lbfgs",
		"control",
		"forms",
		"heat",
		"rules",
		"ragged",
		"effects",
		"printed",
	};
	for (size_t i = 0; i < countof(programs); i++) {
		Syntax *s = must_parse(*state, parse_file, read_case(*state, programs[i]));
		assert_true(s->count > 0);
		goes_round(*state, parse_file, s);
	}
}

static void test_program_prints_as_written(void **state)
{
	char *text = read_case(*state, "markov"), *comment = strstr(text, "          # logarithms");
	memmove(comment, strchr(comment, '\n'), strlen(strchr(comment, '\n')) + 1);
	assert_string_equal(printed(*state, must_parse(*state, parse_file, text)), text);
}

/* ---- what is read, as printed: kind of text, text, print (NULL: as it is) ----------- */

static const struct {
	parse_function parse;
	const char *text, *print;
} readings[] = {
	{parse_expression, "1_000 + 0x10 + 0x1.8p3 - 9223372036854775807", NULL},
	{parse_expression, "-9223372036854775808", NULL},
	{parse_expression, "2i*0.5i", NULL},
	{parse_expression, "x[1..n]", "!1:4: found ..; wanted ] or , in brackets"},
	{parse_expression, "x and not y or z < w <= 3", NULL},
	{parse_expression, "-x^-y^2*z", NULL},
	{parse_expression, "(-2)^2 + -2^2 - -2 - -(2)", NULL},
	{parse_expression, "((-2))", "-2"},
	{parse_expression, "(a - b) - (c - d)", "a - b - (c - d)"},
	{parse_expression, "(a*b) + (c/d)*(e//f % g)", "a*b + c/d*(e//f % g)"},
	{parse_expression, "(a < b) < c < d", NULL},
	{parse_expression, "not (not (a == b))", "not not a == b"},
	{parse_expression, "(not a) == b", NULL},
	{parse_expression, "(x^y)^z^w", NULL},
	{parse_expression, "((a, (b)), c) => a", "((a, b), c) => a"},
	{parse_expression, "(a,) => a", "(a) => a"},
	{parse_expression, "((a,), ..more) => f(a, ..more, k = 1)", NULL},
	{parse_expression, "({w, b = (c, d)}: mlp[d]) => w", NULL},
	{parse_expression, "f(a)(b)[c].d^2", NULL},
	{parse_expression, "((x) => x)(2)", NULL},
	{parse_expression, "(2).x + (2)(y) + (-2)[z]", NULL},
	{parse_expression, "x with [0] = 1 with .w.v[1:2, ::-1] += 2", NULL},
	{parse_expression, "(x with [0] = 1) with .w = (3 with [0] = 1)",
		"x with [0] = 1 with .w = (3 with [0] = 1)"},
	{parse_expression, "let a = 1 in let b = 2 do f(b) in a + b",
		"let a = 1\nlet b = 2\ndo f(b)\nin a + b"},
	{parse_expression, "let a = 1 in (let b = 2 in b)", "let a = 1\nin (\n    let b = 2\n    in b)"},
	{parse_expression, "let a = let b = 1 in b let c = 2 in a",
		"let a =\n    let b = 1\n    in b\nlet c = 2\nin a"},
	{parse_expression, "{w = w, b = 1, c,}", "{w, b = 1, c}"},
	{parse_expression, "(a,)", NULL},
	{parse_expression, "((), [], {}, f(), x[])", NULL},
	{parse_expression, "x[:, a:b, ::c, a:, :b:c, .., ..s, keep, keep = true, _]", NULL},
	{parse_expression, "scan[back, states = 32] (x = 1, y in ys, i < n) while x < 2 => {x}", NULL},
	{parse_expression, "[i < n, x in xs] => if i < 2 then x else 0", NULL},
	{parse_expression, "α₁ + x₂ + ẋ + real + exact", NULL},
	{parse_expression, "x # comment\r\n\t+ # another\n y", "x + y"},
	{parse_expression, "\xef\xbb\xbfx", "x"},
	{parse_type, "f64[n][b]", NULL},
	{parse_type, "(f64) -> (i32[n - 1]) -> f64", NULL},
	{parse_type, "((f64) -> f64)[b]", NULL},
	{parse_type, "((f64), (f64,), ())", "(f64, (f64,), ())"},
	{parse_type, "{w: optim.moments[params[n]] if w > 0, b: {}}[..s]", NULL},
	{parse_param, "y: f64[m] if y >= 0", NULL},
	{parse_param, "y = if a then b else c if y > 0", NULL},
	{parse_param, "y", NULL},
	{parse_rule, "1 + x => log1p(x)", NULL},
	{parse_rule, "(x) => y", "x => y"},
	{parse_rule, "-x*y <=> z approx(1e-3) if x > 0 and y > 0", NULL},
	{parse_rule, "log: x + y => ((q) => q) real", "log: x + y => ((q) => q) real"},
	{parse_rule, "x => f([i < n] => i) finite", NULL},
	{parse_file, "book b a => let f = (x) => x in f real book c: d",
		"book b\na =>\n    let f = (x) => x\n    in f real\n\nbook c: d\n"},
	{parse_file, "# lost\n\n# one\n#   two\nlet x: f64 = 1 # lost\n# three\nlet y = 2",
		"# one\n#   two\nlet x: f64 = 1\n\n# three\nlet y = 2\n"},
	{parse_file, "book b tag p,q a[p]: x[1] => y tag: x => tag tag r s[t, u]: x => y real",
		"book b\ntag p, q\na[p]: x[1] => y\ntag: x => tag\ntag r\ns[t, u]: x => y real\n"},
	{parse_file, "book b\n#first\na => b\nc => d", "book b\n# first\na => b\nc => d\n"},
	{parse_file, "op f[a, ..b, k = 1](x: T[..s], ..y) -> T = x",
		"op f[a, ..b, k = 1](x: T[..s], ..y) -> T = x\n"},
	{parse_file, "use a.b use c type t[n] = f64[n] fn f() = x",
		"use a.b\nuse c\n\ntype t[n] = f64[n]\n\nfn f() = x\n"},
	{parse_file, "", ""},

	/* errors: !line:column: text */
	{parse_expression, "", "!1:1: the text ends; wanted an expression"},
	{parse_expression, "a <> b", "!1:3: <>: not equal is written !="},
	{parse_expression, "2x", "!1:1: 2x: a number ends where a name begins; write 2*x"},
	{parse_expression, "é + 2ix", "!1:5: 2ix: a number ends where a name begins; write 2*ix"},
	{parse_expression, "1e+", "!1:1: 1e: a number ends where a name begins; write 1*e"},
	{parse_expression, "3.x", "!1:2: 3.: a digit stands on each side of the point, as in 3.0"},
	{parse_expression, ".5", "!1:1: .: a digit stands on each side of the point, as in 0.5"},
	{parse_expression, "x.1", "!1:3: found 1; wanted a field's name after .; a tuple's first is get[0](t)"},
	{parse_expression, "1..n", "!1:2: found ..; wanted an operator or the end of the text"},
	{parse_expression, "a && b", "!1:3: &&: both is written and"},
	{parse_expression, "a || b", "!1:3: ||: either is written or"},
	{parse_expression, "!a", "!1:1: !: negation is written not x"},
	{parse_expression, "x**2", "!1:2: **: a power is written x^y"},
	{parse_expression, "A'", "!1:2: ': the transpose is written x.T"},
	{parse_expression, "\"text\"", "!1:1: \": there are no strings; print({x}) prints names, einsum has its letters in brackets, einsum[(a, b), (b, c), (a, c)](A, A)"},
	{parse_expression, "x²", "!1:2: ²: a square is written x^2"},
	{parse_expression, "₁x", "!1:1: ₁: a name cannot begin with this character"},
	{parse_expression, "x\xc2\xa0+ y", "!1:2: character U+00A0 has no meaning here"},
	{parse_expression, "x\n + \xff", "!2:4: byte 255: this is no UTF-8 text"},
	{parse_expression, "x\n + \xc0\x80", "!2:4: byte 192: this is no UTF-8 text"},
	{parse_expression, "+x", "!1:1: +: there is no prefix plus"},
	{parse_expression, "(x, y", "!1:1: this ( is not closed: the text ends before its )"},
	{parse_expression, "(x]", "!1:3: found ]; wanted ) or , in this list"},
	{parse_expression, "{w: 1}", "!1:3: found :; wanted } or , after a field; its value follows =, as in {a = 1}"},
	{parse_expression, "x y", "!1:3: found y; wanted an operator or the end of the text; a call is written x(y)"},
	{parse_expression, "9223372036854775808", NULL},
	{parse_expression, "-0xffffffffffffffffffff", NULL},
	{parse_expression, "1e999", "!1:1: 1e999: floats go up to 1.7976931348623157e308"},
	{parse_expression, "2(x)", "!1:2: 2(: a number is no function; write 2*("},
	{parse_expression, "let x = 1", "!1:10: the text ends; wanted in or another let after that of line 1"},
	{parse_expression, "let in x",
		"!1:5: found in, a word of the language; wanted a name, (a, b) or {a, b} to define"},
	{parse_expression, "if a then b", "!1:12: the text ends; wanted else after this branch"},
	{parse_expression, "scan (a + 1) => x",
		"!1:7: a scan has name = first value, name in array or name < size"},
	{parse_expression, "[i <= n] => i",
		"!1:2: an array's formula runs over name < size or name in array"},
	{parse_expression, "(x = 1) => x", "!1:2: a parameter of (x) => ... has no default; fn has them"},
	{parse_expression, "(a, 2) => x", "!1:5: a name, (a, b) or {a, b} can be defined here, nothing else"},
	{parse_expression, "(x: f64)",
		"!1:2: a definition in ( ) belongs to a function, (x: T) => ..., or a scan"},
	{parse_expression, "f(a.b = 1)", "!1:3: an argument is an expression, name = expression or ..run"},
	{parse_expression, "a + let x = 1 in x", "!1:5: let inside an operator needs parentheses"},
	{parse_expression, "a == not b", "!1:6: not on the right of a stronger operator needs parentheses"},
	{parse_expression, "x with 1 = 2", "!1:8: found 1; wanted [...] or .name after with"},
	{parse_expression, "a + (x) => x",
		"!1:9: => follows a list alone, (x) => ... or [i < n] => ..., and in operators it "
		"needs parentheses"},
	{parse_file, "fn f(x) = x +\nfn g() = 1", "!2:1: found fn; wanted an expression"},
	{parse_file, "x + 1",
		"!1:1: found x; wanted a definition, which begins with use, type, let, fn, op or book"},
	{parse_file, "fn f x = x", "!1:6: found x; wanted ( and the parameters"},
	{parse_file, "book b\n(x) => y", "!2:1: a rule begins with a name; write name: before its left side"},
	{parse_file, "book b\na => (x) => y", "!2:10: => inside the right side of a rule needs parentheses"},
	{parse_file, "book b\na[2]: x => y", "!2:3: a tag is a name, as in name[tag, tag]: left => right"},
	{parse_file, "book b\ntag p, 2", "!2:8: found 2; wanted a tag's name"},
	{parse_file, "book b\na = b", "!2:3: found =; wanted => or <=> after the left side of a rule"},
	{parse_file, "type t = {w f64}", "!1:13: found f64; wanted : and a type after a field's name"},
	{parse_rule, "x => y foo", "!1:8: found foo; wanted a law, if and a guard, or the end of the rule"},
	{parse_type, "m.t[n].x", "!1:7: found .; wanted the end of the type"},
	{parse_param, "2", "!1:1: found 2; wanted a parameter's name"},
};

static void test_readings(void **state)
{
	Bench *b = *state;
	for (size_t i = 0; i < countof(readings); i++) {
		const char *text = readings[i].text, *want = readings[i].print ? readings[i].print : text;
		Syntax *s = parse_with(b, readings[i].parse, text);
		char *got = s ? printed(b, s) : arena_printf(b->arena, "!%s", error_line(b));
		if (strcmp(got, want)) fail_msg("of %s\ngot  %s\nwant %s", text, got, want);
		assert_int_equal(b->error.code, s ? ERR_NONE : ERR_SYNTAX);
		if (s) goes_round(b, readings[i].parse, s);
	}
}

static void test_zero_byte(void **state)
{
	Bench *b = *state;
	assert_null(parse_expression(b->arena, &b->names, "f", "x\0y", 3, &b->error));
	assert_string_equal(error_line(b), "1:2: byte 0: this is no text");
	assert_string_equal(b->error.file, "f");
	assert_null(
		parse_expression(b->arena, &b->names, "f", "x", 1, &b->error)); /* the first error sticks */
	assert_null(parse_expression(b->arena, &b->names, "f", NULL, 0, NULL));
	assert_null(parse_expression(NULL, &b->names, "f", "x", 1, NULL));
	assert_null(parse_expression(b->arena, NULL, "f", "x", 1, NULL));
	assert_non_null(
		parse_expression(b->arena, &b->names, NULL, "x + y", 1, NULL)); /* as many bytes as said */
}

static void test_values(void **state)
{
	static const struct {
		const char *text;
		double value;
	} reals[] = {
		{"0.1", 0.1},
		{"1_0.2_5", 10.25},
		{"1e3", 1000},
		{"1e-3", 1e-3},
		{"0x1.8p3", 12},
		{"2i", 2},
		{"179769313486231570000e288", 1.7976931348623157e308},
		{"4.9e-324", 4.9e-324},
		{"1e-400", 0},
		{"9007199254740993.0", 9007199254740992.0},
		{"9007199254740993.00000000000000000001", 9007199254740994.0},
		{"0x1.fffffffffffff8p0", 2},
		{"0x1p-1074", 4.9e-324},
		{"-0.0", -0.0},
		{"1e-99999999999999999999", 0},
	};
	for (size_t i = 0; i < countof(reals); i++) {
		Syntax *s = parse_with(*state, parse_expression, reals[i].text);
		assert_non_null(s);
		assert_int_equal(s->number, strchr(reals[i].text, 'i') ? NUMBER_IMAGINARY : NUMBER_REAL);
		assert_memory_equal(&s->real, &reals[i].value, sizeof s->real);
	}
	assert_null(parse_with(*state, parse_expression, "1e99999999999999999999"));
	assert_true(must_parse(*state, parse_expression, "-0x7fff")->integer == -0x7fff);
	assert_true(must_parse(*state, parse_expression, "-9223372036854775808")->integer == INT64_MIN);
}

static void test_places(void **state)
{
	Syntax *s = must_parse(*state, parse_expression, "let é = 1\n\tin (é + X @ p.w)*f(-3)");
	const Syntax *product = s->part[1], *sum = product->part[0], *call = product->part[1];
	assert_int_equal(product->kind, SYN_CHAIN);
	assert_int_equal(s->part[0]->part[2]->where.column, 9);
	assert_int_equal(sum->part[1]->where.line, 2);
	assert_int_equal(sum->part[1]->where.column, 10);
	assert_int_equal(sum->part[1]->part[1]->where.column, 14);
	assert_int_equal(call->where.column, 19);
	assert_int_equal(call->part[1]->where.column, 21);
}

/* Each file of the library, whose bodies are read when one is called: the same trees, in the same places. */
static void test_library(void **state)
{
	Bench *b = *state;
	uint32_t later = 0;
	for (const EmbeddedText *t = embedded_lib; t->name; t++) {
		Syntax *whole = must_parse(b, parse_file, t->text), *module = must_parse(b, parse_laid_out, t->text);
		assert_int_equal(module->count, whole->count);
		assert_string_equal(printed(b, module), printed(b, whole));
		for (uint32_t i = 0; i < whole->count; i++) {
			const Syntax *s = module->part[i], *want = whole->part[i];
			assert_int_equal(s->kind, want->kind);
			if (s->text || want->text) assert_string_equal(s->text, want->text);
			if (s->kind != SYN_FN) continue;
			later++;
			assert_int_equal(s->part[3]->kind, SYN_LATER);
			const Syntax *body = syntax_of_later(b->arena, &b->names, s->part[3]);
			assert_true(syntax_equal(body, want->part[3]));
			assert_int_equal(body->where.line, want->part[3]->where.line);
			assert_int_equal(body->where.column, want->part[3]->where.column);
		}
	}
	assert_true(later > 100);
	const char *lost = "fn f(x) =\n    x + (\n# ends f\nfn g(x) = 2";
	assert_null(parse_with(b, parse_file, lost));
	Syntax *module = must_parse(b, parse_laid_out, lost);
	assert_int_equal(module->count, 2);
	assert_null(syntax_of_later(b->arena, &b->names, module->part[0]->part[3]));
}

typedef struct Kinds { bool kind[SYN_KINDS], sign[SIGN_KINDS]; } Kinds;

static void see(Kinds *k, const Syntax *s)
{
	if (!s) return;
	k->kind[s->kind] = k->sign[s->sign] = true;
	bool signs = s->kind == SYN_CHAIN || s->kind == SYN_COMPARE;
	for (uint32_t i = 0; signs && i + 1 < s->count; i++) k->sign[s->signs[i]] = true;
	if (s->kind == SYN_POWER) k->sign[SIGN_POWER] = true;
	for (uint32_t i = 0; i < s->count; i++) see(k, s->part[i]);
}

/* Whatever the notation can say is in forms.por, which fuzzing begins with. */
static void test_every_kind(void **state)
{
	Kinds k = {0};
	see(&k, must_parse(*state, parse_file, read_case(*state, "forms")));
	for (int i = SYN_NONE + 1; i < SYN_KINDS; i++)
		if (!k.kind[i] && i != SYN_LATER) fail_msg("forms.por has no syntax of kind %d", i);
	for (int i = SIGN_NONE + 1; i < SIGN_KINDS; i++)
		if (!k.sign[i]) fail_msg("forms.por has no sign %d", i);
}

/* Of a function with a long body a module keeps the text: read later it is the tree that it was, at its places;
 * and it prints as that. */
static void test_later(void **state)
{
	Bench *b = *state;
	char text[12000] = "# short\nfn g(x) = x + 1\n\n# long\nfn f(x: f64, é: f64) =\n    let y = é + x\n    in 0";
	for (int i = 0; i < 600; i++) strcat(text, i % 7 ? " + x*é^2" : "\n    - g(y)");
	strcat(text, "\n\n# next\nop h(x) = -x\n# last\n");
	Syntax *whole = must_parse(b, parse_file, text), *module = must_parse(b, parse_module, text);
	assert_int_equal(module->count, 3);
	assert_true(syntax_equal(module->part[0], whole->part[0]) && syntax_equal(module->part[2], whole->part[2]));
	const Syntax *later = module->part[1]->part[3], *want = whole->part[1]->part[3];
	assert_int_equal(later->kind, SYN_LATER);
	const Syntax *body = syntax_of_later(b->arena, &b->names, later);
	assert_true(syntax_equal(body, want));
	const Syntax *last = body->part[1]->part[600], *there = want->part[1]->part[600];
	assert_int_equal(last->where.line, there->where.line);
	assert_int_equal(last->where.column, there->where.column);
	assert_ptr_equal(last->where.file, there->where.file);
	assert_string_equal(printed(b, module), printed(b, whole));
	strcat(text, "fn wrong(x) = x +");
	assert_null(parse_with(b, parse_module, text));
	char *at = error_line(b);
	assert_null(parse_with(b, parse_file, text));
	assert_string_equal(at, error_line(b));
	memmove(strstr(text, "+ x*"), "+ ++", 4);
	assert_null(parse_with(b, parse_module, text));
	at = error_line(b);
	assert_null(parse_with(b, parse_file, text));
	assert_string_equal(at, error_line(b));
}

/* Text is looked at eight bytes at a time: what is none is found at every place of a line, and lines are counted. */
static void test_bytes_at_every_place(void **state)
{
	Bench *b = *state;
	static const char bad[] = {'\0', '\1', '\x1f', '\x7f', '\x80', '\xff'};
	char text[64];
	for (int k = 0; k < 24; k++) {
		for (size_t i = 0; i < 2 * sizeof bad; i++) {
			int lines = i % 2;
			memset(text, 'a', sizeof text);
			if (lines) text[k] = '\n';
			text[k + lines] = bad[i / 2];
			error_clear(&b->error);
			assert_null(parse_expression(b->arena, &b->names, NULL, text, sizeof text, &b->error));
			assert_int_equal(b->error.line, 1 + lines);
			assert_int_equal(b->error.column, lines ? 1 : k + 1);
		}
	}
}

static void test_error_show(void **state)
{
	Bench *b = *state;
	char line[500], *source = line;
	Text t;
	text_open(&t, b->arena);
	parse_expression(b->arena, &b->names, "model.por", "a +\n\tβ <> c", 12, &b->error);
	error_show(&t, &b->error, "a +\n\tβ <> c");
	error_show(&t, &b->error, NULL);
	assert_string_equal(text_done(&t),
		"model.por:2:4: <>: not equal is written !=\n    \tβ <> c\n    \t  ^\n"
		"model.por:2:4: <>: not equal is written !=\n");
	for (int i = 0; i < 400; i++) line[i] = i % 2 ? '+' : 'x';
	memcpy(line + 400, "+)", 3);
	parse_with(b, parse_expression, source);
	text_open(&t, b->arena);
	error_show(&t, &b->error, source);
	char *mark = strrchr(text_done(&t), ' ');
	assert_string_equal(mark, " ^\n");
	assert_true(strlen(t.s) < 300);
	b->error = (Error){.code = ERR_TYPE, .line = 7};
	text_open(&t, b->arena);
	error_show(&t, &b->error, source);
	error_show(&t, NULL, source);
	assert_string_equal(text_done(&t), "<text>:7: \n");
}

static void test_print_chain(void **state)
{
	Bench *b = *state;
	Text t;
	text_open(&t, b->arena);
	print_chain(&t, must_parse(b, parse_expression, "a - b*2 + c"), 2);
	assert_string_equal(text_done(&t), "a - b*2");
}

static void test_not_equal(void **state)
{
	static const char *const pairs[][2] = {
		{"a + b", "a - b"},
		{"a", "b"},
		{"1", "1.0"},
		{"0.0", "-0.0"},
		{"(a,)", "a"},
		{"a - (b - c)", "a - b - c"},
		{"x with [0] = 1", "x with [0] += 1"},
		{"f(a)", "f(a, b)"},
		{"-x", "not x"},
		{"-(2)", "-2"},
		{"x[1:]", "x[:1]"},
		{"a < b < c", "a < (b < c)"},
		{"a < b < c", "(a < b) < c"},
		{"x[..]", "x[..s]"},
	};
	for (size_t i = 0; i < countof(pairs); i++)
		assert_false(syntax_equal(must_parse(*state, parse_expression, pairs[i][0]),
			must_parse(*state, parse_expression, pairs[i][1])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_programs), TEST(test_program_prints_as_written),
		TEST(test_readings), TEST(test_zero_byte), TEST(test_values), TEST(test_places), TEST(test_every_kind),
		TEST(test_later),
		TEST(test_library), TEST(test_bytes_at_every_place), TEST(test_error_show), TEST(test_print_chain),
		TEST(test_not_equal)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
