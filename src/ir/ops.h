/* ops.h - every operator, a line each, with all that is known of it.  An operator's number is its place here and is
 * permanent: append only.
 *
 * OP(NAME, name, text, args, class, dtype, flags, cost, forms, range, brackets, formula, notes)
 *   NAME    the enumerator is OP_NAME
 *   name    of its scalar functions in src/math, name_f64 and so on; in C the constructor is por_name
 *   text    how the notation writes it: a name, or an infix or prefix sign
 *   args    number of operands; VARIADIC: any; operands that only hold data-dependent sizes may follow (see ir.h)
 *   class   LEAF; MAP: elementwise, all operands of one shape; FOLD: attribute [axes]; CUMULATIVE: attribute [axis];
 *           VIEW; INDEX; CONTRACT; SOLVE; CONTROL; RANDOM
 *   dtype   rule for operands and result, by name; of a map it says which scalar functions there are:
 *           SAME    operands of one numeric dtype T, result T         (any number: integers, floats, complex)
 *           MODULUS like SAME, but the result of a complex T is real
 *           REAL    like SAME without complex                         (bool counts as a number nowhere)
 *           FLOAT   operands of one float or complex dtype, result T;  RFLOAT: real floats only
 *           INT     one integer dtype;  BITS: one integer dtype or bool
 *           BOOL    bools to bool;  TEST: one numeric dtype (or bool) to bool;  RTEST: the same without complex
 *           FTEST   one float dtype to bool;  SELECT: (bool, T, T) to T;  OWN: by a rule of its own in type.c
 *   flags   algebra: COMM commutative, ASSOC associative, IDEM x op x = x, of one operand f(f(x)) = f(x), LINEAR in all
 *           data operands together, BILINEAR in each operand, RATIO of the first one to the second, REFLEXIVE x op x is
 *           true; maps: ZERO 0 to 0, UNIT 1 to 0, POSITIVE what is above 0 to what is above 0, INCREASING, DECREASING,
 *           EVEN, ODD, TO_WHOLE to whole numbers, which stay, NO_NAN gives NaN of NaN alone, EXACT to what rounding does not touch;
 *           FAILS may fail, CHECKED fails for an index outside, EFFECT has an effect, WRITES gives the first operand with
 *           the third written to it, or joined with it, at the indices that the second holds
 *   cost    of one element, in machine instructions or so: from COST_DEAR on it is not computed twice
 *   forms   loops of the interpreter over one element where others are vectors: VV none, VS either of two operands,
 *           NEAR floats have a faster near_name for arguments that are not far (math.h), BY integers have by_name, which
 *           divides by a number that stays without a division (divide.h), REST both
 *   range   of results that are no NaN, whatever the operands: CC(lo, hi) with both ends, OO without, CO, OC; ANY: unknown
 *   brackets   what the attribute holds: a axis of the first operand, A axis of the result, s size, i whole number,
 *           d dtype, l label, f flag, n name, g function, c what C holds; of a letter or of several in parentheses,
 *           ? one or none, * any number, + one or more, . one for each axis of the first operand
 *   formula what one element (or the whole) is, for readers; docs/operators.md is made from it
 *   notes   edge cases
 */

/* ---- functions that undo one another ---- */
/* INVERSE(f, g, domain, tag): f(g(x)) is x in this domain, "" everywhere, and g(f(x)) is x for every x; ONE_WAY: that it
 * is not for every x.  The tag is that of the rules, if any. */
#ifdef INVERSE
INVERSE(EXP,     LOG,      "x >= 0",               "exponentials")
INVERSE(EXPM1,   LOG1P,    "x >= -1",              "exponentials")
INVERSE(EXP2,    LOG2,     "x >= 0",               "exponentials")
INVERSE(EXP10,   LOG10,    "x >= 0",               "exponentials")
INVERSE(SIGMOID, LOGIT,    "x >= 0 and x <= 1",    "exponentials")
INVERSE(SINH,    ASINH,    "",                     "trigonometry")
INVERSE(TANH,    ATANH,    "x > -1 and x < 1",     "trigonometry")
ONE_WAY(SIN,     ASIN,     "x >= -1 and x <= 1",   "trigonometry")
ONE_WAY(COS,     ACOS,     "x >= -1 and x <= 1",   "trigonometry")
ONE_WAY(TAN,     ATAN,     "",                     "trigonometry")
ONE_WAY(COSH,    ACOSH,    "x >= 1",               "trigonometry")
ONE_WAY(ERF,     ERFINV,   "x > -1 and x < 1",     "")
#endif

/* ---- numbers that change nothing, or leave nothing ---- */
/* NEUTRAL(op, number, its word, guard): x op number is x;  ABSORBING: it is the number.  To the bit. */
#ifdef NEUTRAL
NEUTRAL(MUL,         "1",     "one",   "")
NEUTRAL(ADD,         "0",     "zero_int", "integer(x)")
NEUTRAL(DIV,         "1",     "one",   "")
NEUTRAL(SUB,         "0",     "zero",  "")
NEUTRAL(POW,         "1",     "one",   "")
NEUTRAL(FLOORDIV,    "1",     "one",   "integer(x)")
NEUTRAL(BIT_AND,     "-1",    "all",   "integer(x)")
NEUTRAL(BIT_OR,      "0",     "zero",  "integer(x)")
NEUTRAL(BIT_XOR,     "0",     "zero",  "integer(x)")
NEUTRAL(SHIFT_LEFT,  "0",     "zero",  "")
NEUTRAL(SHIFT_RIGHT, "0",     "zero",  "")
NEUTRAL(AND,         "true",  "true",  "")
NEUTRAL(OR,          "false", "false", "")
ABSORBING(AND,       "false", "false", "")
ABSORBING(OR,        "true",  "true",  "")
ABSORBING(BIT_AND,   "0",     "zero",  "integer(x)")
ABSORBING(MUL,       "0",     "zero_int", "integer(x)")
#endif

