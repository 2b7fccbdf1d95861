/* print_json.c - the graphs of functions as JSON, for who draws them: every node, with what its text is made
 * of.
 *
 *     {"texts": [...], "types": ["f64[n]", ...],
 *      "labels": [["$0 @ $1", "@", "contract"], ...],    text, operator, class; $k: operand k
 *      "origins": [[file, line, let, rule, derived], ...],    file, let and rule as numbers of texts
 *      "functions": [{"name": text, "params": [[text, type], ...], "results": [[place, text], ...],
 *                     "nodes": [[label, type, origin, operands...], ...],    an operand k places before: k
 *                     "bodies": {"place": [[function, bound, first, carried, walked], ...]}}, ...]}
 *
 * Needs closed functions of one graph, each added with all that its nodes hold; a function stands there once.
 * Texts are made as the printer of the notation makes them, of one operator each: operands are $k, but for
 * literals and sizes, which stand where they are used.
 */
#include "print_graph.h"

/* What was written once is a number from then on. */
typedef struct Numbered {
	Names names;
	NameMap number;
	const char **text;
	uint32_t n, cap;
} Numbered;

typedef struct JsonFunction {
	Function *f;
	const char **size; /* what its sizes are called where it was met first; NULL: nowhere */
	const Signature *signature;
	Region *region;
	const char *text;
	uint32_t *inner, ninner, inner_cap; /* functions that its nodes hold */
} JsonFunction;

struct JsonGraphs {
	Graph *g;
	Arena *arena;
	IdMap known; /* function -> its number + 1 */
	JsonFunction *v;
	uint32_t n, cap;
	Numbered texts, types, labels, origins;
};

static void numbers_open(Numbered *n, Arena *a)
{
	*n = (Numbered){0};
	names_open(&n->names, a);
	namemap_open(&n->number, a);
}

static uint32_t number_of(Numbered *n, const char *text)
{
	const char *name = names_get(&n->names, text, strlen(text));
	uintptr_t at = (uintptr_t)namemap_get(&n->number, name);
	if (at) return (uint32_t)at - 1;
	GROW(n->names.arena, n->text, n->n, n->cap);
	n->text[n->n++] = name;
	namemap_put(&n->number, name, (void *)(uintptr_t)n->n);
	return n->n - 1;
}

JsonGraphs *json_graphs_open(Graph *g)
{
	Arena *a = arena_child(g->arena);
	JsonGraphs *j = NEW(a, JsonGraphs);
	*j = (JsonGraphs){.g = g, .arena = a};
	idmap_open(&j->known, a);
	numbers_open(&j->texts, a);
	numbers_open(&j->types, a);
	numbers_open(&j->labels, a);
	numbers_open(&j->origins, a);
	number_of(&j->texts, "");
	return j;
}

void json_graphs_close(JsonGraphs *j)
{
	if (j) arena_free(j->arena);
}

uint32_t json_graphs_text(JsonGraphs *j, const char *text)
{
	return number_of(&j->texts, text ? text : "");
}

static uint32_t add_function(JsonGraphs *j, Function *f, const char **size, const Signature *s)
{
	uintptr_t known = (uintptr_t)idmap_get(&j->known, f->id);
	if (known) return (uint32_t)known - 1;
	GROW(j->arena, j->v, j->n, j->cap);
	j->v[j->n++] = (JsonFunction){.f = f, .size = size, .signature = s};
	idmap_put(&j->known, f->id, (void *)(uintptr_t)j->n);
	return j->n - 1;
}

/* ---- a node ------------------------------------------------------------------------------- */

static const char *type_name(GraphPrinter *p, const Type *t)
{
	if (t->kind == TYPE_TOKEN) return "effect";
	if (t->kind == TYPE_ARRAY) return type_text(p, t);
	Text out;
	text_open(&out, p->scratch);
	for (uint32_t i = 0; i < t->n; i++)
		text_printf(&out, "%s%s", i ? ", " : "(", type_name(p, t->u.elem[i]));
	text_add(&out, ")");
	return text_done(&out);
}

static const char *let_name(const Node *x)
{
	if (!x->narg) return NULL; /* leaves are shared by functions */
	for (const Origin *o = x->origin; o; o = o->next)
		if (o->name && !strchr(o->name, '.')) return o->name;
	return NULL;
}

