"""Decompositions: small ones, and those that are to be differentiated here, run in the program; others are LAPACK's."""
from __future__ import annotations

import numpy
from scipy.linalg import lapack

from .. import _core
from ..indices import take
from ..nodes import transpose, tri_solve
from . import sizes
from .arrays import on, with_sizes
from .scalars import Missing, cast

SMALL, SWAPPED = 24, 16                 # rows: below, a call of Python costs more than LAPACK saves; of rows swapped
LU = """use solve

# Both triangles, and with which row LAPACK swaps each.
fn lu(A: T[n, n]) =
    scan (LU = A, swaps = iota[n](), j < n) =>
        let i = iota[n]()
        let k = argmax(where(i >= j, abs(LU[:, j]), -1))
        let B = LU with [j] = LU[k] with [k] = LU[j]
        let p = B[j, j]
        let v = where(i > j, B[:, j]/where(p == 0, 1, p), 0)
        in {LU = (B - outer(v, where(i > j, B[j], 0))) with [:, j] = where(i > j, v, B[:, j]), swaps = swaps with [j] = k}
fn lower(A: T[n, n]) = [i < n, j < n] => where(i > j, A[i, j], where(i == j, 1, 0))
fn upper(A: T[n, n]) = [i < n, j < n] => where(i > j, 0, A[i, j])
fn diagonal(A: T[n, n]) = [i < n] => A[i, i]
fn parity(F) = prod(where(F.swaps == iota[len(F.swaps)](), 1, -1))
fn slopes(A: T[n, n], dA) = sum(solve.inverse(A).T*dA)

# From L @ U to the rows of A: where each of those stands; and back.
fn places(swaps: i64[n]) = let q = order(swaps) in scatter_set[0](q, q, iota[n]())
fn order(swaps: i64[n]) =
    scan (p = iota[n](), j < n) => let k = swaps[j] in p with [j] = p[k] with [k] = p[j]

"""
TEXTS = {
    "cholesky": "use solve\nfn f(A: {0}[n, n]) =\n    let L = solve.cholesky(A)\n"
                "    in where(all([i < n] => L[i, i] == L[i, i]), L, nan)\n",
    "linear": "use solve\nfn f(A: {0}[n, n], b: {0}[n]) = solve.linear(A, b)\n",
    "linears": "fn f(A: {0}[n, n], B: {0}[n, m]) = let (Q, R) = qr(A) in tri_solve[upper](R, Q.T @ B)\n",
    "inverse": "use solve\nfn f(A: {0}[n, n]) = solve.inverse(A)\n",
    "regular": "fn f(A: {0}[n, n]) = let (Q, R) = qr(A) in all([i < n] => R[i, i] != 0)\n",
    "factor": LU + "fn f(A: {0}[n, n]) =\n    let F = lu(A)\n"
                   "    in (where(all(diagonal(F.LU) != 0), F.LU, nan), F.swaps)\n",
    "triangles": LU + "fn f(A: {0}[n, n]) = let F = lu(A) in (places(F.swaps), lower(F.LU), upper(F.LU))\n",
    "order": LU + "fn f(swaps: i64[n]) = order(swaps)\n",
    "places": LU + "fn f(swaps: i64[n]) = places(swaps)\n",
    "det": LU + "fn det(A: T[n, n]) = let F = lu(A) in parity(F)*prod(diagonal(F.LU))\n"
                "fn f(A: {0}[n, n]) = with_derivative(det, (A, d, dA) => d*slopes(A, dA))(A)\n",
    "log_det": LU + "fn log_det(A: T[n, n]) = sum(log(abs(diagonal(lu(A).LU))))\n"
                    "fn f(A: {0}[n, n]) = with_derivative(log_det, (A, d, dA) => slopes(A, dA))(A)\n",
    "det_sign": LU + "fn f(A: {0}[n, n]) = let F = lu(A) in parity(F)*prod(sign(diagonal(F.LU)))\n"}


def solved(t, name, *nodes):
    """What a function of the notation gives of nodes."""
    text = TEXTS[name].replace("{0}", nodes[0].dtype)
    return t.graph.load_text(text, "<linear>").function("f", {}).invoke(tuple(nodes))


def results(t, name, *nodes):
    node = solved(t, name, *nodes)
    return [_core.get(node, i) for i in range(node.count)]


def square(t, op, x, most=SMALL):
    """A matrix that is worked on here, with its two sizes as one."""
    if x.ndim != 2 or x.dtype not in ("f64", "f32"):
        raise Missing(f"{type(op).__name__} of {x.type}")
    n = t.equal(x.shape[0], x.shape[1])
    if not t.everything and not (isinstance(n, int) and n <= most):
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


def known_square(t, op, x):
    """The matrix of a factorisation, which is known to have as many columns as rows."""
    if not all(map(sizes.same, x.shape, x.shape[::-1])):
        raise Missing(f"{type(op).__name__} of {x.type}")
    return square(t, op, x, SWAPPED)[0]


@on("Det")
def _(t, op, node, a):
    return solved(t, "det", square(t, op, cast(a[0], node.outputs[0].type.dtype), SWAPPED)[0])


@on("SLogDet")
def _(t, op, node, a):
    x = square(t, op, cast(a[0], node.outputs[0].type.dtype), SWAPPED)[0]
    return [solved(t, "det_sign", x), solved(t, "log_det", x)]


@on("LUFactor")
def _(t, op, node, a):
    factors, swaps = results(t, "factor", known_square(t, op, a[0]))
    return [factors, cast(swaps, "int32")]


@on("LU")
def _(t, op, node, a):
    places, lower, upper = results(t, "triangles", known_square(t, op, cast(a[0], node.outputs[-1].type.dtype)))
    if op.permute_l:
        return [take(lower, (places,)), upper]
    if op.p_indices:
        return [cast(places, "int32"), lower, upper]
    unit = t.graph.parse("eye[n]()", ("n",), (sizes.node(t.graph, a[0].shape[0]),))
    return [cast(take(unit, (places,)), node.outputs[0].type.dtype), lower, upper]


@on("PivotToPermutations")
def _(t, op, node, a):
    return solved(t, "order" if op.inverse else "places", cast(a[0], "int64"))


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
