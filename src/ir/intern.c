/* intern.c - types, attributes and data: equal ones are the same object; and the table of operators. */
#include "known.h"

/* ---- types ---------------------------------------------------------------- */

typedef struct TypeKey {
	TypeKind kind;
	Dtype dtype;
	uint32_t n;
	const void *const *part; /* sizes, or types of elements */
} TypeKey;

static bool type_same(const void *item, const void *key)
{
	const Type *t = item;
	const TypeKey *k = key;
	if (t->kind != k->kind || t->dtype != k->dtype || t->n != k->n) return false;
	return !k->n || !memcmp(&t->u, k->part, k->n * sizeof *k->part);
}

static const Type *type_intern(Graph *g, const TypeKey *k)
{
	uint64_t mixed = hash_more(hash_more(k->kind, k->dtype), k->n);
	for (uint32_t i = 0; i < k->n; i++) {
		const void *part = k->part[i];
		mixed = hash_more(
			mixed, k->kind == TYPE_ARRAY ? ((const Size *)part)->id : ((const Type *)part)->id);
	}
	uint32_t h = hash_done(mixed);
	Type *t = KNOWN(g, types, h, k, type_same);
	if (t) return t;
	size_t bytes = offsetof(Type, u) + k->n * sizeof *k->part;
	t = arena_alloc_aligned(g->arena, bytes < sizeof *t ? sizeof *t : bytes, _Alignof(Type));
	t->id = ++g->ntype;
	t->hash = h;
	t->kind = (uint8_t)k->kind;
	t->dtype = (uint8_t)k->dtype;
	t->n = k->n;
	if (k->n) memcpy(&t->u, k->part, k->n * sizeof *k->part);
	table_add(&g->types, h, t);
	return t;
}

const Type *type_array(Graph *g, Dtype d, uint32_t rank, const Size *const *dim)
{
	if (rank > RANK_MAX)
		return graph_fail(
			g, ERR_UNSUPPORTED, "an array of rank %u: %d axes are the most", rank, RANK_MAX);
	if (d == DT_NONE) return graph_fail(g, ERR_TYPE, "an array of no dtype");
	const void *part[RANK_MAX];
	for (uint32_t i = 0; i < rank; i++) {
		int64_t n;
		if (!dim[i]) return NULL;
		if (!g->bodies && size_is(dim[i], &n) && n < 0) /* in a body it fails when it is reached */
			return graph_fail(
				g, ERR_VALUE, "axis %u has the negative size %lld", i, (long long)n);
		part[i] = dim[i];
	}
	return type_intern(g, &(TypeKey){TYPE_ARRAY, d, rank, part});
}

const Type *type_tuple(Graph *g, uint32_t n, const Type *const *elem)
{
	const void **part = NEW_ARRAY(g->arena, const void *, n);
	for (uint32_t i = 0; i < n; i++) {
		if (!elem[i]) return NULL;
		if (elem[i]->kind == TYPE_TUPLE)
			return graph_fail(g, ERR_TYPE, "element %u of a tuple is itself a tuple", i);
		part[i] = elem[i];
	}
	return type_intern(g, &(TypeKey){TYPE_TUPLE, DT_NONE, n, part});
}

const Type *type_token(Graph *g)
{
	g->effects = true;
	return type_intern(g, &(TypeKey){.kind = TYPE_TOKEN});
}

const Type *type_scalar(Graph *g, Dtype d)
{
	return type_array(g, d, 0, NULL);
}

const Type *type_with_dtype(Graph *g, const Type *t, Dtype d)
{
	if (!t) return NULL;
	if (t->kind != TYPE_ARRAY)
		return graph_fail(
			g, ERR_TYPE, "a %s has no dtype", t->kind == TYPE_TUPLE ? "tuple" : "token");
	if (t->dtype == d) return t;
	struct TypeCast *known = &g->casts[(t->id + d) % countof(g->casts)];
	if (known->from == t && known->to->dtype == d && (g->bodies || !known->in_body)) return known->to;
	const Type *to = type_array(g, d, t->n, t->u.dim);
	if (to) *known = (struct TypeCast){t, to, g->bodies > 0};
	return to;
}

const Size *type_elements(Graph *g, const Type *t)
{
	if (!t) return NULL;
	const Size *product = size_const(g, 1);
	for (uint32_t i = 0; i < t->n; i++) /* first: a 0 outweighs what is too large for 64 bits */
		if (size_equals(DIM(t, i), 0)) return DIM(t, i);
	for (uint32_t i = 0; i < t->n; i++) product = size_mul(g, product, DIM(t, i));
	return product;
}

