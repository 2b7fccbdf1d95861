/* elab_infer.c - expressions of the command line: types for names that nobody declared.
 *
 * An undeclared name is an f64: a matrix (capital) or a vector (small letter)
 * if it is an operand of @ after taking off minus, .T and parentheses, else a
 * scalar.  Sizes are unknowns, made equal by the products and sums that the
 * names meet in; what is left of them gets names m, n, k, ... in the order of
 * the expression.
 */
#include "elab.h"

typedef struct Unknown {
	struct Unknown *same;
	const Size *size;
} Unknown;

/* rank -1: nothing is known */
typedef struct Shape {
	int rank;
	Unknown *dim[RANK_MAX];
} Shape;

typedef struct Name {
	const char *name;
	bool product; /* an operand of @ */
	const Declared *given;
	Binding *value; /* declared */
	Shape shape;
	struct Name *next;
} Name;

typedef struct Bound {
	const char *name;
	Shape shape;
	struct Bound *next;
} Bound;

typedef struct Infer {
	Elab *e;
	Env env;
	uint32_t ngiven;
	const Declared *given;
	Name *names, **last;
	Text used; /* every name of the expression, between blanks */
} Infer;

static const Shape nothing = {.rank = -1};

/* ---- unknown sizes -------------------------------------------------------------------- */

static Unknown *root(Unknown *u)
{
	while (u->same) u = u->same;
	return u;
}

static Unknown *unknown(Infer *f, const Size *s)
{
	Unknown *u = NEW(f->e->g->arena, Unknown);
	u->size = s;
	return u;
}

static void unify(Unknown *a, Unknown *b)
{
	a = root(a), b = root(b);
	if (a == b) return;
	if (!b->size)
		b->same = a;
	else if (!a->size)
		a->same = b;
}

static Shape shape_of_type(Infer *f, const Type *t)
{
	Shape s = nothing;
	if (t->kind != TYPE_ARRAY) return s;
	s.rank = (int)t->n;
	for (uint32_t i = 0; i < t->n; i++) s.dim[i] = unknown(f, DIM(t, i));
	return s;
}

/* ---- free names --------------------------------------------------------------------------- */

static bool is_bound(const Bound *b, const char *name)
{
	for (; b; b = b->next)
		if (b->name == name) return true;
	return false;
}

static const Declared *given_name(const Infer *f, const char *name)
{
	size_t n = strlen(name);
	for (uint32_t i = 0; i < f->ngiven; i++)
		if (!strncmp(f->given[i].name, name, n) &&
			(!f->given[i].name[n] || f->given[i].name[n] == '.'))
			return &f->given[i];
	return NULL;
}

static bool is_declared(const Infer *f, const char *name)
{
	Library *lib = f->e->lib;
	return module_decl(f->env.scope->module, name) || (lib->prelude && module_decl(lib->prelude, name)) ||
		is_builtin(name) || is_derivative(name) || dtype_named(name, strlen(name)) != DT_NONE ||
		!strcmp(name, "pi") || !strcmp(name, "inf") || !strcmp(name, "nan") ||
		!strcmp(name, "true") || !strcmp(name, "false") || !strcmp(name, "_");
}

static Name *find_name(Infer *f, const char *name)
{
	for (Name *n = f->names; n; n = n->next)
		if (n->name == name) return n;
	return NULL;
}