/* ---- what undoes itself, to the bit ---- */
/* INVOLUTION(f, guard): f(f(x)) is x. */
#ifdef INVOLUTION
INVOLUTION(NEG,     "")
INVOLUTION(NOT,     "")
INVOLUTION(BIT_NOT, "")
INVOLUTION(CONJ,    "complex(x)")
#endif

/* ---- functions of -x ---- */
/* MIRRORED(f, tag): f(-x) is 1 - f(x).  The tag is that of the rules. */
#ifdef MIRRORED
MIRRORED(SIGMOID, "sigmoids")
MIRRORED(NDTR,    "special")
#endif

/* ---- logarithms of what is known ---- */
/* LOGARITHM(f, of, less, domain, late): exp(f(x)) is `of` in this domain and expm1(f(x)) `less`, each where it is no
 * operator's inverse; late: outside of the domain both are NaN after the last derivative. */
#ifdef LOGARITHM
LOGARITHM(LOG,      NULL,        "x - 1",    "x >= 0",  true)
LOGARITHM(LOG1P,    "1 + x",     NULL,       "x >= -1", true)
LOGARITHM(LOG1MEXP, "-expm1(-x)", "-exp(-x)", "x >= 0",  false)
LOGARITHM(SOFTPLUS, "1 + exp(x)", "exp(x)",   "",        false)
#endif

/* ---- what makes a product of a sum ---- */
/* EXPONENTIAL(f): f(x)*f(y) is f(x + y). */
#ifdef EXPONENTIAL
EXPONENTIAL(EXP)
EXPONENTIAL(EXP2)
EXPONENTIAL(EXP10)
#endif

/* ---- quotients ---- */
/* RATIO(f, g, h): f(x) is g(x)/h(x). */
#ifdef RATIO
RATIO(TAN,  SIN,  COS)
RATIO(TANH, SINH, COSH)
#endif

/* ---- functions about 0 ---- */
/* ABOUT_0(f, ops, power): the library has ops for what f(x) is there, by their names: OVER f_over is f(x)/x, whose
 * derivative is f_over_1, or with FALLS -f_over_1; OVER_LESS f_over_minus is that less 1; UNDER over_f is x/f(x),
 * UNDER_LESS over_f_minus that less 1; LESS f_minus is f(x) - x and f_bend that over x^power; MORE minus_f is x - f(x) and
 * minus_f_bend that over x^power; a power of 0: no such op. */
#ifdef ABOUT_0
ABOUT_0(SIN,   OVER | FALLS | OVER_LESS | UNDER | UNDER_LESS | MORE, 3)
ABOUT_0(TAN,   MORE,                                                 3)
ABOUT_0(ASIN,  LESS,                                                 0)
ABOUT_0(ATAN,  OVER | OVER_LESS | MORE,                              0)
ABOUT_0(SINH,  OVER | OVER_LESS | UNDER | LESS,                      3)
ABOUT_0(TANH,  OVER | OVER_LESS | UNDER | LESS,                      0)
ABOUT_0(ERF,   OVER | FALLS,                                         0)
ABOUT_0(EXPM1, OVER | OVER_LESS | UNDER | LESS,                      2)
ABOUT_0(LOG1P, OVER | OVER_LESS | LESS,                              2)
#endif

/* ---- leaves ---- */
OP(INPUT,      input,         "input",        0, LEAF,       OWN,     0,                                   0,  VV,   ANY,         "n",    "an input of an open graph: [name]", "same name and type: the same node")
OP(PARAM,      param,         "param",        0, LEAF,       OWN,     0,                                   0,  VV,   ANY,         "i",    "parameter i of a closed function: [i]", "")
OP(FRESH,      fresh,         "fresh",        0, LEAF,       OWN,     0,                                   0,  VV,   ANY,         "i",    "an open bound name: parameter or carried value of a body being built: [serial]", "never shared; gone when the function is closed")
OP(CONST,      const,         "const",        0, LEAF,       OWN,     0,                                   0,  VV,   ANY,         "c",    "a constant: uniform (one element for the whole shape) or data", "interned by its bits; NaN is the positive quiet one")
OP(SIZE,       size,          "size",         0, LEAF,       OWN,     0,                                   0,  VV,   ANY,         "s",    "the value of a symbolic size, an i64 scalar: [size]", "")
OP(IOTA,       iota,          "iota",         0, LEAF,       OWN,     NO_NAN,                              0,  VV,   CC(0, INF),  "s",    "i in [0, n): 0, 1, 2, ...: [n]", "i64; size 0 is empty")

