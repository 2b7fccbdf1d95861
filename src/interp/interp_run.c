/* interp_run.c - running a prepared kernel over items, block by block. */
#include "machine.h"

bool stop_is_due(const Stop *s)
{
	return stop_is_asked(s) || (s->deadline && clock_ns() > s->deadline);
}

/* ---- binding ------------------------------------------------------------------- */

static int64_t extent_of(const Kernel *k, const int64_t *param, uint32_t first, uint32_t end)
{
	int64_t n = 1;
	for (uint32_t i = first; i < end; i++) n *= int_value(k->extent[i], param);
	return n;
}

/* Registers take as many bytes whatever their numbers are, so that they stay in the first cache: a block of
 * wide numbers has half as many. */
static int64_t block_width(const Script *s)
{
	for (uint32_t i = 0; i < s->nslot; i++)
		if (s->slot[i].place == PLACE_REGISTER && s->slot[i].size == 3) return BLOCK / 2;
	return BLOCK;
}

/* An item is a part of a row's inner index.  Where that is short, several folded ones are computed at once
 * and then folded one after another: the order of the chain stays, and primitives get long vectors. */
static void bind_chain(Bound *b)
{
	int64_t blocks = b->folded / FOLD_BLOCK + (b->folded % FOLD_BLOCK != 0);
	b->splits = b->inner / b->width + (b->inner % b->width != 0);
	b->items = b->rows * b->splits;
	b->batch = b->inner && b->width / b->inner > 1 ? b->width / b->inner : 1;
	b->levels = 0;
	for (int64_t n = blocks; blocks > 1 && n; n /= 2) b->levels++;
}

static void bind_batch(Bound *b)
{
	b->batch = b->inner ? b->width / b->inner : b->width;
	b->items = b->rows / b->batch + (b->rows % b->batch != 0);
	if (!b->interp->folds && !b->inner) b->items = 0;
}

/* A long row without folds is several items; one with folds is one, as its blocks join in a defined order:
 * threads share it in phases. */
static void bind_long(Bound *b)
{
	if (!b->interp->folds) b->splits = b->inner / FOLD_BLOCK + (b->inner % FOLD_BLOCK != 0);
	b->items = b->rows * b->splits;
}

/* Rows shorter than half a block are taken many at a time, and how wide a block is the script knows. */
static const Script *script_for(Interp *t, int64_t rows, int64_t inner, Error *e)
{
	if (t->kernel->recipe == RECIPE_CHAIN) return script_of(t, MODE_CHAIN, e);
	if (rows > 1 && inner <= BLOCK / 2) {
		const Script *s = script_of(t, MODE_BATCH, e);
		if (!s || inner <= block_width(s) / 2) return s;
	}
	return script_of(t, MODE_LONG, e);
}

Bound *interp_bind(Interp *t, const int64_t *param, Arena *a, Error *e)
{
	const Kernel *k = t->kernel;
	bool chain = k->recipe == RECIPE_CHAIN;
	int64_t rows = extent_of(k, param, 0, k->nrow),
		inner = extent_of(k, param, chain ? k->nfold : k->nrow, k->naxis);
	const Script *s = script_for(t, rows, inner, e);
	if (!s) return NULL;
	Bound *b = arena_alloc_aligned(a, line(sizeof *b + s->nwalk * sizeof *b->walk), 64);
	b->interp = t;
	b->script = s;
	b->rows = rows;
	b->folded = chain ? extent_of(k, param, k->nrow, k->nfold) : 1;
	b->inner = inner;
	b->width = block_width(s);
	b->splits = b->batch = 1;
	switch (s->mode) {
	case MODE_CHAIN: bind_chain(b); break;
	case MODE_BATCH: bind_batch(b); break;
	case MODE_LONG: bind_long(b); break;
	}
	for (uint32_t i = 0; i < s->nwalk; i++) walk_bind(&b->walk[i], k, &s->walk[i], param);
	b->kept_bytes = line((size_t)(t->folds || b->inner < FOLD_BLOCK ? b->inner : FOLD_BLOCK) * 8 + 8);
	size_t states = chain ? (size_t)chain_state_bytes(b) : sizeof(State);
	b->scratch = line(sizeof(Machine)) + line(s->nslot * sizeof(char *)) + line(s->registers) +
		s->nstate * states + 2 * BLOCK * 8 + (s->mode == MODE_LONG ? s->nkept * b->kept_bytes : 0);
	return b;
}

