/* print_name.c - names of what is printed: the user's where they are free, numbered where not. */
#include "print_graph.h"

typedef struct Name {
	const char *text;
	bool taken;
	uint32_t count; /* how often it was wanted: the next of x, x1, x2, ... is found at once */
} Name;

typedef struct Choice { /* what free_name did */
	Name *wanted, *given;
	uint32_t count; /* of `wanted` before */
} Choice;

struct NamesOut {
	Table table;
	uint32_t n, cap;
	Choice *made;
};

static bool same_name(const void *item, const void *key)
{
	return !strcmp(((const Name *)item)->text, key);
}

static Name *find_name(const Printer *p, const char *text)
{
	return table_find(&p->names->table, hash_bytes(text, strlen(text)), text, same_name);
}

bool name_taken(const Printer *p, const char *name)
{
	const Name *own = find_name(p, name);
	return own && own->taken;
}

static Name *name_of(Printer *p, const char *text)
{
	Name *n = find_name(p, text);
	if (n) return n;
	n = NEW(p->scratch, Name);
	n->text = text;
	table_add(&p->names->table, hash_bytes(text, strlen(text)), n);
	return n;
}

/* By another one, or by what the notation itself means by it. */
static bool is_reserved(Printer *p, const char *name)
{
	static const char *const words[] = {"fn", "op", "type", "let", "do", "in", "use", "book", "if",
		"then", "else", "scan", "while", "with", "and", "or", "not", "pi", "inf", "nan", "true",
		"false", "_"};
	for (size_t i = 0; i < countof(words); i++)
		if (!strcmp(words[i], name)) return true;
	Module *prelude = module_prelude(p->g);
	const char *known = names_find(&p->g->names, name, strlen(name));
	return name_taken(p, name) || is_builtin(name) || is_derivative(name) ||
		dtype_named(name, strlen(name)) != DT_NONE || (prelude && known && module_declares(prelude, known));
}

void take_name(Printer *p, const char *name)
{
	name_of(p, name)->taken = true;
}

const char *free_name(Printer *p, const char *wanted)
{
	NamesOut *names = p->names;
	Choice c = {.wanted = name_of(p, wanted ? wanted : "v")};
	c.count = c.wanted->count;
	const char *name = wanted && !c.count ? wanted : NULL;
	while (!name || is_reserved(p, name))
		name = arena_printf(p->scratch, "%s%u", c.wanted->text, ++c.wanted->count);
	c.given = name_of(p, name);
	c.given->taken = true;
	GROW(p->scratch, names->made, names->n, names->cap);
	names->made[names->n++] = c;
	return name;
}

uint32_t names_chosen(const Printer *p)
{
	return p->names->n;
}

void undo_names(Printer *p, uint32_t chosen)
{
	NamesOut *names = p->names;
	while (names->n > chosen) {
		Choice c = names->made[--names->n];
		c.given->taken = false;
		c.wanted->count = c.count;
	}
}

NamesOut *names_new(Arena *a)
{
	NamesOut *names = NEW(a, NamesOut);
	table_open(&names->table, a);
	return names;
}
