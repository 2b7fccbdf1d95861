/* elab_asked.c - whole numbers that somebody gives for names without a type: x=3 is f64, unless integers are
 * asked of it.
 *
 * An attempt elaborates with f64 leaves for them.  Where an index, size, count, key or an operand of a bit
 * operation turns out to be a float, ask_integers finds the leaves that it comes from by arithmetic that
 * whole numbers have too; those are i64 in the next attempt.  Each attempt asks of one more at least, so
 * there are few.
 */
#include "elaborator.h"

bool asked_open(Graph *g, Asked *a, uint32_t n, const Declared *given)
{
	bool any = false;
	*a = (Asked){.n = n, .given = NEW_ARRAY(g->arena, Declared, n),
		.leaf = NEW_ARRAY(g->arena, Node *, n)};
	idmap_open(&a->stands, g->arena);
	for (uint32_t i = 0; i < n; i++) {
		a->given[i] = given[i];
		a->given[i].whole = given[i].whole && given[i].type && !given[i].param && !given[i].value;
		any |= a->given[i].whole;
		if (a->given[i].whole) a->given[i].type = type_with_dtype(g, given[i].type, DT_F64);
	}
	return any;
}

bool asked_again(Graph *g, Asked *a)
{
	bool again = a->again;
	if (again) error_clear(&g->error);
	a->again = false;
	for (uint32_t i = 0; i < a->n; i++) a->leaf[i] = NULL;
	idmap_open(&a->stands, g->arena);
	return again;
}

void asked_leaf(Elab *e, const Declared *d, Node *leaf)
{
	if (e->asked && d && d->whole) e->asked->leaf[d - e->asked->given] = leaf;
}

static void number_of(Elab *e, Node *leaf, Node *actual)
{
	if (e->asked && leaf && actual) idmap_put(&e->asked->stands, leaf->id, actual);
}

void stands_for(Elab *e, Node *leaf, Node *actual)
{
	own_stands_for(e, leaf, actual);
	number_of(e, leaf, actual);
}

void comes_from(Elab *e, Node *leaf, Node *actual)
{
	own_within(e, leaf);
	number_of(e, leaf, actual);
}

/* Does a map make whole numbers of whole numbers? */
static bool map_keeps_whole(const Node *x)
{
	const OpInfo *o = &op_info[x->op];
	bool numbers = o->dtype == SAME || o->dtype == REAL || o->dtype == MODULUS || o->dtype == SELECT;
	return numbers || o->flags & TO_WHOLE || x->op == OP_CAST;
}

/* How many operands a whole number may come from, from the first on; those after it choose, or are
 * indices. */
static uint32_t sources(const Node *x, uint32_t *first)
{
	const OpInfo *o = &op_info[x->op];
	bool places = x->op == OP_ARGMAX || x->op == OP_ARGMIN;
	*first = o->dtype == SELECT;
	switch (o->class) {
	case MAP: return map_keeps_whole(x) ? (uint32_t)o->args : 0;
	case FOLD: return !places && (o->dtype == OWN || o->dtype == REAL);
	case VIEW: return x->op == OP_CONCAT ? x->narg : 1;
	case INDEX: return x->op == OP_GATHER;
	case CUMULATIVE: return 1;
	default: return 0;
	}
}

static void ask_leaf(Graph *g, Asked *a, const Node *x)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (a->leaf[i] == x && node_dtype(x) == DT_F64) {
			a->given[i].type = type_with_dtype(g, a->given[i].type, DT_I64);
			a->again = true;
		}
}

void ask_integers(Elab *e, Node *x)
{
	Asked *a = e->asked;
	Node **stack = NULL;
	uint32_t n = 0, cap = 0, first;
	IdMap seen;
	if (!a || !x || x->type->kind != TYPE_ARRAY || !dtype_is_float(node_dtype(x))) return;
	idmap_open(&seen, e->g->arena);
	GROW(e->g->arena, stack, n, cap);
	stack[n++] = x;
	while (n) {
		Node *y = stack[--n], *actual = idmap_get(&a->stands, y->id);
		if (idmap_get(&seen, y->id)) continue;
		idmap_put(&seen, y->id, y);
		ask_leaf(e->g, a, y);
		for (uint32_t i = 0, k = sources(y, &first); i < k + (actual != NULL); i++) {
			if (i < first) continue;
			GROW(e->g->arena, stack, n, cap);
			stack[n++] = i < k ? y->arg[i] : actual;
		}
	}
}