int64_t bound_items(const Bound *b)
{
	return b->items;
}
size_t bound_scratch(const Bound *b)
{
	return b->scratch;
}

/* ---- operations ------------------------------------------------------------------------- */

static void run_ops(Machine *m, uint32_t first, uint32_t end, int64_t n)
{
	const RunOp *op = m->s->op + first, *last = m->s->op + end;
	char **value = m->value;
	for (; op < last; op++) {
		switch (op->kind) {
		case RUN_PRIM_STORE: { /* into the target itself where that is a run of memory */
			const RunOp *to = op + 1;
			const char *p = m->quiet
				? NULL
				: walk_direct(&m->b->walk[to->walk], base_of(m, to), to->size, m->where, n);
			if (p) {
				op->fn(n, (char *)p, value[op->a], value[op->b == 0xffff ? op->a : op->b],
					value[op->c == 0xffff ? op->a : op->c]);
				op++;
				break;
			}
		} /* fall through */
		case RUN_PRIM:
			op->fn(n, value[op->out], value[op->a], value[op->b == 0xffff ? op->a : op->b],
				value[op->c == 0xffff ? op->a : op->c]);
			break;
		case RUN_LOAD: run_load(m, op, n); break;
		case RUN_LOAD_ROWS: run_load_rows(m, op); break;
		case RUN_LOAD_EACH: run_load_each(m, op, n); break;
		case RUN_STORE: run_store(m, op, n); break;
		case RUN_STORE_EACH: run_store_each(m, op, n); break;
		case RUN_INDEX:
			walk_index(&m->b->walk[op->walk], m->where, n, (int64_t *)value[op->out]);
			break;
		case RUN_INDEX_EACH:
			walk_index(&m->b->walk[op->walk], m->where, n, (int64_t *)value[op->out]);
			add_dynamic(m, op, n, (int64_t *)value[op->out]);
			break;
		case RUN_PARAM: *(int64_t *)value[op->out] = int_value(op->param, m->param); break;
		case RUN_EXPAND: run_expand(m, op); break;
		case RUN_FOLD:
		case RUN_ARG: fold_some(m, op, n); break;
		default: run_cut(m, op, n); break;
		}
	}
}

/* ---- rows ---------------------------------------------------------------------------------- */

#define STAGE_FOLDS(s, stage, op)                                                                            \
	for (const RunOp *op = (s)->op + (stage)->first; op < (s)->op + (stage)->end; op++)                  \
		if (op->kind == RUN_FOLD || op->kind == RUN_ARG)

/* At what is one a row: a fault there has the number of the row's first element. */
static void at_rows(Machine *m, int64_t row, int64_t rows)
{
	m->rows = rows;
	m->where = row;
	m->position = row * m->b->inner;
	m->step = m->b->inner;
}

static void run_batch(Machine *m, int64_t row, int64_t rows)
{
	const Script *s = m->s;
	m->inner = m->b->inner;
	m->first = 0;
	for (uint32_t k = 0; k < s->nstage; k++) {
		const RunStage *stage = &s->stage[k];
		at_rows(m, row, rows);
		if (!stage->inner) {
			run_ops(m, stage->first, stage->end, rows);
			continue;
		}
		run_ops(m, stage->before, stage->first, rows);
		m->where = m->position = row * m->b->inner;
		m->step = 1;
		if (m->b->inner)
			run_ops(m, stage->first, stage->end, rows * m->b->inner);
		else
			STAGE_FOLDS(s, stage, op)
		fold_batch(m, op);
	}
}

