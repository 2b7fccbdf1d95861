/* table.c - the table of functions, and the choice of an instruction set. */
#include "accuracy.h"

#define ONE(name, from, to, f32, f64, left, right, shape, exact) \
	static void by_mpfr_##name(mpfr_t z, mpfr_t x) { exact; } \
	Quad quad_##name(Quad);
#define TWO(name, from, to, from2, to2, f32, f64, floor, exact) \
	static void by_mpfr_##name(mpfr_t z, mpfr_t x, mpfr_t y) { exact; } \
	Quad quad_##name(Quad, Quad);
#include "functions.h"
#undef ONE
#undef TWO

/* no operator, so that the oracle has none */
Quad quad_logsigmoid(Quad x) { return -quad_softplus(-x); }

#define ONE(name, from, to, f32, f64, left, right, shape, exact) \
	{ #name, 1, from, to, 0, 0, f32, f64, left, right, shape, quad_##name, 0, by_mpfr_##name, 0 },
#define TWO(name, from, to, from2, to2, f32, f64, floor, exact) \
	{ #name, 2, from, to, from2, to2, f32, f64, floor, floor, 0, 0, quad_##name, 0, by_mpfr_##name },
const Function functions[] = {
#include "functions.h"
};
const int function_count = sizeof functions / sizeof *functions;

const Ours *ours_of(int isa)
{
	if (isa == 0)
		return ours_0;
#if defined(__x86_64__)
	if (isa == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return ours_1;
	if (isa == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
		return ours_2;
#endif
	return 0;
}

static int best_isa(void)
{
	int isa = LANES - 1;
	while (!ours_of(isa))
		isa--;
	return isa;
}

#if defined(__x86_64__)
#define BEST(what) (best_isa() == 2 ? what##_2 : best_isa() == 1 ? what##_1 : what##_0)
#else
#define BEST(what) what##_0
#endif

const Ours *ours_best(void)   { return BEST(ours); }
const Judge *judge_best(void) { return BEST(&judge); }
