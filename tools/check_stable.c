/* check_stable.c - every rule of stable in surroundings and derived, against what was written. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/api/compile.h"
#include "../src/prove/check.h"
#include "../src/prove/judge.h"

enum { SIDE = 3, INPUTS = 12, RESULTS = 1 + INPUTS, ORDERS = 3, TRIALS = 60, LUCK = 50 /* one in so many */, SUMS = 16, TRIES = 1000 };

/* What a surrounding may put beside f: an input, the exponential of a variable of f (NULL: none has f's type);
 * a number, and the variable of f for which it may stand (NULL: none). */
typedef struct Operands {
	Node *z, *exp, *number, *wide;
} Operands;

typedef struct Surrounding {
	const char *name;
	Node *(*build)(Graph *, Node *f, const Operands *);
} Surrounding;

static Node *alone(Graph *g, Node *f, const Operands *o)
{
	return (void)g, (void)o, f;
}
static Node *number_before(Graph *g, Node *f, const Operands *o)
{
	return (void)o, build2(g, OP_MUL, like(g, f, 3), f);
}
static Node *factor_before(Graph *g, Node *f, const Operands *o)
{
	return build2(g, OP_MUL, o->z, f);
}
static Node *constant_added(Graph *g, Node *f, const Operands *o)
{
	return (void)o, build2(g, OP_ADD, like(g, f, 3), f);
}
static Node *index_behind(Graph *g, Node *f, const Operands *o)
{
	(void)o;
	return node_rank(f) ? gather(g, f, constant_int(g, type_scalar(g, DT_I64), 1), 0) : NULL;
}
static Node *sum_behind(Graph *g, Node *f, const Operands *o)
{
	return (void)o, node_rank(f) ? fold_all(g, OP_SUM, f) : NULL;
}
static Node *product_behind(Graph *g, Node *f, const Operands *o)
{
	return (void)o, node_rank(f) ? fold_all(g, OP_PROD, f) : NULL;
}

/* The exponential of the left side's first variable of that type: rules join it with those within the left side. */
static Node *exponential(Graph *g, const Instance *in, const Node *x)
{
	for (uint32_t i = 0; i < in->ninput; i++)
		if (in->input[i]->type == x->type) return build1(g, OP_EXP, in->input[i]);
	return NULL;
}
static Node *exp_added(Graph *g, Node *f, const Operands *o)
{
	return o->exp ? build2(g, OP_ADD, f, o->exp) : NULL;
}
static Node *exp_before(Graph *g, Node *f, const Operands *o)
{
	return o->exp ? build2(g, OP_MUL, o->exp, f) : NULL;
}

/* f of a number where the others are arrays: what is made of it alone is spread within the left side. */
static Node *of_number(Graph *g, Node *f, const Operands *o)
{
	IdMap map;
	Node *out = NULL;
	if (!o->wide) return NULL;
	idmap_open(&map, g->arena);
	idmap_put(&map, o->wide->id, broadcast_to(g, o->number, o->wide->type->n, o->wide->type->u.dim));
	rebuild(g, (Nodes){1, &f}, &map, NULL, NULL, &out);
	return out;
}

static const Surrounding surroundings[] = {{"alone", alone}, {"3*f", number_before}, {"z*f", factor_before},
	{"3 + f", constant_added}, {"f + exp(x)", exp_added}, {"exp(x)*f", exp_before}, {"f[1]", index_behind},
	{"sum(f)", sum_behind}, {"prod(f)", product_behind}, {"f of a number", of_number}};
enum { SURROUNDINGS = countof(surroundings) };

static const char *const orders[ORDERS] = {"value", "gradient", "second derivative"};

typedef struct Cell {
	uint64_t seen, worse, lost, saved, told;
	double excess;
} Cell;

