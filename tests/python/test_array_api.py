"""porism.array_api: eager beside NumPy, lazy in jit with the same code, what goes through NumPy, memory, errors.  The tests
of others are run by `make test-array-api`."""
import copy
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import porism
from porism import array_api as xp

FLOATS = ["f4", "f8"]


def arrays(*values, dtype="f8"):
    return [xp.asarray(np.asarray(v, dtype)) for v in values]


# ---- arrays ----


def test_an_array_is_what_it_is_made_of():
    x = xp.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert isinstance(x, porism.Array) and x.dtype == xp.float64 and x.shape == (2, 3) and x.ndim == 2 and x.size == 6
    assert x.device == "cpu" and x.to_device("cpu") is x and x.__array_namespace__() is xp
    assert x.T.shape == (3, 2) and x.mT.shape == (3, 2) and len(x) == 2
    assert repr(xp.asarray([1.0, 2.0])) == "Array([1., 2.])" and repr(xp.asarray(3)) == "Array(3, i64)"
    assert f"{xp.asarray(0.5):.2f}" == "0.50"
    assert xp.float32 == "f32" and repr(xp.float32) == "porism.float32" and {xp.float32: 1}["f32"] == 1


@pytest.mark.parametrize("n", [0, 1, 3, 16, 17, 100, 2047, 2049, 5000])
def test_sizes_around_where_elements_lie(n):
    a = np.arange(float(n))
    x = xp.asarray(a)
    y = x*2.0 + x
    np.testing.assert_array_equal(np.asarray(y), a*3)
    assert float(xp.sum(y)) == a.sum()*3
    z = y
    z += 1.0
    np.testing.assert_array_equal(np.asarray(y), a*3 + 1)
    copied = copy.deepcopy(y)
    y[...] = 0.0
    np.testing.assert_array_equal(np.asarray(copied), a*3 + 1)
    np.testing.assert_array_equal(np.asarray(y), a*0)


def test_views_share_memory_in_place():
    x = xp.zeros((4, 3))
    row = x[1]
    x[1, :] = 2.0
    assert xp.all(row == 2.0)
    row += 1.0
    assert float(x[1, 2]) == 3.0
    x[0] = xp.asarray([7.0, 8.0, 9.0])
    assert float(x[0, 1]) == 8.0
    x[x > 7.5] = 0.0
    assert float(xp.max(x)) == 7.0


def test_indices():
    a = np.arange(24.0).reshape(2, 3, 4)
    x = xp.asarray(a)
    for i in [0, (0, 1), (slice(None), -1), (..., 2), (None, 1), slice(5, 2), (slice(None, None, -1),), np.array([1, 0]),
              a > 5, (np.array([0, 1]), np.array([2, 0]))]:
        ours = tuple(map(xp.asarray, i)) if isinstance(i, tuple) and isinstance(i[0], np.ndarray) else \
            xp.asarray(i) if isinstance(i, np.ndarray) else i
        np.testing.assert_array_equal(np.asarray(x[ours]), a[i])
    assert isinstance(x[0, 1, 2], porism.Array)


def test_what_is_written_over_keeps_its_dtype_and_shape():
    x = xp.asarray([1, 2, 3])
    with pytest.raises(TypeError, match="write x = x \\+ y"):
        x /= 2
    with pytest.raises(ValueError, match="its dtype and its shape"):
        x += xp.ones((2, 3), dtype=xp.int64)
    x **= 2
    x //= 2
    x <<= 1
    x |= 1
    assert np.asarray(x).tolist() == [1, 5, 9]


def test_numbers_of_python():
    assert bool(xp.asarray(True)) and int(xp.asarray(3)) == 3 and float(xp.asarray(0.5)) == 0.5
    assert complex(xp.asarray(2.0)) == 2 and [10, 20, 30][xp.asarray(1)] == 20
    with pytest.raises(TypeError, match="with axes"):
        bool(xp.ones(3))
    with pytest.raises(TypeError, match="index of dtype f64"):
        [1, 2][xp.asarray(1.0)]


