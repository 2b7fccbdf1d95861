/* collect.c - what the algebra stage does without rules: like terms, minus signs, order, expands.
 *
 * Needs: a node whose operands are in normal form.  Gives: an equal node that
 * saves operations or has its operands in the structural order; NULL when there
 * is none.  Terms that meet nothing keep the user's tree.
 */
#include "rules.h"

/* ---- sums ----------------------------------------------------------------------- */

/* Is it allowed to forget the NaN or infinity of this term? */
static bool may_vanish(Node *base, uint32_t variables_left, Facts *facts, unsigned laws)
{
	return variables_left || laws & 1u << LAW_FINITE || !base || range_of(facts, base)->finite;
}

/* A number of the dtype that a double holds, or what a minus makes of 1. */
static bool whole_factor(Dtype d, double c)
{
	return c == -1 || (fabs(c) <= 0x1p52 && c >= dtype_min(d) && c <= dtype_max(d));
}

/* May these terms become one?  Numbers, if that loses neither: of 1 + 1e-20 the 1e-20 is wanted yet.  Of
 * x + y + x, a 2*x may be out of range where that is narrow. */
static bool terms_meet(const Node *x, const Node *y, double a, double b, bool number)
{
	Dtype d = node_dtype(x);
	if (x->type != y->type) return false;
	if (dtype_is_integer(d)) return whole_factor(d, a) && whole_factor(d, b) && whole_factor(d, a + b);
	if (number) return sum_keeps(d, a, b);
	if (a + b == 0) return true;
	return number_fits(d, a + b) && (is_wide(d) || fabs(a + b) <= fmax(fabs(a), fabs(b)));
}

/* A sum whose terms are c times base (NULL: a number). */
typedef struct SumTerms {
	Terms t;
	double c[KEY_TERMS];
	Node *base[KEY_TERMS];
	bool met[KEY_TERMS], gone[KEY_TERMS]; /* it has taken in others; one before has taken it in */
	Node *erased; /* the first x/x that has become 1, or NULL */
} SumTerms;

/* How often x is y, which is grouped in another way; 0: it is not alike. */
static double times_alike(Node *x, Node *y)
{
	AlikeProduct p, q;
	return x->type == y->type && alike_product(x, &p) && alike_product(y, &q) ? alike_ratio(&p, &q) : 0;
}

/* Terms that are alike as multiples of the first: x*(2*y) beside 3*x*y, 1/(b - a) beside 1/(a - b). */
static void liken_terms(SumTerms *s, const uint64_t *key)
{
	for (uint32_t i = 0; i < s->t.n; i++)
		for (uint32_t k = i + 1; k < s->t.n; k++) {
			if (!key[i] || key[k] != key[i] || s->base[k] == s->base[i]) continue;
			double by = times_alike(s->base[k], s->base[i]);
			if (by == 0 || !multiply_number(&by, s->c[k], 1)) continue;
			s->c[k] = by;
			s->base[k] = s->base[i];
		}
}

static bool join_terms(SumTerms *s)
{
	bool any = false;
	if (!is_one_twice(s->t.n, s->base)) return false;
	for (uint32_t i = 0; i < s->t.n; i++)
		for (uint32_t k = i + 1; k < s->t.n && !s->gone[i]; k++) {
			if (s->base[k] != s->base[i] || s->gone[k]) continue;
			const Node *x = s->t.term[i].x, *y = s->t.term[k].x;
			if (!terms_meet(x, y, s->c[i], s->c[k], !s->base[i])) continue;
			s->c[i] += s->c[k];
			s->gone[k] = s->met[i] = any = true;
		}
	return any;
}

/* x/x is 1 where another term tells of NaN. */
static bool erase_ratios(SumTerms *s)
{
	bool any = false;
	for (uint32_t i = 0; i < s->t.n; i++) {
		Node *x = s->base[i];
		if (s->gone[i] || !x || x->op != OP_DIV || x->arg[0] != x->arg[1]) continue;
		if (!s->erased) s->erased = x;
		s->base[i] = NULL;
		s->met[i] = any = true;
	}
	return any;
}

