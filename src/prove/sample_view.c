/* sample_view.c - shapes and brackets of folds and views in a rule. */
#include "sample.h"

static bool counts(const Pattern *p)
{
	bool found = p && p->kind == P_LIBRARY && !strcmp(p->name, "count");
	for (uint32_t i = 0; p && i < p->n; i++) found |= counts(p->arg[i]);
	return found;
}

bool assign_fold(Instance *in, const Pattern *p, const Shape *s)
{
	int64_t axes[RANK_MAX];
	bool free;
	Shape w = {0, {0}};
	uint32_t v = bound_var(&p->attr), more = 1 + random_below(in->random, 2);
	if (v != UINT32_MAX && in->m.attr[v].bound) more = in->m.attr[v].list ? in->m.attr[v].list->n : 0;
	if (p->attr.kind == AT_LIST) more = p->attr.n;
	if (p->attr.kind == AT_NONE && s->rank) return false;
	if (counts(in->rule->guard) && v != UINT32_MAX && !in->m.attr[v].bound)
		more = random_below(in->random, 2); /* for count(a) == 0 */
	w.rank = s->rank + more;
	uint32_t n = choose_axes(in, &p->attr, w.rank, p->attr.kind == AT_NONE ? w.rank : more, axes, &free);
	if (n != more || w.rank > 5) return false;
	for (uint32_t i = 0, from = 0; i < w.rank; i++) {
		bool folded = list_has(n, axes, i);
		w.dim[i] = folded ? instance_size(in, 4) : s->dim[from++];
		if (folded && v != UINT32_MAX && in->m.attr[v].bound && in->m.attr[v].size) {
			uint32_t k = 0;
			while (axes[k] != i) k++;
			if (!size_is(in->m.attr[v].size[k], &w.dim[i])) return false;
		}
	}
	bind_list(in, &p->attr, attr_ints(in->m.g, n, axes), &w);
	bool logic = p->op == OP_ANY || p->op == OP_ALL;
	return assign_shape(in, p->arg[0], &w, logic ? TRUTH : REAL_NUMBER);
}

static bool assign_expand(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	int64_t axes[RANK_MAX];
	bool free, scalar = p->arg[0]->kind == P_VARIABLE && in->scalar[p->arg[0]->var];
	if (!s->rank) return false;
	uint32_t n = choose_axes(
		in, &p->attr, s->rank, scalar ? s->rank : 1 + random_below(in->random, s->rank), axes, &free);
	if (n == UINT32_MAX) return false;
	Shape inner = {0, {0}};
	for (uint32_t i = 0; i < s->rank; i++)
		if (!list_has(n, axes, i)) inner.dim[inner.rank++] = s->dim[i];
	bind_list(in, &p->attr, attr_ints(in->m.g, n, axes), s);
	return assign_shape(in, p->arg[0], &inner, want);
}

/* Brackets of a view whose result has the shape s, into v, and the shape of its operand; how many brackets,
 * UINT32_MAX: this choice does not fit. */
typedef uint32_t ViewBrackets(Instance *, const Pattern *, const Shape *s, AttrValue *v, Shape *operand);

static uint32_t reshape_brackets(Instance *in, const Pattern *p, const Shape *s, AttrValue *v, Shape *operand)
{
	(void)p;
	for (uint32_t i = 0; i < s->rank; i++) v[i] = av_size(size_const(in->m.g, s->dim[i]));
	if (s->rank && random_below(in->random, 3)) { /* another shape with as many elements */
		operand->rank = 1;
		operand->dim[0] = 1;
		for (uint32_t i = 0; i < s->rank; i++) operand->dim[0] *= s->dim[i];
	}
	return s->rank;
}

static uint32_t transpose_brackets(
	Instance *in, const Pattern *p, const Shape *s, AttrValue *v, Shape *operand)
{
	uint32_t n = s->rank, var = bound_var(&p->attr);
	bool given = var != UINT32_MAX && in->m.attr[var].bound;
	const Attr *list = given ? in->m.attr[var].list : NULL;
	if (given && (list ? list->n : 0) != n) return UINT32_MAX;
	for (uint32_t i = 0; i < n; i++) { /* any order */
		uint32_t at = random_below(in->random, i + 1);
		v[i] = v[at];
		v[at] = av_int(i);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (given) v[i] = list->v[i];
		operand->dim[v[i].u.i] = s->dim[i];
	}
	return n;
}