@pytest.mark.parametrize("n", [3, 40])
def test_memory_goes_to_others_and_comes_back(n):
    x = xp.ones(n)*2.0
    a = np.from_dlpack(x)
    x[0] = 5.0
    assert a[0] == 5.0
    assert np.shares_memory(np.asarray(x), a)
    assert np.shares_memory(np.asarray(xp.from_dlpack(a)), a)
    assert pickle.loads(pickle.dumps(x)).shape == (n,)


def test_arrays_are_unpickled_where_nothing_asked_for_the_standard():
    text = pickle.dumps(xp.ones(3)*2)
    code = (f"import pickle, sys, porism; assert 'porism.array_api' not in sys.modules; x = pickle.loads({text!r}); "
            "assert isinstance(x, porism.Array) and float((x + 1)[0]) == 3.0 and porism.array_api.sum(x) == 6.0")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- numbers beside arrays ----


@pytest.mark.parametrize("dtype", ["i1", "i8", "u2", "f4", "f8"])
def test_plain_numbers_take_the_dtype_of_arrays(dtype):
    x = xp.asarray(np.ones(3, dtype))
    for y in (x + 2, 2 + x, x*3, 3 - x, x < 2, xp.maximum(x, 2), xp.where(x > 0, x, 0)):
        assert y.dtype in (x.dtype, "bool")
    if dtype[0] == "f":
        assert (x + 0.5).dtype == x.dtype and (0.5/x).dtype == x.dtype
    else:
        with pytest.raises(TypeError, match="of their kind"):
            x + 0.5
    with pytest.raises(TypeError):
        x + True
    with pytest.raises(TypeError):
        x + "1"


def test_a_number_that_does_not_fit():
    with pytest.raises(OverflowError, match="300 does not fit u8"):
        xp.asarray([1], dtype=xp.uint8) + 300


def test_numbers_alone_are_no_arrays():
    with pytest.raises(TypeError, match="wanted arrays \\(one at least\\)"):
        xp.add(1, 2)


# ---- functions beside NumPy ----

ONE = ("acos asin atan cos exp expm1 log1p sin sinh sqrt tan tanh abs ceil floor round trunc sign square isnan isinf "
       "isfinite negative")
NUMPY = {"acos": "arccos", "asin": "arcsin", "atan": "arctan", "abs": "absolute", "pow": "power", "bitwise_invert": "invert"}


@pytest.mark.parametrize("name", ONE.split())
@pytest.mark.parametrize("dtype", FLOATS)
def test_functions_of_one(name, dtype, rng):
    a = rng.uniform(-1, 1, size=(3, 5)).astype(dtype)
    with np.errstate(all="ignore"):
        wanted = getattr(np, NUMPY.get(name, name))(a)
    got = np.asarray(getattr(xp, name)(xp.asarray(a)))
    assert got.dtype == wanted.dtype
    np.testing.assert_allclose(got, wanted, rtol=1e-6 if dtype == "f4" else 1e-14)
    lazy = np.asarray(porism.jit(getattr(xp, name))(a))
    np.testing.assert_array_equal(lazy, got)


def test_zeros_have_no_sign():
    assert not np.signbit(np.asarray(xp.sign(xp.asarray([-0.0, 0.0])))).any()
    assert np.asarray(xp.sign(xp.asarray([-2.0, np.nan, 3.0]))).tolist()[::2] == [-1.0, 1.0]


