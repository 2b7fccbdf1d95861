/* elab_match.c - values put into types, which binds the names of the types; conversion to types. */
#include "elab_type.h"

/* ---- matching -------------------------------------------------------------------------------- */

/* An array put into a type: what is said of it, and where. */
typedef struct ArrayMatch {
	Elab *e;
	const Syntax *at;
	const char *what;
	TypeTerm *t;
	Binding *value;
} ArrayMatch;

static void *no_match(const ArrayMatch *m)
{
	return mismatch(m->e, m->at, m->what, m->t, m->value);
}

/* An axis that clashes: which of several, and what the name stands for that the type has there. */
static void *no_size(const ArrayMatch *m, const TypeDim *d, uint32_t axis, const Size *want)
{
	Elab *e = m->e;
	const char *given = size_shown(e->g, node_dim(m->value->node, axis));
	const char *wanted = size_shown(e->g, want);
	Text more;
	text_open(&more, e->g->arena);
	if (d->syntax && d->syntax->kind == SYN_NAME && strcmp(d->syntax->name, wanted))
		text_printf(&more, ": %s is %s, and axis %u has %s", d->syntax->name, wanted, axis, given);
	else if (m->t->n > 1)
		text_printf(&more, ": axis %u has %s, not %s", axis, given, wanted);
	return fail_at_syntax(e, m->at, ERR_TYPE, "%s: given %s, wanted %s%s", m->what, shown_type(e, m->value),
		term_text(e, m->t), text_done(&more));
}

/* The size that is wanted of an axis, or NULL with an error. */
static const Size *match_dim(const ArrayMatch *m, const TypeDim *d, uint32_t axis)
{
	Elab *e = m->e;
	DimPlace new = {0};
	const Size *given = node_dim(m->value->node, axis);
	if (!learn_names(e, m->at, d, given)) return NULL;
	const Size *want = shape_size(e, d, &new);
	if (!want && e->g->error.code) return NULL;
	if (!want) {
		bind_place(e, new, size_value(e->g, given));
		return given;
	}
	return sizes_clash(e->g, want, given) ? no_size(m, d, axis, want) : want;
}

/* n axes from `first` on, for which one name stands. */
static bool match_run(const ArrayMatch *m, const TypeDim *d, uint32_t first, uint32_t n, const Size **out)
{
	Elab *e = m->e;
	const Node *x = m->value->node;
	Binding *bound = env_local((Env){d->env.scope, UINT32_MAX}, d->run);
	if (!bound) {
		Binding **size = NEW_ARRAY(e->g->arena, Binding *, n);
		for (uint32_t i = 0; i < n; i++) {
			out[i] = node_dim(x, first + i);
			size[i] = size_value(e->g, out[i]);
		}
		bind_place(e, (DimPlace){d->env, d->run}, bind_tuple(e->g, n, size));
		return true;
	}
	if (bound->kind != B_TUPLE || bound->n != n) return no_match(m);
	for (uint32_t i = 0; i < n; i++) {
		out[i] = size_from(e, m->at, bound->elem[i]);
		if (!out[i] || sizes_clash(e->g, out[i], node_dim(x, first + i))) return no_match(m);
	}
	return true;
}

/* Does an array of this dtype go where the other is wanted?  A literal takes it if it loses nothing. */
static bool dtype_fits(Dtype have, Dtype want)
{
	if (want == have || want == DT_NONE) return true;
	if (!dtype_is_weak(have)) return false;
	if (dtype_is_complex(want)) return true;
	if (dtype_is_float(want)) return have != DT_WEAK_COMPLEX;
	return dtype_is_integer(want) && have == DT_WEAK_INT;
}

static bool match_dims(const ArrayMatch *m, const Size **dim)
{
	const TypeTerm *t = m->t;
	Node *x = m->value->node;
	for (uint32_t i = 0, axis = 0; i < t->n; i++) {
		const TypeDim *d = &t->dim[i];
		uint32_t n = d->run ? node_rank(x) + 1 - t->n : 1;
		if (d->run && !match_run(m, d, axis, n, dim + axis)) return false;
		if (!d->run) dim[axis] = match_dim(m, d, axis);
		if (!d->run && !dim[axis]) return false;
		axis += n;
	}
	return true;
}

