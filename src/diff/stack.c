/* stack.c - what a reverse loop would make again of the passes of the loop before it, stacked by that one.
 *
 * A reverse loop keeps what is carried and makes the rest of a pass again.  Where that is a fold or a loop of
 * the pass, it is kept too, up to as much as a pass carries: the loop before has it in its hand.  So the
 * inner one of two loops runs once, not twice.  Where what is kept serves one sum alone, that is kept
 * instead: of `b + (x[t] + h @ U)` the whole, so that the reverse loop walks along one array and not along
 * two.  Where it reads parts of what is kept alone, as cells of a chart, these are kept, and not the chart.
 * A loop over pieces of a loop, which is there to keep less, makes in a pass what is larger than its state,
 * and stays as it is.  Loops of a body are looked at in the same way, before those around it.
 * needs: a closed function; gives: the same values, to the bit
 */
#include "merge.h"

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
	Node **user;      /* by place in `walks`: who used it last */
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
	const Region *r;
	uint32_t *used, *walked; /* by place: how often; how often by loops that walk along it */
	bool found;
} Stacking;

static bool is_trace(const Node *x)
{
	return x->op == OP_GET && is_counted(x->arg[0]) && attr_int(x, 0) >= scan_carries(x->arg[0]);
}

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

typedef struct Even {
	Arena *a;
	const LoopPass *l;
	bool even;
} Even;

static void is_outside_passes(void *user, const Atom *a)
{
	Even *e = user;
	const LoopPass *l = e->l;
	if (a->kind != ATOM_NODE || !e->even) return;
	Region *r = region_of(e->a, 1, (Node *[]){a->node});
	for (uint32_t i = 0; i < 1 + l->carries + l->sequences; i++)
		e->even &= region_place(r, l->o.param[i]) == UINT32_MAX;
}

bool is_even(Arena *a, const LoopPass *l, const Node *x)
{
	Even e = {a, l, true};
	for (uint32_t k = 0; x->type->kind == TYPE_ARRAY && k < node_rank(x); k++)
		size_atoms(node_dim(x, k), is_outside_passes, &e);
	return e.even;
}

static void add(Again *s, Node *value, Node *trace)
{
	if (!is_even(s->a, &s->made->pass, trace)) return;
	GROW(s->a, s->value, s->n, s->cap[0]);
	GROW(s->a, s->trace, s->n, s->cap[1]);
	s->value[s->n] = value;
	s->trace[s->n++] = stacked(s->a, s->made, trace);
}

static void add_where_room(Again *s, Node *value, Node *trace)
{
	const Size *own = type_elements(s->g, value->type);
	if (!size_at_most(s->g, own, s->room)) return;
	s->room = size_sub(s->g, s->room, own);
	add(s, value, trace);
}

static bool has_value(const Again *s, const Node *x)
{
	uint32_t i = 0;
	while (i < s->n && s->value[i] != x) i++;
	return i < s->n;
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
		if (of->op == OP_GET && of->arg[0] == x)
			add_where_room(s, of, get(s->g, y, (uint32_t)attr_int(of, 0)));
	}
}

/* The same in a pass of `made`; NULL with an error. */
static Node *as_made(Again *s, Node *x)
{
	Node *y = NULL;
	rebuild(s->g, (Nodes){1, &x}, &s->in_made, NULL, NULL, &y);
	return s->g->error.code ? NULL : y;
}

static bool is_made(const Again *s, const Node *y)
{
	return y && region_place(s->made->pass.r, y) != UINT32_MAX;
}

/* Does `made` make it too, if with its operands in the other order?  Then that is what it is paired with. */
static bool is_sum_made(Again *s, Node *u)
{
	Node *y = as_made(s, u);
	if (is_made(s, y) || !y || !(op_info[u->op].flags & COMM)) return is_made(s, y);
	y = build2(s->g, y->op, y->arg[1], y->arg[0]);
	if (!is_made(s, y)) return false;
	pair(s, u, y);
	return true;
}

