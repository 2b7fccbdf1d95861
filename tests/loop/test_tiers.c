/* Every tier to the bit: random functions, and the programs that everything was built around. */
#include "../../src/api/compile.h"
#include "../../src/prove/prove.h"
#include "../../src/elab/elab.h"
#include "../../src/prove/prove.h"
#include "compare.h"
#include "random.h"

#include <math.h>
#include <setjmp.h>
#include <cmocka.h>

static Graph *open_graph(void)
{
	Graph *g = graph_open(NULL);
	assert_non_null(g);
	diff_open(g);
	prove_open(g);
	books_open(g);
	return g;
}

/* ---- random functions ------------------------------------------------------------------ */

typedef struct Sizes {
	const Function *f;
	int64_t value[8];
} Sizes;

static bool size_value(void *user, const Atom *a, int64_t *value)
{
	const Sizes *s = user;
	*value = a->kind == ATOM_PARAM ? s->value[a->index] : 0;
	return a->kind == ATOM_PARAM;
}

/* Elements of a type, 0 where a size is known later only. */
static double elements(const Type *t, const Sizes *s)
{
	double n = t->kind == TYPE_ARRAY;
	for (uint32_t i = 0; i < t->n && n > 0; i++) {
		int64_t d = 0;
		n *= size_evaluate(DIM(t, i), size_value, (void *)s, &d) ? (double)d : 0;
	}
	return n;
}

/* Scalar steps of the reference, about: of a contraction of (m, k) and (k, n), sqrt(m k * k n * m n). */
static double work(Graph *g, Function *f, const Sizes *s)
{
	const Region *r = function_region(g, f);
	double sum = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		double n = elements(x->type, s);
		sum += x->op == OP_CONTRACT
			? sqrt(n * elements(x->arg[0]->type, s) * elements(x->arg[1]->type, s))
			: n;
		if (x->op != OP_SCAN) continue;
		Function *body = scan_body(x);
		Sizes inner = {.f = body};
		int64_t steps = 0;
		for (uint32_t k = 0; k < body->nsize && k < 8; k++)
			size_evaluate(x->attr->v[4 + k].u.size, size_value, (void *)s, &inner.value[k]);
		for (uint32_t k = 0; k < scan_sequences(x); k++)
			size_evaluate(
				node_dim(x->arg[1 + scan_carries(x) + k], 0), size_value, (void *)s, &steps);
		sum += (double)steps * work(g, body, &inner);
	}
	return sum;
}

/* Memory of zeros for the arguments, at these sizes. */
static Value *empty_inputs(Graph *g, const Function *f, Sizes *s)
{
	Value *in = NEW_ARRAY(g->arena, Value, f->nparam);
	for (uint32_t i = 0; i < f->nparam; i++) {
		const Type *t = f->param[i];
		in[i] = (Value){.type = t, .dtype = (Dtype)t->dtype, .rank = t->n, .count = 1};
		for (uint32_t k = 0; k < t->n; k++) {
			assert_true(size_evaluate(DIM(t, k), size_value, s, &in[i].dim[k]));
			in[i].count *= in[i].dim[k];
		}
		in[i].data = arena_alloc_aligned(
			g->arena, (size_t)in[i].count * dtype_bytes(in[i].dtype) + 64, 64);
	}
	return in;
}

/* A few functions square a size that is large, and would take longer than all others: half of it then. */
enum { WORK = 1 << 20 };

static Value *random_inputs(Graph *g, Function *f, uint64_t seed)
{
	Sizes s = {.f = f};
	for (uint32_t i = 0; i < f->nsize && i < 8; i++) s.value[i] = random_size(seed, i);
	while (work(g, f, &s) > WORK) s.value[s.value[0] < s.value[1]] /= 2;
	Value *in = empty_inputs(g, f, &s);
	for (uint32_t i = 0; i < f->nparam; i++)
		random_fill(seed * 10 + i, in[i].dtype, in[i].data, in[i].count);
	return in;
}

