#!/usr/bin/env python3
"""test_bodies.py PORISM [NAME...]: sizes and values on their way in and out of loops' bodies; what is not reached."""

import itertools
import re

from command import TIERS, call, few, holds, main, same, test, write_files


# Scatters of what is made for them alone, and of what others read.
SCATTERS = """
fn of_a_map(x: f64[n], y: f64[m], i: i64[m]) = let j = i % len(x) in scatter_add[0](exp(x), j, y)
fn of_one_another(x: f64[n], y: f64[m], i: i64[m]) =
    let j = i % len(x)
    in scatter_set[0](scatter_add[0](x*2, j, y), j, sqrt(abs(y)))
fn carried(x: f64[n], y: f64[m], i: i64[m]) =
    let j = i % len(x)
    in scan (h = x, k < 4) => scatter_add[0](h*0.5, j, y*h[j])
fn carried_both(x: f64[n], y: f64[m], i: i64[m]) =
    let j = i % len(x)
    in scan (h = x, g = 0*x, k < 4) => {h = scatter_add[0](h - g, j, y), g = scatter_max[0](h*g, j, y)}
fn of_sides(x: f64[n], y: f64[m], i: i64[m], c: bool) =
    let j = i % len(x)
    in if c then scatter_add[0](-x, j, y) else scatter_mul[0](x + 1, j, y)
fn read_by_others(x: f64[n], y: f64[m], i: i64[m]) =
    let j = i % len(x)
    let z = x*x
    in (scatter_add[0](z, j, y), sum(z), scatter_add[0](cumsum(x), j, y))
fn read_again(x: f64[n], y: f64[m], i: i64[m]) =
    let j = i % len(x)
    let z = x*x
    let s = scatter_add[0](z, j, y)
    in (s, scatter_add[0](s, j, y), scatter_add[0](z + 1, j, y))
fn of_data(x: f64[5], y: f64[3]) = grad(sum(exp(x)[[0, 2, 2]]*y) + sum(x[[1, 1, 4]]^2), x)
fn of_rows(A: f64[n, p], B: f64[m, p], i: i64[m]) = let j = i % len(A) in scatter_add[0](tanh(A), j, B) @ A.T
fn of_sides_of_passes(x: f64[n], y: f64[m], i: i64[m]) =
    let j = i % len(x)
    in scan (h = x, k < 3) =>
        if h[0] > 0 then scatter_add[0](h*0.5, j, y) else scatter_add[0](sin(h), j, y) - 1
fn of_lanes(x: f64[n], y: f64[m], i: i64[m]) = let j = i % len(x) in [k < 3] => scatter_add[0](x*k, j, y)
fn of_computed_size(x: f64[n], y: f64[m], i: i64[m]) =
    let j = i % len(x)
    let k = sum(where(x > 0, 1, 0)) in scatter_add[0](exp(x[:k]), j*0, y)
"""


@test
def scatters_in_place_and_of_copies(folder):
    write_files(folder, s=SCATTERS)
    same(call("check", f"{folder}/s.por", "--no-native")[0], f"same {SCATTERS.count('fn ')} differ 0\n")


@test
def parameters_as_sizes_in_every_order(folder):
    types = {"n": "i64", "m": "i64", "a": "f64", "x": "f64[l]"}
    orders = list(itertools.permutations(types))
    write_files(folder, t="\n".join(
        f"fn t{i}({', '.join(p + ': ' + types[p] for p in order)}) = scan (i < m) => scan (j < n) => a*i + j + x[n - 1]"
        for i, order in enumerate(orders)))
    for i in range(len(orders)):
        for tier in TIERS if i % 8 == 0 else ("interpret",):
            out = call("eval", f"{folder}/t.por:t{i}", "n=2", "m=3", "a=10.0", "x=[5.0, 0.5]", "--tier", tier)[0]
            same("".join(out.split()), "[[0.5,1.5],[10.5,11.5],[20.5,21.5]]")
    same(call("check", f"{folder}/t.por", "--no-native")[0], f"same {len(orders)} differ 0\n")


