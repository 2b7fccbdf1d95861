/* parallel.c - a step's work among threads: its items; of few items, the blocks of their folds.
 *
 * How work is cut changes no bit: blocks, and groups of them that are whole subtrees, join as in one thread.
 */
#include "program.h"

static const Stop *stop_of(const Job *j)
{
	return j->large ? &j->f->stop : NULL;
}

/* ---- running items, by one thread or several ------------------------------------------ */

static char *shared_of(const Frame *f)
{
	return f->now->work + f->now->shared_at;
}

static void run_range(Job *j, int part, int64_t lo, int64_t hi)
{
	FrameStep *x = j->x;
	Fault *fault = &j->f->fault[part];
	void *scratch = scratch_of(j->f, part);
	if (j->native)
		j->native(x->buffer, x->param, lo, hi, scratch, fault);
	else if (j->s->kind == STEP_CORE)
		core_run(j->s->call->core, j->s->call->dtype,
			&(Piece){x->buffer, x->param, lo, hi, scratch, fault}, j->f->program->isa);
	else
		interp_run(x->bound, &(Piece){x->buffer, x->param, lo, hi, scratch, fault}, stop_of(j));
}

/* Is the call over?  All threads that share the work find out. */
static bool is_over(Job *j)
{
	if (__atomic_load_n(&j->f->over, __ATOMIC_RELAXED)) return true;
	if (!stop_is_due(&j->f->stop)) return false;
	__atomic_store_n(&j->f->over, 1, __ATOMIC_RELAXED);
	return true;
}

static void run_pieces(Job *j, int part, int64_t lo, int64_t hi)
{
	double pieces = (double)j->x->work / PIECE_WORK;
	int64_t piece = (int64_t)((double)j->items / pieces) + 1;
	for (; lo < hi && !is_over(j); lo += piece) run_range(j, part, lo, hi - lo < piece ? hi : lo + piece);
	is_over(j); /* the interpreter may have left its last piece */
}

static void run_part(void *user, int part)
{
	Job *j = user;
	bool all = j->parts == 1; /* no division */
	int64_t lo = all ? 0 : j->items * part / j->parts,
		hi = all ? j->items : j->items * (part + 1) / j->parts;
	(j->large ? run_pieces : run_range)(j, part, lo, hi);
}

typedef struct Share {
	void (*fn)(void *, int);
	void *user;
} Share;

static void share_part(void *argument, int64_t i)
{
	const Share *s = argument;
	s->fn(s->user, (int)i);
}

/* By the caller's own threads, or by the pool. */
static void share(const Program *p, int parts, void (*fn)(void *, int), void *user)
{
	Share s = {fn, user};
	if (p->options.parallel_for)
		p->options.parallel_for(p->options.parallel_user, parts, share_part, &s);
	else
		pool_run(parts, fn, user);
}

void run_items(Job *j)
{
	int threads = j->f->program->threads;
	j->parts = 1;
	if (!j->shared || j->items <= 1) {
		j->f->fault[0].position = INT64_MAX;
		run_part(j, 0);
		return;
	}
	j->parts = j->items < threads ? (int)j->items : threads;
	for (int p = 0; p < j->parts; p++) j->f->fault[p].position = INT64_MAX;
	share(j->f->program, j->parts, run_part, j);
	for (int p = 1; p < j->parts; p++)
		if (j->f->fault[p].position < j->f->fault[0].position) j->f->fault[0] = j->f->fault[p];
}

/* ---- few rows of many terms ------------------------------------------------------------------ */

/* Few rows of many terms: blocks are shared among threads, or are pieces for one, then joined. */
static bool run_split(Job *j, const KernelSlot *k)
{
	Frame *f = j->f;
	FrameStep *x = j->x;
	bool long_rows = j->large && j->items && x->work / j->items > PIECE_WORK;
	bool few = j->shared && j->items < f->program->threads;
	if (!k->blocks || x->blocks < 2 || !(few || long_rows)) return false;
	x->buffer[j->s->call->nbuffer] = shared_of(f);
	Job blocks = {.f = f,
		.s = j->s,
		.x = x,
		.native = k->blocks,
		.items = x->blocks,
		.shared = j->shared,
		.large = j->large};
	run_items(&blocks);
	if (j->large && is_over(j)) return true;
	Fault first = f->fault[0];
	j->native = k->finish;
	j->large = false;
	run_items(j);
	if (first.position < f->fault[0].position) f->fault[0] = first;
	return true;
}

