/* print_scan.c - loops, branches and functions that are values: bodies, printed by a printer of their own. */
#include "print_graph.h"
#include "../ir/own.h"

/* A printer for a body inside: its parameters and sizes are texts of the outer one. */
static GraphPrinter inner_printer(GraphPrinter *p, const Node *x, const Body *b, Text *out)
{
	Function *f = b->f;
	const AttrValue *sizes = x->attr->v + b->sizes;
	GraphPrinter in = *p;
	in.out = out;
	in.outer = p;
	in.indent = p->indent + 2;
	in.began = in.heads = false;
	in.index = NULL;
	in.function = f;
	in.param = NEW_ARRAY(p->scratch, const char *, f->nparam);
	in.param_level = NEW_ARRAY(p->scratch, uint8_t, f->nparam);
	in.size_name = NEW_ARRAY(p->scratch, const char *, f->nsize);
	for (uint32_t i = 0; i < f->nsize; i++) in.size_name[i] = size_text(p, sizes[i].u.size, LEVEL_ATOM);
	for (uint32_t i = 0; i < f->nparam; i++) in.param_level[i] = LEVEL_ATOM;
	return in;
}

/* What stands for a long body in an excerpt, or where heads alone are printed (the rest of its line). */
static const char *body_left_out(GraphPrinter *p, Function *f)
{
	bool excerpt = p->flags & PRINT_EXCERPT;
	if (!(p->heads || excerpt) || called_name(p, f) || !is_long_body(p, f)) return NULL;
	if (excerpt) return " ...";
	p->left_out = true;
	return p->flags & PRINT_ONE_LINE ? arena_printf(p->scratch, "%*s", LONG_TEXT + 1, "") : "\n";
}

/* A body that has a definition: a call of it, and its results under these names where it has any. */
static const char *defined_text(GraphPrinter *in, const Function *f, const char *const *field)
{
	Text call, names;
	text_open(&call, in->scratch);
	text_open(&names, in->scratch);
	text_printf(&call, "%s(", called_name(in, f));
	for (uint32_t i = 0; i < f->nparam; i++) text_printf(&call, "%s%s", i ? ", " : "", in->param[i]);
	text_char(&call, ')');
	if (!field) return text_done(&call);
	if (f->nresult == 1) return arena_printf(in->scratch, "{%s = %s}", field[0], text_done(&call));
	for (uint32_t i = 0; i < f->nresult; i++) text_printf(&names, "%s%s", i ? ", " : "", field[i]);
	return arena_printf(in->scratch, "let (%s) = %s in {%s}", text_done(&names), text_done(&call),
		text_done(&names));
}

/* The name of a parameter of a body: the user's where there is one. */
static const char *param_name(GraphPrinter *p, Function *f, uint32_t i, const char *wanted)
{
	const char *name = own_name(f->param_name[i]);
	if (!name) return free_name(p, wanted);
	char *flat = arena_text(p->scratch, name); /* s.q is s_q */
	for (char *c = flat; *c; c++) *c = *c == '.' ? '_' : *c;
	return free_name(p, flat);
}

static bool uses_param(GraphPrinter *p, Function *f, uint32_t i)
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

/* "i < n" where the steps are not told by a sequence, or the body uses the index.  A number that is captured
 * is told by itself alone: who reads this sees what it is made of, of which the size may be another node. */
static void steps_text(GraphPrinter *p, const Node *x, GraphPrinter *in, Text *head, uint32_t *items)
{
	Node *steps = x->arg[0];
	uint32_t carries = scan_carries(x);
	int64_t n;
	bool is_captured = p->outer && steps->op == OP_PARAM;
	bool told = scan_sequences(x) && !is_captured &&
		steps == size_node(p->g, node_dim(x->arg[1 + carries], 0));
	in->param[0] = "0"; /* where nobody uses it */
	told |= scan_is_while(x) && constant_integer(steps, &n) && n == LARGEST;
	if (told && !uses_param(p, scan_body(x), 0)) return;
	in->index = in->param[0] = param_name(p, scan_body(x), 0, "i");
	const char *bound;
	if (steps->op == OP_SIZE)
		bound = size_text(p, steps->attr->v[0].u.size, 0);
	else if (constant_integer(steps, &n))
		bound = arena_printf(p->scratch, "%lld", (long long)n);
	else
		bound = operand(p, steps, LEVEL_SUM);
	head_item(head, items, in->param[0], "<", bound);
}

/* "(c = first, x in xs, i < n": names for the body's parameters; captures are called as they are outside. */
static void scan_head(GraphPrinter *p, const Node *x, GraphPrinter *in, Text *head)
{
	Function *f = scan_body(x);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x), items = 0;
	text_add(head, scan_is_back(x) ? "scan[back] (" : "scan (");
	for (uint32_t i = 0; i < carries; i++) {
		if (is_token(x->arg[1 + i])) continue;
		in->param[1 + i] = param_name(p, f, 1 + i, "c");
		head_item(head, &items, in->param[1 + i], "=", operand(p, x->arg[1 + i], 0));
	}
	for (uint32_t i = 0; i < sequences; i++) {
		uint32_t k = 1 + carries + i;
		in->param[k] = param_name(p, f, k, "x");
		head_item(head, &items, in->param[k], "in", operand(p, x->arg[k], 0));
	}
	steps_text(p, x, in, head, &items);
	for (uint32_t i = 1 + carries + sequences; i < f->nparam; i++) {
		Shown s = shown_node(p, x->arg[i]);
		in->param[i] = s.text;
		in->param_level[i] = s.level;
	}
}

