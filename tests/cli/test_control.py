#!/usr/bin/env python3
"""test_control.py PORISM [NAME...]: branches by values of the graph, and loops in them: values, derivatives, what does not
run."""

import math
import os
import random
import re

from command import TIERS, call, holds, main, near, numbers, same, test, write_files

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


# What is made outside of a loop, with sizes that data tell or that may be below 0; of x = [4, -2, 3, 0.5], k = 3.
OUTSIDE = {
    "cumsum(x[x > 0])": [4, 7, 7.5],
    "cumsum(x[:k])": [4, 2, 5],
    "x[1:k]*2": [-4, 6],
    "(x[1:] - x[:-1])[:2]": [-6, 5],
    "unique(x)": [-2, 0.5, 3, 4],
    "repeat(x, [0, 2, 1, 0])": [-2, -2, 3],
    "(x[:k, _]*x[_, :k] @ x[:k])": [116, -58, 87],
}


@test
def what_a_loop_has_from_outside_is_computed_once(folder):
    """Nothing of it fails where there is no pass, but it is not made again in each."""
    parameters, given = "(b: i64[m], x: f64[n], k: i64)", "x=[4.0, -2.0, 3.0, 0.5]"
    loop = "scan (s = 0.0, j in b) => s/2 + q[j]^2"
    write_files(folder, once="".join(
        f"fn f{i}{parameters} = let q = {text} in {loop}\nfn g{i}{parameters} = grad(f{i}(b, x, k), x)\n"
        for i, text in enumerate(OUTSIDE)))
    for i, (text, q) in enumerate(OUTSIDE.items()):
        path = f"{folder}/once.por:f{i}"
        near(call("run", path, "b=[1, 0, 1]", given, "k=3")[0], [q[1]**2/4 + q[0]**2/2 + q[1]**2])
        for f, most in (path, 1), (f"{folder}/once.por:g{i}", 3):
            plan = call("explain", f, "--stage", "plan")[0]
            passes = re.findall(r"^loop \d+(?: back)?: d0 steps.*\n((?:  .*\n)*)", plan, re.M) # d0 is m
            assert len(passes) == 1 and passes[0].count("\n") <= most, (text, plan)
            for k in 3, -1, 9:
                for b in "b=[1, 0, 1]", "b=i64[0](0)":
                    same(call("check", f, b, given, f"k={k}", "--no-native")[0], "same 1 differ 0\n")
            write_files(folder, again=call("explain", f, "--stage", "lower")[0])
            call("list", f"{folder}/again.por")
        for k in -1, 9:
            near(call("run", path, "b=i64[0](0)", given, f"k={k}")[0], [0])
            call("run", path, "b=[1, 0, 1]", given, f"k={k}", status=1 if "k" in text else 0)


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
