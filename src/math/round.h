/* round.h - to whole numbers.  Exact. */

/* the largest whole number <= x */
M float  floor_f32(float x)  { return __builtin_floorf(x); }
M double floor_f64(double x) { return __builtin_floor(x); }

/* the smallest whole number >= x */
M float  ceil_f32(float x)  { return __builtin_ceilf(x); }
M double ceil_f64(double x) { return __builtin_ceil(x); }

/* the nearest whole number, ties to even */
M float  round_f32(float x)  { return __builtin_rintf(x); }
M double round_f64(double x) { return __builtin_rint(x); }

/* x without its fraction */
M float  trunc_f32(float x)  { return __builtin_truncf(x); }
M double trunc_f64(double x) { return __builtin_trunc(x); }
