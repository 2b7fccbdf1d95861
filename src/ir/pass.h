/* pass.h - a pass of a loop, open: what hangs on what the loop binds, how often it is used, what grows. */
#ifndef POR_PASS_H
#define POR_PASS_H

#include "ir.h"

typedef struct LoopPass {
	Node *x;                     /* the SCAN */
	uint32_t carries, sequences;
	Opened o;
	IdMap outside;               /* what it captures */
	Region *r;                   /* of a pass, above what is outside */
	bool *bound;                 /* by place: hangs on what the loop binds */
	uint32_t *used;              /* by place: how often */
} LoopPass;
bool pass_open(Graph *, Arena *, Node *scan, LoopPass *);
/* with[i] stands in place of value[i] in the open pass; closed, branches hold what they alone use. */
bool pass_change(Graph *, Arena *, LoopPass *, uint32_t n, Node *const *value, Node *const *with);
bool pass_binds(const LoopPass *, const Node *);
bool pass_uses_once(const LoopPass *, const Node *);
/* Has each sequence of the SCAN as many elements as it has passes, without a call's asking? */
bool passes_are_elements(Graph *, const Node *scan);

/* What a carried value grows by in a pass: term[i] is one side of sum[i], whose other side is sum[i + 1], the
 * last one's the carried value; nothing else asks for any of them.  n = 0: it stays as it is. */
typedef struct Growth { uint32_t n; Node **term, **sum; } Growth;
/* False: it does more than grow. */
bool pass_growth(Arena *, const LoopPass *, uint32_t carried, Growth *);

/* The loop with with[i] in place of value[i] in each pass; sequences that no pass then asks for go.
 * The loop itself where its type would be another one; NULL with an error. */
Node *pass_with(Graph *, Arena *, const LoopPass *, uint32_t n, Node *const *value, Node *const *with);
/* The same with an element of sequence[i]. */
Node *pass_walking(Graph *, Arena *, const LoopPass *, uint32_t n, Node *const *value, Node *const *sequence);

#endif
