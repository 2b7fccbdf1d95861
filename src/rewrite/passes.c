/* passes.c - what a loop does in each pass that is one product before or after it.
 *
 * A sum over passes of products, dW of a recurrent net, is one product over all passes behind the loop, where
 * one factor is walked along and the other becomes a trace; a product of what is walked along with what no
 * pass changes is one product before the loop.  Either keeps an array of as many passes beside what is walked
 * along; so a loop over pieces of a loop, which is there to keep less, stays as it is.
 * needs: a SCAN; gives: the same results by law `real`
 */
#include "rules.h"

enum { PASS = LABELS_MAX - 1 }; /* the label of the passes */

typedef struct Passes {
	Graph *g;
	Arena *a;
	Node *x;
	uint32_t carries, sequences;
	Opened o;
	Region *r;
	unsigned char *bound; /* by place: hangs on what the loop binds */
	uint32_t *used;       /* by place: how often */
	Node **trace;         /* new ones */
	uint32_t ntrace, cap;
} Passes;

/* Which sequence this is an element of, + 1; 0: of none. */
static uint32_t sequence_of(const Passes *p, const Node *x)
{
	for (uint32_t i = 0; i < p->sequences; i++)
		if (p->o.param[1 + p->carries + i] == x) return i + 1;
	return 0;
}

/* Which result is this trace, + 1; 0: none yet. */
static uint32_t trace_of(const Passes *p, const Node *x)
{
	for (uint32_t i = p->carries; i < p->o.nresult; i++)
		if (p->o.result[i] == x) return i + 1;
	for (uint32_t i = 0; i < p->ntrace; i++)
		if (p->trace[i] == x) return p->o.nresult + i + 1;
	return 0;
}

/* Is it computed outside of the loop, come what may? */
static bool is_captured(const Passes *p, const Node *x)
{
	Nodes o = captured(p->x);
	for (uint32_t i = 0; i < o.n; i++)
		if (o.v[i] == x) return true;
	return false;
}

static bool is_bound(const Passes *p, const Node *x)
{
	uint32_t place = region_place(p->r, x);
	return place != UINT32_MAX && p->bound[place];
}

static void survey(Passes *p)
{
	Arena *a = p->a;
	p->r = region_of(a, p->o.nresult, p->o.result);
	p->bound = NEW_ARRAY(a, unsigned char, p->r->n);
	p->used = NEW_ARRAY(a, uint32_t, p->r->n);
	for (uint32_t i = 0; i <= p->carries + p->sequences; i++) {
		uint32_t place = region_place(p->r, p->o.param[i]);
		if (place != UINT32_MAX) p->bound[place] = 1;
	}
	for (uint32_t i = 0; i < p->r->n; i++)
		for (uint32_t k = 0; k < p->r->node[i]->narg; k++) {
			uint32_t place = region_place(p->r, p->r->node[i]->arg[k]);
			p->bound[i] |= p->bound[place];
			p->used[place]++;
		}
	for (uint32_t i = 0; i < p->o.nresult; i++) p->used[region_place(p->r, p->o.result[i])]++;
}

static Passes open_passes(Graph *g, Arena *a, Node *x)
{
	Passes p = {.g = g, .a = a, .x = x, .carries = scan_carries(x), .sequences = scan_sequences(x)};
	p.o = scan_open(g, a, x);
	if (!g->error.code) survey(&p);
	return p;
}

static uint32_t labels_at(const Node *c, uint32_t side, int64_t *out)
{
	uint32_t n = 0, at = 0;
	for (uint32_t i = 0; i < attr_count(c); i++) {
		if (attr_int(c, i) < 0)
			at++;
		else if (at == side)
			out[n++] = attr_int(c, i);
	}
	return n;
}

/* The same contraction of operands over all passes: those that have the axis of the passes are marked. */
static Node *contract_all(Graph *g, const Node *c, Node *const *x, const bool *walks, bool keeps)
{
	int64_t label[3][RANK_MAX + 1];
	Labelled side[2];
	for (uint32_t k = 0; k < 2; k++) {
		label[k][0] = PASS;
		labels_at(c, k, label[k] + walks[k]);
		side[k] = (Labelled){x[k], label[k]};
	}
	label[2][0] = PASS;
	uint32_t n = labels_at(c, 2, label[2] + keeps);
	return contract(g, side[0], side[1], n + keeps, label[2]);
}

