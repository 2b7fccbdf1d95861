#!/usr/bin/env python3
"""test_batching.py PORISM [NAME...]: lines batch(f(x)) => ... of book batching."""

from command import TIERS, call, holds, main, near, same, test, write_files

OPS = """
op energy(x: f64[n], w: f64[n]) -> f64 = dot(x^2, w)
op energies(X: f64[m, n], w: f64[n]) -> f64[m] = X^2 @ w
op fold[a](x: T[..s]) = sum[a](x^2)
op top(x: f64[n]) -> i64 = argmax[0](x)

book derivative
d(energy(x, w)) => sum(2*dx*x*w) + sum(dw*x^2)
d(fold[a](x)) => sum[a](2*x*dx)
"""
LINES = """
book batching
batch(energy(x, w)) => energies(x, w) if shared(w)
batch(energy(x, w)) => sum[1](x^2*w)
batch(fold[a](x)) => sum[a + 1](x^2)
batch(top(x)) => argmax[1](x)
"""
FORMS = {"one": "[x in X] => energy(x, w)", "other": "[v in W] => energy(w, v)", "both": "[x in X, v in W] => energy(x, v)",
         "zip": "[i < len(X)] => energy(X[i], W[i])", "none": "[i < 2] => energy(w, w)*i", "brackets": "[x in X] => fold[0](x)",
         "guarded": "[x in X] => if x[0] > 0 then energy(x, w) else 0.0", "nested": "[i < 2] => [x in X] => energy(x*i, w)"}
WORDS = "X=[[1.0, 2.0, -0.5], [0.5, -1.0, 3.0]]", "W=[[0.1, 0.2, 0.3], [-1.0, 2.0, 0.5]]", "w=[0.5, 1.5, -2.0]"


def functions():
    text = ""
    for name, form in FORMS.items():
        text += f"fn {name}(X: f64[m, n], W: f64[m, n], w: f64[n]) = {form}\n"
        for by in "X", "w":
            text += f"fn {name}_{by}(X: f64[m, n], W: f64[m, n], w: f64[n]) = grad(sum(sin({name}(X, W, w))), {by})\n"
    return text


@test
def values_and_derivatives_are_those_without(folder):
    write_files(folder, with_lines=OPS + LINES + functions(), without=OPS + functions())
    for name in FORMS:
        for of in (name, name + "_X", name + "_w"):
            wanted = call("run", f"{folder}/without.por:{of}", *WORDS, "--tier", "reference")[0]
            for tier in TIERS[:2] if of == name else TIERS[1:2]:
                near(call("run", f"{folder}/with_lines.por:{of}", *WORDS, "--tier", tier)[0], wanted, 1e-13)
    holds(call("check", f"{folder}/with_lines.por:both_X")[0], "differ 0")


@test
def loops_are_told_and_lines_take_them_away(folder):
    write_files(folder, with_lines=OPS + LINES + functions(), without=OPS + functions())
    for name in "one", "both", "zip", "nested":
        printed = [call("explain", f"{folder}/{f}.por:{name}", "--stage", "written")[0] for f in ("without", "with_lines")]
        same(["scan" in p for p in printed], [True, False])
    holds(call("explain", f"{folder}/with_lines.por:one", "--stage", "written")[0], "energies(X, w)")
    assert "energies" not in call("explain", f"{folder}/with_lines.por:zip", "--stage", "written")[0]


