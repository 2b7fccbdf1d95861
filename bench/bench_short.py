#!/usr/bin/env python3
"""Folds over rows of few elements, their number known only at the call, and a forward algorithm in lanes, beside JAX: one
thread, f64, processor time."""
import os
import sys

from table import Table, peer, use_peers
from timing import in_turns, processor

use_peers(1)
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
import binding as p                                                          # noqa: E402

numpy = peer("numpy", tell=False)
jax = peer("jax", tell=False)

FOLDS = {"softmax": lambda x: jax.nn.softmax(x, axis=1), "sum": lambda x: x.sum(1), "max": lambda x: x.max(1),
         "logsumexp": lambda x: jax.scipy.special.logsumexp(x, axis=1)}
SHAPES = (150, 3), (40000, 3), (40000, 10), (10000, 24), (10000, 25)
FORWARD = ("fn f(p: f64[k], A: f64[k, k], B: f64[k, v], X: i64[m, t]) =\n"
           "    [x in X] => logsumexp(scan (a = p, o in x) => logsumexp[0](a[:, _] + A) + B[:, o])\n")


def forward(p0, A, B, X):
    def of(x):
        def step(a, o):
            return jax.scipy.special.logsumexp(a[:, None] + A, axis=0) + B[:, o], None
        return jax.scipy.special.logsumexp(jax.lax.scan(step, p0, x)[0])
    return jax.vmap(of)(X)


def add(table, name, text, given, theirs, bound):
    f, here = jax.jit(theirs), [jax.numpy.asarray(x) for x in given]
    wanted = numpy.asarray(f(*here))
    program, out = p.Program(text, "f"), numpy.empty_like(wanted)
    program.call(given, [out])
    if not numpy.allclose(out, wanted, rtol=1e-10):
        table.failed(name, "another result")
        return

    def calls(n):
        for _ in range(n):
            last = f(*here)
        last.block_until_ready()
    sides = processor(program.calls(given, [out])), processor(calls)
    table.add(name, *in_turns(sides, lambda t: bound is None or t[0] <= bound*t[1], least=0.005), bound)
    program.free()


def main():
    table = Table("short")
    if not jax:
        table.add("all", 0, None, 1)
        return table.done()
    jax.config.update("jax_enable_x64", True)
    r = numpy.random.default_rng(1)
    for n, k in SHAPES:
        for name, theirs in FOLDS.items():
            bound = 1 if k <= 3 else 1.3 if k <= 10 and name != "max" else None
            add(table, f"{name}, {n} x {k}", f"fn f(x: f64[n, k]) = {name}[1](x)", [r.uniform(-1, 1, (n, k))], theirs, bound)
    for m, k in (64, 128), (256, 16), (1000, 8):
        logs = [numpy.log(r.dirichlet(numpy.ones(d), n)) for n, d in ((1, k), (k, k), (k, 10))]
        given = [logs[0][0], logs[1], logs[2], r.integers(0, 10, (m, 20))]
        add(table, f"forward, {m} of {k} states", FORWARD, given, forward, 1)
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
