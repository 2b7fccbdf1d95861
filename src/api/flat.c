/* flat.c - branches; loops built flat: open, elements, carried values, the body as ordinary nodes, close. */
#define POR_NO_LINES
#include "api.h"

typedef struct Carried {
	Node *leaf, *first, *next;
} Carried;
typedef struct Walked {
	Node *leaf, *xs;
} Walked;

struct por_loop {
	por_graph *graph;
	Node *steps, *index;
	Node *condition; /* NULL: all steps are made */
	Node *asked; /* the token behind the condition's effects; NULL: it has none */
	bool back;
	Carried *carried;
	uint32_t ncarried, carried_cap;
	Walked *walked;
	uint32_t nwalked, walked_cap;
	Node **stacked;
	uint32_t nstacked, stacked_cap;
	Node *result; /* the tuple, once it is closed */
	Node *counting; /* the loop that had the effects, where that is another */
	uint32_t own; /* results before the carried values: whether it goes on, its passes */
	por_loop *older; /* opened before it in the graph */
	uint32_t opened, closed; /* how many loops were closed then */
};

por_graph *loop_graph(const por_loop *l)
{
	return l ? l->graph : NULL;
}

bool loops_are_closed(const por_graph *g)
{
	const por_loop *l = g->held.loops;
	while (l && l->result) l = l->older;
	return !l;
}

static por_graph *open_graph(const por_loop *l)
{
	if (l && l->result) api_fail(l->graph, ERR_VALUE, "loop: it is closed already");
	return l ? l->graph : NULL;
}

por_node *por_if(por_node *condition, por_node *yes, por_node *no)
{
	por_graph *of = graph_of(3, (por_node *[]){condition, yes, no});
	ENTER(of, NULL);
	Graph *g = of->ir;
	Node *side[2] = {side_value(g, yes->node, no->node), side_value(g, no->node, yes->node)};
	if (!g->error.code && (!side[0] || !side[1]))
		graph_fail(g, ERR_TYPE, "if: one side gives %s, the other %s", type_shown(g, yes->node->type),
			type_shown(g, no->node->type));
	Node *x = branch(g, condition->node, 1, &side[0], &side[1], (Nodes){0});
	LEAVE(give_node(of, x ? get(g, x, 0) : NULL));
}

int por_if_all(por_node *condition, int n, por_node *const *yes, por_node *const *no, por_node **out)
{
	por_graph *of = condition ? condition->graph : NULL;
	if (!at_least(of, "if: results", n, 1) || !all_of(of, n, yes) || !all_of(of, n, no)) return code_of(of);
	ENTER(of, code_of(of));
	Graph *g = of->ir;
	Node **side[2] = {NEW_ARRAY(g->arena, Node *, n), NEW_ARRAY(g->arena, Node *, n)};
	for (int i = 0; i < n; i++) {
		side[0][i] = side_value(g, yes[i]->node, no[i]->node);
		side[1][i] = side_value(g, no[i]->node, yes[i]->node);
		if (!g->error.code && (!side[0][i] || !side[1][i]))
			graph_fail(g, ERR_TYPE, "if: one side gives %s, the other %s",
				type_shown(g, yes[i]->node->type), type_shown(g, no[i]->node->type));
	}
	Node *x = NULL;
	if (!g->error.code) x = branch(g, condition->node, (uint32_t)n, side[0], side[1], (Nodes){0});
	for (int i = 0; i < n; i++) out[i] = give_node(of, x ? get(g, x, (uint32_t)i) : NULL);
	LEAVE(code_of(of));
}

por_loop *por_loop_open(por_graph *g, por_node *steps, int back)
{
	if (!all_of(g, steps != NULL, &steps)) return NULL;
	ENTER(g, NULL);
	if (steps && (!node_is_scalar(steps->node) || !dtype_is_integer(node_dtype(steps->node))))
		LEAVE((por_loop *)graph_fail(
			g->ir, ERR_TYPE, "loop: the number of steps is an integer scalar"));
	por_loop *l = NEW(g->ir->arena, por_loop);
	*l = (por_loop){.graph = g, .steps = steps ? steps->node : NULL, .back = back != 0};
	l->index = fresh(g->ir, type_scalar(g->ir, DT_I64), "i");
	l->older = g->held.loops;
	l->opened = g->held.nclosed;
	g->held.loops = l;
	leaf_is_below(g->ir, l->index, l->steps);
	g->ir->bodies++;
	LEAVE(l);
}

