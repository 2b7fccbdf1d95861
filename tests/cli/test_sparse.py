#!/usr/bin/env python3
"""test_sparse.py PORISM [NAME...]: sparse_jacobian and sparse_hessian beside jacobian and hessian."""

import json
import os
import random
import re
import tempfile

from command import EXAMPLES, HERE, Failed, call, evaluates, holds, main, same, test, write_files

VALUES = {"x": "[0.5, 1.5, -2.0, 3.0, 0.25, -1.0]", "y": "[1.0, -1.0, 0.25, 2.0, 0.7, 0.1]",
          "u": "[0.5, 1.5, -2.0, 3.0, 0.25, -1.0, 1.0, -1.25, 0.25, 2.0, 0.7, 0.1]",
          "A": "[[1.0, 2.0, 0.5, 4.0, 0.3], [0.1, -1.0, 3.0, 2.0, 0.9], [2.0, 1.5, 1.0, 5.0, 0.2], [0.3, 0.2, 0.7, 0.9, -1.1]]",
          "W": "[[3.0, 1.0, 0.2, 0.1, 1.0], [1.0, 4.0, 0.5, 0.3, 0.6], [0.2, 0.5, 5.0, 0.4, 0.5], [0.1, 0.3, 0.4, 6.0, 0.4], "
               "[0.5, 0.2, 0.3, 0.1, 0.7]]",
          "s": "1.3", "k": "[2, 0, 3, 1, 5, 2]", "c": "true"}
TYPES = {"x": "f64[n]", "y": "f64[n]", "u": "f64[2*n]", "A": "f64[4, 5]", "W": "f64[5, 5]", "s": "f64", "k": "i64[n]", "c": "bool"}
SIZES = {"x": 6, "y": 6, "u": 12, "A": 20, "W": 25, "s": 1}


def arrays():
    with open(os.path.join(HERE, "sparse.txt")) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                text, counts = line.split("|")
                for c in counts.split(","):
                    name, jacobian, hessian = c.split()
                    yield text.strip(), name, int(jacobian), int(hessian)


def given(text):
    names = [n for n in VALUES if re.search(rf"(?<![\w.]){n}(?!\w)", text)]
    return [f"{n}={VALUES[n]}" for n in names] + [f"{n}: {TYPES[n]}" for n in names]


def numbers(text):
    return [float(w) for w in re.findall(r"-?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)", text)]


def matches(form, arguments, columns, count):
    out = call("eval", f"(sparse_{form}({arguments}), {form}({arguments}))", *given(arguments))[0]
    values, rows, places, wanted = (numbers(part) for part in re.split(r"values =|rows =|columns =|\},", out)[1:])
    got = [0.0]*len(wanted)
    for v, i, j in zip(values, rows, places):
        if not 0 <= j < columns:
            raise Failed(f"{form}({arguments}): column {j}")
        got[int(i)*columns + int(j)] += v
    for a, b in zip(got, wanted):
        if abs(a - b) > 1e-12*max(1, abs(b)):
            raise Failed(f"{form}({arguments}): {got}, not {wanted}")
    if not len(values) == len(rows) == len(places) == count:
        raise Failed(f"{form}({arguments}): {len(values)}, {len(rows)}, {len(places)} elements, not {count}")


@test
def jacobians_are_the_jacobian():
    for text, name, count, _ in arrays():
        matches("jacobian", f"{text}, {name}", SIZES[name], count)


@test
def hessians_are_the_hessian():
    for text, name, _, count in arrays():
        matches("hessian", f"sum(tanh({text})), {name}", SIZES[name], count)


NODES = """
fn springs(x: f64[n, 3], a: i64[m], b: i64[m]) = sum([j < m] => let d = x[a[j]] - x[b[j]] in (sqrt(dot(d, d)) - 1)^2)
fn area(x: f64[n, 3], t: i64[m, 3]) =
    sum([j < m] => let c = cross(x[t[j, 1]] - x[t[j, 0]], x[t[j, 2]] - x[t[j, 0]]) in sqrt(dot(c, c)))
fn volume(x: f64[n, 3], t: i64[m, 4]) =
    sum([j < m] => let a = x[t[j, 1]] - x[t[j, 0]] in let b = x[t[j, 2]] - x[t[j, 0]] in
        (dot(x[t[j, 3]] - x[t[j, 0]], cross(a, b)) - 1)^2)
fn bent(x: f64[n, 2], t: i64[m, 3]) =
    sum([j < m] => let p = x[t[j]] in let (e, f) = (p[1] - p[0], p[2] - p[0]) in sqrt(1 + (e[0]*f[1] - e[1]*f[0])^2 + dot(e, e)*dot(f, f)))
fn volume_sparse(x: f64[n, 3], t: i64[m, 4]) = sparse_hessian(volume(x, t), x)
fn bent_sparse(x: f64[n, 2], t: i64[m, 3]) = sparse_hessian(bent(x, t), x)
fn volume_whole(x: f64[n, 3], t: i64[m, 4]) = hessian(volume(x, t), x)
fn bent_whole(x: f64[n, 2], t: i64[m, 3]) = hessian(bent(x, t), x)
fn springs_sparse(x: f64[n, 3], a: i64[m], b: i64[m]) = sparse_hessian(springs(x, a, b), x)
fn area_sparse(x: f64[n, 3], t: i64[m, 3]) = sparse_hessian(area(x, t), x)
fn springs_whole(x: f64[n, 3], a: i64[m], b: i64[m]) = hessian(springs(x, a, b), x)
fn area_whole(x: f64[n, 3], t: i64[m, 3]) = hessian(area(x, t), x)
"""


