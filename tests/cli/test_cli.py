#!/usr/bin/env python3
"""Runs the built command: outputs, exit codes, messages, files, fits.

    test_cli.py PORISM [NAME...]        the command, and tests whose names hold one of NAME

Prints what failed and, last, `N passed, N failed`.  Needs Python alone.
"""

import ast
import collections
import ctypes
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
DIGITS = os.path.join(EXAMPLES, "digits")
PORISM = None
tests = []


class Failed(Exception):
    pass


def test(function):
    tests.append(function)
    return function


def call(*words, status=0):
    """Runs the command; the exit status must be this one.  Gives its output and its messages."""
    p = subprocess.run([PORISM, *words], capture_output=True, text=True, timeout=300)
    if p.returncode != status:
        raise Failed(f"{words}: status {p.returncode}, not {status}: {p.stdout[-500:]}{p.stderr[-500:]}")
    return p.stdout, p.stderr


def same(got, wanted):
    if got != wanted:
        raise Failed(f"{got!r}, not {wanted!r}")


def holds(text, *parts):
    for part in parts:
        if part not in text:
            raise Failed(f"{part!r} is not in {text!r}")


def evaluates(expression, wanted, *words):
    same(call("eval", expression, *words)[0], wanted + "\n")


def write_npy(path, descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def parse_npy(data):
    n = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + n].decode())
    code = {"<f8": "d", "<f4": "f", "<i8": "q", "<i4": "i", "|u1": "B"}[header["descr"]]
    return header["shape"], list(struct.unpack(f"<{(len(data) - 10 - n) // struct.calcsize(code)}{code}", data[10 + n:]))


def read_npz(path):
    with zipfile.ZipFile(path) as z:
        return {name[:-4]: parse_npy(z.read(name)) for name in z.namelist()}


# ---- eval and what it prints ------------------------------------------------------------------------------


@test
def eval_scalars():
    evaluates("1 + 2", "3")
    evaluates("1/3", "0.3333333333333333")
    evaluates("sqrt(2)", "1.4142135623730951")
    evaluates("2.0", "2.0")
    evaluates("1 < 2", "true")


@test
def eval_values():
    evaluates("sum(x^2)", "14.0", "x=[1.0, 2.0, 3.0]")
    evaluates("x + 1", "3", "x=2")
    evaluates("X @ w", "[5.0, 11.0]", "X=[[1.0, 2.0], [3.0, 4.0]]", "w=[1.0, 2.0]")
    evaluates("p.a*p.b", "6.0", "p={a = 2.0, b = 3.0}")
    evaluates("p.a*p.b", "6.0", "p.a=2.0", "p.b=3.0")


@test
def eval_of_a_minus():
    evaluates("-sum(x)", "-1.5", "x=[1.5]")
    evaluates("-1", "-1")
    evaluates("-0.0", "-0.0")


@test
def results_read_back():
    for text in ["0.1", "1e300", "5e-324", "-0.0", "nan", "inf", "-inf", "3", "-7", "true", "[1, 2]", "[1.5, -0.0]",
                 "[[1.0, 2.0], [3.0, 4.0]]", "f32(0.1)", "f32[2]([0.1, 1e-45])", "u8[2]([1, 200])", "f64[0, 3](0)",
                 "{a = 1, b = (2.5, true)}", "{w = [1.0, 2.0], b = f32(3.0)}", "(1, 2.0)", "f32(nan)",
                 "i32(2147483647)", "bool[0](false)", "f32(16777216.0)", "f16(0.1)", "bf16(3.14)", "f32(1)/3",
                 "-9223372036854775807 - 1", "bit_not(u64(0))", "bit_not(u64[2]([0, 7]))", "exp([1.0, 2.0, -700.0])", "i64(2)^62"]:
        once = call("eval", text)[0]
        same(call("eval", once.strip())[0], once)


@test
def keys_read_back():
    """A key is two words; of a seed the second is 0.  What is drawn from the text is what is drawn from the key."""
    for text in ("key(7)", "key(3)[2]", "key(3)[2][1]", "[key(1), key(2)[3]]", "key[2](5)[1]"):
        printed = call("eval", text)[0].strip()
        same(call("eval", printed)[0].strip(), printed)
        draw = "uniform[f64](%s)" if not text.startswith("[") else "uniform[f64](%s[1])"
        same(call("eval", draw % printed)[0], call("eval", draw % text)[0])
    evaluates("key[2](7)", "[key(7), key(7)]")
    evaluates("key(1, -5)", "key(1, -5)")
    # the graph's own constants print so, too
    holds(call("explain", "uniform[f64](key(1, -5))", "--stage", "algebra")[0], "uniform[f64](key(1, -5))")
    holds(call("explain", "key[3](1, -5)[i]", "i: i64", "--stage", "merge")[0], "key[3](1, -5)[i]")


@test
def sizes_tell_one_another(folder):
    """m of m + n is 3 - 2 when the program is called with arrays, in any order of the parameters."""
    write_files(folder, sizes="""
fn f(x: f64[m + n, n]) = f64(m)
fn g(x: f64[m + n], y: f64[n]) = f64(m)
fn h(x: f64[m + n]) = sum(x)
""")
    path = os.path.join(folder, "sizes.por")
    same(call("run", path + ":f", "x=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]")[0], "1.0\n")
    same(call("run", path + ":g", "x=[1.0, 2.0, 3.0]", "y=[1.0, 2.0]")[0], "1.0\n")
    holds(call("run", path + ":h", "x=[1.0]", status=1)[1], "m + n does not tell m and n apart")


# What the letters of docs/operators.md stand for where it is not a vector of floats.
LETTERS = {"X": "[[1.5, 2.0], [0.0, 2.5]]", "Y": "[[1.5, 2.0], [0.0, 2.5]]", "b": "[1.5, 2.0]", "v": "[1.5, 2.0]",
           "i": "[1, 0]", "s": "7", "k": "key(7)", "c": "[true, false]", "x": "[1.5, 2.0, 0.5]", "y": "[1.5, 2.0, 0.5]",
           "z": "[1.5, 2.0, 0.5]", "t": "(1.5, 2.0)"}
