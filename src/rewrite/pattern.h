/* pattern.h - what makes rules of their text; nobody else includes it. */
#ifndef POR_PATTERN_H
#define POR_PATTERN_H

#include "rules.h"

typedef enum Side { LEFT, RIGHT, GUARD } Side;
typedef struct Compiler {
	Graph *g;
	Arena *arena;
	Rule *rule;
	Side side;
	uint32_t count;
} Compiler;

/* pattern.c */
const Pattern *pattern_of(Compiler *, const Syntax *);
Pattern *pattern_make(Compiler *, PatternKind, Where, uint32_t n);
/* a new one; UINT32_MAX with an error */
uint32_t pattern_variable(Compiler *, const char *name, VariableKind, uint32_t of, Where);
/* the error "rule NAME: ..."; NULL */
void *rule_refuse(Compiler *, Where, const char *format, const char *what);

#endif
