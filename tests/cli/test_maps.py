#!/usr/bin/env python3
"""test_maps.py PORISM [NAME...]: loops without state are maps: which are, which stay, values, gradients, no passes."""

import re

from command import TIERS, alike, call, holds, main, near, same, test

TYPES = "X: f64[n, m]", "w: f64[m]", "A: f64[k, m]", "y: f64[n]", "K: i64[n]"
WORDS = ("X=[[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]", "w=[0.75, -0.5, 1.25]", "A=[[1.0, 2, 3], [0.5, -0.25, 1]]",
         "y=[0.5, -2.0]", "K=[1, 0]")
NONE = "X=f64[0, 3](1)", *WORDS[1:3], "y=f64[0](1)", "K=i64[0](1)"
MAPS = ("scan (x in X) => sum(sin(x))*2", "scan (i < n) => sum(X[i]*X[n - 1 - i])", "scan (x in X) => A @ x",
        "scan (x in X) => softmax(x*w)", "scan (x in X) => {s = sum(exp(x*w)), v = x^2}",
        "scan[back] (x in X, i < n) => sum(x)*i", "scan (x in X, k in K) => x*k + y[k]",
        "scan (s = 0.0, x in X) => s + sum(x*w)", "scan (s = w, x in X, b in y) => s + b*sin(x) + x",
        "scan (s = 0.0, c = 1.0, x in X, b in y) => {s = s + b, c = c + sum(x), t = b*b}",
        "scan (x in X) => scan (v in x) => sin(v)*sum(x)", "scan (k = 0, j in K) => k + j",
        "scan (S = f64[k, m](0), x in X) => S + einsum[(i,), (j,), (i, j)](A @ x, x)")
INNER = "scan (x in X) => (scan (h = 0.5, v in x) => {h = sin(h + v)}).h"    # a loop left, over all passes at once
STAY = ("scan (x in X) => if x[0] > 0 then sum(exp(x)) else prod(x)",         # one side alone is computed
        "scan (x in X) => sum(sqrt(sum[1]((X - x)^2)))",                      # n*m of all passes at once
        "scan (x in X) =>\n    do print(sum(x))\n    in sum(x)",
        "scan (x in X) => (scan (h = 0.5) while h < 9 => h*2 + abs(x[0]))",
        "scan (x in X) => sum(x[1:]*x[:-1])",                                 # m may be 0 where n is
        "scan (s = 1.0, x in X) => {s = s + sum(x), t = s}",                  # another asks how far it has grown
        "scan (s = 1.0, x in X) => s + s*sum(x)")


def given(text, words):
    names = [t[0] for t in TYPES if re.search(rf"\b({t[0]}|[nmk])\b", text)]
    return [w for w in words if w[0] in names] + [t for t in TYPES if t[0] in names]


def at_stage(text, stage="map"):
    return call("explain", text, *TYPES, "--stage", stage)[0]


@test
def which_are_maps_and_which_stay():
    for text in MAPS:
        if "scan" in at_stage(text):
            same(at_stage(text), "no loop")
    same(at_stage(INNER).count("scan"), 1)
    holds(at_stage(INNER), "scan (h = ", "f64[n]")
    for text in STAY:
        holds(at_stage(text), "scan")
    holds(call("explain", MAPS[0], *TYPES, "--stage", "map", "--laws", "exact")[0], "scan")
    holds(call("explain", MAPS[0], *TYPES, "--stage", "map", "--no-rules")[0], "scan")


@test
def values_and_gradients_are_those_of_the_loop():
    for text in MAPS + (INNER,) + STAY:
        if "print" in text:
            continue
        plain = call("eval", text, *given(text, WORDS), "--no-rules", "--tier", "reference")[0]
        for tier in TIERS:
            near(call("eval", text, *given(text, WORDS), "--tier", tier)[0], plain)
    for text in MAPS[:4] + MAPS[7:9] + (INNER,):
        for x in "X", "w":
            e = f"grad(sum(({text})^2), {x})"
            plain = call("eval", e, *given(e, WORDS), "--no-rules", "--tier", "reference")[0]
            for tier in TIERS:
                near(call("eval", e, *given(e, WORDS), "--tier", tier)[0], plain)
    same(at_stage("grad(sum(scan (x in X) => sum(tanh(A @ x*x[0]))), A)", "remerge").count("scan"), 0)


@test
def without_a_pass_nothing_is_asked():
    for text in MAPS + (INNER,) + STAY:
        if "print" not in text:
            alike(text, text, *given(text, NONE))
    for text in ("scan (x in X) => sum(f64[n - 3](1.0))*x", "scan (x in X) => y[7]*x", "scan (s = 0.0, x in X) => s + A[9] @ x",
                 "scan (x in X) => (scan (s = 0.0, j < 3) => s + y[j]*x[0])", "scan (i < n) => X[i + 5]"):
        for tier in TIERS:
            call("eval", text, *given(text, NONE), "--tier", tier)
            call("eval", text, *given(text, WORDS), "--tier", tier, status=1)


@test
def a_slice_of_nothing_begins_within_its_axis():
    for text in ("scan (s = 0.0, i < 2) => s + sum(x[k + i:k + i])", "[i < 2] => sum(x[k + i:k + i])", "[i < 2] => sum(x[k - i:k - i:2])",
                 "[i < 2] => sum(x[k + i:k + i:-1])", "scan (i < 2) => x[k + i:k + i]"):
        for tier in TIERS:
            def result(k, status=0):
                return call("eval", text, "x=[1.0,2.0,3.0]", "k: i64", f"k={k}", "--tier", tier, status=status)
            result(1)
            result(-5, 1)
            result(9, 1)


main(__doc__)
