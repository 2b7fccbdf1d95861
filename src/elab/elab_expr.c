/* elab_expr.c - expressions to values: numbers, names, arrays, structures; other forms are in other files. */
#include "elaborator.h"
#include "../base/stack.h"
#include "../ir/whole.h"

#include <math.h>
#include <stdio.h>

/* ---- places and messages ----------------------------------------------------------- */

/* Inside a function of the library nodes belong to the line of the user's call. */
void at(Elab *e, const Syntax *s)
{
	if (!e->library_calls && s->where.line) e->g->where = s->where;
}

void *fail_at_syntax(Elab *e, const Syntax *s, int code, const char *format, ...)
{
	if (e->g->error.code) return NULL;
	at(e, s);
	va_list args;
	va_start(args, format);
	fail_list(&e->g->error, code, e->g->where, format, args);
	va_end(args);
	return NULL;
}

/* For a message: one line, and no longer than one reads there. */
const char *shown(Elab *e, const Syntax *s)
{
	enum { LONG = 60 };
	Text t;
	text_open(&t, e->g->arena);
	print_syntax(&t, s);
	char *text = text_done(&t), *line = strchr(text, '\n');
	size_t n = line ? (size_t)(line - text) : strlen(text);
	if (!line && n <= LONG) return text;
	n = n > LONG ? LONG : n;
	while (n && ((unsigned char)text[n] & 0xC0) == 0x80) n--;
	text[n] = 0;
	return arena_printf(e->g->arena, "%s...", text);
}

const char *shown_type(Elab *e, const Binding *b)
{
	Text t;
	text_open(&t, e->g->arena);
	binding_print_type(&t, b);
	return text_done(&t);
}

/* ---- names ------------------------------------------------------------------------------ */

static Binding *named_constant(Graph *g, const char *name)
{
	if (!strcmp(name, "pi")) return bind_node(g, weak_float(g, 3.14159265358979323846));
	if (!strcmp(name, "inf")) return bind_node(g, weak_float(g, INFINITY));
	if (!strcmp(name, "nan")) return bind_node(g, weak_float(g, NAN));
	if (!strcmp(name, "true") || !strcmp(name, "false"))
		return bind_node(g, constant_int(g, type_scalar(g, DT_BOOL), name[0] == 't'));
	return NULL;
}

/* Worked out when it is first named, and then kept: declarations stand in any order, and what a program does
 * not use is neither elaborated nor wrong. */
static Binding *declared_value(Elab *e, Module *m, Decl *d)
{
	if (d->value) return d->value;
	if (d->busy) return fail_at_syntax(e, d->syntax, ERR_NAME, "%s needs itself", d->name);
	if (d->syntax->kind == SYN_FN || d->syntax->kind == SYN_OP)
		return d->value = bind_function(e->g,
			       &(FunctionValue){.kind = F_DEFINITION,
				       .syntax = d->syntax,
				       .env = {m->scope, 0},
				       .name = d->name});
	if (d->syntax->kind == SYN_USE) {
		const Syntax *path = d->syntax->part[0];
		Module *used = path->kind == SYN_NAME
			? module_library(e->g, path->name)
			: fail_at_syntax(e, path, ERR_NAME, "%s: there is no such module", shown(e, path));
		if (!used) return NULL;
		d->value = NEW(e->g->arena, Binding);
		d->value->kind = B_MODULE;
		d->value->module = used;
		return d->value;
	}
	if (d->syntax->kind != SYN_BIND)
		return fail_at_syntax(e, d->syntax, ERR_NAME, "%s is a type, not a value", d->name);
	/* let (a, b) = e: each name of the pattern is declared by the same step */
	d->busy = true;
	Env env = env_open(e, (Env){m->scope, 0});
	const Pure pure = pure_begin(e, "what a file declares with let");
	Binding *value = elab(e, env, d->syntax->part[2]);
	e->pure = pure;
	if (value && d->syntax->part[1]) {
		TypeTerm *t = type_term(e, env, d->syntax->part[1]);
		value = t ? match_type(e, d->syntax->part[2], d->name, t, value) : NULL;
	}
	if (value && bind_pattern(e, &env, d->syntax->part[0], value)) d->value = scope_own(env, d->name);
	d->busy = false;
	return d->value;
}

