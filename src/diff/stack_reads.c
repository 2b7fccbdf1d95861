/* stack_reads.c - in a pass that walks along traces, what sides read of an element is read before them.
 *
 * The reverse of a stack machine reads cells of the stack in the sides that multiply by them, together
 * with cotangents.  Read before, in a branch of its own by the same condition, these cells are known from the
 * loop that made the stack, can be stacked as numbers, and the stack need not be.  merge_branches.c makes one
 * of both again.
 * needs: which nodes of the pass are known from that loop; gives: the same values
 */
#include "merge.h"

/* What a node is; PART: of an element, by indices and views alone.  Above that the number of the branch that
 * holds it, which is larger than those of the branches around. */
enum { NEW = 0, UNKNOWN = 1, KNOWN = 2, PART = 4, BRANCH = 8 };

typedef struct EarlyReads {
	Graph *g;
	Arena *a;
	IdMap about; /* by node: what it is */
	uintptr_t branches, at;
} EarlyReads;

/* A side of a branch, open: what it reads, and what stands in place of nodes of it. */
typedef struct ReadSide {
	Opened o;
	Region *r;
	uintptr_t *about; /* by place; NEW: it is from outside */
	List read, branch, instead;
	IdMap now;
} ReadSide;

static uintptr_t about(const EarlyReads *s, const Node *x)
{
	uintptr_t is = (uintptr_t)idmap_get((IdMap *)&s->about, x->id);
	return is ? is : KNOWN; /* what is outside of the loop */
}

static void is_about(EarlyReads *s, const Node *x, uintptr_t is)
{
	idmap_put(&s->about, x->id, (void *)(is % BRANCH + s->at*BRANCH));
}

static bool takes_part(const Node *x)
{
	return x->op == OP_GATHER || x->op == OP_SLICE || x->op == OP_RESHAPE;
}

static uintptr_t judged(const EarlyReads *s, const Node *x)
{
	bool known = !is_token(x);
	for (uint32_t k = 0; k < x->narg; k++) known &= (about(s, x->arg[k]) & KNOWN) != 0;
	if (!known) return UNKNOWN;
	return takes_part(x) && about(s, x->arg[0]) & PART ? KNOWN | PART : KNOWN;
}

/* A branch whose condition is known and whose results are not, with part of an element captured. */
static bool may_read(const EarlyReads *s, const Node *x)
{
	bool takes = false;
	if (x->op != OP_IF || !(about(s, x) & UNKNOWN) || !(about(s, x->arg[0]) & KNOWN)) return false;
	for (uint32_t i = 1; i < x->narg; i++) {
		if (is_token(x->arg[i])) return false;
		takes |= x->arg[i]->type->kind == TYPE_ARRAY && about(s, x->arg[i]) & PART;
	}
	return takes;
}

static Node *read_before(EarlyReads *s, Node *x, List *read);

static bool is_captured(const Node *around, const Node *x)
{
	uint32_t i = 0;
	while (i < around->narg && around->arg[i] != x) i++;
	return i < around->narg;
}

/* Branches of the side first: what they read is read before them, and then before this one. */
static void judge_side(EarlyReads *s, Node *around, ReadSide *side)
{
	const Region *r = side->r;
	const uintptr_t own = s->at;
	for (uint32_t i = 0; i < r->n && !s->g->error.code; i++) {
		Node *x = r->node[i];
		uintptr_t is = (uintptr_t)idmap_get(&s->about, x->id);
		if ((is && is / BRANCH < own) || is_captured(around, x)) continue;
		side->about[i] = judged(s, x);
		is_about(s, x, side->about[i]);
		if (!may_read(s, x)) continue;
		Node *y = read_before(s, x, &side->read);
		s->at = own;
		if (!y || y == x) continue;
		list_put(s->a, &side->branch, 1, &x);
		list_put(s->a, &side->instead, 1, &y);
	}
}

/* Numbers that what is not known is made of, and that are parts of an element. */
static void find_reads(EarlyReads *s, ReadSide *side)
{
	const Region *r = side->r;
	bool *asked = NEW_ARRAY(s->a, bool, r->n);
	for (uint32_t i = r->n; i-- > 0;) {
		Node *x = r->node[i];
		if (!side->about[i]) continue;
		if (asked[i] && side->about[i] & PART) {
			if (node_is_scalar(x)) list_put(s->a, &side->read, 1, &x);
		} else if (asked[i] || side->about[i] == UNKNOWN) {
			for (uint32_t k = 0; k < x->narg; k++) asked[region_place(r, x->arg[k])] = true;
		}
	}
}

