#!/usr/bin/env python3
"""test_effects.py PORISM [NAME...]: do print, do assert, do check: in order, once, in every tier and in standalone C."""

import os
import subprocess

from command import TIERS, Failed, call, holds, main, same, test, write_files

FILE = """use optim use solve
fn told(x: f64[n]) = let s = sum(x) do print({s, x}) do assert(s < 100, {s}) in s*2
fn descend(w: f64, n: i64) = scan (w = w, i < n) => let l = w^2 do print({step = i, l}) do check(l) in w - 0.25*l
fn slope(w: f64) = grad((w) => descend(w, 3), w)
fn both(w: f64) = let l = descend(w, 3) in {l, d = grad(l, w), dd = grad(grad(l, w), w)}
fn forward(w: f64) = jvp(descend(w, 2), w, 1.0)
fn sides(x: f64) = let y = if x > 0 then (do print({above = x}) in log(x)) else (do print({below = x}) in x*3) do print(y) in y
fn ends(x: f64) = scan (t = x) while t > 1 => (do print(t) in t/2)
fn traced(x: f64) = let s = scan (t = x) while t > 1 => (do print(t) in {t = t/2, all = t}) in sum(s.all)
fn traced_slope(x: f64) = grad(traced(x), x)
fn pieces(x: f64, n: i64) = grad(scan[states = 2] (x = x, i < n) => (do print({i, x}) in x*x/4), x)
fn nested(n: i64) = scan (s = 0.0, i < n) => scan (s = s, j < i) => (do print({i, j}) do assert(s < 3, {s}) in s + 1)
fn twice(x: f64) = square(x) + square(x)
fn square(x: f64) = let s = x*x do print(s) in s
fn unread(x: f64[n]) = do scan (v in x) => (do print({v}) in {}) in len(x)
fn zero(x: f64) = scan (x = x, i < 0) => (do print(x) in x + 1)
fn uses(x: f64, n: i64) = let s = square(x) + descend(x, 2) in scan (y = 0.0, i < n) => if y < 5 then y + s else y*s
fn narrow(a: f16, b: bool, c: u8[2], d: key, e: bf16[1, 2]) = do print({a, b, c, d, e}) in c
fn root(x: f64) = let y = sqrt(x - 2) in y*exp(y)
fn deep(n: i64) = scan (x = 3.0, i < n) => log(x)
fn infinite(x: f64[n]) = let m = max(where(x > 0, x, -inf)) in exp(m)
fn chosen(c: bool, x: f64) = if c then 1.0 else (do print({chosen = x}) in x)
fn captures(c: bool, d: bool, n: i64) = let a = chosen(c, 2.5) in scan (s = 0.0, i < n) => if d then s else (do print({i}) in a)
fn trace(y: f64[n], j: i64, m: i64) = let s = sum((scan (h = y, i < j) => {h = (do print(i) in h), t = 2.0}).t) in scan (r = 0.0, i < m) => r + s
fn tried(k: i64, a: f64, x: f64[n]) = scan (h = let z = (if a > -1.0 then do print(k) in a else a) in z - a, e in x) => a
fn once(a: f64, k: i64, x: f64[n]) = scan (i < n) => tried(i, tried(k, x[0], x + i), x)
fn outside(a: f64, k: i64, x: f64[n]) = let b = x[0] + sum(tried(k, a, (if x[0] < a then (do print(a) in 2.0) else a) + x)) in once(b, k, x[:i64(b > 0)])
fn lanes(x: f64[n]) = [v in x] => let y = v^2 do print({v, y}) do assert(y < 50, {y}) in y
fn lanes_slope(x: f64[n]) = grad(dot(lanes(x), x), x)
fn grid(n: i64) = [i < n, j < i64(2)] => (do print({i, j}) in if i == j then (do print(i) in 1.0) else 0.5)
fn after(x: f64[n]) = do print(n) in let y = [v in x] => descend(v, 2) do print({y}) in sum(y)
fn lane_slopes(x: f64[n]) = [v in x] => grad(descend(v, 1), v)
fn lane_loops(x: f64[n]) = [i < n] => (scan (t = x[i]) while t > 1 => (do print({i, t}) in t/2))
fn lane_pairs(p: {a: f64[n], b: f64[n]}) = [q in p] => (do check(q) in {s = q.a + q.b, d = q.a - q.b})
fn root_squared(x: f64) = let y = sqrt(x - 2) in y*y
fn finite(x: f64[n]) = do check(sqrt(2*x)) in x
fn plain(x: f64[n]) = do check(x) in x
fn reads(x: f64[n], k: i64) = do print({k}) let r = x[k] do print({r}) in r
fn reads_in_loop(x: f64[n], k: i64) = scan (s = 0.0, i < k) => (do print({i}) let r = x[i] do print({r}) in s + r)
fn told_if(x: f64[n], i: i64[l], a: f64, c: bool) = sum((scan (v in x) => if c then v else (do print({v}) in a*i[0])))
fn told_twice(x: f64[n], i: i64[l], a: f64, c: bool) = told_if(x, i, told_if(x, i, a, c), c)
fn asked(x: f64) = scan (t = x) while (do print(t) in t > 1) => t/2
fn asked_some(x: f64, n: i64) = scan (t = x, i < n) while (do print({i, t}) in t > 1) => (do print({half = t}) in t/2)
fn asked_each(x: f64[n]) = scan (s = 0.0, v in x) while (do print(v) in s + v < 10) => s + v
fn asked_traced(x: f64) = let s = scan (t = x) while (do print(t) in t > 1) => {t = t/2, all = t} in sum(s.all)
fn asked_slope(x: f64) = grad(asked(x), x)
fn asked_within(n: i64) = scan (s = 0.0, i < n) => s + (scan (t = 2.0^i) while (do print({i, t}) do assert(t < 4, {t}) in t > 1) => t/2)
fn asked_flag(x: f64) = scan (go = true, t = x) while (do print(t) in go) => {go = t > 2, t = t/2}
fn asked_lanes(x: f64[n]) = [v in x] => asked(v)
fn root_of(a: f64) = solve.newton((x) => (do print(x) in x*x - a), 1.0).x
fn root_slopes(a: f64) = let d = grad(root_of(a), a) in {d, dd = grad(d, a)}
fn roots_of(a: f64[n]) = solve.newton((x) => (do assert(x > 0.9, {x}) in x*x - a), ones(n)).x
fn ones(n: i64) = f64[n](1)
fn least(a: f64) = optim.lbfgs((x) => (do print(x) in (x - a)^2), 0.0, told = (i, fx, x) => (do print({i}) in fx)).x
fn least_slope(a: f64) = grad(least(a), a)
fn hidden(x: f64) = with_derivative((x) => x*x, (x, y, dx) => 2*square(x)/x*dx)(x)
fn hidden_slope(x: f64) = let y = hidden(x) in do print(y) in grad(y, x)
fn written(x: f64) = with_derivative((x) => x, (x, y, dx) => (do print(x) in dx))(x)
fn solving(x: f64) = with_derivative(square, (x, y, dx) => 2*x*dx)(x)
"""


