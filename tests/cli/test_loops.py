#!/usr/bin/env python3
"""test_loops.py PORISM [NAME...]: loops, counted or ended by a condition: values, derivatives, what does not run."""

import itertools
import math
import re

from command import TIERS, Failed, alike, call, holds, main, near, numbers, same, test, write_files

Y = [1.0, 2.0, 3.0]


def everywhere(expression, wanted, *words):
    for tier in TIERS:
        near(call("eval", expression, *words, "--tier", tier)[0], wanted)


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
def the_library_searches_by_halves_and_multiplies_once(folder):
    """What is searched in is read by index, not compared with each; what a condition asks for is carried on."""
    write_files(folder, s="use stats\nfn below(x: f64[n], y: f64[m]) = stats.places_below(x, y)\n"
                "fn upto(x: f64[n], y: f64[m]) = stats.places_upto(x, y)\n",
                b="use solve\nfn f(x: f64[n], a: f64) = solve.broyden((x) => x*(a + x) - 2, x).x\n")
    for name, wanted in ("below", [0, 0, 1, 3, 3, 4, 0, 4]), ("upto", [0, 1, 3, 3, 4, 4, 0, 4]):
        lowered = call("explain", f"{folder}/s.por:{name}", "--stage", "lower")[0]
        same(("scan" in lowered, "sum" in lowered), (True, False))
        y = "y=[0.0, 1, 2, 3, 4, 9, nan, inf]"
        for tier in TIERS:
            near(call("run", f"{folder}/s.por:{name}", "x=[1.0, 2, 2, 4]", y, "--tier", tier)[0], wanted)
            near(call("run", f"{folder}/s.por:{name}", "x=f64[0](1)", y, "--tier", tier)[0], [0]*8)
    lowered = call("explain", f"{folder}/b.por:f", "--stage", "lower")[0]
    same(lowered.count(" @ "), 4)    # before the loop, and three a pass
    near(call("run", f"{folder}/b.por:f", "x=[0.9, 1.2]", "a=1.0")[0], [1, 1])


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


TABLE = """fn filled(s: f64[n, n], t: f64[n + 1, n + 1]) =
    scan (t = t, k < n*n) =>
        let i = k//n + 1
        let j = k % n + 1
        in t with [i, j] = t[i - 1, j - 1] + s[i - 1, j - 1] + t[i, j - 1]
fn of_one_name(s: f64[n, n]) = sum(filled(s, f64[n + 1, n + 1](1)))
fn of_an_argument(n: i64) = sum(filled(f64[n, n](1), f64[n + 1, n + 1](1)))
fn of_two_names(s: f64[n, n], t: f64[m, m]) = sum(filled(s, t))
"""


@test
def a_table_is_filled_where_it_lies(folder):
    """Whatever its sizes are told by, and without a column of it for two of its elements."""
    write_files(folder, table=TABLE)
    for name, *words in (("of_one_name", "s=f64[2, 2](1)"), ("of_an_argument", "n=2"),
                         ("of_two_names", "s=f64[2, 2](1)", "t=f64[3, 3](1)")):
        shown = call("explain", f"{folder}/table.por:{name}", "--show", "plan")[0]
        loop = shown[shown.index("loop 0"):]
        same(bool(re.search(r"carry b(\d+) from b\d+, next b\1\n", loop)), True)
        same(loop.count("# gather"), 0)
        for tier in TIERS:
            near(call("run", f"{folder}/table.por:{name}", *words, "--tier", tier)[0], [23])


@test
def elements_are_taken_of_what_an_outer_loop_has():
    """So an inner loop's derivative is by a row, and is no matrix in each pass of the outer one."""
    for at, taken in ("[i, j]", "[i][j]"), ("[j, i]", "[:, i][j]"), ("[j, _, i][0]", "[:, i][j][_][0]"):
        loop = f"scan (s = 1.0, i < n) => scan (s = s, j < n) => s + x{at}*s"
        holds(call("explain", loop, "x: f64[n, n]", "--stage", "written")[0].replace("i2", "j"), f"x{taken}*s")
    loop = "scan (s = 1.0, i < n) => scan (s = s, j < n) => s + x[i, j]*s"
    shown = call("explain", f"grad({loop}, x)", "x: f64[n, n]", "--stage", "lower")[0]
    same((shown.count("scatter_add"), shown.count("scatter_set")), (1, 0))
    x = [[0.5, -0.25], [1.0, 0.75]]
    whole = math.prod(1 + v for row in x for v in row)
    everywhere(f"grad({loop.replace('< n', '< 2')}, x)", [whole/(1 + v) for row in x for v in row], f"x={x}")


main(__doc__)
