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

enum { LOG_SHOWN = 2000 };

static void keep(por_program *p, const char *what, Text *t)
{
	p->explained[p->nexplained++] = (Explained){arena_text(p->arena, what), text_done(t)};
}

static void keep_rules(por_program *p, por_graph *g, const Pipeline *line)
{
	Text t, j;
	text_open(&t, p->arena), text_open(&j, p->arena);
	text_char(&j, '[');
	bool first = true;
	uint32_t shown = 0, all = 0;
	for (uint32_t s = 0; s < line->nstage; s++)
		for (uint32_t i = 0; i < line->stage[s].nlog; i++) {
			const Application *x = &line->stage[s].log[i];
			all++;
			if (shown == LOG_SHOWN) continue;
			shown++;
			const char *name = x->rule ? x->rule->name : x->what ? x->what : "";
			const char *before = excerpt_text(g, p->arena, x->in, x->before),
				   *after = excerpt_text(g, p->arena, x->in, x->after);
			text_printf(&t, "%s: %s: %s  =>  %s\n", line->stage[s].name, name, before, after);
			text_add(&j, first ? "{\"stage\":" : ",\n{\"stage\":");
			json_quote(&j, line->stage[s].name);
			text_add(&j, ",\"rule\":"), json_quote(&j, name);
			text_add(&j, ",\"before\":"), json_quote(&j, before);
			text_add(&j, ",\"after\":"), json_quote(&j, after);
			text_char(&j, '}');
			first = false;
		}
	if (all > shown) {
		text_printf(&t, "... and %u more\n", all - shown);
		text_printf(&j, ",\n{\"more\":%u}", all - shown);
	}
	text_add(&j, "]\n");
	keep(p, "rules", &t), keep(p, "rules.json", &j);
}

void keep_explained(por_program *p, const por_function *f, const Pipeline *line)
{
	por_graph *g = f->graph;
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
		print_function(&one, g->ir, r->function, f->signature, heading, PRINT_NOTES);
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