por_node *por_loop_index(por_loop *l)
{
	ENTER(open_graph(l), NULL);
	LEAVE(give_node(l->graph, l->index));
}

por_node *por_loop_each(por_loop *l, por_node *xs)
{
	if (!l || !all_of(l->graph, 1, &xs)) return NULL;
	ENTER(open_graph(l), NULL);
	Graph *g = l->graph->ir;
	const Type *t = xs->node->type;
	if (t->kind != TYPE_ARRAY || !t->n)
		LEAVE((por_node *)graph_fail(g, ERR_TYPE, "loop: a scalar has no elements"));
	if (!l->steps) leaf_is_below(g, l->index, l->steps = size_node(g, DIM(t, 0)));
	Node *leaf = fresh(g, type_array(g, (Dtype)t->dtype, t->n - 1, t->u.dim + 1), "x");
	if (leaf) {
		GROW(g->arena, l->walked, l->nwalked, l->walked_cap);
		l->walked[l->nwalked++] = (Walked){leaf, xs->node};
	}
	LEAVE(give_node(l->graph, leaf));
}

por_node *por_loop_carry(por_loop *l, por_node *first)
{
	if (!l || !all_of(l->graph, 1, &first)) return NULL;
	ENTER(open_graph(l), NULL);
	Graph *g = l->graph->ir;
	const Type *t = first->node->type;
	if (t->kind == TYPE_TUPLE || (t->kind == TYPE_ARRAY && dtype_is_weak((Dtype)t->dtype)))
		LEAVE((por_node *)graph_fail(g, ERR_TYPE,
			"loop: a carried value starts with an array of a dtype; write "
			"por_constant(g, \"f64\", 0)"));
	Node *leaf = fresh(g, t, "carried");
	if (leaf) {
		GROW(g->arena, l->carried, l->ncarried, l->carried_cap);
		l->carried[l->ncarried++] = (Carried){leaf, first->node, NULL};
	}
	LEAVE(give_node(l->graph, leaf));
}

static int place_of(const por_loop *l, const por_node *carried)
{
	for (uint32_t i = 0; l && carried && i < l->ncarried; i++)
		if (l->carried[i].leaf == carried->node) return (int)i;
	return -1;
}

int por_loop_next(por_loop *l, por_node *carried, por_node *next)
{
	if (!l || !carried) return POR_ERR_VALUE;
	if (!all_of(l->graph, 1, &next)) return next ? code_of(l->graph) : POR_ERR_VALUE;
	ENTER(open_graph(l), code_of(l->graph));
	Graph *g = l->graph->ir;
	int k = place_of(l, carried);
	if (k < 0) graph_fail(g, ERR_VALUE, "loop: this is no carried value of it");
	if (k >= 0 && l->carried[k].next)
		graph_fail(g, ERR_VALUE, "loop: carried value %d has a next one already", k + 1);
	if (g->error.code) LEAVE(code_of(l->graph));
	const Type *want = l->carried[k].leaf->type;
	Node *x = next->node;
	if (x->type->kind == TYPE_ARRAY && dtype_is_weak(node_dtype(x))) x = cast(g, x, (Dtype)want->dtype);
	if (x && x->type->kind == TYPE_ARRAY && x->op == OP_CONST && !node_rank(x))
		x = broadcast_to(g, x, want->n, want->u.dim);
	if (x && x->type != want)
		graph_fail(g, ERR_TYPE, "loop: the next value is %s, the carried one %s",
			type_shown(g, x->type), type_shown(g, want));
	if (!g->error.code) l->carried[k].next = x;
	LEAVE(code_of(l->graph));
}

