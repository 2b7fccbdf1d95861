/* helper.c - what the notation cannot say about brackets: functions that right sides call by name.
 *
 * Each gets the match, the lists in its brackets and its operands, and gives a
 * node.  They are linear in their first operand, so that a zero tangent in it
 * is answered here once (helper_apply).
 */
#include "rules.h"

typedef Node *(*HelperFunction)(Match *, const Pattern *, uint32_t n, Node **x);

static const Attr *list_at(const Match *m, const Pattern *p, uint32_t k)
{
	if (p->attr.kind == AT_VARIABLE) return m->attr[p->attr.var].list;
	return k < p->attr.n && p->attr.list[k]->sign == 'v' ? m->attr[p->attr.list[k]->var].list : NULL;
}

static uint32_t axes_at(const Match *m, const Pattern *p, uint32_t k, int64_t *axes)
{
	const Attr *a = list_at(m, p, k);
	for (uint32_t i = 0; i < (a ? a->n : 0); i++) axes[i] = a->v[i].u.i;
	return a ? a->n : 0;
}

/* expand_like[a](y, x): y with axes a put back, as x has them. */
static Node *expand_like(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t axes[RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t k = axes_at(m, p, 0, axes);
	if (p->attr.kind == AT_NONE)
		for (k = 0; k < node_rank(x[1]); k++) axes[k] = k;
	(void)n;
	for (uint32_t i = 0; i < k; i++) size[i] = node_dim(x[1], (uint32_t)axes[i]);
	return expand(m->g, x[0], k, axes, size);
}

/* cast_like(y, x): y in the dtype of x; of a complex y its real part, where x is real. */
static Node *cast_like(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	bool part = dtype_is_complex(node_dtype(x[0])) && !dtype_is_complex(node_dtype(x[1]));
	(void)p, (void)n;
	return cast(m->g, part ? build1(m->g, OP_RE, x[0]) : x[0], node_dtype(x[1]));
}

/* constant_like(1, x): a number in the type of x. */
static Node *constant_like(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	double value;
	(void)p, (void)n;
	return constant_value(x[0], &value) ? constant_float(m->g, x[1]->type, value) : NULL;
}

/* number_of(k): the one element of a uniform constant, as a scalar. */
static Node *number_of(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p, (void)n;
	if (x[0]->op != OP_CONST || !constant_is_uniform(x[0])) return NULL;
	return node_leaf(m->g, OP_CONST, x[0]->attr, type_scalar(m->g, node_dtype(x[0])));
}

static Node *reshape_like(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p, (void)n;
	return reshape(m->g, x[0], node_rank(x[1]), x[1]->type->u.dim);
}

static Node *unpermute(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t perm[RANK_MAX], back[RANK_MAX] = {0};
	uint32_t k = axes_at(m, p, 0, perm);
	(void)n;
	for (uint32_t i = 0; i < k; i++) back[perm[i]] = i;
	return transpose(m->g, x[0], back);
}

static const Size *number(Graph *g, int64_t x)
{
	return size_const(g, x);
}

/* unslice[a](y, x): y where slice[a] took it from x, zeros around. */
static Node *unslice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	const Attr *a = list_at(m, p, 0);
	const Size *before[RANK_MAX], *after[RANK_MAX];
	int64_t step[RANK_MAX], back[RANK_MAX];
	uint32_t rank = node_rank(x[1]), nback = 0;
	(void)n;
	for (uint32_t i = 0; i < rank; i++) {
		const Size *start = a->v[i].u.size, *length = a->v[rank + i].u.size;
		step[i] = a->v[2 * rank + i].u.i;
		const Size *reach = size_mul(
			g, number(g, step[i] < 0 ? -step[i] : step[i]), size_sub(g, length, number(g, 1)));
		if (step[i] < 0) back[nback++] = i, start = size_sub(g, start, reach), step[i] = -step[i];
		const Size *inner = size_add(g, reach, number(g, 1));
		if (step[i] > 1) inner = size_max(g, number(g, 0), inner);
		before[i] = start;
		after[i] = size_sub(g, node_dim(x[1], i), size_add(g, start, inner));
	}
	Node *y = nback ? flip(g, x[0], nback, back) : x[0];
	return pad(g, y, before, after, step);
}

