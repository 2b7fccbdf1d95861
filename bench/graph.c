/* graph.c - large graphs: built, rewritten, printed; time must grow with the number of nodes.
 *
 * A chain (each node uses the last), a tree (pairs are joined) and a random DAG (two nodes from anywhere).  The
 * operators are such that no rule takes much away: at least 90% of the nodes must survive rewriting.  Then what is
 * held when such graphs, twelve blocks of a transformer and hierarchical models of many scalar parameters are compiled,
 * how soon 12 and 48 such blocks, and layers of an LSTM, are callable, how long derivative and rewriting take for a live
 * node, with the text and its elaboration where there is one, how long it takes to read and index the library and every
 * book, and by how much the text, graph, kernels, plan and C of 48 blocks are longer.
 */
#include "held.h"

static uint64_t state = 88172645463325252u;
static uint64_t chance(void)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return state;
}

static por_node *mapped(por_node *x, unsigned k)
{
	switch (k % 5) {
	case 0: return por_sin(x);
	case 1: return por_tanh(x);
	case 2: return por_sigmoid(x);
	case 3: return por_atan(x);
	default: return por_cos(x);
	}
}

static por_node *joined(por_node *x, por_node *y, unsigned k)
{
	switch (k % 3) {
	case 0: return por_atan2(x, y);
	case 1: return por_maximum(x, y);
	default: return por_hypot(x, y);
	}
}

static por_node *chain(por_graph *g, int n)
{
	por_node *x = por_input(g, "x", "f64[n]");
	for (int i = 0; i < n; i++)
		x = mapped(x, (unsigned)i);
	return x;
}

static por_node *tree(por_graph *g, int n)
{
	int leaves = n/3;
	por_node **at = malloc((size_t)leaves*sizeof *at), *x = por_input(g, "x", "f64[n]");
	for (int i = 0; i < leaves; i++)
		at[i] = por_atan2(x, por_number(g, i + 0.5));
	while (leaves > 1) {
		for (int i = 0; i < leaves/2; i++)
			at[i] = joined(at[2*i], at[2*i + 1], (unsigned)i);
		if (leaves % 2)
			at[leaves/2] = at[leaves - 1];
		leaves = (leaves + 1)/2;
	}
	por_node *root = at[0];
	free(at);
	return root;
}

static por_node *dag(por_graph *g, int n)
{
	por_node **at = malloc((size_t)n*sizeof *at), *root;
	at[0] = por_input(g, "x", "f64[n]");
	for (int i = 1; i < n; i++) {
		unsigned near = (unsigned)(i < 1000 ? i : 1000);
		por_node *x = at[i - 1], *y = at[i - 1 - (int)(chance() % near)];
		at[i] = x == y ? mapped(x, (unsigned)chance()) : joined(x, y, (unsigned)chance());
	}
	root = at[n - 1];
	free(at);
	return root;
}

static int nodes(por_node *x)
{
	por_region *r = por_region_of(1, &x);
	int n = por_region_count(r);
	por_region_free(r);
	return n;
}

static void measure(const char *name, por_node *(*make)(por_graph *, int), int n, double limit)
{
	char text[160];
	por_graph *g = por_open(NULL);
	por_parse(g, "1", 0, NULL, NULL);                       /* rules and library are read */
	double start = processor();
	por_node *x = make(g, n);
	double built = processor();
	int before = x ? nodes(x) : 0;
	double counted = processor();
	por_simplify(1, &x, NULL);
	double rewritten = processor();
	char *printed = por_print(1, &x);
	double end = processor();
	if (!x || !printed || por_graph_error(g)->code) {
		row_failed(name, por_graph_error(g)->text);
	} else {
		int after = nodes(x);
		snprintf(text, sizeof text, "%s %d, s", name, n);
		row(text, built - start + end - counted, limit, 1);
		printf("    built %.3f, rewritten %.3f, printed %.3f s; %d nodes, then %d; %zu characters\n", built - start,
		       rewritten - counted, end - rewritten, before, after, strlen(printed));
		snprintf(text, sizeof text, "%s %d, nodes before/after", name, n);
		row(text, before, after ? after : 1, 1/0.9);
	}
	por_text_free(printed);
	por_close(g);
}