def run(folder, name, *words, status=0, **way):
    write_files(folder, e=FILE)
    options = [f"--{key}={value}" if value is not True else f"--{key}" for key, value in way.items()]
    return call("run", f"{folder}/e.por:{name}", *words, *options, status=status)


def tells(folder, name, lines, *words, result=None):
    for tier in TIERS:
        for threads in "1", "2":
            out, told = run(folder, name, *words, tier=tier, threads=threads)
            same(told.splitlines(), lines)
            if result is not None:
                same(out.strip(), result)


STEPS = ["step = 0, l = 4.0", "step = 1, l = 1.0", "step = 2, l = 0.5625"]


@test
def prints_in_order(folder):
    tells(folder, "told", ["s = 6.0, x = [1.0, 2.0, 3.0]"], "x=[1, 2, 3]", result="12.0")
    tells(folder, "descend", STEPS, "w=2", "n=3", result="0.609375")
    tells(folder, "twice", ["4.0", "4.0"], "x=2", result="8.0")
    tells(folder, "unread", ["v = 1.0", "v = 2.0"], "x=[1, 2]", result="2")
    tells(folder, "zero", [], "x=2", result="2.0")


@test
def what_is_captured_has_happened(folder):
    tells(folder, "captures", ["chosen = 2.5", "i = 0", "i = 1"], "c=false", "d=false", "n=2", result="2.5")
    tells(folder, "captures", ["chosen = 2.5"], "c=false", "d=true", "n=2", result="0.0")
    same(run(folder, "captures", "c=false", "d=false", "n=2", **{"no-rules": True})[1].splitlines(), ["chosen = 2.5", "i = 0", "i = 1"])
    tells(folder, "trace", ["0", "1"], "y=[1.5]", "j=2", "m=3", result="12.0")
    tells(folder, "once", ["7", "0"], "x=[2]", "a=1", "k=7", result="[2.0]")
    for name in "once", "outside":                      # as it is written, too
        same(call("check", f"{folder}/e.por:{name}", "x=[2]", "a=1", "k=7", "--no-native")[0], "same 1 differ 0\n")
    tells(folder, "told_twice", ["v = 2.0", "v = 3.0"]*2, "x=[2, 3]", "i=[1, 2]", "a=1", "c=false", result="4.0")


