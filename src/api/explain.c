/* explain.c - what a compile did, as text and as JSON. */
#define POR_NO_LINES
#include "compiled.h"
#include "../batch/batch.h"

#include <stdio.h>

/* ---- what only the graph knows: kept while it is compiled ------------------------------------ */

void keep_text(por_program *p, const char *what, Text *t)
{
	p->explained[p->nexplained++] = (Explained){arena_text(p->arena, what), text_done(t)};
}

static void keep_rules(por_program *p, Graph *g, const Pipeline *line)
{
	Text t, j;
	text_open(&t, p->arena);
	text_open(&j, p->arena);
	text_char(&j, '[');
	bool first = true;
	uint32_t shown = 0, all = 0;
	for (uint32_t s = 0; s < line->nstage; s++)
		for (uint32_t i = 0; i < line->stage[s].nlog; i++) {
			const Application *x = &line->stage[s].log[i];
			all++;
			if (shown == LOG_SHOWN) continue;
			shown++;
			const char *name = "";
			if (x->rule)
				name = x->rule->name;
			else if (x->what)
				name = x->what;
			const char *before = excerpt_text(g, p->arena, x->in, x->before),
				   *after = excerpt_text(g, p->arena, x->in, x->after);
			const Where *at = x->before->origin ? &x->before->origin->where : NULL;
			const char *file = at && at->file ? at->file : "", *place = "";
			if (at && at->line) place = arena_printf(p->arena, "%s:%d", file, at->line);
			text_printf(&t, "%s: %s: %s  =>  %s%s%s\n", line->stage[s].name, name, before, after,
				*place ? "   # " : "", place);
			text_add(&j, first ? "{\"stage\":" : ",\n{\"stage\":");
			json_quote(&j, line->stage[s].name);
			text_add(&j, ",\"rule\":");
			json_quote(&j, name);
			text_add(&j, ",\"before\":");
			json_quote(&j, before);
			text_add(&j, ",\"after\":");
			json_quote(&j, after);
			text_add(&j, ",\"place\":");
			json_quote(&j, place);
			text_char(&j, '}');
			first = false;
		}
	if (all > shown) {
		text_printf(&t, "... and %u more\n", all - shown);
		text_printf(&j, ",\n{\"more\":%u}", all - shown);
	}
	text_add(&j, "]\n");
	keep_text(p, "rules", &t);
	keep_text(p, "rules.json", &j);
}

/* ---- loops that batching made, and that are loops in the end ---------------------------------- */

typedef struct Loops {
	Graph *g;
	Arena *a;
	IdMap seen;
	Function **f;
	uint32_t n, cap;
	Text *text;
} Loops;

static void loops_add(Loops *l, Function *f)
{
	if (idmap_get(&l->seen, f->id)) return;
	idmap_put(&l->seen, f->id, f);
	GROW(l->a, l->f, l->n, l->cap);
	l->f[l->n++] = f;
}

static const Where *line_of(const Node *x)
{
	return x->origin && x->origin->where.line ? &x->origin->where : NULL;
}

/* A line of the loop, else of what is in it, however deep. */
static const Where *line_of_loop(Graph *g, const Node *x, Function *body)
{
	const Where *at = line_of(x);
	while (!at && body) {
		const Region *r = function_region(g, body);
		Function *inner = NULL;
		for (uint32_t i = 0; i < r->n && !at; i++) {
			Body b[BODIES_MAX];
			at = line_of(r->node[i]);
			if (node_bodies(r->node[i], b)) inner = b->f;
		}
		body = inner;
	}
	return at;
}

static void tell_loop(Loops *l, const Node *x, Function *body)
{
	const char *why = why_lane_by_lane(body);
	const Where *at = why ? line_of_loop(l->g, x, body) : NULL;
	if (at) text_printf(l->text, "%s:%d: ", at->file ? at->file : "", at->line);
	if (why) text_printf(l->text, "a loop over the elements: %s\n", why);
}

/* Each function within is looked through once. */
static void tell_loops(Graph *g, Arena *arena, Function *f, Text *text)
{
	Loops l = {.g = g, .a = arena_child(arena), .text = text};
	idmap_open(&l.seen, l.a);
	loops_add(&l, f);
	for (uint32_t k = 0; k < l.n; k++) {
		const Region *r = function_region(g, l.f[k]);
		for (uint32_t i = 0; i < r->n; i++) {
			Body b[BODIES_MAX];
			uint32_t n = node_bodies(r->node[i], b);
			for (uint32_t j = 0; j < n; j++) {
				tell_loop(&l, r->node[i], b[j].f);
				loops_add(&l, b[j].f);
			}
		}
	}
	arena_free(l.a);
}