/* The numbers of functions that were compared and that differ. */
static void compare_random(uint64_t first, uint64_t last, uint32_t nodes, bool native, int *differ)
{
	for (uint64_t seed = first; seed < last; seed++) {
		Graph *g = open_graph();
		Pipeline p = {0};
		Function *f = random_function(g, seed, nodes);
		f = f ? pipeline_run(g, f, &p) : NULL;
		Comparison c = {0};
		Error e = g->error;
		if (!f || !compare_tiers(g, f, random_inputs(g, f, seed), native, &c, &e)) {
			print_error("seed %llu: %s\n", (unsigned long long)seed, e.text);
			++*differ;
		} else if (c.same != c.runs) {
			print_error("seed %llu: %s\n", (unsigned long long)seed, c.text);
			++*differ;
		}
		graph_close(g);
	}
}

static void test_interpreter(void **state)
{
	(void)state;
	int differ = 0;
	compare_random(1000, 1060, 25, false, &differ);
	assert_int_equal(differ, 0);
}

static void test_native(void **state)
{
	(void)state;
	int differ = 0;
	compare_random(2000, 2004, 25, true, &differ);
	assert_int_equal(differ, 0);
}

/* ---- programs ------------------------------------------------------------------------------ */

static const char program[] =
	"use optim\n"
	"type params[n] = {w: f64[n], b: f64}\n"
	"fn loss(p: params[n], X: f64[m, n], y: f64[m]) =\n"
	"    let z = X @ p.w + p.b in mean(softplus(z) - y*z)\n"
	"fn step(p: params[n], X: f64[m, n], y: f64[m], rate: f64) = p - rate*grad(loss(p, X, y), p)\n"
	"fn loss_first(p: params[n], X: f64[m, n], y: f64[m]) = grad(loss(p, X, y), p)\n"
	"fn loss_second(p: params[n], X: f64[m, n], y: f64[m]) = hessian(loss(p, X, y), p)\n"
	"type hmm[s, v] = {first: f64[s], move: f64[s, s], emit: f64[s, v]}\n"
	"fn score(p: hmm[s, v], seen: i32[t]) =\n"
	"    let up = scan (a = p.first + p.emit[:, seen[0]], o in seen[1:]) =>\n"
	"        let via = a[:, _] + p.move\n"
	"        in {a = max[0](via) + p.emit[:, o], from = argmax[0](via)}\n"
	"    in max(up.a)\n"
	"fn score_first(p: hmm[s, v], seen: i32[t]) = (score(p, seen), grad(score(p, seen), p))\n"
	"fn score_second(p: hmm[s, v], seen: i32[t]) = hessian(score(p, seen), p)\n"
	"fn density(q: f64[n], A: f64[n, n]) = sum(q*(A @ q))/2 + sum(q^4)\n"
	"fn leapfrog(U, q, p, h: f64, steps: i64) =\n"
	"    let dU = (q) => grad(U(q), q)\n"
	"    let end = scan (q = q, p = p - h/2*dU(q), i < steps) =>\n"
	"        let q = q + h*p in {q, p = p - h*dU(q)}\n"
	"    in (end.q, end.p + h/2*dU(end.q))\n"
	"fn final(q: f64[n], p: f64[n], A: f64[n, n], h: f64, steps: i64) =\n"
	"    let (a, b) = leapfrog((q) => density(q, A), q, p, h, steps) in dot(a, a)\n"
	"fn final_first(q: f64[n], p: f64[n], A: f64[n, n], h: f64, steps: i64) = grad(final(q, p, A, h, steps), q, p, A, h)\n"
	"fn final_second(q: f64[n], p: f64[n], A: f64[n, n], h: f64, steps: i64) = hessian(final(q, p, A, h, steps), q)\n"
	"op push(y: T, h: T, s: T) = y + h*s\n"
	"book mine: algebra\n"
	"push: y + h*sin(y) => push(y, h, sin(y)) exact\n"
	"fn flow(y: f64[n], h: f64, steps: i64) = sum(scan (y = y, i < steps) => y + h*sin(y))\n"
	"fn flow_first(y: f64[n], h: f64, steps: i64) = (flow(y, h, steps), grad(flow(y, h, steps), y))\n"
	"fn flow_second(y: f64[n], h: f64, steps: i64) = hessian(flow(y, h, steps), y)\n"
	"fn recurrent(W: f32[n, n], b: bf16[n], xs: f32[t, n]) =\n"
	"    let end = scan (h = f32[n](0), c = b, x in xs) => {h = tanh(W @ h + x), c = c*bf16(0.5) + bf16(x), out = h}\n"
	"    in sum(end.out*xs) + f32(sum(end.c))\n"
	"fn recurrent_first(W: f32[n, n], b: bf16[n], xs: f32[t, n]) = grad(recurrent(W, b, xs), W, b, xs)\n"
	"fn far(x: f64[n]) = f64(iota[80000]())[70000]*x\n" /* an index is given to a kernel with all its bits */
	"fn around(x: f64[n], k: i64) =\n" /* folds of few terms, of indices that come round */
	"    [i < n] => sum([a < 3] => x[(i + a + n - 1) % n]) - x[(i - k) % n] + x[i*i % n]\n"
	"fn torus(x: f32[m, n]) = [i < m, j < n] => max([a < 3, b < 3] => x[(i + a - 1) % m, (j + b - 1) % n])\n"
	"fn few(x: f64[n, 5], y: bf16[n, 7], z: f32[6, n]) =\n"
	"    let e = log(x)*iota[5]() in (argmax[1](x), argmin[1](e), argmax[1](e), max[1](e), prod[1](x), softmax[1](x),\n"
	"        sum[1](y), prod[1](y), sum[0](z), argmax[0](z), all[1](x > 0), any[1](y > 0), sum(x[0]), sum[1](i64(e > 0)))\n"
	"fn widths(x: f64[n, 33]) = (sum[1](exp(x[:, :2])), sum[1](exp(x[:, :9])), sum[1](abs(x[:, :16])),\n"
	"    sum[1](abs(x[:, :31])), sum[1](abs(x[:, :32])), sum[1](abs(x)), argmin[1](abs(x[:, :32])))\n"
	/* sums of products of few terms, operands as they lie, turned and computed */
	"fn products(x: f64[n], w: f64[5], A: f64[n, 5], B: f64[4, n], C: f64[n, 3, 3], D: f64[n, 3]) =\n"
	"    (([v in x] => sum([j < 5] => w[j]*v^j)), A @ w, exp(-(B.T @ B[:, 0])), w @ A.T, A @ A[:3].T, A[:, :2] @ B[:2],\n"
	"        B[:, :4] @ B, ([i < n] => C[i] @ D[i]), ([i < n] => C[i] @ C[i].T), sum[1](D*x[:, _]) @ x,\n"
	"        ([i < n] => D[i] @ D[i]), D[0] @ D[1], A @ exp(w), log(A) @ w, softmax(A @ w)*x, sum[1]((A @ w)[:, _]*D),\n"
	"        einsum[(i,), (j,), (i, j)](x, exp(w)), (A @ w)[::-1], [i < n] => (A @ w)[n - 1 - i]*D[i])\n"
	"fn narrow(h: bf16[n, 5], w: bf16[5], f: f32[5, n], i: i32[n, 6], j: i32[6, n]) =\n"
	"    (h @ w, h*h @ w, h @ h[:2].T, f[0] @ f.T, f[:4, :4] @ f[:4], w @ h.T, i @ i[0], i[:, :2] @ j[:2], j[0, :2] @ i[0, :2])\n"
	/* a carried array of which a part stays, and the rest is filled */
	"fn cleared(x: f64[n], A: f64[m, n], k: i64) =\n"
	"    ((scan (s = x, i < 3) => s with [1:] = 0), (scan (s = x, i < k) => s with [:1] = 0), (scan (s = A, i < 3) => s with [1:] = 0),\n"
	"        (scan (s = A, i < 3) => s with [:, :2] = 0), (scan (s = x, i < 3) => if i > 0 then s with [2:] = 0 else 2*s),\n"
	"        (scan (s = x, i < 3) => (s with [1:] = 0) with [0] = s[0] + 1), (scan (s = A, i < 2) => (scan (s = s, j < 2) => s with [1:] = 0)),\n"
	"        (scan (s = x, i < 3) => {s = s with [1:] = 0, t = s}))\n"
	"fn pairs(x: f64[n, n]) = let (q, r) = qr(x) in let (v, i) = top_k[2](q @ r) in sum(v) + sum(f64(i))\n";

