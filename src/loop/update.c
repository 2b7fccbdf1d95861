/* update.c - what a loop carries and writes elements of stays where it is.
 *
 * A pass has the carried value in `now` and leaves the next in `next`.  Where a scatter makes the one of the
 * other, and nothing reads the old one behind it, both are one array, and the pass costs what it writes.
 * needs: a loop whose body is planned, and whose carried arrays are not touched yet for all of it
 */
#include "make.h"

static uint32_t root_of(const Plan *p, uint32_t b)
{
	while (p->buffer[b].space == SPACE_ALIAS) b = p->buffer[b].of;
	return b;
}

/* What a step names itself, not those of its body: n of them; NULL: only how many. */
static uint32_t named_by(const Step *s, uint32_t **list)
{
	uint32_t n = 0;
	if (s->kind != STEP_LOOP) {
		for (uint32_t i = 0; i < s->call->nbuffer; i++) list[n++] = (uint32_t *)&s->buffer[i];
		return n;
	}
	for (uint32_t i = 0; i < s->ncarry; i++) {
		list[n++] = &s->carry[i].first;
		list[n++] = &s->carry[i].now;
		list[n++] = &s->carry[i].next;
	}
	return n;
}

static uint32_t most_named(const Step *s)
{
	return s->kind == STEP_LOOP ? 3 * s->ncarry : s->call->nbuffer;
}

/* Does a step, or one of its body, touch the array? */
static bool touches(PlanMaker *m, Step *s, uint32_t b)
{
	uint32_t **list = NEW_ARRAY(m->scratch, uint32_t *, most_named(s) + 1), n = named_by(s, list);
	for (uint32_t i = 0; i < n; i++)
		if (root_of(m->plan, *list[i]) == b) return true;
	for (Step *y = s->kind == STEP_LOOP ? s->body : NULL; y; y = y->next)
		if (touches(m, y, b)) return true;
	return false;
}

static void rename_in(PlanMaker *m, Step *s, uint32_t from, uint32_t to)
{
	for (; s; s = s->next) {
		uint32_t **list = NEW_ARRAY(m->scratch, uint32_t *, most_named(s) + 1), n = named_by(s, list);
		for (uint32_t i = 0; i < n; i++)
			if (*list[i] == from) *list[i] = to;
		if (s->kind == STEP_LOOP) rename_in(m, s->body, from, to);
	}
}

/* The scatter that makes `next` of `now`, neither of which it reads otherwise. */
static bool is_update(const Plan *p, const Step *s, const struct Carry *c)
{
	const uint32_t *b = s->buffer; /* base, index, values, result */
	if (s->kind != STEP_CORE || s->call->core != CORE_SCATTER) return false;
	return b[0] == c->now && b[3] == c->next && root_of(p, b[1]) != c->now && root_of(p, b[2]) != c->now;
}

static bool may_stay(PlanMaker *m, const Step *loop, const struct Carry *c)
{
	const Plan *p = m->plan;
	bool written = false;
	if (p->buffer[c->now].space != SPACE_WORK || p->buffer[c->next].space != SPACE_WORK) return false;
	for (Step *s = loop->body; s; s = s->next) {
		if (is_update(p, s, c)) {
			if (written) return false;
			written = true;
		} else if (touches(m, s, written ? c->now : c->next)) {
			return false;
		}
	}
	return written;
}

void update_in_place(PlanMaker *m, Step *loop)
{
	Plan *p = m->plan;
	for (uint32_t i = 0; i < loop->ncarry; i++) {
		struct Carry *c = &loop->carry[i];
		if (!p->buffer[c->now].rank || !may_stay(m, loop, c)) continue;
		rename_in(m, loop->body, c->next, c->now);
		for (uint32_t b = 0; b < p->nbuffer; b++)
			if (p->buffer[b].space == SPACE_ALIAS && p->buffer[b].of == c->next)
				p->buffer[b].of = c->now;
		p->buffer[c->next].first = UINT32_MAX;
		p->buffer[c->next].last = 0;
		c->next = c->now;
	}
}
