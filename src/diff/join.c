/* join.c - loops that walk along what loops before them stack, in the same direction, are one with those.
 *
 * Tangents of a loop are carried by a loop of their own over the states of the first.  Where it asks for
 * nothing that is known only when that has ended, both take their passes together: no state is stacked for
 * it, and what both make of one is made once.  A loop whose number of passes another one's condition says
 * stays where anything is stacked still, as it is written down by that; else both are part of that one then.
 *
 * Loops that are one make a train.  Each train has a number, and whatever hangs on it has that at least; so a
 * loop can join one whose number is above that of all else it asks for, and nothing goes in a circle,
 * however many trains there are.  One walk over the graph finds all; they are made in the order of their
 * numbers.  What the order of the walk alone has kept apart is found by another, which begins with that.
 * needs: nodes in any state; gives: the same values, to the bit
 */
#include "merge.h"

#include <stdlib.h>

typedef struct Train Train;

/* A loop that may take its passes with others. */
typedef struct Car {
	Node *x;
	Train *train;
	List read;               /* the GET nodes of it */
	uint32_t carried, trace; /* where its carried values stand, its traces after all that is carried */
	struct Car *next;        /* of the train */
} Car;

struct Train {
	Car *first, *last;
	uint32_t n, number;
	uint32_t asks; /* the greatest number of what they ask for beside elements of one another */
	Train *into;   /* the one that it is a part of */
};

typedef struct Join {
	Graph *g;
	Arena *a;
	Region *r;
	IdMap cars;       /* by loop */
	const bool *open; /* see open_loops */
	uint32_t *number; /* by place: the greatest of what it hangs on */
	Train **train;    /* by number, from 1 on */
	uint32_t ntrain, train_cap;
	List wish;        /* what has to be walked over first, so that more can join */
} Join;

static bool says_passes(const Node *x)
{
	const Node *steps = x->arg[0];
	return steps->op == OP_GET && steps->arg[0]->op == OP_SCAN && scan_is_while(steps->arg[0]);
}

/* The loop whose trace this is, or NULL. */
static Node *traced(const Node *x)
{
	bool of_loop = x->op == OP_GET && x->arg[0]->op == OP_SCAN;
	return of_loop && attr_int(x, 0) >= scan_carries(x->arg[0]) ? x->arg[0] : NULL;
}

static bool walks_along(const Node *x, uint32_t k, const Node *loop)
{
	uint32_t own = 1 + scan_carries(x);
	return k >= own && k < own + scan_sequences(x) && x->arg[0] == loop->arg[0] &&
		scan_way(x) == scan_way(loop);
}

/* A loop is open where another than a loop that is not reads what it stacks, or where it walks along anything
 * else.  Gives whether there are more of them now. */
static bool opened(const Region *r, bool *open)
{
	bool more = false;
	for (uint32_t i = r->n; i--;) /* readers before what they read */
		for (uint32_t k = 0; k < r->node[i]->narg; k++) {
			const Node *x = r->node[i], *loop = traced(x->arg[k]);
			uint32_t at = loop ? region_place(r, loop) : 0;
			if (!loop || open[at] || (!open[i] && walks_along(x, k, loop))) continue;
			more = open[at] = true;
		}
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t k = 0; !open[i] && k < scan_sequences(r->node[i]); k++) {
			uint32_t at = 1 + scan_carries(r->node[i]) + k;
			const Node *x = r->node[i], *loop = traced(x->arg[at]);
			if (loop && walks_along(x, at, loop) && !open[region_place(r, loop)]) continue;
			more = open[i] = true;
		}
	return more;
}

/* By place: all but loops of as many passes as a condition says that stack for one another alone.  Such are
 * one that stacks nothing, which is part of the loop with the condition then. */
static const bool *open_loops(Arena *a, const Region *r, uint32_t n, Node *const *roots)
{
	bool *open = NEW_ARRAY(a, bool, r->n + 1);
	for (uint32_t i = 0; i < r->n; i++) {
		const Node *x = r->node[i];
		open[i] = !is_counted(x) || !says_passes(x) || !scan_carries(x);
	}
	for (uint32_t i = 0; i < n; i++)
		if (roots[i] && traced(roots[i])) open[region_place(r, traced(roots[i]))] = true;
	while (opened(r, open)) {}
	return open;
}

