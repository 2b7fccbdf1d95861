"""porism.pytensor: PyTensor's meanings, kept; what has no operator here; what a call refuses."""
import os

import numpy as np
import pytest

os.environ.setdefault("PYTENSOR_FLAGS", "cxx=,linker=vm")
pytensor = pytest.importorskip("pytensor")

import pytensor.tensor as pt                                      # noqa: E402
from pytensor.compile.mode import Mode                            # noqa: E402
from pytensor.graph.basic import Apply                             # noqa: E402
from pytensor.graph.op import Op                                  # noqa: E402
from pytensor.ifelse import ifelse                                # noqa: E402
from pytensor.raise_op import Assert                              # noqa: E402
from pytensor.scan.utils import until                             # noqa: E402

import porism.pytensor                                            # noqa: E402
from porism.pytensor import arrays, performed                     # noqa: E402
from porism.pytensor.plan import Program, counts                  # noqa: E402

PLAIN = Mode("py", "fast_compile")
INTEGERS = np.array([-7, -3, -1, 0, 1, 2, 5, 9])
FLOATS = np.array([-np.inf, -7.5, -1.0, -0.5, -0.0, 0.0, 0.25, 1.0, 3.5, np.inf, np.nan])


def both(inputs, outputs, *values, performed=()):
    """The results here are those of PyTensor's own interpreter; all Ops but `performed` run here."""
    many = isinstance(outputs, list)
    outputs = outputs if many else [outputs]
    here = pytensor.function(inputs, outputs, mode="PORISM", on_unused_input="ignore")
    there = pytensor.function(inputs, outputs, mode=PLAIN, on_unused_input="ignore")
    got, wanted = here(*values), there(*values)
    assert set(porism.pytensor.report(here)["perform"]) == set(performed)
    for a, b in zip(got, wanted):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    return got if many else got[0]


def vectors(*dtypes):
    return [pt.vector(f"x{k}", dtype=d) for k, d in enumerate(dtypes)]


@pytest.mark.parametrize("op", [pt.add, pt.sub, pt.mul, pt.true_div, pt.int_div, pt.mod, pt.maximum, pt.minimum, pt.eq,
                                pt.neq, pt.lt, pt.le, pt.gt, pt.ge], ids=str)
@pytest.mark.parametrize("dtypes", [("int64", "int64"), ("int8", "int32"), ("uint8", "int8"), ("float64", "int64"),
                                    ("float32", "float64"), ("float64", "float64")])
@pytest.mark.filterwarnings("ignore")
def test_of_two(op, dtypes):
    x, y = vectors(*dtypes)
    a, b = (np.abs(v) if d[0] == "u" else v for v, d in zip(
        np.meshgrid(*(FLOATS if d[0] == "f" else INTEGERS for d in dtypes)), dtypes))
    a, b = a.ravel().astype(dtypes[0]), b.ravel().astype(dtypes[1])
    if op is pt.int_div:                           # what a float // 0 is, NumPy alone knows
        a, b = a[b != 0], b[b != 0]
        a, b = a[np.isfinite(a)], b[np.isfinite(a)]
    both([x, y], op(x, y), a, b)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "sin", "tanh", "arcsinh", "floor", "ceil", "round", "sgn", "abs",
                                  "isnan", "isinf", "sigmoid", "softplus", "expm1", "log1p", "erf", "erfc", "erfcx",
                                  "reciprocal", "sqr", "neg", "deg2rad", "trunc", "i0", "i1", "log1mexp"])
@pytest.mark.parametrize("dtype", ["float64", "int32"])
@pytest.mark.filterwarnings("ignore")
def test_of_one(name, dtype):
    if name == "round" and dtype[0] == "i":
        pytest.skip("PyTensor does not round integers")
    x, = vectors(dtype)
    values = (FLOATS if dtype[0] == "f" else INTEGERS).astype(dtype)
    values = -np.abs(values) if name == "log1mexp" else values
    both([x], getattr(pt, name)(x), values)


@pytest.mark.parametrize("name", ["gammaln", "psi", "gamma", "tri_gamma", "erfinv"])
def test_gamma_family(name):
    x, = vectors("float64")
    both([x], getattr(pt, name)(x), np.array([0.3, 0.9, 0.5]) if name == "erfinv" else np.array([0.3, 1.0, 2.5, 40.0]))


def test_clip_with_ends_turned_around():
    x, low, high = vectors("float64", "float64", "float64")
    got = both([x, low, high], pt.clip(x, low, high), np.array([1.0, 5.0, 9.0, np.nan]), np.full(4, 6.0), np.full(4, 2.0))
    np.testing.assert_array_equal(got, [6, 6, 2, np.nan])


