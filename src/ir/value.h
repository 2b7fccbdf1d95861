/* value.h - arrays as they lie in memory, and what takes them: messages, effects, operators of the user's; a
 * part of ir.h.
 */
#ifndef POR_IR_VALUE_H
#define POR_IR_VALUE_H

/* ---- values in memory --------------------------------------------------------------------------------- */

typedef struct Value {               /* an array (compact, row order), or a tuple */
	const Type *type;            /* may still hold symbols: dims below are the numbers */
	Dtype dtype;
	uint32_t rank;
	int64_t dim[RANK_MAX];
	int64_t count;               /* product of dims */
	/* quad mode: __float128 per real element (two per complex); integers, bools and keys as in their
	 * dtype */
	void *data;
	uint32_t n; struct Value *elem; /* tuple */
	bool too_large;              /* a whole number that wrapped: past 64 bits, it is no size */
} Value;

/* ---- line.c: values in messages ---------------------------------------------------------------------- */

typedef struct Line { char s[600]; size_t n; } Line;     /* of fixed room, cut where it is full */
void line_printf(Line *, const char *format, ...) PRINTF_LIKE(2, 3);
void line_element(Line *, const Value *, int64_t i);
void line_value(Line *, const Value *);                  /* the first few of many elements */
void line_place(Line *, const Value *, int64_t i);       /* where element i is: [2, 0]; nothing of a scalar */
void line_passes(Line *, uint32_t n, const int64_t *);   /* "; in pass 3, 0" */
/* Element i is neither NaN nor infinite; is no NaN.  Other dtypes have numbers alone. */
bool value_is_finite(const Value *, int64_t i);
bool value_is_number(const Value *, int64_t i);

/* ---- effect.c, effect_pass.c, pure.c: what happens besides the values --------------------------------- */

/* Effects are ordered by their tokens: each takes that of the one before it and gives the next.  A loop
 * carries the token of its body, a branch gives that of the side taken, and a function whose last result is a
 * token keeps all of them alive. */
typedef enum EffectKind { EFFECT_PRINT, EFFECT_ASSERT, EFFECT_CHECK } EffectKind;
enum { EFFECT_VALUES = 32 }; /* at most */
/* Of an ORDER node, or of a plan's step: of an assertion the first value is its condition. */
typedef struct Effect {
	EffectKind kind;
	uint32_t npass, nvalue;
	const char *const *name;     /* by value: "" where there is none */
	const char *text;            /* of what is asserted or checked */
	Where where;
} Effect;
/* Who hears of effects: all that is printed, and assertions and checks that do not hold.  Not 0: the call
 * ends. */
typedef struct EffectSink {
	int (*hear)(void *user, const Effect *, const int64_t *pass, const Value *);
	void *user;
} EffectSink;

bool is_token(const Node *);
bool is_effect(const Node *);        /* takes a token, or gives one */
Node *token(Graph *);                /* before all effects */
/* The token after that; passes: the indices of the loops around it, from the outermost. */
Node *effect(Graph *, const Effect *, Node *before, Node *const *passes, Node *const *values);
void effect_read(Arena *, const Node *order, Effect *out);
/* What a message calls that value; of what is checked the text, where that is a name. */
const char *effect_name(const Effect *, uint32_t value);
/* It happens; false with an error where what is asserted or checked does not hold. */
bool effect_happens(
	const Effect *, const EffectSink *, const int64_t *pass, const Value *, Error *);
/* The effects, by id, that lead to the tokens among these results. */
void effects_before(Arena *, Nodes results, IdMap *out);
/* The leaf of the token that the effects before this one began with; a TOKEN: none. */
const Node *effects_begin(const Node *token);
/* The same results of effects, in bodies too, that tell these passes before their own; false: an error. */
bool effects_tell(Graph *, Nodes results, Nodes pass, Node **out);
/* The same values of nodes that have no effects, to be computed anew wherever that is wanted. */
bool without_effects(Graph *, Nodes roots, Node **out);
/* over nodes whose sizes are given: what these count by stays as it is */
bool without_effects_over(Graph *, Nodes given, Nodes roots, Node **out);

/* ---- custom.c: operators of the user's ------------------------------------------------------------- */

enum { CUSTOM_ELEMENTWISE = 1, CUSTOM_ONE_THREAD = 2 /* at a time */, CUSTOM_NOT_PURE = 4 };

/* An operator of the user's: what a CUSTOM node's first attribute points at.
 * The types of its results follow there: for each its dtype, rank and sizes. */
typedef struct Custom {
	const struct Custom *next;
	const char *name;            /* of the `op` whose meaning it is */
	unsigned flags;              /* CUSTOM_... */
	const char *c_text;
	/* Compact arrays: dtype, rank, dim, count and data are set.  0: done. */
	int (*call)(const struct Custom *, uint32_t nin, const Value *in, uint32_t nout, Value *out);
	void (*kernel)(void);        /* the user's, for `call` */
	void *user;
} Custom;

Node *custom(Graph *, const Custom *, uint32_t nresult, const Type *const *result, uint32_t n,
	Node *const *args);
const Custom *custom_named(const Graph *, const char *name);    /* NULL: there is none */
const Type *custom_type(Graph *, const Attr *);

#endif
