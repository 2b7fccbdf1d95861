/* sample_variables.c - shapes and brackets for the variables of a rule.
 *
 * Needs: a pattern.  Gives: for a shape of the whole, shapes of the variables
 * from the top down (a map's operands have its shape, a fold's operand has more
 * axes, an expand's fewer), brackets chosen where they are free, and inputs.
 * Not every choice fits; the caller tries again.
 */
#include <stdio.h>

#include "sample.h"

const Type *type_for(Instance *in, const Shape *s, Dtype d)
{
	const Size *dim[RANK_MAX];
	for (uint32_t i = 0; i < s->rank; i++) dim[i] = size_const(in->m.g, s->dim[i]);
	return type_array(in->m.g, d, s->rank, dim);
}

Node *instance_input(Instance *in, const Type *t)
{
	char name[40];
	snprintf(name, sizeof name, "in%u", in->ninput);
	Node *x = fresh(in->m.g, t, name);
	return in->ninput < countof(in->input) ? in->input[in->ninput++] = x : NULL;
}

int64_t instance_size(Instance *in, uint32_t most)
{
	enum { LONG = 100 }; /* sums of fewer are the same from either end */
	if (in->small && random_below(in->random, 2)) return random_below(in->random, 2);
	bool rounds = in->rule->law == LAW_EXACT && dtype_is_float(in->real) && !in->small,
	     is_long = rounds && !in->is_long && !random_below(in->random, 8);
	in->is_long |= is_long;
	return (is_long ? LONG : 1) + random_below(in->random, is_long ? LONG : most);
}

bool instance_is_empty(const Instance *in)
{
	Region *r = in->small ? region_of(in->m.scratch, 1, &in->m.node) : NULL;
	for (uint32_t k = 0; r && k < r->n; k++)
		for (uint32_t i = 0; r->node[k]->type->kind == TYPE_ARRAY && i < node_rank(r->node[k]); i++)
			if (size_equals(node_dim(r->node[k], i), 0)) return true;
	return false;
}

Dtype dtype_wanted(const Instance *in, Want want)
{
	if (want >= OF_DTYPE) return (Dtype)(want - OF_DTYPE);
	switch (want) {
	case TRUTH: return DT_BOOL;
	case INDEX_NUMBER: return DT_I64;
	case COMPLEX_NUMBER: return DT_C128;
	case PART: return in->real == DT_C128 ? DT_F64 : in->real;
	default: return in->real;
	}
}

static bool assign_variable(Instance *in, uint32_t v, const Shape *s, Want want)
{
	const Type *t = type_for(in, s, dtype_wanted(in, want));
	if (in->scalar[v] && s->rank) return false;
	if (in->m.value[v]) return in->m.value[v]->type == t;
	double c = 0;
	if (in->constant[v]) /* 0, 1 and -1 are what rules of numbers often speak of */
		c = random_below(in->random, 2) ? sample_value(in->random, in->mode)
						: random_below(in->random, 4) - 1.0;
	if (!(fabs(c) <= dtype_max(in->real)) && in->rule->law != LAW_EXACT) c = 1;
	in->m.value[v] = in->constant[v] ? constant_float(in->m.g, t, c) : instance_input(in, t);
	return in->m.value[v] != NULL;
}

/* ---- brackets ------------------------------------------------------------------------- */

uint32_t bound_var(const AttrPattern *p)
{
	return p->kind == AT_VARIABLE ? p->var : UINT32_MAX;
}

void bind_list(Instance *in, const AttrPattern *p, const Attr *list, const Shape *wide)
{
	uint32_t v = bound_var(p), n = list ? list->n : 0;
	if (v == UINT32_MAX) return;
	const Size **size = NEW_ARRAY(in->m.scratch, const Size *, n ? n : 1);
	for (uint32_t i = 0; wide && i < n; i++) size[i] = size_const(in->m.g, wide->dim[list->v[i].u.i]);
	if (!in->m.attr[v].bound || (!in->m.attr[v].size && wide))
		in->m.attr[v] = (AttrBinding){true, list, wide ? size : in->m.attr[v].size};
}