/* ---- maps: arithmetic ---- */
OP(ADD,        add,           "+",            2, MAP, SAME,    COMM|ASSOC|LINEAR,                   1,  VS,   ANY,         "",     "x + y", "integers wrap")
OP(SUB,        sub,           "-",            2, MAP, SAME,    LINEAR,                              1,  VS,   ANY,         "",     "x - y", "integers wrap")
OP(MUL,        mul,           "*",            2, MAP, SAME,    COMM|ASSOC|BILINEAR|ZERO,            1,  VS,   ANY,         "",     "x*y", "integers wrap; complex by the plain formula")
OP(DIV,        div,           "/",            2, MAP, FLOAT,   RATIO|ZERO,                          6,  VS,   ANY,         "",     "x/y", "of integers: both converted to f64; complex quotients are scaled")
OP(FLOORDIV,   floordiv,      "//",           2, MAP, REAL,    EXACT,                               6,  BY,   ANY,         "",     "floor(x/y)", "integers: x//0 is 0; the quotient of the smallest integer and -1 wraps")
OP(MOD,        mod,           "%",            2, MAP, REAL,    EXACT,                               6,  REST, ANY,         "",     "x - y*floor(x/y)", "sign of y; integers: x%0 is x")
OP(POW,        pow,           "^",            2, MAP, SAME,    0,                                   20, NEAR, ANY,         "",     "x^y", "integers: a negative power truncates (0 except of 1 and -1); x^0 = 1, also of NaN; negative x with a fractional y is NaN")
OP(NEG,        neg,           "-",            1, MAP, SAME,    LINEAR|ZERO|ODD|EXACT,               1,  VV,   ANY,         "",     "-x", "integers wrap")
OP(ABS,        abs,           "abs",          1, MAP, MODULUS, ZERO|EVEN|EXACT|IDEM,                1,  VV,   CC(0, INF),  "",     "|x|", "of complex: the modulus, a real; the smallest integer stays")
OP(SIGN,       sign,          "sign",         1, MAP, REAL,    ZERO|ODD|EXACT|NO_NAN|IDEM,          1,  VV,   CC(-1, 1),   "",     "-1, 0 or 1", "sign(-0) is -0; NaN stays")
OP(MAXIMUM,    maximum,       "max",          2, MAP, REAL,    COMM|ASSOC|IDEM|EXACT,               1,  VS,   ANY,         "",     "the larger of x and y", "NaN if either is; max(-0, +0) is +0 in either order; a tie splits its gradient")
OP(MINIMUM,    minimum,       "min",          2, MAP, REAL,    COMM|ASSOC|IDEM|EXACT,               1,  VS,   ANY,         "",     "the smaller of x and y", "NaN if either is; min(-0, +0) is -0 in either order; a tie splits its gradient")
OP(FMA,        fma,           "fma",          3, MAP, RFLOAT,  0,                                   1,  VV,   ANY,         "",     "x*y + z, rounded once", "")

/* ---- maps: comparison and logic ---- */
OP(EQ,         eq,            "==",           2, MAP, TEST,    COMM|REFLEXIVE,                      1,  VS,   ANY,         "",     "x = y", "false with NaN")
OP(NE,         ne,            "!=",           2, MAP, TEST,    COMM,                                1,  VS,   ANY,         "",     "x and y differ", "true with NaN")
OP(LT,         lt,            "<",            2, MAP, RTEST,   0,                                   1,  VS,   ANY,         "",     "x < y", "false with NaN; bools: false < true")
OP(LE,         le,            "<=",           2, MAP, RTEST,   REFLEXIVE,                           1,  VS,   ANY,         "",     "x <= y", "false with NaN")
OP(GT,         gt,            ">",            2, MAP, RTEST,   0,                                   1,  VS,   ANY,         "",     "x > y", "false with NaN")
OP(GE,         ge,            ">=",           2, MAP, RTEST,   REFLEXIVE,                           1,  VS,   ANY,         "",     "x >= y", "false with NaN")
OP(AND,        and,           "and",          2, MAP, BOOL,    COMM|ASSOC|IDEM,                     1,  VS,   ANY,         "",     "x and y", "")
OP(OR,         or,            "or",           2, MAP, BOOL,    COMM|ASSOC|IDEM,                     1,  VS,   ANY,         "",     "x or y", "")
OP(NOT,        not,           "not",          1, MAP, BOOL,    0,                                   1,  VV,   ANY,         "",     "not x", "")
OP(BIT_AND,    bit_and,       "bit_and",      2, MAP, BITS,    COMM|ASSOC|IDEM,                     1,  VV,   ANY,         "",     "bits of both", "")
OP(BIT_OR,     bit_or,        "bit_or",       2, MAP, BITS,    COMM|ASSOC|IDEM,                     1,  VV,   ANY,         "",     "bits of either", "")
OP(BIT_XOR,    bit_xor,       "bit_xor",      2, MAP, BITS,    COMM|ASSOC,                          1,  VV,   ANY,         "",     "bits of one alone", "")
OP(BIT_NOT,    bit_not,       "bit_not",      1, MAP, BITS,    0,                                   1,  VV,   ANY,         "",     "all bits turned", "")
OP(SHIFT_LEFT, shift_left,    "shift_left",   2, MAP, INT,     0,                                   1,  VV,   ANY,         "",     "x*2^y", "y below 0 or past the width gives 0")
OP(SHIFT_RIGHT, shift_right,   "shift_right",  2, MAP, INT,     0,                                   1,  VV,   ANY,         "",     "floor(x/2^y)", "y below 0 or past the width gives 0, or -1 of a negative x")
OP(POPCOUNT,   popcount,      "popcount",     1, MAP, INT,     NO_NAN,                              1,  VV,   CC(0, 64),   "",     "number of bits that are set", "")
OP(ISNAN,      isnan,         "isnan",        1, MAP, FTEST,   0,                                   1,  VV,   ANY,         "",     "x is NaN", "")
OP(ISINF,      isinf,         "isinf",        1, MAP, FTEST,   0,                                   1,  VV,   ANY,         "",     "x is infinite", "")
OP(ISFINITE,   isfinite,      "isfinite",     1, MAP, FTEST,   0,                                   1,  VV,   ANY,         "",     "x is neither NaN nor infinite", "")
OP(SIGNBIT,    signbit,       "signbit",      1, MAP, FTEST,   0,                                   1,  VV,   ANY,         "",     "the sign bit of x", "true of -0; NaN is positive")
OP(COPYSIGN,   copysign,      "copysign",     2, MAP, RFLOAT,  EXACT,                               1,  VV,   ANY,         "",     "|x| with the sign of y", "NaN counts as positive")

