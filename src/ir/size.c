/* size.c - sizes: integer polynomials in normal form, interned.
 *
 * A size is a sum of terms, a term an integer times a product of atoms.  Terms
 * stand by falling degree, then by their atoms from left to right, atoms by
 * kind and content: never by address, so that equal sizes print alike.
 *
 * What size.h declares is quiet: it gives NULL when a number leaves 64 bits or
 * a size grows too large.  The public functions make an error of it.
 */
#include "size.h"
#include "known.h"

/* ---- order ------------------------------------------------------------------ */

static int size_order(const Size *, const Size *);

#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))

static int atom_order(const Atom *x, const Atom *y)
{
	if (x == y) return 0;
	if (x->kind != y->kind) return ORDER(x->kind, y->kind);
	if (x->kind == ATOM_NAME) return strcmp(x->name, y->name);
	if (x->kind == ATOM_PARAM)
		return x->index != y->index ? ORDER(x->index, y->index) : ORDER(x->data, y->data);
	if (x->kind == ATOM_NODE) return ORDER(x->node->id, y->node->id);
	int first = size_order(x->a, y->a);
	return first ? first : size_order(x->b, y->b);
}

static int term_order(const Term *x, const Term *y)
{
	if (x->natom != y->natom) return ORDER(y->natom, x->natom);
	for (uint32_t i = 0; i < x->natom; i++) {
		int order = atom_order(x->atom[i], y->atom[i]);
		if (order) return order;
	}
	return 0;
}

static int size_order(const Size *a, const Size *b)
{
	if (a == b) return 0;
	for (uint32_t i = 0; i < a->nterm && i < b->nterm; i++) {
		int order = term_order(&a->term[i], &b->term[i]);
		if (!order) order = ORDER(a->term[i].coef, b->term[i].coef);
		if (order) return order;
	}
	return ORDER(a->nterm, b->nterm);
}

/* ---- building a normal form --------------------------------------------------- */

/* A sum under construction, in order; small ones need no memory but the stack. */
typedef struct Poly {
	Graph *g;
	Term *term;
	uint32_t n, cap;
	bool wrong; /* a number left 64 bits, or too many terms */
	Term few[16];
} Poly;

#define POLY(g)                                                                                              \
	{                                                                                                    \
		.g = (g), .cap = 16                                                                          \
	}

static void poly_add(Poly *p, Term t)
{
	if (!p->term) p->term = p->few;
	uint32_t low = 0, high = p->n;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (term_order(&p->term[middle], &t) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	Term *at = &p->term[low];
	if (low < p->n && !term_order(at, &t)) {
		p->wrong |= __builtin_add_overflow(at->coef, t.coef, &at->coef);
		if (!at->coef) memmove(at, at + 1, (--p->n - low) * sizeof t);
		return;
	}
	if (!t.coef || p->wrong) return;
	if (p->n == SIZE_WEIGHT) {
		p->wrong = true;
		return;
	}
	if (p->n == p->cap && p->term == p->few) {
		p->cap *= 2;
		p->term = NEW_ARRAY(p->g->arena, Term, p->cap);
		memcpy(p->term, p->few, sizeof p->few);
	}
	GROW(p->g->arena, p->term, p->n, p->cap);
	memmove(p->term + low + 1, p->term + low, (p->n++ - low) * sizeof t);
	p->term[low] = t;
}

static bool size_same(const void *item, const void *key)
{
	const Size *s = item;
	const Poly *p = key;
	if (s->nterm != p->n) return false;
	for (uint32_t i = 0; i < p->n; i++) {
		const Term *x = &s->term[i], *y = &p->term[i];
		if (x->coef != y->coef || x->natom != y->natom ||
			(x->natom && memcmp(x->atom, y->atom, x->natom * sizeof *x->atom)))
			return false;
	}
	return true;
}

static uint32_t terms_weight(const Term *term, uint32_t n)
{
	uint64_t weight = n;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < term[i].natom; j++) weight += atom_record(term[i].atom[j])->weight;
	return weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
}

