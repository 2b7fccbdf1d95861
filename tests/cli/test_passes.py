#!/usr/bin/env python3
"""test_passes.py PORISM [NAME...]: what loops make in their passes is made once, and where it costs least."""

import math
import re

from command import TIERS, call, holds, main, near, same, test, write_files

DTW = """
fn dtw(x: f64[m], y: f64[n], g: f64) =
    let last = scan (row = [j < n + 1] => if j == 0 then 0.0 else 1e10, a in x) =>
        let r = scan (left = 1e10, up in row[1:], diag in row[:-1], b in y) =>
            let v = (a - b)^2 - g*logsumexp([-left/g, -up/g, -diag/g])
            in {left = v, out = v}
        in concat([1e10], r.out)
    in last[n]
fn slope(x: f64[m], y: f64[n], g: f64) = grad(dtw(x, y, g), x)
"""
X, Y = [0.3, -1.2, 0.8, 2.0], [0.5, -0.4, 1.1, 0.2, -0.9]


def dtw(x, y, g):
    R = [[1e10]*(len(y) + 1) for _ in range(len(x) + 1)]
    R[0][0] = 0.0
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            t = [-v/g for v in (R[i + 1][j], R[i][j + 1], R[i][j])]
            R[i + 1][j + 1] = (a - b)**2 - g*(max(t) + math.log(sum(math.exp(v - max(t)) for v in t)))
    return R[-1][-1]


CHART = """fn dtw(x: f64[n], y: f64[m], g: f64) =
    let first = [i < n + 1, j < m + 1] => if i + j == 0 then 0.0 else 1e3
    let D = scan (R = first, i < n) => scan (R = R, j < m) =>
        R with [i + 1, j + 1] = (x[i] - y[j])^2 - g*logsumexp(-[R[i, j], R[i, j + 1], R[i + 1, j]]/g)
    in D[n, m]
fn slope(x: f64[n], y: f64[m], g: f64) = grad(dtw(x, y, g), x)
"""


def slopes(f, x, e=1e-6):
    moved = [[v + s*e*(i == k) for k, v in enumerate(x)] for i in range(len(x)) for s in (1, -1)]
    return [(f(moved[2*i]) - f(moved[2*i + 1]))/(2*e) for i in range(len(x))]


def everywhere(expression, wanted, *words, within=1e-12):
    for tier in TIERS:
        near(call("eval", expression, *words, "--tier", tier)[0], wanted, within)


def stage(text, at, *types):
    return call("explain", text, *types, "--stage", at)[0]


@test
def numbers_made_of_elements_alone_are_made_before_the_loop():
    """The exponentials of what is walked along are many side by side; of what is carried one remains in a pass."""
    text = "scan (s = 0.0, a in x, b in y) => logaddexp(s, logaddexp(a, b)) + exp(a)*sigmoid(b)"
    lowered = stage(text, "lower", "x: f64[n]", "y: f64[n]")
    before, loop = lowered.split("=>")
    same([before.count("logaddexp(x, y)"), before.count("sigmoid(y)"), loop.count("logaddexp"), loop.count("sigmoid")],
         [1, 1, 1, 0])
    # also where the sum is bracketed with what is carried inside
    inside = stage("scan (s = 0.0, a in x, b in y) => logaddexp(a, logaddexp(s, b))", "lower", "x: f64[n]", "y: f64[n]")
    same([part.count("logaddexp") for part in inside.split("=>")], [1, 1])
    s = 0.0
    for a, b in zip(X, Y):
        s = math.log(math.exp(s) + math.exp(a) + math.exp(b)) + math.exp(a)/(1 + math.exp(-b))
    everywhere(text, [s], f"x={X}", f"y={Y[:4]}")
    everywhere(text, [0.0], "x=f64[0](0)", "y=f64[0](0)")
    # what can be large, is cheap, hangs on what is carried or ends a loop stays
    for stays in ("scan (s = z, r in A) => s*0.5 + exp(r)", "scan (s = 0.0, a in x) => s*0.5 + a*a",
                  "scan (s = 0.5, a in x) => s*0.5 + exp(s + a)", "(scan (s = 0.0, a in x) while s < 2 => s*0.5 + exp(a))"):
        lowered = stage(stays, "lower", "x: f64[n]", "A: f64[n, k]", "z: f64[k]")
        same(lowered[:lowered.index("=>")].count("exp("), 0)


