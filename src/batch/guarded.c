/* guarded.c - products of which a guard leaves some numbers out: sums of where(m, a*b, 0).
 *
 * What does not belong is 0 in one factor, so that nothing goes back to it (plain.c).  Where the guard hangs
 * on more than that factor does, it has become as large as all the numbers that are multiplied.  So the guard
 * goes to the other factor, or to what the product gives:
 *
 *   sum of a*where(m, b, 0) = where(m, sum of a*b, 0)      m hangs on nothing that is summed
 *                           = sum of where(m, a, 0)*b      all of b is finite: 0 times it is 0
 *
 * Whether b is finite is asked when it is there; if it is not, numbers are multiplied one by one.  This comes
 * behind the derivatives, as each of their products has another b.
 * needs: a closed function that `lower` has gone through; gives: the function with such products, by law
 * `real`, in bodies too
 */
#include "lanes.h"

/* An array and the labels of its axes. */
typedef struct Multiplied {
	Node *x;
	int64_t label[RANK_MAX];
} Multiplied;

/* The sum of where(m, f[0]*f[1], 0) over what is not the result's. */
typedef struct Guarded {
	Graph *g;
	Multiplied mask, f[2];
	uint32_t n, nresult; /* labels: those of the result come first */
	int64_t label[3 * RANK_MAX];
	const Size *dim[3 * RANK_MAX];
} Guarded;

/* ---- labels --------------------------------------------------------------------------------------- */

static bool has_label(const Multiplied *f, int64_t label)
{
	return list_has(node_rank(f->x), f->label, label);
}

static bool is_within(const Multiplied *a, const Multiplied *b)
{
	for (uint32_t i = 0; i < node_rank(a->x); i++)
		if (!has_label(b, a->label[i])) return false;
	return true;
}

/* Has one of them each of the labels? */
static bool has_all(const Guarded *p, const Multiplied *a, const Multiplied *b)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (!has_label(a, p->label[i]) && !has_label(b, p->label[i])) return false;
	return true;
}

static bool sums_over_mask(const Guarded *p)
{
	for (uint32_t i = p->nresult; i < p->n; i++)
		if (has_label(&p->mask, p->label[i])) return true;
	return false;
}

/* Without axes along which it repeats, in whatever order they are. */
static Multiplied own_axes(Node *x, const int64_t *label)
{
	Multiplied f = {.x = x};
	memcpy(f.label, label, node_rank(x) * sizeof *label);
	while (f.x->op == OP_EXPAND || f.x->op == OP_TRANSPOSE) {
		int64_t was[RANK_MAX];
		uint32_t kept = 0;
		memcpy(was, f.label, sizeof was);
		for (uint32_t i = 0, k = 0; i < node_rank(f.x); i++)
			if (f.x->op == OP_TRANSPOSE)
				f.label[attr_int(f.x, i)] = was[i];
			else if (k < attr_count(f.x) && attr_int(f.x, k) == i)
				k += 2;
			else
				f.label[kept++] = was[i];
		f.x = f.x->arg[0];
	}
	return f;
}

static void add_labels(Guarded *p, const Node *x, const int64_t *label)
{
	for (uint32_t i = 0; i < node_rank(x); i++) {
		if (list_has(p->n, p->label, label[i])) continue;
		p->label[p->n] = label[i];
		p->dim[p->n++] = node_dim(x, i);
	}
}

static const Size *dim_of(const Guarded *p, int64_t label)
{
	uint32_t at = 0;
	while (p->label[at] != label) at++;
	return p->dim[at];
}

/* The factor with an axis for each of these labels, among which its own are. */
static Node *with_axes(const Guarded *p, const Multiplied *f, uint32_t n, const int64_t *label)
{
	int64_t perm[RANK_MAX], axis[RANK_MAX];
	const Size *dim[RANK_MAX];
	uint32_t own = 0, more = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = 0;
		while (at < node_rank(f->x) && f->label[at] != label[i]) at++;
		if (at < node_rank(f->x)) {
			perm[own++] = at;
		} else {
			axis[more] = i;
			dim[more++] = dim_of(p, label[i]);
		}
	}
	Node *x = transpose(p->g, f->x, perm);
	return x ? expand(p->g, x, more, axis, dim) : NULL;
}

