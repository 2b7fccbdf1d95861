# The part of the library that is open in every file.
# An op stays one node until it is lowered, so that rules can name it; a fn is taken apart where it is called.

# ---- sums and means

# The dtype of a mean: f64 of integers and bools; and the one in which it is summed: f32 of f16 and bf16.
fn mean_type(x) = typeof(sum(x)/1)
fn mean_sum_type(x) = typeof(mean_type(x)(0)*f32(1))

# The mean over the axes, or over all of them: of f64 where x has integers or bools.
#     mean[0]([[1.0, 2.0], [3.0, 6.0]]) is [2.0, 4.0]
fn mean[..axes, keep = false](x: T[..s]) =
    mean_type(x)(sum[..axes, keep = keep](mean_sum_type(x)(x)) / size[..axes](x))

# The mean squared distance from the mean; degrees taken off the count: variance[0, less = 1](x).  In the gradient
# the sum of the distances stays, though it is 0 but for rounding: it takes back the rounding of the mean.
#     variance([1.0, 2.0, 6.0]) is 4.666666666666667
fn variance[..axes, keep = false, less = 0](x: T[..s]) =
    let wide = mean_sum_type(x)(x)
    let d = wide - mean[..axes, keep](wide)
    in mean_type(x)(sum[..axes, keep = keep](d^2) / (size[..axes](x) - less))

# The root of the variance.
#     deviation[less = 1]([1.0, 2.0, 6.0]) is 2.6457513110645907
fn deviation[..axes, keep = false, less = 0](x: T[..s]) = sqrt(variance[..axes, keep = keep, less = less](x))

# The sum of a*b, of arrays of any rank or of whole structures.
#     dot([1.0, 2.0], [3.0, 4.0]) is 11.0
fn dot(a, b) = sum(a*b)
# The root of the sum of squares, of an array or a structure.
#     norm([3.0, 4.0]) is 5.0
fn norm(a) = sqrt(dot(a, a))

# How many are true.
#     count([true, false, true]) is 2
fn count[..axes](x) = sum[..axes](x)

# The root of the sum of squares over the axes; its derivative at 0 is 0.  Where squares leave the range, of parts of
# the largest.
#     euclidean[1]([[3.0, 4.0], [0.0, 0.0]]) is [5.0, 0.0]
op euclidean[..axes](x: T[..s]) =
    let squares = sum[..axes](x^2)
    in if all(squares > 1e-30 and squares < inf) then sqrt(squares) else far_euclidean[..axes](x)
fn far_euclidean[..axes](x: T[..s]) =
    let top = max[..axes, keep](abs(x))
    let unit = where(top > 0 and top < inf, top, 1)
    in sqrt(sum[..axes](((x/unit)^2)))*max[..axes](unit)

# The vector product of two vectors of three.
#     cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]) is [0.0, 0.0, 1.0]
fn cross(a: T[3], b: T[3]) = [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]

# All products of one of a and one of b.
#     outer([1.0, 2.0], [3.0, 4.0]) is [[3.0, 4.0], [6.0, 8.0]]
fn outer(a: T[m], b: T[n]) = a[:, _] * b

# The unit matrix of f64; f32(eye[n]()) and so on for others.
#     eye[2]() is [[1.0, 0.0], [0.0, 1.0]]
fn eye[n]() = one_hot[n](iota[n]())
# The sum of the diagonal.
#     trace([[1.0, 2.0], [3.0, 4.0]]) is 5.0
fn trace(A: T[n, n]) = sum(where(iota[n]()[:, _] == iota[n](), A, 0))

# Horner's rule: c + x*(d + x*(...)).
#     poly(2.0, 1, 3, 5) is 27.0
fn poly(x, c, ..more) = if len(more) == 0 then c else c + x*poly(x, ..more)

# For each element the product of all others along the axes, zeros among them or not: the derivative of prod.
#     prod_others([2.0, 3.0, 4.0]) is [12.0, 8.0, 6.0]
op prod_others[..axes](x: T[..s]) =
    let zero = x == 0
    let full = where(zero, 1, x)
    let zeros = sum[..axes, keep](where(zero, 1, 0))
    in where(zeros == where(zero, 1, 0), prod[..axes, keep](full)/full, 0)

# For each element of x the product of what scatter_mul[a](x, i, v) multiplies at its place, without it.
#     base_others[0]([2.0, 3.0], [0, 0], [5.0, 7.0]) is [35.0, 1.0]
op base_others[a](x: T[..s], i: i64[..k], v: T[..r]) =
    let p = scatter_mul[a](where(x == 0, 1, x), i, where(v == 0, 1, v))
    let z = scatter_add[a](where(x == 0, 1, 0), i, where(v == 0, 1, 0))
    in where(z == where(x == 0, 1, 0), p/where(x == 0, 1, x), 0)

# For each element of v the product of what scatter_mul[a](x, i, v) multiplies at its place, without it.
#     written_others[0]([2.0, 3.0], [0, 0], [5.0, 7.0]) is [14.0, 10.0]
op written_others[a](x: T[..s], i: i64[..k], v: T[..r]) =
    let p = scatter_mul[a](where(x == 0, 1, x), i, where(v == 0, 1, v))
    let z = scatter_add[a](where(x == 0, 1, 0), i, where(v == 0, 1, 0))
    in where(gather[a](z, i) == where(v == 0, 1, 0), gather[a](p, i)/where(v == 0, 1, v), 0)

# ---- sizes from data

# Where the bools hold: the first k places, then n for each that is missing; of all of them without k.
#     nonzero([true, false, true]) is [0, 2]
fn nonzero(m: bool[n], k = sum(i64(m))) =
    let at = cumsum(i64(m)) - 1
    let places = i64[k + 1](n) with [where(m and (at < k), at, k)] = iota[n]()
    in places[:k]

# Element (or row) i as often as times[i] says.
#     repeat([1.0, 2.0], [2, 1]) is [1.0, 1.0, 2.0]
fn repeat(x: T[n, ..s], times: i64[n]) =
    let (least, most) = (min(times), max(times))
    let total = where(least < 0, least, where(sum(f64(times)) > 2^62, most, sum(times)))
    let ends = i64[max(total, 0) + 1](0) with [cumsum(times)] += 1
    in x[cumsum(ends)[:total]]

