#!/usr/bin/env python3
"""Elementwise chains beside NumPy, from 10 elements to 10 million: one thread and two, f32 and f64, and how far from
this machine's memory bandwidth the leanest one is; the interpreter within 4 times native from 10,000 elements on."""
import sys

from table import FULL, Table, peer, use_peers
from timing import calls, in_turns

use_peers(1)
import binding as p                                                          # noqa: E402

numpy = peer("numpy")
BOUND = 1.0
CASES = {
    "chain": (2, lambda x, y: numpy.exp(-x**2/2)*numpy.cos(y) + numpy.tanh(x*y)/(1 + numpy.abs(y))),
    "axpy": (2, lambda x, y: numpy.float32(0.5)*x + y if x.dtype == numpy.float32 else 0.5*x + y),
    "sigmoids": (1, lambda x: 1/(1 + numpy.exp(-x))),
}


def main():
    table = Table("elementwise")
    if not numpy:
        for name in CASES:
            table.add(name, 0, None, BOUND)
        return table.done()
    text = open(p.ROOT + "/bench/bench.por", encoding="utf-8").read()
    sizes = [10, 1000, 10000, 100000] + [1000000]*FULL + [10000000]
    random = numpy.random.default_rng(1)
    for dtype in ("float32", "float64"):
        short = "f" + dtype[5:]
        for name, (count, reference) in CASES.items():
            try:
                native = {t: p.Program(text, name, p.NATIVE, t, dtype=short) for t in (1, 2)}
                slow = p.Program(text, name, p.INTERPRET, 1, dtype=short)
            except p.Failed as e:
                table.failed(name + " " + short, e)
                continue
            for n in sizes:
                xs = [random.standard_normal(n).astype(dtype) for _ in range(count)]
                out = numpy.empty_like(xs[0])
                wanted = reference(*xs)
                native[1].call(xs, [out])
                tolerance = 2e-5 if short == "f32" else 1e-11
                if not numpy.allclose(out, wanted, rtol=tolerance, atol=tolerance):
                    table.failed("%s %s %d" % (name, short, n), "another result")
                    continue
                sides = {"NumPy": calls(lambda: reference(*xs)), 1: native[1].calls(xs, [out])}
                if n >= 100000:
                    sides[2] = native[2].calls(xs, [out])
                if n >= 10000:
                    sides["slow"] = slow.calls(xs, [out])
                times = in_turns(list(sides.values()), lambda t: max(t[1:3]) <= BOUND*t[0])
                t = dict(zip(sides, times))
                for threads in (1, 2):
                    if threads in t:
                        table.add("%s %s %d, %d thread%s" % (name, short, n, threads, "s"[:threads - 1]), t[threads],
                                  t["NumPy"], BOUND)
                if "slow" in t:
                    table.add("%s %s %d, interpreted/native" % (name, short, n), t["slow"], t[1], 4)
                if name == "axpy" and n == 10**7:
                    rate = 3*n*xs[0].itemsize/t[1]
                    table.add("axpy %s %d, below bandwidth" % (short, n), p.timer.bench_bandwidth(), rate, 2)
            for x in (native[1], native[2], slow):
                x.free()
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
