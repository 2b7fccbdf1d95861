/* ops.h - every operator, a line each.  An operator's number is its place here and is permanent: append only.
 *
 * OP(NAME, text, args, class, dtype, flags, formula, notes)
 *   NAME    the enumerator is OP_NAME; in C the constructor is por_name
 *   text    how the notation writes it: a name, or an infix or prefix sign
 *   args    number of operands; VARIADIC: any; operands that only hold data-dependent sizes may follow (see ir.h)
 *   class   LEAF; MAP: elementwise, all operands of one shape; FOLD: attribute [axes]; CUMULATIVE: attribute [axis];
 *           VIEW; INDEX; CONTRACT; SOLVE; CONTROL; RANDOM
 *   dtype   rule for operands and result, by name:
 *           SAME   operands of one numeric dtype T, result T          (any number: integers, floats, complex)
 *           REAL   like SAME without complex                          (bool counts as a number nowhere)
 *           FLOAT  operands of one float or complex dtype, result T;  RFLOAT: real floats only
 *           INT    one integer dtype;  BITS: one integer dtype or bool
 *           BOOL   bools to bool;  TEST: one numeric dtype (or bool) to bool;  RTEST: the same without complex
 *           FTEST  one float dtype to bool;  SELECT: (bool, T, T) to T;  OWN: by a rule of its own in type.c
 *   flags   COMM commutative, ASSOC associative, IDEM x op x = x, LINEAR in all data operands together,
 *           BILINEAR in each operand, ZERO maps 0 to 0, INCREASING, EVEN, ODD, EFFECT
 *   formula what one element (or the whole) is, for readers; docs/operators.md is made from it
 *   notes   edge cases
 * How one scalar is computed: the function NAME_dtype of src/math (exp_f32, add_i16, ...), for every MAP.
 */

/* ---- leaves ---- */
OP(INPUT,      "input",      0, LEAF,  OWN,   0,                "an input of an open graph: [name]", "same name and type: the same node")
OP(PARAM,      "param",      0, LEAF,  OWN,   0,                "parameter i of a closed function: [i]", "")
OP(FRESH,      "fresh",      0, LEAF,  OWN,   0,                "an open bound name: parameter or carried value of a body being built: [serial]", "never shared; gone when the function is closed")
OP(CONST,      "const",      0, LEAF,  OWN,   0,                "a constant: uniform (one element for the whole shape) or data", "interned by its bits; NaN is the positive quiet one")
OP(SIZE,       "size",       0, LEAF,  OWN,   0,                "the value of a symbolic size, an i64 scalar: [size]", "")
OP(IOTA,       "iota",       0, LEAF,  OWN,   0,                "i in [0, n): 0, 1, 2, ...: [n]", "i64; size 0 is empty")

/* ---- maps: arithmetic ---- */
OP(ADD,        "+",          2, MAP,   SAME,  COMM|ASSOC|LINEAR,"x + y", "integers wrap")
OP(SUB,        "-",          2, MAP,   SAME,  LINEAR,           "x - y", "integers wrap")
OP(MUL,        "*",          2, MAP,   SAME,  COMM|ASSOC|BILINEAR|ZERO,"x*y", "integers wrap; complex by the plain formula")
OP(DIV,        "/",          2, MAP,   FLOAT, ZERO,             "x/y", "of integers: both converted to f64; complex quotients are scaled")
OP(FLOORDIV,   "//",         2, MAP,   REAL,  0,                "floor(x/y)", "integers: x//0 is 0; the quotient of the smallest integer and -1 wraps")
OP(MOD,        "%",          2, MAP,   REAL,  0,                "x - y*floor(x/y)", "sign of y; integers: x%0 is x")
OP(POW,        "^",          2, MAP,   SAME,  0,                "x^y", "integers: a negative power truncates (0 except of 1 and -1); x^0 = 1, also of NaN; negative x with a fractional y is NaN")
OP(NEG,        "-",          1, MAP,   SAME,  LINEAR|ZERO|ODD,  "-x", "integers wrap")
OP(ABS,        "abs",        1, MAP,   OWN,   ZERO|EVEN,        "|x|", "of complex: the modulus, a real; the smallest integer stays")
OP(SIGN,       "sign",       1, MAP,   REAL,  ZERO|ODD,         "-1, 0 or 1", "sign(-0) is -0; NaN stays")
OP(MAXIMUM,    "max",        2, MAP,   REAL,  COMM|ASSOC|IDEM,  "the larger of x and y", "NaN if either is; max(-0, +0) is +0 in either order; a tie splits its gradient")
OP(MINIMUM,    "min",        2, MAP,   REAL,  COMM|ASSOC|IDEM,  "the smaller of x and y", "NaN if either is; min(-0, +0) is -0 in either order; a tie splits its gradient")
OP(FMA,        "fma",        3, MAP,   RFLOAT,0,                "x*y + z, rounded once", "")

