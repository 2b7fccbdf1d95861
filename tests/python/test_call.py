"""Calls of compiled functions."""
import numpy as np
import porism


def test_first():
    f = porism.jit(lambda x: porism.exp(x))
    assert f(0.0) == 1