typedef struct Check {
	Graph *g;
	const Rule *rule;
	Random random;
	Instance in;
	Arena *a;
	uint32_t nfact;
	LeafFact fact[RULE_VARIABLES];
	uint32_t trials;
	Function *left; /* the left side alone */
	bool narrow; /* the rule speaks of other floats than f64 */
	Cell cell[SURROUNDINGS][ORDERS];
} Check;

/* ---- guards become promises ------------------------------------------------------------- */

static LeafFact *fact_of(Check *c, uint32_t var)
{
	Node *leaf = c->in.m.value[var];
	for (uint32_t i = 0; i < c->nfact; i++)
		if (c->fact[i].leaf == leaf) return &c->fact[i];
	LeafFact *f = &c->fact[c->nfact++];
	*f = (LeafFact){.leaf = leaf, .lo = -INFINITY, .hi = INFINITY};
	return f;
}

static void promise(Check *c, const Pattern *p)
{
	if (p->kind != P_OPERATOR) return;
	if (p->op == OP_AND) {
		promise(c, p->arg[0]);
		promise(c, p->arg[1]);
	}
	if (p->op != OP_GT && p->op != OP_GE && p->op != OP_LT && p->op != OP_LE) return;
	if (p->arg[1]->kind != P_LITERAL) return;
	bool below = p->op == OP_GT || p->op == OP_GE, open = p->op == OP_GT || p->op == OP_LT;
	const Pattern *x = p->arg[0];
	const Pattern *const *term = x->kind == P_VARIABLE ? &x : x->arg;
	for (uint32_t i = 0; i < (x->kind == P_VARIABLE ? 1 : x->n); i++) {
		if (term[i]->kind != P_VARIABLE || c->rule->var[term[i]->var].kind != V_VALUE) continue;
		LeafFact *f = fact_of(c, term[i]->var);
		bool strict = open || f->lo_open;
		if (below && p->arg[1]->value >= f->lo) f->lo = p->arg[1]->value, f->lo_open = strict;
		if (!below) f->hi = p->arg[1]->value, f->hi_open = open;
		f->no_nan = true, f->finite = isfinite(f->lo) && isfinite(f->hi);
		f->nonzero |= f->lo > 0 || f->hi < 0 || (f->lo == 0 && f->lo_open);
	}
}

static bool promised(const Check *c, const Node *leaf, double x)
{
	for (uint32_t i = 0; i < c->nfact; i++) {
		const LeafFact *f = &c->fact[i];
		if (f->leaf == leaf &&
			(x < f->lo || x > f->hi || (f->lo_open && x == f->lo) || (f->hi_open && x == f->hi)))
			return false;
	}
	return true;
}

/* ---- an instance: small arrays for the variables -------------------------------------------- */

static bool fits(Check *c, uint32_t rank)
{
	Instance *in = &c->in;
	Shape s = {.rank = rank, .dim = {SIDE, SIDE, SIDE}};
	static const Match empty;
	Match m = empty;
	Rule unguarded = *c->rule;
	bool never = false;
	if (!instance_shape(in, c->rule->left, &s)) return false;
	in->m.node = instantiate(&in->m, c->rule->left, NULL);
	if (!in->m.node || c->g->error.code || !in->ninput || in->ninput >= INPUTS - 2) return false;
	for (uint32_t i = 0; i < in->ninput; i++)
		if (node_rank(in->input[i]) > 2) return false;
	if (c->rule->guard) mask_of(in, c->rule->guard, in->m.node->type, &never);
	unguarded.guard = NULL;
	m.g = c->g, m.scratch = c->a, m.facts = in->m.facts;
	return !never && match_rule(&m, &unguarded, in->m.node);
}

/* The first variable of f's type of which nothing is promised, if f has several. */
static Node *free_variable(const Check *c)
{
	const Type *t = c->in.m.node->type;
	Node *found = NULL;
	uint32_t alike = 0;
	for (uint32_t i = c->in.ninput; i-- > 0;) {
		Node *x = c->in.input[i];
		bool told = false;
		for (uint32_t k = 0; k < c->nfact; k++) told |= c->fact[k].leaf == x;
		alike += x->type == t;
		if (x->type == t && !told) found = x;
	}
	return t->n && alike > 1 ? found : NULL;
}

