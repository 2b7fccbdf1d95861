#!/usr/bin/env python3
"""The scalar functions over arrays beside SLEEF's 1-ulp functions, glibc's vector library, the scalar C library and
NumPy: f32 and f64, AVX2 and AVX-512, arrays that fit the first-level cache and of 10^5 elements; nanoseconds an element.

Rows: each function within 1 of SLEEF; the geometric mean of the ratios within 0.5; at AVX-512 beside libmvec each
within 3, the geometric mean within 1.5 (f32) and 1.75 (f64); beside the scalar loop over other numbers in every call the
geometric mean within 0.2 (tools/math_loops.c says why).  The scalar loop over the same numbers in every call, and NumPy,
have no bound.  Where arguments that are not far have a function of their own, it is faster than that for all; integers by
a divisor that stays are faster than the machine divides.  A library that is not there gives `skipped`."""
import math
import os
import subprocess
import sys

from table import ROOT, Table, peer, use_peers

use_peers(1)
numpy = peer("numpy")
FLAGS = ["-O3", "-std=gnu11", "-w", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-mavx2", "-mfma"]
WIDE = ["-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mprefer-vector-width=512"]
ISAS = {"avx2": FLAGS, "avx512": FLAGS + WIDE}
SIZES = {"L1": 1024, "1e5": 100000}
SEEN, FAR = "libm, numbers it has seen", "our function for far arguments too"
PEERS = ("SLEEF", "libmvec", "libm", SEEN, FAR)
MEAN = {"SLEEF": {"f32": 0.5, "f64": 0.5}, "libmvec": {"f32": 1.5, "f64": 1.75}, "libm": {"f32": 0.2, "f64": 0.2}}
EACH = {"SLEEF": 1, "libmvec": 3, FAR: 1}


def mean(ratios):
    return math.exp(sum(map(math.log, ratios))/len(ratios))


def with_numpy(table, rows):
    """NumPy's own loops over the same interval where it has the function; its name for the inverse ones is another."""
    import time
    for name, dtype, a, b, ours in rows:
        f = getattr(numpy, name.replace("asin", "arcsin").replace("acos", "arccos").replace("atan", "arctan"), None)
        if f is None or f.nin != 1:
            continue
        x = numpy.random.default_rng(1).uniform(float(a), float(b), 100000).astype("float" + dtype[1:])
        out, times = numpy.empty_like(x), []
        f(x, out=out)
        for _ in range(15):
            start = time.perf_counter()
            f(x, out=out)
            times.append((time.perf_counter() - start)/len(x)*1e9)
        table.add("%s %s avx512 1e5, NumPy" % (name, dtype), ours, min(times), None)


def main():
    table = Table("math")
    folder = os.path.join(ROOT, "build", "bench")
    os.makedirs(folder, exist_ok=True)
    flags = open("/proc/cpuinfo", encoding="ascii").read().split() if os.path.exists("/proc/cpuinfo") else []
    for isa, options in ISAS.items():
        if (isa == "avx512" and "avx512dq" not in flags) or "avx2" not in flags:
            print("%s: not on this machine" % isa)
            continue
        program = os.path.join(folder, "math_" + isa)
        done = subprocess.run([os.environ.get("CC", "cc")] + options + [os.path.join(ROOT, "tools", "math_loops.c"), "-o",
                              program, "-ldl", "-lm"], capture_output=True, text=True, check=False)
        if done.returncode:
            table.failed(isa, done.stderr)
            continue
        for size, n in SIZES.items():
            out = subprocess.run([program, str(n)], capture_output=True, text=True, check=True).stdout
            rows = [line.split("\t") for line in out.splitlines()]
            for _, dtype, ours, machine in (row for row in rows if row[0] == "divide"):
                table.add("x // d %s %s %s, the machine's division" % (dtype, isa, size), float(ours), float(machine), 1)
            rows = [row for row in rows if row[0] != "divide"]
            ratios = {}
            for name, dtype, _, _, *times in rows:
                ours, *theirs = map(float, times)
                for who, t in zip(PEERS, theirs):
                    if not t or (who == "libmvec" and isa != "avx512") or (who in (SEEN, FAR) and size != "L1"):
                        continue
                    if who != FAR:
                        ratios.setdefault((who, dtype), []).append(ours/t)
                    if who in EACH:
                        table.add("%s %s %s %s, %s" % (name, dtype, isa, size, who), ours, t, EACH[who])
            for who in PEERS:
                for dtype in ("f32", "f64"):
                    found = ratios.get((who, dtype))
                    if found or (who in MEAN and not (who == "libmvec" and isa != "avx512")):
                        table.add("geometric mean %s %s %s, %s" % (dtype, isa, size, who), mean(found) if found else 0,
                                  1 if found else None, MEAN[who][dtype] if who in MEAN else None)
            if numpy and isa == "avx512" and size == "1e5":
                with_numpy(table, [(name, dtype, a, b, float(times[0])) for name, dtype, a, b, *times in rows])
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
