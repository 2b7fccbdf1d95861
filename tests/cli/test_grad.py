#!/usr/bin/env python3
"""test_grad.py PORISM [NAME...]: derivatives as mathematics and their values."""

import ast
import json
import os

from command import EXAMPLES, Failed, call, evaluates, holds, main, near, same, test, write_files


@test
def grad_prints_mathematics():
    out = call("grad", "sum(log(1 + exp(-y*(X @ w))))", "--wrt", "w")[0]
    if out.count("\n") != 1 or len(out) > 81:
        raise Failed(f"no short line: {out!r}")
    values = ["X=[[1.0, 2.0], [3.0, -4.0]]", "w=[0.5, -0.25]", "y=2.0"]
    got = json.loads(call("eval", "--json", out.strip(), *values)[0])["result"]
    down = [json.loads(call("eval", "--json", "sum(log(1 + exp(-y*(X @ w))))", values[0], f"w=[{a}, {b}]", "y=2.0")[0])["result"]
            for a, b in [(0.5 + 1e-6, -0.25), (0.5 - 1e-6, -0.25), (0.5, -0.25 + 1e-6), (0.5, -0.25 - 1e-6)]]
    for g, d in zip(got, [(down[0] - down[1]) / 2e-6, (down[2] - down[3]) / 2e-6]):
        if abs(g - d) > 1e-6:
            raise Failed(f"{got}, and by differences {d}")


@test
def grad_of_whole_numbers():
    """A variable that is given as 2 is 2.0: d(x*y)/dx = y = 3, d(x*y)/dy = x = 2."""
    same(call("grad", "x*y", "--wrt", "x,y", "x=2", "y=3")[0].split("\n")[1], "{x = 3.0, y = 2.0}")


@test
def grad_behind_a_condition_on_sizes():
    """Within a body, n > 2 is not the question whether a loop over n has a pass."""
    for body in ("checkpoint(where(2 < len(x), sum(x), sum(x*x)))", "scan (s = sum(x), t < 1) => where(2 < len(x), s, sum(x*x))",
                 "if i < 1 then where(len(x) > 2, sum(x), sum(x*x)) else 1.5", "checkpoint(if len(x) > 2 then sum(x) else sum(x*x))",
                 "scan (s = sum(x), t < i + 1) => where(len(x) > 2, s, sum(x*x))"):
        text = call("grad", body, "x: f64[n]", "i: i64", "--wrt", "x")[0].strip().replace("(n)", "(len(x))").replace("[n]", "[len(x)]")
        for x, want in ("[1.0, 2.0]", [2.0, 4.0]), ("[1.0, 2.0, 3.0]", [1.0]*3):
            given = [f"x={x}"] + (["i=0"] if "i < 1" in text or "i + 1" in text or "1 + i" in text else [])
            same((text, json.loads(call("eval", "--json", text, *given)[0])["result"]), (text, want))


@test
def grad_where_the_table_has_two_sides():
    """Higher derivatives where a rule of the table changes its form: by mpmath, 30 digits."""
    for text, value in (("grad(grad(exp(-x^2)/(sqrt(pi)*erfc(x)), x), x)", 0.124683294139572),
                        ("grad(grad(grad(log(erfc(x)), x), x), x)", -0.249366588279144),
                        ("grad(grad(grad(log1p_square(x), x), x), x)", -1.0)):
        got = float(call("eval", text, "x=1.0")[0])
        if abs(got - value) > 1e-13*abs(value):
            raise Failed(f"{text}: {got}, not {value}")
    for norm in "euclidean(v)", "euclidean[0](v)":
        evaluates(f"grad({norm}, v)", "[0.0, 0.0]", "v=[0.0, 0.0]")
        evaluates(f"grad({norm}, v)", "[0.6, 0.8]", "v=[3.0, 4.0]")


@test
def grad_by_names_that_are_there():
    same(call("grad", "p.a*p.b^2", "p: {a: f64, b: f64}", "--wrt", "p.a")[0], "p.b^2\n")
    for words in (["x*y", "--wrt", "q"], ["x*y", "--wrt", "x,q"], [f"{EXAMPLES}/logistic.por:loss", "--wrt", "q"]):
        holds(call("grad", *words, status=2)[1], "--wrt q: the variables are ")


@test
def grad_with_values():
    same(call("grad", "x^3", "x=2.0")[0].split("\n")[1], "12.0")
    same(json.loads(call("grad", "--json", "x^2*y", "--wrt", "x,y", "x=3.0", "y=2.0")[0])["result"], {"x": 12.0, "y": 9.0})
    holds(call("grad", f"{EXAMPLES}/logistic.por:loss")[0], "sigmoid", "w =", "b =")


