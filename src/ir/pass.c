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
