/* Sizes that are not known while building: what must hold between them is checked by the call, in every tier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <porism.h>

/* f takes x and y, of m and n elements on each of their axes; `holds` says for which m and n the call is good. */
typedef struct Case {
	const char *text;
	bool (*holds)(int64_t m, int64_t n);
} Case;

static bool equal(int64_t m, int64_t n)
{
	return m == n;
}
static bool three(int64_t m, int64_t n)
{
	return m == 3 && n >= 0;
}
static bool within(int64_t m, int64_t n)
{
	return n <= m;
}
static bool not_longer(int64_t m, int64_t n)
{
	return m <= n;
}
static bool two(int64_t m, int64_t n)
{
	return m >= 2 && n >= 0;
}

static bool any(int64_t m, int64_t n)
{
	return m >= 0 && n >= 0;
}
static bool shorter(int64_t m, int64_t n)
{
	return n < m;
}
static bool at_an_element(int64_t m, int64_t n)
{
	return 0 <= n - m && n - m < m;
}

static const Case cases[] = {
	/* a type converts what has its sizes, each of them */
	{"fn f(x: f64[m], y: f64[n]) = f64[3](x)", three},
	{"fn f(x: f64[m], y: f64[n]) = sum(f64[n](x))", equal},
	{"fn f(x: f64[m, m], y: f64[n]) = f64[n, m](x)", equal},
	{"fn f(x: f64[m], y: f64[n]) = f32[2, n](x)", equal},
	/* a declared parameter or result says what its sizes are */
	{"fn g(x: f64[k], y: f64[k]) = x[:1] + y[:1]\nfn f(x: f64[m], y: f64[n]) = g(x, f64[m](y))", equal},
	{"fn g(x: f64[..s], y: f64[..s]) = sum(y)\nfn f(x: f64[m], y: f64[n]) = g(x, f64[m](y)) + sum(x)", equal},
	{"fn g(x: f64[m], y: f64[n]) -> f64[n] = f64[n](x)\nfn f(x: f64[m], y: f64[n]) = g(x, y) + sum(y)", equal},
	{"op g(x: T[..s], y: T[..s]) = x + y\nfn f(x: f64[m], y: f64[n]) = g(x, f64[m](y))", equal},
	{"fn f(x: f64[m], y: f64[n]) = scan (a = x, i < 2) => f64[m](f64[n](2*a))", equal},
	/* operators that want equal sizes */
	{"fn f(x: f64[m], y: f64[n]) = x*f64[m](y)", equal},
	{"fn f(x: f64[m], y: f64[n]) = dot(x, f64[m](y))", equal},
	{"fn f(x: f64[m], y: f64[n]) = x @ f64[m](y)", equal},
	{"fn f(x: f64[m], y: f64[n]) = scan (a = 0.0, u in x, v in f64[m](y)) => a + u*v", equal},
	{"fn f(x: f64[m], y: f64[n]) = x with [:] += f64[m](y)", equal},
	{"fn f(x: f64[m], y: f64[n]) = f64[9](0) with [iota[m]()] += f64[m](y)", equal},
	{"fn f(x: f64[m], y: f64[n]) = f64[9](0) with [iota[m]()] = f64[m](y)", equal},
	{"fn f(x: f64[m, m], y: f64[n]) = x with [0] = f64[m](y)", equal},
	{"fn f(x: f64[m, m], y: f64[n]) = x[iota[m](), i64[m](iota[n]())]", equal},
	{"fn f(x: f64[m, m], y: f64[n]) = tri_solve[upper](x + eye[m](), f64[m](y)[:, _])", equal},
	{"fn f(x: f64[m, m], y: f64[n, n]) = concat[1](x, f64[m, n](y))", equal},
	{"fn f(x: f64[m], y: f64[n]) = reshape[n](x)", equal},
	/* operators that want an order of sizes */
	{"fn f(x: f64[m], y: f64[n]) = x[:n]", within},
	{"fn f(x: f64[m], y: f64[n]) = x[2:]", two},
	{"fn f(x: f64[m], y: f64[n]) = argmax(x[1:])", two},
	{"fn f(x: f64[m], y: f64[n]) = argmin[1](y[:, _]*x[1:])", two},
	{"fn f(x: f64[m], y: f64[n]) = scan (a = i64(0), i < 2) => a + argmin(x[1:])", two},
	{"fn f(x: f64[m], y: f64[n]) = let (v, i) = top_k[n](x) in v", within},
	{"fn f(x: f64[m], y: f64[n]) = let (q, r) = qr(x[:, _]*y) in r", within},
	{"fn f(x: f64[m], y: f64[n]) = pad[0, n - m, 1](x)", not_longer},
	{"fn f(x: f64[m], y: f64[n]) = iota[n - m]()", not_longer},
	{"fn f(x: f64[m], y: f64[n]) = normal[f64[n - m]](key(1))", not_longer},
	{"fn f(x: f64[m], y: f64[n]) = f64[n - m](7)", not_longer},
	/* a derivative asks for what it uses: of a slice for what that asks, of what is added to it for nothing */
	{"fn f(x: f64[m], y: f64[n]) = x[n - m::-1]", at_an_element},
	{"fn f(x: f64[m], y: f64[n]) = grad(sum(x[n - m::-1]), x)", at_an_element},
	{"fn f(x: f64[m], y: f64[n]) = grad(sum(x[n - m::-2]), x)", at_an_element},
	{"fn f(x: f64[m], y: f64[n]) = grad(sum(x[:n:-2]), x)", shorter},
	{"fn f(x: f64[m], y: f64[n]) = grad(sum(x*f64[m](3) + f64[m](y)), x)", any},
};

