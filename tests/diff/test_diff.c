/* Derivatives of every operator against differences in binary128, in both modes, to the second order.
 *
 * A case is an expression and ranges for its variables.  With weights u and a
 * direction v:  sum(u*(f(x + h*v) - f(x - h*v)))/2h, extrapolated once, must
 * be sum(u*jvp) and sum(vjp*v); the same again for the function sum(vjp*v).
 */
#include "../../src/diff/diff.h"
#include "../../src/elab/elab.h"
#include "../../src/oracle/oracle.h"
#include "../../src/rewrite/rules.h"

#include <setjmp.h>
#include <stdio.h>
#include <cmocka.h>

typedef __float128 Quad;

typedef struct Case {
	const char *text, *variables;
} Case;

static const Case cases[] = {
	/* arithmetic */
	{"x + y", "x: f64[3] -2 2, y: f64[3] -2 2"},
	{"x - y", "x: f64[3] -2 2, y: f64 -2 2"},
	{"x*y", "x: f64[2, 3] -2 2, y: f64[3] -2 2"},
	{"x/y", "x: f64[3] -2 2, y: f64[3] 0.5 2"},
	{"x % y", "x: f64[3] 2.1 2.9, y: f64[3] 0.85 0.95"},
	{"x^y", "x: f64[3] 0.5 2, y: f64[3] -2 2"},
	{"x^3", "x: f64[3] -2 2"},
	{"x^-2", "x: f64[3] 0.5 2"},
	{"-x", "x: f64[3] -2 2"},
	{"abs(x)", "x: f64[3] 0.5 2"},
	{"abs(x)", "x: f64[3] -2 -0.5"},
	{"sign(x)*x", "x: f64[3] 0.5 2"},
	{"max(x, y)", "x: f64[3] 1 2, y: f64[3] -1 0.5"},
	{"min(x, y)", "x: f64[3] 1 2, y: f64[3] -1 0.5"},
	{"fma(x, y, z)", "x: f64[3] -2 2, y: f64[3] -2 2, z: f64[3] -2 2"},
	{"copysign(x, y)", "x: f64[3] -2 -1, y: f64[3] 1 2"},
	{"x*floor(x) + ceil(x) + round(x) + trunc(x)", "x: f64[3] 1.1 1.4"},
	/* powers, exponentials, logarithms */
	{"sqrt(x)", "x: f64[3] 0.5 2"},
	{"cbrt(x)", "x: f64[3] 0.5 2"},
	{"hypot(x, y)", "x: f64[3] 0.5 2, y: f64[3] 0.5 2"},
	{"exp(x)", "x: f64[3] -2 2"},
	{"exp2(x)", "x: f64[3] -2 2"},
	{"expm1(x)", "x: f64[3] -2 2"},
	{"log(x)", "x: f64[3] 0.5 2"},
	{"log2(x)", "x: f64[3] 0.5 2"},
	{"log10(x)", "x: f64[3] 0.5 2"},
	{"log1p(x)", "x: f64[3] -0.5 2"},
	{"log1mexp(x)", "x: f64[3] 0.5 2"},
	{"logaddexp(x, y)", "x: f64[3] -2 2, y: f64[3] -2 2"},
	{"sigmoid(x)", "x: f64[3] -2 2"},
	{"softplus(x)", "x: f64[3] -2 2"},
	{"logit(x)", "x: f64[3] 0.2 0.8"},
	{"exp10(x)", "x: f64[3] -1 1"},
	{"rsqrt(x)", "x: f64[3] 0.5 2"},
	{"silu(x)", "x: f64[3] -2 2"},
	{"xlogy(x, y)", "x: f64[3] -2 2, y: f64[3] 0.5 2"},
	/* trigonometric and hyperbolic */
	{"sin(x)", "x: f64[3] -2 2"},
	{"cos(x)", "x: f64[3] -2 2"},
	{"tan(x)", "x: f64[3] -1 1"},
	{"sinpi(x)", "x: f64[3] -1 1"},
	{"cospi(x)", "x: f64[3] -1 1"},
	{"sinc(x)", "x: f64[3] 0.3 2"},
	{"sinc(x)", "x: f64[3] -0.24 0.24"},
	{"asin(x)", "x: f64[3] -0.8 0.8"},
	{"acos(x)", "x: f64[3] -0.8 0.8"},
	{"atan(x)", "x: f64[3] -2 2"},
	{"atan2(y, x)", "x: f64[3] 0.5 2, y: f64[3] -2 2"},
	{"sinh(x)", "x: f64[3] -2 2"},
	{"cosh(x)", "x: f64[3] -2 2"},
	{"tanh(x)", "x: f64[3] -2 2"},
	{"asinh(x)", "x: f64[3] -2 2"},
	{"acosh(x)", "x: f64[3] 1.5 3"},
	{"atanh(x)", "x: f64[3] -0.8 0.8"},
	/* error and gamma functions */
	{"erf(x)", "x: f64[3] -1 1"},
	{"erfc(x)", "x: f64[3] -1 1"},
	{"erfinv(x)", "x: f64[3] -0.8 0.8"},
	{"gamma(x)", "x: f64[3] 0.5 3"},
	{"lgamma(x)", "x: f64[3] 0.5 3"},
	{"digamma(x)", "x: f64[3] 0.5 3"},
	{"polygamma(2, x)", "x: f64[3] 0.5 3"},
	{"erfcx(x)", "x: f64[3] -1 2"},
	{"erfcx(x)", "x: f64[3] 2.5 4"},
	{"erfcx_1(x)", "x: f64[3] -1 1.5"},
	{"erfcx_1(x)", "x: f64[3] 2.5 4"},
	{"erfcx_2(x)", "x: f64[3] -1 1.5"},
	{"erfcx_2(x)", "x: f64[3] 2.5 4"},
	{"recip_erfcx(x)", "x: f64[3] -2 0.9"},
	{"recip_erfcx(x)", "x: f64[3] 1.1 1.5"}, /* up to 2 differences cancel, of pi to 53 bits */
	{"recip_erfcx(x)", "x: f64[3] 3.2 4.5"},
	{"share(x)", "x: f64[3] -0.5 3"},
	{"ndtr(x)", "x: f64[3] -2 2"},
	{"log_ndtr(x)", "x: f64[3] -2 2"},
	{"gelu(x)", "x: f64[3] -2 2"},
	{"gelu_tanh(x)", "x: f64[3] -2 2"},
	{"gelu_tanh(x)", "x: f64[3] 31 99"},
	{"trigamma(x)", "x: f64[3] 0.5 3"},
	{"lbeta(x, y)", "x: f64[3] 0.5 3, y: f64[3] 0.5 3"},
	{"i0e(x)", "x: f64[3] 0.5 3"},
	{"i0e(x)", "x: f64[3] -3 -0.5"},
	{"i1e(x)", "x: f64[3] 0.5 3"},
	{"i1e(x)", "x: f64[3] -3 -0.5"},
	/* selection and conversion */
	{"where(x > y, x*y, x/y)", "x: f64[3] 1 2, y: f64[3] 0.2 0.8"},
	{"f64(f64(x)*2)", "x: f64[3] -2 2"},
	{"stop_gradient(3.0)*x", "x: f64[3] -2 2"},
	/* folds */
	{"sum(x)", "x: f64[2, 3] -2 2"},
	{"sum[0](x^2)", "x: f64[2, 3] -2 2"},
	{"sum[1](x^2)", "x: f64[2, 3] -2 2"},
	{"prod(x)", "x: f64[3] 0.5 2"},
	{"prod_others[0](x)", "x: f64[4] 0.5 2"},
	{"prod[0](x)", "x: f64[2, 3] 0.5 2"},
	{"prod(x[:i])", "x: f64[4] -2 2, i: i64 3 3"},
	{"prod(concat(y, x))", "y: f64[1] 0 0, x: f64[3] 0.5 2"},
	{"prod(concat(y, x)[:i])", "y: f64[1] 0 0, x: f64[3] 0.5 2, i: i64 3 3"},
	{"prod[0](concat(x, y, x)[:i])", "y: f64[1, 2] 0 0, x: f64[2, 2] 0.5 2, i: i64 4 4"},
	{"sum(prod_others[0](x[:i])^2)*x[0]", "x: f64[4] -2 2, i: i64 3 3"},
	{"max[1](x)", "x: f64[2, 3] -2 2"},
	{"min(x)", "x: f64[2, 3] -2 2"},
	{"logsumexp(x)", "x: f64[3] -2 2"},
	{"logsumexp[0](x)", "x: f64[2, 3] -2 2"},
	{"cumsum[1](x^2)", "x: f64[2, 3] -2 2"},
	/* views */
	{"reshape[6](x)^2", "x: f64[2, 3] -2 2"},
	{"x.T^2", "x: f64[2, 3] -2 2"},
	{"f64[4, 3](x)^2", "x: f64[3] -2 2"},
	{"x[1:, ::2]^2", "x: f64[3, 5] -2 2"},
	{"x[::-1]^3", "x: f64[4] -2 2"},
	{"flip[0](x)^2", "x: f64[3, 2] -2 2"},
	{"concat(x, y)^2", "x: f64[3] -2 2, y: f64[2] -2 2"},
	{"x[:, _]*y", "x: f64[3] -2 2, y: f64[2] -2 2"},
	/* indices */
	{"x[2]^2", "x: f64[4] -2 2"},
	{"x[i]^2", "x: f64[4] -2 2, i: i64[3] 0 3"},
	{"scatter_add[0](x, i, y)^2", "x: f64[4] -2 2, i: i64[3] 0 3, y: f64[3] -2 2"},
	{"scatter_max[0](x, i, y)^2", "x: f64[4] -2 2, i: i64[3] 0 3, y: f64[3] -2 2"},
	{"scatter_min[1](x, i, y)^2", "x: f64[2, 4] -2 2, i: i64[3] 0 3, y: f64[2, 3] -2 2"},
	{"scatter_mul[0](x, i, y)^2", "x: f64[4] -2 2, i: i64[5] 0 3, y: f64[5] -2 2"},
	{"scatter_mul[1](x, i, y)^2", "x: f64[2, 3] -2 2, i: i64[2, 2] 0 2, y: f64[2, 2, 2] -2 2"},
	{"scatter_mul[0](x - x[0], i, (y - y[1])*(y - y[2]))", "x: f64[2] -2 2, i: i64[5] 0 1, y: f64[5] -2 2"},
	{"base_others[0](x, i, y)^2", "x: f64[4] -2 2, i: i64[5] 0 3, y: f64[5] -2 2"},
	{"written_others[0](x, i, y)^2", "x: f64[4] -2 2, i: i64[5] 0 3, y: f64[5] -2 2"},
	{"written_others[0](x - x[0], i, (y - y[1])*(y - y[2]))", "x: f64[2] -2 2, i: i64[5] 0 1, y: f64[5] -2 2"},
	{"(x with [1] = y)^2", "x: f64[4] -2 2, y: f64 -2 2"},
	{"(x with [1:3] += y)^2", "x: f64[4] -2 2, y: f64[2] -2 2"},
	{"one_hot[4](i)*x", "i: i64[3] 0 3, x: f64[4] -2 2"},
	{"let (v, i) = top_k[2](x) in v^2", "x: f64[5] -2 2"},
	{"let (v, i) = top_k[3](x) in v^2*sum(x)", "x: f64[2, 4] -2 2"},
	/* complex numbers: the real part of what is linear, and parts of what is not */
	{"abs(complex(x, y))", "x: f64[3] 0.5 2, y: f64[3] -2 2"},
	{"re(complex(x, y)*complex(y, x)*complex(x, x))", "x: f64[3] -2 2, y: f64[3] -2 2"},
	{"im(conj(complex(x, y))/complex(y, x))", "x: f64[3] 0.5 2, y: f64[3] 0.5 2"},
	{"re(complex(x, y)^3) + im(complex(x, y)^complex(y, x))", "x: f64[3] 0.5 2, y: f64[3] 0.5 2"},
	{"re(exp(complex(x, y))) + im(sqrt(complex(x, y)))", "x: f64[3] 0.5 2, y: f64[3] 0.5 2"},
	/* contraction */
	{"(x @ y)^2", "x: f64[2, 3] -2 2, y: f64[3, 4] -2 2"},
	{"(x @ y)^2", "x: f64[2, 3] -2 2, y: f64[3] -2 2"},
	{"(x @ y)^2", "x: f64[3] -2 2, y: f64[3] -2 2"},
	{"(x @ y)^2", "x: f64[2, 2, 3] -2 2, y: f64[3, 2] -2 2"},
	{"(x @ y.T)^2", "x: f64[2, 3] -2 2, y: f64[4, 3] -2 2"},
	{"einsum[(a, b, c), (a, c, d), (d, b, a)](x, y)", "x: f64[2, 3, 2] -2 2, y: f64[2, 2, 3] -2 2"},
	{"einsum[(a, b, a), (c,), (b,)](x, y)^2", "x: f64[3, 2, 3] -2 2, y: f64[2] -2 2"},
	{"(x with [[0, 1], [1, 1]] += y)^2", "x: f64[2, 3] -2 2, y: f64[2] -2 2"},
	{"euclidean(x)", "x: f64[3] 0.5 2"},
	/* decompositions */
	{"let (q, r) = qr(x) in q*sum(r^3)", "x: f64[3, 2] -2 2"},
	{"let (q, r) = qr(x) in (r @ r)*sum(q[:, 0]^3)", "x: f64[3, 3] -2 2"},
	{"tri_solve(x + 3*eye[3](), y)^2", "x: f64[3, 3] -1 1, y: f64[3, 2] -2 2"},
	{"tri_solve[upper](x + 3*eye[3](), y)^2", "x: f64[3, 3] -1 1, y: f64[3, 2] -2 2"},
	{"tri_solve[turned](x + 3*eye[3](), y)^2", "x: f64[3, 3] -1 1, y: f64[3, 2] -2 2"},
	{"tri_solve[upper, turned](x + 3*eye[3](), y)^2", "x: f64[3, 3] -1 1, y: f64[3, 2] -2 2"},
	/* the library */
	{"softmax(x)", "x: f64[2, 3] -2 2"},
	{"log_softmax(x)", "x: f64[2, 3] -2 2"},
	{"softmax[0](x)*x", "x: f64[2, 3] -2 2"},
	{"log_softmax[0](x)*x", "x: f64[2, 3] -2 2"},
	{"relu(x)", "x: f64[3] 0.5 2"},
	{"relu(x)*x", "x: f64[3] -2 -0.5"},
	{"log_cosh(x)", "x: f64[3] 0.2 2"},
	{"log_erfc(x)", "x: f64[3] -2 0.4"},
	{"log_erfc(x)", "x: f64[3] 0.6 3"},
	{"log1p_minus(x)", "x: f64[3] 0.3 2"},
	{"log1p_square(x)", "x: f64[3] -0.9 0.9"},
	{"log1p_square(x)", "x: f64[3] 1.1 5"},
	{"log1p_minus(x)", "x: f64[3] -0.9 -0.3"},
	{"minus_sin(x)", "x: f64[3] 1.2 3"},
	{"minus_tan(x)", "x: f64[3] -0.9 -0.3"},
	{"minus_tan(x)", "x: f64[3] 1.7 3"},
	{"minus_cot(x)", "x: f64[3] -0.9 0.9"},
	{"part(x, y)*y", "x: f64[3] 0.5 2, y: f64[3] 0.3 3"},
	{"over_root(x, y)", "x: f64[3] -4 -3, y: f64[3] -1.5 -0.5"},
	{"leg(x, y)", "x: f64[3] -4 -3, y: f64[3] 0.5 2"},
	{"leg_long(x, y)", "x: f64[3] -4 -3, y: f64[3] 0.5 2"},
	{"leg_short(x, y)", "x: f64[3] 3 4, y: f64[3] -2 2"},
	{"cosine(x, y)", "x: f64[3] -2 2, y: f64[3] 0.5 2"},
	{"hypot_minus(x, y)", "x: f64[3] 0.5 2, y: f64[3] -2 2"},
	{"hypot_minus(x, y)", "x: f64[3] -2 -0.5, y: f64[3] -2 2"},
	{"minus_leg(x, y)", "x: f64[3] 3 4, y: f64[3] -2 2"},
	{"leg_square(x, y)", "x: f64[3] -4 -3, y: f64[3] 0.5 2"},
	{"minus_leg_square(x, y)", "x: f64[3] 3 4, y: f64[3] 0.5 2"},
	{"log1p_square_over(x)", "x: f64[3] 0.5 2"},
	{"log_ratio(x, y)", "x: f64[3] 0.5 0.9, y: f64[3] 2 3"},
	{"kl_div(x, y)", "x: f64[3] 0.5 2, y: f64[3] 0.5 2"},
	{"kl_div(x, y)", "x: f64[3] 0.5 0.9, y: f64[3] 3 5"},
	{"sin_over(x)", "x: f64[3] 0.3 0.9"},
	{"sin_over(x)", "x: f64[3] 1.2 4"},
	{"tanh_over(x)", "x: f64[3] 0.1 0.4"},
	{"tanh_over(x)", "x: f64[3] 0.7 4"},
	{"atan_over(x)", "x: f64[3] 0.1 0.4"},
	{"atan_over(x)", "x: f64[3] 0.7 4"},
	{"log1p_over(x)", "x: f64[3] 0.1 1.9"},
	{"log1p_over(x)", "x: f64[3] 2.1 9"},
	{"expm1_over(x)", "x: f64[3] 0.1 0.9"},
	{"expm1_over(x)", "x: f64[3] -9 -1.1"},
	{"expm1_minus(x)", "x: f64[3] 1.1 3"},
	{"bose(x)", "x: f64[3] 0.5 3"},
	{"over_expm1(x)", "x: f64[3] 0.5 3"},
	{"over_expm1(x)", "x: f64[3] -3 -0.5"},
	{"bose_gap(x)", "x: f64[3] 0.1 0.9"},
	{"bose_gap(x)", "x: f64[3] 2.1 5"},
	{"sinh_minus(x)", "x: f64[3] 1.1 3"},
	{"sech(x)", "x: f64[3] -2 2"},
	{"log_sinh(x)", "x: f64[3] 0.3 1.9"},
	{"log_sinh(x)", "x: f64[3] 2.1 5"},
	{"log_tanh(x)", "x: f64[3] 0.3 2"},
	{"log_plus_exp(y, x)", "x: f64[3] -2 2, y: f64[3] 0.5 2"},
	{"exp_part(y, x)", "x: f64[3] 0.3 2, y: f64[3] 0.5 2"},
	{"exp_part(y, x)", "x: f64[3] -2 -0.3, y: f64[3] 0.5 2"},
	{"sqrt_diff(x, y)", "x: f64[3] 0.5 2, y: f64[3] 0.1 2"},
	{"rsqrt_diff(x, y)", "x: f64[3] 0.5 2, y: f64[3] 0.1 2"},
	{"cbrt_diff(x, y)", "x: f64[3] 0.5 2, y: f64[3] 0.1 2"},
	{"recip_diff(x, y)", "x: f64[3] 0.5 2, y: f64[3] 0.1 2"},
	{"atan_diff(x, y)", "x: f64[3] -2 2, y: f64[3] 0.1 2"},
	{"lgamma_diff(x, y)", "x: f64[3] 0.5 2, y: f64[3] 0.1 2"},
	{"lgamma_diff(x, y)", "x: f64[3] 11 20, y: f64[3] 0.1 2"},
	{"expm1_over_less(x)", "x: f64[3] 0.1 0.9"},
	{"expm1_over_less(x)", "x: f64[3] -5 -1.2"},
	{"expm1_over_minus(x)", "x: f64[3] 0.1 0.9"},
	{"expm1_over_minus(x)", "x: f64[3] 1.2 4"},
	{"log1p_over_minus(x)", "x: f64[3] 0.1 0.9"},
	{"log1p_over_minus(x)", "x: f64[3] 1.2 4"},
	{"sin_less_cos(x)", "x: f64[3] 0.1 0.9"},
	{"sin_less_cos(x)", "x: f64[3] 1.2 4"},
	{"over_sin(x)", "x: f64[3] 0.1 0.9"},
	{"over_sin(x)", "x: f64[3] 1.2 2.5"},
	{"over_sinh(x)", "x: f64[3] 0.1 0.9"},
	{"over_sinh(x)", "x: f64[3] 1.2 4"},
	{"erf_over(x)", "x: f64[3] 0.1 0.4"},
	{"erf_over(x)", "x: f64[3] 0.6 2"},
	{"log_expm1_over(x)", "x: f64[3] 0.1 0.9"},
	{"over_tanh(x)", "x: f64[3] 0.1 0.9"},
	{"over_tanh(x)", "x: f64[3] 1.2 4"},
	{"atan_ratio(y, x)", "y: f64[3] 0.5 2, x: f64[3] 0.4 3"},
	{"log_expm1_over(x)", "x: f64[3] 1.2 4"},
	{"log_expm1_over(x)", "x: f64[3] -4 -1.2"},
	{"log_sinh_over(x)", "x: f64[3] 0.1 0.9"},
	{"sin_over_minus(x)", "x: f64[3] 0.1 2"},
	{"tanh_over_minus(x)", "x: f64[3] 0.1 2"},
	{"tanh_minus(x)", "x: f64[3] 0.1 2"},
	{"atan_over_minus(x)", "x: f64[3] 0.1 2"},
	{"over_sin_minus(x)", "x: f64[3] 0.1 2"},
	{"sinh_over(x)", "x: f64[3] 0.1 2"},
	{"sinh_over_minus(x)", "x: f64[3] 0.1 2"},
	{"cosh_less_sinh(x)", "x: f64[3] 0.1 2"},
	{"expm1_decay(x)", "x: f64[3] 0.1 2"},
	{"log1p_pair(x)", "x: f64[3] -0.8 0.8"},
	{"contrast_of(x, y)", "x: f64[3] 0.1 2, y: f64[3] 0.5 3"},
	{"log_sinh_over(x)", "x: f64[3] 2.2 4"},
	{"jensen_shannon(x, y)", "x: f64[3] 0.5 2, y: f64[3] 2.5 4"},
	{"velocity_sum(x, y)", "x: f64[3] -0.8 0.8, y: f64[3] -0.8 0.8"},
	{"great_circle(x, y, z)", "x: f64[3] -1 1, y: f64[3] -1 1, z: f64[3] 0.5 2"},
	{"log1p_scaled_exp(c, x)", "c: f64[3] 0.5 2, x: f64[3] -2 2"},
	{"parallel(x, y)", "x: f64[3] 0.5 2, y: f64[3] 3 5"},
	{"parallel(x, y)", "x: f64[3] 3 5, y: f64[3] 0.5 2"},
	{"hypot_part(x, y)", "x: f64[3] 0.5 2, y: f64[3] 0.5 2"},
	{"hypot_part(x, y)", "x: f64[3] -2 -0.5, y: f64[3] 0.5 2"},
	{"log_diff(x, y)", "x: f64[3] 0.5 2, y: f64[3] 0.1 2"},
	{"pow_diff(x, y, h)", "x: f64[3] 0.5 2, y: f64[3] -0.4 -0.1, h: f64 1.2 2"},
	{"xlog1py(x, y)", "x: f64[3] -2 -0.5, y: f64[3] -0.5 2"},
	{"euclidean[0](x)*y", "x: f64[2, 3] 0.5 2, y: f64[3] -2 2"},
	{"euclidean[0, 1](x)", "x: f64[2, 3] -2 2"},
	{"mean(x^2)", "x: f64[2, 3] -2 2"},
	/* loops */
	{"scan (y = y, i < 4) => y + h*sin(y)", "y: f64[3] -2 2, h: f64 0.1 0.5"},
	{"scan[states = 2] (y = y, i < 5) => y + h*sin(y)*i", "y: f64[3] -2 2, h: f64 0.1 0.5"},
	{"let r = scan[states = 3] (a = h, x in xs) => {a = a*x + sin(a), t = a*x} in r.a + sum(r.t)",
		"h: f64 0.5 1, xs: f64[7] 0.5 1"},
	{"let r = scan[back, states = 2] (a = h, x in xs) => {a = a*x + cos(a), t = a} in r.a*sum(r.t)",
		"h: f64 0.5 1, xs: f64[5] 0.5 1"},
	{"scan (a = h, x in xs) => a*x + sin(a)", "h: f64 0.5 1, xs: f64[5] 0.5 1"},
	{"let r = scan (a = h, x in xs) => {a = tanh(W @ a + x), t = a*x} in sum(r.a) + sum(r.t)",
		"h: f64[2] -1 1, xs: f64[3, 2] -1 1, W: f64[2, 2] -1 1"},
	{"scan[back] (a = h, x in xs) => a*x + cos(a)", "h: f64 0.5 1, xs: f64[4] 0.5 1"},
	{"let r = scan (a = h, b = h, i < 3) => {a = a*b, b = b + sin(a)} in r.a + r.b", "h: f64 0.5 1"},
};