/* How many terms there are now, and how many of them are no numbers. */
static uint32_t terms_left(const SumTerms *s, uint32_t *variables)
{
	uint32_t left = 0;
	*variables = 0;
	for (uint32_t i = 0; i < s->t.n; i++) {
		if (s->gone[i] || (s->met[i] && s->c[i] == 0)) continue;
		left++;
		*variables += s->base[i] != NULL;
	}
	return left;
}

static Node *collect_sum(Graph *g, Node *x, Facts *facts, unsigned laws)
{
	SumTerms s;
	Node *with[KEY_TERMS];
	uint32_t variables;
	SumList *list = sum_list(facts, x);
	if (!list || !sum_may_join(list)) return NULL;
	s.erased = NULL;
	s.t.n = sum_count(list);
	s.t.negative = false;
	memcpy(s.t.term, list->term + list->all.begin, s.t.n * sizeof *s.t.term);
	memcpy(s.c, list->c + list->all.begin, s.t.n * sizeof *s.c);
	memcpy(s.base, list->base + list->all.begin, s.t.n * sizeof *s.base);
	for (uint32_t i = 0; i < s.t.n; i++) s.met[i] = s.gone[i] = false;
	if (is_wide(node_dtype(x))) liken_terms(&s, list->alike + list->all.begin);
	bool joined = join_terms(&s), erased = erase_ratios(&s);
	if (!joined && !erased) return NULL;
	uint32_t left = terms_left(&s, &variables);
	if (s.erased && !may_vanish(s.erased, variables, facts, laws)) return NULL;
	for (uint32_t i = 0; i < s.t.n; i++) {
		Node *term = s.t.term[i].x;
		with[i] = s.gone[i] ? NULL : term;
		if (!s.met[i]) continue;
		if (s.c[i] == 0 && !may_vanish(s.base[i], variables, facts, laws)) return NULL;
		with[i] = s.c[i] == 0 ? NULL : times_number(g, term, s.t.term[i].sign * s.c[i], s.base[i]);
		if (s.c[i] != 0 && !with[i]) return NULL;
	}
	return left ? terms_rebuild(g, x, false, with) : constant_int(g, x->type, 0);
}

/* ---- products: constants join, minus signs cancel ------------------------------------ */

/* Is their product a number with all its digits?  1e-200*1e-200 is left for the last stage. */
static bool numbers_meet(Dtype d, double a, double b)
{
	return a == 0 || b == 0 ? isfinite(a * b) : number_fits(d, a * b);
}

/* In 2*(3*x) what comes is between what was; in (2*x)*(3*y) or 2*(3/x) it is not where the numbers are large
 * or small. */
static bool may_cross(Dtype d, double a, double b, bool one)
{
	return (one && numbers_meet(d, a, b)) || (is_moderate(d, a) && is_moderate(d, b));
}

