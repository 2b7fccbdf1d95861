/* syntax_help.h - a bench for the tests of the notation: parsing, printing, and both in turn. */
#ifndef SYNTAX_HELP_H
#define SYNTAX_HELP_H

#include "random_syntax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

typedef Syntax *(*parse_function)(Arena *, Names *, const char *, const char *, size_t, Error *);

/* One arena for one test; memory that runs out fails it. */
typedef struct Bench { Arena *arena; Names names; Trap trap; Error error; } Bench;

int open_bench(void **state);
int close_bench(void **state);
Syntax *parse_with(Bench *b, parse_function parse, const char *text);
char *printed(Bench *b, const Syntax *s);
char *error_line(Bench *b);
Syntax *must_parse(Bench *b, parse_function parse, const char *text);
char *read_case(Bench *b, const char *name); /* of tests/lang/cases */
void goes_round(Bench *b, parse_function parse, const Syntax *s);

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_bench, close_bench)

#endif