Binding *module_member(Elab *e, Module *m, const Syntax *s, const char *name)
{
	Decl *d = module_decl(m, name);
	if (!d) return no_member(e, m, s, name);
	if (d->syntax->kind == SYN_TYPE)
		return bind_type(
			e->g, type_term(e, (Env){m->scope, 0}, syntax_name(e->g->arena, s->where, d->name)));
	uint32_t depth = e->library_calls;
	e->library_calls += m->library;
	Binding *b = declared_value(e, m, d);
	e->library_calls = depth;
	return b;
}

/* What a module sees: its own declarations, then the prelude's. */
static Binding *global(Elab *e, Module *m, const Syntax *s, bool *found)
{
	for (int i = 0; i < 2; i++) {
		Module *in = i ? e->lib->prelude : m;
		if (in && (*found = module_decl(in, s->name) != NULL))
			return module_member(e, in, s, s->name);
	}
	return NULL;
}

static bool operator_same(const void *item, const void *key)
{
	return ((const Binding *)item)->function->name == key;
}

/* The operator of this name, one value for all who ask. */
static Binding *operator_value(Elab *e, const char *name)
{
	uint32_t h = hash_mix(0, (uint64_t)(uintptr_t)name);
	Binding *b = table_find(&e->lib->operators, h, name, operator_same);
	if (b || !(is_builtin(name) || is_derivative(name))) return b;
	b = bind_function(e->g, &(FunctionValue){.kind = F_OPERATOR, .name = name});
	table_add(&e->lib->operators, h, b);
	return b;
}

/* What is nearer to the line comes first, so that a program may use any name for its own, and a new one in
 * the library or the language changes no program. */
Binding *lookup(Elab *e, Env env, const Syntax *s)
{
	Binding *b = env_local(env, s->name);
	if (b && b->kind == B_ALIAS) return elab(e, b->alias->env, b->alias->syntax);
	if (b) return b;
	bool found = false;
	b = global(e, env.scope ? env.scope->module : NULL, s, &found);
	if (found) return b;
	if ((b = named_constant(e->g, s->name))) return b;
	if (dtype_named(s->name, strlen(s->name)) != DT_NONE) return bind_type(e->g, type_term(e, env, s));
	if ((b = operator_value(e, s->name))) return b;
	if (is_own_bracket(e, s->name))
		return fail_at_syntax(e, s, ERR_NAME,
			"%s has no value: it stands in the brackets of %s, as in %s[%s = 3](...)", s->name,
			e->active->name, e->active->name, s->name);
	if (names_effect(s->name))
		return fail_at_syntax(e, s, ERR_NAME,
			"%s has no value: it is an effect, which stands as a step, do %s(x) in e", s->name,
			s->name);
	return undeclared(e, env, s);
}

/* ---- numbers, arrays, structures ------------------------------------------------------------ */

/* As it is written, with _ between digits. */
static Node *large_number(Graph *g, const char *text)
{
	bool negative = *text == '-', hex = text[negative + 1] == 'x';
	char *digits = arena_alloc(g->arena, strlen(text) + 1), *to = digits;
	for (const char *s = text + negative + (hex ? 2 : 0); *s; s++)
		if (*s != '_') *to++ = *s;
	*to = 0;
	Whole w;
	if (!whole_read(&w, digits, hex ? 16 : 10)) return NULL; /* the lexer has asked */
	w = negative ? whole_minus(&w) : w;
	return whole_number(g, &w);
}

static Binding *number(Elab *e, const Syntax *s)
{
	Graph *g = e->g;
	at(e, s);
	if (s->number == NUMBER_INTEGER) return bind_node(g, weak_int(g, s->integer));
	if (s->number == NUMBER_WHOLE) return bind_node(g, large_number(g, s->text));
	if (s->number == NUMBER_REAL) return bind_node(g, weak_float(g, s->real));
	return bind_node(g, constant(g, type_scalar(g, DT_WEAK_COMPLEX), (double[]){0, s->real}));
}

