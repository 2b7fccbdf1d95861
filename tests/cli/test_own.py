#!/usr/bin/env python3
"""test_own.py PORISM [NAME...]: functions that tell their derivative: with_derivative, with_vjp, differential, with_system."""

import math
import re

from command import TIERS, alike, call, holds, main, near, same, test, write_files

WORDS = "x=[0.5, -1.0, 2.0]", "w=0.75"
# each with what it is to be the same as
ALIKE = (("with_derivative((v) => exp(v), (v, y, dv) => y*dv)(x*w)", "exp(x*w)"),
         ("with_derivative((v, u) => v*u, (v, u, y, dv, du) => dv*u + v*du)(x, sin(w))", "x*sin(w)"),
         ("let r = with_derivative((v) => {a = sin(v), b = cos(v)}, (v, y, dv) => {a = y.b*dv, b = -y.a*dv})(x*w) in r.a + 2*r.b",
          "sin(x*w) + 2*cos(x*w)"),
         ("with_derivative((p) => p.u*p.v, (p, y, dp) => dp.u*p.v + p.u*dp.v)({u = x, v = x*w})", "x*x*w"),
         ("with_derivative(() => exp(x*w), (y) => y*differential(x*w))()", "exp(x*w)"),
         ("let z = cumsum(x)*w in with_derivative((v) => v*z, (v, y, dv) => dv*z + v*differential(z))(sin(x))",
          "sin(x)*cumsum(x)*w"),
         ("scan (h = x, i < 3) => with_derivative((v) => sin(v + i), (v, y, dv) => cos(v + i)*dv)(h*w)",
          "scan (h = x, i < 3) => sin(h*w + i)"),
         ("if w > 0 then with_derivative((v) => v^2, (v, y, dv) => 2*v*dv)(x*w) else x", "if w > 0 then (x*w)^2 else x"),
         ("checkpoint(with_derivative((v) => exp(v), (v, y, dv) => y*dv)(x*w)*w)", "exp(x*w)*w"),
         ("[v in x] => with_derivative((t) => exp(t*w), (t, y, dt) => y*(dt*w + t*differential(w)))(v)", "[v in x] => exp(v*w)"),
         ("with_derivative(() => 2*sum(x)*w, (y) => differential(sum([v in x] => grad((u) => sum(u^2)*w, [v, 1.0])[0])))()",
          "2*sum(x)*w"),
         ("with_derivative(() => 2*sum(x)*w, (y) => differential(scan (s = 0.0, v in x) => s + grad((u) => sum(u^2)*w, [v, s])[0]))()",
          "2*sum(x)*w"),
         ("with_derivative(() => sum(x)*w^2/2, (y) => differential(w)*sum([v in x] => v*w) + w^2/2*differential(sum(x)))()", "sum(x)*w^2/2"))


@test
def values_and_derivatives_of_any_order():
    for own, plain in ALIKE:
        alike(own, plain, *WORDS, within=1e-12)
        for d in "grad(sum((%s)^2), x)", "grad(sum((%s)^2), w)", "jvp(%s, w, 2.0)":
            alike(d % own, d % plain, *WORDS, within=1e-12)
        for d in "hessian(sum((%s)^2), x)", "grad(grad(grad(sum((%s)^2), w), w), w)":
            alike(d % own, d % plain, *WORDS, within=1e-12, tiers=TIERS[:2])


@test
def it_is_what_is_used():
    """The derivative that is told, true or not; by what is from outside there is none but through differential."""
    for tier in TIERS:
        same(call("eval", "grad(with_derivative((v) => exp(v), (v, y, dv) => 3*dv)(w), w)", "w=0.5", "--tier", tier)[0], "3.0\n")
        same(call("eval", "grad(with_derivative((v) => v*w, (v, y, dv) => 3*dv)(2.0), w)", "w=0.5", "--tier", tier)[0], "0.0\n")
        same(call("eval", "grad(sum(with_vjp((v) => v^2, (v, y, u) => clip(u, -1, 1))(x*2)*5), x)", "x=[0.5, 2.0]", "--tier", tier)[0],
             "[2.0, 2.0]\n")
        same(call("eval", "grad(with_vjp((a, b) => a*b, (a, b, y, u) => (u*b, 7*u))(w, w), w)", "w=0.5", "--tier", tier)[0], "7.5\n")


