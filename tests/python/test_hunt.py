"""Beside NumPy, on what hypothesis thinks of: dtypes, ranks, sizes with 0 and 1, views with any strides, numbers at the ends of
their range.  The same examples each time; EXAMPLES=n: so many of each, others each time, as `make test-hunt` runs it."""
import os

import numpy as np
import pytest

import porism

hypothesis = pytest.importorskip("hypothesis")
pytest.importorskip("hypothesis.extra.numpy")
from hypothesis import HealthCheck, given, settings                 # noqa: E402
from hypothesis import strategies as some                           # noqa: E402
from hypothesis.extra import numpy as arrays_of                     # noqa: E402

EXAMPLES = int(os.environ.get("EXAMPLES", "0"))
hunted = settings(max_examples=EXAMPLES or 50, derandomize=not EXAMPLES, database=None, deadline=None,
                  suppress_health_check=list(HealthCheck))
FLOATS = ["f4", "f8"]
INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
compiled = {}


def function(key, make):
    if key not in compiled:
        compiled[key] = porism.jit(make, tier="interpret")
    return compiled[key]


@some.composite
def shapes(draw, most=4):
    return tuple(draw(some.lists(some.sampled_from([0, 1, 2, 3, 5]), max_size=most)))


@some.composite
def views(draw, shape, dtype, elements=None):
    """An array of this shape: turned, backwards, with gaps, or one element repeated along an axis."""
    order = draw(some.permutations(range(len(shape))))
    steps = [draw(some.sampled_from([1, 1, -1, 2, -2, 0])) for _ in shape]
    held = [1 if s == 0 and n else max(n*abs(s), n) for n, s in zip(shape, steps)]
    if elements is None and dtype in FLOATS:
        elements = some.floats(width=8*np.dtype(dtype).itemsize)
    a = draw(arrays_of.arrays(dtype, tuple(held[i] for i in order), elements=elements))
    a = a.transpose(np.argsort(order)) if shape else a
    a = a[tuple(slice(None, None, s or 1) for s in steps)]
    return np.broadcast_to(a, shape) if 0 in steps else a


@some.composite
def operands(draw, dtypes, count=2, elements=None):
    """Arrays that broadcast: axes of one are 1, or missing in front."""
    shape, dtype = draw(shapes()), draw(some.sampled_from(dtypes))
    out = []
    for _ in range(count):
        own = tuple(1 if draw(some.integers(0, 3)) == 0 else n for n in shape)[draw(some.integers(0, 1)):]
        out.append(draw(views(own, dtype, elements)))
    return out


def same(got, wanted, rtol=0.0):
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape and got.dtype == wanted.dtype
    if rtol:
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol)
    else:
        np.testing.assert_array_equal(got, wanted)


def beside(name, ours, theirs, *args, rtol=0.0):
    with np.errstate(all="ignore"):
        wanted = theirs(*args)
    same(function(name, ours)(*args), wanted, rtol)


PAIRS = {"add": (porism.add, np.add), "sub": (porism.sub, np.subtract), "mul": (porism.mul, np.multiply),
         "maximum": (porism.maximum, np.maximum), "minimum": (porism.minimum, np.minimum), "lt": (porism.lt, np.less),
         "le": (porism.le, np.less_equal), "eq": (porism.eq, np.equal), "ne": (porism.ne, np.not_equal)}


@hunted
@given(some.sampled_from(sorted(PAIRS)), operands(FLOATS + INTEGERS))
def test_pairs(name, args):
    beside(name, *PAIRS[name], *args)


@hunted
@given(operands(FLOATS))
def test_quotients(args):
    beside("/", lambda x, y: x/y, np.divide, *args)


@hunted
@given(operands(["bool"] + INTEGERS))
def test_bits(args):
    if args[0].dtype == bool:
        beside("bits of bool", lambda x, y: (x & y) | ~x, lambda x, y: (x & y) | ~x, *args)
    else:
        beside("bits", lambda x, y: (x & y) ^ (x | ~y), lambda x, y: (x & y) ^ (x | ~y), *args)


ONES = {"abs": (porism.abs, np.abs, 0), "neg": (lambda x: -x, np.negative, 0), "sqrt": (porism.sqrt, np.sqrt, 0),
        "floor": (porism.floor, np.floor, 0), "ceil": (porism.ceil, np.ceil, 0), "exp": (porism.exp, np.exp, 1e-6),
        "log": (porism.log, np.log, 1e-6), "tanh": (porism.tanh, np.tanh, 1e-6), "sign": (porism.sign, np.sign, 0)}


@hunted
@given(some.sampled_from(sorted(ONES)), operands(FLOATS, 1))
def test_ones(name, args):
    ours, theirs, rtol = ONES[name]
    beside(name, ours, theirs, *args, rtol=rtol)


