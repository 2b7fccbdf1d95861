/* type_control.c - the types of tuples, calls and loops. */
#include "type.h"

/* Is operand i of a node with bodies a value?  Of several results each is an operand of its own. */
static bool is_value(Graph *g, Op op, uint32_t i, const Type *given)
{
	if (given->kind != TYPE_TUPLE) return true;
	return graph_fail(g, ERR_INTERNAL, "%s: operand %u is several values: %s", op_info[op].text, i,
		type_shown(g, given));
}

/* The operands of a call or a branch are what this function's parameters want; the types of its results. */
static const Type **applied_types(Graph *g, Op op, const Attr *attr, const Body *b, Node *const *x)
{
	const Function *f = b->f;
	CallSite c = call_site(g, b, attr, x);
	const char *name = f->name ? f->name : op_info[op].text;
	if (attr->n < b->sizes + f->nsize)
		return graph_fail(g, ERR_INTERNAL, "%s: %u sizes where %u are wanted", name,
			attr->n - b->sizes, f->nsize);
	for (uint32_t i = 0; i < f->nparam; i++) {
		const Type *want = callers_type(&c, f->param[i]), *given = x[b->first + i]->type;
		if (!want || !is_value(g, op, b->first + i, given)) return NULL;
		if (!types_agree(g, want, given))
			return graph_fail(g, ERR_TYPE, "%s: argument %u: given %s, wanted %s", name, i + 1,
				type_shown(g, given), type_shown(g, want));
	}
	const Type **result = NEW_ARRAY(g->arena, const Type *, f->nresult);
	for (uint32_t i = 0; i < f->nresult; i++)
		if (!(result[i] = callers_type(&c, f->result[i]->type))) return NULL;
	if (c.inner) return graph_fail(g, ERR_TYPE, "%s: a result's size is computed within it", name);
	return result;
}

static const Type *call_type(Graph *g, const Attr *attr, Node *const *x)
{
	Body b[BODIES_MAX];
	bodies_of(OP_CALL, attr, b);
	const Type **result = applied_types(g, OP_CALL, attr, b, x);
	if (!result) return NULL;
	return b->f->nresult == 1 ? result[0] : type_tuple(g, b->f->nresult, result);
}

static bool is_bool(const Node *x)
{
	return node_is_scalar(x) && node_dtype(x) == DT_BOOL;
}

static const Type *if_type(Graph *g, const Attr *attr, Node *const *x)
{
	Body b[BODIES_MAX];
	const Type **result[2];
	uint32_t n = bodies_of(OP_IF, attr, b);
	if (!is_bool(x[0]))
		return graph_fail(g, ERR_TYPE, "if: a condition of %s where one bool is wanted",
			type_shown(g, x[0]->type));
	for (uint32_t k = 0; k < n; k++)
		if (!(result[k] = applied_types(g, OP_IF, attr, &b[k], x))) return NULL;
	for (uint32_t i = 0; i < b->f->nresult; i++)
		if (!types_agree(g, result[0][i], result[1][i]))
			return graph_fail(g, ERR_TYPE, "if: one side gives %s, the other %s",
				type_shown(g, result[0][i]), type_shown(g, result[1][i]));
	return type_tuple(g, b->f->nresult, result[0]);
}

/* Result i of a body has a size that the body computes: said of the carried value, or of the trace. */
static void *changes(Graph *g, const Function *f, uint32_t i, bool carried, const Type *first)
{
	const char *goes = type_shown(g, type_by_name(g, f, f->result[i]->type)),
		*name = carried ? f->param_name[1 + i] : NULL;
	if (!carried)
		return graph_fail(g, ERR_TYPE, "scan: a value whose size changes from pass to pass: %s",
			goes);
	return graph_fail(g, ERR_TYPE,
		"scan: %s begins as %s and goes on as %s, a value whose size changes from pass to pass",
		name ? name : "a carried value", type_shown(g, first), goes);
}

/* Of what a loop of so many steps meets of a sequence in each. */
static const Type *element_type(Graph *g, const Type *sequence, const Size *steps)
{
	if (sequence->kind != TYPE_ARRAY || !sequence->n || size_differ(g, DIM(sequence, 0), steps))
		return graph_fail(g, ERR_TYPE, "scan: a sequence of %s where the steps are others",
			type_shown(g, sequence));
	return type_array(g, (Dtype)sequence->dtype, sequence->n - 1, &DIM(sequence, 1));
}

