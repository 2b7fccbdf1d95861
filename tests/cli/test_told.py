#!/usr/bin/env python3
"""test_told.py PORISM [NAME...]: ops that take functions, and lines that tell their derivatives."""

import re

from command import TIERS, call, holds, main, near, same, test, write_files

OPS = """
op plain(f: (T[..s]) -> T[..s], x: T[..s]) = f(x)*x
op at(f: (T[..s]) -> T[..s], x: T[..s]) = f(x)
op times[k, way = 0](f: (T[..s]) -> T[..s], x: T[..s], c: T) = if way == 0 then k*c*f(x) else f(x)
op both(f: (f64) -> f64, g: (f64) -> f64, p: {u: f64, v: f64}) -> f64 = f(p.u)*g(p.v)
op clipped(f: (f64[n]) -> f64[n], x: f64[n], c: f64) = f(x)
op scaled(x: f64[n], p: {u: f64[n], v: f64}, f: (f64[n]) -> f64[n]) = f(x*p.u*p.v)
op tripled(f: (f64) -> f64, x: f64) = f(x)
op root(g: (f64) -> f64, x: f64) = x

book derivative
d(at(f, x)) => jvp(f(x), x, dx) + df(x)
d(times[m, w](h, y, c)) => if w == 0 then m*(dc*h(y) + c*(jvp(h(y), y, dy) + dh(y))) else jvp(h(y), y, dy) + dh(y)
d(both(f, g, p)) => (jvp(f(p.u), p.u, dp.u) + df(p.u))*g(p.v) + f(p.u)*(jvp(g(p.v), p.v, dp.v) + dg(p.v))
vjp(clipped(f, x, c), u) => (0, clip(u, -c, c), 0)
vjp(scaled(x, p, f), u) => let v = vjp(f(x*p.u*p.v), x, u) in (v, 0, 0)
d(tripled(f, x)) => 3*dx*tripled(f, x)
d(root(g, x)) => let r = root(g, x) in -dg(r)/jvp(g(r), r, 1)
"""
# by x and w; each with what it is to be the same as
ALIKE = (("plain((v) => sin(v*w), x)", "sin(x*w)*x"),
         ("at((v) => sin(v*w), x)", "sin(x*w)"),
         ("at(sin, x*w)", "sin(x*w)"),
         ("at((v) => at((t) => exp(t*w)*v, cos(v)), x)", "exp(cos(x)*w)*x"),
         ("times[3]((v) => sin(v*w), x, w)", "3*w*sin(x*w)"),
         ("times[3, way = 1]((v) => sin(v*w), x, w)", "sin(x*w)"),
         ("[v in x] => both((a) => a*w, (b) => exp(b*w), {v = sin(v), u = v*v})", "x^2*w*exp(sin(x)*w)"),
         ("scan (h = x, i < 3) => at((v) => sin(v*w + i), h)", "scan (h = x, i < 3) => sin(h*w + i)"),
         ("if w > 0 then at((v) => v^2*w, x) else x", "x^2*w"),
         ("[v in x] => at((t) => exp(t*w), v)", "exp(x*w)"),
         ("checkpoint(at((v) => exp(v*w), x))*w", "exp(x*w)*w"),
         ("(kept((v) => at((t) => exp(t*w), v)))(x)", "exp(x*w)"))
FORMS = ("{}", "grad(sum(({})^2), x)", "grad(sum(({})^2), w)", "jvp({}, w, 2.0)", "hessian(sum(({})^2), x)",
         "grad(grad(grad(sum(({})^2), w), w), w)")
WORDS = "x=[0.5, -1.0, 2.0]", "w=0.75"


