/* A C function as an operator, with its derivative as a rule.
 *
 *     cc custom_operator.c $(pkg-config --cflags --libs porism) -lm
 */
#include <porism.h>
#include <math.h>
#include <stdio.h>

/* y[i] = exp(-k*x[i]^2).  Arrays are compact; 0 says that it went well. */
static int bump(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	const double *x = in[0].data, k = *(const double *)in[1].data;
	double *y = out[0].data;
	(void)user, (void)nin, (void)nout;
	for (int64_t i = 0; i < in[0].shape[0]; i++) y[i] = exp(-k * x[i] * x[i]);
	return 0;
}

int main(void)
{
	por_graph *g = por_open(NULL);
	por_custom c = {.size = sizeof c, .signature = "bump(x: f64[n], k: f64) -> f64[n]", .kernel = bump};
	por_define(g, &c); /* operators first, rules that name them after */
	por_rule(g, "d(bump(x, k)) => bump(x, k)*(-2*k*x*dx - x^2*dk)", "derivative");

	por_node *x = por_input(g, "x", "f64[n]"), *k = por_input(g, "k", "f64"), *d[2];
	por_node *sum = por_sum(por_custom_call(g, "bump", 2, (por_node *[]){x, k}), POR_ALL);
	por_grad(sum, 2, (por_node *[]){x, k}, d);
	por_program *p = por_compile(g, 2, (por_node *[]){x, k}, 3, (por_node *[]){sum, d[0], d[1]}, NULL);
	if (!p) {
		printf("%s\n", por_graph_error(g)->text);
		return 1;
	}
	double xs[3] = {-0.5, 0.25, 1}, ks = 2, value, dx[3], dk;
	const int64_t shape[] = {3};
	por_array in[] = {por_view(xs, POR_F64, 1, shape), por_view(&ks, POR_F64, 0, NULL)};
	por_array out[] = {por_view(&value, POR_F64, 0, NULL), por_view(dx, POR_F64, 1, shape),
		por_view(&dk, POR_F64, 0, NULL)};
	if (por_call(p, NULL, 2, in, 3, out)) {
		printf("%s\n", por_program_error(p)->text);
		return 1;
	}
	printf("sum %.6f  d/dx %+.6f %+.6f %+.6f  d/dk %+.6f\n", value, dx[0], dx[1], dx[2], dk);
	por_program_free(p);
	por_close(g);
	return 0;
}
