#!/usr/bin/env python3
"""Derives the polynomials of the special functions (src/math/erf.h, gamma.h, bessel.h), of normal_f32's sine and
cosine and of the logarithm in two doubles.

    chebyshev.py NAME...   prints the named ones as lines of C, highest power first, and the bound of their error
    chebyshev.py           all; `chebyshev.py --list` the names

Interpolation at Chebyshev's points in 60 digits, expanded in powers, each coefficient rounded to the format (24 or 53
bits).  The bound is the largest error of the rounded polynomial, evaluated exactly on 1,000 points, relative to the
function plus `base`, as a power of two.  tools/check_constants.py finds the coefficients in src/math.
Needs mpmath (Debian: python3-mpmath).
"""
import sys

import mpmath as mp

from minimax import asked, cos_tail, nearest, sinh_tail

DIGITS = 60
mp.mp.dps = DIGITS


def expand(f, lo, hi, degree):
    """Coefficients in powers of x, lowest first, of the polynomial through f at Chebyshev's points of [lo, hi]."""
    n, mid, half = degree + 1, (lo + hi)/2, (hi - lo)/2
    xs = [mp.cos(mp.pi*(i + mp.mpf(1)/2)/n) for i in range(n)]
    ys = [f(mid + half*x) for x in xs]
    c = [2*mp.fsum(y*mp.cos(mp.pi*j*(i + mp.mpf(1)/2)/n) for i, y in enumerate(ys))/n for j in range(n)]
    c[0] /= 2
    older, newer = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]       # T_0 and T_1 in powers of u
    total = [mp.mpf(0)]*n
    for j in range(n):
        for i, t in enumerate(older):
            total[i] += c[j]*t
        newest = [mp.mpf(0)] + [2*t for t in newer]
        for i, t in enumerate(older):
            newest[i] -= t
        older, newer = newer, newest
    out = [mp.mpf(0)]*n                                      # u = (x - mid)/half
    for j, t in enumerate(total):
        for i in range(j + 1):
            out[i] += t*mp.binomial(j, i)*(-mid)**(j - i)/half**j
    return out


def erf_tail(z):
    """erf(x)/x - 1 for z = x^2"""
    if z < mp.mpf("1e-20"):
        return 2/mp.sqrt(mp.pi)*(1 - z/3) - 1
    x = mp.sqrt(z)
    return mp.erf(x)/x - 1


def erfcx_smooth(t):
    """e^(x^2)*erfc(x)*(1 + 2x) for t = (x - 4)/(x + 4)"""
    if t >= 1:
        return 2/mp.sqrt(mp.pi)
    x = 4*(1 + t)/(1 - t)
    if x < 100:
        return mp.exp(x*x)*mp.erfc(x)*(1 + 2*x)
    total, term = mp.mpf(1), mp.mpf(1)
    for k in range(1, 40):
        term *= -(2*k - 1)/(2*x*x)
        total += term
    return total/(x*mp.sqrt(mp.pi))*(1 + 2*x)


def bessel_near(order):
    """I(x)/(x/2)^order for z = x^2/4"""
    return lambda z: mp.fsum(z**k/(mp.factorial(k)*mp.factorial(k + order)) for k in range(80))


def bessel_far(order):
    """sqrt(x)*e^-x*I(x) for u = 16/x - 1"""
    def f(u):
        if u <= -1:
            return 1/mp.sqrt(2*mp.pi)
        x = 16/(1 + u)
        if x < 300:
            return mp.sqrt(x)*mp.exp(-x)*mp.besseli(order, x)
        total, term = mp.mpf(1), mp.mpf(1)
        for k in range(1, 60):
            term *= mp.mpf((2*k - 1)**2 - 4*order)/(8*k*x)
            total += term
        return total/mp.sqrt(2*mp.pi)
    return f


def lgamma_zeros(u):
    """lgamma(x)/((x - 1)*(x - 2)) for u = x - 3/2"""
    if abs(abs(u) - mp.mpf(1)/2) < mp.mpf("1e-25"):
        return mp.euler if u < 0 else 1 - mp.euler
    return mp.loggamma(u + mp.mpf(3)/2)/(u*u - mp.mpf(1)/4)


def stirling_rest(s):
    """z*(log Gamma(z) - (z - 1/2)*log z + z - log(2 pi)/2) for s = 1/z^2"""
    if s < mp.mpf("1e-4"):
        return mp.fsum(mp.bernoulli(2*k)/(2*k*(2*k - 1))*s**(k - 1) for k in range(1, 15))
    z = 1/mp.sqrt(s)
    return z*(mp.loggamma(z) - (z - mp.mpf(1)/2)*mp.log(z) + z - mp.log(2*mp.pi)/2)


def digamma_rest(s):
    """z^2*(log z - 1/(2z) - digamma(z)) for s = 1/z^2"""
    if s < mp.mpf("1e-4"):
        return mp.fsum(mp.bernoulli(2*k)/(2*k)*s**(k - 1) for k in range(1, 15))
    z = 1/mp.sqrt(s)
    return z*z*(mp.log(z) - 1/(2*z) - mp.digamma(z))


