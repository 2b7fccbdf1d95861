/* test_arena.c - arenas: allocations failing in turn, alignment, zeroes, children, what is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail /* ours is another */
#include "../../src/base/base.h"

#include <stdlib.h>

/* An allocator that counts, fails at call number `fail_at`, and checks the sizes that come back. */
typedef struct Counter {
	size_t calls, fail_at, blocks, bytes;
} Counter;
typedef struct Header {
	size_t size, align;
} Header;

static void *counting_alloc(void *user, size_t size, size_t align)
{
	Counter *c = user;
	if (++c->calls == c->fail_at) return NULL;
	char *p = malloc(size + 16);
	assert_non_null(p);
	*(Header *)(void *)p = (Header){size, align};
	memset(p + 16, 0xA5, size); /* what the arena hands out must not rely on zeroes here */
	c->blocks++;
	c->bytes += size;
	return p + 16;
}

static void counting_free(void *user, void *p, size_t size, size_t align)
{
	Counter *c = user;
	Header *h = (Header *)(void *)((char *)p - 16);
	assert_int_equal(h->size, size);
	assert_int_equal(h->align, align);
	c->blocks--;
	c->bytes -= size;
	free(h);
}

static bool all_zero(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i]) return false;
	return true;
}

/* Work that takes small, large, aligned and growing blocks, and scratch arenas within. */
static void work(Arena *a)
{
	uint64_t random = 7;
	uint32_t *v = NULL, n = 0, cap = 0;
	for (int i = 0; i < 300; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		size_t size = (random >> 33) % (i % 50 ? 3000 : 700000);
		size_t align = (size_t)1 << (random >> 60);
		char *p = arena_alloc_aligned(a, size, align);
		assert_int_equal((uintptr_t)p % align, 0);
		assert_int_equal((uintptr_t)p % 8, 0);
		assert_true(all_zero(p, size));
		memset(p, 0xFF, size);
		GROW(a, v, n, cap);
		v[n++] = (uint32_t)i;
		if (i % 100 == 50) {
			Arena *child = arena_child(a), *grandchild = arena_child(child);
			memset(arena_alloc(child, 100000), 0xFF, 100000);
			memset(arena_alloc(grandchild, 10), 0xFF, 10);
			if (i == 50) arena_free(child); /* the others go with the parent */
		}
	}
	for (uint32_t i = 0; i < n; i++) assert_int_equal(v[i], i);
}

/* True when the work was done; otherwise memory ran out and nothing is left. */
static bool try_to_work(Counter *c)
{
	Arena *a = arena_new(&(Allocator){counting_alloc, counting_free, c});
	if (!a) return false;
	Trap t;
	if (TRAP(&t)) {
		arena_free(a);
		return false;
	}
	arena_arm(a, &t);
	work(a);
	arena_disarm(a, &t);
	arena_free(a);
	return true;
}

static void test_every_allocation_fails(void **state)
{
	(void)state;
	Counter whole = {0};
	assert_true(try_to_work(&whole));
	assert_true(whole.calls > 10);
	assert_int_equal(whole.blocks, 0);
	for (size_t n = 1; n <= whole.calls; n++) {
		Counter c = {.fail_at = n};
		assert_false(try_to_work(&c));
		assert_int_equal(c.blocks, 0);
		assert_int_equal(c.bytes, 0);
		assert_int_equal(c.calls, n);
	}
}

static void test_traps_nest(void **state)
{
	(void)state;
	Counter c = {0};
	Arena *a = arena_new(&(Allocator){counting_alloc, counting_free, &c});
	Trap outer, inner;
	volatile int order = 0;
	if (TRAP(&outer)) {
		assert_int_equal(order, 1);
		order = 2;
	} else {
		arena_arm(a, &outer);
		Arena *child = arena_child(a);
		if (TRAP(&inner)) {
			order = 1;
			arena_out_of_memory(child); /* the outer one is next, also when asked of a child */
		}
		arena_arm(child, &inner);
		arena_array(child, SIZE_MAX / 2, 3);
		assert_true(!"an overflowing array was given");
	}
	assert_int_equal(order, 2);
	arena_free(a);
	assert_int_equal(c.blocks, 0);
}

