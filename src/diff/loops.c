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
typedef struct NodeList {
	Arena *a;
	Node **v;
	uint32_t n, cap;
} NodeList;

static void list_add(NodeList *l, Node *x)
{
	GROW(l->a, l->v, l->n, l->cap);
	l->v[l->n++] = x;
}

static Nodes list_nodes(const NodeList *l)
{
	return (Nodes){l->n, l->v};
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
	l->carries = scan_carries(x);
	l->sequences = scan_sequences(x);
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
	if (!body_close(g, "body", (Nodes){1 + carries + sequences, o->param}, (Nodes){o->nresult + n, result}, (Around){x->arg[0], captured(x)}, &c))
		return NULL;
	return scan(g, &c, x->arg[0], (Nodes){carries, x->arg + 1}, (Nodes){sequences, x->arg + 1 + carries},
		scan_way(x));
}

/* A loop being written: its body's parameters and results, where carried values begin, what it walks along,
 * and what is outside of it, as the captures of the loop that it comes from. */
typedef struct Written {
	NodeList param, result, first, seq, outside;
} Written;

static Written write_loop(Arena *a, const Node *from)
{
	Written w = {.param = {.a = a}, .result = {.a = a}, .first = {.a = a}, .seq = {.a = a},
		.outside = {.a = a}};
	Nodes o = captured(from);
	for (uint32_t i = 0; i < o.n; i++) list_add(&w.outside, o.v[i]);
	return w;
}

static void add_carried(Written *w, Node *param, Node *first)
{
	list_add(&w->param, param);
	list_add(&w->first, first);
}

static void add_sequence(Written *w, Node *param, Node *sequence)
{
	list_add(&w->param, param);
	list_add(&w->seq, sequence);
}

/* NULL with an error. */
static Node *written_scan(Graph *g, const Written *w, const char *name, Node *steps, unsigned way)
{
	Closure c;
	if (g->error.code ||
		!body_close(g, name, list_nodes(&w->param), list_nodes(&w->result),
			(Around){steps, list_nodes(&w->outside)}, &c))
		return NULL;
	return scan(g, &c, steps, list_nodes(&w->first), list_nodes(&w->seq), way);
}

/* What the linear body uses of carried values (as traces of the primal loop), elements, and their
 * tangents. */
static void add_used(Forward *f, Node *x, const Linearised *l, Written *w)
{
	Arena *a = f->scratch;
	Region *r = region_of(a, w->result.n, w->result.v);
	uint32_t *carried = NEW_ARRAY(a, uint32_t, l->carries), n = 0;
	for (uint32_t i = 0; i < l->carries; i++)
		if (region_place(r, l->o.param[1 + i]) != UINT32_MAX) carried[n++] = i;
	Node *full = n ? with_carried_traces(f->g, a, x, &l->o, n, carried) : NULL;
	for (uint32_t i = 0; i < n && full; i++)
		add_sequence(w, l->o.param[1 + carried[i]], get(f->g, full, l->o.nresult + i));
	for (uint32_t i = 1 + l->carries; i < 1 + l->carries + l->sequences; i++) {
		if (region_place(r, l->o.param[i]) != UINT32_MAX) add_sequence(w, l->o.param[i], x->arg[i]);
		if (l->leaf[i]) add_sequence(w, l->leaf[i], forward_of(f, x->arg[i]));
	}
}