@test
def what_is_told_of_a_pass_stays_in_it():
    text = "scan (s = 0.0, a in x) => s*0.5 + log(a)"
    holds(call("eval", text, "x=[1.0, 2.0, -1.0, 3.0]", "--check-finite", status=1)[1], "log(-1) is nan", "pass 2")


@test
def inner_loops_of_a_gradient_run_once(folder):
    """The outer loop stacks what the inner one carried; the reverse loop does not run it again."""
    write_files(folder, d=DTW)
    text = call("explain", f"{folder}/d.por:slope", "--stage", "remerge")[0]
    same([text.count("scan ("), text.count("scan[back]")], [2, 2])
    words = [f"x={X}", f"y={Y}", "g=0.7"]
    for tier in TIERS:
        near(call("run", f"{folder}/d.por:dtw", *words, "--tier", tier)[0], [dtw(X, Y, 0.7)], 1e-12)
        near(call("run", f"{folder}/d.por:slope", *words, "--tier", tier)[0], slopes(lambda x: dtw(x, Y, 0.7), X), 1e-7)
    results = {call("run", f"{folder}/d.por:slope", *words, *more)[0]
               for more in (["--tier", "interpret"], ["--tier", "native"], ["--tier", "native", "--threads", "2"])}
    same(len(results), 1)


@test
def of_a_chart_the_cells_that_are_read_are_stacked(folder):
    """And not the chart, once for each cell: the same recurrence as above, written into a matrix."""
    write_files(folder, d=CHART)
    text = call("explain", f"{folder}/d.por:slope", "--stage", "lower")[0]
    same([text.count("scan ("), text.count("scan[back]"), len(re.findall(r"t\d = R\d?\b", text))], [2, 2, 0])
    # and what goes back to a cell goes there, and not into a column that is added
    back = text[text.index("scan[back]"):]
    same([back.count("scatter_add[1]"), back.count("scatter_add[0]"), back.count("f64[n + 1](0)")], [0, 4, 0])
    words = [f"x={X}", f"y={Y}", "g=0.7"]
    wanted = slopes(lambda x: dtw(x, Y, 0.7), X)
    for tier in TIERS:
        near(call("run", f"{folder}/d.por:slope", *words, "--tier", tier)[0], wanted, 1e-7)
    for few, many in ((X[:1], Y), (X, Y[:1]), (X[:1], Y[:1])):
        for tier in TIERS:
            near(call("run", f"{folder}/d.por:slope", f"x={few}", f"y={many}", "g=0.7", "--tier", tier)[0],
                 slopes(lambda x: dtw(x, many, 0.7), few), 1e-7)
    near(call("run", f"{folder}/d.por:slope", f"x={X}", "y=f64[0](0)", "g=0.7")[0], [0.0]*len(X))
    same(call("run", f"{folder}/d.por:slope", "x=f64[0](0)", f"y={Y}", "g=0.7", "--json")[0].count("[]"), 1)


FILL = """fn f(x: f64, n: i64) = sum(scan (a = f64[n](0), i < n) => a with [i] = (if i > 0 then a[i - 1] else 1.0)*x)
fn g(x: f64, n: i64) = grad(f(x, n), x)
fn h(x: f64, n: i64) = grad(g(x, n), x)
fn each(x: f64[n]) = sum(scan (a = f64[n](0), i < n) => a with [i] = (if i > 0 then a[i - 1] else 1.0)*x[i])
fn k(x: f64[n]) = sum(jvp(grad(each(x), x), x, f64[n](1)))
"""


