/* carried.c - what is known of the values inside a body.
 *
 * Needs: a SCAN or IF and the facts of its operands.  Gives: facts of the body's
 * parameters that hold in every step.  A carried value starts from what is
 * known of its first value and is weakened by what the body then gives, until
 * that adds nothing: some rounds as ranges, then sign, NaN and whole numbers
 * alone, then nothing.
 */
#include "rules.h"

enum { RANGES = 3, SIGNS = 6 };

static bool same_range(const Range *a, const Range *b)
{
	return a->lo == b->lo && a->hi == b->hi && a->lo_open == b->lo_open && a->hi_open == b->hi_open &&
		a->nonzero == b->nonzero && a->integer == b->integer && a->finite == b->finite &&
		a->no_nan == b->no_nan;
}

/* What survives of a range that grew in this round. */
static Range weakened(Range r, int round)
{
	if (round < RANGES) return r;
	if (round >= SIGNS) return (Range){.lo = -INFINITY, .hi = INFINITY};
	r.lo_open &= r.lo == 0;
	r.hi_open &= r.hi == 0;
	r.lo = r.lo >= 0 ? 0 : -INFINITY;
	r.hi = r.hi <= 0 ? 0 : INFINITY;
	r.finite = false;
	return r;
}

static LeafFact fact_of(Node *leaf, const Range *r)
{
	return (LeafFact){.leaf = leaf,
		.lo = r->lo,
		.hi = r->hi,
		.lo_open = r->lo_open,
		.hi_open = r->hi_open,
		.nonzero = r->nonzero,
		.integer = r->integer,
		.finite = r->finite,
		.no_nan = r->no_nan,
		.derived = true};
}

/* The index runs from 0 below the number of steps. */
static Range index_range_of(const Range *steps)
{
	return (Range){.lo = 0, .hi = steps->hi - 1, .integer = true, .finite = true, .no_nan = true};
}

uint32_t body_facts(Graph *g, Arena *arena, Facts *outer, Node *x, const Body *b, LeafFact *out)
{
	const Function *f = b->f;
	uint32_t ncarry = x->op == OP_SCAN ? scan_carries(x) : 0;
	Range *r = NEW_ARRAY(arena, Range, f->nparam ? f->nparam : 1);
	for (uint32_t i = 0; i < f->nparam; i++) r[i] = *range_of(outer, x->arg[b->first + i]);
	if (x->op == OP_SCAN) r[0] = index_range_of(&r[0]);
	for (int round = 0; round <= SIGNS; round++) {
		Arena *scratch = arena_child(arena);
		bool grew = false;
		for (uint32_t i = 0; i < f->nparam; i++) out[i] = fact_of(param(g, i, f->param[i]), &r[i]);
		Facts *inside = facts_open(g, scratch, f->nparam, out);
		for (uint32_t i = 0; i < ncarry; i++) {
			Range both = range_either(&r[1 + i], range_of(inside, f->result[i]));
			if (same_range(&both, &r[1 + i])) continue;
			r[1 + i] = weakened(both, round);
			grew = true;
		}
		arena_free(scratch);
		if (!grew) break;
	}
	uint32_t n = 0;
	static const Range nothing = {.lo = -INFINITY, .hi = INFINITY};
	for (uint32_t i = 0; i < f->nparam; i++)
		if (f->param[i]->kind == TYPE_ARRAY && !same_range(&r[i], &nothing)) out[n++] = out[i];
	return n;
}
