/* scalars.h - the functions of src/math that round, f32 and f64, as a table for the tests that visit all of them. */
#ifndef TESTS_MATH_SCALARS_H
#define TESTS_MATH_SCALARS_H

#include "math/math.h"

typedef struct Scalar {
	const char *name;
	int args;
	float (*one_f32)(float), (*two_f32)(float, float);
	double (*one_f64)(double), (*two_f64)(double, double);
} Scalar;

#define ONE(name, ...) {#name, 1, name##_f32, 0, name##_f64, 0},
#define TWO(name, ...) {#name, 2, 0, name##_f32, 0, name##_f64},
static const Scalar scalars[] = {
#include "../accuracy/functions.h"
};
#undef ONE
#undef TWO
enum { SCALARS = sizeof scalars / sizeof *scalars };

#endif
