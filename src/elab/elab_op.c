/* elab_op.c - the library's own operators: a call of an `op` is a node, its meaning a closed function.
 *
 * An instance belongs to an op, the values of its brackets and the types of
 * its operands.  Its bracket values stand in the function (opattr): all of
 * them, defaults filled in, axes counted from the front.  An op is called
 * `softmax`, in a module that is used by name, so not the prelude, `layers.x`.
 */
#include "elaborator.h"

typedef struct OpInstance {
	const Syntax *op;
	const Attr *attr;
	uint32_t n;
	const Type **type;    /* of the operands */
	const Binding *shape; /* of the parameters, told apart by structure */
	Closure closure;
	Binding *result;
} OpInstance;

/* An op being applied: its declaration and where its brackets and parameters are bound. */
typedef struct OpUse {
	Module *module;
	const Syntax *op;
	const char *name;
	const Syntax *at;
	Env env;
} OpUse;

/* ---- finding ------------------------------------------------------------------------- */

static const char *full_name(Graph *g, const Module *m, const Syntax *op)
{
	if (!m->name || !strcmp(m->name, "prelude")) return op->name;
	const char *s = arena_printf(g->arena, "%s.%s", m->name, op->name);
	return names_get(&g->names, s, strlen(s));
}

static bool find_in(Graph *g, Module *m, const char *name, OpUse *u)
{
	const char *interned = names_get(&g->names, name, strlen(name));
	Decl *d = m ? module_decl(m, interned) : NULL;
	if (!d || d->syntax->kind != SYN_OP) return false;
	*u = (OpUse){.module = m, .op = d->syntax, .name = full_name(g, m, d->syntax)};
	return true;
}

/* The user's own ops come before the library's. */
static bool find_op(Graph *g, const char *name, OpUse *u)
{
	Library *lib = library_of(g);
	const char *dot = strrchr(name, '.');
	if (dot) {
		Module *m = module_library(g, arena_copy(g->arena, name, (size_t)(dot - name)));
		return m && find_in(g, m, dot + 1, u);
	}
	for (uint32_t i = lib->nuser; i-- > 0;)
		if (!user_module(g, i)->name && find_in(g, lib->user[i], name, u)) return true;
	return find_in(g, lib->prelude, name, u);
}

static bool is_module(Graph *g, const char *name, size_t n)
{
	const char *s = arena_copy(g->arena, name, n);
	return module_named(library_of(g), s) || module_is_embedded(s);
}

const Syntax *op_find(Graph *g, const char *name)
{
	OpUse u;
	const char *dot = strrchr(name, '.');
	if (dot && !is_module(g, name, (size_t)(dot - name))) return NULL;
	return find_op(g, name, &u) ? u.op : NULL;
}

const char *op_written(Graph *g, const char *file, const char *name)
{
	OpUse u;
	Module *m = module_of_file(g, file);
	return m && m->name && find_in(g, m, name, &u) ? u.name : name;
}

const Syntax *op_declaration(const Function *f)
{
	return f->flags & FN_OP ? f->meaning : NULL;
}

/* ---- brackets and attributes -------------------------------------------------------------- */

static uint32_t first_rank(const OpUse *u)
{
	const Syntax *params = u->op->part[1];
	for (uint32_t i = 0; i < params->count; i++) {
		Binding *b = params->part[i]->kind == SYN_PARAM
			? scope_own(u->env, params->part[i]->part[0]->name)
			: NULL;
		if (b && b->kind == B_NODE && b->node->type->kind == TYPE_ARRAY && node_rank(b->node))
			return node_rank(b->node);
	}
	return 0;
}

static bool is_axis(const char *name)
{
	return !strcmp(name, "axis") || !strcmp(name, "axes");
}

static bool attr_of(Elab *e, const OpUse *u, const char *name, Binding *b, AttrValue *out)
{
	int64_t n;
	double x;
	if (b->kind == B_TYPE && b->type->kind == TT_ARRAY && !b->type->n) {
		*out = av_dtype(term_dtype(b->type));
		return true;
	}
	if (b->kind != B_NODE)
		return fail_at_syntax(
			e, u->at, ERR_TYPE, "%s: %s is %s, wanted a number", u->name, name, kind_text(b));
	bool flag = known_bool(e, b, (bool[1]){0});
	if (known_int(b, &n) || (flag && constant_integer(b->node, &n))) {
		*out = av_int(is_axis(name) && n < 0 ? n + first_rank(u) : n);
		return true;
	}
	const Size *s = known_size(b->node, e->g);
	if (s) {
		*out = av_size(s);
		return true;
	}
	if (constant_value(b->node, &x)) {
		*out = av_data(data_make(e->g, &x, sizeof x));
		return true;
	}
	return fail_at_syntax(
		e, u->at, ERR_TYPE, "%s: %s is not known while the graph is built", u->name, name);
}

