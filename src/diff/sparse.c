/* sparse.c - Jacobians by the elements that may be other than zero: their values, rows and columns.
 *
 * The linear part of a function, or its transpose, is swept by diagonals (sparse_sweep.c), along as many axes
 * as can be followed; along the others by all unit vectors.  Both ways are tried, and the one that follows
 * more, then the one that computes less, is taken.
 */
#include "sparse.h"
#include "../batch/batch.h"

/* A mode: the linear part of y by x (forward), or its transpose.  A diagonal lies over `own`, y or x, and its
 * form tells places in `other`. */
typedef struct SweptMode {
	Node *own, *other;
	Node *leaf, *linear; /* of other's type; the linear part over it */
	uint32_t n;          /* followed axes of other */
	uint32_t axis[RANK_MAX];
	const Size *lanes; /* unit vectors along its axes that are not followed; NULL: there is none */
	Diagonals d;       /* with lanes an axis more, in front */
	uint32_t cost;
} SweptMode;

/* ---- sweeping ------------------------------------------------------------ */

static bool is_followed(const SweptMode *m, uint32_t axis)
{
	for (uint32_t t = 0; t < m->n; t++)
		if (m->axis[t] == axis) return true;
	return false;
}

/* The unit vectors along the axes that are not followed, the same at all places of those that are, along a
 * first axis. */
static Node *unit_lanes(Graph *g, const SweptMode *m)
{
	const Type *t = m->other->type;
	const Size *dim[RANK_MAX + 1] = {m->lanes}, *all[RANK_MAX];
	int64_t axes[RANK_MAX];
	uint32_t n = 0, k = 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (!is_followed(m, i))
			dim[++n] = DIM(t, i);
		else {
			axes[k] = i + 1;
			all[k++] = DIM(t, i);
		}
	AttrValue v[2] = {av_size(m->lanes), av_dtype((Dtype)t->dtype)};
	Node *i = iota(g, m->lanes), *e = i ? node_make(g, OP_ONE_HOT, attr_make(g, 2, v), 1, &i) : NULL;
	e = e ? reshape(g, e, n + 1, dim) : NULL;
	return e ? expand(g, e, k, axes, all) : NULL;
}

/* Diagonals for all lanes. */
static bool in_lanes(Graph *g, Arena *a, SweptMode *m, Node *seed)
{
	Node *rows = unit_lanes(g, m), **value = NEW_ARRAY(a, Node *, m->d.n + 1),
	     **out = NEW_ARRAY(a, Node *, m->d.n + 1);
	for (uint32_t i = 0; i < m->d.n; i++) value[i] = m->d.v[i].value;
	if (!rows || !batch(g, &(Lanes){.n = m->lanes, .nx = 1, .x = &seed, .xs = &rows}, m->d.n, value, out))
		return false;
	for (uint32_t i = 0; i < m->d.n; i++) m->d.v[i].value = out[i];
	return true;
}

/* Without the axes whose places get lost; false with an error. */
static bool follow(Graph *g, Arena *a, SweptMode *m)
{
	const Type *t = m->other->type;
	for (uint32_t i = 0; i < t->n; i++) m->axis[m->n++] = i;
	for (; m->n || !t->n;) {
		Sweep s;
		sweep_open(&s, (Forms){g, a, m->n, m->n == t->n ? t : NULL});
		const Size **form = form_new(&s.forms, t->n);
		for (uint32_t k = 0; k < m->n; k++) form[k * (t->n + 1) + m->axis[k]] = size_const(g, 1);
		Node *seed = m->n == t->n ? like(g, m->leaf, 1) : fresh(g, t, NULL);
		sweep_seed(&s, m->leaf, (Diagonal){.form = form, .value = seed});
		bool good = sweep_run(&s, 1, &m->linear);
		if (g->error.code) return false;
		const Diagonals *d = good ? sweep_of(&s, m->linear) : NULL;
		if (good) {
			m->cost = s.made;
			if (d) m->d = *d;
			if (m->n == t->n) return true;
			m->lanes = size_const(g, 1);
			for (uint32_t i = 0; i < t->n; i++)
				if (!is_followed(m, i)) m->lanes = size_mul(g, m->lanes, DIM(t, i));
			return m->lanes && in_lanes(g, a, m, seed);
		}
		m->n--;
		for (uint32_t k = s.lost; k < m->n; k++) m->axis[k] = m->axis[k + 1];
	}
	return true;
}

