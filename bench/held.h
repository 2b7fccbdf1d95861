/* held.h - what a graph and its program hold when compiling is done, over the nodes that are alive: those of the user's
 * results and those of the function that was compiled. */
#ifndef BENCH_HELD_H
#define BENCH_HELD_H

#include "rows.h"

#include <stdarg.h>

enum { MOST_BYTES = 250 };

static size_t held;

static inline void *held_alloc(void *user, size_t size, size_t align)
{
	(void)user;
	held += size;
	return aligned_alloc(align, (size + align - 1)/align*align);
}

static inline void held_free(void *user, void *p, size_t size, size_t align)
{
	(void)user, (void)align;
	held -= size;
	free(p);
}

/* Nodes of a function, as `explain` counts them, when its calls are written out. */
static inline int written_nodes(por_function *f)
{
	por_options o = {.size = sizeof o, .tier = POR_TIER_REFERENCE, .no_rules = 1, .keep_stages = 1};
	por_program *p = por_compile_function(f, &o);
	char *text = p ? por_explain(p, "stage:lower") : NULL;
	int n = text ? atoi(text + strlen("# after lower: ")) : 0;
	por_text_free(text);
	por_program_free(p);
	return n;
}

static inline por_context *held_context(void)
{
	return por_context_new(&(por_context_options){.size = sizeof(por_context_options), .alloc = held_alloc,
		.free = held_free});
}

/* Bytes, and the nodes over which they are told: those of the user's own that stand beside the function, and its. */
typedef struct Held { size_t graph, program; int own, written; por_error error; } Held;

/* The function is made twice: once to count, once to measure.  make: the function, and how many nodes of the user's own
 * stand beside it. */
static inline Held hold(por_function *(*make)(por_graph *, int n, int *own), int n)
{
	Held h = {0};
	por_context *c = held_context();
	por_graph *g = por_open(c);
	h.written = written_nodes(make(g, n, &h.own));
	por_close(g);
	size_t before = held;
	g = por_open(c);
	por_function *f = make(g, n, &h.own);
	por_program *p = por_compile_function(f, &(por_options){.size = sizeof(por_options), .tier = POR_TIER_INTERPRET});
	h.program = held;
	por_program_free(p);
	h.program -= held;
	h.graph = held - before;
	h.error = *por_graph_error(g);
	por_close(g);
	por_context_free(c);
	return h;
}

static inline void measure_held(const char *name, por_function *(*make)(por_graph *, int n, int *own), int n)
{
	char text[160];
	Held h = hold(make, n);
	snprintf(text, sizeof text, "%s %d, bytes a live node", name, n);
	if (h.error.code || !h.written) {
		row_failed(text, h.error.text);
		return;
	}
	printf("    %d nodes of the user's and %d of the function; graph %.1f MB, program %.1f MB\n", h.own, h.written,
	       (double)h.graph*1e-6, (double)h.program*1e-6);
	row(text, (double)(h.graph + h.program)/(h.own + h.written), MOST_BYTES, 1);
}

/* ---- programs in the notation ------------------------------------------------------------ */

typedef struct Program { char *text; size_t n, cap; } Program;

static inline void write_text(Program *p, const char *format, ...)
{
	va_list list;
	if (p->cap - p->n < 1000)
		p->text = realloc(p->text, p->cap = 2*p->cap + 4000);
	va_start(list, format);
	p->n += (size_t)vsnprintf(p->text + p->n, p->cap - p->n, format, list);
	va_end(list);
}

static inline por_function *function_of_text(por_graph *g, Program *p)
{
	por_module *m = por_load(g, p->text, (int64_t)p->n, "held.por");
	free(p->text);
	return por_function_named(m, "f", 0, NULL);
}

/* n blocks that this text defines, one upon another, and the gradient of all their weights. */
static inline por_function *blocks_of(por_graph *g, const char *block, int n, int *own)
{
	Program p = {0};
	*own = 0;
	write_text(&p, "%s", block);
	write_text(&p, "fn loss(x0: f64[t, d]");
	for (int i = 0; i < n; i++) write_text(&p, ", p%d: Block", i);
	write_text(&p, ") =\n");
	for (int i = 0; i < n; i++) write_text(&p, "    let x%d = block(x%d, p%d)\n", i + 1, i, i);
	write_text(&p, "    in mean(x%d^2)\nfn f(x: f64[t, d]", n);
	for (int i = 0; i < n; i++) write_text(&p, ", p%d: Block", i);
	write_text(&p, ") = grad(loss(x");
	for (int i = 0; i < n; i++) write_text(&p, ", p%d", i);
	write_text(&p, "), (p0");
	for (int i = 1; i < n; i++) write_text(&p, ", p%d", i);
	write_text(&p, "))\n");
	return function_of_text(g, &p);
}

