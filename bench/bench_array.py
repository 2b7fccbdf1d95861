#!/usr/bin/env python3
"""The array form beside the best that one writes without it: sixty-six formulas, one thread, f64,
in processor time.  Where both become the
same function there is nothing to time: the ratio is 1."""
import os
import random
import re
import subprocess
import sys
import tempfile

from table import Table, peer, use_peers
from timing import in_turns, processor

use_peers(1)
import binding as p                                                          # noqa: E402

numpy = peer("numpy", tell=False)

BOUND = 1.05
N = 160                                                    # of vectors, rows and columns
TYPES = {"A": "f64[n, n]", "B": "f64[n, n]", "C": "f64[n, n]", "x": "f64[n]", "y": "f64[n]", "k": "i64[n]",
         "l": "i64[n]", "T": "f64[8, n, n]", "U": "f64[8, n, n]", "w": "f64[5]", "D": "f64[n, 8]", "m": "bool[n]"}
FORMULAS = """
copy             | [i < n] => x[i]                                   | x
outer            | [i < n, j < n] => x[i]*y[j]                       | x[:, _]*y
row scale        | [i < n, j < n] => x[i]*A[i, j]                    | x[:, _]*A
column scale     | [i < n, j < n] => A[i, j]*x[j]                    | A*x
transpose        | [i < n, j < n] => A[j, i]                         | A.T
flip             | [i < n] => x[n - 1 - i]                           | x[::-1]
flip rows        | [i < n, j < n] => A[n - 1 - i, j]                 | A[::-1]
every second     | [i < n//2] => x[2*i]                              | x[:2*(n//2):2]
shift            | [i < n - 1] => x[i + 1] - x[i]                    | x[1:] - x[:-1]
second diff.     | [i < n - 2] => x[i] - 2*x[i + 1] + x[i + 2]       | x[:-2] - 2*x[1:-1] + x[2:]
dot              | sum([i < n] => x[i]*y[i])                         | x @ y
A x              | [i < n] => sum([j < n] => A[i, j]*x[j])           | A @ x
x A              | [j < n] => sum([i < n] => x[i]*A[i, j])           | x @ A
A x rows         | [a in A] => a @ x                                 | A @ x
A B              | [i < n, j < n] => sum([k < n] => A[i, k]*B[k, j]) | A @ B
A B rows         | [i < n, j < n] => A[i, :] @ B[:, j]               | A @ B
A.T B            | [i < n, j < n] => sum([k < n] => A[k, i]*B[k, j]) | A.T @ B
A B.T            | [i < n, j < n] => sum([k < n] => A[i, k]*B[j, k]) | A @ B.T
A.T B.T          | [i < n, j < n] => sum([k < n] => A[k, i]*B[j, k]) | A.T @ B.T
(A B).T          | [j < n, i < n] => sum([k < n] => A[i, k]*B[k, j]) | (A @ B).T
batched          | [s < 8, i < n, j < n] => T[s, i, :] @ U[s, :, j]  | T @ U
batched rows     | [a in T] => a @ B                                 | T @ B
batched shared   | [s < 8] => A @ U[s]                               | A @ U
batched vector   | [s < 8, i < n] => sum([j < n] => T[s, i, j]*x[j]) | T @ x
bilinear         | [s < 8] => sum([i < n, j < n] => x[i]*T[s, i, j]*y[j]) | T @ y @ x
quadratic form   | sum([i < n, j < n] => x[i]*A[i, j]*x[j])          | A @ x @ x
weighted A y     | [i < n] => sum([j < n] => x[j]*A[i, j]*y[j])      | A @ (x*y)
weighted A B     | [i < n, j < n] => sum([k < n] => A[i, k]*x[k]*B[k, j]) | (A*x) @ B
A B x            | [i < n] => sum([j < n, k < n] => A[i, j]*B[j, k]*x[k]) | A @ (B @ x)
row sums         | [i < n] => sum([j < n] => A[i, j])                | sum[1](A)
column sums      | [j < n] => sum([i < n] => A[i, j])                | sum[0](A)
row means        | [a in A] => mean(a)                               | mean[1](A)
row max          | [i < n] => max(A[i, :])                           | max[1](A)
column max       | [j < n] => max(A[:, j])                           | max[0](A)
row argmax       | [a in A] => argmax(a)                             | argmax[1](A)
softmax rows     | [a in A] => softmax(a)                            | softmax[1](A)
softmax columns  | [j < n] => softmax(A[:, j])                       | softmax[1](A.T)
logsumexp rows   | [a in A] => logsumexp(a)                          | logsumexp[1](A)
variance rows    | [a in A] => variance(a)                           | variance[1](A)
normalise        | [a in A] => a/sqrt(sum(a^2))                      | A/sqrt(sum[1, keep](A^2))
cumulative       | [a in A] => cumsum(a)                             | cumsum[1](A)
diagonal         | [i < n] => A[i, i]                                | einsum[(i, i), (i,)](A)
trace            | sum([i < n] => A[i, i])                           | sum(einsum[(i, i), (i,)](A))
add diagonal     | [i < n, j < n] => if i == j then A[i, j] + x[i] else A[i, j] | where(iota[n]()[:, _] == iota[n](), A + x[:, _], A)
diagonal matrix  | [i < n, j < n] => if i == j then x[i] else 0.0    | where(iota[n]()[:, _] == iota[n](), x[:, _], 0)
lower            | [i < n, j < n] => if j <= i then A[i, j] else 0.0 | where(iota[n]() <= iota[n]()[:, _], A, 0)
lower sums       | [i < n] => sum([j < n] => if j <= i then A[i, j] else 0.0) | sum[1](where(iota[n]() <= iota[n]()[:, _], A, 0))
masked sum       | sum([i < n] => if m[i] then x[i] else 0.0)        | sum(where(m, x, 0))
masked log       | [i < n] => if x[i] > 0 then log(x[i]) else 0.0    | where(x > 0, log(x), 0)
piecewise        | [v in x] => if v > 1 then v^2 else 2*v - 1        | where(x > 1, x^2, 2*x - 1)
distances        | [i < n, j < n] => sum([k < 8] => (D[i, k] - D[j, k])^2) | sum[2]((D[:, _] - D)^2)
distances rows   | [a in D, b in D] => norm(a - b)                   | sqrt(sum[2]((D[:, _] - D)^2))
kernel           | [a in D, b in D] => exp(-sum((a - b)^2))          | exp(-sum[2]((D[:, _] - D)^2))
gather           | [i < n] => x[k[i]]                                | x[k]
gather rows      | [i < n] => A[k[i], :]                             | A[k]
gather pairs     | [i < n] => A[k[i], l[i]]                          | A[k, l]
pick             | [i < n] => logsumexp(A[i]) - A[i, k[i]]           | logsumexp[1](A) - reshape[n*n](A)[iota[n]()*n + k]
one hot          | [i < n] => one_hot[n](k[i])                       | one_hot[n](k)
windows          | [i < n - 4] => sum([j < 5] => w[j]*x[i + j])      | x[iota[n - 4]()[:, _] + iota[5]()] @ w
window means     | [i < n - 4] => mean(x[i:i + 5])                   | mean[1](x[iota[n - 4]()[:, _] + iota[5]()])
recurrence       | [a in A] => scan (s = 0.0, v in a) => tanh(s + v) | scan (s = f64[n](0), v in A.T) => tanh(s + v)
newton           | [v in y] => scan (t = 1.0, i < 9) => (t + v/t)/2  | scan (t = f64[n](1), i < 9) => (t + y/t)/2
slopes           | [v in x] => grad(sin(v)*v^2, v)                   | cos(x)*x^2 + 2*x*sin(x)
polynomial       | [v in x] => sum([j < 5] => w[j]*v^j)              | sum[1](w*x[:, _]^iota[5]())
lower of A B.T   | [i < n, j < n] => if j <= i then dot(A[i], B[j]) else 0.0 | where(iota[n]() <= iota[n]()[:, _], A @ B.T, 0)
band of A B.T    | [i < n, j < n] => if abs(i - j) <= 9 then A[i] @ B[j] else 0.0 | where(abs(iota[n]()[:, _] - iota[n]()) <= 9, A @ B.T, 0)
lower A times B  | [i < n, j < n] => sum([k < n] => if k <= i then A[i, k]*B[k, j] else 0.0) | where(iota[n]() <= iota[n]()[:, _], A, 0) @ B
lower kernel     | [i < n, j < n] => if j < i then exp(-sum((D[i] - D[j])^2)) else 0.0 | where(iota[n]() < iota[n]()[:, _], exp(-sum[2]((D[:, _] - D)^2)), 0)
causal attention | [i < n] => softmax([j < n] => if j <= i then dot(A[i], B[j])/12 else -inf) @ C | softmax[1](where(iota[n]() <= iota[n]()[:, _], A @ B.T/12, -inf)) @ C
its gradient     | grad(sum([i < n] => softmax([j < n] => if j <= i then dot(A[i], B[j])/12 else -inf) @ C), B) | grad(sum(softmax[1](where(iota[n]() <= iota[n]()[:, _], A @ B.T/12, -inf)) @ C), B)
"""


