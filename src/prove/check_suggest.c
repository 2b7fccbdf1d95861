/* check_suggest.c - a guard under which a rule that is not true would be.
 *
 * Needs: a rule whose sides differ on samples.  Gives: the first of a few usual
 * conditions on its variables with which they agree on all samples that meet
 * it (and enough do), and which none of the inputs meets at which they were seen
 * to differ, without it or with another; or NULL.
 */
#include <stdio.h>

#include "check.h"

/* %1$s is a variable; one that holds more often stands before one that holds less often. */
static const char *const of_one[] = {"%1$s != 0", "%1$s >= 0", "%1$s <= 0", "%1$s > 0", "%1$s < 0",
	"%1$s >= -1 and %1$s <= 1", "%1$s > -1 and %1$s < 1", "%1$s >= 0 and %1$s <= 1", "%1$s >= 1"};
static const char *const of_exact[] = {"real(%1$s)", "number(%1$s)", "finite(%1$s)"};
static const char *const of_choice[] = {"number(%1$s)"};
static const char *const of_axes[] = {"occupied(%1$s)"};
static const char *const of_two[] = {"%1$s >= %2$s", "%1$s > %2$s", "%1$s <= %2$s", "%1$s < %2$s",
	"%1$s != 0 and %2$s != 0", "%1$s >= 0 and %2$s >= 0", "%1$s > 0 and %2$s > 0"};

/* Samples that meet a guard; one in SHARE of them is a number; seeds that are tried. */
enum { ENOUGH = 400, SHARE = 4, SEEDS = 2 };

typedef struct Doubted {
	Graph *g;
	const Rule *rule;
	uint64_t seed;
	Doubts *doubts;
} Doubted;

/* Is it a part of the guard already? */
static bool is_said(Arena *a, const Syntax *guard, const char *text)
{
	if (!guard) return false;
	for (uint32_t i = 0; guard->kind == SYN_CHAIN && i < guard->count; i++)
		if (is_said(a, guard->part[i], text)) return true;
	Text t;
	text_open(&t, a);
	print_syntax(&t, guard);
	return !strcmp(text_done(&t), text);
}

/* Does the guard leave samples enough, and not those alone of which the left side is no number? */
static bool says_enough(const Tally *t)
{
	return t->met >= ENOUGH && t->numbers * SHARE >= t->met;
}

static bool holds_if(const Doubted *d, const char *guard)
{
	Graph *g = d->g;
	const Rule *r = d->rule;
	if (is_said(g->arena, r->syntax->count > 2 ? r->syntax->part[2] : NULL, guard)) return false;
	Arena *a = arena_child(g->arena);
	Error unread = {0};
	Text report;
	text_open(&report, a);
	const char *text = arena_printf(a, "%s %s %s", rule_text(a, r), r->guard ? "and" : "if", guard);
	Syntax *s = parse_rule(a, &g->names, "rule", text, strlen(text), &unread);
	Rule *with = s ? rule_compile(g, a, s, r->book, &unread) : NULL;
	RuleUse use = {.late = r->late};
	bool good = with && !guard_leaves_points(with) && !doubts_meet(d->doubts, with);
	for (uint64_t more = 0; good && more < SEEDS; more++)
		good = sides_agree(g, with, d->seed + more, &report, &use, d->doubts) == SIDES_AGREE &&
			says_enough(&d->doubts->last);
	arena_free(a);
	return good;
}

/* The first of n forms of a guard of x, or of x and y. */
static const char *first_of(
	const Doubted *d, uint32_t n, const char *const *form, const char *x, const char *y)
{
	char guard[200];
	for (uint32_t i = 0; i < n; i++) {
		if (snprintf(guard, sizeof guard, form[i], x, y) >= (int)sizeof guard) continue;
		if (holds_if(d, guard)) return arena_printf(d->g->arena, "%s", guard);
	}
	return NULL;
}

const char *guard_suggested(Graph *g, const Rule *r, uint64_t seed, Doubts *doubts)
{
	enum { NAMES = 4 };
	const Doubted d = {g, r, seed, doubts};
	const char *name[NAMES], *found = NULL;
	uint32_t n = 0;
	bool guarded = r->guard && r->guard->op == OP_OR; /* "and" would bind closer */
	for (uint32_t i = 0; i < r->nvar && !found && !guarded; i++)
		if (r->var[i].kind == V_ATTR) found = first_of(&d, countof(of_axes), of_axes, r->var[i].name, "");
	if (guarded) return NULL;
	for (uint32_t i = 0; i < r->nvar && n < NAMES; i++)
		if (r->var[i].kind == V_VALUE) name[n++] = r->var[i].name;
	for (uint32_t i = 0; i < n && !found; i++) {
		if (r->law == LAW_EXACT) found = first_of(&d, countof(of_exact), of_exact, name[i], "");
		else if (has_choice(r->left)) found = first_of(&d, countof(of_choice), of_choice, name[i], "");
		if (!found) found = first_of(&d, countof(of_one), of_one, name[i], "");
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = i + 1; k < n && !found; k++)
			found = first_of(&d, countof(of_two), of_two, name[i], name[k]);
	return found;
}
