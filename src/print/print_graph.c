/* print_graph.c - the graph in the notation: what gets a name, and in which order.
 *
 * Needs a closed function (or loose nodes); gives text that parses to the
 * same graph.  One loop over the region: each node's text is made from those
 * of its operands; what is used once and is short stands inside its user,
 * the rest is a let.  Loops' bodies are printed by a printer of their own.
 */
#include "print_graph.h"

#include <stdlib.h>

enum { DEEP_TEXT = 8, SHORT_LET = 40, LONG_OPERAND = 8, MANY_OPERANDS = 16 };

/* ---- lines --------------------------------------------------------------------------- */

void line_begin(GraphPrinter *p)
{
	if (p->flags & PRINT_ONE_LINE) {
		if (p->began) text_char(p->out, ' ');
		return;
	}
	text_char(p->out, '\n');
	for (int i = 0; i < p->indent; i++) text_add(p->out, "    ");
}

size_t line_length(const Text *t)
{
	size_t n = 0;
	while (n < t->n && t->s[t->n - n - 1] != '\n') n++;
	return n;
}

static void note(GraphPrinter *p, const Node *x)
{
	if (!(p->flags & PRINT_NOTES) || (p->flags & PRINT_ONE_LINE) || x->type->kind != TYPE_ARRAY) return;
	for (size_t n = line_length(p->out); n < 56; n++) text_char(p->out, ' ');
	text_add(p->out, "  # ");
	print_type(p, p->out, x->type);
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->where.line) {
			text_printf(p->out, "  %s:%d", o->where.file ? o->where.file : "line", o->where.line);
			break;
		}
}

static const char *user_name(const Node *x)
{
	const char *name = NULL;
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->name && !name) name = o->name;
	return own_name(name) && !strchr(name, '.') ? name : NULL;
}

static void emit_let(GraphPrinter *p, uint32_t at)
{
	Node *x = p->r->node[at];
	Shown *s = &p->shown[at];
	const char *name = free_name(p, user_name(x));
	line_begin(p);
	text_printf(p->out, "let %s = %s", name, s->text);
	p->began = true;
	if (!strchr(s->text, '\n')) note(p, x);
	*s = (Shown){.text = name, .level = LEVEL_ATOM, .named = true, .bare = s->bare, .field = s->field};
}

/* ---- one region ---------------------------------------------------------------------------- */

/* Printed where it is used, however often: its operand counts instead. */
static bool is_transparent(GraphPrinter *p, const Node *x)
{
	return x->op == OP_GET || is_spread(p, x);
}

static bool is_leaf(const Node *x)
{
	enum { SHORT_DATA = 8 };
	if (x->op == OP_CONST) return x->attr->v[0].u.data->bytes <= SHORT_DATA * dtype_bytes(node_dtype(x));
	return op_info[x->op].class == LEAF || is_weak_size(x);
}

static void count_uses(GraphPrinter *p, uint32_t nresult, Node *const *results)
{
	p->uses = NEW_ARRAY(p->scratch, uint32_t, p->r->n);
	p->shown = NEW_ARRAY(p->scratch, Shown, p->r->n);
	for (uint32_t i = 0; i < nresult; i++) p->uses[region_place(p->r, results[i])]++;
	for (uint32_t i = p->r->n; i-- > 0;) {
		Node *x = p->r->node[i];
		uint32_t each = is_transparent(p, x) ? p->uses[i] : 1;
		for (uint32_t k = 0; k < x->narg; k++) p->uses[region_place(p->r, x->arg[k])] += each;
	}
}

/* The place of what an operand's text is made of, where there is one. */
static uint32_t place_inside(GraphPrinter *p, const Node *a)
{
	while (is_transparent(p, a)) a = a->arg[0];
	uint32_t at = region_place(p->r, a);
	return at == UINT32_MAX || !p->shown[at].text ? UINT32_MAX : at;
}

/* The longest operand that stands inside this node's text. */
static uint32_t longest_operand(GraphPrinter *p, const Node *x, size_t more_than)
{
	uint32_t found = UINT32_MAX;
	for (uint32_t k = 0; k < x->narg; k++) {
		uint32_t at = is_token(x->arg[k]) ? UINT32_MAX : place_inside(p, x->arg[k]);
		if (at == UINT32_MAX || p->shown[at].named) continue;
		size_t n = strlen(p->shown[at].text);
		if (n > more_than) {
			found = at;
			more_than = n;
		}
	}
	return found;
}

typedef struct Inside {
	uint32_t at, order;
	size_t length;
} Inside;

static int longest_first(const void *p, const void *q)
{
	const Inside *a = p, *b = q;
	if (a->length != b->length) return a->length < b->length ? 1 : -1;
	return (a->order > b->order) - (a->order < b->order);
}

