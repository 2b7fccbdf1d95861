# Random numbers of many distributions, with the parameters of module logp.  k is a key; the others are numbers or
# arrays, which broadcast, and each element of the result is drawn from a key of its own: of f64[100](2.5) there are a
# hundred.  What comes from uniform or normal numbers by a formula is differentiated by the parameters; what is taken or
# refused, and whole numbers, are not.

# x in a float type, of the shape that x and y have together.
fn beside(x, y) = where(y == y, x, x)/1

# Numbers in (0, 1), as many as x has elements.
fn shares(k: key, x: T[..s]) = uniform_open[T[..s]](k)

# one(k, a, b) of each two elements of x and y, with a key of its own.
fn each(k: key, x: T[..s], y: T[..s], one) =
    let (a, b) = (reshape[size(x)](x), reshape[size(x)](y))
    in reshape[..s]([i < len(a)] => one(k[i], a[i], b[i]))

# ---- by the inverse of the probability

fn uniform(k: key, low, high) = low + (high - low)*shares(k, beside(low, high))
fn exponential(k: key, rate) = -log(shares(k, rate/1))/rate
fn laplace(k: key, mean, scale) =
    let u = shares(k, beside(mean, scale)) - 0.5
    in mean - scale*sign(u)*log1p(-2*abs(u))
fn logistic(k: key, mean, scale) = let u = shares(k, beside(mean, scale)) in mean + scale*(log(u) - log1p(-u))
fn cauchy(k: key, mean, scale) = mean + scale*tan(pi*(shares(k, beside(mean, scale)) - 0.5))
fn gumbel(k: key, mean, scale) = mean - scale*log(-log(shares(k, beside(mean, scale))))
fn weibull(k: key, shape, scale) = scale*(-log(shares(k, beside(shape, scale))))^(1/shape)
fn frechet(k: key, shape, scale) = scale*(-log(shares(k, beside(shape, scale))))^(-1/shape)
fn pareto(k: key, shape, least) = least*shares(k, beside(shape, least))^(-1/shape)
fn rayleigh(k: key, scale) = scale*sqrt(-2*log(shares(k, scale/1)))
fn log_logistic(k: key, shape, scale) = scale*exp(logistic(k, 0*beside(shape, scale), 1/shape))
fn kumaraswamy(k: key, a, b) = let u = shares(k, beside(a, b)) in (-expm1(log(u)/b))^(1/a)
fn triangular(k: key, low, top, high) =
    let u = shares(k, beside(beside(low, top), high))
    in where(u*(high - low) < top - low,
        low + sqrt(u*(top - low)*(high - low)), high - sqrt((1 - u)*(high - top)*(high - low)))

# ---- by normal and gamma numbers

fn normal(k: key, mean, sd) = mean + sd*normal_like(beside(mean, sd), k)
fn lognormal(k: key, mean, sd) = exp(normal(k, mean, sd))
fn half_normal(k: key, sd) = abs(normal(k, 0*sd, sd))
fn half_cauchy(k: key, scale) = abs(cauchy(k, 0*scale, scale))
fn skew_normal(k: key, mean, sd, skew) =
    let (x, y) = (normal_like(beside(beside(mean, sd), skew), k[0]), normal_like(beside(beside(mean, sd), skew), k[1]))
    in mean + sd*(skew*abs(x) + y)/hypot(1, skew)
fn gamma(k: key, shape, rate) = gamma_draw(k, beside(shape, rate))/rate
fn inverse_gamma(k: key, shape, scale) = scale/gamma_draw(k, beside(shape, scale))
fn chi_squared(k: key, freedom) = 2*gamma_draw(k, freedom/2)
fn student_t(k: key, freedom, mean, scale) =
    let v = beside(beside(freedom, mean), scale)
    in mean + scale*normal_like(v, k[0])*sqrt(v/chi_squared(k[1], v))
# Where both gamma numbers are too small for a number, one of the ends, as often as is right.
fn beta(k: key, a, b) =
    let (x, y) = (gamma_draw(k[0], beside(a, b)), gamma_draw(k[1], beside(b, a)))
    let none = x + y == 0
    in where(none, where(shares(k[2], x)*(a + b) < a, 1, 0), x/where(none, 1, x + y))

# ---- whole numbers

# low, low + 1, ..., high - 1, all alike.
fn integers(k: key, low, high) =
    let wide = high - low
    in low + min(i64(floor(wide*shares(k, f64(wide)))), i64(wide) - 1)
fn bernoulli(k: key, p) = i64(shares(k, p/1) < p)
fn geometric(k: key, p) = i64(floor(log(shares(k, p/1))/log1p(-p)))

# Of a small rate by exponential times, else by Hoermann's transformed rejection (1993, PTRS); -1 where there is none.
fn poisson(k: key, rate) = each(k, rate/1, rate/1, (k, r, _) =>
    let r = f64(r)
    in if not 0 <= r < 1e15 then -1 else if r < 10 then poisson_times(k, r) else poisson_tried(k, r))
fn poisson_times(k: key, rate) =
    (scan (n = -1, t = 0.0, i < 1000) while t <= rate => {n = n + 1, t = t - log(uniform_open[f64](k[i]))}).n
fn poisson_tried(k: key, rate) =
    let b = 0.931 + 2.53*sqrt(rate)
    let a = 0.02483*b - 0.059
    in (scan (n = 0, taken = false, i < 1000) while not taken =>
        let (u, v) = (uniform_open[f64](k[i][0]) - 0.5, uniform_open[f64](k[i][1]))
        let s = 0.5 - abs(u)
        let n = floor((2*a/s + b)*u + rate + 0.43)
        let height = log(v) + log(1.1239 + 1.1328/(b - 3.4)) - log(a/s^2 + b)
        in {n = i64(n), taken = n >= 0 and ((s >= 0.07 and v <= 0.9277 - 3.6224/(b - 2))
            or ((s >= 0.013 or v <= s) and height <= n*log(rate) - rate - lgamma(max(n, 0) + 1)))}).n