@test
def products_with_zeros_have_second_derivatives():
    """d2(xyz)/dx dy is z, whether a factor is 0 or not."""
    evaluates("hessian(prod(x), x)[1]", "[3.0, 0.0, 2.0]", "x=[2.0, 0.0, 3.0]")
    evaluates("hessian(prod(x), x)[1]", "[3.0, 0.0, 0.0]", "x=[0.0, 0.0, 3.0]")
    evaluates("hessian(prod(x), x)[1]", "[3.0, 0.0, 2.0]", "x=[2.0, 5.0, 3.0]")


@test
def elu_is_smooth_at_zero():
    evaluates("grad(elu(x), x)", "1.0", "x=0.0")   # exp(x) from the left, 1 from the right


@test
def derivatives_where_paths_cannot_be():
    """-inf is the logarithm of nothing: it gets no NaN, as in CTC and other sums over paths."""
    evaluates("grad(sum(logaddexp(x, y)), x)", "[0.5, 1.0, 0.0]", "x=[-inf, 1.0, -inf]", "y=[-inf, -inf, 1.0]")
    same(call("grad", "logaddexp(a, 1)")[0], "sigmoid(a - 1)\n")   # 1 is finite: nothing to guard
    same(call("grad", "log(abs(x))")[0], "1/x\n")


@test
def stages_and_derivatives_keep_structures(folder):
    """A stage prints the function as it is declared; an element of a tuple is get[i](t), which parses again."""
    write_files(folder, kept="""
fn f(p: {w: f64[n], b: f64}, x: f64[n]) = {s = sum(p.w*x), b = p.b}
fn g(t: (f64, (f64[n], {a: f64}))) = let (a, b) = t in let (c, d) = b in a*sum(c)*d.a
""")
    path = os.path.join(folder, "kept.por")
    holds(call("explain", path + ":f", "--stage", "stable")[0],
          "fn f(p: {w: f64[n], b: f64}, x: f64[n]) -> {s: f64, b: f64} =", "{s = sum(p.w*x), b = p.b}")
    printed = call("grad", path + ":g")[0]
    holds(printed, "fn g_gradient(t: (f64, (f64[n], {a: f64}))) -> (f64, (f64[n], {a: f64})) =", "get[0](get[1](t))")
    write_files(folder, again=printed)
    same(call("run", os.path.join(folder, "again.por") + ":g_gradient", "t=(2.0, ([1.0, 2.0], {a = 3.0}))")[0],
         "(9.0, ([6.0, 6.0], {a = 6.0}))\n")       # sum(c)*a, t0*a for each, t0*sum(c)
    evaluates("let (a, b) = t in a*b", "3.0", "t=(1.5, 2)")


@test
def a_variance_far_from_zero_has_its_gradient():
    """The mean 1e16 + 4/3 rounds to 1e16 + 2, the distances to -2, 0, 0 instead of -4/3, 2/3, 2/3; their sum, which
    the gradient 2/3*(d - sum(d)/3) keeps, makes that good."""
    got = ast.literal_eval(call("eval", "grad(variance(x), x)", "x=[1e16, 1.0000000000000002e16, 1.0000000000000002e16]")[0])
    same([round(9*g, 12) for g in got], [-8, 4, 4])


@test
def far_out_derivatives_are_numbers():
    """The share w*exp(x)/sum(w*exp(x)) is 1/2 and w times its differential by w 1/4, though w/sum(w*exp(x)) leaves the range;
    sqrt(exp(x) + 1) - sqrt(exp(x) - 1) is exp(-x/2) out there, a constant array of positive numbers is a positive weight."""
    second = "grad(sum(grad(log(sum(w*exp(x))), x)*v), w)"
    given = "w: f64[n]", "x: f64[n]", "v: f64[n]", "w=[1e155, 1e155]", "x=[-720.0, -720.0]", "v=[1.5, 2.0]"
    for a, b in zip(ast.literal_eval(call("eval", second, *given)[0]), (-1.25e-156, 1.25e-156)):
        same(abs(a/b - 1) < 1e-9, True)
    root = "sqrt(exp(x) + 1) - sqrt(exp(x) - 1)"
    for text, factor in (root, 1), (f"grad({root}, x)", -0.5), (f"grad(grad({root}, x), x)", 0.25):
        got = float(call("eval", text, "x=700.0")[0])
        same(abs(got/(factor*9.929590396264978e-153) - 1) < 1e-12, True)
    evaluates("log(sum([1.0, 2.0]*exp(a)))", "1000.551444713932", "a: f64[2]", "a=[1000.0, 999.0]")


