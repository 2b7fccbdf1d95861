/* loops.c - derivatives of scans: a linear loop forwards, its transpose backwards.
 *
 * Forwards: the tangents of the carried values are carried by a loop of their
 * own, whose body computes the primal body again from the carried values at
 * the start of each step; the primal loop gives these as further traces
 * (diff_merge makes one loop of it and the loop it came from).
 * Backwards: the cotangents of the carried values are carried, and for each
 * captured operand that is linear an accumulator.
 */
#include "linear.h"

/* A growing list of nodes. */
typedef struct List {
	Arena *a;
	Node **v;
	uint32_t n, cap;
} List;

static void list_add(List *l, Node *x)
{
	GROW(l->a, l->v, l->n, l->cap);
	l->v[l->n++] = x;
}

static Node *zeros_of(Graph *g, const Type *t)
{
	return constant_int(g, t, 0);
}

/* ---- forwards ------------------------------------------------------------------------ */

typedef struct Linearised {
	Opened o;
	uint32_t carries, sequences;
	bool *active;   /* carried */
	Node **leaf;    /* tangent leaves of carried values and of sequences; by parameter */
	Node **tangent; /* of each result */
} Linearised;

/* Tangents of the body's results when the carried values `active` have one. */
static bool body_tangents(Forward *outer, Node *x, Linearised *l)
{
	Graph *g = outer->g;
	Forward f;
	forward_open(&f, g, outer->scratch);
	uint32_t bound = 1 + l->carries + l->sequences;
	forward_seed(&f, l->o.param[0], NULL);
	for (uint32_t i = 1; i < bound; i++) forward_seed(&f, l->o.param[i], l->leaf[i]);
	for (uint32_t i = bound; i < l->o.nparam; i++)
		forward_seed(&f, x->arg[i], forward_of(outer, x->arg[i]));
	if (!forward_run(&f, l->o.nresult, l->o.result)) return false;
	for (uint32_t i = 0; i < l->o.nresult; i++) l->tangent[i] = forward_of(&f, l->o.result[i]);
	return true;
}

/* The least set of carried values with a tangent. */
static bool linearise(Forward *f, Node *x, Linearised *l)
{
	Arena *a = f->scratch;
	l->carries = scan_carries(x), l->sequences = scan_sequences(x);
	l->o = scan_open(f->g, a, x);
	l->active = NEW_ARRAY(a, bool, l->carries);
	l->leaf = NEW_ARRAY(a, Node *, l->o.nparam);
	l->tangent = NEW_ARRAY(a, Node *, l->o.nresult);
	for (uint32_t i = 1; i <= l->carries + l->sequences && !f->g->error.code; i++)
		if (forward_of(f, x->arg[i])) {
			l->leaf[i] = differential_leaf(f->g, l->o.param[i]);
			if (i <= l->carries) l->active[i - 1] = true;
		}
	for (bool more = true; more;) {
		more = false;
		if (f->g->error.code || !body_tangents(f, x, l)) return false;
		for (uint32_t i = 0; i < l->carries; i++)
			if (l->tangent[i] && !l->active[i]) {
				l->active[i] = more = true;
				l->leaf[1 + i] = differential_leaf(f->g, l->o.param[1 + i]);
			}
	}
	return true;
}

/* The same loop with the carried values before each step as further traces. */
static Node *with_carried_traces(
	Graph *g, Arena *a, Node *x, const Opened *o, uint32_t n, const uint32_t *which)
{
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x);
	Node **result = NEW_ARRAY(a, Node *, o->nresult + n);
	memcpy(result, o->result, o->nresult * sizeof *result);
	for (uint32_t i = 0; i < n; i++) result[o->nresult + i] = o->param[1 + which[i]];
	Closure c;
	if (!function_close(g, "body", FN_BODY, NULL, NULL, 1 + carries + sequences, o->param, o->nresult + n,
		    result, &c))
		return NULL;
	return scan(g, &c, x->arg[0], carries, x->arg + 1, sequences, x->arg + 1 + carries, scan_is_back(x));
}

bool forward_scan(Forward *f, Node *x, Tangent *t)
{
	Graph *g = f->g;
	Arena *a = f->scratch;
	Linearised l;
	if (!linearise(f, x, &l)) return false;
	/* results of the linear body: next tangents, then those of traces that have one */
	List result = {.a = a}, param = {.a = a}, first = {.a = a}, seq = {.a = a};
	uint32_t *carried = NEW_ARRAY(a, uint32_t, l.carries), ncarried = 0, ntrace = 0;
	list_add(&param, l.o.param[0]);
	for (uint32_t i = 0; i < l.carries; i++)
		if (l.active[i]) {
			Node *v = forward_of(f, x->arg[1 + i]);
			list_add(&param, l.leaf[1 + i]);
			list_add(&first, v ? v : like(g, x->arg[1 + i], 0));
			list_add(&result, l.tangent[i] ? l.tangent[i] : zeros_of(g, l.leaf[1 + i]->type));
			ncarried++;
		}
	for (uint32_t i = l.carries; i < l.o.nresult; i++)
		if (l.tangent[i]) {
			list_add(&result, l.tangent[i]);
			ntrace++;
		}
	if (!result.n) return true;
	/* sequences: what the body uses of carried values (as traces), elements, and tangents of elements */
	Region *r = region_of(a, result.n, result.v);
	uint32_t nkept = 0;
	for (uint32_t i = 0; i < l.carries; i++)
		if (region_place(r, l.o.param[1 + i]) != UINT32_MAX) carried[nkept++] = i;
	Node *full = nkept ? with_carried_traces(g, a, x, &l.o, nkept, carried) : NULL;
	for (uint32_t i = 0; i < nkept && full; i++) {
		list_add(&param, l.o.param[1 + carried[i]]);
		list_add(&seq, get(g, full, l.o.nresult + i));
	}
	for (uint32_t i = 1 + l.carries; i < 1 + l.carries + l.sequences; i++) {
		if (region_place(r, l.o.param[i]) != UINT32_MAX) {
			list_add(&param, l.o.param[i]);
			list_add(&seq, x->arg[i]);
		}
		if (l.leaf[i]) {
			list_add(&param, l.leaf[i]);
			list_add(&seq, forward_of(f, x->arg[i]));
		}
	}
	Closure c;
	if (g->error.code ||
		!function_close(g, "tangent", FN_BODY, NULL, NULL, param.n, param.v, result.n, result.v, &c))
		return false;
	Node *linear = scan(g, &c, x->arg[0], first.n, first.v, seq.n, seq.v, scan_is_back(x));
	uint32_t k = 0;
	for (uint32_t i = 0; linear && i < l.carries; i++)
		if (l.active[i]) t->elem[i] = get(g, linear, k++);
	for (uint32_t i = l.carries; linear && i < l.o.nresult; i++)
		if (l.tangent[i]) t->elem[i] = get(g, linear, k++);
	return linear != NULL;
}

