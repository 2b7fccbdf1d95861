"""Derivatives of one's own, and operators of one's own in C and in Python, in jit, grad, vmap and loops."""
import ctypes
import os
import subprocess

import numpy as np
import pytest

import porism
from conftest import COMPILER, TIERS, central

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


# ---- derivatives ----


@porism.with_derivative(lambda x, y, dx: y*dx)
def exponential(x):
    return porism.exp(x)


def test_a_derivative_is_what_is_told():
    doubled = porism.with_derivative(lambda x: porism.sin(x), lambda x, y, dx: 2*porism.cos(x)*dx)
    assert doubled(1.0) == np.sin(1.0)
    np.testing.assert_allclose(porism.grad(doubled)(1.0), 2*np.cos(1.0))
    np.testing.assert_allclose(porism.jvp(doubled, (1.0,), (3.0,))[1], 6*np.cos(1.0))
    np.testing.assert_allclose(porism.jit(porism.grad(lambda x: doubled(x*x)))(1.5), 4*1.5*np.cos(2.25))


def test_it_has_derivatives_itself():
    third = porism.grad(porism.grad(porism.grad(exponential)))
    np.testing.assert_allclose(third(0.5), np.exp(0.5))
    np.testing.assert_allclose(porism.hessian(lambda x: porism.sum(exponential(2*x)))(np.array([0.1, 0.2])),
                               np.diag(4*np.exp([0.2, 0.4])))


def test_of_several_arguments_and_structures():
    @porism.with_derivative(lambda p, x, y, dp, dx: {"s": dp["w"]*x + p["w"]*dx, "t": 5*dx})
    def f(p, x):
        return {"s": p["w"]*x, "t": x}
    value, along = porism.jvp(f, ({"w": 2.0}, 3.0), ({"w": 1.0}, 10.0))
    assert value == {"s": 6.0, "t": 3.0} and along == {"s": 23.0, "t": 50.0}
    slope = porism.grad(lambda p, x: f(p, x)["s"] + f(p, x)["t"], (0, 1))({"w": 2.0}, 3.0)
    assert slope == ({"w": 3.0}, 7.0)


def test_backwards_alone():
    clipped = porism.with_vjp(lambda x: x*x, lambda x, y, u: porism.clip(2*x*u, -1.0, 1.0))
    np.testing.assert_allclose(porism.grad(lambda x: porism.sum(clipped(x)))(np.array([0.1, 3.0])), [0.2, 1.0])
    two = porism.with_vjp(lambda x, y: x*y, lambda x, y, z, u: (10*y*u, 20*x*u))
    assert porism.grad(two, (0, 1))(2.0, 3.0) == (30.0, 40.0)
    with pytest.raises(ValueError, match="forward mode has no derivative"):
        porism.jvp(clipped, (1.0,), (1.0,))


def test_mapped_and_in_loops():
    x = np.array([0.1, 0.2, 0.3])
    np.testing.assert_allclose(porism.vmap(porism.grad(exponential))(x), np.exp(x))
    slope = porism.grad(lambda x: porism.fori(0, 3, lambda i, y: exponential(y) - 1.0, x))
    np.testing.assert_allclose(slope(0.2), central(lambda v: np.expm1(np.expm1(np.expm1(v))), 0.2), rtol=1e-6)
    def outside(a, x):
        f = porism.with_derivative(lambda x: a*x, lambda x, y, dx: a*dx)
        return f(x)
    assert porism.grad(outside, 1)(4.0, 2.0) == 4.0 and porism.grad(outside, 0)(4.0, 2.0) == 0.0


def test_what_does_not_fit():
    with pytest.raises(TypeError, match="with_derivative gives \\(array, array\\), wanted an array"):
        porism.with_derivative(lambda x: x, lambda x, y, dx: (dx, dx))(1.0)
    with pytest.raises(TypeError, match="wanted one array"):
        porism.with_vjp(lambda x: (x, x), lambda x, y, u: u)(1.0)


# ---- operators of Python ----


def test_an_operator_of_python():
    calls = []

    @porism.operator("sorted_row(x: f64[n]) -> f64[n]")
    def sorted_row(x):
        calls.append(x.shape)
        return np.sort(x)
    x = np.array([3.0, 1.0, 2.0])
    np.testing.assert_array_equal(sorted_row(x), [1, 2, 3])
    np.testing.assert_array_equal(porism.jit(lambda x: 2*sorted_row(x) + 1)(x), [3, 5, 7])
    assert calls == [(3,), (3,)] and sorted_row.of_python and "of Python" in sorted_row.__doc__
    rows = np.array([[3.0, 1.0], [1.0, 2.0]])
    np.testing.assert_array_equal(porism.vmap(sorted_row)(rows), np.sort(rows, 1))
    np.testing.assert_array_equal(porism.fori(0, 2, lambda i, y: sorted_row(-y), x), [1, 2, 3])


