/* exact.c - references on MPFR's arithmetic, PRECISION bits and more where a form cancels.
 * What these give is near enough to the true value to decide every rounding met here. */
#include "accuracy.h"

/* MPFR's is +infinity at -0 too */
void exact_rsqrt(mpfr_t out, mpfr_t x)
{
	mpfr_rec_sqrt(out, x, MPFR_RNDN);
	if (mpfr_zero_p(x)) mpfr_set_inf(out, mpfr_signbit(x) ? -1 : 1);
}

void exact_lgamma(mpfr_t out, mpfr_t x)
{
	int sign;
	mpfr_lgamma(out, &sign, x, MPFR_RNDN);
}

/* log(1 + e^x), also of its negative for logsigmoid */
void exact_softplus(mpfr_t out, mpfr_t x)
{
	mpfr_t e;
	mpfr_init2(e, PRECISION);
	mpfr_abs(e, x, MPFR_RNDN);
	mpfr_neg(e, e, MPFR_RNDN);
	mpfr_exp(e, e, MPFR_RNDN);
	mpfr_log1p(e, e, MPFR_RNDN);
	if (mpfr_sgn(x) > 0) mpfr_add(out, e, x, MPFR_RNDN);
	else mpfr_set(out, e, MPFR_RNDN);
	mpfr_clear(e);
}

void exact_logsigmoid(mpfr_t out, mpfr_t x)
{
	mpfr_t n;
	mpfr_init2(n, PRECISION);
	mpfr_neg(n, x, MPFR_RNDN);
	exact_softplus(out, n);
	mpfr_neg(out, out, MPFR_RNDN);
	mpfr_clear(n);
}

