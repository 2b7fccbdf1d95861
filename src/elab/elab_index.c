/* elab_index.c - x[1:, i, _]: subscripts to slices, gathers and new axes.
 *
 * In this order: one slice for all axes, a gather for each scalar from the
 * last axis to the first, one gather for the index arrays (which stand
 * together; several broadcast, over their axes flattened), new axes.
 */
#include "elaborator.h"

/* ---- reading -------------------------------------------------------------------- */

static bool is_new(const Syntax *s)
{
	return s->kind == SYN_NAME && !strcmp(s->name, "_");
}
static bool is_rest(const Syntax *s)
{
	return s->kind == SYN_RUN && !s->name;
}

/* Is it -k, -2*k, -k - 1: a minus in front of all? */
static bool begins_with_minus(const Syntax *s)
{
	while (s->kind == SYN_CHAIN) s = s->part[0];
	return s->kind == SYN_UNARY && s->sign == SIGN_MINUS;
}

/* A bound of a slice is a position; what begins with a minus, or is a negative number, counts from the
 * end. */
static const Size *bound(Elab *e, Env env, const Syntax *s, const Size *n)
{
	const Size *x = size_from(e, s, elab(e, env, s));
	int64_t v;
	bool known = x && size_is(x, &v);
	return (known ? v < 0 || (!v && begins_with_minus(s)) : begins_with_minus(s)) ? size_add(e->g, n,
		x) : x;
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
	if (x < low) return low;
	if (x > high) return high;
	return x;
}

/* Elements on the way from one position to before another. */
static int64_t elements_between(int64_t from, int64_t to, int64_t step)
{
	if (step > 0) return from < to ? (to - from - 1) / step + 1 : 0;
	return from > to ? (from - to - 1) / -step + 1 : 0;
}

/* a:b:c of numbers, which clamp as in NumPy. */
static void slice_of_numbers(Graph *g, int64_t size, int64_t from, int64_t to, Sub *out)
{
	int64_t low = out->step > 0 ? 0 : -1, high = out->step > 0 ? size : size - 1;
	from = clamp(from, low, high);
	to = clamp(to, low, high);
	int64_t length = elements_between(from, to, out->step);
	if (length <= 1) out->step = 1;
	out->start = size_const(g, length ? from : 0);
	out->length = size_const(g, length);
}

static void add_part(Sub *s, const Size *start, const Size *length)
{
	s->part[s->nparts++] = (SubPart){start, length};
}

/* How often a step goes into what is left of a span, the rest counted. */
static const Size *steps_in(Graph *g, const Size *span, const Size *step)
{
	return size_floordiv(g, size_add(g, span, size_sub(g, step, size_const(g, 1))), step);
}

/* a:b:c where not all is known.  By steps to an end that is given the part up to that end is taken first, so
 * that what has to hold of the bounds hangs on no rest that is left over: x[a:b:2] is x[a:b][::2]. */
static void slice_of_sizes(Graph *g, const Size *n, const Size *from, const Size *to, bool ends, Sub *out)
{
	const Size *zero = size_const(g, 0), *one = size_const(g, 1);
	int64_t step = out->step;
	const Size *span = step > 0 ? size_sub(g, to, from) : size_sub(g, from, to),
		   *by = size_const(g, step > 0 ? step : -step);
	out->start = from;
	out->length = step == 1 ? span : steps_in(g, span, by);
	bool holds = size_at_most(g, zero, span) && (step > 0 ? size_at_most(g, to, n) : size_at_most(g, zero,
		to));
	if (!ends || step == 1 || holds) return;
	if (step > 0) {
		add_part(out, from, span);
		out->start = zero;
	} else { /* [b:a + 1], but for its first, from the end */
		add_part(out, to, size_add(g, span, one));
		add_part(out, one, span);
		out->start = size_sub(g, span, one);
	}
}

