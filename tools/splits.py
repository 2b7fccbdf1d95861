#!/usr/bin/env python3
"""Derives the constants of src/math that belong to no polynomial: mathematical constants in parts whose sum is good to
more than one number's digits, the digits of 2/pi, and the numbers that turn bits into guesses of roots.

    splits.py NAME...   prints the parts of the named constants, and the relative error of their sum
    splits.py           all; `splits.py --list` the names

A part has so many bits: rounded to nearest, or cut where a minus stands before the number of bits.  Short first parts are
made so that whole multiples of them are exact.
Needs mpmath.
"""
import math
import sys

import mpmath as mp

from minimax import asked, nearest

DIGITS = 400                    # 2/pi to 1,200 bits
mp.mp.dps = DIGITS


def cut(x, bits):
    """x cut towards 0 to so many bits."""
    m, e = mp.frexp(x)
    return mp.ldexp(mp.floor(mp.ldexp(abs(m), bits)), e - bits)*mp.sign(x)


def parts(x, bits):
    """Numbers of so many bits each whose sum approaches x."""
    found = []
    for b in bits:
        found.append(nearest(x, b) if b > 0 else cut(x, -b))
        x -= found[-1]
    return found


def without_multiples(x, unit):
    return x - unit*mp.floor(x/unit)


LN2, LN10, PI, ROOT_HALF = mp.log(2), mp.log(10), +mp.pi, mp.sqrt(mp.mpf(1)/2)
GELU = mp.sqrt(8/PI)
PI_F32 = nearest(PI, 24)

# name: constant, bits of its parts
TABLE = {
    "ln2_f32": (LN2, (15, 24)),                        # times a whole number below 2^9 the first is exact
    "ln2_whole_f32": (LN2, (24, 24)),
    "ln2_f64": (LN2, (-32, 53)),                       # below 2^21
    "ln2_whole_f64": (LN2, (53, 53)),
    "log2_e_f32": (1/LN2, (24, 24)),
    "log2_e_f64": (1/LN2, (53, 53)),
    "log10_2_f32": (LN2/LN10, (12, 24)),               # below 2^12
    "log10_2_f64": (LN2/LN10, (-32, 53)),
    "log2_10_f32": (LN10/LN2, (24,)),
    "log2_10_f64": (LN10/LN2, (53,)),
    "log10_e_f32": (1/LN10, (24, 24)),
    "log10_e_f64": (1/LN10, (53, 53)),
    "exp10_rest_f32": (LN10*nearest(LN2/LN10 - nearest(LN2/LN10, 12), 24), (24,)),
    "exp10_rest_f64": (LN10*nearest(LN2/LN10 - cut(LN2/LN10, 32), 53), (53,)),
    "60_ln2": (60*LN2, (53,)),
    "100_ln2": (100*LN2, (53,)),
    "half_log_2_pi": (mp.log(2*PI)/2, (53, 53)),
    "root_half": (ROOT_HALF, (53, 53)),
    "root_2_less_1_f32": (mp.sqrt(2) - 1, (24,)),
    "root_2_less_1_f64": (mp.sqrt(2) - 1, (53,)),
    "root_pi_half": (mp.sqrt(PI)/2, (53,)),
    "1_over_root_pi": (1/mp.sqrt(PI), (53,)),
    "gelu": (GELU, (53, 53)),
    "gelu_cubed": (GELU*mp.mpf("0.044715"), (53, 53)),
    "pi_f32": (PI, (24, 24)),
    "pi_f64": (PI, (53, 53, 53)),
    "1_over_pi": (1/PI, (53,)),
    "pi_square_quarter": (PI*PI/4, (53,)),
    "1_over_3_f32": (mp.mpf(1)/3, (24,)),
    "1_over_3_f64": (mp.mpf(1)/3, (53, 53)),
    "2_over_9": (mp.mpf(2)/9, (24,)),                  # (1 - e)^(-1/3) = 1 + e/3 + 2/9 e^2 + 14/81 e^3 + ...
    "14_over_81": (mp.mpf(14)/81, (24,)),
}
# 1/pi for f32 numbers from 2^e on, which are multiples of 2^(e - 23): without what gives multiples of 2
TABLE.update({"1_over_pi_from_2^%d" % e: (without_multiples(1/PI, mp.mpf(2)**(24 - e)), (53, 53, 53))
              for e in (48, 72, 96, 120)})

