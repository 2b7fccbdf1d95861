/* automaton.c - which left sides may match at a node: a lazy bottom-up tree automaton.
 *
 * The state of a node is the set of subpatterns that match there as far as
 * operators and literals say; variables that occur twice, brackets and guards
 * are for match.c.  A state follows from the operator and the operands'
 * states, cut down to what that operator's subpatterns ask of operands; so
 * there are few states, and a step is a look-up.
 *
 * Sums and products match in any order and through re-association.  So a state
 * holds three sets: `self`, what matches the node; `terms`, what matches some
 * term if it is part of a sum; `factors`, the same for a product.
 */
#include "rules.h"

typedef struct Set {
	uint32_t id, hash;
	uint32_t *rules, nrules;
	bool listed;
	uint64_t word[];
} Set;
struct StateRow {
	uint32_t id;
	const Set *self, *terms, *factors;
};
typedef struct Sub {
	PatternKind kind;
	Op op;
	const char *name;
	double value;
	uint32_t n, *child;
	bool is_bool;
} Sub;
typedef struct Step {
	uint32_t hash, n;
	const void *key[12];
	const StateRow *state;
} Step;
typedef struct List {
	uint32_t n, cap, *at;
} List;

struct Automaton {
	Graph *g;
	Arena *arena;
	const uint32_t *rules;
	uint32_t *root; /* the subpattern that is a rule's whole left side */
	uint32_t nrules, words, nset, nstate;
	Sub *sub;
	uint32_t nsub, sub_cap;
	List of_op[OP_COUNT];      /* subpatterns by the operator of their root */
	List literals, minus;      /* minus: -x, which also matches products and constants */
	uint64_t *asked[OP_COUNT]; /* what the subpatterns of an operator ask of operands */
	Table sets, states, steps;
	const Set *none;
};

static bool has(const uint64_t *word, uint32_t i)
{
	return !i || word[i >> 6] >> (i & 63) & 1;
}

static void put(uint64_t *word, uint32_t i)
{
	word[i >> 6] |= 1ull << (i & 63);
}

/* ---- numbering subpatterns ------------------------------------------------------- */

static bool same_sub(const Sub *a, const Sub *b)
{
	return a->kind == b->kind && a->op == b->op && a->name == b->name && a->n == b->n &&
		a->is_bool == b->is_bool && (a->value == b->value || (isnan(a->value) && isnan(b->value))) &&
		(!a->n || !memcmp(a->child, b->child, a->n * sizeof *a->child));
}

static uint32_t number_sub(Automaton *m, const Pattern *p)
{
	if (p->kind == P_VARIABLE || p->kind == P_RUN) return 0;
	Sub s = {p->kind, p->op, p->kind == P_LIBRARY ? p->name : NULL, p->value, p->n, NULL, p->is_bool};
	s.child = NEW_ARRAY(m->arena, uint32_t, p->n ? p->n : 1);
	for (uint32_t i = 0; i < p->n; i++) s.child[i] = number_sub(m, p->arg[i]);
	for (uint32_t i = 1; i < m->nsub; i++)
		if (same_sub(&m->sub[i], &s)) return i;
	GROW(m->arena, m->sub, m->nsub, m->sub_cap);
	m->sub[m->nsub] = s;
	return m->nsub++;
}

static void list_add(Automaton *m, List *l, uint32_t x)
{
	GROW(m->arena, l->at, l->n, l->cap);
	l->at[l->n++] = x;
}

static void index_subs(Automaton *m)
{
	for (uint32_t i = 1; i < m->nsub; i++) {
		const Sub *s = &m->sub[i];
		if (s->kind == P_LITERAL) {
			list_add(m, &m->literals, i);
			continue;
		}
		if (s->kind == P_OPERATOR && s->op == OP_NEG && !s->child[0]) list_add(m, &m->minus, i);
		Op op[2] = {s->op, OP_NONE};
		if (s->kind == P_SUM)
			op[0] = OP_ADD, op[1] = OP_SUB;
		else if (s->kind == P_PRODUCT)
			op[0] = OP_MUL;
		else if (s->kind == P_LIBRARY)
			op[0] = OP_CALL;
		for (uint32_t k = 0; k < 2 && op[k]; k++) {
			list_add(m, &m->of_op[op[k]], i);
			for (uint32_t c = 0; c < s->n; c++)
				put(m->asked[op[k]], s->child[c]);
			if (op[k] == OP_DIV) put(m->asked[OP_MUL], s->child[0]); /* f/y is found in z*f/y */
		}
	}
}

/* ---- sets and states, interned ------------------------------------------------------ */

