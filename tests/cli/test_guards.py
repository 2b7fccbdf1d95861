#!/usr/bin/env python3
"""test_guards.py PORISM [NAME...]: products behind a guard, beside the loop that computes those alone which are asked
for.  Rows that no element takes are no numbers or infinite: nothing of them comes back, whatever order of derivative."""

import random
import re

from command import Failed, alike, call, main, near, same, test

PRODUCTS = ("dot(Q, E)", "Q @ E", "sum(Q*E)", "sum([c < k] => Q[c]*E[c])", "einsum[(i), (i), ()](Q, E)", "Q @ W @ E",
            "sum(Q*E*W[0])", "dot(W @ Q, E)", "dot(sin(Q), exp(E))", "sum((Q - E)^2)", "dot(Q, W[1])*dot(W[0], E)")
AROUND = ("_", "_/sqrt(k)", "exp(-(_)^2)", "tanh(_)", "(_)^2", "sqrt(1 + (_)^2)", "log(2 + sin(_))", "-2*(_)")
GUARDS = "j < i", "j <= i", "abs(i - j) <= 1", "i + j < n", "m[i, j]", "i != j", "w[j] > 0.4", "true"
FOLLOWS = ("sum(tanh(_))", "sum(_*_)", "sum([a in _] => logsumexp(a))", "sum(tanh(_ @ w))", "sum(([a in _] => softmax(a)) @ w)")
OTHERS = "0.0", "0.5", "if i == p or j == o then 0.0 else 0.3*dot(q[i], e[j])", "w[j]"
N, K = 4, 2


def matrix(rows):
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows) + "]"


def random_rows(r, absent):
    rows = [[round(r.uniform(-1, 1), 2) for _ in range(K)] for _ in range(N)]
    rows[absent] = [r.choice(["nan", "inf", "-inf", "0.5"]) for _ in range(K)]
    return matrix(rows)


def random_case(r):
    """A formula of i and j, what follows, and the values, of which rows p of q and o of e are taken by none."""
    p, o = r.randrange(N), r.randrange(N)
    product = r.choice(AROUND).replace("_", r.choice(PRODUCTS)).replace("Q", "q[i]").replace("E", "e[j]")
    if r.random() < 0.3:
        product = f"{product} + {r.choice(PRODUCTS).replace('Q', 'e[j]').replace('E', 'q[i]')}"
    guard = f"({r.choice(GUARDS)}) and i != {p} and j != {o}"
    other = re.sub(r"\bp\b", str(p), re.sub(r"\bo\b", str(o), r.choice(OTHERS)))
    mask = "[" + ", ".join("[" + ", ".join(r.choice(["true", "false"]) for _ in range(N)) + "]" for _ in range(N)) + "]"
    values = {"q": random_rows(r, p), "e": random_rows(r, o), "W": "[[0.5, -0.3], [0.2, 0.7]]", "m": mask,
              "w": "[0.3, 0.6, -0.5, 1.1]"}
    types = {"q": "f64[n, k]", "e": "f64[n, k]", "W": "f64[k, k]", "m": "bool[n, n]", "w": "f64[n]"}
    words = [word for v in values for word in (f"{v}={values[v]}", f"{v}: {types[v]}")]
    return f"if {guard} then {product} else {other}", r.choice(FOLLOWS), words


def forms(r, formula):
    """The array form, and loops."""
    inner, outer = r.choice([("j", "i"), ("i", "j")])
    turned = "" if outer == "i" else ".T"
    def loop(bound):
        return f"(scan ({bound} < n) => {{o = "
    return (f"([{outer} < n, {inner} < n] => {formula}){turned}",
            f"{loop(outer)}{loop(inner)}{formula}}}).o}}).o{turned}")


DERIVATIVES = ("grad(_, x)", "jacobian[forward](_, x)", "grad(sum(grad(_, x)*d), x)", "jacobian[forward](sum(grad(_, x)*d), x)",
               "grad(sum(grad(_, q)*d), e)", "jacobian[forward](sum(grad(_, e)*d), q)")


def random_pair(r):
    """A number of a random case, or a derivative of it, by lanes and by loops, and the values."""
    formula, follows, words = random_case(r)
    derivative = r.choice(DERIVATIVES).replace("x", r.choice("qe"))
    words += ["d=[[0.3, 0.1], [-0.2, 0.4], [0.5, -0.7], [0.2, 0.9]]", "d: f64[n, k]"]
    lanes, loop = (f"let s = {form} in {follows.replace('_', 's')}" for form in forms(r, formula))
    return [[whole.replace("_", f"({text})") for text in (lanes, loop)] for whole in ("_", derivative)], words


@test
def random_products():
    r = random.Random(5)
    for _ in range(100):
        pairs, words = random_pair(r)
        for lanes, loop in pairs:
            try:
                near(call("eval", lanes, *words)[0], call("eval", loop, *words, "--no-rules")[0], 1e-11)
            except Exception as problem:
                raise type(problem)(f"{lanes} {words}: {problem}") from problem


