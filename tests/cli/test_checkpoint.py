#!/usr/bin/env python3
"""test_checkpoint.py PORISM [NAME...]: what a derivative computes again: values, derivatives, memory, effects."""

import os
import re

from command import TIERS, alike, call, few, holds, main, same, start, test, write_files

WORDS = "x=[0.5, -1.0, 2.0]", "w=0.75"
TYPES = "x: f64[n]", "w: f64"


def as_without(text, *words):
    """The same without checkpoint, in all tiers."""
    alike(text, text.replace("checkpoint", ""), *words)


FORMS = ("checkpoint(sin(exp(x)*w)*exp(x))", "checkpoint((v) => sin(exp(v)*w))(x)*exp(w)",
         "let r = checkpoint({a = exp(x*w), b = sin(w)}) in r.a*r.b",
         "let y = x*w in checkpoint(exp(y)*checkpoint(sin(y))/w)",
         "scan (h = x, i < 3) => checkpoint((h) => sin(exp(h)*w + i))(h)",
         "checkpoint(scan (h = x) while sum(h) < 9 => exp(h)*w + 1)",
         "if w > 0 then checkpoint(exp(x)*w) else checkpoint(sin(x/w))",
         "checkpoint(if w < 0 then exp(x)*w else sin(x/w))",
         "[v in x] => checkpoint(exp(v)*sin(w*v))",
         "[v in x] => if v > 0 then checkpoint(sqrt(v)*w) else checkpoint(v^2/w)",
         "checkpoint([v in x] => exp(v*w))",
         "checkpoint(x with [1] = w^3)*checkpoint(x[1:3])[0]")


@test
def values_and_derivatives():
    for e in FORMS:
        as_without(e, *WORDS)
        as_without(f"grad(sum(({e})^2), x)", *WORDS)
        as_without(f"grad(sum(({e})^2), w)", *WORDS)
        as_without(f"jvp({e}, w, 2.0)", *WORDS)


@test
def higher_derivatives():
    for e in few(FORMS):
        as_without(f"hessian(sum(({e})^2), x)", *WORDS)
        as_without(f"grad(grad(grad(sum({e}), w), w), w)", *WORDS)
        as_without(f"jacobian[forward](grad(sum(({e})^2), x), w)", *WORDS)


@test
def variables_outside_are_operands():
    """What a name stands for is outside, a let too: derivatives go by it."""
    as_without("let y = x*w in grad(sum(checkpoint(exp(y)*x)), y)", *WORDS)
    as_without("let y = x*w in grad(sum(checkpoint((v) => exp(y)*v)(x)), y)", *WORDS)
    as_without("let f = (v) => exp(v*w) in let g = (v) => f(v)*w in grad(sum(checkpoint(g)(x)), w)", *WORDS)
    text = call("explain", "let y = cumsum(x) in checkpoint((v) => exp(y)*v)(x)", "x: f64[n]", "--stage", "written")[0]
    holds(text, "checkpoint((x1, y) => exp(y)*x1)(x, cumsum[0](x))")


LOOPS = (("grad((scanF (y = w, i < 23) => y + sin(y + i)), w)", ["w=0.75"]),
         ("grad((scanF (y = w, i < k) => y + sin(y + i)), w)", ["w=0.75", "k=23"]),
         ("grad((scanF (y = w, i < k) => y + sin(y + i)), w)", ["w=0.75", "k=0"]),
         ("grad(sum((scanF (y = w, v in x) => {y = y + sin(y + v), t = y*v}).t), x)", ["w=0.75", "x=iota[11]()*0.5"]),
         ("scanF (y = w, v in x) => {y = y + sin(y + v), t = y*v}", ["w=0.75", "x=iota[11]()*0.5"]),
         ("grad(sum((scanF (y = w, v in x) => {y = y + sin(y + v), t = y*v}).t), x)", ["w=0.75", "x=f64[0](1)"]),
         ("grad(sum((scanB (y = w, v in x, i < 11) => {y = y + sin(y + v*i), t = y*v}).t), x)",
          ["w=0.75", "x=iota[11]()*0.5"]),
         ("grad((scanF (y = w) while y < 9 => y + abs(sin(y)) + 0.1), w)", ["w=0.75"]),
         ("grad(sum(scanF (y = x, i < 13) => cumsum(sin(y))), x)", ["x=[0.5, 1.0, 2.0]"]))
