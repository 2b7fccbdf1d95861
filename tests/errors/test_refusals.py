#!/usr/bin/env python3
"""The n-th allocation of the command fails, for every n: it ends with the right answer, or with exit 3 and a message.

    test_refusals.py BUILD [POINTS]

Prints `COMMAND: survived N of N` for each; exit 1 if one did not.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
MEMORY = ("memory", "no thread")            # "out of memory", "Cannot allocate memory"
MOST = 1000000

COMMANDS = [
    ["grad", "sum(log(1 + exp(-y*(X @ w))))", "--wrt", "w"],
    ["eval", "softmax(x)*k", "x=[1.0, 2.0]", "k=3", "--tier", "interpret"],
    ["eval", "scan (c = x, i < 3) => c + sin(c)", "x=[1.0, 2.0]", "--tier", "native"],
    ["run", "%d/file.por:step", "p={w = [1.0, 2.0], b = 0.5}", "x=[0.5, 0.25]", "--tier", "reference"],
    ["explain", "sum(exp(x*x))", "x: f64[n]"],
    ["build", "%d/file.por:step", "--name", "step", "-o", "%d"],
    ["view", "%d/file.por:loss", "-o", "%d/graph.svg"],
    ["view", "%d/file.por:step", "-o", "%d/page.html"],
    ["rules", "show", "log1p"],
    ["fit", "%d/file.por:train", "X=@%d/x.npy", "--steps", "3", "-q", "--tier", "interpret", "--threads", "1",
     "--save", "%d/model.npz", "--curve", "%d/loss.svg", "--history", "%d/loss.csv"],
]

# Each function of forms.por in these, where so many allocations fail in turn (POINTS, given: a hunt).
FORMS = "tests/lang/cases/forms.por"
EACH = [["check", "%s", "--no-native"], ["build", "%s", "--name", "form", "-o", "%d"]]
POINTS = 7

FILE = """use optim
type params[n] = {w: f64[n], b: f64}
fn loss(p: params[n], x: f64[n]) = (dot(p.w, x) + p.b)^2
fn step(p: params[n], x: f64[n]) = grad(loss(p, x), p)
fn start(k: key) = {w = f64[3](1), b = 0.5}
fn spread(p: {w: f64[3], b: f64}, X: f64[m, 3]) = mean((X @ p.w + p.b)^2)
let train = {minimise = spread, start = start, by = optim.adam(rate = 1e-3), block = {m = 4}, steps = 3, hold = 0.0}
"""


def once(porism, words, folder, n, library):
    environment = dict(os.environ, LD_PRELOAD=library, REFUSE=str(n), PORISM_CACHE=os.path.join(folder, "cache"))
    run = subprocess.run([porism] + words, capture_output=True, text=True, errors="replace", timeout=1000,
                         env=environment, cwd=ROOT)
    said, _, count = run.stderr.rpartition("allocations ")
    return run.returncode, re.sub(r"[0-9.]+ m?s\b", "", run.stdout), said.strip(), int(count) if count.strip().isdigit() else -1


def survives(porism, words, folder, library, points=None):
    """How many allocations failed, one in each run; and what was wrong with the first that did not end well."""
    status, wanted, said, count = once(porism, words, folder, -1, library)
    if status:
        return 0, "it fails although no allocation does: " + said
    step = max(1, count // points) if points else 1
    for tried, n in enumerate(range(len(wanted + words[1]) % step, MOST, step)):
        status, out, said, count = once(porism, words, folder, n, library)
        if status == 0 and out == wanted:
            if 0 <= count <= n:
                return tried, None
        elif status != 3 or not any(x in said for x in MEMORY):
            return tried, "allocation %d: exit %d: %s" % (n, status, said[-300:] or "no message")
    return MOST, "it never ends"


def main(build, points=POINTS):
    porism = os.path.join(os.path.abspath(build), "porism")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "refuse.so")
        subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-o", library, os.path.join(HERE, "refuse.c")],
                       check=True)
        with open(os.path.join(folder, "file.por"), "w", encoding="utf-8") as f:
            f.write(FILE)
        subprocess.run([porism, "eval", "f64[20, 3](0.5)", "-o", os.path.join(folder, "x.npy")], check=True)
        with open(os.path.join(ROOT, FORMS), encoding="utf-8") as f:
            forms = re.findall(r"^fn (\w+)", f.read(), re.M)
        each = [[w.replace("%s", FORMS + ":" + form) for w in words] for form in forms for words in EACH]
        for words in COMMANDS + each:
            n, fault = survives(porism, [w.replace("%d", folder) for w in words], folder, library,
                                None if words in COMMANDS else int(points))
            print("porism %s: %s" % (" ".join(words[:2]), "FAILED: " + fault if fault else "survived %d of %d" % (n, n)),
                  flush=True)
            failed += fault is not None
    return failed > 0


sys.exit(main(*sys.argv[1:]))