static void run_case(const Case *c, int tier)
{
	por_graph *g = por_open(NULL);
	por_module *module = por_load(g, c->text, -1, "sizes.por");
	por_options o = {.size = sizeof o, .tier = tier, .threads = 1};
	por_function *function = por_function_named(module, "f", 0, NULL);
	por_program *p = por_compile_function(function, &o);
	if (!p) fail_msg("%s: %s", c->text, por_graph_error(g)->text);
	por_frame *f = por_frame_new(p);
	double x[16] = {0};
	int rank[2];
	for (int i = 0; i < 2; i++) {
		por_leaf leaf;
		por_function_input(function, i, &leaf);
		rank[i] = por_type_rank(leaf.type);
	}
	for (int64_t m = 1; m < 5; m++)
		for (int64_t n = 1; n < 5; n++) {
			const int64_t shape[2][2] = {{m, m}, {n, n}};
			por_array in[2];
			for (int i = 0; i < 2; i++) in[i] = por_view(x, POR_F64, rank[i], shape[i]);
			int code = por_call(p, f, 2, in, 0, NULL);
			if ((code == 0) != c->holds(m, n))
				fail_msg("%s, tier %d: m = %d, n = %d: %s", c->text, tier, (int)m, (int)n,
					code ? por_frame_error(f)->text : "no error");
		}
	por_frame_free(f);
	por_program_free(p);
	por_close(g);
}

static void every_case(void **unused)
{
	static const int tiers[] = {POR_TIER_INTERPRET, POR_TIER_REFERENCE};
	(void)unused;
	for (size_t t = 0; t < 2; t++)
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) run_case(&cases[i], tiers[t]);
}

/* Functions of any number of elements of x, given fewer than the side that is not taken needs; where it is
 * taken x has three. */
static const char *const sides[] = {
	"fn f(v: f64[n], x: f64[m]) = if v[0] > 0 and m == 3 then sum(get[0](top_k[3](x))) else sum(v)",
	"fn f(v: f64[n], x: f64[m]) = if v[0] > 0 and m == 3 then sum(reshape[3, 1](x)) else sum(v)",
	"fn f(v: f64[n], x: f64[m]) = if v[0] > 0 and m == 3 then sum(get[1](qr(x[:, _]*x[:2]))) else sum(v)",
	"fn f(v: f64[n], x: f64[m]) = if v[0] > 0 and m == 3 then sum(f64[3](x)*v[0]) else sum(v)",
	"fn f(v: f64[n], x: f64[m]) = if v[0] > 0 and m == 3 then f64(argmax(x) + argmin(x)) else sum(v)",
	/* which lane stands in for others: of no lanes there is none, and nobody asks */
	"fn f(v: f64[n], x: f64[m]) =\n"
	"    let next = i64[n](-1)\n"
	"    in sum([a in x] => v[(scan (k = 0) while next[k] >= 0 => next[k + i64(a > 9)])]) + sum(v)",
};

static void side_not_taken(const char *text, int64_t elements, int tier)
{
	por_graph *g = por_open(NULL);
	char type[32];
	snprintf(type, sizeof type, "f64[%d]", (int)elements);
	por_node *v = por_input(g, "v", "f64[2]"), *d;
	por_node *args[] = {v, por_constant(g, type, 1)};
	por_function *f = por_function_named(por_load(g, text, -1, "side.por"), "f", 0, NULL);
	assert_int_equal(por_grad(por_invoke(f, 2, args), 1, &v, &d), 0);
	por_options o = {.size = sizeof o, .tier = tier, .threads = 1};
	por_program *p = por_compile(g, 1, &v, 1, &d, &o);
	if (!p) fail_msg("%s, %d elements: %s", text, (int)elements, por_graph_error(g)->text);
	double at[2] = {1, 2}, slope[2] = {7, 7};
	por_array in = por_view(at, POR_F64, 1, &(int64_t){2}), out = por_view(slope, POR_F64, 1, &(int64_t){2});
	if (por_call(p, NULL, 1, &in, 1, &out)) fail_msg("%s: %s", text, por_program_error(p)->text);
	if (!elements && (slope[0] != 1 || slope[1] != 1)) fail_msg("%s: %g %g", text, slope[0], slope[1]);
	por_program_free(p);
	por_close(g);
}

static void sides_not_taken(void **unused)
{
	static const int tiers[] = {POR_TIER_INTERPRET, POR_TIER_REFERENCE};
	(void)unused;
	for (size_t t = 0; t < 2; t++)
		for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
			for (int64_t n = 0; n < 4; n++) side_not_taken(sides[i], n, tiers[t]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_case), cmocka_unit_test(sides_not_taken)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
