"""Tracing: how often, structures in and out, sizes, and what mistakes are answered with."""
import dataclasses
import functools
import pickle
import re
import typing
import warnings

import mistakes
import numpy as np
import pytest

import porism
from porism.instead import EXPRESSIONS


def counted(f):
    """A function of jit, and a list that grows by one with each of its traces."""
    traces = []

    @functools.wraps(f)
    def traced(*args, **named):
        traces.append(1)
        return f(*args, **named)
    return porism.jit(traced, tier="interpret"), traces


def test_one_trace_for_all_sizes():
    f, traces = counted(lambda x, w: porism.tanh(x @ w))
    for n in range(2, 200):
        x = np.linspace(-1, 1, 5*n).reshape(n, 5)
        np.testing.assert_allclose(f(x, np.ones(5)), np.tanh(x @ np.ones(5)), atol=1e-13)
    assert len(traces) == 1


def test_traces_by_dtype_rank_and_small_sizes():
    f, traces = counted(lambda x: x*2)
    for x in (np.ones(3), np.ones(7), np.ones((3, 4)), np.ones(3, "f4"), np.ones(1), np.ones(0), 1.0, np.float64(2), 3,
              np.ones(5), 2, np.ones((1, 4)), np.ones((9, 2))):
        np.testing.assert_array_equal(f(x), np.asarray(x)*2)
    assert len(traces) == 8


def test_sizes_that_are_equal_by_chance():
    f, traces = counted(lambda x, y: (x.sum(), y.sum()))
    for n, m in ((3, 3), (3, 4), (5, 5), (6, 2), (2, 2)):
        assert f(np.ones(n), np.ones(m)) == (n, m)
    assert len(traces) == 2
    g, traces = counted(lambda x, y: x + y)
    for n in (4, 2, 9):
        np.testing.assert_array_equal(g(np.ones(n), np.ones(n)), np.full(n, 2))
    np.testing.assert_array_equal(g(np.ones(4), np.ones(1)), np.full(4, 2))
    assert len(traces) == 2


class Pair(typing.NamedTuple):
    a: object
    b: object


@dataclasses.dataclass
class Model:
    w: object
    b: object
    layers: list = dataclasses.field(default_factory=list)


@pytest.mark.parametrize("tree", [
    (1.0, np.ones(2)), [1.0, [2.0, (3.0,)]], {"w": np.ones(2), "b": {"c": 1.5}}, Pair(1.0, Pair(2.0, np.ones(3))),
    Model(np.ones(2), 1.0, [np.ones(3), None]), (), None, {"a": None, "z": ()}, (1.0,)], ids=str)
def test_structures(tree):
    f = porism.jit(lambda t, x: (porism.tree_map(lambda v: v*2, t), x))
    out, x = f(tree, 1.0)
    wanted = porism.tree_map(lambda v: v*2, tree)
    assert x == 1 and type(out) is type(tree)
    porism.tree_map(np.testing.assert_array_equal, out, wanted)


def test_arguments_by_name_and_static():
    f = porism.jit(lambda x, y=2.0, *, flip=False, power=2: (x - y)**power if not flip else (y - x)**power,
                   static=("flip", "power"))
    assert f(5.0) == 9 and f(5.0, 1.0) == 16 and f(5.0, y=1.0, power=3) == 64 and f(5.0, flip=True, power=1) == -3
    with pytest.raises(ValueError, match="has no argument z"):
        porism.jit(lambda x: x, static="z")
    for wrong, text in (({"static": 1}, "a tuple of names"), ({"static_argnums": 1}, "no option static_argnums: .*static")):
        with pytest.raises(TypeError, match=text):
            porism.jit(lambda x, n: x, **wrong)
    with pytest.raises(TypeError, match="jit of 3, which is no function"):
        porism.jit(3)


def test_jit_within_jit():
    inner = porism.jit(lambda x, k: x*k)
    assert porism.jit(lambda x: inner(x, 3.0) + inner(x, k=2.0))(2.0) == 10
    assert porism.jit(lambda x: x + inner(2.0, 3.0))(1.0) == 7


def test_methods():
    @dataclasses.dataclass
    class Line:
        slope: object
        start: object

        @porism.jit
        def at(self, x):
            return self.slope*x + self.start
    assert Line(2.0, 1.0).at(3.0) == 7 and Line.at(Line(1.0, 1.0), x=3.0) == 4