@test
def roots_to_any_order(folder):
    write_files(folder, p="""use solve
use optim
fn root(a: f64) = solve.newton((t) => t^3 + t - a, 1.0).x
fn fourth(a: f64) = grad(grad(grad(grad(root(a), a), a), a), a)
fn inner(x: f64, b: f64) = optim.at_minimum((y) => cosh(y - x) + b*y^2, solve.newton((y) => sinh(y - x) + 2*b*y, 0.0).x)
fn far(x: f64, b: f64) = (inner(x, b) - 1)^2 + 0.1*x^4
fn outer(b: f64) = optim.at_minimum((x) => far(x, b), solve.newton((x) => grad(far(x, b), x), 1.0).x)
fn slope(b: f64) = grad(outer(b), b)
""")
    # by Newton's method in 80 digits and differences
    for name, word, wanted in (("root", "a=2.5", 1.1147471097045167), ("fourth", "a=2.5", -0.049057856118562046),
                               ("outer", "b=0.3", 1.0360048938202446), ("slope", "b=0.3", 0.2466891587892991)):
        for tier in TIERS[:2]:
            got = float(call("run", f"{folder}/p.por:{name}", word, "--tier", tier)[0])
            assert abs(got - wanted) < 1e-14, (name, got, wanted)


@test
def what_is_refused():
    refused = {
        "with_derivative((v) => v, 3)(w)": "given an array, wanted a function",
        "with_derivative((v) => {a = v}, (v, y, dv) => dv)(w)": "its derivative gives f64, wanted {a: f64}",
        "with_derivative((v) => v, (v, y) => y)(w)": "with_derivative",
        "with_vjp((v) => (v, v), (v, y, u) => u)(w)": "wanted one array",
        "with_derivative((v) => v, (v, y, dv) => dv + sum([a in [1.0, 2.0]] => differential(a*w)))(w)":
            "differential(a*w): a is of a loop or an array around it; wanted what is from outside of them",
        "with_derivative((v) => v, (v, y, dv) => dv + (scan (s = w, i < 2) => differential(s^2)))(w)":
            "differential(s^2): s is of a loop or an array around it; wanted what is from outside of them",
        "differential(w)": "it stands in the derivative that with_derivative(f, d) is given",
        "with_derivative((v) => (do print(v) in v), (v, y, dv) => dv)(w)": "a function that tells its derivative has no effects",
        "jvp(with_vjp((v) => v^2, (v, y, u) => u)(w), w, 1.0)": "for its reverse alone: forward mode has no derivative of it; "
                                                          "with_derivative tells both",
        "with_derivative((v) => v^2, (v, dv) => dv)(w)": "(...) => takes 2 arguments, here are 3"}
    for text, message in refused.items():
        holds(call("eval", text, "w=0.5", status=1)[1], message)


# (w*z + c*z[0]) = x, solved by hand; the transposed system has c*sum(z) in its first row.  FREE does so by steps.
SOLVED = ("with_system((b) => let z = b/w in z - c*z[0]/(w + c), (z) => w*z + c*z[0], "
          "(u) => u/w with [0] = (u[0] - c*sum(u[1:])/w)/(w + c))({})")
PLAIN = "({0})/w - c*({0})[0]/w/(w + c)"
FREE = ("with_system((b) => (scan (z = b, i < 200) => z - 0.3*(w*z + c*z[0] - b)), (z) => w*z + c*z[0], "
        "(u) => (scan (z = u, i < 200) => z - 0.3*((w*z with [0] += c*sum(z)) - u)))({})")
SYSTEM = "x=[0.5, -1.0, 2.0]", "w=1.75", "c=0.5"


@test
def systems_are_differentiated_as_what_they_solve():
    """By the right side and by what the system is made of, to any order, in loops, branches and lanes too."""
    for right in "x", "sin(x)*c", "x*w":
        own, plain = SOLVED.format(right), PLAIN.format(right)
        for form in ("%s", "scan (h = x, i < 3) => sin(h) + (%s)", "if w > 1 then %s else x", "[i < 2] => (%s)*i",
                     "checkpoint(exp(%s))"):
            a, b = form % own, form % plain
            alike(a, b, *SYSTEM, within=1e-12)
            for d in ("grad(sum((%s)^2), x)", "grad(sum((%s)^2), w)", "jvp(%s, c, 2.0)"):
                alike(d % a, d % b, *SYSTEM, within=1e-12)
        for d in ("hessian(sum((%s)^2), x)", "grad(grad(grad(sum((%s)^2), w), c), w)", "jacobian(grad(sum((%s)^3), x), c)",
                  "jacobian[forward](grad(sum((%s)^3), w), x)"):
            alike(d % own, d % plain, *SYSTEM, within=1e-11, tiers=TIERS[:2])
            alike(d % FREE.format(right), d % plain, *SYSTEM, within=1e-9, tiers=TIERS[1:2])


