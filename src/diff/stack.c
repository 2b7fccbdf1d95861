/* stack.c - what a reverse loop would make again of the passes of the loop before it, stacked by that one.
 *
 * A reverse loop keeps what is carried and makes the rest of a pass again.  Where that is a fold or a loop of
 * the pass, it is kept too, up to as much as a pass carries: the loop before has it in its hand.  So the
 * inner one of two loops runs once, not twice.  A loop over pieces of a loop, which is there to keep less,
 * makes in a pass what is larger than its state, and stays as it is; so do loops in bodies, which it has.
 * needs: a closed function; gives: the same values, to the bit
 */
#include "merge.h"
#include "../ir/pass.h"

/* A loop that stacks, and what it is to stack besides. */
typedef struct Made {
	LoopPass pass;
	Node **trace;
	uint32_t n, cap;
} Made;

/* One that walks along what that stacks. */
typedef struct Again {
	Graph *g;
	Arena *a;
	Made *made;
	LoopPass walks;
	IdMap in_made;    /* node of a pass of `walks` -> the same in a pass of `made` */
	bool *known;      /* by place in `walks`: has it one? */
	const Size *room; /* elements of a pass that may be kept yet: as many as it carries */
	Node **value;     /* of `walks` */
	uint32_t *trace;  /* by value: its number in `made` */
	uint32_t n, cap[2];
} Again;

/* All pairs that are found in one walk.  A loop that has become shorter stacks nothing for others until the
 * next one. */
typedef struct Stacking {
	Graph *g;
	Arena *a;
	IdMap made;  /* loop -> Made */
	IdMap again; /* loop -> Again */
	bool found;
} Stacking;

static void pair(Again *s, const Node *x, Node *y)
{
	uint32_t place = region_place(s->walks.r, x);
	idmap_put(&s->in_made, x->id, y);
	if (place != UINT32_MAX) s->known[place] = true;
}

/* The elements of `walks` that `made` stacks or walks along too. */
static void pair_elements(Again *s)
{
	const LoopPass *m = &s->made->pass;
	const Node *made = m->x, *walks = s->walks.x;
	const Opened *o = &s->walks.o;
	pair(s, o->param[0], m->o.param[0]);
	for (uint32_t i = 0; i < s->walks.sequences; i++) {
		Node *x = walks->arg[1 + s->walks.carries + i], *leaf = o->param[1 + s->walks.carries + i];
		if (x->op == OP_GET && x->arg[0] == made) pair(s, leaf, m->o.result[attr_int(x, 0)]);
		for (uint32_t k = 0; k < m->sequences; k++)
			if (made->arg[1 + m->carries + k] == x)
				pair(s, leaf, m->o.param[1 + m->carries + k]);
	}
}

static void spread_known(Again *s)
{
	const Region *r = s->walks.r;
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		bool known = x->narg || !s->walks.bound[i];
		for (uint32_t k = 0; k < x->narg; k++) {
			uint32_t place = region_place(r, x->arg[k]);
			known &= place == UINT32_MAX || s->known[place];
		}
		s->known[i] |= known;
	}
}

/* Its number among the results of the loop. */
static uint32_t stacked(Arena *a, Made *m, Node *trace)
{
	uint32_t i = 0;
	while (i < m->n && m->trace[i] != trace) i++;
	if (i == m->n) {
		GROW(a, m->trace, m->n, m->cap);
		m->trace[m->n++] = trace;
	}
	return m->pass.o.nresult + i;
}

static void add(Again *s, Node *value, Node *trace)
{
	const Size *own = type_elements(s->g, value->type);
	if (!size_at_most(s->g, own, s->room)) return;
	s->room = size_sub(s->g, s->room, own);
	GROW(s->a, s->value, s->n, s->cap[0]);
	GROW(s->a, s->trace, s->n, s->cap[1]);
	s->value[s->n] = value;
	s->trace[s->n++] = stacked(s->a, s->made, trace);
}

