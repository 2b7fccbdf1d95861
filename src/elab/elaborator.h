/* elaborator.h - what the files of the elaborator share; nobody else includes it.
 *
 * elab() takes an expression to a Binding in an environment.  Environments
 * only grow: an Env is a scope and how much of it is seen, so a lambda that
 * captures one does not see what is bound after it.
 */
#ifndef POR_ELABORATOR_H
#define POR_ELABORATOR_H

#include "elab.h"

/* ---- environments ----------------------------------------------------------------- */

typedef struct Scope Scope;
typedef struct Env { Scope *scope; uint32_t seen; } Env;

typedef struct ScopeEntry {
	const char *name;
	Binding *value;
	uint32_t at;                 /* when it was bound */
	struct ScopeEntry *before;        /* the same name, earlier */
} ScopeEntry;

struct Scope {
	Env outer;                   /* outer.scope NULL: the module's own scope */
	Module *module;
	Table entries;
	uint32_t count;
};

typedef struct Alias { const Syntax *syntax; Env env; } Alias;

/* ---- functions ------------------------------------------------------------------------ */

typedef enum FunctionKind { F_LAMBDA, F_DEFINITION, F_OPERATOR, F_WRAPPED, F_TOLD } FunctionKind;
typedef struct Told Told;            /* elab_told.c */

struct FunctionValue {
	FunctionKind kind;
	const Syntax *syntax;        /* LAMBDA, FN or OP */
	/* LAMBDA: where it was written; DEFINITION: its module's scope; TOLD: where brackets and operands are
	 * bound */
	Env env;
	const char *name;            /* for messages; OPERATOR: its name; WRAPPED: checkpoint, exact */
	Binding *inner;              /* WRAPPED */
	Binding *rule;               /* WRAPPED with_derivative, with_vjp: its derivative; with_system: a */
	Binding *back;               /* WRAPPED with_system: what solves the transposed system */
	uint32_t sides;              /* so many arguments are its right side */
	const Told *told;            /* TOLD: the line of an op that takes functions; NULL: its meaning */
	const Syntax *brackets;      /* SUBSCRIPTS that gave the bracket values, or NULL */
	Env brackets_env;
};

/* What may have no effects, or NULL.  A derivative's own text has none; those of what it calls do not happen,
 * as they have where that was called for its value: what is elaborated within is stripped of them. */
typedef struct Pure {
	const char *what;
	const Syntax *derivative;    /* or NULL */
	const char *instead;         /* what is written in their place, or NULL */
} Pure;

/* An argument of a call. */
typedef struct Given {
	const char *name;            /* NULL: by place */
	Binding *value;
	const Syntax *syntax;        /* for messages */
} Given;

/* ---- modules (library.c) ----------------------------------------------------------------- */

typedef struct Decl {
	const char *name;
	const Syntax *syntax;        /* FN, OP, TYPE, BIND, USE */
	Binding *value;              /* when it has been elaborated */
	bool busy;                   /* being elaborated: a let that needs itself */
} Decl;

struct Module {
	const Module *base;          /* the same module of the graph that this one goes on from, or NULL */
	const char *name, *file;
	Syntax *syntax;
	Table decls;                 /* those of `base` when they are asked for */
	Scope *scope;
	bool library;                /* embedded: its lines are not the user's */
};

typedef struct Library {
	Module *prelude;
	Table modules;               /* that `use` knows and that are open, by name */
	Table instances;             /* of ops */
	Table told;                  /* derivatives of ops that take functions */
	Table syntaxes;              /* what is remembered of definitions */
	/* files of the user's; those that others use have a name; in a graph of work NULL until asked for */
	Module **user;
	uint32_t nuser, user_cap;
	Table ops;                   /* OpRef by name */
	Table operators;             /* values of the names of operators */
	Table bodies;                /* of definitions, that were read later */
	Called *called;              /* the definition whose calls are watched, or NULL */
} Library;

