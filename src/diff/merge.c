/* merge.c - one loop where several walk the same way.
 *
 * A derivative needs the primal loop with more traces; interning shares
 * nothing across loops, so value and gradient would run it twice.  Bodies are
 * opened over common leaves: the index, a leaf for each carried value, one for
 * each sequence that is walked; captures are the outer nodes.  Then equal
 * steps are equal nodes.
 * needs: nodes in any state; gives: the same values with as few loops
 */
#include "linear.h"

/* A loop of the region, its body opened. */
typedef struct OpenLoop {
	Node *x;
	Node **was;          /* x, and what it was before loops that it hangs on were merged */
	uint32_t nwas, was_cap;
	Opened o;
	Node *const *leaf;   /* of the carried values: shared by loops that begin alike */
	Node *token;         /* the leaf of the token that it carries last; NULL: it has no effects */
	unsigned char *read; /* by result */
	bool done;
	struct OpenLoop *alike; /* the next one that begins as this one does */
} OpenLoop;

static bool has_token(const Node *scan)
{
	uint32_t n = scan_carries(scan);
	return n && is_token(scan->arg[n]);
}

/* Carried values, but for a token. */
static uint32_t states(const Node *scan)
{
	return scan_carries(scan) - has_token(scan);
}

/* What begins alike: steps, direction, first values. */
static bool begin_alike(const Node *a, const Node *b)
{
	return states(a) == states(b) && scan_way(a) == scan_way(b) && a->arg[0] == b->arg[0] &&
		!memcmp(a->arg + 1, b->arg + 1, states(a) * sizeof *a->arg);
}

/* Of loops that begin alike the one met last. */
typedef struct Latest {
	OpenLoop *loop;
} Latest;

static bool begins_so(const void *item, const void *key)
{
	return begin_alike(((const Latest *)item)->loop->x, key);
}

static uint32_t beginning(const Node *x)
{
	uint32_t h = hash_mix(states(x), scan_way(x));
	for (uint32_t i = 0; i <= states(x); i++) h = hash_mix(h, x->arg[i]->id);
	return h;
}

typedef struct Merge {
	Graph *g;
	Arena *a;
	Region *r;
	OpenLoop **loop;
	uint32_t n;    /* in order of place */
	struct Replaced {
		Node *old, *now;
	} *replaced;   /* GET nodes of loops, and what stands for them */
	uint32_t nreplaced, replaced_cap;
	IdMap element; /* a sequence -> its leaf, for the group at hand */
	Node *index;
} Merge;

static void loop_is(Merge *m, OpenLoop *l, Node *x)
{
	if (l->x == x) return;
	l->x = x;
	GROW(m->a, l->was, l->nwas, l->was_cap);
	l->was[l->nwas++] = x;
}

