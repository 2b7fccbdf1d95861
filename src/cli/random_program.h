/* random_program.h - what makes random programs: their functions (random_program.c), and the expressions
 * that these are (random_forms.c). */
#ifndef CLI_RANDOM_PROGRAM_H
#define CLI_RANDOM_PROGRAM_H

#include "cli.h"

enum { NAMES = 12, DEPTH = 4 };

/* Values in scope: numbers, whole numbers, and vectors with the size that they are known to have. */
typedef enum Sort { NUMBER, WHOLE, VECTOR_N, VECTOR_M, SORTS } Sort;

typedef struct NamesInScope {
	char name[SORTS][NAMES][8];
	int n[SORTS];
} NamesInScope;

typedef struct ProgramMaker {
	uint64_t state;
	TextBuffer *b;
	int left;    /* operators that may still be made */
	int next;    /* number of the next bound name */
	int pure;    /* conditions of loops and formulas without effects around this place */
	int loops;   /* around this place */
	int formulas; /* of arrays, around this place */
	bool traced; /* the loop that is begun gives a trace: as long for all elements of a formula */
	int grads;
	int callees; /* functions that may be called: f0, ... */
	const char *order[8]; /* the order of their parameters */
} ProgramMaker;

unsigned forms_pick(ProgramMaker *, unsigned n);        /* below n */
void forms_name(NamesInScope *, Sort, const char *name); /* one more, where there is room */
/* an expression of about maker->left operators that gives a number */
void forms_number(ProgramMaker *, const NamesInScope *);

#endif
