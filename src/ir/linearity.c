/* linearity.c - is what somebody tells linear in these leaves, differentials or what is solved for?
 *
 * needs: nodes over the leaves; gives: an error where what hangs on one is joined with what hangs on none, as
 * by + or in places of an array, or where a result hangs on none and is not 0: an affine map, of which the
 * reverse mode would take the linear part and the forward mode all; and where a result is a product of them
 * or a map such as exp.  On the way both may stand: a solver's steps are quotients of products, and may be
 * linear.  Of those, and of what other operators make, nobody can tell, and they are believed.
 */
#include "own.h"

/* In what way something hangs on the leaves.  NOTHING: it is 0; CURVED: not as a sum of multiples; UNKNOWN:
 * in a way that nobody can tell. */
typedef enum Hangs { NOTHING, FREE, LINEARLY, CURVED, UNKNOWN } Hangs;
/* Loops in loops are gone through again and again: of more than so many nodes of bodies nobody can tell. */
enum { BODIES_NODES = 2000 };

/* Nodes of one function, or of the whole; `ways` by place: one, or as many as a tuple has. */
typedef struct Classified {
	Graph *g;
	Arena *a;
	Region *r;
	unsigned char **way;
	const char *what, *in; /* what is not linear, and in what; NULL: nothing is refused */
	uint32_t *left;        /* nodes of bodies that are still looked at */
	bool zeros;            /* those that are given nothing that hangs, too: they may give 0 */
} Classified;

static bool is_bent(Hangs h)
{
	return h == LINEARLY || h == CURVED || h == UNKNOWN;
}

static bool is_nothing(Hangs h)
{
	return h == NOTHING;
}

/* What holds either of two. */
static Hangs joined(Hangs x, Hangs y)
{
	return x > y ? x : y;
}

static bool is_affine(Hangs x, Hangs y)
{
	return (x == LINEARLY && y == FREE) || (x == FREE && y == LINEARLY);
}

static bool refuse(Classified *c, const Node *x, const char *why)
{
	const Where where = c->g->where;
	if (!c->what) return true;
	if (x->origin && x->origin->where.line) c->g->where = x->origin->where;
	graph_fail(c->g, ERR_DERIVATIVE, "%s is not linear in %s: %s; wanted a sum of their multiples, or 0",
		c->what, c->in, why);
	c->g->where = where;
	return false;
}

static bool join(Classified *c, const Node *x, Hangs *to, Hangs with)
{
	const bool affine = is_affine(*to, with);
	*to = joined(*to, with);
	return !affine ||
		refuse(c, x,
			arena_printf(c->a, "%s joins what hangs on one with what hangs on none",
				op_info[x->op].text));
}

static Hangs way_of(const Classified *c, const Node *x)
{
	return (Hangs)c->way[region_place(c->r, x)][0];
}

static Hangs product(Hangs x, Hangs y)
{
	if (x == NOTHING || y == NOTHING) return NOTHING;
	if (x == FREE) return y;
	if (y == FREE) return x;
	if (x == UNKNOWN || y == UNKNOWN) return UNKNOWN;
	return x == LINEARLY || y == LINEARLY ? CURVED : UNKNOWN; /* abs(d)*sign(d) is d */
}

/* Does an operator add operands, or put them side by side, those from..to - 1? */
static bool is_join(const Node *x, uint32_t *from, uint32_t *to)
{
	*from = 0;
	*to = op_info[x->op].args == VARIADIC ? x->narg : (uint32_t)op_info[x->op].args;
	switch (x->op) {
	case OP_WHERE: *from = 1; return true;
	case OP_SCATTER_ADD:
	case OP_SCATTER_SET: return true;
	default: return (op_info[x->op].flags & LINEAR) && !(op_info[x->op].flags & BILINEAR);
	}
}

static bool is_unknown(Hangs h)
{
	return h == UNKNOWN;
}

static bool any_operand(const Classified *c, const Node *x, bool (*is)(Hangs))
{
	for (uint32_t i = 0; i < x->narg; i++) {
		const unsigned char *w = c->way[region_place(c->r, x->arg[i])];
		uint32_t n = x->arg[i]->type->kind == TYPE_TUPLE ? x->arg[i]->type->n : 1;
		for (uint32_t k = 0; k < n; k++)
			if (is((Hangs)w[k])) return true;
	}
	return false;
}

