/* memory.c - one workspace for each phase: buffers whose lifetimes do not meet share memory.
 *
 * Blocks that live are kept by their address in a treap, a search tree that is balanced by chance (Seidel and
 * Aragon 1996; the chance here is a hash of the buffer's number, so that the layout is always the same).
 * Each knows the gap below it and the largest gap of its subtree, so the lowest gap that is large enough is
 * found, and a block put in or taken out, in time that grows with the logarithm of their number.
 */
#include "loop.h"

#include <stdlib.h>

enum { ALIGN = 64 };

typedef struct Block {
	int64_t at, bytes;
	int64_t gap, largest; /* below this block; in its subtree */
	uint32_t left, right; /* NONE: none */
	uint32_t chance;
} Block;

typedef struct Live {
	Block *block;
	uint32_t root;
} Live;
enum { NONE = UINT32_MAX };

static int64_t largest_of(const Live *l, uint32_t i)
{
	return i == NONE ? -1 : l->block[i].largest;
}

static void renew(Live *l, uint32_t i)
{
	Block *b = &l->block[i];
	int64_t left = largest_of(l, b->left), right = largest_of(l, b->right);
	b->largest = b->gap > left ? b->gap : left;
	b->largest = right > b->largest ? right : b->largest;
}

/* Subtrees of what lies below `at` and of the rest. */
static void split(Live *l, uint32_t i, int64_t at, uint32_t *below, uint32_t *rest)
{
	if (i == NONE) {
		*below = *rest = NONE;
		return;
	}
	Block *b = &l->block[i];
	if (b->at < at) {
		split(l, b->right, at, &b->right, rest);
		*below = i;
	} else {
		split(l, b->left, at, below, &b->left);
		*rest = i;
	}
	renew(l, i);
}

static uint32_t join(Live *l, uint32_t below, uint32_t above)
{
	if (below == NONE || above == NONE) return below == NONE ? above : below;
	Block *x = &l->block[below], *y = &l->block[above];
	uint32_t top = x->chance < y->chance ? below : above;
	if (top == below)
		x->right = join(l, x->right, above);
	else
		y->left = join(l, below, y->left);
	renew(l, top);
	return top;
}

/* The lowest block of a subtree gets a gap `more` wider. */
static void widen_lowest(Live *l, uint32_t i, int64_t more)
{
	if (i == NONE) return;
	if (l->block[i].left == NONE)
		l->block[i].gap += more;
	else
		widen_lowest(l, l->block[i].left, more);
	renew(l, i);
}

/* The lowest block with a gap of so many bytes; NONE: only above all is there room. */
static uint32_t find_gap(const Live *l, int64_t bytes)
{
	uint32_t i = l->root;
	if (largest_of(l, i) < bytes) return NONE;
	for (;;) {
		const Block *b = &l->block[i];
		if (largest_of(l, b->left) >= bytes)
			i = b->left;
		else if (b->gap >= bytes)
			return i;
		else
			i = b->right;
	}
}

static int64_t end_of_all(const Live *l)
{
	uint32_t i = l->root;
	while (i != NONE && l->block[i].right != NONE) i = l->block[i].right;
	return i == NONE ? 0 : l->block[i].at + l->block[i].bytes;
}

/* At the lowest gap that is large enough. */
static void place(Live *l, uint32_t i)
{
	Block *b = &l->block[i];
	uint32_t above = find_gap(l, b->bytes), below, rest;
	b->at = above == NONE ? end_of_all(l) : l->block[above].at - l->block[above].gap;
	b->gap = b->largest = 0;
	b->left = b->right = NONE;
	b->chance = hash_mix(0, i);
	if (!b->bytes) /* it needs no place of its own */
		return;
	split(l, l->root, b->at, &below, &rest);
	widen_lowest(l, rest, -b->bytes);
	l->root = join(l, join(l, below, i), rest);
}

