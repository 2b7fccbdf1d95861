#!/usr/bin/env python3
"""test_check.py PORISM [NAME...]: every way of computing a function, compared."""

import os
import pty
import re
import subprocess

from command import EXAMPLES, HERE, PORISM, call, holds, main, same, test, write_files


@test
def check_compares_bits():
    same(call("check", "sum(exp(x)*y)", "x: f64[n]", "y: f64[n]")[0].splitlines()[-1], "same 1 differ 0")
    # random expressions; what every fourth seed makes
    for seed in range(0, 40, 4):
        same(call("check", "--random", "1", "--seed", str(seed), "--no-native")[0], "same 1 differ 0\n")


@test
def check_makes_programs():
    out = call("check", "--random", "3", "--seed", "1", "--no-native", "--print")[0]
    holds(out, "# --seed 1\nfn f0(", "\nfn main(", "scan")
    same(out, call("check", "--random", "3", "--seed", "1", "--no-native", "--print")[0])


@test
def check_of_slopes():
    """Derivatives by differences, of programs with many sizes (every fourth seed), tables (17 of each 32) and others."""
    for seed in 3, 7, 11, 81, 3200689, 400038, 300118 + 1:     # of 400038 a loop begins with NaN, which its passes do not read
        words = "--seed", str(seed), "--slopes-every", "1", "--no-native"
        same(call("check", "--random", "1", *words)[0], "same 1 differ 0\n")
    # chains, and derivatives of derivatives; of 1716935 a body took turns with itself, its two sizes exchanged
    for seed in 13, 21, 1716935:
        words = "--seed", str(seed), "--slopes-every", "1", "--curves-every", "1", "--no-native", "--max-bytes", "1G"
        words += ("--nodes", "13") if seed > 99 else ()
        same(call("check", "--random", "1", *words)[0], "same 1 differ 0\n")
    printed = call("check", "--random", "1", "--seed", "7", "--no-native", "--print")[0]
    holds(printed, "fn part(", "len(")


@test
def check_counts_what_it_does_not_check(folder):
    write_files(folder, none="fn any(x) = x\nfn z(z: c128[n]) = z*z\n", fails="fn f(x: f64[n]) = (x[:0])[0]\n")
    out, told = call("check", f"{folder}/none.por", status=1)
    same(out, "same 0 differ 0 not checked 2\n")
    holds(told, "any: not checked: ", "parameter x has no type", "z: complex numbers run on the reference tier only")
    out, told = call("check", f"{folder}/fails.por", "--no-native", status=1)
    same(out, "same 0 differ 0 not checked 1\n")
    holds(told, "f: not checked: index: index 0 of an axis of 0")


@test
def check_goes_past_what_cannot_be(folder):
    """An index of an axis of 0 is told, and the run goes on; so is what rules find out about sizes of a side not taken."""
    out, told = call("check", "--random", "2", "--seed", "510131", "--nodes", "14", "--no-native")
    same(out, "same 1 differ 0 not checked 1\n")
    holds(told, "--seed 510131: not checked: scatter_add: index 3 of an axis of 0")
    write_files(folder, s="fn f(x: f64[n], k: i64) = scan (s = 0.0, i < 1) => if k > 99 then sum(where(s > 0, x[:i + 2], x[:2*i + 3])) else s\n")
    out, told = call("check", f"{folder}/s.por", "x=[1.0, 2, 3]", "k=0", "--no-native", status=1)
    same(out, "same 0 differ 0 not checked 1\n")
    holds(told, "f: where: shapes differ in axis 0: bool[2], f64[2] and f64[3]")


@test
def slopes_of_programs():
    """A condition that no check needs once literals are one; more rewriting than memory holds; a bend beside the point;
    sizes that effects told; a loop that nothing reads at the last; sides closed again; a trace that changes its size; steps
    each of which asked for all before it; bodies over what is held once; a kernel of too many arrays; a size of data that rules
    wrote otherwise; numbers of passes of loops around; effects before a side; what both sides compute alike."""
    for seed in (628199, 710191, 723361, 753679, 777007, 835626, 915529, 939807, 1012251, 1019626, 1058299, 1079639, 1096745,
                 1208406):
        out, told = call("check", "--random", "1", "--seed", str(seed), "--nodes", "15", "--slopes-every", "1", "--max-bytes", "500M")
        same([out, told], ["same 1 differ 0\n", ""])
    words = "--nodes", "15", "--slopes-every", "1", "--no-native"
    for seed, told in (726579, "y: given f64[n], wanted f64[m]"), (730758, "the slope against is nan: 0 / 0 is nan"):
        holds(call("check", "--random", "2", "--seed", str(seed), *words)[1], f"--seed {seed}: not checked: {told}")
    # what is bound to a name has become a number, by which nothing is differentiated
    out, told = call("check", "--random", "2", "--seed", "1722805", "--slopes-every", "1", "--no-native")
    same(out, "same 1 differ 0 not checked 1\n")
    holds(told, "--seed 1722805: not checked: vjp(y, a, ", ": a is a constant (0, line 1)")


