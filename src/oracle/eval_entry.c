/* eval_entry.c - evaluate and evaluate_constant; the sizes of a call found from its inputs. */
#include "eval.h"

/* ---- size parameters -------------------------------------------------------- */

typedef struct SizeBinding {
	const Function *function;
	int64_t *size;
	bool *known;
	const Atom *unknown; /* of the size at hand; NULL: none */
	uint32_t unknowns;
	int64_t trial; /* its value tried */
} SizeBinding;

static void note_unknown(void *user, const Atom *a)
{
	SizeBinding *b = user;
	if (a->kind == ATOM_PARAM && a->index < b->function->nsize && b->known[a->index]) return;
	b->unknowns += b->unknown != a;
	b->unknown = a;
}

static bool atom_of_binding(void *user, const Atom *a, int64_t *value)
{
	SizeBinding *b = user;
	if (a->kind != ATOM_PARAM || a->index >= b->function->nsize) return false;
	*value = b->known[a->index] ? b->size[a->index] : b->trial;
	return true;
}

static bool tried(SizeBinding *b, const Size *s, int64_t trial, int64_t *value)
{
	b->trial = trial;
	return size_evaluate(s, atom_of_binding, b, value);
}

/* One unknown that enters as a*u + b, a not 0: u is (given - b)/a if that is whole. */
static bool solve_size(SizeBinding *b, const Size *s, int64_t given)
{
	int64_t v[3];
	b->unknown = NULL;
	b->unknowns = 0;
	size_atoms(s, note_unknown, b);
	if (b->unknowns != 1 || b->unknown->kind != ATOM_PARAM) return false;
	for (int i = 0; i < 3; i++)
		if (!tried(b, s, i, &v[i])) return false;
	int64_t slope = v[1] - v[0];
	if (slope == 0 || v[2] - v[1] != slope || (given - v[0]) % slope != 0 || (given - v[0]) / slope < 0)
		return false;
	b->size[b->unknown->index] = (given - v[0]) / slope;
	b->known[b->unknown->index] = true;
	return true;
}

static bool wrong(Activation *f, uint32_t argument, const char *text)
{
	const char *name = f->function->name ? f->function->name : "function";
	eval_fail(f, ERR_CALL, "%s: argument %u: %s", name, argument + 1, text);
	f->e->error.argument = (int)argument + 1;
	return false;
}

static bool check_input(Activation *f, uint32_t i, const Value *v)
{
	const Type *t = f->function->param[i];
	if (t->kind != TYPE_ARRAY) return true;
	if (v->dtype != (Dtype)t->dtype || v->rank != t->n)
		return wrong(f, i,
			arena_printf(f->arena, "given %s with %u axes, wanted %s with %u",
				dtype_name(v->dtype), v->rank, dtype_name((Dtype)t->dtype), t->n));
	int64_t count = 1;
	for (uint32_t k = 0; k < v->rank; k++)
		if (v->dim[k] < 0 || __builtin_mul_overflow(count, v->dim[k], &count))
			return wrong(f, i, "sizes that cannot be counted");
	if (count != v->count) return wrong(f, i, "its count is not the product of its sizes");
	for (int64_t k = 0; f->e->finite && v->data && k < count; k++) {
		Line l = {.n = 0};
		if (value_is_finite(v, k)) continue;
		line_place(&l, v, k);
		line_printf(&l, "%s", v->rank ? " is " : "it is ");
		line_element(&l, v, k);
		return wrong(f, i, l.s);
	}
	return true;
}

static bool check_dim(Activation *f, SizeBinding *b, uint32_t i, uint32_t k, int64_t given)
{
	int64_t wanted;
	const Size *s = DIM(f->function->param[i], k);
	if (tried(b, s, 0, &wanted) && wanted == given) return true;
	Text t;
	text_open(&t, f->arena);
	size_print(&t, s);
	return wrong(f, i,
		arena_printf(f->arena, "axis %u: given %lld, wanted %lld (%s)", k, (long long)given,
			(long long)wanted, text_done(&t)));
}

static bool bind_sizes(Activation *f, const Value *in, int64_t *size)
{
	const Function *fn = f->function;
	SizeBinding b = {.function = fn, .size = size, .known = NEW_ARRAY(f->arena, bool, fn->nsize + 1)};
	for (uint32_t i = 0; i < fn->nparam; i++)
		if (!check_input(f, i, &in[i])) return false;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < fn->nparam; i++)
			for (uint32_t k = 0; fn->param[i]->kind == TYPE_ARRAY && k < fn->param[i]->n; k++)
				more |= solve_size(&b, DIM(fn->param[i], k), in[i].dim[k]);
	}
	for (uint32_t i = 0; i < fn->nparam; i++)
		for (uint32_t k = 0; fn->param[i]->kind == TYPE_ARRAY && k < fn->param[i]->n; k++) {
			b.unknown = NULL;
			b.unknowns = 0;
			size_atoms(DIM(fn->param[i], k), note_unknown, &b);
			if (!b.unknowns && !check_dim(f, &b, i, k, in[i].dim[k])) return false;
		}
	for (uint32_t i = 0; i < fn->nsize; i++)
		if (!b.known[i])
			return eval_fail(f, ERR_CALL, "the size s%u cannot be found from the inputs", i + 1);
	return true;
}

/* ---- a function ----------------------------------------------------------------- */

