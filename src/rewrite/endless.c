/* endless.c - chains of rules without an end: which rule is told of. */
#include "drive.h"

/* The rule that made what a frame goes on with; NULL: none by name. */
static const Rule *rule_of(Driver *d, const Node *z)
{
	return z && z->origin && z->origin->rule ? rule_named(d->g, z->origin->rule) : NULL;
}

/* Fuel is out at y, which another rule would make z of.  Ours may leave y as it is, which is right too; with
 * one of the user's on the way, or in lower, there is no end. */
bool endless(Driver *d, const Node *y, const Node *z)
{
	const Rule *last = rule_of(d, z), *r = last && rule_is_users(d->g, last) ? last : NULL;
	d->o->out_of_fuel = true;
	for (uint32_t i = d->n; i-- > 0 && !r;) {
		const Rule *before = rule_of(d, d->stack[i].z);
		if (before && rule_is_users(d->g, before)) r = before;
	}
	if (!r && !strcmp(d->stage, "lower")) r = last;
	if (!r) return true;
	if (y->origin) d->g->where = y->origin->where;
	graph_fail(d->g, ERR_RULE,
		"rule %s (%s:%d): there is no end to it: after %d applications, one upon the other, there "
		"is one more", r->name, r->where.file ? r->where.file : r->book->name, r->where.line, FUEL);
	return false;
}