static inline por_function *transformer(por_graph *g, int n, int *own)
{
	static const char block[] =
		"fn norm(x: f64[t, d], g: f64[d]) = let c = x - mean[1, keep = true](x) in\n"
		"    c*rsqrt(mean[1, keep = true](c^2) + 1e-5)*g\n"
		"type Block = {q: f64[d, d], k: f64[d, d], v: f64[d, d], o: f64[d, d], u: f64[d, h], w: f64[h, d], g: f64[d], b: f64[d]}\n"
		"fn block(x: f64[t, d], p: Block) =\n"
		"    let a = norm(x, p.g)\n"
		"    let y = x + softmax[1]((a @ p.q) @ (a @ p.k).T/sqrt(f64(d))) @ (a @ p.v) @ p.o\n"
		"    in y + gelu(norm(y, p.b) @ p.u) @ p.w\n";
	return blocks_of(g, block, n, own);
}

static inline por_function *recurrent(por_graph *g, int n, int *own)
{
	static const char block[] =
		"type Block = {u: f64[4, d, d], w: f64[4, d, d], b: f64[4, d]}\n"
		"fn block(x: f64[t, d], p: Block) =\n"
		"    let s = scan (h = f64[d](0), c = f64[d](0), z in x) =>\n"
		"        let g = p.u @ z + p.w @ h + p.b\n"
		"        let c = c*sigmoid(g[0]) + sigmoid(g[1])*tanh(g[2])\n"
		"        let h = tanh(c)*sigmoid(g[3])\n"
		"        in {h = h, c = c, out = h}\n"
		"    in x + s.out\n";
	return blocks_of(g, block, n, own);
}

/* A sum of n terms, its value and its gradient by what stands in it: exponentials, or products with sines. */
static inline por_function *sum_of(por_graph *g, const char *term, int n)
{
	Program p = {0};
	write_text(&p, "fn value(x: f64[m], a: f64[%d]) = sum(0*x", n);
	for (int i = 0; i < n; i++) write_text(&p, term, i, i);
	write_text(&p, ")\nfn f(x: f64[m], a: f64[%d]) = (value(x, a), grad(value(x, a), (x, a)))\n", n);
	return function_of_text(g, &p);
}
static inline por_function *exponentials(por_graph *g, int n, int *own)
{
	*own = 0;
	return sum_of(g, " + a[%d]*exp(-(x - %d.25)^2/2)", n);
}
static inline por_function *sines(por_graph *g, int n, int *own)
{
	*own = 0;
	return sum_of(g, " + a[%d]*sin(x*%d.5)", n);
}

static inline void write_names(Program *p, int n, const char *type)
{
	for (int i = 0; i < n; i++) write_text(p, ", a%d%s", i, type);
}

/* A hierarchical model whose n effects are scalars: the log density and its gradient. */
static inline por_function *hierarchical(por_graph *g, int n, int *own)
{
	Program p = {0};
	*own = 0;
	write_text(&p, "fn density(mu: f64, tau: f64");
	write_names(&p, n, ": f64");
	write_text(&p, ", y: f64[%d]) = -mu^2/50 - tau^2/2", n);
	for (int i = 0; i < n; i++)
		write_text(&p, " + (-(a%d - mu)^2*exp(-2*tau)/2 - tau - (y[%d] - a%d)^2/(2*%d.5^2))", i, i, i, i%7 + 1);
	write_text(&p, "\nfn f(mu: f64, tau: f64");
	write_names(&p, n, ": f64");
	write_text(&p, ", y: f64[%d]) = (density(mu, tau", n);
	write_names(&p, n, "");
	write_text(&p, ", y), grad(density(mu, tau");
	write_names(&p, n, "");
	write_text(&p, ", y), (mu, tau");
	write_names(&p, n, "");
	write_text(&p, ")))\n");
	return function_of_text(g, &p);
}

#endif
