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
 * holds four sets: `self`, what matches the node; `terms`, what matches some
 * term if it is part of a sum; `factors`, the same for a product or the upper
 * part of a quotient; `below`, what matches a factor that it is divided by.
 */
#include "forest.h"

/* Most words of a set are 0: it holds the others. */
typedef struct SetWord {
	uint32_t place, half[2]; /* of the word: the lower half first */
} SetWord;
typedef struct Set {
	uint32_t *rules, nrules, nown; /* nown: before those of algebra */
	uint32_t id, n;
	bool listed;
	SetWord word[];
} Set;
struct StateRow {
	uint32_t id;
	const Set *self, *terms, *factors, *below;
};
typedef struct Transition {
	const StateRow *state;
	uint32_t n;
	const void *key[]; /* operator, library name, sets of the operands, perhaps a state */
} Transition;

/* What a step hangs on, as it is looked for. */
typedef struct StepKey {
	uint32_t n;
	const void *part[13];
} StepKey;

struct Automaton {
	Arena *arena;
	const Forest *forest;
	uint32_t words, nset, nstate;
	Table sets, states, steps, quick;
	const Set *none;
	const StateRow *plain; /* of what no pattern speaks of, and is no constant */
	const StateRow *number[2]; /* of a number that no literal is: not negative, negative */
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
	return a->self == b->self && a->terms == b->terms && a->factors == b->factors && a->below == b->below;
}

static const StateRow *state_of(
	Automaton *m, const Set *self, const Set *terms, const Set *factors, const Set *below)
{
	StateRow key = {0, self, terms, factors, below};
	uint32_t h = hash_mix(hash_mix(self->id, terms->id), hash_mix(factors->id, below->id));
	StateRow *s = table_find(&m->states, h, &key, same_state);
	if (s) return s;
	s = NEW(m->arena, StateRow);
	*s = key;
	s->id = ++m->nstate;
	table_add(&m->states, h, s);
	return s;
}

/* ---- steps ---------------------------------------------------------------------------- */

/* Is it near neither the literal nor its inverse, so that no rounding makes it one of them? */
static bool is_far(double value, double literal)
{
	double ratio = fabs(value / literal), product = fabs(value * literal);
	bool ordinary = fabs(literal) > 1e-30 && fabs(literal) < 1e30; /* of all floats */
	return ordinary && (ratio < 0.99 || ratio > 1.01) && (product < 0.99 || product > 1.01);
}

/* Is it a number that no literal is, nor its opposite or inverse?  Of those there are two states, by their
 * sign. */
static bool is_any_number(const Forest *f, const Node *x, double value)
{
	for (uint32_t i = 0; i < f->literals.n; i++) {
		double literal = f->sub[f->literals.at[i]]->value;
		if (is_far(value, literal)) continue;
		if (literal_equals(x, value, literal) || literal_equals(x, -value, literal) ||
			literal_is_inverse(node_dtype(x), copysign(value, literal), literal))
			return false;
	}
	return true;
}

static const StateRow *leaf_state(Automaton *m, const Node *x)
{
	const Forest *f = m->forest;
	uint64_t *w = m->work;
	double value;
	memset(w, 0, m->words * sizeof *w);
	bool literal = literal_value(x, &value);
	for (uint32_t i = 0; x->op == OP_CONST && i < f->constants.n; i++) set_put(w, f->constants.at[i]);
	if (literal) {
		for (uint32_t i = 0; i < f->literals.n; i++) {
			const Subpattern *s = f->sub[f->literals.at[i]];
			if (literal_equals(x, value, s->value) && s->is_bool == (node_dtype(x) == DT_BOOL))
				set_put(w, s->id);
		}
		for (uint32_t i = 0; value < 0 && i < f->minus.n; i++) set_put(w, f->minus.at[i]);
	}
	const Set *self = set_of(m, w);
	for (uint32_t i = 0; literal && i < f->literals.n; i++) { /* -2*x is 2*x of -x */
		const Subpattern *s = f->sub[f->literals.at[i]];
		if (literal_equals(x, -value, s->value)) set_put(w, s->id);
	}
	const Set *factors = set_of(m, w);
	memset(w, 0, m->words * sizeof *w);
	for (uint32_t i = 0; literal && i < f->literals.n; i++) { /* 0.5*x is x/2 */
		const Subpattern *s = f->sub[f->literals.at[i]];
		if (literal_is_inverse(node_dtype(x), copysign(value, s->value), s->value)) set_put(w, s->id);
	}
	return state_of(m, self, self, factors, set_of(m, w));
}

