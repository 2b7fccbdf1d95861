/* cuts.c - a slice moved to where less is computed: f(x, y)[1:] is f(x[1:], y[1:]).
 *
 * Needs: a slice over a normal operand, and what of the region is needed twice.
 * Gives: an equal node, or NULL.  An axis along which elements meet (that of a softmax) keeps its cut, the
 * others go inwards: to the bit through maps and views, in another order of sums through folds and products.
 */
#include "rules.h"

/* A slice axis by axis. */
typedef struct Cuts {
	const Size *start[RANK_MAX], *length[RANK_MAX];
	int64_t step[RANK_MAX];
} Cuts;

static Cuts cuts_of(const Node *s)
{
	Cuts c;
	uint32_t r = node_rank(s);
	for (uint32_t d = 0; d < r; d++) {
		c.start[d] = s->attr->v[d].u.size;
		c.length[d] = s->attr->v[r + d].u.size;
		c.step[d] = s->attr->v[2 * r + d].u.i;
	}
	return c;
}

static Cuts no_cuts(Graph *g, const Type *t)
{
	Cuts c;
	for (uint32_t d = 0; d < t->n; d++) {
		c.start[d] = size_const(g, 0);
		c.length[d] = DIM(t, d);
		c.step[d] = 1;
	}
	return c;
}

static bool cuts_axis(const Cuts *c, const Type *t, uint32_t d)
{
	return !size_equals(c->start[d], 0) || c->length[d] != DIM(t, d) || c->step[d] != 1;
}

static void copy_axis(Cuts *to, uint32_t d, const Cuts *from, uint32_t k)
{
	to->start[d] = from->start[k];
	to->length[d] = from->length[k];
	to->step[d] = from->step[k];
}

/* A number everywhere is that number in another shape. */
static Node *uniform(Graph *g, const Node *x, const Size *const *dim)
{
	return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), node_rank(x), dim));
}

static Node *cut(Graph *g, Node *x, const Cuts *c)
{
	if (x && x->op == OP_CONST && constant_is_uniform(x)) return uniform(g, x, c->length);
	return slice(g, x, c->start, c->length, c->step);
}

/* ---- concatenations ----------------------------------------------------------------------- */

/* Slices of one array, one after the other, are one slice. */
Node *join_slices(Graph *g, Node *x)
{
	uint32_t axis = (uint32_t)attr_int(x, 0), r = node_rank(x);
	const Node *first = x->arg[0];
	const Size *start[RANK_MAX], *at = NULL;
	int64_t step[RANK_MAX];
	for (uint32_t k = 0; k < x->narg; k++) {
		const Node *s = x->arg[k];
		if (s->op != OP_SLICE || s->arg[0] != first->arg[0]) return NULL;
		for (uint32_t d = 0; d < r; d++) {
			const Size *from = s->attr->v[d].u.size;
			if (s->attr->v[2 * r + d].u.i != 1) return NULL;
			if (d == axis && !size_at_most(g, size_const(g, 0), s->attr->v[r + d].u.size))
				return NULL; /* the call checks it */
			if (d != axis ? from != first->attr->v[d].u.size : k && from != at) return NULL;
			start[d] = first->attr->v[d].u.size;
			step[d] = 1;
		}
		at = size_add(g, s->attr->v[axis].u.size, s->attr->v[r + axis].u.size);
	}
	return slice(g, first->arg[0], start, x->type->u.dim, step);
}

/* What lies in one part of a concatenation is a slice of that part; parts before and behind it go. */
static Node *slice_part(Graph *g, Node *x)
{
	Node *c = x->arg[0];
	uint32_t axis = (uint32_t)attr_int(c, 0), first = 0, n = c->narg;
	Cuts s = cuts_of(x);
	if (s.step[axis] != 1) return NULL;
	const Size *from = s.start[axis], *to = size_add(g, from, s.length[axis]);
	const Size *at = size_const(g, 0), *end = node_dim(c, axis);
	for (; first + 1 < n; first++) {
		const Size *next = size_add(g, at, node_dim(c->arg[first], axis));
		if (!size_at_most(g, next, from)) break;
		at = next;
	}
	for (; n > first + 1; n--) {
		const Size *before = size_sub(g, end, node_dim(c->arg[n - 1], axis));
		if (!size_at_most(g, to, before)) break;
		end = before;
	}
	if (n - first == c->narg || !size_at_most(g, at, from) || !size_at_most(g, to, end)) return NULL;
	s.start[axis] = size_sub(g, from, at);
	return cut(g, concat(g, axis, n - first, c->arg + first), &s);
}

