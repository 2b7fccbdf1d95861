/* Gradients for each example: the gradient of one, mapped over all of them at once.
 *
 *     cc per_example.c $(pkg-config --cflags --libs porism) -lm
 */
#include <porism.h>
#include <stdio.h>

enum { EXAMPLES = 4, WEIGHTS = 3 };

int main(void)
{
	por_graph *g = por_open(NULL);
	por_node *w = por_input(g, "w", "f64[n]"), *x = por_input(g, "x", "f64[n]"), *y = por_input(g, "y", "f64");
	por_node *in[] = {w, x, y}, *z = por_matmul(x, w), *dw;
	por_grad(por_sub(por_softplus(z), por_mul(y, z)), 1, &w, &dw);
	por_function *one = por_function_of(g, "gradient", 3, in, 1, &dw);

	/* the same weights for all; examples are the columns of a matrix */
	int axes[] = {POR_SHARED, 1, 0};
	por_function *all = por_vmap(one, 3, axes);
	por_program *p = por_compile_function(all, NULL);
	if (!p) {
		printf("%s\n", por_graph_error(g)->text);
		return 1;
	}

	double weights[WEIGHTS] = {0.5, -1, 0.25}, labels[EXAMPLES] = {0, 1, 1, 0}, each[EXAMPLES][WEIGHTS];
	double columns[WEIGHTS][EXAMPLES] = {{1, 2, 0, -1}, {0, 1, 1, 2}, {4, 0, 2, 1}};
	int64_t n[1] = {WEIGHTS}, k[1] = {EXAMPLES}, nk[2] = {WEIGHTS, EXAMPLES}, kn[2] = {EXAMPLES, WEIGHTS};
	por_array given[] = {por_view(weights, POR_F64, 1, n), por_view(columns, POR_F64, 2, nk),
		por_view(labels, POR_F64, 1, k)};
	por_array result = por_view(each, POR_F64, 2, kn);
	if (por_call(p, NULL, 3, given, 1, &result)) {
		printf("%s\n", por_program_error(p)->text);
		return 1;
	}
	char *text = por_print_function(all, 0);
	printf("%s", text ? text : "");
	for (int i = 0; i < EXAMPLES; i++) printf("%7.4f %7.4f %7.4f\n", each[i][0], each[i][1], each[i][2]);
	por_text_free(text);
	por_program_free(p);
	por_close(g);
	return 0;
}