static bool is_over(const Machine *m)
{
	return m->stop && stop_is_due(m->stop);
}

/* Inner indices [lo, hi) of a row. */
static void run_long_stage(Machine *m, const RunStage *stage, int64_t row, int64_t lo, int64_t hi)
{
	const Script *s = m->s;
	bool folds = false;
	STAGE_FOLDS(s, stage, op)
	{
		state_start(m, op);
		folds = true;
	}
	run_ops(m, stage->before, stage->first, 1);
	m->step = 1;
	for (int64_t i = lo; i < hi && !is_over(m); i += m->b->width) {
		int64_t n = hi - i < m->b->width ? hi - i : m->b->width;
		m->where = m->position = row * m->b->inner + i;
		m->inner = n;
		m->first = i;
		for (uint32_t v = 0; s->nkept && v < s->nslot; v++)
			if (s->slot[v].place == PLACE_KEPT)
				m->value[v] = m->kept + s->slot[v].at * m->b->kept_bytes +
					((i - lo) << s->slot[v].size);
		run_ops(m, stage->first, stage->end, n);
		/* the width divides FOLD_BLOCK: a block of the defined order ends with one of ours */
		if (folds && ((i + n) % FOLD_BLOCK == 0 || i + n == hi)) STAGE_FOLDS(s, stage, op)
		state_push(m, op, i / FOLD_BLOCK);
	}
	if (folds && !m->shared) STAGE_FOLDS(s, stage, op)
	state_end(m, op);
}

static void run_long(Machine *m, int64_t row, int64_t lo, int64_t hi)
{
	for (uint32_t k = 0; k < m->s->nstage; k++) {
		const RunStage *stage = &m->s->stage[k];
		at_rows(m, row, 1);
		m->quiet = !stage->inner && lo > 0; /* the part that begins the row stores it */
		if (stage->inner)
			run_long_stage(m, stage, row, lo, hi);
		else
			run_ops(m, stage->first, stage->end, 1);
	}
	m->quiet = false;
}

/* ---- chains ----------------------------------------------------------------------------------- */

static void run_chain(Machine *m, int64_t row, int64_t lo, int64_t n)
{
	const Script *s = m->s;
	const Bound *b = m->b;
	const RunStage *stage = &s->stage[0];
	int64_t top = 0, block = 0;
	STAGE_FOLDS(s, stage, op)
	chain_start(m, op, n);
	m->inner = n;
	m->step = 1;
	for (int64_t f = 0; f < b->folded && !is_over(m);) {
		int64_t end = f / FOLD_BLOCK * FOLD_BLOCK + FOLD_BLOCK < b->folded
			? f / FOLD_BLOCK * FOLD_BLOCK + FOLD_BLOCK
			: b->folded;
		m->rows = end - f < b->batch ? end - f : b->batch;
		m->first = f;
		m->where = m->position = (row * b->folded + f) * b->inner + lo;
		run_ops(m, stage->before, stage->end, m->rows * n);
		f += m->rows;
		if (f == end && b->levels) {
			int64_t t = top;
			STAGE_FOLDS(s, stage, op)
			{
				t = top;
				chain_push(m, op, n, block, &t);
			}
			top = t;
			block++;
		}
	}
	STAGE_FOLDS(s, stage, op)
	chain_end(m, op, n, top);
	m->where = row * b->inner + lo;
	m->position = row * b->folded * b->inner + lo;
	m->rows = 1;
	for (uint32_t k = 1; k < s->nstage; k++) run_ops(m, s->stage[k].before, s->stage[k].end, n);
}

/* ---- items --------------------------------------------------------------------------------------- */

