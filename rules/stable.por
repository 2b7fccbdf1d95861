# stable.por - what makes a result more accurate.  Each rule must reduce the measured error somewhere on
# its samples and nowhere raise it by more than a few units in the last place.

book stable

# ---- logarithms and exponentials near 1 and 0
log1p:          log(1 + x)                  => log1p(x)
log1p_square:   log1p(x^2)                  => log1p_square(x)
expm1:          exp(x) - 1                  => expm1(x)
one_minus_exp:  1 - exp(x)                  => -expm1(x)
exp_log1mexp_any: exp(log1mexp(x))          => where(x >= 0, -expm1(-x), nan)
log_expm1:      log(expm1(x))               => x + log1mexp(x)

# ---- softplus and sigmoid
softplus:       log1p(exp(x))               => softplus(x)
expm1_mul:      y*exp(x) - y                => y*expm1(x)
log1mexp_exp:   log1p(-exp(x))              => log1mexp(-x)
log_neg_expm1_2: log(-expm1(x))             => log1mexp(-x)
exp_sigmoid_2:  exp(x)*sigmoid(-x)^2        => sigmoid(x)*sigmoid(-x)
exp_sigmoid_3:  exp(-x)*sigmoid(x)^2        => sigmoid(x)*sigmoid(-x)
one_sigmoid:    1 - sigmoid(x)              => sigmoid(-x)
one_sigmoid_cast: 1 - cast[a](sigmoid(x))   => cast[a](sigmoid(-x))
log_sigmoid:    log(sigmoid(x))             => -softplus(-x)
log1p_sigmoid:  log1p(-sigmoid(x))          => -softplus(x)
cross_entropy:  x*(-softplus(-z)) - (1 - x)*softplus(z) => x*z - softplus(z)
cross_entropy_2: x*softplus(-z) + (1 - x)*softplus(z) => softplus(z) - x*z
cross_entropy_3: x*softplus(-z) - (x - 1)*softplus(z) => softplus(z) - x*z
sigmoid_pair:   exp(x)/(exp(x) + exp(y))    => sigmoid(x - y)               real

# ---- sums of exponentials
logaddexp:      log(exp(x) + exp(y))        => logaddexp(x, y)
logaddexp_3:    log(exp(x) + exp(y) + exp(z)) => logaddexp(logaddexp(x, y), z)
log_sum_exp:    log(sum[a](exp(x)))         => logsumexp[a](x)
log_mean_exp_2: log(expand[b](sum[a](exp(x)))/k) => expand[b](logsumexp[a](x)) - log(k)  real
log_sub_exp:    log(exp(x) - exp(y))        => x + log1mexp(x - y)
softmax:        exp(x)/expand[a](sum[a](exp(x))) => softmax[a](x)           real if count(a) == 1
softmax_axes:   exp(x)/expand[a](sum[a](exp(x))) => exp(x - expand[a](logsumexp[a](x)))
softmax_scaled: exp(x)/expand[a](k*sum[a](exp(x))) => softmax[a](x)/expand[a](k)  real if count(a) == 1
softmax_weighed: sum[a](y*exp(x))/sum[a](exp(x)) => sum[a](y*softmax[a](x))       real if count(a) == 1
softmax_mean:   exp(x)/expand[a](sum[a](exp(x))/k) => softmax[a](x)*expand[a](k)  real if count(a) == 1
log_softmax:    log(softmax[a](x))          => log_softmax[a](x)
log_softmax_at: log(gather[b](softmax[a](x), i)) => gather[b](log_softmax[a](x), i)
log_softmax_cut: log(slice[b](softmax[a](x))) => slice[b](log_softmax[a](x))

# ---- hyperbolic functions
sinh:           (exp(x) - exp(-x))/2        => sinh(x)
tanh:           (exp(x) - exp(-x))/(exp(x) + exp(-x)) => tanh(x)
log_cosh:       log(cosh(x))                => log_cosh(x)
cosh_minus_1:   cosh(x) - 1                 => let s = sinh(x/2) in 2*s*s
atanh:          log((1 + x)/(1 - x))        => 2*atanh(x)
asinh:          log(x + hypot(1, x))        => asinh(x)
asinh_minus:    log(hypot(1, x) - x)        => -asinh(x)
acosh:          log(x + sqrt(x^2 - 1))      => acosh(x)                     real if x >= 1

# ---- trigonometry, roots, differences
one_minus_cos:  1 - cos(x)                  => let s = sin(x/2) in 2*s^2
sqrt1p_minus_1: sqrt(1 + x) - 1             => let s = sqrt(1 + x) in where(s == inf, s, x/(s + 1))
sqrt1p_exp:     sqrt(1 + exp(x))            => hypot(1, exp(x/2))
sqrt1p_exp_expm1: hypot(1, exp(x/2)) - sqrt(expm1(x)) =>
    let e = exp(x/2) in 2/(hypot(1, e) + e*sqrt(-expm1(-x)))
hypot_minus_1:  hypot(1, x) - 1             => let h = hypot(1, x) in where(h == inf, h, x*(x/(h + 1)))
hypot:          sqrt(x^2 + y^2)             => hypot(x, y)
hypot_one:      sqrt(1 + x^2)               => hypot(1, x)
log1p_minus:    log1p(x) - x                => log1p_minus(x)
minus_log1p:    x - log1p(x)                => -log1p_minus(x)
minus_sin:      x - sin(x)                  => minus_sin(x)
sin_minus:      sin(x) - x                  => -minus_sin(x)
minus_tan:      x - tan(x)                  => minus_tan(x)
tan_minus:      tan(x) - x                  => -minus_tan(x)
minus_cot:      1/x - 1/tan(x)              => minus_cot(x)

# ---- error and gamma functions
erfc:           1 - erf(x)                  => erfc(x)
erfc_neg:       1 + erf(x)                  => erfc(-x)
erf:            1 - erfc(x)                 => erf(x)
log_erfc:       log(erfc(x))                => log_erfc(x)
erfcx:          exp(x^2)*erfc(x)            => erfcx(x)
erfcx_under:    exp(-x^2)/erfc(x)           => recip_erfcx(x)
half_erfc:      1 - erfc(x)/2               => erfc(-x)/2
half_erf:       0.5 + erf(x)/2              => erfc(-x)/2
half_erf_minus: 0.5 - erf(x)/2              => erfc(x)/2
mills:          exp(-x^2/2)/ndtr(x)         => 2*recip_erfcx(-x/sqrt(2))
mills_neg:      exp(-x^2/2)/ndtr(-x)        => 2*recip_erfcx(x/sqrt(2))
erfcx_ndtr:     exp(x^2/2)*ndtr(x)          => erfcx(-x/sqrt(2))/2          real if wide(x)
erfcx_ndtr_neg: exp(x^2/2)*ndtr(-x)         => erfcx(x/sqrt(2))/2           real if wide(x)
one_ndtr:       1 - ndtr(x)                 => ndtr(-x)
log_ndtr:       log(ndtr(x))                => log_ndtr(x)
log_gamma:      log(gamma(x))               => lgamma(x)                    real if x > 0
gamma_ratio:    gamma(x + 1)/gamma(x)       => x                            real if x > 0

# ---- where: a derivative must not let a NaN out of the branch not taken
mask_mul:       a*where(c, x, 0)            => where(c, a*x, 0)             real
mask_mul_2:     a*where(c, 0, x)            => where(c, 0, a*x)             real
mask_div:       where(c, x, 0)/a            => where(c, x/a, 0)             real
mask_div_2:     where(c, 0, x)/a            => where(c, 0, x/a)             real
