/* elab_array.c - calls of operators on arrays, or on each array of structures: maps, folds, views,
 * indices. */
#include "elab_builtin.h"

/* ---- maps ------------------------------------------------------------------------------- */

static Node *map_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	Op op = *(const Op *)user;
	return n == 2 ? arith(e, op, x[0], x[1]) : build(e->g, op, NULL, n, x);
}

/* Of a constant a constant, where integers of one width have the same bits. */
static Node *bitcast(Graph *g, Node *x, const AttrValue *to)
{
	Dtype d = to->u.dtype, from = dtype_strong(node_dtype(x));
	bool bits = dtype_is_integer(d) && dtype_is_integer(from) && dtype_bytes(d) == dtype_bytes(from);
	if (x->op != OP_CONST || !bits) {
		x = cast(g, x, from);
		return x ? node_make(g, OP_BITCAST, attr_make(g, 1, to), 1, &x) : NULL;
	}
	const Type *t = type_with_dtype(g, x->type, d);
	return constant_is_uniform(x) ? constant(g, t, constant_bytes(x))
				      : constant_data(g, t, constant_bytes(x));
}

static Node *convert_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const AttrValue *v = user;
	(void)n;
	return v[1].u.i == OP_CAST ? convert_number(e->g, x[0], v[0].u.dtype) : bitcast(e->g, x[0], v);
}

Binding *call_map(Use *u, Op op)
{
	if (op == OP_CAST || op == OP_BITCAST) {
		const Syntax *s = u->f->brackets;
		Binding *t = s && s->count == 2 ? elab(u->e, u->f->brackets_env, s->part[1]) : NULL;
		if (!t || t->kind != B_TYPE || t->type->kind != TT_ARRAY || t->type->n)
			return fail_at_syntax(u->e, u->at, ERR_TYPE,
				"%s: a dtype stands in brackets: %s[f32](x)", u->f->name, u->f->name);
		AttrValue v[2] = {av_dtype(term_dtype(t->type)), av_int(op)};
		return on_leaves(u->e, u->at, 1, u->arg, convert_leaf, v);
	}
	if (u->f->brackets)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: %s takes nothing in brackets",
			shown(u->e, u->at), u->f->name);
	if ((op == OP_MAXIMUM || op == OP_MINIMUM) && u->n > 2) {
		Binding *x = u->arg[0];
		for (uint32_t i = 1; x && i < u->n; i++)
			x = on_leaves(u->e, u->at, 2, (Binding *[]){x, u->arg[i]}, map_leaf, &op);
		return x;
	}
	for (uint32_t i = 0; i < u->n && (op_info[op].dtype == INT || op_info[op].dtype == BITS); i++)
		if (u->arg[i]->kind == B_NODE) ask_integers(u->e, u->arg[i]->node);
	return on_leaves(u->e, u->at, u->n, u->arg, map_leaf, &op);
}

/* ---- folds -------------------------------------------------------------------------------- */

typedef struct FoldCall {
	Op op;
	const Numbers *axes;
} FoldCall;

static Node *fold_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const FoldCall *f = user;
	Graph *g = e->g;
	int64_t all[RANK_MAX];
	(void)n;
	if (x[0]->type->kind != TYPE_ARRAY)
		return graph_fail(g, ERR_TYPE, "%s: the operand is no array", op_info[f->op].text);
	uint32_t rank = node_rank(x[0]), k = f->axes->n ? f->axes->n : rank;
	if (k > rank)
		return graph_fail(
			g, ERR_TYPE, "%s: %u axes in brackets for %u axes", op_info[f->op].text, k, rank);
	for (uint32_t i = 0; i < k; i++) {
		all[i] = f->axes->n ? f->axes->v[i] : i;
		if (all[i] < 0 && all[i] + rank >= 0) all[i] += rank;
	}
	Dtype d = node_dtype(x[0]);
	bool summed = (f->op == OP_SUM || f->op == OP_PROD) && !dtype_is_float(d) && !dtype_is_complex(d);
	if (!rank && !k && !summed && f->op != OP_ARGMAX && f->op != OP_ARGMIN && d != DT_WEAK_INT)
		return x[0];
	Node *y = fold(g, f->op, x[0], k, all);
	return f->axes->flag ? unsqueeze(g, y, k, all) : y;
}