static Binding *value_of_attr(Graph *g, const AttrValue *v)
{
	double x;
	TypeTerm *t;
	switch (v->kind) {
	case A_INT: return bind_node(g, weak_int(g, v->u.i));
	case A_SIZE: return size_value(g, v->u.size);
	case A_DATA: memcpy(&x, v->u.data->at, sizeof x); return bind_node(g, weak_float(g, x));
	default:
		t = NEW(g->arena, TypeTerm);
		*t = (TypeTerm){.kind = TT_ARRAY, .dtype = v->u.dtype};
		return bind_type(g, t);
	}
}

/* All bracket values in the order of the declaration, a run spread in its place. */
static bool read_attr(Elab *e, const OpUse *u, const Attr **attr)
{
	const Syntax *list = u->op->part[0];
	AttrValue *v = NULL;
	uint32_t n = 0, cap = 0;
	for (uint32_t i = 0; list && i < list->count; i++) {
		const Syntax *p = list->part[i];
		const char *name = p->kind == SYN_RUN ? p->name : p->part[0]->name;
		Binding *b = scope_own((Env){u->env.scope, UINT32_MAX}, name);
		if (!b)
			return fail_at_syntax(
				e, u->at, ERR_TYPE, "%s: bracket value %s is missing", u->name, name);
		for (uint32_t k = 0; k < (p->kind == SYN_RUN ? b->n : 1); k++) {
			GROW(e->g->arena, v, n, cap);
			if (!attr_of(e, u, name, p->kind == SYN_RUN ? b->elem[k] : b, &v[n++])) return false;
		}
	}
	*attr = attr_make(e->g, n, v);
	return true;
}

static void bind_attr(Elab *e, OpUse *u, const Attr *attr)
{
	const Syntax *list = u->op->part[0];
	uint32_t n = attr ? attr->n : 0, at = 0;
	for (uint32_t i = 0; list && i < list->count; i++) {
		const Syntax *p = list->part[i];
		if (p->kind == SYN_RUN) {
			uint32_t k = n + 1 > list->count ? n + 1 - list->count : 0;
			Binding **run = NEW_ARRAY(e->g->arena, Binding *, k);
			for (uint32_t j = 0; j < k; j++) run[j] = value_of_attr(e->g, &attr->v[at++]);
			env_bind(e, &u->env, p->name, bind_tuple(e->g, k, run));
		} else if (at < n) {
			Binding *b = value_of_attr(e->g, &attr->v[at]);
			const Syntax *d = p->part[2];
			if (attr->v[at].kind == A_INT && d && d->kind == SYN_NAME &&
				(!strcmp(d->name, "true") || !strcmp(d->name, "false")))
				b = bind_node(e->g,
					constant_int(e->g, type_scalar(e->g, DT_BOOL), attr->v[at].u.i));
			env_bind(e, &u->env, p->part[0]->name, b);
			at++;
		}
	}
}

/* ---- instances ------------------------------------------------------------------------------- */

static bool instance_same(const void *item, const void *key)
{
	const OpInstance *a = item, *b = key;
	return a->op == b->op && a->attr == b->attr && a->n == b->n &&
		!memcmp(a->type, b->type, a->n * sizeof *a->type);
}