/* What must be a number is one. */
static void know_numbers(Instance *in, const Pattern *p)
{
	bool word = p->kind == P_LIBRARY && p->n == 1 && p->arg[0]->kind == P_VARIABLE;
	bool number = word && (!strcmp(p->name, "moderate") || !strcmp(p->name, "constant") || !strcmp(p->name, "literal"));
	if (number) in->constant[p->arg[0]->var] = true;
	if (p->kind == P_OPERATOR && p->op == OP_NOT) return;
	for (uint32_t i = 0; i < p->n; i++) know_numbers(in, p->arg[i]);
}

/* What is computed of f32 has its digits alone, though it be converted: it is not judged by those of f64. */
static bool is_of_f64(const Instance *in)
{
	bool all = node_dtype(in->m.node) == DT_F64 || node_dtype(in->m.node) == DT_BOOL;
	for (uint32_t i = 0; i < in->ninput; i++) {
		Dtype d = node_dtype(in->input[i]);
		all &= d == DT_F64 || d == DT_BOOL || d == DT_I64;
	}
	return all;
}

/* Are the numbers what the guard asks of them? */
static bool numbers_promised(Check *c)
{
	double x;
	c->nfact = 0;
	if (c->rule->guard) promise(c, c->rule->guard);
	for (uint32_t i = 0; i < c->nfact; i++)
		if (constant_value(c->fact[i].leaf, &x) && !promised(c, c->fact[i].leaf, x)) return false;
	return true;
}

static bool open_instance(Check *c, uint32_t rank)
{
	Instance *in = &c->in;
	for (uint32_t attempt = 0; attempt < 300; attempt++) {
		memset(in, 0, sizeof *in);
		if (attempt >= 60) in->mode = attempt % 2 ? 5 : 8; /* numbers farther from 0 than 3, where a guard asks for them */
		in->m.g = c->g, in->m.scratch = c->a, in->m.rule = c->rule,
		in->m.facts = facts_open(c->g, c->a, 0, NULL);
		in->rule = c->rule, in->random = &c->random, in->real = DT_F64;
		if (c->rule->guard) know_numbers(in, c->rule->guard);
		Error saved = c->g->error;
		bool good = fits(c, rank) && numbers_promised(c);
		c->narrow |= good && !is_of_f64(in);
		good = good && is_of_f64(in);
		c->g->error = saved;
		if (good) return true;
	}
	return false;
}

static double any_place(Check *c, const Node *leaf, int manner, double one)
{
	for (uint32_t tries = 0; tries < TRIES; tries++) {
		double x = manner == 1 || (manner == 2 && random_below(&c->random, 3)) ? one
			: sample_value(&c->random, random_below(&c->random, 4) ? SAMPLE_PLACES : 0);
		if (manner == 4) x = sample_value(&c->random, 0);
		if (manner == 3 && random_below(&c->random, 3)) x = sample_value(&c->random, 0);
		if (promised(c, leaf, x)) return x;
		if (manner != 4 || tries > TRIES/2) manner = 0;
	}
	return NAN; /* nothing is judged there */
}

