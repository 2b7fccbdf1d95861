/* leaf.c - leaves of a graph, what is promised of them, and arrays of the user's. */
#define POR_NO_LINES
#include "leaf.h"

/* ---- inputs ----------------------------------------------------------------------------- */

/* `type if fact` through the elaborator, which alone knows what facts are: a function's one parameter. */
bool read_promise(por_graph *g, const char *name, const char *declared, Fact *out)
{
	Graph *ir = g->ir;
	char *text = arena_printf(ir->arena, "fn promise(%s) = %s", declared, name);
	Module *m = module_load(ir, g->at.file, text, strlen(text));
	Signature *s = m ? elaborate_function(ir, m, "promise", 0, NULL) : NULL;
	if (s && s->nfact) *out = s->fact[0];
	if (!s && ir->error.code == ERR_VALUE) error_clear(&ir->error); /* the caller tells of its own text */
	return s && s->nfact;
}

bool is_name(Graph *ir, const char *what, const char *name)
{
	Error ignored = {0};
	Syntax *s = parse_param(ir->arena, &ir->names, NULL, name, strlen(name), &ignored);
	if (s && !ignored.code && s->kind != SYN_RUN && s->part[0]->kind == SYN_NAME &&
		!strcmp(s->part[0]->name, name))
		return true;
	return graph_fail(ir, ERR_NAME, "%s \"%s\": a name was wanted, as x or p_w", what, name);
}

/* A fact, if one is written, is kept beside the input. */
static Node *declared_input(por_graph *g, const char *name, const char *type)
{
	Graph *ir = g->ir;
	Where where = ir->where;
	char *text = arena_printf(ir->arena, "x: %s", type);
	Syntax *s = parse_param(ir->arena, &ir->names, where.file, text, strlen(text), &ir->error);
	const Type *t = s && s->part[1] ? type_of_syntax(g, s->part[1]) : NULL;
	ir->where = where;
	error_in_text(g, where, 3);
	Node *x = t && is_name(ir, "input", name) ? input(ir, name, t) : NULL;
	for (uint32_t i = 0; x && i < x->type->n; i++)
		if (size_is_name(node_dim(x, i))) size_declare(ir, node_dim(x, i));
	if (!x || !s->part[3]) return x;
	Text fact;
	text_open(&fact, ir->arena);
	print_syntax(&fact, s->part[3]);
	Promise *p = NEW(ir->arena, Promise);
	*p = (Promise){.input = x, .text = text_done(&fact), .next = g->held.promise};
	bool understood = read_promise(g, name, arena_printf(ir->arena, "%s: %s", name, type), &p->fact);
	ir->where = where;
	if (!understood)
		return ir->error.code ? NULL
				      : graph_fail(ir, ERR_VALUE,
						"input %s: the promise %s is not understood; write "
						"bounds such as 0 <= %s < 1, or integer(%s)",
						name, p->text, name, name);
	g->held.promise = p;
	const Fact *f = &p->fact;
	leaf_is_promised(ir, x, &(LeafPromise){f->low, f->high, f->above_low, f->below_high, f->integer});
	return x;
}

por_node *por_input_at(por_graph *g, const char *name, const char *type, const char *where)
{
	if (!name || !type) return NULL;
	ENTER(g, NULL);
	graph_where(g, where);
	LEAVE(give_node(g, declared_input(g, name, type)));
}

por_node *por_input(por_graph *g, const char *name, const char *type)
{
	return por_input_at(g, name, type, NULL);
}

por_node *por_input_typed(por_graph *g, const char *name, const por_type *type)
{
	if (!name || !type) return NULL;
	ENTER(g, NULL);
	if (type->graph != g)
		LEAVE((por_node *)graph_fail(g->ir, ERR_VALUE, "input %s: a type of another graph", name));
	LEAVE(give_node(g, is_name(g->ir, "input", name) ? input(g->ir, name, type->type) : NULL));
}

/* ---- constants ------------------------------------------------------------------------------ */

por_node *por_number(por_graph *g, double x)
{
	ENTER(g, NULL);
	LEAVE(give_node(g, weak_float(g->ir, x)));
}

por_node *por_integer(por_graph *g, int64_t x)
{
	ENTER(g, NULL);
	LEAVE(give_node(g, weak_int(g->ir, x)));
}

por_node *por_constant(por_graph *g, const char *type, double value)
{
	por_type *t = por_type_parse(g, type);
	ENTER(t ? g : NULL, NULL);
	Dtype d = (Dtype)t->type->dtype;
	if (t->type->kind != TYPE_ARRAY || d == DT_KEY)
		LEAVE((por_node *)graph_fail(g->ir, ERR_TYPE, "constant: %s holds no numbers", type));
	LEAVE(give_node(g, constant_float(g->ir, t->type, value)));
}

por_node *por_size_node(por_graph *g, por_size s)
{
	ENTER(g, NULL);
	const Size *x = take_size(g, s);
	LEAVE(give_node(g, x ? size_node(g->ir, x) : NULL));
}

por_node *por_iota(por_graph *g, por_size s)
{
	ENTER(g, NULL);
	const Size *x = take_size(g, s);
	LEAVE(give_node(g, x ? iota(g->ir, x) : NULL));
}

