/* whole.c - exact whole numbers: schoolbook arithmetic on words of 32 bits. */
#include "whole.h"

#include <math.h>
#include <string.h>

static void trim(Whole *x)
{
	while (x->n && !x->word[x->n - 1]) x->n--;
	x->negative &= x->n > 0;
}

/* The words of a result with room to spare; false: more than there may be, or a float beyond the largest. */
static bool keep(Whole *x, bool negative, const uint32_t *word, uint32_t n)
{
	while (n && !word[n - 1]) n--;
	if (n > WHOLE_WORDS) return false;
	*x = (Whole){.negative = negative, .n = n};
	memcpy(x->word, word, n * sizeof *word);
	trim(x);
	return isfinite(whole_to_double(x, false));
}

Whole whole_of_u64(uint64_t i)
{
	Whole x = {.n = 2, .word = {(uint32_t)i, (uint32_t)(i >> 32)}};
	trim(&x);
	return x;
}

Whole whole_of_i64(int64_t i)
{
	Whole x = whole_of_u64(i < 0 ? 0 - (uint64_t)i : (uint64_t)i);
	x.negative = i < 0;
	return x;
}

static uint32_t bits_of(const uint32_t *word, uint32_t n)
{
	return n ? 32 * n - (uint32_t)__builtin_clz(word[n - 1]) : 0;
}

/* ---- as other numbers ------------------------------------------------------------ */

bool whole_to_u64(const Whole *x, uint64_t *out)
{
	if (x->negative || x->n > 2) return false;
	*out = (uint64_t)(x->n > 1 ? x->word[1] : 0) << 32 | (x->n ? x->word[0] : 0);
	return true;
}

bool whole_to_i64(const Whole *x, int64_t *out)
{
	uint64_t u;
	Whole size = *x;
	size.negative = false;
	if (!whole_to_u64(&size, &u) || u > (uint64_t)INT64_MAX + x->negative) return false;
	*out = (int64_t)(x->negative ? 0 - u : u);
	return true;
}

/* The first 64 bits, the last of them set if anything follows; they count 2^*shift. */
static uint64_t leading(const uint32_t *word, uint32_t n, int *shift)
{
	uint32_t bits = bits_of(word, n), from = bits > 64 ? bits - 64 : 0;
	uint64_t top = 0;
	bool more = false;
	for (uint32_t i = 0; i < 64 && from + i < bits; i++)
		top |= (uint64_t)(word[(from + i) / 32] >> (from + i) % 32 & 1) << i;
	for (uint32_t i = 0; i < from && !more; i++) more = word[i / 32] >> i % 32 & 1;
	*shift = (int)from;
	if (!bits) {
		*shift = 0;
		return 0;
	}
	if (bits < 64) {
		top <<= 64 - bits;
		*shift = (int)bits - 64;
	}
	return top | more;
}

/* top*2^shift, whose first bit is set unless it is 0, to the nearest double; odd: the last bit tells of a
 * rest. */
static double rounded(uint64_t top, int shift, bool odd)
{
	const int below = -1022 - (shift + 63); /* of a subnormal number bits are missing */
	if (below > 0 && below < 64) {
		bool more = top << (64 - below) != 0;
		top = top >> below | more;
		shift += below;
	}
	uint64_t digits = top >> 11, rest = top & 2047;
	digits += odd ? 0 : rest > 1024 || (rest == 1024 && digits & 1);
	return ldexp((double)(odd && rest ? digits | 1 : digits), shift + 11);
}

double whole_to_double(const Whole *x, bool odd)
{
	int shift;
	uint64_t top = leading(x->word, x->n, &shift);
	double size = rounded(top, shift, odd);
	return x->negative ? -size : size;
}