static bool may_join(const Join *j, uint32_t place)
{
	const Node *x = j->r->node[place];
	return is_counted(x) && scan_carries(x) && !(says_passes(x) && j->open[place]);
}

static Train *train_of(const Car *c)
{
	Train *t = c->train;
	while (t->into) t = t->into;
	return t;
}

static bool is_element(const Node *x, uint32_t operand)
{
	uint32_t own = 1 + scan_carries(x);
	return operand >= own && operand < own + scan_sequences(x);
}

/* The loop that stacks what x walks along by this operand; NULL: none that it may join. */
static Car *stacked_by(const Join *j, const Node *x, uint32_t operand)
{
	const Node *s = x->arg[operand], *of = s->op == OP_GET ? s->arg[0] : NULL;
	if (!of || of->op != OP_SCAN || !is_element(x, operand)) return NULL;
	if (attr_int(s, 0) < scan_carries(of)) return NULL;
	if (of->arg[0] != x->arg[0] || scan_way(of) != scan_way(x)) return NULL;
	return idmap_get(&j->cars, of->id);
}

/* ---- which loops are one ----------------------------------------------------------------- */

static void couple(Train *t, Car *c)
{
	if (t->last)
		t->last->next = c;
	else
		t->first = c;
	t->last = c;
	t->n++;
	c->train = t;
}

/* t is a part of u, which has the lower number. */
static Train *couple_trains(Train *u, Train *t)
{
	u->last->next = t->first;
	u->last = t->last;
	u->n += t->n;
	u->asks = t->asks > u->asks ? t->asks : u->asks;
	t->into = u;
	return u;
}

static uint32_t number_of(const Join *j, const Node *x)
{
	return j->number[region_place(j->r, x)];
}

/* The greatest number of what x asks for, but for elements of trains of this number and above. */
static uint32_t asks_beside(const Join *j, const Node *x, uint32_t least)
{
	uint32_t most = 0;
	for (uint32_t k = 0; k < x->narg; k++) {
		const Car *of = stacked_by(j, x, k);
		uint32_t one = of ? train_of(of)->number : number_of(j, x->arg[k]);
		if (of && one >= least) continue;
		most = one > most ? one : most;
	}
	return most;
}

/* Of the trains that x walks along, the one of the greatest number below this one. */
static Train *walked_below(const Join *j, const Node *x, uint32_t number)
{
	Train *best = NULL;
	for (uint32_t k = 0; k < x->narg; k++) {
		const Car *of = stacked_by(j, x, k);
		Train *t = of ? train_of(of) : NULL;
		if (t && t->number < number && (!best || t->number > best->number)) best = t;
	}
	return best;
}

/* What x asks for beside elements of the train is wished for before it, if that is what keeps them apart. */
static void wish(Join *j, const Node *x, const Train *t)
{
	const Node *loop = NULL;
	List beside = {0};
	for (uint32_t k = 0; k < x->narg; k++) {
		const Car *of = stacked_by(j, x, k);
		if (of && !loop && train_of(of) == t) loop = of->x;
		if (!of) list_put(j->a, &beside, 1, &x->arg[k]);
	}
	if (!asks_for(j->a, (Nodes){beside.n, beside.v}, loop))
		list_put(j->a, &j->wish, beside.n, beside.v);
}

/* The trains that x walks along and can be one with, as one; NULL: it begins one. */
static Train *train_for(Join *j, const Node *x)
{
	Train *all = NULL, *t = walked_below(j, x, UINT32_MAX);
	uint32_t beside = asks_beside(j, x, 1);
	if (t && beside >= t->number) wish(j, x, t);
	while (t && beside < t->number && (!all || all->asks < t->number)) {
		all = all ? couple_trains(t, all) : t;
		t = walked_below(j, x, all->number);
	}
	return all;
}

