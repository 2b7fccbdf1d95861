/* syntax.h - the notation as a tree: what parsing gives and printing takes.
 *
 * One struct for everything.  A node has a kind, perhaps a name, and its parts in order; the table of kinds
 * below says which part is what.  A part that may be missing is then NULL.  Three consequences of the
 * notation:
 *   - Types and patterns share kinds with expressions: f64[n] is SUBSCRIPTS of a NAME wherever it stands,
 *     (a, b) is a TUPLE, {w, b = c} a CURLY.  So normal[f32[n]](k) needs no second representation.
 *   - Parentheses that only group leave no trace: the printer writes those that are needed.
 *   - Whatever may be long is flat: a - b + c is one CHAIN of three operands, a million lets one LET, a
 *     million changes one WITH.  A walk loops over parts and recurses only where the text nests, which the
 *     parser limits to SYNTAX_DEPTH.  (Each level of text is at most ten levels of nodes.)
 *
 * `where` is the first character of what the node stands for (of `X @ p.w`: the X).
 */
#ifndef POR_SYNTAX_H
#define POR_SYNTAX_H

#include "../base/base.h"

enum { SYNTAX_DEPTH = 1000 };

/* In the parts below `x*` is any number of x, `x?` may be NULL; FLAG is an expression, an ENTRY or a RUN. */
typedef enum SyntaxKind {
	SYN_NONE,

	/* expressions */
	SYN_NUMBER,     /* number, integer or real; text as written, NULL when built by a program */
	SYN_NAME,       /* name */
	SYN_TUPLE,      /* element*                           (a, b)   (a,)   () */
	SYN_ARRAY,      /* element*                           [a, b] */
	SYN_CURLY,      /* ENTRY*                             {w = e, b}: `b` is the entry b = b */
	SYN_CALL, /* callee, argument*                  f(x, name = e, ..run): expression, ENTRY or RUN */
	SYN_SUBSCRIPTS, /* base, sub*                         x[1:, _]: expression, ENTRY, RUN or SLICE */
	SYN_FIELD,      /* base; name                         p.w */
	SYN_POWER,      /* base, exponent                     x^y */
	SYN_UNARY,      /* operand; sign                      -x   not x: SIGN_MINUS or SIGN_NOT */
	SYN_CHAIN,      /* operand*, 2 or more; signs         a - b + c: ((a - b) + c).  All signs are of one
	                                                      level (see sign_level); the first operand is no
	                                                      CHAIN of that level */
	SYN_COMPARE,    /* operand*, 2 or more; signs         0 <= i < n: 0 <= i and i < n */
	/* step*, body: BIND or DO            let a = e do f in body; `in let` goes on: the body is a LET only
	 * where it stands in parentheses */
	SYN_LET,
	SYN_IF,         /* condition, yes, no */
	SYN_SCAN,       /* LIST? of FLAG, LIST of ENTRY (carried), BELOW and OVER, while?, body */
	SYN_WITH, /* base, CHANGE*                      x with [i] = a with .w += b; the base is no WITH */
	SYN_LAMBDA,     /* PARAM or RUN*, body                (x, (a, b): T, ..more) => body */
	SYN_FORMULA,    /* BELOW or OVER*, body               [i < n, x in xs] => body */

	/* what stands in their lists */
	SYN_ENTRY,      /* value; name                        name = value;  of a pattern a pattern */
	SYN_RUN,        /* name                               ..name;  NULL for a bare .. (subscripts only) */
	SYN_SLICE,      /* from?, to?, step?                  a:b:c */
	SYN_BELOW,      /* size; name                         i < size */
	SYN_OVER,       /* array; name                        x in array */
	SYN_BIND, /* pattern, type?, value              let pattern: type = value;  also a declaration */
	SYN_DO,         /* effect                             do effect */
	SYN_CHANGE,     /* path*, value; sign                 [i].w += value: SIGN_IS or SIGN_ADD; path holds
	                                                      SUBSCRIPTS and FIELD whose base is NULL */
	/* pattern, type?, default?, fact?    x: f64 = 1 if x > 0;  of fn and op the pattern is a NAME, of
	 * LAMBDA default and fact are NULL */
	SYN_PARAM,
	SYN_LIST,       /* any*                               a list that is a part of its own */

	/* types that are no expressions */
	SYN_RECORD,     /* SLOT*                              {w: f64[n], b: f64 if b > 0} */
	SYN_SLOT,       /* type, fact?; name */
	SYN_ARROW,      /* parameter*, result                 (f64[n], f64) -> f64 */

	/* files; a declaration's or rule's text is its documentation, without the # marks, or NULL */
	SYN_FILE,       /* declaration* */
	SYN_USE,        /* NAME or FIELD                      use optim.more */
	SYN_TYPE,       /* type, NAME*; name                  type name[NAME, ...] = type */
	SYN_LATER,      /* an expression as it is written (text), for syntax_of_later to read */
	SYN_FN,         /* LIST? of PARAM and RUN, LIST of PARAM and RUN, result?, body or LATER; name
	                                                      fn name[...](...) -> result = body */
	SYN_OP,         /* the same */
	SYN_BOOK,       /* RULE and TAG*; name, order (may be NULL)     book name: order */
	SYN_TAG,        /* NAME*: of the rules that follow    tag name, name */
	/* left, right, guard?, tolerance?, LIST? of tags; law; name (may be NULL); sign: GIVES or SAME */
	SYN_RULE,
	SYN_KINDS
} SyntaxKind;