/* 1/(1 + e^-t) */
static void sigmoid(mpfr_t out, mpfr_t t)
{
	mpfr_neg(out, t, MPFR_RNDN);
	mpfr_exp(out, out, MPFR_RNDN);
	mpfr_add_ui(out, out, 1, MPFR_RNDN);
	mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

void exact_sigmoid(mpfr_t out, mpfr_t x) { sigmoid(out, x); }

void exact_silu(mpfr_t out, mpfr_t x)
{
	sigmoid(out, x);
	mpfr_mul(out, out, x, MPFR_RNDN);
	if (mpfr_inf_p(x) && mpfr_sgn(x) < 0) mpfr_set_zero(out, -1);
}

/* 1 - e^-x is expm1's to the last bit, so the form cancels only where it may: next to 1, by log1p */
void exact_log1mexp(mpfr_t out, mpfr_t x)
{
	mpfr_neg(out, x, MPFR_RNDN);
	if (mpfr_cmp_d(x, 0.7) < 0) {
		mpfr_expm1(out, out, MPFR_RNDN);
		mpfr_neg(out, out, MPFR_RNDN);
		mpfr_log(out, out, MPFR_RNDN);
		return;
	}
	mpfr_exp(out, out, MPFR_RNDN);
	mpfr_neg(out, out, MPFR_RNDN);
	mpfr_log1p(out, out, MPFR_RNDN);
}

/* log1p((2x - 1)/(1 - x)) */
void exact_logit(mpfr_t out, mpfr_t x)
{
	mpfr_t n, d;
	mpfr_inits2(1400, n, d, (mpfr_ptr)0);
	mpfr_ui_sub(d, 1, x, MPFR_RNDN);
	mpfr_mul_2ui(n, x, 1, MPFR_RNDN);
	mpfr_sub_ui(n, n, 1, MPFR_RNDN);
	mpfr_div(n, n, d, MPFR_RNDN);
	mpfr_log1p(out, n, MPFR_RNDN);
	mpfr_clears(n, d, (mpfr_ptr)0);
}

void exact_logaddexp(mpfr_t out, mpfr_t x, mpfr_t y)
{
	mpfr_t d, m;
	mpfr_inits2(PRECISION + 2100, d, m, (mpfr_ptr)0);
	mpfr_max(m, x, y, MPFR_RNDN);
	mpfr_sub(d, x, y, MPFR_RNDN);
	mpfr_abs(d, d, MPFR_RNDN);
	mpfr_neg(d, d, MPFR_RNDN);
	mpfr_prec_round(d, PRECISION, MPFR_RNDN);
	mpfr_exp(d, d, MPFR_RNDN);
	mpfr_log1p(d, d, MPFR_RNDN);
	mpfr_add(out, m, d, MPFR_RNDN);
	if (mpfr_inf_p(x) && mpfr_inf_p(y) && mpfr_equal_p(x, y)) mpfr_set(out, x, MPFR_RNDN);
	mpfr_clears(d, m, (mpfr_ptr)0);
}

void exact_xlogy(mpfr_t out, mpfr_t x, mpfr_t y)
{
	mpfr_log(out, y, MPFR_RNDN);
	mpfr_mul(out, out, x, MPFR_RNDN);
	if (mpfr_zero_p(x) && !mpfr_nan_p(y)) mpfr_set_zero(out, 1);
}

void exact_sinc(mpfr_t out, mpfr_t x)
{
	mpfr_t p;
	if (mpfr_zero_p(x)) { mpfr_set_ui(out, 1, MPFR_RNDN); return; }
	if (mpfr_inf_p(x)) { mpfr_set_zero(out, 1); return; }
	mpfr_init2(p, PRECISION);
	mpfr_const_pi(p, MPFR_RNDN);
	mpfr_mul(p, p, x, MPFR_RNDN);
	mpfr_sinpi(out, x, MPFR_RNDN);
	mpfr_div(out, out, p, MPFR_RNDN);
	mpfr_clear(p);
}

/* erfc(-x/sqrt 2)/2; 60 more bits for x/sqrt 2, whose error counts x^2 times */
void exact_ndtr(mpfr_t out, mpfr_t x)
{
	mpfr_t z;
	mpfr_init2(z, PRECISION + 60);
	mpfr_sqrt_ui(z, 2, MPFR_RNDN);
	mpfr_div(z, x, z, MPFR_RNDN);
	mpfr_neg(z, z, MPFR_RNDN);
	mpfr_erfc(out, z, MPFR_RNDN);
	mpfr_div_2ui(out, out, 1, MPFR_RNDN);
	mpfr_clear(z);
}

void exact_gelu(mpfr_t out, mpfr_t x)
{
	exact_ndtr(out, x);
	mpfr_mul(out, out, x, MPFR_RNDN);
	if (mpfr_inf_p(x) && mpfr_sgn(x) < 0) mpfr_set_zero(out, -1);
}

/* x*sigmoid(2u), u = sqrt(2/pi)*(x + 0.044715 x^3) */
void exact_gelu_tanh(mpfr_t out, mpfr_t x)
{
	mpfr_t u, c;
	mpfr_inits2(PRECISION + 60, u, c, (mpfr_ptr)0);
	mpfr_set_str(c, "0.044715", 10, MPFR_RNDN);
	mpfr_sqr(u, x, MPFR_RNDN);
	mpfr_mul(u, u, c, MPFR_RNDN);
	mpfr_add_ui(u, u, 1, MPFR_RNDN);
	mpfr_mul(u, u, x, MPFR_RNDN);
	mpfr_const_pi(c, MPFR_RNDN);
	mpfr_ui_div(c, 8, c, MPFR_RNDN);
	mpfr_sqrt(c, c, MPFR_RNDN);
	mpfr_mul(u, u, c, MPFR_RNDN);
	sigmoid(out, u);
	mpfr_mul(out, out, x, MPFR_RNDN);
	if (mpfr_inf_p(x) && mpfr_sgn(x) < 0) mpfr_set_zero(out, -1);
	mpfr_clears(u, c, (mpfr_ptr)0);
}

/* the sum of the logarithms with as many more bits as they can cancel; of x and y >= 0 */
void exact_lbeta(mpfr_t out, mpfr_t x, mpfr_t y)
{
	mpfr_t a, b, c;
	int sign;
	if (mpfr_nan_p(x) || mpfr_nan_p(y) || mpfr_sgn(x) < 0 || mpfr_sgn(y) < 0) { mpfr_set_nan(out); return; }
	if (mpfr_inf_p(x) || mpfr_inf_p(y)) {
		if (mpfr_zero_p(x) || mpfr_zero_p(y)) mpfr_set_nan(out);
		else mpfr_set_inf(out, -1);
		return;
	}
	if (mpfr_zero_p(x) || mpfr_zero_p(y)) { mpfr_set_inf(out, 1); return; }
	long more = mpfr_get_exp(x) - mpfr_get_exp(y);
	mpfr_inits2(PRECISION + 80 + (more < 0 ? -more : more), a, b, c, (mpfr_ptr)0);
	mpfr_add(c, x, y, MPFR_RNDN);
	mpfr_lgamma(a, &sign, x, MPFR_RNDN);
	mpfr_lgamma(b, &sign, y, MPFR_RNDN);
	mpfr_lgamma(c, &sign, c, MPFR_RNDN);
	mpfr_sub(b, b, c, MPFR_RNDN);
	mpfr_add(out, a, b, MPFR_RNDN);
	mpfr_clears(a, b, c, (mpfr_ptr)0);
}