@test
def systems_of_several_and_what_is_refused(folder):
    two = "let (p, q) = with_system[2]((a, b) => (b/w, a/c), (p, q) => (c*q, w*p), (a, b) => (b/c, a/w))(x, sin(x)) in p + 2*q"
    for d in "%s", "grad(sum((%s)^2), c)", "hessian(sum((%s)^2), x)":
        alike(d % two, d % "sin(x)/w + 2*(x/c)", *SYSTEM, within=1e-12)
    record = "with_system((b) => {u = b.v/w, v = b.u/c}, (z) => {u = c*z.v, v = w*z.u}, (b) => {u = b.v/c, v = b.u/w})({u = x, v = 0.5*x}).v"
    alike(f"grad(sum({record}), c)", "grad(sum(x/c + 0*w), c)", *SYSTEM)
    printed = call("explain", SOLVED.format("x"), "x: f64[n]", "w: f64", "c: f64", "--stage", "written")[0]
    holds(printed, "with_system(")
    name, params = re.search(r"fn (\w+)\((.*?)\) ->", printed).groups()
    of = ", ".join(re.findall(r"(\w+):", params))
    with open(f"{folder}/q.por", "w", encoding="utf-8") as f:
        f.write(f"{printed}\nfn d({params}) = grad(sum({name}({of})^2), w)\n")
    near(call("run", f"{folder}/q.por:d", *SYSTEM)[0], call("eval", f"grad(sum(({SOLVED.format('x')})^2), w)", *SYSTEM)[0])
    for text, message in {
            "with_system((b) => b, (z) => z^2, (u) => u)(x)": "its second function is not linear in what is solved for",
            "with_system((b) => b - 1, (z) => z + 1, (u) => u)(x)":
                "1:34: with_system: its second function is not linear in what is solved for: + joins what hangs on one with "
                "what hangs on none",
            "with_system((b) => (b, b), (z) => z, (u) => u)(x)": "its first function gives (f64[2], f64[2]), wanted f64[2]",
            "with_system((b) => b, (z) => (z, z), (u) => u)(x)": "its second function gives (",
            "with_system((b) => b, (z) => z)(x)": "given 2 operands, wanted 3",
            "with_system((b) => b, (z) => z, 1)(x)": "wanted a function",
            "with_system[2]((b) => b, (z) => z, (u) => u)(x)": "given 1 arguments, wanted 2 at least",
            "with_system[0]((b) => b, (z) => z, (u) => u)(x)": "how many arguments are the right side is wanted",
            "with_system((b) => b, (z) => z, (u) => u)([1 < 2])": "its right side is bool[1], wanted arrays of floats",
            "with_system((b) => (do print(b) in b), (z) => z, (u) => u)(x)": "a function that solves a system has no effects"
            }.items():
        holds(call("eval", text, "x=[0.5, 1.0]", status=1)[1], message)


@test
def what_a_name_stands_for_within_a_derivative_of_its_own():
    """A function called there differentiates by its own names: they are the arguments to differential(e)."""
    own = "with_derivative(() => x/w, (y) => (let f = (q) => jvp(sinh(q), q, differential(q*w)) in f(y*2)))()"
    alike(f"jvp({own}, w, 1.5)", "let q = 2*x/w in cosh(q)*q*1.5", *WORDS, within=1e-12)


@test
def what_is_printed_reads_back(folder):
    for own, _ in ALIKE[:8]:
        printed = call("explain", own, "x: f64[n]", "w: f64", "--stage", "written")[0]
        write_files(folder, p=printed)
        name = re.search(r"fn (\w+)\(", printed)[1]
        for d in "%s", "grad(sum(%s), x)":
            with open(f"{folder}/q.por", "w", encoding="utf-8") as f:
                params = re.search(r"fn \w+\((.*?)\) ->", printed)[1]
                names = ", ".join(re.findall(r"(\w+):", params))
                f.write(f"{printed}\nfn d({params}) = {d % f'{name}({names})'}\n")
            same(call("run", f"{folder}/q.por:d", *WORDS)[0], call("eval", d % own, *WORDS)[0])


