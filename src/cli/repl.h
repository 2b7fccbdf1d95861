/* repl.h - what the files of `porism repl` share.
 *
 *     repl_line.c     lines from a terminal, with editing, history and completion, or from a pipe
 *     repl_input.c    what was typed: is it whole, and what is it?
 *     repl_session.c  what is kept from line to line
 *     cmd_repl.c      the loop and the commands that begin with a colon
 *
 * Each line has a graph of its own, made of the texts and values that are kept: so a name may be defined
 * again, and a mistake leaves nothing behind.
 */
#ifndef PORISM_REPL_H
#define PORISM_REPL_H

#include "cli.h"

/* Declarations that were typed or loaded.  One that is defined again is blanked out. */
typedef struct TypedText {
	char *file, *text;
	char **name;
	int *line;
	int count;
} TypedText;

typedef struct KeptValue {
	char *name;
	TextValue value;
	char *text; /* as the notation writes it; NULL: it is too large */
} KeptValue;

typedef struct Session {
	Target target; /* of the line that is read */
	TypedText *text;
	size_t ntext;
	KeptValue *value;
	size_t nvalue;
	int line; /* that was read last */
	int begins; /* where what is read begins */
	bool terminal;
} Session;

/* ---- repl_session.c: EXIT_GOOD or a status after a message ---- */
int session_open(Session *, const Options *);
void session_close(Session *);
void session_reset(Session *);
void session_recover(Session *); /* from the mistake of the line before */
int session_declare(Session *, const char *file, const char *text); /* kept if it has no mistake */
int session_let(Session *, const char *text); /* let pattern = e: values, or functions */
int session_evaluate(Session *, const char *text, TextValue *, TextBuffer *type);
void session_keep(Session *, const char *name, TextValue); /* which it takes */
/* Opens the target for an expression, or for a declared function by its name, and runs the body. */
int session_run(
	Session *, const Options *, const char *text, int (*body)(const Options *, Target *, Arguments *));
int session_type(Session *, const char *text); /* printed, of what is not computed */
int session_list(Session *);
/* Names that may stand where the n-th is asked for: "w", "p.b", "optim.adam"; from malloc, NULL: no more. */
char *session_name(Session *, const char *begin, size_t n);

/* ---- repl_input.c ---- */
typedef enum InputKind {
	INPUT_NOTHING,
	INPUT_COMMAND,
	INPUT_DECLARATION,
	INPUT_LET,
	INPUT_EXPRESSION
} InputKind;
char *input_read(Session *, InputKind *); /* from malloc; NULL: there is no more */
const char *first_word(const char *text); /* behind blanks and comments */
bool begins_word(const char *text, const char *word);

/* ---- repl_line.c ---- */
void lines_open(Session *);
void lines_close(void);
char *lines_next(const char *prompt); /* without its end, from malloc; NULL: there are no more */
int lines_peek(void); /* the first character of the next one where that is known; else 0 */

#endif
