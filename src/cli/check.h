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
} Outcome;
void outcome_free(Outcome *);
Outcome compute_interpreted(Check *, por_function *, int nin, const por_array *in);
/* Counts and tells; false when the arguments did not suit: no way computed anything. */
bool compare_ways(Check *, por_function *, const char *name, int nin, const por_array *in);

#endif