uint32_t choose_axes(Instance *in, const AttrPattern *p, uint32_t rank, uint32_t n, int64_t *axes, bool *free)
{
	uint32_t v = bound_var(p);
	*free = false;
	if (p->kind == AT_LIST || (v != UINT32_MAX && in->m.attr[v].bound)) {
		const Attr *list = NULL;
		if (!attr_evaluate(&in->m, p, NULL, &list)) return UINT32_MAX;
		if ((list ? list->n : 0) > RANK_MAX) return UINT32_MAX;
		for (uint32_t i = 0; i < (list ? list->n : 0); i++) {
			axes[i] = list->v[i].u.i;
			if (list->v[i].kind != A_INT || axes[i] < 0 || axes[i] >= rank) return UINT32_MAX;
		}
		return list ? list->n : 0;
	}
	*free = true;
	uint32_t k = 0;
	for (uint32_t i = 0; i < rank && k < n; i++)
		if (random_below(in->random, rank - i) < n - k) axes[k++] = i;
	return k;
}

bool choose_axis(Instance *in, const AttrPattern *p, uint32_t rank, int64_t *axis)
{
	int64_t axes[RANK_MAX];
	bool free;
	*axis = 0;
	if (p->kind == AT_NONE) return rank > 0;
	if (choose_axes(in, p, rank, 1, axes, &free) != 1) return false;
	*axis = axes[0];
	return true;
}

/* ---- indices, contractions, solves ------------------------------------------------------- */

/* What an index is made of lies below the size of the axis, too: most of what comes of it is an index
 * then. */
static void keep_below(Instance *in, const Pattern *p, int64_t n)
{
	for (uint32_t k = 0; p->kind == P_VARIABLE && k < in->ninput; k++)
		if (in->input[k] == in->m.value[p->var] && node_dtype(in->input[k]) == DT_I64 &&
			(!in->below[k] || n < in->below[k]))
			in->below[k] = n;
	bool map = p->kind == P_SUM || p->kind == P_PRODUCT || p->kind == P_CHAIN ||
		(p->kind == P_OPERATOR && op_info[p->op].class == MAP);
	for (uint32_t i = 0; map && i < p->n; i++) keep_below(in, p->arg[i], n);
}

/* The operand that holds indices. */
static bool assign_indices(Instance *in, const Pattern *p, const Shape *s, int64_t n)
{
	if (!assign_shape(in, p, s, INDEX_NUMBER)) return false;
	keep_below(in, p, n);
	return n > 0;
}

/* One index, or several, unless what is bound already says which. */
static Shape shape_of_indices(Instance *in, const Pattern *p)
{
	Shape i = {0, {0}};
	const Node *bound = p->kind == P_VARIABLE ? in->m.value[p->var] : NULL;
	if (bound && node_rank(bound) == 1 && size_is(node_dim(bound, 0), &i.dim[0])) i.rank = 1;
	if (bound || p->kind != P_VARIABLE || in->scalar[p->var] || random_below(in->random, 2)) return i;
	i.rank = 1;
	i.dim[0] = 2 + random_below(in->random, 2);
	return i;
}

/* Of an axis that is indexed: where the rule names numbers, as in x[min(i, 5)], often one that has them. */
static int64_t size_indexed(Instance *in)
{
	double edge = in->nedge ? in->edge[random_below(in->random, in->nedge)].value : 0;
	bool about = edge >= 1 && edge <= 60 && random_below(in->random, 2);
	return 1 + random_below(in->random, 4) + (about ? (int64_t)edge : 0);
}

/* Several indices stand in the place of the axis. */
static bool assign_gather(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	Shape x = {0, {0}}, i = {0, {0}};
	if (p->kind != P_INDEX) i = shape_of_indices(in, p->arg[1]);
	if (i.rank > s->rank) {
		if (p->arg[1]->kind == P_VARIABLE && in->m.value[p->arg[1]->var]) return false;
		i.rank = 0;
	}
	int64_t axis = 0, n = size_indexed(in);
	if (p->kind != P_INDEX && !choose_axis(in, &p->attr, s->rank + !i.rank, &axis)) return false;
	if (i.rank) {
		x = *s;
		i.dim[0] = s->dim[axis];
		x.dim[axis] = n;
	} else {
		x.rank = s->rank + 1;
		for (uint32_t k = 0, from = 0; k < x.rank; k++) x.dim[k] = k == axis ? n : s->dim[from++];
	}
	bind_list(in, &p->attr, attr_ints(in->m.g, 1, &axis), NULL);
	return assign_shape(in, p->arg[0], &x, want) && assign_indices(in, p->arg[1], &i, n);
}

