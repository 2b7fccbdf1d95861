/* cli.h - the `porism` command: what its files share.
 *
 *     main.c      the table of commands
 *     options.c   words of the command line -> Options
 *     interrupt.c the context with its limits; SIGINT and SIGTERM
 *     values.c    name=VALUE, name=@file -> arrays bound to the leaves of a signature
 *     sources.c   texts of files, and of what they use
 *     target.c    FILE:FN or 'EXPR' -> a function for what is given
 *     parameters.c  what a file's function declares
 *     names.c     places by name
 *     call.c      a function compiled and called
 *     output.c    results as the notation writes them, as JSON, as files
 *     random_text.c  random expressions
 *     manual.c    the page of the manual, completion for shells
 *     syntax_files.c  what editors colour
 *     diagnose.c  errors with their line and a caret
 *     cmd_*.c     a command each
 *     repl.h      what the files of `porism repl` share
 *
 * It knows the library by porism.h alone.
 */
#ifndef PORISM_CLI_H
#define PORISM_CLI_H

#include "files/files.h"
#define POR_NO_LINES                     /* the user's lines are those of the text, not the command's own */
#include <porism.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3 };

/* ---- text.c: text that grows, JSON ----------------------------------------------------------- */

typedef struct TextBuffer {
	char *text;
	size_t n, room;
} TextBuffer;
void *need(void *); /* the pointer; NULL ends the command */
/* as por_function_input and por_function_output; no memory for it ends the command */
por_leaf input_of(const por_function *, int i);
por_leaf output_of(const por_function *, int i);
void buffer_add(TextBuffer *, const char *text, size_t n);
void buffer_text(TextBuffer *, const char *text);
void buffer_printf(TextBuffer *, const char *format, ...) FILES_PRINTF_LIKE(2, 3);
const char *buffer_get(const TextBuffer *); /* never NULL */
void buffer_free(TextBuffer *);
char *text_of(const char *format, ...) FILES_PRINTF_LIKE(1, 2); /* from malloc */
char *text_copy(const char *text, size_t n);
bool ends_with(const char *text, const char *end);
bool resembles(const char *given, const char *wanted); /* but for a slip */
bool is_name_char(char); /* of a name in the notation; any byte above ASCII */

void json_text(TextBuffer *, const char *text);
void json_number(TextBuffer *, double);
void json_key(TextBuffer *, const char *key); /* "key": with the comma that is due */

/* ---- options.c: the words of the command line ------------------------------------------------ */

typedef struct OptionSpec {
	const char *name; /* without the two minus signs; NULL ends a table */
	char letter; /* -o; 0: none */
	const char *argument; /* "FILE"; NULL: a flag */
	const char *help;
	/* of a shared one: the bit of `takes` that a command needs for it; 0: every command has it */
	unsigned of;
	/* ".npy or .npz": how the file's name may end, where it has an end; NULL: anyhow */
	const char *written;
} OptionSpec;

/* What a command takes of the shared options, beside --json and --help. */
enum {
	TAKES_TIER = 1, /* --tier, --threads: it computes */
	TAKES_SEED = 2,
	TAKES_LAWS = 4, /* --laws, --no-rules: it rewrites */
	TAKES_RULES = 8, /* --rule, --rules: it reads rules */
	TAKES_LIMITS = 16, /* --max-nodes, --max-bytes, --max-seconds: it reads programs */
	TAKES_ALL = 31
};

typedef struct Options Options;
typedef struct Command {
	const char *name;
	const char *words; /* "FILE:FN | 'EXPR' [name=VALUE]..." */
	const char *summary; /* a line */
	const char *help; /* the rest of --help; NULL: none */
	const OptionSpec *options; /* of its own; NULL: none */
	unsigned takes; /* TAKES_...: of the shared ones */
	int (*run)(Options *);
	bool reads_file; /* - alone is a file, not an expression */
} Command;

typedef struct OptionValue {
	const OptionSpec *spec;
	const char *value; /* "" for a flag */
} OptionValue;

struct Options {
	const Command *command;
	OptionValue *value;
	size_t nvalue;
	char **word; /* what is no option, in order */
	size_t nword;
	bool json;
};

