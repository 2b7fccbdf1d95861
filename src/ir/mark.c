/* mark.c - marks: what a graph holds is divided into what was there before, which stays, and what comes.
 *
 * A graph that is marked becomes two: what it was lies under it and is only read from then on, and the graph
 * itself, whose address others have, begins anew as a graph of work does.  Whoever interns looks through both
 * (known.h), so that equal nodes are one before and after.  The memory of what comes is an arena of its own.
 */
#include "ir.h"

void graph_mark(Graph *g)
{
	Graph *under = graph_open_above(g);
	struct Apart apart = {NEW_ARRAY(under->arena, const Size *, g->apart.n), g->apart.n, g->apart.n};
	if (apart.n) memcpy(apart.v, g->apart.v, apart.n * sizeof *apart.v);
	const Graph before = *g;
	*g = *under;
	*under = before;
	g->base = g->below = g->under = under;
	g->names.of = &under->names;
	g->watch->nodes = &g->nnode;
	g->apart = apart;
}

void graph_release(Graph *g)
{
	Arena *gone = g->arena;
	const Error error = g->error;
	*g = *g->under;
	g->error = error;
	arena_free(gone);
}
