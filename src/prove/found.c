/* found.c - what the author of a rule is told: whether it is ever found where its left side is written, what
 * comes first, where it counts, and what its sides cost.
 *
 * The left side, over inputs of which the guard is known, goes through the stages that the rule stands in, as
 * a program does.  Where the rule fires in none of several instances, what fired instead comes first.
 */
#include <math.h>

#include "check.h"
#include "../print/print.h"

enum { TRIES = 24, FEWEST = 4, FACTS = 8, LEVELS = 6, BETWEEN = 4 };

/* ---- instances of which the guard is known ---------------------------------------------------------- */

typedef struct Assumed {
	LeafFact fact[FACTS];
	uint32_t n;
} Assumed;

static LeafFact *fact_about(Assumed *k, Node *x)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (k->fact[i].leaf == x) return &k->fact[i];
	if (k->n == FACTS) return NULL;
	k->fact[k->n] = (LeafFact){.leaf = x, .lo = -INFINITY, .hi = INFINITY};
	return &k->fact[k->n++];
}

static void know_comparison(LeafFact *f, Op op, double value)
{
	bool strict = op == OP_LT || op == OP_GT;
	if (op == OP_NE)
		f->nonzero |= value == 0;
	else if (op == OP_LT || op == OP_LE) {
		f->hi = value;
		f->hi_open = strict;
	} else if (op == OP_GT || op == OP_GE) {
		f->lo = value;
		f->lo_open = strict;
	}
}

/* What a guard says of single variables, by numbers and by the words that are facts. */
static void know_guard(Assumed *k, const Match *m, const Pattern *p)
{
	if (p->kind == P_OPERATOR && p->op == OP_AND)
		for (uint32_t i = 0; i < p->n; i++) know_guard(k, m, p->arg[i]);
	for (uint32_t i = 0; p->n <= 2 && i < p->n; i++) {
		const Pattern *x = p->arg[i], *y = p->n == 2 ? p->arg[1 - i] : NULL;
		if (x->kind != P_VARIABLE || !m->value[x->var]) continue;
		LeafFact *f = fact_about(k, m->value[x->var]);
		if (f && y && y->kind == P_LITERAL && p->kind == P_OPERATOR)
			know_comparison(f, i ? mirrored(p->op) : p->op, y->value);
		if (!f || p->kind != P_LIBRARY) continue;
		f->finite |= !strcmp(p->name, "finite");
		f->no_nan |= !strcmp(p->name, "number") || f->finite;
		f->integer |= !strcmp(p->name, "whole");
	}
}

/* The sides over inputs that are called as the rule calls them. */
static bool named_sides(Instance *in, Node **side)
{
	Graph *g = in->m.g;
	const Rule *r = in->rule;
	const Pattern *wanted[2] = {r->left, r->right};
	IdMap map;
	idmap_open(&map, in->m.scratch);
	for (uint32_t v = 0; v < r->nvar; v++) {
		Node *x = in->m.value[v];
		if (r->var[v].kind != V_VALUE || !x || x->op != OP_FRESH) continue;
		in->m.value[v] = fresh(g, x->type, r->var[v].name);
		idmap_put(&map, x->id, in->m.value[v]);
	}
	Node *before[2] = {in->m.node, solid(g, instantiate(&in->m, wanted[1], in->m.node->type))};
	before[1] = fit_type(g, before[1], in->m.node->type);
	if (!before[1] || g->error.code) return false;
	rebuild(g, (Nodes){2, before}, &map, NULL, NULL, side);
	return !g->error.code && side[0]->op != OP_CONST;
}

/* ---- what becomes of the left side ------------------------------------------------------------------ */

static bool is_any(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name)) list++;
	return *list != NULL;
}

/* The stages that a function goes through up to the rule's, as the compiler runs them; what `lower` makes of
 * it, it takes on. */
static bool run_stages(Graph *g, const Rule *r, Node **x, RewriteOptions *o)
{
	static const char *const main[] = {"algebra", "last", "stable", "stable_last", NULL};
	if (!is_any(r->book->stage, main)) return rewrite(g, r->book->stage, 1, x, o);
	o->whole = true;
	if (!rewrite(g, "algebra", 1, x, o)) return false;
	o->whole = false;
	return rewrite(g, "stable", 1, x, o);
}

static void say_node(Text *t, Graph *g, Node *x)
{
	text_char(t, '`');
	print_nodes(t, g, 1, &x, NULL, PRINT_ONE_LINE | PRINT_EXCERPT | PRINT_APART);
	text_char(t, '`');
}

static void say_rule_first(Text *t, const Rule *first)
{
	text_printf(t, "%s (%s:%d) always comes first", first->name,
		first->where.file ? first->where.file : first->book->name, first->where.line);
}

