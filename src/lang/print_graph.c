/* print_graph.c - the graph in the notation: what gets a name, in which order, and whole functions.
 *
 * Needs a closed function (or loose nodes); gives text that parses to the
 * same graph.  One loop over the region: each node's text is made from those
 * of its operands; what is used once and is short stands inside its user,
 * the rest is a let.  Loops' bodies are printed by a printer of their own.
 */
#include "print_graph.h"
#include "elab.h"

#include <stdio.h>

enum { LONG_TEXT = 80, DEEP_TEXT = 8, SHORT_LET = 40 };

/* ---- names ------------------------------------------------------------------------- */

typedef struct Name {
	const char *text;
	bool taken;
	uint32_t
		count; /* how often it was wanted: x, x1, x2, ... are found without trying all of them again */
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

static Name *name_of(Printer *p, const char *text)
{
	Name *n = find_name(p, text);
	if (n) return n;
	n = NEW(p->scratch, Name);
	n->text = text;
	table_add(&p->names->table, hash_bytes(text, strlen(text)), n);
	return n;
}

static bool is_taken(Printer *p, const char *name)
{
	static const char *const words[] = {"fn", "op", "type", "let", "do", "in", "use", "book", "if",
		"then", "else", "scan", "while", "with", "and", "or", "not", "pi", "inf", "nan", "true",
		"false", "_"};
	for (size_t i = 0; i < countof(words); i++)
		if (!strcmp(words[i], name)) return true;
	Module *prelude = module_prelude(p->g);
	const char *interned = names_get(&p->g->names, name, strlen(name));
	const Name *own = find_name(p, name);
	return (own && own->taken) || is_builtin(name) || is_derivative(name) ||
		dtype_named(name, strlen(name)) != DT_NONE || (prelude && module_decl(prelude, interned));
}

static void take_name(Printer *p, const char *name)
{
	name_of(p, name)->taken = true;
}

const char *free_name(Printer *p, const char *wanted)
{
	NamesOut *names = p->names;
	Choice c = {.wanted = name_of(p, wanted ? wanted : "v")};
	c.count = c.wanted->count;
	const char *name = wanted && !c.count ? wanted : NULL;
	while (!name || is_taken(p, name))
		name = arena_printf(p->scratch, "%s%u", c.wanted->text, ++c.wanted->count);
	c.given = name_of(p, name);
	c.given->taken = true;
	GROW(p->scratch, names->made, names->n, names->cap);
	names->made[names->n++] = c;
	return name;
}

/* A text is made again: the names that it chose are free, so that what is printed does not tell how often. */
static void undo_names(Printer *p, uint32_t n)
{
	NamesOut *names = p->names;
	while (names->n > n) {
		Choice c = names->made[--names->n];
		c.given->taken = false;
		c.wanted->count = c.count;
	}
}

static const char *user_name(const Node *x)
{
	const char *name = NULL;
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->name && !name) name = o->name;
	return name && !strchr(name, '.') ? name : NULL;
}

/* ---- lines --------------------------------------------------------------------------- */

static void line_begin(Printer *p)
{
	if (p->flags & PRINT_ONE_LINE) {
		if (p->began) text_char(p->out, ' ');
		return;
	}
	text_char(p->out, '\n');
	for (int i = 0; i < p->indent; i++) text_add(p->out, "    ");
}

static size_t line_length(const Text *t)
{
	size_t n = 0;
	while (n < t->n && t->s[t->n - n - 1] != '\n') n++;
	return n;
}

static void note(Printer *p, const Node *x)
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

static void emit_let(Printer *p, uint32_t at)
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
static bool is_transparent(Printer *p, const Node *x)
{
	return x->op == OP_GET || is_spread(p, x);
}

static bool is_leaf(const Node *x)
{
	enum { SHORT_DATA = 8 };
	if (x->op == OP_CONST) return x->attr->v[0].u.data->bytes <= SHORT_DATA * dtype_bytes(node_dtype(x));
	return op_info[x->op].class == LEAF || is_weak_size(x);
}

static void count_uses(Printer *p, uint32_t nresult, Node *const *results)
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