static const Size *poly_done(Poly *p)
{
	if (p->wrong || terms_weight(p->term, p->n) > SIZE_WEIGHT) return NULL;
	uint32_t h = p->n;
	for (uint32_t i = 0; i < p->n; i++) {
		h = hash_mix(h, (uint64_t)p->term[i].coef);
		for (uint32_t j = 0; j < p->term[i].natom; j++) h = hash_mix(h, p->term[i].atom[j]->id);
	}
	Graph *g = p->g;
	watch_step(g->arena, g->watch, 1);
	Size *s = KNOWN(g, sizes, h, p, size_same);
	if (s) return s;
	s = arena_alloc_aligned(g->arena, sizeof *s + p->n * sizeof *s->term, _Alignof(Size));
	s->hash = h;
	s->nterm = p->n;
	for (uint32_t i = 0; i < p->n; i++) {
		Term *t = &p->term[i];
		const Atom **atom = NEW_ARRAY(g->arena, const Atom *, t->natom);
		if (t->natom) memcpy(atom, t->atom, t->natom * sizeof *atom);
		s->term[i] = (Term){t->coef, t->natom, atom};
	}
	s->id = ++g->nsize;
	table_add(&g->sizes, h, s);
	return s;
}

const Size *size_of_term(Graph *g, Term t)
{
	Poly p = POLY(g);
	poly_add(&p, t);
	return poly_done(&p);
}

/* a + k*b */
const Size *size_sum(Graph *g, const Size *a, int64_t k, const Size *b)
{
	if (!a || !b) return NULL;
	if (!b->nterm) return a;
	Poly p = POLY(g);
	for (uint32_t i = 0; i < a->nterm; i++) poly_add(&p, a->term[i]);
	for (uint32_t i = 0; i < b->nterm; i++) {
		Term t = b->term[i];
		p.wrong |= __builtin_mul_overflow(t.coef, k, &t.coef);
		poly_add(&p, t);
	}
	return poly_done(&p);
}

/* The product of two terms; `room` holds the atoms of both. */
static Term term_product(const Term *x, const Term *y, const Atom **room, bool *wrong)
{
	uint32_t i = 0, j = 0, n = 0;
	while (i < x->natom || j < y->natom) {
		bool left = j == y->natom || (i < x->natom && atom_order(x->atom[i], y->atom[j]) <= 0);
		room[n++] = left ? x->atom[i++] : y->atom[j++];
	}
	Term t = {.natom = n, .atom = room};
	*wrong |= __builtin_mul_overflow(x->coef, y->coef, &t.coef);
	return t;
}

const Size *size_product(Graph *g, const Size *a, const Size *b)
{
	if (!a || !b) return NULL;
	if (size_equals(a, 1)) return b;
	if (size_equals(b, 1)) return a;
	Poly p = POLY(g);
	const Atom *few[64], **room = few;
	uint32_t left = countof(few);
	for (uint32_t i = 0; i < a->nterm; i++)
		for (uint32_t j = 0; j < b->nterm && !p.wrong; j++) {
			uint32_t n = a->term[i].natom + b->term[j].natom;
			if (n > left) {
				left = n + 4 * countof(few);
				room = NEW_ARRAY(g->arena, const Atom *, left);
			}
			poly_add(&p, term_product(&a->term[i], &b->term[j], room, &p.wrong));
			room += n;
			left -= n;
		}
	return poly_done(&p);
}

/* ---- atoms ------------------------------------------------------------------------ */

static bool atom_same(const void *item, const void *key)
{
	const Atom *x = item, *y = key;
	return x->kind == y->kind && x->index == y->index && x->data == y->data && x->name == y->name &&
		x->node == y->node && x->a == y->a && x->b == y->b;
}

static uint32_t size_weight(const Size *s)
{
	return terms_weight(s->term, s->nterm);
}