/* The linear part over a leaf of it; forward mode may have none. */
static bool linear_part(Graph *g, Node *y, Node *x, bool forward, SweptMode *m)
{
	*m = (SweptMode){.own = forward ? y : x, .other = forward ? x : y};
	m->leaf = fresh(g, m->other->type, NULL);
	if (!m->leaf) return false;
	if (forward) return diff_jvp(g, (Nodes){1, &y}, (Nodes){1, &x}, &m->leaf, &m->linear);
	return diff_vjp(g, (Nodes){1, &y}, (Nodes){1, &x}, &m->leaf, &m->linear);
}

/* How many axes of the other side are not followed. */
static uint32_t missing(const SweptMode *m)
{
	return node_rank(m->other) - m->n;
}

static bool is_better(const SweptMode *m, const SweptMode *than)
{
	if (missing(m) != missing(than)) return missing(m) < missing(than);
	return m->cost + m->cost / 4 < than->cost; /* forward, if it is about the same */
}

/* ---- places ------------------------------------------------------------ */

/* Some elements of a diagonal: along each axis, that of the lanes first where there are any, the one with
 * number i is start + step*i. */
typedef struct Box {
	const SweptMode *m;
	uint32_t rank;
	const Size *start[RANK_MAX + 1], *dim[RANK_MAX + 1];
	int64_t step[RANK_MAX + 1];
} Box;

static uint32_t first_axis(const Box *b)
{
	return b->m->lanes ? 1 : 0;
}

static Node *own_places(Graph *g, const Box *b)
{
	const Type *t = b->m->own->type;
	const Size *step[RANK_MAX + 1] = {NULL}, *at = size_const(g, 0);
	for (uint32_t i = 0, k = first_axis(b); i < t->n; i++, k++) {
		const Size *apart = stride(g, t, i);
		step[k] = size_mul(g, apart, size_const(g, b->step[k]));
		at = size_add(g, at, size_mul(g, apart, b->start[k]));
	}
	return at ? places(g, b->rank, b->dim, step, at) : NULL;
}

