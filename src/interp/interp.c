/* interp.c - preparing a kernel: instructions to operations on vectors.
 *
 * needs: a kernel as loop.h describes it
 * gives: a script (of RECIPE_ROWS one for long rows or one for batches of short
 *        ones) with primitives looked up, constants laid down and registers
 *        assigned by lifetime
 */
#include "interp_make.h"

#include <pthread.h>

/* ---- what moves with what ------------------------------------------------------------ */

static bool moves(const ScriptMaker *m, const Ins *i)
{
	const Access *a = &m->k->at[i->at];
	if (i->kind == INS_PARAM) return false;
	if (a->ndynamic) return true;
	for (uint32_t k = 0; k < m->k->naxis; k++)
		if (!int_is(a->stride[k], 0)) return true;
	return false;
}

static void classify(ScriptMaker *m)
{
	const Kernel *k = m->k;
	for (uint16_t s = 0; s < k->nstage; s++)
		for (uint16_t v = k->stage[s].first; v < k->stage[s].end; v++) {
			const Ins *i = &k->code[v];
			uint16_t operand[3] = {i->a, i->b, i->c};
			uint8_t here = k->stage[s].inner ? CLASS_EACH : CLASS_ROW, c = CLASS_SAME;
			for (uint32_t j = 0; j < ins_arity(i); j++)
				if (operand[j] >= v || m->class[operand[j]] != CLASS_SAME) c = here;
			if ((i->kind == INS_LOAD || i->kind == INS_INDEX) && moves(m, i)) c = here;
			if (i->kind == INS_STORE) c = here;
			if (i->kind == INS_FOLD) c = k->recipe == RECIPE_CHAIN ? CLASS_EACH : CLASS_ROW;
			m->class[v] = c;
			m->stage[v] = s;
		}
}

/* ---- stages ----------------------------------------------------------------------------------- */

static void append(Script *s, const RunOp *op, uint32_t n)
{
	if (n) memcpy(s->op + s->nop, op, n * sizeof *op);
	s->nop += n;
}

/* A result that is stored at once and read nowhere else is computed where it belongs. */
static void fuse_stores(ScriptMaker *m)
{
	for (uint32_t p = 0; p + 1 < m->nbody; p++) {
		RunOp *x = &m->body[p], *y = &m->body[p + 1];
		if (x->kind != RUN_PRIM || y->kind != RUN_STORE || y->a != x->out || y->narrow) continue;
		uint32_t uses = 0;
		for (uint16_t v = 0; v < m->k->ncode; v++) {
			const Ins *i = &m->k->code[v];
			uint16_t operand[3] = {i->a, i->b, i->c};
			for (uint32_t j = 0; j < ins_arity(i); j++) uses += m->slot[operand[j]] == x->out;
		}
		for (uint32_t a = 0; a < m->k->nat; a++)
			for (uint32_t j = 0; j < m->k->at[a].ndynamic; j++)
				uses += 2 * (m->slot[m->k->at[a].dynamic[j].value] == x->out);
		if (uses == 1) x->kind = RUN_PRIM_STORE; /* the store follows; run_ops skips it */
	}
}

/* Memory may stand for a loaded value if nothing of the stage writes before it is read, and no other stage
 * reads it. */
static void mark_direct(ScriptMaker *m, uint16_t stage)
{
	uint32_t first = m->nbody, stores = 0;
	bool load_stored = false;
	for (uint32_t p = 0; p < m->nbody; p++) {
		bool store = m->body[p].kind == RUN_STORE || m->body[p].kind == RUN_STORE_EACH;
		if (store && first == m->nbody) first = p;
		if (!store && p > first) return;
		stores += store;
		for (uint32_t q = 0; store && q < p; q++)
			load_stored |= m->body[q].kind == RUN_LOAD && m->body[q].out == m->body[p].a;
	}
	if (load_stored && stores > 1) return;
	for (uint32_t p = 0; p < m->nbody; p++)
		m->body[p].direct = m->body[p].kind == RUN_LOAD && !m->body[p].narrow;
	const Kernel *k = m->k;
	for (uint16_t v = 0; v < k->ncode; v++) { /* read by another stage */
		const Ins *i = &k->code[v];
		uint16_t operand[5] = {i->a, i->b, i->c}, n = (uint16_t)ins_arity(i);
		if (i->kind == INS_LOAD || i->kind == INS_STORE || i->kind == INS_INDEX)
			for (uint32_t j = 0; j < k->at[i->at].ndynamic; j++)
				operand[n++] = k->at[i->at].dynamic[j].value;
		for (uint32_t j = 0; j < n && m->stage[v] != stage; j++)
			for (uint32_t p = 0; p < m->nbody; p++)
				if (m->slot[operand[j]] == m->body[p].out) m->body[p].direct = false;
	}
}