@test
def meshes_are_as_large_as_they_have_elements():
    r, n, m = random.Random(2), 60, 5
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, mesh=NODES)
        for f, axes, nodes, most in ("springs", 3, 2, 48), ("area", 3, 3, 81), ("volume", 3, 4, 192), ("bent", 2, 3, 48):
            x = [[r.uniform(-1, 1) for _ in range(axes)] for _ in range(n)]
            t = [r.sample(range(n), nodes) for _ in range(m)]
            words = [f"a={[k[0] for k in t]}", f"b={[k[1] for k in t]}"] if f == "springs" else [f"t={t}"]
            s = json.loads(call("run", f"{folder}/mesh.por:{f}_sparse", f"x={x}", *words, "--json")[0])["result"]
            wanted = numbers(call("run", f"{folder}/mesh.por:{f}_whole", f"x={x}", *words, "--json")[0].split("result")[1])
            got = [0.0]*(axes*n)**2
            for v, i, j in zip(s["values"], s["rows"], s["columns"]):
                got[axes*n*i + j] += v
            same(max(abs(a - b) for a, b in zip(got, wanted)) < 1e-11*max(map(abs, wanted)), True)
            same(len(s["values"]) <= most*m, True)
        holds(call("list", f"{folder}/mesh.por")[0], "springs_sparse(x: f64[n, 3], a: i64[m], b: i64[m]) -> {values: f64[48*m],")


@test
def tiers_agree():
    for text, name, _, _ in list(arrays())[::5]:
        form = f"sparse_hessian(sum(tanh({text})), {name})"
        wanted = call("eval", form, *given(form))[0]
        for tier in ("reference", "native"):
            same(call("eval", form, *given(form), "--tier", tier)[0], wanted)


CHAIN = """
fn chained(x: f64[n]) = sum(100*(x[1:] - x[:-1]^2)^2 + (1 - x[:-1])^2)
fn curvature(x: f64[n]) = sparse_hessian(chained(x), x)
fn slope(x: f64[n]) = sum(grad(sum(sparse_hessian(chained(x), x).values^2), x))
fn dense(x: f64[n]) = sum(grad(sum(hessian(chained(x), x)^2), x))
"""


@test
def a_chain_is_three_diagonals_whatever_its_length(folder):
    write_files(folder, chain=CHAIN)
    text = call("explain", folder + "/chain.por:curvature", "--stage", "written")[0]
    holds(text, "values: f64[3*n - 2], rows: i64[3*n - 2], columns: i64[3*n - 2]")
    code = [call("explain", folder + "/chain.por:curvature", f"x=f64[{n}](0.5)", "--show", "c")[0] for n in (100000, 1000000)]
    same(len({re.sub(r"\d+", "", c) for c in code}), 1)
    text = call("eval", "sparse_hessian(sum(100*(x[1:] - x[:-1]^2)^2 + (1 - x[:-1])^2), x)", "x=[1.0, 2.0, 0.5]")[0]
    same("".join(text.split()), "{values=[-400.0,-800.0,402.0,4802.0,200.0,-400.0,-800.0],"
                                "rows=[1,2,0,1,2,0,1],columns=[0,1,0,1,2,1,2]}")


MESH = """
fn springs(x: f64[n], a: i64[m], b: i64[m]) = sum((x[a] - x[b])^4)
fn shared(x: f64[n]) = sum((x[1:-1] - x[:-2]^2)^2*x[n - 1])
fn guarded(x: f64[n]) = sum([i < n] => if i > 0 then x[i]^2*x[i - 1] else x[i])
"""


