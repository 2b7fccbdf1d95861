#!/usr/bin/env python3
"""test_chains.py PORISM [NAME...]: chains of branches whose sides use earlier links, beside Python.  What they become grows
no faster than n log n, or n^2 in lanes and derivatives, and nothing fails in a side that is not taken."""

import itertools
import math

from command import Failed, call, few, main, near, same, test, write_files

LANES = [0.3, 0.9, 0.55]
LENGTHS = 8, 16


class Dual:
    """A number and its slope."""
    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, other):
        other = dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = dual(other)
        return Dual(self.value*other.value, self.value*other.slope + self.slope*other.value)

    def __gt__(self, other):
        return self.value > dual(other).value

    __radd__, __rmul__ = __add__, __mul__


def dual(x):
    return x if isinstance(x, Dual) else Dual(x)


def sin(x):
    return Dual(math.sin(dual(x).value), math.cos(dual(x).value)*dual(x).slope)


def total(values):
    return sum(values, Dual(0.0))


# An arm of link i over y, in the notation and in Python.
ARMS = {"dear": ("sum(sin(w*{y} + {i}.0))*0.25", "total(sin(e*{y} + {i}.0) for e in w)*0.25"),
        "index": ("w[k + {i}]*{y}", "w[k + {i}]*{y}"),
        "loop": ("(scan (t = {y}, j < k + 2) => sin(t) + w[{i}])", "again({y}, k + 2, w[{i}])")}


def again(t, n, a):
    for _ in range(n):
        t = sin(t) + a
    return t


# What link i is of the one before, p, and that before it, q: the sides, of which the first has an arm.
LINKS = {"one": ("{arm:p}", "{p}*0.5"), "split": ("{arm:p}", "sin({q})*0.75"), "both": ("{arm:p} + {q}", "x"),
         "cross": ("{arm:p}*{q}", "{arm:q}"), "three": ("{arm:p}*{r}", "{arm:q}")}
CONDITIONS = {"given": "c[{i}]", "own": "x > 0.{t:02}", "before": "{p} > 0.{t:02}"}


def level(i):
    return (37*i + 11) % 97


def fill(text, arm, i, names):
    for which in "pqr":
        text = text.replace("{arm:%s}" % which, arm.format(y=names[which], i=i))
    return text.format(i=i, t=level(i), **names)


class Chain:
    """A chain of n links, as notation and as a function of Python, which computes what is asked for alone."""
    def __init__(self, links, condition, arm, n):
        self.text, self.code = "let x0 = sin(x)\n    let x1 = sin(x0 + 0.5)\n", ["sin(x)", "sin(v(0) + 0.5)"]
        for i in range(2, n + 2):
            before = dict(zip("pqr", (i - 1, i - 2, max(i - 3, 0))))
            for python in (False, True):
                names = {k: f"v({j})" if python else f"x{j}" for k, j in before.items()}
                yes, no = (fill(side, ARMS[arm][python], i, names) for side in LINKS[links])
                c = CONDITIONS[condition].format(i=i, t=level(i), **names)
                if python:
                    self.code.append(f"({yes}) if {c} else ({no})")
                else:
                    self.text += f"    let x{i} = if {c} then {yes} else {no}\n"
        self.text += f"    in x{n + 1}"

    def __call__(self, x, w, k, c):
        known = {}
        here = dict(x=x, w=w, k=k, c=c, sin=sin, total=total, again=again)

        def v(i):
            if i not in known:
                known[i] = eval(self.code[i], here)
            return known[i]
        here["v"] = v
        return v(len(self.code) - 1)


class Arms(Chain):
    """n arms of one chain of `else if`, or of branches within both sides."""
    def __init__(self, links, condition, arm, n):
        notation, python = "x*0.5", "x*0.5"
        for i in reversed(range(2, n + 2)):
            c = CONDITIONS[condition if condition != "before" else "own"].format(i=i, t=level(i))
            a, b = (ARMS[arm][k].format(y="x", i=i) for k in range(2))
            if links == "nested":
                a, notation = f"x*{i}.0", f"(if c[{i - 1}] then {a} else {notation})"
                b, python = f"x*{i}.0", f"(({b}) if c[{i - 1}] else {python})"
            notation = f"if {c} then {a} else {notation}"
            python = f"(({b}) if {c} else {python})"
        self.text, self.code = notation, [python]


