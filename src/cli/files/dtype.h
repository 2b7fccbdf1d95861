/* dtype.h - the table of dtypes that array.c and npy.c share. */
#ifndef PORISM_CLI_DTYPE_H
#define PORISM_CLI_DTYPE_H

#include "files.h"

typedef struct FileDtype {
	char name[8];                    /* ours */
	char kind;                       /* NumPy's letter; its number is `bytes` */
	size_t bytes;
	size_t unit;                     /* the bytes that a byte order reverses: half a complex number */
} FileDtype;

extern const FileDtype file_dtypes[];                   /* ended by an empty name */
const FileDtype *file_dtype(const char *name);          /* NULL when there is none */
bool file_dtype_named(const char *what, const FileArray *, char *error, size_t room); /* false: it has none */

#endif