Binding *call_fold(Use *u, Op op)
{
	Numbers axes;
	if (!wants(u, 1) || !read_numbers(u, "keep", false, &axes)) return NULL;
	at(u->e, u->at);
	FoldCall f = {op, &axes};
	Binding *b = on_leaves(u->e, u->at, 1, u->arg, fold_leaf, &f);
	if (!b || b->kind == B_NODE || axes.n) return b;
	/* over all axes: all leaves too */
	uint32_t n = binding_leaves(b, NULL);
	Node **leaf = NEW_ARRAY(u->e->g->arena, Node *, n);
	binding_leaves(b, leaf);
	if (!n || op_joining(op) == OP_NONE)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: of a structure: %s", shown(u->e, u->at),
			shown_type(u->e, u->arg[0]));
	for (uint32_t i = 1; i < n; i++) leaf[0] = build2(u->e->g, op_joining(op), leaf[0], leaf[i]);
	return bind_node(u->e->g, leaf[0]);
}

static Node *cumulative_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	(void)n;
	return build(e->g, OP_CUMSUM, attr_ints(e->g, 1, user), 1, x);
}

Binding *call_cumulative(Use *u)
{
	int64_t axis;
	if (!wants(u, 1) || !one_axis(u, &axis)) return NULL;
	at(u->e, u->at);
	return on_leaves(u->e, u->at, 1, u->arg, cumulative_leaf, &axis);
}

/* ---- views ---------------------------------------------------------------------------------- */

typedef struct View {
	Op op;
	const Numbers *n;
} View;

static Node *slice_or_pad(Elab *e, const View *w, Node *x)
{
	uint32_t r = node_rank(x);
	const Numbers *v = w->n;
	if (v->n != 3 * r)
		return graph_fail(e->g, ERR_TYPE,
			"%s: %u values in brackets for %u axes; three each are wanted", op_info[w->op].text,
			v->n, r);
	return (w->op == OP_SLICE ? slice : pad)(e->g, x, v->size, v->size + r, v->v + 2 * r);
}

static Node *view_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const View *w = user;
	const Numbers *v = w->n;
	Graph *g = e->g;
	int64_t axes[RANK_MAX];
	const Size *sizes[RANK_MAX];
	(void)n;
	if (x[0]->type->kind != TYPE_ARRAY)
		return graph_fail(g, ERR_TYPE, "%s: the operand is no array", op_info[w->op].text);
	switch (w->op) {
	case OP_RESHAPE: return reshape(g, x[0], v->n, v->size);
	case OP_TRANSPOSE:
		if (v->n != node_rank(x[0]))
			return graph_fail(g, ERR_TYPE, "transpose: %u axes in brackets for %u axes", v->n,
				node_rank(x[0]));
		for (uint32_t i = 0; i < v->n; i++) axes[i] = v->v[i] < 0 ? v->v[i] + v->n : v->v[i];
		return transpose(g, x[0], axes);
	case OP_EXPAND:
		if (v->n % 2 || v->n / 2 > RANK_MAX)
			return graph_fail(
				g, ERR_TYPE, "expand: pairs of axis and size are wanted: expand[0, n](x)");
		for (uint32_t i = 0; i < v->n / 2; i++) {
			axes[i] = v->v[2 * i];
			sizes[i] = v->size[2 * i + 1];
		}
		return expand(g, x[0], v->n / 2, axes, sizes);
	case OP_FLIP:
		for (uint32_t i = 0; !v->n && i < node_rank(x[0]); i++) axes[i] = i;
		return flip(g, x[0], v->n ? v->n : node_rank(x[0]), v->n ? v->v : axes);
	default: return slice_or_pad(e, w, x[0]);
	}
}

Binding *call_view(Use *u, Op op)
{
	Numbers v;
	if (!wants(u, 1) || !read_numbers(u, NULL, true, &v)) return NULL;
	at(u->e, u->at);
	return on_leaves(u->e, u->at, 1, u->arg, view_leaf, &(View){op, &v});
}

static Node *squeeze_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const Numbers *v = user;
	int64_t ones[RANK_MAX];
	uint32_t k = 0;
	(void)n;
	if (x[0]->type->kind != TYPE_ARRAY)
		return graph_fail(e->g, ERR_TYPE, "squeeze: the operand is no array");
	if (v->n) return squeeze(e->g, x[0], v->n, v->v);
	for (uint32_t i = 0; i < node_rank(x[0]); i++)
		if (size_equals(node_dim(x[0], i), 1)) ones[k++] = i;
	return squeeze(e->g, x[0], k, ones);
}

/* Without axes of size 1: those in brackets, or all whose size is the number 1. */
Binding *call_squeeze(Use *u)
{
	Numbers v;
	if (!wants(u, 1) || !read_numbers(u, NULL, false, &v)) return NULL;
	at(u->e, u->at);
	return on_leaves(u->e, u->at, 1, u->arg, squeeze_leaf, &v);
}

static Node *concat_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	return concat(e->g, *(const int64_t *)user, n, x);
}