@test
def lanes_come_one_after_another(folder):
    """The elements of a formula, in ascending order; of none nothing happens."""
    tells(folder, "lanes", ["v = 1.0, y = 1.0", "v = 2.0, y = 4.0"], "x=[1, 2]", result="[1.0, 4.0]")
    tells(folder, "lanes", [], "x=f64[0](0)", result="f64[0](0)")
    tells(folder, "lanes_slope", ["v = 1.0, y = 1.0", "v = 2.0, y = 4.0"], "x=[1, 2]", result="[3.0, 12.0]")
    tells(folder, "grid", ["i = 0, j = 0", "0", "i = 0, j = 1", "i = 1, j = 0", "i = 1, j = 1", "1"], "n=2",
          result="[[1.0, 0.5],\n [0.5, 1.0]]")
    tells(folder, "after", ["2", "step = 0, l = 4.0", "step = 1, l = 1.0", "step = 0, l = 16.0", "step = 1, l = 0.0",
                            "y = [0.75, 0.0]"], "x=[2, 4]", result="0.75")
    tells(folder, "lane_slopes", ["step = 0, l = 4.0", "step = 0, l = 9.0"], "x=[2, 3]", result="[0.0, -0.5]")
    tells(folder, "lane_loops", ["i = 0, t = 2.0", "i = 2, t = 4.0", "i = 2, t = 2.0"], "x=[2, 1, 4]", result="[1.0, 1.0, 1.0]")
    tells(folder, "lane_pairs", [], "p={a = [1, 2], b = [3, 4]}", result="{s = [4.0, 6.0], d = [-2.0, -2.0]}")
    for tier in TIERS:
        told = run(folder, "lanes", "x=[1, 9]", tier=tier, status=1)[1]
        holds(told, "e.por:28:", "v = 1.0, y = 1.0\n", "assert(y < 50) does not hold: y = 81; in pass 1\n")
        holds(run(folder, "plain", "x=[1, nan]", tier=tier, status=1)[1], "check(x): x[1] is nan\n")
        holds(run(folder, "finite", "x=[inf, 0]", tier=tier, status=1)[1], "check(sqrt(2*x)): it[0] is inf\n")
        told = run(folder, "lane_pairs", "p={a = [1, 2], b = [inf, 4]}", tier=tier, status=1)[1]
        holds(told, "check(q): b is inf; in pass 0\n")


