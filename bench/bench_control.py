#!/usr/bin/env python3
"""Control flow and derivatives through it, on one processor: loops and branches beside themselves without a condition, memory
and steps of a gradient beside what is allowed, and derivatives beside JAX, its functions jitted, and PyTorch."""
import ctypes
import os
import subprocess
import sys
import tempfile
import time

from table import FULL, Table, peer, use_peers
from timing import in_pairs, in_turns, processor

use_peers(1)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})      # whoever has threads of its own
import binding as p                                                          # noqa: E402
from beside import beside, by_jax                                            # noqa: E402

numpy = peer("numpy", tell=False)
jax = peer("jax", tell=False)
torch = peer("torch", tell=False)

TEXT = """
fn counted(y: f64, n: i64) = scan (y = y, i < n) => y*0.999999 + 0.5
fn whiles(y: f64, n: i64) = (scan (y = y, k = 0) while k < n => {y = y*0.999999 + 0.5, k = k + 1}).y
fn ended(y: f64, n: i64) = scan (y = y, i < n) while y > 0.0 => y*0.999999 + 0.5
fn side(y: f64, n: i64) = scan (y = y, i < n) => y*0.999999 + exp(-y)*cos(y)*sin(y)
fn branch(y: f64, n: i64) = scan (y = y, i < n) => if y > -3.0 then y*0.999999 + exp(-y)*cos(y)*sin(y) else lgamma(y)

fn cell(h: f32[b, m], c: f32[b, m], x: f32[b, m], W: f32[m, l], U: f32[m, l], v: f32[l]) =
    let z = x @ W + h @ U + v
    let f = sigmoid(z[:, :m])
    let i = sigmoid(z[:, m:2*m])
    let o = sigmoid(z[:, 2*m:3*m])
    let c = f*c + i*tanh(z[:, 3*m:4*m])
    in {h = o*tanh(c), c}

fn lstm(W: f32[m, l], U: f32[m, l], v: f32[l], X: f32[t, b, m]) =
    let end = scan (h = f32[b, m](0), c = f32[b, m](0), x in X) => cell(h, c, x, W, U, v)
    in sum(end.h^2)

fn lstm_gradient(W: f32[m, l], U: f32[m, l], v: f32[l], X: f32[t, b, m]) = grad(lstm(W, U, v, X), {W, U, v})

fn columns(W: f64[h, n], V: f64[m, h], x: f64[n]) = jacobian[forward](V @ tanh(W @ x), x)

fn curved(A: f64[m, n], B: f64[k, m], x: f64[n]) = hessian(sum(tanh(B @ tanh(A @ x))), x)

fn chained(x: f64[n]) = sum(100*(x[1:] - x[:-1]^2)^2 + (1 - x[:-1])^2)

fn bent(x: f64[n]) = sparse_hessian(chained(x), x).values

fn bent_with_places(x: f64[n]) = sparse_hessian(chained(x), x)

fn error(W: f32[d, h], V: f32[h, c], x: f32[d], y: i64) =
    let z = relu(x @ W) @ V
    in logsumexp(z) - z[y]

fn each(W: f32[d, h], V: f32[h, c], X: f32[m, d], y: i64[m]) = [i < m] => grad(error(W, V, X[i], y[i]), {W, V})
"""

# The same elements by hand: the lower diagonal, the main one, the upper one.
BY_HAND = """
#include <stdint.h>
#include <time.h>
void bent(int64_t n, const double *x, double *v)
{
	double *low = v, *main = v + n - 1, *high = main + n;
	main[0] = 0;
	for (int64_t i = 0; i + 1 < n; i++) {
		main[i] += 1200*x[i]*x[i] - 400*x[i + 1] + 2;
		main[i + 1] = 200;
		low[i] = high[i] = -400*x[i];
	}
}
void bent_with_places(int64_t n, const double *x, double *v, int64_t *row, int64_t *column)
{
	bent(n, x, v);
	for (int64_t i = 0; i + 1 < n; i++) {
		row[i] = column[2*n - 1 + i] = i + 1;
		column[i] = row[2*n - 1 + i] = i;
	}
	for (int64_t i = 0; i < n; i++) row[n - 1 + i] = column[n - 1 + i] = i;
}
double many(int64_t times, int64_t n, const double *x, double *v, int64_t *row, int64_t *column)
{
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int64_t k = 0; k < times; k++) {
		if (row)
			bent_with_places(n, x, v, row, column);
		else
			bent(n, x, v);
		__asm__ volatile("" ::: "memory");
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (b.tv_sec - a.tv_sec) + 1e-9*(b.tv_nsec - a.tv_nsec);
}
"""

WHILE = """
fn slope(x: f64[n], m: i64) =
    grad(sum((scan[%s] (x = x, k = 0) while k < m => {x = 0.9*x + 0.1*x^2, k = k + 1}).x), x)
"""


