/* captures.c - a loop whose captured operands have become equal takes each of them once, and none that its
 * body uses no more; a carried value that no step changes is captured.
 *
 * Rewriting makes equal what was written differently: inside the body these are still parameters of their
 * own, and no rule sees that they are one.  A value that never changes comes from derivatives: the cotangent
 * of a sum that a loop collects is 1 in every step.
 */
#include "rules.h"

static bool twice(const Node *x)
{
	uint32_t first = 1 + scan_carries(x) + scan_sequences(x), n = node_operands(x);
	for (uint32_t i = first; i < n; i++)
		for (uint32_t k = first; k < i; k++)
			if (x->arg[i] == x->arg[k]) return true;
	return false;
}

/* Does the body use each of its parameters that is captured? */
static bool all_used(Graph *g, Arena *scratch, const Node *x)
{
	Function *f = scan_body(x);
	Region *r = function_region(g, f);
	bool *used = NEW_ARRAY(scratch, bool, f->nparam);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i]->op == OP_PARAM) used[attr_int(r->node[i], 0)] = true;
	for (uint32_t i = 1 + scan_carries(x) + scan_sequences(x); i < f->nparam; i++)
		if (!used[i]) return false;
	return true;
}

Node *distinct_captures(Graph *g, Arena *scratch, Node *x)
{
	if (!twice(x) && all_used(g, scratch, x)) return x;
	const Function *f = scan_body(x);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x);
	Opened o = scan_open(g, scratch, x);
	Closure c;
	if (g->error.code ||
		!body_close(g, f->name, (Nodes){1 + carries + sequences, o.param},
			(Nodes){o.nresult, o.result}, (Around){scan_steps(x), captured(x)}, &c))
		return NULL;
	Node *fewer = scan(g, &c, x->arg[0], (Nodes){carries, x->arg + 1},
		(Nodes){sequences, x->arg + 1 + carries}, scan_way(x));
	return !fewer || node_operands(fewer) < node_operands(x) ? fewer : x; /* what only sizes use stays */
}

/* ---- carried values that no step changes ------------------------------------------------ */

static bool is_still(const Node *x, uint32_t i)
{
	const Node *r = scan_body(x)->result[i];
	if (!i && scan_is_while(x)) return false; /* it ends the loop, or nothing does */
	return r->op == OP_PARAM && attr_int(r, 0) == 1 + (int64_t)i;
}

static bool has_still(const Node *x)
{
	for (uint32_t i = 0; i < scan_carries(x); i++)
		if (is_still(x, i)) return true;
	return false;
}

/* The results of x: of a still value its first, of the others what the shorter loop gives. */
static Node *all_results(Graph *g, Node *x, Node *shorter, const unsigned char *still)
{
	uint32_t n = scan_body(x)->nresult, k = 0;
	Node **result = NEW_ARRAY(g->arena, Node *, n);
	for (uint32_t i = 0; i < n; i++) {
		bool first = i < scan_carries(x) && still[i];
		result[i] = first ? x->arg[1 + i] : get(g, shorter, k++);
		if (!result[i]) return NULL;
	}
	return tuple(g, n, result);
}

Node *without_still(Graph *g, Arena *scratch, Node *x)
{
	if (!has_still(x)) return x;
	const Function *f = scan_body(x);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x), np = 0, nr = 0, kept = 0;
	Opened o = scan_open(g, scratch, x);
	if (g->error.code) return NULL;
	unsigned char *still = NEW_ARRAY(scratch, unsigned char, carries);
	Node **params = NEW_ARRAY(scratch, Node *, o.nparam),
	     **firsts = NEW_ARRAY(scratch, Node *, carries + 1),
	     **results = NEW_ARRAY(scratch, Node *, o.nresult);
	IdMap map;
	idmap_open(&map, scratch);
	for (uint32_t i = 0; i < 1 + carries + sequences; i++) {
		bool carry = i && i <= carries;
		if (carry && is_still(x, i - 1) && o.param[i]->type == x->arg[i]->type) {
			still[i - 1] = 1;
			idmap_put(&map, o.param[i]->id, x->arg[i]);
			continue;
		}
		params[np++] = o.param[i];
		if (carry) firsts[kept++] = x->arg[i];
	}
	for (uint32_t i = 0; i < o.nresult; i++)
		if (i >= carries || !still[i]) results[nr++] = o.result[i];
	if (kept == carries) return x;
	Node *shorter = NULL;
	if (nr) {
		Closure c;
		Nodes operands = {node_operands(x) - 1, x->arg + 1}; /* a still value's first too */
		rebuild(g, (Nodes){nr, results}, &map, NULL, NULL, results);
		if (g->error.code ||
			!body_close(g, f->name, (Nodes){np, params}, (Nodes){nr, results},
				(Around){scan_steps(x), operands}, &c))
			return NULL;
		shorter = scan(g, &c, x->arg[0], (Nodes){kept, firsts},
			(Nodes){sequences, x->arg + 1 + carries}, scan_way(x));
		if (!shorter) return NULL;
	}
	return all_results(g, x, shorter, still);
}
