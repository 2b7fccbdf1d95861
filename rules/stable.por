# stable.por - what makes a result more accurate: less error somewhere on its samples, nowhere more by a few ulp.

book stable

tag exponentials  # ---- logarithms and exponentials near 1 and 0
sqrt_exp:       sqrt(exp(x))                => exp(x/2)                     real
log1p:          log(1 + x)                  => log1p(x)
log1p_square:   log1p(x^2)                  => log1p_square(x)
log1p_power:    log1p_square(x^2)           => log1p_power(x, 4)
log1p_square_by: log1p(x^2/y)               => log1p_square(x/sqrt(y))      real if y > 0
log_scaled_square: log(c*(1 + x^2))         => log(c) + log1p_square(x)     real if c >= 1
log_plus_square: log(c + x^2)               => log(c) + log1p_square(x/sqrt(c))  real if literal(c) and c >= 1
log_hypot:      log(x^2 + y^2)              => 2*log(hypot(x, y))
expm1:          exp(x) - 1                  => expm1(x)
exp_log1mexp_any: exp(log1mexp(x))          => where(x >= 0, -expm1(-x), nan)
log_expm1:      log(expm1(x))               => x + log1mexp(x)

tag sigmoids    # ---- softplus and sigmoid
softplus:       log1p(exp(x))               => softplus(x)
expm1_mul:      y*exp(x) - y                => y*expm1(x)
log1mexp_exp:   log1p(-exp(x))              => log1mexp(-x)
log_neg_expm1_2: log(-expm1(x))             => log1mexp(-x)
sigmoid_power:  (1 + exp(x))^n              => sigmoid(-x)^(-n)             real if literal(n) and n <= -1
exp_sigmoid_2:  exp(x)*sigmoid(-x)^n        => sigmoid(x)*sigmoid(-x)^(n - 1)  real if literal(n) and n >= 2
exp_sigmoid_3:  exp(-x)*sigmoid(x)^n        => sigmoid(-x)*sigmoid(x)^(n - 1)  real if literal(n) and n >= 2
exp_sigmoid_4:  exp(2*x)*sigmoid(-x)^2      => sigmoid(x)^2
sech_sigmoid:   exp(x)*sigmoid(-2*x)        => sech(x)/2
log_sigmoid:    log(sigmoid(x))             => -softplus(-x)
log1p_sigmoid:  log1p(-sigmoid(x))          => -softplus(x)
sigmoid_pair[rounding]: exp(x)/(exp(x) + exp(y)) => sigmoid(x - y)          real
sigmoid_three[rounding]: exp(x)/(exp(x) + exp(y) + exp(z)) => sigmoid(x - logaddexp(y, z))

tag exponentials, folds  # ---- sums of exponentials
logaddexp:      log(exp(x) + exp(y))        => logaddexp(x, y)
logaddexp_3:    log(exp(x) + exp(y) + exp(z)) => logaddexp(logaddexp(x, y), z)
logaddexp_scaled: log(c*exp(x) + k*exp(y))  => logaddexp(x + log(c), y + log(k))  real if literal(c) and literal(k) and c > 0 and k > 0
logaddexp_parts: log(exp(x)/c + exp(y)/k)   => logaddexp(x - log(c), y - log(k))  real if literal(c) and literal(k) and c > 0 and k > 0
log_sum_exp:    log(sum[a](exp(x)))         => logsumexp[a](x)
log_mean_exp_2: log(expand[b](sum[a](exp(x)))/k) => expand[b](logsumexp[a](x)) - log(k)  real
log_sub_exp:    log(exp(x) - exp(y))        => x + log1mexp(x - y)
softmax:        exp(x)/expand[a](sum[a](exp(x))) => softmax[a](x)           real if count(a) == 1
softmax_axes[rounding]: exp(x)/expand[a](sum[a](exp(x))) => exp(x - expand[a](logsumexp[a](x)))
softmax_scaled: exp(x)/expand[a](k*sum[a](exp(x))) => softmax[a](x)/expand[a](k)  real if count(a) == 1
softmax_weighed: sum[a](y*exp(x))/sum[a](exp(x)) => sum[a](y*softmax[a](x))       real if count(a) == 1
softmax_mean:   exp(x)/expand[a](sum[a](exp(x))/k) => softmax[a](x)*expand[a](k)  real if count(a) == 1
softmax_part[rounding]: exp(y)/sum[a](exp(x)) => exp(y - logsumexp[a](x))  real
softplus_sum:   log1p(sum[a](exp(x)))       => softplus(logsumexp[a](x))
log_softmax:    log(softmax[a](x))          => log_softmax[a](x)
log_softmax_at: log(gather[b](softmax[a](x), i)) => gather[b](log_softmax[a](x), i)
log_softmax_cut: log(slice[b](softmax[a](x))) => slice[b](log_softmax[a](x))

