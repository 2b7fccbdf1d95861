#!/usr/bin/env python3
"""Products beside NumPy's BLAS, one thread and two: matrices (and how far below this machine's measured peak they are),
matrices by vectors both ways and turned, batches, dots, outer products; the interpreter, whose cores are the same.

NumPy's BLAS takes its number of threads when it is loaded, so each number runs in a process of its own.
"""
import subprocess
import sys

from table import FULL, Table, peer, peer_environment, peers_say, use_peers
from timing import calls, in_turns

use_peers()
BOUND = 1.25
PEAK_BOUND = 2.0
SHARED = 10**6                       # operations from which two threads are a row
TURN, REST = 22, 0.005               # OpenBLAS's threads turn for 2^22 cycles (not 2^28) without work: so long we rest
# A symbolic axis that happens to be 1 folds in chains, as every other size does: a sum in the order of k, for which
# rows have to be turned.
COLUMN_BOUND = 2.0


def cases():
    """(function of bench.por, shapes of its operands, what NumPy does)"""
    square = [8, 32, 64, 128, 256, 512, 1024, 2048] if FULL else [8, 64, 256, 1024]
    thin = [(33, 33, 33), (128, 64, 64), (1000, 64, 10), (3, 100000, 3), (1, 1024, 1024), (1024, 1024, 1)]
    thin += [(100000, 64, 3)] if FULL else []
    for m, k, n in [(n, n, n) for n in square] + thin:
        yield "product", ((m, k), (k, n)), lambda a, b: a @ b
    for n in [64, 128, 256, 512, 1024, 2048, 4096] if FULL else [64, 256, 1024, 2048]:
        yield "by_vector", ((n, n), (n,)), lambda a, v: a @ v
        yield "vector_by", ((n,), (n, n)), lambda v, a: v @ a
        yield "turned_by_vector", ((n, n), (n,)), lambda a, v: a.T @ v
    for m, n in [(100000, 10), (100, 10000)]:
        yield "by_vector", ((m, n), (n,)), lambda a, v: a @ v
        yield "turned_by_vector", ((m, n), (m,)), lambda a, v: a.T @ v
    yield "by_vectors", ((1000, 32, 32), (1000, 32)), lambda a, v: (a @ v[:, :, None])[:, :, 0]
    for n in [1000, 100000, 10**7]:
        yield "dot", ((n,), (n,)), lambda x, y: x @ y
    yield "outer", ((1000,), (1000,)), lambda x, y: __import__("numpy").outer(x, y)


def bound(name, shapes):
    return COLUMN_BOUND if name == "product" and shapes[1][1] == 1 else BOUND


def flops(shapes):
    """Of a product: twice the elements of one operand by the axis that the other alone has."""
    a, b = shapes
    if len(a) == len(b) == 2:
        return 2.0*a[0]*a[1]*b[1]
    size = lambda s: __import__("math").prod(s)                              # noqa: E731
    return 2.0*max(size(a), size(b)) if a != b or len(a) > 1 else 2.0*size(a)


def child(threads):
    """Prints what the peer runs; then case, operations, bound, seconds of NumPy, of ours, of the interpreter (or -): for each case."""
    import binding as p
    numpy = __import__("numpy")
    print(peers_say(), flush=True)
    text = open(p.ROOT + "/bench/bench.por", encoding="utf-8").read()
    random = numpy.random.default_rng(3)
    tiers = [p.NATIVE, p.INTERPRET] if threads == 1 else [p.NATIVE]
    programs = {}
    for dtype in ("float32", "float64"):
        short = "f" + dtype[5:]
        for name, shapes, theirs in cases():
            if threads > 1 and flops(shapes) < SHARED:
                continue
            for tier in tiers:
                if (name, tier, short) not in programs:
                    programs[name, tier, short] = p.Program(text, name, tier, threads, dtype=short)
            xs = [random.standard_normal(s).astype(dtype) for s in shapes]
            wanted = numpy.asarray(theirs(*xs))
            out = numpy.empty(wanted.shape, dtype)
            programs[name, p.NATIVE, short].call(xs, [out])
            k = max(max(s) for s in shapes)
            near = (1e-5 if short == "f32" else 1e-13)*k**0.5*10
            times, places = [float("inf")]*(1 + len(tiers)), []
            most = bound(name, shapes)
            while len(places) < 3 and (not places or times[1] > most*times[0]):
                places.append(xs)                    # where an array lies can cost a fifth: so several places
                xs = [x.copy() for x in xs]
                sides = [calls(lambda: theirs(*xs))] + [programs[name, t, short].calls(xs, [out]) for t in tiers]
                times = list(map(min, times, in_turns(sides, lambda t: t[1] <= most*t[0], rest=REST*(threads > 1))))
            if not numpy.allclose(out, wanted, rtol=1e-3, atol=near):
                times = ["nan"]*2
            print("%s %s %s" % (short, name, " by ".join("x".join(map(str, s)) for s in shapes)), int(flops(shapes)),
                  most, *(times + ["-"])[:3], sep="\t", flush=True)


def rows(table, threads, peak, bandwidth):
    env = peer_environment(threads, OPENBLAS_THREAD_TIMEOUT=str(TURN))
    lines = subprocess.Popen([sys.executable, __file__, "--child", str(threads)], env=env, stdout=subprocess.PIPE,
                             text=True)
    print(next(lines.stdout, "").rstrip("\n"), flush=True)
    for line in lines.stdout:
        case, work, most, theirs, ours, slow = line.rstrip("\n").split("\t")
        dtype, name, _ = case.split(" ", 2)
        case += ", %d thread%s" % (threads, "s"[:threads - 1])
        if ours == "nan":
            table.failed(case, "another result")
            continue
        table.add(case, float(ours), float(theirs), float(most))
        if slow != "-" and int(work) >= 10**4:
            table.add(case + ", interpreted/native", float(slow), float(ours), 4)
        if name == "product" and int(work) >= 2*512**3:
            table.add(case + ", below peak", peak[dtype]*threads/1e9, int(work)/float(ours)/1e9, PEAK_BOUND)
        if name == "dot" and int(work) == 2*10**7 and threads == 1:
            rate = int(work)*(4 if dtype == "f32" else 8)/float(ours)
            table.add(case + ", below bandwidth", bandwidth/1e9, rate/1e9, 1.25)
    if lines.wait():
        table.failed("%d threads" % threads, "the program ended with %d" % lines.returncode)


def main():
    table = Table("matmul")
    if not peer("numpy", tell=False):
        table.add("matmul", 0, None, BOUND)
        return table.done()
    import binding as p
    peak = {"f32": p.timer.bench_peak_f32(), "f64": p.timer.bench_peak_f64()}
    print("measured peak of a core: %.0f GFLOP/s in f32, %.0f in f64" % (peak["f32"]/1e9, peak["f64"]/1e9))
    for threads in (1, 2):
        rows(table, threads, peak, p.timer.bench_bandwidth())
    return table.done()


if __name__ == "__main__":
    sys.exit(child(int(sys.argv[2])) if sys.argv[1:2] == ["--child"] else main())