def test_casts():
    x, i = vectors("float64", "int64")
    v, w = np.array([-3.7, 0.0, 0.5, 100.0]), np.array([300, -1, 128, -70000])
    to = ["int8", "bool", "uint8", "int16", "uint32", "float32", "uint64"]
    f = pytensor.function([x, i], [x.astype("int8"), x.astype("bool"), *(i.astype(d) for d in to)], mode="PORISM")
    for a, b in zip(f(v, w), [v.astype("int8"), v.astype("bool"), *(w.astype(d) for d in to)]):
        assert a.dtype == b.dtype and a.tolist() == b.tolist()


def test_bits():
    i, j = vectors("int64", "int64")
    b = i > 0
    both([i, j], [i & j, i | j, i ^ j, ~i, b & (j > 0), b ^ (j > 0), ~b], INTEGERS, INTEGERS[::-1].copy())


def test_powers_of_integers():
    i, = vectors("int64")
    both([i], [i**2, i**3, i**0, pt.pow(np.int64(2), abs(i))], INTEGERS)


def test_switch_takes_numbers():
    x, y = vectors("float64", "float64")
    both([x, y], pt.switch(x, x, y), FLOATS, FLOATS + 1)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), (1, 2), ()])
def test_folds(axis):
    x = pt.dtensor3("x")
    v = np.arange(24.0).reshape(2, 3, 4) % 7
    out = [x.sum(axis), x.prod(axis), x.max(axis), x.min(axis), (x > 1).all(axis), (x > 1).any(axis), x.mean(axis)]
    if axis != ():
        out.append(pt.argmax(x, axis))
    both([x], out, v)


def test_fold_of_nothing():
    x, = vectors("float64")
    f = pytensor.function([x], x.max(), mode="PORISM")
    with pytest.raises(ValueError, match="zero-size"):
        f(np.zeros(0))


def test_cumulative():
    x = pt.dmatrix("x")
    v = np.arange(6.0).reshape(2, 3) + 1
    both([x], [pt.cumsum(x, 0), pt.cumsum(x, 1), pt.cumprod(x, 0), pt.cumprod(x, 1), pt.cumsum(x)], v)


SLICES = [np.s_[1:], np.s_[:-1], np.s_[::-1], np.s_[1:3], np.s_[5:2:-2], np.s_[-100:100], np.s_[3:1], np.s_[::3],
          np.s_[-2:], np.s_[:-9], np.s_[::-3], np.s_[4:0:-1], np.s_[-1:-4:-1]]


@pytest.mark.parametrize("s", SLICES, ids=str)
@pytest.mark.parametrize("n", [0, 1, 2, 6, 7])
def test_slices(s, n):
    x, = vectors("float64")
    k = [pt.lscalar(f"k{i}") for i in range(2)]
    ends = [e for e in (s.start, s.stop)]
    given = slice(*(v if e is not None else None for v, e in zip(k, ends)), s.step)
    both([x, *k], [x[s], x[given], pt.set_subtensor(x[s], -1.0), pt.inc_subtensor(x[given], 2.0)], np.arange(float(n)),
         *(e or 0 for e in ends))


def test_indices():
    x, i, k = pt.dmatrix("x"), pt.lvector("i"), pt.lscalar("k")
    v = np.arange(12.0).reshape(3, 4)
    both([x, i, k], [x[i], x[:, i], x[i, i], x[k], x[k, 1:], x[1:, i], x[i, k], x[i][:, k], x[x > 5], x[:, x[0] > 1]],
         v, np.array([0, -1, 2, 0]), -1)


@pytest.mark.parametrize("duplicates", [False, True])
def test_changed_copies(duplicates):
    x, i, y = pt.dmatrix("x"), pt.lvector("i"), pt.dmatrix("y")
    v, w = np.arange(12.0).reshape(3, 4), np.arange(16.0).reshape(4, 4)
    both([x, i, y], [pt.inc_subtensor(x[i], y, ignore_duplicates=duplicates), pt.set_subtensor(x[:, i[:2]], y[:3, :2]),
                     pt.inc_subtensor(x[i, i], y[0], ignore_duplicates=duplicates), pt.set_subtensor(x[x > 5], 1.0),
                     pt.inc_subtensor(x[1:, 1], 3.0), pt.set_subtensor(x[1:, ::2], y[:2, :2])],
         v, np.array([0, -1, 2, 0]), w)


def test_index_outside():
    x, i = pt.dvector("x"), pt.lvector("i")
    f = pytensor.function([x, i], x[i], mode="PORISM")
    for bad in (3, -4):
        with pytest.raises(IndexError):
            f(np.zeros(3), np.array([0, bad]))


