// porism.h as C++ sees it: compiled with -std=c++17 -pedantic -Wall -Wextra -Werror.
#include <porism.h>

#include <cstdio>

int main()
{
	por_graph *g = por_open(nullptr);
	por_node *x = por_input(g, "x", "f64[n]");
	por_node *results[2] = { por_sum(por_mul(x, x), POR_ALL), nullptr };
	por_grad(results[0], 1, &x, &results[1]);
	por_options options = {};
	options.size = sizeof options;
	options.tier = POR_TIER_INTERPRET;
	por_program *p = por_compile(g, 1, &x, 2, results, &options);
	por_close(g);
	double values[3] = { 1, 2, 3 }, sum = 0, twice[3];
	const int64_t shape[1] = { 3 };
	const por_array in = por_view(values, POR_F64, 1, shape);
	const por_array out[2] = { por_view(&sum, POR_F64, 0, nullptr), por_view(twice, POR_F64, 1, shape) };
	int code = por_call(p, nullptr, 1, &in, 2, out);
	if (code)
		std::puts(por_program_error(p)->text);
	por_program_free(p);
	return code || sum != 14 || twice[2] != 6;
}
