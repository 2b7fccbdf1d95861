# Logarithms of densities and probabilities, elementwise: -inf outside the support, with derivative 0 there.  Those of
# whole numbers go on between them as their formulas do.  Those of vectors and matrices stand at the end.
#
# Parameters are believed: mean may be any number; sd, scale, shape, rate, freedom, sharpness, a and b are above 0, p lies
# between 0 and 1, low is below high; z is a logit.

# The formula where x is not out; where it is, the formula sees the number inside and nothing of it is taken.
fn unless(out, x, inside, formula) = where(out, -inf, formula(where(out, inside, x)))
fn past(x) = (x < 0) or (x == inf)
fn no_positive(x) = (x <= 0) or (x == inf)

# ---- any number

#     logp.normal(0.5, 1, 2) is -1.643335713764618
fn normal(x, mean, sd) = -((x - mean)/sd)^2/2 - log(sd) - log(2*pi)/2
#     logp.laplace(0.5, 1, 2) is -1.6362943611198906
fn laplace(x, mean, scale) = -abs(x - mean)/scale - log(2*scale)
# Falls by rate*skew to the right and by rate/skew to the left.
#     logp.asymmetric_laplace(0.5, 1, 2, 3) is -0.8441589570993242
fn asymmetric_laplace(x, mean, rate, skew) =
    let d = x - mean
    in log(rate) - log(skew + 1/skew) - rate*where(d < 0, -d/skew, d*skew)
#     logp.logistic(0.5, 1, 2) is -2.0950260203176323
fn logistic(x, mean, scale) = -2*log_cosh((x - mean)/(2*scale)) - log(4*scale)
#     logp.cauchy(0.5, 1, 2) is -1.8985016882257801
fn cauchy(x, mean, scale) = -log(pi*scale) - log1p_square((x - mean)/scale)
#     logp.student_t(0.5, 4, 1, 2) is -1.7127368999115846
fn student_t(x, freedom, mean, scale) =
    let z = (x - mean)/scale
    in -lbeta(freedom/2, 0.5) - log(freedom)/2 - log(scale) - (freedom + 1)/2*log1p_square(z/sqrt(freedom))
#     logp.gumbel(0.5, 1, 2) is -1.7271725972476868
fn gumbel(x, mean, scale) = let z = (x - mean)/scale in -z - exp(-z) - log(scale)
#     logp.skew_normal(0.5, 1, 2, 3) is -2.4346367631243293
fn skew_normal(x, mean, sd, skew) = normal(x, mean, sd) + log(2) + log_ndtr(skew*(x - mean)/sd)
# A normal number and an exponential one of the rate.
#     logp.exponential_normal(0.5, 1, 2, 3) is -1.7082953473401403
fn exponential_normal(x, mean, sd, rate) =
    let z = (x - mean)/sd
    in log(rate) + rate*sd*(rate*sd/2 - z) + log_ndtr(z - rate*sd)
# On the circle: x in radians, from -pi to pi.
#     logp.von_mises(0.5, 1, 2) is -0.9067054841115564
fn von_mises(x, mean, sharpness) = sharpness*(cos(x - mean) - 1) - log(2*pi*i0e(sharpness))

# ---- above 0

# Of a number whose logarithm is normal, with that mean and sd.
#     logp.lognormal(0.5, 1, 2) is -1.277281955084434
fn lognormal(x, mean, sd) = unless(no_positive(x), x, 1, (x) => normal(log(x), mean, sd) - log(x))
# Of the absolute value of a normal number of mean 0.
#     logp.half_normal(0.5, 2) is -0.9501885332046728
fn half_normal(x, sd) = unless(x < 0, x, 1, (x) => log(2) + normal(x, 0, sd))
#     logp.half_cauchy(0.5, 2) is -1.205354507665835
fn half_cauchy(x, scale) = unless(x < 0, x, 1, (x) => log(2/(pi*scale)) - log1p_square(x/scale))
#     logp.half_student_t(0.5, 4, 2) is -1.0195897193516394
fn half_student_t(x, freedom, scale) = unless(x < 0, x, 1, (x) => log(2) + student_t(x, freedom, 0, scale))
# Of the rate, one over the mean.
#     logp.exponential(0.5, 3) is -0.4013877113318902
fn exponential(x, rate) = unless(x < 0, x, 1, (x) => log(rate) - rate*x)
# Of the shape and the rate: the mean is shape/rate.
#     logp.gamma(0.5, 2, 3) is 0.004077396776274167
fn gamma(x, shape, rate) =
    unless(past(x), x, 1, (x) => shape*log(rate) - lgamma(shape) + xlogy(shape - 1, x) - rate*x)
