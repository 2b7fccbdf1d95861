/* rules.h - rules taken apart: what the files of this room share, and what the proving of rules needs. */
#ifndef POR_RULES_H
#define POR_RULES_H

#include <math.h>
#include "rewrite.h"

enum { KEY_TERMS = 64, SUM_VISITS = 3 * KEY_TERMS, FUEL = 64 };

/* ---- patterns ------------------------------------------------------------------- */

typedef enum PatternKind {
	P_VARIABLE, /* var: a value, tangent, cotangent or local */
	P_RUN, /* ..x among operands */
	P_LITERAL, /* value */
	P_OPERATOR, /* op, attr, operands */
	P_SUM, /* left sides: terms with signs, any order */
	P_PRODUCT, /* left sides: factors, any order */
	P_CHAIN, /* left sides: operands of max, and or another that may be grouped at will, any order */
	P_MATMUL, /* A @ B */
	P_TURN, /* A.T */
	P_INDEX, /* x[i], i a scalar */
	P_LIBRARY, /* an op of the library: name, attr, operands */
	P_HELPER, /* right sides: a function of helper.c */
	P_TUPLE,
	P_LET /* arg[0] is bound to the locals var, var + 1, ... (locals many), arg[1] is the body */
} PatternKind;

typedef enum AttrKindOf { AT_NONE, AT_VARIABLE, AT_LIST } AttrKindOf;

typedef struct AttrExpr AttrExpr;
struct AttrExpr {
	char sign;
	int64_t value;
	uint32_t var;
	const AttrExpr *a, *b;
}; /* sign: 'n'umber, 'v'ariable, 'd'type, + - * */

typedef struct AttrPattern {
	AttrKindOf kind;
	uint32_t var;
	uint32_t n;
	bool keep; /* right sides: the folded axes stay, of size 1 */
	const AttrExpr **list;
} AttrPattern;

struct Pattern {
	PatternKind kind;
	Op op;
	uint32_t n, var, locals, helper;
	const char *name;
	double value;
	AttrPattern attr;
	int8_t *sign; /* SUM: +1 or -1 each */
	const Pattern **arg;
	bool is_integer, is_bool; /* a literal written as 2, or true */
	bool even; /* a variable in a square, or in cos: its sign is told elsewhere on the left side */
	bool cancels; /* a square that is taken from something, or something from it */
	Op tied; /* of a comparison whose equal operands are chosen alike: >= for >; OP_NONE: none */
	uint32_t divisions; /* a literal of a left side written as 1/3: how often it was rounded since */
};

/* What an attribute variable is bound to: the list as it prints; sizes of the axes where it is one of
 * axes. */
typedef struct AttrBinding {
	bool bound;
	const Attr *list;
	const Size *const *size;
} AttrBinding;

struct Match;
/* What matches modulo equations knows of nodes: which are equal to x (none: x alone), and which one stands
 * for them.  Every match is told, and none ends the search. */
typedef struct Equals {
	Nodes (*of)(void *user, const Node *x);
	Node *(*one)(void *user, Node *x);
	void (*found)(void *user, struct Match *);
	void *user;
} Equals;

typedef struct Match {
	Graph *g;
	Arena *scratch;
	const Rule *rule;
	Node *node; /* the root */
	Node *value[RULE_VARIABLES]; /* values, cotangents, locals; a zero tangent is a node of OP_NONE */
	AttrBinding attr[RULE_VARIABLES];
	struct {
		Node **node;
		uint32_t n;
	} run[RULE_VARIABLES];
	/* What was bound, in this order: how a choice is taken back. */
	uint32_t nbound;
	struct {
		uint8_t kind, var;
	} bound[4 * RULE_VARIABLES];
	uint32_t which; /* transposition: the operand asked for */
	bool shared[RULE_VARIABLES]; /* batching: the same in all lanes */
	struct Facts *facts;
	Node *whole; /* of a sum or product that matched in part: right side goes here */
	uint8_t *used; /* its terms that the left side took; of a ratio its factors */
	Node *ratio; /* of factors, of which some matched */
	double scale; /* of factors: by this the right side is more, or with scale_below less */
	bool scale_below;
	uint32_t upper;
	int logarithm; /* of `upper` alone: 1, or -1 below a line; that of the others stands beside it */
	uint32_t steps; /* bound on the search */
	bool part; /* within a search for one term: no guard yet */
	bool apart; /* constants of the right side stay apart: a check computes them in binary128 */
	const Equals *equal; /* NULL: every node is itself */
} Match;