def test_sizes_compute():
    @porism.jit
    def f(x):
        m, n = x.shape
        return (m*n, x.sum()/m, porism.arange(m + n), x.reshape(-1), x.reshape(n, m), porism.zeros((n, m)), m//2 + n % 2,
                porism.broadcast_to(x[0], (m, n)), 1/m, x.size, m - n, 2 - m, porism.full(n, m))
    for m, n in ((2, 3), (4, 4), (5, 2)):
        x = np.arange(float(m*n)).reshape(m, n)
        wanted = (m*n, x.sum()/m, np.arange(m + n), x.reshape(-1), x.reshape(n, m), np.zeros((n, m)), m//2 + n % 2,
                  np.broadcast_to(x[0], (m, n)), 1/m, x.size)
        for a, b in zip(f(x)[:10], wanted):
            np.testing.assert_allclose(a, b)
        assert f(x)[10] == m - n and f(x)[11] == 2 - m


def test_sizes_compare():
    @porism.jit
    def f(x, y):
        n, m = x.shape[0], y.shape[0]
        assert (n == n) is True and (n + 1 > n) is True and (n < 2) is False and (n >= 2) is True and (n != 1) is True
        assert (n == 0) is False and (n*2 - n == n) is True
        return n > 3, n == m, porism.where(n < m, 1.0, -1.0), porism.cond(n > 3, lambda: porism.sum(x), lambda: 0.0)
    assert f(np.ones(2), np.ones(7)) == (False, False, 1, 0)
    assert f(np.ones(5), np.ones(4)) == (True, False, -1, 5)
    assert f(np.ones(5), np.ones(5)) == (True, True, -1, 5)


def test_small_sizes_are_numbers():
    seen = []
    porism.jit(lambda x: seen.append(x.shape) or x)(np.ones((0, 1, 4)))
    assert seen[0][:2] == (0, 1) and isinstance(seen[0][2], porism.Size) and str(seen[0][2]) == "n"


def test_functions_of_numpy():
    x = np.array([[0.1, 0.7], [0.3, -0.2]])
    f = porism.jit(lambda x: np.exp(x)*np.array([1.0, 2]) + np.float64(2)*x - np.arctan2(x, 1 + x) + np.matmul(x, x))
    np.testing.assert_allclose(f(x), np.exp(x)*np.array([1.0, 2]) + 2*x - np.arctan2(x, 1 + x) + x @ x, rtol=1e-14)


def test_more_functions_of_numpy():
    x = np.array([[0.1, 0.7], [0.3, -0.2]])
    f = porism.jit(lambda x: (np.where(x > 0, x, 0.0), np.sum(x, axis=0), np.mean(x), np.concatenate([x, x]), np.reshape(x, -1),
                              np.transpose(x), np.clip(x, 0, 0.5), np.cumsum(x, 1), np.argmax(x, axis=1), np.stack([x, x])))
    wanted = (np.where(x > 0, x, 0), x.sum(0), x.mean(), np.concatenate([x, x]), x.reshape(-1), x.T, np.clip(x, 0, 0.5),
              np.cumsum(x, 1), np.argmax(x, 1), np.stack([x, x]))
    for a, b in zip(f(x), wanted):
        np.testing.assert_allclose(a, b, rtol=1e-15)


def test_indices():
    x = np.arange(24.0).reshape(4, 6)
    parts = [0, -1, slice(1, 3), slice(None, None, -1), (slice(None), 2), (Ellipsis, slice(1, None)), (0, 3), None,
             (slice(None), None, 1), np.array([0, 2, 2]), (slice(None), np.array([[0, 5], [1, 1]])), slice(None, None, 2), [],
             (np.array([0, 1]), np.array([5, 4])), (slice(0, 0),)]
    for part in parts:
        np.testing.assert_array_equal(porism.jit(lambda x: x[part])(x), x[part], err_msg=str(part))
    np.testing.assert_array_equal(porism.jit(lambda x: +x)(x), x)
    np.testing.assert_array_equal(porism.jit(lambda x: x[x > 10])(x), x[x > 10])
    np.testing.assert_array_equal(porism.jit(lambda x, i: x[i, :2])(x, np.array([3, 0])), x[[3, 0], :2])
    np.testing.assert_array_equal(porism.jit(lambda x: x[1:x.shape[0] - 1])(x), x[1:3])
    changed = porism.jit(lambda x: (porism.put(x, (1, slice(None)), 0.0), porism.add_at(x, np.array([0, 0]), 1.0)))(x)
    wanted = x.copy(), x.copy()
    wanted[0][1, :] = 0
    np.add.at(wanted[1], np.array([0, 0]), 1.0)
    for a, b in zip(changed, wanted):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name, of_numpy", [("max_at", np.maximum), ("min_at", np.minimum), ("mul_at", np.multiply),
                                            ("and_at", np.logical_and), ("or_at", np.logical_or)])
