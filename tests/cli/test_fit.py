#!/usr/bin/env python3
"""test_fit.py PORISM [NAME...]: functions minimised over data."""

import json
import os
import struct
import warnings
import zipfile

from command import DIGITS, Failed, call, holds, main, parse_npy, read_npz, same, start, test, write_files, write_npy


def fit(*words):
    return call("fit", f"{DIGITS}/digits.por:train", f"X=@{DIGITS}/digits.npz:x", f"y=@{DIGITS}/digits.npz:y", "-q", *words)[0]


@test
def fit_learns_digits():
    got = [json.loads(fit("--json", "--seed", str(seed)))["accuracy"] for seed in range(1, 6)]
    if sum(got) / 5 < 0.97:
        raise Failed(f"accuracy {got}")


@test
def fit_resumes_with_the_same_bits(folder):
    a, b, c = (os.path.join(folder, name) for name in ("a.npz", "b.npz", "c.npz"))
    fit("--steps", "60", "--save", a, "--seed", "3")
    fit("--steps", "17", "--save", b, "--seed", "3")
    fit("--steps", "60", "--resume", b, "--save", c)
    if read_npz(a) != read_npz(c):
        raise Failed("a resumed fit differs")
    if read_npz(a) == read_npz(b):
        raise Failed("60 steps and 17 give the same")
    same(read_npz(c)["fit.step"], ((), [60]))
    same(read_npz(c)["fit.seed"], ((), [3]))


@test
def fit_leaves_files(folder):
    history, curve, model = (os.path.join(folder, name) for name in ("h.csv", "c.svg", "m.npz"))
    fit("--steps", "30", "--history", history, "--curve", curve, "--save", model, "--threads", "2")
    with open(history) as f:
        lines = f.read().splitlines()
    same((lines[0], len(lines)), ("step,loss,accuracy", 31))
    if not float(lines[-1].split(",")[1]) < float(lines[1].split(",")[1]):
        raise Failed("the loss does not fall")
    with open(curve) as f:
        holds(f.read(), "<svg")
    read = call("run", f"{DIGITS}/digits.por:predict", f"p=@{model}", f"X=@{DIGITS}/digits.npz:x", "--json")[0]
    same(len(json.loads(read)["result"]), 1797)


@test
def a_function_begins_with_the_files_start(folder):
    """Where there is none, and no value is given, it is said what to add."""
    data, line = os.path.join(folder, "d.csv"), "fn loss(p: {w: f64[2], b: f64}, X: f64[m, 2], y: f64[m]) = mean((X @ p.w + p.b - y)^2)\n"
    with open(data, "w") as f:
        f.write("a,b,y\n1,0,3\n0,1,5\n1,1,7\n0,0,1\n")
    write_files(folder, bare=line, begun=line + "fn start(k: key) = {w = f64[2](0), b = 7.0}\n")
    columns = f"X=@{data}:a,b", f"y=@{data}:y"
    holds(call("fit", f"{folder}/begun.por:loss", *columns, "--steps", "1")[0], "step 1  loss ")
    begun = call("fit", f"{folder}/begun.por:loss", *columns, "--steps", "3000", "--rate", "0.05", "--save", f"{folder}/p.npz")[0]
    holds(begun, "step 3000  loss ")
    told = call("fit", f"{folder}/bare.por:loss", *columns, status=2)[1]
    holds(told, "p.w is not given, and there is no `start`; add 'p.w=f64[2](0.0)', sizes as numbers, or to the file fn start(k: key)")
    holds(call("fit", f"{folder}/bare.por:loss", *columns, "p.w=f64[2](0.0)", "p.b=f64(0.0)", "--steps", "5")[0], "step 5  loss ")