/* pattern.c */
uint32_t stands_in(const Pattern *, uint32_t var); /* how often (match.c) */
Rule *rule_compile(Graph *, Arena *, const Syntax *rule, const Book *, Error *);
const Pattern *pattern_left(Graph *, Arena *, Rule *, const Syntax *);
bool rules_of_flags(Graph *); /* flags.c: those that follow from ops.h */
bool rules_of_neighbours(Graph *); /* flags_about.c: f(x) - f(y), behind all books */
bool rules_about_0(Graph *); /* flags_about.c: what it says of functions about 0, and ops of the library */
/* operands.c: an op's operands as the graph has them */
uint32_t op_leaves(const Syntax *op);
const Syntax *op_leaf_type(const Syntax *op, uint32_t leaf); /* NULL: any */
/* NULL: they do not fit */
const Syntax **op_operands(Arena *, Graph *, const Syntax *op, const Syntax *call, uint32_t *n);
const char *op_parameters(Arena *, const Syntax *op);
/* match.c: nothing but where it works; what is bound, match_rule clears of the rule's variables */
void match_open(Match *, Graph *, Arena *scratch, struct Facts *);
/* bind the rule's variables at x.  Guards are part of the search. */
bool match_rule(Match *, const Rule *, Node *x);
bool rule_splits_logarithms(const Rule *); /* is it found in the logarithm of a product? */
/* match_may.c: of a sum of two terms, what both of them must have; a term, and what it has of that as bits */
typedef struct TermFactors {
	const Node *x;
	uint64_t bits;
	uint64_t rest; /* of all factors that are no constants */
} TermFactors;
uint8_t rule_shares_factors(const Rule *);
/* Is it found at an operator alone, and does a variable of it stand twice? */
bool rule_repeats(const Rule *);
TermFactors factors_of_term(const Node *);
/* For each way in which a rule may ask: may one of the first terms share factors with another?  As bits. */
unsigned factors_may_meet(uint32_t n, const TermFactors *, uint32_t first);
bool rule_has_factors(const Rule *); /* is it found among the factors of a product or quotient? */
const Attr *shown_attr(Graph *, const Node *); /* the brackets, as they are printed */
/* the literal, rounded to the node's dtype? */
bool literal_equals(const Node *, double value, double literal);
/* 0.5 where 2 is looked for below a line, 0.7071067811865476 for 1.4142135623730951: the inverse, rounded */
bool literal_is_inverse(Dtype, double value, double literal);
bool literal_value(const Node *, double *); /* of a uniform constant: what a literal is compared with */
Node *negated(Graph *, Node *x); /* y with x = -y, if x is written with a minus; else NULL */
/* The labels of a contraction's axes: of its left operand, its right one, its result (helper.c). */
typedef struct Labels {
	int64_t l[3][RANK_MAX];
	uint32_t n[3];
} Labels;
Labels labels_of(const Attr *);
void labels_drop(Labels *, uint32_t side, uint32_t at);
static inline Node *contract_as(Graph *g, const Labels *s, Node *x, Node *y)
{
	return contract(g, (Labelled){x, s->l[0]}, (Labelled){y, s->l[1]}, s->n[2], s->l[2]);
}
/* terms.c: sums and products as lists of terms */
typedef struct SumTerm {
	Node *x;
	int sign;
} SumTerm;
typedef struct Terms {
	uint32_t n;
	SumTerm term[KEY_TERMS];
	bool negative;
	uint32_t visits; /* of a whole sum: nodes that were looked at */
} Terms;
bool terms_of_sum(Node *x, Terms *, uint32_t most);
bool terms_of_product(Node *x, Terms *, uint32_t most);
uint32_t terms_of_first(const Node *sum, const Terms *); /* how many are those of its first operand */
bool is_one_twice(uint32_t n, Node *const *x); /* NULL may be one */
bool terms_of_chain(Node *x, Terms *, uint32_t most); /* of an operator that is_chained */
/* May operands of the operator be grouped and ordered at will?  Those of + and * are terms and factors. */
static inline bool is_chained(Op op)
{
	return (op_info[op].flags & (COMM | ASSOC)) == (COMM | ASSOC) && op != OP_ADD && op != OP_MUL;
}
/* Are chosen terms taken out of a difference, as a and c of (a - b) - c?  A b close to a is lost in a - c. */
bool difference_is_torn(const Node *x, const Terms *, const bool *chosen);
/* The tree of x with term i replaced by with[i] (NULL: dropped); NULL when all are. */
Node *terms_rebuild(Graph *, Node *x, bool product, Node *const *with); /* product: or a chain */
bool terms_of_whole(const Match *, Terms *); /* of what matched in part */
/* Of a sum or product that matched in part: y where the first term that matched stood; the others go. */
Node *terms_around(Graph *, const Match *, Node *y);
typedef struct Facts Facts; /* facts.c: what is known of nodes */
/* ratios.c: a product or quotient as its factors */
typedef struct Ratios {
	uint32_t n;
	struct {
		Node *x;
		bool below;
	} factor[KEY_TERMS];
} Ratios;
bool factors_of_ratio(Facts *, Node *x, Ratios *); /* false: there are too many, once and for all */
bool ratio_is_long(Facts *, const Node *x); /* is that known already? */
/* The tree of x with factor i replaced by with[i] (NULL: dropped); NULL when all are. */
Node *ratio_with(Graph *, Node *x, Node *const *with);
/* A product or quotient with one number less, where the one that is left is exact: 2*(x/(2*y)) is x/y */
Node *numbers_of_ratio(Graph *, Facts *, Node *x);
/* parts.c, by law `real`: of a sum of what is zero but for parts, a concatenation; or NULL */
Node *sum_of_parts(Graph *, Node *x, const IdMap *needs, struct Facts *);
Node *fewer_parts(Graph *, Node *concat); /* without empty ones, those of others; zeros as a pad */
/* zeros_times.c, by law `real`: of a product, quotient or negative; of a choice */
Node *zeros_times(Graph *, Node *x);
Node *choose_part(Graph *, Node *where);
bool is_part_of_zeros(const Node *); /* written into zeros, or padded with them? */
/* literal.c */
/* of constants, a constant, where `stable` misses nothing by it; or NULL */
Node *fold_literal(Graph *, const Node *x);
Node *exponent_as_number(Graph *, Node *x); /* x^(2*2) as x^4; NULL: it is one, or none */
bool number_fits(Dtype, double); /* not 0, not subnormal, not infinite */
bool is_wide(Dtype); /* its range ends far from everyday numbers: f16's does not */
bool is_narrow(const Node *);     /* of f16, or a comparison of such */
bool is_even_power(const Node *); /* x^4, x^6: squares of x^2, x^3 */
bool is_scaled_square(const Node *); /* 4*x^2 and x^2/4: of 2*x and x/2 */
bool is_moderate(Dtype, double); /* by such a factor a value may come nearer to the ends */
bool sum_keeps(Dtype, double, double); /* is neither lost in the sum? */
Node *plain_cast(Graph *, Node *x); /* casts.c: to the bit; NULL: it says something */
/* collect.c: NULL when there is nothing to do */
Node *collect(Graph *, Node *x, struct Facts *, unsigned laws); /* like terms, factors, minus signs */
Node *collect_whole(Graph *, Node *x); /* whole.c: numbers in chains of integers, of max and min */
Node *collect_numbers(Graph *, Node *x, struct Facts *); /* of a sum or product: those that were left apart */
/* b^e for some e is worth its while: an exponent of whole or half numbers that is not large */
static inline bool exponent_fits(double e)
{
	return 2 * e == floor(2 * e) && fabs(e) <= 64;
}
/* signs.c: where a minus stands; NULL: as it is */
uint32_t minus_signs(const Node *);        /* of a product and of what is above in its quotients */
Node *without_signs(Graph *, Node *);      /* it as it is grouped, without those */
Node *signs_of_product(Graph *, Node *);   /* (-x)*(-y)*(-z) as -(x*y*z) */
Node *minus_number(Graph *, Node *);       /* -(2*x), where a number is there to take the minus */
Node *sign_in_sum(Graph *, Node *);        /* x + (-y) */
Node *sign_below(Graph *, Node *);         /* x/(-y) */
Node *sign_of_power(Graph *, Node *);      /* (-x)^3 */
/* numbers.c: x as a number times *base, which is NULL of a number alone; and back, in the type of x */
double coefficient(Node *x, Node **base);
Node *times_number(Graph *, Node *x, double, Node *base);
Node *numbered(Graph *, Node *x, double *above, double *below); /* without them; NULL: there are none */
Node *sum_without_factor(Graph *, Node *x, Facts *, Node **by); /* 3*x - 3 as x - 1, by 3; or NULL */
Node *size_of_scaled(Graph *, Node *abs);
Node *size_of_quotient(Graph *, Node *x);
Node *collect_powers(Graph *, Node *x); /* factors.c: of a product */
Node *collect_quotient(Graph *, Node *x);
Node *collect_gaussian(Graph *, Node *x); /* of exp */
Node *cancel_factors(Graph *, Node *x, Facts *); /* cancel.c: of a product or quotient */
Node *drop_zeros(Graph *, Node *x, struct Facts *); /* zeros.c: of a sum */
bool exponents_cancel(struct Facts *, Node *x, Node *y, int sign); /* exponents.c: is x + sign*y zero? */
bool multiply_number(double *c, double by, int sign); /* or by 1/by; false: it would be rounded */
/* alike.c: a number times powers, x^(halves/2) or (x - less)^(halves/2) */
enum { ALIKE_POWERS = 12 };
typedef struct AlikePower {
	Node *x, *less;
	int halves;
} AlikePower;
typedef struct AlikeProduct {
	double c;
	uint64_t key; /* the same of equal powers; the sum of those of the powers */
	uint32_t n;
	bool cancels; /* a power and its inverse are nothing */
	AlikePower power[ALIKE_POWERS];
} AlikeProduct;
bool alike_product(Node *, AlikeProduct *); /* false: it is none, or a number alone */
bool alike_times(AlikeProduct *, Node *, int power); /* the product with one factor more; false: it is none */
uint64_t alike_key(Node *); /* 0: none */
double alike_ratio(const AlikeProduct *, const AlikeProduct *); /* of numbers; 0: they are not alike */
Node *take_parts(Graph *, Node *x, struct Facts *); /* taken.c: of a sum, (1 + a)*x - x as a*x; or NULL */
Node *with_equal_differences(Graph *, Node *x, struct Facts *); /* (a - b)/(b - a) as -((a - b)/(a - b)) */
/* 0: it cancels with nothing; of those that cancel both are equal, or one is unknown */
enum { KEY_UNKNOWN = 1 };
uint64_t exponents_key(struct Facts *, Node *x);
Node *lift_expand(Graph *, Node *x); /* a map of expands is an expand of the map */
/* And the other way round, for views that choose elements; NULL: x is none of a map. */
Node *viewed_map(Graph *, const Node *x);
static inline bool is_seen_through(Op op)
{
	return op == OP_EXPAND || op == OP_RESHAPE || op == OP_TRANSPOSE || op == OP_SLICE || op == OP_FLIP;
}
bool same_but_ones(const Type *, const Type *); /* the same axes, but for those of size 1? */
Node *lift_reshape(Graph *, Node *x); /* the same of a reshape that adds or drops axes of size 1 */
Node *lift_turned(Graph *, Node *x); /* a map of transposes, or of flips, is one of the map */
Op mirrored(Op); /* x < y is y > x: the other of the two; OP_NONE: no order */
/* of a commutative operator; met: those whose operands have no order but that in which they were met */
Node *order_operands(Graph *, Table *met, Node *x);
Node *tidy_contraction(Graph *, Node *x); /* transposes, numbers, A @ B where it is one */
/* moves.c: an index, a slice, a sum or a choice where it costs less.  needs: which nodes of a region have
 * one user, and which are needed whole. */