/* What an operator that is not linear makes of the operands: a map curves; of others nobody can tell, and of
 * 0 they may make 0. */
static Hangs made_of(const Classified *c, const Node *x)
{
	const bool curves = op_info[x->op].class == MAP && has_tangent(x);
	if (any_operand(c, x, is_bent)) return curves && !any_operand(c, x, is_unknown) ? CURVED : UNKNOWN;
	return op_info[x->op].class != MAP && any_operand(c, x, is_nothing) ? UNKNOWN : FREE;
}

/* An operator on arrays. */
static bool classify_map(Classified *c, const Node *x, unsigned char *out)
{
	const unsigned flags = op_info[x->op].flags;
	Hangs first = way_of(c, x->arg[0]), second = x->narg > 1 ? way_of(c, x->arg[1]) : FREE, all = NOTHING;
	uint32_t from, to;
	if (!has_tangent(x) && !dtype_is_complex(node_dtype(x))) {
		all = made_of(c, x);
	} else if (x->op == OP_SUB && x->arg[0] == x->arg[1]) {
		all = NOTHING;
	} else if (is_join(x, &from, &to)) {
		if (from && is_bent(first)) all = UNKNOWN;
		for (uint32_t i = from; i < to; i++) {
			bool index = i == 1 && op_info[x->op].class == INDEX;
			if (!index && !join(c, x, &all, way_of(c, x->arg[i]))) return false;
		}
	} else if (x->op == OP_FMA) {
		all = product(first, second);
		if (!join(c, x, &all, way_of(c, x->arg[2]))) return false;
	} else if (flags & BILINEAR) {
		all = product(first, second);
	} else if (flags & RATIO) {
		all = is_bent(second) ? UNKNOWN : first;
	} else if (x->op == OP_GATHER || x->op == OP_STOP) {
		all = first;
	} else {
		all = made_of(c, x);
	}
	out[0] = (unsigned char)all;
	return true;
}

static bool classify(Classified *);

/* A body's results, for the ways of its parameters. */
static bool classify_body(
	Classified *c, const char *what, const Body *b, const unsigned char *param, unsigned char *result)
{
	Arena *a = arena_child(c->a);
	Classified in = {.g = c->g, .a = a, .r = function_region(c->g, b->f), .in = c->in, .left = c->left};
	in.zeros = c->zeros;
	in.what = what;
	if (in.r->n > *c->left) {
		memset(result, UNKNOWN, b->f->nresult);
		arena_free(a);
		return true;
	}
	*c->left -= in.r->n;
	in.way = NEW_ARRAY(a, unsigned char *, in.r->n + 1);
	for (uint32_t i = 0; i < in.r->n; i++) {
		const Node *x = in.r->node[i];
		if (x->op != OP_PARAM) continue;
		in.way[i] = NEW_ARRAY(a, unsigned char, 1);
		in.way[i][0] = param[attr_int(x, 0)];
	}
	bool good = classify(&in);
	for (uint32_t i = 0; i < b->f->nresult && good; i++)
		result[i] = in.way[region_place(in.r, b->f->result[i])][0];
	arena_free(a);
	return good;
}

/* What is carried hangs on them as it begins and as it goes on. */
static bool classify_loop(
	Classified *c, const Node *x, const Body *b, unsigned char *param, unsigned char *out)
{
	for (bool more = true; more;) {
		more = false;
		if (!classify_body(c, NULL, b, param, out)) return false;
		for (uint32_t i = 0; i < scan_carries(x); i++) {
			Hangs begins = (Hangs)param[1 + i], goes_on = begins;
			if (!join(c, x, &goes_on, (Hangs)out[i])) return false;
			more |= goes_on != begins;
			param[1 + i] = (unsigned char)goes_on;
		}
	}
	return true;
}