const Type *type_substitute(Graph *g, const Type *t, atom_map map, void *user)
{
	if (!t || t->kind == TYPE_TOKEN) return t;
	if (t->kind == TYPE_ARRAY) {
		const Size *dim[RANK_MAX];
		for (uint32_t i = 0; i < t->n; i++) dim[i] = size_substitute(g, DIM(t, i), map, user);
		return type_array(g, (Dtype)t->dtype, t->n, dim);
	}
	const Type **elem = NEW_ARRAY(g->arena, const Type *, t->n);
	for (uint32_t i = 0; i < t->n; i++) elem[i] = type_substitute(g, t->u.elem[i], map, user);
	return type_tuple(g, t->n, elem);
}

void type_print(Text *text, const Type *t)
{
	if (t->kind == TYPE_TOKEN) {
		text_add(text, "token");
		return;
	}
	bool array = t->kind == TYPE_ARRAY;
	if (array) text_add(text, dtype_name(dtype_strong((Dtype)t->dtype)));
	if (array && !t->n) return;
	text_char(text, array ? '[' : '(');
	for (uint32_t i = 0; i < t->n; i++) {
		if (i) text_add(text, ", ");
		if (array)
			size_print(text, DIM(t, i));
		else
			type_print(text, t->u.elem[i]);
	}
	if (!array && t->n == 1) text_char(text, ',');
	text_char(text, array ? ']' : ')');
}

const char *type_shown(Graph *g, const Type *t)
{
	Text s;
	text_open(&s, g->arena);
	type_print(&s, t);
	return text_done(&s);
}

/* ---- attributes ------------------------------------------------------------- */

static uint64_t value_hash(const AttrValue *v)
{
	switch (v->kind) {
	case A_INT: return (uint64_t)v->u.i;
	case A_SIZE: return v->u.size->id;
	case A_DTYPE: return v->u.dtype;
	case A_NAME: return hash_bytes64(v->u.name, strlen(v->u.name));
	case A_DATA: return v->u.data->id;
	case A_FUNCTION: return v->u.function->id;
	case A_CUSTOM: return (uintptr_t)v->u.custom;
	}
	return 0;
}

/* Whatever a value points at is interned or compared by its address. */
static const void *value_pointer(const AttrValue *v)
{
	switch (v->kind) {
	case A_SIZE: return v->u.size;
	case A_NAME: return v->u.name;
	case A_DATA: return v->u.data;
	case A_FUNCTION: return v->u.function;
	case A_CUSTOM: return v->u.custom;
	case A_INT:
	case A_DTYPE: break;
	}
	return NULL;
}

static bool value_same(const AttrValue *x, const AttrValue *y)
{
	if (x->kind != y->kind) return false;
	if (x->kind == A_INT) return x->u.i == y->u.i;
	return x->kind == A_DTYPE ? x->u.dtype == y->u.dtype : value_pointer(x) == value_pointer(y);
}

typedef struct AttrKey {
	uint32_t n;
	const AttrValue *v;
} AttrKey;

static bool attr_same(const void *item, const void *key)
{
	const Attr *a = item;
	const AttrKey *k = key;
	if (a->n != k->n) return false;
	for (uint32_t i = 0; i < k->n; i++)
		if (!value_same(&a->v[i], &k->v[i])) return false;
	return true;
}

/* A list with a NULL in it (a size that failed, say) is NULL. */
const Attr *attr_make(Graph *g, uint32_t n, const AttrValue *v)
{
	if (!n) return NULL;
	uint64_t mixed = n;
	for (uint32_t i = 0; i < n; i++) {
		if (v[i].kind != A_INT && v[i].kind != A_DTYPE && !value_pointer(&v[i])) return NULL;
		mixed = hash_more(hash_more(mixed, v[i].kind), value_hash(&v[i]));
	}
	uint32_t h = hash_done(mixed);
	Attr *a = KNOWN(g, attrs, h, &(AttrKey){n, v}, attr_same);
	if (a) return a;
	a = arena_alloc_aligned(g->arena, sizeof *a + n * sizeof *v, _Alignof(Attr));
	a->id = ++g->nattr;
	a->hash = h;
	a->n = n;
	memcpy(a->v, v, n * sizeof *v);
	table_add(&g->attrs, h, a);
	return a;
}

const Attr *attr_ints(Graph *g, uint32_t n, const int64_t *x)
{
	AttrValue few[16], *v = n > countof(few) ? NEW_ARRAY(g->arena, AttrValue, n) : few;
	for (uint32_t i = 0; i < n; i++) v[i] = av_int(x[i]);
	return attr_make(g, n, v);
}