Library *library_of(Graph *);
Decl *module_decl(Module *, const char *name);
Module *user_module(Graph *, uint32_t i);
const Syntax *definition_body(Graph *, const Syntax *); /* of FN, OP, LAMBDA */
bool module_is_embedded(const char *name);
Module *module_named(const Library *, const char *name);        /* an open one; NULL when there is none */
void module_publish(Library *, Module *);               /* from now on `use` finds it by its name */
/* A file of the user's; `name` is what `use` calls it, NULL of a file that is loaded for itself. */
Module *module_of_text(Graph *, const char *name, const char *file, const char *text, size_t n);

/* ---- the elaborator ---------------------------------------------------------------------- */

/* A parameter of the whole function that was given to an inner one, whose fact it gets. */
typedef struct Passed { const Syntax *fact; const char *name; struct Passed *next; } Passed;

/* Whole numbers that are given (elab_asked.c). */
typedef struct Asked {
	uint32_t n;
	Declared *given;             /* with the types of this attempt */
	Node **leaf;                 /* of those that are whole */
	IdMap stands;                /* a bound leaf -> what it stands for */
	bool again;                  /* integers were asked of one more */
} Asked;

/* A loop whose body is being elaborated. */
typedef struct LoopAround { Node *index; const struct LoopAround *outer; } LoopAround;
/* Where it was written that a name counts below a size, within a loop or formula; the last one first. */
typedef struct CountedBelow {
	const Size *n;
	const Syntax *at;
	const struct CountedBelow *before;
} CountedBelow;

/* At how many places definition `by` has calls of another like this one, as was asked last; 0: they do not
 * stay calls. */
typedef struct Often { const Syntax *by, *of, *call; uint32_t places; bool said; } Often;

typedef struct Elab {
	Graph *g;
	Library *lib;
	uint32_t depth;              /* of elab() within elab() */
	uint32_t inlined;            /* calls so far */
	uint32_t types;              /* of named types within named types */
	uint32_t told;               /* of derivatives of ops within each other (elab_told.c) */
	uint32_t library_calls;      /* inside functions of the library: nodes belong to the user's call */
	const Syntax *active;        /* the definition being inlined */
	NameMap size_names;          /* of sizes that declared types brought */
	IdMap passed;                /* by leaf: Passed */
	Table type_arrays;           /* of declared types (elab_type.c) */
	uint32_t counting;           /* of types within types, there */
	bool declaring;              /* types of a top-level function: new names are sizes */
	const Scope *signature;      /* whose names are those that somebody wrote there */
	Table calls;                 /* that were inlined (elab_known.c) */
	Asked *asked;                /* or NULL */
	Node *token;                 /* of the effects so far; NULL: none */
	const LoopAround *around;    /* the innermost loop whose body this is */
	const CountedBelow *below;   /* for messages */
	Pure pure;
	Node **counted;              /* ones whose cuts the value that is made next has to ask for */
	uint32_t ncounted, counted_cap;
	Table written;               /* calls of definitions (elab_kept.c) */
	Table again;                 /* functions that stay ones, as they were called (elab_again.c) */
	Often often;
	const char **said;           /* what became of calls, for explain */
	uint32_t nsaid, said_cap;
	struct OwnRule *own;         /* the derivative of a function's own that is elaborated, or NULL */
	struct { IdMap holder; } shared;        /* what sides hold (elab_shared.c) */
} Elab;

/* Text nests at most 1,000 deep, five nodes a level; a call counts for more, since its frames are larger. */
enum { ELAB_DEPTH = 24000, CALL_DEPTH = 6, TYPE_DEPTH = 200, TYPE_ARRAYS = 1 << 20 };
/* Forty functions, each of which calls the next twice, are a million million calls: it ends before memory
 * does. */
enum { ELAB_CALLS = 1 << 18 };