static void find_loops(Merge *m, uint32_t nroot, Node *const *roots)
{
	uint32_t cap = 0;
	IdMap by_id;
	idmap_open(&by_id, m->a);
	for (uint32_t i = 0; i < m->r->n; i++) {
		Node *x = m->r->node[i];
		if (x->op == OP_SCAN) {
			OpenLoop *l = NEW(m->a, OpenLoop);
			loop_is(m, l, x);
			l->read = NEW_ARRAY(m->a, unsigned char, x->type->n + 1);
			GROW(m->a, m->loop, m->n, cap);
			m->loop[m->n++] = l;
			idmap_put(&by_id, x->id, l);
		}
		for (uint32_t k = 0; k < x->narg; k++) {
			OpenLoop *l = idmap_get(&by_id, x->arg[k]->id);
			if (l && x->op == OP_GET)
				l->read[attr_int(x, 0)] = 1;
			else if (l)
				memset(l->read, 1, l->x->type->n);
		}
	}
	for (uint32_t i = 0; i < nroot; i++) {
		OpenLoop *l = roots[i] ? idmap_get(&by_id, roots[i]->id) : NULL;
		if (l) memset(l->read, 1, l->x->type->n);
	}
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
			l->o.param[i] = l->token = fresh(g, x->type, NULL);
		} else if (i < b->bound) {
			l->o.param[i] = idmap_get(&m->element, x->id);
			if (!l->o.param[i]) {
				l->o.param[i] = fresh(g, callers_type(&c, f->param[i]), f->param_name[i]);
				idmap_put(&m->element, x->id, l->o.param[i]);
			}
		} else {
			l->o.param[i] = x;
		}
	}
	if (!g->error.code) function_inline(g, f, size, l->o.param, l->o.result);
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
	for (uint32_t j = 0; j < l->o.nresult; j++) {
		if (!l->read[j]) continue;
		if (j < gr->carries) {
			gr->live[j] = 1;
			continue;
		}
		if (l->token && j == gr->carries) {
			gr->effects = l;
			continue;
		}
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
	bool tells = l->token && l->read[gr->carries];
	if (gr->effects && tells) return false;
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
static Nodes captured_by(Merge *m, Node *const *leaf)
{
	Node **node = NULL;
	uint32_t n = 0, cap = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		if (m->loop[i]->leaf != leaf || !m->loop[i]->done) continue;
		Nodes own = captured(m->loop[i]->x);
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
	Nodes outside = captured_by(m, gr->first->leaf);
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

/* Of one of the group's loops, whatever it has been. */
static void replace_reads(Merge *m, const Group *gr, const OpenLoop *l, Node *merged)
{
	for (uint32_t j = 0; j < l->x->type->n; j++)
		for (uint32_t i = 0; l->read[j] && i < l->nwas; i++) {
			GROW(m->a, m->replaced, m->nreplaced, m->replaced_cap);
			m->replaced[m->nreplaced++] = (struct Replaced){
				get(m->g, l->was[i], j), get(m->g, merged, place_in(gr, l, j))};
		}
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
		if (changed && !m->g->error.code) replace_reads(m, &gr, l, merged);
		l->leaf = NULL; /* what follows in this sweep sees other leaves */
	}
	return changed;
}

/* All loops that begin as loop i does: open them, then those with equal next values are one. */
static bool merge_group(Merge *m, uint32_t i)
{
	Graph *g = m->g;
	Node *x = m->loop[i]->x;
	uint32_t carries = states(x);
	idmap_open(&m->element, m->a);
	m->index = fresh(g, type_scalar(g, DT_I64), NULL);
	leaf_is_below(g, m->index, x->arg[0]);
	Node **leaf = NEW_ARRAY(m->a, Node *, carries + 1);
	for (uint32_t k = 0; k < carries; k++)
		leaf[k] = fresh(g, x->type->u.elem[k], scan_body(x)->param_name[1 + k]);
	for (OpenLoop *l = m->loop[i]; l && !g->error.code; l = l->alike)
		if (!l->done) open_loop(m, l, leaf);
	bool changed = false;
	for (OpenLoop *l = m->loop[i]; l && !g->error.code; l = l->alike)
		if (!l->done && l->leaf == leaf) changed |= join_alike(m, l, carries);
	return changed;
}

/* Each loop from `first` on that is left is followed by the next that begins as it does. */
static void find_alike(Merge *m, uint32_t first)
{
	Table last;
	Arena *scratch = arena_child(m->a);
	table_open(&last, scratch);
	for (uint32_t i = m->n; i-- > first;) {
		OpenLoop *l = m->loop[i];
		if (l->done) continue;
		uint32_t h = beginning(l->x);
		Latest *latest = table_find(&last, h, l->x, begins_so);
		l->alike = latest ? latest->loop : NULL;
		if (!latest) {
			latest = NEW(scratch, Latest);
			table_add(&last, h, latest);
		}
		latest->loop = l;
	}
	arena_free(scratch);
}

/* These as they are after what has been merged.  What rebuilding remembers holds for now alone: what is the
 * same now may hang on a loop that is merged later. */
static void rebuild_merged(Merge *m, uint32_t n, Node **x)
{
	Arena *scratch = arena_child(m->a);
	IdMap now;
	idmap_open(&now, scratch);
	for (uint32_t i = 0; i < m->nreplaced && !m->g->error.code; i++)
		idmap_put(&now, m->replaced[i].old->id, m->replaced[i].now);
	if (!m->g->error.code) rebuild(m->g, (Nodes){n, x}, &now, NULL, NULL, x);
	arena_free(scratch);
}

/* The operands of the loops that are left, from `first` on. */
static void rebuild_loops(Merge *m, uint32_t first)
{
	Arena *scratch = arena_child(m->a);
	Node **x = NEW_ARRAY(scratch, Node *, m->n);
	uint32_t n = 0;
	for (uint32_t k = first; k < m->n; k++)
		if (!m->loop[k]->done) x[n++] = m->loop[k]->x;
	rebuild_merged(m, n, x);
	n = 0;
	for (uint32_t k = first; k < m->n && !m->g->error.code; k++)
		if (!m->loop[k]->done) loop_is(m, m->loop[k], x[n++]);
	arena_free(scratch);
	if (!m->g->error.code) find_alike(m, first);
}

/* Until nothing changes: what stands for a loop may capture what was merged after it, which may do so too. */
static void rebuild_roots(Merge *m, uint32_t n, Node **roots)
{
	bool same = false;
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
	g->bodies++;
	m.r = region_of(m.a, n, roots);
	find_loops(&m, n, roots);
	bool changed = false;
	find_alike(&m, 0);
	for (uint32_t i = 0; i < m.n && !g->error.code; i++) {
		if (m.loop[i]->done) continue;
		bool merged = merge_group(&m, i);
		if (merged && !g->error.code) rebuild_loops(&m, i + 1);
		changed |= merged;
	}
	if (changed && !g->error.code) rebuild_roots(&m, n, roots);
	g->bodies--;
	arena_free(m.a);
	return !g->error.code && merge_branches(g, n, roots);
}

/* The same node over bodies whose own loops are merged; itself where nothing changes. */
static Node *with_merged_bodies(Graph *g, Node *x)
{
	Body b[BODIES_MAX];
	Function *f[BODIES_MAX];
	uint32_t n = node_bodies(x, b);
	bool same = true;
	for (uint32_t i = 0; i < n; i++) {
		f[i] = diff_merge_function(g, b[i].f);
		same &= f[i] == b[i].f;
	}
	return same ? x : node_with_bodies(g, x, f, NULL);
}

static bool is_control(const Node *x)
{
	return x->op == OP_SCAN || x->op == OP_IF || is_checkpoint(x);
}

Function *diff_merge_function(Graph *g, Function *f)
{
	if (!f || !body_any(g, f, is_control)) return f;
	Region *r = function_region(g, f);
	Arena *a = arena_child(g->arena);
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i], *y;
		if (!is_control(x)) continue;
		rebuild(g, (Nodes){1, &x}, &map, NULL, NULL, &y);
		if (y) y = with_merged_bodies(g, y);
		if (y && y != x) idmap_put(&map, x->id, y);
	}
	Node **result = NEW_ARRAY(a, Node *, f->nresult);
	rebuild(g, (Nodes){f->nresult, f->result}, &map, NULL, NULL, result);
	f = diff_merge(g, f->nresult, result) ? function_over(g, f, f->nresult, result) : NULL;
	arena_free(a);
	return f;
}
