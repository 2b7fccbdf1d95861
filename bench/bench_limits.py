#!/usr/bin/env python3
"""What a program costs to read, elaborate, differentiate, rewrite and plan as it grows: processor time and memory beside
the size, at growing sizes, by `porism explain`.  A row holds a step from one size to the next: how time or memory grew
beyond what a program of two lines takes, against 1.5 times what the size did.  What would be 2^n or n! without
remembering (FAMILIES that double) has the row against a limit: seconds and megabytes in all."""
import os
import statistics
import subprocess
import sys
import tempfile

from table import FULL, ROOT, Table

PORISM = os.path.join(os.environ.get("BUILD", os.path.join(ROOT, "build", "release")), "porism")
ROUNDS = 3
SLACK = 1.5                                          # over growing with the size
NOISE_S, NOISE_MB = 0.02, 4.0                        # what a process differs by from run to run


def join(n, each, by=" + "):
    return by.join(each(i) for i in range(n))


def named(n, kind="f64"):
    return join(n, lambda i: "x%d: %s" % (i, kind), ", ")


def lets(n, each, last="v"):
    return "let v0 = y\n%s\nin %s%d" % (join(n, each, "\n"), last, n)


# name: sizes, text of a file whose function is f
LINEAR = {
    "scalar parameters, value": ((2500, 5000, 10000, 20000), lambda n: "fn f(%s) = %s" % (
        named(n), join(n, lambda i: "x%d^2" % i))),
    "scalar parameters, gradient": ((2500, 5000, 10000, 20000), lambda n: "fn g(%s) = %s\nfn f(%s) = grad(g(%s), %s)" % (
        named(n), join(n, lambda i: "x%d^2" % i), named(n), *[join(n, lambda i: "x%d" % i, ", ")]*2)),
    "fields of a structure, value": ((2500, 5000, 10000, 20000), lambda n:
        "type t = {%s}\nfn f(p: t) = sum(p*p)" % named(n)),
    "fields of a structure, gradient": ((2500, 5000, 10000, 20000), lambda n:
        "type t = {%s}\nfn f(p: t) = grad(sum(p*p), p)" % named(n)),
    "results": ((2500, 5000, 10000, 20000), lambda n: "fn f(y: f64) = {%s}" % join(
        n, lambda i: "r%d = y*%d.5" % (i, i), ", ")),
    "sizes": ((2500, 5000, 10000, 20000), lambda n: "fn f(%s) = %s" % (
        join(n, lambda i: "x%d: f64[n%d]" % (i, i), ", "), join(n, lambda i: "sum(x%d)" % i))),
    "terms of a sum": ((25000, 50000, 100000, 200000), lambda n: "fn f(y: f64) = " + join(
        n, lambda i: "y*%d.5" % i if i % 2 else "sin(y)^%d" % i)),
    "factors of a product": ((12500, 25000, 50000, 100000), lambda n: "fn f(y: f64) = " + join(
        n, lambda i: "sin(y*%d.5)" % i, "*")),
    "lets": ((2500, 5000, 10000, 20000), lambda n: "fn f(y: f64) = " + lets(
        n, lambda i: "let v%d = sin(v%d) + %d" % (i + 1, i, i))),
    "a name, letters": ((125000, 250000, 500000, 1000000), lambda n:
        "fn f(%s: f64) = sin(%s) + %s" % (("a"*n,)*3)),
    "elements of an array of numbers": ((125000, 250000, 500000, 1000000), lambda n:
        "fn f(y: f64) = y + sum([%s])" % join(n, lambda i: "%d.25" % i, ", ")),
    "elements of an array": ((1250, 2500, 5000, 10000), lambda n: "fn f(y: f64) = sum([%s])" % join(
        n, lambda i: "y*%d.25" % i, ", ")),
    "arrays of a concat": ((1250, 2500, 5000, 10000), lambda n: "fn f(y: f64[3]) = sum(concat[0](%s))" % join(
        n, lambda i: "y*%d.5" % i, ", ")),
    "changes of an array": ((2500, 5000, 10000, 20000), lambda n: "fn f(x: f64[%d], y: f64) = x%s" % (
        n, join(n, lambda i: " with [%d] = y*%d" % (i, i), ""))),
    "indices": ((2500, 5000, 10000, 20000), lambda n: "fn f(y: f64[n]) = " + join(n, lambda i: "y[%d]" % i)),
    "functions": ((2500, 5000, 10000, 20000), lambda n: "%s\nfn f(y: f64) = %s" % (
        join(n, lambda i: "fn g%d(x) = sin(x) + %d" % (i, i), "\n"), join(n, lambda i: "g%d(y)" % i))),
    "values of a file": ((2500, 5000, 10000, 20000), lambda n: "%s\nfn f(y: f64) = y + %s" % (
        join(n, lambda i: "let c%d = %d.5" % (i, i), "\n"), join(n, lambda i: "c%d" % i))),
    "rules of a book": ((300, 600, 1200, 2400), lambda n: "book mine: algebra\n%s\nfn f(y: f64) = sin(y + 3.5)" % join(
        n, lambda i: "r%d: where(sin(x) > %d.5, y, y) => y" % (i, i), "\n")),
    "loops in sequence": ((1250, 2500, 5000, 10000), lambda n: "fn f(y: f64) = " + lets(
        n, lambda i: "let v%d = scan (z = v%d, i < %d) => sin(z) + %d" % (i + 1, i, i % 7 + 3, i))),
    "loops in sequence, value and gradient": ((400, 800, 1600), lambda n:    # more than the library takes to be read
        "fn g(y: f64) = %s\nfn f(y: f64) = (g(y), grad(g(y), y))" % lets(
            n, lambda i: "let v%d = scan (z = v%d, i < %d) => sin(z) + %d" % (i + 1, i, i % 7 + 3, i))),
    "a chain and its gradient": ((2500, 5000, 10000, 20000), lambda n: "fn g(y: f64[n]) = sum(%s)\nfn f(y: f64[n]) = %s" % (
        lets(n, lambda i: "let v%d = sin(v%d)" % (i + 1, i)), "grad(g(y), y)")),
    "matrix products": ((5000, 10000, 20000, 40000), lambda n: "fn f(y: f64[n, n]) = " + lets(
        n, lambda i: "let v%d = v%d @ y" % (i + 1, i))),
    "choices": ((2500, 5000, 10000, 20000), lambda n: "fn f(y: f64) = " + join(
        n, lambda i: "where(y > %d, y*%d, y + %d)" % (i, i, i))),
}

