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
	HERE("+: shapes do not fit: f64[3, 2] and f64[4]", por_add(X, por_input(graph, "y", "f64[4]")));
	HERE("@: inner sizes differ: 2 (of f64[3, 2]) and 3 (of f64[3, 2])", por_matmul(X, X));
	por_graph *other = por_open(NULL);
	HERE("nodes of two graphs", por_add(s, por_input(other, "y", "f64")));
	por_close(other);
	HERE("an operand is NULL, though no call on this graph has failed", por_add(s, NULL));
	HERE("f128 is no dtype; a type is one with its sizes, such as f64[m, n]", por_input(graph, "y", "f128[n]"));
	HERE("double is no dtype; write f64", por_input(graph, "y", "double"));
	HERE("sizes of a type stand in brackets, as in f64[m, n]", por_input(graph, "y", "f64(n)"));
	HERE("this [ is not closed", por_input(graph, "y", "f64[n"));
	HERE("input \"2y\": a name was wanted, as x or p_w", por_input(graph, "2y", "f64"));
	HERE("sum: axis 2 of 2 axes; wanted -2 to 1", por_sum(X, 2));
	HERE("reshape: f64[3, 2] to f64[7, 1]: the numbers of elements differ", por_reshape(X, 2, (por_size[]){of(7), of(1)}));
	HERE("transpose: the axes are no permutation of those of f64[3, 2]", por_transpose(X, (int[]){0, 0}));
	HERE("an index of f64, wanted integers", por_gather(X, s, 0));
	HERE("where: the condition is f64, wanted a bool", por_where(s, s, s));
	HERE("cast: there is no dtype 99", por_cast(s, 99));
	HERE("if: a condition of f64 where one bool is wanted", por_if(s, s, s));
	HERE("nothing_such is not declared", por_library(graph, "nothing_such", 1, &s));
	HERE("sum does not take 2 operands: it is written sum(x); axes stand in brackets, as in sum[0](x)", por_library(graph, "sum", 2, (por_node *[]){v, k}));
	HERE("z is not declared; line 1, column 7 of the text", por_parse(graph, "x^2 + z", 1, (const char *[]){"x"}, &s));
	HERE("np is not declared: functions stand by themselves here, without a module, as sum(x)", por_parse(graph, "np.sum(x)", 1, (const char *[]){"x"}, &v));
	HERE("**: a power is written x^y; line 1, column 3 of the text", por_parse(graph, "x ** 2", 1, (const char *[]){"x"}, &v));
	HERE("grad: f64[n] is differentiated, wanted a real scalar; vjp and jacobian take arrays", por_grad(por_exp(v), 1, &v, out));
	HERE("grad: i64 is differentiated, wanted a real scalar", por_grad(por_cast(s, POR_I64), 1, &s, out));
	HERE("grad: variable 1 is i64, wanted an array of real floats", por_grad(s, 1, &k, out));
	HERE("hessian: f64[n] is differentiated, wanted a real scalar", por_hessian(v, v));
	TEXT("exp: 2 operands, wanted 1", por_apply(graph, POR_OP_EXP, 2, (por_node *[]){s, s}, 0, NULL, NULL));
	HERE("do: what is asserted is f64, wanted a bool", por_constant(graph, "f64[n]", 1) ? por_do(NULL, POR_EFFECT_ASSERT, 1, (const char *[]){"s"}, &s) : NULL);
	HERE("loop: a scalar has no elements", por_loop_each(por_loop_open(graph, k, 0), s));
	HERE("loop: the number of steps is an integer scalar", por_loop_close(por_loop_open(graph, s, 0)));
}

static void never_next(void)
{
	por_loop *l = por_loop_open(graph, k, 0);
	por_loop_carry(l, s);
	por_loop_close(l);
}

