# Module draw: the share of 50,000 draws up to some places, by scipy.stats: a share has a standard deviation of 0.0022 or less.
use draw

fn below(x, places) = [q in places] => mean(f64(x <= q))

#fast: k='key(5)' => [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99] within 0.009
fn uniform(k: key) = below(draw.uniform(k, f64[50000](-1), 3), [-0.96, -0.6, 0.2, 1.0, 1.8, 2.6, 2.96])

#fast: k='key(5)' => [0.01001, 0.10004, 0.29953, 0.50043, 0.70001, 0.89974, 0.98995] within 0.009
fn exponential(k: key) =
    below(draw.exponential(k, f64[50000](2)), [0.00503, 0.0527, 0.178, 0.347, 0.602, 1.15, 2.3])

#fast: k='key(5)' => [0.01002, 0.099944, 0.29999, 0.5, 0.69975, 0.90006, 0.98998] within 0.009
fn laplace(k: key) = below(draw.laplace(k, f64[50000](1), 2), [-6.82, -2.22, -0.0217, 1.0, 2.02, 4.22, 8.82])

#fast: k='key(5)' => [0.010001, 0.1002, 0.29996, 0.5, 0.69952, 0.8998, 0.99005] within 0.009
fn logistic(k: key) = below(draw.logistic(k, f64[50000](1), 2), [-8.19, -3.39, -0.695, 1.0, 2.69, 5.39, 10.2])

#fast: k='key(5)' => [0.010006, 0.09993, 0.30001, 0.5, 0.69968, 0.90007, 0.98999] within 0.009
fn cauchy(k: key) = below(draw.cauchy(k, f64[50000](1), 2), [-62.6, -5.16, -0.453, 1.0, 2.45, 7.16, 64.6])

#fast: k='key(5)' => [0.010101, 0.10001, 0.30005, 0.49948, 0.69977, 0.89997, 0.99] within 0.009
fn gumbel(k: key) = below(draw.gumbel(k, f64[50000](1), 2), [-2.05, -0.668, 0.629, 1.73, 3.06, 5.5, 10.2])

#fast: k='key(5)' => [0.0099931, 0.099952, 0.30153, 0.50118, 0.69917, 0.90025, 0.99005] within 0.009
fn weibull(k: key) = below(draw.weibull(k, f64[50000](1.5), 2), [0.0931, 0.446, 1.01, 1.57, 2.26, 3.49, 5.54])

#fast: k='key(5)' => [0.010043, 0.10091, 0.30086, 0.49927, 0.70032, 0.90007, 0.98998] within 0.009
fn frechet(k: key) = below(draw.frechet(k, f64[50000](1.5), 2), [0.723, 1.15, 1.77, 2.55, 3.98, 8.97, 42.9])

#fast: k='key(5)' => [0.014851, 0.098057, 0.29767, 0.50009, 0.70072, 0.90008, 0.98999] within 0.009
fn pareto(k: key) = below(draw.pareto(k, f64[50000](3), 2), [2.01, 2.07, 2.25, 2.52, 2.99, 4.31, 9.28])

#fast: k='key(5)' => [0.010031, 0.099982, 0.30024, 0.49858, 0.69918, 0.89979, 0.99] within 0.009
fn rayleigh(k: key) = below(draw.rayleigh(k, f64[50000](2)), [0.284, 0.918, 1.69, 2.35, 3.1, 4.29, 6.07])

#fast: k='key(5)' => [0.0099771, 0.09986, 0.30088, 0.5, 0.69936, 0.89999, 0.98999] within 0.009
fn log_logistic(k: key) =
    below(draw.log_logistic(k, f64[50000](3), 2), [0.432, 0.961, 1.51, 2.0, 2.65, 4.16, 9.25])

#fast: k='key(5)' => [0.00968, 0.10082, 0.30062, 0.50072, 0.69988, 0.90059, 0.98988] within 0.009
fn triangular(k: key) =
    below(draw.triangular(k, f64[50000](1), 2, 6), [1.22, 1.71, 2.26, 2.84, 3.55, 4.59, 5.55])

#fast: k='key(5)' => [0.010036, 0.10027, 0.3, 0.5, 0.70021, 0.89973, 0.98996] within 0.009
fn normal(k: key) = below(draw.normal(k, 1, f64[50000](2)), [-3.65, -1.56, -0.0488, 1.0, 2.05, 3.56, 5.65])

#fast: k='key(5)' => [0.0099722, 0.099457, 0.29956, 0.5005, 0.69937, 0.90006, 0.99001] within 0.009
fn lognormal(k: key) =
    below(draw.lognormal(k, f64[50000](1), 0.5), [0.849, 1.43, 2.09, 2.72, 3.53, 5.16, 8.7])

#fast: k='key(5)' => [0.010013, 0.099872, 0.30013, 0.50032, 0.69933, 0.90003, 0.98998] within 0.009
fn half_normal(k: key) =
    below(draw.half_normal(k, f64[50000](2)), [0.0251, 0.251, 0.771, 1.35, 2.07, 3.29, 5.15])