static Node *unpad(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	const Attr *a = list_at(m, p, 0);
	const Size *start[RANK_MAX];
	int64_t step[RANK_MAX];
	uint32_t rank = node_rank(x[1]);
	(void)n;
	for (uint32_t i = 0; i < rank; i++) start[i] = a->v[i].u.size, step[i] = a->v[2 * rank + i].u.i;
	return slice(m->g, x[0], start, x[1]->type->u.dim, step);
}

/* concat_part[a](y, ..x): the part of y where operand `which` of a concatenation stands. */
static Node *concat_part(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	int64_t axis[RANK_MAX], step[RANK_MAX];
	const Size *start[RANK_MAX], *at = number(g, 0);
	axes_at(m, p, 0, axis);
	if (m->which + 1 >= n) return NULL;
	const Node *part = x[1 + m->which];
	for (uint32_t i = 0; i < m->which; i++) at = size_add(g, at, node_dim(x[1 + i], (uint32_t)axis[0]));
	for (uint32_t i = 0; i < node_rank(part); i++)
		start[i] = i == axis[0] ? at : number(g, 0), step[i] = 1;
	return slice(g, x[0], start, part->type->u.dim, step);
}

Labels labels_of(const Attr *a)
{
	Labels s = {.n = {0}};
	for (uint32_t i = 0, side = 0; i < (a ? a->n : 0); i++)
		if (a->v[i].u.i < 0)
			side++;
		else
			s.l[side][s.n[side]++] = a->v[i].u.i;
	return s;
}

static bool holds(uint32_t n, const int64_t *l, int64_t k)
{
	for (uint32_t i = 0; i < n; i++)
		if (l[i] == k) return true;
	return false;
}

/* The contraction of a and b over labels `want`, which may hold labels of neither: those are repeated,
 * sizes from `as`. */
