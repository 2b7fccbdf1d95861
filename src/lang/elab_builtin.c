/* elab_builtin.c - operators called by name: maps, folds, views, indices, random draws. */
#include "elab_builtin.h"

/* ---- brackets ------------------------------------------------------------------------ */

/* The numbers in the brackets, and whether the flag is among them (flag may be NULL). */
typedef struct Numbers {
	uint32_t n;
	const Size *size[3 * RANK_MAX];
	int64_t v[3 * RANK_MAX];
	bool flag;
} Numbers;

static bool add_number(Use *u, Numbers *out, const Syntax *s, Binding *b, bool sizes)
{
	if (!b) return false;
	if (b->kind == B_TUPLE) {
		for (uint32_t i = 0; i < b->n; i++)
			if (!add_number(u, out, s, b->elem[i], sizes)) return false;
		return true;
	}
	if (out->n == countof(out->v))
		return fail_at_syntax(u->e, s, ERR_TYPE, "%s: too many values in brackets", u->f->name);
	if (sizes) {
		if (!(out->size[out->n] = size_from(u->e, s, b))) return false;
	}
	if (!known_int(b, &out->v[out->n]) && !sizes)
		return fail_at_syntax(
			u->e, s, ERR_TYPE, "%s: %s is no number here", u->f->name, shown(u->e, s));
	out->n++;
	return true;
}

static bool read_numbers(Use *u, const char *flag, bool sizes, Numbers *out)
{
	const Syntax *s = u->f->brackets;
	*out = (Numbers){0};
	for (uint32_t i = 1; s && i < s->count; i++) {
		const Syntax *x = s->part[i];
		if (flag && x->kind == SYN_NAME && !strcmp(x->name, flag)) {
			out->flag = true;
		} else if (x->kind == SYN_ENTRY && flag && !strcmp(x->name, flag)) {
			if (!known_bool(u->e, elab(u->e, u->f->brackets_env, x->part[0]), &out->flag))
				return fail_at_syntax(
					u->e, x, ERR_TYPE, "%s: %s is true or false", u->f->name, flag);
		} else if (x->kind == SYN_ENTRY || x->kind == SYN_SLICE || (x->kind == SYN_RUN && !x->name)) {
			return fail_at_syntax(u->e, x, ERR_NAME, "%s: %s has no such bracket value",
				shown(u->e, s), u->f->name);
		} else if (!add_number(u, out, x,
				   x->kind == SYN_RUN ? lookup(u->e, u->f->brackets_env, x)
						      : elab(u->e, u->f->brackets_env, x),
				   sizes)) {
			return false;
		}
	}
	return true;
}

bool wants(Use *u, uint32_t n)
{
	for (uint32_t i = 0; i < u->n; i++)
		if (u->given[i].name)
			return fail_at_syntax(u->e, u->at, ERR_NAME, "%s has no parameter %s", u->f->name,
				u->given[i].name);
	if (u->n != n)
		return fail_at_syntax(
			u->e, u->at, ERR_TYPE, "%s: given %u operands, wanted %u", u->f->name, u->n, n);
	return true;
}

Node *array_of(Use *u, uint32_t i)
{
	if (u->arg[i]->kind != B_NODE || u->arg[i]->node->type->kind != TYPE_ARRAY)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: given %s, wanted an array",
			shown(u->e, u->at), kind_text(u->arg[i]));
	return u->arg[i]->node;
}

/* The axis in brackets, the first if there is none. */
static bool one_axis(Use *u, int64_t *axis)
{
	Numbers v;
	if (!read_numbers(u, NULL, false, &v)) return false;
	if (v.n > 1)
		return fail_at_syntax(u->e, u->f->brackets, ERR_TYPE,
			"%s: %u axes in brackets, one is wanted", u->f->name, v.n);
	return *axis = v.n ? v.v[0] : 0, true;
}

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
	return v[1].u.i == OP_CAST ? cast(e->g, x[0], v[0].u.dtype) : bitcast(e->g, x[0], v);
}

