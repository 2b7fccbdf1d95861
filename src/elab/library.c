/* library.c - modules: files of the user's and the embedded library, and their declarations. */
#include "elaborator.h"

#include <stdio.h>

static bool decl_same(const void *item, const void *key)
{
	return ((const Decl *)item)->name == key;
}

static uint32_t pointer_hash(const char *name)
{
	return hash_mix(2, (uint64_t)(uintptr_t)name);
}

static Decl *decl_add(Module *m, const Syntax *s, const char *name)
{
	Decl *d = NEW(m->decls.arena, Decl);
	*d = (Decl){.name = name, .syntax = s};
	table_add(&m->decls, pointer_hash(name), d);
	return d;
}

Decl *module_decl(Module *m, const char *name)
{
	Decl *d = table_find(&m->decls, pointer_hash(name), name, decl_same);
	const Decl *of = NULL;
	for (const Module *base = m->base; base && !d && !of; base = base->base)
		of = table_find(&base->decls, pointer_hash(name), name, decl_same);
	return of ? decl_add(m, of->syntax, name) : d;
}

bool module_declares(Module *m, const char *interned)
{
	return module_decl(m, interned) != NULL;
}

static bool text_same(const void *item, const void *key)
{
	return !strcmp(((const Module *)item)->name, key);
}

/* ---- declarations -------------------------------------------------------------------- */

static bool declare(Graph *g, Module *m, const Syntax *s, const char *name)
{
	if (module_decl(m, name)) {
		g->where = s->where;
		return graph_fail(g, ERR_NAME, "%s is declared twice", name);
	}
	decl_add(m, s, name);
	return true;
}

/* Each name of a let's pattern. */
static bool declare_pattern(Graph *g, Module *m, const Syntax *s, const Syntax *p)
{
	if (p->kind == SYN_NAME) return declare(g, m, s, p->name);
	for (uint32_t i = 0; i < p->count; i++)
		if (!declare_pattern(g, m, s, p->kind == SYN_CURLY ? p->part[i]->part[0] : p->part[i]))
			return false;
	return true;
}

static bool declare_all(Graph *g, Module *m, const Syntax *file)
{
	for (uint32_t i = 0; i < file->count; i++) {
		const Syntax *s = file->part[i];
		bool good = true;
		switch (s->kind) {
		case SYN_FN:
		case SYN_OP:
		case SYN_TYPE: good = declare(g, m, s, s->name); break;
		case SYN_BIND: good = declare_pattern(g, m, s, s->part[0]); break;
		case SYN_USE: {
			const Syntax *path =
				s->part[0]; /* the last name of a path is what it is called here */
			good = declare(g, m, s, path->name);
			break;
		}
		default: break; /* books are read by the rewriter */
		}
		if (!good) return false;
	}
	return true;
}

static Module *module_open(Graph *g, const char *name, const char *file, bool library)
{
	Module *m = NEW(g->arena, Module);
	m->name = name;
	m->file = file;
	m->library = library;
	table_open(&m->decls, g->arena);
	m->scope = NEW(g->arena, Scope);
	m->scope->module = m;
	table_open(&m->scope->entries, g->arena);
	return m;
}

/* The prelude's bodies are trees, once for a context, since every program asks for some; of the library's
 * other modules most programs use no function at all. */
static Syntax *read_text(Graph *g, const Module *m, const char *file, const char *text, size_t n)
{
	if (!m->library) return parse_module(g->arena, &g->names, file, text, n, &g->error);
	if (!strcmp(m->name, "prelude")) return parse_file(g->arena, &g->names, file, text, n, &g->error);
	return parse_laid_out(g->arena, &g->names, file, text, n, &g->error);
}

/* What is declared in a module that goes on from one of another graph is its own alone. */
static void own_syntax(Graph *g, Module *m)
{
	if (!m->base || m->syntax != m->base->syntax) return;
	const Syntax *shared = m->syntax;
	Syntax *own = syntax_new(g->arena, (SyntaxKind)shared->kind, shared->where, 0);
	for (uint32_t i = 0; i < shared->count; i++) syntax_add(g->arena, own, shared->part[i]);
	m->syntax = own;
}

static bool module_read(Graph *g, Module *m, const char *file, const char *text, size_t n)
{
	Syntax *s = g->error.code ? NULL : read_text(g, m, file, text, n);
	if (!s || !declare_all(g, m, s)) return false;
	if (!m->syntax)
		m->syntax = s;
	own_syntax(g, m);
	for (uint32_t i = 0; m->syntax != s && i < s->count; i++) syntax_add(g->arena, m->syntax, s->part[i]);
	return true;
}

