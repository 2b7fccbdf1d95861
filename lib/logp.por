# Logarithms of densities and probabilities, elementwise.

fn normal(x, mean, sd) = -((x - mean)/sd)^2/2 - log(sd) - log(2*pi)/2
fn lognormal(x, mean, sd) = normal(log(x), mean, sd) - log(x)
fn half_normal(x, sd) = log(2) + normal(x, 0, sd)
fn exponential(x, rate) = log(rate) - rate*x
fn laplace(x, mean, scale) = -abs(x - mean)/scale - log(2*scale)
fn logistic(x, mean, scale) =
    let z = (x - mean)/scale
    in -z - 2*softplus(-z) - log(scale)
fn cauchy(x, mean, scale) = -log(pi*scale) - log1p(((x - mean)/scale)^2)
fn half_cauchy(x, scale) = log(2/(pi*scale)) - log1p((x/scale)^2)
fn student_t(x, freedom, mean, scale) =
    let z = (x - mean)/scale
    in lgamma((freedom + 1)/2) - lgamma(freedom/2) - log(pi*freedom)/2 - log(scale)
     - (freedom + 1)/2*log1p(z^2/freedom)
fn gamma(x, shape, rate) = shape*log(rate) - lgamma(shape) + (shape - 1)*log(x) - rate*x
fn inverse_gamma(x, shape, scale) = shape*log(scale) - lgamma(shape) - (shape + 1)*log(x) - scale/x
fn beta(x, a, b) = (a - 1)*log(x) + (b - 1)*log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)
fn uniform(x, low, high) = where((x >= low) and (x <= high), -log(high - low), -inf)

# x is 0 or 1; p the probability of 1.
fn bernoulli(x, p) = x*log(p) + (1 - x)*log1p(-p)
# The same from a logit.
fn bernoulli_logit(x, z) = x*z - softplus(z)
fn binomial(x, n, p) =
    lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) + x*log(p) + (n - x)*log1p(-p)
fn poisson(x, rate) = x*log(rate) - rate - lgamma(x + 1)
fn geometric(x, p) = log(p) + x*log1p(-p)
fn negative_binomial(x, n, p) = lgamma(x + n) - lgamma(x + 1) - lgamma(n) + n*log(p) + x*log1p(-p)

# x is a number below the length of z, the logits along the last axis.
fn categorical(x, z: T[..s, c]) = sum[-1](one_hot[c, T](x)*log_softmax(z))
