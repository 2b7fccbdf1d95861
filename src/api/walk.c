/* walk.c - graphs walked and edited: operators, operands, attributes, users; rewriting. */
#define POR_NO_LINES
#include "api.h"

/* ---- operators ------------------------------------------------------------------------------ */

static const OpInfo *info(int op)
{
	return op > OP_NONE && op < OP_COUNT ? &op_info[op] : NULL;
}

int por_op_count(void)
{
	return OP_COUNT;
}
const char *por_op_name(int op)
{
	return info(op) ? info(op)->name : "";
}
const char *por_op_text(int op)
{
	return info(op) ? info(op)->text : "";
}
const char *por_op_formula(int op)
{
	return info(op) ? info(op)->formula : "";
}
const char *por_op_notes(int op)
{
	return info(op) ? info(op)->notes : "";
}
int por_op_named(const char *text, int nargs)
{
	return text ? (int)op_named(text, strlen(text), nargs) : OP_NONE;
}

/* ---- nodes ------------------------------------------------------------------------------------ */

por_graph *por_node_graph(const por_node *x)
{
	return x ? x->graph : NULL;
}
int por_node_op(const por_node *x)
{
	return x ? x->node->op : OP_NONE;
}
uint32_t por_node_id(const por_node *x)
{
	return x ? x->node->id : 0;
}
int por_node_nargs(const por_node *x)
{
	return x ? (int)x->node->narg : 0;
}
int por_node_nattributes(const por_node *x)
{
	return x ? (int)attr_count(x->node) : 0;
}

por_node *por_node_arg(const por_node *x, int i)
{
	ENTER_ANYWAY(i >= 0 && i < por_node_nargs(x) ? x->graph : NULL, NULL);
	LEAVE(give_node(x->graph, x->node->arg[i]));
}

int por_node_attribute(const por_node *x, int i, por_attribute *out)
{
	if (!out || i < 0 || i >= por_node_nattributes(x)) return POR_ERR_VALUE;
	ENTER_ANYWAY(x->graph, POR_ERR_MEMORY);
	const AttrValue *v = &x->node->attr->v[i];
	*out = (por_attribute){.kind = (int32_t)v->kind, .size = POR_NO_SIZE};
	switch (v->kind) {
	case A_INT: out->integer = v->u.i; break;
	case A_SIZE: out->size = give_size(x->graph, v->u.size); break;
	case A_DTYPE: out->dtype = (int32_t)dtype_strong(v->u.dtype); break;
	case A_NAME: out->name = v->u.name; break;
	case A_FUNCTION: out->function = give_function(x->graph, v->u.function, NULL); break;
	case A_DATA:
	case A_CUSTOM: break;
	}
	LEAVE(POR_OK);
}

por_type *por_node_type(const por_node *x)
{
	ENTER_ANYWAY(x && x->node != &given_back ? x->graph : NULL, NULL);
	LEAVE(give_type(x->graph, x->node->type));
}

static const Origin *line_of(const por_node *x)
{
	const Origin *o = x ? x->node->origin : NULL;
	while (o && !o->where.line) o = o->next;
	return o;
}

const char *por_node_where(const por_node *x)
{
	ENTER_ANYWAY(line_of(x) ? x->graph : NULL, "");
	Text t;
	text_open(&t, graph_->ir->arena);
	const Where *w = &line_of(x)->where;
	text_printf(&t, "%s:%d", w->file ? w->file : "", w->line);
	LEAVE(names_get(&graph_->ir->names, t.s, t.n));
}

const char *por_node_name(const por_node *x)
{
	if (x && x->node->op == OP_INPUT) return x->node->attr->v[0].u.name;
	for (const Origin *o = x ? x->node->origin : NULL; o; o = o->next)
		if (o->name) return o->name;
	return "";
}

const char *por_node_rule(const por_node *x)
{
	for (const Origin *o = x ? x->node->origin : NULL; o; o = o->next)
		if (o->rule) return o->rule;
	return "";
}

int por_node_number(const por_node *x, double *value)
{
	return x && value && x->node->op == OP_CONST && constant_value(x->node, value) ? POR_OK
										       : POR_ERR_VALUE;
}

por_array *por_node_constant(const por_node *x)
{
	if (!x || x->node->op != OP_CONST || x->node->type->kind != TYPE_ARRAY) return NULL;
	const Type *t = x->node->type;
	int64_t shape[RANK_MAX];
	for (uint32_t k = 0; k < t->n; k++)
		if (!size_is(DIM(t, k), &shape[k])) return NULL;
	Dtype d = dtype_strong((Dtype)t->dtype);
	por_array *a = por_array_new(x->graph->context, (int)d, (int)t->n, shape);
	int64_t n = a ? por_array_count(a) : 0;
	size_t bytes = dtype_bytes(d);
	for (int64_t i = 0; i < n; i++)
		memcpy((char *)a->data + (size_t)i * bytes,
			(const char *)constant_bytes(x->node) +
				(constant_is_uniform(x->node) ? 0 : (size_t)i * bytes),
			bytes);
	return a;
}