def test_joined_at_indices(name, of_numpy):
    bools, at = name in ("and_at", "or_at"), getattr(porism, name)
    random = np.random.default_rng(3)
    x, v = random.normal(size=(4, 6)), random.normal(size=(5, 6))
    x, v = (x > 0, v > 0) if bools else (x, v)
    mask = random.normal(size=(4, 6)) > 0
    for index, value in ((np.array([0, 2, 2, -1, 0]), v), (([0, 0, 3], [1, 1, -2]), v[0, :3]), ((1, slice(1, 4)), v[0, :3]),
                         ((slice(None), np.array([5, 5, 0])), v[:4, :3]), (mask, v[0, 0]), (np.zeros((0,), int), v[:0]),
                         (-1, v[1]), (..., v[0]), ((slice(None, None, -2), None, 2), v[0, 0])):
        wanted = x.copy()
        of_numpy.at(wanted, index, value)
        for got in (at(x, index, value), porism.jit(lambda x, v: at(x, index, v))(x, value)):
            np.testing.assert_array_equal(got, wanted, err_msg=str(index))
    wanted = x.copy()
    of_numpy.at(wanted, [3, 3], v[0])
    np.testing.assert_array_equal(porism.jit(lambda x, i, v: at(x, i, v))(x, np.array([3, 3]), v[0]), wanted)
    with pytest.raises(IndexError, match="index 4"):
        porism.jit(lambda x, i: at(x, i, v[0]))(x, np.array([0, 4]))
    lanes = porism.vmap(lambda x, i: at(x, i, v[0, 0]))(x, np.array([[0, 0], [5, 1], [2, 3], [4, 4]]))
    wanted = x.copy()
    of_numpy.at(wanted, (np.arange(4)[:, None], np.array([[0, 0], [5, 1], [2, 3], [4, 4]])), v[0, 0])
    np.testing.assert_array_equal(lanes, wanted)


def test_gradients_of_what_is_joined_at_indices():
    i = np.array([0, 0, 1, 1, 1])
    x, v = np.array([1.0, 0.0, 7.0]), np.array([5.0, 2.0, 3.0, 0.0, 2.0])
    grad = porism.grad(lambda x, v: porism.sum(porism.mul_at(x, i, v)), (0, 1))(x, v)
    np.testing.assert_allclose(grad[0], [10, 0, 1])
    np.testing.assert_allclose(grad[1], [2, 5, 0, 0, 0])
    hess = porism.hessian(lambda v: porism.sum(porism.mul_at(np.array([1.0, 2.0, 7.0]), i, v)))(v)
    wanted = np.zeros((5, 5))
    wanted[0, 1] = wanted[1, 0] = 1
    wanted[2, 3] = wanted[3, 2] = 4
    wanted[3, 4] = wanted[4, 3] = 6
    np.testing.assert_allclose(hess, wanted)
    grad = porism.grad(lambda x, v: porism.sum(porism.max_at(x, i, v)), (0, 1))(x, np.array([5.0, 5.0, -3.0, 0.0, -2.0]))
    np.testing.assert_allclose(grad[0], [0, 0.5, 1])
    np.testing.assert_allclose(grad[1], [0.5, 0.5, 0, 0.5, 0])


def test_shapes():
    x = np.arange(12.0).reshape(3, 4)
    f = porism.jit(lambda x: (porism.transpose(x), porism.expand_dims(x, (0, 2)), porism.squeeze(x[None], 0),
                              porism.concatenate([x, x*2], 1), porism.stack([x, -x], -1), porism.flip(x, 0), x.T.T,
                              porism.broadcast_to(x, (2, 3, 4)), porism.ones((2, 3), "f32")))
    wanted = (x.T, x[None, :, None], x, np.concatenate([x, x*2], 1), np.stack([x, -x], -1), x[::-1], x,
              np.broadcast_to(x, (2, 3, 4)), np.ones((2, 3), "f4"))
    for a, b in zip(f(x), wanted):
        np.testing.assert_array_equal(a, b)


def test_notation_of_a_function():
    f = porism.jit(lambda x, w: porism.log(1 + porism.exp(x @ w)).sum())
    assert f.notation(np.ones((2, 3)), np.ones(3)) == (
        "fn f(x: f64[n, m], w: f64[m]) -> f64 = sum(log(1 + exp(x @ w)))\n")


