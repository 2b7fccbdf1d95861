"""Linear algebra: products, norms, QR and what it solves by operators of the graph; other decompositions through NumPy."""
from __future__ import annotations

import collections

import numpy

from .. import nodes, operators
from ..arrays import held, numpy_of
from ..build import axis_in, rank_of
from . import folds
from .calls import chosen, common_axis, family, is_node, small, through_numpy
from .dtypes import result_type
from .manipulation import astype, matrix_transpose, permute_dims, reshape

__all__ = ["cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
           "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot",
           "vector_norm"]

inf = float("inf")
_WHY = "no operator decomposes a matrix so"
QR = collections.namedtuple("QRResult", "Q R")
EIGH = collections.namedtuple("EighResult", "eigenvalues eigenvectors")
SLOGDET = collections.namedtuple("SlogdetResult", "sign logabsdet")
SVD = collections.namedtuple("SVDResult", "U S Vh")


# ---- products ----


@small(numpy.matmul, weak=-1)
def matmul(x1, x2, /):
    """x1 @ x2: matrices in the last two axes, batches before them."""
    return nodes.matmul(x1, x2)


def outer(x1, x2, /):
    """x1[i]*x2[j]"""
    return reshape(x1, (-1, 1))*reshape(x2, (1, -1))


@small(lambda x, y: numpy.sum(numpy.conj(x)*y, axis=-1), weak=-1)
def _vecdot(x, y):
    return operators.sum(x*y, -1).astype(result_type(x, y))


def vecdot(x1, x2, /, *, axis=-1):
    """The sum of conj(x1)*x2 along an axis, counted from the end."""
    if not -min(rank_of(x1), rank_of(x2)) <= axis < 0:
        raise ValueError(f"vecdot along axis {axis}: it is counted from the end, and both arrays have it")
    ours, theirs = x1.shape[axis], x2.shape[axis]
    if isinstance(ours, int) and isinstance(theirs, int) and ours != theirs:
        raise ValueError(f"vecdot of axes of {ours} and {theirs} elements")
    if axis != -1:
        x1, x2 = (_last(x, axis) for x in (x1, x2))
    return _vecdot(x1, x2)


def _last(x, axis):
    from .manipulation import moveaxis
    return moveaxis(x, axis, -1)


def tensordot(x1, x2, /, *, axes=2):
    """The sum of products over pairs of axes: the last `axes` of x1 with the first of x2, or those of two lists."""
    a, b = rank_of(x1), rank_of(x2)
    ours, theirs = (tuple(range(a - axes, a)), tuple(range(axes))) if isinstance(axes, int) else map(tuple, axes)
    ours, theirs = tuple(axis_in(k, a) for k in ours), tuple(axis_in(k, b) for k in theirs)
    left, right = [k for k in range(a) if k not in ours], [k for k in range(b) if k not in theirs]
    shape = tuple(x1.shape[k] for k in left) + tuple(x2.shape[k] for k in right)
    x = permute_dims(x1, (*left, *ours))
    y = permute_dims(x2, (*theirs, *right))
    x = reshape(x, (_count(x1, left), _count(x1, ours)))
    y = reshape(y, (_count(x2, theirs), _count(x2, right)))
    return reshape(matmul(x, y), shape)


def _count(x, axes):
    n = 1
    for k in axes:
        n = n*x.shape[k]
    return n


@small(lambda a, b: numpy.cross(a, b), weak=-1)
def _cross(a, b):
    def part(i, j):
        return a[..., i]*b[..., j] - a[..., j]*b[..., i]
    parts = [part(1, 2), part(2, 0), part(0, 1)]
    return nodes.concatenate([nodes.expand_dims(p, p.ndim) for p in parts], parts[0].ndim)


def _of_three(x, axis):
    """x, of whose axis the call checks that it has three elements where the trace does not know."""
    if isinstance(x.shape[axis], int):
        return x
    axis %= x.ndim
    return nodes.reshape(x, (*x.shape[:axis], 3, *x.shape[axis + 1:]))


def cross(x1, x2, /, *, axis=-1):
    """The vector product of vectors of three elements along an axis."""
    if any(x.shape[axis] != 3 for x in (x1, x2) if isinstance(x.shape[axis], int)):
        raise ValueError(f"cross of axes of {x1.shape[axis]} and {x2.shape[axis]} elements: vectors have three")
    x1, x2 = (_of_three(x, axis) for x in (x1, x2))
    if axis in (-1, rank_of(x1) - 1) and rank_of(x1) == rank_of(x2):
        return _cross(x1, x2)
    from .manipulation import moveaxis
    return moveaxis(_cross(moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)), -1, axis)