# Of one over a gamma number of that shape and the rate `scale`.
#     logp.inverse_gamma(0.5, 2, 3) is -1.7233338809839447
fn inverse_gamma(x, shape, scale) =
    unless(no_positive(x), x, 1, (x) => shape*log(scale) - lgamma(shape) - (shape + 1)*log(x) - scale/x)
# Of the sum of `freedom` squares of normal numbers.
#     logp.chi_squared(0.5, 4) is -2.3294415416798357
fn chi_squared(x, freedom) = gamma(x, freedom/2, 0.5)
#     logp.inverse_chi_squared(0.5, 4) is -0.3068528194400547
fn inverse_chi_squared(x, freedom) = inverse_gamma(x, freedom/2, 0.5)
#     logp.weibull(0.5, 2, 3) is -2.2250023551139972
fn weibull(x, shape, scale) =
    unless(past(x), x, 1, (x) => log(shape/scale) + xlogy(shape - 1, x/scale) - (x/scale)^shape)
# Of a Weibull number's inverse.
#     logp.frechet(0.5, 2, 3) is -31.030186700424007
fn frechet(x, shape, scale) =
    unless(no_positive(x), x, 1, (x) => log(shape/scale) - (shape + 1)*log(x/scale) - (x/scale)^(-shape))
#     logp.rayleigh(0.5, 2) is -2.1106915416798357
fn rayleigh(x, scale) = unless(past(x), x, 1, (x) => log(x) - 2*log(scale) - (x/scale)^2/2)
#     logp.maxwell(0.5, 2) is -3.722777255444454
fn maxwell(x, scale) = unless(past(x), x, 1, (x) => log(2/pi)/2 + 2*log(x) - 3*log(scale) - (x/scale)^2/2)
# Of a number whose logarithm is logistic: of median `scale`.
#     logp.log_logistic(0.5, 3, 2) is -2.3981319872035476
fn log_logistic(x, shape, scale) =
    unless(past(x), x, 1, (x) =>
        log(shape/scale) + xlogy(shape - 1, x/scale) - 2*softplus(shape*log(x/scale)))
# The time until a walk with a drift comes to a place: mean is the mean, shape the place squared over the variance.
#     logp.inverse_normal(0.5, 1, 2) is -0.03264417208478221
fn inverse_normal(x, mean, shape) =
    unless(no_positive(x), x, 1, (x) =>
        log(shape/(2*pi))/2 - 1.5*log(x) - shape*(x - mean)^2/(2*mean^2*x))
# Of the ratio of two chi squared numbers, each over its freedom, above/below.
#     logp.f_ratio(0.5, 3, 4) is -0.570928917890196
fn f_ratio(x, above, below) =
    unless(past(x), x, 1, (x) => -lbeta(above/2, below/2) + above/2*log(above/below) + xlogy(above/2 - 1, x)
        - (above + below)/2*log1p(above/below*x))

# ---- from a number on, or between two

# Of numbers from `least` on, falling as x^-(shape + 1).
#     logp.pareto(2.5, 3, 2) is -0.4871090971486751
fn pareto(x, shape, least) =
    unless((x < least) or (x == inf), x, least, (x) => log(shape) + shape*log(least) - (shape + 1)*log(x))
#     logp.beta(0.5, 2, 3) is 0.40546510810816416
fn beta(x, a, b) =
    unless((x < 0) or (x > 1), x, 0.5, (x) => xlogy(a - 1, x) + xlog1py(b - 1, -x) - lbeta(a, b))
#     logp.kumaraswamy(0.5, 2, 3) is 0.5232481437645478
fn kumaraswamy(x, a, b) =
    unless((x < 0) or (x > 1), x, 0.5, (x) => log(a*b) + xlogy(a - 1, x) + xlog1py(b - 1, -x^a))
#     logp.uniform(0.5, 0, 2) is -0.6931471805599453
fn uniform(x, low, high) = where((x >= low) and (x <= high), -log(high - low), -inf)
#     logp.triangular(0.5, 0, 1, 3) is -1.0986122886681098
fn triangular(x, low, top, high) =
    unless((x < low) or (x > high), x, top, (x) =>
        log(2/(high - low)) +
        where(x < top, log((x - low)/(top - low)), where(x > top, log((high - x)/(high - top)), 0)))
