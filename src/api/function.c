/* function.c - functions made from nodes, called, changed; derivatives by nodes. */
#define POR_NO_LINES
#include "api.h"
#include "../ir/own.h"

/* ---- closing ------------------------------------------------------------------------------- */

/* Where the user made it; line 0: not known. */
static Where line_of(const Node *x)
{
	const Origin *o = x->origin;
	while (o && !o->where.line) o = o->next;
	return o ? o->where : (Where){NULL, 0, 0};
}

static bool listed_inputs(por_graph *g, int n, por_node *const *params)
{
	for (int i = 0; i < n; i++) {
		if (params[i]->node->op != OP_INPUT)
			return graph_fail(g->ir, ERR_VALUE, "parameter %d is no input", i + 1);
		for (int k = 0; k < i; k++)
			if (params[k] == params[i])
				return graph_fail(g->ir, ERR_VALUE, "input %s is listed twice",
					params[i]->node->attr->v[0].u.name);
	}
	return true;
}

static void name_parts(Function *f, const Closure *c, int n, Node *const *params)
{
	for (int i = 0; i < n; i++)
		if (params[i]->op == OP_INPUT) f->param_name[i] = params[i]->attr->v[0].u.name;
	name_closed_sizes(f, c);
}

/* The inputs' promises become the signature's facts. */
static void take_promises(por_graph *g, Signature *s, int n, Node *const *params)
{
	uint32_t most = 0;
	for (Promise *p = g->held.promise; p; p = p->next) most++;
	s->fact = NEW_ARRAY(g->ir->arena, Fact, most + 1);
	for (Promise *p = g->held.promise; p; p = p->next)
		for (int i = 0; i < n; i++)
			if (params[i] == p->input) {
				s->fact[s->nfact] = p->fact;
				s->fact[s->nfact++].leaf = (uint32_t)i;
			}
}

static por_function *close_inputs(
	por_graph *g, const char *name, int n, por_node *const *params, int m, por_node *const *results)
{
	Graph *ir = g->ir;
	if (!listed_inputs(g, n, params) || (name && !is_name(ir, "function", name))) return NULL;
	Node **in = take_nodes(g, n, params), **out = take_nodes(g, m, results);
	Closure c;
	if (!function_close(
		    ir, (Title){.name = name}, (Nodes){(uint32_t)n, in}, (Nodes){(uint32_t)m, out}, &c))
		return NULL;
	for (uint32_t i = 0; i < c.ncapture; i++) {
		Region *r = region_of(ir->arena, 1, &c.capture[i]);
		for (uint32_t k = 0; k < r->n; k++)
			if (r->node[k]->op == OP_INPUT)
				return graph_fail(ir, ERR_NAME, "input %s is used and not listed",
					r->node[k]->attr->v[0].u.name);
		return graph_fail(ir, ERR_NAME,
			"a result hangs on a value of a loop's body; take por_loop_last or por_loop_stacked");
	}
	name_parts(c.function, &c, n, in);
	Signature *s = plain_signature(g, c.function);
	s->name = name ? names_get(&ir->names, name, strlen(name)) : NULL;
	s->where = g->at;
	for (int i = 0; i < n; i++) {
		s->param[i].name = in[i]->attr->v[0].u.name;
		s->param[i].where = line_of(in[i]);
	}
	take_promises(g, s, n, in);
	return give_function(g, c.function, s);
}

por_function *por_function_of(por_graph *g, const char *name, int n, por_node *const *params, int nresults,
	por_node *const *results)
{
	if (!at_least(g, "parameters", n, 0) || !at_least(g, "results", nresults, 1) ||
		!all_of(g, n, params) || !all_of(g, nresults, results))
		return NULL;
	ENTER(g, NULL);
	LEAVE(close_inputs(g, name, n, params, nresults, results));
}

/* ---- calling and changing ---------------------------------------------------------------------- */

por_node *por_invoke(por_function *f, int n, por_node *const *args)
{
	if (!f || !at_least(f->graph, por_function_name(f), n, 0) || !all_of(f->graph, n, args)) return NULL;
	ENTER(f->graph, NULL);
	Graph *ir = f->graph->ir;
	if ((uint32_t)n != f->function->nparam)
		LEAVE((por_node *)graph_fail(ir, ERR_TYPE, "%s: given %d operands, wanted %u",
			por_function_name(f), n, f->function->nparam));
	LEAVE(give_node(f->graph, call(ir, f->function, (uint32_t)n, take_nodes(f->graph, n, args))));
}

int por_has_effects(const por_function *f)
{
	return f && f->function->nresult > function_values(f->function);
}

