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

#     draw.uniform(key(1), f64[2](0), 10) is [8.902591729757107, 6.719982688953428]
fn uniform(k: key, low, high) = low + (high - low)*shares(k, beside(low, high))
#     draw.exponential(key(1), f64[2](3)) is [0.038747551019127906, 0.1324998381703008]
fn exponential(k: key, rate) = -log(shares(k, rate/1))/rate
#     draw.laplace(key(1), f64[2](1), 2) is [4.032973261208513, 1.8431784245877485]
fn laplace(k: key, mean, scale) =
    let u = shares(k, beside(mean, scale)) - 0.5
    in mean - scale*sign(u)*log1p(-2*abs(u))
#     draw.logistic(key(1), f64[2](1), 2) is [5.186782316213636, 2.4344737566858345]
fn logistic(k: key, mean, scale) = let u = shares(k, beside(mean, scale)) in mean + scale*(log(u) - log1p(-u))
#     draw.cauchy(key(1), f64[2](1), 2) is [6.569437825835092, 2.199806882028393]
fn cauchy(k: key, mean, scale) = mean + scale*tan(pi*(shares(k, beside(mean, scale)) - 0.5))
#     draw.gumbel(key(1), f64[2](1), 2) is [5.304150872036442, 2.8451231324894333]
fn gumbel(k: key, mean, scale) = mean - scale*log(-log(shares(k, beside(mean, scale))))
#     draw.weibull(key(1), f64[2](2), 3) is [1.0228313045250685, 1.8914268768837252]
fn weibull(k: key, shape, scale) = scale*(-log(shares(k, beside(shape, scale))))^(1/shape)
#     draw.frechet(key(1), f64[2](2), 3) is [8.799104955219347, 4.758312420106988]
fn frechet(k: key, shape, scale) = scale*(-log(shares(k, beside(shape, scale))))^(-1/shape)
#     draw.pareto(key(1), f64[2](3), 2) is [2.0790160555619432, 2.283357662663256]
fn pareto(k: key, shape, least) = least*shares(k, beside(shape, least))^(-1/shape)
#     draw.rayleigh(key(1), f64[2](2)) is [0.9643346019194114, 1.7832543610173002]
fn rayleigh(k: key, scale) = scale*sqrt(-2*log(shares(k, scale/1)))
#     draw.log_logistic(key(1), f64[2](3), 2) is [4.018642798293396, 2.5401576346932067]
fn log_logistic(k: key, shape, scale) = scale*exp(logistic(k, 0*beside(shape, scale), 1/shape))
#     draw.kumaraswamy(key(1), f64[2](2), 3) is [0.1949524742552816, 0.3522739333908727]
fn kumaraswamy(k: key, a, b) = let u = shares(k, beside(a, b)) in (-expm1(log(u)/b))^(1/a)
#     draw.triangular(key(1), f64[2](0), 1, 3) is [2.1885537835779036, 1.5971420647022228]
fn triangular(k: key, low, top, high) =
    let u = shares(k, beside(beside(low, top), high))
    in where(u*(high - low) < top - low,
             low + sqrt(u*(top - low)*(high - low)), high - sqrt((1 - u)*(high - top)*(high - low)))

# ---- by normal and gamma numbers

#     draw.normal(key(1), f64[2](1), 2) is [0.1722043706945856, -0.762327093580035]
fn normal(k: key, mean, sd) = mean + sd*normal_like(beside(mean, sd), k)
#     draw.lognormal(key(1), f64[2](1), 2) is [1.1879205845624097, 0.4665793887804181]
fn lognormal(k: key, mean, sd) = exp(normal(k, mean, sd))
#     draw.half_normal(key(1), f64[2](2)) is [0.8277956293054144, 1.762327093580035]
fn half_normal(k: key, sd) = abs(normal(k, 0*sd, sd))
#     draw.half_cauchy(key(1), f64[2](2)) is [5.569437825835092, 1.1998068820283934]
fn half_cauchy(k: key, scale) = abs(cauchy(k, 0*scale, scale))
#     draw.skew_normal(key(1), f64[2](1), 2, 3) is [1.8042844538698395, 1.8471658567607383]
fn skew_normal(k: key, mean, sd, skew) =
    let (x, y) =
        (normal_like(beside(beside(mean, sd), skew), k[0]), normal_like(beside(beside(mean, sd), skew), k[1]))
    in mean + sd*(skew*abs(x) + y)/hypot(1, skew)
#     draw.gamma(key(1), f64[2](2), 3) is [0.6528198319979447, 0.8730046985413374]
fn gamma(k: key, shape, rate) = gamma_draw(k, beside(shape, rate))/rate
#     draw.inverse_gamma(key(1), f64[2](2), 3) is [1.5318162086766207, 1.1454692072916137]
fn inverse_gamma(k: key, shape, scale) = scale/gamma_draw(k, beside(shape, scale))
#     draw.chi_squared(key(1), f64[2](4)) is [3.916918991987668, 5.238028191248024]
fn chi_squared(k: key, freedom) = 2*gamma_draw(k, freedom/2)
#     draw.student_t(key(1), f64[2](4), 1, 2) is [1.6637702896980722, -0.10352908556624651]
fn student_t(k: key, freedom, mean, scale) =
    let v = beside(beside(freedom, mean), scale)
    in mean + scale*normal_like(v, k[0])*sqrt(v/chi_squared(k[1], v))
