/* sparse_sweep.c - the diagonals of a linear map, through the nodes that compute it.
 *
 * needs: nodes that depend linearly on a leaf; gives: their diagonals as nodes of the same graph, or the node
 * at which the place along a followed axis is lost
 *
 * An operator that is linear in an operand does to a diagonal what it does to the operand: what changes is
 * the form.  Diagonals of several operands that have one form in the node are one there.
 */
#include "sparse.h"

/* What is known of a node that hangs on the leaf: a list for each element of a tuple, or, of an element that
 * does not, what stands for it without the leaf.  Of a node that does not: what stands for it. */
typedef struct Swept {
	bool depends;
	uint32_t n;
	Diagonals *elem;
	Node **free, *plain;
} Swept;

/* What an operand's diagonal gives: the same operator over it where others have nothing of that form, or a
 * node that is there already. */
typedef struct OperandDiagonal {
	Form form;
	uint32_t k;
	Node *operand, *node;
} OperandDiagonal;
typedef struct OperandDiagonals {
	uint32_t n, cap;
	OperandDiagonal *v;
} OperandDiagonals;

void sweep_open(Sweep *s, Forms w)
{
	*s = (Sweep){.forms = w};
	idmap_open(&s->done, w.a);
}

static Swept *swept_new(Sweep *s, const Node *x)
{
	Arena *a = s->forms.a;
	Swept *t = NEW(a, Swept);
	t->n = x->type->kind == TYPE_TUPLE ? x->type->n : 1;
	t->elem = NEW_ARRAY(a, Diagonals, t->n + 1);
	t->free = NEW_ARRAY(a, Node *, t->n + 1);
	idmap_put(&s->done, x->id, t);
	return t;
}

static bool lose(Sweep *s, Node *x, uint32_t followed)
{
	s->at = x;
	s->lost = followed;
	return false;
}

/* Do they have the same places? */
static bool same_places(const Sweep *s, const Diagonal *x, const Diagonal *y)
{
	if (x->other || y->other)
		return x->other == y->other && x->own == y->own && !x->fixed == !y->fixed &&
			(!x->fixed || !memcmp(x->fixed, y->fixed, node_rank(x->value) * sizeof *x->fixed));
	return form_equal(&s->forms, x->form, y->form, node_rank(x->value));
}

/* Two of the same places are their sum. */
static bool add(Sweep *s, Diagonals *to, Diagonal d)
{
	Graph *g = s->forms.g;
	if (!d.value) return false;
	for (uint32_t i = 0; i < to->n; i++)
		if (same_places(s, &to->v[i], &d)) {
			s->made++;
			to->v[i].value = build2(g, OP_ADD, to->v[i].value, d.value);
			return to->v[i].value != NULL;
		}
	GROW(s->forms.a, to->v, to->n, to->cap);
	to->v[to->n++] = d;
	return true;
}

void sweep_seed(Sweep *s, Node *leaf, Diagonal d)
{
	Swept *t = swept_new(s, leaf);
	t->depends = true;
	add(s, t->elem, d);
}

static const Swept *known(const Sweep *s, const Node *x)
{
	return idmap_get(&s->done, x->id);
}

const Diagonals *sweep_of(const Sweep *s, const Node *x)
{
	const Swept *t = known(s, x);
	return t && t->depends ? t->elem : NULL;
}

static bool *operands_that_hang(const Sweep *s, const Node *x)
{
	bool *depends = NEW_ARRAY(s->forms.a, bool, x->narg);
	for (uint32_t i = 0; i < x->narg; i++) {
		const Swept *t = known(s, x->arg[i]);
		depends[i] = t && t->depends;
	}
	return depends;
}

/* ---- an operator ------------------------------------------------------------------------------------ */

static void part(Sweep *s, OperandDiagonals *p, OperandDiagonal one)
{
	GROW(s->forms.a, p->v, p->n, p->cap);
	p->v[p->n++] = one;
}

/* The form of what is taken at place c along an axis. */
static const Size **form_at(const Forms *w, Form f, uint32_t rank, uint32_t axis, int64_t c)
{
	const Size **to = form_new(w, rank), *zero = size_const(w->g, 0);
	memcpy(to, f, w->n * (rank + 1) * sizeof *to);
	for (uint32_t t = 0; t < w->n; t++) {
		const Size **one = to + t * (rank + 1);
		one[rank] = size_add(w->g, one[rank], size_mul(w->g, one[axis], size_const(w->g, c)));
		one[axis] = zero;
		if (!one[rank]) return NULL;
	}
	return to;
}

