"""Random arrays of many dtypes, ranks, sizes (0 and 1 among them) and strides, against NumPy."""
import numpy as np
import pytest

import porism

DTYPES = ["f4", "f8", "i1", "i4", "i8", "u2"]
MAPS = [(porism.add, np.add), (porism.sub, np.subtract), (porism.mul, np.multiply), (porism.maximum, np.maximum),
        (porism.minimum, np.minimum), (porism.lt, np.less), (porism.eq, np.equal)]
FOLDS = [(porism.sum, np.sum), (porism.max, np.max), (porism.min, np.min), (porism.prod, np.prod), (porism.mean, np.mean)]
compiled = {}


def function(key, make):
    if key not in compiled:
        compiled[key] = porism.jit(make, tier="interpret")
    return compiled[key]


def array(rng, shape, dtype):
    """Of this shape, with strides that may be negative, wide or turned."""
    wide = tuple(2*n if rng.random() < 0.3 else n for n in shape)
    order = rng.permutation(len(shape)) if shape else []
    a = rng.integers(0, 9, size=tuple(wide[i] for i in order)).astype(dtype)
    a = a.transpose(np.argsort(order)) if shape else a
    return a[tuple(slice(None, None, w//n if n else 1) if rng.random() < 0.7 or w != n else slice(None, None, -1)
                   for n, w in zip(shape, wide))]


@pytest.mark.parametrize("seed", range(150))
def test_maps_and_folds(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.choice([0, 1, 2, 3, 5], size=rng.integers(0, 4), p=[0.08, 0.17, 0.25, 0.25, 0.25]))
    other = tuple(1 if rng.random() < 0.25 else n for n in shape)[rng.integers(0, 2) if shape else 0:]
    dtype = str(rng.choice(DTYPES))
    x, y = array(rng, shape, dtype), array(rng, other, dtype)
    k = int(rng.integers(len(MAPS)))
    ours, theirs = MAPS[k]
    got, wanted = function(("map", k), ours)(x, y), theirs(x, y)
    assert got.shape == wanted.shape and got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)

    k = int(rng.integers(len(FOLDS)))
    ours, theirs = FOLDS[k]
    axes = tuple(int(a) for a in range(len(shape)) if rng.random() < 0.6)
    keep = bool(rng.random() < 0.5)
    if theirs not in (np.sum, np.prod) and 0 in shape:
        return                                          # of nothing: NumPy's error, our least element
    got = function(("fold", k, axes, keep, len(shape)), lambda x: ours(x, axes, keep))(x)
    wanted = theirs(x, axis=axes, keepdims=keep)
    assert np.shape(got) == wanted.shape
    np.testing.assert_allclose(np.asarray(got, float), np.asarray(wanted, float), rtol=1e-6)


@pytest.mark.parametrize("seed", range(60))
def test_views_and_products(seed):
    rng = np.random.default_rng(1000 + seed)
    m, n, k = (int(v) for v in rng.choice([0, 1, 2, 4, 7], size=3))
    x, w = array(rng, (m, n), "f8"), array(rng, (n, k), "f8")
    f = function("views", lambda x, w: (x @ w, x.T, porism.reshape(x, (-1,)), x[::-1], porism.concatenate([x, x]), x.sum(0),
                                        porism.cumsum(x, 1), porism.flip(w, 1), x[None], porism.transpose(w)*2.0))
    wanted = (x @ w, x.T, x.reshape(-1), x[::-1], np.concatenate([x, x]), x.sum(0), np.cumsum(x, 1), w[:, ::-1], x[None], w.T*2)
    for a, b in zip(f(x, w), wanted):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b)


@pytest.mark.parametrize("seed", range(40))
def test_gradients(seed):
    rng = np.random.default_rng(2000 + seed)
    shape = tuple(int(v) for v in rng.choice([0, 1, 3, 4], size=rng.integers(1, 4)))
    x = array(rng, shape, "f8")*0.1
    got = function("gradient", porism.grad(lambda x: porism.sum(porism.sin(x)*x)))(x)
    np.testing.assert_allclose(got, np.cos(x)*x + np.sin(x), atol=1e-15)