def test_shapes():
    x, k = pt.dmatrix("x"), pt.lscalar("k")
    v = np.arange(12.0).reshape(3, 4)
    both([x, k], [x.reshape((2, -1)), x.reshape((k, -1)), x.reshape((-1,)), x.T, x.shape, x.dimshuffle(1, "x", 0),
                  pt.concatenate([x, x], 1), pt.stack([x, x]), pt.alloc(x[0], k, 4), pt.eye(k, 3, 1), pt.arange(k),
                  pt.arange(1, k, 2), pt.arange(0.5, k, 0.75), pt.diag(x[:, :3]), pt.zeros((k, 2)), pt.specify_shape(x, (3, None)),
                  pt.nonzero(x > 3)[0], pt.nonzero(x > 3)[1], *pt.split(x, [1, 3], axis=1)], v, 6)


def test_sizes_that_do_not_fit():
    x, y = vectors("float64", "float64")
    f = pytensor.function([x, y], x + y, mode="PORISM")
    with pytest.raises(ValueError, match="Runtime broadcasting not allowed"):
        f(np.zeros(3), np.zeros(1))
    with pytest.raises(ValueError):
        f(np.zeros(3), np.zeros(2))
    f = pytensor.function([x], pt.specify_shape(x, (3,)), mode="PORISM")
    with pytest.raises(AssertionError, match="SpecifyShape"):
        f(np.zeros(2))


def test_products():
    x, y, z = pt.dmatrix("x"), pt.dmatrix("y"), pt.dtensor3("z")
    v = np.arange(9.0).reshape(3, 3)
    both([x, y, z], [x @ y, x[0] @ y, x @ y[0], x[0] @ y[0], z @ z, z @ x], v, v + 1, np.arange(18.0).reshape(2, 3, 3))


def test_triangular():
    from pytensor.tensor.linalg import solve_triangular
    x, b = pt.dmatrix("x"), pt.dvector("b")
    v = np.tril(np.arange(1.0, 10).reshape(3, 3)) + np.eye(3)
    both([x, b], [solve_triangular(x, b, lower=True), solve_triangular(x.T, b, lower=False)], v, np.arange(3.0))


def test_softmax():
    x = pt.dmatrix("x")
    v = np.arange(6.0).reshape(2, 3)
    both([x], [pt.special.softmax(x, 1), pt.special.log_softmax(x, 0), pt.special.softmax(x, None)], v)


def scan(*args, **named):
    return pytensor.scan(*args, return_updates=False, **named)


def test_scan():
    x = pt.dvector("x")
    v = np.arange(5.0)
    one = pt.as_tensor(np.float64(1))
    first = pt.as_tensor(np.array([1.0, 2.0]))
    walk = scan(lambda a, c: c*0.5 + a, sequences=x, outputs_info=one)
    two = scan(lambda a, p, q: p + q*a, sequences=x, outputs_info={"initial": first, "taps": [-2, -1]})
    mapped = scan(lambda a: a**2, sequences=x)
    back = scan(lambda a, c: c*a + 1, sequences=x, outputs_info=one, go_backwards=True)
    both([x], [walk, two, mapped, back, pytensor.grad(walk[-1], x), pytensor.grad(two.sum(), x)], v)


def test_gradient_of_a_loop_in_a_loop():
    x, w = pt.dtensor3("x"), pt.dmatrix("w")
    y = scan(lambda rows, w: scan(lambda r, h, w: r @ w + h, sequences=[rows[1:]], outputs_info=[rows[0]],
                                  non_sequences=[w], strict=True), sequences=[x], non_sequences=[w], strict=True)
    both([x, w], [y, pytensor.grad(y.sum(), w)], np.arange(24.0).reshape(2, 3, 4), np.arange(16.0).reshape(4, 4))


def test_scan_whose_last_rows_are_wanted():
    x = pt.dvector("x")
    first = pt.as_tensor(np.array([1.0, 2.0]))
    walk = scan(lambda a, c: c*0.5 + a, sequences=x, outputs_info=pt.as_tensor(np.float64(1)))
    two = scan(lambda a, p, q: p + q*a, sequences=x, outputs_info={"initial": first, "taps": [-2, -1]})
    squares = scan(lambda a: a**2, sequences=x)
    for n in (1, 2, 3):
        both([x], [walk[-n:], two[-n:], squares[-n:]], np.arange(7.0))
        both([x], [walk[-n], two[-n], squares[-n]], np.arange(7.0))


@pytest.mark.parametrize("passes, wanted", [(2, [10, 11, 12]), (3, [11, 12, 10]), (4, [12, 10, 11]), (1, [10, 11, 0])])
def test_buffer_that_was_written_around_its_end(passes, wanted):
    from types import SimpleNamespace
    from porism.pytensor.loops import ended
    from porism.pytensor.translate import Translation
    x, n = pt.dvector("x"), pt.lscalar("n")
    t = Translation([x, n], {})
    made = ended(t, t.value(x), SimpleNamespace(count=t.value(n), may_stop=False), 1)
    f = t.graph.function("f", tuple(t.inputs), (made,)).compile(tier="interpret")
    assert f(np.array([10.0, 11.0, 12.0]), passes).tolist() == wanted