/* a:b:c on an axis of size n. */
static bool read_slice(Elab *e, Env env, const Syntax *s, const Size *n, Sub *out)
{
	Graph *g = e->g;
	int64_t from, to, size, step = 1;
	if (s->part[2] && (!known_int(elab(e, env, s->part[2]), &step) || !step))
		return fail_at_syntax(e, s, ERR_TYPE, "%s: the step is a number, not 0", shown(e, s));
	out->kind = SUB_SLICE;
	out->step = step = step < -INT64_MAX ? -INT64_MAX : step;
	const Size *first = step > 0 ? size_const(g, 0) : size_sub(g, n, size_const(g, 1)),
		   *end = step > 0 ? n : size_const(g, -1);
	const Size *a = s->part[0] ? bound(e, env, s->part[0], n) : first;
	const Size *b;
	if (!a)
		b = NULL;
	else if (s->part[1])
		b = bound(e, env, s->part[1], n);
	else
		b = end;
	if (!a || !b) return false;
	if (size_is(n, &size) && size_is(a, &from) && size_is(b, &to))
		slice_of_numbers(g, size, from, to, out);
	else
		slice_of_sizes(g, n, a, b, s->part[1], out);
	return out->start && out->length;
}

static bool read_sub(Elab *e, Env env, const Syntax *s, Node *base, Sub *out)
{
	const Size *n = node_dim(base, out->axis);
	out->syntax = s;
	out->step = 1;
	if (s->kind == SYN_SLICE) return read_slice(e, env, s, n, out);
	if (s->kind == SYN_ENTRY) return fail_at_syntax(e, s, ERR_TYPE, "%s: an index has no name", s->name);
	if (!(out->index = elab_array(e, env, s))) return false;
	ask_integers(e, out->index);
	if (node_dtype(out->index) == DT_BOOL) out->index = mask_index(e, s, base, out->axis, out->index);
	if (!out->index) return false;
	if (!dtype_is_integer(node_dtype(out->index)))
		return fail_at_syntax(e, s, ERR_TYPE, "%s: an index of %s, wanted integers", shown(e, s),
			dtype_name(dtype_strong(node_dtype(out->index))));
	out->kind = node_is_scalar(out->index) ? SUB_SCALAR : SUB_ARRAY;
	return true;
}

uint32_t read_subs(Elab *e, Env env, const Syntax *s, Node *base, const char *hint, Sub *out)
{
	uint32_t n = 0, axis = 0, taken = 0, rank = node_rank(base);
	bool rest = false;
	for (uint32_t i = 1; i < s->count; i++) {
		if (is_rest(s->part[i]) && rest) {
			fail_at_syntax(e, s, ERR_TYPE, "%s: .. stands twice", shown(e, s->part[i]));
			return UINT32_MAX;
		}
		rest |= is_rest(s->part[i]);
		taken += !is_rest(s->part[i]) && !is_new(s->part[i]);
	}
	if (taken > rank || s->count > SUB_MAX) {
		fail_at_syntax(e, s, ERR_TYPE, "%s: %u indices for the %u axes of %s%s", shown(e, s), taken, rank,
			type_shown(e->g, base->type), hint);
		return UINT32_MAX;
	}
	for (uint32_t i = 1; i <= s->count; i++) {
		bool end = i == s->count;
		if (!end && is_new(s->part[i])) {
			out[n++] = (Sub){.kind = SUB_NEW, .axis = axis, .syntax = s->part[i]};
			continue;
		}
		if (end || is_rest(s->part[i])) {
			uint32_t k = end ? rank - axis : rank - taken;
			while (k--) out[n++] = (Sub){.kind = SUB_ALL, .axis = axis++, .step = 1};
			continue;
		}
		out[n] = (Sub){.axis = axis++};
		if (!read_sub(e, env, s->part[i], base, &out[n++])) return UINT32_MAX;
	}
	return n;
}

/* ---- taking ------------------------------------------------------------------------ */

Node *take_slices(Elab *e, Node *x, uint32_t n, const Sub *sub)
{
	const Size *start[RANK_MAX], *length[RANK_MAX];
	int64_t step[RANK_MAX];
	for (uint32_t k = 0; x && k <= SUB_PARTS; k++) { /* the parts, then what is taken of them */
		for (uint32_t i = 0; i < node_rank(x); i++) {
			start[i] = size_const(e->g, 0);
			length[i] = node_dim(x, i);
			step[i] = 1;
		}
		for (uint32_t i = 0; i < n; i++) {
			const Sub *s = &sub[i];
			if (s->kind != SUB_SLICE || (k >= s->nparts && k < SUB_PARTS)) continue;
			start[s->axis] = k < SUB_PARTS ? s->part[k].start : s->start;
			length[s->axis] = k < SUB_PARTS ? s->part[k].length : s->length;
			step[s->axis] = k < SUB_PARTS ? 1 : s->step;
		}
		x = slice(e->g, x, start, length, step);
	}
	return x;
}