/* Reads the words after the command's name.  False after a message: EXIT_USAGE. */
bool options_read(Options *, const Command *, int n, char **words);
void options_free(Options *);
const char *option(const Options *, const char *name); /* the last one given; NULL when there is none */
bool option_number(const Options *, const char *name, int64_t low, int64_t high, int64_t *value);
void options_help(FILE *, const Command *);
extern const OptionSpec shared_options[]; /* of several commands */
/* Tier, threads and laws as the library takes them; false after a message. */
bool options_compile(const Options *, por_options *);
int usage(const Options *, const char *format, ...) FILES_PRINTF_LIKE(2, 3); /* EXIT_USAGE */

/* effects.c: a por_hear that writes what is printed to stderr, a line each. */
int print_effect(void *, const por_effect *);

bool option_is_taken(const Command *, const OptionSpec *shared);
const char *tier_name(int i); /* NULL behind the last */

/* ---- main.c, manual.c: the commands, and what is told of them --------------------------------- */

extern const Command *const commands[]; /* NULL ends it */
extern const char about_values[], about_exit[]; /* for every help; indented lines are kept as they are */
void manual_print(FILE *); /* porism.1 */
bool completion_print(FILE *, const char *shell); /* false: no such shell */

/* ---- syntax_files.c: what editors colour ------------------------------------------------------ */

bool syntax_print(FILE *, const char *kind); /* "vim", "ftdetect", "textmate"; false: none of them */

/* ---- interrupt.c: limits, and signals ------------------------------------------------------- */

void interrupt_open(void);
void interrupt_close(void);
int interrupted(void); /* 0; or the exit status: 128 and the signal's number */
void interrupt_saves(void); /* what is being saved is written to its end, however long it takes */
bool option_seconds(const Options *, const char *name, double *value);

void interrupt_lines(void); /* from now on SIGINT ends what is under way, not the command */
bool interrupt_line(void); /* did it?  Then what follows may be computed again */
/* A byte of a file that was opened not to wait; false: it has ended, or a signal came first. */
bool interrupt_read(int from, char *byte);

/* ---- output.c: values and how they are written ----------------------------------------------- */

typedef enum ValueKind { VALUE_ARRAY, VALUE_TUPLE, VALUE_RECORD } ValueKind;
typedef struct TextValue TextValue;
struct TextValue {
	ValueKind kind;
	size_t n; /* elements of a tuple or record */
	char **field; /* RECORD: names in declared order */
	TextValue *elem;
	FileArray array; /* ARRAY; dtype "key": two u64 an element */
};
void value_free(TextValue *);
size_t element_bytes(const char *dtype); /* 0: there is no such dtype */
int64_t array_count(const FileArray *);
double array_number(const FileArray *, int64_t i); /* the real part of element i, as f64 */

enum { OUTPUT_FULL = 1, OUTPUT_ONE_LINE = 2 };
void value_print(TextBuffer *, const TextValue *, unsigned flags); /* in the notation */
void array_line(TextBuffer *, const FileArray *); /* all elements, on one line, without the dtype */
void value_json(TextBuffer *, const TextValue *);
/* -o: .npy for an array, .npz for a structure (keys "w", "layers.0"). */
bool value_save(const char *path, const TextValue *, char *error, size_t room);
/* Leaves with their paths, in declared order; the arrays are borrowed. */
typedef struct ValueLeaf {
	char *path;
	TextValue *leaf;
} ValueLeaf;
size_t value_leaves(TextValue *, ValueLeaf **);
void value_leaves_free(ValueLeaf *, size_t);
int write_result(
	const Options *, const TextValue *, TextBuffer *json); /* printed, or by -o; json: fields before it */

/* ---- diagnose.c: errors with their line and a caret ------------------------------------------ */

int complain(const Options *, int status, const char *format, ...) FILES_PRINTF_LIKE(3, 4); /* gives status */
/* The library's error on stderr, with the line of `source` (or NULL); as JSON on stdout too.  The status. */
int complain_with(const Options *, const por_error *, const char *source);