/* ---- what is one ---------------------------------------------------------------------------------- */

/* x of where(m, x, 0), and whether the 0 comes first; NULL: it is none. */
static Node *guarded_value(const Node *w, bool *otherwise)
{
	double zero;
	if (w->op != OP_WHERE || (node_dtype(w) != DT_F64 && node_dtype(w) != DT_F32)) return NULL;
	for (uint32_t k = 1; k < 3; k++)
		if (constant_value(w->arg[k], &zero) && zero == 0) {
			*otherwise = k == 1;
			return w->arg[3 - k];
		}
	return NULL;
}

static Multiplied both_hold(const Guarded *p, const Multiplied *a, const Multiplied *b)
{
	Multiplied y = *a;
	uint32_t n = node_rank(a->x);
	for (uint32_t i = 0; i < node_rank(b->x); i++)
		if (!has_label(a, b->label[i])) y.label[n++] = b->label[i];
	Node *x = with_axes(p, a, n, y.label), *other = x ? with_axes(p, b, n, y.label) : NULL;
	y.x = other ? build2(p->g, OP_AND, x, other) : NULL;
	return y;
}

/* What one guard or more let through of x, which has these labels; *guards.x NULL: none is there. */
static Multiplied read_guards(const Guarded *p, Node *x, const int64_t *label, Multiplied *guards)
{
	Multiplied value = own_axes(x, label);
	bool otherwise;
	Node *inner;
	guards->x = NULL;
	while ((inner = guarded_value(value.x, &otherwise)) && !p->g->error.code) {
		Multiplied mask = own_axes(value.x->arg[0], value.label);
		if (otherwise) mask.x = build1(p->g, OP_NOT, mask.x);
		*guards = guards->x && mask.x ? both_hold(p, guards, &mask) : mask;
		value = own_axes(inner, value.label);
	}
	return value;
}

/* The labels of a contraction's operands and of its result, each axis one. */
static void read_labels(const Node *x, int64_t label[3][RANK_MAX])
{
	for (uint32_t k = 0, at = 0; k < 3; k++, at++)
		for (uint32_t i = 0; at < attr_count(x) && attr_int(x, at) >= 0; at++)
			label[k][i++] = attr_int(x, at);
}

/* A product with what is guarded, which is larger for that or has to be copied. */
static bool read_product(Guarded *p, const Node *x, uint32_t k)
{
	int64_t label[3][RANK_MAX];
	read_labels(x, label);
	add_labels(p, x, label[2]);
	p->nresult = p->n;
	for (uint32_t i = 0; i < 2; i++) add_labels(p, x->arg[i], label[i]);
	p->f[0] = own_axes(x->arg[!k], label[!k]);
	p->f[1] = read_guards(p, x->arg[k], label[k], &p->mask);
	return p->mask.x;
}

/* Factors of what has these labels, that of a contraction or a map. */
static bool read_factors(Guarded *p, const Multiplied *v)
{
	enum { WITHIN = LABELS_MAX/2 }; /* those that a contraction sums over are no axes of what it gives */
	int64_t label[3][RANK_MAX];
	if (v->x->op != OP_MUL && v->x->op != OP_CONTRACT) return false;
	if (v->x->op == OP_CONTRACT) read_labels(v->x, label);
	for (uint32_t k = 0; k < 2; k++) {
		Node *f = v->x->arg[k];
		for (uint32_t i = 0; v->x->op == OP_CONTRACT && i < node_rank(f); i++) {
			uint32_t at = 0;
			while (at < node_rank(v->x) && label[2][at] != label[k][i]) at++;
			label[k][i] = at < node_rank(v->x) ? v->label[at] : WITHIN + label[k][i];
		}
		p->f[k] = own_axes(f, v->x->op == OP_CONTRACT ? label[k] : v->label);
	}
	return true;
}

/* A sum of products that are guarded. */
static bool read_sum(Guarded *p, const Node *x)
{
	int64_t label[RANK_MAX];
	Node *w = x->arg[0];
	for (uint32_t i = 0; i < node_rank(w); i++) {
		bool summed = false;
		for (uint32_t k = 0; k < attr_count(x); k++) summed |= attr_int(x, k) == i;
		label[i] = i;
		if (summed) continue;
		p->label[p->n] = i;
		p->dim[p->n++] = node_dim(w, i);
	}
	p->nresult = p->n;
	add_labels(p, w, label);
	Multiplied value = read_guards(p, w, label, &p->mask);
	if (!p->mask.x || !read_factors(p, &value)) return false;
	for (uint32_t k = 0; k < 2; k++) add_labels(p, p->f[k].x, p->f[k].label);
	return true;
}

