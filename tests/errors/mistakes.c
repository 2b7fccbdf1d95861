/* mistakes.c - mistakes of those who use the library from C, and what is said of each: what, where, what instead.
 * The last line is `N passed, N failed`. */
#include <porism.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

/* `where`: the line that the error has to name; 0: it has none of this file. */
static void judge(const char *code, const por_error *e, const char *wanted, int where)
{
	bool here = !where || (e->line == where && strstr(e->file, "mistakes.c"));
	if (e->code && strstr(e->text, wanted) && here) {
		passed++;
		return;
	}
	failed++;
	printf("%s\n    says: %s:%d: %s\n    not: %s\n", code, e->file, e->line, e->text, wanted);
}

/* A matrix X of 3 and 2, a vector v, a scalar s, an integer k; what is done with them, and what the graph says. */
static por_graph *graph;
static por_node *X, *v, *s, *k, *out[4];
static por_module *module;

static void begin(void)
{
	graph = por_open(NULL);
	X = por_input(graph, "X", "f64[3, 2]");
	v = por_input(graph, "v", "f64[n]");
	s = por_input(graph, "s", "f64");
	k = por_input(graph, "k", "i64");
	module = por_load(graph, "fn loss(w: f64[n], b: f64 if b > 0) = sum(w)*b\nfn any(x) = x\nlet rate = 0.1\n", -1, "m.por");
}

