/* test_overlap.c - whether arrays share an element, against the list of all their elements' places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail /* ours is another */
#include "../../src/run/run.h"

#include <stdlib.h>

enum { SPACE = 4096, HOME = SPACE / 2 };

static uint64_t state = 1;

static int64_t draw(int64_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((state >> 33) % (uint64_t)below);
}

typedef struct Sample {
	Array a;
	int64_t shape[4], stride[4];
	size_t bytes;
	char mark[SPACE];
	int most; /* how often a byte is met */
} Sample;

static void mark(Sample *s)
{
	int64_t n = 1, at[4] = {0};
	memset(s->mark, 0, sizeof s->mark);
	s->most = 0;
	for (int k = 0; k < s->a.ndim; k++) n *= s->shape[k];
	for (int64_t i = 0; i < n; i++) {
		int64_t place = (int64_t)(intptr_t)s->a.data;
		for (int k = 0; k < s->a.ndim; k++) place += at[k] * s->stride[k] * (int64_t)s->bytes;
		for (size_t b = 0; b < s->bytes; b++) {
			char *m = &s->mark[place - HOME + SPACE / 2 + (int64_t)b];
			assert_true(m >= s->mark && m < s->mark + SPACE);
			if (++*m > s->most) s->most = *m;
		}
		for (int k = s->a.ndim; k-- > 0 && ++at[k] == s->shape[k];) at[k] = 0;
	}
}

static void sample(Sample *s)
{
	s->bytes = (size_t)1 << draw(4);
	s->a = (Array){.data = (void *)(intptr_t)(HOME + draw(120)), .ndim = (int32_t)draw(4)};
	s->a.shape = s->shape, s->a.strides = s->stride;
	int64_t compact = 1;
	bool usual = draw(2);
	for (int k = s->a.ndim; k-- > 0;) {
		s->shape[k] = draw(10) ? 1 + draw(5) : 0;
		s->stride[k] = usual ? compact * (1 + draw(2)) : draw(25) - 12;
		if (usual && draw(3) == 0) s->stride[k] = -s->stride[k];
		compact *= s->shape[k] ? 1 + llabs(s->stride[k]) / (compact ? compact : 1) * s->shape[k] : 1;
		if (compact > 12) compact = 12;
	}
	mark(s);
}

static void test_random_arrays(void **unused)
{
	(void)unused;
	static Sample x, y;
	int meet = 0, apart = 0;
	for (int i = 0; i < 60000; i++) {
		sample(&x), sample(&y);
		bool shared = false;
		for (int b = 0; b < SPACE; b++) shared |= x.mark[b] && y.mark[b];
		assert_int_equal(arrays_meet(&x.a, x.bytes, &y.a, y.bytes), shared);
		assert_int_equal(arrays_meet(&y.a, y.bytes, &x.a, x.bytes), shared);
		assert_int_equal(array_meets_itself(&x.a, x.bytes), x.most > 1);
		meet += shared, apart += !shared;
	}
	assert_true(meet > 5000 && apart > 5000);
}

/* Columns of a large matrix; large arrays a byte apart: at once, whatever their size. */
static void test_large_arrays(void **unused)
{
	(void)unused;
	int64_t shape[3] = {1000000, 1000, 1000}, stride[3] = {3000000000, 3000, 3};
	Array x = {.data = (void *)64, .ndim = 3, .shape = shape, .strides = stride}, y = x;
	y.data = (void *)72;
	assert_false(arrays_meet(&x, 8, &y, 8));
	y.data = (void *)71;
	assert_true(arrays_meet(&x, 8, &y, 8));
	assert_false(array_meets_itself(&x, 8));
	stride[2] = 4;
	assert_true(array_meets_itself(&x, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_arrays),
		cmocka_unit_test(test_large_arrays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