# Each number once, in ascending order; NaN is one number, before all others.
#     unique([3.0, 1.0, 3.0]) is [1.0, 3.0]
fn unique(x: T[n]) =
    let ascending = get[0](top_k[n](x))[::-1]
    let i = iota[n]()
    let before = ascending[max(i - 1, 0)]
    in ascending[(i == 0) or (ascending != before and ascending == ascending)]

# ---- functions that are close to an operator

# The logarithm of erfc, for any x.
#     log_erfc(30) is -903.9741171106439
op log_erfc(x) = where(x < 0.5, log1p(-erf(x)), log(erfcx(max(x, 0.5))) - x^2)

# 1/erfcx(x): 0 far below 0, where erfcx is infinite, with derivatives that are numbers there too.
op recip_erfcx(x) = where(x < -26, exp(-x*x)/2, 1/erfcx(x))

# exp(x^2) times the first and the second repeated integral of erfc: from 2 on by their continued fraction, as the
# differences cancel.  erfcx' is -2*erfcx_1, and so on.
fn erfcx_tail(x, k) = if k > 44 then 1/(x + sqrt(x*x + 92)) else 1/(2*x + 2*(k + 1)*erfcx_tail(x, k + 1))
op erfcx_1(x) =
    let far = max(x, 2)
    in where(x < 2, 1/sqrt(pi) - min(x, 2)*erfcx(x), erfcx(far)*erfcx_tail(far, 1))
op erfcx_2(x) =
    let far = max(x, 2)
    in where(x < 2, (erfcx(x) - 2*min(x, 2)*erfcx_1(x))/4, erfcx_1(far)*erfcx_tail(far, 2))

# derivative of recip_erfcx
op recip_erfcx_1(x) =
    let r = recip_erfcx(x)
    in where(x < 1, r*(2/sqrt(pi)*r - 2*max(x, -40)), 2*erfcx_1(where(x < 1, 1, x))*r*r)

# i1e(x)/x, 1/2 at 0
op i1e_over(x) = where(x == 0, 1/2, i1e(x)/where(x == 0, 1, x))

# The derivative of sinc, near 0, where the difference would cancel, by its power series.
op sinc_1(x) =
    let z = x*x
    let low = 0.2091827825412384 + z*(-0.023460810354558236 + z*(0.001781145516372852
            + z*(-9.766223126318933e-05 + z*4.049947846619244e-06)))
    let near = x*(-3.289868133696453 + z*(3.2469697011334144 + z*(-1.1445109447325053 + z*low)))
    in where(abs(x) < 0.25, near, (cospi(x) - sinc(x))/where(x == 0, 1, x))

# x/(1 + x), and x/(x + y), also where x + y is too large for a number
op share(x) = where(abs(x) < inf, x/(1 + x), 1)
op part(x, y) =
    let s = x + y
    in where(abs(s) < inf, x/s, where(abs(x) == inf and abs(y) < inf, 1, x/2/(x/2 + y/2)))

# x*y/(x + y) of positive x and y
op parallel(x, y) = let least = min(x, y) in least*part(max(x, y), least)

# log(1 + x) - x, which is about -x^2/2 near 0: with r = x/(2 + x), log(1 + x) is 2*(r + r^3/3 + r^5/5 + ...); and that
# over x^2.
fn log1p_tail(z) =
    poly(z, 1/3, 1/5, 1/7, 1/9, 1/11, 1/13, 1/15, 1/17, 1/19, 1/21, 1/23, 1/25, 1/27, 1/29, 1/31, 1/33)
op log1p_minus(x) =
    let r = x/(2 + x)
    in where(x > -0.5 and x < 1, r*(2*(r*r)*log1p_tail(r*r) - x), log1p(x) - x)
op log1p_bend(x) =
    let near = x > -0.5 and x < 1
    let far = where(near, 1, x)
    let r = x/(2 + x)
    in where(near, (2*r*log1p_tail(r*r)/(2 + x) - 1)/(2 + x), (log1p(far) - far)/far/far)

# log(x/y), which is about x/y - 1 where the two are close; d: x - y, which may be known better than
# x and y are
op log_less(x, y, d) =
    let t = d/y
    let q = x/y
    in where(abs(t) < 0.5, log1p(t), where(q < inf and 1/q < inf, log(q), log(abs(x)) - log(abs(y))))
op log_ratio(x, y) = log_less(x, y, x - y)
# x*log(x/y) - x + y of positive x and y, which is about (x - y)^2/(2*x) where the two are close.
#     kl_div(1.0, 1.001) is 4.996669164667231e-07
op kl_div(x, y) = kl_by(x, y, x - y)
# where d is x - y, which may be known better
op kl_by(x, y, d) =
    let t = -d/x
    in where(t > -0.5 and t < 1, -x*log1p_minus(t), x*log_less(x, y, d) - d)
# x*log(2*x/(x + y)) + y*log(2*y/(x + y)) of positive x and y, twice the divergence of Jensen and Shannon
op jensen_shannon(x, y) =
    let m = x/2 + y/2 let d = x/2 - y/2
    in kl_by(x, m, d) + kl_by(y, m, -d)
# x^2*sigmoid(y)*sigmoid(z), also where the square is too large for a number
op square_sigmoids(x, y, z) = x*sigmoid(y)*(x*sigmoid(z))

# log(1 + x^2), also where x^2 is too large for a number: of x and 1/x the nearer to 0 is squared.
#     log1p_square(1e200) is 921.0340371976183
op log1p_square(x) =
    let far = max(abs(x), 1)
    in 2*log(far) + log1p((min(abs(x), 1)/far)^2)
# its derivative, 2*x/(1 + x^2), which is the same of 1/x
op log1p_square_1(x) =
    let near = where(abs(x) <= 1, x, 1/where(abs(x) <= 1, 1, x))
    in 2*near/(1 + near^2)
# log(1 + 1/x^2)
op log1p_square_over(x) = log1p_square(1/x)

# log(1 + x^n) of even n, and log(1 - x^2)
op log1p_power(x, n) =
    let a = where(x < 0, -x, x) let near = a < 1
    let far = where(near, 1, a)
    in where(near, log1p(where(near, a, 1)^n), n*log(far) + log1p(far^(-n)))
op log1p_pair(x) = where(abs(x) < 0.5, log1p(-x*x), log1p(x) + log1p(-x))

# (x - sin(x))/x^3 and (1 - cos(x))/x^2 of z = x^2, where that is below 1
fn sin_rest(z) = poly(z, 1/6, -1/120, 1/5040, -1/362880, 1/39916800, -1/6227020800, 1/1307674368000,
                      -1/355687428096000)
