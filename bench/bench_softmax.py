#!/usr/bin/env python3
"""softmax along rows beside NumPy: a row is one pass of a kernel here and five passes over memory there; the
interpreter within 4 times native from 10,000 elements on."""
import sys

from table import FULL, Table, peer, use_peers
from timing import calls, in_turns

use_peers(1)
import binding as p                                                          # noqa: E402

numpy = peer("numpy")
BOUND = 1.0


def reference(x):
    e = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return e/e.sum(axis=-1, keepdims=True)


def main():
    table = Table("softmax")
    if not numpy:
        table.add("softmax", 0, None, BOUND)
        return table.done()
    text = open(p.ROOT + "/bench/bench.por", encoding="utf-8").read()
    shapes = [(1, 10), (10, 100), (1000, 10), (100, 1000), (1000, 1000), (10, 100000)]
    if FULL:
        shapes += [(1, 10**7), (10000, 1000), (10**6, 10)]
    random = numpy.random.default_rng(2)
    for dtype in ("float32", "float64"):
        short = "f" + dtype[5:]
        try:
            native = {t: p.Program(text, "rows", p.NATIVE, t, dtype=short) for t in (1, 2)}
            slow = p.Program(text, "rows", p.INTERPRET, 1, dtype=short)
        except p.Failed as e:
            table.failed("softmax " + short, e)
            continue
        for m, n in shapes:
            x = random.standard_normal((m, n)).astype(dtype)*3
            out = numpy.empty_like(x)
            native[1].call([x], [out])
            tolerance = 1e-5 if short == "f32" else 1e-12
            if not numpy.allclose(out, reference(x), rtol=tolerance, atol=tolerance):
                table.failed("softmax %s %dx%d" % (short, m, n), "another result")
                continue
            sides = {"NumPy": calls(lambda: reference(x)), 1: native[1].calls([x], [out])}
            if m*n >= 100000:
                sides[2] = native[2].calls([x], [out])
            if m*n >= 10000:
                sides["slow"] = slow.calls([x], [out])
            t = dict(zip(sides, in_turns(list(sides.values()), lambda t: max(t[1:3]) <= BOUND*t[0])))
            for threads in (1, 2):
                if threads in t:
                    table.add("%s %dx%d, %d thread%s" % (short, m, n, threads, "s"[:threads - 1]), t[threads],
                              t["NumPy"], BOUND)
            if "slow" in t:
                table.add("%s %dx%d, interpreted/native" % (short, m, n), t["slow"], t[1], 4)
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
