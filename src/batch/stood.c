/* stood.c - arrays of lanes that take no part: read and written where they lie.
 *
 * What a lane that takes no part has of an array is what the first has that does (branches.c).  An array of
 * lanes in which that stands is a copy of all of it, in each pass of a loop.  So it is not made until all of
 * it is asked for: who reads elements of it reads in the row that the lane sees, and who writes some writes
 * into the lane's own row, where the lane takes part, and else what is there.
 */
#include "lanes.h"

static Node *stopped(Graph *g, Node *x)
{
	return x && is_float(x) ? build1(g, OP_STOP, x) : x;
}

Node *screened_by(const Batch *b, Node *takes, Node *lanes)
{
	return lanes && is_float(lanes) ? choose(b, takes, lanes, stopped(b->g, lanes)) : lanes;
}

Node *lanes_from(const Batch *b, Node *lanes, Node *takes, Node *first)
{
	Node *other = lanes ? stopped(b->g, gather(b->g, lanes, first, 0)) : NULL;
	return other ? choose(b, takes, lanes, spread(b, other)) : NULL;
}

Stood *stood_of(const Batch *b, const Node *x)
{
	const Known *k = known_of(b, x);
	return k && k->n == 1 ? k->stood[0] : NULL;
}

/* Which rows are seen where those outside of `takes` see that of `first`. */
static Node *rows_from(const Batch *b, Node *row, Node *takes, Node *first)
{
	Node *own = row ? row : iota(b->g, b->n), *other = row ? gather(b->g, row, first, 0) : first;
	return other ? choose(b, takes, own, spread(b, other)) : NULL;
}

Stood *stood_within(const Batch *b, Node *x, const Stand *s)
{
	Stood *above = stood_of(b, x);
	Node *lanes = above ? above->own : lanes_of(b, x);
	if (!lanes || !s->takes || node_rank(lanes) < 2 || (!above && !s->screens && !s->first)) return NULL;
	Stood *y = NEW(b->a, Stood);
	*y = (Stood){.own = lanes, .kept = lanes, .takes = s->takes, .above = above};
	if (above) {
		y->row = above->row;
		y->takes = build2(b->g, OP_AND, above->takes, s->takes);
	}
	if (!s->screens && s->first) {
		y->row = rows_from(b, y->row, s->takes, s->first);
		y->within = s->takes;
		y->first = s->first;
	}
	return b->g->error.code ? NULL : y;
}

Stood *stood_like(const Batch *b, const Stood *s, Node *own, Node *kept)
{
	Stood *y = NEW(b->a, Stood);
	*y = (Stood){.own = own, .row = s->row, .takes = s->takes, .kept = kept};
	return y;
}

Stood *stood_read_of(const Batch *b, const Stood *s, Node *own, Node *seen)
{
	Stood *y = stood_like(b, s, own, NULL);
	y->seen = seen;
	return y;
}

Node *stood_read(const Batch *b, const Stood *s, Node *lanes)
{
	return s->row ? screened_by(b, s->takes, lanes) : lanes;
}

Node *stood_seen(const Batch *b, Stood *s)
{
	if (s->seen) return s->seen;
	if (s->within) {
		Node *whole = s->above ? stood_seen(b, s->above) : s->own;
		s->seen = lanes_from(b, whole, s->within, s->first);
	} else if (s->above) {
		s->seen = stood_seen(b, s->above);
	} else {
		s->seen = s->row ? stood_read(b, s, gather(b->g, s->own, s->row, 0)) : s->own;
	}
	return s->seen;
}

Nodes outside_lanes(const Batch *b, Nodes captured, Node *more)
{
	Node **lanes = NEW_ARRAY(b->a, Node *, 4 * captured.n + 3);
	uint32_t n = 0;
	for (uint32_t i = 0; i < captured.n; i++) {
		const Stood *s = stood_of(b, captured.v[i]);
		if (s) {
			lanes[n++] = s->own;
			lanes[n++] = s->row;
			lanes[n++] = s->takes;
			lanes[n++] = s->seen;
		} else {
			lanes[n++] = lanes_of(b, captured.v[i]);
		}
	}
	lanes[n++] = b->takes;
	lanes[n++] = more;
	return outside_with(b->a, captured, n, lanes);
}
