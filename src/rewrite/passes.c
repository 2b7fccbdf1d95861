/* passes.c - what a loop does in each pass that is one product before or after it.
 *
 * A sum over passes of products, dW of a recurrent net, is one product over all passes behind the loop, where
 * one factor is walked along and the other becomes a trace; a product of what is walked along with what no
 * pass changes is one product before the loop.  Either keeps an array of as many passes beside what is walked
 * along; so a loop over pieces of a loop, which is there to keep less, stays as it is.
 * What each pass adds to an array at a place of its own, `d with [i + k] += v`, is stacked and added behind
 * the loop; it is the array itself where that began as zeros and is as long as the loop.
 * A product of what a loop stacks that the loop makes in each pass itself, as reverse sweeps ask for, is
 * stacked too.
 * needs: a SCAN or a product; gives: the same results by law `real`
 */
#include "../ir/pass.h"
#include "rules.h"

enum { PASS = LABELS_MAX - 1 }; /* the label of the passes */

typedef struct Passes {
	Graph *g;
	Arena *a;
	LoopPass pass;
	Node **trace; /* new ones */
	uint32_t ntrace, cap;
} Passes;

/* Which sequence this is an element of, + 1; 0: of none. */
static uint32_t sequence_of(const Passes *p, const Node *x)
{
	for (uint32_t i = 0; i < p->pass.sequences; i++)
		if (p->pass.o.param[1 + p->pass.carries + i] == x) return i + 1;
	return 0;
}

/* Which result is this trace, + 1; 0: none yet. */
static uint32_t trace_of(const Passes *p, const Node *x)
{
	for (uint32_t i = p->pass.carries; i < p->pass.o.nresult; i++)
		if (p->pass.o.result[i] == x) return i + 1;
	for (uint32_t i = 0; i < p->ntrace; i++)
		if (p->trace[i] == x) return p->pass.o.nresult + i + 1;
	return 0;
}

/* Is it computed outside of the loop, come what may? */
static bool is_captured(const Passes *p, const Node *x)
{
	return idmap_get(&p->pass.outside, x->id);
}

