#!/usr/bin/env python3
"""test_explain.py PORISM [NAME...]: what explain says of stages and rules; pictures of the graph."""

import json
import os
import re

from command import DIGITS, Failed, alike, call, evaluates, holds, main, same, test, write_files


@test
def explain_names_the_rules():
    out = call("explain", "log(sum(exp(x)))", "x: f64[n]")[0]
    holds(out, "log_sum_exp", "logsumexp", "kernel", "plan", "memory")
    holds(call("explain", "log(sum(exp(x)))", "x: f64[n]", "--stage", "stable")[0], "logsumexp(x)")
    for command in ("explain", "grad", "view"):
        holds(call(command, "x^2", "--stage", "bogus", status=2)[1], "--stage bogus", "stable")
    whole = json.loads(call("explain", "--json", "--show", "all", "log(sum(exp(x)))", "x: f64[n]")[0])
    same(list(whole), ["summary", "calls", "rules", "kernels", "plan", "memory", "log", "profile", "stages", "c"])
    same(whole["rules"][0]["rule"], "log_sum_exp")
    holds(whole["kernels"], "fold sum")
    holds(json.dumps(json.loads(call("explain", "--json", "--show", "rules", "log(1 + x)")[0])), "log1p")


LAYER = """fn loss(W: f64[h, d], v: f64[h], X: f64[m, d], y: f64[m]) =
    let a = tanh(X @ W.T)
    let z = a @ v
    in mean(softplus(z) - y*z) + sum(softmax[1](a))
"""


@test
def summary_says_why_it_takes_its_time(folder):
    """It stands first: the dearest step with its line and amounts, what bounds it, what is stored between two and why."""
    write_files(folder, layer=LAYER)
    file = f"{folder}/layer.por:loss"
    sizes = "W=f64[300, 400](0.1)", "v=f64[300](1)", "X=f64[200, 400](0.5)", "y=f64[200](1)"
    out = call("explain", file, *sizes)[0]
    same(out.splitlines()[:3], ["# ---- where its time goes", "steps: 5 by kernels, 2 by cores", "where the time went"])
    part = out.split("\n# ----")[0]
    holds(part, f" ms  contract: einsum  {folder}/layer.por:2\n        48 M operations, 2.1 MB (",
          "% of all): computing bounds it; f32 computes twice as many at once", "memory bounds it",
          "kernels were interpreted: --tier native tells", "arrays that lie in memory between two steps: 4",
          f"480 kB  contract: einsum  {folder}/layer.por:2\n        contract makes a whole array",
          f"480 kB  kernel 0: tanh (a)  {folder}/layer.por:2\n        contract reads whole arrays",
          "2 steps read it, it is computed once")
    open_sizes = call("explain", file, "--show", "summary")[0]
    holds(open_sizes, "where the work is, with every open size 1000 (values for all parameters tell yours)\n",
          f"97%  contract: einsum  {folder}/layer.por:2\n        2 G operations, 24 MB", "contract reads whole arrays")
    if " ms " in open_sizes:
        raise Failed(open_sizes)
    holds(call("explain", "scan (s = x, i < 10) => sin(s) + cumsum(s)", "x: f64[1000]", "--show", "summary")[0],
          "by kernels, 1 by cores, in 1 loop", "where the work is\n", "operations, ", ", in a loop: 10 times\n")


@test
def summary_has_the_amounts_of_the_profile(folder):
    """Bytes and work of a call are the profile's, of loops whose passes the values decide too; what is printed is so once."""
    write_files(folder, loop="fn f(x: f64[n], k: i64) =\n    let y = sin(x)\n    in scan (s = y, i < k) =>\n"
                             "        s + cumsum(s)\n")
    arguments = f"{folder}/loop.por:f", "x=f64[500](0.1)", "k=300"
    summary = call("explain", *arguments, "--show", "summary")[0]
    steps = json.loads(call("explain", *arguments, "--show", "profile", "--json")[0])["profile"]
    for s in (s for s in steps if s["what"] == "cumsum"):
        same(s["calls"], 300)
        same(s["bytes"], 300 * 2 * 500 * 8)
        same(s["work"], 300 * 1000 * 4)
        holds(summary, "1.2 M operations, 2.4 MB (", ", in a loop", ": 300 times",
              "the beginning of a pass bounds it; larger arrays")
    printed = call("explain", "let y = x\ndo print(y)\nin 2*y", "x=3.0", "--show", "summary")
    same(printed[1].count("3.0"), 1)