static void take_out(Live *l, uint32_t i)
{
	Block *b = &l->block[i];
	uint32_t below, rest, own;
	if (!b->bytes) return;
	split(l, l->root, b->at, &below, &rest);
	split(l, rest, b->at + 1, &own, &rest);
	widen_lowest(l, rest, b->gap + b->bytes);
	l->root = join(l, below, rest);
}

static bool bytes_of(const Plan *p, const Buffer *b, const int64_t *dims, int64_t *bytes)
{
	int64_t n = dims[elements_dim(p, b)];
	if (n < 0 || __builtin_mul_overflow(n, (int64_t)dtype_bytes((Dtype)b->dtype), bytes) ||
		*bytes > INT64_MAX / 4)
		return false;
	*bytes = (*bytes + ALIGN - 1) / ALIGN * ALIGN;
	return true;
}

static bool is_placed(const Buffer *b)
{
	return b->space == SPACE_WORK && b->first != UINT32_MAX;
}

/* Each buffer, in the order of birth (p->birth), takes the lowest gap between those that live at the same
 * time; before that, those that died (p->death) have made room. */
int64_t plan_layout(const Plan *p, uint32_t phase, const int64_t *dims, int64_t *offset)
{
	const Allocator *a = arena_allocator(p->arena);
	size_t size = (p->nbuffer + 1) * sizeof(Block);
	Live l = {.block = a->alloc(a->user, size, _Alignof(Block)), .root = NONE};
	int64_t total = l.block ? 0 : PLAN_NO_MEMORY;
	for (uint32_t k = 0, dead = 0; k < p->nbuffer && total >= 0; k++) {
		uint32_t i = p->birth[k];
		const Buffer *b = &p->buffer[i];
		if (buffer_phase(p, i) != phase) continue;
		offset[i] = -1;
		if (!is_placed(b)) continue;
		if (!bytes_of(p, b, dims, &l.block[i].bytes)) {
			total = PLAN_TOO_LARGE;
			break;
		}
		for (; p->buffer[p->death[dead]].last < b->first; dead++)
			if (is_placed(&p->buffer[p->death[dead]]) && buffer_phase(p, p->death[dead]) == phase)
				take_out(&l, p->death[dead]);
		place(&l, i);
		offset[i] = l.block[i].at;
		int64_t end = l.block[i].at + l.block[i].bytes;
		if (end < 0 || end > INT64_MAX / 2)
			total = PLAN_TOO_LARGE;
		else if (end > total)
			total = end;
	}
	if (l.block) a->free(a->user, l.block, size, _Alignof(Block));
	return total;
}

