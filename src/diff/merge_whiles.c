/* merge_whiles.c - one loop of several that one condition ends.
 *
 * A derivative asks a loop how many passes it makes, or carries tangents for as many; the value's loop
 * makes the same passes, but carries something else.  Where the conditions are equal, once what both carry
 * is taken for one, there is one loop that carries what either does.  A loop of as many passes as another
 * has made, which stacks nothing and walks along nothing, joins that one, too. needs: nodes in any state;
 * gives: the same values with as few such loops
 */
#include "linear.h"

/* Two loops that may be one, b the later.  leaf: of what the one loop carries: that of a, then what b
 * alone has; as: by carried value of b, the place of a's that it is taken for, UINT32_MAX: it has one of
 * its own. */
typedef struct Pair {
	Graph *g;
	Arena *a;
	Node *x[2];
	Node **leaf;
	Node *index;
	IdMap element; /* a sequence -> its leaf */
	Opened o[2];
	uint32_t *as;
} Pair;

/* What a loop walks along; of one that makes as many passes as another, the whole of which it takes the first
 * rows. */
static Node *walked_along(const Node *const *x, int which, uint32_t at)
{
	Node *seq = x[which]->arg[at], *whole = seq->op == OP_SLICE ? seq->arg[0] : NULL;
	uint32_t n = node_rank(seq);
	if (!whole || scan_is_while(x[which])) return seq;
	for (uint32_t k = 1 + scan_carries(x[0]); k <= scan_carries(x[0]) + scan_sequences(x[0]); k++)
		for (uint32_t i = 0; x[0]->arg[k] == whole; i++) {
			if (i == n) return whole;
			const AttrValue *v = seq->attr->v;
			bool first = size_equals(v[i].u.size, 0) && v[2 * n + i].u.i == 1;
			if (!first || (i && node_dim(seq, i) != node_dim(whole, i))) break;
		}
	return seq;
}

static Node *walked(const Pair *p, int which, uint32_t at)
{
	return walked_along((const Node *const[2]){p->x[0], p->x[1]}, which, at);
}

static uint32_t carried_place(const Pair *p, uint32_t k)
{
	return p->as[k] == UINT32_MAX ? scan_carries(p->x[0]) + k : p->as[k];
}

static void open_one(Pair *p, int which)
{
	Graph *g = p->g;
	Node *x = p->x[which];
	Body b[BODIES_MAX];
	node_bodies(x, b);
	Function *f = b->f;
	Opened *o = &p->o[which];
	uint32_t carries = scan_carries(x);
	CallSite c = call_site(g, b, x->attr, x->arg);
	*o = (Opened){f->nparam, f->nresult, NEW_ARRAY(p->a, Node *, f->nparam),
		NEW_ARRAY(p->a, Node *, f->nresult)};
	for (uint32_t i = 0; i < f->nparam && !g->error.code; i++) {
		if (!i) {
			o->param[i] = p->index;
		} else if (i <= carries) {
			o->param[i] = p->leaf[which ? carried_place(p, i - 1) : i - 1];
		} else if (i < b->bound) {
			uint32_t seq = walked(p, which, i)->id;
			Node *leaf = idmap_get(&p->element, seq);
			if (!leaf) {
				leaf = fresh(g, callers_type(&c, f->param[i]), f->param_name[i]);
				if (leaf) idmap_put(&p->element, seq, leaf);
			}
			o->param[i] = leaf;
		} else {
			o->param[i] = x->arg[i];
		}
	}
	if (!g->error.code) function_inline(g, f, body_sizes(p->a, x, b), o->param, o->result);
}

/* ---- which carried values are the same ----------------------------------------------------------- */

static bool is_taken(const Pair *p, uint32_t place)
{
	for (uint32_t k = 0; k < scan_carries(p->x[1]); k++)
		if (p->as[k] == place) return true;
	return false;
}

/* May they be equal, for what begins them and what the closed bodies show? */
static bool look_alike(const Pair *p, uint32_t i, uint32_t k)
{
	const Node *a = scan_body(p->x[0])->result[i], *b = scan_body(p->x[1])->result[k];
	return p->x[0]->arg[1 + i] == p->x[1]->arg[1 + k] && a->op == b->op && a->depth == b->depth &&
		a->type->kind == TYPE_ARRAY && a->attr == b->attr;
}