# ---- parts and norms ----


def diagonal(x, /, *, offset=0):
    """The elements of the last two axes whose column - row is offset."""
    if not is_node(x):
        return held(numpy.diagonal(numpy_of(x), offset, -2, -1))
    rows, columns = x.shape[-2:]
    if not isinstance(rows, int) or not isinstance(columns, int):
        if offset or rows is not columns and not _same(rows, columns):
            raise TypeError("diagonal of a matrix whose sizes the trace does not know: of squares at offset 0 alone")
        place = nodes.arange(rows)
        return x[..., place, place]
    n = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    place = nodes.arange(n)
    return x[..., place + max(-offset, 0), place + max(offset, 0)]


def _same(a, b):
    answer = a == b
    return answer is True


def trace(x, /, *, offset=0, dtype=None):
    """The sum of the diagonal."""
    return folds.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def _norm(x, axis, keepdims, ord):
    size = operators.abs(x)
    if ord == 0:
        return operators.sum(operators.ne(x, 0).astype(size.dtype), axis, keepdims)
    if ord in (inf, -inf):
        return (operators.max if ord > 0 else operators.min)(size, axis, keepdims)
    if ord == 1:
        return operators.sum(size, axis, keepdims)
    if ord == 2:
        return operators.sqrt(operators.sum(size*size, axis, keepdims))
    return operators.sum(size**float(ord), axis, keepdims)**(1/float(ord))


def _complex_norm(x, axis, keepdims, ord):
    flat = x.reshape(-1) if axis is None else x
    y = numpy.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord) if hasattr(numpy.linalg, "vector_norm") else \
        numpy.linalg.norm(flat, ord, axis if axis is not None else 0, keepdims)
    return y.astype(x.real.dtype)


@family(_complex_norm)
def _vector_norm(x, axis, keepdims, ord):
    return _norm(x, axis, keepdims, ord)


@chosen
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """(sum of |x|^ord)^(1/ord) over axes; of ord inf the largest, -inf the smallest, 0 how many are not 0."""
    return _vector_norm(common_axis(axis), keepdims, ord)(x)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """The norm of the last two axes: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    axes = (rank_of(x) - 2, rank_of(x) - 1)
    if ord is None or ord == "fro":
        return vector_norm(x, axis=axes, keepdims=keepdims)
    if ord in ("nuc", 2, -2):
        return _spectral_norm(x, keepdims, ord)
    one, other = (axes[0], axes[1]) if ord in (1, -1) else (axes[1], axes[0])
    sums = vector_norm(x, axis=one, keepdims=True, ord=1)
    norm = (folds.max if ord > 0 else folds.min)(sums, axis=other, keepdims=True)
    return norm if keepdims else reshape(norm, tuple(norm.shape)[:-2])


@through_numpy(_WHY, "`matrix_norm` of ord \"nuc\", 2, -2")
def _spectral_norm(x, keepdims, ord):
    s = numpy.linalg.svd(x, compute_uv=False)
    y = s.sum(-1) if ord == "nuc" else s.max(-1) if ord == 2 else s.min(-1)
    return y[..., None, None] if keepdims else y


# ---- QR, and what it solves ----


@small(lambda x: numpy.linalg.qr(x), weak=-1)
def _qr(x):
    return nodes.qr(x)


@through_numpy(_WHY, "`qr` of mode \"complete\", or of more columns than rows")
def _qr_otherwise(x, mode):
    return tuple(numpy.linalg.qr(x, mode))


def qr(x, /, *, mode="reduced"):
    """x = q @ r, q with orthonormal columns, r upper triangular."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode {mode!r}: there are \"reduced\" and \"complete\"")
    wide = not is_node(x) and x.shape[-2] < x.shape[-1]
    return QR(*(_qr_otherwise(x, mode) if wide or mode == "complete" else _qr(x)))


@small(lambda a, b: _numpy_solve(a, b), weak=-1)
def _solve(a, b):
    q, r = nodes.qr(a)
    turned = nodes.transpose(q, (*range(q.ndim - 2), q.ndim - 1, q.ndim - 2))
    return nodes.tri_solve(r, nodes.matmul(turned, b), lower=False)


