/* elab_pieces.c - scan[states = n, levels = k], scan[bytes = n]: a loop cut into pieces, a loop over loops.
 *
 * The reverse sweep of a loop keeps its states, and works out anew what else
 * it needs.  Of a loop over loops it keeps the states between the pieces, and
 * those within a piece while it walks back over that piece; in a level more,
 * the pieces are loops over loops themselves.  So each level computes all
 * steps once more.
 */
#include "elab_scan.h"

#include <math.h>

typedef struct LoopPieces {
	Graph *g;
	const Closure *body;
	uint32_t ncarry, nseq, nout;
	bool back, sized; /* sized: the number of steps is a size */
	bool asks;        /* a piece is refused where the loop would be */
	bool refused;     /* it is known not to be */
	Node *pieces;     /* of each level */
} LoopPieces;

/* Fresh leaves of a body: index, what is carried, elements of sequences. */
static Node **body_leaves(const LoopPieces *p, Node *steps, Node *const *carry, Node *const *seq)
{
	Graph *g = p->g;
	const char **name = p->body->function->param_name;
	Node **leaf = NEW_ARRAY(g->arena, Node *, 1 + p->ncarry + p->nseq);
	leaf[0] = fresh(g, type_scalar(g, DT_I64), name[0]);
	leaf_is_below(g, leaf[0], steps);
	for (uint32_t i = 0; i < p->ncarry; i++) leaf[1 + i] = fresh(g, carry[i]->type, name[1 + i]);
	for (uint32_t i = 0; i < p->nseq; i++) {
		const Type *t = seq[i]->type;
		leaf[1 + p->ncarry + i] = fresh(
			g, type_array(g, (Dtype)t->dtype, t->n - 1, &DIM(t, 1)), name[1 + p->ncarry + i]);
	}
	return leaf;
}

static Node *close_loop(
	const LoopPieces *p, Node **leaf, Node **out, Node *steps, Node *const *carry, Node *const *seq)
{
	Closure c;
	Nodes leaves = {1 + p->ncarry + p->nseq, leaf};
	Around around = {steps, {p->body->ncapture, p->body->capture}};
	if (!body_close(p->g, NULL, leaves, (Nodes){p->nout, out}, around, &c))
		return NULL;
	return scan(
		p->g, &c, steps, (Nodes){p->ncarry, carry}, (Nodes){p->nseq, seq}, p->back ? WAY_BACK : 0);
}

/* The steps base, base + 1, ... of the loop. */
static Node *piece(const LoopPieces *p, Node *base, Node *steps, Node *const *carry, Node *const *seq)
{
	Graph *g = p->g;
	uint32_t n = 1 + p->ncarry + p->nseq;
	Node **leaf = body_leaves(p, steps, carry, seq), **out = NEW_ARRAY(g->arena, Node *, p->nout);
	Node **args = NEW_ARRAY(g->arena, Node *, n + p->body->ncapture);
	memcpy(args, leaf, n * sizeof *args);
	for (uint32_t i = 0; i < p->body->ncapture; i++) args[n + i] = p->body->capture[i];
	if (!(args[0] = build2(g, OP_ADD, base, leaf[0]))) return NULL;
	function_inline(g, p->body->function, p->body->size, args, out);
	return g->error.code ? NULL : close_loop(p, leaf, out, steps, carry, seq);
}

/* x with its first axis as `lead` axes of these sizes; or, with lead 1, its first two as one. */
static Node *regrouped(Graph *g, Node *x, uint32_t lead, const Size *const *size)
{
	const Size *dim[RANK_MAX];
	uint32_t n = 0, drop = lead == 1 ? 2 : 1;
	if (!x || node_rank(x) + lead - drop > RANK_MAX) return NULL;
	while (n < lead) {
		dim[n] = size[n];
		n++;
	}
	for (uint32_t d = drop; d < node_rank(x); d++) dim[n++] = node_dim(x, d);
	return reshape(g, x, n, dim);
}

/* ---- one level ---------------------------------------------------------------------------------- */

/* What a loop begins with, and walks along. */
typedef struct Over {
	Node *const *carry, *const *seq;
} Over;

/* How many steps there are: all, in a piece, in all pieces, left over. */
typedef struct Counts {
	Node *piece, *whole, *rest;
} Counts;