def test_static_values_that_are_equal():
    f = porism.jit(lambda x, how: -x if how is True else x*(how[0] if isinstance(how, tuple) else how), static="how")
    assert f(3, True) == -3 and f(3, 1) == 3
    assert [f(3, how).dtype.name for how in (1, 1.0, (1,), (1.0,))] == ["int64", "float64", "int64", "float64"]


def test_tables_from_outside():
    table, square = np.arange(10.0), np.arange(6.0).reshape(2, 3)
    f = porism.jit(lambda i, v: (porism.take(table, i), porism.put(table, i, 7.0), porism.add_at(square, (1, i), v)))
    taken, put, added = f(2, 0.5)
    wanted = table.copy(), square.copy()
    wanted[0][2], wanted[1][1, 2] = 7.0, 5.5
    assert taken == 2.0
    np.testing.assert_array_equal(put, wanted[0])
    np.testing.assert_array_equal(added, wanted[1])
    np.testing.assert_array_equal(porism.put(table, slice(0, 9), 7.0), np.append(np.full(9, 7.0), 9.0))
    np.testing.assert_array_equal(porism.add_at(square, ([0, 0], [1, 1]), 2.0), [[0, 5, 2], [3, 4, 5]])
    np.testing.assert_array_equal(table, np.arange(10.0))
    np.testing.assert_array_equal(square, np.arange(6.0).reshape(2, 3))


def test_numbers_below_0_in_arrays():
    x = np.arange(60.0).reshape(3, 4, 5)
    mask = np.array([True, False, True])
    for part in ([0, -1], np.array([-3, -1]), (slice(None), [-1, 1]), (Ellipsis, np.array([[-5], [-1]])), (None, [-1]),
                 (0, [-1, -4]), ([-1, 0], [-2, 1]), (Ellipsis, [-1], slice(1, 3)), (mask, [-1]),
                 (1, Ellipsis, [-2]), (0, slice(None), [1, 2, 0]), (slice(1, 3), 2, None, np.array([[0, 1], [2, 3]])),
                 ([0, 1], slice(None), 2), (None, 1, slice(None), np.array([True, False, True, True, False])), (0, [1, 2]),
                 (slice(None), 0, [1, 2]), [True, False, True]):
        np.testing.assert_array_equal(porism.jit(lambda x: x[part])(x), x[part], err_msg=str(part))
    changed = porism.jit(lambda x: (porism.put(x, (slice(None), [-1, 0]), 0.0), porism.add_at(x, [-1, -1], 1.0)))(x)
    wanted = x.copy(), x.copy()
    wanted[0][:, [-1, 0]] = 0
    np.add.at(wanted[1], [-1, -1], 1.0)
    for a, b in zip(changed, wanted):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(porism.jit(lambda x, i: x[i, :, [1, 2]])(x, 0), x[0, :, [1, 2]])
    np.testing.assert_array_equal(porism.jit(lambda x: porism.put(x, (0, slice(None), [1, 2]), 7.0))(x)[0, :, 1:3], 7.0)
    wanted, rows = x.copy(), np.arange(8.0).reshape(2, 4)
    wanted[0, :, [1, 2]] = rows
    np.testing.assert_array_equal(porism.jit(lambda x: porism.put(x, (0, slice(None), [1, 2]), rows))(x), wanted)
    np.testing.assert_array_equal(porism.jit(lambda v: porism.concatenate([v, [1.0]]))(x[0, 0]), [0, 1, 2, 3, 4, 1])


def random_index(rng, shape):
    """An index that NumPy takes of an array of this shape."""
    parts, size = [], int(rng.integers(1, 4))
    for n in shape:
        kind = rng.choice(["number", "slice", "array", "mask", "all"], p=[0.25, 0.2, 0.25, 0.1, 0.2])
        if kind == "number":
            parts.append(int(rng.integers(-n, n)))
        elif kind == "slice":
            a, b = sorted(int(k) for k in rng.integers(0, n + 1, 2))
            parts.append([slice(a, b), slice(a, b, 2), slice(None, None, -1), slice(a - n if a else None, None)][rng.integers(4)])
        elif kind == "array":
            parts.append(rng.integers(-n, n, [(size,), (2, size), (1,)][rng.integers(3)]))
        elif kind == "mask":
            parts.append(np.arange(n) < size)
        else:
            parts.append(slice(None))
        if rng.random() < 0.15:
            parts.append(None)
    if rng.random() < 0.3:
        parts[rng.integers(len(parts)):] = [Ellipsis]
    elif rng.random() < 0.3:
        parts.insert(rng.integers(len(parts) + 1), Ellipsis)
    return tuple(parts)