@test
def fit_with_an_optimiser_of_ones_own(folder):
    path, data = os.path.join(folder, "line.por"), os.path.join(folder, "d.npz")
    with open(path, "w") as f:
        f.write("fn loss(p: {a: f64, b: f64}, x: f64[m], y: f64[m]) = mean((p.a*x + p.b - y)^2)\n"
                "fn heavy(rate, keep) = {start = (p) => {v = typeof(p)(0)},\n"
                "    step = (p, g, s) => let v = keep*s.v - rate*g in (p + v, {v})}\n"
                "let train = {minimise = loss, by = heavy(0.02, 0.9), steps = 400}\n")
    call("eval", "{x = [0.0, 1.0, 2.0, 3.0], y = [1.0, 3.0, 5.0, 7.0]}", "-o", data)
    model = os.path.join(folder, "m.npz")
    call("fit", f"{path}:train", "p={a = 0.0, b = 0.0}", f"x=@{data}:x", f"y=@{data}:y", "-q", "--save", model)
    got = read_npz(model)
    if abs(got["a"][1][0] - 2) > 1e-3 or abs(got["b"][1][0] - 1) > 1e-3:
        raise Failed(f"{got}")
    got = json.loads(call("fit", f"{path}:loss", "p={a = 0.0, b = 0.0}", f"x=@{data}:x", f"y=@{data}:y", "-q", "--json",
                          "--steps", "20", "--block", "m=3")[0])
    same((got["steps"], got["held_out"]), (20, 0))


LINE = """use optim
fn loss(p: {a: f64}, x: f64[m]) = mean((p.a*x - x)^2)
let none = {minimise = loss, start = (k) => {a = uniform[f64](k)}, steps = 3}
let adam = {minimise = loss, start = (k: key) => {a = uniform[f64](k)}, by = optim.adam(), steps = 3}
let slip = {minimise = loss, start = {a = 0.5}, stepz = 3, steps = 1}
let back = {minimise = loss, start = {a = 0.5}, steps = -4}
let half = {minimise = loss, start = {a = 0.5}, patience = 2.5}
let odd = {minimise = loss, start = {a = 0.5}, seed = 0.1}
"""


@test
def fit_without_an_optimiser(folder):
    """A record or function that names none is fitted by Adam, also where the file uses optim itself; the parameter of a
    `start` without a type is the key."""
    write_files(folder, line=LINE)
    runs = [json.loads(call("fit", f"{folder}/line.por:{name}", "x=[1.0, 2.0]", "-q", "--json")[0]) for name in ("none", "adam")]
    same(runs[0]["loss"], runs[1]["loss"])
    call("fit", f"{folder}/line.por:loss", "x=[1.0, 2.0]", "p={a = 0.5}", "-q", "--steps", "2")
    holds(call("fit", f"{folder}/line.por:slip", "x=[1.0]", "-q")[1], "`stepz` is no field that fit reads")
    for name, says in (("back", "steps: given -4, wanted a whole number, 0 or more, of steps"),
                       ("half", "patience: given 2.5, wanted a whole number, 0 or more, of measurements"),
                       ("odd", "seed: given 0.1")):
        holds(call("fit", f"{folder}/line.por:{name}", "x=[1.0]", "-q", status=1)[1], says)
    holds(call("fit", f"{folder}/line.por:adam", "x=[1.0]", "-q", "--hold", "some", status=1)[1], "hold")


