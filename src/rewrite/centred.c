/* centred.c - variances and covariances as they are defined: mean(x*y) - mean(x)*mean(y) loses all digits
 * where the means are large beside what x and y vary by, mean((x - mean(x))*(y - mean(y))) none.
 *
 * Needs: a sum of floats over normal operands, law `real`.  Gives: an equal node, or NULL.
 */
#include "rules.h"

enum { DEEP = 8, FOLDS = 2, OTHERS = 4 };

/* A term as a number times sums, powers of how many they add, and what else there is. */
typedef struct MeanProduct {
	double c;
	uint32_t nfold, nother;
	Node *fold[FOLDS], *other[OTHERS];
	int power[OTHERS];
} MeanProduct;

static bool add_other(MeanProduct *p, Node *x, int power)
{
	for (uint32_t i = 0; i < p->nother; i++)
		if (p->other[i] == x) {
			p->power[i] += power;
			return true;
		}
	if (p->nother == OTHERS) return false;
	p->other[p->nother] = x;
	p->power[p->nother++] = power;
	return true;
}

static bool add_sum(MeanProduct *p, Node *x, int power)
{
	for (int k = 0; k < power; k++) {
		if (p->nfold == FOLDS) return false;
		p->fold[p->nfold++] = x;
	}
	return true;
}

/* Is it a sum of products that may be centred, also as a contraction of two vectors? */
static bool is_inner(const Node *x)
{
	return x->op == OP_SUM || (x->op == OP_CONTRACT && !node_rank(x) && node_rank(x->arg[0]) == 1);
}

static bool factors_into(MeanProduct *p, Node *x, int power, uint32_t depth)
{
	double c;
	if (!depth || power < -2 || power > 2) return false;
	if (x->op == OP_EXPAND && x->narg == 1 && node_is_scalar(x->arg[0])) x = x->arg[0];
	if (x->op == OP_MUL || x->op == OP_DIV)
		return factors_into(p, x->arg[0], power, depth - 1) &&
			factors_into(p, x->arg[1], x->op == OP_DIV ? -power : power, depth - 1);
	if (x->op == OP_POW && constant_is_uniform(x->arg[1]) && constant_value(x->arg[1], &c) && c == 2)
		return factors_into(p, x->arg[0], 2 * power, depth - 1);
	if (x->op == OP_CONST && constant_is_uniform(x) && constant_value(x, &c)) {
		p->c *= pow(c, power);
		return true;
	}
	return power > 0 && is_inner(x) ? add_sum(p, x, power) : add_other(p, x, power);
}

static const Size *count_of(Graph *g, const Node *sum)
{
	const Size *n = size_const(g, 1);
	for (uint32_t k = 0; k < attr_count(sum); k++)
		n = size_mul(g, n, node_dim(sum->arg[0], (uint32_t)attr_int(sum, k)));
	return n;
}

/* The size that a float is, i64(n) or a number of its own; NULL: it is none. */
static const Size *size_of_float(Graph *g, const Node *x)
{
	return x->op == OP_CAST && x->arg[0]->op == OP_SIZE ? size_of_node(g, x->arg[0]) : NULL;
}

/* The number n in the type of the sums, if a = n*b but for these, n of them; else NULL.  Numbers are
 * rounded. */
static Node *count_between(Graph *g, const MeanProduct *a, const MeanProduct *b, const Size *n)
{
	MeanProduct left = *a;
	Node *count = NULL;
	int64_t number;
	bool literal = size_is(n, &number);
	double c = b->c * (literal ? (double)number : 1);
	for (uint32_t i = 0; i < b->nother; i++)
		if (!add_other(&left, b->other[i], -b->power[i])) return NULL;
	for (uint32_t i = 0; i < left.nother; i++) {
		bool is_count = !literal && !count && size_of_float(g, left.other[i]) == n;
		if (left.power[i] != (is_count ? 1 : 0)) return NULL;
		if (is_count) count = left.other[i];
	}
	if (fabs(a->c - c) > 4 * DBL_EPSILON * fabs(c) || c == 0) return NULL;
	return literal ? cast(g, size_node(g, n), node_dtype(b->fold[0])) : count;
}

/* x less its mean along the axes of its sum */
static Node *centred(Graph *g, Node *sum, Node *count)
{
	Node *x = sum->arg[0], *mean = build2(g, OP_DIV, sum, count);
	int64_t axis[RANK_MAX];
	const Size *dim[RANK_MAX];
	if (!mean) return NULL;
	for (uint32_t k = 0; k < attr_count(sum); k++)
		dim[k] = node_dim(x, (uint32_t)(axis[k] = attr_int(sum, k)));
	return build2(g, OP_SUB, x, expand(g, mean, attr_count(sum), axis, dim));
}