Binding *call_concat(Use *u)
{
	int64_t axis;
	if (!one_axis(u, &axis)) return NULL;
	if (!u->n) return fail_at_syntax(u->e, u->at, ERR_TYPE, "concat: of nothing");
	at(u->e, u->at);
	bool arrays = true;
	Node **x = NEW_ARRAY(u->e->g->arena, Node *, u->n);
	for (uint32_t i = 0; i < u->n; i++) {
		arrays &= u->arg[i]->kind == B_NODE;
		x[i] = arrays ? u->arg[i]->node : NULL;
	}
	return arrays ? bind_node(u->e->g, concat(u->e->g, axis, u->n, x))
		      : on_leaves(u->e, u->at, u->n, u->arg, concat_leaf, &axis);
}

/* ---- indices --------------------------------------------------------------------------------- */

typedef struct IndexCall {
	Op op;
	int64_t axis;
} IndexCall;

static Node *index_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const IndexCall *i = user;
	if (i->op == OP_GATHER) return gather(e->g, x[0], x[1], i->axis);
	if (n == 3) return scatter(e->g, i->op, x[0], x[1], x[2], i->axis);
	return NULL;
}

Binding *call_index(Use *u, Op op)
{
	IndexCall i = {.op = op};
	if (!wants(u, op == OP_GATHER ? 2 : 3) || !one_axis(u, &i.axis)) return NULL;
	if (u->arg[1]->kind == B_NODE) ask_integers(u->e, u->arg[1]->node);
	at(u->e, u->at);
	return on_leaves(u->e, u->at, u->n, u->arg, index_leaf, &i);
}

Binding *call_one_hot(Use *u)
{
	const Syntax *s = u->f->brackets;
	Graph *g = u->e->g;
	if (!wants(u, 1)) return NULL;
	Node *x = array_of(u, 0);
	if (!x || !s || s->count < 2 || s->count > 3)
		return x ? fail_at_syntax(
				   u->e, u->at, ERR_TYPE, "one_hot: a size stands in brackets: one_hot[n](i)")
			 : NULL;
	ask_integers(u->e, x);
	const Size *n = size_from(u->e, s->part[1], elab(u->e, u->f->brackets_env, s->part[1]));
	Binding *t = s->count == 3 ? elab(u->e, u->f->brackets_env, s->part[2]) : NULL;
	if (!n || (s->count == 3 && (!t || t->kind != B_TYPE || t->type->kind != TT_ARRAY)))
		return fail_at_syntax(u->e, s, ERR_TYPE, "one_hot: one_hot[n, f32](i) is wanted");
	AttrValue v[2] = {av_size(n), av_dtype(t ? term_dtype(t->type) : DT_F64)};
	at(u->e, u->at);
	return bind_node(g, build(g, OP_ONE_HOT, attr_make(g, 2, v), 1, &x));
}

Binding *call_top_k(Use *u)
{
	Numbers v;
	if (!read_numbers(u, NULL, true, &v)) return NULL;
	if (v.n != 1)
		return fail_at_syntax(
			u->e, u->at, ERR_TYPE, "top_k: how many stands in brackets: top_k[3](x)");
	AttrValue a = av_size(v.size[0]);
	return call_tuple(u, OP_TOP_K, attr_make(u->e->g, 1, &a));
}

Binding *call_tri_solve(Use *u)
{
	const Syntax *s = u->f->brackets;
	int64_t flag[2] = {0};
	for (uint32_t i = 1; s && i < s->count; i++) {
		const char *name = s->part[i]->kind == SYN_NAME ? s->part[i]->name : "";
		if (!strcmp(name, "turned"))
			flag[1] = 1;
		else if (!strcmp(name, "upper"))
			flag[0] = 1;
		else if (strcmp(name, "lower"))
			return fail_at_syntax(
				u->e, s, ERR_NAME, "tri_solve: the flags are lower, upper and turned");
	}
	Node *x[2] = {wants(u, 2) ? array_of(u, 0) : NULL, NULL};
	if (!x[0] || !(x[1] = array_of(u, 1))) return NULL;
	at(u->e, u->at);
	return bind_node(u->e->g, build(u->e->g, OP_TRI_SOLVE, attr_ints(u->e->g, 2, flag), 2, x));
}

/* Operators with several results. */
Binding *call_tuple(Use *u, Op op, const Attr *attr)
{
	Graph *g = u->e->g;
	Node *x = wants(u, 1) ? array_of(u, 0) : NULL;
	if (!x) return NULL;
	at(u->e, u->at);
	Node *t = build(g, op, attr, 1, &x);
	return t ? bind_tuple(g, 2, (Binding *[]){bind_node(g, get(g, t, 0)), bind_node(g, get(g, t, 1))})
		 : NULL;
}
