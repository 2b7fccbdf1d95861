"""What the tests of the package have in common."""
import os
import shutil
import threading

import numpy as np
import pytest

# the package is tested where there is no C compiler too
COMPILER = shutil.which((os.environ.get("CC") or "cc").split()[0])
TIERS = ("reference", "interpret") + (("native",) if COMPILER else ())


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def central(f, x, step=1e-6):
    """The gradient of f at x by central differences."""
    x = np.array(x, dtype=float)
    slope = np.empty_like(x)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        slope[i] = (f(up) - f(down))/(2*step)
    return slope


def in_eight_threads(work):
    """work(k) in eight threads at once, k from 0; what one of them raises is raised here."""
    raised = []

    def guarded(k):
        try:
            work(k)
        except BaseException as e:
            raised.append(e)
    workers = [threading.Thread(target=guarded, args=(k,)) for k in range(8)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    if raised:
        raise raised[0]


def pytest_sessionfinish(session, exitstatus):
    """A file that needs another package, which is not there, has skipped all of itself: that is no failure."""
    said = session.config.pluginmanager.get_plugin("terminalreporter").stats
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and said.get("skipped"):
        session.exitstatus = pytest.ExitCode.OK
