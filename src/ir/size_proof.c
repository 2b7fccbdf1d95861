/* size_proof.c - what is proved about sizes: bounds of their values, and which of two is larger.
 *
 * Interval arithmetic first; where it gives no answer, divisions, minima and
 * maxima are bounded by their operands, one after the other, within a budget.
 */
#include "size.h"

/* ---- what a size can be --------------------------------------------------------- */

static int64_t clamp(bool overflow, bool negative, int64_t x)
{
	if (overflow) return negative ? -FAR : FAR;
	return x < -FAR ? -FAR : x;
}

static int64_t far_product(int64_t x, int64_t y)
{
	int64_t z;
	bool overflow = __builtin_mul_overflow(x, y, &z);
	return clamp(overflow, (x < 0) != (y < 0), z);
}

/* x + y, where `none` (FAR or -FAR) means that there is no bound. */
static int64_t far_sum(int64_t x, int64_t y, int64_t none)
{
	int64_t z;
	if (x == none || y == none) return none;
	bool overflow = __builtin_add_overflow(x, y, &z);
	return clamp(overflow, x < 0, z);
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}
static int64_t most(int64_t x, int64_t y)
{
	return x > y ? x : y;
}

static SizeRange range_product(SizeRange x, SizeRange y)
{
	int64_t a = far_product(x.low, y.low), b = far_product(x.low, y.high);
	int64_t c = far_product(x.high, y.low), d = far_product(x.high, y.high);
	return (SizeRange){least(least(a, b), least(c, d)), most(most(a, b), most(c, d))};
}

static SizeRange size_range(const Size *s)
{
	SizeRange all = {0, 0};
	for (uint32_t i = 0; i < s->nterm; i++) {
		const Term *t = &s->term[i];
		int64_t coef = t->coef < -FAR ? -FAR : t->coef;
		SizeRange r = {coef, coef};
		for (uint32_t j = 0; j < t->natom; j++) r = range_product(r, atom_record(t->atom[j])->range);
		all.low = far_sum(all.low, r.low, -FAR);
		all.high = far_sum(all.high, r.high, FAR);
	}
	return all;
}

/* Quotients of x by divisors y.low ... y.high >= 1 (a divisor of 0 is an error when it happens). */
static SizeRange range_quotient(SizeRange x, SizeRange y)
{
	int64_t small = most(y.low, 1), large = most(y.high, 1);
	SizeRange r = {-FAR, FAR};
	if (x.low != -FAR) r.low = floor_quotient(x.low, x.low < 0 ? small : large);
	if (x.high != FAR) r.high = floor_quotient(x.high, x.high < 0 ? large : small);
	return r;
}

/* Sizes of axes are never negative; what is computed from data may be anything. */
SizeRange atom_range(const Atom *atom)
{
	AtomKind kind = atom->kind;
	if (kind <= ATOM_NODE) return (SizeRange){kind == ATOM_NODE || atom->data ? -FAR : 0, FAR};
	SizeRange x = size_range(atom->a), y = size_range(atom->b);
	if (kind == ATOM_MIN) return (SizeRange){least(x.low, y.low), least(x.high, y.high)};
	if (kind == ATOM_MAX) return (SizeRange){most(x.low, y.low), most(x.high, y.high)};
	if (y.low < 0) return (SizeRange){-FAR, FAR};
	if (kind == ATOM_FLOORDIV) return range_quotient(x, y);
	int64_t below = y.high == FAR ? FAR : most(y.high, 1) - 1;
	return (SizeRange){0, x.low >= 0 ? least(x.high, below) : below};
}

/* ---- proofs ------------------------------------------------------------------- */

static bool at_least_zero(Graph *g, const Size *e, int *budget);

/* e >= 0 follows if the term t = f*x of e may be put lower, as f*y. */
static bool with_instead(Graph *g, const Size *rest, const Size *f, const Size *y, int *budget)
{
	return at_least_zero(g, size_sum(g, rest, 1, size_product(g, f, y)), budget);
}

/* e = rest + f*x, where f is a number times what is never negative.  Is e >= 0
 * whatever x is within what its operands allow?
 *   k number:  k*(a//k) lies in a-k+1 ... a;  k*e > -k proves e >= 0
 *   otherwise: a//b <= a and a%b <= a where a, b >= 0;  a%b <= b-1 where b >= 0
 *   min, max:  one operand will do for a bound on the right side, else each must */
static bool without_atom(Graph *g, const Size *rest, const Size *f, const Atom *x, int *budget)
{
	bool falls = f->term[0].coef < 0;
	const Size *one = size_const(g, 1);
	int64_t k;
	if (x->kind == ATOM_MIN || x->kind == ATOM_MAX) {
		bool a = with_instead(g, rest, f, x->a, budget);
		if (a == (falls == (x->kind == ATOM_MIN))) return a;
		return with_instead(g, rest, f, x->b, budget);
	}
	if (x->kind == ATOM_FLOORDIV && size_is(x->b, &k) && k > 0) {
		const Size *less_one = size_sum(g, x->b, -1, one);
		const Size *low = falls ? x->a : size_sum(g, x->a, -1, less_one);
		return with_instead(g, size_sum(g, size_product(g, rest, x->b), 1, less_one), f, low, budget);
	}
	if (!falls || size_range(x->b).low < 0) return false;
	if (x->kind == ATOM_MOD && with_instead(g, rest, f, size_sum(g, x->b, -1, one), budget)) return true;
	return size_range(x->a).low >= 0 && with_instead(g, rest, f, x->a, budget);
}

