/* helper.c - what the notation cannot say about brackets: functions that right sides call by name.
 *
 * They are linear in their first operand, so that a zero tangent in it is
 * answered here once (helper_apply).
 */
#include "helper.h"

const Attr *list_at(const Match *m, const Pattern *p, uint32_t k)
{
	if (p->attr.kind == AT_VARIABLE) return m->attr[p->attr.var].list;
	return k < p->attr.n && p->attr.list[k]->sign == 'v' ? m->attr[p->attr.list[k]->var].list : NULL;
}

uint32_t axes_at(const Match *m, const Pattern *p, uint32_t k, int64_t *axes)
{
	const Attr *a = list_at(m, p, k);
	uint32_t n = a && a->n <= RANK_MAX ? a->n : 0;
	for (uint32_t i = 0; i < n; i++) axes[i] = a->v[i].kind == A_INT ? a->v[i].u.i : INT64_MAX;
	return n;
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

void labels_drop(Labels *s, uint32_t side, uint32_t at)
{
	s->n[side]--;
	memmove(&s->l[side][at], &s->l[side][at + 1], (s->n[side] - at) * sizeof s->l[side][0]);
}

/* ---- operands in the shape of others -------------------------------------------------- */

/* expand_like[a](y, x): y with axes a put back, as x has them. */
static Node *expand_like(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t axes[RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t k = axes_at(m, p, 0, axes);
	if (p->attr.kind == AT_NONE)
		for (k = 0; k < node_rank(x[1]); k++) axes[k] = k;
	(void)n;
	for (uint32_t i = 0; i < k; i++) {
		if (axes[i] < 0 || axes[i] >= node_rank(x[1])) return NULL;
		size[i] = node_dim(x[1], (uint32_t)axes[i]);
	}
	return expand(m->g, x[0], k, axes, size);
}

/* cast_like(y, x): y in the dtype of x; of a complex y its real part, where x is real. */
static Node *cast_like(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	bool part = dtype_is_complex(node_dtype(x[0])) && !dtype_is_complex(node_dtype(x[1]));
	(void)p;
	(void)n;
	return cast(m->g, part ? build1(m->g, OP_RE, x[0]) : x[0], node_dtype(x[1]));
}

/* constant_like(1, x): a number in the type of x. */
static Node *constant_like(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	double value;
	(void)p;
	(void)n;
	return constant_value(x[0], &value) ? constant_float(m->g, x[1]->type, value) : NULL;
}

/* gap_between(x, y): x - y, the number that it is where both are finite: of x + 1 and x, 1. */
static Node *gap_between(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	const unsigned laws = 1u << LAW_REAL | 1u << LAW_FINITE;
	(void)p;
	(void)n;
	Node *d = build2(m->g, OP_SUB, x[0], x[1]);
	Node *number = d && m->facts ? collect(m->g, d, m->facts, laws) : NULL;
	bool minus = number && number->op == OP_NEG;
	double value;
	if (!number || !constant_value(minus ? number->arg[0] : number, &value)) return d;
	return constant_float(m->g, d->type, minus ? -value : value);
}

/* number_of(k): the one element of a uniform constant, as a scalar. */
static Node *number_of(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p;
	(void)n;
	if (x[0]->op != OP_CONST || !constant_is_uniform(x[0])) return NULL;
	return node_leaf(m->g, OP_CONST, x[0]->attr, type_scalar(m->g, node_dtype(x[0])));
}

/* As the root is, which a reshape may be that asks each axis for its size. */
static Node *reshaped(Match *m, Node *x, const Type *t)
{
	return is_sized(m->node) ? sized(m->g, x, t->n, t->u.dim) : reshape(m->g, x, t->n, t->u.dim);
}

static Node *reshape_like(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p;
	(void)n;
	return reshaped(m, x[0], x[1]->type);
}

/* ---- numbers that are powers of two, and whole exponents ------------------------------------ */

/* by_squaring(x, k): x multiplied |k| times, for 2 <= |k| <= 16 and -1. */
static Node *by_squaring(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	double k;
	(void)p;
	(void)n;
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
	(void)p;
	(void)n;
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
	(void)p;
	(void)n;
	if (!power_of_two(x[1], &k)) return NULL;
	return build2(
		m->g, OP_SHIFT_RIGHT, x[0], constant_int(m->g, x[1]->type, __builtin_ctzll((uint64_t)k)));
}

static Node *low_bits(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	int64_t k;
	(void)p;
	(void)n;
	if (!power_of_two(x[1], &k)) return NULL;
	return build2(m->g, OP_BIT_AND, x[0], constant_int(m->g, x[1]->type, k - 1));
}

/* one_hot_compare[n, dtype](i): one_hot as a comparison with 0, 1, 2, ... */
static Node *one_hot_compare(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	Graph *g = m->g;
	const Type *t = m->node->type;
	int64_t last = node_rank(x[0]), lead[RANK_MAX];
	(void)p;
	(void)n;
	for (int64_t i = 0; i < last; i++) lead[i] = i;
	Node *i = expand(g, cast(g, x[0], DT_I64), 1, &last, &DIM(t, last));
	Node *j = expand(g, iota(g, DIM(t, last)), (uint32_t)last, lead, t->u.dim);
	return cast(g, build2(g, OP_EQ, i, j), (Dtype)t->dtype);
}

/* ---- the root's own brackets ------------------------------------------------------------ */

/* The root's operator with its brackets over another operand of the same shape. */
static Node *same_root(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p;
	(void)n;
	return node_make(m->g, (Op)m->node->op, m->node->attr, 1, x);
}

/* reshape_root(x): x in the shape of the root. */
static Node *reshape_root(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	(void)p;
	(void)n;
	return reshaped(m, x[0], m->node->type);
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
	(void)p;
	(void)n;
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
	HelperFunction *f;
} helpers[] = {{"expand_like", expand_like}, {"cast_like", cast_like}, {"constant_like", constant_like},
	{"gap_between", gap_between},
	{"reshape_like", reshape_like}, {"number_of", number_of}, {"unpermute", unpermute},
	{"unslice", unslice}, {"unpad", unpad}, {"concat_part", concat_part}, {"einsum_left", einsum_left},
	{"einsum_right", einsum_right}, {"solve_turned", solve_turned},
	{"triangle_product", triangle_product}, {"strictly_lower", strictly_lower},
	{"solve_right", solve_right}, {"one_hot_compare", one_hot_compare},
	{"pick_last", pick_last}, {"by_squaring", by_squaring}, {"times_inverse", times_inverse},
	{"shifted", shifted}, {"low_bits", low_bits}, {"slice_root", same_root}, {"pad_root", same_root},
	{"reshape_root", reshape_root}, {"same_type", same_type}, {"same_order", same_order},
	{"whole_slice", untouched}, {"no_pad", untouched}, {"written_last", written_last},
	{"expand_twice", expand_twice}, {"transpose_twice", transpose_twice},
	{"slice_twice", slice_twice}, {"flip_twice", flip_twice}, {"reshape_once", reshape_once}};

bool helper_is_for_all(const char *name, uint32_t n)
{
	size_t length = strlen(name);
	return n == 2 && length > 5 && !strcmp(name + length - 5, "_like");
}

uint32_t helper_named(const char *name)
{
	for (uint32_t i = 0; i < countof(helpers); i++)
		if (!strcmp(name, helpers[i].name)) return i;
	return UINT32_MAX;
}

bool helper_gives_operand(uint32_t helper)
{
	HelperFunction *f = helpers[helper].f;
	return f == same_type || f == same_order || f == untouched;
}

Node *helper_apply(Match *m, const Pattern *p, uint32_t n, Node **x)
{
	bool zero = is_zero(x[0]);
	for (uint32_t i = 0; i < n; i++) x[i] = solid(m->g, x[i]);
	Node *y = helpers[p->helper].f(m, p, n, x);
	return y && zero ? zero_tangent(m->scratch, y->type) : y;
}
