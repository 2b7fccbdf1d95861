// The same header from C++: handles in unique_ptr, named arrays in place of compound literals.
//
//     c++ -std=c++17 cpp_example.cpp $(pkg-config --cflags --libs porism)
#include <porism.h>

#include <cstdio>
#include <memory>
#include <vector>

struct Close {
	void operator()(por_graph *g) const
	{
		por_close(g);
	}
	void operator()(por_program *p) const
	{
		por_program_free(p);
	}
};

int main()
{
	std::unique_ptr<por_graph, Close> g(por_open(nullptr));
	por_node *x = por_input(g.get(), "x", "f64[n]"), *d = nullptr;
	por_node *y = por_library(g.get(), "norm", 1, &x);
	por_grad(y, 1, &x, &d);
	por_node *results[] = {y, d};
	std::unique_ptr<por_program, Close> p(por_compile(g.get(), 1, &x, 2, results, nullptr));
	if (!p) {
		std::puts(por_graph_error(g.get())->text);
		return 1;
	}
	std::vector<double> values{3, 0, 4}, gradient(values.size());
	double norm = 0;
	const int64_t shape[] = {static_cast<int64_t>(values.size())};
	const por_array in = por_view(values.data(), POR_F64, 1, shape);
	const por_array out[] = {
		por_view(&norm, POR_F64, 0, nullptr), por_view(gradient.data(), POR_F64, 1, shape)};
	if (por_call(p.get(), nullptr, 1, &in, 2, out)) {
		std::puts(por_program_error(p.get())->text);
		return 1;
	}
	std::printf("norm %g, gradient %g %g %g\n", norm, gradient[0], gradient[1], gradient[2]);
	return 0;
}
