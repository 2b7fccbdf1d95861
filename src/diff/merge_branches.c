/* merge_branches.c - one branch where several ask the same, with the results that are read.
 *
 * A value and its derivative are branches of one condition.  Where the later one needs nothing that the
 * earlier gives they become one, and what both compute in a side is one node there.  What is computed around
 * a branch whichever side is taken is captured, not computed again; what is captured and wanted in one side
 * alone is computed there.  Where the later one does need something, it still reads of the earlier what both
 * would give.
 * needs: nodes in any state; gives: the same values with as few branches
 */
#include "linear.h"

/* Results that are wanted, each pair of sides once. */
typedef struct Union {
	Node **yes, **no;
	uint32_t n, cap;
} Union;

typedef struct FoundBranch {
	Node *x;
	Opened side[2];
	Union wanted;
	bool *read;      /* by result */
	Node **reader;   /* GET nodes of the region */
	uint32_t nreader, cap, place;
} FoundBranch;

typedef struct BranchMerge {
	Graph *g;
	Arena *a;
	Region *r;
	FoundBranch *found;
	uint32_t n, cap; /* in order of place */
	uint32_t *number; /* by place: + 1 */
	bool *needed;     /* by place: by the roots */
} BranchMerge;

static void read_all(FoundBranch *b)
{
	for (uint32_t i = 0; i < b->x->type->n; i++) b->read[i] = true;
}

static void need(BranchMerge *m, const Node *x)
{
	m->needed[region_place(m->r, x)] = true;
}

/* What the results of a branch that are read need of what its sides capture. */
static void need_captured(BranchMerge *m, const FoundBranch *b)
{
	Arena *scratch = arena_child(m->a);
	Body body[BODIES_MAX];
	uint32_t n = node_bodies(b->x, body);
	for (uint32_t k = 0; k < n; k++) {
		Function *f = body[k].f;
		Region *r = function_region(m->g, f);
		bool *needed = NEW_ARRAY(scratch, bool, r->n);
		for (uint32_t i = 0; i < f->nresult; i++)
			needed[region_place(r, f->result[i])] |= b->read[i];
		for (uint32_t i = r->n; i-- > 0;) {
			const Node *x = r->node[i];
			if (!needed[i]) continue;
			if (x->op == OP_PARAM) need(m, b->x->arg[body[k].first + (uint32_t)attr_int(x, 0)]);
			for (uint32_t j = 0; j < x->narg; j++) needed[region_place(r, x->arg[j])] = true;
		}
	}
	arena_free(scratch);
}

/* Is any result of a branch read? */
static bool is_read(const FoundBranch *b)
{
	for (uint32_t i = 0; i < b->x->type->n; i++)
		if (b->read[i]) return true;
	return false;
}

/* Of a node that the roots need: what it needs itself. */
static void note_reads(BranchMerge *m, uint32_t place)
{
	Node *x = m->r->node[place];
	uint32_t number = m->number[place], first = 0;
	if (number) {
		if (!is_read(&m->found[number - 1])) return;
		need(m, x->arg[0]);
		need_captured(m, &m->found[number - 1]);
		first = node_operands(x); /* behind those are sizes */
	}
	for (uint32_t k = first; k < x->narg; k++) {
		uint32_t of = m->number[region_place(m->r, x->arg[k])];
		need(m, x->arg[k]);
		if (!of) continue;
		FoundBranch *b = &m->found[of - 1];
		if (x->op == OP_GET)
			b->read[attr_int(x, 0)] = true;
		else
			read_all(b);
	}
}

static void note_reader(BranchMerge *m, Node *x)
{
	uint32_t number = x->op == OP_GET ? m->number[region_place(m->r, x->arg[0])] : 0;
	if (!number) return;
	FoundBranch *b = &m->found[number - 1];
	GROW(m->a, b->reader, b->nreader, b->cap);
	b->reader[b->nreader++] = x;
}

/* Users come before what they use: what is read for a result that nobody reads is not read. */
static void find_reads(BranchMerge *m, uint32_t n, Node *const *roots)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!roots[i]) continue;
		uint32_t number = m->number[region_place(m->r, roots[i])];
		need(m, roots[i]);
		if (number) read_all(&m->found[number - 1]);
	}
	for (uint32_t i = m->r->n; i-- > 0;)
		if (m->needed[i]) note_reads(m, i);
}