def chain(links, *others):
    return (Arms if links in ("arms", "nested") else Chain)(links, *others)


GIVEN = "w: f64[q], k: i64, c: bool[b]"
PLACES = {"alone": f"fn f(x: f64, {GIVEN}) =\n    %s\nfn d(x: f64, {GIVEN}) = grad(f(x, w, k, c), x)\n",
          "lanes": f"fn f(xs: f64[m], {GIVEN}) = [x in xs] => %s\nfn d(xs: f64[m], {GIVEN}) = grad(sum(f(xs, w, k, c)), xs)\n",
          "loop": f"fn f(xs: f64[m], {GIVEN}) = (scan (x in xs) => {{v = %s}}).v\n"
                  f"fn d(xs: f64[m], {GIVEN}) = grad(sum(f(xs, w, k, c)), xs)\n"}


def words(place, w, k, c):
    x = [f"x={LANES[0]}"] if place == "alone" else [f"xs={LANES}"]
    return x + [f"w={w}", f"k={k}", f"c=[{', '.join('true' if b else 'false' for b in c)}]"]


STAGES = "written", "lower", "plan"


def size(folder, f):
    """Words of what the stages leave of a function."""
    return [len(call("explain", f"{folder}/t.por:{f}", "--stage", s)[0].split()) for s in STAGES]


def check_growth(folder, place, *which):
    sizes = []
    for n in LENGTHS:
        write_files(folder, t=PLACES[place] % chain(*which, n).text)
        sizes.append({f: size(folder, f) for f in "fd"})
    for f, most in zip("fd", FASTER.get(which, (4.5 if place == "lanes" else 2.67, 6))):
        for a, b in zip(*(one[f] for one in sizes)):
            if b > most*a + 100:
                raise Failed(f"{place} {which} {f}: {sizes}")


def check_values(folder, place, *which, w, k, c, n):
    made = chain(*which, n)
    write_files(folder, t=PLACES[place] % made.text)
    wanted = [made(Dual(x, 1.0), w, k, c) for x in (LANES[:1] if place == "alone" else LANES)]
    for tier in ("reference", "interpret"):
        for f, what in (("f", [v.value for v in wanted]), ("d", [v.slope for v in wanted])):
            try:
                near(call("run", f"{folder}/t.por:{f}", *words(place, w, k, c), "--tier", tier)[0], what, 1e-11)
            except Failed as problem:
                raise Failed(f"{place} {which} {f} {tier}: {problem}") from problem


def kinds():
    return list(itertools.product((*LINKS, "arms", "nested"), CONDITIONS, ARMS))


# These grow faster: by how much at most from 8 links to 16, a value (n^2 is 4) and its derivative (n^3 is 8).  In most, what
# goes back through a link does so once for each side that asks for it, as each gives it another number.
FASTER = {("both", "own", "dear"): (2.9, 6), ("both", "before", "loop"): (2.67, 12), ("cross", "given", "index"): (4.5, 7),
          ("cross", "given", "loop"): (3.2, 6), ("cross", "own", "loop"): (4, 6)}


@test
def they_grow_with_their_length(folder):
    for number, which in few(enumerate(kinds())):
        check_growth(folder, list(PLACES)[number % 3], *which)


@test
def rewriting_makes_none_deeper(folder):
    """Branches whose sizes are told by data were held once more, and deeper, by every sweep that closed them."""
    for links, arm, n in few(itertools.product(LINKS, ARMS, (4, 5))):
        write_files(folder, t=PLACES["loop"] % chain(links, "given", arm, n).text)
        for f in "fd":
            call("explain", f"{folder}/t.por:{f}", "--stage", "lower", "--max-seconds", "100")