def test_a_size_that_is_an_argument():
    given = []

    @porism.operator("first(x: f64[n], k: i64, m: i64) -> (f64[k], f64[m, n], i64[k + m])")
    def first(x, k, m):
        given.append((int(k), int(m)))
        return x[:k], np.outer(np.arange(1.0, m + 1), x), np.arange(k + m)
    x = np.array([3.0, 1.0, 2.0, -1.0])

    def by_data(x):
        k = porism.sum((x > 1).astype("i64"))
        a, b, c = first(x, k, k*k)
        return 2*a, b.sum(0), c.sum(), first(a, k - 1, 0)[0]
    want = [6, 2], 10*x, 15, [3]
    for tier in TIERS:
        given.clear()
        for got, one in zip(porism.jit(by_data, tier=tier)(x), want):
            np.testing.assert_array_equal(got, one)
        assert given == [(2, 4), (1, 0)]
    of_a_shape = porism.jit(lambda x: first(x, x.shape[0] - 2, 1)[0] + x[:2])
    np.testing.assert_array_equal(of_a_shape(x), [6, 2])
    looped = porism.fori(0, 3, lambda i, y: y + first(porism.concatenate([y, y]), 3, i)[0]*2, np.arange(3.0))
    np.testing.assert_array_equal(looped, 27*np.arange(3.0))
    with pytest.raises(ValueError, match="-2|below 0"):
        porism.jit(lambda x: first(x, porism.sum(x).astype("i64") - 7, 1)[0])(x)
    with pytest.raises((TypeError, ValueError), match="differs from one"):
        porism.vmap(lambda k: first(x, k, 1)[0])(np.array([1, 2]))


def test_with_a_derivative():
    cube = porism.operator("cube(x: f64[n]) -> f64[n]", lambda x: x**3, derivative=lambda x, y, dx: 3*x*x*dx)
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(porism.grad(lambda x: porism.sum(cube(x)))(x), 3*x*x)
    np.testing.assert_allclose(porism.hessian(lambda x: porism.sum(cube(x)))(x), np.diag(6*x))
    np.testing.assert_allclose(porism.vmap(porism.grad(lambda x: porism.sum(cube(x))))(x[:, None]), 3*x[:, None]**2)
    back = porism.operator("cube2(x: f64[n]) -> f64[n]", lambda x: x**3, vjp=lambda x, y, u: 3*x*x*u)
    np.testing.assert_allclose(porism.grad(lambda x: porism.sum(back(x)))(x), 3*x*x)
    without = porism.operator("cube3(x: f64[n]) -> f64[n]", lambda x: x**3)
    with pytest.raises(ValueError, match="cube3"):
        porism.grad(lambda x: porism.sum(without(x)))(x)


