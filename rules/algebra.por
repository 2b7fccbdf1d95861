# algebra.por - what makes an expression simpler: the normal form of every stage.
# Like terms and constant factors are collected without rules; see src/rewrite/collect.c.  What follows from an operator
# being odd, even or idempotent is read off src/ir/ops.h; see src/rewrite/flags.c.
# A rule here must lower the weight of its left side.  -y and x - y stay, so that patterns of stable.por still match.

book algebra

tag neutral     # ---- neutral and absorbing elements
add_zero:       x + 0                       => x                            real
mul_zero:       x*0                         => 0                            finite
zero_div:       0/x                         => 0                            finite
zero_div_pos:   0/x                         => 0                            exact if x > 0 and number(x)
zero_sub:       0 - x                       => -x                           real
mul_minus_one:  x*(-1)                      => -x                           exact
div_minus_one:  x/(-1)                      => -x                           exact
sub_self_int:   x - x                       => 0                            exact if integer(x)
zero_floordiv:  0//x                        => 0                            exact if integer(x)
mod_one:        x % 1                       => 0                            exact if integer(x)
mod_and_floor:  y*(x//y) + x % y            => x                            exact if integer(x) and literal(y) and y > 0
mod_by_floor:   x - y*(x//y)                => x % y                        exact if integer(x) and literal(y) and y > 0
left_left:      shift_left(shift_left(x, m), n) => shift_left(x, m + n)
    exact if literal(m) and literal(n) and m >= 0 and m <= 32 and n >= 0 and n <= 32
right_right:    shift_right(shift_right(x, m), n) => shift_right(x, m + n)
    exact if literal(m) and literal(n) and m >= 0 and m <= 32 and n >= 0 and n <= 32
bit_xor_all:    bit_xor(x, -1)              => bit_not(x)                   exact if integer(x)
bit_xor_self:   bit_xor(x, x)               => 0                            exact if integer(x)
pow_zero:       x^0                         => 1                            exact
one_pow:        1^x                         => 1                            exact

tag signs       # ---- minus signs, signs of products
square_neg:     (-x)^2                      => x^2                          exact
neg_sub:        -(x - y)                    => y - x                        real
div_neg_neg:    (-x)/(-y)                   => x/y                          exact
square_sum:     x^2 + 2*x*y + y^2           => (x + y)^2                    real
square_less:    x^2 - 2*x*y + y^2           => (x - y)^2                    real
square_sum_1:   x^2 + 2*x + 1               => (x + 1)^2                    real
square_less_1:  x^2 - 2*x + 1               => (x - 1)^2                    real
sign_pos_2:     sign(x)                     => 1                            exact if x > 0 and number(x)
sign_neg_2:     sign(x)                     => -1                           exact if x < 0 and number(x)
sign_mul:       sign(x*y)                   => sign(x)                      real if y > 0
sign_mul_neg:   sign(x*y)                   => -sign(x)                     real if y < 0
sign_div:       sign(x/y)                   => sign(x)                      real if y > 0
sign_div_neg:   sign(x/y)                   => -sign(x)                     real if y < 0
mul_sign:       x*sign(x)                   => abs(x)                       real
sign_recip:     sign(1/x)                   => sign(x)                      real if x != 0

tag quotients   # ---- products and quotients
div_self:       x/x                         => 1                            finite
div_add_mul[range]: (x/y + z)*y             => x + z*y                      real if wide(x)
div_sub_mul[range]: (z - x/y)*y             => z*y - x                      real if wide(x)
parallel_recip: 1/(1/x + 1/y)               => parallel(x, y)               real if x > 0 and y > 0
mul_recip:      x*(1/y)                     => x/y                          real
div_div[range]: x/y/z                       => x/(y*z)                      real if moderate(y) and moderate(z)
div_div_right[range]: a/(b/x) => a*x/b  real if moderate(a) or moderate(b) or moderate(x)
factor_scalar[range]: x*expand[a](c) + y*expand[a](c) => (x + y)*expand[a](c)  real if scalar(c) and wide(c)
factor_scalar_sub[range]: x*expand[a](c) - y*expand[a](c) => (x - y)*expand[a](c)  real if scalar(c) and wide(c)
factor_div[range]: x/expand[a](c) + y/expand[a](c) => (x + y)/expand[a](c)  real if scalar(c) and wide(c)
factor_div_sub[range]: x/expand[a](c) - y/expand[a](c) => (x - y)/expand[a](c)  real if scalar(c) and wide(c)
mul_expand_minus: x*expand[a](-1/c)         => -(x/expand[a](c))            real

tag powers      # ---- powers
pow_two_sqrt:   sqrt(x)^2                   => x                            real if x >= 0
sqrt_square:    sqrt(x^2)                   => x                            real if x >= 0
sqrt_square_abs: sqrt(x^2)                  => abs(x)                       real
over_sqrt:      x/sqrt(x)                   => sqrt(x)                      real
pow_half:       x^0.5                       => sqrt(x)                      real
pow_third:      x^0.3333333333333333        => cbrt(x)                      real if x >= 0
pow_recip:      x^(-1)                      => 1/x                          real
pow_pow:        (x^m)^n                     => x^(m*n)
    real if constant(m) and constant(n) and whole(m) and whole(n) and m >= 1 and m <= 16 and n >= 1 and n <= 16
abs_square:     abs(x)^2                    => x^2                          real
abs_mul_abs:    abs(x)*abs(y)               => abs(x*y)                     real

tag exponentials  # ---- exponentials and logarithms
softplus_log:   softplus(log(x))            => log1p(x)                     real
log1mexp_log:   log1mexp(-log(x))           => log1p(-x)                    real
log1p_whole:    log(cast[a](1 + i))         => log1p(cast[a](i))            real if integer(i)
log1mexp_twice: log1mexp(-log1mexp(x))      => -x                           real
exp_log_mul:    exp(log(x)*y)               => x^y                          real
exp_log_div:    exp(log(x)/y)               => x^(1/y)                      real
exp_log_softmax: exp(log_softmax[a](x))     => softmax[a](x)                real
exp_logsumexp:  exp(logsumexp[a](x))        => sum[a](exp(x))               real
exp_pow_div[rounding]: a^x/a^y              => a^(x - y)                    real if a > 0
div_exp:        a/exp(b)                    => a*exp(-b)    real if a >= 1 or a <= -1 or b >= -700
exp_pow:        exp(x)^y                    => exp(x*y)                     real if constant(y)
log_recip:      log(1/x)                    => -log(x)                      real
log_sqrt:       log(sqrt(x))                => log(x)/2                     real
log_pow:        log(x^n)                    => n*log(x)                     real if x > 0
exp_neg_log:    exp(-log(x))                => 1/x                          real if x >= 0
log_less_factor: log(x*y) - log(x)          => log(y)                       real if x > 0
log_and_divisor: log(x/y) + log(y)          => log(x)                       real if y > 0
pow_of_two:     2^x                         => exp2(x)                      real
pow_of_ten:     10^x                        => exp10(x)                     real
softplus_diff:  softplus(x) - x             => softplus(-x)                 real
softplus_parts: max(x, 0) + softplus(-abs(x)) => softplus(x)                real
softplus_part:  min(x, 0) - softplus(-abs(x)) => -softplus(-x)              real
softplus_neg:   max(-x, 0) + softplus(-abs(x)) => softplus(-x)              real
exp_sigmoid:    exp(x)*sigmoid(-x)          => sigmoid(x)
exp_sigmoid_neg: exp(-x)*sigmoid(x)         => sigmoid(-x)
sigmoid:        1/(1 + exp(x))              => sigmoid(-x)
cosh:           (exp(x) + exp(-x))/2        => cosh(x)
sech:           a/cosh(x)                   => a*sech(x)                    real if literal(a)
sech_half:      a/(exp(x) + 2 + exp(-x))    => a/4*sech(x/2)^2              real if literal(a)
sech_pair:      a/(exp(x) + exp(-x))        => a/2*sech(x)                  real if literal(a)
sech_pair_power: a/(exp(x) + exp(-x))^n     => a/2^n*sech(x)^n              real if literal(a) and literal(n) and n >= 2 and n <= 6
sech_power:     a/cosh(x)^n                 => a*sech(x)^n                  real if literal(a) and n > 0
bose:           1/expm1(x)                  => bose(x)                      real
odds:           sigmoid(x)/sigmoid(-x)      => exp(x)
logit:          log(x/(1 - x))              => logit(x)
logit_log1p:    log(x) - log1p(-x)          => logit(x)                     real
sigmoid_over_power: a/(1 + exp(x))^n        => a*sigmoid(-x)^n              real if n >= 1
sigmoid_root:   a/sqrt(1 + exp(x))          => a*sqrt(sigmoid(-x))          real
softmax_shift:  softmax[a](x + expand[a](c)) => softmax[a](x)               real if finite(c)
softmax_max:    softmax[a](x - expand[a](max[a](x))) => softmax[a](x)       real
log_softmax_shift: log_softmax[a](x + expand[a](c)) => log_softmax[a](x)    real if finite(c)
log_softmax_max: log_softmax[a](x - expand[a](max[a](x))) => log_softmax[a](x) real
softmax_centred: softmax[a](x)*(k + y) - softmax[a](x)*expand[a](sum[a](softmax[a](x)*(k + y)))
                                            => softmax[a](x)*(y - expand[a](sum[a](softmax[a](x)*y)))  real if literal(k) and wide(x)
softmax_centred_less: softmax[a](x)*(k - y) - softmax[a](x)*expand[a](sum[a](softmax[a](x)*(k - y))) => softmax[a](x)*(expand[a](sum[a](softmax[a](x)*y)) - y)  real if literal(k) and wide(x)
softmax_whole:  y*expand[a](sum[a](softmax[a](x))) - softmax[a](x) => y - softmax[a](x)  real if count(a) == 1
softmax_norm:   exp(x - expand[a](logsumexp[a](x))) => softmax[a](x)        real if count(a) == 1
pow_up[rounding]: a*a^(x - 1)               => a^x                          real if a > 0
exp_pow_join[rounding]: a^x*a^y             => a^(x + y)                    real if a > 0
exp_lgamma:     lgamma(x + 1) - lgamma(x)   => log(x)                       real if x > 0
digamma_step:   digamma(x + 1) - digamma(x) => 1/x                          real
polygamma_0:    polygamma(0, x)             => digamma(x)                   real
polygamma_1:    polygamma(1, x)             => trigamma(x)                  real
lgamma_pair:    lgamma(x) + lgamma(y) - lgamma(x + y) => lbeta(x, y)        real if x > 0 and y > 0
ndtr_erfc:      erfc(x/1.4142135623730951)  => 2*ndtr(-x)                   real
root_2_square[range]: (x/1.4142135623730951)^2 => x^2/2                     real if wide(x)
exp_log_ndtr:   exp(log_ndtr(x))            => ndtr(x)                      real

tag trigonometry  # ---- trigonometry
cosh_sinh:      cosh(x) + sinh(x)           => exp(x)                       real
cosh_less_sinh: cosh(x) - sinh(x)           => exp(-x)                      real
double_angle[range]: 2*sin(x)*cos(x)        => sin(2*x)                     real if wide(x)
cos_double[range]: cos(x)^2 - sin(x)^2      => cos(2*x)                     real if wide(x)
acosh_cosh:     acosh(cosh(x))              => abs(x)                       real
erfinv_erf:     erfinv(erf(x))              => x                            real if x > -4 and x < 4
cbrt_cube:      cbrt(x^3)                   => x                            real
pythagoras:     sin(x)^2 + cos(x)^2         => 1                            finite
hyperbolic:     cosh(x)^2 - sinh(x)^2       => 1                            finite
xlogy_one:      xlogy(1, y)                 => log(y)                       real

tag choices     # ---- where
where_ne:       where(x != y, a, b)         => where(x == y, b, a)          exact
sign_over_abs:  sign(x)/abs(x)              => 1/x                          real
over_abs:       x/abs(x)                    => sign(x)                      real
where_known:    where(x >= y, a, b)         => a                            real if x >= y
where_true:     where(true, x, y)           => x                            exact
where_false:    where(false, x, y)          => y                            exact
where_and:      where(c, x, false)          => c and x                      exact if boolean(x)
where_or:       where(c, true, x)           => c or x                       exact if boolean(x)
where_flip:     where(c, false, true)       => not c                        exact
where_same:     where(c, x, x)              => x                            exact
where_not:      where(not c, x, y)          => where(c, y, x)               exact
where_where_1:  where(c, where(c, x, y), z) => where(c, x, z)               exact
where_where_2:  where(c, x, where(c, y, z)) => where(c, x, z)               exact
mask_else:      where(c, x, 0) + where(not c and d, y, 0) => where(c, x, where(d, y, 0))  real
mask_else_not:  where(c, x, 0) + where(c or d, 0, y) => where(c, x, where(d, 0, y))  real
where_relu:     where(x > 0, x, 0)          => relu(x)                      real if number(x)
where_relu_2:   where(x <= 0, 0, x)         => relu(x)                      real
relu_pos:       relu(x)                     => x                            real if x > 0
relu_relu:      relu(relu(x))               => relu(x)                      exact

tag complex     # ---- complex numbers
re_complex:     re(complex(x, y))           => x                            exact
im_complex:     im(complex(x, y))           => y                            exact