PAIR = "fn g0(x: f64) = sin(x)\n%s\nfn f(x: f64) = %s"


def pairs(n, last):
    return PAIR % (join(n, lambda i: "fn g%d(x: f64) = g%d(x) + g%d(x*1.5)" % (i + 1, i, i), "\n"), last)


# The determinant by minors: below row r, of the columns that are not in the set of bits.
MINORS = """fn minor[r, set, n](A: f64[n, n]) = if r == n then 1.0 else along[r, set, n, 0, 0](A)
fn along[r, set, n, c, s](A: f64[n, n]) =
    if c == n then 0.0
    else if set//2^c %% 2 == 1 then along[r, set, n, c + 1, s](A)
    else (if s == 0 then 1.0 else -1.0)*A[r, c]*minor[r + 1, set + 2^c, n](A) + along[r, set, n, c + 1, 1 - s](A)
fn f(A: f64[%d, %d]) = minor[0, 0, %d](A)"""

# name: text, seconds, megabytes
FAMILIES = {
    "f(x) + f(x*1.5), 60 deep": (pairs(60, "g60(x)"), 5, 400),
    "its gradient": (pairs(60, "grad(g60(x), x)"), 5, 400),
    "the determinant by minors, 10 by 10": (MINORS % (10, 10, 10), 5, 500),
    "twelve nested gradients": ("fn g0(x: f64) = sin(x)*exp(x)\n%s\nfn f(x: f64) = g12(x)" % join(
        12, lambda i: "fn g%d(x: f64) = grad(g%d(x), x)" % (i + 1, i), "\n"), 1, 100),
    "two of the one before, by brackets, 60 deep": (
        "fn g[k](x: f64) = if k < 2 then x else g[k - 1](x) + g[k - 2](x)\nfn f(x: f64) = g[60](x)", 1, 100),
    "types that double, 60 deep": ("type t0 = f64\n%s\nfn f(p: t60) = p" % join(
        60, lambda i: "type t%d = {a: t%d, b: t%d}" % (i + 1, i, i), "\n"), 1, 100),
    "loops, 50 deep": ("fn f(y: f64) = " + join(50, lambda i: "scan (a%d = %s, i%d < 2) => sin(a%d) + (" % (
        i, "a%d" % (i - 1) if i else "y", i, i), "") + "a49" + ")"*50, 5, 400),
    "a hundred thousand minus signs": ("fn f(y: f64) = %sy" % ("-"*100000), 1, 100),
    "a hundred thousand parentheses": ("fn f(y: f64) = %sy%s" % ("("*100000, ")"*100000), 1, 100),
}


