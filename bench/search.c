/* search.c - expressions of models in the form that the search of operations finds, beside that which rules alone
 * leave: seconds of a call, one thread, native code. */
#include "rows.h"

enum { INPUTS = 24, RUNS = 9 };

static const struct {
	const char *name, *type;
	int rank;
	int64_t size[3];
} inputs[] = {{"A", "f64[400, 20]", 2, {400, 20}}, {"B", "f64[20, 400]", 2, {20, 400}}, {"C", "f64[400, 20]", 2, {400, 20}},
	{"D", "f64[20, 400]", 2, {20, 400}}, {"u", "f64[400]", 1, {400}}, {"v", "f64[400]", 1, {400}}, {"w", "f64[400]", 1, {400}},
	{"S", "f64[400, 400]", 2, {400, 400}}, {"T", "f64[60, 60, 60]", 3, {60, 60, 60}}, {"P", "f64[60, 60]", 2, {60, 60}},
	{"q", "f64[60]", 1, {60}}, {"X", "f64[m, k]", 2, {4000, 64}}, {"g", "f64[k]", 1, {64}}, {"h", "f64[k]", 1, {64}}};

static const struct {
	const char *name, *text;
} cases[] = {
	{"square of a low-rank matrix", "let M = A @ B in M @ (M @ v)"},
	{"inner product of projections", "let M = A @ B in dot(M @ u, M @ v)"},
	{"a low-rank matrix and its transpose", "let M = A @ B in u @ M + M @ v"},
	{"two quadratic forms", "let M = A @ B in dot(u, M @ u) + dot(v, M @ v)"},
	{"cube of a kernel of low rank", "let M = A @ A.T in M @ (M @ (M @ v))"},
	{"sum of two low-rank matrices", "let M = A @ B in (M + C @ D) @ v"},
	{"difference of two low-rank matrices", "let M = A @ B in M @ v - (M @ u) @ (C @ D)"},
	{"Frobenius product", "sum((A @ B)*(C @ D))"},
	{"Frobenius norm", "sum((A @ B)^2)"},
	{"Frobenius product with a matrix", "sum((A @ B)*S)"},
	{"sums of a product", "let M = A @ B in sum(M @ u)*sum(u @ M)"},
	{"alignment of two kernels", "sum((A @ A.T)*(C @ C.T))"},
	{"marginals of a product", "sum[0](A @ B)*v + sum[1](A @ B)*u"},
	{"weighed sum of two images", "0.5*(S @ u) + 0.25*(S @ v)"},
	{"weighed sum of three images", "S @ u + 3*(S @ v) - 2*(S @ w)"},
	{"einsum of three axes", "einsum[(i, j, k), (j, a), (k,), (i, a)](T, P, q)"},
	{"change of two bases", "einsum[(i, j, k), (i, a), (j, b), (k,), (a, b)](T, P, P, q)"},
	{"factors of a tensor", "einsum[(i, j, k), (k, r), (j, r), (i,), (r,)](T, P, P, q)"},
	{"bilinear form of factors", "einsum[(i, r), (j, r), (i,), (j,), ()](A, C, u, v)"},
	{"chain of factors", "einsum[(i, r), (j, r), (j, s), (k, s), (k,), (i,)](A, C, C, A, v)"},
	{"normal equations of two directions", "let M = X.T @ X in M @ g + M @ h"}};

static por_array value[INPUTS];

static void fill(void)
{
	unsigned state = 1;
	for (size_t i = 0; i < sizeof inputs/sizeof *inputs; i++) {
		size_t n = 1;
		for (int k = 0; k < inputs[i].rank; k++)
			n *= (size_t)inputs[i].size[k];
		double *x = malloc(n*sizeof *x);
		for (size_t k = 0; k < n; k++) {
			state = state*1664525u + 1013904223u;
			x[k] = (double)(state >> 8)/(1 << 24) - 0.5;
		}
		value[i] = por_view(x, POR_F64, inputs[i].rank, inputs[i].size);
	}
}

/* Of one expression, with and without the search. */
typedef struct Program {
	por_graph *g;
	por_program *p;
	por_frame *frame;
	int nin;
	por_array in[INPUTS];
	double best;
} Program;

static int has_name(const char *text, const char *name)
{
	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
		int before = at > text && ((at[-1] | 32) >= 'a' && (at[-1] | 32) <= 'z'), after = (at[1] | 32) >= 'a' && (at[1] | 32) <= 'z';
		if (!before && !after && !(at > text && at[-1] == '.'))
			return 1;
	}
	return 0;
}

static int compiled(Program *p, const char *text, const char *off)
{
	por_node *in[INPUTS];
	const char *name[INPUTS];
	*p = (Program){.g = por_open(NULL), .best = 1e9};
	for (size_t i = 0; i < sizeof inputs/sizeof *inputs; i++) {
		if (!has_name(strstr(text, "](") ? strstr(text, "](") : text, inputs[i].name))
			continue;
		name[p->nin] = inputs[i].name;
		p->in[p->nin] = value[i];
		in[p->nin++] = por_input(p->g, inputs[i].name, inputs[i].type);
	}
	por_node *y = por_parse(p->g, text, p->nin, name, in);
	por_options o = {.size = sizeof o, .tier = POR_TIER_NATIVE, .threads = 1, .rules_off = off};
	p->p = y ? por_compile(p->g, p->nin, in, 1, &y, &o) : NULL;
	p->frame = p->p ? por_frame_new(p->p) : NULL;
	return p->frame != NULL;
}

/* Seconds of a call, the best of some that take a few milliseconds together. */
static int timed(Program *p)
{
	por_array out = {0};
	int calls = 1;
	for (;;) {
		double start = now();
		for (int i = 0; i < calls; i++) {
			out = (por_array){0};
			if (por_call(p->p, p->frame, p->nin, p->in, 1, &out))
				return 0;
		}
		double t = now() - start;
		if (t/calls < p->best)
			p->best = t/calls;
		if (t > 3e-3)
			return 1;
		calls *= 2;
	}
}

int main(void)
{
	fill();
	for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
		Program searched, ruled;
		int good = compiled(&searched, cases[i].text, NULL);
		good &= compiled(&ruled, cases[i].text, "operations");
		for (int k = 0; k < RUNS && good; k++)
			good = timed(&searched) && timed(&ruled);
		if (good)
			row(cases[i].name, searched.best, ruled.best, 1);
		else
			row_failed(cases[i].name, searched.p ? por_program_error(searched.p)->text : por_graph_error(searched.g)->text);
		por_frame_free(searched.frame);
		por_frame_free(ruled.frame);
		por_program_free(searched.p);
		por_program_free(ruled.p);
		por_close(searched.g);
		por_close(ruled.g);
	}
	return 0;
}