static bool find_branches(BranchMerge *m, uint32_t n, Node *const *roots)
{
	m->r = region_of(m->a, n, roots);
	m->number = NEW_ARRAY(m->a, uint32_t, m->r->n);
	m->needed = NEW_ARRAY(m->a, bool, m->r->n);
	m->n = 0;
	for (uint32_t i = 0; i < m->r->n; i++) {
		Node *x = m->r->node[i];
		if (x->op == OP_IF) {
			GROW(m->a, m->found, m->n, m->cap);
			m->found[m->n] =
				(FoundBranch){.x = x, .read = NEW_ARRAY(m->a, bool, x->type->n), .place = i};
			m->number[i] = ++m->n;
		}
		note_reader(m, x);
	}
	if (m->n) find_reads(m, n, roots);
	return m->n > 0;
}

/* ---- results ------------------------------------------------------------------------------ */

static uint32_t union_place(const Union *u, const Node *yes, const Node *no)
{
	uint32_t i = 0;
	while (i < u->n && !(u->yes[i] == yes && u->no[i] == no)) i++;
	return i;
}

static void union_add(BranchMerge *m, Union *u, Node *yes, Node *no)
{
	uint32_t cap = u->cap;
	if (union_place(u, yes, no) < u->n) return;
	GROW(m->a, u->yes, u->n, cap);
	GROW(m->a, u->no, u->n, u->cap);
	u->yes[u->n] = yes;
	u->no[u->n++] = no;
}

static void union_read(BranchMerge *m, Union *u, const FoundBranch *b)
{
	for (uint32_t i = 0; i < b->x->type->n; i++)
		if (b->read[i]) union_add(m, u, b->side[0].result[i], b->side[1].result[i]);
}

static bool open_both(BranchMerge *m, FoundBranch *f)
{
	Body b[BODIES_MAX];
	node_bodies(f->x, b);
	for (uint32_t k = 0; k < 2 && !m->g->error.code; k++)
		f->side[k] = body_open(m->g, m->a, f->x, &b[k]);
	return !m->g->error.code;
}

/* What reads these results of a branch reads those of y. */
static void read_of(BranchMerge *m, const FoundBranch *b, const Union *u, Node *y, IdMap *map)
{
	for (uint32_t i = 0; i < b->nreader && !m->g->error.code; i++) {
		int64_t from = attr_int(b->reader[i], 0);
		uint32_t to = union_place(u, b->side[0].result[from], b->side[1].result[from]);
		if (to < u->n) idmap_put(map, b->reader[i]->id, get(m->g, y, to));
	}
}

/* ---- branches of one condition ------------------------------------------------------------ */

/* Is it a branch of that condition that something is read of? */
static bool may_join(const FoundBranch *b, const Node *condition)
{
	return b->x->arg[0] == condition && is_read(b);
}

/* Branches of the condition of number `last` that need nothing of one another, from there back. */
static uint32_t alike(BranchMerge *m, uint32_t last, uint32_t *member)
{
	Arena *scratch = arena_child(m->a);
	unsigned char *needed = NEW_ARRAY(scratch, unsigned char, m->r->n);
	const Node *condition = m->found[last].x->arg[0];
	uint32_t n = 0;
	for (uint32_t i = m->found[last].place + 1; i-- > 0;) {
		Node *x = m->r->node[i];
		bool joins = !needed[i] && m->number[i] && may_join(&m->found[m->number[i] - 1], condition);
		if (joins) member[n++] = m->number[i] - 1;
		for (uint32_t k = 0; (needed[i] || joins) && k < x->narg; k++)
			needed[region_place(m->r, x->arg[k])] = 1;
	}
	arena_free(scratch);
	return n;
}

static bool has_alike(const BranchMerge *m, uint32_t last)
{
	for (uint32_t k = 0; k < last && is_read(&m->found[last]); k++)
		if (may_join(&m->found[k], m->found[last].x->arg[0])) return true;
	return false;
}

