/* interp_make.h - shared by the files that prepare a kernel for the interpreter. */
#ifndef POR_INTERP_MAKE_H
#define POR_INTERP_MAKE_H

#include "script.h"

enum { NONE = 0xffff, SPLATS_MOST = 64 << 20 };    /* bytes of a pool, past which it takes no more vectors */

/* everywhere the same, one a row, one an index */
typedef enum Class3 { CLASS_SAME, CLASS_ROW, CLASS_EACH } Class3;

typedef struct ScriptMaker {
	Interp *t;
	ConstPool *pool;
	const Prims *prims;
	const Kernel *k;
	Arena *scratch;
	Error *error;
	Script *s;
	uint8_t *class;                  /* by instruction */
	uint16_t *stage;                 /* by instruction: the stage that makes it */
	uint16_t *slot;                  /* by instruction */
	uint16_t *splat;                 /* by slot: a vector of it, NONE: none */
	uint16_t *wide, *wide_stage;     /* by slot: a row's value for each index, and in which stage */
	uint32_t *defined, *last;        /* by slot: operation that makes it, last one that reads it */
	RunOp *before; uint32_t nbefore; /* once a row batch, of the stage being made */
	RunOp *body; uint32_t nbody;
	RunOp *prologue; uint32_t nprologue;
	uint16_t now;                    /* stage being made */
	bool inner, again;               /* CHAIN's second stage: values are formed again */
	uint32_t slot_cap, op_cap;
	bool failed;
} ScriptMaker;

/* ---- interp_slots.c ---- */
int log2_size(Dtype);                              /* of the bytes of an element in registers */
uint16_t slot_new(ScriptMaker *, SlotPlace, int size); /* size: its log2; a full table fails the maker */
/* a slot of n elements of these bits, which lie in the pool */
uint16_t slot_of_constant(ScriptMaker *, int size, uint64_t bits, uint32_t n);
typedef RunOp *AddOp(ScriptMaker *, RunOp);
AddOp script_emit, script_before, script_once; /* to the stage; once a row batch before it; once a call */

/* ---- interp_ops.c ---- */
void script_ins(ScriptMaker *, uint16_t v); /* the operations of instruction v, in the stage being made */
/* in the stage after a fold's: its value in the value's own form */
void script_fold_end(ScriptMaker *, uint16_t v);

/* ---- interp_registers.c ---- */
void assign_registers(ScriptMaker *);                  /* places of all slots of the script */

#endif
