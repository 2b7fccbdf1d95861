#!/usr/bin/env python3
"""test_control.py PORISM [NAME...]: branches on values of the graph: values, derivatives, what does not run."""

import math

from command import call, holds, main, same, test, write_files

TIERS = "reference", "interpret", "native"
Y = [1.0, 2.0, 3.0]
PLAIN = "if x > 0 then sum(y*y)*x*gamma(x) else sum(sin(y) + x)"


def numbers(text):
    for c in "[](){}=":
        text = text.replace(c, " ")
    return [float(w) for w in text.replace(",", " ").split() if w[0] in "-0123456789"]


def near(text, wanted):
    got = numbers(text)
    same(len(got), len(wanted))
    for a, b in zip(got, wanted):
        if not abs(a - b) <= 1e-13*max(1, abs(b)):
            same(got, wanted)


def everywhere(expression, wanted, *words):
    for tier in TIERS:
        near(call("eval", expression, *words, "--tier", tier)[0], wanted)


@test
def values_of_both_sides():
    everywhere(PLAIN, [28.0], "x=2.0", f"y={Y}")
    everywhere(PLAIN, [sum(math.sin(v) - 2 for v in Y)], "x=-2.0", f"y={Y}")


@test
def derivatives_of_both_sides():
    everywhere(f"grad({PLAIN}, y)", [4.0, 8.0, 12.0], "x=2.0", f"y={Y}")
    everywhere(f"grad({PLAIN}, y)", [math.cos(v) for v in Y], "x=-2.0", f"y={Y}")
    everywhere(f"jvp({PLAIN}, x, 2.0)", [6.0], "x=-2.0", f"y={Y}")
    everywhere(f"grad(sum(grad({PLAIN}, y)), y)", [4.0]*3, "x=2.0", f"y={Y}")
    everywhere(f"grad(sum(grad({PLAIN}, y)), y)", [-math.sin(v) for v in Y], "x=-2.0", f"y={Y}")
    everywhere(f"jvp(sum(grad({PLAIN}, y)), y, y)", [4*sum(Y)], "x=2.0", f"y={Y}")
    everywhere("hessian(if s > 0 then prod(y) else sum(y^3), y)", [0, 3, 2, 3, 0, 1, 2, 1, 0], "s=1.0", f"y={Y}")
    everywhere("hessian(if s > 0 then prod(y) else sum(y^3), y)", [6, 0, 0, 0, 12, 0, 0, 0, 18], "s=-1.0", f"y={Y}")


@test
def results_are_structures():
    text = "let s = sum(y) in let z = exp(y)*s in if s > 1 then {a = sum(z), b = y*2} else {a = 0, b = cumsum(y)}"
    everywhere(text, [6*sum(math.exp(v) for v in Y), 2, 4, 6], f"y={Y}")
    everywhere(text, [0, -9, -7, -4], "y=[-9.0, 2, 3]")
    everywhere("if c then (sum(y), 1) else (prod(y), 2)", [6, 1], f"y={Y}", "c=true")
    everywhere("if c then 1 else cumsum(y)", [1, 1, 1], f"y={Y}", "c=true")


@test
def the_side_that_is_not_taken_does_not_fail():
    for text in ("if k >= 0 then y[k] else sum(sin(y))", "if k >= 0 then sum(y[k:k+1]) else sum(sin(y))",
                 "if k >= 0 then sum(y[k:]) - sum(y[k + 1:]) else sum(sin(y))",
                 "if k < 0 then sum(sin(y)) else (scan (r = 0.0, i < 1) => r + y[k])",
                 "scan (r = 0.0, i < 1) => r + (if k >= 0 then y[k] else sum(sin(y)))"):
        everywhere(text, [2.0], f"y={Y}", "k=1")
        for k in "-1", "-9223372036854775808":
            everywhere(text, [sum(math.sin(v) for v in Y)], f"y={Y}", f"k={k}")
        for tier in TIERS:
            call("eval", text, f"y={Y}", "k=3", "--tier", tier, status=1)
    everywhere("if len(y) < 3 then sum(f64[k*k*k*k*k](1)) else 1", [1], f"y={Y}", "k=1000000")


@test
def branches_in_loops_and_loops_in_branches():
    collatz = "scan (n = n, i < k) => if n % 2 == 0 then n//2 else 3*n + 1"
    everywhere(collatz, [1], "n=27", "k=111")
    nested = ("scan (s = 0.0, i < k) => s + (if s > 2 then y[0] else if i % 2 == 0 then sum(y[i:]) "
              "else (scan (p = 1.0, v in y) => p*v)*cos(s))")
    everywhere(nested, [9.0], f"y={Y}", "k=4")
    # s = y0 + y1 + y2, then three times y0
    everywhere(f"grad({nested}, y)", [4.0, 1.0, 1.0], f"y={Y}", "k=4")
    everywhere("grad(if s > 0 then (scan (p = s, v in y) => p*v) else (scan (p = s, v in y) => p + v), s)", [6.0],
               f"y={Y}", "s=2.0")


@test
def recorded_walk():
    """A random walk of Newton and bisection steps, and its derivative, beside the same in Python."""
    text = "scan (t = a, i < 30) => if abs(t^2 - a) > 1 then (t + a/t)/2 else t - (t^2 - a)/(2*t) + 0*sum(exp(y)*t)"
    everywhere(text, [math.sqrt(7)], "a=7.0", f"y={Y}")
    everywhere(f"grad({text}, a)", [0.5/math.sqrt(7)], "a=7.0", f"y={Y}")


@test
def cheap_sides_are_a_select():
    holds(call("explain", "if x > 0 then x*x else -x", "x: f64", "--stage", "algebra")[0], "where(x > 0")
    holds(call("explain", "if x > 0 then y[3] else -x", "x: f64", "y: f64[n]", "--stage", "algebra")[0], "if x > 0 then")
    holds(call("explain", "if x > 0 then sum(y @ A) else sum(y)", "x: f64", "y: f64[n]", "A: f64[n, n]")[0], "unless b")


@test
def what_is_refused(folder):
    refused = {
        "if x then 1 else 2": "if x: f64 where one bool is wanted; where(c, a, b) chooses for each element",
        "if y > 0 then 1 else 2": "if y > 0: bool[3] where one bool is wanted",
        "if x > 0 then [1.0, 2] else [1.0, 2, 3]": "if: one side gives f64[2], the other f64[3]",
        "if x > 0 then {a = 1} else 2": "if: {a = 1} is {a: i64} and 2 is i64; both sides give one type",
        "if x > 0 then sin else cos": "functions are chosen by what is known while building alone"}
    for text, message in refused.items():
        holds(call("eval", text, "x=1.0", f"y={Y}", status=1)[1], message)


@test
def what_is_printed_reads_back(folder):
    for text in (PLAIN, "let s = sum(y) in let z = exp(y)*s in if x > 1 then {a = sum(z*z), b = y*2} "
                 "else {a = prod(z), b = cumsum(y)}"):
        printed = call("explain", text, "x: f64", "y: f64[n]", "--stage", "written")[0]
        write_files(folder, p=printed)
        for x in "2.0", "-2.0":
            same(call("eval", f"{folder}/p.por:f", f"x={x}", f"y={Y}")[0], call("eval", text, f"x={x}", f"y={Y}")[0])


main(__doc__)