def test_what_it_is_for_all_along_an_axis():
    calls = []

    def told(name, signature, kernel, **more):
        def called(*args):
            calls.append(name)
            return kernel(*args)
        return porism.operator(f"{name}{signature}", called, **more)
    slopes = told("slopes", "(x: f64[m, n], k: f64[m], dx: f64[m, n]) -> f64[m, n]", lambda x, k, dx: 2*x*dx*k[:, None])
    slope = told("slope", "(x: f64[n], k: f64, dx: f64[n]) -> f64[n]", lambda x, k, dx: 2*x*dx*k, batch=slopes)
    rows = told("rows", "(x: f64[lanes, n], k: f64[lanes]) -> f64[lanes, n]", lambda x, k: x*x*k[:, None])
    row = told("row", "(x: f64[n], k: f64) -> f64[n]", lambda x, k: x*x*k, batch=rows, vjp=lambda x, k, y, u: (slope(x, k, u), 0.0))
    forward = told("ahead", "(x: f64[n], k: f64) -> f64[n]", lambda x, k: x*x*k, batch=rows,
                   derivative=lambda x, k, y, dx, dk: 2*x*dx*k + x*x*dk)
    x, k = np.arange(6.0).reshape(3, 2), np.array([1.0, 10.0, 100.0])
    want, d = x*x*k[:, None], 2*x*k[:, None]
    np.testing.assert_array_equal(porism.vmap(row)(x, k), want)
    assert calls == ["rows"]
    np.testing.assert_array_equal(porism.vmap(row, (0, None))(x, 10.0), 10*x*x)
    np.testing.assert_array_equal(porism.vmap(row, (None, 0))(x[1], k), x[1]**2*k[:, None])
    calls.clear()
    np.testing.assert_array_equal(porism.grad(lambda x: porism.sum(porism.vmap(row)(x, k)))(x), d)
    np.testing.assert_array_equal(porism.vmap(porism.grad(lambda x, k: porism.sum(row(x, k))))(x, k), d)
    assert set(calls) <= {"rows", "slopes"}
    calls.clear()
    np.testing.assert_array_equal(porism.vmap(porism.grad(lambda x, k: porism.sum(forward(x, k))))(x, k), d)
    np.testing.assert_array_equal(porism.grad(lambda k: porism.sum(porism.vmap(forward, (0, None))(x, k)))(2.0), np.sum(x*x))
    np.testing.assert_array_equal(porism.vmap(porism.hessian(lambda x: porism.sum(forward(x, 1.0))))(x), [2*np.eye(2)]*3)
    # vmap inside vmap: all of both axes are those of one
    calls.clear()
    np.testing.assert_array_equal(porism.vmap(porism.vmap(row, (0, None)), (None, 0))(x, k), x*x*k[:, None, None])
    assert calls == ["rows"]
    thrice = porism.vmap(porism.vmap(porism.vmap(row, (0, None)), (None, 0)), (0, None))
    np.testing.assert_array_equal(thrice(np.stack([x, 2*x]), k), np.stack([x*x, 4*x*x])[:, None]*k[:, None, None])
    assert calls == ["rows", "rows"]
    np.testing.assert_array_equal(porism.grad(lambda x: porism.sum(thrice(x, k)))(np.stack([x, 2*x])), np.stack([x, 2*x])*222)
    assert set(calls) == {"rows", "slopes"} and calls.count("slopes") == 1
    pairs = porism.operator("pairs(x: f64[m, n]) -> (f64[m], f64[m, n])", lambda x: (x.sum(1), -x))
    pair = porism.operator("pair2(x: f64[n]) -> (f64, f64[n])", lambda x: (x.sum(), -x), batch=pairs)
    a, b = porism.vmap(pair)(x)
    assert a.tolist() == x.sum(1).tolist() and b.tolist() == (-x).tolist()
    for other, said in ((slope, "slope"), (row, "row"), (pairs, r"batch gives f64\[lanes\], f64\[lanes, n\] for f64\[lanes, n\]")):
        with pytest.raises((TypeError, ValueError), match=said):
            porism.operator("bad_row(x: f64[n]) -> f64[n]", lambda x: x, batch=other)
    with pytest.raises(TypeError, match="batch is 3, wanted another operator, .* or a function"):
        porism.operator("r(x: f64[n]) -> f64[n]", lambda x: x, batch=3)


def test_a_function_of_python_tells_what_it_is_for_all():
    calls = []

    @porism.operator("running(X: f64[m, n]) -> f64[m, n]")
    def running(X):
        calls.append(X.shape)
        return np.maximum.accumulate(X, 1)

    @porism.operator("one_running(x: f64[n], k: f64) -> f64[n]", batch=lambda X, k: running(X)*k[:, None])
    def one_running(x, k):
        return np.maximum.accumulate(x)*k
    x, k = np.arange(24.0).reshape(4, 3, 2)[:, ::-1], np.array([1.0, 10.0, 100.0])
    want = np.maximum.accumulate(x, 2)*k[:, None]
    np.testing.assert_array_equal(porism.vmap(one_running)(x[0], k), want[0])
    np.testing.assert_array_equal(porism.vmap(one_running, (0, None))(x[0], 3.0), np.maximum.accumulate(x[0], 1)*3)
    assert calls == [(3, 2), (3, 2)]
    calls.clear()
    # by a rule that knows its operators alone, both axes; running itself has none
    np.testing.assert_array_equal(porism.vmap(porism.vmap(one_running), (0, None))(x, k), want)
    assert calls == [(3, 2)]*4
    # what is told in nodes alone has derivatives, and both axes at once
    square = porism.operator("one_square(x: f64[n]) -> (f64, f64[n])", lambda x: (x.sum(), x*x),
                             batch=lambda X: (porism.sum(X, 1), X*X))
    a, b = porism.vmap(porism.vmap(square))(x)
    assert a.tolist() == x.sum(2).tolist() and b.tolist() == (x*x).tolist()
    np.testing.assert_array_equal(porism.grad(lambda x: porism.sum(porism.vmap(square)(x)[1]))(x[0]), 2*x[0])
    for wrong, said in ((lambda X: X, r"batch gives f64\[lanes, n\] for f64\[lanes, n\], wanted f64\[lanes\], f64\[lanes, n\]"),
                        (lambda X: (X, X), "batch gives"), (lambda X: (X @ X, X), "inner sizes differ")):
        with pytest.raises(TypeError, match=said):
            porism.operator("one_square(x: f64[n]) -> (f64, f64[n])", lambda x: (x.sum(), x*x), batch=wrong)