static Node *contract_to(Graph *g, Node *a, const int64_t *la, uint32_t na, Node *b, const int64_t *lb,
	uint32_t nb, const int64_t *want, uint32_t nwant, const Node *as)
{
	int64_t have[RANK_MAX], axes[RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t nhave = 0, naxes = 0;
	for (uint32_t i = 0; i < nwant; i++) {
		if (holds(i, want, want[i]))
			return graph_fail(g, ERR_DERIVATIVE,
				"no transpose of an einsum with a repeated label in one operand");
		if (holds(na, la, want[i]) || holds(nb, lb, want[i]))
			have[nhave++] = want[i];
		else
			axes[naxes] = i, size[naxes++] = node_dim(as, i);
	}
	return expand(g, contract(g, a, la, b, lb, nhave, have), naxes, axes, size);
}

/* einsum_left[a](g, y, x): the cotangent of the left operand x; einsum_right[a](x, g, y): of the right
 * one. */
static Node *einsum_left(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Labels s = labels_of(list_at(m, p, 0));
	(void)n;
	return contract_to(m->g, x[0], s.l[2], s.n[2], x[1], s.l[1], s.n[1], s.l[0], s.n[0], x[2]);
}

static Node *einsum_right(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Labels s = labels_of(list_at(m, p, 0));
	(void)n;
	return contract_to(m->g, x[1], s.l[0], s.n[0], x[0], s.l[2], s.n[2], s.l[1], s.n[1], x[2]);
}

/* solve_turned[a](A, b): tri_solve with the other value of `turned`. */
static Node *solve_turned(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t a[2] = {0};
	(void)n;
	axes_at(m, p, 0, a);
	a[1] = !a[1];
	return build(m->g, OP_TRI_SOLVE, attr_ints(m->g, 2, a), 2, (Node *[]){x[1], x[0]});
}

/* x where its row and column indices satisfy `on`, 0 elsewhere. */
static Node *half(Graph *g, Node *x, Op on)
{
	uint32_t rank = node_rank(x);
	const Size *rows = node_dim(x, rank - 2), *columns = node_dim(x, rank - 1);
	Node *i = expand(g, iota(g, rows), 1, (int64_t[]){1}, &columns);
	Node *j = expand(g, iota(g, columns), 1, (int64_t[]){0}, &rows);
	Node *mask = build2(g, on, i, j);
	mask = mask ? broadcast_to(g, mask, rank, x->type->u.dim) : NULL;
	return mask ? build3(g, OP_WHERE, mask, x, constant_int(g, x->type, 0)) : NULL;
}

/* triangle_product[a](x, z): the half of x that tri_solve[a] reads, turned as it reads it, times z. */
static Node *triangle_product(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t a[2] = {0};
	(void)n;
	axes_at(m, p, 0, a);
	Node *t = half(m->g, x[0], a[0] ? OP_LE : OP_GE);
	return matmul(m->g, a[1] ? turn(m->g, t) : t, x[1]);
}

static Node *strictly_lower(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p, (void)n;
	return half(m->g, x[0], OP_GT);
}

/* solve_right(b, r): z with z @ r = b, r upper triangular. */
static Node *solve_right(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Node *b = turn(m->g, x[0]);
	(void)p, (void)n;
	return b ? turn(m->g,
			   build(m->g, OP_TRI_SOLVE, attr_ints(m->g, 2, (int64_t[]){1, 1}), 2,
				   (Node *[]){x[1], b}))
		 : NULL;
}

/* pick_last(y, i): of each row of y along its last axis the elements at the row's own indices i. */
static Node *pick_last(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	Node *y = x[0], *i = x[1];
	uint32_t last = node_rank(y) - 1;
	(void)p, (void)n;
	if (!last) return gather(g, y, i, 0);
	const Size *rows = number(g, 1), *all = type_elements(g, y->type);
	for (uint32_t d = 0; d < last; d++) rows = size_mul(g, rows, node_dim(y, d));
	Node *start = build2(g, OP_MUL, iota(g, rows), size_node(g, node_dim(y, last)));
	start = start ? reshape(g, start, last, y->type->u.dim) : NULL;
	start = start ? expand(g, start, 1, (int64_t[]){last}, &DIM(i->type, last)) : NULL;
	Node *flat = reshape(g, y, 1, &all), *at = start ? build2(g, OP_ADD, start, i) : NULL;
	return flat && at ? gather(g, flat, at, 0) : NULL;
}

/* ---- numbers that are powers of two, and whole exponents ------------------------------------ */

/* by_squaring(x, k): x multiplied |k| times, for 2 <= |k| <= 16 and -1. */
static Node *by_squaring(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	double k;
	(void)p, (void)n;
	if (!constant_value(x[1], &k) || k != floor(k) || fabs(k) > 16 || k == 0 || k == 1) return NULL;
	Node *y = NULL, *square = x[0];
	for (uint32_t e = (uint32_t)fabs(k); e; e >>= 1) {
		if (e & 1) y = y ? build2(g, OP_MUL, y, square) : square;
		if (e > 1) square = build2(g, OP_MUL, square, square);
	}
	return k < 0 ? build2(g, OP_DIV, like(g, x[0], 1), y) : y;
}

/* times_inverse(x, k): x/k where k is a power of two, or minus one, whose inverse is a normal number. */
static Node *times_inverse(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	double k;
	int e;
	bool narrow = node_dtype(x[0]) != DT_F64;
	(void)p, (void)n;
	if (!dtype_is_float(node_dtype(x[0])) || !constant_value(x[1], &k)) return NULL;
	if (frexp(fabs(k), &e) != 0.5 || e > (narrow ? 14 : 1000) || e < (narrow ? -14 : -1000)) return NULL;
	return build2(m->g, OP_MUL, x[0], constant_float(m->g, x[1]->type, 1 / k));
}

/* shifted(x, k), low_bits(x, k): floor(x/k) and its remainder where k is a power of two. */
static bool power_of_two(const Node *k, int64_t *value)
{
	return constant_integer(k, value) && *value > 0 && !(*value & (*value - 1));
}

static Node *shifted(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t k;
	(void)p, (void)n;
	if (!power_of_two(x[1], &k)) return NULL;
	return build2(
		m->g, OP_SHIFT_RIGHT, x[0], constant_int(m->g, x[1]->type, __builtin_ctzll((uint64_t)k)));
}

static Node *low_bits(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t k;
	(void)p, (void)n;
	if (!power_of_two(x[1], &k)) return NULL;
	return build2(m->g, OP_BIT_AND, x[0], constant_int(m->g, x[1]->type, k - 1));
}

/* one_hot_compare[n, dtype](i): one_hot as a comparison with 0, 1, 2, ... */
static Node *one_hot_compare(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	const Type *t = m->node->type;
	int64_t last = node_rank(x[0]), lead[RANK_MAX];
	(void)p, (void)n;
	for (int64_t i = 0; i < last; i++) lead[i] = i;
	Node *i = expand(g, cast(g, x[0], DT_I64), 1, &last, &DIM(t, last));
	Node *j = expand(g, iota(g, DIM(t, last)), (uint32_t)last, lead, t->u.dim);
	return cast(g, build2(g, OP_EQ, i, j), (Dtype)t->dtype);
}

/* written_last[a](v, i, x): v, but 0 where a later equal index overwrites it in scatter_set[a](x, i, v). */
static Node *written_last(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	int64_t axis[RANK_MAX] = {0}, axes[RANK_MAX];
	const Size *size[RANK_MAX];
	(void)n;
	axes_at(m, p, 0, axis);
	Node *v = x[0], *i = x[1];
	if (node_is_scalar(i)) return v;
	Node *order = reshape(g, iota(g, type_elements(g, i->type)), node_rank(i), i->type->u.dim);
	const Size *places = node_dim(x[2], (uint32_t)axis[0]);
	Node *last = constant_int(g, type_array(g, DT_I64, 1, &places), -1);
	last = gather(g, scatter(g, OP_SCATTER_SET, last, i, order, 0), i, 0);
	Node *on = build2(g, OP_EQ, last, order);
	uint32_t k = 0;
	for (uint32_t d = 0; d < node_rank(v); d++)
		if (d < axis[0] || d >= axis[0] + node_rank(i)) axes[k] = d, size[k++] = node_dim(v, d);
	return build3(g, OP_WHERE, expand(g, on, k, axes, size), v, constant_int(g, v->type, 0));
}

/* extent[a](x): the number of elements that fold[a] folds into one, in the dtype of x. */
static Node *extent(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	const AttrBinding *b = p->attr.kind == AT_VARIABLE ? &m->attr[p->attr.var] : NULL;
	const Size *s = number(g, 1);
	(void)n;
	if (!b || (b->list && !b->size)) return NULL;
	for (uint32_t i = 0; i < (b->list ? b->list->n : 0); i++) s = size_mul(g, s, b->size[i]);
	return cast(g, size_node(g, s), node_dtype(x[0]));
}

/* fold_twice[a, b](x): fold a of fold b of x as one fold. */
static Node *fold_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t outer[RANK_MAX], inner[RANK_MAX], all[2 * RANK_MAX];
	uint32_t no = axes_at(m, p, 0, outer), ni = axes_at(m, p, 1, inner), k = 0, at = 0;
	(void)n;
	for (int64_t d = 0; d < node_rank(x[0]); d++) {
		if (holds(ni, inner, d)) {
			all[k++] = d;
			continue;
		}
		if (holds(no, outer, at)) all[k++] = d;
		at++;
	}
	return fold(m->g, (Op)m->node->op, x[0], k, all);
}