def _numpy_solve(a, b):
    return numpy.linalg.solve(a, b[..., None])[..., 0] if b.ndim == 1 else numpy.linalg.solve(a, b)


def solve(x1, x2, /):
    """z with x1 @ z = x2, by QR; x2 a vector, or matrices."""
    dtype = result_type(x1, x2)
    x1, x2 = astype(x1, dtype, copy=False), astype(x2, dtype, copy=False)
    if rank_of(x2) == 1 and rank_of(x1) > 2 or rank_of(x2) > 1 and tuple(x1.shape[:-2]) != tuple(x2.shape[:-2]):
        x1, x2 = _batched(x1, x2)
    return _solve(x1, x2)


def _batched(x1, x2):
    from .manipulation import _shape_of_all, broadcast_to
    if rank_of(x2) == 1:
        return x1, broadcast_to(x2, tuple(x1.shape[:-2]) + tuple(x2.shape))
    batch = _shape_of_all([_Shape(x1.shape[:-2]), _Shape(x2.shape[:-2])]) if rank_of(x1) + rank_of(x2) > 4 else ()
    return tuple(broadcast_to(x, tuple(batch) + tuple(x.shape[-2:])) for x in (x1, x2))


class _Shape:
    def __init__(self, shape):
        self.shape = self.sizes = tuple(shape)


def inv(x, /):
    """The inverse, by QR."""
    from .creation import eye
    from .manipulation import broadcast_to
    one = eye(x.shape[-1], dtype=x.dtype)
    return _solve(x, broadcast_to(one, x.shape) if rank_of(x) > 2 else one)


def matrix_power(x, n, /):
    """x @ x @ ... n times; n below 0: of the inverse."""
    from .creation import eye
    from .manipulation import broadcast_to
    if n == 0:
        return broadcast_to(eye(x.shape[-1], dtype=x.dtype), x.shape)
    x, n = (inv(x), -n) if n < 0 else (x, n)
    power = None
    while n:
        if n & 1:
            power = x if power is None else matmul(power, x)
        n >>= 1
        x = matmul(x, x) if n else x
    return power


# ---- through NumPy ----


@through_numpy(_WHY)
def cholesky(x, /, *, upper=False):
    """The lower triangle l with l @ l.T = x; upper: its transpose."""
    y = numpy.linalg.cholesky(x)
    return numpy.conj(y.swapaxes(-1, -2)) if upper else y


@through_numpy(_WHY)
def det(x, /):
    """The determinant."""
    return numpy.linalg.det(x)


@through_numpy(_WHY)
def slogdet(x, /):
    """The sign and the logarithm of the size of the determinant."""
    return SLOGDET(*numpy.linalg.slogdet(x))


@through_numpy(_WHY)
def eigh(x, /):
    """Eigenvalues in ascending order and eigenvectors of symmetric matrices."""
    return EIGH(*numpy.linalg.eigh(x))


@through_numpy(_WHY)
def eigvalsh(x, /):
    """Eigenvalues of symmetric matrices in ascending order."""
    return numpy.linalg.eigvalsh(x)


@through_numpy(_WHY)
def svd(x, /, *, full_matrices=True):
    """u, s, vh with x = u @ diag(s) @ vh."""
    return SVD(*numpy.linalg.svd(x, full_matrices=full_matrices))


@through_numpy(_WHY)
def svdvals(x, /):
    """Singular values in descending order."""
    return numpy.linalg.svd(x, compute_uv=False)


def _least(s, shape, rtol):
    rtol = max(shape[-2:])*numpy.finfo(s.dtype).eps if rtol is None else rtol
    return s.max(-1, keepdims=True, initial=0)*numpy.asarray(rtol)[..., None]


@through_numpy(_WHY)
def matrix_rank(x, /, *, rtol=None):
    """How many singular values are above rtol times the largest."""
    s = numpy.linalg.svd(x, compute_uv=False)
    return (s > _least(s, x.shape, rtol)).sum(-1)


@through_numpy(_WHY)
def pinv(x, /, *, rtol=None):
    """The pseudoinverse, of singular values above rtol times the largest."""
    rtol = max(x.shape[-2:])*numpy.finfo(x.dtype).eps if rtol is None else rtol
    return numpy.linalg.pinv(x, rtol)
