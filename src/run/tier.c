/* tier.c - from interpreted to native: units of kernels compiled, here or by a thread, and swapped in one by
 * one.
 *
 * A kernel's function pointer is set once, when its unit's code is loaded; a
 * call that is under way takes it at its next launch.  The bits are the same
 * before and after.  What cannot be compiled stays interpreted, and why is kept.
 */
#include "program.h"
#include "compiler.h"

#include <stdio.h>

/* A program of many units has two compilers at work, others one: the caller computes meanwhile. */
enum { COMPILERS = 2, MANY_UNITS = 8 };

/* In element-instructions, of which the interpreter does one in a nanosecond or two; and what a launch
 * costs. */
enum { GAIN_WORK = 10 << 20, LAUNCH_WORK = 200 };

typedef struct Background {
	Compiler compiler;
	bool open; /* the compiler */
	int nthread;
	pthread_t thread[COMPILERS];
	_Atomic uint32_t next; /* unit */
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t done, gain;
	int busy;         /* threads at work */
	atomic_bool stop; /* what compiles has a moment more */
	_Atomic int64_t worked; /* so much as was interpreted */
	Error error;      /* the first */
} Background;

/* ---- a unit ---------------------------------------------------------------------------- */

/* The first stays, and is told. */
static void keep_error(Program *p, const Error *e)
{
	pthread_mutex_lock(&p->tier->mutex);
	bool first = !p->tier->error.code;
	if (first) p->tier->error = *e;
	pthread_mutex_unlock(&p->tier->mutex);
	char line[sizeof e->text + 40];
	snprintf(line, sizeof line, "interpreted, because %s", e->text);
	/* an error; or nobody asks any more */
	bool told = p->options.tier == TIER_NATIVE || e->code == ERR_CANCELLED;
	if (first && !told && p->options.log) p->options.log(p->options.log_user, line);
}

static struct Code *compile_kernels(Program *p, uint32_t first, uint32_t n, bool cached_only, Error *e)
{
	Arena *a = arena_new(NULL);
	Trap trap;
	struct Code *code = NULL;
	if (!a || TRAP(&trap)) {
		arena_free(a);
		return fail(e, ERR_MEMORY, (Where){0}, "out of memory");
	}
	arena_arm(a, &trap);
	const Kernel *kernel[UNIT_MOST];
	for (uint32_t i = 0; i < n; i++) kernel[i] = p->kernel[first + i].kernel;
	Text t;
	text_open(&t, a);
	bool good = emit_unit(&t, n, kernel, e);
	const char *source = good ? text_done(&t) : NULL;
	arena_disarm(a, &trap);
	if (good) code = compile_unit(&p->tier->compiler, source, p->isa, cached_only, e);
	arena_free(a);
	return code;
}

static Native symbol(const struct Code *code, uint32_t i, const char *suffix)
{
	char name[40];
	snprintf(name, sizeof name, "k%u%s", i, suffix);
	void *s = code_symbol(code, name);
	Native f;
	memcpy(&f, &s, sizeof f); /* ISO C has no cast from object to function */
	return f;
}

/* A compiler takes 50 ms and more: it begins when about a third of that was spent on interpreting, so that
 * what soon ends starts none.  Until then; false: the program ends. */
static bool wait_for_gain(Program *p)
{
	Background *b = p->tier;
	pthread_mutex_lock(&b->mutex);
	while (atomic_load(&p->undecided) && !atomic_load(&b->stop)) pthread_cond_wait(&b->gain, &b->mutex);
	pthread_mutex_unlock(&b->mutex);
	return !atomic_load(&b->stop);
}

void program_hurry(Program *p)
{
	Background *b = p->tier;
	if (!b || !atomic_load(&p->undecided)) return;
	pthread_mutex_lock(&b->mutex);
	atomic_store(&p->undecided, false);
	pthread_cond_broadcast(&b->gain);
	pthread_mutex_unlock(&b->mutex);
}