def test_indices_at_random():
    rng, x = np.random.default_rng(5), np.arange(60.0).reshape(3, 4, 5)
    for _ in range(400):
        part = random_index(rng, x.shape)
        given = porism.jit(lambda x: x[part], tier="interpret")(x)
        np.testing.assert_array_equal(given, x[part], err_msg=str(part))


def test_what_is_put_at_random():
    rng, x = np.random.default_rng(6), np.arange(60.0).reshape(3, 4, 5)
    for _ in range(200):
        part = tuple(p for p in random_index(rng, x.shape) if p is not None)
        value, wanted = np.arange(100.0, 100 + x[part].size).reshape(x[part].shape), x.copy()
        np.add.at(wanted, part, value)
        given = porism.jit(lambda x, v: porism.add_at(x, part, v), tier="interpret")(x, value)
        np.testing.assert_array_equal(given, wanted, err_msg=str(part))


def test_lists_of_numbers_are_arrays_at_once():
    np.testing.assert_array_equal(porism.sqrt([0.0, 4.0]), [0.0, 2.0])
    np.testing.assert_array_equal(porism.matmul([[1.0, 2.0], [3.0, 4.0]], (1.0, 1.0)), [3.0, 7.0])
    np.testing.assert_array_equal(porism.einsum("i,i->i", [1.0, 2.0], [3.0, 4.0]), [3.0, 8.0])
    assert porism.sum([1.0, 2.0]) == 3 and porism.mean((1.0, 2.0)) == 1.5 and porism.sum([[1, 2], [3, 4]], 1)[1] == 7


# Two matrices and two vectors: what a function of NumPy gives of nodes is what it gives of arrays, or it is refused.
SHARED = sorted(n for n in dir(np) if not n.startswith("_") and hasattr(porism, n) and callable(getattr(np, n)))


@pytest.mark.parametrize("name", SHARED)
def test_functions_of_the_same_name_give_the_same(name):
    function, x, v = getattr(np, name), np.array([[0.1, 0.7, 0.3], [0.5, 0.2, 0.9], [0.6, 0.4, 0.8]]), np.array([0.5, 0.25])
    for first, *more in ((x,), (v,), (x > 0.5,), (x, x), (v, v), (x, 1), (v, 1), (x, [0, 1]), (x, v, 0.5), (x, 0.25, 0.5)):
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)     # of a third argument that is the result
                wanted = function(first.copy(), *more)
            given = porism.jit(lambda a: function(a, *more))(first)
        except (TypeError, ValueError, IndexError, NotImplementedError):
            continue
        assert np.shape(given) == np.shape(wanted)
        np.testing.assert_allclose(given, wanted, rtol=1e-3 if np.result_type(wanted) == np.float16 else 1e-12, atol=1e-15)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_what_is_written_instead(name):
    """What a message tells to write in place of a function of NumPy's means the same."""
    x, y = np.array([0.5, 2.0, 1.5]), np.array([3.0, 1.0, 2.0])
    text = EXPRESSIONS[name]
    two = "y" in re.findall(r"\b\w+\b", text)
    function = {"norm": np.linalg.norm, "hstack": lambda x, y: np.hstack([x, y]), "flatten": np.ravel}.get(name) or (
        getattr(np, name))
    given = porism.jit(lambda x, y: eval(text, {"porism": porism, "np": np, "x": x, "y": y}))(x, y)
    np.testing.assert_allclose(given, function(x, y) if two else function(x), rtol=1e-14)
    for method in (lambda x, y: getattr(x, name), lambda x, y: function(x, y) if two else function(x)):
        try:
            porism.jit(method)(x, y)
        except (TypeError, AttributeError) as e:
            assert text in str(e) or f"porism.{name}(x)" in str(e)
        else:
            assert name in ("dot", "amax", "amin")      # of NumPy's, they are there


@pytest.mark.parametrize("code, wanted", [pytest.param(*c, id=c[0].split("\n")[0][:50]) for c in mistakes.cases()])
def test_mistakes(code, wanted):
    assert mistakes.said(code) == wanted


