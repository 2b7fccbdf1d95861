/* check_sides.c - both sides of a rule over one instance, computed as often as they are asked for.
 *
 * In their own dtypes, in binary128, stirred (what binary128 has lost), and with the rule's literals
 * moved: one that is no number of few binary digits stands for every real number that rounds to it,
 * 0.7071067811865476 for 1/sqrt(2). In binary128 such literals are inputs, so that they can be anywhere
 * within half a unit of their last place.
 */
#include "check.h"

/* ---- literals -------------------------------------------------------------------------- */

/* As 0.5, 1000 and 0.1875 are written: in f64 two fifths of its binary digits are zeros. In the narrower
 * dtypes many rounded numbers look so. */
static bool has_few_digits(Dtype d, double x)
{
	int exponent, digits = dtype_digits(d);
	double m = frexp(fabs(x), &exponent), few = ldexp(m, digits - 2 * digits / 5);
	return x == 0 || !isfinite(x) || (digits > 50 && few == floor(few));
}

/* Half a unit in the last place, of a power of two that above it. */
static double half_unit(Dtype d, double x)
{
	int least = ilogb(dtype_min(d)), exponent = ilogb(x);
	return ldexp(1, (exponent < least ? least : exponent) - dtype_digits(d));
}

/* How often more than once was the number rounded, as the rule writes it? */
static uint32_t divisions_of(const Pattern *p, double value)
{
	if (p->kind == P_LITERAL && p->value == value) return p->divisions;
	uint32_t most = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t n = divisions_of(p->arg[i], value);
		if (n > most) most = n;
	}
	return most;
}

static bool is_rounded(const Node *x, double *value)
{
	if (x->op != OP_CONST || x->type->kind != TYPE_ARRAY || !constant_is_uniform(x)) return false;
	Dtype d = node_dtype(x);
	if (!dtype_is_float(d) && !dtype_is_complex(d)) return false;
	return constant_value(x, value) && !has_few_digits(d, *value);
}

/* The scalar input that stands for a literal; equal ones share it. */
static Node *literal_input(BothSides *s, Node *x, double value)
{
	Graph *g = s->in->m.g;
	Dtype d = node_dtype(x);
	for (uint32_t i = 0; i < s->nliteral; i++)
		if (s->literal[i].value == value && s->literal[i].dtype == d) return s->literal[i].input;
	if (s->nliteral == countof(s->literal)) return NULL;
	Node *input = fresh(g, type_scalar(g, d), "literal");
	s->literal[s->nliteral++] =
		(Literal){input, value, half_unit(d, value) * (1 + divisions_of(s->in->rule->left, value)),
			d};
	return input;
}

/* What is compared with a literal is compared with that very number. */
static bool is_compared(const Region *r, const Node *literal)
{
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t k = 0; k < r->node[i]->narg; k++)
			if (r->node[i]->arg[k] == literal && node_dtype(r->node[i]) == DT_BOOL) return true;
	return false;
}

/* The sides with inputs for their rounded literals. */
static bool free_literals(BothSides *s, Node **result, uint32_t n)
{
	Graph *g = s->in->m.g;
	Region *r = region_of(s->arena, n, result);
	IdMap map;
	idmap_open(&map, s->arena);
	for (uint32_t i = 0; i < r->n; i++) {
		double value;
		Node *x = r->node[i];
		if (!is_rounded(x, &value) || is_compared(r, x)) continue;
		Node *input = literal_input(s, x, value);
		if (!input) return false;
		idmap_put(&map, x->id, broadcast_to(g, input, node_rank(x), x->type->u.dim));
	}
	if (!s->nliteral) return false;
	Node *out[3];
	rebuild(g, (Nodes){n, result}, &map, NULL, NULL, out);
	if (g->error.code) return false;
	memcpy(result, out, n * sizeof *out);
	return true;
}

static bool is_rough_number(const Node *x)
{
	double value;
	bool quotient = x->op == OP_DIV && x->arg[0]->op == OP_CONST && x->arg[1]->op == OP_CONST;
	return quotient || is_rounded(x, &value);
}

static bool op_is_rough(Graph *g, const Node *x)
{
	Body b[BODIES_MAX];
	uint32_t n = node_bodies(x, b);
	for (uint32_t i = 0; i < n; i++) {
		const Region *body = function_region(g, b[i].f);
		for (uint32_t k = 0; k < body->n; k++)
			if (is_rough_number(body->node[k]) || op_is_rough(g, body->node[k])) return true;
	}
	return false;
}

/* Does the meaning of an op that stands there hold rounded literals or quotients of literals, as a
 * series does? Then it is known as f64 has it alone. */
static bool names_rough(Arena *a, Graph *g, uint32_t n, Node *const *root)
{
	const Region *r = region_of(a, n, root);
	for (uint32_t i = 0; i < r->n; i++)
		if (op_is_rough(g, r->node[i])) return true;
	return false;
}

