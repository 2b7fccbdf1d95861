# Logarithms of densities and probabilities, elementwise: -inf outside the support, with derivative 0 there.  Those of
# whole numbers go on between them as their formulas do.  Those of vectors and matrices stand at the end.

# The formula where x is not out; where it is, the formula sees the number inside and nothing of it is taken.
fn unless(out, x, inside, formula) = where(out, -inf, formula(where(out, inside, x)))
fn past(x) = (x < 0) or (x == inf)
fn no_positive(x) = (x <= 0) or (x == inf)

# ---- any number

fn normal(x, mean, sd) = -((x - mean)/sd)^2/2 - log(sd) - log(2*pi)/2
fn laplace(x, mean, scale) = -abs(x - mean)/scale - log(2*scale)
# Falls by rate*skew to the right and by rate/skew to the left.
fn asymmetric_laplace(x, mean, rate, skew) =
    let d = x - mean
    in log(rate) - log(skew + 1/skew) - rate*where(d < 0, -d/skew, d*skew)
fn logistic(x, mean, scale) = -2*log_cosh((x - mean)/(2*scale)) - log(4*scale)
fn cauchy(x, mean, scale) = -log(pi*scale) - log1p_square((x - mean)/scale)
fn student_t(x, freedom, mean, scale) =
    let z = (x - mean)/scale
    in -lbeta(freedom/2, 0.5) - log(freedom)/2 - log(scale) - (freedom + 1)/2*log1p_square(z/sqrt(freedom))
fn gumbel(x, mean, scale) = let z = (x - mean)/scale in -z - exp(-z) - log(scale)
fn skew_normal(x, mean, sd, skew) = normal(x, mean, sd) + log(2) + log_ndtr(skew*(x - mean)/sd)
# A normal number and an exponential one of the rate.
fn exponential_normal(x, mean, sd, rate) =
    let z = (x - mean)/sd
    in log(rate) + rate*sd*(rate*sd/2 - z) + log_ndtr(z - rate*sd)
# On the circle: x in radians, from -pi to pi.
fn von_mises(x, mean, sharpness) = sharpness*(cos(x - mean) - 1) - log(2*pi*i0e(sharpness))

# ---- above 0

fn lognormal(x, mean, sd) = unless(no_positive(x), x, 1, (x) => normal(log(x), mean, sd) - log(x))
fn half_normal(x, sd) = unless(x < 0, x, 1, (x) => log(2) + normal(x, 0, sd))
fn half_cauchy(x, scale) = unless(x < 0, x, 1, (x) => log(2/(pi*scale)) - log1p_square(x/scale))
fn half_student_t(x, freedom, scale) = unless(x < 0, x, 1, (x) => log(2) + student_t(x, freedom, 0, scale))
fn exponential(x, rate) = unless(x < 0, x, 1, (x) => log(rate) - rate*x)
fn gamma(x, shape, rate) =
    unless(past(x), x, 1, (x) => shape*log(rate) - lgamma(shape) + xlogy(shape - 1, x) - rate*x)
fn inverse_gamma(x, shape, scale) =
    unless(no_positive(x), x, 1, (x) => shape*log(scale) - lgamma(shape) - (shape + 1)*log(x) - scale/x)
fn chi_squared(x, freedom) = gamma(x, freedom/2, 0.5)
fn inverse_chi_squared(x, freedom) = inverse_gamma(x, freedom/2, 0.5)
fn weibull(x, shape, scale) =
    unless(past(x), x, 1, (x) => log(shape/scale) + xlogy(shape - 1, x/scale) - (x/scale)^shape)
# Of a Weibull number's inverse.
fn frechet(x, shape, scale) =
    unless(no_positive(x), x, 1, (x) => log(shape/scale) - (shape + 1)*log(x/scale) - (x/scale)^(-shape))
