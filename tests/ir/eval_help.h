/* eval_help.h - a graph, its given arrays, and its results by the reference evaluator. */
#ifndef EVAL_HELP_H
#define EVAL_HELP_H

#include "../../src/oracle/oracle.h" /* before cmocka.h, whose macro "fail" takes no arguments */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

typedef struct Case {
	Graph *g;
	uint32_t n;
	Node *param[8];
	Value in[8];
} Case;

#define DIMS(...) (const int64_t[]){ __VA_ARGS__ }

static inline void open_case(Case *c)
{
	*c = (Case){ .g = graph_open(NULL) };
	assert_non_null(c->g);
}

static inline void close_case(Case *c) { graph_close(c->g); }

/* An array of the case: sizes below 0 are symbols n1, n2, ... of the value in `real`. */
static inline Node *given_sized(Case *c, Dtype d, uint32_t rank, const Size *const *size, const int64_t *dim,
                                const void *data)
{
	Node *x = fresh(c->g, type_array(c->g, d, rank, size), NULL);
	assert_non_null(x);
	Value *v = &c->in[c->n];
	*v = (Value){ .type = x->type, .dtype = d, .rank = rank, .count = 1, .data = (void *)data };
	for (uint32_t i = 0; i < rank; i++) {
		v->dim[i] = dim[i];
		v->count *= dim[i];
	}
	c->param[c->n++] = x;
	return x;
}

static inline Node *given(Case *c, Dtype d, uint32_t rank, const int64_t *dim, const void *data)
{
	const Size *size[RANK_MAX];
	for (uint32_t i = 0; i < rank; i++)
		size[i] = size_const(c->g, dim[i]);
	return given_sized(c, d, rank, size, dim, data);
}

static inline Node *vector(Case *c, Dtype d, int64_t n, const void *data) { return given(c, d, 1, &n, data); }
static inline Node *scalar(Case *c, Dtype d, const void *data) { return given(c, d, 0, NULL, data); }

/* The results of the case; NULL when the evaluator fails. */
static inline Value *try_all(Case *c, uint32_t n, Node *const *results, bool quad)
{
	Closure f;
	if (c->g->error.code)
		fail_msg("%s", c->g->error.text);
	assert_true(function_close(c->g, (Title){.name = "f"}, (Nodes){c->n, c->param}, (Nodes){n, results}, &f));
	assert_int_equal(f.ncapture, 0);
	Value *out = NEW_ARRAY(c->g->arena, Value, n);
	return evaluate(c->g, c->g->arena, f.function, c->in, out, quad) ? out : NULL;
}

static inline Value *value_of(Case *c, Node *x)
{
	Value *v = try_all(c, 1, &x, false);
	if (!v)
		fail_msg("%s", c->g->error.text);
	return v;
}

static inline void same_bytes(const Value *v, const void *want, size_t bytes)
{
	assert_int_equal((size_t)v->count * dtype_bytes(v->dtype), bytes);
	assert_memory_equal(v->data, want, bytes);
}

#define EXPECT(v, T, ...) do { \
		const T want_[] = { __VA_ARGS__ }; \
		same_bytes(v, want_, sizeof want_); \
	} while (0)
#define ATTR(c, ...) attr_make((c)->g, sizeof (AttrValue[]){ __VA_ARGS__ } / sizeof(AttrValue), \
	(AttrValue[]){ __VA_ARGS__ })

/* A small generator, the same everywhere. */
static inline uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static inline double random_between(uint64_t *state, double low, double high)
{
	return low + (high - low) * next_random(state) / 2147483648.0;
}

#endif