@test
def captured_and_computed_sizes(folder):
    write_files(folder, s="""
fn windows(x: f64[n], w: i64) = scan (i < n - w + 1) => x[i:i+w]
fn heads(X: f64[m, n], k: i64) = scan (x in X) => x[:k]
fn double(a: f64, n: i64, m: i64) = grad(sum(scan (i < m) => sum(scan (j < n) => a*i*j + a^2)), a)
fn pairs(a: f64, x: f64[n]) = grad(sum(scan (i < n) => sum(scan (j < n) => a*x[i]*x[j])), x)
fn counted(x: f64[n], k: i64[m]) = scan (i < len(x[:k[0]])) => x[:k[0]]*i
op front(x: f64[n], k: i64) = x[:k]
fn kept(x: f64[n], k: i64) = scan (i < 2) => front(x, k)*i
fn product(y: f64[m], A: f64[m, n]) = y @ A
fn alike(A: f64[m, n], k: i64) = product(f64[k](2), A)
""")
    wanted = {"windows": ("[[1,2],[2,3],[3,4]]", "x=[1.0, 2, 3, 4]", "w=2"),
              "heads": ("[[1,2],[4,5]]", "X=[[1.0, 2, 3], [4, 5, 6]]", "k=2"),
              "double": ("66", "a=2.0", "n=3", "m=4"),  # sums of i*j and of 2*a: 18 + 12*4
              "pairs": ("[24,24,24]", "a=2.0", "x=[1.0, 2, 3]"),
              "counted": ("[[0,0],[1,2]]", "x=[1.0, 2, 3]", "k=[2, 9]"),
              "kept": ("[[0,0],[1,2]]", "x=[1.0, 2, 3]", "k=2"),
              "alike": ("[18,24]", "A=[[1.0, 2], [3, 4], [5, 6]]", "k=3")}
    for name, (value, *given) in wanted.items():
        for tier in TIERS:
            out = call("eval", f"{folder}/s.por:{name}", *given, "--tier", tier)[0]
            same("".join(out.split()).replace(".0", ""), value)


# Each fails where the loop has a pass, and does not where it has none.
FAILING = """
fn index(x: f64[m], n: i64) = scan (r = 0.0, i < n) => r + x[7]
fn rows(X: f64[m, m], n: i64) = scan (r = 0.0, i < n) => r + sum(X[7] @ X)
fn twice(x: f64[m], n: i64) = scan (r = 0.0, i < n) => r + sum(scan (j < 3) => x[7]*j)
fn inner(x: f64[m], n: i64) = scan (r = 0.0, i < 3) => r + sum(scan (j < n) => x[7]*j)
fn sized(x: f64[m], n: i64) = let k = len(x) + 1 in scan (r = 0.0, i < n) => r + sum(x[:i64(x[7])])
fn slope(x: f64[m], n: i64) = grad(scan (r = 0.0, i < n) => r + sin(x[7]), x)
fn along(x: f64[m], n: i64) = jvp(scan (r = 0.0, i < n) => r*x[7], x, x)
fn pieces(x: f64[m], n: i64) = scan[states = 3] (r = 0.0, i < n) => r + x[7]
fn still(x: f64[m], n: i64) = scan (r = 0.0, k = 7, i < n) => {r = r + x[k], k = k}
fn carried(x: f64[m], n: i64) = scan (h = x, i < n) => f64[len(x) + n](2)
fn stacked(x: f64[m], n: i64) = sum(scan (i < n) => x[7]*i)
fn both(x: f64[m], n: i64) = let a = scan (r = 0.0, i < n) => r + x[7] in a + (scan (q = 1.0, i < n) => q*x[7] + a)
"""


@test
def what_is_not_reached_does_not_run(folder):
    write_files(folder, f=FAILING)
    names = [line[3:line.index("(")] for line in FAILING.splitlines() if line]
    for name in names:
        given = [f"{folder}/f.por:{name}", "x=[1.0, 2, 3]"]
        if name == "rows":
            given[1] = "X=[[1.0, 2], [3, 4]]"
        for tier in TIERS:
            call("eval", *given, "n=0", "--tier", tier)
            call("eval", *given, "n=1", "--tier", tier, status=1)


@test
def requirements_of_bodies_that_do_not_run(folder):
    write_files(folder, r="""
fn front(x: f64[m], n: i64, k: i64) = scan (r = 0.0, i < n) => r + sum(x[:k])
fn inner(x: f64[m], n: i64, k: i64) = scan (r = 0.0, i < n) => r + sum(scan (j < k) => sum(x[j:j+3]))
fn large(x: f64[m], n: i64, k: i64) = scan (r = 0.0, i < n) => r + sum(f64[k*k*k*k*k](i)[1:3])
""")
    for tier in TIERS:
        for k in "4", "-1", "9223372036854775807", "-9223372036854775808":
            call("eval", f"{folder}/r.por:front", "x=[1.0, 2, 3]", "n=0", f"k={k}", "--tier", tier)
            if k[0] != "-":
                call("eval", f"{folder}/r.por:front", "x=[1.0, 2, 3]", "n=1", f"k={k}", "--tier", tier, status=1)
        call("eval", f"{folder}/r.por:inner", "x=[1.0, 2]", "n=1", "k=0", "--tier", tier)
        call("eval", f"{folder}/r.por:inner", "x=[1.0, 2]", "n=1", "k=1", "--tier", tier, status=1)
        call("eval", f"{folder}/r.por:large", "x=[1.0, 2]", "n=0", "k=100000", "--tier", tier)
        call("eval", f"{folder}/r.por:large", "x=[1.0, 2]", "n=1", "k=100000", "--tier", tier, status=1)


