/* picture.c - a function's graph for Graphviz: bodies of loops and branches in frames, inside which their
 * nodes stand; of a large graph what is next to the results.
 *
 * What a loop carries leads from what it begins with to the leaf in the frame, and from the frame's result to
 * who uses it; what a body captures leads into the frame.  Literals and sizes stand in the texts of who uses
 * them.  Where several operands are dots in the formula, and their order matters, their edges have numbers.
 */
#define POR_NO_LINES
#include "compiled.h"

enum { NODES = 200 }; /* of a picture that can be looked at, and that Graphviz lays out in seconds */

typedef struct Framed Framed;
struct Framed { /* a function where it is drawn */
	const Framed *outer;
	const Node *holder; /* of this body, in `outer` */
	Body body;
	Function *f;
	OperatorTexts *texts;
	const Region *r;
	uint32_t *number; /* by place; 0: it is not drawn */
	struct Framed **inside; /* by place: the frames of what holds bodies, where they are drawn */
};

typedef struct Picture {
	Graph *g;
	Arena *scratch;
	Text *t, *edges; /* apart: what an edge within a frame names would be drawn inside it */
	uint32_t left; /* nodes that there is room for */
	uint32_t last; /* number given */
} Picture;

static const char *const colours[] = {[LEAF] = "#eceff2", [MAP] = "#e8eef8", [FOLD] = "#efe6fa",
	[CUMULATIVE] = "#efe6fa", [VIEW] = "#eceff2", [INDEX] = "#def3f0", [CONTRACT] = "#fdebd8", [SOLVE] = "#f3eadb",
	[RANDOM] = "#fbe3ee", [CONTROL] = "#fafbfd"};

/* Is it seen through: a literal, one of several results, what broadcasting implies? */
static bool is_seen_through(const Node *x)
{
	return x->op == OP_GET || stands_in_text(x);
}

/* ---- which nodes ------------------------------------------------------------------------------ */

/* Results first, then level by level. */
static bool *choose_nodes(Picture *p, const Framed *w)
{
	bool *chosen = NEW_ARRAY(p->scratch, bool, w->r->n + 1);
	Node **list = NEW_ARRAY(p->scratch, Node *, w->r->n + 1);
	uint32_t n = 0;
	for (uint32_t i = 0, done = 0; i < 1 || done < n; i = 1) {
		const Node *from = i ? list[done++] : NULL;
		uint32_t many = from ? from->narg : w->f->nresult;
		for (uint32_t k = 0; k < many && p->left; k++) {
			Node *x = from ? from->arg[k] : w->f->result[k];
			uint32_t at = region_place(w->r, x);
			if (chosen[at]) continue;
			chosen[at] = true;
			list[n++] = x;
			p->left -= !is_seen_through(x);
		}
	}
	return chosen;
}

/* ---- where an edge begins --------------------------------------------------------------------- */

/* The number of the node that an operand comes from; 0: it is written where it is used, or is not drawn. */
static uint32_t source(const Framed *w, const Node *x)
{
	for (;;) {
		uint32_t at = region_place(w->r, x), k = x->op == OP_PARAM ? (uint32_t)attr_int(x, 0) : 0;
		if (x->op == OP_PARAM && w->holder && k >= w->body.bound) {
			x = w->holder->arg[w->body.first + k]; /* captured */
			w = w->outer;
		} else if (x->op != OP_GET || !w->inside[region_place(w->r, x->arg[0])])
			return x->op == OP_GET ? w->number[region_place(w->r, x->arg[0])] : w->number[at];
		else if (x->arg[0]->op == OP_IF)
			return w->number[region_place(w->r, x->arg[0])];
		else {
			w = w->inside[region_place(w->r, x->arg[0])];
			x = w->f->result[attr_int(x, 0)];
		}
	}
}

static void edge(Picture *p, uint32_t from, uint32_t to, const char *how)
{
	if (from && to) text_printf(p->edges, "\tn%u -> n%u%s;\n", from, to, how);
}

/* ---- nodes ------------------------------------------------------------------------------------ */

/* "$0 @ $1" with the operands' names, or a dot; how many are dots. */
static uint32_t add_formula(Text *t, const Framed *w, const Node *x, const char *text)
{
	uint32_t dots = 0;
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, "$");
		text_add_n(t, at, n);
		at += n;
		if (!*at) break;
		uint32_t k = 0;
		for (at++; *at >= '0' && *at <= '9'; at++) k = 10 * k + (uint32_t)(*at - '0');
		const Node *y = k < x->narg ? x->arg[k] : NULL;
		const char *name = NULL;
		if (y && y->op == OP_PARAM) name = w->f->param_name[attr_int(y, 0)];
		text_add(t, name ? name : "\xc2\xb7");
		dots += !name;
	}
	return dots;
}