static void stacked_shape(Graph *g, uint32_t n, const Type *row, const Size **dim)
{
	dim[0] = size_const(g, n);
	memcpy(dim + 1, row->u.dim, row->n * sizeof *dim);
}

static Node *stack_whole(Graph *g, uint32_t n, Node *const *x, int64_t count)
{
	Whole *w = NEW_ARRAY(g->arena, Whole, n * (size_t)count + 1);
	const Size *dim[RANK_MAX];
	for (uint32_t i = 0; i < n; i++)
		for (int64_t k = 0; k < count; k++) whole_at(x[i], k, &w[i * count + k]);
	stacked_shape(g, n, x[0]->type, dim);
	return whole_data(g, x[0]->type->n + 1, dim, n * count, w);
}

/* Constants of one shape lie together as data. */
static Node *stack_constants(Graph *g, uint32_t n, Node *const *x)
{
	Dtype d = n ? literal_dtype(x[0]) : DT_NONE;
	int64_t count;
	for (uint32_t i = 0; i < n; i++)
		if (x[i]->op != OP_CONST || x[i]->type->n != x[0]->type->n || x[i]->type->n + 1 > RANK_MAX ||
			memcmp(x[i]->type->u.dim, x[0]->type->u.dim, x[0]->type->n * sizeof(Size *)) ||
			(d = dtype_promote(d, literal_dtype(x[i]))) == DT_NONE)
			return NULL;
	if (!n || !size_is(type_elements(g, x[0]->type), &count) || count > 1 << 20) return NULL;
	if (d == DT_WEAK_INT) return stack_whole(g, n, x, count);
	size_t size = dtype_bytes(d), row = size * (size_t)count;
	unsigned char *bytes = NEW_ARRAY(g->arena, unsigned char, n *row + 1);
	for (uint32_t i = 0; i < n; i++) {
		Node *y = dtype_is_weak(node_dtype(x[i])) && !dtype_is_integer(d)
			? convert_constant(g, x[i], d)
			: cast(g, x[i], d);
		if (!y || y->op != OP_CONST) return NULL;
		for (int64_t k = 0; k < count; k++)
			memcpy(bytes + i * row + (size_t)k * size,
				(const char *)constant_bytes(y) +
					(constant_is_uniform(y) ? 0 : (size_t)k * size),
				size);
	}
	const Size *dim[RANK_MAX];
	stacked_shape(g, n, x[0]->type, dim);
	return constant_data(g, type_array(g, d, x[0]->type->n + 1, dim), bytes);
}

static Node *ragged(Elab *e, uint32_t i, Node *const *x)
{
	return graph_fail(e->g, ERR_TYPE,
		"[...]: element 1 is %s, element %u is %s; elements have one shape, and concat(x, y) joins arrays",
		shown_type(e, bind_node(e->g, x[0])), i + 1, shown_type(e, bind_node(e->g, x[i])));
}

/* A literal of numbers becomes one array of data, not a concatenation of as many nodes. */
static Node *stack_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	Graph *g = e->g;
	(void)user;
	Node *data = stack_constants(g, n, x);
	if (data || g->error.code) return data;
	const Size *dim[RANK_MAX] = {0};
	uint32_t rank = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (x[i]->type->kind != TYPE_ARRAY)
			return graph_fail(g, ERR_TYPE, "[...]: an element is no array");
		rank = node_rank(x[i]) > rank ? node_rank(x[i]) : rank;
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0, lead = rank - node_rank(x[i]); k < node_rank(x[i]); k++)
			if (dim[lead + k] && sizes_clash(g, dim[lead + k], node_dim(x[i], k)))
				return ragged(e, i, x);
			else if (!dim[lead + k] || size_equals(dim[lead + k], 1))
				dim[lead + k] = node_dim(x[i], k);
	Node **row = NEW_ARRAY(g->arena, Node *, n);
	for (uint32_t i = 0; i < n; i++) {
		row[i] = unsqueeze(g, broadcast_to(g, x[i], rank, dim), 1, (int64_t[]){0});
		if (!row[i]) return NULL;
	}
	return concat(g, 0, n, row);
}