@test
def sizes_that_change_from_pass_to_pass(folder):
    write_files(folder, p="fn f(x: f64[n], m: i64) = scan (k = 1, i < m) => {k = k + 1, out = x[:k]}\n"
                          "fn g(x: f64[n], m: i64) = scan (k = 1, i < m) => {k = k + 1, out = kept((v) => v[:k])(x)}\n")
    for name in "f", "g":
        holds(call("eval", f"{folder}/p.por:{name}", "x=[1.0, 2]", "m=2", status=1)[1],
              "a value whose size changes from pass to pass")


# What a body counts its results by, of what it is given and of sizes alone, is counted outside of it as well.
COUNTED = """
op begin(x: f64[n]) = x[:i64(x[0])]
fn op_of_data(x: f64[n]) = begin(x)
fn derived(x: f64[n]) = grad(sum(begin(x)^2), x)
fn lanes(X: f64[n, n]) = [x in X] => sum(begin(abs(x[:1])/(1 + abs(x[:1]))))
fn function(x: f64[n]) = kept((y) => y[:i64(y[0])])(x)
fn in_a_loop(x: f64[n]) = scan (s = 0.0, i < 3) => s + sum(begin(x))
fn root_of_size(x: f64[n]) = scan (s = 0.0, i < 3) => s + sum((scan (h = 1.0, j < 2) =>
    {h = h, t = f64[i64(sqrt(f64(len(x))))](s + 1 + h)}).t)
fn trace(x: f64[n]) = (scan (h = 1.0, j < 2) => {h = h + 1, t = f64[i64(sqrt(f64(len(x))))](1 + h)}).t
fn budget(y: f64[n], k: i64) = scan (s = 0.0, i < 3) => s + sum((scan[bytes = 64] (h = s, j < k) => {h = h + y[0], t = h}).t)
fn budget_along(y: f64[n], k: i64) = scan (s = 0.0, i < 3) =>
    s + sum(jvp((scan[bytes = 64] (h = y + s, j < k) => {h = h + 1, t = h}).t, y, y*i))
fn levels_along(y: f64[n], k: i64) = scan (s = 0.0, i < k) =>
    s + jvp(sum((scan[levels = 3] (h = y[0], j < len(y[1:])) => {h = h + y[0], t = h}).t), y, y*i)
fn levels_until(y: f64[n], k: i64) = scan (s = 0.0, i < k) =>
    s + jvp(sum((scan[levels = 3] (h = y[0], j < 7) while h < 3 => {h = h + y[0], t = h}).t), y, y*(i + s))
fn levels_back(y: f64[n], k: i64) = scan (s = 0.0, i < k) =>
    s + sum(vjp((scan[back, levels = 2] (h = y, v in y) => {h = sin(h)*v, t = h}).t, y, outer(y, y*s)))
"""


@test
def sizes_counted_by_who_holds_the_body(folder):
    write_files(folder, p=COUNTED)
    words = {"y": "y=[2.0, 3.0]", "k": "k=2", "x": "x=[1.0, 2.0]"}
    for name, given, value in (("op_of_data", "x", "[1.0]"), ("derived", "x", "[2.0, 0.0]"),
                               ("root_of_size", "x", "52.0"), ("budget", "yk", "26.0"),
                               ("budget_along", "yk", "30.0"), ("levels_along", "yk", "2.0")):
        same(call("eval", f"{folder}/p.por:{name}", *(words[w] for w in given))[0].strip(), value)
    same(call("check", f"{folder}/p.por", "--no-native")[0], f"same {COUNTED.count('fn ') + 1} differ 0\n")


# A size that may fail is counted around the loop, by what that begins with, and in its passes no other one.
HELD_SIZES = """
fn from_an_index(x: f64[n], y: f64[m], idx: i64[l], a: f64, j: i64) =
    let v = x[:idx[1]] let u = y[j:] let A = outer(u, v) in
    sum(scan (h = v, i < len(u)) => (scan (B = A, k < len(h[2:])) => B with [0] += h)[0])
fn from_a_mask(x: f64[n], y: f64[m], idx: i64[l], a: f64, j: i64) =
    let v = x[nonzero(x > a, min(idx[1], 3))] let u = y[j:] let A = outer(u, v) in
    sum(scan (h = v, i < len(u)) => (scan (B = A, k < 3) => B with [0] += h)[0])
fn walked(x: f64[n], y: f64[m], idx: i64[l], a: f64, j: i64) =
    let V = outer(y, x[:idx[1]]) in (scan (h = V[0]*a, v in V[j:]) => (scan (b = h, k < 3) => b + v*sum(outer(b, v))))[0]
"""


