/* measure.h - what the files of `improve` share: points, true values, measured errors. */
#ifndef POR_MEASURE_H
#define POR_MEASURE_H

#include "egraph.h"
#include "../oracle/oracle.h"
#include "../oracle/quad.h"

enum { OPERANDS = 5, POINTS = 512, FEW_POINTS = 16 };

/* ---- points.c ---------------------------------------------------------------------------------- */

/* Values of the inputs: uniform over the numbers that there are, so that all magnitudes are alike. */
typedef struct Points {
	uint32_t n, nvar;
	Node **var; /* the inputs */
	double **x; /* [input][point] */
} Points;

/* n of them; near: of everyday size, if there are such.  False: the condition holds at none tried. */
bool points_take(Graph *, Arena *, const ImproveTask *, uint32_t n, bool near, Points *);
int64_t number_place(double); /* among all numbers, in order */
double number_at(int64_t place);
/* log2 of how many numbers lie between; 64 where it is none and should be one */
double bits_between(double x, double truth);

/* ---- numbers.c: one operator at all points ----------------------------------------------------- */

bool is_computed(const Node *); /* an operator of f64 numbers and truths that can be computed in f64 */
bool is_measured(const Node *); /* ... and in binary128 */
/* In f64; in binary128, with how far the true value may lie off. */
void compute_own(Graph *, Arena *, const Node *, uint32_t n, const double *const *arg, double *out);
typedef struct Near {
	Quad *value, *off; /* off infinite: it is not known; NaN: it is no number */
} Near;
void compute_near(Graph *, Arena *, const Node *, uint32_t n, const Near *arg, Near out);

/* ---- truth.c: what each class is --------------------------------------------------------------- */

typedef struct Truths {
	Egraph *e;
	uint32_t n;        /* points */
	Near *of;          /* by class */
	uint32_t *version; /* how often it has become nearer */
} Truths;
/* Of the members the one that loses least is believed, at each point.  leaf: the values of inputs. */
void truths_find(Truths *, Arena *, Egraph *, const Points *);
/* The classes' values at a few points, while they grow: of the first member by which they are known. */
typedef struct ClassValues {
	Egraph *e;
	Worth worth;
	Points points;
	Near *of; /* by class */
	uint32_t nclass;
} ClassValues;
void values_open(ClassValues *, Egraph *, const Points *);
/* Of the root what was written decides where it is known; where members contradict one another by more than
 * they may be off, nothing is known.  undefined: where it is no real number; what rules make of it may be one
 * there, and means nothing. */
void truths_written(Truths *, Arena *, const Points *, uint32_t root, Node *written, bool *undefined);
bool truth_known(Quad value, Quad off); /* to the last bit or so of f64 */

/* What an operator more has to save, in bits of the mean. */
static const double operator_price = 0.03;

/* ---- forms.c: what computes each class best ---------------------------------------------------- */

typedef struct Computed {
	Node *node;
	double *value; /* at the points */
	float *bits;   /* of error */
	double mean;
	uint32_t size;
} Computed;
/* The forms of the root with the least error, in the mean or at some points; judged: at which. */
typedef struct Sought {
	const Truths *truth;
	const Points *points;
	const bool *judged;
	uint32_t root;
} Sought;
uint32_t forms_best(Graph *, Arena *, const Sought *, Computed **out);

/* ---- series.c ---------------------------------------------------------------------------------- */

/* What the root is nearly about 0 and far away, by its true values there; how many. */
enum { SERIES = 4 };
uint32_t series_forms(Graph *, Arena *, Egraph *, const Points *, uint32_t root, Node **out);

/* ---- regimes.c --------------------------------------------------------------------------------- */

enum { PIECES = 4 };
/* One form below each threshold of a variable (or of its magnitude), the last one above all. */
typedef struct Regimes {
	Node *by;
	uint32_t n; /* pieces */
	uint32_t form[PIECES];
	double below[PIECES]; /* n - 1 of them */
	bool with[PIECES];    /* and that threshold itself: 0 */
	double mean;          /* bits of error, and the price of pieces */
} Regimes;
Regimes regimes_of(Graph *, Arena *, const Points *, uint32_t nform, const Computed *);
Node *regimes_node(Graph *, const Regimes *, const Computed *);

#endif
