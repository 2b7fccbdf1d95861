"""The operators: what is made from the table, against NumPy."""
import inspect
import math

import numpy as np
import pytest

import porism
from porism import operators

RNG = np.random.default_rng(7)
REAL = RNG.normal(size=(3, 4))
OPEN = RNG.uniform(0.05, 0.95, size=(3, 4))
WHOLE = RNG.integers(-9, 9, size=(3, 4))

# ours: (NumPy's, arguments)
SAME = {
    "add": (np.add, (REAL, OPEN)), "sub": (np.subtract, (REAL, OPEN)), "mul": (np.multiply, (REAL, OPEN)),
    "div": (np.divide, (REAL, OPEN)), "floordiv": (np.floor_divide, (REAL, OPEN)), "mod": (np.mod, (REAL, OPEN)),
    "pow": (np.power, (OPEN, REAL)), "neg": (np.negative, (REAL,)), "abs": (np.abs, (REAL,)), "sign": (np.sign, (REAL,)),
    "maximum": (np.maximum, (REAL, OPEN)), "minimum": (np.minimum, (REAL, OPEN)),
    "eq": (np.equal, (WHOLE, WHOLE.T.reshape(3, 4))), "ne": (np.not_equal, (WHOLE, 3)), "lt": (np.less, (REAL, OPEN)),
    "le": (np.less_equal, (WHOLE, 2)), "gt": (np.greater, (REAL, 0.0)), "ge": (np.greater_equal, (WHOLE, 2)),
    "logical_and": (np.logical_and, (REAL > 0, OPEN > 0.5)), "logical_or": (np.logical_or, (REAL > 0, OPEN > 0.5)),
    "logical_not": (np.logical_not, (REAL > 0,)), "bit_and": (np.bitwise_and, (WHOLE, 6)), "bit_or": (np.bitwise_or, (WHOLE, 6)),
    "bit_xor": (np.bitwise_xor, (WHOLE, 6)), "bit_not": (np.invert, (WHOLE,)), "shift_left": (np.left_shift, (WHOLE, 3)),
    "shift_right": (np.right_shift, (WHOLE, 1)), "isnan": (np.isnan, (np.log(REAL + 0j).real/0.1,)),
    "isinf": (np.isinf, (REAL,)), "isfinite": (np.isfinite, (REAL,)), "signbit": (np.signbit, (REAL,)),
    "copysign": (np.copysign, (OPEN, REAL)), "floor": (np.floor, (REAL,)), "ceil": (np.ceil, (REAL,)),
    "round": (np.rint, (REAL,)), "trunc": (np.trunc, (REAL,)), "sqrt": (np.sqrt, (OPEN,)), "cbrt": (np.cbrt, (REAL,)),
    "hypot": (np.hypot, (REAL, OPEN)), "exp": (np.exp, (REAL,)), "exp2": (np.exp2, (REAL,)), "expm1": (np.expm1, (REAL,)),
    "log": (np.log, (OPEN,)), "log2": (np.log2, (OPEN,)), "log10": (np.log10, (OPEN,)), "log1p": (np.log1p, (OPEN,)),
    "logaddexp": (np.logaddexp, (REAL, OPEN)), "sin": (np.sin, (REAL,)), "cos": (np.cos, (REAL,)), "tan": (np.tan, (REAL,)),
    "asin": (np.arcsin, (OPEN,)), "acos": (np.arccos, (OPEN,)), "atan": (np.arctan, (REAL,)),
    "atan2": (np.arctan2, (REAL, OPEN)), "sinh": (np.sinh, (REAL,)), "cosh": (np.cosh, (REAL,)), "tanh": (np.tanh, (REAL,)),
    "asinh": (np.arcsinh, (REAL,)), "acosh": (np.arccosh, (1 + OPEN,)), "atanh": (np.arctanh, (OPEN,)),
    "sinc": (np.sinc, (REAL,)), "where": (np.where, (REAL > 0, REAL, OPEN)),
    "erf": (np.vectorize(math.erf), (REAL,)), "erfc": (np.vectorize(math.erfc), (REAL,)),
    "gamma": (np.vectorize(math.gamma), (OPEN,)), "lgamma": (np.vectorize(math.lgamma), (OPEN,)),
    "sigmoid": (lambda x: 1/(1 + np.exp(-x)), (REAL,)), "softplus": (lambda x: np.log1p(np.exp(x)), (REAL,)),
    "exp10": (lambda x: 10.0**x, (REAL,)), "rsqrt": (lambda x: x**-0.5, (OPEN,)),
    "silu": (lambda x: x/(1 + np.exp(-x)), (REAL,)), "logit": (lambda p: np.log(p/(1 - p)), (OPEN,)),
    "ndtr": (lambda x: np.vectorize(math.erfc)(-x/np.sqrt(2))/2, (REAL,)), "i0e": (lambda x: np.i0(x)*np.exp(-np.abs(x)), (REAL,)),
}
FOLDS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}