# A process's peak of memory begins with that of the one it was forked from: a small one starts those that are measured.
STARTER = """
import os, subprocess, sys
for line in sys.stdin:
    command, out = line.rstrip("\\n").split("\\t")[:-1], line.rstrip("\\n").split("\\t")[-1]
    with open(out, "wb") as f:
        run = subprocess.Popen(command, stdout=f, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    print(used.ru_utime + used.ru_stime, used.ru_maxrss/1024, run.returncode, flush=True)
"""


class Starter:
    """Runs commands; of each: seconds of processor time, megabytes, the exit code."""

    def __init__(self, cache):
        self.process = subprocess.Popen([sys.executable, "-c", STARTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=dict(os.environ, PORISM_CACHE=cache))

    def run(self, command, out):
        self.process.stdin.write("\t".join([*command, out]) + "\n")
        self.process.stdin.flush()
        seconds, megabytes, status = self.process.stdout.readline().split()
        return float(seconds), float(megabytes), int(status)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(text, folder, starter):
    """Seconds of processor time and megabytes of one run, and what it said."""
    path, out = os.path.join(folder, "f.por"), os.path.join(folder, "out")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text + "\n")
    used = starter.run([PORISM, "explain", path + ":f"], out)
    with open(out, "rb") as f:
        return *used, f.read(300).decode("utf-8", "replace").split("\n")[0]


def median(text, folder, starter):
    runs = [measure(text, folder, starter) for _ in range(ROUNDS)]
    return (statistics.median(r[0] for r in runs), statistics.median(r[1] for r in runs),
            max(r[2] for r in runs), runs[0][3])


def grown(table, name, sizes, make, base, *where):
    before = None
    for n in sizes:
        seconds, megabytes, status, said = median(make(n), *where)
        if status:
            table.failed("%s, %d" % (name, n), said)
            return
        print("    %s, %d: %.3f s, %.1f MB" % (name, n, seconds, megabytes), flush=True)
        now = n, max(seconds - base[0], NOISE_S), max(megabytes - base[1], NOISE_MB)
        if before:
            by = n/before[0]
            table.add("%s, %d to %d, time" % (name, before[0], n), now[1]/before[1], by, SLACK)
            table.add("%s, %d to %d, memory" % (name, before[0], n), now[2]/before[2], by, SLACK)
        before = now


def main():
    table = Table("limits")
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        where = folder, Starter(os.path.join(folder, "cache"))
        base = median("fn f(y: f64) = y + 1", *where)
        for name, (sizes, make) in LINEAR.items():
            if not wanted or any(w in name for w in wanted):
                grown(table, name, sizes if FULL or wanted else sizes[1:], make, base, *where)
        for name, (text, limit_s, limit_mb) in FAMILIES.items():
            if wanted and not any(w in name for w in wanted):
                continue
            seconds, megabytes, status, said = measure(text, *where)
            if status not in (0, 1):
                table.failed(name, said or "ended with %d" % status)
                continue
            if status:
                print("    %s: %s" % (name, said))
            table.add(name + ", s", seconds, limit_s, 1)
            table.add(name + ", MB", megabytes, limit_mb, 1)
        where[1].close()
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
