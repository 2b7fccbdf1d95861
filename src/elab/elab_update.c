/* elab_update.c - x with [i, :] = v, x with [1:-1] += v, p with .w = v: changed copies.
 *
 * Slices alone: += adds the padded value, = puts the value between what stays; so does += in a loop, where
 * the part is small.
 * An index on one axis is a scatter, and so are numbers on axes beside each other,
 * taken as one.  Several: the part x[i] is changed by the other subscripts and
 * written back, axis by axis from the left.  Index arrays that stand together are
 * one index of their axes too.
 */
#include "elaborator.h"

/* ---- slices alone ------------------------------------------------------------------ */

static Node *spread(Elab *e, Node *v, const Node *like)
{
	Graph *g = e->g;
	Dtype d = node_dtype(like);
	if (!v) return NULL;
	if (node_dtype(v) != d && dtype_promote(node_dtype(v), d) != d)
		return graph_fail(
			g, ERR_TYPE, "with: a value of %s into %s", dtype_name(node_dtype(v)), dtype_name(d));
	return spread_to(g, "with", cast(g, v, d), like->type->n, like->type->u.dim);
}

static bool forward(uint32_t n, const Sub *sub)
{
	for (uint32_t i = 0; i < n; i++)
		if (sub[i].kind == SUB_SLICE && sub[i].step < 0) return false;
	return true;
}

static bool strides(uint32_t n, const Sub *sub)
{
	for (uint32_t i = 0; i < n; i++)
		if (sub[i].kind == SUB_SLICE && sub[i].step != 1) return true;
	return false;
}

/* What is padded around the part so that it fills x: zeros before, between and after. */
static Node *pad_back(Elab *e, Node *x, Node *v, uint32_t n, const Sub *sub)
{
	Graph *g = e->g;
	const Size *before[RANK_MAX], *after[RANK_MAX];
	int64_t step[RANK_MAX];
	for (uint32_t i = 0; i < node_rank(x); i++) {
		before[i] = after[i] = size_const(g, 0);
		step[i] = 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (sub[i].kind != SUB_SLICE) continue;
		uint32_t a = sub[i].axis;
		const Size *inner = sub[i].length;
		before[a] = sub[i].start;
		step[a] = sub[i].step;
		if (sub[i].step > 1)
			inner = size_max(g, size_const(g, 0),
				size_add(g, size_const(g, 1),
					size_mul(g, size_const(g, sub[i].step),
						size_sub(g, inner, size_const(g, 1)))));
		after[a] = size_sub(g, size_sub(g, node_dim(x, a), sub[i].start), inner);
	}
	g->with = true;
	Node *y = pad(g, v, before, after, step);
	g->with = false;
	return y;
}

static Node *range(Elab *e, Node *x, uint32_t axis, const Size *start, const Size *length)
{
	Sub s = {.kind = SUB_SLICE, .axis = axis, .start = start, .length = length, .step = 1};
	return take_slices(e, x, 1, &s);
}

/* Written axis by axis: what stands before, the part (changed on later axes), what stands after. */
static Node *put_slices(Elab *e, Node *x, Node *v, uint32_t n, const Sub *sub)
{
	Graph *g = e->g;
	uint32_t i = 0;
	while (i < n && sub[i].kind != SUB_SLICE) i++;
	if (i == n) return spread(e, v, x);
	const Sub *s = &sub[i];
	uint32_t axis = s->axis;
	Node *part = take_slices(e, x, 1, s);
	if (!part || !(part = put_slices(e, part, v, n - i - 1, sub + i + 1))) return NULL;
	if (s->step != 1) {
		Sub same = *s;
		same.axis = 0;
		Node *at = take_slices(e, iota(g, node_dim(x, axis)), 1, &same);
		return scatter(g, OP_SCATTER_SET, x, at, part, axis);
	}
	const Size *end = size_add(g, s->start, s->length), *zero = size_const(g, 0);
	Node *piece[3];
	uint32_t k = 0;
	if (!size_equals(s->start, 0)) piece[k++] = range(e, x, axis, zero, s->start);
	piece[k++] = part;
	if (end != node_dim(x, axis))
		piece[k++] = range(e, x, axis, end, size_sub(g, node_dim(x, axis), end));
	return concat(g, axis, k, piece);
}

/* ---- indices --------------------------------------------------------------------------- */

/* A value written to a part of an array, or added to it. */
typedef struct Put {
	Elab *e;
	const Syntax *at;
	bool adds;
} Put;

static Node *put(const Put *p, Node *x, Node *v, uint32_t n, Sub *sub);

/* The other subscripts, as they stand on x[index]. */
static uint32_t without(uint32_t n, const Sub *sub, uint32_t gone, uint32_t rank, Sub *out)
{
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (i == gone) {
			for (uint32_t j = 0; j < rank; j++)
				out[k++] = (Sub){.kind = SUB_ALL, .axis = sub[i].axis + j, .step = 1};
			continue;
		}
		out[k] = sub[i];
		out[k++].axis += i > gone ? rank : 0;
		out[k - 1].axis -= i > gone ? 1 : 0;
	}
	return k;
}