/* The function with parameters more: the token that its effects come after, and the passes of so many loops
 * around them.  Its arguments are put in behind that: what they are made of has its own beginning. */
static Function *after_token(Graph *g, Function *f, uint32_t npass)
{
	uint32_t n = f->nparam + 1 + npass;
	Node **leaf = NEW_ARRAY(g->arena, Node *, n), **result = NEW_ARRAY(g->arena, Node *, f->nresult);
	for (uint32_t i = 0; i < f->nparam; i++)
		leaf[i] = fresh(g, type_by_name(g, f, f->param[i]), f->param_name[i]);
	leaf[f->nparam] = fresh(g, type_token(g), NULL);
	for (uint32_t i = f->nparam + 1; i < n; i++) leaf[i] = fresh(g, type_scalar(g, DT_I64), NULL);
	const Size **size = NEW_ARRAY(g->arena, const Size *, f->nsize + 1);
	if (g->error.code || !function_solve_sizes(g, f, f->nparam, leaf, size)) return NULL;
	function_inline(g, f, size, leaf, result);
	IdMap map;
	idmap_open(&map, g->arena);
	idmap_put(&map, token(g)->id, leaf[f->nparam]);
	rebuild(g, (Nodes){f->nresult, result}, &map, NULL, NULL, result);
	Closure c;
	const Title title = {.name = f->name, .flags = f->flags};
	const Nodes results = {f->nresult, result}, pass = {npass, leaf + f->nparam + 1};
	if (g->error.code || (npass && !effects_tell(g, results, pass, result)) ||
		!function_close(g, title, (Nodes){n, leaf}, results, &c))
		return NULL;
	return c.function;
}

/* It stays a call where the function says so. */
static Node *invoked_after(Graph *g, Function *f, uint32_t n, Node *const *args)
{
	if (f->flags) return call(g, f, n, args);
	const Size **size = NEW_ARRAY(g->arena, const Size *, f->nsize + 1);
	Node **result = NEW_ARRAY(g->arena, Node *, f->nresult);
	if (!function_solve_sizes(g, f, n, args, size)) return NULL;
	function_inline(g, f, size, args, result);
	if (g->error.code) return NULL;
	return f->nresult == 1 ? result[0] : tuple(g, f->nresult, result);
}

por_node *por_invoke_after(por_node *after, por_function *f, int n, por_node *const *args)
{
	if (!por_has_effects(f) || n != (int)f->function->nparam) return por_invoke(f, n, args);
	por_graph *of = f->graph;
	if (!all_of(of, n, args) || !all_of(of, after != NULL, &after)) return NULL;
	ENTER(of, NULL);
	Graph *g = of->ir;
	if (after && !is_token(after->node))
		LEAVE((por_node *)graph_fail(g, ERR_TYPE, "%s: its effects come after an effect, not after %s",
			por_function_name(f), type_shown(g, after->node->type)));
	Node *before = after ? after->node : token(g);
	if (!before) LEAVE((por_node *)NULL);
	Nodes pass = passes_around(of, before);
	uint32_t count = (uint32_t)n + 1 + pass.n;
	Node **given = NEW_ARRAY(g->arena, Node *, count), **taken = take_nodes(of, n, args);
	for (int i = 0; i < n; i++) given[i] = taken[i];
	given[n] = before;
	for (uint32_t i = 0; i < pass.n; i++) given[(uint32_t)n + 1 + i] = cast(g, pass.v[i], DT_I64);
	Function *h = after_token(g, f->function, pass.n);
	LEAVE(give_node(of, h ? invoked_after(g, h, count, given) : NULL));
}

/* The same body under other flags. */
static Function *with_flags(Graph *g, Function *f, unsigned flags)
{
	Function as = *f;
	as.flags = flags;
	return function_over(g, &as, f->nresult, f->result);
}

static por_function *flagged(por_function *f, unsigned flag)
{
	Function *h = with_flags(f->graph->ir, f->function, f->function->flags | flag);
	Signature *s = NEW(f->graph->ir->arena, Signature);
	*s = *f->signature;
	s->function = h;
	return give_function(f->graph, h, s);
}

