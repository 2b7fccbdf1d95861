/* outcome.h - any function called on small arguments: what it takes, and what it gives, tells or refuses as a number to
 * be compared; for the fuzzer of programs, and for tests that call every form. */
#ifndef POR_TEST_OUTCOME_H
#define POR_TEST_OUTCOME_H

#include "../../src/api/api.h"

#include <math.h>
#include <stdio.h>

static uint64_t mixed(uint64_t h, const void *p, size_t n)
{
	for (const uint8_t *c = p; n--; c++) h = (h ^ *c) * 0x100000001b3;
	return h ^ h >> 29;
}

static uint64_t mixed_text(uint64_t h, const char *text)
{
	return mixed(h, text, strlen(text) + 1);
}

/* ---- arguments --------------------------------------------------------------------------------- */

enum { ARGUMENTS = 16, BYTES = 1 << 14 };

typedef struct Arguments {
	int n;
	uint64_t random;
	por_array in[ARGUMENTS];
	int64_t shape[ARGUMENTS][RANK_MAX];
} Arguments;

static unsigned draw(uint64_t *random, unsigned n)
{
	*random = *random * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
	return (unsigned)(*random >> 33) % n;
}

/* A name's size hangs on the name alone, so that equal ones are equal. */
static bool named_size(void *user, const Atom *a, int64_t *value)
{
	if (a->kind != ATOM_NAME) return false;
	uint64_t random = mixed_text(*(uint64_t *)user, a->name);
	*value = (int64_t[]){0, 1, 2, 2, 3, 3, 4, 5}[draw(&random, 8)];
	return true;
}

static double number(uint64_t *random, const por_leaf *leaf)
{
	static const double few[] = {0.5, -1.5, 2, 1, -0.25, 3, 0, -0.0, 1e-3, -7, 1e5, INFINITY, NAN};
	double x = few[draw(random, draw(random, 4) ? 6 : sizeof few / sizeof *few)];
	if (leaf->low > -INFINITY && !(x >= leaf->low)) x = leaf->low + fabs(x == x ? x : 0);
	return leaf->integer ? nearbyint(x) : x;
}

static void fill(Arguments *a, void *data, int dtype, int64_t n, const por_leaf *leaf)
{
	for (int64_t i = 0; i < n; i++) {
		bool small = draw(&a->random, 8);
		int64_t whole = (int64_t)draw(&a->random, small ? 4 : 12) - !small;
		double x = number(&a->random, leaf);
		if (dtype == POR_KEY)
			((uint64_t *)data)[2 * i] = ((uint64_t *)data)[2 * i + 1] = (uint64_t)whole;
		else if (dtype == POR_BOOL)
			((bool *)data)[i] = whole & 1;
		else if (por_dtype_is_float(dtype))
			por_convert(1, dtype, (char *)data + (size_t)i * por_dtype_bytes(dtype), POR_F64, &x);
		else
			por_convert(1, dtype, (char *)data + (size_t)i * por_dtype_bytes(dtype), POR_I64, &whole);
	}
}

/* false: there are too many, or complex ones. */
static bool arguments(Arguments *a, por_graph *g, por_function *f)
{
	static _Alignas(64) char room[ARGUMENTS][BYTES];
	uint64_t names = a->random;
	a->n = por_function_inputs(f);
	if (a->n > ARGUMENTS) return false;
	for (int i = 0; i < a->n; i++) {
		por_leaf leaf;
		if (por_function_input(f, i, &leaf)) return false;
		int rank = por_type_rank(leaf.type), dtype = por_type_dtype(leaf.type);
		int64_t n = 1;
		if (rank < 0 || dtype == POR_C64 || dtype == POR_C128) return false;
		for (int d = 0; d < rank; d++) {
			int64_t *size = &a->shape[i][d];
			const Size *s = take_size(g, por_type_size(leaf.type, d));
			if (!s || !size_evaluate(s, named_size, &names, size) || *size < 0 || *size > BYTES) return false;
			if ((n *= *size) > BYTES / 16) return false;
		}
		fill(a, room[i], dtype, n, &leaf);
		a->in[i] = por_view(room[i], dtype, rank, a->shape[i]);
	}
	return true;
}

/* ---- a call ------------------------------------------------------------------------------------ */

typedef struct Outcome {
	int code; /* of the call; OUT_OF_IT: nothing can be said */
	uint64_t values, told;
	char text[300];
} Outcome;
enum { OUT_OF_IT = -1 };

/* All NaNs are one value. */
static uint64_t mixed_values(uint64_t h, const por_array *x)
{
	int dtype = por_array_dtype(x);
	int64_t n = por_array_count(x);
	const char *data = (const char *)x->data + x->byte_offset;
	h = mixed(h, x->shape, (size_t)x->ndim * sizeof *x->shape);
	for (int64_t i = 0; i < n; i++) {
		const char *at = data + (size_t)i * por_dtype_bytes(dtype);
		double v = 0;
		if (por_dtype_is_float(dtype)) por_convert(1, POR_F64, &v, dtype, at);
		h = isnan(v) ? mixed(h, "nan", 3) : mixed(h, at, por_dtype_bytes(dtype));
	}
	return h;
}

static int hear(void *user, const por_effect *e)
{
	Outcome *r = user;
	uint64_t h = mixed(r->told, &e->kind, sizeof e->kind);
	h = mixed(mixed_text(h, e->text), e->pass, (size_t)e->npass * sizeof *e->pass);
	for (int i = 0; i < e->n; i++) h = mixed_values(mixed_text(h, e->name[i]), &e->value[i]);
	r->told = h;
	return 0;
}

#endif