@test
def derivatives_do_not_repeat(folder):
    tells(folder, "slope", STEPS, "w=2", result="0.0")
    tells(folder, "both", STEPS, "w=2")
    tells(folder, "forward", STEPS[:2], "w=2", result="0.0")
    tells(folder, "pieces", ["i = 0, x = 2.0", "i = 1, x = 1.0", "i = 2, x = 0.25"], "x=2", "n=3")
    tells(folder, "traced_slope", ["8.0", "4.0", "2.0"], "x=8", result="1.75")


@test
def what_fails_later_takes_nothing_back(folder):
    for tier in TIERS:
        told = run(folder, "reads", "x=[1, 2, 3]", "k=5", tier=tier, status=1)[1]
        holds(told, "k = 5\n", "index 5")
        holds(run(folder, "reads_in_loop", "x=[7, 8]", "k=5", tier=tier, status=1)[1],
              "i = 0\nr = 7.0\ni = 1\nr = 8.0\ni = 2\n", "index 2")


@test
def the_side_that_is_taken(folder):
    tells(folder, "sides", ["above = 1.0", "0.0"], "x=1")
    tells(folder, "sides", ["below = -2.0", "-6.0"], "x=-2", result="-6.0")


@test
def loops_that_a_condition_ends(folder):
    tells(folder, "ends", ["9.0", "4.5", "2.25", "1.125"], "x=9", result="0.5625")
    tells(folder, "traced", ["8.0", "4.0", "2.0"], "x=8", result="14.0")


@test
def what_a_condition_does(folder):
    """Each time that it is asked, for the pass that it decides on: once more than there are passes, but not beyond the last
    step or element."""
    halves = ["9.0", "4.5", "2.25", "1.125", "0.5625"]
    tells(folder, "asked", halves, "x=9", result="0.5625")
    tells(folder, "asked", ["0.5"], "x=0.5", result="0.5")
    tells(folder, "asked_slope", halves, "x=9", result="0.0625")
    tells(folder, "asked_traced", ["8.0", "4.0", "2.0", "1.0"], "x=8", result="14.0")
    some = ["i = 0, t = 9.0", "half = 9.0", "i = 1, t = 4.5", "half = 4.5"]
    tells(folder, "asked_some", some, "x=9", "n=2", result="2.25")
    tells(folder, "asked_some", ["i = 0, t = 0.5"], "x=0.5", "n=2", result="0.5")
    tells(folder, "asked_some", [], "x=9", "n=0", result="9.0")
    tells(folder, "asked_each", ["4.0", "5.0", "6.0"], "x=[4, 5, 6, 7]", result="9.0")
    tells(folder, "asked_each", ["4.0", "5.0"], "x=[4, 5]", result="9.0")
    tells(folder, "asked_each", [], "x=f64[0](0)", result="0.0")
    within = ["i = 0, t = 1.0", "i = 1, t = 2.0", "i = 1, t = 1.0"]
    tells(folder, "asked_within", within, "n=2", result="2.0")
    tells(folder, "asked_flag", ["5.0", "2.5", "1.25", "0.625"], "x=5", result="{go = false, t = 0.625}")
    tells(folder, "asked_lanes", ["2.0", "1.0", "0.5"], "x=[2, 0.5]", result="[1.0, 0.5]")
    for tier in TIERS:
        told = run(folder, "asked_within", "n=9", tier=tier, status=1)[1]
        holds(told, "i = 2, t = 4.0\n", "assert(t < 4) does not hold: t = 4; in pass 2, 0\n")
    same(standalone(folder, "asked", "9", "x")[2], halves)