fn cos_rest(z) =
    poly(z, 1/2, -1/24, 1/720, -1/40320, 1/3628800, -1/479001600, 1/87178291200, -1/20922789888000)

# x - sin(x), which is about x^3/6 near 0, x - tan(x), about -x^3/3, and 1/x - 1/tan(x), about x/3.
op minus_sin(x) = let z = x*x in where(abs(x) < 1, x*z*sin_rest(z), x - sin(x))
op minus_tan(x) = let z = x*x in where(abs(x) < 1, x*z*(sin_rest(z) - cos_rest(z))/cos(x), x - tan(x))
op minus_cot(x) =
    let z = x*x
    in where(abs(x) < 1, x*((cos_rest(z) - sin_rest(z))/(1 - z*sin_rest(z))), 1/x - 1/tan(x))

# (x - sin(x))/x^3, of w = x^2/9 where that is below 1, (x - tan(x))/x^3 and 1/sin(x)^2 - 1/x^2
fn sin_rest_far(w) = poly(w, 1/6, -3/40, 9/560, -9/4480, 81/492800, -243/25625600, 729/1793792000,
                          -6561/487911424000, 6561/18540634112000, -19683/2595688775680000,
                          177147/1313418520494080000,
                          -531441/262683704098816000000, 177147/6829776306569216000000)
op minus_sin_bend(x) =
    let near = abs(x) < 3
    let far = where(near, 3, x)
    in where(near, sin_rest_far(min(x*x/9, 1)), (far - sin(far))/far/far/far)
op minus_tan_bend(x) =
    let near = abs(x) < 1
    let low = where(near, x, 0) let far = where(near, 1, x)
    in where(near, (sin_rest(low*low) - cos_rest(low*low))/cos(low), (far - tan(far))/far/far/far)
op sin_gap(x) =
    let near = abs(x) < 1
    let low = where(near, x, 0) let far = where(near, 1, x) let o = over_sin(low)
    in where(near, minus_sin_bend(low)*(1 + sin_over(low))*o*o, 1/sin(far)^2 - 1/far^2)

# sin(x)/x - 1, tanh(x)/x - 1 and x*cosh(x) - sinh(x): the series of sin and cos are those of sinh and cosh of -x^2
op sin_over_minus(x) =
    let near = abs(x) < 1
    let far = where(near, 1, x)
    in where(near, -x*x*sin_rest(x*x), sin(far)/far - 1)
op tanh_over_minus(x) =
    let near = abs(x) < 1
    let low = where(near, x, 0) let far = where(near, 1, x) let z = low*low
    in where(near, -z*(cos_rest(-z) - sin_rest(-z))/cosh(low), tanh(far)/far - 1)
op tanh_minus(x) = where(abs(x) == inf, -x, x*tanh_over_minus(x))
op cosh_less_sinh(x) =
    let z = x*x in where(abs(x) < 1, x*z*(cos_rest(-z) - sin_rest(-z)), x*cosh(x) - sinh(x))

# ---- f(x)/x, 1 at 0, and its derivatives, whose differences cancel near 0

op sin_over(x) = where(x == 0, 1, sin(x)/x)
# -1 times the derivative of sin_over
op sin_over_1(x) =
    let near = abs(x) < 1
    let far = where(near, 1, x)
    in where(near, x*(cos_rest(x*x) - sin_rest(x*x)), (sin(far)/far - cos(far))/far)

# 3*sin(x)/x^3 - 3*cos(x)/x^2 - sin(x)/x, about x^2/15 near 0
op sin_over_2(x) =
    let near = abs(x) < 2
    let far = where(near, 2, x) let low = where(near, x, 0) let z = low*low
    in where(near, z*poly(z, 1/15, -1/210, 1/7560, -1/498960, 1/51891840, -1/7783776000, 1/1587890304000,
                          -1/422378820864000, 1/141919283810304000, -1/58754583497465856000,
                          1/29377291748732928000000, -1/17450111298747359232000000),
             ((3/far/far - 1)*sin(far) - 3*cos(far)/far)/far)

# sin(x) - x*cos(x), about x^3/3 near 0
op sin_less_cos(x) = let z = x*x in where(abs(x) < 1, x*z*(cos_rest(z) - sin_rest(z)), sin(x) - x*cos(x))

# x/sin(x), x/sinh(x) and x/tanh(x), 1 at 0
op over_sin(x) = where(x == 0, 1, x/sin(x))
op over_sinh(x) = where(x == 0, 1, x/sinh(x))
op over_tanh(x) = where(x == 0, 1, x/tanh(x))
# the derivative of the last, (sinh(2*x)/2 - x)/sinh(x)^2
op over_tanh_1(x) =
    let far = where(abs(x) < 10, 10, x)
    in where(abs(x) < 10, 4*x*over_sinh(x)^2*sinh_bend(2*max(min(x, 10), -10)),
             1/tanh(far) - over_sinh(far)^2/far)

# erf(x)/x, and -1 times its derivative
fn erf_rest(z) =
    poly(z, 1/3, -1/5, 1/14, -1/54, 1/264, -1/1560, 1/10800, -1/85680, 1/766080, -1/7620480, 1/83462400)
op erf_over(x) = where(x == 0, 2/sqrt(pi), erf(x)/where(x == 0, 1, x))
op erf_over_1(x) =
    let near = abs(x) < 0.5
    let far = where(near, 1, x)
    in where(near, 4/sqrt(pi)*x*erf_rest(x*x), (erf(far)/far - 2/sqrt(pi)*exp(-far*far))/far)

# (exp(x) - 1)/x, its derivative, (exp(x) - 1 - x)/x^2 with its own, and exp(x) - 1 - x
op expm1_over(x) = where(x == 0, 1, expm1(x)/x)
op expm1_over_1(x) =
    let far = x < -20
    let low = where(far, x, -20)
    in where(far, (exp(low) - expm1(low)/low)/low, exp(x)*expm1_bend(-where(far, -20, x)))
fn exp_rest(x) =
    poly(x, 1/2, 1/6, 1/24, 1/120, 1/720, 1/5040, 1/40320, 1/362880, 1/3628800, 1/39916800, 1/479001600,
         1/6227020800, 1/87178291200, 1/1307674368000, 1/20922789888000, 1/355687428096000,
         1/6402373705728000)