/* ---- maps: rounding ---- */
OP(FLOOR,      floor,         "floor",        1, MAP, RFLOAT,  ZERO|INCREASING|EXACT|TO_WHOLE,      1,  VV,   ANY,         "",     "the largest whole number <= x", "")
OP(CEIL,       ceil,          "ceil",         1, MAP, RFLOAT,  ZERO|INCREASING|EXACT|TO_WHOLE,      1,  VV,   ANY,         "",     "the smallest whole number >= x", "")
OP(ROUND,      round,         "round",        1, MAP, RFLOAT,  ZERO|INCREASING|ODD|EXACT|TO_WHOLE,  1,  VV,   ANY,         "",     "the nearest whole number, ties to even", "")
OP(TRUNC,      trunc,         "trunc",        1, MAP, RFLOAT,  ZERO|INCREASING|ODD|EXACT|TO_WHOLE,  1,  VV,   ANY,         "",     "x without its fraction", "")

/* ---- maps: powers, exponentials, logarithms ---- */
OP(SQRT,       sqrt,          "sqrt",         1, MAP, FLOAT,   ZERO|INCREASING,                     6,  VV,   CC(0, INF),  "",     "x^(1/2)", "NaN below 0; sqrt(-0) is -0")
OP(CBRT,       cbrt,          "cbrt",         1, MAP, RFLOAT,  ZERO|INCREASING|ODD,                 20, VV,   ANY,         "",     "x^(1/3)", "")
OP(HYPOT,      hypot,         "hypot",        2, MAP, RFLOAT,  COMM,                                20, VV,   CC(0, INF),  "",     "sqrt(x^2 + y^2)", "without overflow; infinite if either is")
OP(EXP,        exp,           "exp",          1, MAP, FLOAT,   INCREASING,                          20, VV,   OC(0, INF),  "",     "e^x", "")
OP(EXP2,       exp2,          "exp2",         1, MAP, RFLOAT,  INCREASING,                          20, VV,   OC(0, INF),  "",     "2^x", "")
OP(EXPM1,      expm1,         "expm1",        1, MAP, RFLOAT,  ZERO|INCREASING,                     20, VV,   OC(-1, INF), "",     "e^x - 1", "")
OP(LOG,        log,           "log",          1, MAP, FLOAT,   INCREASING|UNIT,                     20, VV,   ANY,         "",     "natural logarithm", "log(0) is -inf; NaN below 0")
OP(LOG2,       log2,          "log2",         1, MAP, RFLOAT,  INCREASING|UNIT,                     20, VV,   ANY,         "",     "logarithm to base 2", "as log")
OP(LOG10,      log10,         "log10",        1, MAP, RFLOAT,  INCREASING|UNIT,                     20, VV,   ANY,         "",     "logarithm to base 10", "as log")
OP(LOG1P,      log1p,         "log1p",        1, MAP, RFLOAT,  ZERO|INCREASING,                     20, VV,   ANY,         "",     "log(1 + x)", "log1p(-1) is -inf; NaN below -1")
OP(LOG1MEXP,   log1mexp,      "log1mexp",     1, MAP, RFLOAT,  0,                                   20, VV,   CO(-INF, 0), "",     "log(1 - e^-x)", "x >= 0; -inf at 0; NaN below")
OP(LOGADDEXP,  logaddexp,     "logaddexp",    2, MAP, RFLOAT,  COMM|ASSOC,                          20, VV,   ANY,         "",     "log(e^x + e^y)", "-inf with -inf is -inf")
OP(SIGMOID,    sigmoid,       "sigmoid",      1, MAP, RFLOAT,  INCREASING|NO_NAN,                   20, VV,   OO(0, 1),    "",     "1/(1 + e^-x)", "")
OP(SOFTPLUS,   softplus,      "softplus",     1, MAP, RFLOAT,  INCREASING,                          20, VV,   OC(0, INF),  "",     "log(1 + e^x)", "")
OP(LOGIT,      logit,         "logit",        1, MAP, RFLOAT,  INCREASING,                          20, VV,   ANY,         "",     "log(x/(1 - x))", "-inf at 0, inf at 1, NaN outside")

