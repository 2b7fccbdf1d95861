/* elab_derivative.c - grad, jvp, vjp, jacobian, hessian, and the sparse ones: worked out on nodes by the room
 * of derivatives.
 *
 * grad(e, x) differentiates the node e by the node x.  grad(f, x) elaborates
 * f with a fresh leaf, differentiates by that, and puts x in its place.
 */
#include "elaborator.h"

typedef struct DerivativeForm {
	Elab *e;
	const Syntax *at;
	const char *name;
	const Transforms *by;
	bool forward, sparse;
	Nodes by_leaf, gradient; /* of hessian: the gradient by each leaf of x */
	Binding *y;              /* what is differentiated */
	uint32_t nx;
	Binding **x; /* by what */
	const Syntax **xs;
	/* of the function form */
	Binding *given; /* the argument that the leaves of x stand for */
} DerivativeForm;

const char *derivative_name(uint32_t i)
{
	static const char *const names[] = {
		"grad", "jvp", "vjp", "jacobian", "hessian", "sparse_jacobian", "sparse_hessian"};
	return i < countof(names) ? names[i] : NULL;
}

bool is_derivative(const char *name)
{
	const char *one;
	for (uint32_t i = 0; (one = derivative_name(i)); i++)
		if (!strcmp(one, name)) return true;
	return false;
}

static bool names(const Syntax *s, const char *name)
{
	if (!s) return false;
	if (s->kind == SYN_NAME && s->name == name) return true;
	for (uint32_t i = 0; i < s->count; i++)
		if (names(s->part[i], name)) return true;
	return false;
}

/* Does a derivative in this text name it behind what it is of? */
static bool is_variable_in(const Syntax *s, const char *name)
{
	if (!s) return false;
	const Syntax *f = s->kind == SYN_CALL ? s->part[0] : NULL;
	if (f && f->kind == SYN_SUBSCRIPTS) f = f->part[0];
	bool derives = f && f->kind == SYN_NAME && is_derivative(f->name);
	for (uint32_t i = 2; derives && i < s->count; i++)
		if (names(s->part[i], name)) return true;
	for (uint32_t i = 0; i < s->count; i++)
		if (is_variable_in(s->part[i], name)) return true;
	return false;
}

static void keep_variable(Elab *e, const Binding *b)
{
	Graph *g = e->g;
	if (b->kind == B_NODE && op_info[b->node->op].class != LEAF) {
		GROW(g->arena, g->variable, g->nvariable, g->variable_cap);
		g->variable[g->nvariable++] = b->node;
	}
	for (uint32_t i = 0; is_structure(b) && i < b->n; i++) keep_variable(e, b->elem[i]);
}

void keep_variables(Elab *e, Env env, const Syntax *pattern, const Syntax *text)
{
	const Binding *b = pattern->kind == SYN_NAME ? env_local(env, pattern->name) : NULL;
	if (b && is_variable_in(text, pattern->name)) keep_variable(e, b);
	for (uint32_t i = 0; pattern->kind != SYN_NAME && i < pattern->count; i++)
		keep_variables(e, env, pattern->part[i], text);
}

/* ---- checks ---------------------------------------------------------------------------- */

static bool is_real_float(const Node *x)
{
	return x->type->kind == TYPE_ARRAY && dtype_is_float(node_dtype(x));
}

/* The first leaf of b that has no derivative, behind `path`: "p.k: i64"; NULL: all have. */
static const char *no_float(Elab *e, const Binding *b, const char *path)
{
	const char *found = NULL;
	if (b->kind == B_NODE)
		return is_real_float(b->node) ? NULL
					      : arena_printf(e->g->arena, "%s is %s", path, shown_type(e, b));
	for (uint32_t i = 0; i < b->n && !found; i++) {
		const char *part = b->kind == B_RECORD ? b->field[i] : arena_printf(e->g->arena, "%u", i);
		found = no_float(e, b->elem[i], arena_printf(e->g->arena, "%s.%s", path, part));
	}
	return found;
}

static bool check_variable(DerivativeForm *f, uint32_t i)
{
	Binding *b = f->x[i];
	uint32_t n = binding_leaves(b, NULL);
	Node **leaf = NEW_ARRAY(f->e->g->arena, Node *, n);
	binding_leaves(b, leaf);
	if (!n || binding_has_function(b))
		return fail_at_syntax(f->e, f->at, ERR_DERIVATIVE, "%s: %s is %s, not a variable",
			shown(f->e, f->at), shown(f->e, f->xs[i]), n ? "a function" : kind_text(b));
	for (uint32_t k = 0; k < n; k++) {
		if (leaf[k]->op == OP_CONST) {
			Text t;
			text_open(&t, f->e->g->arena);
			double v;
			if (constant_value(leaf[k], &v)) text_printf(&t, "%g, ", v);
			text_printf(&t, "line %d",
				leaf[k]->origin ? leaf[k]->origin->where.line : f->at->where.line);
			return fail_at_syntax(f->e, f->at, ERR_DERIVATIVE,
				"%s: %s is a constant (%s); make it a parameter", shown(f->e, f->at),
				shown(f->e, f->xs[i]), text_done(&t));
		}
		if (!is_real_float(leaf[k]))
			return fail_at_syntax(f->e, f->at, ERR_DERIVATIVE,
				"%s: %s: only real floats have derivatives", shown(f->e, f->at),
				no_float(f->e, b, shown(f->e, f->xs[i])));
	}
	return true;
}