def test_jit_within_a_trace_uses_what_is_traced_around_it():
    def outer(x):
        inner = porism.jit(lambda y: x*y)
        one = porism.jit(lambda p, k=2.0: p["w"]*x*k)
        return inner(2.0) + inner(x), inner(np.ones(2)), one({"w": 3.0})
    a, b, c = porism.jit(outer)(5.0)
    assert (a, b.tolist(), c) == (35.0, [5.0, 5.0], 30.0)
    assert porism.grad(lambda x: porism.jit(lambda y: x*x*y)(2.0))(3.0) == 12.0
    with pytest.raises(TypeError, match="bool"):
        porism.jit(lambda x: porism.jit(lambda y: 1.0 if x > y else 2.0)(0.0))(1.0)


def test_the_trace_is_closed_where_it_fails():
    with pytest.raises(ZeroDivisionError):
        porism.jit(lambda x: 1//0)(1.0)
    assert porism.jit(lambda x: 2*x)(3.0) == 6.0 and len(porism.jit(lambda x: x).programs) == 0
    f = porism.jit(lambda p: porism.sum(p["a"] if isinstance(p, dict) else p))
    f({"a": np.ones(3)}), f({"a": 2.0}), f(np.ones(3))
    assert list(map(repr, f.programs)) == ["<program (p: f64[n]) -> f64>", "<program (p_a: f64) -> f64>",
                                           "<program (p_a: f64[n]) -> f64>"]


@pytest.mark.parametrize("part", [slice(5, 2), slice(2, 5, -1), slice(-2, -4), slice(-4, -2, -1), slice(3, 3), slice(2, 5), slice(-4, -1),
                                  slice(5, 1, -2), slice(None, None, -2), slice(7, 3, 2)])
def test_slices_without_elements(part):
    a = np.arange(9.0)
    for f in (lambda x: x[part], lambda x: porism.put(x, part, 5.0), lambda x: x[None, part]):
        got, b = porism.jit(f)(a), a.copy()
        b[part] = 5.0
        assert any(got.shape == w.shape and np.array_equal(got, w) for w in (a[part], b, a[None, part]))
    np.testing.assert_array_equal(porism.jit(lambda x: porism.reshape(x, (3, 3))[:, part])(a), a.reshape(3, 3)[:, part])


def test_slices_of_axes_whose_sizes_are_known_are_clipped():
    x = np.arange(4.0).reshape(4, 1)
    for part in (slice(2, 5), slice(0, 7), slice(-3, 1), slice(5, None, -1), slice(None, -5, -1)):
        np.testing.assert_array_equal(porism.jit(lambda x: x[:, part])(x), x[:, part])


def test_a_step_of_nothing():
    with pytest.raises(ValueError, match="step 0"):
        porism.jit(lambda x: x[::0])(np.ones(3))


def test_loops_that_end_before_they_begin():
    add = lambda i, x: x + i                            # noqa: E731
    assert porism.fori(5, 0, add, 1.0) == 1.0 and porism.fori(2, 5, add, 1.0) == 10.0
    assert porism.jit(lambda x: porism.fori(5, 0, add, x))(1.0) == 1.0
    assert porism.jit(lambda a, b: porism.fori(a, b, add, 1.0))(3, -2) == 1.0
    last = porism.jit(lambda x: porism.fori(4, x.shape[0], lambda i, s: s + x[i], 0.0))
    assert last(np.arange(3.0)) == 0.0 and last(np.arange(6.0)) == 9.0
    assert porism.grad(lambda x: porism.fori(5, 0, lambda i, y: y*x, x))(2.0) == 1.0


def doubled(x, n):
    return n*x


twice = porism.jit(doubled, static="n", threads=1)


def test_a_function_under_another_name_is_pickled():
    again = pickle.loads(pickle.dumps(twice))           # by what it is made of: the module's `doubled` is another
    assert again is not twice and again(1.5, 2) == 3 and again.__wrapped__ is doubled


def test_what_is_no_array_of_ours():
    assert porism.jit(lambda x: x*2, tier="reference")(1j) == 2j
    with pytest.raises(TypeError, match="an array of dtype datetime64.*is no dtype of Porism: wanted bools, integers or floats"):
        porism.jit(lambda x: x)(np.array(["2020"], "M8[D]"))
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"a Tensor of torch.bfloat16 on cpu: wanted .* as x.cpu\(\).float\(\) is"):
        porism.jit(lambda x: x)(torch.ones(3, dtype=torch.bfloat16))