@test
def what_is_written_in_place_has_the_amounts_of_what_is_written():
    """A scatter does not walk the array that it changes; nor are threads looked for by its length, then."""
    for text, walked in (("x with [i] = x[i]*x[i + 1]", 0), ("(x with [i] = x[i]) + x[::-1]", 1)):
        steps = json.loads(call("explain", f"scan (x = x, i < 100) => {text}", "x=f64[5000](1)", "--show", "profile",
                                "--json")[0])["profile"]
        s, = (s for s in steps if s["what"] == "scatter")
        same((s["calls"], s["work"], s["bytes"]), (100, 100*4*(2 + walked*10000), 100*8*(2 + walked*10000)))


@test
def a_branch_that_becomes_a_select_is_named():
    """And one whose condition is known; one that stays a branch is not."""
    for text, told in (("if x > 0 then x else 2*x", "algebra: select: if x > 0 then x else 2*x  =>  (where(x > 0, x, 2*x),)"),
                       ("if x - x == 0*x and false then x else 2*x", "side: if ")):
        holds(call("explain", text, "x: f64", "--show", "rules")[0], told)
    stays = call("explain", "if x > 0 then sum(sin(x*f64(iota[1000]()))) else x", "x: f64", "--show", "rules")[0]
    if "select: " in stays or "side: " in stays:
        raise Failed(stays)


@test
def two_stages_are_compared(folder):
    """Line by line; what is the same in both stands there once."""
    write_files(folder, d="fn f(x: f64[n]) =\n    let y = log(1 + exp(x))\n    in {a = sum(y*y), b = tanh(y), c = cumsum(y)}\n")
    lines = call("explain", f"{folder}/d.por:f", "--diff", "written,stable")[0].splitlines()
    same(lines[:2], ["--- written", "+++ stable"])
    gone, came = ([line for line in lines[2:] if line[0] == mark] for mark in "-+")
    holds("".join(gone), "log(1 + exp(x))")
    holds("".join(came), "softplus(x)")
    holds("\n".join(lines), "\n fn f(x: f64[n])")
    nothing = call("explain", "sin(x)", "--diff", "stable,stable")[0].splitlines()[2:]
    same([line[0] for line in nothing], [" "]*len(nothing))
    holds(call("explain", "x", "--diff", "written", status=2)[1], "two stages were wanted")
    holds(call("explain", "x", "--diff", "written,bogus", status=2)[1], "bogus is no stage")


@test
def folds_of_few_terms_are_written_out(folder):
    """A map over the rows, joined as lanes are: by halves; where the index comes round, in runs."""
    out = call("explain", "[i < n] => sum([a < 5] => x[(i + a) % n]*x[i])", "x: f64[n]", "--show", "kernels,c")[0]
    kernels, code = out.split("# ---- C")
    same(("fold" in kernels, kernels.count(" = b0[")), (False, 6))
    holds(code, "j = at_j; j < end_j")
    kernels = call("explain", "sum[1](x)", "x: i64[n, 5]", "--show", "kernels")[0]
    holds(kernels, "v5: i64 = +(v0, v4)", "v6: i64 = +(v5, v2)", "v7: i64 = +(v1, v3)", "v8: i64 = +(v6, v7)")
    kernels = call("explain", "prod[0](x)", "x: f32[3, n]", "--show", "kernels")[0]
    holds(kernels, "v3: f32 = *(v0, v1)", "v4: f32 = *(v3, v2)")
    for text, kept in ("sum[1](abs(x))", "f64[n, 33]"), ("sum[1](x*x)", "f64[n, m]"), ("sum(exp(x))", "f64[5]"):
        holds(call("explain", text, f"x: {kept}", "--show", "kernels")[0], "fold sum")