static Node *scalar_result(DerivativeForm *f)
{
	Binding *y = f->y;
	if (y->kind != B_NODE || !is_real_float(y->node) || node_rank(y->node))
		return fail_at_syntax(f->e, f->at, ERR_DERIVATIVE,
			"%s: %s is differentiated, wanted a real scalar; vjp and "
			"jacobian take arrays",
			shown(f->e, f->at), shown_type(f->e, y));
	return y->node;
}

static Node **all_leaves(DerivativeForm *f, uint32_t n, Binding *const *b, uint32_t *count)
{
	*count = 0;
	for (uint32_t i = 0; i < n; i++) *count += binding_leaves(b[i], NULL);
	Node **leaf = NEW_ARRAY(f->e->g->arena, Node *, *count + 1);
	for (uint32_t i = 0, k = 0; i < n; i++) k += binding_leaves(b[i], leaf + k);
	return leaf;
}

/* Derivatives in the structure of the variables: one alone bare, several as a tuple. */
static Binding *like_variables(DerivativeForm *f, Node *const *d)
{
	Binding **out = NEW_ARRAY(f->e->g->arena, Binding *, f->nx);
	uint32_t k = 0;
	for (uint32_t i = 0; i < f->nx; i++) {
		if (!(out[i] = binding_refill(f->e->g, f->x[i], d + k))) return NULL;
		k += binding_leaves(f->x[i], NULL);
	}
	return f->nx == 1 ? out[0] : bind_tuple(f->e->g, f->nx, out);
}

/* ---- the forms ---------------------------------------------------------------------------- */

static bool gradient_leaves(DerivativeForm *f, Node *y, uint32_t *n, Node ***out)
{
	Graph *g = f->e->g;
	Node **x = all_leaves(f, f->nx, f->x, n), *one = like(g, y, 1);
	*out = NEW_ARRAY(g->arena, Node *, *n + 1);
	return one && f->by->vjp(g, (Nodes){1, &y}, (Nodes){*n, x}, &one, *out);
}

static Binding *gradient(DerivativeForm *f)
{
	uint32_t n;
	Node **d, *y = scalar_result(f);
	return y && gradient_leaves(f, y, &n, &d) ? like_variables(f, d) : NULL;
}

static Node *tangent_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	(void)user;
	(void)n;
	Node *v = cast(e->g, x[1], node_dtype(x[0]));
	return spread_to(e->g, "a direction", v, x[0]->type->n, x[0]->type->u.dim);
}

/* The direction, in the types of what it goes along. */
static Binding *direction(DerivativeForm *f, Binding *of, Binding *v)
{
	return on_leaves(f->e, f->at, 2, (Binding *[]){of, v}, tangent_leaf, NULL);
}

static Binding *push(DerivativeForm *f, Binding *v)
{
	Graph *g = f->e->g;
	uint32_t n, ny;
	v = direction(f, f->x[0], v);
	if (!v) return NULL;
	Node **x = all_leaves(f, 1, f->x, &n), **u = all_leaves(f, 1, &v, &n),
	     **y = all_leaves(f, 1, &f->y, &ny);
	Node **d = NEW_ARRAY(g->arena, Node *, ny + 1);
	return f->by->jvp(g, (Nodes){ny, y}, (Nodes){n, x}, u, d) ? binding_refill(g, f->y, d) : NULL;
}

static Binding *pull(DerivativeForm *f, Binding *u)
{
	Graph *g = f->e->g;
	uint32_t n, ny;
	u = direction(f, f->y, u);
	if (!u) return NULL;
	Node **x = all_leaves(f, f->nx, f->x, &n), **y = all_leaves(f, 1, &f->y, &ny),
	     **c = all_leaves(f, 1, &u, &ny);
	Node **d = NEW_ARRAY(g->arena, Node *, n + 1);
	return f->by->vjp(g, (Nodes){ny, y}, (Nodes){n, x}, c, d) ? like_variables(f, d) : NULL;
}