/* Places along the axes of other that the lanes are of: as their unit vectors are numbered. */
static Node *lane_places(Graph *g, const Box *b)
{
	const Type *t = b->m->other->type;
	const Size *dim[RANK_MAX], *step[RANK_MAX];
	int64_t axes[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (!is_followed(b->m, i)) {
			dim[n] = DIM(t, i);
			step[n++] = stride(g, t, i);
		}
	Node *p = places(g, n, dim, step, size_const(g, 0));
	p = p ? reshape(g, p, 1, &b->m->lanes) : NULL;
	for (uint32_t i = 1; i < b->rank; i++) axes[i - 1] = i;
	return p ? expand(g, p, b->rank - 1, axes, b->dim + 1) : NULL;
}

/* The place along a followed axis as a form over the box: steps, along the lanes too, and the offset. */
static void box_form(Graph *g, const Box *b, Form form, const Size **to)
{
	uint32_t r = node_rank(b->m->own), first = first_axis(b);
	to[0] = size_const(g, 0);
	const Size *at = form[r];
	for (uint32_t i = 0; i < r; i++) {
		at = size_add(g, at, size_mul(g, form[i], b->start[first + i]));
		to[first + i] = size_mul(g, form[i], size_const(g, b->step[first + i]));
	}
	to[b->rank] = at;
}

/* The one axis along which it goes by a number of steps; UINT32_MAX: there is not one. */
static uint32_t only_axis(const Box *b, const Size *const *form, int64_t *step)
{
	uint32_t axis = UINT32_MAX;
	for (uint32_t i = 0; i < b->rank; i++)
		if (form[i]->nterm) {
			if (axis != UINT32_MAX || !size_is(form[i], step)) return UINT32_MAX;
			axis = i;
		}
	return axis;
}

/* ceil(a/s), s > 0 */
static const Size *quotient_above(Graph *g, const Size *a, int64_t s)
{
	return s == 1 ? a : size_floordiv(g, size_add(g, a, size_const(g, s - 1)), size_const(g, s));
}

/* Of numbers i along an axis, low <= i < high remain: those with 0 <= step*i + offset < n. */
typedef struct Between {
	const Size *low, *high;
} Between;

static Between part_inside(Graph *g, int64_t step, const Size *offset, const Size *n)
{
	const Size *none = size_const(g, 0), *one = size_const(g, 1);
	if (step > 0)
		return (Between){quotient_above(g, size_sub(g, none, offset), step),
			quotient_above(g, size_sub(g, n, offset), step)};
	/* offset - n < -step*i <= offset */
	return (Between){quotient_above(g, size_sub(g, size_add(g, offset, one), n), -step),
		quotient_above(g, size_add(g, offset, one), -step)};
}

/* The values of a box, of which those are left whose place along each followed axis is one. */
static Node *restricted(Graph *g, Box *b, Node *value, Form form)
{
	const SweptMode *m = b->m;
	uint32_t r = node_rank(m->own);
	const Size *none = size_const(g, 0), *f[RANK_MAX + 2];
	int64_t step, one[RANK_MAX + 1];
	for (uint32_t i = 0; i < b->rank; i++) one[i] = 1;
	for (uint32_t k = 0; k < m->n && value; k++) {
		const Size *n = DIM(m->other->type, m->axis[k]), *start[RANK_MAX + 1];
		box_form(g, b, form + k * (r + 1), f);
		uint32_t axis = only_axis(b, f, &step);
		if (axis == UINT32_MAX || places_inside(g, b->rank, b->dim, f, n)) continue;
		Between p = part_inside(g, step, f[b->rank], n);
		for (uint32_t i = 0; i < b->rank; i++) start[i] = none;
		start[axis] = size_min(g, size_max(g, none, p.low), b->dim[axis]);
		const Size *end = size_max(g, start[axis], size_min(g, b->dim[axis], p.high));
		b->dim[axis] = size_sub(g, end, start[axis]);
		b->start[axis] =
			size_add(g, b->start[axis], size_mul(g, start[axis], size_const(g, b->step[axis])));
		value = b->dim[axis] ? slice(g, value, start, b->dim, one) : NULL;
	}
	return value;
}

/* Places of other over the box.  A place that may be outside is that of a zero, and is the nearest. */
static Node *other_places(Graph *g, const Box *b, Form form)
{
	const SweptMode *m = b->m;
	const Type *t = m->other->type;
	uint32_t r = node_rank(m->own);
	Node *sum = m->lanes ? lane_places(g, b) : NULL;
	for (uint32_t k = 0; k < m->n; k++) {
		const Size *f[RANK_MAX + 2], *n = DIM(t, m->axis[k]), *apart = stride(g, t, m->axis[k]);
		int64_t step;
		box_form(g, b, form + k * (r + 1), f);
		bool restricted = only_axis(b, f, &step) != UINT32_MAX;
		Node *p = restricted ? places(g, b->rank, b->dim, f, f[b->rank])
				     : nearest_places(g, b->rank, b->dim, f, n);
		if (p && !size_equals(apart, 1)) p = build2(g, OP_MUL, p, size_node(g, apart));
		sum = sum && p ? build2(g, OP_ADD, sum, p) : p;
		if (!p) return NULL;
	}
	return sum ? sum : places(g, b->rank, b->dim, (const Size * [RANK_MAX + 1]){NULL}, size_const(g, 0));
}

/* ---- elements ------------------------------------------------------------ */

/* A list of elements: their values, and places in own and other. */
typedef struct Entries {
	Node *value, *own, *other;
} Entries;

static void move_start(Graph *g, Box *b, uint32_t axis, const Size *by)
{
	b->start[axis] = size_add(g, b->start[axis], size_mul(g, by, size_const(g, b->step[axis])));
}

/* One element, or row, in a field of zeros? */
static bool is_placed_alone(const Node *x)
{
	double zero;
	return x->op == OP_SCATTER_ADD && node_is_scalar(x->arg[1]) && constant_value(x->arg[0], &zero) &&
		zero == 0;
}

/* Zeros that a value was given around and between its elements are none of the box. */
static Node *without_zeros(Graph *g, Box *b, Node *x)
{
	for (uint32_t i = 0; i < b->rank; i++) {
		b->start[i] = size_const(g, 0);
		b->step[i] = 1;
	}
	while (x && (x->op == OP_PAD || is_placed_alone(x))) {
		for (uint32_t i = 0; i < b->rank && x->op == OP_PAD; i++) {
			move_start(g, b, i, x->attr->v[i].u.size);
			b->step[i] *= x->attr->v[2 * b->rank + i].u.i;
		}
		int64_t axis = attr_int(x, 0);
		if (x->op != OP_PAD) move_start(g, b, (uint32_t)axis, size_of_node(g, x->arg[1]));
		x = x->op == OP_PAD ? x->arg[0] : unsqueeze(g, x->arg[2], 1, &axis);
	}
	for (uint32_t i = 0; x && i < b->rank; i++) b->dim[i] = node_dim(x, i);
	return x;
}

static bool elements_of(Graph *g, const SweptMode *m, const Diagonal *d, Entries *out)
{
	if (d->other) {
		Diagonal listed = *d;
		if (!diagonal_listed(&(Forms){.g = g}, m->own->type, &listed)) return false;
		d = &listed;
		*out = (Entries){flat(g, d->value), d->own, flat(g, d->other)};
		if (!d->own) out->own = iota(g, type_elements(g, m->own->type));
		return out->value && out->own && out->other;
	}
	Box b = {.m = m, .rank = d->value->type->n};
	Node *value = without_zeros(g, &b, d->value);
	out->value = flat(g, value ? restricted(g, &b, value, d->form) : NULL);
	out->own = out->value ? flat(g, own_places(g, &b)) : NULL;
	out->other = out->value ? flat(g, other_places(g, &b, d->form)) : NULL;
	return out->value && out->own && out->other;
}

/* Does one go before the other?  By their offsets, as far as these are known. */
static bool goes_before(Graph *g, const SweptMode *m, Form x, Form y)
{
	uint32_t r = node_rank(m->own);
	if (!x || !y) return x && !y;
	for (uint32_t k = 0; k < m->n; k++) {
		Proof p = size_compare(g, x[k * (r + 1) + r], y[k * (r + 1) + r]);
		if (p != PROOF_EQUAL) return p == PROOF_LESS;
	}
	return false;
}

static void sort_diagonals(Graph *g, SweptMode *m)
{
	for (uint32_t i = 1; i < m->d.n; i++) {
		Diagonal d = m->d.v[i];
		uint32_t k = i;
		for (; k > 0 && goes_before(g, m, d.form, m->d.v[k - 1].form); k--) m->d.v[k] = m->d.v[k - 1];
		m->d.v[k] = d;
	}
}

/* ---- symmetric ones ------------------------------------------------------------ */

/* Is element i of the diagonal at i + offset along each axis, and no other diagonal's? */
static bool is_plain(Graph *g, const SweptMode *m, Form f)
{
	uint32_t r = node_rank(m->own);
	for (uint32_t k = 0; k < m->n; k++)
		for (uint32_t i = 0; i < r; i++)
			if (f[k * (r + 1) + i] != size_const(g, i == m->axis[k])) return false;
	return true;
}

static bool are_apart(Graph *g, const SweptMode *m, Form x, Form y)
{
	uint32_t r = node_rank(m->own);
	for (uint32_t k = 0; k < m->n; k++)
		if (size_differ(g, x[k * (r + 1) + r], y[k * (r + 1) + r])) return true;
	return false;
}

static bool can_mirror(Graph *g, const SweptMode *m)
{
	if (m->lanes || m->own->type != m->other->type) return false;
	for (uint32_t i = 0; i < m->d.n; i++) {
		if (!m->d.v[i].form || !is_plain(g, m, m->d.v[i].form)) return false;
		for (uint32_t k = 0; k < i; k++)
			if (!are_apart(g, m, m->d.v[i].form, m->d.v[k].form)) return false;
	}
	return true;
}

/* The one on the other side of the main diagonal; UINT32_MAX: there is none, or it comes later. */
static uint32_t mirror_of(Graph *g, const SweptMode *m, uint32_t i)
{
	uint32_t r = node_rank(m->own);
	for (uint32_t j = 0; j < i; j++) {
		bool same = true;
		for (uint32_t k = 0; k < m->n && same; k++) {
			uint32_t at = k * (r + 1) + r;
			const Size *sum = size_add(g, m->d.v[i].form[at], m->d.v[j].form[at]);
			same = sum && !sum->nterm;
		}
		if (same) return j;
	}
	return UINT32_MAX;
}

/* ---- all of it ------------------------------------------------------------ */

static Node *joined(Graph *g, uint32_t n, Node *const *x, Dtype d)
{
	const Size *none = size_const(g, 0);
	const Type *t = n ? NULL : type_array(g, d, 1, &none);
	if (!n) return t ? constant_int(g, t, 0) : NULL;
	return n == 1 ? x[0] : concat(g, 0, n, x);
}

static bool by_diagonals(Graph *g, Arena *a, SweptMode *m, bool symmetric, Entries *out)
{
	uint32_t n = m->d.n;
	Entries *e = NEW_ARRAY(a, Entries, n + 1);
	Node **value = NEW_ARRAY(a, Node *, n + 1), **own = NEW_ARRAY(a, Node *, n + 1),
	     **other = NEW_ARRAY(a, Node *, n + 1);
	sort_diagonals(g, m);
	bool mirrors = symmetric && can_mirror(g, m);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = mirrors ? mirror_of(g, m, i) : UINT32_MAX;
		if (j != UINT32_MAX)
			e[i] = (Entries){e[j].value, e[j].other, e[j].own};
		else if (!elements_of(g, m, &m->d.v[i], &e[i]))
			return false;
		value[i] = e[i].value;
		own[i] = e[i].own;
		other[i] = e[i].other;
	}
	out->value = joined(g, n, value, node_dtype(m->own));
	out->own = joined(g, n, own, DT_I64);
	out->other = joined(g, n, other, DT_I64);
	return out->value && out->own && out->other;
}