/* The sum or difference that alone uses x, if `made` makes it too, as large as x; NULL: none.  Of other maps
 * `lower` looks at what they are of: 1 - tanh(z)^2 is no difference. */
static Node *only_sum(Again *s, const Node *x)
{
	uint32_t place = region_place(s->walks.r, x), at;
	if (s->walks.used[place] != 1 || !s->user[place]) return NULL;
	Node *u = s->user[place];
	at = region_place(s->walks.r, u);
	bool sum = op_info[u->op].class == MAP && op_info[u->op].flags & LINEAR;
	return sum && u->type == x->type && s->known[at] && is_sum_made(s, u) ? u : NULL;
}

static void add_once(Again *s, Node *x)
{
	Node *y = has_value(s, x) ? NULL : as_made(s, x);
	if (y) add_where_room(s, x, y);
}

/* What to keep instead of x. */
static Node *served(Again *s, Node *x)
{
	for (Node *u = x; u && !s->g->error.code; u = only_sum(s, x)) x = u;
	return x;
}

/* In place of a trace that nobody else asks for. */
static void add_served_by_traces(Again *s, const Stacking *all)
{
	const LoopPass *w = &s->walks;
	for (uint32_t i = 0; i < w->sequences && !s->g->error.code; i++) {
		Node *x = w->x->arg[1 + w->carries + i], *leaf = w->o.param[1 + w->carries + i];
		bool made = is_trace(x) && x->arg[0] == s->made->pass.x;
		if (!made || all->used[region_place(all->r, x)] != 1) continue;
		if (region_place(w->r, leaf) == UINT32_MAX) continue;
		Node *u = served(s, leaf);
		if (u == leaf) continue;
		s->room = size_add(s->g, s->room, type_elements(s->g, leaf->type));
		add_once(s, u);
	}
}

static void find_users(Again *s)
{
	const Region *r = s->walks.r;
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t k = 0; k < r->node[i]->narg; k++) {
			uint32_t at = region_place(r, r->node[i]->arg[k]);
			if (at != UINT32_MAX) s->user[at] = r->node[i];
		}
}

static void find_made(Again *s)
{
	const Region *r = s->walks.r;
	for (uint32_t i = 0; i < r->n && !s->g->error.code; i++) {
		Node *x = r->node[i], *y;
		if (!s->known[i] || !s->walks.bound[i]) continue;
		if (op_info[x->op].class == FOLD && is_made(s, as_made(s, x)))
			add_once(s, served(s, x));
		else if (is_counted(x) && states(x) && (y = as_made(s, x)))
			add_loop(s, x, y);
	}
}

/* ---- parts of a trace ---------------------------------------------------------------------- */

/* What of a trace the passes ask for: nodes that are made of an element of it, by place. */
typedef struct TraceParts {
	bool *of, *asked;
	List list;
	const Size *elements;
} TraceParts;

static bool find_sample(void *user, const Atom *x, int64_t *value)
{
	(void)user;
	(void)x;
	*value = 32;
	return true;
}

typedef struct Atoms {
	const Size *in;
	const Atom *sought;
	bool found, all;
} Atoms;

static void compare_atom(void *user, const Atom *x)
{
	Atoms *s = user;
	s->found |= x == s->sought;
}

static void seek_atom(void *user, const Atom *x)
{
	Atoms *s = user;
	s->sought = x;
	s->found = false;
	size_atoms(s->in, compare_atom, s);
	s->all &= s->found;
}

bool is_half(const Size *part, const Size *whole)
{
	int64_t some, all;
	Atoms names = {.in = whole, .all = true};
	size_atoms(part, seek_atom, &names);
	return names.all && size_evaluate(part, find_sample, NULL, &some) &&
		size_evaluate(whole, find_sample, NULL, &all) && some <= all/2;
}

