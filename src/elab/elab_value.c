/* elab_value.c - values of the elaborator: structures and their leaves, numbers known while building,
 * environments. */
#include "elaborator.h"

/* ---- making values ------------------------------------------------------------------- */

Binding *bind_node(Graph *g, Node *x)
{
	if (!x) return NULL;
	Binding *b = NEW(g->arena, Binding);
	b->kind = B_NODE;
	b->node = x;
	return b;
}

Binding *bind_tuple(Graph *g, uint32_t n, Binding *const *elem)
{
	Binding *b = NEW(g->arena, Binding);
	b->kind = B_TUPLE;
	b->n = n;
	b->elem = NEW_ARRAY(g->arena, Binding *, n);
	for (uint32_t i = 0; i < n; i++)
		if (!(b->elem[i] = elem[i])) return NULL;
	return b;
}

/* The places of the names by their code points: runs of sorted ones are merged until there is one. */
static uint32_t *name_order(Arena *a, uint32_t n, const char *const *names)
{
	uint32_t *order = NEW_ARRAY(a, uint32_t, n), *next = NEW_ARRAY(a, uint32_t, n);
	for (uint32_t i = 0; i < n; i++) order[i] = i;
	for (uint32_t run = 1; run && run < n; run *= 2) {
		for (uint32_t first = 0; first < n; first += 2 * run) {
			uint32_t middle = n - first < run ? n : first + run;
			uint32_t end = n - middle < run ? n : middle + run, i = first, k = middle;
			for (uint32_t at = first; at < end; at++) {
				bool left = i < middle &&
					(k == end || strcmp(names[order[i]], names[order[k]]) <= 0);
				next[at] = order[left ? i++ : k++];
			}
		}
		uint32_t *sorted = next;
		next = order;
		order = sorted;
	}
	return order;
}

Binding *bind_record(Graph *g, uint32_t n, const char *const *names, Binding *const *elem)
{
	Binding *b = bind_tuple(g, n, elem);
	if (!b) return NULL;
	b->kind = B_RECORD;
	b->field = NEW_ARRAY(g->arena, const char *, n);
	if (n) memcpy(b->field, names, n * sizeof *names);
	b->order = name_order(g->arena, n, names);
	return b;
}

/* Other elements under the names of a structure. */
static Binding *bind_like(Graph *g, const Binding *shape, Binding *const *elem)
{
	Binding *b = bind_tuple(g, shape->n, elem);
	if (b) {
		b->kind = shape->kind;
		b->field = shape->field;
		b->order = shape->order;
	}
	return b;
}

/* Values from outside come by names alone: elements of a tuple are called 0, 1, ... */
Binding *bind_given(Graph *g, uint32_t n, const char *const *names, Binding *const *elem)
{
	bool numbers = true;
	for (uint32_t i = 0; i < n; i++) numbers &= !strcmp(names[i], arena_printf(g->arena, "%u", i));
	return numbers ? bind_tuple(g, n, elem) : bind_record(g, n, names, elem);
}

Binding *bind_type(Graph *g, TypeTerm *t)
{
	if (!t) return NULL;
	Binding *b = NEW(g->arena, Binding);
	b->kind = B_TYPE;
	b->type = t;
	return b;
}

Binding *bind_function(Graph *g, const FunctionValue *f)
{
	Binding *b = NEW(g->arena, Binding);
	b->kind = B_FUNCTION;
	b->function = NEW(g->arena, FunctionValue);
	*b->function = *f;
	return b;
}

bool is_structure(const Binding *b)
{
	return b->kind == B_TUPLE || b->kind == B_RECORD;
}

const char *kind_text(const Binding *b)
{
	static const char *const text[] = {"an array", "a tuple", "a structure", "a function", "a type",
		"a module", "a type's parameter"};
	return text[b->kind];
}

/* ---- structures and leaves -------------------------------------------------------------- */

/* Leaves come in the order of names, so that two structures of the same fields are the same arrays. */
static uint32_t element_at(const Binding *b, uint32_t i)
{
	return b->kind == B_RECORD ? b->order[i] : i;
}

uint32_t binding_leaves(const Binding *b, Node **out)
{
	if (b->kind == B_NODE) {
		if (out) *out = b->node;
		return 1;
	}
	uint32_t n = 0;
	for (uint32_t i = 0; is_structure(b) && i < b->n; i++)
		n += binding_leaves(b->elem[element_at(b, i)], out ? out + n : NULL);
	return n;
}

bool binding_has_function(const Binding *b)
{
	if (b->kind == B_FUNCTION) return true;
	for (uint32_t i = 0; is_structure(b) && i < b->n; i++)
		if (binding_has_function(b->elem[i])) return true;
	return false;
}