def test_scan_that_stops():
    k = pt.dscalar("k")
    doubled, rows = scan(lambda c: ((c*2, pt.stack([c, c])), until(c > k)), outputs_info=[pt.as_tensor(np.float64(1)), None],
                         n_steps=50)
    got = both([k], [doubled, doubled[-1], rows], 10.0)
    assert got[0].shape == (5,)


def test_scan_of_no_steps():
    k = pt.lscalar("k")
    walk = scan(lambda c: c + 1, outputs_info=pt.as_tensor(np.float64(1)), n_steps=k)
    f = pytensor.function([k], walk, mode="PORISM")
    assert f(3).tolist() == [2, 3, 4] and f(0).shape == (0,)


def test_check_within_a_loop():
    x = pt.dvector("x")
    y = scan(lambda a: Assert("below 0")(a, a >= 0)*2, sequences=x)
    f = pytensor.function([x], y, mode="PORISM")
    assert f(np.ones(3)).tolist() == [2, 2, 2]
    with pytest.raises(AssertionError, match="below 0"):
        f(np.array([1.0, -1.0, 2.0]))


def test_checks_are_not_dropped():
    x = pt.dvector("x")
    f = pytensor.function([x], Assert("a sum below 0")(x, x.sum() > 0)*2, mode="PORISM")
    assert porism.pytensor.report(f)["perform"] == {}
    assert f(np.ones(2)).tolist() == [2, 2]
    with pytest.raises(AssertionError, match="a sum below 0"):
        f(-np.ones(2))


def test_branches():
    x, k = pt.dvector("x"), pt.lscalar("k")
    for v in (0, 1):
        both([x, k], ifelse(k > 0, x.sum(), x.prod()), np.arange(1.0, 5.0), v)


def test_branches_of_other_shapes():
    x, k, m = pt.dvector("x"), pt.lscalar("k"), pt.dmatrix("m")
    for v in (0, 1):
        for n in (4, 0):
            y = ifelse(k > 0, x[:1], x*2)
            both([x, k], [y, y.sum(), pytensor.grad((y**2).sum(), x)], np.arange(1.0, n + 1), v)
        both([x, k, m], ifelse(k > 0, [x[1:], m @ m.T], [pt.exp(x), m[:2, :2]]), np.arange(3.0), v, np.ones((3, 2)))
    for v in (1, -1, -5):
        both([x, k], ifelse(k > 0, pt.concatenate([x, x]), ifelse(k < -2, x[:3], x[:0])), np.arange(5.0), v)


def test_the_other_branch_does_not_run():
    x, k = pt.dvector("x"), pt.lscalar("k")
    f = pytensor.function([x, k], ifelse(k < 2, x[pt.minimum(k, 5)], x.sum()), mode="PORISM")
    assert f(np.ones(2), 7) == 2


def test_what_is_asserted_for_one_side_of_ifelse():
    from pytensor.compile.builders import OpFromGraph
    c, x, y = pt.bscalar("c"), pt.dvector("x"), pt.dvector("y")
    total = Assert("below")(x.sum(), x.sum() > 0)
    deep = OpFromGraph([x], [Assert("deep")(pt.exp(x).sum(), x[0] > 0)])
    sides = {"below": ifelse(c, total, y.sum()), "no side": ifelse(c, y.sum(), total*2),
             "within": ifelse(c, ifelse(y[0] > 0, total, y.sum()), y.sum()*3), "deep": ifelse(c, deep(x), y.sum())}
    low, high, other = -np.ones(3), np.ones(3), np.array([2.0, 5.0])
    for name, side in sides.items():
        f = pytensor.function([c, x, y], side, mode="PORISM")
        taken = 0 if name == "no side" else 1
        assert f(1 - taken, low, other) in (7.0, 21.0)
        assert np.isfinite(f(taken, high, other))
        with pytest.raises(AssertionError, match="deep" if name == "deep" else "below"):
            f(taken, low, other)
    shared = pytensor.function([c, x, y], ifelse(c, total, total + y.sum()), mode="PORISM")
    both_and_more = pytensor.function([c, x, y], [ifelse(c, total, y.sum()), total], mode="PORISM")
    for f in (shared, both_and_more):
        for which in (0, 1):
            with pytest.raises(AssertionError, match="below"):
                f(which, low, other)


def test_inner_graphs():
    from pytensor.compile.builders import OpFromGraph
    a, b = pt.dscalars("a", "b")
    op = OpFromGraph([a, b], [a*b + 1])
    x, y = pt.dscalars("x", "y")
    both([x, y], [op(x, y), pytensor.grad(op(x, y), x)], 2.0, 3.0)


