#!/usr/bin/env python3
"""Twenty models of PyMC's: log-density and gradient in our mode beside the modes of PyTensor's, to 1e-10, and the times.

They run as NUTS runs them (logp_dlogp_function, through compile_kwargs).  MODELS=name,... takes only these.  SAMPLE=1:
three of them by NUTS in both modes, whose posteriors must agree within their Monte Carlo errors.  PyMC is in an
environment of its own, as it needs a PyTensor of its own: `VENV=build/venv-pymc tools/peers.sh 'pymc>=5.28' numba`."""
import logging
import math
import os
import sys
import tempfile
import warnings

from table import ROOT, Table, peer, use_peers

use_peers(1, "venv-pymc")
sys.path.insert(0, os.path.join(ROOT, "build", "release", "python"))
KEPT = tempfile.TemporaryDirectory()                     # where PyTensor keeps what it compiled: nothing yet
os.environ["PYTENSOR_FLAGS"] = "base_compiledir=" + KEPT.name
warnings.simplefilter("ignore")
if peer("pymc") is None or peer("numba") is None:
    sys.exit(1)
import numpy as np                                      # noqa: E402
import pymc as pm                                       # noqa: E402

import porism.pytensor                                  # noqa: E402
from bench_pytensor import apart, compiled, least       # noqa: E402
from pymc_models import MODELS                          # noqa: E402

NEAR, FASTER, QUICKER, SIGMAS = 1e-10, 1.0, 0.2, 5.0
SAMPLED = ("eight_schools", "robust", "poisson")


def build(model, mode, point):
    """The function that NUTS calls: of one vector."""
    made = model.logp_dlogp_function(ravel_inputs=True, mode=mode)
    made.set_extra_values({})
    f = made._pytensor_function
    f.trust_input = True
    f(point)
    return f


def measure(table, name, all_):
    model = MODELS[name]()
    start = model.initial_point()
    size = sum(np.size(start[v.name]) for v in model.value_vars)
    point = 0.3*np.random.default_rng(7).normal(size=size)
    here, cold_here = compiled(lambda: build(model, porism.pytensor.mode("interpret"), point))
    there, cold_there = compiled(lambda: build(model, "NUMBA", point))
    report = porism.pytensor.report(here)
    here = build(model, porism.pytensor.mode("native", 1), point)
    table.add(f"{name}: apart", apart(here(point), there(point)), NEAR, 1)
    us, numba = least(here, [point]), least(there, [point])
    all_.append(us/numba)
    table.add(f"{name}, us", us, numba, FASTER)
    table.add(f"{name}, compiled cold, s", cold_here, cold_there, QUICKER)
    print(f"{name}: {report['native']} nodes native, by perform {report['perform'] or 'none'}", flush=True)


def sample(table, name):
    """The largest distance of two posterior means, in Monte Carlo errors of their difference; the time of a step of their
    trajectories, as two seeds' have other lengths."""
    import arviz
    found = []
    for mode, seed in (("PORISM", 1), ("NUMBA", 2)):
        with MODELS[name]():
            drawn = pm.sample(1000, tune=1000, chains=2, cores=1, random_seed=seed, progressbar=False,
                              compute_convergence_checks=False, compile_kwargs={"mode": mode})
            spent, steps = (float(drawn.sample_stats[each].sum()) for each in ("process_time_diff", "n_steps"))
            found.append((drawn.posterior, arviz.mcse(drawn), spent/steps*1e6))
    far = 0.0
    for v in found[0][0].data_vars:
        means = [p[v].mean(("chain", "draw")) for p, _, _ in found]
        error = np.sqrt(sum(np.asarray(e[v])**2 for _, e, _ in found))
        far = max(far, float(np.max(np.abs(np.asarray(means[0] - means[1]))/error)))
    table.add(f"{name}, NUTS: means apart, in errors", far, SIGMAS, 1)
    table.add(f"{name}, NUTS: us a step", found[0][2], found[1][2], 1.0)


def main():
    for name in ("pymc", "pytensor"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    table, all_ = Table("pymc"), []
    for name in os.environ.get("MODELS", ",".join(MODELS)).split(","):
        try:
            measure(table, name, all_)
        except Exception as e:
            table.failed(name, f"{type(e).__name__}: {str(e).splitlines()[0]}")
    table.add("geometric mean of the times", math.exp(sum(map(math.log, all_))/len(all_)), 1.0, 0.7)
    for name in SAMPLED if os.environ.get("SAMPLE") else ():
        sample(table, name)
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
