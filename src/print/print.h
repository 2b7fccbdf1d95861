/* print.h - the graph in the notation: what is printed parses again to the same graph. */
#ifndef POR_PRINT_H
#define POR_PRINT_H

#include "../elab/elab.h"

/* ---- print_graph.c: the graph in the notation ------------------------------------------------------ */

enum { PRINT_NOTES = 1 /* types and lines as comments */,
	PRINT_ONE_LINE = 2, /* results alone where short enough */
	PRINT_APART = 8, /* what is used twice is written twice, as a rule's left side has it */
	PRINT_BARE = 16, /* numbers without their types, as rules have them */
	PRINT_EXCERPT = 4 /* for who reads on elsewhere: of long bodies "..." */ };
/* A closed function as a definition; signature may be NULL (names from provenance). */
void print_function(Text *, Graph *, Function *, const Signature *, const char *heading, unsigned flags);
/* Loose nodes as one expression over their inputs. */
void print_nodes(Text *, Graph *, uint32_t n, Node *const *, const char *const *labels, unsigned flags);

/* ---- print_json.c: graphs as JSON ----------------------------------------------------------------- */

/* Functions of one graph, for who draws them; it lives as long as the graph, or until it is closed. */
typedef struct JsonGraphs JsonGraphs;
JsonGraphs *json_graphs_open(Graph *);
void json_graphs_close(JsonGraphs *); /* NULL is fine */
/* With all that its nodes hold; gives its number.  The signature (NULL: none) has names of results. */
uint32_t json_graphs_add(JsonGraphs *, Function *, const Signature *);
uint32_t json_graphs_text(JsonGraphs *, const char *); /* the number of a text; NULL: of the empty one, 0 */
/* In which function, of that one and those within, and at which place a node stands; false: in none. */
bool json_graphs_find(const JsonGraphs *, uint32_t function, const Node *, uint32_t found[2]);
int64_t json_graphs_number(const JsonGraphs *, const Function *); /* -1: it is none of them */
/* The same texts for who draws a function: on a scratch arena; sizes: what those of a body are called, or
 * NULL. */
typedef struct OperatorTexts OperatorTexts;
OperatorTexts *operator_texts(Graph *, Arena *, Function *, const char **sizes);
const Region *operator_region(const OperatorTexts *);
const char *operator_text(OperatorTexts *, Node *);      /* "$0 @ $1"; of a parameter or a GET its number */
const char *operator_type(OperatorTexts *, const Type *);
const char **operator_sizes(OperatorTexts *, const Node *holder, const Body *);
bool stands_in_text(const Node *); /* a literal or a size, which is written where it is used */
void json_graphs_write(Text *, const JsonGraphs *);

#endif
