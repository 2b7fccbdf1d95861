/* check.h - what the files of `porism check` share.
 *
 *     check_values.c   random arguments
 *     check_alone.c    a program as C that stands alone, called
 *     check_ways.c     the ways of computing, compared
 *     check_slopes.c   derivatives, forward, in reverse and by differences
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
	bool plain;  /* without loops and branches: nothing is there that is not needed for the result */
	bool wild;   /* arguments may be what a function has to refuse */
	bool smooth; /* they are not: floats near 1, few steps; sizes from 0 on */
	int64_t every; /* native too for one in so many random programs */
	int64_t slopes_every; /* derivatives */
	int64_t curves_every; /* and their derivatives */
	double call_seconds; /* what a call may take */
	bool too_long;       /* one took more */
	int same, differ, skipped;
	por_error end; /* memory has run out, or a limit was met: what is checked is not known */
} Check;

/* Either of them, or an interrupt: nothing more is checked. */
bool check_is_over(const Check *);
bool check_ends(Check *, const por_error *); /* if it is one of those; gives whether it is */

/* Takes that line away; before anything is printed. */
void check_hides(void);

/* check_values.c */
enum { SIZES_MAX = 32 };
typedef struct SizeValue {
	char *name; /* as the program writes it */
	int64_t value;
} SizeValue;
typedef struct RandomArguments {
	int n;
	FileArray *own;
	por_array *in;
	int nsize;
	SizeValue size[SIZES_MAX]; /* what the names of sizes have got */
} RandomArguments;
RandomArguments random_arguments(Check *, por_function *);
/* These arrays, copied; the names of sizes by their shapes. */
RandomArguments given_arguments(Check *, por_function *, const por_array *in);
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
Outcome call_program(por_program *, int nin, const por_array *in);
void tell_arguments(por_function *, const RandomArguments *); /* as the command line takes them */
Outcome compute_interpreted(Check *, por_function *, int nin, const por_array *in);
/* check_alone.c.  alone_open: NULL where it cannot be exported or compiled.  alone_call: elements in the
 * shapes that another way gave; an error where the C says one. */
typedef struct Alone Alone;
Alone *alone_open(por_program *, const por_function *);
void alone_close(Alone *);
Outcome alone_call(const Alone *, const RandomArguments *, int nout, const Outcome *like);

/* All ways gave the same bits; or the same error, for all arguments; or not; or some tier does not have what
 * it needs. */
typedef enum Agreement { AGREE, AGREE_FAILED, DIFFER, REFUSED } Agreement;
/* On at most so many random arguments: all of them, or until some suit it.  Tells a difference, and what is
 * refused. */
Agreement compare_ways(Check *, por_function *, const char *name, int most, bool all);
Agreement compare_given(Check *, por_function *, const char *name, const por_array *in);

/* check_slopes.c: are derivatives of the random program, up to this order, right on random arguments?  Tells
 * which are not. */
bool slopes_agree(Check *, const char *name, const char *slopes, int orders); /* their text */
bool check_refuses(const por_error *); /* is it of a random program that cannot be? */

#endif