static Binding *match_array(Elab *e, const Syntax *s, const char *what, TypeTerm *t, Binding *b)
{
	const ArrayMatch m = {e, s, what, t, b};
	if (b->kind != B_NODE || b->node->type->kind != TYPE_ARRAY) return no_match(&m);
	Node *x = b->node;
	Dtype have = literal_dtype(x), want = t->variable ? variable_dtype(t) : t->dtype;
	if (t->variable && want == DT_NONE && !dtype_is_weak(have)) {
		TypeTerm *d = term_new(e, TT_ARRAY, 0);
		d->dtype = want = have;
		bind_place(e, (DimPlace){t->env, t->variable}, bind_type(e->g, d));
	}
	bool fits = dtype_fits(have, want);
	if (!fits && dtype_is_integer(want)) ask_integers(e, x);
	uint32_t runs = 0, rank = node_rank(x);
	for (uint32_t i = 0; i < t->n; i++) runs += t->dim[i].run != NULL;
	bool ranks = runs ? rank + 1 >= t->n : rank == t->n;
	if (!fits || runs > 1 || !ranks) return no_match(&m);
	const Size *dim[RANK_MAX];
	if (!match_dims(&m, dim)) return NULL;
	at(e, s);
	Node *y = sized(e->g, want == have || want == DT_NONE ? x : cast(e->g, x, want), rank, dim);
	return y == x ? b : bind_node(e->g, y);
}

static Binding *match_any(Elab *e, const Syntax *s, const char *what, TypeTerm *t, Binding *b)
{
	Binding *bound = t->variable ? env_local((Env){t->env.scope, UINT32_MAX}, t->variable) : NULL;
	TypeTerm *known = bound && bound->kind == B_TYPE ? bound->type : NULL;
	if (known && !(known->kind == TT_ARRAY && known->dtype == DT_NONE))
		return match_type(e, s, what, known, b);
	if (t->variable && !bound)
		bind_place(e, (DimPlace){t->env, t->variable}, bind_type(e->g, type_of_value(e, b)));
	return b;
}

static Binding *match_tuple(Elab *e, const Syntax *s, const char *what, TypeTerm *t, Binding *b)
{
	Graph *g = e->g;
	if (b->kind != B_TUPLE || b->n != t->n) return mismatch(e, s, what, t, b);
	Binding **elem = NEW_ARRAY(g->arena, Binding *, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		const char *name = arena_printf(g->arena, "%s, element %u", what, i);
		elem[i] = match_type(e, s, name, t->elem[i], b->elem[i]);
	}
	return bind_tuple(g, t->n, elem);
}

/* In the type's order, so that what a field binds is known to the types and facts of later ones. */
static Binding *match_record(Elab *e, const Syntax *s, const char *what, TypeTerm *t, Binding *b)
{
	Graph *g = e->g;
	if (b->kind != B_RECORD) return mismatch(e, s, what, t, b);
	Binding **elem = NEW_ARRAY(g->arena, Binding *, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		Binding *f = binding_field(b, t->field[i]);
		if (!f)
			return fail_at_syntax(e, s, ERR_TYPE, "%s: given %s, which has no field %s", what,
				shown_type(e, b), t->field[i]);
		elem[i] = match_type(e, s, arena_printf(g->arena, "%s.%s", what, t->field[i]), t->elem[i], f);
		if (!elem[i] || (t->fact && !keep_fact(e, s, t->fact[i], t->field[i], elem[i]))) return NULL;
	}
	if (b->n != t->n)
		return fail_at_syntax(e, s, ERR_TYPE, "%s: given %s, which has more fields than the type", what,
			shown_type(e, b));
	return bind_record(g, t->n, t->field, elem);
}