AFFINE = {"dx + 1": "+ joins what", "x - dx": "- joins what", "1": "it gives what hangs on none", "x*y": "it gives what hangs on none",
          "sum([dx, 1])": "concat joins", "sum([dx, 0] with [1] = x)": "scatter_set joins", "sum([x, 0] with [1] += dx)": "scatter_add joins",
          "fma(x, dx, y)": "fma joins", "if sin(x) > 0 then dx else 1.0": "joins what hangs on one", "where(x > 0, dx, y)": "where joins",
          "scan (r = 1.0, i < 3) => r + dx": "scan joins", "scan (r = dx, i < 3) => r*x + y": "+ joins",
          "(scan (r = 0.0, h = dx, i < 3) => {r = r + h, h = 2.0}).r": "scan joins", "checkpoint(dx*x + y)": "+ joins",
          "kept((x, dx) => 0*x + 1)(x, dx)": "it gives what hangs on none",
          "if x > 0 then exp(x)*dx else scan (r = dx, i < 3) => r*x - x": "- joins"}
# No sums of multiples, where somebody can tell.
CURVED = ("dx*dx", "dx^2", "x*dx^2 + dx", "exp(dx)", "abs(dx)", "if x > 0 then max(dx, 0) else dx", "checkpoint(sin(dx))",
          "scan (r = dx, i < 2) => r*dx", "dot([dx, 2*dx], [dx, dx])", "[dx*dx, dx][0] + dx", "sum(where([x, x] > 0, dx*dx, 0))")
# What is linear: with zeros, loops and branches, and what no table knows as linear.
LINEAR = ("dx*x*2", "0", "0*x + 6*dx", "if x > 0 then 6.0*dx else 0.0", "where(x > 0, 6*dx, 0*x)", "sum([dx, 0] with [1] = 5*dx)",
          "scan (r = 0.0, i < 6) => r + dx", "scan (r = dx, i < 3) => r*x", "checkpoint(dx*x) + (y - y)", "kept((d, x) => d/x)(dx, x)",
          "sum(with_system((b) => b/2, (z) => 2*z, (u) => u/2)([dx]))", "dx*mean([x, y])", "kept((x, dx) => 0*x)(x, dx)",
          "if x > 0 then kept((x) => grad(sign(x), x))(x) else 0")
# Of these nobody can tell: the forward mode takes them.
BELIEVED = ("6*dx*dx/where(dx == 0, 1, dx)", "6*sqrt(dx^2)*sign(dx)", "6*x*dx*dot([dx], [dx])/dot([dx], [x*dx])", "6*stop_gradient(dx)")


@test
def a_derivative_that_is_known_not_to_be_linear_is_refused(folder):
    for d, message in AFFINE.items():
        own = f"with_derivative((x) => x^2, (x, y, dx) => {d})(x)"
        for text in own, f"grad({own}, x)", f"jvp({own}, x, 1.0)":
            told = call("eval", text, "x=3.0", status=1)[1]
            holds(told, message, "with_derivative: the derivative that is told is not linear in the differentials: ",
                  "; wanted a sum of their multiples, or 0")
    for d in CURVED:
        own = f"with_derivative((x) => x^2, (x, y, dx) => {d})(x)"
        for text in own, f"grad({own}, x)", f"jvp({own}, x, 1.0)":
            holds(call("eval", text, "x=3.0", status=1)[1], "the derivative that is told is not linear in the differentials: "
                  "it gives a product or another map of them; wanted")
    write_files(folder, p="op f(g: (f64) -> f64, x: f64) = g(x)\nbook derivative\nd(f(g, x)) => dg(x) +\n    dx + x\n"
                          "fn d(x: f64) = grad(f(exp, x), x)\n")
    holds(call("run", f"{folder}/p.por:d", "x=2.0", status=1)[1], "p.por:3:15: with_derivative: the derivative that is told is not linear")
    for d in LINEAR:
        own = f"with_derivative((x) => x^2, (x, y, dx) => {d})(x)"
        near(call("eval", f"grad({own}, x)", "x=3.0")[0], call("eval", f"jvp({own}, x, 1.0)", "x=3.0")[0])
    for d in BELIEVED:
        near(call("eval", f"jvp(with_derivative((x) => x^2, (x, y, dx) => {d})(x), x, 1.0)", "x=3.0")[0], "6")


