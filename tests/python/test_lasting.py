"""What must hold however long a program runs and however it ends: nothing leaks, threads, forks, ends at any moment.

CYCLES=100000: so many cycles of jit, call and drop, as `make test-lasting` has them."""
import ctypes
import gc
import os
import subprocess
import sys
import sysconfig

import numpy as np
import pytest
from conftest import in_eight_threads

import porism

CYCLES = int(os.environ.get("CYCLES", 2000))
# without the GIL what is dropped waits for all threads, and each thread has pages of its own
PLAY = 6 if sysconfig.get_config_var("Py_GIL_DISABLED") else 1
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
X = np.arange(10.0)


def resident():
    """Bytes of memory that the process holds, but for what malloc could give back."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim:
        trim(0)
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1])*os.sysconf("SC_PAGE_SIZE")


class Mallinfo(ctypes.Structure):
    """What mallinfo2 of the GNU C library gives."""
    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]


def in_use():
    """Bytes that malloc has given out and not got back; None: it does not say."""
    asked = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if SANITIZED or not asked:
        return None
    asked.restype = Mallinfo
    told = asked()
    return told.uordblks + told.hblkhd


def cycle(k):
    f = porism.jit(lambda x, y: (porism.sum(porism.sin(x)*y) + k % 7, {"x": x[1:]}), tier="interpret")
    f(X, 2.0)
    with pytest.raises(Exception):
        f("no array", 2.0)


def derived(k):
    f = porism.jit(porism.value_and_grad(lambda x: porism.sum(x**2)*(k % 5 + 1)), tier="interpret")
    f(X)


@pytest.mark.parametrize("once", [cycle, derived])
def test_jit_call_drop_does_not_leak(once):
    """Of cycles in a row nothing stays: no object of Python's, of C's no bytes in each quarter of them, and of what the
    process holds no more than the allocator's own play."""
    for k in range(300):
        once(k)
    gc.collect()
    before, blocks, held, used = len(gc.get_objects()), sys.getallocatedblocks(), resident(), [in_use()]
    for _ in range(4):                                  # compiles of other tests may still run in one or another
        for k in range(CYCLES//4):
            once(k)
        gc.collect()
        used.append(in_use())
    assert len(gc.get_objects()) - before < 50*PLAY
    assert sys.getallocatedblocks() - blocks < 500
    assert None in used or min(b - a for a, b in zip(used, used[1:])) < 4e3 + CYCLES/20
    assert SANITIZED or resident() - held < 4e6*PLAY    # the sanitizer keeps what was freed


def test_calls_do_not_leak():
    f = porism.jit(lambda x: {"sum": porism.sum(x), "more": [x*2, x > 3]})
    for _ in range(200):
        f(X)
    gc.collect()
    blocks, held = sys.getallocatedblocks(), resident()
    for _ in range(20*CYCLES):
        f(X)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 500
    assert SANITIZED or resident() - held < 4e6*PLAY


def test_eight_threads_compile_call_and_drop():
    def work(seed):
        rng = np.random.default_rng(seed)
        for k in range(40):
            x, c = rng.normal(size=(int(rng.integers(1, 50)), 5)), float(k + seed)
            got = porism.jit(lambda x: porism.grad(lambda y: porism.sum(porism.exp(y)*c))(x), tier="interpret")(x)
            np.testing.assert_allclose(got, np.exp(x)*c, rtol=1e-9)
    in_eight_threads(work)


def ended(program, *more):
    """The exit status of a program in a process of its own, and what it wrote."""
    run = subprocess.run([sys.executable, "-c", program, *more], capture_output=True, text=True, timeout=240)
    return run.returncode, run.stdout + run.stderr


FORKED = """
import os, signal, sys, threading
import numpy as np, porism
f = porism.jit(lambda x, w: porism.tanh(x @ w), threads=4)
x, w = np.ones((300, 200)), np.ones((200, 300))/200
wanted = np.tanh(x @ w)
assert np.allclose(f(x, w), wanted)
stop = threading.Event()
def busy():
    while not stop.is_set():
        f(x, w)
        porism.jit(lambda x: x + 1.0, tier="interpret")(x)
others = [threading.Thread(target=busy) for _ in range(int(sys.argv[1]))]
for t in others:
    t.start()
for _ in range(10):
    child = os.fork()
    if child == 0:
        signal.alarm(60)                # a child that hangs dies of it, and is seen
        good = np.allclose(f(x, w), wanted)
        g = porism.jit(lambda x: porism.sum(x)*2, tier="interpret")
        os._exit(0 if good and g(x) == 2*x.size else 3)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, status
stop.set()
for t in others:
    t.join()
assert np.allclose(f(x, w), wanted)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_of_a_fork_goes_on():
    status, said = ended(FORKED, "0")
    assert status == 0, said


ENDING = """
import os, sys, threading, time
import numpy as np, porism
how, seed = sys.argv[1], int(sys.argv[2])
x = np.ones((50, 40))
f = porism.jit(lambda x: porism.fori(0, 200, lambda i, c: porism.sin(c) + 1.0, x))
f(x)
begun = threading.Barrier(5)
def work(k):
    begun.wait()
    while True:
        if k % 2:
            f(x)
        else:
            porism.jit(porism.grad(lambda y: porism.sum(y*float(k + seed))), tier="interpret")(x)
for k in range(4):
    threading.Thread(target=work, args=(k,), daemon=True).start()
begun.wait()
for _ in range(seed):
    f(x)
kept = f, porism.graph()
if how == "exit":
    sys.exit(7)
if how == "raise":
    raise SystemExit(7)
if how == "background":
    g = porism.jit(lambda x: x*x, tier="background")
    g(x)
    sys.exit(7)
if how == "cycle":
    kept += (kept,)
    class Last:
        def __del__(self, f=f, x=x):
            f(x)                        # while the interpreter takes itself apart
    last = Last()
    last.own = last
    sys.exit(7)
"""


@pytest.mark.parametrize("how", ["exit", "raise", "background", "cycle"])
def test_the_interpreter_ends_at_any_moment(how):
    """With threads amid calls and compiles: it ends with the status that it was given, by no signal."""
    for seed in range(3):
        status, said = ended(ENDING, how, str(seed))
        assert status == 7, said