@test
def rows_behind_a_stored_mask_are_vectors():
    """A vector of bytes has more elements than a fold of f64 has lanes: the terms are laid down first."""
    for text in ("max[1](where(m, x, -inf))", "sum[1](where(m, x, 0))", "min[1](where(m, x*w, w - x))"):
        code = call("explain", text, "m: bool[n, n]", "x: f64[n, n]", "w: f64[n]", "--show", "c")[0]
        if re.search(r"a\d+\[l\] = \w+_f64\(a\d+\[l\], v", code):
            raise Failed(f"{text}: {code}")
    holds(call("explain", "max[1](where(m, x, -inf))", "m: bool[n, n]", "x: f32[n, n]", "--show", "c")[0], "a4[l] = maximum_f32")


@test
def short_rows_are_computed_many_at_once():
    """Where the number of columns is known when it runs, the code for few is there too; and the bits are the same."""
    for text in ("softmax[1](x)", "sum[1](x)", "logsumexp[1](x)", "max[1](where(x < w, x, w))", "x/sqrt(sum[1, keep](x^2))"):
        for columns, kernel in ("k", True), ("1000", False):
            code = call("explain", text, f"x: f64[n, {columns}]", "w: f64", "--show", "c")[0]
            same("void k0_across(" in code, kernel)
        for n in 1, 3, 31, 32:
            values = [f"x=[i < 70, j < {n}] => sin(f64(7*i + j^2))", "x: f64[n, k]", "w=0.5"]
            alike(text, text, *values[:3 if "w" in text else 2], within=0)


@test
def dear_vectors_are_computed_once():
    """What is spread along rows and dear by what it is made of, not by its own operator, is stored before the rows."""
    arguments = "x: f64[n, k]", "w: f64[k]", "s: f64[k]", "--show", "kernels"
    for text in ("log(w) - log(s) - (x/s)^2/2", "x*(exp(w) + s)", "sum[1](x[:, ::-1]*(1 - s*log(w)))", "x @ s + sum(x*(2*sin(w) + 1))"):
        kernels = call("explain", text, *arguments)[0].split("\nkernel ")
        same([k.split("\n")[0] for k in kernels if any(f"{f}(v" in k for f in ("log", "exp", "sin")) and "i1" in k], [])
    holds(call("explain", "x*(2*w + s)", *arguments)[0], "kernel k0: rows")


@test
def each_application_has_its_line_and_can_be_stopped_at(folder):
    """The line of the user's that it was applied to; the function as it was then, before and after."""
    write_files(folder, s="fn f(x: f64[n], y: f64[n]) =\n    let a = log(1 + exp(x))\n    in a + log(sum(exp(y)))\n")
    path = f"{folder}/s.por"
    listed = call("explain", f"{path}:f", "--show", "rules")[0]
    holds(listed, f"softplus: log1p(exp(x))  =>  softplus(x)   # {path}:2\n", f"log_sum_exp: log(sum(exp(y)))  =>  logsumexp(y)   # {path}:3\n")
    same(json.loads(call("explain", f"{path}:f", "--show", "rules", "--json")[0])["rules"][-1]["place"], f"{path}:3")
    stopped = call("explain", f"{path}:f", "--stop", "softplus")[0]
    number = 1 + [line.split(": ")[1] for line in listed.splitlines()[1:] if line].index("softplus")
    holds(stopped, f"# application {number}: stable: softplus: ")
    before, after = stopped.split("# before\n")[1].split("# after\n")
    holds(before, "log1p(exp(x))", "logsumexp(y)")
    same(after, before.replace("log1p(exp(x))", "softplus(x)"))
    same(call("explain", f"{path}:f", "--stop", str(number))[0], stopped)
    first = call("explain", "log(exp(x))", "--stop", "1")[0]
    same([line for line in first.splitlines() if line[0] != "#"], ["fn f(x: f64) -> f64 = log(exp(x))", "fn f(x: f64) -> f64 = x"])
    holds(call("explain", "x", "--stop", "softplus", status=2)[1], "no such application")


