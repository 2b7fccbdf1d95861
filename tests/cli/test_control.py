#!/usr/bin/env python3
"""test_control.py PORISM [NAME...]: branches and loops by values of the graph: values, derivatives, what does not run."""

import itertools
import math
import os
import random
import re

from command import TIERS, Failed, alike, call, holds, main, near, numbers, same, test, write_files

Y = [1.0, 2.0, 3.0]
PLAIN = "if x > 0 then sum(y*y)*x*gamma(x) else sum(sin(y) + x)"


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
    # an element of a vector, a row of a matrix, a new axis are read in passing as well
    for side in "w[2]^2", "w[-1]", "B[1, 0]", "sum(w[_, :]*0 + B[1])":
        text = call("explain", f"if x > 0 then {side} else 0.0", "x: f64", "w: f64[3]", "B: f64[2, 3]", "--stage", "algebra")[0]
        same((side, "if x > 0" in text), (side, "sum(" in side))
    holds(call("explain", "if x > 0 then B[1] else w", "x: f64", "w: f64[3]", "B: f64[2, 3]", "--stage", "algebra")[0], "where(")
    holds(call("explain", "if x > 0 then sum(y @ A) else sum(y)", "x: f64", "y: f64[n]", "A: f64[n, n]")[0], "unless b")


@test
def what_a_side_writes_at_a_fixed_place_of_nothing_leaves_the_loop():
    """The derivative by p[1] in a side: a number is carried, and written once."""
    text = ("grad(scan (s = x, c in z) => if c > 0 then s*gamma(p[1] + c)*lgamma(s*s + 1) else s + p[0]*sin(s*c), p)")
    lowered = call("explain", text, "p: f64[3]", "x: f64", "z: f64[n]", "--stage", "lower")[0]
    body = re.search(r"scan\[back\].*?in \{ds = [^}]*\}", lowered, re.S)[0]
    same([body.count("scatter"), body.count("f64[3]"), lowered.count("scatter")], [0, 0, 2])
    z = [0.5, -1.0, 0.25, 2.0]

    def value(p):
        s = 0.7
        for c in z:
            s = s*math.gamma(p[1] + c)*math.lgamma(s*s + 1) if c > 0 else s + p[0]*math.sin(s*c)
        return s

    p = [0.3, 1.5, 0.1]
    wanted = [(value([v + 1e-6*(i == k) for i, v in enumerate(p)]) - value([v - 1e-6*(i == k) for i, v in enumerate(p)]))/2e-6
              for k in range(3)]
    for tier in TIERS:
        near(call("eval", text, f"p={p}", "x=0.7", f"z={z}", "--tier", tier)[0], wanted, 1e-7)
    everywhere(text, [0, 0, 0], f"p={p}", "x=0.7", "z=f64[0](0)")


@test
def branches_of_one_condition_are_one():
    """A value and its derivatives share what they compute in a side; so does a side with what is around it."""
    many = f"{{v = {PLAIN}, g = grad({PLAIN}, y), j = jvp({PLAIN}, x, 2.0)}}"
    text = call("explain", many, "x: f64", "y: f64[n]", "--stage", "remerge")[0]
    same([text.count("if "), text.count("gamma(x)"), text.count("sum(y*y)")], [1, 2, 1])   # the other is digamma
    everywhere(many, [28, 4, 8, 12, 28*2*(1/2 + 0.42278433509846713)], "x=2.0", f"y={Y}")
    everywhere(many, [sum(math.sin(v) - 2 for v in Y)] + [math.cos(v) for v in Y] + [6], "x=-2.0", f"y={Y}")
    around = "let z = cos(y) in sum(z*z*y) + (if x > 0 then sum(cumsum(z)) else sum(z*y))"
    holds(call("explain", around, "x: f64", "y: f64[n]", "--stage", "merge")[0], "let z = cos(y)", "if x > 0 then sum(cumsum[0](z))")
    z = [math.cos(v) for v in Y]
    wanted = sum(c*c*v for c, v in zip(z, Y))
    everywhere(around, [wanted + 3*z[0] + 2*z[1] + z[2]], "x=1.0", f"y={Y}")
    everywhere(around, [wanted + sum(c*v for c, v in zip(z, Y))], "x=-1.0", f"y={Y}")
    # what a side captures is what it is around: it is not computed again, and fails there alone
    twice = "let c = x > 0 in let z = (if c then sum(y*y[k]) else x) in z - (if c then z else z)"
    everywhere(twice, [0], "x=-1.0", f"y={Y}", "k=7")
    for laws in "exact", "exact,real":
        same(call("eval", f"sin(if ({twice}) > 0.5 then x else x)", "x=-1.0", f"y={Y}", "k=7", "--laws", laws)[0],
             f"{math.sin(-1.0)}\n")
    # both sides take of one loop, as does what is around
    loop = "let r = (scan (p = x, q = 1.0, v in y) => {p = p*v, q = q + p}) in (if x > 0 then sum(y*r.p) else sum(y*r.q))"
    for text, more in (loop, 0), (loop + " + r.q", 1):
        everywhere(text, [6*12 + more*(1 + 2 + 2 + 4)], "x=2.0", f"y={Y}")
        everywhere(text, [-6*7 - more*7], "x=-2.0", f"y={Y}")
    # a chain of branches of two conditions in turn, each over the one before it
    chain = "let p = if x > 0 then sum(y) else prod(y) in let q = if y[0] > 0 then p*p else sum(y*p) in " \
        "let r = if x > 0 then sum(q*y) else q in let s = if y[0] > 0 then sum(y) else prod(y) in p + q + r + s"
    everywhere(chain, [6 + 36 + 216 + 6], "x=1.0", f"y={Y}")
    everywhere(f"grad({chain}, x)", [0], "x=1.0", f"y={Y}")


@test
def results_of_branches_lie_where_they_are_wanted():
    """Both sides write the result itself, and the value that a loop carries on."""
    for text in "if x > 0 then y*exp(x) else cumsum(y)", "(scan (z = y, i < 3) => if x > 0 then z*exp(x) else cumsum(z))":
        plan = call("explain", text, "x: f64", "y: f64[n]", "--stage", "plan")[0]
        inner = plan[plan.index("if b"):]
        same(inner.count("# get"), 1 if "scan" in text else 0)   # of what the loop carries, behind it
    everywhere("let r = if x > 0 then {a = y, b = 2*y} else {a = cumsum(y), b = y} in {p = r.b, q = r.a, r = r.b}",
               [2, 4, 6, 1, 2, 3, 2, 4, 6], "x=1.0", f"y={Y}")
    everywhere("(scan (s = 0.0, v in y) => {s = s + v, t = (scan (p = s, w in y) => {p = p*w + v, t = p}).t}).t",
               [0, 1, 3, 1, 3, 8, 3, 6, 15], f"y={Y}")


NEWTON = "scan (t = a) while abs(t^2 - a) > 1e-12 => (t + a/t)/2"


@test
def loops_end_by_a_condition():
    everywhere("scan (x = x) while x > 1 => x/2", [0.578125], "x=37.0")
    everywhere("scan (x = x) while x > 1 => x/2", [0.5], "x=0.5")   # no pass
    everywhere("scan (x = x, i < 3) while x > 1 => x/2", [37/8], "x=37.0")
    everywhere("scan (x = x, i < k) while x > 1 => x/2", [37], "x=37.0", "k=0")
    everywhere("scan (n = n, c = 0) while n > 1 => {n = if n % 2 == 0 then n//2 else 3*n + 1, c = c + 1}", [1, 111],
               "n=27")
    everywhere("scan (a = a, b = b) while b != 0 => {a = b, b = a % b}", [21, 0], "a=1071", "b=462")
    everywhere(NEWTON, [math.sqrt(7)], "a=7.0")
    for passes in 1, 2, 3, 4:   # the last value lies where it is looked for, after any number of passes
        everywhere(f"(scan (z = y, k = 0) while k < {passes} => {{z = z*2, k = k + 1}}).z + y",
                   [v*2**passes + v for v in Y], f"y={Y}")
        # a number that data gives, and arrays of which one fits nowhere but where the loop kept its other value
        everywhere("let r = (scan (z = y, k = 0) while k < m => {z = z*2, k = k + 1}).z in let w = cumsum(r) in sum(cumsum(w) + r)",
                   [171800.0*2**passes], "y=f64[100](1)", f"m={passes}")
        z = [v*2**passes for v in Y]   # later steps write where the loop kept its other value
        everywhere(f"let r = (scan (z = y, k = 0) while k < {passes} => {{z = z*2, k = k + 1}}).z in "
                   "let w = cumsum(r) in cumsum(w) + r",
                   [2*z[0], 2*z[0] + 2*z[1], 3*z[0] + 2*z[1] + 2*z[2]], f"y={Y}")


