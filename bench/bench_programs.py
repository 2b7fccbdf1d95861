#!/usr/bin/env python3
"""Programs of nested loops, branches and batches, value and gradient beside JAX, on one processor.  A program is written once,
over the functions that both have (`m`); results must agree."""
import os
import sys
from types import SimpleNamespace

from table import ROOT, Table, peer, use_peers
from timing import calls, in_turns, processor

use_peers(1)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})      # whoever has threads of its own
sys.path.insert(0, os.path.join(ROOT, "build", "release", "python"))
numpy = peer("numpy", tell=False)
if numpy is None:
    sys.exit(1)
import porism                                                # noqa: E402
from porism.array_api import linalg                          # noqa: E402

jax = peer("jax", tell=False)

ours = SimpleNamespace(
    exp=porism.exp, log=porism.log, sqrt=porism.sqrt, cos=porism.cos, tanh=porism.tanh, sigmoid=porism.sigmoid, sum=porism.sum,
    where=porism.where, maximum=porism.maximum, arange=porism.arange, full=porism.full, cumsum=porism.cumsum, take=porism.take,
    logsumexp=porism.logsumexp, logaddexp=porism.logaddexp, put=porism.put, solve=linalg.solve, scan=porism.scan,
    fori=porism.fori, vmap=porism.vmap, grad=porism.grad, constant=porism.stop_gradient, jit=porism.jit)


def of_jax():
    jax.config.update("jax_enable_x64", True)
    n, lax = jax.numpy, jax.lax
    return SimpleNamespace(
        exp=n.exp, log=n.log, sqrt=n.sqrt, cos=n.cos, tanh=n.tanh, sigmoid=jax.nn.sigmoid, sum=n.sum, where=n.where,
        maximum=n.maximum, arange=n.arange, full=n.full, cumsum=n.cumsum, take=lambda x, i: x[i],
        logsumexp=jax.scipy.special.logsumexp, logaddexp=n.logaddexp, put=lambda x, i, v: x.at[i].set(v), solve=n.linalg.solve,
        scan=lax.scan, fori=lax.fori_loop, vmap=jax.vmap, grad=jax.grad, constant=lax.stop_gradient, jit=jax.jit)


def particle_filter(m, rng, particles=256, steps=60):
    """The log-likelihood of a walk that is seen with noise, by particles that are drawn again after each step."""
    def f(p, ys, us, zs):
        def step(carried, seen):
            x, total = carried
            y, u, z = seen
            x = p[0]*x + p[1]*z
            weight = -0.5*((y - x)/p[2])**2 - m.log(p[2])
            mean = m.logsumexp(weight, axis=0)
            up_to = m.cumsum(m.constant(m.exp(weight - mean)), axis=0)
            at = m.sum(m.where(up_to[None, :] < ((m.arange(particles) + u)/particles)[:, None], 1, 0), axis=1)
            return (m.take(x, m.where(at > particles - 1, particles - 1, at)), total + mean), None
        return m.scan(step, (0*zs[0], 0*p[0]), (ys, us, zs))[0][1]
    return f, (numpy.array([0.9, 0.5, 0.7]), rng.normal(size=steps), rng.random(steps), rng.normal(size=(steps, particles)))


def interior_point(m, rng, n=8, rows=20):
    """Where c @ x is least with A @ x < b: ten barriers of half the height of the one before, ten Newton steps on each."""
    def f(c, A, b):
        def newton(_, carried):
            x, t = carried
            room = b - A @ x
            slope = t*c + A.T @ (1/room)
            step = m.solve(A.T @ (A*(1/room**2)[:, None]), slope)
            return x - step/(1 + m.sqrt(m.maximum(m.sum(slope*step), 0.0))), t

        def barrier(_, carried):
            x, t = m.fori(0, 10, newton, carried)
            return x, 2*t
        x, _ = m.fori(0, 10, barrier, (0*c, 1.0 + 0*c[0]))
        return m.sum(c*x) + m.sum(x**2)
    return f, (rng.normal(size=n), rng.normal(size=(rows, n)), 1 + rng.random(rows))


def annealing(m, rng, n=8, chains=64, steps=50):
    """The evidence of a density by 64 chains of leapfrog steps, from a normal one to it: gradients within the program."""
    def f(mean, zs, starts):
        def density(x, heat):
            return m.sum(-0.5*(1 - heat)*x**2 - heat*(x - mean)**2*(1 + 0.1*m.cos(x)))
        slope = m.grad(density)

        def chain(x, zs):
            def step(carried, seen):
                x, weight = carried
                heat, z = seen
                weight = weight + density(x, heat + 1/steps) - density(x, heat)

                def leap(_, carried):
                    x, v = carried
                    v = v + 0.05*slope(x, heat)
                    x = x + 0.1*v
                    return x, v + 0.05*slope(x, heat)
                return (m.fori(0, 5, leap, (x, z))[0], weight), None
            return m.scan(step, (x, 0*x[0]), (m.arange(steps)/steps, zs))[0][1]
        return m.logsumexp(m.vmap(chain)(starts, zs), axis=0)
    return f, (rng.normal(size=n)*0.3, rng.normal(size=(chains, steps, n)), rng.normal(size=(chains, n)))


