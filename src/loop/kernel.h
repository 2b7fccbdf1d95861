/* kernel.h - a kernel while it is built; private to src/loop. */
#ifndef POR_LOOP_KERNEL_H
#define POR_LOOP_KERNEL_H

#include "make.h"

enum { NO_VALUE = 0xffff, NO_BUFFER = 0xff, ACCESSES_MAX = 200, WHOLE = 1000 };

/* An affine function of the kernel's axes and of computed values. */
typedef struct Index {
	const Size *offset, *coef[AXES_MAX];
	uint32_t ndynamic;
	uint32_t within; /* 1: computed where there is an inner index, though it moves with none */
	struct { uint32_t value; uint32_t unused; const Size *coef, *extent; } dynamic[2];
} Index;

typedef struct KAccess { uint64_t buffer; Index at; } KAccess;

typedef struct Memo { uint32_t hash, phase; Node *x; Index *at; uint16_t value; } Memo;

typedef struct Builder {
	PlanMaker *m;
	Graph *g;
	Arena *scratch;                  /* of this kernel alone */
	Recipe recipe;
	const Node *rows;                /* the fold whose rows are walked, or NULL */
	uint32_t naxis, nrow, nfold;
	const Size *extent[AXES_MAX];
	/* axes of the kernel, by number of the node's kept and folded axes; -1: size 1 */
	int kept_axis[RANK_MAX], folded_axis[RANK_MAX];
	uint32_t ncode; Ins code[CODE_MAX]; uint8_t made_at[CODE_MAX]; /* the phase of each */
	KAccess *at; uint32_t nat, at_cap;
	uint32_t nbuffer, buffer[BUFFERS_MAX]; bool written[BUFFERS_MAX];
	Memo *memo; uint32_t nmemo, memo_cap;
	uint32_t phase;                  /* folds around what is being computed */
	Node *node;                      /* being computed */
	const Node *dear; uint32_t share; /* took the most room of what could be stored: so much of WHOLE */
	const Node *force; bool failed;  /* cannot go on: store this one first */
} Builder;

/* ---- index.c ---- */
Index index_zero(Builder *);
Index index_axis(Builder *, uint32_t axis);
/* to += factor*from; false: too many computed values */
bool index_add(Builder *, Index *to, const Index *from, const Size *factor);
/* the element number in a compact array */
bool index_linear(Builder *, const Type *, const Index *at, Index *out);
/* If x is a view (or a gather), the operand it shows and at which index; false: no index of that does. */
bool view_index(Builder *, Node *x, const Index *at, Node **inner, Index *to);

/* ---- kernel.c ---- */
/* the instruction that computes x there; NO_VALUE after a failure */
uint16_t value_at(Builder *, Node *x, const Index *at);
/* the number of the instruction, or of one that is the same; NO_VALUE after a failure */
uint16_t emit(Builder *, Ins);
uint16_t emit_const(Builder *, Dtype, uint64_t bits);
uint16_t emit_cast(Builder *, uint16_t x, Dtype from, Dtype to);
KAccess access_of(uint8_t buffer, const Index *at);
/* x at an index into a buffer, or where the target says */
void kernel_store(Builder *, Node *x, const Index *at, uint32_t buffer, const StoreTarget *);
uint16_t access_add(Builder *, const KAccess *);

/* ---- product.c ---- */
/* A contraction of few terms there. */
uint16_t product_at(Builder *, Node *x, const Index *at);

/* ---- few.c ---- */
/* Folds of few terms become maps over their rows. */
void folds_write_out(Builder *);

/* ---- schedule.c ---- */
/* Merge axes, order the instructions in stages, intern the kernel, add its step. */
void axis_drop(Builder *, uint32_t axis);        /* that no access walks */
void kernel_finish(Builder *, uint32_t nroot, Node *const *root);

#endif