typedef struct SetKey {
	const uint64_t *word;
	uint32_t n;
} SetKey;

static bool same_set(const void *item, const void *key)
{
	const SetKey *k = key;
	return !memcmp(((const Set *)item)->word, k->word, k->n * sizeof *k->word);
}

static const Set *set_of(Automaton *m, const uint64_t *word)
{
	uint32_t h = hash_bytes(word, m->words * sizeof *word);
	SetKey key = {word, m->words};
	Set *s = table_find(&m->sets, h, &key, same_set);
	if (s) return s;
	s = arena_alloc(m->arena, sizeof *s + m->words * sizeof *word);
	s->id = ++m->nset, s->hash = h;
	memcpy(s->word, word, m->words * sizeof *word);
	table_add(&m->sets, h, s);
	return s;
}

static bool same_state(const void *item, const void *key)
{
	const StateRow *a = item, *b = key;
	return a->self == b->self && a->terms == b->terms && a->factors == b->factors;
}

static const StateRow *state_of(Automaton *m, const Set *self, const Set *terms, const Set *factors)
{
	StateRow key = {0, self, terms, factors};
	uint32_t h = hash_mix(hash_mix(self->id, terms->id), factors->id);
	StateRow *s = table_find(&m->states, h, &key, same_state);
	if (s) return s;
	s = NEW(m->arena, StateRow);
	*s = key;
	s->id = ++m->nstate;
	table_add(&m->states, h, s);
	return s;
}

/* ---- steps ---------------------------------------------------------------------------- */

enum { WORDS = RULE_PATTERNS }; /* 32,768 subpatterns of a stage */

static const StateRow *leaf_state(Automaton *m, const Node *x)
{
	uint64_t w[WORDS];
	double value;
	memset(w, 0, m->words * sizeof *w);
	if (literal_value(x, &value)) {
		for (uint32_t i = 0; i < m->literals.n; i++) {
			const Sub *s = &m->sub[m->literals.at[i]];
			if (literal_equals(x, value, s->value) && s->is_bool == (node_dtype(x) == DT_BOOL))
				put(w, m->literals.at[i]);
		}
		for (uint32_t i = 0; value < 0 && i < m->minus.n; i++) put(w, m->minus.at[i]);
	}
	const Set *s = set_of(m, w);
	return state_of(m, s, s, s);
}

const StateRow *automaton_leaf(Automaton *m, const Node *x)
{
	return leaf_state(m, x);
}

/* Does subpattern s match an operator whose operands have these sets?  any: operands in any order (one
 * set). */
static bool fits(const Sub *s, const Node *x, uint32_t n, const uint64_t *const *arg, bool any)
{
	if (s->kind == P_LIBRARY && library_name(x) != s->name) return false;
	if (any) {
		for (uint32_t i = 0; i < s->n; i++)
			if (!has(arg[0], s->child[i])) return false;
		return true;
	}
	if (op_info[x->op].args == VARIADIC && s->kind != P_LIBRARY) return true;
	if (s->n != n) return false;
	bool straight = true, crossed = n == 2 && op_info[x->op].flags & COMM;
	for (uint32_t i = 0; i < n; i++) {
		straight &= has(arg[i], s->child[i]);
		crossed = crossed && has(arg[i], s->child[n - 1 - i]);
	}
	return straight || crossed;
}

static bool same_step(const void *item, const void *key)
{
	const Step *a = item, *b = key;
	return a->n == b->n && !memcmp(a->key, b->key, a->n * sizeof *a->key);
}

static const StateRow *make_state(
	Automaton *m, const Node *x, uint32_t n, const uint64_t *const *arg, bool any, const StateRow *inner)
{
	uint64_t w[WORDS];
	memset(w, 0, m->words * sizeof *w);
	const List *l = &m->of_op[x->op];
	for (uint32_t i = 0; i < l->n; i++)
		if (fits(&m->sub[l->at[i]], x, n, arg, any)) put(w, l->at[i]);
	if (x->op == OP_MUL || x->op == OP_DIV || x->op == OP_EXPAND)
		for (uint32_t i = 0; i < m->minus.n; i++) put(w, m->minus.at[i]);
	const Set *self = set_of(m, w), *both[2];
	if (x->op == OP_ADD || x->op == OP_SUB) return state_of(m, self, set_of(m, arg[0]), self);
	if (x->op == OP_MUL) return state_of(m, self, self, set_of(m, arg[0]));
	if (x->op != OP_NEG) return state_of(m, self, self, self);
	for (uint32_t k = 0; k < 2; k++) { /* a minus is seen through */
		const Set *of = k ? inner->factors : inner->terms;
		for (uint32_t i = 0; i < m->words; i++) w[i] = self->word[i] | of->word[i];
		both[k] = set_of(m, w);
	}
	return state_of(m, self, both[0], both[1]);
}

