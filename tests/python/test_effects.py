"""What traced functions print, assert and check: order, number of times, and what does not hold."""
import pickle

import numpy as np
import pytest
from conftest import TIERS

import porism

TEXT = """fn root(x: f64) =
    do assert(x >= 0, {x})
    in sqrt(x)
fn two(x: f64) =
    do print({x})
    in (x, 2*x)
fn walk(x: f64[n]) =
    let s = scan (s = 0.0, v in x) =>
        do print(s)
        in s + v
    do print({n})
    in s
fn tell(x: f64) = (do print(x) in x)
fn twice(f, x: f64) = f(f(x))
"""
X = np.array([1.0, 4.0, 9.0])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("effects")/"e.por"
    path.write_text(TEXT)
    return porism.load(path)


@pytest.fixture
def printed(capsys):
    def lines():
        return capsys.readouterr().out.split("\n")[:-1]
    return lines


def said(x, **named):
    porism.print(x=x, **named)
    return x


def of_scan(x):
    return porism.scan(lambda s, _: (said(s)*x, s), x, None, 2)


def cases(file):
    """(function, arguments, value, lines)"""
    walk = ["0.0", "1.0", "5.0", "n = 3"]
    yield file.walk, (X,), 14, walk
    yield lambda x: file.walk(x) + file.walk(2*x), (X,), 42, walk + ["0.0", "2.0", "10.0", "n = 3"]
    yield porism.grad(lambda x: file.two(x)[1]*file.root(x)), (4.0,), 6, ["x = 4.0"]
    yield porism.value_and_grad(file.tell), (2.0,), (2, 1), ["2.0"]
    yield porism.vmap(file.two), (X,), (X, 2*X), ["x = 1.0", "x = 4.0", "x = 9.0"]
    yield porism.vmap(porism.vmap(file.tell)), (X[:2, None]*[1, 2],), X[:2, None]*[1, 2], ["1.0", "2.0", "4.0", "8.0"]
    yield lambda x: porism.scan(lambda s, v: (s + file.tell(v), s), 0.0, x), (X,), (14, [0, 1, 5]), ["1.0", "4.0", "9.0"]
    yield lambda x: porism.while_loop(lambda s: s < 5, lambda s: 2*said(s), x), (1.0,), 8, ["x = 1.0", "x = 2.0", "x = 4.0"]
    yield (lambda x: porism.fori(0, 2, lambda i, s: porism.fori(0, 2, lambda j, r: r + 0*said(i, j=j), s), x)), (1.0,), 1, \
        ["x = 0, j = 0", "x = 0, j = 1", "x = 1, j = 0", "x = 1, j = 1"]
    yield branches, (4.0,), 2, ["x = 4.0, i = 0", "x = 4.0", "y = 2.0"]
    yield branches, (-4.0,), 4, ["x = -4.0, i = 0", "y = 4.0"]
    yield porism.vmap(branches), (np.array([4.0, -1.0]),), [2, 1], \
        ["x = 4.0, i = 0", "x = 4.0", "y = 2.0", "x = -1.0, i = 0", "y = 1.0"]
    yield porism.value_and_grad(branches), (4.0,), (2, 0.25), ["x = 4.0, i = 0", "x = 4.0", "y = 2.0"]
    loop = ["x = 4.0", "x = 16.0"]
    yield lambda x: porism.cond(x > 0, lambda: of_scan(x)[0], lambda: -x), (4.0,), 64, loop
    yield porism.grad(lambda x: porism.cond(x > 0, lambda: of_scan(x)[0], lambda: -x)), (4.0,), 48, loop
    yield porism.grad(lambda x: porism.sum(of_scan(x)[1])), (4.0,), 9, loop
    yield (lambda x: porism.checkpoint(lambda y, s=of_scan(x)[0]: y*said(s))(x)), (4.0,), 256, loop + ["x = 64.0"]
    yield porism.grad(lambda x: porism.checkpoint(lambda y, s=of_scan(x)[0]: y*said(s))(x)), (4.0,), 256, loop + ["x = 64.0"]
    yield porism.vmap(lambda x: 2*porism.checkpoint(said)(x)), (X,), 2*X, ["x = 1.0", "x = 4.0", "x = 9.0"]
    yield porism.grad(lambda x: porism.exact(lambda y: said(y)*y)(x)), (3.0,), 6, ["x = 3.0"]
    yield porism.vmap(lambda x: porism.exact(said)(x)), (X[:2],), X[:2], ["x = 1.0", "x = 4.0"]
    yield porism.vmap(lambda x: x + 0*said(3)), (X[:2],), X[:2], ["x = 3", "x = 3"]     # of what all share, once for each
    yield porism.hessian(lambda x: porism.sum(said(x)**3)), (X[:2],), np.diag(6*X[:2]), ["x = [1. 4.]"]
    yield porism.jacobian(lambda x: said(x)**2), (X[:2],), np.diag(2*X[:2]), ["x = [1. 4.]"]
    yield lambda x: porism.jvp(said, (x,), (1.0,)), (2.0,), (2, 1), ["x = 2.0"]
    yield lambda x: porism.hvp(lambda z: said(z)**3)(x, 1.0), (2.0,), 12, ["x = 2.0"]
    yield lambda x, c: file.twice(lambda v: c*said(v, c=c), x), (1.0, 3.0), 9, ["x = 1.0, c = 3.0", "x = 3.0, c = 3.0"]
    yield porism.grad(lambda x, c: file.twice(lambda v: c*said(v), x), 1), (1.0, 3.0), 6, ["x = 1.0", "x = 3.0"]
    yield (lambda x: porism.while_loop(lambda s: said(s) < 3, lambda s: 2*s, x)), (1.0,), 4, ["x = 1.0", "x = 2.0", "x = 4.0"]
    yield (lambda x: porism.while_loop(lambda s: said(s) < 3, lambda s: 2*said(s, i=1), x)), (2.0,), 4, \
        ["x = 2.0", "x = 2.0, i = 1", "x = 4.0"]
    yield porism.grad(lambda x: porism.while_loop(lambda s: said(s) < 3, lambda s: 2*s, x)), (2.0,), 2, ["x = 2.0", "x = 4.0"]
    yield porism.vmap(lambda x: porism.while_loop(lambda s: said(s) < 3, lambda s: 2*s, x)), (X[:2],), [4, 4], \
        ["x = 1.0", "x = 2.0", "x = 4.0", "x = 4.0"]
    yield (lambda x: porism.scan(lambda s, v: (porism.while_loop(lambda t: said(t) < v, lambda t: t + 1, s), None), x, X[:2])[0]), \
        (3.0,), 4, ["x = 3.0", "x = 3.0", "x = 4.0"]
    solve, optim = porism.library("solve"), porism.library("optim")
    to_two = ["x = 1.0", "x = 2.5", "x = 2.5", "x = 2.05", "x = 2.05"]

    def root(c):
        return solve.newton(lambda x: said(x)**2 - c, 1.0, most=2)["x"]
    yield lambda c: porism.floor(100*root(c)), (4.0,), 200, to_two
    yield lambda c: porism.floor(100*porism.grad(root)(c)), (4.0,), 24, to_two
    yield lambda c: solve.bisection(lambda x: said(x) - c, 0, 2, most=1)["x"], (1.0,), 1, ["x = 0.0", "x = 2.0", "x = 1.0"]
    yield lambda c: solve.fixed_point(lambda x: said(x)/2 + c/2, 1.0)["x"], (1.0,), 1, ["x = 1.0"]
    yield lambda x: porism.print(a=x, b={"c": 1, "d": (2.0, True)}), (2.0,), None, ["a = 2.0, b.c = 1, b.d.0 = 2.0, b.d.1 = True"]
    yield lambda x: porism.print("a mean", x, "in", x + 1), (2.0,), None, ["a_mean = 2.0, in_ = 3.0"]
    yield lambda x: porism.print(x, (x, x + 1)), (2.0,), None, ["2.0, 1.0 = 2.0, 1.1 = 3.0"]
    yield lambda x: porism.print({"a b": x, "let": 1, 7: 2}), (2.0,), None, ["_7 = 2, a_b = 2.0, let_ = 1"]