@test
def sizes_that_may_fail_are_those_around(folder):
    write_files(folder, h=HELD_SIZES)
    for name in re.findall(r"fn (\w+)", HELD_SIZES):
        for idx, j in ("[0, 2]", 0), ("[0, 2]", 2), ("[0, 3]", 1), ("[0]", 2), ("[0, -1]", 2):
            given = "x=[0.3, 1.2, 2.0]", "y=[1.0, 2.0]", f"idx={idx}", "a=0.2", f"j={j}"
            same(call("check", f"{folder}/h.por:{name}", *given, "--no-native")[0], "same 1 differ 0\n")


@test
def sizes_of_a_call_are_counted_where_nobody_reads_it(folder):
    write_files(folder, n="""fn f(x: f64[n], y: f64[m], idx: i64[l], a: f64) =
    let j = len(y[idx[1]:]) in checkpoint((p) => f64[j]((do assert(0.0 < p[idx[1]], {a = p}) in a)))(x)
fn g(x: f64[n], y: f64[m], idx: i64[l], a: f64) = grad(vjp(f(x, y, idx, a), a, x), y)
""")
    given = "x=[1.0, 2.0, 3.0, 4.0]", "y=[0.85, -0.15, -0.86, -0.055, 0.59]", "idx=[1, 1, 3, 2]", "a=0.5"
    for tier in TIERS:
        same(call("run", f"{folder}/n.por:f", *given, "--tier", tier)[0].strip(), "[0.5, 0.5, 0.5, 0.5]")
        same(call("run", f"{folder}/n.por:g", *given, "--tier", tier)[0].strip(), "[0.0, 0.0, 0.0, 0.0, 0.0]")


# What a loop carries keeps its sizes, which of arrays without elements no count of elements tells.
EMPTY = """
fn next(X: f64[m, n], j: i64) = scan (h = f64[m, j](0), i < 2) => X
fn lanes(X: f64[m, n], j: i64) = [x in X] => sum(scan (h = f64[j](x[0]), i < 2) => X[:, 0])
fn side(X: f64[m, n], j: i64) = if j > 9 then f64[m, j](0) else X
fn until(X: f64[m, n], j: i64) = scan (h = f64[j, m](0), i < 9) while j < 9 => X.T
"""


@test
def sizes_of_empty_arrays_are_asked(folder):
    write_files(folder, e=EMPTY)
    for name, good, bad in (("next", 3, 4), ("lanes", 0, 4), ("side", 3, 4), ("until", 3, 4)):
        for tier in TIERS:
            call("run", f"{folder}/e.por:{name}", "X=f64[0, 3](0)", f"j={good}", "--tier", tier)
            holds(call("run", f"{folder}/e.por:{name}", "X=f64[0, 3](0)", f"j={bad}", "--tier", tier, status=1)[1],
                  "must equal")


@test
def an_index_is_a_fold_of_nothing(folder):
    """What stands at the place that a fold gives is stored however many terms the fold has."""
    write_files(folder, i="""
fn plain(x: f64[n], y: i64[m], Y: i64[r, m]) = x[sum(y)] + 1
fn length(x: f64[n], y: i64[m], Y: i64[r, m]) = sin(x[len(y[m:])]) > 0
fn rows(x: f64[n], y: i64[m], Y: i64[r, m]) = [i < r] => x[sum(Y[i])] + i
fn column(x: f64[n], y: i64[m], Y: i64[r, m]) = x[sum[0](Y.T)]*2
fn slope(x: f64[n], y: i64[m], Y: i64[r, m]) = grad(x[sum(y)]^2, x)
""")
    wanted = {"plain": "1.5", "length": "true", "rows": "[0.5,1.5]", "column": "[1.0,1.0]", "slope": "[1.0,0.0]"}
    for name, value in wanted.items():
        for tier in TIERS:
            out = call("run", f"{folder}/i.por:{name}", "x=[0.5, 7.0]", "y=i64[0](0)", "Y=i64[2, 0](0)", "--tier", tier)[0]
            same("".join(out.split()), value)