/* Weak operands take the dtype that the strong ones promote to. */
static bool settle(Elab *e, const OpUse *u, uint32_t n, Node **leaf)
{
	Graph *g = e->g;
	Dtype d = DT_NONE;
	for (uint32_t i = 0; i < n; i++) {
		if (leaf[i]->type->kind != TYPE_ARRAY)
			return fail_at_syntax(e, u->at, ERR_TYPE, "%s: an operand is no array", u->name);
		if (dtype_is_number(node_dtype(leaf[i])) && !dtype_is_weak(node_dtype(leaf[i]))) {
			Dtype both =
				d == DT_NONE ? node_dtype(leaf[i]) : dtype_promote(d, node_dtype(leaf[i]));
			d = both == DT_NONE ? d : both;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		Dtype own = literal_dtype(leaf[i]);
		if (!dtype_is_weak(own)) continue;
		if (d == DT_NONE || !dtype_is_integer(d)) own = node_dtype(leaf[i]);
		Dtype to = d == DT_NONE ? DT_NONE : dtype_promote(d, own);
		leaf[i] = cast(g, leaf[i], dtype_strong(to == DT_NONE ? own : to));
		if (!leaf[i]) return false;
	}
	return true;
}

static Node *result_leaf(Elab *e, void *user, const char *path, const Type *type)
{
	(void)user;
	return fresh(e->g, type, path);
}

/* Of an operator with a C kernel: its results, of the types that the definition declares. */
static Binding *kernel_results(Elab *e, const OpUse *u, const Custom *c, Env env, uint32_t n,
	Node *const *leaf)
{
	Graph *g = e->g;
	TypeTerm *t = u->op->part[2] ? type_term(e, (Env){env.scope, UINT32_MAX}, u->op->part[2]) : NULL;
	if (!t)
		return fail_at_syntax(
			e, u->at, ERR_TYPE, "%s: an operator with a kernel declares its result", u->name);
	Binding *shape = term_leaves(e, u->op->part[2], t, "result", result_leaf, NULL);
	uint32_t m = shape ? binding_leaves(shape, NULL) : 0;
	Node **result = NEW_ARRAY(g->arena, Node *, m + 1);
	const Type **type = NEW_ARRAY(g->arena, const Type *, m + 1);
	if (m) binding_leaves(shape, result);
	for (uint32_t i = 0; i < m; i++) type[i] = result[i]->type;
	Node *all = m ? custom(g, c, m, type, n, leaf) : NULL;
	for (uint32_t i = 0; all && i < m; i++) result[i] = m == 1 ? all : get(g, all, i);
	return all ? binding_refill(g, shape, result) : NULL;
}

/* Close the op's meaning over fresh operands of these types. */
static bool close_instance(Elab *e, const OpUse *u, Binding *const *value, Node *const *actual,
	OpInstance *in)
{
	Graph *g = e->g;
	const Syntax *params = u->op->part[1];
	Node **leaf = NEW_ARRAY(g->arena, Node *, in->n);
	Given *given = NEW_ARRAY(g->arena, Given, params->count);
	uint32_t k = 0;
	OpUse own = *u;
	own.env = env_open(e, (Env){u->module->scope, 0});
	bind_attr(e, &own, in->attr);
	for (uint32_t i = 0; i < params->count; i++) {
		uint32_t n = binding_leaves(value[i], NULL), first = k;
		for (uint32_t j = 0; j < n; j++, k++) {
			leaf[k] = fresh(g, in->type[k], params->part[i]->part[0]->name);
			stands_for(e, leaf[k], actual[k]);
		}
		given[i] = (Given){
			params->part[i]->part[0]->name, binding_refill(g, value[i], leaf + first), u->at};
	}
	const GivenAll all = {u->at, u->name, params, params->count, params->count, given};
	if (!bind_params(e, &own.env, &all)) return false;
	const Syntax *active = e->active;
	Where where = g->where;
	e->active = u->op;
	e->library_calls += u->module->library;
	const bool failed = g->error.code, outer = u->module->library && e->library_calls == 1;
	const Custom *kernel = custom_named(g, u->name);
	const Pure pure = pure_begin(e, "the meaning of an op");
	Binding *b = kernel ? kernel_results(e, u, kernel, own.env, in->n, leaf)
			    : elab(e, own.env, u->op->part[3]);
	if (b && !kernel && u->op->part[2]) {
		TypeTerm *t = type_term(e, (Env){own.env.scope, UINT32_MAX}, u->op->part[2]);
		b = t ? match_type(e, u->op->part[3], u->name, t, b) : NULL;
	}
	if (!b && outer && !failed) name_library_call(e, u->name);
	e->pure = pure;
	e->library_calls -= u->module->library;
	e->active = active;
	g->where = where;
	uint32_t n = b ? binding_leaves(b, NULL) : 0;
	if (!b || binding_has_function(b))
		return b
			? fail_at_syntax(e, u->at, ERR_TYPE, "%s: an op gives arrays, not functions", u->name)
			: false;
	Node **result = NEW_ARRAY(g->arena, Node *, n);
	binding_leaves(b, result);
	in->result = b;
	if (!function_close(g, (Title){u->name, FN_OP, u->name, in->attr}, (Nodes){in->n, leaf},
		    (Nodes){n, result}, &in->closure))
		return false;
	in->closure.function->meaning = (void *)u->op;
	name_closed_sizes(in->closure.function, &in->closure);
	return true;
}

/* The call; *shape (may be NULL) is the structure of its results. */
static Node *instance_call(Elab *e, const OpUse *u, Binding **shape)
{
	Graph *g = e->g;
	const Syntax *params = u->op->part[1];
	Binding **value = NEW_ARRAY(g->arena, Binding *, params->count);
	OpInstance key = {.op = u->op};
	for (uint32_t i = 0; i < params->count; i++) {
		if (params->part[i]->kind == SYN_RUN)
			return fail_at_syntax(e, u->at, ERR_UNSUPPORTED, "%s: an op takes no runs", u->name);
		value[i] = scope_own(u->env, params->part[i]->part[0]->name);
		key.n += binding_leaves(value[i], NULL);
	}
	Node **leaf = NEW_ARRAY(g->arena, Node *, key.n);
	for (uint32_t i = 0, k = 0; i < params->count; i++) k += binding_leaves(value[i], leaf + k);
	if (!read_attr(e, u, &key.attr) || !settle(e, u, key.n, leaf)) return NULL;
	key.type = NEW_ARRAY(g->arena, const Type *, key.n);
	uint32_t h = hash_mix(key.attr ? key.attr->id : 0, (uint64_t)(uintptr_t)u->op);
	for (uint32_t i = 0; i < key.n; i++) {
		key.type[i] = leaf[i]->type;
		h = hash_mix(h, key.type[i]->id);
	}
	OpInstance *in = table_find(&e->lib->instances, h, &key, instance_same);
	if (!in) {
		in = NEW(g->arena, OpInstance);
		*in = key;
		if (!close_instance(e, u, value, leaf, in)) return NULL;
		table_add(&e->lib->instances, h, in);
	}
	Node **args = NEW_ARRAY(g->arena, Node *, in->n + in->closure.ncapture);
	memcpy(args, leaf, in->n * sizeof *args);
	for (uint32_t i = 0; i < in->closure.ncapture; i++) args[in->n + i] = in->closure.capture[i];
	if (shape) *shape = in->result;
	return call_with(g, in->closure.function, in->closure.size, in->n + in->closure.ncapture, args);
}

typedef struct Leafwise {
	const Syntax *at;
	const FunctionValue *f;
	const Given *given;
} Leafwise;

static Node *apply_to_leaves(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const Leafwise *w = user;
	Given *given = NEW_ARRAY(e->g->arena, Given, n);
	for (uint32_t i = 0; i < n; i++)
		given[i] = (Given){w->given[i].name, bind_node(e->g, x[i]), w->given[i].syntax};
	Binding *b = apply_op_definition(e, w->at, w->f, n, given);
	if (b && b->kind != B_NODE)
		return fail_at_syntax(e, w->at, ERR_TYPE, "%s: several results on every leaf", w->f->name);
	return b ? b->node : NULL;
}

/* A structure where the op declares no type goes leaf by leaf, as it does for operators. */
static bool goes_by_leaves(const Syntax *params, uint32_t n, const Given *given)
{
	for (uint32_t i = 0; i < params->count; i++)
		if (params->part[i]->kind != SYN_PARAM || params->part[i]->part[1]) return false;
	for (uint32_t i = 0; i < n; i++)
		if (is_structure(given[i].value) && !binding_has_function(given[i].value)) return true;
	return false;
}

static bool is_given_functions(const OpUse *u)
{
	const Syntax *params = u->op->part[1];
	for (uint32_t i = 0; i < params->count; i++)
		if (params->part[i]->kind == SYN_PARAM &&
			binding_has_function(scope_own(u->env, params->part[i]->part[0]->name)))
			return true;
	return false;
}

Binding *apply_op_definition(Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	if (goes_by_leaves(f->syntax->part[1], n, given)) {
		Binding **x = NEW_ARRAY(e->g->arena, Binding *, n);
		for (uint32_t i = 0; i < n; i++) x[i] = given[i].value;
		return on_leaves(e, s, n, x, apply_to_leaves, &(Leafwise){s, f, given});
	}
	Graph *g = e->g;
	const Syntax *params = f->syntax->part[1];
	Module *m = f->env.scope->module;
	OpUse u = {.module = m,
		.op = f->syntax,
		.name = full_name(g, m, f->syntax),
		.at = s,
		.env = env_open(e, f->env)};
	if (!refuse_brackets(e, s, f, f->syntax, n, given) || !bind_brackets(e, f, f->syntax, &u.env) ||
		!bind_params(e, &u.env, &(GivenAll){s, u.name, params, params->count, n, given}))
		return NULL;
	Binding *shape;
	at(e, s);
	if (is_given_functions(&u)) return apply_op_of_functions(e, s, u.op, u.env);
	Node *call = instance_call(e, &u, &shape);
	if (!call) return NULL;
	uint32_t nresult = binding_leaves(shape, NULL);
	Node **result = NEW_ARRAY(g->arena, Node *, nresult);
	for (uint32_t i = 0; i < nresult; i++) result[i] = nresult == 1 ? call : get(g, call, i);
	return binding_refill(g, shape, result);
}

/* ---- by name: from rules and from C ------------------------------------------------------------- */

/* Operands in order of leaves, put into the structure that the parameter's type declares. */
static Binding *take_operands(Elab *e, const TypeTerm *t, uint32_t *at, uint32_t n, Node *const *args)
{
	if (!t || (t->kind != TT_TUPLE && t->kind != TT_RECORD))
		return *at < n ? bind_node(e->g, args[(*at)++]) : NULL;
	Node **few = NEW_ARRAY(e->g->arena, Node *, t->n);
	Binding **elem = NEW_ARRAY(e->g->arena, Binding *, t->n), *empty;
	for (uint32_t i = 0; i < t->n; i++) { /* the shape first: its order of leaves */
		few[i] = *at < n ? args[*at] : NULL;
		elem[i] = bind_node(e->g, few[i]);
	}
	empty = t->kind == TT_TUPLE ? bind_tuple(e->g, t->n, elem) : bind_record(e->g, t->n, t->field, elem);
	for (uint32_t i = 0; empty && i < t->n; i++) {
		uint32_t k = t->kind == TT_RECORD ? empty->order[i] : i;
		if (!(empty->elem[k] = take_operands(e, t->elem[k], at, n, args))) return NULL;
	}
	return empty;
}

Node *op_apply_named(Graph *g, const char *name, const Attr *attr, uint32_t n, Node *const *args)
{
	Elab e = {.g = g, .lib = library_of(g), .library_calls = 1, .pure = {"the meaning of an op", NULL}};
	OpUse u;
	for (uint32_t i = 0; i < n; i++)
		if (!args[i]) return NULL;
	if (g->error.code || !find_op(g, name, &u)) return graph_fail(g, ERR_NAME, "there is no op %s", name);
	const Syntax *params = u.op->part[1];
	u.at = u.op;
	u.env = env_open(&e, (Env){u.module->scope, 0});
	bind_attr(&e, &u, attr);
	Given *given = NEW_ARRAY(g->arena, Given, params->count);
	uint32_t at = 0, k = 0;
	for (; k < params->count && at < n; k++) {
		Env types = env_open(&e, u.env);
		TypeTerm *t =
			params->part[k]->part[1] ? type_term(&e, types, params->part[k]->part[1]) : NULL;
		given[k] = (Given){NULL, take_operands(&e, t, &at, n, args), u.op};
		if (!given[k].value) return graph_fail(g, ERR_TYPE, "%s: too few operands", name);
	}
	if (at < n) return graph_fail(g, ERR_TYPE, "%s: %u operands are too many", name, n);
	const Syntax *list = u.op->part[0];
	for (uint32_t i = 0; list && i < list->count; i++) { /* defaults of brackets that were not given */
		const Syntax *p = list->part[i];
		if (p->kind == SYN_PARAM && p->part[2] && !scope_own(u.env, p->part[0]->name))
			env_bind(&e, &u.env, p->part[0]->name, elab(&e, u.env, p->part[2]));
	}
	const GivenAll all = {u.at, u.name, params, params->count, k, given};
	if (!bind_params(&e, &u.env, &all)) return NULL;
	return instance_call(&e, &u, NULL);
}
