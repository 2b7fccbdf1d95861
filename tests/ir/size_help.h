/* size_help.h - random sizes together with their values under many assignments. */
#ifndef SIZE_HELP_H
#define SIZE_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#undef fail                               /* ours is another */
#include "../../src/ir/ir.h"

enum { VALUES = 40, BASIC = 6, POOL = 60, ROUNDS = 150 };

typedef struct Expr { const Size *s; bool ok[VALUES]; int64_t value[VALUES]; } Expr;

extern const char all_ops[]; /* of fill_pool: some more often than others */
extern int64_t basic_value[BASIC][VALUES];
extern Node *basic_node;

uint32_t below(uint32_t n); /* the next random number below n */
Graph *open_graph(void);
const Size *basic_size(Graph *, uint32_t i); /* m, n, k, two parameters, a node */
int basic_place(const Atom *);               /* its i */
bool value_of(void *assignment, const Atom *, int64_t *value);
Expr combine(Graph *, char op, const Expr *, const Expr *);
void fill_pool(Graph *, Expr pool[POOL], const char *ops);

#endif
