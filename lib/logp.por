# Logarithms of densities and probabilities, elementwise: -inf outside the support, with derivative 0 there.  Those of
# whole numbers go on between them as their formulas do.

# The formula where x is not out; where it is, the formula sees the number inside and nothing of it is taken.
fn unless(out, x, inside, formula) = where(out, -inf, formula(where(out, inside, x)))
fn past(x) = (x < 0) or (x == inf)

fn normal(x, mean, sd) = -((x - mean)/sd)^2/2 - log(sd) - log(2*pi)/2
fn lognormal(x, mean, sd) = unless((x <= 0) or (x == inf), x, 1, (x) => normal(log(x), mean, sd) - log(x))
fn half_normal(x, sd) = unless(x < 0, x, 1, (x) => log(2) + normal(x, 0, sd))
fn exponential(x, rate) = unless(x < 0, x, 1, (x) => log(rate) - rate*x)
fn laplace(x, mean, scale) = -abs(x - mean)/scale - log(2*scale)
fn logistic(x, mean, scale) = -2*log_cosh((x - mean)/(2*scale)) - log(4*scale)
fn cauchy(x, mean, scale) = -log(pi*scale) - log1p_square((x - mean)/scale)
fn half_cauchy(x, scale) = unless(x < 0, x, 1, (x) => log(2/(pi*scale)) - log1p_square(x/scale))
fn student_t(x, freedom, mean, scale) =
    let z = (x - mean)/scale
    in -lbeta(freedom/2, 0.5) - log(freedom)/2 - log(scale) - (freedom + 1)/2*log1p_square(z/sqrt(freedom))
fn gamma(x, shape, rate) =
    unless(past(x), x, 1, (x) => shape*log(rate) - lgamma(shape) + xlogy(shape - 1, x) - rate*x)
fn inverse_gamma(x, shape, scale) =
    unless((x <= 0) or (x == inf), x, 1, (x) => shape*log(scale) - lgamma(shape) - (shape + 1)*log(x) - scale/x)
fn beta(x, a, b) = unless((x < 0) or (x > 1), x, 0.5, (x) => xlogy(a - 1, x) + xlog1py(b - 1, -x) - lbeta(a, b))
fn uniform(x, low, high) = where((x >= low) and (x <= high), -log(high - low), -inf)

# x is 0 or 1, or a share between them; p the probability of 1.
fn bernoulli(x, p) = unless((x < 0) or (x > 1), x, 1, (x) => xlogy(x, p) + xlog1py(1 - x, -p))
# The same from a logit, for any x.
fn bernoulli_logit(x, z) = x*z - softplus(z)
fn binomial(x, n, p) =
    unless((x < 0) or (x > n), x, 0, (x) => log_choose(n, x) + xlogy(x, p) + xlog1py(n - x, -p))
fn poisson(x, rate) = unless(past(x), x, 1, (x) => xlogy(x, rate) - rate - lgamma(x + 1))
fn geometric(x, p) = unless(x < 0, x, 1, (x) => log(p) + xlog1py(x, -p))
fn negative_binomial(x, n, p) =
    unless(past(x), x, 1, (x) => -log(x + n) - lbeta(x + 1, n) + xlogy(n, p) + xlog1py(x, -p))

# x is a number below the length of z, the logits along the last axis.
fn categorical(x, z: T[..s, c]) = sum[-1](one_hot[c, T](x)*log_softmax(z))