def trigamma_rest(s):
    """z^3*(trigamma(z) - 1/z - 1/(2z^2)) for s = 1/z^2"""
    if s < mp.mpf("1e-4"):
        return mp.fsum(mp.bernoulli(2*k)*s**(k - 1) for k in range(1, 15))
    z = 1/mp.sqrt(s)
    return z**3*(mp.psi(1, z) - 1/z - 1/(2*z*z))


def sinpi_tail(z):
    """(sin(pi*d)/(pi*d) - 1)/d^2 for z = d^2"""
    return mp.fsum((-1)**k*mp.pi**(2*k)*z**(k - 1)/mp.factorial(2*k + 1) for k in range(1, 25))


def minus_log_erfc(c):
    """-log erfc(c/2)"""
    return -mp.log(mp.erfc(c/2))


def erfinv_scaled(w):
    """erfinv(x)/x for w = -log(1 - x^2)"""
    x = mp.sqrt(-mp.expm1(-w))
    if w < 5:
        return mp.erfinv(x)/x
    tail = mp.log(mp.exp(-w)/(1 + x))                        # the logarithm of 1 - x
    return mp.findroot(lambda y: mp.log(mp.erfc(y)) - tail, mp.sqrt(w) - mp.mpf(1)/2)/x


def log_two_tail(z):
    """(log((2 + s)/(2 - s)) - s - s^3/12)/s^5 for z = s^2"""
    return mp.fsum(z**k/((2*k + 5)*mp.mpf(4)**(k + 2)) for k in range(60))


QUARTER_PI_SQUARE = (mp.mpf("1.01")*mp.pi/4)**2
ROOT_S_SQUARE = (6 - 4*mp.sqrt(2))**2*mp.mpf("1.001")

# name: f, from, to, degree, base, bits.  Some intervals begin a little beside the place where f is a limit.
TABLE = {
    "erf": (erf_tail, mp.mpf("1e-10"), mp.mpf("0.81"), 13, 1),
    "erf_f32": (erf_tail, mp.mpf(0), mp.mpf("0.81"), 6, 1, 24),
    "erf_far_f32": (minus_log_erfc, mp.mpf("1.8"), mp.mpf(8), 9, 0, 24),
    "erfinv_near": (lambda u: erfinv_scaled(u + mp.mpf("2.5")), mp.mpf("-2.4999"), mp.mpf("2.5"), 9, 0),
    "erfinv_far": (lambda u: erfinv_scaled((u + 4)**2), mp.sqrt(5) - 4, mp.mpf("2.2"), 9, 0),
    "erfcx": (erfcx_smooth, mp.mpf(-1), mp.mpf(1), 25, 0),
    "lgamma": (lgamma_zeros, mp.mpf("-0.7"), mp.mpf("0.75"), 27, 0),
    "lgamma_for_f32": (lgamma_zeros, mp.mpf("-0.7"), mp.mpf("0.75"), 13, 0),
    "stirling": (stirling_rest, mp.mpf(0), 1/mp.mpf("3.25")**2, 10, 0),
    "stirling_for_f32": (stirling_rest, mp.mpf(0), 1/mp.mpf("3.25")**2, 3, 0),
    "sinpi": (sinpi_tail, mp.mpf(0), mp.mpf("0.25"), 7, 0),
    "sinpi_for_f32": (sinpi_tail, mp.mpf(0), mp.mpf("0.25"), 4, 0),
    "digamma": (digamma_rest, mp.mpf(0), mp.mpf(1)/16, 10, 0),
    "trigamma": (trigamma_rest, mp.mpf(0), mp.mpf(1)/16, 11, 0),
    "i0_near": (bessel_near(0), mp.mpf(0), mp.mpf(16), 19, 0),
    "i1_near": (bessel_near(1), mp.mpf(0), mp.mpf(16), 19, 0),
    "i0_far": (bessel_far(0), mp.mpf(-1), mp.mpf(1), 25, 0),
    "i1_far": (bessel_far(1), mp.mpf(-1), mp.mpf(1), 25, 0),
    "log_two": (log_two_tail, mp.mpf("4e-9"), ROOT_S_SQUARE, 7, 0),
    "sin_f32": (lambda z: -sinh_tail(-z), mp.mpf(0), QUARTER_PI_SQUARE, 3, 0, 24),
    "cos_f32": (cos_tail, mp.mpf(0), QUARTER_PI_SQUARE, 3, 0, 24),
}


def derive(name):
    """(coefficients, lowest power first; what rounding took from the first; largest error) of a row of the table."""
    f, lo, hi, degree, base, bits = (TABLE[name] + (53,))[:6]
    exact = expand(f, lo, hi, degree)
    c = [nearest(v, bits) for v in exact]
    points = [lo + (hi - lo)*i/1000 for i in range(1001)]
    return c, nearest(exact[0] - c[0], bits), max(abs((mp.polyval(c[::-1], x) - f(x))/(f(x) + base)) for x in points)


def main(args):
    for name in asked(args, [*TABLE], __doc__):
        c, rest, worst = derive(name)
        print("%s: error below 2^%.1f" % (name, mp.log(worst, 2)))
        for v in c[::-1]:
            print("\t%s" % float(v).hex())
        print("\tthe last continues with %s" % float(rest).hex())


if __name__ == "__main__":
    main(sys.argv[1:])
