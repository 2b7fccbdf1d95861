/* elab_scan.c - scan (h = h0, x in xs, i < n) => e: a body over fresh leaves, closed, and a SCAN node.
 *
 * The body is elaborated with carried leaves of the first values' types.  If
 * a next value has another type, the first value takes its shape and the dtype
 * where both meet, and the body is elaborated again: as often as dtypes go up,
 * which they do from value to value, but each value takes two shapes at most.
 */
#include "elab_scan.h"

#include <stdio.h>

enum { SHAPES = 2 };

/* ---- the head -------------------------------------------------------------------- */

/* states = n, levels = n: a number known while building. */
static bool read_number(ScanForm *l, const Syntax *f, int64_t *to)
{
	if (*to) return fail_at_syntax(l->e, f, ERR_NAME, "scan: %s is given twice", f->name);
	Node *n = elab_array(l->e, l->env, f->part[0]);
	if (!n) return false;
	if (constant_integer(n, to) && *to > 0) return true;
	return fail_at_syntax(l->e, f, ERR_VALUE,
		"scan: %s = %s: a whole number above 0 is wanted, known while building", f->name,
		shown(l->e, f->part[0]));
}

enum { LEVELS_MOST = 8 };

static bool read_levels(ScanForm *l, const Syntax *f)
{
	if (!read_number(l, f, &l->levels)) return false;
	return l->levels <= LEVELS_MOST ||
		fail_at_syntax(l->e, f, ERR_VALUE, "scan: levels = %lld: at most %d are possible",
			(long long)l->levels, LEVELS_MOST);
}

/* bytes = n: any whole number. */
static bool read_bytes(ScanForm *l, const Syntax *f)
{
	if (l->bytes) return fail_at_syntax(l->e, f, ERR_NAME, "scan: bytes is given twice");
	Node *n = elab_array(l->e, l->env, f->part[0]);
	if (!n) return false;
	ask_integers(l->e, n);
	if (!node_is_scalar(n) || !dtype_is_integer(node_dtype(n)))
		return fail_at_syntax(l->e, f, ERR_TYPE, "scan: bytes = %s: %s where a whole number is wanted",
			shown(l->e, f->part[0]), type_shown(l->e->g, n->type));
	return (l->bytes = cast(l->e->g, n, DT_I64)) != NULL;
}

static bool read_flags(ScanForm *l, const Syntax *flags)
{
	for (uint32_t i = 0; flags && i < flags->count; i++) {
		const Syntax *f = flags->part[i];
		if (f->kind == SYN_NAME && !strcmp(f->name, "back"))
			l->back = true;
		else if (f->kind == SYN_ENTRY && !strcmp(f->name, "states")) {
			if (!read_number(l, f, &l->states)) return false;
		} else if (f->kind == SYN_ENTRY && !strcmp(f->name, "levels")) {
			if (!read_levels(l, f)) return false;
		} else if (f->kind == SYN_ENTRY && !strcmp(f->name, "bytes")) {
			if (!read_bytes(l, f)) return false;
		} else
			return fail_at_syntax(l->e, l->at, ERR_UNSUPPORTED,
				"scan: %s is not supported; there are back, states = n, levels = n and "
				"bytes = n",
				f->name ? f->name : shown(l->e, f));
	}
	if (l->bytes && (l->states || l->levels))
		return fail_at_syntax(l->e, l->at, ERR_VALUE,
			"scan: bytes says how much is kept; states and levels do not stand beside it");
	return true;
}

static bool set_length(ScanForm *l, const Syntax *s, const char *who, const Size *n)
{
	if (!n) return false;
	if (l->length && sizes_clash(l->e->g, l->length, n))
		return fail_at_syntax(l->e, s, ERR_TYPE, "scan: %s has %s steps and %s has %s", l->length_of,
			size_shown(l->e->g, l->length), who, size_shown(l->e->g, n));
	if (!l->length) {
		l->length = n;
		l->length_of = who;
	}
	return true;
}

