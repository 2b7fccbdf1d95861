/* series.c - functions that MPFR lacks, or has too slowly, as series on its arithmetic: PRECISION bits and a margin. */
#include "accuracy.h"
#include <math.h>

enum { WORK = PRECISION + 80, TERMS = 60, SHIFT = 60 };

/* Bernoulli's numbers B_2 ... from B_2k = 2 (2k)!/(2 pi)^2k * zeta(2k), signs alternating */
static void bernoulli(mpfr_t out, int k)
{
	mpfr_t p;
	mpfr_init2(p, WORK);
	mpfr_const_pi(p, MPFR_RNDN);
	mpfr_mul_2ui(p, p, 1, MPFR_RNDN);
	mpfr_pow_ui(p, p, 2 * (unsigned long)k, MPFR_RNDN);
	mpfr_zeta_ui(out, 2 * (unsigned long)k, MPFR_RNDN);
	mpfr_div(out, out, p, MPFR_RNDN);
	mpfr_fac_ui(p, 2 * (unsigned long)k, MPFR_RNDN);
	mpfr_mul(out, out, p, MPFR_RNDN);
	mpfr_mul_2ui(out, out, 1, MPFR_RNDN);
	if (k % 2 == 0) mpfr_neg(out, out, MPFR_RNDN);
	mpfr_clear(p);
}

/* each thread's own, since MPFR's numbers are */
static __thread struct {
	mpfr_t number[TERMS + 1];
	bool made;
} table;

static const mpfr_t *bernoulli_table(void)
{
	for (int k = 1; !table.made && k <= TERMS; k++) {
		mpfr_init2(table.number[k], WORK);
		bernoulli(table.number[k], k);
	}
	table.made = true;
	return (const mpfr_t *)table.number;
}

void series_end(void)
{
	for (int k = 1; table.made && k <= TERMS; k++)
		mpfr_clear(table.number[k]);
	table.made = false;
}

/* psi or psi' for x > 0: recurrence to SHIFT, then Stirling's series; n is 0 or 1 */
static void polygamma_right(mpfr_t sum, mpfr_t x, int n)
{
	const mpfr_t *b = bernoulli_table();
	mpfr_t z, r, p, t;
	mpfr_inits2(WORK, z, r, p, t, (mpfr_ptr)0);
	mpfr_set(z, x, MPFR_RNDN);
	mpfr_set_zero(sum, 1);
	while (mpfr_cmp_ui(z, SHIFT) < 0) {
		mpfr_ui_div(t, 1, z, MPFR_RNDN);
		if (n) mpfr_sqr(t, t, MPFR_RNDN), mpfr_add(sum, sum, t, MPFR_RNDN);
		else mpfr_sub(sum, sum, t, MPFR_RNDN);
		mpfr_add_ui(z, z, 1, MPFR_RNDN);
	}
	mpfr_ui_div(r, 1, z, MPFR_RNDN);
	mpfr_div_2ui(t, r, 1, MPFR_RNDN);
	mpfr_sqr(p, r, MPFR_RNDN);
	if (n) {
		mpfr_add(sum, sum, r, MPFR_RNDN);
		mpfr_mul(t, t, r, MPFR_RNDN);
		mpfr_add(sum, sum, t, MPFR_RNDN);
	} else {
		mpfr_sub(sum, sum, t, MPFR_RNDN);
		mpfr_log(t, z, MPFR_RNDN);
		mpfr_add(sum, sum, t, MPFR_RNDN);
	}
	mpfr_t power;
	mpfr_init2(power, WORK);
	mpfr_set(power, p, MPFR_RNDN);
	for (int k = 1; k <= TERMS; k++) {
		mpfr_mul(t, b[k], power, MPFR_RNDN);
		if (n) mpfr_mul(t, t, r, MPFR_RNDN), mpfr_add(sum, sum, t, MPFR_RNDN);
		else mpfr_div_ui(t, t, 2 * (unsigned long)k, MPFR_RNDN), mpfr_sub(sum, sum, t, MPFR_RNDN);
		if (mpfr_zero_p(t) || mpfr_get_exp(t) < mpfr_get_exp(sum) - WORK) break;
		mpfr_mul(power, power, p, MPFR_RNDN);
	}
	mpfr_clears(z, r, p, t, power, (mpfr_ptr)0);
}