static uint32_t origin_of(JsonGraphs *j, const Node *x)
{
	const Where *where = NULL;
	const char *name = let_name(x), *rule = NULL;
	for (const Origin *o = x->origin; o; o = o->next) {
		if (o->where.line && !where) where = &o->where;
		if (o->rule && !rule) rule = o->rule;
	}
	return number_of(&j->origins,
		arena_printf(j->arena, "%u,%d,%u,%u,%d", json_graphs_text(j, where ? where->file : NULL),
			where ? where->line : 0, json_graphs_text(j, name), json_graphs_text(j, rule),
			node_is_derived(x)));
}

/* Of more elements than a label has room for: it is drawn, not written where it is used. */
static bool is_data(const Node *x)
{
	enum { SHORT_DATA = 4 };
	return x->op == OP_CONST && x->attr->v[0].u.data->bytes > SHORT_DATA * dtype_bytes(node_dtype(x));
}

bool stands_in_text(const Node *x)
{
	return (x->op == OP_CONST && !is_data(x)) || is_weak_size(x);
}

static const char *node_class(GraphPrinter *p, const Node *x)
{
	static const char *const names[] = {"leaf", "map", "fold", "cumulative", "view", "index", "contract",
		"solve", "random", "control"};
	if (x->op == OP_CONST) return is_data(x) ? "data" : "literal";
	if (x->op == OP_PARAM) return "param";
	if (x->op == OP_GET) return "get";
	if (is_weak_size(x)) return "literal";
	return is_spread(p, x) ? "spread" : names[op_info[x->op].class];
}

static void param_usually(GraphPrinter *p, uint32_t k)
{
	const char *name = p->function->param_name[k];
	p->param[k] = name ? name : arena_printf(p->scratch, "x%u", k + 1);
}

/* What a node is called in a size that is counted by it: as the user does, or after its operator. */
static void name_usually(GraphPrinter *p, const Node *x)
{
	uint32_t at = region_place(p->r, x);
	if (x->op == OP_PARAM) {
		param_usually(p, (uint32_t)attr_int(x, 0));
	} else if (!stands_in_text(x)) {
		const char *name = let_name(x);
		if (!name) name = op_info[x->op].text;
		p->shown[at] = (Shown){.text = name, .level = LEVEL_ATOM, .named = true};
	}
}

/* What stands for the operands while the node's text is made. */
static void name_operands(GraphPrinter *p, const Node *x, bool on)
{
	for (uint32_t k = 0; k < x->narg; k++) {
		const char *text = arena_printf(p->scratch, "$%u", k);
		for (const Node *y = x->arg[k];; y = y->arg[0]) {
			if (!on)
				name_usually(p, y);
			else if (y->op == OP_PARAM)
				p->param[attr_int(y, 0)] = text;
			else if (!stands_in_text(y))
				p->shown[region_place(p->r, y)] =
					(Shown){.text = text, .level = LEVEL_ATOM, .named = true};
			if (!is_spread(p, y)) break;
		}
	}
}

static const char *loop_text(GraphPrinter *p, const Node *x)
{
	if (scan_is_while(x)) return "while";
	return arena_printf(p->scratch, "%s, %s passes", scan_is_back(x) ? "scan back" : "scan",
		index_text(p, x->arg[0]).text);
}

static const char *label_text(GraphPrinter *p, Node *x)
{
	const Function *f = x->op == OP_CALL ? call_function(x) : NULL;
	if (x->op == OP_PARAM) return arena_printf(p->scratch, "%lld", (long long)attr_int(x, 0));
	if (x->op == OP_GET) return arena_printf(p->scratch, "%lld", (long long)attr_int(x, 0));
	if (x->op == OP_SCAN) return loop_text(p, x);
	if (x->op == OP_IF) return "if $0";
	if (is_data(x)) return "constant";
	if (f && !(f->flags & FN_OP)) return f->name ? f->name : "function";
	return x->op == OP_ORDER ? effect_text(p, x) : node_text(p, x).text;
}