/* With bodies, written as a form that reaches as far right as it can. */
static bool is_form(const Node *x)
{
	return x->op == OP_SCAN || x->op == OP_IF;
}

/* What the loop of print_place does one operand at a time, for a node of many: the text has at least the
 * letters of its operands, so that the longest get their lets before it is made for the first time. */
static void name_operands(GraphPrinter *p, const Node *x)
{
	if (x->narg < MANY_OPERANDS || is_form(x)) return;
	Inside *v = NEW_ARRAY(p->scratch, Inside, x->narg);
	size_t letters = 0;
	uint32_t n = 0;
	for (uint32_t k = 0; k < x->narg; k++) {
		uint32_t at = place_inside(p, x->arg[k]);
		if (at == UINT32_MAX) continue;
		size_t length = strlen(p->shown[at].text);
		letters += length;
		if (length > LONG_OPERAND && !p->shown[at].named) v[n++] = (Inside){at, k, length};
	}
	if (n) qsort(v, n, sizeof *v, longest_first);
	for (uint32_t k = 0; k < n && letters > LONG_TEXT; k++) {
		if (!p->shown[v[k].at].named) emit_let(p, v[k].at);
		letters -= v[k].length;
		letters += strlen(p->shown[v[k].at].text);
	}
}

/* A line that gives nothing a name. */
static void emit_step(GraphPrinter *p, const char *text)
{
	line_begin(p);
	text_add(p->out, text);
	p->began = true;
}

static bool gives_values(const Node *x)
{
	for (uint32_t i = 0; x->type->kind == TYPE_TUPLE && i < x->type->n; i++)
		if (x->type->u.elem[i]->kind == TYPE_ARRAY) return true;
	return x->type->kind == TYPE_ARRAY;
}

/* The operands of an effect whose texts are long get their lets. */
static void name_long(GraphPrinter *p, const Node *x)
{
	for (uint32_t at; (at = longest_operand(p, x, SHORT_LET)) != UINT32_MAX;) emit_let(p, at);
}

static Shown text_of(GraphPrinter *p, Node *x)
{
	return x->op == OP_CONST ? constant_text(p, x, false) : node_text(p, x);
}

/* When the longest of its operands have got their lets.  Until then no long body is printed, which would be
 * printed again for each operand, and the loops in it so often again. */
static Shown settled_text(GraphPrinter *p, Node *x)
{
	for (;;) {
		uint32_t names = names_chosen(p);
		p->heads = true;
		p->left_out = false;
		Shown s = text_of(p, x);
		p->heads = false;
		bool large = strcspn(s.text, "\n") > LONG_TEXT || s.depth > DEEP_TEXT;
		uint32_t arg = large ? longest_operand(p, x, LONG_OPERAND) : UINT32_MAX;
		if (arg == UINT32_MAX && !p->left_out) return s;
		undo_names(p, names);
		if (arg == UINT32_MAX) return text_of(p, x);
		emit_let(p, arg);
	}
}

static void print_place(GraphPrinter *p, uint32_t i, bool last)
{
	Node *x = p->r->node[i];
	Shown s;
	if (x->op == OP_ORDER) {
		name_long(p, x);
		emit_step(p, effect_text(p, x));
		return;
	}
	if (is_leaf(x) || is_transparent(p, x)) return;
	name_operands(p, x);
	s = settled_text(p, x);
	p->shown[i] = s;
	if (is_effect(x) && !gives_values(x)) {
		emit_step(p, arena_printf(p->scratch, "do %s", s.text));
		return;
	}
	if (last) return;
	size_t n = strlen(s.text);
	bool once = p->uses[i] == 1 || p->flags & PRINT_APART;
	bool inside = once && !is_form(x) && !is_effect(x) && !strchr(s.text, '\n') &&
		n <= (user_name(x) ? SHORT_LET : LONG_TEXT);
	if (!inside) emit_let(p, i);
}

void print_region(GraphPrinter *p, uint32_t nresult, Node *const *results)
{
	p->r = region_of(p->scratch, nresult, results);
	count_uses(p, nresult, results);
	/* a single result that is a loop or branch stands after `in` */
	const Node *last = nresult == 1 && !is_token(results[0]) ? results[0] : NULL;
	if (last && last->op == OP_GET && is_form(last->arg[0]) && last->arg[0]->type->n == 1 &&
		(last->arg[0]->op == OP_IF || scan_carries(last->arg[0]) == 1))
		last = last->arg[0];
	for (uint32_t i = 0; i < p->r->n; i++) print_place(p, i, p->r->node[i] == last && p->uses[i] == 1);
}