/* Places anywhere; or one place for all; or mostly one; or mostly moderate numbers. */
static Value *values_at_places(Check *c, uint32_t n, uint32_t nown, Node *const *in, bool bounded)
{
	Value *v = NEW_ARRAY(c->a, Value, n);
	int manner = (int)random_below(&c->random, 4);
	uint32_t far = random_below(&c->random, n);
	for (uint32_t k = 0; k < n; k++) {
		const Type *t = in[k]->type;
		double one = any_place(c, in[k], 0, 0);
		v[k] = (Value){.type = t, .dtype = (Dtype)t->dtype, .rank = t->n, .count = 1};
		for (uint32_t i = 0; i < t->n; i++) {
			size_is(DIM(t, i), &v[k].dim[i]);
			v[k].count *= v[k].dim[i];
		}
		v[k].data = arena_alloc(c->a, (size_t)(v[k].count + 1) * dtype_bytes(v[k].dtype));
		for (int64_t i = 0; i < v[k].count; i++) {
			if (v[k].dtype == DT_BOOL)
				((uint8_t *)v[k].data)[i] = (uint8_t)random_below(&c->random, 2);
			else if (v[k].dtype == DT_I64)
				((int64_t *)v[k].data)[i] = random_below(&c->random, 2);
			else
				((double *)v[k].data)[i] = k >= nown ? sample_value(&c->random, 2) : any_place(c, in[k], bounded && (i || k != far) ? 4 : manner, one);
		}
	}
	return v;
}

/* ---- one form: a surrounding and an order --------------------------------------------------- */

typedef struct Form {
	uint32_t nin, nown, nout; /* nown: inputs that are no weights */
	Node *in[INPUTS];
	Function *written, *ours, *plain, *whole; /* whole: the surrounding's value as written */
	Function *sums; /* each sum in it with its two terms; NULL: there is none */
	bool bounded; /* several numbers are multiplied: one alone may be large, and the whole is in range */
	bool asked; /* must the pipeline come to what the right side gives? */
} Form;

/* An input of that type for numbers from 1 to 4. */
static Node *weights_of(Check *c, Form *f, const Node *x)
{
	for (uint32_t i = f->nown; i < f->nin; i++)
		if (f->in[i]->type == x->type) return f->in[i];
	if (f->nin == INPUTS) return like(c->g, (Node *)x, 1.5);
	return f->in[f->nin++] = fresh(c->g, x->type, "weights");
}

/* Of y, a sum of gradients, or of those: by what differentiates. */
static uint32_t derived(Check *c, Form *f, Node *y, uint32_t order, uint32_t nx, Node *const *x, bool plain, Node **out)
{
	Graph *g = c->g;
	const Transforms *by = g->transforms;
	uint32_t n = 1;
	out[0] = y;
	for (uint32_t k = 0; k < order; k++) {
		Node *sum = NULL, *one;
		for (uint32_t i = 0; i < n; i++) { /* each element counts by a weight of its own: their sum may be nothing */
			Node *s = node_rank(out[i]) ? fold_all(g, OP_SUM, build2(g, OP_MUL, weights_of(c, f, out[i]), out[i]))
						    : out[i];
			sum = sum ? build2(g, OP_ADD, sum, s) : s;
		}
		one = like(g, sum, 1);
		Nodes of = {1, &sum}, variables = {nx, x};
		if (!(plain ? diff_vjp : by->vjp)(g, of, variables, &one, out)) return 0;
		n = nx;
	}
	return n;
}

static Function *closed(Check *c, const Form *f, uint32_t n, Node *const *out)
{
	Closure k = {0};
	if (!function_close(c->g, (Title){.name = "check"}, (Nodes){f->nin, f->in}, (Nodes){n, out}, &k))
		return NULL;
	return k.ncapture ? NULL : k.function;
}

static Function *through_pipeline(Check *c, const Form *f, Function *h)
{
	LeafFact fact[RULE_VARIABLES];
	Pipeline p = {.fact = fact};
	for (uint32_t i = 0; i < c->nfact; i++) /* a number has none */
		for (uint32_t k = 0; k < f->nin; k++)
			if (f->in[k] == c->fact[i].leaf) {
				fact[p.nfact] = c->fact[i];
				fact[p.nfact++].leaf = param(c->g, k, h->param[k]);
			}
	return h ? pipeline_run(c->g, h, &p) : NULL;
}