Binding *match_type(Elab *e, const Syntax *s, const char *what, TypeTerm *t, Binding *b)
{
	if (!t || !b) return NULL;
	switch (t->kind) {
	case TT_ARRAY: return match_array(e, s, what, t, b);
	case TT_FUNCTION: return b->kind == B_FUNCTION ? b : mismatch(e, s, what, t, b);
	case TT_ANY: return match_any(e, s, what, t, b);
	case TT_TUPLE: return match_tuple(e, s, what, t, b);
	default: return match_record(e, s, what, t, b);
	}
}

/* ---- conversion ----------------------------------------------------------------------------------- */

static Node *convert_complex(Graph *g, Node *x, Dtype d)
{
	double v[2];
	memcpy(v, constant_bytes(x), sizeof v);
	const float f[2] = {(float)v[0], (float)v[1]};
	return constant(g, type_with_dtype(g, x->type, d), d == DT_C64 ? (const void *)f : v);
}

/* A weak constant, each element rounded once. */
Node *convert_constant(Graph *g, Node *x, Dtype d)
{
	int64_t n;
	if (node_dtype(x) == DT_WEAK_COMPLEX && constant_is_uniform(x) && (d == DT_C64 || d == DT_C128))
		return convert_complex(g, x, d);
	bool whole = dtype_is_integer(d) && literal_dtype(x) == DT_WEAK_INT;
	if (whole || constant_is_uniform(x) || !size_is(type_elements(g, x->type), &n))
		return convert_number(g, x, d);
	const Type *one = type_scalar(g, node_dtype(x));
	size_t from = dtype_bytes(node_dtype(x)), to = dtype_bytes(d);
	const unsigned char *bytes = constant_bytes(x);
	unsigned char *out = NEW_ARRAY(g->arena, unsigned char, (size_t)n *to + 1);
	for (int64_t i = 0; i < n; i++) {
		Node *y = convert_number(g, constant(g, one, bytes + (size_t)i * from), d);
		if (!y || y->op != OP_CONST) return y ? convert_number(g, x, d) : NULL;
		memcpy(out + (size_t)i * to, constant_bytes(y), to);
	}
	return constant_data(g, type_with_dtype(g, x->type, d), out);
}

static Node *convert_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const Type *t = user;
	(void)n;
	bool data = x[0]->op == OP_CONST && dtype_is_weak(node_dtype(x[0]));
	Node *y = data ? convert_constant(e->g, x[0], (Dtype)t->dtype)
		       : convert_number(e->g, x[0], (Dtype)t->dtype);
	return t->n ? sized(e->g, broadcast_to(e->g, y, t->n, t->u.dim), t->n, t->u.dim) : y;
}

Binding *convert(Elab *e, const Syntax *s, TypeTerm *t, Binding *b)
{
	if (!t || !b) return NULL;
	if (t->kind == TT_ARRAY) {
		const Type *type = term_type(e, s, t);
		at(e, s);
		return type ? on_leaves(e, s, 1, &b, convert_leaf, type) : NULL;
	}
	if (t->kind != TT_TUPLE && t->kind != TT_RECORD)
		return fail_at_syntax(
			e, s, ERR_TYPE, "%s: nothing converts to %s", shown(e, s), term_text(e, t));
	Binding **elem = NEW_ARRAY(e->g->arena, Binding *, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		Binding *part = NULL;
		if (b->kind == B_NODE)
			part = b;
		else if (b->kind == B_RECORD && t->kind == TT_RECORD)
			part = binding_field(b, t->field[i]);
		else if (b->kind == B_TUPLE && i < b->n)
			part = b->elem[i];
		if (!part) return mismatch(e, s, shown(e, s), t, b);
		if (!(elem[i] = convert(e, s, t->elem[i], part))) return NULL;
	}
	return t->kind == TT_TUPLE ? bind_tuple(e->g, t->n, elem) : bind_record(e->g, t->n, t->field, elem);
}