static bool is_bound(const Passes *p, const Node *x)
{
	return pass_binds(&p->pass, x);
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

/* What a carried value grows by; after[i]: is it summed behind the loop?  Or what is added to one of its
 * elements along an axis in each pass: to that of the pass, but for `from` (NULL: it is no such value). */
typedef struct Sums {
	Growth growth;
	bool *after;
	const Type *type;
	uint32_t axis;
	const Size **from;
} Sums;

static bool is_float_array(const Node *x)
{
	return x->type->kind == TYPE_ARRAY && dtype_is_float(node_dtype(x));
}

enum { BEYOND = 64, ADDITIONS = 16 }; /* elements that no pass adds to; what one adds to a value */

typedef struct FindBound {
	const Passes *p;
	bool found;
} FindBound;

static void find_bound(void *user, const Atom *a)
{
	FindBound *f = user;
	f->found |= a->kind == ATOM_NODE && pass_binds(&f->p->pass, a->node);
}

/* An index that is that of the pass and so much more, whatever pass it is, where each pass has its element
 * and few are left over; else NULL. */
static const Size *place_of_pass(const Passes *p, Node *index, const Size *length)
{
	Graph *g = p->g;
	FindBound f = {p, false};
	int64_t beyond;
	if (!node_is_scalar(index) || node_dtype(index) != DT_I64) return NULL;
	const Size *steps = size_of_node(g, p->pass.x->arg[0]);
	const Size *from = size_sub(g, size_of_node(g, index), size_of_node(g, p->pass.o.param[0]));
	if (!steps || !from || !size_is(size_sub(g, length, steps), &beyond) || beyond > BEYOND) return NULL;
	size_atoms(from, find_bound, &f);
	bool fits = !f.found && size_at_most(g, size_const(g, 0), from) &&
		size_at_most(g, size_add(g, from, steps), length);
	return fits ? from : NULL;
}

/* Is the carried value nothing but added to, at places of the pass? */
static bool writes_of_pass(const Passes *p, uint32_t i, Sums *w)
{
	const Node *own = p->pass.o.param[1 + i];
	Node *x = p->pass.o.result[i];
	uint32_t n = 0;
	if (x->op != OP_SCATTER_ADD || !pass_uses_once(&p->pass, own)) return false;
	w->type = x->type;
	w->axis = (uint32_t)attr_int(x, 0);
	w->growth.term = NEW_ARRAY(p->a, Node *, ADDITIONS);
	w->from = NEW_ARRAY(p->a, const Size *, ADDITIONS);
	for (; x != own; x = x->arg[0], n++) {
		if (n == ADDITIONS || x->op != OP_SCATTER_ADD || !pass_uses_once(&p->pass, x)) return false;
		if (attr_int(x, 0) != w->axis || node_dtype(x->arg[2]) != node_dtype(x)) return false;
		w->growth.term[n] = x->arg[2];
		w->from[n] = place_of_pass(p, x->arg[1], node_dim(x, w->axis));
		if (!w->from[n] || !is_bound(p, x->arg[2])) return false;
	}
	w->growth.n = n;
	return true;
}

static Sums sums_of(const Passes *p, uint32_t i)
{
	Sums w = {0};
	bool grows = is_float_array(p->pass.o.result[i]);
	grows = grows && (pass_growth(p->a, &p->pass, i, &w.growth) || writes_of_pass(p, i, &w));
	if (!grows) w = (Sums){0};
	w.after = NEW_ARRAY(p->a, bool, w.growth.n + 1);
	return w;
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
static bool multiplies(const Passes *p, const Node *x)
{
	if (x->op != OP_CONTRACT || !has_room(x)) return false;
	const Node *a = x->arg[0], *b = x->arg[1];
	if (!is_bound(p, a) && !is_bound(p, b)) return false;
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
	return sequence ? p->pass.x->arg[p->pass.carries + sequence] : get(p->g, shorter, trace - 1 - gone);
}

/* What the passes add, each to its own place. */
static Node *placed(const Passes *p, const Type *t, uint32_t axis, const Size *from, Node *all)
{
	Graph *g = p->g;
	const Size *before[RANK_MAX], *behind[RANK_MAX], *zero = size_const(g, 0);
	int64_t order[RANK_MAX], step[RANK_MAX];
	if (!all) return NULL;
	const Size *end = size_add(g, from, node_dim(all, 0));
	for (uint32_t i = 0; i < t->n; i++) {
		order[i] = i == axis ? 0 : i + (i < axis);
		before[i] = i == axis ? from : zero;
		behind[i] = i == axis ? size_sub(g, DIM(t, axis), end) : zero;
		step[i] = 1;
	}
	return pad(g, transpose(g, all, order), before, behind, step);
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

/* r[:, _]*p[_, :] as the product that it is; else x. */
static Node *as_product(Graph *g, Node *x)
{
	int64_t label[2][RANK_MAX], all[RANK_MAX];
	if (x->op != OP_MUL) return x;
	for (uint32_t k = 0; k < 2; k++) {
		const Node *e = x->arg[k];
		uint32_t n = 0, gone = 0;
		if (e->op != OP_EXPAND || e->narg != 1) return x;
		for (uint32_t d = 0; d < node_rank(x); d++)
			if (gone < attr_count(e) / 2 && attr_int(e, 2 * gone) == d)
				gone++;
			else
				label[k][n++] = d;
	}
	const Node *l = x->arg[0]->arg[0], *r = x->arg[1]->arg[0];
	for (uint32_t d = 0; d < node_rank(x); d++) {
		all[d] = d;
		if (!list_has(node_rank(l), label[0], d) && !list_has(node_rank(r), label[1], d)) return x;
	}
	return contract(g, (Labelled){x->arg[0]->arg[0], label[0]}, (Labelled){x->arg[1]->arg[0], label[1]},
		node_rank(x), all);
}

/* Which terms can be summed behind the loop; products first, as they say what is kept. */
static bool choose_after(Passes *p, Sums *w)
{
	bool any = false;
	for (uint32_t i = 0; i < p->pass.carries; i++)
		for (uint32_t k = 0; k < w[i].growth.n; k++) {
			Node *term = w[i].growth.term[k];
			if (w[i].from) {
				w[i].after[k] = any = true;
				add_trace(p, term);
				continue;
			}
			if (!(term = as_product(p->g, term)) || !multiplies(p, term)) continue;
			w[i].growth.term[k] = term;
			w[i].after[k] = any = true;
			add_trace(p, term->arg[0]);
			add_trace(p, term->arg[1]);
		}
	for (uint32_t i = 0; i < p->pass.carries; i++)
		for (uint32_t k = 0; k < w[i].growth.n; k++)
			if (!w[i].after[k] && is_kept(p, w[i].growth.term[k])) w[i].after[k] = any = true;
	return any;
}

static bool any_after(const Sums *w)
{
	for (uint32_t k = 0; k < w->growth.n; k++)
		if (w->after[k]) return true;
	return false;
}

/* Of a carried value that grows by what stays, its next one; NULL: nothing stays. */
static Node *next_within(const Passes *p, uint32_t i, const Sums *w)
{
	Node *next = NULL;
	if (!any_after(w)) return p->pass.o.result[i];
	for (uint32_t k = w->growth.n; k-- > 0;)
		if (!w->after[k])
			next = build2(p->g, OP_ADD, next ? next : p->pass.o.param[1 + i], w->growth.term[k]);
	return next;
}

static Node *shorter_loop(Passes *p, const Sums *w, bool *stays, uint32_t *gone)
{
	Graph *g = p->g;
	const Opened *o = &p->pass.o;
	const Node *x = p->pass.x;
	uint32_t carries = p->pass.carries, sequences = p->pass.sequences;
	Node **param = NEW_ARRAY(p->a, Node *, o->nparam),
	     **first = NEW_ARRAY(p->a, Node *, carries + 1),
	     **result = NEW_ARRAY(p->a, Node *, o->nresult + p->ntrace);
	uint32_t np = 0, nfirst = 0, nr = 0;
	param[np++] = o->param[0];
	for (uint32_t i = 0; i < carries; i++) {
		Node *next = next_within(p, i, &w[i]);
		if (g->error.code) return NULL;
		if (!(stays[i] = next)) continue;
		param[np++] = o->param[1 + i];
		first[nfirst++] = x->arg[1 + i];
		result[nr++] = next;
	}
	*gone = carries - nfirst;
	memcpy(param + np, o->param + 1 + carries, sequences * sizeof *param);
	memcpy(result + nr, o->result + carries, (o->nresult - carries) * sizeof *result);
	nr += o->nresult - carries;
	for (uint32_t i = 0; i < p->ntrace; i++) result[nr++] = p->trace[i];
	Closure c;
	if (!body_close(g, scan_body(x)->name, (Nodes){np + sequences, param}, (Nodes){nr, result},
		    (Around){scan_steps(x), captured(x)}, &c))
		return NULL;
	return scan(g, &c, x->arg[0], (Nodes){nfirst, first},
		(Nodes){sequences, x->arg + 1 + carries}, scan_way(x));
}

static Node *term_after(const Passes *p, Node *shorter, uint32_t gone, const Sums *w, uint32_t k)
{
	Node *term = w->growth.term[k];
	if (!w->from) return sum_after(p, shorter, gone, term);
	return placed(p, w->type, w->axis, w->from[k], all_passes(p, shorter, gone, term));
}

static Node *sums_behind(Passes *p, const Sums *w)
{
	Graph *g = p->g;
	bool *stays = NEW_ARRAY(p->a, bool, p->pass.carries);
	uint32_t nresult = p->pass.o.nresult, gone, at = 0;
	Node *shorter = shorter_loop(p, w, stays, &gone), **result = NEW_ARRAY(p->a, Node *, nresult);
	if (!shorter) return NULL;
	for (uint32_t i = 0; i < nresult; i++) {
		bool carried = i < p->pass.carries;
		result[i] = carried && !stays[i] ? p->pass.x->arg[1 + i] : get(g, shorter, at++);
		for (uint32_t k = 0; carried && k < w[i].growth.n; k++)
			if (w[i].after[k])
				result[i] = build2(
					g, OP_ADD, result[i], term_after(p, shorter, gone, &w[i], k));
		if (!result[i]) return NULL;
		if (result[i]->type != p->pass.x->type->u.elem[i]) return p->pass.x;
	}
	return tuple(g, nresult, result);
}

static bool is_loop(const Node *x)
{
	return x->op == OP_SCAN;
}

/* Is it one that has such passes: as many as are known, and as each sequence has elements (else the loop asks
 * for that), and no loops within? */
static bool is_plain_loop(Graph *g, const Node *x)
{
	const NodeKind loops = {1u << CONTROL, is_loop};
	return passes_are_elements(g, x) && !scan_is_while(x) && !body_any(g, scan_body(x), loops);
}

/* Does a carried value of the closed body look as if it grew? */
static bool may_grow(const Node *x)
{
	for (uint32_t i = 0; i < scan_carries(x); i++) {
		const Node *next = scan_body(x)->result[i];
		if (next->op == OP_ADD || next->op == OP_SCATTER_ADD) return true;
	}
	return false;
}

Node *without_sums(Graph *g, Arena *a, Node *x)
{
	if (!may_grow(x) || !is_plain_loop(g, x)) return x;
	Passes p = {.g = g, .a = a};
	if (!pass_open(g, a, x, &p.pass)) return NULL;
	Sums *w = NEW_ARRAY(a, Sums, p.pass.carries);
	for (uint32_t i = 0; i < p.pass.carries; i++) w[i] = sums_of(&p, i);
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

/* value[i] of each pass as an element of sequence[i]; gives how many there are. */
static uint32_t find_products(const Passes *p, Node **value, Node **sequence)
{
	uint32_t n = 0, element;
	for (uint32_t i = 0; i < p->pass.r->n && !p->g->error.code; i++) {
		Node *c = p->pass.r->node[i], *x[2];
		if (!maps_sequence(p, c, &element)) continue;
		x[element] = p->pass.x->arg[p->pass.carries + sequence_of(p, c->arg[element])];
		x[!element] = c->arg[!element];
		sequence[n] = contract_all(p->g, c, x, (bool[]){!element, element}, true);
		value[n++] = c;
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

Node *with_products_before(Graph *g, Arena *a, Node *x)
{
	if (!scan_sequences(x) || !may_map(g, x) || !is_plain_loop(g, x)) return x;
	Passes p = {.g = g, .a = a};
	if (!pass_open(g, a, x, &p.pass)) return NULL;
	Node **value = NEW_ARRAY(a, Node *, p.pass.r->n), **sequence = NEW_ARRAY(a, Node *, p.pass.r->n);
	uint32_t n = find_products(&p, value, sequence);
	if (g->error.code) return NULL;
	return n ? pass_walking(g, a, &p.pass, n, value, sequence) : x;
}

/* ---- products that a loop has made --------------------------------------------------------- */

/* A loop without tokens, with one trace more; gives that trace. */
static Node *with_trace(Graph *g, Arena *a, const LoopPass *l, Node *value)
{
	const Opened *o = &l->o;
	Node **result = NEW_ARRAY(a, Node *, o->nresult + 1);
	Nodes carry = {l->carries, l->x->arg + 1}, sequence = {l->sequences, carry.v + carry.n};
	Closure c;
	memcpy(result, o->result, o->nresult * sizeof *result);
	result[o->nresult] = value;
	if (!body_close(g, scan_body(l->x)->name, (Nodes){1 + carry.n + sequence.n, o->param},
		    (Nodes){o->nresult + 1, result}, (Around){scan_steps(l->x), captured(l->x)}, &c))
		return NULL;
	return get(g, scan(g, &c, l->x->arg[0], carry, sequence, scan_way(l->x)), o->nresult);
}

static bool has_token(const Node *loop)
{
	for (uint32_t i = 0; i < loop->type->n; i++)
		if (loop->type->u.elem[i]->kind != TYPE_ARRAY) return true;
	return false;
}

static Node *made_in_pass(Graph *g, Arena *a, Node *x, uint32_t side)
{
	Node *of = x->arg[side], *loop = of->op == OP_GET ? of->arg[0] : NULL, *both[2];
	LoopPass l;
	if (!loop || loop->op != OP_SCAN || attr_int(of, 0) < scan_carries(loop) || has_token(loop)) return x;
	if (!pass_open(g, a, loop, &l)) return NULL;
	for (uint32_t i = 0; i < l.r->n; i++) {
		Node *y = l.r->node[i];
		if (y->op != OP_CONTRACT || !has_room(y)) continue;
		for (uint32_t k = 0; k < 2; k++) {
			if (y->arg[k] != l.o.result[attr_int(of, 0)] || y->arg[!k] != x->arg[!side]) continue;
			both[k] = of;
			both[!k] = x->arg[!side];
			if (contract_all(g, y, both, (bool[]){!k, k}, true) == x)
				return with_trace(g, a, &l, y);
		}
	}
	return x;
}

Node *product_of_passes(Graph *g, Arena *a, Node *x)
{
	Node *y = made_in_pass(g, a, x, 0);
	if (y == x) y = made_in_pass(g, a, x, 1);
	return y && y->type != x->type ? x : y;
}
