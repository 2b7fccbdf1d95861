/* forward.c - tangents through the nodes of a region, by the table of differentials.
 *
 * needs: nodes without an error; gives: tangents as nodes of the same graph
 */
#include "linear.h"

/* Does a node of this type have tangents? */
static bool differentiable(const Type *t)
{
	return t->kind == TYPE_ARRAY &&
		(dtype_is_float((Dtype)t->dtype) || dtype_is_complex((Dtype)t->dtype));
}

void forward_open(Forward *f, Graph *g, Arena *scratch)
{
	*f = (Forward){.g = g, .scratch = scratch};
	idmap_open(&f->done, scratch);
	table_open(&f->kept, scratch);
}

Tangent *tangent_new(Forward *f, const Node *x)
{
	Tangent *t = NEW(f->scratch, Tangent);
	t->n = x->type->kind == TYPE_TUPLE ? x->type->n : 1;
	t->elem = NEW_ARRAY(f->scratch, Node *, t->n);
	return t;
}

void forward_seed(Forward *f, Node *x, Node *v)
{
	Tangent *t = tangent_new(f, x);
	t->elem[0] = v;
	idmap_put(&f->done, x->id, t);
}

Node *forward_of(const Forward *f, const Node *y)
{
	Tangent *t = idmap_get(&f->done, y->id);
	return t ? t->elem[0] : NULL;
}

/* ---- ops whose reverse is a rule of its own ------------------------------------------- */

Node *differential_leaf(Graph *g, const Node *of)
{
	const char *name = leaf_name(of);
	return fresh(g, of->type, name ? arena_printf(g->arena, "d%s", name) : NULL);
}

static const char marker_name[] = "tangent";

bool marker_is(const Node *x)
{
	return x->op == OP_CALL && call_function(x)->op && !strcmp(call_function(x)->op, marker_name);
}

static Node *marker_make(Graph *g, Node *x, Node *const *tangents)
{
	uint32_t n = call_function(x)->nparam;
	Node **args = NEW_ARRAY(g->arena, Node *, 2 * n), **leaf = NEW_ARRAY(g->arena, Node *, 2 * n);
	for (uint32_t i = 0; i < n; i++) {
		args[i] = x->arg[i];
		args[n + i] = tangents[i] ? tangents[i] : x->arg[i];
	}
	for (uint32_t i = 0; i < 2 * n; i++) leaf[i] = fresh(g, args[i]->type, NULL);
	/* which op, which of its operands have tangents: part of the marker's identity */
	AttrValue *v = NEW_ARRAY(g->arena, AttrValue, n + 1);
	v[0] = av_function(call_function(x));
	for (uint32_t i = 0; i < n; i++) v[i + 1] = av_int(tangents[i] != NULL);
	Closure c;
	Node *zero = like(g, x, 0);
	if (!zero ||
		!function_close(g, (Title){marker_name, FN_OP, marker_name, attr_make(g, n + 1, v)},
			(Nodes){2 * n, leaf}, (Nodes){1, &zero}, &c))
		return NULL;
	return call_with(g, c.function, c.size, 2 * n, args);
}

/* ---- a node ------------------------------------------------------------------------------ */

static bool push_call(Forward *f, Node *x, Node **tangents, Tangent *t)
{
	Graph *g = f->g;
	if (call_is_kept(x)) return forward_kept(f, x, t);
	if (system_size(x)) return forward_system(f, x, tangents, t);
	if (own_derivative(x, OWN_DIFFERENTIAL)) return own_apply(g, x, tangents, t->elem);
	if (own_derivative(x, OWN_PULLBACK)) return (t->elem[0] = marker_make(g, x, tangents)) != NULL;
	if (derivative_rule(g, x, HEAD_D)) return derivative_apply(g, f->scratch, x, tangents, &t->elem[0]);
	if (derivative_rule(g, x, HEAD_VJP)) return (t->elem[0] = marker_make(g, x, tangents)) != NULL;
	/* through its meaning */
	Body b[BODIES_MAX];
	node_bodies(x, b);
	Opened o = body_open(g, f->scratch, x, b);
	if (g->error.code || !forward_run(f, o.nresult, o.result)) return false;
	for (uint32_t i = 0; i < o.nresult; i++) t->elem[i] = forward_of(f, o.result[i]);
	return true;
}