def used(text, name):
    return re.search(rf"(?<![\w.]){name}(?![\w])", text)


def lowered(folder, function):
    out = subprocess.run([os.path.join(p.BUILD, "porism"), "explain", folder + "/a.por:" + function, "--stage", "lower"],
                         capture_output=True, text=True).stdout
    return re.sub(r" *#.*", "", out)


def values(name, r):
    def numbers(n):
        return [r.uniform(-1, 1) + (2.0 if name == "y" else 0) for _ in range(n)]
    shape = {"A": (N, N), "B": (N, N), "C": (N, N), "T": (8, N, N), "U": (8, N, N), "w": (5,), "D": (N, 8)}.get(name, (N,))
    count = 1
    for n in shape:
        count *= n
    return shape, numbers(count)


def main():
    table, r = Table("array"), random.Random(1)
    same = 0
    if not numpy:
        table.add("all", 0, None, BOUND)
        return table.done()
    for line in FORMULAS.strip().split("\n"):
        name, ours, direct = (part.strip() for part in line.split("|"))
        names = [v for v in TYPES if used(ours, v) and not (v == "k" and "[k <" in ours) and "type" not in v]
        params = ", ".join(f"{v}: {TYPES[v]}" for v in names)
        text = f"fn a({params}) = {ours}\nfn b({params}) = {direct}\n"
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/a.por", "w") as f:
                f.write(text)
            a, b = lowered(folder, "a"), lowered(folder, "b")
        if a.replace("fn a", "fn b", 1) == b and b:
            same += 1
            table.add(name, 1.0, 1.0, BOUND)
            continue
        try:
            given = []
            for v in names:
                shape, numbers = values(v, r)
                given.append(numpy.array(numbers).reshape(shape))
                if TYPES[v].startswith("i64"):
                    given[-1] = numpy.array([r.randrange(N) for _ in range(N)], dtype=numpy.int64)
                if TYPES[v].startswith("bool"):
                    given[-1] = numpy.array([r.random() < 0.5 for _ in range(N)])
            programs = [p.Program(text, f, p.NATIVE, 1) for f in "ab"]
            outs = []
            for q in programs:
                p.lib.por_call(q.handle, q.frame, len(given), p.arrays(given), 0, p.arrays([]))
                result = p.lib.por_frame_result(q.frame, 0).contents
                shape = tuple(result.shape[i] for i in range(result.ndim))
                kind = {0: numpy.int64, 2: numpy.float64, 6: numpy.bool_}[result.code]
                outs.append(numpy.empty(shape, dtype=kind))
                q.call(given, [outs[-1]])
            if not numpy.allclose(outs[0], outs[1], rtol=1e-10, atol=1e-12, equal_nan=True):
                table.failed(name, "another result")
                continue
            sides = [processor(q.calls(given, [o])) for q, o in zip(programs, outs)]
            t = in_turns(sides, lambda t: t[0] <= BOUND*t[1], least=0.003)
            table.add(name, t[0], t[1], BOUND)
            for q in programs:
                q.free()
        except p.Failed as e:
            table.failed(name, e)
    print(f"{same} of them are the same function as the direct form")
    return table.done()


if __name__ == "__main__":
    sys.exit(main())