@test
def sizes_that_the_operand_alone_does_not_tell(folder):
    """x[m - 1:] has n - m + 1 elements: neither n nor m by themselves.  Slopes of each element are 2/5 and cos(v)."""
    system, own = "with_system((v) => v/2.5, (v) => 2.5*v, (v) => v/2.5)", "with_derivative((v) => sin(v), (v, y, dv) => cos(v)*dv)"
    pulled = "with_vjp((v) => sin(v), (v, y, u) => cos(v)*u)"
    wanted = {system: ("[0, 0, 0.4, 0.4]", "[0, 0, 2.4, 2.4]", "[0, 0, 3.456, 6.144]")}
    c, s = [0, 0] + [math.cos(v) for v in (3, 4)], [0, 0] + [math.sin(v) for v in (3, 4)]
    lanes = [0, 0] + [sum(a*math.cos(a*v) for a in (1, 2, 3)) for v in (3, 4)]
    twice = [x*(6*b*a*a - 3*b*b*b) for x, a, b in zip((1, 2, 3, 4), c, s)]   # of sin(v)^3, along v
    wanted[own] = wanted[pulled] = c, lanes, twice
    for f, (once, batched, second) in wanted.items():
        write_files(folder, s=f"""
fn d(x: f64[n], y: f64[m]) = grad(sum({f}(x[(m - 1):])), x)
fn b(x: f64[n], y: f64[m]) = grad(sum([a in y] => sum({f}(a*x[(m - 1):]))), x)
fn h(x: f64[n], y: f64[m]) = grad(sum(grad(sum({f}(x[(m - 1):])^3), x)*stop_gradient(x)), x)
""")
        for name, value in ("d", once), ("b", batched), ("h", second):
            for tier in "reference", "interpret":
                near(call("run", f"{folder}/s.por:{name}", "x=[1, 2, 3, 4]", "y=[1, 2, 3]", "--tier", tier)[0], value)


@test
def sizes_by_what_data_say(folder):
    """As many elements as are larger than a size, or than what a side with effects gives: each asks what it is made of."""
    slopes = {"with_system((v) => v/2.5, (v) => 2.5*v, (v) => v/2.5)": [0, 0, 0.4, 0.4],
              "with_derivative((v) => sin(v), (v, y, dv) => cos(v)*dv)": [0, 0, math.cos(3), math.cos(4)],
              "with_vjp((v) => sin(v), (v, y, u) => cos(v)*u)": [0, 0, math.cos(3), math.cos(4)]}
    for f, slope in slopes.items():
        for most in "m", "(if c > 3 then (do check(c) in m) else c)", "(do check(c) in c)":
            z = f"x[x > {most}]"
            write_files(folder, z=f"""
fn d(x: f64[n], c: f64, y: f64[m]) = grad(sum({f}({z})), x)
fn j(x: f64[n], c: f64, y: f64[m]) = jvp(sum({f}({z})), x, x)
fn l(x: f64[n], c: f64, y: f64[m]) = let z = {z} in grad(sum(scan[states = 2] (h = z, i < 4) while i < 1 => {f}(h)), x)
""")
            words = "x=[1, 2, 3, 4]", "c=2.0", "y=[1, 2]"
            for name in "dl" if "with_vjp" in f else "djl":
                same(call("check", f"{folder}/z.por:{name}", *words, "--no-native")[0], "same 1 differ 0\n")
                for tier in "reference", "interpret":
                    wanted = [sum(s*x for s, x in zip(slope, (1, 2, 3, 4)))] if name == "j" else slope
                    near(call("run", f"{folder}/z.por:{name}", *words, "--tier", tier)[0], wanted)


@test
def a_derivative_that_is_not_linear():
    for d, message in {"x/dx": "/ divides by one",
                       "if dx > 0 then dx else 2*dx": "if asks of one which side it takes",
                       "where(dx > 0, dx, 2*dx)": "where asks of one",
                       "(scan (r = dx, h = x, i < 3) => {r = r*h, h = h*h}).r": "all that a loop carries beside tangents counts"}.items():
        text = f"grad(with_derivative((x) => x^2, (x, y, dx) => {d})(x), x)"
        holds(call("eval", text, "x=3.0", status=1)[1], "a derivative is linear in its tangents", message)


main(__doc__)
