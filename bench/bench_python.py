#!/usr/bin/env python3
"""What a call from Python costs against its bounds: checked, with new results of NumPy's; and beside NumPy, numba, JAX,
PyTorch, PyTensor and CasADi, as far as they are here."""
import os
import sys
import time

from table import ROOT, Table, peer, use_peers

use_peers(1)
sys.path.insert(0, os.path.join(ROOT, "build", "release", "python"))
numpy = peer("numpy")
if numpy is None:
    sys.exit(1)
import porism                                           # noqa: E402

SECONDS = 0.02


def least(f, *args, rounds=25):
    """Seconds of a call: the least of some rounds of processor time."""
    calls = 1
    while timed(f, args, calls)*calls < SECONDS/4:
        calls *= 4
    return min(timed(f, args, calls) for _ in range(rounds))


def timed(f, args, calls):
    turns = range(calls)
    begin = time.process_time()
    for _ in turns:
        f(*args)
    return (time.process_time() - begin)/calls


def native(f, *args):
    f(*args)
    for p in f.programs:
        p.wait(60)
    return f


def first(w, x, y):
    """A first result of a gradient: traced, compiled for the interpreter, called."""
    f = porism.jit(porism.grad(lambda w, x, y: porism.mean(porism.softplus(x @ w) - y*(x @ w))), tier="interpret")
    return f(w, x, y)


def digits(p, x, y):
    """A training step of a classifier of digits: 64 pixels, one hidden layer."""
    def loss(p):
        scores = porism.relu(x @ p["w1"] + p["b1"]) @ p["w2"] + p["b2"]
        return porism.mean(porism.logsumexp(scores, axis=1) - porism.sum(porism.one_hot(y, 10, "f32")*scores, axis=1))
    value, d = porism.value_and_grad(loss)(p)
    return value, {k: p[k] - 0.1*d[k] for k in p}


def step_of_digits(table):
    random = numpy.random.default_rng(4)
    p = {"w1": random.normal(size=(64, 128)), "b1": numpy.zeros(128), "w2": random.normal(size=(128, 10)), "b2": numpy.zeros(10)}
    p = {k: v.astype("f4") for k, v in p.items()}
    x, y = random.random((264, 64)).astype("f4"), random.integers(0, 10, 264)
    step = porism.jit(digits, tier="interpret")
    table.add("the step of digits, a first result, ms", least(lambda: porism.jit(digits, tier="interpret")(p, x, y), rounds=5)*1e3,
              10.0, 1)
    for m in range(65, 265):                            # none is 64, which would be taken for the number of pixels
        step(p, x[:m], y[:m])
    table.add("the same, programs for 200 batch sizes", len(step.programs), 1, 1)


def standard(table):
    """Calls of porism.array_api, which compute at once, beside NumPy's."""
    xp = porism.array_api
    for n in (10, 1000):
        a, b = (numpy.linspace(1, 2, n)*k for k in (1, 2))
        x, y = xp.asarray(a)*1.0, xp.asarray(b)*1.0
        for name, ours, theirs in (("x + y", lambda: x + y, lambda: a + b), ("sqrt(x)", lambda: xp.sqrt(x), lambda: numpy.sqrt(a)),
                                   ("sin(x)", lambda: xp.sin(x), lambda: numpy.sin(a)),
                                   ("sum(x)", lambda: xp.sum(x), lambda: numpy.sum(a)),
                                   ("x < y", lambda: x < y, lambda: a < b)):
            bound = 0.4 if n == 10 else least(theirs)*1e6
            table.add(f"array_api: {name}, {n:,} elements, us", least(ours)*1e6, bound, 1)


def square(x):
    return x*x + 1.0


def sum_of_ten(a, b, c, d, e, f, g, h, i, j):
    return a + b + c + d + e + f + g + h + i + j


def by_jax(jax, f, args):
    jax.config.update("jax_enable_x64", True)
    compiled, given = jax.jit(f), [jax.numpy.asarray(x) for x in args]
    return lambda: compiled(*given).block_until_ready()


def by_torch(torch, f, args):
    given = [torch.as_tensor(x, dtype=torch.float64) for x in args]
    return lambda: f(*given)


def by_pytensor(pytensor, f, args):
    import pytensor.tensor as pt
    symbols = [pt.dvector() if numpy.ndim(x) else pt.dscalar() for x in args]
    compiled, given = pytensor.function(symbols, f(*symbols)), [numpy.asarray(x) for x in args]
    return lambda: compiled(*given)


def by_casadi(casadi, f, args):
    symbols = [casadi.SX.sym("x", numpy.size(x)) for x in args]
    compiled = casadi.Function("f", symbols, [f(*symbols)])
    return lambda: compiled(*args)


PEERS = {"numba": lambda numba, f, args: (lambda compiled: lambda: compiled(*args))(numba.njit(f)), "jax": by_jax,
         "torch": by_torch, "pytensor": by_pytensor, "casadi": by_casadi}


def beside(modules, ours, f, args):
    """A line: microseconds of a call of the same function by each, with arrays of each one's own."""
    print(f"    ours {ours*1e6:.3g}, NumPy {least(f, *map(numpy.float64, args) if numpy.ndim(args[0]) == 0 else args)*1e6:.3g}",
          end="", flush=True)
    for name, module in modules.items():
        run = PEERS[name](module, f, args)
        wanted, given = f(*args), numpy.asarray(run()).reshape(numpy.shape(args[0]))
        said = f"{least(run)*1e6:.3g}" if numpy.allclose(given, wanted) else "has another result"
        print(f", {name} {said}", end="", flush=True)
    print(flush=True)


def calls_of_all(table):
    """The three calls that the package has bounds for."""
    modules = {name: module for name in PEERS if (module := peer(name))}
    if "torch" in modules:
        modules["torch"].set_num_threads(1)
    number, row, rows = 3.0, numpy.ones(10), numpy.ones(1000)
    f, ten = porism.jit(square), native(porism.jit(sum_of_ten), *[number]*10)
    for case, of, plain, args, bound in (("x*x + 1, a number, us", f, square, [number], 0.25),
                                         ("the same, 10 elements, us", f, square, [row], None),
                                         ("the same, 1,000 elements, us", f, square, [rows], 1.3),
                                         ("the sum of 10 numbers, us", ten, sum_of_ten, [number]*10, 0.4)):
        native(of, *args)
        ours = least(of, *args)
        table.add(case, ours*1e6, bound or least(plain, *args)*1e6, 1)
        beside(modules, ours, plain, args)


def main():
    table = Table("python")
    calls_of_all(table)
    x, w, y = numpy.ones((64, 8)), numpy.ones(8), numpy.ones(64)
    table.add("a first gradient, traced and computed, ms", least(first, w, x, y, rounds=5)*1e3, 10.0, 1)
    step_of_digits(table)
    standard(table)
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