static Binding *stack_values(Elab *e, const Syntax *s, uint32_t n, Binding *const *x)
{
	bool structures = false;
	for (uint32_t i = 0; i < n; i++) structures |= is_structure(x[i]);
	if (!n) return fail_at_syntax(e, s, ERR_TYPE, "[]: an empty array has no type; write f64[0](0)");
	if (!structures) {
		Node **leaf = NEW_ARRAY(e->g->arena, Node *, n);
		for (uint32_t i = 0; i < n; i++) {
			if (x[i]->kind != B_NODE)
				return fail_at_syntax(e, s, ERR_TYPE, "%s: given %s, wanted arrays",
					shown(e, s), kind_text(x[i]));
			leaf[i] = x[i]->node;
		}
		return bind_node(e->g, stack_leaf(e, NULL, n, leaf));
	}
	return on_leaves(e, s, n, x, stack_leaf, NULL);
}

static Binding *elements(Elab *e, Env env, const Syntax *s)
{
	Binding **x = NEW_ARRAY(e->g->arena, Binding *, s->count);
	for (uint32_t i = 0; i < s->count; i++)
		if (!(x[i] = elab(e, env, s->part[i]))) return NULL;
	at(e, s);
	return s->kind == SYN_TUPLE ? bind_tuple(e->g, s->count, x) : stack_values(e, s, s->count, x);
}

static Binding *record(Elab *e, Env env, const Syntax *s)
{
	Binding **x = NEW_ARRAY(e->g->arena, Binding *, s->count);
	const char **name = NEW_ARRAY(e->g->arena, const char *, s->count);
	NameMap met;
	namemap_open(&met, e->g->arena);
	for (uint32_t i = 0; i < s->count; i++) {
		name[i] = s->part[i]->name;
		if (namemap_get(&met, name[i]))
			return fail_at_syntax(e, s->part[i], ERR_NAME, "%s: field %s is given twice",
				shown(e, s), name[i]);
		namemap_put(&met, name[i], (void *)(uintptr_t)name[i]);
		if (!(x[i] = elab(e, env, s->part[i]->part[0]))) return NULL;
	}
	return bind_record(e->g, s->count, name, x);
}

static Node *turn_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	(void)user;
	(void)n;
	return turn(e->g, x[0]);
}

Module *module_of_field(Elab *e, Module *m, const Syntax *s)
{
	const Syntax *base = s->part[0];
	if (m->file || m->library || base->kind != SYN_NAME || !module_is_embedded(base->name)) return NULL;
	return module_decl(m, base->name) ? NULL : module_library(e->g, base->name);
}

static Binding *field(Elab *e, Env env, const Syntax *s)
{
	const Syntax *base = s->part[0];
	const bool global_name = base->kind == SYN_NAME && !env_local(env, base->name);
	Module *m = global_name && env.scope ? env.scope->module : NULL;
	if (m && (m = module_of_field(e, m, s))) return module_member(e, m, s, s->name);
	Binding *x = elab(e, env, base);
	if (!x) return NULL;
	at(e, s);
	if (x->kind == B_MODULE) return module_member(e, x->module, s, s->name);
	Binding *f = binding_field(x, s->name);
	if (f) return f;
	if (x->kind == B_NODE && !strcmp(s->name, "T")) return on_leaves(e, s, 1, &x, turn_leaf, NULL);
	return no_field(e, s, x);
}

/* ---- all forms ----------------------------------------------------------------------------------- */

static Binding *subscripts(Elab *e, Env env, const Syntax *s)
{
	/* f64[m, n] and tree[n] begin with a name that may stand for a type with parameters */
	const Syntax *base = s->part[0];
	while (base->kind == SYN_SUBSCRIPTS) base = base->part[0];
	Binding *x;
	if (base->kind == SYN_NAME && !env_local(env, base->name)) {
		Decl *d = env.scope && env.scope->module ? module_decl(env.scope->module, base->name) : NULL;
		if (!d && e->lib->prelude) d = module_decl(e->lib->prelude, base->name);
		if (d ? d->syntax->kind == SYN_TYPE : dtype_named(base->name, strlen(base->name)) != DT_NONE)
			return bind_type(e->g, type_term(e, env, s));
	}
	if (!(x = elab(e, env, s->part[0]))) return NULL;
	if (x->kind == B_TYPE)
		return bind_type(e->g,
			base->kind == SYN_NAME || base->kind == SYN_FIELD ? type_term(e, env, s)
									  : type_batch(e, env, x->type, s));
	if (x->kind == B_FUNCTION) {
		FunctionValue f = *x->function;
		if (f.brackets)
			return fail_at_syntax(e, s, ERR_TYPE, "%s: brackets are given twice", shown(e, s));
		f.brackets = s;
		f.brackets_env = env;
		return bind_function(e->g, &f);
	}
	return elab_index(e, env, s, x);
}