static const char *leaf_name_of(const Framed *w, uint32_t k)
{
	if (w->f->param_name[k]) return w->f->param_name[k];
	if (!w->holder || w->holder->op != OP_SCAN) return "\xc2\xb7";
	return k ? "element" : "i";
}

static const char *own_name(const Framed *w, const Node *x)
{
	if (x->op == OP_PARAM) return leaf_name_of(w, (uint32_t)attr_int(x, 0));
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->name && !strchr(o->name, '.')) return o->name;
	return NULL;
}

static void draw_node(Picture *p, Framed *w, Node *x)
{
	uint32_t at = region_place(w->r, x);
	w->number[at] = ++p->last;
	Text label;
	text_open(&label, p->scratch);
	const char *name = own_name(w, x);
	uint32_t dots = 0;
	if (name) text_add(&label, name);
	if (name && x->op != OP_PARAM) text_add(&label, " = ");
	if (x->op != OP_PARAM) dots = add_formula(&label, w, x, operator_text(w->texts, x));
	text_char(&label, '\n');
	text_add(&label, operator_type(w->texts, x->type));
	text_printf(p->t, "\tn%u [label=", p->last);
	json_quote(p->t, text_done(&label));
	if (x->op == OP_PARAM)
		text_add(p->t, ", style=\"filled,rounded\", fillcolor=\"#e2f3e2\"];\n");
	else
		text_printf(p->t, ", fillcolor=\"%s\"];\n", colours[op_info[x->op].class]);
	const bool ordered = dots > 1 && !(x->narg == 2 && op_info[x->op].flags & COMM);
	for (uint32_t k = 0; k < x->narg; k++)
		edge(p, source(w, x->arg[k]), p->last,
			ordered ? arena_printf(p->scratch, " [headlabel=\"%u\", labeldistance=1.4]", k + 1) : "");
}

/* ---- frames ----------------------------------------------------------------------------------- */

static Framed *open_frame(Picture *p, const Framed *outer, const Node *holder, const Body *b, Function *f)
{
	Framed *w = NEW(p->scratch, Framed);
	const char **sizes = outer ? operator_sizes(outer->texts, holder, b) : NULL;
	*w = (Framed){.outer = outer, .holder = holder, .f = f};
	w->texts = operator_texts(p->g, p->scratch, f, sizes);
	if (b) w->body = *b;
	w->r = operator_region(w->texts);
	w->number = NEW_ARRAY(p->scratch, uint32_t, w->r->n + 1);
	w->inside = NEW_ARRAY(p->scratch, Framed *, w->r->n + 1);
	return w;
}

static void draw_frame(Picture *p, Framed *w, const bool *chosen);

static uint32_t body_size(const Region *r)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) n += !is_seen_through(r->node[i]);
	return n;
}

static void begin_cluster(Picture *p, const char *label)
{
	text_printf(p->t, "subgraph cluster_%u {\n\tstyle=rounded; color=\"#8d99ab\"; label=", ++p->last);
	json_quote(p->t, label);
	text_add(p->t, ";\n");
}

/* What a loop begins with and walks along leads to its leaves; what it carries on leads back. */
static void join_leaves(Picture *p, const Framed *w, const Node *x, const Framed *body)
{
	uint32_t carried = x->op == OP_SCAN ? scan_carries(x) : 0;
	for (uint32_t k = 0; k < body->r->n; k++) {
		const Node *y = body->r->node[k];
		uint32_t leaf = y->op == OP_PARAM ? (uint32_t)attr_int(y, 0) : 0;
		if (!leaf || leaf >= body->body.bound) continue;
		edge(p, source(w, x->arg[leaf]), body->number[k], "");
		if (leaf <= carried)
			edge(p, source(body, body->f->result[leaf - 1]), body->number[k],
				" [style=dashed, constraint=false]");
	}
}