@test
def what_a_pass_has_made_is_stacked():
    """h @ U of a gated cell, of which a reverse sweep wants the sum under its sigmoid, is made in the forward loop alone."""
    cell = "let z = x @ W + h @ U in sigmoid(z[:2])*tanh(z[2:]) + h"
    net = f"sum((scan (h = y, x in x) => {cell})^2)"
    types = "W: f64[3, 4]", "U: f64[2, 4]", "x: f64[t, 3]", "y: f64[2]"
    words = ("W=f64[3, 4](0.5)", "U=[[0.5, -1.0, 0.25, 2.0], [1.0, 0.125, -0.5, 0.75]]",
             "x=[[1.0, -1.0, 0.5], [0.25, 2.0, -0.5], [1.5, 0.0, 1.0]]", "y=[0.5, -0.25]")
    first, second = f"grad({net}, {{W, U, y}})", f"grad(sum(grad({net}, y)^2), U)"
    inside = "(scan (U = U, i < 2) => U - 0.1*grad(%s, U))" % net
    for text, scans, products in (first, 2, 5), (inside, 3, 4):   # x @ W leaves the loop around
        shown = call("explain", text, *types, "--stage", "lower")[0]
        same((shown.count("scan"), shown.count(" @ ") + shown.count("einsum")), (scans, products))
    biased = first.replace("h @ U in", "h @ U + v in")
    for text in first, biased:   # what is kept is the sum, not what it is made of
        shown = call("explain", text, *types, "v: f64[4]", "--stage", "lower")[0]
        holds(shown, "t1 = h, t2 = z}")
        same(shown.count("h @ U"), 1)
    rows = "grad(sum(scan (y = y, x in x) => tanh(V @ y + x[:2])), V)"
    shown = call("explain", rows, *types[2:], "V: f64[2, 2]", "--stage", "lower")[0]
    holds(shown, "exp(-abs(")    # the sum is kept, not its tanh: 1 - tanh(z)^2 would be a difference of what is nearly 1
    same(shown.count("V @ y"), 1)
    alike(rows, rows, *words[2:], "V=[[3.0, -8.0], [9.0, 0.5]]", within=1e-13)
    alike(biased, biased, *words, "v=[1.0, 2.0, -3.0, 4.0]", within=1e-11)
    for text in first, second, inside, f"{first}.U + {second}":
        alike(text, text, *words, within=1e-11)


@test
def what_is_read_across_is_turned_once():
    """dz @ U.T of each pass back has U turned before the loop; not so of a vector, whose product reads rows of U anyway."""
    net = "grad(sum(scan (h = h, x in X) => tanh(h @ U + x)), U)"
    types, values = ("U: f64[n, n]", "X: f64[t, m, n]", "h: f64[m, n]"), (
        "U=[[0.5, -1.0, 0.25], [1.0, 0.125, -0.5], [0.75, -2.0, 1.5]]", "h=[[0.0, 1.0, 2.0], [0.5, -1.0, 0.25]]",
        "X=[[[1.0, 2.0, 0.5], [0.0, -1.0, 1.0]], [[0.5, 0.25, 2.0], [1.0, 1.5, -2.0]], [[1.0, 0.0, 3.0], [0.5, 0.5, 0.25]]]")
    plan = call("explain", net, *types, "--show", "plan")[0]
    steps = re.findall(r"# (transpose|einsum|expand)|^(loop)", plan, re.M)
    same([a or b for a, b in steps], ["loop", "einsum", "transpose", "loop", "einsum", "einsum"])
    alike(net, net, *values)
    large = "U=f64[40, 40](0.1)", "X=f64[4, 5, 40](0.1)", "h=f64[5, 40](0.5)"
    profile = call("explain", net, *large, "--show", "profile")[0]     # each tells its line
    same([row.split("contract")[1].strip() for row in profile.splitlines() if "contract" in row], [":1"]*3)
    fixed = "grad(sum(scan (h = h, x in X) => tanh(h @ [[1.0, 0.5], [0.0, 2.0]] + x)), h)"
    if "transpose" in call("explain", fixed, "X: f64[t, m, 2]", "h: f64[m, 2]", "--show", "plan")[0]:     # kernels write out what is few
        raise Failed(fixed)
    of_vectors = "grad(sum(scan (h = h, x in X) => tanh(U @ h + x)), U)"
    holds(call("explain", of_vectors, "U: f64[n, n]", "X: f64[t, n]", "h: f64[n]", "--show", "plan")[0], "loop 1 back")
    if "transpose" in call("explain", of_vectors, "U: f64[n, n]", "X: f64[t, n]", "h: f64[n]", "--show", "plan")[0]:
        raise Failed(of_vectors)
    for text in ("scan (h = h, x in X) => einsum[(i, j), (j, k), (k, i)](h, U).T + einsum[(k, j), (i, j), (i, k)](U, x)",
                 "scan (h = h, x in X) while sum(h) < 9.0 => einsum[(i, j), (k, j), (i, k)](h, U) + x",
                 "scan (h = h, j < 2) => scan (g = h, x in X) => einsum[(i, j), (k, j), (i, k)](g, U + f64(j)) + x"):
        alike(text, text, *values)


@test
def passes_of_any_number(folder):
    """Carried arrays, elements, traces, a branch and a number, whichever way the passes go, whether a condition ends them."""
    body = "{z = if x[0] > 2.0 then z*0.5 + x else z - x + f64(i), s = s + sum(z*x), t = z + x[1]}"
    text = ("let r = scan%s (z = y, s = 0.0, x in X, i < len(X))%s => %s in "
            "cumsum(cumsum(r.z)) + r.z*r.s + sum(r.t) + r.t[0]")
    X = [[float(k*k % 5), k/4, 1.0 - k] for k in range(13)]

    def walked(n, back, most):
        z, s, t = Y, 0.0, {}
        for i in reversed(range(n)) if back else range(n):
            if s >= most:
                break
            x = X[i]
            s += sum(a*b for a, b in zip(z, x))
            t[i] = [a + x[1] for a in z]
            z = [a*0.5 + b for a, b in zip(z, x)] if x[0] > 2 else [a - b + i for a, b in zip(z, x)]
        sums = [sum(z[:k + 1]) for k in range(3)]
        return [sum(sums[:k + 1]) + z[k]*s + sum(map(sum, t.values())) + t[0][k] for k in range(3)]

    ways = [("", "", False, math.inf), ("[back]", "", True, math.inf), ("", " while s < 40", False, 40)]
    for way, condition, back, most in ways:
        write_files(folder, walk="fn f(y: f64[3], X: f64[n, 3]) = " + text % (way, condition, body))
        for n in range(1, 13):
            everywhere(f"{folder}/walk.por:f", walked(n, back, most), f"y={Y}", f"X={X[:n]}")


RECORDED = ("scan (z = y, s = a, i < k) while s < m => "
            "{z = if s > 2 then z*0.5 + f64(i) else z*0.25, s = s + a, t = z + 1, u = s*s, q = i32(i) + 2}")


