/* switches.c - rules switched off and on by name: their own, their book's, its stage's, their tags'. */
#include "rules.h"

typedef struct Word {
	const char *at;
	size_t n;
} Word;

static bool is_word(const char *name, Word w)
{
	return strlen(name) == w.n && !memcmp(name, w.at, w.n);
}

/* What a rule may be called; how many names it has. */
static uint32_t names_of(const Rule *r)
{
	return 3 + r->ntag;
}

static const char *name_of(const Rule *r, uint32_t i)
{
	const char *const first[] = {r->name, r->book->name, r->book->stage};
	return i < countof(first) ? first[i] : r->tag[i - countof(first)];
}

static bool is_called(const Rule *r, Word w)
{
	if (is_word("all", w)) return strcmp(r->book->stage, "lower") != 0;
	for (uint32_t i = 0; i < names_of(r); i++)
		if (is_word(name_of(r, i), w)) return true;
	return false;
}

/* The name that is nearest to the word, at most a third of whose letters are others; NULL: none is. */
static const char *nearest_name(Graph *g, Word w)
{
	const char *best = NULL;
	uint32_t least = (uint32_t)w.n / 3 + 1;
	for (uint32_t i = 0; i < rules_count(g); i++) {
		const Rule *r = rule_at(g, i);
		for (uint32_t k = 0; k < names_of(r); k++) {
			uint32_t apart = letters_apart(w.n, w.at, name_of(r, k));
			if (apart >= least) continue;
			least = apart;
			best = name_of(r, k);
		}
	}
	return best;
}

static bool switch_word(Graph *g, Word w, bool off)
{
	bool found = false;
	for (uint32_t i = 0; i < rules_count(g); i++) {
		const Rule *r = rule_at(g, i);
		if (!is_called(r, w)) continue;
		rule_use(g, r)->off = off;
		found = true;
	}
	if (found) return true;
	const char *near = nearest_name(g, w);
	return graph_fail(g, ERR_NAME, "options: there is no rule, book, stage or tag %.*s%s%s", (int)w.n, w.at,
		near ? "; the nearest is " : "", near ? near : "");
}

bool rules_switch(Graph *g, const char *words)
{
	for (Word w = {words, 0}; *w.at; w.at += w.n) {
		w.at += strspn(w.at, ", ");
		bool on = *w.at == '+' && strcspn(w.at, ", ") > 1;
		w.at += on;
		w.n = strcspn(w.at, ", ");
		if (w.n && !switch_word(g, w, !on)) return false;
	}
	return true;
}