/* ---- what it becomes ------------------------------------------------------------------------------ */

static Node *guard(const Guarded *p, Node *mask, Node *x)
{
	Node *zero = mask && x ? constant_int(p->g, x->type, 0) : NULL;
	if (!zero) return NULL;
	return build3(p->g, OP_WHERE, mask, x, zero);
}

static Node *product(const Guarded *p, const Multiplied *a, const Multiplied *b)
{
	if (!a->x || !b->x) return NULL;
	return contract(p->g, (Labelled){a->x, a->label}, (Labelled){b->x, b->label}, p->nresult, p->label);
}

/* The guard at what the product gives. */
static Node *guarded_behind(const Guarded *p)
{
	Node *y = product(p, &p->f[0], &p->f[1]);
	return y ? guard(p, with_axes(p, &p->mask, p->nresult, p->label), y) : NULL;
}

static Node *one_by_one(const Guarded *p)
{
	int64_t axis[RANK_MAX];
	Node *f[2], *mask = with_axes(p, &p->mask, p->n, p->label);
	for (uint32_t k = 0; k < 2; k++)
		if (!(f[k] = with_axes(p, &p->f[k], p->n, p->label))) return NULL;
	for (uint32_t i = p->nresult; i < p->n; i++) axis[i - p->nresult] = i;
	Node *y = guard(p, mask, build2(p->g, OP_MUL, f[0], f[1]));
	return y ? fold(p->g, OP_SUM, y, p->n - p->nresult, axis) : NULL;
}

/* Has it been given this guard already, as an adjoint has? */
static bool has_guard(const Guarded *p, const Multiplied *f)
{
	bool otherwise;
	if (!guarded_value(f->x, &otherwise) || otherwise) return false;
	Multiplied mask = own_axes(f->x->arg[0], f->label);
	size_t bytes = node_rank(mask.x) * sizeof *mask.label;
	return mask.x == p->mask.x && !memcmp(mask.label, p->mask.label, bytes);
}

/* The factor with the guard, and axes for what that hangs on. */
static Multiplied with_guard(const Guarded *p, const Multiplied *f)
{
	Multiplied y = *f;
	uint32_t n = node_rank(f->x);
	if (has_guard(p, f)) return y;
	for (uint32_t i = 0; i < node_rank(p->mask.x); i++)
		if (!has_label(f, p->mask.label[i])) y.label[n++] = p->mask.label[i];
	y.x = with_axes(p, f, n, y.label);
	y.x = y.x ? guard(p, with_axes(p, &p->mask, n, y.label), y.x) : NULL;
	return y;
}

/* The guard at factor k, where the other one is finite. */
static Node *guarded_before(const Guarded *p, uint32_t k)
{
	Graph *g = p->g;
	Multiplied f = with_guard(p, &p->f[k]);
	Node *y = product(p, &f, &p->f[!k]), *n = y ? one_by_one(p) : NULL;
	Node *finite = n ? build1(g, OP_ISFINITE, p->f[!k].x) : NULL;
	Node *all = finite ? fold_all(g, OP_ALL, finite) : NULL;
	Node *captured[] = {p->mask.x, p->f[0].x, p->f[1].x};
	return all ? get(g, branch(g, all, 1, &y, &n, (Nodes){3, captured}), 0) : NULL;
}

/* A matrix with the guard, by a vector that has it: a copy of the matrix, made only where it shows. */
static Node *guarded_if_asked(const Guarded *p)
{
	Graph *g = p->g;
	bool copies = sums_over_mask(p) && node_rank(p->f[1].x) > p->nresult;
	if (!copies || !has_guard(p, &p->f[0])) return NULL;
	Multiplied f = with_guard(p, &p->f[1]);
	Node *y = product(p, &p->f[0], &p->f[1]), *n = y ? product(p, &p->f[0], &f) : NULL;
	Node *finite = n ? build1(g, OP_ISFINITE, y) : NULL;
	Node *all = finite ? fold_all(g, OP_ALL, finite) : NULL;
	Node *captured[] = {p->mask.x, p->f[0].x, p->f[1].x, y};
	return all ? get(g, branch(g, all, 1, &y, &n, (Nodes){4, captured}), 0) : NULL;
}