/* word *= by, word += add; false: the number of words is not enough. */
static bool scale(uint32_t *word, uint32_t *n, uint32_t most, uint32_t by, uint32_t add)
{
	uint64_t carry = add;
	for (uint32_t i = 0; i < *n; i++) {
		carry += (uint64_t)word[i] * by;
		word[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry && *n == most) return false;
	if (carry) word[(*n)++] = (uint32_t)carry;
	return true;
}

bool whole_read(Whole *x, const char *s, uint32_t base)
{
	*x = (Whole){0};
	for (;; s++) {
		int digit = -1;
		if (*s >= '0' && *s <= '9')
			digit = *s - '0';
		else if (base == 16)
			digit = (*s | 32) - 'a' + 10;
		if (digit < 0 || (uint32_t)digit >= base) break;
		if (!scale(x->word, &x->n, WHOLE_WORDS, base, (uint32_t)digit)) return false;
	}
	return isfinite(whole_to_double(x, false));
}

void whole_text(const Whole *x, char out[WHOLE_DIGITS])
{
	Whole left = *x;
	char digits[WHOLE_DIGITS], *to = digits + WHOLE_DIGITS;
	*--to = 0;
	do {
		uint64_t rest = 0;
		for (uint32_t i = left.n; i-- > 0;) {
			rest = rest << 32 | left.word[i];
			left.word[i] = (uint32_t)(rest / 10);
			rest %= 10;
		}
		trim(&left);
		*--to = (char)('0' + rest);
	} while (left.n);
	if (x->negative) *--to = '-';
	memcpy(out, to, (size_t)(digits + WHOLE_DIGITS - to));
}

/* ---- arithmetic ------------------------------------------------------------------- */

static int compare_sizes(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb)
{
	if (na != nb) return na < nb ? -1 : 1;
	for (uint32_t i = na; i-- > 0;)
		if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
	return 0;
}

int whole_compare(const Whole *x, const Whole *y)
{
	if (x->negative != y->negative) return x->negative ? -1 : 1;
	int c = compare_sizes(x->word, x->n, y->word, y->n);
	return x->negative ? -c : c;
}

Whole whole_minus(const Whole *x)
{
	Whole y = *x;
	y.negative = !x->negative && x->n;
	return y;
}

/* a -= b where a is not less, both of n words */
static void subtract(uint32_t *a, const uint32_t *b, uint32_t n)
{
	uint64_t borrow = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t d = (uint64_t)a[i] - b[i] - borrow;
		a[i] = (uint32_t)d;
		borrow = d >> 63;
	}
}

bool whole_add(Whole *out, const Whole *x, const Whole *y)
{
	uint32_t sum[WHOLE_WORDS + 1] = {0};
	if (x->negative != y->negative) {
		if (compare_sizes(x->word, x->n, y->word, y->n) < 0) return whole_add(out, y, x);
		memcpy(sum, x->word, sizeof x->word);
		uint32_t less[WHOLE_WORDS] = {0};
		memcpy(less, y->word, y->n * sizeof *less);
		for (uint32_t i = x->n; i < WHOLE_WORDS; i++) sum[i] = 0;
		subtract(sum, less, WHOLE_WORDS);
		return keep(out, x->negative, sum, WHOLE_WORDS);
	}
	uint64_t carry = 0;
	for (uint32_t i = 0; i <= WHOLE_WORDS; i++) {
		carry += (uint64_t)(i < x->n ? x->word[i] : 0) + (i < y->n ? y->word[i] : 0);
		sum[i] = (uint32_t)carry;
		carry >>= 32;
	}
	return keep(out, x->negative, sum, WHOLE_WORDS + 1);
}