/* A diagonal by index arrays, cut where short axes are crossed. */
static bool through_cut(Sweep *s, const IndexedOperand *at, const Diagonal *d, Swept *out)
{
	const Forms *w = &s->forms;
	uint32_t axis, n = pieces_of(at->x, at->k, d, &axis);
	Diagonal moved;
	if (!n) return indexed_moved(w, at, d, &moved) && (!moved.value || add(s, out->elem, moved));
	for (uint32_t c = 0; c < n; c++)
		if (!piece_of(w, d, axis, c, &moved) || !through_cut(s, at, &moved, out)) return false;
	return true;
}

/* The same by index arrays. */
static bool through_indexed(Sweep *s, Node *x, uint32_t k, Diagonal d, Swept *out)
{
	const Forms *w = &s->forms;
	const bool *depends = operands_that_hang(s, x);
	s->made += 2;
	return diagonal_indexed(w, x->arg[k], &d) &&
		through_cut(s, &(IndexedOperand){x, k, depends}, &d, out);
}

/* Where what diagonals give is put; of a piece of x, which is that node itself, `whole` is false. */
typedef struct Into {
	OperandDiagonals *parts;
	Swept *indexed;
	bool whole;
} Into;

/* Diagonal d of operand k, through x. */
static bool through_operand(Sweep *s, Node *x, uint32_t k, Diagonal d, const Into *into)
{
	const Forms *w = &s->forms;
	const Size **to;
	uint32_t axis = w->n - 1;
	int64_t n;
	Moved how = d.form ? form_moved(w, x, k, d.form, &to, &axis) : MOVED_AWAY;
	if (how == MOVED_AWAY) return through_indexed(s, x, k, d, into->indexed) || lose(s, x, axis);
	if (how == MOVED) {
		part(s, into->parts, (OperandDiagonal){to, k, d.value, into->whole ? NULL : x});
		return true;
	}
	if (into->whole) { /* the operator over the diagonal: pieces are taken of that */
		Node **arg = NEW_ARRAY(w->a, Node *, x->narg);
		memcpy(arg, x->arg, x->narg * sizeof *arg);
		arg[k] = d.value;
		if (x->op == OP_SCATTER_ADD) arg[0] = like(w->g, x->arg[0], 0);
		if (!arg[0] || !(x = node_with(w->g, x, arg, NULL, NULL))) return false;
	}
	uint32_t r = node_rank(x->arg[k]);
	Into pieces = {into->parts, into->indexed, false};
	if (!size_is(node_dim(x->arg[k], axis), &n)) return false;
	for (int64_t c = 0; c < n; c++) {
		Node *y = piece(w, x, k, axis, c);
		Diagonal one = {.form = form_at(w, d.form, r, axis, c)};
		if (!one.form || !y) return false;
		one.value = y->arg[k];
		s->made++;
		if (!through_operand(s, y, k, one, &pieces)) return false;
	}
	return true;
}

/* One of a concat's operands, the others being zero. */
static Node *alone(Graph *g, const Node *x, uint32_t k, Node *given)
{
	const Size *before[RANK_MAX], *after[RANK_MAX], *none = size_const(g, 0);
	int64_t step[RANK_MAX];
	uint32_t axis = (uint32_t)attr_int(x, 0);
	for (uint32_t i = 0; i < node_rank(x); i++) {
		before[i] = after[i] = none;
		step[i] = 1;
	}
	for (uint32_t i = 0; i < node_operands(x); i++) {
		const Size **at = i < k ? &before[axis] : &after[axis];
		if (i != k) *at = size_add(g, *at, node_dim(x->arg[i], axis));
	}
	return pad(g, given, before, after, step);
}

