/* Writes a function and its gradient as C that needs no Porism: logistic.c and logistic.h, which use.c calls. */
#include <porism.h>

#include <stdio.h>

static int write_file(const char *path, char *text)
{
	FILE *f = text ? fopen(path, "w") : NULL;
	int good = f && fputs(text, f) >= 0;
	good = f && fclose(f) == 0 && good;
	por_text_free(text);
	return good;
}

int main(void)
{
	por_graph *g = por_open(NULL);
	por_node *in[] = {
		por_input(g, "w", "f64[n]"), por_input(g, "X", "f64[m, n]"), por_input(g, "y", "f64[m]")};
	por_node *z = por_matmul(in[1], in[0]);
	por_node *out[] = {por_mean(por_sub(por_softplus(z), por_mul(in[2], z)), POR_ALL), NULL};
	por_grad(out[0], 1, in, &out[1]);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET}; /* nothing is compiled here */
	por_program *p = por_compile(g, 3, in, 2, out, &o);
	if (!p) return puts(por_graph_error(g)->text), 1;
	int good = write_file("logistic.c", por_export_c(p, "logistic", 0)) &&
		write_file("logistic.h", por_export_c(p, "logistic", 1));
	if (!good) puts(por_program_error(p)->text);
	por_program_free(p);
	por_close(g);
	return !good;
}