static int in_order(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int by_birth(const void *x, const void *y, void *user)
{
	const Buffer *b = user;
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	return b[i].first != b[j].first ? in_order(b[i].first, b[j].first) : in_order(i, j);
}

static int by_death(const void *x, const void *y, void *user)
{
	const Buffer *b = user;
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;
	return b[i].last != b[j].last ? in_order(b[i].last, b[j].last) : in_order(i, j);
}

/* ---- phases ------------------------------------------------------------------------------ */

/* A loop's step, and the number behind the last of its body. */
typedef struct LoopSpan {
	Step *loop;
	uint32_t end;
} LoopSpan;

static void find_spans(Step *s, uint32_t end, LoopSpan *span)
{
	for (; s; s = s->next) {
		if (s->kind != STEP_LOOP) continue;
		uint32_t own = (s->next ? s->next->number : end) - 1; /* of the end of the loop */
		span[s->loop] = (LoopSpan){s, own};
		find_spans(s->body, own, span);
	}
}

/* The phases that begin in a list of steps, behind what comes before them; `tail` links them. */
static void link_phases(Plan *p, uint32_t loop, const Step *s, uint32_t *tail)
{
	for (uint32_t k = 1; k < p->nphase; k++) {
		if (p->phase[k].loop != loop) continue;
		while (s && s->number < p->phase[k].first) s = s->next;
		p->phase[k].step = s;
		*tail = k;
		tail = &p->phase[k].next;
	}
}

/* Where computed sizes become known, by step. */
static void find_phases(Plan *p, const LoopSpan *span)
{
	p->phase = NEW_ARRAY(p->arena, Phase, p->nscalar + 1);
	p->phase[0] = (Phase){.loop = UINT32_MAX, .step = p->first};
	p->nphase = 1;
	for (uint32_t i = 0; i < p->nscalar; i++) {
		uint32_t first = p->scalar[i].ready, k = p->nphase;
		while (p->phase[k - 1].first > first) k--;
		if (p->phase[k - 1].first == first) continue;
		memmove(p->phase + k + 1, p->phase + k, (p->nphase - k) * sizeof *p->phase);
		p->phase[k] = (Phase){.first = first, .loop = p->scalar[i].loop};
		p->nphase++;
	}
	link_phases(p, UINT32_MAX, p->first, &p->phase[0].next);
	for (uint32_t l = 0; l < p->nloop && p->nphase > 1; l++)
		link_phases(p, l, span[l].loop->body, &span[l].loop->phase);
}

/* The innermost phase that begins before a step and goes on until another: that of a loop ends with it. */
static uint32_t phase_over(const Plan *p, const LoopSpan *span, uint32_t first, uint32_t last)
{
	uint32_t k = p->nphase - 1;
	while (p->phase[k].first > first ||
		(p->phase[k].loop != UINT32_MAX && last > span[p->phase[k].loop].end))
		k--;
	return k;
}

static uint32_t phase_of(const Plan *p, const LoopSpan *span, uint32_t step)
{
	return phase_over(p, span, step, step);
}

/* What is used first in a loop, which may not run, and then behind it, is there before that; but not before
 * its size is known. */
static uint32_t phase_of_buffer(const Plan *p, const LoopSpan *span, const Buffer *b)
{
	if (b->space == SPACE_INPUT || b->first == UINT32_MAX) return 0;
	return later_phase(p, phase_over(p, span, b->first, b->last), elements_dim(p, b));
}

static void place_phases(Plan *p, const LoopSpan *span)
{
	for (uint32_t i = 0; i < p->ndim && p->nphase > 1; i++) {
		Dim *d = &p->dim[i];
		if (d->kind == DIM_SCALAR)
			d->phase = phase_of(p, span, p->scalar[d->a].ready);
		else if (d->kind > DIM_SCALAR)
			d->phase = later_phase(p, later_phase(p, later_phase(p, 0, d->a), d->b), d->guard);
	}
	for (uint32_t i = 0; i < p->nextent; i++)
		for (uint32_t k = 0; k <= p->extent[i].rank; k++) {
			Extent *x = &p->extent[i];
			x->phase = later_phase(p, x->phase, k < x->rank ? x->dim[k] : x->guard);
		}
	if (p->nphase > 1) p->its_phase = NEW_ARRAY(p->arena, uint32_t, p->nbuffer);
	for (uint32_t i = 0; i < p->nbuffer && p->nphase > 1; i++)
		p->its_phase[i] = phase_of_buffer(p, span, &p->buffer[i]);
}

/* The orders of birth and death: by first and last use, then by number. */
void plan_order(Plan *p)
{
	LoopSpan *span = NEW_ARRAY(p->arena, LoopSpan, p->nloop + 1);
	find_spans(p->first, p->nstep, span);
	find_phases(p, span);
	place_phases(p, span);
	p->birth = NEW_ARRAY(p->arena, uint32_t, p->nbuffer);
	p->death = NEW_ARRAY(p->arena, uint32_t, p->nbuffer);
	for (uint32_t i = 0; i < p->nbuffer; i++) p->birth[i] = p->death[i] = i;
	qsort_r(p->birth, p->nbuffer, sizeof *p->birth, by_birth, p->buffer);
	qsort_r(p->death, p->nbuffer, sizeof *p->death, by_death, p->buffer);
}