def test_shared_and_updates():
    s = pytensor.shared(np.arange(3.0))
    f = pytensor.function([], s.sum(), updates={s: s + 1}, mode="PORISM")
    assert [float(f()), float(f())] == [3.0, 6.0]
    assert s.get_value().tolist() == [2, 3, 4]


def test_random_numbers_are_pytensors():
    results = []
    for mode in ("PORISM", PLAIN):
        stream = pt.random.utils.RandomStream(3)
        f = pytensor.function([], stream.normal(0, 1, size=(3,))*2 + 1, mode=mode)
        results.append([f(), f()])
    np.testing.assert_array_equal(results[0], results[1])
    assert results[0][0].tolist() != results[0][1].tolist()


def test_perform_in_between():
    x = pt.dvector("x")
    both([x], pt.sort(x*2) + pt.cumsum(x), np.array([3.0, 1.0, 2.0]), performed=["SortOp"])
    f = pytensor.function([x], pt.sort(x*2) + pt.cumsum(x), mode="PORISM")
    report = porism.pytensor.report(f)
    assert report["native"] >= 3 and report["perform"] == {"SortOp": 1}


def test_a_loop_that_holds_what_is_performed():
    x = pt.dmatrix("x")
    y = scan(lambda r, c: pt.sort(r + c)*2, sequences=[x], outputs_info=[x[0]])
    both([x], [pt.exp(y).sum(0) + pt.cumsum(x[0])*x[1], scan(lambda r: r*2, sequences=[x])],
         np.arange(6.0).reshape(2, 3)/10, performed=["SortOp"])


class Counted(Op):
    """Sorts, or of several the sum of each, and counts its runs."""
    __props__ = ("count", "name")

    def __init__(self, count=1, name=""):
        self.runs, self.count, self.name = 0, count, name

    def make_node(self, *x):
        return Apply(self, x, [pt.dvector() if len(x) == 1 else pt.dscalar() for _ in range(self.count)])

    def perform(self, node, inputs, outputs):
        self.runs += 1
        for k in range(self.count):
            outputs[k][0] = np.sort(inputs[0])[:2] if len(inputs) == 1 else np.asarray(inputs[k].sum())


def test_sizes_that_an_op_alone_knows():
    x = pt.dvector("x")
    op = Counted()
    f = pytensor.function([x], [op(x)*2, op(x).sum(), pt.unique(x).sum() + op(x).shape[0]], mode="PORISM")
    for v in ([3.0, 1, 2], [5.0], []):
        got = f(np.array(v))
        assert got[0].tolist() == [2*e for e in sorted(v)[:2]] and got[1] == sum(sorted(v)[:2])
        assert got[2] == sum(set(v)) + len(v[:2])
    assert op.runs == 3 and porism.pytensor.report(f)["native"] >= 4


def test_the_side_that_is_not_taken_is_not_performed():
    x = pt.dvector("x")
    yes, no = Counted(name="yes"), Counted(name="no")
    f = pytensor.function([x], ifelse(x.sum() > 0, yes(x).sum()*2, no(x).sum() - 1), mode="PORISM")
    assert f(np.array([3.0, 1])) == 8 and (yes.runs, no.runs) == (1, 0)
    assert f(np.array([-3.0, 1])) == -3 and (yes.runs, no.runs) == (1, 1)


def test_sizes_of_many_differences():
    x = pt.dmatrix("x")
    for k in (1, 2, 40):
        both([x], pt.diff(x, n=k, axis=1), np.sin(np.arange(12.0)).reshape(2, 6))
        both([x], x[:, k:][:, :-k][:, k:], np.sin(np.arange(244.0)).reshape(2, 122))


@pytest.mark.parametrize("count", [12, 13, 40])
def test_many_arrays_of_one_op(count):
    xs = [pt.dvector(f"x{k}") for k in range(count)]
    f = pytensor.function(xs, [y + 1 for y in Counted(count)(*[x*2 for x in xs])], mode="PORISM")
    got = f(*[np.full(k, 1.0) for k in range(count)])
    assert [float(y) for y in got] == [2*k + 1 for k in range(count)]
    assert porism.pytensor.report(f)["perform"] == {"Counted": 1}


