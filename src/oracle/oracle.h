/* oracle.h - the evaluator that the kernels are held to: every node by its definition, in the defined order.
 *
 * Slow and simple: it shares nothing with the kernels but the scalar maths.
 */
#ifndef POR_ORACLE_H
#define POR_ORACLE_H

#include "../ir/ir.h"

/* ---- eval_entry.c ------------------------------------------------------------------------------ */

/* Evaluate f on inputs: in each node's own dtype with the scalar maths of
 * src/math and the defined fold order; or, with `quad`, floats in binary128
 * (values in and out are then as Value says).  Results lie on the arena.
 * False with an error. */
bool evaluate(Graph *, Arena *, const Function *, const Value *in, Value *out, bool quad);
/* The same; in own dtypes, and a failure is this call's error, not the graph's.  sink: hears of effects, or
 * NULL.  finite: where a NaN or infinity arises that is an error which names line, pass and operands. */
typedef struct EvalCall {
	Arena *arena;
	const Function *f;
	const Value *in;
	Value *out;
	const EffectSink *sink;
	bool finite;
} EvalCall;
bool evaluate_call(Graph *, const EvalCall *, Error *);
/* Do dtypes and sizes fit?  The inputs need no data. */
bool evaluate_sizes(Graph *, const EvalCall *, Error *);
/* The same; false: it cannot be computed, which is no error. */
bool evaluates(Graph *, Arena *, const Function *, const Value *in, Value *out, bool quad);
/* One map of f64 numbers x[0], x[1], ..., a truth being 1 or 0; false: there is none of them. */
bool map_numbers(Op, const double *x, double *y);
/* The same in binary128, what is rounded moved by about 2^-104 of it, up or down by the random words:
 * two such values lie apart by as much as binary128 does not tell of the true one. */
bool evaluates_stirred(Graph *, Arena *, const Function *, const Value *in, Value *out, uint64_t words);
/* Fold one node of constants; NULL when it cannot or should not (large). */
Node *evaluate_constant(Graph *, const Node *);

#endif
