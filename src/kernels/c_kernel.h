/* c_kernel.h - what the printers of a kernel share.
 *
 * Names in the printed code, N being an instruction's, access's, buffer's,
 * parameter's or axis's number:
 *     vN value       mN parameter     bN buffer      nN extent     xN index of an axis
 *     pN, rN, qN     where access N points: for the row, the row and folded index, the segment
 *     kN, hN         row buffer of value N, and its place for the segment
 *     cN             value N for the later pieces of a body that is cut
 *     gN, eN         terms of fold N laid down, and their place for the segment
 *     aN, tN, sN, wN accumulators of fold N: lanes or chain, the result, stack of joins, results of all
 *     blocks
 *     lN             index of fold N's best (ARGMAX, ARGMIN), and yN those of all blocks
 *     oN             value N, which slides, where a run begins (c_slide.c)
 *     farN           the stride N
 * A segment is a run along the last axis; j counts in it from 0; it begins at inner index p.
 */
#ifndef POR_C_KERNEL_H
#define POR_C_KERNEL_H

#include "c_text.h"

/* ---- c_unit.c ----------------------------------------------------------------------------------- */

typedef struct Print {
	Unit *u;
	Arena *arena;
	Text t;
	int depth;
	const Form *f;
	const Kernel *k;
	const char *name;
	/* where the printer stands */
	uint32_t s;                      /* stage */
	bool *need;                      /* instructions of the stage */
	bool folding;                    /* in CHAIN's stage 0: pointers rN */
	uint32_t lanes; /* accumulators are aN[l], l < lanes; 0: terms go to eN[j], or chains hN[j] */
	bool runs;                       /* the segment has runs: see c_slide.c */
	const bool *slides;              /* in one: the instructions that count up; NULL: in none */
	bool near;                       /* no argument is far: see has_near */
	const char *kept_from;           /* inner index at which row buffers begin */
	uint32_t along;                  /* the axis along which j counts */
	bool *done;                      /* instructions whose value has been formed for the row */
} Print;

/* Does the stage that is printed form instruction i, or read what another has formed? */
static inline bool is_own(const Print *p, uint32_t i)  { return p->f->stage[i] == p->s; }
static inline bool is_read(const Print *p, uint32_t i) { return !is_own(p, i) && !p->f->again[i]; }

void print_line(Print *, const char *format, ...) PRINTF_LIKE(2, 3);    /* a line */
/* a line that ends with a brace; deeper */
void print_open(Print *, const char *format, ...) PRINTF_LIKE(2, 3);
void print_close(Print *);

void map_function(const Ins *, char name[40]);           /* "exp_f32", "cast_f32_i8" */

/* ---- c_ins.c: instructions ------------------------------------------------------------------------ */

typedef enum Spot {
	AT_ROW,                          /* once a row */
	AT_HEAD,                         /* once a segment: what is still */
	AT_EACH,                         /* each j */
	AT_SEARCH                        /* each j, looking for the first index outside */
} Spot;
const char *int_text(Print *, Int);
void print_ins(Print *, uint32_t i, Spot);
const char *rounded(Print *, Dtype, const char *value);  /* of a narrow float */
bool has_near(const Ins *); /* a map with a faster function near_NAME: arguments are not far */
void print_divisors(Print *);                            /* the factors for division by what is still */
const char *far_text(Print *, const Ins *);              /* is one of them far? */
void print_pointers(Print *, char level, char base, uint32_t first_axis, uint32_t end_axis);
bool any_dynamic(const Print *, bool still);             /* needed accesses with computed indices */
bool divides_by_still(const Print *, uint32_t i);
const char *by_text(Print *, uint32_t i, char dividend); /* such a quotient of vN or oN */
const char *held_stride(Print *, Int stride, bool *far); /* along the last axis; far: by a name */

/* ---- c_segment.c: runs along the last axis ----------------------------------------------------------- */

/* Runs the stage for inner indices [from, from + len). */
void print_segments(Print *, uint32_t stage, const char *row_place);
void print_row_stage(Print *, uint32_t stage);
void print_loops(Print *);                               /* over j < g, what the stage needs */

/* ---- c_slide.c: runs in which computed indices count up ------------------------------------------------ */

bool has_runs(Print *); /* Do computed indices of the stage count up? */
/* Those of segment [0, g), as long as they last; false: there are none.  at_j is where the rest begins. */
bool print_runs(Print *, void (*print_loop)(Print *, const void *pieces), const void *pieces);
/* Is the computed index of this access, in a run, known to be inside? */
bool is_inside(const Print *, uint32_t i);

/* ---- c_fold.c: accumulators ------------------------------------------------------------------------- */

const char *fold_join(Print *, const Ins *, const char *x, const char *y);     /* op(x, y) */
const char *fold_neutral(Print *, const Ins *);
const char *fold_empty(Print *, const Ins *);
const char *fold_term(Print *, const Ins *);             /* the operand, converted to the accumulator */
const char *fold_result(Print *, const Ins *, const char *total);
/* "join" or "lanes": the helper's name */
const char *fold_helper(Print *, const Ins *, const char *kind, uint32_t lanes);
/* an ARGMAX's or ARGMIN's best so far */
void print_better(Print *, uint32_t fold, const char *value, const char *index);
void print_push(Print *, uint32_t fold, const char *block);
void print_pop(Print *, uint32_t fold);

/* ---- c_rows.c, c_chain.c, c_kernel.c ---------------------------------------------------------------- */

/* WHOLE: the kernel (of one of ROWS that splits it calls the others); of one that splits, two inner
 * functions:
 *   NAME_part(..., results, base, count)   the blocks [lo, hi); their results go to places lo - base, ... of
 *   `count`
 *   NAME_join(..., results, base, count)   the items [lo, hi), from results of items from `base` on
 * where rows may be short, one more:
 *   NAME_across(...)                       the items [lo, hi), where rows are short
 */
typedef enum Part { WHOLE, BLOCKS, FINISH, ACROSS } Part;
void print_prologue(Print *, Part); /* opens the function; parameters, extents, buffers */
void print_decode(Print *, uint32_t first_axis, uint32_t end_axis, const char *number);
void print_advance(Print *, uint32_t first_axis, uint32_t end_axis);
void print_absent(Print *, const char *place);           /* axes without elements that are indexed */
void print_partials(Print *, uint32_t width);
void print_split(Print *);                               /* NAME, NAME_blocks, NAME_finish */
void print_rows(Print *, Part);
void print_chain_kernel(Print *, Part);

/* ---- c_across.c: short rows ------------------------------------------------------------------------ */

/* Elements of a short row, and the first half of their lanes; rows. */
enum { SHORT = 24, SHORT_HALF = 16, ROWS_AT_ONCE = 32 };
bool has_across(const Print *);
void print_across(Print *);                              /* NAME_across */
void print_where_short(Print *);                         /* in NAME: the call of it */

#define FOLDS(p, i) \
	for (uint32_t i = 0; i < (p)->k->ncode; i++) \
		if ((p)->k->code[i].kind == INS_FOLD)

#endif