/* Is it a token that goes on from one that the loop carries? */
static bool is_of_loop(const por_loop *l, const Node *token)
{
	const Node *leaf = is_token(token) ? effects_begin(token) : NULL;
	bool found = false;
	for (uint32_t i = 0; i < l->ncarried; i++) found |= l->carried[i].leaf == leaf;
	return found;
}

int por_loop_while(por_loop *l, por_node *condition)
{
	return por_loop_while_after(l, condition, NULL);
}

int por_loop_while_after(por_loop *l, por_node *condition, por_node *after)
{
	if (!l) return POR_ERR_VALUE;
	if (!all_of(l->graph, 1, &condition)) return condition ? code_of(l->graph) : POR_ERR_VALUE;
	if (!all_of(l->graph, after != NULL, &after)) return code_of(l->graph);
	ENTER(open_graph(l), code_of(l->graph));
	Graph *g = l->graph->ir;
	Node *c = condition->node;
	if (!node_is_scalar(c) || node_dtype(c) != DT_BOOL)
		graph_fail(g, ERR_TYPE, "loop: a condition of %s where one bool is wanted",
			type_shown(g, c->type));
	else if (l->back)
		graph_fail(g, ERR_VALUE, "loop: a loop from the end has all its steps, no condition");
	else if (l->condition)
		graph_fail(g, ERR_VALUE, "loop: it has a condition already");
	else if (after && !is_of_loop(l, after->node))
		graph_fail(g, ERR_TYPE, "loop: the effects of a condition come after those that the loop carries");
	else {
		l->condition = c;
		l->asked = after ? after->node : NULL;
	}
	LEAVE(code_of(l->graph));
}

int por_loop_stack(por_loop *l, por_node *x)
{
	if (!l || !all_of(l->graph, 1, &x)) return -1;
	ENTER(open_graph(l), -1);
	GROW(l->graph->ir->arena, l->stacked, l->nstacked, l->stacked_cap);
	l->stacked[l->nstacked++] = x->node;
	LEAVE((int)l->nstacked - 1);
}

/* ---- effects -------------------------------------------------------------------------------- */

/* The indices of the open loops that carry the token, from the outermost. */
static uint32_t loops_around(const por_graph *g, const Node *token, Node **pass)
{
	const Node *leaf = effects_begin(token);
	for (const por_loop *l = g->held.loops; l; l = l->older)
		for (uint32_t i = 0; i < l->ncarried; i++) {
			if (l->carried[i].leaf != leaf) continue;
			uint32_t n = loops_around(g, l->carried[i].first, pass);
			pass[n] = l->index;
			return n + 1;
		}
	return 0;
}

Nodes passes_around(const por_graph *g, const Node *token)
{
	uint32_t depth = 0;
	for (const por_loop *l = g->held.loops; l; l = l->older) depth++;
	Node **pass = NEW_ARRAY(g->ir->arena, Node *, depth + 1);
	uint32_t n = loops_around(g, token, pass);
	return (Nodes){n, pass};
}

por_node *por_no_effect(por_graph *g)
{
	ENTER(g, NULL);
	LEAVE(give_node(g, token(g->ir)));
}

por_node *por_do(por_node *after, int kind, int n, const char *const *names,
	por_node *const *values)
{
	por_graph *g = values && n > 0 && values[0] ? values[0]->graph : NULL;
	if (!at_least(g, "do", n, 1) || !all_of(g, n, values) || !all_of(g, after != NULL, &after)) return NULL;
	ENTER(g, NULL);
	Graph *ir = g->ir;
	if (kind < POR_EFFECT_PRINT || kind > POR_EFFECT_CHECK)
		LEAVE((por_node *)graph_fail(ir, ERR_VALUE, "do: there is no effect %d", kind));
	if (n > EFFECT_VALUES)
		LEAVE((por_node *)graph_fail(
			ir, ERR_UNSUPPORTED, "do: %d values, more than %d", n, EFFECT_VALUES));
	if (after && !is_token(after->node))
		LEAVE((por_node *)graph_fail(ir, ERR_TYPE, "do: an effect comes after an effect, not after %s",
			type_shown(ir, after->node->type)));
	Node *first = values[0]->node;
	if (kind == POR_EFFECT_ASSERT && !(node_is_scalar(first) && node_dtype(first) == DT_BOOL))
		LEAVE((por_node *)graph_fail(ir, ERR_TYPE, "do: what is asserted is %s, wanted a bool",
			type_shown(ir, first->type)));
	Effect e = {.kind = (EffectKind)kind, .nvalue = (uint32_t)n};
	const char **name = NEW_ARRAY(ir->arena, const char *, e.nvalue);
	for (int i = 0; i < n; i++) name[i] = names && names[i] ? names[i] : "";
	if (kind != POR_EFFECT_PRINT) e.text = name[0];
	if (kind == POR_EFFECT_ASSERT) name[0] = "";
	e.name = name;
	Node *before = after ? after->node : token(ir);
	if (!before) LEAVE((por_node *)NULL);
	Nodes pass = passes_around(g, before);
	e.npass = pass.n;
	LEAVE(give_node(g, effect(ir, &e, before, pass.v, take_nodes(g, n, values))));
}

