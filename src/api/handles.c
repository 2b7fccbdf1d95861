/* handles.c - public records of nodes, types, functions and sizes; what is asked of types. */
#define POR_NO_LINES
#include "api.h"

#define SAME_NUMBER(D, ...) _Static_assert((int)POR_##D == DT_##D, "dtypes have the same numbers");
ALL_DTYPES(SAME_NUMBER)
_Static_assert((int)POR_OP_ORDER == OP_ORDER, "operators have the same numbers");

/* ---- records ------------------------------------------------------------------------------ */

por_node *give_node(por_graph *g, Node *n)
{
	if (!n || g->ir->error.code) return NULL;
	por_node *x = held_record(g, offsetof(Held, nodes), n->id);
	return x ? x : record_of(g, n);
}

por_type *give_type(por_graph *g, const Type *t)
{
	if (!t) return NULL;
	por_type *x = held_record(g, offsetof(Held, types), t->id);
	if (!x) {
		x = NEW(g->ir->arena, por_type);
		*x = (por_type){t, g};
		idmap_put(&g->held.types, t->id, x);
	}
	return x;
}

/* One function may be elaborated from two definitions: each signature has its own record. */
por_function *give_function(por_graph *g, Function *f, Signature *s)
{
	if (!f || g->ir->error.code) return NULL;
	por_function *first = held_record(g, offsetof(Held, functions), f->id);
	for (por_function *x = first; x; x = x->next)
		if (!s || x->signature == s) return x;
	por_function *x = NEW(g->ir->arena, por_function);
	*x = (por_function){
		.function = f, .signature = s ? s : plain_signature(g, f), .graph = g, .next = first};
	idmap_put(&g->held.functions, f->id, x);
	return x;
}

static void *fail_at(por_graph *g, const char *where, int code, const char *text)
{
	ENTER(g, NULL);
	graph_where(g, where);
	LEAVE(graph_fail(g->ir, code, "%s", text));
}

void *api_fail(por_graph *g, int code, const char *text)
{
	return fail_at(g, NULL, code, text);
}

static const char two_graphs[] = "nodes of two graphs";
static const char no_node[] = "an operand is NULL, though no call on this graph has failed";
static const char released[] = "a node that por_release has given back";

por_graph *graph_of_at(int n, por_node *const *x, const char *where)
{
	por_graph *g = NULL;
	bool missing = false;
	for (int i = 0; x && i < n; i++) {
		if (!x[i]) {
			missing = true;
			continue;
		}
		if (x[i]->node == &given_back) return fail_at(x[i]->graph, where, ERR_VALUE, released);
		if (g && g != x[i]->graph) return fail_at(g, where, ERR_VALUE, two_graphs);
		g = x[i]->graph;
	}
	return missing && g ? fail_at(g, where, ERR_VALUE, no_node) : g;
}

por_graph *graph_of(int n, por_node *const *x)
{
	return graph_of_at(n, x, NULL);
}

bool all_of(por_graph *g, int n, por_node *const *x)
{
	for (int i = 0; i < n; i++)
		if (!g || !x || !x[i]) return g && api_fail(g, ERR_VALUE, no_node);
	for (int i = 0; i < n; i++) {
		if (x[i]->graph != g) return api_fail(g, ERR_VALUE, two_graphs) != NULL;
		if (x[i]->node == &given_back) return api_fail(g, ERR_VALUE, released) != NULL;
	}
	return g != NULL;
}

por_graph *graph_of_two(int n, por_node *const *x, int m, por_node *const *y)
{
	por_graph *g = graph_of(n, x);
	return all_of(g, m, y) ? g : NULL;
}

bool at_least(por_graph *g, const char *what, int n, int least)
{
	if (n >= least) return g != NULL;
	ENTER(g, false);
	graph_fail(g->ir, ERR_VALUE, "%s: given %d, wanted %d or more", what, n, least);
	LEAVE(false);
}