# Of each loop whether its state is written where it is: nobody reads the old one behind that.
UPDATES = (
    (True, "plain", "x: f64[n], m: i64",
     "scan (s = x, i < m) => s with [i % n] += f64(i)"),
    (True, "sets", "x: f64[n], m: i64",
     "scan (s = x, i < m) => s with [i*7 % n] = f64(i)"),
    (True, "rows", "X: f64[n, k], m: i64",
     "scan (s = X, i < m) => s with [i % n] = X[0]*f64(i)"),
    (True, "reads_before", "x: f64[n], m: i64",
     "scan (s = x, i < m) => s with [(i + 1) % n] += s[i % n]*0.5"),
    (True, "goes_on", "x: f64[n], m: i64",
     "scan (s = x, j = 0) while j < m => {s = (s with [j % n] += 2.0), j = j + 1}"),
    (True, "within", "x: f64[n], m: i64",
     "scan (s = x, i < m) => (scan (t = s, j = i) while j < n => {t = (t with [j] += 1.0), j = j + 2}).t"),
    (True, "two", "x: f64[n], m: i64",
     "scan (p = {u = x, v = 2*x}, i < m) => {u = (p.u with [i % n] = p.v[0]), v = (p.v with [0] += 1.0)}"),
    (True, "read_after", "x: f64[n], m: i64",
     "scan (s = x, r = 0.0, i < m) => let t = (s with [i % n] = 3.0) in {s = t, r = r + sum(cumsum(s)) - sum(cumsum(t))}"),
    (False, "swapped", "x: f64[n], m: i64",
     "scan (s = x, t = 2*x, i < m) => {s = (t with [i % n] = 5.0), t = s}"),
    (True, "kept_old", "x: f64[n], m: i64",
     "scan (s = x, old = x, i < m) => {s = (s with [i % n] += 1.0), old = s}"),
    (False, "its_own", "x: f64[n], m: i64",
     "scan (s = x, i < m) => s with [:] = flip[0](s)"),
    (True, "traced", "x: f64[n], m: i64",
     "(scan (s = x, i < m) => {s = (s with [i % n] += 1.0), path = s}).path"),
    (True, "twice", "x: f64[n], m: i64",
     "scan (s = x, i < m) => (s with [i % n] += 1.0) with [0] = s[1]"),
    (True, "sided", "x: f64[n], m: i64",
     "scan (s = x, i < m) => if s[i % n] > 1 then (scan (t = s, j < n) => t with [j] += cumsum(t)[0]) else s"),
    (True, "one_side", "x: f64[n], m: i64",
     "scan (s = x, i < m) => if s[0] > 0 then s with [i % n] = s[(i*3) % n] + 1 else s"),
    (True, "other_side", "x: f64[n], m: i64",
     "scan (s = x, i < m) => if s[0] > 0 then s else s with [i % n] = s[(i*3) % n] + 1"),
    (True, "sides_in_sides", "x: f64[n], m: i64",
     "scan (s = x, i < m) => if i % 2 == 0 then (if s[0] > 0 then s with [0] = -1.0 else s) else s with [i % n] += s[0]"),
    (True, "both_sides_read", "x: f64[n], m: i64",
     "scan (s = x, r = 0.0, i < m) => let t = if i % 2 == 0 then s with [i % n] = r else s "
     "in {s = t, r = r + (if i % 3 == 1 then sum(s) else prod(s))}"),
    (False, "sizes_between", "x: f64[n], m: i64",
     "(scan (s = x, r = 0.0, i < m) => let t = if i % 2 == 0 then s with [i % n] = r else s "
     "in {s = t, r = r + (if r > 2 then sum(cumsum(s)) else s[0])}).s"),
    (True, "swapped_elements", "x: f64[n], m: i64",
     "scan (s = x, i < m) => s with [i % n] = s[(i*7) % n] with [(i*7) % n] = s[i % n]"),
    (True, "sorted", "x: f64[n], m: i64",
     "scan (s = x, i < m) => scan (s = s, j < n - 1) => let (a, b) = (s[j], s[j + 1]) "
     "in s with [j] = min(a, b) with [j + 1] = max(a, b)"),
    (True, "sieve", "x: f64[n], m: i64",
     "scan (s = x, i < m) => if s[i % n] > 0 "
     "then (scan (s = s, j = i) while j < n => {s = s with [j] = 0.0, j = j + 2}).s else s"),
    (True, "two_loops", "x: f64[n], m: i64",
     "scan (s = x, i < m) => let t = (scan (t = s, j < n) => t with [j] += 1.0) "
     "in scan (u = t, j < min(i, n)) => u with [j] = u[0]*2"),
    (True, "element", "X: f64[n, k], m: i64",
     "scan (s = X, i < m) => s with [i % n, i % k] = s[(i*5) % n, (i*3) % k] + 1"),
    (True, "relaxed", "X: f64[n, k], m: i64",
     "scan (s = X, t < m) => scan (s = s, i < n) => scan (s = s, j < k - 1) => "
     "s with [i, j] = (s[i, j + 1] + s[(i + 1) % n, j])/2"),
    (False, "old_in_the_loop", "x: f64[n], m: i64",
     "scan (s = x, i < m) => scan (t = s, j < n) => t with [j] = s[n - 1 - j]*t[0]"),
    (False, "one_side_old", "x: f64[n], m: i64",
     "(scan (s = x, r = 0.0, i < m) => let t = if i % 2 == 0 then s else s with [i % n] = 9.0 "
     "in {s = t, r = r + sum(s*t)}).r"),
    (False, "both_at_once", "x: f64[n], m: i64",
     "scan (s = x, i < m) => let t = (s with [i % n] = 2.0) in t with [0] = sum(s*t)"),
    (False, "old_goes_on", "x: f64[n], m: i64",
     "scan (s = x, i < m) => let t = (s with [i % n] = 2.0) in if t[0] > 1 then s else t"),
    (True, "side_reads_old", "x: f64[n], m: i64",
     "scan (s = x, i < m) => let t = s with [0] += 1.0 in if t[0] > 3 then s with [1] = t[0] else t"),
    (True, "all_of_old", "x: f64[n], m: i64",
     "scan (s = x, i < m) => let t = (s with [i % n] = 2.0) in t with [0] = sum(cumsum(s)*cumsum(t))"))