/* What comes first: a rule, or code that did more than to order operands. */
static const Application *first_of(const RewriteOptions *o)
{
	for (uint32_t i = 0; i < o->nlog; i++)
		if (o->log[i].rule || strcmp(o->log[i].what, "order")) return &o->log[i];
	return &o->log[0];
}

static void say_first(Text *t, Graph *g, const Application *a, Node *end)
{
	const Rule *first = a->rule;
	if (first)
		say_rule_first(t, first);
	else
		text_printf(t, "what needs no rule (%s) always comes first", a->what);
	text_add(t, ", ");
	say_node(t, g, a->before);
	text_add(t, " becoming ");
	say_node(t, g, a->after);
	if (end == a->after) return;
	text_add(t, ", and at last ");
	say_node(t, g, end);
}

/* The same but for the order of operands, which leaves have as they are written. */
static bool is_same(const Node *a, const Node *b, uint32_t levels)
{
	if (a == b) return true;
	if (!levels || a->op != b->op || a->attr != b->attr || a->type != b->type || a->narg != b->narg ||
		!a->narg)
		return false;
	bool same = true, turned = a->narg == 2 && op_info[a->op].flags & COMM;
	for (uint32_t i = 0; same && i < a->narg; i++) same = is_same(a->arg[i], b->arg[i], levels - 1);
	return same ||
		(turned && is_same(a->arg[0], b->arg[1], levels - 1) &&
			is_same(a->arg[1], b->arg[0], levels - 1));
}

/* Of a left side that loses digits: do other rules of stable see to it? */
static bool is_gained_by_others(const Rule *r, const RewriteOptions *o)
{
	bool any = false;
	for (uint32_t i = 0; rule_is_stable(r) && i < o->nlog; i++)
		any |= o->log[i].rule && rule_is_stable(o->log[i].rule);
	return any;
}

typedef enum Try { UNKNOWN, FIRES, LOSES, COMES_ABOUT, ENDLESS } Try;

/* The other rules between the last two applications of this one. */
static void say_way_back(Text *why, Graph *g, const Rule *r, const RewriteOptions *o)
{
	const Rule *said[BETWEEN];
	uint32_t n = 0, last = o->nlog;
	while (last && o->log[last - 1].rule != r) last--;
	text_open(why, g->arena);
	for (uint32_t i = last; i-- > 1 && o->log[i - 1].rule != r;) {
		const Rule *by = o->log[i - 1].rule;
		bool again = !by;
		for (uint32_t k = 0; k < n; k++) again |= said[k] == by;
		if (again || n == BETWEEN) continue;
		said[n] = by;
		text_printf(why, "%s%s (%s:%d)", n++ ? ", " : "", by->name,
			by->where.file ? by->where.file : by->book->name, by->where.line);
	}
}

/* Once more as it is after the last derivative, where more rules are used: does it end there? */
static bool ends_at_last(Graph *g, const Rule *r, Node *side, const RewriteOptions *of, Text *why)
{
	RewriteOptions o = *of;
	RuleUse *use = rule_use(g, r);
	const RuleUse before = *use;
	o.last = true;
	o.log_arena = g->arena;
	bool endless = !run_stages(g, r, &side, &o) && o.out_of_fuel;
	*use = before;
	if (!endless) return true;
	error_clear(&g->error);
	say_way_back(why, g, r, &o);
	return false;
}

static Try one_try(Graph *g, const Rule *r, Instance *in, Text *why)
{
	Assumed known = {.n = 0};
	Node *side[2] = {NULL, NULL};
	if (!named_sides(in, side)) return UNKNOWN;
	if (r->guard) know_guard(&known, &in->m, r->guard);
	in->m.facts = facts_open(g, in->m.scratch, known.n, known.fact);
	if (r->guard && !guard_holds(&in->m, r->guard, r->law == LAW_EXACT)) return UNKNOWN;
	RuleUse *use = rule_use(g, r);
	Node *written = side[0];
	unsigned laws = r->law == LAW_EXACT ? LAWS_EXACT : LAWS_DEFAULT | 1u << r->law;
	RewriteOptions o = {.laws = laws,
			       .nfact = known.n,
			       .fact = known.fact,
			       .last = use->late,
			       .log_arena = in->m.scratch},
		       quiet = o;
	quiet.log_arena = NULL;
	const RuleUse before = *use;
	bool good = run_stages(g, r, &side[0], &o);
	bool fires = use->fired > before.fired || use->refused > before.refused;
	*use = before;
	if (fires && o.out_of_fuel) {
		error_clear(&g->error);
		say_way_back(why, g, r, &o);
		return ENDLESS;
	}
	if (good && fires && !ends_at_last(g, r, written, &quiet, why)) return ENDLESS;
	if (!good || fires || !o.nlog) return good && fires ? FIRES : UNKNOWN;
	good = run_stages(g, r, &side[1], &quiet);
	*use = before;
	if (!good) return UNKNOWN;
	text_open(why, g->arena);
	say_first(why, g, first_of(&o), side[0]);
	if (is_gained_by_others(r, &o)) return COMES_ABOUT;
	return is_same(side[0], side[1], LEVELS) ? COMES_ABOUT : LOSES;
}