/* Carried value k of b is taken for the next of a's, from this place on, that looks like it. */
static void take_for(Pair *p, uint32_t k, uint32_t from)
{
	p->as[k] = UINT32_MAX;
	for (uint32_t i = from; i < scan_carries(p->x[0]); i++)
		if (look_alike(p, i, k) && !is_taken(p, i)) {
			p->as[k] = i;
			return;
		}
}

/* What was taken for equal and is not is taken for the next that looks like it: of those the shallowest,
 * as others may hang on them.  False: all were. */
static bool part_ways(Pair *p)
{
	uint32_t n = scan_carries(p->x[1]), least = UINT32_MAX;
	const Node *const *next = (const Node *const *)scan_body(p->x[1])->result;
	for (int turn = 0; turn < 2; turn++)
		for (uint32_t k = 0; k < n; k++) {
			if (p->as[k] == UINT32_MAX || p->o[1].result[k] == p->o[0].result[p->as[k]]) continue;
			if (!turn && next[k]->depth < least) least = next[k]->depth;
			if (turn && next[k]->depth == least) take_for(p, k, p->as[k] + 1);
		}
	return least != UINT32_MAX;
}

/* Opened over what is the same in both, as far as that goes. */
static bool open_both(Pair *p)
{
	Graph *g = p->g;
	uint32_t na = scan_carries(p->x[0]), nb = scan_carries(p->x[1]);
	p->leaf = NEW_ARRAY(p->a, Node *, na + nb);
	p->as = NEW_ARRAY(p->a, uint32_t, nb);
	p->index = fresh(g, type_scalar(g, DT_I64), NULL);
	leaf_is_below(g, p->index, p->x[0]->arg[0]);
	for (uint32_t i = 0; i < na + nb && !g->error.code; i++) {
		const Node *x = p->x[i >= na];
		uint32_t k = i < na ? i : i - na;
		p->leaf[i] = fresh(g, x->type->u.elem[k], scan_body(x)->param_name[1 + k]);
	}
	memset(p->as, 0xff, nb * sizeof *p->as);
	for (uint32_t k = 0; k < nb; k++) take_for(p, k, 0);
	if (!g->error.code) open_one(p, 0);
	do open_one(p, 1);
	while (!g->error.code && part_ways(p));
	return !g->error.code;
}

/* ---- one loop ----------------------------------------------------------------------------------------- */

typedef struct Joined {
	uint32_t nparam, nresult, nseq;
	Node **param, **result, **first, **seq;
	uint32_t *at[2];     /* where a carried value of either stands */
	CarriedTrace *trace; /* of the second's traces */
} Joined;

static void join_carried(const Pair *p, Joined *j, bool tokens)
{
	for (int which = 0; which < 2; which++)
		for (uint32_t k = 0; k < scan_carries(p->x[which]); k++) {
			if (is_token(p->x[which]->arg[1 + k]) != tokens) continue;
			if (which && p->as[k] != UINT32_MAX) {
				j->at[1][k] = j->at[0][p->as[k]];
				continue;
			}
			j->at[which][k] = j->nresult;
			j->param[j->nparam++] = p->o[which].param[1 + k];
			j->first[j->nresult] = p->x[which]->arg[1 + k];
			j->result[j->nresult++] = p->o[which].result[k];
		}
}

static void join_sequences(const Pair *p, Joined *j)
{
	for (int which = 0; which < 2; which++)
		for (uint32_t k = 0; k < scan_sequences(p->x[which]); k++) {
			uint32_t at = 1 + scan_carries(p->x[which]) + k, known = 0;
			while (known < j->nseq && j->seq[known] != walked(p, which, at)) known++;
			if (known < j->nseq) continue;
			j->seq[j->nseq++] = walked(p, which, at);
			j->param[j->nparam++] = p->o[which].param[at];
		}
}

/* What the traces of the second loop are, of what the one carries: before or after a pass; what is none of
 * that is carried, too. */