UPDATES += (
    # slices: what is written reads nothing of the array, or what was stored before
    (True, "slice", "x: f64[n], m: i64", "scan (s = x, i < m) => s with [i % 2:i % 2 + 2] = f64(i)"),
    (True, "slice_of_sums", "x: f64[n], m: i64", "scan (s = x, i < m) => s with [1:3] = cumsum(s[:2])"),
    (True, "two_slices", "x: f64[n], m: i64", "scan (s = x, i < m) => (s with [:2] = f64(i)) with [i % n:] = -1.0"),
    (True, "slice_and_element", "x: f64[n], m: i64", "scan (s = x, i < m) => (s with [1:3] = f64(i)) with [i % n] += s[1]"),
    (True, "slice_in_a_side", "x: f64[n], m: i64",
     "scan (s = x, i < m) => if s[0] > 1 then s with [:3] = f64(i) else s with [3:] = 2.0"),
    (True, "slice_in_a_loop", "x: f64[n], m: i64",
     "scan (s = x, i < m) => (scan (t = s, j < n - 1) => t with [j:j + 2] = f64(i*j)) with [i % n] = 7.0"),
    (True, "column", "X: f64[n, k], m: i64", "scan (s = X, i < m) => s with [:, i % k] = f64(i)"),
    (True, "block", "X: f64[n, k], m: i64", "scan (s = X, i < m) => s with [i % 2:i % 2 + 1, :] = f64(i)"),
    (True, "read_first_in_a_side", "x: f64[n], m: i64",
     "(scan (s = x, r = 1.0, i < m) => if x[0] > 0 then {s = x*r, r = sum(s)} else {s, r = 0.0}).r"),
    (False, "slice_moves", "x: f64[n], m: i64", "scan (s = x, i < m) => s with [1:] = s[:-1]"),
    # it reads the array: its own places, or others, and is stored first
    (True, "slice_reads_old", "x: f64[n], m: i64", "scan (s = x, i < m) => s with [:2] = s[2:4]*s[1]"),
    (True, "slice_of_itself", "x: f64[n], m: i64", "scan (s = x, i < m) => s with [1:3] = s[1:3]*2 + exp(-s[1:3]^2)"),
    (True, "slice_adds", "x: f64[n], m: i64", "scan (s = x, i < m) => s with [i % 2:i % 2 + 2] += f64(i)"),
    (True, "slice_overlaps", "x: f64[n], m: i64", "scan (s = x, i < m) => s with [1:3] = s[1:3] + s[2:4]"),
    (True, "slice_moves_up", "x: f64[n], m: i64", "scan (s = x, i < m) => s with [i % 2 + 1:i % 2 + 3] = s[i % 2:i % 2 + 2]"),
    (True, "slices_read_old", "x: f64[n], m: i64",
     "scan (s = x, i < m) => (s with [:2] = s[1:3]*2.0) with [2:4] = s[1:3] + s[0:2]"),
    (True, "slices_in_sides", "x: f64[n], m: i64",
     "scan (s = x, i < m) => if s[0] > 0.5 then s with [1:3] = s[0:2]*0.9 else s with [0:2] = s[1:3] + 0.1"),
    (True, "slices_in_a_loop", "x: f64[n], m: i64",
     "scan (s = x, i < m) => scan (t = s, j < 2) => t with [j:j + 2] = t[j + 1:j + 3]*0.5 + s[0]"),
    (True, "slice_and_its_sum", "x: f64[n], m: i64",
     "(scan (s = x, i < m) => {s = s with [:2] = s[2:4] + s[:2], at = sum(s[:3])}).s"),
    (True, "rows_read", "X: f64[n, k], m: i64", "scan (s = X, i < m) => s with [1:2] = s[0:1]*0.5 + s[1:2]"),
    (False, "slice_turned", "x: f64[n], m: i64", "scan (s = x, i < m) => s with [:] = s[::-1]"),
    (True, "part_from_another", "x: f64[n], m: i64", "(scan (s = x, r = 2*x, i < m) => {s = concat(s[:2], r[2:]), r = r + 1}).s"),
    (False, "slice_old_wanted", "x: f64[n], m: i64",
     "(scan (s = x, r = 0.0, i < m) => let t = s with [:2] = f64(i) in {s = t, r = r + sum(s*t)}).r"),
)
COPIES = {"kept_old": 1, "traced": 1}    # in each pass, as the old one is wanted