def random_graph(rng, x, depth):
    """A vector of floats made of x by operators of ours, and by Ops that PyTensor performs, nested in loops and branches."""
    if not depth:
        return x*rng.integers(1, 4) if rng.random() < 0.7 else x
    a = random_graph(rng, x, depth - 1)
    more = lambda: random_graph(rng, x, rng.integers(0, depth))                                    # noqa: E731
    which = rng.integers(12)
    if which == 0:
        return pt.sort(a)
    if which == 1:
        return pt.unique(pt.round(a))
    if which == 2:
        return pt.cumsum(a)/(1 + a.shape[0])
    if which == 3:
        return pt.repeat(a, pt.cast(pt.abs(pt.sign(a)) + 1, "int64"))
    if which == 4:
        return pt.real(pt.exp(1j*a))
    if which == 5:
        b = more()
        return ifelse(a.sum() > b.sum() + 0.3141, pt.sort(a), b*2)
    if which == 6:
        return scan(lambda e, c: pt.sort(c + e)*0.5, sequences=[a[:3]], outputs_info=[a])[-1]
    if which == 7:
        return scan(lambda e: pt.sort(a*e).sum(), sequences=[more()])
    if which == 8:
        return pt.concatenate([a, more()])
    if which == 9:
        return pt.searchsorted(pt.sort(a), more()) + 0.5
    if which == 10:
        b = more()
        return pt.sort(pt.outer(a, b), axis=int(rng.integers(2))).sum(0)/(1 + b.shape[0])
    return pt.tanh(a) + pt.sort(more()).sum()


SEEDS = int(os.environ.get("SEEDS", 24))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_graphs_of_what_is_performed(seed):
    rng = np.random.default_rng(seed)
    x = pt.dvector("x")
    y = random_graph(rng, x, 4)
    outputs = [y, y.sum(), y.shape[0]]
    here = pytensor.function([x], outputs, mode="PORISM")
    there = pytensor.function([x], outputs, mode=PLAIN)
    for v in (np.round(rng.normal(size=5), 1), np.array([1.5]), np.arange(-3.0, 4)):
        for a, b in zip(here(v), there(v)):
            assert a.dtype == b.dtype and a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    assert isinstance(porism.pytensor.plan_of(here).program, Program)


def test_generators_within_a_program():
    rng = pytensor.shared(np.random.default_rng(5))
    results = []
    for mode in ("PORISM", PLAIN):
        rng.set_value(np.random.default_rng(5))
        after, draw = pt.random.normal(size=(2, 3), rng=rng, return_next_rng=True)
        last, more = pt.random.gamma(2.0, draw**2 + 1, rng=after, return_next_rng=True)
        f = pytensor.function([], [draw, more.sum(), last], mode=mode, updates={rng: last})
        results.append([f()[:2], f()[:2], rng.get_value().random()])
        report = mode == "PORISM" and porism.pytensor.report(f)
    for a, b in zip(results[0][:2], results[1][:2]):
        np.testing.assert_array_equal(a[0], b[0])
        np.testing.assert_allclose(a[1], b[1], rtol=1e-15)
    assert results[0][2] == results[1][2]


def test_what_an_op_raises_is_what_the_call_raises():
    class Own(Exception):
        def __init__(self, a, b):
            super().__init__(f"{a} and {b}")

    class Raises(Counted):
        def perform(self, node, inputs, outputs):
            raise Own(1, 2)
    x = pt.dvector("x")
    f = pytensor.function([x], Raises()(x)*2, mode="PORISM")
    with pytest.raises(Own, match="1 and 2"):
        f(np.ones(2))
    assert not performed.kept                       # by calls that ended


def test_a_translation_that_fails_is_told(monkeypatch, caplog):
    def mistaken(t, op, node, a):
        return {}["there is none"]
    monkeypatch.setitem(arrays.ARRAYS, "CumOp", mistaken)
    x = pt.dvector("x")
    f = pytensor.function([x], pt.cumsum(x)*2, mode="PORISM")
    assert f(np.array([1.0, 2])).tolist() == [2, 6] and porism.pytensor.report(f)["perform"] == {"CumOp": 1}
    assert "Cumsum" in caplog.text and "KeyError: 'there is none'" in caplog.text
    counts["mistakes"].clear()


@pytest.fixture(autouse=True)
def no_mistakes():
    yield
    assert not counts["mistakes"]


def test_what_is_performed_does_not_destroy_what_others_read():
    from pytensor.tensor.sort import SortOp
    x = pt.dvector("x")
    y = x*2

    class InPlace(SortOp):
        destroy_map = {0: [0]}

        def perform(self, node, inputs, outputs):
            inputs[0].sort()
            outputs[0][0] = inputs[0]
    later = pt.sort(x) + y                          # read after what destroys y
    f = pytensor.function([x], [InPlace("quicksort")(y, 0), later], mode="PORISM", accept_inplace=True)
    got = f(np.array([3.0, 1.0, 2.0]))
    assert got[0].tolist() == [2, 4, 6] and got[1].tolist() == [7, 4, 7]


def test_results_are_arrays_of_their_own():
    x = pt.dvector("x")
    f = pytensor.function([x], [x, x[0], x.sum()], mode="PORISM")
    v = np.ones(2)
    got = f(v)
    got[0][0] = 5
    assert v[0] == 1 and all(isinstance(r, np.ndarray) for r in got)


