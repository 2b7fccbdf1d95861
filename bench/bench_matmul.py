#!/usr/bin/env python3
"""Matrix products beside NumPy's BLAS, one thread and two, and how far below this machine's measured peak they are.

NumPy's BLAS takes its number of threads when it is loaded, so each number runs in a process of its own.
"""
import os
import subprocess
import sys

from table import FULL, Table, peer, use_peers

use_peers()
BOUND = 1.25
PEAK_BOUND = 2.0


def sizes():
    square = [8, 32, 64, 128, 256, 512, 1024] + ([2048] if FULL else [])
    return [(n, n, n) for n in square] + [(128, 64, 64), (1000, 64, 10), (1, 1024, 1024), (1024, 1024, 1)]


def child(threads):
    """Prints m k n dtype ours theirs for each case."""
    import binding as p
    from bench_elementwise import best
    numpy = __import__("numpy")
    text = open(p.ROOT + "/bench/bench.por", encoding="utf-8").read()
    random = numpy.random.default_rng(3)
    for dtype in ("float32", "float64"):
        short = "f" + dtype[5:]
        program = p.Program(text, "product", p.NATIVE, threads, dtype=short)
        for m, k, n in sizes():
            a, b = random.standard_normal((m, k)).astype(dtype), random.standard_normal((k, n)).astype(dtype)
            out = numpy.empty((m, n), dtype)
            program.call([a, b], [out])
            good = numpy.allclose(out, a @ b, rtol=1e-3, atol=1e-3 if short == "f32" else 1e-9)
            print(m, k, n, short, program.seconds([a, b], [out], 0.03) if good else "nan", best(lambda: a @ b, 0.03),
                  flush=True)


def main():
    table = Table("matmul")
    if not peer("numpy"):
        table.add("matmul", 0, None, BOUND)
        return table.done()
    import binding as p
    peak = {"f32": p.timer.bench_peak_f32(), "f64": p.timer.bench_peak_f64()}
    print("measured peak of a core: %.0f GFLOP/s in f32, %.0f in f64" % (peak["f32"]/1e9, peak["f64"]/1e9))
    for threads in (1, 2):
        env = dict(os.environ)
        for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
            env[name] = str(threads)
        lines = subprocess.Popen([sys.executable, __file__, "--child", str(threads)], env=env, stdout=subprocess.PIPE,
                                 text=True)
        for line in lines.stdout:
            m, k, n, dtype, ours, theirs = line.split()
            case = "%s %sx%sx%s, %d thread%s" % (dtype, m, k, n, threads, "s"[:threads - 1])
            if ours == "nan":
                table.failed(case, "another result")
                continue
            if threads == 2 and int(m)*int(k)*int(n) < 10**6:
                continue
            table.add(case, float(ours), float(theirs), BOUND)
            if m == k == n and int(m) >= 512 and peak[dtype]:
                rate = 2.0*int(m)*int(k)*int(n)/float(ours)
                table.add(case + ", below peak", peak[dtype]*threads/1e9, rate/1e9, PEAK_BOUND)
        if lines.wait():
            table.failed("%d threads" % threads, "the program ended with %d" % lines.returncode)
    return table.done()


if __name__ == "__main__":
    sys.exit(child(int(sys.argv[2])) if sys.argv[1:2] == ["--child"] else main())