@test
def values_and_derivatives_of_any_order(folder):
    text = OPS
    for i, pair in enumerate(ALIKE):
        for j, form in enumerate(FORMS):
            for name, e in zip("ab", pair):
                text += f"fn {name}{i}_{j}(x: f64[n], w: f64) = {form.format(e)}\n"
        # all of a pair in one program for the tiers
        parts = ", ".join(f"r{j} = {form.format(pair[0])}" for j, form in enumerate(FORMS))
        text += f"fn all{i}(x: f64[n], w: f64) = {{{parts}}}\n"
    write_files(folder, p=text)
    for i in range(len(ALIKE)):
        for j in range(len(FORMS)):
            near(call("run", f"{folder}/p.por:a{i}_{j}", *WORDS, "--tier", "reference")[0],
                 call("run", f"{folder}/p.por:b{i}_{j}", *WORDS, "--tier", "reference")[0], 1e-12)
        wanted = call("run", f"{folder}/p.por:all{i}", *WORDS, "--tier", "reference")[0]
        for tier in TIERS[1:]:
            same(call("run", f"{folder}/p.por:all{i}", *WORDS, "--tier", tier)[0], wanted)
        if i in (1, 6, 7):   # standalone C, threads and instruction sets
            holds(call("check", f"{folder}/p.por:all{i}")[0], "differ 0")


@test
def a_line_is_what_is_used(folder):
    """The derivative that is told, true or not; where none is told, that of the meaning."""
    write_files(folder, p=OPS + """
fn a(w: f64) = grad(tripled((v) => v*v, w), w)
fn b(x: f64[n]) = grad(5*sum(clipped((v) => v^2, x, 1)), x)
fn c(x: f64[n]) = grad(sum(scaled(x, {u = x, v = 2.0}, (v) => v)), x)
fn d(w: f64) = grad(root((t) => t^3 + t - w, 1.1147471097045167), w)
fn e(w: f64) = grad(grad(root((t) => t^3 + t - w, 1.1147471097045167), w), w)
""")
    for tier in TIERS:
        for name, word, wanted in (("a", "w=3.0", [27]), ("b", "x=[0.5, 2.0]", [1, 1]), ("c", "x=[0.5, 2.0]", [1, 4]),
                                   ("d", "w=2.5", [0.2115066667433811]), ("e", "w=2.5", [-0.06328485485420943])):
            near(call("run", f"{folder}/p.por:{name}", word, "--tier", tier)[0], wanted, 1e-9)


@test
def minimisers_within_each_other(folder):
    """The line of NOTATION's minimum, and one minimum within another's function."""
    write_files(folder, p="""
use solve
op root(g: (f64[n]) -> f64[n], x: f64[n]) = x
book derivative
d(root(g, x)) => let r = root(g, x) in -solve.linear(jacobian(g(r), r), dg(r))
fn best(A: f64[m, n], b: f64[m], c: f64) =
    let f = (x) => sum((A @ x - b)^2)/2 + c/2*dot(x, x)
    in root((x) => grad(f(x), x), direct(A, b, c))
fn direct(A: f64[m, n], b: f64[m], c: f64) = solve.linear(A.T @ A + c*eye[n](), A.T @ b)
fn first(A: f64[m, n], b: f64[m], c: f64) = jacobian(best(A, b, c), c) - jacobian(direct(A, b, c), c)
fn second(A: f64[m, n], b: f64[m], c: f64) = grad(sum(jacobian(best(A, b, c), c)^2), A) - grad(sum(jacobian(direct(A, b, c), c)^2), A)
# y(x) = argmin (y - x)^2 + c*y^2 = x/(1 + c); x* = argmin (y(x) - 1)^2 + x^2 = k/(k^2 + 1), k = 1/(1 + c)
fn inner(x: f64[n], c: f64) = root((y) => grad(sum((y - x)^2) + c*sum(y^2), y), x/(1 + c))
fn outer(c: f64) =
    let k = 1/(1 + c)
    in root((x) => grad(sum((inner(x, c) - 1)^2) + sum(x^2), x), [k/(k^2 + 1)])[0]
fn slopes(c: f64) =
    let k = 1/(1 + c)
    let direct = k/(k^2 + 1)
    in {first = grad(outer(c), c) - grad(direct, c), second = grad(grad(outer(c), c), c) - grad(grad(direct, c), c)}
""")
    words = "A=[[1.0, 2.0], [3.0, 4.0], [0.5, -1.0]]", "b=[1.0, 0.5, 2.0]", "c=0.3"
    for tier in TIERS:
        near(call("run", f"{folder}/p.por:first", *words, "--tier", tier)[0], [0]*2, 1e-13)
        near(call("run", f"{folder}/p.por:second", *words, "--tier", tier)[0], [0]*6, 1e-12)
        near(call("run", f"{folder}/p.por:slopes", "c=0.3", "--tier", tier)[0], [0, 0], 1e-13)