@pytest.mark.parametrize("name", SAME)
def test_as_numpy(name):
    theirs, args = SAME[name]
    ours = getattr(porism, name)
    wanted = theirs(*args)
    for value in (ours(*args), porism.jit(lambda *x: ours(*x))(*args)):
        assert value.dtype == wanted.dtype
        np.testing.assert_allclose(value, wanted, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1), (1,)])
def test_folds(name, axis, keepdims):
    wanted = FOLDS[name](REAL, axis=axis, keepdims=keepdims)
    for value in (getattr(porism, name)(REAL, axis, keepdims), porism.jit(lambda x: getattr(x, name)(axis, keepdims))(REAL)):
        assert np.shape(value) == np.shape(wanted)
        np.testing.assert_allclose(value, wanted, rtol=1e-13)


def test_other_folds():
    for axis in (None, 0, 1):
        np.testing.assert_array_equal(porism.argmax(REAL, axis), np.argmax(REAL, axis))
        np.testing.assert_array_equal(porism.argmin(REAL, axis), np.argmin(REAL, axis))
        np.testing.assert_array_equal(porism.any(REAL > 1, axis), np.any(REAL > 1, axis))
        np.testing.assert_array_equal(porism.all(REAL > -1, axis), np.all(REAL > -1, axis))
        np.testing.assert_allclose(porism.mean(REAL, axis), np.mean(REAL, axis))
        np.testing.assert_allclose(porism.variance(REAL, axis, True), np.var(REAL, axis, keepdims=True))
        np.testing.assert_allclose(porism.logsumexp(REAL, axis), np.log(np.sum(np.exp(REAL), axis)))
    np.testing.assert_allclose(porism.cumsum(REAL, 1), np.cumsum(REAL, 1))
    with pytest.raises(ValueError, match="one stands there twice"):
        porism.sum(REAL, (0, -2))


def test_library():
    e = np.exp(REAL)
    np.testing.assert_allclose(porism.softmax(REAL), e/e.sum(-1, keepdims=True))
    np.testing.assert_allclose(porism.log_softmax(REAL, 0), np.log(e/e.sum(0)))
    np.testing.assert_array_equal(porism.relu(REAL), np.maximum(REAL, 0))
    np.testing.assert_array_equal(porism.clip(REAL, -0.5, 0.5), np.clip(REAL, -0.5, 0.5))
    np.testing.assert_allclose(porism.norm(REAL), np.linalg.norm(REAL))
    np.testing.assert_allclose(porism.dot(REAL, OPEN), np.sum(REAL*OPEN))


def test_products():
    a, b = RNG.normal(size=(5, 3, 4)), RNG.normal(size=(4, 2))
    np.testing.assert_allclose(porism.matmul(a, b), a @ b, rtol=1e-13)
    np.testing.assert_allclose(porism.jit(lambda a, b: (a @ b, b.T @ a[0].T))(a, b)[1], b.T @ a[0].T, rtol=1e-13)
    np.testing.assert_allclose(porism.einsum("bij,jk->bk", a, b), np.einsum("bij,jk->bk", a, b), rtol=1e-13)
    np.testing.assert_allclose(porism.jit(lambda b: np.ones((2, 4)) @ b)(b), np.ones((2, 4)) @ b)


def test_solving():
    a = RNG.normal(size=(4, 3))
    q, r = porism.jit(porism.qr)(a)
    np.testing.assert_allclose(q @ r, a, atol=1e-14)
    np.testing.assert_allclose(porism.tri_solve(r, np.ones(3), lower=False), np.linalg.solve(r, np.ones(3)))
    np.testing.assert_allclose(porism.tri_solve(r.T, np.ones(3)), np.linalg.solve(r.T, np.ones(3)))


