/* print_indexed.c - views, indices and contractions in the notation. */
#include "print_graph.h"

/* ---- views and indices --------------------------------------------------------------------------- */

const char *bracket_text(GraphPrinter *p, const Node *x, uint32_t from, uint32_t n)
{
	Text t;
	text_open(&t, p->scratch);
	for (uint32_t i = 0; i < n; i++) {
		const AttrValue *v = &x->attr->v[from + i];
		text_add(&t, i ? ", " : "");
		if (v->kind == A_SIZE)
			text_add(&t, size_text(p, v->u.size, 0));
		else if (v->kind == A_DTYPE)
			text_add(&t, dtype_name(v->u.dtype));
		else
			text_printf(&t, "%lld", (long long)v->u.i);
	}
	return text_done(&t);
}

/* Does a reshape only put in axes of size 1?  Then it is x[:, _]. */
static const char *new_axes(GraphPrinter *p, const Node *x)
{
	Text t;
	const Node *y = x->arg[0];
	uint32_t from = 0;
	text_open(&t, p->scratch);
	for (uint32_t i = 0; i < node_rank(y); i++)
		if (size_equals(node_dim(y, i), 1)) return NULL;
	if (node_rank(x) <= node_rank(y)) return NULL;
	for (uint32_t i = 0; i < node_rank(x); i++) {
		text_add(&t, i ? ", " : "");
		if (from < node_rank(y) && node_dim(x, i) == node_dim(y, from)) {
			text_char(&t, ':');
			from++;
		} else if (size_equals(node_dim(x, i), 1))
			text_char(&t, '_');
		else
			return NULL;
	}
	return from == node_rank(y) ? text_done(&t) : NULL;
}

/* A bound on an axis of size n: from the end where that is a number, else with no minus before it. */
static const char *bound_text(GraphPrinter *p, const Size *b, const Size *n)
{
	int64_t v;
	const Size *end = size_sub(p->g, b, n);
	if (!size_is(n, &v) && end && size_is(end, &v) && v < 0)
		return arena_printf(p->scratch, "%lld", (long long)v);
	const char *text = size_text(p, b, 0);
	return text[0] == '-' ? arena_printf(p->scratch, "0 - %s", text + 1) : text;
}

/* Does it take all that the step meets from here to the end of the axis, or to its begin? */
static bool is_open(Graph *g, const Size *dim, const Size *start, const Size *length, int64_t step)
{
	const Size *k = size_const(g, step > 0 ? step : -step), *one = size_const(g, 1),
		   *span = step > 0 ? size_sub(g, dim, start) : size_add(g, start, one);
	return length == size_floordiv(g, size_add(g, span, size_sub(g, k, one)), k);
}

/* A slice of one axis. */
typedef struct AxisSlice {
	const Size *dim, *start, *length;
	int64_t step;
} AxisSlice;

/* Where a slice stops that does not go to the end of its axis; NULL: no literal says it.  Backwards that is
 * said of numbers alone, as a position before the first one would count from the end. */
static const Size *stop_of(Graph *g, const AxisSlice *a)
{
	int64_t length, start;
	if (a->step == 1) return size_add(g, a->start, a->length);
	if (!size_is(a->length, &length)) return NULL;
	int64_t last = a->step * (length - 1);
	if (a->step > 1) return size_add(g, a->start, size_const(g, last + 1));
	bool known = size_is(a->start, &start) && start + last - 1 >= 0;
	return known ? size_const(g, start + last - 1) : NULL;
}

/* start:stop:step; false: no literal says it. */
static bool sub_text(GraphPrinter *p, Text *t, const AxisSlice *a)
{
	Graph *g = p->g;
	int64_t start;
	const Size *first = a->step > 0 ? size_const(g, 0) : size_sub(g, a->dim, size_const(g, 1));
	bool open = is_open(g, a->dim, a->start, a->length, a->step);
	if (size_equals(a->length, 0) || (size_is(a->start, &start) && start < 0)) return false;
	const Size *stop = open ? NULL : stop_of(g, a);
	if (!open && !stop) return false;
	if (a->start != first) text_add(t, bound_text(p, a->start, a->dim));
	text_char(t, ':');
	if (stop && (a->step < 0 || stop != a->dim)) text_add(t, bound_text(p, stop, a->dim));
	if (a->step != 1) text_printf(t, ":%lld", (long long)a->step);
	return true;
}

/* x[a:b:c]; NULL where that does not say it. */
static const char *slice_subs(GraphPrinter *p, const Node *x)
{
	Text t;
	uint32_t n = node_rank(x);
	text_open(&t, p->scratch);
	for (uint32_t i = 0; i < n; i++) {
		const AxisSlice a = {.dim = node_dim(x->arg[0], i),
			.start = x->attr->v[i].u.size,
			.length = x->attr->v[n + i].u.size,
			.step = attr_int(x, 2 * n + i)};
		text_add(&t, i ? ", " : "");
		if (size_equals(a.start, 0) && a.length == a.dim && a.step == 1)
			text_char(&t, ':');
		else if (!sub_text(p, &t, &a))
			return NULL;
	}
	return text_done(&t);
}

