/* print_function.c - whole functions: the header, the lets of the region, the results. */
#include "print_graph.h"

#include <ctype.h>
#include <math.h>

/* ---- results ---------------------------------------------------------------------------------- */

void result_text(GraphPrinter *p, Text *t, const Structure *s, uint32_t n, Node *const *results, bool lines)
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
	text_add(t, structure_end(record ? B_RECORD : B_TUPLE, count));
}

/* ---- promises ------------------------------------------------------------------------------- */

static void print_bound(Text *t, double x)
{
	if (x == floor(x) && fabs(x) < 0x1p53)
		text_printf(t, "%lld", (long long)x);
	else
		text_number(t, x, 64);
}

/* x > 0, 0 <= x < 1, x <= 1 and integer(x): the range that calls check. */
static void print_promise(Text *t, const Fact *f, const char *name)
{
	bool low = f->low > -INFINITY, high = f->high < INFINITY;
	text_add(t, low || high || f->integer ? " if " : "");
	if (low && high) {
		print_bound(t, f->low);
		text_add(t, f->above_low ? " < " : " <= ");
	}
	if (low || high) text_add(t, name);
	if (low && !high) {
		text_add(t, f->above_low ? " > " : " >= ");
		print_bound(t, f->low);
	}
	if (high) {
		text_add(t, f->below_high ? " < " : " <= ");
		print_bound(t, f->high);
	}
	if (f->integer) text_printf(t, "%sinteger(%s)", low || high ? " and " : "", name);
}

static void take_promises(GraphPrinter *p, const Function *f, const Signature *sig)
{
	p->fact = NEW_ARRAY(p->scratch, const Fact *, f->nparam);
	for (uint32_t i = 0; sig && i < sig->nfact; i++) p->fact[sig->fact[i].leaf] = &sig->fact[i];
}

/* ---- functions --------------------------------------------------------------------------------------- */

/* name: of what is given, which may have a promise; NULL: a result, or an element of a tuple. */
static void print_structure(GraphPrinter *p, Text *t, const Structure *s, const char *name)
{
	if (s->kind == B_NODE) {
		print_type(p, t, s->type);
		if (name && p->fact[s->leaf]) print_promise(t, p->fact[s->leaf], name);
		return;
	}
	bool record = s->kind == B_RECORD;
	text_char(t, record ? '{' : '(');
	for (uint32_t i = 0; i < s->n; i++) {
		text_add(t, i ? ", " : "");
		if (record) text_printf(t, "%s: ", s->field[i]);
		print_structure(p, t, s->elem[i], record && name ? s->field[i] : NULL);
	}
	text_char(t, record ? '}' : ')');
}

static void param_paths(GraphPrinter *p, const Structure *s, const char *path)
{
	if (s->kind == B_NODE) p->param[s->leaf] = path;
	for (uint32_t i = 0; i < s->n; i++)
		param_paths(p, s->elem[i],
			s->kind == B_RECORD ? arena_printf(p->scratch, "%s.%s", path, s->field[i])
					    : arena_printf(p->scratch, "get[%u](%s)", i, path));
}

static const char *flat_name(GraphPrinter *p, const Function *f, uint32_t i)
{
	const char *name = own_name(f->param_name[i]);
	if (!name) return free_name(p, arena_printf(p->scratch, "x%u", i + 1));
	char *copy = arena_text(p->scratch, name);
	for (char *c = copy; *c; c++)
		if (*c == '.') *c = '_';
	for (uint32_t k = 0; k < i; k++)
		if (!strcmp(p->param[k], copy)) return free_name(p, copy);
	take_name(p, copy);
	return copy;
}

static void name_sizes(GraphPrinter *p, const Function *f)
{
	p->size_name = NEW_ARRAY(p->scratch, const char *, f->nsize);
	for (uint32_t i = 0; i < f->nsize; i++) {
		bool good = f->size_name[i] && !name_taken(p, f->size_name[i]);
		p->size_name[i] =
			good ? f->size_name[i] : free_name(p, arena_printf(p->scratch, "s%u", i + 1));
		take_name(p, p->size_name[i]);
	}
}

static void see_computed(void *user, const Atom *a)
{
	bool *computed = user;
	*computed |= a->kind == ATOM_NODE && a->node->op != OP_PARAM;
}

/* Does a result have a size that the function computes?  A type cannot say it. */
static bool computes_size(const Function *f)
{
	bool computed = false;
	for (uint32_t i = 0; i < f->nresult; i++) {
		const Type *t = f->result[i]->type;
		for (uint32_t k = 0; t->kind == TYPE_ARRAY && k < t->n; k++)
			size_atoms(DIM(t, k), see_computed, &computed);
	}
	return computed;
}

static void result_type(GraphPrinter *p, const Function *f, const Signature *sig)
{
	if (computes_size(f)) return;
	text_add(p->out, " -> ");
	if (sig) {
		print_structure(p, p->out, sig->result, NULL);
	} else if (function_values(f) == 1) {
		print_type(p, p->out, f->result[0]->type);
	} else {
		for (uint32_t i = 0; i < function_values(f); i++) {
			text_add(p->out, i ? ", " : "(");
			print_type(p, p->out, f->result[i]->type);
		}
		text_char(p->out, ')');
	}
}

