/* elab_infer.c - expressions of the command line: types for names that nobody declared.
 *
 * An undeclared name is an f64: a matrix (capital) or a vector (small letter)
 * if it is an operand of @ after taking off minus, .T and parentheses, else a
 * scalar.  Sizes are unknowns, made equal by the products and sums that the
 * names meet in; what is left of them gets names m, n, k, ... in the order of
 * the expression.
 */
#include "elab_infer.h"

static const InferredShape nothing = {.rank = -1};

/* ---- unknown sizes -------------------------------------------------------------------- */

Unknown *unknown_root(Unknown *u)
{
	while (u->same) u = u->same;
	return u;
}

Unknown *unknown_new(Infer *f, const Size *s)
{
	Unknown *u = NEW(f->e->g->arena, Unknown);
	u->size = s;
	return u;
}

static void unify(Unknown *a, Unknown *b)
{
	a = unknown_root(a);
	b = unknown_root(b);
	if (a == b) return;
	if (!b->size)
		b->same = a;
	else if (!a->size)
		a->same = b;
}

InferredShape shape_of_type(Infer *f, const Type *t)
{
	InferredShape s = nothing;
	if (t->kind != TYPE_ARRAY) return s;
	s.rank = (int)t->n;
	for (uint32_t i = 0; i < t->n; i++) s.dim[i] = unknown_new(f, DIM(t, i));
	return s;
}

/* ---- free names --------------------------------------------------------------------------- */

static bool is_bound(const BoundName *b, const char *name)
{
	for (; b; b = b->next)
		if (b->name == name) return true;
	return false;
}

/* What is given for a name as a whole, or the first part of it. */
static const Declared *given_name(const Infer *f, const char *name)
{
	const GivenPart *p = given_part(f->parts, name);
	while (p && !p->whole) p = p->first;
	return p ? p->whole : NULL;
}

static bool is_declared(const Infer *f, const char *name)
{
	Library *lib = f->e->lib;
	return module_decl(f->env.scope->module, name) || (lib->prelude && module_decl(lib->prelude, name)) ||
		is_builtin(name) || is_derivative(name) || dtype_named(name, strlen(name)) != DT_NONE ||
		!strcmp(name, "pi") || !strcmp(name, "inf") || !strcmp(name, "nan") ||
		!strcmp(name, "true") || !strcmp(name, "false") || !strcmp(name, "_") || is_habit_of_value(name);
}

static FreeName *find_name(Infer *f, const char *name)
{
	return namemap_get(&f->by_name, name);
}

static FreeName *add_name(Infer *f, const char *name)
{
	FreeName *n = find_name(f, name);
	if (!n) {
		n = NEW(f->e->g->arena, FreeName);
		n->name = name;
		n->given = given_name(f, name);
		namemap_put(&f->by_name, name, n);
		*f->last = n;
		f->last = &n->next;
	}
	return n;
}

/* What is left of an operand of @ without minus, .T (parentheses leave no trace). */
static const Syntax *bare(const Syntax *s)
{
	while ((s->kind == SYN_UNARY && s->sign == SIGN_MINUS) ||
		(s->kind == SYN_FIELD && !strcmp(s->name, "T")))
		s = s->part[0];
	return s;
}

const BoundName *bound_name(Infer *f, const BoundName *b, const char *name)
{
	BoundName *n = NEW(f->e->g->arena, BoundName);
	*n = (BoundName){name, nothing, (BoundName *)b};
	return n;
}

static const BoundName *bind_names(Infer *f, const BoundName *b, const Syntax *pattern)
{
	if (pattern->kind == SYN_NAME) return bound_name(f, b, pattern->name);
	for (uint32_t i = 0; i < pattern->count; i++)
		b = bind_names(
			f, b, pattern->kind == SYN_CURLY ? pattern->part[i]->part[0] : pattern->part[i]);
	return b;
}

/* x^T is no power by a number called T, unless one is given. */
static bool is_transpose(const Infer *f, const Syntax *s)
{
	const Syntax *by = s->part[1];
	return by->kind == SYN_NAME && !strcmp(by->name, "T") && !given_name(f, by->name);
}

static void free_name(Infer *f, const BoundName *b, const Syntax *s, bool callee)
{
	text_printf(&f->used, " %s ", s->name);
	if (is_bound(b, s->name) || scope_own(f->env, s->name)) return;
	if (given_name(f, s->name) ? !callee || !is_declared(f, s->name)
				   : !callee && !is_declared(f, s->name))
		add_name(f, s->name);
}