@test
def index_arrays_and_what_all_meet_are_lists(folder):
    write_files(folder, mesh=MESH + "".join(
        f"fn {f}_pattern({p}) = sparse_hessian({f}({names}), x)\n"
        f"fn {f}_off({p}) = let s = {f}_pattern({names}) in\n"
        f"    max(abs((f64[n, n](0) with [s.rows, s.columns] += s.values) - hessian({f}({names}), x)))\n"
        for f, p, names in (("springs", "x: f64[n], a: i64[m], b: i64[m]", "x, a, b"), ("shared", "x: f64[n]", "x"),
                            ("guarded", "x: f64[n]", "x"))))
    x = "x=[0.5, 1.5, -0.75, 0.25, 2.0]"
    for f, size, words in ("springs", "4*m", ["a=[4, 0, 0, 2]", "b=[1, 1, 3, 4]"]), ("shared", "6*n - 8", []), ("guarded", "3*n", []):
        text = call("explain", f"{folder}/mesh.por:{f}_pattern", "--stage", "written")[0]
        holds(text, f"values: f64[{size}], rows: i64[{size}]")
        if float(call("run", f"{folder}/mesh.por:{f}_off", x, *words)[0]) > 1e-13:
            raise Failed(f)
    call("run", f"{folder}/mesh.por:springs_pattern", x, "a=[5]", "b=[0]", status=1)


@test
def they_are_values_like_any_other(folder):
    write_files(folder, chain=CHAIN)
    a, b = (numbers(call("run", f"{folder}/chain.por:{f}", "x=[1.0, 2.0, 0.5, -1.0]")[0])[-1] for f in ("slope", "dense"))
    if abs(a - b) > 1e-9*abs(b):
        raise Failed(f"{a}, not {b}")
    evaluates("scan (x = x, i < 2) => x - 0.01*sum(sparse_jacobian(x[1:]*x[:-1], x).values)", "[0.9406, 1.9405999999999999]", "x=[1.0, 2.0]")


@test
def structures_have_one_for_each_pair():
    words = "p={x = [1.0, 2.0, 3.0], t = 0.5}", "p: {x: f64[n], t: f64}"
    text = call("eval", "let h = sparse_hessian(p.t^2*sum(p.x[1:]*p.x[:-1]), p) in (h.x.x, h.x.t, h.t.x, h.t.t)", *words)[0]
    same(text.replace(" ", "").replace("\n", ""),
         "({values=[0.25,0.25,0.25,0.25],rows=[1,2,0,1],columns=[0,1,1,2]},"
         "{values=[2.0,4.0,2.0],rows=[0,1,2],columns=[0,0,0]},"
         "{values=[2.0,4.0,2.0],rows=[0,0,0],columns=[0,1,2]},{values=[16.0],rows=[0],columns=[0]})")


@test
def what_does_not_hang_on_it_has_none():
    evaluates("sparse_jacobian(y, x)", "{values = f64[0](0), rows = i64[0](0), columns = i64[0](0)}", "x=[1.0, 2.0]", "y=[3.0]", "x: f64[n]", "y: f64[m]")
    evaluates("sparse_hessian(sum(x), x).rows", "i64[0](0)", "x=[1.0, 2.0]")


@test
def the_example_finds_the_minimum():
    x = numbers(call("run", os.path.join(EXAMPLES, "rosenbrock.por:newton"), "x=f64[50](0.9)", "steps=9")[0])
    if any(abs(v - 1) > 1e-10 for v in x):
        raise Failed(str(x))


@test
def complex_rows_are_followed_forwards():
    text = call("eval", "sparse_jacobian(complex(x, x^2), x)", "x=[1.0, 3.0]")[0]
    holds("".join(text.split()), "values=complex(f64[2]([1.0,1.0]),f64[2]([2.0,6.0]))")


@test
def a_cycle_of_short_length_adds_up():
    """Offsets that are sizes may be the same: then a pair stands twice."""
    form = "f64[n*n](0) with [s.rows*n + s.columns] += s.values"
    for k in 1, 2:
        wanted = numbers(call("eval", f"hessian(sum((x[{k}:]*x[:-{k}])^2 + (x[1:]*x[:-1])[:n - {k}]), x)",
                              "x=[1.0, 2.0, 3.0]", "x: f64[n]")[0])
        text = f"let s = sparse_hessian(sum((x[k:]*x[:-k])^2 + (x[1:]*x[:-1])[:n - k]), x) in {form}"
        same(numbers(call("eval", text, "x=[1.0, 2.0, 3.0]", f"k={k}", "x: f64[n]", "k: i64")[0]), wanted)


main(__doc__)