/* x[i], gather[a](x, i), scatter_add[a](x, i, v); of several indices some are equal. */
static bool assign_index(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	Shape x = *s, i = {0, {0}}, v = {0, {0}};
	if (p->op == OP_ONE_HOT && s->rank) {
		x.rank--;
		bind_list(in, &p->attr,
			attr_make(in->m.g, 2,
				(AttrValue[]){
					av_size(size_const(in->m.g, s->dim[x.rank])), av_dtype(in->real)}),
			NULL);
		return assign_indices(in, p->arg[0], &x, s->dim[x.rank]);
	}
	if (p->op == OP_TOP_K && s->rank) {
		AttrValue k = av_size(
			size_const(in->m.g, 1 + random_below(in->random, (uint32_t)s->dim[s->rank - 1])));
		bind_list(in, &p->attr, attr_make(in->m.g, 1, &k), NULL);
		return assign_shape(in, p->arg[0], s, REAL_NUMBER);
	}
	if (p->op == OP_ONE_HOT || p->op == OP_TOP_K) return false;
	if (p->op == OP_GATHER) return assign_gather(in, p, s, want);
	if (!s->rank) return false;
	int64_t axis;
	if (!choose_axis(in, &p->attr, s->rank, &axis)) return false;
	i = shape_of_indices(in, p->arg[1]);
	for (uint32_t k = 0; k < s->rank; k++)
		if (k != axis)
			v.dim[v.rank++] = s->dim[k];
		else if (i.rank)
			v.dim[v.rank++] = i.dim[0];
	bind_list(in, &p->attr, attr_ints(in->m.g, 1, &axis), NULL);
	return assign_shape(in, p->arg[0], &x, want) && assign_indices(in, p->arg[1], &i, s->dim[axis]) &&
		assign_shape(in, p->arg[2], &v, want);
}

/* Labels of the left operand, -1, of the right one, -1, of the result of that rank, whose axes are 0, 1,
 * ... */
static uint32_t labels_of_product(Instance *in, uint32_t rank, int64_t *list)
{
	static const int64_t vector[3][6] = {{0, 1, -1, 1, -1, 0}, {0, 1, -1, 0, -1, 1}, {0, -1, 0, 1, -1,
		1}};
	switch (rank) {
	case 0: memcpy(list, (int64_t[]){0, -1, 0, -1}, 4 * sizeof *list); return 4;
	case 1: memcpy(list, vector[random_below(in->random, 3)], sizeof vector[0]); return 6;
	case 2: memcpy(list, (int64_t[]){0, 1, -1, 1, 2, -1, 0, 2}, 8 * sizeof *list); return 8;
	case 3: memcpy(list, (int64_t[]){0, 1, 2, -1, 0, 2, 3, -1, 0, 1, 3}, 11 * sizeof *list); return 11;
	default: return 0;
	}
}

/* The same, each axis of the result from one operand or from both, and axes of both summed over, in any
 * order. */
static uint32_t labels_of_any(Instance *in, uint32_t rank, int64_t *list)
{
	int64_t side[2][RANK_MAX];
	uint32_t n[2] = {0, 0}, used = 0, summed = random_below(in->random, 3);
	if (rank > 3) return 0;
	for (uint32_t l = 0; l < rank + summed; l++) {
		uint32_t where = l < rank ? 1 + random_below(in->random, 3) : 3;
		for (uint32_t k = 0; k < 2; k++)
			if (where >> k & 1) {
				uint32_t at = random_below(in->random, n[k] + 1);
				side[k][n[k]++] = side[k][at];
				side[k][at] = l;
			}
	}
	for (uint32_t k = 0; k < 2; k++) {
		for (uint32_t i = 0; i < n[k]; i++) list[used++] = side[k][i];
		list[used++] = -1;
	}
	for (uint32_t l = 0; l < rank; l++) list[used++] = l;
	return used;
}