def test_written_in_place():
    from pytensor.scalar.basic import add as scalar_add
    from pytensor.tensor.elemwise import Elemwise
    x, y = pt.dvectors("x", "y")
    f = pytensor.function([pytensor.In(x, mutable=True), y], [Elemwise(scalar_add, {0: 0})(x, y), y*2], mode="PORISM",
                          accept_inplace=True)
    v = np.ones(2)
    got = f(v, np.array([1.0, 2.0]))
    assert v.tolist() == [2, 3] and got[0].tolist() == [2, 3] and got[1].tolist() == [2, 4]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_written_in_place_for_what_follows(dtype):
    from pytensor.scalar.basic import add as scalar_add
    from pytensor.tensor.elemwise import Elemwise
    x, y = pt.vector("x", dtype=dtype), pt.vector("y", dtype=dtype)
    f = pytensor.function([pytensor.In(x, mutable=True), y], pt.exp(Elemwise(scalar_add, {0: 0})(x, y)).sum(),
                          mode="PORISM", accept_inplace=True)
    v = np.array([1.0, -2.0], dtype)
    assert f(v, np.array([-1.0, 2.0], dtype)) == 2 and v.tolist() == [0, 0]


def test_complex_numbers_are_performed():
    z = pt.zvector("z")
    f = pytensor.function([z], abs(z*2).sum() + 1, mode="PORISM")
    assert f(np.array([3 + 4j])) == 11
    assert porism.pytensor.report(f)["native"] >= 1


def test_a_report_of_another_mode():
    x = pt.dvector("x")
    with pytest.raises(TypeError, match="PORISM"):
        porism.pytensor.report(pytensor.function([x], x + 1, mode=PLAIN))


def test_density_differentiated_here():
    mu, log_sd = pt.dscalar("mu"), pt.dscalar("log_sd")
    data = np.array([0.5, -1.0, 2.0, 0.1])
    logp = (-0.5*((data - mu)/pt.exp(log_sd))**2 - log_sd).sum() - 0.5*mu**2
    f = porism.pytensor.value_and_grad(logp, [mu, log_sd])
    there = pytensor.function([mu, log_sd], [logp, *pytensor.grad(logp, [mu, log_sd])], mode=PLAIN)
    value, slopes = f(0.3, -0.2)
    np.testing.assert_allclose([value, *slopes], there(0.3, -0.2), rtol=1e-12)


def test_density_of_what_cannot_be_differentiated_here():
    x = pt.dvector("x")
    with pytest.raises(NotImplementedError, match="SortOp"):
        porism.pytensor.value_and_grad(pt.sort(x).sum(), [x])


def positive(n):
    x = np.sin(np.arange(n*n, dtype="float64")).reshape(n, n)
    return x @ x.T + n*np.eye(n)


def swapping(n):
    """Matrices whose rows are swapped: any, of numbers alike, of units alone, of rank 1."""
    rng = np.random.default_rng(n)
    return rng.normal(size=(n, n)), np.round(2*rng.normal(size=(n, n))), np.eye(n)[rng.permutation(n)], np.ones((n, n))


@pytest.mark.parametrize("n, performed", [(0, False), (1, False), (5, False), (16, False), (17, True), (None, True)])
def test_determinants(n, performed):
    from pytensor.tensor import linalg
    x = pt.tensor("x", shape=(n, n), dtype="float64")
    for value in swapping(5 if n is None else n):
        both([x], linalg.det(x), value, performed=["Det"] if performed else [])
        both([x], list(linalg.slogdet(x)), value, performed=["SLogDet"] if performed else [])
    if n:
        both([x], [pytensor.grad(linalg.det(x/n) + linalg.slogdet(x)[1], x)], positive(n)[::-1],
             performed=["Det"] if performed else [])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_triangles_with_swapped_rows(dtype):
    from pytensor.tensor import linalg
    x = pt.tensor("x", shape=(6, 6), dtype=dtype)
    for value in swapping(6)[2:] if dtype == "float32" else swapping(6)[1:3]:       # exact ones of f32
        for how in {}, {"permute_l": True}, {"p_indices": True}:
            both([x], list(linalg.lu(x, **how)), value.astype(dtype))
        if dtype == "float64":
            factors, swaps = linalg.lu_factor(x)
            both([x], [factors, swaps, *(linalg.pivot_to_permutation(swaps, inverse=i) for i in (False, True))], value)


