/* products.c - a sum of a product of some arrays, as products of pairs of them.
 *
 * Needs: a sum over a product, or a contraction of products, of which nothing else needs a part.
 * Gives: an equal node, or NULL where no other order costs less.
 *
 * An axis of the whole is a label, which those factors have that do not repeat along it; a pair keeps what
 * another one or the result has, and sums the rest.  Which two come first: of few factors every order is
 * tried.
 */
#include "rules.h"

enum { FACTORS = 5 };
static const double UNKNOWN_SIZE = 100;
static const double ENOUGH = 1.5; /* as many times less has to be done for what is a contraction to change */

typedef uint64_t LabelSet; /* label i: 1 << i */

typedef struct LabelledFactor {
	Node *x;
	LabelSet has;
	int64_t label[RANK_MAX]; /* of each axis */
} LabelledFactor;

typedef struct ProductSum {
	LabelledFactor factor[FACTORS];
	uint32_t n, products, nresult;
	LabelSet result;
	int64_t label[RANK_MAX]; /* of each axis of the result */
	const Size *dim[LABELS_MAX];
	LabelSet all; /* which some factor has to have each */
	double cost;  /* as it stands */
	bool fused;   /* in one pass, what its factors are with it */
} ProductSum;

/* Which two are joined next, and what that costs with all that comes after it. */
typedef struct PairChoice {
	uint32_t a, b;
	double cost;
} PairChoice;

static LabelSet set_of(uint32_t n, const int64_t *label)
{
	LabelSet s = 0;
	for (uint32_t i = 0; i < n; i++) s |= (LabelSet)1 << label[i];
	return s;
}

/* In order; how many. */
static uint32_t list_of(LabelSet s, int64_t *label)
{
	uint32_t n = 0;
	for (int64_t i = 0; s; s >>= 1, i++)
		if (s & 1) label[n++] = i;
	return n;
}

static uint32_t count(LabelSet s)
{
	return (uint32_t)__builtin_popcountll(s);
}

static double elements(const ProductSum *p, LabelSet s)
{
	double n = 1;
	for (uint32_t i = 0; s; s >>= 1, i++) {
		int64_t of;
		if (s & 1) n *= size_is(p->dim[i], &of) ? (double)of : UNKNOWN_SIZE;
	}
	return n;
}

/* What the result or another one wants of two. */
static LabelSet kept_of(const ProductSum *p, const LabelSet *has, uint32_t n, uint32_t a, uint32_t b)
{
	LabelSet wanted = p->result;
	for (uint32_t i = 0; i < n; i++)
		if (i != a && i != b) wanted |= has[i];
	return (has[a] | has[b]) & wanted;
}

/* What a product of two costs beside a pass over as much: one of matrices reads each number once for many
 * uses, and what has no label of its own beside those that are summed is a pass of its own. */
static double cost_of_pair(const ProductSum *p, LabelSet x, LabelSet y, LabelSet kept)
{
	LabelSet summed = (x | y) & ~kept;
	bool own_x = x & ~y & kept, own_y = y & ~x & kept;
	if (!summed || (!own_x && !own_y)) return 2 * elements(p, x | y);
	double each = own_x && own_y ? 0.5 : 1;
	return each * elements(p, x | y);
}

/* The factors of x, through products that nothing else needs; each of those is a pass of its own in a
 * contraction. */
static bool add_factors(ProductSum *p, Node *x, const int64_t *label, const IdMap *needs)
{
	if (x->op == OP_MUL && !needed_twice(needs, x)) {
		if (++p->products == FACTORS) return false; /* however deep they go */
		p->cost += 2 * elements(p, set_of(node_rank(x), label));
		return add_factors(p, x->arg[0], label, needs) && add_factors(p, x->arg[1], label, needs);
	}
	if (p->n == FACTORS) return false;
	LabelledFactor *f = &p->factor[p->n++];
	f->x = without_repeats(x, f->label).x;
	for (uint32_t i = 0; i < node_rank(f->x); i++) f->label[i] = label[f->label[i]];
	f->has = set_of(node_rank(f->x), f->label);
	return f->has != 0; /* or else a number, which leaves the sum by a rule */
}

static PairChoice best_pair(const ProductSum *p, const LabelSet *has, uint32_t n)
{
	PairChoice best = {.cost = n > 1 ? INFINITY : 0};
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			LabelSet left[FACTORS], kept = kept_of(p, has, n, a, b);
			uint32_t k = 0;
			for (uint32_t i = 0; i < n; i++)
				if (i != b) left[k++] = i == a ? kept : has[i];
			if (count(kept) > RANK_MAX) continue;
			double cost = cost_of_pair(p, has[a], has[b], kept) + best_pair(p, left, k).cost;
			if (cost < best.cost) best = (PairChoice){a, b, cost};
		}
	return best;
}

static bool in_order(uint32_t n, const int64_t *label)
{
	for (uint32_t i = 1; i < n; i++)
		if (label[i] < label[i - 1]) return false;
	return true;
}

/* A factor, its labels in order, repeated along those that it lacks. */
static Node *spread(Graph *g, const ProductSum *p, const LabelledFactor *f, uint32_t n, const int64_t *to)
{
	int64_t axis[RANK_MAX];
	const Size *size[RANK_MAX];
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!(f->has >> to[i] & 1)) {
			size[k] = p->dim[to[i]];
			axis[k++] = i;
		}
	return k ? expand(g, f->x, k, axis, size) : f->x;
}