tag hyperbolic  # ---- hyperbolic functions
sinh:           exp(x) - exp(-x)            => 2*sinh(x)
tanh:           sinh(x)/(exp(x) + exp(-x))  => tanh(x)/2
log_sech:       log(sech(x))                => -log_cosh(x)
log_sech_square: log1p(-tanh(x)^2)          => -2*log_cosh(x)
log1p_cosh:     log1p(cosh(x))              => log(2) + 2*log_cosh(x/2)
cosh_minus_1:   cosh(x) - 1                 => let s = sinh(x/2) in 2*s^2
cosh_less_cos:  cosh(x) - cos(x)            => let a = sinh(x/2) let b = sin(x/2) in 2*(a*a + b*b)
atanh:          log((1 + x)/(1 - x))        => 2*atanh(x)
acosh_near_1:   acosh(1 + x)                => 2*asinh(sqrt(x/2))        real if x >= 0
asinh_minus:    log(hypot_minus(x, 1))       => -asinh(x)
log_plus_exp:   log(c + exp(x))             => log_plus_exp(c, x)           real if constant(c) and c > 0
log1p_scaled_exp: log1p(c*exp(x))           => log1p_scaled_exp(c, x)       real if c > 0
exp_part:       exp(x)/(c + exp(x))         => exp_part(c, x)               real if c >= 1e-30 and c <= 1e30
over_expm1_pair: x^n*exp(x)/expm1(x)^2      => power_over_sinh(x, n)        real if literal(n) and n >= 2 and n <= 16
log_over_expm1: log(over_expm1(x))          => -log_expm1_over(x)
bose_neg:       exp(x)/expm1(x)             => -bose(-x)
bose_slope:     exp(x)/expm1(x)^2           => -(bose(x)*bose(-x))
power_expm1:    x^n/expm1(x)                => power_over_expm1(x, n)       real if n >= 2 and n <= 16
bose_gap:       1/x - bose(x)               => bose_gap(x)
bose_half:      0.5 - bose_gap(x)           => coth_gap(x/2)/2
csch_gap:       1/x - 1/sinh(x)             => csch_gap(x)
log1p_pair:     log1p(x) + log1p(-x)        => log1p_pair(x)
log1p_less_square: log1p(-x^2)              => log1p_pair(x)
expm1_decay:    1 - (1 + x)*exp(-x)         => expm1_decay(x)               real if x > 0

tag series      # ---- f(x)/x, and what is left when the first terms of a series go
sin_over_sin:   sin(x)^2/x                  => sin(x)*sin_over(x)
cosh_less_sinh_by: x*cosh(x) - sinh(x)      => cosh_less_sinh(x)
asin_over:      asin(x)/x                   => over_sin(asin(x))
exp_bend:       exp(x) - 1 - x              => expm1_minus(x)
exp_bend_2:     expm1_minus(x) - x^2/2      => expm1_minus_2(x)
expm1_over_by:  expm1(x*y)/x                => expm1_over_by(x, y)
expm1_over_by_neg: expm1(-x*y)/x            => -expm1_over_by(-x, y)
expm1_over_less: expm1_over(x) - exp(x)     => expm1_over_less(x)
kl_div:         x*log_ratio(x, y) - x + y   => kl_div(x, y)                 real if x > 0 and y > 0
log1p_recip_square: log1p(1/x^2)            => log1p_square_over(x)

