/* stack_sides.c - in a pass that walks along traces, what branches give again is parted from what is new.
 *
 * The reverse of a branch is one branch with what it needs of the values within: what hangs on cotangents and
 * what the loop before has made too.  Apart, the second can be stacked, and the trace that it reads a part of
 * need not be kept.  merge_branches.c makes one of both again, without what is stacked.
 * needs: which nodes of the pass are known from that loop; gives: the same values
 */
#include "merge.h"

/* A branch of the pass, and which of its results are known; apart[1]: those, apart[0]: the rest. */
typedef struct KnownSides {
	Node *x, *apart[2];
	bool *known;
	uint32_t *place; /* by result: among those that are known as it is, or not */
} KnownSides;

static bool is_known(const LoopPass *l, const bool *known, const Node *x)
{
	uint32_t place = region_place(l->r, x);
	return place == UINT32_MAX || known[place];
}

/* Which results of a side hang on nothing but what is known outside of it? */
static void known_of_side(Graph *g, Arena *a, const KnownSides *s, const Body *b, const bool *argument)
{
	Region *r = function_region(g, b->f);
	bool *known = NEW_ARRAY(a, bool, r->n);
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		known[i] = x->op != OP_PARAM || argument[b->first + (uint32_t)attr_int(x, 0)];
		for (uint32_t k = 0; k < x->narg; k++) known[i] &= known[region_place(r, x->arg[k])];
	}
	for (uint32_t i = 0; i < b->f->nresult; i++)
		s->known[i] &= known[region_place(r, b->f->result[i])];
}

/* Does it take an element that the pass walks along, and no token? */
static bool takes_element(const LoopPass *l, const Node *x)
{
	bool takes = false;
	for (uint32_t i = 1; i < x->narg; i++) {
		if (is_token(x->arg[i])) return false;
		for (uint32_t k = 0; k < l->sequences; k++)
			takes |= x->arg[i] == l->o.param[1 + l->carries + k];
	}
	return takes;
}

/* Are some of its results known, and some not? */
static bool find_known(Graph *g, Arena *a, const LoopPass *l, const bool *known, KnownSides *s)
{
	Body b[BODIES_MAX];
	uint32_t sides = node_bodies(s->x, b), n = 0;
	bool *argument = NEW_ARRAY(a, bool, s->x->narg);
	if (sides != 2 || !is_known(l, known, s->x->arg[0]) || !takes_element(l, s->x)) return false;
	for (uint32_t i = 0; i < s->x->narg; i++) argument[i] = is_known(l, known, s->x->arg[i]);
	s->known = NEW_ARRAY(a, bool, s->x->type->n);
	s->place = NEW_ARRAY(a, uint32_t, s->x->type->n);
	memset(s->known, true, s->x->type->n);
	for (uint32_t k = 0; k < sides; k++) known_of_side(g, a, s, &b[k], argument);
	for (uint32_t i = 0; i < s->x->type->n; i++) n += s->known[i];
	return n && n < s->x->type->n;
}

static bool take_apart(Graph *g, Arena *a, KnownSides *s)
{
	Body b[BODIES_MAX];
	Opened o[BODIES_MAX];
	uint32_t n = s->x->type->n, count[2] = {0};
	Node **result[2][2];
	node_bodies(s->x, b);
	for (uint32_t k = 0; k < 2; k++) {
		o[k] = body_open(g, a, s->x, &b[k]);
		if (g->error.code) return false;
		for (uint32_t i = 0; i < 2; i++) result[i][k] = NEW_ARRAY(a, Node *, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		bool known = s->known[i];
		s->place[i] = count[known]++;
		for (uint32_t k = 0; k < 2; k++) result[known][k][s->place[i]] = o[k].result[i];
	}
	for (uint32_t i = 0; i < 2; i++)
		s->apart[i] = branch(g, s->x->arg[0], count[i], result[i][0], result[i][1], captured(s->x));
	return s->apart[0] && s->apart[1];
}

Node *sides_apart(Graph *g, Arena *a, const LoopPass *l, const bool *known)
{
	List value = {0}, with = {0};
	for (uint32_t i = 0; i < l->r->n; i++) {
		KnownSides s = {.x = l->r->node[i]};
		if (s.x->op != OP_IF || known[i] || !find_known(g, a, l, known, &s)) continue;
		if (!take_apart(g, a, &s)) return NULL;
		for (uint32_t k = i + 1; k < l->r->n; k++) {
			Node *of = l->r->node[k];
			if (of->op != OP_GET || of->arg[0] != s.x) continue;
			int64_t j = attr_int(of, 0);
			Node *now = get(g, s.apart[s.known[j]], s.place[j]);
			list_put(a, &value, 1, &of);
			list_put(a, &with, 1, &now);
		}
	}
	return value.n ? pass_with(g, a, l, value.n, value.v, with.v) : l->x;
}