static Binding *map(Use *u, Op op)
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
	return on_leaves(u->e, u->at, u->n, u->arg, map_leaf, &op);
}

/* ---- folds -------------------------------------------------------------------------------- */

typedef struct Fold {
	Op op;
	const Numbers *axes;
} Fold;

static Node *fold_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const Fold *f = user;
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

static Op joins(Op fold)
{
	switch (fold) {
	case OP_SUM: return OP_ADD;
	case OP_PROD: return OP_MUL;
	case OP_MAX: return OP_MAXIMUM;
	case OP_MIN: return OP_MINIMUM;
	case OP_ANY: return OP_OR;
	case OP_ALL: return OP_AND;
	case OP_LOGSUMEXP: return OP_LOGADDEXP;
	default: return OP_NONE;
	}
}

static Binding *folded(Use *u, Op op)
{
	Numbers axes;
	if (!wants(u, 1) || !read_numbers(u, "keep", false, &axes)) return NULL;
	at(u->e, u->at);
	Fold f = {op, &axes};
	Binding *b = on_leaves(u->e, u->at, 1, u->arg, fold_leaf, &f);
	if (!b || b->kind == B_NODE || axes.n) return b;
	/* over all axes: all leaves too */
	uint32_t n = binding_leaves(b, NULL);
	Node **leaf = NEW_ARRAY(u->e->g->arena, Node *, n);
	binding_leaves(b, leaf);
	if (!n || joins(op) == OP_NONE)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: of a structure: %s", shown(u->e, u->at),
			shown_type(u->e, u->arg[0]));
	for (uint32_t i = 1; i < n; i++) leaf[0] = build2(u->e->g, joins(op), leaf[0], leaf[i]);
	return bind_node(u->e->g, leaf[0]);
}

static Node *cumulative_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	(void)n;
	return build(e->g, OP_CUMSUM, attr_ints(e->g, 1, user), 1, x);
}

static Binding *cumulative(Use *u)
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
		for (uint32_t i = 0; i < v->n / 2; i++) axes[i] = v->v[2 * i], sizes[i] = v->size[2 * i + 1];
		return expand(g, x[0], v->n / 2, axes, sizes);
	case OP_FLIP: return flip(g, x[0], v->n, v->v);
	default: return slice_or_pad(e, w, x[0]);
	}
}

static Binding *view(Use *u, Op op)
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
static Binding *squeezed(Use *u)
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

static Binding *joined(Use *u)
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

typedef struct Index {
	Op op;
	int64_t axis;
} Index;

static Node *index_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const Index *i = user;
	return i->op == OP_GATHER ? gather(e->g, x[0], x[1], i->axis)
		: n == 3          ? scatter(e->g, i->op, x[0], x[1], x[2], i->axis)
				  : NULL;
}

static Binding *indexed(Use *u, Op op)
{
	Index i = {.op = op};
	if (!wants(u, op == OP_GATHER ? 2 : 3) || !one_axis(u, &i.axis)) return NULL;
	at(u->e, u->at);
	return on_leaves(u->e, u->at, u->n, u->arg, index_leaf, &i);
}

static Binding *one_hot(Use *u)
{
	const Syntax *s = u->f->brackets;
	Graph *g = u->e->g;
	if (!wants(u, 1)) return NULL;
	Node *x = array_of(u, 0);
	if (!x || !s || s->count < 2 || s->count > 3)
		return x ? fail_at_syntax(
				   u->e, u->at, ERR_TYPE, "one_hot: a size stands in brackets: one_hot[n](i)")
			 : NULL;
	const Size *n = size_from(u->e, s->part[1], elab(u->e, u->f->brackets_env, s->part[1]));
	Binding *t = s->count == 3 ? elab(u->e, u->f->brackets_env, s->part[2]) : NULL;
	if (!n || (s->count == 3 && (!t || t->kind != B_TYPE || t->type->kind != TT_ARRAY)))
		return fail_at_syntax(u->e, s, ERR_TYPE, "one_hot: one_hot[n, f32](i) is wanted");
	AttrValue v[2] = {av_size(n), av_dtype(t ? term_dtype(t->type) : DT_F64)};
	at(u->e, u->at);
	return bind_node(g, build(g, OP_ONE_HOT, attr_make(g, 2, v), 1, &x));
}