static Node *put_index(const Put *p, Node *x, Node *v, uint32_t n, Sub *sub, uint32_t at_sub)
{
	Graph *g = p->e->g;
	const Sub *i = &sub[at_sub];
	bool alone = true;
	for (uint32_t k = 0; k < n; k++) alone &= k == at_sub || sub[k].kind == SUB_ALL;
	if (alone) return scatter(g, p->adds ? OP_SCATTER_ADD : OP_SCATTER_SET, x, i->index, v, i->axis);
	uint32_t rank = node_rank(i->index);
	Sub rest[SUB_MAX + RANK_MAX];
	Node *part = gather(g, x, i->index, i->axis);
	if (!part || n + rank > SUB_MAX) return NULL;
	uint32_t k = without(n, sub, at_sub, rank, rest);
	if (i->kind == SUB_SCALAR) {
		part = put(p, part, v, k, rest);
		return scatter(g, OP_SCATTER_SET, x, i->index, part, i->axis);
	}
	if (!p->adds)
		return scatter(g, OP_SCATTER_SET, x, i->index, put_slices(p->e, part, v, k, rest), i->axis);
	Node *zeros = constant_int(g, part->type, 0);
	return scatter(g, OP_SCATTER_ADD, x, i->index, put(p, zeros, v, k, rest), i->axis);
}

/* Several index arrays, on axes beside each other. */
typedef struct IndexAxes {
	uint32_t first, count;
} IndexAxes;

static Node *put_group(const Put *p, Node *x, Node *v, uint32_t n, const Sub *sub, IndexAxes axes)
{
	Sub one[SUB_MAX + RANK_MAX];
	uint32_t first = axes.first, count = axes.count;
	Node *flat = x, *index = flat_index(p->e, &flat, n, sub, first, count);
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (sub[i].kind == SUB_ARRAY && sub[i].axis > first) continue;
		one[k] = sub[i];
		if (sub[i].kind == SUB_ARRAY) one[k].index = index;
		one[k++].axis -= sub[i].axis > first ? count - 1 : 0;
	}
	flat = index ? put(p, flat, v, k, one) : NULL;
	return flat ? reshape(p->e->g, flat, node_rank(x), x->type->u.dim) : NULL;
}

/* Of the numbers from sub[at_sub] on: how many are of axes beside each other. */
static uint32_t numbers_beside(uint32_t n, const Sub *sub, uint32_t at_sub)
{
	uint32_t k = at_sub + 1;
	while (k < n && sub[k].kind == SUB_SCALAR && sub[k].axis == sub[k - 1].axis + 1) k++;
	return k - at_sub;
}

/* Those are one number of their axes, taken as one: an element is written, not a row with it. */
static Node *put_place(const Put *p, Node *x, Node *v, uint32_t n, const Sub *sub, uint32_t at_sub)
{
	Sub beside[SUB_MAX] = {0}, one[SUB_MAX + RANK_MAX];
	uint32_t count = numbers_beside(n, sub, at_sub), k = 0;
	for (uint32_t i = 0; i < count; i++) {
		beside[i] = sub[at_sub + i];
		beside[i].kind = SUB_ARRAY;
	}
	Node *flat = x, *index = flat_index(p->e, &flat, count, beside, sub[at_sub].axis, count);
	for (uint32_t i = 0; i < n; i++) {
		if (i > at_sub && i < at_sub + count) continue;
		one[k] = sub[i];
		if (i == at_sub) one[k].index = index;
		one[k++].axis -= i > at_sub ? count - 1 : 0;
	}
	flat = index ? put(p, flat, v, k, one) : NULL;
	return flat ? reshape(p->e->g, flat, node_rank(x), x->type->u.dim) : NULL;
}

/* The slice of a part: the part is changed, and put in its place. */
static Node *put_part(const Put *p, Node *x, Node *v, uint32_t n, Sub *sub, uint32_t at_sub)
{
	Sub *i = &sub[at_sub],
	    part = {.kind = SUB_SLICE, .axis = i->axis, .start = i->part->start, .length = i->part->length,
	.step = 1};
	Node *taken = take_slices(p->e, x, 1, &part);
	i->nparts--;
	memmove(i->part, i->part + 1, i->nparts * sizeof *i->part);
	return put_slices(p->e, x, put(p, taken, v, n, sub), 1, &part);
}

