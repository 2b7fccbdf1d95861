/* repl.h - what the files of `porism repl` share.
 *
 *     repl_line.c     lines from a terminal, with editing, history and completion, or from a pipe
 *     repl_input.c    what was typed: is it whole, and what is it?
 *     repl_kept.c     what is kept from line to line
 *     repl_session.c  a line's graph, and what is computed with it
 *     repl_names.c    the names of a session: listed, and offered where one is begun
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

/* ---- repl_kept.c ---- */
TypedText kept_declarations(const char *file, const char *text, por_module *); /* it came from this text */
TypedText kept_book(const char *file, const char *text, const char *word);
void kept_text_free(TypedText *);
KeptValue *kept_value(const Session *, const char *name, size_t n); /* NULL: there is none */
void kept_forget(Session *, const char *name);
void session_keep(Session *, const char *name, TextValue); /* which it takes */
void session_reset(Session *);
bool text_mentions(const char *text, const char *name);

/* Who has the values that a line names: the text of its program, small ones; or the call. */
typedef enum ValuesBy { BY_TEXT, BY_CALL } ValuesBy;

/* ---- repl_session.c: EXIT_GOOD or a status after a message ---- */
int session_open(Session *, const Options *);
void session_close(Session *);
/* A graph with the texts that are kept, and small values as `let`. */
int session_begin(Session *, const char *text, ValuesBy);
void session_recover(Session *); /* from the mistake of the line before */
int session_declare(Session *, const char *file, const char *text); /* kept if it has no mistake */
int session_let(Session *, const char *text); /* let pattern = e: values, or functions */
int session_evaluate(Session *, const char *text, TextValue *, TextBuffer *type);
/* Opens the target for an expression, or for a declared function by its name, and runs the body. */
int session_run(
	Session *, const Options *, const char *text, int (*body)(const Options *, Target *, Arguments *));
int session_type(Session *, const char *text); /* printed, of what is not computed */

/* ---- repl_names.c ---- */
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