# The normal density of those between low and high, which may be infinite.
#     logp.truncated_normal(0.5, 1, 2, 0, inf) is -1.2743892984759615
fn truncated_normal(x, mean, sd, low, high) =
    let (a, b) = ((low - mean)/sd, (high - mean)/sd)
    # On the side where the probabilities are small, so that their difference keeps its digits.
    let (a, b) = (where(a > 0, -b, a), where(a > 0, -a, b))
    in unless((x < low) or (x > high), x, clip(mean, low, high), (x) =>
        normal(x, mean, sd) - log_ndtr(b) - log1mexp(log_ndtr(b) - log_ndtr(a)))

# ---- whole numbers

# x is 0 or 1, or a share between them; p the probability of 1.
#     logp.bernoulli([0, 1], 0.3) is [-0.3566749439387324, -1.2039728043259361]
fn bernoulli(x, p) = unless((x < 0) or (x > 1), x, 1, (x) => xlogy(x, p) + xlog1py(1 - x, -p))
# The same from a logit, for any x.
#     logp.bernoulli_logit([0, 1], 0.5) is [-0.9740769841801067, -0.4740769841801067]
fn bernoulli_logit(x, z) = x*z - softplus(z)
# How often of n, p being the probability of each.
#     logp.binomial(3, 10, 0.3) is -1.3211512777668895
fn binomial(x, n, p) =
    unless((x < 0) or (x > n), x, 0, (x) => log_choose(n, x) + xlogy(x, p) + xlog1py(n - x, -p))
#     logp.binomial_logit(3, 10, 0.5) is -3.4532780990190206
fn binomial_logit(x, n, z) = unless((x < 0) or (x > n), x, 0, (x) => log_choose(n, x) + x*z - n*softplus(z))
# Of n, where the probability itself is a beta number.
#     logp.beta_binomial(3, 10, 2, 3) is -1.9389414797392215
fn beta_binomial(x, n, a, b) =
    unless((x < 0) or (x > n), x, 0, (x) => log_choose(n, x) + lbeta(x + a, n - x + b) - lbeta(a, b))
#     logp.poisson(3, 2.5) is -1.5428872736055896
fn poisson(x, rate) = unless(past(x), x, 1, (x) => xlogy(x, rate) - rate - lgamma(x + 1))
# The same from the logarithm of the rate.
#     logp.poisson_log(3, 0.5) is -1.9404807399281832
fn poisson_log(x, z) = unless(past(x), x, 1, (x) => x*z - exp(z) - lgamma(x + 1))
# 0 with probability zero, else Poisson's.
#     logp.zero_inflated_poisson([0, 3], 0.2, 2.5) is [-1.325507874195871, -1.7660308249197993]
fn zero_inflated_poisson(x, zero, rate) =
    unless(past(x), x, 1, (x) =>
        where(x == 0, logaddexp(log(zero), log1p(-zero) - rate), log1p(-zero) + poisson(x, rate)))
# The number of failures before the first success, whose probability is p.
#     logp.geometric(3, 0.3) is -2.2739976361421332
fn geometric(x, p) = unless(x < 0, x, 1, (x) => log(p) + xlog1py(x, -p))
# The number of failures before the n-th success, whose probability is p; n may be any number above 0.
#     logp.negative_binomial(3, 2, 0.4) is -1.9787639739263916
fn negative_binomial(x, n, p) =
    unless(past(x), x, 1, (x) => -log(x + n) - lbeta(x + 1, n) + xlogy(n, p) + xlog1py(x, -p))
# The same by its mean and by n: the variance is mean + mean^2/n.
#     logp.negative_binomial_mean(3, 4, 2) is -2.0273255405408226
fn negative_binomial_mean(x, mean, n) =
    unless(past(x), x, 1, (x) =>
        -log(x + n) - lbeta(x + 1, n) + xlogy(x, mean) - x*log(mean + n) - n*log1p(mean/n))
# Of n taken from a lot of size all, good of which are counted.
#     logp.hypergeometric(2, 12, 5, 4) is -0.8574502318512218
fn hypergeometric(x, all, good, n) =
    unless((x < 0) or (x > n) or (x > good) or (n - x > all - good), x, min(n, good), (x) =>
        log_choose(good, x) + log_choose(all - good, n - x) - log_choose(all, n))