@test
def tiers_agree():
    r = random.Random(6)
    for _ in range(8):
        pairs, words = random_pair(r)
        for lanes, _ in pairs:
            alike(lanes, lanes, *words, within=1e-12)


FORMULAS = {"[i < n, j < n] => if j <= i then dot(q[i], e[j])/sqrt(k) else -inf": 0,
            "[i < n, j < n] => if abs(i - j) <= 8 then q[i] @ e[j] else 0.0": 0,
            "[i < n, j < n] => if j <= i then exp(-dot(q[i], e[j])) else 0.0": 0,
            "[i < n, j < k] => sum([c < n] => if c <= i then w[i, c]*e[c, j] else 0.0)": 1,
            "[i < n] => sum[0]([j < n] => if j <= i then w[i, j]*e[j] else 0.0)": 1,
            "[b < n, i < n, j < n] => if j <= i then dot(q[i], e[j])*w[b, i] else 0.0": 0}


def lowered(text):
    """As it is lowered: without what is computed where a factor is not finite."""
    shown = call("explain", text, "q: f64[n, k]", "e: f64[n, k]", "w: f64[n, n]", "--stage", "lower")[0]
    return shown.count("all(isfinite("), re.sub(r"else(\s+let .*)*(\s+in)? sum.*", "", shown)


@test
def no_factor_is_larger_for_a_guard():
    for formula, asked in FORMULAS.items():
        for text, most in ((formula, asked), (f"grad(sum(({formula})^2), e)", 2*asked + 1)):
            asks, shown = lowered(text)
            if "[n, n, k]" in shown or "[n, k, n]" in shown or asks > most:
                raise Failed(f"{text}: {shown}")


@test
def a_chain_asks_once_for_each_product():
    chain, n = "q", 3
    for _ in range(n):
        chain = f"(let x = {chain} in [i < n] => sum[0]([j < n] => if j <= i then w[i, j]*x[j] else 0.0))"
    same(lowered(chain)[0], n)
    same(lowered(f"grad(sum({chain}^2), q)")[0] <= 3*n, True)


@test
def what_several_elements_share_is_guarded_too():
    """q[i] @ W is one for all j: of a row that no element takes nothing goes back to W."""
    given = ("q=[[1.0, 2.0], [nan, inf], [3.0, 1.0]]", "q: f64[n, k]", "e=[[1.0, 2.0], [1.0, 0.5], [3.0, 1.0]]", "e: f64[n, k]",
             "W=[[1.0, 2.0], [1.0, 0.5]]", "W: f64[k, k]")
    for product in "q[i] @ W @ e[j]", "dot(q[i] @ W, e[j])", "sum((q[i] @ W)*e[j])":
        for order in "i < n, j < n", "j < n, i < n":
            formula = f"sum([{order}] => if j <= i and i != 1 then {product} else 0.0)"
            for x, wanted in ("W", "[[16, 12.5], [7, 7.5]]"), ("q", "[[5, 2], [0, 0], [12, 6.75]]"):
                near(call("eval", f"grad({formula}, {x})", *given)[0], wanted, 1e-12)


@test
def a_guard_of_indices_is_not_stored():
    """It is computed in passing, in what is around a branch and in its sides."""
    mask = "iota[n]() <= iota[n]()[:, _]"
    scores = "[i < n, j < n] => if j <= i then dot(q[i], e[j])/12 else -inf"
    for text in (f"grad(sum(([s in ({scores})] => softmax(s)) @ w), e)",
                 f"if all(w > 0) then where({mask}, sin(w), 0) else where({mask}, cos(w), 0)"):
        plan = call("explain", text, "q: f64[n, k]", "e: f64[n, k]", "w: f64[n, n]", "--stage", "plan")[0]
        if "if b" not in plan or re.search(r"bool\[d\d+, d\d+\]", plan):
            raise Failed(f"{text}: {plan}")


@test
def what_is_not_finite_is_asked_for_where_it_is_taken():
    given = "q=[[1.0, 2.0], [3.0, 4.0], [inf, 1.0]]", "q: f64[n, k]", "e=[[1.0, 2.0], [inf, 4.0], [nan, 6.0]]", "e: f64[n, k]"
    for product in "dot(q[i], e[j])", "q[i] @ e[j]", "sum(q[i]*e[j])":
        for guard in "j < i", "j <= i", "i < j":
            formula = f"if {guard} then {product} else 0.0"
            for whole in "_", "grad(sum(_), q)", "grad(sum(_), e)":
                lanes, loop = "([i < n, j < n] => _)", "(scan (i < n) => {o = (scan (j < n) => {o = _}).o}).o"
                alike(*(whole.replace("_", f.replace("_", formula)) for f in (lanes, loop)), *given)


main(__doc__)