/* ---- operators that cuts go through: of axis d of the result, may they? ------------------------------ */

int64_t axis_apart(Graph *g, const Node *x)
{
	static const char *const along[] = {"softmax", "log_softmax"};
	const char *name = library_name(x);
	if (x->op == OP_CUMSUM) return attr_int(x, 0);
	for (size_t i = 0; i < countof(along); i++)
		if (name && !strcmp(name, along[i])) {
			int64_t axis = shown_attr(g, x)->v[0].u.i;
			return axis < 0 ? axis + node_rank(x) : axis;
		}
	return -1;
}

Node *apart_over(Graph *g, const Node *x, Node *y, int64_t axis)
{
	const Attr *a = attr_ints(g, 1, &axis);
	if (!y) return NULL;
	if (x->op == OP_CUMSUM) return node_make(g, OP_CUMSUM, a, 1, &y);
	return g->apply_op(g, library_name(x), a, 1, &y);
}

static bool goes_through(Graph *g, const Node *f, const Cuts *c, uint32_t d, const Moves *m)
{
	bool real = m->laws & 1u << LAW_REAL;
	int64_t apart;
	switch (op_info[f->op].class) {
	case MAP: return f->narg && f->narg <= 4;
	case FOLD: return real || f->op == OP_MAX || f->op == OP_MIN || f->op == OP_ANY || f->op == OP_ALL;
	case CONTRACT: return real;
	default: break;
	}
	if (is_scatter(f)) return d != attr_int(f, 0);
	switch ((Op)f->op) {
	case OP_TRANSPOSE: return true;
	case OP_EXPAND:
	case OP_PAD: return f->narg == 1;
	case OP_CONCAT: return attr_int(f, 0) != d;
	case OP_ONE_HOT: return d + 1 < node_rank(f);
	case OP_GATHER: /* one that stays where it is, because what is below needs its axis whole */
		apart = real && node_is_scalar(f->arg[1]) ? axis_apart(g, f->arg[0]) : -1;
		return apart >= 0 && apart != d + (d >= attr_int(f, 0)) && !needed_twice(m->needs, f->arg[0]);
	case OP_CUMSUM:
		if (attr_int(f, 0) == d) return c->step[d] == 1 && size_equals(c->start[d], 0);
		return true;
	default: return real && (apart = axis_apart(g, f)) >= 0 && apart != d;
	}
}

static Node *through_map(Graph *g, const Node *f, const Cuts *c)
{
	Node *arg[4];
	for (uint32_t k = 0; k < f->narg; k++)
		if (!(arg[k] = cut(g, f->arg[k], c))) return NULL;
	return node_make(g, (Op)f->op, f->attr, f->narg, arg);
}

static Node *through_fold(Graph *g, const Node *f, const Cuts *c)
{
	Cuts in = no_cuts(g, f->arg[0]->type);
	int64_t axes[RANK_MAX];
	for (uint32_t k = 0; k < attr_count(f); k++) axes[k] = attr_int(f, k);
	for (uint32_t d = 0; d < node_rank(f); d++) copy_axis(&in, (uint32_t)unfolded_axis(f, d), c, d);
	return fold(g, (Op)f->op, cut(g, f->arg[0], &in), attr_count(f), axes);
}

static Node *through_product(Graph *g, const Node *f, const Cuts *c)
{
	Labels s = labels_of(f->attr);
	Node *arg[2];
	for (uint32_t side = 0; side < 2; side++) {
		Cuts in = no_cuts(g, f->arg[side]->type);
		for (uint32_t k = 0; k < s.n[side]; k++)
			for (uint32_t d = 0; d < s.n[2]; d++)
				if (s.l[side][k] == s.l[2][d]) copy_axis(&in, k, c, d);
		if (!(arg[side] = cut(g, f->arg[side], &in))) return NULL;
	}
	return contract_as(g, &s, arg[0], arg[1]);
}

static Node *through_transpose(Graph *g, const Node *f, const Cuts *c)
{
	Cuts in = no_cuts(g, f->arg[0]->type);
	int64_t perm[RANK_MAX];
	for (uint32_t d = 0; d < node_rank(f); d++) {
		perm[d] = attr_int(f, d);
		copy_axis(&in, (uint32_t)perm[d], c, d);
	}
	return transpose(g, cut(g, f->arg[0], &in), perm);
}