static Node *collect_product(Graph *g, Node *x)
{
	Terms t;
	Node *with[KEY_TERMS], *spread[KEY_TERMS] = {NULL}, *base;
	uint32_t first = UINT32_MAX;
	double c = 1, d = 1;
	bool any = false, none = true, numbers = true;
	uint32_t variables = 0;
	if (!terms_of_product(x, &t, KEY_TERMS)) return NULL;
	for (uint32_t i = 0; i < t.n; i++) variables += t.term[i].x->op != OP_CONST;
	for (uint32_t i = 0; i < t.n; i++) {
		with[i] = t.term[i].x;
		double k = coefficient(with[i], &base);
		double by = 1;
		numbers &= !base;
		if (base && !(base = numbered(g, with[i], &k, &by))) continue;
		spread[i] = base;
		if (first == UINT32_MAX) {
			first = i;
			c = k;
			d = by;
		} else if (numbers_meet(node_dtype(x), c, k) && numbers_meet(node_dtype(x), d, by) &&
			may_cross(node_dtype(x), c / d, k / by,
				variables == 1 && !spread[first] && !spread[i])) {
			c *= k;
			d *= by;
			with[i] = spread[i];
			any = true;
		}
	}
	if (any && numbers) return NULL; /* literal.c knows when to fold it */
	if (any) {
		c /= d;
		const bool minus = c == -1; /* stands outside */
		Node *number = fabs(c) == 1 ? NULL : constant_float(g, t.term[first].x->type, c);
		if (!spread[first])
			with[first] = number;
		else if (number)
			with[first] = build2(g, OP_MUL, number, spread[first]);
		else
			with[first] = spread[first];
		for (uint32_t i = 0; i < t.n; i++) none &= !with[i];
		if (none) return constant_float(g, x->type, c);
		Node *y = terms_rebuild(g, x, true, with);
		return y && minus ? build1(g, OP_NEG, y) : y;
	}
	const bool number = first != UINT32_MAX && !spread[first];
	if (minus_signs(x) < (number ? 1 : 2)) return NULL;
	Node *y = signs_of_product(g, x);
	return number && y && y->op == OP_NEG ? minus_number(g, y->arg[0]) : y;
}

Node *collect(Graph *g, Node *x, Facts *facts, unsigned laws)
{
	Node *y;
	if ((x->op == OP_ADD || x->op == OP_SUB) && (y = sign_in_sum(g, x))) return y;
	if (x->type->kind != TYPE_ARRAY) return NULL;
	bool whole = dtype_is_integer(node_dtype(x));
	if (whole && x->op == OP_MUL && minus_signs(x) > 1) return signs_of_product(g, x);
	if (whole && (x->op == OP_ADD || x->op == OP_SUB)) return collect_sum(g, x, facts, laws);
	if (x->narg <= 2 && (y = collect_whole(g, x))) return y;
	if (!(laws & 1u << LAW_REAL) || !dtype_is_float(node_dtype(x))) return NULL;
	if (x->op == OP_ADD || x->op == OP_SUB) {
		y = collect_sum(g, x, facts, laws);
		if (!y && is_wide(node_dtype(x))) y = take_parts(g, x, facts);
		return y ? y : drop_zeros(g, x, facts);
	}
	if (x->op == OP_NEG) return minus_number(g, x->arg[0]);
	if (x->op == OP_POW) return (y = exponent_as_number(g, x)) ? y : sign_of_power(g, x);
	if (x->op == OP_ABS) return size_of_scaled(g, x);
	if (x->op == OP_DIV && (y = size_of_quotient(g, x))) return y;
	if (x->op == OP_EXP) return collect_gaussian(g, x);
	if (x->op != OP_MUL && x->op != OP_DIV) return NULL;
	y = x->op == OP_DIV ? collect_quotient(g, x) : collect_product(g, x);
	if (!y && x->op == OP_DIV) y = sign_below(g, x);
	if (!y) y = with_equal_differences(g, x, facts);
	if (!y && x->op == OP_MUL) y = collect_powers(g, x);
	if (!y) y = cancel_factors(g, x, facts);
	return y ? y : numbers_of_ratio(g, facts, x);
}

/* The numbers of a sum or product as one, when nothing looks for them any more.  A literal that waited for
 * this (see literal.c) has become a number beside another one. */
