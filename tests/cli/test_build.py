#!/usr/bin/env python3
"""test_build.py PORISM [NAME...]: standalone C, shared objects, and the cache of native code."""

import ctypes
import json
import os

from command import EXAMPLES, Failed, call, holds, main, same, test, write_files


@test
def build_is_standalone(folder):
    out = call("build", "sum(exp(x)*y)", "x: f64[n]", "y: f64[n]", "-o", folder, "--name", "weigh", "--shared")[0]
    same(out.splitlines(), [f"{folder}/weigh.c", f"{folder}/weigh.h", f"{folder}/libweigh.so"])
    with open(f"{folder}/weigh.c") as f:
        if "porism.h" in f.read():
            raise Failed("it includes porism.h")
    library = ctypes.CDLL(f"{folder}/libweigh.so")
    library.weigh_workspace.restype = ctypes.c_int64
    size = library.weigh_workspace(ctypes.c_int64(3))
    x, y, out = (ctypes.c_double * 3)(0.1, 2.0, -3.0), (ctypes.c_double * 3)(1.5, 0.25, 4.0), ctypes.c_double()
    same(library.weigh(ctypes.c_int64(3), x, y, ctypes.byref(out), ctypes.create_string_buffer(size + 64)), 0)
    wanted = call("eval", "sum(exp(x)*y)", "x=[0.1, 2.0, -3.0]", "y=[1.5, 0.25, 4.0]")[0]
    same(repr(out.value) + "\n", wanted)


@test
def build_takes_computed_sizes(folder):
    """The caller says the most that k may be (4, then 1), and is told what it is: 2."""
    write_files(folder, k="fn first(x: f64[n]) = let k = sum(i64(x > 0)) in x[:k]*2\n")
    call("build", f"{folder}/k.por:first", "-o", folder, "--shared")
    with open(f"{folder}/first.h") as f:
        holds(f.read(), "out1: f64[k]", "k: at most most_k; *k gets it, unless that is NULL",
              "int64_t first_workspace(int64_t n, int64_t most_k);",
              "int first(int64_t n, int64_t most_k, const double *x, double *out1, int64_t *k, void *workspace);")
    library = ctypes.CDLL(f"{folder}/libfirst.so")
    library.first_workspace.restype = ctypes.c_int64
    x, number = (ctypes.c_double * 4)(0.5, 3.0, -1.0, -2.0), ctypes.c_int64
    for most, status, wanted in (4, 0, [1.0, 6.0, 7.0]), (1, 1, [7.0, 7.0, 7.0]):
        out, k = (ctypes.c_double * 3)(7.0, 7.0, 7.0), number(-1)
        workspace = ctypes.create_string_buffer(library.first_workspace(number(4), number(most)))
        same(library.first(number(4), number(most), x, out, ctypes.byref(k), workspace), status)
        same((k.value, list(out)), (2, wanted))


@test
def build_cuts_long_programs(folder):
    """More steps than one function takes; each function says which lines it came from."""
    lines = "".join(f"    let x = cos(x)/(1.7 + sum(x*{i}.5)) in\n" for i in range(60))
    write_files(folder, k=f"fn chain(x: f64[n]) =\n{lines}    x\n")
    call("build", f"{folder}/k.por:chain", "-o", folder)
    with open(f"{folder}/chain.c") as f:
        text = f.read()
    holds(text, "/* k.por, lines 2 to ", "/* line 2: ", "chain_part2(struct chain_run *r)", "/* 31.5 */")
    longest = max(len(part.splitlines()) for part in text.split("\n}\n"))
    if longest > 500:
        raise Failed(f"a function of {longest} lines")


@test
def build_names_results(folder):
    """A result has the name of its field, and Greek is spelt out."""
    write_files(folder, g="fn grk(σ: f64[n], int: f64) = {λ₁ = σ*int, s = (int, σ)}\n")
    call("build", f"{folder}/g.por:grk", "-o", folder)
    with open(f"{folder}/grk.h", encoding="utf-8") as f:
        holds(f.read(), "sigma: f64[n]  (σ)", "out_lambda1: f64[n]  (result λ₁)",
              "const double *sigma, const double *int_2, double *out_lambda1, double *out_s_0, double *out_s_1")


