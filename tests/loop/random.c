/* random.c - random functions, for checks that compare the tiers. */
#include "random.h"
#include "../../src/math/math.h"

enum { POOL = 256 };

typedef struct Maker {
	Graph *g;
	uint64_t state;
	Node *pool[POOL];
	uint32_t n;
	const Size *size[4]; /* m, n, 3, 1 */
} Maker;

static uint64_t draw(Maker *m)
{
	m->state ^= m->state << 13, m->state ^= m->state >> 7, m->state ^= m->state << 17;
	return m->state;
}

static uint32_t below(Maker *m, uint32_t n)
{
	return n ? (uint32_t)(draw(m) >> 33) % n : 0;
}

static const Dtype dtypes[] = {
	DT_F32, DT_F64, DT_F64, DT_F32, DT_BF16, DT_F16, DT_I32, DT_I64, DT_U8, DT_I16, DT_BOOL};

static void add(Maker *m, Node *x)
{
	if (x && x->type->kind == TYPE_ARRAY && node_rank(x) <= 3 && m->n < POOL) m->pool[m->n++] = x;
}

static Node *pick(Maker *m)
{
	return m->pool[m->n - 1 - below(m, m->n < 12 ? m->n : below(m, 2) ? 12 : m->n)];
}

/* A node of the pool that some test admits; NULL after some tries. */
static Node *pick_where(Maker *m, bool (*good)(const Node *))
{
	for (int i = 0; i < 12; i++) {
		Node *x = pick(m);
		if (good(x)) return x;
	}
	return NULL;
}

static bool is_float(const Node *x)
{
	return dtype_is_float(node_dtype(x));
}
static bool is_number(const Node *x)
{
	return dtype_is_number(node_dtype(x)) && !dtype_is_complex(node_dtype(x));
}
static bool is_integer(const Node *x)
{
	return dtype_is_integer(node_dtype(x));
}
static bool is_bool(const Node *x)
{
	return node_dtype(x) == DT_BOOL;
}
static bool has_axis(const Node *x)
{
	return node_rank(x) > 0;
}
static bool is_matrix(const Node *x)
{
	return node_rank(x) == 2 && is_number(x);
}

static bool same_type_rank(const Node *x, const Node *y)
{
	if (node_dtype(x) != node_dtype(y) || node_rank(x) != node_rank(y)) return false;
	for (uint32_t i = 0; i < node_rank(x); i++)
		if (node_dim(x, i) != node_dim(y, i)) return false;
	return true;
}

/* A second operand that x can be combined with: of its shape, a constant, or one that is spread to it. */
static Node *partner(Maker *m, Node *x)
{
	Graph *g = m->g;
	for (int i = 0; i < 10; i++) {
		Node *y = pick(m);
		if (same_type_rank(x, y)) return y;
		if (node_dtype(y) != node_dtype(x) || node_rank(y) >= node_rank(x)) continue;
		bool fits = true;
		for (uint32_t k = 0, lead = node_rank(x) - node_rank(y); k < node_rank(y); k++)
			fits &= node_dim(y, k) == node_dim(x, lead + k);
		if (fits) return broadcast_to(g, y, node_rank(x), x->type->u.dim);
	}
	return constant_float(g, x->type, (double)below(m, 7) * 0.75 - 1.5);
}

/* ---- one operator of each kind ------------------------------------------------------------ */

static Node *any_map(Maker *m)
{
	Graph *g = m->g;
	uint32_t first = OP_CONJ - OP_ADD + 1, more = OP_I1E - OP_EXP10 + 1, k = below(m, first + more);
	Op op = (Op)(k < first ? OP_ADD + k : OP_EXP10 + (k - first));
	DtypeRule rule = op_info[op].dtype;
	Node *x, *y, *z;
	if (op == OP_POLYGAMMA || op == OP_COMPLEX) return NULL;
	if (op == OP_CAST) {
		AttrValue v = av_dtype(dtypes[below(m, countof(dtypes))]);
		x = pick(m);
		return node_dtype(x) == v.u.dtype ? NULL : node_make(g, op, attr_make(g, 1, &v), 1, &x);
	}
	if (op == OP_BITCAST) {
		x = pick(m);
		Dtype d = node_dtype(x) == DT_F32 ? DT_I32
			: node_dtype(x) == DT_F64 ? DT_I64
			: node_dtype(x) == DT_F16 ? DT_I16
						  : DT_NONE;
		AttrValue v = av_dtype(d);
		return d == DT_NONE ? NULL : node_make(g, op, attr_make(g, 1, &v), 1, &x);
	}
	if (rule == SELECT) {
		x = pick_where(m, is_bool);
		y = x ? pick(m) : NULL;
		if (!x || !y || node_rank(x) != node_rank(y)) return NULL;
		for (uint32_t i = 0; i < node_rank(x); i++)
			if (node_dim(x, i) != node_dim(y, i)) return NULL;
		return build3(g, op, x, y, partner(m, y));
	}
	x = pick_where(m,
		rule == RFLOAT || rule == FLOAT || rule == FTEST ? is_float
			: rule == INT || rule == BITS            ? is_integer
			: rule == BOOL                           ? is_bool
								 : is_number);
	if (!x) return NULL;
	if (op_info[op].args == 1) return build1(g, op, x);
	y = partner(m, x);
	z = op_info[op].args == 3 ? partner(m, x) : NULL;
	return z ? build3(g, op, x, y, z) : build2(g, op, x, y);
}