static Function *sums_within(Check *c, const Form *f, Node *y)
{
	Node *out[3 * SUMS];
	uint32_t n = 0;
	Region *r = region_of(c->a, 1, &y);
	for (uint32_t i = 0; i < r->n && n < countof(out); i++) {
		Node *x = r->node[i];
		if ((x->op != OP_ADD && x->op != OP_SUB) || !dtype_is_float(node_dtype(x))) continue;
		out[n++] = x, out[n++] = x->arg[0], out[n++] = x->arg[1];
	}
	return n ? closed(c, f, n, out) : NULL;
}

static bool make_form(Check *c, const Surrounding *s, uint32_t order, Form *f)
{
	Graph *g = c->g;
	Node *x[INPUTS], *y, *out[3][RESULTS];
	Operands beside;
	uint32_t nx = 0, nw, no;
	f->nin = c->in.ninput;
	f->bounded = s->build == factor_before || s->build == product_behind || s->build == exp_before;
	memcpy(f->in, c->in.input, f->nin * sizeof *f->in);
	beside.wide = s->build == of_number ? free_variable(c) : NULL;
	beside.number = beside.wide ? fresh(g, type_scalar(g, node_dtype(beside.wide)), "s") : NULL;
	if (beside.number) f->in[f->nin++] = beside.number;
	beside.z = f->in[f->nin++] = fresh(g, c->in.m.node->type, "z");
	beside.exp = exponential(g, &c->in, c->in.m.node);
	f->nown = f->nin;
	y = s->build(g, c->in.m.node, &beside);
	Node *right = fit_type(g, solid(g, instantiate(&c->in.m, c->rule->right, c->in.m.node->type)), c->in.m.node->type);
	if (!y || !right) return false;
	for (uint32_t i = 0; i < f->nown; i++)
		if (dtype_is_float(node_dtype(f->in[i])) && (i + 1 < f->nown || s->build == factor_before))
			x[nx++] = f->in[i];
	bool good = (nw = derived(c, f, y, order, nx, x, true, out[0])) &&
		(no = derived(c, f, y, order, nx, x, false, out[1])) &&
		derived(c, f, s->build(g, right, &beside), order, nx, x, true, out[2]);
	if (!good || nw != no) return false;
	f->nout = no;
	c->left = closed(c, f, 1, beside.wide ? &y : &c->in.m.node);
	f->written = closed(c, f, f->nout, out[0]);
	f->ours = through_pipeline(c, f, closed(c, f, f->nout, out[1]));
	f->plain = closed(c, f, f->nout, out[2]);
	f->asked = !order || (!c->nfact && !c->rule->late); /* promises are not known while derivatives are taken */
	f->whole = closed(c, f, 1, &y);
	f->sums = sums_within(c, f, y);
	return f->written && f->ours && f->plain && f->whole && !g->error.code;
}

static void tell(const Check *c, const Form *f, const Surrounding *s, uint32_t order, const Value *v, uint32_t out,
	int64_t at, const Judged *j, double excess)
{
	printf("  %s, %s, %s, result %u[%d]: written %.17g, plain %.17g, ours %.17g, true %.17g or %.17g; %.3g ulp; at", c->rule->name,
		s->name, orders[order], out, (int)at, j->written, j->plain, j->ours, (double)j->truth[0], (double)j->truth[1],
		excess);
	for (uint32_t k = 0; k < f->nin; k++) {
		printf(" %s", k ? "; " : "");
		for (int64_t i = 0; i < v[k].count; i++)
			printf("%s%.4g", i ? "," : "",
				v[k].dtype == DT_F64 ? ((double *)v[k].data)[i] : ((uint8_t *)v[k].data)[i]);
	}
	printf("\n");
}

/* Is the left side a number, or infinite, everywhere there? */
static bool defined(Check *c, const Form *f, const Value *v)
{
	Value out[1];
	if (!evaluate(c->g, c->a, c->left, values_widened(c->a, f->nin, v), out, true)) return false;
	for (int64_t i = 0; i < out->count; i++)
		if (((Quad *)out->data)[i] != ((Quad *)out->data)[i]) return false;
	return true;
}