tag differences  # ---- trigonometry, roots, differences
one_minus_cos:  1 - cos(x)                  => let s = sin(x/2) in 2*s^2
tan_half:       sin(x/2)^2/sin(x)           => tan(x/2)/2
tan_half_2:     1/sin(x) - 1/tan(x)         => tan(x/2)
tanh_half:      sinh(x/2)^2/sinh(x)         => tanh(x/2)/2
sinh_twice:     sinh(2*x)/sinh(x)           => 2*cosh(x)
pow1p_over:     ((1 + x)^n - 1)/x           => pow1p_over(x, n)             real if x > -1 and literal(n)
pow1p_over_neg: (1 - (1 + x)^n)/x           => -pow1p_over(x, n)            real if x > -1 and literal(n)
recip_power_less: 1 - 1/(1 + x)^n           => -pow_diff(1, x, -n)          real if x > -1 and literal(n)
recip_root_less: 1 - 1/sqrt(1 + x)          => -rsqrt_diff(1, x)            real if x > -1
cbrt1p_minus_1: cbrt(1 + x) - 1             => cbrt_diff(1, x)
sqrt1p_minus_1: sqrt(1 + x) - 1             => let s = sqrt(1 + x) in where(s == inf, s, x/(s + 1))
sqrt1p_exp:     sqrt(1 + exp(x))            => hypot(1, exp(x/2))
sqrt1p_exp_expm1: hypot(1, exp(x/2)) - sqrt(expm1(x)) => let e = exp(x/2) in 2/(hypot(1, e) + e*sqrt(-expm1(-x)))
hypot:          sqrt(x^2 + y^2)             => hypot(x, y)
hypot_literal:  sqrt(x^2 + c)               => hypot(x, sqrt(c))            real if literal(c) and c > 0
hypot_minus:    hypot(x, y) - x             => hypot_minus(x, y)
hypot_plus:     hypot(y, x) + x             => hypot_minus(-x, y)
cosine_less:    1 - cosine(x, y)            => hypot_part(x, y)
recip_hypot_less: 1 - 1/hypot(1, x)         => hypot_part(1, x)
leg_one:        sqrt(x^2 - 1)               => leg(x, 1)
leg_of_one:     sqrt(1 - x^2)               => leg(constant_like(1, x), x)
over_root_1:    x/sqrt(x*y)                 => over_root(x, y)
recip_leg:      1/leg(1, x) - 1             => let l = leg(1, x) in x*(x/(l*(1 + l)))
exp2_minus_1:   exp2(x) - 1                 => pow_minus_1(2, x)
acosh:          log(x + leg(x, 1))          => acosh(x)                     real if x >= 1
cosine:         x/hypot(x, y)               => cosine(x, y)                 real if not literal(x)
sqrt_apart:     -sqrt(x - y) + sqrt(x + y)  => sqrt_diff(x - y, 2*y)        real if x > y and y > 0
rsqrt_diff:     1/sqrt(x) - 1/sqrt(x + y)   => -rsqrt_diff(x, y)            real if x > 0 and y > 0
log_part:       log(part(x, y))             => -log_diff(x, y)              real if x > 0 and y > 0
part:           x/(x + y)                   => part(x, y)                   real if not literal(x)
part_power:     x^n/(x + y) => x^(n - 1)*part(x, y)  real if x > 0 and y > 0 and literal(n) and n > 1 and n <= 16
part_over:      x/(x + y)^2                 => part(x, y)/(x + y)           real if x > 0 and y > 0 and (not literal(x) or literal(y))
parts:          x*y/(x + y)^2               => part(x, y)*part(y, x)        real if x > 0 and y > 0
contrast:       (y - x^2)/(y + x^2)         => contrast_of(y, x)            real if y > 0
ratio_power:    x^m/(c + x)^k               => ratio_power(x, c, m, 1, k)
    real if x > 0 and c > 0 and literal(m) and literal(k) and m >= 2 and m <= 16 and k >= 2 and k <= 9
