/* provenance.c - who asked for a node: lines, names, rules, beside its identity.
 *
 * Nodes that are made for one line by one rule from one node have one list, and a node that stands for
 * another over other operands has the list of that.  Who adds to a list that others have too adds to a copy.
 */
#include "ir.h"

enum { ORIGINS_KEPT = 4, NAMES_KEPT = 8 }; /* lines of a node; its names, which may follow those */

static const Where *line_now(const Graph *g)
{
	return g->user.line ? &g->user : &g->where;
}

static bool same_line(const Origin *o, const Graph *g)
{
	const Where *w = line_now(g);
	return o->where.line == w->line && o->where.file == w->file;
}

/* Does it tell of the line at work, and of nothing else? */
static bool is_line_alone(const Origin *o, const Graph *g)
{
	return same_line(o, g) && !o->name && !o->rule;
}

static Origin *origin_new(Graph *g, const char *name, const char *rule, uint32_t from)
{
	Origin *o = NEW(g->arena, Origin);
	*o = (Origin){.where = *line_now(g),
		.name = name,
		.rule = rule,
		.from = from,
		.derived = g->derived > 0,
		.with = g->with};
	return o;
}

/* The list of x, which nobody else has from now on. */
static void own_list(Graph *g, Node *x)
{
	Origin *old = x->origin, **end = &x->origin;
	if (!old || !old->shared) return;
	for (; old; old = old->next, end = &(*end)->next) {
		*end = NEW(g->arena, Origin);
		**end = *old;
		(*end)->shared = false;
		(*end)->next = NULL;
	}
}

/* What the list has of a name: how many others before it, and whether it is there itself. */
typedef struct NamesThere {
	uint32_t n;
	bool known;
} NamesThere;

static NamesThere names_there(const Origin *list, const char *name)
{
	NamesThere t = {0};
	for (const Origin *o = list; o; o = o->next) {
		bool again = !o->name;
		for (const Origin *p = list; p != o && !again; p = p->next) again = p->name == o->name;
		t.known |= o->name == name;
		t.n += !again;
	}
	return t;
}

/* How a file is cut into lines must not tell what is called by which name: the first name stays the first,
 * and is kept however many lines there are. */
void node_note(Graph *g, Node *x, const char *let_name, const char *rule, uint32_t from)
{
	if (!x || (!g->where.line && !let_name && !rule)) return;
	if (g->under && x->id <= g->under->nnode) return; /* it is from before a mark */
	uint32_t n = 0;
	for (Origin *o = x->origin; o; o = o->next, n++)
		if (same_line(o, g) && o->name == let_name && o->rule == rule) return;
	NamesThere names = let_name ? names_there(x->origin, let_name) : (NamesThere){0};
	bool fills = let_name && !rule && !names.n; /* what is written of the line already */
	if (let_name && !names.known ? names.n >= NAMES_KEPT : n >= ORIGINS_KEPT) return;
	Origin **at = &x->origin;
	own_list(g, x);
	while (*at && !(fills && is_line_alone(*at, g))) at = &(*at)->next;
	if (*at)
		(*at)->name = let_name;
	else
		*at = origin_new(g, let_name, rule, from);
}

/* What is at work now asks for x. */
void node_stamp(Graph *g, Node *x, bool made)
{
	Origin *o = g->heritage ? g->heritage : g->stamp;
	if (!made || !(g->heritage || g->where.line || g->rule)) {
		node_note(g, x, NULL, g->rule, g->from);
	} else if (g->heritage ||
		(o && !o->next && !o->name && same_line(o, g) && o->where.column == line_now(g)->column &&
			o->rule == g->rule && o->from == g->from && o->derived == (g->derived > 0) &&
			o->with == g->with)) {
		x->origin = o;
		o->shared = true;
	} else {
		x->origin = g->stamp = origin_new(g, NULL, g->rule, g->from);
	}
}

const char *node_told(const Node *x)
{
	if (x->op == OP_PAD && x->origin && x->origin->with) return "with";
	return op_info[x->op == OP_PAD && node_is_derived(x) ? OP_SLICE : x->op].text;
}

bool node_has_name(const Node *x, const char *name)
{
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->name == name) return true;
	return false;
}

Heritage heritage_begin(Graph *g, const Node *x)
{
	Heritage before = {g->where, g->heritage};
	if (x->origin) g->where = x->origin->where;
	g->heritage = g->rule ? NULL : x->origin;
	return before;
}

void heritage_end(Graph *g, Heritage before, const Node *x, Node *y)
{
	for (Origin *o = y && y != x && y->origin != x->origin ? x->origin : NULL; o; o = o->next)
		if (o->name) node_note(g, y, o->name, o->rule, o->from);
	g->where = before.where;
	g->heritage = before.origin;
}