/* Of what it stacks, a value of this type in each. */
static const Type *trace_type(Graph *g, const Type *t, const Size *steps)
{
	const Size *dim[RANK_MAX + 1] = {steps};
	if (t->n >= RANK_MAX || t->kind != TYPE_ARRAY)
		return graph_fail(g, ERR_TYPE, "scan: a trace of %s has too many axes", type_shown(g, t));
	memcpy(dim + 1, t->u.dim, t->n * sizeof *dim);
	return type_array(g, (Dtype)t->dtype, t->n + 1, dim);
}

static const Type *scan_type(Graph *g, const Attr *attr, uint32_t n, Node *const *x)
{
	Function *f = attr->v[0].u.function;
	uint32_t carries = (uint32_t)attr->v[1].u.i, sequences = (uint32_t)attr->v[2].u.i;
	const Size *steps = size_of_node(g, x[0]);
	Body b[BODIES_MAX];
	bodies_of(OP_SCAN, attr, b);
	CallSite c = call_site(g, b, attr, x);
	if (!steps) return NULL;
	bool whiles = attr->v[3].u.i & WAY_WHILE;
	if (whiles && (!carries || f->nresult > carries || !is_bool(x[1])))
		return graph_fail(g, ERR_INTERNAL, "scan: a loop that ends by a condition carries a bool first, "
						   "and has no traces");
	for (uint32_t i = 1; i < n; i++) {
		const Type *want = callers_type(&c, f->param[i]), *given = x[i]->type;
		if (!is_value(g, OP_SCAN, i, given)) return NULL;
		if (i > carries && i <= carries + sequences) given = element_type(g, given, steps);
		if (!want || !given) return NULL;
		if (!types_agree(g, want, given))
			return graph_fail(g, ERR_TYPE, "scan: operand %u: given %s, wanted %s", i,
				type_shown(g, given), type_shown(g, want));
	}
	const Type **result = NEW_ARRAY(g->arena, const Type *, f->nresult);
	for (uint32_t i = 0; i < f->nresult; i++) {
		const Type *t = callers_type(&c, f->result[i]->type);
		if (c.inner) return changes(g, f, i, i < carries, i < carries ? x[1 + i]->type : NULL);
		if (t && i < carries && !types_agree(g, t, x[1 + i]->type))
			return graph_fail(g, ERR_TYPE, "scan: a carried value begins as %s and goes on as %s",
				type_shown(g, x[1 + i]->type), type_shown(g, t));
		if (t) result[i] = i < carries ? x[1 + i]->type : trace_type(g, t, steps);
		if (!result[i]) return NULL;
	}
	return type_tuple(g, f->nresult, result);
}

/* A token, indices of loops, arrays; of an assertion a bool first. */
static const Type *order_type(Graph *g, const Attr *attr, uint32_t n, Node *const *x)
{
	int64_t what = attr->v[0].u.i, passes = attr->v[1].u.i;
	uint32_t names = attr->n - 2;
	bool good = what >= EFFECT_PRINT && what <= EFFECT_CHECK && passes >= 0 && is_token(x[0]) &&
		n == 1 + (uint32_t)passes + names;
	for (uint32_t i = 1; i < n && good; i++)
		good = x[i]->type->kind == TYPE_ARRAY &&
			(i > passes || (node_is_scalar(x[i]) && node_dtype(x[i]) == DT_I64));
	if (good && what == EFFECT_ASSERT) good = names && is_bool(x[1 + passes]);
	return good ? type_token(g) : type_refused(g, OP_ORDER, "a token, indices and arrays", n, x);
}

const Type *control_type(Graph *g, Op op, const Attr *attr, uint32_t n, Node *const *x)
{
	switch (op) {
	case OP_TUPLE: {
		const Type **e = NEW_ARRAY(g->arena, const Type *, n);
		for (uint32_t i = 0; i < n; i++) {
			if (x[i]->type->kind == TYPE_TUPLE)
				return type_refused(g, op, "arrays (tuples do not nest)", n, x);
			e[i] = x[i]->type;
		}
		return type_tuple(g, n, e);
	}
	case OP_GET:
		if (x[0]->type->kind != TYPE_TUPLE || attr->v[0].u.i < 0 || attr->v[0].u.i >= x[0]->type->n)
			return type_refused(g, op, "a tuple with that element", n, x);
		return x[0]->type->u.elem[attr->v[0].u.i];
	case OP_CALL: return call_type(g, attr, x);
	case OP_IF: return if_type(g, attr, x);
	case OP_SCAN: return scan_type(g, attr, n, x);
	case OP_ORDER: return order_type(g, attr, n, x);
	case OP_CUSTOM: return custom_type(g, attr);
	default: return graph_fail(g, ERR_UNSUPPORTED, "%s is not supported yet", op_info[op].text);
	}
}