POLICIES = ("states = 3", "levels = 1", "levels = 2", "levels = 3", "states = 2, levels = 4", "bytes = 24", "bytes = 100",
            "bytes = 1000", "bytes = 0")


@test
def policies_of_loops_agree():
    """To the bit, in all tiers, whatever is kept."""
    for text, words in LOOPS:
        for tier in TIERS[:2]:
            plain = call("eval", text.replace("F", "").replace("B", "[back]"), *words, "--tier", tier)[0]
            for p in POLICIES:
                same(call("eval", text.replace("F", f"[{p}]").replace("B", f"[back, {p}]"), *words, "--tier", tier)[0], plain)


@test
def passes_counted_by_sizes_alone(folder):
    """How many passes a piece has hangs on no value, and can fail: it is computed once, before the loop around."""
    for policy in "", "[levels = 2]", "[levels = 3]", "[states = 2, levels = 3]", "[bytes = 100]":
        inner = f"scan{policy} (h = 1.0, j < len(y[1:])) => x[:i]"
        write_files(folder, p=f"fn f(x: f64[n], y: f64[m]) = scan (i < m) => sum({inner})\n"
                    f"fn g(x: f64[n], y: f64[m]) = [i < m] => grad(sum({inner}), x)\n")
        words = f"{folder}/p.por", "x=[1, 2, 3]", "y=[1, 2, 3]", "--max-bytes", "100M"
        holds(call("check", *words)[0], "same 2 differ 0")
        same(call("run", words[0] + ":f", *words[1:])[0], "[0.0, 1.0, 3.0]\n")


def peak(*words):
    """What the process takes at its most, in bytes."""
    with start(*words) as p:
        p.stdout.read()
        _, p.returncode, used = os.wait4(p.pid, 0)
    same(p.returncode, 0)
    return used.ru_maxrss*1024


@test
def budgets_are_kept(folder):
    """A loop of 1,000 steps over 10,000 numbers has states of 80 MB."""
    write_files(folder, p="fn f(x: f64[n], k: i64, m: i64) = grad(sum(scan[bytes = m] (x = x, i < k) => sin(x)*2), x)\n")
    most = []
    for steps, budget in (1, 0), (1000, 2_000_000), (1000, 8_000_000), (1000, 1_000_000_000):
        most.append(peak("run", f"{folder}/p.por:f", "x=f64[10000](0.5)", f"k={steps}", f"m={budget}", "--tier", "interpret"))
    assert most[1] - most[0] < 6e6 and most[2] - most[0] < 12e6 and most[3] - most[0] > 60e6, most


@test
def a_budget_is_a_number_of_the_command_line(folder):
    """A name in a loop's brackets is an input as any other: no file has to declare it."""
    e = "grad(scan[bytes = %s] (x = x, i < 9) => sin(x), x)"
    want = call("eval", e % "100", "x=0.5")
    for given in "n=0", "n=100", "n=i64(9)":
        same(call("eval", e % "8*n", "x=0.5", given), want)


@test
def loops_of_unknown_length_keep_as_little(folder):
    """A `while` of 200,000 steps over 100 numbers has states of 160 MB; each policy has those of a fraction."""
    loop = "scan[%s] (x = x, k = 0) while x[0] > 1e-9 and k < m => {x = 0.99999*x, k = k + 1}"
    words = "x=f64[100](0.5)", "--tier", "interpret"
    seen = set()
    for policy in "levels = 2", "levels = 3", "states = 1000", "bytes = 1000000":
        write_files(folder, p=f"fn f(x: f64[n], m: i64) = grad(sum(({loop % policy}).x), x)\n")
        least = peak("run", f"{folder}/p.por:f", "m=1", *words)
        most = peak("run", f"{folder}/p.por:f", "m=200000", *words)
        assert most - least < 4e6, (policy, least, most)
        seen.add(call("run", f"{folder}/p.por:f", "m=200000", *words)[0])
    same(len(seen), 1)