@test
def an_array_filled_behind_a_guard_has_a_gradient_in_little_memory(folder):
    """What the guard lets read is stacked, and not the array, of which all passes would take 80 GB; what a side gives
    back is added where it belongs."""
    write_files(folder, fill=FILL)
    for n, x in ((100000, 0.9999), (7, 1.5), (1, 1.5), (0, 1.5)):
        powers = [(k, x**k) for k in range(1, n + 1)]
        wanted = {"f": sum(v for k, v in powers), "g": sum(k*v for k, v in powers)/x,
                  "h": sum(k*(k - 1)*v for k, v in powers)/x**2}
        wanted["k"] = wanted["h"]
        for name in "fghk" if n < 10 else "gk":
            for tier in TIERS if n < 10 else TIERS[1:]:
                values = [f"x=f64[{n}]({x})"] if name == "k" else [f"x={x}", f"n={n}"]
                given = call("run", f"{folder}/fill.por:{name}", *values, "--tier", tier)[0]
                near(given, [wanted[name]], 1e-9*wanted[name] + 1e-12)
    text = stage("grad(sum(scan (a = f64[n](0), i < n) => a with [i] = (if i > 0 then a[i - 1] else 1.0)*x[i]), x)",
                 "remerge", "x: f64[n]")
    same([text.count("then scatter_add[0]"), text.count("t1 = a}")], [1, 0])


@test
def what_is_read_of_a_state_is_stacked_where_it_is_little():
    step = "s with [i % 3] = sin(s[i % 3]*s[(i + 1) % 3])"

    def value(x):
        s = list(x)
        for i in range(7):
            s[i % 3] = math.sin(s[i % 3]*s[(i + 1) % 3])
        return sum(v**2 for v in s)

    for more in "", "[states = 3]", "[levels = 2]":
        text = f"grad(sum((scan{more} (s = s, i < k) => {step})^2), s)"
        everywhere(text, slopes(value, [0.3, 0.9, 1.2, 0.5, -1.0]), "s=[0.3, 0.9, 1.2, 0.5, -1.0]", "k=7", within=1e-8)
        everywhere(text, [0.6, 1.8, 2.4], "s=[0.3, 0.9, 1.2]", "k=0")
    stacks = re.compile(r"t\d = s\d?\b")
    text = f"grad(sum((scan (s = s, i < k) => {step})^2), s)"
    same(len(stacks.findall(stage(text, "lower", "s: f64[n]", "k: i64"))), 0)
    # not where it is more than half, or the state is a result as well
    for stays, size in (("scan (s = s, i < k) => concat(sin(s[:2*n]), s[2*n:])", "3*n"),
                        ("scan (s = s, i < k) => s*sum(s[:2])", "n"),
                        (f"(scan (s = s, i < k) => {{s = {step}, out = s}}).out", "n")):
        lowered = stage(f"grad(sum(({stays})^2), s)", "lower", f"s: f64[{size}]", "k: i64")
        same((stays, len(stacks.findall(lowered))), (stays, 1))


@test
def folds_that_a_reverse_loop_asks_for_again_are_stacked():
    text = "grad(sum(scan (f = z, i < 4) => logsumexp[1](A + f[_, :])*0.5), A)"
    lowered = stage(text, "remerge", "A: f64[n, n]", "z: f64[n]")
    back = lowered[lowered.index("scan[back]"):]
    same(back.count("logsumexp"), 0)
    A, z = [[0.5, -1.0], [0.25, 2.0]], [0.1, -0.3]

    def value(flat):
        f = z
        for _ in range(4):
            f = [0.5*math.log(sum(math.exp(flat[2*i + j] + f[j]) for j in range(2))) for i in range(2)]
        return sum(f)

    everywhere(text, slopes(value, A[0] + A[1]), f"A={A}", f"z={z}", within=1e-8)
    # not where that is more than the loop carries
    large = stage("grad(sum((scan (f = 0.5, i < 4) => f*sum(cumsum(sum[1](sin(A*f))*f)))), A)", "remerge", "A: f64[n, n]")
    holds(large[large.index("scan[back]"):], "sum[1](")


