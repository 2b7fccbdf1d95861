"""porism.scipy and porism.jax, and what docs/pytensor.md shows."""
import os

import numpy as np
import pytest

os.environ.setdefault("PYTENSOR_FLAGS", "cxx=,linker=vm")

import porism                                                    # noqa: E402

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
Y = np.array([0.0, 1.0, 1.0])
W = np.array([0.1, -0.2])


def loss(w, x, y):
    z = x @ w
    return porism.mean(porism.log(1 + porism.exp(z)) - y*z)


def rosenbrock(x):
    return porism.sum(100*(x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)


def test_page():
    import doctest
    for name in ("pytensor", "scipy", "jax"):
        pytest.importorskip(name)
    page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "pytensor.md")
    failed, tried = doctest.testfile(page, module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 20 and not failed


# ---- SciPy ----


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "Newton-CG", "trust-exact", "trust-ncg", "dogleg", "Nelder-Mead"])
def test_minimize(method):
    pytest.importorskip("scipy")
    import porism.scipy
    start = np.array([0.9, 0.8]) if method == "dogleg" else np.array([-1.2, 1.0, 1.2])
    r = porism.scipy.minimize(rosenbrock, start, method=method)
    np.testing.assert_allclose(r.x, 1, atol=1e-3)
    if method not in ("Nelder-Mead", "dogleg"):
        assert r.njev <= r.nfev + 1


def test_minimize_takes_structures_and_arguments():
    pytest.importorskip("scipy")
    import porism.scipy
    start = {"w": np.zeros((2, 1)), "b": 0.0}
    r = porism.scipy.minimize(lambda p, c: porism.sum((p["w"] - c)**2) + (p["b"] - 3)**2, start, args=(2.0,))
    assert r.x["w"].shape == (2, 1)
    np.testing.assert_allclose(r.x["w"], 2, atol=1e-6)
    np.testing.assert_allclose(r.x["b"], 3, atol=1e-6)


def test_objective():
    pytest.importorskip("scipy")
    import porism.scipy
    f = porism.scipy.Objective(rosenbrock)
    x, v = np.array([-1.2, 1.0, 1.2]), np.array([1.0, -2.0, 0.5])
    value, slope = f.both(x)
    assert value == f.fun(x)
    np.testing.assert_allclose(slope, f.jac(x))
    np.testing.assert_allclose(f.hess(x) @ v, f.hessp(x, v), rtol=1e-12)


def test_root():
    pytest.importorskip("scipy")
    import porism.scipy

    def f(x):
        return porism.stack([x[0]**2 + x[1] - 3, x[0] - x[1] + 1])
    for method in ("hybr", "lm", "krylov"):
        np.testing.assert_allclose(porism.scipy.root(f, np.array([0.9, 1.9]), method=method).x, [1, 2], atol=1e-4)
    with pytest.raises(TypeError, match="another structure"):
        porism.scipy.root(lambda x: {"a": x}, np.ones(2))


def test_what_does_not_belong_to_a_vector():
    pytest.importorskip("scipy")
    import porism.scipy
    with pytest.raises(TypeError, match="the function gives 1 numbers where it is given 2"):
        porism.scipy.solve_ivp(lambda t, y: [y[1]], (0, 1), np.ones(2))
    with pytest.raises(TypeError, match="the function gives 1 numbers where it is given 2"):
        porism.scipy.root(lambda x: porism.sum(x), np.ones(2))
    with pytest.raises(TypeError, match="x0 is given a list, which is a structure of arrays"):
        porism.scipy.minimize(lambda x: porism.sum(x**2), [1.0, 2.0])


@pytest.mark.parametrize("method", ["RK45", "BDF", "Radau", "LSODA"])
def test_solve_ivp(method):
    pytest.importorskip("scipy")
    import porism.scipy
    r = porism.scipy.solve_ivp(lambda t, y, rate: -rate*y, (0, 2.0), np.ones(2), method=method, args=(1.5,), rtol=1e-8,
                               atol=1e-10)
    np.testing.assert_allclose(r.y[:, -1], np.exp(-3.0), rtol=1e-5)
    assert method == "RK45" or r.njev < 10


