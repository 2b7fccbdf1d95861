/* declared.c - the parameters of a function as its file declares them, without elaborating it. */
#define POR_NO_LINES
#include "api.h"

/* The module that declares what stands at *path: m, or one that it uses, whose name goes from the path. */
static const Module *module_of(const por_module *m, const char **path)
{
	size_t n = strcspn(*path, ".");
	const Syntax *s = NULL;
	for (int i = 0; (*path)[n] && (s = declaration_at(m, i)); i++) {
		if (s->kind != SYN_USE || strlen(s->part[0]->name) != n || memcmp(s->part[0]->name, *path, n))
			continue;
		Graph *ir = m->graph->ir;
		Binding *b = module_value(ir, module_above(ir, m->module), s->part[0]->name);
		if (b && b->kind == B_MODULE) *path += n + 1;
		return b && b->kind == B_MODULE ? b->module : m->module;
	}
	return m->module;
}

static const Syntax *field_of(const Syntax *record, const char *name, size_t n)
{
	for (uint32_t i = 0; record && record->kind == SYN_CURLY && i < record->count; i++)
		if (strlen(record->part[i]->name) == n && !memcmp(record->part[i]->name, name, n))
			return record->part[i]->part[0];
	return NULL;
}

/* What stands behind names, lets and fields of records. */
static const Syntax *resolved(const Module *in, const Syntax *s, int depth)
{
	for (; s && depth < 100; depth++) switch (s->kind) {
		case SYN_BIND: s = s->part[2]; break;
		case SYN_NAME: s = module_find(in, s->name); break;
		case SYN_FIELD:
			s = field_of(resolved(in, s->part[0], depth + 1), s->name, strlen(s->name));
			break;
		default: return s;
		}
	return NULL;
}

/* FN, OP or LAMBDA that a name stands for, without elaborating what a let holds: train.minimise is a field
 * whose value names a definition or is a lambda. */
static const Syntax *definition_of(const por_module *m, const char *path)
{
	char name[200];
	const Module *in = module_of(m, &path);
	size_t n = strcspn(path, ".");
	if (n >= sizeof name) return NULL;
	memcpy(name, path, n);
	name[n] = 0;
	const Syntax *s = resolved(in, module_find(in, name), 0);
	for (path += n; s && *path == '.'; path += n) {
		n = strcspn(++path, ".");
		s = resolved(in, field_of(s, path, n), 0);
	}
	return s && (s->kind == SYN_FN || s->kind == SYN_OP || s->kind == SYN_LAMBDA) ? s : NULL;
}

/* Parameter i, bracket parameters first; NULL past the end. */
static const Syntax *declared_param(const Syntax *s, int i, bool *bracket)
{
	const Syntax *brackets = s->kind == SYN_LAMBDA ? NULL : s->part[0];
	int n = brackets ? (int)brackets->count : 0;
	*bracket = i < n;
	if (i < n) return brackets->part[i];
	const Syntax *params = s->kind == SYN_LAMBDA ? s : s->part[1];
	int count = (int)params->count - (s->kind == SYN_LAMBDA);
	return i - n < count ? params->part[i - n] : NULL;
}

int por_declared_params(por_module *m, const char *name)
{
	const Syntax *s = m && name ? definition_of(m, name) : NULL;
	if (!s) return -1;
	bool lambda = s->kind == SYN_LAMBDA;
	const Syntax *brackets = lambda ? NULL : s->part[0], *params = lambda ? s : s->part[1];
	return (int)((brackets ? brackets->count : 0) + params->count - lambda);
}

static const char *kept_text(Graph *g, Text *t, const Syntax *s)
{
	if (!s) return "";
	t->n = 0;
	print_syntax(t, s);
	text_done(t);
	return names_get(&g->names, t->s, t->n);
}

int por_declared_param(por_module *m, const char *name, int i, por_param *out)
{
	bool bracket = false;
	const Syntax *s = m && name ? definition_of(m, name) : NULL,
		     *p = s && i >= 0 ? declared_param(s, i, &bracket) : NULL;
	if (!p || !out) return POR_ERR_VALUE;
	*out = (por_param){.name = "", .bracket = bracket, .type = "", .fallback = "", .fact = ""};
	ENTER_ANYWAY(m->graph, POR_ERR_MEMORY);
	Graph *g = m->graph->ir;
	if (p->kind == SYN_RUN) {
		out->name = p->name ? p->name : "";
		out->run = 1;
	} else {
		Arena *scratch = arena_child(g->arena);
		Text t;
		text_open(&t, scratch);
		out->name = kept_text(g, &t, p->part[0]);
		out->type = kept_text(g, &t, p->part[1]);
		out->fallback = kept_text(g, &t, p->part[2]);
		out->fact = kept_text(g, &t, p->part[3]);
		arena_free(scratch);
	}
	LEAVE(POR_OK);
}