/* Both, if they are what the sum of products multiplies. */
static bool multiplies(const Node *inner, const Node *x, const Node *y)
{
	const Node *p = inner->op == OP_SUM ? inner->arg[0] : inner;
	double two;
	if (p->op == OP_POW)
		return x == y && p->arg[0] == x && constant_value(p->arg[1], &two) && two == 2;
	if (p->op != OP_MUL && p != inner) return false;
	return (p->arg[0] == x && p->arg[1] == y) || (p->arg[0] == y && p->arg[1] == x);
}

static Node *centred_product(Graph *g, Node *const *sum, Node *count)
{
	int64_t axis[RANK_MAX];
	Node *x = centred(g, sum[0], count), *y = sum[1] == sum[0] ? x : centred(g, sum[1], count);
	if (!x || !y) return NULL;
	bool square = x == y;
	Node *p = build2(g, square ? OP_POW : OP_MUL, x, square ? constant_float(g, x->type, 2) : y);
	if (!p) return NULL;
	for (uint32_t k = 0; k < attr_count(sum[0]); k++) axis[k] = attr_int(sum[0], k);
	return fold(g, OP_SUM, p, attr_count(sum[0]), axis);
}

/* The product x with y where `inner` stands. */
static Node *with_inner(Graph *g, Node *x, const Node *inner, Node *y)
{
	if (x == inner) return y;
	if (x->op == OP_EXPAND && x->arg[0] == inner) return node_make(g, OP_EXPAND, x->attr, 1, &y);
	if (x->op != OP_MUL && x->op != OP_DIV) return x;
	Node *a = with_inner(g, x->arg[0], inner, y), *b = with_inner(g, x->arg[1], inner, y);
	return a && b ? build2(g, (Op)x->op, a, b) : NULL;
}

/* What c*(sum(x*y) - sum(x)*sum(y)/n) is, of its terms; NULL: they are no such. */
static Node *centred_term(Graph *g, Node *inner_term, Node *outer_term)
{
	MeanProduct a = {.c = 1}, b = {.c = 1};
	if (!factors_into(&b, outer_term, 1, DEEP) || b.nfold != 2) return NULL;
	if (!factors_into(&a, inner_term, 1, DEEP) || a.nfold != 1) return NULL;
	Node *inner = a.fold[0], **sum = b.fold;
	bool same = sum[0]->op == OP_SUM && sum[1]->op == OP_SUM && sum[0]->attr == sum[1]->attr &&
		(inner->op == OP_SUM ? inner->attr == sum[0]->attr : node_is_scalar(sum[0])) &&
		sum[0]->type == inner->type;
	if (!same || !multiplies(inner, sum[0]->arg[0], sum[1]->arg[0])) return NULL;
	Node *count = count_between(g, &a, &b, count_of(g, sum[0]));
	Node *y = count ? centred_product(g, sum, count) : NULL;
	return y ? with_inner(g, inner_term, inner, y) : NULL;
}

static bool has_sum(const Node *x, uint32_t depth)
{
	if (!depth) return false;
	if (x->op == OP_MUL || x->op == OP_DIV)
		return has_sum(x->arg[0], depth - 1) || has_sum(x->arg[1], depth - 1);
	return x->op == OP_POW || x->op == OP_EXPAND ? has_sum(x->arg[0], depth - 1) : is_inner(x);
}

Node *centre_products(Graph *g, Node *x)
{
	enum { MOST = 4 };
	Terms t;
	Node *with[KEY_TERMS];
	if (!has_sum(x->arg[1], DEEP) || !terms_of_sum(x, &t, MOST)) return NULL;
	for (uint32_t i = 0; i < t.n; i++)
		for (uint32_t j = 0; j < t.n; j++) {
			bool chosen[KEY_TERMS] = {false};
			chosen[i] = chosen[j] = true;
			if (t.term[i].sign == t.term[j].sign || difference_is_torn(x, &t, chosen)) continue;
			Node *y = centred_term(g, t.term[i].x, t.term[j].x);
			if (!y) continue;
			for (uint32_t k = 0; k < t.n; k++) with[k] = t.term[k].x;
			with[i] = y;
			with[j] = NULL;
			return terms_rebuild(g, x, false, with);
		}
	return NULL;
}