def recorded(a, m, k=99, y=Y):
    """What that loop carries last, and its traces; what stands in a body by a carried name is the value before."""
    z, s, t, u, q = list(y), a, [], [], []
    for i in range(k):
        if not s < m:
            break
        t.append([v + 1 for v in z])
        u.append(s*s)
        q.append(i + 2)
        z, s = [v*0.5 + i for v in z] if s > 2 else [v*0.25 for v in z], s + a
    return z, s, t, u, q


def plan_of(text, *types):
    return call("explain", text, *types, "--show", "plan")[0]


@test
def one_run_of_a_loop_writes_its_traces_down():
    """Each number of passes, none and one too, alone and as often as loops around it run."""
    types = "y: f64[3]", "a: f64", "m: f64", "k: i64"
    all_of = f"let r = {RECORDED} in {{z = r.z, s = r.s, t = r.t, u = r.u, q = f64(r.q)}}"
    holds(plan_of(all_of, *types), "3 written down")
    for m in 0.8, 1.5, 3.0, 5.25, 40.0:
        z, s, t, u, q = recorded(0.75, m)
        everywhere(all_of, z + [s] + sum(t, []) + u + q, f"y={Y}", "a=0.75", f"m={m}", "k=99")
    z, s, t, u, q = recorded(0.75, 40.0, 7)
    everywhere(all_of, z + [s] + sum(t, []) + u + q, f"y={Y}", "a=0.75", "m=40.0", "k=7")

    def total(a, m):
        z, s, t, u, q = recorded(a, m)
        return sum(z)*s + sum(map(sum, t)) + sum(u) + sum(q)

    text = f"let r = {RECORDED} in sum(r.z)*r.s + sum(r.t) + sum(r.u) + sum(f64(r.q))"
    words = f"y={Y}", "a=0.75", "k=99"
    # more passes and then fewer, in memory that is there
    around = f"scan (h = 0.0, m in v) => h*0.5 + ({text})"
    wanted, h = [], 0.0
    for m in (4.0, 0.0, 9.0, 0.9, 5.0):
        h = h*0.5 + total(0.75, m)
        wanted.append(h)
    everywhere(around, wanted[-1:], *words, "v=[4.0, 0.0, 9.0, 0.9, 5.0]")
    everywhere(f"scan (m in v) => ({text})", [total(0.75, m) for m in (4.0, 0.0, 9.0)], *words, "v=[4.0, 0.0, 9.0]")
    for x in 1.0, -1.0:
        everywhere(f"if x > 0 then ({text}) else x", [total(0.75, 5.0) if x > 0 else x], *words, "m=5.0", f"x={x}")
        everywhere(f"scan (j < 4) => if x*f64(j) > 1 then ({text}) else x",
                   [total(0.75, 5.0) if x*j > 1 else x for j in range(4)], *words, "m=5.0", f"x={x}")


@test
def what_is_written_down_begins_with_zeros_of_every_type():
    """A trace of numbers, of truth and of rows that is nothing the loop carries is carried, from a zero."""
    text = ("let r = scan (s = a, x in X) while s < m => {s = s + x[0], b = x[1] > s, c = i32(s)*3, "
            "v = x*x, w = cos(x)*s, h = f32(s) + 1} in {b = r.b, c = f64(r.c), v = r.v, w = r.w, h = f64(r.h), s = r.s}")
    X = [[1.0, 3.0], [0.5, 0.25], [2.0, 9.0], [1.0, 1.0]]
    for m in 1.0, 2.5, 99.0:
        s, b, c, v, w, h = 0.5, [], [], [], [], []
        for x in X:
            if not s < m:
                break
            b, c, h = b + [str(x[1] > s).lower()], c + [3*int(s)], h + [s + 1]
            v, w, s = v + [e*e for e in x], w + [math.cos(e)*s for e in x], s + x[0]
        for tier in TIERS:
            got = call("eval", text, "a=0.5", f"m={m}", f"X={X}", "--tier", tier)[0]
            same(re.findall("true|false", got), b)
            near(got, c + v + w + h + [s])
    for tier in TIERS:
        same(call("eval", text, "a=0.5", "m=0.0", f"X={X}", "--tier", tier)[0],
             "{b = bool[0](false), c = f64[0](0), v = f64[0, 2](0), w = f64[0, 2](0), h = f64[0](0), s = 0.5}\n")


@test
def structures_that_are_carried_are_written_down():
    text = ("let r = scan (p = {b = a, v = y}, q = {s = 0.0, n = 0}, i < 9) while q.s < m => "
            "{p = {b = p.b*0.5 + sum(p.v), v = p.v - p.b}, q = {s = q.s + 1, n = q.n + 2}, "
            "t = {v = p.v, n = q.n*1.0}, u = cumsum(p.v)} in "
            "{v = sum(r.t.v), n = sum(r.t.n), u = sum(r.u), last = r.p.v, b = r.p.b, s = r.q.s}")
    holds(plan_of(text, "y: f64[3]", "a: f64", "m: f64"), "written down")
    for m in -1.0, 1.0, 2.0, 3.0, 7.0, 20.0:
        b, v, passes, rows, sums = 0.5, list(Y), 0, 0.0, 0.0
        while passes < min(m, 9):
            rows, sums = rows + sum(v), sums + 3*v[0] + 2*v[1] + v[2]
            b, v, passes = b*0.5 + sum(v), [e - b for e in v], passes + 1
        everywhere(text, [rows, passes*(passes - 1), sums, *v, b, passes], f"y={Y}", "a=0.5", f"m={m}")


@test
def derivatives_of_what_is_written_down():
    text = ("let r = scan (z = a, s = 0.0) while s < m => {z = z*a + s, s = s + 1, t = z*z, u = sin(z)*s} in "
            "sum(cumsum(r.t)) + sum(r.u) + r.z")

    def value(a, m):     # with its first two derivatives by a
        z, s, t, total = (a, 1.0, 0.0), 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        while s < m:
            v, d, e = z
            t = t[0] + v*v, t[1] + 2*v*d, t[2] + 2*d*d + 2*v*e
            u = math.sin(v)*s, math.cos(v)*d*s, (math.cos(v)*e - math.sin(v)*d*d)*s
            total = tuple(p + q + r for p, q, r in zip(total, t, u))
            z = v*a + s, d*a + v, e*a + 2*d
            s += 1
        return [p + q for p, q in zip(total, z)]

    for m in -1.0, 1.0, 3.0, 6.0:
        words = "a=0.5", f"m={m}"
        f, g, h = value(0.5, m)
        everywhere(f"{{f = {text}, g = grad({text}, a)}}", [f, g], *words)
        everywhere(f"jvp({text}, a, 2.0)", [2*g], *words)
        everywhere(f"grad(grad({text}, a), a)", [h], *words)
        everywhere(f"scan (a in v) => ({text})", [value(a, m)[0] for a in (0.5, -0.25)], "v=[0.5, -0.25]", f"m={m}")
        everywhere(f"grad(sum(scan (a in v) => ({text})), v)", [value(a, m)[1] for a in (0.5, -0.25)],
                   "v=[0.5, -0.25]", f"m={m}")


@test
def what_is_too_much_to_write_down_is_run_again():
    """A trace of 40 MB, beside one of a few; what the second run gives is the same."""
    text = ("let r = scan (z = y, i < 100) while z[0] < m => {z = z + 1, t = z*2, u = z[1]} in "
            "{t = sum(r.t), last = r.t[len(r.t) - 1, 5], u = sum(r.u), z = r.z[1]}")
    holds(plan_of(text, "y: f64[n]", "m: f64"), "written down")
    n = 1 << 18
    for passes in 3, 20:
        out = call("eval", text.replace("y,", f"f64[{n}](0),", 1), f"m={float(passes)}")[0]
        near(out, [passes*(passes - 1)*float(n), 2*(passes - 1), passes*(passes - 1)/2, passes])


