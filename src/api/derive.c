/* derive.c - derivatives by nodes, and others in the place of nodes.
 *
 * An expression is brought into normal form before it is differentiated, and
 * what comes out may no longer hold a node that the user has: of q = v + 1,
 * d(q*c)/dc is v + 1 made anew.  So what was asked for is remembered.
 * Where a derivative by a computed node comes over results of earlier ones,
 * these are taken anew first, with that node standing as it is.
 */
#define POR_NO_LINES
#include "api.h"
#include "../ir/own.h"

typedef enum DerivedBy {
	BY_VJP,
	BY_JVP,
	BY_JACOBIAN,
	BY_FORWARD_JACOBIAN,
	BY_HESSIAN,
	BY_SPARSE,
	BY_SPARSE_HESSIAN,
	BY_SUBSTITUTION /* of y, u in the place of x */
} DerivedBy;

/* What was asked for, and what was given. */
struct Derived {
	Derived *before;
	DerivedBy mode;
	Nodes y, x, u; /* u: tangents or cotangents */
	Node **out;
	uint32_t nout;
};

static bool hessian(Graph *g, const Derived *d, Node **out, bool sparse)
{
	Node *one = like(g, d->y.v[0], 1), *first, *x = d->x.v[0];
	if (!one || !g->transforms->vjp(g, d->y, d->x, &one, &first)) return false;
	if (sparse) return g->transforms->sparse(g, first, x, true, out);
	return (out[0] = g->transforms->jacobian(g, first, x, false));
}

static bool substitute(Graph *g, const Derived *d, Node **out)
{
	IdMap map;
	idmap_open(&map, g->arena);
	for (uint32_t i = 0; i < d->x.n; i++) idmap_put(&map, d->x.v[i]->id, d->u.v[i]);
	rebuild(g, d->y, &map, NULL, NULL, out);
	return !g->error.code;
}

static bool differentiate(Graph *g, const Derived *d, Node **out)
{
	const Transforms *by = g->transforms;
	Node *y = d->y.v[0], *x = d->x.v[0];
	switch (d->mode) {
	case BY_VJP: return by->vjp(g, d->y, d->x, d->u.v, out);
	case BY_JVP: return by->jvp(g, d->y, d->x, d->u.v, out);
	case BY_JACOBIAN:
	case BY_FORWARD_JACOBIAN: return (out[0] = by->jacobian(g, y, x, d->mode == BY_FORWARD_JACOBIAN));
	case BY_SPARSE: return by->sparse(g, y, x, false, out);
	case BY_HESSIAN:
	case BY_SPARSE_HESSIAN: return hessian(g, d, out, d->mode == BY_SPARSE_HESSIAN);
	case BY_SUBSTITUTION: return substitute(g, d, out);
	}
	return false;
}

/* ---- taken anew ---------------------------------------------------------------------------------- */

typedef struct Anew {
	Graph *g;
	Arena *a;
	Node **by; /* computed: these stand */
	uint32_t nby;
	Node **reached;
	uint32_t nreached;
	Derived **item; /* that are reached, newest first */
	uint32_t nitem;
	IdMap now; /* in place of what was given, by its id */
} Anew;

static void reach(Anew *w, Nodes more)
{
	if (more.n) memcpy(w->reached + w->nreached, more.v, more.n * sizeof *more.v);
	w->nreached += more.n;
}

static uint32_t operands(const Derived *d)
{
	return d->y.n + d->x.n + d->u.n;
}

/* A result that it made; d(c*q)/dc is q, and was given. */
static bool is_own(const Derived *d, const Node *out)
{
	bool own = true;
	for (uint32_t i = 0; i < d->y.n; i++) own &= out->id > d->y.v[i]->id;
	for (uint32_t i = 0; i < d->x.n; i++) own &= out->id > d->x.v[i]->id;
	for (uint32_t i = 0; i < d->u.n; i++) own &= out != d->u.v[i];
	return own;
}

static bool holds_own(const Region *r, const Derived *d)
{
	for (uint32_t i = 0; i < d->nout; i++)
		if (is_own(d, d->out[i]) && region_place(r, d->out[i]) != UINT32_MAX) return true;
	return false;
}

/* Is a node that is to stand of what this came from, and was none of its variables? */
static bool may_have_lost(Anew *w, const Derived *d)
{
	if (d->mode == BY_SUBSTITUTION) return false;
	const Region *r = region_of(w->a, d->y.n, d->y.v);
	for (uint32_t i = 0; i < w->nby; i++) {
		bool stood = false;
		for (uint32_t k = 0; k < d->x.n; k++) stood |= d->x.v[k] == w->by[i];
		if (!stood && region_place(r, w->by[i]) != UINT32_MAX) return true;
	}
	return false;
}