#fast: k='key(5)' => [0.0099941, 0.10007, 0.30024, 0.5, 0.70031, 0.89979, 0.98998] within 0.009
fn half_cauchy(k: key) =
    below(draw.half_cauchy(k, f64[50000](2)), [0.0314, 0.317, 1.02, 2.0, 3.93, 12.6, 127.0])

#fast: k='key(5)' => [0.0099866, 0.10004, 0.30097, 0.49876, 0.69937, 0.90003, 0.98998] within 0.009
fn skew_normal(k: key) =
    below(draw.skew_normal(k, f64[50000](1), 2, 3), [0.126, 0.988, 1.73, 2.34, 3.07, 4.29, 6.15])

#fast: k='key(5)' => [0.0099964, 0.10011, 0.30009, 0.50039, 0.69998, 0.9001, 0.99005] within 0.009
fn gamma(k: key) =
    below(draw.gamma(k, f64[50000](0.7), 2), [0.000606, 0.0166, 0.0863, 0.204, 0.405, 0.879, 1.94])

#fast: k='key(5)' => [0.01002, 0.10022, 0.29981, 0.50006, 0.70243, 0.89941, 0.99002] within 0.009
fn inverse_gamma(k: key) =
    below(draw.inverse_gamma(k, f64[50000](3), 2), [0.238, 0.376, 0.553, 0.748, 1.05, 1.81, 4.59])

#fast: k='key(5)' => [0.010021, 0.099915, 0.29915, 0.50076, 0.6994, 0.89994, 0.98979] within 0.009
fn chi_squared(k: key) =
    below(draw.chi_squared(k, f64[50000](3)), [0.115, 0.584, 1.42, 2.37, 3.66, 6.25, 11.3])

#fast: k='key(5)' => [0.010004, 0.099769, 0.29997, 0.5, 0.70018, 0.90023, 0.99005] within 0.009
fn student_t(k: key) =
    below(draw.student_t(k, f64[50000](3), 1, 2), [-8.08, -2.28, -0.169, 1.0, 2.17, 4.28, 10.1])

#fast: k='key(5)' => [0.0099949, 0.10003, 0.29993, 0.50073, 0.69965, 0.90006, 0.98997] within 0.009
fn beta(k: key) =
    below(draw.beta(k, f64[50000](0.5), 2), [4.44e-05, 0.00446, 0.0411, 0.121, 0.261, 0.532, 0.841])

#fast: k='key(5)' => [0.0099712, 0.030817, 0.12393, 0.27532, 0.51351, 0.7517, 0.97067] within 0.009
fn von_mises(k: key) = below(draw.von_mises(k, f64[50000](1), 2), [-2.5, -1, 0, 0.5, 1, 1.5, 2.5])

#fast: k='key(5)' => [0.16667, 0.33333, 0.5, 0.83333, 1] within 0.009
fn integers(k: key) = below(draw.integers(k, 2, i64[50000](8)), [2.0, 3.0, 4.0, 6.0, 7.0])

#fast: k='key(5)' => [0.7, 1] within 0.009
fn bernoulli(k: key) = below(draw.bernoulli(k, f64[50000](0.3)), [0.0, 1.0])

#fast: k='key(5)' => [0.3, 0.51, 0.7599, 0.91765, 0.99031] within 0.009
fn geometric(k: key) = below(draw.geometric(k, f64[50000](0.3)), [0.0, 1.0, 3.0, 6.0, 12.0])

#fast: k='key(5)' => [0.030197, 0.13589, 0.32085, 0.53663, 0.72544, 0.93471, 0.99013] within 0.009
fn poisson(k: key) = below(draw.poisson(k, f64[50000](3.5)), [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0])

#fast: k='key(5)' => [0.012813, 0.13428, 0.34489, 0.54479, 0.72905, 0.92088, 0.99015] within 0.009
fn poisson_2(k: key) = below(draw.poisson(k, f64[50000](35)), [22.0, 28.0, 32.0, 35.0, 38.0, 43.0, 49.0])

#fast: k='key(5)' => [0.014823, 0.12492, 0.40576, 0.51898, 0.72503, 0.91584, 0.9906] within 0.009
fn poisson_3(k: key) = below(draw.poisson(k, f64[50000](12.5)), [5.0, 8.0, 11.0, 12.0, 14.0, 17.0, 21.0])

#fast: k='key(5)' => [0.035483, 0.10709, 0.41637, 0.60801, 0.77227, 0.95204, 0.99486] within 0.009
fn binomial(k: key) = below(draw.binomial(k, i64[50000](20), 0.3), [2.0, 3.0, 5.0, 6.0, 7.0, 9.0, 11.0])

#fast: k='key(5)' => [0.013834, 0.12421, 0.34665, 0.52665, 0.70283, 0.90656, 0.99285] within 0.009
fn binomial_2(k: key) =
    below(draw.binomial(k, f64[50000](200), 0.7), [125.0, 132.0, 137.0, 140.0, 143.0, 148.0, 155.0])