/* Is there a label along which all of it repeats, the mask too? */
static bool repeats(const Guarded *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (!has_label(&p->mask, p->label[i]) && !has_label(&p->f[0], p->label[i]) &&
			!has_label(&p->f[1], p->label[i]))
			return true;
	return false;
}

/* Multiplied k has no label of some, with those of the mask too, nor has the other; one of the three has. */
static bool may_have_guard(const Guarded *p, uint32_t k)
{
	return !repeats(p) && !has_all(p, &p->f[k], &p->mask) && !has_all(p, &p->f[!k], &p->f[!k]);
}

static bool is_guarded(const Node *x)
{
	return (x->op == OP_CONTRACT && (x->arg[0]->op == OP_WHERE || x->arg[1]->op == OP_WHERE)) ||
		(x->op == OP_SUM && x->arg[0]->op == OP_WHERE);
}

static Node *without_guard(Guarded *p, const Node *x)
{
	uint32_t factors = x->op == OP_SUM ? 2 : 1;
	if (p->n > RANK_MAX || p->n == p->nresult) return NULL;
	if (factors == 1 && is_within(&p->mask, &p->f[1])) return guarded_if_asked(p);
	if (!sums_over_mask(p)) {
		bool less = !has_all(p, &p->f[0], &p->f[0]) && !has_all(p, &p->f[1], &p->f[1]);
		return less && has_all(p, &p->f[0], &p->f[1]) ? guarded_behind(p) : NULL;
	}
	for (uint32_t k = 0; k < factors; k++)
		if (is_within(&p->mask, &p->f[k]) && may_have_guard(p, k)) return guarded_before(p, k);
	for (uint32_t k = 0; k < factors; k++)
		if (may_have_guard(p, k)) return guarded_before(p, k);
	return NULL;
}

/* Are all labels of the result those of a factor? */
static bool is_whole(const Guarded *p)
{
	for (uint32_t i = 0; i < p->nresult; i++)
		if (!has_label(&p->f[0], p->label[i]) && !has_label(&p->f[1], p->label[i])) return false;
	return true;
}

Node *guarded_transpose(Graph *g, const Node *x, uint32_t which, Node *value, Node **mask)
{
	Guarded p = {.g = g};
	int64_t label[3][RANK_MAX];
	const Dtype d = node_dtype(x);
	if (d != DT_F64 && d != DT_F32) return NULL;
	read_labels(x, label);
	add_labels(&p, x->arg[which], label[which]);
	p.nresult = p.n;
	add_labels(&p, x, label[2]);
	add_labels(&p, x->arg[!which], label[!which]);
	p.mask = own_axes(*mask, label[2]);
	Node *factor[2] = {value, x->arg[!which]};
	for (uint32_t k = 0; k < 2; k++) {
		p.f[k].x = factor[k];
		memcpy(p.f[k].label, label[k ? !which : 2], node_rank(factor[k]) * sizeof **label);
	}
	if (p.n > RANK_MAX || !is_whole(&p)) return NULL;
	if (!sums_over_mask(&p)) {
		*mask = with_axes(&p, &p.mask, p.nresult, p.label);
		return product(&p, &p.f[0], &p.f[1]);
	}
	*mask = NULL;
	Multiplied a = with_guard(&p, &p.f[0]), b = with_guard(&p, &p.f[1]);
	return product(&p, &a, &b);
}

static Node *unguarded(Graph *g, Arena *a, Node *x)
{
	(void)a;
	for (uint32_t k = 0; k < (x->op == OP_SUM ? 1 : 2); k++) {
		Guarded p = {.g = g};
		bool one = x->op == OP_SUM ? read_sum(&p, x) : read_product(&p, x, k);
		Node *y = one ? without_guard(&p, x) : NULL;
		if (y || g->error.code) return y;
	}
	return x;
}

Function *guarded_products(Graph *g, Function *f)
{
	return function_replace(g, f, (NodeKind){1u << CONTRACT | 1u << FOLD, is_guarded}, unguarded);
}