/* Scratch holds anything, so that a call allocates and clears nothing: all that is read is set here. */
static Machine *machine_in(const Bound *b, const Piece *x)
{
	const Script *s = b->script;
	Machine *m = x->scratch;
	char *at = (char *)x->scratch + line(sizeof *m);
	size_t states = s->mode == MODE_CHAIN ? (size_t)chain_state_bytes(b) : sizeof(State);
	m->b = b;
	m->s = s;
	m->buffer = x->buffer;
	m->param = x->param;
	m->fault = x->fault;
	m->value = (char **)at;
	at += line(s->nslot * sizeof(char *));
	m->registers = at;
	at += line(s->registers);
	m->state = at;
	at += s->nstate * states;
	m->raw = at;
	at += BLOCK * 8;
	m->place = (int64_t *)at;
	at += BLOCK * 8;
	m->kept = at;
	for (uint32_t i = 0; i < s->nslot; i++) {
		const Slot *slot = &s->slot[i];
		m->value[i] = m->registers + slot->at;
		if (slot->place == PLACE_CONSTANT) m->value[i] = (char *)(uintptr_t)s->constant[slot->at];
	}
	m->rows = 0;
	m->inner = 1;
	m->first = 0;
	m->where = 0;
	m->position = 0;
	m->step = 0;
	m->quiet = false;
	m->shared = NULL;
	m->stop = NULL;
	run_ops(m, 0, s->nprologue, 1);
	return m;
}

void interp_run(const Bound *b, const Piece *x, const Stop *stop)
{
	if (x->lo >= x->hi) return;
	Machine *m = machine_in(b, x);
	m->stop = stop;
	for (int64_t item = x->lo; item < x->hi; item++) {
		int64_t row = item / b->splits, part = item % b->splits;
		if (m->s->mode == MODE_CHAIN) {
			int64_t first = part * b->width;
			run_chain(m, row, first, b->inner - first < b->width ? b->inner - first : b->width);
		} else if (m->s->mode == MODE_BATCH) {
			int64_t first = item * b->batch;
			run_batch(m, first, b->rows - first < b->batch ? b->rows - first : b->batch);
		} else if (b->interp->folds) {
			run_long(m, row, 0, b->inner);
		} else {
			int64_t first = part * FOLD_BLOCK, end = first + FOLD_BLOCK;
			run_long(m, row, first, end < b->inner ? end : b->inner);
		}
	}
}

/* ---- one row among several threads ------------------------------------------------------------------ */

int64_t bound_blocks(const Bound *b)
{
	bool long_row = b->script->mode == MODE_LONG && b->interp->folds;
	return long_row ? b->inner / FOLD_BLOCK + (b->inner % FOLD_BLOCK != 0) : 0;
}

size_t bound_shared(const Bound *b)
{
	return line((size_t)b->script->nstate * (size_t)(b->inner / FOLD_BLOCK + 1) * 16);
}
int bound_phases(const Bound *b)
{
	return (int)b->script->nstage;
}

/* Every part does what is one a row for itself; only the first stores it. */
void interp_phase(const Bound *b, const RowPart *r, void *const *buffer, const int64_t *param, void *scratch,
	Fault *fault)
{
	int64_t blocks = bound_blocks(b), lo = blocks * r->part / r->parts * FOLD_BLOCK,
		hi = blocks * (r->part + 1) / r->parts * FOLD_BLOCK;
	const Piece x = {.buffer = buffer, .param = param, .scratch = scratch, .fault = fault};
	Machine *m = r->phase ? scratch : machine_in(b, &x);
	const RunStage *stage = &m->s->stage[r->phase];
	m->shared = r->shared;
	m->stop = r->stop;
	if (r->phase) STAGE_FOLDS(m->s, stage - 1, op)
		{
			if (!(stage - 1)->inner) break;
			state_start(m, op);
			state_collect(m, op);
			state_end(m, op);
		}
	at_rows(m, r->row, 1);
	m->quiet = !stage->inner && r->part > 0;
	if (stage->inner)
		run_long_stage(
			m, stage, r->row, lo < b->inner ? lo : b->inner, hi < b->inner ? hi : b->inner);
	else
		run_ops(m, stage->first, stage->end, 1);
	m->quiet = false;
}