static bool forward_counted(Forward *f, Node *x, Tangent *t)
{
	Graph *g = f->g;
	Linearised l;
	if (!linearise(f, x, &l)) return false;
	/* results of the linear body: next tangents, then those of traces that have one */
	Written w = write_loop(f->scratch, x);
	for (uint32_t i = 1 + l.carries + l.sequences; i < l.o.nparam; i++)
		if (forward_of(f, x->arg[i])) list_add(&w.outside, forward_of(f, x->arg[i]));
	list_add(&w.param, l.o.param[0]);
	for (uint32_t i = 0; i < l.carries; i++)
		if (l.active[i]) {
			Node *v = forward_of(f, x->arg[1 + i]);
			add_carried(&w, l.leaf[1 + i], v ? v : like(g, x->arg[1 + i], 0));
			list_add(&w.result, l.tangent[i] ? l.tangent[i] : zeros_of(g, l.leaf[1 + i]->type));
		}
	for (uint32_t i = l.carries; i < l.o.nresult; i++)
		if (l.tangent[i]) list_add(&w.result, l.tangent[i]);
	if (!w.result.n) return true;
	add_used(f, x, &l, &w);
	Node *linear = written_scan(g, &w, "tangent", x->arg[0], scan_way(x));
	uint32_t k = 0;
	for (uint32_t i = 0; linear && i < l.carries; i++)
		if (l.active[i]) t->elem[i] = get(g, linear, k++);
	for (uint32_t i = l.carries; linear && i < l.o.nresult; i++)
		if (l.tangent[i]) t->elem[i] = get(g, linear, k++);
	return linear != NULL;
}

/* A loop that a condition ends: how many passes it makes is asked first; then it is a loop of so many. */
bool forward_scan(Forward *f, Node *x, Tangent *t)
{
	if (!scan_is_while(x)) return forward_counted(f, x, t);
	Node *same = counted(f->g, f->scratch, x);
	if (!same) return false;
	/* numbers of passes, of loops around this one too */
	for (uint32_t i = 0; i < node_operands(same); i++)
		if (same->arg[i]->op == OP_GET && !has_tangent(same->arg[i]))
			forward_seed(f, same->arg[i], NULL);
	forward_seed(f, same->arg[0], NULL);
	if (!forward_run(f, node_operands(same), same->arg)) return false;
	Tangent *own = tangent_new(f, same);
	t->elem[0] = NULL;
	if (!forward_counted(f, same, own)) return false;
	memcpy(t->elem + 1, own->elem, (t->n - 1) * sizeof *t->elem);
	return true;
}

/* ---- backwards --------------------------------------------------------------------------- */

/* The operands of a loop that are linear, and leaves of the opened body that stand for them. */
typedef struct LinearOperands {
	NodeList leaf;
	uint32_t *operand;       /* of each leaf */
	uint32_t carries, bound; /* an operand up to `carries` is carried, from `bound` on captured */
} LinearOperands;

enum { CARRIED, CAPTURED, WALKED }; /* in the order of their results in the reverse loop */

static int operand_kind(const LinearOperands *l, uint32_t k)
{
	if (l->operand[k] <= l->carries) return CARRIED;
	if (l->operand[k] >= l->bound) return CAPTURED;
	return WALKED;
}

/* What a linear loop carries are tangents, also where they begin as zeros.  A captured operand that is linear
 * gets a leaf of its own within the body. */
static LinearOperands linear_operands(Graph *g, Arena *a, Node *x, const bool *linear, Opened *o)
{
	LinearOperands l = {.leaf = {.a = a}, .carries = scan_carries(x)};
	l.bound = 1 + l.carries + scan_sequences(x);
	l.operand = NEW_ARRAY(a, uint32_t, o->nparam);
	for (uint32_t i = 1; i < o->nparam; i++)
		if (linear[i] || i <= l.carries) {
			if (i >= l.bound) o->param[i] = fresh(g, x->arg[i]->type, leaf_name(x->arg[i]));
			l.operand[l.leaf.n] = i;
			list_add(&l.leaf, o->param[i]);
		}
	Body b[BODIES_MAX];
	node_bodies(x, b);
	function_inline(g, b->f, body_sizes(a, x, b), o->param, o->result);
	return l;
}

/* A loop that is turned round: in the body that is written, u are the cotangents of the body's results, and
 * sum those of captured operands so far; any: has a pass asked for the operand? */
typedef struct Turning {
	Graph *g;
	Node *x;
	Opened o;
	LinearOperands l;
	Written w;
	NodeList walked;
	bool *reached; /* by carried value: may its cotangent be another than zero? */
	Node **u, **sum, **any;
} Turning;