LAYERS = """fn layer(x: f64[n], w: f64) =
    let a = sin(w*x) in let b = exp(a)*cumsum(a) in let c = tanh(b)*cumsum(b) in c/(1 + cumsum(c^2))
fn kept(x: f64[n], w: f64) = grad(sum(%s), w)
"""


def workspace(folder, layers):
    write_files(folder, p=LAYERS % layers)
    text = call("explain", f"{folder}/p.por:kept", "x=f64[10000](1)", "w=0.5", "--show", "memory")[0]
    return int(re.search(r"workspace of (\d+) bytes", text)[1])/80000


@test
def layers_keep_what_is_between_them(folder):
    """Of each layer its result, and the values of one: else those of all."""
    plain = workspace(folder, "layer("*12 + "x" + ", w)"*12)
    again = workspace(folder, "checkpoint(layer)("*12 + "x" + ", w)"*12)
    assert plain > 12*5 and again < 12 + 9, (plain, again)


@test
def effects_happen_once():
    for tier in TIERS:
        out, err = call("eval", "let y = checkpoint(do print({w}) in exp(x)*w) in {v = sum(y), d = grad(sum(y^2), x)}", *WORDS,
                        "--tier", tier)[:2]
        same(err.count("w = 0.75"), 1)
        out, err = call("eval", "scan (h = w, i < 3) => checkpoint((h) => (do print(h) in h + 1))(h)", *WORDS[1:], "--tier", tier)[:2]
        same([out.strip(), err.split()[-1]], ["3.75", "2.75"])
        for rules in [], ["--no-rules"]:                # those of what is outside happen there
            out, err = call("eval", "let y = x + (if w < 1 then do print({w}) in w else w) in "
                            "checkpoint(do assert(w < 2 or all(0 < (if w < w then y else 1))) in w)", *WORDS, "--tier", tier, *rules)
            same([out, err], ["0.75\n", "w = 0.75\n"])
        holds(call("eval", "checkpoint(do assert(w > 1, {w}) in w)", "w=0.5", "--tier", tier, status=1)[1], "w = 0.5")


@test
def errors_inside():
    for tier in TIERS:
        holds(call("eval", "if w > 0 then w else checkpoint(x[k])", "x=[1.0]", "w=1.0", "k=7", "--tier", tier)[0], "1.0")
        holds(call("eval", "checkpoint(x[k])", "x=[1.0]", "k=7", "--tier", tier, status=1)[1], "7")
    holds(call("eval", "checkpoint(sin)(checkpoint(cos))", status=1)[1], "checkpoint(sin)(checkpoint(cos))")
    holds(call("eval", "checkpoint(x, w)", *WORDS, status=1)[1], "checkpoint")


@test
def what_is_printed_reads_back(folder):
    for e in FORMS[:4] + (f"grad(sum({FORMS[0]}), x)", f"grad(sum({FORMS[4]}), w)"):
        printed = call("explain", e, *TYPES, "--stage", "written")[0]
        write_files(folder, p=printed)
        name = re.search(r"fn (\w+)\(", printed)[1]
        words = [w for w in WORDS if re.search(rf"[(,] ?{w[0]}: ", printed.split("->")[0])]
        same(call("run", f"{folder}/p.por:{name}", *words)[0], call("eval", e, *words)[0])
        again = call("explain", f"{folder}/p.por:{name}", "--stage", "written")[0]
        same(again.count("checkpoint("), printed.count("checkpoint("))


main(__doc__)