static bool make_one(BranchMerge *m, uint32_t n, const uint32_t *member, IdMap *map)
{
	Union u = {0};
	Node **outside = NULL;
	uint32_t noutside = 0, cap = 0;
	for (uint32_t i = n; i-- > 0;) { /* as they follow one another */
		FoundBranch *b = &m->found[member[i]];
		Nodes own = captured(b->x);
		if (!open_both(m, b)) return false;
		union_read(m, &u, b);
		for (uint32_t k = 0; k < own.n; k++) {
			GROW(m->a, outside, noutside, cap);
			outside[noutside++] = own.v[k];
		}
	}
	Node *condition = m->found[member[0]].x->arg[0];
	Node *one = branch(m->g, condition, u.n, u.yes, u.no, (Nodes){noutside, outside});
	for (uint32_t i = 0; one && i < n; i++) read_of(m, &m->found[member[i]], &u, one, map);
	return one && !m->g->error.code;
}

/* One group of them; false: there is none, or an error. */
static bool merge_group(BranchMerge *m, uint32_t n, Node **roots)
{
	uint32_t *member = NEW_ARRAY(m->a, uint32_t, m->n), count = 0;
	IdMap map;
	for (uint32_t last = m->n; last-- > 0 && count < 2;)
		count = has_alike(m, last) ? alike(m, last, member) : 0;
	if (count < 2) return false;
	idmap_open(&map, m->a);
	if (make_one(m, count, member, &map)) rebuild(m->g, (Nodes){n, roots}, &map, NULL, NULL, roots);
	return !m->g->error.code;
}

/* ---- what is computed around ---------------------------------------------------------------- */

/* What branch i and one before it of the same condition would both give, the one before gives. */
static void want_once(BranchMerge *m, uint32_t i)
{
	FoundBranch *b = &m->found[i];
	for (uint32_t j = 0; j < b->x->type->n; j++) {
		Node *yes = b->side[0].result[j], *no = b->side[1].result[j];
		FoundBranch *first = &m->found[0];
		while (first < b &&
			(first->x->arg[0] != b->x->arg[0] ||
				union_place(&first->wanted, yes, no) == first->wanted.n))
			first++;
		if (b->read[j]) union_add(m, &first->wanted, yes, no);
	}
}

/* As it is without what nobody reads; from the last on, as what one captures is computed around those before
 * it. */
static Node *made_again(BranchMerge *m, FoundBranch *b, IdMap *around)
{
	const Union *u = &b->wanted;
	Nodes outside = within_sides(m->a, u->n, u->yes, u->no, around);
	Node *x = u->n ? branch(m->g, b->x->arg[0], u->n, u->yes, u->no, outside) : b->x;
	if (x && u->n) note_around(m->a, captured(x), around);
	return x;
}

static void share_around(BranchMerge *m, uint32_t n, Node **roots)
{
	IdMap around, map;
	Node **now = NEW_ARRAY(m->a, Node *, m->n);
	bool changed = false;
	idmap_open(&around, m->a);
	idmap_open(&map, m->a);
	note_around(m->a, (Nodes){n, roots}, &around);
	note_shared(m->g, m->a, m->r, NULL, &around);
	for (uint32_t i = 0; i < m->n; i++) {
		if (!open_both(m, &m->found[i])) return;
		want_once(m, i);
	}
	for (uint32_t i = m->n; i-- > 0;) {
		if (!(now[i] = made_again(m, &m->found[i], &around))) return;
		changed |= now[i] != m->found[i].x;
	}
	for (uint32_t i = 0; i < m->n && changed && !m->g->error.code; i++) {
		FoundBranch *b = &m->found[i];
		rebuild(m->g, (Nodes){1, &now[i]}, &map, NULL, NULL, &now[i]);
		for (uint32_t k = 0; k <= i && now[i]; k++) {
			const FoundBranch *first = &m->found[k];
			if (first->x->arg[0] == b->x->arg[0]) read_of(m, b, &first->wanted, now[k], &map);
		}
	}
	if (changed && !m->g->error.code) rebuild(m->g, (Nodes){n, roots}, &map, NULL, NULL, roots);
}

bool merge_branches(Graph *g, uint32_t n, Node **roots)
{
	BranchMerge m = {.g = g, .a = arena_child(g->arena)};
	g->bodies++;
	bool any = find_branches(&m, n, roots);
	while (any && merge_group(&m, n, roots)) find_branches(&m, n, roots);
	if (any && !g->error.code) share_around(&m, n, roots);
	g->bodies--;
	arena_free(m.a);
	return !g->error.code;
}