static bool classify_bodies(Classified *c, const Node *x, unsigned char *out)
{
	Body b[BODIES_MAX];
	uint32_t n = node_bodies(x, b), results = x->type->kind == TYPE_TUPLE ? x->type->n : 1;
	if ((!c->zeros && !any_operand(c, x, is_bent)) || (b->first && is_bent(way_of(c, x->arg[0])))) {
		memset(out, made_of(c, x), results);
		return true;
	}
	for (uint32_t k = 0; k < n; k++) {
		unsigned char *param = NEW_ARRAY(c->a, unsigned char, b[k].f->nparam + 1),
			      *result = NEW_ARRAY(c->a, unsigned char, results + 1);
		for (uint32_t i = 0; i < b[k].f->nparam; i++)
			param[i] = (unsigned char)way_of(c, x->arg[b[k].first + i]);
		if (b[k].bound && !classify_loop(c, x, b, param, out)) return false;
		if (!classify_body(c, c->what, &b[k], param, result)) return false;
		for (uint32_t i = 0; i < results; i++) {
			Hangs h = (Hangs)out[i];
			if (k && !join(c, x, &h, (Hangs)result[i])) return false;
			out[i] = k ? (unsigned char)h : result[i];
		}
	}
	return true;
}

static bool is_zero_leaf(const Node *x)
{
	double v;
	return x->op == OP_CONST && constant_is_uniform(x) && constant_value(x, &v) && v == 0;
}

static bool classify_node(Classified *c, const Node *x, unsigned char *out)
{
	const bool tuple = x->type->kind == TYPE_TUPLE, control = op_info[x->op].class == CONTROL;
	if (node_holds_bodies(x)) return classify_bodies(c, x, out);
	if (op_info[x->op].class == LEAF)
		out[0] = is_zero_leaf(x) ? NOTHING : FREE;
	else if (x->op == OP_GET)
		out[0] = c->way[region_place(c->r, x->arg[0])][attr_int(x, 0)];
	else if (control || tuple)
		memset(out, made_of(c, x), tuple ? x->type->n : 1);
	else
		return classify_map(c, x, out);
	return true;
}

static bool classify(Classified *c)
{
	for (uint32_t i = 0; i < c->r->n; i++) {
		const Node *x = c->r->node[i];
		if (c->way[i]) continue;
		c->way[i] = NEW_ARRAY(c->a, unsigned char, x->type->kind == TYPE_TUPLE ? x->type->n + 1 : 1);
		if (!classify_node(c, x, c->way[i])) return false;
	}
	return true;
}

/* The ways of y over differentials d. */
static bool ways(Classified *c, Nodes y, Nodes d, Hangs *out)
{
	uint32_t left = BODIES_NODES;
	c->left = &left;
	c->way = NEW_ARRAY(c->a, unsigned char *, c->r->n + 1);
	for (uint32_t i = 0; i < d.n; i++) {
		uint32_t at = region_place(c->r, d.v[i]);
		if (at == UINT32_MAX || !has_tangent(d.v[i])) continue;
		c->way[at] = NEW_ARRAY(c->a, unsigned char, 1);
		c->way[at][0] = LINEARLY;
	}
	if (!classify(c)) return false;
	for (uint32_t i = 0; i < y.n; i++) out[i] = has_tangent(y.v[i]) ? way_of(c, y.v[i]) : NOTHING;
	return true;
}

bool told_is_linear(Graph *g, const char *what, const char *in, Nodes y, Nodes d)
{
	Arena *a = arena_child(g->arena);
	Classified c = {.g = g, .a = a, .r = region_of(a, y.n, y.v), .what = what, .in = in};
	Hangs *way = NEW_ARRAY(a, Hangs, y.n);
	bool good = ways(&c, y, d, way);
	for (uint32_t i = 0; i < y.n && good && !c.zeros; i++) c.zeros = way[i] == FREE;
	if (c.zeros) good = ways(&c, y, d, way);
	for (uint32_t i = 0; i < y.n && good; i++) {
		if (way[i] == FREE) good = refuse(&c, y.v[i], "it gives what hangs on none");
		if (way[i] == CURVED) good = refuse(&c, y.v[i], "it gives a product or another map of them");
	}
	arena_free(a);
	return good && !g->error.code;
}