def test_functions_as_they_are_written_for_scipy():
    """A vector is taken apart, and given as a list."""
    pytest.importorskip("scipy")
    import porism.scipy

    def swing(t, y):
        place, speed = y
        return [speed, -place]
    for y0 in (np.array([1.0, 0.0]), [1.0, 0.0]):
        r = porism.scipy.solve_ivp(swing, (0, 1.0), y0, method="BDF", rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(r.y[:, -1], [np.cos(1), -np.sin(1)], rtol=1e-5)
    np.testing.assert_allclose(porism.scipy.root(lambda x: [x[0]**2 + x[1] - 3, x[0] - x[1] + 1], np.array([0.9, 1.9])).x, [1, 2],
                               atol=1e-4)


# ---- JAX ----


@pytest.fixture
def jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    import porism.jax                                             # noqa: F401
    return jax


def test_values_and_slopes(jax):
    f = porism.jax.call(loss)
    np.testing.assert_allclose(jax.jit(f)(W, X, Y), loss_of(W), rtol=1e-14)
    np.testing.assert_allclose(jax.jit(jax.grad(f))(W, X, Y), porism.grad(loss)(W, X, Y), rtol=1e-14)
    np.testing.assert_allclose(jax.jacrev(jax.grad(f))(W, X, Y), porism.hessian(loss)(W, X, Y), rtol=1e-12)
    slopes = jax.grad(f, (0, 1))(W, X, Y)
    for a, b in zip(slopes, porism.grad(loss, (0, 1))(W, X, Y)):
        np.testing.assert_allclose(a, b, rtol=1e-14)


def loss_of(w):
    z = X @ w
    return np.mean(np.log1p(np.exp(z)) - Y*z)


def test_forwards(jax):
    f = porism.jax.call(loss, forward=True)
    np.testing.assert_allclose(jax.jacfwd(f)(W, X, Y), porism.grad(loss)(W, X, Y), rtol=1e-13)
    np.testing.assert_allclose(jax.jacfwd(jax.jacfwd(f))(W, X, Y), porism.hessian(loss)(W, X, Y), rtol=1e-12)


def test_integers_have_no_slope(jax):
    f = porism.jax.call(lambda x, i: porism.sin(x[i])*2)
    i = np.array([0, 1, 1])
    slope = jax.grad(lambda x: f(x, i).sum())(np.arange(3.0))
    np.testing.assert_allclose(slope, [2, 4*np.cos(1), 0])


def told(x):
    porism.print(x=x)
    porism.assert_(x < 5, "it is small", x=x)
    return x*x


def told_by_python(x):
    return told(porism.operator("same(x: f64) -> f64", lambda x: x, derivative=lambda x, y, dx: dx)(x))


def effects_in_jax(jax, f):
    """(function, argument, value, lines)"""
    yield f, 2.0, 4, 1
    yield jax.jit(f), 2.0, 4, 1
    yield jax.jit(lambda x: f(x) + f(x)), 2.0, 8, 2
    yield jax.jit(lambda x: (f(x), x)[1]), 2.0, 2, 1              # of a result that nobody uses
    yield jax.jit(jax.vmap(f)), np.array([2.0, 2.0]), [4, 4], 2
    yield jax.jit(lambda x: jax.lax.fori_loop(0, 3, lambda i, y: y + 0*f(x), x)), 2.0, 2, 3


@pytest.mark.parametrize("function", [told, told_by_python])
def test_effects_in_jax(jax, capsys, function):
    f, g = porism.jax.call(function), porism.jax.call(function, forward=True)
    cases = [*effects_in_jax(jax, f), *effects_in_jax(jax, g), (jax.grad(f), 2.0, 4, 1), (jax.jit(jax.grad(f)), 2.0, 4, 1),
             (jax.jit(jax.grad(jax.grad(f))), 2.0, 2, 1), (jax.jit(lambda x: jax.jvp(g, (x,), (1.0,))[1]), 2.0, 4, 1),
             (jax.jit(jax.vmap(jax.value_and_grad(f))), np.array([2.0, 2.0]), [[4, 4], [4, 4]], 2),
             (jax.jit(jax.jacfwd(jax.jacfwd(g))), 2.0, 2, 1)]
    for number, (made, x, value, lines) in enumerate(cases):
        got = made(x)
        jax.block_until_ready(got)
        jax.effects_barrier()
        assert (number, capsys.readouterr().out) == (number, "x = 2.0\n"*lines)
        np.testing.assert_allclose(np.asarray(got), value)
    with pytest.raises(Exception, match=r"test_beside.py:\d+: assert\(it is small\) does not hold: x = 7"):
        jax.block_until_ready(jax.jit(f)(7.0))
        jax.effects_barrier()


def test_structures_in_jax(jax):
    f = porism.jax.call(lambda p: {"a": p["x"]*2, "b": porism.sum(p["x"])})
    p = {"x": np.arange(3.0)}
    assert f(p)["a"].tolist() == [0, 2, 4] and f(p)["b"] == 3
    assert jax.grad(lambda p: f(p)["b"] + f(p)["a"][1])(p)["x"].tolist() == [1, 3, 1]


def test_many_in_jax(jax):
    f = porism.jax.call(loss)
    got = jax.vmap(f, (0, None, None))(np.stack([W, 2*W]), X, Y)
    np.testing.assert_allclose(got, [loss_of(W), loss_of(2*W)], rtol=1e-14)


def test_xla_calls_the_program_itself(jax):
    f = porism.jax.call(lambda x: {"s": porism.sum(x*x), "x": x + 1})
    x = np.arange(6.0).reshape(2, 3)
    text = jax.jit(f).lower(x).as_text()
    assert "porism_program" in text and "callback" not in text
    many = jax.jit(jax.vmap(jax.vmap(f)))(x.reshape(2, 1, 3))
    np.testing.assert_array_equal(many["s"], [[5.0], [50.0]])
    np.testing.assert_array_equal(many["x"], x.reshape(2, 1, 3) + 1)
    none = jax.jit(jax.vmap(f))(np.zeros((0, 3)))
    assert none["s"].shape == (0,) and none["x"].shape == (0, 3)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float32", "float64"])
def test_dtypes_in_jax(jax, dtype):
    x = np.array([[1, 0], [1, 1]], dtype)
    got = jax.jit(porism.jax.call(lambda x: (x.T, x[0], porism.where(x.astype("bool"), 2.5, 0.5))))(x)
    assert [g.dtype for g in got] == [x.dtype, x.dtype, np.float64]
    for g, wanted in zip(got, (x.T, x[0], np.where(x, 2.5, 0.5))):
        np.testing.assert_array_equal(g, wanted)


def test_an_error_in_jax(jax):
    f = jax.jit(porism.jax.call(lambda x, i: x[i]))
    assert f(np.arange(3.0), np.array([2, 0])).tolist() == [2, 0]
    with pytest.raises(Exception, match="index 7 of an axis of 3"):
        jax.block_until_ready(f(np.arange(3.0), np.array([0, 7])))
    assert f(np.arange(3.0), np.array([1])).tolist() == [1]


def test_python_within_jax_is_a_callback(jax):
    twice = porism.operator("twice(x: f64[n]) -> f64[n]", lambda x: 2*x)
    f = porism.jax.call(lambda x: twice(x) + 1)
    x = np.arange(3.0)
    assert "porism_program" not in jax.jit(f).lower(x).as_text()
    assert jax.jit(f)(x).tolist() == [1, 3, 5]


def test_many_threads_of_jax(jax):
    from concurrent.futures import ThreadPoolExecutor
    f = jax.jit(porism.jax.call(loss))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: float(f(k*W, X, Y)), range(200)))
    np.testing.assert_allclose(found, [loss_of(k*W) for k in range(200)], rtol=1e-13)


def test_xla_is_given_programs_alone():
    from porism import _core
    assert _core.xla_keep(3) is None and _core.xla_keep(_core.Graph()) is None
