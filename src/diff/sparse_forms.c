/* sparse_forms.c - which element of a leaf an element of a node hangs on, through each operator.
 *
 * needs: a node linear in operand k, and the form of a diagonal of that; gives: the form in the node
 */
#include "sparse.h"

const Size **form_new(const Forms *w, uint32_t rank)
{
	const Size **f = NEW_ARRAY(w->a, const Size *, w->n *(rank + 1) + 1), *zero = size_const(w->g, 0);
	for (uint32_t i = 0; i < w->n * (rank + 1); i++) f[i] = zero;
	return f;
}

bool form_is_fixed(const Forms *w, Form f, uint32_t rank)
{
	for (uint32_t t = 0; t < w->n; t++)
		for (uint32_t i = 0; i < rank; i++)
			if (f[t * (rank + 1) + i]->nterm) return false;
	return true;
}

bool form_equal(const Forms *w, Form x, Form y, uint32_t rank)
{
	return !memcmp(x, y, w->n * (rank + 1) * sizeof *x);
}

/* a + x*y */
static const Size *plus(Graph *g, const Size *a, const Size *x, const Size *y)
{
	return size_add(g, a, size_mul(g, x, y));
}

/* s with s*by = x; NULL: there is none that is known */
static const Size *divided(Graph *g, const Size *x, const Size *by)
{
	int64_t p, q;
	if (size_equals(by, 1)) return x;
	if (size_equals(by, -1)) return size_mul(g, x, by);
	if (!size_is(by, &q) || !q || !size_is(x, &p) || p % q) return NULL;
	return size_const(g, p / q);
}

/* ---- a form on its way ------------------------------------------------------------ */

/* One followed axis at a time: the steps and the offset of the operand, and those of the node. */
typedef struct Passage {
	const Forms *w;
	Node *x, *of; /* the node, its operand */
	uint32_t k;
	Form from;
	const Size **to;
	uint32_t axis;   /* MOVED_BY_PIECES: of the operand */
	bool last_fixed; /* no followed axis behind this one has no steps */
} Passage;

static bool has_step(const Passage *v, uint32_t axis)
{
	return v->from[axis]->nterm != 0;
}

static const Size *offset(const Passage *v)
{
	return v->from[node_rank(v->of)];
}

static void put_offset(const Passage *v, const Size *s)
{
	v->to[node_rank(v->x)] = s;
}

/* Along an axis that the node lacks: piece by piece, where these are few. */
static Moved gone(Passage *v, uint32_t axis)
{
	int64_t n;
	v->axis = axis;
	return size_is(node_dim(v->of, axis), &n) && n <= PIECES_MAX ? MOVED_BY_PIECES : MOVED_AWAY;
}

/* Axis i of the operand is axis place[i] of the node, or none (-1). */
static Moved renumbered(Passage *v, const int64_t *place)
{
	put_offset(v, offset(v));
	for (uint32_t i = 0; i < node_rank(v->of); i++) {
		if (place[i] >= 0)
			v->to[place[i]] = v->from[i];
		else if (has_step(v, i))
			return gone(v, i);
	}
	return MOVED;
}

static Moved unchanged(Passage *v)
{
	memcpy(v->to, v->from, (node_rank(v->of) + 1) * sizeof *v->to);
	return MOVED;
}

/* Which mixes what lies along this axis, and nothing else. */
static Moved mixed_along(Passage *v, uint32_t axis)
{
	return has_step(v, axis) ? MOVED_AWAY : unchanged(v);
}

/* ---- views ------------------------------------------------------------ */

static Moved through_slice(Passage *v)
{
	Graph *g = v->w->g;
	uint32_t r = node_rank(v->of);
	const AttrValue *a = v->x->attr ? v->x->attr->v : NULL;
	const Size *o = offset(v);
	for (uint32_t i = 0; i < r; i++) {
		o = plus(g, o, v->from[i], a[i].u.size);
		v->to[i] = size_mul(g, v->from[i], size_const(g, a[2 * r + i].u.i));
	}
	put_offset(v, o);
	return MOVED;
}

