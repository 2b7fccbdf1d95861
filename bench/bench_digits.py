#!/usr/bin/env python3
"""A training step of a small classifier (64 pixels, one hidden layer, 10 digits) beside the same written out by hand
in NumPy: loss, all gradients, update; the interpreter within 4 times native."""
import sys

from table import FULL, Table, peer, use_peers
from timing import calls, in_turns

use_peers(1)
import binding as p                                                          # noqa: E402

numpy = peer("numpy")
BOUND = 1.0


def reference(b1, b2, w1, w2, X, Y, rate):
    """The step, derived by hand."""
    a = X @ w1 + b1
    h = numpy.maximum(a, 0)
    z = h @ w2 + b2
    e = numpy.exp(z - z.max(axis=1, keepdims=True))
    dz = (e/e.sum(axis=1, keepdims=True) - Y)/numpy.float32(len(X))
    da = (dz @ w2.T)*(a > 0)
    return b1 - rate*da.sum(axis=0), b2 - rate*dz.sum(axis=0), w1 - rate*(X.T @ da), w2 - rate*(h.T @ dz)


def main():
    table = Table("digits")
    if not numpy:
        table.add("digits", 0, None, BOUND)
        return table.done()
    text = open(p.ROOT + "/bench/bench.por", encoding="utf-8").read()
    native = {t: p.Program(text, "step", p.NATIVE, t) for t in (1, 2)}
    slow = p.Program(text, "step", p.INTERPRET, 1)
    random = numpy.random.default_rng(4)
    f32 = numpy.float32
    for m, h in [(1, 64), (32, 64), (128, 64), (128, 256), (1000, 128)] + ([(10000, 512)] if FULL else []):
        w1 = (random.standard_normal((64, h))*0.2).astype(f32)
        w2 = (random.standard_normal((h, 10))*0.2).astype(f32)
        b1, b2 = numpy.zeros(h, f32), numpy.zeros(10, f32)
        X = random.random((m, 64)).astype(f32)
        Y = numpy.eye(10, dtype=f32)[random.integers(0, 10, m)]
        rate = f32(0.1)
        xs = [b1, b2, w1, w2, X, Y, numpy.array(rate)]
        outs = [numpy.empty_like(x) for x in xs[:4]]
        native[1].call(xs, outs)
        wanted = reference(b1, b2, w1, w2, X, Y, rate)
        case = "batch %d, hidden %d" % (m, h)
        if not all(numpy.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(outs, wanted)):
            table.failed(case, "another result")
            continue
        sides = [calls(lambda: reference(b1, b2, w1, w2, X, Y, rate))]
        sides += [program.calls(xs, outs) for program in (native[1], native[2], slow)]
        theirs, alone, both, interpreted = in_turns(sides, lambda t: max(t[1:3]) <= BOUND*t[0])
        table.add(case + ", 1 thread", alone, theirs, BOUND)
        table.add(case + ", 2 threads", both, theirs, BOUND)
        if m*h >= 8192:
            table.add(case + ", interpreted/native", interpreted, alone, 4)
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