/* Signs, weakest first within operators; sign_level gives the levels of the notation's table. */
typedef enum Sign {
	SIGN_NONE,
	SIGN_OR, SIGN_AND, SIGN_NOT,
	SIGN_EQ, SIGN_NE, SIGN_LT, SIGN_LE, SIGN_GT, SIGN_GE,
	SIGN_PLUS, SIGN_MINUS,
	SIGN_TIMES, SIGN_DIVIDE, SIGN_FLOOR, SIGN_MOD, SIGN_MATMUL,
	SIGN_POWER,
	SIGN_IS, SIGN_ADD,              /* = and += of a CHANGE */
	SIGN_GIVES, SIGN_SAME,          /* => and <=> of a RULE */
	SIGN_KINDS
} Sign;

typedef enum Law { LAW_NONE, LAW_EXACT, LAW_REAL, LAW_FINITE, LAW_APPROX } Law;    /* NONE: not written */

typedef enum NumberKind {
	NUMBER_INTEGER, /* integer; a minus directly before the number is part of it: -2 is one NUMBER */
	NUMBER_WHOLE,           /* an integer that 64 bits do not hold: its text tells it; real: rounded */
	NUMBER_REAL,            /* real, correctly rounded */
	NUMBER_IMAGINARY        /* real times i */
} NumberKind;

typedef struct Syntax Syntax;
struct Syntax {
	uint8_t kind;           /* SyntaxKind */
	uint8_t sign;           /* Sign, of UNARY, CHANGE, RULE */
	uint8_t law;            /* Law, of RULE */
	uint8_t number;         /* NumberKind, of NUMBER */
	uint32_t count;         /* parts */
	Where where;
	const char *name;       /* from Names: compare pointers */
	/* a NAME ends here: most nodes are names */
	const char *text;       /* of NUMBER: as written; of declarations and rules: documentation */
	union {
		int64_t integer;        /* of NUMBER */
		double real;            /* of NUMBER */
		uint8_t *signs; /* of CHAIN and COMPARE: signs[i] stands between part[i] and part[i + 1] */
		const char *order;      /* of BOOK */
		struct ReadTree *tree;  /* of LATER: as it was read for mistakes, until it is taken */
	};
	/* a NUMBER ends here */
	Syntax **part;
	uint32_t cap;           /* room for parts */
};

/* ---- parse_file.c, parse_expr.c: text to tree ---------------------------
 * A whole file; or one expression, type, rule (it may begin with anything) or parameter like
 * y: f64[m] if y >= 0, which must be the whole text.  `file` names the text in messages and may be NULL.  The
 * text need not end with 0 and is not kept.  NULL after an error: ERR_SYNTAX, which says what was found and
 * what was wanted. */