static Moved through_flip(Passage *v)
{
	Graph *g = v->w->g;
	const Size *o = offset(v), *back = size_const(g, -1);
	unchanged(v);
	for (uint32_t k = 0; k < attr_count(v->x); k++) {
		uint32_t i = (uint32_t)attr_int(v->x, k);
		o = plus(g, o, v->from[i], size_add(g, node_dim(v->of, i), back));
		v->to[i] = size_mul(g, v->from[i], back);
	}
	put_offset(v, o);
	return MOVED;
}

/* Element i lies at before + step*i. */
static Moved through_pad(Passage *v)
{
	Graph *g = v->w->g;
	uint32_t r = node_rank(v->of);
	const AttrValue *a = v->x->attr ? v->x->attr->v : NULL;
	const Size *o = offset(v);
	for (uint32_t i = 0; i < r; i++) {
		v->to[i] = divided(g, v->from[i], size_const(g, a[2 * r + i].u.i));
		if (!v->to[i]) return MOVED_AWAY;
		o = size_sub(g, o, size_mul(g, v->to[i], a[i].u.size));
	}
	put_offset(v, o);
	return MOVED;
}

static Moved through_concat(Passage *v)
{
	Graph *g = v->w->g;
	uint32_t axis = (uint32_t)attr_int(v->x, 0);
	const Size *before = size_const(g, 0);
	for (uint32_t i = 0; i < v->k; i++) before = size_add(g, before, node_dim(v->x->arg[i], axis));
	unchanged(v);
	put_offset(v, size_sub(g, offset(v), size_mul(g, v->from[axis], before)));
	return MOVED;
}

static Moved through_transpose(Passage *v)
{
	put_offset(v, offset(v));
	for (uint32_t i = 0; i < node_rank(v->x); i++) v->to[i] = v->from[attr_int(v->x, i)];
	return MOVED;
}

static Moved through_expand(Passage *v)
{
	int64_t place[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t i = 0, k = 0; i < node_rank(v->x); i++)
		if (k < attr_count(v->x) && attr_int(v->x, k) == i)
			k += 2;
		else
			place[n++] = i;
	return renumbered(v, place);
}

/* Axes first..first + n of a type. */
typedef struct Run {
	const Type *t;
	uint32_t first, n;
} Run;

static const Size *elements_of(Graph *g, Run r)
{
	const Size *n = size_const(g, 1);
	for (uint32_t i = 0; i < r.n; i++) n = size_mul(g, n, DIM(r.t, r.first + i));
	return n;
}

/* The fewest axes of either, from these on, that hold as many elements. */
static bool next_runs(Graph *g, Run *from, Run *to)
{
	uint32_t rest = from->t->n - from->first, more = to->t->n - to->first;
	for (uint32_t sum = 1; sum <= rest + more; sum++)
		for (from->n = 0; from->n <= sum && from->n <= rest; from->n++) {
			to->n = sum - from->n;
			const Size *n = to->n <= more ? elements_of(g, *from) : NULL;
			if (n && n == elements_of(g, *to)) return true;
		}
	from->n = rest;
	to->n = more;
	return false;
}

/* A run of axes along which the place goes on as if they were one becomes another such. */
static bool through_run(const Passage *v, Run from, Run to)
{
	Graph *g = v->w->g;
	const Size *step = NULL, *next = NULL;
	for (uint32_t i = from.n; i-- > 0;) {
		const Size *dim = DIM(from.t, from.first + i), *s = v->from[from.first + i];
		if (size_equals(dim, 1)) continue;
		if (!step)
			step = s;
		else if (s != next)
			return false;
		next = size_mul(g, s, dim);
	}
	for (uint32_t i = to.n; step && i-- > 0;) {
		v->to[to.first + i] = step;
		step = size_mul(g, step, DIM(to.t, to.first + i));
	}
	return true;
}

