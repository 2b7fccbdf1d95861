/* automaton.c - which left sides may match at a node: a lazy bottom-up tree automaton over a forest of
 * patterns.
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
#include "forest.h"

/* Most words of a set are 0: it holds the others. */
typedef struct SetWord {
	uint32_t place, half[2]; /* of the word: the lower half first */
} SetWord;
typedef struct Set {
	uint32_t *rules, nrules;
	uint32_t id, n;
	bool listed;
	SetWord word[];
} Set;
struct StateRow {
	uint32_t id;
	const Set *self, *terms, *factors;
};
typedef struct Transition {
	const StateRow *state;
	uint32_t n;
	const void *key[]; /* operator, library name, sets of the operands, perhaps a state */
} Transition;

/* What a step hangs on, as it is looked for. */
typedef struct StepKey {
	uint32_t n;
	const void *part[12];
} StepKey;

struct Automaton {
	Arena *arena;
	const Forest *forest;
	uint32_t words, nset, nstate;
	Table sets, states, steps;
	uint64_t *work, *wide, *places; /* room for a set; for eight; for a set of places of rules */
};

/* ---- sets and states, interned ------------------------------------------------------ */

typedef struct SetKey {
	const uint64_t *word;
	uint32_t n;
} SetKey;

static uint64_t word_of(const SetWord *w)
{
	return (uint64_t)w->half[1] << 32 | w->half[0];
}

static void set_join(uint64_t *to, const Set *s)
{
	for (uint32_t i = 0; i < s->n; i++) to[s->word[i].place] |= word_of(&s->word[i]);
}

static bool same_set(const void *item, const void *key)
{
	const Set *s = item;
	const SetKey *k = key;
	uint32_t n = 0;
	for (uint32_t i = 0; i < k->n; i++) {
		if (!k->word[i]) continue;
		if (n == s->n || s->word[n].place != i || word_of(&s->word[n]) != k->word[i]) return false;
		n++;
	}
	return n == s->n;
}

static const Set *set_of(Automaton *m, const uint64_t *word)
{
	uint32_t h = hash_bytes(word, m->words * sizeof *word);
	SetKey key = {word, m->words};
	Set *s = table_find(&m->sets, h, &key, same_set);
	if (s) return s;
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->words; i++) n += word[i] != 0;
	s = arena_alloc_aligned(m->arena, sizeof *s + n * sizeof *s->word, _Alignof(Set));
	s->id = ++m->nset;
	for (uint32_t i = 0; i < m->words; i++)
		if (word[i]) s->word[s->n++] = (SetWord){i, {(uint32_t)word[i], (uint32_t)(word[i] >> 32)}};
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