/* by reflection below 0: psi(1 - x) - pi cot(pi x), and (pi/sin(pi x))^2 - psi'(1 - x) */
static void polygamma(mpfr_t out, mpfr_t x, int n)
{
	if (mpfr_nan_p(x) || (mpfr_inf_p(x) && mpfr_sgn(x) < 0)) { mpfr_set_nan(out); return; }
	if (mpfr_inf_p(x)) { if (n) mpfr_set_zero(out, 1); else mpfr_set(out, x, MPFR_RNDN); return; }
	if (mpfr_zero_p(x)) { mpfr_set_inf(out, n || mpfr_signbit(x) ? 1 : -1); return; }
	if (mpfr_sgn(x) < 0 && mpfr_integer_p(x)) { if (n) mpfr_set_inf(out, 1); else mpfr_set_nan(out); return; }
	mpfr_t s, t, u;
	mpfr_inits2(WORK, s, t, (mpfr_ptr)0);
	mpfr_init2(u, WORK + 1100);
	if (mpfr_sgn(x) > 0) polygamma_right(s, x, n);
	else {
		mpfr_ui_sub(u, 1, x, MPFR_RNDN);
		polygamma_right(s, u, n);
		mpfr_tanpi(t, x, MPFR_RNDN);
		if (n) mpfr_sinpi(t, x, MPFR_RNDN);
		mpfr_const_pi(u, MPFR_RNDN);
		mpfr_div(t, u, t, MPFR_RNDN);
		if (n) mpfr_sqr(t, t, MPFR_RNDN), mpfr_sub(s, t, s, MPFR_RNDN);
		else mpfr_sub(s, s, t, MPFR_RNDN);
	}
	mpfr_set(out, s, MPFR_RNDN);
	mpfr_clears(s, t, u, (mpfr_ptr)0);
}

void series_digamma(mpfr_t out, mpfr_t x)  { polygamma(out, x, 0); }
void series_trigamma(mpfr_t out, mpfr_t x) { polygamma(out, x, 1); }

/* Newton's steps on erf, on erfc for |x| > 1/2, whose residual does not cancel; each doubles the digits */
void series_erfinv(mpfr_t out, mpfr_t x)
{
	mpfr_t a, y, r, e, c;
	if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 1) >= 0) {
		if (!mpfr_nan_p(x) && mpfr_cmpabs_ui(x, 1) == 0) mpfr_set_inf(out, mpfr_sgn(x));
		else mpfr_set_nan(out);
		return;
	}
	if (mpfr_zero_p(x)) { mpfr_set(out, x, MPFR_RNDN); return; }
	mpfr_inits2(WORK, a, y, r, e, c, (mpfr_ptr)0);
	mpfr_abs(a, x, MPFR_RNDN);
	double b = mpfr_get_d(a, MPFR_RNDN), l = log((1 - b) * (1 + b)), h = 4.3307467508 + 0.5 * l;
	mpfr_set_d(y, b < 0.1 ? 0.886 * b : sqrt(sqrt(h * h - l / 0.147) - h), MPFR_RNDN);     /* S. Winitzki, 2008 */
	mpfr_const_pi(c, MPFR_RNDN);
	mpfr_sqrt(c, c, MPFR_RNDN);
	mpfr_div_2ui(c, c, 1, MPFR_RNDN);
	if (mpfr_get_exp(a) < -400) mpfr_mul(y, a, c, MPFR_RNDN);
	for (int i = 0; i < 7; i++) {
		if (mpfr_cmp_d(a, 0.5) < 0) mpfr_erf(r, y, MPFR_RNDN), mpfr_sub(r, r, a, MPFR_RNDN);
		else {
			mpfr_erfc(r, y, MPFR_RNDN);
			mpfr_ui_sub(e, 1, a, MPFR_RNDN);
			mpfr_sub(r, e, r, MPFR_RNDN);
		}
		mpfr_sqr(e, y, MPFR_RNDN);
		mpfr_exp(e, e, MPFR_RNDN);
		mpfr_mul(r, r, e, MPFR_RNDN);
		mpfr_mul(r, r, c, MPFR_RNDN);
		mpfr_sub(y, y, r, MPFR_RNDN);
	}
	mpfr_setsign(out, y, mpfr_signbit(x), MPFR_RNDN);
	mpfr_clears(a, y, r, e, c, (mpfr_ptr)0);
}

