#!/usr/bin/env python3
"""Derives the polynomials of src/math: minimax in 50 digits, rounded one coefficient after another.

    minimax.py NAME...   prints the coefficients of the named polynomials, lowest power first, and the bound of the error
    minimax.py           of all; `minimax.py --list` the names

A polynomial sum c[i]*x^power[i] approximates f on [from, to]; its error, times weight(x), is least in the largest
absolute value.  After the fit the first coefficient is rounded to the format, the rest are fitted anew to what
remains, and so on.  The bound is that of the rounded polynomial, evaluated exactly, as a power of two.
tools/check_constants.py finds the coefficients in src/math.
Needs mpmath.
"""
import sys

import mpmath as mp

DIGITS = 50
mp.mp.dps = DIGITS
POINTS = 12         # of the grid, for each coefficient
STEPS = 12          # of the iteration


def nearest(x, bits):
    """x rounded to so many bits, as Python's own float."""
    if x == 0:
        return mp.mpf(0)
    m, e = mp.frexp(x)
    return mp.ldexp(mp.nint(mp.ldexp(m, bits)), e - bits)


def least(xs, values, weights, powers):
    """Coefficients of the polynomial on the points xs whose largest weighted error is least (C. L. Lawson's
    reweighted least squares; unlike Remez's exchange it bears powers that vanish inside the interval)."""
    n, rows = len(powers), range(len(xs))
    basis = [[w*x**p for p in powers] for x, w in zip(xs, weights)]
    wanted = [v*w for v, w in zip(values, weights)]
    shares, best, found = [mp.mpf(1)]*len(xs), None, None
    for _ in range(STEPS):
        a, b = mp.matrix(n, n), mp.matrix(n, 1)
        for j in range(n):
            column = [shares[i]*basis[i][j] for i in rows]
            b[j] = mp.fdot(column, wanted)
            for k in range(j, n):
                a[j, k] = a[k, j] = mp.fdot(column, (basis[i][k] for i in rows))
        c = list(mp.lu_solve(a, b))
        error = [abs(mp.fdot(c, basis[i]) - wanted[i]) for i in rows]
        if best is None or max(error) < best:
            best, found = max(error), c
        shares = [s*e for s, e in zip(shares, error)]
        mean = mp.fsum(shares)/len(shares)
        if mean == 0:
            break
        shares = [s/mean for s in shares]
    return found


def fit(f, lo, hi, powers, bits, weight, fixed=()):
    """(rounded coefficients, largest weighted error); `fixed` gives the first ones."""
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    n = POINTS*len(powers)
    xs = [(lo + hi)/2 + (hi - lo)/2*mp.cos(mp.pi*(i + mp.mpf(1)/2)/n) for i in range(n)]
    target, weights = [f(x) for x in xs], [weight(x) for x in xs]
    left, done, rest = list(target), [mp.mpf(c) for c in fixed], list(powers)
    for c in done:
        p = rest.pop(0)
        left = [v - c*x**p for v, x in zip(left, xs)]
    while rest:
        c = nearest(least(xs, left, weights, rest)[0], bits)
        p = rest.pop(0)
        done.append(c)
        left = [v - c*x**p for v, x in zip(left, xs)]
    return done, max(abs(v*w) for v, w in zip(left, weights))