/* x over these operands; NULL is zero. */
static Node *over(Sweep *s, Node *x, Node *const *given)
{
	Graph *g = s->forms.g;
	if ((x->op == OP_ADD || x->op == OP_SUB) && !given[0] != !given[1]) {
		if (given[0]) return given[0];
		return x->op == OP_ADD ? given[1] : build1(g, OP_NEG, given[1]);
	}
	uint32_t n = 0, last = 0;
	for (uint32_t k = 0; k < x->narg; k++)
		if (given[k]) {
			n++;
			last = k;
		}
	if (x->op == OP_CONCAT && n == 1) return alone(g, x, last, given[last]);
	if (x->op == OP_SCATTER_ADD && !given[2]) return given[0]; /* nothing is added */
	Node **arg = NEW_ARRAY(s->forms.a, Node *, x->narg);
	for (uint32_t k = 0; k < x->narg; k++) {
		const Swept *t = known(s, x->arg[k]);
		arg[k] = given[k];
		if (!arg[k]) arg[k] = t && t->depends ? like(g, x->arg[k], 0) : x->arg[k];
		if (!arg[k]) return NULL;
	}
	bool view = op_info[x->op].class == VIEW;
	if (view && x->op != OP_PAD && x->op != OP_CONCAT && arg[0]->op == OP_CONST &&
		constant_is_uniform(arg[0]))
		return node_leaf(g, OP_CONST, arg[0]->attr, x->type); /* what it asks of sizes x asks */
	s->made += !view;
	return node_with(g, x, arg, NULL, NULL);
}

/* What a node has of a form: all of it is the same element's, where it is a tuple. */
static bool give(Sweep *s, Form form, Node *value, Swept *out)
{
	const Forms *w = &s->forms;
	if (!value) return false;
	if (value->type->kind != TYPE_TUPLE)
		return add(s, out->elem, (Diagonal){.form = form, .value = value});
	for (uint32_t i = 0; i < out->n; i++) {
		const Type *t = value->type->u.elem[i];
		if (out->free[i]) continue;
		const Size **f = form_new(w, t->n);
		for (uint32_t j = 0; j < w->n; j++) f[j * (t->n + 1) + t->n] = form[j];
		if (!add(s, &out->elem[i], (Diagonal){.form = f, .value = get(w->g, value, i)})) return false;
	}
	return true;
}

static bool through_operator(Sweep *s, Node *x, Swept *out)
{
	Arena *a = s->forms.a;
	OperandDiagonals p = {0};
	Into into = {&p, out, true};
	uint32_t rank = x->type->kind == TYPE_TUPLE ? 0 : node_rank(x);
	for (uint32_t k = 0; k < x->narg; k++) {
		const Diagonals *d = sweep_of(s, x->arg[k]);
		for (uint32_t i = 0; d && i < d->n; i++)
			if (!through_operand(s, x, k, d->v[i], &into)) return false;
	}
	for (uint32_t i = 0; i < p.n; i++) {
		Node **given = NEW_ARRAY(a, Node *, x->narg), *y = p.v[i].node;
		if (!p.v[i].form) continue; /* done, with another */
		for (uint32_t j = i; j < p.n && !y; j++) {
			OperandDiagonal *q = &p.v[j];
			if (!q->form || q->node || given[q->k] ||
				!form_equal(&s->forms, p.v[i].form, q->form, rank))
				continue;
			given[q->k] = q->operand;
			if (j > i) q->form = NULL;
		}
		if (!give(s, p.v[i].form, y ? y : over(s, x, given), out)) return false;
	}
	return true;
}

/* One array that is of no tuple: it hangs on the leaf, or not. */
static bool stands_free(const Node *x, Swept *out)
{
	if (x->type->kind == TYPE_TUPLE || !out->free[0]) return false;
	out->depends = false;
	out->plain = out->free[0];
	return true;
}

/* ---- bodies ------------------------------------------------------------------------------------------- */

/* Through what is called: it is computed in the open, whatever it was. */
static bool through_call(Sweep *s, Node *x, Swept *out)
{
	Body b[BODIES_MAX];
	node_bodies(x, b);
	Opened o = body_open(s->forms.g, s->forms.a, x, &b[0]);
	if (s->forms.g->error.code || !sweep_run(s, o.nresult, o.result)) return false;
	for (uint32_t i = 0; i < o.nresult; i++) {
		const Swept *t = known(s, o.result[i]);
		out->elem[i] = t->elem[0];
		out->free[i] = t->plain;
	}
	stands_free(x, out);
	return true;
}

/* A diagonal of either side is one of the branch. */
typedef struct SideDiagonals {
	uint32_t n, cap;
	struct {
		uint32_t i;
		Form form;
		Node *of[2];
	} * v;
} SideDiagonals;