/* ---- maps: trigonometric and hyperbolic ---- */
OP(SIN,        sin,           "sin",          1, MAP, RFLOAT,  ZERO|ODD,                            20, NEAR, CC(-1, 1),   "",     "sine, of radians", "NaN at infinity")
OP(COS,        cos,           "cos",          1, MAP, RFLOAT,  EVEN,                                20, NEAR, CC(-1, 1),   "",     "cosine, of radians", "NaN at infinity")
OP(TAN,        tan,           "tan",          1, MAP, RFLOAT,  ZERO|ODD,                            20, NEAR, ANY,         "",     "sin(x)/cos(x)", "NaN at infinity")
OP(ASIN,       asin,          "asin",         1, MAP, RFLOAT,  ZERO|INCREASING|ODD,                 20, VV,   CC(-1.5707963267948968, 1.5707963267948968), "",     "arc sine", "NaN outside [-1, 1]")
OP(ACOS,       acos,          "acos",         1, MAP, RFLOAT,  DECREASING,                          20, VV,   CC(0, 3.1415926535897936), "",     "arc cosine", "NaN outside [-1, 1]")
OP(ATAN,       atan,          "atan",         1, MAP, RFLOAT,  ZERO|INCREASING|ODD|NO_NAN,          20, VV,   OO(-1.5707963267948968, 1.5707963267948968), "",     "arc tangent", "")
OP(ATAN2,      atan2,         "atan2",        2, MAP, RFLOAT,  0,                                   20, VV,   ANY,         "",     "the angle of the point (y, x), first operand y", "signed zeros as in C")
OP(SINH,       sinh,          "sinh",         1, MAP, RFLOAT,  ZERO|INCREASING|ODD,                 20, VV,   ANY,         "",     "(e^x - e^-x)/2", "")
OP(COSH,       cosh,          "cosh",         1, MAP, RFLOAT,  EVEN,                                20, VV,   CC(1, INF),  "",     "(e^x + e^-x)/2", "")
OP(TANH,       tanh,          "tanh",         1, MAP, RFLOAT,  ZERO|INCREASING|ODD|NO_NAN,          20, VV,   OO(-1, 1),   "",     "sinh(x)/cosh(x)", "")
OP(ASINH,      asinh,         "asinh",        1, MAP, RFLOAT,  ZERO|INCREASING|ODD,                 20, VV,   ANY,         "",     "log(x + sqrt(x^2 + 1))", "")
OP(ACOSH,      acosh,         "acosh",        1, MAP, RFLOAT,  INCREASING,                          20, VV,   CC(0, INF),  "",     "log(x + sqrt(x^2 - 1))", "NaN below 1")
OP(ATANH,      atanh,         "atanh",        1, MAP, RFLOAT,  ZERO|INCREASING|ODD,                 20, VV,   ANY,         "",     "log((1 + x)/(1 - x))/2", "infinite at -1 and 1, NaN outside")

/* ---- maps: error and gamma functions ---- */
OP(ERF,        erf,           "erf",          1, MAP, RFLOAT,  ZERO|INCREASING|ODD|NO_NAN,          20, VV,   OO(-1, 1),   "",     "2/sqrt(pi) * integral of e^-t^2 from 0 to x", "")
OP(ERFC,       erfc,          "erfc",         1, MAP, RFLOAT,  DECREASING|NO_NAN,                   20, VV,   OO(0, 2),    "",     "1 - erf(x)", "accurate for large x")
OP(ERFINV,     erfinv,        "erfinv",       1, MAP, RFLOAT,  ZERO|INCREASING|ODD,                 20, VV,   ANY,         "",     "y with erf(y) = x", "infinite at -1 and 1, NaN outside")
OP(GAMMA,      gamma,         "gamma",        1, MAP, RFLOAT,  POSITIVE,                            20, NEAR, ANY,         "",     "integral of t^(x-1) e^-t", "gamma(+0) is inf, gamma(-0) -inf; NaN at negative integers")
OP(LGAMMA,     lgamma,        "lgamma",       1, MAP, RFLOAT,  0,                                   20, NEAR, ANY,         "",     "log|gamma(x)|", "inf at 0 and the negative integers")
OP(DIGAMMA,    digamma,       "digamma",      1, MAP, RFLOAT,  0,                                   20, NEAR, ANY,         "",     "derivative of lgamma", "NaN at the negative integers, -inf at +0, inf at -0")
OP(POLYGAMMA,  polygamma,     "polygamma",    2, MAP, RFLOAT,  0,                                   20, VV,   ANY,         "",     "derivative number n of digamma: polygamma(n, x)", "n is a whole number >= 0, else NaN")

/* ---- maps: selection and conversion ---- */
OP(WHERE,      where,         "where",        3, MAP, SELECT,  EXACT,                               1,  VV,   ANY,         "",     "x where c, else y: where(c, x, y)", "the branch not taken has no influence, NaN or not")
OP(CAST,       cast,          "cast",         1, MAP, OWN,     LINEAR|ZERO|EXACT,                   1,  VV,   ANY,         "d",    "x as another dtype: [dtype]", "to integers: truncates and saturates, NaN to 0; to bool: x != 0")
OP(BITCAST,    bitcast,       "bitcast",      1, MAP, OWN,     EXACT,                               1,  VV,   ANY,         "d",    "the bits of x as another dtype of the same width: [dtype]", "NaN is the positive quiet one")
OP(STOP,       stop_gradient, "stop_gradient", 1, MAP, OWN,     EXACT|IDEM,                          1,  VV,   ANY,         "",     "x, with derivative 0", "any dtype")
OP(COMPLEX,    complex,       "complex",      2, MAP, OWN,     LINEAR|EXACT,                        1,  VV,   ANY,         "",     "x + y*i", "f32 to c64, f64 to c128")
OP(RE,         re,            "re",           1, MAP, OWN,     LINEAR|ZERO|EXACT,                   1,  VV,   ANY,         "",     "the real part", "a real stays")
OP(IM,         im,            "im",           1, MAP, OWN,     LINEAR|ZERO|EXACT,                   1,  VV,   ANY,         "",     "the imaginary part", "0 of a real")
OP(CONJ,       conj,          "conj",         1, MAP, OWN,     LINEAR|ZERO|EXACT,                   1,  VV,   ANY,         "",     "the complex conjugate", "a real stays")

