"""porism.fit: values against loops by hand, rows, ends, what it shows while it runs and after."""
import builtins
import dataclasses
import io
import pickle
import sys
import types

import numpy as np
import pytest

import porism

M = 50


def loss(p, X, y):
    return porism.mean((X @ p["w"] + p["b"] - y)**2)


@pytest.fixture
def rows():
    r = np.random.default_rng(7)
    X = r.normal(size=(M, 3))
    return X, X @ [1.0, -2.0, 3.0] + 0.5 + 0.1*r.normal(size=M)


def zero():
    return {"w": np.zeros(3), "b": 0.0}


def slope(p, X, y):
    e = X @ p["w"] + p["b"] - y
    return (e*e).mean(), {"w": 2*X.T @ e/len(y), "b": 2*e.mean()}


def by_hand(data, step, steps, state=None):
    p, losses = zero(), []
    for t in range(steps):
        value, g = slope(p, *data(t))
        losses.append(value)
        for k in p:
            p[k] = p[k] - step(k, g[k], t)
    return p, losses


class Moments:
    def __init__(self, rate):
        self.rate, self.m, self.v = rate, {}, {}

    def __call__(self, k, g, t):
        m = self.m[k] = 0.9*self.m.get(k, 0) + (1 - 0.9)*g
        v = self.v[k] = 0.999*self.v.get(k, 0) + (1 - 0.999)*g*g
        return self.rate*m/(1 - 0.9**(t + 1))/(np.sqrt(v/(1 - 0.999**(t + 1))) + 1e-8)


def velocity(rate):
    v = {}

    def step(k, g, t):
        v[k] = 0.9*v.get(k, 0) + g
        return rate*v[k]
    return step


RULES = {"sgd": lambda: lambda k, g, t: 0.05*g, "momentum": lambda: velocity(0.05), "adam": lambda: Moments(0.05),
         "adam(rate = 0.05)": lambda: Moments(0.05), "optim.sgd(rate = 0.05)": lambda: lambda k, g, t: 0.05*g,
         "scheduled(sgd(rate = 0.1), exponential_decay(10))": lambda: lambda k, g, t: 0.1*g*2**(-t/10),
         "clipped(sgd(rate = 0.1), 0.5)": lambda: lambda k, g, t: 0.1*np.clip(g, -0.5, 0.5)}


@pytest.mark.parametrize("by", RULES)
def test_rules(by, rows):
    found = porism.fit(loss, zero(), *rows, by=by, steps=40, progress=False, **({} if "(" in by else {"rate": 0.05}))
    p, losses = by_hand(lambda t: rows, RULES[by](), 40)
    assert np.allclose(found.losses, losses, rtol=1e-12) and found.losses.dtype == "f8"
    assert np.allclose(found.parameters["w"], p["w"], rtol=1e-12)
    assert np.allclose(found.parameters["b"], p["b"], rtol=1e-12)
    assert (found.steps, found.best, found.ended) == (40, 40, "steps") and found.seconds > 0


def test_own_rule(rows):
    found = porism.fit(loss, zero(), *rows, steps=30, progress=False, by=(
        lambda p: {"v": porism.tree_map(lambda x: 0*x, p)},
        lambda p, g, s: (porism.tree_map(lambda x, d, v: x - 0.05*(0.9*v + d), p, g, s["v"]),
                         {"v": porism.tree_map(lambda d, v: 0.9*v + d, g, s["v"])})))
    assert np.allclose(found.losses, by_hand(lambda t: rows, velocity(0.05), 30)[1], rtol=1e-12)


@pytest.mark.parametrize("by", ["lbfgs", "newton_cg"])
def test_minimisers(by, rows):
    found = porism.fit(loss, zero(), *rows, by=by)
    X = np.column_stack([rows[0], np.ones(M)])
    best = np.linalg.lstsq(X, rows[1], rcond=None)[0]
    assert np.allclose([*found.parameters["w"], found.parameters["b"]], best, atol=1e-7)
    assert found.ended == "met" and len(found.losses) == found.steps + 1 and (np.diff(found.losses) <= 0).all()
    assert found.losses[0] == pytest.approx(slope(zero(), *rows)[0]) and found.state is None
    one = porism.fit(lambda x: (x - 3)**4, 0.0, by=by, steps=2)
    assert one.ended == "steps" and one.steps == 2 and one.losses[1] < one.losses[0] == 81


