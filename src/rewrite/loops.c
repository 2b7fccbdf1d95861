/* loops.c - loops of no pass or one, values that are carried or stacked twice, one element of a trace.
 *
 * Needs: a SCAN over normal operands, or an index of what one stacks.
 * Gives: the same results, to the bit; the node itself, or NULL from an index, where there is nothing to do.
 */
#include "../ir/pass.h"
#include "rules.h"

static bool is_array(const Type *t)
{
	return t->kind == TYPE_ARRAY;
}

/* The results, if they are of the types that the loop's are. */
static Node *in_place_of(Graph *g, Node *x, uint32_t n, Node *const *result)
{
	for (uint32_t i = 0; i < n; i++)
		if (!result[i] || result[i]->type != x->type->u.elem[i]) return x;
	return tuple(g, n, result);
}

/* ---- few passes ---------------------------------------------------------------------------- */

static Node *no_pass(Graph *g, Arena *a, Node *x)
{
	uint32_t n = x->type->n, carries = scan_carries(x);
	Node **result = NEW_ARRAY(a, Node *, n);
	for (uint32_t i = 0; i < n; i++)
		result[i] = i < carries ? x->arg[1 + i] : constant_int(g, x->type->u.elem[i], 0);
	return in_place_of(g, x, n, result);
}

static Node *one_pass(Graph *g, Arena *a, Node *x)
{
	uint32_t n = x->type->n, carries = scan_carries(x), sequences = scan_sequences(x);
	Node **result = NEW_ARRAY(a, Node *, n), *first = constant_int(g, type_scalar(g, DT_I64), 0);
	Opened o = scan_open(g, a, x);
	IdMap map;
	idmap_open(&map, a);
	if (g->error.code) return NULL;
	idmap_put(&map, o.param[0]->id, first);
	for (uint32_t i = 1; i <= carries + sequences; i++) {
		Node *given = i <= carries ? x->arg[i] : gather(g, x->arg[i], first, 0);
		if (!given || given->type != o.param[i]->type) return x;
		idmap_put(&map, o.param[i]->id, given);
	}
	rebuild(g, (Nodes){n, o.result}, &map, NULL, NULL, result);
	if (g->error.code) return NULL;
	for (uint32_t i = carries; i < n; i++) result[i] = unsqueeze(g, result[i], 1, (int64_t[]){0});
	return in_place_of(g, x, n, result);
}

Node *without_passes(Graph *g, Arena *a, Node *x)
{
	int64_t steps;
	if (scan_is_while(x) || !constant_integer(x->arg[0], &steps) || steps < 0 || steps > 1 ||
		!passes_are_elements(g, x))
		return x;
	return steps ? one_pass(g, a, x) : no_pass(g, a, x);
}

/* ---- what is carried or stacked twice --------------------------------------------------------- */

/* May they be equal, for what the closed body shows? */
static bool look_alike(const Node *x, uint32_t i, uint32_t k)
{
	const Node *p = scan_body(x)->result[i], *q = scan_body(x)->result[k];
	if (i >= scan_carries(x)) return p == q && is_array(p->type);
	return x->arg[1 + i] == x->arg[1 + k] && p->op == q->op && p->depth == q->depth &&
		p->type == q->type && p->attr == q->attr && is_array(p->type);
}

/* Each result with the first that looks like it; false: each is its own. */
static bool first_alike(const Node *x, uint32_t *leader)
{
	uint32_t n = scan_body(x)->nresult, carries = scan_carries(x);
	bool any = false;
	for (uint32_t i = 0; i < n; i++) {
		leader[i] = i;
		for (uint32_t k = i < carries ? scan_is_while(x) : carries; k < i && leader[i] == i; k++)
			if (leader[k] == k && look_alike(x, k, i)) leader[i] = k;
		any |= leader[i] != i;
	}
	return any;
}

/* The results where each carried value is the first of those that it is taken to be equal to. */
static bool results_as(
	Graph *g, Arena *a, const Opened *o, uint32_t carries, const uint32_t *leader, Node **result)
{
	IdMap map;
	idmap_open(&map, a);
	for (uint32_t i = 0; i < carries; i++)
		if (leader[i] != i) idmap_put(&map, o->param[1 + i]->id, o->param[1 + leader[i]]);
	rebuild(g, (Nodes){o->nresult, o->result}, &map, NULL, NULL, result);
	return !g->error.code;
}

/* What was taken for equal and is not stands for itself; false: all were. */
static bool part_ways(uint32_t n, Node *const *result, uint32_t *leader)
{
	bool any = false;
	for (uint32_t i = 0; i < n; i++)
		if (result[i] != result[leader[i]]) {
			leader[i] = i;
			any = true;
		}
	return any;
}