/* Would they be one loop? */
static bool is_one_loop(Again *s, Node *x, Node *y)
{
	if (x == y) return true;
	if (scan_way(x) != scan_way(y) || states(x) != states(y)) return false;
	if (memcmp(x->arg, y->arg, (1 + states(x)) * sizeof *x->arg)) return false;
	Node *both[] = {get(s->g, x, 0), get(s->g, y, 0)};
	return diff_merge(s->g, 2, both) && both[0]->op == OP_GET && both[1]->op == OP_GET &&
		both[0]->arg[0] == both[1]->arg[0];
}

/* What of a loop of the pass is asked for, if `made` has such a loop. */
static void add_loop(Again *s, Node *x, Node *y)
{
	const Region *r = s->made->pass.r, *w = s->walks.r;
	bool has = false;
	for (uint32_t i = 0; i < r->n && !has && !s->g->error.code; i++)
		has = is_counted(r->node[i]) && states(r->node[i]) && is_one_loop(s, r->node[i], y);
	for (uint32_t i = 0; i < w->n && has && !s->g->error.code; i++) {
		Node *of = w->node[i];
		if (of->op == OP_GET && of->arg[0] == x) add(s, of, get(s->g, y, (uint32_t)attr_int(of, 0)));
	}
}

static void find_made(Again *s)
{
	const Region *r = s->walks.r;
	for (uint32_t i = 0; i < r->n && !s->g->error.code; i++) {
		Node *x = r->node[i], *y;
		bool loop = is_counted(x) && states(x), fold = op_info[x->op].class == FOLD;
		if (!s->known[i] || !s->walks.bound[i] || !(loop || fold)) continue;
		rebuild(s->g, (Nodes){1, &x}, &s->in_made, NULL, NULL, &y);
		if (s->g->error.code) return;
		if (loop)
			add_loop(s, x, y);
		else if (region_place(s->made->pass.r, y) != UINT32_MAX)
			add(s, x, y);
	}
}

/* The loop with what is found as further traces. */
static Node *with_stacked(Graph *g, Arena *a, const Made *m)
{
	const LoopPass *l = &m->pass;
	Nodes carry = {l->carries, l->x->arg + 1}, sequence = {l->sequences, carry.v + carry.n};
	Node **result = NEW_ARRAY(a, Node *, l->o.nresult + m->n);
	Closure c;
	memcpy(result, l->o.result, l->o.nresult * sizeof *result);
	memcpy(result + l->o.nresult, m->trace, m->n * sizeof *result);
	if (!body_close(g, scan_body(l->x)->name, (Nodes){1 + carry.n + sequence.n, l->o.param},
		    (Nodes){l->o.nresult + m->n, result}, (Around){scan_steps(l->x), captured(l->x)}, &c))
		return NULL;
	return scan(g, &c, l->x->arg[0], carry, sequence, scan_way(l->x));
}

/* ---- all pairs of a function ------------------------------------------------------------- */

static Made *made_of(Stacking *s, Node *x)
{
	Made *m = idmap_get(&s->made, x->id);
	if (m) return m;
	m = NEW(s->a, Made);
	if (!pass_open(s->g, s->a, x, &m->pass)) return NULL;
	idmap_put(&s->made, x->id, m);
	return m;
}

/* Does `walks` make again what `made` has? */
static bool is_pair(Stacking *s, Node *made, Node *walks)
{
	Graph *g = s->g;
	if (made->arg[0] != walks->arg[0] || idmap_get(&s->again, made->id)) return false;
	Again *p = NEW(s->a, Again);
	*p = (Again){.g = g, .a = s->a, .made = made_of(s, made), .room = size_const(g, 0)};
	if (!p->made || !pass_open(g, s->a, walks, &p->walks)) return false;
	p->known = NEW_ARRAY(s->a, bool, p->walks.r->n);
	idmap_open(&p->in_made, s->a);
	for (uint32_t i = 0; i < p->made->pass.carries; i++)
		p->room = size_add(g, p->room, type_elements(g, made->type->u.elem[i]));
	pair_elements(p);
	spread_known(p);
	find_made(p);
	if (!p->n || g->error.code) return false;
	idmap_put(&s->again, walks->id, p);
	return true;
}