static void find_given(Infer *f, const BoundName *b, const Syntax *s)
{
	if (!s) return;
	if (s->kind == SYN_NAME && given_name(f, s->name)) free_name(f, b, s, false);
	bool scope = s->kind == SYN_LAMBDA || s->kind == SYN_SCAN || s->kind == SYN_FORMULA ||
		s->kind == SYN_LET;
	for (uint32_t i = 0; s->kind != SYN_NAME && !scope && i < s->count; i++) find_given(f, b, s->part[i]);
}

static void find_in_scan(Infer *f, const BoundName *b, const Syntax *s, const Syntax *list, uint32_t n)
{
	const BoundName *inner = b;
	bool scan = s->kind == SYN_SCAN; /* of an array form a name is known to those behind it */
	/* in a loop's brackets back is a flag, and the n of bytes = n is an expression */
	const Syntax *brackets = scan ? s->part[0] : NULL;
	for (uint32_t i = 0; brackets && i < brackets->count; i++)
		if (brackets->part[i]->kind == SYN_ENTRY) find_free(f, b, brackets->part[i]->part[0]);
	for (uint32_t i = 0; i < n; i++) {
		find_free(f, scan ? b : inner, list->part[i]->part[0]);
		inner = bound_name(f, inner, list->part[i]->name);
	}
	for (uint32_t i = scan ? 2 : n; i < s->count; i++) find_free(f, inner, s->part[i]);
}

static void find_in_call(Infer *f, const BoundName *b, const Syntax *s)
{
	const Syntax *callee = s->part[0];
	bool brackets = callee->kind == SYN_SUBSCRIPTS && callee->part[0]->kind == SYN_NAME;
	const Syntax *name = brackets ? callee->part[0] : callee;
	if (name->kind == SYN_NAME)
		free_name(f, b, name, true);
	else
		find_free(f, b, callee);
	/* in brackets stand flags, labels and sizes: no inputs, unless they are given */
	for (uint32_t i = 1; brackets && i < callee->count; i++) find_given(f, b, callee->part[i]);
	for (uint32_t i = 1; i < s->count; i++) find_free(f, b, s->part[i]);
}

static void find_in_let(Infer *f, const BoundName *b, const Syntax *s)
{
	for (uint32_t i = 0; i + 1 < s->count; i++) {
		const Syntax *step = s->part[i];
		bool binds = step->kind == SYN_BIND;
		find_free(f, b, step->part[binds ? 2 : 0]);
		if (binds) b = bind_names(f, b, step->part[0]);
	}
	find_free(f, b, s->part[s->count - 1]);
}

static void find_in_lambda(Infer *f, const BoundName *b, const Syntax *s)
{
	for (uint32_t i = 0; i + 1 < s->count; i++) {
		const Syntax *p = s->part[i];
		b = p->kind == SYN_RUN ? bound_name(f, b, p->name) : bind_names(f, b, p->part[0]);
	}
	find_free(f, b, s->part[s->count - 1]);
}

/* Beside @ a name is a matrix or vector. */
static void find_in_chain(Infer *f, const BoundName *b, const Syntax *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const Syntax *x = bare(s->part[i]);
		bool product = s->signs[i ? i - 1 : 0] == SIGN_MATMUL;
		find_free(f, b, s->part[i]);
		if (!product || x->kind != SYN_NAME || is_bound(b, x->name)) continue;
		FreeName *n = find_name(f, x->name);
		if (n) n->product = true;
	}
}

/* stats.median, where no value is called stats */
static bool is_of_module(const Infer *f, const BoundName *b, const Syntax *s)
{
	const char *name = s->part[0] && s->part[0]->kind == SYN_NAME ? s->part[0]->name : NULL;
	return name && !is_bound(b, name) && !given_name(f, name) && !scope_own(f->env, name) &&
		module_of_field(f->e, f->env.scope->module, s);
}

void find_free(Infer *f, const BoundName *b, const Syntax *s)
{
	if (!s) return;
	switch (s->kind) {
	case SYN_NAME: free_name(f, b, s, false); return;
	case SYN_CALL: find_in_call(f, b, s); return;
	case SYN_LET: find_in_let(f, b, s); return;
	case SYN_LAMBDA: find_in_lambda(f, b, s); return;
	case SYN_SCAN: find_in_scan(f, b, s, s->part[1], s->part[1]->count); return;
	case SYN_FORMULA: find_in_scan(f, b, s, s, s->count - 1); return;
	case SYN_CHAIN: find_in_chain(f, b, s); return;
	case SYN_POWER:
		find_free(f, b, s->part[0]);
		if (!is_transpose(f, s)) find_free(f, b, s->part[1]);
		return;
	case SYN_FIELD:
		if (!is_of_module(f, b, s)) find_free(f, b, s->part[0]);
		return;
	default:
		for (uint32_t i = 0; i < s->count; i++) find_free(f, b, s->part[i]);
	}
}