/* ---- of the graph that this one goes on from ------------------------------------------------ */

/* The module of g that goes on from that one: its declarations, and values of its own. */
static Module *module_on(Graph *g, const Module *base)
{
	Module *m = module_open(g, base->name, base->file, base->library);
	m->base = base;
	m->syntax = base->syntax;
	return m;
}

static const Module *base_module(const Graph *g, const char *name)
{
	const Module *m = NULL;
	for (const Graph *base = g->base; base && !m; base = base->base)
		m = base->library ? module_named(base->library, name) : NULL;
	return m;
}

Module *user_module(Graph *g, uint32_t i)
{
	Library *lib = library_of(g);
	const Module *base = NULL;
	for (const Graph *at = g->below; at && !lib->user[i] && !base; at = at->below)
		base = at->library ? ((const Library *)at->library)->user[i] : NULL;
	if (base) lib->user[i] = base->name ? module_library(g, base->name) : module_on(g, base);
	return lib->user[i];
}

Module *module_above(Graph *g, const Module *m)
{
	library_of(g);
	for (const Graph *at = g->below; at; at = at->below) {
		const Library *lib = at->library;
		for (uint32_t i = lib ? lib->nuser : 0; i-- > 0;)
			if (lib->user[i] == m) return user_module(g, i);
	}
	/* one of the library has its place by its name: what is found of it on this graph goes with it */
	return m && m->library ? module_library(g, m->name) : (Module *)(uintptr_t)m;
}

/* ---- the library ------------------------------------------------------------------------- */

Library *library_of(Graph *g)
{
	Library *lib = g->library;
	if (lib) return lib;
	g->library = lib = NEW(g->arena, Library);
	g->apply_op = op_apply_named;
	table_open(&lib->modules, g->arena);
	table_open(&lib->instances, g->arena);
	table_open(&lib->told, g->arena);
	table_open(&lib->syntaxes, g->arena);
	table_open(&lib->ops, g->arena);
	table_open(&lib->operators, g->arena);
	table_open(&lib->bodies, g->arena);
	const Graph *below = g->below;
	while (below && !below->library) below = below->below;
	if (below) {
		lib->nuser = lib->user_cap = ((const Library *)below->library)->nuser;
		lib->user = NEW_ARRAY(g->arena, Module *, lib->nuser);
	}
	for (const EmbeddedText *t = embedded_lib; t->name && !lib->prelude; t++)
		if (!strcmp(t->name, "prelude")) lib->prelude = module_library(g, "prelude");
	return lib;
}

static uint32_t text_hash(const char *name)
{
	return hash_bytes(name, strlen(name));
}

static const EmbeddedText *embedded(const char *name)
{
	const EmbeddedText *t = embedded_lib;
	while (t->name && strcmp(t->name, name)) t++;
	return t->name ? t : NULL;
}

bool module_is_embedded(const char *name)
{
	return embedded(name) != NULL;
}

const char *embedded_module(uint32_t i)
{
	const EmbeddedText *t = embedded_lib;
	while (t->name && i--) t++;
	return t->name;
}

bool library_read(Graph *g)
{
	for (const EmbeddedText *t = embedded_lib; t->name; t++)
		if (!module_library(g, t->name)) return false;
	return true;
}

Module *module_named(const Library *lib, const char *name)
{
	return table_find(&lib->modules, text_hash(name), name, text_same);
}

void module_publish(Library *lib, Module *m)
{
	table_add(&lib->modules, text_hash(m->name), m);
}

static const char *library_modules(Graph *g)
{
	Text t;
	text_open(&t, g->arena);
	const char *name;
	for (uint32_t i = 0; (name = embedded_module(i)); i++)
		if (strcmp(name, "prelude") != 0) text_printf(&t, "%s%s", t.n ? ", " : "", name);
	return text_done(&t);
}

Module *module_library(Graph *g, const char *name)
{
	Library *lib = library_of(g);
	Module *m = module_named(lib, name);
	if (m) return m;
	const Module *base = base_module(g, name);
	const EmbeddedText *t = base ? NULL : embedded(name);
	if (base) {
		m = module_on(g, base);
	} else if (t) {
		m = module_open(g, names_get(&g->names, name, strlen(name)),
			arena_printf(g->arena, "lib/%s.por", name), true);
		if (!module_read(g, m, m->file, t->text, strlen(t->text))) return NULL;
	} else {
		return graph_fail(g, ERR_NAME, "use %s: there is no such module; the library has %s", name, library_modules(g));
	}
	module_publish(lib, m);
	return m;
}

