/* accuracy.h - the parts of check_math: ours, the references, the inputs, the record of what was found. */
#ifndef ACCURACY_H
#define ACCURACY_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef __float128 Quad;

enum { RISES_F32 = 1, RISES = 3, ODD = 4, EVEN = 8, FALLS_F32 = 16 };
enum { CHUNK = 4096, PRECISION = 200, LANES = 3 };

/* A function as it is compiled once for each instruction set: n results of vectors.  y is unused by functions of
 * one operand. */
typedef struct Ours {
	void (*f32)(const float *x, const float *y, float *out, int n);
	void (*f64)(const double *x, const double *y, double *out, int n);
} Ours;

extern const Ours ours_0[], ours_1[], ours_2[];
const Ours *ours_of(int isa);          /* NULL where this machine lacks it */
const Ours *ours_best(void);

typedef struct Function {
	const char *name;
	int args;
	double from, to, from2, to2;
	double bound_f32, bound_f64;
	double left, right;                    /* an ulp is at least that of these, for x below 0 and not */
	int shape;
	Quad (*wide1)(Quad), (*wide2)(Quad, Quad);
	void (*exact1)(mpfr_t, mpfr_t), (*exact2)(mpfr_t, mpfr_t, mpfr_t);
} Function;

extern const Function functions[];
extern const int function_count;

/* of f32 results; see judge.c */
typedef struct Judge {
	void (*errors)(const Function *f, const double *x, const double *want, const float *got, double *error, int n);
	uint64_t (*falls)(const float *x, const float *y, int n);
	uint64_t (*unlike)(const float *y, const float *z, bool odd, int n);
} Judge;

/* what is compiled once for each instruction set */
extern const Judge judge_0, judge_1, judge_2;
const Judge *judge_best(void);

/* The largest errors of what is quicker than MPFR, relative and (of functions with a floor) absolute; outside they decide
 * nothing.  Quick for f32 is our own function of f64, far nearer than f32 shows; that is checked in its turn. */
#define NEAR_RELATIVE 0x1p-42
#define NEAR_ABSOLUTE 0x1p-46
#define WIDE_RELATIVE 0x1p-94
#define WIDE_ABSOLUTE 0x1p-102

/* ---- what was found of one function in one dtype ---- */

typedef struct Row {
	char name[24];
	bool f64;
	uint64_t step, total, next;        /* inputs step*i for i < total; those below next are done; step 0: of a hunt */
	uint64_t mark;                     /* of the function's source */
	uint64_t wrong, settled;           /* not correctly rounded; settled by MPFR */
	uint64_t bent;                     /* inputs where the shape is broken */
	double worst, at[2];
} Row;

/* ---- one result (settle.c) ---- */

#define BROKEN 1e9                           /* an error that says: NaN for a number, or 2: a reference breaks its bound */

typedef struct Tools { mpfr_t x, y, z, d; } Tools;
typedef struct Found { double worst, at[2]; uint64_t wrong, settled, bent; } Found;

void count(Found *r, double e, bool right, double x, double y);

/* one result that the quick reference leaves in doubt, or that is asked after whatever it says */
void settle_f32(Found *r, Tools *t, const Function *f, float x, float y, float got, double want);

/* any result; direct: by MPFR whatever the others say */
void settle_f64(Found *r, Tools *t, const Function *f, double x, double y, double got, bool direct);

/* checks the inputs from row->next on, at most `count` of them, over all threads */
void row_advance(Row *row, const Function *f, uint64_t count, int threads);

/* Looks for larger errors where the largest are, among about row->total inputs; false: no memory.  Of functions whose
 * inputs are samples; see hunt.c. */
bool row_hunt(Row *row, const Function *f, int threads);
static inline bool is_sampled(const Function *f, bool f64) { return f64 || f->args == 2; }

/* a hash of the text of the function and of all that it uses, and of how it is checked: another text has to be checked
 * again */
uint64_t source_mark(const Function *f, bool f64, bool hunt);

/* how often a function of f32 rises from one to the next of all numbers, or of every step-th (falls.c) */
uint64_t climbs(const Function *f, uint64_t step);

/* our results are the same wherever they stand in a vector, on every instruction set; says which are not */
bool places_kept(const Function *f);

/* ---- the record ---- */
bool record_read(const char *path, Row *row);      /* finds the row of this name, dtype, step, total and mark */
bool record_write(const char *path, const Row *row);
void row_join(Row *row, const Row *hunt);           /* the larger error of both */
bool record_page(const char *path, const char *record);    /* once the record has all functions */

/* ---- what MPFR has by several calls (exact.c) ---- */
#define RN MPFR_RNDN
void exact_log1mexp(mpfr_t, mpfr_t), exact_sigmoid(mpfr_t, mpfr_t), exact_logsigmoid(mpfr_t, mpfr_t),
	exact_softplus(mpfr_t, mpfr_t), exact_silu(mpfr_t, mpfr_t), exact_logit(mpfr_t, mpfr_t),
	exact_rsqrt(mpfr_t, mpfr_t), exact_sinc(mpfr_t, mpfr_t), exact_ndtr(mpfr_t, mpfr_t), exact_gelu(mpfr_t,
	mpfr_t), exact_gelu_tanh(mpfr_t, mpfr_t), exact_lgamma(mpfr_t, mpfr_t);
void exact_logaddexp(mpfr_t, mpfr_t, mpfr_t), exact_xlogy(mpfr_t, mpfr_t, mpfr_t), exact_lbeta(mpfr_t,
	mpfr_t, mpfr_t);

/* ---- series that MPFR lacks (series.c): results good to about PRECISION bits ---- */
void series_trigamma(mpfr_t out, mpfr_t x);
void series_digamma(mpfr_t out, mpfr_t x);
void series_erfinv(mpfr_t out, mpfr_t x);
void series_erfcx(mpfr_t out, mpfr_t x);
void series_log_ndtr(mpfr_t out, mpfr_t x);
void series_bessel(mpfr_t out, mpfr_t x, int order);
void series_end(void);                       /* frees what this thread keeps */

#endif