@test
def fit_takes_rate_and_optimiser_from_the_command_line(folder):
    """The same numbers as of a file that has them written; the rate of whatever is written there."""
    text = ("use optim\nfn loss(p: {a: f64, b: f64}, x: f64[m], y: f64[m]) = mean((p.a*x + p.b - y)^2)\n"
            "fn heavy(rate, keep = 0.9) = {start = (p) => {v = typeof(p)(0)},\n"
            "    step = (p, g, s) => let v = keep*s.v - rate*g in (p + v, {v})}\n")
    for name, by in ("adam", "optim.adam()"), ("fast", "optim.adam(rate = 0.5)"), ("own", "heavy(0.1)"), ("named", "heavy(keep = 0.5, rate = 0.1)"):
        text += f"let {name} = {{minimise = loss, by = {by}, steps = 30}}\n"
    text += "let slow = {minimise = loss, by = optim.adam(rate = 1e-3, b1 = 0.9), steps = 30}\nlet record = optim.adam()\n"
    text += "let bare = {minimise = loss, by = record, steps = 30}\n"
    write_files(folder, line=text)
    data = "x=[1.0, 2.0, 3.0]", "y=[3.0, 5.0, 7.0]", "p={a = 0.0, b = 0.0}", "-q", "--json"

    def got(name, *words):
        return {k: v for k, v in json.loads(call("fit", f"{folder}/line.por:{name}", *data, *words)[0]).items() if k != "seconds"}
    fast = got("fast")
    same([got("adam", "--rate", "0.5"), got("slow", "--rate", "0.5"), got("loss", "--rate", "0.5", "--steps", "30"),
          got("own", "--by", "optim.adam()", "--rate", "1/2"), got("bare", "--by", "optim.adam(rate = 0.5)")], [fast]*5)
    same(got("named", "--rate", "0.05"), got("bare", "--by", "heavy(0.05, 0.5)"))
    if got("adam") == fast:
        raise Failed("the rate changes nothing")
    holds(call("fit", f"{folder}/line.por:bare", *data, "--rate", "1", status=2)[1], "by = record is no call with a rate by its name")
    holds(call("fit", f"{folder}/line.por:own", *data, "--by", "optim.adamm()", status=1)[1], "optim has no adamm", "^")
    holds(call("fit", f"{folder}/line.por:own", *data, "--rate", "1", status=2)[1], "no call with a rate")


@test
def progress_has_metric_and_epoch():
    err = call("fit", f"{DIGITS}/digits.por:train", f"X=@{DIGITS}/digits.npz:x", f"y=@{DIGITS}/digits.npz:y", "--steps", "50")
    last = err[1].splitlines()[-1]
    holds(last, "100%  50/50  loss ", "  accuracy 0.", "  epoch 3  ")
    same(err[0].split("accuracy ")[1][:6], last.split("accuracy ")[1][:6])


@test
def fit_errors(folder):
    call("fit", f"{DIGITS}/digits.por:train", status=2)
    call("fit", f"{DIGITS}/digits.por:nothing", status=1)
    holds(call("fit", f"{DIGITS}/digits.por:train", f"X=@{DIGITS}/digits.npz:y", f"y=@{DIGITS}/digits.npz:y", status=1)[1], "X")


UNTYPED = """
use optim
fn loss(p, X, y) = mse(X @ p.w + p.b, y)
fn size(q, X: f64[m, 2]) = norm(q.w)
let begin = (k) => {w = normal[f64[2]](k), b = 0.0}
let full = {minimise = loss, start = begin, show = size, steps = 20}
let bare = {minimise = loss, steps = 5}
let typed = {minimise = (p, X: f64[m, 2], y: f64[m]) => loss(p, X, y), start = begin, block = {m = 2}, steps = 10}
let sgd = {minimise = typed.minimise, start = begin, by = optim.sgd(), block = {m = 2}, steps = 20}
"""


@test
def fit_takes_types_from_values(folder):
    write_files(folder, u=UNTYPED)
    data = ("X=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]", "y=[1.0, 2.0, 4.0]")
    holds(call("fit", f"{folder}/u.por:full", *data, "-q")[0], "step 20  loss", "size ")
    call("fit", f"{folder}/u.por:bare", *data, "p={w = [1.0, 2.0], b = 0.0}", "-q")
    holds(call("fit", f"{folder}/u.por:bare", *data, "-q", status=1)[1], "parameter p has no type")
    call("fit", f"{folder}/u.por:typed", *data, "-q")
    holds(call("fit", f"{folder}/u.por:full", *data, "Z=1", "-q", status=2)[1], "Z is no parameter of full.minimise")


