/* check.h - what the files of `porism check` share.
 *
 *     check_values.c   random arguments
 *     check_ways.c     the ways of computing, compared
 *     cmd_check.c      what is checked
 */
#ifndef PORISM_CHECK_H
#define PORISM_CHECK_H

#include "cli.h"

typedef struct Check {
	const Options *options;
	Target *target;
	bool native;
	uint64_t random;
	bool plain;  /* without loops: nothing is there that is not needed for the result */
	bool wild;   /* arguments may be what a function has to refuse */
	int64_t every; /* native too for one in so many random programs */
	int same, differ, skipped;
} Check;

/* check_values.c */
typedef struct RandomArguments {
	int n;
	FileArray *own;
	por_array *in;
} RandomArguments;
RandomArguments random_arguments(Check *, por_function *);
void random_arguments_free(RandomArguments *);

/* check_ways.c */
typedef struct Outcome {
	int code; /* of compiling or calling */
	char text[256];
	int n;
	FileArray *result;
	uint64_t heard; /* what effects told, as one number */
} Outcome;
void outcome_free(Outcome *);
Outcome compute_interpreted(Check *, por_function *, int nin, const por_array *in);
/* All ways gave the same bits; or the same error, for all arguments; or not; or some tier does not have what
 * it needs. */
typedef enum Agreement { AGREE, AGREE_FAILED, DIFFER, REFUSED } Agreement;
/* On at most so many random arguments: all of them, or until some suit it.  Tells a difference, and what is
 * refused. */
Agreement compare_ways(Check *, por_function *, const char *name, int most, bool all);

#endif
