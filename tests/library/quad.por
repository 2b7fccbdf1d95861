# Module quad: integrals whose values have closed forms.
use quad
use solve

# mpmath.quad
#: a=2.0 => (0.231404361712346, true) within 1e-10
fn root_and_exp(a: f64) =
    let r = quad.gauss_kronrod((x) => exp(-a*x)*sqrt(x), 0, 1)
    in (r.value, r.met)

# One part is enough for a polynomial of degree 19.
#: a=2.0 => (128, 1, true) within 1e-14
fn polynomial(a: f64) =
    let r = quad.gauss_kronrod((x) => 20*x^19, 0, a^(7/20))
    in (r.value, r.parts, r.met)

# sqrt(pi/a), 1/a, exp(a)/a, and from right to left
#native: a=2.0 => (1.2533141373155003, 0.5, 3.6945280494653251, -2) within 1e-10
#: a=0.5 => (2.5066282746310005, 2, 3.2974425414002563, -0.125) within 1e-10
fn infinite(a: f64) = (
    quad.gauss_kronrod((x) => exp(-a*x*x), -inf, inf).value,
    quad.gauss_kronrod((x) => exp(-a*x), 0, inf).value,
    quad.gauss_kronrod((x) => exp(a*x), -inf, 1).value,
    quad.gauss_kronrod((x) => x, a, 0).value)

# A peak of width 1e-4 within [-1, 1]: atan(9000) + atan(11000)
#: => (3.1413906334879036, true) within 1e-9
fn peak() =
    let r = quad.gauss_kronrod((x) => 1e-4/(1e-8 + (x - 0.1)^2), -1, 1)
    in (r.value, r.met)

# 1/x has no integral from 0
#: => (false, 50)
fn none() =
    let r = quad.gauss_kronrod[50]((x) => 1/x, 0, 1)
    in (r.met, r.parts)

# a piece beside another, chosen by a branch
#: a=0.3 => 0.74500000000000000 within 1e-10
fn pieces(a: f64) = quad.gauss_kronrod((x) => if x < a then x else 1.0, 0, 1).value

# exp(-a*b)/a: by a, by the end b, and by both
#: a=2.0 b=4.0 => (-0.00075479091278065244, -0.00033546262790251185, 0.0013418505116100474) within 1e-11
fn derivatives(a: f64, b: f64) =
    let I = (a, b) => quad.gauss_kronrod((x) => exp(-a*x), b, inf).value
    let (da, db) = grad(I(a, b), a, b)
    in (da, db, grad(grad(I(a, b), a), b))

#: a=2.0 b=4.0 => (-0.00075479091278065244, -0.00033546262790251185) within 1e-11
fn forward(a: f64, b: f64) =
    let I = (a, b) => quad.gauss_kronrod((x) => exp(-a*x), b, inf).value
    in (jvp(I(a, b), a, 1), jvp(I(a, b), b, 1))

# 2*sqrt(a), a*log(a) - a, pi/(2*sqrt(a)) and sqrt(pi/a)
#native: a=2.0 => (2.8284271247461903, -0.61370563888010937, 1.1107207345395915, 1.2533141373155003) within 1e-12
fn tanh_sinh(a: f64) = (
    quad.tanh_sinh((x) => 1/sqrt(x), 0, a).value,
    quad.tanh_sinh(log, 0, a).value,
    quad.tanh_sinh((x) => 1/(a + x^2), 0, inf).value,
    quad.tanh_sinh((x) => exp(-a*x*x), -inf, inf).value)

# At an end that is not 0, numbers are too far apart for more.
#: => (2, true) within 1e-7
fn tanh_sinh_at_one() =
    let r = quad.tanh_sinh((x) => 1/sqrt(1 - x), 0, 1, tol = 1e-7)
    in (r.value, r.met)

# -pi/4*a^-1.5 and 3*pi/8*a^-2.5
#: a=2.0 => (-0.27768018363489786, -0.27768018363489786, 0.20826013772617339) within 1e-12
fn tanh_sinh_derivatives(a: f64) =
    let I = (a) => quad.tanh_sinh((x) => 1/(a + x^2), 0, inf).value
    let d = (a) => grad(I(a), a)
    in (d(a), jvp(I(a), a, 1), grad(d(a), a))

# 1 - cos(a); its parts go with the fourth power
#: a=2.0 => (1.4161468365471424, 1.4161468365471424) within 2e-9
#: a=0.0 => (0, 0)
fn simpson(a: f64) = (quad.simpson(sin, 0, a), quad.simpson(sin, 0, a, pairs = 2000))

# exact for a cubic; its gradient are its weights
#: y='[0, 1, 8, 27, 64]' => (64, [0.33333333333333333, 1.3333333333333333, 0.66666666666666667, 1.3333333333333333, 0.33333333333333333]) within 1e-14
#: y='[1, 2, 3, 4]' => error: y
fn simpson_table(y: f64[2*n + 1]) =
    let s = quad.simpson_table(y, 1.0)
    in (s, grad(s, y))

# The end up to which the root y of y^3 + a*y = t is integrated to 0.3, and its derivatives: a root of an integral of a
# root.  In mpmath's 50 digits by 3*y^4/4 + a*y^2/2 = 0.3 at the end.
#: a=1.3 => (0.94300543967638875, 0.28867513459481288, -0.062755464042350627, 0.029064439868385451) within 1e-11
fn ends(a: f64) =
    let area = (b, a) =>
        quad.gauss_kronrod((t) => solve.newton((y) => y^3 + a*y - t, 0.5).x, 0, b, tol = 1e-13).value
    let end = (a) => solve.newton((b) => area(b, a) - 0.3, 1.0).x
    let g = (a) => grad(end(a), a)
    let h = (a) => grad(g(a), a)
    in (end(a), g(a), h(a), grad(h(a), a))

# An infinite end on the other side turns the integral round: -sqrt(pi/a), -sqrt(pi)/2, -1/a, -1/a
#: a=0.7 => (-2.1184875513271904, -0.88622692545275805, -1.4285714285714286, -1.4285714285714286) within 1e-10
fn turned_round(a: f64) = (
    quad.gauss_kronrod((x) => exp(-a*x*x), inf, -inf).value,
    quad.gauss_kronrod((x) => exp(-x*x), 0, -inf).value,
    quad.tanh_sinh((x) => exp(a*x), 0, -inf).value,
    quad.tanh_sinh((x) => exp(-a*x), inf, 0).value)
