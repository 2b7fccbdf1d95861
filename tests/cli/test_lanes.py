#!/usr/bin/env python3
"""test_lanes.py PORISM [NAME...]: the array form [i < n, x in xs] => e beside a loop over the same formula."""

import itertools
import os
import random
import re
import tempfile

from command import HERE, Failed, alike, call, evaluates, holds, main, near, same, test, write_files

VALUES = {"x": "[0.5, 1.5, -2.0, 3.0]", "y": "[1.0, -1.0, 0.25, 2.0]", "k": "[2, 0, 3, 1]", "w": "0.7",
          "A": "[[1.0, 2.0, 0.5, 4.0], [0.1, -1.0, 3.0, 2.0], [2.0, 1.0, 1.0, 5.0], [0.3, 0.2, 0.7, 0.9]]",
          "B": "[[3.0, 1.0, 0.2, 0.1], [1.0, 4.0, 0.5, 0.3], [0.2, 0.5, 5.0, 0.4], [0.1, 0.3, 0.4, 6.0]]",
          "m": "[true, false, true, false]"}
TYPES = {"x": "f64[n]", "y": "f64[n]", "A": "f64[n, n]", "B": "f64[n, n]", "k": "i64[n]", "w": "f64", "m": "bool[n]"}


def formulas():
    """Each with its mark: "" the same bits, "~" the same but for rounding, "!" an error."""
    with open(os.path.join(HERE, "lanes.txt")) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                mark, text = (line[0], line[2:]) if line[0] in "~!" else ("", line)
                yield mark, text.strip()


def used(text):
    return [n for n in VALUES if re.search(rf"(?<![\w.]){n}(?!\w)", text)]


def given(text):
    names = used(text)
    return [f"{n}={VALUES[n]}" for n in names] + [f"{n}: {TYPES[n]}" for n in names]


def both(form, text, *words):
    """Without rules, which would make lanes of the loop too."""
    return [call("eval", form % (head + text), *given(text), "--no-rules", *words)[0]
            for head in ("[i < 4] => ", "scan (i < 4) => ")]


@test
def a_fold_over_no_axes_is_none():
    """Printed as one it would be read as one over all axes."""
    for text, wanted in {"sum(k - 1)": "k - 1", "sum(k > 0)": "i64(k > 0)", "prod(i8(k))": "i64(i8(k))", "max(k)": "k"}.items():
        lanes = text.replace("k", "j")
        holds(call("explain", f"[j in k] => {lanes}", "k: i64[n]", "--stage", "written")[0], f"-> i64[n] = {wanted}\n")
    holds(call("explain", "[j in k] => argmax(j)", "k: i64[n]", "--stage", "written")[0], "i64[n](0)")


@test
def no_lanes_are_an_empty_array():
    """However the formula fails or ends, also where it is known while building that there are none."""
    for mark, text in formulas():
        if mark != "!":
            a, b = (call("eval", head + text, *given(text))[0] for head in ("[i < 0] => ", "scan (i < 0) => "))
            if a != b:
                raise Failed(f"{text}: {a}, not {b}")
    for text in ("if v > 0 then x[i64(v) + 9] else 1.0", "scan (s = v, i < 9) while s < 5 => s*2",
                 "scan (s = v, i < i64(v)) => s*x[i]", "if v > 0 then gamma(v) else sum(scan (j < 3) => x[j]*v)"):
        evaluates("[v in x] => " + text, "f64[0](0)", "x=f64[0](0)")
        evaluates(f"[v in x, w in x] => ({text})*w", "f64[0, 0](0)", "x=f64[0](0)")
        evaluates(f"grad(sum([v in x] => {text}), x)", "f64[0](0)", "x=f64[0](0)")


@test
def values_are_those_of_a_loop():
    for mark, text in formulas():
        if mark == "!":
            for head in ("[i < 4] => ", "scan (i < 4) => "):
                call("eval", head + text, *given(text), status=1)
            continue
        lanes, loop = both("%s", text)
        near(lanes, loop, 1e-11) if mark else same(lanes, loop)