/* The name of result i: its carried value's, or a new one t1, t2, ... of a trace. */
static const char *result_name(const GraphPrinter *in, uint32_t i, uint32_t carries, uint32_t *ntrace)
{
	if (i < carries) return in->param[1 + i];
	for (;;) {
		const char *name = arena_printf(in->scratch, "t%u", ++*ntrace);
		bool clash = false;
		for (uint32_t j = 0; j < carries; j++) {
			const char *carried = in->param[1 + j];
			clash |= carried && !strcmp(name, carried);
		}
		if (!clash) return name;
	}
}

static const char **result_names(const GraphPrinter *in, const Function *f, uint32_t carries)
{
	const char **name = NEW_ARRAY(in->scratch, const char *, f->nresult);
	for (uint32_t i = 0, ntrace = 0; i < f->nresult; i++)
		if (!is_token(f->result[i])) name[i] = result_name(in, i, carries, &ntrace);
	return name;
}

/* The results of a body as a record. */
static void scan_record(GraphPrinter *in, const Function *f, const char *const *field, Text *value)
{
	text_char(value, '{');
	for (uint32_t i = 0, n = 0; i < f->nresult; i++) {
		if (is_token(f->result[i])) continue;
		text_printf(value, "%s%s = %s", n++ ? ", " : "", field[i], operand(in, f->result[i], 0));
	}
	text_char(value, '}');
}

Shown scan_text(GraphPrinter *p, Node *x)
{
	Function *f = scan_body(x);
	uint32_t carries = scan_carries(x);
	Text head, body, value;
	text_open(&head, p->scratch);
	text_open(&body, p->scratch);
	text_open(&value, p->scratch);
	Body own[BODIES_MAX];
	node_bodies(x, own);
	GraphPrinter in = inner_printer(p, x, own, &body);
	scan_head(p, x, &in, &head);
	Shown s = {.level = LEVEL_FORM, .depth = 1};
	s.bare = carries == 1 && f->nresult == 1 && !is_token(f->result[0]);
	s.field = s.bare ? NULL : result_names(&in, f, carries);
	const char *rest = body_left_out(p, f);
	if (rest) {
		s.text = arena_printf(p->scratch, "%s) =>%s", text_done(&head), rest);
		return s;
	}
	if (called_name(p, f)) {
		text_add(&value, defined_text(&in, f, s.field));
	} else {
		print_region(&in, f->nresult, f->result);
		if (s.bare)
			text_add(&value, operand(&in, f->result[0], 0));
		else
			scan_record(&in, f, s.field, &value);
	}
	if (in.began) line_begin(&in);
	const char *whiles = scan_is_while(x) ? arena_printf(p->scratch, " while %s", in.param[1]) : "";
	s.text = arena_printf(p->scratch, "%s)%s =>%s%s%s%s", text_done(&head), whiles,
		in.flags & PRINT_ONE_LINE || !in.began ? " " : "", text_done(&body), in.began ? "in " : "",
		text_done(&value));
	return s;
}

/* ---- branches --------------------------------------------------------------------------------- */

/* " value", or lets on lines of their own and then the value. */
static const char *side_text(GraphPrinter *p, Node *x, const Body *b, const char **field)
{
	Function *f = b->f;
	Text body, value;
	text_open(&body, p->scratch);
	text_open(&value, p->scratch);
	const char *rest = body_left_out(p, f);
	if (rest) return rest;
	GraphPrinter in = inner_printer(p, x, b, &body);
	for (uint32_t i = 0; i < f->nparam; i++) {
		Shown s = shown_node(p, x->arg[b->first + i]);
		in.param[i] = s.text;
		in.param_level[i] = s.level;
	}
	if (called_name(p, f)) return arena_printf(p->scratch, " %s", defined_text(&in, f, field));
	print_region(&in, f->nresult, f->result);
	text_add(&value, field ? "{" : operand(&in, f->result[0], 0));
	for (uint32_t i = 0, n = 0; i < f->nresult && field; i++)
		if (!is_token(f->result[i]))
			text_printf(&value, "%s%s = %s", n++ ? ", " : "", field[i],
				operand(&in, f->result[i], 0));
	text_add(&value, field ? "}" : "");
	if (in.began) line_begin(&in);
	return arena_printf(p->scratch, "%s%s%s%s", in.flags & PRINT_ONE_LINE || !in.began ? " " : "",
		text_done(&body), in.began ? "in " : "", text_done(&value));
}