static void board(Join *j, Node *x)
{
	Car *c = NEW(j->a, Car);
	c->x = x;
	Train *t = train_for(j, x);
	if (!t) {
		t = NEW(j->a, Train);
		GROW(j->a, j->train, j->ntrain, j->train_cap);
		j->train[j->ntrain++] = t;
		t->number = j->ntrain;
	}
	uint32_t asks = asks_beside(j, x, t->number);
	t->asks = asks > t->asks ? asks : t->asks;
	couple(t, c);
	idmap_put(&j->cars, x->id, c);
}

/* Every loop in its train; are there trains of several? */
static bool find_trains(Join *j, uint32_t n, Node *const *roots)
{
	List all = {0};
	bool any = false;
	list_put(j->a, &all, j->wish.n, j->wish.v);
	list_put(j->a, &all, n, roots);
	j->r = region_of(j->a, all.n, all.v);
	j->open = open_loops(j->a, j->r, n, roots);
	j->number = NEW_ARRAY(j->a, uint32_t, j->r->n + 1);
	j->wish.n = j->ntrain = 0;
	idmap_open(&j->cars, j->a);
	for (uint32_t i = 0; i < j->r->n; i++) {
		Node *x = j->r->node[i];
		for (uint32_t k = 0; k < x->narg; k++) {
			uint32_t one = number_of(j, x->arg[k]);
			j->number[i] = one > j->number[i] ? one : j->number[i];
		}
		Car *of = x->op == OP_GET ? idmap_get(&j->cars, x->arg[0]->id) : NULL;
		if (of) list_put(j->a, &of->read, 1, &x);
		if (!may_join(j, i)) continue;
		board(j, x);
		Train *t = train_of(idmap_get(&j->cars, x->id));
		j->number[i] = t->number;
		any |= t->n > 1;
	}
	return any;
}

/* ---- the loop that a train is ------------------------------------------------------------ */

typedef struct Both {
	Join *j;
	IdMap pass;    /* leaves of each loop, and what they capture -> nodes of a pass of all */
	IdMap element; /* what is walked along -> its node in a pass */
	Node *index;
	List leaf, first, next;  /* of what is carried */
	List element_leaf, sequence;
	List trace, outside;
} Both;

static void open_elements(Both *b, const Node *x, const Opened *o)
{
	Arena *a = b->j->a;
	uint32_t own = 1 + scan_carries(x);
	for (uint32_t i = 0; i < scan_sequences(x); i++) {
		Node *s = x->arg[own + i], *y = idmap_get(&b->element, s->id);
		if (!y) {
			y = o->param[own + i];
			idmap_put(&b->element, s->id, y);
			list_put(a, &b->element_leaf, 1, &y);
			list_put(a, &b->sequence, 1, &s);
		}
		idmap_put(&b->pass, o->param[own + i]->id, y);
	}
}

/* A pass of the loop after those of the ones before it. */
static bool add_car(Both *b, Car *c)
{
	Join *j = b->j;
	const Node *x = c->x;
	uint32_t carries = scan_carries(x);
	Nodes outside = captured(x);
	Opened o = scan_open(j->g, j->a, c->x);
	if (j->g->error.code) return false;
	if (!b->index) b->index = o.param[0];
	idmap_put(&b->pass, o.param[0]->id, b->index);
	for (uint32_t i = 0; i < outside.n; i++) idmap_put(&b->pass, outside.v[i]->id, outside.v[i]);
	open_elements(b, x, &o);
	Node **own = NEW_ARRAY(j->a, Node *, o.nresult);
	rebuild(j->g, (Nodes){o.nresult, o.result}, &b->pass, NULL, NULL, own);
	if (j->g->error.code) return false;
	c->carried = b->next.n;
	c->trace = b->trace.n;
	list_put(j->a, &b->leaf, carries, o.param + 1);
	list_put(j->a, &b->first, carries, x->arg + 1);
	list_put(j->a, &b->next, carries, own);
	list_put(j->a, &b->trace, o.nresult - carries, own + carries);
	list_put(j->a, &b->outside, outside.n, outside.v);
	for (uint32_t i = 0; i < c->read.n; i++)
		if (attr_int(c->read.v[i], 0) >= carries)
			idmap_put(&b->element, c->read.v[i]->id, own[attr_int(c->read.v[i], 0)]);
	return true;
}