/* Not within dispatch(), whose frame stands on the stack for every expression within another. */
__attribute__((noinline)) static Binding *lambda(Elab *e, Env env, const Syntax *s)
{
	const FunctionValue f = {.kind = F_LAMBDA, .syntax = s, .env = env, .name = "(...) =>"};
	return bind_function(e->g, &f);
}

static Binding *dispatch(Elab *e, Env env, const Syntax *s)
{
	const Op power = OP_POW;
	switch ((SyntaxKind)s->kind) {
	case SYN_NUMBER: return number(e, s);
	case SYN_NAME: return lookup(e, env, s);
	case SYN_TUPLE:
	case SYN_ARRAY: return elements(e, env, s);
	case SYN_CURLY: return record(e, env, s);
	case SYN_CALL: return elab_call(e, env, s);
	case SYN_SUBSCRIPTS: return subscripts(e, env, s);
	case SYN_FIELD: return field(e, env, s);
	case SYN_POWER: {
		Binding *x[2] = {elab(e, env, s->part[0]), NULL};
		if (!x[0] || !(x[1] = elab(e, env, s->part[1]))) return NULL;
		at(e, s);
		return on_leaves(e, s, 2, x, arith_leaf, &power);
	}
	case SYN_UNARY: return elab_unary(e, env, s);
	case SYN_CHAIN: return elab_chain(e, env, s);
	case SYN_COMPARE: return elab_compare(e, env, s);
	case SYN_LET: return elab_let(e, env, s);
	case SYN_IF: return elab_if(e, env, s);
	case SYN_SCAN: return elab_scan(e, env, s);
	case SYN_WITH: return elab_with(e, env, s);
	case SYN_LAMBDA: return lambda(e, env, s);
	case SYN_FORMULA: return elab_formula(e, env, s);
	case SYN_RECORD:
	case SYN_ARROW: return bind_type(e->g, type_term(e, env, s));
	default: return fail_at_syntax(e, s, ERR_SYNTAX, "%s: no expression", shown(e, s));
	}
}

static Binding *too_deep(Elab *e, const Syntax *s)
{
	const char *name = e->active ? e->active->name : NULL;
	return fail_at_syntax(e, s, ERR_VALUE, "%s%s%s",
		e->depth >= ELAB_DEPTH ? "calls nest too deep"
				       : "this is nested deeper than the stack of this thread has room for",
		name ? ": does this recursion end? " : "", name ? name : "");
}

Binding *elab(Elab *e, Env env, const Syntax *s)
{
	if (!s || e->g->error.code) return NULL;
	if (e->depth >= ELAB_DEPTH || stack_left() < STACK_SPARE) return too_deep(e, s);
	watch_step(e->g->arena, e->g->watch, 4);
	e->depth++;
	at(e, s);
	uint32_t counted = e->ncounted;
	Binding *b = ask_lengths(e, dispatch(e, env, s), counted);
	e->depth--;
	return b;
}

Node *elab_array(Elab *e, Env env, const Syntax *s)
{
	Binding *b = elab(e, env, s);
	return b ? array_in(e, s, b) : NULL;
}

Node *array_in(Elab *e, const Syntax *s, const Binding *b)
{
	if (b->kind != B_NODE || b->node->type->kind != TYPE_ARRAY)
		return fail_at_syntax(
			e, s, ERR_TYPE, "%s: %s where one array is wanted", shown(e, s), kind_text(b));
	return b->node;
}