/* Is what was written, as a whole, a number of f64 where f64 does not overflow on the way? */
static bool within_range(Check *c, const Form *f, const Value *v)
{
	Value out[1];
	if (!evaluate(c->g, c->a, f->whole, values_widened(c->a, f->nin, v), out, true)) return false;
	for (int64_t i = 0; i < out->count; i++) {
		Quad x = ((Quad *)out->data)[i];
		if (f->bounded && !(x <= 1e300Q && x >= -1e300Q)) return false;
	}
	return true;
}

/* Is a term lost in a sum of binary128 too, as in 1 + 1e-200?  Then what was written does not tell what is true. */
static bool absorbs(Check *c, const Form *f, const Value *v)
{
	Value out[3 * SUMS];
	if (!f->sums || !evaluate(c->g, c->a, f->sums, values_widened(c->a, f->nin, v), out, true)) return false;
	for (uint32_t k = 0; k < f->sums->nresult; k += 3)
		for (int64_t i = 0; i < out[k].count; i++) {
			Quad sum = ((Quad *)out[k].data)[i], x = ((Quad *)out[k + 1].data)[i],
			     y = ((Quad *)out[k + 2].data)[i];
			if ((sum == x && y != 0) || ((sum == y || sum == -y) && x != 0)) return true;
		}
	return false;
}

static bool has_infinity(const Form *f, const Value *v)
{
	for (uint32_t k = 0; k < f->nin; k++)
		for (int64_t i = 0; v[k].dtype == DT_F64 && i < v[k].count; i++)
			if (isinf(((double *)v[k].data)[i])) return true;
	return false;
}

/* A few that are farther off are luck. */
static bool is_worse(const Cell *k)
{
	return k->lost || k->worse > 1 + k->seen / LUCK;
}

static void try_form(Check *c, const Form *f, const Surrounding *s, uint32_t order, Cell *cell)
{
	Seen seen;
	Value *v = values_at_places(c, f->nin, f->nown, f->in, f->bounded);
	for (uint32_t i = 0; i < 20 && !defined(c, f, v); i++) v = values_at_places(c, f->nin, f->nown, f->in, f->bounded);
	if (!defined(c, f, v) || !within_range(c, f, v)) return;
	const Compared forms = {f->written, f->ours, f->asked ? f->plain : NULL};
	if (!see(c->g, c->a, &c->random, &forms, v, &seen)) return;
	for (uint32_t r = 0; r < f->nout; r++)
		for (int64_t i = 0; seen.own[0][r].dtype == DT_F64 && i < seen.own[0][r].count; i++) {
			Judged j = seen_at(&seen, r, i);
			double excess;
			Verdict verdict = judge(&j, &excess);
			bool at_infinity = isinf(j.ours) && has_infinity(f, v); /* an end that has no value of its own */
			bool untold = isinf(j.ours) && isinf((double)j.truth[1]) && absorbs(c, f, v);
			if (verdict == VERDICT_NONE || at_infinity || untold) continue;
			cell->seen++;
			bool bad = verdict == VERDICT_LOST || excess > FEW_ULP;
			cell->lost += verdict == VERDICT_LOST, cell->worse += bad;
			cell->saved += verdict == VERDICT_GOOD && !isfinite(j.written);
			if (excess > cell->excess) cell->excess = excess;
			if (bad && (verdict == VERDICT_LOST || cell->worse > 2) && cell->told++ < 2)
				tell(c, f, s, order, v, r, i, &j, verdict == VERDICT_LOST ? INFINITY : excess);
		}
}

static void check_rule(Check *c)
{
	for (uint32_t rank = 2; rank-- > 0;) {
		c->a = arena_child(c->g->arena);
		if (open_instance(c, rank)) {
			for (uint32_t s = 0; s < SURROUNDINGS; s++)
				for (uint32_t order = 0; order < ORDERS; order++) {
					Form f;
					bool made = make_form(c, &surroundings[s], order, &f);
					if (c->g->error.code) printf("%s %s %s: %s\n", c->rule->name, surroundings[s].name, orders[order], c->g->error.text);
					error_clear(&c->g->error);
					for (uint32_t t = 0; made && t < c->trials; t++)
						try_form(c, &f, &surroundings[s], order, &c->cell[s][order]);
				}
			rank = 0;
		}
		arena_free(c->a);
	}
}