def memory(policy, steps):
    """The most that the process has, in MB, for the gradient of a `while` of so many steps over 100 numbers; interpreted,
    since a C compiler that it started would count."""
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/w.por", "w", encoding="utf-8") as f:
            f.write(WHILE % policy)
        run = subprocess.run(["/usr/bin/time", "-f", "%M", os.path.join(p.BUILD, "porism"), "run", folder + "/w.por:slope",
                              "x=f64[100](0.5)", f"m={steps}", "--tier", "interpret", "--threads", "1"], capture_output=True, text=True)
    return int(run.stderr.split()[-1])/1024


def steps(table):
    n = 100000
    given = [numpy.ascontiguousarray(v).reshape(()) for v in (numpy.float64(0.5), numpy.array(n))]
    out = numpy.empty(())
    sides = {}
    for name in "counted", "whiles", "ended", "side", "branch":
        program = p.Program(TEXT, name)
        program.call(given, [out])
        sides[name] = processor(program.calls(given, [out]))
    for name, case, bound in (("whiles", "a step of a while, ns, beside a counted one", 1.0),
                              ("ended", "a step of one that data ends, ns, beside it", None)):
        ours, counted, *pairs = in_pairs(sides[name], sides["counted"])
        table.add(case, ours/n*1e9, counted/n*1e9, bound, pairs)
    t = in_turns([sides["side"], sides["branch"]], lambda t: t[1] - t[0] <= 30e-9*n)
    table.add("a branch over the side that it takes, ns", max(t[1] - t[0], 0)/n*1e9, 30, 1.0)


def by_torch(given, theirs):
    """The gradients of a loss of PyTorch's, by its tape; theirs gives the loss and what to differentiate by."""
    if not torch:
        return None
    at = [torch.from_numpy(v) for v in given]

    def run():
        loss, by = theirs(*at)
        return [d.numpy() for d in torch.autograd.grad(loss, by)]
    return run


def lstm(table, random, hidden, batch):
    def numbers(*shape):
        return (random.standard_normal(shape)*0.2*(32/hidden)**0.5).astype("float32")

    def loss(W, U, v, X):
        def step(s, x):
            h, c = s
            f, i, o, u = jax.numpy.split(x @ W + h @ U + v, 4, axis=1)
            c = jax.nn.sigmoid(f)*c + jax.nn.sigmoid(i)*jax.numpy.tanh(u)
            return (jax.nn.sigmoid(o)*jax.numpy.tanh(c), c), None
        zero = jax.numpy.zeros((batch, hidden), "float32")
        return (jax.lax.scan(step, (zero, zero), X)[0][0]**2).sum()

    def gradients(W, U, v, X):
        d = jax.grad(loss, argnums=(0, 1, 2))(W, U, v, X)
        return d[1], d[0], d[2]

    def of_torch(W, U, v, X):
        W, U, v = (x.detach().requires_grad_() for x in (W, U, v))
        h = c = torch.zeros(batch, hidden)
        before = X @ W + v                       # for all steps at once, as its own LSTM does
        for x in before:
            f, i, o, u = (x + h @ U).split(hidden, 1)
            c = torch.sigmoid(f)*c + torch.sigmoid(i)*torch.tanh(u)
            h = torch.sigmoid(o)*torch.tanh(c)
        return (h**2).sum(), (U, W, v)

    given = [numbers(hidden, 4*hidden), numbers(hidden, 4*hidden), numbers(4*hidden), numbers(100, batch, hidden)]
    outs = [numpy.empty_like(given[1]), numpy.empty_like(given[0]), numpy.empty_like(given[2])]     # U, W, v
    peers = {"JAX": by_jax(jax, given, gradients), "PyTorch": by_torch(given, of_torch), "PyTorch's LSTM": torch_lstm(given)}
    beside(table, TEXT, f"LSTM gradient, hidden {hidden}, batch {batch}, us", "lstm_gradient", given, outs, peers, 1.0)


def torch_lstm(given):
    """torch.nn.LSTM with our weights: its gates are i, f, g, o, its weights the other way round, and it has two biases."""
    if not torch:
        return None
    W, U, v, X = given
    hidden, batch = U.shape[0], X.shape[1]
    order = numpy.concatenate([numpy.arange(k*hidden, (k + 1)*hidden) for k in (1, 0, 3, 2)])       # ours: f, i, o, u
    back = numpy.argsort(order)
    net = torch.nn.LSTM(hidden, hidden)
    with torch.no_grad():
        for to, x in zip((net.weight_ih_l0, net.weight_hh_l0, net.bias_ih_l0, net.bias_hh_l0),
                         (W.T[order], U.T[order], v[order], 0*v)):
            to.copy_(torch.from_numpy(numpy.ascontiguousarray(x)))
    x, zero = torch.from_numpy(X), torch.zeros(1, batch, hidden)

    def run():
        loss = (net(x, (zero, zero))[1][0]**2).sum()
        U, W, v = torch.autograd.grad(loss, (net.weight_hh_l0, net.weight_ih_l0, net.bias_ih_l0))
        return U.numpy()[back].T, W.numpy()[back].T, v.numpy()[back]
    return run