static bool has_room(const Node *c)
{
	for (uint32_t i = 0; i < attr_count(c); i++)
		if (attr_int(c, i) >= PASS) return false;
	return node_rank(c) < RANK_MAX && node_rank(c->arg[0]) < RANK_MAX && node_rank(c->arg[1]) < RANK_MAX;
}

/* ---- sums over passes ------------------------------------------------------------------- */

/* What a carried value grows by: terms of a sum of which it is one itself, and nothing else asks for. */
typedef struct Growth {
	Node *term[8];
	bool after[8]; /* is it summed behind the loop? */
	uint32_t n;
} Growth;

static bool is_float_array(const Node *x)
{
	return x->type->kind == TYPE_ARRAY && dtype_is_float(node_dtype(x));
}

static bool find_growth(const Passes *p, uint32_t i, Growth *w)
{
	const Node *own = p->o.param[1 + i];
	Node *x = p->o.result[i];
	uint32_t place = region_place(p->r, own);
	*w = (Growth){.n = 0};
	if (!is_float_array(x) || place == UINT32_MAX || p->used[place] != 1) return false;
	while (x != own) {
		if (x->op != OP_ADD || p->used[region_place(p->r, x)] != 1 || w->n == countof(w->term))
			return false;
		bool left = x->arg[0] == own || (x->arg[0]->op == OP_ADD && x->arg[1] != own);
		w->term[w->n++] = x->arg[left];
		x = x->arg[!left];
	}
	return true;
}

static bool is_known(const Passes *p, const Node *x)
{
	return is_bound(p, x) ? sequence_of(p, x) || trace_of(p, x) : is_captured(p, x);
}

static void add_trace(Passes *p, Node *x)
{
	if (is_known(p, x)) return;
	GROW(p->a, p->trace, p->ntrace, p->cap);
	p->trace[p->ntrace++] = x;
}

/* A product of which one factor is known in all passes, and the other can be kept. */
static bool is_product(const Passes *p, const Node *x)
{
	if (x->op != OP_CONTRACT || !has_room(x) || !is_bound(p, x)) return false;
	const Node *a = x->arg[0], *b = x->arg[1];
	if (is_known(p, a) && is_known(p, b)) return true;
	return is_bound(p, a) && is_bound(p, b) && (sequence_of(p, a) || sequence_of(p, b));
}

static bool is_kept(const Passes *p, const Node *x)
{
	return is_bound(p, x) && is_known(p, x) && node_rank(x) < RANK_MAX;
}

/* x over all passes. */
static Node *all_passes(const Passes *p, Node *shorter, uint32_t gone, Node *x)
{
	uint32_t sequence = sequence_of(p, x), trace = trace_of(p, x);
	if (!is_bound(p, x)) return x;
	return sequence ? p->x->arg[p->carries + sequence] : get(p->g, shorter, trace - 1 - gone);
}

static Node *sum_after(const Passes *p, Node *shorter, uint32_t gone, Node *term)
{
	if (term->op != OP_CONTRACT || is_kept(p, term))
		return fold(p->g, OP_SUM, all_passes(p, shorter, gone, term), 1, (int64_t[]){0});
	Node *x[2];
	bool walks[2];
	for (uint32_t k = 0; k < 2; k++) {
		x[k] = all_passes(p, shorter, gone, term->arg[k]);
		walks[k] = is_bound(p, term->arg[k]);
	}
	return contract_all(p->g, term, x, walks, false);
}

/* Which terms can be summed behind the loop; products first, as they say what is kept. */
static bool choose_after(Passes *p, Growth *w)
{
	bool any = false;
	for (uint32_t i = 0; i < p->carries; i++)
		for (uint32_t k = 0; k < w[i].n; k++) {
			Node *term = w[i].term[k];
			if (!is_product(p, term)) continue;
			w[i].after[k] = any = true;
			add_trace(p, term->arg[0]);
			add_trace(p, term->arg[1]);
		}
	for (uint32_t i = 0; i < p->carries; i++)
		for (uint32_t k = 0; k < w[i].n; k++)
			if (!w[i].after[k] && is_kept(p, w[i].term[k])) w[i].after[k] = any = true;
	return any;
}

