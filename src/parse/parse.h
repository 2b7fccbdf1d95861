/* parse.h - what lexer and parser share; nobody else includes it.
 *
 * The parser sees one token ahead.  After the first error the token is TOKEN_END for good, so every loop
 * ends; a function that needed what was missing gives NULL.
 */
#ifndef POR_PARSE_H
#define POR_PARSE_H

#include "syntax.h"

typedef enum TokenKind {
	TOKEN_END, TOKEN_NAME, TOKEN_NUMBER,
	/* keywords, in the order of their table in lex.c */
	TOKEN_FN, TOKEN_OP, TOKEN_TYPE, TOKEN_LET, TOKEN_DO, TOKEN_IN, TOKEN_USE, TOKEN_BOOK, TOKEN_IF,
	TOKEN_THEN, TOKEN_ELSE, TOKEN_SCAN, TOKEN_WHILE, TOKEN_WITH, TOKEN_AND, TOKEN_OR, TOKEN_NOT,
	/* signs, likewise */
	TOKEN_SAME, TOKEN_GIVES, TOKEN_ARROW, TOKEN_EQ, TOKEN_LE, TOKEN_GE, TOKEN_NE, TOKEN_FLOOR, TOKEN_ADD,
	TOKEN_RUN, TOKEN_PLUS, TOKEN_MINUS, TOKEN_TIMES, TOKEN_DIVIDE, TOKEN_MOD, TOKEN_POWER, TOKEN_MATMUL,
	TOKEN_LT, TOKEN_GT, TOKEN_IS, TOKEN_ROUND, TOKEN_ROUND_END, TOKEN_SQUARE, TOKEN_SQUARE_END,
	TOKEN_CURLY, TOKEN_CURLY_END, TOKEN_COMMA, TOKEN_COLON, TOKEN_DOT
} TokenKind;

typedef struct Token {
	TokenKind kind;
	const char *text;
	size_t n;
	const char *doc;        /* where the comment lines directly above begin, or NULL */
	int line, column;
} Token;

/* The body of a function that was read and is kept as text all the same. */
typedef struct ReadTree {
	Syntax *body;
	Arena *arena;                   /* where it lies */
	struct ReadTree *before;        /* of the same file */
} ReadTree;

typedef struct Parser {
	Arena *arena;
	Names *names;
	const char *file;
	const char *at, *end;   /* the text that is not read yet */
	int line, column;       /* of `at` */
	Token token, before;    /* the next one, the last one read */
	int depth, peak;        /* see parse_enter() */
	enum { BODIES_READ, BODIES_LONG_LATER, BODIES_LATER } bodies; /* which of a file are kept as text */
	ReadTree *tree;         /* the last one */
	size_t tree_bytes;      /* of all */
	bool in_rule;           /* in a rule's right side, outside brackets: no => */
	Error error;
} Parser;

/* lex.c */
bool lexer_open(Parser *, Arena *, Names *, Where begin, const char *text, size_t n);
void lex_next(Parser *);
const char *lex_documentation(Parser *);                /* of what begins with the next token, or NULL */
Where token_where(const Parser *, Token);
void *syntax_fail(Parser *, const char *format, ...) PRINTF_LIKE(2, 3); /* at the next token */
void *syntax_fail_at(Parser *, Where, const char *format, ...) PRINTF_LIKE(3, 4);
void *token_unexpected(Parser *, const char *wanted);   /* found the next token; wanted ... */
const char *token_text(TokenKind);                      /* of a keyword or sign */
/* of a token in a message: at most 40, whole code points */
int shown_bytes(size_t n, const char *text);

/* lex_number.c */
Syntax *lex_number(Parser *, Token, bool negative);

/* letter.c */
bool is_mark(uint32_t code_point);                      /* continues a name but does not begin one */
size_t name_length(const char *s, const char *end);     /* bytes of the name at s, 0 where none begins */
static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/* One item of such a list: ..run, or left [: type] [= value | in value]. */
typedef struct Item {
	Syntax *left;           /* a RUN where it is one */
	Syntax *type, *value;
	TokenKind link;         /* TOKEN_IS or TOKEN_IN where there is a value */
} Item;

typedef struct ItemList {
	Item *item, few[2];     /* few: where the first ones lie */
	uint32_t n, cap;
	bool comma;             /* after the last one */
	bool round;
	Where where;
} ItemList;

/* parse_list.c */
bool read_items(Parser *, ItemList *);
Syntax *items_group(Parser *, const ItemList *);           /* ( ) or [ ] alone */
Syntax *items_function(Parser *, const ItemList *);        /* before => */
Syntax *read_call(Parser *, Syntax *callee);
Syntax *read_scan_list(Parser *);
Syntax *read_subscripts(Parser *, SyntaxKind, Syntax *base);
Syntax *read_curly(Parser *, Syntax *(*value)(Parser *));
Syntax *read_run(Parser *, bool bare);                  /* ..name, or .. where it may be bare */
Syntax *read_pattern(Parser *);
Syntax *names_once(Parser *, Syntax *list); /* the list; NULL with an error where it defines a name twice */
bool arrow_allowed_here(Parser *);

/* parse_expr.c */
bool parse_enter(Parser *);                             /* one deeper; the caller leaves by p->depth-- */
bool parse_deeper(Parser *, int base);  /* what was just read stands behind a value of this peak */
static inline int higher(int a, int b) { return a > b ? a : b; }
bool token_is(const Parser *, TokenKind);
bool token_take(Parser *, TokenKind);
bool token_expect(Parser *, TokenKind, const char *after); /* after: what it must follow, for the message */
/* What closes a list that was opened there: a list that is not closed is told where it begins. */
bool close_list(Parser *, Where open, TokenKind, const char *after);
const char *token_name(Parser *, const char *wanted);
Syntax *read_expression(Parser *);
Syntax *read_operators(Parser *);                       /* the grammar's op */
Syntax *read_binding(Parser *);

/* parse_file.c */
Syntax *read_type(Parser *);

#endif
