/* syntax_help.c - see the header. */
#include "syntax_help.h"

#include <stdio.h>
#include <stdlib.h>

int open_bench(void **state)
{
	Bench *b = calloc(1, sizeof *b);
	b->arena = arena_new(NULL);
	if (TRAP(&b->trap)) abort();
	arena_arm(b->arena, &b->trap);
	names_open(&b->names, b->arena);
	*state = b;
	return 0;
}

int close_bench(void **state)
{
	Bench *b = *state;
	arena_free(b->arena);
	free(b);
	return 0;
}

Syntax *parse_with(Bench *b, parse_function parse, const char *text)
{
	error_clear(&b->error);
	return parse(b->arena, &b->names, NULL, text, strlen(text), &b->error);
}

char *printed(Bench *b, const Syntax *s)
{
	Text t;
	text_open(&t, b->arena);
	print_syntax(&t, s);
	return text_done(&t);
}

char *error_line(Bench *b)
{
	return b->error.code
		? arena_printf(b->arena, "%d:%d: %s", b->error.line, b->error.column, b->error.text)
		: "";
}

Syntax *must_parse(Bench *b, parse_function parse, const char *text)
{
	Syntax *s = parse_with(b, parse, text);
	if (!s) fail_msg("%s\nin: %s", error_line(b), text);
	return s;
}

void goes_round(Bench *b, parse_function parse, const Syntax *s)
{
	char *text = printed(b, s);
	Syntax *again = must_parse(b, parse, text);
	if (!syntax_equal(s, again)) fail_msg("printed:\n%s\nagain:\n%s", text, printed(b, again));
	assert_string_equal(text, printed(b, again));
}

char *read_case(Bench *b, const char *name)
{
	char *path = arena_printf(b->arena, "tests/lang/cases/%s.por", name);
	FILE *f = fopen(path, "rb");
	if (!f) fail_msg("%s: cannot be read", path);
	char *text = arena_alloc(b->arena, 1 << 16);
	size_t n = fread(text, 1, (1 << 16) - 1, f);
	fclose(f);
	assert_true(n > 0);
	return text;
}