@test
def tiers_agree():
    for mark, text in list(formulas())[::3]:
        if mark != "!":
            wanted = call("eval", "[i < 4] => " + text, *given(text))[0]
            for tier in ("reference", "native"):
                same(call("eval", "[i < 4] => " + text, *given(text), "--tier", tier)[0], wanted)


@test
def gradients_are_those_of_a_loop():
    for mark, text in formulas():
        for name in used(text) if mark != "!" else []:
            if name in "km" or re.search(r"^\{|\{|arg|top_k|1i|key|one_hot", text):
                continue
            form = f"grad(let r = %s in sum(tanh(r + 0.0)), {name})"
            try:
                loop = call("eval", form % ("scan (i < 4) => " + text), *given(text), "--no-rules")[0]
            except Failed:
                continue                              # no gradient: integers, bools
            within = 1e-6 if "f32" in text else 1e-11     # as written 1 - tanh(r)^2 is rounded to f32
            near(call("eval", form % ("[i < 4] => " + text), *given(text))[0], loop, within)


def random_number(r, depth):
    """A formula of i, of lanes' numbers and of what all share."""
    def again():
        return random_number(r, depth - 1)
    if depth == 0:
        return r.choice(["x[i]", "y[i]", "w", "A[i, k[i]]", "A[i, 0]", "i*0.25", "0.5", "x[k[i]]", "A[k[i], i]"])
    return r.choice([
        lambda: f"({again()} + {again()})", lambda: f"({again()}*{again()})", lambda: f"sin({again()})",
        lambda: f"(if {again()} > 0.4 then {again()} else {again()})",
        lambda: f"(if i < 3 then x[i + 1]*{again()} else {again()})",
        lambda: f"(if {again()} > 0.2 then log(abs({again()})) else {again()})",
        lambda: f"(scan (s = {again()}, v in {r.choice(['x', 'A[i]', 'A[:, i]'])}) => tanh(s + v*{again()}))",
        lambda: f"(scan (s = {again()}, j < {r.choice(['k[i]', 'i', '3'])}) => 0.5*s + x[j])",
        lambda: f"(scan (s = {again()}, j < 9) while abs(s) < {r.choice(['3', 'i', 'y[i]'])} => 1.5*s + 0.1)",
        lambda: f"sum([j < 4] => A[i, j]*{again()})", lambda: f"sum([v in x] => v*{again()})",
        lambda: f"max(A[i] + {again()})", lambda: f"sum(A @ (y*{again()}))",
        lambda: f"sum(grad(sum(sin(y*{again()})), y))",
        lambda: f"sum(grad((u) => sum(u[k[i]:k[i] + 1]^2*{again()}), x))", lambda: f"normal[f64](key(3)[i])*{again()}",
        lambda: f"(x with [k[i]] = {again()})[k[i]]", lambda: f"sum((A*{again()})[k[i]])"])()


@test
def random_formulas():
    r = random.Random(7)
    for _ in range(60):
        text = random_number(r, r.randint(1, 4))
        lanes, loop = both("%s", text)
        near(lanes, loop, 1e-11)
        name = r.choice([v for v in used(text) if v in "xyAw"] or ["x"])
        if name in used(text):
            near(*both(f"grad(sum(%s), {name})", text), 1e-11)


@test
def names_nest_and_run_over_structures():
    evaluates("[i < 2, j < 3] => 10*i + j", "[[0, 1, 2],\n [10, 11, 12]]")
    evaluates("[a in x, b in x] => a - b", "[[0.0, -1.0],\n [1.0, 0.0]]", "x=[1.0, 2.0]")
    evaluates("[r in X, v in r] => v + 1", "[[2.0, 3.0],\n [4.0, 5.0]]", "X=[[1.0, 2.0], [3.0, 4.0]]")
    evaluates("[p in {a = x, b = y}] => p.a*p.b", "[3.0, 8.0]", "x=[1.0, 2.0]", "y=[3.0, 4.0]", "x: f64[n]", "y: f64[n]")
    evaluates("[v in x] => {s = v, t = 2*v}", "{s = [1.0, 2.0], t = [2.0, 4.0]}", "x=[1.0, 2.0]")