ratio_power_4:  x^m/(c + x^4)   => ratio_power(x, c, m, 4, 1)  real if c > 0 and literal(m) and m >= 2 and m <= 16
ratio_power_4_2: x^m/(c + x^4)^2 => ratio_power(x, c, m, 4, 2)  real if c > 0 and literal(m) and m >= 2 and m <= 16
log_parts:      log((x + c)/(x + d))        => log1p((c - d)/(x + d))  real if literal(c) and x > 0 and d > 0 and 2*c >= d
one_less_parts: (1 + x^2)/(d + x^2)         => 1 + (1 - d)/(d + x^2)        real if literal(d) and d >= 2
cosine_over:    x/(x^2 + y^2)               => cosine(x, y)/hypot(x, y)
odds_less[range]: (1 + x)/(1 - x) - 1       => 2*x/(1 - x)                  real if wide(x)
log1mexp_square: log1mexp(x^2)              => log1mexp_square(x)
log_ratio:      x*log(x/y)                  => x*log_ratio(x, y)            real if x > 0 and y > 0
jensen_shannon: x*log_ratio(2*x, x + y) + y*log_ratio(2*y, x + y) => jensen_shannon(x, y)  real if x > 0 and y > 0
part_recip:     1/(1 + y/x)                 => part(x, y)                   real
parallel:       x*y/(x + y)                 => parallel(x, y)               real if x > 0 and y > 0
one_less_recip: 1 - 1/(1 + x)               => part(x, 1)
cosine_sine:    x*y/(x^2 + y^2)             => cosine(x, y)*cosine(y, x)
cosine_square:  part(x^2, y^2)              => cosine(x, y)^2
one_minus_part: 1 - part(x, y)              => part(y, x)
sin_bend_1:     sin_over(x) - cos(x)        => x*sin_over_1(x)
sin_less_cos:   sin(x) - x*cos(x)           => sin_less_cos(x)
sin_bend_2:     sin_less_cos(x)/x^2         => sin_over_1(x)
sin_bend_3:     sin(x)/x^2 - cos(x)/x       => sin_over_1(x)
sin_bend_4:     sin_over(x)*(3/x^2 - 1) - 3*cos(x)/x^2 => sin_over_2(x)
sin_bend_5:     ((3 - x^2)*sin(x) - 3*x*cos(x))/x^3 => sin_over_2(x)
coth_gap:       1/tanh(x) - 1/x             => coth_gap(x)
cosec_gap:      1/sin(x) - 1/x              => minus_cot(x) - minus_cot(x/2)
velocity_sum:   (x + y)/(1 + x*y)           => velocity_sum(x, y)
great_circle:   acos(sin(x)*sin(y) + cos(x)*cos(y)*cos(z)) => great_circle(x, y, z)
atan_ratio:     atan(y/x)                   => atan_ratio(y, x)             real if not literal(x)
minus_cot:      1/x - 1/tan(x)              => minus_cot(x)
sin_gap:        1/x^2 - 1/sin(x)^2          => -sin_gap(x)

tag special     # ---- error and gamma functions
erfc:           1 - erf(x)                  => erfc(x)
erfc_neg:       1 + erf(x)                  => erfc(-x)
erf:            1 - erfc(x)                 => erf(x)
erfcx_root:     exp(x)*erfc(sqrt(x))        => erfcx(sqrt(x))
erfcx:          exp(x^2)*erfc(x)            => erfcx(x)
erfcx_under:    exp(-x^2)/erfc(x)           => recip_erfcx(x)
half_erfc:      1 - erfc(x)/2               => erfc(-x)/2
mills:          exp(-x^2/2)/ndtr(x)         => 2*recip_erfcx(-x/sqrt(2))
erfcx_ndtr[range]: exp(x^2/2)*ndtr(x)       => erfcx(-x/sqrt(2))/2          real if wide(x)
lbeta:          lgamma(x) - lgamma_diff(y, x) => lbeta(x, y)               real if x > 0 and y > 0
log_gamma:      log(gamma(x))               => lgamma(x)                    real if x > 0
digamma_gap:    log(x) - digamma(x)         => digamma_gap(x)               real if x > 0
digamma_gap_1:  log(x) - digamma(1 + x)     => digamma_gap_1(x)             real if x > 0
gamma_next:     gamma(x + 1)/gamma(x)       => x                            real if x > 0
gamma_ratio:    gamma(x + y)/gamma(x)       => gamma_ratio(x, y)