/* What is made of the element, up to where it meets what `made` has not. */
static void find_parts(Again *s, const Node *leaf, TraceParts *p)
{
	const LoopPass *w = &s->walks;
	const Region *r = w->r;
	p->of[region_place(r, leaf)] = true;
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		for (uint32_t k = 0; k < x->narg; k++) {
			uint32_t at = region_place(r, x->arg[k]);
			if (at == UINT32_MAX || !p->of[at]) continue;
			if (!s->known[i]) p->asked[at] = true;
			p->of[i] |= s->known[i] && !has_value(s, x);
		}
	}
	for (uint32_t i = 0; i < w->o.nresult; i++) {
		uint32_t at = region_place(r, w->o.result[i]);
		if (at != UINT32_MAX) p->asked[at] |= p->of[at];
	}
}

/* x, or what it is made of where `made` does not make x and that is no more. */
static bool put_part(Again *s, TraceParts *p, Node *x, const Node *leaf)
{
	const Region *r = s->walks.r;
	const Size *before = size_const(s->g, 0);
	bool arrays = x->type->kind == TYPE_ARRAY, made = x != leaf && is_made(s, as_made(s, x));
	if (!arrays || x == leaf || s->g->error.code) return false;
	for (uint32_t k = 0; k < x->narg && arrays; k++) {
		uint32_t at = region_place(r, x->arg[k]);
		if (at == UINT32_MAX || !p->of[at]) continue;
		arrays = x->arg[k]->type->kind == TYPE_ARRAY && x->arg[k] != leaf;
		if (arrays) before = size_add(s->g, before, type_elements(s->g, x->arg[k]->type));
	}
	const Size *own = type_elements(s->g, x->type);
	if (made || !arrays || !size_at_most(s->g, before, own)) {
		list_put(s->a, &p->list, 1, &x);
		p->elements = size_add(s->g, p->elements, own);
		return true;
	}
	for (uint32_t k = 0; k < x->narg; k++) {
		uint32_t at = region_place(r, x->arg[k]);
		if (at != UINT32_MAX && p->of[at]) p->asked[at] = true;
	}
	return true;
}

/* Where the passes read parts of an element alone, as a cell of a chart, these are kept and not the whole. */
static void keep_parts(Again *s, Node *leaf)
{
	const Region *r = s->walks.r;
	TraceParts p = {.of = NEW_ARRAY(s->a, bool, r->n), .asked = NEW_ARRAY(s->a, bool, r->n),
		.elements = size_const(s->g, 0)};
	bool some = true;
	find_parts(s, leaf, &p);
	for (uint32_t i = r->n; i-- && some && !s->g->error.code;)
		if (p.asked[i] && p.of[i]) some = put_part(s, &p, r->node[i], leaf);
	if (!some || s->g->error.code || !is_half(p.elements, type_elements(s->g, leaf->type))) return;
	for (uint32_t i = 0; i < p.list.n; i++) {
		Node *y = has_value(s, p.list.v[i]) ? NULL : as_made(s, p.list.v[i]);
		if (y) add(s, p.list.v[i], y);
	}
}

/* Does `made` stack it for nobody but loops that walk along it? */
static bool is_walked_alone(const Again *s, const Stacking *all, const Node *x)
{
	if (!is_trace(x) || x->arg[0] != s->made->pass.x) return false;
	uint32_t place = region_place(all->r, x);
	return all->used[place] == all->walked[place];
}