static void side_has(Sweep *s, SideDiagonals *all, uint32_t i, Diagonal d, uint32_t side)
{
	uint32_t rank = node_rank(d.value);
	for (uint32_t k = 0; k < all->n; k++)
		if (all->v[k].i == i && form_equal(&s->forms, all->v[k].form, d.form, rank)) {
			all->v[k].of[side] = d.value;
			return;
		}
	GROW(s->forms.a, all->v, all->n, all->cap);
	all->v[all->n].i = i;
	all->v[all->n].form = d.form;
	all->v[all->n].of[side] = d.value;
	all->v[all->n].of[!side] = NULL;
	all->n++;
}

static bool through_branch(Sweep *s, Node *x, Swept *out)
{
	Graph *g = s->forms.g;
	Arena *a = s->forms.a;
	Body b[BODIES_MAX];
	SideDiagonals all = {0};
	uint32_t sides = node_bodies(x, b);
	for (uint32_t k = 0; k < sides; k++) {
		Opened o = body_open(g, a, x, &b[k]);
		if (g->error.code || !sweep_run(s, o.nresult, o.result)) return false;
		for (uint32_t i = 0; i < o.nresult; i++) {
			const Diagonals *d = sweep_of(s, o.result[i]);
			for (uint32_t j = 0; d && j < d->n; j++) {
				if (!d->v[j].form) return lose(s, x, s->forms.n - 1);
				side_has(s, &all, i, d->v[j], k);
			}
		}
	}
	if (!all.n) return true;
	Node **yes = NEW_ARRAY(a, Node *, all.n), **no = NEW_ARRAY(a, Node *, all.n), **outside = NULL;
	uint32_t n = 0, cap = 0;
	for (uint32_t k = 0; k < all.n; k++) {
		Node *const *of = all.v[k].of;
		yes[k] = of[0] ? of[0] : like(g, of[1], 0);
		no[k] = of[1] ? of[1] : like(g, of[0], 0);
	}
	for (uint32_t k = 1; k < node_operands(x); k++) {
		const Diagonals *d = sweep_of(s, x->arg[k]);
		GROW(a, outside, n, cap);
		outside[n++] = x->arg[k];
		for (uint32_t j = 0; d && j < d->n; j++) {
			GROW(a, outside, n, cap);
			outside[n++] = d->v[j].value;
		}
	}
	s->made += all.n;
	Node *t = branch(g, x->arg[0], all.n, yes, no, (Nodes){n, outside});
	for (uint32_t k = 0; t && k < all.n; k++)
		if (!add(s, &out->elem[all.v[k].i], (Diagonal){.form = all.v[k].form, .value = get(g, t, k)}))
			return false;
	return t != NULL;
}

static bool add_cut(Sweep *s, const Diagonals *beside, const Diagonal *d, Diagonals *to)
{
	uint32_t axis, n = pieces_beside(beside, d, &axis);
	Diagonal one;
	if (!n) return add(s, to, *d);
	for (uint32_t c = 0; c < n; c++)
		if (!piece_of(&s->forms, d, axis, c, &one) || !add_cut(s, beside, &one, to)) return false;
	return true;
}

/* Those of a node are cut alike. */
static bool cut_alike(Sweep *s, Diagonals *d)
{
	Diagonals to = {0};
	bool any = false;
	for (uint32_t i = 0; i < d->n; i++) any |= d->v[i].fixed != NULL;
	if (!any) return true;
	for (uint32_t i = 0; i < d->n; i++)
		if (!add_cut(s, d, &d->v[i], &to)) return false;
	*d = to;
	return true;
}

/* All that have arrays of places, as one list. */
static bool join_lists(Sweep *s, const Type *of, Diagonals *d)
{
	Graph *g = s->forms.g;
	uint32_t lists = 0, left = 0;
	Node **part[3], *whole[3];
	for (uint32_t k = 0; k < 3; k++) part[k] = NEW_ARRAY(s->forms.a, Node *, d->n);
	for (uint32_t i = 0; i < d->n; i++) {
		if (!d->v[i].own && !d->v[i].fixed) {
			d->v[left++] = d->v[i];
			continue;
		}
		if (!diagonal_listed(&s->forms, of, &d->v[i])) return false;
		part[0][lists] = d->v[i].value;
		part[1][lists] = d->v[i].other;
		part[2][lists++] = d->v[i].own;
	}
	if (!lists) return true;
	for (uint32_t k = 0; k < 3; k++) whole[k] = concat(g, 0, lists, part[k]);
	Diagonal all = {NULL, whole[0], whole[1], whole[2], NULL};
	d->v[left++] = all;
	d->n = left;
	return all.value && all.other && all.own;
}