#fast: k='key(5)' => [0.025754, 0.13398, 0.38426, 0.54257, 0.81731, 0.90402, 0.99417] within 0.009
fn binomial_3(k: key) =
    below(draw.binomial(k, f64[50000](25), 0.45), [6.0, 8.0, 10.0, 11.0, 13.0, 14.0, 17.0])

#fast: k='key(5)' => [0.021739, 0.11491, 0.32806, 0.56324, 0.70497, 0.90909, 0.99238] within 0.009
fn beta_binomial(k: key) =
    below(draw.beta_binomial(k, f64[50000](20), 2, 3), [0.0, 2.0, 5.0, 8.0, 10.0, 14.0, 18.0])

#fast: k='key(5)' => [0.014789, 0.10809, 0.35209, 0.52123, 0.72391, 0.90766, 0.99077] within 0.009
fn negative_binomial(k: key) =
    below(draw.negative_binomial(k, f64[50000](3.5), 0.3), [0.0, 2.0, 5.0, 7.0, 10.0, 15.0, 24.0])

#fast: k='key(5)' => [0.0625, 0.15625, 0.36719, 0.55505, 0.75597, 0.91982, 0.99097] within 0.009
fn negative_binomial_mean(k: key) =
    below(draw.negative_binomial_mean(k, f64[50000](6), 2), [0.0, 1.0, 3.0, 5.0, 8.0, 13.0, 22.0])

#fast: k='key(5)' => [0.029701, 0.24643, 0.57812, 0.86735, 0.99314] within 0.009
fn kumaraswamy(k: key) = below(draw.kumaraswamy(k, f64[50000](2), 3), [0.1, 0.3, 0.5, 0.7, 0.9])

# Means and covariances of 20,000 vectors and matrices.
fn moments(x) = let d = x - mean[0](x) in (mean[0](x), d.T @ d/len(x))

#fast: k='key(5)' => (1, 2, 4, 2, 2, 5) within 0.03
fn multivariate_normal(k: key) =
    let (m, c) = moments([i < 20000] => draw.multivariate_normal(k[i], [1.0, 2.0], [[2.0, 0], [1, 2]]))
    in (m, c)

# a/sum(a), and the variances and covariances by the formula
#fast: k='key(5)' => (0.1, 0.4, 0.5, 0.015, -0.006666667, -0.008333333, -0.006666667, 0.04, -0.03333333, -0.008333333, -0.03333333, 0.041666667) within 0.003
fn dirichlet(k: key) = let (m, c) = moments([i < 20000] => draw.dirichlet(k[i], [0.5, 2.0, 2.5])) in (m, c)

#fast: k='key(5)' => (20, 30, 50, 16, -6, -10, -6, 21, -15, -10, -15, 25) within 0.05
fn multinomial(k: key) =
    let (m, c) = moments([i < 20000] => f64(draw.multinomial(k[i], 100, [0.2, 0.3, 0.5])))
    in (m, c)

# freedom*V @ V.T
#fast: k='key(5)' => [30, 15, 15, 37.5] within 0.02
fn wishart(k: key) =
    mean[0]([i < 20000] => let L = draw.wishart_cholesky(k[i], 7.5, [[2.0, 0], [1, 2]]) in L @ L.T)

# Each correlation r of three by three is 2*b - 1 of a beta number b with a = 2 = shape + (3 - 2)/2: variance 1/(2*a + 1).
#fast: k='key(5)' => ([1, 0, 0, 0, 1, 0, 0, 0, 1], [0, 0.2, 0.2, 0.2, 0, 0.2, 0.2, 0.2, 0]) within 0.009
fn lkj(k: key) =
    let R = [i < 20000] => let L = draw.lkj_cholesky[3](k[i], 1.5) in L @ L.T
    in (mean[0](R), variance[0](R))

# Of a rate, a number or a probability that are none: -1; an empty array of parameters gives an empty array.
#: k='key(1)' => (-1, -1, -1, -1, 0)
fn none(k: key) =
    (draw.poisson(k, -1.0), draw.poisson(k, nan), draw.binomial(k, 3, 1.5), draw.binomial(k, -3, 0.5),
     len(draw.poisson(k, f64[0](1))))

# Ends, to the bit.
#: k='key(1)' => (0, 0, 5, 0, 0)
fn ends(k: key) =
    (draw.poisson(k, 0.0), draw.binomial(k, 5, 0.0), draw.binomial(k, 5, 1.0), draw.binomial(k, 0, 0.5),
     draw.integers(k, 0, 1))

# By scale: the number itself, less the mean, over the scale.
#: k='key(1)' m=1.0 s=2.0 => (0, 1) within 1e-13
fn slopes(k: key, m: f64, s: f64) =
    let x = draw.logistic(k, m, s)
    in (grad(draw.logistic(k, m, s), s) - (x - m)/s, grad(draw.gumbel(k, m, s), m))
