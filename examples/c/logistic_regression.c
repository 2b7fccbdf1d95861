/* Logistic regression: a loss, its gradient, and a few steps of gradient descent.
 *
 *     cc logistic_regression.c $(pkg-config --cflags --libs porism) -lm
 */
#include <porism.h>
#include <stdio.h>

enum { ROWS = 6, COLUMNS = 2 };

int main(void)
{
	/* loss = mean(softplus(X w) - y X w) */
	por_graph *g = por_open(NULL);
	por_node *w = por_input(g, "w", "f64[n]");
	por_node *X = por_input(g, "X", "f64[m, n]");
	por_node *y = por_input(g, "y", "f64[m] if 0 <= y <= 1");
	por_node *z = por_matmul(X, w), *dw;
	por_node *loss = por_mean(por_sub(por_softplus(z), por_mul(y, z)), POR_ALL);
	por_grad(loss, 1, &w, &dw);

	por_function *f = por_function_of(g, "step", 3, (por_node *[]){w, X, y}, 2, (por_node *[]){loss, dw});
	por_function *simple = por_optimise(f, NULL, "stable");
	char *text = por_print_function(simple, 0);
	printf("%s\n", text ? text : "");
	por_text_free(text);

	por_program *p = por_compile_function(f, NULL);
	if (!p) { /* one check: the first error of all of the above */
		const por_error *e = por_graph_error(g);
		printf("%s:%d: %s\n", e->file, e->line, e->text);
		return 1;
	}
	por_close(g); /* a program needs no graph */

	double data[ROWS][COLUMNS] = {{1, 0.2}, {1, 0.9}, {1, 1.7}, {1, 2.3}, {1, 3.1}, {1, 4.0}};
	double label[ROWS] = {0, 0, 1, 0, 1, 1}, weight[COLUMNS] = {0}, value, gradient[COLUMNS];
	const int64_t shape[] = {ROWS, COLUMNS}, rows[] = {ROWS}, columns[] = {COLUMNS};
	por_array in[] = {por_view(weight, POR_F64, 1, columns), por_view(data, POR_F64, 2, shape),
		por_view(label, POR_F64, 1, rows)};
	por_array out[] = {por_view(&value, POR_F64, 0, NULL), por_view(gradient, POR_F64, 1, columns)};
	por_frame *frame = por_frame_new(p);
	for (int step = 0; step <= 1000; step++) {
		if (por_call(p, frame, 3, in, 2, out)) {
			printf("%s\n", por_frame_error(frame)->text);
			return 1;
		}
		if (step % 250 == 0)
			printf("step %4d  loss %.6f  w = %+.4f %+.4f\n", step, value, weight[0], weight[1]);
		for (int k = 0; k < COLUMNS; k++) weight[k] -= 0.5 * gradient[k];
	}
	por_frame_free(frame);
	por_program_free(p);
	return 0;
}