LETTERS_OF = {"and": "[true, false]", "or": "[true, false]", "not": "[true, false]", "ANY": "[true, false]",
              "ALL": "[true, false]", "BIT_AND": "[5, 3]", "BIT_OR": "[5, 3]", "BIT_XOR": "[5, 3]", "BIT_NOT": "[5, 3]",
              "SHIFT_LEFT": "[5, 3]", "SHIFT_RIGHT": "[5, 3]", "POPCOUNT": "[5, 3]", "RESHAPE": "[[1.5, 2.0]]",
              "TRANSPOSE": "[[1.5, 2.0]]", "GATHER": "[1.5, 2.0]", "SCATTER_ADD": "[1.5, 2.0]", "WHERE": "[1.5, 2.0]",
              "SCATTER_SET": "[1.5, 2.0]", "KEY_AT": "[1, 0]", "AND": "[true, false]", "OR": "[true, false]",
              "NOT": "[true, false]", "BITCAST": "1.5"}


@test
def the_forms_of_the_operators_page_evaluate():
    """Every form of the column `written` of docs/operators.md parses and gives a value."""
    page = open(os.path.join(HERE, "..", "..", "docs", "operators.md")).read()
    count = 0
    for name, forms in re.findall(r"^\| \d+ `(\w+)` \| ([^|]*(?:`[^`]*`[^|]*)*)\|", page, re.M):
        for form in re.findall(r"`([^`]+)`", forms.replace("\\|", "|")):
            if form == "f(x)":
                continue
            words = re.findall(r"[A-Za-z]\w*", re.sub(r"let \(a, b\) = t in a", "t", form))
            given = {w: LETTERS_OF.get(name, LETTERS[w]) if w in "xyz" else LETTERS[w] for w in words if w in LETTERS}
            if name in ("SCAN", "GAMMA_DRAW"):
                given = {w: given[w] for w in ("x", "k") if w in given}
            if form.startswith("einsum"):
                given = {w: given[w] for w in "XY"}
            form = re.sub(r"\bn\b", "2", re.sub(r"\bm\b", "1", form)) if not form.startswith("let") else form
            call("eval", form, *(f"{w}={v}" for w, v in given.items()))
            count += 1
    if count < 150:
        raise Failed(f"only {count} forms")


@test
def a_flip_without_axes_turns_all():
    evaluates("flip([[1, 2], [3, 4]])", "[[4, 3],\n [2, 1]]")
    evaluates("flip([1, 2, 3])", "[3, 2, 1]")


@test
def triangular_solves_of_vectors_and_batches():
    """[[1, 2], [0, 4]] z = (1, 2): z1 = 1/2, z0 = 1 - 2/2; each matrix of a batch takes the same vector."""
    evaluates("tri_solve[upper]([[1, 2], [0, 4]], [1, 2])", "[0.0, 0.5]")
    evaluates("tri_solve[lower]([[[1, 2], [0, 4]], [[1, 0], [1, 1]]], [1, 2])", "[[1.0, 0.5],\n [1.0, 1.0]]")
    evaluates("tri_solve[upper](A, b)", "f32[2]([0.0, 0.5])", "A=f32[2, 2]([[1, 2], [0, 4]])", "b=f32[2]([1, 2])")
    evaluates("tri_solve[lower]([[1, 2], [0, 4]], [[[1], [2]], [[3], [4]]])[:, :, 0]", "[[1.0, 0.5],\n [3.0, 1.0]]")
    holds(call("eval", "tri_solve[upper](f64[2, 2](1), [1.0, 2.0, 3.0])", status=1)[1], "given f64[2, 2] and f64[3]")
    # d/db of sum(z) solves the turned system: w0 = 1, 2*w0 + 4*w1 = 1
    evaluates("grad(sum(tri_solve[upper](A, b)), b)", "[1.0, -0.25]", "A=[[1.0, 2.0], [0.0, 4.0]]", "b=[1.0, 2.0]")


@test
def means_of_integers_and_halves():
    """NumPy's: integers and bools in f64, so that nothing wraps; f16 and bf16 summed in f32."""
    evaluates("mean(bit_not(u64[2](0)))", "1.8446744073709552e+19")
    evaluates("mean(i64[4](2)^62)", "4.611686018427388e+18")
    evaluates("mean[0]([[true, false], [true, true]])", "[1.0, 0.5]")
    evaluates("mean(x)", "f16(1000.0)", "x=f16[2, 100](1000)")     # the sum, 200000, is past f16's largest number
    evaluates("variance(x)", "f16(2500.0)", "x=f16[4]([950, 1050, 950, 1050])")
    evaluates("variance[less = 1]([1, 2, 4])", "2.3333333333333335")


@test
def densities_outside_their_support(folder):
    """-inf there with derivative 0, in value and derivative no NaN.  The values inside are scipy.stats' to 8 digits."""
    inside = {"gamma(x, 2.5, 1.5)": (0.5, -1.06074087), "inverse_gamma(x, 2.0, 1.5)": (0.5, -0.10962824),
              "beta(x, 2.5, 1.5)": (0.5, 0.24156447), "exponential(x, 2)": (0.5, -0.30685282),
              "lognormal(x, 0.5, 2)": (0.5, -1.09688856), "half_normal(x, 2)": (0.5, -0.95018853),
              "half_cauchy(x, 2)": (0.5, -1.20535451), "poisson(x, 2)": (3.0, -1.71231793),
              "geometric(x, 0.3)": (1.0, -1.56064775), "negative_binomial(x, 3, 0.4)": (1.0, -2.16108553),
              "binomial(x, 3, 0.4)": (1.0, -0.83932969), "bernoulli(x, 0.4)": (1.0, -0.91629073)}
    whole = "".join(f"fn v{i}(x: f64[n]) = logp.{e}\nfn g{i}(x: f64[n]) = grad(sum(logp.{e}), x)\n"
                    for i, e in enumerate(inside))
    write_files(folder, densities="use logp\n" + whole)
    for i, (at, value) in enumerate(inside.values()):
        path = os.path.join(folder, "densities.por")
        got = ast.literal_eval(call("run", f"{path}:v{i}", f"x=[-1.5, -1.0, {at}]")[0].replace("-inf", "-9e999"))
        if got[0] != -float("inf") or got[1] != -float("inf") or abs(got[2] - value) > 1e-8:
            raise Failed(f"{list(inside)[i]}: {got}")
        got = ast.literal_eval(call("run", f"{path}:g{i}", f"x=[-1.5, -1.0, {at}]")[0])
        if got[:2] != [0, 0]:
            raise Failed(f"derivative of {list(inside)[i]}: {got}")
    same(call("run", path + ":v0", "x=[inf, 0.0]")[0], "[-inf, -inf]\n")
    same(call("run", path + ":v4", "x=[inf, 0.0]")[0], "[-inf, -inf]\n")