Node *distinct_carries(Graph *g, Arena *a, Node *x)
{
	uint32_t n = scan_body(x)->nresult, carries = scan_carries(x), sequences = scan_sequences(x);
	uint32_t *leader = NEW_ARRAY(a, uint32_t, n), *place = NEW_ARRAY(a, uint32_t, n), np = 0, nr = 0,
		 kept = 0;
	if (!first_alike(x, leader)) return x;
	Opened o = scan_open(g, a, x);
	Node **result = NEW_ARRAY(a, Node *, n), **param = NEW_ARRAY(a, Node *, o.nparam),
	     **first = NEW_ARRAY(a, Node *, carries + 1);
	if (g->error.code) return NULL;
	do
		if (!results_as(g, a, &o, carries, leader, result)) return NULL;
	while (part_ways(n, result, leader));
	param[np++] = o.param[0];
	for (uint32_t i = 0; i < n; i++) {
		if (leader[i] != i) continue;
		if (i < carries) {
			param[np++] = o.param[1 + i];
			first[kept++] = x->arg[1 + i];
		}
		place[i] = nr;
		result[nr++] = result[i];
	}
	if (nr == n) return x;
	memcpy(param + np, o.param + 1 + carries, sequences * sizeof *param);
	Closure c;
	if (!body_close(g, scan_body(x)->name, (Nodes){np + sequences, param}, (Nodes){nr, result},
		    (Around){scan_steps(x), captured(x)}, &c))
		return NULL;
	Node *y = scan(g, &c, x->arg[0], (Nodes){kept, first}, (Nodes){sequences, x->arg + 1 + carries},
		scan_way(x));
	for (uint32_t i = 0; i < n; i++) result[i] = get(g, y, place[leader[i]]);
	return in_place_of(g, x, n, result);
}

/* ---- one element of a trace ------------------------------------------------------------------ */

/* The loop with so many passes, and of its traces only that one (0: none). */
static Node *first_passes(Graph *g, Node *x, const Size *passes, uint32_t trace)
{
	Arena *a = arena_child(g->arena);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x);
	Opened o = scan_open(g, a, x);
	Node **result = NEW_ARRAY(a, Node *, carries + 1), **walked = NEW_ARRAY(a, Node *, sequences + 1);
	Node *steps = size_node(g, passes), *y = NULL;
	Closure c;
	for (uint32_t i = 0; i < carries; i++) result[i] = o.result[i];
	if (trace) result[carries] = o.result[trace];
	for (uint32_t i = 0; i < sequences; i++)
		walked[i] = rows(g, x->arg[1 + carries + i], size_const(g, 0), passes);
	if (!g->error.code &&
		body_close(g, scan_body(x)->name, (Nodes){1 + carries + sequences, o.param},
			(Nodes){carries + (trace != 0), result}, (Around){steps, captured(x)}, &c))
		y = scan(g, &c, steps, (Nodes){carries, x->arg + 1}, (Nodes){sequences, walked}, scan_way(x));
	arena_free(a);
	return y;
}

/* Which carried value, + 1, does the body give as this result: as it comes into the pass, or as it leaves? */
static uint32_t carried_as(const Node *x, const Node *result, bool *comes)
{
	uint32_t carries = scan_carries(x);
	*comes = result->op == OP_PARAM && attr_int(result, 0) >= 1 && attr_int(result, 0) <= carries;
	if (*comes) return (uint32_t)attr_int(result, 0);
	for (uint32_t i = 0; i < carries; i++)
		if (scan_body(x)->result[i] == result) return i + 1;
	return 0;
}

/* out[k] of what a loop stacks is what it carries after k passes, or k + 1, and needs no more of them. */
Node *pass_of_trace(Graph *g, Node *gathered, const Size *k, const Moves *m)
{
	Node *f = gathered->arg[0], *x = f->op == OP_GET ? f->arg[0] : NULL;
	bool comes;
	if (!x || x->op != OP_SCAN || attr_int(gathered, 0) || scan_way(x) ||
		attr_int(f, 0) < scan_carries(x))
		return NULL;
	for (uint32_t i = 0; i < x->type->n; i++)
		if (!is_array(x->type->u.elem[i])) return NULL;
	const Size *steps = size_of_node(g, x->arg[0]), *next = size_add(g, k, size_const(g, 1));
	uint32_t trace = (uint32_t)attr_int(f, 0),
		 carried = carried_as(x, scan_body(x)->result[trace], &comes);
	if (!steps || !size_at_most(g, next, steps) || !size_at_most(g, size_const(g, 0), k)) return NULL;
	if (carried && comes && size_equals(k, 0)) return x->arg[carried];
	bool alone = !needed_twice(m->needs, x) && !needed_twice(m->needs, f);
	if (!alone) return carried && !comes && next == steps ? get(g, x, carried - 1) : NULL;
	if (!carried && next == steps) return NULL;
	Node *y = first_passes(g, x, carried && comes ? k : next, carried ? 0 : trace);
	return carried ? get(g, y, carried - 1) : gather(g, get(g, y, scan_carries(x)), gathered->arg[1], 0);
}