static void join_traces(const Pair *p, Joined *j)
{
	const Opened *o = &p->o[1];
	uint32_t carries = scan_carries(p->x[1]);
	j->trace = NEW_ARRAY(p->a, CarriedTrace, o->nresult + 1);
	for (uint32_t k = carries; k < o->nresult; k++) {
		CarriedTrace *t = &j->trace[k - carries];
		for (t->carry = 0; t->carry < j->nresult && o->result[k] != j->param[1 + t->carry];)
			t->carry++;
		if (t->carry < j->nresult) continue;
		t->after = true;
		for (t->carry = 0; t->carry < j->nresult && o->result[k] != j->result[t->carry];) t->carry++;
		if (t->carry < j->nresult) continue;
		j->param[j->nparam++] = fresh(p->g, o->result[k]->type, NULL);
		j->first[j->nresult] = constant_int(p->g, o->result[k]->type, 0);
		j->result[j->nresult++] = o->result[k];
	}
}

/* NULL: an error. */
static Node *joined(const Pair *p, Joined *j)
{
	Graph *g = p->g;
	Nodes own[2] = {captured(p->x[0]), captured(p->x[1])};
	uint32_t most = p->x[0]->narg + p->x[1]->narg + p->o[1].nresult + 1;
	Node **outside = NEW_ARRAY(p->a, Node *, own[0].n + own[1].n + 1);
	memcpy(outside, own[0].v, own[0].n * sizeof *outside);
	memcpy(outside + own[0].n, own[1].v, own[1].n * sizeof *outside);
	j->param = NEW_ARRAY(p->a, Node *, most);
	j->first = NEW_ARRAY(p->a, Node *, most);
	j->seq = NEW_ARRAY(p->a, Node *, most);
	j->result = NEW_ARRAY(p->a, Node *, most);
	for (int which = 0; which < 2; which++)
		j->at[which] = NEW_ARRAY(p->a, uint32_t, scan_carries(p->x[which]) + 1);
	j->param[j->nparam++] = p->index;
	join_carried(p, j, false);
	join_traces(p, j);
	join_carried(p, j, true);
	join_sequences(p, j);
	Closure c;
	if (!body_close(g, scan_body(p->x[0])->name, (Nodes){j->nparam, j->param},
		    (Nodes){j->nresult, j->result}, (Around){NULL, {own[0].n + own[1].n, outside}}, &c))
		return NULL;
	return scan(g, &c, p->x[0]->arg[0], (Nodes){j->nresult, j->first}, (Nodes){j->nseq, j->seq},
		scan_way(p->x[0]));
}

/* ---- those of a region --------------------------------------------------------------------------------- */

typedef struct Whiles {
	Graph *g;
	Arena *a;
	Region *r;
	Node **x; /* loops that are read by GET alone */
	uint32_t n, cap;
} Whiles;

static void find_whiles(Whiles *w, uint32_t n, Node *const *roots)
{
	w->r = region_of(w->a, n, roots);
	bool *whole = NEW_ARRAY(w->a, bool, w->r->n + 1);
	for (uint32_t i = 0; i < n; i++)
		if (roots[i]) whole[region_place(w->r, roots[i])] = true;
	for (uint32_t i = 0; i < w->r->n; i++)
		for (uint32_t k = 0; k < w->r->node[i]->narg; k++)
			if (w->r->node[i]->op != OP_GET)
				whole[region_place(w->r, w->r->node[i]->arg[k])] = true;
	for (uint32_t i = 0; i < w->r->n; i++) {
		Node *x = w->r->node[i];
		if (x->op != OP_SCAN || whole[i]) continue;
		bool joins = scan_is_while(x) ||
			(!scan_is_back(x) && !scan_sequences(x) && scan_body(x)->nresult == scan_carries(x));
		if (!joins) continue;
		GROW(w->a, w->x, w->n, w->cap);
		w->x[w->n++] = x;
	}
}

/* Which carried value counts the passes: its next one is the index and 1. */
static bool is_counter(const Node *x, uint32_t i)
{
	int64_t first, one;
	const Node *next = scan_body(x)->result[i];
	if (next->op != OP_ADD || !constant_integer(x->arg[1 + i], &first) || first) return false;
	for (uint32_t k = 0; k < 2; k++)
		if (next->arg[k]->op == OP_PARAM && !attr_int(next->arg[k], 0) &&
			constant_integer(next->arg[!k], &one) && one == 1)
			return true;
	return false;
}

