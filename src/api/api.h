/* api.h - what stands behind porism.h.
 *
 * The public handles are small records beside the graph's own values: they
 * know their graph, and there is one for each value, so that equal is ==.
 * All lie in the graph's arena.  Every entry point opens with ENTER, which
 * arms the arena's trap: memory that has run out becomes the graph's error.
 */
#ifndef POR_API_H
#define POR_API_H

#include "compile.h"
#include "../print/print.h"
#include "../prove/prove.h"
#include "../../include/porism.h"

/* ---- context.c: contexts, graphs, errors, text ------------------------------------------- */

struct por_context {
	Allocator allocator;
	Graph *library; /* no user's: what its graphs go on from, library and books */
	void (*log)(void *, const char *);
	int (*load)(void *, por_source *);
	void *user;
	uint64_t max_nodes, max_bytes; /* 0: none */
	double max_seconds;
	int (*progress)(void *, const por_progress *);
	int cancelled; /* por_cancel; atomic */
	uint64_t said; /* the hash of the last line of the log */
	uint32_t refs;
};

/* What is promised of an input: from por_input's text. */
typedef struct Promise {
	Node *input;
	Fact fact;
	const char *text;
	struct Promise *next;
} Promise;
/* A custom operator of the graph. */
typedef struct CustomOp {
	struct Custom *custom;
	struct CustomOp *next;
} CustomOp;

typedef struct Derived Derived;

/* What the user has of a graph: records of its values, by id, and what hangs on them.  A mark begins anew,
 * over what was there before; what is given is looked for in all. */
typedef struct Held {
	struct Held *under;
	uint32_t mark; /* how many marks were made before; 0: there is none */
	IdMap nodes, types, functions; /* id -> public record */
	const Size **size; /* sizes that have a handle, from number `first` on */
	uint32_t first, nsize, size_cap;
	IdMap size_place; /* id -> number + 1 */
	uint32_t nrecord; /* of nodes, with those before */
	Promise *promise;
	Derived *derived; /* derive.c: derivatives that were asked for by nodes, newest first */
	por_loop *loops; /* newest first */
	uint32_t nclosed; /* of them */
} Held;

/* What a function of the user's that the graph has called may do with it: build nodes and ask; nothing. */
enum { INSIDE_NOTHING, INSIDE_RULE, INSIDE_CALLBACK };

struct por_graph {
	por_context *context;
	Graph *ir;
	Graph *work; /* on it, while it compiles or elaborates; NULL: there is none */
	uint32_t refs; /* the user's, regions', programs' of the reference tier */
	Where at; /* por_at */
	Arena *home; /* of what lives as long as the graph, marks or not */
	Held held;
	uint32_t marks; /* that were ever made */
	por_node **record; /* pages of nodes' records, in the order in which they were given */
	uint32_t npage, page_cap;
	Module *library; /* an empty module, for expressions */
	CustomOp *custom;
	int inside; /* INSIDE_...: a function of the user's is at work */
	bool spent; /* work on it was left in the middle: its error stays */
};

struct por_node {
	Node *node;
	por_graph *graph;
};
struct por_type {
	const Type *type;
	por_graph *graph;
};
struct por_module {
	Module *module;
	por_graph *graph;
};
struct por_value {
	Binding *binding;
	por_graph *graph;
};

/* A function and its signature; one that was built from nodes has a plain one. */
struct por_function {
	Function *function;
	Signature *signature;
	por_graph *graph;
	por_function *next;
	struct LeafKnown *input, *output; /* signature.c: by leaf, once one was asked for */
	uint32_t asked; /* the mark that there was then */
};

void *context_alloc(const por_context *, size_t); /* zeroed, or NULL */
void context_release(const por_context *, void *, size_t);
por_context *context_retain(por_context *);
void context_drop(por_context *);
por_graph *graph_retain(por_graph *);
void graph_drop(por_graph *);
void context_log(por_context *, const char *line);
char *text_give(const por_context *, const char *); /* a copy for the user; NULL when memory has run out */
char *graph_text(por_graph *, const char *); /* the same; then that is the graph's error */
void graph_out_of_memory(por_graph *); /* in a trap: memory has run out, or a limit was met */
bool graph_refuses(por_graph *); /* before anything is begun: an error that can be cleared */
por_graph *alone(por_graph *, const char *what); /* NULL with an error: a rule's function is at work */
por_graph *unmarked(por_graph *, const char *what); /* NULL with an error: there is a mark */
void graph_begin(por_graph *, Trap *); /* arms it; of an outermost entry point the clock stands */
/* Where a program is elaborated or compiled: a graph of work, of which nothing stays but what is carried
 * down.  It is the graph itself where its rules are functions that build nodes. */
Graph *work_begin(por_graph *);
void work_end(por_graph *); /* with the error that it had */
Function *work_up(por_graph *, Function *); /* of the graph, in the work that has begun */
Function *work_down(por_graph *, Function *); /* the other way */
void graph_where(por_graph *, const char *where); /* "file:line" of the user's, or NULL: por_at's */
bool options_copy(
	void *to, size_t room, const void *from, size_t size); /* a struct that begins with its size */

