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
	bool sizes;  /* many of them, and conditions on them */
	bool tables; /* loops in loops fill them */
	bool chained; /* the function begins with calls of the last one, each of what the one before gives */
	bool part;   /* there is a function of vectors of any length */
	const char *order[8]; /* the order of their parameters */
} ProgramMaker;

unsigned forms_pick(ProgramMaker *, unsigned n);        /* below n */
void forms_name(NamesInScope *, Sort, const char *name); /* one more, where there is room */
const char *forms_new_name(ProgramMaker *, char out[8], char letter);
const char *forms_any_name(ProgramMaker *, const NamesInScope *, Sort);
/* indices, counts, sizes; the steps of a loop; a condition */
void forms_whole(ProgramMaker *, const NamesInScope *);
void forms_count(ProgramMaker *, const NamesInScope *);
void forms_condition(ProgramMaker *, const NamesInScope *);
/* A loop's head over what it carries; `inner` gets the names of its body.  And its end. */
void forms_head(ProgramMaker *, const NamesInScope *, NamesInScope *inner, Sort carried, char name[8]);
void forms_close(ProgramMaker *);
/* random_written.c: a loop that writes elements of a vector, or one within another of a table that has it as
 * a line; a row or column of a matrix whose elements one wrote */
void forms_writing_loop(ProgramMaker *, const NamesInScope *, Sort);
void forms_line_written(ProgramMaker *, const NamesInScope *, Sort);
/* an expression of about maker->left operators that gives a number */
void forms_number(ProgramMaker *, const NamesInScope *);
/* ... that gives a value of this sort, which has an expression */
void forms_value(ProgramMaker *, const NamesInScope *, Sort);
/* a vector of a length that is known when the program runs */
void forms_sized(ProgramMaker *, const NamesInScope *);
/* random_sizes.c: a size as a whole number; a condition on sizes, and a value chosen by one; the steps of a
 * loop; a call of the function of vectors of any length */
void forms_size(ProgramMaker *, const NamesInScope *);
void forms_size_condition(ProgramMaker *, const NamesInScope *);
void forms_chosen(ProgramMaker *, const NamesInScope *, Sort);
void forms_size_count(ProgramMaker *, const NamesInScope *);
void forms_part(ProgramMaker *, const NamesInScope *);
/* random_derived.c: derivatives by what is in scope, along and against values of it */
void forms_number_derived(ProgramMaker *, const NamesInScope *);
void forms_vector_derived(ProgramMaker *, const NamesInScope *, Sort);

static inline const char *one_of(ProgramMaker *r, unsigned n, const char *const *list)
{
	return list[forms_pick(r, n)];
}
#define ONE_OF(r, ...)                                                                                       \
	one_of((r), sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__})

static inline void say(ProgramMaker *r, const char *text)
{
	buffer_text(r->b, text);
}

#endif