static bool run_function(Eval *e, Arena *arena, const Function *fn, const Value *in, Value *out)
{
	Activation f = {.e = e, .function = fn, .arena = arena_child(arena)};
	e->arena = arena;
	e->watch = arena_watched(arena);
	e->memory = f.arena;
	idmap_open(&e->needs, e->memory);
	int64_t *size = NEW_ARRAY(f.arena, int64_t, fn->nsize + 1);
	const Value **args = NEW_ARRAY(f.arena, const Value *, fn->nparam + 1);
	for (uint32_t i = 0; i < fn->nparam; i++) args[i] = &in[i];
	bool good = bind_sizes(&f, in, size) && eval_function(&f, (Function *)fn, args, size, arena, out);
	arena_free(f.arena);
	return good;
}

bool evaluate(Graph *g, Arena *arena, const Function *fn, const Value *in, Value *out, bool quad)
{
	Eval e = {.g = g, .quad = quad};
	bool good = run_function(&e, arena, fn, in, out);
	if (!good && !g->error.code) g->error = e.error;
	return good;
}

bool evaluate_call(Graph *g, const EvalCall *c, Error *error)
{
	Eval e = {.g = g, .sink = c->sink, .finite = c->finite};
	bool good = run_function(&e, c->arena, c->f, c->in, c->out);
	if (!good) *error = e.error;
	return good;
}

bool evaluate_sizes(Graph *g, const EvalCall *c, Error *error)
{
	Eval e = {.g = g, .arena = c->arena, .memory = c->arena};
	Activation f = {.e = &e, .function = c->f, .arena = c->arena};
	bool good = bind_sizes(&f, c->in, NEW_ARRAY(c->arena, int64_t, c->f->nsize + 1));
	if (!good) *error = e.error;
	return good;
}

bool evaluates(Graph *g, Arena *arena, const Function *fn, const Value *in, Value *out, bool quad)
{
	Eval e = {.g = g, .quad = quad};
	return run_function(&e, arena, fn, in, out);
}

bool evaluates_stirred(Graph *g, Arena *arena, const Function *fn, const Value *in, Value *out,
	uint64_t words)
{
	Eval e = {.g = g, .quad = true, .stir = words | 1};
	return run_function(&e, arena, fn, in, out);
}

/* ---- one node of constants --------------------------------------------------------- */

enum { FOLD_RESULT = 4096, FOLD_OPERAND = 65536, FOLD_WORK = 1 << 20 };

/* Elements of an array type whose sizes are numbers, at most `most`; else -1. */
static int64_t small_count(const Type *t, int64_t most)
{
	int64_t n = 1, d;
	for (uint32_t i = 0; i < t->n; i++) {
		if (!size_is(DIM(t, i), &d) || d < 0 || d > most) return -1;
		n *= d;
		if (n > most) return -1;
	}
	return n;
}

static bool constants_only(const Node *x)
{
	for (uint32_t i = 0; i < x->narg; i++)
		if (x->arg[i]->op != OP_CONST) return false;
	return x->narg > 0 && x->type->kind == TYPE_ARRAY;
}

static bool uniform_only(const Node *x)
{
	for (uint32_t i = 0; i < x->narg; i++)
		if (!constant_is_uniform(x->arg[i])) return false;
	return true;
}

/* A map of uniform constants, whatever the shape: one element is computed. */
static Node *uniform_map(Activation *f, const Node *x)
{
	Value v[3], out = {.type = x->type, .dtype = node_dtype(x), .count = 1};
	const Value *arg[3];
	for (uint32_t i = 0; i < (uint32_t)op_info[x->op].args; i++) {
		const Node *c = x->arg[i];
		v[i] = (Value){.type = c->type,
			.dtype = node_dtype(c),
			.count = 1,
			.data = (void *)constant_bytes(c)};
		arg[i] = &v[i];
	}
	Evaluator run;
	if (x->op == OP_CAST)
		run = eval_cast;
	else if (x->op == OP_BITCAST)
		run = eval_bitcast;
	else
		run = eval_map;
	return run(f, x, arg, &out) ? constant(f->e->g, x->type, out.data) : NULL;
}

static Node *small_node(Activation *f, const Node *x)
{
	Value *v = NEW_ARRAY(f->arena, Value, x->narg), out;
	const Value **arg = NEW_ARRAY(f->arena, const Value *, x->narg);
	int64_t work = 1;
	if (small_count(x->type, FOLD_RESULT) < 0) return NULL;
	for (uint32_t i = 0; i < x->narg; i++) {
		int64_t n = small_count(x->arg[i]->type, FOLD_OPERAND);
		if (n < 0 || (x->op == OP_CONTRACT && (work *= n) > FOLD_WORK) ||
			!eval_node(f, x->arg[i], NULL, &v[i]))
			return NULL;
		arg[i] = &v[i];
	}
	return eval_node(f, x, arg, &out) ? constant_data(f->e->g, x->type, out.data) : NULL;
}

Node *evaluate_constant(Graph *g, const Node *x)
{
	Class c = x ? op_info[x->op].class : LEAF;
	if (c == LEAF || c == CONTROL || !constants_only(x)) return NULL;
	if (x->op == OP_EXPAND || x->op == OP_TRANSPOSE || x->op == OP_FLIP)
		if (uniform_only(x)) return constant(g, x->type, constant_bytes(x->arg[0]));
	Eval e = {.g = g};
	Activation f = {.e = &e, .arena = arena_child(g->arena), .at = x};
	Node *r = c == MAP && uniform_only(x) ? uniform_map(&f, x) : small_node(&f, x);
	arena_free(f.arena);
	return r;
}
