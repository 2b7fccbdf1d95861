#!/usr/bin/env python3
"""test_eval.py PORISM [NAME...]: values of expressions in every tier and how they print."""

import json
import os
import re
import subprocess

from command import HERE, PORISM, Failed, call, evaluates, holds, main, same, test, write_files, write_npy


@test
def eval_scalars():
    evaluates("1 + 2", "3")
    evaluates("1/3", "0.3333333333333333")
    evaluates("sqrt(2)", "1.4142135623730951")
    evaluates("2.0", "2.0")
    evaluates("1 < 2", "true")


@test
def eval_where_nothing_can_be_written():
    for expression in "iota[10]()", "iota[100000]()":                  # of one part, of several
        with open("/dev/full", "w") as full:
            p = subprocess.run([PORISM, "eval", expression], stdout=full, stderr=subprocess.PIPE, text=True)
        same((p.returncode, p.stderr), (3, "porism: standard output cannot be written\n"))


@test
def eval_values():
    evaluates("sum(x^2)", "14.0", "x=[1.0, 2.0, 3.0]")
    evaluates("x + 1", "3.0", "x=2")
    evaluates("X @ w", "[5.0, 11.0]", "X=[[1.0, 2.0], [3.0, 4.0]]", "w=[1.0, 2.0]")
    evaluates("p.a*p.b", "6.0", "p={a = 2.0, b = 3.0}")
    evaluates("p.a*p.b", "6.0", "p.a=2.0", "p.b=3.0")


@test
def remainders_are_exact_whatever_the_quotient():
    for words in (["x=1e100", "y=7.0"], ["x=-1.7794286187035909e+112", "y=6.269273800926121e+78"], ["x=1e308", "y=-3e-300"],
                  ["x=-1e308", "y=5e-324"], ["x=1e17", "y=3.0"]):
        x, y = (float(w[2:]) for w in words)
        evaluates("x % y", repr(x % y), *words)
        evaluates("x % y", repr([x % y, 1.5]), f"x=[{x!r}, 5.5]", f"y=[{y!r}, 2.0]")
    evaluates("f32(x) % f32(y)", "f32(1.0)", "x=1e30", "y=7.0")


@test
def whole_numbers_given_are_floats(folder):
    """x=3 is what x=3.0 is, unless its use asks for integers."""
    for expression, *words in (("x*y/x", "x=0", "y=3"), ("x/y", "x=7", "y=2"), ("x//y", "x=7", "y=2"),
                               ("grad(sum(w^2), w)", "w=[1, -2]"), ("p.w + p.b", "p={w = 1, b = [1, 2]}"),
                               ("exp(x)^y", "x=2", "y=3"), ("scan (s = x, i < 3) => s/2", "x=3")):
        floats = [re.sub(r"(\d+)\b", r"\1.0", w) for w in words]
        evaluates(expression, call("eval", expression, *floats)[0].strip(), *words)
    evaluates("x", "9007199254740992.0", "x=9007199254740993")
    evaluates("k*2", "6", "k=i64(3)")
    evaluates("k*2", "6", "k: i64", "k=3")
    path = os.path.join(folder, "k.npy")
    write_npy(path, "<i8", (2,), bytes([1] + 7*[0] + [2] + 7*[0]))
    evaluates("k*2", "[2, 4]", "k=@" + path)


