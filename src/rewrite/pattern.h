/* pattern.h - what makes rules of their text; nobody else includes it. */
#ifndef POR_PATTERN_H
#define POR_PATTERN_H

#include "rules.h"

typedef enum RuleSide { LEFT, RIGHT, GUARD } RuleSide;
typedef struct RuleReader {
	Graph *g;
	Arena *arena;
	Rule *rule;
	Error *error;
	RuleSide side;
	uint32_t count;
} RuleReader;

/* pattern.c */
const Pattern *pattern_of(RuleReader *, const Syntax *);
Pattern *pattern_make(RuleReader *, PatternKind, Where, uint32_t n);
/* a new one; UINT32_MAX with an error */
uint32_t pattern_variable(RuleReader *, const char *name, VariableKind, uint32_t of, Where);
/* pattern_exp.c: the operand of an exp on a left side, as the graph has it */
const Pattern *pattern_exponent(RuleReader *, const Pattern *);
/* the error "rule NAME: ..."; NULL */
void *rule_refuse(RuleReader *, Where, const char *format, const char *what);

#endif
