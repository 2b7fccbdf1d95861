/* compile.h - the pipeline: a function as written to one that kernels are made of. */
#ifndef POR_COMPILE_H
#define POR_COMPILE_H

#include "../diff/diff.h"
#include "../loop/loop.h"

/* What a stage left, for explain. */
typedef struct StageReport {
	const char *name;            /* "written", "merge", "algebra", "stable", "remerge", "lower" */
	Function *function;          /* as it is after the stage */
	double milliseconds;
	uint64_t fired, visited;
	const Application *log; uint32_t nlog;   /* rules applied, when a log is kept */
} StageReport;

typedef struct Pipeline {
	unsigned laws;               /* 1 << LAW_...; 0: exact and real */
	uint32_t nfact; const LeafFact *fact;        /* declared facts of the parameters (leaves are PARAM nodes) */
	bool keep_log;               /* keep every application */
	bool no_rules;               /* nothing but what plans need: stages other than `lower` leave the function as it is */
	const char *until;           /* stop after this stage; NULL: go to the end */
	/* out */
	uint32_t nstage;
	StageReport stage[8];
} Pipeline;

/* needs: a closed function without error; gives: the function after the last stage; NULL with the graph's error */
Function *pipeline_run(Graph *, Function *, Pipeline *);

#endif
