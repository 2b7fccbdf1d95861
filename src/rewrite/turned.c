/* turned.c - factors that the passes of a loop would read across their rows lie turned before the loop.
 *
 * A product reads the rows of its second factor where they lie; of U[k, j], which
 * einsum[(i, j), (k, j), (i, k)] takes down its columns, it makes them first.  A reverse loop has such a
 * product in each pass (dh = dz @ U.T) with a factor that is the same in all: it is turned once.
 * needs: a function that `lower` has gone through; gives: the same values, to the bit, in bodies too
 */
#include "../ir/pass.h"
#include "rewrite.h"

static bool is_inside(const LoopPass *p, const Node *x)
{
	return region_place(p->r, x) != UINT32_MAX && pass_binds(p, x);
}

/* Labels (i, j), (k, j), (i, k) of matrices, if in another order of the operands, of which `of` is the
 * same in all passes. */
static bool is_turned(const LoopPass *p, const Node *c, uint32_t of)
{
	int64_t label[3][2];
	/* kernels write out what is few */
	if (c->op != OP_CONTRACT || c->arg[of]->op == OP_CONST) return false;
	if (is_inside(p, c->arg[of]) || !is_inside(p, c->arg[!of])) return false;
	if (node_rank(c) != 2 || node_rank(c->arg[0]) != 2 || node_rank(c->arg[1]) != 2) return false;
	for (uint32_t i = 0; i < 6; i++) label[i / 2][i % 2] = attr_int(c, i + i / 2);
	const int64_t *x = label[!of], *u = label[of], *out = label[2];
	return u[1] != u[0] && x[0] != x[1] && (u[1] == x[1] || u[1] == x[0]) && out[1] == u[0] &&
		(out[0] == x[0] || out[0] == x[1]) && out[0] != u[1] && out[0] != u[0];
}

static Node *with_turned(Graph *g, Node *c, uint32_t of)
{
	int64_t label[2][2], out[2] = {attr_int(c, 6), attr_int(c, 7)};
	Labelled side[2];
	Heritage h = heritage_begin(g, c);
	for (uint32_t k = 0; k < 2; k++) {
		for (uint32_t i = 0; i < 2; i++) label[k][i ^ (k == of)] = attr_int(c, 3 * k + i);
		Node *x = k == of ? transpose(g, c->arg[k], (int64_t[]){1, 0}) : c->arg[k];
		side[k] = (Labelled){x, label[k]};
	}
	Node *y = contract(g, side[0], side[1], 2, out);
	heritage_end(g, h, c, y);
	return y;
}

static Node *turned_before(Graph *g, Arena *a, Node *x)
{
	LoopPass p;
	if (!pass_open(g, a, x, &p)) return NULL;
	Node **value = NEW_ARRAY(a, Node *, p.r->n + 1), **with = NEW_ARRAY(a, Node *, p.r->n + 1);
	uint32_t n = 0;
	for (uint32_t i = 0; i < p.r->n && !g->error.code; i++) {
		Node *c = p.r->node[i];
		uint32_t of = is_turned(&p, c, 1) ? 1 : 0;
		if (!of && !is_turned(&p, c, 0)) continue;
		value[n] = c;
		with[n++] = with_turned(g, c, of);
	}
	if (g->error.code) return NULL;
	return n ? pass_with(g, a, &p, n, value, with) : x;
}

static bool is_loop(const Node *x)
{
	return x->op == OP_SCAN;
}

Function *factors_turned(Graph *g, Function *f)
{
	return function_replace(g, f, (NodeKind){1u << CONTROL, is_loop}, turned_before);
}