/* ---- backwards --------------------------------------------------------------------------- */

bool reverse_scan(Graph *g, Node *x, const bool *linear, Node *const *cotangent, Node **out)
{
	Arena *a = arena_child(g->arena);
	uint32_t carries = scan_carries(x), sequences = scan_sequences(x), bound = 1 + carries + sequences;
	Opened o = scan_open(g, a, x);
	Function *f = scan_body(x);
	/* What a linear loop carries are tangents, also where they begin as zeros.
	 * A captured operand that is linear gets a leaf of its own within the body. */
	List leaf = {.a = a};
	uint32_t *operand = NEW_ARRAY(a, uint32_t, o.nparam);
	for (uint32_t i = 1; i < o.nparam; i++)
		if (linear[i] || i <= carries) {
			if (i >= bound) o.param[i] = fresh(g, x->arg[i]->type, leaf_name(x->arg[i]));
			operand[leaf.n] = i;
			list_add(&leaf, o.param[i]);
		}
	const Size **size = NEW_ARRAY(a, const Size *, f->nsize);
	for (uint32_t i = 0; i < f->nsize; i++) size[i] = x->attr->v[4 + i].u.size;
	function_inline(g, f, size, o.param, o.result);
	/* cotangents of the body's results: carried ones are carried, those of traces are walked */
	List param = {.a = a}, first = {.a = a}, seq = {.a = a}, result = {.a = a};
	Node **u = NEW_ARRAY(a, Node *, o.nresult);
	list_add(&param, o.param[0]);
	for (uint32_t i = 0; i < carries && !g->error.code; i++) {
		u[i] = fresh(g, o.result[i]->type, leaf_name(o.param[1 + i]));
		list_add(&param, u[i]);
		list_add(&first, cotangent[i] ? cotangent[i] : zeros_of(g, x->type->u.elem[i]));
	}
	uint32_t naccumulate = 0;
	Node **sum = NEW_ARRAY(a, Node *, o.nparam);
	for (uint32_t k = 0; k < leaf.n && !g->error.code; k++)
		if (operand[k] >= bound) {
			sum[operand[k]] = fresh(g, leaf.v[k]->type, leaf_name(leaf.v[k]));
			list_add(&param, sum[operand[k]]);
			list_add(&first, zeros_of(g, leaf.v[k]->type));
			naccumulate++;
		}
	for (uint32_t i = carries; i < o.nresult && !g->error.code; i++)
		if (cotangent[i]) {
			u[i] = fresh(g, o.result[i]->type, NULL);
			list_add(&param, u[i]);
			list_add(&seq, cotangent[i]);
		}
	for (uint32_t i = 1 + carries; i < bound; i++)
		if (!linear[i]) {
			list_add(&param, o.param[i]);
			list_add(&seq, x->arg[i]);
		}
	Node **back = NEW_ARRAY(a, Node *, leaf.n);
	if (g->error.code || !transpose_linear(g, o.nresult, o.result, u, leaf.n, leaf.v, back)) {
		arena_free(a);
		return false;
	}
	for (uint32_t k = 0; k < leaf.n; k++)
		if (operand[k] <= carries)
			list_add(&result, back[k] ? back[k] : zeros_of(g, leaf.v[k]->type));
	for (uint32_t k = 0; k < leaf.n; k++)
		if (operand[k] >= bound)
			list_add(&result,
				back[k] ? build2(g, OP_ADD, sum[operand[k]], back[k]) : sum[operand[k]]);
	for (uint32_t k = 0; k < leaf.n; k++)
		if (operand[k] > carries && operand[k] < bound)
			list_add(&result, back[k] ? back[k] : zeros_of(g, leaf.v[k]->type));
	Closure c;
	Node *turned = NULL;
	if (!g->error.code &&
		function_close(g, "reverse", FN_BODY, NULL, NULL, param.n, param.v, result.n, result.v, &c))
		turned = scan(g, &c, x->arg[0], first.n, first.v, seq.n, seq.v, !scan_is_back(x));
	uint32_t next = 0;
	for (int part = 0; turned && part < 3; part++)
		for (uint32_t k = 0; k < leaf.n; k++) {
			int mine = operand[k] <= carries ? 0 : operand[k] >= bound ? 1 : 2;
			if (mine == part) out[operand[k]] = get(g, turned, next++);
		}
	arena_free(a);
	return turned != NULL;
}