/* What what is reached is computed of; does it reach a carried value that was not? */
static bool reach_more(Turning *t, const Region *r, bool *needed)
{
	bool more = false;
	for (uint32_t i = r->n; i-- > 0;)
		for (uint32_t k = 0; needed[i] && k < r->node[i]->narg; k++)
			needed[region_place(r, r->node[i]->arg[k])] = true;
	for (uint32_t i = 0; i < t->l.carries; i++) {
		uint32_t leaf = region_place(r, t->o.param[1 + i]);
		if (t->reached[i] || leaf == UINT32_MAX || !needed[leaf]) continue;
		t->reached[i] = more = true;
		needed[region_place(r, t->o.result[i])] = true;
	}
	return more;
}

/* A carried value that nothing with a cotangent is made of has none either, whatever it is multiplied by. */
static void find_reached(Turning *t, Arena *a, Node *const *cotangent)
{
	Region *r = region_of(a, t->o.nresult, t->o.result);
	bool *needed = NEW_ARRAY(a, bool, r->n);
	t->reached = NEW_ARRAY(a, bool, t->l.carries + 1);
	for (uint32_t i = 0; i < t->o.nresult; i++) {
		if (i < t->l.carries) t->reached[i] = cotangent[i];
		if (cotangent[i]) needed[region_place(r, t->o.result[i])] = true;
	}
	while (reach_more(t, r, needed)) continue;
}

/* u of carried values is carried, that of traces walked along. */
static void add_cotangents(Turning *t, const bool *linear, Node *const *cotangent)
{
	Graph *g = t->g;
	const LinearOperands *l = &t->l;
	Written *w = &t->w;
	list_add(&w->param, t->o.param[0]);
	for (uint32_t i = 0; i < l->carries && !g->error.code; i++) {
		if (!t->reached[i]) continue;
		t->u[i] = fresh(g, t->o.result[i]->type, leaf_name(t->o.param[1 + i]));
		add_carried(w, t->u[i], cotangent[i] ? cotangent[i] : zeros_of(g, t->x->type->u.elem[i]));
	}
	for (uint32_t i = l->carries; i < t->o.nresult && !g->error.code; i++)
		if (cotangent[i]) {
			t->u[i] = fresh(g, t->o.result[i]->type, NULL);
			list_add(&t->walked, t->u[i]);
			list_add(&w->seq, cotangent[i]);
		}
	for (uint32_t i = 1 + l->carries; i < l->bound; i++)
		if (!linear[i]) {
			list_add(&t->walked, t->o.param[i]);
			list_add(&w->seq, t->x->arg[i]);
		}
}

/* A carried value that is not reached is handed nothing back, nor is an element or a captured operand that no
 * pass reads, or that nothing hangs on. */
static bool is_idle(const Turning *t, uint32_t k, const Cotangent *back)
{
	return operand_kind(&t->l, k) == CARRIED ? !t->reached[t->l.operand[k] - 1] : !back[k].value;
}

/* What the turned body gives: for each leaf its cotangent, of captured ones added to the sum; in the order of
 * their kinds. */
static void add_results(Turning *t, const Cotangent *back)
{
	const LinearOperands *l = &t->l;
	Graph *g = t->g;
	for (int kind = CARRIED; kind <= WALKED; kind++) {
		for (uint32_t k = 0; k < l->leaf.n; k++) {
			if (operand_kind(l, k) != kind || is_idle(t, k, back)) continue;
			Node *y = back[k].value;
			if (kind == CAPTURED) y = build2(g, OP_ADD, t->sum[k], y);
			list_add(&t->w.result, y ? y : zeros_of(g, l->leaf.v[k]->type));
		}
		for (uint32_t k = 0; kind == CAPTURED && k < l->leaf.n; k++)
			if (t->any[k]) list_add(&t->w.result, build2(g, OP_OR, t->any[k], back[k].asked));
	}
	for (uint32_t i = 0; i < t->walked.n; i++) list_add(&t->w.param, t->walked.v[i]);
}

/* The sum of what passes hand back to a captured operand is carried, and whether a pass asks for it, where
 * passes may differ in that. */
