/* elab_formula.c - [i < n, x in xs] => e: an array by the formula of its elements.
 *
 * The formula is elaborated once, over leaves for the index and the elements, and then computed for all of
 * them together (Transforms.batch): along the last of the names first, so that what it gives along that axis
 * is an array of the formula of those before.
 */
#include "elaborator.h"

typedef struct Formula {
	Elab *e;
	const Syntax *at;
} Formula;

/* One name, and what it runs over: leaf 0 counts, all[0] is every count; elements come behind. */
typedef struct FormulaAxis {
	const Size *n;
	uint32_t count;
	Node **leaf, **all;
	Node *token;                 /* the leaf that its effects begin with */
	Binding *bound;
} FormulaAxis;

static bool count_along(Formula *f, const char *name, FormulaAxis *a)
{
	Graph *g = f->e->g;
	Node *all = iota(g, a->n);
	a->all[0] = all ? cast(g, all, DT_WEAK_INT) : NULL;
	a->leaf[0] = fresh(g, type_scalar(g, DT_WEAK_INT), name);
	if (!a->all[0] || !a->leaf[0]) return false;
	leaf_is_below(g, a->leaf[0], size_node(g, a->n));
	return !g->error.code;
}

static bool read_count(Formula *f, Env env, const Syntax *s, FormulaAxis *a)
{
	Elab *e = f->e;
	Graph *g = e->g;
	a->n = size_from(e, s->part[0], elab(e, env, s->part[0]));
	if (!a->n) return false;
	if (e->around) {
		CountedBelow *b = NEW(g->arena, CountedBelow);
		*b = (CountedBelow){a->n, s, e->below};
		e->below = b;
	}
	a->count = 1;
	a->leaf = NEW_ARRAY(g->arena, Node *, 1);
	a->all = NEW_ARRAY(g->arena, Node *, 1);
	if (!count_along(f, s->name, a)) return false;
	a->bound = bind_node(g, a->leaf[0]);
	return !g->error.code;
}

static bool add_elements(Formula *f, const Syntax *s, FormulaAxis *a, uint32_t i)
{
	Elab *e = f->e;
	Graph *g = e->g;
	const Type *t = a->all[i]->type;
	const char *array = shown(e, s->part[0]);
	if (t->kind != TYPE_ARRAY || !t->n)
		return fail_at_syntax(
			e, s, ERR_TYPE, "%s in %s: %s has no leading axis", s->name, array, type_shown(g, t));
	if (a->n && sizes_clash(g, a->n, DIM(t, 0)))
		return fail_at_syntax(e, s, ERR_TYPE, "%s in %s: its arrays have %s and %s elements", s->name,
			array, size_shown(g, a->n), size_shown(g, DIM(t, 0)));
	a->n = a->n ? a->n : DIM(t, 0);
	a->leaf[i] = fresh(g, type_array(g, (Dtype)t->dtype, t->n - 1, &DIM(t, 1)), s->name);
	comes_from(e, a->leaf[i], a->all[i]);
	return true;
}

static bool read_elements(Formula *f, Env env, const Syntax *s, FormulaAxis *a)
{
	Elab *e = f->e;
	Binding *b = elab(e, env, s->part[0]);
	a->count = b ? 1 + binding_leaves(b, NULL) : 0;
	if (!b) return false;
	if (a->count == 1 || binding_has_function(b))
		return fail_at_syntax(e, s, ERR_TYPE, "%s in %s: no array", s->name, shown(e, s->part[0]));
	a->leaf = NEW_ARRAY(e->g->arena, Node *, a->count);
	a->all = NEW_ARRAY(e->g->arena, Node *, a->count);
	binding_leaves(b, a->all + 1);
	for (uint32_t i = 1; i < a->count; i++)
		if (!add_elements(f, s, a, i)) return false;
	if (!count_along(f, NULL, a)) return false;
	for (uint32_t i = 2; i < a->count; i++) { /* what is not known to be as long is checked */
		const Type *t = a->all[i]->type;
		const Size *dim[RANK_MAX];
		memcpy(dim, t->u.dim, t->n * sizeof *dim);
		dim[0] = a->n;
		if (!(a->all[i] = sized(e->g, a->all[i], t->n, dim))) return false;
	}
	a->bound = binding_refill(e->g, b, a->leaf + 1);
	return a->bound != NULL;
}

static Binding *along(Formula *, Env outer, uint32_t k);

/* The formula over one value of a name; its effects are those from a.token to *after. */
static Binding *for_one(Formula *f, Env outer, uint32_t k, FormulaAxis *a, Node **after)
{
	Elab *e = f->e;
	Node *before = e->token;
	Env env = env_open(e, outer);
	env_bind(e, &env, f->at->part[k]->name, a->bound);
	e->token = a->token = fresh(e->g, type_token(e->g), NULL);
	e->around = &(LoopAround){a->leaf[0], e->around};
	Binding *b = along(f, env, k + 1);
	e->around = e->around->outer;
	*after = e->token;
	e->token = before;
	if (b && binding_has_function(b))
		return fail_at_syntax(e, f->at, ERR_TYPE, "%s: its elements are functions", shown(e, f->at));
	return b;
}

/* A size that differs from one to the next is blamed where it was written. */
static Binding *differs(Elab *e)
{
	Error *error = &e->g->error;
	for (const CountedBelow *b = e->below; b && e->g->blamed; b = b->before)
		if (b->n == e->g->blamed && !e->library_calls) {
			error->line = b->at->where.line;
			error->column = b->at->where.column;
			break;
		}
	return NULL;
}

/* The array along these names from number k on. */
static Binding *along(Formula *f, Env outer, uint32_t k)
{
	Elab *e = f->e;
	Graph *g = e->g;
	const Syntax *s = f->at->part[k];
	FormulaAxis a = {0};
	Node *after;
	if (k + 1 == f->at->count) return elab(e, outer, s);
	if (!(s->kind == SYN_BELOW ? read_count(f, outer, s, &a) : read_elements(f, outer, s, &a)))
		return NULL;
	Binding *b = for_one(f, outer, k, &a, &after);
	if (!b) return NULL;
	uint32_t n = binding_leaves(b, NULL);
	Node **y = NEW_ARRAY(g->arena, Node *, n + 1), **out = NEW_ARRAY(g->arena, Node *, n + 1);
	binding_leaves(b, y);
	for (uint32_t i = 0; i < n; i++)
		if (y[i]->type->kind != TYPE_ARRAY)
			return fail_at_syntax(
				e, f->at, ERR_TYPE, "%s: its elements are no arrays", shown(e, f->at));
	at(e, f->at);
	Lanes lanes = {.n = a.n, .nx = a.count, .x = a.leaf, .xs = a.all};
	bool effects = after != a.token;
	if (effects) {
		lanes.token = a.token;
		lanes.before = token_now(e);
		y[n] = after;
	}
	if (!g->transforms->batch(g, &lanes, n + effects, y, out)) return differs(e);
	if (effects) e->token = out[n];
	return binding_refill(g, b, out);
}

Binding *elab_formula(Elab *e, Env env, const Syntax *s)
{
	Formula f = {e, s};
	if (!e->g->transforms || !e->g->transforms->batch)
		return fail_at_syntax(
			e, s, ERR_UNSUPPORTED, "%s: the array form is not supported here", shown(e, s));
	e->g->bodies++;
	Binding *b = along(&f, env, 0);
	e->g->bodies--;
	return b;
}