def branches(x):
    said(x, i=0)
    y = porism.cond(x > 0, lambda: porism.sqrt(said(x)), lambda: -x)
    porism.print("y", y)
    return y


def test_what_is_printed(file, printed):
    for number, (f, args, value, lines) in enumerate(cases(file)):
        for made in (porism.jit(f), *(porism.jit(f, tier=tier) for tier in TIERS)):
            found = made(*args)
            assert (number, printed()) == (number, lines)
            for a, b in zip(*(x if isinstance(value, tuple) else (x,) for x in (found, value))):
                if value is not None:
                    np.testing.assert_allclose(a, b)
        program = porism.jit(f)
        program(*args)
        printed()
        pickle.loads(pickle.dumps(program.programs[0]))(*args)
        assert (number, printed()) == (number, lines)           # its text says the same


def test_at_once(printed):
    assert porism.print(X) is None and porism.check(X) is None and porism.assert_(X > 0) is None
    porism.print(step=3, loss=0.25)
    assert printed() == ["[1. 4. 9.]", "step = 3, loss = 0.25"]
    value, back = porism.vjp(said, 2.0)
    assert printed() == ["x = 2.0"]
    assert back(3.0) == (3.0,) and back(4.0) == (4.0,) and printed() == []


def test_what_does_not_hold(file):
    for made, x in (porism.jit(file.root), -4.0), (porism.vmap(file.root), -X), (porism.grad(file.root), -1.0):
        with pytest.raises(ValueError, match=r"e.por:2:8: assert\(x >= 0\) does not hold: x = -"):
            made(x)

    @porism.jit
    def sums(x):
        def step(s, v):
            porism.assert_(v > 0, v=v)
            return s + v, None
        return porism.scan(step, 0.0, x)[0]
    in_scan = porism.jit(lambda x: porism.scan(lambda s, v: (s + file.root(v), None), 0.0, x)[0])
    with pytest.raises(ValueError, match=r"e.por:2:8: assert\(x >= 0\) does not hold: x = -4; in pass 1$"):
        in_scan(np.array([1.0, -4.0]))
    nested = porism.jit(lambda x: porism.fori(0, 2, lambda i, s: s + porism.sum(porism.vmap(lambda v: file.root(v - i))(x)), 0.0))
    with pytest.raises(ValueError, match=r"e.por:2:8: assert\(x >= 0\) does not hold: x = -0.5; in pass 1, 1$"):
        nested(np.array([1.0, 0.5]))
    assert sums(X) == 14
    with pytest.raises(ValueError, match=r"test_effects.py:\d+: assert\(x > 0\) does not hold: v = -1; in pass 1$"):
        sums(np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match=r"assert\(rows are positive\) does not hold"):
        porism.jit(lambda x: porism.assert_(x > 2, "rows are positive"))(X)
    with pytest.raises(ValueError, match=r"check\(x\): x\[0\] is nan"):
        porism.jit(lambda x: (porism.check(x=porism.log(x - 4)), x))(X)
    with pytest.raises(ValueError, match=r"check\(.*\): p.w\[1\] is inf"):
        porism.check(p={"w": np.array([1.0, np.inf])})