/* The longest operand that stands inside this node's text. */
static uint32_t longest_operand(Printer *p, const Node *x, size_t more_than)
{
	uint32_t found = UINT32_MAX;
	for (uint32_t k = 0; k < x->narg; k++) {
		const Node *a = x->arg[k];
		while (is_transparent(p, a)) a = a->arg[0];
		uint32_t at = region_place(p->r, a);
		if (at == UINT32_MAX || !p->shown[at].text || p->shown[at].named) continue;
		size_t n = strlen(p->shown[at].text);
		if (n > more_than) found = at, more_than = n;
	}
	return found;
}

static void print_place(Printer *p, uint32_t i, bool last)
{
	Node *x = p->r->node[i];
	Shown s;
	if (is_leaf(x) || is_transparent(p, x)) return;
	for (;;) {
		uint32_t names = p->names->n;
		s = x->op == OP_CONST ? constant_text(p, x, false) : node_text(p, x);
		bool large = strcspn(s.text, "\n") > LONG_TEXT || s.depth > DEEP_TEXT;
		uint32_t arg = large ? longest_operand(p, x, 8) : UINT32_MAX;
		if (arg == UINT32_MAX) break;
		undo_names(p, names);
		emit_let(p, arg);
	}
	p->shown[i] = s;
	if (last) return;
	size_t n = strlen(s.text);
	bool inside = p->uses[i] == 1 && x->op != OP_SCAN && !strchr(s.text, '\n') &&
		n <= (user_name(x) ? SHORT_LET : LONG_TEXT);
	if (!inside) emit_let(p, i);
}

static void print_region(Printer *p, uint32_t nresult, Node *const *results)
{
	p->r = region_of(p->scratch, nresult, results);
	count_uses(p, nresult, results);
	/* a single result that is a loop stands after `in` */
	const Node *last = nresult == 1 ? results[0] : NULL;
	if (last && last->op == OP_GET && last->arg[0]->op == OP_SCAN && scan_carries(last->arg[0]) == 1 &&
		scan_body(last->arg[0])->nresult == 1)
		last = last->arg[0];
	for (uint32_t i = 0; i < p->r->n; i++) print_place(p, i, p->r->node[i] == last && p->uses[i] == 1);
}

/* ---- results ---------------------------------------------------------------------------------- */

static void result_text(Printer *p, Text *t, const Structure *s, uint32_t n, Node *const *results, bool lines)
{
	if (!s && n == 1) {
		text_add(t, operand(p, results[0], 0));
		return;
	}
	if (s && s->kind == B_NODE) {
		text_add(t, operand(p, results[s->leaf], 0));
		return;
	}
	uint32_t count = s ? s->n : n;
	bool record = s && s->kind == B_RECORD;
	text_add(t, record ? "{" : "(");
	for (uint32_t i = 0; i < count; i++) {
		Text part;
		text_open(&part, p->scratch);
		if (s)
			result_text(p, &part, s->elem[i], n, results, false);
		else
			text_add(&part, operand(p, results[i], 0));
		const char *text = text_done(&part);
		text_add(t, i ? "," : "");
		if (i && lines) {
			line_begin(p);
			text_add(t, "    ");
		} else {
			text_add(t, i ? " " : "");
		}
		if (record && strcmp(s->field[i], text))
			text_printf(t, "%s = %s", s->field[i], text);
		else
			text_add(t, text);
	}
	text_add(t, record ? "}" : count == 1 ? ",)" : ")");
}

/* ---- loops ----------------------------------------------------------------------------------------- */

/* A printer for a body inside: its parameters and sizes are texts of the outer one. */
static Printer inner_printer(Printer *p, Function *f, Text *out, const AttrValue *sizes)
{
	Printer in = *p;
	in.out = out;
	in.outer = p;
	in.indent = p->indent + 2;
	in.began = false;
	in.function = f;
	in.param = NEW_ARRAY(p->scratch, const char *, f->nparam);
	in.param_level = NEW_ARRAY(p->scratch, uint8_t, f->nparam);
	in.size_name = NEW_ARRAY(p->scratch, const char *, f->nsize);
	for (uint32_t i = 0; i < f->nsize; i++) in.size_name[i] = size_text(p, sizes[i].u.size, LEVEL_ATOM);
	for (uint32_t i = 0; i < f->nparam; i++) in.param_level[i] = LEVEL_ATOM;
	return in;
}

