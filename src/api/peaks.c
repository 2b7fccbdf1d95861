/* peaks.c - what this machine does at its best, measured now: what the times of steps are held against. */
#define POR_NO_LINES
#include "compiled.h"

/* Of several calls the quickest, in nanoseconds; 0: it cannot be measured. */
static int64_t quickest(por_program *run, int nin, const por_array *in)
{
	enum { CALLS = 5 };
	int64_t best = 0;
	por_frame *f = por_frame_new(run);
	for (int i = 0; f && i < CALLS; i++) {
		int64_t begin = clock_ns();
		if (por_call(run, f, nin, in, 0, NULL)) break;
		int64_t took = clock_ns() - begin;
		if (i && (!best || took < best)) best = took;
	}
	por_frame_free(f);
	return best;
}

/* How much of `amount` is done in a nanosecond; 0: it cannot be measured. */
static double rate(por_context *c, int threads, const char *expression, int64_t n, double amount)
{
	por_graph *g = por_open(c);
	por_options o = {.size = sizeof o, .tier = POR_TIER_INTERPRET, .threads = threads};
	bool square = strchr(expression, '@') != NULL;
	por_node *x = por_input(g, "x", square ? "f64[n, n]" : "f64[n]");
	por_node *y = por_parse(g, expression, 1, (const char *const[]){"x"}, &x);
	por_program *run = por_compile(g, 1, &x, 1, &y, &o);
	por_array *in = por_array_new(c, POR_F64, square ? 2 : 1, (const int64_t[]){n, n});
	int64_t took = run && in ? quickest(run, 1, in) : 0;
	por_array_free(in);
	por_program_free(run);
	por_close(g);
	return took > 0 ? amount / (double)took : 0;
}

void peaks_json(Text *t, por_program *p)
{
	const int64_t near = 1 << 15, far = 1 << 22, side = 384;
	int threads = p->options.threads;
	double cache = rate(p->context, threads, "2*x", near, 16.0 * (double)near),
	       memory = rate(p->context, threads, "2*x", far, 16.0 * (double)far),
	       product = rate(p->context, threads, "x @ x", side, (double)(side * side * side));
	text_add(t, "{\"cache\":");
	text_number(t, cache, 32);
	text_add(t, ",\"memory\":");
	text_number(t, memory, 32);
	text_add(t, ",\"product\":");
	text_number(t, product, 32);
	text_char(t, '}');
}