/* Milliseconds from opening a graph in a context that has had one to a program: the best of some. */
static void measure_callable(const char *name, por_function *(*make)(por_graph *, int, int *), int n, double limit)
{
	char text[160];
	double best = 1e9;
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1};
	por_context *c = por_context_new(NULL);
	for (int i = 0; i < 10 && best; i++) {
		int own;
		double start = processor();
		por_graph *g = por_open(c);
		por_program *p = por_compile_function(make(g, n, &own), &o);
		double t = (processor() - start)*1e3;
		best = !p ? 0 : i && t < best ? t : best;
		por_program_free(p);
		por_close(g);
	}
	por_context_free(c);
	snprintf(text, sizeof text, "%s %d and their gradient, callable, ms", name, n);
	if (best)
		row(text, best, limit, 1);
	else
		row_failed(text, "it gave an error");
}

enum { ROUNDS = 30 };

/* Microseconds a live node from text, or from nothing, to what is rewritten, derivatives and all: the best of some.
 * Below it which part of that is to the function as it is written, its derivatives among it, and which its stages. */
static void measure_rewriting(const char *name, por_function *(*make)(por_graph *, int, int *), int n)
{
	char text[160];
	int own;
	double best = 1e9, written = 0;
	por_options o = {.size = sizeof o, .tier = POR_TIER_REFERENCE, .threads = 1};
	por_context *c = por_context_new(NULL);
	por_graph *counted = por_open(c);
	int live = written_nodes(make(counted, n, &own));
	por_close(counted);
	for (int i = 0; i < ROUNDS && live; i++) {
		double start = processor();
		por_graph *g = por_open(c);
		por_function *f = make(g, n, &own);
		double made = processor();
		por_program *p = por_compile_function(f, &o);
		double end = processor();
		live = p ? live : 0;
		if ((end - start)*1e6 < best) {
			best = (end - start)*1e6;
			written = (made - start)*1e6;
		}
		por_program_free(p);
		por_close(g);
	}
	por_context_free(c);
	snprintf(text, sizeof text, "%s %d with derivatives, us a live node", name, n);
	if (!live) {
		row_failed(text, "it gave an error");
		return;
	}
	printf("    live %s %d: %d nodes; us a node: %.2f to the function with its derivatives, %.2f its stages\n", name, n,
	       live, written/live, (best - written)/live);
	row(text, best/live, 3, 1);
}

/* Milliseconds until a context has the library and every book, read and indexed: the best of some. */
static void measure_books(void)
{
	double best = 1e9;
	for (int i = 0; i < 20; i++) {
		double start = processor();
		por_context *c = por_context_new(NULL);
		double t = (processor() - start)*1e3;
		best = c && t < best ? t : best;
		por_context_free(c);
	}
	row("the library and every book, read and indexed, ms", best, 5, 1);
}

/* ---- equal blocks ------------------------------------------------------------------------ */

static int lines(char *text)
{
	int n = 0;
	for (const char *at = text; at && *at; at++)
		n += *at == '\n';
	por_text_free(text);
	return n;
}

/* Lines of what is written, nodes, kernels, lines of the plan and of C; false: an error. */
enum { KINDS = 5 };
static int lengths(int n, int *length)
{
	int own;
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = 1, .keep_stages = 1};
	por_graph *g = por_open(NULL);
	por_function *f = transformer(g, n, &own);
	por_program *p = por_compile_function(f, &o);
	char *written = por_explain(p, "stage:written"), *kernels = por_explain(p, "kernels");
	length[0] = lines(por_print_function(f, 0));
	length[1] = written ? atoi(written + strlen("# after written: ")) : 0;
	length[2] = 0;
	for (const char *at = kernels; at && (at = strstr(at, "kernel k")); at++)
		length[2]++;
	length[3] = lines(por_explain(p, "stage:plan"));
	length[4] = lines(por_export_c(p, "f", 0));
	por_text_free(written);
	por_text_free(kernels);
	por_program_free(p);
	por_close(g);
	return length[0] && length[1] && length[2] && length[3] && length[4];
}