/* ---- maps: comparison and logic ---- */
OP(EQ,         "==",         2, MAP,   TEST,  COMM,             "x = y", "false with NaN")
OP(NE,         "!=",         2, MAP,   TEST,  COMM,             "x and y differ", "true with NaN")
OP(LT,         "<",          2, MAP,   RTEST, 0,                "x < y", "false with NaN; bools: false < true")
OP(LE,         "<=",         2, MAP,   RTEST, 0,                "x <= y", "false with NaN")
OP(GT,         ">",          2, MAP,   RTEST, 0,                "x > y", "false with NaN")
OP(GE,         ">=",         2, MAP,   RTEST, 0,                "x >= y", "false with NaN")
OP(AND,        "and",        2, MAP,   BOOL,  COMM|ASSOC|IDEM,  "x and y", "")
OP(OR,         "or",         2, MAP,   BOOL,  COMM|ASSOC|IDEM,  "x or y", "")
OP(NOT,        "not",        1, MAP,   BOOL,  0,                "not x", "")
OP(BIT_AND,    "bit_and",    2, MAP,   BITS,  COMM|ASSOC|IDEM,  "bits of both", "")
OP(BIT_OR,     "bit_or",     2, MAP,   BITS,  COMM|ASSOC|IDEM,  "bits of either", "")
OP(BIT_XOR,    "bit_xor",    2, MAP,   BITS,  COMM|ASSOC,       "bits of one alone", "")
OP(BIT_NOT,    "bit_not",    1, MAP,   BITS,  0,                "all bits turned", "")
OP(SHIFT_LEFT, "shift_left", 2, MAP,   INT,   0,                "x*2^y", "y below 0 or past the width gives 0")
OP(SHIFT_RIGHT,"shift_right",2, MAP,   INT,   0,                "floor(x/2^y)", "y below 0 or past the width gives 0, or -1 of a negative x")
OP(POPCOUNT,   "popcount",   1, MAP,   INT,   0,                "number of bits that are set", "")
OP(ISNAN,      "isnan",      1, MAP,   FTEST, 0,                "x is NaN", "")
OP(ISINF,      "isinf",      1, MAP,   FTEST, 0,                "x is infinite", "")
OP(ISFINITE,   "isfinite",   1, MAP,   FTEST, 0,                "x is neither NaN nor infinite", "")
OP(SIGNBIT,    "signbit",    1, MAP,   FTEST, 0,                "the sign bit of x", "true of -0; NaN is positive")
OP(COPYSIGN,   "copysign",   2, MAP,   RFLOAT,0,                "|x| with the sign of y", "NaN counts as positive")

/* ---- maps: rounding ---- */
OP(FLOOR,      "floor",      1, MAP,   RFLOAT,ZERO|INCREASING,  "the largest whole number <= x", "")
OP(CEIL,       "ceil",       1, MAP,   RFLOAT,ZERO|INCREASING,  "the smallest whole number >= x", "")
OP(ROUND,      "round",      1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"the nearest whole number, ties to even", "")
OP(TRUNC,      "trunc",      1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"x without its fraction", "")

