/* random_syntax.h - random trees, for round trips through printer and parser. */
#ifndef RANDOM_SYNTAX_H
#define RANDOM_SYNTAX_H

#include "../../src/parse/syntax.h"

typedef struct Random { Arena *arena; Names *names; uint64_t state; uint32_t defined; } Random;

Syntax *random_expression(Random *, int depth);
Syntax *random_type(Random *, int depth);
Syntax *random_file(Random *, int depth);

#endif