fn rayleigh(x, scale) = unless(past(x), x, 1, (x) => log(x) - 2*log(scale) - (x/scale)^2/2)
fn maxwell(x, scale) = unless(past(x), x, 1, (x) => log(2/pi)/2 + 2*log(x) - 3*log(scale) - (x/scale)^2/2)
fn log_logistic(x, shape, scale) =
    unless(past(x), x, 1, (x) =>
        log(shape/scale) + xlogy(shape - 1, x/scale) - 2*softplus(shape*log(x/scale)))
# The time until a walk with a drift comes to a place: mean is the mean, shape the place squared over the variance.
fn inverse_normal(x, mean, shape) =
    unless(no_positive(x), x, 1, (x) =>
        log(shape/(2*pi))/2 - 1.5*log(x) - shape*(x - mean)^2/(2*mean^2*x))
fn f_ratio(x, above, below) =
    unless(past(x), x, 1, (x) => -lbeta(above/2, below/2) + above/2*log(above/below) + xlogy(above/2 - 1, x)
        - (above + below)/2*log1p(above/below*x))

# ---- from a number on, or between two

fn pareto(x, shape, least) =
    unless((x < least) or (x == inf), x, least, (x) => log(shape) + shape*log(least) - (shape + 1)*log(x))
fn beta(x, a, b) = unless((x < 0) or (x > 1), x, 0.5, (x) => xlogy(a - 1, x) + xlog1py(b - 1, -x) - lbeta(a, b))
fn kumaraswamy(x, a, b) =
    unless((x < 0) or (x > 1), x, 0.5, (x) => log(a*b) + xlogy(a - 1, x) + xlog1py(b - 1, -x^a))
fn uniform(x, low, high) = where((x >= low) and (x <= high), -log(high - low), -inf)
fn triangular(x, low, top, high) =
    unless((x < low) or (x > high), x, top, (x) =>
        log(2/(high - low)) + where(x < top, log((x - low)/(top - low)), where(x > top, log((high - x)/(high - top)), 0)))
# The normal density of those between low and high, which may be infinite.
fn truncated_normal(x, mean, sd, low, high) =
    let (a, b) = ((low - mean)/sd, (high - mean)/sd)
    # On the side where the probabilities are small, so that their difference keeps its digits.
    let (a, b) = (where(a > 0, -b, a), where(a > 0, -a, b))
    in unless((x < low) or (x > high), x, clip(mean, low, high), (x) =>
        normal(x, mean, sd) - log_ndtr(b) - log1mexp(log_ndtr(b) - log_ndtr(a)))

# ---- whole numbers

# x is 0 or 1, or a share between them; p the probability of 1.
fn bernoulli(x, p) = unless((x < 0) or (x > 1), x, 1, (x) => xlogy(x, p) + xlog1py(1 - x, -p))
# The same from a logit, for any x.
fn bernoulli_logit(x, z) = x*z - softplus(z)
fn binomial(x, n, p) =
    unless((x < 0) or (x > n), x, 0, (x) => log_choose(n, x) + xlogy(x, p) + xlog1py(n - x, -p))
fn binomial_logit(x, n, z) = unless((x < 0) or (x > n), x, 0, (x) => log_choose(n, x) + x*z - n*softplus(z))
# Of n, where the probability itself is a beta number.
fn beta_binomial(x, n, a, b) =
    unless((x < 0) or (x > n), x, 0, (x) => log_choose(n, x) + lbeta(x + a, n - x + b) - lbeta(a, b))
fn poisson(x, rate) = unless(past(x), x, 1, (x) => xlogy(x, rate) - rate - lgamma(x + 1))
# The same from the logarithm of the rate.
fn poisson_log(x, z) = unless(past(x), x, 1, (x) => x*z - exp(z) - lgamma(x + 1))
# 0 with probability zero, else Poisson's.
fn zero_inflated_poisson(x, zero, rate) =
    unless(past(x), x, 1, (x) =>
        where(x == 0, logaddexp(log(zero), log1p(-zero) - rate), log1p(-zero) + poisson(x, rate)))
fn geometric(x, p) = unless(x < 0, x, 1, (x) => log(p) + xlog1py(x, -p))
fn negative_binomial(x, n, p) =
    unless(past(x), x, 1, (x) => -log(x + n) - lbeta(x + 1, n) + xlogy(n, p) + xlog1py(x, -p))