@hunted
@given(some.sampled_from(FLOATS + INTEGERS + ["bool"]), some.sampled_from(FLOATS + INTEGERS + ["bool"]), some.data())
def test_casts(of, to, data):
    x = data.draw(views(data.draw(shapes()), of, some.integers(0, 1 if "bool" in (of, to) else 100)))
    beside(("cast", to), lambda x: x.astype(np.dtype(to).name), lambda x: x.astype(to), x)


FOLDS = {"sum": (porism.sum, np.sum), "prod": (porism.prod, np.prod), "max": (porism.max, np.max), "min": (porism.min, np.min),
         "mean": (porism.mean, np.mean), "any": (porism.any, np.any), "all": (porism.all, np.all)}


@hunted
@given(some.sampled_from(sorted(FOLDS)), some.data())
def test_folds(name, data):
    dtype = "bool" if name in ("any", "all") else data.draw(some.sampled_from(FLOATS if name == "mean" else FLOATS + INTEGERS))
    shape = data.draw(shapes())
    x = data.draw(views(shape, dtype, None if dtype == "bool" else some.integers(0, 9)))
    axes = tuple(data.draw(some.lists(some.integers(0, len(shape) - 1), unique=True))) if shape else ()
    keep = data.draw(some.booleans())
    if name in ("max", "min", "mean") and any(shape[a] == 0 for a in axes):
        return                                          # of nothing: NumPy's error or warning, our least element
    ours, theirs = FOLDS[name]
    got = function((name, axes, keep), lambda x: ours(x, axes, keep))(x)
    wanted = theirs(x, axis=axes, keepdims=keep)
    assert np.shape(got) == wanted.shape
    np.testing.assert_allclose(np.asarray(got, float), np.asarray(wanted, float), rtol=1e-5)


@hunted
@given(some.data())
def test_cumulations_and_places(data):
    shape = data.draw(shapes(3).filter(len))
    axis = data.draw(some.integers(0, len(shape) - 1))
    x = data.draw(views(shape, data.draw(some.sampled_from(["f8", "i8"])), some.integers(-9, 9)))
    beside(("cumsum", axis), lambda x: porism.cumsum(x, axis), lambda x: np.cumsum(x, axis), x)
    beside(("flip", axis), lambda x: porism.flip(x, axis), lambda x: np.flip(x, axis), x)
    if shape[axis]:
        beside(("argmax", axis), lambda x: porism.argmax(x, axis), lambda x: np.argmax(x, axis), x)


@hunted
@given(some.data())
def test_shapes(data):
    shape = data.draw(shapes(3))
    x = data.draw(views(shape, data.draw(some.sampled_from(FLOATS + INTEGERS + ["bool"]))))
    order = tuple(data.draw(some.permutations(range(len(shape)))))
    beside(("transpose", order), lambda x: porism.transpose(x, order), lambda x: np.transpose(x, order), x)
    beside("flat", lambda x: porism.reshape(x, (-1,)), lambda x: np.reshape(x, (-1,)), x)
    beside("twice", lambda x: porism.stack([x, x]), lambda x: np.stack([x, x]), x)
    if shape:
        axis = data.draw(some.integers(0, len(shape) - 1))
        beside(("beside", axis), lambda x: porism.concatenate([x, x], axis), lambda x: np.concatenate([x, x], axis), x)


def slices(n):
    """Indices of an axis: numbers, and slices whose ends are positions in it."""
    ends = some.lists(some.integers(0, n), min_size=2, max_size=2).map(lambda e: slice(*sorted(e)))
    last = some.integers(0, n).map(lambda k: slice(-k or None, None)) | some.just(slice(-1, 0))
    steps = some.sampled_from([slice(None, None, s) for s in (1, 2, 3, -1, -2)])
    return ends | last | steps | some.integers(-n, n - 1) if n else ends | steps