/* ---- variables -------------------------------------------------------------------------- */

enum { MOST = 4 };

typedef struct Point {
	char name[16];
	const Type *type;
	double lo, hi;
	Value x, v;
} Point;

static uint64_t seed;

static double uniform(double lo, double hi)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return lo + (hi - lo) * ((double)(seed >> 11) * 0x1p-53);
}

static Value value_of(Arena *a, const Type *t)
{
	Value v = {.type = t, .dtype = (Dtype)t->dtype, .rank = t->n, .count = 1};
	for (uint32_t i = 0; i < t->n; i++) {
		assert_true(size_is(DIM(t, i), &v.dim[i]));
		v.count *= v.dim[i];
	}
	v.data = arena_alloc_aligned(a, (size_t)(v.count + 1) * 16, 16);
	return v;
}

static void fill(Value *v, double lo, double hi)
{
	for (int64_t i = 0; i < v->count; i++)
		if (dtype_is_float(v->dtype))
			((Quad *)v->data)[i] = uniform(lo, hi);
		else
			((int64_t *)v->data)[i] = (int64_t)uniform(lo, hi + 0.999);
}

static uint32_t read_points(Graph *g, Module *m, const char *text, Point *out)
{
	uint32_t n = 0;
	while (*text) {
		char type[32];
		int used = 0;
		Point *v = &out[n++];
		assert_int_equal(sscanf(text, "%15[^:]: %31[^ ]%n", v->name, type, &used), 2);
		const char *at = text + used;
		while (strchr(type, '[') && !strchr(type, ']')) { /* sizes with blanks between */
			char more[16];
			assert_int_equal(sscanf(at, " %15[^ ]%n", more, &used), 1);
			strcat(type, more);
			at += used;
		}
		assert_int_equal(sscanf(at, " %lf %lf%n", &v->lo, &v->hi, &used), 2);
		Error e = {0};
		const Syntax *t = parse_type(g->arena, &g->names, "<type>", type, strlen(type), &e);
		v->type = elaborate_type(g, m, t);
		assert_non_null(v->type);
		v->x = value_of(g->arena, v->type);
		v->v = value_of(g->arena, v->type);
		fill(&v->x, v->lo, v->hi);
		fill(&v->v, -1, 1);
		for (text = at + used; *text == ',' || *text == ' ';) text++;
	}
	return n;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static bool fails(Graph *g, const Case *c, const char *what)
{
	if (g->error.code) print_error("%s: %s: %s\n", c->text, what, g->error.text);
	return g->error.code != 0;
}

static Quad dot(const Value *a, const Value *b)
{
	Quad s = 0;
	for (int64_t i = 0; i < a->count; i++) s += ((Quad *)a->data)[i] * ((Quad *)b->data)[i];
	return s;
}

static Quad magnitude(Quad x)
{
	return x < 0 ? -x : x;
}

typedef struct Setting {
	Graph *g;
	uint32_t n;
	Point *var;
	Node **x; /* inputs */
	Node *u;
	Value uv; /* weights of the result */
	Node **v; /* directions */
} Setting;

/* The function of x, v and u that has these results. */
static Function *close_all(Setting *s, uint32_t nresult, Node *const *results)
{
	Node *param[2 * MOST + 1];
	uint32_t k = 0;
	for (uint32_t i = 0; i < s->n; i++) param[k++] = s->x[i];
	for (uint32_t i = 0; i < s->n; i++) param[k++] = s->v[i];
	param[k++] = s->u;
	Closure c;
	return function_close(s->g, (Title){.name = "case"}, (Nodes){k, param}, (Nodes){nresult, results}, &c)
		? c.function
		: NULL;
}

/* Evaluate at x + t*v. */
static bool at(Setting *s, Function *f, Quad t, Value *out)
{
	Value in[2 * MOST + 1];
	uint32_t k = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		Point *v = &s->var[i];
		in[k] = value_of(s->g->arena, v->type);
		for (int64_t j = 0; j < in[k].count; j++)
			if (dtype_is_float(in[k].dtype))
				((Quad *)in[k].data)[j] = ((Quad *)v->x.data)[j] + t * ((Quad *)v->v.data)[j];
			else
				((int64_t *)in[k].data)[j] = ((int64_t *)v->x.data)[j];
		k++;
	}
	for (uint32_t i = 0; i < s->n; i++) in[k++] = s->var[i].v;
	in[k++] = s->uv;
	return evaluate(s->g, s->g->arena, f, in, out, true);
}

