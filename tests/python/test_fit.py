"""porism.fit: its steps are the optimiser's, its blocks take each row once, and what is seen of it."""
import logging
import sys
import types
from typing import NamedTuple

import numpy as np
import porism
import pytest

X = np.linspace(-1, 1, 40)
Y = 3*X - 0.5


def line(p, x, y):
    return porism.mean((p["a"]*x + p["b"] - y)**2)


def test_steps_are_those_of_the_optimiser():
    f = porism.fit(line, {"a": 0.0, "b": 0.0}, X, Y, by="optim.momentum(rate = 0.1, keep = 0.5)", steps=7, progress=False)
    a = b = va = vb = 0.0
    losses = []
    for _ in range(7):
        r = a*X + b - Y
        losses.append(np.mean(r**2))
        va, vb = 0.5*va - 0.1*np.mean(2*r*X), 0.5*vb - 0.1*np.mean(2*r)
        a, b = a + va, b + vb
    assert np.allclose(f.losses, losses, rtol=1e-12)
    assert np.allclose([f.parameters["a"], f.parameters["b"]], [a, b], rtol=1e-12)
    assert f.ended == "steps" and len(f.held) == 0 and "7 steps" in repr(f)


@pytest.mark.parametrize("by", ["optim.sgd(rate = 0.1)", "optim.adam(rate = 0.1)", "optim.nesterov(rate = 0.05)",
                                "optim.scheduled(optim.adamw(rate = 0.1), optim.cosine(400))",
                                "optim.shortened(optim.rmsprop(rate = 0.02), 1)"])
def test_every_optimiser_finds_a_line(by):
    f = porism.fit(line, {"a": 0.0, "b": 0.0}, X, Y, by=by, steps=400, progress=False)
    assert f.losses[-1] < 0.02*f.losses[0]


class Model(NamedTuple):
    W: np.ndarray
    b: np.ndarray


def test_structures_and_dtypes_come_back_as_they_were_given():
    start = (Model(np.full((2, 3), 0.1, np.float32), np.zeros(3, np.float32)), [np.float64(1)])

    def loss(p, x):
        model, (scale,) = p
        return porism.mean((porism.tanh(x @ model.W + model.b) - 0.5)**2) + (scale - 2)**2
    x = np.ones((5, 2), np.float32)
    p = porism.fit(loss, start, x, by="optim.adam(rate = 0.1)", steps=200, progress=False).parameters
    assert isinstance(p, tuple) and isinstance(p[0], Model) and isinstance(p[1], list)
    assert p[0].W.dtype == np.float32 and p[0].W.shape == (2, 3)
    assert abs(p[1][0] - 2) < 0.01
    one = porism.fit(lambda v: porism.sum((v - 1)**2), np.zeros(2), by="optim.sgd(rate = 0.5)", steps=1, progress=False)
    assert one.parameters.tolist() == [1, 1]


def test_blocks_take_each_row_once_before_any_again():
    rows = np.arange(12.0)
    f = porism.fit(lambda p, r: porism.sum(2.0**r) + 0*p, 0.0, rows, block=3, steps=8, progress=False)
    assert sum(f.losses[:4]) == sum(f.losses[4:]) == 2**12 - 1
    again = porism.fit(lambda p, r: porism.sum(2.0**r) + 0*p, 0.0, rows, block=3, steps=8, progress=False)
    other = porism.fit(lambda p, r: porism.sum(2.0**r) + 0*p, 0.0, rows, block=3, steps=8, seed=1, progress=False)
    assert (f.losses == again.losses).all() and (f.losses != other.losses).any()


def test_rows_that_are_kept_out_end_it():
    noise = np.random.default_rng(0).normal(size=40)
    powers = X[:, None]**np.arange(12)
    f = porism.fit(lambda w, A, y: porism.mean((A @ w - y)**2), np.zeros(12), powers, noise,
                   by="optim.adam(rate = 0.05)", steps=4000, hold=0.3, patience=3, progress=False)
    assert f.ended == "patience" and len(f.losses) < 4000
    lowest = f.held[:, 1].min()
    kept = np.random.default_rng(0).permutation(40)[:12]
    assert np.isclose(np.mean((powers[kept] @ f.parameters - noise[kept])**2), lowest)
    assert "held out" in repr(f) and "held out" in f.svg()


