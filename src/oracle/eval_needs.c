/* eval_needs.c - what must hold of the sizes of a function, before anything of it is computed.
 *
 * Every node checks its own sizes when it is evaluated; but a size that is wrong may first make a large array
 * of what stands before.  So what follows from the parameters is checked when an activation begins, and the
 * rest as soon as the scalars that sizes are made of have been computed.
 */
#include "eval.h"

typedef struct SizeNeed {
	const Node *node;
	const Size *a, *b;
	bool equal;
} SizeNeed;

struct EvalNeeds {
	SizeNeed *need;
	uint32_t n, cap;
	IdMap scalars; /* nodes that the sizes are made of */
};

typedef struct Listing {
	Eval *e;
	EvalNeeds *list;
	const Node *node;
} Listing;

static void note_scalar(void *user, const Atom *a)
{
	EvalNeeds *list = user;
	if (a->kind == ATOM_NODE) idmap_put(&list->scalars, a->node->id, a->node);
}

static void note_need(void *user, const Size *a, const Size *b, bool equal)
{
	Listing *l = user;
	Graph *g = l->e->g;
	if (!a || !b || (equal ? a == b : size_at_most(g, a, b))) return;
	GROW(l->e->memory, l->list->need, l->list->n, l->list->cap);
	l->list->need[l->list->n++] = (SizeNeed){l->node, a, b, equal};
	size_atoms(a, note_scalar, l->list);
	size_atoms(b, note_scalar, l->list);
}

/* Of a function, listed once. */
static const EvalNeeds *needs_of_function(Eval *e, const Function *f, const Region *r)
{
	EvalNeeds *known = idmap_get(&e->needs, f->id);
	if (known) return known;
	Listing l = {e, NEW(e->memory, EvalNeeds), NULL};
	idmap_open(&l.list->scalars, e->memory);
	for (uint32_t i = 0; i < r->n; i++) {
		l.node = r->node[i];
		node_requirements(e->g, l.node, note_need, &l);
	}
	idmap_put(&e->needs, f->id, l.list);
	return l.list;
}

/* Where f stands, for names. */
static const Within *place_of(const Activation *f, Arena *arena)
{
	Within *at = NEW(arena, Within);
	at->f = f->function;
	const Activation *caller = f->caller;
	Body *b = NEW_ARRAY(arena, Body, BODIES_MAX);
	for (uint32_t n = caller && caller->function && caller->at ? node_bodies(caller->at, b) : 0; n--;)
		if (b[n].f == f->function) {
			at->around = caller->at;
			at->body = &b[n];
		}
	if (at->around) at->outer = place_of(caller, arena);
	return at;
}

typedef struct PlacedNames {
	Activation *f;
	const Within *at;
} PlacedNames;

/* By the names of the function that is evaluated, and of those around it. */
static const Size *named_atom(void *user, const Atom *a)
{
	const PlacedNames *n = user;
	Graph *g = n->f->e->g;
	const Within *at = n->at;
	if (a->kind == ATOM_NODE) {
		Text t;
		text_open(&t, n->f->arena);
		scalar_print(&t, at, a->node);
		return size_named(g, text_done(&t));
	}
	if (a->kind != ATOM_PARAM) return NULL;
	if (at->f->size_name && at->f->size_name[a->index]) return size_named(g, at->f->size_name[a->index]);
	if (!at->around) return NULL;
	PlacedNames outer = {n->f, at->outer};
	return size_substitute(g, at->around->attr->v[at->body->sizes + a->index].u.size, named_atom, &outer);
}

static const Size *as_it_is(void *user, const Atom *a)
{
	(void)user;
	(void)a;
	return NULL;
}

const char *eval_size_text(Activation *f, const Size *s)
{
	Text t;
	text_open(&t, f->arena);
	PlacedNames n = {f, f->function ? place_of(f, f->arena) : NULL};
	size_print(&t, n.at ? size_substitute(f->e->g, s, named_atom, &n) : s);
	return text_done(&t);
}

const char *eval_indices_text(Activation *f, const Node *x)
{
	Text t;
	text_open(&t, f->arena);
	if (f->function) indices_print(&t, place_of(f, f->arena), x);
	return text_done(&t);
}

static const char *eval_told(Activation *f, const Node *x)
{
	Text t;
	text_open(&t, f->arena);
	PlacedNames n = {f, f->function ? place_of(f, f->arena) : NULL};
	requirement_print(&t, f->e->g, x, n.at ? named_atom : as_it_is, &n);
	return text_done(&t);
}

static bool is_own_size(const Node *x, const Size *s)
{
	bool own = false;
	for (uint32_t i = 0; x->type->kind == TYPE_ARRAY && i < x->type->n; i++) own |= node_dim(x, i) == s;
	return own;
}

static bool needed(Activation *f, const SizeNeed *x, int64_t a, int64_t b)
{
	bool least = !x->equal && size_is(x->a, &(int64_t){0});
	f->at = x->node;
	if (least && is_own_size(x->node, x->b))
		return eval_fail(f, ERR_CALL, "the size %s is negative: %lld", eval_size_text(f, x->b), (long long)b);
	if (least)
		return eval_fail(f, ERR_CALL, "%s: %s must be at least %lld, it is %lld", node_told(x->node),
			eval_size_text(f, x->b), (long long)a, (long long)b);
	const Size *told_a = x->a, *told_b = x->b;
	if (x->equal) requirement_sizes(f->e->g, x->node, &told_a, &told_b);
	size_evaluate(told_a, eval_atom, f, &a);
	size_evaluate(told_b, eval_atom, f, &b);
	return eval_fail(f, ERR_CALL, "%s: %s must %s %s: %lld and %lld", eval_told(f, x->node),
		eval_size_text(f, told_a), x->equal ? "equal" : "be at most", eval_size_text(f, told_b),
		(long long)a, (long long)b);
}

bool eval_needs(Activation *f, const Node *computed)
{
	const EvalNeeds *list = needs_of_function(f->e, f->function, f->region);
	if (computed && !idmap_get((IdMap *)&list->scalars, computed->id)) return true;
	for (uint32_t i = 0; i < list->n; i++) {
		const SizeNeed *x = &list->need[i];
		int64_t a, b;
		if (!size_evaluate(x->a, eval_atom, f, &a) ||
			!size_evaluate(x->b, eval_atom, f, &b) || (x->equal ? a == b : a <= b))
			continue;
		return needed(f, x, a, b);
	}
	return true;
}