/* d/dt sum(u*f(x + t*v)) at 0, by two central differences. */
static bool difference(Setting *s, Function *f, const Value *u, Quad *out)
{
	Quad d[2];
	for (int i = 0; i < 2; i++) {
		Quad h = i ? 0.5e-5Q : 1e-5Q;
		Value plus, minus;
		if (!at(s, f, h, &plus) || !at(s, f, -h, &minus)) return false;
		d[i] = (dot(&plus, u) - dot(&minus, u)) / (2 * h);
	}
	*out = d[1] + (d[1] - d[0]) / 3;
	return true;
}

static bool close_to(const Case *c, const char *what, Quad got, Quad want)
{
	if (magnitude(got - want) <= 1e-15Q * (1 + magnitude(want))) return true;
	print_error("%s: %s is %.17g, the difference says %.17g\n", c->text, what, (double)got, (double)want);
	return false;
}

/* Both modes of y by x at once; gives sum(vjp*v) as a node, for the next order. */
static bool check_order(Setting *s, const Case *c, Node *y, Node *u, const Value *uv, int order, Node **next)
{
	Graph *g = s->g;
	const Transforms *t = g->transforms;
	Node *jvp, *vjp[MOST], *xs[MOST], *vs[MOST];
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (dtype_is_float(node_dtype(s->x[i]))) xs[n] = s->x[i], vs[n++] = s->v[i];
	Nodes of = {1, &y}, by = {n, xs};
	if (!t->jvp(g, of, by, vs, &jvp) || !t->vjp(g, of, by, &u, vjp))
		return !fails(g, c, order == 1 ? "first derivative" : "second derivative") && false;
	Node *total = NULL;
	for (uint32_t i = 0; i < n; i++) {
		Node *part = fold_all(g, OP_SUM, build2(g, OP_MUL, vjp[i], vs[i]));
		total = total ? build2(g, OP_ADD, total, part) : part;
	}
	*next = total;
	Node *forward = fold_all(g, OP_SUM, build2(g, OP_MUL, jvp, u));
	Node *both[2] = {forward, total};
	Function *f = close_all(s, 1, &y), *d = close_all(s, 2, both);
	Quad want;
	Value got[2];
	if (!f || !d || !difference(s, f, uv, &want) || !at(s, d, 0, got))
		return !fails(g, c, "evaluation") && false;
	bool good = close_to(c, order == 1 ? "forward" : "forward, second order", *(Quad *)got[0].data, want);
	return close_to(c, order == 1 ? "reverse" : "reverse, second order", *(Quad *)got[1].data, want) &&
		good;
}