/* ---- maps: powers, exponentials, logarithms ---- */
OP(SQRT,       "sqrt",       1, MAP,   FLOAT, ZERO|INCREASING,  "x^(1/2)", "NaN below 0; sqrt(-0) is -0")
OP(CBRT,       "cbrt",       1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"x^(1/3)", "")
OP(HYPOT,      "hypot",      2, MAP,   RFLOAT,COMM,             "sqrt(x^2 + y^2)", "without overflow; infinite if either is")
OP(EXP,        "exp",        1, MAP,   FLOAT, INCREASING,       "e^x", "")
OP(EXP2,       "exp2",       1, MAP,   RFLOAT,INCREASING,       "2^x", "")
OP(EXPM1,      "expm1",      1, MAP,   RFLOAT,ZERO|INCREASING,  "e^x - 1", "")
OP(LOG,        "log",        1, MAP,   FLOAT, INCREASING,       "natural logarithm", "log(0) is -inf; NaN below 0")
OP(LOG2,       "log2",       1, MAP,   RFLOAT,INCREASING,       "logarithm to base 2", "as log")
OP(LOG10,      "log10",      1, MAP,   RFLOAT,INCREASING,       "logarithm to base 10", "as log")
OP(LOG1P,      "log1p",      1, MAP,   RFLOAT,ZERO|INCREASING,  "log(1 + x)", "log1p(-1) is -inf; NaN below -1")
OP(LOG1MEXP,   "log1mexp",   1, MAP,   RFLOAT,0,                "log(1 - e^-x)", "x >= 0; -inf at 0; NaN below")
OP(LOGADDEXP,  "logaddexp",  2, MAP,   RFLOAT,COMM|ASSOC,       "log(e^x + e^y)", "-inf with -inf is -inf")
OP(SIGMOID,    "sigmoid",    1, MAP,   RFLOAT,INCREASING,       "1/(1 + e^-x)", "")
OP(SOFTPLUS,   "softplus",   1, MAP,   RFLOAT,INCREASING,       "log(1 + e^x)", "")
OP(LOGIT,      "logit",      1, MAP,   RFLOAT,INCREASING,       "log(x/(1 - x))", "-inf at 0, inf at 1, NaN outside")

/* ---- maps: trigonometric and hyperbolic ---- */
OP(SIN,        "sin",        1, MAP,   RFLOAT,ZERO|ODD,         "sine, of radians", "NaN at infinity")
OP(COS,        "cos",        1, MAP,   RFLOAT,EVEN,             "cosine, of radians", "NaN at infinity")
OP(TAN,        "tan",        1, MAP,   RFLOAT,ZERO|ODD,         "sin(x)/cos(x)", "NaN at infinity")
OP(ASIN,       "asin",       1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"arc sine", "NaN outside [-1, 1]")
OP(ACOS,       "acos",       1, MAP,   RFLOAT,0,                "arc cosine", "NaN outside [-1, 1]")
OP(ATAN,       "atan",       1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"arc tangent", "")
OP(ATAN2,      "atan2",      2, MAP,   RFLOAT,0,                "the angle of the point (y, x), first operand y", "signed zeros as in C")
OP(SINH,       "sinh",       1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"(e^x - e^-x)/2", "")
OP(COSH,       "cosh",       1, MAP,   RFLOAT,EVEN,             "(e^x + e^-x)/2", "")
OP(TANH,       "tanh",       1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"sinh(x)/cosh(x)", "")
OP(ASINH,      "asinh",      1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"log(x + sqrt(x^2 + 1))", "")
OP(ACOSH,      "acosh",      1, MAP,   RFLOAT,INCREASING,       "log(x + sqrt(x^2 - 1))", "NaN below 1")
OP(ATANH,      "atanh",      1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"log((1 + x)/(1 - x))/2", "infinite at -1 and 1, NaN outside")

