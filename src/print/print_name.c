/* print_name.c - names of what is printed: the user's where they are free, numbered where not. */
#include "print_graph.h"

typedef struct PrintedName {
	const char *text;
	bool taken;
	uint32_t count; /* how often it was wanted: the next of x, x1, x2, ... is found at once */
} PrintedName;

typedef struct NameChoice { /* what free_name did */
	PrintedName *wanted, *given;
	uint32_t count; /* of `wanted` before */
} NameChoice;

struct NamesOut {
	Table table;
	uint32_t n, cap;
	NameChoice *made;
};

static bool same_name(const void *item, const void *key)
{
	return !strcmp(((const PrintedName *)item)->text, key);
}

static PrintedName *find_name(const GraphPrinter *p, const char *text)
{
	return table_find(&p->names->table, hash_bytes(text, strlen(text)), text, same_name);
}

bool name_taken(const GraphPrinter *p, const char *name)
{
	const PrintedName *own = find_name(p, name);
	return own && own->taken;
}

static PrintedName *name_of(GraphPrinter *p, const char *text)
{
	PrintedName *n = find_name(p, text);
	if (n) return n;
	n = NEW(p->scratch, PrintedName);
	n->text = text;
	table_add(&p->names->table, hash_bytes(text, strlen(text)), n);
	return n;
}

/* By another one, or by what the notation itself means by it. */
static bool is_reserved(GraphPrinter *p, const char *name)
{
	static const char *const words[] = {"fn", "op", "type", "let", "do", "in", "use", "book", "if",
		"then", "else", "scan", "while", "with", "and", "or", "not", "pi", "inf", "nan", "true",
		"false", "_"};
	for (size_t i = 0; i < countof(words); i++)
		if (!strcmp(words[i], name)) return true;
	Module *prelude = module_prelude(p->g);
	const char *known = names_find(&p->g->names, name, strlen(name));
	return name_taken(p, name) || is_builtin(name) || is_derivative(name) ||
		dtype_named(name, strlen(name)) != DT_NONE ||
		(prelude && known && module_declares(prelude, known));
}

void take_name(GraphPrinter *p, const char *name)
{
	name_of(p, name)->taken = true;
}

const char *own_name(const char *name)
{
	return name && !strchr(name, '(') ? name : NULL;
}

const char *free_name(GraphPrinter *p, const char *wanted)
{
	NamesOut *names = p->names;
	NameChoice c = {.wanted = name_of(p, wanted ? wanted : "v")};
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

uint32_t names_chosen(const GraphPrinter *p)
{
	return p->names->n;
}

void undo_names(GraphPrinter *p, uint32_t chosen)
{
	NamesOut *names = p->names;
	while (names->n > chosen) {
		NameChoice c = names->made[--names->n];
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
