/* sample_hard.c - the values that decide: of every size, at the ends of dtypes, and alike.
 *
 * What a guard lets through must not be the easy part.  So values are drawn as they are hard (powers of two
 * and their neighbours, subnormal, tiny, huge, beyond the whole numbers that a dtype has), moved to where the
 * guard holds, and others made of them: equal, a few units in the last place away or as far as a narrower
 * dtype rounds, of integers by a power of two, which a product, a shift or a conversion loses, nearly a
 * multiple, a factor with which the product is at the end of the range, an odd exponent that is barely a
 * number.
 */
#include "sample.h"

static int least_exponent(Dtype d)
{
	return ilogb(dtype_min(d));
}

/* So many units in the last place away */
static double stepped(Dtype d, double x, int n)
{
	if (!isfinite(x)) return x;
	int least = least_exponent(d), e = x == 0 || ilogb(x) < least ? least : ilogb(x);
	return x + ldexp(n, e - dtype_digits(d) + 1);
}

static double either_sign(Random *r, double x)
{
	return random_below(r, 2) ? x : -x;
}

static int either(Random *r, int x, int y)
{
	return random_below(r, 2) ? x : y;
}

static double hard_float(Instance *in, Dtype d)
{
	Random *r = in->random;
	int digits = dtype_digits(d), half = ilogb(dtype_max(d)) / 2, small = (int)random_below(r, 7) - 3;
	if (in->rule->law == LAW_EXACT && !random_below(r, 16)) return sample_value(r, SAMPLE_SPECIAL);
	switch (random_below(r, 10)) {
	case 0: return sample_of_range(r, d);
	case 1: return sample_value(r, 0);
	case 2: return sample_value(r, SAMPLE_TIES);
	case 3: return stepped(d, either_sign(r, ldexp(1, (int)random_below(r, 121) - 60)), small / 2);
	case 4: return either_sign(r, ldexp(random_below(r, 5), least_exponent(d) - digits + 1));
	case 5: return either_sign(r, (1.0 + random_below(r, 30)) / (1 + random_below(r, 30)));
	case 6: return either_sign(r, ldexp(1, digits - 3 + (int)random_below(r, 5)) + small);
	case 7: return either_sign(r, pow(10, (double)random_below(r, 41) - 20));
	case 8:
		half += (int)random_below(r, (uint32_t)half);
		return either_sign(r, ldexp(1, either(r, half, -half)));
	default: return sample_value(r, (int)random_below(r, 5));
	}
}

static int64_t hard_whole(Random *r, Dtype d)
{
	uint32_t bits = 8 * (uint32_t)dtype_bytes(d);
	uint64_t power = (uint64_t)1 << random_below(r, bits);
	switch (random_below(r, 4)) {
	case 0: return (int64_t)random_below(r, 9) - 4;
	case 1: return (int64_t)(power + random_below(r, 3) - 1);
	case 2: return (int64_t)(1 + random_below(r, 3) - power - random_below(r, 2));
	default: return sample_integer(r);
	}
}

static void put_hard(Instance *in, Dtype d, void *at)
{
	if (dtype_is_integer(d)) {
		int64_t x = hard_whole(in->random, d);
		memcpy(at, &x, dtype_bytes(d));
	} else {
		sample_put_float(in, d, at, hard_float(in, d));
	}
}

/* ---- one made of another ------------------------------------------------------------------------- */

static int64_t kin_whole(Random *r, Dtype d, int64_t x)
{
	uint32_t bits = 8 * (uint32_t)dtype_bytes(d);
	uint64_t u = (uint64_t)x, power = (uint64_t)1 << random_below(r, bits);
	switch (random_below(r, 8)) {
	case 0: return x;
	case 1:
	case 2: return (int64_t)(u + random_below(r, 7) - 3);
	case 3: return (int64_t)(u + ((uint64_t)1 << (bits - 1)));
	case 4: return (int64_t)(u + power);
	case 5: return (int64_t)(u ^ power);
	case 6: return (int64_t)(u * random_below(r, 12));
	default: return (int64_t)-u;
	}
}