static Node *any_fold(Maker *m)
{
	static const Op folds[] = {OP_SUM, OP_SUM, OP_PROD, OP_MAX, OP_MIN, OP_ANY, OP_ALL, OP_ARGMAX,
		OP_ARGMIN, OP_LOGSUMEXP, OP_CUMSUM};
	Op op = folds[below(m, countof(folds))];
	Node *x = pick_where(m,
		op == OP_ANY || op == OP_ALL ? is_bool
			: op == OP_LOGSUMEXP ? is_float
					     : is_number);
	if (!x || !node_rank(x)) return NULL;
	if (op == OP_CUMSUM) {
		int64_t axis = below(m, node_rank(x));
		return node_make(m->g, op, attr_ints(m->g, 1, &axis), 1, &x);
	}
	int64_t axes[3];
	uint32_t n = 0;
	for (uint32_t i = 0; i < node_rank(x); i++)
		if (below(m, 2)) axes[n++] = i;
	return n ? fold(m->g, op, x, n, axes) : NULL;
}

static Node *any_view(Maker *m)
{
	Graph *g = m->g;
	Node *x = pick_where(m, has_axis), *y;
	const Size *a[3], *b[3], *one = size_const(g, 1), *zero = size_const(g, 0);
	int64_t step[3], perm[3], axis;
	if (!x) return NULL;
	uint32_t n = node_rank(x);
	axis = below(m, n);
	switch (below(m, 8)) {
	case 0:
		for (uint32_t i = 0; i < n; i++) perm[i] = n - 1 - i;
		return transpose(g, x, perm);
	case 1: return flip(g, x, 1, &axis);
	case 2:
		y = pick_where(m, has_axis);
		return n < 3 && y ? expand(g, x, 1, &axis, &(const Size *){node_dim(y, 0)}) : NULL;
	case 3: /* all but the first of an axis that has one */
	case 4:
		for (uint32_t i = 0; i < n; i++) a[i] = zero, b[i] = node_dim(x, i), step[i] = 1;
		if (size_compare(g, node_dim(x, (uint32_t)axis), one) != PROOF_GREATER)
			return pad(g, x, (const Size *[]){one, zero, zero}, (const Size *[]){zero, one, one},
				(int64_t[]){1, 1, 2});
		a[axis] = one, b[axis] = size_sub(g, node_dim(x, (uint32_t)axis), one);
		return slice(g, x, a, b, step);
	case 5: {
		const Size *all = type_elements(g, x->type);
		return reshape(g, x, 1, &all);
	}
	case 6: y = partner(m, x); return concat(g, axis, 2, (Node *[]){x, y});
	default: {
		int64_t at = n;
		return n < 3 ? unsqueeze(g, x, 1, &at) : NULL;
	}
	}
}

/* Indices that lie inside: i mod size, for the first axis. */
static Node *inside(Maker *m, Node *i, const Size *size)
{
	Graph *g = m->g;
	i = cast(g, i, DT_I64);
	return build2(g, OP_MOD, i,
		build2(g, OP_MAXIMUM, size_node(g, size), constant_int(g, type_scalar(g, DT_I64), 1)));
}