@test
def build_keeps_the_order_of_fields(folder):
    """Fields of records stand in C as they were written, within parameters, results and lists."""
    write_files(folder, o="type point = {y: f64, x: f64}\n"
                "fn turn(p: {w: f64[n], b: f64, a: f64}, q: (point, point)) =\n"
                "    let (s, t) = q in {z = p.w*p.b - p.a, least = {y = t.x, a = s.y - t.y}}\n")
    given = ["p={w = [1.0, 2.0], b = 3.0, a = 5.0}", "q=({y = 7.0, x = 11.0}, {y = 13.0, x = 17.0})"]
    said = call("build", f"{folder}/o.por:turn", "-o", folder, "--shared", "--json")[0]
    same([i.split(":")[0] for i in json.loads(said)["inputs"]], ["p.w", "p.b", "p.a", "q.0.y", "q.0.x", "q.1.y", "q.1.x"])
    with open(f"{folder}/turn.h") as f:
        holds(f.read(), "const double *p_w, const double *p_b, const double *p_a, const double *q_0_y, const double *q_0_x, "
              "const double *q_1_y, const double *q_1_x, double *out_z, double *out_least_y, double *out_least_a")
    library = ctypes.CDLL(f"{folder}/libturn.so")
    library.turn_workspace.restype = ctypes.c_int64
    w, z, numbers = (ctypes.c_double * 2)(1, 2), (ctypes.c_double * 2)(), [ctypes.c_double(x) for x in (3, 5, 7, 11, 13, 17, 0, 0)]
    workspace = ctypes.create_string_buffer(library.turn_workspace(ctypes.c_int64(2)) + 64)
    *rest, y, a = [ctypes.byref(x) for x in numbers]
    same(library.turn(ctypes.c_int64(2), w, *rest, z, y, a, workspace), 0)
    same((list(z), numbers[6].value, numbers[7].value), ([-2.0, 1.0], 17.0, -6.0))
    same(call("run", f"{folder}/o.por:turn", *given)[0].strip(), "{z = [-2.0, 1.0], least = {y = 17.0, a = -6.0}}")


@test
def build_a_trained_model(folder):
    model = os.path.join(folder, "m.npz")
    call("eval", "{w = [1.0, -2.0], b = 0.5}", "-o", model)
    call("build", f"{EXAMPLES}/logistic.por:loss", f"p=@{model}", "-o", folder)
    with open(f"{folder}/loss.h") as f:
        text = f.read()
    holds(text, "X: f64[", "2]", "y: f64[")
    if "p.w" in text:
        raise Failed("p.w is still an argument")


@test
def shared_objects_by_any_compiler(folder):
    before = os.environ.get("CC")
    for cc, status, part in (("cc -O0", 0, ""), ("false -x", 3, "failed: false -x -std=gnu11"),
                             ("/nope", 3, "cannot be run: /nope -std=gnu11")):
        os.environ["CC"] = cc
        holds(call("build", "x + 1", "--shared", "--name", "inc", "-o", folder, status=status)[1], part)
    os.environ.pop("CC") if before is None else os.environ.update(CC=before)
    same(os.path.exists(f"{folder}/libinc.so"), True)


@test
def cache(folder):
    holds(call("cache", "list")[0], "entries")
    holds(call("cache", "clear", "--folder", folder)[0], "0 entries cleared")
    json.loads(call("cache", "list", "--json")[0])


@test
def steps_in_loops_that_come_again_are_one_function(folder):
    """What a loop carries and walks along lies elsewhere in each pass: rows tell so."""
    block = """fn block(x: f64[t, h], U: f64[h, h], W: f64[h, h], b: f64[h]) =
    let r = scan (s = f64[h](0), c = f64[h](0), a in x) =>
        let i = sigmoid(a @ U + s @ W + b)
        let g = tanh(a @ W + s @ U)
        let c2 = c*(1 - i) + i*g
        in {s = tanh(c2)*i, c = c2, out = s}
    in r.out
"""
    lines = []
    for n in 6, 18:
        given = ", ".join(f"U{k}: f64[h, h], W{k}: f64[h, h], b{k}: f64[h]" for k in range(n))
        text = "x"
        for k in range(n):
            text = f"block({text}, U{k}, W{k}, b{k})"
        write_files(folder, p=f"{block}fn f(x: f64[t, h], {given}) = sum({text})\n")
        call("build", f"{folder}/p.por:f", "-o", folder)
        with open(f"{folder}/f.c", encoding="utf-8") as f:
            text = f.read()
        holds(text, "f_moved[][4] =", "int f_run_same")
        lines.append(text.count("\n"))
    same(lines[1] - lines[0] <= 12*64, True)
    nested = "block(block(block(block(x, U, W, b), W, U, b), U, U, b), W, W, b)"
    write_files(folder, p=f"{block}fn g(x: f64[t, h], U: f64[h, h], W: f64[h, h], b: f64[h]) = grad(sum({nested}^2), (x, U, W, b))\n")
    given = ("x=[[0.5, 1.0], [0.3, -0.4], [1.0, 2.0]]", "U=[[0.1, 0.2], [0.3, 0.4]]", "W=[[-0.1, 0.2], [0.3, -0.4]]", "b=[0.1, 0.2]")
    same(call("check", f"{folder}/p.por:g", *given)[0].strip().split("\n")[-1], "same 1 differ 0")


main(__doc__)