@hunted
@given(some.data())
def test_indices(data):
    shape = data.draw(shapes(3))
    x = data.draw(views(shape, data.draw(some.sampled_from(["f8", "i4", "bool"]))))
    index = data.draw(some.tuples(*(slices(n) for n in shape)))
    if data.draw(some.booleans()):
        index = (*index[:len(shape)//2], *data.draw(some.sampled_from([(None,), (...,)])))
    beside(("index", repr(index), shape), lambda x: x[index], lambda x: x[index], x)
    if shape and shape[0]:
        at = np.array(data.draw(some.lists(some.integers(0, shape[0] - 1), max_size=4)), "i8")
        beside("gather", lambda x, i: x[i], lambda x, i: x[i], x, at)


@hunted
@given(some.data())
def test_products(data):
    m, n, k = (data.draw(some.sampled_from([0, 1, 2, 4, 7])) for _ in range(3))
    few = some.integers(-8, 8)
    dtype = data.draw(some.sampled_from(FLOATS))
    lead = data.draw(some.sampled_from([(), (1,), (2,), (0,)]))
    x, w = data.draw(views((*lead, m, n), dtype, few)), data.draw(views((n, k), dtype, few))
    beside("@", lambda x, w: x @ w, np.matmul, x, w)
    beside("x.T @ x", lambda x: porism.transpose(x, (1, 0)) @ x, lambda x: x.T @ x, w)


@hunted
@given(some.data())
def test_choices(data):
    shape = data.draw(shapes(3))
    c, x, y = data.draw(views(shape, "bool")), *(data.draw(views(shape, "f8")) for _ in range(2))
    beside("where", porism.where, np.where, c, x, y)
    low, high = sorted((data.draw(some.integers(-3, 3)), data.draw(some.integers(-3, 3))))
    beside(("clip", low, high), lambda x: porism.clip(x, float(low), float(high)), lambda x: np.clip(x, low, high), x)


@hunted
@given(some.data())
def test_gradients(data):
    x = data.draw(views(data.draw(shapes(3)), "f8", some.floats(-2, 2)))
    got = function("gradient", porism.grad(lambda x: porism.sum(porism.sin(x)*x)))(x)
    same(got, np.cos(x)*x + np.sin(x), 1e-14)
    rows = function("rows", porism.vmap(porism.grad(lambda r: porism.sum(r*r*r)))) if x.ndim > 1 else None
    if rows:
        same(rows(x), 3*x*x, 1e-14)


@pytest.mark.parametrize("index", [
    "i, :, i", "i, :, [0, 1, 2]", "j, :, i, None", "None, i, :, i", "i, ..., [0, 1, 1]", "i, None, i", "m, :, [0, 1]",
    ":, i, :, [0, 1, 1]", "i, :, 0, [0, 1, 1]", "i, 1:3, j", "i, 0, :, [0, 1, 0]", "-1, :, i", "i, ::-1, i, 1"])
def test_indices_that_stand_apart(index):
    x = np.random.default_rng(0).normal(size=(4, 5, 3, 2))
    i, j, m = np.array([0, -1, 2]), np.array([[1], [0]]), np.array([True, False, True, False])
    f = eval(f"lambda x: x[{index}]", {"i": i, "j": j, "m": m})
    np.testing.assert_array_equal(porism.jit(f)(x), f(x))
    np.testing.assert_array_equal(porism.vmap(f)(np.stack([x, 2*x]))[1], f(2*x))
    weight = np.random.default_rng(1).normal(size=f(x).shape)
    slope, count = np.zeros_like(x), f(np.arange(x.size).reshape(x.shape))
    np.add.at(slope.reshape(-1), count, weight)
    np.testing.assert_allclose(porism.grad(lambda x: porism.sum(f(x)*weight))(x), slope)
    if "None" not in index:
        at = eval(f"np.s_[{index}]", {"i": i, "j": j, "m": m, "np": np})
        added = x.copy()
        np.add.at(added, at, weight)
        np.testing.assert_allclose(porism.jit(lambda x, v: porism.add_at(x, at, v))(x, weight), added)
        np.testing.assert_array_equal(f(porism.jit(lambda x: porism.put(x, at, 7.0))(x)), np.full(weight.shape, 7.0))


def attempted(f, *args):
    """What f gives; None where it refuses."""
    try:
        with np.errstate(all="ignore"):
            return f(*args)
    except (ValueError, TypeError):
        return None


@hunted
@given(some.data())
def test_what_numpy_refuses(data):
    """Of any two shapes: what fits has NumPy's values, and what does not is refused, also where it is known in the call alone."""
    few = some.integers(-3, 3)
    x, y = (data.draw(arrays_of.arrays("f8", data.draw(shapes(3)), elements=few)) for _ in range(2))
    axis = data.draw(some.integers(0, 2))
    shape = y.shape
    of_two = {"+": (porism.add, np.add), "@": (porism.matmul, np.matmul),
              "stack": (lambda x, y: porism.stack([x, y]), lambda x, y: np.stack([x, y])),
              ("beside", axis): (lambda x, y: porism.concatenate([x, y], axis), lambda x, y: np.concatenate([x, y], axis)),
              "where": (lambda x, y: porism.where(x > 0, x, y), lambda x, y: np.where(x > 0, x, y)),
              ("spread", shape): (lambda x, y: porism.broadcast_to(x, shape), lambda x, y: np.broadcast_to(x, shape)),
              "spread as": (lambda x, y: porism.broadcast_to(x, y.shape), lambda x, y: np.broadcast_to(x, y.shape)),
              ("reshaped", shape): (lambda x, y: porism.reshape(x, shape), lambda x, y: np.reshape(x, shape)),
              "reshaped as": (lambda x, y: porism.reshape(x, y.shape), lambda x, y: np.reshape(x, y.shape))}
    for name, (ours, theirs) in of_two.items():
        got, wanted = attempted(function(("any", name), ours), x, y), attempted(theirs, x, y)
        assert (got is None) == (wanted is None), (name, x.shape, y.shape, got)
        if wanted is not None:
            same(got, wanted)
