/* print_syntax.h - what the printers of trees share: a text with indented lines, and parts of trees in it. */
#ifndef LANG_PRINT_SYNTAX_H
#define LANG_PRINT_SYNTAX_H

#include "syntax.h"

enum { ANY = 0, OPERATOR = 1 }; /* levels; the others are those of operators */

typedef struct SyntaxPrinter {
	Text *t;
	size_t begin; /* where our text begins in t */
	int indent;
} SyntaxPrinter;

void printer_put(SyntaxPrinter *, const char *text); /* NULL: nothing */
void printer_line(SyntaxPrinter *); /* a new one */
/* in parentheses if its level is below `least` */
void printer_at(SyntaxPrinter *, const Syntax *, int least);
void printer_parens(SyntaxPrinter *, const Syntax *); /* in parentheses */
/* Parts from ... to - 1 with commas between and a word on either side. */
void printer_list(SyntaxPrinter *, const char *open, const Syntax *, uint32_t from, uint32_t to,
	const char *close);
/* A part that may be missing, with the word before it. */
void printer_part(SyntaxPrinter *, const char *before, const Syntax *, int least);

/* print_declaration.c: files, declarations, books, rules; of other kinds nothing. */
void print_declaration(SyntaxPrinter *, const Syntax *);

#endif