def newton(a):
    """The places at which solve.newton asks for f(x) = x*x - a."""
    x = 1.0
    d = -(x*x - a)/(2*x)
    asked = [x]
    while abs(d) > 1e-14*max(1, abs(x)):
        t, far = 1.0, abs(x*x - a)
        asked.append(x + t*d)
        while not abs(asked[-1]*asked[-1] - a) < far:
            t /= 2
            asked.append(x + t*d)
        x += t*d
        d = -(x*x - a)/(2*x)
        asked.append(x)
    return [repr(x) for x in asked]


@test
def what_a_solver_calls(folder):
    """It is told wherever the solver asks for its value; by its derivative nothing is told."""
    tells(folder, "root_of", newton(2.0), "a=2")
    tells(folder, "root_slopes", newton(4.0), "a=4", result="{d = 0.25, dd = -0.03125}")
    for tier in TIERS:
        holds(run(folder, "roots_of", "a=[1, -1]", tier=tier, status=1)[1], "assert(x > 0.9) does not hold: x = [1, 0]; in pass 0, 0\n")
    once = run(folder, "least", "a=2")
    same([line for line in once[1].splitlines() if line.startswith("i = ")], ["i = 0"])
    slope = run(folder, "least_slope", "a=2")
    same((slope[0], slope[1]), ("1.0\n", once[1]))
    tells(folder, "hidden_slope", ["9.0"], "x=3", result="6.0")
    holds(run(folder, "written", "x=1", status=1)[1], "do: a function that tells its derivative has no effects")
    holds(run(folder, "solving", "x=1", status=1)[1], "do: a function that tells its derivative has no effects")


@test
def what_is_captured_is_not_done_again(folder):
    """A value that had effects is used in a loop that may have no pass, and in one side of a branch."""
    tells(folder, "uses", ["4.0", "step = 0, l = 4.0", "step = 1, l = 1.0"], "x=2", "n=2")
    tells(folder, "uses", ["4.0", "step = 0, l = 4.0", "step = 1, l = 1.0"], "x=2", "n=0", result="0.0")


@test
def every_dtype(folder):
    tells(folder, "narrow", ["a = 0.5, b = true, c = [1, 255], d = key(7), e = [[1.5, -inf]]"], "a=0.5", "b=true",
          "c='u8[2]([1, 255])'".replace("'", ""), "d=key(7)", "e=[[1.5, -inf]]")


@test
def asserts_and_checks(folder):
    for tier in TIERS:
        told = run(folder, "told", "x=[1, 2, 300]", tier=tier, status=1)[1]
        holds(told, "e.por:2:", "assert(s < 100) does not hold: s = 303\n")
        told = run(folder, "descend", "w=1e200", "n=3", tier=tier, status=1)[1]
        holds(told, "e.por:3:", "check(l): l is inf; in pass 0\n")
        told = run(folder, "nested", "n=9", tier=tier, status=1)[1]
        holds(told, "i = 3, j = 0\n", "assert(s < 3) does not hold: s = 3; in pass 3, 0\n")


@test
def without_rules(folder):
    for name, words, lines in ("both", ["w=2"], STEPS), ("slope", ["w=2"], STEPS):
        write_files(folder, e=FILE)
        same(call("run", f"{folder}/e.por:{name}", *words, "--no-rules")[1].splitlines(), lines)


@test
def the_first_that_is_not_finite(folder):
    finite = {"check-finite": True}
    told = run(folder, "root", "x=1", status=1, **finite)[1]
    holds(told, "e.por:19:", "sqrt(-1) is nan, in y\n")
    told = run(folder, "root_squared", "x=1", status=1, **finite)[1]
    holds(told, "e.por:35:", "where(false, -1, nan) is nan\n")    # what the square of a root is
    told = run(folder, "deep", "n=9", status=1, **finite)[1]
    holds(told, "e.por:20:", "log(-2.3639518", "is nan; in pass 3\n")
    same(run(folder, "infinite", "x=[1, -2]", **finite)[0], run(folder, "infinite", "x=[1, -2]")[0])
    holds(run(folder, "infinite", "x=[1000, 1]", status=1, **finite)[1], "exp(1000) is inf")
    holds(run(folder, "told", "x=[1, inf]", status=1, **finite)[1], "argument 1: [1] is inf")
    told = call("eval", "grad(sqrt(x)*2, x)", "x=0.0", "--check-finite", status=1)[1]
    holds(told, "is inf", "in the derivative of this line")


