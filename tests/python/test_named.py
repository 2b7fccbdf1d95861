"""Keywords of NumPy's, PyTorch's and JAX's for every function of ours: taken with their meaning, or answered in our words."""
import inspect
import re

import numpy as np
import pytest

import porism
from porism import control, indices, instead, nodes, operators, transforms

RNG = np.random.default_rng(21)

X = np.array([[1.0, -2.0, 3.5, 0.25], [4.0, 5.0, -6.5, 2.0], [0.5, 7.0, 8.0, -1.0]])
M = X > 0.4
FUNCTIONS = {name: f for module in (operators, nodes, control, indices, transforms) for name, f in vars(module).items()
             if not name.startswith("_") and hasattr(f, "__wrapped__") and getattr(porism, name, None) is f}
KEYWORDS = ["dim", "dims", "axis", "axes", "keepdims", "keepdim", "dtype", "initial", "where", "out", "ddof", "correction",
            "unbiased", "casting", "order", "subok", "a", "b", "input", "other", "x1", "x2", "size", "shape", "device",
            "requires_grad", "precision", "mode", "unroll", "in_dims", "argnum", "init", "decimals", "base", "loc", "scale",
            "ord", "a_min", "a_max", "min", "max", "repeats", "weights", "k", "n", "axis_name", "no_such"]
FOLDS = ["sum", "prod", "max", "min", "any", "all", "mean", "variance", "argmax", "argmin"]


def numpys(name):
    return getattr(np, {"variance": "var"}.get(name, name))


def there(call):
    """What a call gives on arrays and while it is traced; its error's text."""
    found = []
    for f in (call, porism.jit(call)):
        try:
            found.append(f(X, M))
        except Exception as e:
            found.append(f"{type(e).__name__}: {e}")
    return found


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_no_answer_is_that_of_python(name):
    """Any keyword, and operands too many or too few: the answer has our function's name and how it is written."""
    f = FUNCTIONS[name]
    least = [p for p in inspect.signature(f).parameters.values() if p.default is p.empty]
    calls = [lambda x, m, k=k: f(*[x]*len(least), **{k: 1}) for k in KEYWORDS]
    calls += [lambda x, m: f(), lambda x, m: f(*[x]*9)]
    for call in calls:
        for answer in there(call):
            assert not re.search(r"unexpected keyword|positional argument|multiple values", str(answer)), answer


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_an_unknown_keyword_is_named_with_what_there_is(name):
    f = FUNCTIONS[name]
    least = [p for p in inspect.signature(f).parameters.values() if p.default is p.empty]
    with pytest.raises(TypeError, match=rf"{name} has no no_such=: it is porism\.{name}\("):
        f(*[X]*len(least), no_such=1)


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("words,theirs", [
    ({"dim": 0}, {"axis": 0}), ({"dim": 1, "keepdim": True}, {"axis": 1, "keepdims": True}),
    ({"axis": -1, "keepdim": True}, {"axis": -1, "keepdims": True}), ({"out": None, "axis": 1}, {"axis": 1})])
def test_folds_take_axes_by_every_name(name, words, theirs):
    f = FUNCTIONS[name]
    wanted = numpys(name)(M if name in ("any", "all") else X, **theirs)
    for got in there(lambda x, m: f(m if name in ("any", "all") else x, **words)):
        np.testing.assert_allclose(got, wanted, rtol=1e-15)


@pytest.mark.parametrize("name,words", [
    ("sum", {"where": M}), ("sum", {"where": M, "axis": 0, "initial": 3.0}), ("prod", {"where": M, "axis": 1}),
    ("prod", {"initial": 2.0}), ("mean", {"where": M}), ("mean", {"where": M, "axis": 1, "keepdims": True}),
    ("max", {"initial": 5.0, "axis": 0}), ("max", {"initial": -1.0, "where": M}), ("min", {"initial": 0.5, "where": M, "axis": 1}),
    ("sum", {"dtype": "f4"}), ("sum", {"dtype": np.float32, "axis": 1}), ("prod", {"dtype": np.float32}),
    ("variance", {"ddof": 1}), ("variance", {"ddof": 1, "axis": 0}), ("variance", {"ddof": 2, "axis": 1, "keepdims": True})])