def test_a_derivative_that_is_told_is_mapped_at_once():
    loss = porism.with_vjp(lambda x, w: porism.sum(x*w), lambda x, w, y, u: (3*u*w, u*x))       # tripled, to tell it
    x, w = np.arange(6.0).reshape(3, 2), np.array([2.0, 5.0])
    f = porism.jit(porism.grad(lambda x, w: porism.sum(porism.vmap(loss, (0, None))(x, w)), argnums=(0, 1)))
    dx, dw = f(x, w)
    np.testing.assert_array_equal(dx, np.tile(3*w, (3, 1)))
    np.testing.assert_array_equal(dw, x.sum(0))
    np.testing.assert_array_equal(porism.vmap(porism.grad(loss), (0, None))(x, w), np.tile(3*w, (3, 1)))
    mapped = porism.jit(lambda x, w: porism.vmap(loss, (0, None))(x, w))
    assert "scan" not in mapped.notation(x, w)
    twice = porism.with_derivative(lambda x, k: (x*k, x + k), lambda x, k, y, dx, dk: (2*dx*k, dx + 7*dk))
    both = lambda x, k: sum(porism.vmap(twice, (0, None))(x, k))                        # noqa: E731
    got = porism.jvp(lambda x, k: porism.sum(both(x, k)), (x[:, 0], 2.0), (np.ones(3), 1.0))[1]
    assert got == 3*(2*2 + 1 + 7)


def test_what_it_raises_is_the_error_of_the_call():
    bad = porism.operator("bad(x: f64[n]) -> f64[n]", lambda x: {}["key"])
    with pytest.raises(KeyError, match="key"):
        bad(np.ones(2))
    short = porism.operator("short(x: f64[n]) -> f64[n]", lambda x: x[1:])
    with pytest.raises(ValueError, match=r"short gives .* shape \(2,\): wanted f64 and shape \(3,\), by short"):
        short(np.ones(3))
    np.testing.assert_array_equal(porism.operator("fine(x: f64[n]) -> f64[n]", lambda x: x)(np.ones(2)), [1, 1])


def test_several_results():
    pair = porism.operator("pair(x: f64[n], k: i64) -> (f64[n], f64)", lambda x, k: (x*k, x.sum()))
    a, b = porism.jit(lambda x: pair(x, 3))(np.array([1.0, 2.0]))
    assert a.tolist() == [3.0, 6.0] and b == 3.0


def test_what_is_no_kernel():
    with pytest.raises(TypeError, match="wanted a function of Python, or a pointer"):
        porism.operator("f(x: f64) -> f64", 1.5)
    with pytest.raises(ValueError, match="wanted a signature"):
        porism.operator("f x y", lambda x: x)
    with pytest.raises(ValueError, match="one to six f64"):
        porism.operator("f(x: f32) -> f32", 1, each=True)


# ---- operators of C ----