@test
def what_moves_within_the_state_is_made_once():
    """A queue: all of it moves in each pass, to where the next pass finds it, and what is written then is written there."""
    words = "s0=[1.0, 2, 3, 4]", "v=[10.0, 20, 30]"
    for body, wanted in (("(s with [1:] = s[:-1]) with [0] = x", [30, 20, 10, 1]), ("(s with [:-1] = s[1:]) with [-1] = x", [4, 10, 20, 30]),
                         ("((s with [1:] = s[:-1]) with [0] = x) with [2] += s[0]", [30, 20, 30, 11]),
                         ("if x > 15 then (s with [1:] = s[:-1]) with [0] = x else s with [1] = x", [30, 20, 1, 10]),
                         ("let t = (s with [1:] = s[:-1]) with [0] = x in t with [3] = sum(t) + s[3]", [30, 20, 10, 114])):
        text = f"scan (s = s0, x in v) => {body}"
        everywhere(text, wanted, *words)
        for copied, made in re.findall(r"scatter f64\((b\d+), b\d+, \w+, (b\d+) \|", call("explain", text, "s0: f64[n]", "v: f64[m]", "--show", "plan")[0]):
            same((body, copied), (body, made if "if" not in body else copied))


@test
def what_is_walked_along_another_axis_lies_where_it_is():
    """Elements are read through strides: always where rows stay in one piece, else where a pass reads each number once."""
    stays = {"scan (h = 0.0, x in X.T) => sin(h) + sum(x*x)": ("X: f64[n, m]", "X=[[1.0, 2, 3], [4.0, 5, 6]]"),
             "scan[back] (h = f64[len(X)](1), x in X.T) => sin(h + x)*x": ("X: f64[n, m]", "X=[[1.0, 2, 3], [4.0, 5, 6]]"),
             "(scan (h = 0.0, x in X.T) while h < 20 => {h = h + sum(x)}).h": ("X: f64[n, m]", "X=[[1.0, 2, 3], [4.0, 5, 60]]"),
             "scan (h = f64[2, 2](0), x in transpose[1, 0, 2](X)) => sin(h)*sum(x) + x*x":
             ("X: f64[2, n, 2]", "X=[[[1.0, 2], [3, 4], [5, 6]], [[7.0, 8], [9, 10], [11, 12]]]"),
             "scan (h = f64[2, 2](0), x in transpose[2, 1, 0](X)) => h + x*sin(h)":
             ("X: f64[2, 2, n]", "X=[[[1.0, 2, 3], [3, 4, 5]], [[7.0, 8, 9], [9, 10, 11]]]"),
             "grad(sum(scan (h = y, x in X.T) => sin(h*x)), y)":
             ("X: f64[n, m]", "y: f64[n]", "X=[[1.0, 2, 3], [4.0, 5, 6]]", "y=[0.5, -1.0]")}
    copied = {"scan (h = f64[len(X)](0), x in X.T) => h*sum(x) + x*x": ("X: f64[n, m]", "X=[[1.0, 2, 3], [4.0, 5, 6]]"),
              "scan (h = f64[len(X)](1), x in X.T) => h*(h @ x)": ("X: f64[n, m]", "X=[[1.0, 2, 3], [4.0, 5, 6]]"),
              "scan (h = f64[len(X)](1), x in X.T) => cumsum(x)*h": ("X: f64[n, m]", "X=[[1.0, 2, 3], [4.0, 5, 6]]")}
    for text, words in [*stays.items(), *copied.items()]:
        types, values = [w for w in words if ":" in w], [w for w in words if "=" in w]
        plan = call("explain", text, *types, "--show", "plan")[0]
        same((text, "# transpose" in plan), (text, text in copied))
        alike(text, text, *values)
    # as if what is turned had been given
    X = [[[1.0, 2, 3], [3, 4, 5]], [[7.0, 8, 9], [9, 10, 11]]]
    for turn in itertools.permutations(range(3)):
        sizes = [(2, 2, 3)[a] for a in turn]
        Z = [[[X[at[0]][at[1]][at[2]] for k in range(sizes[2]) for at in [[(i, j, k)[turn.index(a)] for a in range(3)]]]
              for j in range(sizes[1])] for i in range(sizes[0])]
        text = "scan (h = f64[%d, %d](0), x in %%s) => h*0.5 + x" % tuple(sizes[1:])
        same(call("eval", text % f"transpose[{turn[0]}, {turn[1]}, {turn[2]}](X)", f"X={X}")[0], call("eval", text % "Z", f"Z={Z}")[0])


@test
def what_needs_no_pass_of_its_own_leaves_the_loop():
    """The gradient of a recurrent net: dW, dU and db are one product or sum each behind the loop, U @ x one before."""
    net = "sum((scan (s = y, x in X) => tanh(W @ s + U @ x + b))^2)"
    types = "W: f64[3, 3]", "U: f64[3, 2]", "b: f64[3]", "X: f64[t, 2]", "y: f64[3]"
    text = call("explain", f"grad({net}, {{W, U, b}})", *types, "--stage", "remerge")[0]
    back = text[text.index("scan[back]"):]
    same(back[:back.index(")")].count(" = "), 1)   # the cotangent of s alone is carried
    same([back.count("einsum"), back.count("sum[0]"), text[:text.index("=>")].count("einsum")], [2, 1, 1])
    W, U, b = [[0.5, -0.25, 1.0], [0.0, 2.0, -1.0], [0.125, 0.75, 0.5]], [[1.0, -1.0], [0.5, 0.25], [2.0, 0.0]], [0.5, 0.25, -1.0]

    def value(w, u, c, X):
        s = Y
        for x in X:
            s = [math.tanh(sum(w[i][j]*s[j] for j in range(3)) + sum(u[i][j]*x[j] for j in range(2)) + c[i])
                 for i in range(3)]
        return sum(v*v for v in s)

    for X in [[1.0, 0.5], [-0.5, 2.0], [0.25, -1.0]], [[0.5, 0.25]]:
        words = f"W={W}", f"U={U}", f"b={b}", f"X={X}", f"y={Y}"
        everywhere(net, [value(W, U, b, X)], *words)
        for tier in TIERS:
            got = numbers(call("eval", f"grad({net}, {{W, U, b}})", *words, "--tier", tier)[0])
            at = 0
            for of in W, U, [b]:
                for row in of:
                    for k, v in enumerate(row):
                        row[k] = v + 1e-5
                        more = value(W, U, b, X)
                        row[k] = v - 1e-5
                        slope = (more - value(W, U, b, X))/2e-5
                        row[k] = v
                        assert abs(got[at] - slope) < 1e-8, (got[at], slope)
                        at += 1
    # no pass: nothing is added, and nothing fails that is not reached
    none = "W=f64[3, 3](1)", "U=f64[3, 2](1)", f"b={b}", "X=f64[0, 2](1)", f"y={Y}"
    everywhere(f"let g = grad({net}, {{W, U, b}}) in sum(g.W) + sum(g.U) + sum(g.b)", [0], *none)
    everywhere("scan (s = 0.0, x in X) => s + x @ A[k]", [0], "X=f64[0, 2](1)", "A=f64[1, 2](1)", "k=7")
    everywhere("scan[back] (S = f64[2, 2](0), x in X) => S + einsum[(i,), (j,), (i, j)](x, 2*x)", [20, 28, 28, 40],
               "X=[[1.0, 2], [3, 4]]")


def steps_in_loop(text, *types):
    plan = call("explain", text, *types, "--stage", "plan")[0]
    return sum(line.startswith("  ") for line in plan[plan.index("loop 0:"):].splitlines())