static void texts(void)
{
	TEXT("there is no los; it has loss, any, rate", por_function_named(module, "los", 0, NULL));
	TEXT("any: parameter x has no type; a value must give it", por_function_named(module, "any", 0, NULL));
	TEXT("there is no rte; it has loss, any, rate", por_value_named(module, "rte"));
	HERE("loss: given 1 operands, wanted 2", por_invoke(por_function_named(module, "loss", 0, NULL), 1, &v));
	HERE("loss: argument 2: given f64[n], wanted f64", por_invoke(por_function_named(module, "loss", 0, NULL), 2, (por_node *[]){v, v}));
	HERE("bind: there is no leaf c; there are w, b", por_bind(por_function_named(module, "loss", 0, NULL), 1, (const char *[]){"c"}, &s));
	TEXT("the text ends; wanted an expression", por_load(graph, "fn f(x: f64) = x +\n", -1, "m.por"));
	TEXT("use nothing: there is no such module", por_load(graph, "use nothing\n", -1, "m.por"));
	TEXT("use stat: there is no such module; the library has draw, logp", por_load_library(graph, "stat"));
	TEXT("loop: carried value 1 has no next one", never_next());
	TEXT("found ->; wanted => or <=> after the left side of a rule", por_rule(graph, "sqrt(x^2) -> x", NULL));
	TEXT("add `if x >= 0`", por_rule(graph, "sqrt(x^2) => x", NULL));
	HERE("input v is used and not listed", por_compile(graph, 1, &s, 1, (por_node *[]){por_sum(v, POR_ALL)}, NULL));
	HERE("parameter 1 is no input", por_compile(graph, 1, (por_node *[]){por_exp(s)}, 1, &s, NULL));
	HERE("options: their size is 0, wanted sizeof(por_options)", por_compile(graph, 1, &s, 1, &s, &(por_options){.threads = 2}));
	HERE("options: threads is out of range", por_compile(graph, 1, &s, 1, &s, &(por_options){.size = sizeof(por_options), .threads = -2}));
	HERE("there is no target sse9; there are baseline, avx2, avx512", por_compile(graph, 1, &s, 1, &s, &(por_options){.size = sizeof(por_options), .target = "sse9"}));
	HERE("there is no rule, book, stage or tag log_ex; the nearest is log_exp", por_compile(graph, 1, &s, 1, &s, &(por_options){.size = sizeof(por_options), .rules_off = "log_ex"}));
}

/* ---- calls ------------------------------------------------------------------------------------------------ */

static por_program *program;
static por_frame *frame;
static double data[16] = {1}, zero[1];

static por_array view(int dtype, int rank, int64_t n, int64_t m)
{
	static int64_t shape[2];        /* of the one argument that is made so */
	shape[0] = n;
	shape[1] = m;
	return por_view(data, dtype, rank, shape);
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
	CALL("given 1 argument, wanted 2: w: f64[n], b: f64", 1, view(POR_F64, 1, 3, 0), por_view(data, POR_F64, 0, NULL));
	CALL("argument 1 (w): 2 axes, wanted 1", 2, view(POR_F64, 2, 3, 2), por_view(data, POR_F64, 0, NULL));
	CALL("argument 1 (w): dtype f32, wanted f64", 2, view(POR_F32, 1, 3, 0), por_view(data, POR_F64, 0, NULL));
	CALL("argument 1 (w): size -3 on axis 0", 2, view(POR_F64, 1, -3, 0), por_view(data, POR_F64, 0, NULL));
	CALL("argument 2: b = 0, which breaks its promise: 0 < b", 2, view(POR_F64, 1, 3, 0), por_view(zero, POR_F64, 0, NULL));
	CALL("argument 1: it is not in host memory", 2, (por_array){0}, por_view(data, POR_F64, 0, NULL));
	CALL("argument 1: it has no data", 2, por_view(NULL, POR_F64, 1, (int64_t[]){3}), por_view(data, POR_F64, 0, NULL));
}

static void exporting(void)
{
	begin();
	program = por_compile(graph, 1, &s, 1, &s, NULL);
	por_export_c(program, "int", 0);
	judge("por_export_c(program, \"int\", 0)", por_program_error(program), "export_c: \"int\" is no name of a function of C", 0);
	por_explain(program, "speed");
	judge("por_explain(program, \"speed\")", por_program_error(program), "explain: there is no speed; there are calls, rules, stages", 0);
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
