/* notation.c - text to nodes and back: expressions, files, declared values, functions. */
#define POR_NO_LINES
#include "leaf.h"

#include <stdio.h>

/* ---- expressions ------------------------------------------------------------------------- */

Module *library_module(por_graph *g)
{
	if (!g->library) g->library = module_empty(g->ir);
	return g->library;
}

void error_in_text(por_graph *g, Where of, int before)
{
	Error *e = &g->ir->error;
	if (!e->code || !e->column || strcmp(e->file, of.file ? of.file : "")) return;
	if (e->line == 1) e->column = e->column > before ? e->column - before : 1;
	if (!of.line) return;
	size_t n = strlen(e->text);
	snprintf(e->text + n, sizeof e->text - n, "; line %d, column %d of the text", e->line, e->column);
	e->line = of.line;
	e->column = 0;
}

Node *parse_node(por_graph *g, const char *text, uint32_t n, const char *const *names, Node *const *nodes)
{
	Graph *ir = g->ir;
	Where where = ir->where;
	Syntax *s = parse_expression(ir->arena, &ir->names, where.file, text, strlen(text), &ir->error);
	Module *m = s ? library_module(g) : NULL;
	ir->user = where; /* nodes are of the line that has the text */
	Node *x = m ? elaborate_node(ir, module_above(ir, m), s, n, names, nodes) : NULL;
	ir->user = (Where){NULL, 0, 0};
	ir->where = where;
	error_in_text(g, where, 0);
	return x;
}

por_node *por_parse(por_graph *g, const char *text, int n, const char *const *names, por_node *const *nodes)
{
	if (!text || !at_least(g, "parse: names", n, 0) || (n && !names) || !all_of(g, n, nodes)) return NULL;
	for (int i = 0; i < n; i++)
		if (!names[i]) return NULL;
	ENTER(g, NULL);
	graph_->ir->watch->stage = "elaborate";
	LEAVE(give_node(g, parse_node(g, text, (uint32_t)n, names, take_nodes(g, n, nodes))));
}

por_node *por_library(por_graph *g, const char *name, int n, por_node *const *args)
{
	if (!name || !at_least(g, name, n, 0) || !all_of(g, n, args)) return NULL;
	ENTER(g, NULL);
	graph_->ir->watch->stage = "elaborate";
	Text t;
	text_open(&t, g->ir->arena);
	const char **names = NEW_ARRAY(g->ir->arena, const char *, n + 1);
	text_printf(&t, "%s(", name);
	for (int i = 0; i < n; i++) {
		names[i] = arena_printf(g->ir->arena, "operand%d", i + 1);
		text_printf(&t, i ? ", %s" : "%s", names[i]);
	}
	text_char(&t, ')');
	LEAVE(give_node(
		g, parse_node(g, text_done(&t), (uint32_t)n, names, n ? take_nodes(g, n, args) : NULL)));
}

char *por_print(int n, por_node *const *x)
{
	por_graph *g = n > 0 ? graph_of(n, x) : NULL;
	ENTER_ANYWAY(g, NULL);
	Text t;
	text_open(&t, g->ir->arena);
	print_nodes(&t, g->ir, (uint32_t)n, take_nodes(g, n, x), NULL, PRINT_ONE_LINE);
	LEAVE(graph_text(g, text_done(&t)));
}

/* ---- files ---------------------------------------------------------------------------------- */

/* The books from declaration `first` on. */
static bool read_books(por_graph *g, Module *m, uint32_t first, const char *file)
{
	const Syntax *s = module_syntax(m);
	for (uint32_t i = first; s && i < s->count; i++)
		if (s->part[i]->kind == SYN_BOOK && !(books_open(g->ir) && book_add(g->ir, s->part[i], file)))
			return false;
	return true;
}

static int load_source(void *user, Source *s)
{
	por_graph *g = user;
	const por_context *c = g->context;
	por_source asked = {.size = sizeof asked, .name = s->name, .from = s->from, .n = -1};
	g->inside = INSIDE_CALLBACK;
	int code = c->load(c->user, &asked);
	g->inside = INSIDE_NOTHING;
	s->file = asked.file;
	s->text = asked.text;
	s->why = asked.why;
	if (code || !asked.text)
		s->n = 0;
	else if (asked.n < 0)
		s->n = strlen(asked.text);
	else
		s->n = (size_t)asked.n;
	return code;
}