/* A function with that flag whose body calls this one: of two flags each belongs to a call of its own. */
static por_function *around(por_function *f, unsigned flag)
{
	Graph *g = f->graph->ir;
	Function *of = f->function;
	Node **leaf = NEW_ARRAY(g->arena, Node *, of->nparam + 1),
	     **result = NEW_ARRAY(g->arena, Node *, of->nresult + 1);
	for (uint32_t i = 0; i < of->nparam; i++)
		leaf[i] = fresh(g, type_by_name(g, of, of->param[i]), of->param_name[i]);
	Node *y = call(g, of, of->nparam, leaf);
	for (uint32_t i = 0; i < of->nresult && y; i++) result[i] = of->nresult == 1 ? y : get(g, y, i);
	Closure c;
	if (!y ||
		!function_close(g, (Title){.name = of->name, .flags = flag}, (Nodes){of->nparam, leaf},
			(Nodes){of->nresult, result}, &c))
		return NULL;
	name_closed_sizes(c.function, &c);
	Signature *s = signature_like(f->graph, c.function, f->signature);
	return give_function(f->graph, c.function, s);
}

static por_function *marked(por_function *f, unsigned flag, unsigned other)
{
	ENTER(f->graph, NULL);
	LEAVE(f->function->flags & other ? around(f, flag) : flagged(f, flag));
}

por_function *por_checkpoint(por_function *f)
{
	return f ? marked(f, FN_CHECKPOINT, ~(unsigned)FN_CHECKPOINT) : NULL;
}

por_function *por_kept(por_function *f)
{
	return f ? marked(f, FN_KEPT, ~(unsigned)FN_KEPT) : NULL;
}

por_function *por_with_laws(por_function *f, unsigned laws)
{
	if (!f) return NULL;
	if (laws == POR_LAW_EXACT) return marked(f, FN_EXACT, FN_CHECKPOINT | FN_KEPT);
	if (laws & POR_LAW_REAL) return f;
	return api_fail(f->graph, ERR_UNSUPPORTED, "with_laws: POR_LAW_EXACT alone is supported");
}

/* ---- derivatives ----------------------------------------------------------------------------------- */

static const Transforms *transforms_of(por_graph *g)
{
	return g->ir->transforms;
}

static bool check_variables(por_graph *g, const char *what, int n, por_node *const *x)
{
	for (int i = 0; i < n; i++) {
		if (x[i]->node->op == OP_CONST)
			return graph_fail(g->ir, ERR_DERIVATIVE,
				"%s: variable %d is a constant; make it an input", what, i + 1);
		if (!has_tangent(x[i]->node))
			return graph_fail(g->ir, ERR_DERIVATIVE, "%s: variable %d is %s, wanted an array of real floats",
				what, i + 1, type_shown(g->ir, x[i]->node->type));
	}
	return true;
}

static bool check_scalar(por_graph *g, const char *what, const Node *y)
{
	if (has_tangent(y) && !node_rank(y)) return true;
	return graph_fail(g->ir, ERR_DERIVATIVE,
		"%s: %s is differentiated, wanted a real scalar; vjp and jacobian take arrays", what,
		type_shown(g->ir, y->type));
}

static void give_all(por_graph *g, int n, Node *const *from, por_node **to)
{
	for (int i = 0; i < n; i++) to[i] = give_node(g, from[i]);
}

static void give_none(int n, por_node **to)
{
	for (int i = 0; to && i < n; i++) to[i] = NULL;
}

static bool gradient(por_graph *g, Node *y, int n, por_node *const *x, Node **d)
{
	Node *one = check_scalar(g, "grad", y) && check_variables(g, "grad", n, x) ? like(g->ir, y, 1) : NULL;
	Nodes of = {1, &y}, by = {(uint32_t)n, take_nodes(g, n, x)};
	return one && transforms_of(g)->vjp(g->ir, of, by, &one, d);
}

int por_grad(por_node *y, int n, por_node *const *x, por_node **d)
{
	por_graph *g = y && d && at_least(y->graph, "grad", n, 1) ? graph_of_two(1, &y, n, x) : NULL;
	give_none(n, d == x ? NULL : d);
	ENTER(alone(g, "grad"), g ? code_of(g) : POR_ERR_VALUE);
	graph_->ir->watch->stage = "derive";
	Node **out = NEW_ARRAY(g->ir->arena, Node *, n);
	if (gradient(g, y->node, n, x, out)) give_all(g, n, out, d);
	LEAVE(code_of(g));
}

/* Tangents or cotangents take the dtype and shape of what they belong to. */
static Node **fitted(por_graph *g, const char *what, int n, por_node *const *v, Node *const *like)
{
	Node **out = NEW_ARRAY(g->ir->arena, Node *, n);
	for (int i = 0; i < n; i++) {
		const Type *t = like[i]->type;
		out[i] = t->kind != TYPE_ARRAY
			? graph_fail(g->ir, ERR_DERIVATIVE, "a tuple has no derivative; take its elements")
			: spread_to(g->ir, what, cast(g->ir, v[i]->node, (Dtype)t->dtype), t->n, t->u.dim);
		if (!out[i]) return NULL;
	}
	return out;
}