@pytest.mark.parametrize("by", ["lbfgs", "newton_cg"])
def test_minimisers_are_shown(by, rows):
    told = []
    found = porism.fit(loss, zero(), *rows, by=by, progress=lambda n, value: told.append((n, value)))
    assert [n for n, _ in told] == list(range(1, found.steps + 1)) and [v for _, v in told] == found.losses[1:].tolist()

    def stop(n, value):
        if n == 2:
            raise KeyboardInterrupt
    cup = dict(by=by, steps=50)
    found = porism.fit(lambda x: porism.sum((x - 3)**4), np.zeros(2), progress=stop, **cup)
    assert found.ended == "interrupted" and found.steps == 2 and len(found.losses) == 3
    assert np.sum((found.parameters - 3)**4) == pytest.approx(found.losses[-1])
    with pytest.raises(ArithmeticError, match="the loss is nan where it begins"):
        porism.fit(lambda x: porism.log(x), -1.0, **cup)
    for given in dict(resume="a.npz"), dict(batch=3):
        with pytest.raises((ValueError, FileNotFoundError)):
            porism.fit(loss, zero(), *rows, by=by, **given)
    with pytest.raises(ValueError, match="no state to go on from"):
        found.save("a.npz")


OWN = (lambda p: (porism.tree_map(lambda x: 0*x, p), 0),
       lambda p, g, s: (porism.tree_map(lambda x, d, v: x - 0.05*(0.9*v + d), p, g, s[0]),
                        (porism.tree_map(lambda d, v: 0.9*v + d, g, s[0]), s[1] + 1)))


@pytest.mark.parametrize("by", ["sgd", "adam", "scheduled(momentum(rate = 0.05), cosine(60))", OWN])
def test_resume(by, rows, tmp_path):
    how = dict(by=by, batch=7, hold=0.2, patience=90, progress=False)
    whole = porism.fit(loss, zero(), *rows, steps=60, **how)
    half = porism.fit(loss, zero(), *rows, steps=23, **how)
    half.save(tmp_path/"half.npz")
    with np.load(tmp_path/"half.npz") as file:
        assert np.array_equal(file["w"], half.parameters["w"]) and file["b"] == half.parameters["b"] and file["fit.step"] == 23
    for state in half, tmp_path/"half.npz", str(tmp_path/"half.npz"), pickle.loads(pickle.dumps(half)):
        found = porism.fit(loss, zero(), *rows, steps=60, resume=state, **how)
        assert np.array_equal(found.losses, whole.losses) and found.best == whole.best and found.steps == 60
        assert np.array_equal(found.parameters["w"], whole.parameters["w"])
        assert found.held_at[-1] == whole.held_at[-1] and found.held[-1] == whole.held[-1]
    again = porism.fit(loss, zero(), *rows, steps=20, resume=half, **how)      # it has more already
    assert np.array_equal(again.losses, half.losses) and again.steps == 23


def test_resume_of_another(rows, tmp_path):
    half = porism.fit(loss, zero(), *rows, steps=3, seed=4, progress=False)
    half.save(tmp_path/"half.npz")
    np.savez(tmp_path/"other.npz", w=np.zeros(3))
    for given, error, message in (
            (dict(by="sgd"), ValueError, r"the optimiser's state of another fit: .*float64\[3\].*, where this one has nothing"),
            (dict(seed=5), ValueError, "seed 5: what it goes on from has seed 4"),
            (dict(resume=tmp_path/"other.npz"), ValueError, r"other.npz has no array fit.seed: it is no file of a fit's save"),
            (dict(resume=3), TypeError, "given 3, wanted a Fit, or the path"),
            (dict(resume=tmp_path/"none.npz"), FileNotFoundError, "none.npz")):
        with pytest.raises(error, match=message):
            porism.fit(loss, zero(), *rows, **{"resume": half, "steps": 9, "progress": False, **given})
    with pytest.raises(ValueError, match=r"parameters of another fit: float64\[\], float64\[3\], where this one has float64\[\], float64\[4\]"):
        porism.fit(loss, {"w": np.zeros(4), "b": 0.0}, *rows, resume=half, steps=9)


@dataclasses.dataclass
class Pair:
    w: object
    b: object


