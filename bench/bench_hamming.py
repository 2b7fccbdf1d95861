#!/usr/bin/env python3
"""Bits of error of the 28 problems on evaluating functions in R. W. Hamming, Numerical Methods for Scientists and
Engineers, chapter 3, on the domains that the benchmark suite of that name states: as written, by the books alone, and
as `porism improve` has them.  At least 20 and 25 within 2 bits, and none worse than written.  True values are mpmath's.

    bench_hamming.py [NAME...]      these problems alone
"""
import concurrent.futures
import json
import math
import os
import random
import struct
import subprocess
import sys

import binding
from table import FULL, Table, peer

POINTS = 512 if FULL else 192
WITHIN = 2.0                            # bits
BITS = 5000                             # of mpmath: in b*b - a*c there is 1e616 beside 1e-616
NEAR = "1e-16*abs(x) < eps and eps < abs(x)"
ANGLE = ["x: f64 if x >= -1e4 and x <= 1e4", "eps: f64 if eps > 0 and eps < 1e4"]
# name, expression, inputs, condition (or None)
PROBLEMS = [
    ("2sqrt", "sqrt(x + 1) - sqrt(x)", ["x: f64 if x > 1 and x < 1e100"], None),
    ("2isqrt", "1/sqrt(x) - 1/sqrt(x + 1)", ["x: f64 if x > 1 and x < 1e100"], None),
    ("2frac", "1/(x + 1) - 1/x", ["x: f64"], None),
    ("3frac", "1/(x + 1) - 2/x + 1/(x - 1)", ["x: f64"], None),
    ("2cbrt", "cbrt(x + 1) - cbrt(x)", ["x: f64 if x >= -1e5 and x <= 1e5"], None),
    ("2log", "log(x + 1) - log(x)", ["x: f64 if x > 1 and x < 1e40"], None),
    ("exp2", "exp(x) - 2 + exp(-x)", ["x: f64 if x >= -710 and x <= 710"], None),
    ("2sin", "sin(x + eps) - sin(x)", ANGLE, NEAR),
    ("2cos", "cos(x + eps) - cos(x)", ANGLE, NEAR),
    ("2tan", "tan(x + eps) - tan(x)", ANGLE, NEAR),
    ("tanhf", "(1 - cos(x))/sin(x)", ["x: f64"], None),
    ("2atan", "atan(x + 1) - atan(x)", ["x: f64 if x > 1 and x < 1e100"], None),
    ("sintan", "(x - sin(x))/(x - tan(x))", ["x: f64 if x >= -1e5 and x <= 1e5"], None),
    ("expm1", "exp(x) - 1", ["x: f64 if x >= -0.5 and x <= 0.5"], None),
    ("logs", "(n + 1)*log(n + 1) - n*log(n) - 1", ["n: f64 if n > 6.8e15"], None),
    ("invcot", "1/x - 1/tan(x)", ["x: f64 if x > -0.026 and x < 0.026"], None),
    ("qlog", "log(1 - x)/log(1 + x)", ["x: f64 if x >= -0.5 and x <= 0.5"], None),
    ("cos2", "(1 - cos(x))/(x*x)", ["x: f64"], None),
    ("expq3", "eps*(exp((a + b)*eps) - 1)/((exp(a*eps) - 1)*(exp(b*eps) - 1))",
     ["a: f64 if a >= -710 and a <= 710", "b: f64 if b >= -710 and b <= 710", "eps: f64 if eps > 0 and eps <= 710"],
     "a <= b and 1e-27*abs(a) <= eps and eps <= abs(a)"),
    ("logq", "log((1 - eps)/(1 + eps))", ["eps: f64 if eps > -1 and eps < 1"], None),
    ("sqrtexp", "sqrt((exp(2*x) - 1)/(exp(x) - 1))", ["x: f64"], None),
    ("2nthrt", "(x + 1)^(1/n) - x^(1/n)", ["x: f64 if x > 0", "n: f64"], None),
    ("expax", "exp(a*x) - 1", ["a: f64", "x: f64"], None),
    ("expq2", "exp(x)/(exp(x) - 1)", ["x: f64"], None),
    ("quadp", "(-b + sqrt(b*b - 4*(a*c)))/(2*a)", ["a: f64", "b: f64", "c: f64"], None),
    ("quadm", "(-b - sqrt(b*b - 4*(a*c)))/(2*a)", ["a: f64", "b: f64", "c: f64"], None),
    ("quad2p", "(-b + sqrt(b*b - a*c))/a", ["a: f64", "b: f64", "c: f64"], None),
    ("quad2m", "(-b - sqrt(b*b - a*c))/a", ["a: f64", "b: f64", "c: f64"], None),
]
PORISM = os.path.join(binding.BUILD, "porism")


# ---- numbers ------------------------------------------------------------------------------------------------------

def place(x):
    """Of a number among all, in order."""
    bits = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & (1 << 63) - 1)


def number_at(p):
    return struct.unpack("<d", struct.pack("<q", p))[0] if p >= 0 else -struct.unpack("<d", struct.pack("<q", -p))[0]


def bits_of_error(x, truth):
    return 64.0 if math.isnan(x) else math.log2(1 + abs(place(x) - place(truth)))