static bool any_after(const Growth *w)
{
	for (uint32_t k = 0; k < w->n; k++)
		if (w->after[k]) return true;
	return false;
}

/* Of a carried value that grows by what stays, its next one; NULL: nothing stays. */
static Node *next_within(const Passes *p, uint32_t i, const Growth *w)
{
	Node *next = NULL;
	if (!any_after(w)) return p->o.result[i];
	for (uint32_t k = w->n; k-- > 0;)
		if (!w->after[k])
			next = build2(p->g, OP_ADD, next ? next : p->o.param[1 + i], w->term[k]);
	return next;
}

static Node *shorter_loop(Passes *p, const Growth *w, bool *stays, uint32_t *gone)
{
	Graph *g = p->g;
	Node **param = NEW_ARRAY(p->a, Node *, p->o.nparam),
	     **first = NEW_ARRAY(p->a, Node *, p->carries + 1),
	     **result = NEW_ARRAY(p->a, Node *, p->o.nresult + p->ntrace);
	uint32_t np = 0, nfirst = 0, nr = 0;
	param[np++] = p->o.param[0];
	for (uint32_t i = 0; i < p->carries; i++) {
		Node *next = next_within(p, i, &w[i]);
		if (g->error.code) return NULL;
		if (!(stays[i] = next)) continue;
		param[np++] = p->o.param[1 + i];
		first[nfirst++] = p->x->arg[1 + i];
		result[nr++] = next;
	}
	*gone = p->carries - nfirst;
	memcpy(param + np, p->o.param + 1 + p->carries, p->sequences * sizeof *param);
	memcpy(result + nr, p->o.result + p->carries, (p->o.nresult - p->carries) * sizeof *result);
	nr += p->o.nresult - p->carries;
	for (uint32_t i = 0; i < p->ntrace; i++) result[nr++] = p->trace[i];
	Closure c;
	if (!body_close(g, scan_body(p->x)->name, (Nodes){np + p->sequences, param}, (Nodes){nr, result},
		    (Around){scan_steps(p->x), captured(p->x)}, &c))
		return NULL;
	return scan(g, &c, p->x->arg[0], (Nodes){nfirst, first},
		(Nodes){p->sequences, p->x->arg + 1 + p->carries}, scan_way(p->x));
}

static Node *sums_behind(Passes *p, const Growth *w)
{
	Graph *g = p->g;
	bool *stays = NEW_ARRAY(p->a, bool, p->carries);
	uint32_t gone, at = 0;
	Node *shorter = shorter_loop(p, w, stays, &gone), **result = NEW_ARRAY(p->a, Node *, p->o.nresult);
	if (!shorter) return NULL;
	for (uint32_t i = 0; i < p->o.nresult; i++) {
		bool carried = i < p->carries;
		result[i] = carried && !stays[i] ? p->x->arg[1 + i] : get(g, shorter, at++);
		for (uint32_t k = 0; carried && k < w[i].n; k++)
			if (w[i].after[k])
				result[i] = build2(g, OP_ADD, result[i],
					sum_after(p, shorter, gone, w[i].term[k]));
		if (!result[i]) return NULL;
		if (result[i]->type != p->x->type->u.elem[i]) return p->x;
	}
	return tuple(g, p->o.nresult, result);
}

static bool is_loop(const Node *x)
{
	return x->op == OP_SCAN;
}

/* Is it one that has such passes: as many as are known, and as each sequence has elements (else the loop asks
 * for that), and no loops within? */
static bool is_plain_loop(Graph *g, const Node *x)
{
	const Size *steps = size_of_node(g, x->arg[0]);
	for (uint32_t i = 0; i < scan_sequences(x); i++)
		if (node_dim(x->arg[1 + scan_carries(x) + i], 0) != steps) return false;
	return !scan_is_while(x) && !body_any(g, scan_body(x), is_loop);
}

/* Does a carried value of the closed body look as if it grew? */
static bool may_grow(const Node *x)
{
	for (uint32_t i = 0; i < scan_carries(x); i++)
		if (scan_body(x)->result[i]->op == OP_ADD) return true;
	return false;
}