static Name *add_name(Infer *f, const char *name)
{
	Name *n = find_name(f, name);
	if (!n) {
		n = NEW(f->e->g->arena, Name);
		n->name = name;
		n->given = given_name(f, name);
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

static const Bound *bind(Infer *f, const Bound *b, const char *name)
{
	Bound *n = NEW(f->e->g->arena, Bound);
	*n = (Bound){name, nothing, (Bound *)b};
	return n;
}

static const Bound *bind_names(Infer *f, const Bound *b, const Syntax *pattern)
{
	if (pattern->kind == SYN_NAME) return bind(f, b, pattern->name);
	for (uint32_t i = 0; i < pattern->count; i++)
		b = bind_names(
			f, b, pattern->kind == SYN_CURLY ? pattern->part[i]->part[0] : pattern->part[i]);
	return b;
}

static void find_free(Infer *f, const Bound *b, const Syntax *s);

static void free_name(Infer *f, const Bound *b, const Syntax *s, bool callee)
{
	text_printf(&f->used, " %s ", s->name);
	if (is_bound(b, s->name) || scope_own(f->env, s->name)) return;
	if (given_name(f, s->name) ? !callee || !is_declared(f, s->name)
				   : !callee && !is_declared(f, s->name))
		add_name(f, s->name);
}

static void find_in_scan(Infer *f, const Bound *b, const Syntax *s, const Syntax *list, uint32_t n)
{
	const Bound *inner = b;
	for (uint32_t i = 0; i < n; i++) {
		find_free(f, b, list->part[i]->part[0]);
		inner = bind(f, inner, list->part[i]->name);
	}
	for (uint32_t i = s->kind == SYN_SCAN ? 2 : n; i < s->count; i++) find_free(f, inner, s->part[i]);
}

static void find_free(Infer *f, const Bound *b, const Syntax *s)
{
	if (!s) return;
	switch (s->kind) {
	case SYN_NAME: free_name(f, b, s, false); return;
	case SYN_CALL: {
		const Syntax *callee = s->part[0];
		bool brackets = callee->kind == SYN_SUBSCRIPTS && callee->part[0]->kind == SYN_NAME;
		const Syntax *name = brackets ? callee->part[0] : callee;
		if (name->kind == SYN_NAME)
			free_name(f, b, name, true);
		else
			find_free(f, b, callee);
		/* in brackets stand flags, labels and sizes: no inputs, unless they are given */
		for (uint32_t i = 1; i < s->count; i++) find_free(f, b, s->part[i]);
		return;
	}
	case SYN_LET:
		for (uint32_t i = 0; i + 1 < s->count; i++) {
			const Syntax *step = s->part[i];
			find_free(f, b, step->kind == SYN_BIND ? step->part[2] : step->part[0]);
			b = step->kind == SYN_BIND ? bind_names(f, b, step->part[0]) : b;
		}
		find_free(f, b, s->part[s->count - 1]);
		return;
	case SYN_LAMBDA:
		for (uint32_t i = 0; i + 1 < s->count; i++)
			b = s->part[i]->kind == SYN_RUN ? bind(f, b, s->part[i]->name)
							: bind_names(f, b, s->part[i]->part[0]);
		find_free(f, b, s->part[s->count - 1]);
		return;
	case SYN_SCAN: find_in_scan(f, b, s, s->part[1], s->part[1]->count); return;
	case SYN_FORMULA: find_in_scan(f, b, s, s, s->count - 1); return;
	case SYN_CHAIN:
		for (uint32_t i = 0; i < s->count; i++) {
			find_free(f, b, s->part[i]);
			const Syntax *x = bare(s->part[i]);
			bool product = (i && s->signs[i - 1] == SIGN_MATMUL) ||
				(i == 0 && s->signs[0] == SIGN_MATMUL);
			Name *n = product && x->kind == SYN_NAME && !is_bound(b, x->name)
				? find_name(f, x->name)
				: NULL;
			if (n) n->product = true;
		}
		return;
	default:
		for (uint32_t i = 0; i < s->count; i++) find_free(f, b, s->part[i]);
	}
}

/* ---- shapes ------------------------------------------------------------------------------------ */

static Shape infer(Infer *f, const Bound *b, const Syntax *s);

static Shape elementwise(Shape a, Shape b)
{
	if (a.rank < 0 || b.rank < 0) return nothing;
	Shape big = a.rank >= b.rank ? a : b, small = a.rank >= b.rank ? b : a;
	for (int i = 0; i < small.rank; i++) unify(big.dim[big.rank - small.rank + i], small.dim[i]);
	return big;
}

static Shape product(Shape a, Shape b)
{
	if (a.rank < 1 || b.rank < 1) return nothing;
	unify(a.dim[a.rank - 1], b.dim[b.rank > 1 ? b.rank - 2 : 0]);
	if (a.rank > 2 || b.rank > 2) return nothing;
	Shape r = {.rank = a.rank + b.rank - 2};
	if (a.rank == 2) r.dim[0] = a.dim[0];
	if (b.rank == 2) r.dim[r.rank - 1] = b.dim[1];
	return r;
}

static Shape infer_name(Infer *f, const Bound *b, const Syntax *s)
{
	for (; b; b = b->next)
		if (b->name == s->name) return b->shape;
	Name *n = find_name(f, s->name);
	return n ? n->shape : nothing;
}

static Shape infer_all(Infer *f, const Bound *b, const Syntax *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->part[i]) infer(f, b, s->part[i]);
	return nothing;
}

static Shape infer_call(Infer *f, const Bound *b, const Syntax *s)
{
	const Syntax *callee = s->part[0];
	Shape r = nothing;
	for (uint32_t i = 1; i < s->count; i++) {
		Shape a = infer(f, b, s->part[i]);
		r = i == 1 ? a : elementwise(r, a);
	}
	if (callee->kind != SYN_NAME) return nothing;
	Op op = s->count < 5 ? op_named(callee->name, strlen(callee->name), (int)s->count - 1) : OP_NONE;
	if (op != OP_NONE && op_info[op].class == MAP) return r;
	if (op != OP_NONE && op_info[op].class == FOLD) return (Shape){.rank = 0};
	return nothing;
}

static Shape infer(Infer *f, const Bound *b, const Syntax *s)
{
	Shape a, r;
	switch (s->kind) {
	case SYN_NUMBER: return (Shape){.rank = 0};
	case SYN_NAME: return infer_name(f, b, s);
	case SYN_UNARY: return infer(f, b, s->part[0]);
	case SYN_CALL: return infer_call(f, b, s);
	case SYN_POWER: a = infer(f, b, s->part[0]); return elementwise(a, infer(f, b, s->part[1]));
	case SYN_FIELD:
		a = infer(f, b, s->part[0]);
		if (strcmp(s->name, "T") || a.rank < 2) return nothing;
		Unknown *last = a.dim[a.rank - 1];
		a.dim[a.rank - 1] = a.dim[a.rank - 2], a.dim[a.rank - 2] = last;
		return a;
	case SYN_COMPARE:
	case SYN_CHAIN:
		r = infer(f, b, s->part[0]);
		for (uint32_t i = 1; i < s->count; i++) {
			a = infer(f, b, s->part[i]);
			r = s->kind == SYN_CHAIN && s->signs[i - 1] == SIGN_MATMUL ? product(r, a)
										   : elementwise(r, a);
		}
		return r;
	case SYN_LET:
		for (uint32_t i = 0; i + 1 < s->count; i++) {
			const Syntax *step = s->part[i];
			a = infer(f, b, step->kind == SYN_BIND ? step->part[2] : step->part[0]);
			if (step->kind != SYN_BIND) continue;
			b = bind_names(f, b, step->part[0]);
			if (step->part[0]->kind == SYN_NAME) ((Bound *)b)->shape = a;
		}
		return infer(f, b, s->part[s->count - 1]);
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

/* ---- inputs --------------------------------------------------------------------------------------- */

static Node *input_leaf(Elab *e, void *user, const char *path, const Type *type)
{
	(void)user;
	return input(e->g, path, type);
}

/* Inputs for a name whose values are given: an array, or a structure of "p.w", "p.b". */
static Binding *given_input(Infer *f, const char *path)
{
	Graph *g = f->e->g;
	size_t len = strlen(path);
	const char **field = NEW_ARRAY(g->arena, const char *, f->ngiven + 1);
	Binding **elem = NEW_ARRAY(g->arena, Binding *, f->ngiven + 1);
	uint32_t n = 0;
	for (uint32_t i = 0; i < f->ngiven; i++) {
		const Declared *d = &f->given[i];
		if (strncmp(d->name, path, len) || (d->name[len] && d->name[len] != '.')) continue;
		if (!d->name[len])
			return d->value ? d->value : d->type ? bind_node(g, input(g, path, d->type)) : NULL;
		const char *name = names_get(&g->names, d->name + len + 1, strcspn(d->name + len + 1, "."));
		bool seen = false;
		for (uint32_t k = 0; k < n; k++) seen |= field[k] == name;
		if (seen) continue;
		field[n] = name;
		if (!(elem[n++] = given_input(f, arena_printf(g->arena, "%s.%s", path, name)))) return NULL;
	}
	return n ? bind_given(g, n, field, elem) : NULL;
}

/* Declarations first: their sizes are names of the expression. */
static bool declare(Infer *f)
{
	Elab *e = f->e;
	for (uint32_t i = 0; i < f->ngiven; i++) {
		const Declared *d = &f->given[i];
		if (!d->param) continue;
		const char *name = names_get(&e->g->names, d->name, strlen(d->name));
		TypeTerm *t = d->param->part[1]
			? type_term(e, (Env){f->env.scope, UINT32_MAX}, d->param->part[1])
			: NULL;
		if (d->param->part[1] && !t) return false;
		Binding *b;
		if (d->type && t) {
			b = match_type(e, d->param, name, t, bind_node(e->g, input(e->g, name, d->type)));
		} else {
			e->declaring = true;
			b = t ? term_leaves(e, d->param, t, name, input_leaf, NULL) : given_input(f, name);
			e->declaring = false;
		}
		if (!b) return false;
		env_bind(e, &f->env, name, b);
	}
	f->env.seen = f->env.scope->count;
	return true;
}

static const Size *new_size(Infer *f, uint32_t *next)
{
	static const char *const letters[] = {"m", "n", "k", "l", "p", "q", "r", "s", "t", "u", "v"};
	for (;; ++*next) {
		const char *name = *next < countof(letters)
			? letters[*next]
			: arena_printf(f->e->g->arena, "d%u", *next - (unsigned)countof(letters) + 1);
		if (strstr(text_done(&f->used), arena_printf(f->e->g->arena, " %s ", name))) continue;
		++*next;
		return size_named(f->e->g, names_get(&f->e->g->names, name, strlen(name)));
	}
}

static bool make_inputs(Infer *f)
{
	Graph *g = f->e->g;
	uint32_t next = 0;
	for (Name *n = f->names; n; n = n->next) {
		const Size *dim[RANK_MAX];
		if (!n->given || !(n->value = given_input(f, n->name))) {
			for (int i = 0; i < n->shape.rank; i++) {
				Unknown *u = root(n->shape.dim[i]);
				dim[i] = u->size = u->size ? u->size : new_size(f, &next);
			}
			n->value = bind_node(
				g, input(g, n->name, type_array(g, DT_F64, (uint32_t)n->shape.rank, dim)));
		}
		if (!n->value) return false;
		env_bind(f->e, &f->env, n->name, n->value);
	}
	return true;
}

static void first_shapes(Infer *f)
{
	for (Name *n = f->names; n; n = n->next) {
		if (n->given && n->given->type && !strcmp(n->given->name, n->name)) {
			n->shape = shape_of_type(f, n->given->type);
			continue;
		}
		n->shape = n->given ? nothing
				    : (Shape){.rank = !n->product                              ? 0
						      : n->name[0] >= 'A' && n->name[0] <= 'Z' ? 2
											       : 1};
		for (int i = 0; i < n->shape.rank; i++) n->shape.dim[i] = unknown(f, NULL);
	}
}

/* Every declared or undeclared name that the expression uses, in its order. */
static void collect(Infer *f, const Syntax *s, Expression *out, uint32_t *cap, uint32_t *vcap)
{
	Graph *g = f->e->g;
	for (uint32_t i = 0; i < f->ngiven; i++) {
		const char *name = names_get(&g->names, f->given[i].name, strlen(f->given[i].name));
		Binding *b = f->given[i].param ? scope_own(f->env, name) : NULL;
		if (!b) continue;
		GROW(g->arena, out->name, out->n, *cap);
		GROW(g->arena, out->value, out->n, *vcap);
		out->name[out->n] = name, out->value[out->n++] = b;
	}
	for (Name *n = f->names; n; n = n->next) {
		GROW(g->arena, out->name, out->n, *cap);
		GROW(g->arena, out->value, out->n, *vcap);
		out->name[out->n] = n->name, out->value[out->n++] = n->value;
	}
	(void)s;
}

Expression *elaborate_expression(Graph *g, Module *m, const Syntax *s, uint32_t ngiven, const Declared *given)
{
	if (!m || !s || g->error.code) return NULL;
	Elab e = {.g = g, .lib = library_of(g)};
	Infer f = {.e = &e, .env = env_open(&e, (Env){m->scope, 0}), .ngiven = ngiven, .given = given};
	f.last = &f.names;
	text_open(&f.used, g->arena);
	if (!declare(&f)) return NULL;
	find_free(&f, NULL, s);
	first_shapes(&f);
	/* declared names are operands of known shape */
	const Bound *b = NULL;
	for (uint32_t i = 0; i < ngiven; i++) {
		const char *name = names_get(&g->names, given[i].name, strlen(given[i].name));
		Binding *v = given[i].param ? scope_own(f.env, name) : NULL;
		if (v && v->kind == B_NODE) {
			b = bind(&f, b, name);
			((Bound *)b)->shape = shape_of_type(&f, v->node->type);
		}
	}
	infer(&f, b, s);
	if (!make_inputs(&f)) return NULL;
	Expression *out = NEW(g->arena, Expression);
	uint32_t cap = 0, vcap = 0;
	collect(&f, s, out, &cap, &vcap);
	out->result = elab(&e, f.env, s);
	return out->result ? out : NULL;
}

/* ---- pieces ------------------------------------------------------------------------------------------ */

const Type *elaborate_type(Graph *g, Module *m, const Syntax *s)
{
	Elab e = {.g = g, .lib = library_of(g), .declaring = true};
	if (!m || !s || g->error.code) return NULL;
	Env env = env_open(&e, (Env){m->scope, 0});
	TypeTerm *t = type_term(&e, (Env){env.scope, UINT32_MAX}, s);
	return t ? term_type(&e, s, t) : NULL;
}

Node *elaborate_node(
	Graph *g, Module *m, const Syntax *s, uint32_t n, const char *const *names, Node *const *values)
{
	Elab e = {.g = g, .lib = library_of(g)};
	if (!m || !s || g->error.code) return NULL;
	Env env = env_open(&e, (Env){m->scope, 0});
	for (uint32_t i = 0; i < n; i++)
		env_bind(&e, &env, names_get(&g->names, names[i], strlen(names[i])), bind_node(g, values[i]));
	Binding *b = elab(&e, env, s);
	bool arrays = b && b->kind == B_TUPLE && b->n;
	for (uint32_t i = 0; arrays && i < b->n; i++)
		arrays = b->elem[i]->kind == B_NODE && b->elem[i]->node->type->kind == TYPE_ARRAY;
	if (!arrays) return b ? array_in(&e, s, b) : NULL;
	Node **x = NEW_ARRAY(g->arena, Node *, b->n);
	for (uint32_t i = 0; i < b->n; i++) x[i] = b->elem[i]->node;
	return tuple(g, b->n, x);
}
