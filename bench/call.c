/* call.c - what a call costs. */
#include "rows.h"

static long allocations;

/* Every allocation of the process, counted. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
void *malloc(size_t n) { return allocations++, __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return allocations++, __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return allocations++, __libc_realloc(p, n); }

static const int64_t none[1] = {0};

static por_program *compile(por_graph *g, int n, por_node **in, por_node *out)
{
	por_options o = {.size = sizeof o, .tier = POR_TIER_NATIVE, .threads = 1};
	por_program *p = por_compile(g, n, in, 1, &out, &o);
	if (!p)
		row_failed("compile", por_graph_error(g)->text);
	return p;
}

/* Nanoseconds of one call: the best of ten times a million; rows for it and for its allocations. */
static void measure(const char *name, por_program *p, int n, const por_array *in, por_array *out, double limit)
{
	enum { CALLS = 1000000 };
	char text[120];
	por_frame *f = por_frame_new(p);
	if (!p || !f || por_call(p, f, n, in, 1, out)) {
		row_failed(name, p && f ? por_frame_error(f)->text : "no program");
		return;
	}
	double best = 1e9;
	long before = allocations;
	for (int t = 0; t < 10; t++) {
		double start = now();
		for (int i = 0; i < CALLS; i++)
			por_call(p, f, n, in, 1, out);
		double each = (now() - start)/CALLS*1e9;
		best = each < best ? each : best;
	}
	long made = allocations - before;
	row(name, best, limit, 1);
	snprintf(text, sizeof text, "%s: allocations, plus 1", name);
	row(text, (double)made + 1, 1, 1);
	por_frame_free(f);
}

static void many(por_program *p, por_array *in, por_array *out)
{
	enum { N = 1000 };
	static double x[N], y[N], z[N];
	int64_t step[2] = {sizeof *x, sizeof *y}, out_step[1] = {sizeof *z};
	for (int i = 0; i < N; i++)
		x[i] = i*0.001, y[i] = 1 - x[i];
	in[0].data = x, in[1].data = y, out->data = z;
	por_frame *f = por_frame_new(p);
	double best = 1e9;
	for (int t = 0; t < 2000; t++) {
		double start = now();
		if (por_call_many(p, f, N, &(por_calls){2, in, step, 1, out, out_step})) {
			row_failed("scalar, a step of por_call_many", por_frame_error(f)->text);
			return;
		}
		double each = (now() - start)/N*1e9;
		best = each < best ? each : best;
	}
	row("scalar, a step of por_call_many", best, 100, 1);
	por_frame_free(f);
}

int main(void)
{
	por_graph *g = por_open(NULL);
	por_node *x = por_input(g, "x", "f64"), *y = por_input(g, "y", "f64");
	por_node *f = por_add(por_mul(x, y), por_div(x, por_add(por_mul(y, y), por_number(g, 1))));
	por_node *df;
	por_grad(f, 1, &x, &df);
	por_program *p = compile(g, 2, (por_node *[]){x, y}, f), *q = compile(g, 2, (por_node *[]){x, y}, df);
	double a = 2, b = 3, c = 0;
	por_array in[2] = {por_view(&a, POR_F64, 0, none), por_view(&b, POR_F64, 0, none)};
	por_array out = por_view(&c, POR_F64, 0, none);
	measure("scalar, own frame", p, 2, in, &out, 100);
	measure("scalar gradient, own frame", q, 2, in, &out, 100);

	por_node *v = por_input(g, "v", "f64[n]");
	por_program *r = compile(g, 1, &v, por_mul(v, v));
	double from[10] = {1}, to[10];
	int64_t ten[1] = {10};
	por_array vin = por_view(from, POR_F64, 1, ten), vout = por_view(to, POR_F64, 1, ten);
	measure("f64[10] to f64[10]", r, 1, &vin, &vout, 150);
	if (p)
		many(p, in, &out);
	por_program_free(p), por_program_free(q), por_program_free(r);
	por_close(g);
	return 0;
}
