/* por_convert gives what por_cast does, of every real dtype to every other, at the edges of both. */
#include "graph_says.h"

#include <math.h>
#include <stdio.h>

static const double numbers[] = {0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, 3, 100, 127, 128, 129, 255, 255.5, 256, 257, 448, 2049,
	32767, 32768, -32769, 65504, 65519, 65520, 65535, 65536, 16777217, 2147483647, 2147483648, -2147483649.0, 4294967295,
	4294967296, 9007199254740993.0, 9.2e18, 9.3e18, -9.3e18, 1.8e19, 1.9e19, 3.3e38, 3.5e38, 1e300, -1e300, 1e-8, 6e-8, 1e-40,
	1e-45, 1e-310, 5e-324, INFINITY, -INFINITY, NAN};
enum { COUNT = sizeof numbers / sizeof *numbers, WIDEST = 8 };

static void test_as_cast(void **state)
{
	(void)state;
	static const int64_t shape[] = {COUNT};
	for (int from = POR_NO_DTYPE + 1; *por_dtype_name(from); from++) {
		char given[COUNT * WIDEST], want[COUNT * WIDEST], got[COUNT * WIDEST], type[32];
		if (por_convert(COUNT, from, given, POR_F64, numbers)) continue; /* complex numbers, keys */
		por_graph *g = por_open(NULL);
		snprintf(type, sizeof type, "%s[n]", por_dtype_name(from));
		por_node *x = por_input(g, "x", type);
		for (int to = POR_NO_DTYPE + 1; *por_dtype_name(to); to++) {
			if (por_convert(COUNT, to, got, from, given)) continue;
			por_node *y = por_cast(x, to);
			por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
			por_program *p = por_compile(g, 1, &x, 1, &y, &o);
			good(g);
			por_array in = por_view(given, from, 1, shape), out = por_view(want, to, 1, shape);
			assert_int_equal(por_call(p, NULL, 1, &in, 1, &out), POR_OK);
			size_t bytes = por_dtype_bytes(to);
			for (size_t i = 0; i < COUNT; i++)
				if (memcmp(want + i * bytes, got + i * bytes, bytes))
					fail_msg("%g, of %s, as %s", numbers[i], por_dtype_name(from), por_dtype_name(to));
			por_program_free(p);
		}
		por_close(g);
	}
}

static void test_refused(void **state)
{
	(void)state;
	double x = 1;
	float y;
	assert_int_equal(por_convert(1, POR_F32, &y, POR_C128, &x), POR_ERR_TYPE);
	assert_int_equal(por_convert(1, POR_KEY, &y, POR_F64, &x), POR_ERR_TYPE);
	assert_int_equal(por_convert(1, 99, &y, POR_F64, &x), POR_ERR_TYPE);
	assert_int_equal(por_convert(-1, POR_F32, &y, POR_F64, &x), POR_ERR_VALUE);
	assert_int_equal(por_convert(1, POR_F32, NULL, POR_F64, &x), POR_ERR_VALUE);
	assert_int_equal(por_convert(1, POR_F32, &y, POR_F64, NULL), POR_ERR_VALUE);
	assert_int_equal(por_convert(0, POR_F32, &y, POR_F64, &x), POR_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_cast),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
