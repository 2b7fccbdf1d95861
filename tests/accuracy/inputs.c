/* inputs.c - see inputs.h */
#include "inputs.h"
#include <math.h>
#include <string.h>

/* S. Vigna's splitmix64 */
static uint64_t hash(uint64_t i)
{
	i = (i + 1) * 0x9e3779b97f4a7c15;
	i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
	i = (i ^ i >> 27) * 0x94d049bb133111eb;
	return i ^ i >> 31;
}

static double unit(uint64_t h) { return (double)(h >> 11) * 0x1p-53; }

/* Specials; thresholds of common formulas and of the range; zeros of lgamma and digamma; near multiples of pi/2: the
 * double nearest to one (J.-M. Muller, Elementary Functions, 3rd edition, 2016, chapter 11) and numerators of its
 * convergents. */
static const double landmark[] = { 0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 4, 10, 0x1p-1074, -0x1p-1074, 0x1p-1022,
	0x1p-149, -0x1p-149, 0x1p-126, -0x1p-126, 0x1.fffffep127, -0x1.fffffep127, 0x1.fffffffffffffp1023,
	-0x1.fffffffffffffp1023, INFINITY, -INFINITY, NAN, 0.9, 0.6, 0.25, 0.75, 1.5, 2.5, 12, 1e-8, -1e-8, 1e8, 1e16,
	88.7228, -87.3365, -103.97, 709.78, -708.396, -745.13, 171.62, 35.04, -183.5, 0x1p-25, 0x1p-54, 0x1p-27, 0x1p-12,
	0.69314718055994530942, 0.34657359027997264, 1.0397207708399179, 1.5707963267948966, 3.1415926535897931,
	0.78539816339744828, 4.7123889803846897, 1e22, 0x1.921fb6p0, 26.5, 6, 9.19, 1.4616321449683623,
	-0.50408300826445541, -2.4570247382208006, -2.7476826467274127, -3.1435808883499798, -3.955294284858598,
	0.70710678118654757, 1.4142135623730951, 6381956970095103 * 0x1p797, 5319372648326541 * 0x1p416, 103993, 208341,
	312689, 833719, 1146408, 4272943, 5419351, 80143857, 165707065, 245850922, 411557987, 14.134725, 37.5, -37.5, -38.4 };

enum { LANDMARKS = sizeof landmark / sizeof *landmark };

/* x moved by about 2^k places for a random k; NaN and the infinities stay */
static double beside(double x, uint64_t h)
{
	uint64_t u;
	if (x - x != 0)
		return x;
	memcpy(&u, &x, 8);
	uint64_t off = (h >> 8) >> (12 + (h & 63) % 52);
	u = h >> 7 & 1 ? u + off : u - off;
	memcpy(&x, &u, 8);
	return x;
}

double sample(const Function *f, uint64_t i, int operand)
{
	double a = operand ? f->from2 : f->from, b = operand ? f->to2 : f->to, x;
	uint64_t h = hash(2 * i + (uint64_t)operand), g = hash(h);
	if (i < (uint64_t)LANDMARKS * (f->args == 1 ? 1 : LANDMARKS))
		return landmark[operand ? i / LANDMARKS : i % LANDMARKS];
	switch (f->args == 1 ? i % 8 : (h >> 3) % 8) {
	case 0:
		memcpy(&x, &g, 8);
		return x;
	case 1: return ldexp(unit(g) - 0.5, (int)(h % 280) - 150);
	case 2: return ldexp(unit(g) - 0.5, (int)(h % 40) - 30);
	case 3: return (double)(int)(h % 64) / 2 - 16;
	case 4: return beside(landmark[h % LANDMARKS], g);
	default: return a + (b - a) * unit(g);
	}
}