static Binding *refill(Graph *g, const Binding *b, Node *const **leaf)
{
	if (b->kind == B_NODE) return bind_node(g, *(*leaf)++);
	if (!is_structure(b)) return (Binding *)b;
	Binding *c = NEW(g->arena, Binding);
	*c = *b;
	c->elem = NEW_ARRAY(g->arena, Binding *, b->n);
	for (uint32_t i = 0; i < b->n; i++)
		if (!(c->elem[element_at(b, i)] = refill(g, b->elem[element_at(b, i)], leaf))) return NULL;
	return c;
}

Binding *binding_refill(Graph *g, const Binding *b, Node *const *leaves)
{
	return refill(g, b, &leaves);
}

Binding *binding_field(const Binding *b, const char *name)
{
	uint32_t low = 0, high = b->kind == B_RECORD ? b->n : 0;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2, at = b->order[middle];
		int c = b->field[at] == name ? 0 : strcmp(b->field[at], name);
		if (!c) return b->elem[at];
		if (c < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

void binding_print_type(Text *t, const Binding *b)
{
	if (b->kind == B_NODE)
		type_print(t, b->node->type);
	else if (!is_structure(b))
		text_add(t, kind_text(b));
	for (uint32_t i = 0; is_structure(b) && i <= b->n; i++) {
		if (i == 0) text_add(t, b->kind == B_RECORD ? "{" : "(");
		if (i == b->n) {
			text_add(t, structure_end(b->kind, b->n));
			break;
		}
		text_add(t, i ? ", " : "");
		if (b->kind == B_RECORD) text_printf(t, "%s: ", b->field[i]);
		binding_print_type(t, b->elem[i]);
	}
}

static const char *fields_text(Elab *e, const Binding *b)
{
	Text t;
	text_open(&t, e->g->arena);
	if (b->kind == B_RECORD) {
		for (uint32_t i = 0; i < b->n; i++) text_printf(&t, "%s%s", i ? ", " : "{", b->field[i]);
		text_add(&t, b->n ? "}" : "{}");
	} else {
		binding_print_type(&t, b);
	}
	return text_done(&t);
}

/* The name of a field that one has and the other lacks. */
static const char *odd_field(const Binding *a, const Binding *b)
{
	for (uint32_t i = 0; a->kind == B_RECORD && b->kind == B_RECORD && i < a->n; i++)
		if (!binding_field(b, a->field[i])) return a->field[i];
	return NULL;
}

static void *structures_differ(Elab *e, const Syntax *s, const Binding *a, const Binding *b)
{
	const char *more = odd_field(b, a), *less = odd_field(a, b);
	const char *odd = "";
	if (more)
		odd = arena_printf(e->g->arena, ": the second has %s", more);
	else if (less)
		odd = arena_printf(e->g->arena, ": the first has %s", less);
	return fail_at_syntax(e, s, ERR_TYPE, "%s: structures differ: %s and %s%s", shown(e, s),
		fields_text(e, a), fields_text(e, b), odd);
}

Binding *on_leaves(Elab *e, const Syntax *s, uint32_t n, Binding *const *x, leaf_function f, const void *user)
{
	const Binding *shape = NULL;
	Node *few[8], **leaf = n <= 8 ? few : NEW_ARRAY(e->g->arena, Node *, n);
	for (uint32_t i = 0; i < n; i++) {
		if (!x[i]) return NULL;
		if (x[i]->kind != B_NODE && !is_structure(x[i]))
			return fail_at_syntax(
				e, s, ERR_TYPE, "%s: given %s, wanted arrays", shown(e, s), kind_text(x[i]));
		if (is_structure(x[i]) && !shape) shape = x[i];
	}
	if (!shape) {
		for (uint32_t i = 0; i < n; i++) leaf[i] = x[i]->node;
		return bind_node(e->g, f(e, user, n, leaf));
	}
	Binding **elem = NEW_ARRAY(e->g->arena, Binding *, shape->n), *part[8];
	if (n > countof(part))
		return fail_at_syntax(e, s, ERR_UNSUPPORTED, "%s: too many structures", shown(e, s));
	for (uint32_t k = 0; k < shape->n; k++) {
		uint32_t at = element_at(shape, k);
		for (uint32_t i = 0; i < n; i++) {
			bool lone = x[i]->kind == B_NODE;
			bool same = lone || (x[i]->kind == shape->kind && x[i]->n == shape->n);
			if (lone)
				part[i] = x[i];
			else if (!same)
				part[i] = NULL;
			else if (shape->kind == B_TUPLE || x[i]->field[at] == shape->field[at])
				part[i] = x[i]->elem[at];
			else
				part[i] = binding_field(x[i], shape->field[at]);
			if (!part[i]) return structures_differ(e, s, shape, x[i]);
		}
		if (!(elem[at] = on_leaves(e, s, n, part, f, user))) return NULL;
	}
	return bind_like(e->g, shape, elem);
}

/* ---- numbers known while building --------------------------------------------------------- */

Binding *size_value(Graph *g, const Size *s)
{
	int64_t n;
	if (!s) return NULL;
	if (size_is(s, &n)) return bind_node(g, weak_int(g, n));
	AttrValue v = av_size(s);
	return bind_node(g, node_leaf(g, OP_SIZE, attr_make(g, 1, &v), type_scalar(g, DT_WEAK_INT)));
}

const Size *known_size(const Node *x, Graph *g)
{
	int64_t n;
	if (!x || x->type->kind != TYPE_ARRAY || node_rank(x) || !dtype_is_integer(node_dtype(x)))
		return NULL;
	if (x->op == OP_SIZE) return x->attr->v[0].u.size;
	return constant_integer(x, &n) ? size_const(g, n) : NULL;
}

bool known_int(const Binding *b, int64_t *n)
{
	return b && b->kind == B_NODE && b->node->type->kind == TYPE_ARRAY && node_is_scalar(b->node) &&
		dtype_is_integer(node_dtype(b->node)) && constant_integer(b->node, n);
}

bool known_bool(Elab *e, const Binding *b, bool *value)
{
	if (!b || b->kind != B_NODE || b->node->type->kind != TYPE_ARRAY || !node_is_scalar(b->node) ||
		node_dtype(b->node) != DT_BOOL)
		return false;
	Node *x = b->node;
	int64_t n;
	(void)e;
	if (!constant_integer(x, &n)) return false;
	*value = n != 0;
	return true;
}

/* A parameter whose type would be another if it were said? */
static bool is_float_leaf(const Binding *b)
{
	return b->kind == B_NODE && (b->node->op == OP_FRESH || b->node->op == OP_INPUT) &&
		node_is_scalar(b->node) && dtype_is_float(node_dtype(b->node));
}

const Size *size_from(Elab *e, const Syntax *s, const Binding *b)
{
	Graph *g = e->g;
	if (!b) return NULL;
	if (b->kind == B_NODE) ask_integers(e, b->node);
	if (b->kind != B_NODE || b->node->type->kind != TYPE_ARRAY || !node_is_scalar(b->node) ||
		!dtype_is_integer(node_dtype(b->node)))
		return fail_at_syntax(e, s, ERR_TYPE, "%s: %s where a size is wanted%s", shown(e, s),
			shown_type(e, b), is_float_leaf(b) ? "; i64 would be its type" : "");
	const Size *known = known_size(b->node, g);
	if (known) return known;
	Node *x = cast(g, b->node, DT_I64);
	if (x) lengths_in_size(e, x);
	return size_of_node(g, x);
}

/* ---- environments --------------------------------------------------------------------------- */

Env env_open(Elab *e, Env outer)
{
	Scope *s = NEW(e->g->arena, Scope);
	s->outer = outer;
	s->module = outer.scope ? outer.scope->module : NULL;
	table_open(&s->entries, e->g->arena);
	return (Env){s, 0};
}

static bool entry_same(const void *item, const void *key)
{
	return ((const ScopeEntry *)item)->name == key;
}

static uint32_t name_hash(const char *name)
{
	return hash_mix(0, (uint64_t)(uintptr_t)name);
}

/* The newest entry of a name stands in the table's slot; older ones hang behind it. */
void env_bind(Elab *e, Env *env, const char *name, Binding *value)
{
	Scope *s = env->scope;
	ScopeEntry *slot = table_find(&s->entries, name_hash(name), name, entry_same);
	if (slot) {
		ScopeEntry *old = NEW(e->g->arena, ScopeEntry);
		*old = *slot;
		slot->before = old;
	} else {
		slot = NEW(e->g->arena, ScopeEntry);
		slot->name = name;
		table_add(&s->entries, name_hash(name), slot);
	}
	slot->value = value;
	slot->at = ++s->count;
	env->seen = s->count;
}

Binding *scope_own(Env env, const char *name)
{
	for (ScopeEntry *x = table_find(&env.scope->entries, name_hash(name), name, entry_same); x;
		x = x->before)
		if (x->at <= env.seen) return x->value;
	return NULL;
}

Binding *env_local(Env env, const char *name)
{
	for (; env.scope; env = env.scope->outer) {
		Binding *b = scope_own(env, name);
		if (b) return b;
	}
	return NULL;
}
