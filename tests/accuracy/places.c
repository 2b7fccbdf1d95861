/* places.c - results depend on the operands alone: not on the place in a vector, on the neighbours, on its length, or
 * on the instruction set. */
#include "accuracy.h"
#include "inputs.h"
#include <string.h>

enum { SIZE = 67, ROUNDS = 40 };

static bool same_f32(float a, float b) { return (a != a && b != b) || !memcmp(&a, &b, sizeof a); }
static bool same_f64(double a, double b) { return (a != a && b != b) || !memcmp(&a, &b, sizeof a); }

/* vectors of samples, every seventh a landmark (an infinity, NaN, a huge number), against one element at a time */
static bool function_keeps_places(const Function *f, int isa)
{
	const Ours *o = ours_of(isa) + (f - functions), *alone = ours_of(0) + (f - functions);
	for (int round = 0; round < ROUNDS; round++) {
		float x[SIZE], y[SIZE], z[SIZE], one;
		double a[SIZE], b[SIZE], c[SIZE], two;
		int n = SIZE - round % 37;
		for (int i = 0; i < n; i++) {
			uint64_t at = i % 7 == round % 7 ? (uint64_t)(i + round) : 1000000u + (uint64_t)(round * SIZE + i);
			a[i] = sample(f, at, 0), b[i] = sample(f, at, 1);
			x[i] = (float)a[i], y[i] = (float)b[i];
		}
		o->f32(x, y, z, n);
		o->f64(a, b, c, n);
		for (int i = 0; i < n; i++) {
			alone->f32(x + i, y + i, &one, 1);
			alone->f64(a + i, b + i, &two, 1);
			if (same_f32(one, z[i]) && same_f64(two, c[i]))
				continue;
			fprintf(stderr, "%s: element %d of %d of instruction set %d: %a and %a at %a; %a and %a at %a\n", f->name, i, n, isa,
			        (double)z[i], (double)one, (double)x[i], c[i], two, a[i]);
			return false;
		}
	}
	return true;
}

bool places_kept(const Function *f)
{
	for (int isa = 0; isa < LANES; isa++)
		if (ours_of(isa) && !function_keeps_places(f, isa))
			return false;
	return true;
}