@test
def folds_that_lowering_shows_are_stacked():
    """The largest of a logsumexp, which its softmax asks for again, as it is written out."""
    A, z = [[0.5, -1.0], [0.25, 2.0]], [0.1, -0.3]
    words = "A: f64[n, n]", "z: f64[n]"
    for loop in "i < 4) =>", "i < 9) while a[0] < 4.0 =>":
        text = f"grad(sum(scan (a = z, {loop} logsumexp[0](a[:, _] + A)), z)"
        lowered = stage(text, "lower", *words)
        same(lowered[lowered.index("scan[back]"):].count("max["), 0)

        def value(z):
            a, i = z, 0
            while i < (4 if "while" not in loop else 9) and (a[0] < 4.0 or "while" not in loop):
                a = [math.log(sum(math.exp(a[k] + A[k][j]) for k in range(2))) for j in range(2)]
                i += 1
            return sum(a)

        everywhere(text, slopes(value, z), f"A={A}", f"z={z}", within=1e-8)


@test
def folds_of_many_loops_are_stacked(folder):
    """Of each of sixty that hang on one another, in value and gradient."""
    links = "".join(f"    let y{i + 1} = scan (s = 0.5, a in x) => s*0.5 + sum(softmax([a, s*y{i}, exp(a)*s])*[1.0, 2.0, {i}.5])\n" for i in range(60))
    write_files(folder, f=f"fn f(x: f64[n]) =\n    let y0 = x[0]\n{links}    in y60\nfn g(x: f64[n]) = grad(f(x), x)\n")
    text = call("explain", f"{folder}/f.por:g", "--stage", "remerge")[0]
    back = [line.split(") =>")[0] for line in text.splitlines() if "scan[back] (ds" in line]
    same([len(back), sum(".t2" in line for line in back)], [60, 60])


@test
def tangents_are_carried_by_the_loop_itself():
    """No state is stacked for them; what the value and the tangent make of a state is made once."""
    step = "scan (y = x, i < 50) => y*0.9 + sin(y)"
    text = stage(f"jvp(sum({step}), x, v)", "remerge", "x: f64[m]", "v: f64[m]")
    same([text.count("scan"), text.count("t1")], [1, 0])
    y, t = X[:], [1.0, 2.0, -1.0, 0.5]
    for _ in range(50):
        y, t = [a*0.9 + math.sin(a) for a in y], [b*(0.9 + math.cos(a)) for a, b in zip(y, t)]
    everywhere(f"jvp(sum({step}), x, v)", [sum(t)], f"x={X}", "v=[1.0, 2.0, -1.0, 0.5]")
    # and in bodies; not where the second loop asks for the end of the first, or walks the other way
    nested = stage(f"scan (q = x, k < 3) => jvp(let x = q in {step}, x, v)".replace("jvp(let x = q in ", "q + jvp(").replace(", x, v)", ", x, v)"),
                   "remerge", "x: f64[m]", "v: f64[m]")
    same(nested.count("t1 = "), 0)
    for two in ("let r = (scan (y = 1.0, a in x) => {y = y*a, t = y*y}) in (scan (s = r.y, t in r.t) => s*t + 1)",
                "let r = (scan (y = 1.0, a in x) => {y = y*a, t = y*y}) in (scan[back] (s = 0.5, t in r.t) => s*t + 1)"):
        same(stage(two, "remerge", "x: f64[n]").count("scan"), 2)
    one = "let r = (scan (y = 1.0, a in x) => {y = y*a, t = y*y}) in (scan (s = 0.5, t in r.t, a in x) => s*t + a)"
    same(stage(one, "remerge", "x: f64[n]").count("scan"), 1)
    y, s = 1.0, 0.5
    for a in X:
        s = s*y*y + a
        y *= a
    everywhere(one, [s], f"x={X}")


