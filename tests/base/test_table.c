/* test_table.c - tables, maps and names against brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail /* ours is another */
#include "../../src/base/base.h"

#include <stdio.h>

static uint64_t seed;

static uint32_t random32(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 32);
}

static bool int_same(const void *item, const void *key)
{
	return *(const int *)item == *(const int *)key;
}

/* Numbers below LIMIT, with hashes that are few (so that most collide), at the end of the table, or good. */
enum { LIMIT = 2000 };

static uint32_t hash_of(int style, int x)
{
	uint32_t n = (uint32_t)x;
	return style == 0 ? n % 3 : style == 1 ? 0xFFFFFFF0u + n % 16 : hash_mix(1, n);
}

static void test_table(void **state)
{
	(void)state;
	for (int style = 0; style < 3; style++) {
		Arena *a = arena_new(NULL);
		Table t;
		table_open(&t, a);
		int *item[LIMIT] = {0};
		uint32_t count = 0;
		for (int step = 0; step < 6000; step++) {
			int x = (int)(random32() % LIMIT);
			void *found = table_find(&t, hash_of(style, x), &x, int_same);
			assert_ptr_equal(found, item[x]);
			if (found) continue;
			item[x] = NEW(a, int);
			*item[x] = x;
			table_add(&t, hash_of(style, x), item[x]);
			assert_int_equal(t.count, ++count);
		}
		for (int x = 0; x < LIMIT; x++)
			assert_ptr_equal(table_find(&t, hash_of(style, x), &x, int_same), item[x]);
		assert_true(count > LIMIT / 2);
		arena_free(a);
	}
}

static void test_idmap(void **state)
{
	(void)state;
	static char value[64];
	for (uint32_t stride = 1; stride < 1u << 20; stride *= 64) {
		Arena *a = arena_new(NULL);
		IdMap m;
		idmap_open(&m, a);
		assert_null(idmap_get(&m, 1));
		void *want[LIMIT] = {0};
		bool page[LIMIT + 1] = {0};
		uint32_t count = 0;
		for (int step = 0; step < 6000; step++) {
			uint32_t x = random32() % LIMIT, id = (x + 1) * stride;
			uint32_t at = stride == 1 ? id / 64 : x; /* 64 neighbours share a page */
			assert_ptr_equal(idmap_get(&m, id), want[x]);
			count += !page[at];
			page[at] = true;
			want[x] = &value[random32() % sizeof value];
			idmap_put(&m, id, want[x]);
			assert_int_equal(m.count, count);
		}
		for (uint32_t x = 0; x < LIMIT; x++)
			assert_ptr_equal(idmap_get(&m, (x + 1) * stride), want[x]);
		assert_null(idmap_get(&m, (LIMIT + 7) * stride));
		assert_null(idmap_get(&m, UINT32_MAX));
		arena_free(a);
	}
}

/* A map holds little more than its pages, however high their ids are, and whichever came first. */
static void test_idmap_room(void **state)
{
	(void)state;
	for (uint32_t first = 0; first < 3000000; first = 3 * first + 70001)
		for (uint32_t pages = 50; pages <= 10000; pages = pages * 3 / 2)
			for (int down = 0; down < 2; down++) {
				Arena *a = arena_new(NULL);
				IdMap m;
				idmap_open(&m, a);
				for (uint32_t k = 0; k < pages; k++)
					idmap_put(&m, first + (down ? pages - 1 - k : k) * PAGE, &m);
				assert_int_equal(m.count, pages);
				assert_true(arena_bytes(a) <= pages * sizeof(IdPage) * 3 / 2 + 9000);
				for (uint32_t k = 0; k < pages; k++)
					assert_ptr_equal(idmap_get(&m, first + k * PAGE), &m);
				assert_null(idmap_get(&m, first + pages * PAGE));
				arena_free(a);
			}
}

static void test_names(void **state)
{
	(void)state;
	Arena *a = arena_new(NULL);
	Names names;
	names_open(&names, a);
	const char *first[500];
	char text[32];
	for (int i = 0; i < 1000; i++) {
		int n = snprintf(text, sizeof text, "name%d with a tail", i % 500);
		const char *name = names_get(&names, text, (size_t)n);
		assert_string_equal(name, text);
		assert_ptr_not_equal(name, text);
		if (i < 500)
			first[i] = name;
		else
			assert_ptr_equal(name, first[i - 500]);
	}
	assert_ptr_equal(names_find(&names, "name7 with a tail!", 17), first[7]);
	for (int i = 0; i < 2; i++) /* nobody has asked for it, nor does this */
		assert_null(names_find(&names, "name7 with a tai", 16));
	assert_ptr_equal(names_get(&names, "name7 with a tail!", 17), first[7]);
	assert_ptr_not_equal(names_get(&names, "name7 with a tai", 16), first[7]);
	assert_ptr_equal(names_get(&names, "", 0), names_get(&names, "x", 0));
	assert_ptr_equal(names_get(&names, "ab\0cd", 5), names_get(&names, "ab", 2));
	arena_free(a);
}

/* Each bit of the input turns about half of the output, also through the table's few low bits. */
static void test_hashes_mix(void **state)
{
	(void)state;
	for (int bit = 0; bit < 64; bit++) {
		int turned = 0, low = 0;
		for (int i = 0; i < 1000; i++) {
			uint64_t x = (uint64_t)random32() << 32 | random32();
			uint32_t h = random32(), d = hash_mix(h, x) ^ hash_mix(h, x ^ (uint64_t)1 << bit);
			turned += __builtin_popcount(d);
			low += __builtin_popcount(d & 15);
		}
		assert_in_range(turned, 15500, 16500);
		assert_in_range(low, 1800, 2200);
	}
	assert_int_not_equal(hash_mix(1, 2), hash_mix(2, 1));
}

static void test_hash_of_bytes(void **state)
{
	(void)state;
	unsigned char room[64 + 8] = {0};
	uint64_t seen[65];
	for (size_t n = 0; n <= 64; n++) { /* zeroes of every length differ, wherever they lie */
		seen[n] = hash_bytes64(room, n);
		assert_true(seen[n] == hash_bytes64(room + 3, n));
		for (size_t i = 0; i < n; i++) assert_true(seen[i] != seen[n]);
	}
	for (size_t i = 0; i < 64; i++) { /* every byte counts */
		room[i] = 1;
		assert_true(hash_bytes64(room, 64) != seen[64]);
		assert_true(hash_bytes(room, 64) != hash_bytes(room, i));
		room[i] = 0;
	}
}

int main(void)
{
	seed = 20260101;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_idmap),
		cmocka_unit_test(test_idmap_room),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_hashes_mix),
		cmocka_unit_test(test_hash_of_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