/* ---- closing -------------------------------------------------------------------------------- */

/* All nodes that the loop has been given. */
static Node **given_nodes(Arena *a, const por_loop *l, uint32_t *n)
{
	Node **v = NEW_ARRAY(a, Node *, 3 + 2 * l->ncarried + l->nwalked + l->nstacked);
	*n = 0;
	v[(*n)++] = l->steps; /* NULL is skipped */
	v[(*n)++] = l->condition;
	v[(*n)++] = l->asked;
	for (uint32_t i = 0; i < l->ncarried; i++) {
		v[(*n)++] = l->carried[i].first;
		v[(*n)++] = l->carried[i].next;
	}
	for (uint32_t i = 0; i < l->nwalked; i++) v[(*n)++] = l->walked[i].xs;
	for (uint32_t i = 0; i < l->nstacked; i++) v[(*n)++] = l->stacked[i];
	return v;
}

/* Is one of its nodes over a leaf of the other? */
static bool hangs_on(const por_loop *l, const por_loop *other)
{
	Arena *a = arena_child(l->graph->ir->arena);
	uint32_t n;
	Node **v = given_nodes(a, l, &n);
	Region *r = region_of(a, n, v);
	bool found = region_place(r, other->index) != UINT32_MAX;
	for (uint32_t i = 0; i < other->ncarried; i++)
		found |= region_place(r, other->carried[i].leaf) != UINT32_MAX;
	for (uint32_t i = 0; i < other->nwalked; i++)
		found |= region_place(r, other->walked[i].leaf) != UINT32_MAX;
	arena_free(a);
	return found;
}

/* A loop is closed before the one around it.  Loops side by side may be closed in any order. */
static bool in_order(const por_loop *l)
{
	Graph *g = l->graph->ir;
	bool newer = true;
	for (const por_loop *x = l->graph->held.loops; x; x = x->older) {
		if (x == l)
			newer = false;
		else if (!x->result && newer && hangs_on(l, x) && hangs_on(x, l))
			return graph_fail(g, ERR_VALUE,
				"loop: a loop inside it is open still; close that one first, and take its results by "
				"por_loop_last or por_loop_stacked");
		else if (x->result && x->closed > l->opened && hangs_on(l, x))
			return graph_fail(g, ERR_VALUE,
				"loop: the loop around it is closed already; close this one before that one");
	}
	return true;
}

static Node *counted_loop(Graph *g, const LoopParts *p, Node *steps, unsigned way)
{
	Closure c;
	if (!body_close(g, "loop", (Nodes){p->nparam, p->param}, (Nodes){p->nresult, p->result}, (Around){.steps = steps}, &c))
		return NULL;
	return scan(g, &c, steps, (Nodes){p->ncarry, p->first}, (Nodes){p->nseq, p->seq}, way);
}

