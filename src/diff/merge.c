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
	Opened o;
	Node *const *leaf;   /* of the carried values: shared by loops that begin alike */
	Node *token;         /* the leaf of the token that it carries last; NULL: it has no effects */
	unsigned char *read; /* by result */
	Node **reader;       /* GET nodes of the region */
	uint32_t nreader, reader_cap;
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
	IdMap map; /* GET nodes of loops -> what stands for them */
	struct Replaced {
		Node *old, *now;
	} *replaced;   /* the same, in order */
	uint32_t nreplaced, replaced_cap;
	IdMap element; /* a sequence -> its leaf, for the group at hand */
	Node *index;
} Merge;

static void find_loops(Merge *m, uint32_t nroot, Node *const *roots)
{
	uint32_t cap = 0;
	IdMap by_id;
	idmap_open(&by_id, m->a);
	for (uint32_t i = 0; i < m->r->n; i++) {
		Node *x = m->r->node[i];
		if (x->op == OP_SCAN) {
			OpenLoop *l = NEW(m->a, OpenLoop);
			l->x = x;
			l->read = NEW_ARRAY(m->a, unsigned char, x->type->n + 1);
			GROW(m->a, m->loop, m->n, cap);
			m->loop[m->n++] = l;
			idmap_put(&by_id, x->id, l);
		}
		for (uint32_t k = 0; k < x->narg; k++) {
			OpenLoop *l = idmap_get(&by_id, x->arg[k]->id);
			if (l && x->op == OP_GET) {
				l->read[attr_int(x, 0)] = 1;
				GROW(m->a, l->reader, l->nreader, l->reader_cap);
				l->reader[l->nreader++] = x;
			} else if (l)
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
} Group;

static void group_add(Merge *m, Group *gr, OpenLoop *l)
{
	l->done = true;
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

/* Is one of these loops computed from what the other gives? */
static bool hangs_on(Merge *m, const OpenLoop *l, const OpenLoop *other)
{
	Arena *a = arena_child(m->a);
	bool found = region_place(region_of(a, l->x->narg, l->x->arg), other->x) != UINT32_MAX;
	arena_free(a);
	return found;
}

/* Effects happen in one loop of a group, which then is that loop in another form: nothing of the group may
 * come before or after it. */
static bool may_join(Merge *m, const Group *gr, const OpenLoop *l)
{
	bool tells = l->token && l->read[gr->carries];
	if (gr->effects && tells) return false;
	if (!gr->effects && !tells) return true;
	for (const OpenLoop *x = gr->first; x; x = x->alike)
		if (x->done && x->leaf == l->leaf && (hangs_on(m, x, l) || hangs_on(m, l, x))) return false;
	return true;
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
	uint32_t nresult, nparam = 0, nfirst = 0, nseq = 0, most = 0;
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
	/* sequences that are still walked, in the order in which the loops name them */
	for (const OpenLoop *l = gr->first; l; l = l->alike) {
		if (l->leaf != gr->first->leaf || !l->done) continue;
		for (uint32_t k = 0; k < scan_sequences(l->x); k++) {
			uint32_t at = 1 + scan_carries(l->x) + k, known = 0;
			if (region_place(r, l->o.param[at]) == UINT32_MAX) continue;
			while (known < nseq && seq[known] != l->x->arg[at]) known++;
			if (known == nseq) {
				seq[nseq++] = l->x->arg[at];
				param[nparam++] = l->o.param[at];
			}
		}
	}
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

/* Replace the readers of the group's loops. */
static void replace_reads(Merge *m, const Group *gr, Node *merged)
{
	for (const OpenLoop *l = gr->first; l; l = l->alike)
		for (uint32_t i = 0; l->done && l->leaf == gr->first->leaf && i < l->nreader; i++) {
			Node *y = l->reader[i];
			if (idmap_get(&m->map, y->id)) continue;
			GROW(m->a, m->replaced, m->nreplaced, m->replaced_cap);
			struct Replaced *r = &m->replaced[m->nreplaced++];
			*r = (struct Replaced){y, get(m->g, merged, place_in(gr, l, attr_int(y, 0)))};
			idmap_put(&m->map, y->id, r->now);
		}
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
	bool changed = false;
	for (OpenLoop *l = m->loop[i]; l && !g->error.code; l = l->alike)
		if (!l->done) open_loop(m, l, leaf);
	for (OpenLoop *l = m->loop[i]; l && !g->error.code; l = l->alike) {
		if (l->done || l->leaf != leaf) continue;
		Group gr = {
			.first = l, .carries = carries, .live = NEW_ARRAY(m->a, unsigned char, carries + 1)};
		uint32_t members = 0;
		for (OpenLoop *other = l; other; other = other->alike)
			if (!other->done && other->leaf == leaf &&
				!memcmp(other->o.result, l->o.result, carries * sizeof *l->o.result) &&
				may_join(m, &gr, other)) {
				group_add(m, &gr, other);
				members++;
			}
		Region *r = spread_life(m, &gr);
		Node *merged = group_loop(m, &gr, r);
		if (merged && (members > 1 || merged != l->x)) {
			changed = true;
			replace_reads(m, &gr, merged);
		}
		/* what follows in this sweep sees other leaves */
		for (OpenLoop *other = l; other; other = other->alike)
			if (other->done && other->leaf == leaf) other->leaf = NULL;
	}
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

/* The operands of the loops that are left, from `first` on, are as they are after what has been merged.  What
 * rebuilding remembers holds for now alone: what is the same now may hang on a loop that is merged later. */
static void rebuild_loops(Merge *m, uint32_t first)
{
	Arena *scratch = arena_child(m->a);
	Node **x = NEW_ARRAY(scratch, Node *, m->n);
	uint32_t n = 0;
	for (uint32_t k = first; k < m->n; k++)
		if (!m->loop[k]->done) x[n++] = m->loop[k]->x;
	IdMap now;
	idmap_open(&now, scratch);
	for (uint32_t i = 0; i < m->nreplaced; i++)
		idmap_put(&now, m->replaced[i].old->id, m->replaced[i].now);
	rebuild(m->g, (Nodes){n, x}, &now, NULL, NULL, x);
	n = 0;
	for (uint32_t k = first; k < m->n && !m->g->error.code; k++)
		if (!m->loop[k]->done) m->loop[k]->x = x[n++];
	arena_free(scratch);
	if (!m->g->error.code) find_alike(m, first);
}

bool diff_merge(Graph *g, uint32_t n, Node **roots)
{
	if (g->error.code) return false;
	Merge m = {.g = g, .a = arena_child(g->arena)};
	g->bodies++;
	m.r = region_of(m.a, n, roots);
	idmap_open(&m.map, m.a);
	find_loops(&m, n, roots);
	bool changed = false;
	find_alike(&m, 0);
	for (uint32_t i = 0; i < m.n && !g->error.code; i++) {
		if (m.loop[i]->done) continue;
		bool merged = merge_group(&m, i);
		if (merged && !g->error.code) rebuild_loops(&m, i + 1);
		changed |= merged;
	}
	if (changed && !g->error.code) rebuild(g, (Nodes){n, roots}, &m.map, NULL, NULL, roots);
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
		f[i] = x->op == OP_CALL ? b[i].f : diff_merge_function(g, b[i].f);
		same &= f[i] == b[i].f;
	}
	return same ? x : node_with_bodies(g, x, f, NULL);
}

static bool is_control(const Node *x)
{
	return x->op == OP_SCAN || x->op == OP_IF;
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