Node *without_sums(Graph *g, Arena *a, Node *x)
{
	if (!may_grow(x) || !is_plain_loop(g, x)) return x;
	Passes p = open_passes(g, a, x);
	if (g->error.code) return NULL;
	Growth *w = NEW_ARRAY(a, Growth, p.carries);
	for (uint32_t i = 0; i < p.carries; i++)
		if (!find_growth(&p, i, &w[i])) w[i].n = 0;
	return choose_after(&p, w) ? sums_behind(&p, w) : x;
}

/* ---- products before the loop ----------------------------------------------------------- */

/* A product of an element with what no pass changes, which is no larger than the element. */
static bool maps_sequence(const Passes *p, const Node *x, uint32_t *element)
{
	if (x->op != OP_CONTRACT || !is_float_array(x) || !has_room(x)) return false;
	for (uint32_t k = 0; k < 2; k++) {
		const Node *y = x->arg[k], *other = x->arg[!k];
		if (!sequence_of(p, y) || is_bound(p, other) || !is_captured(p, other)) continue;
		*element = k;
		return node_rank(x) <= node_rank(y) && node_rank(x) + 2 <= node_rank(y) + node_rank(other);
	}
	return false;
}

/* Leaves stand for them in the body; gives how many there are. */
static uint32_t find_products(Passes *p, IdMap *leaf, Node **param, Node **sequence)
{
	uint32_t n = 0, element;
	for (uint32_t i = 0; i < p->r->n && !p->g->error.code; i++) {
		Node *c = p->r->node[i], *x[2];
		if (!maps_sequence(p, c, &element)) continue;
		x[element] = p->x->arg[p->carries + sequence_of(p, c->arg[element])];
		x[!element] = c->arg[!element];
		sequence[n] = contract_all(p->g, c, x, (bool[]){!element, element}, true);
		param[n] = fresh(p->g, c->type, leaf_name(c));
		idmap_put(leaf, c->id, param[n++]);
	}
	return n;
}

static bool may_map(Graph *g, const Node *x)
{
	Region *r = function_region(g, scan_body(x));
	for (uint32_t i = 0; i < r->n; i++)
		for (uint32_t k = 0; r->node[i]->op == OP_CONTRACT && k < 2; k++)
			if (r->node[i]->arg[k]->op == OP_PARAM) return true;
	return false;
}

/* The sequences that the results still walk along, with their leaves; gives how many are left. */
static uint32_t walked(
	Arena *a, uint32_t nresult, Node *const *result, uint32_t n, Node **param, Node **sequence)
{
	Region *r = region_of(a, nresult, result);
	uint32_t left = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (region_place(r, param[i]) == UINT32_MAX) continue;
		param[left] = param[i];
		sequence[left++] = sequence[i];
	}
	return left;
}

Node *with_products_before(Graph *g, Arena *a, Node *x)
{
	if (!scan_sequences(x) || !may_map(g, x) || !is_plain_loop(g, x)) return x;
	Passes p = open_passes(g, a, x);
	if (g->error.code) return NULL;
	uint32_t own = 1 + p.carries, n = p.sequences, nresult = p.o.nresult;
	Node **param = NEW_ARRAY(a, Node *, own + n + p.r->n), **sequence = NEW_ARRAY(a, Node *, n + p.r->n),
	     **result = NEW_ARRAY(a, Node *, nresult);
	IdMap leaf;
	idmap_open(&leaf, a);
	memcpy(param, p.o.param, (own + n) * sizeof *param);
	memcpy(sequence, x->arg + own, n * sizeof *sequence);
	n += find_products(&p, &leaf, param + own + n, sequence + n);
	if (n == p.sequences) return x;
	rebuild(g, (Nodes){nresult, p.o.result}, &leaf, NULL, NULL, result);
	if (g->error.code) return NULL;
	n = walked(a, nresult, result, n, param + own, sequence);
	Closure c;
	if (!body_close(g, scan_body(x)->name, (Nodes){own + n, param}, (Nodes){nresult, result},
		    (Around){x->arg[0], captured(x)}, &c))
		return NULL;
	Node *y = scan(g, &c, x->arg[0], (Nodes){p.carries, x->arg + 1}, (Nodes){n, sequence}, scan_way(x));
	return y && y->type != x->type ? x : y;
}
