#!/usr/bin/env python3
"""test_literals.py PORISM [NAME...]: literals compute what arguments do; whole numbers are exact."""

import math
import os
import re
from fractions import Fraction
from random import Random

from command import HERE, Failed, call, evaluates, holds, main, numbers, same, test

STABLE = os.path.join(HERE, "..", "..", "rules", "stable.por")
POINTS = [(0.5, 0.25), (1e-10, 3e-10), (-1e-9, 2e-9), (30.0, 29.0), (1000.0, 999.0), (-800.0, 800.0),
          (1e200, 2e200), (100000001.0, 100000000.0), (1e-200, 2e-200)]


def left_sides():
    """Of the rules of `stable` over scalars; x and y are arguments, other variables stay literals of the size of 1."""
    for line in open(STABLE):
        m = re.match(r"\w+:\s+(.*?)\s+=> ", line)
        if not m or re.search(r"[\[\]]|where|n\b", m.group(1)) and not m.group(1).startswith("(exp"):
            continue
        text = m.group(1)
        for name, value in (("z", "1.5"), ("w", "0.75"), ("v", "1.25"), ("c", "2.5"), ("d", "1.75"),
                            ("m", "3"), ("k", "2")):
            text = re.sub(rf"\b{name}\b", value, text)
        yield text


def literal(text, x, y):
    return re.sub(r"\by\b", f"({y!r})", re.sub(r"\bx\b", f"({x!r})", text))


def lies(name, value):
    edges = [f"{name} {'>' if value > edge else '<'} {edge}" for edge in (-1, 0, 1)]
    return " and ".join(edges)


def compare(texts, x, y):
    """A literal is what an argument is of which it is promised where it lies beside -1, 0 and 1."""
    texts = [t if "x" in t else f"{t} + 0*x" for t in texts]
    given = (f"x={x!r}", f"y={y!r}", f"x: f64 if {lies('x', x)}", f"y: f64 if {lies('y', y)}")
    as_arguments = numbers(call("eval", "(" + ", ".join(texts) + ", x*y)", *given[:2])[0])
    as_promised = numbers(call("eval", "(" + ", ".join(texts) + ", x*y)", *given)[0])
    as_literals = numbers(call("eval", "(" + ", ".join(literal(t, x, y) for t in texts) + ", 1.0)")[0])
    same(len(as_arguments), len(as_literals))
    for text, plain, a, b in zip(texts, as_arguments, as_promised, as_literals):
        if not math.isfinite(plain) or a == b:
            continue
        if not math.isfinite(b) or abs(a - b) > 1e-12 * max(abs(a), 1e-300):
            raise Failed(f"{text} at x = {x!r}, y = {y!r}: {a!r} of arguments, {b!r} of literals")
    for around in "z + (%s)", "z*(%s)", "where(z < 9, %s, 1.0)":
        beside = numbers(call("eval", "(" + ", ".join(around % literal(t, x, y) for t in texts) + ", z)",
                              f"z={0.0 if '+' in around else 1.0}")[0])
        for text, a, b in zip(texts, as_literals, beside):
            if a == a and a != b and not abs(a - b) <= 1e-12*abs(a):   # terms around it may be grouped anew
                raise Failed(f"{around % text} at x = {x!r}, y = {y!r}: {b!r}, not {a!r}")


@test
def literals_are_folded_after_stable():
    texts = list(left_sides())
    if len(texts) < 50:
        raise Failed(f"{len(texts)} left sides in {STABLE}")
    for x, y in POINTS:
        compare(texts, x, y)


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
    for text in ("grad(sqrt(1 + x^2) - 1, x)", "grad(sqrt(x*x + 1), x)", "x/sqrt(1 + x^2)"):
        evaluates(text, "1.0", "x=1e200")
    evaluates("log(1 + 1e-20 + exp(x))", "1e-20", "x=-800.0")
    evaluates("0x1p-600*0x1p-600*x*0x1p900", "4.149515568880993e+180", "x=0x1p900")


@test
def numbers_become_one():
    """What waited is one number in the end."""
    text = call("explain", "(1 + 0.1)*x*(1 + 0.2)*3", "x: f64", "--stage", "lower")[0]
    same(text.count("*"), 1)
    text = call("explain", "x + 1e-20 + 1 + log(1000.0)", "x: f64", "--stage", "lower")[0]
    same(text.split("=")[-1].count("+"), 1)