void say_instead(Instance *in, Text *t)
{
	Graph *g = in->m.g;
	Node *side[2] = {NULL, NULL};
	RewriteOptions o = {.laws = LAWS_DEFAULT, .log_arena = in->m.scratch};
	if (!named_sides(in, side)) return;
	Node *written = side[0];
	text_add(t, ": ");
	if (run_stages(g, in->rule, &side[0], &o) && o.nlog) {
		say_first(t, g, first_of(&o), side[0]);
	} else {
		text_add(t, "it is made as ");
		say_node(t, g, written);
	}
}

static Dtype dtype_of_try(const Rule *r, uint32_t i)
{
	if (r->boolean) return DT_BOOL;
	if (r->integer) return DT_I64;
	if (r->complex && r->law != LAW_EXACT) return DT_C128;
	return r->law == LAW_EXACT && i % 2 ? DT_I64 : DT_F64;
}

/* The line of a table that is taken before this one; NULL: none. */
static const Rule *line_before(Graph *g, const Rule *r)
{
	uint32_t n;
	const uint32_t *rules = stage_rules(g, r->book->stage, &n);
	for (uint32_t i = 0; i < n && rules[i] < r->number; i++) {
		const Rule *first = rule_at(g, rules[i]);
		if (first->guard || !first->left || first->head != r->head) continue;
		if (first->left->op == r->left->op && first->left->name == r->left->name &&
			first->left->kind == r->left->kind)
			return first;
	}
	return NULL;
}

/* In a book of lower, or of one's own stage, an end is the author's to see to. */
static bool must_end(const Rule *r)
{
	return !strncmp(r->book->stage, "algebra", 7) || !strncmp(r->book->stage, "last", 4) || rule_is_stable(r);
}

Finding rule_finding(Graph *g, const Rule *r, Text *why)
{
	uint32_t met = 0, same = 0;
	Random random = {17};
	const Rule *line = r->head && r->left ? line_before(g, r) : NULL;
	if (line) {
		say_rule_first(why, line);
		return NEVER_FOUND;
	}
	if (r->head || r->equation || r->written || r->call || !r->left || book_is_for_search(r->book))
		return FOUND;
	for (uint32_t i = 0; i < TRIES; i++) {
		Instance in;
		Try got = UNKNOWN;
		if (instance_open(&in, g, r, &random, dtype_of_try(r, i), 0)) got = one_try(g, r, &in, why);
		instance_close(&in);
		if (got == FIRES) return FOUND;
		if (got == ENDLESS) return must_end(r) ? NEVER_ENDS : FOUND;
		met += got != UNKNOWN;
		same += got == COMES_ABOUT;
	}
	if (met < FEWEST) return FOUND;
	return same ? FOUND_ALREADY : NEVER_FOUND;
}

/* ---- where it counts, what it costs ------------------------------------------------------------------- */

static uint32_t operations(const Pattern *p)
{
	bool counts = p->kind != P_VARIABLE && p->kind != P_RUN && p->kind != P_LITERAL && p->kind != P_LET &&
		p->kind != P_TUPLE;
	uint32_t n = counts;
	if (p->kind == P_SUM || p->kind == P_PRODUCT || p->kind == P_CHAIN) n = p->n - 1;
	for (uint32_t i = 0; i < p->n; i++) n += operations(p->arg[i]);
	return n;
}

static const char *dtypes_of(const Rule *r, const RuleUse *use)
{
	if (r->boolean) return "bools";
	if (r->integer) return "integers";
	if (r->complex && !r->moves) return "complex numbers";
	if (r->law == LAW_EXACT) return "every dtype";
	return use->wide ? "floats but f16" : "floats";
}

void say_where_it_counts(Text *t, Graph *g, const Rule *r)
{
	const RuleUse *use = rule_use(g, r);
	text_printf(t, "; in stage %s, of %s", r->book->stage, dtypes_of(r, use));
	text_add(t, use->late ? ", after the last derivative" : ", before and after derivatives");
	if (r->left && r->right)
		text_printf(t, "; operations: %u on the left, %u on the right", operations(r->left),
			operations(r->right));
}
