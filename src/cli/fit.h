/* fit.h - what the files of `porism fit` share.
 *
 *     fit_record.c the record and the options
 *     fit_start.c  parameters and the optimiser's state at the start
 *     fit_plan.c   sizes and data, the text of the step, compiled functions
 *     fit_names.c  functions and parameters by name
 *     fit_data.c   rows: the held-out split, shuffles, blocks; saved states
 *     cmd_fit.c    the loop, the progress, the report
 *
 * Keys: root = key(seed).  start takes root[0], the held-out split root[1], the shuffle of epoch e
 * root[2][e], parameter number j of type key at step t (from 0) root[3][t][j].
 */
#ifndef PORISM_FIT_H
#define PORISM_FIT_H

#include "cli.h"

/* An array of the command line that the functions take; `axis` has the size that is cut into blocks. */
typedef struct FitLeaf {
	char *path;
	FileArray array;
	int axis; /* -1: it is taken whole */
} FitLeaf;

/* A function of the fit, compiled.  Its inputs are leaves "p...", "s...", data, "seed", "t". */
typedef struct FitFunction {
	por_function *function;
	por_program *program;
	por_frame *frame;
	int nin, nout;
	por_array *in;
	FitLeaf **data; /* input i: its leaf; NULL when it is none */
	FileArray *cut; /* input i: the rows of the block */
} FitFunction;

typedef struct FitSize {
	char *name;
	int64_t value;
} FitSize;

typedef struct Fit {
	const Options *options;
	Target target;
	Arguments arguments;
	char *minimise, *start, *by, *show; /* as expressions of the file: train.minimise; NULL: none */
	char *show_name; /* "accuracy" */
	char *block_name; /* the size that is cut: "m"; NULL: none */
	char *block_text; /* how many rows of it a step takes, as an expression */
	int64_t block, steps, seed;
	int64_t patience; /* measurements without a lower loss that end the fit; 0: none do */
	double hold;
	por_function *loss; /* with its sizes as symbols */
	FitSize *size;
	size_t nsize;
	FitLeaf *data;
	size_t ndata;
	char *p_name, *p_type, *s_type;
	TextValue p, s; /* parameters and the optimiser's state */
	FitFunction step, metric;
	int64_t rows, *train, ntrain, *held, nheld; /* rows = 0: nothing is cut */
	int64_t *order, epoch; /* the shuffle of this epoch; epoch -1: none yet */
	int64_t t; /* steps done */
} Fit;

/* EXIT_GOOD or a status after a message. */

/* fit_record.c */
int fit_record(Fit *);
int fit_number(Fit *, const char *text, double *); /* an expression of the file */

/* fit_start.c */
int fit_begin(Fit *); /* parameters and state at the start */
int fit_call_start(Fit *); /* the parameters of `start` alone */
bool fit_is_given(const Fit *); /* are the parameters on the command line? */

/* fit_plan.c */
int fit_read(Fit *); /* the record, options, values */
int fit_compile(Fit *); /* step and metric */
void fit_free(Fit *);
/* What the shape of `path` says of the sizes of its type. */
int fit_learn_sizes(Fit *, const char *path, const FileArray *, const por_type *);
/* The leaf `path` of a function, from the command line; *found is NULL when it is not given. */
int fit_find_data(Fit *, const por_leaf *, FitLeaf **found);
/* A parameter's or result's type as the file writes it, its known sizes as numbers. */
char *fit_structure_type(Fit *, const por_structure *, por_function *, bool output);

/* fit_names.c */
/* behind bracket parameters; false: past the end */
bool plain_param(Fit *, const char *function, int i, por_param *);
por_function *fit_function(Fit *, const char *function); /* NULL: the graph's error */
int unknown_arguments(Fit *);

/* fit_data.c */
int fit_split(Fit *);
int fit_shuffle(Fit *, int64_t epoch);
void fit_take(FitFunction *, const int64_t *rows, int64_t n);
int64_t fit_blocks(const Fit *); /* steps of an epoch */
int fit_save(Fit *, const char *path);
int fit_resume(Fit *, const char *path);

#endif
