"""Derivatives against central differences and in each other, vmap against loops, branches and loops against Python's."""
import numpy as np
import pytest
from conftest import central

import porism
from porism import grad, jit

X = np.array([[0.3, -0.7, 1.1], [0.2, 0.9, -0.4]])
W = np.array([0.5, -1.5, 0.25])


def loss(w, X):
    return porism.mean(porism.softplus(X @ w) - 0.3*(X @ w)) + porism.sum(porism.tanh(w)**2)


FUNCTIONS = {
    "loss": lambda w: loss(w, X),
    "softmax": lambda w: porism.dot(porism.softmax(w), porism.sin(w)),
    "logsumexp": lambda w: porism.logsumexp(w*3),
    "max": lambda w: porism.max(w*w) + porism.sum(porism.maximum(w, 0.1)),
    "indices": lambda w: w[0]*w[-1] + porism.sum(w[1:]**3) + porism.sum(w[np.array([0, 0, 2])]),
    "shapes": lambda w: porism.sum(porism.reshape(porism.concatenate([w, w*w]), (3, 2)) @ np.array([1.0, 2])),
    "scan": lambda w: porism.scan(lambda c, v: (porism.sin(c + v), c*v), 0.5, w)[0],
    "stacked": lambda w: porism.sum(porism.scan(lambda c, v: (c*v + 1, porism.exp(c)), 1.0, w, reverse=True)[1]),
    "fori": lambda w: porism.sum(porism.fori(0, 4, lambda i, c: porism.sin(c)*(i + 1), w)),
    "while": lambda w: porism.while_loop(lambda c: porism.sum(c*c) > 0.01, lambda c: c*0.5, w).sum(),
    "cond": lambda w: porism.cond(w[0] > 0, lambda v: porism.sum(v**2), lambda v: porism.sum(v), w),
    "vmap": lambda w: porism.sum(porism.vmap(lambda r: porism.tanh(porism.dot(r, w)))(X)),
    "checkpoint": lambda w: porism.sum(porism.checkpoint(lambda v: porism.exp(porism.sin(v))*w)(w*w)),
    "gradient within": lambda w: porism.sum(grad(lambda v: porism.sum(v**3*w))(w)),
    "hvp within": lambda w: porism.sum(porism.hvp(lambda v: porism.sum(v**4))(w, W)),
    "jit within": lambda w: jit(lambda v: porism.sum(v**2*W))(w),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients(name):
    f = FUNCTIONS[name]
    value, slope = porism.value_and_grad(f)(W)
    np.testing.assert_allclose(value, jit(f)(W), rtol=1e-15)
    np.testing.assert_allclose(slope, central(jit(f), W), rtol=2e-7, atol=2e-8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives(name):
    f = FUNCTIONS[name]
    slope = jit(grad(f))
    wanted = np.array([central(lambda v: slope(v)[i], W) for i in range(3)])
    np.testing.assert_allclose(porism.hessian(f)(W), wanted, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(porism.jacobian(grad(f), forward=True)(W) if name not in ("while",) else wanted, wanted,
                               rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(porism.hvp(f)(W, X[0]), wanted @ X[0], rtol=1e-6, atol=1e-7)


def test_structures():
    p = {"w": W, "b": (0.5, None)}

    def f(p, x):
        return porism.sum(porism.sin(x @ p["w"] + p["b"][0]))
    slope = grad(f)(p, X)
    assert set(slope) == {"w", "b"} and slope["b"][1] is None
    z = X @ W + 0.5
    np.testing.assert_allclose(slope["w"], np.cos(z) @ X)
    np.testing.assert_allclose(slope["b"][0], np.cos(z).sum())
    both = grad(f, argnums=(1, 0))(p, X)
    np.testing.assert_allclose(both[0], np.outer(np.cos(z), W))
    np.testing.assert_allclose(both[1]["w"], slope["w"])
    (value, more), _ = porism.value_and_grad(lambda p: (f(p, X), {"z": X @ p["w"]}), has_aux=True)(p)
    np.testing.assert_allclose(value, np.sin(z).sum())
    np.testing.assert_allclose(more["z"], X @ W)
    slope, more = grad(lambda w: (porism.sum(w**2), w[0]), has_aux=True)(W)
    np.testing.assert_allclose(slope, 2*W)
    assert more == W[0]


def test_a_variable_is_its_own():
    assert grad(lambda x: grad(lambda y: x*y)(x))(3.0) == 1
    assert grad(lambda x: x*grad(lambda y: x + y)(1.0))(2.0) == 1
    assert grad(lambda x: grad(lambda x: x**3)(x))(2.0) == 12
    assert jit(lambda x: grad(lambda y: x)(x))(3.0) == 0
    assert grad(lambda x: x*porism.stop_gradient(x))(3.0) == 3


def test_names():
    f = jit(lambda w: porism.sum(w**2))
    assert not hasattr(grad(f), "notation")
    assert jit(grad(FUNCTIONS["loss"])).__name__ == "f_gradient"
    assert jit(grad(loss)).notation(W, X).startswith("fn loss_gradient(w: f64[n], X: f64[m, n]) -> f64[n] =")


def test_along_and_against():
    f = lambda w, k: (porism.sin(w)*k, porism.sum(w))                   # noqa: E731
    out, along = porism.jvp(f, (W, 2.0), (X[0], 0.5))
    np.testing.assert_allclose(out[0], np.sin(W)*2)
    np.testing.assert_allclose(along[0], np.cos(W)*2*X[0] + 0.5*np.sin(W))
    np.testing.assert_allclose(along[1], X[0].sum())
    out, back = porism.vjp(f, W, 2.0)
    dw, dk = back((X[1], 3.0))
    np.testing.assert_allclose(dw, np.cos(W)*2*X[1] + 3)
    np.testing.assert_allclose(dk, np.dot(np.sin(W), X[1]))
    with pytest.raises(TypeError, match=r"given an array, the function gives \(array, array\)"):
        back(1.0)
    with pytest.raises(TypeError, match="tangents are"):
        porism.jvp(f, (W, 2.0), (X[0],))


def test_matrices():
    f = lambda w: {"a": porism.sin(w), "b": porism.sum(w**2)}           # noqa: E731
    for forward in (False, True):
        j = porism.jacobian(f, forward=forward)(W)
        np.testing.assert_allclose(j["a"], np.diag(np.cos(W)), atol=1e-15)
        np.testing.assert_allclose(j["b"], 2*W)
    h = porism.hessian(lambda p: p["a"]*porism.sum(p["b"]**2))({"a": 2.0, "b": W})
    np.testing.assert_allclose(h["a"]["b"], 2*W)
    np.testing.assert_allclose(h["b"]["b"], 4*np.eye(3), atol=1e-15)
    assert h["a"]["a"] == 0


@pytest.mark.parametrize("forward", (False, True))
def test_matrices_of_what_hangs_on_nothing(forward):
    j = porism.jacobian(lambda w: (W, 2.0, w[0]), forward=forward)(X[0])
    assert [part.tolist() for part in j] == [[[0.0]*3]*3, [0.0]*3, [1.0, 0.0, 0.0]]
    with pytest.raises(ValueError, match="i64 is differentiated, wanted an array of real floats"):
        porism.jacobian(lambda w: 1, forward=forward)(W)


def test_vmap():
    f = lambda r, w: (porism.dot(r, w), r*w)                            # noqa: E731
    both = porism.vmap(f, in_axes=(0, None))(X, W)
    np.testing.assert_allclose(both[0], X @ W)
    np.testing.assert_allclose(both[1], X*W)
    np.testing.assert_allclose(porism.vmap(lambda a: porism.sum(a), in_axes=1)(X), X.sum(0))
    np.testing.assert_allclose(porism.vmap(lambda a: a*2, in_axes=-1, out_axes=1)(X), X*2)
    np.testing.assert_allclose(porism.vmap(lambda a: porism.vmap(lambda b: a*b)(W))(W), np.outer(W, W))
    np.testing.assert_allclose(porism.vmap(lambda p: p["a"] + p["b"])({"a": W, "b": W}), 2*W)
    np.testing.assert_allclose(jit(lambda X, w: porism.vmap(grad(loss, 0), (None, 0))(w, X[:, None]))(X, W),
                               [grad(loss)(W, X[i:i + 1]) for i in range(2)])
    np.testing.assert_allclose(porism.vmap(lambda a: porism.cond(a > 0, porism.sqrt, lambda v: v*v, a))(W),
                               np.where(W > 0, np.sqrt(np.abs(W)), W*W))
    roots = porism.vmap(lambda a: porism.while_loop(lambda t: porism.abs(t*t - a) > 1e-10, lambda t: (t + a/t)/2, 1.0))
    np.testing.assert_allclose(roots(np.array([1.0, 2, 9])), [1, np.sqrt(2), 3])
    np.testing.assert_allclose(porism.vmap(lambda r: porism.scan(lambda c, v: (c + v, c), 0.0, r)[1])(X),
                               np.cumsum(X, 1) - X, atol=1e-15)
    np.testing.assert_allclose(jit(lambda A: porism.fori(0, 3, lambda i, c: c + porism.vmap(lambda r: porism.sum(r)*i)(A).sum(),
                                                         0.0))(X), X.sum()*3)


def test_vmap_of_what_is_captured_everywhere():
    def f(A, w, k):
        def row(r):
            def step(c, v):
                return c + v*porism.sum(r*w)*k, porism.cond(k > 0, lambda: c, lambda: -c)
            return porism.scan(step, k, w)
        return porism.vmap(row)(A)
    last, steps = jit(f)(X, W, 2.0)
    for i, r in enumerate(X):
        c, seen = 2.0, []
        for v in W:
            seen.append(c)
            c += v*np.sum(r*W)*2.0
        np.testing.assert_allclose(last[i], c)
        np.testing.assert_allclose(steps[i], seen)
    g = jit(lambda A, w, k: grad(lambda w: porism.sum(f(A, w, k)[0]))(w))
    np.testing.assert_allclose(g(X, W, 2.0), central(lambda w: jit(f)(X, w, 2.0)[0].sum(), W), rtol=1e-7)


def test_vmap_with_an_axis_for_each_result():
    x = np.arange(6.0).reshape(2, 3)
    a, b = porism.vmap(lambda x: (x, {"c": 2*x}), out_axes=(0, {"c": 1}))(x)
    np.testing.assert_array_equal(a, x)
    np.testing.assert_array_equal(b["c"], 2*x.T)
    a, b = porism.vmap(lambda x: (x, (x, x[0])), out_axes=(1, 0))(x)
    np.testing.assert_array_equal(a, x.T)
    np.testing.assert_array_equal(b[1], x[:, 0])
    for axes, message in ((0, None), "has None: of all the result is f64"), ((0, 1, 2), r"out_axes has \(0, 1, 2\) for \(array, array\)"):
        with pytest.raises(TypeError, match=message):
            porism.vmap(lambda x: (x, x), out_axes=axes)(x)
    with pytest.raises(TypeError, match="in_axes has '0' for an array: wanted a number"):
        porism.vmap(lambda x: x, in_axes="0")(x)


def test_vmap_of_arrays_whose_size_is_a_value(tmp_path):
    """The number is shared, or from outside; the array is made within."""
    x, g = np.arange(8.0).reshape(2, 4), np.array([0, 1, 1, 0])
    for f, want in ((lambda x, k: porism.concatenate([porism.zeros((k,)), x]), np.pad(x, ((0, 0), (3, 0)))),
                    (lambda x, k: porism.add_at(porism.zeros((k,)), g, x), [[3, 3, 0], [11, 11, 0]]),
                    (lambda x, k: porism.ones((k, 4)) @ x, [[6]*3, [22]*3])):
        np.testing.assert_allclose(porism.vmap(f, in_axes=(0, None))(x, 3), want)
        np.testing.assert_allclose(porism.jit(lambda x, k: porism.vmap(lambda x: f(x, k))(x))(x, 3), want)
    (tmp_path/"f.por").write_text("fn f(x: f64[n], g: i64[n], k: i64) = sum((f64[k](1) with [g] += x)^2)\n")
    f = porism.load(tmp_path/"f.por").f
    np.testing.assert_allclose(porism.vmap(porism.grad(f), in_axes=(0, None, None))(x, g, 2), [[8]*4, [24]*4])


def test_loops_of_python():
    assert porism.fori(2, 7, lambda i, c: c*10 + i, 0) == 23456
    last, seen = porism.scan(lambda c, v: ({"n": c["n"] + 1, "s": c["s"] + v}, (v*2, None)), {"n": 0, "s": 0.0}, W)
    assert last["n"] == 3 and seen[1] is None
    np.testing.assert_allclose(last["s"], W.sum())
    np.testing.assert_allclose(seen[0], W*2)
    assert porism.scan(lambda c, v: (c*2, None), 1.0, length=8) == (256, None)
    assert porism.while_loop(lambda s: s[0] < 100, lambda s: (s[0]*2, s[1] + 1), (1, 0)) == (128, 7)
    euclid = porism.jit(lambda a, b: porism.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), (a, b))[0])
    assert [euclid(a, b) for a, b in ((12, 18), (17, 5), (0, 4))] == [6, 1, 4]


def test_one_side_alone_runs():
    f = jit(lambda x, i: porism.cond(i < 3, lambda: x[i], lambda: 0.0))
    assert f(W, 1) == W[1] and f(W, 7) == 0
    both = jit(lambda x, i: porism.cond(i < 3, lambda: (x[i]*2, x[i]), lambda: (0.0, 1.0)))
    assert both(W, 2) == (2*W[2], W[2]) and both(W, 9) == (0, 1)
    assert porism.cond(True, lambda a: a, lambda a: -a, 3.0) == 3


def test_checkpoint_keeps_values():
    f = lambda w: porism.sum(porism.sin(porism.exp(w)))                 # noqa: E731
    assert jit(porism.checkpoint(f))(W) == jit(f)(W)
    np.testing.assert_allclose(grad(porism.checkpoint(f))(W), grad(f)(W), rtol=1e-14)
    np.testing.assert_allclose(porism.hessian(porism.checkpoint(f))(W), porism.hessian(f)(W), rtol=1e-13)


def test_stable_derivatives():
    assert jit(lambda x: porism.log(1 + porism.exp(x)))(1000.0) == 1000
    assert grad(lambda x: porism.log(1 + porism.exp(x)))(1000.0) == 1


def test_axes_of_parts_of_arguments():
    f = lambda p, x: p["w"]*x + p["b"][0]
    p, x = {"w": np.arange(3.0), "b": [2.0]}, np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(porism.vmap(f, ({"w": 0, "b": [None]}, 1))(p, x), x.T*p["w"][:, None] + 2)
    np.testing.assert_array_equal(porism.vmap(f, ({"w": 0, "b": None}, 1))(p, x), x.T*p["w"][:, None] + 2)
    with pytest.raises(TypeError, match=r"in_axes has \{'w': 0\} for \{b: \[array\], w: array\}"):
        porism.vmap(f, ({"w": 0}, 1))(p, x)


def test_loops_of_sizes_that_one_side_has_as_numbers(rng):
    """Begun with zeros(4) and going on with n, or begun with n and going on with what a table from outside has."""
    w, u, x, turn = rng.normal(size=(4, 4))/2, rng.normal(size=(4, 2)), rng.normal(size=(6, 2)), np.array([[0.0, 1.0], [-1.0, 0.5]])

    def network(w, u, x):
        return porism.sum(porism.scan(lambda h, v: (porism.tanh(w @ h + u @ v), h), porism.zeros(4), x)[0]**2)

    def plain(w):
        h = np.zeros(4)
        for v in x:
            h = np.tanh(w @ h + u @ v)
        return np.sum(h**2)
    value, slope = jit(porism.value_and_grad(network))(w, u, x)
    np.testing.assert_allclose(value, plain(w), rtol=1e-12)
    np.testing.assert_allclose(slope, central(plain, w), atol=1e-8)
    start = np.array([1.0, 2.0])
    wanted = np.linalg.matrix_power(turn, 5) @ start
    np.testing.assert_allclose(porism.fori(0, 5, lambda i, y: turn @ y, start), wanted)
    np.testing.assert_allclose(porism.scan(lambda y, v: (turn @ y + 0*v, y), start, np.ones(5))[0], wanted)
    np.testing.assert_allclose(porism.vmap(lambda s: porism.fori(0, 5, lambda i, y: turn @ y, s))(np.stack([start, 2*start])),
                               [wanted, 2*wanted])
    np.testing.assert_allclose(porism.while_loop(lambda y: porism.sum(y*y) < 100, lambda y: 2*turn @ y, start),
                               8*turn @ turn @ turn @ start)


def test_plain_numbers_among_what_is_traced():
    multiply = lambda x, y: x*y                         # noqa: E731
    x = np.arange(3.0)
    told = porism.with_derivative(multiply, lambda x, y, z, dx, dy: y*dx + x*dy)
    for f in (porism.checkpoint(multiply), porism.vmap(multiply, (0, None)), told):
        np.testing.assert_array_equal(porism.jit(lambda x: f(x, 2.0))(x), 2*x)
        np.testing.assert_array_equal(f(x, 2.0), 2*x)
    assert porism.jit(lambda x: x + porism.grad(lambda y: y**3)(2.0))(1.0) == 13.0
    assert porism.jit(lambda x: x + porism.jvp(lambda y: y**3, (2.0,), (1.0,))[1])(1.0) == 13.0


def test_a_function_is_computed_as_it_is_written():
    softplus = lambda x: porism.log(1 + porism.exp(x))                                              # noqa: E731
    assert porism.exact(softplus)(1000.0) == np.inf and porism.jit(softplus)(1000.0) == 1000.0
    both = porism.jit(lambda x, c: (porism.exact(lambda p: {"a": p["x"]/p["x"] + c})({"x": x})["a"], softplus(x)))
    assert [str(v) for v in both(0.0, 1.0)] == ["nan", str(softplus(0.0))]
    assert porism.grad(porism.exact(lambda x: x*x))(3.0) == 6.0
    assert porism.vmap(porism.exact(softplus))(np.array([1000.0, 0.0])).tolist() == [np.inf, softplus(0.0)]


def test_an_argument_that_is_given_twice_is_one_variable():
    f = lambda x, y: x*x*y                              # noqa: E731
    assert porism.grad(f, (0, 0))(3.0, 2.0) == (12.0, 12.0)
    assert porism.value_and_grad(f, (0, -2, 1))(3.0, 2.0) == (18.0, (12.0, 12.0, 9.0))
    assert porism.jacobian(f, (0, 0))(3.0, 2.0) == (12.0, 12.0)
    assert porism.hessian(f, (0, 0))(3.0, 2.0) == ((4.0, 4.0), (4.0, 4.0))
    g = porism.graph()
    x = g.input("x", "f64")
    assert [porism.compile(x, d)(2.0) for d in porism.grad(x**3, [x, x])] == [12.0]*2


def test_sums_of_products_say_their_result_or_have_the_labels_that_stand_once():
    A, b = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    for labels, x, y in ("ij,j", A, b), ("i,i", b, b), ("ij, kj -> ik", A, A), ("zi,ij", A.T, A), ("ji,i->j", A, b):
        np.testing.assert_allclose(porism.einsum(labels, x, y), np.einsum(labels, x, y))
        np.testing.assert_allclose(porism.jit(lambda x, y: porism.einsum(labels, x, y))(x, y), np.einsum(labels, x, y))


def test_sums_of_products_of_any_number_of_arrays(rng):
    A, B, v = rng.normal(size=(2, 3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)
    for labels, *x in (("ij,jk,k->i", B, B, v), ("ii->i", B), ("ii", B), ("ij->j", B), ("ji->ij", B), ("...i,...i->...", A, A),
                       ("...ij,jk", A, B), ("...ij,...jk->...ik", A, B), ("i...->...", A), (",i->i", 2.0, v), ("i,j,k", v, v, v)):
        np.testing.assert_allclose(porism.einsum(labels, *x), np.einsum(labels, *x), rtol=1e-13)
    np.testing.assert_allclose(porism.grad(lambda B: porism.einsum("ij,jk,k,i", B, B, v, v))(B), np.outer(v, B @ v) + np.outer(v @ B, v))
    for labels, x, message in (("ij,jk->ik", (B,), "2"), ("ij", (v,), "wanted a letter for each axis"), ("i->ij", (v,), "names no axis")):
        with pytest.raises((TypeError, ValueError), match=message):
            porism.einsum(labels, *x)


def test_derivatives_of_nodes():
    """Of nodes of a graph as of functions: by one node, or by each of several."""
    g = porism.graph()
    x, s = g.input("x", "f64[n]"), g.input("s", "f64")
    y = porism.sum(x**3)*s
    value, (by_x, by_s) = porism.value_and_grad(y, (x, s))
    assert value is y and porism.value_and_grad(y, x)[1].same(by_x)
    f = porism.compile((x, s), (by_x, by_s, porism.jacobian(x*x*s, x), porism.jacobian(x*x*s, x, forward=True),
                                *porism.jacobian(x*x*s, (x, s)), porism.hessian(y, x), *porism.hessian(y, [x, s])))
    a = np.array([1.0, 2.0])
    wanted = (6*a**2, 9.0, np.diag(4*a), np.diag(4*a), np.diag(4*a), a*a, np.diag(12*a), np.diag(12*a), 0.0)
    for got, want in zip(f(a, 2.0), wanted, strict=True):
        np.testing.assert_allclose(got, want)
    for wrong in (0, "x", (), (x, 1)):
        with pytest.raises(TypeError, match="wanted the node by which, or a tuple of nodes, as in porism.jacobian"):
            porism.jacobian(x*x, wrong)


def test_directions_have_the_shape_of_what_they_belong_to():
    """They do not spread, and are of any dtype of real floats."""
    x = np.array([1.0, 2.0, 3.0])
    for wrong in (1.0, np.ones(1), np.ones(2), np.ones((1, 3))):
        with pytest.raises(TypeError, match="wanted the same shape"):
            porism.jvp(lambda x: x*x, (x,), (wrong,))
        with pytest.raises(TypeError, match="wanted the same shape"):
            porism.vjp(lambda x: x*x, x)[1](wrong)
        with pytest.raises(TypeError, match="wanted the same shape"):
            porism.jit(lambda x, v: porism.jvp(lambda x: x*x, (x,), (v,)))(x, wrong)
    assert porism.jvp(lambda x: x*x, (2.0,), (1.0,)) == (4.0, 4.0)
    np.testing.assert_array_equal(porism.vjp(lambda x: x*x, x)[1](np.ones(3, "f4"))[0], 2*x)