/* Elements of an array with any strides, in row order. */
void copy_compact(const por_array *a, size_t bytes, void *to)
{
	int64_t n = por_array_count(a), index[RANK_MAX] = {0};
	if (!n) return; /* an empty array may have no memory */
	const char *from = (const char *)a->data + a->byte_offset;
	if (!a->strides) {
		memcpy(to, from, (size_t)n * bytes);
		return;
	}
	for (int64_t i = 0, at = 0; i < n; i++) {
		memcpy((char *)to + (size_t)i * bytes, from + at * (int64_t)bytes, bytes);
		for (int k = a->ndim; k-- > 0;) {
			at += a->strides[k];
			if (++index[k] < a->shape[k]) break;
			at -= index[k] * a->strides[k];
			index[k] = 0;
		}
	}
}

/* Three times its bytes are taken: where that is more than there is, nothing has been begun, and the graph
 * goes on. */
static Node *constant_of(por_graph *g, const Type *t, Dtype d, const por_array *a, uint64_t n)
{
	Graph *ir = g->ir;
	size_t bytes = dtype_bytes(d);
	Arena *scratch = arena_child(ir->arena);
	Trap trap;
	if (TRAP(&trap)) {
		arena_free(scratch);
		if (ir->watch->why) watch_fail(ir->watch, &ir->error, g->at);
		return graph_fail(ir, ERR_MEMORY, "constant_array: no memory for %llu elements of %zu bytes",
			(unsigned long long)n, bytes);
	}
	arena_arm(ir->arena, &trap);
	void *data = arena_array(scratch, bytes, n + 1);
	copy_compact(a, bytes, data);
	Node *x = constant_data(ir, t, data);
	arena_disarm(ir->arena, &trap);
	arena_free(scratch);
	return x;
}

por_node *por_constant_array(por_graph *g, const por_array *a)
{
	if (!a) return NULL;
	ENTER(g, NULL);
	Graph *ir = g->ir;
	int d = por_array_dtype(a);
	int64_t n = por_array_count(a);
	if (!d || n < 0 || a->ndim > RANK_MAX || (n && !a->data) || a->device.type != 1)
		LEAVE((por_node *)graph_fail(
			ir, ERR_VALUE, "constant_array: no array in host memory of a dtype that there is"));
	const Size *dim[RANK_MAX];
	for (int k = 0; k < a->ndim; k++) dim[k] = size_const(ir, a->shape[k]);
	const Type *t = type_array(ir, (Dtype)d, (uint32_t)a->ndim, dim);
	LEAVE(give_node(g, t ? constant_of(g, t, (Dtype)d, a, (uint64_t)n) : NULL));
}

/* ---- arrays --------------------------------------------------------------------------------------- */

/* Bits are of a lane. */
static por_dtype_code kind_of(Dtype d)
{
	int lanes = dtype_lanes(d), bits = 8 * (int)dtype_bytes(d) / lanes;
	return (por_dtype_code){(uint8_t)dtype_dlpack(d), (uint8_t)bits, (uint16_t)lanes};
}

int por_array_dtype(const por_array *a)
{
	for (Dtype d = DT_NONE + 1; a && d < DT_WEAK_INT; d++) {
		por_dtype_code code = kind_of(d);
		if (!memcmp(&a->dtype, &code, sizeof code)) return d;
	}
	return POR_NO_DTYPE;
}

int64_t por_array_count(const por_array *a)
{
	if (!a || a->ndim < 0 || (a->ndim && !a->shape)) return -1;
	int64_t n = 1;
	bool none = false, past = false;
	for (int k = 0; k < a->ndim; k++) {
		if (a->shape[k] < 0) return -1;
		none |= !a->shape[k];
		past |= a->shape[k] && __builtin_mul_overflow(n, a->shape[k], &n);
	}
	if (none) return 0;
	if (past) return -1;
	return n;
}

por_array por_view(void *data, int dtype, int ndim, const int64_t *shape)
{
	por_array a = {.data = data, .device = {1, 0}, .ndim = ndim, .shape = (int64_t *)(uintptr_t)shape};
	if (dtype_public(dtype)) a.dtype = kind_of((Dtype)dtype);
	return a;
}

/* Before the array: what frees it.  Behind it: its shape, and from the next 64 bytes on its data. */
typedef struct ArrayHead {
	Allocator allocator;
	size_t size;
} ArrayHead;
enum { ARRAY_AT = 64, ARRAY_DATA = ARRAY_AT + sizeof(por_array) + RANK_MAX * sizeof(int64_t) };

por_array *por_array_new(por_context *c, int dtype, int ndim, const int64_t *shape)
{
	por_array a = por_view(NULL, dtype, ndim, shape);
	int64_t n = por_array_count(&a);
	size_t bytes = por_dtype_bytes(dtype), first = (ARRAY_DATA + 63) / 64 * 64, size;
	if (n < 0 || !bytes || ndim > RANK_MAX || __builtin_mul_overflow((size_t)n, bytes, &size) ||
		size > (size_t)PTRDIFF_MAX - first)
		return NULL;
	const Allocator *m = c ? &c->allocator : &allocator_libc;
	char *p = m->alloc(m->user, first + size, 64);
	if (!p) return NULL;
	memset(p, 0, first + size);
	*(ArrayHead *)(void *)p = (ArrayHead){*m, first + size};
	a.data = p + first;
	a.shape =
		memcpy(p + ARRAY_AT + sizeof a, ndim ? shape : (int64_t[]){0}, (size_t)ndim * sizeof *shape);
	return memcpy(p + ARRAY_AT, &a, sizeof a);
}

void por_array_free(por_array *a)
{
	if (!a) return;
	ArrayHead *h = (ArrayHead *)(void *)((char *)a - ARRAY_AT);
	Allocator m = h->allocator;
	m.free(m.user, h, h->size, 64);
}