typedef struct Moves {
	const IdMap *needs;
	struct Facts *facts;
	unsigned laws;
	bool last; /* no derivative follows */
	uint32_t newest; /* node there was when needs were told */
	bool *again; /* out: with needs told anew more may move */
} Moves;
void needs_of(Graph *, IdMap *needs, const Region *, uint32_t n, Node *const *roots);
void needs_move(IdMap *needs, const Node *from, const Node *to); /* `to` stands for `from` now */
bool needed_twice(const IdMap *needs, const Node *);    /* and that is kept in mind */
/* Is one needed once now that was in the way? */
bool is_any_held(const IdMap *needs); /* was it in the way anywhere that two needed a node? */
bool frees_held(const IdMap *before, const IdMap *after, const Region *);
bool needed_whole(const IdMap *needs, const Node *);
Node *move_inwards(Graph *, Node *x, const Moves *);
Node *centre_products(Graph *, Node *sum); /* centred.c: a variance or covariance as it is defined; or NULL */
/* folds.c */
Node *fold_view(Graph *, Node *fold, const Moves *);
int64_t unfolded_axis(const Node *fold, int64_t axis); /* the operand's that is this one of the result */
/* without those that are gone; how many */
uint32_t renumber(int64_t *axes, uint32_t n, const int64_t *gone, uint32_t ngone);
/* indices.c */
Node *move_index(Graph *, Node *gather, const Moves *);
/* x[i] along the axis, also of a number everywhere */
Node *index_at(Graph *, Node *x, Node *i, int64_t axis);
/* is an index that must be checked checked by x[i]? */
bool checks_index(Graph *, const Node *x, Node *i, int64_t axis);
const Size *known_index(Graph *, Node *i); /* the number or size that it is; NULL: it is computed */
/* Indices one after the other: the first, how far they are apart, how many. */
typedef struct IndexRow {
	int64_t first, step;
	const Size *length;
} IndexRow;
bool row_of(Graph *, const Node *index, IndexRow *); /* of numbers, of iota and numbers */
/* cuts.c */
Node *move_cut(Graph *, Node *slice, const Moves *);
Node *join_slices(Graph *, Node *concat);
/* The axis along which elements meet, of an operator for which all others are lanes; -1: it is none.  The
 * same operator along another axis. */