@test
def state_is_updated_in_place(folder):
    """A pass that writes an element copies nothing: the scatter's base is its result, which is carried as it is."""
    write_files(folder, p="".join(f"fn {name}({params}) = {e}\n" for _, name, params, e in UPDATES))
    for stays, name, params, _ in UPDATES:
        x = "x=[0.5, 2.0, -1.0, 3.0]" if params[0] == "x" else "X=[[1.0, 2], [3, 4], [5, 6]]"
        plan = call("explain", f"{folder}/p.por:{name}", "--stage", "plan")[0]
        same(bool(re.search(r"^loop .*carry (b\d+) from b\d+, next \1\b", plan, re.M)), stays)
        if stays:
            whole = r"\n +k\d+\(b\d+, b\d+ \| d\d+\)   # (?:param|get|reshape)"
            same(len(re.findall(whole, plan)), COPIES.get(name, 0))
        for m in "m=0", "m=5", "m=6":
            wanted = call("run", f"{folder}/p.por:{name}", x, m, "--tier", "reference")[0]
            for tier in ("interpret", "native") if m == "m=5" else ("interpret",):
                same(call("run", f"{folder}/p.por:{name}", x, m, "--tier", tier)[0], wanted)


@test
def what_is_written_in_place_is_the_same_everywhere(folder):
    """In every tier, for any number of threads, and in derivatives, whose loops keep the states."""
    checked = "slice_reads_old", "slice_of_itself", "slice_adds", "slice_overlaps", "slice_moves_up", "slices_read_old", \
        "slices_in_sides", "slices_in_a_loop", "rows_read", "read_first_in_a_side", "slice_in_a_loop", "two_slices", "column", "goes_on", "within", "two", "one_side", "swapped_elements", "sieve", "relaxed", "traced", "old_in_the_loop"
    by = {name: (params, e) for _, name, params, e in UPDATES}
    text = [f"fn {name}({by[name][0]}) = {by[name][1]}\n" for name in checked]
    for name in "one_side", "slices_read_old", "slice_adds", "swapped_elements", "sorted", "two_loops", "element":
        params, e = by[name]
        text.append(f"fn slope_{name}({params}) = grad(sum(({e})^2), {params[0]})\n")
    write_files(folder, p="".join(text))
    for name in few(checked):
        x = "x=[0.5, 2.0, -1.0, 3.0]" if by[name][0][0] == "x" else "X=[[1.0, 2], [3, 4], [5, 6]]"
        same(call("check", f"{folder}/p.por:{name}", x, "m=5")[0].splitlines()[-1], "same 1 differ 0")
    for line in few(text[len(checked):]):
        name = line.split("(")[0][3:]
        x = "X=[[1.0, 2], [3, 4], [5, 6]]" if name == "slope_element" else "x=[0.5, 2.0, -1.0, 3.0]"
        same(call("check", f"{folder}/p.por:{name}", x, "m=5")[0].splitlines()[-1], "same 1 differ 0")


COUNTS = ("len(x[1:2])", "min(len(x[1:2]), 4)", "max(len(x[1:2]), 0)", "len(x[1:2])*len(x[2:3])", "2*len(x[1:2]) - len(x[2:3])",
          "len(x[1:2])//1", "len(where(x > 0, x, 1.0)[:1])")


@test
def a_side_counts_by_lengths(folder):
    """As many elements as a slice of one has: as many as the other side's, however rules write the length."""
    write_files(folder, p="".join(
        f"fn f{i}(x: f64[n], a: f64, k: i64) = if a > 0.5 then x[k:k + 1] else (scan (i < {count}) => a)\n"
        f"fn g{i}(x: f64[n], a: f64, k: i64) = scan (s = a, i < k) => s*sum(if s > 0.5 then x[i:i + 1] else (scan (i < {count}) => s))\n"
        for i, count in enumerate(COUNTS)))
    for a, f, g in (1.0, "[2.0]", "1.0"), (0.25, "[0.25]", "0.0625"):
        words = "x=[1, 2, 3]", f"a={a}", "k=1"
        same(call("check", f"{folder}/p.por", *words)[0], f"same {2*len(COUNTS)} differ 0\n")
        for i in range(len(COUNTS)):
            same([call("run", f"{folder}/p.por:{name}{i}", *words)[0].strip() for name in "fg"], [f, g])


