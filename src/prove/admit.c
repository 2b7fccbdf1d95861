/* admit.c - a rule of the user's is checked before it counts. */
#include "prove.h"

/* Books of these orders are promised to end: what fires there makes things simpler. */
static bool is_ordered(const Book *book)
{
	return !strcmp(book->stage, "algebra") || !strcmp(book->stage, "last");
}

static bool admit_rule(Graph *g, const Rule *r)
{
	double left, right;
	bool directed = !r->head && !r->equation;
	if (directed && is_ordered(r->book) && !rule_decreases(g, r, &left, &right)) {
		fail(&g->error, ERR_RULE, r->where,
			"rule %s: it is not proved to make the expression simpler, as book %s asks: the left side "
			"weighs %g, the right side %g, and no operator goes for good",
			r->name, r->book->stage, left, right);
		return false;
	}
	Text report;
	text_open(&report, g->arena);
	bool good = rule_check(g, r, 1, &report);
	rule_use(g, r)->told = text_done(&report);
	if (!good && !g->error.code) fail(&g->error, ERR_RULE, r->where, "%s", rule_use(g, r)->told);
	return good;
}

void prove_open(Graph *g)
{
	g->admit_rule = admit_rule;
}