bool whole_multiply(Whole *out, const Whole *x, const Whole *y)
{
	uint32_t product[2 * WHOLE_WORDS] = {0};
	for (uint32_t i = 0; i < x->n; i++) {
		uint64_t carry = 0;
		for (uint32_t k = 0; k < y->n || carry; k++) {
			carry += product[i + k] + (k < y->n ? (uint64_t)x->word[i] * y->word[k] : 0);
			product[i + k] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	return keep(out, x->negative != y->negative, product, 2 * WHOLE_WORDS);
}

bool whole_power(Whole *out, const Whole *x, const Whole *exponent)
{
	bool odd = exponent->n && exponent->word[0] & 1, unit = x->n == 1 && x->word[0] == 1;
	Whole base = *x;
	if (unit || !x->n) { /* 1, -1 and 0 have every power */
		*out = !exponent->n || (unit && !(x->negative && odd)) ? whole_of_i64(1) : *x;
		return true;
	}
	*out = whole_of_i64(1);
	if (exponent->n > 1) return false;
	for (uint32_t e = exponent->n ? exponent->word[0] : 0; e; e >>= 1) {
		if (e & 1 && !whole_multiply(out, out, &base)) return false;
		if (e > 1 && !whole_multiply(&base, &base, &base)) return false;
	}
	return true;
}

enum { WIDE = 2 * WHOLE_WORDS + 4 };

/* The bits of x*2^shift by y, from the first to the last: what is left of x stays in rest. */
static void divide_sizes(const Whole *x, uint32_t shift, const Whole *y, uint32_t quotient[WIDE],
	uint32_t rest[WIDE])
{
	uint32_t by[WIDE] = {0};
	memset(quotient, 0, WIDE * sizeof *quotient);
	memset(rest, 0, WIDE * sizeof *rest);
	memcpy(by, y->word, y->n * sizeof *by);
	for (uint32_t i = bits_of(x->word, x->n) + shift; i-- > 0;) {
		uint32_t bit = i >= shift ? x->word[(i - shift) / 32] >> (i - shift) % 32 & 1 : 0;
		for (uint32_t k = 0; k < WHOLE_WORDS + 1; k++) {
			uint32_t next = rest[k] >> 31;
			rest[k] = rest[k] << 1 | bit;
			bit = next;
		}
		uint32_t k = WHOLE_WORDS + 1;
		while (k && rest[k - 1] == by[k - 1]) k--;
		if (k && rest[k - 1] < by[k - 1]) continue;
		subtract(rest, by, WHOLE_WORDS + 1);
		quotient[i / 32] |= 1u << i % 32;
	}
}

void whole_divide(const Whole *x, const Whole *y, Whole *quotient, Whole *rest)
{
	uint32_t q[WIDE], r[WIDE];
	Whole a = *x, b = *y; /* they may be the results */
	const Whole one = whole_of_i64(-1);
	*quotient = (Whole){0};
	*rest = a;
	if (!b.n) return;
	divide_sizes(&a, 0, &b, q, r);
	keep(quotient, a.negative != b.negative, q, WHOLE_WORDS);
	keep(rest, a.negative, r, WHOLE_WORDS);
	if (!rest->n || a.negative == b.negative) return;
	whole_add(quotient, quotient, &one);
	whole_add(rest, rest, &b);
}

bool whole_shift(Whole *out, const Whole *x, int64_t left)
{
	if (!x->n) {
		*out = *x;
		return true;
	}
	if (left > WHOLE_BITS) return false;
	if (left < -WHOLE_BITS) {
		*out = whole_of_i64(x->negative ? -1 : 0);
		return true;
	}
	Whole two = whole_of_i64(2), power, exponent = whole_of_i64(left < 0 ? -left : left), rest;
	if (!whole_power(&power, &two, &exponent))
		return left < 0 && (*out = whole_of_i64(x->negative ? -1 : 0), true);
	if (left >= 0) return whole_multiply(out, x, &power);
	whole_divide(x, &power, out, &rest);
	return true;
}

double whole_quotient(const Whole *x, const Whole *y)
{
	uint32_t q[WIDE], r[WIDE], n = WIDE, bx = bits_of(x->word, x->n), by = bits_of(y->word, y->n);
	uint32_t shift = by + 66 > bx ? by + 66 - bx : 0;
	int more;
	bool rest = false;
	if (!x->n) return 0;
	divide_sizes(x, shift, y, q, r);
	for (uint32_t i = 0; i < WIDE; i++) rest |= r[i] != 0;
	while (n && !q[n - 1]) n--;
	uint64_t top = leading(q, n, &more);
	double size = rounded(top | rest, more - (int)shift, false);
	return x->negative != y->negative ? -size : size;
}