static Node *any_index(Maker *m)
{
	Graph *g = m->g;
	Node *x = pick_where(m, has_axis), *i = pick_where(m, is_integer);
	if (!x || !i || node_rank(i) > 1) return NULL;
	/* an axis of size 0 has nothing inside: put one element before it */
	Node *edge = constant_float(g,
		type_array(g, node_dtype(x), node_rank(x),
			(const Size *[]){size_const(g, 1), node_rank(x) > 1 ? node_dim(x, 1) : NULL,
				node_rank(x) > 2 ? node_dim(x, 2) : NULL}),
		1);
	x = concat(g, 0, 2, (Node *[]){edge, x});
	i = inside(m, i, node_dim(x, 0));
	if (below(m, 3)) return gather(g, x, i, 0);
	if (!is_number(x)) return NULL;
	static const Op kind[] = {OP_SCATTER_ADD, OP_SCATTER_SET, OP_SCATTER_MUL, OP_SCATTER_MAX, OP_SCATTER_MIN};
	Op op = kind[below(m, dtype_is_complex(node_dtype(x)) ? 3 : 5)];
	return scatter(g, op, x, i, gather(g, x, i, 0), 0);
}

static Node *any_contraction(Maker *m)
{
	Node *x = pick_where(m, is_matrix), *y = x ? pick_where(m, is_matrix) : NULL;
	if (!x || !y || node_dtype(x) != node_dtype(y)) return NULL;
	if (node_dim(x, 1) == node_dim(y, 0)) return matmul(m->g, x, y);
	if (node_dim(x, 0) == node_dim(y, 0)) return matmul(m->g, turn(m->g, x), y);
	if (node_dim(x, 1) == node_dim(y, 1)) return matmul(m->g, x, turn(m->g, y));
	return NULL;
}

/* A sum of products by labels: axes of one length may share one, of which the result has some. */
static Node *any_product(Maker *m)
{
	Node *x = pick_where(m, is_number), *y = pick_where(m, is_number);
	if (!x || !y || node_dtype(x) != node_dtype(y)) return NULL;
	int64_t of_x[RANK_MAX], of_y[RANK_MAX], kept[RANK_MAX], next = node_rank(x);
	uint32_t n = 0;
	for (uint32_t i = 0; i < node_rank(x); i++) of_x[i] = i;
	for (uint32_t i = 0, met = 0; i < node_rank(y); i++) {
		of_y[i] = next++;
		for (uint32_t k = 0; k < node_rank(x) && of_y[i] + 1 == next; k++) {
			if (met >> k & 1 || node_dim(x, k) != node_dim(y, i) || !below(m, 4)) continue;
			of_y[i] = k;
			met |= 1u << k;
		}
	}
	for (int64_t label = 0; label < next; label++) {
		bool used = label < node_rank(x);
		for (uint32_t i = 0; i < node_rank(y); i++) used |= of_y[i] == label;
		if (used && below(m, 3) && n < 3) kept[n++] = label;
	}
	return contract(m->g, (Labelled){x, of_x}, (Labelled){y, of_y}, n, kept);
}

static Node *any_random(Maker *m)
{
	Graph *g = m->g;
	Node *key = node_make(
		g, OP_KEY, NULL, 1, (Node *[]){constant_int(g, type_scalar(g, DT_I64), below(m, 100))});
	key = build2(g, OP_KEY_AT, key, constant_int(g, type_scalar(g, DT_I64), below(m, 9)));
	Node *x = pick(m);
	AttrValue v[4] = {av_dtype(below(m, 2) ? DT_F32 : DT_F64)};
	for (uint32_t i = 0; i < node_rank(x); i++) v[1 + i] = av_size(node_dim(x, i));
	static const Op draws[] = {OP_UNIFORM, OP_NORMAL, OP_UNIFORM_OPEN, OP_EXPONENTIAL, OP_GAMMA_DRAW};
	Op op = draws[below(m, 5)];
	if (op == OP_GAMMA_DRAW) return is_float(x) ? build2(g, op, key, x) : NULL;
	return node_make(g, op, attr_make(g, 1 + node_rank(x), v), 1, &key);
}