def hidden_states(m, rng, states=16, kinds=30, steps=300):
    """The log-likelihood of what is seen of a hidden Markov model, forwards."""
    def f(T, E, seen):
        T, E = T - m.logsumexp(T, axis=1)[:, None], (E - m.logsumexp(E, axis=1)[:, None]).T
        last, _ = m.scan(lambda a, o: (m.logsumexp(a[:, None] + T, axis=0) + m.take(E, o), None), m.take(E, seen[0]), seen[1:])
        return m.logsumexp(last, axis=0)
    return f, (rng.normal(size=(states, states)), rng.normal(size=(states, kinds)), rng.integers(0, kinds, steps))


def flow(m, rng, n=12, steps=200):
    """The end of 200 steps of Runge and Kutta's."""
    def f(W, x):
        def rate(x):
            return m.tanh(W @ x) - 0.3*x

        def step(_, x):
            a = rate(x)
            b = rate(x + 0.05*a)
            c = rate(x + 0.05*b)
            return x + 0.1/6*(a + 2*b + 2*c + rate(x + 0.1*c))
        return m.sum(m.fori(0, steps, step, x)**2)
    return f, (rng.normal(size=(n, n))*0.4, rng.normal(size=n))


def chart(m, rng, n=14, kinds=8, at_once=True):
    """The log-probability of a sentence under a grammar: spans by their lengths, of a length all places and all cuts at once."""
    def f(R, E, words):
        spans = m.put(m.full((n, n + 1, kinds), -1e9), (m.arange(n), 1), m.take(E.T, words))

        def of_length(length, spans):
            def from_place(i, spans):
                def cut(k, total):
                    both = R + spans[i, k][None, :, None] + spans[i + k, length - k][None, None, :]
                    return m.logaddexp(total, m.logsumexp(both, axis=(1, 2)))
                return m.put(spans, (i, length), m.fori(1, length, cut, m.full((kinds,), -1e9)))
            return m.fori(0, n - length + 1, from_place, spans)
        if not at_once:
            return m.fori(2, n + 1, of_length, spans)[0, n, 0]
        for length in range(2, n + 1):
            i, k = numpy.arange(n - length + 1)[:, None], numpy.arange(1, length)[None, :]
            both = R + spans[i, k][:, :, None, :, None] + spans[i + k, length - k][:, :, None, None, :]
            spans = m.put(spans, (slice(0, n - length + 1), length), m.logsumexp(both, axis=(1, 3, 4)))
        return spans[0, n, 0]
    return f, (rng.normal(size=(kinds, kinds, kinds)), rng.normal(size=(kinds, 20)), rng.integers(0, 20, n))


def chart_in_loops(m, rng):
    """The same by three loops in one another, beside JAX's at once: its loops have no derivative where their bounds move."""
    return chart(m, rng, at_once=m is not ours)


def tree(m, rng, n=16, levels=6):
    """An LSTM up a full tree of 64 leaves, a level at once."""
    def f(W, U, leaves):
        h, c = leaves, 0*leaves
        for _ in range(levels):
            z = h[0::2] @ W + h[1::2] @ U
            i, left, right, o, g = (z[:, k*n:(k + 1)*n] for k in range(5))
            c = m.sigmoid(i)*m.tanh(g) + m.sigmoid(left)*c[0::2] + m.sigmoid(right)*c[1::2]
            h = m.sigmoid(o)*m.tanh(c)
        return m.sum(h**2)
    return f, (rng.normal(size=(n, 5*n))*0.3, rng.normal(size=(n, 5*n))*0.3, rng.normal(size=(2**levels, n)))


def ragged(m, rng, rows=64, longest=100):
    """64 recurrences of lengths of their own beside padded rows."""
    def f(w, xs, lengths):
        def one(row, length):
            def step(carried, x):
                s, i = carried
                return (m.where(i < length, m.tanh(w[0]*s + w[1]*x + w[2]), s), i + 1), None
            return m.scan(step, (0*row[0], 0*length), row)[0][0]
        return m.sum(m.vmap(one)(xs, lengths)**2)
    return f, (numpy.array([0.5, 0.3, 0.1]), rng.normal(size=(rows, longest)), rng.integers(0, longest, rows))


PROGRAMS = (particle_filter, interior_point, annealing, hidden_states, flow, chart, chart_in_loops, tree, ragged)


def sides(program, gradient):
    """What ours and JAX's give, and a side of each to be timed."""
    for m in (ours, of_jax()) if jax else (ours,):
        f, args = program(m, numpy.random.default_rng(3))
        f = m.jit(m.grad(f) if gradient else f)
        args = args if m is ours else [jax.numpy.asarray(a) for a in args]
        found = numpy.asarray(f(*args))
        for compiled in f.programs if m is ours else ():
            compiled.wait(60)
        yield found, processor(calls(lambda f=f, args=args: numpy.asarray(f(*args))))


def main():
    table = Table("programs")
    for program in PROGRAMS:
        for gradient in (False, True):
            case = program.__name__.replace("_", " ") + (", gradient" if gradient else "")
            found, timed = zip(*sides(program, gradient))
            if any(not numpy.allclose(found[0], other, rtol=1e-9, atol=1e-9*numpy.abs(other).max()) for other in found[1:]):
                table.failed(case, "it is not what JAX gives")
                continue
            times = in_turns(timed, least=0.05)
            bound = None if program in (chart, chart_in_loops) else 1
            table.add(case + ", us", *([t*1e6 for t in times] + [None])[:2], bound)
    sys.exit(table.done())


if __name__ == "__main__":
    main()