/* Of so many steps, that are a size or a number. */
typedef struct Steps {
	Node *count;
	const Size *length;
} Steps;

static Node *number(Graph *g, int64_t n)
{
	return constant_int(g, type_scalar(g, DT_I64), n);
}

static Node *at_least_one(Graph *g, Node *n)
{
	return n ? build2(g, OP_MAXIMUM, n, number(g, 1)) : NULL;
}

/* n where there are no more steps than a loop may have, else all of them: a loop of so many is refused. */
static Node *refused_with(Graph *g, Node *n, Node *count)
{
	Node *few = build2(g, OP_LE, count, number(g, LARGEST));
	return few ? build3(g, OP_WHERE, few, n, count) : NULL;
}

static bool count_steps(Graph *g, Steps all, Node *pieces, Counts *c)
{
	if (all.length) {
		const Size *n = size_of_node(g, pieces), *piece = size_floordiv(g, all.length, n);
		const Size *whole = size_mul(g, piece, n);
		c->piece = size_node(g, piece);
		c->whole = size_node(g, whole);
		c->rest = size_node(g, size_sub(g, all.length, whole));
	} else { /* a number less than none is none */
		Node *n = build2(g, OP_MAXIMUM, all.count, constant_int(g, all.count->type, 0));
		c->piece = n ? build2(g, OP_FLOORDIV, n, pieces) : NULL;
		c->whole = c->piece ? build2(g, OP_MUL, c->piece, pieces) : NULL;
		c->rest = c->whole ? build2(g, OP_SUB, n, c->whole) : NULL;
	}
	return c->piece && c->whole && c->rest;
}

static bool in_levels(const LoopPieces *, Node *base, Steps, Over, uint32_t levels, Node **out);

/* `pieces` loops of `steps` steps each: a loop over loops, which are in a level less.  `seq` are the
 * sequences' rows of all of them. */
static Node *all_pieces(const LoopPieces *p, Node *base, Node *steps, Over o, uint32_t levels)
{
	Graph *g = p->g;
	const Size *lead[2] = {size_of_node(g, p->pieces), size_of_node(g, steps)};
	Node **group = NEW_ARRAY(g->arena, Node *, p->nseq + 1), **out = NEW_ARRAY(g->arena, Node *, p->nout);
	for (uint32_t i = 0; i < p->nseq; i++)
		if (!(group[i] = regrouped(g, o.seq[i], 2, lead))) return NULL;
	Node **leaf = body_leaves(p, p->pieces, o.carry, group);
	Node *from = build2(g, OP_MUL, leaf[0], steps);
	if (base && from) from = build2(g, OP_ADD, base, from);
	Steps each = {steps, p->sized ? lead[1] : NULL};
	Over inner = {leaf + 1, leaf + 1 + p->ncarry};
	if (!from || !in_levels(p, from, each, inner, levels - 1, out)) return NULL;
	return close_loop(p, leaf, out, p->pieces, o.carry, group);
}

/* Of one level: the steps base, base + 1, ... of the loop. */
static bool in_one(const LoopPieces *p, Node *base, Node *steps, Over o, Node **out)
{
	Node *none = constant_int(p->g, type_scalar(p->g, DT_I64), 0);
	Node *t = piece(p, base ? base : none, steps, o.carry, o.seq);
	for (uint32_t i = 0; i < p->nout && t; i++) out[i] = get(p->g, t, i);
	return t != NULL;
}

/* The results of so many steps from base on (NULL: from the first).  What is left over by the pieces is less
 * than a step for each of them, and in one piece of its own. */