Node *collect_numbers(Graph *g, Node *x, Facts *facts)
{
	Terms t;
	Node *with[KEY_TERMS];
	uint32_t first = UINT32_MAX, of_first;
	double c = 0, k;
	bool product = x->op == OP_MUL, any = false;
	if ((!product && x->op != OP_ADD && x->op != OP_SUB) || !dtype_is_float(node_dtype(x))) return NULL;
	if (!(product ? terms_of_product(x, &t, KEY_TERMS) : sum_terms(facts, x, &t, &of_first))) return NULL;
	for (uint32_t i = 0; i < t.n; i++) {
		with[i] = t.term[i].x;
		if (!constant_value(with[i], &k)) continue;
		k *= product ? 1 : t.term[i].sign;
		if (first == UINT32_MAX) {
			first = i;
			c = k;
		} else if (product ? numbers_meet(node_dtype(x), c, k) : isfinite(c + k)) {
			c = product ? c * k : c + k;
			with[i] = NULL;
			any = true;
		}
	}
	if (!any) return NULL;
	with[first] = constant_float(g, t.term[first].x->type, product ? c : t.term[first].sign * c);
	return terms_rebuild(g, x, product, with);
}

/* ---- expands --------------------------------------------------------------------------- */

/* f(expand[a](x), expand[a](y), 2) is expand[a](f(x, y, 2)): the same bits, computed once. */
Node *lift_expand(Graph *g, Node *x)
{
	const Node *e = NULL;
	Node *inner[4];
	if (op_info[x->op].class != MAP || !x->narg || x->narg > countof(inner)) return NULL;
	for (uint32_t i = 0; i < x->narg; i++) {
		const Node *a = x->arg[i];
		if (a->op == OP_EXPAND &&
			(!e || (e->attr == a->attr && e->arg[0]->type->n == a->arg[0]->type->n)))
			e = a;
		else if (a->op != OP_CONST || !constant_is_uniform(a))
			return NULL;
	}
	if (!e || e->narg != 1) return NULL;
	const Type *t = e->arg[0]->type;
	for (uint32_t i = 0; i < x->narg; i++)
		inner[i] = x->arg[i]->op == OP_EXPAND
			? x->arg[i]->arg[0]
			: node_leaf(g, OP_CONST, x->arg[i]->attr,
				  type_array(g, node_dtype(x->arg[i]), t->n, t->u.dim));
	Node *y = node_make(g, (Op)x->op, x->attr, x->narg, inner);
	return y ? node_make(g, OP_EXPAND, e->attr, 1, &y) : NULL;
}

Node *viewed_map(Graph *g, const Node *x)
{
	const Node *y = is_seen_through((Op)x->op) ? x->arg[0] : NULL;
	Node *arg[4];
	if (y && is_seen_through((Op)y->op)) y = viewed_map(g, y); /* a view of a view */
	if (!y || x->narg != 1 || is_sized(x) || op_info[y->op].class != MAP) return NULL;
	if (!y->narg || y->narg > countof(arg)) return NULL;
	for (uint32_t i = 0; i < y->narg; i++)
		arg[i] = y->arg[i]->op == OP_CONST && constant_is_uniform(y->arg[i])
			? node_leaf(g, OP_CONST, y->arg[i]->attr,
				  type_with_dtype(g, x->type, node_dtype(y->arg[i])))
			: node_make(g, (Op)x->op, x->attr, 1, (Node *[]){y->arg[i]});
	return node_make(g, (Op)y->op, y->attr, y->narg, arg);
}

/* Do both shapes have the same axes but for those of size 1? */
bool same_but_ones(const Type *a, const Type *b)
{
	uint32_t i = 0, k = 0;
	for (;; i++, k++) {
		while (i < a->n && size_equals(DIM(a, i), 1)) i++;
		while (k < b->n && size_equals(DIM(b, k), 1)) k++;
		if (i == a->n || k == b->n) return i == a->n && k == b->n;
		if (DIM(a, i) != DIM(b, k)) return false;
	}
}

/* An operand of a map as it is before the reshape from shape t; NULL: it is something else. */
static Node *before_reshape(Graph *g, Node *x, const Type *t)
{
	if (x->op == OP_CONST && constant_is_uniform(x))
		return node_leaf(g, OP_CONST, x->attr, type_array(g, node_dtype(x), t->n, t->u.dim));
	if (x->op == OP_EXPAND && x->narg == 1 && node_is_scalar(x->arg[0]))
		return broadcast_to(g, x->arg[0], t->n, t->u.dim);
	bool same = x->op == OP_RESHAPE && x->arg[0]->type->n == t->n &&
		!memcmp(x->arg[0]->type->u.dim, t->u.dim, t->n * sizeof *t->u.dim);
	return same ? x->arg[0] : NULL;
}

