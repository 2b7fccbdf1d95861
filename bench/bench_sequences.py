#!/usr/bin/env python3
"""The programs of sequences.por beside JAX, its functions jitted, on one processor: f64, native, processor time."""
import os
import sys

from table import ROOT, Table, peer, use_peers

use_peers(1)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})      # whoever has threads of its own
from beside import by_jax, beside                                            # noqa: E402

numpy = peer("numpy", tell=False)
jax = peer("jax", tell=False)
BOUND = 1.0


def align(x, y, g):
    np, far = jax.numpy, 1e10

    def row(above, a):
        def cell(left, s):
            up, diagonal, b = s
            v = (a - b)**2 - g*jax.nn.logsumexp(-np.array([left, up, diagonal])/g)
            return v, v
        cells = jax.lax.scan(cell, far, (above[1:], above[:-1], y))[1]
        return np.concatenate([np.array([far]), cells]), None
    return jax.lax.scan(row, np.full(len(y) + 1, far).at[0].set(0.0), x)[0][-1]


def ways(p, labels, three):
    """What no way leads to is far below, not -inf, of which JAX's logaddexp has no derivative."""
    np, never = jax.numpy, -1e30
    n = 2*len(labels) + 1
    symbol = np.zeros(n, int).at[1::2].set(labels)
    skips = np.concatenate([np.zeros(2, bool), (symbol[2:] != 0) & (symbol[2:] != symbol[:-2])])

    def step(a, row):
        one = np.concatenate([np.full(1, never), a[:-1]])
        two = np.where(skips, np.concatenate([np.full(2, never), a[:-2]]), never)
        return three(a, one, two) + row[symbol], None
    last = jax.lax.scan(step, np.where(np.arange(n) < 2, p[0, symbol], never), p[1:])[0]
    return -np.logaddexp(last[-1], last[-2])


def decode(z, labels):
    return ways(jax.nn.log_softmax(z, 1), labels, lambda *a: jax.nn.logsumexp(jax.numpy.stack(a), axis=0))


def decode_scores(p, labels):
    return ways(p, labels, lambda a, b, c: jax.numpy.logaddexp(a, jax.numpy.logaddexp(b, c)))


def transport(C, eps):
    np, (m, n) = jax.numpy, C.shape

    def round_(s, _):
        f = -eps*(jax.nn.logsumexp((s[1] - C)/eps, axis=1) + np.log(m))
        g = -eps*(jax.nn.logsumexp((f[:, None] - C)/eps, axis=0) + np.log(n))
        return (f, g), None
    f, g = jax.lax.scan(round_, (np.zeros(m), np.zeros(n)), None, length=30)[0]
    return (np.exp((f[:, None] + g - C)/eps)*C).sum()


def seen(first, A, E):
    def step(a, e):
        return jax.nn.logsumexp(a[:, None] + A, axis=0) + e, None
    return jax.nn.logsumexp(jax.lax.scan(step, first + E[0], E[1:])[0])


def likelihoods(A, E, rows, lengths):
    def one(row, length):
        def step(a, s):
            i, o = s
            return jax.numpy.where(i < length, jax.nn.logsumexp(a[:, None] + A, axis=0) + E[o], a), None
        steps = jax.numpy.arange(1, len(row)), row[1:]
        return jax.nn.logsumexp(jax.lax.scan(step, E[row[0]], steps)[0])
    return jax.vmap(one)(rows, lengths).sum()


def filter_(y, a, q, r):
    def step(s, v):
        m, P, l = s
        m, P = a*m, a*a*P + q
        K = P/(P + r)
        return (m + K*(v - m), (1 - K)*P, l - 0.5*(jax.numpy.log(2*jax.numpy.pi*(P + r)) + (v - m)**2/(P + r))), None
    return jax.lax.scan(step, (0.0, 1.0, 0.0), y)[0][2]


def track(q, y):
    np, solve = jax.numpy, jax.scipy.linalg.solve_triangular
    F, Q = np.array([[1, 0.5], [0, 1]]), q[0]*np.array([[0.25, 0.1], [0.1, 0.4]])
    H, R = np.array([[1, 0], [0.5, 1]]), q[1]*np.eye(2)

    def step(s, v):
        m, P, l = s
        m, P = F @ m, F @ P @ F.T + Q
        L = np.linalg.cholesky(H @ P @ H.T + R)
        z, K = solve(L, np.array([v, v**2]) - H @ m, lower=True), solve(L, H @ P, lower=True)
        return (m + K.T @ z, P - K.T @ K, l - z @ z/2 - np.log(np.diag(L)).sum() - np.log(2*np.pi)), None
    return jax.lax.scan(step, (np.zeros(2), np.eye(2), 0.0), y)[0][2]


def particles(y, a, q, r, first, noise, u):
    np, n = jax.numpy, len(first)

    def step(s, given):
        (x, l), (v, e, u) = s, given
        x = a*x + q*e
        w = -0.5*((v - x)/r)**2 - np.log(r)
        below = np.cumsum(jax.nn.softmax(w)) < ((u + np.arange(n))/n)[:, None]
        return (x[np.minimum(below.sum(1), n - 1)], l + jax.nn.logsumexp(w) - np.log(n)), None
    return jax.lax.scan(step, (first, 0.0), (y, noise, u))[0][1]