def test_a_determinant_is_differentiated_here():
    from pytensor.tensor import linalg
    x, (a, *_) = pt.dmatrix("x"), swapping(5)
    for cost, value, times in ((linalg.det(x), np.linalg.det(a), np.linalg.det(a)),
                               (linalg.slogdet(x)[1], np.linalg.slogdet(a)[1], 1)):
        given, slopes = porism.pytensor.value_and_grad(cost, [x])(a)
        np.testing.assert_allclose(given, value, rtol=1e-12)
        np.testing.assert_allclose(np.asarray(slopes).reshape(5, 5), times*np.linalg.inv(a).T, rtol=1e-9)


@pytest.mark.parametrize("n, performed", [(0, ()), (1, ()), (7, ()), (40, ("Cholesky",))])
@pytest.mark.parametrize("lower", [True, False])
def test_cholesky(n, performed, lower):
    x = pt.dmatrix("x", shape=(n, n))
    from pytensor.tensor import linalg
    both([x], linalg.cholesky(x, lower=lower), positive(n), performed=performed)
    both([x], pytensor.grad((linalg.cholesky(x, lower=lower)*np.arange(float(n))).sum(), x), positive(n), performed=performed)


@pytest.mark.parametrize("n", [2, 30])
def test_cholesky_of_what_is_not_positive(n):
    from pytensor.tensor import linalg
    x = pt.dmatrix("x", shape=(n, n))
    f = pytensor.function([x], linalg.cholesky(x), mode="PORISM")
    with np.errstate(all="ignore"):
        assert np.isnan(f(np.diag(np.r_[np.ones(n - 1), -1.0]))).all()
    assert np.array_equal(f(np.eye(n)), np.eye(n))


def test_systems():
    from pytensor.tensor import linalg
    a, b, c = pt.dmatrix("a", shape=(5, 5)), pt.dvector("b"), pt.dmatrix("c")
    values = positive(5) + np.triu(np.ones((5, 5))), np.arange(5.0), np.arange(10.0).reshape(5, 2)
    both([a, b, c], linalg.inv(a), *values)
    for other in b, c:                              # of both at once PyTensor makes one LU
        both([a, b, c], linalg.solve(a, other), *values)
        both([a, b, c], linalg.cho_solve((linalg.cholesky(a), True), other, b_ndim=other.ndim), positive(5), *values[1:])


def test_a_singular_system():
    from pytensor.tensor import linalg
    a, b = pt.dmatrix("a", shape=(2, 2)), pt.dvector("b", shape=(2,))
    for y in linalg.inv(a), linalg.solve(a, b):
        f = pytensor.function([a, b], y, mode="PORISM", on_unused_input="ignore")
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            f(np.zeros((2, 2)), np.ones(2))


def test_density_through_a_decomposition():
    from pytensor.tensor import linalg
    for n in (3, None):                             # large ones too, as PyTensor's have no derivative here
        x = pt.dmatrix("x", shape=(n, n))
        cost = (linalg.cholesky(x)**2).sum() + pt.log(pt.diag(linalg.cholesky(x))).sum()
        value, (slope,) = porism.pytensor.value_and_grad(cost, [x])(positive(3))
        wanted = pytensor.function([x], [cost, pytensor.grad(cost, x)], mode=PLAIN)(positive(3))
        np.testing.assert_allclose(value, wanted[0], rtol=1e-12)
        np.testing.assert_allclose(np.tril(slope + slope.T), np.tril(wanted[1] + wanted[1].T), rtol=1e-10, atol=1e-12)


def test_numbers_are_arrays_of_no_axes():
    x, n = pt.dvector("x"), pt.lscalar("n")
    f = pytensor.function([x, n], [x.sum(), x[n], n + 1, x[:2]], mode="PORISM")
    assert [type(v) for v in f(np.arange(3.0), 1)] == [np.ndarray]*4
    g = pytensor.function([x, n], pt.sort(x)[n + 1:], mode="PORISM")      # a number of PyTensor's scalars in between
    assert g(np.array([3.0, 1, 2]), 0).tolist() == [2, 3]


def test_what_is_not_differentiated():
    from pytensor.tensor.random.type import random_generator_type
    of = porism.pytensor.value_and_grad
    x, k, r = pt.dvector("x"), pt.lvector("k"), random_generator_type("r")
    with pytest.raises(TypeError, match="value_and_grad by k, which is Vector.int64.*: wanted real floats"):
        of((k*2.0).sum(), k)
    with pytest.raises(NotImplementedError, match="value_and_grad: r is RandomGeneratorType, and no array of real numbers"):
        of(x.sum(), x, inputs=[x, r])
    with pytest.raises(NotImplementedError, match="NormalRV has no operator here"):
        of((x*pt.random.normal(0, 1, size=(3,), rng=r)).sum(), x, inputs=[x, r])
    for wrong in (lambda: porism.pytensor.mode("fast"), lambda: porism.jit(lambda x: x, tier="fast")):
        with pytest.raises(ValueError, match="tier 'fast': there are background, interpret"):
            wrong()