@test
def tangents_are_carried_by_a_loop_that_a_condition_ends():
    """Where all that it goes through is asked for by its tangents; what else is stacked is written down as before."""
    loop = "(scan (y = x, d = w) while d > 0.5 => {y = 0.9*y + 0.1*y^2, d = d*0.8%s})"
    texts = {f"jvp(sum({loop % ''}.y), x, 2*x)": 0, f"jvp({loop % ''}.d, w, 3.0)": 0,
             f"let r = {loop % ''} in {{v = sum(r.y), t = jvp(sum({loop % ''}.y), x, 2*x)}}.t": 0,
             f"jvp(jvp(sum({loop % ''}.y), x, 2*x), x, x)": 0,
             f"jvp(sum({loop % ', t = y'}.t), x, 2*x)": 1, f"grad(jvp(sum({loop % ''}.y), x, 2*x), x)": 1}
    for text, stacked in texts.items():
        text = stage(text, "remerge", "x: f64[m]", "w: f64")
        same([text.count("while goes"), ", t1 = " in text, text.count("i2 <") > 0], [1, bool(stacked), bool(stacked)])
    y, t, u, d = X[:], [2*a for a in X], X[:], 3.0
    s = [0.0]*len(y)
    while d > 0.5:
        s = [0.9*c + 0.1*2*(b*e + a*c) for a, b, c, e in zip(y, t, s, u)]
        y, t, u, d = ([0.9*a + 0.1*a*a for a in y], [b*(0.9 + 0.2*a) for a, b in zip(y, t)],
                      [b*(0.9 + 0.2*a) for a, b in zip(y, u)], d*0.8)
    words = f"x={X}", "w=3.0"
    everywhere(f"jvp(sum({loop % ''}.y), x, 2*x)", [sum(t)], *words)
    everywhere(f"jvp(jvp(sum({loop % ''}.y), x, 2*x), x, x)", [sum(s) + sum(t)], *words)
def loops_that_walk_along_what_others_stack_are_one_however_many(folder):
    """Pairs beside one another, a chain, one with a loop beside each link, and loops that begin with what is later."""
    made = "(scan (s = 0.3, a in x) => {{s = sin(s*{0}.5) + a, out = s}})"
    programs = {
        "pairs": ("", "".join(f"    let a{i} = {made.format(i)}\n" for i in range(150)),
                  " + ".join(f"(scan (r = 0.5, t in a{i}.out) => r*t*0.5)" for i in range(150)), 150),
        "chain": ("    let y0 = x\n",
                  "".join(f"    let y{i + 1} = (scan (s = 0.5, a in y{i}) => {{s = sin(s*{i}.5) + a, out = s}}).out\n"
                          for i in range(300)), "sum(y300)", 1),
        "beside": ("    let y0 = x\n", "".join(f"    let z{i} = {made.format(i)}.out\n" for i in range(100)) +
                   "".join(f"    let y{i + 1} = (scan (s = 0.5, a in y{i}, b in z{i}) => {{s = s*0.5 + a*b, out = s}}).out\n"
                           for i in range(100)), "sum(y100)", 1),
        "later": ("    let k = scan (s = 0.3, a in x) => cos(s) + a\n",
                  "".join(f"    let a{i} = {made.format(i)}\n" for i in range(4)),
                  "(" + ", ".join(f"a{i}.s" for i in range(4)) + ", " +
                  ", ".join(f"(scan (r = k*{i}.0, t in a{i}.out) => r*t*0.5)" for i in range(4)) + ")", 5),
    }
    for name, (first, lines, result, loops) in programs.items():
        write_files(folder, **{name: f"fn f(x: f64[n]) =\n{first}{lines}    in {result}\n"})
        same(call("explain", f"{folder}/{name}.por:f", "--stage", "remerge")[0].count("scan ("), loops)
    last = "(scan (s = 0.5, a in {0}) => {{s = s*0.5 + a*a, out = s}})"
    write_files(folder, few=f"fn f(x: f64[n]) = let a = {last.format('x')} in let b = {last.format('a.out')} in "
                            f"let c = {last.format('b.out')} in (a.out, b.s, c.out, c.s, b.out)\n")
    words = [f"{folder}/few.por:f", f"x={X}"]
    same(call("explain", words[0], "--stage", "remerge")[0].count("scan ("), 1)
    same(len({call("run", *words, "--tier", t)[0] for t in TIERS} | {call("run", *words, "--no-rules")[0]}), 1)


