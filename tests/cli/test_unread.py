#!/usr/bin/env python3
"""test_unread.py PORISM [NAME...]: what nothing reads that runs has no part in values and derivatives, be it nan.

Random programs over two kinds of data: what is read, and what is named where nothing runs: in loops of no pass,
in sides that are not taken, in elements that are masked.  With numbers there and with nan and infinities, values
and derivatives are the same: forwards, backwards, of order two.
"""

import itertools
import os
import random
import re

from command import Failed, call, few, main, numbers, test, write_files

READ = {"x": "[0.5, 1.5, -2.0]", "w": "0.7", "k": "0", "z": "f64[0](0)"}
NUMBERS = {"d": "[0.4, -1.2, 2.5]", "D": "[[1.0, 0.5, -0.3], [0.2, -1.0, 3.0], [2.0, 1.0, 0.4]]", "e": "1.3"}
BAD = [{"d": "[nan, inf, -inf]", "D": "[[nan, inf, 1.0], [-inf, nan, 2.0], [0.0, inf, nan]]", "e": "nan"},
       {"d": "[inf, 0.0, -inf]", "D": "[[inf, inf, 0.0], [-inf, 0.0, inf], [0.0, inf, -inf]]", "e": "inf"},
       {"d": "[0.0, 0.0, 0.0]", "D": "[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]", "e": "0.0"}]
HEAD = "x: f64[n], w: f64, k: i64, z: f64[m], d: f64[n], D: f64[n, n], e: f64"
GIVEN = "x, w, k, z, d, D, e"
NAMES = "x", "w", "d", "D", "e"