/* Operators with several results. */
static Binding *several(Use *u, Op op, const Attr *attr)
{
	Graph *g = u->e->g;
	Node *x = wants(u, 1) ? array_of(u, 0) : NULL;
	if (!x) return NULL;
	at(u->e, u->at);
	Node *t = build(g, op, attr, 1, &x);
	return t ? bind_tuple(g, 2, (Binding *[]){bind_node(g, get(g, t, 0)), bind_node(g, get(g, t, 1))})
		 : NULL;
}

static Binding *top_k(Use *u)
{
	Numbers v;
	if (!read_numbers(u, NULL, true, &v)) return NULL;
	if (v.n != 1)
		return fail_at_syntax(
			u->e, u->at, ERR_TYPE, "top_k: how many stands in brackets: top_k[3](x)");
	AttrValue a = av_size(v.size[0]);
	return several(u, OP_TOP_K, attr_make(u->e->g, 1, &a));
}

static Binding *tri_solve(Use *u)
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

/* ---- what is known of values ------------------------------------------------------------------------ */

static Binding *size_of(Use *u)
{
	Numbers axes;
	Node *x = wants(u, 1) ? array_of(u, 0) : NULL;
	if (!x || !read_numbers(u, NULL, false, &axes)) return NULL;
	const Size *s = size_const(u->e->g, 1);
	uint32_t rank = node_rank(x), n = axes.n ? axes.n : rank;
	for (uint32_t i = 0; i < n; i++) {
		int64_t a = axes.n ? axes.v[i] : i;
		a += a < 0 ? rank : 0;
		if (a < 0 || a >= rank)
			return fail_at_syntax(u->e, u->at, ERR_TYPE, "size: axis %lld of %s", (long long)a,
				shown_type(u->e, u->arg[0]));
		s = size_mul(u->e->g, s, node_dim(x, (uint32_t)a));
	}
	return size_value(u->e->g, s);
}

static Binding *len(Use *u)
{
	if (!wants(u, 1)) return NULL;
	if (u->arg[0]->kind == B_TUPLE) return bind_node(u->e->g, weak_int(u->e->g, u->arg[0]->n));
	Binding *b = u->arg[0];
	while (b->kind == B_RECORD && b->n) /* a structure with a leading axis */
		b = b->elem[0];
	if (b->kind != B_NODE || b->node->type->kind != TYPE_ARRAY || !node_rank(b->node))
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: given %s, wanted an array with an axis",
			shown(u->e, u->at), shown_type(u->e, u->arg[0]));
	return size_value(u->e->g, node_dim(b->node, 0));
}

static Binding *get_element(Use *u)
{
	Numbers v;
	if (!wants(u, 1) || !read_numbers(u, NULL, false, &v)) return NULL;
	if (v.n != 1 || u->arg[0]->kind != B_TUPLE || v.v[0] < 0 || v.v[0] >= u->arg[0]->n)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: no such element of %s", shown(u->e, u->at),
			shown_type(u->e, u->arg[0]));
	return u->arg[0]->elem[v.v[0]];
}

static Binding *wrapped(Use *u)
{
	if (!strcmp(u->f->name, "checkpoint"))
		return fail_at_syntax(u->e, u->at, ERR_UNSUPPORTED, "checkpoint is not supported yet");
	if (!wants(u, 1)) return NULL;
	if (u->arg[0]->kind != B_FUNCTION)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: given %s, wanted a function",
			shown(u->e, u->at), kind_text(u->arg[0]));
	return bind_function(
		u->e->g, &(FunctionValue){.kind = F_WRAPPED, .name = u->f->name, .inner = u->arg[0]});
}