static void test_disarmed_trap_is_left_alone(void **state)
{
	(void)state;
	Arena *a = arena_new(NULL);
	Trap outer, inner;
	volatile bool fired = false;
	if (TRAP(&outer)) {
		fired = true;
	} else {
		arena_arm(a, &outer);
		if (TRAP(&inner)) assert_true(!"a disarmed trap fired");
		arena_arm(a, &inner);
		arena_disarm(a, &inner);
		arena_alloc(a, SIZE_MAX - 3);
	}
	assert_true(fired);
	arena_free(a);
}

static void test_bytes_and_siblings(void **state)
{
	(void)state;
	Counter c = {0};
	Arena *a = arena_new(&(Allocator){counting_alloc, counting_free, &c});
	assert_int_equal(arena_bytes(a), c.bytes);
	Arena *child[5];
	for (int i = 0; i < 5; i++) child[i] = arena_child(a);
	size_t with_five = c.bytes;
	arena_free(child[2]);
	arena_free(child[4]);
	arena_free(child[0]);
	assert_true(c.bytes < with_five);
	arena_alloc(child[1], 5000000);
	assert_true(arena_bytes(child[1]) >= 5000000);
	arena_free(a);
	assert_int_equal(c.blocks, 0);
	arena_free(NULL);
}

/* ---- what is given back ------------------------------------------------------------------------ */

/* Blocks that are held, each full of a byte of its own.  Which sizes are large is not known here: those tried
 * lie around every power of two from a line of memory to twice the largest chunk, and what is left of a chunk. */
enum { HELD = 24, STEPS = 400 };
typedef struct Held {
	unsigned char *p;
	size_t size;
	unsigned char fill;
	uint32_t cap; /* of a growing list; 0: a block */
} Held;

static uint64_t next_random(uint64_t *r)
{
	*r = *r * 6364136223846793005u + 1442695040888963407u;
	return *r >> 33;
}

static size_t some_size(uint64_t *r)
{
	size_t power = (size_t)1 << (6 + next_random(r) % 18);
	if (next_random(r) % 4 == 0) power += power / 2;
	size_t off = next_random(r) % 3 ? next_random(r) % 130 : next_random(r) % (power / 8 + 1);
	return next_random(r) % 2 ? power + off : power - (off < power ? off : 0);
}

static void check_held(const Held *h)
{
	for (size_t i = 0; i < h->size; i += i + 64 < h->size && i > 64 ? 61 : 1)
		if (h->p[i] != h->fill) assert_true(!"a byte of a held block is another's");
}

static void take_block(Arena *a, Held *h, uint64_t *r, unsigned char fill)
{
	*h = (Held){.size = some_size(r), .fill = fill};
	h->p = arena_alloc(a, h->size);
	assert_true(all_zero((const char *)h->p, h->size));
	memset(h->p, fill, h->size);
}

/* A list that doubles from a few elements to a few megabytes: each step gives the old one back. */
static void take_list(Arena *a, Held *h, uint64_t *r, unsigned char fill)
{
	size_t element = 1 + next_random(r) % 40;
	*h = (Held){.fill = fill};
	for (uint32_t wanted = (uint32_t)(some_size(r) / element + 1); h->cap < wanted;) {
		h->p = arena_grow(a, h->p, &h->cap, element);
		check_held(h);
		h->size = h->cap * element;
		memset(h->p, fill, h->size);
	}
}

static void give_back_at_random(Arena *a, uint64_t seed)
{
	Held held[HELD] = {0};
	uint64_t r = seed;
	for (int step = 0; step < STEPS; step++) {
		Held *h = &held[next_random(&r) % HELD];
		if (h->p) {
			check_held(h);
			(next_random(&r) % 2 ? arena_release : arena_recycle)(a, h->p, h->size);
		}
		(next_random(&r) % 4 ? take_block : take_list)(a, h, &r, (unsigned char)(step | 1));
		if (step % 50 == 0) arena_free(arena_child(a));
	}
	for (int i = 0; i < HELD; i++) check_held(&held[i]);
}

static void give_back_counted(uint64_t seed)
{
	Counter c = {0};
	Arena *a = arena_new(&(Allocator){counting_alloc, counting_free, &c});
	give_back_at_random(a, seed);
	assert_int_equal(arena_bytes(a), c.bytes);
	arena_free(a);
	assert_int_equal(c.blocks, 0);
	assert_int_equal(c.bytes, 0);
}

static void test_given_back_at_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) give_back_counted(seed);
}