@test
def slices_with_steps_print_as_they_are_written():
    """The stop of a symbolic axis is left out where the slice goes to its end; what is printed is the same slice."""
    for text, wanted in (("x[::2]", "x[::2]"), ("x[::-1]", "x[::-1]"), ("x[2::3]", "x[2::3]"), ("x[-3::2]", "x[-3::2]"),
                         ("x[6:1:-2]", "x[6:1:-2]"), ("x[3::-1]", "x[3::-1]"), ("x[-2::-1]", "x[-2::-1]")):
        same(call("explain", text, "x: f64[n]", "--stage", "stable")[0].split(" = ")[1], wanted + "\n")
    evaluates("x[::-1]", "f64[0](0)", "x=f64[0](0)")
    evaluates("x[::-3]", "f64[0](0)", "x=f64[0](0)")


@test
def literals_to_negative_powers():
    evaluates("2^-1", "0.5")
    evaluates("[2, 4]^-1", "[0.5, 0.25]")
    holds(call("eval", "x^-1", "x=2", status=1)[1], "an integer to the power -1")


@test
def a_size_that_is_too_large_is_named_if_there_is_one():
    says = call("eval", "f64[1000000, 1000000, 1000000](1)", status=1)[1]
    holds(says, "an array of 1000000000000000000 elements of f64 is too large")
    if "is 0" in says:
        raise Failed(says)


@test
def products_with_zeros_have_second_derivatives():
    """d2(xyz)/dx dy is z, whether a factor is 0 or not."""
    evaluates("hessian(prod(x), x)[1]", "[3.0, 0.0, 2.0]", "x=[2.0, 0.0, 3.0]")
    evaluates("hessian(prod(x), x)[1]", "[3.0, 0.0, 0.0]", "x=[0.0, 0.0, 3.0]")
    evaluates("hessian(prod(x), x)[1]", "[3.0, 0.0, 2.0]", "x=[2.0, 5.0, 3.0]")


@test
def elu_is_smooth_at_zero():
    evaluates("grad(elu(x), x)", "1.0", "x=0.0")   # exp(x) from the left, 1 from the right


@test
def tiers_take_einsum_of_any_names():
    # a diagonal, a name of one operand alone: the same in every tier
    for tier in ["interpret", "native", "reference"]:
        same(call("eval", "einsum[(i, j, i), (k,), (j,)](X, v)", "X=f64([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])",
                  "v=[1.0, 10.0]", "--tier", tier)[0], "[77.0, 121.0]\n")  # (1 + 6)*11, (3 + 8)*11


@test
def tiers_take_many_computed_indices():
    # A[i, j, k, l] is the row-major number 2*27 + 1*9 + 0*3 + 2
    for tier in ["interpret", "native", "reference"]:
        same(call("eval", "reshape[3, 3, 3, 3](x)[i, j, k, l]", "x=f64(iota[81]())", "i=2", "j=1", "k=0", "l=2",
                  "--tier", tier)[0], "65.0\n")


@test
def parts_of_what_no_kernel_holds_are_stored_first():
    # as written: a slice of a product of a fold is part of a concatenation; column sums 8, 8, 8 times 3, then x[0]
    for tier in ["interpret", "native", "reference"]:
        evaluates("concat((outer(sum[0](z), y)[:, 0])[1:], x[:1])", "[24, 24, 2]", "x=[2, 2, 2]", "y=[3, 3]",
                  "z=[[4, 4, 4], [4, 4, 4]]", "--no-rules", "--tier", tier)


@test
def eval_complex():
    same(call("eval", "complex(f64(1.0), f64(-0.5))*2")[0], "complex(f64(2.0), f64(-1.0))\n")
    out, told = call("eval", "z*conj(z)", "z=[1+2i]")
    same(out, "complex(f64[1]([5.0]), f64[1]([0.0]))\n")
    same(told.count("reference tier"), 1)  # of the expression, not of its argument too
    same(call("eval", "z*conj(z)", "z=[1+2i]", "--tier", "reference"), (out, ""))


@test
def eval_json():
    got = json.loads(call("eval", "--json", "{a = [1.5, nan], b = 2}")[0])
    same(got["result"], {"a": [1.5, "nan"], "b": 2})
    same(got["type"], "{a: f64[2], b: i64}")


@test
def tiers_agree():
    wanted = call("eval", "sum(exp(x)*tanh(x))", "x=[0.1, 2.0, -3.0]")[0]
    for tier in ["interpret", "native", "reference", "background"]:
        same(call("eval", "sum(exp(x)*tanh(x))", "x=[0.1, 2.0, -3.0]", "--tier", tier)[0], wanted)
        same(call("eval", "sum(exp(x)*tanh(x))", "x=[0.1, 2.0, -3.0]", f"--tier={tier}", "--threads", "2")[0], wanted)


# ---- usage and errors ------------------------------------------------------------------------------------------


@test
def usage_errors():
    for words in [[], ["bogus"], ["eval"], ["eval", "--bogus", "x"], ["eval", "x"], ["eval", "x+1", "x=1", "z=2"],
                  ["eval", "x", "x=1", "x=2"], ["eval", "1", "--tier", "quick"], ["eval", "1", "--threads", "many"],
                  ["eval", "1", "-o"], ["run", f"{EXAMPLES}/hmm.por"], ["rules", "bogus"], ["cache"], ["check"],
                  ["grad", "x*y"], ["explain", "1", "--show", "bogus"], ["eval", "1", "two words"]]:
        out, err = call(*words, status=2)
        if not err:
            raise Failed(f"{words}: no message")


