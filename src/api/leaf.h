/* leaf.h - promises about inputs, and elements of arrays. */
#ifndef POR_API_LEAF_H
#define POR_API_LEAF_H

#include "api.h"

/* The fact in "y: f64[m] if y >= 0"; false: none that can be used, or an error. */
bool read_promise(por_graph *, const char *name, const char *declared, Fact *);
void copy_compact(const por_array *, size_t bytes, void *to); /* its elements in row order */

#endif