static void write_node(JsonGraphs *j, GraphPrinter *p, Text *t, uint32_t at)
{
	Node *x = p->r->node[at];
	Text label;
	text_open(&label, p->scratch);
	name_operands(p, x, true);
	json_quote(&label, label_text(p, x));
	name_operands(p, x, false);
	text_char(&label, ',');
	json_quote(&label, op_info[x->op].text);
	text_printf(&label, ",\"%s\"", node_class(p, x));
	text_printf(t, at ? ",[%u,%u,%u" : "[%u,%u,%u", number_of(&j->labels, text_done(&label)),
		number_of(&j->types, type_name(p, x->type)), origin_of(j, x));
	for (uint32_t k = 0; k < x->narg; k++) text_printf(t, ",%u", at - region_place(p->r, x->arg[k]));
	text_char(t, ']');
}

/* ---- a function ----------------------------------------------------------------------------- */

/* The sizes that a body is given, as its holder writes them. */
static const char **given_sizes(Arena *a, GraphPrinter *p, const Node *x, const Body *b)
{
	const Size **size = body_sizes(p->scratch, x, b);
	const char **text = NEW_ARRAY(a, const char *, b->f->nsize + 1);
	for (uint32_t i = 0; i < b->f->nsize; i++)
		text[i] = arena_text(a, size_text(p, size[i], LEVEL_ATOM));
	return text;
}

static void write_bodies(JsonGraphs *j, uint32_t own, GraphPrinter *p, Text *t)
{
	const Region *r = p->r;
	bool first = true;
	for (uint32_t i = 0; i < r->n; i++) {
		Body b[BODIES_MAX];
		uint32_t n = node_bodies(r->node[i], b);
		bool loop = r->node[i]->op == OP_SCAN;
		if (!n) continue;
		text_printf(t, first ? "\"%u\":[" : ",\"%u\":[", i);
		first = false;
		for (uint32_t k = 0; k < n; k++) {
			const char **sizes = given_sizes(j->arena, p, r->node[i], &b[k]);
			uint32_t inner = add_function(j, b[k].f, sizes, NULL);
			JsonFunction *f = &j->v[own];
			GROW(j->arena, f->inner, f->ninner, f->inner_cap);
			f->inner[f->ninner++] = inner;
			text_printf(t, k ? ",[%u,%u,%u,%u,%u]" : "[%u,%u,%u,%u,%u]", inner, b[k].bound,
				b[k].first, loop ? scan_carries(r->node[i]) : 0,
				loop ? scan_sequences(r->node[i]) : 0);
		}
		text_char(t, ']');
	}
}

/* The paths of the results, where a signature tells them. */
static void result_paths(Arena *a, const Structure *s, const char *path, const char **out)
{
	if (s->kind == B_NODE) out[s->leaf] = path;
	for (uint32_t i = 0; i < s->n; i++) {
		const char *field = s->kind == B_RECORD ? s->field[i] : arena_printf(a, "%u", i);
		result_paths(a, s->elem[i], *path ? arena_printf(a, "%s.%s", path, field) : field, out);
	}
}

static void open_printer(GraphPrinter *p, Graph *g, const JsonFunction *own, Arena *scratch)
{
	const Function *f = own->f;
	*p = (GraphPrinter){.g = g, .scratch = scratch, .names = names_new(scratch), .function = f};
	p->r = own->region;
	p->shown = NEW_ARRAY(scratch, Shown, p->r->n + 1);
	p->param = NEW_ARRAY(scratch, const char *, f->nparam + 1);
	p->size_name = NEW_ARRAY(scratch, const char *, f->nsize + 1);
	for (uint32_t i = 0; i < f->nsize; i++) {
		const char *given = own->size ? own->size[i] : f->size_name[i];
		p->size_name[i] = given ? given : arena_printf(scratch, "s%u", i + 1);
	}
	for (uint32_t i = 0; i < f->nparam; i++) param_usually(p, i);
	for (uint32_t i = 0; i < p->r->n; i++) name_usually(p, p->r->node[i]);
}