static bool read_sequence(ScanForm *l, const Syntax *s)
{
	Binding *b = elab(l->e, l->env, s->part[0]);
	uint32_t n = b ? binding_leaves(b, NULL) : 0;
	Node **leaf = NEW_ARRAY(l->e->g->arena, Node *, n);
	if (!b) return false;
	binding_leaves(b, leaf);
	if (!n || binding_has_function(b))
		return fail_at_syntax(
			l->e, s, ERR_TYPE, "scan: %s in %s: no array", s->name, shown(l->e, s->part[0]));
	for (uint32_t i = 0; i < n; i++) {
		if (leaf[i]->type->kind != TYPE_ARRAY || !node_rank(leaf[i]))
			return fail_at_syntax(l->e, s, ERR_TYPE, "scan: %s in %s: %s has no leading axis",
				s->name, shown(l->e, s->part[0]), shown_type(l->e, b));
		if (!set_length(l, s, shown(l->e, s->part[0]), node_dim(leaf[i], 0))) return false;
		leaf[i] = cast(l->e->g, leaf[i], dtype_strong(node_dtype(leaf[i])));
	}
	l->seq[l->nseq] = s;
	l->xs[l->nseq++] = binding_refill(l->e->g, b, leaf);
	return l->xs[l->nseq - 1] != NULL;
}

static bool read_counter(ScanForm *l, const Syntax *s)
{
	Node *n = elab_array(l->e, l->env, s->part[0]);
	if (!n) return false;
	ask_integers(l->e, n);
	if (!node_is_scalar(n) || !dtype_is_integer(node_dtype(n)))
		return fail_at_syntax(l->e, s, ERR_TYPE, "scan: %s < %s: the bound is an integer scalar",
			s->name, shown(l->e, s->part[0]));
	const Size *known = known_size(n, l->e->g);
	if (known) return set_length(l, s, s->name, known);
	n = cast(l->e->g, n, DT_I64);
	l->steps = l->steps ? l->steps : n;
	return n != NULL;
}

static bool read_head(ScanForm *l)
{
	const Syntax *list = l->at->part[1];
	l->carry = NEW_ARRAY(l->e->g->arena, const Syntax *, list->count);
	l->seq = NEW_ARRAY(l->e->g->arena, const Syntax *, list->count);
	l->first = NEW_ARRAY(l->e->g->arena, Binding *, list->count);
	l->xs = NEW_ARRAY(l->e->g->arena, Binding *, list->count);
	l->next = NEW_ARRAY(l->e->g->arena, Binding *, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		const Syntax *s = list->part[i];
		if (s->kind == SYN_OVER && !read_sequence(l, s)) return false;
		if (s->kind == SYN_BELOW && !read_counter(l, s)) return false;
		if (s->kind != SYN_ENTRY) continue;
		l->carry[l->ncarry] = s;
		if (!(l->first[l->ncarry] = elab(l->e, l->env, s->part[0]))) return false;
		if (binding_has_function(l->first[l->ncarry++]))
			return fail_at_syntax(
				l->e, s, ERR_TYPE, "scan: %s: functions are not carried", s->name);
	}
	if (l->at->part[2]) return read_condition(l);
	if (!l->length && !l->steps)
		return fail_at_syntax(l->e, l->at, ERR_TYPE,
			"scan: nothing says how many steps: add i < n, x in xs, or while c");
	if (!l->steps) l->steps = size_node(l->e->g, l->length);
	return l->steps != NULL;
}

/* ---- one round ---------------------------------------------------------------------- */

/* Fresh leaves for a value, or for its elements along the leading axis. */
static Binding *bound_leaves(ScanForm *l, const char *name, Binding *b, bool element)
{
	Graph *g = l->e->g;
	uint32_t n = binding_leaves(b, NULL);
	Node **leaf = NEW_ARRAY(g->arena, Node *, n);
	binding_leaves(b, leaf);
	for (uint32_t i = 0; i < n; i++) {
		const Type *t = leaf[i]->type;
		if (element) t = type_array(g, (Dtype)t->dtype, t->n - 1, &DIM(t, 1));
		Node *actual = leaf[i];
		leaf[i] = l->leaf[l->nleaf++] = fresh(g, t, name);
		comes_from(l->e, leaf[i], actual);
	}
	return binding_refill(g, b, leaf);
}

static uint32_t count_leaves(uint32_t n, Binding *const *b)
{
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i++) k += binding_leaves(b[i], NULL);
	return k;
}