def quotient(f, hi, n, d):
    """(numerator, denominator, largest relative error) of the quotient of polynomials of the degrees n and d, both 1 at
    0, for f with f(0) = 1 on [0, hi]: the linear problem n(z) - f(z)*d(z), divided by the last d, reweighted."""
    count = 10*POINTS
    zs = [hi/2*(1 + mp.cos(mp.pi*(i + mp.mpf(1)/2)/count)) for i in range(count)]
    values, last, shares, best = [f(z) for z in zs], [mp.mpf(1)]*count, [mp.mpf(1)]*count, None
    for _ in range(5*STEPS):
        scales = [mp.sqrt(s)/(q*v) for s, q, v in zip(shares, last, values)]
        rows = [[s*z**(j + 1) for j in range(n)] + [-s*v*z**(j + 1) for j in range(d)]
                for s, z, v in zip(scales, zs, values)]
        c = list(mp.lu_solve(mp.matrix(rows), mp.matrix([s*(v - 1) for s, v in zip(scales, values)])))
        top, below = [mp.mpf(1)] + c[:n], [mp.mpf(1)] + c[n:]
        last = [mp.polyval(below[::-1], z) for z in zs]
        errors = [abs(mp.polyval(top[::-1], z)/(q*v) - 1) for z, q, v in zip(zs, last, values)]
        worst = max(errors)
        if best is None or worst < best[2]:
            best = top, below, worst
        shares = [s*(e/worst + mp.mpf(1)/10**6) for s, e in zip(shares, errors)]
        total = mp.fsum(shares)
        shares = [s/total for s in shares]
    return best


def one(_):
    return mp.mpf(1)


HALF_LN2 = mp.log(2)/2*(1 + mp.mpf(2)**-12)
ROOT_LO, ROOT_HI = mp.sqrt(mp.mpf(1)/2)*(1 - mp.mpf(2)**-20) - 1, mp.sqrt(mp.mpf(2))*(1 + mp.mpf(2)**-20) - 1
ROOT_S = (3 - 2*mp.sqrt(mp.mpf(2)))*(1 + mp.mpf(2)**-20)


def exp_tail(x):
    return mp.fsum(x**k/mp.factorial(k + 2) for k in range(30))


def log_tail(x):
    """(log(1 + x) - x)/x^2"""
    return (mp.log1p(x) - x)/x**2 if abs(x) > mp.mpf("1e-10") else -mp.mpf(1)/2 + x/3 - x*x/4


def atanh_tail(z):
    """(2 atanh(s) - 2s)/s^3 for z = s^2"""
    return mp.fsum(2*z**k/(2*k + 3) for k in range(60))


def sinpi_tail(z):
    """(sin(pi*f)/f - pi)/z for z = f^2"""
    return mp.fsum((-1)**(k + 1)*mp.pi**(2*k + 3)*z**k/mp.factorial(2*k + 3) for k in range(25))


def asin_tail(z):
    """(asin s - s)/s^3"""
    if z < mp.mpf("1e-12"):
        return mp.mpf(1)/6 + 3*z/40
    s = mp.sqrt(z)
    return (mp.asin(s) - s)/s**3


def atan_tail(z):
    """(atan t - t)/t^3"""
    if z < mp.mpf("1e-12"):
        return -mp.mpf(1)/3 + z/5
    s = mp.sqrt(z)
    return (mp.atan(s) - s)/s**3


def pow_tail(base):
    """(base^x - 1)/x"""
    rate = mp.log(base)
    return lambda x: mp.fsum(rate**(k + 1)*x**k/mp.factorial(k + 1) for k in range(40))


def sinh_tail(z):
    """(sinh r - r)/r^3 for z = r^2; of -z, negative, that of the sine"""
    return mp.fsum(z**k/mp.factorial(2*k + 3) for k in range(25))


def cosh_tail(z):
    """(cosh r - 1)/z for z = r^2"""
    return mp.fsum(z**k/mp.factorial(2*k + 2) for k in range(25))


def cos_factor(z):
    """cos r/(pi^2/4 - z) for z = r^2"""
    left = mp.pi**2/4 - z
    return mp.cos(mp.sqrt(z))/left if abs(left) > mp.mpf("1e-20") else 1/mp.pi


def sinpi_factor(z):
    """sin(pi*f)/f for z = f^2"""
    return mp.pi + z*sinpi_tail(z)


def tanh_tail(z):
    """(tanh r - r)/r^3"""
    if z < mp.mpf("1e-10"):
        return -mp.mpf(1)/3 + 2*z/15
    r = mp.sqrt(z)
    return (mp.tanh(r) - r)/r**3