def whole(random, depth):
    """A text and the number that it is; None: it is left out (a division by 0, or too large)."""
    if not depth or random.random() < 0.2:
        n = random.choice([random.randrange(10), random.randrange(1 << 63), random.randrange(1 << 90), 2**63, 2**64 - 1])
        return str(n), n
    a, x = whole(random, depth - 1)
    b, y = whole(random, depth - 1)
    kind = random.choice("+ - * // % ^ neg abs max min shift".split())
    if x is None or y is None or (kind in ("//", "%") and y == 0) or max(abs(x), abs(y)) > 2**300:
        return "0", None
    if kind == "^":
        e = random.randrange(6)
        return f"({a})^{e}", x**e
    if kind == "neg":
        return f"-({a})", -x
    if kind == "abs":
        return f"abs({a})", abs(x)
    if kind in ("max", "min"):
        return f"{kind}({a}, {b})", (max if kind == "max" else min)(x, y)
    if kind == "shift":
        e = random.randrange(80)
        return random.choice([(f"shift_left({a}, {e})", x << e), (f"shift_right({a}, {e})", x >> e)])
    value = {"+": x + y, "-": x - y, "*": x * y, "//": y and x // y, "%": y and x % y}[kind]
    return f"({a}) {kind} ({b})", value


def as_number(value):
    """As eval prints it: an i64, or the nearest f64."""
    if -2**63 <= value < 2**63:
        return float(value) if value != -2**63 else -2.0**63
    return float(value)


@test
def whole_numbers_are_exact():
    """Python's whole numbers are the reference; quotients of theirs are rounded once, too."""
    random = Random(16)
    texts, values = [], []
    while len(texts) < 300:
        text, value = whole(random, 4)
        if value is None or abs(value) >= 2**1000:
            continue
        texts.append(text)
        values.append(as_number(value))
        other = random.randrange(1, 1 << 80)
        texts.append(f"({text})/{other}")
        values.append(float(Fraction(value, other)))
    for at in range(0, len(texts), 100):
        out = call("eval", "(" + ", ".join(f"f64({t})" for t in texts[at:at + 100]) + ")")[0]
        for text, got, wanted in zip(texts[at:], numbers(out), values[at:]):
            if got != wanted:
                raise Failed(f"{text} is {wanted!r}, not {got!r}")


@test
def whole_numbers_where_they_meet_others():
    evaluates("10^23", "1e+23")
    evaluates("2.0*10^19", "2e+19")
    evaluates("1/(2^70)", "8.470329472543003e-22")
    evaluates("12345678901234567890", "1.2345678901234567e+19")
    evaluates("(10^23 + 1) - 10^23", "1")
    evaluates("10^23 > 10^22 and 2^64 - 1 < 2^64", "true")
    evaluates("10^-23", "1e-23")
    evaluates("f32(16777217) == f32(16777216) and f32(2^70 + 2^46 + 1) != f32(2^70)", "true")
    evaluates("u64(18446744073709551615) == bit_not(u64(0))", "true")
    evaluates("u64(2^64 - 3) + 1 == u64(18446744073709551614)", "true")
    evaluates("u64([18446744073709551613, 1])[0] == u64(2^64 - 3)", "true")
    evaluates("k + 18446744073709551615 == u64(0)", "true", "k: u64", "k=1")
    evaluates("k/10^20", "2e-20", "k: i64", "k=2")
    evaluates("sum([9223372036854775807, 1])", "9.223372036854776e+18")
    evaluates("prod([10^10, 10^10])", "1e+20")
    evaluates("[10^10, 3]*10^10", "[1e+20, 30000000000.0]")
    evaluates("(u64(-1), u8(300), i8(-300))", "(u64(0), u8(255), i8(-128))")
    evaluates("(7//0, 7 % 0, -7//2, -7 % 2)", "(0, 7, -4, 1)")
    evaluates("f64[2^2](2^70)[3]", "1.1805916207174113e+21")


@test
def whole_numbers_that_no_dtype_holds():
    for words, part in (
            (("k + 3000000000", "k: i32"), "3000000000 is no i32: that goes from -2147483648 to 2147483647"),
            (("k + (-1)", "k: u8"), "-1 is no u8: that goes from 0 to 255"),
            (("k*10^23", "k: i64"), "100000000000000000000000 is no i64"),
            (("where(k > 0, k, 300)", "k: u8"), "300 is no u8"),
            (("k with [0] = 300", "k: u8[3]"), "300 is no u8"),
            (("[k, 300]", "k: u8"), "300 is no u8"),
            (("popcount(2^70)",), "popcount: given 1180591620717411303424, which 64 bits do not hold"),
            (("f64[10^23](1)",), "10^23: f64 where a size is wanted"),
            (("10^309",), "larger than 1.7976931348623157e308"),
            (("shift_left(1, 2^40)",), "larger than 1.7976931348623157e308")):
        holds(call("eval", *words, *[f"{w.split(':')[0]}=1" for w in words[1:] if "[" not in w],
                   *[f"{w.split(':')[0]}=[1, 2, 3]" for w in words[1:] if "[" in w], status=1)[1], part)
    holds(call("eval", "x", "x=1", "--rule", "odd: x*9007199254740993 => x  exact", status=1)[1],
          "whole numbers of a rule go up to 2^53")


if __name__ == "__main__":
    main(__doc__)
