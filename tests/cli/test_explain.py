#!/usr/bin/env python3
"""test_explain.py PORISM [NAME...]: what explain says of stages and rules; pictures of the graph."""

import json
import os

from command import DIGITS, Failed, call, evaluates, holds, main, same, test, write_files


@test
def explain_names_the_rules():
    out = call("explain", "log(sum(exp(x)))", "x: f64[n]")[0]
    holds(out, "log_sum_exp", "logsumexp", "kernel", "plan", "memory")
    holds(call("explain", "log(sum(exp(x)))", "x: f64[n]", "--stage", "stable")[0], "logsumexp(x)")
    for command in ("explain", "grad", "view"):
        holds(call(command, "x^2", "--stage", "bogus", status=2)[1], "--stage bogus", "stable")
    whole = json.loads(call("explain", "--json", "--show", "all", "log(sum(exp(x)))", "x: f64[n]")[0])
    same(list(whole), ["rules", "kernels", "plan", "memory", "log", "profile", "stages", "c"])
    same(whole["rules"][0]["rule"], "log_sum_exp")
    holds(whole["kernels"], "fold sum")
    holds(json.dumps(json.loads(call("explain", "--json", "--show", "rules", "log(1 + x)")[0])), "log1p")


@test
def slices_with_steps_print_as_they_are_written():
    """The stop of a symbolic axis is left out where the slice goes to its end; what is printed is the same slice."""
    for text, wanted in (("x[::2]", "x[::2]"), ("x[::-1]", "x[::-1]"), ("x[2::3]", "x[2::3]"), ("x[-3::2]", "x[-3::2]"),
                         ("x[6:1:-2]", "x[6:1:-2]"), ("x[3::-1]", "x[3::-1]"), ("x[-2::-1]", "x[-2::-1]")):
        same(call("explain", text, "x: f64[n]", "--stage", "stable")[0].split(" = ")[1], wanted + "\n")
    evaluates("x[::-1]", "f64[0](0)", "x=f64[0](0)")
    evaluates("x[::-3]", "f64[0](0)", "x=f64[0](0)")


@test
def carried_values_that_no_step_changes(folder):
    """They are captured: of a sum that a loop collects the derivative carries no cotangent, which is 1 in every step."""
    write_files(folder, still="""
fn f(x: f64, b: f64, n: i64) = scan (x = x, k = b, i < n) => {x = x + k*x, k = k, t = k}
fn g(b: f64[m], n: i64) = scan (k = b, i < n) => k
fn h(xs: f64[n], w: f64) = let r = scan (l = 0.0, w = w, x in xs) => {l = l + sin(w*x), w} in r.l*r.w
""")
    path = os.path.join(folder, "still.por")
    holds(call("explain", path + ":f", "--stage", "stable")[0], "scan (x1 = x, i < n) => {x1 = x1 + b*x1, t1 = b}")
    holds(call("explain", path + ":g", "--stage", "stable")[0], "f64[m] = b\n")
    printed = call("grad", path + ":h")[0]
    if "dl" in printed or "dw = dw" in printed:
        raise Failed(printed)
    same(call("run", path + ":f", "x=1.0", "b=2.0", "n=3")[0], "{x = 27.0, k = 2.0, t = [2.0, 2.0, 2.0]}\n")
    same(call("run", path + ":f", "x=1.0", "b=2.0", "n=0")[0], "{x = 1.0, k = 2.0, t = f64[0](0)}\n")
    holds(call("check", path)[0], "differ 0")


@test
def view(folder):
    path = os.path.join(folder, "g.dot")
    same(call("view", "log(1 + exp(x))", "-o", path)[0], path + "\n")
    with open(path) as f:
        holds(f.read(), "as written", "softplus", "->")
    call("view", f"{DIGITS}/digits.por:loss", "-o", path)
    with open(path) as f:
        holds(f.read(), "f32[m, d](16)", "f32[m, h]")      # sizes by the names that the file gives them
    picture = os.path.join(folder, "g.svg")
    shown = call("view", "log(1 + exp(x))", "-o", picture)[0].strip()
    if not os.path.exists(shown):
        raise Failed(f"no {shown}")
    said = call("view", "sin(x)", "-o", f"{folder}/none/g.svg", status=3)[1]
    same(said, f"porism: {folder}/none/g.svg: cannot be written: No such file or directory\n")
    with open(f"{folder}/mine.dot", "w") as f:
        f.write("mine")
    call("view", "sin(x)", "-o", f"{folder}/mine.svg")
    with open(f"{folder}/mine.dot") as f:
        same(f.read(), "mine")


main(__doc__)