void tier_worked(Program *p, int64_t work)
{
	if (atomic_fetch_add_explicit(&p->tier->worked, work + LAUNCH_WORK, memory_order_relaxed) > GAIN_WORK)
		program_hurry(p);
}

static void make_unit(Program *p, TierUnit *u)
{
	Error e = {0};
	bool patient = p->options.tier == TIER_BACKGROUND && atomic_load(&p->undecided);
	u->code = compile_kernels(p, u->first, u->n, patient || p->options.tier == TIER_CACHED, &e);
	if (!u->code && patient && e.code == ERR_COMPILER) {
		error_clear(&e);
		if (!wait_for_gain(p)) return;
		u->code = compile_kernels(p, u->first, u->n, false, &e);
	}
	if (!u->code) {
		if (p->options.tier != TIER_CACHED || e.code != ERR_COMPILER) keep_error(p, &e);
		atomic_store(&u->state, UNIT_FAILED);
		return;
	}
	for (uint32_t i = 0; i < u->n; i++) {
		KernelSlot *k = &p->kernel[u->first + i];
		Native whole = symbol(u->code, i, "");
		if (!k->form.kernel || !whole) { /* neither is asked for in vain but for want of memory */
			if (!e.code) fail(&e, ERR_MEMORY, (Where){0}, "out of memory");
			continue;
		}
		if (k->form.splits) {
			Native blocks = symbol(u->code, i, "_blocks"), finish = symbol(u->code, i, "_finish");
			k->blocks = finish ? blocks : NULL;
			k->finish = finish;
		}
		atomic_store_explicit(&k->native, whole, memory_order_release);
	}
	if (e.code) keep_error(p, &e);
	atomic_store(&u->state, UNIT_READY);
}

/* ---- all units ---------------------------------------------------------------------------- */

static void make_part(void *user, int part)
{
	Program *p = user;
	int parts = p->threads < (int)p->nunit ? p->threads : (int)p->nunit;
	for (uint32_t u = (uint32_t)part; u < p->nunit; u += (uint32_t)parts)
		if (atomic_load(&p->unit[u].state) == UNIT_WAITS) make_unit(p, &p->unit[u]);
}

static void *background(void *user)
{
	Program *p = user;
	Background *b = p->tier;
	for (uint32_t u; !atomic_load(&b->stop) && (u = atomic_fetch_add(&b->next, 1)) < p->nunit;)
		if (atomic_load(&p->unit[u].state) == UNIT_WAITS) make_unit(p, &p->unit[u]);
	pthread_mutex_lock(&b->mutex);
	b->busy--;
	pthread_cond_broadcast(&b->done);
	pthread_mutex_unlock(&b->mutex);
	return NULL;
}

static void start_threads(Program *p)
{
	Background *b = p->tier;
	int wanted = p->nunit > MANY_UNITS && p->threads > 1 ? COMPILERS : 1;
	pthread_mutex_lock(&b->mutex); /* the first may be done before the second begins */
	atomic_store(&b->next, 0);
	b->nthread = 0;
	while (b->nthread < wanted && !pthread_create(&b->thread[b->nthread], NULL, background, p))
		b->nthread++;
	b->busy = b->nthread;
	pthread_mutex_unlock(&b->mutex);
	if (!b->nthread) {
		Error e = {0};
		atomic_store(&p->undecided, false);
		fail(&e, ERR_COMPILER, (Where){0}, "there is no thread for the background compiler");
		keep_error(p, &e);
	}
}

