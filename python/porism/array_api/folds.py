"""Functions of all elements along axes."""
from __future__ import annotations

import numpy

from .. import nodes, operators
from ..arrays import held, numpy_of, to_numpy
from ..build import axes_of, axis_in, rank_of
from .calls import chosen, common_axis, family, is_node, through_numpy

__all__ = ["all", "any", "argmax", "argmin", "count_nonzero", "cumulative_prod", "cumulative_sum", "diff", "max",
           "mean", "min", "prod", "std", "sum", "var"]


def _complex_fold(name):
    return lambda x, axis, keepdims, *more: getattr(numpy, name)(x, axis=axis, keepdims=keepdims)


def _in(dtype, x):
    """x in this dtype; None: as it is."""
    return x if dtype is None or x.dtype == dtype else x.astype(dtype)


@family(lambda x, axis, keepdims, dtype: numpy.sum(x, axis=axis, keepdims=keepdims, dtype=dtype and to_numpy(dtype)))
def _sum(x, axis, keepdims, dtype):
    return _in(dtype, operators.sum(_in(dtype, x), axis, keepdims))


@family(lambda x, axis, keepdims, dtype: numpy.prod(x, axis=axis, keepdims=keepdims, dtype=dtype and to_numpy(dtype)))
def _prod(x, axis, keepdims, dtype):
    return _in(dtype, operators.prod(_in(dtype, x), axis, keepdims))


@family()
def _max(x, axis, keepdims):
    return operators.max(x, axis, keepdims)


@family()
def _min(x, axis, keepdims):
    return operators.min(x, axis, keepdims)


@family(_complex_fold("mean"))
def _mean(x, axis, keepdims):
    return nodes.mean(x, axis, keepdims)


def _truth(x):
    return x if x.dtype == "bool" else operators.ne(x, 0)


@family(_complex_fold("all"))
def _all(x, axis, keepdims):
    return operators.all(_truth(x), axis, keepdims)


@family(_complex_fold("any"))
def _any(x, axis, keepdims):
    return operators.any(_truth(x), axis, keepdims)


@family(lambda x, axis, keepdims: numpy.sum(x != 0, axis=axis, keepdims=keepdims))
def _count(x, axis, keepdims):
    return operators.sum(_truth(x).astype("i64"), axis, keepdims)


def _deviations(x, axis, correction, keepdims):
    axes, n = axes_of(axis, rank_of(x)), 1
    for k in axes:
        n = n*x.shape[k]
    away = x - nodes.mean(x, axis, True)
    return operators.sum(away*away, axis, keepdims)/_as(operators.maximum(n - correction, 0), x)


def _as(number, x):
    """A number or a node of sizes in the dtype of x."""
    return x.graph.constant(numpy.asarray(number, to_numpy(x.dtype))) if not is_node(number) else number.astype(x.dtype)


@family(lambda x, axis, correction, keepdims: numpy.var(x, axis=axis, ddof=correction, keepdims=keepdims))
def _var(x, axis, correction, keepdims):
    return _deviations(x, axis, correction, keepdims)


@family(lambda x, axis, correction, keepdims: numpy.std(x, axis=axis, ddof=correction, keepdims=keepdims))
def _std(x, axis, correction, keepdims):
    return operators.sqrt(_deviations(x, axis, correction, keepdims))


@chosen
def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    """The sum over axes; None: all.  Small integers are summed in 64 bits."""
    return _sum(common_axis(axis), keepdims, dtype)(x)


@chosen
def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    """The product over axes; None: all.  Small integers are multiplied in 64 bits."""
    return _prod(common_axis(axis), keepdims, dtype)(x)


@chosen
def max(x, /, *, axis=None, keepdims=False):
    """The largest over axes; NaN if one is."""
    return _max(common_axis(axis), keepdims)(x)


@chosen
def min(x, /, *, axis=None, keepdims=False):
    """The smallest over axes; NaN if one is."""
    return _min(common_axis(axis), keepdims)(x)


@chosen
def mean(x, /, *, axis=None, keepdims=False):
    """The mean over axes."""
    return _mean(common_axis(axis), keepdims)(x)


@chosen
def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The sum of squared distances from the mean over n - correction."""
    return _var(common_axis(axis), correction, keepdims)(x)


@chosen
def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    """The square root of var."""
    return _std(common_axis(axis), correction, keepdims)(x)


@chosen
def all(x, /, *, axis=None, keepdims=False):
    """Whether all elements are true, or not 0."""
    return _all(common_axis(axis), keepdims)(x)


@chosen
def any(x, /, *, axis=None, keepdims=False):
    """Whether one element is true, or not 0."""
    return _any(common_axis(axis), keepdims)(x)


@chosen
def count_nonzero(x, /, *, axis=None, keepdims=False):
    """How many elements are not 0."""
    return _count(common_axis(axis), keepdims)(x)


@family()
def _argmax(x, axis, keepdims):
    return operators.argmax(x, axis, keepdims)


@family()
def _argmin(x, axis, keepdims):
    return operators.argmin(x, axis, keepdims)


@chosen
def argmax(x, /, *, axis=None, keepdims=False):
    """The place of the largest along an axis; None: among all in row order."""
    return _argmax(axis, keepdims)(x)


@chosen
def argmin(x, /, *, axis=None, keepdims=False):
    """The place of the smallest along an axis; None: among all in row order."""
    return _argmin(axis, keepdims)(x)


def _along(x, axis):
    if axis is None and rank_of(x) != 1:
        raise ValueError(f"a running sum or product of {rank_of(x)} axes: give the axis")
    return 0 if axis is None else axis_in(axis, rank_of(x))


@family(lambda x, axis, dtype, initial: _running(numpy.cumsum, 0, x, axis, dtype, initial))
def _cumsum(x, axis, dtype, initial):
    y = _in(dtype, operators.cumsum(_in(dtype, x), axis))
    if not initial:
        return y
    shape = tuple(1 if k == axis else n for k, n in enumerate(y.shape))
    return nodes.concatenate([nodes.full(shape, 0, y.dtype), y], axis)


def _running(function, first, x, axis, dtype, initial):
    y = function(x, axis=axis, dtype=to_numpy(dtype) if dtype else None)
    if not initial:
        return y
    shape = tuple(1 if k == axis else n for k, n in enumerate(y.shape))
    return numpy.concatenate([numpy.full(shape, first, y.dtype), y], axis)


@chosen
def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """x[0], x[0] + x[1], ... along an axis; include_initial: after a 0."""
    return _cumsum(_along(x, axis), dtype, include_initial)(x)


@through_numpy("no operator has running products")
def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """x[0], x[0]*x[1], ... along an axis; include_initial: after a 1."""
    return _running(numpy.cumprod, 1, x, _along(x, axis), dtype, include_initial)


@family(lambda x, axis, n: numpy.diff(x, n, axis))
def _diff(x, axis, n):
    for _ in range(n):
        before = (slice(None),)*axis
        x = x[before + (slice(1, None),)] - x[before + (slice(None, -1),)]
    return x


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """x[1] - x[0], x[2] - x[1], ... along an axis, n times; with arrays before and after it."""
    from .manipulation import concat
    parts = [p for p in (prepend, x, append) if p is not None]
    axis = axis_in(axis, rank_of(x))
    whole = concat(parts, axis=axis) if len(parts) > 1 else x
    if isinstance(whole.shape[axis], int) and whole.shape[axis] <= n or not is_node(whole):
        if not is_node(whole) and (whole.shape[axis] <= n or whole.dtype == "bool"):
            return held(numpy.diff(numpy_of(whole), n, axis))
    return _diff(axis, n)(whole)