/* elab_value.c */
Binding *bind_node(Graph *, Node *);
Binding *bind_tuple(Graph *, uint32_t n, Binding *const *);
Binding *bind_record(Graph *, uint32_t n, const char *const *names, Binding *const *);
/* a tuple where they are 0, 1, ... */
Binding *bind_given(Graph *, uint32_t n, const char *const *names, Binding *const *);
Binding *bind_type(Graph *, TypeTerm *);
Binding *bind_function(Graph *, const FunctionValue *);
bool is_structure(const Binding *);
const char *kind_text(const Binding *);                 /* "a function" */
Env env_open(Elab *, Env outer);
void env_bind(Elab *, Env *, const char *name, Binding *);
Binding *env_local(Env, const char *name);              /* of local scopes, not of the module */
Binding *scope_own(Env, const char *name);              /* of this one scope */
Binding *size_value(Graph *, const Size *);             /* a weak constant or SIZE leaf */
const Size *known_size(const Node *,
                       Graph *);          /* of a constant or SIZE leaf (weak or i64); else NULL */
bool known_int(const Binding *, int64_t *);
bool known_bool(Elab *, const Binding *, bool *);
const Size *size_from(Elab *, const Syntax *, const Binding *); /* any integer scalar; NULL with an error */
const Size *signature_size(Elab *, const char *name);   /* of its own: the name is this, or with a number */
typedef Node *(*leaf_function)(Elab *, const void *user, uint32_t n, Node *const *);
/* A function of arrays on every leaf of structures; lone arrays go to every leaf. */
Binding *on_leaves(Elab *, const Syntax *, uint32_t n, Binding *const *, leaf_function, const void *user);

/* elab_expr.c */
Binding *elab(Elab *, Env, const Syntax *);
Node *elab_array(Elab *, Env, const Syntax *);          /* a single array; else an error */
Node *array_in(Elab *, const Syntax *, const Binding *); /* the same of what stands there */
const char *shown(Elab *, const Syntax *);              /* the expression as text, cut where long */
const char *shown_type(Elab *, const Binding *);
void at(Elab *, const Syntax *);                        /* nodes made next belong to this place */
void *fail_at_syntax(Elab *, const Syntax *, int code, const char *format, ...) PRINTF_LIKE(4, 5);
Binding *lookup(Elab *, Env, const Syntax *);           /* NAME */
/* Of an expression, which has no `use`: the library's module that stats.median names; NULL: none. */
Module *module_of_field(Elab *, Module *, const Syntax *field);
Binding *module_member(Elab *, Module *, const Syntax *at, const char *name);

/* elab_length.c */
void lengths_in_size(Elab *, Node *);                   /* what a number that is made a size has to ask */
void lengths_of_arrays(Elab *, const Binding *, bool alone); /* what all sizes of arrays have to ask */
/* Of arguments that a value does not come from it may have sizes all the same. */
void lengths_of_unused(Elab *, const Binding *value, uint32_t n, const Given *);
Binding *ask_lengths(Elab *, Binding *, uint32_t first); /* a value that asks it, from `first` on */

/* elab_let.c */
bool bind_pattern(Elab *, Env *, const Syntax *pattern, Binding *value);
Binding *elab_let(Elab *, Env, const Syntax *);

/* elab_effect.c */
bool elab_do(Elab *, Env, const Syntax *);              /* false with an error */
Node *token_now(Elab *);
bool effects_allowed(Elab *, const Syntax *at);         /* false with an error */
/* From now on there are none, as `what` has none; gives what `pure` was before. */
Pure pure_begin(Elab *, const char *what);
/* The same of what a derivative holds, of which none happen: those that it calls may have some. */
Pure pure_within(Elab *, const char *what);
Pure derivative_begin(Elab *, const Syntax *rule);
bool names_effect(const char *name);

/* elab_undeclared.c: the error of a name that nobody declares; of a field of what has none */
void *undeclared(Elab *, Env, const Syntax *name);
void *no_member(Elab *, const Module *, const Syntax *, const char *name);
void *no_field(Elab *, const Syntax *field, const Binding *of);
/* elab_derivative.c: what a pattern has bound and a derivative in this text is by is kept by those before. */
void keep_variables(Elab *, Env, const Syntax *pattern, const Syntax *text);
/* elab_branch.c */
Binding *elab_if(Elab *, Env, const Syntax *);
/* Of two bools, of which the second, of this text, may fail or has effects behind `before`, both (OP_AND) or
 * one (OP_OR): it is asked for where the first does not decide.  NULL: of others, or with an error. */
