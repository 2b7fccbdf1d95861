#!/usr/bin/env python3
"""Building, rewriting and printing graphs of 100,000 nodes in under a second, of 1,000,000 in under 12 s; bytes that are
held for a live node when compiling is done: at most 250; rewriting with derivatives: at most 3 us a live node, beside
PyTensor's rewriting and JAX's tracing of the same values and gradients, which have no bound (PyTensor's takes half a
minute for a sum of 60 terms: FULL=1 for the others).  What 48 equal blocks have more than 12.  Every book read and
indexed within 5 ms, every rule checked within 60 s."""
import os
import re
import subprocess
import sys
import time

from table import FULL, ROOT, peer, run_c, use_peers

use_peers()
LIVE = re.compile(r" *live (.*) (\d+): (\d+) nodes")


# ---- the programs of held.h, over whatever has the operators ---------------------------------------------------------

def exponentials(np, n, x, a):
    return sum((a[i]*np.exp(-(x - (i + 0.25))**2/2) for i in range(n)), 0*x).sum()


def sines(np, n, x, a):
    return sum((a[i]*np.sin(x*(i + 0.5)) for i in range(n)), 0*x).sum()


def hierarchical(np, n, mu, tau, y, *a):
    density = -mu**2/50 - tau**2/2
    for i in range(n):
        density = density + (-(a[i] - mu)**2*np.exp(-2*tau)/2 - tau - (y[i] - a[i])**2/(2*(i % 7 + 1.5)**2))
    return density


# Of the sizes those for PyTensor, but for FULL, come first.
CASES = {"a sum of exponentials": (exponentials, (60,), (240,)), "a sum of sines": (sines, (), (60, 240)),
         "a hierarchical model, parameters": (hierarchical, (), (125,))}


def operands(value, n, vector, scalar):
    if value is hierarchical:
        return [scalar("mu"), scalar("tau"), vector("y", n)] + [scalar("a%d" % i) for i in range(n)]
    return [vector("x", 7), vector("a", n)]


def by_pytensor(value, n):
    """Seconds of the rewriting of a value and its gradients, as the default mode does it; the gradients are made in it."""
    import pytensor.tensor as pt
    from pytensor.compile.mode import get_mode
    from pytensor.graph.fg import FunctionGraph
    x = operands(value, n, lambda name, _: pt.dvector(name), pt.dscalar)
    y = value(pt, n, *x)
    start = time.perf_counter()
    graph = FunctionGraph(x, [y] + pt.grad(y, [v for v in x if v.name != "y"]), clone=True)
    get_mode("FAST_RUN").excluding("inplace").optimizer.rewrite(graph)
    return time.perf_counter() - start


def by_jax(value, n):
    """Seconds of the tracing of a value and its gradients; the best of three."""
    import jax
    jax.config.update("jax_enable_x64", True)
    x = operands(value, n, lambda _, k: jax.ShapeDtypeStruct((k,), "float64"),
                 lambda _: jax.ShapeDtypeStruct((), "float64"))
    wanted = tuple(i for i in range(len(x)) if value is not hierarchical or i != 2)
    best = None
    for _ in range(3):
        traced = jax.value_and_grad(lambda *x: value(jax.numpy, n, *x), argnums=wanted)
        start = time.perf_counter()
        jax.make_jaxpr(traced)(*x)
        best = min(best or 1e9, time.perf_counter() - start)
    return best


def beside_peers(table, told):
    live = {match[1] + " " + match[2]: int(match[3]) for match in map(LIVE.match, told) if match}
    ours = {row[0]: row[1] for row in table.rows}
    for module, name, timed in (("pytensor", "PyTensor's rewriting", by_pytensor), ("jax", "JAX's tracing", by_jax)):
        there = peer(module, tell=False)
        for case, (value, few, more_sizes) in CASES.items():
            for n in few + (more_sizes if FULL or module == "jax" else ()):
                nodes, us = live.get("%s %d" % (case, n)), ours.get("%s %d with derivatives, us a live node" % (case, n))
                if nodes and us:
                    table.add("%s %d beside %s, us" % (case, n, name), us, timed(value, n)*1e6/nodes if there else None, None)


def check_rules(table):
    porism = os.path.join(os.environ.get("BUILD", os.path.join(ROOT, "build", "release")), "porism")
    start = time.perf_counter()
    run = subprocess.run([porism, "rules", "check"], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        table.failed("every rule checked, s", (run.stdout.splitlines() or [""])[-1])
    else:
        table.add("every rule checked, s", time.perf_counter() - start, 60, 1)


def more(table, told):
    beside_peers(table, told)
    check_rules(table)


sys.exit(run_c("graph", more=more))
