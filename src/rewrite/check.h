/* check.h - shared by the files that check rules. */
#ifndef POR_CHECK_H
#define POR_CHECK_H

#include "sample.h"
#include "../ir/quad.h"

bool instance_open(Instance *, Graph *, Arena *scratch, const Rule *, Random *, Dtype real, int mode);
/* d(f(x)) => ... against central differences; vjp(f(x), g) => ... against <g, f(dx)> = <g', dx>. */
/* The guard as a bool array in the shape of the root; NULL: it is known, *never: to be false. */
Node *mask_of(Instance *, const Pattern *guard, const Type *root, bool *never);
/* Both sides on samples, and enough of them; the report has the counts or what is wrong. */
bool sides_agree(Graph *, Rule *, uint64_t seed, Text *report);
/* check_suggest.c: a guard under which they would agree, or NULL */
const char *guard_suggested(Graph *, const Rule *, uint64_t seed);
void say_counts(Text *, const Rule *, uint64_t samples, uint64_t met, double error);
/* A line of a book of kind check: the pipeline turns left into right (=>), or both compute the same (<=>). */
bool book_check(Graph *, const Rule *, Random *, Text *report);
bool table_check(Graph *, const Rule *, Random *, Text *report);

#endif
