/* pool.c - one pool of threads for the process.
 *
 * Work comes as parts, cut the same way every time; caller and workers take
 * one after another, and which of them computes a part changes no bit.  One
 * job at a time: who finds the pool busy does the work alone.
 *
 * Jobs follow one another within microseconds, so a worker without work, and a
 * caller whose last parts are being done, look for news a while before they
 * sleep; the mutex is for those who sleep alone.
 */
#include "run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { WORKERS_MAX = 255, PARTS_MAX = 0xffff, SPINS = 4000 };

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t start, done;
	atomic_flag busy; /* a job is running */
	int workers;
	pthread_t thread[WORKERS_MAX];
	uint32_t born[WORKERS_MAX]; /* the job before a worker's first */
	bool end;                   /* under the mutex */
	atomic_int sleeping;        /* workers that wait for `start` */
	atomic_bool waiting;        /* the caller waits for `done` */
	/* the job */
	_Atomic uint32_t number;
	_Atomic uint64_t claim; /* number | parts | the next part that nobody has taken: 32, 16, 16 bits */
	atomic_int left;        /* parts not done */
	void (*fn)(void *, int);
	void *user;
	uint32_t control;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
	.start = PTHREAD_COND_INITIALIZER,
	.done = PTHREAD_COND_INITIALIZER,
	.busy = ATOMIC_FLAG_INIT};

uint32_t fork_count;

int cpu_count(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	if (n < 1) return 1;
	if (n > WORKERS_MAX) return WORKERS_MAX;
	return (int)n;
}

static uint32_t control_word(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_stmxcsr();
#else
	return 0;
#endif
}

static void set_control_word(uint32_t w)
{
#if defined(__x86_64__)
	__builtin_ia32_ldmxcsr(w);
#else
	(void)w;
#endif
}

static void pause_a_little(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

/* The next part of job `number`, -1: none is left, or the job is over.  A part once taken keeps the job
 * alive: what the pool says of it is good until the part is done. */
static int take_part(uint32_t number)
{
	uint64_t c = atomic_load(&pool.claim);
	while (c >> 32 == number && (c & 0xffff) < (c >> 16 & 0xffff))
		if (atomic_compare_exchange_weak(&pool.claim, &c, c + 1)) return (int)(c & 0xffff);
	return -1;
}

/* Waits for a job after `seen`; false: the pool ends. */
static bool next_job(uint32_t seen)
{
	for (int i = 0; i < SPINS; i++) {
		if (atomic_load(&pool.number) != seen) return true;
		pause_a_little();
	}
	pthread_mutex_lock(&pool.mutex);
	atomic_fetch_add(&pool.sleeping, 1);
	while (atomic_load(&pool.number) == seen && !pool.end) pthread_cond_wait(&pool.start, &pool.mutex);
	atomic_fetch_sub(&pool.sleeping, 1);
	bool end = pool.end;
	pthread_mutex_unlock(&pool.mutex);
	return !end;
}

static void part_done(void)
{
	if (atomic_fetch_sub(&pool.left, 1) > 1 || !atomic_load(&pool.waiting)) return;
	pthread_mutex_lock(&pool.mutex);
	pthread_cond_signal(&pool.done);
	pthread_mutex_unlock(&pool.mutex);
}

static void *worker(void *arg)
{
	uint32_t seen = pool.born[(intptr_t)arg];
	while (next_job(seen)) {
		seen = atomic_load(&pool.number);
		for (int part; (part = take_part(seen)) >= 0; part_done()) {
			set_control_word(pool.control);
			pool.fn(pool.user, part);
		}
	}
	return NULL;
}

/* In a child the workers are gone: the pool begins anew. */
static void after_fork(void)
{
	pthread_mutex_init(&pool.mutex, NULL);
	pthread_cond_init(&pool.start, NULL);
	pthread_cond_init(&pool.done, NULL);
	atomic_flag_clear(&pool.busy);
	atomic_store(&pool.sleeping, 0);
	atomic_store(&pool.waiting, false);
	pool.workers = 0;
	pool.end = false;
	fork_count++;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}

static pthread_once_t watching = PTHREAD_ONCE_INIT;
void pool_watch_forks(void)
{
	pthread_once(&watching, watch_forks);
}

/* parts - 1 workers, or as many as there can be. */
static void want_workers(int parts)
{
	pool_watch_forks();
	while (pool.workers < parts - 1 && pool.workers < WORKERS_MAX) {
		pthread_attr_t a;
		pool.born[pool.workers] = atomic_load(&pool.number);
		pthread_attr_init(&a);
		pthread_attr_setstacksize(&a, 1 << 20);
		int bad = pthread_create(
			&pool.thread[pool.workers], &a, worker, (void *)(intptr_t)pool.workers);
		pthread_attr_destroy(&a);
		if (bad) break;
		pool.workers++;
	}
}

static void wake_workers(void)
{
	if (!atomic_load(&pool.sleeping)) return;
	pthread_mutex_lock(&pool.mutex);
	pthread_cond_broadcast(&pool.start);
	pthread_mutex_unlock(&pool.mutex);
}

static void wait_for_parts(void)
{
	for (int i = 0; i < SPINS; i++) {
		if (!atomic_load(&pool.left)) return;
		pause_a_little();
	}
	pthread_mutex_lock(&pool.mutex);
	atomic_store(&pool.waiting, true);
	while (atomic_load(&pool.left)) pthread_cond_wait(&pool.done, &pool.mutex);
	atomic_store(&pool.waiting, false);
	pthread_mutex_unlock(&pool.mutex);
}

/* The caller takes parts as the workers do, so it never waits for one that sleeps. */
void pool_run(int parts, void (*fn)(void *user, int part), void *user)
{
	if (parts <= 1 || parts > PARTS_MAX || atomic_flag_test_and_set(&pool.busy)) {
		for (int p = 0; p < parts; p++) fn(user, p);
		return;
	}
	want_workers(parts);
	uint32_t number = atomic_load(&pool.number) + 1;
	pool.fn = fn;
	pool.user = user;
	pool.control = control_word();
	atomic_store(&pool.left, parts);
	atomic_store(&pool.claim, (uint64_t)number << 32 | (uint64_t)parts << 16);
	atomic_store(&pool.number, number);
	wake_workers();
	int done = 0;
	for (int part; (part = take_part(number)) >= 0; done++) fn(user, part);
	atomic_fetch_sub(&pool.left, done);
	wait_for_parts();
	atomic_flag_clear(&pool.busy);
}

void pool_close(void)
{
	while (atomic_flag_test_and_set(&pool.busy)) pause_a_little();
	pthread_mutex_lock(&pool.mutex);
	pool.end = true;
	pthread_cond_broadcast(&pool.start);
	pthread_mutex_unlock(&pool.mutex);
	for (int i = 0; i < pool.workers; i++) pthread_join(pool.thread[i], NULL);
	pool.workers = 0;
	pool.end = false;
	atomic_flag_clear(&pool.busy);
}