static void header(GraphPrinter *p, const Function *f, const Signature *sig)
{
	bool flat = !sig;
	const char *called = called_name(p, f);
	p->param = NEW_ARRAY(p->scratch, const char *, f->nparam);
	for (uint32_t i = 0; !flat && i < sig->nparam; i++) {
		take_name(p, sig->param[i].name);
		param_paths(p, sig->param[i].structure, sig->param[i].name);
	}
	for (uint32_t i = 0; flat && i < f->nparam; i++) p->param[i] = flat_name(p, f, i);
	name_sizes(p, f);
	take_promises(p, f, sig);
	/* what has brackets is written out wherever it is called */
	const char *written_out = called && !sig && !(f->flags & FN_KEPT) ? "[inline = true]" : "";
	text_printf(p->out, "fn %s%s(", p->title, written_out);
	for (uint32_t i = 0; i < (flat ? f->nparam : sig->nparam); i++) {
		text_printf(p->out, "%s%s: ", i ? ", " : "", flat ? p->param[i] : sig->param[i].name);
		if (flat)
			print_type(p, p->out, f->param[i]);
		else
			print_structure(p, p->out, sig->param[i].structure, sig->param[i].name);
	}
	text_char(p->out, ')');
	result_type(p, f, sig);
	text_add(p->out, " =");
}

static GraphPrinter printer_open(Graph *g, Text *out, unsigned flags)
{
	return (GraphPrinter){.g = g,
		.scratch = g->arena,
		.out = out,
		.flags = flags,
		.names = names_new(g->arena),
		.title = "f",
		.indent = 1};
}

/* The lets are out: now the results. */
static void finish(GraphPrinter *p, Text *t, const Structure *s, uint32_t n, Node *const *results,
	bool definition)
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

/* The functions that it calls, each before those that call it. */
static void print_called(GraphPrinter *p, Text *t, Function *f)
{
	p->called = called_functions(p, f);
	for (uint32_t i = 0; p->called && i < p->called->n; i++) {
		Function *h = p->called->f[i];
		GraphPrinter own = printer_open(p->g, t, p->flags);
		own.function = h;
		own.title = called_name(p, h);
		own.called = p->called;
		for (uint32_t k = 0; k < p->called->n; k++) take_name(&own, called_name(p, p->called->f[k]));
		header(&own, h, NULL);
		print_region(&own, h->nresult, h->result);
		finish(&own, t, NULL, function_values(h), h->result, true);
		text_add(t, "\n\n");
	}
}

/* An expression: its names are its inputs. */
static void print_loose(Text *t, Graph *g, Function *f, const Signature *sig, unsigned flags)
{
	Text head;
	text_open(&head, g->arena);
	GraphPrinter p = printer_open(g, &head, flags & ~(unsigned)PRINT_ONE_LINE);
	p.function = f;
	header(&p, f, sig);
	p.out = t;
	p.indent = 0;
	p.flags |= PRINT_ONE_LINE;
	print_region(&p, f->nresult, f->result);
	finish(&p, t, sig->result, function_values(f), f->result, false);
}

/* With the definitions of what it calls.  Equal functions are one, named as the first: a signature alone
 * knows what this one is called; another: by a name that nothing else has. */
static const char *definition_text(Graph *g, Function *f, const Signature *sig, unsigned flags, bool another)
{
	Text t;
	text_open(&t, g->arena);
	GraphPrinter p = printer_open(g, &t, flags & ~(unsigned)PRINT_ONE_LINE);
	const char *name = sig ? sig->name : f->name;
	p.function = f;
	p.title = name ? name : p.title;
	if (another)
		p.title = free_name(&p, p.title);
	else
		take_name(&p, p.title);
	print_called(&p, &t, f);
	header(&p, f, sig);
	print_region(&p, f->nresult, f->result);
	finish(&p, &t, sig ? sig->result : NULL, function_values(f), f->result, true);
	return text_done(&t);
}

/* Is it called in the text, as an operator of that name is?  Once it stands before its own parameters. */
static bool calls_itself(const char *text, const char *name)
{
	size_t n = strlen(name);
	uint32_t times = 0;
	for (const char *at = text; (at = strstr(at, name)); at += n) {
		bool begins = at == text || !(isalnum((unsigned char)at[-1]) || strchr("_.", at[-1]));
		times += begins && (at[n] == '(' || at[n] == '[');
	}
	return times > 1;
}

void print_function(Text *t, Graph *g, Function *f, const Signature *sig, const char *heading, unsigned flags)
{
	if (!f || g->error.code) return;
	if (heading) text_printf(t, "# %s\n", heading);
	if (flags & PRINT_ONE_LINE && sig && !sig->name) {
		print_loose(t, g, f, sig, flags);
	} else {
		const char *name = sig ? sig->name : f->name;
		const char *text = definition_text(g, f, sig, flags, false);
		if (name && calls_itself(text, name)) text = definition_text(g, f, sig, flags, true);
		text_add(t, text);
	}
	text_char(t, '\n');
}

void print_nodes(Text *t, Graph *g, uint32_t n, Node *const *nodes, const char *const *labels, unsigned flags)
{
	for (uint32_t i = 0; i < n; i++)
		if (!nodes[i]) return;
	GraphPrinter p = printer_open(g, t, flags);
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