/* ---- building by number ---------------------------------------------------------------------------- */

static bool take_attribute(por_graph *g, const por_attribute *a, AttrValue *v)
{
	switch (a->kind) {
	case POR_ATTR_INT: *v = av_int(a->integer); return true;
	case POR_ATTR_SIZE:
		*v = av_size(take_size(g, a->size));
		return v->u.size || graph_fail(g->ir, ERR_VALUE, "apply: an attribute is no size");
	case POR_ATTR_DTYPE:
		*v = av_dtype((Dtype)a->dtype);
		return dtype_public(a->dtype) ||
			graph_fail(g->ir, ERR_VALUE, "apply: there is no dtype %d", a->dtype);
	case POR_ATTR_NAME:
		*v = av_name(a->name ? names_get(&g->ir->names, a->name, strlen(a->name)) : "");
		return true;
	case POR_ATTR_FUNCTION:
		if (a->function && a->function->graph == g) {
			*v = av_function(a->function->function);
			return true;
		} /* fall through */
	default:
		return graph_fail(
			g->ir, ERR_VALUE, "apply: an attribute of kind %d cannot be given", a->kind);
	}
}

/* What an operator's attributes must be for build() to read them; leaves and control have constructors. */
static bool can_apply(
	por_graph *g, int op, int nargs, por_node *const *args, const Attr *attr)
{
	const OpInfo *o = info(op);
	if (!o || o->class == LEAF || o->class == CONTROL)
		return graph_fail(g->ir, ERR_VALUE, "apply: %s is not built by number",
			o ? o->text : "an operator that is none");
	if (o->args != VARIADIC && nargs != o->args)
		return graph_fail(
			g->ir, ERR_TYPE, "%s: %d operands, wanted %d", o->text, nargs, o->args);
	if (nargs < 1) return graph_fail(g->ir, ERR_TYPE, "%s: no operands", o->text);
	for (int i = 0; i < nargs; i++)
		if (args[i]->node->type->kind != TYPE_ARRAY)
			return graph_fail(g->ir, ERR_TYPE, "%s: operand %d is no array", o->text, i + 1);
	uint32_t rank = node_rank(args[0]->node);
	bool of_each_axis = strchr(o->brackets, '.') != NULL;
	if ((of_each_axis && !rank) || !attr_fits((Op)op, rank, attr))
		return graph_fail(g->ir, ERR_VALUE, "%s: the %u attributes are not those of %s", o->text,
			attr ? attr->n : 0, o->formula);
	return true;
}

por_node *por_apply(por_graph *g, int op, int nargs, por_node *const *args, int nattrs,
	const por_attribute *attrs, const char *where)
{
	if (!at_least(g, "apply: operands", nargs, 0) || !at_least(g, "apply: attributes", nattrs, 0) ||
		(nattrs && !attrs) || !all_of(g, nargs, args))
		return NULL;
	ENTER(g, NULL);
	graph_where(g, where);
	AttrValue *v = NEW_ARRAY(g->ir->arena, AttrValue, nattrs + 1);
	for (int i = 0; i < nattrs; i++)
		if (!take_attribute(g, &attrs[i], &v[i])) LEAVE((por_node *)NULL);
	const Attr *attr = attr_make(g->ir, (uint32_t)nattrs, v);
	if (!can_apply(g, op, nargs, args, attr)) LEAVE((por_node *)NULL);
	LEAVE(give_node(g, build(g->ir, (Op)op, attr, (uint32_t)nargs, take_nodes(g, nargs, args))));
}

por_node *por_rebuild(por_node *x, int nargs, por_node *const *args)
{
	por_graph *g = x ? graph_of(1, &x) : NULL;
	if (!at_least(g, "rebuild", nargs, 0) || !all_of(g, nargs, args)) return NULL;
	ENTER(x->graph, NULL);
	if (nargs != por_node_nargs(x))
		LEAVE((por_node *)graph_fail(x->graph->ir, ERR_TYPE, "rebuild: %d operands where %s has %d",
			nargs, op_info[x->node->op].text, por_node_nargs(x)));
	LEAVE(give_node(x->graph,
		nargs ? node_with(x->graph->ir, x->node, take_nodes(x->graph, nargs, args), NULL, NULL)
		      : x->node));
}

