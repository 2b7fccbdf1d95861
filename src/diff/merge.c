/* merge.c - one loop where several walk the same way.
 *
 * A derivative needs the primal loop with more traces; interning shares
 * nothing across loops, so value and gradient would run it twice.  Bodies are
 * opened over common leaves: the index, a leaf for each carried value, one for
 * each sequence that is walked; captures are the outer nodes.  Then equal
 * steps are equal nodes.
 * needs: nodes in any state; gives: the same values with as few loops
 */
#include "merge.h"

/* In a body, of a sequence that loops walk along, or of the token that they begin with. */
static Node *leaf_of(Merge *m, const Node *x, const Type *t, const char *name)
{
	Node *leaf = idmap_get(&m->element, x->id);
	if (!leaf && (leaf = fresh(m->g, t, name))) idmap_put(&m->element, x->id, leaf);
	return leaf;
}

/* Does a value of it come from where effects happen? */
static bool hangs_on_token(Merge *m, const OpenLoop *l, uint32_t carries)
{
	Arena *a = arena_child(m->a);
	Node **value = NEW_ARRAY(a, Node *, l->o.nresult);
	uint32_t n = 0;
	for (uint32_t j = 0; j < l->o.nresult; j++)
		if (j < carries || (j > carries && l->read[j])) value[n++] = l->o.result[j];
	bool hangs = region_place(region_of(a, n, value), l->token) != UINT32_MAX;
	arena_free(a);
	return hangs;
}

/* Open l's body over the group's leaves; operands are those after replacement. */
static void open_loop(Merge *m, OpenLoop *l, Node *const *leaf)
{
	Graph *g = m->g;
	Body b[BODIES_MAX];
	node_bodies(l->x, b);
	Function *f = b->f;
	uint32_t carries = states(l->x);
	l->leaf = leaf;
	l->o = (Opened){.nparam = f->nparam, .nresult = f->nresult};
	l->o.param = NEW_ARRAY(m->a, Node *, f->nparam);
	l->o.result = NEW_ARRAY(m->a, Node *, f->nresult);
	const Size **size = body_sizes(m->a, l->x, b);
	CallSite c = call_site(g, b, l->x->attr, l->x->arg);
	for (uint32_t i = 0; i < f->nparam && !g->error.code; i++) {
		Node *x = l->x->arg[i];
		if (!i) {
			l->o.param[i] = m->index;
		} else if (i <= carries) {
			l->o.param[i] = leaf[i - 1];
		} else if (i <= scan_carries(l->x)) {
			l->o.param[i] = l->token = leaf_of(m, x, x->type, NULL);
		} else if (i < b->bound) {
			l->o.param[i] = leaf_of(m, x, callers_type(&c, f->param[i]), f->param_name[i]);
		} else {
			l->o.param[i] = x;
		}
	}
	if (!g->error.code) function_inline(g, f, size, l->o.param, l->o.result);
	l->tells = !g->error.code && l->token && (l->read[carries] || hangs_on_token(m, l, carries));
}

/* ---- a group of loops that walk the same way ------------------------------------------- */

typedef struct Group {
	OpenLoop *first;
	uint32_t carries;    /* but for a token */
	const OpenLoop *effects; /* the one that has them; they happen once, whoever computes the same */
	unsigned char *live; /* carried values that are read or feed what is */
	Node **trace;
	uint32_t ntrace, cap;
	const OpenLoop **member;
	uint32_t nmember, member_cap;
	IdMap member_ids;        /* of what its loops are and have been */
	uint32_t oldest, newest; /* of those, of their operands */
} Group;

static uint32_t note_versions(const OpenLoop *l, IdMap *those)
{
	uint32_t oldest = UINT32_MAX;
	for (uint32_t i = 0; i < l->nwas; i++) {
		idmap_put(those, l->was[i]->id, l->was[i]);
		oldest = l->was[i]->id < oldest ? l->was[i]->id : oldest;
	}
	return oldest;
}