Node **take_nodes(por_graph *g, int n, por_node *const *x)
{
	Node **out = NEW_ARRAY(g->ir->arena, Node *, n > 0 ? n : 1);
	for (int i = 0; i < n; i++) out[i] = x[i]->node;
	return out;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* Numbers are themselves; place i of the graph's list of sizes is HANDLE + i. */
#define HANDLE (INT64_MIN + 1)
#define HANDLE_END (-((int64_t)1 << 62))

por_size give_size(por_graph *g, const Size *s)
{
	int64_t value;
	if (!s || g->ir->error.code) return POR_NO_SIZE;
	if (size_is(s, &value) && value >= HANDLE_END) return value;
	uintptr_t place = (uintptr_t)held_record(g, offsetof(Held, size_place), s->id);
	if (!place) {
		Held *h = &g->held;
		GROW(g->ir->arena, h->size, h->nsize, h->size_cap);
		h->size[h->nsize++] = s;
		place = h->first + h->nsize;
		idmap_put(&h->size_place, s->id, (void *)place);
	}
	return HANDLE + (int64_t)(place - 1);
}

const Size *take_size(por_graph *g, por_size s)
{
	if (s == POR_NO_SIZE) return NULL;
	if (s >= HANDLE_END) return size_const(g->ir, s);
	const Held *h = &g->held;
	if (s - HANDLE >= h->first + h->nsize)
		return graph_fail(g->ir, ERR_VALUE, "a size that is not of this graph, or was given back");
	while (s - HANDLE < h->first) h = h->under;
	return h->size[s - HANDLE - h->first];
}

const Size **take_sizes(por_graph *g, int n, const por_size *s)
{
	if (n < 0 || n > 2 * RANK_MAX)
		return graph_fail(g->ir, ERR_VALUE, "%d axes; at most %d are possible", n, RANK_MAX);
	const Size **out = NEW_ARRAY(g->ir->arena, const Size *, n + 1);
	for (int i = 0; i < n; i++)
		if (!s || !(out[i] = take_size(g, s[i])))
			return graph_fail(
				g->ir, ERR_VALUE, "axis %d: there is no size, or it is POR_NO_SIZE", i);
	return out;
}

por_size por_size_named(por_graph *g, const char *name)
{
	if (!name) return POR_NO_SIZE;
	ENTER(g, POR_NO_SIZE);
	if (!is_name(g->ir, "size", name)) LEAVE(POR_NO_SIZE);
	LEAVE(give_size(g, size_named(g->ir, names_get(&g->ir->names, name, strlen(name)))));
}

typedef const Size *(*size_join)(Graph *, const Size *, const Size *);

static por_size join_sizes(por_graph *g, size_join join, por_size a, por_size b)
{
	ENTER(g, POR_NO_SIZE);
	const Size *x = take_size(g, a), *y = take_size(g, b);
	LEAVE(x && y ? give_size(g, join(g->ir, x, y)) : POR_NO_SIZE);
}

por_size por_size_add(por_graph *g, por_size a, por_size b)
{
	return join_sizes(g, size_add, a, b);
}
por_size por_size_sub(por_graph *g, por_size a, por_size b)
{
	return join_sizes(g, size_sub, a, b);
}
por_size por_size_mul(por_graph *g, por_size a, por_size b)
{
	return join_sizes(g, size_mul, a, b);
}
por_size por_size_floordiv(por_graph *g, por_size a, por_size b)
{
	return join_sizes(g, size_floordiv, a, b);
}
por_size por_size_mod(por_graph *g, por_size a, por_size b)
{
	return join_sizes(g, size_mod, a, b);
}
por_size por_size_min(por_graph *g, por_size a, por_size b)
{
	return join_sizes(g, size_min, a, b);
}
por_size por_size_max(por_graph *g, por_size a, por_size b)
{
	return join_sizes(g, size_max, a, b);
}

por_size por_size_of_node(por_node *x)
{
	por_graph *g = x ? graph_of(1, &x) : NULL;
	ENTER(g, POR_NO_SIZE);
	const Type *t = x->node->type;
	if (t->kind != TYPE_ARRAY || t->n || !dtype_is_integer((Dtype)t->dtype))
		graph_fail(g->ir, ERR_TYPE, "a size is an integer scalar");
	else
		LEAVE(give_size(g, size_of_node(g->ir, cast(g->ir, x->node, DT_I64))));
	LEAVE(POR_NO_SIZE);
}

char *por_size_text(por_graph *g, por_size s)
{
	ENTER_ANYWAY(g, NULL);
	const Size *x = take_size(g, s);
	Text t;
	text_open(&t, g->ir->arena);
	if (x) size_print(&t, x);
	LEAVE(x ? graph_text(g, text_done(&t)) : NULL);
}

/* ---- dtypes ------------------------------------------------------------------------------------ */

bool dtype_public(int d)
{
	return d > DT_NONE && d < DT_WEAK_INT;
}

const char *por_dtype_name(int d)
{
	return dtype_public(d) ? dtype_name((Dtype)d) : "";
}

int por_dtype_named(const char *name)
{
	Dtype d = name ? dtype_named(name, strlen(name)) : DT_NONE;
	return dtype_public((int)d) ? (int)d : POR_NO_DTYPE;
}

size_t por_dtype_bytes(int d)
{
	return dtype_public(d) ? dtype_bytes((Dtype)d) : 0;
}

int por_dtype_is_float(int d)
{
	return dtype_public(d) && dtype_is_float((Dtype)d);
}

static bool dtype_is_one_number(int d)
{
	return dtype_public(d) && d != DT_KEY && !dtype_is_complex((Dtype)d);
}

int por_convert(int64_t n, int to, void *r, int from, const void *x)
{
	if (!dtype_is_one_number(to) || !dtype_is_one_number(from)) return POR_ERR_TYPE;
	if (n < 0 || !r || !x) return POR_ERR_VALUE;
	size_t step = dtype_bytes((Dtype)to), each = dtype_bytes((Dtype)from);
	for (int64_t i = 0; i < n; i++) {
		char *at = (char *)r + (size_t)i * step;
		element_cast((Dtype)to, at, (Dtype)from, (const char *)x + (size_t)i * each);
		elements_quiet((Dtype)to, at, step);
	}
	return POR_OK;
}

/* ---- types --------------------------------------------------------------------------------------- */

por_type *por_type_parse(por_graph *g, const char *text)
{
	if (!text) return NULL;
	ENTER(g, NULL);
	Syntax *s = parse_type(g->ir->arena, &g->ir->names, g->at.file, text, strlen(text), &g->ir->error);
	const Type *t = s ? type_of_syntax(g, s) : NULL;
	error_in_text(g, g->at, 0);
	LEAVE(give_type(g, t));
}

por_type *por_type_array(por_graph *g, int dtype, int rank, const por_size *sizes)
{
	ENTER(g, NULL);
	if (!dtype_public(dtype) || rank < 0 || rank > RANK_MAX)
		LEAVE((por_type *)graph_fail(
			g->ir, ERR_VALUE, "no type has dtype %d and %d axes", dtype, rank));
	const Size **dim = take_sizes(g, rank, sizes);
	LEAVE(dim ? give_type(g, type_array(g->ir, (Dtype)dtype, (uint32_t)rank, dim)) : NULL);
}

static const Type *array_type(const por_type *t)
{
	return t && t->type->kind == TYPE_ARRAY ? t->type : NULL;
}

int por_type_dtype(const por_type *t)
{
	return array_type(t) ? (int)dtype_strong((Dtype)t->type->dtype) : POR_NO_DTYPE;
}

int por_type_rank(const por_type *t)
{
	return array_type(t) ? (int)t->type->n : -1;
}

por_size por_type_size(const por_type *t, int axis)
{
	if (!array_type(t) || axis < 0 || axis >= (int)t->type->n) return POR_NO_SIZE;
	ENTER_ANYWAY(t->graph, POR_NO_SIZE);
	LEAVE(give_size(t->graph, DIM(t->type, axis)));
}

int por_type_count(const por_type *t)
{
	return t && t->type->kind == TYPE_TUPLE ? (int)t->type->n : 0;
}

por_type *por_type_element(const por_type *t, int i)
{
	if (i < 0 || i >= por_type_count(t)) return NULL;
	ENTER_ANYWAY(t->graph, NULL);
	LEAVE(give_type(t->graph, t->type->u.elem[i]));
}

char *por_type_text(const por_type *t)
{
	if (!t) return NULL;
	ENTER_ANYWAY(t->graph, NULL);
	Text text;
	text_open(&text, t->graph->ir->arena);
	type_print(&text, t->type);
	LEAVE(graph_text(t->graph, text_done(&text)));
}