/* f(x[_], 2) is f(x, 2)[_]: axes of size 1 come last, where they meet others and go. */
Node *lift_reshape(Graph *g, Node *x)
{
	const Type *t = NULL;
	Node *inner[4];
	if (op_info[x->op].class != MAP || !x->narg || x->narg > countof(inner)) return NULL;
	for (uint32_t i = 0; i < x->narg && !t; i++)
		if (x->arg[i]->op == OP_RESHAPE) t = x->arg[i]->arg[0]->type;
	if (!t || !same_but_ones(t, x->type)) return NULL;
	for (uint32_t i = 0; i < x->narg; i++)
		if (!(inner[i] = before_reshape(g, x->arg[i], t))) return NULL;
	Node *y = node_make(g, (Op)x->op, x->attr, x->narg, inner);
	return y ? reshape(g, y, x->type->n, x->type->u.dim) : NULL;
}

/* ---- the order of operands ----------------------------------------------------------------- */

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_sizes(const Size *a, const Size *b)
{
	int c = compare_numbers(a->nterm, b->nterm);
	for (uint32_t i = 0; !c && i < a->nterm; i++) {
		c = compare_numbers(a->term[i].coef, b->term[i].coef);
		c = c ? c : compare_numbers(a->term[i].natom, b->term[i].natom);
		for (uint32_t k = 0; !c && k < a->term[i].natom; k++) {
			const Atom *p = a->term[i].atom[k], *q = b->term[i].atom[k];
			c = compare_numbers(p->kind, q->kind);
			if (!c && p->kind == ATOM_NAME) c = strcmp(p->name, q->name);
			if (!c && p->kind != ATOM_NAME) c = compare_numbers(p->index, q->index);
		}
	}
	return c;
}

static int compare_types(const Type *a, const Type *b)
{
	if (a == b) return 0;
	int c = compare_numbers(a->kind, b->kind);
	c = c ? c : compare_numbers(a->dtype, b->dtype);
	c = c ? c : compare_numbers(a->n, b->n);
	for (uint32_t i = 0; !c && a->kind == TYPE_ARRAY && i < a->n; i++)
		c = DIM(a, i) == DIM(b, i) ? 0 : compare_sizes(DIM(a, i), DIM(b, i));
	return c;
}

static int compare_attrs(const Attr *a, const Attr *b)
{
	if (a == b) return 0;
	int c = compare_numbers(a ? a->n : 0, b ? b->n : 0);
	for (uint32_t i = 0; !c && a && i < a->n; i++) {
		const AttrValue *p = &a->v[i], *q = &b->v[i];
		c = compare_numbers(p->kind, q->kind);
		if (c || p->kind == A_CUSTOM || p->kind == A_FUNCTION) continue;
		if (p->kind == A_NAME)
			c = strcmp(p->u.name, q->u.name);
		else if (p->kind == A_SIZE)
			c = compare_sizes(p->u.size, q->u.size);
		else if (p->kind == A_DATA && p->u.data != q->u.data)
			c = p->u.data->bytes != q->u.data->bytes
				? compare_numbers((int64_t)p->u.data->bytes, (int64_t)q->u.data->bytes)
				: memcmp(p->u.data->at, q->u.data->at, p->u.data->bytes);
		else if (p->kind == A_DTYPE)
			c = compare_numbers(p->u.dtype, q->u.dtype);
		else if (p->kind == A_INT)
			c = compare_numbers(p->u.i, q->u.i);
	}
	return c;
}