/* Is y the gradient by x, of which the derivative by x is symmetric? */
static bool is_gradient(const DerivativeForm *f, const Node *y, const Node *x)
{
	for (uint32_t i = 0; i < f->gradient.n; i++)
		if (f->gradient.v[i] == y && f->by_leaf.v[i] == x) return true;
	return false;
}

/* A matrix, or what of it may be other than zero. */
static Binding *matrix(DerivativeForm *f, Node *y, Node *x)
{
	static const char *const names[] = {"values", "rows", "columns"};
	Graph *g = f->e->g;
	Node *out[3];
	Binding *part[3];
	if (!f->sparse) {
		Node *d = f->by->jacobian(g, y, x, f->forward);
		return d ? bind_node(g, d) : NULL;
	}
	if (!f->by->sparse(g, y, x, is_gradient(f, y, x), out)) return NULL;
	for (uint32_t i = 0; i < 3; i++) part[i] = bind_node(g, out[i]);
	return bind_record(g, 3, names, part);
}

/* A structure like b of these. */
static Binding *of_elements(DerivativeForm *f, const Binding *b, Binding *const *elem)
{
	Graph *g = f->e->g;
	return b->kind == B_TUPLE ? bind_tuple(g, b->n, elem) : bind_record(g, b->n, b->field, elem);
}

/* For each leaf of y the structure of x of matrices. */
static Binding *jacobian_of(DerivativeForm *f, Binding *y, Binding *x)
{
	if (y->kind == B_NODE && x->kind == B_NODE) return matrix(f, y->node, x->node);
	Binding *walked = y->kind == B_NODE ? x : y,
		**elem = NEW_ARRAY(f->e->g->arena, Binding *, walked->n + 1);
	for (uint32_t i = 0; i < walked->n; i++) {
		elem[i] = walked == y ? jacobian_of(f, y->elem[i], x) : jacobian_of(f, y, x->elem[i]);
		if (!elem[i]) return NULL;
	}
	return of_elements(f, walked, elem);
}

static Binding *jacobians(DerivativeForm *f, Binding *y)
{
	Binding **out = NEW_ARRAY(f->e->g->arena, Binding *, f->nx);
	for (uint32_t i = 0; i < f->nx; i++)
		if (!(out[i] = jacobian_of(f, y, f->x[i]))) return NULL;
	return f->nx == 1 ? out[0] : bind_tuple(f->e->g, f->nx, out);
}

static Binding *hessian(DerivativeForm *f)
{
	uint32_t n;
	Node **d, *y = scalar_result(f);
	if (!y || !gradient_leaves(f, y, &n, &d)) return NULL;
	f->gradient = (Nodes){n, d};
	f->by_leaf = (Nodes){n, all_leaves(f, f->nx, f->x, &n)};
	return jacobians(f, like_variables(f, d));
}

static Binding *worked_out(DerivativeForm *f, uint32_t n, const Given *given)
{
	for (uint32_t i = 0; i < f->nx; i++)
		if (!check_variable(f, i)) return NULL;
	bool sparse = !strncmp(f->name, "sparse_", 7);
	const char *name = f->name + (sparse ? 7 : 0);
	f->sparse = sparse;
	if (!strcmp(name, "grad")) return gradient(f);
	if (!strcmp(name, "hessian")) return hessian(f);
	if (!strcmp(name, "jacobian")) return jacobians(f, f->y);
	return strcmp(f->name, "jvp") ? pull(f, given[n - 1].value) : push(f, given[n - 1].value);
}

/* ---- functions ------------------------------------------------------------------------------- */

static Binding *value_of(DerivativeForm *f, Binding *function)
{
	Given *args = NEW_ARRAY(f->e->g->arena, Given, f->nx);
	for (uint32_t i = 0; i < f->nx; i++) args[i] = (Given){NULL, f->x[i], f->xs[i]};
	Binding *y = apply(f->e, f->at, function, f->nx, args);
	at(f->e, f->at);
	return y;
}

/* Are these variables already, each given once, and can the function hold none of them beside its arguments?
 * Then it is differentiated by them as they are: f(x) and grad(f, x) have one body, and ask the same. */
static bool is_over_variables(DerivativeForm *f, const FunctionValue *function)
{
	uint32_t n;
	Node **x = all_leaves(f, f->nx, f->x, &n);
	bool free = function->kind == F_DEFINITION && function->syntax->kind == SYN_FN && !function->brackets;
	if (!free) return false;
	IdMap met;
	idmap_open(&met, f->e->g->arena);
	for (uint32_t i = 0; i < n; i++) {
		bool leaf = x[i]->op == OP_FRESH || x[i]->op == OP_INPUT;
		if (!leaf || !is_real_float(x[i]) || idmap_get(&met, x[i]->id)) return false;
		idmap_put(&met, x[i]->id, x[i]);
	}
	return true;
}

