/* functions.h - what is checked: a line for each function of src/math that rounds.
 *
 * ONE(name, wide, from, to, f32, f64, floor, shape)
 *   wide        Q: binary128 has a reference, quad_NAME of wide.c;  N: it has none, MPFR alone is asked
 *   from, to    the interval that is sampled densely in f64
 *   f32, f64    the largest error promised, in ulp of the true result, or of `floor` where that is larger
 *   shape       what holds exactly of its results: RISES, ODD, EVEN
 * TWO(name, wide, from, to, from2, to2, f32, f64, floor) likewise, of two operands.
 * Every function has near_NAME in near.c (double) and exact_NAME in exact.c (MPFR).
 */
ONE(exp,      Q, -746, 710,   1,     1,     0,      RISES)
ONE(exp2,     Q, -1076, 1025, 1,     1,     0,      RISES)
ONE(expm1,    Q, -40, 710,    2,     2,     0,      RISES)
ONE(log,      Q, 0, 10,       2,     2,     0,      RISES)
ONE(log2,     Q, 0, 10,       1,     1,     0,      RISES)
ONE(log10,    Q, 0, 10,       1,     1,     0,      RISES)
ONE(log1p,    Q, -1, 10,      2,     2,     0,      RISES)
ONE(log1mexp, Q, 0, 4,        3,     3,     0,      RISES)
ONE(sigmoid,  Q, -746, 40,    3,     3,     0,      RISES)
ONE(softplus, Q, -746, 40,    3,     3,     0,      RISES)
ONE(logit,    Q, 0, 1,        3,     3,     0,      RISES)
ONE(sqrt,     Q, 0, 10,       0.5,   0.5,   0,      RISES)
ONE(cbrt,     Q, -10, 10,     1,     1,     0,      RISES | ODD)
ONE(sin,      Q, -1e6, 1e6,   2,     2,     0,      ODD)
ONE(cos,      Q, -1e6, 1e6,   2,     2,     0,      EVEN)
ONE(tan,      Q, -1e6, 1e6,   2,     2,     0,      ODD)
ONE(asin,     Q, -1, 1,       2,     2,     0,      RISES | ODD)
ONE(acos,     Q, -1, 1,       2,     2,     0,      0)
ONE(atan,     Q, -5, 5,       2,     2,     0,      RISES | ODD)
ONE(sinh,     Q, -711, 711,   2,     2,     0,      RISES | ODD)
ONE(cosh,     Q, -711, 711,   2,     2,     0,      EVEN)
ONE(tanh,     Q, -20, 20,     2,     2,     0,      RISES | ODD)
ONE(asinh,    Q, -9, 9,       3,     3,     0,      RISES | ODD)
ONE(acosh,    Q, 1, 9,        3,     3,     0,      RISES)
ONE(atanh,    Q, -1, 1,       3,     3,     0,      RISES | ODD)
ONE(erf,      Q, -6, 6,       2,     2,     0,      RISES | ODD)
ONE(erfc,     Q, -6, 27,      4,     4,     0,      0)
ONE(erfinv,   N, -1, 1,       4,     4,     0,      RISES | ODD)
ONE(gamma,    Q, -30, 172,    6,     6,     0,      0)
ONE(lgamma,   Q, -30, 100,    6,     6,     4,      0)
ONE(digamma,  N, -30, 100,    6,     6,     8,      0)
TWO(pow,       Q, 0, 4, -50, 50,  1, 1, 0)
TWO(atan2,     Q, -2, 2, -2, 2,   2, 2, 0)
TWO(hypot,     Q, -9, 9, -9, 9,   1, 1, 0)
TWO(logaddexp, Q, -9, 9, -9, 9,   3, 3, 1)