def bounds(declared):
    """The ends of `x: f64 if x > 1 and x < 1e100`, as places."""
    low, high = place(-sys.float_info.max), place(sys.float_info.max)
    for part in declared.partition(" if ")[2].split(" and ") if " if " in declared else []:
        _, sign, number = part.split()
        if sign[0] == ">":
            low = place(float(number)) + (sign == ">")
        else:
            high = place(float(number)) - (sign == "<")
    return low, high


def names(problem):
    return [d.partition(":")[0] for d in problem[2]]


class Truths:
    """mpmath, and what the notation calls its functions."""
    def __init__(self):
        import mpmath
        self.mp = mpmath.mp.clone()
        self.mp.prec = BITS
        self.scope = {f: getattr(self.mp, f) for f in "sqrt cbrt exp log sin cos tan atan".split()}

    def at(self, problem, point):
        """The f64 number nearest to the true value; None: there is none."""
        scope = dict(self.scope, **{k: self.mp.mpf(v) for k, v in zip(names(problem), point)})
        if problem[0] == "2cbrt":                   # mpmath's are complex below 0
            scope["cbrt"] = lambda x: -self.mp.cbrt(-x) if x < 0 else self.mp.cbrt(x)
        try:
            value = eval(problem[1].replace("^", "**"), {}, scope)      # pylint: disable=eval-used
        except (ZeroDivisionError, ValueError, OverflowError, MemoryError):
            return None
        if not isinstance(value, self.mp.mpf) or not self.mp.isfinite(value) or abs(value) > sys.float_info.max:
            return None
        return float(value)


def points(problem, truths):
    """Values of the inputs uniform over all numbers, and the true values there."""
    draw, found = random.Random("hamming " + problem[0]), []
    spans = [bounds(d) for d in problem[2]]
    for _ in range(POINTS*400):
        point = [number_at(draw.randint(*s)) for s in spans]
        inside = not problem[3] or eval(problem[3], {"abs": abs}, dict(zip(names(problem), point)))  # pylint: disable=eval-used
        if not inside or any(f in problem[1] for f in ("exp", "^")) and too_large(problem, point):
            continue
        truth = truths.at(problem, point)
        if truth is not None:
            found.append((point, truth))
        if len(found) == POINTS:
            break
    return found


def too_large(problem, point):
    """Exponents past those of any number, which mpmath would work out all the same."""
    v = dict(zip(names(problem), point))
    if "a" in v and "x" in v:
        return v["a"]*v["x"] > 710
    if "^" in problem[1]:
        return abs(math.log(v["x"])/v["n"] if v["n"] else 1e9) > 1e4 or abs(math.log1p(v["x"])) > 1e4*abs(v["n"])
    return any(v[k] > 710 for k in ("x",) if k in v)


# ---- what is measured -----------------------------------------------------------------------------------------------

def measured(problem, text, found, no_rules):
    """The mean error of an expression as a program computes it for all points at once."""
    params = ", ".join(d.replace("f64", "f64[points]", 1) for d in problem[2])
    program = Scalar("fn f(%s) = %s\n" % (params, text), no_rules)
    columns = [binding.plain([len(found)], "f64", [p[i] for p, _ in found]) for i in range(len(problem[2]))]
    out = binding.plain([len(found)], "f64", [0.0]*len(found))
    program.call(columns, [out])
    values = list(out.held)
    program.free()
    return sum(bits_of_error(x, t) for x, (_, t) in zip(values, found))/len(found)


class Scalar(binding.Program):
    """Interpreted, with or without rules."""
    def __init__(self, text, no_rules):
        self.no_rules = no_rules
        super().__init__(text, "f", tier=binding.INTERPRET)

    def compile(self, tier, threads=1, cache=None, compiler=None):
        import ctypes as c
        o = binding.Options(size=c.sizeof(binding.Options), tier=tier, threads=threads, no_rules=self.no_rules)
        self.handle = binding.lib.por_compile_function(self.function, c.byref(o))
        self.check(self.handle)


def improved(problem):
    words = [PORISM, "improve", problem[1], "--json"] + problem[2]
    if problem[3]:
        words += ["--where", problem[3]]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr.strip())
    return json.loads(run.stdout)


def row(problem):
    truths = Truths()
    found = points(problem, truths)
    better = improved(problem)
    form = next((f["text"] for f in better["forms"] if f["what"] == "improved"), problem[1])
    errors = [measured(problem, problem[1], found, 1), measured(problem, problem[1], found, 0),
              measured(problem, form, found, 0)]
    return problem[0], len(found), errors, form, better


def main(chosen):
    if not peer("mpmath", tell=False):
        return 0
    table, counts, worse = Table("hamming"), [0, 0, 0], 0
    todo = [p for p in PROBLEMS if not chosen or p[0] in chosen]
    print("mean bits of error at %d points         written   books  improved" % POINTS)
    with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
        for name, n, errors, form, better in pool.map(row, todo):
            for i, e in enumerate(errors):
                counts[i] += e <= WITHIN
            worse += errors[2] > errors[0] + 0.1
            held = "" if not better.get("rule") else "; rule holds" if better["holds"] else "; no rule"
            print("%-8s %4d points               %8.2f %8.2f %8.2f   %s%s" % (name, n, *errors, form, held), flush=True)
    if not chosen:
        table.add("problems beyond 2 bits by the books", len(todo) - counts[1], 8, 1)
        table.add("problems beyond 2 bits by improve", len(todo) - counts[2], 3, 1)
        table.add("forms worse than written", worse + 1, 1, 1)
        return table.done()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