static bool in_levels(
	const LoopPieces *p, Node *base, Steps all, Over o, uint32_t levels, Node **out)
{
	Graph *g = p->g;
	Counts c;
	if (levels < 2) return in_one(p, base, all.count, o, out);
	if (!count_steps(g, all, p->pieces, &c)) return false;
	const Size *zero = size_const(g, 0), *whole = size_of_node(g, c.whole),
		   *rest = size_of_node(g, c.rest);
	bool even = size_equals(rest, 0);
	if (p->asks && !base) c.piece = refused_with(g, c.piece, all.count);
	if (!c.piece) return false;
	Node **head = NEW_ARRAY(g->arena, Node *, p->nseq + 1),
	     **tail = NEW_ARRAY(g->arena, Node *, p->nseq + 1);
	Node **now = NEW_ARRAY(g->arena, Node *, p->ncarry + 1),
	     **last = NEW_ARRAY(g->arena, Node *, p->nout + 1);
	Node *first = NULL, *from = base ? build2(g, OP_ADD, base, c.whole) : c.whole;
	for (uint32_t i = 0; i < p->nseq; i++) {
		head[i] = rows(g, o.seq[i], zero, whole);
		tail[i] = rows(g, o.seq[i], whole, rest);
		if (!head[i] || !tail[i]) return false;
	}
	for (uint32_t i = 0; i < p->ncarry; i++) now[i] = o.carry[i];
	for (uint32_t k = 0; k < 2; k++) { /* from the end, the rest comes first */
		bool odd = k == (p->back ? 0 : 1);
		if (odd && even) continue;
		if (odd && !in_one(p, from, c.rest, (Over){now, tail}, last)) return false;
		if (!odd && !(first = all_pieces(p, base, c.piece, (Over){now, head}, levels))) return false;
		for (uint32_t i = 0; i < p->ncarry; i++) out[i] = now[i] = odd ? last[i] : get(g, first, i);
	}
	for (uint32_t i = p->ncarry; i < p->nout; i++) {
		Node *part[2] = {regrouped(g, get(g, first, i), 1, &whole), even ? NULL : last[i]};
		if (!part[0] || !(out[i] = even ? part[0] : concat(g, 0, 2, part))) return false;
	}
	return !g->error.code;
}

/* ---- how many pieces ----------------------------------------------------------------------------- */

/* The whole number next to the root of that order of the number of steps, from below: so many pieces of so
 * many, of so many. */
static Node *root_of(Graph *g, Node *count, int64_t order)
{
	int64_t n;
	if (constant_integer(count, &n)) {
		int64_t r = n < 1 ? 1 : (int64_t)(pow((double)n, 1.0 / (double)order) + 1e-9);
		return number(g, r < 1 ? 1 : r);
	}
	const Type *real = type_scalar(g, DT_F64);
	Node *x = cast(g, at_least_one(g, count), DT_F64);
	Node *r = x ? build2(g, OP_POW, x, constant_float(g, real, 1.0 / (double)order)) : NULL;
	if (r) r = build2(g, OP_ADD, r, constant_float(g, real, 1e-9));
	return r ? at_least_one(g, cast(g, r, DT_I64)) : NULL;
}

/* More steps than a loop may have are as many pieces: what is refused as one loop is refused in pieces.
 * Few pieces stay a number, and each of them has all steps then; of a length near 2^63 one of them is too
 * long itself.  Many are no more than there are steps: of k levels of empty pieces it would be a power. */
static Node *in_bounds(LoopPieces *p, Steps all, Node *pieces, int64_t levels)
{
	Graph *g = p->g;
	int64_t n, each;
	bool known = constant_integer(pieces, &each);
	bool many = !known || pow((double)each, (double)(levels - 1)) >= 1 << 15;
	if (constant_integer(all.count, &n)) return n <= LARGEST ? pieces : all.count;
	p->asks = !many && !all.length && !p->refused;
	if (!many) return pieces;
	if (known) { /* what is computed of the steps is no more than they are */
		Node *enough = build2(g, OP_LE, pieces, all.count), *most = at_least_one(g, all.count);
		pieces = enough && most ? build3(g, OP_WHERE, enough, pieces, most) : NULL;
	}
	if (!pieces) return NULL;
	if (all.length && size_holds(g, all.length, size_const(g, LARGEST), false)) return pieces;
	return at_least_one(g, refused_with(g, pieces, all.count));
}

static Node *in_pieces(LoopPieces *p, Steps all, const LoopParts *loop, Node *pieces, int64_t levels)
{
	Graph *g = p->g;
	Node **out = NEW_ARRAY(g->arena, Node *, p->nout + 1);
	p->pieces = pieces ? in_bounds(p, all, pieces, levels) : NULL;
	p->sized = all.length != NULL;
	Over o = {loop->first, loop->seq};
	if (!p->pieces || !in_levels(p, NULL, all, o, (uint32_t)levels, out)) return NULL;
	return tuple(g, p->nout, out);
}