/* ---- folds: attribute [axes], ascending; the axes go ---- */
OP(SUM,        sum,           "sum",          1, FOLD,       OWN,     LINEAR,                              1,  VV,   ANY,         "a*",   "the sum over the axes", "bools and integers are summed in 64 bits; empty: +0")
OP(PROD,       prod,          "prod",         1, FOLD,       OWN,     0,                                   1,  VV,   ANY,         "a*",   "the product over the axes", "integers in 64 bits; empty: 1")
OP(MAX,        max,           "max",          1, FOLD,       REAL,    IDEM,                                1,  VV,   ANY,         "a*",   "the largest over the axes", "NaN if any is; empty: -inf or the smallest integer; ties split the gradient")
OP(MIN,        min,           "min",          1, FOLD,       REAL,    IDEM,                                1,  VV,   ANY,         "a*",   "the smallest over the axes", "NaN if any is; empty: inf or the largest integer; ties split the gradient")
OP(ANY,        any,           "any",          1, FOLD,       BOOL,    IDEM,                                1,  VV,   ANY,         "a*",   "true if one is", "empty: false")
OP(ALL,        all,           "all",          1, FOLD,       BOOL,    IDEM,                                1,  VV,   ANY,         "a*",   "true if all are", "empty: true")
OP(ARGMAX,     argmax,        "argmax",       1, FOLD,       OWN,     NO_NAN,                              1,  VV,   CC(0, INF),  "a*",   "index of the largest, i64", "the first of equals; NaN counts as largest; over all axes: the index in row order; an empty axis is an error")
OP(ARGMIN,     argmin,        "argmin",       1, FOLD,       OWN,     NO_NAN,                              1,  VV,   CC(0, INF),  "a*",   "index of the smallest, i64", "the first of equals; NaN counts as smallest; an empty axis is an error")
OP(LOGSUMEXP,  logsumexp,     "logsumexp",    1, FOLD,       RFLOAT,  0,                                   1,  VV,   ANY,         "a*",   "log of the sum of e^x over the axes", "shifted by the maximum; empty: -inf")
OP(CUMSUM,     cumsum,        "cumsum",       1, CUMULATIVE, OWN,     LINEAR,                              1,  VV,   ANY,         "a?",   "y[i] = x[0] + ... + x[i] along [axis]", "integers in 64 bits; without brackets along axis 0")

/* ---- views ---- */
OP(RESHAPE,    reshape,       "reshape",      1, VIEW,       OWN,     LINEAR,                              0,  VV,   ANY,         "s*",   "the same elements in row order with other sizes: [sizes...]", "the number of elements stays; written f64[m, n](x) each size stays, and the call checks it")
OP(TRANSPOSE,  transpose,     "transpose",    1, VIEW,       OWN,     LINEAR,                              0,  VV,   ANY,         "a.",   "axis j of the result is axis p[j] of x: [p...]", "x.T turns the last two axes")
OP(EXPAND,     expand,        "expand",       1, VIEW,       OWN,     LINEAR,                              0,  VV,   ANY,         "(As)+", "new axes, each repeating x: [axis, size, axis, size, ...], places in the result", "broadcasting made explicit")
OP(SLICE,      slice,         "slice",        1, VIEW,       OWN,     LINEAR,                              0,  VV,   ANY,         "s.s.i.", "x[start : start + step*length : step] on every axis: [start..., length..., step...], one of each for every axis", "steps are not 0 and may be negative")
OP(FLIP,       flip,          "flip",         1, VIEW,       OWN,     LINEAR,                              0,  VV,   ANY,         "a+",   "x backwards along [axes]", "without brackets along all")
OP(PAD,        pad,           "pad",          1, VIEW,       OWN,     LINEAR,                              0,  VV,   ANY,         "s.s.i.", "zeros before, after and between the elements of x on every axis: [before..., after..., step...]", "element i lies at before + step*i; the transpose of slice")
OP(CONCAT,     concat,        "concat",       VARIADIC, VIEW,       OWN,     LINEAR,                              0,  VV,   ANY,         "a?",   "operands one after another along [axis]", "")

/* ---- indices ---- */
OP(GATHER,     gather,        "gather",       2, INDEX,      OWN,     CHECKED,                             1,  VV,   ANY,         "a?",   "x at the indices i along [axis]; the axes of i stand in its place", "an index outside 0 <= i < n is the call's error; of a scalar i the axis goes: x[i]")
OP(SCATTER_ADD, scatter_add,   "scatter_add",  3, INDEX,      OWN,     CHECKED|WRITES,                      1,  VV,   ANY,         "a?",   "x with v added at the indices i along [axis]: scatter_add(x, i, v)", "of equal indices all are added in ascending order")
OP(SCATTER_SET, scatter_set,   "scatter_set",  3, INDEX,      OWN,     CHECKED|WRITES,                      1,  VV,   ANY,         "a?",   "x with v written at the indices i along [axis]: scatter_set(x, i, v)", "of equal indices the last stays")
OP(ONE_HOT,    one_hot,       "one_hot",      1, INDEX,      OWN,     NO_NAN,                              1,  VV,   CC(0, 1),    "sd",   "1 where i = j for a new last axis j < n, else 0: [n, dtype]", "an index outside gives a row of zeros")
OP(TOP_K,      top_k,         "top_k",        1, INDEX,      OWN,     0,                                   1,  VV,   ANY,         "s",    "the k largest along [axis] (the last), descending, and their indices: [k]; two results", "of equals the first; NaN last")

