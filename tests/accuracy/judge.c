/* judge.c - f32 results beside the quick reference, as loops over vectors, compiled once for each instruction set
 * (OURS_ISA): what they cannot settle is left to run.c. */
#include "accuracy.h"
#include <math.h>
#include <string.h>

static inline uint64_t bits_of(double x) { uint64_t u; memcpy(&u, &x, 8); return u; }
static inline uint32_t float_bits(float x) { uint32_t u; memcpy(&u, &x, 4); return u; }
static inline double number_of(uint64_t u) { double x; memcpy(&x, &u, 8); return x; }

/* The error of each result in ulp; below 0 where it is in doubt: the two ends of the reference's interval round to
 * different numbers, or one side is 0, infinite or NaN and the other is not. */
static void errors(const Function *f, const double *restrict x, const double *restrict want, const float *restrict got,
                   double *restrict error, int n)
{
	double left = f->left > 0x1p-126 ? f->left : 0x1p-126, right = f->right > 0x1p-126 ? f->right : 0x1p-126;
	double near_left = f->left > 0 ? NEAR_ABSOLUTE : 0, near_right = f->right > 0 ? NEAR_ABSOLUTE : 0;
	for (int i = 0; i < n; i++) {
		double w = want[i], a = fabs(w), err = a * NEAR_RELATIVE + (x[i] < 0 ? near_left : near_right);
		double least = x[i] < 0 ? left : right, size = a > least ? a : least;
		double scale = number_of((2069ull << 52) - (bits_of(size) & 0x7ff0000000000000));
		double g = got[i], e = fabs(g - w) * scale;
		double below = (float)(w - err), above = (float)(w + err), rounded = (float)w;
		uint64_t same = bits_of(g) == bits_of(rounded), plain = a < 0x1.fffffep127;
		e = below == above ? e : -1;
		e = plain ? (g == 0 ? (rounded == 0 ? (same ? e : -1) : e) : e) : (same ? 0 : -1);
		e = w == w ? e : g == g ? -1 : 0;
		error[i] = g - g == 0 ? e : e == 0 ? 0 : -1;
	}
}

/* how often a rising function falls from one input to the next of n + 1 */
static uint64_t falls(const float *restrict x, const float *restrict y, int n)
{
	uint32_t count = 0;
	for (int i = 0; i < n; i++)
		count += (uint32_t)((x[i] < x[i + 1]) & (y[i] > y[i + 1])) + (uint32_t)((x[i] > x[i + 1]) & (y[i] < y[i + 1]));
	return count;
}

/* how often z is not y, or with `odd` not -y; NaN is like NaN */
static uint64_t unlike(const float *restrict y, const float *restrict z, bool odd, int n)
{
	uint32_t count = 0, sign = odd ? 0x80000000 : 0;
	for (int i = 0; i < n; i++)
		count += (uint32_t)(y[i] == y[i]) & (uint32_t)(float_bits(y[i]) != (float_bits(z[i]) ^ sign));
	return count;
}

#define JUDGE_(isa) judge_##isa
#define JUDGE(isa) JUDGE_(isa)
const Judge JUDGE(OURS_ISA) = { errors, falls, unlike };