/* The same for atom j of a term t of e, if the others of t are never negative. */
static bool without_atom_of(Graph *g, const Size *e, const Term *t, uint32_t j, int *budget)
{
	const Atom *few[16], **others = few;
	uint32_t n = 0;
	if (t->natom > countof(few)) others = NEW_ARRAY(g->arena, const Atom *, t->natom);
	for (uint32_t i = 0; i < t->natom; i++) {
		if (i == j) continue;
		if (atom_record(t->atom[i])->range.low < 0) return false;
		others[n++] = t->atom[i];
	}
	const Size *f = size_of_term(g, (Term){t->coef, n, others});
	const Size *rest = size_sum(g, e, -1, size_of_term(g, *t));
	return f && rest && without_atom(g, rest, f, t->atom[j], budget);
}

/* Bounds alone may do; else one compound atom after the other goes, first those that pull e down. */
static bool at_least_zero(Graph *g, const Size *e, int *budget)
{
	if (!e) return false;
	if (size_range(e).low >= 0) return true;
	for (int positive = 0; positive < 2; positive++)
		for (uint32_t i = 0; i < e->nterm; i++) {
			const Term *t = &e->term[i];
			if ((t->coef > 0) != positive) continue;
			for (uint32_t j = 0; j < t->natom; j++)
				if (t->atom[j]->kind > ATOM_NODE && --*budget >= 0 &&
					without_atom_of(g, e, t, j, budget))
					return true;
		}
	return false;
}

bool size_proved(Graph *g, const Size *e)
{
	int budget = 40;
	return at_least_zero(g, e, &budget);
}

static Proof compare(Graph *g, const Size *a, const Size *b)
{
	const Size *one = size_const(g, 1), *up = size_sum(g, a, -1, b), *down = size_sum(g, b, -1, a);
	bool greater_equal = size_proved(g, up), less_equal = size_proved(g, down);
	if (greater_equal && less_equal) return PROOF_EQUAL;
	if (greater_equal)
		return size_proved(g, size_sum(g, up, -1, one)) ? PROOF_GREATER : PROOF_GREATER_EQUAL;
	if (less_equal) return size_proved(g, size_sum(g, down, -1, one)) ? PROOF_LESS : PROOF_LESS_EQUAL;
	return PROOF_UNKNOWN;
}

Proof size_compare(Graph *g, const Size *a, const Size *b)
{
	if (!a || !b) return PROOF_UNKNOWN;
	int64_t x, y;
	if (a == b) return PROOF_EQUAL;
	if (size_is(a, &x) && size_is(b, &y)) return x < y ? PROOF_LESS : PROOF_GREATER;
	struct SizesCompared *known = &g->compared[(3 * a->id + b->id) % countof(g->compared)];
	if (known->a != a || known->b != b) *known = (struct SizesCompared){a, b, compare(g, a, b)};
	return known->proof;
}

bool size_at_most(Graph *g, const Size *a, const Size *b)
{
	return a && b && (a == b || size_proved(g, size_sum(g, b, -1, a)));
}

void size_bounds(const Size *s, double *low, double *high)
{
	SizeRange r = size_range(s);
	*low = r.low == -FAR ? -__builtin_inf() : (double)r.low;
	*high = r.high == FAR ? __builtin_inf() : (double)r.high;
}

bool size_differ(Graph *g, const Size *a, const Size *b)
{
	Proof p = size_compare(g, a, b);
	return p == PROOF_LESS || p == PROOF_GREATER;
}

/* ---- names in one signature --------------------------------------------------------- */

static bool is_declared(const Graph *g, const Size *s)
{
	for (uint32_t i = 0; i < g->apart.n; i++)
		if (g->apart.v[i] == s) return true;
	return false;
}

void size_declare(Graph *g, const Size *s)
{
	if (!s || is_declared(g, s)) return;
	GROW(g->arena, g->apart.v, g->apart.n, g->apart.cap);
	g->apart.v[g->apart.n++] = s;
}

bool size_is_name(const Size *s)
{
	const Atom *a = size_single(s);
	return a && a->kind == ATOM_NAME;
}

static bool are_apart(const Graph *g, const Size *a, const Size *b)
{
	return a != b && is_declared(g, a) && is_declared(g, b);
}

bool sizes_clash(Graph *g, const Size *a, const Size *b)
{
	return size_differ(g, a, b) || are_apart(g, a, b);
}

const char *clash_advice(Graph *g, const Size *a, const Size *b)
{
	if (!are_apart(g, a, b)) return "";
	return arena_printf(g->arena,
		"; %s and %s are declared as two sizes: keep an axis that a fold takes away, as in sum[1, keep](x), or "
		"give both one name",
		size_shown(g, a), size_shown(g, b));
}
