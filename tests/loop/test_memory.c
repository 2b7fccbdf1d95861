/* test_memory.c - the layout of the workspace against its rule, written the plain way. */
#include "loop/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t state = 88172645463325252u;

static uint32_t chance(uint32_t n)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (uint32_t)(state % n);
}

/* Buffers of bytes whose sizes are dims of their own; some are empty, some never used, some no work. */
static Plan *plan_of(uint32_t n, uint32_t steps, uint32_t longest)
{
	Arena *a = arena_new(NULL);
	assert_non_null(a);
	Plan *p = NEW(a, Plan);
	p->arena = a, p->ndim = p->nbuffer = n;
	p->buffer = NEW_ARRAY(a, Buffer, n);
	p->axis = NEW_ARRAY(a, uint32_t, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = chance(steps), last = first + chance(longest);
		bool used = chance(20) > 0;
		p->axis[i] = i;
		p->buffer[i] = (Buffer){.dtype = DT_U8,
			.space = chance(10) ? SPACE_WORK : SPACE_INPUT,
			.axes = i,
			.first = used ? first : UINT32_MAX,
			.last = used ? last : 0};
	}
	plan_order(p);
	return p;
}

static int64_t rounded(int64_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

/* The lowest address at which buffer i meets none of those before it, in the order of birth, that live with it. */
static int64_t plain_place(const Plan *p, uint32_t place, const int64_t *dims, const int64_t *offset)
{
	const Buffer *b = &p->buffer[p->birth[place]];
	int64_t at = 0, bytes = rounded(dims[elements_dim(p, b)]);
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t k = 0; k < place; k++) {
			const Buffer *c = &p->buffer[p->birth[k]];
			int64_t from = offset[p->birth[k]], to = from + rounded(dims[elements_dim(p, c)]);
			if (c->space == SPACE_WORK && c->first != UINT32_MAX && c->last >= b->first &&
				from < at + bytes && at < to)
				at = to, moved = true;
		}
	}
	return at;
}

static void check_rule(void **user)
{
	(void)user;
	enum { BUFFERS = 300 };
	for (int round = 0; round < 30; round++) {
		Plan *p = plan_of(BUFFERS, 200, round % 3 ? 20 : 200);
		int64_t dims[BUFFERS], offset[BUFFERS], total = 0;
		for (uint32_t i = 0; i < BUFFERS; i++) dims[i] = chance(8) ? chance(2000) : 0;
		int64_t found = plan_layout(p, 0, dims, offset);
		for (uint32_t k = 0; k < BUFFERS; k++) {
			uint32_t i = p->birth[k];
			const Buffer *b = &p->buffer[i];
			if (b->space != SPACE_WORK || b->first == UINT32_MAX) {
				assert_int_equal(offset[i], -1);
				continue;
			}
			assert_int_equal(offset[i], plain_place(p, k, dims, offset));
			int64_t end = offset[i] + rounded(dims[i]);
			total = end > total ? end : total;
		}
		assert_int_equal(found, total);
		arena_free(p->arena);
	}
}

/* All live at once, as the values of a chain do until its derivative has used them: one after another. */
static void check_many(void **user)
{
	(void)user;
	enum { BUFFERS = 200000 };
	Arena *a = arena_new(NULL);
	assert_non_null(a);
	Plan *p = NEW(a, Plan);
	p->arena = a, p->nbuffer = BUFFERS, p->ndim = 1;
	p->axis = NEW_ARRAY(a, uint32_t, p->naxis = 1);      /* each is as large as the first dim says */
	p->buffer = NEW_ARRAY(a, Buffer, BUFFERS);
	for (uint32_t i = 0; i < BUFFERS; i++)
		p->buffer[i] =
			(Buffer){.dtype = DT_F64, .space = SPACE_WORK, .first = i, .last = 2 * BUFFERS - i};
	plan_order(p);
	int64_t *offset = NEW_ARRAY(a, int64_t, BUFFERS), dims[] = {8};
	assert_int_equal(plan_layout(p, 0, dims, offset), 64 * (int64_t)BUFFERS);
	for (uint32_t i = 0; i < BUFFERS; i++) assert_int_equal(offset[i], 64 * (int64_t)i);
	arena_free(a);
}

/* More bytes than there are: an error, not a layout. */
static void check_too_large(void **user)
{
	(void)user;
	Plan *p = plan_of(4, 1, 2);
	int64_t dims[] = {INT64_MAX / 3, INT64_MAX / 3, INT64_MAX / 3, INT64_MAX / 3}, offset[4];
	for (int i = 0; i < 4; i++) p->buffer[i].space = SPACE_WORK, p->buffer[i].first = 0;
	assert_int_equal(plan_layout(p, 0, dims, offset), PLAN_TOO_LARGE);
	dims[0] = -1;
	assert_int_equal(plan_layout(p, 0, dims, offset), PLAN_TOO_LARGE);
	arena_free(p->arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_rule), cmocka_unit_test(check_many),
		cmocka_unit_test(check_too_large)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
