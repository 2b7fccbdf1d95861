/* kernels.h - kernels as C.
 *
 * A kernel becomes a C function
 *
 *     void NAME(void *const *buffer, const int64_t *param, int64_t lo, int64_t hi,
 *               void *scratch, struct fault *fault);
 *
 * that runs the work items [lo, hi) of it.  Items are independent: threads
 * take ranges of them.  The text has no #include, nothing of the user's, and
 * the same bits whatever the instruction set that it is compiled for.
 *
 * A kernel of one row (nrow is 0) with one inner stage that folds (the sum of
 * all, the mean of columns) has few items; it can also be shared by blocks:
 *
 *     NAME_blocks    item: one block of FOLD_BLOCK terms of one fold, whose
 *                    result goes to buffer[nbuffer], an array of
 *                    form_partial bytes that all threads share
 *     NAME_finish    items as NAME's: joins those, and does the rest
 *
 * with the same bits as NAME.
 */
#ifndef POR_KERNELS_H
#define POR_KERNELS_H

#include "../loop/loop.h"

/* ---- items.c: how a kernel's work is cut ------------------------------------------- */

enum { CHAIN_BLOCK = 512 };              /* inner indices of one item of RECIPE_CHAIN */

typedef enum Items {
	ITEM_BLOCK,                      /* ROWS: a row and a block of FOLD_BLOCK inner indices */
	ITEM_ROW,                        /* ROWS: a row */
	ITEM_CHAIN                       /* CHAIN: a row and a block of CHAIN_BLOCK inner indices */
} Items;

/* What does not depend on sizes, found once for a kernel.  Arrays of counts are by element size 1, 2, 4, 8,
 * 16. */
typedef struct KernelForm {
	const Kernel *kernel;            /* NULL: not a kernel that can be printed */
	Items items;
	bool splits;                     /* has NAME_blocks and NAME_finish */
	uint16_t kept[5];                /* values kept from one inner stage to later ones: row buffers */
	uint16_t slot[5];                /* results of a block: one for a fold, two for ARGMAX and ARGMIN */
	uint32_t fixed;                  /* bytes for terms laid down before they are folded */
	uint32_t wide; /* CHAIN: inner indices that are walked at once, of items of a range */
	uint32_t level;                  /* bytes of one level of CHAIN's pairwise joins */
} KernelForm;
KernelForm kernel_form(const Kernel *);

/* Numbers of indices; a kernel without inner axes has one. */
typedef struct KernelShape { int64_t rows, folded, inner; } KernelShape;
KernelShape kernel_shape(const Kernel *, const int64_t *param);

int64_t form_items(const KernelForm *, const int64_t *param);
/* bytes of `scratch`, 64-byte aligned, each thread's own */
size_t form_scratch(const KernelForm *, const int64_t *param);
/* items of NAME_blocks; 0: it does not split */
int64_t form_blocks(const KernelForm *, const int64_t *param);
size_t form_partial(const KernelForm *, const int64_t *param); /* bytes of buffer[nbuffer], 64-byte aligned */

/* Where an index outside is found: ROWS: row*inner + inner index; CHAIN: (row*folded + folded index)*inner +
 * inner index; in a row stage, and for what does not depend on them, the indices are 0.  Along an axis
 * without elements the index is reported as 0. */

/* ---- c_unit.c: a translation unit ----------------------------------------------------- */

/* Kernels of a unit: few, so that the first are native soon; in a program of many kernels more, since each
 * unit starts a compiler. */
enum { UNIT_KERNELS = 8, UNIT_MOST = 32 };
uint32_t unit_size(uint32_t nkernel);

/* needs: at most UNIT_MOST kernels; gives: C of functions k0, k1, ...; false with an error (ERR_UNSUPPORTED:
 * an operator has no scalar function for that dtype; ERR_INTERNAL: not a kernel). */
bool emit_unit(Text *, uint32_t n, const Kernel *const *, Error *);

/* The scalar functions as text: tools/embed.py --math of src/math/math.h.  Ended by a NULL name; `uses` are
 * the numbers of those that the text names, all lower, ended by 65535. */
typedef struct MathSnippet { const char *name, *text; const unsigned short *uses; } MathSnippet;
extern const MathSnippet embedded_math[];

#endif
