"""What threads share: functions, traces, arrays, graphs, operators of Python; with the GIL, and without one."""
import sys
import sysconfig
import threading

import numpy as np
import porism
import pytest
from porism import array_api as xp

from conftest import in_eight_threads

ROUNDS = 200


def test_the_gil_stays_off():
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("a Python with a GIL")
    assert not sys._is_gil_enabled()


def test_one_program():
    f = porism.jit(lambda x, y: (x @ y, (x*x).sum()))
    f(np.ones((3, 4)), np.ones((4, 2)))

    def work(k):
        rng = np.random.default_rng(k)
        for _ in range(ROUNDS):
            m, n = rng.integers(2, 40, 2)
            x, y = rng.normal(size=(m, n)), rng.normal(size=(n, 3))
            z, s = f(x, y)
            np.testing.assert_allclose(z, x @ y, rtol=1e-10, atol=1e-12)
            assert abs(s - (x*x).sum()) <= 1e-10*s
    in_eight_threads(work)


def test_traces_are_found_and_made():
    """Dtypes, ranks and sizes of 1 ask for traces; all threads ask for the same at once."""
    f = porism.jit(lambda x: (2*x).sum())
    begun = threading.Barrier(8)

    def work(k):
        begun.wait()
        for r in range(ROUNDS):
            kind = (r + k) % 24
            x = np.ones((2, 1, 3)[kind % 3:][:1]*(1 + kind//3 % 4), [np.float64, np.float32][kind//12])
            assert f(x) == 2*x.size
    in_eight_threads(work)
    assert f.programs


def test_arrays_of_one_are_read_by_all():
    """A small array becomes NumPy's when it is first asked; its block stays for calls that read it."""
    shared = [xp.asarray(np.full(n, 1.0)) + 0.0 for n in (3, 20, 100, 1000)*20]

    def work(k):
        for r in range(ROUNDS):
            x = shared[(r + k) % len(shared)]
            y = x*2.0 + x
            assert float(xp.sum(y)) == 3*x.size
            assert np.asarray(x).sum() == x.size
            z = xp.asarray(np.ones(5 + r % 70)) + 1.0
            z += 1.0
            assert float(xp.max(z)) == 3.0
    in_eight_threads(work)


def test_one_graph_is_built_by_all():
    """Nodes, sizes, functions and texts of one graph: one thread at a time, whoever it is."""
    g = porism.graph()
    x = g.input("x", "f64[n]")

    def work(k):
        for r in range(40):
            y = x
            for i in range(10):
                y = porism.sin(y + float(i + r)) if (i + k) % 2 else y*float(k + i)
            assert str(y.dtype) == "f64" and str(y)
            s = y.sum()
            f = g.function(f"f{k}", [x], [s])
            assert f.text()
    in_eight_threads(work)


def test_one_file_gives_functions_to_all(tmp_path):
    """Its functions are compiled on their first call, all from the file's one graph."""
    path = tmp_path / "two.por"
    path.write_text("fn f(x: f64[n]) = sum(exp(x))\nfn g(x: f64[n]) = grad(f(x), x)\n")
    m = porism.load(path)
    begun = threading.Barrier(8)

    def work(k):
        begun.wait()
        for r in range(20):
            x = np.linspace(0, 1, 1 + (k + r) % 5)
            np.testing.assert_allclose(m.f(x), np.exp(x).sum(), rtol=1e-12)
            np.testing.assert_allclose(m.g(x), np.exp(x), rtol=1e-12)
    in_eight_threads(work)


def test_what_operators_of_python_raise():
    """Each call has its own exception, or none."""
    def kernel(x):
        if x[0] < 0:
            raise ValueError(f"given {x[0]:g}")
        return 2*x
    twice = porism.operator("twice(x: f64[n]) -> f64[n]", kernel)
    f = porism.jit(lambda x: twice(x) + 1.0)
    f(np.ones(3))

    def work(k):
        for r in range(60):
            x = np.full(3, float(1 + k + 10*r))
            assert (f(x) == 2*x + 1).all()
            if k % 2:
                with pytest.raises(ValueError, match=f"(?m)given -{1 + k + 10*r}$"):
                    f(-x)
    in_eight_threads(work)