typedef struct Program_case {
	const char *name;
	int64_t size;
} ProgramCase;

static const ProgramCase programs[] = {
	{"step", 5},
	{"loss", 5},
	{"loss_first", 5},
	{"loss_second", 5},
	{"score", 4},
	{"score_first", 4},
	{"score_second", 3},
	{"final", 4},
	{"final_first", 4},
	{"final_second", 4},
	{"flow", 6},
	{"flow_first", 6},
	{"flow_second", 6},
	{"recurrent", 7},
	{"recurrent_first", 7},
	{"far", 5},
	{"pairs", 5},
	{"around", 1},
	{"around", 31},
	{"around", 200},
	{"torus", 2},
	{"torus", 45},
	{"few", 1},
	{"few", 50},
	{"widths", 40},
	{"cleared", 3},
	{"cleared", 40},
	{"products", 5},
	{"products", 37},
	{"narrow", 6},
	{"narrow", 70},
};

/* Inputs of small size: each size parameter another number, integers below the smallest, steps 50. */
static Value *program_inputs(Graph *g, const Function *f, int64_t size)
{
	Sizes s = {.f = f};
	for (uint32_t i = 0; i < f->nsize && i < 8; i++) s.value[i] = size + (int64_t)i * 3;
	Value *in = empty_inputs(g, f, &s);
	for (uint32_t i = 0; i < f->nparam; i++) {
		if (dtype_is_integer(in[i].dtype) && !in[i].rank) *(int64_t *)in[i].data = 50;
		for (int64_t k = 0; k < in[i].count; k++) {
			double x = (double)((k * 7 + i * 3) % 11) / 11 - 0.4;
			uint32_t bits;
			memcpy(&bits, &(float){(float)x}, 4);
			if (in[i].dtype == DT_F64)
				((double *)in[i].data)[k] = x * 0.3;
			else if (in[i].dtype == DT_F32)
				((float *)in[i].data)[k] = (float)x;
			else if (in[i].dtype == DT_BF16)
				((uint16_t *)in[i].data)[k] = (uint16_t)(bits >> 16);
			else if (in[i].dtype == DT_I32)
				((int32_t *)in[i].data)[k] = (int32_t)(k * 5 % 3);
		}
	}
	return in;
}

