/* mark.c - marks of a graph: what is built and given after one goes when it is released. */
#define POR_NO_LINES
#include "api.h"

static const Type no_type = {.kind = TYPE_TOKEN};
Node given_back = {.type = &no_type};

enum { PAGE_OF_RECORDS = 64 };

void held_open(Held *h, Arena *a)
{
	IdMap *maps[] = {&h->nodes, &h->types, &h->functions, &h->size_place};
	for (size_t i = 0; i < countof(maps); i++) idmap_open(maps[i], a);
}

void *held_record(const por_graph *g, size_t map, uint32_t id)
{
	void *x = NULL;
	for (const Held *h = &g->held; h && !x; h = h->under)
		x = idmap_get((const IdMap *)(const void *)((const char *)h + map), id);
	return x;
}

bool mark_stands(const por_graph *g, uint32_t mark)
{
	const Held *h = &g->held;
	while (h && h->mark != mark) h = h->under;
	return h != NULL;
}

por_graph *unmarked(por_graph *g, const char *what)
{
	if (!g || !g->held.under) return g;
	fail(&g->ir->error, ERR_VALUE, g->at, "%s: what it adds would outlive the mark; release that first", what);
	return NULL;
}

/* ---- records of nodes: those of a mark follow those before it ------------------------------------- */

por_node *record_of(por_graph *g, Node *n)
{
	Held *h = &g->held;
	uint32_t page = h->nrecord / PAGE_OF_RECORDS;
	if (page == g->npage) {
		GROW(g->home, g->record, g->npage, g->page_cap);
		g->record[page] = NEW_ARRAY(g->home, por_node, PAGE_OF_RECORDS);
		g->npage++;
	}
	por_node *x = &g->record[page][h->nrecord % PAGE_OF_RECORDS];
	idmap_put(&h->nodes, n->id, x);
	*x = (por_node){n, g};
	h->nrecord++;
	return x;
}

/* Who still holds one is told, until another node has its place. */
static void records_back(por_graph *g, uint32_t from)
{
	for (uint32_t i = from; i < g->held.nrecord; i++)
		g->record[i / PAGE_OF_RECORDS][i % PAGE_OF_RECORDS].node = &given_back;
}

/* ---- marks -------------------------------------------------------------------------------------------- */

static int marks_now(const por_graph *g)
{
	int n = 0;
	for (const Held *h = &g->held; h->under; h = h->under) n++;
	return n;
}

int por_mark(por_graph *g)
{
	ENTER(alone(g, "mark"), -1);
	if (!loops_are_closed(g)) {
		graph_fail(g->ir, ERR_VALUE, "mark: a loop is open; close it first");
		LEAVE(-1);
	}
	/* what the graph has one of lies below all marks */
	if (!books_open(g->ir) || !library_module(g)) LEAVE(-1);
	graph_mark(g->ir);
	Held *under = NEW(g->ir->arena, Held);
	*under = g->held;
	g->held = (Held){.under = under,
		.mark = ++g->marks,
		.first = under->first + under->nsize,
		.nrecord = under->nrecord,
		.promise = under->promise,
		.derived = under->derived,
		.loops = under->loops,
		.nclosed = under->nclosed};
	held_open(&g->held, g->ir->arena);
	LEAVE(marks_now(g));
}

int por_release(por_graph *g, int mark)
{
	ENTER_ANYWAY(alone(g, "release"), POR_ERR_VALUE);
	if (g->spent) LEAVE(code_of(g));
	if (mark < 1 || mark > marks_now(g)) {
		g->ir->where = g->at;
		graph_fail(g->ir, ERR_VALUE, "release: there is no mark %d; %d stand", mark, marks_now(g));
		LEAVE(code_of(g));
	}
	while (marks_now(g) >= mark) {
		records_back(g, g->held.under->nrecord);
		g->held = *g->held.under;
		graph_release(g->ir);
	}
	LEAVE(POR_OK);
}