MAIN = """
#include "%s.h"
#include <stdio.h>
static double work[1 << 12];
int main(void)
{
	double out = 0, x[] = { %s };
	int code = %s;
	printf("%%d %%.17g\\n", code, out);
	return 0;
}
"""


def standalone(folder, name, values, arguments, sizes=""):
    write_files(folder, e=FILE)
    call("build", f"{folder}/e.por:{name}", "-o", folder)
    with open(f"{folder}/main.c", "w") as f:
        f.write(MAIN % (name, values, f"{name}({sizes}{arguments}, &out, work)"))
    subprocess.run(["cc", "-O1", "-Wall", "-o", f"{folder}/main", f"{folder}/main.c", f"{folder}/{name}.c", "-lm"],
                   check=True)
    p = subprocess.run([f"{folder}/main"], capture_output=True, text=True, timeout=60)
    code, out = p.stdout.split()
    return int(code), float(out), p.stderr.splitlines()


@test
def standalone_c(folder):
    same(standalone(folder, "told", "1, 2, 3", "x", "3, "), (0, 12.0, ["s = 6.0, x = [1.0, 2.0, 3.0]"]))
    with open(f"{folder}/told.h") as f:
        holds(f.read(), "* 4: what is asserted or checked does not hold, as standard error says.\n")
    code, _, told = standalone(folder, "told", "1, 2, 300", "x", "3, ")
    same((code, told[0]), (4, "s = 303.0, x = [1.0, 2.0, 300.0]"))
    holds(told[1], "e.por:2: assert(s < 100) does not hold: s = 303.0")
    same(standalone(folder, "slope", "2", "x"), (0, 0.0, STEPS))
    same(standalone(folder, "ends", "9", "x")[2], ["9.0", "4.5", "2.25", "1.125"])
    same(standalone(folder, "sides", "-2", "x")[2], ["below = -2.0", "-6.0"])
    code, _, told = standalone(folder, "descend", "1e200", "x, &(int64_t){3}")
    same(code, 4)
    holds(told[-1], "e.por:3: check(l): l is inf; in pass 0")


@test
def all_ways_agree(folder):
    write_files(folder, e=FILE.split("fn root")[0])
    out = call("check", f"{folder}/e.por")[0]
    holds(out.splitlines()[-1], "differ 0")


@test
def calls_that_stay_read_back_with_their_effects(folder):
    """What gives one array beside its effects is that array, not an element of it."""
    for text in ("exact((a) => (do print(a) in a) + 1)(x)", "kept((a) => (do print(a) in {u = a, v = 2*a}))(x).v",
                 "checkpoint((a) => (do print(a) in sin(a)))(x)"):
        written = call("explain", text, "x: f64", "--stage", "written")[0]
        write_files(folder, again=written)
        same(call("explain", f"{folder}/again.por:f", "--stage", "written")[0].split("\n", 1)[1], written.split("\n", 1)[1])
        same(call("run", f"{folder}/again.por:f", "x=0.5")[:2], call("eval", text, "x=0.5")[:2])