/* A factor of x with which the product lies at an end of the range */
static double at_the_end(Random *r, Dtype d, double x)
{
	int least = least_exponent(d) - dtype_digits(d), near = (int)random_below(r, 60);
	int exponent = either(r, least - 30 + near, ilogb(dtype_max(d)) - near / 8);
	if (x == 0 || !isfinite(x)) return x;
	return either_sign(r, ldexp(1 + random_below(r, 8) / 8.0, exponent - ilogb(x)));
}

static double kin_float(Instance *in, Dtype d, double x)
{
	Random *r = in->random;
	switch (random_below(r, 10)) {
	case 0: return x;
	case 1: return stepped(d, x, (int)random_below(r, 7) - 3);
	case 2:
	case 9: return stepped(d, x, either(r, 1, -1));
	case 3: return x * (1 + either_sign(r, exp2(-6 - 46.0 * random_below(r, 1000) / 1000)));
	case 4: return -stepped(d, x, (int)random_below(r, 3) - 1);
	case 5: return x * (1 + random_below(r, 20));
	case 6: return x / (1 + random_below(r, 20));
	case 7: return at_the_end(r, d, x);
	default: return 1 / x;
	}
}

/* Of a power: 1, -1 or another small number to one that is whole, odd or not, and huge */
static void put_power(Instance *in, Dtype d, void *base, void *exponent)
{
	static const double huge[] = {0x1p52, 0x1p53, 0x1p54, 1e20, 1e16, 16777216};
	double whole = huge[random_below(in->random, countof(huge))] + random_below(in->random, 4) - 1,
	       small = either_sign(in->random, 1 + random_below(in->random, 4) / 4.0);
	sample_put_float(in, d, base, small);
	sample_put_float(in, d, exponent, either_sign(in->random, whole));
}

static void put_kin(Instance *in, Dtype d, void *of, void *at)
{
	if (dtype_is_integer(d)) {
		int64_t x = kin_whole(in->random, d, element_whole(d, of));
		memcpy(at, &x, dtype_bytes(d));
	} else if (!random_below(in->random, 16)) {
		bool turned = random_below(in->random, 2);
		put_power(in, d, turned ? at : of, turned ? of : at);
	} else {
		sample_put_float(in, d, at, kin_float(in, d, element_number(d, of)));
	}
}

static void *element_of(const Value *v, int64_t i)
{
	return (char *)v->data + (size_t)i * dtype_bytes(v->dtype);
}

static bool is_made_hard(const Instance *in, uint32_t k, Dtype d)
{
	return !in->below[k] && d != DT_BOOL && !dtype_is_complex(d) &&
		(dtype_is_float(d) || dtype_is_integer(in->real) || in->rule->law == LAW_EXACT);
}

/* An array of few elements, of none among them, has everyday numbers where no bits are asked for; so has what
 * is right nearly. */
static bool is_everyday(const Instance *in)
{
	return in->rule->law == LAW_APPROX || (in->small && in->rule->law != LAW_EXACT);
}

static void harden(Instance *in, Value *v, uint32_t k, uint32_t of)
{
	bool alone = of == k || v[of].type != v[k].type || in->below[of];
	for (int64_t i = 0; i < v[k].count; i++) {
		void *at = element_of(&v[k], i), *from = alone ? at : element_of(&v[of], i);
		if (alone && i && !random_below(in->random, 4)) from = element_of(&v[k], i - 1);
		bool made = is_made_hard(in, k, v[k].dtype) && !is_everyday(in);
		bool first = from == at || !random_below(in->random, 4);
		if (made && first) put_hard(in, v[k].dtype, at);
		if (made && !first) put_kin(in, v[k].dtype, from, at);
		if (!random_below(in->random, 8)) continue;
		bool moved = instance_move(in, k, &v[k], i);
		if (alone) continue;
		if (moved && made) put_kin(in, v[k].dtype, at, from);
		instance_move(in, of, &v[of], i);
	}
}

void instance_harden(Instance *in, Value *v)
{
	for (uint32_t k = 0; k < in->ninput; k++) harden(in, v, k, random_below(in->random, k + 1));
	instance_put_in_order(in, v);
}