const StateRow *automaton_leaf(Automaton *m, const Node *x)
{
	double value;
	if (x->op == OP_CONST && literal_value(x, &value) && is_any_number(m->forest, x, value)) {
		const StateRow **number = &m->number[value < 0];
		return *number = *number ? *number : leaf_state(m, x);
	}
	if (x->op == OP_CONST) return leaf_state(m, x);
	return m->plain = m->plain ? m->plain : leaf_state(m, x);
}

/* x^2 of a variable x, which x^4 is too. */
static bool squares_variable(const Forest *f, const Subpattern *s)
{
	if (s->kind != P_OPERATOR || s->op != OP_POW || f->sub[s->child[0]]) return false;
	const Subpattern *power = f->sub[s->child[1]];
	return power && power->kind == P_LITERAL && power->value == 2;
}

/* Does subpattern s match an operator whose operands have these sets?  any: operands in any order (one
 * set). */
static bool fits(
	const Forest *f, const Subpattern *s, const Node *x, uint32_t n, const uint64_t *const *arg, bool any)
{
	if (s->kind == P_LIBRARY && library_name(x) != s->name) return false;
	if (s->kind == P_PRODUCT && x->op == OP_POW) return true;
	if (is_even_power(x) && squares_variable(f, s)) return true;
	if (any) {
		for (uint32_t i = 0; i < s->n; i++)
			if (!set_has(arg[0], s->child[i])) return false;
		return true;
	}
	if (op_info[x->op].args == VARIADIC && s->kind != P_LIBRARY) return true;
	if (s->n != n) return false;
	bool mirror = s->kind == P_OPERATOR && s->op != x->op && s->tied != x->op; /* y < x for x > y */
	bool straight = !mirror, crossed = mirror || (n == 2 && op_info[x->op].flags & COMM);
	for (uint32_t i = 0; i < n; i++) {
		straight &= set_has(arg[i], s->child[i]);
		crossed = crossed && set_has(arg[i], s->child[n - 1 - i]);
	}
	return straight || crossed;
}

static bool has_all(const Subpattern *s, const uint64_t *set)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!set_has(set, s->child[i])) return false;
	return true;
}

/* The same of a quotient among other factors, and of a product with a number below the line: 0.5*x in x/2. */
static bool fits_factors(const Forest *f, const Subpattern *s, const uint64_t *above, const uint64_t *below)
{
	if (s->kind == P_PRODUCT) return has_all(s, above);
	const Subpattern *over = f->sub[s->child[0]], *under = f->sub[s->child[1]];
	if (s->op != OP_DIV || (!over && !under)) return false;
	bool any = !over || (over->kind == P_LITERAL && over->value == 1) || set_has(above, over->id);
	if (!any && (over->kind != P_PRODUCT || !has_all(over, above))) return false;
	return !under || set_has(below, under->id) || (under->kind == P_PRODUCT && has_all(under, below));
}

static bool same_step(const void *item, const void *key)
{
	const Transition *a = item;
	const StepKey *b = key;
	return a->n == b->n && !memcmp(a->key, b->part, a->n * sizeof *a->key);
}

/* What a step needs of the operands, cut down to what is asked: of each what matches it; of a sum one set,
 * what matches a term; of a product or quotient two, what matches a factor of the upper part, and one of
 * the lower part. */
static uint32_t gather_sets(
	Automaton *m, const Node *x, uint32_t n, const StateRow *const *args, const uint64_t **arg)
{
	const Forest *f = m->forest;
	bool chain = is_chained((Op)x->op), sum = chain || x->op == OP_ADD || x->op == OP_SUB,
	     quotient = x->op == OP_DIV, ratio = quotient || x->op == OP_MUL;
	uint32_t sets = sum ? 1 : n;
	for (uint32_t k = 0; k < sets; k++) {
		uint64_t *to = m->wide + k * m->words;
		memset(to, 0, m->words * sizeof *to);
		arg[k] = to;
		for (uint32_t i = 0; i < 2 && sum; i++) set_join(to, args[i]->terms);
		for (uint32_t i = 0; i < 2 && chain; i++) set_join(to, args[i]->self);
		for (uint32_t i = 0; i < 2 && ratio; i++) {
			bool over = quotient && i; /* what is above in a divisor is below here */
			set_join(to, (k == 1) == over ? args[i]->factors : args[i]->below);
		}
		if (!sum && x->op != OP_MUL) set_join(to, args[k]->self);
		if (x->op == OP_LOG) { /* of a product that of a factor is found */
			set_join(to, args[k]->factors);
			set_join(to, args[k]->below);
		}
		const uint64_t *mask = f->asked[sum && !chain ? OP_ADD : x->op],
			       *more = f->asked[ratio ? OP_MUL : x->op];
		for (uint32_t i = 0; i < m->words; i++) to[i] &= mask[i] | more[i];
	}
	return sets;
}