/* ---- maps: error and gamma functions ---- */
OP(ERF,        "erf",        1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"2/sqrt(pi) * integral of e^-t^2 from 0 to x", "")
OP(ERFC,       "erfc",       1, MAP,   RFLOAT,0,                "1 - erf(x)", "accurate for large x")
OP(ERFINV,     "erfinv",     1, MAP,   RFLOAT,ZERO|INCREASING|ODD,"y with erf(y) = x", "infinite at -1 and 1, NaN outside")
OP(GAMMA,      "gamma",      1, MAP,   RFLOAT,0,                "integral of t^(x-1) e^-t", "gamma(+0) is inf, gamma(-0) -inf; NaN at negative integers")
OP(LGAMMA,     "lgamma",     1, MAP,   RFLOAT,0,                "log|gamma(x)|", "inf at 0 and the negative integers")
OP(DIGAMMA,    "digamma",    1, MAP,   RFLOAT,0,                "derivative of lgamma", "NaN at the negative integers, -inf at +0, inf at -0")
OP(POLYGAMMA,  "polygamma",  2, MAP,   RFLOAT,0,                "derivative number n of digamma: polygamma(n, x)", "n is a whole number >= 0, else NaN")

/* ---- maps: selection and conversion ---- */
OP(WHERE,      "where",      3, MAP,   SELECT,0,                "x where c, else y: where(c, x, y)", "the branch not taken has no influence, NaN or not")
OP(CAST,       "cast",       1, MAP,   OWN,   LINEAR|ZERO,      "x as another dtype: [dtype]", "to integers: truncates and saturates, NaN to 0; to bool: x != 0")
OP(BITCAST,    "bitcast",    1, MAP,   OWN,   0,                "the bits of x as another dtype of the same width: [dtype]", "NaN is the positive quiet one")
OP(STOP,       "stop_gradient",1,MAP,  OWN,   0,                "x, with derivative 0", "any dtype")
OP(COMPLEX,    "complex",    2, MAP,   OWN,   LINEAR,           "x + y*i", "f32 to c64, f64 to c128")
OP(RE,         "re",         1, MAP,   OWN,   LINEAR|ZERO,      "the real part", "a real stays")
OP(IM,         "im",         1, MAP,   OWN,   LINEAR|ZERO,      "the imaginary part", "0 of a real")
OP(CONJ,       "conj",       1, MAP,   OWN,   LINEAR|ZERO,      "the complex conjugate", "a real stays")

/* ---- folds: attribute [axes], ascending; the axes go ---- */
OP(SUM,        "sum",        1, FOLD,  OWN,   LINEAR,           "the sum over the axes", "bools and integers are summed in 64 bits; empty: +0")
OP(PROD,       "prod",       1, FOLD,  OWN,   0,                "the product over the axes", "integers in 64 bits; empty: 1")
OP(MAX,        "max",        1, FOLD,  REAL,  IDEM,             "the largest over the axes", "NaN if any is; empty: -inf or the smallest integer; ties split the gradient")
OP(MIN,        "min",        1, FOLD,  REAL,  IDEM,             "the smallest over the axes", "NaN if any is; empty: inf or the largest integer; ties split the gradient")
OP(ANY,        "any",        1, FOLD,  BOOL,  IDEM,             "true if one is", "empty: false")
OP(ALL,        "all",        1, FOLD,  BOOL,  IDEM,             "true if all are", "empty: true")
OP(ARGMAX,     "argmax",     1, FOLD,  OWN,   0,                "index of the largest, i64", "the first of equals; NaN counts as largest; over all axes: the index in row order; an empty axis is an error")
OP(ARGMIN,     "argmin",     1, FOLD,  OWN,   0,                "index of the smallest, i64", "the first of equals; NaN counts as smallest; an empty axis is an error")
OP(LOGSUMEXP,  "logsumexp",  1, FOLD,  RFLOAT,0,                "log of the sum of e^x over the axes", "shifted by the maximum; empty: -inf")
OP(CUMSUM,     "cumsum",     1, CUMULATIVE,OWN,LINEAR,          "y[i] = x[0] + ... + x[i] along [axis]", "integers in 64 bits; without brackets along axis 0")