static void make_stage(ScriptMaker *m, uint16_t s)
{
	const Kernel *k = m->k;
	m->now = s;
	m->inner = k->stage[s].inner || k->recipe == RECIPE_CHAIN;
	m->nbefore = m->nbody = 0;
	if (k->recipe == RECIPE_CHAIN && s == 1) {
		m->again = true;
		for (uint16_t v = 0; v < k->stage[0].end; v++)
			if (k->code[v].kind != INS_FOLD && m->class[v] != CLASS_SAME) m->slot[v] = NONE;
	}
	for (uint16_t v = 0; v < k->stage[s].first; v++) /* folds of the stage before */
		if (k->code[v].kind == INS_FOLD && m->stage[v] + 1 == s) script_fold_end(m, v);
	uint32_t ends = m->nbody;
	if (k->recipe == RECIPE_ROWS && m->inner && ends) { /* once a row, not once a block */
		append(m->s, m->body, ends);
		m->nbody = 0;
	}
	bool row_end = k->recipe == RECIPE_ROWS && m->inner && ends;
	RunStage *stage = &m->s->stage[m->s->nstage];
	if (row_end) {
		*stage = (RunStage){(uint16_t)(m->s->nop - ends), (uint16_t)(m->s->nop - ends),
			(uint16_t)m->s->nop, false};
		stage = &m->s->stage[++m->s->nstage];
	}
	for (uint16_t v = k->stage[s].first; v < k->stage[s].end; v++)
		if (m->slot[v] == NONE) script_ins(m, v);
	mark_direct(m, s);
	fuse_stores(m);
	stage->before = (uint16_t)m->s->nop;
	append(m->s, m->before, m->nbefore);
	stage->first = (uint16_t)m->s->nop;
	append(m->s, m->body, m->nbody);
	stage->end = (uint16_t)m->s->nop;
	stage->inner = m->inner;
	m->s->nstage++;
}

/* ---- the whole ---------------------------------------------------------------------------------------- */

/* A list as long as it has become. */
static void *kept(Arena *a, const void *list, size_t bytes)
{
	return memcpy(arena_alloc_aligned(a, bytes, _Alignof(RunOp)), list, bytes);
}

static Script *script_room(ScriptMaker *m, Mode mode)
{
	Script *s = NEW(m->scratch, Script);
	s->mode = mode;
	s->op = NEW_ARRAY(m->scratch, RunOp, 3 * m->op_cap);
	s->slot = NEW_ARRAY(m->scratch, Slot, m->slot_cap);
	s->constant = NEW_ARRAY(m->scratch, const void *, m->slot_cap);
	s->walk = NEW_ARRAY(m->scratch, WalkPlan, 3 * m->k->nat + 1);
	s->stage = NEW_ARRAY(m->scratch, RunStage, 2 * STAGES_MAX + 1);
	return s;
}

/* The script without what it had room for. */
static const Script *script_settled(Arena *a, const Script *made)
{
	Script *s = kept(a, made, sizeof *made);
	s->op = kept(a, s->op, s->nop * sizeof *s->op);
	s->slot = kept(a, s->slot, s->nslot * sizeof *s->slot);
	s->constant = kept(a, s->constant, s->nconstant * sizeof *s->constant);
	s->walk = kept(a, s->walk, s->nwalk * sizeof *s->walk);
	s->stage = kept(a, s->stage, s->nstage * sizeof *s->stage);
	return s;
}

