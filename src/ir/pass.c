/* pass.c - what passes of a loop have in common: for those who take work out of a loop, or the loop apart. */
#include "pass.h"

static void use(LoopPass *p, const Node *x)
{
	uint32_t place = region_place(p->r, x);
	if (place != UINT32_MAX) p->used[place]++;
}

static void survey(LoopPass *p, Arena *a)
{
	p->r = region_above(a, p->o.nresult, p->o.result, &p->outside);
	p->used = NEW_ARRAY(a, uint32_t, p->r->n);
	p->bound = NEW_ARRAY(a, bool, p->r->n);
	for (uint32_t i = 0; i <= p->carries + p->sequences; i++) {
		uint32_t place = region_place(p->r, p->o.param[i]);
		if (place != UINT32_MAX) p->bound[place] = true;
	}
	for (uint32_t i = 0; i < p->r->n; i++)
		for (uint32_t k = 0; k < p->r->node[i]->narg; k++) {
			p->bound[i] |= pass_binds(p, p->r->node[i]->arg[k]);
			use(p, p->r->node[i]->arg[k]);
		}
	for (uint32_t i = 0; i < p->o.nresult; i++) use(p, p->o.result[i]);
}

bool pass_open(Graph *g, Arena *a, Node *scan, LoopPass *p)
{
	Nodes o = captured(scan);
	*p = (LoopPass){.x = scan, .carries = scan_carries(scan), .sequences = scan_sequences(scan)};
	idmap_open(&p->outside, a);
	for (uint32_t i = 0; i < o.n; i++) idmap_put(&p->outside, o.v[i]->id, o.v[i]);
	p->o = scan_open(g, a, scan);
	if (g->error.code) return false;
	survey(p, a);
	return true;
}

bool pass_change(Graph *g, Arena *a, LoopPass *p, uint32_t n, Node *const *value, Node *const *with)
{
	IdMap by;
	idmap_open(&by, a);
	for (uint32_t i = 0; i < n; i++) idmap_put(&by, value[i]->id, with[i]);
	rebuild(g, (Nodes){p->o.nresult, p->o.result}, &by, NULL, NULL, p->o.result);
	if (g->error.code) return false;
	survey(p, a);
	return true;
}

bool pass_binds(const LoopPass *p, const Node *x)
{
	uint32_t place = region_place(p->r, x);
	return place != UINT32_MAX && p->bound[place];
}

bool pass_uses_once(const LoopPass *p, const Node *x)
{
	uint32_t place = region_place(p->r, x);
	return place != UINT32_MAX && p->used[place] == 1;
}

bool passes_are_elements(Graph *g, const Node *scan)
{
	const Size *steps = size_of_node(g, scan->arg[0]);
	for (uint32_t i = 0; i < scan_sequences(scan); i++)
		if (node_dim(scan->arg[1 + scan_carries(scan) + i], 0) != steps) return false;
	return true;
}

bool pass_growth(Arena *a, const LoopPass *p, uint32_t carried, Growth *w)
{
	const Node *own = p->o.param[1 + carried];
	Node *x = p->o.result[carried];
	*w = (Growth){0};
	if (x->type->kind != TYPE_ARRAY || !pass_uses_once(p, own)) return false;
	for (uint32_t terms = 0, sums = 0; x != own; w->n++) {
		if (x->op != OP_ADD || !pass_uses_once(p, x)) return false;
		bool left = x->arg[0] == own || (x->arg[0]->op == OP_ADD && x->arg[1] != own);
		GROW(a, w->sum, w->n, sums);
		GROW(a, w->term, w->n, terms);
		w->sum[w->n] = x;
		w->term[w->n] = x->arg[left];
		x = x->arg[!left];
	}
	return true;
}

/* The sequences that the results still walk along, with their leaves; gives how many are left. */
static uint32_t walked(
	Arena *a, uint32_t nresult, Node *const *result, uint32_t n, Node **param, Node **sequence)
{
	Region *r = region_of(a, nresult, result);
	uint32_t left = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (region_place(r, param[i]) == UINT32_MAX) continue;
		param[left] = param[i];
		sequence[left++] = sequence[i];
	}
	return left;
}

/* The loop with what `by` says in its body, walking along more sequences with these leaves. */
static Node *rebuilt(Graph *g, Arena *a, const LoopPass *p, IdMap *by, Nodes leaf, Node *const *sequence)
{
	Node *x = p->x, **result = NEW_ARRAY(a, Node *, p->o.nresult);
	uint32_t own = 1 + p->carries, nall = p->sequences + leaf.n;
	Node **param = NEW_ARRAY(a, Node *, own + nall), **all = NEW_ARRAY(a, Node *, nall + 1);
	for (uint32_t i = 0; i < own + nall; i++)
		param[i] = i < own + p->sequences ? p->o.param[i] : leaf.v[i - own - p->sequences];
	for (uint32_t i = 0; i < nall; i++)
		all[i] = i < p->sequences ? x->arg[own + i] : sequence[i - p->sequences];
	rebuild(g, (Nodes){p->o.nresult, p->o.result}, by, NULL, NULL, result);
	if (g->error.code) return NULL;
	nall = walked(a, p->o.nresult, result, nall, param + own, all);
	Closure c;
	if (!body_close(g, scan_body(x)->name, (Nodes){own + nall, param}, (Nodes){p->o.nresult, result},
		    (Around){x->arg[0], captured(x)}, &c))
		return NULL;
	Node *y = scan(g, &c, x->arg[0], (Nodes){p->carries, x->arg + 1}, (Nodes){nall, all}, scan_way(x));
	return y && y->type != x->type ? x : y;
}

Node *pass_with(Graph *g, Arena *a, const LoopPass *p, uint32_t n, Node *const *value, Node *const *with)
{
	IdMap by;
	idmap_open(&by, a);
	for (uint32_t i = 0; i < n; i++) idmap_put(&by, value[i]->id, with[i]);
	return rebuilt(g, a, p, &by, (Nodes){0}, NULL);
}

Node *pass_walking(
	Graph *g, Arena *a, const LoopPass *p, uint32_t n, Node *const *value, Node *const *sequence)
{
	Node **leaf = NEW_ARRAY(a, Node *, n + 1);
	IdMap by;
	idmap_open(&by, a);
	for (uint32_t i = 0; i < n; i++) {
		leaf[i] = fresh(g, value[i]->type, leaf_name(value[i]));
		if (g->error.code) return NULL;
		idmap_put(&by, value[i]->id, leaf[i]);
	}
	return rebuilt(g, a, p, &by, (Nodes){n, leaf}, sequence);
}