@test
def a_loop_in_a_side_that_runs_around_it_is_that_one():
    """The value under a condition and the gradient's loop around it."""
    loop = "(scan (y = 1.0, a in x) => y*sin(a) + 0.5)"
    text = f"grad(if k > 0 then {loop}*sum(cumsum(x)) else sin({loop}), x)"
    same(stage(text, "remerge", "x: f64[n]", "k: i64").count("scan ("), 1)

    def value(x):
        y = 1.0
        for a in x:
            y = y*math.sin(a) + 0.5
        return y

    for k in 1, -1:
        f = lambda x: value(x)*sum(sum(x[:i + 1]) for i in range(len(x))) if k > 0 else math.sin(value(x))
        everywhere(text, slopes(f, X), f"x={X}", f"k={k}", within=1e-7)


@test
def loops_in_sides_of_many_branches_are_those_around_them(folder):
    """One loop for each value under a condition and its gradient beside it, also where the branch comes first."""
    value = "(scan (y = {0}.5, a in x) => y*sin(a) + 0.5)"
    sides = "".join(f"    let z{i} = if k > {i} then {value.format(i)}*sum(cumsum(x)) else sum(cumsum(x)*2.5)\n" for i in range(60))
    branches, slopes_ = (" + ".join(t.format(i=i) for i in range(60)) for t in ("z{i}", "grad(" + value.format("{i}") + ", x)"))
    for result in f"{branches}, {slopes_}", f"{slopes_}, {branches}":
        write_files(folder, f=f"fn f(x: f64[n], k: i64) =\n{sides}    in ({result})\n")
        same(call("explain", f"{folder}/f.por:f", "--stage", "remerge")[0].count("scan ("), 60)
        words = [f"{folder}/f.por:f", f"x={X}", "k=30"]
        texts = {call("run", *words, "--tier", t)[0] for t in TIERS}
        same(len(texts), 1)


@test
def functions_of_gathered_numbers(folder):
    """They stand in a loop of their own, whose indices are asked about before it: the same bits, the same errors."""
    n = 700
    x, s = [math.sin(i) for i in range(n)], [(i*i) % n for i in range(n)]
    write_files(folder, f="""
fn f(x: f64[n], s: i64[n]) = [i < n] => logaddexp(x[s[i]], exp(x[i64(200*(1 + sin(x[i])))])) + x[s[i]]
fn g(x: f64[n], s: i64[n]) = (sum(f(x, s)), f32(f(x, s)))
""")
    wanted = [math.log(math.exp(x[s[i]]) + math.exp(math.exp(x[int(200*(1 + math.sin(x[i])))]))) + x[s[i]] for i in range(n)]
    words = [f"x={x}", f"s={s}"]
    texts = [call("run", f"{folder}/f.por:f", *words, "--tier", t)[0] for t in TIERS]
    same(len(set(texts)), 1)
    near(texts[0], wanted, 1e-12)
    same(len({call("run", f"{folder}/f.por:g", *words, "--tier", t)[0] for t in TIERS[1:]}), 1)
    s[600] = n
    errors = {call("run", f"{folder}/f.por:f", f"x={x}", f"s={s}", "--tier", t, status=1)[1] for t in TIERS[1:]}
    same(len(errors), 1)


@test
def guarded_indices_leave_the_side_that_asks_for_them():
    """Of a gather under two conditions the loop keeps the gather: what says where is known before it."""
    text = "scan (a = x, i < 5) => [j < len(x)] => (if j >= 2 then (if s[j] != s[j - 2] then a[j - 2] else 0.0) else 1.0) + 0.5*a[j]"
    loop = stage(text, "remerge", "x: f64[n]", "s: i64[n]").rsplit("scan", 1)[1]
    same(loop.count("s["), 0)
    x, s = X + Y, [1, 2, 1, 2, 3, 2, 1, 1, 1]
    a = x
    for _ in range(5):
        a = [(1.0 if j < 2 else a[j - 2] if s[j] != s[j - 2] else 0.0) + 0.5*a[j] for j in range(9)]
    everywhere(text, a, f"x={x}", f"s={s}")
    everywhere(text.replace("[j < len(x)]", "[j < 1]").replace("a = x", "a = x[:1]"), [31/16 + X[0]/32], f"x={X}", "s=[1]")