op expm1_bend(x) =
    let near = abs(x) < 1
    let far = where(near, 1, x)
    in where(near, exp_rest(x), (expm1(far) - far)/far/far)
op expm1_minus(x) = where(abs(x) < 1, x*x*exp_rest(x), expm1(x) - x)

# exp(x) - 1 - x - x^2/2
op expm1_minus_2(x) =
    let near = min(max(x, -1), 1)
    in where(abs(x) < 1,
             near*near*near*poly(near, 1/6, 1/24, 1/120, 1/720, 1/5040, 1/40320, 1/362880, 1/3628800,
                                 1/39916800, 1/479001600, 1/6227020800, 1/87178291200, 1/1307674368000,
                                 1/20922789888000, 1/355687428096000, 1/6402373705728000),
             expm1_minus(x) - x*x/2)

# (exp(x*y) - 1)/x
op expm1_over_by(x, y) = let z = x*y in where(abs(z) < 1, y*expm1_over(z), expm1(z)/x)

# expm1(x)/x - 1, expm1(x)/x - exp(x)
op expm1_over_minus(x) =
    let near = abs(x) < 1
    let far = where(near, 1, x)
    in where(near, x*exp_rest(x), expm1(far)/far - 1)
op expm1_over_less(x) =
    let far = x < -1
    let low = where(far, x, -1) let near = where(far, -1, x)
    in where(far, expm1(low)/low - exp(x), -near*exp(near)*expm1_bend(-near))

# log(1 + x)/x, that less 1, and their derivative
op log1p_over(x) = where(x == 0, 1, log1p(x)/x)
op log1p_over_minus(x) =
    let near = x > -0.5 and x < 1
    let far = where(near, 1, x)
    in where(near, x*log1p_bend(x), log1p(far)/far - 1)
op log1p_over_1(x) =
    let near = x < 2
    let low = where(near, x, 2) let far = where(near, 2, x)
    in where(near, log1p_bend(-share(low))/(1 + x)/(1 + x), (share(far) - log1p(far))/far/far)

# atan(x)/x and its derivative: of the angle t it is (sin(2*t) - 2*t)/2/x^2.  x - atan(x), asin(x) - x by their angles
op atan_over(x) = where(x == 0, 1, atan(x)/x)
op atan_over_1(x) =
    let t = atan(x)
    let near = abs(t) < 0.5
    let far = where(near, 1, x)
    in -where(near, 4*t*where(x == 0, 1, t/x)^2*sin_rest(4*t*t), minus_sin(2*t)/2/far/far)
op atan_over_minus(x) =
    let near = abs(x) < 1e-9
    let far = where(near, 1, x)
    in -where(near, x*x/3, where(abs(x) == inf, 1, minus_atan(far)/far))
op over_sin_minus(x) =
    let near = abs(x) < 1e-9
    let far = where(near, 1, x)
    in where(near, x*x/6, minus_sin(far)/sin(far))
op minus_atan(x) = where(abs(x) < 1, -minus_tan(atan(x)), x - atan(x))
op asin_minus(x) = minus_sin(asin(x))

# sinh(x) - x, and that over x^3
fn sinh_rest(z) =
    poly(z, 1/6, 1/120, 1/5040, 1/362880, 1/39916800, 1/6227020800, 1/1307674368000, 1/355687428096000)
op sinh_minus(x) = let z = x*x in where(abs(x) < 1, x*z*sinh_rest(z), sinh(x) - x)
op sinh_bend(x) =
    let near = abs(x) < 1
    let far = where(near, 1, x)
    in where(near, sinh_rest(x*x), (sinh(far) - far)/far/far/far)

# sinh(x)/x, that less 1, and their derivative
op sinh_over(x) = where(x == 0, 1, sinh(x)/x)
op sinh_over_minus(x) =
    let near = abs(x) < 1
    let far = where(near, 1, x)
    in where(near, x*x*sinh_rest(x*x), sinh(far)/far - 1)
op sinh_over_1(x) =
    let near = abs(x) < 1
    let low = where(near, x, 0) let far = where(near, 1, x)
    in where(near, low*(cos_rest(-low*low) - sin_rest(-low*low)), cosh(far)/far - sinh(far)/far/far)

# the logarithms of expm1(x)/x, 1 - exp(-x^2), sin(x)/x and sinh(x)/x
op log_expm1_over(x) =
    let near = max(min(x, 1), -1)
    let far = max(x, 1)
    in where(x > 1, far + log1mexp(far) - log(far),
             where(x < -1, log(expm1_over(min(x, -1))), log1p(near*exp_rest(near))))
op log1mexp_square(x) =
    let z = x*x let near = z < 1
    in where(near, 2*log(abs(x)) + log_expm1_over(-where(near, z, 1)), log1mexp(where(near, 1, z)))
op log_sin_over(x) =
    let near = abs(x) < 1
    let z = where(near, x*x, 0)
    in where(near, log1p(-z*sin_rest(z)), log(sin(x)/where(near, 1, x)))
op log_sinh_over(x) =
    let far = max(abs(x), 1)
    let z = min(abs(x), 1)^2
    in where(abs(x) < 1, log1p(z*sinh_rest(z)), log_sinh(far) - log(far))

# tanh(x)/x and its derivative, sech(x)^2*(2*x - sinh(2*x))/(2*x^2)
op tanh_over(x) = where(x == 0, 1, tanh(x)/x)
op tanh_over_1(x) =
    let far = where(abs(x) < 10, 10, x)
    in where(abs(x) < 10, -4*x*sech(x)^2*sinh_bend(2*max(min(x, 10), -10)), (sech(far)^2 - tanh(far)/far)/far)

# 1/tanh(x) - 1/x, which is about x/3 near 0
op coth_gap(x) =
    let near = max(min(x, 1), -1)
    let z = near*near
    let half = 1 + z/4*sinh_rest(z/4)
    let far = where(abs(x) < 1, 1, x)
    in where(abs(x) < 1, near*(half*half/2 - sinh_rest(z))/(1 + z*sinh_rest(z)), 1/tanh(far) - 1/far)

