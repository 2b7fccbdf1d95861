/* elab_again.c - a function that stays one, called again: its text is not elaborated anew.
 *
 * A function is known by its value, which knows what names around it stand for.  Given arguments of the same
 * types, and the same constants and sizes among them, it becomes the same function of the graph, if it
 * captures nothing and has no effects.  So of a solver that evaluates f at six places f is elaborated once,
 * and of solvers within each other there are not six times as many nodes with each.
 */
#include "elab_kept.h"

/* Of an argument that is a leaf within, the type alone is known there. */
static bool same_argument(const Binding *x, const Binding *y)
{
	if (x->kind != y->kind) return false;
	if (x->kind == B_FUNCTION) return x->function == y->function;
	if (x->kind == B_NODE) {
		bool inside = is_given_inside(x->node, FN_KEPT) || is_given_inside(y->node, FN_KEPT);
		return x->node == y->node || (!inside && x->node->type == y->node->type);
	}
	if (!is_structure(x) || x->n != y->n) return false;
	for (uint32_t i = 0; i < x->n; i++)
		if ((x->kind == B_RECORD && x->field[i] != y->field[i]) ||
			!same_argument(x->elem[i], y->elem[i]))
			return false;
	return true;
}

static bool same_again(const void *item, const void *key)
{
	const KeptAgain *x = item, *y = key;
	bool same = x->function == y->function && x->own == y->own && x->n == y->n &&
		x->arguments == y->arguments;
	for (uint32_t i = 0; same && i < x->n; i++)
		same = x->given[i].name == y->given[i].name &&
			same_argument(x->given[i].value, y->given[i].value);
	return same;
}

static uint32_t again_hash(const KeptAgain *k)
{
	return hash_mix(k->n, (uint64_t)(uintptr_t)k->function);
}

Binding *again_known(Elab *e, const Syntax *s, const KeptAgain *k, const KeptCall *call)
{
	const KeptAgain *known = e->again.arena ? table_find(&e->again, again_hash(k), k, same_again) : NULL;
	if (!known) return NULL;
	Graph *g = e->g;
	Node **given = NEW_ARRAY(g->arena, Node *, k->arguments + known->noutside + 1),
	     **result = NEW_ARRAY(g->arena, Node *, known->form.nresult + 1);
	if (k->arguments) memcpy(given, call->given, k->arguments * sizeof *given);
	if (known->noutside)
		memcpy(given + k->arguments, known->outside, known->noutside * sizeof *given);
	at(e, s);
	return kept_apply(g, &known->form, given, result) ? binding_refill(g, known->shape, result) : NULL;
}

void again_keep(Elab *e, const KeptAgain *k, const KeptCall *call, const KeptForm *form, const Binding *shape)
{
	if (form->closure.ncapture || e->asked) return;
	Arena *a = e->g->arena;
	if (!e->again.arena) table_open(&e->again, a);
	KeptAgain *item = NEW(a, KeptAgain);
	Given *given = NEW_ARRAY(a, Given, k->n + 1);
	if (k->n) memcpy(given, k->given, k->n * sizeof *given);
	*item = *k;
	item->given = given;
	item->form = *form;
	item->noutside = call->n - k->arguments;
	item->outside = NEW_ARRAY(a, Node *, item->noutside + 1);
	if (item->noutside)
		memcpy(item->outside, call->given + k->arguments, item->noutside * sizeof *item->outside);
	item->shape = shape;
	table_add(&e->again, again_hash(k), item);
}