const Size *size_of_atom(Graph *g, Atom key)
{
	uint32_t h = hash_mix(hash_mix(key.kind, key.index), key.data);
	h = hash_mix(h, key.name ? hash_bytes64(key.name, strlen(key.name)) : 0);
	h = hash_mix(h, key.node ? key.node->id : 0);
	h = hash_mix(hash_mix(h, key.a ? key.a->id : 0), key.b ? key.b->id : 0);
	AtomRecord *x = KNOWN(g, atoms, h, &key, atom_same);
	if (!x) {
		uint32_t weight = 1;
		if (key.a) weight += size_weight(key.a) + size_weight(key.b);
		if (weight >= SIZE_WEIGHT) return NULL;
		x = NEW(g->arena, AtomRecord);
		*x = (AtomRecord){key, weight, atom_range(&key)};
		x->atom.id = ++g->natom;
		table_add(&g->atoms, h, x);
	}
	const Atom *atom = &x->atom;
	return size_of_term(g, (Term){1, 1, &atom});
}

/* ---- smallest and largest ------------------------------------------------------------------ */

/* Does y make x superfluous in a min or max?  (Of equals, the one that came first stays.) */
static bool outdoes(Graph *g, AtomKind kind, const Size *y, const Size *x)
{
	Proof p = size_compare(g, y, x);
	if (p == PROOF_EQUAL) return true;
	return kind == ATOM_MIN ? p == PROOF_LESS || p == PROOF_LESS_EQUAL
				: p == PROOF_GREATER || p == PROOF_GREATER_EQUAL;
}

/* Add x to the n operands of a min or max, kept in order and without what is
 * superfluous; gives the new number. */
static uint32_t extreme_add(Graph *g, AtomKind kind, const Size **list, uint32_t n, const Size *x)
{
	for (uint32_t i = 0; i < n; i++)
		if (outdoes(g, kind, list[i], x)) return n;
	uint32_t kept = 0, at = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!outdoes(g, kind, x, list[i])) list[kept++] = list[i];
	while (at < kept && size_order(list[at], x) < 0) at++;
	memmove(list + at + 1, list + at, (kept - at) * sizeof *list);
	list[at] = x;
	return kept + 1;
}

/* The min or max in s = min(a, b) + k; NULL: s is none. */
static const Atom *extreme_in(AtomKind kind, const Size *s, int64_t *k)
{
	*k = 0;
	const Atom *x = size_single(s);
	if (!x && s->nterm == 2)
		for (int i = 0; i < 2; i++) {
			const Term *t = &s->term[i], *number = &s->term[!i];
			if (number->natom || t->natom != 1 || t->coef != 1) continue;
			*k = number->coef;
			x = t->atom[0];
		}
	return x && x->kind == kind ? x : NULL;
}

typedef struct Extremes {
	const Size *list[64];
	uint32_t n, met; /* those that are left, of so many */
} Extremes;

/* The operands of s, which may be such an extreme itself: with a number beside it, if `shifted`.  Very many
 * stay as they were nested. */
static void extreme_of(Graph *g, AtomKind kind, const Size *s, bool shifted, Extremes *e)
{
	int64_t k;
	for (const Atom *x; e->n < countof(e->list) - 2 && (x = extreme_in(kind, s, &k)); e->met++) {
		const Size *first = x->a, *rest = x->b;
		if (k && shifted) {
			first = size_sum(g, first, 1, size_const(g, k));
			rest = size_sum(g, rest, 1, size_const(g, k));
		}
		if (!first || !rest || (k && !shifted)) break;
		e->n = extreme_add(g, kind, e->list, e->n, first);
		s = rest;
	}
	e->n = extreme_add(g, kind, e->list, e->n, s);
	e->met++;
}

/* min(a, min(b, c)): the operands of both, in order, the last two innermost.  So, too, where one of
 * min(a, min(b, c) + k) is superfluous. */
static const Size *extreme(Graph *g, AtomKind kind, const Size *a, const Size *b)
{
	if (outdoes(g, kind, a, b)) return a;
	if (outdoes(g, kind, b, a)) return b;
	Extremes e = {.n = 0};
	for (int shifted = 1; shifted >= 0 && e.n == e.met; shifted--) {
		e = (Extremes){.n = 0};
		extreme_of(g, kind, a, shifted, &e);
		extreme_of(g, kind, b, shifted, &e);
	}
	const Size *s = e.list[e.n - 1];
	while (s && --e.n > 0) s = size_of_atom(g, (Atom){.kind = kind, .a = e.list[e.n - 1], .b = s});
	return s;
}