@test
def numbers_that_follow_one_another_share_a_step(folder):
    """A loop over numbers is a step a pass, whatever it carries and asks; so a while costs what the body costs."""
    for text in ("scan (y = x, i < 9) while y > 0.0 => y*0.9 + 0.5", "scan (y = x) while y < 9.0 => y*0.9 + 2",
                 "scan (y = x, k = 0) while k < 9 => {y = y*0.9, k = k + 1}",
                 "scan (a = x, b = 1.0, i < 5) => {a = b, b = a + sin(b)}",   # one of them a copy
                 "scan (p = x, q = 0.0, e = 0.0, i < 9) => let r = p^2 + q^2 in {p = p + q, q = q - p/r, e = max(e, r)}"):
        same(steps_in_loop(text, "x: f64"), 1)
    # sizes that a pass computes begin a phase; what an index picks is told with its own line
    same(steps_in_loop("scan (c = 1, s = 0.0, i < 4) => {c = min(c + 1, n), s = s + sum(y[:c])*0.5}", "y: f64[n]"), 2)
    everywhere("scan (c = 1, s = 0.0, i < 4) => {c = min(c + 1, len(y)), s = s + sum(y[:c])*0.5}", [3, 8.0], f"y={Y}")
    write_files(folder, p="fn f(y: f64[n], k: i64[m]) =\n  let a = y[k[0]*k[0]]*2 in\n  let b = y[k[1]*k[1]]*3 in\n  {a, b}\n"
                "fn g(y: f64[n], k: i64[m], x: f64) =\n  let a = x*2 in\n  let b = y[k[1]*k[1]]*3 in\n  {a, b}\n")
    for tier in TIERS:
        holds(call("run", f"{folder}/p.por:g", f"y={Y}", "k=[1, 5]", "x=1.0", "--tier", tier, status=1)[1], "p.por:7")
        near(call("run", f"{folder}/p.por:f", f"y={Y}", "k=[1, 0]", "--tier", tier)[0], [4, 3])
        holds(call("run", f"{folder}/p.por:f", f"y={Y}", "k=[1, 5]", "--tier", tier, status=1)[1], "p.por:3")
        holds(call("run", f"{folder}/p.por:f", f"y={Y}", "k=[7, 5]", "--tier", tier, status=1)[1], "p.por:2")
    everywhere("(scan (k = key(3), t = 0.0, i < 4) => {k = k[i], t = t + 0*uniform[f64](k)}).t", [0])


@test
def loops_one_upon_another_are_merged_each_in_its_turn():
    """Loops that begin alike, each along what the one before gives: those of a derivative walk with those of the value."""
    for n, loops in (1, [2, 2, 5]), (2, [4, 4, 9]), (5, [10, 10, 24]):
        layers = "let x0 = x in " + "".join(f"let x{i + 1} = x{i}*0.5 + (scan (h = 0.0, v in x{i}) => let h = tanh(h*w + v) in "
                                            "{h, out = h}).out in " for i in range(n))
        for text, wanted in zip((f"{{v = sum(x{n}^2), d = grad(sum(x{n}^2), {{x, w}})}}", f"grad(sum(x{n}^2), w)",
                                 f"grad(grad(sum(x{n}^2), w), w)"), loops):
            plan = call("explain", layers + text, "x: f64[n]", "w: f64", "--stage", "plan")[0]
            same((n, text, len(set(re.findall(r"loop (\d+)[,:b ]", plan)))), (n, text, wanted))
            alike(layers + text, layers + text, "x=[0.5, -1.0, 2.0]", "w=0.75", within=1e-12)
    # next values that walk along nothing are the same, whatever is walked along beside them
    beside = "(scan (h = 1.0, v in {}) => let h = h*w in {{h, out = h*v}}).out"
    plan = call("explain", beside.format("x") + " + " + beside.format("y"), "x: f64[n]", "y: f64[n]", "w: f64", "--stage", "plan")[0]
    assert "loop 0" in plan and "loop 1" not in plan, plan


@test
def traces_end_with_the_loop():
    everywhere("(scan (n = n) while n > 1 => {n = if n % 2 == 0 then n//2 else 3*n + 1, t = n}).t",
               [6, 3, 10, 5, 16, 8, 4, 2], "n=6")
    everywhere("scan (s = 0.0, v in y) while s < 2 => {s = s + v, at = s}", [3, 0, 1], f"y={Y}")
    everywhere("len((scan (s = 0.0, v in y) while s < -1 => {s = s + v, at = s}).at)", [0], f"y={Y}")
    everywhere("scan (s = 0.0, v in y, i < 3) while v < 3 and i < 9 => s + v", [3], f"y={Y}")


@test
def a_pass_that_is_not_made_does_not_run():
    everywhere("scan (s = 0.0, i < 3) while y[i] > 0 => s + y[i]", [6], f"y={Y}")
    everywhere("scan (s = 0.0, i < k) while y[i] > 0 => s + y[i]", [0], f"y={Y}", "k=0")
    everywhere("scan (s = 0.0, k = k) while k < 3 => {s = s + y[k], k = k + 1}", [6, 3], f"y={Y}", "k=0")
    everywhere("(scan (s = 0.0, k = k) while k < 3 => {s = s + sum(y[k:]), k = k + 1}).s", [14], f"y={Y}", "k=0")
    everywhere("(scan (s = 0.0, k = k) while k < 3 => {s = s + sum(y[k:]), k = k + 1}).s", [0], f"y={Y}", "k=7")
    everywhere("if s > 0 then s else (scan (t = s) while t < 1 => t)", [2], "s=2.0")   # the other side has no end
    everywhere("scan (r = 0.0, i < k) => r + (scan (t = s) while t < 1 => t)", [0], "s=-2.0", "k=0")


@test
def derivatives_of_loops_that_a_condition_ends():
    root = math.sqrt(7)
    everywhere(f"grad({NEWTON}, a)", [0.5/root], "a=7.0")
    everywhere(f"jvp({NEWTON}, a, 2.0)", [1/root], "a=7.0")
    everywhere(f"grad(grad({NEWTON}, a), a)", [-0.25/7/root], "a=7.0")
    everywhere(f"grad(jvp({NEWTON}, a, 1.0), a)", [-0.25/7/root], "a=7.0")
    states = NEWTON.replace("scan", "scan[states = 3]")
    everywhere(f"grad({states}, a)", [0.5/root], "a=7.0")
    everywhere("grad((scan (s = 1.0, v in y) while s < 5 => s*v), y)", [6, 3, 2], f"y={Y}")
    everywhere("grad((scan (s = 1.0, v in y) while s < 2 => s*v), y)", [2, 1, 0], f"y={Y}")
    # a loop within the loop, and a branch in that
    nested = ("scan (t = a) while t < 50 => t + (scan (u = t, i < 9) while u < 3*t => "
              "if u > 10 then u*1.5 else u + a)")
    def walk(a):
        t = a
        while t < 50:
            u, i = t, 0
            while i < 9 and u < 3*t:
                u, i = (u*1.5 if u > 10 else u + a), i + 1
            t += u
        return t
    everywhere(nested, [walk(1.3)], "a=1.3")
    everywhere(f"grad({nested}, a)", [walk(1.3)/1.3], "a=1.3")   # a multiple of a, as long as no test changes


@test
def derivatives_of_loops_whose_passes_may_fail():
    """What may fail is computed before the loop, where there is a pass: the body knows how many there are, and its
    derivative does not ask how they were counted, which is this loop again."""
    step = "f64[n](0) with [to] += w*(f64[n](0) with [k] += w)[k]*x[k]"
    loop = ("let g = (x) => " + step + " in "
            "(scan (x = f64[n](1), next = g(f64[n](1)), i < 9) while sum(x) > 0.4 => {x = next, next = g(next)}).x")
    words = ["w=[0.25, 0.5, 0.25]", "k=[0, 1, 0]", "to=[1, 0, 1]", "n: i64", "n=2"]
    everywhere(loop, [0.25*0.25, 0.25*0.25], *words)
    everywhere(f"grad(sum({loop}), w)", [0.5, 0.5, 0.5], *words)   # twice a^2*b^2: a = w[0] + w[2], b = w[1]
    everywhere(f"hessian(sum({loop}), w)", [1, 2, 1, 2, 1, 2, 1, 2, 1], *words)