@test
def index_formulas_become_what_one_would_write():
    cases = {"[i < n, j < m] => A[i, :] @ B[:, j]": "A @ B",
             "[i < n] => A[i, :]": "A",
             "[j < k, i < n] => A[i, j]": "A.T",
             "[i < n] => A[n - 1 - i, :]": "A[::-1]",
             "[i < n//2] => A[2*i + 1, :]": "A[1:n:2]",
             "[i < n, j < n] => x[i]*x[j]": "x[:, _]*x",
             "[a in A] => softmax(a)": "softmax[1](A)",
             "[a in A] => relu(a)": "relu(A)"}
    for text, wanted in cases.items():
        types = {"A": "A: f64[n, k]", "B": "B: f64[k, m]", "x": "x: f64[n]"}
        with tempfile.TemporaryDirectory() as folder:
            params = ", ".join(types[v] for v in types if v in text)
            write_files(folder, form=f"fn f({params}) = {text}\nfn g({params}) = {wanted}\n")
            shown = [call("explain", f"{folder}/form.por:{f}", "--stage", "stable")[0].split("=", 1)[1] for f in "fg"]
        same(shown[0], shown[1])


@test
def a_jacobian_is_a_product_less():
    cases = {"jacobian(A @ x, x)": "A",
             "jacobian(tanh(A @ x), x)": "let v1 = tanh(A @ x) in A*expand[1, n](1 - v1^2)",
             "hessian(sum(softplus(A @ x)), x)":
                 "let v1 = A @ x in A.T*(sigmoid(v1)*sigmoid(-v1)) @ A"}
    for text, wanted in cases.items():
        a, b = (call("explain", t, "A: f64[m, n]", "x: f64[n]", "--stage", "stable")[0].split("\n", 1)[1]
                for t in (text, wanted))
        same(re.sub(r" *#.*", "", a), re.sub(r" *#.*", "", b))


@test
def a_side_that_no_lane_takes_does_not_run():
    evaluates("[i < 3] => if x[i] > 9 then (scan (t = x[i]) while t > 0 => t) else x[i]", "[1.0, 2.0, 3.0]",
              "x=[1.0, 2.0, 3.0]", "x: f64[n]")
    evaluates("[i < 3] => if i > 7 then x[i + 5] else x[i]", "[1.0, 2.0, 3.0]", "x=[1.0, 2.0, 3.0]", "x: f64[n]")


@test
def what_all_lanes_share_gets_none():
    """Steep or not, in a side that not all take, and in a loop whose lanes end apart: no array of 7 by 7."""
    for text in ("if x[i] > 0 then sum(exp(y))*x[i] else 0.0",
                 "if x[i] > 0 then (y/x[0])[k]*x[i] else 0.0",
                 "scan (s = x[i], j < 9) while s < sum(exp(y)) => s + sum(sqrt(y))",
                 "if x[i] > 0 then (scan (s = x[i], j < 9) while s < log(y)[i] => 2*s) else 0.0"):
        written = call("explain", "[i < 7] => " + text, "x: f64[7]", "y: f64[7]", "k: i64", "--stage", "written")[0]
        same("[7, 7]" in written, False)


@test
def a_lane_that_ends_keeps_its_state():
    evaluates("[i < 3] => scan (n = i + 6, c = 0) while n != 1 => {n = if n % 2 == 0 then n//2 else 3*n + 1, c = c + 1}",
              "{n = [1, 1, 1], c = [8, 16, 3]}")
    # in the one lane that goes on the logarithm is a number; beside it are lanes for which it would be none
    evaluates("grad(sum([v in x] => scan (t = v) while t < 2 => t + w*log(3 - t)), w)", "1.0986122886681098",
              "x=[5.0, 0.0, 4.0]", "w=2.0", "w: f64")