typedef struct PhaseJob {
	Job *j;
	RowPart row;
} PhaseJob;

static void run_phase_part(void *user, int part)
{
	const PhaseJob *w = user;
	Frame *f = w->j->f;
	RowPart r = w->row;
	r.part = part;
	r.stop = stop_of(w->j);
	interp_phase(
		w->j->x->bound, &r, w->j->x->buffer, w->j->x->param, scratch_of(f, part), &f->fault[part]);
}

/* The same by the interpreter: row after row, stage after stage. */
static bool run_phases(Job *j)
{
	Frame *f = j->f;
	int64_t blocks = bound_blocks(j->x->bound);
	if (!j->shared || j->items >= f->program->threads || blocks < 2) return false;
	int parts = blocks < f->program->threads ? (int)blocks : f->program->threads;
	PhaseJob w = {.j = j, .row = {.parts = parts, .shared = shared_of(f)}};
	for (int p = 0; p < parts; p++) f->fault[p].position = INT64_MAX;
	for (w.row.row = 0; w.row.row < j->items; w.row.row++)
		for (w.row.phase = 0; w.row.phase < bound_phases(j->x->bound); w.row.phase++)
			share(f->program, parts, run_phase_part, &w);
	if (j->large) is_over(j);
	for (int p = 1; p < parts; p++)
		if (f->fault[p].position < f->fault[0].position) f->fault[0] = f->fault[p];
	return true;
}

/* All items of a core that computes no index. */
static void run_all(const Job *j, Core core, void *const *buffer, const int64_t *param, void *scratch)
{
	Piece x = {.buffer = buffer, .param = param, .hi = core_items(core, param), .scratch = scratch};
	core_run(core, j->s->call->dtype, &x, j->f->program->isa);
}

/* ---- few results of a contraction, of many terms ------------------------------------------------ */

static int64_t cut_in(int64_t n, int64_t size)
{
	return n / size + (n % size != 0);
}
static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}
static int64_t results(const int64_t *param)
{
	return param[1] * param[2] * param[3];
}

/* Terms of a group: blocks, a power of two of them, so that a group's result is one of the tree's; at most
 * GROUPS_MAX groups.  The core does blocks of few chains side by side: such are left together where every
 * thread still gets some groups. */
static int64_t group_terms(const int64_t *param, int threads)
{
	enum { FEW_CHAINS = 128, TOGETHER = 4 * FOLD_BLOCK };
	int64_t k = param[4], terms = FOLD_BLOCK;
	if (!param[0] && results(param) <= FEW_CHAINS && k / TOGETHER >= 3 * threads) terms = TOGETHER;
	while (k / terms >= GROUPS_MAX) terms *= 2;
	return terms;
}

static void run_groups_part(void *user, int part)
{
	const Job *j = user;
	const FrameStep *x = j->x;
	int64_t bytes = (int64_t)dtype_bytes((Dtype)j->s->call->dtype),
		terms = group_terms(x->param, j->f->program->threads);
	char *shared = shared_of(j->f);
	for (int64_t g = x->blocks * part / j->parts; g < x->blocks * (part + 1) / j->parts; g++) {
		int64_t p[11], first = g * terms;
		memcpy(p, x->param, sizeof p);
		p[4] = least(terms, p[4] - first);
		void *buffer[] = {(char *)x->buffer[0] + first * p[7] * bytes,
			(char *)x->buffer[1] + first * p[9] * bytes, shared + g * results(p) * bytes};
		run_all(j, CORE_CONTRACT, buffer, p, scratch_of(j->f, part));
	}
}