def automata(table, text, length):
    def one(text, length):
        step = lambda s: (table[s[0], text[s[1]]], s[1] + 1)                  # noqa: E731
        return jax.lax.while_loop(lambda s: s[1] < length, step, (0, 0))[0]
    return jax.vmap(one)(text, length)


def places(x, v):
    def one(x, v):
        def step(s):
            middle = (s[0] + s[1])//2
            below = x[middle] < v
            return jax.numpy.where(below, middle + 1, s[0]), jax.numpy.where(below, s[1], middle)
        return jax.lax.while_loop(lambda s: s[0] < s[1], step, (0, len(x)))[0]
    return jax.vmap(one)(x, v)


def runs(value, times, size, none):
    np = jax.numpy

    def one(value, times, size):
        def step(s):
            y, j, left, k = s
            on = left > 0
            return (np.where(on, y.at[k].set(value[j]), y), np.where(on, j, j + 1),
                    np.where(on, left - 1, times[j + 1]), np.where(on, k + 1, k))
        return jax.lax.while_loop(lambda s: s[3] < size, step, (none, 0, times[0], 0))[0]
    return jax.vmap(one)(value, times, size)


def rows(random):
    """(what it is, the function of sequences.por, what is given, JAX's function, by which arguments it is differentiated or
    what its results are like)."""
    def number(x):
        return numpy.array(float(x))
    pair = [random.standard_normal(200), random.standard_normal(300), number(0.7)]
    yield "alignment of 200 by 300", "align", pair, align, None
    yield "its gradient", "align_gradient", pair, align, [0]
    logits = [random.standard_normal((100, 30)), random.integers(1, 30, 20)]
    yield "gradient of a decoder's loss, 100 by 20", "decode_gradient", logits, decode, [0]
    scores = [random.standard_normal((200, 30)), random.integers(1, 30, 40)]
    yield "another form of it, 200 by 40", "decode_scores", scores, decode_scores, None
    yield "the gradient of that", "decode_scores_gradient", scores, decode_scores, [0]
    yield "gradient of transport, 50 by 60", "transport_gradient", [random.random((50, 60)), number(0.1)], transport, [0]
    first, A = numpy.log(random.dirichlet(numpy.ones(8))), numpy.log(random.dirichlet(numpy.ones(8), 8))
    yield "hidden Markov model, by what is seen", "states", [first, A, random.standard_normal((300, 8))], seen, [2]
    many = [A, random.standard_normal((20, 8)), random.integers(0, 20, (50, 60)), random.integers(30, 60, 50)]
    yield "50 of them, of different lengths", "transitions", many, likelihoods, [0]
    one = [random.standard_normal(1000), number(0.8), number(0.3), number(0.5)]
    yield "gradient of a Kalman filter of one number", "filter_gradient", one, filter_, [1, 2, 3]
    yield "of one with matrices of 2 by 2", "track_gradient", [numpy.array([0.7, 1.3]), random.standard_normal(300)], track, [0]
    cloud = [random.standard_normal(100), number(0.9), number(0.7), number(0.8), random.standard_normal(64),
             random.standard_normal((100, 64)), random.random(100)]
    yield "of a particle filter", "particles_gradient", cloud, particles, [1, 2, 3]
    texts = [random.integers(0, 8, (8, 5)), random.integers(0, 5, (2000, 100)), random.integers(30, 100, 2000)]
    yield "an automaton over 2,000 texts", "automata", texts, automata, numpy.empty(2000, int)
    sorted_rows = [numpy.sort(random.random((500, 1000)), 1), random.random(500)]
    yield "binary search in 500 rows of 1,000", "places", sorted_rows, places, numpy.empty(500, int)
    times = random.integers(1, 8, (500, 20))
    decoded = [random.integers(0, 9, (500, 20)), times, numpy.minimum(times[:, :-1].sum(1), 100), numpy.zeros(100, int)]
    yield "run lengths, 500 rows of 100", "runs", decoded, runs, numpy.empty((500, 100), int)


def main():
    table = Table("sequences")
    if not numpy:
        table.add("all", 0, None, BOUND)
        return table.done()
    if jax:
        jax.config.update("jax_enable_x64", True)
        print(f"peer: jax {jax.__version__}, one processor", flush=True)
    with open(os.path.join(ROOT, "bench", "sequences.por"), encoding="utf-8") as f:
        text = f.read()
    for case, name, given, theirs, by in rows(numpy.random.default_rng(5)):
        outs = [by] if isinstance(by, numpy.ndarray) else [numpy.empty_like(given[i]) for i in by or ()] or [numpy.empty(())]
        if jax and isinstance(by, list):
            theirs = jax.grad(theirs, tuple(by))
        beside(table, text, case + ", us", name, given, outs, {"JAX": by_jax(jax, given, theirs)}, BOUND)
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