# 1/(exp(x) - 1), x/(exp(x) - 1) and 1/x - 1/(exp(x) - 1), with derivatives
op bose(x) = let e = exp(-x) in where(x > 39, e/(1 - e), 1/expm1(x))
op over_expm1(x) = let b = bose(x) in where(abs(b) == inf, 1, x*b)
# x^n/expm1(x), x^n*exp(x)/expm1(x)^2 and x^n*exp(y): where the exponential leaves nothing they are 0, however large
# x^n is
op power_over_expm1(x, n) = let b = over_expm1(x) in where(b == 0, 1, x)^(n - 1)*b
op power_over_sinh(x, n) = let b = over_sinh(x/2) in where(b == 0, 1, x)^(n - 2)*b*b
op power_exp(x, n, y) = let e = exp(y) in where(e == 0, 1, x)^n*e
op over_expm1_1(x) =
    let p = expm1_bend(where(x < 0, x, -x))*(over_expm1(x)*over_expm1(-x))
    in where(x < 0, p - 1, -p)
op bose_gap(x) =
    let near = max(min(x, 1), -30)
    let far = where(near == x, 1, x)
    in where(near == x, expm1_bend(near)/expm1_over(near), 1/far - bose(far))
op bose_gap_1(x) =
    let a = min(where(x < 0, -x, x), 1000)
    let q = over_expm1(-a)*exp(-a/2)
    let near = abs(x) < 2
    let far = where(near, 1, x)
    in -where(near, sinh_bend(where(near, x/2, 0))*(q*(1 + q))/4, (1 - q)*(1 + q)/far/far)

# 1/x - 1/sinh(x), and 1 - (1 + x)*exp(-x) of positive x
op csch_gap(x) = where(abs(x) < 2, x*sinh_bend(x)*over_sinh(x), 1/x - 1/sinh(x))
op expm1_decay(x) = where(x < 1, exp(-x)*expm1_minus(min(x, 1)), 1 - (1 + x)*exp(-x))

# ---- sides and angles of a triangle with a right angle

# sqrt(x^2 - y^2), the other side beside hypot, and x and y over it; x/hypot(x, y)
op leg(x, y) = let a = abs(x) let b = abs(y) in sqrt(a - b)*sqrt(a + b)
op leg_long(x, y) = x/leg(x, y)
op leg_short(x, y) = y/leg(x, y)
op cosine(x, y) = let h = hypot(x, y) in where(abs(x) == inf, sign(x), x/where(h == 0, 1, h))

# (y - x^2)/(y + x^2) of positive y, and x^m/(c + x^n)^k, of 1/x where x is above 1
op contrast_of(y, x) =
    let z = x*x let s = y + z
    in where(s < inf, fma(-x, x, y)/s,
             where(z == inf and y < inf, -1, where(y == inf and z < inf, 1, (y/2 - z/2)/(y/2 + z/2))))
op ratio_power(x, c, m, n, k) =
    let near = abs(x) < 1
    let low = where(near, x, 0) let far = where(near, 1, x)
    in where(near, low^m/(c + low^n)^k, far^(m - n*k)/(1 + c*far^(-n))^k)

# ---- differences

# log((x + y)/(x - y)): where y is near x, x - y is right as it is, and y/x is not
op log_contrast(x, y) = where(2*abs(y) < abs(x), 2*atanh(y/x), log((x + y)/(x - y)))

# (x + y)^n - x^n, of positive x and x + y: a product where the two are close.
op pow_diff(x, y, n) =
    let t = n*log1p(y/x)
    in where(abs(t) < 1, x^n*expm1(t), (x + y)^n - x^n)

# ((1 + x)^n - 1)/x
op pow1p_over(x, n) =
    let t = n*log1p(x)
    let near = abs(t) < 1
    in where(near, n*(log1p_over(x)*expm1_over(where(near, t, 0))), ((1 + x)^n - 1)/where(near, 1, x))

# (1 + x)^n - 1: 1 + x is rounded, which n repeats
op pow1p_minus_1(x, n) =
    let near = abs(x) < 0.5 and x != 0
    in where(near, expm1(n*log1p(where(near, x, 0))), pow_diff(1, x, n))

# (1 + x)^y
op pow1p(x, y) =
    let near = abs(x) < 0.5 and x != 0
    in where(near, exp(y*log1p(where(near, x, 0))), (1 + x)^y)

# sin(x + y) - sin(x) and cos(x + y) - cos(x): of x far from 0 no x + y/2 is as near as that
fn chord(y) = where(abs(y) < 1e-8, y, 2*sin(y/2))
op sin_diff(x, y) = chord(y)*(cos(x)*cos(y/2) - sin(x)*sin(y/2))
op cos_diff(x, y) = -chord(y)*(sin(x)*cos(y/2) + cos(x)*sin(y/2))

# x^y - 1 of positive x
op pow_minus_1(x, y) = let t = y*log(x) in where(abs(t) < 1, expm1(where(abs(t) < 1, t, 0)), x^y - 1)

# hypot(x, y) - x, the part that this is of hypot(x, y), and x - leg(x, y)
op hypot_minus(x, y) =
    let h = hypot(x, y)
    in where(h == inf and abs(x) < inf, h, where(x <= 0, h + abs(x), y*(y/(h + x))))
op hypot_part(x, y) = let c = cosine(x, y) in where(x <= 0, 1 - c, cosine(y, x)*(cosine(y, x)/(1 + c)))
op minus_leg(x, y) = let l = leg(x, y) in where(x <= 0, -(abs(x) + l), y*(y/(x + l)))
# sqrt(x^2 - y) of positive y, whose root is rounded, and x less that
op leg_square(x, y) = where(x*x < inf, sqrt(fma(x, x, -y)), leg(x, sqrt(y)))
op minus_leg_square(x, y) = let l = leg_square(x, y) in where(x <= 0, -(abs(x) + l), y/(x + l))

# x/sqrt(x*y), the root of x/y with the sign of x, also where y is anything and x is 0; sqrt(x*y) of positive ones
op over_root(x, y) =
    let q = x/y
    in where(q > 0 and q < inf and 1/q < inf, sign(x)*sqrt(q), where(x == 0, 0, x/sqrt(x*y)))
op root_product(x, y) = let p = x*y in where(p < inf and 4/p < inf, sqrt(p), sqrt(x)*sqrt(y))
# Differences of a function at x + y and x.
op sqrt_diff(x, y) =
    let s = sqrt(x + y)
    in where(s == inf, s, y/(s + sqrt(x)))
op rsqrt_diff(x, y) =
    let a = sqrt(x) let b = sqrt(x + y)
    in -where(b == inf, 1, y/(a + b)/b)/a
