/* rules.c - rules of a graph: added, listed, checked. */
#define POR_NO_LINES
#include "api.h"

#include <stdio.h>

/* LAW_EXACT is 1, and so on: the public bits are 1 << (law - 1). */
static unsigned law_bit(Law l)
{
	return l == LAW_NONE ? POR_LAW_REAL : 1u << (l - 1);
}

_Static_assert(
	POR_LAW_EXACT == 1 << (LAW_EXACT - 1) && POR_LAW_APPROX == 1 << (LAW_APPROX - 1), "laws are bits");

/* An error in the rule's text is told at the user's line where that is known. */
static void error_in_rule(por_graph *g)
{
	Error *e = &g->ir->error;
	if (!e->code || !g->at.line || strcmp(e->file, "rule")) return;
	size_t n = strlen(e->text);
	snprintf(e->text + n, sizeof e->text - n, "; column %d of the rule", e->column);
	snprintf(e->file, sizeof e->file, "%s", g->at.file ? g->at.file : "");
	e->line = g->at.line;
	e->column = 0;
}

void rules_told(por_graph *g, uint32_t before)
{
	for (uint32_t i = before; g->context->log && i < rules_count(g->ir); i++) {
		const char *told = rule_use(g->ir, rule_at(g->ir, i))->told;
		if (told) context_log(g->context, told);
	}
}

int por_rule(por_graph *g, const char *text, const char *stage)
{
	if (!text) return POR_ERR_VALUE;
	ENTER(unmarked(alone(g, "rule"), "rule"), g ? code_of(g) : POR_ERR_VALUE);
	const uint32_t before = books_open(g->ir) ? rules_count(g->ir) : 0;
	rule_add(g->ir, text, stage); /* checked there */
	error_in_rule(g);
	rules_told(g, before);
	LEAVE(code_of(g));
}

int por_derive_as_written(por_graph *g, int on)
{
	ENTER(g, g ? code_of(g) : POR_ERR_VALUE);
	g->ir->no_rules = on != 0;
	LEAVE(code_of(g));
}

typedef struct UserRewrite {
	por_graph *graph;
	por_rewrite fn;
	void *user;
} UserRewrite;

static Node *call_user(const Rule *r, Graph *g, Node *x, Node *const *value)
{
	const UserRewrite *c = r->user;
	por_node *v[RULE_VARIABLES];
	int n = 0;
	for (uint32_t i = 0; i < r->nvar; i++)
		if (r->var[i].kind == V_VALUE) v[n++] = give_node(c->graph, value[i]);
	const Where where = g->where;
	if (c->graph->inside)
		return graph_fail(g, ERR_RULE,
			"rule %s: its function, or that of another rule, builds what these functions are called for", r->name);
	c->graph->inside = INSIDE_RULE;
	por_node *y = c->fn(c->user, give_node(c->graph, x), n, v);
	c->graph->inside = INSIDE_NOTHING;
	g->where = where;
	if (y && y->graph != c->graph)
		return graph_fail(
			g, ERR_VALUE, "rule %s: its function gave a node of another graph", r->name);
	return y ? y->node : NULL;
}

int por_rule_call(por_graph *g, const char *pattern, unsigned law, por_rewrite fn, void *user)
{
	if (!pattern || !fn) return POR_ERR_VALUE;
	ENTER(unmarked(alone(g, "rule_call"), "rule_call"), g ? code_of(g) : POR_ERR_VALUE);
	Law l = LAW_EXACT;
	while (l <= LAW_APPROX && law != 1u << (l - 1)) l++;
	if (l > LAW_APPROX) {
		graph_fail(g->ir, ERR_VALUE, "rule_call: law %u is not one of POR_LAW_...", law);
		LEAVE(code_of(g));
	}
	UserRewrite *c = NEW(g->ir->arena, UserRewrite);
	*c = (UserRewrite){g, fn, user};
	rule_add_call(g->ir, pattern, "algebra", l, call_user, c);
	error_in_rule(g);
	LEAVE(code_of(g));
}

int por_rule_count(por_graph *g)
{
	ENTER(g, 0);
	LEAVE(books_open(g->ir) ? (int)rules_count(g->ir) : 0);
}

static const char *tags_of(por_graph *g, const Rule *r)
{
	Text t;
	text_open(&t, g->home);
	for (uint32_t i = 0; i < r->ntag; i++) text_printf(&t, "%s%s", i ? ", " : "", r->tag[i]);
	return text_done(&t);
}

int por_rule_at(por_graph *g, int i, por_rule_info *out)
{
	if (!out || i < 0 || i >= por_rule_count(g)) return POR_ERR_VALUE;
	ENTER(g, code_of(g));
	const Rule *r = rule_at(g->ir, (uint32_t)i);
	RuleUse *use = rule_use(g->ir, r);
	if (!use->text) use->text = rule_text(g->home, r);
	if (!use->tags) use->tags = tags_of(g, r);
	*out = (por_rule_info){.name = r->name,
		.book = r->book->name,
		.stage = r->book->stage,
		.text = use->text,
		.file = r->book->file ? r->book->file : "",
		.line = r->where.line,
		.law = law_bit(r->law),
		.tried = use->tried,
		.fired = use->fired,
		.refused = use->refused,
		.told = use->told ? use->told : "",
		.tags = use->tags};
	LEAVE(POR_OK);
}

int por_rule_check(por_graph *g, int i, uint64_t seed, char **report)
{
	if (report) *report = NULL;
	if (i < 0 || i >= por_rule_count(g)) return POR_ERR_VALUE;
	ENTER(alone(g, "rule_check"), code_of(g));
	Text t;
	text_open(&t, g->ir->arena);
	if (rule_at(g->ir, (uint32_t)i)->call) {
		if (report) *report = graph_text(g, "a rule by function is not checked\n");
		LEAVE(POR_ERR_UNSUPPORTED);
	}
	bool good = rule_check(g->ir, rule_at(g->ir, (uint32_t)i), seed, &t);
	if (report) *report = graph_text(g, text_done(&t));
	int verdict = good ? POR_OK : POR_ERR_RULE;
	LEAVE(code_of(g) ? code_of(g) : verdict);
}