@test
def rules_are_switched_off_by_name_book_stage_or_tag(folder):
    for off, made in ("log_exp", "log1p(y) + log(exp(x))"), ("algebra", "log(exp(x))"), ("log1p,log_exp", "log(exp(x))"), ("stable", "log(1 + y)"):
        holds(call("explain", "log(exp(x)) + log(1 + y)", "--rules-off", off, "--stage", "stable")[0], made)
    holds(call("explain", "x", "--rules-off", "bogus", status=1)[1], "there is no rule, book, stage or tag bogus\n")
    text = "log(exp(x)) + exp(x)*exp(y) + sin(x)*cos(x)"
    write_files(folder, m="book mine: algebra\ntag halves, own\nhalf[mixed]: sin(x)*cos(x) => sin(2*x)/2\n")
    path = f"{folder}/m.por"
    for off, made in (("rounding", "x + exp(x)*exp(y) + sin(2*x)/2"), ("exponentials", "v1*exp(y) + log(v1) + sin(2*x)/2"),
                      ("exponentials,+rounding", "exp(x + y) + log(exp(x)) + sin(2*x)/2"), ("all", "sin(x)*cos(x) + (v1*exp(y) + log(v1))"),
                      ("halves", "sin(x)*cos(x) + (x + exp(x + y))"), ("mixed", "sin(x)*cos(x) + (x + exp(x + y))"),
                      ("all,+own", "v1*exp(y) + log(v1) + sin(2*x)/2"), ("halves,own,+half", "x + exp(x + y) + sin(2*x)/2")):
        holds(call("explain", text, "--rules", path, "--rules-off", off, "--stage", "stable")[0], made)
    for word, near in ("halvs", "halves"), ("exp_mull", "exp_mul"), ("stabel", "stable"), ("fold", "folds"), ("+exp_dv", "exp_div"):
        holds(call("explain", "x", "--rules", path, "--rules-off", word, status=1)[1], f"tag {word.strip('+')}; the nearest is {near}\n")
    holds(call("rules", "show", "half", path)[0], "tags mixed, halves, own, ")
    same([r["tags"] for r in json.loads(call("rules", "list", path, "--json")[0])][-1], "mixed, halves, own")


@test
def commutative_operands_have_one_order():
    """Of parameters, which nothing tells apart, that in which they are met first; the second time nothing changes."""
    declared = {"and": "bool", "or": "bool", "bit_xor": "i64", "bit_and": "i64"}
    for sign in "+", "*", "==", "!=", "and", "or":
        kind = declared.get(sign, "f64")
        text = f"sin(f64(y {sign} x))*cos(f64(x {sign} y))"
        out = call("explain", text, f"x: {kind}", f"y: {kind}", "--stage", "stable")[0]
        if f"y {sign} x" not in out.replace("*", " * ") or f"x {sign} y" in out.replace("*", " * "):
            raise Failed(out)
    for name in "max", "min", "hypot", "logaddexp", "lbeta", "bit_xor", "bit_and":
        kind = declared.get(name, "f64")
        out = call("explain", f"{name}(y, x) + 3*abs({name}(x, y))", f"x: {kind}", f"y: {kind}", "--stage", "stable")[0]
        if f"{name}(y, x)" not in out or f"{name}(x, y)" in out:
            raise Failed(out)
    for text, made in (("(x < y) and (y > x)", "x < y"), ("(y >= x) or (x <= y)", "y >= x"), ("x*y - y*x", "f64(0)"),
                       ("x*y*z - z*(y*x)", "f64(0)"), ("x + y + z - (z + y + x)", "f64(0)")):
        holds(call("explain", text, "--laws", "exact,real,finite", "--stage", "stable")[0], f" = {made}\n")


@test
def without_rules_every_stage_is_shown():
    """All but `lower` leave the function as it was written, derivatives too."""
    for text in "x + 0*y + log(1 + exp(x))", "scan (r = x, i < 3) => exp(log(r*1*y))", "grad(exp(x)/exp(x)*y, x)":
        written = call("explain", text, "--no-rules", "--stage", "written")[0].split("\n", 1)[1]
        holds(written, "fn f(x: f64, y: f64) -> f64 =", "*", "exp(x)" if "scan" not in text else "exp(log(")
        for stage in "merge", "map", "algebra", "stable", "remerge", "lower":
            out = call("explain", text, "--no-rules", "--stage", stage)[0]
            holds(out, f"# after {stage}: ", " 0 rules applied")
            if stage != "lower":
                same(out.split("\n", 1)[1], written)
    holds(call("explain", "x", "--no-rules", "--stage", "bogus", status=2)[1], "--stage bogus")
    holds(call("explain", "x/x", "--no-rules", "--show", "stages")[0], "# after written", "# after lower", "= x/x")