/* ---- shapes ------------------------------------------------------------------------------------ */

static InferredShape elementwise(InferredShape a, InferredShape b)
{
	if (a.rank < 0 || b.rank < 0) return nothing;
	InferredShape big = a.rank >= b.rank ? a : b, small = a.rank >= b.rank ? b : a;
	for (int i = 0; i < small.rank; i++) unify(big.dim[big.rank - small.rank + i], small.dim[i]);
	return big;
}

static InferredShape product(InferredShape a, InferredShape b)
{
	if (a.rank < 1 || b.rank < 1) return nothing;
	unify(a.dim[a.rank - 1], b.dim[b.rank > 1 ? b.rank - 2 : 0]);
	if (a.rank > 2 || b.rank > 2) return nothing;
	InferredShape r = {.rank = a.rank + b.rank - 2};
	if (a.rank == 2) r.dim[0] = a.dim[0];
	if (b.rank == 2) r.dim[r.rank - 1] = b.dim[1];
	return r;
}

static InferredShape infer_name(Infer *f, const BoundName *b, const Syntax *s)
{
	for (; b; b = b->next)
		if (b->name == s->name) return b->shape;
	FreeName *n = find_name(f, s->name);
	return n ? n->shape : nothing;
}

static InferredShape infer_all(Infer *f, const BoundName *b, const Syntax *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->part[i]) infer(f, b, s->part[i]);
	return nothing;
}

static InferredShape infer_call(Infer *f, const BoundName *b, const Syntax *s)
{
	const Syntax *callee = s->part[0];
	InferredShape r = nothing;
	for (uint32_t i = 1; i < s->count; i++) {
		InferredShape a = infer(f, b, s->part[i]);
		r = i == 1 ? a : elementwise(r, a);
	}
	if (callee->kind != SYN_NAME) return nothing;
	Op op = s->count < 5 ? op_named(callee->name, strlen(callee->name), (int)s->count - 1) : OP_NONE;
	if (op != OP_NONE && op_info[op].class == MAP) return r;
	if (op != OP_NONE && op_info[op].class == FOLD) return (InferredShape){.rank = 0};
	return nothing;
}

/* x.T */
static InferredShape infer_field(Infer *f, const BoundName *b, const Syntax *s)
{
	InferredShape a = infer(f, b, s->part[0]);
	if (strcmp(s->name, "T") || a.rank < 2) return nothing;
	Unknown *last = a.dim[a.rank - 1];
	a.dim[a.rank - 1] = a.dim[a.rank - 2];
	a.dim[a.rank - 2] = last;
	return a;
}

static InferredShape infer_chain(Infer *f, const BoundName *b, const Syntax *s)
{
	InferredShape r = infer(f, b, s->part[0]);
	for (uint32_t i = 1; i < s->count; i++) {
		InferredShape a = infer(f, b, s->part[i]);
		bool matrices = s->kind == SYN_CHAIN && s->signs[i - 1] == SIGN_MATMUL;
		r = matrices ? product(r, a) : elementwise(r, a);
	}
	return r;
}

static InferredShape infer_let(Infer *f, const BoundName *b, const Syntax *s)
{
	for (uint32_t i = 0; i + 1 < s->count; i++) {
		const Syntax *step = s->part[i];
		bool binds = step->kind == SYN_BIND;
		InferredShape a = infer(f, b, step->part[binds ? 2 : 0]);
		if (binds) b = bind_names(f, b, step->part[0]);
		if (binds && step->part[0]->kind == SYN_NAME) ((BoundName *)b)->shape = a;
	}
	return infer(f, b, s->part[s->count - 1]);
}

InferredShape infer(Infer *f, const BoundName *b, const Syntax *s)
{
	InferredShape a;
	switch (s->kind) {
	case SYN_NUMBER: return (InferredShape){.rank = 0};
	case SYN_NAME: return infer_name(f, b, s);
	case SYN_UNARY: return infer(f, b, s->part[0]);
	case SYN_CALL: return infer_call(f, b, s);
	case SYN_POWER: a = infer(f, b, s->part[0]); return elementwise(a, infer(f, b, s->part[1]));
	case SYN_FIELD: return infer_field(f, b, s);
	case SYN_COMPARE:
	case SYN_CHAIN: return infer_chain(f, b, s);
	case SYN_LET: return infer_let(f, b, s);
	case SYN_LAMBDA:
	case SYN_SCAN:
	case SYN_FORMULA:
	case SYN_WITH: return nothing;
	case SYN_IF:
		infer(f, b, s->part[0]);
		a = infer(f, b, s->part[1]);
		return elementwise(a, infer(f, b, s->part[2]));
	default: return infer_all(f, b, s);
	}
}