# The same by its mean and by n: the variance is mean + mean^2/n.
fn negative_binomial_mean(x, mean, n) =
    unless(past(x), x, 1, (x) =>
        -log(x + n) - lbeta(x + 1, n) + xlogy(x, mean) - x*log(mean + n) - n*log1p(mean/n))
# Of n taken from a lot of size all, good of which are counted.
fn hypergeometric(x, all, good, n) =
    unless((x < 0) or (x > n) or (x > good) or (n - x > all - good), x, min(n, good), (x) =>
        log_choose(good, x) + log_choose(all - good, n - x) - log_choose(all, n))
fn discrete_uniform(x, low, high) = where((x >= low) and (x <= high), -log(high - low + 1), -inf)

# x is a number below the length of z, the logits along the last axis.
fn categorical(x, z: T[..s, c]) = sum[-1](one_hot[c, T](x)*log_softmax(z))
# x is a number from 0 to the length of cuts, ascending: how many of them lie below z and a logistic number.
fn ordered_logistic(x, z, cuts: T[c]) =
    let upper = where(x == c, inf, cuts[min(x, c - 1)] - z)
    let lower = where(x == 0, -inf, cuts[max(x - 1, 0)] - z)
    in where(x == c, -softplus(where(x == c, lower, 0)), where(x == 0, -softplus(-where(x == 0, upper, 0)),
        -softplus(-where((x == 0) or (x == c), 0, upper)) - softplus(where((x == 0) or (x == c), 0, lower))
            + log1mexp(where((x == 0) or (x == c), 1, upper - lower))))

# ---- vectors and matrices, along the last axes

# x is positive and sums to 1.
fn dirichlet(x: T[..s, n], a) =
    let a = where(x == x, a, a)
    in lgamma(sum[-1](a)) + sum[-1](xlogy(a - 1, x) - lgamma(a))
# How often each of the outcomes with probabilities p came.
fn multinomial(x: T[..s, n], p) = lgamma(sum[-1](x) + 1) + sum[-1](xlogy(x, p) - lgamma(x + 1))
# L is the lower triangle with L @ L.T the covariance, as solve.cholesky gives it.
fn multivariate_normal(x: T[..s, n], mean, L: T[n, n]) =
    let z = tri_solve[lower](L, (x - mean)[.., _])
    in -sum[-2](z^2)[.., 0]/2 - sum([i < n] => log(L[i, i])) - n*log(2*pi)/2
fn multivariate_student_t(x: T[..s, n], freedom, mean, L: T[n, n]) =
    let z = sum[-2](tri_solve[lower](L, (x - mean)[.., _])^2)[.., 0]
    in lgamma((freedom + n)/2) - lgamma(freedom/2) - n*log(pi*freedom)/2 - sum([i < n] => log(L[i, i]))
        - (freedom + n)/2*log1p(z/freedom)

# The logarithm of the gamma function of n dimensions.
fn lgamma_of[n](x) = n*(n - 1)/4*log(pi) + sum([i < n] => lgamma(x - i/2))
# Of L @ L.T, a sum of freedom squares of normal vectors with the covariance V @ V.T: both lower triangles.
fn wishart_cholesky(L: T[n, n], freedom, V: T[n, n]) =
    sum([i < n] => (freedom - n - 1)*log(L[i, i]) - freedom*log(V[i, i])) - sum(tri_solve[lower](V, L)^2)/2
        - freedom*n/2*log(2) - lgamma_of[n](freedom/2)
# Of the lower triangle L whose L @ L.T is a matrix of correlations: uniform over these where shape is 1.
# Lewandowski, Kurowicka and Joe 2009.
fn lkj_cholesky(L: T[n, n], shape) =
    sum([i < n] => if i == 0 then 0.0 else
        (n - i + 2*shape - 3)*log(L[i, i]) + lgamma(shape + (n - 1)/2) - lgamma(shape + (n - 1 - i)/2) - i/2*log(pi))