# Where both gamma numbers are too small for a number, one of the ends, as often as is right.
#     draw.beta(key(1), f64[2](2), 3) is [0.2657954095327624, 0.14806428113609893]
fn beta(k: key, a, b) =
    let (x, y) = (gamma_draw(k[0], beside(a, b)), gamma_draw(k[1], beside(b, a)))
    let none = x + y == 0
    in where(none, where(shares(k[2], x)*(a + b) < a, 1, 0), x/where(none, 1, x + y))

# ---- whole numbers

# low, low + 1, ..., high - 1, all alike.
#     draw.integers(key(1), 0, i64[5](6)) is [5, 4, 1, 4, 1]
fn integers(k: key, low, high) =
    let wide = high - low
    in low + min(i64(floor(wide*shares(k, f64(wide)))), i64(wide) - 1)
# 1 with probability p, else 0.
#     draw.bernoulli(key(1), f64[5](0.3)) is [0, 0, 1, 0, 1]
fn bernoulli(k: key, p) = i64(shares(k, p/1) < p)
#     draw.geometric(key(1), f64[5](0.3)) is [0, 1, 3, 0, 3]
fn geometric(k: key, p) = i64(floor(log(shares(k, p/1))/log1p(-p)))

# Of a small rate by exponential times, else by transformed rejection (Hoermann 1993, PTRS); -1 where there is none.
#     draw.poisson(key(1), f64[5](2.5)) is [1, 4, 4, 5, 1]
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
                                            or ((s >= 0.013 or v <= s) and
                                                height <= n*log(rate) - rate - lgamma(max(n, 0) + 1)))}).n

# Of few expected by the gaps between them, else by transformed rejection (Hoermann 1993, BTRS); -1 where there is none.
#     draw.binomial(key(1), i64[5](10), 0.3) is [1, 4, 4, 5, 1]
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

#     draw.beta_binomial(key(1), i64[5](10), 2, 3) is [2, 3, 4, 8, 5]
fn beta_binomial(k: key, n, a, b) = binomial(k[0], n, beta(k[1], beside(a, n), b))
# The number of failures before the n-th success of probability p.
#     draw.negative_binomial(key(1), f64[5](2), 0.4) is [2, 1, 3, 0, 9]
fn negative_binomial(k: key, n, p) = poisson(k[0], gamma(k[1], beside(n, p), p/(1 - p)))
# The same by its mean.
#     draw.negative_binomial_mean(key(1), f64[5](4), 2) is [2, 1, 3, 0, 12]
fn negative_binomial_mean(k: key, mean, n) = poisson(k[0], gamma(k[1], beside(n, mean), n/mean))

# ---- on the circle

# Best and Fisher 1979, between -pi and pi.
#     draw.von_mises(key(1), f64[2](1), 2) is [2.562312026516904, 1.4196228613122837]
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
#     draw.multivariate_normal(key(1), [0.0, 0.0], [[2.0, 0.0], [0.5, 1.0]]) is [-0.8277956293054144, -1.0881124541163711]
fn multivariate_normal(k: key, mean: T[n], L: T[n, n]) = mean + L @ normal_like(mean, k)
#     draw.multivariate_student_t(key(1), 4, [0.0, 0.0], [[2.0, 0.0], [0.5, 1.0]]) is [0.37398352622870595, -0.16326107307298485]
fn multivariate_student_t(k: key, freedom, mean: T[n], L: T[n, n]) =
    mean + L @ normal_like(mean, k[0])*sqrt(freedom/chi_squared(k[1], freedom))
# By the logarithms of gamma numbers of a + 1, so that small a keep their digits.
#     draw.dirichlet(key(1), [1.0, 2.0, 3.0]) is [0.047655878945329876, 0.08135726608372965, 0.8709868549709406]
fn dirichlet(k: key, a: T[n]) =
    softmax(log(gamma_draw(k[0], a + 1)) + log(uniform_open[T[n]](k[1]))/a)
# How often each outcome comes in n.
#     draw.multinomial(key(1), 10, [0.2, 0.3, 0.5]) is [2, 3, 5]
fn multinomial(k: key, n, p: T[c]) =
    (scan (left = i64(n), share = sum(p), i < c) =>
        let x = if i == c - 1 then left else binomial(k[i], left, clip(p[i]/share, 0, 1))
        in {left = left - x, share = share - p[i], out = x}).out

# The lower triangle L whose L @ L.T is a matrix of freedom degrees with the scale V @ V.T (Bartlett 1934).
#     draw.wishart_cholesky(key(1), 4, [[1.0, 0.0], [0.0, 1.0]]) is [[1.2894917811184252, 0.0], [0.7268293878593504, 0.7806402371551657]]
fn wishart_cholesky(k: key, freedom, V: T[n, n]) =
    let i = iota[n]()
    let off = where(i[:, _] > i, normal_like(V, k[0]), 0)
    let diagonal = sqrt(2*gamma_draw(k[1], (freedom - i)/T(2)))
    in V @ where(i[:, _] == i, diagonal, off)
# The lower triangle whose L @ L.T is a matrix of correlations, by partial correlations (Lewandowski, Kurowicka and Joe
# 2009).
#     draw.lkj_cholesky[2](key(1), 2) is [[1.0, 0.0], [0.5069574136928461, 0.8619711020108856]]
fn lkj_cholesky[n](k: key, shape) =
    let i = iota[n]()
    let a = shape + (n - 2 - i)/2
    let r = where(i[:, _] > i, 2*beta(k, f64[n, n](a), f64[n, n](a)) - 1, 0)
    let left =
        (scan (left = f64[n](1), z in r.T) => let after = left*(1 - z^2) in {left = after, out = left}).out.T
    in where(i[:, _] == i, sqrt(left), r*sqrt(left))