static bool meanings; /* ops of the library are differentiated by their meaning: their lines are taken away */

static void forget_lines(Graph *g)
{
	for (uint32_t i = 0; i < rules_count(g); i++) {
		Rule *r = (Rule *)rule_at(g, i);
		if (r->head == HEAD_D && r->left->kind == P_LIBRARY) r->head = HEAD_NONE;
	}
}

static bool check_case(const Case *c)
{
	Graph *g = graph_open(NULL);
	Point var[MOST];
	memset(var, 0, sizeof var);
	diff_open(g);
	books_open(g);
	if (meanings) forget_lines(g);
	Module *m = module_empty(g);
	Setting s = {.g = g, .var = var};
	s.n = read_points(g, m, c->variables, var);
	Declared given[MOST];
	Node *x[MOST], *v[MOST];
	for (uint32_t i = 0; i < s.n; i++) {
		given[i] = (Declared){.name = var[i].name, .type = var[i].type};
		char name[24];
		snprintf(name, sizeof name, "d_%.15s", var[i].name);
		x[i] = input(g, var[i].name, var[i].type);
		v[i] = input(g, name, var[i].type);
	}
	s.x = x, s.v = v;
	Error e = {0};
	const Syntax *text = parse_expression(g->arena, &g->names, "<case>", c->text, strlen(c->text), &e);
	Expression *expr = text ? elaborate_expression(g, m, text, s.n, given) : NULL;
	if (!expr || fails(g, c, "elaboration")) {
		if (e.code) print_error("%s: %s\n", c->text, e.text);
		graph_close(g);
		return false;
	}
	Node *y = expr->result.value->node;
	s.u = input(g, "weights", y->type);
	s.uv = value_of(g->arena, y->type);
	fill(&s.uv, -1, 1);
	Node *next = NULL, *last, *one = constant_float(g, type_scalar(g, DT_F64), 1);
	Value unit = value_of(g->arena, one->type);
	*(Quad *)unit.data = 1;
	bool good = check_order(&s, c, y, s.u, &s.uv, 1, &next);
	good = good && check_order(&s, c, next, one, &unit, 2, &last);
	graph_close(g);
	return good;
}