/* The declarations from `first` on: what they use is read, then all books, those of used modules first. */
static bool read_rest(por_graph *g, Module *m, uint32_t first, const char *file)
{
	SourceLoading l = {.load = g->context->load ? load_source : NULL, .user = g};
	const uint32_t before = rules_count(g->ir);
	bool good = module_uses(g->ir, m, first, &l);
	for (uint32_t i = 0; good && i < l.nread; i++)
		good = read_books(g, l.read[i], 0, module_file(l.read[i]));
	good = good && read_books(g, m, first, file);
	rules_told(g, before);
	return good;
}

static por_module *give_module(por_graph *g, Module *m)
{
	por_module *x = m && !g->ir->error.code ? NEW(g->ir->arena, por_module) : NULL;
	if (x) *x = (por_module){m, g};
	return x;
}

por_module *por_load(por_graph *g, const char *text, int64_t n, const char *file)
{
	ENTER(unmarked(alone(g, "load"), "load"), NULL);
	graph_->ir->watch->stage = "read";
	Graph *ir = g->ir;
	size_t size;
	if (!text)
		size = 0;
	else if (n < 0)
		size = strlen(text);
	else
		size = (size_t)n;
	const char *name = file ? names_get(&ir->names, file, strlen(file)) : "";
	/* the tree keeps the text's place in the file, not the text */
	Module *m = text ? module_load(ir, name, text, size) : module_empty(ir);
	const bool there = text && rules_carried(text, size);
	LEAVE(m && (there || read_rest(g, m, 0, name)) ? give_module(g, m) : NULL);
}

por_module *por_load_library(por_graph *g, const char *name)
{
	ENTER(unmarked(alone(g, "load_library"), "load_library"), NULL);
	graph_->ir->watch->stage = "read";
	Module *m = name ? module_library(g->ir, name) : graph_fail(g->ir, ERR_VALUE, "load_library: no name is given");
	LEAVE(give_module(g, m));
}

const char *por_library_module(int i)
{
	return i < 0 ? NULL : embedded_module((uint32_t)i);
}

int por_module_add(por_module *m, const char *text, const char *file)
{
	if (!m || !text) return POR_ERR_VALUE;
	por_graph *g = m->graph;
	ENTER(unmarked(alone(g, "module_add"), "module_add"), code_of(g));
	graph_->ir->watch->stage = "read";
	const char *name = file ? names_get(&g->ir->names, file, strlen(file)) : "";
	const Syntax *s = module_syntax(m->module);
	uint32_t first = s ? s->count : 0;
	if (module_add(g->ir, m->module, name, text, strlen(text))) read_rest(g, m->module, first, name);
	LEAVE(code_of(g));
}

const Syntax *declaration_at(const por_module *m, int i)
{
	const Syntax *s = m ? module_syntax(m->module) : NULL;
	return s && i >= 0 && (uint32_t)i < s->count ? s->part[i] : NULL;
}

int por_module_count(const por_module *m)
{
	const Syntax *s = m ? module_syntax(m->module) : NULL;
	return s ? (int)s->count : 0;
}

const char *por_module_kind(const por_module *m, int i)
{
	const Syntax *s = declaration_at(m, i);
	switch (s ? s->kind : SYN_NONE) {
	case SYN_FN: return "fn";
	case SYN_OP: return "op";
	case SYN_TYPE: return "type";
	case SYN_BIND: return "let";
	case SYN_BOOK: return "book";
	case SYN_USE: return "use";
	default: return "";
	}
}

const char *por_module_name(const por_module *m, int i)
{
	const Syntax *s = declaration_at(m, i);
	if (s && s->kind == SYN_BIND)
		s = s->part[0];
	else if (s && s->kind == SYN_USE)
		s = s->part[0];
	return s && s->name ? s->name : "";
}

const char *por_module_doc(const por_module *m, int i)
{
	const Syntax *s = declaration_at(m, i);
	return s && s->text ? s->text : "";
}

int por_module_line(const por_module *m, int i)
{
	const Syntax *s = declaration_at(m, i);
	return s ? s->where.line : 0;
}

static char *syntax_text(por_graph *g, const Syntax *s)
{
	ENTER_ANYWAY(s ? g : NULL, NULL);
	Text t;
	text_open(&t, g->ir->arena);
	print_syntax(&t, s);
	LEAVE(graph_text(g, text_done(&t)));
}

char *por_module_text(const por_module *m, int i)
{
	return m ? syntax_text(m->graph, declaration_at(m, i)) : NULL;
}

/* ---- declared values ---------------------------------------------------------------------------- */

static por_value *give_value(por_graph *g, Binding *b)
{
	por_value *v = b && !g->ir->error.code ? NEW(g->ir->arena, por_value) : NULL;
	if (v) *v = (por_value){b, g};
	return v;
}