Node *flat_index(Elab *e, Node **x, uint32_t n, const Sub *sub, uint32_t first, uint32_t count)
{
	Graph *g = e->g;
	Node *index = NULL;
	const Size *dim[RANK_MAX], *product = size_const(g, 1);
	uint32_t r = 0, seen = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (sub[i].kind != SUB_ARRAY) continue;
		const Size *size = node_dim(*x, first + seen++);
		Node *at = gather(g, iota(g, size), sub[i].index, 0);
		product = size_mul(g, product, size);
		index = index ? build2(g, OP_ADD, build2(g, OP_MUL, index, size_node(g, size)), at) : at;
	}
	for (uint32_t i = 0; i < node_rank(*x); i++)
		if (i == first)
			dim[r++] = product;
		else if (i < first || i >= first + count)
			dim[r++] = node_dim(*x, i);
	*x = reshape(g, *x, r, dim);
	return *x ? index : NULL;
}

bool array_group(Elab *e, const Syntax *s, uint32_t n, const Sub *sub, uint32_t *first, uint32_t *count)
{
	uint32_t axis = 0;
	bool ended = false;
	*count = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (sub[i].kind == SUB_ARRAY) {
			if (ended)
				return fail_at_syntax(e, s, ERR_TYPE,
					"%s: index arrays stand apart; write the array form "
					"[k < p] => x[i[k], :, j[k]]",
					shown(e, s));
			*first = *count ? *first : axis;
			++*count;
		} else if (sub[i].kind != SUB_SCALAR) {
			ended = *count > 0;
		}
		axis += sub[i].kind != SUB_SCALAR && sub[i].kind != SUB_NEW;
	}
	return true;
}

/* The bound name made last that x hangs on, 0 of none; left: how many nodes may still be looked at. */
static int64_t bound_last(const Node *x, uint32_t *left)
{
	if (x->op == OP_FRESH) return attr_int(x, 0);
	int64_t last = 0;
	for (uint32_t k = 0; k < x->narg && *left; k++) {
		--*left;
		int64_t of = bound_last(x->arg[k], left);
		if (of > last) last = of;
	}
	return last;
}

/* Numbers on several axes: in a loop within a loop those of the outer one first, so that `x[i, j]` is an
 * element of the row x[i], which the inner one finds made; else from the last axis on. */
static Node *take_numbers(Graph *g, Node *x, uint32_t n, const Sub *sub)
{
	enum { LOOKED_AT = 64 };
	int64_t last[SUB_MAX];
	bool known = true, taken[SUB_MAX] = {false};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t left = LOOKED_AT;
		last[i] = sub[i].kind == SUB_SCALAR ? bound_last(sub[i].index, &left) : 0;
		known &= left > 0;
	}
	for (;;) {
		uint32_t next = n, before = 0;
		for (uint32_t i = n; i-- > 0;) {
			if (sub[i].kind != SUB_SCALAR || taken[i]) continue;
			if (next == n || (known && last[i] < last[next])) next = i;
		}
		if (!x || next == n) return x;
		for (uint32_t i = 0; i < next; i++) before += taken[i];
		x = gather(g, x, sub[next].index, sub[next].axis - before);
		taken[next] = true;
	}
}

static Node *take(Elab *e, const Syntax *s, Node *x, uint32_t n, const Sub *sub)
{
	Graph *g = e->g;
	uint32_t first = 0, count = 0, rank = 0;
	if (!array_group(e, s, n, sub, &first, &count)) return NULL;
	x = take_slices(e, x, n, sub);
	x = take_numbers(g, x, n, sub);
	if (x && count == 1) {
		for (uint32_t i = 0; i < n; i++)
			if (sub[i].kind == SUB_ARRAY) {
				rank = node_rank(sub[i].index);
				x = gather(g, x, sub[i].index, first);
			}
	} else if (x && count) {
		Node *index = flat_index(e, &x, n, sub, first, count);
		rank = index ? node_rank(index) : 0;
		x = gather(g, x, index, first);
	}
	int64_t new[SUB_MAX], at = 0;
	uint32_t nnew = 0;
	bool grouped = false;
	for (uint32_t i = 0; i < n; i++) {
		if (sub[i].kind == SUB_NEW)
			new[nnew++] = at++;
		else if (sub[i].kind == SUB_ARRAY) {
			at += grouped ? 0 : rank;
			grouped = true;
		} else if (sub[i].kind != SUB_SCALAR)
			at++;
	}
	return nnew ? unsqueeze(g, x, nnew, new) : x;
}