int64_t axis_apart(Graph *, const Node *);
Node *apart_over(Graph *, const Node *, Node *operand, int64_t axis);
/* writes.c */
bool index_names_once(Graph *, const Node *index); /* do its elements name each place once? */
Node *read_written(Graph *, Node *gather);
Node *move_write(Graph *, Node *scatter, bool real);
/* a slice along the axis of the writes; NULL: it is not known which of them it reads */
Node *cut_written(Graph *, Node *slice);
/* chains.c: products grouped where it costs less; NULL when it does not */
Node *factor_sum(Graph *, Node *x, const IdMap *needs); /* a*x + a*y */
/* x[i].add(zeros with v at j) adds v alone. */
Node *write_at_both(Graph *, Node *write, const IdMap *needs);
Node *add_into(Graph *, Node *sum, const IdMap *needs); /* x + zeros[i].add(v), x - that */
Node *choose_written(Graph *, Node *where, const IdMap *needs); /* where(c, zeros[i].set(v), 0) */
Node *order_chain(Graph *, Node *x, const IdMap *needs); /* A @ B @ C */
bool is_product(const Node *); /* of two matrices? */
/* products.c: of a product of some arrays, by products of two */
Node *sum_by_pairs(Graph *, Node *sum, const IdMap *needs);
Node *contract_by_pairs(Graph *, Node *contraction, const IdMap *needs);
/* diagonal.c */
bool is_identity(const Node *);
Node *product_of_identity(Graph *, Node *product);
Node *pick_by_one_hot(Graph *, Node *sum, struct Facts *);
Node *rows_by_one_hot(Graph *, Node *product, struct Facts *);
Node *trace_of_product(Graph *, Node *sum);
Node *solve_diagonal(Graph *, Node *solve);
Node *move_diagonal(Graph *, Node *x, const Moves *); /* of the views that are a matrix's diagonal */
Node *pairs_of_product(Graph *, Node *gather, const Moves *);
/* search.c: with an equation that matched at x, does y cost less? */
bool costs_less(const Match *, const IdMap *needs, Node *y, Node *x);
/* The operations of a node alone, with the sizes of one of the trials. */
enum { SIZE_TRIALS = 3 };
double price_on_trial(const Node *, uint32_t trial);
bool is_square(const Node *); /* x^2 */
bool rule_is_users(Graph *, const Rule *); /* books.c */
bool books_are_trusted(Graph *); /* books.c: is what is read now Porism's own? */
bool book_is_for_search(const Book *); /* books.c: does what measures choose among what its rules give? */
/* books.c: in stage stable, early or late? */
bool rule_is_stable(const Rule *);
/* does it take no term out of a difference that stands beside other terms? */
bool rule_keeps_differences(const Rule *);
/* books.c: the equations of all books, in order */
const uint32_t *equations_of(Graph *, uint32_t *n);
/* right.c */
Node *instantiate(Match *, const Pattern *right, const Type *want);
bool is_zero(const Node *); /* a zero tangent */
Node *zero_tangent(Arena *, const Type *);
Node *solid(Graph *, Node *); /* a zero tangent as a constant */
/* helper.c */
uint32_t helper_named(const char *name); /* UINT32_MAX when there is none */
bool helper_is_for_all(const char *name, uint32_t n); /* y_like(x, y), which users' rules may call, too */
bool helper_gives_operand(uint32_t helper); /* its operand or nothing */
Node *helper_apply(Match *, const Pattern *helper, uint32_t n, Node **args);
/* facts.c */
typedef struct Range {
	double lo, hi;
	bool lo_open, hi_open, declared_open; /* open by rounding-free argument only, unless declared */
	bool nonzero, integer, finite, no_nan, constant;
} Range;
Facts *facts_open(Graph *, Arena *, uint32_t n, const LeafFact *);
const Range *range_of(Facts *, Node *);
/* zeros.c: what is known of a term of sums */
typedef struct TermFact {
	bool zero;
	uint64_t key; /* exponents_key() */
} TermFact;
bool term_is_zero(Facts *, const Node *); /* by its exponents */
const TermFact *term_fact(Facts *, Node *); /* asked once of a node */
bool sum_is_short(Facts *, Node *); /* of at most KEY_TERMS terms?  The same */
/* Keys that were met before: as bits, so that most are compared with all of them at once. */
typedef struct KeysMet {
	uint64_t bits;
	bool any, unknown;
} KeysMet;
/* sums.c: a whole sum, which several ask for one after the other.  Of a sum that is another and one term more
 * what is known of the other's terms is known already. */