static Moved through_reshape(Passage *v)
{
	Graph *g = v->w->g;
	if (is_sized(v->x)) return unchanged(v);
	Run from = {v->of->type, 0, 0}, to = {v->x->type, 0, 0};
	put_offset(v, offset(v));
	while (from.first < from.t->n || to.first < to.t->n) {
		bool known = next_runs(g, &from, &to);
		known |= from.n == 1 && to.n == 1; /* the call finds out that they are */
		for (uint32_t i = 0; i < from.n && !known; i++)
			if (has_step(v, from.first + i)) return MOVED_AWAY;
		if (known && !through_run(v, from, to)) return MOVED_AWAY;
		from.first += from.n;
		to.first += to.n;
	}
	return MOVED;
}

static Moved through_view(Passage *v)
{
	switch (v->x->op) {
	case OP_RESHAPE: return through_reshape(v);
	case OP_TRANSPOSE: return through_transpose(v);
	case OP_EXPAND: return through_expand(v);
	case OP_SLICE: return through_slice(v);
	case OP_FLIP: return through_flip(v);
	case OP_PAD: return through_pad(v);
	default: return through_concat(v);
	}
}

/* ---- folds, products ------------------------------------------------------------ */

static Moved through_sum(Passage *v)
{
	int64_t place[RANK_MAX];
	uint32_t n = 0;
	for (uint32_t i = 0, k = 0; i < node_rank(v->of); i++)
		if (k < attr_count(v->x) && attr_int(v->x, k) == i) {
			place[i] = -1;
			k++;
		} else
			place[i] = n++;
	return renumbered(v, place);
}

/* Where the labels of operand k, or of the result (2), begin in the brackets. */
static uint32_t labels_at(const Node *x, uint32_t k)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < k; i++) at += node_rank(x->arg[i]) + 1;
	return at;
}

static Moved through_contract(Passage *v)
{
	int64_t place[RANK_MAX];
	uint32_t own = labels_at(v->x, v->k), result = labels_at(v->x, 2);
	for (uint32_t i = 0; i < node_rank(v->of); i++) {
		place[i] = -1;
		for (uint32_t j = 0; j < node_rank(v->x); j++)
			if (attr_int(v->x, result + j) == attr_int(v->x, own + i)) place[i] = j;
	}
	return renumbered(v, place);
}

/* ---- indices ------------------------------------------------------------ */

static Moved way_through(Passage *v);

/* The places at which an index looks, as a form over it (steps, offset); NULL: they are no such sum. */
static const Size **index_form(const Forms *w, Node *i)
{
	Graph *g = w->g;
	Forms one = {g, w->a, 1};
	uint32_t r = node_rank(i);
	const Size **f = form_new(&one, r), **x, **y;
	int64_t number;
	if (i->op == OP_IOTA) {
		f[0] = size_const(g, 1);
		return f;
	}
	if (i->op == OP_CONST && constant_integer(i, &number)) {
		f[r] = size_const(g, number);
		return f;
	}
	if (node_dtype(i) != DT_I64 && node_dtype(i) != DT_WEAK_INT) return NULL; /* others wrap sooner */
	if (!r) return (f[0] = size_of_node(g, i)) ? f : NULL;
	if (op_info[i->op].class == VIEW && i->op != OP_PAD && i->op != OP_CONCAT) {
		Passage v = {&one, i, i->arg[0], 0, index_form(w, i->arg[0]), f, 0, false};
		return v.from && way_through(&v) == MOVED ? f : NULL;
	}
	if (i->op == OP_CAST) return index_form(w, i->arg[0]);
	if (i->op != OP_ADD && i->op != OP_SUB && i->op != OP_MUL) return NULL;
	if (!(x = index_form(w, i->arg[0])) || !(y = index_form(w, i->arg[1]))) return NULL;
	bool x_fixed = form_is_fixed(&one, x, r), y_fixed = form_is_fixed(&one, y, r);
	if (i->op == OP_MUL && !x_fixed && !y_fixed) return NULL;
	for (uint32_t k = 0; k <= r; k++) {
		switch (i->op) {
		case OP_ADD: f[k] = size_add(g, x[k], y[k]); break;
		case OP_SUB: f[k] = size_sub(g, x[k], y[k]); break;
		default: f[k] = x_fixed ? size_mul(g, x[r], y[k]) : size_mul(g, x[k], y[r]);
		}
		if (!f[k]) return NULL; /* past 64 bits */
	}
	return f;
}

