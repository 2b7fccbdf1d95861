/* effect_pass.c - effects that tell of more loops around them.
 *
 * What a function does knows of the function's own loops alone; where it is invoked within others, these are
 * around it.
 * needs: results over leaves; gives: the same, of effects that tell these passes before their own
 */
#include "over.h"

typedef struct Telling {
	Graph *g;
	Arena *a;
	Nodes pass;
	IdMap map; /* what has been made anew */
} Telling;

static void tell_within(Telling *, Nodes results, const IdMap *known);

static Node **mapped(Telling *p, uint32_t n, Node *const *x)
{
	Node **out = NEW_ARRAY(p->a, Node *, n + 1);
	rebuild(p->g, (Nodes){n, (Node **)(uintptr_t)x}, &p->map, NULL, NULL, out);
	return out;
}

static Node *with_passes(Telling *p, Node *x)
{
	Graph *g = p->g;
	uint32_t n = attr_count(x), more = p->pass.n;
	Node **own = mapped(p, x->narg, x->arg), **arg = NEW_ARRAY(p->a, Node *, x->narg + more);
	AttrValue *v = NEW_ARRAY(p->a, AttrValue, n);
	if (g->error.code) return NULL;
	arg[0] = own[0];
	memcpy(arg + 1, p->pass.v, more * sizeof *arg);
	memcpy(arg + 1 + more, own + 1, (x->narg - 1) * sizeof *arg);
	memcpy(v, x->attr->v, n * sizeof *v);
	v[1] = av_int(attr_int(x, 1) + more);
	Heritage before = heritage_begin(g, x);
	Node *y = node_make(g, OP_ORDER, attr_make(g, n, v), x->narg + more, arg);
	heritage_end(g, before, x, y);
	return y;
}

static Node *with_bodies(Telling *p, Node *x)
{
	Body b[BODIES_MAX];
	Opened o[BODIES_MAX];
	uint32_t n = node_bodies(x, b);
	for (uint32_t k = 0; k < n && !p->g->error.code; k++) {
		IdMap known;
		idmap_open(&known, p->a);
		o[k] = opened_over(p->g, p->a, x, &b[k], &p->map);
		for (uint32_t i = 0; i < o[k].nparam && !p->g->error.code; i++)
			idmap_put(&known, o[k].param[i]->id, o[k].param[i]);
		if (!p->g->error.code) tell_within(p, (Nodes){o[k].nresult, o[k].result}, &known);
	}
	return p->g->error.code ? NULL : node_over_bodies(p->g, p->a, x, o, &p->map);
}

/* Of a function that is kept, as checkpoint(f) is. */
static Node *with_call(Telling *p, Node *x)
{
	Graph *g = p->g;
	Function *f = call_function(x);
	Body b[BODIES_MAX];
	IdMap known;
	node_bodies(x, b);
	idmap_open(&known, p->a);
	Node **leaf = NEW_ARRAY(p->a, Node *, f->nparam + 1), **result = NEW_ARRAY(p->a, Node *, f->nresult);
	for (uint32_t i = 0; i < f->nparam; i++) {
		leaf[i] = fresh(g, x->arg[i]->type, f->param_name[i]);
		if (leaf[i]) idmap_put(&known, leaf[i]->id, leaf[i]);
	}
	if (g->error.code) return NULL;
	function_inline(g, f, body_sizes(p->a, x, b), leaf, result);
	if (!g->error.code) tell_within(p, (Nodes){f->nresult, result}, &known);
	Node **told = mapped(p, f->nresult, result), **given = mapped(p, f->nparam, x->arg);
	if (g->error.code) return NULL;
	return call_over(g, p->a, x, (Nodes){f->nparam, leaf}, given, (Nodes){f->nresult, told});
}

/* Those above what is known. */
static void tell_within(Telling *p, Nodes results, const IdMap *known)
{
	Region *r = region_above(p->a, results.n, results.v, known);
	for (uint32_t i = 0; i < r->n && !p->g->error.code; i++) {
		Node *x = r->node[i], *y = x;
		if (!is_effect(x) || idmap_get(&p->map, x->id)) continue;
		if (x->op == OP_ORDER)
			y = with_passes(p, x);
		else if (x->op == OP_CALL)
			y = with_call(p, x);
		else if (x->op == OP_SCAN || x->op == OP_IF)
			y = with_bodies(p, x);
		if (y && y != x) idmap_put(&p->map, x->id, y);
	}
}

bool effects_tell(Graph *g, Nodes results, Nodes pass, Node **out)
{
	Telling p = {.g = g, .a = arena_child(g->arena), .pass = pass};
	IdMap none;
	idmap_open(&p.map, p.a);
	idmap_open(&none, p.a);
	g->bodies++;
	tell_within(&p, results, &none);
	g->bodies--;
	if (!g->error.code) rebuild(g, results, &p.map, NULL, NULL, out);
	arena_free(p.a);
	return !g->error.code;
}