static bool is_stage(Graph *ir, const char *name)
{
	uint32_t n = books_open(ir) ? rules_count(ir) : 0;
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(rule_at(ir, i)->book->stage, name)) return true;
	return graph_fail(ir, ERR_NAME, "simplify: there is no stage %s, as algebra and stable are", name);
}

int por_simplify(int n, por_node **roots, const char *stages)
{
	por_graph *g = n > 0 ? graph_of(n, roots) : NULL;
	ENTER(alone(g, "simplify"), g ? code_of(g) : POR_ERR_VALUE);
	Graph *ir = g->ir;
	Node **x = take_nodes(g, n, roots);
	const char *at = stages ? stages : "algebra, stable";
	while (*at) {
		size_t k = strcspn(at, ", ");
		RewriteOptions o = {0};
		const char *stage = names_get(&ir->names, at, k);
		if (k && (!is_stage(ir, stage) || !rewrite(ir, stage, (uint32_t)n, x, &o))) break;
		at += k;
		at += strspn(at, ", ");
	}
	for (int i = 0; i < n && !ir->error.code; i++) roots[i] = give_node(g, x[i]);
	LEAVE(code_of(g));
}

/* ---- regions ------------------------------------------------------------------------------------------ */

struct por_region {
	por_graph *graph;
	uint32_t mark; /* that there was when it was made */
	Arena *arena; /* its own: a region may be freed before and after its graph is closed */
	Region *region;
	uint32_t *first, *user; /* users of place i: user[first[i]] ... user[first[i + 1] - 1] */
};

static bool same_before(const Node *x, uint32_t k)
{
	for (uint32_t i = 0; i < k; i++)
		if (x->arg[i] == x->arg[k]) return true;
	return false;
}

static void find_users(por_region *r)
{
	uint32_t n = r->region->n;
	r->first = NEW_ARRAY(r->arena, uint32_t, n + 2);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < n; i++) {
			const Node *x = r->region->node[i];
			for (uint32_t k = 0; k < x->narg; k++) {
				if (same_before(x, k)) continue;
				uint32_t p = region_place(r->region, x->arg[k]);
				if (pass)
					r->user[r->first[p + 1]++] = i;
				else
					r->first[p + 2]++;
			}
		}
		if (pass) break;
		for (uint32_t i = 2; i < n + 2; i++) r->first[i] += r->first[i - 1];
		r->user = NEW_ARRAY(r->arena, uint32_t, r->first[n + 1] + 1);
	}
}

por_region *por_region_of(int n, por_node *const *roots)
{
	por_graph *g = n > 0 ? graph_of(n, roots) : NULL;
	ENTER(g, NULL);
	Arena *own = arena_new(arena_allocator(g->ir->arena));
	if (!own) arena_out_of_memory(g->ir->arena);
	Trap inner;
	if (TRAP(&inner)) {
		arena_free(own);
		arena_out_of_memory(g->ir->arena);
	}
	arena_arm(own, &inner);
	por_region *r = NEW(own, por_region);
	*r = (por_region){.graph = g, .mark = g->held.mark, .arena = own};
	Node **x = NEW_ARRAY(own, Node *, n);
	for (int i = 0; i < n; i++) x[i] = roots[i]->node;
	r->region = region_of(own, (uint32_t)n, x);
	find_users(r);
	arena_disarm(own, &inner);
	graph_retain(g);
	LEAVE(r);
}

void por_region_free(por_region *r)
{
	if (!r) return;
	por_graph *g = r->graph;
	arena_free(r->arena);
	graph_drop(g);
}

/* One whose mark is released is empty. */
int por_region_count(const por_region *r)
{
	return r && mark_stands(r->graph, r->mark) ? (int)r->region->n : 0;
}

por_node *por_region_node(const por_region *r, int place)
{
	ENTER_ANYWAY(place >= 0 && place < por_region_count(r) ? r->graph : NULL, NULL);
	LEAVE(give_node(r->graph, r->region->node[place]));
}

int por_region_place(const por_region *r, const por_node *x)
{
	if (!por_region_count(r) || !x || x->graph != r->graph) return -1;
	uint32_t p = region_place(r->region, x->node);
	return p == UINT32_MAX ? -1 : (int)p;
}

int por_region_users(const por_region *r, int place)
{
	return place >= 0 && place < por_region_count(r)
		? (int)(r->first[place + 1] - r->first[place]) : 0;
}

por_node *por_region_user(const por_region *r, int place, int k)
{
	return k >= 0 && k < por_region_users(r, place)
		? por_region_node(r, (int)r->user[r->first[place] + (uint32_t)k])
		: NULL;
}