A, J = "(do print(a) in a)", "(do print(a) in j)"
LOOP = "(scan (h = a, i < 1) => (do print(h) in h))"
ONCE = [f"x[{J}]", f"x[x > {A}]", f"x[idx + {J}]", f"B[{J}]", f"B[B > {A}]", f"B[{J}, 0]", f"x[{J}:]", f"B[x > {A}]",
        f"sum({{u = x, v = B}}[{J}])", f"sum({{u = x, v = B}}[x > {A}])", f"({{u = x, v = B}}[:{J}]).u",
        f"x with [{J}] = a", f"B with [{J}][0] += a", f"B with [0][{J}] = a", f"sum({{u = x, v = B}} with [{J}] = {{u = a, v = x}})",
        f"sum({{u = x, v = B}} with [:{J}] = 0.0)", f"sum(if a > 1 then x[:i64({LOOP})] else x[1:])",
        f"sum(if a > 1 then x[x >= {LOOP}] else x[1:])", f"checkpoint(sum(if a > 1 then x[:i64({LOOP})] else x[1:]))",
        f"checkpoint(sum(if a > 1 then x[x >= {LOOP}] else x[1:]))", f"sum(if a > 1 then x[x >= (if a > 0 then {A} else a)] else x[1:])",
        f"scan (z = sum(if a > 1 then x[x >= {LOOP}] else x[1:]), i < 3) => 0.5"]


@test
def what_is_asked_twice_happens_once(folder):
    """An index is asked what it is, and given to each array of a structure; by what a side counts its result is known around
    the branch."""
    parameters = "(j: i64, x: f64[n], B: f64[n, n], a: f64, idx: i64[l])"
    write_files(folder, once="".join(f"fn f{k}{parameters} = {text}\n" for k, text in enumerate(ONCE)))
    words = "j=1", "x=[1.0, 2.0, 3.0]", "B=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]", "a=2.0", "idx=[0, 1]"
    for k, text in enumerate(ONCE):
        for way in ("--tier=interpret",), ("--tier=interpret", "--no-rules"), ("--tier=reference", "--no-rules"):
            out, told = call("run", f"{folder}/once.por:f{k}", *words, *way)
            same((text, told.splitlines()), (text, ["2.0"]))


@test
def what_has_happened_is_no_part_of_a_checkpoint(folder):
    """Given what a loop around it gave, whose sizes may fail, it held that loop again."""
    write_files(folder, o="""fn f(y: f64[m], x: f64[n], a: f64) =
    let v = y[y > a]
    let s = (scan (h = (if 2 < len(v) then a else x[2]), i < len(x)) => (if len(v) < 2 then a else (do print(h) in h)))
    in checkpoint(if sum(x) > 0.5 then (scan (z = where(3 >= a, x[2], s), k < n) => a) else 2.0)
fn of_given(y: f64[m], x: f64[n], a: f64) = let b = x[i64(a)] in kept((v) => sum(v)*b)(y) + checkpoint((v) => sum(v)*b + v[0])(y)
""")
    same(call("explain", f"{folder}/o.por:f", "--stage", "written")[0].count("print"), 1)
    same(call("check", f"{folder}/o.por", "--no-native")[0], "same 2 differ 0\n")


@test
def what_counts_a_loop_has_its_effects_once(folder):
    """A loop that is counted first and then run in pieces is counted by what has happened around it."""
    write_files(folder, w="""fn f(y: f64[m], j: i64) = scan[states = 2] (h = y, i < j*j) while j < 3 => checkpoint((p) => where(j > 0, p, p))(h)
fn g(x: f64[n], a: f64, j: i64) = f(x[x > (if a == j then a else do print(a) in a)], 2)
""")
    for way in ("--tier=interpret",), ("--tier=interpret", "--no-rules"), ("--tier=reference",):
        out, told = call("run", f"{folder}/w.por:g", "x=[1.0, 0.2]", "a=0.5", "j=1", *way)
        same([out, told], ["[1.0]\n", "0.5\n"])
    same(call("check", f"{folder}/w.por:g", "x=[1.0, 0.2]", "a=0.5", "j=1", "--no-native")[0], "same 1 differ 0\n")


