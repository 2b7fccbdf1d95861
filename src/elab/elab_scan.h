/* elab_scan.h - what the files that elaborate loops share; nobody else includes it. */
#ifndef POR_ELAB_SCAN_H
#define POR_ELAB_SCAN_H

#include "elaborator.h"

typedef struct ScanForm {
	Elab *e;
	const Syntax *at;
	Env env;
	bool back;
	/* what the reverse sweep keeps, 0: not said; none of them: all states */
	int64_t states, levels;
	Node *bytes;
	uint32_t ncarry, nseq;
	const Syntax **carry, **seq; /* ENTRY, OVER */
	Binding **first, **xs;
	const Size *length; /* of the sequences, or of counters that are sizes */
	Node *steps;
	const Syntax *condition; /* NULL: the loop makes all its steps */
	bool bounded;            /* has it any, beside that? */
	Node *test;              /* the condition over the leaves */
	const char *length_of; /* who said so */
	Node *effects;           /* the token after a loop of its own in which they happened, or NULL */
	/* one round */
	Node *index;
	Node *token_leaf, *token; /* before and after the body's effects; equal: it has none */
	Node *asked;              /* after those of the condition */
	Node **leaf;
	uint32_t nleaf, ncarried; /* carried leaves, then elements */
	Binding **next;
	Binding **seen[3]; /* the first values as written, and the next ones with other types */
	uint32_t ntrace;
	const char **trace_name;
	Binding **trace;
	bool bare;
} ScanForm;

/* elab_pieces.c: the loop over this body cut into pieces, so that its reverse sweep keeps few states. */
bool is_in_pieces(const ScanForm *);
Node *scan_in_pieces(const ScanForm *, const LoopParts *, const Closure *body);

/* A loop of l->steps passes; NULL with an error. */
Node *loop_node(ScanForm *, const LoopParts *);

/* elab_while.c */
bool read_condition(ScanForm *);
bool elaborate_condition(ScanForm *, Env body);
bool has_effects(const ScanForm *);
/* A loop that the condition ends; *first: which of its results is the first carried value. */
Node *while_node(ScanForm *, const LoopParts *, uint32_t *first);

#endif