@test
def help_everywhere():
    holds(call("--help")[0], "eval", "fit", "rules")
    for command in "eval run grad explain fit build rules view check cache".split():
        holds(call(command, "--help")[0], f"porism {command}", "--json")
    holds(call("--version")[0], "porism 0.")


@test
def environment_errors():
    for words in [["run", "/nowhere/f.por:f"], ["eval", "x", "x=@/nowhere/x.npy"], ["eval", "1.0", "-o", "/nowhere/x.npy"]]:
        holds(call(*words, status=3)[1], "/nowhere/")


@test
def errors_have_a_caret(folder):
    same(call("eval", "sum(x", status=1)[1].split("\n")[1:3], ["    sum(x", "         ^"])
    path = os.path.join(folder, "bad.por")
    with open(path, "w") as f:
        f.write("fn f(X: f64[m, n], p: f64[k]) =\n    X @ p\n")
    err = call("run", f"{path}:f", "X=[[1.0]]", "p=[1.0, 2.0]", status=1)[1]
    holds(err, "bad.por:2:5: X @ p: inner sizes differ", "\n        X @ p\n        ^")
    got = json.loads(call("run", "--json", f"{path}:f", "X=[[1.0]]", "p=[1.0, 2.0]", status=1)[0])
    same(got["error"]["line"], 2)


def write_files(folder, **texts):
    for name, text in texts.items():
        with open(os.path.join(folder, name + ".por"), "w") as f:
            f.write(text)


@test
def files_use_files(folder):
    os.mkdir(os.path.join(folder, "net"))
    write_files(folder, main="use layers\nuse units\n"
                "fn f(p: layers.dense[n], x: f64[n]) = layers.apply(p, x) + units.half(1.0)\n"
                "fn slope(x: f64[n]) = layers.swish(x)\n"
                "fn same(x: f64[n]) = layers.halve(layers.double(x))\n",
                layers="use units\ntype dense[n] = {w: f64[n], b: f64}\nop swish(x) = x*sigmoid(x)\nop double(x) = 2*x\nop halve(x) = x/2\n"
                "fn apply(p: dense[n], x: f64[n]) = units.half(dot(p.w, x)) + p.b\n"
                "book near: algebra\nback: halve(double(x)) => x   real\n",
                units="fn half(x: f64) = x/2\nfn single(x: f32, k: i32) = x*k\nfn root(x: f64 if x >= 0) = sqrt(x)\n")
    main = os.path.join(folder, "main.por")
    for tier in "interpret", "native":  # (1*3 + 2*4)/2 + 1 + 1/2
        same(call("run", f"{main}:f", "p={w=[1.0, 2.0], b=1.0}", "x=[3.0, 4.0]", "--tier", tier)[0], "7.0\n")
        same(call("run", f"{main}:slope", "x=[0.0]", "--tier", tier)[0], "[0.0]\n")
    # a function of a module that the file uses, by the dtypes that it declares
    same(call("run", f"{main}:units.half", "x=3")[0], "1.5\n")
    same(call("run", f"{main}:units.single", "x=1.5", "k=2")[0], "f32(3.0)\n")
    holds(call("run", f"{main}:units.root", "x=-1", status=1)[1], "x = -1, which breaks its promise: 0 <= x")
    holds(call("run", f"{main}:units.none", "x=1", status=1)[1], "units.por: there is no none")
    holds(call("explain", f"{main}:same")[0], "algebra: back: ")
    holds(call("rules", "check", os.path.join(folder, "layers.por"))[0], "1 rules hold, 0 fail")
    holds(call("rules", "list", main)[0], f"{folder}/layers.por:8")
    same(call("rules", "list", main, "--rules", f"{folder}/layers.por")[0].count("layers.por:8"), 1)  # it is used already
    # `use` in a file that --rules reads is beside that file
    write_files(os.path.join(folder, "net"), rules="use own\nbook mine: algebra\nback: own.back(own.back(x)) => x\n",
                own="op back(x) = -x\n")
    holds(call("rules", "list", "--rules", f"{folder}/net/rules.por")[0], "net/rules.por:3")


@test
def errors_of_used_files(folder):
    write_files(folder, first="use second\nfn f(x: f64) = second.f(x)\n", second="# why\n  use third\n", third="use first\n",
                none="fn f(x: f64) = x\nuse nothing\n", bad="use worse\nfn f(x: f64) = worse.f(x)\n",
                worse="# why\nfn f(x: f64) = x + [1.0, 2.0] @ [1.0]\n", rules="use wrong\n",
                wrong="book mine: algebra\nwrong: foo(x) => x\n")

    def fault(name, status, *parts):
        holds(call("run", os.path.join(folder, name) + ".por:f", "x=1.0", status=status)[1].replace(folder + "/", ""), *parts)

    fault("first", 1, "third.por:1:5: use first: ", "first.por uses second.por uses third.por uses first.por\n",
          "\n    use first\n        ^")
    fault("none", 3, "none.por:2:5: use nothing: the library has no such module, and nothing.por cannot be read: No such file",
          "\n    use nothing\n        ^")
    fault("bad", 1, "worse.por:2:20: [1.0, 2.0] @ [1.0]: inner sizes differ", "\n    fn f(x: f64) = x + [1.0, 2.0] @ [1.0]\n"
          + " "*23 + "^")
    holds(call("eval", "1.0", "--rules", os.path.join(folder, "rules.por"), status=1)[1], "wrong.por:2:8: rule wrong: ",
          "\n    wrong: foo(x) => x\n           ^")


@test
def no_colour_when_piped():
    out, err = call("eval", "sum(x", status=1)
    if "\x1b" in out + err:
        raise Failed("an escape sequence")


# ---- files -----------------------------------------------------------------------------------------------------------


@test
def arrays_in_and_out(folder):
    path, result = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npy")
    write_npy(path, "<f8", (2, 2), struct.pack("<4d", 1, 2, 3, 4))
    same(call("eval", "x.T", f"x=@{path}", "-o", result)[0], "")
    with open(result, "rb") as f:
        same(parse_npy(f.read()), ((2, 2), [1.0, 3.0, 2.0, 4.0]))
    write_npy(path, "|u1", (3,), bytes([1, 2, 250]))
    evaluates("f64(x)*2", "[2.0, 4.0, 500.0]", f"x=@{path}")


