/* standalone.h - a plan as C that stands alone. */
#ifndef POR_STANDALONE_H
#define POR_STANDALONE_H

#include "../loop/loop.h"

/* ---- c_program.c: a whole program as one C file ------------------------------------------- */

/* C that needs nothing but libm's fma where the machine has none, and its header:
 *
 *     int64_t NAME_workspace(sizes...);                     bytes that NAME wants; -1: too many
 *     int NAME(sizes..., inputs..., outputs..., workspace); 0; 1: sizes do not fit; 2: an index is outside
 *
 * Inputs and outputs stand as fields of records were written.
 * Arrays are compact, in row order; outputs overlap nothing.  Reentrant; nothing is allocated.  The
 * instruction set is chosen when it runs.  `name` is made a C identifier, as are the names of arguments.  A
 * size that is computed while it runs has a parameter most_SIZE behind the sizes, the most that it may be,
 * and a pointer behind the outputs through which it is told.  Comments name the user's lines.  false with an
 * error. */
bool emit_program(Text *code, Text *header, const Plan *, const char *name, Error *);
/* Has this scalar of the plan a parameter most_SIZE?  Not an input, which is known, nor a loop's index, nor a
 * branch's condition. */
static inline bool scalar_is_asked(const Plan *p, uint32_t i)
{
	const Buffer *b = &p->buffer[p->scalar[i].buffer];
	return b->space != SPACE_INPUT && b->dtype != DT_BOOL && p->scalar[i].below == UINT32_MAX;
}
/* The same for one instruction set alone, without comments. */
bool emit_program_for(Text *code, const Plan *, const char *name, int isa, Error *);

#endif