@test
def loops_over_elements_are_told_with_why(folder):
    """With the line, of what is a loop in the end; of what is computed together nothing is told."""
    write_files(folder, p="""fn sized(x: f64[n]) = [i < n] => sum(x[:i]) + 1
fn heard(x: f64[n]) = [v in x] => let y = v*2 in do print({y}) in y
fn kept_exact(x: f64[n]) = [v in x] => exact((v) => v + 1e20 - 1e20)(v)
fn told(x: f64[n]) = [v in x] => with_derivative((v) => exp(v), (v, y, dv) => y*dv)(v)
fn slope(x: f64[n]) = grad(sum(sized(x)^2), x)
fn inner(x: f64[n], k: i64[n]) = [v in x, m in k] => grad(scan (y = v, i < m) => sin(y), v)
fn within(x: f64[n]) = scan (s = x, i < 2) => [i < n] => sum(s[:i])
fn solved(x: f64[n]) = [v in x] => with_system((b) => b/v, (z) => v*z, (u) => u/v)(v)
fn together(x: f64[n], k: i64[n]) = [v in x, m in k] => scan (y = v, i < m) => sin(y)
fn jacobian_of(x: f64[n]) = jacobian(sized(x), x)
""")
    sizes = "sizes within differ from one to the next, or axes are too many"
    told = {"sized": (1, sizes), "heard": (2, "effects happen one after another"), "slope": (1, sizes), "inner": (6, sizes),
            "kept_exact": (3, "nothing is moved out of an exact function"), "told": None,
            "within": (7, sizes), "solved": (8, "it tells its derivative for one"), "together": None, "jacobian_of": None}
    for name, line in told.items():
        want = f"# ---- calls\n{folder}/p.por:{line[0]}: a loop over the elements: {line[1]}\n\n" if line else "# ---- calls\n\n\n"
        same(call("explain", f"{folder}/p.por:{name}", "--show", "calls")[0], want)
    holds(call("explain", f"{folder}/p.por:sized")[0], f"a loop over the elements: {sizes}")
    assert "over the elements" not in call("explain", f"{folder}/p.por:together")[0]


@test
def none_and_several_results(folder):
    write_files(folder, p=OPS + LINES + """
op parts(x: f64[n]) = {low = min[0](x), high = max[0](x)}
book batching
batch(parts(x)) => (max[1](x), min[1](x))
fn f(X: f64[m, n], w: f64[n]) = {e = [x in X] => energy(x, w), p = [x in X] => parts(x)}
""")
    for tier in TIERS:
        same(call("run", f"{folder}/p.por:f", "X=f64[0, 3](0)", "w=f64[3](1)", "--tier", tier)[0],
             "{e = f64[0](0), p = {low = f64[0](0), high = f64[0](0)}}\n")
        same(call("run", f"{folder}/p.por:f", "X=[[1.0, 3.0], [2.0, -1.0]]", "w=f64[2](1)", "--tier", tier)[0],
             "{e = [10.0, 5.0], p = {low = [1.0, -1.0], high = [3.0, 2.0]}}\n")


@test
def lines_are_checked(folder):
    write_files(folder, p=OPS + LINES)
    out = call("rules", "check", f"{folder}/p.por")[0]
    holds(out, "batch(energy(x, w)): real, ", "batch(fold[a](x)): real, ", "6 rules hold, 0 fail")
    for line, message in {
            "batch(energy(x, w)) => sum[1](x*w)": "rule batch(energy(x, w)): a lane is ",
            "batch(energy(x, w)) => energies(x, w[0])": "rule batch(energy(x, w)): a lane is ",
            "batch(energy(x, w)) => sum(x*w)": "rule batch(energy(x, w)): a lane is ",
            "batch(energy(x, w)) => x*w": "rule batch(energy(x, w)): gives f64[3, ",
            "batch(top(x)) => argmin[1](x)": "rule batch(top(x)): a lane is not what it is alone",
            "batch(energy(x, w)) => energies(x, w)": "energies",
            "batch(energy(x, 2)) => x": "the operands must be variables",
            "batch(sin(x)) => sin(x)": "operators have lanes of their own: an op is wanted",
            "batch(energy(x, w), x) => x": "batch takes the operator",
            "batch(missing(x)) => x": "there is no operator or op missing",
            "energy(x, w) => sum(x)": "book batching has lines batch(f(x)) => ... alone",
            "d(energy(x, w)) => dx": "book batching has lines batch(f(x)) => ... alone"}.items():
        write_files(folder, p=OPS + f"book batching\n{line}\nfn f(x: f64) = x\n")
        holds(call("run", f"{folder}/p.por:f", "x=1.0", status=1)[1], message)


main(__doc__)