@test
def structures_in_and_out(folder):
    path = os.path.join(folder, "p.npz")
    call("eval", "{w = [1.0, 2.0], b = 3.0}", "-o", path)
    same(read_npz(path), {"w": ((2,), [1.0, 2.0]), "b": ((), [3.0])})
    evaluates("p.w*p.b", "[3.0, 6.0]", f"p=@{path}")
    evaluates("w", "[1.0, 2.0]", f"w=@{path}:w")
    holds(call("eval", "w", f"w=@{path}:v", status=3)[1], "w", "b")


@test
def csv_columns(folder):
    path = os.path.join(folder, "t.csv")
    with open(path, "w") as f:
        f.write("a,b\n1,2\n3,4.5\n")
    evaluates("b", "[2.0, 4.5]", f"b=@{path}:b")


@test
def values_take_the_declared_dtype(folder):
    path = os.path.join(folder, "f.por")
    with open(path, "w") as f:
        f.write("fn f(x: f32[n], k: i32, scale: f32 = 2.0) = x*scale + k\n")
    same(call("run", f"{path}:f", "x=[1, 2]", "k=1")[0], "f32[2]([3.0, 5.0])\n")
    same(call("run", f"{path}:f", "x=[1, 2]", "k=1", "scale=0.5")[0], "f32[2]([1.5, 2.0])\n")
    holds(call("run", f"{path}:f", "x=[1, 2]", "k=1.5", status=1)[1], "k", "i32", "1.5")


# ---- run, grad, explain ------------------------------------------------------------------------------------------------


@test
def viterbi():
    got = call("run", f"{EXAMPLES}/hmm.por:viterbi",
               "p={first = log([0.6, 0.4]), move = log([[0.7, 0.3], [0.4, 0.6]]), "
               "emit = log([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])}", "seen=[0, 1, 2]")[0]
    holds(got, "{path = [0, 0, 1], score = -4.19")


@test
def leapfrog_keeps_the_energy():
    got = json.loads(call("run", "--json", f"{EXAMPLES}/leapfrog.por:pendulum", "q=1.0", "p=0.0", "ε=0.1", "steps=100")[0])
    if not abs(got["result"]["drift"]) < 1e-4:
        raise Failed(f"drift {got['result']['drift']}")


@test
def keys_come_from_the_seed():
    words = ["run", f"{EXAMPLES}/logistic.por:init", "n=3"]
    same(call(*words, "--seed", "5")[0], call(*words, "k=key(5)")[0])
    if call(*words, "--seed", "5")[0] == call(*words, "--seed", "6")[0]:
        raise Failed("two seeds give the same draws")


DRAWS = """
fn floats[T](k: key) = {u = uniform_open[T[50]](k[0]), e = exponential[T[50]](k[1]), g = gamma_draw(k[2], T[50](0.4)),
    n = normal[T[50]](k[3])}
fn halves(k: key) = {a = floats[f16](k), b = floats[bf16](k)}
fn wholes(k: key) = {a = floats[f32](k), b = floats[f64](k)}
fn shapes(k: key, s: f64[m, n]) = gamma_draw(k, s)
fn by_keys(k: key, s: f64[n]) = gamma_draw(k[iota[n]()], s)
fn categories(k: key) = categorical(f32[20000, 4](log([0.1, 0.2, 0.7, 0])), k)
fn orders(k: key) = (scan (t = 0, i in iota[6000]()) =>
    let p = permutation[3](k[i]) in {t = t, out = 9*p[0] + 3*p[1] + p[2]}).out
fn many(k: key) = let p = permutation[5000](k) in {p, sorted = get[0](top_k[5000](p))}
fn few(k: key) = {none = permutation[0](k), one = permutation[1](k)}
fn drawn(s: f64) = gamma_draw(key(1), s)
fn slope(s: f64) = grad(drawn, s)
"""


def whole_numbers(text):
    return [int(x) for x in re.findall(r"-?\d+", text)]


@test
def draws(folder):
    """Every draw is the same in every tier; frequencies of what is drawn follow the probabilities."""
    write_files(folder, draws=DRAWS)
    file = os.path.join(folder, "draws.por")
    for name in ("halves", "wholes", "categories", "many"):
        holds(call("check", f"{file}:{name}", "k=key(5)")[0], "differ 0")
    for name in ("shapes", "by_keys"):
        holds(call("check", f"{file}:{name}", "k=key(5)", "s=[[0.5, 2.0], [3.0, 40.0]]" if name == "shapes" else "s=[1, 2]")[0],
              "differ 0")
    same(call("run", f"{file}:shapes", "k=key(5)", "s=[[1.5, 2]]")[0].replace("[[", "[").replace("]]", "]"),   # k[i] in row order
         call("run", f"{file}:by_keys", "k=key(5)", "s=[1.5, 2]")[0])
    # 20000 draws: 2000, 4000 and 14000 expected, deviations 42, 57 and 65; five of them allowed; what has probability 0 never
    drawn = collections.Counter(whole_numbers(call("run", f"{file}:categories", "k=key(5)")[0]))
    for category, want, deviation in ((0, 2000, 42), (1, 4000, 57), (2, 14000, 65)):
        if abs(drawn[category] - want) > 5*deviation:
            raise Failed(f"category {category}: {drawn[category]} times, not about {want}")
    same(drawn[3], 0)
    # 6 orders of three, 1000 of each expected; chi-square of 5 degrees is above 30 once in 10^5
    met = collections.Counter(whole_numbers(call("run", f"{file}:orders", "k=key(5)")[0]))
    same(sorted(met), [5, 7, 11, 15, 19, 21])           # 012 021 102 120 201 210 to base 3
    if sum((n - 1000)**2/1000 for n in met.values()) > 30:
        raise Failed(f"orders of three: {met}")
    got = whole_numbers(call("run", f"{file}:many", "k=key(5)")[0])
    same(got[5000:], list(range(4999, -1, -1)))
    same(call("run", f"{file}:few", "k=key(5)")[0], "{none = i64[0](0), one = [0]}\n")