static void group_add(Merge *m, Group *gr, OpenLoop *l)
{
	l->done = true;
	GROW(m->a, gr->member, gr->nmember, gr->member_cap);
	gr->member[gr->nmember++] = l;
	uint32_t oldest = note_versions(l, &gr->member_ids);
	gr->oldest = oldest < gr->oldest ? oldest : gr->oldest;
	for (uint32_t i = 0; i < l->x->narg; i++)
		gr->newest = l->x->arg[i]->id > gr->newest ? l->x->arg[i]->id : gr->newest;
	if (scan_is_while(l->x)) gr->live[0] = 1;
	if (l->tells && (!gr->effects || l->read[gr->carries])) gr->effects = l;
	for (uint32_t j = 0; j < l->o.nresult; j++) {
		if (!l->read[j]) continue;
		if (j < gr->carries) {
			gr->live[j] = 1;
			continue;
		}
		if (l->token && j == gr->carries) continue;
		uint32_t k = 0;
		while (k < gr->ntrace && gr->trace[k] != l->o.result[j]) k++;
		if (k < gr->ntrace) continue;
		GROW(m->a, gr->trace, gr->ntrace, gr->cap);
		gr->trace[gr->ntrace++] = l->o.result[j];
	}
}

/* Do these loops' operands come from what one of those has been?  A node's operands were made before it. */
static bool hang_on(Merge *m, uint32_t n, const OpenLoop *const *loop, const IdMap *those, uint32_t oldest)
{
	Arena *a = arena_child(m->a);
	IdMap seen;
	Node **stack = NULL;
	uint32_t depth = 0, cap = 0;
	bool found = false;
	idmap_open(&seen, a);
	for (uint32_t i = 0; i < n; i++) {
		GROW(a, stack, depth, cap);
		stack[depth++] = loop[i]->x;
	}
	while (depth && !found) {
		const Node *x = stack[--depth];
		for (uint32_t k = 0; k < x->narg && !found; k++) {
			Node *y = x->arg[k];
			if (y->id < oldest || idmap_get(&seen, y->id)) continue;
			idmap_put(&seen, y->id, y);
			found = idmap_get((IdMap *)those, y->id);
			GROW(a, stack, depth, cap);
			stack[depth++] = y;
		}
	}
	arena_free(a);
	return found;
}

/* Effects happen in one loop of a group.  Nothing of it comes before or after another: that would have to be
 * computed twice, its effects and those between them too. */
static bool may_join(Merge *m, Group *gr, const OpenLoop *l)
{
	const OpenLoop *e = gr->effects;
	bool both = e && l->tells;
	if (both && (e->token != l->token || (e->read[gr->carries] && l->read[gr->carries]))) return false;
	if (gr->nmember && hang_on(m, 1, &l, &gr->member_ids, gr->oldest)) return false;
	IdMap own;
	Arena *a = arena_child(m->a);
	idmap_open(&own, a);
	uint32_t oldest = note_versions(l, &own);
	bool joins = gr->newest < oldest || !hang_on(m, gr->nmember, gr->member, &own, oldest);
	arena_free(a);
	return joins;
}

/* Results wanted: live next values, the token, then traces. */
static Node **wanted(Merge *m, const Group *gr, uint32_t *n)
{
	Node **root = NEW_ARRAY(m->a, Node *, gr->carries + 1 + gr->ntrace);
	*n = 0;
	for (uint32_t i = 0; i < gr->carries; i++)
		if (gr->live[i]) root[(*n)++] = gr->first->o.result[i];
	if (gr->effects) root[(*n)++] = gr->effects->o.result[gr->carries];
	for (uint32_t i = 0; i < gr->ntrace; i++) root[(*n)++] = gr->trace[i];
	return root;
}

static Region *spread_life(Merge *m, Group *gr)
{
	for (;;) {
		uint32_t n;
		Node **root = wanted(m, gr, &n);
		Region *r = region_of(m->a, n, root);
		bool more = false;
		for (uint32_t i = 0; i < gr->carries; i++)
			if (!gr->live[i] && region_place(r, gr->first->leaf[i]) != UINT32_MAX)
				gr->live[i] = more = true;
		if (!more) return r;
	}
}

/* The sequences that are still walked, in the order in which the loops name them, with their elements. */
static uint32_t walked(const Group *gr, const Region *r, Node **seq, Node **element)
{
	uint32_t n = 0;
	for (const OpenLoop *l = gr->first; l; l = l->alike) {
		if (l->leaf != gr->first->leaf || !l->done) continue;
		for (uint32_t k = 0; k < scan_sequences(l->x); k++) {
			uint32_t at = 1 + scan_carries(l->x) + k, known = 0;
			if (region_place(r, l->o.param[at]) == UINT32_MAX) continue;
			while (known < n && seq[known] != l->x->arg[at]) known++;
			if (known < n) continue;
			seq[n] = l->x->arg[at];
			element[n++] = l->o.param[at];
		}
	}
	return n;
}