def cos_tail(z):
    """(cos r - 1 + z/2)/z^2 for z = r^2"""
    return mp.fsum((-1)**k*z**k/mp.factorial(2*k + 4) for k in range(25))


def tan_tail(z):
    """(tan r - r)/r^3"""
    if z < mp.mpf("1e-12"):
        return mp.mpf(1)/3 + 2*z/15
    s = mp.sqrt(z)
    return (mp.tan(s) - s)/s**3


def log2_tail(z):
    """log2((1 + s)/(1 - s))/s"""
    return mp.fsum(2*z**k/(2*k + 1) for k in range(60))/mp.log(2)


def erfcx_scaled(u):
    """e^(x^2)*erfc(x)/t for t = u + 1/2 = 1/(1 + 3x/8)"""
    t = u + mp.mpf(1)/2
    x = (1/t - 1)*8/3
    return mp.exp(x*x)*mp.erfc(x)/t


QUARTER_PI = mp.pi/4*(1 + mp.mpf(2)**-10)
LN2_SQUARE = (mp.log(2)/2*(1 + mp.mpf(2)**-10))**2
HALF_PI_SQUARE = (mp.pi/2)**2*mp.mpf("1.0001")
LOW, HIGH = mp.log(mp.mpf(3)/4), mp.log(mp.mpf(3)/2)
LN10 = mp.log(10)

# name: f, from, to, number of coefficients, bits, weight, first coefficients
TABLE = {
    "exp_f32": (exp_tail, -HALF_LN2, HALF_LN2, 5, 24, lambda x: x*x/mp.exp(x), [0.5]),
    "exp_f64": (exp_tail, -HALF_LN2, HALF_LN2, 11, 53, lambda x: x*x/mp.exp(x), [0.5]),
    "exp2_f32": (pow_tail(2), -0.5, 0.5, 6, 24, abs, []),
    "exp2_f64": (pow_tail(2), -0.5, 0.5, 11, 53, abs, []),
    "exp2_for_f32": (pow_tail(2), -0.5, 0.5, 6, 53, abs, []),
    "exp2_short": (pow_tail(2), -0.5, 0.5, 7, 53, abs, []),
    "exp_short_f32": (exp_tail, LOW*1.003, HIGH*1.003, 5, 24, lambda x: x*x/mp.exp(x), []),
    "expm1_f32": (exp_tail, LOW*1.0005, HIGH*1.0005, 5, 24, lambda x: x*x/mp.exp(x), [0.5]),
    "exp10_f32": (pow_tail(10), LOW/LN10*1.003, HIGH/LN10*1.003, 6, 24, lambda x: abs(x)/mp.exp(x*LN10), []),
    "exp_short_f64": (exp_tail, LOW*1.01, HIGH*1.005, 10, 53, lambda x: x*x/mp.exp(x), [0.5]),
    "exp10_f64": (pow_tail(10), LOW/LN10*1.01, HIGH/LN10*1.005, 11, 53, lambda x: abs(x)/mp.exp(x*LN10), []),
    "log_f32": (log_tail, ROOT_LO, ROOT_HI, 9, 24, lambda x: abs(x) + mp.mpf(2)**-30, [-0.5]),
    "log2_f32": (lambda x: log_tail(x)/mp.log(2), ROOT_LO, ROOT_HI, 10, 24, lambda x: abs(x) + mp.mpf(2)**-30, []),
    "log10_f32": (lambda x: log_tail(x)/mp.log(10), ROOT_LO, ROOT_HI, 10, 24, lambda x: abs(x) + mp.mpf(2)**-30, []),
    "log_f64": (atanh_tail, 0, ROOT_S**2, 7, 53, lambda z: z, []),
    "atanh_f64": (atanh_tail, 0, mp.mpf("0.0401"), 8, 53, lambda z: z, []),
    "sinh_f64": (sinh_tail, 0, LN2_SQUARE, 6, 53, lambda z: z, []),
    "cosh_f64": (cosh_tail, 0, LN2_SQUARE, 6, 53, lambda z: z, [0.5]),
    "sin_f64": (lambda z: -sinh_tail(-z), 0, QUARTER_PI**2, 6, 53, lambda z: z, []),
    "cos_f64": (cos_tail, 0, QUARTER_PI**2, 6, 53, lambda z: z*z, []),
    "tan_f64": (tan_tail, 0, QUARTER_PI**2, 15, 53, lambda z: z, []),
    "rcbrt_f64": (lambda e: (1 - e)**(-mp.mpf(1)/3), -mp.mpf("0.1028"), mp.mpf("0.1028"), 7, 53, one, [1]),
    "log2_for_f32": (log2_tail, 0, ROOT_S**2, 5, 53, one, []),
    "sin_for_f32": (lambda z: -sinh_tail(-z), 0, HALF_PI_SQUARE, 4, 53, lambda z: z/(1 - z*sinh_tail(-z)), []),
    "cos_for_f32": (cos_factor, 0, HALF_PI_SQUARE, 5, 53, lambda z: 1/cos_factor(z), []),
    "sinpi_for_f32": (sinpi_factor, 0, 0.25, 5, 53, lambda z: 1/sinpi_factor(z), []),
    "sinh_f32": (sinh_tail, 0, mp.mpf("0.4075")**2, 3, 24, lambda z: z, []),
    "cosh_f32": (cosh_tail, 0, mp.mpf("0.4075")**2, 3, 24, lambda z: z, [0.5]),
    "tanh_f32": (tanh_tail, 0, 1, 7, 24, lambda z: z/(1 + z*tanh_tail(z)), []),
    "erfc_f32": (erfcx_scaled, 1/(1 + mp.mpf("10.1")*3/8) - 0.5, 0.3, 10, 24, lambda t: 1/erfcx_scaled(t), []),
    "asin_f32": (asin_tail, 0, 0.25, 5, 24, lambda z: z, []),
    "atan_f32": (atan_tail, 0, 1, 9, 24, lambda z: z, []),
    "asin_f64": (asin_tail, 0, 0.25, 13, 53, lambda z: z, []),
    "atan_f64": (atan_tail, 0, 1, 20, 53, lambda z: z, []),
}