static bool assign_contract(Instance *in, const Pattern *p, const Shape *s)
{
	for (uint32_t i = 0; i < s->rank; i++) /* an axis of size 1 is squeezed: another operator */
		if (p->kind == P_MATMUL && s->dim[i] < 2) return false;
	uint32_t var = bound_var(&p->attr);
	int64_t list[24], of[24];
	uint32_t n = 0, side = 0;
	const Attr *given = var != UINT32_MAX ? in->m.attr[var].list : NULL;
	for (; given && n < given->n && n < countof(list); n++) {
		list[n] = given->v[n].u.i;
		if (list[n] >= (int64_t)countof(of)) return false;
	}
	if (!given)
		n = p->kind == P_MATMUL || random_below(in->random, 2) ? labels_of_product(in, s->rank, list)
								       : labels_of_any(in, s->rank, list);
	if (!n) return false;
	for (uint32_t i = 0; i < countof(of); i++) of[i] = in->small ? instance_size(in,
		3) : 2 + (int64_t)(i % 3);
	for (uint32_t i = 0, r = 0; i < n; i++) {
		if (list[i] < 0)
			side++;
		else if (side == 2 && r < s->rank)
			of[list[i]] = s->dim[r++];
	}
	Shape x[2] = {{0, {0}}, {0, {0}}};
	side = 0;
	for (uint32_t i = 0; i < n && side < 2; i++)
		if (list[i] < 0)
			side++;
		else
			x[side].dim[x[side].rank++] = of[list[i]];
	bind_list(in, &p->attr, attr_ints(in->m.g, n, list), NULL);
	return assign_shape(in, p->arg[0], &x[0], REAL_NUMBER) &&
		assign_shape(in, p->arg[1], &x[1], REAL_NUMBER);
}

static bool assign_solve(Instance *in, const Pattern *p, const Shape *s)
{
	if (s->rank != 2) return false;
	Shape a = {2, {s->dim[0], s->dim[0]}};
	if (p->op == OP_QR) return s->dim[0] >= s->dim[1] && assign_shape(in, p->arg[0], s, REAL_NUMBER);
	bind_list(in, &p->attr,
		attr_ints(in->m.g, 2, (int64_t[]){random_below(in->random, 2), random_below(in->random, 2)}),
		NULL);
	return assign_shape(in, p->arg[0], &a, REAL_NUMBER) && assign_shape(in, p->arg[1], s, REAL_NUMBER);
}

static Want wanted_of_map(const Instance *in, const Pattern *p, uint32_t i, Want want)
{
	DtypeRule rule = op_info[p->op].dtype;
	if (p->op == OP_WHERE) return i ? want : TRUTH;
	if (rule == BOOL) return TRUTH;
	if (p->op == OP_COMPLEX) return PART;
	if (rule == TEST || rule == RTEST || rule == FTEST) return REAL_NUMBER;
	if (p->op == OP_RE || p->op == OP_IM) return COMPLEX_NUMBER;
	if (p->op == OP_CONJ)
		return in->rule->complex || want == COMPLEX_NUMBER ? COMPLEX_NUMBER : REAL_NUMBER;
	return want;
}

/* ---- ops: shapes as they are declared -------------------------------------------------- */

typedef struct Named {
	uint32_t n;
	const char *name[RANK_MAX];
	int64_t size[RANK_MAX];
} Named;

static int64_t size_for(Instance *in, Named *k, const Syntax *e)
{
	if (e->kind == SYN_NUMBER) return e->integer;
	if (e->kind != SYN_NAME) return -1;
	for (uint32_t i = 0; i < k->n; i++)
		if (k->name[i] == e->name) return k->size[i];
	if (k->n == RANK_MAX) return -1;
	k->name[k->n] = e->name;
	return k->size[k->n++] = instance_size(in, 4);
}

static bool has_run(const Syntax *type)
{
	for (uint32_t i = 1; type->kind == SYN_SUBSCRIPTS && i < type->count; i++)
		if (type->part[i]->kind == SYN_RUN) return true;
	return false;
}

/* The shape of one operand: of T the scalar, of T[m, n] as named, of T[..s, d] the shape of the whole. */
static bool declared_shape(Instance *in, Named *k, const Syntax *type, const Shape *s, Shape *out)
{
	*out = *s;
	if (!type || (type->kind != SYN_NAME && type->kind != SYN_SUBSCRIPTS)) return type == NULL;
	if (has_run(type)) {
		uint32_t last = type->count - 1;
		if (s->rank < last - 1 || type->part[1]->kind != SYN_RUN) return s->rank >= last - 1;
		for (uint32_t i = 2; i <= last; i++) { /* what follows the run is the end of the shape */
			const Syntax *e = type->part[i];
			if (e->kind != SYN_NAME || k->n == RANK_MAX) return false;
			k->name[k->n] = e->name;
			k->size[k->n++] = s->dim[s->rank - 1 - (last - i)];
		}
		return true;
	}
	out->rank = type->kind == SYN_NAME ? 0 : type->count - 1;
	for (uint32_t i = 0; i < out->rank; i++)
		if ((out->dim[i] = size_for(in, k, type->part[i + 1])) < 0) return false;
	return true;
}