def test_spread_to_other_sizes():
    """An axis of a size that is not known is not spread; that it has the size that is wanted, the call checks."""
    spread = {"broadcast_to": lambda x, shape: porism.broadcast_to(x, shape), "full": lambda x, shape: porism.full(shape, x),
              "standard": lambda x, shape: porism.array_api.broadcast_to(x, shape),
              "numpy": lambda x, shape: np.broadcast_to(x, shape)}
    for name, f in spread.items():
        np.testing.assert_array_equal(porism.jit(lambda x: f(x, (2, 3)))(np.arange(3.0)), [[0, 1, 2]]*2)
        for shape in ((2, 4), (4,), (2, 0), (3, 1)):
            with pytest.raises(ValueError, match="must equal|does not spread"):
                porism.jit(lambda x: f(x, shape))(np.arange(3.0))
            with pytest.raises(ValueError, match="must equal|does not spread"):
                porism.vmap(lambda x: f(x, shape))(np.ones((2, 3)))
        with pytest.raises(TypeError, match="called with x: f64.n., y: f64.m., where n = 3, m = 4"):
            porism.jit(lambda x, y: f(x, (2, y.shape[0])))(np.arange(3.0), np.arange(4.0))
    g = porism.graph()
    x = g.input("x", "f64[n]")
    with pytest.raises(ValueError, match="must equal"):
        porism.compile(x, porism.broadcast_to(x, (2, 4)))(np.arange(3.0))


def test_directions_of_other_sizes():
    for f in (lambda x: porism.vjp(lambda v: v*2, x)[1](porism.ones(4))[0],
              lambda x: porism.jvp(lambda v: v*2, (x,), (porism.ones(4),))[1]):
        with pytest.raises(ValueError, match="must equal"):
            porism.jit(f)(np.arange(3.0))
        np.testing.assert_array_equal(porism.jit(f)(np.arange(4.0)), [2, 2, 2, 2])


def test_lists_of_nodes_are_arrays():
    """As numpy.array has them."""
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(porism.jit(lambda x: x + [x[0], 2.0, x[2]])(x), [2, 4, 6])
    np.testing.assert_array_equal(porism.jit(lambda x: [[x[0], 1], [0, x[1]]] @ x[:2])(x), [3, 4])
    np.testing.assert_array_equal(porism.jit(lambda x: porism.exp([x[0]*0, x[1]*0]))(x), [1, 1])
    np.testing.assert_array_equal(porism.jit(lambda x: porism.sum((x.shape[0], x.shape[0] + 1)))(x), 7)
    assert porism.jit(lambda x: porism.stack([x, [x[2], x[1], 0.0]]).sum())(x) == 11
    assert porism.jit(lambda x: x.astype("f32")[:2] + [x[0].astype("f32"), 0.5])(x).dtype == np.float32
    for f in (lambda a: porism.reshape([[a, 1], [a, 2]], -1), lambda a: porism.transpose([[a, 1.0], [2.0, a]]),
              lambda a: porism.flip([a, 1.0]), lambda a: porism.broadcast_to([a, 1.0], (2, 2)),
              lambda a: porism.expand_dims([a, 1.0], 0), lambda a: porism.squeeze([[a, 1.0]], 0),
              lambda a: porism.take([a, 1.0], 1), lambda a: porism.max([[a, 1], [0, a]], 1), lambda a: porism.mean([a, 1.0]),
              lambda a: porism.softmax([a, 1.0]), lambda a: porism.where([a > 0, True], [a, 1.0], 0.0)):
        np.testing.assert_array_equal(porism.jit(f)(3.0), f(np.float64(3.0)))
    assert porism.jit(lambda a: porism.sum(a))([1.0, 2.0]) == 3
    np.testing.assert_array_equal(porism.jit(lambda a: porism.put(x, [0, 2], [a, 2*a]))(5.0), [5, 2, 10])
    np.testing.assert_array_equal(porism.jit(lambda i: porism.take(x, [i, 0]))(2), [3, 1])
    np.testing.assert_array_equal(porism.jit(lambda a, x: x - a)([1.0, 2.0, 3.0], x), [0, 0, 0])
    np.testing.assert_array_equal(porism.grad(lambda a: porism.sum(porism.mul(x, a)))([1.0, 2.0, 3.0]), x)
    g = porism.graph()
    a = g.input("a", "f64")
    assert porism.compile(a, porism.sum([a, 2.0]))(1.0) == 3


def test_a_known_length_is_gone_through():
    g = porism.graph()
    a, b = g.input("x", "f64[2]")
    assert porism.compile(a.graph.input("x", "f64[2]"), a - b)(np.array([5.0, 2.0])) == 3