AttrValue av_int(int64_t i)
{
	return (AttrValue){.kind = A_INT, .u.i = i};
}
AttrValue av_size(const Size *s)
{
	return (AttrValue){.kind = A_SIZE, .u.size = s};
}
AttrValue av_dtype(Dtype d)
{
	return (AttrValue){.kind = A_DTYPE, .u.dtype = d};
}
AttrValue av_name(const char *interned)
{
	return (AttrValue){.kind = A_NAME, .u.name = interned};
}
AttrValue av_data(const Data *d)
{
	return (AttrValue){.kind = A_DATA, .u.data = d};
}
AttrValue av_function(Function *f)
{
	return (AttrValue){.kind = A_FUNCTION, .u.function = f};
}

/* ---- data --------------------------------------------------------------------- */

typedef struct DataKey {
	const void *at;
	size_t bytes;
} DataKey;

static bool data_same(const void *item, const void *key)
{
	const Data *d = item;
	const DataKey *k = key;
	return d->bytes == k->bytes && (!k->bytes || !memcmp(d->at, k->at, k->bytes));
}

const Data *data_make(Graph *g, const void *at, size_t bytes)
{
	uint32_t h = hash_bytes(at, bytes);
	Data *d = KNOWN(g, datas, h, &(DataKey){at, bytes}, data_same);
	if (d) return d;
	if (bytes > SIZE_MAX - sizeof *d) arena_out_of_memory(g->arena);
	d = arena_alloc(g->arena, sizeof *d + bytes);
	d->id = ++g->ndata;
	d->hash = h;
	d->bytes = bytes;
	if (bytes) memcpy(d->at, at, bytes);
	table_add(&g->datas, h, d);
	return d;
}

const Data *data_lent(Graph *g, const Data *d)
{
	const Data *known = KNOWN(g, datas, d->hash, &(DataKey){d->at, d->bytes}, data_same);
	if (!known) table_add(&g->datas, d->hash, (void *)(uintptr_t)d);
	return known ? known : d;
}

/* ---- operators ------------------------------------------------------------------ */

#define INF __builtin_inf()
#define CC(lo, hi) {lo, hi, false, false}
#define CO(lo, hi) {lo, hi, false, true}
#define OC(lo, hi) {lo, hi, true, false}
#define OO(lo, hi) {lo, hi, true, true}
#define ANY CC(-INF, INF)

const OpInfo op_info[OP_COUNT] = {
	[OP_NONE] = {"NONE", "none", 0, LEAF, OWN, 0, 0, ANY, "", "", "", 4},
#define OP(NAME, name, text, args, class, dtype, flags, cost, forms, range, brackets, formula, notes)        \
	[OP_##NAME] = {#NAME, text, args, class, dtype, flags, cost, range, brackets, formula, notes, sizeof(text) - 1},
#include "ops.h"
#undef OP
};

/* What a program cannot call by name: leaves, and the control that has a form of its own. */
static bool is_unnamed(Op op)
{
	return op_info[op].class == LEAF || op_info[op].class == CONTROL;
}

/* A byte of each text, by which it is found among the others. */
#define MARK(text, n) (unsigned char)((n) + 5 * (text)[0] + 11 * (text)[(n) - 1])
static const unsigned char marks[OP_COUNT] = {
#define OP(NAME, name, text, args, class, dtype, flags, cost, forms, range, brackets, formula, notes)        \
	[OP_##NAME] = MARK(text, sizeof(text) - 1),
#include "ops.h"
#undef OP
};

/* The next operator after this one that is written so; OP_NONE: there is none. */
static Op next_named(Op op, const char *text, size_t len)
{
	if (!len) return OP_NONE;
	while (++op < OP_COUNT) {
		const unsigned char *at = memchr(marks + op, MARK(text, len), OP_COUNT - (size_t)op);
		if (!at) break;
		op = (Op)(at - marks);
		if (op_info[op].length == len && !memcmp(op_info[op].text, text, len) && !is_unnamed(op))
			return op;
	}
	return OP_NONE;
}

Op op_named(const char *text, size_t len, int n)
{
	Op op = next_named(OP_NONE, text, len);
	while (op && op_info[op].args != n && op_info[op].args != VARIADIC) op = next_named(op, text, len);
	return op;
}

bool op_is_named(const char *text, size_t len)
{
	return next_named(OP_NONE, text, len) != OP_NONE;
}

Op op_joining(Op fold)
{
	switch (fold) {
	case OP_SUM: return OP_ADD;
	case OP_PROD: return OP_MUL;
	case OP_MAX: return OP_MAXIMUM;
	case OP_MIN: return OP_MINIMUM;
	case OP_ANY: return OP_OR;
	case OP_ALL: return OP_AND;
	case OP_LOGSUMEXP: return OP_LOGADDEXP;
	default: return OP_NONE;
	}
}
