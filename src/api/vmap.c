/* vmap.c - a function of one, for all along an axis of its arguments. */
#define POR_NO_LINES
#include "api.h"
#include "../batch/batch.h"

/* A name for how many there are, which none of its sizes has. */
static const char *name_of_size(Graph *g, const Function *f)
{
	const char *name = names_get(&g->names, "lanes", 5);
	for (uint32_t i = 0; i < f->nsize; i++)
		if (f->size_name[i] == name) {
			char *longer = arena_printf(g->arena, "%s_", name);
			name = names_get(&g->names, longer, strlen(longer));
			i = UINT32_MAX;
		}
	return name;
}

/* With an axis of n more. */
static const Type *with_axis(Graph *g, const Type *t, int64_t axis, const Size *n)
{
	const Size *dim[RANK_MAX];
	if (t->kind != TYPE_ARRAY || t->n >= RANK_MAX || axis > t->n)
		return graph_fail(g, ERR_VALUE, "vmap: %s has no room for axis %lld", type_shown(g, t),
			(long long)axis);
	memcpy(dim, t->u.dim, (size_t)axis * sizeof *dim);
	dim[axis] = n;
	memcpy(dim + axis + 1, t->u.dim + axis, (t->n - (size_t)axis) * sizeof *dim);
	return type_array(g, (Dtype)t->dtype, t->n + 1, dim);
}

static Node *axis_first(Graph *g, Node *x, int64_t axis)
{
	int64_t perm[RANK_MAX];
	for (int64_t i = 0; i < node_rank(x); i++) perm[i] = i <= axis ? i - 1 : i;
	perm[0] = axis;
	return transpose(g, x, perm);
}

/* The parameters: those of one, and of all. */
typedef struct Mapped {
	Node **one, **all;
	Node **leaf, **lanes; /* of those with the axis: what stands for one, and all with it first */
	uint32_t n;
	const Size *size;
} Mapped;

static bool map_parameter(Graph *g, const Function *f, uint32_t i, int axis, Mapped *m)
{
	const Type *t = type_by_name(g, f, f->param[i]);
	m->one[i] = m->all[i] = fresh(g, t, f->param_name[i]);
	if (axis == POR_SHARED || !m->one[i]) return m->one[i] != NULL;
	int64_t place = axis < 0 ? axis + (int64_t)t->n + 1 : axis;
	if (place < 0) place = RANK_MAX;
	const Type *more = with_axis(g, t, place, m->size);
	m->all[i] = more ? fresh(g, more, f->param_name[i]) : NULL;
	if (!m->all[i]) return false;
	m->leaf[m->n] = m->one[i];
	m->lanes[m->n++] = axis_first(g, m->all[i], place);
	return !g->error.code;
}

/* Effects tell which of all it is, before the passes of their own loops. */
static bool tell_place(Graph *g, Mapped *m, Nodes results, Node **out)
{
	Node *place = fresh(g, type_scalar(g, DT_I64), NULL);
	m->leaf[m->n] = place;
	m->lanes[m->n++] = iota(g, m->size);
	return place && effects_tell(g, results, (Nodes){1, &place}, out);
}

/* What the function makes of one.  Where it has effects it is taken apart, so that a loop finds them. */
static bool results_of_one(Graph *g, Function *f, Mapped *m, Lanes *l, Node **result)
{
	const Size **size = NEW_ARRAY(g->arena, const Size *, f->nsize + 1);
	if (!function_solve_sizes(g, f, f->nparam, m->one, size)) return false;
	if (f->nresult == function_values(f)) {
		Node *y = call(g, f, f->nparam, m->one);
		for (uint32_t i = 0; y && i < f->nresult; i++) result[i] = f->nresult == 1 ? y : get(g, y, i);
		return y != NULL;
	}
	if (f->flags & FN_EXACT) {
		graph_fail(g, ERR_UNSUPPORTED, "vmap: %s: a function of law exact that has effects", f->name);
		return false;
	}
	l->token = l->before = token(g);
	function_inline(g, f, size, m->one, result);
	return !g->error.code && tell_place(g, m, (Nodes){f->nresult, result}, result);
}

static Function *mapped(Graph *g, Function *f, const int *axes)
{
	Mapped m = {.size = size_named(g, name_of_size(g, f))};
	Node **result = NEW_ARRAY(g->arena, Node *, f->nresult),
	     **out = NEW_ARRAY(g->arena, Node *, f->nresult);
	m.one = NEW_ARRAY(g->arena, Node *, f->nparam + 1);
	m.all = NEW_ARRAY(g->arena, Node *, f->nparam + 1);
	m.leaf = NEW_ARRAY(g->arena, Node *, f->nparam + 1);
	m.lanes = NEW_ARRAY(g->arena, Node *, f->nparam + 1);
	for (uint32_t i = 0; i < f->nparam; i++)
		if (!map_parameter(g, f, i, axes[i], &m)) return NULL;
	if (!m.n) return graph_fail(g, ERR_VALUE, "vmap: no argument has an axis of them");
	Lanes lanes = {.n = m.size, .x = m.leaf, .xs = m.lanes};
	Closure c;
	if (!results_of_one(g, f, &m, &lanes, result)) return NULL;
	lanes.nx = m.n;
	if (!batch(g, &lanes, f->nresult, result, out) ||
		!function_close(
			g, (Title){.name = f->name}, (Nodes){f->nparam, m.all}, (Nodes){f->nresult, out}, &c))
		return NULL;
	name_closed_sizes(c.function, &c);
	return c.function;
}

por_function *por_vmap(por_function *f, int n, const int *axes)
{
	if (!f || !at_least(f->graph, por_function_name(f), n, 0)) return NULL;
	ENTER(f->graph, NULL);
	Graph *g = f->graph->ir;
	if ((uint32_t)n != f->function->nparam || !axes)
		LEAVE((por_function *)graph_fail(g, ERR_VALUE, "vmap: %s: given axes of %d inputs, it has %u",
			por_function_name(f), axes ? n : 0, f->function->nparam));
	Function *h = mapped(g, f->function, axes);
	if (!h) LEAVE((por_function *)NULL);
	Signature *s = signature_like(f->graph, h, f->signature);
	LEAVE(give_function(f->graph, h, s));
}