# Programs of row i, in the array form and in a loop over the rows: what each reads of its row, writes into its state.
ROWS = """
fn read(x: f64[b, t], len: i64[b], w: f64[b, q]) = [i < b] => (let r = x[i] let v = w[i] in
    scan (s = 0.0, k = 0) while k < len[i] => {s = s*v[1] + sqrt(abs(r[k])) + r[0], k = k + 1}).s
fn part(x: f64[b, t], len: i64[b], w: f64[b, q]) = [i < b] => (let r = x[i] in
    scan (s = f64[2](0), k = 0) while k + 2 < len[i] => {s = 2*s + r[k:k + 2]/w[i, k], k = k + 1}).s
fn whole(x: f64[b, t], len: i64[b], w: f64[b, q]) = [i < b] => (let r = x[i] in
    scan (s = 0.0, k = 0) while k < len[i] => {s = s + sum(r)*r[k] + max[0](exp(w[i])), k = k + 1}).s
fn written(x: f64[b, t], len: i64[b], w: f64[b, q]) = [i < b] => (scan (y = w[i], k = 0) while k < len[i] =>
    if x[i, k] > 0 then {y = y with [k] += x[i, k], k = k + 1} else {y = y, k = k + 1}).y
fn either(x: f64[b, t], len: i64[b], w: f64[b, q]) = [i < b] => (scan (y = w[i], k = 0) while k < len[i] =>
    if x[i, k] > 0 then {y = y with [k] += x[i, k], k = k + 1} else {y = y with [k] = x[i, k]*y[0], k = k + 1}).y
fn nested(x: f64[b, t], len: i64[b], w: f64[b, q]) = [i < b] => (scan (y = w[i], k = 0) while k < len[i] =>
    let r = scan (y = y, j = k) while j < len[i] => {y = y with [j] += y[j]*x[i, k], j = j + 1}
    in {y = (if x[i, k] > 0 then r.y with [k] = x[i, k]*r.y[1] else r.y), k = k + 2}).y
fn linked(x: f64[b, t], len: i64[b], w: f64[b, q]) = [i < b] =>
    (scan (y = w[i], next = [j < t] => (j + 3) % t, at = len[i]) while next[at] != at => {
        y = y with [at] = y[at]*x[i, next[at]], next = next with [at] = at, at = next[at]}).y
"""


@test
def lanes_that_take_no_part_are_read_and_written_in_their_rows(folder):
    """In the rows of those that have ended nothing may be read: there are zeros, of which a root has no slope."""
    given = ["x=[[0.5, 0, 0, 0], [1.5, -2.0, 3.0, 0], [-0.7, 0.9, 1.1, 1.3]]", "len=[1, 3, 0]",
             "w=[[1.0, 2.0, 0.5, 3.0, 1.0], [0.1, -1.0, 2.0, 7.0, -0.0], [4.0, 0.3, 1.0, 2.0, 5.0]]"]
    for name in re.findall(r"fn (\w+)", ROWS):
        text = "".join(f"\nfn d{x}(x: f64[b, t], len: i64[b], w: f64[b, q]) = grad(sum(sin({name}(x, len, w))), {x})"
                       for x in "xw")
        write_files(folder, lanes=ROWS + text, loop=ROWS.replace("[i < b]", "scan (i < b)") + text)
        for f in name, "dx", "dw":
            a, b = (call("run", f"{folder}/{file}.por:{f}", *given, "--no-rules")[0] for file in ("lanes", "loop"))
            if a != b or "nan" in a:
                raise Failed(f"{f} of {name}: {a}, not {b}")