/* Is b a loop of as many passes as a makes? */
static bool is_of_passes(const Node *a, const Node *b)
{
	const Node *n = b->arg[0];
	return scan_is_while(a) && !scan_is_while(b) && n->op == OP_GET && n->arg[0] == a &&
		is_counter(a, (uint32_t)attr_int(n, 0));
}

static bool both_end_alike(const Node *a, const Node *b)
{
	const Node *p = scan_body(a)->result[0], *q = scan_body(b)->result[0];
	return scan_is_while(a) && scan_way(a) == scan_way(b) && a->arg[0] == b->arg[0] &&
		a->arg[1] == b->arg[1] && p->op == q->op && p->depth == q->depth && p->attr == q->attr;
}

/* Does b come from a, but for how many passes it makes? */
static bool hangs_on(Arena *arena, const Node *a, Node *b, bool of_passes)
{
	Arena *scratch = arena_child(arena);
	Node **of = NEW_ARRAY(scratch, Node *, b->narg + 1);
	uint32_t n = 0, walks = 1 + scan_carries(b);
	for (uint32_t i = of_passes ? 1 : 0; i < b->narg; i++) {
		bool along = of_passes && i >= walks && i < walks + scan_sequences(b);
		of[n++] = along ? walked_along((const Node *const[2]){a, b}, 1, i) : b->arg[i];
	}
	Region *r = region_of(scratch, n, of);
	bool found = region_place(r, a) != UINT32_MAX;
	arena_free(scratch);
	return found;
}

static bool has_tokens(const Node *x)
{
	for (uint32_t i = 0; i < scan_carries(x); i++)
		if (is_token(x->arg[1 + i])) return true;
	return false;
}

bool loop_recorded(Graph *g, Arena *a, Node *whiles, Node *counted, RecordedLoop *out)
{
	Pair p = {.g = g, .a = a, .x = {whiles, counted}};
	Joined j = {.nparam = 0};
	if (!is_of_passes(whiles, counted) || scan_is_back(counted) || has_tokens(counted) ||
		hangs_on(a, whiles, counted, true))
		return false;
	idmap_open(&p.element, a);
	g->bodies++;
	bool good = open_both(&p);
	*out = (RecordedLoop){.loop = good ? joined(&p, &j) : NULL};
	g->bodies--;
	for (int k = 0; k < 2; k++) out->at[k] = j.at[k];
	out->trace = j.trace;
	return out->loop != NULL;
}

static bool read_as(Whiles *w, const Pair *p, const Joined *j, Node *one, IdMap *now)
{
	for (int which = 0; which < 2; which++)
		for (uint32_t k = 0; k < scan_carries(p->x[which]); k++) {
			Node *old = get(w->g, p->x[which], k), *y = get(w->g, one, j->at[which][k]);
			if (!old || !y) return false;
			idmap_put(now, old->id, y);
		}
	return true;
}

/* These two as one; false: they are none, or an error. */
static bool join_pair(Whiles *w, Node *a, Node *b, uint32_t n, Node **roots)
{
	bool of_passes = is_of_passes(a, b);
	if (!of_passes && !both_end_alike(a, b)) return false;
	if ((has_tokens(a) && has_tokens(b)) || hangs_on(w->a, a, b, of_passes)) return false;
	Pair p = {.g = w->g, .a = w->a, .x = {a, b}};
	Joined j = {.nparam = 0};
	IdMap now;
	idmap_open(&p.element, w->a);
	idmap_open(&now, w->a);
	if (!open_both(&p) || (!of_passes && p.as[0])) return false;
	Node *one = joined(&p, &j);
	if (!one || !read_as(w, &p, &j, one, &now)) return false;
	rebuild(w->g, (Nodes){n, roots}, &now, NULL, NULL, roots);
	return !w->g->error.code;
}

bool merge_whiles(Graph *g, uint32_t n, Node **roots)
{
	bool joins = true;
	g->bodies++;
	while (joins && !g->error.code) {
		Whiles w = {.g = g, .a = arena_child(g->arena)};
		joins = false;
		find_whiles(&w, n, roots);
		for (uint32_t i = 0; i + 1 < w.n && !joins && !g->error.code; i++)
			for (uint32_t k = i + 1; k < w.n && !joins && !g->error.code; k++)
				joins = join_pair(&w, w.x[i], w.x[k], n, roots);
		arena_free(w.a);
	}
	g->bodies--;
	return !g->error.code;
}