/* One that stacks values first counts its passes, and is then a loop of so many. */
static Node *loop_with_condition(por_loop *l, const LoopParts *p)
{
	Graph *g = l->graph->ir;
	LoopParts counted;
	LoopTest c = {l->condition, l->asked, 0};
	while (c.after && l->carried[c.carried].leaf != effects_begin(c.after)) c.carried++;
	Node *steps, *t = while_loop(g, p, l->steps ? cast(g, l->steps, DT_I64) : NULL, &c);
	l->own = l->nstacked ? 0 : 2;
	if (!t || !l->nstacked) return t;
	l->counting = t;
	return loop_of_passes(g, p, t, &counted, &steps) ? counted_loop(g, &counted, steps, 0) : NULL;
}

static Node *close_loop(por_loop *l)
{
	Graph *g = l->graph->ir;
	uint32_t n = l->ncarried, m = l->nwalked, k = 0;
	if (!l->steps && !l->condition)
		return graph_fail(g, ERR_VALUE,
			"loop: neither a number of steps, nor a sequence, nor a condition is given");
	if (l->condition && !n) return graph_fail(g, ERR_VALUE, "loop: nothing is carried that could end it");
	Node **leaf = NEW_ARRAY(g->arena, Node *, 1 + n + m),
	     **result = NEW_ARRAY(g->arena, Node *, n + l->nstacked + 1);
	Node **first = NEW_ARRAY(g->arena, Node *, n + 1), **xs = NEW_ARRAY(g->arena, Node *, m + 1);
	leaf[k++] = l->index;
	for (uint32_t i = 0; i < n; i++) {
		if (!l->carried[i].next)
			return graph_fail(g, ERR_VALUE, "loop: carried value %u has no next one", i + 1);
		leaf[k++] = l->carried[i].leaf;
		first[i] = l->carried[i].first;
		result[i] = l->carried[i].next;
	}
	for (uint32_t i = 0; i < m; i++) {
		leaf[k++] = l->walked[i].leaf;
		xs[i] = l->walked[i].xs;
	}
	for (uint32_t i = 0; i < l->nstacked; i++) result[n + i] = l->stacked[i];
	if (!(n + l->nstacked))
		return graph_fail(g, ERR_VALUE, "loop: it neither carries nor stacks anything");
	LoopParts p = {k, leaf, n + l->nstacked, result, n, first, m, xs};
	if (l->condition) return loop_with_condition(l, &p);
	return counted_loop(g, &p, l->steps, l->back ? WAY_BACK : 0);
}

int por_loop_close(por_loop *l)
{
	if (!l) return POR_ERR_VALUE;
	ENTER(open_graph(l), code_of(l->graph));
	l->result = in_order(l) ? close_loop(l) : NULL;
	if (l->result) {
		l->closed = ++l->graph->held.nclosed;
		l->graph->ir->bodies--;
	}
	LEAVE(code_of(l->graph));
}

/* Carried value or stacked one i among the results: a loop whose passes were counted first has no tokens. */
static Node *result_at(por_loop *l, uint32_t i)
{
	uint32_t tokens = 0;
	for (uint32_t k = 0; k < i && k < l->ncarried; k++) tokens += is_token(l->carried[k].leaf);
	bool token = i < l->ncarried && is_token(l->carried[i].leaf);
	if (!l->counting) return get(l->graph->ir, l->result, l->own + i);
	return token ? get(l->graph->ir, l->counting, 2 + i) : get(l->graph->ir, l->result, i - tokens);
}

static por_node *element(por_loop *l, uint32_t i)
{
	ENTER(l->graph, NULL);
	if (!l->result)
		LEAVE((por_node *)graph_fail(
			l->graph->ir, ERR_VALUE, "loop: close it before its results are taken"));
	LEAVE(give_node(l->graph, result_at(l, i)));
}

por_node *por_loop_last(por_loop *l, por_node *carried)
{
	int k = place_of(l, carried);
	if (l && carried && k < 0) api_fail(l->graph, ERR_VALUE, "loop: this is no carried value of it");
	return k < 0 ? NULL : element(l, (uint32_t)k);
}

por_node *por_loop_stacked(por_loop *l, int number)
{
	if (!l) return NULL;
	if (number < 0 || (uint32_t)number >= l->nstacked)
		return api_fail(l->graph, ERR_VALUE, "loop: nothing is stacked under this number");
	return element(l, l->ncarried + (uint32_t)number);
}