static const Set *with_set(Automaton *m, const Set *self, const Set *other)
{
	memset(m->work, 0, m->words * sizeof *m->work);
	set_join(m->work, self);
	set_join(m->work, other);
	return set_of(m, m->work);
}

static const StateRow *make_state(
	Automaton *m, const Node *x, uint32_t n, const uint64_t *const *arg, const StateRow *inner)
{
	const Forest *f = m->forest;
	uint64_t *w = m->work;
	bool product = x->op == OP_MUL, sum = x->op == OP_ADD || x->op == OP_SUB || is_chained((Op)x->op);
	memset(w, 0, m->words * sizeof *w);
	const SubList *l = &f->of_op[x->op], *quotients = &f->of_op[OP_DIV];
	for (uint32_t i = 0; i < l->n; i++)
		if (fits(f, f->sub[l->at[i]], x, n, arg, sum || product)) set_put(w, l->at[i]);
	for (uint32_t i = 0; (product || x->op == OP_DIV) && i < quotients->n; i++) /* z*(f/y) */
		if (fits_factors(f, f->sub[quotients->at[i]], arg[0], arg[1])) set_put(w, quotients->at[i]);
	for (uint32_t i = 0; product && arg[2] && i < f->of_op[OP_POW].n; i++) { /* x*x is x^2 */
		const Subpattern *s = f->sub[f->of_op[OP_POW].at[i]];
		const Subpattern *power = s->child[1] ? f->sub[s->child[1]] : NULL;
		bool square = power && power->kind == P_LITERAL && power->value == 2;
		if (square && set_has(arg[2], s->child[0])) set_put(w, s->id);
	}
	for (uint32_t i = 0; is_scaled_square(x) && i < f->of_op[OP_POW].n; i++) /* 4*x^2 is (2*x)^2 */
		if (squares_variable(f, f->sub[f->of_op[OP_POW].at[i]])) set_put(w, f->of_op[OP_POW].at[i]);
	if (product || x->op == OP_DIV || x->op == OP_EXPAND)
		for (uint32_t i = 0; i < f->minus.n; i++) set_put(w, f->minus.at[i]);
	if (is_seen_through((Op)x->op)) /* what matches the map that it is a view of */
		set_join(w, inner->self);
	for (uint32_t i = 0; x->op == OP_NEG && i < quotients->n; i++) /* -(x/2) is x/2 of -x */
		if (set_has(arg[1], quotients->at[i])) set_put(w, quotients->at[i]);
	const Set *self = set_of(m, w);
	if (sum && is_chained((Op)x->op)) /* in a sum it is a term */
		return state_of(m, self, with_set(m, self, set_of(m, arg[0])), self, m->none);
	if (sum) return state_of(m, self, set_of(m, arg[0]), self, m->none);
	if (product) return state_of(m, self, self, set_of(m, arg[0]), set_of(m, arg[1]));
	if (x->op == OP_DIV)
		return state_of(m, self, self, with_set(m, self, set_of(m, arg[0])), set_of(m, arg[1]));
	if (x->op != OP_NEG) return state_of(m, self, self, self, m->none);
	/* a minus is seen through */
	return state_of(
		m, self, with_set(m, self, inner->terms), with_set(m, self, inner->factors), inner->below);
}

