/* A gradient through many steps that keeps their states and, of what a step computes, one step's at a time.
 *
 *     cc checkpoint.c $(pkg-config --cflags --libs porism) -lm
 */
#include <porism.h>
#include <stdio.h>

enum { STEPS = 12, N = 3 };

/* The gradient of the sum of what is left after all steps, by what it begins with. */
static por_program *gradient(por_graph *g, por_function *step)
{
	por_node *x = por_input(g, "x", "f64[n]"), *y = x, *dx;
	for (int i = 0; i < STEPS; i++) y = por_invoke(step, 1, &y);
	por_grad(por_sum(y, POR_ALL), 1, &x, &dx);
	return por_compile(g, 1, &x, 1, &dx, NULL);
}

int main(void)
{
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]"), *a = por_sin(x), *b = por_mul(por_exp(a), por_cumsum(a, 0));
	por_node *y = por_div(b, por_add(por_number(g, 1), por_mul(b, b)));
	por_function *step = por_function_of(g, "step", 1, &x, 1, &y);
	por_program *all = gradient(g, step), *again = gradient(g, por_checkpoint(step));
	if (!all || !again) {
		printf("%s\n", por_graph_error(g)->text);
		return 1;
	}

	double from[N] = {0.5, -1, 0.25}, to[2][N];
	int64_t n[1] = {N};
	por_array in = por_view(from, POR_F64, 1, n);
	for (int i = 0; i < 2; i++) {
		por_program *p = i ? again : all;
		por_array out = por_view(to[i], POR_F64, 1, n);
		if (por_call(p, NULL, 1, &in, 1, &out)) {
			printf("%s\n", por_program_error(p)->text);
			return 1;
		}
		printf("%s: %9.6f %9.6f %9.6f\n", i ? "computed again" : "kept          ", to[i][0], to[i][1], to[i][2]);
	}
	por_program_free(all);
	por_program_free(again);
	por_close(g);
	return 0;
}
