/* places.c - carried values that are nothing but added to at fixed places.
 *
 * Needs: a SCAN with a normal body, law `real`.  Gives: the same results, of a loop that carries what is
 * added to each place, as numbers or rows, from 0; or the node itself.  The derivative by p of a loop that
 * asks for p[0] and p[1] in a side alone is such a value.
 */
#include "rules.h"
#include "../ir/pass.h"

enum { PLACES_MOST = 16 };

/* own[k]: what is carried in place of the value, of all that is added to one place */
typedef struct FixedPlaces {
	uint32_t n;
	const Node *write[PLACES_MOST]; /* the last one of each */
	Node *own[PLACES_MOST], *next[PLACES_MOST], *first[PLACES_MOST];
} FixedPlaces;

static bool is_fixed(Graph *g, const Node *x)
{
	return x->op == OP_SCATTER_ADD && x->arg[1]->op == OP_CONST && node_is_scalar(x->arg[1]) &&
		node_dtype(x) == node_dtype(x->arg[2]) &&
		index_holds(g, x->arg[1], node_dim(x, (uint32_t)attr_int(x, 0)));
}

static bool one_place(const Node *x, const Node *y)
{
	return x->arg[1] == y->arg[1] && attr_int(x, 0) == attr_int(y, 0);
}

/* The writes from `next` down to the carried value itself; false: something else is made of it. */
static bool find_writes(Graph *g, const LoopPass *p, uint32_t i, FixedPlaces *w)
{
	const Node *own = p->o.param[1 + i];
	const Node *write[PLACES_MOST];
	uint32_t n = 0;
	*w = (FixedPlaces){0};
	for (const Node *x = p->o.result[i]; x != own; x = x->arg[0]) {
		if (n == PLACES_MOST || !is_fixed(g, x) || !pass_uses_once(p, x)) return false;
		write[n++] = x;
	}
	if (!n || !dtype_is_float(node_dtype(own)) || !pass_uses_once(p, own)) return false;
	while (n--) {
		Node *v = write[n]->arg[2];
		uint32_t k = 0;
		while (k < w->n && !one_place(w->write[k], write[n])) k++;
		if (k == w->n) {
			w->write[w->n++] = write[n];
			w->own[k] = w->next[k] = fresh(g, v->type, NULL);
			w->first[k] = constant_float(g, v->type, 0);
		}
		if (!w->next[k] || !w->first[k]) return false;
		w->next[k] = build2(g, OP_ADD, w->next[k], v);
	}
	return !g->error.code;
}

static Node *added_behind(Graph *g, Node *first, const FixedPlaces *w, Node *loop, uint32_t at)
{
	for (uint32_t k = 0; k < w->n; k++)
		first = scatter(g, OP_SCATTER_ADD, first, w->write[k]->arg[1], get(g, loop, at + k),
			attr_int(w->write[k], 0));
	return first;
}

static Node *carrying_places(Graph *g, Arena *a, const LoopPass *p, const FixedPlaces *w, uint32_t more)
{
	const Node *x = p->x;
	uint32_t n = p->carries + more, nrest = p->o.nresult - p->carries, k = 0;
	Node **param = NEW_ARRAY(a, Node *, 1 + n + p->sequences), **first = NEW_ARRAY(a, Node *, n);
	Node **result = NEW_ARRAY(a, Node *, n + nrest), **out = NEW_ARRAY(a, Node *, p->o.nresult);
	uint32_t *at = NEW_ARRAY(a, uint32_t, p->carries);
	param[0] = p->o.param[0];
	for (uint32_t i = 0; i < p->carries; i++) {
		bool stays = !w[i].n;
		uint32_t m = stays ? 1 : w[i].n;
		at[i] = k;
		memcpy(param + 1 + k, stays ? p->o.param + 1 + i : w[i].own, m * sizeof *param);
		memcpy(first + k, stays ? x->arg + 1 + i : w[i].first, m * sizeof *first);
		memcpy(result + k, stays ? p->o.result + i : w[i].next, m * sizeof *result);
		k += m;
	}
	memcpy(param + 1 + k, p->o.param + 1 + p->carries, p->sequences * sizeof *param);
	memcpy(result + k, p->o.result + p->carries, nrest * sizeof *result);
	Closure c;
	if (!body_close(g, scan_body(x)->name, (Nodes){1 + k + p->sequences, param},
		    (Nodes){k + nrest, result}, (Around){scan_steps(x), captured(x)}, &c))
		return NULL;
	Node *loop = scan(g, &c, x->arg[0], (Nodes){k, first},
		(Nodes){p->sequences, x->arg + 1 + p->carries}, scan_way(x));
	for (uint32_t i = 0; loop && i < p->carries; i++)
		out[i] = w[i].n ? added_behind(g, x->arg[1 + i], &w[i], loop, at[i]) : get(g, loop, at[i]);
	for (uint32_t i = 0; loop && i < nrest; i++) out[p->carries + i] = get(g, loop, k + i);
	return loop ? tuple(g, p->o.nresult, out) : NULL;
}

Node *without_places(Graph *g, Arena *a, Node *x)
{
	LoopPass p;
	uint32_t more = 0;
	bool any = false;
	for (uint32_t i = 0; i < scan_carries(x); i++) any |= scan_body(x)->result[i]->op == OP_SCATTER_ADD;
	if (!any) return x;
	if (!pass_open(g, a, x, &p)) return NULL;
	FixedPlaces *w = NEW_ARRAY(a, FixedPlaces, p.carries);
	any = false;
	for (uint32_t i = 0; i < p.carries && !g->error.code; i++) {
		if (!find_writes(g, &p, i, &w[i])) w[i].n = 0;
		any |= w[i].n > 0;
		more += w[i].n;
	}
	if (g->error.code) return NULL;
	return any ? carrying_places(g, a, &p, w, more) : x;
}