@pytest.mark.parametrize("name", "add subtract multiply divide pow remainder floor_divide maximum minimum hypot less equal".split())
def test_functions_of_two_broadcast(name, rng):
    a, b = rng.uniform(0.5, 2, size=(3, 1, 4)), rng.uniform(0.5, 2, size=(5, 1))
    wanted = getattr(np, NUMPY.get(name, name))(a, b)
    np.testing.assert_allclose(np.asarray(getattr(xp, name)(xp.asarray(a), xp.asarray(b))), wanted, rtol=1e-14)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_folds(axis, keepdims, rng):
    a = rng.uniform(-1, 1, size=(2, 3, 4))
    x = xp.asarray(a)
    for name in "sum prod max min mean var std".split():
        got = getattr(xp, name)(x, axis=axis, keepdims=keepdims)
        wanted = getattr(np, name)(a, axis=axis, keepdims=keepdims)
        assert got.shape == wanted.shape
        np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-13, atol=1e-15)
    assert xp.all(xp.any(x > 2, axis=axis) == xp.asarray(np.any(a > 2, axis=axis)))
    assert int(xp.count_nonzero(x > 0)) == np.count_nonzero(a > 0)


def test_folds_of_small_integers_are_of_64_bits():
    assert xp.sum(xp.asarray([200, 100], dtype=xp.uint8)).dtype == xp.uint64
    assert xp.prod(xp.asarray([20, 100], dtype=xp.int8)).dtype == xp.int64
    assert xp.sum(xp.asarray([1.0], dtype=xp.float32)).dtype == xp.float32
    assert xp.sum(xp.asarray([1, 2]), dtype=xp.float32).dtype == xp.float32


@pytest.mark.parametrize("batch", [(), (3,)])
def test_what_qr_solves(batch, rng):
    a, b = rng.normal(size=(*batch, 4, 4)), rng.normal(size=(*batch, 4, 2))
    np.testing.assert_allclose(np.asarray(xp.linalg.solve(xp.asarray(a), xp.asarray(b))), np.linalg.solve(a, b), rtol=1e-9)
    np.testing.assert_allclose(np.asarray(xp.linalg.inv(xp.asarray(a))), np.linalg.inv(a), rtol=1e-9)
    q, r = xp.linalg.qr(xp.asarray(a))
    np.testing.assert_allclose(np.asarray(q @ r), a, atol=1e-14)
    power = xp.linalg.matrix_power(xp.asarray(a), -2)
    np.testing.assert_allclose(np.asarray(power), np.linalg.matrix_power(a, -2), rtol=1e-7)


def test_products(rng):
    a, b = rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 3, 5))
    got = xp.tensordot(xp.asarray(a), xp.asarray(b), axes=((1, 2), (1, 0)))
    np.testing.assert_allclose(np.asarray(got), np.tensordot(a, b, ((1, 2), (1, 0))), rtol=1e-13)
    v, w = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    np.testing.assert_allclose(np.asarray(xp.linalg.cross(xp.asarray(v), xp.asarray(w))), np.cross(v, w), rtol=1e-13)
    np.testing.assert_allclose(np.asarray(xp.vecdot(xp.asarray(v), xp.asarray(w))), (v*w).sum(-1), rtol=1e-13)
    with pytest.raises(ValueError, match="vecdot of axes of 3 and 1"):
        xp.vecdot(xp.ones(3), xp.ones(1))
    assert xp.vecdot(xp.ones(3, dtype=xp.uint8), xp.ones(3, dtype=xp.uint8)).dtype == xp.uint8
    assert xp.vecdot(xp.ones((3, 2)), xp.ones((3, 2)), axis=-2).shape == (2,)
    np.testing.assert_allclose(float(xp.linalg.trace(xp.asarray(a[0, :, :3]))), np.trace(a[0, :, :3]))


def test_complex_numbers_go_through_numpy():
    x = xp.asarray([1 + 2j, -1j])
    assert x.dtype == xp.complex128 and (x*2).dtype == xp.complex128
    np.testing.assert_array_equal(np.asarray(xp.exp(x)*xp.conj(x)), np.exp(np.asarray(x))*np.conj(np.asarray(x)))
    assert xp.real(x).dtype == xp.float64 and (xp.ones(2, dtype=xp.float32) + 1j).dtype == xp.complex64


# ---- the same code in jit ----