op cbrt_diff(x, y) =
    let a = cbrt(x + y) let b = cbrt(x) let d = fma(a, a + b, b*b)
    in where(d == 0, 0, where(d == inf, a, y/d))
op recip_diff(x, y) = -(where(abs(y) == inf, 1, part(y, x))/x)
op atan_diff(x, y) =
    let s = 1 + abs(x)
    in where(s + abs(y) == inf, atan2(x + y, 1) - atan2(x, 1), atan2(y/s, 1/s + x/s*(x + y)))
# tanh(a + b) of the hyperbolic tangents, which is how velocities add up, where 1 + x*y would cancel too
op velocity_sum(x, y) = (x + y)/fma(x, y, 1)
# (1 - x^2)/c^2, of which its derivatives are made
op velocity_gain(x, c) = let p = fma(-x, x, 1) in where(abs(p) < inf, p/c/c, -(x/c*(x/c)))
# The angle between two places of latitudes x and y whose longitudes are z apart, by its half's sine; its derivative
# where they are one is 0.
op great_circle(x, y, z) =
    let a = sin((x - y)/2) let b = sin(z/2) let c = cos(x)*cos(y) let h = a*a + c*b*b
    let half = atan2(where(c < 0, sqrt(max(h, 0)), hypot(a, sqrt(max(c, 0))*b)), sqrt(max(1 - h, 0)))
    in where(abs(x) < 4 and abs(y) < 4, 2*half,
             acos(sin(x)*sin(y) + cos(x)*cos(y)*cos(z)))
# sin(x - y), also of such large x and y that their difference is rounded
op sine_between(x, y) = where(abs(x) < 4 and abs(y) < 4, sin(x - y), sin(x)*cos(y) - cos(x)*sin(y))
# atan(y/x)
op atan_ratio(y, x) = atan2(where(x < 0, -y, y), abs(x))
op log_diff(x, y) =
    let q = y/x
    in where(q < -0.5, log((x + y)/x), where(q == inf, log(y) - log(x), log1p(q)))
op exp_less(x, y) = where(abs(x - y) < 1, exp(y)*expm1(min(max(x - y, -1), 1)), exp(x) - exp(y))
# f(x) - f(y) of neighbouring x and y, whose difference d may be known better than they are; log_less is above.
#     sqrt_less(1e10 + 1.0, 1e10, 1.0) is 4.99999999975e-6
op recip_less(x, y, d) = where(abs(d) < abs(y)/2, -(d/x/y), 1/x - 1/y)
op sqrt_less(x, y, d) = where(abs(d) < y/2, d/(sqrt(x) + sqrt(y)), sqrt(x) - sqrt(y))
op part_less(x, y, z, d) =
    where(abs(d) < inf and max(x, y) + z < inf, part(z, min(x, y))*(d/(max(x, y) + z)),
          part(z, y) - part(z, x))
# x/(x + y) - x/(x + z), where d is z - y
op part_less_by(x, y, z, d) =
    where(abs(d) < inf and x + max(y, z) < inf, part(x, min(y, z))*(d/(x + max(y, z))),
          part(x, y) - part(x, z))
op hypot_less(x, y, z, d) =
    let a = hypot(x, z) let b = hypot(y, z) let mean = a/2 + b/2
    in where(mean > 0 and mean < inf and abs(d) < inf, d*((x/2 + y/2)/mean), a - b)
op cbrt_less(x, y, d) =
    let a = cbrt(x) let b = cbrt(y)
    in where(abs(d) < abs(y)/2, d/(a*a + a*b + b*b), a - b)
op log1p_less(x, y, d) = log_less(1 + x, 1 + y, d)
op logit_less(x, y, d) = log_less(x, y, d) + log_less(1 - y, 1 - x, d)
op pow_less(x, y, n, d) =
    let t = n*log_less(x, y, d)
    in where(abs(t) < 1, y^n*expm1(t), x^n - y^n)
op cube_less(x, y, d) = where(x*y > 0, d*(x*(x + y) + y*y), x^3 - y^3)
op log_mul_less(x, y, d) = where(abs(d) < y/2, d*log(x) + y*log_less(x, y, d), x*log(x) - y*log(y))
op expm1_less(x, y, d) = where(abs(d) < 1, exp(y)*expm1(min(max(d, -1), 1)), exp(x) - exp(y))
op sin_less(x, y, d) = where(abs(d) < 1, sin_diff(y, min(max(d, -1), 1)), sin(x) - sin(y))
op cos_less(x, y, d) = where(abs(d) < 1, cos_diff(y, min(max(d, -1), 1)), cos(x) - cos(y))
op tan_less(x, y, d) = where(abs(d) < 1, sin(d)/(cos(x)*cos(y)), tan(x) - tan(y))
fn chord_h(d, half) = where(abs(d) < 1e-8, d, 2*sinh(half))
op sinh_less(x, y, d) =
    let half = min(max(d, -1), 1)/2
    in where(abs(d) < 1, chord_h(d, half)*(cosh(y)*cosh(half) + sinh(y)*sinh(half)), sinh(x) - sinh(y))
op cosh_less(x, y, d) =
    let half = min(max(d, -1), 1)/2 let s = sinh(half) let mean = min(max(y + half, -1), 1)
    in where(abs(d) < 1, chord_h(d, half)*where(abs(y) < 0.5, sinh(mean), sinh(y)*cosh(half) + cosh(y)*s),
             cosh(x) - cosh(y))
op asin_less(x, y, d) =
    let s = sqrt((1 - x)*(1 + x)) + sqrt((1 - y)*(1 + y))
    in where(abs(d) < 1e-10*s, d/(s/2), 2*atan2(d, s))
op acos_less(x, y, d) = -asin_less(x, y, d)
fn area_less(q, far) =
    where(abs(q) < 1, where(abs(q) < 1e-8, q, 2*atanh(where(abs(q) < 1, q/2, 0))), far)
op asinh_less(x, y, d) = area_less(d/(hypot(1, x)/2 + hypot(1, y)/2), asinh(x) - asinh(y))
op acosh_less(x, y, d) = area_less(d/(leg(x, 1)/2 + leg(y, 1)/2), acosh(x) - acosh(y))
op atanh_less(x, y, d) =
    let c = where(x > 0, (1 - x) + x*(1 - y), (1 + x) - x*(1 + y))
    in area_less(d/(c/2 + sqrt((1 - x)*(1 + x))*sqrt((1 - y)*(1 + y))/2), atanh(x) - atanh(y))
