# stable_last.por - true rules that make a result more accurate, but whose first or second derivatives are somewhere
# worse than those of what was written.  They belong to stable, but only in stages after the last derivative.

book stable_last

tanh_sigmoid:   2*sigmoid(x) - 1            => tanh(x/2)
tanh_expm1:     expm1(x)*sigmoid(-x)        => tanh(x/2)
tanh_expm1_neg: expm1(-x)*sigmoid(x)        => -tanh(x/2)
coth_expm1:     (1 + exp(x))/expm1(x)       => 1/tanh(x/2)
sech_square:    1 - tanh(x)^2               => let c = cosh(x) in 1/c/c
sech_square_2:  1 - tanh(x)*tanh(x)         => let c = cosh(x) in 1/c/c
square_diff:    x^2 - y^2                   => (x - y)*(x + y)
logaddexp_factor: log(a*exp(x) + exp(y))    => logaddexp(x + log(a), y)     real if a > 0
log_sum_weighed: log(sum[a](w*exp(x)))      => logsumexp[a](x + log(w))     real if w > 0
sqrt_diff:      sqrt(x + y) - sqrt(x)       =>
    let s = sqrt(x + y) in where(s == inf, s, y/(s + sqrt(x)))              real if x > 0 and x + y >= 0
sqrt1p_exp_diff: hypot(1, exp(x/2)) - sqrt(exp(x)) => 1/(hypot(1, exp(x/2)) + exp(x/2))
sqrt1p_exp_diff_2: hypot(1, exp(x)) - sqrt(exp(2*x)) => 1/(hypot(1, exp(x)) + exp(x))
hypot_minus:    hypot(1, x) - x             => 1/(hypot(1, x) + x)          real if x >= 0
pow1p_minus_1:  (1 + x)^n - 1               =>
    where(x == 0 or n == 0, 0, expm1(n*log1p(x)))                           real if x > -1
mills_mul_div:  z*exp(-x^2/2)/y/ndtr(x)     => z*(2*recip_erfcx(-x/sqrt(2)))/y  real if wide(x)
mills_mul_div_neg: z*exp(-x^2/2)/y/ndtr(-x) => z*(2*recip_erfcx(x/sqrt(2)))/y  real if wide(x)
