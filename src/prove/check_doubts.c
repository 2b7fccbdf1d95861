/* check_doubts.c - inputs at which the sides of a rule differed, kept.
 *
 * Needs: an instance and its values.  Gives: whether a guard holds at one of them, so that none is proposed
 * that its own counterexamples meet.  What cannot be told of a comparison (x + y >= 0) was asked before.
 */
#include "check.h"

/* Is it a map: have all inputs the shape of what is made of them, or no more than one element? */
static bool is_map(const Instance *in, const Value *input)
{
	const Type *whole = in->m.node->type;
	bool alike = whole->kind == TYPE_ARRAY;
	for (uint32_t i = 0; alike && i < in->ninput; i++) {
		const Type *t = in->input[i]->type;
		bool same = t->n == whole->n && !memcmp(t->u.dim, whole->u.dim, t->n * sizeof *t->u.dim);
		alike = same || input[i].count == 1;
	}
	return alike;
}

/* Element `at` of a value, where there is one; below 0 all. */
static Value copied(Arena *a, Value x, int64_t at)
{
	size_t bytes = dtype_bytes(x.dtype), first = at >= 0 && at < x.count ? (size_t)at : 0;
	const char *from = (const char *)x.data + first * bytes;
	if (at >= 0 && x.count) x.count = 1;
	x.data = arena_alloc(a, ((size_t)x.count + 1) * bytes);
	memcpy(x.data, from, (size_t)x.count * bytes);
	return x;
}

static Value of_constant(Arena *a, double x)
{
	Value v = {.dtype = DT_F64, .count = 1, .data = arena_alloc(a, sizeof x)};
	memcpy(v.data, &x, sizeof x);
	return v;
}

void doubt_keep(Doubts *k, const Instance *in, const Value *input, int64_t at)
{
	if (!k || k->n == DOUBTS) return;
	Doubt *to = &k->doubt[k->n++];
	const int64_t element = is_map(in, input) ? at : -1;
	*to = (Doubt){.n = 0};
	for (uint32_t v = 0; v < in->rule->nvar; v++) {
		const Node *x = in->m.value[v];
		double constant;
		uint32_t i = 0;
		while (i < in->ninput && in->input[i] != x) i++;
		bool known = x && x->op == OP_CONST && constant_value(x, &constant);
		if (i == in->ninput && !known) continue;
		to->name[to->n] = in->rule->var[v].name;
		to->value[to->n++] = known ? of_constant(k->arena, constant) :
			copied(k->arena, input[i], element);
	}
}

static const Value *value_of(const Doubt *at, const Rule *r, const Pattern *p)
{
	for (uint32_t i = 0; p->kind == P_VARIABLE && i < at->n; i++)
		if (!strcmp(at->name[i], r->var[p->var].name)) return &at->value[i];
	return NULL;
}

typedef struct Probe {
	const Doubt *at;
	const Rule *rule;
	int64_t i; /* the element */
} Probe;

static bool number_of(const Probe *a, const Pattern *p, double *x)
{
	const Value *v = value_of(a->at, a->rule, p);
	bool map = p->kind == P_OPERATOR && (p->op == OP_NEG || p->op == OP_ABS);
	if (p->kind == P_LITERAL) *x = p->value;
	if (map && number_of(a, p->arg[0], x)) *x = p->op == OP_NEG ? -*x : fabs(*x);
	if (!v) return p->kind == P_LITERAL || (map && number_of(a, p->arg[0], &(double){0}));
	int64_t i = a->i < v->count ? a->i : 0;
	if (!v->count || dtype_is_complex(v->dtype)) return false;
	*x = element_number(v->dtype, (char *)v->data + (size_t)i * dtype_bytes(v->dtype));
	return true;
}

static bool word_holds(const Probe *a, const Pattern *p)
{
	double x;
	const Value *v = p->n == 1 ? value_of(a->at, a->rule, p->arg[0]) : NULL;
	if (!v) return false;
	if (!strcmp(p->name, "integer")) return dtype_is_integer(v->dtype);
	if (!strcmp(p->name, "real")) return dtype_is_float(v->dtype);
	if (!strcmp(p->name, "boolean")) return v->dtype == DT_BOOL;
	if (!number_of(a, p->arg[0], &x)) return false;
	if (!strcmp(p->name, "finite")) return isfinite(x);
	if (!strcmp(p->name, "whole")) return x == floor(x);
	return !strcmp(p->name, "number") && !isnan(x);
}

static bool holds(const Probe *a, const Pattern *p)
{
	double x, y;
	if (p->kind == P_LIBRARY) return word_holds(a, p);
	if (p->kind != P_OPERATOR || p->n != 2) return false;
	if (p->op == OP_AND) return holds(a, p->arg[0]) && holds(a, p->arg[1]);
	if (p->op == OP_OR) return holds(a, p->arg[0]) || holds(a, p->arg[1]);
	DtypeRule of = op_info[p->op].dtype;
	if (of != TEST && of != RTEST) return true;
	bool known = number_of(a, p->arg[0], &x) && number_of(a, p->arg[1], &y);
	return !known || guard_compares(p->op, x, y);
}

static bool doubt_meets(const Doubt *at, const Rule *r)
{
	int64_t most = 1;
	for (uint32_t i = 0; i < at->n; i++)
		if (at->value[i].count > most) most = at->value[i].count;
	bool all = true;
	for (int64_t i = 0; i < most && all; i++) all = holds(&(Probe){at, r, i}, r->guard);
	return all;
}

bool doubts_meet(const Doubts *k, const Rule *r)
{
	for (uint32_t i = 0; i < k->n && r->guard; i++)
		if (doubt_meets(&k->doubt[i], r)) return true;
	return false;
}
