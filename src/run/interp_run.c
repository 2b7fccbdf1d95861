/* interp_run.c - running a prepared kernel over items, block by block. */
#include "interp.h"

typedef struct State {                   /* of a fold in a LONG row */
	_Alignas(64) char lanes[LANE_BYTES];
	char stack[8*STACK_LEVELS];
	int64_t blocks, index;
	int top;
} State;

typedef struct Machine {
	const Bound *b;
	const Script *s;
	void *const *buffer;
	const int64_t *param;
	Fault *fault;
	char **value;                    /* by slot */
	char *registers, *state, *raw, *kept;
	int64_t *place;
	/* where it stands */
	int64_t rows, where;             /* rows of the block; its first index in the space of the stage */
	int64_t inner, first;            /* indices of a row in this block; the first one's number in its row */
	int64_t position, step;          /* of a fault: of element 0, and from one to the next */
} Machine;

/* ---- binding ------------------------------------------------------------------- */

static int64_t extent_of(const Kernel *k, const int64_t *param, uint32_t first, uint32_t end)
{
	int64_t n = 1;
	for (uint32_t i = first; i < end; i++)
		n *= int_value(k->extent[i], param);
	return n;
}

static size_t line(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static int64_t chain_state_bytes(const Bound *b) { return (1 + b->levels)*BLOCK*16; }

size_t interp_bound_bytes(const Interp *t)
{
	uint32_t n = t->script[0].nwalk > t->script[1].nwalk ? t->script[0].nwalk : t->script[1].nwalk;
	return line(sizeof(Bound) + n * sizeof(Walk));
}

static int64_t block_width(const Script *s)
{
	for (uint32_t i = 0; i < s->nslot; i++)
		if (s->slot[i].place == PLACE_REGISTER && s->slot[i].size == 3)
			return BLOCK/2;
	return BLOCK;
}

static void bind_chain(Bound *b)
{
	int64_t blocks = b->folded/FOLD_BLOCK + (b->folded % FOLD_BLOCK != 0);
	b->script = &b->interp->script[0];
	b->width = block_width(b->script);
	b->splits = b->inner/b->width + (b->inner % b->width != 0);
	b->items = b->rows*b->splits;
	b->batch = b->inner && b->width/b->inner > 1 ? b->width/b->inner : 1;
	b->levels = 0;
	for (int64_t n = blocks; blocks > 1 && n; n /= 2)
		b->levels++;
}

static void bind_rows(Bound *b)
{
	const Interp *t = b->interp;
	b->width = block_width(&t->script[1]);
	b->splits = 1, b->levels = 0;
	bool many = b->rows > 1 && b->inner <= b->width/2;
	b->script = &t->script[many];
	b->batch = many ? b->inner ? b->width/b->inner : b->width : 1;
	if (many) {
		b->items = b->rows/b->batch + (b->rows % b->batch != 0);
	} else {
		if (!t->folds)
			b->splits = b->inner/FOLD_BLOCK + (b->inner % FOLD_BLOCK != 0);
		b->items = b->rows*b->splits;
	}
	if (!t->folds && !b->inner)
		b->items = 0;
}

void interp_bind(const Interp *t, const int64_t *param, Bound *b)
{
	const Kernel *k = t->kernel;
	bool chain = k->recipe == RECIPE_CHAIN;
	uint32_t inner = chain ? k->nfold : k->nrow;
	b->interp = t;
	b->rows = extent_of(k, param, 0, k->nrow);
	b->folded = chain ? extent_of(k, param, k->nrow, k->nfold) : 1;
	b->inner = extent_of(k, param, inner, k->naxis);
	if (chain)
		bind_chain(b);
	else
		bind_rows(b);
	const Script *s = b->script;
	for (uint32_t i = 0; i < s->nwalk; i++)
		walk_bind(&b->walk[i], k, &s->walk[i], param);
	b->kept_bytes = line((size_t)(t->folds || b->inner < FOLD_BLOCK ? b->inner : FOLD_BLOCK)*8 + 8);
	size_t states = chain ? (size_t)chain_state_bytes(b) : sizeof(State);
	b->scratch = line(sizeof(Machine)) + line(s->nslot * sizeof(char *)) + line(s->registers) + s->nstate*states
		+ 2*BLOCK*8 + (s->mode == MODE_LONG ? s->nkept*b->kept_bytes : 0);
}

int64_t bound_items(const Bound *b) { return b->items; }
size_t bound_scratch(const Bound *b) { return b->scratch; }

/* ---- memory ---------------------------------------------------------------------- */

static void fault_at(Machine *m, int64_t e, int64_t index, int64_t extent)
{
	int64_t position = m->position + e*m->step;
	if (position < m->fault->position)
		*m->fault = (Fault){ position, index, extent };
}

static char *base_of(const Machine *m, const RunOp *op) { return m->buffer[op->buffer]; }

static void load(Machine *m, const RunOp *op, int64_t n)
{
	const Walk *w = &m->b->walk[op->walk];
	const char *direct = op->direct || op->half ? walk_direct(w, base_of(m, op), op->size, m->where, n) : NULL;
	if (op->direct && direct) {
		m->value[op->out] = (char *)direct;
		return;
	}
	const Slot *slot = &m->s->slot[op->out];
	if (slot->place == PLACE_REGISTER)
		m->value[op->out] = m->registers + slot->at;
	if (op->half && !direct) {
		walk_load(w, base_of(m, op), op->size, m->where, n, m->raw);
		direct = m->raw;
	}
	if (op->half)
		op->fn(n, m->value[op->out], direct, NULL, NULL);
	else
		walk_load(w, base_of(m, op), op->size, m->where, n, m->value[op->out]);
}

/* Index values of each row: a shift of the row's first place. */
static void load_rows(Machine *m, const RunOp *op)
{
	const Walk *w = &m->b->walk[op->walk];
	char *out = op->half ? m->raw : m->value[op->out];
	for (int64_t r = 0; r < m->rows; r++) {
		const char *base = base_of(m, op);
		int64_t shift = 0;
		bool absent = false;
		for (uint32_t d = 0; d < op->ndynamic; d++) {
			int64_t v = ((int64_t *)m->value[op->dynamic[d]])[op->one[d] ? 0 : r], extent = w->dynamic[d].extent;
			if ((uint64_t)v >= (uint64_t)extent) {
				fault_at(m, r*m->inner - (m->rows == 1 ? m->first : 0), extent ? v : 0, extent);
				absent |= !extent;
				v = 0;
			}
			shift += v*w->dynamic[d].stride;
		}
		if (absent)
			memset(out + (r*m->inner << op->size), 0, (size_t)m->inner << op->size);
		else
			walk_load(w, base + shift*(1 << op->size), op->size, m->where + r*m->inner, m->inner,
			          out + (r*m->inner << op->size));
	}
	if (op->half)
		op->fn(m->rows*m->inner, m->value[op->out], m->raw, NULL, NULL);
}

/* Adds the index values to places; false: an axis has no elements. */
static bool add_dynamic(Machine *m, const RunOp *op, int64_t n, int64_t *place)
{
	const Walk *w = &m->b->walk[op->walk];
	for (uint32_t d = 0; d < op->ndynamic; d++) {
		const int64_t *v = (int64_t *)m->value[op->dynamic[d]];
		int64_t extent = w->dynamic[d].extent, stride = w->dynamic[d].stride;
		if (!extent) {
			fault_at(m, 0, 0, 0);
			return false;
		}
		for (int64_t i = 0; i < n; i++) {
			bool inside = (uint64_t)v[i] < (uint64_t)extent;
			place[i] += inside ? v[i]*stride : 0;
			if (__builtin_expect(!inside, 0))
				fault_at(m, i, v[i], extent);
		}
	}
	return true;
}

#define GATHER(T) for (int64_t i = 0; i < n; i++) ((T *)out)[i] = ((const T *)base)[place[i]]; break
#define SCATTER(T) for (int64_t i = 0; i < n; i++) ((T *)base)[place[i]] = ((const T *)from)[i]; break

static void load_each(Machine *m, const RunOp *op, int64_t n)
{
	const char *base = base_of(m, op);
	char *out = op->half ? m->raw : m->value[op->out];
	int64_t *place = m->place;
	walk_index(&m->b->walk[op->walk], m->where, n, place);
	if (!add_dynamic(m, op, n, place))
		memset(out, 0, (size_t)n << op->size);
	else switch (op->size) {
	case 0: GATHER(uint8_t);
	case 1: GATHER(uint16_t);
	case 2: GATHER(uint32_t);
	default: GATHER(uint64_t);
	}
	if (op->half)
		op->fn(n, m->value[op->out], m->raw, NULL, NULL);
}

static void store_each(Machine *m, const RunOp *op, int64_t n)
{
	char *base = base_of(m, op);
	const char *from = m->value[op->a];
	int64_t *place = m->place;
	walk_index(&m->b->walk[op->walk], m->where, n, place);
	if (!add_dynamic(m, op, n, place))
		return;
	if (op->half) {
		op->fn(n, m->raw, from, NULL, NULL);
		from = m->raw;
	}
	switch (op->size) {
	case 0: SCATTER(uint8_t);
	case 1: SCATTER(uint16_t);
	case 2: SCATTER(uint32_t);
	default: SCATTER(uint64_t);
	}
}

static void store(Machine *m, const RunOp *op, int64_t n)
{
	const Walk *w = &m->b->walk[op->walk];
	const char *from = m->value[op->a];
	if (op->half) {
		op->fn(n, m->raw, from, NULL, NULL);
		from = m->raw;
	}
	walk_store(w, base_of(m, op), op->size, m->where, n, from);
}

static void expand_rows(Machine *m, const RunOp *op)
{
	const char *from = m->value[op->a];
	char *out = m->value[op->out];
	if (m->s->mode == MODE_BATCH && m->rows > 0)
		for (int64_t r = 0; r < m->rows; r++)
			op->fn(m->inner, out + (r*m->inner << op->size), from + (r << op->size), NULL, NULL);
	else
		op->fn(m->b->width, out, from, NULL, NULL);
}

static void cut(Machine *m, const RunOp *op, int64_t n)
{
	const char *from = m->value[op->a];
	char *out = m->value[op->out];
	for (int64_t i = 0; i < n; i++)          /* the low bytes: little-endian */
		memcpy(out + (i << op->size), from + (i << op->c), (size_t)1 << op->size);
}

/* ---- folds ---------------------------------------------------------------------------- */

static State *state_of(Machine *m, const RunOp *op) { return (State *)m->state + op->state; }

static void state_start(Machine *m, const RunOp *op)
{
	State *s = state_of(m, op);
	s->blocks = 0, s->top = 0, s->index = -1;
	if (op->kind == RUN_FOLD)
		op->fold->start(LANE_BYTES >> op->size, s->lanes);
}

/* A block is done: its result joins those before it, as a binary counter carries. */
static void state_push(Machine *m, const RunOp *op)
{
	State *s = state_of(m, op);
	char r[8];
	op->fold->finish(r, s->lanes);
	for (int64_t c = s->blocks++; c & 1; c >>= 1) {
		char *left = s->stack + 8*--s->top;
		op->fold->join(1, left, r);
		memcpy(r, left, 8);
	}
	memcpy(s->stack + 8*s->top++, r, 8);
	op->fold->start(LANE_BYTES >> op->size, s->lanes);
}

static void state_end(Machine *m, const RunOp *op)
{
	State *s = state_of(m, op);
	char *out = m->value[op->out];
	if (op->kind == RUN_ARG) {
		*(int64_t *)out = s->index < 0 ? 0 : s->index;
		return;
	}
	for (; s->top > 1; s->top--)
		op->fold->join(1, s->stack + 8*(s->top - 2), s->stack + 8*(s->top - 1));
	if (s->top)
		memcpy(out, s->stack, (size_t)1 << op->size);
	else if (op->zero_empty)
		memset(out, 0, (size_t)1 << op->size);
	else
		op->fold->start(1, out);
}

/* CHAIN: accumulators of the block's inner indices, then the stack of joined blocks, each with indices (ARG). */
static char *chain_value(Machine *m, const RunOp *op, int64_t level)
{
	return m->state + op->state*chain_state_bytes(m->b) + level*BLOCK*16;
}

static int64_t *chain_index(Machine *m, const RunOp *op, int64_t level)
{
	return (int64_t *)(chain_value(m, op, level) + BLOCK*8);
}

static void chain_start(Machine *m, const RunOp *op, int64_t n)
{
	if (op->kind == RUN_FOLD)
		op->fold->start(n, chain_value(m, op, 0));
	else
		for (int64_t i = 0; i < n; i++)
			chain_index(m, op, 0)[i] = -1;
}

static void chain_join(Machine *m, const RunOp *op, int64_t n, int64_t left, int64_t right)
{
	if (op->kind == RUN_FOLD)
		op->fold->join(n, chain_value(m, op, left), chain_value(m, op, right));
	else
		op->arg->join(n, chain_value(m, op, left), chain_index(m, op, left), chain_value(m, op, right),
		              chain_index(m, op, right));
}

static void chain_move(Machine *m, const RunOp *op, int64_t to, int64_t from)
{
	memcpy(chain_value(m, op, to), chain_value(m, op, from), BLOCK*16);
}

/* Level 0 is the running block; joined blocks lie at 1 ... top. */
static void chain_push(Machine *m, const RunOp *op, int64_t n, int64_t block, int64_t *top)
{
	for (int64_t c = block; c & 1; c >>= 1) {
		chain_join(m, op, n, *top, 0);
		chain_move(m, op, 0, (*top)--);
	}
	chain_move(m, op, ++*top, 0);
	chain_start(m, op, n);
}

static void chain_end(Machine *m, const RunOp *op, int64_t n, int64_t top)
{
	char *out = m->value[op->out];
	for (; top > 1; top--)
		chain_join(m, op, n, top - 1, top);
	if (op->kind == RUN_ARG) {
		memcpy(out, chain_index(m, op, top), (size_t)n*8);
		for (int64_t i = 0; i < n; i++)
			if (((int64_t *)out)[i] < 0)
				((int64_t *)out)[i] = 0;
	} else if (!m->b->folded && op->zero_empty) {
		memset(out, 0, (size_t)n << op->size);
	} else {
		memcpy(out, chain_value(m, op, top), (size_t)n << op->size);
	}
}

static void fold_batch(Machine *m, const RunOp *op)
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

static void fold_some(Machine *m, const RunOp *op, int64_t n)
{
	if (m->s->mode == MODE_BATCH) {
		fold_batch(m, op);
	} else if (m->s->mode == MODE_CHAIN) {
		if (op->kind == RUN_FOLD)
			op->fold->chain(m->rows, m->inner, chain_value(m, op, 0), m->value[op->a]);
		else
			op->arg->chain(m->rows, m->inner, chain_value(m, op, 0), chain_index(m, op, 0), m->value[op->a], m->first);
	} else if (op->kind == RUN_FOLD) {
		op->fold->chunk(n, state_of(m, op)->lanes, m->value[op->a]);
	} else {
		State *s = state_of(m, op);
		op->arg->chunk(n, s->stack, &s->index, m->value[op->a], m->first);
	}
}

/* ---- operations ------------------------------------------------------------------------- */

static void run_ops(Machine *m, uint32_t first, uint32_t end, int64_t n)
{
	const RunOp *op = m->s->op + first, *last = m->s->op + end;
	char **value = m->value;
	for (; op < last; op++) {
		switch (op->kind) {
		case RUN_PRIM_STORE: {
			const RunOp *to = op + 1;
			const char *p = walk_direct(&m->b->walk[to->walk], base_of(m, to), to->size, m->where, n);
			if (p) {
				op->fn(n, (char *)p, value[op->a], value[op->b == 0xffff ? op->a : op->b], value[op->c == 0xffff ? op->a : op->c]);
				op++;
				break;
			}
		} /* fall through */
		case RUN_PRIM:
			op->fn(n, value[op->out], value[op->a], value[op->b == 0xffff ? op->a : op->b],
			       value[op->c == 0xffff ? op->a : op->c]);
			break;
		case RUN_LOAD: load(m, op, n); break;
		case RUN_LOAD_ROWS: load_rows(m, op); break;
		case RUN_LOAD_EACH: load_each(m, op, n); break;
		case RUN_STORE: store(m, op, n); break;
		case RUN_STORE_EACH: store_each(m, op, n); break;
		case RUN_INDEX: walk_index(&m->b->walk[op->walk], m->where, n, (int64_t *)value[op->out]); break;
		case RUN_INDEX_EACH:
			walk_index(&m->b->walk[op->walk], m->where, n, (int64_t *)value[op->out]);
			add_dynamic(m, op, n, (int64_t *)value[op->out]);
			break;
		case RUN_PARAM: *(int64_t *)value[op->out] = int_value(op->param, m->param); break;
		case RUN_EXPAND: expand_rows(m, op); break;
		case RUN_FOLD: case RUN_ARG: fold_some(m, op, n); break;
		default: cut(m, op, n); break;
		}
	}
}

/* ---- rows ---------------------------------------------------------------------------------- */

#define STAGE_FOLDS(s, stage, op) \
	for (const RunOp *op = (s)->op + (stage)->first; op < (s)->op + (stage)->end; op++) \
		if (op->kind == RUN_FOLD || op->kind == RUN_ARG)

static void at_rows(Machine *m, int64_t row, int64_t rows)
{
	m->rows = rows;
	m->where = row;
	m->position = row*m->b->inner;
	m->step = m->b->inner;
}

static void run_batch(Machine *m, int64_t row, int64_t rows)
{
	const Script *s = m->s;
	m->inner = m->b->inner, m->first = 0;
	for (uint32_t k = 0; k < s->nstage; k++) {
		const RunStage *stage = &s->stage[k];
		at_rows(m, row, rows);
		if (!stage->inner) {
			run_ops(m, stage->first, stage->end, rows);
			continue;
		}
		run_ops(m, stage->before, stage->first, rows);
		m->where = m->position = row*m->b->inner;
		m->step = 1;
		if (m->b->inner)
			run_ops(m, stage->first, stage->end, rows*m->b->inner);
		else
			STAGE_FOLDS(s, stage, op)
				fold_batch(m, op);
	}
}

/* Inner indices [lo, hi) of a row. */
static void run_long_stage(Machine *m, const RunStage *stage, int64_t row, int64_t lo, int64_t hi)
{
	const Script *s = m->s;
	bool folds = false;
	STAGE_FOLDS(s, stage, op) {
		state_start(m, op);
		folds = true;
	}
	run_ops(m, stage->before, stage->first, 1);
	m->step = 1;
	for (int64_t i = lo; i < hi; i += m->b->width) {
		int64_t n = hi - i < m->b->width ? hi - i : m->b->width;
		m->where = m->position = row*m->b->inner + i;
		m->inner = n, m->first = i;
		for (uint32_t v = 0; s->nkept && v < s->nslot; v++)
			if (s->slot[v].place == PLACE_KEPT)
				m->value[v] = m->kept + s->slot[v].at*m->b->kept_bytes + ((i - lo) << s->slot[v].size);
		run_ops(m, stage->first, stage->end, n);
		if (folds && ((i + n) % FOLD_BLOCK == 0 || i + n == hi))
			STAGE_FOLDS(s, stage, op)
				if (op->kind == RUN_FOLD)
					state_push(m, op);
	}
	if (folds)
		STAGE_FOLDS(s, stage, op)
			state_end(m, op);
}

static void run_long(Machine *m, int64_t row, int64_t lo, int64_t hi)
{
	for (uint32_t k = 0; k < m->s->nstage; k++) {
		const RunStage *stage = &m->s->stage[k];
		at_rows(m, row, 1);
		if (stage->inner)
			run_long_stage(m, stage, row, lo, hi);
		else
			run_ops(m, stage->first, stage->end, 1);
	}
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
	m->inner = n, m->step = 1;
	for (int64_t f = 0; f < b->folded;) {
		int64_t end = f/FOLD_BLOCK*FOLD_BLOCK + FOLD_BLOCK < b->folded ? f/FOLD_BLOCK*FOLD_BLOCK + FOLD_BLOCK : b->folded;
		m->rows = end - f < b->batch ? end - f : b->batch;
		m->first = f;
		m->where = m->position = (row*b->folded + f)*b->inner + lo;
		run_ops(m, stage->before, stage->end, m->rows*n);
		f += m->rows;
		if (f == end && b->levels) {
			int64_t t = top;
			STAGE_FOLDS(s, stage, op) {
				t = top;
				chain_push(m, op, n, block, &t);
			}
			top = t, block++;
		}
	}
	STAGE_FOLDS(s, stage, op)
		chain_end(m, op, n, top);
	m->where = row*b->inner + lo;
	m->position = row*b->folded*b->inner + lo;
	m->rows = 1;
	for (uint32_t k = 1; k < s->nstage; k++)
		run_ops(m, s->stage[k].before, s->stage[k].end, n);
}

/* ---- items --------------------------------------------------------------------------------------- */

static Machine *machine_in(const Bound *b, void *const *buffer, const int64_t *param, void *scratch, Fault *fault)
{
	const Script *s = b->script;
	Machine *m = scratch;
	char *at = (char *)scratch + line(sizeof *m);
	size_t states = s->mode == MODE_CHAIN ? (size_t)chain_state_bytes(b) : sizeof(State);
	m->b = b, m->s = s, m->buffer = buffer, m->param = param, m->fault = fault;
	m->value = (char **)at, at += line(s->nslot * sizeof(char *));
	m->registers = at, at += line(s->registers);
	m->state = at, at += s->nstate*states;
	m->raw = at, at += BLOCK*8;
	m->place = (int64_t *)at, at += BLOCK*8;
	m->kept = at;
	for (uint32_t i = 0; i < s->nslot; i++)
		m->value[i] = (s->slot[i].place == PLACE_POOL ? b->interp->pool : m->registers) + s->slot[i].at;
	m->rows = 0, m->inner = 1, m->first = 0, m->where = 0, m->position = 0, m->step = 0;
	run_ops(m, 0, s->nprologue, 1);
	return m;
}

void interp_run(const Bound *b, void *const *buffer, const int64_t *param, int64_t lo, int64_t hi, void *scratch,
                Fault *fault)
{
	if (lo >= hi)
		return;
	Machine *m = machine_in(b, buffer, param, scratch, fault);
	for (int64_t item = lo; item < hi; item++) {
		int64_t row = item/b->splits, part = item % b->splits;
		if (m->s->mode == MODE_CHAIN) {
			int64_t first = part*b->width;
			run_chain(m, row, first, b->inner - first < b->width ? b->inner - first : b->width);
		} else if (m->s->mode == MODE_BATCH) {
			int64_t first = item*b->batch;
			run_batch(m, first, b->rows - first < b->batch ? b->rows - first : b->batch);
		} else if (b->interp->folds) {
			run_long(m, row, 0, b->inner);
		} else {
			int64_t first = part*FOLD_BLOCK, end = first + FOLD_BLOCK;
			run_long(m, row, first, end < b->inner ? end : b->inner);
		}
	}
}