static Moved through_gather(Passage *v)
{
	Graph *g = v->w->g;
	Node *index = v->x->arg[1];
	uint32_t axis = (uint32_t)attr_int(v->x, 0), r = node_rank(index);
	const Size *s = v->from[axis], *o = offset(v);
	if (has_step(v, axis)) {
		const Size **at = index_form(v->w, index);
		if (!at) return MOVED_AWAY;
		for (uint32_t i = 0; i < r; i++) v->to[axis + i] = size_mul(g, s, at[i]);
		o = plus(g, o, s, at[r]);
	}
	for (uint32_t i = 0; i < axis; i++) v->to[i] = v->from[i];
	for (uint32_t i = axis + 1; i < node_rank(v->of); i++) v->to[i - 1 + r] = v->from[i];
	put_offset(v, o);
	return MOVED;
}

/* The step along `axis` of x that the steps along the index' axes are; NULL: they are none. */
static const Size *step_back(Passage *v, uint32_t axis, uint32_t r, Form at)
{
	const Size *s = NULL;
	for (uint32_t i = 0; i < r && !s; i++)
		if (at[i]->nterm && has_step(v, axis + i)) s = divided(v->w->g, v->from[axis + i], at[i]);
	for (uint32_t i = 0; i < r && s; i++)
		if (size_mul(v->w->g, s, at[i]) != v->from[axis + i] &&
			!size_equals(node_dim(v->of, axis + i), 1))
			return NULL;
	return s;
}

/* Written at one place c, what is the same element's, j, is element i + j - c's: all else there is zero.  So
 * it may be on a diagonal that is there. */
static Moved at_one_place(Passage *v, uint32_t axis)
{
	const Size **at = index_form(v->w, v->x->arg[1]);
	for (uint32_t i = 0; i < node_rank(v->of); i++)
		if (has_step(v, i)) return MOVED;
	if (!at || !v->last_fixed) return MOVED;
	v->to[axis] = size_const(v->w->g, 1);
	put_offset(v, size_sub(v->w->g, offset(v), at[0]));
	return MOVED;
}

/* What is written, at the places that the index tells. */
static Moved through_scatter(Passage *v)
{
	Graph *g = v->w->g;
	Node *index = v->x->arg[1];
	uint32_t axis = (uint32_t)attr_int(v->x, 0), r = node_rank(index), n = node_rank(v->x);
	bool any = false;
	if (v->k == 0) return unchanged(v);
	put_offset(v, offset(v));
	for (uint32_t i = 0; i < axis; i++) v->to[i] = v->from[i];
	for (uint32_t i = axis + 1; i < n; i++) v->to[i] = v->from[i - 1 + r];
	for (uint32_t i = 0; i < r; i++) any |= has_step(v, axis + i);
	if (!any) return r ? MOVED : at_one_place(v, axis);
	const Size **at = index_form(v->w, index), *s = at ? step_back(v, axis, r, at) : NULL;
	for (uint32_t i = r; i-- > 0 && at && !s && r > 1 && v->x->op == OP_SCATTER_ADD;)
		if (at[i]->nterm && gone(v, axis + i) == MOVED_BY_PIECES) return MOVED_BY_PIECES;
	if (!s) return MOVED_AWAY;
	v->to[axis] = s;
	put_offset(v, size_sub(g, offset(v), size_mul(g, s, at[r])));
	return MOVED;
}

/* ---- any ------------------------------------------------------------ */