@test
def results_of_a_branch_that_part():
    """One is asked by the condition of another branch, the other by its side alone: each is captured, not both as one."""
    two = "if x > 0 then {u = gamma(x), v = lgamma(x + 1)} else {u = sin(x), v = gamma(x)}"
    text = f"let p = {two} in if p.u == y[0] then gamma(y[1]) else gamma(p.v)*p.u"
    g, v = math.gamma(2.5), math.lgamma(3.5)
    everywhere(text, [math.gamma(v)*g], "x=2.5", f"y={Y}")
    everywhere(f"scan (s = 0.0, i < 3) => s + ({text})", [3*math.gamma(v)*g], "x=2.5", f"y={Y}")
    everywhere(text, [1], "x=2.0", f"y={Y}")


@test
def variables_that_are_still_weak():
    """Of [1.0, 2.0] it is not decided yet that it is f64: what is made in a loop's body with its type is f64 there."""
    everywhere("let f = (y) => [3*y[1], y[0]] in jacobian(f, [1.0, x])", [0, 3, 1, 0], "x=2.0")
    everywhere("let f = (y) => [3*y[1]^2, y[0]] in scan (y = [1.0, 2.0], i < 2) => y + jacobian(f, y)[0]", [1, 98])
    everywhere("let f = (y) => [3*y[1]^2, y[0]] in scan (y = [1.0, 2.0], i < 2) => y + jacobian[forward](f, y)[0]", [1, 98])
    everywhere("scan (y = 1.0, i < 2) => y + 0*normal[typeof(y)](key(i))", [1])


@test
def types_that_go_from_value_to_value():
    """The last of a chain is f64, or a vector, only when all before it are: as many rounds as there are values."""
    chain = "scan (a = 0.0, b = 0.0, c = 0.0, d = 0.0, e = 0.0, i < 6) => {a = a + %s, b = a, c = b, d = c, e = d}"
    everywhere(chain % "x", [12, 10, 8, 6, 4], "x=2.0")
    everywhere(chain % "y", [k*v for k in (6, 5, 4, 3, 2) for v in Y], f"y={Y}")
    holds(call("eval", chain % "[a, a]", status=1)[1],
          "scan: a begins as f64 and goes on as f64[2], then as f64[2, 2]")