static int kind_of(const Node *x)
{
	if (x->op == OP_CONST) return 0;
	if (x->op == OP_PARAM) return 1;
	if (x->op == OP_INPUT) return 2;
	if (x->op == OP_FRESH) return 3;
	return 4;
}

/* Constants, parameters, inputs, then by depth, operator, type, brackets and operands; a tie (two
 * parameters, or all within `levels` and `budget`) keeps the user's order.  Nothing here depends on ids. */
static int compare_nodes(const Node *a, const Node *b, uint32_t levels, uint32_t *budget)
{
	if (a == b || !*budget) return 0;
	--*budget;
	while (a->op == OP_EXPAND && a->narg == 1) /* a spread scalar ranks as what it spreads */
		a = a->arg[0];
	while (b->op == OP_EXPAND && b->narg == 1) b = b->arg[0];
	int c = a == b ? 0 : compare_numbers(kind_of(a), kind_of(b));
	if (c || a->op == OP_FRESH || a->op == OP_PARAM) return c;
	c = compare_numbers(a->depth, b->depth);
	c = c ? c : compare_numbers(a->op, b->op);
	c = c ? c : compare_types(a->type, b->type);
	c = c ? c : compare_attrs(a->attr, b->attr);
	c = c ? c : compare_numbers(a->narg, b->narg);
	for (uint32_t i = 0; !c && levels && i < a->narg; i++)
		c = compare_nodes(a->arg[i], b->arg[i], levels - 1, budget);
	return c;
}

/* ---- contractions ------------------------------------------------------------------------------- */

static bool among(uint32_t n, const int64_t *l, int64_t x, uint32_t *at)
{
	for (*at = 0; *at < n; ++*at)
		if (l[*at] == x) return true;
	return false;
}

/* Labels do what a transpose of an operand does. */
static Node *absorb_transpose(Graph *g, Node *x)
{
	Labels s = labels_of(x->attr);
	Node *arg[2] = {x->arg[0], x->arg[1]};
	bool any = false;
	for (uint32_t k = 0; k < 2; k++) {
		Node *t = arg[k];
		int64_t l[RANK_MAX];
		if (t->op != OP_TRANSPOSE) continue;
		for (uint32_t i = 0; i < s.n[k]; i++) l[attr_int(t, i)] = s.l[k][i];
		memcpy(s.l[k], l, s.n[k] * sizeof *l);
		arg[k] = t->arg[0];
		any = true;
	}
	return any ? contract_as(g, &s, arg[0], arg[1]) : NULL;
}

/* A transpose of a contraction is the contraction with its result's labels turned. */
static Node *turn_contraction(Graph *g, Node *x)
{
	Node *c = x->arg[0];
	int64_t l[RANK_MAX];
	if (c->op != OP_CONTRACT) return NULL;
	Labels s = labels_of(c->attr);
	for (uint32_t i = 0; i < s.n[2]; i++) l[i] = s.l[2][attr_int(x, i)];
	return contract(g, (Labelled){c->arg[0], s.l[0]}, (Labelled){c->arg[1], s.l[1]}, s.n[2], l);
}

/* A contraction with one number, or with a number everywhere, is that number times a sum. */
static Node *contract_number(Graph *g, Node *x)
{
	Labels s = labels_of(x->attr);
	for (uint32_t k = 0; k < 2; k++) {
		Node *number = x->arg[k], *other = x->arg[1 - k];
		const int64_t *lo = s.l[1 - k];
		int64_t axes[RANK_MAX], perm[RANK_MAX], kept[RANK_MAX];
		uint32_t no = s.n[1 - k], naxes = 0, nkept = 0, at;
		bool uniform = number->op == OP_CONST && constant_is_uniform(number);
		bool fits = (uniform || !s.n[k]) && s.n[2] <= no;
		for (uint32_t i = 0; fits && i < s.n[k]; i++) fits = among(no, lo, s.l[k][i], &at);
		for (uint32_t i = 0; fits && i < no; i++) {
			for (uint32_t j = 0; j < i; j++) fits &= lo[i] != lo[j];
			if (among(s.n[2], s.l[2], lo[i], &at))
				kept[nkept++] = lo[i];
			else
				axes[naxes++] = i;
		}
		for (uint32_t i = 0; fits && i < s.n[2]; i++) {
			fits = among(nkept, kept, s.l[2][i], &at);
			perm[i] = at;
		}
		if (!fits || nkept != s.n[2]) continue;
		Node *y = naxes ? fold(g, OP_SUM, other, naxes, axes) : other;
		y = transpose(g, y, perm);
		Node *c = uniform ? node_leaf(g, OP_CONST, number->attr, type_scalar(g, node_dtype(number)))
				  : number;
		return y ? build2(g, OP_MUL, c, y) : NULL;
	}
	return NULL;
}