/* Large blocks, taken again and again, leave nothing behind. */
static void test_given_back_is_free(void **state)
{
	(void)state;
	Counter c = {0};
	Arena *a = arena_new(&(Allocator){counting_alloc, counting_free, &c});
	for (int i = 0; i < 40; i++) {
		char *p = arena_alloc(a, ((size_t)4 << 20) + 1);
		arena_release(a, p, ((size_t)4 << 20) + 1);
	}
	assert_true(c.bytes < (size_t)1 << 20);
	arena_free(a);
}

/* Blocks of an arena that much will lie in are zero and apart, and of a user's allocator no more is asked. */
static void test_expects_much(void **state)
{
	(void)state;
	enum { BLOCKS = 40000, LARGE_PAGE = 2 << 20 };
	size_t held[2];
	Arena *a = arena_new(NULL);
	arena_expect_much(a);
	for (size_t i = 0; i < 100; i++) arena_cut(a, 100, 8);
	assert_true(arena_bytes(a) >= LARGE_PAGE);
	for (size_t i = 0; i < BLOCKS; i++) {
		size_t n = 1 + i % 300;
		char *p = arena_alloc(a, n);
		assert_int_equal((uintptr_t)p % ARENA_ALIGN, 0);
		assert_true(all_zero(p, n));
		memset(p, 0xA5, n);
	}
	assert_true(arena_bytes(a) < 6 * (size_t)LARGE_PAGE);
	arena_free(a);
	for (int much = 0; much < 2; much++) {
		Counter c = {0};
		a = arena_new(&(Allocator){counting_alloc, counting_free, &c});
		if (much) arena_expect_much(a);
		for (size_t i = 0; i < 100; i++) arena_alloc(a, 300);
		held[much] = c.bytes;
		arena_free(a);
	}
	assert_int_equal(held[0], held[1]);
}

/* What a scratch arena holds outlives the arena in which it was begun. */
static void test_moved(void **state)
{
	(void)state;
	Counter c = {0};
	Arena *a = arena_new(&(Allocator){counting_alloc, counting_free, &c}), *other = arena_new(NULL);
	Arena *from = arena_child(a), *to = arena_child(a);
	arena_child(from);
	Arena *moved = arena_child(from);
	char *text = arena_copy(moved, "kept", 4);
	arena_child(from);
	assert_true(arena_move(moved, to));
	assert_false(arena_move(moved, other));
	arena_free(from);
	assert_string_equal(text, "kept");
	arena_free(arena_child(to));
	assert_true(arena_move(moved, a));
	arena_free(to);
	assert_string_equal(text, "kept");
	arena_free(moved);
	assert_int_equal(arena_bytes(a), c.bytes);
	arena_free(a);
	assert_int_equal(c.blocks, 0);
	arena_free(other);
}

static void test_copies(void **state)
{
	(void)state;
	Arena *a = arena_new(NULL);
	assert_string_equal(arena_copy(a, "abcdef", 3), "abc");
	assert_string_equal(arena_copy(a, NULL, 0), "");
	assert_string_equal(arena_printf(a, "%s %d", "x", 3), "x 3");
	assert_string_equal(arena_printf(a, "%s", ""), "");
	char *wide = arena_printf(a, "%20000d", 7);
	assert_int_equal(strlen(wide), 20000);
	assert_int_equal(wide[19999], '7');
	arena_free(a);
}

/* Chunks of libc's allocator are kept for the next arena: of lists of any size nothing that lay there is to be
 * seen. */
static void test_kept_chunks_are_clear(void **state)
{
	(void)state;
	enum { LARGEST = 5 << 20 };
	for (size_t size = 4 << 10; size <= LARGEST; size += size / 3)
		for (int round = 0; round < 3; round++) {
			Arena *a = arena_new(NULL);
			assert_non_null(a);
			if (round == 2) arena_expect_much(a);
			for (int k = 0; k < 3; k++) {
				unsigned char *list = arena_array(a, 1, size);
				size_t told = 0;
				for (size_t i = 0; i < size; i++) told += list[i] != 0;
				assert_int_equal(told, 0);
				memset(list, 0xA5, size);
			}
			arena_free(a);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_allocation_fails),
		cmocka_unit_test(test_traps_nest),
		cmocka_unit_test(test_disarmed_trap_is_left_alone),
		cmocka_unit_test(test_bytes_and_siblings),
		cmocka_unit_test(test_given_back_at_random),
		cmocka_unit_test(test_given_back_is_free),
		cmocka_unit_test(test_expects_much),
		cmocka_unit_test(test_kept_chunks_are_clear),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_copies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
