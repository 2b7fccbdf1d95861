#!/usr/bin/env python3
"""test_truths.py PORISM [NAME...]: the true values by which `improve` judges, where a form errs most, against exact rational
numbers.  A true value that is wrong makes the best form the worst, so that it is found there."""

import json
import re
from fractions import Fraction
from random import Random

from command import Failed, call, few, main, test

SPANS = ("1e-20", "1e-7"), ("1e-300", "1e-150"), ("1e-9", "1e-5"), ("0.5", "2"), ("1e5", "1e9"), ("1e10", "1e18"), ("1e150", "1e300")
# Differences of nearly equal things, and what of them is put together.
WRITTEN = ("1/(1 + x^2) - 1/(1 + y^2)", "1/(x + y) - 1/x", "x/(1 + x) - y/(1 + y)", "(x + 1)/(y + 1) - x/y", "(x - y)*(x + y) - x^2",
           "x^2 - 2*x*y + y^2", "x^3 - y^3", "(1 + x)^3 - 1", "1/(1 + x) - 1/(1 + y) + x - y", "x*y/(x + y) - y")


def exact(text, at):
    """By rational numbers; None where it is divided by 0."""
    text = re.sub(r"(\d+)", r"Fraction(\1)", text).replace("^", "**")
    try:
        return eval(text, {"__builtins__": {}}, {"Fraction": Fraction, "x": Fraction(at["x"]), "y": Fraction(at["y"])})  # pylint: disable=eval-used
    except ZeroDivisionError:
        return None


def written(r, depth):
    """A random rational function of x and y."""
    if not depth or r.random() < 0.15:
        return r.choice(("x", "y", "x", "y", "1", "2"))
    a, b = written(r, depth - 1), written(r, depth - 1)
    return r.choice(("({0} + {1})", "({0} - {1})", "{0}*{1}", "({0} - {1})", "1/(1 + {0}^2)", "{0}/({0} + {1})", "({0})^2")).format(a, b)


def wrong(text, low, high):
    """What is told of the points at which the forms err most, where it is not so."""
    facts = [f"{v}: f64 if {v} > {low} and {v} < {high}" for v in "xy"]
    try:
        told = json.loads(call("improve", text, *facts, "--json")[0])
    except Failed as e:
        if "the true value known" in str(e) or "true value is known" in str(e):
            return
        raise
    for f in told["forms"]:
        truth = exact(text, f["at"]) if "at" in f else None
        if truth is None or abs(truth) < Fraction(2)**-1000 or abs(truth) > Fraction(2)**1023:
            continue
        if abs(Fraction(f["truth"]) - truth) > abs(truth)/2**51:
            yield f"{text} for {low} < x, y < {high}: at {f['at']} it is {float(truth)!r}, told {f['truth']!r} ({f['what']}: {f['text']})"


def none_of(problems):
    bad = [w for text, low, high in problems for w in wrong(text, low, high)]
    if bad:
        raise Failed("\n".join(bad))


@test
def differences_of_the_nearly_equal():
    none_of((text, *SPANS[i % len(SPANS)]) for i, text in few(enumerate(WRITTEN)))


@test
def random_functions():
    r = Random("truths")
    some = [written(r, 2) for _ in range(16)]
    none_of((text, *r.choice(SPANS)) for text in some if "x" in text and "y" in text)


main(__doc__)