@test
def check_ends_calls_that_do_not(folder):
    write_files(folder, n="fn never(x: f64) = (scan (k = 0, s = x) while k < 2 => {k = (k + 1) % 2, s = s + 1}).s\n"
                          "fn fine(x: f64) = x + 1\n")
    told = "never: not checked: a call took more than 0.05 seconds, which --call-seconds raises"
    out, left = call("check", f"{folder}/n.por", "--no-native", "--call-seconds", "0.05")
    same(out, "same 1 differ 0 not checked 1\n")
    holds(left, told)
    out, left = call("check", f"{folder}/n.por:never", "x=1", "--call-seconds", "0.05", status=1)
    same(out, "same 0 differ 0 not checked 1\n")
    holds(left, told)


@test
def check_a_file():
    same(call("check", f"{EXAMPLES}/logistic.por")[0].splitlines()[-1], "same 4 differ 0 not checked 1")


@test
def check_every_form():
    """What fuzzing begins with: each form in a function of its own, and what it gives."""
    path = os.path.join(HERE, "..", "lang", "cases", "forms.por")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    told = text[text.index("book forms: check"):].count("<=>")
    out, left = call("check", path, "--no-native")
    # ops of functions and of any shape, which others call
    holds(left, "applied: not checked", "folded: not checked")
    functions = len(re.findall("^(fn|op) ", text, re.M)) - 2
    same(out, f"same {functions + told} differ 0 not checked 2\n")


@test
def what_a_limit_ends_is_no_difference(folder):
    """Nor is memory that runs out: tests/errors/test_refusals.py."""
    write_files(folder, f="fn f(x: f64[n]) = x + 1\nfn g(x: f64[n]) = hessian(prod(sin(x)*exp(x)), x)\n"
                          "book b: check\none: sum(f(f64[3](1))) <=> 6.0\n")
    for nodes in "200", "300":          # while it is elaborated, and lowered
        out, told = call("check", f"{folder}/f.por", "--no-native", "--max-nodes", nodes, status=1)
        same(out, "")
        holds(told, f"it takes more than {nodes} nodes, which --max-nodes raises")
        assert "differs" not in told and "not checked" not in told, told


@test
def check_tells_what_compiled_tiers_refuse(folder):
    write_files(folder, c="fn f(z: c128[n]) = z*z\nfn g(x: f64[n]) = x*x\n"
                          "fn h(x: f64[n]) = scan (y = x, i < 3) => y*(1 + (scan (s = 0.0, j < i) => s + 1))\n")
    out, told = call("check", f"{folder}/c.por")
    same(out, "same 2 differ 0 not checked 1\n")
    holds(told, "f: complex numbers run on the reference tier only")
    for command in ["run", f"{folder}/c.por:f", "z=[1i, 2.0]", "--tier", "native"], ["build", f"{folder}/c.por:f", "-o", folder]:
        holds(call(*command, status=1)[1], "complex numbers run on the reference tier only")


@test
def check_takes_any_names(folder):
    """What calls standalone C has names of its own, which are no parameter's."""
    write_files(folder, names="fn f(size: f64[m], array: f64, code: f64, room: f64, workspace: f64, door: f64) ="
                              " sum(size)*array*code*room*workspace*door\n")
    same(call("check", f"{folder}/names.por"), ("same 1 differ 0\n", ""))


