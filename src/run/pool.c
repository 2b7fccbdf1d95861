/* pool.c - one pool of threads for the process.
 *
 * Work comes as parts; part p is worker p's, so what a thread computes does
 * not depend on chance (nor do the bits, whatever thread computes a part).
 * One job at a time: who finds the pool busy does the work alone.
 */
#include "run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { WORKERS_MAX = 255, SPINS = 2000 };

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t start, done;
	atomic_flag busy;                        /* a job is running */
	int workers;
	pthread_t thread[WORKERS_MAX];
	uint64_t born[WORKERS_MAX];              /* the job before a worker's first */
	bool end;
	/* the job */
	_Atomic uint64_t number;
	atomic_int left;
	int parts;
	void (*fn)(void *, int);
	void *user;
	uint32_t control;
} pool = { .mutex = PTHREAD_MUTEX_INITIALIZER, .start = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER,
           .busy = ATOMIC_FLAG_INIT };

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

static void *worker(void *arg)
{
	int me = (int)(intptr_t)arg;
	uint64_t seen = pool.born[me - 1];
	for (;;) {
		for (int i = 0; i < SPINS && atomic_load_explicit(&pool.number, memory_order_acquire) == seen; i++)
			pause_a_little();
		pthread_mutex_lock(&pool.mutex);
		while (atomic_load(&pool.number) == seen && !pool.end)
			pthread_cond_wait(&pool.start, &pool.mutex);
		seen = atomic_load(&pool.number);
		bool end = pool.end, mine = me < pool.parts;
		pthread_mutex_unlock(&pool.mutex);
		if (end)
			return NULL;
		if (!mine)
			continue;
		set_control_word(pool.control);
		pool.fn(pool.user, me);
		if (atomic_fetch_sub(&pool.left, 1) == 1) {
			pthread_mutex_lock(&pool.mutex);
			pthread_cond_signal(&pool.done);
			pthread_mutex_unlock(&pool.mutex);
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

static void watch_forks(void) { pthread_atfork(NULL, NULL, after_fork); }

static pthread_once_t watching = PTHREAD_ONCE_INIT;
void pool_watch_forks(void) { pthread_once(&watching, watch_forks); }

/* Workers 1 ... parts - 1; how many parts there can be. */
static int workers_for(int parts)
{
	pool_watch_forks();
	while (pool.workers < parts - 1 && pool.workers < WORKERS_MAX) {
		pthread_attr_t a;
		pool.born[pool.workers] = atomic_load(&pool.number);
		pthread_attr_init(&a);
		pthread_attr_setstacksize(&a, 1 << 20);
		int bad = pthread_create(&pool.thread[pool.workers], &a, worker, (void *)(intptr_t)(pool.workers + 1));
		pthread_attr_destroy(&a);
		if (bad)
			break;
		pool.workers++;
	}
	return pool.workers + 1;
}

void pool_run(int parts, void (*fn)(void *user, int part), void *user)
{
	if (parts <= 1 || atomic_flag_test_and_set(&pool.busy)) {
		for (int p = 0; p < parts; p++)
			fn(user, p);
		return;
	}
	int have = workers_for(parts), given = have < parts ? have : parts;
	pthread_mutex_lock(&pool.mutex);
	pool.fn = fn, pool.user = user, pool.parts = given, pool.control = control_word();
	atomic_store(&pool.left, given - 1);
	atomic_fetch_add(&pool.number, 1);
	pthread_cond_broadcast(&pool.start);
	pthread_mutex_unlock(&pool.mutex);
	fn(user, 0);
	for (int p = given; p < parts; p++)
		fn(user, p);
	for (int i = 0; i < SPINS && atomic_load_explicit(&pool.left, memory_order_acquire) > 0; i++)
		pause_a_little();
	pthread_mutex_lock(&pool.mutex);
	while (atomic_load(&pool.left) > 0)
		pthread_cond_wait(&pool.done, &pool.mutex);
	pthread_mutex_unlock(&pool.mutex);
	atomic_flag_clear(&pool.busy);
}

void pool_close(void)
{
	while (atomic_flag_test_and_set(&pool.busy))
		pause_a_little();
	pthread_mutex_lock(&pool.mutex);
	pool.end = true;
	pthread_cond_broadcast(&pool.start);
	pthread_mutex_unlock(&pool.mutex);
	for (int i = 0; i < pool.workers; i++)
		pthread_join(pool.thread[i], NULL);
	pool.workers = 0;
	pool.end = false;
	atomic_flag_clear(&pool.busy);
}