/* Is the body's value a structure with a field for each carried name? */
static bool read_result(ScanForm *l, Binding *b)
{
	Elab *e = l->e;
	uint32_t have = 0;
	for (uint32_t i = 0; i < l->ncarry; i++)
		have += (l->next[i] = binding_field(b, l->carry[i]->name)) != NULL;
	l->ntrace = 0;
	l->bare = b->kind != B_RECORD || (have == 0 && l->ncarry == 1);
	if (l->bare && l->ncarry > 1)
		return fail_at_syntax(e, l->at->part[3], ERR_TYPE,
			"scan: the body gives %s, wanted a structure with the "
			"carried fields",
			shown_type(e, b));
	if (l->bare && l->ncarry == 1) {
		l->next[0] = b;
		return true;
	}
	if (have < l->ncarry) {
		Text t;
		const char *missing = NULL;
		text_open(&t, e->g->arena);
		for (uint32_t i = 0; i < l->ncarry; i++) {
			missing = !missing && !l->next[i] ? l->carry[i]->name : missing;
			text_printf(&t, "%s%s (line %d)", i ? ", " : "", l->carry[i]->name,
				l->carry[i]->where.line);
		}
		return fail_at_syntax(e, l->at, ERR_TYPE,
			"scan: field %s is carried and missing: the body gives %s; carried "
			"are %s",
			missing, shown_type(e, b), text_done(&t));
	}
	l->trace = NEW_ARRAY(e->g->arena, Binding *, b->kind == B_RECORD ? b->n : 1);
	l->trace_name = NEW_ARRAY(e->g->arena, const char *, b->kind == B_RECORD ? b->n : 1);
	if (l->bare) { /* nothing is carried: the value's trace */
		l->trace[l->ntrace++] = b;
		return true;
	}
	for (uint32_t i = 0; i < b->n; i++) {
		bool carried = false;
		for (uint32_t k = 0; k < l->ncarry; k++) carried |= l->carry[k]->name == b->field[i];
		if (!carried) {
			l->trace_name[l->ntrace] = b->field[i];
			l->trace[l->ntrace++] = b->elem[i];
		}
	}
	return true;
}

static bool elaborate_body(ScanForm *l)
{
	Elab *e = l->e;
	Env env = env_open(e, l->env);
	const Syntax *list = l->at->part[1];
	l->nleaf = 0;
	l->leaf = NEW_ARRAY(
		e->g->arena, Node *, count_leaves(l->ncarry, l->first) + count_leaves(l->nseq, l->xs));
	l->index = fresh(e->g, type_scalar(e->g, DT_WEAK_INT), NULL);
	leaf_is_below(e->g, l->index, l->length ? size_node(e->g, l->length) : l->steps);
	for (uint32_t i = 0; i < l->ncarry; i++)
		env_bind(e, &env, l->carry[i]->name, bound_leaves(l, l->carry[i]->name, l->first[i], false));
	l->ncarried = l->nleaf;
	for (uint32_t i = 0; i < l->nseq; i++)
		env_bind(e, &env, l->seq[i]->name, bound_leaves(l, l->seq[i]->name, l->xs[i], true));
	for (uint32_t i = 0; i < list->count; i++)
		if (list->part[i]->kind == SYN_BELOW) {
			node_note(e->g, l->index, list->part[i]->name, NULL, 0);
			env_bind(e, &env, list->part[i]->name, bind_node(e->g, l->index));
		}
	Node *before = e->token;
	e->g->bodies++;
	l->token_leaf = e->token = fresh(e->g, type_token(e->g), NULL);
	e->around = &(LoopAround){l->index, e->around};
	Binding *b = elab(e, env, l->at->part[3]);
	e->around = e->around->outer;
	l->token = e->token;
	e->token = before;
	e->g->bodies--;
	if (b && binding_has_function(b))
		return fail_at_syntax(e, l->at->part[3], ERR_TYPE, "scan: the body gives a function");
	return b && read_result(l, b) && elaborate_condition(l, env);
}

/* ---- types of carried values ------------------------------------------------------------ */

/* Has a first value taken a type of the next one: another shape too? */
typedef struct Taken { bool any, shape; } Taken;

static bool shapes_fit(Graph *g, const Type *a, const Type *b)
{
	if (a->n != b->n) return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (size_differ(g, DIM(a, i), DIM(b, i))) return false;
	return true;
}

/* The first value in the type that both have; NULL without an error: there is none. */
static Node *first_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	Taken *taken = (Taken *)user;
	const Type *a = x[0]->type, *b = x[1]->type;
	(void)n;
	if (a->kind != TYPE_ARRAY || b->kind != TYPE_ARRAY) return x[0];
	bool shape = shapes_fit(e->g, a, b);
	Dtype d = (Dtype)a->dtype, to = dtype_promote(d, (Dtype)b->dtype);
	if (to == DT_NONE) return NULL;
	if (shape && d == to) return x[0];
	taken->any = true;
	taken->shape |= !shape;
	Node *y = cast(e->g, x[0], to);
	return shape ? y : broadcast_to(e->g, y, b->n, b->u.dim);
}

static Node *next_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	(void)user;
	(void)n;
	return x[0]->type->kind == TYPE_ARRAY ? cast(e->g, x[1], node_dtype(x[0])) : x[1];
}