class Maker:
    """Numbers are made of what is read (`live`); `dead` ones of all, for places where nothing runs."""

    def __init__(self, seed):
        self.r, self.next, self.bound, self.left, self.lanes = random.Random(seed), 0, [], 12, 0

    def name(self, letter):
        self.next += 1
        return f"{letter}{self.next}"

    def within(self, names, make, *a):
        self.bound += names
        text = make(*a)
        del self.bound[len(self.bound) - len(names):]
        return text

    def leaf(self, dead):
        own = ["x[0]", "x[2]", "w", "0.5", "sum(x)"] + self.bound*2
        bad = ["e", "d[0]", "d[1]", "D[1, 2]", "sum(d)", "sum(D @ d)", "dot(d, x)", "sum(x @ D)", "sum(D @ x)"]
        return self.r.choice(bad if dead and self.r.random() < 0.75 else own)

    def number(self, dead):
        self.left -= 1
        if self.left <= 0:
            return self.leaf(dead)
        one = lambda: self.number(dead)
        forms = [lambda: self.leaf(dead), lambda: f"({one()} + {one()})", lambda: f"({one()}*{one()})",
                 lambda: f"sin({one()})", lambda: f"tanh({one()})", lambda: self.hidden(dead), lambda: self.hidden(dead),
                 lambda: self.around(dead), lambda: self.around(dead)]
        if dead:
            forms += [lambda: f"log(abs({one()}))", lambda: f"({one()}/{self.leaf(True)})", lambda: f"sqrt({one()})",
                      lambda: f"exp({one()})", lambda: f"max(d*{one()})", lambda: f"sum(tanh(D*{one()}) @ x)",
                      lambda: f"logsumexp(d*{one()})", lambda: f"({one()})^1.5"]
        return self.r.choice(forms)()

    def around(self, dead):
        """What runs, around more."""
        s, i, v = self.name("s"), self.name("i"), self.name("v")
        one = lambda *names: self.within(list(names), self.number, dead)
        forms = [lambda: f"(scan ({s} = {one()}, {i} < 3) => {one(s, f'x[{i}]')})",
                 lambda: f"(scan[states = 2] ({s} = {one()}, {i} < 3) => tanh({s} + {one(s)}))",
                 lambda: f"(scan ({s} = {one()}, {v} in x) => tanh({s}*{one(v)}))",
                 lambda: f"(scan[back] ({s} = {one()}, {v} in x) => tanh({s} + {one(s, v)}))",
                 lambda: f"sum((scan ({s} = {one()}, {v} in x) => {{{s} = tanh({s}), t = {s}*{one(v)}}}).t)",
                 lambda: f"(scan ({s} = tanh({one()}), {i} < 9) while abs({s}) < 2 => 1.5*{s} + 0.3 + tanh({one(s)}))",
                 lambda: f"sum([{v} in x] => {one(v)})",
                 lambda: f"sum([{i} < 3] => x[{i}]*{one(f'x[{i}]')})",
                 lambda: f"checkpoint({one()})",
                 lambda: f"(if x[0] > 0 then {one()} else {self.number(True)})",
                 lambda: f"(if k > 0 then {self.number(True)} else {one()})",
                 lambda: f"with_derivative((v) => sin(v), (v, y, dv) => cos(v)*dv)({one()})",
                 lambda: f"(let {v} = {one()} in {v}*{one(v)})",
                 lambda: f"kept(({v}) => sin({v})*{one(v)})({one()})"]
        return self.r.choice(forms)()

    def hidden(self, dead):
        """What does not run, or is masked."""
        s, i, v = self.name("s"), self.name("i"), self.name("v")
        live = lambda *names: self.within(list(names), self.number, dead)
        bad = lambda *names: self.within(list(names), self.number, True)
        product = lambda: self.r.choice(("D @ d", "D @ x", "x @ D", "(D @ D) @ x", "sum[1](D*d)", "D @ sin(d)", "tanh(D) @ (w*x)"))
        forms = [lambda: f"(scan ({s} = {live()}, {i} < k) => {bad(s)})",
                 lambda: f"(scan ({s} = {live()}, {i} < k) => {s}*{bad()})",
                 lambda: f"(scan ({s} = {live()}, {v} in z) => {s} + {bad(s, v)})",
                 lambda: f"(scan[levels = 2] ({s} = {live()}, {v} in z) => {s} + {v}*{bad(v)})",
                 lambda: f"(scan ({s} = {live()}) while {s} > 1e9 + abs(x[0]) => {bad(s)})",
                 lambda: f"(scan ({s} = {live()}, {i} < 5) while x[1] < 0 => {s} + {bad()})",
                 lambda: f"sum(scan ({i} < k) => {bad(f'x[{i}]')})",
                 lambda: f"(if w > 1e9 then {bad()} else {live()})",
                 lambda: f"(if w < 1e9 then {live()} else {bad()})",
                 lambda: f"(scan ({s} = {live()}, {v} in x) => if {v} > 1e9 then {s}*{bad(s, v)} else tanh({s} + {v}))",
                 lambda: f"sum([{v} in x] => if {v} > 1e9 then {bad(v)} else {live(v)})",
                 lambda: f"sum((scan ({s} = {live()}, {v} in x) => {{{s} = {bad(s, v)}, t = {live(v)}}}).t)",
                 lambda: f"sum([{i} < 3] => if {i} < k then d[{i}]*{bad()} else {live(f'x[{i}]')})",
                 lambda: f"sum([{i} < 3] => if x[{i}] > 1e9 then log(d[{i} + 1])*{bad()} else {live(f'x[{i}]')})",
                 lambda: f"sum([{i} < 3] => scan ({s} = {live(f'x[{i}]')}, {v} < k) => {s}*{bad(s)})",
                 lambda: f"sum([{i} < 3] => scan ({s} = tanh({live(f'x[{i}]')})) while {s} > 1e9 => {s}*{bad(s)})",
                 lambda: f"sum(where(x > 1e9, d*{self.leaf(True)}, x*{live()}))",
                 lambda: f"where(w > 1e9, log(abs({self.leaf(True)}))*{self.leaf(True)}, {live()})",
                 lambda: f"sum(where(x > 1e9, {product()}, x*{live()}))",
                 lambda: f"sum(tanh(where(x > 1e9, {product()}*{self.leaf(False)}, {live()})))"]
        return self.r.choice(forms)()


def program_of(text, a, b):
    """Value, gradients and tangents; of second order by a and b."""
    f = f"f({GIVEN})"
    parts = [f"v = {f}"] + [f"g{n} = grad({f}, {n})" for n in NAMES]
    parts += [f"j{n} = jvp({f}, {n}, {n}*0 + 0.5)" for n in NAMES]
    parts += [f"h = grad(sum(grad({f}, {a})), {b})", f"o = jvp(sum(grad({f}, {a})), {b}, {b}*0 + 0.5)",
              f"r = grad(jvp({f}, {a}, {a}*0 + 0.5), {b})"]
    return f"fn f({HEAD}) = {text}\nfn main({HEAD}) = {{{', '.join(parts)}}}\n"


def program(seed):
    m = Maker(seed)
    text = m.hidden(False)
    return program_of(text, m.r.choice(NAMES), m.r.choice(NAMES))


def values(folder, data, *words):
    given = [f"{n}={v}" for n, v in {**READ, **data}.items()]
    return call("run", os.path.join(folder, "p.por") + ":main", *given, *words)[0]


def differs(got, wanted):
    a, b = numbers(got), numbers(wanted)
    return len(a) != len(b) or any(not (p == q or abs(p - q) <= 1e-11*max(1, abs(q)) or (p != p and q != q))
                                   for p, q in zip(a, b))