@test
def many_links_are_made_at_once(folder):
    """40 of them would be 2^20 branches within each other, or more.  With less than 256 MB."""
    for place, links, condition in (("alone", "split", "given"), ("lanes", "split", "own"), ("lanes", "arms", "own"),
                                    ("loop", "three", "given"), ("lanes", "both", "own")):
        made = chain(links, condition, "index", 40)
        write_files(folder, t=PLACES[place] % made.text)
        w, c = [math.cos(i)*0.7 for i in range(42)], [i % 3 != 1 for i in range(42)]
        wanted = [made(Dual(x, 1.0), w, 0, c).value for x in (LANES[:1] if place == "alone" else LANES)]
        near(call("run", f"{folder}/t.por:f", *words(place, w, 0, c), "--tier", "interpret", "--max-bytes", "256M")[0],
             wanted, 1e-11)


@test
def values_and_slopes(folder):
    """Of every kind, in each place; an index that no side asks for is outside."""
    for number, which in few(enumerate(kinds())):
        n = 5 + number % 9
        c = [(i*i + number) % 3 != 1 for i in range(n + 2)]
        w = [math.cos(i + number)*0.7 for i in range(n + 2)]
        for place in PLACES:
            check_values(folder, place, *which, w=w, k=0, c=c, n=n)


@test
def nothing_of_a_side_not_taken_fails(folder):
    """Arms from some link on are outside of w, and those are not taken."""
    for number, links in enumerate((*LINKS, "arms", "nested")):
        n = 14
        for outside in (4, 9, 13):
            c = [i < outside and (i*i + number) % 3 != 1 for i in range(n + 2)]
            w = [math.cos(i)*0.7 for i in range(outside)]
            if links in ("cross", "three"):
                continue   # both sides have an arm
            for place in PLACES:
                check_values(folder, place, links, "given", "index", w=w, k=0, c=c, n=n)


# A step of a chain is a loop in lanes, of which each ends by itself: written, in pieces, with a branch within.
PIECES = "", "[levels = 2]", "[levels = 3]", "[states = 2]", "[bytes = 64]"
SIDES = "a > 0.25", "w[i] > 0.25", "h > 0.25"


@test
def loops_in_lanes_one_after_another(folder):
    """Each pass asked anew for what it is counted by, with all steps before it: 3 of them took more than 1 GB."""
    for pieces, asks in few(itertools.product(PIECES, SIDES)):
        sizes = []
        for n in 1, 3:
            steps = "".join(f"let x = step(x, w, a + {i}.0) in " for i in range(n))
            write_files(folder, t=f"""fn step(x: f64[n], w: f64[m], a: f64) =
    x*tanh(mean([e in w] => (scan{pieces} (h = x[k], i < len(w)) while abs(h) < 1.25 => (if {asks} then e*h else a))))
fn f(x: f64[n], w: f64[m], a: f64) = {steps}x
fn d(x: f64[n], w: f64[m], a: f64) = grad(f(x, w, a)[0], x)
""".replace("[k]", "[0]"))
            sizes.append(size(folder, "d")[:2])
        for a, b in zip(*sizes):
            if b > 3.2*a:
                raise Failed(f"{pieces} {asks}: {sizes}")
        same(call("check", f"{folder}/t.por:d", "--no-native")[0], "same 1 differ 0\n")


# What holds many bodies and cannot fail itself, over what fails; in the array form, what is asked for by all.
MUCH = """fn once(t: f64) = scan (u = t, i < 2) => (if u > 0.1 then sin(u) else u*0.5)
fn much(t: f64) = scan (u = t, i < 2) => once(once(once(once(u))))
"""
FAILS = {"an index": "much(w[k])", "a condition": "(if w[k] > 0.0 then much({x}) else much({x} + 1.0))",
         "a bound that is missed": "much(scan (t = {x}, i < 3) while t < 100.0 => t + 1.0)",
         "shapes": "much(sum(iota[k]() + w))", "a slice": "much(sum(w[k:]))",
         "an index of little": "w[k]", "a slice of little": "sum(w[k:])"}
BELOW = {"": "{y}", ", below a branch": "(if {x} > 0.0 then {y} else 0.0)",
         ", in a branch in a branch": "(if {x} > 0.0 then (if {x} < 0.1 then {x} else {y}) else 0.0)"}
USES = ("(if {x} > c then {y} else {x}) + (if {x} > c + 1.0 then {y}*2.0 else {x}) + "
        "(if {x} > c + 2.0 then {y}*{y} else {x})")