# Of few expected by the gaps between them, else by transformed rejection (BTRS of the same); -1 where there is none.
fn binomial(k: key, n, p) = each(k, beside(n, p), beside(p, n), (k, n, p) =>
    let (n, p) = (f64(n), f64(p))
    let least = min(p, 1 - p)
    let x = if n*least < 10 then binomial_gaps(k, n, least) else binomial_tried(k, n, least)
    in if not (n >= 0 and 0 <= p <= 1) then -1 else where(p > 0.5, i64(n) - x, x))
fn binomial_gaps(k: key, n, p) =
    (scan (x = -1, at = 0.0, i < 1000) while at <= n =>
        {x = x + 1, at = at + 1 + floor(-log(uniform_open[f64](k[i]))/abs(log1p(-p)))}).x
fn binomial_tried(k: key, n, p) =
    let spread = sqrt(n*p*(1 - p))
    let b = 1.15 + 2.53*spread
    let a = 0.0248*b - 0.0873 + 0.01*p
    let top = floor((n + 1)*p)
    in (scan (x = 0, taken = false, i < 1000) while not taken =>
        let (u, v) = (uniform_open[f64](k[i][0]) - 0.5, uniform_open[f64](k[i][1]))
        let s = 0.5 - abs(u)
        let x = floor((2*a/s + b)*u + n*p + 0.5)
        let c = clip(x, 0, n)
        let height = log(v) + log((2.83 + 5.1/b)*spread) - log(a/s^2 + b)
        let below = lgamma(top + 1) + lgamma(n - top + 1) - lgamma(c + 1) - lgamma(n - c + 1)
        in {x = i64(x), taken = x == c and ((s >= 0.07 and v <= 0.92 - 4.2/b)
            or height <= below + (c - top)*(log(p) - log1p(-p)))}).x

fn beta_binomial(k: key, n, a, b) = binomial(k[0], n, beta(k[1], beside(a, n), b))
# The number of failures before the n-th success of probability p; and by the mean.
fn negative_binomial(k: key, n, p) = poisson(k[0], gamma(k[1], beside(n, p), p/(1 - p)))
fn negative_binomial_mean(k: key, mean, n) = poisson(k[0], gamma(k[1], beside(n, mean), n/mean))

# ---- on the circle

# Best and Fisher 1979, between -pi and pi.
fn von_mises(k: key, mean, sharpness) =
    each(k, beside(mean, sharpness), beside(sharpness, mean), (k, m, c) => von_mises_tried(k, f64(m), f64(c)))
fn von_mises_tried(k: key, mean, sharpness) =
    let few = max(sharpness, 1e-300)
    let t = 1 + sqrt(1 + 4*sharpness^2)
    let r = (t - sqrt(2*t))/(2*few)
    let s = if sharpness < 1e-5 then 1/few else (1 + r^2)/(2*r)
    let end = scan (f = 1.0, taken = false, i < 1000) while not taken =>
        let z = cos(pi*uniform_open[f64](k[i][0]))
        let f = (1 + s*z)/(s + z)
        let (c, u) = (sharpness*(s - f), uniform_open[f64](k[i][1]))
        in {f, taken = c*(2 - c) > u or log(c/u) + 1 >= c}
    let x = mean + where(uniform_open[f64](k[1000][0]) < 0.5, -1, 1)*acos(clip(end.f, -1, 1))
    in x - 2*pi*round(x/(2*pi))

# ---- vectors and matrices

# L is the lower triangle with L @ L.T the covariance, as solve.cholesky gives it.
fn multivariate_normal(k: key, mean: T[n], L: T[n, n]) = mean + L @ normal_like(mean, k)
fn multivariate_student_t(k: key, freedom, mean: T[n], L: T[n, n]) =
    mean + L @ normal_like(mean, k[0])*sqrt(freedom/chi_squared(k[1], freedom))
# By the logarithms of gamma numbers of a + 1, so that small a keep their digits.
fn dirichlet(k: key, a: T[n]) =
    softmax(log(gamma_draw(k[0], a + 1)) + log(uniform_open[T[n]](k[1]))/a)
# How often each outcome comes in n.
fn multinomial(k: key, n, p: T[c]) =
    (scan (left = i64(n), share = sum(p), i < c) =>
        let x = if i == c - 1 then left else binomial(k[i], left, clip(p[i]/share, 0, 1))
        in {left = left - x, share = share - p[i], out = x}).out

# The lower triangle L whose L @ L.T is a matrix of freedom degrees with the scale V @ V.T (Bartlett 1934).
fn wishart_cholesky(k: key, freedom, V: T[n, n]) =
    let i = iota[n]()
    let off = where(i[:, _] > i, normal_like(V, k[0]), 0)
    let diagonal = sqrt(2*gamma_draw(k[1], (freedom - i)/T(2)))
    in V @ where(i[:, _] == i, diagonal, off)
# The lower triangle whose L @ L.T is a matrix of correlations, by partial correlations (Lewandowski, Kurowicka and Joe
# 2009).
fn lkj_cholesky[n](k: key, shape) =
    let i = iota[n]()
    let a = shape + (n - 2 - i)/2
    let r = where(i[:, _] > i, 2*beta(k, f64[n, n](a), f64[n, n](a)) - 1, 0)
    let left = (scan (left = f64[n](1), z in r.T) => let after = left*(1 - z^2) in {left = after, out = left}).out.T
    in where(i[:, _] == i, sqrt(left), r*sqrt(left))
