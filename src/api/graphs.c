/* graphs.c - the graphs that the stages left, as JSON, with the rules that were applied and where.
 *
 *     {"graphs": as print_json.c has them,
 *      "stages": [[name, function], ...],             those that leave a function
 *      "rules": {"mul_one": [text, place], ...},      those that were applied
 *      "steps": [[stage, rule, place, before, after, function, place, function, place, of], ...]}
 *
 * Of the applications of rules before and after are texts; then follows where what was there stands in the
 * graph of the stage before, and what came in that of this one; -1: it was there for a moment only.  `of` is
 * the function whose parameters the texts name, x1 where they have no name; -1: none that stands here.
 */
#define POR_NO_LINES
#include "compiled.h"

/* "algebra:35"; NULL, or no line: "" */
static void write_place(Text *t, const Where *w)
{
	const char *file = w && w->file ? w->file : "";
	json_quote(t, w && w->line ? arena_printf(t->arena, "%s:%d", file, w->line) : "");
}

static void write_rules(Text *t, const Pipeline *line)
{
	NameMap known;
	Names names;
	bool first = true;
	names_open(&names, t->arena);
	namemap_open(&known, t->arena);
	for (uint32_t s = 0; s < line->nstage; s++)
		for (uint32_t i = 0; i < line->stage[s].nlog; i++) {
			const Rule *r = line->stage[s].log[i].rule;
			const char *name = r ? names_get(&names, r->name, strlen(r->name)) : NULL;
			if (!r || namemap_get(&known, name)) continue;
			namemap_put(&known, name, (void *)(uintptr_t)1);
			text_add(t, first ? "" : ",\n");
			first = false;
			json_quote(t, name);
			text_add(t, ":[");
			json_quote(t, rule_text(t->arena, r));
			text_char(t, ',');
			write_place(t, &r->where);
			text_char(t, ']');
		}
}

static void write_found(Text *t, const JsonGraphs *j, uint32_t function, const Node *x)
{
	uint32_t at[2];
	if (json_graphs_find(j, function, x, at))
		text_printf(t, "%u,%u", at[0], at[1]);
	else
		text_add(t, "-1,-1");
}

static void write_step(Text *t, Graph *g, const Pipeline *line, uint32_t s, const Application *x)
{
	const Where *at = x->before->origin ? &x->before->origin->where : NULL;
	const char *name = x->what ? x->what : "";
	if (x->rule) name = x->rule->name;
	text_printf(t, "[%u,", s);
	json_quote(t, name);
	text_char(t, ',');
	write_place(t, at);
	text_char(t, ',');
	json_quote(t, excerpt_line(g, t->arena, x->in, x->before));
	text_char(t, ',');
	json_quote(t, excerpt_line(g, t->arena, x->in, x->after));
	text_char(t, ',');
	write_found(t, line->graphs, line->stage[s ? s - 1 : 0].function, x->before);
	text_char(t, ',');
	write_found(t, line->graphs, line->stage[s].function, x->after);
	text_printf(t, ",%lld]", (long long)json_graphs_number(line->graphs, x->in));
}

void keep_graphs(por_program *p, Graph *g, const Pipeline *line)
{
	Text t;
	uint32_t shown = 0;
	text_open(&t, p->arena);
	text_add(&t, "{\"graphs\":");
	json_graphs_write(&t, line->graphs);
	text_add(&t, ",\n\"stages\":[");
	for (uint32_t s = 0; s < line->nstage && line->stage[s].leaves; s++)
		text_printf(&t, s ? ",[\"%s\",%u]" : "[\"%s\",%u]", line->stage[s].name, line->stage[s].function);
	text_add(&t, "],\n\"rules\":{");
	write_rules(&t, line);
	text_add(&t, "},\n\"steps\":[");
	for (uint32_t s = 0; s < line->nstage; s++)
		for (uint32_t i = 0; i < line->stage[s].nlog && shown < LOG_SHOWN; i++, shown++) {
			text_add(&t, shown ? ",\n" : "");
			write_step(&t, g, line, s, &line->stage[s].log[i]);
		}
	text_add(&t, "]}\n");
	keep_text(p, "graphs.json", &t);
}