@test
def what_becomes_of_a_function_are_stages_too():
    """Groups, kernels, plan and code are printed as what leaves a function is, and counted among the passes."""
    text = "let y = exp(x - max(x)) in y/sum(y) + (scan (r = 0.0, a in x) => r/2 + sin(a)*cos(a))"
    holds(call("explain", text, "x: f64[n]", "--stage", "groups")[0], "# after groups: ", "stores f64[n]",
          "computing in passing", "scan stores (f64,)", "\n  group 1: ")
    holds(call("explain", text, "x: f64[n]", "--stage", "kernels")[0], "kernel k0:", "fold max")
    holds(call("explain", text, "x: f64[n]", "--stage", "plan")[0], "b0: input f64[")
    holds(call("explain", text, "x: f64[n]", "--stage", "code")[0], "void k0(")
    passes = call("explain", text, "x: f64[n]")[0].split("# ---- passes\n")[1]
    same([line.split(":")[0] for line in passes.split("\n") if line],
         ["written", "merge", "map", "algebra", "stable", "remerge", "lower", "groups", "kernels", "plan", "code"])


@test
def what_is_spread_is_stored_as_it_is():
    """Where several kernels spread exp(s), the number is stored; a gather is computed in passing."""
    told = call("explain", "(sum((x/exp(s))^2), sum(x/exp(s)*y), scatter_add[0](a, i, x*a[i]/exp(s)))", "x: f64[n]",
                "y: f64[n]", "a: f64[k]", "i: i64[n]", "s: f64", "--stage", "groups")[0]
    holds(told, "exp stores f64 ", "scatter_add stores f64[k]", "computing in passing gather")
    same("expand stores" in told, False)


@test
def a_scatter_changes_what_was_made_for_it():
    """In its memory, or the result's; what another reads is copied first."""
    arguments = ["x: f64[n]", "y: f64[m]", "i: i64[m]", "--stage", "plan"]
    holds(call("explain", "scatter_add[0](-x, i, y)", *arguments)[0], "scatter f64(b3, b2, b1, b3 |")
    holds(call("explain", "sum(scatter_add[0](-x, i, y)^2)", *arguments)[0], "scatter f64(b4, b2, b1, b4 |")
    holds(call("explain", "(scatter_add[0](x, i, y), x)", *arguments)[0], "scatter f64(b0, b2, b1, b3 |")
    holds(call("explain", "(scatter_max[0](exp(x), i, y), exp(x))", *arguments)[0], "scatter f64(b4, b2, b1, b3 |")
    holds(call("explain", "scatter_add[0](exp(y), i, exp(y))", *arguments)[0], "scatter f64(b4, b2, b4, b3 |")


@test
def a_core_reads_data_where_they_lie():
    told = call("explain", "(scatter_add[0](-x, [0, 2, 1], y), scatter_mul[0](2*x, [0, 2, 1], y))", "x: f64[n]",
                "y: f64[3]", "--stage", "plan")[0]
    holds(told, "b4: const i64[", "scatter f64(b2, b4, b1, b2 |", "scatter f64(b3, b4, b1, b3 |")
    same("# const" in told, False)


@test
def a_map_counts_once_however_often_it_is_read():
    """The square of what reads seven arrays reads seven, not fourteen."""
    types = [f"{v}: f64[n]" for v in "abcdefg"]
    told = call("explain", "sum(1 - (a*b + c*d + e*f + g)^2)", *types, "--stage", "groups")[0]
    holds(told, "# after groups: 1 groups")


@test
def products_of_few_terms_are_computed_in_passing():
    """Among what else a kernel computes, where operands lie well; a product of matrices of any size stays one."""
    few = {"[v in x] => sum([j < 5] => w[j]*v^j)": ["x: f64[n]", "w: f64[5]"],
           "exp(-(X @ w))": ["X: f64[n, 3]", "w: f64[3]"],
           "tanh(w @ X) + X[0]": ["X: f64[16, n]", "w: f64[16]"],
           "([i < n] => A[i] @ x[i])*2": ["A: f64[n, 3, 3]", "x: f64[n, 3]"],
           "([i < n] => x[i] @ y[i])/2": ["x: f32[n, 20]", "y: f32[n, 20]"],
           "sin(X @ W)": ["X: f64[n, 4]", "W: f64[4, 4]"],
           "x @ y": ["x: i32[3]", "y: i32[3]"]}
    for text, types in few.items():
        plan = call("explain", text, *types, "--stage", "plan")[0]
        same((plan.count("contract "), plan.count("\nk")), (0, 1))
    for text, types in {"X @ w": ["X: f64[n, 16]", "w: f64[16]"], "X @ Y": ["X: f64[m, 5]", "Y: f64[5, n]"],
                        "X @ Y.T": ["X: f64[m, 4]", "Y: f64[n, 4]"], "x @ X": ["X: f64[n, 3]", "x: f64[n]"]}.items():
        same(call("explain", text, *types, "--stage", "plan")[0].count("contract "), 1)