# Found by random programs, with the arguments that showed them.
FOUND = [
    # a side gives what it captures alone: its size is a parameter that none of its nodes needs
    ("(if y[k] > 0.5 then (1.0 + f64[k](2.0)) else f64[k](2.0))", {"k": "1", "y": "[-0.25, -1.5]"}),
    # a count that a loop captures wraps as a value; as a size it is past 64 bits
    ("scan (e in y) => (scan (h = 1.0, i < min(k*k, 4)) => e)", {"k": str(2**63 - 1), "y": "[1.0, 2.0]"}),
    # the same in loops that are not reached
    ("scan (h = 1.0, i < n) while 3 < j => (scan (g = h, l < min(k*k + 1, 3)) => g + 1)",
     {"k": str(2**63 - 1), "j": "2", "y": "[1.0, 2.0]"}),
    ("scan (h = 1.0, i < j - 2) => (scan (g = h, l < min(k*k, 3)) => g + 1)",
     {"k": str(2**63 - 1), "j": "2", "y": "[1.0, 2.0]"}),
    # what a side captures is not computed where its condition is known to fail
    ("grad(sum(if k < 2 then tanh(if k == j then y + sum(y[k + n:k + n + 1]) else y) else y), y)",
     {"k": "1", "j": "2", "y": "[1.0, 2.0]"}),
    # a size of -1 that is not reached, in a loop whose own loops are merged
    ("scan (s = 0.0, i < j) => sum((scan (q = s, l < min(0, 4) - 1) => {q = q, t = sum((scan (v in y) => v + q))"
     " + sum((scan (v in y) => v*q))}).t)", {"j": "0", "y": "[1.0, 2.0]"}),
    # a size past 64 bits that either of two sides asks for, and neither is taken; or a side in a loop
    ("if j < k then sum(y[j:j + 1]) else if y[0] > 9 then mean(y[j:j + 1]) else y[0]",
     {"k": "1", "j": str(2**63 - 1), "y": "[1.0, 2.0]"}),
    ("sum(scan (v in y) => if j == 9 then (scan (h = v, i < j*j) => v) else v)", {"j": str(2**63 - 1), "y": "[1.0, 2.0]"}),
    # a loop with effects is merged after what it hangs on, and before what hangs on it
    ("scan (h = (do check(scan (e in y) => y[1]) in (scan (g = (scan (s = -1.25, i < k) while true => (do print(i) in 0.5)))"
     " while k == 9 => -1.25)), e in y) => 2.5", {"k": "2", "y": "[1.0, 2.0]"}),
    # the derivative of a slice that is sure to fail, in a side that is not taken, and in a loop that has no pass
    ("sum(grad(if y[0] > 9 then sum((f64[j](1)*y[0])[j:j + 2]) else sum(y^2), y))", {"j": "0", "y": "[1.0, 2.0]"}),
    ("sum(grad(scan (s = y[1], i < j) => s*sum((f64[j](1)*y[0])[j:j + 2]), y))", {"j": "0", "y": "[1.0, 2.0]"}),
    # a quotient by a size that is 0, in two bodies, neither of which is reached
    ("scan[states = 2] (h = y, i < n) => h with [k::2] = 1.0 with [3 % n] += 1", {"k": "1", "y": "f64[0](0)"}),
]


@test
def check_of_given_arguments(folder):
    for text, values in FOUND:
        declared = ", ".join(f"{name}: {'f64[n]' if name == 'y' else 'i64'}" for name in values)
        write_files(folder, found=f"fn f({declared}) = {text}\n")
        out = call("check", f"{folder}/found.por:f", *[f"{name}={v}" for name, v in values.items()])[0]
        same(out, "same 1 differ 0\n")


@test
def check_finds_sizes(folder):
    """What standalone C is told: names in n + 1, and the most that a computed size may be."""
    write_files(folder, s="fn a(x: i64[n + 1]) = iota[sum(x)]()\nfn b(x: i64[2*n + m], y: f64[m]) = sum(y)*f64(sum(x))\n")
    for name, words in ("a", ["x=[0, 1, 0]"]), ("a", ["x=[10, 20, 50000]"]), ("b", ["x=[1, 2, 3, 4, 5]", "y=[1]"]):
        same(call("check", f"{folder}/s.por:{name}", *words)[0], "same 1 differ 0\n")


@test
def check_of_many_computed_sizes(folder):
    """Each count of a mask is a number that standalone C is told: more than twice as many as arguments have names of sizes."""
    many = " + ".join(f"sum(x[x > {i}]^2)" for i in range(70))
    write_files(folder, s=f"fn f(x: f64[n]) = {many}\n")
    same(call("check", f"{folder}/s.por")[0], "same 1 differ 0\n")


@test
def check_of_larger_programs():
    """Found with 25 operators: sizes of pieces from a guard; a constant that only a recording loop begins with."""
    for seed in 72000174, 72100010:
        same(call("check", "--random", "1", "--seed", str(seed), "--nodes", "25", "--no-native")[0], "same 1 differ 0\n")
    words = "--seed", "93002174", "--nodes", "45", "--no-native", "--max-bytes", "500M"    # pieces in pieces: few sizes of sizes
    same(call("check", "--random", "1", *words)[0], "same 1 differ 0\n")