def test_choice():
    values, places = porism.jit(lambda x: porism.top_k(x, 2))(REAL)
    np.testing.assert_array_equal(places, np.argsort(-REAL, 1)[:, :2])
    np.testing.assert_array_equal(values, np.take_along_axis(REAL, places, 1))
    np.testing.assert_array_equal(porism.jit(lambda i: porism.one_hot(i, 3))(np.array([2, 0])), [[0, 0, 1], [1, 0, 0]])


def test_at_once():
    q, r = porism.qr(REAL.T)
    np.testing.assert_allclose(q @ r, REAL.T, atol=1e-14)
    values, places = porism.top_k(REAL, 1)
    np.testing.assert_array_equal(values[:, 0], REAL.max(1))
    np.testing.assert_array_equal(places[:, 0], REAL.argmax(1))
    assert porism.zeros((2, 3), "f32").dtype == np.float32 and porism.ones(2).dtype == np.float64
    assert porism.full(2, 7).tolist() == [7, 7] and porism.take(REAL, 1).shape == (4,) and porism.arange(3).tolist() == [0, 1, 2]
    np.testing.assert_array_equal(porism.concatenate([REAL, REAL], 1), np.concatenate([REAL, REAL], 1))
    np.testing.assert_array_equal(porism.stack([REAL, REAL]), np.stack([REAL, REAL]))
    assert porism.where(REAL > 0, 1.0, 2.0).shape == (3, 4)


def test_draws():
    @porism.jit
    def draw(seed, x):
        k = porism.key(seed)
        return (porism.normal(porism.subkey(k, 0), x.shape), porism.uniform(porism.subkey(k, 1), (1000,), "f32"),
                porism.exponential(k))
    one, many, single = draw(3, np.ones((40, 50)))
    again, _, _ = draw(3, np.ones((40, 50)))
    assert one.tobytes() == again.tobytes() and one.shape == (40, 50) and many.dtype == np.float32 and single > 0
    assert abs(one.mean()) < 0.1 and abs(one.std() - 1) < 0.1 and 0.45 < many.mean() < 0.55 and many.max() < 1


def test_signs():
    f = porism.jit(lambda x, k: (2 - x, 2/x, 2**x, 7 % k, 7//k, -x, abs(x), +1*x, k & 3, k | 1, k ^ 5, ~k, k << 2, 100 >> k,
                                 3 < x, 3 >= k, k == 2, k != 2, x**2))
    x, k = 1.5, 2
    wanted = (2 - x, 2/x, 2**x, 7 % k, 7//k, -x, abs(x), x, k & 3, k | 1, k ^ 5, ~k, k << 2, 100 >> k, 3 < x, 3 >= k, True,
              False, x**2)
    for a, b in zip(f(x, k), wanted):
        assert type(a.item()) is type(b)
        np.testing.assert_allclose(a, b, rtol=1e-15)


def test_conversions():
    f = porism.jit(lambda x: (x.astype("i32"), x.astype(np.float32), x.astype(bool), x.astype(int), x.astype("u8")))
    for y, dtype in zip(f(np.array([1.7, 0, 300])), (np.int32, np.float32, np.bool_, np.int64, np.uint8)):
        assert y.dtype == dtype
    assert porism.jit(lambda x, y: x + y)(np.float32(1), np.ones(2, "f4")).dtype == np.float32
    assert porism.jit(lambda x: x*2.0 + 1)(np.ones(2, "f4")).dtype == np.float32


def test_every_operator_says_what_it_is():
    for name in operators.__all__:
        f = getattr(operators, name)
        assert len(f.__doc__) > 0 and inspect.signature(f).return_annotation == "Value", name


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i8", "u2"])
def test_sums_at_places_that_come_in_runs(dtype):
    """Runs of one index are added up before they are stored: in the order in which they come, NaN and inf among them."""
    rng = np.random.default_rng(3)
    one, other = (porism.jit(lambda x, i, v: porism.add_at(x, i, v), tier=tier) for tier in ("interpret", "reference"))
    for count, run in ((0, 1), (5, 3), (40, 6), (333, 6), (333, 30), (333, 1)):
        i, x = np.repeat(rng.integers(0, 7, count//run + 1), run)[:count], rng.integers(0, 9, 7).astype(dtype)
        v = (rng.normal(size=count)*3).astype(dtype) if dtype[0] == "f" else rng.integers(0, 9, count).astype(dtype)
        if dtype[0] == "f" and count > 30:
            v[17], v[3] = np.nan, -np.inf
        assert one(x, i, v).tobytes() == other(x, i, v).tobytes()