int por_jvp(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *v, por_node **dy)
{
	bool there = ny > 0 && nx > 0 && y && x && v && dy;
	por_graph *g = there ? graph_of_two(ny, y, nx, x) : NULL;
	g = all_of(g, nx, v) ? g : NULL;
	give_none(ny, dy);
	ENTER(alone(g, "jvp"), g ? code_of(g) : POR_ERR_VALUE);
	graph_->ir->watch->stage = "derive";
	Node **in = take_nodes(g, nx, x),
	     **tangent = check_variables(g, "jvp", nx, x) ? fitted(g, "jvp", nx, v, in) : NULL;
	Node **out = NEW_ARRAY(g->ir->arena, Node *, ny);
	Nodes of = {(uint32_t)ny, take_nodes(g, ny, y)}, by = {(uint32_t)nx, in};
	if (tangent && transforms_of(g)->jvp(g->ir, of, by, tangent, out))
		give_all(g, ny, out, dy);
	LEAVE(code_of(g));
}

int por_vjp(int ny, por_node *const *y, int nx, por_node *const *x, por_node *const *u, por_node **dx)
{
	bool there = ny > 0 && nx > 0 && y && x && u && dx;
	por_graph *g = there ? graph_of_two(ny, y, nx, x) : NULL;
	g = all_of(g, ny, u) ? g : NULL;
	give_none(nx, dx);
	ENTER(alone(g, "vjp"), g ? code_of(g) : POR_ERR_VALUE);
	graph_->ir->watch->stage = "derive";
	Nodes of = {(uint32_t)ny, take_nodes(g, ny, y)}, by = {(uint32_t)nx, take_nodes(g, nx, x)};
	Node **cotangent = check_variables(g, "vjp", nx, x) ? fitted(g, "vjp", ny, u, of.v) : NULL;
	Node **out = NEW_ARRAY(g->ir->arena, Node *, nx);
	if (cotangent && transforms_of(g)->vjp(g->ir, of, by, cotangent, out))
		give_all(g, nx, out, dx);
	LEAVE(code_of(g));
}

por_node *por_jacobian(por_node *y, por_node *x, int forward)
{
	por_graph *g = graph_of(2, (por_node *[]){y, x});
	ENTER(alone(g, "jacobian"), NULL);
	graph_->ir->watch->stage = "derive";
	if (!check_variables(g, "jacobian", 1, &x) || !check_variables(g, "jacobian", 1, &y))
		LEAVE((por_node *)NULL);
	LEAVE(give_node(g, transforms_of(g)->jacobian(g->ir, y->node, x->node, forward)));
}

por_node *por_hessian(por_node *y, por_node *x)
{
	por_graph *g = graph_of(2, (por_node *[]){y, x});
	ENTER(alone(g, "hessian"), NULL);
	graph_->ir->watch->stage = "derive";
	Node *d;
	if (!check_scalar(g, "hessian", y->node) || !gradient(g, y->node, 1, &x, &d)) LEAVE((por_node *)NULL);
	LEAVE(give_node(g, transforms_of(g)->jacobian(g->ir, d, x->node, false)));
}

static int code_of_sparse(por_graph *g, Node *y, Node *x, bool symmetric, por_node **out)
{
	Node *part[3];
	if (transforms_of(g)->sparse(g->ir, y, x, symmetric, part)) give_all(g, 3, part, out);
	return code_of(g);
}

int por_sparse_jacobian(por_node *y, por_node *x, por_node **out)
{
	por_graph *g = out ? graph_of(2, (por_node *[]){y, x}) : NULL;
	give_none(3, out);
	ENTER(alone(g, "sparse_jacobian"), g ? code_of(g) : POR_ERR_VALUE);
	graph_->ir->watch->stage = "derive";
	if (!check_variables(g, "sparse_jacobian", 1, &x) || !check_variables(g, "sparse_jacobian", 1, &y))
		LEAVE(code_of(g));
	LEAVE(code_of_sparse(g, y->node, x->node, false, out));
}

int por_sparse_hessian(por_node *y, por_node *x, por_node **out)
{
	por_graph *g = out ? graph_of(2, (por_node *[]){y, x}) : NULL;
	give_none(3, out);
	ENTER(alone(g, "sparse_hessian"), g ? code_of(g) : POR_ERR_VALUE);
	graph_->ir->watch->stage = "derive";
	Node *d;
	if (!check_scalar(g, "sparse_hessian", y->node) || !gradient(g, y->node, 1, &x, &d)) LEAVE(code_of(g));
	LEAVE(code_of_sparse(g, d, x->node, true, out));
}