def test_structures(rows):
    X, y = rows
    want = porism.fit(loss, zero(), X, y, steps=9, progress=False)
    for make, take in ((lambda: Pair(np.zeros(3), 0.0), lambda p: {"w": p.w, "b": p.b}),
                       (lambda: [{"x": np.zeros(3)}, (0.0,), None], lambda p: {"w": p[0]["x"], "b": p[1][0]})):
        found = porism.fit(lambda p, d: loss(take(p), d["X"], d["y"]), make(), {"X": X, "y": y}, steps=9, progress=False)
        assert type(found.parameters) is type(make())
        assert np.array_equal(take(found.parameters)["w"], want.parameters["w"])
        assert np.array_equal(found.losses, want.losses)
    given = np.zeros(4, "f4")
    alone = porism.fit(lambda w: porism.sum((w - 3)**2), given, by="scheduled(adam(rate = 0.1), cosine(300))", steps=300,
                       progress=False)
    assert alone.parameters.dtype == "f4" and np.allclose(alone.parameters, 3, atol=1e-3) and not given.any()


def order(n, *which, seed=0):
    k = porism.key(seed)
    for i in which:
        k = k[i]
    return np.argsort(porism.uniform(k, (n,)), kind="stable")


@pytest.mark.parametrize("seed", [0, 3])
def test_batches(seed, rows):
    def block(t):
        at = order(M, 2, t//4, seed=seed)[t % 4*16:][:16]
        return [x[at] for x in rows]
    found = porism.fit(loss, zero(), *rows, by="sgd", rate=0.05, batch=16, epochs=3, seed=seed, progress=False)
    p, losses = by_hand(block, lambda k, g, t: 0.05*g, 12)
    assert found.steps == 12 and np.allclose(found.losses, losses, rtol=1e-12)
    assert np.allclose(found.parameters["w"], p["w"], rtol=1e-12)


def test_numbers_without_axes_and_keys(rows):
    found = porism.fit(lambda p, X, y, a: loss(p, X, y) + a, zero(), *rows, 2.5, batch=16, steps=4, progress=False)
    assert np.allclose(found.losses - 2.5, porism.fit(loss, zero(), *rows, batch=16, steps=4, progress=False).losses)
    k = porism.key(5)
    drawn = porism.fit(lambda x, k: 0*x + porism.uniform(k), 0.0, k, steps=3, progress=False)
    assert np.array_equal(drawn.losses, [porism.uniform(k[i]) for i in range(3)])


def test_held_out(rows):
    at = order(M, 1)
    held, train = ([x[np.sort(i)] for x in rows] for i in (at[:10], at[10:]))
    found = porism.fit(loss, zero(), *rows, by="sgd", rate=0.05, steps=5, hold=0.2, progress=False)
    assert np.allclose(found.losses, by_hand(lambda t: train, lambda k, g, t: 0.05*g, 5)[1])
    assert list(found.held_at) == [1, 2, 3, 4, 5]
    assert found.held[-1] == pytest.approx(slope(found.parameters, *held)[0])
    given = porism.fit(loss, zero(), *train, by="sgd", rate=0.05, steps=5, hold=tuple(held), progress=False)
    assert np.array_equal(given.held, found.held)


def test_as_the_command():
    """What `porism fit` has in --history for these rows, seed 3, and blocks of 4."""
    x, y = np.arange(10.0), np.array([1.0, 2, 4, 3, 7, 5, 9, 8, 2, 6])
    found = porism.fit(lambda p, x, y: porism.mean((x*p["w"] + p["b"] - y)**2), {"w": 0.0, "b": 0.0}, x, y, rate=0.1,
                       batch=4, steps=6, hold=0.2, seed=3, progress=False)
    assert np.allclose(found.losses, [23.5, 25.365000002265802, 31.069065895868672, 3.459198070410525, 18.10036293207626,
                                      3.2332035848040364], rtol=1e-13)
    assert np.allclose(found.held, [21.774206973616366, 12.89508106810821, 6.899089457216882], rtol=1e-13)


def test_patience(rows):
    found = porism.fit(loss, zero(), *rows, by="sgd", rate=0.4, batch=5, steps=4000, hold=0.2, patience=3, progress=False)
    assert found.ended == "patience" and found.steps < 4000 and len(found.losses) == found.steps
    k = int(np.argmin(found.held))
    assert found.best == found.held_at[k] < found.steps and k == len(found.held) - 4
    again = porism.fit(loss, zero(), *rows, by="sgd", rate=0.4, batch=5, steps=found.best, hold=0.2, progress=False)
    assert np.array_equal(again.parameters["w"], found.parameters["w"])


def test_interrupt(rows):
    def stop(step, value):
        if step == 7:
            raise KeyboardInterrupt
    found = porism.fit(loss, zero(), *rows, progress=stop)
    assert found.ended == "interrupted" and found.steps == len(found.losses) == 7
    assert np.array_equal(found.parameters["w"], porism.fit(loss, zero(), *rows, steps=7, progress=False).parameters["w"])


def test_interrupt_before_a_step(rows):
    def start(p):
        raise KeyboardInterrupt
    found = porism.fit(loss, zero(), *rows, by=(start, lambda p, g, s: (p, s)), patience=3, progress=False)
    assert found.ended == "interrupted" and found.steps == 0 and not found.parameters["w"].any()
    assert "polyline" not in found.svg() and "0 steps" in repr(found)


def test_not_finite():
    with pytest.raises(ArithmeticError, match=r"the loss is nan in step 2: a smaller rate") as e:
        porism.fit(lambda x: porism.log(x), 1.0, by="sgd", rate=0.6, steps=9, progress=False)
    assert e.value.fit.steps == 2 and np.isfinite(e.value.fit.losses).all() and e.value.fit.ended == "not finite"
    with pytest.raises(ArithmeticError, match=r"a parameter is not finite after step 0"):
        porism.fit(lambda x: porism.sqrt(x), 0.0, by="sgd", steps=1, progress=False)


# ---- while it runs

class Bar:
    made = []

    def __init__(self, **given):
        self.given, self.n, self.said, self.closed = given, 0, [], False
        Bar.made.append(self)

    def update(self, n):
        self.n += n

    def set_postfix(self, loss, refresh):
        self.said.append(loss)

    def close(self):
        self.closed = True


@pytest.fixture
def bars(monkeypatch):
    auto = types.ModuleType("tqdm.auto")
    auto.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    Bar.made.clear()
    return Bar.made


@pytest.fixture
def alone(monkeypatch):
    """Neither tqdm nor matplotlib."""
    found = builtins.__import__

    def without(name, *args, **named):
        if name.split(".")[0] in ("tqdm", "matplotlib"):
            raise ModuleNotFoundError(name)
        return found(name, *args, **named)
    monkeypatch.setattr(builtins, "__import__", without)


def test_tqdm(bars, rows):
    found = porism.fit(loss, zero(), *rows, steps=6)
    porism.fit(loss, zero(), *rows, steps=6, progress=True)
    porism.fit(loss, zero(), *rows, steps=6, progress=False)
    with pytest.raises(ArithmeticError):
        porism.fit(lambda x: porism.log(x), 1.0, by="sgd", rate=0.6)
    assert [b.given["disable"] for b in bars] == [None, False, None]
    assert (bars[0].given["total"], bars[0].given["unit"]) == (6, "step")
    assert [b.n for b in bars] == [6, 6, 2] and all(b.closed for b in bars)
    assert bars[0].said[-1] == f"{found.losses[-1]:.6g}"


@pytest.mark.parametrize("terminal", [True, False])
def test_line(terminal, alone, monkeypatch, rows):
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stderr", stream)
    found = porism.fit(loss, zero(), *rows, steps=6)
    said = stream.getvalue()
    assert said == "" if not terminal else said.startswith("\r") and said.endswith("s\n")
    assert not terminal or f"step 6 of 6, loss {found.losses[-1]:.6g}, " in said


def test_told(rows):
    told = []
    found = porism.fit(loss, zero(), *rows, steps=6, progress=lambda step, value: told.append((step, value)))
    assert told == list(zip(range(1, 7), found.losses))


# ---- and after

def test_curve(monkeypatch, rows):
    class Axes(list):
        def __getattr__(self, name):
            return lambda *args, **named: self.append((name, args, named))
    pyplot = types.ModuleType("matplotlib.pyplot")
    made = Axes()
    pyplot.subplots = lambda: (None, made)
    package = types.ModuleType("matplotlib")
    package.pyplot = pyplot
    monkeypatch.setitem(sys.modules, "matplotlib", package)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    found = porism.fit(loss, zero(), *rows, rate=0.1, steps=300, hold=0.2, progress=False)
    assert found.curve() is made
    drawn = {named["label"]: args for name, args, named in made if name == "plot"}
    assert np.array_equal(drawn["loss"][1], found.losses) and np.array_equal(drawn["held out"][0], found.held_at)
    assert ("set_yscale", ("log",), {}) in made
    mine = Axes()
    assert found.curve(mine) is mine and len(mine) == len(made)


def test_pictures(alone, rows):
    found = porism.fit(loss, zero(), *rows, steps=1000, hold=0.2, progress=False)
    with pytest.raises(ImportError, match=r"curve: matplotlib is not installed \(pip install matplotlib\); svg\(\)"):
        found.curve()
    svg = found.svg()
    assert svg == found.svg() and svg.count("<polyline") == 2 and "nan" not in svg and len(svg) < 20000
    assert ">step</text>" in svg and ">loss</text>" in svg.split("<path")[0] and ">porism fit: 1000 steps, loss " in svg
    assert svg in found._repr_html_() and "1000 steps" in repr(found)
    one = porism.fit(loss, zero(), *rows, steps=1, progress=False)
    assert "<polyline" not in one.svg()
    level = porism.fit(lambda x: 0*x, 1.0, steps=5, progress=False)
    assert "nan" not in level.svg()
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.losses, found.losses) and repr(again) == repr(found)