@test
def values_in_chains_of_loops_are_made_once(folder):
    """Each is asked for by a loop, which may have no pass, and beside it: by a condition, a sum.  With less than 64 MB."""
    loop = "(scan (s = 0.5, a in x) => tanh(s*y{0}) + a)"
    for name, step in ("sums", loop + " + y{0}"), ("sides", "if y{0} > 0.5 then " + loop + " else y{0}*1.5"):
        lines = "".join(f"    let y{i + 1} = {step.format(i)}\n" for i in range(60))
        write_files(folder, **{name: f"fn f(x: f64[n]) =\n    let y0 = x[0]\n{lines}    in y60\nfn g(x: f64[n]) = grad(f(x), x)\n"})
        def f(x, sums=name == "sums"):
            y = x[0]
            for _ in range(60):
                s = 0.5
                for a in x:
                    s = math.tanh(s*y) + a
                y = s + y if sums else s if y > 0.5 else 1.5*y
            return y
        x = [0.7, -0.4, 0.3]
        for tier in TIERS[:2]:
            near(call("run", f"{folder}/{name}.por:f", f"x={x}", "--tier", tier, "--max-bytes", "64M")[0], [f(x)], 1e-11)
            near(call("run", f"{folder}/{name}.por:g", f"x={x}", "--tier", tier, "--max-bytes", "64M")[0], slopes(f, x), 1e-5)


@test
def values_that_sides_of_several_branches_ask_for_are_made_once(folder):
    """One side asks for the last value, the other for the one before it: 200 of them would be 1.6^200 branches within each other.  With less than 64 MB."""
    def lines(n): return "".join(f"    let y{i + 1} = if a > {i} then y{i - 1}*0.5 else sum(x*y{i})\n" for i in range(1, n))
    text = "".join(f"fn f{n}(x: f64[k], a: f64) =\n    let y0 = x[0]\n    let y1 = sin(x[0])\n{lines(n)}    in y{n}\n" for n in (200, 40))
    write_files(folder, chain=text + "fn g(x: f64[k], a: f64) = grad(f40(x, a), x)\n")
    def f(n, a, x):
        y = [x[0], math.sin(x[0])]
        for i in range(1, n):
            y.append(y[-2]*0.5 if a > i else sum(v*y[-1] for v in x))
        return y[-1]
    x = [0.7, -0.4, 0.6]
    for tier in TIERS[:2]:
        for a in 7.5, 8.5:
            near(call("run", f"{folder}/chain.por:f200", f"x={x}", f"a={a}", "--tier", tier, "--max-bytes", "64M")[0], [f(200, a, x)], 1e-11)
            near(call("run", f"{folder}/chain.por:g", f"x={x}", f"a={a}", "--tier", tier, "--max-bytes", "64M")[0], slopes(lambda v: f(40, a, v), x), 1e-5)


@test
def an_array_of_which_the_first_part_is_carried(folder):
    """It was taken for a version of the part, and written where that lies, which is smaller where the length is odd."""
    write_files(folder, part="""fn f(A: f64[m, n], x: f64[n], y: f64[m], j: i64, a: f64) = scan (i < j) => scan (b = a, c in scan[states = 2] (
    h = A[:, len(x[i:]) - n], v in y with [m - 1] = (scan (d = scan (e = do print(y[0]) in a, k < n - min(0, 4)) => e, k < m) => d)) => {h = h, t = h[1]}.h) => 2.0*a
""")
    for n in 1, 2, 3:
        same(call("check", f"{folder}/part.por:f", f"A={[[0.5]*4]*n}", "x=[0.1, 0.2, 0.3, 0.4]", f"y={[-0.8]*n}", "j=1", "a=-1.5", "--no-native")[0], "same 1 differ 0\n")


main(__doc__)
