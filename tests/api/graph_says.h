/* graph_says.h - what tests of the API ask of a graph: that it is well, its error, its texts. */
#ifndef TESTS_API_GRAPH_SAYS_H
#define TESTS_API_GRAPH_SAYS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <porism.h>

static inline void good(por_graph *g)
{
	const por_error *e = por_graph_error(g);
	if (e->code) fail_msg("%s:%d: %s", e->file, e->line, e->text);
}

/* The error has this code and `part` in its text; it is cleared. */
static inline void fails(por_graph *g, int code, const char *part)
{
	const por_error *e = por_graph_error(g);
	assert_int_equal(e->code, code);
	if (!strstr(e->text, part)) fail_msg("\"%s\" lacks \"%s\"", e->text, part);
	por_clear_error(g);
}

/* The error is this to the letter, at this place; it is cleared. */
static inline void fails_at(por_graph *g, int code, const char *file, int line, int column, const char *text)
{
	const por_error *e = por_graph_error(g);
	assert_string_equal(e->text, text);
	assert_int_equal(e->code, code);
	assert_string_equal(e->file, file);
	assert_int_equal(e->line, line);
	assert_int_equal(e->column, column);
	por_clear_error(g);
}

static inline void is_text(char *text, const char *want)
{
	assert_non_null(text);
	assert_string_equal(text, want);
	por_text_free(text);
}

static inline void shows(por_node *x, const char *want)
{
	is_text(por_print(1, &x), want);
}

#endif