/* What the group's loops capture. */
static Nodes captured_by(Merge *m, const Group *gr)
{
	Node **node = NULL;
	uint32_t n = 0, cap = 0;
	for (const OpenLoop *l = gr->first; l; l = l->alike) {
		if (l->leaf != gr->first->leaf || !l->done) continue;
		Nodes own = captured(l->x);
		for (uint32_t k = 0; k < own.n; k++) {
			GROW(m->a, node, n, cap);
			node[n++] = own.v[k];
		}
	}
	return (Nodes){n, node};
}

static Node *group_loop(Merge *m, Group *gr, const Region *r)
{
	Graph *g = m->g;
	Node *x = gr->first->x;
	uint32_t nresult, nparam = 0, nfirst = 0, most = 0;
	Node **result = wanted(m, gr, &nresult);
	for (const OpenLoop *l = gr->first; l; l = l->alike) most += scan_sequences(l->x);
	Node **param = NEW_ARRAY(m->a, Node *, 2 + gr->carries + most);
	Node **first = NEW_ARRAY(m->a, Node *, gr->carries + 1), **seq = NEW_ARRAY(m->a, Node *, most);
	param[nparam++] = m->index;
	for (uint32_t i = 0; i < gr->carries; i++)
		if (gr->live[i]) {
			param[nparam++] = gr->first->leaf[i];
			first[nfirst++] = x->arg[1 + i];
		}
	if (gr->effects) {
		param[nparam++] = gr->effects->token;
		first[nfirst++] = gr->effects->x->arg[1 + gr->carries];
	}
	uint32_t nseq = walked(gr, r, seq, param + nparam);
	nparam += nseq;
	Closure c;
	Nodes outside = captured_by(m, gr);
	if (!body_close(g, scan_body(x)->name, (Nodes){nparam, param}, (Nodes){nresult, result},
		    (Around){scan_steps(x), outside}, &c))
		return NULL;
	return scan(g, &c, x->arg[0], (Nodes){nfirst, first}, (Nodes){nseq, seq}, scan_way(x));
}

/* Where result j of a loop stands in the group's. */
static uint32_t place_in(const Group *gr, const OpenLoop *l, int64_t j)
{
	uint32_t at = 0;
	for (uint32_t c = 0; c < gr->carries && c < j; c++) at += gr->live[c];
	if (l->token && j == gr->carries) return at;
	if (j >= gr->carries) at += gr->effects != NULL;
	for (uint32_t t = 0; j >= gr->carries && t < gr->ntrace && gr->trace[t] != l->o.result[j]; t++) at++;
	return at;
}

/* What stands for it in `now` does so until all loops have had their turn. */
static void remember(Merge *m, Node *x)
{
	GROW(m->a, m->settled, m->nsettled, m->settled_cap);
	m->settled[m->nsettled++] = x;
}

/* Result j of a loop, whatever that has been, is this from now on. */
static void reads_are(Merge *m, const OpenLoop *l, uint32_t j, Node *now)
{
	for (uint32_t i = 0; now && i < l->nwas; i++) {
		Node *old = get(m->g, l->was[i], j);
		if (old) idmap_put(&m->now, old->id, now);
		if (old && old == now) remember(m, old);
	}
}

static void replace_reads(Merge *m, const Group *gr, const OpenLoop *l, Node *merged)
{
	for (uint32_t j = 0; j < l->x->type->n; j++)
		if (l->read[j]) reads_are(m, l, j, get(m->g, merged, place_in(gr, l, j)));
}

/* It stays as it is: what is above it goes on from here. */
static void keep_reads(Merge *m, const OpenLoop *l)
{
	for (uint32_t j = 0; j < l->x->type->n; j++)
		if (l->read[j]) reads_are(m, l, j, get(m->g, l->x, j));
}

/* The group that begins with this open loop, as one loop; is anything other than it was? */
static bool join_alike(Merge *m, OpenLoop *first, uint32_t carries)
{
	Node *const *leaf = first->leaf;
	Group gr = {.first = first,
		.carries = carries,
		.live = NEW_ARRAY(m->a, unsigned char, carries + 1),
		.oldest = UINT32_MAX};
	idmap_open(&gr.member_ids, m->a);
	for (OpenLoop *l = first; l; l = l->alike) {
		bool open = !l->done && l->leaf == leaf;
		bool same = open && !memcmp(l->o.result, first->o.result, carries * sizeof *l->o.result);
		if (same && may_join(m, &gr, l)) group_add(m, &gr, l);
	}
	Region *r = spread_life(m, &gr);
	Node *merged = group_loop(m, &gr, r);
	bool changed = merged && (gr.nmember > 1 || merged != first->x);
	for (OpenLoop *l = first; l; l = l->alike) {
		if (!l->done || l->leaf != leaf) continue;
		if (changed && !m->g->error.code)
			replace_reads(m, &gr, l, merged);
		else if (!m->g->error.code)
			keep_reads(m, l);
		l->leaf = NULL; /* what follows in this sweep sees other leaves */
	}
	return changed;
}