@test
def of_a_file_that_is_used(folder):
    """The line stands beside the op, with that file's names, or in the file that uses it, with its own."""
    write_files(folder, deep="""
fn half(x) = x/2
op near(f: (f64) -> f64, x: f64) = f(x)
op far(f: (f64) -> f64, x: f64) = f(x)
book derivative
d(near(f, x)) => half(dx)
""", p="""
use deep
fn fourth(x) = x/4
fn half(x) = x*100
book derivative
d(deep.far(f, x)) => fourth(dx)
fn a(w: f64) = grad(deep.near((v) => v, w), w)
fn b(w: f64) = grad(deep.far((v) => v, w), w)
""")
    same(call("run", f"{folder}/p.por:a", "w=1.0")[0], "0.5\n")
    same(call("run", f"{folder}/p.por:b", "w=1.0")[0], "0.25\n")
    holds(call("rules", "check", f"{folder}/p.por")[0], "d(deep.far(f, x)): not compared, it holds of the functions that are given")


@test
def what_is_printed_reads_back(folder):
    write_files(folder, p=OPS + "fn f(x: f64[n], w: f64) = sum(at((v) => sin(v*w), x)) + sum(clipped((v) => v*w, x, 0.1))\n"
                "fn d(x: f64[n], w: f64) = grad(f(x, w), x)\n")
    printed = call("explain", f"{folder}/p.por:f", "--stage", "written")[0]
    holds(printed, "with_derivative(", "with_vjp(")
    name = re.search(r"fn (\w+)\(", printed)[1]
    write_files(folder, q=f"{printed}\nfn d(x: f64[n], w: f64) = grad({name}(x, w), x)\n")
    same(call("run", f"{folder}/q.por:d", *WORDS)[0], call("run", f"{folder}/p.por:d", *WORDS)[0])


@test
def lanes_are_computed_at_once_with_what_is_told(folder):
    write_files(folder, p=OPS + "fn f(x: f64[n], w: f64) = [v in x] => at((t) => exp(t*w), v)\n"
                "fn g(x: f64[n], w: f64) = [v in x] => plain((t) => exp(t*w), v)\n")
    told = call("explain", f"{folder}/p.por:f", "--stage", "written")[0]
    holds(told, "with_derivative(")
    assert "scan" not in told + call("explain", f"{folder}/p.por:g", "--stage", "written")[0]


HEAD = "op at(f: (f64) -> f64, x: f64) = f(x)\nop two(f: (f64) -> f64, x: f64, y: f64) = f(x)*y\nop k[m](f: (f64) -> f64, x: f64) = m*f(x)\n"


