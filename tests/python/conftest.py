"""What the tests of the package have in common."""
import numpy as np
import pytest


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