/* A loop that carries x, walks y where one has an axis, and captures what it needs. */
static Node *any_loop(Maker *m)
{
	Graph *g = m->g;
	Node *x = pick_where(m, is_float), *y = pick_where(m, has_axis);
	if (!x || !y || !is_float(y)) return NULL;
	Node *i = fresh(g, type_scalar(g, DT_I64), "i"), *c = fresh(g, x->type, "c");
	Node *e = fresh(g, type_array(g, node_dtype(y), node_rank(y) - 1, &DIM(y->type, 1)), "e");
	Node *s = cast(g, fold_all(g, OP_SUM, build1(g, OP_TANH, e)), node_dtype(x));
	Node *next = build1(g, OP_TANH, build2(g, OP_ADD, c, s));
	if (below(m, 2)) next = build2(g, OP_MUL, next, partner(m, x));
	Node *trace = build2(g, OP_ADD, e, cast(g, i, node_dtype(e)));
	Closure body;
	if (!next || !trace ||
		!function_close(g, (Title){"body", .flags = FN_BODY}, (Nodes){3, (Node *[]){i, c, e}},
			(Nodes){2, (Node *[]){next, trace}}, &body))
		return NULL;
	Node *loop =
		scan(g, &body, size_node(g, node_dim(y, 0)), (Nodes){1, &x}, (Nodes){1, &y}, below(m, 2));
	add(m, get(g, loop, 1));
	return get(g, loop, 0);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void add_inputs(Maker *m, Node **in, uint32_t n)
{
	Graph *g = m->g;
	static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
	m->size[0] = size_named(g, "m"), m->size[1] = size_named(g, "n");
	m->size[2] = size_const(g, 3), m->size[3] = size_const(g, 1);
	for (uint32_t i = 0; i < n; i++) {
		const Size *dim[2] = {m->size[below(m, 3)], m->size[below(m, 4)]};
		/* the first two make both sizes known */
		if (i < 2) dim[0] = m->size[i], dim[1] = m->size[1 - i];
		in[i] = input(g, names[i],
			type_array(g, dtypes[below(m, i < 2 ? 2 : countof(dtypes))], i < 2 ? 2 : below(m, 3),
				dim));
		add(m, in[i]);
	}
	add(m, iota(g, m->size[0]));
}

Function *random_function(Graph *g, uint64_t seed, uint32_t nodes)
{
	Maker *m = NEW(g->arena, Maker);
	*m = (Maker){.g = g, .state = seed * 0x9e3779b97f4a7c15u + 88172645463325252u};
	for (int i = 0; i < 8; i++) draw(m);
	Node *in[5], *result[3];
	add_inputs(m, in, countof(in));
	static Node *(*const kinds[])(Maker *) = {any_map, any_map, any_map, any_map, any_map, any_fold,
		any_fold, any_view, any_view, any_index, any_contraction, any_product, any_random,
		any_loop};
	for (uint32_t i = 0, tries = 0; i < nodes && tries < 20 * nodes && !g->error.code; tries++) {
		Node *x = kinds[below(m, countof(kinds))](m);
		if (x && x->type->kind == TYPE_ARRAY && node_rank(x) <= 3) {
			add(m, x);
			i++;
		}
	}
	uint32_t n = 0;
	for (uint32_t i = 0; i < countof(result); i++) result[n++] = m->pool[m->n - 1 - i];
	Closure c;
	bool closed = !g->error.code &&
		function_close(
			g, (Title){.name = "random"}, (Nodes){countof(in), in}, (Nodes){n, result}, &c);
	return closed ? c.function : NULL;
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0x632be59bd9b4e019u);
	x ^= x >> 31, x *= 0xbf58476d1ce4e5b9u, x ^= x >> 27, x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

int64_t random_size(uint64_t seed, uint32_t i)
{
	uint64_t r = mixed(seed, i + 1000);
	switch (r % 8) {
	case 0: return (int64_t)(r >> 8) % 2;
	case 1:
	case 2: return 2 + (int64_t)(r >> 8) % 7;
	case 3: return i ? 5 : 4097 + (int64_t)(r >> 8) % 5000;
	default: return 3 + (int64_t)(r >> 8) % 70;
	}
}

void random_fill(uint64_t seed, Dtype d, void *data, int64_t count)
{
	static const double specials[] = {0, -0.0, 1, -1, 1e30, -1e30, 1e-30, 0.5, 88.8, 1e300};
	size_t size = dtype_bytes(d);
	for (int64_t i = 0; i < count; i++) {
		uint64_t r = mixed(seed, (uint64_t)i);
		double x = ((double)(r >> 11) * 0x1p-53 - 0.5) * 4;
		if (r % 61 == 0)
			x = r % 7 == 0       ? __builtin_nan("")
				: r % 7 == 1 ? __builtin_inf()
					     : specials[(r >> 20) % countof(specials)];
		char *p = (char *)data + (size_t)i * size;
		uint64_t k = d == DT_BOOL ? r & 1 : (r >> 17) % 100;
		if (dtype_is_float(d))
			element_cast(d, p, DT_F64, &x);
		else
			memcpy(p, &k, size < 8 ? size : 8);
	}
}