/* The name of a parameter of a body: the user's where there is one. */
static const char *param_name(Printer *p, Function *f, uint32_t i, const char *wanted)
{
	const char *name = f->param_name[i];
	if (!name) return free_name(p, wanted);
	char *flat = arena_copy(p->scratch, name, strlen(name)); /* s.q is s_q */
	for (char *c = flat; *c; c++) *c = *c == '.' ? '_' : *c;
	return free_name(p, flat);
}

static bool uses_param(Printer *p, Function *f, uint32_t i)
{
	Region *r = function_region(p->g, f);
	for (uint32_t k = 0; k < r->n; k++)
		if (r->node[k]->op == OP_PARAM && attr_int(r->node[k], 0) == i) return true;
	return false;
}

static void head_item(Text *t, uint32_t *n, const char *name, const char *link, const char *value)
{
	text_printf(t, "%s%s %s %s", (*n)++ ? ", " : "", name, link, value);
}

Shown scan_text(Printer *p, Node *x)
{
	Function *f = scan_body(x);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x), items = 0;
	Text head, body, value;
	text_open(&head, p->scratch), text_open(&body, p->scratch), text_open(&value, p->scratch);
	Printer in = inner_printer(p, f, &body, x->attr->v + 4);
	text_add(&head, scan_is_back(x) ? "scan[back] (" : "scan (");
	for (uint32_t i = 0; i < carries; i++) {
		in.param[1 + i] = param_name(p, f, 1 + i, "c");
		head_item(&head, &items, in.param[1 + i], "=", operand(p, x->arg[1 + i], 0));
	}
	for (uint32_t i = 0; i < sequences; i++) {
		uint32_t k = 1 + carries + i;
		in.param[k] = param_name(p, f, k, "x");
		head_item(&head, &items, in.param[k], "in", operand(p, x->arg[k], 0));
	}
	Node *steps = x->arg[0];
	bool told = sequences && steps == size_node(p->g, node_dim(x->arg[1 + carries], 0));
	in.param[0] = "i";
	if (!told || uses_param(p, f, 0)) {
		in.param[0] = param_name(p, f, 0, "i");
		int64_t n;
		const char *bound = steps->op == OP_SIZE ? size_text(p, steps->attr->v[0].u.size, 0)
			: constant_integer(steps, &n)    ? arena_printf(p->scratch, "%lld", (long long)n)
							 : operand(p, steps, LEVEL_SUM);
		head_item(&head, &items, in.param[0], "<", bound);
	}
	for (uint32_t i = 1 + carries + sequences; i < f->nparam; i++) {
		Shown s = shown_node(p, x->arg[i]);
		in.param[i] = s.text, in.param_level[i] = s.level;
	}
	print_region(&in, f->nresult, f->result);
	Shown s = {.level = LEVEL_FORM, .depth = 1, .bare = carries == 1 && f->nresult == 1};
	if (!s.bare) {
		s.field = NEW_ARRAY(p->scratch, const char *, f->nresult);
		for (uint32_t i = 0, k = 0; i < f->nresult; i++) {
			const char *name = i < carries ? in.param[1 + i] : NULL;
			for (bool clash = true; !name || clash;) {
				name = name ? name : arena_printf(p->scratch, "t%u", ++k);
				clash = false;
				for (uint32_t j = 0; i >= carries && j < carries; j++)
					clash |= !strcmp(name, in.param[1 + j]);
				name = clash ? NULL : name;
			}
			s.field[i] = name;
			text_printf(&value, "%s%s = %s", i ? ", " : "{", name, operand(&in, f->result[i], 0));
		}
		text_char(&value, '}');
	} else {
		text_add(&value, operand(&in, f->result[0], 0));
	}
	if (in.began) line_begin(&in);
	s.text = arena_printf(p->scratch, "%s) =>%s%s%s%s", text_done(&head),
		in.flags & PRINT_ONE_LINE || !in.began ? " " : "", text_done(&body), in.began ? "in " : "",
		text_done(&value));
	return s;
}

