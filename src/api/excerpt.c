/* excerpt.c - a node of a function as text: the nodes next to it are shown, and what is below them, or
 * in the long bodies of loops and branches, as "...".
 *
 * A thousand rules applied to a graph of a thousand nodes are a thousand lines, not a million nodes.
 */
#define POR_NO_LINES
#include "compiled.h"

#include <stdlib.h>

enum { EXCERPT = 40 };

typedef struct Excerpt {
	Graph *g;
	const Function *f; /* whose parameters have names; NULL: none */
	IdMap shown;       /* node -> as it is shown */
	bool short_one;
	uint32_t n;
	Node *node[EXCERPT];
} Excerpt;

static int by_id(const void *p, const void *q)
{
	const Node *const *a = p, *const *b = q;
	return (*a)->id < (*b)->id ? -1 : (*a)->id > (*b)->id;
}

static const char *let_name(const Node *x)
{
	if (!x->narg) return NULL; /* leaves are shared by functions */
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->name && !strchr(o->name, '.')) return o->name;
	return NULL;
}

/* In a short one: what has a name, or bodies, and what those give. */
static bool stands_by_name(const Node *x)
{
	return x->op == OP_GET || let_name(x) || node_holds_bodies(x);
}

/* Root first, then level by level; at last operands before their users. */
static void choose_nodes(Excerpt *e, Node *root, uint32_t most)
{
	IdMap known;
	idmap_open(&known, e->shown.arena);
	e->node[e->n++] = root;
	for (uint32_t i = 0; i < e->n; i++)
		for (uint32_t k = 0; k < e->node[i]->narg && e->n < most; k++) {
			Node *y = e->node[i]->arg[k];
			if (idmap_get(&known, y->id) || (most < EXCERPT && stands_by_name(y))) continue;
			idmap_put(&known, y->id, y);
			e->node[e->n++] = y;
		}
	qsort(e->node, e->n, sizeof *e->node, by_id);
}

static Node *leaf_shown(Excerpt *e, const Node *x, const char *name)
{
	return fresh(e->g, e->f ? type_by_name(e->g, e->f, x->type) : x->type, name);
}

static Node *node_shown(Excerpt *e, Arena *a, Node *x)
{
	SizeNames sizes = {e->g, e->f};
	uint32_t k = x->op == OP_PARAM ? (uint32_t)attr_int(x, 0) : UINT32_MAX;
	if (e->f && k < e->f->nparam && e->f->param_name[k]) return leaf_shown(e, x, e->f->param_name[k]);
	Node **args = NEW_ARRAY(a, Node *, x->narg + 1);
	for (uint32_t i = 0; i < x->narg; i++) {
		Node *y = x->arg[i];
		args[i] = idmap_get(&e->shown, y->id);
		if (!args[i]) idmap_put(&e->shown, y->id, args[i] = leaf_shown(e, y, e->short_one && let_name(y) ? let_name(y) : "..."));
	}
	return node_with(e->g, x, args, e->f ? size_by_name : NULL, &sizes);
}

static char *excerpt(Graph *g, Arena *a, const Function *f, Node *x, uint32_t most)
{
	Arena *scratch = arena_child(g->arena);
	Excerpt e = {.g = g, .f = f, .short_one = most < EXCERPT};
	const Error error = g->error;
	idmap_open(&e.shown, scratch);
	choose_nodes(&e, x, most);
	for (uint32_t i = 0; i < e.n; i++) {
		Node *y = node_shown(&e, scratch, e.node[i]);
		if (y) idmap_put(&e.shown, e.node[i]->id, y);
	}
	Node *named = g->error.code ? NULL : idmap_get(&e.shown, x->id);
	g->error = error;
	arena_free(scratch);
	Text t;
	text_open(&t, a);
	print_nodes(&t, g, 1, named ? &named : &x, NULL, PRINT_ONE_LINE | PRINT_EXCERPT);
	return text_done(&t);
}

char *excerpt_text(Graph *g, Arena *a, const Function *f, Node *x)
{
	return excerpt(g, a, f, x, EXCERPT);
}

char *excerpt_line(Graph *g, Arena *a, const Function *f, Node *x)
{
	return excerpt(g, a, f, x, EXCERPT / 4);
}