/* The sequences that the next values of an open loop come from. */
static Nodes followed(Merge *m, const OpenLoop *l, uint32_t carries)
{
	Arena *a = arena_child(m->a);
	Region *r = region_of(a, carries, l->o.result);
	Node **walked = NEW_ARRAY(m->a, Node *, scan_sequences(l->x) + 1);
	uint32_t n = 0;
	for (uint32_t k = 0; k < scan_sequences(l->x); k++) {
		uint32_t at = 1 + scan_carries(l->x) + k;
		if (region_place(r, l->o.param[at]) != UINT32_MAX) walked[n++] = l->x->arg[at];
	}
	arena_free(a);
	return (Nodes){n, walked};
}

static bool walks_along(const Node *scan, Nodes sequences)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < sequences.n; i++)
		for (uint32_t k = 0, found = 0; k < scan_sequences(scan) && !found; k++)
			n += found = scan->arg[1 + scan_carries(scan) + k] == sequences.v[i];
	return n == sequences.n;
}

/* A loop and those that begin as it does and have its next values, of those that are left, are one.  The
 * others wait for their turn: what they walk along may come from these. */
static bool merge_group(Merge *m, OpenLoop *first)
{
	Graph *g = m->g;
	Node *x = first->x;
	uint32_t carries = states(x);
	idmap_open(&m->element, m->a);
	m->index = fresh(g, type_scalar(g, DT_I64), NULL);
	leaf_is_below(g, m->index, x->arg[0]);
	Node **leaf = NEW_ARRAY(m->a, Node *, carries + 1);
	for (uint32_t k = 0; k < carries; k++)
		leaf[k] = fresh(g, x->type->u.elem[k], scan_body(x)->param_name[1 + k]);
	open_loop(m, first, leaf);
	if (g->error.code) return false;
	Nodes sequences = followed(m, first, carries);
	for (OpenLoop *l = first->alike; l && !g->error.code; l = l->alike)
		if (!l->done && walks_along(l->x, sequences)) open_loop(m, l, leaf);
	return !g->error.code && join_alike(m, first, carries);
}

/* These as they are after what has been merged, and the loops below them.  What rebuilding made of a node is
 * remembered where no loop is below it that has yet to have its turn; of the others it holds this once. */
static void rebuild_merged(Merge *m, uint32_t n, Node **x)
{
	Arena *scratch = arena_child(m->a);
	Region *r = region_above(scratch, n, x, &m->now);
	bool *waits = NEW_ARRAY(scratch, bool, r->n + 1);
	rebuild(m->g, (Nodes){n, x}, &m->now, NULL, NULL, x);
	for (uint32_t i = 0; i < r->n; i++) {
		Node *was = r->node[i], *y = idmap_get(&m->now, was->id);
		OpenLoop *l = idmap_get(&m->loops, was->id);
		if (l && y) loop_is(m, l, y);
		waits[i] = !y || (l && !l->done);
		for (uint32_t k = 0; k < was->narg && !waits[i]; k++) {
			uint32_t place = region_place(r, was->arg[k]);
			waits[i] = place != UINT32_MAX && waits[place];
		}
		if (waits[i])
			idmap_put(&m->now, was->id, NULL);
		else
			remember(m, was);
	}
	arena_free(scratch);
}

/* Those of these loops that are left, over what has been merged. */
static void rebuild_loops(Merge *m, uint32_t first, uint32_t end)
{
	Arena *scratch = arena_child(m->a);
	Node **x = NEW_ARRAY(scratch, Node *, end - first);
	uint32_t n = 0;
	for (uint32_t k = first; k < end; k++)
		if (!m->loop[k]->done) x[n++] = m->loop[k]->x;
	rebuild_merged(m, n, x);
	n = 0;
	for (uint32_t k = first; k < end && !m->g->error.code; k++)
		if (!m->loop[k]->done) loop_is(m, m->loop[k], x[n++]);
	arena_free(scratch);
}

/* What kin begin with has been merged before: so they are made again when it is their turn, and as often as
 * they change among themselves, however many are above them. */