def derivatives(table, random):
    W, V, x = random.standard_normal((64, 27)), random.standard_normal((64, 64))*0.1, random.standard_normal(27)
    given = [W, V, x]
    theirs = by_jax(jax, given, lambda W, V, x: jax.jacfwd(lambda x: V @ jax.numpy.tanh(W @ x))(x))
    beside(table, TEXT, "Jacobian of 27 columns, forward, us", "columns", given, [numpy.empty((64, 27))], {"JAX": theirs}, 1.0)
    A, B, y = random.standard_normal((64, 64))*0.1, random.standard_normal((64, 64))*0.1, random.standard_normal(64)
    given = [A, B, y]
    theirs = by_jax(jax, given, lambda A, B, x: jax.hessian(lambda x: jax.numpy.tanh(B @ jax.numpy.tanh(A @ x)).sum())(x))
    beside(table, TEXT, "Hessian by 64, us", "curved", given, [numpy.empty((64, 64))], {"JAX": theirs}, 0.7)
    P, Q = (random.standard_normal(s).astype("float32")*0.1 for s in ((64, 32), (32, 10)))
    X, k = random.standard_normal((128, 64)).astype("float32"), random.integers(0, 10, 128)

    def error(W, V, x, y):
        z = jax.nn.relu(x @ W) @ V
        return jax.nn.logsumexp(z) - z[y]

    def each(W, V, X, y):
        d = jax.vmap(jax.grad(error, argnums=(0, 1)), in_axes=(None, None, 0, 0))(W, V, X, y)
        return d[1], d[0]
    given = [P, Q, X, k]
    beside(table, TEXT, "per-example gradients of 128, us", "each", given,
           [numpy.empty((128, 32, 10), "float32"), numpy.empty((128, 64, 32), "float32")],
           {"JAX": by_jax(jax, given, each)}, 1.0)


def sparse(table, random):
    n = 100000
    x = random.standard_normal(n)
    values, rows, columns = (numpy.empty(3*n - 2, t) for t in ("float64", "int64", "int64"))
    hand, at = [numpy.empty_like(v) for v in (values, rows, columns)], lambda v: ctypes.c_void_p(v.ctypes.data if v is not None else None)
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/hand.c", "w", encoding="utf-8") as f:
            f.write(BY_HAND)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", folder + "/hand.c", "-o", folder + "/hand.so"], check=True)
        many = ctypes.CDLL(folder + "/hand.so").many
        many.restype = ctypes.c_double
        start = time.perf_counter()
        program = p.Program(TEXT, "bent", cache=folder + "/cache")
        program.call([x], [values])
        table.add("sparse Hessian of a chain of 10^5, native after, s", time.perf_counter() - start, 2, 1.0)
        for name, outs in ("bent", [values]), ("bent_with_places", [columns, rows, values]):
            program = p.Program(TEXT, name)
            program.call([x], outs)
            places = hand[1:] if len(outs) > 1 else [None, None]

            def by_hand(k, places=places):
                return many(ctypes.c_int64(k), ctypes.c_int64(n), at(x), at(hand[0]), at(places[0]), at(places[1]))
            by_hand(1)
            if not (numpy.allclose(values, hand[0], rtol=1e-12) and all((a == b).all() for a, b in zip(hand[1:], (rows, columns))
                                                                       if len(outs) > 1)):
                table.failed(name, "another result")
                continue
            t = in_turns([program.calls([x], outs), by_hand], lambda t: t[0] <= 3*t[1])
            table.add("the same, %s, us, beside C" % ("values" if len(outs) == 1 else "with rows and columns"), t[0]*1e6, t[1]*1e6, 3.0)


def main():
    table = Table("control")
    if not numpy:
        table.add("all", 0, None, 1.0)
        return table.done()
    if jax:
        jax.config.update("jax_enable_x64", True)
        print(f"peer: jax {jax.__version__}, one processor", flush=True)
    if torch:
        torch.set_num_threads(1)
        print(f"peer: torch {torch.__version__}, one thread", flush=True)
    steps(table)
    for policy in "levels = 2", "levels = 3", "bytes = 1000000":
        table.add(f"gradient of a while of 10^6 steps over 100 states, {policy}, MB",
                  max(memory(policy, 1000000) - memory(policy, 1), 0), 64, 1.0)
    random = numpy.random.default_rng(3)
    for hidden in (32, 128, 512) if FULL else (32, 128):
        for batch in 1, 32:
            lstm(table, random, hidden, batch)
    derivatives(table, random)
    sparse(table, random)
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
