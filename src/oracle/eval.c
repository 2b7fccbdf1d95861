/* eval.c - the reference evaluator: every node once, in the order of places.
 *
 * Slow and simple on purpose: it defines what the kernels must give, to the
 * bit, and shares nothing with them but the scalar mathematics.  A frame is
 * one activation of a function: its values lie on a scratch arena, its results
 * are copied to the arena of the caller.  Functions do not contain themselves,
 * so frames nest no deeper than functions do.
 */
#include "eval.h"

#define EVALUATED ((size_t)1 << 32) /* bytes of an array, at most */

/* ---- errors and sizes ------------------------------------------------------ */

bool eval_fail(Activation *f, int code, const char *format, ...)
{
	Where where = f->at && f->at->origin ? f->at->origin->where : (Where){0};
	va_list args;
	va_start(args, format);
	fail_list(&f->e->error, code, where, format, args);
	va_end(args);
	return false;
}

bool eval_atom(void *user, const Atom *a, int64_t *value)
{
	const Activation *f = user;
	if (a->kind == ATOM_PARAM && f->function && a->index < f->function->nsize) {
		*value = f->size[a->index];
		return true;
	}
	if (a->kind != ATOM_NODE || !f->region) return false;
	uint32_t place = region_place(f->region, a->node);
	const Value *v = NULL;
	if (a->node->op == OP_PARAM) /* a type may hold one that no node needs */
		v = f->in[attr_int(a->node, 0)];
	else if (place != UINT32_MAX)
		v = &f->value[place];
	if (!v || !v->data || v->too_large) return false;
	*value = eval_index_at(v, 0);
	return true;
}

bool eval_size(Activation *f, const Size *s, int64_t *value)
{
	if (size_evaluate(s, eval_atom, f, value)) return true;
	return eval_fail(
		f, ERR_CALL, "the size %s has no value here, or one that is too large", eval_size_text(f, s));
}

static bool negative_size(Activation *f, const Size *s, int64_t value)
{
	return eval_fail(f, ERR_CALL, "the size %s is negative: %lld", eval_size_text(f, s), (long long)value);
}

static bool shape_of_array(Activation *f, const Type *t, Value *v)
{
	*v = (Value){.type = t, .dtype = (Dtype)t->dtype, .rank = t->n, .count = 1};
	bool empty = false;
	for (uint32_t i = 0; i < t->n; i++) {
		if (!eval_size(f, DIM(t, i), &v->dim[i])) return false;
		if (v->dim[i] < 0) return negative_size(f, DIM(t, i), v->dim[i]);
		empty |= v->dim[i] == 0;
	}
	for (uint32_t i = 0; i < t->n; i++)
		if (v->dim[i] && (__builtin_mul_overflow(v->count, v->dim[i], &v->count) ||
					 v->count > LARGEST / (int64_t)dtype_bytes(v->dtype)))
			return eval_fail(f, ERR_CALL, "an array of more than %lld bytes is too large",
				(long long)LARGEST);
	v->count = empty ? 0 : v->count;
	return true;
}