/* Are there as many as there are at all, or more? */
static bool is_full(Graph *g, const SweptMode *m, const Node *values)
{
	const Size *all = size_mul(g, type_elements(g, m->own->type), type_elements(g, m->other->type));
	if (!all) return false;
	return size_compare(g, all, node_dim(values, 0)) == PROOF_LESS ||
		(m->d.n > 1 && size_at_most(g, all, node_dim(values, 0)));
}

/* All elements, row by row. */
static bool dense(Graph *g, Node *y, Node *x, bool forward, Node **out)
{
	const Size *dim[2] = {type_elements(g, y->type), type_elements(g, x->type)}, *none = size_const(g, 0);
	const Size *row[2] = {size_const(g, 1), NULL}, *column[2] = {NULL, size_const(g, 1)};
	if (!dim[0] || !dim[1]) return false;
	out[0] = flat(g, diff_jacobian(g, y, x, forward));
	out[1] = flat(g, places(g, 2, dim, row, none));
	out[2] = flat(g, places(g, 2, dim, column, none));
	return out[0] && out[1] && out[2];
}

static bool sparse_jacobian(Graph *g, Arena *a, Node *y, Node *x, bool symmetric, Node **out)
{
	bool complex_rows =
		dtype_is_complex(node_dtype(y)); /* whose cotangents are not linear in one number */
	SweptMode mode[2], *best = NULL;
	for (uint32_t k = 0; k < 2; k++) {
		SweptMode *m = &mode[k];
		Trial t;
		if (k && (symmetric || complex_rows)) continue;
		trial_begin(g, &t);
		bool good = linear_part(g, y, x, k == 0, m) && follow(g, a, m) && !g->error.code;
		trial_end(g, &t);
		if (good && (!best || is_better(m, best))) best = m;
	}
	Entries e;
	bool followed = best && (best->n || !missing(best));
	if (followed && !by_diagonals(g, a, best, symmetric, &e)) return false;
	if (!followed || is_full(g, best, e.value)) {
		bool forward = complex_rows ||
			size_compare(g, type_elements(g, x->type), type_elements(g, y->type)) == PROOF_LESS;
		return dense(g, y, x, forward, out);
	}
	bool forward = best == mode;
	out[0] = e.value;
	out[1] = forward ? e.own : e.other;
	out[2] = forward ? e.other : e.own;
	return true;
}

bool diff_sparse(Graph *g, Node *y, Node *x, bool symmetric, Node *out[3])
{
	if (!x || !y || g->error.code) return false;
	Arena *a = arena_child(g->arena);
	g->bodies++;
	g->derived++;
	bool good = sparse_jacobian(g, a, y, x, symmetric, out);
	g->bodies--;
	g->derived--;
	arena_free(a);
	return good && !g->error.code;
}