static void add_sums(Turning *t, const Cotangent *back)
{
	const LinearOperands *l = &t->l;
	const Type *one = type_scalar(t->g, DT_BOOL);
	for (uint32_t k = 0; k < l->leaf.n && !t->g->error.code; k++)
		if (operand_kind(l, k) == CAPTURED && !is_idle(t, k, back)) {
			const Type *type = l->leaf.v[k]->type;
			t->sum[k] = fresh(t->g, type, leaf_name(l->leaf.v[k]));
			add_carried(&t->w, t->sum[k], zeros_of(t->g, type));
		}
	for (uint32_t k = 0; k < l->leaf.n && !t->g->error.code; k++)
		if (t->sum[k] && back[k].asked) {
			t->any[k] = fresh(t->g, one, NULL);
			add_carried(&t->w, t->any[k], constant_int(t->g, one, 0));
		}
}

/* What no pass hands anything back to is the loop's where there is no pass, and asked for there alone. */
static void ask_without_pass(const Turning *t, Node *passes, bool factor, Cotangent *first)
{
	if (!passes)
		first->value = NULL;
	else if (factor)
		first->asked = build1(t->g, OP_NOT, passes);
}

static void take_results(
	const Turning *t, Node *turned, const Cotangent *back, const bool *factor, Cotangent *out)
{
	Node *passes = has_pass(t->g, t->x);
	uint32_t next = 0;
	for (int kind = CARRIED; kind <= WALKED; kind++) {
		for (uint32_t k = 0; k < t->l.leaf.n; k++) {
			uint32_t i = t->l.operand[k];
			if (operand_kind(&t->l, k) != kind || is_idle(t, k, back)) continue;
			out[i].value = get(t->g, turned, next++);
			if (kind == CARRIED && !back[k].value)
				ask_without_pass(t, passes, factor[i], &out[i]);
		}
		for (uint32_t k = 0; kind == CAPTURED && k < t->l.leaf.n; k++) {
			uint32_t i = t->l.operand[k];
			if (t->sum[k] && factor[i])
				out[i].asked = t->any[k] ? get(t->g, turned, next++) : passes;
		}
	}
}

Node *has_pass(Graph *g, Node *x)
{
	const Size *n = size_of_node(g, x->arg[0]);
	if (g->error.code || (n && size_holds(g, size_const(g, 1), n, false))) return NULL;
	return build2(g, OP_GT, x->arg[0], constant_int(g, type_scalar(g, DT_I64), 0));
}

static bool reverse_in(Graph *g, Arena *a, Node *x, const TurnRound *turn, Cotangent *out)
{
	Turning t = {.g = g, .x = x, .o = scan_open(g, a, x), .w = write_loop(a, x), .walked = {.a = a}};
	t.l = linear_operands(g, a, x, turn->linear, &t.o);
	Nodes leaves = list_nodes(&t.l.leaf);
	Cotangent *back = NEW_ARRAY(a, Cotangent, leaves.n);
	bool *factor = NEW_ARRAY(a, bool, leaves.n);
	t.u = NEW_ARRAY(a, Node *, t.o.nresult);
	t.sum = NEW_ARRAY(a, Node *, leaves.n);
	t.any = NEW_ARRAY(a, Node *, leaves.n);
	for (uint32_t k = 0; k < leaves.n; k++)
		factor[k] = operand_kind(&t.l, k) == CAPTURED && turn->factor[t.l.operand[k]];
	find_reached(&t, a, turn->cotangent);
	add_cotangents(&t, turn->linear, turn->cotangent);
	if (g->error.code ||
		!transpose_body(g, (Nodes){t.o.nresult, t.o.result}, t.u, leaves, factor, back))
		return false;
	add_sums(&t, back);
	add_results(&t, back);
	if (!t.w.result.n) return !g->error.code; /* nothing that it hands on is reached */
	Node *turned = written_scan(g, &t.w, "reverse", x->arg[0], scan_way(x) ^ WAY_BACK);
	if (turned) take_results(&t, turned, back, turn->factor, out);
	return turned != NULL;
}

bool reverse_scan(Graph *g, Node *x, const TurnRound *turn, Cotangent *out)
{
	Arena *a = arena_child(g->arena);
	bool good = reverse_in(g, a, x, turn, out);
	arena_free(a);
	return good;
}