@test
def a_pass_copies_no_rows_of_lanes(folder):
    """Neither of what a loop reads nor of what it carries: no array of all rows is made in a pass."""
    write_files(folder, rows=ROWS)
    for name in "read", "part", "written":
        plan = call("explain", f"{folder}/rows.por:{name}", "--stage", "plan")[0]
        passes = plan[plan.index("\nloop"):].split("\n", 2)[2]
        lists = "".join(re.findall(r"^(b.*): work f64\[d0, d[12]\]", plan, re.M))
        rows = {f"b{k}" for first, last in re.findall(r"b(\d+)(?: to b(\d+))?", lists)
                for k in range(int(first), int(last or first) + 1)}
        made = [step for step in re.findall(r"^  .*\w\((.*?) \|", passes, re.M) if step.split(", ")[-1] in rows]
        if made:
            raise Failed(f"{name}: a pass makes {made}\n{plan}")


@test
def nothing_goes_back_through_a_side_that_is_not_taken():
    evaluates("grad(sum([v in x] => if v > 0 then w*log(v) else 0.0), w)", "0.6931471805599453",
              "x=[-1.0, 0.0, 2.0]", "w=2.0", "w: f64")
    evaluates("grad(sum([v in x] => if v > 0 then sqrt(v) else v), x)", "[1.0, 1.0, 0.25]", "x=[-1.0, 0.0, 4.0]")
    rows = "x=[[nan, nan], [1.0, 2.0], [inf, 0.0]]", "x: f64[n, k]", "w=[3.0, 4.0]", "w: f64[k]"
    for product in "w @ v", "v @ w", "dot(w, v)", "sum(w*v)", "einsum[(i), (i), ()](w, v)":
        evaluates(f"grad(sum([v in x] => if isfinite(v[0]) then {product} else 0.0), w)", "[1.0, 2.0]", *rows)
        evaluates(f"sum[1](grad(sum([v in x] => if isfinite(v[0]) then ({product})^2 else 0.0), x))",
                  "[0.0, 154.0, 0.0]", *rows)


@test
def none_of_them():
    for text in ("[v in x] => v*2", "[v in x] => if v > 0 then log(v) else v", "[v in x] => scan (t = v) while t < 3 => t + 1",
                 "[i < len(x)] => x[i]", "[v in x] => scan (t = v, j < 3) => t*2"):
        evaluates(text, "f64[0](0)", "x=f64[0](0)", "x: f64[n]")


@test
def slices_of_its_own_have_derivatives_beside_effects(folder):
    for n, of, wanted in ((1, "sum(x[q:q])", [0.0]), (2, "sum(x[q:q])", [0.0, 0.0]), (2, "sum(x[q:q + 1]^2)", [2.0, 4.0]),
                          (4, "(q + 1)*sum(x[q:q + 3:2]^2)", [2.0, 8.0, 6.0, 16.0]),
                          (3, "(if x[q] > 1.5 then sum(x[q:q + 1]^2) else 2.0)", [0.0, 4.0, 0.0])):
        for effect, size in itertools.product(("assert(a > 0.1)", "print(a)"), (n, "n")):
            write_files(folder, t=f"fn f(x: f64[{size}], a: f64) = grad(sum([q < 2] => (do {effect} in {of})), x)\n")
            x = [1.0 + i for i in range(n)]
            for tier in ("reference", "interpret"):
                out = call("run", f"{folder}/t.por:f", f"x={x}", "a=0.5", "--tier", tier)[0]
                near("[" + out.split("[", 1)[1], wanted)


