/* function.c - functions made from nodes, called, changed. */
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