/* ---- the public face ---------------------------------------------------------------------------- */

static const Size *checked(Graph *g, const Size *result, const Size *a, const char *sign, const Size *b)
{
	if (result) return result;
	return graph_fail(g, ERR_VALUE,
		"the size (%.200s) %s (%.200s) leaves 64 bits or has more than %d parts", size_shown(g, a),
		sign, size_shown(g, b), SIZE_WEIGHT);
}

const Size *size_const(Graph *g, int64_t x)
{
	return size_of_term(g, (Term){.coef = x});
}

const Size *size_named(Graph *g, const char *name)
{
	if (!name) return NULL;
	return size_of_atom(g, (Atom){.kind = ATOM_NAME, .name = names_get(&g->names, name, strlen(name))});
}

const Size *size_param(Graph *g, uint32_t index)
{
	return size_of_atom(g, (Atom){.kind = ATOM_PARAM, .index = index});
}

const Size *size_param_of_data(Graph *g, uint32_t index)
{
	return size_of_atom(g, (Atom){.kind = ATOM_PARAM, .index = index, .data = true});
}

bool size_is(const Size *s, int64_t *value)
{
	if (!s || s->nterm > 1 || (s->nterm && s->term[0].natom)) return false;
	*value = s->nterm ? s->term[0].coef : 0;
	return true;
}

const Atom *size_single(const Size *s)
{
	bool one = s->nterm == 1 && s->term[0].coef == 1 && s->term[0].natom == 1;
	return one ? s->term[0].atom[0] : NULL;
}

bool size_equals(const Size *s, int64_t value)
{
	int64_t x;
	return size_is(s, &x) && x == value;
}

const Size *size_add(Graph *g, const Size *a, const Size *b)
{
	return a && b ? checked(g, size_sum(g, a, 1, b), a, "+", b) : NULL;
}

const Size *size_sub(Graph *g, const Size *a, const Size *b)
{
	return a && b ? checked(g, size_sum(g, a, -1, b), a, "-", b) : NULL;
}

const Size *size_mul(Graph *g, const Size *a, const Size *b)
{
	return a && b ? checked(g, size_product(g, a, b), a, "*", b) : NULL;
}

static const Size *checked_division(Graph *g, AtomKind kind, const Size *a, const char *sign, const Size *b)
{
	if (!a || !b) return NULL;
	if (!size_equals(b, 0)) return checked(g, size_division(g, kind, a, b), a, sign, b);
	return graph_fail(g, ERR_VALUE, "the size (%.200s) %s 0", size_shown(g, a), sign);
}

const Size *size_floordiv(Graph *g, const Size *a, const Size *b)
{
	return checked_division(g, ATOM_FLOORDIV, a, "//", b);
}

const Size *size_mod(Graph *g, const Size *a, const Size *b)
{
	return checked_division(g, ATOM_MOD, a, "%", b);
}

const Size *size_min(Graph *g, const Size *a, const Size *b)
{
	return a && b ? checked(g, extreme(g, ATOM_MIN, a, b), a, "and at the least", b) : NULL;
}

const Size *size_max(Graph *g, const Size *a, const Size *b)
{
	return a && b ? checked(g, extreme(g, ATOM_MAX, a, b), a, "and at the most", b) : NULL;
}

/* What scalar arithmetic on two sizes means for them; NULL: not a size's arithmetic, or it leaves 64 bits.  A
 * scalar divided by 0 is 0 where a size divided by 0 is an error, so divisors are positive numbers. */
