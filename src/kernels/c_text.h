/* c_text.h - what is said in C of kernels and of whole programs alike: dtypes, forms of kernels, the scalar
 * functions. */
#ifndef POR_C_TEXT_H
#define POR_C_TEXT_H

#include "kernels.h"

enum { NOT_STAGED = 255 };

/* ---- form.c: what can be said of a kernel before it is printed ----------------------------- */

typedef struct Form {
	const Kernel *k;
	KernelForm sizes;
	bool splits;
	uint8_t *stage;                  /* of an instruction; NOT_STAGED: of none */
	bool *kept; /* an inner stage's value that a later inner stage reads from its row buffer */
	bool *again;                     /* formed again in each stage that uses it */
	bool *still;                     /* does not move along the last axis */
	bool *direct; /* a fold of what lies in memory side by side, as it is: no term is laid down */
	bool heavy[16];                  /* stage: terms are laid down before they are folded */
} Form;
bool form_open(Arena *, const Kernel *, Form *);         /* false: not a kernel */
bool stage_folds(const Kernel *, uint32_t stage);
/* Marks the instructions that stage s runs, forms again, or reads from row buffers. */
void stage_needs(const Form *, uint32_t s, bool *need);
uint32_t ins_operands(const Kernel *, const Ins *, uint16_t operand[5]);
bool is_argfold(const Ins *);
bool is_ordered(const Ins *);                            /* a fold whose bits depend on its order */
const Access *ins_access(const Kernel *, const Ins *);   /* NULL when it has none */
static inline bool has_inner_axis(const Kernel *k) { return k->naxis > (k->recipe == RECIPE_CHAIN ? k->nfold
	: k->nrow); }

/* ---- dtypes in C ----------------------------------------------------------------------------- */

const char *held_type(Dtype);                            /* "float" */
const char *memory_type(Dtype);                          /* "uint16_t" of f16 */
uint32_t held_bytes(Dtype);
Dtype fold_accumulator(const Ins *);                     /* held dtype of what a fold adds up */
uint32_t ins_lanes(const Ins *);
const char *dtype_literal(Arena *, Dtype, uint64_t bits);

/* ---- c_unit.c ---------------------------------------------------------------------------------- */

typedef struct Unit {
	Arena *arena;
	bool *need;                      /* of embedded_math */
	uint32_t nhelper;
	struct { uint16_t op; uint8_t dtype; uint32_t lanes; } helper[64];      /* functions of c_fold.c */
	const char *suffix; /* of helpers and kernels: "", or "_2" of the code for instruction set 2 */
	bool failed;
	Error *error;
} Unit;
Unit unit_open(Arena *, const char *suffix, Error *);
void print_kernel(Unit *, const Form *, const char *name, Text *);
void print_prelude(Text *);                              /* types, macros, struct fault */
bool prelude_defines(const char *name);                  /* a macro of that name */
void print_helpers(Unit *, Text *); /* c_fold.c: the functions of folds that are needed */
void print_math(const Unit *, Text *);                   /* the scalar functions that are needed */
/* The scalar function of that name is used; gives the name; without such a function the unit fails. */
const char *unit_math(Unit *, const char *name);
uint32_t math_weight(const char *name); /* characters of a function and of all it uses; 0: none */

#endif