Shown view_text(GraphPrinter *p, Node *x)
{
	Op op = (Op)x->op;
	Node *a = x->arg[0];
	uint32_t n = node_rank(x), r = op == OP_CONCAT ? 0 : node_rank(a);
	const char *subs = NULL;
	if (op == OP_RESHAPE)
		subs = new_axes(p, x);
	else if (op == OP_SLICE)
		subs = slice_subs(p, x);
	if (subs)
		return atom(arena_printf(p->scratch, "%s[%s]", operand(p, a, LEVEL_ATOM), subs), LEVEL_ATOM);
	if (op == OP_TRANSPOSE && n >= 2) {
		bool turned = attr_int(x, n - 1) == n - 2 && attr_int(x, n - 2) == n - 1;
		for (uint32_t i = 0; i + 2 < n; i++) turned &= attr_int(x, i) == i;
		if (turned)
			return atom(arena_printf(p->scratch, "%s.T", operand(p, a, LEVEL_ATOM)), LEVEL_ATOM);
	}
	if (is_spread(p, x) || is_sized(x))
		return atom(arena_printf(p->scratch, "%s(%s)", type_text(p, x->type), operand(p, a, 0)),
			LEVEL_ATOM);
	if (op == OP_CONCAT) {
		Text t;
		text_open(&t, p->scratch);
		text_add(&t, "concat");
		if (attr_int(x, 0)) text_printf(&t, "[%lld]", (long long)attr_int(x, 0));
		for (uint32_t i = 0; i < x->narg; i++)
			text_printf(&t, "%s%s", i ? ", " : "(", operand(p, x->arg[i], 0));
		text_add(&t, ")");
		return atom(text_done(&t), LEVEL_ATOM);
	}
	uint32_t count = op == OP_SLICE || op == OP_PAD ? 3 * r : attr_count(x);
	return atom(arena_printf(p->scratch, "%s[%s](%s)", op_info[op].text, bracket_text(p, x, 0, count),
			    operand(p, a, 0)),
		LEVEL_ATOM);
}

/* v of a scatter spreads by itself. */
static const char *scattered(GraphPrinter *p, Node *v)
{
	if (v->op == OP_CONST && constant_is_uniform(v))
		return constant_text(p, v, node_dtype(v) != DT_BOOL || !v->type->n).text;
	return operand(p, unspread(p, v), 0);
}

Shown index_node_text(GraphPrinter *p, Node *x)
{
	Op op = (Op)x->op;
	Text t;
	text_open(&t, p->scratch);
	if (op == OP_GATHER) {
		text_printf(&t, "%s[", operand(p, x->arg[0], LEVEL_ATOM));
		for (int64_t i = 0; i < attr_int(x, 0); i++) text_add(&t, ":, ");
		text_printf(&t, "%s]", index_text(p, x->arg[1]).text);
	} else {
		text_printf(&t, "%s[%s](%s", op_info[op].text, bracket_text(p, x, 0, attr_count(x)),
			operand(p, x->arg[0], 0));
		if (op_info[op].args > 1) text_printf(&t, ", %s", index_text(p, x->arg[1]).text);
		if (op_info[op].args > 2) text_printf(&t, ", %s", scattered(p, x->arg[2]));
		text_char(&t, ')');
	}
	return atom(text_done(&t), LEVEL_ATOM);
}

/* ---- contractions ----------------------------------------------------------------------------------- */

Shown contract_text(GraphPrinter *p, Node *x)
{
	static const char names[] = "ijklmnopqrstuvwxyzabcdefgh";
	if (is_matmul(x))
		return atom(arena_printf(p->scratch, "%s @ %s", operand(p, x->arg[0], LEVEL_PRODUCT),
				    operand(p, x->arg[1], LEVEL_MINUS)),
			LEVEL_PRODUCT);
	Text t;
	uint32_t at = 0;
	text_open(&t, p->scratch);
	text_add(&t, "einsum[");
	for (int part = 0; part < 3; part++) {
		uint32_t n = 0;
		text_add(&t, part ? ", (" : "(");
		for (; at < x->attr->n && attr_int(x, at) >= 0; at++, n++) {
			int64_t l = attr_int(x, at);
			text_add(&t, n ? ", " : "");
			if (l < (int64_t)sizeof names - 1)
				text_char(&t, names[l]);
			else
				text_printf(&t, "i%lld", (long long)l);
		}
		at++;
		text_add(&t, n == 1 ? ",)" : ")");
	}
	text_printf(&t, "](%s, %s)", operand(p, x->arg[0], 0), operand(p, x->arg[1], 0));
	return atom(text_done(&t), LEVEL_ATOM);
}
