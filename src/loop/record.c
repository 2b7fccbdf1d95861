/* record.c - a loop that a condition ends, and what it goes through, in one run.
 *
 * How many rows a trace of such a loop has is known when it has ended. So in the graph they are two: one
 * that counts its passes, and one of so many that stacks values. In a plan the first carries what the
 * second does, too, and writes down in each pass what is stacked, in memory that grows with it; the second
 * takes that for its traces. Standalone C, which asks for no memory, runs both.
 *
 * needs: a body whose nodes are being planned, in the order of places
 */
#include "make.h"

static bool is_planned(const PlanMaker *m, const Node *x, uint32_t before)
{
	uint32_t place = region_place(m->scope->r, x);
	return op_info[x->op].class == LEAF || (place != UINT32_MAX && place < before);
}

/* Do sizes in a body come from data?  They are known there by the loop that it is of. */
static bool has_own_sizes(const PlanMaker *m, const Node *loop)
{
	for (uint32_t i = 0; i < m->plan->nscalar; i++)
		for (const PlanScope *s = m->scalar[i].scope; s; s = s->outer)
			if (s->around == loop) return true;
	return false;
}

bool recording_of(PlanMaker *m, Node *whiles, Recording *out)
{
	const PlanScope *s = m->scope;
	uint32_t place = region_place(s->r, whiles);
	for (uint32_t i = place + 1; i < s->r->n; i++) {
		Node *x = s->r->node[i];
		if (x->op != OP_SCAN || scan_is_while(x) || x->arg[0]->op != OP_GET ||
			x->arg[0]->arg[0] != whiles)
			continue;
		if (has_own_sizes(m, whiles) || has_own_sizes(m, x)) continue;
		*out = (Recording){.counted = x};
		if (!loop_recorded(m->g, m->scratch, whiles, x, &out->as)) {
			if (m->g->error.code) return false;
			continue;
		}
		bool known = true;
		for (uint32_t k = 1; k < node_operands(out->as.loop); k++) {
			const Node *y = out->as.loop->arg[k];
			known &= is_planned(m, y, place) || (y->op == OP_CONST);
		}
		if (known) return true;
	}
	return false;
}

void recording_set(PlanMaker *m, Node *whiles, Step *s, const Recording *r, const uint32_t *buffer)
{
	const Function *f = scan_body(r->counted);
	uint32_t carries = scan_carries(whiles), from = scan_carries(r->counted), n = f->nresult - from;
	uint32_t *own = NEW_ARRAY(m->scratch, uint32_t, carries + 1);
	for (uint32_t i = 0; i < carries; i++) own[i] = buffer[r->as.at[0][i]];
	set_results(m, whiles, own);
	s->record = arena_array(m->plan->arena, sizeof *s->record, n + 1);
	for (uint32_t i = 0; i < n; i++)
		s->record[s->nrecord++] =
			(struct Record){m->plan->nrecord + i, r->as.trace[i].carry, r->as.trace[i].after};
	Recording *kept = NEW(m->scratch, Recording);
	*kept = *r;
	kept->first = m->plan->nrecord;
	kept->carried = buffer;
	m->plan->nrecord += n;
	kept->before = m->scope->recorded;
	m->scope->recorded = kept;
}

const uint32_t *recording_take(PlanMaker *m, Node *counted, Step *s, const uint32_t *result)
{
	const Recording *r = m->scope->recorded;
	while (r && r->counted != counted) r = r->before;
	if (!r) return result;
	uint32_t carries = scan_carries(counted), n = scan_body(counted)->nresult;
	uint32_t *own = NEW_ARRAY(m->scratch, uint32_t, n + 1);
	for (uint32_t i = 0; i < carries; i++) own[i] = r->carried[r->as.at[1][i]];
	s->take = arena_array(m->plan->arena, sizeof *s->take, n - carries + 1);
	for (uint32_t i = carries; i < n; i++) {
		own[i] = result[i];
		s->take[s->ntake++] = (struct Take){r->first + i - carries, result[i]};
	}
	return own;
}