static void test_operators(void **state)
{
	(void)state;
	int bad = 0;
	for (size_t i = 0; i < countof(cases); i++) {
		seed = 12345 + i;
		bad += !check_case(&cases[i]);
	}
	if (bad) print_error("%d of %zu cases differ\n", bad, countof(cases));
	assert_int_equal(bad, 0);
}

/* Without its line an op of the library has the derivative of its meaning, away from kinks the same one: both
 * are compared with the differences. */
static void test_meanings(void **state)
{
	(void)state;
	int bad = 0, tested = 0;
	Graph *g = graph_open(NULL);
	books_open(g);
	for (uint32_t k = 0; k < rules_count(g); k++) {
		const Rule *r = rule_at(g, k);
		bool met = false;
		if (r->head != HEAD_D || r->left->kind != P_LIBRARY) continue;
		for (size_t i = 0; i < countof(cases); i++) {
			size_t n = strlen(r->left->name);
			if (strncmp(cases[i].text, r->left->name, n) || !strchr("([", cases[i].text[n]))
				continue;
			seed = 777 + i, met = true;
			for (int off = 0; off < 2; off++) {
				meanings = off;
				bad += !check_case(&cases[i]);
			}
			meanings = false;
		}
		if (!met) print_error("no case for %s\n", r->name);
		bad += !met, tested++;
	}
	graph_close(g);
	assert_true(tested >= 4);
	assert_int_equal(bad, 0);
}