@test
def check_of_loops_in_pieces(folder):
    """Sizes of pieces that a guard computes add up to the whole; pieces of a loop too long for one are too long."""
    write_files(folder, p="""
fn inner(y: f64[m], x: f64[n], a: f64) = scan[levels = 2] (h = a, e in ([i < n] => y[1])) while a < 1.25 =>
    if sum(scan[levels = 3] (i < n - min(len(x[1:]), 4)) => (e, h, 2.0)) > -1.0 then h else 0.5
fn outer(y: f64[m], A: f64[m, n], x: f64[n], a: f64, j: i64) = scan[back, states = 3, levels = 3] (h = A[:, 1], i < n - j) =>
    {h = h with [j] = (scan (g = inner(h, x, a), i < m) while a < 3.0 => a), t = a}
fn long(a: f64, k: i64) = scan[levels = 3] (h = a, i < k) => 0.5
fn many(a: f64, k: i64) = scan[states = 1000000, levels = 3] (h = a, i < k) => h/2
fn kept(a: f64, k: i64) = scan[bytes = 6400000] (h = a, i < k) => h/2
fn few(a: f64, k: i64) = scan[states = 8] (h = a, i < k) => h/2
fn written(a: f64, k: i64) = scan[states = 8] (h = a, i < 281474976710657) => h/2 + k
fn slope(a: f64, k: i64) = grad(many(a, k), a)
fn rows(a: f64, k: i64) = let y = scan[states = 1000000, levels = 3] (h = a, v in f64[k](a)) => {h = h/2, t = h*v} in sum(y.t) + y.h
""")
    for n in 0, 3:
        words = ["y=[1.5, -1.0, 1.5]", f"A=f64[3, {n}](0)", f"x=f64[{n}](0)", "a=-0.46", "j=1"]
        same(call("check", f"{folder}/p.por:outer", *words, "--no-native")[0], "same 1 differ 0\n")
    for name in "long", "many", "kept":
        same(call("check", f"{folder}/p.por:{name}", "a=1.0", "k=9223372036854775807")[0], "same 1 differ 0\n")
        holds(call("run", f"{folder}/p.por:{name}", "a=1.0", "k=281474976710657", status=1)[1],
              "281474976710657 steps is too long: k is 281474976710657")
    for name in "few", "written": # a piece of these is no loop that is too long
        holds(call("run", f"{folder}/p.por:{name}", "a=1.0", "k=281474976710657", status=1)[1], "281474976710657 steps is too long")
    for name, values in ("many", (1.0, 0.5, 2.0**-20)), ("slope", (1.0, 0.5, 2.0**-20)), ("rows", (1.0, 1.5, 2 - 2.0**-20)):
        for k, value in zip((0, 1, 20), values): # more pieces than steps: levels of empty ones would not end
            same(float(call("run", f"{folder}/p.por:{name}", "a=1.0", f"k={k}")[0]), value)


@test
def check_books(folder):
    path = os.path.join(folder, "b.por")
    with open(path, "w") as f:
        f.write("book good: check\nlarge: softplus(1000.0) <=> 1000.0\nfound: log(1 + exp(x)) => softplus(x)\n")
    same(call("check", path)[0], "same 2 differ 0\n")
    with open(path, "w") as f:
        f.write("book bad: check\nvalue: x + 1 <=> x + 1.001\nfound: log(2 + exp(x)) => softplus(x)\n")
    same(call("check", path, status=1)[0], "same 0 differ 2\n")


@test
def check_of_a_name_that_is_none(folder):
    write_files(folder, m="fn sq(x: f64[n]) = x^2\nfn any(x) = x\n")
    same(call("check", f"{folder}/m.por:sq")[0], "same 1 differ 0\n")
    holds(call("check", f"{folder}/m.por:nope", status=1)[1], "there is no nope")
    holds(call("check", f"{folder}/m.por:any", status=1)[1], "parameter x has no type")


@test
def a_terminal_shows_what_is_checked(folder):
    """A line for what is being checked, taken away before anything else is printed; none where there is no terminal."""
    write_files(folder, f="fn one(x: f64) = x\nfn two(x: f64[n]) = sum(x)\nfn three(x) = x\n")
    words = [PORISM, "check", f"{folder}/f.por", "--no-native"]
    ours, theirs = pty.openpty()
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, "TERM": "xterm"}, timeout=100)
    shown = os.read(ours, 4096).decode()
    for fd in (ours, theirs):
        os.close(fd)
    same(re.findall(r"checking (\d) of (\d): (\w+)", shown), [("1", "3", "one"), ("2", "3", "two"), ("3", "3", "three")])
    same(shown.count("\r\033[K"), 6)
    holds(shown, "\r\033[Kthree: not checked")
    same("checking" in call(*words[1:])[1], False)


main(__doc__)
