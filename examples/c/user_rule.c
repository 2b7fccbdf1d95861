/* A rule of the user's, in a line: it is checked before it is taken, and a wrong one is refused with a
 * counterexample.
 *
 *     cc user_rule.c $(pkg-config --cflags --libs porism)
 */
#include <porism.h>
#include <stdio.h>

static void show(const char *what, por_node *x)
{
	char *text = por_print(1, &x);
	printf("%-8s %s\n", what, text ? text : "");
	por_text_free(text);
}

int main(void)
{
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64[n]");
	const char *names[] = {"x"};
	por_node *y = por_parse(g, "log((exp(x) + exp(-x))/2)", 1, names, &x);
	show("written", y);

	por_rule(g, "my_cosh: (exp(x) + exp(-x))/2 => cosh(x)  real", "algebra");
	por_simplify(1, &y, NULL);
	if (por_graph_error(g)->code) {
		printf("%s\n", por_graph_error(g)->text);
		return 1;
	}
	show("after", y);

	if (por_rule(g, "half_log: log(x^2)/2 => log(x)", "algebra"))
		printf("refused: %s\n", por_graph_error(g)->text);
	por_close(g);
	return 0;
}