Module *module_prelude(Graph *g)
{
	return library_of(g)->prelude;
}

Module *module_of_text(Graph *g, const char *name, const char *file, const char *text, size_t n)
{
	Library *lib = library_of(g);
	Module *m = module_open(g, name, file, false);
	if (!module_read(g, m, file, text, n)) return NULL;
	GROW(g->arena, lib->user, lib->nuser, lib->user_cap);
	lib->user[lib->nuser++] = m;
	return m;
}

Module *module_load(Graph *g, const char *file, const char *text, size_t n)
{
	return module_of_text(g, NULL, file, text, n);
}

Module *module_of_file(Graph *g, const char *file)
{
	Library *lib = library_of(g);
	for (uint32_t i = lib->nuser; file && i-- > 0;)
		if (user_module(g, i)->file && !strcmp(lib->user[i]->file, file)) return lib->user[i];
	return NULL;
}

const Syntax *module_declaration(Graph *g, const char *name)
{
	const Library *lib = library_of(g);
	const Syntax *s = NULL;
	for (uint32_t i = lib->nuser; i-- > 0 && !s;) s = module_find(user_module(g, i), name);
	return s ? s : module_find(lib->prelude, name);
}

Module *module_empty(Graph *g)
{
	return module_load(g, NULL, "", 0);
}

bool module_add(Graph *g, Module *m, const char *file, const char *text, size_t n)
{
	return m && module_read(g, m, file, text, n);
}

const Syntax *module_syntax(const Module *m)
{
	return m ? m->syntax : NULL;
}
const char *module_file(const Module *m)
{
	return m ? m->file : NULL;
}

const Syntax *module_find(const Module *m, const char *name)
{
	for (uint32_t i = 0; m && m->syntax && i < m->syntax->count; i++) {
		const Syntax *s = m->syntax->part[i];
		bool named = s->kind == SYN_FN || s->kind == SYN_OP || s->kind == SYN_TYPE;
		if (named && !strcmp(s->name, name)) return s;
		if (s->kind == SYN_BIND && s->part[0]->kind == SYN_NAME && !strcmp(s->part[0]->name, name))
			return s;
	}
	return NULL;
}

typedef struct ReadBody {
	const Syntax *later;
	Syntax *body;
} ReadBody;

static bool body_same(const void *item, const void *key)
{
	return ((const ReadBody *)item)->later == key;
}

const Syntax *definition_body(Graph *g, const Syntax *definition)
{
	const Syntax *s = definition->part[definition->count - 1];
	if (s->kind != SYN_LATER) return s;
	Library *lib = library_of(g);
	uint32_t h = hash_mix(4, (uint64_t)(uintptr_t)s);
	ReadBody *x = table_find(&lib->bodies, h, s, body_same);
	if (!x) {
		x = NEW(g->arena, ReadBody);
		*x = (ReadBody){s, syntax_take_later(g->arena, &g->names, s)};
		table_add(&lib->bodies, h, x);
	}
	return x->body;
}

/* The first names that a file gives to functions, operators and values: "a, b and others". */
static const char *module_names(const Module *m, char *to, size_t room)
{
	size_t n = 0;
	for (uint32_t i = 0; m->syntax && i < m->syntax->count; i++) {
		const Syntax *s = m->syntax->part[i];
		bool single = s->kind == SYN_BIND && s->part[0]->kind == SYN_NAME;
		if (s->kind != SYN_FN && s->kind != SYN_OP && !single) continue;
		const char *name = single ? s->part[0]->name : s->name;
		if (n + strlen(name) + sizeof ", and others" > room) {
			snprintf(to + n, room - n, " and others");
			return to;
		}
		n += (size_t)snprintf(to + n, room - n, "%s%s", n ? ", " : "", name);
	}
	return n ? to : "no function";
}

Binding *module_value(Graph *g, Module *m, const char *name)
{
	Elab e = {.g = g, .lib = library_of(g), .pure = {"what a file declares with let", NULL}};
	char names[160];
	const char *interned = names_get(&g->names, name, strlen(name));
	const Where where = {m->file, 0, 0};
	Syntax *s = syntax_name(g->arena, where, interned);
	if (m->file && *m->file && !module_decl(m, interned))
		return fail(&g->error, ERR_NAME, where, "there is no %s; it has %s", name,
			module_names(m, names, sizeof names));
	return module_member(&e, m, s, interned);
}