@test
def whole_numbers_given_where_integers_are_asked_for():
    evaluates("x[k]", "2.0", "x=[1, 2, 3]", "k=1")
    evaluates("x[k]*k", "2.0", "x=[1, 2, 3]", "k=1")
    evaluates("x[:k]", "[1.0, 2.0]", "x=[1, 2, 3]", "k=2")
    evaluates("x with [k] = 5", "[1.0, 5.0, 3.0]", "x=[1, 2, 3]", "k=1")
    evaluates("let j = 2*k - 1 in x[j]", "2.0", "x=[1, 2, 3]", "k=1")
    evaluates("((f, j) => f(j + 1))((i) => x[i], k)", "3.0", "x=[1, 2, 3]", "k=1")
    evaluates("exact((i) => x[i])(k)", "2.0", "x=[1, 2]", "k=1")
    evaluates("scan (s = 0.0, o in seen) => s + x[o]", "6.5", "x=[1.5, 2.5]", "seen=[0, 1, 1]")
    evaluates("grad((t) => t*x[k], 2.0)", "2.0", "x=[1, 2]", "k=1")
    evaluates("cross_entropy(z, y)", call("eval", "cross_entropy(z, y)", "y: i64[1]", "z=[[1.0, 2.0]]", "y=[1]")[0].strip(),
              "z=[[1.0, 2.0]]", "y=[1]")
    evaluates("f64[k](1)", "[1.0, 1.0]", "k=2")
    evaluates("iota[n]()*x", "[0.0, 2.0]", "n=2", "x=2")
    evaluates("one_hot[n](i)", "[0.0, 1.0]", "n=2", "i=1")
    evaluates("permutation[n](key(s))", call("eval", "permutation[3](key(1))")[0].strip(), "n=3", "s=1")
    evaluates("scan (s = 0.0, i < k) => s + i", "3.0", "k=3")
    evaluates("(bit_and(a, b), popcount(a), shift_left(a, 2))", "(2, 2, 24)", "a=6", "b=3")
    holds(call("eval", "x[k/2]", "x=[1, 2]", "k=2", status=1)[1], "k/2: an index of f64, wanted integers")


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
    evaluates("key(s)", "key(-7)", "s=-7")
    evaluates("uniform[f64](key(s)) == uniform[f64](key(-7))", "true", "s=-7")
    evaluates("key(1, -5)", "key(1, -5)")
    # the graph's own constants print so, too
    holds(call("explain", "uniform[f64](key(1, -5))", "--stage", "algebra")[0], "uniform[f64](key(1, -5))")
    holds(call("explain", "key[3](1, -5)[i]", "i: i64", "--stage", "merge")[0], "key[3](1, -5)[i]")


# What the letters of docs/operators.md stand for where it is not a vector of floats.
LETTERS = {"X": "[[1.5, 2.0], [0.0, 2.5]]", "Y": "[[1.5, 2.0], [0.0, 2.5]]", "b": "[1.5, 2.0]", "v": "[1.5, 2.0]",
           "i": "[1, 0]", "s": "7", "k": "key(7)", "c": "[true, false]", "x": "[1.5, 2.0, 0.5]", "y": "[1.5, 2.0, 0.5]",
           "z": "[1.5, 2.0, 0.5]", "t": "(1.5, 2.0)"}