/* Two as one of these labels. */
static Node *joined(Graph *g, const ProductSum *p, const LabelledFactor *f, uint32_t n, const int64_t *to)
{
	const LabelledFactor *a = &f[0], *b = &f[1];
	bool plain = in_order(n, to) && in_order(node_rank(a->x), a->label) &&
		in_order(node_rank(b->x), b->label);
	if (!plain || set_of(n, to) != (a->has | b->has))
		return contract(g, (Labelled){a->x, a->label}, (Labelled){b->x, b->label}, n, to);
	Node *x = spread(g, p, a, n, to), *y = spread(g, p, b, n, to);
	return x && y ? build2(g, OP_MUL, x, y) : NULL;
}

/* Pair by pair, as it costs least. */
static Node *by_pairs(Graph *g, ProductSum *p, LabelSet *has, PairChoice c)
{
	for (; p->n > 1; c = best_pair(p, has, p->n)) {
		LabelledFactor pair[2] = {p->factor[c.a], p->factor[c.b]}, both;
		both.has = kept_of(p, has, p->n, c.a, c.b);
		uint32_t n = list_of(both.has, both.label);
		bool last = p->n == 2;
		both.x = joined(g, p, pair, last ? p->nresult : n, last ? p->label : both.label);
		if (!both.x) return NULL;
		p->factor[c.a] = both;
		p->factor[c.b] = p->factor[--p->n];
		has[c.a] = both.has;
		has[c.b] = p->factor[c.b].has;
	}
	return p->factor[0].x;
}

/* Without the labels that nobody wants beside it: they are summed. */
static bool sum_lost(Graph *g, LabelledFactor *f, LabelSet kept)
{
	int64_t gone[RANK_MAX];
	uint32_t n = 0, left = 0;
	for (uint32_t i = 0; i < node_rank(f->x); i++)
		if (kept >> f->label[i] & 1)
			f->label[left++] = f->label[i];
		else
			gone[n++] = i;
	f->has = kept;
	return !n || (f->x = fold(g, OP_SUM, f->x, n, gone));
}

static Node *cheapest(Graph *g, ProductSum *p)
{
	LabelSet has[FACTORS] = {0}, all = 0, shared = p->result;
	double cost = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const LabelledFactor *f = &p->factor[i];
		shared |= all & f->has;
		all |= f->has;
		bool within = p->fused && op_info[f->x->op].class == MAP && f->x->narg;
		if (within) cost += elements(p, f->has); /* has to be stored for a pair */
	}
	if (all != p->all) return NULL;
	for (uint32_t i = 0; i < p->n; i++) {
		has[i] = p->factor[i].has & shared;
		if (has[i] == p->factor[i].has) continue;
		if (p->n == 2) return NULL; /* no product: moves.c sums what repeats along the other one */
		cost += elements(p, p->factor[i].has);
	}
	PairChoice c = best_pair(p, has, p->n);
	if (!(c.cost + cost < p->cost)) return NULL;
	for (uint32_t i = 0; i < p->n; i++)
		if (!sum_lost(g, &p->factor[i], has[i])) return NULL;
	return by_pairs(g, p, has, c);
}

static bool folds(const Node *sum, uint32_t axis)
{
	for (uint32_t k = 0; k < attr_count(sum); k++)
		if (attr_int(sum, k) == axis) return true;
	return false;
}

static bool takes(const Node *x)
{
	return node_dtype(x) == DT_F64 || node_dtype(x) == DT_F32;
}

Node *sum_by_pairs(Graph *g, Node *sum, const IdMap *needs)
{
	ProductSum p = {.fused = true};
	const Node *x = sum->arg[0];
	int64_t label[RANK_MAX];
	uint32_t rank = node_rank(x);
	for (uint32_t i = 0; i < rank; i++) {
		p.dim[i] = node_dim(x, i);
		label[i] = i;
		if (!folds(sum, i)) p.label[p.nresult++] = i;
	}
	if (!takes(sum) || rank < 2 || !add_factors(&p, sum->arg[0], label, needs)) return NULL;
	p.result = set_of(p.nresult, p.label);
	p.all = set_of(rank, label);
	p.cost = (p.n - 1) * elements(&p, p.all);
	return cheapest(g, &p);
}

Node *contract_by_pairs(Graph *g, Node *x, const IdMap *needs)
{
	ProductSum p = {0};
	if (!takes(x) || (x->arg[0]->op != OP_MUL && x->arg[1]->op != OP_MUL)) return NULL;
	Labels s = labels_of(x->attr);
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < s.n[k]; i++) p.dim[s.l[k][i]] = node_dim(x->arg[k], i);
	p.nresult = s.n[2];
	memcpy(p.label, s.l[2], s.n[2] * sizeof *p.label);
	p.result = set_of(s.n[2], s.l[2]);
	for (uint32_t k = 0; k < 2; k++)
		if (!add_factors(&p, x->arg[k], s.l[k], needs)) return NULL;
	LabelSet l = set_of(s.n[0], s.l[0]), r = set_of(s.n[1], s.l[1]);
	p.all = l | r;
	p.cost = (p.cost + cost_of_pair(&p, l, r, p.result)) / ENOUGH;
	return p.n > 2 ? cheapest(g, &p) : NULL;
}