/* expand_twice[a, b](x): expand a of expand b. */
static Node *expand_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t outer[RANK_MAX], inner[RANK_MAX], all[2 * RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t no = axes_at(m, p, 0, outer), ni = axes_at(m, p, 1, inner), k = 0;
	(void)n;
	for (int64_t d = 0, at = 0; d < node_rank(m->node); d++) {
		bool mine = holds(no, outer, d);
		if (mine || holds(ni, inner, at)) all[k] = d, size[k++] = node_dim(m->node, (uint32_t)d);
		at += !mine;
	}
	return expand(m->g, x[0], k, all, size);
}

/* transpose_twice[a, b](x): transpose a of transpose b. */
static Node *transpose_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t a[RANK_MAX], b[RANK_MAX], both[RANK_MAX];
	uint32_t k = axes_at(m, p, 0, a);
	(void)n;
	axes_at(m, p, 1, b);
	for (uint32_t i = 0; i < k; i++) both[i] = b[a[i]];
	return transpose(m->g, x[0], both);
}

/* flip_twice[a, b](x): flip a of flip b; an axis of both is as it was. */
static Node *flip_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t a[RANK_MAX], b[RANK_MAX], one[2 * RANK_MAX];
	uint32_t na = axes_at(m, p, 0, a), nb = axes_at(m, p, 1, b), k = 0;
	(void)n;
	for (int64_t d = 0; d < node_rank(x[0]); d++)
		if (holds(na, a, d) != holds(nb, b, d)) one[k++] = d;
	return k ? flip(m->g, x[0], k, one) : x[0];
}