/* ---- sources.c: texts of files, and what they use -------------------------------------------- */

typedef struct SourceText {
	char *file, *text;
	size_t n;
} SourceText;
typedef struct Sources {
	SourceText *v;
	size_t n;
	char *tried; /* the file that was asked for last */
	char why[512];
} Sources;
/* The text of a file, kept; NULL after a sentence in `why`.  input_name: what standard input gives. */
const SourceText *source_read(Sources *, const char *file);
const char *source_kept(const Sources *, const char *file); /* NULL: it has not been read */
extern const char input_name[];
bool is_input_word(const char *word); /* - */
void source_put(Sources *, const char *file, const char *text); /* as if it had been read */
/* A loader for por_context_options: `use NAME` is NAME.por beside the file that says it. */
int source_load(void *sources, por_source *);
void sources_free(Sources *);

/* ---- names.c: places by name ------------------------------------------------------------------ */

typedef struct NamePlace {
	const char *name; /* borrowed */
	size_t length, at;
} NamePlace;
typedef struct NameIndex {
	NamePlace *v;
	size_t n, room;
} NameIndex;
void name_add(NameIndex *, const char *name, size_t at);
void names_sort(NameIndex *); /* when all are added, before the first is looked for */
/* The least place under that name; false: there is none.  `at` may be NULL. */
bool name_find(const NameIndex *, const char *name, size_t length, size_t *at);
void names_free(NameIndex *);

/* ---- values.c: what is given on the command line --------------------------------------------- */

typedef struct Target Target;
typedef struct GivenArgument {
	char *name; /* "x", "p", "p.w" */
	char *declared; /* "y: f64[m]"; NULL: a value */
	bool literal; /* from text: its dtype may follow the parameter's */
	bool named; /* the text names a dtype of integers: i64(3) */
	TextValue value;
} GivenArgument;

typedef struct Arguments {
	GivenArgument *given;
	size_t n;
	bool spare; /* what the function has no place for is no mistake */
} Arguments;

/* name=VALUE, name=@FILE, name: type, from `first` on; other words are an error.  EXIT_GOOD or a status. */
int arguments_read(Arguments *, Target *, const Options *, size_t first);
void arguments_free(Arguments *);
/* An argument's arrays by path: "p.w" of p={w = ...} or of p.w=...; NULL: not given. */
typedef struct GivenLeaf {
	char *path;
	GivenArgument *from;
	FileArray *array;
	bool used;
} GivenLeaf;
typedef struct GivenLeaves {
	GivenLeaf *leaf;
	size_t n, room;
	NameIndex paths;
} GivenLeaves;
void arguments_leaves(Arguments *, GivenLeaves *);
void given_leaves_free(GivenLeaves *);
GivenLeaf *given_leaf(GivenLeaves *, const char *path); /* NULL: it is not given */
/* The array as another dtype; false with a sentence when a number would change (floats may round). */
bool array_convert(FileArray *, const char *dtype, char *error, size_t room);
FileArray copy_array(const por_array *);
por_array array_view(const FileArray *); /* the same memory */
bool is_float_name(const char *dtype); /* "f64", "bf16", ... */
bool array_same_bits(const FileArray *, const FileArray *); /* every NaN is one */
/* ---- target.c: FILE:FN or 'EXPR' -> a function for what is given ----------------------------- */

struct Target {
	const Options *options;
	por_graph *graph;
	por_module *module; /* the file's, or the library's */
	char *file; /* NULL: an expression */
	char *function; /* NULL: an expression, or a file alone */
	char *source; /* the text of the file or the expression */
	Sources sources; /* files that were read */
	char *added; /* what was added to the file, without a name */
	struct Parameters **parameters; /* of functions of the file, once they were asked for */
};

/* The process' one context, which loads from these sources; NULL after a message, with a status. */
por_context *command_context(const Options *, Sources *, int *status); /* interrupt.c */
/* Reads the word; EXIT_GOOD or a status after a message.  "FILE.por" alone has no function. */
int target_open(Target *, const Options *, const char *word);
void target_close(Target *);
int target_renew(Target *); /* an empty graph, without a module, in the place of the one it has */
int target_add_rules(Target *); /* --rule and --rules */
/* Opens the first word, which must name a function or be an expression, reads the others as its arguments and
 * runs the body; done: what it is to be, for the message of a command without words, as in "computed". */
