/* compiled.h - a compiled function, and what one caller of it owns. */
#ifndef POR_API_COMPILED_H
#define POR_API_COMPILED_H

#include "api.h"
#include "../kernels/kernels.h"
#include "../run/run.h"

#include <pthread.h>

enum { FEW_ARRAYS = 64 }; /* of call_many and donations */

/* An input or output as it is shown and checked. */
typedef struct Port {
	const char *text; /* "X: f64[m, n]" */
	const char *path; /* "X" */
	const char *file;
	int line; /* that declared it */
	uint8_t dtype, rank;
	const Fact *fact; /* a promise that every call checks, or NULL */
} Port;

typedef struct Explained {
	const char *what, *text;
} Explained;

/* While it is compiled. */
typedef struct Compiling {
	por_graph *graph;
	const por_options *options;
} Compiling;

/* Who hears of effects. */
typedef struct Heard {
	por_hear hear;
	void *user;
} Heard;

struct por_program {
	por_context *context;
	Arena *arena; /* owns all below; only the compile allocates from it */
	uint32_t refs; /* the user's and its frames' */
	int tier;
	bool facts_unchecked;
	bool check_finite;
	Heard heard;
	EffectSink sink; /* to `heard` */
	double call_seconds;
	uint32_t nin, nout, nsize;
	Port *in, *out;
	uint32_t *declared; /* the inputs, then the outputs, as fields of records were written */
	const char **size; /* names, in the order of the bare function */
	uint32_t donate; /* the first results take the memory of so many arguments */
	uint32_t nexplained;
	Explained *explained; /* what only the graph knew: kept while it was compiled */
	Pipeline *line; /* that made it, or was making it when memory ran out */
	Compiling compiling;
	struct Program *run; /* of all tiers but the reference */
	RunOptions options; /* of `run` */
	pthread_mutex_t entry_lock;
	Entry entry; /* the bare function, once it has been asked for */
	/* of the reference tier alone: called on that graph's thread, with its operators */
	por_graph *graph;
	Graph *own; /* in which the function lies */
	Function *function;
	int lock;
	por_error error; /* under the lock */
};

struct por_frame {
	por_program *program;
	por_error error;
	por_array *result; /* nout of them */
	int64_t (*shape)[RANK_MAX];
	Arena *arena; /* reference tier: of the last call */
	int cancelled; /* reference tier: por_frame_cancel; atomic */
	Watch watch; /* reference tier: what bounds a call */
	struct Frame *run;
};

int effect_heard(void *heard, const Effect *, const int64_t *pass, const Value *); /* effects.c */
por_program *compiled_retain(por_program *);
void compiled_drop(por_program *);
void keep_explained(por_program *, Graph *, const Pipeline *); /* explain.c */
enum { LOG_SHOWN = 2000 }; /* applications of rules that are told */
void keep_text(por_program *, const char *what, Text *);
void keep_graphs(por_program *, Graph *, const Pipeline *); /* graphs.c */
/* excerpt.c: a node, with parameters by their names in the function it is of (NULL: an open graph). */
char *excerpt_text(Graph *, Arena *, const Function *, Node *);
/* A short one: what has a name stands by it. */
char *excerpt_line(Graph *, Arena *, const Function *, Node *);
/* tiers.c: code, of all tiers but the reference */
void compiled_asks(por_program *, Pipeline *, const por_options *);
void compiled_unplan(por_program *);
const char *core_name(const Step *);             /* profile.c: "contract" */
void summary_text(Text *, const Program *);      /* summary.c: where its time goes, and why */
void profile_text(Text *, const Program *);      /* profile.c: a line for each step */
void profile_json(Text *, const Program *);
void memory_text(Text *, const Plan *);          /* memory.c */
void plan_example(const Plan *, int64_t size, int64_t *dim); /* dims, where every open size is this one */
void arrays_json(Text *, const Program *);
void peaks_json(Text *, por_program *);          /* peaks.c */
char *explain_plan(por_program *, const char *what, bool *known); /* NULL, and known: out of memory */
char *compiled_text(por_program *, const char *); /* a copy for the user; NULL: out of memory is the error */
/* What `write` writes of `of`, for the user; NULL: it says false, which is *known, or out of memory, which is
 * the error then. */
typedef bool (*WriteText)(Text *, por_program *, const void *of);
char *compiled_written(por_program *, WriteText write, const void *of, bool *known);
void compiled_set_error(por_program *, const por_error *);
void compiled_fail(por_program *, int code, const char *format, ...) PRINTF_LIKE(3, 4);
bool donation_fits(const por_program *, por_graph *, const por_options *); /* donate.c */
int call_donated(
	por_program *, por_frame *, int nin, const por_array *in, int nout, const por_array *out);
/* A refused argument's place, code and sentence. */
int call_fail(por_error *, int code, const Port *, int argument, const char *format, ...) PRINTF_LIKE(5, 6);
int check_facts(por_error *, const Port *, int argument, const por_array *);
int call_plain(por_program *, por_frame *, int nin, const por_array *in, int nout, const por_array *out);
void reference_keeps(por_program *, por_graph *, Function *);
int reference_call(por_program *, por_frame *, int nin, const por_array *in, int nout, const por_array *out);
int reference_reserve(por_program *, por_frame *, const por_array *in);         /* do they fit? */

#endif