def check(folder, seed, *words):
    text = program(seed)
    write_files(folder, p=text)
    wanted = values(folder, NUMBERS, *words)
    for data in BAD:
        got = values(folder, data, *words)
        if differs(got, wanted):
            raise Failed(f"seed {seed} with {data}:\n{text}{got}not\n{wanted}")


@test
def nothing_unread_shows(folder):
    for seed in few(range(24)):
        check(folder, seed)
        check(folder, 100 + seed, "--laws", "exact")
    for seed in 3044, 3103, 4080, 5193, 5224, 5241, 5370, 5380, 6057, 8165:  # of another choice of forms each was wrong once
        check(folder, seed)


CASES = (  # what a loop of no pass multiplies outside of it; a side that is not taken; a condition that fails at once
    "scan (s = w, i < k) => s*sum(D @ d)",
    "scan (s = w, v in z) => s + v*sum(D @ d)^2",
    "scan (s = w) while s > 9 => s*sum(D @ d)",
    "sum(scan (i < k) => i*sum(D @ d))",
    # a pass that asks for nothing, in a loop of passes that do run
    "scan (s = w, i < 3) => scan (t = s, j < k) => t*sum(D @ d)",
    "scan (s = w, v in x) => if v > 9 then s*sum(D @ d) else s*v",
    "(scan (s = w, i < 3) => if i > 9 then s*dot(d, x) else scan (t = s, j < k) => t*dot(d, x))",
    # what a loop carries for nobody
    "sum((scan (s = w, v in x) => {s = s*sum(D @ d), t = w*v}).t)",
    "sum((scan (s = w, r = w, v in x) => {s = s*sum(D @ d) + r, r = r*v, t = r*w}).t)",
    "(scan (s = w, r = w, i < 3) => {s = s*r*dot(d, x), r = r*w}).r",
    # n times a number, taken out of the loop, is none where n is 0
    "scan (s = w, v in z) => s + e",
    "scan (s = w, i < k) => s + e*i",
    # what is not chosen, also behind folds and loops
    "where(w > 9, sum(D @ d), w)",
    "where(w > 9, (scan (s = dot(d, x), v in x) => tanh(s*v)) + dot(d, x), w)",
    "sum(where(x > 9, x*(e*e), x))",
    # rows of a product that are not chosen
    "sum(where(x > 9, D @ d, x))",
    "sum(where(x > 9, x @ D, x)^2)",
    "sum(where(x[:, _] > 9, D @ D, x*x[:, _]))",
    "sum(tanh(where(x > 9, D @ tanh(where(x > 9, D @ x, x)), x)))",
    # nor behind what repeats along an axis, or in two sides within one that is not taken: also of second order
    "sum([i < 3] => x[i]*sum(where(x > 9, d*x[0], x*x[i])))",
    "sum([v in x] => if v > 9 then tanh(v*d[1] + dot(d, x)) else w)",
    "sum([v in x] => if v > 9 then tanh(where(w > 9, v, v*d[0])) else w)")


@test
def cases(folder):
    for text in few(CASES):
        write_files(folder, p=program_of(text, "xdD"[len(text) % 3], "x"))
        for words in ((), ("--laws", "exact"), ("--no-rules",), ("--tier", "reference"), ("--tier", "native")):
            wanted = values(folder, NUMBERS, *words)
            for data in BAD:
                if differs(values(folder, data, *words), wanted):
                    raise Failed(f"{text} {words}: {values(folder, data, *words)}, not {wanted}")


ABSENT = (  # an element that is not there: of what a loop carries for nobody, in a side that is not taken, in what nothing asks
    "sum((scan (s = w, v in x) => {s = d[k + 7], t = x[k]*w}).t)",
    "sum((scan (s = x, v in x) => {s = D[:, k + 7]*d, t = x[k]*w}).t)",
    "sum((scan (s = d[k + 7], v in x) => {s = s*w, t = v*w}).t)",
    "scan (r = w, i < 4) => sum((scan (s = d[k + 7], v in x) => {s = sum(d)*s, t = r*v}).t)",
    "scan (s = w, i < k) => s*d[k + 7]",
    "if w > 9 then d[k + 7] else w",
    "(scan (s = w, v in x) => if v > 9 then s*d[k + 7] else s*v)",
    "sum(where(D[k, k + 7] > d[k + 7], x, x)*d)",
    "sum(where(d[k + 7] > w, where(d[k + 8] > w, x, x), x)*where(w > 9, d, d))",
    # what is given to a function, whose branches ask for it
    "((v) => if w > 9 then sin(v) else (if x[0] > 9 then cos(v)*grad(w*w, w) else w))(d[k + 7])",
    "((v) => if w > 9 then sin(v) else (if x[0] > 9 then (scan (s = v, i < k) => s)*grad(w*w, w) else w))(sum(d with [k + 7] += w))",
    "let q = (v) => (if w > 9 then (do assert(v > 9, {p = v}) in sin(v)*grad(w*w, w)) else w) in q(d[k + 7]) + q(d[k + 7])",
    "let q = (v) => (if w > 9 then (do assert(v > 9, {p = v}) in v) else w*grad(w*w, w)) in q(d[k + 7])*q(w + d[k + 7])")