Shown lambda_text(Printer *p, Node *x)
{
	Function *f = call_function(x);
	Text head, body, args;
	text_open(&head, p->scratch), text_open(&body, p->scratch), text_open(&args, p->scratch);
	Printer in = inner_printer(p, f, &body, x->attr->v + 1);
	text_printf(&head, "%s((", f->flags & FN_EXACT ? "exact" : "checkpoint");
	for (uint32_t i = 0; i < f->nparam; i++) {
		in.param[i] = param_name(p, f, i, "x");
		text_printf(&head, "%s%s", i ? ", " : "", in.param[i]);
		text_printf(&args, "%s%s", i ? ", " : "", operand(p, x->arg[i], 0));
	}
	print_region(&in, f->nresult, f->result);
	Text value;
	text_open(&value, p->scratch);
	result_text(&in, &value, NULL, f->nresult, f->result, false);
	if (in.began) line_begin(&in);
	const char *text = arena_printf(p->scratch, "%s) =>%s%s%s%s)(%s)", text_done(&head),
		in.flags & PRINT_ONE_LINE || !in.began ? " " : "", text_done(&body), in.began ? "in " : "",
		text_done(&value), text_done(&args));
	return (Shown){.text = text, .level = LEVEL_ATOM, .depth = 1};
}

/* ---- functions --------------------------------------------------------------------------------------- */

static bool has_tuple(const Structure *s)
{
	if (s->kind == B_TUPLE) return true;
	for (uint32_t i = 0; i < s->n; i++)
		if (has_tuple(s->elem[i])) return true;
	return false;
}

static void print_structure(Printer *p, Text *t, const Structure *s)
{
	if (s->kind == B_NODE) {
		print_type(p, t, s->type);
		return;
	}
	text_char(t, s->kind == B_RECORD ? '{' : '(');
	for (uint32_t i = 0; i < s->n; i++) {
		text_add(t, i ? ", " : "");
		if (s->kind == B_RECORD) text_printf(t, "%s: ", s->field[i]);
		print_structure(p, t, s->elem[i]);
	}
	text_char(t, s->kind == B_RECORD ? '}' : ')');
}

static void param_paths(Printer *p, const Structure *s, const char *path)
{
	if (s->kind == B_NODE) p->param[s->leaf] = path;
	for (uint32_t i = 0; i < s->n; i++)
		param_paths(p, s->elem[i], arena_printf(p->scratch, "%s.%s", path, s->field[i]));
}

static const char *flat_name(Printer *p, const Function *f, uint32_t i)
{
	const char *name = f->param_name[i];
	if (!name) return free_name(p, arena_printf(p->scratch, "x%u", i + 1));
	char *copy = arena_copy(p->scratch, name, strlen(name));
	for (char *c = copy; *c; c++)
		if (*c == '.') *c = '_';
	for (uint32_t k = 0; k < i; k++)
		if (!strcmp(p->param[k], copy)) return free_name(p, copy);
	take_name(p, copy);
	return copy;
}

static void name_sizes(Printer *p, const Function *f)
{
	p->size_name = NEW_ARRAY(p->scratch, const char *, f->nsize);
	for (uint32_t i = 0; i < f->nsize; i++) {
		const Name *own = f->size_name[i] ? find_name(p, f->size_name[i]) : NULL;
		bool good = f->size_name[i] && !(own && own->taken);
		p->size_name[i] =
			good ? f->size_name[i] : free_name(p, arena_printf(p->scratch, "s%u", i + 1));
		take_name(p, p->size_name[i]);
	}
}

static void header(Printer *p, const Function *f, const Signature *sig)
{
	bool flat = !sig;
	for (uint32_t i = 0; sig && i < sig->nparam; i++) flat |= has_tuple(sig->param[i].structure);
	p->param = NEW_ARRAY(p->scratch, const char *, f->nparam);
	for (uint32_t i = 0; !flat && i < sig->nparam; i++) {
		take_name(p, sig->param[i].name);
		param_paths(p, sig->param[i].structure, sig->param[i].name);
	}
	for (uint32_t i = 0; flat && i < f->nparam; i++) p->param[i] = flat_name(p, f, i);
	name_sizes(p, f);
	text_printf(p->out, "fn %s(", sig && sig->name ? sig->name : f->name ? f->name : "f");
	for (uint32_t i = 0; i < (flat ? f->nparam : sig->nparam); i++) {
		text_printf(p->out, "%s%s: ", i ? ", " : "", flat ? p->param[i] : sig->param[i].name);
		if (flat)
			print_type(p, p->out, f->param[i]);
		else
			print_structure(p, p->out, sig->param[i].structure);
	}
	text_add(p->out, ") -> ");
	if (sig) {
		print_structure(p, p->out, sig->result);
	} else if (f->nresult == 1) {
		print_type(p, p->out, f->result[0]->type);
	} else {
		for (uint32_t i = 0; i < f->nresult; i++) {
			text_add(p->out, i ? ", " : "(");
			print_type(p, p->out, f->result[i]->type);
		}
		text_char(p->out, ')');
	}
	text_add(p->out, " =");
}