Node *nothing_like(Graph *g, const Node *x)
{
	return dtype_is_float(node_dtype(x)) ? constant_float(g, x->type, 0) : constant_int(g, x->type, 0);
}

/* The branch over what another by its condition reads for it, which is put into the list; x: it reads
 * nothing; NULL with an error. */
static Node *read_before(EarlyReads *s, Node *x, List *read)
{
	Graph *g = s->g;
	Body b[BODIES_MAX];
	ReadSide side[2] = {0};
	List both[2] = {0}, outside = {0};
	node_bodies(x, b);
	s->at = ++s->branches;
	const uintptr_t own = s->at;
	for (uint32_t k = 0; k < 2; k++) {
		s->at = own;
		side[k].o = body_open(g, s->a, x, &b[k]);
		if (g->error.code) return NULL;
		side[k].r = region_of(s->a, side[k].o.nresult, side[k].o.result);
		side[k].about = NEW_ARRAY(s->a, uintptr_t, side[k].r->n);
		idmap_open(&side[k].now, s->a);
		judge_side(s, x, &side[k]);
		find_reads(s, &side[k]);
	}
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < side[k].read.n; i++) {
			Node *of[2] = {side[k].read.v[i], nothing_like(g, side[k].read.v[i])};
			list_put(s->a, &both[0], 1, &of[k]);
			list_put(s->a, &both[1], 1, &of[1 - k]);
		}
	if (!both[0].n || g->error.code) return x;
	Node *before = branch(g, x->arg[0], both[0].n, both[0].v, both[1].v, captured(x));
	list_put(s->a, &outside, captured(x).n, captured(x).v);
	for (uint32_t k = 0, j = 0; k < 2 && before; k++)
		for (uint32_t i = 0; i < side[k].read.n; i++, j++) {
			Node *y = get(g, before, j);
			is_about(s, y, KNOWN);
			list_put(s->a, read, 1, &y);
			list_put(s->a, &outside, 1, &y);
			idmap_put(&side[k].now, side[k].read.v[i]->id, y);
		}
	if (!before) return NULL;
	for (uint32_t k = 0; k < 2; k++) {
		Opened *o = &side[k].o;
		for (uint32_t i = 0; i < side[k].branch.n; i++) {
			Node *y = side[k].instead.v[i];
			rebuild(g, (Nodes){1, &y}, &side[k].now, NULL, NULL, &y);
			idmap_put(&side[k].now, side[k].branch.v[i]->id, y);
		}
		rebuild(g, (Nodes){o->nresult, o->result}, &side[k].now, NULL, NULL, o->result);
	}
	if (g->error.code) return NULL;
	const Nodes around = {outside.n, outside.v};
	return branch(g, x->arg[0], x->type->n, side[0].o.result, side[1].o.result, around);
}

bool reads_apart(Graph *g, Arena *a, const Node *made, LoopPass *l, const bool *known)
{
	EarlyReads s = {.g = g, .a = a};
	List value = {0}, with = {0}, read = {0};
	idmap_open(&s.about, a);
	for (uint32_t i = 0; i < l->r->n; i++) is_about(&s, l->r->node[i], known[i] ? KNOWN : UNKNOWN);
	for (uint32_t i = 0; i < l->sequences; i++) {
		const Node *leaf = l->o.param[1 + l->carries + i], *of = l->x->arg[1 + l->carries + i];
		uint32_t place = region_place(l->r, leaf);
		bool stacked = of->op == OP_GET && of->arg[0] == made;
		if (stacked && place != UINT32_MAX && known[place] && node_rank(leaf))
			is_about(&s, leaf, KNOWN | PART);
	}
	for (uint32_t i = 0; i < l->r->n; i++)
		if (known[i] && l->r->node[i]->narg) is_about(&s, l->r->node[i], judged(&s, l->r->node[i]));
	for (uint32_t i = 0; i < l->r->n && !g->error.code; i++) {
		Node *x = l->r->node[i];
		if (!may_read(&s, x)) continue;
		Node *y = read_before(&s, x, &read);
		s.at = 0;
		if (!y || y == x) continue;
		list_put(a, &value, 1, &x);
		list_put(a, &with, 1, &y);
	}
	return !g->error.code && (!value.n || pass_change(g, a, l, value.n, value.v, with.v));
}