Node *decided_by(Elab *, Env, const Syntax *, Op, Node *const *x, Node *before);

/* elab_shared.c */
/* What a branch of these results captures because sides of others ask for it too; the arrays are kept. */
Nodes shared_before(Elab *, Node *condition, uint32_t n, Node *const *yes, Node *const *no);

/* elab_operator.c */
Node *arith(Elab *, Op, Node *, Node *);                /* build2, folding what is known while building */
Node *arith_leaf(Elab *, const void *op, uint32_t n, Node *const *);    /* the same on leaves */
Binding *elab_chain(Elab *, Env, const Syntax *);
Binding *elab_compare(Elab *, Env, const Syntax *);
Binding *elab_unary(Elab *, Env, const Syntax *);

/* elab_type.c, elab_dim.c, elab_match.c; more in elab_type.h */
enum { TT_ARRAY, TT_TUPLE, TT_RECORD, TT_FUNCTION, TT_ANY };
typedef struct TypeDim {
	const Size *size;            /* known */
	const Syntax *syntax;        /* else to be found in env */
	Env env;
	const char *run;             /* ..s */
} TypeDim;
struct TypeTerm {
	uint8_t kind;
	Dtype dtype;                 /* ARRAY; DT_NONE: the dtype variable `variable` */
	const char *variable;        /* ARRAY: of dtypes; ANY: of types, or NULL */
	Env env;                     /* where the variable is bound */
	uint32_t n;                  /* dims, elements or fields */
	TypeDim *dim;
	TypeTerm **elem;
	const char **field;
	const Syntax **fact;
};
TypeTerm *type_term(Elab *, Env, const Syntax *);
TypeTerm *type_of_value(Elab *, const Binding *);       /* typeof(x) */
TypeTerm *type_batch(Elab *, Env, TypeTerm *, const Syntax *subscripts);
/* Put a value into a type, binding what the type's names stand for in their environments. */
Binding *match_type(Elab *, const Syntax *at, const char *what, TypeTerm *, Binding *);
bool has_tangled_size(const TypeTerm *);
bool has_size_of(const TypeTerm *, uint32_t n, const char *const *name); /* computed from one of the names */
bool learn_sizes(Elab *, const TypeTerm *, const Binding *);
const Type *term_type(Elab *, const Syntax *at, TypeTerm *);    /* of an ARRAY whose names are known */
/* Leaves of that type: made by `make` with a path such as "p.w". */
typedef Node *(*leaf_maker)(Elab *, void *user, const char *path, const Type *);
Binding *term_leaves(Elab *, const Syntax *at, TypeTerm *, const char *path, leaf_maker, void *user);
Binding *convert(Elab *, const Syntax *at, TypeTerm *, Binding *);      /* f32[m, n](x) */
Node *convert_constant(Graph *, Node *, Dtype);         /* of a weak CONST, data too */
Dtype term_dtype(const TypeTerm *);                     /* of an ARRAY; f64 where a variable is open */

/* elab_argument.c */
typedef struct ArgumentList {
	Given *v;
	uint32_t n, cap;
} ArgumentList;
bool read_arguments(Elab *, Env, const Syntax *call, ArgumentList *);
bool is_own_bracket(const Elab *, const char *name); /* of the definition being elaborated */
bool bind_brackets(Elab *, const FunctionValue *, const Syntax *definition, Env *);
/* false with an error that shows the call as it is written, when a named argument stands in the brackets:
 * softmax[0](x) for softmax(x, axis = 0); definition: NULL of an operator along axes */
bool refuse_brackets(Elab *, const Syntax *at, const FunctionValue *, const Syntax *definition, uint32_t n,
                     const Given *);