def standard(x, y):
    """A function of the standard alone."""
    xp = x.__array_namespace__()
    z = xp.where(x > 0.25, xp.sin(x), -x)*2 + y
    rolled = xp.roll(xp.flip(z, axis=0), 2, axis=1)
    parts = xp.concat([xp.tril(z), xp.triu(z, k=1), rolled], axis=0)
    lines = xp.stack([xp.sum(parts, axis=1), xp.max(parts, axis=1), xp.std(parts, axis=1, correction=1)], axis=0)
    moved = xp.permute_dims(xp.repeat(z, 2, axis=0), (1, 0))
    return (lines, xp.cumulative_sum(moved, axis=1, include_initial=True), xp.diff(z, axis=1), xp.argmax(z, axis=0),
            xp.matmul(z, xp.matrix_transpose(z)), xp.take(z, xp.asarray([1, 0]), axis=1), xp.linalg.vector_norm(z, ord=3),
            xp.clip(z, -0.5, 0.5), xp.astype(z > 0, xp.int32), xp.mean(xp.tile(z, (2, 1)), axis=0), xp.zeros_like(z) + 1,
            xp.linspace(0, 1, 5)*xp.sum(z), xp.tensordot(z, z, axes=2), xp.expand_dims(z, axis=1), xp.eye(3)*xp.max(z),
            xp.broadcast_to(xp.reshape(z, (1, *z.shape)), (2, *z.shape)), xp.all(z < 9), xp.logical_xor(x > 0, y > 0),
            xp.linalg.qr(z)[1], xp.take_along_axis(z, xp.astype(xp.abs(z) < 9, xp.int64), axis=1))


@pytest.mark.parametrize("shape", [(5, 4), (3, 3), (7, 2)])
def test_the_same_code_lazily(shape, rng):
    x, y = (xp.asarray(rng.uniform(-1, 1, size=shape)) for _ in range(2))
    lazy = porism.jit(standard)
    for a, b in zip(standard(x, y), lazy(x, y), strict=True):
        assert isinstance(a, porism.Array) and isinstance(b, porism.Array) and a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-12, atol=1e-15)


def test_jit_gives_what_it_is_given(rng):
    double = porism.jit(lambda x: 2*x)
    assert isinstance(double(xp.ones(3)), porism.Array) and isinstance(double(np.ones(3)), np.ndarray)
    assert len(double.programs) == 1
    slope = porism.grad(lambda x: xp.sum(xp.sin(x)**2))(xp.asarray([0.0, 1.0]))
    np.testing.assert_allclose(np.asarray(slope), np.sin([0.0, 2.0]))
    assert np.asarray(porism.vmap(lambda x: xp.max(x))(xp.asarray([[1.0, 3.0], [5.0, 2.0]]))).tolist() == [3.0, 5.0]


def test_arrays_within_a_trace_are_constants():
    table = xp.asarray([10.0, 20.0, 30.0])
    assert porism.jit(lambda i: table[i] + xp.sum(table))(1) == 80.0
    np.testing.assert_array_equal(porism.jit(lambda x: table*x + x*table)(2.0), [40, 80, 120])


def test_what_has_no_operator_is_an_error_in_jit():
    assert "sort" in xp.THROUGH_NUMPY and "eigh" in xp.THROUGH_NUMPY and "fft" in xp.THROUGH_NUMPY
    for f in (xp.sort, xp.linalg.svd, xp.fft.fft, xp.unique_values, xp.nonzero, xp.linalg.det):
        with pytest.raises(TypeError, match="it has no operator yet and goes through NumPy"):
            porism.jit(f)(np.ones((3, 3)))


# ---- the page, threads ----


def test_the_page_has_the_table():
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "python.md")
    with open(page, encoding="utf-8") as f:
        assert xp.page() in f.read(), "docs/python.md lacks the table:\n" + xp.page()


def test_many_threads():
    x = xp.asarray(np.arange(100.0))
    wrong = []

    def work():
        for _ in range(2000):
            y = x*2.0 + x
            if float(y[99]) != 297.0:
                wrong.append(y)
    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