Syntax *parse_file(Arena *, Names *, const char *file, const char *text, size_t n, Error *);
/* A file whose functions are to be elaborated one by one: of one with a long body the text is kept, which is
 * a thirtieth of its tree.  Its mistakes are found as those of others; what was read to find them is there
 * for who comes first, of a few megabytes in all. */
Syntax *parse_module(Arena *, Names *, const char *file, const char *text, size_t n, Error *);
/* A file in which no line of a function's body begins in the first column: what its functions compute stays
 * text until one is called, and so do the mistakes in it. */
Syntax *parse_laid_out(Arena *, Names *, const char *file, const char *text, size_t n, Error *);
/* What a LATER stands for.  take: as it was read, if that is there, for as long as the arena lives. */
Syntax *syntax_of_later(Arena *, Names *, const Syntax *later);
Syntax *syntax_take_later(Arena *, Names *, const Syntax *later);
Syntax *parse_expression(Arena *, Names *, const char *file, const char *text, size_t n, Error *);
Syntax *parse_type(Arena *, Names *, const char *file, const char *text, size_t n, Error *);
Syntax *parse_rule(Arena *, Names *, const char *file, const char *text, size_t n, Error *);
Syntax *parse_param(Arena *, Names *, const char *file, const char *text, size_t n, Error *);

/* ---- syntax.c: building and comparing ------------------------------------ */
Syntax *syntax_new(Arena *, SyntaxKind, Where, uint32_t count);         /* count parts, all NULL */
void syntax_add(Arena *, Syntax *, Syntax *part);
Syntax *syntax_name(Arena *, Where, const char *name);
Syntax *syntax_field(Arena *, Syntax *base, const char *name);
/* left sign right as CHAIN, COMPARE or POWER.  A CHAIN `left` of the same level grows in place and is given
 * back: use `left` nowhere else. */
Syntax *syntax_binary(Arena *, Sign, Syntax *left, Syntax *right);
void syntax_extend(Arena *, Syntax *chain, Sign, Syntax *right);        /* one operand more, in place */
bool syntax_equal(const Syntax *, const Syntax *);      /* but for places, and how a number is written */
const char *sign_text(Sign);
int sign_level(Sign);                                   /* 1 (or) to 9 (^); 0: no operator */

/* ---- print_syntax.c, print_declaration.c: tree to text -------------------
 * Prints what parses to an equal tree, with no parentheses that could be left out.  An expression stays on
 * one line, but for LET, whose steps have a line each. */
void print_syntax(Text *, const Syntax *);
void print_chain(Text *, const Syntax *chain, uint32_t operands);     /* the first: a - b of a - b + c */

/* ---- format.c ------------------------------------------------------------ */
enum { FORMAT_WIDTH = 110 };
/* A file's text laid out: the same tokens and comments, other blanks.  NULL: it does not parse. */
char *format_text(Arena *, Names *, const char *file, const char *text, size_t n, Error *);

/* ---- lex.c ----------------------------------------------------------------- */
/* file:line:column: text, the line of the source and a mark under the column; source may be NULL. */
void error_show(Text *, const Error *, const char *source);

const char *keyword_text(uint32_t i);                   /* fn, op, ... by number; NULL: there are no more */
const char *token_sign(uint32_t i);                     /* <=>, =>, ...: longer ones first */

/* habits.c: what is written here where people bring a name, or a word, from another language; NULL: nothing
 * is known */
const char *habit_of_name(Arena *, const char *name);
const char *habit_name(uint32_t i);                     /* the i-th of the names; NULL: there are no more */
const char *habit_of_word(Arena *, const char *text, size_t n);
const char *habit_of_type(const char *name);            /* float, double, matrix, ... */
bool is_habit_of_value(const char *name);               /* True, None, ... */
bool is_habit_of_module(const char *name);              /* np, torch, ... */

#endif