/* grad(f, x): by fresh leaves, then over x. */
static Binding *of_function(DerivativeForm *f, Binding *function, uint32_t n, const Given *given)
{
	Elab *e = f->e;
	Graph *g = e->g;
	uint32_t nx;
	if (is_over_variables(f, function->function))
		return (f->y = value_of(f, function)) ? worked_out(f, n, given) : NULL;
	Node **actual = all_leaves(f, f->nx, f->x, &nx), **leaf = NEW_ARRAY(g->arena, Node *, nx + 1);
	for (uint32_t i = 0; i < nx; i++) {
		Dtype d = node_dtype(actual[i]);
		if (d == DT_WEAK_INT) /* grad(f, 1) is by a number */
			actual[i] = cast(g, actual[i], DT_WEAK_FLOAT);
		leaf[i] = fresh(g, actual[i]->type, NULL);
		stands_for(e, leaf[i], actual[i]);
	}
	for (uint32_t i = 0, k = 0; i < f->nx; i++) {
		uint32_t m = binding_leaves(f->x[i], NULL);
		f->x[i] = binding_refill(g, f->x[i], leaf + k);
		k += m;
	}
	f->y = value_of(f, function);
	Binding *b = f->y ? worked_out(f, n, given) : NULL;
	if (!b) return NULL;
	uint32_t nd = binding_leaves(b, NULL);
	Node **d = NEW_ARRAY(g->arena, Node *, nd + 1), **out = NEW_ARRAY(g->arena, Node *, nd + 1);
	binding_leaves(b, d);
	IdMap map;
	idmap_open(&map, g->arena);
	for (uint32_t i = 0; i < nx; i++) idmap_put(&map, leaf[i]->id, actual[i]);
	rebuild(g, (Nodes){nd, d}, &map, NULL, NULL, out);
	if (e->token && !g->error.code) rebuild(g, (Nodes){1, &e->token}, &map, NULL, NULL, &e->token);
	return g->error.code ? NULL : binding_refill(g, b, out);
}

static bool read_forward(Elab *e, const FunctionValue *f, bool *forward)
{
	const Syntax *s = f->brackets;
	for (uint32_t i = 1; s && i < s->count; i++) {
		bool flag = s->part[i]->kind == SYN_NAME && !strcmp(s->part[i]->name, "forward");
		if (!flag || strcmp(f->name, "jacobian"))
			return fail_at_syntax(e, s, ERR_NAME, "%s: %s", shown(e, s),
				strcmp(f->name, "jacobian") ? "nothing stands in brackets here"
							    : "the flag is forward: jacobian[forward](e, x)");
		*forward = true;
	}
	return true;
}

Binding *apply_derivative(
	Elab *e, const Syntax *s, const char *name, const FunctionValue *fn, uint32_t n, const Given *given)
{
	bool along = !strcmp(name, "jvp") || !strcmp(name, "vjp");
	DerivativeForm f = {.e = e, .at = s, .name = name, .by = e->g->transforms};
	if (!read_forward(e, fn, &f.forward)) return NULL;
	if (n < 2 + (uint32_t)along)
		return fail_at_syntax(e, s, ERR_DERIVATIVE, "%s: %s(e, x%s) is wanted%s", shown(e, s), name,
			along ? ", v" : "", n && given[0].value->kind == B_FUNCTION
				? ", at an x: of a function it is the derivative there" : "");
	if (!f.by || !f.by->vjp || !f.by->jvp || !f.by->jacobian)
		return fail_at_syntax(
			e, s, ERR_UNSUPPORTED, "%s: derivatives are not supported here", shown(e, s));
	f.y = given[0].value;
	f.nx = n - 1 - along;
	f.x = NEW_ARRAY(e->g->arena, Binding *, f.nx);
	f.xs = NEW_ARRAY(e->g->arena, const Syntax *, f.nx);
	for (uint32_t i = 0; i < n; i++)
		if (given[i].name)
			return fail_at_syntax(e, given[i].syntax, ERR_NAME,
				"%s: %s takes its operands by place: %s(e, x%s)", shown(e, s), name, name,
				along ? ", v" : "");
	if (!strcmp(name, "jvp") && f.nx != 1)
		return fail_at_syntax(e, s, ERR_DERIVATIVE,
			"%s: jvp(e, x, v) is wanted; x may be a structure", shown(e, s));
	for (uint32_t i = 0; i < f.nx; i++) {
		f.x[i] = given[1 + i].value;
		f.xs[i] = given[1 + i].syntax;
	}
	at(e, s);
	Binding *b = f.y->kind == B_FUNCTION ? of_function(&f, f.y, n, given) : worked_out(&f, n, given);
	if (b) lengths_of_unused(e, b, n, given);
	return b;
}