@test
def absent(folder):
    for text in few(ABSENT):
        program = program_of(text, "d", "x").replace("v = ", f"v = f({GIVEN}), g = grad(f({GIVEN}), {', '.join(NAMES)}), u = ")
        chosen = [("--no-rules",)] if "where" in text else []
        for words in ((), ("--laws", "exact"), ("--tier", "reference"), ("--tier", "native"), *chosen):
            write_files(folder, p=re.sub(r"k \+ 7", "k", program))
            wanted = values(folder, NUMBERS, *words)
            write_files(folder, p=program)
            if differs(values(folder, NUMBERS, *words), wanted):
                raise Failed(f"{text} {words}: {values(folder, NUMBERS, *words)}, not {wanted}")


@test
def sums_of_nothing():
    """Of no elements they are 0: by law `exact` whatever they are of, by law `real` (docs/rules.md) of numbers."""
    given = "z=f64[0](0)", "z: f64[n]", "A=f64[0, 2](0)", "A: f64[n, m]", "d=[1.0, 2]", "d: f64[m]", "w=0.5", "w: f64"
    for text in ("sum(e*z)", "sum(z/e)", "sum([v in z] => v*e)", "dot(e*z, z)", "sum(z*sum(e*d))", "sum(z[:, _]*(d*e))",
                 "sum(e*sum[1](A))", "sum(A @ (e*d))", "sum(A/e)", "scan (s = 0.0, v in z) => s + v*e"):
        for e in "2.5", "inf", "nan":
            for wanted in text, f"jvp({text}, e, w)", f"jvp({text}, d, d)", f"sum(grad({text}, d))", f"grad({text}, e)":
                for words in ((), ("--laws", "exact")):
                    if e == "2.5" or (words and wanted == text):
                        got = call("eval", wanted, *given, f"e={e}", "e: f64", *words)[0]
                        if numbers(got) not in ([0.0], [-0.0]):
                            raise Failed(f"{wanted} {e} {words}: {got}")


# Some rows are read, which are numbers; the others are not, and are none.  Beside loops that compute what is read alone.
CHOSEN = (("D @ d", "dot(D[i], d)"), ("d @ D.T", "dot(d, D[i])"), ("sum[1](D*d)", "sum(D[i]*d)"), ("D @ sin(d)", "dot(D[i], sin(d))"),
          ("sum[1](D @ (d[:, _]*d))", "sum(D[i] @ (d[:, _]*d))"), ("(D*2) @ d + sin(x)", "dot(D[i]*2, d) + sin(x[i])"),
          ("exp(D) @ d", "dot(exp(D[i]), d)"))
AROUND = "sum({})", "sum(tanh({}))", "sum({}*x)", "sum(sin({} @ W))", "{}[1]^2"
WANTED = ("{}", "grad({}, d)", "grad({}, D)", "grad({}, x)", "grad(sum(grad({}, d)*d), d)", "grad(sum(grad({}, d)^2), D)",
          "hessian({}, d)", "jvp(grad({}, d), d, d)", "grad(jvp({}, d, d), D)")


@test
def rows_that_are_not_chosen(folder):
    given = ("D=[[nan, inf, 1], [0.5, -1, 2], [-inf, 0, nan]]", "d=[0.3, -0.7, 1.1]", "x=[1.0, 2.0, 3.0]", "W=[[1.0, 2, 3], [0.5, 1, 1], [2, 0, 1]]",
             "m=[false, true, false]", "D: f64[n, n]", "d: f64[n]", "x: f64[n]", "W: f64[n, n]", "m: bool[n]")
    for (product, row), around, wanted in few(itertools.product(CHOSEN, AROUND, WANTED)):
        chosen = wanted.format(around.format(f"where(m, {product}, x)"))
        loop = wanted.format(around.format(f"(scan (i < n) => {{o = if m[i] then {row} else x[i]}}).o"))
        should = call("eval", loop, *given)[0]
        for words in ((), ("--no-rules",), ("--tier", "reference")):
            got = call("eval", chosen, *given, *words)[0]
            if differs(got, should):
                raise Failed(f"{chosen} {words}: {got}, not {should}")


main(__doc__)