static const StateRow *step_by_sets(Automaton *m, const Node *x, const StateRow *const *args)
{
	const Forest *f = m->forest;
	uint32_t n = own_args(x);
	bool any = x->op == OP_ADD || x->op == OP_SUB || x->op == OP_MUL;
	if (!n ||
		(!f->of_op[x->op].n && x->op != OP_NEG && x->op != OP_DIV && !is_seen_through((Op)x->op) &&
			!any))
		return automaton_leaf(m, x);
	if (n > 8) n = 8; /* only variadic operators, whose patterns are runs */
	const uint64_t *arg[8] = {NULL};
	StepKey key = {.n = 0};
	key.part[key.n++] = is_even_power(x) ? (const void *)&m->steps : &op_info[x->op];
	key.part[key.n++] = is_scaled_square(x) ? &m->steps : NULL;
	key.part[key.n++] = library_name(x);
	uint32_t sets = gather_sets(m, x, n, args, arg);
	if (x->op == OP_MUL && x->arg[0] == x->arg[1]) { /* a square: what matches its root */
		uint64_t *root = m->wide + sets * m->words;
		memset(root, 0, m->words * sizeof *root);
		set_join(root, args[0]->self);
		for (uint32_t i = 0; i < m->words; i++) root[i] &= f->asked[OP_POW][i];
		arg[sets++] = root;
	}
	for (uint32_t k = 0; k < sets; k++) key.part[key.n++] = set_of(m, arg[k]);
	if (x->op == OP_NEG || is_seen_through((Op)x->op)) key.part[key.n++] = args[0];
	if (x->op == OP_NEG) { /* all that matches what the minus stands before */
		uint64_t *inner = m->wide + m->words;
		memset(inner, 0, m->words * sizeof *inner);
		set_join(inner, args[0]->self);
		arg[1] = inner;
	}
	size_t bytes = key.n * sizeof *key.part;
	uint32_t h = hash_bytes(key.part, bytes);
	Transition *known = table_find(&m->steps, h, &key, same_step);
	if (known) return known->state;
	known = arena_alloc_aligned(m->arena, sizeof *known + bytes, _Alignof(Transition));
	known->n = key.n;
	memcpy(known->key, key.part, bytes);
	known->state = make_state(m, x, n, arg, args[0]);
	table_add(&m->steps, h, known);
	return known->state;
}

/* Few operators over few states are met again and again: their steps are found without sets. */
enum { QUICK_ARGS = 3 };
typedef struct QuickStep {
	const char *name;
	const StateRow *arg[QUICK_ARGS];
	uint32_t op, n;
	bool square; /* x*x, or an even power of x */
	bool scaled; /* 4*x^2 or x^2/4 */
	const StateRow *state;
} QuickStep;

static bool same_quick(const void *item, const void *key)
{
	const QuickStep *a = item, *b = key;
	return a->op == b->op && a->n == b->n && a->name == b->name && a->square == b->square &&
		a->scaled == b->scaled && a->arg[0] == b->arg[0] && a->arg[1] == b->arg[1] &&
		a->arg[2] == b->arg[2];
}

/* A square or an even power, or a number times such: of other operators nothing is to be asked. */
static void note_squares(QuickStep *key, const Node *x)
{
	bool product = x->op == OP_MUL;
	if (product) key->square = x->arg[0] == x->arg[1];
	if (x->op == OP_POW) key->square = is_even_power(x);
	if (product || x->op == OP_DIV) key->scaled = is_scaled_square(x);
}

/* args: the states of x's own operands. */
const StateRow *automaton_step(Automaton *m, const Node *x, const StateRow *const *args)
{
	QuickStep key = {.op = x->op, .n = own_args(x)};
	if (key.n > QUICK_ARGS) return step_by_sets(m, x, args);
	key.name = library_name(x);
	note_squares(&key, x);
	uint64_t mixed = hash_more(hash_more(key.op, (uintptr_t)key.name), key.square + 2 * key.scaled);
	for (uint32_t i = 0; i < key.n; i++) {
		key.arg[i] = args[i];
		mixed = hash_more(mixed, args[i]->id);
	}
	uint32_t h = hash_done(mixed);
	QuickStep *known = table_find(&m->quick, h, &key, same_quick);
	if (known) return known->state;
	known = NEW(m->arena, QuickStep);
	*known = key;
	known->state = step_by_sets(m, x, args);
	table_add(&m->quick, h, known);
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
	for (uint32_t i = set_next(m->places, words, 0); s->nrules < n;
		i = set_next(m->places, words, i + 1)) {
		s->nown += i < f->nown;
		s->rules[s->nrules++] = f->rules[i];
	}
	s->listed = true;
}

const uint32_t *automaton_rules(Automaton *m, const StateRow *s, uint32_t *n, uint32_t *own)
{
	Set *self = (Set *)s->self;
	if (!self->listed) list_rules(m, self);
	*n = self->nrules;
	*own = self->nown;
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
	table_open(&m->quick, arena);
	m->work = NEW_ARRAY(arena, uint64_t, f->words);
	m->none = set_of(m, m->work);
	m->wide = NEW_ARRAY(arena, uint64_t, 8 * f->words);
	m->places = NEW_ARRAY(arena, uint64_t, f->nrules / 64 + 1);
	return m;
}
