#!/usr/bin/env python3
"""Log-densities of models as PyTensor's graphs with their gradients: here beside PyTensor's numba, to 1e-10.

Three ways: PyTensor's gradient in our mode, PyTensor's gradient in the mode NUMBA, and the log-density alone
differentiated here (porism.pytensor.value_and_grad).  MODELS=name,... takes only these."""
import gc
import math
import os
import sys
import tempfile
import time

from table import ROOT, Table, peer, use_peers

use_peers(1)
sys.path.insert(0, os.path.join(ROOT, "build", "release", "python"))
KEPT = tempfile.TemporaryDirectory()                     # where PyTensor keeps what it compiled: nothing yet
os.environ["PYTENSOR_FLAGS"] = "base_compiledir=" + KEPT.name
if peer("pytensor") is None or peer("numba") is None:
    sys.exit(1)
import numpy as np                                      # noqa: E402
import pytensor                                         # noqa: E402
import pytensor.tensor as pt                            # noqa: E402

import porism.pytensor                                  # noqa: E402

NEAR, FASTER, QUICKER = 1e-10, 1.0, 0.2
RNG = np.random.default_rng(20)
MODELS = {}


def model(f):
    MODELS[f.__name__] = f
    return f


def normal(x, mean=0.0, sd=1.0):
    return -0.5*((x - mean)/sd)**2 - pt.log(sd) - 0.5*math.log(2*math.pi)


def half_normal(log_sd):
    """Of sd, by its logarithm."""
    return normal(pt.exp(log_sd)) + math.log(2) + log_sd


def vector(name, n):
    return pt.dvector(name, shape=(n,))


@model
def eight_schools():
    y, sd = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    mu, log_tau, z = pt.dscalar("mu"), pt.dscalar("log_tau"), vector("z", 8)
    logp = normal(mu, 0, 5.0) + half_normal(log_tau) + normal(z).sum() + normal(y, mu + pt.exp(log_tau)*z, sd).sum()
    return [mu, log_tau, z], logp


@model
def radon():
    county, floor = RNG.integers(0, 85, 919), RNG.integers(0, 2, 919).astype(float)
    y = RNG.normal(size=919)
    mu, log_tau, b, log_sd, a = pt.dscalar("mu"), pt.dscalar("log_tau"), pt.dscalar("b"), pt.dscalar("log_sd"), vector("a", 85)
    seen = mu + pt.exp(log_tau)*a[county] + b*floor
    return [mu, log_tau, b, log_sd, a], normal(mu) + half_normal(log_tau) + normal(b) + half_normal(log_sd) + \
        normal(a).sum() + normal(y, seen, pt.exp(log_sd)).sum()


@model
def logistic():
    x, y = RNG.normal(size=(500, 10)), RNG.integers(0, 2, 500).astype(float)
    w, b = vector("w", 10), pt.dscalar("b")
    z = x @ w + b
    return [w, b], normal(w).sum() + normal(b) + (y*z - pt.softplus(z)).sum()


@model
def mixture():
    y = RNG.normal(size=300)
    mu, log_sd, u = vector("mu", 3), vector("log_sd", 3), vector("u", 3)
    each = pt.special.log_softmax(u) + normal(y[:, None], mu, pt.exp(log_sd))
    return [mu, log_sd, u], normal(mu, 0, 3.0).sum() + half_normal(log_sd).sum() + normal(u).sum() + \
        pt.logsumexp(each, axis=1).sum()


@model
def autoregression():
    y = RNG.normal(size=400).cumsum()*0.1
    c, rho, log_sd = pt.dscalar("c"), vector("rho", 2), pt.dscalar("log_sd")
    seen = c + rho[0]*y[1:-1] + rho[1]*y[:-2]
    return [c, rho, log_sd], normal(c) + normal(rho).sum() + half_normal(log_sd) + normal(y[2:], seen, pt.exp(log_sd)).sum()


@model
def hidden_markov():
    y = RNG.normal(size=100)
    mu, u = vector("mu", 3), pt.dmatrix("u", shape=(3, 3))
    step = pt.special.log_softmax(u, axis=1)
    seen = normal(y[:, None], mu)
    alpha = pytensor.scan(lambda e, a, step: pt.logsumexp(a[:, None] + step, axis=0) + e, sequences=[seen[1:]],
                          outputs_info=[seen[0] - math.log(3)], non_sequences=[step], return_updates=False)
    return [mu, u], normal(mu, 0, 3.0).sum() + normal(u).sum() + pt.logsumexp(alpha[-1])


@model
def stochastic_volatility():
    y = RNG.normal(size=200)
    log_sd, rho, z = pt.dscalar("log_sd"), pt.dscalar("rho"), vector("z", 200)
    h = pytensor.scan(lambda e, h, rho, sd: rho*h + sd*e, sequences=[z], outputs_info=[pt.as_tensor(np.float64(0))],
                      non_sequences=[pt.tanh(rho), pt.exp(log_sd)], return_updates=False)
    return [log_sd, rho, z], half_normal(log_sd) + normal(rho) + normal(z).sum() + normal(y, 0, pt.exp(h/2)).sum()