enum { SUM_ROOM = 3 * KEY_TERMS }; /* for terms before those that were listed, and behind them */
typedef struct SumSpan {
	uint32_t begin, end;
} SumSpan;
/* A part of a pattern: which terms were asked whether they may be it, and whether one of them may, of those
 * with a plus and of those with a minus. */
enum { PARTS_ASKED = 24 };
typedef struct PartAsked {
	const Pattern *part;
	SumSpan of;
	bool may[2];
} PartAsked;
typedef struct SumList {
	Node *of; /* NULL: there is none */
	Node *rest; /* the operand that was listed before the other one's terms came; NULL: there is none */
	uint32_t more; /* how many came to those of `rest` */
	uint32_t first; /* how many terms are those of its first operand */
	uint32_t visits, visits_rest; /* nodes that terms_of_sum looks at: in all, and in `rest` */
	SumSpan all, coefs, factored, keyed; /* which terms there are; of which what follows is known */
	SumTerm term[SUM_ROOM];
	double c[SUM_ROOM]; /* a term is c times base, with its sign; NULL: it is a number */
	Node *base[SUM_ROOM];
	uint64_t bases[4]; /* those of all, as bits */
	uint64_t alike[SUM_ROOM]; /* alike_key() */
	bool joins; /* two of them are equal or alike, or one is a ratio of equals */
	TermFactors factors[SUM_ROOM];
	unsigned meet; /* factors_may_meet(), where all are factored */
	uint64_t key[SUM_ROOM]; /* exponents_key() of terms of which none is zero and no two cancel */
	KeysMet met;
	uint32_t nasked; /* so many parts, of which the last ones are kept */
	PartAsked asked[PARTS_ASKED];
} SumList;
static inline uint32_t sum_count(const SumList *s)
{
	return s->all.end - s->all.begin;
}
/* The last ones that were asked for, a long one and a short one, and which sums are short. */
typedef struct SumLists {
	Arena *arena;
	SumList *last[2];
	IdMap length;
	struct ChainSeen {
		const Node *of; /* NULL: there is none */
		uint64_t ops[2]; /* of its terms and its own, as bits */
		bool views, twice; /* is a term a view?  are two of them one? */
	} chain; /* the last one that was asked for */
} SumLists;
SumLists *sum_lists(Facts *);    /* facts.c */
/* What a chain holds, as max(x, y, z); one that is too long holds anything. */
const struct ChainSeen *chain_seen(Facts *, Node *);
/* May a rule be found at x, as far as dtypes and the operators of a chain tell? */
bool match_may_be_at(Facts *, const Rule *, Node *x);
IdMap *long_ratios(Facts *);     /* facts.c: products of too many factors, each itself */
SumList *sum_list(Facts *, Node *); /* until another is asked for; NULL: it is not short */
bool sum_terms(Facts *, Node *, Terms *, uint32_t *first); /* a copy of its terms */
/* Those of each; and whether those of its first operand may meet others. */
const TermFactors *sum_factors(SumList *, unsigned *meet);
/* A term of which it is not known yet, which it is from now on; SUM_ROOM: there is none. */
uint32_t sum_unknown(const SumList *, SumSpan *known);
bool sum_may_join(SumList *); /* are there terms with one base? c and base of all are known then */
Range range_either(const Range *, const Range *); /* what is true of both */
bool off_zero(const Range *); /* as a real number it is not 0 */
/* carried.c: facts of the parameters of the body of a loop or branch, for out[nparam] of them; how many */
uint32_t body_facts(Graph *, Arena *, Facts *outer, Node *, const Body *, LeafFact *out);
/* captures.c: a SCAN with what it captures once, and without what its body does not use; NULL with an
 * error */