@test
def what_no_pass_asks_for(folder):
    """Where a loop begins is asked for where it has no pass alone, if its passes do not read it: be it NaN, it has no part."""
    loops = {"i < n": "[4.0, 4.0]", "i < 2": "[4.0, 4.0]", "v in x": "[4.0, 4.0]"}
    for loop, gradient in loops.items():
        for more in "", "do print(h) in ":
            write_files(folder, q=f"fn f(a: f64, x: f64[n], y: f64[m]) = scan (h = sin(mean(y)*a), {loop}) => ({more}a*a)\n"
                                  "fn d(a: f64, x: f64[n], y: f64[m]) = let (da, dx) = grad(f(a, x, y)*sum(x), a, x) in [da, dx[0]]\n")
            for tier in "reference", "interpret":
                same(call("run", f"{folder}/q.por:d", "a=2.0", "x=[0.5, 0.5]", "y=f64[0](0)", "--tier", tier)[0].strip(), gradient)
    empty = call("run", f"{folder}/q.por:d", "a=2.0", "x=[0.5, 0.5]", "y=[0.0]")[0].strip()
    same(empty, "[4.0, 4.0]")


@test
def what_no_pass_reads(folder):
    """An element that no pass reads is handed nothing back: where it is from is not asked for, as the value does not."""
    for loop in "scan (h = y, e in A[:, j]) => 2*h", "scan[states = 2] (h = y, e in A[:, j]) => 2*h", \
            "scan[back, levels = 2] (h = y, e in A[:, j]) => checkpoint((v) => 2*v)(h)", \
            "sum(scan (h = [y, y], e in A[:, j]) => [i < 2] => sum(scan (e in h) => h[i])) + 3*y":
        write_files(folder, q=f"fn f(y: f64, A: f64[m, n], j: i64) = {loop}\n"
                              "fn d(y: f64, A: f64[m, n], j: i64) = let (dy, dA) = grad(f(y, A, j), y, A) in [f(y, A, j)/y, dy, sum(dA)]\n")
        for tier in "reference", "interpret":
            value, slope, rest = ast.literal_eval(
                call("run", f"{folder}/q.por:d", "y=1.5", "A=[[1.0, 2.0], [3.0, 4.0]]", "j=5", "--tier", tier)[0])
            same((slope, rest), (value, 0.0))


@test
def a_part_of_what_is_flipped(folder):
    """It may be empty, and begins nowhere then: rewriting took it backwards from an element before the first."""
    write_files(folder, f="fn f(x: f64[n]) = hessian(sin(sum(x[::-1][min(1, len(x)):])), x)\n")
    for given in "x=f64[0](0)", "x=[0.5]", "x=[0.5, 1]":
        same(call("check", f"{folder}/f.por:f", given, "--no-native"), ("same 1 differ 0\n", ""))


@test
def by_what_a_derivative_is_made_of():
    """A derivative was of the expression in normal form, which had lost what the next one is by."""
    values = "v + 1", "2*v", "1/v", "max(v, 1)", "if v > 0 then v else -v", "scan (s = v) while s < 9 => s*2", "grad(v^3, v)", "v*c"
    uses = "q*c", "-q*c^2", "sin(c*q)", "if c > 0 then q*c else c", "scan (s = 1.0, i < 3) => s*q*c", "checkpoint(q*c)*q", "(q + c)^2"
    forms = "grad(grad({}, c), q)", "jvp(jvp({}, c, 1.0), q, 1.0)", "let g = grad({}, c) in grad(g + q, q)"
    for k, (value, use) in enumerate((value, use) for value in values for use in uses):
        text = f"let q = {value} in " + forms[k % 3].format(f"({use})")
        written = call("eval", text, "v=1.3", "c=2.0", "--no-rules")[0]
        near(call("eval", text, "v=1.3", "c=2.0")[0], [float(written)])
    same(call("eval", "let q = v + 1 in grad(grad(q*c, c), q)", "v=1.3", "c=2.0")[0], "1.0\n")
    same(call("eval", "let q = v + 1 in let r = q*c in grad(grad(r^2, c), r)", "v=1.3", "c=2.0")[0], "4.6\n")
    near(call("eval", "let p = v + 1 in let q = p*2 in grad(grad(p*q*c, c), q) + grad(grad(p*q*c, c), p)", "v=1.3", "c=2.0")[0], [11.5])


main(__doc__)