/* 1 - 1/y + 3/y^2 - 15/y^3 ..., asymptotic: 120 terms fall below 2^-280 for y >= 1600 */
static void mills(mpfr_t out, mpfr_t y)
{
	mpfr_t t;
	mpfr_init2(t, WORK);
	mpfr_ui_div(t, 1, y, MPFR_RNDN);
	mpfr_set_ui(out, 1, MPFR_RNDN);
	for (int k = 120; k > 0; k--) {
		mpfr_mul(out, out, t, MPFR_RNDN);
		mpfr_mul_si(out, out, -(2 * k - 1), MPFR_RNDN);
		mpfr_add_ui(out, out, 1, MPFR_RNDN);
	}
	mpfr_clear(t);
}

/* e^(x^2)*erfc(x) */
void series_erfcx(mpfr_t out, mpfr_t x)
{
	mpfr_t s, t;
	if (mpfr_nan_p(x)) { mpfr_set_nan(out); return; }
	if (mpfr_inf_p(x)) { if (mpfr_sgn(x) < 0) mpfr_set_inf(out, 1); else mpfr_set_zero(out, 1); return; }
	mpfr_inits2(WORK, s, t, (mpfr_ptr)0);
	mpfr_sqr(s, x, MPFR_RNDN);
	if (mpfr_cmp_ui(x, 30) < 0) {
		mpfr_exp(s, s, MPFR_RNDN);
		if (mpfr_cmp_si(x, -30) < 0) mpfr_set_ui(t, 2, MPFR_RNDN);     /* to 1,300 bits */
		else mpfr_erfc(t, x, MPFR_RNDN);
		mpfr_mul(out, s, t, MPFR_RNDN);
	} else {
		mpfr_mul_2ui(s, s, 1, MPFR_RNDN);
		mills(t, s);
		mpfr_div(t, t, x, MPFR_RNDN);
		mpfr_const_pi(s, MPFR_RNDN);
		mpfr_rec_sqrt(s, s, MPFR_RNDN);
		mpfr_mul(out, s, t, MPFR_RNDN);
	}
	mpfr_clears(s, t, (mpfr_ptr)0);
}

