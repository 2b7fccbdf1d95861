#!/usr/bin/env python3
"""What a call from Python costs, beside NumPy, against its bounds: checked, with new results of NumPy's."""
import os
import sys
import time

from table import ROOT, Table, peer, use_peers

use_peers(1)
sys.path.insert(0, os.path.join(ROOT, "build", "release", "python"))
numpy = peer("numpy")
if numpy is None:
    sys.exit(1)
import porism                                           # noqa: E402

SECONDS = 0.02


def least(f, *args, rounds=25):
    """Seconds of a call: the least of some rounds of processor time."""
    calls = 1
    while timed(f, args, calls)*calls < SECONDS/4:
        calls *= 4
    return min(timed(f, args, calls) for _ in range(rounds))


def timed(f, args, calls):
    turns = range(calls)
    begin = time.process_time()
    for _ in turns:
        f(*args)
    return (time.process_time() - begin)/calls


def native(f, *args):
    f(*args)
    for p in f.programs:
        p.wait(60)
    return f


def first(w, x, y):
    """A first result of a gradient: traced, compiled for the interpreter, called."""
    f = porism.jit(porism.grad(lambda w, x, y: porism.mean(porism.softplus(x @ w) - y*(x @ w))), tier="interpret")
    return f(w, x, y)


def standard(table):
    """Calls of porism.array_api, which compute at once, beside NumPy's."""
    xp = porism.array_api
    for n in (10, 1000):
        a, b = (numpy.linspace(1, 2, n)*k for k in (1, 2))
        x, y = xp.asarray(a)*1.0, xp.asarray(b)*1.0
        for name, ours, theirs in (("x + y", lambda: x + y, lambda: a + b), ("sqrt(x)", lambda: xp.sqrt(x), lambda: numpy.sqrt(a)),
                                   ("sin(x)", lambda: xp.sin(x), lambda: numpy.sin(a)),
                                   ("sum(x)", lambda: xp.sum(x), lambda: numpy.sum(a)),
                                   ("x < y", lambda: x < y, lambda: a < b)):
            bound = 0.4 if n == 10 else least(theirs)*1e6
            table.add(f"array_api: {name}, {n:,} elements, us", least(ours)*1e6, bound, 1)


def main():
    table = Table("python")
    formula = lambda x: x*x + 1.0                       # noqa: E731
    numbers, row, rows = 3.0, numpy.ones(10), numpy.ones(1000)
    f = porism.jit(formula)
    for x in (numbers, rows):
        native(f, x)
    table.add("x*x + 1, a number, us", least(f, numbers)*1e6, 0.25, 1)
    table.add("the same, 10 elements, us", least(f, row)*1e6, least(formula, row)*1e6, 1)
    table.add("the same, 1,000 elements, us", least(f, rows)*1e6, 1.3, 1)
    ten = native(porism.jit(lambda a, b, c, d, e, f, g, h, i, j: a + b + c + d + e + f + g + h + i + j), *[numbers]*10)
    table.add("the sum of 10 numbers, us", least(ten, *[numbers]*10)*1e6, 0.4, 1)
    x, w, y = numpy.ones((64, 8)), numpy.ones(8), numpy.ones(64)
    table.add("a first gradient, traced and computed, ms", least(first, w, x, y, rounds=5)*1e3, 10.0, 1)
    standard(table)
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