@test
def kernels_that_differ_in_numbers_are_one():
    """Constants and indices are given by the steps."""
    text = "{a = sin(x[1])*1.3, b = sin(x[5])*2.7, c = sin(x[6])*0.1}"
    out = call("explain", text, "x: f64[n]", "--show", "kernels")[0]
    same(out.count("kernel k"), 1)


@test
def single_numbers_behind_one_another_are_one_kernel():
    """Also those of an array that is written out, and those that an index of data picks on one line."""
    for text, kernels in (("[a, sin(b), c*b]", 1), ("softmax([a, sin(b), c*b])", 2),
                          ("scan (s = a, i < len(x) - 1) => s + [x[i], s, sin(x[i + 1])] @ [a, b, c]", 4)):
        out = call("explain", text, "x: f64[n]", "a: f64", "b: f64", "c: f64", "--show", "kernels")[0]
        same(out.count("kernel k"), kernels)
    for shape, kernels in (("3", 1), ("m, 3", 1), ("65", 4)):          # one long row: each walk is shared by threads
        out = call("explain", "softmax(x)", f"x: f64[{shape}]", "--show", "kernels")[0]
        same(out.count("kernel k"), kernels)


@test
def a_stage_has_its_name_and_promises(folder):
    """What is printed is the function that was asked for, and reads back as itself."""
    for text, promise, wanted in (
            ("gamma(x + 1)/gamma(x)", "x: f64 if x > 0", "fn f(x: f64 if x > 0) -> f64 = x\n"),
            ("x + 0", "x: f64[n] if 0 <= x < 0.1", "fn f(x: f64[n] if 0 <= x < 0.1) -> f64[n] = x\n"),
            ("x", "x: i64 if integer(x) and x >= -3", "fn f(x: i64 if x >= -3 and integer(x)) -> i64 = x\n"),
            ("x", "x: f32 if x <= 1e-300", "fn f(x: f32 if x <= 1e-300) -> f32 = x\n")):
        same(call("explain", text, promise, "--stage", "remerge")[0].split("\n", 1)[1], wanted)
    write_files(folder, promises="""
type P = {w: f64[n] if w >= 0, b: f64}
fn inner(y: f64 if 0 < y < 0.1) = log(y)
fn first(x: f64) = x
fn second(z: f64) = z
fn all(p: P, k: i64 if k > -3, t: f64) = sum(p.w)*p.b + k + inner(t)
fn fields(p: {w: f64 if w >= 1e-300, b: f64 if integer(b)}) = p.w + p.b
""")
    for name, wanted in (("second", "fn second(z: f64) -> f64 = z"),
                         ("all", "fn all(p: {w: f64[n] if w >= 0, b: f64}, k: i64 if k > -3, t: f64 if 0 < t < 0.1) -> f64 ="),
                         ("fields", "fn fields(p: {w: f64 if w >= 1e-300, b: f64 if integer(b)}) -> f64 = p.w + p.b")):
        out = call("explain", os.path.join(folder, f"promises.por:{name}"), "--stage", "written")[0]
        holds(out, wanted)
        write_files(folder, again=out)
        again = call("explain", os.path.join(folder, f"again.por:{name}"), "--stage", "written")[0]
        same(again.split("\n", 1)[1], out.split("\n", 1)[1])    # the first line tells a time


