# stable_last.por - rules of stable whose derivatives are worse somewhere: they are for after the last derivative.

book stable_last

tanh_sigmoid:   2*sigmoid(x) - 1            => tanh(x/2)
tanh_expm1:     expm1(x)*sigmoid(-x)        => tanh(x/2)
tanh_expm1_neg: expm1(-x)*sigmoid(x)        => -tanh(x/2)
coth_expm1:     (1 + exp(x))/expm1(x)       => 1/tanh(x/2)
sinh_decay:     sinh(x)*exp(-x)             => -expm1(-x)*((1 + exp(-x))/2)
cosh_decay:     cosh(x)*exp(-x)             => let e = exp(-x) in 0.5 + e*(e/2)
over_square_sum: x/(x^2 + y)               => let q = y/x in where(abs(q) == inf, x/y, 1/(x + q))  real if y >= 0
hypot_root:     sqrt(x^2 + y)               => hypot(x, sqrt(y))            real if y > 0
root_squares:   sqrt(y + sum[a](x^2))       => hypot(sqrt(y), euclidean[a](x))  real if y > 0
sum_square:     sum[a](x)^2 - sum[a](x^2)   => sum[a](x*(expand_like[a](sum[a](x), x) - x))
root_sigmoid:   sqrt(sigmoid(x))            => 1/hypot(1, exp(-x/2))
square_sigmoids: x^2*(sigmoid(y)*sigmoid(z)) => square_sigmoids(x, y, z)
square_exp:     x^2*exp(-y)                 => x*(x*exp(-y))
power_exp:      x^n*exp(-y)                 => power_exp(x, n, -y)          real if literal(n) and n >= 3 and n <= 16
exp_over_square: exp(-1/x)/x^2              => exp(-1/x)/x/x
square_less_exp: (1 - x*(2*x))*exp(-x^2)    => let e = exp(-x^2) in e - 2*x*(x*e)
one_minus_tanh: 1 - tanh(x)                 => 2*sigmoid(-2*x)
one_plus_tanh:  1 + tanh(x)                 => 2*sigmoid(2*x)
sigmoid_diff:   sigmoid(-x) - sigmoid(x)    => -tanh(x/2)
square_diff:    x^2 - y^2                   => gap_between(x, y)*(x + y)
sigmoid_half:   sigmoid(x) - 0.5            => tanh(x/2)/2
square_ratio:   x^2/y^2                     => (x/y)^2
log_sum_weighed: log(sum[a](w*exp(x)))      => logsumexp[a](x + log(w))     real if w > 0
pow1p_minus_1:  (1 + x)^n - 1               => pow1p_minus_1(x, n)          real if x > -1
pow_minus_1:    x^y - 1                     => pow_minus_1(x, y)            real if x > 0 and not literal(y)
pow1p:          (1 + x)^y                   => pow1p(x, y)                  real if x > -1 and not literal(y)
pow1p_less:     pow1p(x, y) - 1             => pow1p_minus_1(x, y)          real if x > -1
tag differences  # ---- differences of a function at neighbouring arguments, and near the ends of functions
cos_square:     1 - sin(x)^2                => cos(x)^2
sin_square:     1 - cos(x)^2                => sin(x)^2
sinh_square:    cosh(x)^2 - 1               => sinh(x)^2
share_slope:    (1 - y)/(1 - x) - y/x       => (x - y)/x/(1 - x)            real if x > 0 and x < 1
recip_diff:     1/(x + y) - 1/x             => recip_diff(x, y)
kl_bernoulli: x*log_ratio(x, y) + (1 - x)*log_ratio(1 - x, 1 - y) => let d = x - y in kl_by(x, y, d) + kl_by(1 - x, 1 - y, -d)  real if x > 0 and x < 1 and y > 0 and y < 1
exp_less_twice: exp(2*x) - exp(x)           => exp(x)*expm1(x)
exp_less:       exp(x) - exp(y)             => exp_less(x, y)
log_exp_less:   log(exp_less(x, y))         => x + log1mexp(x - y)
tanh_pair:      exp_less(x, y)/(exp(x) + exp(y)) => tanh((x - y)/2)
bose_pair[rounding]: exp(x)/exp_less(x, y) => -bose(y - x)
bose_pair_2[rounding]: exp(y)/exp_less(x, y) => bose(x - y)
power_expm1_less: power_over_expm1(x, 3) - x^2 => -(x^2*(x*bose_gap(x)))
power_expm1_less_2: power_over_expm1(x, 2) - x => -(x*(x*bose_gap(x)))
leg:            sqrt((x - y)*(x + y))       => leg(x, y)
leg_root:       sqrt(x^2 - y)               => leg_square(x, y)             real if y > 0
minus_leg:      x - leg(x, y)               => minus_leg(x, y)
minus_leg_square: x - leg_square(x, y)      => minus_leg_square(x, y)
over_root:      x*(c/sqrt(x*y))             => c*over_root(x, y)            real if literal(c)
root_product:   sqrt(x*y)                   => root_product(x, y)  real if x > 0 and y > 0 and not literal(x) and not literal(y)
sqrt_part:      1 - sqrt(x)/sqrt(x + y)     => part(y, x)/(1 + sqrt(part(x, y)))  real if x > 0 and y > 0 and finite(y)
log1p_diff:     log1p(x) - log(x)           => log_diff(x, 1)               real if x > 0
log1p_mul_diff: (1 + x)*log1p(x) - x*log(x) => log1p(x) + x*log_diff(x, 1)  real if x > 0
recip_twice:    1/(x + y) - 2/x + 1/(x - y) => let r = where(abs(y) == inf, -1, y/(x + y)*(y/(x - y))) in 2*(r/x)
over_tan_less:  x/tan(x) - 1                => -(x*minus_cot(x))
over_tanh_less: over_tanh(x) - 1            => x*coth_gap(x)
exp_twice:      exp(x) - 2 + exp(-x)        => let s = sinh(x/2) in 4*s*s
expm1_sum:      expm1(x) + expm1(-x)        => let s = sinh(x/2) in 4*s*s
less_cosine:    x - cosine(x, 1)            => x*hypot_part(1, x)
log_add_exp:    log(c + exp(x))             => logaddexp(x, log(c))         real if c > 0
expm1_ratio:    expm1(2*x)/expm1(x)         => 1 + exp(x)
atanh_minus:    atanh(x) - x                => -tanh_minus(atanh(x))
log_twice_sigmoid: log(2*sigmoid(x))         => where(x < 2, x/2 - log_cosh(x/2), log1p(tanh(max(x, 2)/2)))
tan_less_sin:   tan(x) - sin(x)             => let s = sin(x/2) in 2*s*s*tan(x)
sec_minus_1:    1/cos(x) - 1                => tan(x)*tan(x/2)
log1p_less_part: log1p(x) - part(x, 1) => let c = where(x < 1, x, 0) in where(x < 1, -log1p_minus(-share(c)), log1p(x) - share(x))
log1p_mul_minus: (1 + x)*log1p(x) - x       => x*log1p(x) + log1p_minus(x)
sine_of_cosine: sqrt(hypot_part(x, y)*(1 + cosine(x, y))) => where(x == 0, 1, abs(cosine(y, x)))
acos_cosine:    acos(cosine(x, y))          => atan2(where(x == 0 and y == 0, 1, abs(y)), x)
asin_cosine:    asin(cosine(x, y))          => atan2(x, abs(y))
atanh_ratio:    log((x + y)/(x - y))        => log_contrast(x, y)
asin_root:      asin(sqrt(x))               => atan2(sqrt(x), sqrt(1 - x))
acos_near_1:    acos(1 - x)                 => 2*atan2(sqrt(x), sqrt(2 - x)) real if x >= 0