/* The bytes of a state, as a number. */
static Node *bytes_of_state(Graph *g, const LoopParts *loop)
{
	const Size *sum = size_const(g, 0);
	for (uint32_t i = 0; i < loop->ncarry && sum; i++) {
		const Type *t = loop->first[i]->type;
		if (t->kind != TYPE_ARRAY) continue;
		int64_t each = (int64_t)dtype_bytes((Dtype)t->dtype);
		sum = size_add(g, sum, size_mul(g, type_elements(g, t), size_const(g, each)));
	}
	return sum ? at_least_one(g, size_node(g, sum)) : NULL;
}

enum { BUDGET_LEVELS = 4 };

/* In as few levels as keep so many states, asked when the loop is reached: a branch for each level more.  In
 * k levels each has a k-th of the states; a piece of the last level is what the others leave.  More steps
 * than a loop may have are in one level, which refuses them. */
static Node *in_budget(LoopPieces *p, Steps all, const LoopParts *loop, Node *states, int64_t levels)
{
	Graph *g = p->g;
	Node *share = at_least_one(g, build2(g, OP_FLOORDIV, states, number(g, levels)));
	Node *here = in_pieces(p, all, loop, share, levels), *most = share;
	if (!here || levels == BUDGET_LEVELS) return here;
	for (int64_t k = 1; k < levels && most; k++) most = build2(g, OP_MUL, most, share);
	Node *fits = most ? build2(g, OP_LE, all.count, most) : NULL;
	if (fits && levels == 1)
		fits = build2(g, OP_OR, fits, build2(g, OP_LT, number(g, LARGEST), all.count));
	p->refused = true;
	Node *other = fits ? in_budget(p, all, loop, states, levels + 1) : NULL;
	Node **yes = NEW_ARRAY(g->arena, Node *, p->nout + 1),
	     **no = NEW_ARRAY(g->arena, Node *, p->nout + 1);
	for (uint32_t i = 0; i < p->nout && other; i++) {
		yes[i] = get(g, here, i);
		no[i] = get(g, other, i);
	}
	return other ? branch(g, fits, p->nout, yes, no, (Nodes){0}) : NULL;
}

bool is_in_pieces(const ScanForm *l)
{
	int64_t few;
	if (l->bytes || (l->levels > 1 && !l->states)) return true;
	return l->states && l->levels != 1 && !(constant_integer(l->steps, &few) && few <= l->states);
}

/* Of a loop with traces they are a size: what the pieces' traces have together is known by it in the sides of
 * a branch, too, and wherever else numbers that come from outside say nothing of one another. */
static Steps steps_of(Graph *g, const ScanForm *l, bool traces)
{
	if (l->length || !traces) return (Steps){l->steps, l->length};
	const Size *n = size_of_node(g, l->steps), *length = n ? size_max(g, n, size_const(g, 0)) : NULL;
	return (Steps){length ? size_node(g, length) : NULL, length};
}

Node *scan_in_pieces(const ScanForm *l, const LoopParts *loop, const Closure *body)
{
	Graph *g = l->e->g;
	Closure strong = *body; /* in a body nothing is weak that it captures */
	strong.capture = NEW_ARRAY(g->arena, Node *, body->ncapture);
	for (uint32_t i = 0; i < body->ncapture; i++)
		if (!(strong.capture[i] = strong_operand(g, body->capture[i]))) return NULL;
	LoopPieces p = {.g = g,
		.body = &strong,
		.ncarry = loop->ncarry,
		.nseq = loop->nseq,
		.nout = body->function->nresult,
		.back = l->back};
	Steps all = steps_of(g, l, p.nout > p.ncarry);
	if (!all.count) return NULL;
	if (l->bytes) {
		Node *each = bytes_of_state(g, loop);
		return each ? in_budget(&p, all, loop, build2(g, OP_FLOORDIV, l->bytes, each), 1) : NULL;
	}
	int64_t levels = l->levels ? l->levels : 2;
	Node *pieces = l->states ? number(g, l->states) : root_of(g, l->steps, levels);
	return in_pieces(&p, all, loop, pieces, levels);
}