/* ---- views ---- */
OP(RESHAPE,    "reshape",    1, VIEW,  OWN,   LINEAR,           "the same elements in row order with other sizes: [sizes...]", "the number of elements stays; written f64[m, n](x) each size stays, and the call checks it")
OP(TRANSPOSE,  "transpose",  1, VIEW,  OWN,   LINEAR,           "axis j of the result is axis p[j] of x: [p...]", "x.T turns the last two axes")
OP(EXPAND,     "expand",     1, VIEW,  OWN,   LINEAR,           "new axes, each repeating x: [axis, size, axis, size, ...], places in the result", "broadcasting made explicit")
OP(SLICE,      "slice",      1, VIEW,  OWN,   LINEAR,           "x[start : start + step*length : step] on every axis: [start..., length..., step...], one of each for every axis", "steps are not 0 and may be negative")
OP(FLIP,       "flip",       1, VIEW,  OWN,   LINEAR,           "x backwards along [axes]", "without brackets along all")
OP(PAD,        "pad",        1, VIEW,  OWN,   LINEAR,           "zeros before, after and between the elements of x on every axis: [before..., after..., step...]", "element i lies at before + step*i; the transpose of slice")
OP(CONCAT,     "concat",     VARIADIC, VIEW, OWN, LINEAR,       "operands one after another along [axis]", "")

/* ---- indices ---- */
OP(GATHER,     "gather",     2, INDEX, OWN,   0,                "x at the indices i along [axis]; the axes of i stand in its place", "an index outside 0 <= i < n is the call's error; of a scalar i the axis goes: x[i]")
OP(SCATTER_ADD,"scatter_add",3, INDEX, OWN,   0,                "x with v added at the indices i along [axis]: scatter_add(x, i, v)", "of equal indices all are added in ascending order")
OP(SCATTER_SET,"scatter_set",3, INDEX, OWN,   0,                "x with v written at the indices i along [axis]: scatter_set(x, i, v)", "of equal indices the last stays")
OP(ONE_HOT,    "one_hot",    1, INDEX, OWN,   0,                "1 where i = j for a new last axis j < n, else 0: [n, dtype]", "an index outside gives a row of zeros")
OP(TOP_K,      "top_k",      1, INDEX, OWN,   0,                "the k largest along [axis] (the last), descending, and their indices: [k]; two results", "of equals the first; NaN last")

/* ---- contraction, decompositions ---- */
OP(CONTRACT,   "einsum",     2, CONTRACT,OWN, BILINEAR,         "sum over the labels that the result lacks of x*y: [labels of x, -1, labels of y, -1, labels of the result]", "written @ where it is a matrix product; an empty sum is +0")
OP(QR,         "qr",         1, SOLVE, OWN,   0,                "x = q @ r, q with orthonormal columns, r upper triangular with a diagonal >= 0: two results", "integers as f64; x has at least as many rows as columns; batches lead")
OP(TRI_SOLVE,  "tri_solve",  2, SOLVE, OWN,   0,                "z with a @ z = b, a triangular: [upper, turned]: upper says which half of a is read; turned solves a.T @ z = b", "integers as f64; batches lead and broadcast; b of one axis is a vector; a zero on the diagonal divides by zero")

/* ---- random: counter-based, the key is an operand ---- */
OP(KEY,        "key",        1, RANDOM,OWN,   0,                "the key of a seed: (s, 0)", "s an integer; key(a, b) is a constant of these two words")
OP(KEY_AT,     "key_at",     2, RANDOM,OWN,   0,                "key i of k: k[i]", "Philox4x32-10 with key a xor a constant and counter (i, b)")
OP(UNIFORM,    "uniform",    1, RANDOM,OWN,   0,                "independent uniform numbers in [0, 1): [dtype, sizes...](k)", "element e uses Philox block (e, b) with key a; the top 24 or 53 bits, of f16 11, of bf16 8")
OP(NORMAL,     "normal",     1, RANDOM,OWN,   0,                "independent standard normal numbers: [dtype, sizes...](k)", "Box-Muller on block e")