@test
def a_loop_that_is_not_reached_uses_what_others_do(folder):
    """A constant that is used first in a loop which a side holds had its memory with that loop's; counted by data, the loop
    has a phase of its own, and was not reached."""
    write_files(folder, r="""fn f(x: f64[n], a: f64, idx: i64[l]) =
    scan (h = a, i < 1) => do print(if any(x > 0.25) then do print(scan (g = a, k < idx[1]) => -1.25) in a else a) in h
""")
    for x, told in (("[-1.0, -0.3]", "-1.8\n"), ("[-1.0, 0.3]", "-1.25\n-1.8\n")):
        for way in ("--no-rules",), ("--tier=interpret",), ("--tier=reference",):
            same(call("run", f"{folder}/r.por:f", f"x={x}", "a=-1.8", "idx=[2, 1]", *way), ("-1.8\n", told))


@test
def what_comes_of_effects_is_walked_along(folder):
    """Two loops of one token: what they give hangs on it, though nobody asks for their effects any more.  And a body that is
    made anew over what is held once counted by what its sequences were counted by before."""
    write_files(folder, e="""fn part(y: f64[m], a: f64) = if a >= 1 then scan (h = y, i < min(1)) while 3 < a => y else do print(a) in a
fn alone(y: f64[m], x: f64[n], a: f64) =
    if all(y > 0.25) then ([e in y] => scan[levels = 2] (h = e, v in [i < m] => part(x, a)) while a < 3.0 => -1.25)[1] else a
fn twice(y: f64[m], x: f64[n], a: f64) = a + alone(y, x, a) + a + alone(y, x, a)
""")
    same(call("explain", f"{folder}/e.por:twice", "--stage", "written")[0].count("print"), 2)
    same(call("check", f"{folder}/e.por")[0], "same 3 differ 0\n")


@test
def a_side_that_goes_on_from_effects(folder):
    """What a side computes again was made anew there, and with it what had told of the first: that was told twice."""
    write_files(folder, s="""fn step(x: f64[n], y: f64[m], a: f64) = x*tanh(a) + tanh(cumsum(x))*tanh(
    let c = y[0] > 3
    let z = (if c then sum(scan (h = x, e in y) => sin(h)) else a)
    in z - (if c then (do print({i = 1, v = z}) in a) else (do print({i = 2, v = z}) in z)))
fn f(y: f64[m], x: f64[n], a: f64) =
    let x = step(x, y, a + 0.0) in let x = step(x, y, a + 1.0) in let x = step(x, y, a + 2.0) in sum(x)
""")
    for way in ("--no-rules",), ("--tier=interpret",), ("--tier=reference",):
        told = call("run", f"{folder}/s.por:f", "y=[0.5]", "x=[0.1, 0.2]", "a=0.5", *way)[1]
        same(told, "i = 2, v = 0.5\ni = 2, v = 1.5\ni = 2, v = 2.5\n")
    same(call("check", f"{folder}/s.por:f", "--no-native")[0], "same 1 differ 0\n")


@test
def a_loop_that_stands_for_itself(folder):
    """Where loops are merged, one that took others in and stayed what it was is made again over what it begins with: what
    followed it went on from the loop before, whose effects were told once more."""
    write_files(folder, m="""fn f(x: f64[n], y: f64[m], a: f64, k: i64) =
    let c = jvp(sum(scan (h = sum((scan[levels = 3] (s = x, i < n - min(k, 4)) => {s = (do print(k) in s), t = a}).t)*y,
                          e in x) => (do check(a) in h)), y, y)
    in if c > 0.5 then a else (do assert(0.0 < a) in 2.0)
""")
    for way in ("--no-rules",), ("--laws=exact",), ():
        told = call("run", f"{folder}/m.por:f", "x=[0.5, 1, 2]", "y=[0.5, 2]", "k=2", "a=0.5", *way)[1]
        same(told, "2\n")


main(__doc__)
