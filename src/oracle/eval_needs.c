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

/* By the names of the function that is evaluated. */
static const Size *named_atom(void *user, const Atom *a)
{
	const Activation *f = user;
	Graph *g = f->e->g;
	if (a->kind == ATOM_PARAM && f->function->size_name && f->function->size_name[a->index])
		return size_named(g, f->function->size_name[a->index]);
	if (a->kind != ATOM_NODE) return NULL;
	Text t;
	text_open(&t, f->arena);
	scalar_print(&t, f->function, a->node);
	return size_named(g, text_done(&t));
}

const char *eval_size_text(Activation *f, const Size *s)
{
	Text t;
	text_open(&t, f->arena);
	size_print(&t, f->function ? size_substitute(f->e->g, s, named_atom, f) : s);
	return text_done(&t);
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
		f->at = x->node;
		if (!x->equal && size_is(x->a, &(int64_t){0}))
			return eval_fail(f, ERR_CALL, "%s: %s must be at least %lld, it is %lld",
				op_info[x->node->op].text, eval_size_text(f, x->b), (long long)a,
				(long long)b);
		return eval_fail(f, ERR_CALL, "%s: %s must %s %s: %lld and %lld", op_info[x->node->op].text,
			eval_size_text(f, x->a), x->equal ? "equal" : "be at most",
			eval_size_text(f, x->b), (long long)a, (long long)b);
	}
	return true;
}
