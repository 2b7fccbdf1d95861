/* elab_builtin.h - operators called by name: what their files share; nobody else includes it. */
#ifndef POR_ELAB_BUILTIN_H
#define POR_ELAB_BUILTIN_H

#include "elab.h"

/* A call of an operator. */
typedef struct Use {
	Elab *e;
	const Syntax *at;
	const FunctionValue *f;
	uint32_t n;
	const Given *given;
	Binding **arg;
} Use;

bool wants(Use *, uint32_t n);                          /* that many operands, all by place; else an error */
Node *array_of(Use *, uint32_t i);                      /* operand i, one array; else an error */
Binding *einsum(Use *);
Binding *random_draw(Use *, Op);

#endif