/* "train", or a field of it: "train.by.step"; of a module that it uses: "layers.init". */
static Binding *value_named(Graph *ir, Module *m, const char *path)
{
	size_t n = strcspn(path, ".");
	Binding *b = module_value(ir, m, names_get(&ir->names, path, n));
	for (path += n; b && *path == '.'; path += n) {
		n = strcspn(++path, ".");
		const char *name = names_get(&ir->names, path, n);
		if (b->kind == B_MODULE)
			b = module_value(ir, b->module, name);
		else if (b->kind != B_RECORD || !(b = binding_field(b, name)))
			return graph_fail(ir, ERR_NAME, "there is no field %s", name);
	}
	return b;
}

por_value *por_value_named(por_module *m, const char *name)
{
	ENTER(alone(m && name ? m->graph : NULL, "value_named"), NULL);
	graph_->ir->watch->stage = "elaborate";
	Graph *ir = m->graph->ir;
	LEAVE(give_value(m->graph, value_named(ir, module_above(ir, m->module), name)));
}

const char *por_value_kind(const por_value *v)
{
	static const char *const kinds[] = {[B_NODE] = "array",
		[B_TUPLE] = "tuple",
		[B_RECORD] = "record",
		[B_FUNCTION] = "function",
		[B_TYPE] = "type",
		[B_MODULE] = "module"};
	return v && v->binding->kind < countof(kinds) ? kinds[v->binding->kind] : "";
}

int por_value_count(const por_value *v)
{
	return v && (v->binding->kind == B_TUPLE || v->binding->kind == B_RECORD) ? (int)v->binding->n : 0;
}

const char *por_value_field(const por_value *v, int i)
{
	return v && v->binding->kind == B_RECORD && i >= 0 && i < por_value_count(v) ? v->binding->field[i]
										     : "";
}

por_value *por_value_element(const por_value *v, int i)
{
	ENTER_ANYWAY(i >= 0 && i < por_value_count(v) ? v->graph : NULL, NULL);
	LEAVE(give_value(v->graph, v->binding->elem[i]));
}

por_node *por_value_node(const por_value *v)
{
	ENTER_ANYWAY(v && v->binding->kind == B_NODE ? v->graph : NULL, NULL);
	LEAVE(give_node(v->graph, v->binding->node));
}

/* ---- functions of a file ----------------------------------------------------------------------------- */

/* What the user gives, as the elaborator takes it; NULL with an error, or where something is missing. */
static Declared *take_given(por_graph *g, int n, const por_given *given)
{
	Graph *ir = g->ir;
	if (n < 0 || (n && !given))
		return graph_fail(ir, ERR_VALUE, "given: %d names, but none are there", n);
	Declared *out = NEW_ARRAY(ir->arena, Declared, n + 1);
	for (int i = 0; i < n; i++) {
		const por_given *x = &given[i];
		if (!x->name) return graph_fail(ir, ERR_VALUE, "given: number %d has no name", i + 1);
		out[i].name = names_get(&ir->names, x->name, strlen(x->name));
		out[i].type = x->type ? x->type->type : NULL;
		out[i].whole = x->whole;
		if (x->declared &&
			!(out[i].param = parse_param(ir->arena, &ir->names, x->name, x->declared,
				  strlen(x->declared), &ir->error)))
			return NULL;
		if (x->value && !all_of(g, 1, &x->value)) return NULL;
		if (x->value) {
			out[i].value = NEW(ir->arena, Binding);
			out[i].value->kind = B_NODE;
			out[i].value->node = x->value->node;
		}
	}
	return out;
}

/* Parameters of a function are declared by arrays' types; false with an error. */
static bool take_declared(por_graph *g, int n, Declared *d)
{
	for (int i = 0; i < n; i++)
		if (!d[i].type && d[i].param && d[i].param->part[1] &&
			!(d[i].type = type_of_syntax(g, d[i].param->part[1])))
			return false;
	return true;
}

/* A declared array, tuple or record: a function without parameters. */
static Signature *constant_function(Graph *g, const char *name, Binding *b)
{
	const Elaborated value = {.value = b};
	return b ? close_over(g, names_get(&g->names, name, strlen(name)), 0, NULL, NULL, value) : NULL;
}

static Signature *signature_named(Graph *g, Module *m, const char *name, uint32_t n, const Declared *d)
{
	const Syntax *s = module_find(m, name);
	if (s && (s->kind == SYN_FN || s->kind == SYN_OP)) return elaborate_function(g, m, name, n, d);
	Binding *b = value_named(g, m, name);
	if (b && b->kind == B_FUNCTION) return elaborate_function_value(g, b, name, n, d);
	return constant_function(g, name, b);
}