static int in_order(const void *a, const void *b)
{
	const Car *x = *(Car *const *)a, *y = *(Car *const *)b;
	return x->x->id < y->x->id ? -1 : x->x->id > y->x->id;
}

/* Operands were made before what they are of. */
static void put_in_order(Join *j, Train *t)
{
	Car **car = NEW_ARRAY(j->a, Car *, t->n), *c = t->first;
	for (uint32_t i = 0; i < t->n; i++, c = c->next) car[i] = c;
	qsort(car, t->n, sizeof *car, in_order);
	for (uint32_t i = 0; i < t->n; i++) car[i]->next = i + 1 < t->n ? car[i + 1] : NULL;
	t->first = car[0];
}

/* Carried values of all, then traces of all. */
static Node *one_loop(Join *j, const Train *t)
{
	Both b = {.j = j};
	List param = {0};
	Closure close;
	const Node *x = t->first->x;
	idmap_open(&b.pass, j->a);
	idmap_open(&b.element, j->a);
	for (Car *c = t->first; c; c = c->next)
		if (!add_car(&b, c)) return NULL;
	list_put(j->a, &param, 1, &b.index);
	list_put(j->a, &param, b.leaf.n, b.leaf.v);
	list_put(j->a, &param, b.element_leaf.n, b.element_leaf.v);
	Nodes first = {b.first.n, b.first.v}, sequence = {b.sequence.n, b.sequence.v};
	list_put(j->a, &b.next, b.trace.n, b.trace.v);
	if (!body_close(j->g, scan_body(x)->name, (Nodes){param.n, param.v}, (Nodes){b.next.n, b.next.v},
		    (Around){scan_steps(x), {b.outside.n, b.outside.v}}, &close))
		return NULL;
	return scan(j->g, &close, x->arg[0], first, sequence, scan_way(x));
}

/* Where a result of one of its loops stands in that of all. */
static uint32_t place_of(const Car *c, const Node *all, const Node *x)
{
	uint32_t i = (uint32_t)attr_int(x, 0), own = scan_carries(c->x);
	return i < own ? c->carried + i : scan_carries(all) + c->trace + i - own;
}

static bool has_types(const Train *t, const Node *all)
{
	for (const Car *c = t->first; c; c = c->next)
		for (uint32_t i = 0; i < c->read.n; i++) {
			const Node *x = c->read.v[i];
			if (all->type->u.elem[place_of(c, all, x)] != x->type) return false;
		}
	return true;
}

/* What is read of the loops of this train is read of one, over what `now` has. */
static bool make_one(Join *j, Train *t, IdMap *now)
{
	Node *made;
	put_in_order(j, t);
	Node *all = one_loop(j, t);
	if (!all || !has_types(t, all)) return false;
	rebuild(j->g, (Nodes){1, &all}, now, NULL, NULL, &made);
	for (const Car *c = t->first; c && made; c = c->next)
		for (uint32_t i = 0; i < c->read.n; i++)
			idmap_put(now, c->read.v[i]->id, get(j->g, made, place_of(c, all, c->read.v[i])));
	return made && !j->g->error.code;
}

/* All that one walk finds; false: nothing, or an error. */
static bool join_found(Graph *g, uint32_t n, Node **roots)
{
	Join j = {.g = g, .a = arena_child(g->arena)};
	IdMap now;
	bool any = find_trains(&j, n, roots), changed = false;
	if (!any && j.wish.n) any = find_trains(&j, n, roots);
	idmap_open(&now, j.a);
	for (uint32_t i = 0; i < j.ntrain && any && !g->error.code; i++)
		if (!j.train[i]->into && j.train[i]->n > 1) changed |= make_one(&j, j.train[i], &now);
	if (changed && !g->error.code) rebuild(g, (Nodes){n, roots}, &now, NULL, NULL, roots);
	arena_free(j.a);
	return changed && !g->error.code;
}

bool diff_join(Graph *g, uint32_t n, Node **roots)
{
	if (g->error.code) return false;
	g->bodies++;
	while (join_found(g, n, roots)) {}
	g->bodies--;
	return !g->error.code;
}