/* What 48 blocks have more than 12, for each of them: its calls, and what is said of its arguments and results. */
static void measure_equal(void)
{
	static const char *const name[KINDS] = {"lines of the text", "nodes", "kernels", "lines of the plan", "lines of C"};
	static const double most[KINDS] = {4, 25, 0.1, 30, 80};
	int few[KINDS], many[KINDS];
	char text[160];
	int good = lengths(12, few) && lengths(48, many);
	for (int i = 0; i < KINDS; i++) {
		snprintf(text, sizeof text, "%s for each of 48 equal blocks more than 12", name[i]);
		if (!good) {
			row_failed(text, "it gave an error");
			continue;
		}
		printf("    %d of 12, %d of 48\n", few[i], many[i]);
		row(text, (many[i] - few[i])/36.0, most[i], 1);
	}
}

static por_function *closed(por_graph *g, por_node *(*make)(por_graph *, int), int n, int *own)
{
	por_node *y = make(g, n), *x = por_input(g, "x", "f64[n]");
	*own = nodes(y);
	return por_function_of(g, NULL, 1, &x, 1, &y);
}
static por_function *closed_chain(por_graph *g, int n, int *own) { return closed(g, chain, n, own); }
static por_function *closed_tree(por_graph *g, int n, int *own)  { return closed(g, tree, n, own); }
static por_function *closed_dag(por_graph *g, int n, int *own)   { return closed(g, dag, n, own); }

/* The same, summed, and its gradient. */
static por_function *with_gradient(por_graph *g, por_node *(*make)(por_graph *, int), int n, int *own)
{
	por_node *x = por_input(g, "x", "f64[n]"), *out[2] = {por_sum(make(g, n), POR_ALL), NULL};
	*own = 0;
	return por_grad(out[0], 1, &x, &out[1]) ? NULL : por_function_of(g, NULL, 1, &x, 2, out);
}
static por_function *chain_gradient(por_graph *g, int n, int *own) { return with_gradient(g, chain, n, own); }
static por_function *tree_gradient(por_graph *g, int n, int *own)  { return with_gradient(g, tree, n, own); }
static por_function *dag_gradient(por_graph *g, int n, int *own)
{
	state = 88172645463325252u; /* the same each time */
	return with_gradient(g, dag, n, own);
}

int main(void)
{
	measure_books();
	measure("chain", chain, 100000, 1);
	measure("tree", tree, 100000, 1);
	measure("random DAG", dag, 100000, 1);
	measure("chain", chain, 1000000, 12);
	measure("tree", tree, 1000000, 12);
	measure("random DAG", dag, 1000000, 12);
	measure_held("chain", closed_chain, 100000);
	measure_held("tree", closed_tree, 100000);
	measure_held("random DAG", closed_dag, 100000);
	measure_held("blocks of a transformer", transformer, 12);
	measure_callable("blocks of a transformer", transformer, 12, 20);
	measure_callable("blocks of a transformer", transformer, 48, 80);
	measure_callable("LSTM layers", recurrent, 12, 20);
	measure_callable("LSTM layers", recurrent, 48, 80);
	measure_rewriting("chain", chain_gradient, 10000);
	measure_rewriting("tree", tree_gradient, 10000);
	measure_rewriting("random DAG", dag_gradient, 10000);
	for (int n = 60; n <= 960; n *= 4) {
		measure_rewriting("a sum of exponentials", exponentials, n);
		measure_rewriting("a sum of sines", sines, n);
	}
	measure_rewriting("blocks of a transformer", transformer, 12);
	measure_equal();
	for (int n = 125; n <= 2000; n *= 4) {
		measure_held("a hierarchical model, parameters", hierarchical, n);
		measure_rewriting("a hierarchical model, parameters", hierarchical, n);
	}
	return 0;
}