@test
def sizes_and_counts_that_change_by_turns():
    """Of the sizes that a pass computes, some are counts of passes alone and some are those of arrays."""
    text = "scan (s = x, i < 9) => s + (scan (t = 0.0, j < 2^(i % 3)) => t + sum(y[:(i//2) % 4])*sin(t + i))"

    def loop(x):
        for i in range(9):
            t = 0.0
            for _ in range(2**(i % 3)):
                t += sum(Y[:(i//2) % 4])*math.sin(t + i)
            x += t
        return x
    everywhere(text, [loop(0.5)], "x=0.5", f"y={Y}")
    holds(call("eval", "scan (s = x, i < 9) => s + (scan (t = 0.0, j < 3 - i) => t + sum(y[:i % 4]))", "x=0.5", f"y={Y}",
               status=1)[1], "3 - i")


@test
def what_is_refused(folder):
    refused = {
        "if x then 1 else 2": "if x: f64 where one bool is wanted; where(c, a, b) chooses for each element",
        "if y > 0 then 1 else 2": "if y > 0: bool[3] where one bool is wanted",
        "if x > 0 then [1.0, 2] else [1.0, 2, 3]": "if: one side gives f64[2], the other f64[3]",
        "if x > 0 then {a = 1} else 2": "if: {a = 1} is {a: i64} and 2 is i64; both sides give one type",
        "if x > 0 then sin else cos": "functions are chosen by what is known while building alone",
        "scan (s = x) while s => s": "scan: while s: f64 where one bool is wanted",
        "scan[back] (s = x, i < 3) while s > 1 => s": "a loop from the end has all its steps; walk along x[::-1]",
        "scan (i < 3) while x > 1 => x": "scan: nothing is carried that could end it",
        "scan (s = x) => s": "add i < n, x in xs, or while c"}
    for text, message in refused.items():
        holds(call("eval", text, "x=1.0", f"y={Y}", status=1)[1], message)


@test
def what_is_printed_reads_back(folder):
    for text in (PLAIN, "let s = sum(y) in let z = exp(y)*s in if x > 1 then {a = sum(z*z), b = y*2} "
                 "else {a = prod(z), b = cumsum(y)}", "sum(y) + (scan (s = x, i < 9) while s < 3 => s + y[i % 3] + 3)",
                 "sum(y) + (scan (s = x) while s < 3 => s + 1)"):
        printed = call("explain", text, "x: f64", "y: f64[n]", "--stage", "written")[0]
        write_files(folder, p=printed)
        for x in "2.0", "-2.0":
            same(call("eval", f"{folder}/p.por:f", f"x={x}", f"y={Y}")[0], call("eval", text, f"x={x}", f"y={Y}")[0])


@test
def what_no_pass_changes_and_may_fail_is_differentiated():
    for body in ("a + sin(y*z)[0]", "a + exp(y + z)[1]", "a + (y*z)[0]^2", "let q = sin(y*z) in a + q[0]*q[1]", "a*tanh(z*y)[2] + 1"):
        for form in "grad", "jacobian[forward]":
            text = f"{form}(scan (a = 0.0, z in w) => {body}, y)"
            plain = call("eval", text, f"y={Y}", "w=[0.5, 1.5]", "--no-rules", "--tier", "reference")[0]
            everywhere(text, numbers(plain), f"y={Y}", "y: f64[n]", "w=[0.5, 1.5]", "w: f64[m]")
            same(call("eval", text, "y=f64[0](0)", "y: f64[n]", "w=f64[0](0)", "w: f64[m]")[0], "f64[0](0)\n")


@test
def pieces_of_loops_take_numbers_from_around():
    for policy in "[states = 2]", "[levels = 2]", "[bytes = 64]":
        for text in ("grad((c) => scan% (a = 0.5, j < n) => sin(a*c), 0.3)", "grad((c) => scan% (a = c, i < n) => sin(a*c), 1.0)",
                     "scan (s = 0.0, i < n) => s + (scan% (a = 0.5, j < n) => if j == i then a else a + i + j)",
                     "[i < n] => scan% (a = x, j < 4) => if j < i then tanh(a) else a"):
            given = ("n=3", "x=0.7") if "x" in text else ("n=3",)
            plain = call("eval", text.replace("%", ""), *given, "--tier", "reference")[0]
            everywhere(text.replace("%", policy), numbers(plain), *given)


@test
def a_condition_that_counts_is_a_number_of_passes():
    loop = "(scan (x = a, k = c) while k < n => {x = x*0.5, k = k + 1}).x"
    given = "a: f64", "c: i64", "n: i64"
    printed = call("explain", loop, *given, "--stage", "stable")[0]
    holds(printed, "i < max(0, n - c)")
    same(printed.count("while"), 0)
    for c, n, passes in ((0, 4, 4), (-2, 1, 3), (3, 3, 0), (5, -7, 0)):
        everywhere(loop, [0.5**passes], *given, "a=1.0", f"c={c}", f"n={n}")
        everywhere(f"grad({loop}, a)", [0.5**passes], *given, "a=1.0", f"c={c}", f"n={n}")
        everywhere(loop.replace("c)", "c, i < 2)"), [0.5**min(passes, 2)], *given, "a=1.0", f"c={c}", f"n={n}")
    everywhere("scan (x = a, k = 0) while k < len(y) => {x = x*y[k], k = k + 1, t = x}", [6.0, 3, 1, 1, 2], "a=1.0", f"y={Y}")
    for stays in ("k = k + 2", "k = k + n", "k = if x > 3 then 0 else k + 1"):
        holds(call("explain", loop.replace("k = k + 1", stays), *given, "--stage", "written")[0], "while")


@test
def lengths_of_lengths_in_conditions():
    everywhere("scan (h = a, i < n) while len(y[len(y[i:]):]) < 2 => h + 1", [3.0], "a=1.0", f"y={Y}", "n=9")
    everywhere("[j < 2] => (scan (h = a, i < n) while len(y[i:]) != j + 1 => h + 1)", [3.0, 2.0], "a=1.0", f"y={Y}", "n=3")


@test
def numbers_become_what_is_put_among_them():
    everywhere("([i < 3] => 0.5) with [1:] = a", [0.5, 2.0, 2.0], "a=2.0")
    everywhere("[1, 2, 3] with [1] += a", [1.0, 4.5, 3.0], "a=2.5")
    everywhere("scan (h = [i < 3] => 2*0.25, k < 3) => h with [1:] = -a", [0.5, -2.0, -2.0], "a=2.0")


@test
def a_function_within_may_have_the_name_of_the_one_around():
    for text in ("let f = (q) => if q > 2 then q^2 else q in f(x)", "((f) => if f > 2 then f^2 else f)(x)"):
        everywhere(text, [9.0], "x=3.0")


@test
def conditions_hold_no_body_again():
    """A loop in a loop in a loop: no more lines than twice for twice as many, whether or not there is a first pass for certain."""
    def nested(depth, bound):
        text = f"(scan (x = x + c, i < {bound}) while x*x < 100 => sin(x) + 2*c)"
        for k in range(depth):
            text = f"(scan (x = x/2, i{k} < {bound}) while x*x + {k} < 100 => {text})"
        return text

    for bound in "5", "len(v)":
        lines = [len(call("explain", nested(d, bound), "x: f64", "c: f64", "v: f64[n]", "--stage", "written")[0].split("\n"))
                 for d in (4, 8)]
        same(lines[1] <= 2*lines[0], True)
    deep = nested(3, "len(v)")
    plain = call("eval", deep, "x=0.3", "c=0.2", "v=[1.0, 2.0]", "--no-rules", "--tier", "reference")[0]
    everywhere(deep, numbers(plain), "x=0.3", "c=0.2", "v=[1.0, 2.0]")
    everywhere(deep, [0.15], "x=0.3", "c=0.2", "v=f64[0](0)", "v: f64[n]")


@test
def what_is_long_in_loops_is_printed_once():
    """Each loop carries more than a line holds, whose texts get names before its body is printed."""
    text, depth = "a[0]", 8
    for k in range(depth):
        outer = f"c{k + 1}" if k + 1 < depth else "a["
        last = "" if k + 1 < depth else "]"
        carried = ", ".join(f"c{k}{j} = exp({outer}{j}{last}*{k + 2}.5)*sin({outer}{j}{last} + {k + 1})" for j in range(5))
        new = ", ".join(f"c{k}{j} = c{k}{j}/2" + (f" + {text}" if j == 0 else "") for j in range(5))
        text = f"(scan ({carried}, i{k} < n) => {{{new}}}).c{k}0"
    holds(call("explain", text, "a: f64[m]", "n: i64", "--stage", "written", "--max-bytes", "64M")[0], "after written")


@test
def what_each_pass_of_a_loop_needs_alike_in_a_side_is_computed_once():
    """Before the loop: under the condition where that is the same in each pass, else where it cannot fail."""
    def by_hand(x, c, each):
        w, s = x, 0.0
        for _ in range(1000):
            w = math.sin(w) + x
        for i in range(19):
            q = 0.0
            for _ in range(3):
                q += w*i*math.cos(q)
            s += q if (s if each else c) > (c if each else 0) else 0.0
        return s

    slow, given = "(scan (z = x, k < 1000) => sin(z) + x)", ("x: f64", "c: f64")
    sides = "scan (s = 0.0, i < 19) => s + (if {} then (scan (q = 0.0, k < 3) => q + w*i*cos(q)) else 0.0)"
    for condition, before in ("c > 0", "= if v1 then scan (z = x, k < 1000)"), ("s > c", "= scan (z = x, k < 1000)"):
        text = f"let w = {slow} in {sides.format(condition)}"
        for stage in "written", "merge", "stable", "remerge":
            printed = call("explain", text, *given, "--stage", stage)[0]
            holds(printed, before)
            assert printed.index("k < 1000") < printed.index("i < 19") and printed.count("k < 1000") == 1, printed
        each, at, e = condition == "s > c", -0.25, 1e-6
        everywhere(text, [by_hand(0.4, at if each else 1.0, each)], "x=0.4", f"c={at if each else 1.0}")
        slope = (by_hand(0.4 + e, 1.0, False) - by_hand(0.4 - e, 1.0, False))/(2*e)
        got = numbers(call("eval", f"grad({text}, x)", "x=0.4", f"c={at if each else 1.0}")[0])[0]
        assert each or abs(got - slope) < 1e-6*abs(slope), (got, slope)
    # what may fail, or have no end, is none where no pass takes the side
    for w in "sum(v[i64(20*x):])", "v[i64(20*x)]*sum(v)", "(scan (z = x) while z < 1 => z - 1.0 + sum(v[:9]))":
        for condition, c in ("c > 0", "c=-1.0"), ("s > c", "c=1.0"):
            everywhere(f"let w = {w} in {sides.format(condition)}", [0.0], "x=0.4", c, "v=[1.0, 2.0]")
        everywhere(f"let w = {w} in scan (s = 0.0, i < 3) => s + (if i > 7 then w*i else 1.0)", [3.0], "x=0.4", "v=[1.0, 2.0]")


@test
def a_table_that_sides_alone_read_is_made_once(folder):
    """Of loops in a loop, with branches: its indices are loops' indices, within where the loops stand."""
    write_files(folder, table="""
fn f(a: f64[m], b: f64[n + 1], steps: i64) =
    let table = scan (row = b, i < m) =>
        let inner = scan (left = a[i], up in row[1:], j < n) =>
            let left = if a[i] > up then left + b[j] else left - a[m - 1 - i]*up
            in {left, out = left}
        let next = concat[0]([a[i]], inner.out)
        in {row = next, all = next}
    let walk = scan (s = 0.0, k = 0) while k < steps =>
        {s = if k % 2 == 0 then s + table.all[k//2, k//2] else 2*s, k = k + 1}
    in walk.s
""")
    a, b = [0.5, 2.0, -1.0], [1.0, 0.25, 3.0]
    row, rows, s = b, [], 0.0
    for i in range(3):
        left, out = a[i], [a[i]]
        for j in range(2):
            left = left + b[j] if a[i] > row[1 + j] else left - a[2 - i]*row[1 + j]
            out.append(left)
        row = out
        rows.append(row)
    for k in range(5):
        s = s + rows[k//2][k//2] if k % 2 == 0 else 2*s
    path = f"{folder}/table.por:f"
    near(call("run", path, f"a={a}", f"b={b}", "steps=5")[0], [s])
    for stage in "written", "lower":
        printed = call("explain", path, "--stage", stage)[0]
        assert printed.index("i < m") < printed.index("goes" if "goes" in printed else "steps)"), printed
    plan = call("explain", path, "--stage", "plan")[0]
    loops = [line for line in plan.splitlines() if line.lstrip().startswith("loop ")]
    same([len(line) - len(line.lstrip()) for line in loops], [0, 2, 0])


PARTS = {
    # a branch within a side, whose condition becomes known, has the sizes of the branch still
    "sum(if k > 2 then x[:2] else (if j < j then x else x[:idx[0]]))": (8.0, ["k=0", "j=1", "idx=[2]"]),
    "sum(if k > 2 then 2*x else (if j < j then x else (if k < j then x[:idx[0]] else x[::-1])))": (8.0, ["k=0", "j=1", "idx=[2]"]),
    "sum(if all(x > 2) then x[:k] else (if all(x > 2) then x[j:] else x[:idx[0]]))": (8.0, ["k=2", "j=0", "idx=[2]"]),
    # a loop of fewer than no passes, in a side that is not taken
    "let j = 1 in sum(if k == 1 then ((scan[bytes = 64] (h = x, i < min(j - 2, 4)) => 2*h) + x)[idx] else x[idx])":
        (8.0, ["k=0", "j=0", "idx=[0, 1]"]),
    # what a side counts by holds a branch of the condition
    "sum(if n == j then x[x > (scan (h = x[0], i < n - min(j, 4)) while j == n => h + i*0.25)] else x[j:])": (6.0, ["k=2", "j=1", "idx=[2]"]),
    # a guard of what may fail, before a loop, is made once
    "scan (h = 0.0, i < j) => if k == 2 then max(x[j:]) else h": (6.0, ["k=2", "j=1", "idx=[2]"]),
    "scan (h = 0.0, i < j) => if k == 2 then max(x[j:j]) else h": (0.0, ["k=1", "j=3", "idx=[2]"]),
    # what happens before a branch happens once, whatever its steps are counted by
    "sum(scan (i < j) => let z = (scan (h = x, q < min(len(x[k:]), 4)) => (do print(k) in 2*h)) in if idx[0] > 3 then"
    " (scan (s = 0.0, e in z) => s + e) else (scan (s = 0.0, e in z) => s + 2*e))": (64.0, ["k=1", "j=2", "idx=[2]"]),
}


@test
def sides_that_come_to_be_known_keep_the_sizes_of_the_branch(folder):
    parameters = "(x: f64[n], k: i64, j: i64, idx: i64[l])"
    write_files(folder, parts="".join(f"fn f{k}{parameters} = {text}\n" for k, text in enumerate(PARTS)))
    for k, (wanted, words) in enumerate(PARTS.values()):
        given = ["x=[2.0, 6.0]", *words]
        same(call("check", f"{folder}/parts.por:f{k}", *given, "--no-native")[0], "same 1 differ 0\n")
        near(call("run", f"{folder}/parts.por:f{k}", *given)[0], [wanted])
    guarded = call("explain", "scan (h = 0.0, i < j) => if k == 2 then max(x[j:]) else h", "j: i64", "k: i64", "x: f64[n]", "--stage", "stable")[0]
    same((guarded.count("scan"), guarded.count("if v1")), (2, 1))


@test
def what_a_branch_gives_for_what_nobody_reads_goes_with_it(folder):
    """Each step reads the branch before; of all there is left what is told in a side."""
    steps = "".join(f"let b = (if k < 4 then x[k] else (do check(a + {n}) in x[idx[0]])) in let x = x*tanh(b) in " for n in range(4))
    stage = call("explain", steps + "a + 0*len(x)", "x: f64[n]", "k: i64", "idx: i64[l]", "a: f64", "--stage", "lower")[0]
    same((stage.count("check("), stage.count("x["), stage.count("tanh")), (4, 0, 0))
    everywhere(steps + "a + 0*len(x)", [2.5], "x=[1.0]", "k=9", "idx=[5]", "a=2.5")
    # one that is read for such a result alone joins no other of its condition
    text = ("let p = (if k < 4 then x[k] else x[1]) in let q = (if a > 1 then {r = x[0], s = x[idx[0]]*p} else {r = a, s = p*x[k]}) in "
            "let z = (if k < 4 then x[k - 1] else a) in z + q.r")
    everywhere(text, [4.0], "x=[1.0, 3.0]", "k=2", "idx=[5]", "a=2.5")
    # nobody reads y[j - 2] any more when where(c, a, a) has become a, by the last rules
    write_files(folder, p="""fn f(x: f64[n], y: f64[m], a: f64, j: i64, k: i64) =
    let s = (scan (h = (let p = (if k > 2 then y[j - 2] else -1.25) in p - (if k > 2 then (do print(k) in a) else 2.0)), i < n - 2) => 2.0)
    in if where(jvp(s, y, y) > 0.25, a, a) <= 1 then 0.5 else (do print(j) in a)
""")
    given = "x=[1.0, 2.0, 3.0]", "y=[1.0, 2.0]", "j=4", "k=4", "a=0.5"
    same(call("check", f"{folder}/p.por:f", *given, "--no-native")[0], "same 1 differ 0\n")


@test
def what_asks_for_what_is_held_is_held_before(folder):
    """Three branches, each behind the one before; what asks for the first is made of what the last one holds."""
    write_files(folder, h="""fn step(x: f64[n], y: f64[m], a: f64) = x*a + a*(if 1 < n then (if 1 < a then max(y[y > a]) else 2.0) else a)
fn f(x: f64[n], y: f64[m], A: f64[m, n], a: f64, k: i64, j: i64) =
    let x = step(x, y, a + 1.0) let x = step(x, y, a + 2.0) let x = step(x, y, a + 3.0) in
    checkpoint((let c = with_derivative((v) => sin(v), (v, y, dv) => a*dv)(mean((scan (e in A[j]) => x[k]))) > 0.5 in
        let z = (if a == j then a else (scan (h = x[2], i < n) => a)) in
        z - (if c then z else (do assert(0.0 < z, {a = x}) in a))))
fn g(x: f64[n], y: f64[m], A: f64[m, n], a: f64, k: i64, j: i64) = grad(f(x, y, A, a, k, j), a)
""")
    given = "x=[0.5, 1.0, 2.0]", "y=[9.0, 8.0]", "A=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]", "a=0.5", "k=1", "j=0"
    same(call("check", f"{folder}/h.por", "--no-native")[0].splitlines()[-1], "same 3 differ 0")
    near(call("run", f"{folder}/h.por:g", *given)[0], [0.0])


def shown_in(page, begins):
    """The block of a page that begins so."""
    text = open(os.path.join(os.path.dirname(__file__), "..", "..", "docs", page), encoding="utf-8").read()
    return next(block for block in text.split("```\n") if block.startswith(begins))


@test
def recursion_is_written_as_the_page_says(folder):
    """On numbers that are known while building it is remembered; on a tree, drawn here, it is a loop over levels."""
    write_files(folder, r=shown_in("notation.md", "fn chebyshev") + shown_in("notation.md", "# Leaves first") + """
fn most(x: f64) = chebyshev[60](x)
fn slope(v: f64[n], left: i64[n], right: i64[n], start: i64[k], c: f64[n]) = grad(sum(c*below(v, left, right, start)), v)
""")
    near(call("run", f"{folder}/r.por:most", "x=0.3")[0], [math.cos(60*math.acos(0.3))], 1e-9)
    rng = random.Random(4)
    n = 40
    children = [None]*n                                     # of trees: each node takes two that have no parent yet
    free = list(range(20))
    for k in range(20, n):
        children[k] = [free.pop(rng.randrange(len(free))) for _ in range(2)] if len(free) > 1 else [free.pop()]
        free.append(k)
    def height(k):
        return 1 + max(map(height, children[k])) if children[k] else 0
    order = sorted(range(n), key=height)
    place = {k: i for i, k in enumerate(order)}
    heights = [height(k) for k in order]
    start = [heights.index(h) for h in range(heights[-1] + 1)] + [n]
    side = [[place[children[k][i]] if children[k] and i < len(children[k]) else n for k in order] for i in range(2)]
    v, c = ([rng.uniform(-1, 1) for _ in range(n)] for _ in range(2))
    def below(k):
        return v[place[k]] + sum(map(below, children[k] or []))
    def above(k):
        return c[place[k]] + sum(above(p) for p in range(n) if children[p] and k in children[p])
    words = [f"v={v}", f"left={side[0]}", f"right={side[1]}", f"start={start}"]
    for tier in TIERS:
        near(call("run", f"{folder}/r.por:below", *words, "--tier", tier)[0], [below(k) for k in order])
        near(call("run", f"{folder}/r.por:slope", *words, f"c={c}", "--tier", tier)[0], [above(k) for k in order])


main(__doc__)