/* elab_call.c */
Binding *elab_call(Elab *, Env, const Syntax *);
Binding *apply(Elab *, const Syntax *at, Binding *callee, uint32_t n, const Given *);
/* The value of a function of the text over what is given, its body written out there. */
Binding *written_out(Elab *, const Syntax *at, const FunctionValue *, uint32_t n, const Given *);
/* An error within a function of the library is told of that, which the user has called by this name, and not
 * of an operator in it. */
void name_library_call(Elab *, const char *name);
/* What is given to the first n parameters of a list where `what` is called. */
typedef struct GivenAll {
	const Syntax *at;
	const char *what;
	const Syntax *params;
	uint32_t n, ngiven;
	const Given *given;
	const Syntax *brackets; /* of the definition, for messages; or NULL */
} GivenAll;
bool bind_params(Elab *, Env *, const GivenAll *);

/* elab_called.c: NULL with an error */
Binding *note_called(Elab *, const Syntax *at, const FunctionValue *, uint32_t n, const Given *);

/* elab_kept.c */
/* Is it checkpoint(e), of one expression by place? */
bool is_checkpoint_of(const Binding *callee, const Syntax *call);
Binding *elab_checkpoint(Elab *, Env, const Syntax *call, Binding *callee);
/* A call that stays since the definition that is elaborated calls the function often, and that is large; NULL
 * without an error: it is written out. */
Binding *apply_often(Elab *, const Syntax *at, const FunctionValue *, uint32_t n, const Given *);
const char *said_of_calls(Elab *);       /* lines; NULL: none */
/* exact(f)(x), checkpoint(f)(x), kept(f)(x) */
Binding *apply_wrapped(Elab *, const Syntax *at, const FunctionValue *, uint32_t n, const Given *);

/* elab_own.c */
Binding *apply_own(Elab *, const Syntax *at, const FunctionValue *, uint32_t n, const Given *);
/* While a derivative of one's own is elaborated: a leaf of a call, and one of a loop or an array. */
void own_stands_for(Elab *, Node *leaf, Node *actual);
void own_within(Elab *, Node *leaf);
Binding *apply_system(Elab *, const Syntax *at, const FunctionValue *, uint32_t n, const Given *);
Binding *differential_of(Elab *, const Syntax *at, const Binding *);

/* elab_known.c */
typedef struct Call {
	const Syntax *definition;
	Env env;
	uint32_t nbracket, n;
	Binding **bracket;
	const Given *given;
	bool kept;                   /* worth keeping: not of the library */
} Call;
Call call_of(Elab *, const FunctionValue *, Env brackets, uint32_t n, const Given *);
Binding *call_known(Elab *, const Call *);              /* its value, or NULL */
void call_keep(Elab *, const Call *, Binding *value);

/* elab_given.c: what is given, as a tree of names */
typedef struct GivenPart {
	const struct GivenPart *of;
	const char *name;
	const Declared *whole;       /* that was given under this path, or NULL */
	struct GivenPart *first, *last, *next;  /* its parts; the next part of the same */
	uint32_t count;
	Table *table;                /* of all parts */
} GivenPart;
typedef Node *(*given_leaf)(Elab *, const char *path, const Declared *);
GivenPart *given_parts(Graph *, uint32_t n, const Declared *);
const GivenPart *given_part(const GivenPart *root, const char *path);   /* NULL: nothing */
Binding *given_value(Elab *, const GivenPart *, const char *path,
                     given_leaf); /* an array, or a structure of its parts; NULL: nothing is given */

/* elab_fact.c */
typedef struct FactList { Fact *v; uint32_t n, cap; IdMap at; /* leaf -> place, both from 1 */ } FactList;
/* one range a leaf */
void add_fact(Graph *, FactList *, const Syntax *fact, const char *name, uint32_t leaf);
void field_facts(Graph *, FactList *, const TypeTerm *, const Structure *); /* of the fields of a type */
/* what is known of parameters while the body is made */
void promise_facts(Graph *, const Syntax *fact, const char *name, const TypeTerm *, const Binding *);
void passed_facts(Elab *, FactList *, const Binding *parameter, uint32_t first);
/* What an inner call can check of a fact; false with an error. */
bool keep_fact(Elab *, const Syntax *at, const Syntax *fact, const char *name, const Binding *value);