def test_a_size_that_is_divided_by_zero(tmp_path):
    """In a side that is not taken it is not asked for, known when compiled or not; else the error names what is 0."""
    (tmp_path/"d.por").write_text("""
fn quotient(x: f64[n]) = if len(x) > 0 then x[5 // len(x)] else 0.5
fn rest(x: f64[n]) = if len(x) > 0 then x[5 % len(x)] else 0.5
fn number(x: f64[n]) = if len(x) > 0 then f64(5 // len(x)) else 0.5
fn loop(x: f64[n]) = scan (s = 0.5, i < len(x)) => s + x[5 % len(x)]
fn asked(x: f64[n], y: f64[m]) = sum(y[:5 // len(x)])
""")
    m, none = porism.load(tmp_path/"d.por"), np.zeros(0)
    for f in m.quotient, m.rest, m.number, m.loop:
        assert f(none) == porism.jit(f)(none) == 0.5
    assert m.rest(np.array([1.0, 2])) == 2 and m.number(np.array([1.0, 2])) == 2
    with pytest.raises(ValueError, match="a size is divided by 0: n is 0"):
        m.asked(none, np.ones(3))
    with pytest.raises(ValueError, match="a size is divided by 0"):
        porism.jit(m.asked)(none, np.ones(3))


def test_second_derivatives_of_a_chain(tmp_path):
    """What sides of branches hold once was zero in a loop that asks for it, too."""
    (tmp_path/"c.por").write_text("""
fn f(x: f64[n], a: f64) = if len(x) > 0 then tanh(scan (s = x[0]*a, i < len(x)) => s + a) else a
fn g(x: f64[n], a: f64, k: i64) = let a = f(x, a) in let a = f(x, a) in let a = f(x, a)
    in cos(checkpoint(a) + (if k == 1 then atan(a) else 1))
fn forward(x: f64[n], a: f64, k: i64) = jvp(grad(g(x, a, k), x), a, 1.0)
fn reverse(x: f64[n], a: f64, k: i64) = grad(sum(grad(g(x, a, k), x)), a)
""")
    m, x = porism.load(tmp_path/"c.por"), np.array([0.05, 0.3])
    for k, slope in (1, 0.0175913465457897), (2, 0.0108061546455104):
        assert m.forward(x, 1.049, k) == pytest.approx([slope, 0], rel=1e-12)
        assert m.reverse(x, 1.049, k) == pytest.approx(slope, rel=1e-12)


def test_derivatives_by_values_of_lets(tmp_path):
    """Also where a loop holds them otherwise: computed in its guard, counted by data, with numbers that are not weak."""
    (tmp_path/"n.por").write_text("""
fn once(x: f64[n]) = let y = unique(x) in grad((scan (s = 1.0, i < len(y)) => s*y[i]), y)
fn masked(x: f64[n]) = let y = x[x > 1.5] in grad((scan (s = 0.0) while s < 10 => s + sum(y)), y)
fn counted(x: f64[n], k: i64) = let y = [i < k] => x[i] in grad((scan (s = 0.0, i < k) => s + y[i]^2), y)
fn chosen(x: f64[n]) = let y = (if n > 7 then x else x with [0] = 3) in grad((scan (s = 1.0, i < n) => s*y[i]), y)
fn first(x: f64[n]) = let y = (if n > 7 then x else x with [0] = 3) in grad((scan (s = 0.0) while s < 10 => s + y[0]), y)
""")
    m, x = porism.load(tmp_path/"n.por"), np.array([1.0, 2, 3])
    for f, given, wanted in ((m.once, (x,), [6, 3, 2]), (m.masked, (x,), [2, 2]), (m.counted, (x, 2), [2, 4]),
                             (m.chosen, (x,), [6, 9, 6]), (m.first, (x,), [4, 0, 0])):
        assert np.array_equal(f(*given), wanted)


def test_how_it_shows_itself():
    def loss(w, X, /, *more, scale=1.0):
        return porism.sum(X @ w)*scale
    assert repr(porism.jit(loss)) == "<porism.jit loss(w, X, scale)>" and str(porism.jit(lambda x: x)) == "<porism.jit f(x)>"
    assert repr(porism.array_api.sin) == "<porism function sin>"
    assert "loss_gradient" in repr(porism.grad(loss))


def test_what_is_said_of_arguments_by_place():
    """Arguments of *args have no name: their sizes are told alone."""
    with pytest.raises(TypeError, match=r"f64\[n\] and f64\[m\].*; where n = 3, m = 4$"):
        porism.jit(lambda *x: x[0] + x[1])(np.ones(3), np.ones(4))
    with pytest.raises(TypeError, match="; called with x: f64.n., y: f64.m., where n = 3, m = 4$"):
        porism.jit(lambda x, y: x + y)(np.ones(3), y=np.ones(4))
