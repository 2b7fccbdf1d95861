/* check.h - shared by check.c (rules) and check_table.c (lines of the tables). */
#ifndef POR_CHECK_H
#define POR_CHECK_H

#include "sample.h"
#include "../ir/quad.h"

bool instance_open(Instance *, Graph *, Arena *scratch, const Rule *, Random *, Dtype real, int mode);
/* d(f(x)) => ... against central differences; vjp(f(x), g) => ... against <g, f(dx)> = <g', dx>. */
/* The guard as a bool array in the shape of the root; NULL: it is known, *never: to be false. */
Node *mask_of(Instance *, const Pattern *guard, const Type *root, bool *never);
const char *law_name(Law);
void say_counts(Text *, const Rule *, uint64_t samples, uint64_t met, double error);
/* A line of a book of kind check: the pipeline turns left into right (=>), or both compute the same (<=>). */
bool book_check(Graph *, const Rule *, Random *, Text *report);
bool table_check(Graph *, const Rule *, Random *, Text *report);

#endif