# chosen by hand: the constant and what it stands for.  atan2_f32: the rest of pi as a share of its first part; its 3 parts
# in 10,000 are 10^-4 of an ulp of the result.
GIVEN = {"pi_rest_share_f32": (float.fromhex("0x1.ddefaap-26"), (PI_F32 - PI)/PI_F32)}

# adding 1.5*2^n leaves a whole number in the low bits; with a bias, and with 0.414, by which 2^r stays within 3/4 and 3/2
ADDED = {
    "round_exp2_f32": 1.5*2**23 + 254, "round_exp2_f64": 1.5*2**52 + 2046, "round_expm1_f64": 1.5*2**52 + 1022,
    "round_sinh_f64": 1.5*2**52 + 1021, "steps_f32": 1.5*2**15 + 106/256, "steps_f64": 1.5*2**43 + 2046 + 212/512,
    "steps_whole_f64": 1.5*2**43 + 2046,
}


def digits_of_2_over_pi():
    """Word j: bits 26j + 1 to 26j + 52 of 2/pi, as a number below 1."""
    return [without_multiples(mp.floor(2/PI*mp.mpf(2)**(26*j + 52)), mp.mpf(2)**52)/mp.mpf(2)**52 for j in range(44)]


# ---- guesses of roots: the bits of a number, exponent and fraction, are nearly its logarithm ----

def nearly_log2(x):
    m, e = math.frexp(x)
    return 2*m - 1 + e - 1


def nearly_exp2(y):
    n = math.floor(y)
    return math.ldexp(1 + y - n, n)


def guess_error(k, root, factor):
    """The largest |1 - factor*c*t^root| for the guess t of (factor*c)^(-1/root) whose nearly-logarithm is k - that of c/root."""
    return max(abs(1 - factor*c*nearly_exp2(k - nearly_log2(c)/root)**root) for c in POINTS)


def best_guess(root, factor):
    """The k of the smallest error, rounded down to a multiple of 2^-10."""
    lo, hi = -2.0, 1.0
    for _ in range(60):
        a, b = lo + (hi - lo)/3, hi - (hi - lo)/3
        lo, hi = (lo, b) if guess_error(a, root, factor) < guess_error(b, root, factor) else (a, hi)
    return math.floor(1024*lo)/1024


POINTS = [1 + 7*i/4000 for i in range(4000)]
GUESS_F32 = 0x54a2fa8e          # of cbrt_f32: chosen by hand, not the best; what it is good for is printed
GUESSES = ("half_over", "rcbrt_f64", "rcbrt_f32")


def derive_guess(name):
    """(constant, largest error); that of rcbrt_f64 is met in the upper half of the bits, moved by 4/3 and 1/2 of 2^52"""
    if name == "half_over":
        k = best_guess(1, 2)
        return int((k + 2*1023)*2**52), guess_error(k, 1, 2)
    if name == "rcbrt_f64":
        k = best_guess(3, 1)
        return 2**52*11/6 + (k + 1023*4/3)*2**20, guess_error(k, 3, 1)
    return GUESS_F32, guess_error(GUESS_F32/2**23 - 127*4/3, 3, 1)


def derive(name):
    """(parts, relative error of their sum, of a guess its error, or None)"""
    if name in GUESSES:
        constant, error = derive_guess(name)
        return [constant], error
    if name in GIVEN:
        given, true = GIVEN[name]
        return [mp.mpf(given)], abs(given/true - 1)
    if name in ADDED:
        return [mp.mpf(ADDED[name])], None
    if name == "digits_of_2_over_pi":
        return digits_of_2_over_pi(), None
    x, bits = TABLE[name]
    found = parts(x, bits)
    return found, abs(mp.fsum(found)/x - 1)


NAMES = [*TABLE, *GIVEN, *ADDED, "digits_of_2_over_pi", *GUESSES]


def main(args):
    for name in asked(args, NAMES, __doc__):
        found, error = derive(name)
        print(name + (": error below 2^%.1f" % mp.log(error, 2) if error else ""))
        print("\n".join("    %s" % (hex(v) if isinstance(v, int) else float(v).hex()) for v in found))


if __name__ == "__main__":
    main(sys.argv[1:])
