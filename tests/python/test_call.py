"""Calls: arrays in without a copy, NumPy's arrays out, what does not fit, pickle, threads, other libraries' tensors."""
import gc
import os
import pickle
import resource
import subprocess
import sys
import threading
import time

import functools

import numpy as np
import pytest
from conftest import COMPILER, in_eight_threads

import porism

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]


def program(*types, f=lambda *x: x[0], **options):
    g = porism.graph()
    nodes = [g.input(f"x{i}", t) for i, t in enumerate(types)]
    results = f(*nodes)
    return porism.compile(nodes, results if isinstance(results, tuple) else (results,), **options)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_go_through(dtype):
    name = porism.graph().constant(np.zeros((), dtype)).dtype
    x = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtype)
    y = program(f"{name}[m, n]", f=lambda x: x.T)(x)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y, x.T)


def test_strides_are_no_copies():
    f = program("f64[m, n]", f=lambda x: x*2)
    base = np.arange(240.0).reshape(4, 5, 12)
    for view in (base[1], base[1].T, base[1][::-1, ::-2], base[:, 2, ::3], base[0][:0], np.broadcast_to(base[0, 0], (3, 12)),
                 np.asfortranarray(base[2])):
        np.testing.assert_array_equal(f(view), view*2)


def test_strides_of_parts_of_elements():
    records = np.zeros(5, dtype=[("a", "u1"), ("x", "f8"), ("b", "f8")])
    records["x"] = np.arange(5)
    np.testing.assert_array_equal(program("f64[n]", f=lambda x: x + 1)(records["x"]), np.arange(5) + 1.0)


def test_elements_that_are_not_aligned():
    base = np.arange(12.0).reshape(3, 4)
    x = np.frombuffer(b"-" + base.tobytes(), "f8", offset=1).reshape(3, 4)
    assert not x.flags.aligned and x.flags.c_contiguous
    f = porism.jit(lambda x: x*2)
    for view in (x, x.T, x[::-1, 1:]):
        np.testing.assert_array_equal(f(view), view*2)
    np.testing.assert_array_equal(porism.jit(lambda k: k*x)(3.0), x*3)


def test_other_byte_orders_are_converted():
    f = porism.jit(lambda x: x + 1)
    np.testing.assert_array_equal(f(np.arange(3.0).astype(">f8")), [1, 2, 3])
    with pytest.raises(TypeError, match="is no dtype of Porism"):
        f(np.array([None, 1]))


def test_results_are_new_and_of_numpy():
    f = program("f64[n]", "f64", f=lambda x, k: (x + k, porism.sum(x)*k))
    x = np.arange(3.0)
    first, total = f(x, 1)
    second, _ = f(x, 10)
    np.testing.assert_array_equal(first, [1, 2, 3])
    np.testing.assert_array_equal(second, [10, 11, 12])
    assert isinstance(total, np.float64) and first.flags.owndata and first.flags.writeable


def test_sizes_that_data_gives():
    f = program("f64[n]", f=lambda x: (x[x > 1], x*2))
    for x in ([0.5, 2, 3], [2.0, 2, 2], [0.0, 0, 0]):
        chosen, twice = f(np.array(x))
        np.testing.assert_array_equal(chosen, [v for v in x if v > 1])
        np.testing.assert_array_equal(twice, np.array(x)*2)
    g = porism.graph()
    k = g.input("k", "i64")
    ramp = porism.compile(k, g.parse("iota[k]()", ("k",), (k,)))
    for n in (3, 5, 0, 3):
        np.testing.assert_array_equal(ramp(n), np.arange(n))


def test_numbers_of_python():
    assert program("f32", f=lambda x: x*2)(1.5) == np.float32(3)
    assert program("u8", f=lambda x: x)(255) == 255
    with pytest.raises(OverflowError, match="does not fit u8"):
        program("u8", f=lambda x: x)(256)
    assert program("bool", f=lambda x: porism.logical_not(x))(True) == np.False_
    with pytest.raises(TypeError, match="wanted x0: i64"):
        program("i64", f=lambda x: x)(1.5)
    np.testing.assert_array_equal(program("f32[n]", f=lambda x: x)([1, 2]), np.array([1, 2], np.float32))


