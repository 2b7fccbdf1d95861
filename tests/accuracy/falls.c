/* falls.c - functions that fall wherever they are numbers, over neighbours among the f32 numbers.  It is quick beside the
 * references, so it is asked anew each time and no record keeps it. */
#include "accuracy.h"
#include <string.h>

static float float_of(uint32_t u)
{
	float x;
	memcpy(&x, &u, 4);
	return x;
}

/* The last number of all is NaN, so what follows it does not count. */
uint64_t climbs(const Function *f, uint64_t step)
{
	const Ours *o = ours_best() + (f - functions);
	float x[CHUNK + 1], y[CHUNK + 1];
	uint64_t count = 0;
	for (uint64_t from = 0; from * step < 1ull << 32; from += CHUNK) {
		for (int i = 0; i <= CHUNK; i++) x[i] = float_of((uint32_t)((from + (uint64_t)i) * step));
		o->f32(x, x, y, CHUNK + 1);
		for (int i = 0; i <= CHUNK; i++) y[i] = -y[i];
		count += judge_best()->falls(x, y, CHUNK);
	}
	return count;
}