def test_where_there_are_none(file):
    x = porism.graph().input("x", "f64")
    for make, message in (
            (lambda: porism.jit(porism.with_derivative(said, lambda x, y, d: d))(1.0), "with_derivative has no effects"),
            (lambda: porism.jit(porism.with_vjp(said, lambda x, y, u: u))(1.0), "with_vjp has no effects"),
            (lambda: porism.print(x), "of functions that are traced, as by porism.jit, and not of a graph by hand"),
            (lambda: file.root(x), "root has effects, which are of functions that are traced"),
            (lambda: porism.print("x = {x}"), r"wanted values by their names, as in porism.print\(step=i, loss=l\)"),
            (lambda: porism.print("here"), "wanted a value behind it"),
            (lambda: porism.print(), "no value is given"),
            (lambda: porism.print(1.0, x=2.0), "of several values all have names, or none"),
            (lambda: porism.print(x="a"), "given the text 'a'"),
            (lambda: porism.assert_(True, 3.0), "is a text; values have names"),
            (lambda: porism.assert_("x > 0"), "wanted a condition"),
            (lambda: porism.print(*[1.0]*33), "33 values, more than 32")):
        with pytest.raises((TypeError, NotImplementedError), match=message):
            make()
    assert porism.jit(lambda x: x + 1)(1.0) == 2            # an error leaves nothing behind
    with pytest.raises(AttributeError, match=r"write porism.print\(x=x\)"):
        porism.debug


def test_print_stays_pythons():
    names = {}
    exec("from porism import *", names)
    assert "print" not in names and names["check"] is porism.check