/* A frame, or one in another for each side; they are made. */
static void draw_bodies(Picture *p, Framed *w, Node *x, const Body *b, Framed *made[])
{
	const uint32_t n = x->op == OP_IF ? 2 : 1;
	static const char *const sides[] = {"where it holds", "where it does not"};
	const uint32_t at = region_place(w->r, x);
	Text label;
	text_open(&label, p->scratch);
	add_formula(&label, w, x, operator_text(w->texts, x));
	begin_cluster(p, text_done(&label));
	for (uint32_t i = 0; i < n; i++) {
		Framed *body = open_frame(p, w, x, &b[i], b[i].f);
		bool *all = NEW_ARRAY(p->scratch, bool, body->r->n + 1);
		for (uint32_t k = 0; k < body->r->n; k++) all[k] = true;
		if (n > 1) begin_cluster(p, sides[i]);
		w->inside[at] = body;
		draw_frame(p, body, all);
		if (n > 1) text_add(p->t, "}\n");
		join_leaves(p, w, x, body);
		made[i] = body;
	}
	text_add(p->t, "}\n");
}

/* ---- all ------------------------------------------------------------------------------------------ */

static void draw_branch(Picture *p, Framed *w, Node *x, const Body *b)
{
	static const char *const ends[] = {" [label=\"holds\"]", " [label=\"does not\"]"};
	Framed *side[BODIES_MAX];
	draw_bodies(p, w, x, b, side);
	w->number[region_place(w->r, x)] = ++p->last;
	const uint32_t own = p->last;
	text_printf(p->t, "\tn%u [label=\"if\", shape=diamond, fillcolor=\"#fafbfd\"];\n", own);
	edge(p, source(w, x->arg[0]), own, " [label=\"condition\"]");
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < side[i]->f->nresult; k++)
			edge(p, source(side[i], side[i]->f->result[k]), own, ends[i]);
}

static void draw_frame(Picture *p, Framed *w, const bool *chosen)
{
	for (uint32_t i = 0; i < w->r->n; i++) {
		Node *x = w->r->node[i];
		Body b[BODIES_MAX];
		uint32_t n = node_holds_bodies(x) ? node_bodies(x, b) : 0, size = 0;
		bool captured = x->op == OP_PARAM && w->holder && attr_int(x, 0) >= w->body.bound;
		if (!chosen[i] || is_seen_through(x) || captured) continue;
		for (uint32_t k = 0; k < n; k++)
			size += body_size(region_of(p->scratch, b[k].f->nresult, b[k].f->result));
		bool drawn = n && size <= p->left;
		if (drawn) p->left -= size;
		Framed *made[BODIES_MAX];
		if (drawn && x->op == OP_IF)
			draw_branch(p, w, x, b);
		else if (drawn)
			draw_bodies(p, w, x, b, made);
		else
			draw_node(p, w, x);
	}
}

static void draw_result(Picture *p, const Framed *w, por_function *f, uint32_t i)
{
	por_leaf leaf;
	por_function_output(f, (int)i, &leaf);
	text_printf(p->t, "\tr%u [label=", i);
	json_quote(p->t, leaf.path && *leaf.path ? leaf.path : "result");
	text_add(p->t, ", style=\"rounded,bold\"];\n");
	uint32_t from = source(w, w->f->result[i]);
	if (from) text_printf(p->t, "\tn%u -> r%u;\n", from, i);
}

char *por_print_dot(por_function *f)
{
	ENTER_ANYWAY(f ? f->graph : NULL, NULL);
	Graph *g = f->graph->ir;
	Text t, edges;
	text_open(&t, g->arena);
	Picture p = {.g = g, .scratch = arena_child(g->arena), .t = &t, .edges = &edges, .left = NODES};
	text_open(&edges, p.scratch);
	Framed *w = open_frame(&p, NULL, NULL, NULL, f->function);
	bool *chosen = choose_nodes(&p, w);
	text_add(&t, "digraph ");
	json_quote(&t, f->signature->name ? f->signature->name : "expression");
	text_add(&t, " {\n\tnode [fontname=\"monospace\", fontsize=11, shape=box, style=\"filled,rounded\", color=\"#9aa6b8\", "
		     "fillcolor=\"#ffffff\"];\n\tedge [fontname=\"monospace\", fontsize=10, color=\"#7d8898\", arrowsize=0.6];\n");
	draw_frame(&p, w, chosen);
	uint32_t hidden = 0;
	for (uint32_t i = 0; i < w->r->n; i++) hidden += !chosen[i] && !is_seen_through(w->r->node[i]);
	if (hidden) text_printf(&t, "\tn%u [label=\"... and %u more nodes\", shape=plaintext];\n", ++p.last, hidden);
	for (uint32_t i = 0; i < w->f->nresult && i < NODES; i++) draw_result(&p, w, f, i);
	text_add(&t, text_done(&edges));
	text_add(&t, "}\n");
	arena_free(p.scratch);
	LEAVE(graph_text(f->graph, text_done(&t)));
}