static bool is_trace(const Node *x)
{
	return x->op == OP_GET && is_counted(x->arg[0]) && attr_int(x, 0) >= scan_carries(x->arg[0]);
}

static void find_pairs(Stacking *s, const Region *r)
{
	for (uint32_t i = 0; i < r->n && !s->g->error.code; i++) {
		Node *x = r->node[i];
		if (!is_counted(x)) continue;
		Node *const *along = x->arg + 1 + scan_carries(x);
		bool found = false;
		for (uint32_t k = 0; k < scan_sequences(x) && !found && !s->g->error.code; k++)
			found = is_trace(along[k]) && is_pair(s, along[k]->arg[0], x);
		s->found |= found;
	}
}

static Node *shortened(Stacking *s, const Again *p, const IdMap *full)
{
	Node *made = idmap_get(full, p->made->pass.x->id), **sequence = NEW_ARRAY(s->a, Node *, p->n);
	for (uint32_t i = 0; i < p->n; i++) sequence[i] = get(s->g, made, p->trace[i]);
	return pass_walking(s->g, s->a, &p->walks, p->n, p->value, sequence);
}

/* Loops that stack more and those that walk along that, over what is below them as it is now. */
static void replace_pairs(Stacking *s, const Region *r, uint32_t n, Node **roots)
{
	Graph *g = s->g;
	IdMap now, full;
	idmap_open(&now, s->a);
	idmap_open(&full, s->a);
	for (uint32_t i = 0; i < r->n && !g->error.code; i++) {
		Node *x = r->node[i], *y = x->op == OP_GET ? idmap_get(&full, x->arg[0]->id) : NULL;
		const Again *p = idmap_get(&s->again, x->id);
		const Made *m = idmap_get(&s->made, x->id);
		if (y) {
			idmap_put(&now, x->id, get(g, y, (uint32_t)attr_int(x, 0)));
		} else if (p || (m && m->n)) {
			y = p ? shortened(s, p, &full) : with_stacked(g, s->a, m);
			if (y) rebuild(g, (Nodes){1, &y}, &now, NULL, NULL, &y);
			idmap_put(p ? &now : &full, x->id, y);
		}
	}
	if (!g->error.code) rebuild(g, (Nodes){n, roots}, &now, NULL, NULL, roots);
}

/* What one walk finds; false: nothing, or an error. */
static bool stack_found(Graph *g, uint32_t n, Node **roots)
{
	Stacking s = {.g = g, .a = arena_child(g->arena)};
	Region *r = region_of(s.a, n, roots);
	idmap_open(&s.made, s.a);
	idmap_open(&s.again, s.a);
	find_pairs(&s, r);
	if (s.found && !g->error.code) replace_pairs(&s, r, n, roots);
	arena_free(s.a);
	return s.found && !g->error.code;
}

enum { ROUNDS = 32 }; /* what is found after a walk hangs on what was found by it */

Function *diff_stack_function(Graph *g, Function *f)
{
	if (!body_any(g, f, (NodeKind){1u << CONTROL, is_counted})) return f;
	Arena *a = arena_child(g->arena);
	Node **result = NEW_ARRAY(a, Node *, f->nresult);
	memcpy(result, f->result, f->nresult * sizeof *result);
	for (uint32_t i = 0; i < ROUNDS && stack_found(g, f->nresult, result); i++) {}
	bool same = !memcmp(result, f->result, f->nresult * sizeof *result);
	if (!g->error.code && !same) f = function_over(g, f, f->nresult, result);
	arena_free(a);
	return g->error.code ? NULL : f;
}
