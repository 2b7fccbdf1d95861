/* fuzz_notation.c - any bytes: parsing does not fail badly, and what parses prints as something that parses
 * to the same tree.  The first byte chooses what to read. */
#include "../../src/parse/syntax.h"

#include <stdio.h>
#include <stdlib.h>

typedef Syntax *(*parse_function)(Arena *, Names *, const char *, const char *, size_t, Error *);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void round_trip(Arena *a, parse_function parse, const char *source, size_t n)
{
	Names names;
	Error error = {0}, again = {0};
	Text text;
	names_open(&names, a);
	text_open(&text, a);
	Syntax *first = parse(a, &names, "fuzz", source, n, &error);
	if (!first) {
		error_show(&text, &error, arena_copy(a, source, n));
		return;
	}
	print_syntax(&text, first);
	char *printed = text_done(&text);
	Syntax *second = parse(a, &names, "fuzz", printed, strlen(printed), &again);
	if (!second || !syntax_equal(first, second)) {
		fprintf(stderr, "%s\nprinted: %s\n", second ? "another tree" : again.text, printed);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const parse_function parse[] = {
		parse_file, parse_expression, parse_rule, parse_type, parse_param};
	Trap trap;
	if (!n) return 0;
	Arena *a = arena_new(NULL);
	if (TRAP(&trap)) {
		arena_free(a);
		return 0;
	}
	arena_arm(a, &trap);
	round_trip(a, parse[data[0] % countof(parse)], (const char *)data + 1, n - 1);
	arena_disarm(a, &trap);
	arena_free(a);
	return 0;
}