/* ---- contraction, decompositions ---- */
OP(CONTRACT,   einsum,        "einsum",       2, CONTRACT,   OWN,     BILINEAR,                            1,  VV,   ANY,         "l*",   "sum over the labels that the result lacks of x*y: [labels of x, -1, labels of y, -1, labels of the result]", "written @ where it is a matrix product; an empty sum is +0")
OP(QR,         qr,            "qr",           1, SOLVE,      OWN,     0,                                   1,  VV,   ANY,         "",     "x = q @ r, q with orthonormal columns, r upper triangular with a diagonal >= 0: two results", "integers as f64; x has at least as many rows as columns; batches lead")
OP(TRI_SOLVE,  tri_solve,     "tri_solve",    2, SOLVE,      OWN,     0,                                   1,  VV,   ANY,         "ff",   "z with a @ z = b, a triangular: [upper, turned]: upper says which half of a is read; turned solves a.T @ z = b", "integers as f64; batches lead and broadcast; b of one axis is a vector; a zero on the diagonal divides by zero")

/* ---- random: counter-based, the key is an operand ---- */
OP(KEY,        key,           "key",          1, RANDOM,     OWN,     0,                                   60, VV,   ANY,         "",     "the key of a seed: (s, 0)", "s an integer; key(a, b) is a constant of these two words")
OP(KEY_AT,     subkey,        "key_at",       2, RANDOM,     OWN,     0,                                   60, VV,   ANY,         "",     "key i of k: k[i]", "Philox4x32-10 with key a xor a constant and counter (i, b)")
OP(UNIFORM,    uniform,       "uniform",      1, RANDOM,     OWN,     NO_NAN,                              60, VV,   CO(0, 1),    "ds*",  "independent uniform numbers in [0, 1): [dtype, sizes...](k)", "so many for each of an array of keys; element e uses Philox block (e, b) with key a; the top 24 or 53 bits, of f16 11, of bf16 8")
OP(NORMAL,     normal,        "normal",       1, RANDOM,     OWN,     0,                                   60, VV,   ANY,         "ds*",  "independent standard normal numbers: [dtype, sizes...](k)", "so many for each of an array of keys; Box-Muller on block e")

/* ---- control ---- */
OP(TUPLE,      tuple,         "tuple",        VARIADIC, CONTROL,    OWN,     0,                                   1,  VV,   ANY,         "",     "several results as one", "never nested")
OP(GET,        get,           "get",          1, CONTROL,    OWN,     0,                                   1,  VV,   ANY,         "i",    "element [i] of a tuple", "")
OP(CALL,       call,          "call",         VARIADIC, CONTROL,    OWN,     0,                                   1,  VV,   ANY,         "gs*",  "a function applied: [function, sizes...]", "a tuple if the function has several results")
OP(SCAN,       scan,          "scan",         VARIADIC, CONTROL,    OWN,     0,                                   1,  VV,   ANY,         "giiis*", "a loop: [body, carried, sequences, way, sizes...](steps, carried..., sequences..., captured...)", "gives a tuple of last carried values and traces; zero steps give the first values; way: 1 from the end, 2 while the first carried value holds")
OP(CUSTOM,     custom,        "custom",       VARIADIC, CONTROL,    OWN,     FAILS,                               1,  VV,   ANY,         "cis*", "an operator of the user's, with a C kernel: [descriptor, operands, results...]", "")
OP(TOKEN,      token,         "token",        0, LEAF,       OWN,     0,                                   0,  VV,   ANY,         "",     "the beginning of an order of effects", "")
OP(ORDER,      order,         "order",        VARIADIC, CONTROL,    OWN,     EFFECT|FAILS,                        1,  VV,   ANY,         "iin*",   "an effect, after those of the token: [what, passes, names...](token, passes..., values...)", "gives the token of the next effect; a function gives the last one as its last result, so that none is lost")

/* ---- random, continued ---- */
OP(UNIFORM_OPEN, uniform_open,  "uniform_open", 1, RANDOM,     OWN,     NO_NAN,                              60, VV,   OO(0, 1),    "ds*",  "independent uniform numbers in (0, 1), the ends left out: [dtype, sizes...](k)", "so many for each of an array of keys; as uniform, the last bit always set")
OP(EXPONENTIAL, exponential,   "exponential",  1, RANDOM,     OWN,     NO_NAN,                              60, VV,   CC(0, INF),  "ds*",  "independent exponential numbers of mean 1: [dtype, sizes...](k)", "so many for each of an array of keys; by the logarithm, from both ends: never 0, tails to 2^-49 (f64 2^-55)")
OP(GAMMA_DRAW, gamma_draw,    "gamma_draw",   2, RANDOM,     OWN,     0,                                   60, VV,   ANY,         "",     "gamma numbers of shape s and scale 1, each from a key of its own: gamma_draw(k, s)", "Marsaglia and Tsang's rejection, attempt j by blocks 2j and 2j + 1; of one key k element i uses k[i]; NaN unless s > 0; no derivative by s")