@test
def a_side_counts_by_lengths_of_what_it_is_given(folder):
    """A length of an argument that one side alone asks for, and zeros as many as data say for a function with a derivative."""
    own = "with_derivative((v) => v + 1, (v, y, dv) => dv)"
    write_files(folder, p=f"""fn f(y: f64[m], a: f64) = if a <= a//2 then a else scan (i < len(y[2:])) => a
fn g(y: f64[m], a: f64) = if any(y > 0.25) then {own}(grad(a, y)) else a
fn sliced(x: f64[n], a: f64, k: i64) = f(x[k:], a)
fn masked(x: f64[n], a: f64, k: i64) = f(x[x > f64(k)], a)
fn zeros(x: f64[n], a: f64, k: i64) = g(x[k:], a)
fn zeros_masked(x: f64[n], a: f64, k: i64) = g(x[x > f64(k)], a)
""")
    words = "x=[1, 2, 3, 4]", "a=1.5", "k=1"
    same(call("check", f"{folder}/p.por", *words, "--no-native")[0], "same 6 differ 0\n")
    for name, n, value in ("sliced", 1, 1.5), ("masked", 1, 1.5), ("zeros", 3, 1.0), ("zeros_masked", 3, 1.0):
        same(call("run", f"{folder}/p.por:{name}", *words)[0].strip(), str([value]*n))


@test
def a_pass_that_fails_changes_nothing(folder):
    """An index outside in the middle of the passes ends the call; what the loop began with is as it was."""
    write_files(folder, e="""
fn fails(x: f64[n], q: i64[m]) = scan (s = x, i in q) => if i > 1 then s with [i] = s[0] with [0] = f64(i) else s
fn used_too(x: f64[n], q: i64[m]) = sum(scan (s = x, i in q) => (scan (s = s, j < 2) => s with [i] += 1.0)) - sum(x)
""")
    for name in "fails", "used_too":
        for q in "[2, 3, 1]", "[2, 9, 1]", "[2, 3, -1]":
            out = call("check", f"{folder}/e.por:{name}", "x=[0.5, 2.0, -1.0, 3.0]", f"q={q}")[0]
            same(out.splitlines()[-1], "same 1 differ 0")
    same(call("run", f"{folder}/e.por:used_too", "x=[0.5, 2.0, -1.0, 3.0]", "q=[2, 3, 1]")[0].strip(), "6.0")


@test
def and_and_or_ask_where_it_is_not_decided(folder):
    """Their right sides do not fail, and tell nothing, where the left ones decide; sizes known or not."""
    write_files(folder, o="""fn told(x: f64[n], k: i64) = len(x) == 0 or (do print(k) in k == 0)
fn before(x: f64[n]) = [i < n] => i > 0 and x[i - 1] > 0.5
fn first(x: f64[n]) = (scan (i = 0) while i < n and x[i] > 0.5 => i + 1)
fn chosen(x: f64[n], k: i64) = if k >= 0 and k < n and x[k] > 0 then x[k] else 0.0
fn outside(x: f64[n], k: i64) = not (k < 0 or k >= n or x[k] < 1)
fn slopes(x: f64[n]) = grad(sum([i < n] => (if i > 0 and x[i - 1] > 0.5 then x[i]^2 else x[i])), x)
""")
    for f, words, wanted, told in (
            ("told", ("x=f64[0](0)", "k=0"), "true", ""), ("told", ("x=[0.5]", "k=0"), "true", "0\n"),
            ("before", ("x=[0.3, 0.8, 0.2]",), "[false, false, true]", ""), ("first", ("x=[0.7, 0.8, 0.9]",), "3", ""),
            ("chosen", ("x=[0.7]", "k=1"), "0.0", ""), ("chosen", ("x=[0.7]", "k=0"), "0.7", ""),
            ("outside", ("x=[0.7]", "k=-1"), "false", ""), ("outside", ("x=[1.5]", "k=0"), "true", ""),
            ("slopes", ("x=[0.3, 0.8, 0.2]",), "[1.0, 1.0, 0.4]", "")):
        for way in ("--tier=reference",), ("--tier=interpret",):
            same(call("run", f"{folder}/o.por:{f}", *words, *way), (wanted + "\n", told))
        same(call("check", f"{folder}/o.por:{f}", *words, "--no-native"), ("same 1 differ 0\n", ""))


main(__doc__)