@test
def draws_refuse(folder):
    evaluates("gamma_draw(key(1), -1.0)", "nan")
    for expression, message in (
            ("gamma_draw(1, 2.0)", "gamma_draw: given a whole number and f64, wanted a key"),
            ("gamma_draw(key(1), true)", "gamma_draw: given key and bool, wanted keys and shapes of a float dtype"),
            ("gamma_draw[f64](key(1), 2.0)", "gamma_draw takes nothing in brackets"),
            ("exponential[i32](key(1))", "exponential: given key, wanted one key and a float dtype")):
        holds(call("eval", expression, status=1)[1], message)
    write_files(folder, draws=DRAWS)
    holds(call("run", os.path.join(folder, "draws.por:slope"), "s=2", status=1)[1], "no derivative rule for gamma_draw")


@test
def grad_prints_mathematics():
    out = call("grad", "sum(log(1 + exp(-y*(X @ w))))", "--wrt", "w")[0]
    if out.count("\n") != 1 or len(out) > 81:
        raise Failed(f"no short line: {out!r}")
    values = ["X=[[1.0, 2.0], [3.0, -4.0]]", "w=[0.5, -0.25]", "y=2.0"]
    got = json.loads(call("eval", "--json", out.strip(), *values)[0])["result"]
    down = [json.loads(call("eval", "--json", "sum(log(1 + exp(-y*(X @ w))))", values[0], f"w=[{a}, {b}]", "y=2.0")[0])["result"]
            for a, b in [(0.5 + 1e-6, -0.25), (0.5 - 1e-6, -0.25), (0.5, -0.25 + 1e-6), (0.5, -0.25 - 1e-6)]]
    for g, d in zip(got, [(down[0] - down[1]) / 2e-6, (down[2] - down[3]) / 2e-6]):
        if abs(g - d) > 1e-6:
            raise Failed(f"{got}, and by differences {d}")


@test
def grad_of_whole_numbers():
    """A variable that is given as 2 is 2.0: d(x*y)/dx = y = 3, d(x*y)/dy = x = 2."""
    same(call("grad", "x*y", "--wrt", "x,y", "x=2", "y=3")[0].split("\n")[1], "{x = 3.0, y = 2.0}")


@test
def grad_by_names_that_are_there():
    same(call("grad", "p.a*p.b^2", "p: {a: f64, b: f64}", "--wrt", "p.a")[0], "p.b^2\n")
    for words in (["x*y", "--wrt", "q"], ["x*y", "--wrt", "x,q"], [f"{EXAMPLES}/logistic.por:loss", "--wrt", "q"]):
        holds(call("grad", *words, status=2)[1], "--wrt q: the variables are ")


@test
def grad_with_values():
    same(call("grad", "x^3", "x=2.0")[0].split("\n")[1], "12.0")
    same(json.loads(call("grad", "--json", "x^2*y", "--wrt", "x,y", "x=3.0", "y=2.0")[0])["result"], {"x": 12.0, "y": 9.0})
    holds(call("grad", f"{EXAMPLES}/logistic.por:loss")[0], "sigmoid", "w =", "b =")


@test
def stages_and_derivatives_keep_structures(folder):
    """A stage prints the function as it is declared; an element of a tuple is get[i](t), which parses again."""
    write_files(folder, kept="""
fn f(p: {w: f64[n], b: f64}, x: f64[n]) = {s = sum(p.w*x), b = p.b}
fn g(t: (f64, (f64[n], {a: f64}))) = let (a, b) = t in let (c, d) = b in a*sum(c)*d.a
""")
    path = os.path.join(folder, "kept.por")
    holds(call("explain", path + ":f", "--stage", "stable")[0],
          "fn f(p: {w: f64[n], b: f64}, x: f64[n]) -> {s: f64, b: f64} =", "{s = sum(p.w*x), b = p.b}")
    printed = call("grad", path + ":g")[0]
    holds(printed, "fn g_gradient(t: (f64, (f64[n], {a: f64}))) -> (f64, (f64[n], {a: f64})) =", "get[0](get[1](t))")
    write_files(folder, again=printed)
    same(call("run", os.path.join(folder, "again.por") + ":g_gradient", "t=(2.0, ([1.0, 2.0], {a = 3.0}))")[0],
         "(9.0, ([6.0, 6.0], {a = 6.0}))\n")       # sum(c)*a, t0*a for each, t0*sum(c)
    evaluates("let (a, b) = t in a*b", "3.0", "t=(1.5, 2)")


@test
def rules_name_library_ops_with_structures():
    """layer_norm's structure may be written out or named; a default left out is matched by its value alone."""
    types = ("x: f32[m, n]", "g: f32[n]", "b: f32[n]", "--stage", "stable")
    norm = "layer_norm({gain = g, bias = b}, 2*x)"
    for rule in ("layer_norm(p, 2*x) => p.bias approx(1e9)", "layer_norm({gain = g, bias = b}, 2*x) => b approx(1e9)",
                 "layer_norm(b, g, 2*x, 1e-5) => b approx(1e9)"):
        holds(call("explain", norm, *types, "--laws", "real,approx", "--rule", rule)[0], "= f32[m, n](b)")
    rule = "rms_norm(g, -x) => -rms_norm(g, x)"
    holds(call("explain", "rms_norm(g, -x)", *types, "--rule", rule)[0], "-rms_norm(g, x, f32(1e-5))")
    holds(call("explain", "rms_norm(g, -x, 0.1)", *types, "--rule", rule)[0], "rms_norm(g, -x, f32(0.1))")
    rule = "layer_norm(p, x) - p.bias => layer_norm({gain = p.gain, bias = 0*p.bias}, x)"
    holds(call("explain", "layer_norm({gain = g, bias = b}, y) - b", "y: f32[n]", *types[1:], "--rule", rule)[0],
          "layer_norm({bias = 0*b, gain = g}, y")
    for rule, says in (("layer_norm(p) => p", "layer_norm takes p, x, eps = 1e-5"),
                       ("layer_norm({gain = g}, x) => x", "layer_norm takes p, x, eps = 1e-5"),
                       ("softmax(x) => x", "softmax has brackets: write softmax[a](...)")):
        holds(call("explain", "x", "--rule", rule, status=1)[1], says)


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
def derivatives_where_paths_cannot_be():
    """-inf is the logarithm of nothing: it gets no NaN, as in CTC and other sums over paths."""
    evaluates("grad(sum(logaddexp(x, y)), x)", "[0.5, 1.0, 0.0]", "x=[-inf, 1.0, -inf]", "y=[-inf, -inf, 1.0]")
    same(call("grad", "logaddexp(a, 1)")[0], "sigmoid(a - 1)\n")   # 1 is finite: nothing to guard
    same(call("grad", "log(abs(x))")[0], "1/x\n")


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