#     logp.discrete_uniform(3, 1, 6) is -1.791759469228055
fn discrete_uniform(x, low, high) = where((x >= low) and (x <= high), -log(high - low + 1), -inf)

# x is a number below the length of z, the logits along the last axis.
#     logp.categorical(1, [0.1, 0.5, 0.2]) is -0.8800989458406057
fn categorical(x, z: T[..s, c]) = sum[-1](one_hot[c, T](x)*log_softmax(z))
# x is a number from 0 to the length of cuts, ascending: how many of them lie below z and a logistic number.
#     logp.ordered_logistic(1, 0.3, [0.0, 1.0]) is -1.416216438741067
fn ordered_logistic(x, z, cuts: T[c]) =
    let upper = where(x == c, inf, cuts[min(x, c - 1)] - z)
    let lower = where(x == 0, -inf, cuts[max(x - 1, 0)] - z)
    in where(x == c, -softplus(where(x == c, lower, 0)), where(x == 0, -softplus(-where(x == 0, upper, 0)),
            -softplus(-where((x == 0) or (x == c), 0, upper)) -
            softplus(where((x == 0) or (x == c), 0, lower))
            + log1mexp(where((x == 0) or (x == c), 1, upper - lower))))

# ---- vectors and matrices, along the last axes

# x is positive and sums to 1.
#     logp.dirichlet([0.2, 0.3, 0.5], [1.0, 2.0, 3.0]) is 1.5040773967762737
fn dirichlet(x: T[..s, n], a) =
    let a = where(x == x, a, a)
    in lgamma(sum[-1](a)) + sum[-1](xlogy(a - 1, x) - lgamma(a))
# How often each of the outcomes with probabilities p came.
#     logp.multinomial([1.0, 2.0, 3.0], [0.2, 0.3, 0.5]) is -2.002480500543708
fn multinomial(x: T[..s, n], p) = lgamma(sum[-1](x) + 1) + sum[-1](xlogy(x, p) - lgamma(x + 1))
# L is the lower triangle with L @ L.T the covariance, as solve.cholesky gives it.
#     logp.multivariate_normal([0.5, 1.0], [0.0, 0.0], [[2.0, 0.0], [0.5, 1.0]]) is -2.9450867469692907
fn multivariate_normal(x: T[..s, n], mean, L: T[n, n]) =
    let z = tri_solve[lower](L, (x - mean)[.., _])
    in -sum[-2](z^2)[.., 0]/2 - sum([i < n] => log(L[i, i])) - n*log(2*pi)/2
#     logp.multivariate_student_t([0.5, 1.0], 4, [0.0, 0.0], [[2.0, 0.0], [0.5, 1.0]]) is -3.0955157442238397
fn multivariate_student_t(x: T[..s, n], freedom, mean, L: T[n, n]) =
    let z = sum[-2](tri_solve[lower](L, (x - mean)[.., _])^2)[.., 0]
    in lgamma((freedom + n)/2) - lgamma(freedom/2) - n*log(pi*freedom)/2 - sum([i < n] => log(L[i, i]))
        - (freedom + n)/2*log1p(z/freedom)

# The logarithm of the gamma function of n dimensions.
fn lgamma_of[n](x) = n*(n - 1)/4*log(pi) + sum([i < n] => lgamma(x - i/2))
# Of L @ L.T, a sum of freedom squares of normal vectors with the covariance V @ V.T: both lower triangles.
#     logp.wishart_cholesky([[2.0, 0.0], [0.5, 1.0]], 4, [[1.0, 0.0], [0.0, 1.0]]) is -5.156024246969291
fn wishart_cholesky(L: T[n, n], freedom, V: T[n, n]) =
    sum([i < n] => (freedom - n - 1)*log(L[i, i]) - freedom*log(V[i, i])) - sum(tri_solve[lower](V, L)^2)/2
    - freedom*n/2*log(2) - lgamma_of[n](freedom/2)
# Of the lower triangle L whose L @ L.T is a matrix of correlations: uniform over these where shape is 1.
# Lewandowski, Kurowicka and Joe 2009.
#     logp.lkj_cholesky([[1.0, 0.0], [0.6, 0.8]], 2) is -0.7339691750802003
fn lkj_cholesky(L: T[n, n], shape) =
    sum([i < n] => if i == 0 then 0.0 else
            (n - i + 2*shape - 3)*log(L[i, i]) + lgamma(shape + (n - 1)/2) - lgamma(shape + (n - 1 - i)/2) -
            i/2*log(pi))