void keep_explained(por_program *p, Graph *g, const Pipeline *line)
{
	p->explained = NEW_ARRAY(p->arena, Explained, 6 + line->nstage);
	Text all, j;
	text_open(&all, p->arena);
	text_open(&j, p->arena);
	text_char(&j, '[');
	for (uint32_t s = 0; s < line->nstage; s++) {
		const StageReport *r = &line->stage[s];
		const char *text = r->text ? r->text
					   : arena_printf(p->arena, "# after %s: %u %s, %.2f ms\n", r->name,
					r->count,
						     r->of, r->milliseconds);
		text_printf(&all, s ? "\n%s" : "%s", text);
		text_add(&j, s ? ",\n{\"stage\":" : "{\"stage\":");
		json_quote(&j, r->name);
		long long us = (long long)(r->milliseconds * 1e3); /* %f has the locale's point */
		text_printf(&j, ",\"%s\":%u,\"applied\":%llu,\"milliseconds\":%lld.%03lld,\"text\":", r->of,
			r->count, (unsigned long long)r->fired, us / 1000, us % 1000);
		json_quote(&j, text);
		text_char(&j, '}');
		if (!r->text) continue;
		p->explained[p->nexplained++] =
			(Explained){arena_printf(p->arena, "stage:%s", r->name), r->text};
	}
	text_add(&j, "]\n");
	keep_text(p, "stages", &all);
	keep_text(p, "stages.json", &j);
	Text calls;
	text_open(&calls, p->arena);
	text_add(&calls, line->signature->said ? line->signature->said : "");
	tell_loops(g, p->arena, line->function, &calls);
	keep_text(p, "calls", &calls);
	keep_rules(p, g, line);
	if (line->graphs) keep_graphs(p, g, line);
}

/* ---- asking ---------------------------------------------------------------------------------------- */

/* {"what": "plan", "text": ...}: of what has no JSON of its own. */
static char *text_as_json(por_program *p, const char *what)
{
	char base[64];
	size_t n = strlen(what) - strlen(".json");
	if (n >= sizeof base) return NULL;
	memcpy(base, what, n);
	base[n] = 0;
	char *text = por_explain(p, base), *out = NULL;
	Arena *a = text ? arena_new(&p->context->allocator) : NULL;
	Trap trap;
	if (a && !TRAP(&trap)) {
		Text t;
		arena_arm(a, &trap);
		text_open(&t, a);
		text_add(&t, "{\"what\":");
		json_quote(&t, base);
		text_add(&t, ",\"text\":");
		json_quote(&t, text);
		text_add(&t, "}\n");
		out = compiled_text(p, text_done(&t));
	} else if (text) {
		compiled_fail(p, POR_ERR_MEMORY, "out of memory");
	}
	arena_free(a);
	por_text_free(text);
	return out;
}

char *por_explain(por_program *p, const char *what)
{
	if (!p || !what) return NULL;
	for (uint32_t i = 0; i < p->nexplained; i++)
		if (!strcmp(p->explained[i].what, what)) return compiled_text(p, p->explained[i].text);
	static const char *const stages[] = {"rules", "rules.json", "stages", "stages.json", "graphs.json", "calls", "calls.json"};
	bool stage = !strncmp(what, "stage:", 6), asked = stage;
	for (size_t i = 0; i < countof(stages); i++) asked |= !strcmp(what, stages[i]);
	bool timed = p->run && p->options.profile;
	if ((!strcmp(what, "profile") || !strcmp(what, "profile.json")) && !timed) {
		compiled_fail(p, POR_ERR_VALUE,
			p->run ? "explain: profile is kept by the option profile"
			       : "explain: a program of the reference tier is not profiled");
		return NULL;
	}
	size_t length = strlen(what);
	bool json = length > 5 && !strcmp(what + length - 5, ".json");
	static const char *const own_json[] = {"rules.json", "stages.json", "graphs.json", "arrays.json", "profile.json"};
	bool own = false;
	for (size_t i = 0; i < countof(own_json); i++) own |= !strcmp(what, own_json[i]);
	if (json && !own) return text_as_json(p, what);
	bool known = false;
	char *text = asked && !stage ? NULL : explain_plan(p, what, &known);
	if (known) return text;
	compiled_fail(p, asked ? POR_ERR_VALUE : POR_ERR_NAME,
		asked ? "explain: %s is kept by the option keep_stages"
		      : "explain: there is no %s; there are calls, rules, stages, stage:NAME, kernels, plan, memory, c, profile, log",
		what);
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