# ---- rules, check, view, build, cache ------------------------------------------------------------------------------------


@test
def rules(folder):
    holds(call("rules", "list")[0], "log1p", "stable")
    holds(call("rules", "show", "log1p")[0], "log(1 + x) => log1p(x)")
    call("rules", "show", "no_such_rule", status=1)
    path = os.path.join(folder, "r.por")
    with open(path, "w") as f:
        f.write("book mine: algebra\ngood: cbrt(x)^3 => x   real\n")
    holds(call("rules", "check", path)[0], "1 rules hold, 0 fail")
    with open(path, "w") as f:
        f.write("book mine: algebra\nwrong: log(x^2)/2 => log(x)   real\n")
    holds("".join(call("rules", "check", path, status=1)), "wrong")


@test
def rules_on_the_command_line(folder):
    rule = "mine: sin(x)*cos(x) => sin(2*x)/2"
    holds(call("explain", "sin(x)*cos(x)", "x: f64[n]", "--rule", rule)[0], "algebra: mine: sin(x)*cos(x)  =>  sin(2*x)/2")
    path = os.path.join(folder, "mine.por")
    with open(path, "w") as f:
        f.write("book mine: algebra\ncube: cbrt(x)^3 => x\n")
    holds(call("explain", "cbrt(x)^3", "x: f64[n]", "--rules", path)[0], "algebra: cube: cbrt(x)^3  =>  x")
    wrong = call("eval", "sqrt(x^2)", "x=-3.0", "--rule", "sqrt(x^2) => x", status=1)[1]
    holds(wrong, "left is")
    holds(wrong, "add `if x >= 0`")
    holds(call("eval", "1", "--rules", os.path.join(folder, "none.por"), status=3)[1], "none.por")


@test
def coverage_has_every_number():
    lines = call("rules", "coverage")[0].splitlines()
    same(sorted({int(line.split()[0]) for line in lines}), list(range(1, 40)))
    with open(os.path.join(HERE, "..", "rewrite", "cases.txt"), encoding="utf-8") as f:     # each name is a test
        marks = re.findall(r"^\[(\d+) (absent )?(\w+)\]", f.read(), re.M)
    same(sorted(lines), sorted(f"{number} {absent or 'test '}{name}" for number, absent, name in marks))


@test
def check_compares_bits():
    same(call("check", "sum(exp(x)*y)", "x: f64[n]", "y: f64[n]")[0].splitlines()[-1], "same 1 differ 0")
    last = call("check", "--random", "10", "--seed", "1", "--no-native")[0].splitlines()[-1]
    same(last, "same 10 differ 0")


@test
def check_a_file():
    same(call("check", f"{EXAMPLES}/logistic.por")[0].splitlines()[-1], "same 4 differ 0")


@test
def check_tells_what_compiled_tiers_refuse(folder):
    write_files(folder, c="fn f(z: c128[n]) = z*z\nfn g(x: f64[n]) = x*x\n"
                          "fn h(x: f64[n]) = scan (y = x, i < 3) => y*(1 + (scan (s = 0.0, j < i) => s + 1))\n")
    out, told = call("check", f"{folder}/c.por")
    same(out, "same 2 differ 0\n")
    holds(told, "1 not checked", "f: complex numbers run on the reference tier only")
    for command in ["run", f"{folder}/c.por:f", "z=[1i, 2.0]", "--tier", "native"], ["build", f"{folder}/c.por:f", "-o", folder]:
        holds(call(*command, status=1)[1], "complex numbers run on the reference tier only")


@test
def parts_that_parameters_lack(folder):
    write_files(folder, p="fn f(p: {a: f64, b: f64}) = p.a\n"
                          "fn g[k = 2, flip = false](x: f64) = if flip then -k*x else k*x\n")
    holds(call("run", f"{folder}/p.por:f", "p={a = 1.0, b = 2.0, c = 3.0}", status=2)[1], "p.c is no part of p")
    holds(call("run", f"{folder}/p.por:f", "p=3", status=2)[1], "p is one array", "{a: f64, b: f64}")
    same(call("run", f"{folder}/p.por:g", "x=1.5", "k=4", "flip=true")[0], "-6.0\n")  # brackets are known at once


@test
def sizes_that_are_parameters(folder):
    """f64[n] beside n: i64 is an array of that many; the call checks it, also where nothing else needs it."""
    write_files(folder, n="fn f(n: i64, x: f64[n]) = sum(x)*n\nfn g(p: {x: f64[2*k]}, k: i64) = grad(sum(p.x^2), p)\n")
    same(call("run", f"{folder}/n.por:f", "n=2", "x=[1.0, 2.0]")[0], "6.0\n")
    holds(call("run", f"{folder}/n.por:f", "n=5", "x=[1.0, 2.0]", status=1)[1], "x_size must equal n: 2 and 5")
    same(call("run", f"{folder}/n.por:g", "k=1", "p={x = [1.0, 2.0]}")[0], "{x = [2.0, 4.0]}\n")
    holds(call("run", f"{folder}/n.por:g", "k=2", "p={x = [1.0, 2.0]}", status=1)[1], "x_size must equal 2*k: 2 and 4")


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
    with open(f"{folder}/mine.dot", "w") as f:
        f.write("mine")
    call("view", "sin(x)", "-o", f"{folder}/mine.svg")
    with open(f"{folder}/mine.dot") as f:
        same(f.read(), "mine")


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
    holds(text, "/* k.por, lines 2 to ", "/* line 2: ", "chain_part2_0(struct chain_run *r)", "/* 31.5 */")
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
              "const double *sigma, const double *int_2, double *out_s_0, double *out_s_1, double *out_lambda1")


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
def cache(folder):
    holds(call("cache", "list")[0], "entries")
    holds(call("cache", "clear", "--folder", folder)[0], "0 entries cleared")
    json.loads(call("cache", "list", "--json")[0])