void tier_start(Program *p)
{
	const RunOptions *o = &p->options;
	pool_watch_forks();
	atomic_store(&p->forks, fork_count);
	if (o->tier == TIER_INTERPRET || !p->nunit) return;
	Background *b = p->tier = NEW(p->arena, Background);
	pthread_mutex_init(&b->mutex, NULL);
	pthread_cond_init(&b->done, NULL);
	pthread_cond_init(&b->gain, NULL);
	Error why = {0};
	if (!compiler_open(&b->compiler, o->compiler, o->cache, &why)) {
		keep_error(p, &why); /* interpreted, with the reason kept */
		return;
	}
	b->open = true;
	atomic_store(&p->undecided, o->tier == TIER_BACKGROUND);
	b->compiler.hurry = &b->stop;
	b->compiler.cancel = o->cancel;
	if (o->tier != TIER_BACKGROUND) b->compiler.watch = o->watch;
	if (o->time_limit) b->compiler.time_limit = o->time_limit;
	if (!compiler_exists(&b->compiler)) {
		fail(&why, ERR_COMPILER, (Where){0}, "no C compiler was found");
		keep_error(p, &why);
		return;
	}
	if (o->tier == TIER_BACKGROUND) {
		start_threads(p);
		return;
	}
	pool_run(p->threads < (int)p->nunit ? p->threads : (int)p->nunit, make_part, p);
	b->compiler.watch = NULL;
}

/* In a forked child the threads are gone; what they had not finished is begun anew. */
void tier_restart(Program *p)
{
	uint32_t was = atomic_load(&p->forks);
	Background *b = p->tier;
	if (was == fork_count || !atomic_compare_exchange_strong(&p->forks, &was, fork_count) || !b) return;
	pthread_mutex_init(&b->mutex, NULL);
	pthread_cond_init(&b->done, NULL);
	pthread_cond_init(&b->gain, NULL);
	bool again = b->busy > 0;
	b->nthread = b->busy = 0;
	if (again) start_threads(p);
}

void tier_stop(Program *p)
{
	Background *b = p->tier;
	if (!b) return;
	bool threads = b->nthread && atomic_load(&p->forks) == fork_count; /* a fork's child may not lock */
	atomic_store(&b->stop, true);
	if (threads) {
		pthread_mutex_lock(&b->mutex);
		pthread_cond_broadcast(&b->gain);
		pthread_mutex_unlock(&b->mutex);
	}
	for (int i = 0; i < b->nthread && atomic_load(&p->forks) == fork_count; i++)
		pthread_join(b->thread[i], NULL);
	for (uint32_t u = 0; u < p->nunit; u++)
		if (p->unit[u].code) code_close(p->unit[u].code);
	if (b->open) compiler_close(&b->compiler);
}

/* ---- what there is ---------------------------------------------------------------------------- */

bool program_wait(Program *p)
{
	Background *b = p->tier;
	TierState s;
	if (b) {
		tier_restart(p);
		program_hurry(p);
		pthread_mutex_lock(&b->mutex);
		while (b->busy) pthread_cond_wait(&b->done, &b->mutex);
		pthread_mutex_unlock(&b->mutex);
	}
	program_state(p, &s);
	return s.native == s.kernels;
}

void program_state(Program *p, TierState *s)
{
	tier_restart(p);
	*s = (TierState){.kernels = p->plan->nkernel};
	for (uint32_t i = 0; i < s->kernels; i++) s->native += atomic_load(&p->kernel[i].native) != NULL;
	for (uint32_t u = 0; u < p->nunit; u++)
		s->failed += atomic_load(&p->unit[u].state) == UNIT_FAILED ? p->unit[u].n : 0;
	if (!p->tier) {
		snprintf(s->text, sizeof s->text, "interpreted, as asked");
		return;
	}
	pthread_mutex_lock(&p->tier->mutex);
	s->busy = p->tier->busy > 0;
	const Error *e = &p->tier->error;
	s->code = e->code;
	snprintf(s->text, sizeof s->text, "%u of %u kernels native%s%s%.480s", s->native, s->kernels,
		s->busy ? ", compiling" : "", e->code ? ": " : "", e->code ? e->text : "");
	pthread_mutex_unlock(&p->tier->mutex);
}