/* Dims and count; of a tuple its elements'. */
static bool eval_shape(Activation *f, const Type *t, Value *v)
{
	if (t->kind == TYPE_ARRAY) return shape_of_array(f, t, v);
	*v = (Value){.type = t};
	if (t->kind == TYPE_TOKEN) return true;
	v->n = t->n;
	v->elem = NEW_ARRAY(f->arena, Value, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		if (!eval_shape(f, t->u.elem[i], &v->elem[i])) return false;
	return true;
}

/* Each value is stored, also where kernels compute it in passing: what would take all memory is refused at
 * once. */
static bool array_bytes(Activation *f, const Value *v, size_t *bytes)
{
	if (__builtin_mul_overflow((size_t)v->count, eval_bytes(f->e, v->dtype), bytes) ||
		*bytes > EVALUATED)
		return eval_fail(f, ERR_MEMORY,
			"an array of %lld elements of %s has more than the %lld bytes that the reference stores",
			(long long)v->count, dtype_name(v->dtype), (long long)EVALUATED);
	return true;
}

bool eval_alloc(Activation *f, Value *v)
{
	size_t bytes;
	if (!array_bytes(f, v, &bytes)) return false;
	v->data = arena_alloc(f->arena, bytes ? bytes : 1);
	return true;
}

/* A value on another arena. */
static bool value_copy(Activation *f, Arena *a, const Value *v, Value *out)
{
	*out = *v;
	size_t bytes;
	if (v->n) {
		out->elem = NEW_ARRAY(a, Value, v->n);
		for (uint32_t i = 0; i < v->n; i++)
			if (!value_copy(f, a, &v->elem[i], &out->elem[i])) return false;
	}
	if (!v->data) return true;
	if (!array_bytes(f, v, &bytes)) return false;
	out->data = arena_alloc(a, bytes ? bytes : 1);
	memcpy(out->data, v->data, bytes);
	return true;
}

/* ---- leaves ------------------------------------------------------------------- */

static bool eval_param(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	(void)arg;
	const Type *t = out->type;
	*out = *f->in[attr_int(x, 0)];
	out->type = t;
	return true;
}

static bool eval_const(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	(void)arg;
	Dtype d = out->dtype;
	size_t own = dtype_bytes(d);
	const char *from = constant_bytes(x);
	bool uniform = constant_is_uniform(x),
	     wide = f->e->quad && (dtype_is_float(d) || dtype_is_complex(d));
	if (!uniform && (size_t)out->count * own != x->attr->v[0].u.data->bytes)
		return eval_fail(f, ERR_INTERNAL, "a constant's data has not its type's size");
	if (!eval_alloc(f, out)) return false;
	for (int64_t i = 0; i < out->count; i++) {
		const char *p = uniform ? from : from + (size_t)i * own;
		if (!wide) {
			memcpy(eval_at(f->e, out, i), p, own);
			continue;
		}
		Scalar s = {.q = {quad_from_own(d, p, 0), dtype_is_complex(d) ? quad_from_own(d, p, 1) : 0}};
		memcpy(eval_at(f->e, out, i), s.q, eval_bytes(f->e, d));
	}
	return true;
}

static bool eval_size_leaf(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	(void)arg;
	return eval_alloc(f, out) && eval_size(f, x->attr->v[0].u.size, out->data);
}

static bool eval_iota(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	(void)arg;
	(void)x;
	if (!eval_alloc(f, out)) return false;
	for (int64_t i = 0; i < out->count; i++) ((int64_t *)out->data)[i] = i;
	return true;
}

static bool eval_token(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	(void)f;
	(void)x;
	(void)arg;
	(void)out;
	return true;
}

/* ---- control -------------------------------------------------------------------- */

static bool eval_tuple(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	(void)f;
	(void)x;
	for (uint32_t i = 0; i < out->n; i++) out->elem[i] = *arg[i];
	return true;
}

static bool eval_get(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	(void)f;
	*out = arg[0]->elem[attr_int(x, 0)];
	return true;
}

static bool eval_custom(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	const Custom *c = x->op == OP_CUSTOM ? x->attr->v[0].u.custom : NULL;
	bool several = x->type->kind == TYPE_TUPLE;
	uint32_t n = node_operands(x), m = several ? out->n : 1;
	Value *in = NEW_ARRAY(f->arena, Value, n + 1), *to = several ? out->elem : out;
	if (!c || f->e->quad)
		return eval_fail(
			f, ERR_UNSUPPORTED, "the evaluator cannot run %s", c ? c->name : op_info[x->op].text);
	for (uint32_t i = 0; i < n; i++) in[i] = *arg[i];
	for (uint32_t i = 0; i < m; i++)
		if (!eval_alloc(f, &to[i])) return false;
	int code = c->call(c, n, in, m, to);
	return !code || eval_fail(f, ERR_CALL, "%s: its kernel gave %d", c->name, code);
}

/* In binary128 nothing is told, and nothing that is asserted is asked: it is the same function. */
static bool eval_order(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Effect e;
	(void)out;
	if (f->e->quad) return true;
	effect_read(f->arena, x, &e);
	int64_t *pass = NEW_ARRAY(f->arena, int64_t, e.npass);
	Value *v = NEW_ARRAY(f->arena, Value, e.nvalue);
	for (uint32_t i = 0; i < e.npass; i++) pass[i] = eval_index_at(arg[1 + i], 0);
	for (uint32_t i = 0; i < e.nvalue; i++) v[i] = *arg[1 + e.npass + i];
	return effect_happens(&e, f->e->sink, pass, v, &f->e->error);
}

/* Arithmetic wraps as a value; as a size it is exact, also where a body captures it. */
static bool is_too_large(Activation *f, Node *x)
{
	int64_t value;
	if (op_info[x->op].class != MAP || !node_is_scalar(x) || node_dtype(x) != DT_I64) return false;
	return !size_evaluate(size_of_node(f->e->g, x), eval_atom, f, &value);
}

/* Run a function in a frame of its own; its results go to `arena`. */
bool eval_function(
	Activation *caller, Function *fn, const Value *const *in, const int64_t *sizes, Arena *arena,
	Value *out)
{
	Activation f = {.e = caller->e, .function = fn, .caller = caller, .in = in, .size = sizes};
	f.region = function_region(caller->e->g, fn);
	f.arena = arena_child(arena);
	f.value = NEW_ARRAY(f.arena, Value, f.region->n);
	bool good = eval_needs(&f, NULL);
	for (uint32_t i = 0; good && i < f.region->n; i++) {
		Node *x = f.region->node[i];
		const Value *few[8], **arg = x->narg <= 8 ? few : NEW_ARRAY(f.arena, const Value *, x->narg);
		for (uint32_t k = 0; k < x->narg; k++) arg[k] = &f.value[region_place(f.region, x->arg[k])];
		good = eval_node(&f, x, arg, &f.value[i]);
		f.value[i].too_large |= good && is_too_large(&f, x);
		good = good && eval_needs(&f, x);
	}
	for (uint32_t i = 0; good && i < fn->nresult; i++)
		good = value_copy(&f, arena, &f.value[region_place(f.region, fn->result[i])], &out[i]);
	arena_free(f.arena);
	return good;
}

static bool sizes_of_body(Activation *f, const Node *x, const Body *b, int64_t **sizes)
{
	*sizes = NEW_ARRAY(f->arena, int64_t, b->f->nsize + 1);
	for (uint32_t i = 0; i < b->f->nsize; i++)
		if (!eval_size(f, x->attr->v[b->sizes + i].u.size, &(*sizes)[i])) return false;
	return true;
}

/* The body applied to its operands. */
static bool eval_body(Activation *f, const Node *x, const Body *b, const Value *const *arg, Value *out)
{
	int64_t *sizes;
	return sizes_of_body(f, x, b, &sizes) &&
		eval_function(f, b->f, arg + b->first, sizes, f->arena, out);
}

static bool eval_call(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Body b[BODIES_MAX];
	node_bodies(x, b);
	return eval_body(f, x, b, arg, x->type->kind == TYPE_TUPLE ? out->elem : out);
}

/* Are the shapes the same?  Of arrays without elements that has to be asked, too. */
static bool shapes_agree(Activation *f, const char *what, const Value *given, const Value *wanted)
{
	for (uint32_t k = 0; k < given->rank; k++)
		if (given->dim[k] != wanted->dim[k])
			return eval_fail(f, ERR_CALL, "%s: %lld must equal %lld", what, (long long)given->dim[k],
				(long long)wanted->dim[k]);
	return true;
}

/* What this body gives is what the node gives; their shapes agree. */
static bool eval_side(Activation *f, const Node *x, const Body *b, const Value *const *arg, Value *out)
{
	Value *given = NEW_ARRAY(f->arena, Value, out->n);
	if (!eval_body(f, x, b, arg, given)) return false;
	for (uint32_t i = 0; i < out->n; i++) {
		const Type *t = out->elem[i].type;
		if (!shapes_agree(f, op_info[x->op].text, &given[i], &out->elem[i])) return false;
		out->elem[i] = given[i];
		out->elem[i].type = t;
	}
	return true;
}

static bool eval_if(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Body b[BODIES_MAX];
	node_bodies(x, b);
	bool holds = *(const uint8_t *)arg[0]->data;
	return eval_side(f, x, &b[!holds], arg, out);
}

/* Element i of a sequence, seen in place. */
static Value element_of(const Eval *e, const Value *v, int64_t i)
{
	Value x = *v;
	x.rank--;
	x.count = v->dim[0] ? v->count / v->dim[0] : 0;
	memmove(x.dim, x.dim + 1, x.rank * sizeof *x.dim);
	x.data = eval_at(e, v, i * x.count);
	return x;
}

typedef struct EvalLoop {
	Function *body;
	uint32_t ncarry, nseq;
	int64_t steps;
	const int64_t *sizes;
	const Value *const *operand; /* steps, carried, sequences, captured */
	Value *carried, *param;
	const Value **in;
} EvalLoop;

static bool run_step(Activation *f, EvalLoop *l, int64_t i, Value *out)
{
	l->param[0] = (Value){.type = l->body->param[0], .dtype = DT_I64, .count = 1, .data = &i};
	for (uint32_t k = 1; k < l->body->nparam; k++) {
		if (k <= l->ncarry)
			l->param[k] = l->carried[k - 1];
		else if (k <= l->ncarry + l->nseq)
			l->param[k] = element_of(f->e, l->operand[k], i);
		else
			l->param[k] = *l->operand[k];
	}
	Activation step = *f;
	step.arena = arena_child(f->arena);
	Value *result = NEW_ARRAY(step.arena, Value, l->body->nresult);
	uint32_t depth = f->e->npass;
	if (depth < countof(f->e->pass)) f->e->pass[f->e->npass++] = i;
	bool good = eval_function(&step, l->body, l->in, l->sizes, step.arena, result);
	f->e->npass = depth;
	for (uint32_t k = 0; good && k < l->body->nresult; k++) {
		bool trace = k >= l->ncarry;
		Value to = trace ? element_of(f->e, &out->elem[k], i) : l->carried[k];
		good = shapes_agree(f, "scan", &result[k], &to);
		if (good && to.data)
			memcpy(to.data, result[k].data, (size_t)to.count * eval_bytes(f->e, to.dtype));
	}
	arena_free(step.arena);
	return good;
}

/* The carried values lie in the results from the start: zero steps give the first ones. */
static bool eval_scan(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	Body b[BODIES_MAX];
	node_bodies(x, b);
	EvalLoop l = {.body = b->f, .ncarry = scan_carries(x), .nseq = scan_sequences(x),
		.operand = arg};
	int64_t *sizes = NULL;
	if (!eval_size(f, size_of_node(f->e->g, x->arg[0]), &l.steps)) return false;
	if (l.steps < 0)
		return eval_fail(f, ERR_CALL, "scan: a negative number of steps, %lld", (long long)l.steps);
	if (l.steps > LARGEST)
		return eval_fail(f, ERR_CALL, "a loop of %lld steps is too long", (long long)l.steps);
	if (l.steps && !sizes_of_body(f, x, b, &sizes)) return false;
	l.sizes = sizes;
	for (uint32_t k = 1 + l.ncarry; k <= l.ncarry + l.nseq; k++)
		if (arg[k]->dim[0] != l.steps)
			return eval_fail(f, ERR_CALL, "scan: a sequence of %lld where the steps are %lld",
				(long long)arg[k]->dim[0], (long long)l.steps);
	for (uint32_t k = 0; k < out->n; k++) {
		const Type *t = out->elem[k].type;
		if (k < l.ncarry) {
			if (!value_copy(f, f->arena, arg[1 + k], &out->elem[k])) return false;
			out->elem[k].type = t;
		} else if (t->kind == TYPE_ARRAY && !eval_alloc(f, &out->elem[k])) {
			return false;
		}
	}
	l.carried = out->elem;
	l.param = NEW_ARRAY(f->arena, Value, l.body->nparam);
	l.in = NEW_ARRAY(f->arena, const Value *, l.body->nparam);
	for (uint32_t k = 0; k < l.body->nparam; k++) l.in[k] = &l.param[k];
	bool back = scan_is_back(x);
	for (int64_t i = 0; i < l.steps; i++)
		if (scan_is_while(x) && !*(const uint8_t *)l.carried[0].data)
			break;
		else if (!run_step(f, &l, back ? l.steps - 1 - i : i, out)) return false;
	return true;
}

/* ---- the driver -------------------------------------------------------------------- */

static bool eval_open_leaf(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	(void)arg;
	(void)out;
	return eval_fail(f, ERR_INTERNAL, "%s in a closed function", op_info[x->op].text);
}

static const Evaluator by_class[] = {
	[LEAF] = eval_open_leaf,
	[MAP] = eval_map,
	[FOLD] = eval_fold,
	[CUMULATIVE] = eval_cumsum,
	[VIEW] = eval_view,
	[INDEX] = eval_index,
	[CONTRACT] = eval_contract,
	[SOLVE] = eval_qr,
	[RANDOM] = eval_random,
	[CONTROL] = eval_custom,
};

static const Evaluator by_op[OP_COUNT] = {
	/* where a class has several */
	[OP_PARAM] = eval_param,
	[OP_CONST] = eval_const,
	[OP_SIZE] = eval_size_leaf,
	[OP_IOTA] = eval_iota,
	[OP_CAST] = eval_cast,
	[OP_BITCAST] = eval_bitcast,
	[OP_ARGMAX] = eval_argfold,
	[OP_ARGMIN] = eval_argfold,
	[OP_LOGSUMEXP] = eval_logsumexp,
	[OP_TRI_SOLVE] = eval_tri_solve,
	[OP_TUPLE] = eval_tuple,
	[OP_GET] = eval_get,
	[OP_CALL] = eval_call,
	[OP_SCAN] = eval_scan,
	[OP_IF] = eval_if,
	[OP_TOKEN] = eval_token,
	[OP_ORDER] = eval_order,
};

bool eval_node(Activation *f, const Node *x, const Value *const *arg, Value *out)
{
	f->at = x;
	eval_works(f->e, 4);
	Evaluator run = by_op[x->op] ? by_op[x->op] : by_class[op_info[x->op].class];
	const Value *few[8];
	if (f->e->stir && x->narg <= countof(few) && x->narg) {
		memcpy(few, arg, x->narg * sizeof *few);
		eval_stir_operands(f, x, few);
		arg = few;
	}
	if (!eval_shape(f, x->type, out) || !run(f, x, arg, out)) return false;
	if (f->e->stir) eval_stir_result(f, x, arg, out);
	return !f->e->finite || eval_finite(f, x, arg, out);
}