bool is_rough(Arena *a, Graph *g, uint32_t n, Node *const *root)
{
	const Region *r = region_of(a, n, root);
	for (uint32_t i = 0; i < r->n; i++)
		if (is_rough_number(r->node[i]) || op_is_rough(g, r->node[i])) return true;
	return false;
}

/* ---- functions and values ------------------------------------------------------------------ */

static const Function *closed(BothSides *s, uint32_t n, Node *const *result)
{
	const Instance *in = s->in;
	Closure c = {0};
	uint32_t nparam = in->ninput + s->nliteral;
	Node **param = NEW_ARRAY(s->arena, Node *, nparam + 1);
	memcpy(param, in->input, in->ninput * sizeof *param);
	for (uint32_t i = 0; i < s->nliteral; i++) param[in->ninput + i] = s->literal[i].input;
	bool good = function_close(in->m.g, (Title){.name = "check"}, (Nodes){nparam, param},
		(Nodes){n, (Node **)result}, &c);
	return good && !c.ncapture ? c.function : NULL;
}

bool sides_open(BothSides *s, Instance *in, Arena *a, Node *right, Node *mask)
{
	Node *result[3] = {in->m.node, right, mask};
	uint32_t n = mask ? 3 : 2;
	*s = (BothSides){.in = in, .arena = a, .mask = mask};
	s->own_function = closed(s, n, result);
	if (!s->own_function) return false;
	Error before = in->m.g->error;
	Node *wide[2] = {in->m.node, right};
	s->rough = names_rough(a, in->m.g, 2, wide);
	s->wide_function = s->own_function;
	if (in->rule->law != LAW_EXACT && free_literals(s, wide, 2)) s->wide_function = closed(s, 2, wide);
	if (!s->wide_function) {
		s->nliteral = 0;
		s->wide_function = s->own_function;
	}
	in->m.g->error = before;
	return true;
}

bool sides_sample(BothSides *s)
{
	Graph *g = s->in->m.g;
	s->input = instance_values(s->in, s->arena);
	return evaluates(g, s->arena, s->own_function, s->input, s->own, false);
}

bool sides_left(BothSides *s, Value *out, Error *why)
{
	Graph *g = s->in->m.g;
	Node *result[2] = {s->in->m.node, s->mask};
	uint32_t nliteral = s->nliteral;
	Error before = g->error;
	evaluate(g, s->arena, s->own_function, s->input, s->own, false);
	*why = g->error;
	g->error = before;
	s->nliteral = 0; /* they stand where they stood */
	const Function *f = closed(s, s->mask ? 2 : 1, result);
	s->nliteral = nliteral;
	bool good = f && evaluates(g, s->arena, f, s->input, out, false);
	g->error = before;
	return good;
}

/* The inputs in binary128, literal i moved by part[i] of half a unit. */
static Value *widened(BothSides *s, const double *part)
{
	uint32_t n = s->in->ninput;
	Value *v = NEW_ARRAY(s->arena, Value, n + s->nliteral + 1);
	memcpy(v, values_widened(s->arena, n, s->input), n * sizeof *v);
	for (uint32_t i = 0; i < s->nliteral; i++) {
		const Literal *l = &s->literal[i];
		Quad *q = NEW_ARRAY(s->arena, Quad, 2);
		q[0] = (Quad)l->value + (Quad)part[i] * (Quad)l->room;
		v[n + i] = (Value){.type = l->input->type, .dtype = l->dtype, .count = 1, .data = q};
	}
	return v;
}

bool sides_widely(BothSides *s, Value *out)
{
	const double still[LITERALS] = {0};
	return evaluates(s->in->m.g, s->arena, s->wide_function, widened(s, still), out, true);
}

bool sides_stirred(BothSides *s, uint64_t words, Value *out)
{
	const double still[LITERALS] = {0};
	return evaluates_stirred(s->in->m.g, s->arena, s->wide_function, widened(s, still), out, words);
}

/* Of one literal both ends; of several all up, all down, and one by one against the others. Then the
 * same on the way to the ends, where a function that jumps about between them shows it. */
bool sides_shifted(BothSides *s, uint32_t which, Value *out)
{
	static const double far[] = {1, 0.618, 0.27};
	double part[LITERALS];
	uint32_t ways = 2 + (s->nliteral > 1 ? 2 * s->nliteral : 0), way = which % ways;
	if (!s->nliteral || which >= countof(far) * ways) return false;
	for (uint32_t i = 0; i < s->nliteral; i++) {
		part[i] = way % 2 ? -far[which / ways] : far[which / ways];
		if (way >= 2 && i == way / 2 - 1) part[i] = -part[i];
	}
	return evaluates(s->in->m.g, s->arena, s->wide_function, widened(s, part), out, true);
}