/* einsum[ab, a -> b](X, v) is v @ X. */
static Node *plain_product(Graph *g, Node *x)
{
	Labels s = labels_of(x->attr);
	Node *a = x->arg[0], *b = x->arg[1];
	if (!node_rank(a) || !node_rank(b) || matmul(g, a, b) == x) return NULL;
	Node *y = contract(g, (Labelled){b, s.l[1]}, (Labelled){a, s.l[0]}, s.n[2], s.l[2]);
	return y && y->type == x->type && matmul(g, b, a) == y ? y : NULL;
}

Node *tidy_contraction(Graph *g, Node *x)
{
	Node *y = NULL;
	if (x->op == OP_TRANSPOSE) return turn_contraction(g, x);
	if (x->op != OP_CONTRACT) return NULL;
	if (dtype_is_float(node_dtype(x)) && is_wide(node_dtype(x))) y = contract_number(g, x);
	y = y ? y : absorb_transpose(g, x);
	return y ? y : plain_product(g, x);
}

Op mirrored(Op op)
{
	if (op == OP_LT) return OP_GT;
	if (op == OP_GT) return OP_LT;
	if (op == OP_LE) return OP_GE;
	if (op == OP_GE) return OP_LE;
	return OP_NONE;
}

/* The operator with which the operands stand the other way round; OP_NONE: there is none. */
static Op turned(const Node *x)
{
	return x->narg == 2 && op_info[x->op].flags & COMM ? (Op)x->op : mirrored((Op)x->op);
}

static bool same_turned(const void *item, const void *key)
{
	const Node *x = item, *y = key;
	bool same = x->op == y->op && x->arg[0] == y->arg[0];
	bool turns = x->op == turned(y) && x->arg[0] == y->arg[1] && x->arg[1] == y->arg[0];
	return (same || turns) && x->attr == y->attr && x->type == y->type;
}

/* Operands that nothing tells apart stand as they do in the first node that had both: y*x is x*y where
 * that was met. */
static Node *as_met(Table *met, Node *x)
{
	uint32_t a = x->arg[0]->id, b = x->arg[1]->id;
	uint32_t hash = hash_mix(hash_mix(0, a < b ? a : b), a < b ? b : a);
	Node *y = table_find(met, hash, x, same_turned);
	if (!y) table_add(met, hash, x);
	return y == x ? NULL : y;
}

Node *order_operands(Graph *g, Table *met, Node *x)
{
	uint32_t budget = 64;
	Op op = turned(x);
	if (op == OP_NONE || x->arg[0] == x->arg[1]) return NULL;
	bool first = x->arg[0]->op == OP_CONST && x->arg[1]->op != OP_CONST; /* 0 < x is x > 0 */
	int c = op == x->op ? compare_nodes(x->arg[1], x->arg[0], 8, &budget) : -first;
	if (!c) return as_met(met, x);
	if (c > 0) return NULL;
	Node *y = node_make(g, op, x->attr, 2, (Node *[]){x->arg[1], x->arg[0]});
	return y && y->type == x->type ? y : NULL;
}
