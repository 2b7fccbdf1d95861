/* uses.c - files that a file uses: each is read once, by a loader, and opened before what uses it.
 *
 * The walk is a stack of files that are being read, so that a file met again
 * while it stands there is a cycle.  A module's name is one in a graph: ops
 * are called by it.
 */
#include "elaborator.h"

/* A file that is being read, and the next of its declarations to be looked at. */
typedef struct Open {
	Module *module;
	uint32_t next;
} Open;
typedef struct UsesWalk {
	Graph *g;
	SourceLoading *loading;
	Open *open;
	uint32_t nopen, open_cap;
} UsesWalk;

static void push(UsesWalk *w, Module *m, uint32_t first)
{
	GROW(w->g->arena, w->open, w->nopen, w->open_cap);
	w->open[w->nopen++] = (Open){m, first};
}

static bool refuse_cycle(UsesWalk *w, const char *name, uint32_t from, const char *file)
{
	Text t;
	text_open(&t, w->g->arena);
	for (uint32_t i = from; i < w->nopen; i++) text_printf(&t, "%s uses ", w->open[i].module->file);
	return graph_fail(
		w->g, ERR_NAME, "use %s: files use each other in a circle: %s%s", name, text_done(&t), file);
}

/* What the loader has for the name; false with an error at the `use`. */
static bool ask(UsesWalk *w, Source *s)
{
	Graph *g = w->g;
	SourceLoading *l = w->loading;
	int code = l->load ? l->load(l->user, s) : ERR_NAME;
	if (code <= 0 || code > ERR_CANCELLED) code = code || !s->text ? ERR_FILE : 0;
	if (!code) return true;
	const char *file = s->file && *s->file ? s->file : NULL, *why = s->why ? s->why : "cannot be read";
	if (file)
		return graph_fail(g, code, "use %s: the library has no such module, and %s %s", s->name,
			file, why);
	if (s->why) return graph_fail(g, code, "use %s: %s", s->name, why);
	return graph_fail(g, code, "use %s: there is no such module", s->name);
}

/* One `use`: a file that is new is put on the stack. */
static bool use(UsesWalk *w, const Syntax *path)
{
	Graph *g = w->g;
	g->where = path->where;
	if (path->kind != SYN_NAME)
		return graph_fail(
			g, ERR_NAME, "use takes one plain name, here are several with points between");
	if (module_is_embedded(path->name)) return true;
	Source s = {.name = path->name, .from = path->where.file ? path->where.file : ""};
	watch_step(g->arena, g->watch, UINT32_MAX); /* loaders may take long */
	if (!ask(w, &s)) return false;
	const char *file = s.file && *s.file ? s.file : s.name;
	Module *known = module_named(library_of(g), s.name);
	for (uint32_t i = 0; i < w->loading->nread; i++)
		if (w->loading->read[i]->name == s.name) known = w->loading->read[i];
	for (uint32_t i = 0; i < w->nopen; i++) {
		Module *m = w->open[i].module;
		if (m->file && !strcmp(m->file, file)) return refuse_cycle(w, s.name, i, file);
		if (m->name == s.name) known = m;
	}
	if (known)
		return !strcmp(known->file, file) ||
			graph_fail(g, ERR_NAME, "use %s: here that is %s, elsewhere it is %s", s.name, file,
				known->file);
	Module *m = module_of_text(g, s.name, names_get(&g->names, file, strlen(file)), s.text, s.n);
	if (m) push(w, m, 0);
	return m;
}

bool module_uses(Graph *g, Module *m, uint32_t first, SourceLoading *l)
{
	UsesWalk w = {.g = g, .loading = l};
	push(&w, m, first);
	while (w.nopen) {
		Open *top = &w.open[w.nopen - 1];
		if (top->module->syntax && top->next < top->module->syntax->count) {
			const Syntax *s = top->module->syntax->part[top->next++];
			if (s->kind == SYN_USE && !use(&w, s->part[0])) return false;
			continue;
		}
		if (--w.nopen) { /* the first is the one that was asked about */
			GROW(g->arena, l->read, l->nread, l->read_cap);
			l->read[l->nread++] = top->module;
		}
	}
	for (uint32_t i = 0; i < l->nread; i++) module_publish(library_of(g), l->read[i]);
	return true;
}
