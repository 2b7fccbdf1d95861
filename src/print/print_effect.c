/* print_effect.c - effects in the notation: steps that begin with do. */
#include "print_graph.h"

/* The indices of the loops around, from the outermost; how many there are. */
static uint32_t add_indices(const GraphPrinter *p, Text *t)
{
	uint32_t n = p->outer ? add_indices(p->outer, t) : 0;
	if (!p->index) return n;
	text_printf(t, "%s%s", n ? ", " : "", p->index);
	return n + 1;
}

/* [i, j] where the passes that it tells are others than those of the loops around. */
static const char *passes_text(GraphPrinter *p, const Node *x, uint32_t n)
{
	Text around, own;
	text_open(&around, p->scratch);
	text_open(&own, p->scratch);
	for (uint32_t i = 0; i < n; i++)
		text_printf(&own, "%s%s", i ? ", " : "", operand(p, x->arg[1 + i], 0));
	bool same = add_indices(p, &around) == n && !strcmp(text_done(&around), text_done(&own));
	return same ? "" : arena_printf(p->scratch, "[%s]", text_done(&own));
}

/* Names that begin with the same part, up to the first point, are one structure: a tuple where that is 0. */
typedef struct NamedValues {
	uint32_t n;
	const char **name;
	Node *const *value;
} NamedValues;

static size_t part_length(const char *name)
{
	return strcspn(name, ".");
}

static bool same_part(const char *a, const char *b)
{
	size_t n = part_length(a);
	return n == part_length(b) && !memcmp(a, b, n);
}

static void add_values(GraphPrinter *p, Text *t, NamedValues v)
{
	bool tuple = *v.name[0] >= '0' && *v.name[0] <= '9';
	text_char(t, tuple ? '(' : '{');
	for (uint32_t i = 0, next; i < v.n; i = next) {
		const char *first = v.name[i];
		size_t n = part_length(first);
		if (i) text_add(t, ", ");
		for (next = i; next < v.n && same_part(first, v.name[next]); next++) {}
		if (!tuple) text_printf(t, "%.*s = ", (int)n, first);
		if (!first[n]) {
			text_add(t, operand(p, v.value[i], 0));
			next = i + 1;
			continue;
		}
		NamedValues inner = {next - i, NEW_ARRAY(p->scratch, const char *, next - i), v.value + i};
		for (uint32_t k = 0; k < inner.n; k++) inner.name[k] = v.name[i + k] + n + 1;
		add_values(p, t, inner);
	}
	if (tuple && v.n == 1) text_char(t, ',');
	text_char(t, tuple ? ')' : '}');
}

const char *effect_text(GraphPrinter *p, Node *x)
{
	static const char *const kinds[] = {
		[EFFECT_PRINT] = "print", [EFFECT_ASSERT] = "assert", [EFFECT_CHECK] = "check"};
	Effect e;
	Text t;
	effect_read(p->scratch, x, &e);
	text_open(&t, p->scratch);
	text_printf(&t, "do %s%s(", kinds[e.kind], passes_text(p, x, e.npass));
	uint32_t first = e.kind == EFFECT_ASSERT;
	if (first) text_add(&t, operand(p, x->arg[1 + e.npass], 0));
	if (e.nvalue > first) {
		NamedValues v = {e.nvalue - first, (const char **)(uintptr_t)e.name + first,
			x->arg + 1 + e.npass + first};
		if (first) text_add(&t, ", ");
		if (v.n == 1 && !*v.name[0])
			text_add(&t, operand(p, v.value[0], 0));
		else
			add_values(p, &t, v);
	}
	text_char(&t, ')');
	return text_done(&t);
}