@test
def sizes_within_that_differ_from_lane_to_lane():
    given = "x=[0.5, 1.5, 2.5]", "x: f64[n]", "k=[2, 0, 3]", "k: i64[n]"
    for formula, loop in (("[i < n] => sum(x[:i])", "(scan (i < n) => {o = sum(x[:i])}).o"),
                          ("[j in k] => sum([i < j] => x[i]*j)", "(scan (j in k) => {o = sum([i < j] => x[i]*j)}).o"),
                          ("[j in k, v in x] => grad((c) => scan (a = 0.5, i < j) => sin(a*c), v)",
                           "(scan (j in k) => {o = [v in x] => grad((c) => scan (a = 0.5, i < j) => sin(a*c), v)}).o"),
                          ("[v in x] => grad((c) => scan (a = v) while a < 40 => 2*a*c, 1.0)",
                           "(scan (v in x) => {o = grad((c) => scan (a = v) while a < 40 => 2*a*c, 1.0)}).o")):
        alike(formula, loop, *given)
        if "k" not in formula.split("=>")[0]:
            alike(f"grad(sum(({formula})^2), x)", f"grad(sum(({loop})^2), x)", *given)
    holds(call("explain", "[i < n] => sum(x[:i])", "x: f64[n]", "--stage", "written")[0], "scan (i < n)")


@test
def rows_of_rows_that_are_read_by_an_inner_loop():
    for k in "[1, 3]", "[2]":
        E = "E=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]" if "," in k else "E=[[1.0, 2.0, 3.0]]"
        alike("[c < b] => let e = E[c] in scan (a = 0.0, i < k[c]) => sin(a) + e[i]",
              "(scan (c < b) => {o = scan (a = 0.0, i < k[c]) => sin(a) + E[c, i]}).o", E, "E: f64[b, t]", f"k={k}", "k: i64[b]")


@test
def windows_along_several_axes():
    """Each axis is taken by its own index alone: in the order of n*n places, and not of n*n*n."""
    for text, nested, loop in (("x[i:i + 2, j:j + 3]", "x[i:i + 2][:, j:j + 3]", "x[i:i + 2, j:j + 3]"),
                               ("x[:2, ::-1][:, j:j + 2]*k[i]", "x[:2, ::-1][:, j:j + 2]*k[i]", "x[:2, ::-1][:, j:j + 2]*k[i]")):
        lanes = [call("explain", f"[i < n - 3, j < n - 3] => sum({t})", "x: f64[n, n]", "k: f64[n]", "--stage", "written")[0]
                 for t in (text, nested)]
        same(re.sub("#.*", "", lanes[0]), re.sub("#.*", "", lanes[1]))
        alike(f"[i < n - 3, j < n - 3] => {text}", f"(scan (i < n - 3) => {{o = (scan (j < n - 3) => {{o = {loop}}}).o}}).o",
              "x=reshape[5, 5](f64(iota[25]()))", "x: f64[n, n]", "k=[1.0, 2.0, 3.0, 4.0, 5.0]", "k: f64[n]")


@test
def products_that_a_side_has_from_outside():
    """A sum of one is no product of its factors, which nobody has seen there."""
    text = "let w = C[i] let v = C[k[i]] in scan (q = w*v, j < 2) => if w[0] > 0 then w else sum(w*v)"
    alike(f"[i < 2] => if k[i] > 0 then ({text}) else C[0]", f"(scan (i < 2) => {{o = if k[i] > 0 then ({text}) else C[0]}}).o",
          "C=[[1.0, 2.0], [-3.0, 0.5]]", "C: f64[c, 2]", "k=[1, 1]", "k: i64[b]")


@test
def what_differs_from_lane_to_lane():
    for text in ("[i < 3] => x[:i]", "[i < 3] => f64[i](0)", "[i < 3] => iota[i]()"):
        holds(call("eval", text, "x=[1.0, 2.0, 3.0]", "x: f64[n]", status=1)[1] if "x[" in text
              else call("eval", text, status=1)[1], "i is a size that differs from one to the next")
    holds(call("eval", "[i < 3] => (v) => v*i", status=1)[1], "its elements are functions")
    holds(call("eval", "[v in 3.0] => v", status=1)[1], "v in 3.0: f64 has no leading axis")


main(__doc__)