static Node *through_expand(Graph *g, const Node *f, const Cuts *c)
{
	Cuts in = no_cuts(g, f->arg[0]->type);
	int64_t axes[RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t d = 0; d < node_rank(f); d++)
		if (n < attr_count(f) / 2 && attr_int(f, 2 * n) == d) {
			axes[n] = d;
			size[n++] = c->length[d];
		} else {
			copy_axis(&in, d - n, c, d);
		}
	return expand(g, cut(g, f->arg[0], &in), n, axes, size);
}

static Node *through_concat(Graph *g, const Node *f, const Cuts *c)
{
	Node **part = NEW_ARRAY(g->arena, Node *, f->narg);
	uint32_t axis = (uint32_t)attr_int(f, 0);
	for (uint32_t k = 0; k < f->narg; k++) {
		Cuts in = *c;
		in.length[axis] = node_dim(f->arg[k], axis);
		if (!(part[k] = cut(g, f->arg[k], &in))) return NULL;
	}
	return concat(g, axis, f->narg, part);
}

/* What is below has one axis more, at `axis`, which stays whole. */
static Cuts with_whole(const Cuts *c, const Type *t, Graph *g, uint32_t axis)
{
	Cuts in = no_cuts(g, t);
	for (uint32_t d = 0; d < t->n; d++)
		if (d != axis) copy_axis(&in, d, c, d - (d > axis));
	return in;
}

static Node *through_gather(Graph *g, const Node *f, const Cuts *c)
{
	uint32_t axis = (uint32_t)attr_int(f, 0);
	Cuts in = with_whole(c, f->arg[0]->type, g, axis);
	return gather(g, cut(g, f->arg[0], &in), f->arg[1], axis);
}

static Node *through_one_hot(Graph *g, const Node *f, const Cuts *c)
{
	Node *i = cut(g, f->arg[0], c);
	return i ? node_make(g, OP_ONE_HOT, f->attr, 1, &i) : NULL;
}

static Node *through_write(Graph *g, const Node *f, const Cuts *c)
{
	uint32_t axis = (uint32_t)attr_int(f, 0), more = node_rank(f->arg[1]);
	Cuts in = no_cuts(g, f->arg[2]->type);
	for (uint32_t d = 0; d < node_rank(f); d++)
		if (d != axis) copy_axis(&in, d < axis ? d : d + more - 1, c, d);
	return scatter(g, (Op)f->op, cut(g, f->arg[0], c), f->arg[1], cut(g, f->arg[2], &in), axis);
}

/* A cut of what lies between zeros, or of zeros. */
static Node *through_pad(Graph *g, const Node *f, const Cuts *c)
{
	uint32_t r = node_rank(f);
	Cuts in = no_cuts(g, f->arg[0]->type), left = *c;
	const Size *before[RANK_MAX], *after[RANK_MAX];
	int64_t apart[RANK_MAX];
	bool any = false, zeros = false;
	for (uint32_t d = 0; d < r; d++) {
		const Size *n = node_dim(f->arg[0], d), *one = size_const(g, 1), *zero = size_const(g, 0);
		before[d] = f->attr->v[d].u.size;
		after[d] = f->attr->v[r + d].u.size;
		apart[d] = attr_int(f, 2 * r + d);
		if (!cuts_axis(c, f->type, d)) continue;
		const Size *last = size_add(g, c->start[d],
			size_mul(g, size_const(g, c->step[d]), size_sub(g, c->length[d], one)));
		bool turned = c->step[d] < 0;
		const Size *low = turned ? last : c->start[d], *high = turned ? c->start[d] : last;
		const Size *end =
			size_add(g, before[d], size_mul(g, size_const(g, apart[d]), size_sub(g, n, one)));
		bool known =
			size_at_most(g, zero, low) && size_at_most(g, size_add(g, high, one), node_dim(f, d));
		bool same = apart[d] == 1 || (c->step[d] == apart[d] && c->start[d] == before[d]);
		if (known &&
			(size_at_most(g, size_add(g, high, one), before[d]) ||
				size_at_most(g, size_add(g, end, one), low)))
			zeros = true;
		bool inside = size_at_most(g, before[d], low) && size_at_most(g, high, end);
		if (!known || !same || !inside) continue;
		in.start[d] = size_floordiv(g, size_sub(g, c->start[d], before[d]), size_const(g, apart[d]));
		in.step[d] = apart[d] == 1 ? c->step[d] : 1;
		in.length[d] = left.length[d] = c->length[d];
		left.start[d] = before[d] = after[d] = zero;
		left.step[d] = apart[d] = 1;
		any = true;
	}
	if (zeros) return constant_int(g, type_array(g, node_dtype(f), r, c->length), 0);
	if (!any) return NULL;
	return cut(g, pad(g, cut(g, f->arg[0], &in), before, after, apart), &left);
}

