#!/usr/bin/env python3
"""test_run.py PORISM [NAME...]: functions of files, and files that use others."""

import ast
import collections
import json
import math
import os
import re

from command import EXAMPLES, Failed, call, evaluates, holds, main, same, test, write_files


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


@test
def an_index_outside_is_found_in_any_run(folder):
    """Where indices count up, and come round at another size than the axis has."""
    write_files(folder, runs="""
fn on(x: f64[n], k: i64) = [i < n] => sum([a < 2] => x[i + k + a])
fn round(x: f64[n], k: i64) = [i < n] => sum([a < 3] => x[(i + a) % k])
fn plane(x: f64[m, n], k: i64) = [i < m, j < n] => sum([a < 3] => x[(i + a) % m, (j + 30) % n + k])
""")
    x = list(range(50))
    rows = [x[:40], x[5:45], x[10:]]
    for name, value, k, index, axis in (("on", x, 3, 50, 50), ("on", x, -1, -1, 50), ("round", x, 51, 50, 50), ("round", x, 0, 50, 50),
                                        ("round", x, -40, -39, 50), ("plane", rows, 1, 40, 40), ("plane", rows, -1, -1, 40)):
        for tier in "interpret", "native":
            words = os.path.join(folder, "runs.por:" + name), f"x={value}", f"k={k}", "--tier", tier
            holds(call("run", *words, status=1)[1], f"index {index} of an axis of {axis} ")


@test
def sizes_of_parameters_in_any_form(folder):
    """A name that is a parameter is that parameter, in a product, a quotient or a sum too, in any order."""
    write_files(folder, forms="""
fn square(x: f64[n*n], n: i64) = sum(x)
fn area(n: i64, m: i64, x: f64[n*m]) = sum(x)
fn both(n: i64, x: f64[n + m], m: i64) = sum(x)
fn half(x: f64[n//2], n: i64) = sum(x)
fn least(x: f64[max(n, 2)], n: i64) = sum(x)
fn axis(x: f64[n + m], n: i64, y: f64[m]) = sum(x) + len(y)
""")
    path, x = os.path.join(folder, "forms.por"), "x=[1.0, 2.0, 3.0, 4.0]"
    for name, right, wrong in (("square", ["n=2"], ["n=3"]), ("area", ["n=1", "m=4"], ["n=2", "m=1"]),
                               ("both", ["n=3", "m=1"], ["n=1", "m=2"]), ("half", ["n=9"], ["n=10"]),
                               ("least", ["n=4"], ["n=1"])):
        same(call("run", path + ":" + name, x, *right)[0], "10.0\n")
        holds(call("run", path + ":" + name, x, *wrong, status=1)[1], "x_size must equal")
    same(call("run", path + ":axis", x, "n=1", "y=[1.0, 2.0, 3.0]")[0], "13.0\n")
    holds(call("run", path + ":axis", x, "n=1", "y=[1.0, 2.0]", status=1)[1], "must equal")


@test
def gradients_have_the_shape_of_their_variable(folder):
    """A count that data gives and an axis are one size: the gradient says so too, and is no array of the count."""
    write_files(folder, shapes="""
fn walked(k: i64, x: f64[m]) = grad(scan (s = 0.0, i < k, a in x) => s + 2*a, x)
fn chosen(k: i64, x: f64[m]) = grad(sum(where(iota[k]() > 0, x, 0)), x)
""")
    path = os.path.join(folder, "shapes.por")
    same(call("run", path + ":walked", "k=3", "x=[1.0, 2.0, 3.0]")[0], "[2.0, 2.0, 2.0]\n")
    same(call("run", path + ":chosen", "k=3", "x=[1.0, 2.0, 3.0]")[0], "[0.0, 1.0, 1.0]\n")
    for name in "walked", "chosen":
        for k in "2", "5":
            holds(call("run", path + ":" + name, "k=" + k, "x=[1.0, 2.0, 3.0]", status=1)[1], "k must equal 3")


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
fn coins(k: key) = (sum(categorical(f16[20000, 2](1000), k)), sum(categorical(bf16[20000, 2](1000), k)))
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
    # of two alike each is expected 10000 times, deviation 71, though f16 and bf16 have nothing from 1000 to 1000.5 and 1004
    for heads in whole_numbers(call("run", f"{file}:coins", "k=key(5)")[0]):
        if abs(heads - 10000) > 5*71:
            raise Failed(f"one of two alike: {heads} times")
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
            ("exponential[i32](key(1))", "exponential: numbers of i32 are asked for, wanted those of a float dtype")):
        holds(call("eval", expression, status=1)[1], message)
    write_files(folder, draws=DRAWS)
    holds(call("run", os.path.join(folder, "draws.por:slope"), "s=2", status=1)[1], "no derivative rule for gamma_draw")