def test_what_does_not_fit():
    f = program("f64[m, n]", "f64[n]", f=lambda x, w: x @ w)
    x, w = np.ones((2, 3)), np.ones(3)
    for args, error, says in [
            ((x,), TypeError, "given 1 arguments, wanted 2"),
            ((x, w.astype("f4")), TypeError, r"argument 2: given f32\[3\], wanted x1: f64\[n\]"),
            ((w, w), TypeError, r"argument 1: given f64\[3\], wanted x0: f64\[m, n\]"),
            ((x, np.ones(4)), ValueError, "size 4 on axis 0, wanted 3"),
            ((x, None), TypeError, "argument 2: given None"),
            ((x, "w"), TypeError, "argument 2: given 'w'"),
            ((x, 1.0), TypeError, "argument 2: given 1.0"),
            ((x, w*1j), TypeError, "argument 2: given c128")]:
        with pytest.raises(error, match=says):
            f(*args)
    np.testing.assert_array_equal(f(x, w), [3, 3])
    np.testing.assert_array_equal(f(x1=w, x0=x), [3, 3])
    with pytest.raises(TypeError, match="there is no argument 'y'"):
        f(x, y=w)
    with pytest.raises(TypeError, match="argument 'x0' is given twice"):
        f(x, x0=x)


def test_promises_and_indices():
    with pytest.raises(ValueError, match="breaks its promise: 0 < x0"):
        program("f64[n] if x0 > 0", f=porism.log)(np.array([1.0, -1]))
    f = program("f64[n]", "i64", f=lambda x, i: x[i])
    assert f(np.arange(3.0), 2) == 2
    for tier in ("interpret", "reference"):
        f = program("f64[n]", "i64", f=lambda x, i: x[i], tier=tier)
        with pytest.raises(IndexError, match="test_call.py:"):
            f(np.arange(3.0), 3)


def test_complex_numbers_run_on_the_reference_tier():
    z = np.array([1 + 2j, -1j])
    np.testing.assert_allclose(program("c128[n]", f=porism.exp, tier="reference")(z), np.exp(z))


def test_pickle_by_content():
    f = program("f64[m, n]", "f64[n]", f=lambda x, w: (porism.softmax(x @ w), porism.grad(porism.sum((x @ w)**2), w)),
                tier="interpret")
    again = pickle.loads(pickle.dumps(f))
    x, w = np.arange(6.0).reshape(2, 3), np.array([1.0, 0.5, -1])
    for a, b in zip(f(x, w), again(x, w)):
        assert a.tobytes() == b.tobytes()
    assert again.tier == "interpret" and [t.split(": ")[1] for t in again.inputs] == ["f64[m, n]", "f64[n]"]


@porism.jit
def cube(x):
    return x**3


def test_what_jit_compiled_is_pickled_by_content():
    step = porism.jit(lambda p, x, k: (porism.tree_map(lambda v: v - porism.mean(x)*v, p), x*porism.normal(k)))
    p, x, k = {"w": np.ones(3), "b": 2.0}, np.arange(4.0), porism.key(1)
    (after, y) = step(p, x, k)
    again = pickle.loads(pickle.dumps(step.programs[0]))
    for got, wanted in zip(again(p["b"], p["w"], x, k), (after["b"], after["w"], y)):
        np.testing.assert_array_equal(got, wanted)
    taken = porism.jit(lambda x, y: (y + 1, x*2), donate="y")
    taken(np.ones(2), np.ones(3))
    again, given = pickle.loads(pickle.dumps(taken.programs[0])), np.zeros(3)
    assert again(np.ones(2), given)[0] is given and given.tolist() == [1.0, 1.0, 1.0]


def test_pickle_by_name():
    assert pickle.loads(pickle.dumps(cube)) is cube


def test_tiers():
    f = program("f64[n]", f=lambda x: porism.exp(x).sum(), tier="interpret")
    x = np.linspace(0, 1, 100)
    value = f(x)
    assert f.tier == "interpret" and not f.wait(0)
    if COMPILER:
        g = program("f64[n]", f=lambda x: porism.exp(x).sum(), tier="native")
        assert g.tier == "native" and g(x).tobytes() == value.tobytes() and g.wait(seconds=60.0)
    else:
        with pytest.raises(RuntimeError, match="compiler"):
            program("f64[n]", f=lambda x: porism.exp(x).sum(), tier="native")
    assert f.explain(what="kernels") == f.explain("kernels")
    assert f.export_c("f", header=True).splitlines()[-1] == "#endif" != f.export_c("f", header=False).splitlines()[-1]
    assert "kernel" in f.explain("kernels") and "porism" not in f.export_c("f").split("*/", 1)[1][:100]
    with pytest.raises(ValueError, match="tier 'fast': there are background"):
        program("f64", tier="fast")


def test_threads():
    f = porism.jit(lambda x, w: porism.tanh(x @ w))
    rng = np.random.default_rng(1)
    cases = [(rng.normal(size=(n, 7)), rng.normal(size=7)) for n in (2, 3, 100, 1000)]
    wanted = [np.tanh(x @ w) for x, w in cases]

    def work(seed):
        for k in range(200):
            i = (seed + k) % len(cases)
            np.testing.assert_allclose(f(*cases[i]), wanted[i], rtol=1e-9)
    in_eight_threads(work)