op atan_less(x, y, d) =
    let s = 1 + abs(y) let p = y/s*x
    in where(p >= 0 and s + abs(x) < inf, atan2(d/s, 1/s + p), atan(x) - atan(y))
fn unless_ends(x, y, d) = where(abs(x) == inf and x == y, 0, d)
op sigmoid_less(x, y, d) = tanh(unless_ends(x, y, d)/2)*(sigmoid(x)*sigmoid(-y) + sigmoid(-x)*sigmoid(y))
op tanh_less(x, y, d) =
    2*tanh(unless_ends(x, y, d))*(sigmoid(2*x)*sigmoid(-2*y) + sigmoid(-2*x)*sigmoid(2*y))
op softplus_less(x, y, d) =
    let down = d < 0
    let low = where(down, x, y) let high = where(down, y, x)
    let a = where(high == -inf, 0, where(down, -d, d))
    let above = low > 0 let near = a < 2
    let far = softplus(where(above, -low, high)) - softplus(where(above, -high, low))
    let more = where(near, log1p(expm1(where(near, a, 2))*sigmoid(low)), where(above, a - far, far))
    in where(down, -more, more)
# erf and ndtr: beyond 0 of what is beyond them; of near ones the integral of exp(-k*t^2) by Gauss' six points
fn bell_at(z, a, t, w) = w*exp(-z*(1 + t*t))*cosh(a*t)
fn bell(x, y, d, k) =
    let q = x*y let z = k*d*d/4 let a = k*d*(y + d/2)
    let mean = bell_at(z, a, 0.2386191860831969, 0.46791393457269104)
        + bell_at(z, a, 0.6612093864662645, 0.36076157304813861)
        + bell_at(z, a, 0.9324695142031521, 0.17132449237917035)
    in d*exp(-k*q)*(1 - k*fma(x, y, -q))*mean
op erf_less(x, y, d) =
    let far = where(x*y > 0, sign(x)*(erfc(abs(y)) - erfc(abs(x))), erf(x) - erf(y))
    in where(abs(y) < 40 and abs(d)*(1 + abs(y)) < 0.4, 2/sqrt(pi)*bell(x, y, d, 1), far)
op erfc_less(x, y, d) = -erf_less(x, y, d)
op ndtr_less(x, y, d) =
    let far = where(x > 0 and y > 0, ndtr(-y) - ndtr(-x), ndtr(x) - ndtr(y))
    in where(abs(y) < 40 and abs(d)*(1 + abs(y)) < 0.4, bell(x, y, d, 0.5)/sqrt(2*pi), far)
op exp_diff(x, y) = where(y < 1, exp(x)*expm1(min(y, 1)), exp(x + y) - exp(x))

# gamma(x + y)/gamma(x) and lgamma(x + y) - lgamma(x): of positive x and y, where the second would cancel, by Stirling's
# series from x = 10 on, which is reached by the recurrence
fn stirling(x) = let z = 1/(x*x) in poly(z, 1/12, -1/360, 1/1260, -1/1680, 1/1188, -691/360360, 1/156)/x
fn lgamma_bend(x, y) = let q = y/x in x*log1p_minus(q) + (y - 0.5)*log1p(q) + (stirling(x + y) - stirling(x))
fn gamma_steps(x, y, k, e) = if k > 9 then e else let q = y/(x + k) in gamma_steps(x, y, k + 1, e + q + e*q)
op gamma_ratio(x, y) =
    let far = x >= 10 and y >= 0
    let from = where(far, x, 10)
    let by = where(far, y, 0)
    in where(far, from^by*exp(lgamma_bend(from, by)), gamma(where(far, 1, x + y))/gamma(where(far, 1, x)))
op lgamma_diff(x, y) =
    let series = x > 0 and y >= 0 and (x >= 10 or y < 1)
    let from = where(series, x, 1)
    let by = where(series, y, 0)
    let near = from < 10
    let far = where(near, from + 10, from)
    let low = where(near, from, 1)
    let steps = log_diff(low, min(by, 1)) + log1p(gamma_steps(low, min(by, 1), 1, 0))
    in where(series, by*log(far) + lgamma_bend(far, by) - where(near, steps, 0), lgamma(x + y) - lgamma(x))

# log(x) - digamma(x) of positive x
op digamma_gap(x) =
    let near = x < 10
    let low = where(near, x, 10) let far = where(near, 10, x)
    let z = 1/(far*far)
    in where(near, log(low) - digamma(low),
             0.5/far + z*poly(z, 1/12, -1/120, 1/252, -1/240, 1/132, -691/32760, 1/12))
op digamma_gap_1(x) =
    let near = x < 10
    let low = where(near, x, 10) let far = where(near, 10, x)
    in where(near, log(low) - digamma(1 + low), digamma_gap(far) - 1/far)

# x*log(1 + y); 0 where x is 0.
#     xlog1py(0, -1) is 0.0
op xlog1py(x, y) = where(x == 0, 0, x*log1p(y))

# The logarithm of the number of ways to choose k of n; -inf where there is none.
#     log_choose(5, 2) is 2.3025850929940455
fn log_choose(n, k) = where((k >= 0) and (k <= n), -log1p(n) - lbeta(k + 1, n - k + 1), -inf)

# The modified Bessel function of the first kind of order 0.
#     i0(1) is 1.2660658777520084
fn i0(x) = exp(abs(x))*i0e(x)
# The modified Bessel function of the first kind of order 1.
#     i1(1) is 0.565159103992485
fn i1(x) = exp(abs(x))*i1e(x)

# ---- activations

# x where it is above 0, else 0; the derivative at 0 is 0.
#     relu([-1.0, 2.0]) is [0.0, 2.0]
op relu(x) = max(x, 0)
# x cut to [low, high]; high where low is above it.
#     clip([-1.0, 0.5, 2.0], 0, 1) is [0.0, 0.5, 1.0]
op clip(x, low, high) = min(max(x, low), high)
# log(cosh(x)), for any x.
#     log_cosh(1000) is 999.3068528194401
op log_cosh(x) =
    let far = abs(x)
    in where(far < 2, log1p(2*sinh(min(far, 2)/2)^2), far + log1p(expm1(-2*far)/2))
