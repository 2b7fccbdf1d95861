/* A root that is found by steps, and differentiated as the root that it is: a function with a derivative of its
 * own, which is made of the value and so serves any order.
 *
 *     cc implicit.c $(pkg-config --cflags --libs porism) -lm
 */
#include <porism.h>
#include <stdio.h>

/* Kepler's equation, E - e*sin(E) = m: E for m and e by Newton's method. */
static por_function *anomaly(por_graph *g)
{
	por_node *m = por_input(g, "m", "f64"), *e = por_input(g, "e", "f64"), *one = por_number(g, 1);
	por_loop *l = por_loop_open(g, por_constant(g, "i64", 20), 0);
	por_node *E = por_loop_carry(l, m);
	por_node *off = por_sub(por_sub(E, por_mul(e, por_sin(E))), m);
	por_loop_next(l, E, por_sub(E, por_div(off, por_sub(one, por_mul(e, por_cos(E))))));
	por_loop_close(l);
	por_node *last = por_loop_last(l, E);
	return por_function_of(g, "anomaly", 2, (por_node *[]){m, e}, 1, &last);
}

/* dE = (dm + sin(E)*de)/(1 - e*cos(E)), of m, e, E, dm, de. */
static por_function *differential(por_graph *g)
{
	por_node *in[] = {por_input(g, "m", "f64"), por_input(g, "e", "f64"), por_input(g, "E", "f64"),
		por_input(g, "dm", "f64"), por_input(g, "de", "f64")};
	por_node *top = por_add(in[3], por_mul(por_sin(in[2]), in[4]));
	por_node *d = por_div(top, por_sub(por_number(g, 1), por_mul(in[1], por_cos(in[2]))));
	return por_function_of(g, "differential", 5, in, 1, &d);
}

int main(void)
{
	por_graph *g = por_open(NULL);
	por_function *f = por_with_derivative(anomaly(g), differential(g));
	por_node *in[] = {por_input(g, "m", "f64"), por_input(g, "e", "f64")}, *out[3];
	out[0] = por_invoke(f, 2, in);
	por_grad(out[0], 1, &in[1], &out[1]);
	por_grad(out[1], 1, &in[1], &out[2]);
	por_program *p = por_compile(g, 2, in, 3, out, NULL);
	if (!p) {
		printf("%s\n", por_graph_error(g)->text);
		return 1;
	}
	double m = 1, e = 0.5, E[3];
	por_array given[] = {por_view(&m, POR_F64, 0, NULL), por_view(&e, POR_F64, 0, NULL)}, to[3];
	for (int i = 0; i < 3; i++) to[i] = por_view(&E[i], POR_F64, 0, NULL);
	if (por_call(p, NULL, 2, given, 3, to)) {
		printf("%s\n", por_program_error(p)->text);
		return 1;
	}
	printf("E %.12f  dE/de %.12f  d2E/de2 %.12f\n", E[0], E[1], E[2]);
	por_program_free(p);
	por_close(g);
	return 0;
}