static Node *put(const Put *p, Node *x, Node *v, uint32_t n, Sub *sub)
{
	Elab *e = p->e;
	IndexAxes axes = {0, 0};
	if (!x || !v || !array_group(e, p->at, n, sub, &axes.first, &axes.count)) return NULL;
	for (uint32_t i = 0; i < n; i++)
		if (sub[i].nparts && p->adds) return put_part(p, x, v, n, sub, i);
	/* scalars first: they make everything smaller */
	for (uint32_t i = 0; i < n; i++)
		if (sub[i].kind == SUB_SCALAR)
			return numbers_beside(n, sub, i) > 1 ? put_place(p, x, v, n, sub, i)
							     : put_index(p, x, v, n, sub, i);
	if (axes.count > 1) return put_group(p, x, v, n, sub, axes);
	for (uint32_t i = 0; i < n; i++)
		if (sub[i].kind == SUB_ARRAY) return put_index(p, x, v, n, sub, i);
	if (!p->adds) return put_slices(e, x, v, n, sub);
	Node *part = take_slices(e, x, n, sub);
	v = part ? spread(e, v, part) : NULL;
	if (!v) return NULL;
	/* in a loop a part that is small stays where it is, and costs no more than it has */
	const Size *some = type_elements(e->g, part->type), *all = type_elements(e->g, x->type);
	bool alone = e->around && !strides(n, sub) && !size_grows_as(some, all);
	return forward(n, sub) && !alone ? build2(e->g, OP_ADD, x, pad_back(e, x, v, n, sub))
					 : put_slices(e, x, build2(e->g, OP_ADD, part, v), n, sub);
}

typedef struct Update {
	Env env;
	const Syntax *subs, *at;
	bool adds;
	Node *before; /* the effects before those of the indices, which happen once for all leaves */
} Update;

static Node *update_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const Update *u = user;
	Sub sub[SUB_MAX + RANK_MAX];
	(void)n;
	if (x[0]->type->kind != TYPE_ARRAY)
		return fail_at_syntax(e, u->at, ERR_TYPE, "%s: no array", shown(e, u->at));
	e->token = u->before;
	uint32_t k = read_subs(e, u->env, u->subs, x[0], "", sub), kept = 0;
	if (k == UINT32_MAX) return NULL;
	for (uint32_t i = 0; i < k; i++) /* a new axis is one of the value alone */
		if (sub[i].kind == SUB_NEW)
			return fail_at_syntax(e, u->subs, ERR_TYPE, "with: no new axis stands on the left");
		else
			sub[kept++] = sub[i];
	at(e, u->at);
	Node *base = x[0];
	Dtype d = DT_NONE; /* numbers become what is put among them */
	if (dtype_is_weak(node_dtype(base)) && x[1]->type->kind == TYPE_ARRAY)
		d = dtype_promote(node_dtype(x[1]), node_dtype(base));
	if (d != DT_NONE) base = cast(e->g, base, d);
	return base ? put(&(Put){e, u->at, u->adds}, base, x[1], kept, sub) : NULL;
}

/* ---- paths ---------------------------------------------------------------------------------- */

static Node *add_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	(void)user;
	(void)n;
	return arith(e, OP_ADD, x[0], x[1]);
}

/* base with the rest of the path from step k on changed. */
static Binding *change(Elab *e, Env env, const Syntax *c, uint32_t k, Binding *base, Binding *value)
{
	uint32_t steps = c->count - 1;
	if (!base) return NULL;
	if (k == steps)
		return c->sign == SIGN_ADD ? on_leaves(e, c, 2, (Binding *[]){base, value}, add_leaf, NULL)
					   : value;
	const Syntax *p = c->part[k];
	if (p->kind == SYN_FIELD) {
		Binding *old = binding_field(base, p->name);
		if (!old)
			return fail_at_syntax(e, p, ERR_NAME, "with: %s has no field %s",
				base->kind == B_RECORD ? shown_type(e, base) : kind_text(base), p->name);
		Binding *new = change(e, env, c, k + 1, old, value),
			**elem = NEW_ARRAY(e->g->arena, Binding *, base->n);
		for (uint32_t i = 0; i < base->n; i++)
			elem[i] = base->elem[i] == old && base->field[i] == p->name ? new : base->elem[i];
		return bind_record(e->g, base->n, base->field, elem);
	}
	bool last = k + 1 == steps;
	Update u = {env, p, c, last && c->sign == SIGN_ADD, e->token};
	if (!last) { /* the element changed, then written back */
		Binding *old = elab_index(e, env, p, base);
		value = change(e, env, c, k + 1, old, value);
	}
	Node *after = e->token;
	Binding *b = value ? on_leaves(e, c, 2, (Binding *[]){base, value}, update_leaf, &u) : NULL;
	if (!last) e->token = after;
	return b;
}

Binding *elab_with(Elab *e, Env env, const Syntax *s)
{
	Binding *x = elab(e, env, s->part[0]);
	for (uint32_t i = 1; x && i < s->count; i++) {
		const Syntax *c = s->part[i];
		Binding *value = elab(e, env, c->part[c->count - 1]);
		at(e, c);
		x = value ? change(e, env, c, 0, x, value) : NULL;
	}
	return x;
}