/* args: the states of x's own operands. */
const StateRow *automaton_step(Automaton *m, const Node *x, const StateRow *const *args)
{
	uint32_t n = own_args(x);
	bool any = x->op == OP_ADD || x->op == OP_SUB || x->op == OP_MUL;
	const List *l = &m->of_op[x->op];
	if (!n || (!l->n && x->op != OP_NEG && x->op != OP_DIV && x->op != OP_EXPAND && !any))
		return leaf_state(m, x);
	if (n > 8) n = 8; /* only variadic operators, whose patterns are runs */
	uint64_t w[8 * 16], *big = m->words <= 16 ? w : NEW_ARRAY(m->arena, uint64_t, 8 * m->words);
	const uint64_t *arg[8], *mask = m->asked[x->op];
	Step key = {0, 0, {0}, NULL};
	key.key[key.n++] = &op_info[x->op];
	key.key[key.n++] = library_name(x);
	uint32_t sets = any ? 1 : n;
	for (uint32_t k = 0; k < sets; k++) {
		uint64_t *to = big + k * m->words;
		if (any) {
			const Set *a = x->op == OP_MUL ? args[0]->factors : args[0]->terms;
			const Set *b = x->op == OP_MUL ? args[1]->factors : args[1]->terms;
			mask = m->asked[x->op == OP_MUL ? OP_MUL : OP_ADD];
			for (uint32_t i = 0; i < m->words; i++) to[i] = (a->word[i] | b->word[i]) & mask[i];
		} else {
			bool above = x->op == OP_DIV && k == 0;
			for (uint32_t i = 0; i < m->words; i++)
				to[i] = (args[k]->self->word[i] | (above ? args[k]->factors->word[i] : 0)) & mask[i];
		}
		const Set *s = set_of(m, to);
		key.key[key.n++] = s;
		arg[k] = s->word;
	}
	if (x->op == OP_NEG) key.key[key.n++] = args[0];
	key.hash = hash_bytes(key.key, key.n * sizeof *key.key);
	Step *known = table_find(&m->steps, key.hash, &key, same_step);
	if (known) return known->state;
	known = NEW(m->arena, Step);
	*known = key;
	known->state = make_state(m, x, n, arg, any, args[0]);
	table_add(&m->steps, key.hash, known);
	return known->state;
}

const uint32_t *automaton_rules(Automaton *m, const StateRow *s, uint32_t *n)
{
	Set *self = (Set *)s->self;
	if (!self->listed) {
		self->rules = NEW_ARRAY(m->arena, uint32_t, m->nrules ? m->nrules : 1);
		for (uint32_t i = 0; i < m->nrules; i++) {
			if (m->root[i] && has(self->word, m->root[i]))
				self->rules[self->nrules++] = m->rules[i];
		}
		self->listed = true;
	}
	*n = self->nrules;
	return self->rules;
}

Automaton *automaton_make(Graph *g, Arena *arena, const char *stage)
{
	Automaton *m = NEW(arena, Automaton);
	m->g = g, m->arena = arena, m->nsub = 1;
	uint32_t n, more = 0, *list;
	const uint32_t *all = stage_rules(g, stage, &n), *algebra = NULL;
	if (!strcmp(stage, "stable")) /* what a stable rule leaves is simplified at once */
		algebra = stage_rules(g, "algebra", &more);
	m->rules = list = NEW_ARRAY(arena, uint32_t, n + more + 1);
	for (uint32_t i = 0; i < n + more; i++) { /* lines of a table and equations are not for rewriting */
		uint32_t r = i < n ? all[i] : algebra[i - n];
		if (!rule_at(g, r)->head && !rule_at(g, r)->equation) list[m->nrules++] = r;
	}
	GROW(arena, m->sub, 0, m->sub_cap);
	m->root = NEW_ARRAY(arena, uint32_t, m->nrules + 1);
	for (uint32_t i = 0; i < m->nrules; i++) m->root[i] = number_sub(m, rule_at(g, m->rules[i])->left);
	m->words = m->nsub / 64 + 1;
	for (uint32_t i = 0; i < OP_COUNT; i++) m->asked[i] = NEW_ARRAY(arena, uint64_t, m->words);
	table_open(&m->sets, arena);
	table_open(&m->states, arena);
	table_open(&m->steps, arena);
	index_subs(m);
	return m;
}