static bool assign_library(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	const Syntax *op = op_find(in->m.g, p->name);
	Named known = {0};
	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < p->n; i++) {
			const Syntax *type = op ? op_leaf_type(op, i) : NULL;
			const Syntax *base = type && type->kind == SYN_SUBSCRIPTS ? type->part[0] : type;
			bool named = base && base->kind == SYN_NAME;
			Shape own;
			if ((pass == 0) != (!type || has_run(type))) continue; /* runs say what d is */
			if (!declared_shape(in, &known, type, s, &own)) return false;
			Want w;
			if (named && !strcmp(base->name, "bool"))
				w = TRUTH;
			else if (named && !strcmp(base->name, "i64"))
				w = INDEX_NUMBER;
			else
				w = want;
			if (!assign_shape(in, p->arg[i], &own, w)) return false;
		}
	return true;
}

/* op[a](x, y): an axis for brackets that nothing has bound yet. */
static bool assign_call(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	int64_t axis = s->rank ? random_below(in->random, s->rank) : 0;
	if (p->attr.kind != AT_NONE && !s->rank) return false;
	if (bound_var(&p->attr) != UINT32_MAX && in->m.attr[p->attr.var].bound) {
		if (!choose_axis(in, &p->attr, s->rank, &axis)) return false;
	} else {
		bind_list(in, &p->attr, attr_ints(in->m.g, 1, &axis), NULL);
	}
	return assign_library(in, p, s, want);
}

static bool assign_turn(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	Shape w = *s;
	if (s->rank < 2) return false;
	w.dim[w.rank - 1] = s->dim[s->rank - 2];
	w.dim[w.rank - 2] = s->dim[s->rank - 1];
	return assign_shape(in, p->arg[0], &w, want);
}

/* All operands have the shape of the whole; polygamma's first is a small number. */
static bool assign_operands(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	bool operator = p->kind == P_OPERATOR || p->kind == P_CHAIN;
	bool map = operator && op_info[p->op].class == MAP;
	for (uint32_t i = 0; i < p->n; i++) {
		const Pattern *x = p->arg[i];
		if (operator && p->op == OP_POLYGAMMA && !i && x->kind == P_VARIABLE)
			in->m.value[x->var] = constant_float(
				in->m.g, type_for(in, s, in->real), 1 + random_below(in->random, 3));
		else if (!assign_shape(in, x, s, map ? wanted_of_map(in, p, i, want) : want))
			return false;
	}
	return true;
}

static bool assign_operator(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	int64_t axis;
	switch (op_info[p->op].class) {
	case FOLD: return assign_fold(in, p, s);
	case VIEW: return assign_view(in, p, s, want);
	case INDEX: return assign_index(in, p, s, want);
	case CONTRACT: return assign_contract(in, p, s);
	case SOLVE: return assign_solve(in, p, s);
	case CUMULATIVE:
		if (!choose_axis(in, &p->attr, s->rank, &axis)) return false;
		bind_list(in, &p->attr, attr_ints(in->m.g, 1, &axis), NULL);
		break;
	default: break;
	}
	if (p->op == OP_CAST || p->op == OP_BITCAST) return assign_cast(in, p, s, want);
	return assign_operands(in, p, s, want);
}

bool assign_shape(Instance *in, const Pattern *p, const Shape *s, Want want)
{
	switch (p->kind) {
	case P_VARIABLE: return assign_variable(in, p->var, s, want);
	case P_LITERAL: return true;
	case P_LIBRARY: return assign_call(in, p, s, want);
	case P_MATMUL: return assign_contract(in, p, s);
	case P_TURN: return assign_turn(in, p, s, want);
	case P_INDEX: return assign_index(in, p, s, want);
	case P_OPERATOR:
	case P_CHAIN: return assign_operator(in, p, s, want);
	default: return assign_operands(in, p, s, want);
	}
}

bool instance_shape(Instance *in, const Pattern *left, const Shape *s)
{
	Want want = REAL_NUMBER;
	bool operator = left->kind == P_OPERATOR || left->kind == P_CHAIN;
	DtypeRule rule = operator ? op_info[left->op].dtype : SAME;
	if (rule == BOOL) want = TRUTH;
	if (left->op == OP_CONJ && left->kind == P_OPERATOR) want = COMPLEX_NUMBER;
	return assign_shape(in, left, s, want);
}