/* What is given, in the work that has begun. */
static const Declared *given_up(por_graph *g, int n, Declared *d)
{
	Carrier *c = g->work ? carrier_open(g->ir, g->work) : NULL;
	for (int i = 0; c && i < n; i++) {
		if (d[i].type) d[i].type = carry_type(c, d[i].type);
		if (d[i].value) carry_nodes(c, 1, &d[i].value->node, &d[i].value->node);
	}
	if (c) carrier_close(c);
	return d;
}

/* The signature from the work, which ends. */
static Signature *signature_down(por_graph *g, Signature *s)
{
	if (g->work && s) {
		Carrier *c = carrier_open(g->work, g->ir);
		s = carry_signature(c, g->ir, s);
		carrier_close(c);
	}
	work_end(g);
	return s;
}

por_function *por_function_named(por_module *m, const char *name, int n, const por_given *given)
{
	ENTER(alone(m && name ? m->graph : NULL, "function_named"), NULL);
	graph_->ir->watch->stage = "elaborate";
	por_graph *g = m->graph;
	Declared *d = take_given(g, n, given);
	if (!d || !take_declared(g, n, d)) LEAVE((por_function *)NULL);
	Graph *work = work_begin(g);
	Signature *sig = signature_named(
		work, module_above(work, m->module), name, (uint32_t)n, given_up(g, n, d));
	sig = signature_down(g, sig);
	LEAVE(sig ? give_function(g, sig->function, sig) : NULL);
}

/* The error with which it ended is none of the user's. */
static Signature *signature_called(
	Graph *g, Module *m, const char *name, uint32_t n, const Declared *d, const char *called)
{
	const Syntax *s = module_find(m, names_get(&g->names, called, strlen(called)));
	if (!s || s->kind != SYN_FN) return graph_fail(g, ERR_NAME, "there is no fn %s", called);
	Called c = {.definition = s};
	called_watch(g, &c);
	signature_named(g, m, name, n, d);
	called_watch(g, NULL);
	if (!c.found) return NULL;
	error_clear(&g->error);
	return called_signature(g, &c);
}

por_function *por_called_with(
	por_module *m, const char *name, int n, const por_given *given, const char *called)
{
	ENTER(alone(m && name && called ? m->graph : NULL, "called_with"), NULL);
	graph_->ir->watch->stage = "elaborate";
	por_graph *g = m->graph;
	Declared *d = take_given(g, n, given);
	if (!d || !take_declared(g, n, d)) LEAVE((por_function *)NULL);
	Graph *work = work_begin(g);
	Module *above = module_above(work, m->module);
	Signature *sig = signature_called(work, above, name, (uint32_t)n, given_up(g, n, d), called);
	sig = signature_down(g, sig);
	LEAVE(sig ? give_function(g, sig->function, sig) : NULL);
}

/* Facts of declared names, which an expression has as a function's parameters have theirs. */
static bool declared_facts(por_graph *g, Signature *sig, int n, const por_given *given, const Declared *d)
{
	Fact *fact = NEW_ARRAY(g->ir->arena, Fact, n + 1);
	for (int i = 0; i < n; i++) {
		if (!d[i].param || !d[i].param->part[3]) continue;
		for (uint32_t k = 0; k < sig->nparam; k++) {
			if (strcmp(sig->param[k].name, d[i].name)) continue;
			if (!read_promise(g, d[i].name, given[i].declared, &fact[sig->nfact]))
				return !g->ir->error.code &&
					fact_refused(g->ir, d[i].param->part[3], d[i].name);
			sig->param[k].fact = d[i].param->part[3];
			fact[sig->nfact++].leaf = sig->param[k].first;
		}
	}
	sig->fact = fact;
	return !g->ir->error.code;
}

por_function *por_function_expression(
	por_graph *g, por_module *m, const char *text, int n, const por_given *given)
{
	if (!text || (m && m->graph != g)) return NULL;
	ENTER(alone(g, "function_expression"), NULL);
	graph_->ir->watch->stage = "elaborate";
	Declared *d = take_given(g, n, given);
	Module *module = m ? m->module : library_module(g);
	if (!d || !module) LEAVE((por_function *)NULL);
	Graph *work = work_begin(g);
	Syntax *s = parse_expression(work->arena, &work->names, "", text, strlen(text), &work->error);
	Expression *e = s ? elaborate_expression(
		work, module_above(work, module), s, (uint32_t)n, given_up(g, n, d)) : NULL;
	Signature *sig = e ? close_over(work, NULL, e->n, e->name, e->value, e->result) : NULL;
	sig = signature_down(g, sig);
	LEAVE(sig && declared_facts(g, sig, n, given, d) ? give_function(g, sig->function, sig) : NULL);
}