def test_long_calls_let_others_run():
    f = porism.jit(lambda n, x: porism.fori(0, n, lambda i, c: porism.sin(c), x))
    f(10, 1.0)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)
    other = threading.Thread(target=tick)
    other.start()
    begin = time.perf_counter()
    f(10_000_000, 1.0)
    end = time.perf_counter()
    done.set()
    other.join()
    assert sum(begin < t < end for t in ticks) >= 3


def test_memory_of_others():
    class Tensor:                       # as of another library: nothing but DLPack
        def __init__(self, a):
            self.a = a

        def __dlpack__(self, **more):
            return self.a.__dlpack__(**more)

        def __dlpack_device__(self):
            return self.a.__dlpack_device__()
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(porism.jit(lambda t: t*2)(Tensor(x)), x*2)
    np.testing.assert_array_equal(program("f64[m, n]", f=lambda x: x*2)(Tensor(x)), x*2)
    np.testing.assert_array_equal(np.from_dlpack(program("f64[m, n]", f=lambda x: x*2)(x)), x*2)
    np.testing.assert_array_equal(porism.jit(lambda t: t + 1)(memoryview(bytes([1, 2]))), [2, 3])


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    x = torch.arange(6, dtype=torch.float64).reshape(2, 3)
    y = porism.jit(lambda t: t @ t.T)(x)
    assert torch.equal(torch.from_dlpack(y), x @ x.T)


def test_nothing_is_kept():
    def once(k):
        f = porism.jit(lambda x: porism.exp(x)*k, tier="interpret")
        f(np.ones(3))
        g = porism.graph()
        porism.compile(n := g.input("x", "f64"), porism.grad(n*n, n), tier="interpret")(1.0)
        try:
            f(np.array([None]))
        except TypeError:
            pass
    for k in range(50):
        once(k)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for k in range(400):
        once(k)
        if k % 50 == 0:
            gc.collect()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 8000, f"{grown} KiB for 400 functions"


def test_without_a_compiler(tmp_path):
    text = ("import numpy, porism; f = porism.jit(lambda x: porism.sum(porism.exp(x))); x = numpy.ones(4); y = f(x);"
            "print(y == 4*porism.exp(1.0), f.programs[0].wait(5), f.programs[0].tier)")
    paths = os.pathsep.join(p for p in sys.path if p)
    env = {"PATH": str(tmp_path), "PYTHONPATH": paths, "HOME": str(tmp_path), "PORISM_CACHE": str(tmp_path)}
    out = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True, check=True).stdout
    assert out.split() == ["True", "False", "interpret"]
    text = "import porism; porism.jit(lambda x: x + 1, tier='native')(1.0)"
    done = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True, check=False)
    assert "RuntimeError: " in done.stderr and "compiler" in done.stderr


def test_donated_arguments_are_the_results():
    @functools.partial(porism.jit, donate=("p", "m"))
    def step(X, p, m):
        m = {k: 0.9*v + X.sum() for k, v in m.items()}
        return porism.sum(X), {k: v - m[k] for k, v in p.items()}, m
    p, m = ({"w": np.ones((2, 3)), "b": np.ones(4)} for _ in range(2))
    X = np.arange(3.0)
    for turn in range(3):
        before = p["w"].copy(), m["w"].copy()
        total, q, n = step(X, p, m)
        assert q["w"] is p["w"] and q["b"] is p["b"] and n["w"] is m["w"] and total == 3.0
        np.testing.assert_allclose(n["w"], 0.9*before[1] + 3)
        np.testing.assert_allclose(q["w"], before[0] - n["w"])
    from porism import array_api as xp
    for size in (3, 100, 5000):
        x = xp.ones(size)
        y = porism.jit(lambda x: 2*x + 1, donate="x")(x)
        assert y is x and float(x[0]) == 3.0


def test_memory_that_cannot_be_given_is_not_taken():
    double = porism.jit(lambda x: 2*x, donate="x")
    x = np.ones(3)
    x.flags.writeable = False
    assert double(x).tolist() == [2, 2, 2] and x.tolist() == [1, 1, 1]
    assert double(np.float64(2.0)) == 4.0 and double(3.0) == 6.0
    wide = np.ones(6)
    assert double(wide[::2]).tolist() == [2, 2, 2] and wide.tolist() == [2, 1, 2, 1, 2, 1]
    both = porism.jit(lambda x, y: x + y, donate="x")
    with pytest.raises(ValueError, match="lie on each other"):
        both(wide, wide)
    assert wide.tolist() == [2, 1, 2, 1, 2, 1]
    with pytest.raises(ValueError, match="donate: no result has the dtype and shape of x, f64\\[n\\]"):
        porism.jit(lambda x: x.sum(), donate="x")(x)
    with pytest.raises(ValueError, match="donate: .* has no argument z"):
        porism.jit(lambda x: x, donate="z")