static void write_function(JsonGraphs *j, uint32_t number)
{
	Arena *scratch = arena_child(j->g->arena);
	JsonFunction *own = &j->v[number];
	Function *f = own->f;
	const Signature *s = own->signature;
	GraphPrinter p;
	Text t;
	own->region = region_of(j->arena, f->nresult, f->result);
	open_printer(&p, j->g, own, scratch);
	const char **path = NEW_ARRAY(scratch, const char *, f->nresult + 1);
	if (s && s->result) result_paths(scratch, s->result, "", path);
	text_open(&t, j->arena);
	text_printf(&t, "{\"name\":%u,\"params\":[", json_graphs_text(j, s ? s->name : f->name));
	for (uint32_t i = 0; i < f->nparam; i++)
		text_printf(&t, i ? ",[%u,%u]" : "[%u,%u]", json_graphs_text(j, f->param_name[i]),
			number_of(&j->types, type_name(&p, f->param[i])));
	text_add(&t, "],\"results\":[");
	for (uint32_t i = 0; i < f->nresult; i++)
		text_printf(&t, i ? ",[%u,%u]" : "[%u,%u]", region_place(p.r, f->result[i]),
			json_graphs_text(j, path[i]));
	text_add(&t, "],\n\"nodes\":[");
	for (uint32_t i = 0; i < p.r->n; i++) write_node(j, &p, &t, i);
	text_add(&t, "],\n\"bodies\":{");
	write_bodies(j, number, &p, &t);
	text_add(&t, "}}");
	j->v[number].text = text_done(&t);
	arena_free(scratch);
}

uint32_t json_graphs_add(JsonGraphs *j, Function *f, const Signature *s)
{
	uint32_t done = j->n, number = add_function(j, f, NULL, s);
	for (; done < j->n; done++) write_function(j, done);
	return number;
}

int64_t json_graphs_number(const JsonGraphs *j, const Function *f)
{
	return f ? (int64_t)(uintptr_t)idmap_get(&j->known, f->id) - 1 : -1;
}

bool json_graphs_find(const JsonGraphs *j, uint32_t root, const Node *x, uint32_t found[2])
{
	enum { MOST = 64 };
	uint32_t list[MOST] = {root}, n = 1;
	for (uint32_t i = 0; i < n; i++) {
		const JsonFunction *f = &j->v[list[i]];
		uint32_t at = region_place(f->region, x);
		if (at != UINT32_MAX) {
			found[0] = list[i];
			found[1] = at;
			return true;
		}
		for (uint32_t k = 0; k < f->ninner && n < MOST; k++) list[n++] = f->inner[k];
	}
	return false;
}

/* ---- for a picture of one function -------------------------------------------------------------- */

struct OperatorTexts {
	GraphPrinter p;
};

OperatorTexts *operator_texts(Graph *g, Arena *scratch, Function *f, const char **sizes)
{
	OperatorTexts *o = NEW(scratch, OperatorTexts);
	JsonFunction own = {.f = f, .size = sizes, .region = region_of(scratch, f->nresult, f->result)};
	open_printer(&o->p, g, &own, scratch);
	return o;
}

const char **operator_sizes(OperatorTexts *o, const Node *x, const Body *b)
{
	return given_sizes(o->p.scratch, &o->p, x, b);
}

const Region *operator_region(const OperatorTexts *o)
{
	return o->p.r;
}

const char *operator_text(OperatorTexts *o, Node *x)
{
	name_operands(&o->p, x, true);
	const char *text = label_text(&o->p, x);
	name_operands(&o->p, x, false);
	return text;
}

const char *operator_type(OperatorTexts *o, const Type *t)
{
	return type_name(&o->p, t);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void write_list(Text *t, const char *key, const Numbered *n, const char *ends)
{
	text_printf(t, "\"%s\":[", key);
	for (uint32_t i = 0; i < n->n; i++) {
		text_add(t, i ? ",\n" : "");
		if (*ends)
			text_printf(t, "%c%s%c", ends[0], n->text[i], ends[1]);
		else
			json_quote(t, n->text[i]);
	}
	text_add(t, "],\n");
}

void json_graphs_write(Text *t, const JsonGraphs *j)
{
	text_char(t, '{');
	write_list(t, "texts", &j->texts, "");
	write_list(t, "types", &j->types, "");
	write_list(t, "labels", &j->labels, "[]");
	write_list(t, "origins", &j->origins, "[]");
	text_add(t, "\"functions\":[");
	for (uint32_t i = 0; i < j->n; i++) text_printf(t, i ? ",\n%s" : "%s", j->v[i].text);
	text_add(t, "]}");
}