@test
def fit_that_does_nothing_or_fails(folder):
    write_files(folder, u=UNTYPED)
    data = ("X=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]", "y=[1.0, 2.0, 4.0]")
    state, history = f"{folder}/s.npz", f"{folder}/h.csv"
    call("fit", f"{folder}/u.por:typed", *data, "-q", "--save", state)
    holds(call("fit", f"{folder}/u.por:typed", *data, "-q", "--resume", state)[0], "no step of 10 was left")
    same(json.loads(call("fit", f"{folder}/u.por:typed", *data, "-q", "--resume", state, "--json")[0])["loss"], None)
    holds(call("fit", f"{folder}/u.por:sgd", *data, "-q", "--resume", state, status=1)[1], "the state of another optimiser")
    holds(call("fit", f"{folder}/u.por:typed", "X=f64[0, 2](0)", "y=f64[0](0)", "-q", status=1)[1], "no rows: size m is 0")
    bad = (data[0].replace("6.0", "inf"), data[1])
    holds(call("fit", f"{folder}/u.por:full", *bad, "-q", "--history", history, "--save", f"{folder}/n.npz", status=1)[1],
          "the loss is")
    same(len(open(history).read().splitlines()), 2)     # the step that failed is in it, and nothing is saved
    same(os.path.exists(f"{folder}/n.npz"), False)


@test
def fit_of_any_number_of_steps_is_stopped(folder):
    write_files(folder, u=UNTYPED)
    for signal in (2, 15):                              # Ctrl-C, and what `timeout` sends
        fit = start("fit", f"{folder}/u.por:typed", "X=[[1.0, 2.0]]", "y=[1.0]", "--steps", str(2**62),
                    "--save", f"{folder}/{signal}.npz")
        fit.stderr.read(20)                             # it has begun
        fit.send_signal(signal)
        holds(fit.communicate()[1].decode(), "stopped at step")
        same([fit.returncode, os.path.exists(f"{folder}/{signal}.npz")], [128 + signal, True])


@test
def fit_that_ends_early(folder):
    """Noise cannot be learnt: what fits half of the rows soon serves the others worse.  The best of all is what is left."""
    write_files(folder, e="fn loss(p: {w: f64[n]}, X: f64[m, n], y: f64[m]) = mean((X @ p.w - y)^2)\nuse optim\n"
                "let train = {minimise = loss, start = {w = f64[3](0)}, by = optim.sgd(rate = 0.02), steps = 5000, block = {m = 6},\n"
                "    hold = 0.5, patience = 4}\n"
                "let shown = {minimise = loss, start = {w = f64[3](0)}, by = optim.sgd(rate = 0.02), steps = 5000, block = {m = 6},\n"
                "    hold = 0.5, patience = 4, show = loss}\n")
    data = ["X='(scan (i < 12) => {r = normal[f64[3]](key(i))}).r'", "y='normal[f64[12]](key(5))'"]
    data = [w.replace("'", "") for w in data]

    def run(name, *words):
        return json.loads(call("fit", f"{folder}/e.por:{name}", *data, "-q", "--json", *words)[0])

    got = run("shown", "--history", f"{folder}/h.csv", "--save", f"{folder}/m.npz")
    with open(f"{folder}/h.csv") as f:
        rows = [line.split(",") for line in f.read().split("\n")[1:-1]]
    held = [float(r[2]) for r in rows if r[2] and r[2] != "nan"]
    same(min(held), got["loss"])
    if not (1 < got["steps"] < len(rows) < 5000 and held[-1] > min(held)):
        raise Failed(f"{got} after {len(rows)} steps: {held}")
    same(read_npz(f"{folder}/m.npz")["fit.step"][1][0], got["steps"])
    same((run("train")["steps"], run("train")["loss"]), (got["steps"], got["loss"]))
    whole = run("train", "--patience", "0", "--steps", str(got["steps"]), "--save", f"{folder}/w.npz")
    same(read_npz(f"{folder}/w.npz")["w"], read_npz(f"{folder}/m.npz")["w"])
    same(whole["steps"], got["steps"])
    holds(call("fit", f"{folder}/e.por:train", *data, "-q", "--patience", "-1", status=2)[1], "patience")