static void open_printer(Printer *p, Graph *g, Text *out, unsigned flags, NamesOut *names)
{
	*p = (Printer){.g = g, .scratch = g->arena, .out = out, .flags = flags, .names = names, .indent = 1};
	*names = (NamesOut){0};
	table_open(&names->table, g->arena);
}

/* The lets are out: now the results. */
static void finish(Printer *p, Text *t, const Structure *s, uint32_t n, Node *const *results, bool definition)
{
	Text value;
	text_open(&value, p->scratch);
	result_text(p, &value, s, n, results, false);
	if (value.n > 100 && !(p->flags & PRINT_ONE_LINE) && (s ? s->kind != B_NODE : n > 1)) {
		Text *out = p->out;
		text_open(&value, p->scratch);
		p->out = &value;
		result_text(p, &value, s, n, results, true);
		p->out = out;
	}
	const char *text = text_done(&value);
	if (p->began) {
		line_begin(p);
		text_printf(t, "in %s", text);
	} else if (definition && !(p->flags & PRINT_ONE_LINE) && line_length(t) + strlen(text) > 100) {
		line_begin(p);
		text_add(t, text);
	} else {
		text_printf(t, "%s%s", definition ? " " : "", text);
	}
}

void print_function(Text *t, Graph *g, Function *f, const Signature *sig, const char *heading, unsigned flags)
{
	Printer p;
	NamesOut names;
	if (!f || g->error.code) return;
	open_printer(&p, g, t, flags & ~(unsigned)PRINT_ONE_LINE, &names);
	p.function = f;
	if (heading) text_printf(t, "# %s\n", heading);
	bool loose = flags & PRINT_ONE_LINE && sig && !sig->name;
	if (loose) { /* an expression: its names are its inputs */
		Text head;
		text_open(&head, g->arena);
		p.out = &head;
		header(&p, f, sig);
		p.out = t, p.indent = 0;
		p.flags |= PRINT_ONE_LINE;
	} else {
		header(&p, f, sig);
	}
	print_region(&p, f->nresult, f->result);
	finish(&p, t, sig ? sig->result : NULL, f->nresult, f->result, !loose);
	text_char(t, '\n');
}

void print_nodes(Text *t, Graph *g, uint32_t n, Node *const *nodes, const char *const *labels, unsigned flags)
{
	Printer p;
	NamesOut names;
	for (uint32_t i = 0; i < n; i++)
		if (!nodes[i]) return;
	open_printer(&p, g, t, flags, &names);
	p.indent = 0;
	Region *r = region_of(g->arena, n, nodes);
	uint32_t most = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		if (r->node[i]->op == OP_INPUT) take_name(&p, r->node[i]->attr->v[0].u.name);
		if (r->node[i]->op == OP_PARAM && attr_int(r->node[i], 0) + 1 > most)
			most = (uint32_t)attr_int(r->node[i], 0) + 1;
	}
	p.param = NEW_ARRAY(g->arena, const char *, most);
	for (uint32_t i = 0; i < most; i++) p.param[i] = arena_printf(g->arena, "x%u", i + 1);
	print_region(&p, n, nodes);
	Structure *s = NULL;
	if (labels) {
		s = NEW(g->arena, Structure);
		*s = (Structure){.kind = B_RECORD, .n = n};
		s->field = NEW_ARRAY(g->arena, const char *, n);
		s->elem = NEW_ARRAY(g->arena, Structure *, n);
		for (uint32_t i = 0; i < n; i++) {
			s->field[i] = labels[i];
			s->elem[i] = NEW(g->arena, Structure);
			*s->elem[i] = (Structure){.kind = B_NODE, .leaf = i};
		}
	}
	finish(&p, t, s, n, nodes, false);
}
