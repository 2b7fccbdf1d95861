/* compile.h - the pipeline: a function as it is written becomes code that runs, stage by stage. */
#ifndef POR_COMPILE_H
#define POR_COMPILE_H

#include "../diff/diff.h"
#include "../run/run.h"

/* What a stage left, for explain. */
typedef struct StageReport {
	const char *name;
	uint32_t count;              /* of what the stage leaves: nodes, kernels, steps, ... */
	const char *of;              /* what is counted */
	const char *text; /* what it left, printed; NULL: nobody asked, or it can be printed at any time */
	double milliseconds;
	uint64_t fired, visited;
	bool leaves;                 /* a function, whose number among the graphs is: */
	uint32_t function;
	const Application *log; uint32_t nlog;   /* rules applied, when a log is kept */
} StageReport;

enum { STAGES_MOST = 11 };

typedef struct Pipeline {
	unsigned laws;               /* 1 << LAW_...; 0: exact and real */
	uint32_t nfact; const LeafFact *fact; /* declared facts of the parameters (leaves are PARAM nodes) */
	bool keep_log;               /* keep every application */
	/* nothing but what plans need: stages other than `lower` leave the function as it is */
	bool no_rules;
	bool passes_told;            /* what happens in a pass is told of that pass: it stays there */
	uint64_t most;               /* applications of rules, and then nothing more is made of it; 0: all */
	const char *until;           /* the last stage; NULL: the last that leaves a function */
	Arena *texts;                /* where what functions and groups became is printed; NULL: it is not */
	struct JsonGraphs *graphs;   /* where those functions stand as graphs; NULL: they do not */
	const Signature *signature;  /* names for those texts; may be NULL */
	const RunOptions *run;       /* of `code` */
	/* Before each stage, with the part of all that is done; false with the graph's error: no further. */
	bool (*begins)(void *user, const char *stage, double done);
	void (*planned)(void *user, Plan *);         /* what the user adds to a plan before it becomes code */
	void *user;
	/* What the stages hand on. */
	uint64_t fired;              /* applications so far */
	Function *function;          /* from `written` to `lower` */
	Verified verified;           /* of its nodes and those of what it was before */
	IdMap found;                 /* by stages that rewrite, of its nodes */
	Function *seen;              /* whose list of nodes is there, on this arena, or its own */
	Arena *region;
	Arena *scratch;              /* of the groups */
	Groups *groups;
	Plan *plan;                  /* until it is the program's */
	Program *program;
	/* out */
	uint32_t nstage;
	StageReport stage[STAGES_MOST];
} Pipeline;

/* needs: a closed function without error; gives: the function after the last stage that leaves one, and the
 * program where `until` goes so far; NULL with the graph's error, and nothing to free. */
Function *pipeline_run(Graph *, Function *, Pipeline *);
void pipeline_drop(Pipeline *);          /* what it still holds, when it was left in the middle */
/* What a stage of a program left, where that can be printed at any time: kernels, plan, code.  False: no such
 * stage. */
bool stage_print(Text *, const char *stage, const Plan *);

#endif