/* ---- the page -------------------------------------------------------------------------------- */

static void print_head(FILE *to)
{
	fprintf(to, "| rule |");
	for (uint32_t s = 0; s < SURROUNDINGS; s++) fprintf(to, " %s |", surroundings[s].name);
	fprintf(to, " saved |\n|---|");
	for (uint32_t s = 0; s <= SURROUNDINGS; s++) fprintf(to, "---|");
	fprintf(to, "\n");
}

static void print_excess(FILE *to, const Cell *k)
{
	if (!k->seen)
		fprintf(to, "-");
	else if (k->lost)
		fprintf(to, "**lost %d**", (int)k->lost);
	else if (is_worse(k))
		fprintf(to, "**worse %d**", (int)k->worse);
	else if (k->worse)
		fprintf(to, "%.2g (%d)", k->excess, (int)k->worse);
	else
		fprintf(to, "%.2g", k->excess);
}

/* One row: in each surrounding by how many ulp ours is farther off, for the value, the gradient and the second derivative. */
static void print_row(FILE *to, const Check *c)
{
	uint64_t saved = 0, seen = 0;
	fprintf(to, "| %s%s |", c->rule->name, c->rule->late ? " (late)" : "");
	for (uint32_t s = 0; s < SURROUNDINGS; s++)
		for (uint32_t order = 0; order < ORDERS; order++) {
			const Cell *k = &c->cell[s][order];
			fprintf(to, order ? ", " : " ");
			print_excess(to, k);
			if (order + 1 == ORDERS) fprintf(to, " |");
			saved += k->saved, seen += k->seen;
		}
	fprintf(to, " %.0f %% |\n", seen ? 100.0 * (double)saved / (double)seen : 0);
}

static const char intro[] =
	"# Stability\n\n"
	"What `make check-stable` found: every rule of `stable` in surroundings that may undo it, its\n"
	"gradient and its second derivative, after the whole pipeline, against what was written. The inputs\n"
	"are 0, 1e-200, 1e200, 1000, infinities and forty more places where functions end, bend or cancel,\n"
	"moderate numbers beside them. The true value is what was written, in binary128; where that has\n"
	"cancelled too, or lost a term as in 1 + 1e-200, the rewritten in binary128.\n\n"
	"A cell has three numbers: of the value, of the gradient and of the second derivative the largest\n"
	"distance, in ulp of the true value or of what it moves when the inputs are rounded, by which the\n"
	"rewritten is farther from the true value than what was written is there or nearby. *(n)* behind it:\n"
	"at n of the numbers that were compared it is more than 8 ulp, which may be very many where what is\n"
	"left of a cancellation is compared; up to one number, and one in fifty, that is the luck of rounding\n"
	"where both cancel. *worse n*: more than these. *lost n*: n numbers are NaN or infinite where what was\n"
	"written is finite, or where what was written is NaN, its true value a number of f64, and the right\n"
	"side by itself finite. *-*: the rule does not apply there, or nothing could be compared. *saved*: of\n"
	"how many numbers, NaN or infinite as written, the rewritten is finite. The last line counts the cells\n"
	"that are lost or worse, and names them. *(late)*: the rule waits until derivatives are\n"
	"taken (`rules/stable_last.por`). f is the rule's left side, x the first variable in it that has the type\n"
	"of f; in *f of a number* a number stands for it. In `z*f`, `exp(x)*f` and `prod(f)` one input alone is\n"
	"not moderate, and what f64 cannot hold is left out. The promises that a guard asks for are given;\n"
	"derivatives are taken without them.\n\n"
	"No rule mends what a surrounding cancels: `(1 - exp(x)) + exp(x)` is 0 at 40, and 1 in truth. It may\n"
	"not become 1: infinity has to stay NaN.\n\n";

