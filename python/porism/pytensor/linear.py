"""Decompositions: small ones, and those that are to be differentiated here, run in the program; others are LAPACK's."""
from __future__ import annotations

import numpy
from scipy.linalg import lapack

from ..nodes import transpose, tri_solve
from .arrays import on, with_sizes
from .scalars import Missing, cast

SMALL = 24                              # rows: below, leaving the program costs more than LAPACK saves
TEXTS = {
    "cholesky": "use solve\nfn f(A: {0}[n, n]) =\n    let L = solve.cholesky(A)\n"
                "    in where(all([i < n] => L[i, i] == L[i, i]), L, nan)\n",
    "linear": "use solve\nfn f(A: {0}[n, n], b: {0}[n]) = solve.linear(A, b)\n",
    "linears": "fn f(A: {0}[n, n], B: {0}[n, m]) = let (Q, R) = qr(A) in tri_solve[upper](R, Q.T @ B)\n",
    "inverse": "use solve\nfn f(A: {0}[n, n]) = solve.inverse(A)\n",
    "regular": "fn f(A: {0}[n, n]) = let (Q, R) = qr(A) in all([i < n] => R[i, i] != 0)\n"}


def solved(t, name, *nodes):
    """What a function of the notation gives of nodes."""
    text = TEXTS[name].format(nodes[0].dtype)
    return t.graph.load_text(text, "<linear>").function("f", {}).invoke(tuple(nodes))


def square(t, op, x):
    """A matrix that is worked on here, with its two sizes as one."""
    if x.ndim != 2 or x.dtype not in ("f64", "f32"):
        raise Missing(f"{type(op).__name__} of {x.type}")
    n = t.equal(x.shape[0], x.shape[1])
    if not t.everything and not (isinstance(n, int) and n <= SMALL):
        raise Missing(f"{type(op).__name__} of {n} rows, where LAPACK is faster")
    return with_sizes(x, (n, n)), n


@on("Cholesky")
def _(t, op, node, a):
    x, n = square(t, op, cast(a[0], node.outputs[0].type.dtype))
    lower = solved(t, "cholesky", x if op.lower else transpose(x))
    return lower if op.lower else transpose(lower)


@on("CholeskySolve", "CholeskySolve1D", "CholeskySolve2D")
def _(t, op, node, a):
    out = node.outputs[0].type.dtype
    x, b = cast(a[0], out), cast(a[1], out)
    if x.ndim != 2 or b.ndim not in (1, 2) or b.ndim != getattr(op, "b_ndim", b.ndim) or x.dtype not in ("f64", "f32"):
        raise Missing("CholeskySolve of batches")
    n = t.equal(t.equal(x.shape[0], x.shape[1]), b.shape[0])
    x, b = with_sizes(x, (n, n)), with_sizes(b, (n,) + b.shape[1:])
    lower = x if op.lower else transpose(x)
    return tri_solve(lower, tri_solve(lower, b, lower=True), lower=True, turned=True)


def checked(t, x):
    t.check(solved(t, "regular", x), numpy.linalg.LinAlgError, "Singular matrix")


@on("MatrixInverse")
def _(t, op, node, a):
    x, _n = square(t, op, cast(a[0], node.outputs[0].type.dtype))
    checked(t, x)
    return solved(t, "inverse", x)


@on("Solve")
def _(t, op, node, a):
    out = node.outputs[0].type.dtype
    b = cast(a[1], out)
    if op.assume_a not in ("gen", "pos", "sym") or b.ndim != op.b_ndim or b.ndim not in (1, 2):
        raise Missing("Solve of another kind of matrix, or of batches")
    if op.assume_a != "gen":
        raise Missing("Solve that reads a half of its matrix")
    x, n = square(t, op, cast(a[0], out))
    n = t.equal(n, b.shape[0])
    checked(t, x)
    return solved(t, "linear" if b.ndim == 1 else "linears", with_sizes(x, (n, n)), with_sizes(b, (n,) + b.shape[1:]))


def cholesky(node):
    """Cholesky's perform without what it looks up at each call; None: as PyTensor does it."""
    potrf = {"float64": lapack.dpotrf, "float32": lapack.spotrf}.get(node.inputs[0].type.dtype)
    upper = not node.op.lower

    def run(x):
        n, m = x.shape
        if n != m or not n:
            return None
        found, info = potrf(x.T, upper, 1)          # in the order of rows; zeros in the other half
        if info:
            found[...] = numpy.nan
        return (found.T,)
    return potrf and run


QUICK = {"Cholesky": cholesky}
