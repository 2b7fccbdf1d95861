/* ours.c - the functions under check as loops over vectors, compiled once for each instruction set (OURS_ISA). */
#include "accuracy.h"
#include "../../src/math/math.h"

#define ONE(name, ...) \
	static void name##_loop_f32(const float *restrict x, const float *y, float *restrict out, int n) \
	{ \
		(void)y; \
		for (int i = 0; i < n; i++) out[i] = name##_f32(x[i]); \
	} \
	static void name##_loop_f64(const double *restrict x, const double *y, double *restrict out, int n) \
	{ \
		(void)y; \
		for (int i = 0; i < n; i++) out[i] = name##_f64(x[i]); \
	}
#define TWO(name, ...) \
	static void name##_loop_f32(const float *restrict x, const float *restrict y, float *restrict out, int n) \
	{ \
		for (int i = 0; i < n; i++) out[i] = name##_f32(x[i], y[i]); \
	} \
	static void name##_loop_f64(const double *restrict x, const double *restrict y, double *restrict out, int n) \
	{ \
		for (int i = 0; i < n; i++) out[i] = name##_f64(x[i], y[i]); \
	}
#include "functions.h"
#undef ONE
#undef TWO

#define ONE(name, ...) { name##_loop_f32, name##_loop_f64 },
#define TWO(name, ...) { name##_loop_f32, name##_loop_f64 },
#define TABLE_(isa) ours_##isa
#define TABLE(isa) TABLE_(isa)
const Ours TABLE(OURS_ISA)[] = {
#include "functions.h"
};