# ---- fit --------------------------------------------------------------------------------------------------------------------


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
    holds(call("fit", f"{folder}/line.por:adam", "x=[1.0]", "-q", "--hold", "some", status=1)[1], "hold")


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
        fit = subprocess.Popen([PORISM, "fit", f"{folder}/u.por:typed", "X=[[1.0, 2.0]]", "y=[1.0]", "--steps", str(2**62),
                                "--save", f"{folder}/{signal}.npz"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        fit.stderr.read(20)                             # it has begun
        fit.send_signal(signal)
        holds(fit.communicate(timeout=60)[1].decode(), "stopped at step")
        same([fit.returncode, os.path.exists(f"{folder}/{signal}.npz")], [1, True])


# ---- words of the command line ---------------------------------------------------------------------------


@test
def declared_and_given():
    # the declaration tells type and facts, the value sizes and elements, in either order
    same(call("eval", "x + 1", "x: i32", "x=2")[0], "i32(3)\n")
    same(call("eval", "x + 1", "x=[1, 2]", "x: f32[n]")[0], "f32[2]([2.0, 3.0])\n")
    same(call("eval", "p.w*2", "p: {w: f32[n], b: f64}", "p={w = [1, 2], b = 1}")[0], "f32[2]([2.0, 4.0])\n")
    same(call("grad", "x^2", "x: f32", "x=3")[0], "2*x\nf32(6.0)\n")
    holds(call("eval", "x", "x: f64[3]", "x=[1, 2]", status=1)[1], "size 2 on axis 0, wanted 3")
    holds(call("eval", "x", "x: f64 if x > 0", "x=-1", status=1)[1], "which breaks its promise")
    holds(call("eval", "x", "x: i32", "x=2.5", status=1)[1], "which has no 2.5")
    for twice in (("x=1", "x=2"), ("x: f64", "x: f64")):
        holds(call("eval", "x", *twice, status=2)[1], "x is given twice")


@test
def errors_name_the_value():
    same(call("eval", "x", "x=1+", status=1)[1].splitlines()[0], "x:1:3: the text ends; wanted an expression")
    holds(call("eval", "x", "x=", status=2)[1], "x=: a value after = was wanted")
    holds(call("eval", "x", "x=@", status=2)[1], "x=@: a file's name after @ was wanted")


@test
def usage_as_json():
    for words in (["eval"], ["eval", "x"], ["eval", "--nope"], ["eval", "1", "--tier", "fast"], ["cache"]):
        out, message = call(*words, "--json", status=2)
        told = json.loads(out)["error"]["text"]
        holds(message, told)
    same(json.loads(call("rules", "show", "nope", "--json", status=1)[0])["error"]["text"], "there is no rule nope")


@test
def words_too_many(folder):
    for words in (["list", "nofile"], ["coverage", "more"], ["check", "a.por", "b.por"], ["show", "log_exp", "nofile"]):
        call("rules", *words, status=2)
    same(call("help", "eval")[0], call("eval", "--help")[0])
    holds(call("grad", "x*y", "--wrt", "", status=2)[1], "--wrt names no variable")
    holds(call("grad", "x^3", "-o", f"{folder}/g.npy", status=2)[1], "-o saves a value")


@test
def json_lists_what_text_lists(folder):
    write_files(folder, good="book b\nsq: sqrt(x^2) => x real if x >= 0\n")
    report = json.loads(call("rules", "check", f"{folder}/good.por", "--json")[0])
    text = call("rules", "check", f"{folder}/good.por")[0].splitlines()
    same([report["hold"], report["fail"], report["rules"][0]["name"]], [1, 0, "sq"])
    same(report["rules"][0]["report"], text[0])
    os.environ["PORISM_CACHE"], before = f"{folder}/cache", os.environ.get("PORISM_CACHE")
    call("eval", "exp(x)", "x=1", "--tier", "native")
    listed = json.loads(call("cache", "list", "--json")[0])
    words = call("cache", "list")[0].splitlines()[0].split()
    same([listed["entries"], len(listed["list"])], [1, 1])
    same([listed["list"][0]["name"], str(listed["list"][0]["bytes"])], words[:2])
    os.environ.pop("PORISM_CACHE") if before is None else os.environ.update(PORISM_CACHE=before)


@test
def check_of_a_name_that_is_none(folder):
    write_files(folder, m="fn sq(x: f64[n]) = x^2\nfn any(x) = x\n")
    same(call("check", f"{folder}/m.por:sq")[0], "same 1 differ 0\n")
    holds(call("check", f"{folder}/m.por:nope", status=1)[1], "there is no nope")
    holds(call("check", f"{folder}/m.por:any", status=1)[1], "parameter x has no type")


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
def npz_without_arrays(folder):
    zipfile.ZipFile(f"{folder}/none.npz", "w").close()
    holds(call("eval", "x", f"x=@{folder}/none.npz", status=3)[1], "none.npz: there is no array in it")


@test
def keys_and_complex_arrays_print(folder):
    # a derived key has two words; 4 rows of 2 parts begin in the column of their first
    text = call("eval", "key(1)[1]")[0].strip()
    same(call("eval", "uniform[f64](k)", f"k={text}")[0], call("eval", "uniform[f64](key(1)[1])")[0])
    write_npy(f"{folder}/z.npy", "<c16", (2, 1), struct.pack("<4d", 1, 2, 3, 4))
    same(call("eval", "z", f"z=@{folder}/z.npy")[0],
         "complex(f64[2, 1]([[1.0],\n                   [3.0]]),\n        f64[2, 1]([[2.0],\n                   [4.0]]))\n")


# ---- the end -------------------------------------------------------------------------------------------------------------------


def main():
    global PORISM
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    PORISM = os.path.abspath(sys.argv[1])
    passed = failed = 0
    for t in tests:
        if len(sys.argv) > 2 and not any(name in t.__name__ for name in sys.argv[2:]):
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                t(folder) if t.__code__.co_argcount else t()
            passed += 1
        except Exception as problem:  # a test that breaks has failed, whatever broke
            failed += 1
            print(f"{t.__name__}: {type(problem).__name__}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
