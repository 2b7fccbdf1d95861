/* print_called.c - functions that are printed more than once, each written once: those that stay calls, and
 * bodies of loops, sides and functions that are values, which take more than a line.
 *
 * A definition says the sizes of its parameters by names, which the call finds again: so it needs a parameter
 * with an axis of each, and none that is a token.
 */
#include "print_graph.h"
#include "../ir/own.h"

/* ---- what is printed of a node -------------------------------------------------------------------- */

enum { PRINTED_MAX = BODIES_MAX + 2 };

bool call_is_plain(const Node *x)
{
	const Function *f = x->op == OP_CALL ? call_function(x) : NULL;
	return f && !f->op && !(f->flags & (FN_OP | FN_EXACT | FN_OWN | FN_CHECKPOINT | FN_KEPT));
}

/* The functions in the text of a node. */
static uint32_t printed_functions(Graph *g, Node *x, Function *out[PRINTED_MAX])
{
	Body b[BODIES_MAX];
	Node *call[2] = {NULL, NULL};
	bool op = x->op == OP_CALL && !(call_function(x)->flags & (FN_EXACT | FN_OWN)) && !call_is_kept(x) &&
		!call_is_plain(x);
	uint32_t n = op ? 0 : node_bodies(x, b);
	for (uint32_t i = 0; i < n; i++) out[i] = b[i].f;
	if (system_size(x)) {
		call[0] = system_apply_call(g, x);
		call[1] = system_transposed_call(g, x);
	} else if (x->op == OP_CALL && call_function(x)->flags & FN_OWN) {
		call[0] = own_derivative_call(g, x);
	}
	for (uint32_t i = 0; i < 2; i++)
		if (call[i]) out[n++] = call_function(call[i]);
	return n;
}

bool is_long_body(GraphPrinter *p, Function *f)
{
	enum { MANY_NODES = 32 };
	Region *r = function_region(p->g, f);
	Function *within[PRINTED_MAX];
	bool is = r->n > MANY_NODES;
	for (uint32_t i = 0; i < r->n && !is; i++) is = printed_functions(p->g, r->node[i], within) > 0;
	return is;
}

/* ---- which, and how often ------------------------------------------------------------------------- */

typedef struct Printed {
	Function *f;
	bool kept;       /* by a call of it */
	uint32_t times;  /* that it would be printed, as far as FEW */
} Printed;

enum { FEW = 2 };

typedef struct PrintedAll {
	Arena *a;
	Printed *v;      /* each behind those in its text */
	uint32_t n, cap;
	IdMap known;     /* by function: its place + 1 */
} PrintedAll;

static void list_printed(GraphPrinter *p, PrintedAll *all, Function *f)
{
	Region *r = function_region(p->g, f);
	for (uint32_t i = 0; i < r->n; i++) {
		Function *h[PRINTED_MAX];
		uint32_t n = printed_functions(p->g, r->node[i], h);
		for (uint32_t k = 0; k < n; k++) {
			if (idmap_get(&all->known, h[k]->id)) continue;
			list_printed(p, all, h[k]);
			GROW(all->a, all->v, all->n, all->cap);
			all->v[all->n++] = (Printed){.f = h[k], .kept = call_is_kept(r->node[i])};
			idmap_put(&all->known, h[k]->id, (void *)(uintptr_t)all->n);
		}
	}
}

/* The text of f is printed so often, and with it what is in it. */
static void print_times(GraphPrinter *p, PrintedAll *all, Function *f, uint32_t times)
{
	Region *r = function_region(p->g, f);
	for (uint32_t i = 0; i < r->n; i++) {
		Function *h[PRINTED_MAX];
		uint32_t n = printed_functions(p->g, r->node[i], h);
		for (uint32_t k = 0; k < n; k++) {
			Printed *of = &all->v[(uintptr_t)idmap_get(&all->known, h[k]->id) - 1];
			of->times = of->times + times < FEW ? of->times + times : FEW;
		}
	}
}

static bool can_be_defined(Arena *a, const Function *f)
{
	bool *shown = NEW_ARRAY(a, bool, f->nsize + 1), all = true;
	for (uint32_t i = 0; i < f->nparam; i++) {
		const Type *t = f->param[i];
		if (t->kind != TYPE_ARRAY) return false;
		for (uint32_t k = 0; k < t->n; k++) {
			const Atom *atom = size_single(DIM(t, k));
			if (atom && atom->kind == ATOM_PARAM && !atom->data) shown[atom->index] = true;
		}
	}
	for (uint32_t i = 0; i < f->nsize; i++) all &= shown[i];
	return all;
}

static bool is_defined(GraphPrinter *p, Arena *a, const Printed *x)
{
	return x->times >= FEW && (x->kept || is_long_body(p, x->f)) && can_be_defined(a, x->f);
}

const CalledFunctions *called_functions(GraphPrinter *p, Function *f)
{
	CalledFunctions *out = NEW(p->scratch, CalledFunctions);
	PrintedAll all = {.a = arena_child(p->scratch)};
	idmap_open(&all.known, all.a);
	idmap_open(&out->name, p->scratch);
	list_printed(p, &all, f);
	print_times(p, &all, f, 1);
	bool *defined = NEW_ARRAY(all.a, bool, all.n + 1);
	for (uint32_t i = all.n; i-- > 0;) {
		defined[i] = is_defined(p, all.a, &all.v[i]);
		print_times(p, &all, all.v[i].f, defined[i] ? 1 : all.v[i].times);
	}
	for (uint32_t i = 0; i < all.n; i++) {
		Function *h = all.v[i].f;
		const char *name = all.v[i].kept ? "kept" : "body";
		if (!defined[i]) continue;
		if (all.v[i].kept && h->name) name = h->name;
		idmap_put(&out->name, h->id, (void *)free_name(p, name));
		GROW(p->scratch, out->f, out->n, out->cap);
		out->f[out->n++] = h;
	}
	arena_free(all.a);
	return out->n ? out : NULL;
}

const char *called_name(const GraphPrinter *p, const Function *f)
{
	return p->called ? idmap_get(&p->called->name, f->id) : NULL;
}
