/* explain.c - what a compile did, as text and as JSON. */
#define POR_NO_LINES
#include "compiled.h"

#include <stdio.h>

/* ---- JSON -------------------------------------------------------------------------------- */

void json_quote(Text *t, const char *s)
{
	text_char(t, '"');
	for (; s && *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			text_printf(t, "\\%c", c);
		else if (c == '\n')
			text_add(t, "\\n");
		else if (c == '\t')
			text_add(t, "\\t");
		else if (c < 32)
			text_printf(t, "\\u%04x", c);
		else
			text_char(t, (char)c);
	}
	text_char(t, '"');
}

/* ---- what only the graph knows: kept while it is compiled ------------------------------------ */

static const Size *named_size(void *user, const Atom *a)
{
	const void *const *x = user;
	const Function *f = x[1];
	return a->kind == ATOM_PARAM && a->index < f->nsize && f->size_name[a->index]
		? size_named((Graph *)(uintptr_t)x[0], f->size_name[a->index])
		: NULL;
}

/* A loose node of a function: parameters by their names. */
static char *printed(por_graph *g, Arena *a, const Function *f, Node *x)
{
	const void *user[2] = {g->ir, f};
	Region *r = region_of(a, 1, &x);
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < r->n; i++) {
		Node *p = r->node[i];
		uint32_t k = p->op == OP_PARAM ? (uint32_t)attr_int(p, 0) : UINT32_MAX;
		if (k < f->nparam && f->param_name[k] && p->type == f->param[k])
			idmap_put(&map, p->id,
				fresh(g->ir, type_substitute(g->ir, p->type, named_size, user),
					f->param_name[k]));
	}
	Node *named = NULL;
	rebuild(g->ir, 1, &x, &map, named_size, user, &named);
	Text t;
	text_open(&t, a);
	print_nodes(&t, g->ir, 1, named ? &named : &x, NULL, PRINT_ONE_LINE);
	return text_done(&t);
}

static void keep(por_program *p, const char *what, Text *t)
{
	p->explained[p->nexplained++] = (Explained){arena_copy(p->arena, what, strlen(what)), text_done(t)};
}

static void keep_rules(por_program *p, por_graph *g, const Pipeline *line)
{
	Text t, j;
	text_open(&t, p->arena), text_open(&j, p->arena);
	text_char(&j, '[');
	bool first = true;
	for (uint32_t s = 0; s < line->nstage; s++)
		for (uint32_t i = 0; i < line->stage[s].nlog; i++) {
			const Application *x = &line->stage[s].log[i];
			const char *name = x->rule ? x->rule->name : x->what ? x->what : "";
			const char *before = printed(g, p->arena, x->in, x->before),
				   *after = printed(g, p->arena, x->in, x->after);
			text_printf(&t, "%s: %s: %s  =>  %s\n", line->stage[s].name, name, before, after);
			text_add(&j, first ? "{\"stage\":" : ",\n{\"stage\":");
			json_quote(&j, line->stage[s].name);
			text_add(&j, ",\"rule\":"), json_quote(&j, name);
			text_add(&j, ",\"before\":"), json_quote(&j, before);
			text_add(&j, ",\"after\":"), json_quote(&j, after);
			text_char(&j, '}');
			first = false;
		}
	text_add(&j, "]\n");
	keep(p, "rules", &t), keep(p, "rules.json", &j);
}

void keep_explained(por_program *p, por_graph *g, const Pipeline *line)
{
	p->explained = NEW_ARRAY(p->arena, Explained, 4 + line->nstage);
	Text all, j;
	text_open(&all, p->arena), text_open(&j, p->arena);
	text_char(&j, '[');
	for (uint32_t s = 0; s < line->nstage; s++) {
		const StageReport *r = &line->stage[s];
		if (!r->function) continue;
		uint32_t n = function_region(g->ir, r->function)->n;
		char *heading = arena_printf(p->arena, "after %s: %u nodes, %llu rules applied, %.2f ms",
			r->name, n, (unsigned long long)r->fired, r->milliseconds);
		Text one;
		text_open(&one, p->arena);
		print_function(&one, g->ir, r->function, NULL, heading, PRINT_NOTES);
		text_done(&one);
		text_printf(&all, s ? "\n%s" : "%s", one.s);
		text_printf(&j, s ? ",\n{\"stage\":" : "{\"stage\":");
		json_quote(&j, r->name);
		text_printf(&j, ",\"nodes\":%u,\"applied\":%llu,\"milliseconds\":%.3f,\"text\":", n,
			(unsigned long long)r->fired, r->milliseconds);
		json_quote(&j, one.s);
		text_char(&j, '}');
		keep(p, arena_printf(p->arena, "stage:%s", r->name), &one);
	}
	text_add(&j, "]\n");
	keep(p, "stages", &all), keep(p, "stages.json", &j);
	keep_rules(p, g, line);
}