/* ---- keys: k[i] is key i of k ---------------------------------------------------------- */

/* Of key[b] the indices select while there are axes, then derive. */
static Node *derive(Elab *e, Env env, const Syntax *s, Node *k)
{
	for (uint32_t i = 1; k && i < s->count; i++) {
		Node *at = elab_array(e, env, s->part[i]);
		ask_integers(e, at);
		if (!at)
			k = NULL;
		else if (node_rank(k))
			k = gather(e->g, k, at, 0);
		else
			k = build2(e->g, OP_KEY_AT, k, at);
	}
	return k;
}

static bool derives(const Syntax *s, const Node *x)
{
	if (node_dtype(x) != DT_KEY || s->count - 1 <= node_rank(x)) return false;
	for (uint32_t i = 1; i < s->count; i++)
		if (s->part[i]->kind == SYN_SLICE || is_rest(s->part[i]) || is_new(s->part[i])) return false;
	return true;
}

/* ---- the form ---------------------------------------------------------------------------- */

typedef struct Indexing {
	Env env;
	const Syntax *at;
	const char *hint; /* what else may be meant, behind an error */
	Node *before;     /* the effects before those of the indices, which happen once for all leaves */
} Indexing;

static Node *index_leaf(Elab *e, const void *user, uint32_t n, Node *const *x)
{
	const Indexing *w = user;
	Sub sub[SUB_MAX + RANK_MAX];
	(void)n;
	if (x[0]->type->kind != TYPE_ARRAY)
		return fail_at_syntax(e, w->at, ERR_TYPE, "%s: no array", shown(e, w->at));
	e->token = w->before;
	if (derives(w->at, x[0])) return derive(e, w->env, w->at, x[0]);
	if (is_mask_of_axes(e, w->env, w->at))
		return take_mask(e, w->at, x[0], elab_array(e, w->env, w->at->part[1]));
	uint32_t k = read_subs(e, w->env, w->at, x[0], w->hint, sub);
	at(e, w->at);
	return k == UINT32_MAX ? NULL : take(e, w->at, x[0], k, sub);
}

/* fs[i] of a tuple of functions: which one is known while building. */
static Binding *function_of_tuple(Elab *e, Env env, const Syntax *s, const Binding *base)
{
	int64_t i;
	Binding *b = elab(e, env, s->part[1]);
	if (!b) return NULL;
	if (!known_int(b, &i))
		return fail_at_syntax(e, s, ERR_TYPE,
			"%s: %s where a number is wanted, known while building: functions are chosen by it",
			shown(e, s), shown_type(e, b));
	if (i >= 0 && i < base->n) return base->elem[i];
	return fail_at_syntax(
		e, s, ERR_TYPE, "%s: index %lld of a tuple of %u", shown(e, s), (long long)i, base->n);
}

Binding *elab_index(Elab *e, Env env, const Syntax *s, Binding *base)
{
	bool one = s->count == 2 && s->part[1]->kind != SYN_SLICE;
	if (base->kind == B_TUPLE && one && binding_has_function(base))
		return function_of_tuple(e, env, s, base);
	if (base->kind == B_MODULE || base->kind == B_FUNCTION)
		return fail_at_syntax(e, s, ERR_TYPE, "%s: %s has no elements", shown(e, s), kind_text(base));
	bool tuple = base->kind == B_TUPLE || (base->kind == B_NODE && base->node->type->kind == TYPE_TUPLE);
	const char *hint = tuple ? "; indices go to each part of a tuple: get[0](t) is its first" : "";
	return on_leaves(e, s, 1, &base, index_leaf, &(Indexing){env, s, hint, e->token});
}