/* The same inside a loop that takes its variables from outside, two steps of it that depend on each other. */
static void test_in_loops(void **state)
{
	(void)state;
	int bad = 0;
	for (size_t i = 0; i < countof(cases); i++) {
		char text[400];
		seed = 54321 + i;
		snprintf(text, sizeof text, "scan (total = 0.5, step < 2) => total + sum(%s)*(1 + total/4)",
			cases[i].text);
		bad += !check_case(&(Case){text, cases[i].variables});
	}
	assert_int_equal(bad, 0);
}

/* Are numbers there in its domain? */
static bool is_defined(Op op, double x)
{
	Graph *g = graph_open(NULL);
	Node *c = constant_float(g, type_scalar(g, DT_F64), x), *args[3] = {c, c, c};
	Node *y = node_make(g, op, NULL, (uint32_t)op_info[op].args, args);
	double v;
	bool good = y && constant_value(evaluate_constant(g, y), &v) && isfinite(v);
	graph_close(g);
	return good;
}

/* Every function of floats that ops.h has, where it is defined: those too that nobody wrote a case for. */
static void test_every_function(void **state)
{
	(void)state;
	int checked = 0;
	bool good = true;
	for (Op op = OP_NONE + 1; op < OP_COUNT; op++) {
		const OpInfo *o = &op_info[op];
		bool word = o->text[0] >= 'a' && o->text[0] <= 'z';
		if (o->class != MAP || (o->dtype != RFLOAT && o->dtype != FLOAT) || !word) continue;
		if (o->flags & TO_WHOLE || op == OP_POLYGAMMA) continue; /* steps; an order that is whole */
		bool low = is_defined(op, 0.3) && is_defined(op, 0.7);
		const char *range = low ? "0.3 0.7" : "1.2 1.8", *list[] = {"x", "x, y", "x, y, z"};
		char text[64], variables[128];
		int n = 0;
		seed = 999 + (uint64_t)op;
		snprintf(text, sizeof text, "%s(%s)", o->text, list[o->args - 1]);
		for (int i = 0; i < o->args; i++)
			n += snprintf(variables + n, sizeof variables - (size_t)n, "%s%c: f64[3] %s",
				i ? ", " : "", "xyz"[i], range);
		good &= check_case(&(Case){text, variables});
		checked++;
	}
	assert_true(good && checked > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_operators), cmocka_unit_test(test_in_loops),
		cmocka_unit_test(test_meanings), cmocka_unit_test(test_every_function)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
