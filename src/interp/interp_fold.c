/* interp_fold.c - the interpreter's folds: lanes and stacks of long rows, chains, batches of short rows. */
#include "machine.h"

static State *state_of(Machine *m, const RunOp *op)
{
	return (State *)m->state + op->state;
}

void state_start(Machine *m, const RunOp *op)
{
	State *s = state_of(m, op);
	s->blocks = 0;
	s->top = 0;
	s->index = -1;
	if (op->kind == RUN_FOLD) op->fold->start(LANE_BYTES >> op->size, s->lanes);
}

/* A block's result joins those before it, as a binary counter carries. */
static void state_join(State *s, const RunOp *op, char r[8])
{
	for (int64_t c = s->blocks++; c & 1; c >>= 1) {
		char *left = s->stack + 8 * --s->top;
		op->fold->join(1, left, r);
		memcpy(r, left, 8);
	}
	memcpy(s->stack + 8 * s->top++, r, 8);
}

/* Where the result of a block lies for all threads: the value, then (ARG) its index. */
static char *shared_of(const Machine *m, const RunOp *op, int64_t block)
{
	int64_t blocks = m->b->inner / FOLD_BLOCK + 1;
	return m->shared + (op->state * blocks + block) * 16;
}

/* A block is done. */
void state_push(Machine *m, const RunOp *op, int64_t block)
{
	State *s = state_of(m, op);
	char r[8];
	if (op->kind == RUN_ARG) {
		if (!m->shared) return;
		memcpy(shared_of(m, op, block), s->stack, 8);
		memcpy(shared_of(m, op, block) + 8, &s->index, 8);
		s->index = -1;
		return;
	}
	op->fold->finish(r, s->lanes);
	if (m->shared)
		memcpy(shared_of(m, op, block), r, 8);
	else
		state_join(s, op, r);
	op->fold->start(LANE_BYTES >> op->size, s->lanes);
}

/* Takes the results of all blocks, in order. */
void state_collect(Machine *m, const RunOp *op)
{
	State *s = state_of(m, op);
	int64_t blocks = m->b->inner / FOLD_BLOCK + (m->b->inner % FOLD_BLOCK != 0);
	for (int64_t k = 0; k < blocks; k++) {
		_Alignas(8) char r[16];
		memcpy(r, shared_of(m, op, k), 16);
		if (op->kind == RUN_ARG)
			op->arg->join(1, s->stack, &s->index, r, (int64_t *)(r + 8));
		else
			state_join(s, op, r);
	}
}

void state_end(Machine *m, const RunOp *op)
{
	State *s = state_of(m, op);
	char *out = m->value[op->out];
	if (op->kind == RUN_ARG) {
		*(int64_t *)out = s->index < 0 ? 0 : s->index;
		return;
	}
	for (; s->top > 1; s->top--)
		op->fold->join(1, s->stack + 8 * (s->top - 2), s->stack + 8 * (s->top - 1));
	if (s->top)
		memcpy(out, s->stack, (size_t)1 << op->size);
	else if (op->zero_empty)
		memset(out, 0, (size_t)1 << op->size);
	else
		op->fold->start(1, out);
}

/* CHAIN: accumulators of the block's inner indices, then the stack of joined blocks, each with indices
 * (ARG). */
static char *chain_value(Machine *m, const RunOp *op, int64_t level)
{
	return m->state + op->state * chain_state_bytes(m->b) + level * BLOCK * 16;
}

static int64_t *chain_index(Machine *m, const RunOp *op, int64_t level)
{
	return (int64_t *)(chain_value(m, op, level) + BLOCK * 8);
}

void chain_start(Machine *m, const RunOp *op, int64_t n)
{
	if (op->kind == RUN_FOLD)
		op->fold->start(n, chain_value(m, op, 0));
	else
		for (int64_t i = 0; i < n; i++) chain_index(m, op, 0)[i] = -1;
}

static void chain_join(Machine *m, const RunOp *op, int64_t n, int64_t left, int64_t right)
{
	if (op->kind == RUN_FOLD)
		op->fold->join(n, chain_value(m, op, left), chain_value(m, op, right));
	else
		op->arg->join(n, chain_value(m, op, left), chain_index(m, op, left),
			chain_value(m, op, right), chain_index(m, op, right));
}

static void chain_move(Machine *m, const RunOp *op, int64_t to, int64_t from)
{
	memcpy(chain_value(m, op, to), chain_value(m, op, from), BLOCK * 16);
}

/* Level 0 is the running block; joined blocks lie at 1 ... top. */
void chain_push(Machine *m, const RunOp *op, int64_t n, int64_t block, int64_t *top)
{
	for (int64_t c = block; c & 1; c >>= 1) {
		chain_join(m, op, n, *top, 0);
		chain_move(m, op, 0, (*top)--);
	}
	chain_move(m, op, ++*top, 0);
	chain_start(m, op, n);
}

void chain_end(Machine *m, const RunOp *op, int64_t n, int64_t top)
{
	char *out = m->value[op->out];
	for (; top > 1; top--) chain_join(m, op, n, top - 1, top);
	if (op->kind == RUN_ARG) {
		memcpy(out, chain_index(m, op, top), (size_t)n * 8);
		for (int64_t i = 0; i < n; i++)
			if (((int64_t *)out)[i] < 0) ((int64_t *)out)[i] = 0;
	} else if (!m->b->folded && op->zero_empty) {
		memset(out, 0, (size_t)n << op->size);
	} else {
		memcpy(out, chain_value(m, op, top), (size_t)n << op->size);
	}
}

void fold_batch(Machine *m, const RunOp *op)
{
	char *out = m->value[op->out];
	if (!m->inner && (op->zero_empty || op->kind == RUN_ARG))
		memset(out, 0, (size_t)m->rows << (op->kind == RUN_ARG ? 3 : op->size));
	else if (!m->inner)
		op->fold->start(m->rows, out);
	else if (op->kind == RUN_ARG)
		op->arg->segments(m->rows, m->inner, (int64_t *)out, m->value[op->a]);
	else
		op->fold->segments(m->rows, m->inner, out, m->value[op->a]);
}

void fold_some(Machine *m, const RunOp *op, int64_t n)
{
	if (m->s->mode == MODE_BATCH) {
		fold_batch(m, op);
	} else if (m->s->mode == MODE_CHAIN) {
		if (op->kind == RUN_FOLD)
			op->fold->chain(m->rows, m->inner, chain_value(m, op, 0), m->value[op->a]);
		else
			op->arg->chain(m->rows, m->inner, chain_value(m, op, 0), chain_index(m, op, 0),
				m->value[op->a], m->first);
	} else if (op->kind == RUN_FOLD) {
		op->fold->chunk(n, state_of(m, op)->lanes, m->value[op->a]);
	} else {
		State *s = state_of(m, op);
		op->arg->chunk(n, s->stack, &s->index, m->value[op->a], m->first);
	}
}