/* log of the normal distribution's integral; left of -40 by the asymptotic series of Mills' ratio */
void series_log_ndtr(mpfr_t out, mpfr_t x)
{
	mpfr_t z, s, t;
	if (mpfr_inf_p(x)) { if (mpfr_sgn(x) < 0) mpfr_set(out, x, MPFR_RNDN); else mpfr_set_zero(out, -1); return; }
	if (mpfr_cmp_ui(x, 40) > 0) {              /* no format of ours reaches e^-800 */
		mpfr_set_si_2exp(out, -1, -1200, MPFR_RNDN);
		return;
	}
	mpfr_inits2(WORK, z, s, t, (mpfr_ptr)0);
	if (mpfr_cmp_si(x, -40) > 0) {
		mpfr_sqrt_ui(z, 2, MPFR_RNDN);
		mpfr_div(z, x, z, MPFR_RNDN);
		bool right = mpfr_sgn(x) > 0;
		if (!right) mpfr_neg(z, z, MPFR_RNDN);
		mpfr_erfc(z, z, MPFR_RNDN);
		mpfr_div_2ui(z, z, 1, MPFR_RNDN);
		if (right) mpfr_neg(z, z, MPFR_RNDN), mpfr_log1p(out, z, MPFR_RNDN);
		else mpfr_log(out, z, MPFR_RNDN);
	} else {
		mpfr_sqr(z, x, MPFR_RNDN);
		mills(s, z);
		mpfr_log(s, s, MPFR_RNDN);
		mpfr_const_pi(t, MPFR_RNDN);
		mpfr_mul_2ui(t, t, 1, MPFR_RNDN);
		mpfr_mul(t, t, z, MPFR_RNDN);
		mpfr_log(t, t, MPFR_RNDN);
		mpfr_add(z, z, t, MPFR_RNDN);
		mpfr_div_2ui(z, z, 1, MPFR_RNDN);
		mpfr_sub(out, s, z, MPFR_RNDN);
	}
	mpfr_clears(z, s, t, (mpfr_ptr)0);
}

/* e^-|x| times Bessel's I of order 0 or 1: the power series, whose terms are all positive; past 150, the asymptotic
 * one, whose terms fall to e^-2|x| */
void series_bessel(mpfr_t out, mpfr_t x, int order)
{
	mpfr_t a, sum, t, z;
	if (mpfr_nan_p(x)) { mpfr_set_nan(out); return; }
	if (mpfr_inf_p(x)) { mpfr_set_zero(out, order ? mpfr_sgn(x) : 1); return; }
	mpfr_inits2(WORK, a, sum, t, z, (mpfr_ptr)0);
	mpfr_abs(a, x, MPFR_RNDN);
	mpfr_set_ui(sum, 1, MPFR_RNDN);
	mpfr_set_ui(t, 1, MPFR_RNDN);
	bool far = mpfr_cmp_ui(a, 150) > 0;
	if (far) mpfr_ui_div(z, 1, a, MPFR_RNDN);
	else mpfr_sqr(z, a, MPFR_RNDN);
	mpfr_div_2ui(z, z, far ? 3 : 2, MPFR_RNDN);
	for (long k = 1; k < 2000; k++) {
		mpfr_mul(t, t, z, MPFR_RNDN);
		if (far) mpfr_mul_si(t, t, (2 * k - 1) * (2 * k - 1) - 4 * order, MPFR_RNDN);
		mpfr_div_ui(t, t, (unsigned long)(far ? k : k * (k + order)), MPFR_RNDN);
		mpfr_add(sum, sum, t, MPFR_RNDN);
		if (mpfr_zero_p(t) || mpfr_get_exp(t) < mpfr_get_exp(sum) - WORK) break;
	}
	if (far) {
		mpfr_const_pi(t, MPFR_RNDN);
		mpfr_mul(t, t, a, MPFR_RNDN);
		mpfr_mul_2ui(t, t, 1, MPFR_RNDN);
		mpfr_rec_sqrt(t, t, MPFR_RNDN);
		mpfr_mul(sum, sum, t, MPFR_RNDN);
		if (order) mpfr_setsign(sum, sum, mpfr_signbit(x), MPFR_RNDN);
	} else {
		mpfr_neg(a, a, MPFR_RNDN);
		mpfr_exp(a, a, MPFR_RNDN);
		mpfr_mul(sum, sum, a, MPFR_RNDN);
		if (order) mpfr_mul(sum, sum, x, MPFR_RNDN), mpfr_div_2ui(sum, sum, 1, MPFR_RNDN);
	}
	mpfr_set(out, sum, MPFR_RNDN);
	mpfr_clears(a, sum, t, z, (mpfr_ptr)0);
}
