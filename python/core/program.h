/* program.h - what a program is, for the files of programs (program.c, call.c) alone. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "core.h"

typedef struct Port {
	int dtype, rank;
} Port;
typedef union Number {                           /* a scalar, of any dtype */
	double d;
	float f;
	int64_t i;
	unsigned char byte[16];
} Number;

typedef struct Slot {
	struct Slot *next;
	por_frame *frame;
	bool known;                              /* `key` and what follows from it are those of the last call */
	bool quick;
	int64_t *key;                            /* the sizes of all arguments */
	por_array *in, *out;                     /* dtypes, axes and shapes of results stay as they are */
	int64_t (*stride)[RANK_MAX], (*shape)[RANK_MAX];     /* of arguments; of results */
	Number *number;                          /* arguments, then results */
	PyObject **held, **made;                 /* arguments that were copied; results */
	bool *placed;                            /* results whose shape is known before the call */
} Slot;

typedef struct Program {
	PyObject_HEAD
	vectorcallfunc call;
	por_program *p;
	int nin, nout, nkey;
	Port *in, *out;
	Slot *slots;                             /* that no call has */
	Lock locked;                             /* `slots` */
	PyObject *source;                        /* what pickle keeps; or NULL */
	PyObject *operators;                     /* of the user's, which it may call; or NULL */
	bool python;                             /* one of them is of Python: others run meanwhile */
	bool arrays;                             /* numbers are given as arrays of no axes */
	int donate;                              /* so many first results take the memory of the first arguments */
	int *from;                               /* the place in a call of each argument; NULL: its own */
} Program;

void slot_free(Slot *);
/* As a type's call by place and by name; arguments are what Python has. */
PyObject *program_call(PyObject *program, PyObject *const *args, size_t nf, PyObject *names);

#endif