/* cmd_list.c: what the file declares */
int list_target(const Options *, Target *);
void declaration_line(TextBuffer *, por_graph *, por_module *, int i, bool results); /* the i-th */
/* the commands of that name, of a target and its arguments */
int grad_target(const Options *, Target *, Arguments *);
int explain_target(const Options *, Target *, Arguments *);
int run_target(Options *, const char *done, int (*body)(const Options *, Target *, Arguments *));

/* cmd_build.c: cc -shared, or what CC says, which may have arguments; 0 when it worked.  *command: what was
 * run, from malloc. */
int compile_shared(const char *source, const char *object, char **command);
/* Which leaf each array of the C is, inputs, then outputs behind all inputs: as the fields were written. */
int *declared_leaves(const por_function *);
int target_fail(const Target *); /* the graph's error */
int stage_fail(const Target *); /* the same of por_optimise: a stage that is none is wrong usage */
bool is_file_word(const char *word);
/* The target's function for these arguments; NULL after a message, with a status. */
por_function *target_function(Target *, const char *name, Arguments *, int *status);
/* An expression or a function of the file (name) with what is given, unconverted; NULL: the graph's error. */
por_function *elaborate(Target *, const char *name, size_t n, const por_given *);
const por_type *type_of_array(Target *, const FileArray *); /* its sizes are numbers */
/* as the notation writes it */
void add_structure_type(TextBuffer *, const por_structure *, const por_function *, bool output);

/* ---- parameters.c: what a file's function declares --------------------------------------------- */

typedef struct Parameters {
	char *function;
	bool known; /* there is such a function */
	por_param *param; /* bracket parameters first */
	size_t n;
	NameIndex names;
	struct Parameters *next;
} Parameters;
const Parameters *target_parameters(const Target *, const char *function);
void target_parameters_free(Target *);
/* The parameter of the file's function that `path`, up to its first point, is; false: none. */
bool target_parameter(const Target *, const char *function, const char *path, por_param *);

/* ---- call.c: a function compiled and called -------------------------------------------------- */

/* A compiled function and the arrays of a call. */
typedef struct CompiledCall {
	por_function *function;
	por_program *program;
	por_frame *frame;
	int nin;
	FileArray *own; /* what the call keeps: converted values, defaults */
	por_array *in;
	bool *bound; /* has a value */
	bool *given; /* from the command line, not a default or a seed */
} CompiledCall;
/* Binds the values to the function's inputs.  `partly`: a missing one is no error (bound[i] is false). */
int call_bind(CompiledCall *, Target *, por_function *, Arguments *, bool partly);
int call_compile(CompiledCall *, Target *, const por_options *);
int call_run(CompiledCall *, Target *, TextValue *result); /* into a value of the result's structure */
void call_free(CompiledCall *);
TextValue value_of_result(const por_function *, const por_structure *, por_frame *);
/* An expression without free names -> its value.  EXIT_GOOD or a status after a message. */
int evaluate_text(Target *, const char *what, const char *text, TextValue *); /* what: in messages, or NULL */

/* ---- random_text.c: random numbers and expressions ------------------------------------------- */

uint64_t next_random(uint64_t *state); /* splitmix64 */
double next_unit(uint64_t *state); /* from 0 to below 1 */
char *random_expression(uint64_t seed, int nodes, char ***declared, int *count);
/* A file whose last function is `main`; slopes: two more, its slope forward and in reverse, of what it takes
 * and a direction of each array and number of f64. */
char *random_program(uint64_t seed, int nodes, char **slopes);

/* ---- the commands ---------------------------------------------------------------------------- */

extern const Command command_eval, command_run, command_list, command_grad, command_explain, command_improve,
	command_fit, command_build, command_rules, command_view, command_check, command_fmt, command_repl,
	command_cache;

#endif