/* Those that y and u are made of, and in turn theirs; is one among them that may have lost a node? */
static bool find_derived(Anew *w, Derived *newest, const Derived *asked)
{
	uint32_t most = operands(asked), n = 0;
	for (const Derived *d = newest; d; d = d->before, n++) most += operands(d);
	w->item = NEW_ARRAY(w->a, Derived *, n);
	w->reached = NEW_ARRAY(w->a, Node *, most);
	reach(w, asked->y);
	reach(w, asked->u);
	const Region *r = region_of(w->a, w->nreached, w->reached);
	bool lost = false;
	for (Derived *d = newest; d; d = d->before) {
		if (!holds_own(r, d)) continue;
		w->item[w->nitem++] = d;
		lost |= may_have_lost(w, d);
		reach(w, d->y);
		reach(w, d->x);
		reach(w, d->u);
		r = region_of(w->a, w->nreached, w->reached);
	}
	return lost;
}

/* The same over what stands in place of earlier results. */
static bool over_now(Anew *w, const Derived *d, Derived *now)
{
	Node **y = NEW_ARRAY(w->a, Node *, operands(d)), **x = y + d->y.n, **u = x + d->x.n;
	*now = *d;
	if (!w->now.count) return true;
	now->y.v = y;
	now->x.v = x;
	now->u.v = u;
	if (d->mode == BY_SUBSTITUTION)
		memcpy(x, d->x.v, d->x.n * sizeof *x);
	else if (!rebuild_within(w->g, d->x, &w->now, x))
		return false;
	return rebuild_within(w->g, d->y, &w->now, y) && rebuild_within(w->g, d->u, &w->now, u);
}

static void take_all(Anew *w)
{
	for (uint32_t i = w->nitem; i-- > 0 && !w->g->error.code;) {
		const Derived *d = w->item[i];
		Derived now;
		Node **out = NEW_ARRAY(w->a, Node *, d->nout);
		if (!over_now(w, d, &now) || !differentiate(w->g, &now, out)) return;
		for (uint32_t k = 0; k < d->nout; k++)
			if (is_own(d, d->out[k])) idmap_put(&w->now, d->out[k]->id, out[k]);
	}
}

static bool take_anew(Anew *w)
{
	Graph *g = w->g;
	Node **const variable = g->variable, **all = NEW_ARRAY(w->a, Node *, g->nvariable + w->nby);
	const uint32_t n = g->nvariable;
	if (n) memcpy(all, variable, n * sizeof *all);
	memcpy(all + n, w->by, w->nby * sizeof *all);
	g->variable = all;
	g->nvariable = n + w->nby;
	take_all(w);
	g->variable = variable;
	g->nvariable = n;
	return !g->error.code;
}

/* What is asked for, over earlier derivatives that have lost none of the nodes by which it comes. */
static bool gives(por_graph *g, Derived *asked, por_node **out)
{
	Anew w = {.g = g->ir, .a = arena_child(g->ir->arena)};
	Derived now = *asked;
	w.by = NEW_ARRAY(w.a, Node *, asked->x.n);
	for (uint32_t i = 0; i < asked->x.n && asked->mode != BY_SUBSTITUTION; i++)
		if (asked->x.v[i]->narg) w.by[w.nby++] = asked->x.v[i];
	idmap_open(&w.now, w.a);
	bool good = !w.nby || !find_derived(&w, g->held.derived, asked) ||
		(take_anew(&w) && over_now(&w, asked, &now));
	good = good && differentiate(g->ir, &now, asked->out);
	arena_free(w.a);
	if (!good) return false;
	asked->before = g->held.derived;
	g->held.derived = asked;
	for (uint32_t i = 0; i < asked->nout; i++) out[i] = give_node(g, asked->out[i]);
	return true;
}

/* ---- asked for ----------------------------------------------------------------------------------- */

static bool check_variables(por_graph *g, const char *what, int n, por_node *const *x)
{
	for (int i = 0; i < n; i++) {
		if (x[i]->node->op == OP_CONST)
			return graph_fail(g->ir, ERR_DERIVATIVE,
				"%s: variable %d is a constant; make it an input", what, i + 1);
		if (!has_tangent(x[i]->node))
			return graph_fail(g->ir, ERR_DERIVATIVE,
				"%s: variable %d is %s, wanted an array of real floats", what, i + 1,
				type_shown(g->ir, x[i]->node->type));
	}
	return true;
}