/* The next type that a carried value has been seen with. */
static void note_type(ScanForm *l, uint32_t i)
{
	uint32_t k = 1;
	while (k < SHAPES && l->seen[k][i]) k++;
	if (!l->seen[k][i]) l->seen[k][i] = l->next[i];
}

/* The types of carried value i, as the user has them: those of the first value and of the next ones. */
static bool no_common_type(ScanForm *l, uint32_t i)
{
	Elab *e = l->e;
	note_type(l, i);
	Binding *then = l->seen[2][i];
	if (l->seen[1][i]->kind == B_RECORD && l->seen[0][i]->kind == B_NODE)
		return fail_at_syntax(e, l->carry[i], ERR_TYPE,
			"scan: %s begins as %s and goes on as %s; in a structure the next %s is a field of that name", l->carry[i]->name,
			shown_type(e, l->seen[0][i]), shown_type(e, l->seen[1][i]), l->carry[i]->name);
	return fail_at_syntax(e, l->carry[i], ERR_TYPE, "scan: %s begins as %s and goes on as %s%s%s",
		l->carry[i]->name, shown_type(e, l->seen[0][i]), shown_type(e, l->seen[1][i]),
		then ? ", then as " : "", then ? shown_type(e, then) : "");
}

/* An error that the first values have only in the types that they take: it is told where those are from. */
static bool tell_types(ScanForm *l, int round)
{
	Elab *e = l->e;
	Error *error = &e->g->error;
	if (!round || error->code != ERR_TYPE) return false;
	Text t;
	text_open(&t, e->g->arena);
	for (uint32_t i = 0; i < l->ncarry; i++) {
		const char *began = shown_type(e, l->seen[0][i]), *goes = shown_type(e, l->first[i]);
		if (strcmp(began, goes))
			text_printf(&t, "; %s begins as %s (line %d) and goes on as %s",
				l->carry[i]->name, began, l->carry[i]->where.line, goes);
	}
	size_t n = strlen(error->text);
	snprintf(error->text + n, sizeof error->text - n, "%s", text_done(&t));
	return false;
}

/* One type for the first and the next value of each that is carried; again: a first value took another. */
static bool meet(ScanForm *l, uint32_t *shapes, bool *again)
{
	Elab *e = l->e;
	for (uint32_t i = 0; i < l->ncarry; i++) {
		Taken taken = {0};
		Binding *first = l->first[i], *next = l->next[i];
		bool alike = first->kind == B_NODE ? next->kind == B_NODE : is_structure(next);
		Binding *both[] = {first, next};
		Binding *b = alike ? on_leaves(e, l->carry[i], 2, both, first_leaf, &taken) : NULL;
		if (!b && e->g->error.code && e->g->error.code != ERR_TYPE) return false;
		if (!b || (taken.shape && shapes[i]++ == SHAPES)) {
			error_clear(&e->g->error);
			return no_common_type(l, i);
		}
		if (taken.shape) note_type(l, i);
		*again |= taken.any;
		l->first[i] = b;
		both[0] = b;
		if (!taken.any) l->next[i] = on_leaves(e, l->carry[i], 2, both, next_leaf, NULL);
		if (!l->next[i]) return false;
	}
	return true;
}

/* Run rounds until the types of first and next values agree. */
static bool settle(ScanForm *l)
{
	Arena *a = l->e->g->arena;
	uint32_t *shapes = NEW_ARRAY(a, uint32_t, l->ncarry + 1);
	for (uint32_t k = 0; k <= SHAPES; k++) l->seen[k] = NEW_ARRAY(a, Binding *, l->ncarry + 1);
	memcpy(l->seen[0], l->first, l->ncarry * sizeof *l->first);
	bool again = true;
	for (int round = 0; again; round++) {
		again = false;
		if (!elaborate_body(l)) return tell_types(l, round);
		if (!meet(l, shapes, &again)) return false;
	}
	return true;
}

/* ---- the node ------------------------------------------------------------------------------ */

static void add_leaves(uint32_t n, Binding *const *b, Node **out, uint32_t *k)
{
	for (uint32_t i = 0; i < n; i++) *k += binding_leaves(b[i], out + *k);
}

