/* singles.c - the kernel of several single numbers, each of which may use those before it.
 */
#include "kernel.h"

/* How far a builder has come. */
typedef struct Mark {
	uint32_t ncode, nat, nbuffer, nmemo;
	bool written[BUFFERS_MAX];
} Mark;

static Mark mark_of(const Builder *b)
{
	Mark m = {b->ncode, b->nat, b->nbuffer, b->nmemo, {false}};
	memcpy(m.written, b->written, sizeof m.written);
	return m;
}

static void back_to(Builder *b, const Mark *m)
{
	b->ncode = m->ncode;
	b->nat = m->nat;
	b->nbuffer = m->nbuffer;
	b->nmemo = m->nmemo;
	memcpy(b->written, m->written, sizeof b->written);
}

/* An index that may be outside is told with the line of its kernel. */
static bool checks_index(const Builder *b)
{
	for (uint32_t i = 0; i < b->nat; i++)
		if (b->at[i].at.ndynamic) return true;
	return false;
}

static bool same_line(const Node *x, const Node *y)
{
	return x->origin && y->origin && x->origin->where.file == y->origin->where.file &&
		x->origin->where.line == y->origin->where.line;
}

/* Those before are values of the kernel, so that nothing is loaded from what it stores. */
static uint32_t add_singles(
	Builder *b, uint32_t n, Node *const *x, const uint32_t *buffer, const StoreTarget *target)
{
	bool one_line = true;
	Index first[RANK_MAX];
	for (uint32_t i = 0; i < RANK_MAX; i++) first[i] = index_zero(b);
	for (uint32_t i = 0; i < n; i++) {
		Mark before = mark_of(b);
		b->node = x[i];
		kernel_store(b, x[i], first, buffer[i], target ? &target[i] : NULL);
		one_line &= !i || same_line(x[0], x[i]);
		if (b->failed || (!one_line && checks_index(b))) {
			back_to(b, &before);
			return i;
		}
	}
	return n;
}

uint32_t kernel_of_singles(
	PlanMaker *m, uint32_t n, Node *const *x, const uint32_t *buffer, const StoreTarget *target)
{
	Arena *scratch = arena_child(m->scratch);
	Builder *b = NEW(scratch, Builder);
	b->m = m;
	b->g = m->g;
	b->scratch = scratch;
	b->recipe = RECIPE_ROWS;
	uint32_t made = add_singles(b, n, x, buffer, target);
	if (made && !m->g->error.code) kernel_finish(b, made, x);
	arena_free(scratch);
	return made;
}