def test_folds_mean_what_numpys_mean(name, words):
    wanted = numpys(name)(X, **words)
    for got in there(lambda x, m: FUNCTIONS[name](x, **words)):
        assert np.asarray(got).dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-6 if wanted.dtype == np.float32 else 1e-14)
    traced = porism.jit(lambda x: numpys(name)(x, **words)) if name != "variance" else None
    if traced:                                  # NumPy's own function of a traced value
        np.testing.assert_allclose(traced(X), wanted, rtol=1e-6)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "argmax", "argmin"])
def test_methods_of_traced_values_take_them_too(name):
    got = porism.jit(lambda x: getattr(x, name)(dim=1, keepdim=True))(X)
    np.testing.assert_allclose(got, numpys(name)(X, axis=1, keepdims=True), rtol=1e-15)


def test_ranges_are_numpys():
    for args in ((7,), (2, 9), (0, 10, 2), (0, 11, 3), (10, 0, -3), (5, 5), (9, 2), (-4, 4, 3)):
        np.testing.assert_array_equal(porism.arange(*args), np.arange(*args))
        np.testing.assert_array_equal(porism.jit(lambda x, a=args: porism.arange(*a) + 0*x)(1), np.arange(*args))
    sized = porism.jit(lambda x: (porism.arange(1, x.shape[0], 2), porism.arange(x.shape[0], dtype="f32"),
                                  porism.arange(x.shape[0], 0, -1), porism.arange(x.shape[0], 0, -2)))
    for n in (3, 4, 9):
        wanted = np.arange(1, n, 2), np.arange(n, dtype="f4"), np.arange(n, 0, -1), np.arange(n, 0, -2)
        for got, w in zip(sized(np.ones(n)), wanted):
            np.testing.assert_array_equal(got, w)
    with pytest.raises(TypeError, match="write a [+] h[*]porism.arange"):
        porism.jit(lambda x: porism.arange(0, 1, 0.1) + x)(1.0)


def test_the_rest_has_its_meaning():
    for words, wanted in (({"a_min": 0, "a_max": 4}, np.clip(X, 0, 4)), ({"min": 0}, np.maximum(X, 0)), ({"max": 1}, np.minimum(X, 1))):
        for got in there(lambda x, m: porism.clip(x, **words)):
            np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(porism.concatenate([X, X], dim=1), np.concatenate([X, X], 1))
    np.testing.assert_array_equal(porism.stack([X, X], dim=1), np.stack([X, X], 1))
    np.testing.assert_array_equal(porism.where(condition=M, input=X, other=0), np.where(M, X, 0))
    np.testing.assert_array_equal(porism.transpose(X, dims=(1, 0)), X.T)
    np.testing.assert_array_equal(porism.full(size=(2,), fill_value=3), np.full(2, 3))
    np.testing.assert_array_equal(porism.vmap(porism.sum, in_dims=1)(X), X.sum(0))
    np.testing.assert_allclose(porism.scan(lambda c, a: (c + a, c), init=np.zeros(4), xs=X)[0], X.sum(0))
    assert porism.exp(X, dtype="f32").dtype == np.float32


@pytest.mark.parametrize("name", sorted({**instead.EXPRESSIONS, **instead.SHAPED}))
def test_what_is_to_be_written_computes(name):
    """The expressions that messages give compute, of vectors or of matrices, by arrays and while they are traced."""
    text = {**instead.EXPRESSIONS, **instead.SHAPED}[name].split(" of a matrix")[0]
    names = {"np": np, "porism": porism, "n": 4, "m": 4, "k": 2, "a": 0.0, "b": 1.0, "low": 0.0, "high": 1.0, "lower": 0,
             "upper": 3, "body": lambda i, s: s + 1.0, "first": 0.0, "f": lambda x: x*2.0, "axis": 0}
    raised = []
    for x in (RNG.uniform(0.1, 0.9, 4), RNG.uniform(0.1, 0.9, (4, 4))):
        try:
            def compute(x, y):
                return eval(text, {**names, "x": x, "y": y})
            if not callable(compute(x, x)):
                assert np.shape(porism.jit(compute)(x, x + 0.5)) == np.shape(compute(x, x + 0.5))
            return
        except Exception as e:
            raised.append(e)
    raise AssertionError(f"{text}: {raised}")