/* NULL: it cannot be prepared. */
static const Script *make_script(ScriptMaker *m, Mode mode)
{
	const Kernel *k = m->k;
	Script *s = m->s = script_room(m, mode);
	memset(m->slot, 0xff, k->ncode * sizeof *m->slot);
	/* the prologue is made on the way; it goes first, so stages are laid out after it */
	for (uint16_t i = 0; i < k->nstage && !m->failed; i++) make_stage(m, i);
	if (m->failed) return NULL;
	memmove(s->op + m->nprologue, s->op, s->nop * sizeof *s->op);
	memcpy(s->op, m->prologue, m->nprologue * sizeof *s->op);
	s->nop += m->nprologue;
	s->nprologue = m->nprologue;
	for (uint32_t i = 0; i < s->nstage; i++) {
		s->stage[i].before = (uint16_t)(s->stage[i].before + m->nprologue);
		s->stage[i].first = (uint16_t)(s->stage[i].first + m->nprologue);
		s->stage[i].end = (uint16_t)(s->stage[i].end + m->nprologue);
	}
	assign_registers(m);
	return script_settled(m->pool->arena, s);
}

static const Script *prepare(const Interp *t, Mode mode, Arena *scratch, Error *e)
{
	const Kernel *k = t->kernel;
	if (k->nstage > STAGES_MAX || (mode == MODE_CHAIN && k->nstage > 2)) return NULL;
	ScriptMaker *m = NEW(scratch, ScriptMaker);
	m->k = k;
	m->pool = t->pool;
	m->prims = t->pool->prims;
	m->scratch = scratch;
	m->error = e;
	m->class = NEW_ARRAY(scratch, uint8_t, k->ncode + 1);
	m->stage = NEW_ARRAY(scratch, uint16_t, k->ncode + 1);
	m->slot = NEW_ARRAY(scratch, uint16_t, k->ncode + 1);
	m->slot_cap = 8 * k->ncode + 64u;
	m->op_cap = 6 * k->ncode + 64u;
	m->splat = NEW_ARRAY(scratch, uint16_t, m->slot_cap);
	m->wide_stage = NEW_ARRAY(scratch, uint16_t, m->slot_cap);
	m->wide = NEW_ARRAY(scratch, uint16_t, m->slot_cap);
	m->defined = NEW_ARRAY(scratch, uint32_t, m->slot_cap);
	m->last = NEW_ARRAY(scratch, uint32_t, m->slot_cap);
	m->before = NEW_ARRAY(scratch, RunOp, m->op_cap);
	m->body = NEW_ARRAY(scratch, RunOp, m->op_cap);
	m->prologue = NEW_ARRAY(scratch, RunOp, m->op_cap);
	classify(m);
	return make_script(m, mode);
}

/* ---- once, by whoever is first ----------------------------------------------------------------------- */

/* One lock for all programs: what it guards is short and happens once.  A fork waits for it, so that its
 * child finds every pool as it should be. */
static pthread_mutex_t preparing = PTHREAD_MUTEX_INITIALIZER;

static void hold(void)
{
	pthread_mutex_lock(&preparing);
}

static void let_go(void)
{
	pthread_mutex_unlock(&preparing);
}

static void watch_forks(void)
{
	pthread_atfork(hold, let_go, let_go);
}

/* On the pool's arena, what it takes meanwhile on a child of that. */
static const Script *prepared(const Interp *t, Mode mode, Error *e)
{
	Arena *a = t->pool->arena, *volatile scratch = NULL;
	const Script *s = NULL;
	Trap trap;
	if (TRAP(&trap)) {
		arena_free(scratch);
		return fail(e, ERR_MEMORY, (Where){0}, "out of memory");
	}
	arena_arm(a, &trap);
	scratch = arena_child(a);
	s = prepare(t, mode, scratch, e);
	arena_free(scratch);
	arena_disarm(a, &trap);
	if (s) return s;
	return fail(e, ERR_INTERNAL, (Where){0}, "a kernel that the interpreter cannot prepare: k%u",
		t->kernel->index);
}

const Script *script_of(Interp *t, Mode mode, Error *e)
{
	static pthread_once_t watching = PTHREAD_ONCE_INIT;
	_Atomic(const Script *) *at = &t->script[mode == MODE_BATCH];
	const Script *s = atomic_load_explicit(at, memory_order_acquire);
	if (s) return s;
	pthread_once(&watching, watch_forks);
	hold();
	s = atomic_load_explicit(at, memory_order_relaxed);
	if (!s) s = prepared(t, mode, e);
	atomic_store_explicit(at, s, memory_order_release);
	let_go();
	return s;
}

Interp *interp_new(const Kernel *k, ConstPool *pool)
{
	Interp *t = NEW(pool->arena, Interp);
	t->kernel = k;
	t->pool = pool;
	for (uint16_t v = 0; v < k->ncode; v++) t->folds |= k->code[v].kind == INS_FOLD;
	return t;
}
