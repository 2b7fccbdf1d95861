/* picture.c - a function's graph for Graphviz; of a large one what stands next to the results. */
#define POR_NO_LINES
#include "compiled.h"

enum { NODES = 200 }; /* of a picture that can be looked at, and that Graphviz lays out in seconds */

typedef struct Picture {
	por_graph *graph;
	const Function *f;
	const Region *r;
	bool *shown; /* by place */
	uint32_t n;
} Picture;

/* Results first, then level by level, places downwards. */
static void choose_nodes(Picture *p, Arena *a)
{
	Node **list = NEW_ARRAY(a, Node *, NODES);
	p->shown = NEW_ARRAY(a, bool, p->r->n + 1);
	for (uint32_t i = 0, done = 0; i < p->f->nresult || done < p->n;) {
		bool results = i < p->f->nresult;
		const Node *from = results ? NULL : list[done];
		uint32_t n = results ? p->f->nresult : from->narg;
		Node *const *next = results ? p->f->result : from->arg;
		for (uint32_t k = 0; k < n && p->n < NODES; k++) {
			uint32_t at = region_place(p->r, next[k]);
			if (p->shown[at]) continue;
			p->shown[at] = true;
			list[p->n++] = next[k];
		}
		if (results)
			i = p->f->nresult;
		else
			done++;
	}
}

/* The number of a node in the picture; that of the rest, if it is not shown. */
static uint32_t number(const Picture *p, const Node *x)
{
	uint32_t at = region_place(p->r, x);
	return p->shown[at] ? at : p->r->n;
}

static void dot_node(Text *t, const Picture *p, Node *x)
{
	uint32_t i = number(p, x);
	Body b[BODIES_MAX];
	uint32_t bodies = node_bodies(x, b);
	Text label;
	text_open(&label, t->arena);
	if (x->op == OP_PARAM) {
		const char *name = p->f->param_name[attr_int(x, 0)];
		text_add(&label, name ? name : "x");
	} else if (x->op == OP_CONST || x->op == OP_SIZE) {
		text_add(&label, excerpt_text(p->graph->ir, t->arena, p->f, x));
	} else if (bodies) {
		text_printf(&label, "%s %s", op_info[x->op].text, b->f->name ? b->f->name : "");
	} else {
		text_add(&label, op_info[x->op].text);
	}
	text_char(&label, '\n');
	leaf_type_print(&label, p->graph->ir, p->f, x->type);
	text_printf(t, "\tn%u [label=", i);
	json_quote(t, text_done(&label));
	text_printf(t, "%s];\n", x->op == OP_PARAM ? ", shape=box" : "");
	bool rest = false; /* one edge stands for all that are not shown */
	for (uint32_t k = 0; k < x->narg; k++) {
		uint32_t from = number(p, x->arg[k]);
		if (from < p->r->n || !rest) text_printf(t, "\tn%u -> n%u;\n", from, i);
		rest |= from == p->r->n;
	}
}

static void dot_result(Text *t, const Picture *p, por_function *f, uint32_t i)
{
	por_leaf leaf;
	por_function_output(f, (int)i, &leaf);
	text_printf(t, "\tr%u [label=", i);
	json_quote(t, leaf.path && *leaf.path ? leaf.path : "result");
	text_printf(t, ", shape=box, style=bold];\n\tn%u -> r%u;\n", number(p, p->f->result[i]), i);
}

char *por_print_dot(por_function *f)
{
	ENTER_ANYWAY(f ? f->graph : NULL, NULL);
	Graph *g = f->graph->ir;
	Picture p = {.graph = f->graph, .f = f->function, .r = function_region(g, f->function)};
	Text t;
	text_open(&t, g->arena);
	choose_nodes(&p, g->arena);
	text_add(&t, "digraph \"");
	text_add(&t, f->signature->name ? f->signature->name : "expression");
	text_add(&t, "\" {\n\tnode [fontname=\"monospace\", shape=ellipse];\n");
	for (uint32_t i = 0; i < p.r->n; i++)
		if (p.shown[i]) dot_node(&t, &p, p.r->node[i]);
	if (p.n < p.r->n)
		text_printf(&t, "\tn%u [label=\"... and %u more nodes\", shape=plaintext];\n", p.r->n,
			p.r->n - p.n);
	for (uint32_t i = 0; i < p.f->nresult && i < NODES; i++) dot_result(&t, &p, f, i);
	text_add(&t, "}\n");
	LEAVE(graph_text(f->graph, text_done(&t)));
}