/* ---- maps, continued ---- */
OP(EXP10,      exp10,         "exp10",        1, MAP, RFLOAT,  INCREASING,                          20, VV,   OC(0, INF),  "",     "10^x", "")
OP(RSQRT,      rsqrt,         "rsqrt",        1, MAP, RFLOAT,  DECREASING|POSITIVE,                 12, VV,   ANY,         "",     "x^(-1/2)", "inf at +0, -inf at -0; NaN below 0")
OP(XLOGY,      xlogy,         "xlogy",        2, MAP, RFLOAT,  0,                                   20, VV,   ANY,         "",     "x*log(y)", "0 where x is 0, unless y is NaN")
OP(SINPI,      sinpi,         "sinpi",        1, MAP, RFLOAT,  ZERO|ODD,                            20, VV,   CC(-1, 1),   "",     "sin(pi*x)", "exact at whole and half numbers; NaN at infinity")
OP(COSPI,      cospi,         "cospi",        1, MAP, RFLOAT,  EVEN,                                20, VV,   CC(-1, 1),   "",     "cos(pi*x)", "exact at whole and half numbers; NaN at infinity")
OP(SINC,       sinc,          "sinc",         1, MAP, RFLOAT,  EVEN|NO_NAN,                         20, VV,   CC(-0.25, 1), "",     "sin(pi*x)/(pi*x)", "1 at 0; 0 at infinity")
OP(SILU,       silu,          "silu",         1, MAP, RFLOAT,  ZERO,                                20, VV,   ANY,         "",     "x*sigmoid(x)", "-0 at -inf")
OP(GELU,       gelu,          "gelu",         1, MAP, RFLOAT,  ZERO,                                20, VV,   ANY,         "",     "x*ndtr(x)", "-0 at -inf")
OP(GELU_TANH,  gelu_tanh,     "gelu_tanh",    1, MAP, RFLOAT,  ZERO,                                20, VV,   ANY,         "",     "x*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3)))/2", "-0 at -inf")
OP(ERFCX,      erfcx,         "erfcx",        1, MAP, RFLOAT,  DECREASING,                          20, VV,   OC(0, INF),  "",     "e^(x^2)*erfc(x)", "accurate for large x; inf at -inf")
OP(NDTR,       ndtr,          "ndtr",         1, MAP, RFLOAT,  INCREASING|NO_NAN,                   20, VV,   OO(0, 1),    "",     "the standard normal distribution's integral from -inf to x", "accurate in the left tail")
OP(LOG_NDTR,   log_ndtr,      "log_ndtr",     1, MAP, RFLOAT,  INCREASING,                          20, VV,   CO(-INF, 0), "",     "log(ndtr(x))", "accurate in both tails")
OP(TRIGAMMA,   trigamma,      "trigamma",     1, MAP, RFLOAT,  0,                                   20, NEAR, OC(0, INF),  "",     "derivative of digamma", "inf at 0 and the negative integers")
OP(LBETA,      lbeta,         "lbeta",        2, MAP, RFLOAT,  COMM,                                20, VV,   ANY,         "",     "log(gamma(x)*gamma(y)/gamma(x + y))", "x, y >= 0, NaN below; inf where one is 0")
OP(I0E,        i0e,           "i0e",          1, MAP, RFLOAT,  EVEN|NO_NAN,                         20, VV,   OC(0, 1),    "",     "e^-|x| times the modified Bessel function of the first kind of order 0", "")
OP(I1E,        i1e,           "i1e",          1, MAP, RFLOAT,  ZERO|ODD|NO_NAN,                     20, VV,   CC(-0.25, 0.25), "",     "e^-|x| times the modified Bessel function of the first kind of order 1", "")

/* ---- control, continued ---- */
OP(IF,         if,            "if",           VARIADIC, CONTROL,    OWN,     0,                                   1,  VV,   ANY,         "ggs*", "one of two functions applied, by a bool: [where it holds, where it does not, sizes...](condition, captured...)", "gives a tuple; the other does not run")

/* ---- indices, continued ---- */
OP(SCATTER_MAX, scatter_max,   "scatter_max",  3, INDEX,      OWN,     CHECKED|WRITES,                      1,  VV,   ANY,         "a?",   "x with the larger of it and v at the indices i along [axis]: scatter_max(x, i, v)", "of equal indices the largest of all; NaN if one is")
OP(SCATTER_MIN, scatter_min,   "scatter_min",  3, INDEX,      OWN,     CHECKED|WRITES,                      1,  VV,   ANY,         "a?",   "x with the smaller of it and v at the indices i along [axis]: scatter_min(x, i, v)", "of equal indices the smallest of all; NaN if one is")
OP(SCATTER_MUL, scatter_mul,   "scatter_mul",  3, INDEX,      OWN,     CHECKED|WRITES,                      1,  VV,   ANY,         "a?",   "x with v multiplied in at the indices i along [axis]: scatter_mul(x, i, v)", "of equal indices all are, in ascending order")
OP(SCATTER_AND, scatter_and,   "scatter_and",  3, INDEX,      OWN,     CHECKED|WRITES,                      1,  VV,   ANY,         "a?",   "x and v at the indices i along [axis]: scatter_and(x, i, v)", "of equal indices all have to hold")
OP(SCATTER_OR, scatter_or,   "scatter_or",  3, INDEX,      OWN,     CHECKED|WRITES,                      1,  VV,   ANY,         "a?",   "x or v at the indices i along [axis]: scatter_or(x, i, v)", "of equal indices one has to hold")