@test
def slices_with_steps_print_as_they_are_written():
    """The stop of a symbolic axis is left out where the slice goes to its end; what is printed is the same slice."""
    for text, wanted in (("x[::2]", "x[::2]"), ("x[::-1]", "x[::-1]"), ("x[2::3]", "x[2::3]"), ("x[-3::2]", "x[-3::2]"),
                         ("x[6:1:-2]", "x[6:1:-2]"), ("x[3::-1]", "x[3::-1]"), ("x[-2::-1]", "x[-2::-1]")):
        same(call("explain", text, "x: f64[n]", "--stage", "stable")[0].split(" = ")[1], wanted + "\n")
    for text, wanted in (("x[3 - k:]", "x[3 - k:]"), ("x[k:-k]", "x[k:5 - k]"), ("x[0 - k:]", "x[0 - k:]"), ("x[2 - k:7 - 2*k]",) * 2):
        same(call("explain", text, "x: f64[5]", "k: i64", "--stage", "stable")[0].split(" = ")[1], wanted + "\n")
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
def what_is_dear_is_computed_once():
    """By its cost, whatever its place in the list of operators: erfcx stands behind where, erfc before it."""
    for name in "erfc", "erfcx", "gelu", "i0e", "exp10", "sqrt":
        kernels = call("explain", f"let v = {name}(x) in (sum[0](v), sum[1](v))", "x: f64[m, n]", "--show", "kernels")[0]
        same(kernels.count(f"= {name}("), 1)
    for name in "abs", "floor", "-":
        kernels = call("explain", f"let v = {name}(x) in (sum[0](v), sum[1](v))", "x: f64[m, n]", "--show", "kernels")[0]
        same(kernels.count("kernel k"), 2)


@test
def long_bodies_are_printed_once(folder):
    """As functions that are written out where they are called, so that the text is the same program."""
    loop = "(scan (r = {0}, p = 1.0, i < 5) => {{r = scan (q = r, j < 3) => q*sin(q) + c, p = p*r, t = p}})"
    side = "(if {0} > 0 then (scan (q = {0}, j < 3) => (scan (z = q, k < 2) => z*c)) else 0.0)"
    each = "[a < 2] => (scan (q = {0} + a, j < 3) => scan (z = q, k < 2) => tanh(z*c))"
    for form in loop, side, each:
        text = f"fn f(x: f64, y: f64, c: f64) = ({form.format('x')}, {form.format('y')})"
        texts = [text]
        for _ in range(2):
            write_files(folder, p=texts[-1])
            texts.append(call("explain", f"{folder}/p.por:f", "--stage", "written")[0].split("\n", 1)[1])
        holds(texts[1], "fn body[inline = true](")
        same(*("\n".join(line.split("#")[0].rstrip() for line in t.split("\n")) for t in texts[1:]))
        given = "x=0.5", "y=1.5", "c=0.3"
        values = []
        for one in texts[0], texts[1]:
            write_files(folder, p=one)
            values.append(call("run", f"{folder}/p.por:f", *given)[0])
        same(*values)


@test
def minimisers_in_minimisers_are_as_long_as_their_graph(folder):
    text = """use optim
fn inner(a: f64) = optim.lbfgs((x) => sum((x - a)^4) + dot(x, x), f64[3](1)).x
fn middle(b: f64) = optim.lbfgs((a) => sum((inner(a) - b)^2) + a^2, 0.0).x
fn outer(c: f64) = optim.lbfgs((b) => (middle(b) - c)^2 + b^2, 0.0).x
"""
    write_files(folder, p=text)
    for name in "middle", "outer":
        for stage in "written", "stable":
            out = call("explain", f"{folder}/p.por:{name}", "--stage", stage, "--max-bytes", "512M")[0]
            same(len(out) < 1 << 20, True)


@test
def view(folder):
    path = os.path.join(folder, "g.dot")
    same(call("view", "log(1 + exp(x))", "-o", path)[0], path + "\n")
    with open(path) as f:
        holds(f.read(), "as written", "softplus", "->")
    call("view", f"{DIGITS}/digits.por:loss", "-o", path)
    with open(path) as f:
        holds(f.read(), "\u00b7/16\\nf32[m, d]", "f32[m, h]")   # a number where it is used; sizes by the names of the file
    loop = "scan (c = x, i < 3) => if sum(c) > 0 then c*sin(x) else c + 1"
    call("view", loop, "x: f64[n]", "--stage", "merge", "-o", path)
    with open(path) as f:                          # both bodies in frames; the carried value comes back
        holds(f.read(), "subgraph cluster_after_", 'label="scan, 3 passes"', "where it does not", "style=dashed")
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