static bool check_array(por_graph *g, const char *what, const Node *y)
{
	if (has_tangent(y)) return true;
	return graph_fail(g->ir, ERR_DERIVATIVE, "%s: %s is differentiated, wanted an array of real floats",
		what, type_shown(g->ir, y->type));
}

static bool check_scalar(por_graph *g, const char *what, const Node *y)
{
	if (has_tangent(y) && !node_rank(y)) return true;
	return graph_fail(g->ir, ERR_DERIVATIVE,
		"%s: %s is differentiated, wanted a real scalar; vjp and jacobian take arrays", what,
		type_shown(g->ir, y->type));
}

/* Where nothing is given, for this reason.  The list of results may be one of operands, so not before. */
static int none(por_graph *g, int n, por_node **to)
{
	for (int i = 0; to && i < n; i++) to[i] = NULL;
	return g ? code_of(g) : POR_ERR_VALUE;
}

static uint32_t results(DerivedBy mode, uint32_t ny, uint32_t nx)
{
	if (mode == BY_JVP || mode == BY_SUBSTITUTION) return ny;
	if (mode == BY_VJP) return nx;
	return mode == BY_SPARSE || mode == BY_SPARSE_HESSIAN ? 3 : 1;
}

static Derived *asked_of(por_graph *g, DerivedBy mode, int ny, por_node *const *y, int nx, por_node *const *x)
{
	Arena *a = g->ir->arena;
	Derived *d = NEW(a, Derived);
	*d = (Derived){.mode = mode,
		.y = {(uint32_t)ny, take_nodes(g, ny, y)},
		.x = {(uint32_t)nx, take_nodes(g, nx, x)}};
	d->nout = results(mode, d->y.n, d->x.n);
	d->out = NEW_ARRAY(a, Node *, d->nout);
	g->ir->watch->stage = "derive";
	return d;
}

int por_grad(por_node *y, int n, por_node *const *x, por_node **d)
{
	por_graph *g = y && d && at_least(y->graph, "grad", n, 1) ? graph_of_two(1, &y, n, x) : NULL;
	ENTER(alone(g, "grad"), none(g, n, d));
	Derived *asked = asked_of(g, BY_VJP, 1, &y, n, x);
	Node *one = check_scalar(g, "grad", y->node) ? like(g->ir, y->node, 1) : NULL;
	Node **u = NEW(g->ir->arena, Node *);
	*u = one;
	asked->u = (Nodes){1, u};
	bool good = one && check_variables(g, "grad", n, x) && gives(g, asked, d);
	LEAVE(good ? POR_OK : none(g, n, d));
}

/* May it be of this shape?  Sizes that are computed the call knows. */
static bool has_shape_of(Graph *g, const Node *v, const Type *t)
{
	bool like = node_rank(v) == t->n;
	for (uint32_t i = 0; like && i < t->n; i++) {
		const Size *have = node_dim(v, i), *want = t->u.dim[i];
		like = have == want || (!size_equals(have, 1) && !sizes_clash(g, have, want));
	}
	return like;
}

/* Tangents or cotangents take the dtype of what they belong to, whose shape they have. */
static bool fitted(por_graph *g, const char *what, por_node *const *given, Nodes like, Nodes *to)
{
	Node **out = NEW_ARRAY(g->ir->arena, Node *, like.n);
	for (uint32_t i = 0; i < like.n; i++) {
		const Type *t = like.v[i]->type;
		Node *v = given[i]->node;
		if (t->kind != TYPE_ARRAY || v->type->kind != TYPE_ARRAY)
			return graph_fail(g->ir, ERR_DERIVATIVE, "a tuple has no derivative; take its elements");
		if (!has_shape_of(g->ir, v, t))
			return graph_fail(g->ir, ERR_TYPE, "%s %u is %s, wanted the shape of what it belongs to, %s", what,
				i + 1, type_shown(g->ir, v->type), type_shown(g->ir, t));
		out[i] = spread_to(g->ir, what, cast(g->ir, v, (Dtype)t->dtype), t->n, t->u.dim);
		if (!out[i]) return false;
	}
	*to = (Nodes){like.n, out};
	return true;
}