#define SAYS(wanted, at, ...) \
	do { \
		begin(); \
		(void)(__VA_ARGS__); \
		judge(#__VA_ARGS__, por_graph_error(graph), wanted, at); \
		por_close(graph); \
	} while (0)
#define HERE(wanted, ...) SAYS(wanted, __LINE__, __VA_ARGS__)    /* at the user's line */
#define TEXT(wanted, ...) SAYS(wanted, 0, __VA_ARGS__)           /* elsewhere: in a text, or nowhere */

static por_size of(int n)
{
	char text[20];
	snprintf(text, sizeof text, "f64[%d]", n);
	return por_type_size(por_type_parse(graph, text), 0);
}

static void building(void)
{
	HERE("?", por_add(X, por_input(graph, "y", "f64[4]")));
	HERE("?", por_matmul(X, X));
	HERE("?", por_dot(X, v));
	HERE("?", por_add(s, por_input(por_open(NULL), "y", "f64")));
	HERE("?", por_add(s, NULL));
	HERE("?", por_input(graph, "y", "f128[n]"));
	HERE("?", por_input(graph, "y", "double"));
	HERE("?", por_input(graph, "y", "f64[n"));
	HERE("?", por_input(graph, "2y", "f64"));
	HERE("?", por_sum(X, 2));
	HERE("?", por_reshape(X, 2, (por_size[]){of(7), of(1)}));
	HERE("?", por_transpose(X, (int[]){0, 0}));
	HERE("?", por_gather(X, s, 0));
	HERE("?", por_where(s, s, s));
	HERE("?", por_cast(s, 99));
	HERE("?", por_if(s, s, s));
	HERE("?", por_if(por_lt(s, s), s, k));
	HERE("?", por_library(graph, "lgamma", 1, &s));
	HERE("?", por_library(graph, "nothing_such", 1, &s));
	HERE("?", por_library(graph, "sum", 2, (por_node *[]){v, k}));
	HERE("?", por_parse(graph, "x^2 + z", 1, (const char *[]){"x"}, &s));
	HERE("?", por_parse(graph, "np.sum(x)", 1, (const char *[]){"x"}, &v));
	HERE("?", por_parse(graph, "x ** 2", 1, (const char *[]){"x"}, &v));
	HERE("?", por_grad(por_exp(v), 1, &v, out));
	HERE("?", por_grad(por_cast(s, POR_I64), 1, &s, out));
	HERE("?", por_grad(s, 1, &k, out));
	HERE("?", por_hessian(v, v));
	HERE("?", por_apply(graph, POR_OP_EXP, 2, (por_node *[]){s, s}, 0, NULL, NULL));
	HERE("?", por_constant(graph, "f64[n]", 1) ? por_do(NULL, POR_EFFECT_ASSERT, 1, (const char *[]){"s"}, &s) : NULL);
	HERE("?", por_loop_each(por_loop_open(graph, k, 0), s));
	HERE("?", por_loop_close(por_loop_open(graph, s, 0)));
}

static void never_next(void)
{
	por_loop *l = por_loop_open(graph, k, 0);
	por_loop_carry(l, s);
	por_loop_close(l);
}

static void texts(void)
{
	HERE("?", por_function_named(module, "los", 0, NULL));
	HERE("?", por_function_named(module, "any", 0, NULL));
	HERE("?", por_function_named(module, "rate", 0, NULL));
	HERE("?", por_value_named(module, "rte"));
	HERE("?", por_invoke(por_function_named(module, "loss", 0, NULL), 1, &v));
	HERE("?", por_invoke(por_function_named(module, "loss", 0, NULL), 2, (por_node *[]){v, v}));
	HERE("?", por_bind(por_function_named(module, "loss", 0, NULL), 1, (const char *[]){"c"}, &s));
	TEXT("?", por_load(graph, "fn f(x: f64) = x +\n", -1, "m.por"));
	TEXT("?", por_load(graph, "use nothing\n", -1, "m.por"));
	TEXT("?", por_load_library(graph, "stat"));
	HERE("?", never_next());
	TEXT("?", por_rule(graph, "sqrt(x^2) -> x", NULL));
	TEXT("?", por_rule(graph, "sqrt(x^2) => x", NULL));
	TEXT("?", por_rule(graph, "x + 0 => x", "later"));
	HERE("?", por_compile(graph, 1, &s, 1, (por_node *[]){por_sum(v, POR_ALL)}, NULL));
	HERE("?", por_compile(graph, 1, (por_node *[]){por_exp(s)}, 1, &s, NULL));
	HERE("?", por_compile(graph, 1, &s, 1, &s, &(por_options){.threads = 2}));
	HERE("?", por_compile(graph, 1, &s, 1, &s, &(por_options){.size = sizeof(por_options), .threads = -2}));
	HERE("?", por_compile(graph, 1, &s, 1, &s, &(por_options){.size = sizeof(por_options), .target = "sse9"}));
	HERE("?", por_compile(graph, 1, &s, 1, &s, &(por_options){.size = sizeof(por_options), .rules_off = "log_ex"}));
}

/* ---- calls ------------------------------------------------------------------------------------------------ */

static por_program *program;
static por_frame *frame;
static double data[16];

static por_array view(int dtype, int rank, int64_t n, int64_t m)
{
	return por_view(data, dtype, rank, (int64_t[]){n, m});
}

static void call(const char *code, const char *wanted, int nin, por_array a, por_array b)
{
	begin();
	por_function *f = por_function_named(module, "loss", 0, NULL);
	program = por_compile_function(f, &(por_options){.size = sizeof(por_options), .tier = POR_TIER_INTERPRET});
	frame = por_frame_new(program);
	por_array in[] = {a, b}, result = {0};
	por_call(program, frame, nin, in, 1, &result);
	judge(code, por_frame_error(frame), wanted, 0);
	por_frame_free(frame);
	por_program_free(program);
	por_close(graph);
}
#define CALL(wanted, n, ...) call(#__VA_ARGS__, wanted, n, __VA_ARGS__)

static void calling(void)
{
	CALL("?", 1, view(POR_F64, 1, 3, 0), view(POR_F64, 0, 0, 0));
	CALL("?", 2, view(POR_F64, 2, 3, 2), view(POR_F64, 0, 0, 0));
	CALL("?", 2, view(POR_F32, 1, 3, 0), view(POR_F64, 0, 0, 0));
	CALL("?", 2, view(POR_F64, 1, -3, 0), view(POR_F64, 0, 0, 0));
	CALL("?", 2, view(POR_F64, 1, 3, 0), view(POR_F64, 0, 0, 0));
	CALL("?", 2, (por_array){0}, view(POR_F64, 0, 0, 0));
	CALL("?", 2, por_view(NULL, POR_F64, 1, (int64_t[]){3}), view(POR_F64, 0, 0, 0));
}

static void exporting(void)
{
	begin();
	program = por_compile(graph, 1, &s, 1, &s, NULL);
	por_export_c(program, "int", 0);
	judge("por_export_c(program, \"int\", 0)", por_program_error(program), "?", 0);
	por_explain(program, "speed");
	judge("por_explain(program, \"speed\")", por_program_error(program), "?", 0);
	por_program_free(program);
	por_close(graph);
}

int main(void)
{
	building();
	texts();
	calling();
	exporting();
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
