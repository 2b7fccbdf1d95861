/* print_graph.h - what the files of the graph's printer share; nobody else includes it. */
#ifndef POR_PRINT_GRAPH_H
#define POR_PRINT_GRAPH_H

#include "print.h"

/* How tightly a text binds: the levels of the notation's table. */
enum { LEVEL_FORM = 0, LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT,
       LEVEL_MINUS = 8, LEVEL_POWER, LEVEL_ATOM };

enum { LONG_TEXT = 80 };             /* of a line: more gets lets */

/* What stands for a node where it is used. */
typedef struct Shown {
	const char *text;
	uint8_t level, depth;        /* depth: how deep the text nests */
	bool named;                  /* text is a name */
	bool bare;                   /* a scan or branch whose value is no structure */
	const char **field;          /* its elements by name, else NULL */
} Shown;

typedef struct NamesOut NamesOut;
typedef struct GraphPrinter {
	Graph *g;
	Arena *scratch;
	Text *out;
	unsigned flags;
	NamesOut *names;             /* that are taken, in all functions that are open */
	int indent;
	Region *r;
	uint32_t *uses;              /* by place: operands and results that want the node itself */
	Shown *shown;                /* by place */
	const char **size_name;      /* of size parameters */
	const char **param;          /* texts of parameters */
	const Fact **fact;           /* of parameters, NULL where there is none */
	uint8_t *param_level;
	const char *index;           /* of the loop whose body this is; NULL: it is none */
	bool began;                  /* a let has been written */
	bool heads;                  /* texts are made to see what stands inside them: without long bodies */
	bool left_out;               /* such a body */
	const struct GraphPrinter *outer;
	const Function *function;
	const char *title;           /* what it is called in its text */
	const struct CalledFunctions *called;    /* that have definitions of their own, or NULL */
} GraphPrinter;

/* print_node.c: the expression that makes a node, over what stands for its operands. */
Shown node_text(GraphPrinter *, Node *);
const char *operand(GraphPrinter *, Node *x,
                    int level);            /* in parentheses where it binds less tightly */
Shown shown_node(GraphPrinter *, Node *); /* as an operand that needs its whole type */
bool is_spread(GraphPrinter *, const Node *);                       /* an expand that broadcasting implies */
/* what stands for an operand when a sibling gives dtype and shape */
Node *unspread(GraphPrinter *, Node *);
/* a size or whole number where the notation has a weak one */
Shown index_text(GraphPrinter *, Node *);

/* print_indexed.c */
Shown view_text(GraphPrinter *, Node *);
Shown index_node_text(GraphPrinter *, Node *);
Shown contract_text(GraphPrinter *, Node *);
/* n attributes with commas between */
const char *bracket_text(GraphPrinter *, const Node *, uint32_t from, uint32_t n);

/* print_constant.c */
static inline Shown atom(const char *text, int level) { return (Shown){ .text = text,
                                                                        .level = (uint8_t)level }; }
const char *parenthesised(GraphPrinter *, Shown, int level);
Shown constant_text(GraphPrinter *, const Node *, bool weak); /* weak: as a literal; else with its type */
const char *size_text(GraphPrinter *, const Size *, int level);
void print_type(GraphPrinter *, Text *, const Type *);
const char *type_text(GraphPrinter *, const Type *);

/* a size, or one as a float: n where a number may stand */
bool is_weak_size(const Node *);

/* print_graph.c */
/* the lets that the results need */
void print_region(GraphPrinter *, uint32_t nresult, Node *const *results);
void line_begin(GraphPrinter *);
size_t line_length(const Text *);                              /* of the last line */

/* print_effect.c: the step of an ORDER node, or of a loop or branch that gives nothing but a token */
const char *effect_text(GraphPrinter *, Node *);

/* print_scan.c */
Shown scan_text(GraphPrinter *, Node *);
Shown if_text(GraphPrinter *, Node *);
Shown lambda_text(GraphPrinter *, Node *call); /* exact(...)(...), checkpoint(...)(...), kept(...)(...) */
bool call_is_plain(const Node *); /* of a function that neither an op nor anything else keeps one */
Shown own_text(GraphPrinter *, Node *call);    /* with_derivative(..., ...)(...) */

/* print_function.c: the results in their structure (NULL: one, or a tuple); `lines`: an element a line */
void result_text(GraphPrinter *, Text *, const Structure *, uint32_t n, Node *const *results, bool lines);

/* print_called.c: functions that are printed more than once: those that stay calls, and long bodies.  Each
 * has a definition before that of the function which calls them, where the notation can say it */
typedef struct CalledFunctions { IdMap name; Function **f; uint32_t n, cap; } CalledFunctions;
const CalledFunctions *called_functions(GraphPrinter *, Function *);
const char *called_name(const GraphPrinter *, const Function *);        /* NULL: it has none */
bool is_long_body(GraphPrinter *, Function *);                 /* of more than a line: what has bodies is */

/* print_name.c */
NamesOut *names_new(Arena *);
const char *free_name(GraphPrinter *, const char *wanted);          /* and takes it */
const char *own_name(const char *name); /* NULL: it tells of a call, as len(x) does, in messages */
void take_name(GraphPrinter *, const char *name);
bool name_taken(const GraphPrinter *, const char *name);            /* by another one of what is printed */
/* A text is made again: the names that it chose are free, so that what is printed does not tell how often. */
uint32_t names_chosen(const GraphPrinter *);                        /* how many so far */
void undo_names(GraphPrinter *, uint32_t chosen);

#endif