static uint32_t slice_brackets(Instance *in, const Pattern *p, const Shape *s, AttrValue *v, Shape *operand)
{
	uint32_t n = s->rank;
	(void)p;
	for (uint32_t i = 0; i < n; i++) {
		int64_t step = 1 + random_below(in->random, 2), start = random_below(in->random, 2);
		v[i] = av_size(size_const(in->m.g, start));
		v[n + i] = av_size(size_const(in->m.g, s->dim[i]));
		v[2 * n + i] = av_int(step);
		operand->dim[i] =
			start + step * (s->dim[i] ? s->dim[i] - 1 : 0) + 1 + random_below(in->random, 2);
		if (!start && step == 1) operand->dim[i] = s->dim[i];
	}
	return 3 * n;
}

static uint32_t pad_brackets(Instance *in, const Pattern *p, const Shape *s, AttrValue *v, Shape *operand)
{
	uint32_t n = s->rank;
	(void)p;
	for (uint32_t i = 0; i < n; i++) {
		int64_t before = s->dim[i] > 1 ? random_below(in->random, 2) : 0, rest = s->dim[i] - before,
			after = rest > 1 ? random_below(in->random, 2) : 0;
		int64_t step = (rest - after) % 2 ? 1 + random_below(in->random, 2) : 1; /* zeros between */
		v[i] = av_size(size_const(in->m.g, before));
		v[n + i] = av_size(size_const(in->m.g, after));
		v[2 * n + i] = av_int(step);
		operand->dim[i] = (rest - after + step - 1) / step;
	}
	return 3 * n;
}

static uint32_t flip_brackets(Instance *in, const Pattern *p, const Shape *s, AttrValue *v, Shape *operand)
{
	int64_t axes[RANK_MAX];
	bool free;
	(void)operand;
	uint32_t n = choose_axes(in, &p->attr, s->rank, random_below(in->random, s->rank + 1), axes, &free);
	for (uint32_t i = 0; n != UINT32_MAX && i < n; i++) v[i] = av_int(axes[i]);
	return n;
}

static uint32_t concat_brackets(Instance *in, const Pattern *p, const Shape *s, AttrValue *v, Shape *operand)
{
	int64_t axis;
	(void)operand;
	if (!choose_axis(in, &p->attr, s->rank, &axis)) return UINT32_MAX;
	v[0] = av_int(axis);
	return 1;
}

/* ..x in a concatenation stands for two operands. */
static void assign_run(Instance *in, uint32_t var, int64_t axis, Shape half)
{
	Node **two = NEW_ARRAY(in->m.scratch, Node *, 2);
	half.dim[axis] = 1 + random_below(in->random, 2);
	two[0] = instance_input(in, type_for(in, &half, in->real));
	half.dim[axis] = 2;
	two[1] = instance_input(in, type_for(in, &half, in->real));
	in->m.run[var].node = two;
	in->m.run[var].n = 2;
}

/* How long the next operand of a concatenation is, of what is left for it and so many more: often they are
 * alike, as concat(x, x) asks. */
static int64_t concat_part(Instance *in, int64_t left, uint32_t more)
{
	if (in->hard && in->small && more && !random_below(in->random, 3)) return 0;
	if (random_below(in->random, 2)) return left / (more + 1);
	return more && left > more ? 1 + random_below(in->random, (uint32_t)(left - more)) : left;
}

bool assign_view(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	if (p->op == OP_EXPAND) return assign_expand(in, p, s, want);
	ViewBrackets *brackets;
	if (p->op == OP_RESHAPE)
		brackets = reshape_brackets;
	else if (p->op == OP_TRANSPOSE)
		brackets = transpose_brackets;
	else if (p->op == OP_SLICE)
		brackets = slice_brackets;
	else if (p->op == OP_PAD)
		brackets = pad_brackets;
	else if (p->op == OP_FLIP)
		brackets = flip_brackets;
	else
		brackets = concat_brackets;
	AttrValue v[3 * RANK_MAX];
	Shape operand = *s;
	uint32_t n = brackets(in, p, s, v, &operand);
	if (n == UINT32_MAX) return false;
	bind_list(in, &p->attr, attr_make(in->m.g, n, v), NULL);
	int64_t axis = v[0].u.i, left = p->op == OP_CONCAT && s->rank ? s->dim[axis] : 0;
	bool empty = left && in->hard && in->small; /* some of the parts */
	/* an index may lie in any of them then */
	bool parts = (left >= p->n || empty) && random_below(in->random, 2);
	for (uint32_t i = 0; i < p->n; i++) {
		if (parts) operand.dim[axis] = concat_part(in, left, p->n - 1 - i);
		left -= parts ? operand.dim[axis] : 0;
		if (p->arg[i]->kind == P_RUN)
			assign_run(in, p->arg[i]->var, v[0].u.i, operand);
		else if (!assign_shape(in, p->arg[i], &operand, want))
			return false;
	}
	return true;
}