static const StateRow *leaf_state(Automaton *m, const Node *x)
{
	const Forest *f = m->forest;
	uint64_t *w = m->work;
	double value;
	memset(w, 0, m->words * sizeof *w);
	if (literal_value(x, &value)) {
		for (uint32_t i = 0; i < f->literals.n; i++) {
			const Subpattern *s = f->sub[f->literals.at[i]];
			if (literal_equals(x, value, s->value) && s->is_bool == (node_dtype(x) == DT_BOOL))
				set_put(w, s->id);
		}
		for (uint32_t i = 0; value < 0 && i < f->minus.n; i++) set_put(w, f->minus.at[i]);
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
static bool fits(const Subpattern *s, const Node *x, uint32_t n, const uint64_t *const *arg, bool any)
{
	if (s->kind == P_LIBRARY && library_name(x) != s->name) return false;
	if (any) {
		for (uint32_t i = 0; i < s->n; i++)
			if (!set_has(arg[0], s->child[i])) return false;
		return true;
	}
	if (op_info[x->op].args == VARIADIC && s->kind != P_LIBRARY) return true;
	if (s->n != n) return false;
	bool straight = true, crossed = n == 2 && op_info[x->op].flags & COMM;
	for (uint32_t i = 0; i < n; i++) {
		straight &= set_has(arg[i], s->child[i]);
		crossed = crossed && set_has(arg[i], s->child[n - 1 - i]);
	}
	return straight || crossed;
}

static bool same_step(const void *item, const void *key)
{
	const Transition *a = item;
	const StepKey *b = key;
	return a->n == b->n && !memcmp(a->key, b->part, a->n * sizeof *a->key);
}

static const StateRow *make_state(
	Automaton *m, const Node *x, uint32_t n, const uint64_t *const *arg, bool any, const StateRow *inner)
{
	const Forest *f = m->forest;
	uint64_t *w = m->work;
	memset(w, 0, m->words * sizeof *w);
	const SubList *l = &f->of_op[x->op];
	for (uint32_t i = 0; i < l->n; i++)
		if (fits(f->sub[l->at[i]], x, n, arg, any)) set_put(w, l->at[i]);
	if (x->op == OP_MUL || x->op == OP_DIV || x->op == OP_EXPAND)
		for (uint32_t i = 0; i < f->minus.n; i++) set_put(w, f->minus.at[i]);
	if (is_seen_through((Op)x->op)) /* what matches the map that it is a view of */
		set_join(w, inner->self);
	const Set *self = set_of(m, w), *both[2];
	if (x->op == OP_ADD || x->op == OP_SUB) return state_of(m, self, set_of(m, arg[0]), self);
	if (x->op == OP_MUL) return state_of(m, self, self, set_of(m, arg[0]));
	if (x->op != OP_NEG) return state_of(m, self, self, self);
	for (uint32_t k = 0; k < 2; k++) { /* a minus is seen through */
		memset(w, 0, m->words * sizeof *w);
		set_join(w, self);
		set_join(w, k ? inner->factors : inner->terms);
		both[k] = set_of(m, w);
	}
	return state_of(m, self, both[0], both[1]);
}

/* args: the states of x's own operands. */
const StateRow *automaton_step(Automaton *m, const Node *x, const StateRow *const *args)
{
	const Forest *f = m->forest;
	uint32_t n = own_args(x);
	bool any = x->op == OP_ADD || x->op == OP_SUB || x->op == OP_MUL;
	if (!n || (!f->of_op[x->op].n && x->op != OP_NEG && x->op != OP_DIV &&
			  !is_seen_through((Op)x->op) && !any))
		return leaf_state(m, x);
	if (n > 8) n = 8; /* only variadic operators, whose patterns are runs */
	uint64_t *big = m->wide;
	const uint64_t *arg[8], *mask = f->asked[x->op];
	StepKey key = {.n = 0};
	key.part[key.n++] = &op_info[x->op];
	key.part[key.n++] = library_name(x);
	uint32_t sets = any ? 1 : n;
	for (uint32_t k = 0; k < sets; k++) {
		uint64_t *to = big + k * m->words;
		memset(to, 0, m->words * sizeof *to);
		if (any) {
			set_join(to, x->op == OP_MUL ? args[0]->factors : args[0]->terms);
			set_join(to, x->op == OP_MUL ? args[1]->factors : args[1]->terms);
			mask = f->asked[x->op == OP_MUL ? OP_MUL : OP_ADD];
		} else {
			set_join(to, args[k]->self);
			if (x->op == OP_DIV && k == 0) set_join(to, args[k]->factors);
		}
		for (uint32_t i = 0; i < m->words; i++) to[i] &= mask[i];
		key.part[key.n++] = set_of(m, to);
		arg[k] = to;
	}
	if (x->op == OP_NEG || is_seen_through((Op)x->op)) key.part[key.n++] = args[0];
	size_t bytes = key.n * sizeof *key.part;
	uint32_t h = hash_bytes(key.part, bytes);
	Transition *known = table_find(&m->steps, h, &key, same_step);
	if (known) return known->state;
	known = arena_alloc_aligned(m->arena, sizeof *known + bytes, _Alignof(Transition));
	known->n = key.n;
	memcpy(known->key, key.part, bytes);
	known->state = make_state(m, x, n, arg, any, args[0]);
	table_add(&m->steps, h, known);
	return known->state;
}

/* The rules whose left sides are in the set, in order. */
static void list_rules(Automaton *m, Set *s)
{
	const Forest *f = m->forest;
	uint32_t words = f->nrules / 64 + 1, n = 0;
	uint64_t *w = m->work;
	memset(w, 0, m->words * sizeof *w);
	set_join(w, s);
	memset(m->places, 0, words * sizeof *m->places);
	for (uint32_t i = set_next(w, m->words, 0); i < f->nsub; i = set_next(w, m->words, i + 1))
		for (uint32_t k = f->first[i]; k; k = f->next[k - 1], n++) set_put(m->places, k - 1);
	s->rules = NEW_ARRAY(m->arena, uint32_t, n);
	for (uint32_t i = set_next(m->places, words, 0); s->nrules < n; i = set_next(m->places, words, i + 1))
		s->rules[s->nrules++] = f->rules[i];
	s->listed = true;
}

const uint32_t *automaton_rules(Automaton *m, const StateRow *s, uint32_t *n)
{
	Set *self = (Set *)s->self;
	if (!self->listed) list_rules(m, self);
	*n = self->nrules;
	return self->rules;
}

Automaton *automaton_make(Arena *arena, const Forest *f)
{
	Automaton *m = NEW(arena, Automaton);
	m->arena = arena;
	m->forest = f;
	m->words = f->words;
	table_open(&m->sets, arena);
	table_open(&m->states, arena);
	table_open(&m->steps, arena);
	m->work = NEW_ARRAY(arena, uint64_t, f->words);
	m->wide = NEW_ARRAY(arena, uint64_t, 8 * f->words);
	m->places = NEW_ARRAY(arena, uint64_t, f->nrules / 64 + 1);
	return m;
}