/* ---- asking ---------------------------------------------------------------------------------------- */

char *por_explain(por_program *p, const char *what)
{
	if (!p || !what) return NULL;
	for (uint32_t i = 0; i < p->nexplained; i++)
		if (!strcmp(p->explained[i].what, what)) return compiled_text(p, p->explained[i].text);
	static const char *const stages[] = {"rules", "rules.json", "stages", "stages.json"};
	bool asked = !strncmp(what, "stage:", 6);
	for (size_t i = 0; i < countof(stages); i++) asked |= !strcmp(what, stages[i]);
	bool timed = p->run && p->options.profile;
	if ((!strcmp(what, "profile") || !strcmp(what, "profile.json")) && !timed) {
		compiled_fail(p, POR_ERR_VALUE,
			p->run ? "explain: profile is kept by the option profile"
			       : "explain: a program of the reference tier is not profiled");
		return NULL;
	}
	bool known = false;
	char *text = asked ? NULL : explain_plan(p, what, &known);
	if (known) return text;
	compiled_fail(p, asked ? POR_ERR_VALUE : POR_ERR_NAME,
		asked ? "explain: %s is kept by the option keep_stages" : "explain: there is no %s", what);
	return NULL;
}

/* ---- Graphviz ----------------------------------------------------------------------------------------- */

static void dot_node(Text *t, por_graph *graph, const Function *f, const Region *r, uint32_t i)
{
	Graph *g = graph->ir;
	Node *x = r->node[i];
	Text label;
	text_open(&label, t->arena);
	if (x->op == OP_PARAM) {
		const char *name = f->param_name[attr_int(x, 0)];
		text_add(&label, name ? name : "x");
	} else if (x->op == OP_CONST || x->op == OP_SIZE) {
		text_add(&label, printed(graph, t->arena, f, x));
	} else if (x->op == OP_CALL || x->op == OP_SCAN) {
		const Function *h = x->op == OP_CALL ? call_function(x) : scan_body(x);
		text_printf(&label, "%s %s", op_info[x->op].text, h->name ? h->name : "");
	} else {
		text_add(&label, op_info[x->op].text);
	}
	text_char(&label, '\n');
	leaf_type_print(&label, g, f, x->type);
	text_printf(t, "\tn%u [label=", i);
	json_quote(t, text_done(&label));
	text_printf(t, "%s];\n", x->op == OP_PARAM ? ", shape=box" : "");
	for (uint32_t k = 0; k < x->narg; k++)
		text_printf(t, "\tn%u -> n%u;\n", region_place(r, x->arg[k]), i);
}

char *por_print_dot(por_function *f)
{
	ENTER_ANYWAY(f ? f->graph : NULL, NULL);
	Graph *g = f->graph->ir;
	Text t;
	text_open(&t, g->arena);
	Region *r = function_region(g, f->function);
	text_add(&t, "digraph \"");
	text_add(&t, f->signature->name ? f->signature->name : "expression");
	text_add(&t, "\" {\n\tnode [fontname=\"monospace\", shape=ellipse];\n");
	for (uint32_t i = 0; i < r->n; i++) dot_node(&t, f->graph, f->function, r, i);
	for (uint32_t i = 0; i < f->function->nresult; i++) {
		por_leaf leaf;
		por_function_output(f, (int)i, &leaf);
		text_printf(&t, "\tr%u [label=", i);
		json_quote(&t, leaf.path && *leaf.path ? leaf.path : "result");
		text_printf(&t, ", shape=box, style=bold];\n\tn%u -> r%u;\n",
			region_place(r, f->function->result[i]), i);
	}
	text_add(&t, "}\n");
	LEAVE(graph_text(f->graph, text_done(&t)));
}

char *por_print_function(por_function *f, int flags)
{
	ENTER_ANYWAY(f ? f->graph : NULL, NULL);
	Text t;
	text_open(&t, f->graph->ir->arena);
	unsigned how = (flags & POR_PRINT_NOTES ? PRINT_NOTES : 0) |
		(flags & POR_PRINT_ONE_LINE ? PRINT_ONE_LINE : 0);
	print_function(&t, f->graph->ir, f->function, f->signature, NULL, how);
	LEAVE(graph_text(f->graph, text_done(&t)));
}