static void run_contract(Job *j)
{
	int64_t param[] = {j->x->blocks, results(j->x->param)};
	void *buffer[] = {shared_of(j->f), j->x->buffer[2]};
	share(j->f->program, j->parts, run_groups_part, j);
	run_all(j, CORE_JOIN, buffer, param, NULL);
}

/* ---- one cumulative sum ------------------------------------------------------------------------- */

typedef struct SumLine {
	const Job *j;
	char *x, *out;
	bool apply;
} SumLine;

/* Blocks for themselves; then, when the totals are known, what came before each. */
static void run_line_part(void *user, int part)
{
	const SumLine *l = user;
	const Job *j = l->j;
	const Step *s = j->s;
	int64_t n = j->x->param[1], lo = j->x->blocks * part / j->parts,
		hi = j->x->blocks * (part + 1) / j->parts;
	if (l->apply) {
		Piece x = {.buffer = (void *[]){l->out, shared_of(j->f)},
			.param = (int64_t[]){n, 1},
			.lo = lo,
			.hi = hi};
		core_run(CORE_CARRY, s->call->dtype, &x, j->f->program->isa);
		return;
	}
	int64_t x_bytes = (int64_t)dtype_bytes((Dtype)s->call->dtype);
	int64_t out_bytes = (int64_t)dtype_bytes((Dtype)j->f->program->plan->buffer[s->buffer[1]].dtype);
	for (int64_t b = lo; b < hi; b++) {
		int64_t p[] = {1, least(FOLD_BLOCK, n - b * FOLD_BLOCK), 1};
		void *buffer[] = {l->x + b * FOLD_BLOCK * x_bytes, l->out + b * FOLD_BLOCK * out_bytes};
		run_all(j, CORE_CUMSUM, buffer, p, scratch_of(j->f, part));
	}
}

static void run_cumsum(Job *j)
{
	const Program *p = j->f->program;
	const int64_t *param = j->x->param;
	int64_t bytes = (int64_t)dtype_bytes((Dtype)j->s->call->dtype);
	int64_t out_bytes = (int64_t)dtype_bytes((Dtype)p->plan->buffer[j->s->buffer[1]].dtype);
	for (int64_t o = 0; o < param[0]; o++) {
		SumLine l = {j,
			(char *)j->x->buffer[0] + o * param[1] * bytes,
			(char *)j->x->buffer[1] + o * param[1] * out_bytes, false};
		share(p, j->parts, run_line_part, &l);
		run_all(j, CORE_CARRY, (void *[]){l.out, shared_of(j->f)}, (int64_t[]){param[1], 0}, NULL);
		l.apply = true;
		share(p, j->parts, run_line_part, &l);
	}
}

/* ---- which -------------------------------------------------------------------------------------- */

/* Partial results are stored: of types in which that loses nothing. */
int64_t core_blocks(const Step *s, const int64_t *param, int threads, size_t *bytes)
{
	bool exact = s->call->dtype != DT_BOOL && !dtype_is_narrow((Dtype)s->call->dtype);
	int64_t blocks = 0;
	if (exact && s->call->core == CORE_CONTRACT) {
		blocks = cut_in(param[4], group_terms(param, threads));
		*bytes = (size_t)(blocks * results(param)) * dtype_bytes((Dtype)s->call->dtype);
	} else if (exact && s->call->core == CORE_CUMSUM && param[2] == 1) {
		blocks = cut_in(param[1], FOLD_BLOCK);
		*bytes = (size_t)blocks * 16;
	}
	return blocks > 1 ? blocks : 0;
}

static bool run_blocks(Job *j)
{
	const Program *p = j->f->program;
	if (!j->shared || !j->x->blocks) return false;
	j->f->fault[0].position = INT64_MAX;
	j->parts = (int)least(j->x->blocks, p->threads);
	if (j->s->call->core == CORE_CONTRACT)
		run_contract(j);
	else
		run_cumsum(j);
	return true;
}

bool run_parted(Job *j, const KernelSlot *k)
{
	if (!k) return run_blocks(j);
	if (j->native) return run_split(j, k);
	return run_phases(j);
}