Node *distinct_captures(Graph *, Arena *, Node *scan);
/* a carried value that no step changes is captured; perhaps a tuple */
Node *without_still(Graph *, Arena *, Node *scan);
/* loops.c: the same results, of no loop, or of one that carries less; perhaps a tuple; the node itself */
Node *without_passes(Graph *, Arena *, Node *scan); /* of none or one */
Node *distinct_carries(Graph *, Arena *, Node *scan);
Node *pass_of_trace(Graph *, Node *gather, const Size *k, const Moves *); /* NULL: nothing to do */
/* passes.c, by law `real`: sums over passes of products behind the loop, as a tuple; products of what is
 * walked along with what no pass changes before it; the node itself where there are none */
Node *without_sums(Graph *, Arena *, Node *scan);
Node *with_products_before(Graph *, Arena *, Node *scan);
/* a product of a trace that the loop makes in each pass: a trace too, of a loop to be merged with it */
Node *product_of_passes(Graph *, Arena *, Node *product);
/* places.c, by law `real`: what is added to at fixed places alone is carried as numbers: a tuple; else x */
Node *without_places(Graph *, Arena *, Node *scan);
/* strides.c: sequences that are transposed are read where they lie, by kernels; x itself where none is */
Node *with_strides(Graph *, Arena *, Node *scan);
/* branches.c: an IF that is not taken both ways, or whose sides are equal or cheap, is none; perhaps a
 * tuple */