# The derivative of gelu_tanh; beyond 30 that is a line.
op gelu_tanh_1(x) =
    let c = min(max(x, -30), 30)
    let w = sqrt(8/pi)*c*(1 + 0.044715*c^2)
    in sigmoid(w)*(1 + sqrt(8/pi)*c*(1 + 0.134145*c^2)*sigmoid(-w))
# 1/cosh(x), for any x.
#     sech(1) is 0.6480542736638853
op sech(x) = let e = exp(-abs(x)) in 2*e/(1 + e*e)
# log(sinh(x)) of positive x.
#     log_sinh(1000) is 999.3068528194401
op log_sinh(x) = where(x < 2, log(sinh(min(x, 2))), x - log(2) + log1mexp(2*max(x, 2)))
# log(tanh(x)) of positive x.
#     log_tanh(20) is -8.496708510583178e-18
op log_tanh(x) = log1mexp(2*x) - softplus(-2*x)
# log(sigmoid(x)), for any x.
#     log_sigmoid(-1000) is -1000.0
fn log_sigmoid(x) = -softplus(-x)
# log(1 + c*exp(x)) of positive c.
#     log1p_scaled_exp(2, 1000) is 1000.6931471805599
op log1p_scaled_exp(c, x) = let z = c*exp(x) in where(z < inf, log1p(z), x + log(c))
# log(c + exp(x)) of positive c.
#     log_plus_exp(2, 1000) is 1000.0
op log_plus_exp(c, x) = logaddexp(x, log(c))
op exp_part(c, x) = where(x > 0, 1/(1 + c*exp(-max(x, 0))), exp(min(x, 0))/(c + exp(min(x, 0))))
# x where it is above 0, else slope*(exp(x) - 1).
#     elu([-1.0, 2.0]) is [-0.6321205588285577, 2.0]
fn elu(x, slope = 1) = where(x > 0, x, slope*expm1(where(x > 0, 0, x)))
# x where it is above 0, else slope*x.
#     leaky_relu([-1.0, 2.0]) is [-0.01, 2.0]
fn leaky_relu(x, slope = 0.01) = where(x > 0, x, slope*x)

# ---- normalisation along an axis

# exp(x) over its sum along the axis.  A row of -inf (nothing to choose from) gives zeros.
#     softmax([1000.0, 1001.0]) is [0.2689414213699951, 0.7310585786300049]
op softmax[axis = -1](x: T[..s]) =
    let top = max[axis, keep](x)
    let e = exp(x - stop_gradient(where(isfinite(top), top, 0)))
    let total = sum[axis, keep](e)
    in e / where(total == 0, 1, total)

# The logarithm of softmax.
#     log_softmax([0.0, 1000.0]) is [-1000.0, 0.0]
op log_softmax[axis = -1](x: T[..s]) =
    let top = max[axis, keep](x)
    let z = x - where(isfinite(top), top, 0)
    in z - log(sum[axis, keep](exp(z)))

# The last axis brought to mean 0 and variance 1, times a gain, and a bias.
#     layer_norm({gain = [1.0, 1.0], bias = [0.0, 0.0]}, [1.0, 3.0]) is [-0.9999950000374997, 0.9999950000374997]
op layer_norm(p: {gain: T[d], bias: T[d]}, x: T[..s, d], eps = 1e-5) =
    let z = x - mean[-1, keep](x)
    in z / sqrt(mean[-1, keep](z^2) + eps) * p.gain + p.bias

# The last axis over the root of its mean square, times a gain.
#     rms_norm([1.0, 1.0], [3.0, 4.0]) is [0.8485277980128058, 1.1313703973504077]
op rms_norm(gain: T[d], x: T[..s, d], eps = 1e-5) = x / sqrt(mean[-1, keep](x^2) + eps) * gain

# ---- losses

# From logits and a label, or a row of labels for a matrix of logits: the negative logarithm of its probability.
#     cross_entropy([[1.0, 2.0], [0.0, 3.0]], [1, 0]) is [0.31326168751822286, 3.048587351573742]
fn cross_entropy(z: T[..s, c], label) =
    if rank(z) == 1 then logsumexp(z) - z[label] else -sum[-1](one_hot[c, T](label)*log_softmax(z))

# From logits and probabilities (a one-hot row, or softer).
#     soft_cross_entropy([1.0, 2.0], [0.5, 0.5]) is 0.8132616875182228
fn soft_cross_entropy(z: T[..s, c], p) = -sum[-1](p*log_softmax(z))

# From a logit and a target in [0, 1].
#     binary_cross_entropy(2.0, 1) is 0.1269280110429725
fn binary_cross_entropy(z, y) = softplus(z) - y*z

# The mean squared difference.
#     mse([1.0, 2.0], [1.0, 4.0]) is 2.0
fn mse(a, b) = mean((a - b)^2)

# Quadratic within delta of 0, linear outside.
#     huber([0.5, 3.0]) is [0.125, 2.5]
fn huber(r, delta = 1) =
    let a = abs(r)
    in where(a <= delta, r^2/2, delta*(a - delta/2))

# ---- chance

# Standard normal numbers, as many as x has elements and of its type.
#     normal_like([0.0, 0.0], key(1)) is [-0.4138978146527072, -0.8811635467900175]
fn normal_like(x: T[..s], k: key) = normal[T[..s]](k)

# Zero with probability rate, the rest scaled so that the mean stays.
#     dropout([1.0, 1.0, 1.0, 1.0], 0.5, key(1)) is [2.0, 2.0, 0.0, 2.0]
fn dropout(x: T[..s], rate, k: key) = where(uniform[T[..s]](k) < rate, 0, x/(1 - rate))

# A number of each row of logits, with the probabilities of softmax: the largest logit with Gumbel noise.  In f16 and
# bf16 the noise would be rounded away.
#     categorical([[0.0, 9.0], [9.0, 0.0]], key(1)) is [1, 0]
fn categorical(z: T[..s], k: key) =
    let wide = mean_sum_type(z)(z) in argmax[-1](wide - log(exponential[typeof(wide)](k)))

# 0, 1, ..., n - 1 in an order drawn from all alike: sorted by random numbers, and equal ones by further random numbers.
#     permutation[5](key(1)) is [4, 2, 1, 0, 3]
fn permutation[n](k: key) =
    let first = get[1](top_k[n](uniform[f64[n]](k[0])))
    in first[get[1](top_k[n](uniform[f64[n]](k[1])[first]))]
