#!/usr/bin/env python3
"""test_literals.py PORISM [NAME...]: literals compute what arguments do; whole numbers are exact."""

import math
import os
import re

from command import HERE, Failed, call, evaluates, holds, main, same, test

STABLE = os.path.join(HERE, "..", "..", "rules", "stable.por")
POINTS = [(0.5, 0.25), (1e-10, 3e-10), (-1e-9, 2e-9), (30.0, 29.0), (1000.0, 999.0), (-800.0, 800.0),
          (1e200, 2e200), (100000001.0, 100000000.0), (1e-200, 2e-200)]


def numbers(text):
    return [float(w) for w in re.findall(r"[-+]?(?:nan|inf|[0-9][0-9.e+-]*)", text)]


def left_sides():
    """Of the rules of `stable` over scalars; x and y are arguments, other variables stay literals of the size of 1."""
    for line in open(STABLE):
        m = re.match(r"\w+:\s+(.*?)\s+=> ", line)
        if not m or re.search(r"[\[\]]|where|n\b", m.group(1)) and not m.group(1).startswith("(exp"):
            continue
        text = m.group(1)
        for name, value in (("z", "1.5"), ("w", "0.75"), ("v", "1.25")):
            text = re.sub(rf"\b{name}\b", value, text)
        yield text


def literal(text, x, y):
    return re.sub(r"\by\b", f"({y!r})", re.sub(r"\bx\b", f"({x!r})", text))


def compare(texts, x, y):
    """A literal may be right where an argument is not (its sign is known), and never the other way round."""
    one, other = ([t if name in t else f"{t} + 0*{name}" for t in texts] for name in "xy")
    del other
    as_arguments = numbers(call("eval", "(" + ", ".join(one) + ", x*y)", f"x={x!r}", f"y={y!r}")[0])
    as_literals = numbers(call("eval", "(" + ", ".join(literal(t, x, y) for t in one) + ", 1.0)")[0])
    same(len(as_arguments), len(as_literals))
    for text, a, b in zip(texts, as_arguments, as_literals):
        if not math.isfinite(a) or a == b:
            continue
        if not math.isfinite(b) or abs(a - b) > 1e-12 * max(abs(a), 1e-300):
            raise Failed(f"{text} at x = {x!r}, y = {y!r}: {a!r} of arguments, {b!r} of literals")


@test
def literals_are_folded_after_stable():
    texts = list(left_sides())
    if len(texts) < 60:
        raise Failed(f"{len(texts)} left sides in {STABLE}")
    for x, y in POINTS:
        # (-3)*(-3) is 3*3 before anything looks for a square of -3
        compare([t for t in texts if x > 0 or "x*x" not in t], x, y)


@test
def literals_in_rows_of_operators():
    texts = ["log(sum(exp([x, y])))", "exp(x)/(1 + exp(x))", "log(1 + x)", "sqrt(x^2 + y^2)", "log(exp(x))",
             "(exp([x, y])/sum(exp([x, y])))[0]", "log(exp(x) + exp(y))", "sqrt(1 + x) - 1", "3*log(1 + exp(x)) + 2",
             "scan (s = 0.0, i < 2) => s + log(1 + exp(x))", "sum(log(1 + exp([x, y])))",
             "grad((t) => log(1 + exp(t)), x)", "grad((t) => log(sum(exp([t, y]))), x)", "x*exp(x)*exp(-x)"]
    for x, y in POINTS:
        compare(texts, x, y)


@test
def literals_beside_variables():
    """What is a literal beside an argument waits too."""
    evaluates("log(exp(800.0) + exp(x))", "800.6931471805599", "x=800.0")
    evaluates("sqrt(1e200^2 + x^2)", "1.414213562373095e+200", "x=1e200")
    evaluates("log(1 + 1e-20 + exp(x))", "1e-20", "x=-800.0")
    evaluates("0x1p-600*0x1p-600*x*0x1p900", "4.149515568880993e+180", "x=0x1p900")


@test
def numbers_become_one():
    """What waited is one number in the end."""
    text = call("explain", "(1 + 0.1)*x*(1 + 0.2)*3", "x: f64", "--stage", "lower")[0]
    same(text.count("*"), 1)
    text = call("explain", "x + 1e-20 + 1 + log(1000.0)", "x: f64", "--stage", "lower")[0]
    same(text.split("=")[-1].count("+"), 1)


if __name__ == "__main__":
    main(__doc__)