# name: f, to, degrees of numerator and denominator
QUOTIENTS = {
    "tan_for_f32": (lambda z: mp.tan(mp.sqrt(z))/mp.sqrt(z), (mp.pi/4 + mp.mpf("0.0176"))**2, 1, 2),
}


def derive(name):
    """(lists of coefficients, lowest power first; largest weighted error): one list, of a quotient two."""
    if name in QUOTIENTS:
        top, below, error = quotient(*QUOTIENTS[name])
        return [top, below], error
    f, lo, hi, count, bits, weight, fixed = TABLE[name]
    c, error = fit(f, lo, hi, list(range(count)), bits, weight, fixed)
    return [c], error


def asked(args, names, doc):
    """The names that a command asks for; prints the list or the text, or says what is wrong, and ends."""
    wrong = [a for a in args if a not in names]
    if args == ["--list"]:
        print("\n".join(names))
    elif wrong:
        sys.exit(doc.strip() if wrong[0] in ("-h", "--help") else "there is no set called %s; --list names them" % wrong[0])
    return [] if wrong else args or names


def main(args):
    for name in asked(args, [*TABLE, *QUOTIENTS], __doc__):
        lists, error = derive(name)
        print("%s: error below 2^%.1f" % (name, mp.log(error, 2)))
        for part, c in zip(("over", "under") if name in QUOTIENTS else ("",), lists):
            for p, v in enumerate(c):
                print("    %s x^%-3d %s" % (part, p, float(v).hex().replace("0000000p", "p").replace("00000p", "p")))


if __name__ == "__main__":
    main(sys.argv[1:])
