/* test_choice.c - alone or shared: which way large work goes, for times that a small model of the machine gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail
#include "../../src/run/program.h"

/* Microseconds alone and shared; more for a shared call after one alone, which wakes a worker; every so many shared
 * calls one takes `late`. */
typedef struct Machine {
	int64_t alone, shared, wake, every, late;
	int64_t shared_calls; /* so far */
	bool awake;
} Machine;

/* The calls of n that go shared. */
static int64_t run(Machine *m, Choice *c, int64_t n)
{
	int64_t shared = 0;
	while (n-- > 0) {
		bool way = choose_way(c);
		int64_t took = !way ? m->alone : m->shared + (m->awake ? 0 : m->wake);
		m->awake = way;
		shared += way;
		m->shared_calls += way;
		if (way && m->every && m->shared_calls % m->every == 0) took = m->late;
		note_way(c, 1000 * took);
	}
	return shared;
}

/* The first calls are shared, however large the work; then what is faster, but for a few trials. */
static void faster_way(void **state)
{
	(void)state;
	Machine two = {.alone = 200, .shared = 110}, one = {.alone = 200, .shared = 210};
	Choice c = {0}, d = {0};
	assert_int_equal(run(&two, &c, 8), 8);
	assert_in_range(run(&two, &c, 10000), 9800, 9999);
	assert_int_equal(run(&one, &d, 8), 8);
	assert_in_range(run(&one, &d, 10000), 8, 100);
}

/* A worker that sleeps makes the first shared call slow, not those that follow. */
static void sleeping_worker(void **state)
{
	(void)state;
	Machine m = {.alone = 50, .shared = 30, .wake = 300};
	Choice c = {0};
	run(&m, &c, 100);
	assert_in_range(run(&m, &c, 10000), 9800, 9999);
}

/* One call of 200 that waits for a lost worker costs less than sharing gains; one of four costs more. */
static void late_worker(void **state)
{
	(void)state;
	Machine seldom = {.alone = 200, .shared = 110, .every = 200, .late = 3000};
	Machine often = {.alone = 200, .shared = 110, .every = 4, .late = 3000};
	Choice c = {0}, d = {0};
	run(&seldom, &c, 1000), run(&often, &d, 1000);
	assert_in_range(run(&seldom, &c, 10000), 8000, 9999);
	assert_in_range(run(&often, &d, 10000), 0, 2000);
}

/* What others do on the machine begins and ends. */
static void other_work(void **state)
{
	(void)state;
	Machine m = {.alone = 200, .shared = 110};
	Choice c = {0};
	run(&m, &c, 1000);
	m.shared = 400;
	assert_in_range(run(&m, &c, 100), 10, 50);
	assert_in_range(run(&m, &c, 10000), 0, 200);
	m.shared = 110;
	run(&m, &c, 5000); /* the longest wait between two trials is 4,096 calls */
	assert_in_range(run(&m, &c, 10000), 9800, 9999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faster_way),
		cmocka_unit_test(sleeping_worker),
		cmocka_unit_test(late_worker),
		cmocka_unit_test(other_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