@test
def parts_that_parameters_lack(folder):
    write_files(folder, p="fn f(p: {a: f64, b: f64}) = p.a\n"
                          "fn g[k = 2, flip = false](x: f64) = if flip then -k*x else k*x\n")
    holds(call("run", f"{folder}/p.por:f", "p={a = 1.0, b = 2.0, c = 3.0}", status=2)[1], "p.c is no part of p")
    holds(call("run", f"{folder}/p.por:f", "p={a = 1.0, b = 2.0}", "p.b=3", status=2)[1],
          "p.b is given twice: p = ... holds it")
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
def densities_far_out(folder):
    """At infinity -inf with the limit of the derivative; at 1e200, where x^2 overflows, what the formulas in logarithms
    give: log(1 + z^2) is 2*log(z), its derivative 2/z."""
    z, pi = math.log(0.5e200), math.pi                  # of (x - mean)/scale
    student = -math.lgamma(2) - math.lgamma(0.5) + math.lgamma(2.5) - 2*math.log(2) - 2.5*(2*z - math.log(4))
    far = {"laplace(x, 0.5, 2)": (-0.5e200, -0.5, -0.5), "logistic(x, 0.5, 2)": (-0.5e200, -0.5, -0.5),
           "cauchy(x, 0.5, 2)": (-math.log(2*pi) - 2*z, -2e-200, 0), "student_t(x, 4, 0.5, 2)": (student, -5e-200, 0)}
    write_files(folder, far="use logp\n" + "".join(
        f"fn v{i}(x: f64[n]) = logp.{e}\nfn g{i}(x: f64[n]) = grad(sum(logp.{e}), x)\n" for i, e in enumerate(far)))
    for i, (value, slope, limit) in enumerate(far.values()):
        got, slopes = (ast.literal_eval(call("run", f"{folder}/far.por:{f}{i}", "x=[-inf, -1e200, 1e200, inf]")[0]
                                        .replace("inf", "9e999")) for f in "vg")
        near = [abs(a/b - 1) < 1e-14 for a, b in zip(got[1:3] + slopes[1:3], [value, value, -slope, slope])]
        same((got[0], got[3], slopes[0], slopes[3], near), (-math.inf, -math.inf, -limit, limit, [True]*4))
    # with z = (x - 0.5)/2, here 0, 1, inf: the slope is -z/(1 + z^2), its own -(1 - z^2)/(1 + z^2)^2/2
    write_files(folder, second="use logp\nfn s(x: f64[n]) = sum(logp.cauchy(x, 0.5, 2))\n"
                "fn g(x: f64[n]) = grad(s(x), x)\nfn h(x: f64[n]) = grad(sum(grad(s(x), x)), x)\n")
    same(call("run", f"{folder}/second.por:g", "x=[0.5, 2.5, inf]")[0], "[-0.0, -0.5, -0.0]\n")
    same(call("run", f"{folder}/second.por:h", "x=[0.5, 2.5, inf]")[0], "[-0.5, 0.0, 0.0]\n")



@test
def whole_numbers_for_parameters_without_a_type(folder):
    write_files(folder, w="fn sq(w) = sum(w^2)\nfn pick(x, k) = x[k]\nfn ratio(x: T[..s]) = x/x\n"
                "fn both(x, n: i64) = x*n\nfn floor(a, b) = a//b\n")
    for name, wanted, *words in (("sq", "5.0", "w=[1, -2]"), ("pick", "2.0", "x=[1, 2]", "k=1"),
                                 ("ratio", "[nan, 1.0]", "x=[0, 1]"), ("both", "3.0", "x=1", "n=3"),
                                 ("floor", "3.0", "a=7", "b=2")):
        same(call("run", os.path.join(folder, "w.por:" + name), *words)[0], wanted + "\n")


main(__doc__)