ERRORS = [
    (lambda X, y: porism.fit(3, zero(), X, y), TypeError, "given 3, wanted a function"),
    (lambda X, y: porism.fit(loss, {"w": np.zeros(3), "b": 0}, X, y), TypeError,
     "parameters_b is int64, wanted real floats: give 3.0 for 3"),
    (lambda X, y: porism.fit(loss, {}, X, y), TypeError, "the parameters are an empty structure"),
    (lambda X, y: porism.fit(loss, zero(), X, y, by="adan"), ValueError, "no optimiser adan; the nearest is adam"),
    (lambda X, y: porism.fit(loss, zero(), X, y, by="qq"), ValueError, "no optimiser qq; there are sgd, "),
    (lambda X, y: porism.fit(loss, zero(), X, y, by="adam(rat = 1)"), Exception, "rat"),
    (lambda X, y: porism.fit(loss, zero(), X, y, by=3), TypeError, "by: given 3, wanted the name of an optimiser"),
    (lambda X, y: porism.fit(loss, zero(), X, y, by="adam()", rate=0.1), TypeError, r"rate: adam\(\) has its own"),
    (lambda X, y: porism.fit(loss, zero(), X, y, rate="fast"), TypeError, "rate: given 'fast', wanted a number"),
    (lambda X, y: porism.fit(loss, zero(), X, y, steps=0), ValueError, "steps: given 0, wanted a whole number above 0"),
    (lambda X, y: porism.fit(loss, zero(), X, y, steps=1.5), TypeError, "steps: given 1.5, wanted a whole number"),
    (lambda X, y: porism.fit(loss, zero(), X, y, steps=5, epochs=2), TypeError, "wanted one of them"),
    (lambda X, y: porism.fit(loss, zero(), X, y[1:], batch=5), ValueError, "X has 50, y has 49 rows"),
    (lambda X, y: porism.fit(lambda p, a: a*p, 1.0, 2.0, batch=5), ValueError, "no array is given in it"),
    (lambda X, y: porism.fit(loss, zero(), X, y, hold=2.0), ValueError, "hold: given 2.0, wanted a part of the rows"),
    (lambda X, y: porism.fit(loss, zero(), X, y, hold=0.001), ValueError, "0.001 of 50 rows are 0"),
    (lambda X, y: porism.fit(loss, zero(), X, y, hold=(X,)), ValueError, "given 1 arguments, wanted a tuple of 2"),
    (lambda X, y: porism.fit(loss, zero(), X, y, by="lbfgs", batch=5), ValueError, "lbfgs takes all rows"),
    (lambda X, y: porism.fit(loss, zero(), X, y, progress=3), TypeError, "progress: given 3, wanted True, False"),
    (lambda X, y: porism.fit(lambda p, X, y: X @ p["w"], zero(), X, y), TypeError, "wanted a scalar"),
    (lambda X, y: porism.fit(loss, zero(), X, y, lr=0.1), TypeError, "no option lr: write rate="),
    (lambda X, y: porism.fit(loss, zero(), X, y, static="X"), TypeError, "no option static: there are by, rate"),
    (lambda X, y: porism.fit(loss, zero(), X, y, rate=-1), ValueError, "rate: given -1, wanted a number above 0"),
]


@pytest.mark.parametrize("case", range(len(ERRORS)))
def test_errors(case, rows):
    call, kind, words = ERRORS[case]
    with pytest.raises(kind, match=words):
        call(*rows)