@test
def what_is_refused(folder):
    def refused(text, *messages):
        write_files(folder, p=HEAD + text)
        holds(call("run", f"{folder}/p.por:g", "w=0.5", status=1)[1], *messages)

    g = "\nfn g(w: f64) = grad(at((v) => v, w), w)\n"
    for line, message in {
            "d(at(f)) => f": "at takes 2 operands, here are 1",
            "d(at(f, 2)) => f": "are names",
            "d(at(x, x)) => dx": "x stands there twice",
            "d(k[a, b](f, x)) => dx": "k has 1 values in brackets, here are 2",
            "d(at(f, x), u) => dx": "d takes the operator",
            "vjp(at(f, x)) => dx": "vjp takes the operator and the cotangent",
            "vjp(at(f, x), 2) => (0, x)": "the cotangent must be a name",
            "d(at(f, x)) => dx if x > 0": "has `=>` and no guard",
            "d(at(f, x)) => dx\nd(at(f, x)) => 2*dx": "at: its derivative is told already",
            "d(at(f, x)) => dx\nvjp(at(f, x), u) => (0, u)": "at: its derivative is told already"}.items():
        refused(f"book derivative\n{line}{g}", "p.por:5:" if "\n" not in line else "p.por:6:", message)
    for line, message in {
            "d(at(f, x)) => dx + missing": "missing is not declared",
            "d(at(f, x)) => (dx, dx)": "its derivative gives (f64, f64), wanted f64",
            "vjp(at(f, x), u) => u": "wanted a cotangent for each of 2 operands",
            "vjp(at(f, x), u) => (u, u)": "f is a function: its cotangent is 0",
            "d(at(f, x)) => at(f, 2*x)*dx": "its derivative has a call of it, whose derivative has one, 16 within each other; the line may call a fn that computes the same"}.items():
        refused(f"book derivative\n{line}{g}", message)
    refused(f"book derivative\nd(at(f, x)) => at(df, x) + dx{g}", "p.por:5:16: at: its derivative has a call of it",
            "d(at(f, x)) => at(df, x) + dx\n                   ^")
    refused(f"book mine: algebra\nat(f, x) => x{g}", "at takes functions and is no node that a rule could find")
    refused(f"book transposition\nvjp(at(f, x), u) => (0, u){g}", "at takes functions and is no node")
    refused("op one(f: () -> f64) = f()\nbook derivative\nvjp(one(f), u) => u\n" + g, "it has no operand but functions")
    refused("op loose(f, x: f64) = f(x)\nfn g(w: f64) = loose((v) => v, w)", "f is given a function and is not declared as one")
    refused("fn g(w: f64) = at({f = (v) => v}, w)", "a function")
    refused("op held(p: {f: (f64) -> f64, c: f64}) = p.f(p.c)\nfn g(w: f64) = held({f = (v) => v, c = w})",
            "given functions within a structure, wanted each by itself")
    refused("op gives(f: (f64) -> f64, x: f64) = (y) => f(y)\nfn g(w: f64) = gives((v) => v, w)", "gives arrays, not functions")
    refused("fn g(w: f64) = at((v) => (do print(v) in v), w)", "the meaning of an op has no effects")
    refused("book derivative\nvjp(at(f, x), u) => (0, u)\nfn g(w: f64) = jvp(at((v) => v, w), w, 1.0)", "for its reverse alone", "with_derivative tells both")
    refused("book derivative\nd(at(f, x)) => dx\nfn g(w: f64) = differential((v) => v)(w)", "it stands in the derivative")


@test
def a_line_calls_what_the_op_means(folder):
    """Of the op itself it may not: its derivative has no end.  A fn that computes the same is no op."""
    write_files(folder, p="""
op at(f: (f64) -> f64, x: f64) = f(x)
fn apply(f, x) = f(x)
book derivative
d(at(f, x)) => apply(df, x) + dx*jvp(f(x), x, 1.0)
fn by_captured(x: f64, a: f64) = grad(at((z) => a*z^2, x), a)
fn by_both(x: f64, a: f64) = grad(grad(at((z) => a*z^2, x), x), a)
fn within(x: f64, a: f64) = grad(at((z) => at((w) => w^2*a, z)*z, x), a)
""")
    for name, value in ("by_captured", "4.0"), ("by_both", "4.0"), ("within", "8.0"):
        for tier in TIERS:
            same(call("run", f"{folder}/p.por:{name}", "x=2", "a=3", "--tier", tier)[0].strip(), value)


main(__doc__)