static const Size *node_arithmetic(Graph *g, Op op, const Size *a, const Size *b)
{
	int64_t divisor;
	if (!a || !b) return NULL;
	switch (op) {
	case OP_ADD: return size_sum(g, a, 1, b);
	case OP_SUB: return size_sum(g, a, -1, b);
	case OP_MUL: return size_product(g, a, b);
	case OP_MINIMUM: return extreme(g, ATOM_MIN, a, b);
	case OP_MAXIMUM: return extreme(g, ATOM_MAX, a, b);
	default:
		if (!size_is(b, &divisor) || divisor <= 0) return NULL;
		return size_division(g, op == OP_MOD ? ATOM_MOD : ATOM_FLOORDIV, a, b);
	}
}

/* A sum of as many ones as its operand has elements, which len(x) may be. */
static bool counts_ones(const Node *x)
{
	int64_t value;
	if (x->op != OP_SUM || node_rank(x) || node_rank(x->arg[0]) != 1) return false;
	for (x = x->arg[0]; x->op == OP_SLICE;) x = x->arg[0];
	return x->op == OP_CONST && constant_is_uniform(x) && constant_integer(x, &value) && value == 1;
}

/* Operand k of a scalar operation; of a weak one that is converted, converted itself, as weak integers are
 * computed in 64 bits. */
static Node *operand_as_size(Graph *g, Node *x, bool converted, uint32_t k)
{
	return converted ? cast(g, x->arg[k], DT_I64) : x->arg[k];
}

/* Arithmetic of sizes is seen through, some levels deep, while it stays within 64 bits. */
static const Size *node_size(Graph *g, Node *x, int levels)
{
	int64_t value;
	const Size *s = NULL;
	bool converted = x->op == OP_CAST && node_dtype(x->arg[0]) == DT_WEAK_INT;
	Node *y = converted ? x->arg[0] : x;
	Op op = (Op)y->op;
	bool sum = op == OP_ADD || op == OP_SUB || op == OP_MUL;
	if (constant_integer(x, &value)) return size_const(g, value);
	if (op == OP_SIZE) return y->attr->v[0].u.size;
	if (counts_ones(y)) return node_dim(y->arg[0], 0);
	if (levels > 0 && op == OP_NEG)
		s = size_sum(g, size_const(g, 0), -1, node_size(g, operand_as_size(g, y, converted, 0),
			levels - 1));
	if (levels > 0 && (sum || op == OP_MINIMUM || op == OP_MAXIMUM || op == OP_FLOORDIV || op == OP_MOD))
		s = node_arithmetic(g, op, node_size(g, operand_as_size(g, y, converted, 0), levels - 1),
			node_size(g, operand_as_size(g, y, converted, 1), levels - 1));
	return s ? s : size_of_atom(g, (Atom){.kind = ATOM_NODE, .node = x});
}

enum { SEEN_THROUGH = 8 }; /* levels of arithmetic */

static void counts_below(
	Graph *g, Node *x, int levels, void (*found)(void *user, Node *ones, bool alone), void *user)
{
	bool converted = x->op == OP_CAST && node_dtype(x->arg[0]) == DT_WEAK_INT;
	Node *y = converted ? x->arg[0] : x;
	bool operation = op_info[y->op].class == MAP && y->op != OP_CAST;
	if (counts_ones(y)) found(user, y->arg[0], levels == SEEN_THROUGH);
	if (!operation || levels == 0 || constant_integer(x, &(int64_t){0})) return;
	for (uint32_t k = 0; k < y->narg; k++)
		counts_below(g, operand_as_size(g, y, converted, k), levels - 1, found, user);
}

/* The ones that are counted in what size_of_node sees through: of what they ask the size tells nothing.  Is
 * the size such a count alone? */
void size_counts(Graph *g, Node *x, void (*found)(void *user, Node *ones, bool alone), void *user)
{
	counts_below(g, x, SEEN_THROUGH, found, user);
}

const Size *size_of_node(Graph *g, Node *x)
{
	if (!x) return NULL;
	if (!node_is_scalar(x) || (node_dtype(x) != DT_I64 && node_dtype(x) != DT_WEAK_INT))
		return graph_fail(
			g, ERR_TYPE, "a size must be an i64 scalar, not %s", type_shown(g, x->type));
	return node_size(g, x, SEEN_THROUGH);
}
