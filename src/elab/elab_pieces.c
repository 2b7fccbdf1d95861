/* elab_pieces.c - scan[states = n]: a loop cut into n pieces, a loop over loops.
 *
 * The reverse sweep of a loop keeps its states, and works out anew what else
 * it needs.  Of a loop over loops it keeps the states between the pieces, and
 * those within a piece while it walks back over that piece.
 */
#include "elab_scan.h"

typedef struct LoopPieces {
	Graph *g;
	const Closure *body;
	uint32_t ncarry, nseq, nout;
	bool back;
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

/* `states` pieces of `steps` steps each: a loop over loops.  `seq` are the sequences' rows of all of them. */
static Node *all_pieces(const LoopPieces *p, Node *states, Node *steps, Node *const *carry, Node *const *seq)
{
	Graph *g = p->g;
	const Size *lead[2] = {size_of_node(g, states), size_of_node(g, steps)};
	Node **group = NEW_ARRAY(g->arena, Node *, p->nseq + 1), **out = NEW_ARRAY(g->arena, Node *, p->nout);
	for (uint32_t i = 0; i < p->nseq; i++)
		if (!(group[i] = regrouped(g, seq[i], 2, lead))) return NULL;
	Node **leaf = body_leaves(p, states, carry, group);
	Node *base = build2(g, OP_MUL, leaf[0], steps);
	Node *t = base ? piece(p, base, steps, leaf + 1, leaf + 1 + p->ncarry) : NULL;
	if (!t) return NULL;
	for (uint32_t i = 0; i < p->nout; i++) out[i] = get(g, t, i);
	return close_loop(p, leaf, out, states, carry, group);
}

/* How many steps there are: all, in a piece, in all pieces, left over. */
typedef struct Counts {
	Node *piece, *whole, *rest;
} Counts;

static bool count_steps(Graph *g, Node *count, const Size *length, Node *states, Counts *c)
{
	if (length) {
		const Size *n = size_of_node(g, states), *piece = size_floordiv(g, length, n);
		const Size *whole = size_mul(g, piece, n);
		c->piece = size_node(g, piece);
		c->whole = size_node(g, whole);
		c->rest = size_node(g, size_sub(g, length, whole));
	} else { /* a number less than none is none */
		Node *n = build2(g, OP_MAXIMUM, count, constant_int(g, count->type, 0));
		c->piece = n ? build2(g, OP_FLOORDIV, n, states) : NULL;
		c->whole = c->piece ? build2(g, OP_MUL, c->piece, states) : NULL;
		c->rest = c->whole ? build2(g, OP_SUB, n, c->whole) : NULL;
	}
	return c->piece && c->whole && c->rest;
}

Node *scan_in_pieces(const ScanForm *l, const LoopParts *loop, const Closure *body)
{
	Graph *g = l->e->g;
	uint32_t ncarry = loop->ncarry, nseq = loop->nseq;
	LoopPieces p = {g, body, ncarry, nseq, body->function->nresult, l->back};
	Node *number = constant_int(g, type_scalar(g, DT_I64), l->states);
	Counts c;
	if (!count_steps(g, l->steps, l->length, number, &c)) return NULL;
	const Size *zero = size_const(g, 0), *whole = size_of_node(g, c.whole),
		   *rest = size_of_node(g, c.rest);
	bool even = size_equals(rest, 0);
	Node **head = NEW_ARRAY(g->arena, Node *, nseq + 1), **tail = NEW_ARRAY(g->arena, Node *, nseq + 1);
	Node **now = NEW_ARRAY(g->arena, Node *, ncarry + 1), **out = NEW_ARRAY(g->arena, Node *, p.nout + 1);
	Node *first = NULL, *last = NULL;
	for (uint32_t i = 0; i < nseq; i++)
		if (!(head[i] = rows(g, loop->seq[i], zero, whole)) ||
			!(tail[i] = rows(g, loop->seq[i], whole, rest)))
			return NULL;
	for (uint32_t i = 0; i < ncarry; i++) now[i] = loop->first[i];
	for (uint32_t k = 0; k < 2; k++) { /* from the end, the rest comes first */
		bool odd = k == (l->back ? 0 : 1);
		if (odd && even) continue;
		Node *t = odd ? piece(&p, c.whole, c.rest, now, tail)
			      : all_pieces(&p, number, c.piece, now, head);
		if (!t) return NULL;
		for (uint32_t i = 0; i < ncarry; i++) out[i] = now[i] = get(g, t, i);
		*(odd ? &last : &first) = t;
	}
	for (uint32_t i = ncarry; i < p.nout; i++) {
		Node *part[2] = {regrouped(g, get(g, first, i), 1, &whole), last ? get(g, last, i) : NULL};
		if (!part[0] || !(out[i] = last ? concat(g, 0, 2, part) : part[0])) return NULL;
	}
	return tuple(g, p.nout, out);
}