LETTERS_OF = {"and": "[true, false]", "or": "[true, false]", "not": "[true, false]", "ANY": "[true, false]",
              "ALL": "[true, false]", "BIT_AND": "[5, 3]", "BIT_OR": "[5, 3]", "BIT_XOR": "[5, 3]", "BIT_NOT": "[5, 3]",
              "SHIFT_LEFT": "[5, 3]", "SHIFT_RIGHT": "[5, 3]", "POPCOUNT": "[5, 3]", "RESHAPE": "[[1.5, 2.0]]",
              "TRANSPOSE": "[[1.5, 2.0]]", "GATHER": "[1.5, 2.0]", "SCATTER_ADD": "[1.5, 2.0]", "WHERE": "[1.5, 2.0]",
              "SCATTER_SET": "[1.5, 2.0]", **{f"SCATTER_{n}": "[1.5, 2.0]" for n in ("MAX", "MIN", "MUL")},
              "SCATTER_AND": "[true, false]", "SCATTER_OR": "[true, false]", "KEY_AT": "[1, 0]", "AND": "[true, false]", "OR": "[true, false]",
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
def literals_to_negative_powers():
    evaluates("2^-1", "0.5")
    evaluates("[2, 4]^-1", "[0.5, 0.25]")
    holds(call("eval", "x^-1", "x: i64", "x=2", status=1)[1], "an integer to the power -1")


@test
def a_size_that_is_too_large_is_named_if_there_is_one():
    says = call("eval", "f64[1000000, 1000000, 1000000](1)", status=1)[1]
    holds(says, "an array of 1000000000000000000 elements of f64 is too large")
    if "is 0" in says:
        raise Failed(says)


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
        evaluates("concat((outer(sum[0](z), y)[:, 0])[1:], x[:1])", "[24.0, 24.0, 2.0]", "x=[2, 2, 2]", "y=[3, 3]",
                  "z=[[4, 4, 4], [4, 4, 4]]", "--no-rules", "--tier", tier)


@test
def eval_complex():
    same(call("eval", "complex(f64(1.0), f64(-0.5))*2")[0], "complex(f64(2.0), f64(-1.0))\n")
    out, told = call("eval", "z*conj(z)", "z=[1+2i]")
    same(out, "complex(f64[1]([5.0]), f64[1]([0.0]))\n")
    same(told.count("reference tier"), 1)  # of the expression, not of its argument too
    same(call("eval", "z*conj(z)", "z=[1+2i]", "--tier", "reference"), (out, ""))


@test
def laws_and_what_is_no_number():
    for tier in ["reference", "interpret"]:
        evaluates("max(0/0, 1)", "1.0", "--tier", tier)       # docs/rules.md: law real, where the left side is defined
        evaluates("max(0/0, 1)", "nan", "--tier", tier, "--laws", "exact")
        evaluates("sum(x/c)", "nan", "x=f64[0](0)", "c=0", "--tier", tier)
        evaluates("sum(x/c)", "0.0", "x=f64[0](0)", "c=0", "--tier", tier, "--laws", "exact")


@test
def expressions_know_modules(folder):
    """Those of the library by their names, a file's by `use` in front; a value of that name is the value."""
    same(call("eval", "stats.median(x)", "x=[1.0, 2.0, 5.0]")[0], "2.0\n")
    same(call("eval", "grad(sum(logp.normal(x, 0.0, 1.0)), x)", "x=[1.0, 2.0]")[0], "[-1.0, -2.0]\n")
    same(call("eval", "stats.x", "stats={x = 1.0}")[0], "1.0\n")
    write_files(folder, own="use stats\nfn middle(v: f64[n]) = stats.median(v) - 1\n")
    text = "use own\nuse stats\n  own.middle([4.0, 1.0, 2.0]) + stats.median([1.0, 2.0, 3.0])\n"
    same(call("eval", "-", stdin=text, cwd=folder)[0], "3.0\n")
    same(call("eval", text, cwd=folder)[0], "3.0\n")
    holds(call("eval", "use own\n own.midle([1.0])", status=1, cwd=folder)[1], ":2:2: own has no midle; the nearest name is middle")


@test
def eval_json():
    got = json.loads(call("eval", "--json", "{a = [1.5, nan], b = 2}")[0])
    same(got["result"], {"a": [1.5, "nan"], "b": 2})
    same(got["type"], "{a: f64[2], b: i64}")


@test
def what_no_pass_reaches_may_have_any_size(folder):
    """Sizes are numbers here; one below 0 fails where it is reached, and not before."""
    write_files(folder, sizes="""
fn flat(x: f64[n]) = scan (r = 0.0, i < n) => r + sum(f64[n - 3](1.0))
fn deep(x: f64[n], k: i64) =
    scan (s = 0.0, p < 2) => s + (scan (r = 1.0, i < min(max(k, 0), 0)) => sum((scan (q = 1.0, j < n - 99) => {q = q, t = 2.0}).t))
fn still(x: f64[n], y: f64[m]) =
    scan (r = 1.0, i < n) => (scan (q = sum((scan (p = 1.0, j < n - min(m, 3)) => {p = 0.5, t = 2.0}).t), v in y) => 0.5)
""")
    path = os.path.join(folder, "sizes.por")
    for tier in "reference", "interpret", "native":
        same(call("eval", path + ":flat", "x=f64[0](0)", "--tier", tier)[0], "0.0\n")
        same(call("eval", path + ":deep", "x=[1.0]", "k=5", "--tier", tier)[0], "2.0\n")
        same(call("eval", path + ":still", "x=f64[0](0)", "y=[1.0]", "--tier", tier)[0], "1.0\n")
        holds(call("eval", path + ":flat", "x=[1.0]", "--tier", tier, status=1)[1], "-2")
        holds(call("eval", path + ":still", "x=[1.0]", "y=[1.0, 2, 3]", "--tier", tier, status=1)[1], "-2")


@test
def tiers_agree():
    wanted = call("eval", "sum(exp(x)*tanh(x))", "x=[0.1, 2.0, -3.0]")[0]
    for tier in ["interpret", "native", "reference", "background"]:
        same(call("eval", "sum(exp(x)*tanh(x))", "x=[0.1, 2.0, -3.0]", "--tier", tier)[0], wanted)
        same(call("eval", "sum(exp(x)*tanh(x))", "x=[0.1, 2.0, -3.0]", f"--tier={tier}", "--threads", "2")[0], wanted)


@test
def a_sum_of_no_infinities_is_nothing():
    """n times infinity, but for no n."""
    for rules in (), ("--no-rules",):
        for x, sums in ("f64[0](0)", "(1.0, 1.0)\n"), ("[1.0, 1.0]", "(inf, -inf)\n"):
            same(call("eval", "(1 + sum(f64[n](inf)), 1 + sum(log(abs(f64[len(x)](0)))))", f"x={x}", "x: f64[n]", *rules)[0], sums)


@test
def gradients_that_are_numbers_are_worked_out():
    for text, slope in ("x - x", "0"), ("3*x - x", "2"), ("5.0", "0"), ("x - x/3 + 4", "0.6666666666666667"):
        same(call("grad", text, "x: f64")[0], f"f64({slope})\n")


main(__doc__)