static void test_programs(void **state)
{
	(void)state;
	int bad = 0;
	for (size_t i = 0; i < countof(programs); i++) {
		Graph *g = open_graph();
		Module *m = module_load(g, "programs.por", program, sizeof program - 1);
		Signature *s = m ? elaborate_function(g, m, programs[i].name, 0, NULL) : NULL;
		const Syntax *file = m ? module_syntax(m) : NULL;
		for (uint32_t k = 0; file && k < file->count; k++)
			if (file->part[k]->kind == SYN_BOOK) book_add(g, file->part[k], "programs.por");
		Pipeline p = {0};
		Function *f = s ? pipeline_run(g, s->function, &p) : NULL;
		Comparison c = {0};
		Error e = g->error;
		/* a stage changes what a function computes from its parameters, never those */
		bool good = f && f->nparam == s->function->nparam &&
			compare_tiers(g, f, program_inputs(g, f, programs[i].size), true, &c, &e) &&
			c.same == c.runs;
		if (!good)
			print_error("%s: %s\n", programs[i].name,
				c.text[0]               ? c.text
					: g->error.code ? g->error.text
							: e.text);
		bad += !good;
		graph_close(g);
	}
	assert_int_equal(bad, 0);
}

/* A user's rule fires inside the body of a loop. */
static void test_rule_in_loop(void **state)
{
	(void)state;
	Graph *g = open_graph();
	Module *m = module_load(g, "programs.por", program, sizeof program - 1);
	assert_non_null(m);
	const Syntax *file = module_syntax(m);
	for (uint32_t k = 0; k < file->count; k++)
		if (file->part[k]->kind == SYN_BOOK) assert_true(book_add(g, file->part[k], "programs.por"));
	Signature *s = elaborate_function(g, m, "flow", 0, NULL);
	assert_non_null(s);
	Pipeline p = {.until = "stable"};
	assert_non_null(pipeline_run(g, s->function, &p));
	assert_true(rule_use(g, rule_named(g, "push"))->fired > 0);
	graph_close(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interpreter),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_rule_in_loop),
		cmocka_unit_test(test_native),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