static void merge_kin(Merge *m, uint32_t first, uint32_t end)
{
	if (m->changed) rebuild_loops(m, first, end);
	if (!m->g->error.code) find_alike(m, first, end);
	for (uint32_t i = first; i < end && !m->g->error.code; i++) {
		if (m->loop[i]->done || !merge_group(m, m->loop[i])) continue;
		m->changed = true;
		if (!m->g->error.code) rebuild_loops(m, i + 1, end);
		if (!m->g->error.code) find_alike(m, i + 1, end);
	}
}

/* Until nothing changes: what stands for a loop, or a loop that has stayed, may capture what was merged after
 * it, which may do so too. */
static void rebuild_roots(Merge *m, uint32_t n, Node **roots)
{
	bool same = false;
	for (uint32_t i = 0; i < m->nsettled; i++) idmap_put(&m->now, m->settled[i]->id, NULL);
	for (uint32_t k = 0; k <= m->n && !same && !m->g->error.code; k++) {
		Node **before = NEW_ARRAY(m->a, Node *, n);
		memcpy(before, roots, n * sizeof *roots);
		rebuild_merged(m, n, roots);
		same = !memcmp(before, roots, n * sizeof *roots);
	}
}

bool diff_merge(Graph *g, uint32_t n, Node **roots)
{
	if (g->error.code) return false;
	Merge m = {.g = g, .a = arena_child(g->arena)};
	idmap_open(&m.loops, m.a);
	idmap_open(&m.now, m.a);
	g->bodies++;
	m.r = region_of(m.a, n, roots);
	find_loops(&m, n, roots);
	for (uint32_t first = 0, end; first < m.n && !g->error.code; first = end) {
		end = first + 1;
		while (end < m.n && m.loop[end]->kin == m.loop[first]->kin) end++;
		merge_kin(&m, first, end);
	}
	if (m.changed && !g->error.code) rebuild_roots(&m, n, roots);
	g->bodies--;
	arena_free(m.a);
	return !g->error.code && merge_whiles(g, n, roots) && merge_branches(g, n, roots);
}

typedef struct Through {
	Work *work;
	IdMap known; /* what became of functions that other nodes hold too, by id */
} Through;

static Function *through(Graph *, Through *, Function *);

/* The same node over bodies that the work has gone through; itself where nothing changes. */
static Node *with_bodies_through(Graph *g, Through *t, Node *x)
{
	Body b[BODIES_MAX];
	Function *f[BODIES_MAX];
	uint32_t n = node_bodies(x, b);
	bool same = true;
	for (uint32_t i = 0; i < n; i++) {
		f[i] = through(g, t, b[i].f);
		same &= f[i] == b[i].f;
	}
	return same ? x : node_with_bodies(g, x, f, NULL);
}

static Function *through_within(Graph *g, Through *t, Function *f)
{
	Region *r = function_region(g, f);
	Arena *a = arena_child(g->arena);
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i], *y;
		if (!node_holds_bodies(x)) continue;
		rebuild(g, (Nodes){1, &x}, &map, NULL, NULL, &y);
		if (y) y = with_bodies_through(g, t, y);
		if (y && y != x) idmap_put(&map, x->id, y);
	}
	Node **result = NEW_ARRAY(a, Node *, f->nresult);
	rebuild(g, (Nodes){f->nresult, f->result}, &map, NULL, NULL, result);
	bool good = !g->error.code && t->work(g, f->nresult, result);
	f = good ? function_over(g, f, f->nresult, result) : NULL;
	arena_free(a);
	return f;
}

static Function *through(Graph *g, Through *t, Function *f)
{
	if (!f || !body_any(g, f, (NodeKind){1u << CONTROL, node_holds_bodies})) return f;
	Function *made = idmap_get(&t->known, f->id);
	if (made) return made;
	made = through_within(g, t, f);
	if (made) idmap_put(&t->known, f->id, made);
	return made;
}

Function *all_through(Graph *g, Function *f, Work *work)
{
	Arena *a = arena_child(g->arena);
	Through t = {.work = work};
	idmap_open(&t.known, a);
	f = through(g, &t, f);
	arena_free(a);
	return f;
}

Function *diff_merge_function(Graph *g, Function *f)
{
	return all_through(g, f, diff_merge);
}

static bool join_all(Graph *g, uint32_t n, Node **roots)
{
	return loops_around(g, n, roots) && diff_join(g, n, roots);
}

Function *diff_join_function(Graph *g, Function *f)
{
	return all_through(g, f, join_all);
}