/* Elements of the loop's tuple in the structure of `shape`; weak ones are weak again outside. */
static Binding *results(ScanForm *l, Node *t, const Binding *shape, bool carried, uint32_t *k)
{
	Graph *g = l->e->g;
	uint32_t n = binding_leaves(shape, NULL);
	Node **leaf = NEW_ARRAY(g->arena, Node *, n);
	binding_leaves(shape, leaf);
	for (uint32_t i = 0; i < n; i++) {
		Dtype d = node_dtype(leaf[i]);
		leaf[i] = get(g, t, (*k)++);
		if (carried && dtype_is_weak(d)) leaf[i] = cast(g, leaf[i], d);
	}
	return binding_refill(g, shape, leaf);
}

/* NULL with an error. */
Node *loop_node(ScanForm *l, const LoopParts *p)
{
	Graph *g = l->e->g;
	Closure c;
	if (!body_close(g, NULL, (Nodes){p->nparam, p->param}, (Nodes){p->nresult, p->result},
		    (Around){.steps = l->steps}, &c))
		return NULL;
	if (!is_in_pieces(l))
		return scan(g, &c, l->steps, (Nodes){p->ncarry, p->first}, (Nodes){p->nseq, p->seq},
			l->back ? WAY_BACK : 0);
	return scan_in_pieces(l, p, &c);
}

/* Effects are carried behind what the user carries: params, result and carry hold what they are. */
static void carry_effects(ScanForm *l, LoopParts *p)
{
	uint32_t sequences = p->nparam - 1 - p->ncarry, traces = p->nresult - p->ncarry;
	if (!has_effects(l)) return;
	memmove(p->param + 2 + p->ncarry, p->param + 1 + p->ncarry, sequences * sizeof *p->param);
	memmove(p->result + 1 + p->ncarry, p->result + p->ncarry, traces * sizeof *p->result);
	p->param[1 + p->ncarry] = l->token_leaf;
	p->result[p->ncarry] = l->token;
	p->first[p->ncarry++] = token_now(l->e);
	p->nparam++;
	p->nresult++;
}

static Binding *finish(ScanForm *l)
{
	Elab *e = l->e;
	Graph *g = e->g;
	uint32_t nparam = 1, nresult = 0, ncarry = 0, nseq = 0;
	uint32_t nnext = l->ncarried + count_leaves(l->ntrace, l->trace);
	Node **params = NEW_ARRAY(g->arena, Node *, 2 + l->nleaf),
	     **result = NEW_ARRAY(g->arena, Node *, nnext + 2);
	Node **carry = NEW_ARRAY(g->arena, Node *, l->ncarried + 2),
	     **seq = NEW_ARRAY(g->arena, Node *, l->nleaf + 1);
	params[0] = l->index;
	for (uint32_t i = 0; i < l->nleaf; i++) params[nparam++] = l->leaf[i];
	add_leaves(l->ncarry, l->next, result, &nresult);
	add_leaves(l->ntrace, l->trace, result, &nresult);
	add_leaves(l->ncarry, l->first, carry, &ncarry);
	add_leaves(l->nseq, l->xs, seq, &nseq);
	for (uint32_t i = 0; i < ncarry; i++)
		if (carry[i]->type->kind == TYPE_ARRAY)
			carry[i] = cast(g, carry[i], dtype_strong(node_dtype(carry[i])));
	at(e, l->at);
	LoopParts parts = {nparam, params, nresult, result, ncarry, carry, nseq, seq};
	carry_effects(l, &parts);
	uint32_t k = 0, n = l->ncarry + l->ntrace;
	Node *t = l->condition ? while_node(l, &parts, &k) : loop_node(l, &parts);
	if (!t) return NULL;
	Binding **elem = NEW_ARRAY(g->arena, Binding *, n + 1);
	const char **name = NEW_ARRAY(g->arena, const char *, n + 1);
	for (uint32_t i = 0; i < l->ncarry; i++) {
		name[i] = l->carry[i]->name;
		elem[i] = results(l, t, l->next[i], true, &k);
	}
	if (parts.ncarry > ncarry) e->token = l->effects ? l->effects : get(g, t, k++);
	for (uint32_t i = 0; i < l->ntrace; i++) {
		name[l->ncarry + i] = l->trace_name[i];
		elem[l->ncarry + i] = results(l, t, l->trace[i], false, &k);
	}
	if (!n && parts.ncarry == ncarry)
		return fail_at_syntax(e, l->at, ERR_TYPE, "scan: nothing is carried and nothing is stacked");
	return l->bare ? elem[0] : bind_record(g, n, name, elem);
}

Binding *elab_scan(Elab *e, Env env, const Syntax *s)
{
	ScanForm l = {.e = e, .at = s, .env = env};
	return read_flags(&l, s->part[0]) && read_head(&l) && settle(&l) ? finish(&l) : NULL;
}