static Binding *counted(Use *u)
{
	Numbers v;
	if (!read_numbers(u, NULL, true, &v)) return NULL;
	if (v.n != 1 || u->n) return fail_at_syntax(u->e, u->at, ERR_TYPE, "iota: iota[n]() is wanted");
	at(u->e, u->at);
	return bind_node(u->e->g, iota(u->e->g, v.size[0]));
}

static Binding *make_key(Use *u)
{
	Node *x = wants(u, 1) ? array_of(u, 0) : NULL;
	if (!x) return NULL;
	if (!dtype_is_integer(node_dtype(x)))
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "key: given %s, wanted an integer",
			shown_type(u->e, u->arg[0]));
	at(u->e, u->at);
	x = cast(u->e->g, x, dtype_strong(node_dtype(x)));
	return bind_node(u->e->g, build1(u->e->g, OP_KEY, x));
}

static Binding *type_of_operand(Use *u)
{
	return wants(u, 1) ? bind_type(u->e->g, type_of_value(u->e, u->arg[0])) : NULL;
}

static Binding *rank_of(Use *u)
{
	Node *x = wants(u, 1) ? array_of(u, 0) : NULL;
	return x ? bind_node(u->e->g, weak_int(u->e->g, node_rank(x))) : NULL;
}

/* ---- by name ------------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	Binding *(*make)(Use *);
} special[] = {
	{"len", len},
	{"rank", rank_of},
	{"size", size_of},
	{"typeof", type_of_operand},
	{"iota", counted},
	{"key", make_key},
	{"get", get_element},
	{"checkpoint", wrapped},
	{"exact", wrapped},
	{"concat", joined},
	{"one_hot", one_hot},
	{"top_k", top_k},
	{"tri_solve", tri_solve},
	{"einsum", einsum},
	{"cumsum", cumulative},
	{"squeeze", squeezed},
};

static Op any_op(const char *name, uint32_t n)
{
	size_t len = strlen(name);
	if ((unsigned char)name[0] < 'A') return OP_NONE;
	Op op = op_named(name, len, (int)n);
	if (op == OP_NONE && n > 2 && (!strcmp(name, "max") || !strcmp(name, "min")))
		op = op_named(name, len, 2);
	return op;
}

bool is_builtin(const char *name)
{
	for (size_t i = 0; i < countof(special); i++)
		if (!strcmp(special[i].name, name)) return true;
	for (uint32_t n = 0; n < 4; n++)
		if (any_op(name, n) != OP_NONE) return true;
	return false;
}

static Binding *by_operator(Use *u)
{
	Op op = any_op(u->f->name, u->n);
	if (op == OP_NONE)
		return fail_at_syntax(u->e, u->at, ERR_TYPE, "%s: %s does not take %u operands",
			shown(u->e, u->at), u->f->name, u->n);
	switch (op_info[op].class) {
	case MAP: return map(u, op);
	case FOLD: return folded(u, op);
	case VIEW: return view(u, op);
	case RANDOM: return random_draw(u, op);
	case INDEX: return indexed(u, op);
	case SOLVE: return several(u, op, NULL);
	default:
		return fail_at_syntax(u->e, u->at, ERR_UNSUPPORTED, "%s: %s is not supported yet",
			shown(u->e, u->at), u->f->name);
	}
}

Binding *apply_builtin(Elab *e, const Syntax *s, const FunctionValue *f, uint32_t n, const Given *given)
{
	Use u = {e, s, f, n, given, NEW_ARRAY(e->g->arena, Binding *, n)};
	for (uint32_t i = 0; i < n; i++) u.arg[i] = given[i].value;
	for (size_t i = 0; i < countof(special); i++)
		if (!strcmp(special[i].name, f->name)) return special[i].make(&u);
	return by_operator(&u);
}