typedef struct Asked {
	uint32_t trials, seeds; /* one after the other, in the same cells */
	uint64_t seed;
	const char *page, *rule;
	bool quiet;
} Asked;

static bool read_asked(Asked *a, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;
		if (!strcmp(argv[i], "--quiet"))
			a->quiet = true;
		else if (!strcmp(argv[i], "--trials") && more)
			a->trials = (uint32_t)atoi(argv[++i]);
		else if (!strcmp(argv[i], "--seed") && more)
			a->seed = (uint64_t)atoll(argv[++i]);
		else if (!strcmp(argv[i], "--seeds") && more)
			a->seeds = (uint32_t)atoi(argv[++i]);
		else if (!strcmp(argv[i], "--page") && more)
			a->page = argv[++i];
		else if (argv[i][0] != '-')
			a->rule = argv[i];
		else
			return false;
	}
	return true;
}

/* The cells of a rule that are lost or worse; their names come behind those before. */
static uint64_t name_worse(const Check *c, Text *names)
{
	uint64_t worse = 0;
	for (uint32_t k = 0; k < SURROUNDINGS * ORDERS; k++) {
		if (!is_worse(&c->cell[k / ORDERS][k % ORDERS])) continue;
		text_printf(names, "%s%s of %s in `%s`", names->n ? "; " : ": ", orders[k % ORDERS], c->rule->name,
			surroundings[k / ORDERS].name);
		worse++;
	}
	return worse;
}

/* The rules of stable, one after the other; how many cells are worse. */
static uint64_t check_rules(Check *c, const Asked *asked, FILE *page, Text *names)
{
	uint64_t worse = 0;
	for (uint32_t i = 0; i < rules_count(c->g); i++) {
		const Rule *r = c->rule = rule_at(c->g, i);
		if (!rule_is_stable(r) || (asked->rule && strcmp(asked->rule, r->name))) continue;
		memset(c->cell, 0, sizeof c->cell);
		c->narrow = false;
		for (uint32_t k = 0; k < asked->seeds; k++) {
			c->random.s = asked->seed + k + hash_bytes(r->name, strlen(r->name)); /* whatever rules stand before it */
			check_rule(c);
		}
		if (!asked->quiet) print_row(stdout, c);
		if (page) print_row(page, c);
		uint64_t seen = 0;
		for (uint32_t k = 0; k < SURROUNDINGS * ORDERS; k++) seen += c->cell[k / ORDERS][k % ORDERS].seen;
		worse += name_worse(c, names);
		if (seen || c->narrow) continue;
		text_printf(names, "%s%s, of which nothing was compared", names->n ? "; " : ": ", r->name);
		worse++;
	}
	return worse;
}

int main(int argc, char **argv)
{
	Asked asked = {.trials = TRIALS, .seeds = 1, .seed = 1};
	if (!read_asked(&asked, argc, argv)) {
		fputs("check_stable [--trials N] [--seed S] [--seeds N] [--page FILE] [--quiet] [RULE]\n", stderr);
		return 2;
	}
	Check c = {.g = graph_open(NULL), .trials = asked.trials};
	if (!module_empty(c.g) || !books_open(c.g)) return 2;
	diff_open(c.g);
	FILE *page = asked.page ? fopen(asked.page, "w") : NULL;
	if (asked.page && !page) return 2;
	if (page) fputs(intro, page), print_head(page);
	if (!asked.quiet) print_head(stdout);
	Text names;
	text_open(&names, c.g->arena);
	uint64_t worse = check_rules(&c, &asked, page, &names);
	const char *which = text_done(&names);
	printf("worse %d%s\n", (int)worse, which);
	if (page) fprintf(page, "\nLost or worse: %d%s.\n", (int)worse, which), fclose(page);
	graph_close(c.g);
	return worse > 0;
}