static void find_parts_of_traces(Again *s, const Stacking *all)
{
	const LoopPass *w = &s->walks;
	for (uint32_t i = 0; i < w->sequences && !s->g->error.code; i++) {
		Node *x = w->x->arg[1 + w->carries + i], *leaf = w->o.param[1 + w->carries + i];
		if (is_walked_alone(s, all, x) && region_place(w->r, leaf) != UINT32_MAX) keep_parts(s, leaf);
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

/* What of a pass of `walks`, as it is, the loop before makes too. */
static void know_pass(Again *p)
{
	p->known = NEW_ARRAY(p->a, bool, p->walks.r->n);
	p->user = NEW_ARRAY(p->a, Node *, p->walks.r->n);
	idmap_open(&p->in_made, p->a);
	pair_elements(p);
	spread_known(p);
}

static bool find_known(Again *p, Node *walks)
{
	if (!pass_open(p->g, p->a, walks, &p->walks)) return false;
	know_pass(p);
	return !p->g->error.code;
}

/* Rows of what `made` stacks for loops alone are made of their cells, which it stacks instead. */
static bool find_cells(Again *p, const Stacking *all)
{
	const LoopPass *w = &p->walks;
	bool *trace = NEW_ARRAY(p->a, bool, w->sequences + 1);
	for (uint32_t i = 0; i < w->sequences; i++)
		trace[i] = is_walked_alone(p, all, w->x->arg[1 + w->carries + i]);
	Cells c = {0};
	if (!cells_apart(p->g, p->a, &p->made->pass, &p->walks, trace, &c)) return false;
	for (uint32_t i = 0; i < c.value.n; i++) add(p, c.leaf.v[i], c.value.v[i]);
	return true;
}

/* Does `walks` make again what `made` has? */
static bool is_pair(Stacking *s, Node *made, Node *walks)
{
	Graph *g = s->g;
	if (made->arg[0] != walks->arg[0] || idmap_get(&s->again, made->id)) return false;
	Again *p = NEW(s->a, Again);
	*p = (Again){.g = g, .a = s->a, .made = made_of(s, made), .room = size_const(g, 0)};
	if (!p->made || !find_known(p, walks)) return false;
	Node *apart = sides_apart(g, s->a, &p->walks, p->known);
	if (!apart || (apart != walks && !find_known(p, apart))) return false;
	if (!reads_apart(g, s->a, made, &p->walks, p->known) || !find_cells(p, s)) return false;
	know_pass(p);
	for (uint32_t i = 0; i < p->made->pass.carries; i++)
		p->room = size_add(g, p->room, type_elements(g, made->type->u.elem[i]));
	find_users(p);
	find_made(p);
	add_served_by_traces(p, s);
	find_parts_of_traces(p, s);
	if (!p->n || g->error.code) return false;
	idmap_put(&s->again, walks->id, p);
	return true;
}

/* What the results are made of, and how often each is asked for. */
static void survey(Stacking *s, uint32_t n, Node *const *roots)
{
	s->r = region_of(s->a, n, roots);
	s->used = NEW_ARRAY(s->a, uint32_t, s->r->n);
	for (uint32_t i = 0; i < n; i++) s->used[region_place(s->r, roots[i])]++;
	for (uint32_t i = 0; i < s->r->n; i++)
		for (uint32_t k = 0; k < s->r->node[i]->narg; k++)
			s->used[region_place(s->r, s->r->node[i]->arg[k])]++;
	s->walked = NEW_ARRAY(s->a, uint32_t, s->r->n);
	for (uint32_t i = 0; i < s->r->n; i++) {
		const Node *x = s->r->node[i];
		uint32_t own = is_counted(x) ? 1 + scan_carries(x) : 0;
		for (uint32_t k = 0; own && k < scan_sequences(x); k++)
			if (is_trace(x->arg[own + k]) && x->arg[own + k]->arg[0]->arg[0] == x->arg[0])
				s->walked[region_place(s->r, x->arg[own + k])]++;
	}
}

static void find_pairs(Stacking *s)
{
	const Region *r = s->r;
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
static void replace_pairs(Stacking *s, uint32_t n, Node **roots)
{
	Graph *g = s->g;
	const Region *r = s->r;
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
	survey(&s, n, roots);
	idmap_open(&s.made, s.a);
	idmap_open(&s.again, s.a);
	find_pairs(&s);
	if (s.found && !g->error.code) replace_pairs(&s, n, roots);
	arena_free(s.a);
	return s.found && !g->error.code;
}

enum { ROUNDS = 32 }; /* what is found after a walk hangs on what was found by it */

static bool stack_all(Graph *g, uint32_t n, Node **roots)
{
	for (uint32_t i = 0; i < ROUNDS && stack_found(g, n, roots); i++) {}
	return !g->error.code;
}

Function *diff_stack_function(Graph *g, Function *f)
{
	return body_any(g, f, (NodeKind){1u << CONTROL, is_counted}) ? all_through(g, f, stack_all) : f;
}
