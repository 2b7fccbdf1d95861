/* pool.c - one pool of threads for the process.
 *
 * Work comes as parts, cut the same way every time; caller and workers take
 * one after another, and which of them computes a part changes no bit.  One
 * job at a time: who finds the pool busy does the work alone.
 */
#include "run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { WORKERS_MAX = 255, SPINS = 2000 };

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t start, done;
	atomic_flag busy; /* a job is running */
	int workers;
	pthread_t thread[WORKERS_MAX];
	uint64_t born[WORKERS_MAX]; /* the job before a worker's first */
	bool end;
	/* the job; changed under the mutex */
	_Atomic uint64_t number;
	_Atomic uint64_t claim; /* its number << 16, and the next part that nobody has taken */
	atomic_int left;        /* parts not done */
	int parts;
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
	return n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (int)n;
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

/* The next part of job `number`, -1: none is left, or the job is over. */
static int take_part(uint64_t number, int parts)
{
	uint64_t c = atomic_load_explicit(&pool.claim, memory_order_acquire);
	while (c >> 16 == (number & UINT64_MAX >> 16) && (int)(c & 0xffff) < parts)
		if (atomic_compare_exchange_weak(&pool.claim, &c, c + 1)) return (int)(c & 0xffff);
	return -1;
}

static void *worker(void *arg)
{
	uint64_t seen = pool.born[(intptr_t)arg];
	for (;;) {
		for (int i = 0; i < SPINS && atomic_load_explicit(&pool.number, memory_order_acquire) == seen;
			i++)
			pause_a_little();
		pthread_mutex_lock(&pool.mutex);
		while (atomic_load(&pool.number) == seen && !pool.end)
			pthread_cond_wait(&pool.start, &pool.mutex);
		seen = atomic_load(&pool.number);
		bool end = pool.end;
		int parts = pool.parts;
		void (*fn)(void *, int) = pool.fn;
		void *user = pool.user;
		uint32_t control = pool.control;
		pthread_mutex_unlock(&pool.mutex);
		if (end) return NULL;
		/* a part once taken keeps the job alive: fn and user are good */
		for (int part; (part = take_part(seen, parts)) >= 0;) {
			set_control_word(control);
			fn(user, part);
			if (atomic_fetch_sub(&pool.left, 1) == 1) {
				pthread_mutex_lock(&pool.mutex);
				pthread_cond_signal(&pool.done);
				pthread_mutex_unlock(&pool.mutex);
			}
		}
	}
}

/* In a child the workers are gone: the pool begins anew. */
static void after_fork(void)
{
	pthread_mutex_init(&pool.mutex, NULL);
	pthread_cond_init(&pool.start, NULL);
	pthread_cond_init(&pool.done, NULL);
	atomic_flag_clear(&pool.busy);
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

/* The caller takes parts as the workers do, so it never waits for one that sleeps. */
void pool_run(int parts, void (*fn)(void *user, int part), void *user)
{
	if (parts <= 1 || parts > 0xffff || atomic_flag_test_and_set(&pool.busy)) {
		for (int p = 0; p < parts; p++) fn(user, p);
		return;
	}
	want_workers(parts);
	pthread_mutex_lock(&pool.mutex);
	pool.fn = fn, pool.user = user, pool.parts = parts, pool.control = control_word();
	atomic_store(&pool.left, parts);
	uint64_t number = atomic_load(&pool.number) + 1;
	atomic_store(&pool.claim, number << 16);
	atomic_store(&pool.number, number);
	pthread_cond_broadcast(&pool.start);
	pthread_mutex_unlock(&pool.mutex);
	int done = 0;
	for (int part; (part = take_part(number, parts)) >= 0; done++) fn(user, part);
	atomic_fetch_sub(&pool.left, done);
	for (int i = 0; i < SPINS && atomic_load_explicit(&pool.left, memory_order_acquire) > 0; i++)
		pause_a_little();
	pthread_mutex_lock(&pool.mutex);
	while (atomic_load(&pool.left) > 0) pthread_cond_wait(&pool.done, &pool.mutex);
	pthread_mutex_unlock(&pool.mutex);
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