USED = {"alone": "fn f(x: f64, {given}) =\n    let y = {fails}\n    in {uses}",
        "lanes": "fn f(xs: f64[m], {given}) = [x in xs] =>\n    let y = {fails}\n    in {uses}",
        "around": "fn f(xs: f64[m], {given}) =\n    let y = {fails_once}\n    in [x in xs] => {uses}",
        "loop": "fn f(xs: f64[m], {given}) = (scan (x in xs) => {{v =\n    let y = {fails}\n    in {uses}}}).v",
        "one condition": "fn f(xs: f64[m], {given}) = (scan (x in xs) => {{v =\n"
                         "    let y = if c < 0.0 then w[0] else {fails_once}\n"
                         "    in if c < 0.0 then y*x else 3.0*x}}).v"}


@test
def what_fails_below_what_does_not(folder):
    for place, (name, fails), (where, below) in few(itertools.product(USED, FAILS.items(), BELOW.items())):
        alone, name = place == "alone", name + where
        fails = below.format(x="{x}", y=fails)
        text = USED[place].format(given="w: f64[q], k: i64, c: f64", fails=fails.format(x="x"),
                                  fails_once=fails.format(x="w[0]"), uses=USES.format(x="x", y="y"))
        derivative = "grad(f(x, w, k, c), x)" if alone else "grad(sum(f(xs, w, k, c)), xs)"
        write_files(folder, t=f"{MUCH}{text}\nfn d({'x: f64' if alone else 'xs: f64[m]'}, w: f64[q], k: i64, c: f64) = "
                              f"{derivative}\n")
        given = ["x=0.5"] if alone else [f"xs={LANES}"]
        x = [0.5] if alone else LANES
        for f, tier in itertools.product("fd", ("reference", "interpret")):
            wanted = [3*v for v in x] if f == "f" else [3.0 for v in x]
            try:
                near(call("run", f"{folder}/t.por:{f}", *given, "w=[1.0]", "k=7", "c=5.0", "--tier", tier)[0], wanted)
            except Failed as problem:
                raise Failed(f"{place}, {name}, {f} {tier}: {problem}") from problem


@test
def loops_in_pieces_in_lanes(folder):
    """What a guard carries is counted by passes that are known around it: it counted by passes of its own."""
    write_files(folder, c="""fn piece(x: f64[n], a: f64) = (scan[levels = 2] (s = a, i < i64(abs(3.0*a))) => {s = tanh(s), o = x}).s
fn link(x: f64[n], a: f64, k: i64) =
    let a = piece(x, a) in let a = piece(x, a)
    in scan (s = a, j < k) => (scan (h = s + a, v = x, i < 3) => {h = tanh(h), v = tanh(v + a)}).h
fn f(x: f64[n], b: f64[m], k: i64) = grad(sum([a in b] => link(x, a, k)), b)
""")
    out, told = call("check", f"{folder}/c.por:f", "x=[0.5, 1]", "b=[0.3, 0.6]", "k=2", "--no-native")
    same([out, told], ["same 1 differ 0\n", ""])


@test
def derivatives_of_derivatives_of_loops_with_effects(folder):
    """A loop captured passes of those before it, which nothing in it uses: no two were alike, and each link of a chain took
    three times the text of the one before."""
    page = """fn step(x: f64[n], a: f64) = x + checkpoint(do print(x) in x)
fn link(x: f64[n], a: f64) = sum(x)*sum((scan (h = sum(x), i < 2) while abs(h) < 1.25 => {h = a, t = h}).t)
fn chain(x: f64[n], a: f64) = let x = step(x, a) in LINKS if any(x > 0.25) then (do print(a) in a) else a
fn slope(x: f64[n], a: f64) = jvp(chain(x, a), a, 1.0) + sum(jvp(chain(x, a), x, x))
fn curve(x: f64[n], a: f64) = jvp(slope(x, a), a, 1.0) + sum(jvp(slope(x, a), x, x))
"""
    lengths = []
    for links in 2, 3, 4:
        write_files(folder, c=page.replace("LINKS", "let a = link(x, a) in "*links))
        lengths.append(len(call("explain", f"{folder}/c.por:curve", "--stage", "written")[0]))
    if lengths[2] - lengths[1] > 1.5*(lengths[1] - lengths[0]):
        raise Failed(f"{lengths} characters")


main(__doc__)
