/* items.c - how a kernel's work is cut into items, and the memory that they want. */
#include "c_kernel.h"

static int64_t extent(const Kernel *k, const int64_t *param, uint32_t first, uint32_t end)
{
	int64_t n = 1;
	for (uint32_t i = first; i < end; i++) n *= int_value(k->extent[i], param);
	return n;
}

static int64_t pieces(int64_t n, int64_t size)
{
	return n / size + (n % size != 0);
}

KernelShape kernel_shape(const Kernel *k, const int64_t *param)
{
	uint32_t inner = k->recipe == RECIPE_CHAIN ? k->nfold : k->nrow;
	return (KernelShape){.rows = extent(k, param, 0, k->nrow),
		.folded = extent(k, param, k->nrow, inner),
		.inner = extent(k, param, inner, k->naxis)};
}

KernelForm kernel_form(const Kernel *k)
{
	Arena *a = arena_new(NULL);
	Trap trap;
	Form f;
	KernelForm z = {.kernel = NULL};
	if (!a) return z;
	if (!TRAP(&trap)) {
		arena_arm(a, &trap);
		if (form_open(a, k, &f)) z = f.sizes;
		arena_disarm(a, &trap);
	}
	arena_free(a);
	return z;
}

int64_t form_items(const KernelForm *f, const int64_t *param)
{
	KernelShape s = kernel_shape(f->kernel, param);
	switch (f->items) {
	case ITEM_BLOCK: return s.rows * pieces(s.inner, FOLD_BLOCK);
	case ITEM_ROW: return s.rows;
	default: return s.rows * pieces(s.inner, CHAIN_BLOCK);
	}
}

int64_t form_blocks(const KernelForm *f, const int64_t *param)
{
	KernelShape s = kernel_shape(f->kernel, param);
	if (!f->splits) return 0;
	if (f->items == ITEM_CHAIN)
		return s.rows * pieces(s.inner, CHAIN_BLOCK) * pieces(s.folded, FOLD_BLOCK);
	return s.rows * pieces(s.inner, FOLD_BLOCK);
}

/* Arrays of n elements each, every one on a line of its own. */
static size_t arrays(const uint16_t count[5], int64_t n)
{
	size_t bytes = 0;
	for (uint32_t c = 0; c < 5; c++) bytes += count[c] * ((((size_t)n << c) + 63) & ~(size_t)63);
	return bytes;
}

size_t form_partial(const KernelForm *f, const int64_t *param)
{
	return arrays(f->slot, form_blocks(f, param) * (f->items == ITEM_CHAIN ? CHAIN_BLOCK : 1));
}

size_t form_scratch(const KernelForm *f, const int64_t *param)
{
	KernelShape s = kernel_shape(f->kernel, param);
	if (f->items != ITEM_CHAIN)
		return f->fixed + arrays(f->kept, f->items == ITEM_ROW ? s.inner : FOLD_BLOCK) +
			(f->splits ? form_partial(f, param) : 0);
	int64_t blocks = pieces(s.folded, FOLD_BLOCK), levels = 0;
	for (int64_t n = blocks; n > 1 || (n && levels); n /= 2) levels++;
	return (size_t)levels * f->level;
}