@test
def fit_in_blocks_of_any_number(folder):
    """A number, names of the file, sizes of the data: of 6 rows with n = 2 all these are blocks of 2."""
    write_files(folder, b="let rows = 2\nfn loss(p: {w: f64[n]}, X: f64[m, n]) = mean((X @ p.w)^2)\n"
                "let train = {minimise = loss, start = {w = [1.0, 1.0]}, steps = 4, block = {m = rows}}\n"
                "let whole = {minimise = loss, start = {w = [1.0, 1.0]}, steps = 4, block = {m = 1.5}}\n")

    def loss(name, *words, status=0):
        return call("fit", f"{folder}/b.por:{name}", "X=[[1, 2], [3, 4], [5, 6], [7, 8], [9, 1], [2, 3]]", "-q", *words,
                    status=status)

    wanted = loss("train")[0].split()[:4]
    for block in ("m=2", "m=rows", "m=n", "m=m//3", "m=2*n - rows"):
        same(loss("train", "--block", block)[0].split()[:4], wanted)
    if loss("train", "--block", "m=3")[0].split()[:4] == wanted:
        raise Failed("blocks of 2 and of 3 give the same")
    for block, says in (("m=0", "block: given m = 0, wanted a whole number of rows, 1 or more"),
                        ("m=n/4", "block: given m = 0.5, wanted a whole number of rows"), ("m=2z", ""),
                        ("m=q", "q: q has no value"), ("k=2", "no array that is given has the size k"),
                        ("n=1", "block: n is a size of p.w, which is fitted")):
        holds(loss("train", "--block", block, status=1)[1], says)
    holds(loss("whole", status=1)[1], "block: given m = 1.5, wanted a whole number of rows")
    for block in ("m", "m=", "=2"):
        holds(loss("train", "--block", block, status=2)[1], f"--block {block}: m=N, a size and how many rows, was wanted")



def write_npz(path, arrays):
    """Pairs of a name and the bytes of an .npy; a name may come twice."""
    with zipfile.ZipFile(path, "w") as z, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, data in arrays:
            z.writestr(name + ".npy", data)


def npy(folder, descr, shape, data):
    write_npy(f"{folder}/one.npy", descr, shape, data)
    with open(f"{folder}/one.npy", "rb") as f:
        return f.read()


@test
def fit_believes_nothing_of_a_state(folder):
    """Each array of a saved state in turn is left out, given twice, of another type or size, or no finite number."""
    write_files(folder, u=UNTYPED)
    fit = ("fit", f"{folder}/u.por:full", "X=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]", "y=[1.0, 2.0, 4.0]", "-q")
    good, bad = f"{folder}/good.npz", f"{folder}/bad.npz"
    call(*fit, "--save", good)
    call(*fit, "--resume", good)
    with zipfile.ZipFile(good) as z:
        arrays = [(name[:-4], z.read(name)) for name in z.namelist()]
    number = lambda x: npy(folder, "<i8", "()", struct.pack("<q", x))

    def refused(changed, *parts):
        write_npz(bad, changed)
        holds(call(*fit, "--resume", bad, status=1)[1], "bad.npz: ", *parts)

    for k, (name, data) in enumerate(arrays):
        def put(new):
            return arrays[:k] + [(name, new)] + arrays[k + 1:]
        if name != "fit.program":                       # older states have none
            refused(arrays[:k] + arrays[k + 1:], name)
        refused(arrays + [(name, data)], f"two arrays are called {name}")
        for other in (npy(folder, "|u1", "()", b"\x07"), npy(folder, "<i8", "(0,)", b""), npy(folder, "<f4", "(3,)", bytes(12)),
                      npy(folder, "<i8", "(2,)", bytes(16))):
            refused(put(other), name, "wanted")
        shape, values = parse_npy(data)
        if b"<f8" in data[:80]:
            for x in (float("nan"), float("inf"), float("-inf")):
                worse = [x] + values[1:]
                refused(put(npy(folder, "<f8", str(tuple(shape)), struct.pack(f"<{len(worse)}d", *worse))), name, "finite")
        if name == "fit.step":
            for x in (-1, -2**63):
                refused(put(number(x)), f"fit.step is {x}; 0 or more is wanted")
            write_npz(bad, put(number(2**63 - 1)))
            call(*fit, "--resume", bad)                 # no step is left
        if name == "fit.program":
            refused(put(number(1)), "the state of another program", "takes the parameters alone")
    refused(arrays + [("more", number(1))], "more is no array of this fit")


main(__doc__)