Shown if_text(GraphPrinter *p, Node *x)
{
	Body b[BODIES_MAX];
	const char *side[BODIES_MAX];
	uint32_t sides = node_bodies(x, b), n = x->type->n;
	Shown s = {.level = LEVEL_FORM, .depth = 1};
	s.bare = n == 1 && x->type->u.elem[0]->kind == TYPE_ARRAY;
	s.field = s.bare ? NULL : NEW_ARRAY(p->scratch, const char *, n);
	for (uint32_t i = 0; i < n && s.field; i++) s.field[i] = arena_printf(p->scratch, "r%u", i + 1);
	for (uint32_t k = 0; k < sides; k++) side[k] = side_text(p, x, &b[k], s.field);
	Text gap;
	text_open(&gap, p->scratch);
	if (strchr(side[0], '\n')) {
		GraphPrinter line = *p;
		line.out = &gap;
		line.indent = p->indent + 2;
		line_begin(&line);
	} else
		text_char(&gap, ' ');
	s.text = arena_printf(p->scratch, "if %s then%s%selse%s", operand(p, x->arg[0], LEVEL_OR), side[0],
		text_done(&gap), side[1]);
	return s;
}

/* ---- functions that are values ------------------------------------------------------------------ */

/* The function that a call calls, "(x, (y1, y2)) => e": of the parameters those from `first` on, so many as
 * stand together, are a tuple. */
static const char *function_text(GraphPrinter *p, const Node *x, uint32_t first, uint32_t together)
{
	Function *f = call_function(x);
	Text head, body, value;
	text_open(&head, p->scratch);
	text_open(&body, p->scratch);
	text_open(&value, p->scratch);
	Body own[BODIES_MAX];
	node_bodies(x, own);
	GraphPrinter in = inner_printer(p, x, own, &body);
	for (uint32_t i = 0, n = 0; i < f->nparam; i++) {
		if (is_token(x->arg[i])) continue;
		in.param[i] = param_name(p, f, i, "x");
		text_printf(&head, "%s%s%s%s", n++ ? ", " : "", together > 1 && i == first ? "(" : "",
			in.param[i], together > 1 && i + 1 == first + together ? ")" : "");
	}
	const char *rest = body_left_out(p, f);
	if (rest) return arena_printf(p->scratch, "(%s) =>%s", text_done(&head), rest);
	if (called_name(p, f) && !call_is_kept(x))
		return arena_printf(p->scratch, "(%s) => %s", text_done(&head), defined_text(&in, f, NULL));
	print_region(&in, f->nresult, f->result);
	result_text(&in, &value, NULL, function_values(f), f->result, false);
	if (in.began) line_begin(&in);
	return arena_printf(p->scratch, "(%s) =>%s%s%s%s", text_done(&head),
		in.flags & PRINT_ONE_LINE || !in.began ? " " : "", text_done(&body), in.began ? "in " : "",
		text_done(&value));
}

static const char *arguments_text(GraphPrinter *p, const Node *x)
{
	Text args;
	text_open(&args, p->scratch);
	for (uint32_t i = 0, n = 0; i < call_function(x)->nparam; i++)
		if (!is_token(x->arg[i]))
			text_printf(&args, "%s%s", n++ ? ", " : "", operand(p, x->arg[i], 0));
	return text_done(&args);
}

Shown lambda_text(GraphPrinter *p, Node *x)
{
	const Function *f = call_function(x);
	const char *args = arguments_text(p, x), *body = called_name(p, f), *kind = call_is_plain(x) ? "" : "exact";
	if (f->flags & FN_CHECKPOINT) kind = "checkpoint";
	if (f->flags & FN_KEPT) kind = "kept";
	if (!body) body = function_text(p, x, 0, 0);
	const char *text = arena_printf(p->scratch, "%s(%s)(%s)", kind, body, args);
	return (Shown){.text = text, .level = LEVEL_ATOM, .depth = 1};
}

static Shown system_text(GraphPrinter *p, Node *x)
{
	uint32_t n = system_size(x);
	Node *apply = system_apply_call(p->g, x), *back = system_transposed_call(p->g, x);
	const char *many = n > 1 ? arena_printf(p->scratch, "[%u]", n) : "", *args = arguments_text(p, x);
	if (!apply || !back) return (Shown){.text = "", .level = LEVEL_ATOM};
	const char *text = arena_printf(p->scratch, "with_system%s(%s, %s, %s)(%s)", many,
		function_text(p, x, 0, 0), function_text(p, apply, 0, 0), function_text(p, back, 0, 0), args);
	return (Shown){.text = text, .level = LEVEL_ATOM, .depth = 1};
}

Shown own_text(GraphPrinter *p, Node *x)
{
	if (system_size(x)) return system_text(p, x);
	Function *f = call_function(x);
	bool pulls = own_derivative(x, OWN_PULLBACK) != NULL;
	const char *args = arguments_text(p, x), *body = function_text(p, x, 0, 0);
	Node *d = own_derivative_call(p->g, x);
	const char *rule = d ? function_text(p, d, f->nparam, f->nresult) : "";
	const char *text = arena_printf(
		p->scratch, "%s(%s, %s)(%s)", pulls ? "with_vjp" : "with_derivative", body, rule, args);
	return (Shown){.text = text, .level = LEVEL_ATOM, .depth = 1};
}