/* elab_op.c */
Binding *apply_op_definition(Elab *, const Syntax *at, const FunctionValue *, uint32_t n, const Given *);

/* elab_told.c */
/* The call of an op that is given functions; its brackets and operands are bound in the Env. */
Binding *apply_op_of_functions(Elab *, const Syntax *at, const Syntax *op, Env);
Binding *apply_told(Elab *, const Syntax *at, const FunctionValue *, uint32_t n, const Given *);

/* elab_builtin.c */
Binding *apply_builtin(Elab *, const Syntax *at, const FunctionValue *, uint32_t n, const Given *);

/* elab_index.c, elab_update.c */
Binding *elab_index(Elab *, Env, const Syntax *, Binding *base);
Binding *elab_with(Elab *, Env, const Syntax *);
typedef enum SubKind { SUB_ALL, SUB_SLICE, SUB_SCALAR, SUB_ARRAY, SUB_NEW } SubKind;
enum { SUB_PARTS = 2 };
typedef struct SubPart { const Size *start, *length; } SubPart;
typedef struct Sub {
	SubKind kind;
	uint32_t axis;               /* of the base */
	const Syntax *syntax;
	Node *index;                 /* SCALAR, ARRAY */
	const Size *start, *length;  /* SLICE */
	int64_t step;
	/* SLICE: of the axis the first of these is taken, of that the next, then the slice */
	uint32_t nparts;
	SubPart part[SUB_PARTS];
} Sub;
/* elab_mask.c: of bools, the places where they hold; x[m] for an m of several axes */
Node *mask_index(Elab *, const Syntax *at, Node *base, uint32_t axis, Node *mask);
bool is_mask_of_axes(Elab *, Env, const Syntax *subscripts);
Node *take_mask(Elab *, const Syntax *at, Node *x, Node *mask);
/* The subscripts of an array, one a base axis and the new axes between; UINT32_MAX after an error. */
uint32_t read_subs(Elab *, Env, const Syntax *subscripts, Node *base, const char *hint, Sub *out);
Node *take_slices(Elab *, Node *, uint32_t n, const Sub *);
/* Where the index arrays stand when the scalars have gone; false with an error: they stand apart. */
bool array_group(Elab *, const Syntax *, uint32_t n, const Sub *, uint32_t *first, uint32_t *count);
/* The index arrays as one index over their axes, which become one axis of x: i*n1 + j.  Each is looked up in
 * the iota of its axis, which finds what lies outside. */
Node *flat_index(Elab *, Node **x, uint32_t n, const Sub *, uint32_t first, uint32_t count);
enum { SUB_MAX = 2*RANK_MAX };

/* elab_asked.c */
bool asked_open(Graph *, Asked *, uint32_t n, const Declared *);        /* are there any? */
bool asked_again(Graph *, Asked *);                     /* is one more attempt to be made? */
void asked_leaf(Elab *, const Declared *, Node *leaf);  /* of this attempt */
/* A leaf of a call for what is given there; a leaf of a loop or an array for what its numbers come from. */
void stands_for(Elab *, Node *leaf, Node *actual);
void comes_from(Elab *, Node *leaf, Node *actual);
void ask_integers(Elab *, Node *);                      /* before the error that it is a float */

/* elab_scan.c */
Binding *elab_scan(Elab *, Env, const Syntax *);

/* elab_formula.c */
Binding *elab_formula(Elab *, Env, const Syntax *);

/* elab_derivative.c */
Binding *apply_derivative(Elab *, const Syntax *at, const char *name, const FunctionValue *, uint32_t n,
                          const Given *);

#endif