static bool push(Forward *f, Node *x)
{
	Graph *g = f->g;
	Tangent *t = tangent_new(f, x);
	Node **tangents = NEW_ARRAY(f->scratch, Node *, x->narg);
	bool any = false, tuple = x->type->kind == TYPE_TUPLE;
	for (uint32_t i = 0; i < x->narg; i++) {
		Tangent *a = idmap_get(&f->done, x->arg[i]->id);
		tangents[i] = a && x->arg[i]->type->kind == TYPE_ARRAY ? a->elem[0] : NULL;
		for (uint32_t k = 0; a && k < a->n; k++) any |= a->elem[k] != NULL;
	}
	idmap_put(&f->done, x->id, t);
	if (!any ||
		(!tuple && !differentiable(x->type) &&
			x->op != OP_BITCAST)) /* bits of x: nothing to say of dx */
		return true;
	if (x->op == OP_GET) {
		t->elem[0] = ((Tangent *)idmap_get(&f->done, x->arg[0]->id))->elem[attr_int(x, 0)];
		return true;
	}
	if (x->op == OP_TUPLE) {
		memcpy(t->elem, tangents, t->n * sizeof *t->elem);
		return true;
	}
	if (x->op == OP_STOP) return true;
	if (x->op == OP_SCAN) return forward_scan(f, x, t);
	if (x->op == OP_IF) return forward_if(f, x, t);
	if (x->op == OP_CALL) return push_call(f, x, tangents, t);
	Node *d = NULL;
	if (!derivative_apply(g, f->scratch, x, tangents, &d)) return false;
	if (tuple) {
		for (uint32_t k = 0; d && k < t->n; k++)
			t->elem[k] = differentiable(x->type->u.elem[k]) ? get(g, d, k) : NULL;
	} else {
		t->elem[0] = d;
	}
	return true;
}

bool forward_run(Forward *f, uint32_t n, Node *const *y)
{
	Graph *g = f->g;
	Arena *scratch = f->scratch;
	/* What is below a captured value, of which all is known, is not the body's.  Nor is what a size is
	 * counted by, which has no derivative: of a loop's number of passes it is a loop around the body. */
	Region *r = region_above_sizes(scratch, n, y, &f->done);
	const Where where = g->where;
	const char *rule = g->rule;
	const uint32_t from = g->from;
	for (uint32_t i = 0; i < r->n; i++) {
		Node *x = r->node[i];
		region_look_ahead(r, i);
		if (idmap_get(&f->done, x->id)) continue;
		if (x->origin) g->where = x->origin->where;
		g->rule = "d";
		g->from = x->id;
		if (!push(f, x)) return false;
	}
	g->where = where;
	g->rule = rule;
	g->from = from;
	return !g->error.code;
}

bool diff_jvp(Graph *g, Nodes y, Nodes x, Node *const *v, Node **dy)
{
	if (g->error.code) return false;
	Arena *scratch = arena_child(g->arena);
	Forward f;
	forward_open(&f, g, scratch);
	for (uint32_t i = 0; i < x.n; i++) forward_seed(&f, x.v[i], v[i]);
	g->bodies++;
	g->derived++;
	bool good = forward_run(&f, y.n, y.v);
	g->bodies--;
	g->derived--;
	for (uint32_t i = 0; good && i < y.n; i++) {
		dy[i] = forward_of(&f, y.v[i]);
		dy[i] = dy[i] ? dy[i] : like(g, y.v[i], 0);
	}
	Region *r = good ? region_of(scratch, y.n, dy) : NULL;
	for (uint32_t i = 0; good && i < r->n; i++)
		if (marker_is(r->node[i])) {
			const Function *op = r->node[i]->attr->v[0].u.function->opattr->v[0].u.function;
			const char *write = op->op ? arena_printf(scratch, "a line d(%s(...)) => ...", op->op)
						   : "with_derivative";
			graph_fail(g, ERR_DERIVATIVE,
				"%s has a rule for its reverse alone: forward mode has no derivative of it; "
				"%s tells both",
				op->op ? op->op : op->name, write);
			good = false;
		}
	arena_free(scratch);
	return good;
}