static Moved way_through(Passage *v)
{
	uint32_t r = node_rank(v->of);
	switch (op_info[v->x->op].class) {
	case MAP: return unchanged(v);
	case FOLD: return v->x->op == OP_SUM ? through_sum(v) : MOVED_AWAY;
	case CUMULATIVE: return mixed_along(v, (uint32_t)attr_int(v->x, 0));
	case VIEW: return through_view(v);
	case CONTRACT: return through_contract(v);
	case INDEX:
		if (v->x->op == OP_GATHER) return through_gather(v);
		return v->x->op == OP_SCATTER_ADD || v->x->op == OP_SCATTER_SET ? through_scatter(v)
										: MOVED_AWAY;
	case SOLVE: /* the columns of b are apart, and so are batches */
		if (v->x->op != OP_TRI_SOLVE || v->k != 1 || r < 2 || r != node_rank(v->x)) return MOVED_AWAY;
		return mixed_along(v, r - 2);
	default: return MOVED_AWAY;
	}
}

Moved form_moved(const Forms *w, Node *x, uint32_t k, Form from, const Size ***to, uint32_t *at)
{
	Node *of = x->arg[k];
	uint32_t r = node_rank(of), n = x->type->kind == TYPE_ARRAY ? node_rank(x) : 0;
	bool placed = k == 2 && op_info[x->op].class == INDEX && node_is_scalar(x->arg[1]);
	*to = form_new(w, n);
	if (!placed && form_is_fixed(w, from, r)) { /* whatever x is: the same element for all of it */
		for (uint32_t t = 0; t < w->n; t++) (*to)[t * (n + 1) + n] = from[t * (r + 1) + r];
		return MOVED;
	}
	uint32_t last = w->n;
	for (uint32_t t = 0; t < w->n; t++)
		if (form_is_fixed(&(Forms){w->g, w->a, 1}, from + t * (r + 1), r)) last = t;
	for (uint32_t t = 0; t < w->n; t++) {
		Passage v = {w, x, of, k, from + t * (r + 1), *to + t * (n + 1), 0, t == last};
		Moved how = x->type->kind == TYPE_ARRAY ? way_through(&v) : MOVED_AWAY;
		*at = how == MOVED_BY_PIECES ? v.axis : t;
		for (uint32_t i = 0; i <= n && how == MOVED; i++)
			if (!v.to[i]) how = MOVED_AWAY; /* a size past 64 bits */
		if (how != MOVED) return how;
	}
	return MOVED;
}

/* ---- pieces ------------------------------------------------------------ */

static Node *taken(Graph *g, Node *x, uint32_t axis, int64_t c)
{
	const Size *start[RANK_MAX], *length[RANK_MAX];
	int64_t step[RANK_MAX];
	for (uint32_t i = 0; x && i < node_rank(x); i++) {
		start[i] = size_const(g, i == axis ? c : 0);
		length[i] = i == axis ? size_const(g, 1) : node_dim(x, i);
		step[i] = 1;
	}
	return x ? slice(g, x, start, length, step) : NULL;
}

Node *piece(const Forms *w, Node *x, uint32_t k, uint32_t axis, int64_t c)
{
	Node **arg = NEW_ARRAY(w->a, Node *, x->narg);
	memcpy(arg, x->arg, x->narg * sizeof *arg);
	arg[k] = taken(w->g, x->arg[k], axis, c);
	if (x->op == OP_CONTRACT) {
		int64_t label = attr_int(x, labels_at(x, k) + axis);
		for (uint32_t i = 0; i < node_rank(x->arg[!k]); i++)
			if (attr_int(x, labels_at(x, !k) + i) == label) arg[!k] = taken(w->g, arg[!k], i, c);
	} else if (x->op != OP_SUM) { /* a scatter: axes of the index */
		arg[1] = taken(w->g, x->arg[1], axis - (uint32_t)attr_int(x, 0), c);
	}
	for (uint32_t i = 0; i < x->narg; i++)
		if (!arg[i]) return NULL;
	return node_with(w->g, x, arg, NULL, NULL);
}