/* ---- control ---- */
OP(TUPLE,      "tuple",      VARIADIC, CONTROL, OWN, 0,         "several results as one", "never nested")
OP(GET,        "get",        1, CONTROL, OWN, 0,                "element [i] of a tuple", "")
OP(CALL,       "call",       VARIADIC, CONTROL, OWN, 0,         "a function applied: [function, sizes...]", "a tuple if the function has several results")
OP(SCAN,       "scan",       VARIADIC, CONTROL, OWN, 0,         "a counted loop: [body, carried, sequences, back, sizes...](steps, carried..., sequences..., captured...)", "gives a tuple of last carried values and traces; zero steps give the first values")
OP(CUSTOM,     "custom",     VARIADIC, CONTROL, OWN, 0,         "an operator of the user's, with a C kernel: [descriptor, sizes...]", "")
OP(TOKEN,      "token",      0, LEAF,  OWN,   0,                "the beginning of an order of effects", "")
OP(ORDER,      "order",      2, CONTROL, OWN, EFFECT,           "a token after the value x exists: order(token, x)", "effects happen in the order of their tokens")

/* ---- random, continued ---- */
OP(UNIFORM_OPEN,"uniform_open",1,RANDOM,OWN,  0,                "independent uniform numbers in (0, 1), the ends left out: [dtype, sizes...](k)", "as uniform, the last bit always set")
OP(EXPONENTIAL,"exponential",1, RANDOM,OWN,   0,                "independent exponential numbers of mean 1: [dtype, sizes...](k)", "by the logarithm, from both ends: never 0, tails to 2^-49 (f64 2^-55)")
OP(GAMMA_DRAW, "gamma_draw", 2, RANDOM,OWN,   0,                "gamma numbers of shape s and scale 1, each from a key of its own: gamma_draw(k, s)", "Marsaglia and Tsang's rejection, attempt j by blocks 2j and 2j + 1; of one key k element i uses k[i]; NaN unless s > 0; no derivative by s")

/* ---- maps, continued ---- */
OP(EXP10,      "exp10",      1, MAP,   RFLOAT,INCREASING,       "10^x", "")
OP(RSQRT,      "rsqrt",      1, MAP,   RFLOAT,0,                "x^(-1/2)", "inf at +0, -inf at -0; NaN below 0")
OP(XLOGY,      "xlogy",      2, MAP,   RFLOAT,0,                "x*log(y)", "0 where x is 0, unless y is NaN")
OP(SINPI,      "sinpi",      1, MAP,   RFLOAT,ZERO|ODD,         "sin(pi*x)", "exact at whole and half numbers; NaN at infinity")
OP(COSPI,      "cospi",      1, MAP,   RFLOAT,EVEN,             "cos(pi*x)", "exact at whole and half numbers; NaN at infinity")
OP(SINC,       "sinc",       1, MAP,   RFLOAT,EVEN,             "sin(pi*x)/(pi*x)", "1 at 0; 0 at infinity")
OP(SILU,       "silu",       1, MAP,   RFLOAT,ZERO,             "x*sigmoid(x)", "-0 at -inf")
OP(GELU,       "gelu",       1, MAP,   RFLOAT,ZERO,             "x*ndtr(x)", "-0 at -inf")
OP(GELU_TANH,  "gelu_tanh",  1, MAP,   RFLOAT,ZERO,             "x*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3)))/2", "-0 at -inf")
OP(ERFCX,      "erfcx",      1, MAP,   RFLOAT,0,                "e^(x^2)*erfc(x)", "accurate for large x; inf at -inf")
OP(NDTR,       "ndtr",       1, MAP,   RFLOAT,INCREASING,       "the standard normal distribution's integral from -inf to x", "accurate in the left tail")
OP(LOG_NDTR,   "log_ndtr",   1, MAP,   RFLOAT,INCREASING,       "log(ndtr(x))", "accurate in both tails")
OP(TRIGAMMA,   "trigamma",   1, MAP,   RFLOAT,0,                "derivative of digamma", "inf at 0 and the negative integers")
OP(LBETA,      "lbeta",      2, MAP,   RFLOAT,COMM,             "log(gamma(x)*gamma(y)/gamma(x + y))", "x, y >= 0, NaN below; inf where one is 0")
OP(I0E,        "i0e",        1, MAP,   RFLOAT,EVEN,             "e^-|x| times the modified Bessel function of the first kind of order 0", "")
OP(I1E,        "i1e",        1, MAP,   RFLOAT,ZERO|ODD,         "e^-|x| times the modified Bessel function of the first kind of order 1", "")