/* slice_twice[a, b](x): slice a of slice b. */
static Node *slice_twice(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	const Attr *a = list_at(m, p, 0), *b = list_at(m, p, 1);
	const Size *start[RANK_MAX];
	int64_t step[RANK_MAX];
	uint32_t r = node_rank(x[0]);
	(void)n;
	for (uint32_t i = 0; i < r; i++) {
		start[i] = size_add(
			g, b->v[i].u.size, size_mul(g, number(g, b->v[2 * r + i].u.i), a->v[i].u.size));
		step[i] = a->v[2 * r + i].u.i * b->v[2 * r + i].u.i;
	}
	return slice(g, x[0], start, m->node->type->u.dim, step);
}

/* ---- the root's own brackets ------------------------------------------------------------ */

/* The root's operator with its brackets over another operand of the same shape. */
static Node *same_root(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p, (void)n;
	return node_make(m->g, (Op)m->node->op, m->node->attr, 1, x);
}

/* reshape_root(x): x in the shape of the root. */
static Node *reshape_root(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p, (void)n;
	return reshape(m->g, x[0], m->node->type->n, m->node->type->u.dim);
}

/* reshape_once(x): a reshape of a reshape, but for those that check sizes. */
static Node *reshape_once(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	bool checks = is_sized(m->node) || is_sized(m->node->arg[0]);
	return checks ? NULL : reshape_root(m, p, n, x);
}

/* same_type(x): x if that has the root's type already; else the rule is refused. */
static Node *same_type(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p, (void)n;
	return x[0]->type == m->node->type ? x[0] : NULL;
}

static Node *same_order(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	const Attr *a = list_at(m, p, 0);
	(void)n;
	for (uint32_t i = 0; i < (a ? a->n : 0); i++)
		if (a->v[i].u.i != i) return NULL;
	return x[0];
}

/* whole_slice[a](x), no_pad[a](x): x if nothing is cut away or added. */
static Node *untouched(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	const Attr *a = list_at(m, p, 0);
	uint32_t r = node_rank(x[0]);
	(void)n;
	for (uint32_t i = 0; i < r; i++)
		if (!size_equals(a->v[i].u.size, 0) || a->v[2 * r + i].u.i != 1) return NULL;
	return x[0]->type == m->node->type ? x[0] : NULL;
}

static const struct {
	const char *name;
	HelperFunction f;
} helpers[] = {{"expand_like", expand_like}, {"cast_like", cast_like}, {"constant_like", constant_like},
	{"reshape_like", reshape_like}, {"number_of", number_of}, {"unpermute", unpermute},
	{"unslice", unslice}, {"unpad", unpad}, {"concat_part", concat_part}, {"einsum_left", einsum_left},
	{"einsum_right", einsum_right}, {"solve_turned", solve_turned},
	{"triangle_product", triangle_product}, {"strictly_lower", strictly_lower},
	{"solve_right", solve_right}, {"one_hot_compare", one_hot_compare}, {"pick_last", pick_last},
	{"by_squaring", by_squaring}, {"times_inverse", times_inverse}, {"shifted", shifted},
	{"low_bits", low_bits}, {"slice_root", same_root}, {"pad_root", same_root},
	{"reshape_root", reshape_root}, {"same_type", same_type}, {"same_order", same_order},
	{"whole_slice", untouched}, {"no_pad", untouched}, {"written_last", written_last}, {"extent", extent},
	{"fold_twice", fold_twice}, {"expand_twice", expand_twice}, {"transpose_twice", transpose_twice},
	{"slice_twice", slice_twice}, {"flip_twice", flip_twice}, {"reshape_once", reshape_once}};

uint32_t helper_named(const char *name)
{
	for (uint32_t i = 0; i < countof(helpers); i++)
		if (!strcmp(name, helpers[i].name)) return i;
	return UINT32_MAX;
}

bool helper_gives_operand(uint32_t helper)
{
	HelperFunction f = helpers[helper].f;
	return f == same_type || f == same_order || f == untouched;
}

Node *helper_apply(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	bool zero = is_zero(x[0]);
	for (uint32_t i = 0; i < n; i++) x[i] = solid(m->g, x[i]);
	Node *y = helpers[p->helper].f(m, p, n, x);
	return y && zero ? zero_tangent(m->scratch, y->type) : y;
}
