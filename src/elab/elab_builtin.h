/* elab_builtin.h - operators called by name: what their files share; nobody else includes it. */
#ifndef POR_ELAB_BUILTIN_H
#define POR_ELAB_BUILTIN_H

#include "elaborator.h"

/* A call of an operator. */
typedef struct Use {
	Elab *e;
	const Syntax *at;
	const FunctionValue *f;
	uint32_t n;
	const Given *given;
	Binding **arg;
} Use;

/* The numbers in the brackets, and whether the flag is among them (flag may be NULL). */
typedef struct Numbers {
	uint32_t n;
	const Size *size[3 * RANK_MAX];
	int64_t v[3 * RANK_MAX];
	bool flag;
} Numbers;

bool read_numbers(Use *, const char *flag, bool sizes, Numbers *out);
bool one_axis(Use *, int64_t *axis);                    /* in brackets; the first if there is none */
bool wants(Use *, uint32_t n);                          /* that many operands, all by place; else an error */
Node *array_of(Use *, uint32_t i);                      /* operand i, one array; else an error */
const char *operands_of(const char *name);              /* "x, y" */
const char *brackets_of_view(const char *name);         /* an example, where an operator asks for some */

/* elab_array.c */
Binding *call_map(Use *, Op);
Binding *call_fold(Use *, Op);
Binding *call_cumulative(Use *);
Binding *call_view(Use *, Op);
Binding *call_squeeze(Use *); /* axes of size 1: those in brackets, or all that are known */
Binding *call_concat(Use *);
Binding *call_index(Use *, Op);                         /* gather and scatters */
Binding *call_one_hot(Use *);
Binding *call_tuple(Use *, Op, const Attr *);           /* an operator with several results */
Binding *call_top_k(Use *);
Binding *call_tri_solve(Use *);

/* elab_length.c */
Binding *length_of_axis(Use *, Node *x, uint32_t axis);

/* elab_draw.c */
Binding *einsum(Use *);
Binding *random_draw(Use *, Op);

#endif