def test_a_loss_that_is_no_number_ends_it_and_is_told(caplog):
    with caplog.at_level(logging.WARNING, "porism"):
        f = porism.fit(lambda p: porism.log(p), 0.5, by="optim.sgd(rate = 1.0)", steps=10, progress=False)
    assert f.ended == "nan" and f.parameters == 0.5 - 1/0.5 and "step 1 is nan" in caplog.text
    assert f.svg().startswith("<svg")


def test_an_interrupt_gives_what_there_is():
    def stop(n, loss):
        if n == 3:
            raise KeyboardInterrupt
    f = porism.fit(line, {"a": 0.0, "b": 0.0}, X, Y, steps=10, progress=stop)
    assert f.ended == "interrupted" and len(f.losses) == 3 and f.parameters["a"] > 0


def test_progress_is_told_to_a_function_to_tqdm_or_to_a_terminal(monkeypatch, capsys):
    told = []
    f = porism.fit(line, {"a": 0.0, "b": 0.0}, X, Y, steps=3, progress=lambda n, loss: told.append((n, loss)))
    assert told == list(zip((1, 2, 3), f.losses))

    class Bar:
        made = []

        def __init__(self, **given):
            self.given, self.n, self.closed = given, 0, False
            Bar.made.append(self)

        def set_postfix(self, loss, refresh):
            self.loss = loss

        def update(self, n):
            self.n += n

        def close(self):
            self.closed = True
    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    porism.fit(line, {"a": 0.0, "b": 0.0}, X, Y, steps=3)
    porism.fit(line, {"a": 0.0, "b": 0.0}, X, Y, steps=3, progress=False)
    bar, = Bar.made
    assert bar.given == {"total": 3, "unit": "step", "disable": None} and bar.n == 3 and bar.closed and float(bar.loss) > 0

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    capsys.readouterr()
    porism.fit(line, {"a": 0.0, "b": 0.0}, X, Y, steps=3)
    assert capsys.readouterr().err == ""
    porism.fit(line, {"a": 0.0, "b": 0.0}, X, Y, steps=3, progress=True)
    assert "step 3 of 3, loss " in capsys.readouterr().err


def test_curves_by_matplotlib_or_without_it(monkeypatch):
    f = porism.fit(line, {"a": 0.0, "b": 0.0}, X, Y, steps=5, hold=0.2, progress=False)
    drawn = []

    class Axes:
        def plot(self, x, y, label):
            drawn.append((label, len(x), len(y)))

        def set_xlabel(self, text):
            pass

        def set_yscale(self, how):
            drawn.append(how)

        def legend(self):
            pass
    package, module = types.ModuleType("matplotlib"), types.ModuleType("matplotlib.pyplot")
    module.subplots = lambda: (None, Axes())
    package.pyplot = module
    monkeypatch.setitem(sys.modules, "matplotlib", package)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", module)
    assert isinstance(f.curve(), Axes)
    assert drawn == [("loss", 5, 5), ("held out", 5, 5), "log"]
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib; svg"):
        f.curve()
    assert f._repr_html_().count("<polyline") == 2
    assert "<svg" in porism.fit(line, {"a": 0.0, "b": 0.0}, X, Y, steps=0, progress=False)._repr_html_()


@pytest.mark.parametrize("given, wanted", [
    (dict(start={"a": 1, "b": 0.0}), "start_a holds int64; floats are fitted"),
    (dict(start={}), "has no number that could be fitted"),
    (dict(steps=-1), "steps = -1 is no count"),
    (dict(block=50), "block = 50 rows in a step, of 40 that there are"),
    (dict(hold=1.5), "hold = 1.5 is a part of the rows"),
    (dict(patience=3), "patience looks at rows that are kept out"),
    (dict(data=(X, Y[:3]), block=2), "has to be one; it is 40, 3"),
    (dict(by="optim.adams()"), "adam"),
])
def test_what_is_wrong_is_named(given, wanted):
    given = {"start": {"a": 0.0, "b": 0.0}, "data": (X, Y), "progress": False, **given}
    with pytest.raises((TypeError, ValueError, NameError, AttributeError), match=wanted):
        porism.fit(line, given.pop("start"), *given.pop("data"), **given)