/* ---- a node -------------------------------------------------------------------------------------------- */

/* x over what stands for its operands that do not hang on the leaf. */
static Node *without_leaf(Sweep *s, Node *x)
{
	Node **arg = NEW_ARRAY(s->forms.a, Node *, x->narg);
	bool same = true;
	for (uint32_t k = 0; k < x->narg; k++) {
		const Swept *t = known(s, x->arg[k]);
		arg[k] = t->depends ? x->arg[k] : t->plain;
		same &= arg[k] == x->arg[k];
		if (arg[k] && !known(s, arg[k])) swept_new(s, arg[k])->plain = arg[k];
	}
	return same ? x : node_with(s->forms.g, x, arg, NULL, NULL);
}

/* The elements of a branch's or a loop's results that do not hang on the leaf, though others may. */
static bool free_elements(Sweep *s, Node *x, Swept *out)
{
	const Forms *w = &s->forms;
	const bool *depends = operands_that_hang(s, x);
	const bool tuple = x->type->kind == TYPE_TUPLE;
	bool *hang = NEW_ARRAY(w->a, bool, out->n);
	Node *zero = NULL;
	parts_that_hang(w, x, depends, hang);
	for (uint32_t i = 0; i < out->n; i++) {
		if (hang[i] || (tuple && x->type->u.elem[i]->kind == TYPE_TOKEN)) continue;
		if (!zero) zero = where_leaf_is_zero(w, x, depends);
		if (!zero || !(out->free[i] = tuple ? get(w->g, zero, i) : zero)) return false;
	}
	return true;
}

static bool through_part(Sweep *s, Node *x, Swept *out)
{
	const Swept *of = known(s, x->arg[0]);
	const uint32_t i = (uint32_t)attr_int(x, 0);
	out->plain = of->free[i];
	out->depends = !out->plain;
	if (out->depends) out->elem[0] = of->elem[i];
	return true;
}

static bool through_tuple(Sweep *s, Node *x, Swept *out)
{
	for (uint32_t k = 0; k < x->narg; k++) {
		out->elem[k] = known(s, x->arg[k])->elem[0];
		out->free[k] = known(s, x->arg[k])->plain;
	}
	return true;
}

/* A node that hangs on the leaf. */
static bool through_one(Sweep *s, Node *x, Swept *out)
{
	Node *same = copy_of_taken(s->forms.g, x);
	if (same) {
		if (!sweep_run(s, 1, &same)) return false;
		out->elem[0] = *sweep_of(s, same);
		return true;
	}
	switch (x->op) {
	case OP_GET: return through_part(s, x, out);
	case OP_TUPLE: return through_tuple(s, x, out);
	case OP_CALL: return through_call(s, x, out);
	default: break;
	}
	bool several = x->type->kind == TYPE_TUPLE || node_holds_bodies(x);
	if (several && !free_elements(s, x, out)) return false;
	if (stands_free(x, out)) return true;
	return x->op == OP_IF ? through_branch(s, x, out) : through_operator(s, x, out);
}

static bool through(Sweep *s, Node *x)
{
	Swept *out = swept_new(s, x);
	for (uint32_t k = 0; k < x->narg; k++) out->depends |= known(s, x->arg[k])->depends;
	if (!(x = without_leaf(s, x))) return false;
	if (!out->depends) {
		out->plain = x;
		return true;
	}
	if (!through_one(s, x, out)) return false;
	if (!out->depends) return true;
	for (uint32_t i = 0; i < out->n; i++) {
		if (!cut_alike(s, &out->elem[i])) return false;
		const Type *of = x->type->kind == TYPE_TUPLE ? x->type->u.elem[i] : x->type;
		if (out->elem[i].n > DIAGONALS_MAX && !join_lists(s, of, &out->elem[i])) return false;
		if (out->elem[i].n > DIAGONALS_MAX) return lose(s, x, s->forms.n - 1);
	}
	return true;
}

bool sweep_run(Sweep *s, uint32_t n, Node *const *y)
{
	Graph *g = s->forms.g;
	Region *r = region_above(s->forms.a, n, y, &s->done);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i];
		if (known(s, x)) continue;
		Heritage before = heritage_begin(g, x);
		bool good = through(s, x);
		heritage_end(g, before, x, NULL);
		if (!good) return false;
	}
	return !g->error.code;
}