KERNEL = """
#include <porism.h>
int spring(void *user, int nin, const por_array *in, int nout, const por_array *out)
{
	const double *x = in[0].data, k = *(const double *)in[1].data;
	double *y = out[0].data;
	for (int64_t i = 0; i < in[0].shape[0]; i++) y[i] = -k*x[i];
	return nin == 2 && nout == 1 && !user ? 0 : 1;
}
double twice_and(double x, double y) { return 2*x + y; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    home = tmp_path_factory.mktemp("kernel")
    source = home / "kernel.c"
    source.write_text(KERNEL)
    if not COMPILER:
        pytest.skip("there is no compiler of C")
    done = subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-I", os.path.join(ROOT, "include"), "-o", home / "kernel.so",
                           source], check=False)
    assert not done.returncode
    return ctypes.CDLL(str(home / "kernel.so"))


def test_a_kernel_of_c(library):
    spring = porism.operator("spring(x: f64[n], k: f64) -> f64[n]", library.spring,
                             derivative=lambda x, k, y, dx, dk: -k*dx - dk*x)
    x = np.arange(4.0)
    np.testing.assert_array_equal(spring(x, 2.0), -2*x)
    np.testing.assert_allclose(porism.grad(lambda x, k: porism.sum(spring(x, k)**2), (0, 1))(x, 2.0)[1], 2*2*(x*x).sum())
    np.testing.assert_array_equal(porism.vmap(spring)(np.ones((2, 3)), np.array([1.0, 2.0])), [[-1]*3, [-2]*3])


def test_a_function_of_numbers_for_each_element(library):
    library.twice_and.restype = ctypes.c_double
    for given in (library.twice_and, ctypes.cast(library.twice_and, ctypes.c_void_p).value):
        f = porism.operator("twice_and(x: f64, y: f64) -> f64", given, each=True,
                            derivative=lambda x, y, z, dx, dy: 2*dx + dy)
        x, y = np.arange(3.0), np.arange(2.0)[:, None]
        np.testing.assert_array_equal(f(x, y), 2*x + y)
        assert f(1.0, 2.0) == 4.0
        np.testing.assert_array_equal(porism.grad(lambda x: porism.sum(f(x, 1.0)))(x), [2, 2, 2])
        np.testing.assert_array_equal(porism.vmap(f, (0, None))(x, 5.0), 2*x + 5)
        np.testing.assert_array_equal(porism.vmap(porism.vmap(f, (None, 0)), (0, None))(x, y[:, 0]), 2*x[:, None] + y[:, 0])
        np.testing.assert_array_equal(porism.vmap(porism.grad(f))(x, x), [2, 2, 2])
        picked = porism.vmap(lambda x: porism.cond(x > 1, lambda: f(x, x), lambda: x))
        np.testing.assert_array_equal(picked(x), np.where(x > 1, 3*x, x))


def test_a_capsule(library):
    api = ctypes.pythonapi
    api.PyCapsule_New.restype = ctypes.py_object
    api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = api.PyCapsule_New(ctypes.cast(library.twice_and, ctypes.c_void_p).value, b"double (double, double)", None)
    assert porism.operator("g(x: f64, y: f64) -> f64", capsule, each=True)(2.0, 1.0) == 5.0


def test_numba_cfunc():
    numba = pytest.importorskip("numba")
    f = numba.cfunc("float64(float64)")(lambda x: x*x + 1.0)
    square = porism.operator("square(x: f64) -> f64", f, each=True, derivative=lambda x, y, dx: 2*x*dx)
    np.testing.assert_array_equal(porism.jit(lambda x: square(x) - 1)(np.arange(3.0)), [0, 1, 4])
    assert porism.grad(square)(3.0) == 6.0


def test_operators_in_functions_that_are_given():
    """The text of what is traced names them."""
    cube = porism.operator("cube(x: f64) -> f64", lambda x: x**3, derivative=lambda x, y, dx: 3*x*x*dx)
    newton = porism.library("solve").newton
    assert newton(lambda t: cube(t) - 8, 1.0)["x"] == pytest.approx(2)
    assert porism.grad(lambda c: newton(lambda t: cube(t) - c, 1.0)["x"])(8.0) == pytest.approx(1/12)
    assert porism.jit(lambda c: newton(lambda t: cube(t) - c, 1.0)["x"] + cube(c))(8.0) == pytest.approx(514)


def test_each_is_of_functions_of_c():
    with pytest.raises(TypeError, match="operator f: each=True is of a C function, .* one of Python is given whole arrays"):
        porism.operator("f(x: f64) -> f64", lambda x: x, each=True)


def test_what_a_kernel_raises_tells_where():
    @porism.operator("picky(x: f64[n]) -> f64[n]")
    def picky(x):
        if x[0] > 2:
            raise ValueError("too large")
        return x[:1] if x[0] < 0 else x
    f = porism.jit(lambda x: porism.vmap(lambda r: picky(r)*2)(x))
    with pytest.raises(ValueError, match="^too large") as e:
        f(np.array([[1.0], [3.0]]))
    assert e.value.args == ("too large",)
    assert e.value.__notes__[0].startswith("in picky, an operator called at ") and "test_own.py:" in e.value.__notes__[0]
    with pytest.raises(ValueError, match=r"picky gives an array of float64 and shape \(1,\): wanted f64 and shape \(2,\), by "):
        picky(np.array([-1.0, 2.0]))