@model
def negative_binomial():
    x, y = RNG.normal(size=(200, 4)), RNG.poisson(3.0, 200)
    w, log_n = vector("w", 4), pt.dscalar("log_n")
    n, mu = pt.exp(log_n), pt.exp(x @ w)
    each = pt.gammaln(y + n) - pt.gammaln(n) - pt.gammaln(y + 1.0) + n*(log_n - pt.log(n + mu)) + y*(x @ w - pt.log(n + mu))
    return [w, log_n], normal(w).sum() + normal(log_n) + each.sum()


@model
def ordinal():
    x, y = RNG.normal(size=300), RNG.integers(0, 4, 300)
    b, first, gaps = pt.dscalar("b"), pt.dscalar("first"), vector("gaps", 2)
    cuts = pt.concatenate([first[None], first + pt.cumsum(pt.exp(gaps))])
    below = pt.concatenate([pt.zeros((300, 1)), pt.sigmoid(cuts - b*x[:, None]), pt.ones((300, 1))], axis=1)
    p = below[np.arange(300), y + 1] - below[np.arange(300), y]
    return [b, first, gaps], normal(b) + normal(first) + normal(gaps).sum() + pt.log(p).sum()


@model
def horseshoe():
    x, y = RNG.normal(size=(100, 50)), RNG.normal(size=100)
    z, log_local, log_global = vector("z", 50), vector("log_local", 50), pt.dscalar("log_global")
    cauchy = lambda v: math.log(2/math.pi) - pt.log1p(pt.exp(2*v)) + v                  # noqa: E731
    w = z*pt.exp(log_local + log_global)
    return [z, log_local, log_global], normal(z).sum() + cauchy(log_local).sum() + cauchy(log_global) + \
        normal(y, x @ w).sum()


@model
def network():
    x, y = RNG.normal(size=(150, 6)), RNG.normal(size=150)
    a, b, c = pt.dmatrix("a", shape=(6, 8)), vector("b", 8), vector("c", 8)
    return [a, b, c], normal(a).sum() + normal(b).sum() + normal(c).sum() + normal(y, pt.tanh(x @ a + b) @ c).sum()


@model
def gaussian_process():
    x, y = np.sort(RNG.uniform(0, 5, 40)), RNG.normal(size=40)
    log_size, log_length = pt.dscalar("log_size"), pt.dscalar("log_length")
    k = pt.exp(2*log_size - 0.5*((x[:, None] - x)/pt.exp(log_length))**2) + 0.1*np.eye(40)
    lower = pt.linalg.cholesky(k)
    z = pt.linalg.solve_triangular(lower, y, lower=True)
    return [log_size, log_length], normal(log_size) + normal(log_length) - 0.5*(z**2).sum() - pt.log(pt.diag(lower)).sum()


def least(f, args):
    """Microseconds of a call: the least of some rounds of processor time."""
    calls = max(1, int(0.02/timed(f, args, 1)))
    return min(timed(f, args, calls) for _ in range(9))*1e6


def timed(f, args, calls):
    begin = time.process_time()
    for _ in range(calls):
        f(*args)
    return max((time.process_time() - begin)/calls, 1e-7)


def compiled(make):
    """What make gives, and its seconds: the collector walks nothing that was made before."""
    gc.collect()
    gc.freeze()
    begin = time.process_time()
    f = make()
    return f, time.process_time() - begin


def apart(a, b):
    return max(float(np.max(np.abs(np.asarray(x) - y)/(1 + np.abs(y)))) for x, y in zip(a, b))


def flat(result):
    return [result[0], *result[1]]


def measure(table, name, all_):
    inputs, logp = MODELS[name]()
    point = [np.asarray(0.3*RNG.normal(size=v.type.shape)) for v in inputs]
    slopes = pytensor.grad(logp, inputs)
    mode = porism.pytensor.mode("interpret")

    def build(mode):
        f = pytensor.function(inputs, [logp, *slopes], mode=mode)
        f.trust_input = True
        f(*point)
        return f
    here, cold_here = compiled(lambda: build(mode))
    there, cold_there = compiled(lambda: build("NUMBA"))
    report = porism.pytensor.report(here)
    here = build(porism.pytensor.mode("native", 1))
    wanted = there(*point)
    far = apart(here(*point), wanted)
    try:
        own = porism.pytensor.value_and_grad(logp, inputs, mode=porism.pytensor.mode("native", 1))
        far = max(far, apart(flat(own(*point)), wanted))
    except NotImplementedError:
        own = None
    us, numba = least(here, point), least(there, point)
    all_.append(us/numba)
    table.add(f"{name}: apart", far, NEAR, 1)
    table.add(f"{name}, us", us, numba, FASTER)
    if own:
        table.add(f"{name}, differentiated here, us", least(own, point), numba, FASTER)
    table.add(f"{name}, compiled cold, s", cold_here, cold_there, QUICKER)
    print(f"{name}: {report['native']} nodes native, by perform {report['perform'] or 'none'}", flush=True)


def main():
    table, all_ = Table("pytensor"), []
    for name in os.environ.get("MODELS", ",".join(MODELS)).split(","):
        measure(table, name, all_)
    table.add("geometric mean of the times", math.exp(sum(map(math.log, all_))/len(all_)), 1.0, 0.7)
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