Node *simpler_branch(Graph *, Arena *, Node *branch);
Node *distinct_branch(Graph *, Arena *, Node *branch); /* what a side uses is captured, once; or x */
/* x + what a branch gives, whose sides write into zeros or give zeros: they write into x; or NULL */
Node *add_in_sides(Graph *, Arena *, Node *sum, const IdMap *needs);
/* guard.c: proved? */
bool guard_holds(Match *, const Pattern *guard, bool exact);
bool guard_compares(Op, double a, double b); /* of a comparison */
bool guard_number(Match *, const Pattern *, double *out); /* known from types and brackets? */
/* drive.c: y in the type of a root, or NULL */
Node *fit_type(Graph *, Node *y, const Type *want);
/* helpers shared */
bool attr_evaluate(const Match *, const AttrPattern *, Node *subject, const Attr **out);
const char *library_name_of_call(const Node *);
uint32_t own_args_of_control(const Node *);
static inline const char *library_name(const Node *x) /* of a CALL of an op; else NULL */
{
	return x->op == OP_CALL ? library_name_of_call(x) : NULL;
}
static inline uint32_t own_args(const Node *x) /* operands without those that only hold sizes */
{
	int n = op_info[x->op].args;
	if (op_info[x->op].class == CONTROL) return own_args_of_control(x);
	return n == VARIADIC || (uint32_t)n > x->narg ? x->narg : (uint32_t)n;
}