static Node *through(Graph *g, const Node *f, const Cuts *c)
{
	switch (op_info[f->op].class) {
	case MAP: return through_map(g, f, c);
	case FOLD: return through_fold(g, f, c);
	case CONTRACT: return through_product(g, f, c);
	default: break;
	}
	switch ((Op)f->op) {
	case OP_TRANSPOSE: return through_transpose(g, f, c);
	case OP_EXPAND: return through_expand(g, f, c);
	case OP_CONCAT: return through_concat(g, f, c);
	case OP_GATHER: return through_gather(g, f, c);
	case OP_ONE_HOT: return through_one_hot(g, f, c);
	default:
		if (is_scatter(f)) return through_write(g, f, c);
		return apart_over(g, f, cut(g, f->arg[0], c), axis_apart(g, f));
	}
}

/* A slice that goes backwards reads a flipped axis forwards. */
/* Backwards from the element that is first there; but where there may be none, what is left is taken as it
 * stands and flipped. */
static Node *of_flip(Graph *g, const Node *f, const Cuts *c)
{
	Cuts in = *c;
	int64_t axes[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t k = 0; k < attr_count(f); k++) {
		uint32_t d = (uint32_t)attr_int(f, k);
		if (!cuts_axis(c, f->type, d)) {
			axes[n++] = d;
			continue;
		}
		const Size *behind = size_sub(g, node_dim(f, d), c->start[d]);
		in.start[d] = size_sub(g, behind, size_const(g, 1));
		if (c->step[d] == INT64_MIN) return NULL;
		in.step[d] = -c->step[d];
		const bool sure = g->error.code || size_holds(g, size_const(g, 0), in.start[d], false);
		if (in.step[d] > 0 || sure) continue;
		if (c->step[d] != 1) return NULL;
		in.start[d] = size_sub(g, behind, c->length[d]);
		in.step[d] = 1;
		axes[n++] = d;
	}
	return flip(g, cut(g, f->arg[0], &in), n, axes);
}

/* Of axes of size 1 that come or go the rest is cut. */
static Node *of_reshape(Graph *g, const Node *f, const Cuts *c)
{
	const Node *y = f->arg[0];
	Cuts in = no_cuts(g, y->type);
	if (f->narg > 1 || is_sized(f)) return NULL;
	uint32_t i = 0;
	for (uint32_t d = 0; d < node_rank(f); d++) {
		if (size_equals(node_dim(f, d), 1)) {
			if (cuts_axis(c, f->type, d)) return NULL;
			continue;
		}
		while (i < node_rank(y) && size_equals(node_dim(y, i), 1)) i++;
		if (i == node_rank(y) || node_dim(y, i) != node_dim(f, d)) return NULL;
		copy_axis(&in, i++, c, d);
	}
	return reshape(g, cut(g, f->arg[0], &in), node_rank(f), c->length);
}

Node *move_cut(Graph *g, Node *x, const Moves *m)
{
	Node *f = x->arg[0];
	bool any = false;
	Cuts c = cuts_of(x), inner = no_cuts(g, f->type), left = c;
	if (f->type->kind != TYPE_ARRAY) return NULL;
	if (f->op == OP_PAD) return f->narg == 1 ? through_pad(g, f, &c) : NULL;
	if (f->op == OP_FLIP) return of_flip(g, f, &c);
	if (f->op == OP_RESHAPE) return of_reshape(g, f, &c);
	if (op_info[f->op].class != VIEW && needed_twice(m->needs, f)) {
		*m->again |= x->id > m->newest; /* what else needed f may be gone */
		return NULL;
	}
	for (uint32_t d = 0; d < node_rank(f); d++) {
		if (!cuts_axis(&c, f->type, d) || !goes_through(g, f, &c, d, m)) continue;
		copy_axis(&inner, d, &c, d);
		left.start[d] = size_const(g, 0);
		left.step[d] = 1;
		any = true;
	}
	if (any) return cut(g, through(g, f, &inner), &left);
	if (f->op == OP_CONCAT) return slice_part(g, x);
	return is_scatter(f) ? cut_written(g, x) : NULL;
}