/* Entry points.  `failed` is what a failure gives; a graph that holds an error does nothing any more. */
#define ENTER(g, failed)                                                                                     \
	Trap trap_;                                                                                          \
	por_graph *const graph_ = (g);                                                                       \
	if (!graph_ || graph_->ir->error.code || graph_refuses(graph_)) return failed;                       \
	if (TRAP(&trap_)) {                                                                                  \
		graph_out_of_memory(graph_);                                                                 \
		return failed;                                                                               \
	}                                                                                                    \
	graph_begin(graph_, &trap_);                                                                         \
	graph_where(graph_, NULL)
#define LEAVE(value)                                                                                         \
	do {                                                                                                 \
		__auto_type value_ = (value);                                                                \
		arena_disarm(graph_->ir->arena, &trap_);                                                     \
		return value_;                                                                               \
	} while (0)
/* The same where an error does not matter: printing and asking. */
#define ENTER_ANYWAY(g, failed)                                                                              \
	Trap trap_;                                                                                          \
	por_graph *const graph_ = (g);                                                                       \
	if (!graph_) return failed;                                                                          \
	if (TRAP(&trap_)) {                                                                                  \
		graph_out_of_memory(graph_);                                                                 \
		return failed;                                                                               \
	}                                                                                                    \
	graph_begin(graph_, &trap_)

/* ---- mark.c ------------------------------------------------------------------------------ */

extern Node given_back; /* what a node's record holds that was released */
void held_open(Held *, Arena *);
por_node *record_of(por_graph *, Node *); /* a new one */
void *held_record(const por_graph *, size_t map, uint32_t id); /* of any mark, by the map's place in Held */
bool mark_stands(const por_graph *, uint32_t mark); /* is it not released? */

/* ---- handles.c: records of nodes, types, sizes, functions ----------------------------------- */

por_node *give_node(por_graph *, Node *); /* NULL of NULL, as the others */
por_type *give_type(por_graph *, const Type *);
por_function *give_function(por_graph *, Function *, Signature *); /* signature NULL: a plain one */
por_size give_size(por_graph *, const Size *);
const Size *take_size(por_graph *, por_size); /* NULL with an error */
const Size **take_sizes(por_graph *, int n, const por_size *);
/* All of one graph and none NULL: that graph; otherwise NULL, with an error where there is one to tell. */
por_graph *graph_of(int n, por_node *const *);
por_graph *graph_of_at(int n, por_node *const *, const char *where);
bool all_of(por_graph *, int n, por_node *const *); /* that graph's and none NULL; an error where another's */
bool at_least(por_graph *, const char *what, int n, int least); /* false with an error: what: given n, ... */
por_graph *graph_of_two(int n, por_node *const *, int m, por_node *const *);
Node **take_nodes(por_graph *, int n, por_node *const *);
int code_of(const por_graph *); /* of its error */
void *api_fail(por_graph *, int code, const char *text); /* at por_at's line; gives NULL */

const Type *type_of_syntax(por_graph *, const Syntax *); /* typed.c; NULL with an error */

por_graph *loop_graph(const por_loop *); /* flat.c; NULL of NULL */
bool loops_are_closed(const por_graph *);
/* The indices of the open loops that carry the token, from the outermost: what effects behind it tell. */
Nodes passes_around(const por_graph *, const Node *token);

/* ---- the others share -------------------------------------------------------------------------- */

bool is_name(Graph *, const char *what, const char *name); /* that prints and parses; false with an error */
Module *library_module(por_graph *); /* notation.c */
const Syntax *declaration_at(const por_module *, int i); /* notation.c; NULL past the end */
/* An error in a text from C whose line is known is told at that line, with the place in the text; `before`
 * columns of it are not the user's. */
void error_in_text(por_graph *, Where of, int before);
Node *parse_node(por_graph *, const char *text, uint32_t n, const char *const *names, Node *const *nodes);
Signature *plain_signature(por_graph *, Function *); /* signature.c */
/* The same, called and told as that one is, whose inputs it has. */
Signature *signature_like(por_graph *, Function *, const Signature *);

/* program.c: the promises of a function's inputs, as the rewriter takes them */
uint32_t leaf_facts(Graph *, const Signature *, const Function *, LeafFact **);

/* own.c */
Node **function_leaves(Graph *, const Function *);       /* for its parameters */
/* Its results over these, each a node; taken apart where that is the same. */
Node **function_results(Graph *, Function *, uint32_t n, Node *const *args);
const char **input_paths(Arena *, const por_function *); /* by leaf: "p.w"; of one without a name "" */
const char **output_paths(Arena *, const por_function *);
char *size_words(por_graph *, const Size *, const Function *);
void leaf_type_print(Text *, Graph *, const Function *, const Type *); /* by the names of its sizes */
const char *law_names(unsigned laws);
/* rules.c: the context's log hears what there is to tell of the rules from this number on */
void rules_told(por_graph *, uint32_t before);
bool dtype_public(int dtype); /* one of POR_BOOL ... POR_KEY */
bool custom_define_hooks(por_graph *); /* custom.c */

#endif