/* forest.c */
typedef struct Forest Forest;
const Forest *forest_make(Graph *, Arena *, const char *stage);
/* automaton.c */
typedef struct Automaton Automaton;
typedef struct StateRow StateRow; /* the state of a node */
Automaton *automaton_of(Graph *, const char *stage); /* books.c: remembered until a rule is added */
Automaton *automaton_make(Arena *, const Forest *);
const StateRow *automaton_leaf(Automaton *, const Node *);
const StateRow *automaton_step(Automaton *, const Node *, const StateRow *const *args);
/* Where the body of a function, rewritten so and with these facts, is remembered; function is NULL the first
 * time. */
typedef struct BodyWay {
	unsigned laws;
	bool last, whole;
	uint32_t nfact;
	const LeafFact *fact;
} BodyWay;
Closure *function_memo(Graph *, const char *stage, const Function *, const BodyWay *);
/* Rules that may match, in order; *own: how many come before those of algebra. */
const uint32_t *automaton_rules(Automaton *, const StateRow *, uint32_t *n, uint32_t *own);
/* books.c: the lines of a table whose left side is this operator, in order; those of ops of the library are
 * under CALL */
typedef enum TableKind { TABLE_DERIVATIVE, TABLE_TRANSPOSITION, TABLE_BATCHING, TABLE_COUNT } TableKind;
typedef struct LineOfTable {
	const Rule *rule;
	bool plain; /* a map of variables, which any such node is */
	struct LineOfTable *next;
} LineOfTable;
const LineOfTable *table_lines(Graph *, TableKind, Op);
/* All rules of a stage, in order. */
const uint32_t *stage_rules(Graph *, const char *stage, uint32_t *n);

#endif