int por_jvp(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *v, por_node **dy)
{
	bool there = ny > 0 && nx > 0 && y && x && v && dy;
	por_graph *g = there ? graph_of_two(ny, y, nx, x) : NULL;
	g = all_of(g, nx, v) ? g : NULL;
	ENTER(alone(g, "jvp"), none(g, ny, dy));
	Derived *asked = asked_of(g, BY_JVP, ny, y, nx, x);
	bool good = check_variables(g, "jvp", nx, x) && fitted(g, "jvp: tangent", v, asked->x, &asked->u) &&
		gives(g, asked, dy);
	LEAVE(good ? POR_OK : none(g, ny, dy));
}

int por_vjp(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *u, por_node **dx)
{
	bool there = ny > 0 && nx > 0 && y && x && u && dx;
	por_graph *g = there ? graph_of_two(ny, y, nx, x) : NULL;
	g = all_of(g, ny, u) ? g : NULL;
	ENTER(alone(g, "vjp"), none(g, nx, dx));
	Derived *asked = asked_of(g, BY_VJP, ny, y, nx, x);
	bool good = check_variables(g, "vjp", nx, x) && fitted(g, "vjp: cotangent", u, asked->y, &asked->u) &&
		gives(g, asked, dx);
	LEAVE(good ? POR_OK : none(g, nx, dx));
}

por_node *por_jacobian(por_node *y, por_node *x, int forward)
{
	por_graph *g = graph_of(2, (por_node *[]){y, x});
	ENTER(alone(g, "jacobian"), NULL);
	por_node *out = NULL;
	Derived *asked = asked_of(g, forward ? BY_FORWARD_JACOBIAN : BY_JACOBIAN, 1, &y, 1, &x);
	if (check_variables(g, "jacobian", 1, &x) && check_array(g, "jacobian", y->node))
		gives(g, asked, &out);
	LEAVE(out);
}

por_node *por_hessian(por_node *y, por_node *x)
{
	por_graph *g = graph_of(2, (por_node *[]){y, x});
	ENTER(alone(g, "hessian"), NULL);
	por_node *out = NULL;
	Derived *asked = asked_of(g, BY_HESSIAN, 1, &y, 1, &x);
	if (check_scalar(g, "hessian", y->node) && check_variables(g, "hessian", 1, &x))
		gives(g, asked, &out);
	LEAVE(out);
}

int por_sparse_jacobian(por_node *y, por_node *x, por_node **out)
{
	por_graph *g = out ? graph_of(2, (por_node *[]){y, x}) : NULL;
	ENTER(alone(g, "sparse_jacobian"), none(g, 3, out));
	Derived *asked = asked_of(g, BY_SPARSE, 1, &y, 1, &x);
	bool good = check_variables(g, "sparse_jacobian", 1, &x) &&
		check_array(g, "sparse_jacobian", y->node) && gives(g, asked, out);
	LEAVE(good ? POR_OK : none(g, 3, out));
}

int por_sparse_hessian(por_node *y, por_node *x, por_node **out)
{
	por_graph *g = out ? graph_of(2, (por_node *[]){y, x}) : NULL;
	ENTER(alone(g, "sparse_hessian"), none(g, 3, out));
	Derived *asked = asked_of(g, BY_SPARSE_HESSIAN, 1, &y, 1, &x);
	bool good = check_scalar(g, "sparse_hessian", y->node) &&
		check_variables(g, "sparse_hessian", 1, &x) && gives(g, asked, out);
	LEAVE(good ? POR_OK : none(g, 3, out));
}

int por_substitute(
	int n, por_node *const *roots, int m, por_node *const *from, por_node *const *to, por_node **out)
{
	por_graph *g = n > 0 && roots && out && m >= 0 && (!m || (from && to))
		? graph_of_two(n, roots, m, from)
		: NULL;
	ENTER(all_of(g, m, to) ? g : NULL, none(g, n, out));
	for (int i = 0; i < m; i++) {
		if (from[i]->node->type == to[i]->node->type) continue;
		graph_fail(g->ir, ERR_TYPE, "substitute: number %d is %s, put in the place of %s", i + 1,
			type_shown(g->ir, to[i]->node->type), type_shown(g->ir, from[i]->node->type));
		LEAVE(none(g, n, out));
	}
	Derived *asked = asked_of(g, BY_SUBSTITUTION, n, roots, m, from);
	asked->u = (Nodes){(uint32_t)m, take_nodes(g, m, to)};
	LEAVE(gives(g, asked, out) ? POR_OK : none(g, n, out));
}
