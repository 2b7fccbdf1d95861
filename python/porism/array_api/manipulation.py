"""The same elements elsewhere: of arrays NumPy's views of their memory, of nodes operators of the graph; indices; sorting
and sets, which go through NumPy."""
from __future__ import annotations

import collections

import numpy

from .. import indices, nodes
from ..arrays import held, numpy_of, to_numpy
from ..build import axis_in, rank_of
from .calls import is_node, through_numpy
from .dtypes import dtype_of, result_type

__all__ = ["astype", "broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "matrix_transpose", "moveaxis",
           "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "take", "take_along_axis", "tile", "unstack",
           "argsort", "nonzero", "searchsorted", "sort", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


def astype(x, dtype, /, *, copy=True, device=None):
    """x with elements of another dtype; copy=False: x itself where it has that dtype."""
    if is_node(x):
        return x if x.dtype == dtype else x.astype(dtype)
    if str(x.dtype)[0] == "c" and str(dtype_of(dtype))[0] != "c":
        raise TypeError(f"astype of {x.dtype} to {dtype}: write real(x) or imag(x)")
    if not copy and x.dtype == dtype:
        return x
    with numpy.errstate(all="ignore"):
        return held(numpy_of(x).astype(to_numpy(dtype)))


def _shape_of_all(arrays):
    """The shape that arrays of these shapes have together."""
    rank = max(rank_of(x) for x in arrays)
    shape = [1]*rank
    for x in arrays:
        for k, n in enumerate(x.shape, rank - rank_of(x)):
            if isinstance(shape[k], int) and shape[k] == 1:
                shape[k] = n
    return tuple(shape)


def broadcast_arrays(*arrays):
    """Arrays spread to the shape that they have together."""
    if any(map(is_node, arrays)):
        shape = _shape_of_all(arrays)
        return [broadcast_to(x, shape) for x in arrays]
    return [held(a) for a in numpy.broadcast_arrays(*map(numpy_of, arrays))]


def broadcast_to(x, /, shape):
    """x spread to this shape."""
    if is_node(x):
        return nodes.broadcast_to(x, tuple(shape))
    return held(numpy.broadcast_to(numpy_of(x), tuple(shape)))


def _with(arrays):
    """Arrays, all nodes if one is, of one dtype."""
    arrays = tuple(arrays)
    of = next((a for a in arrays if is_node(a)), None)
    if of is None:
        return arrays, False
    dtype = result_type(*arrays)
    return tuple(astype(a if is_node(a) else of.graph.constant(numpy_of(a)), dtype) for a in arrays), True


def concat(arrays, /, *, axis=0):
    """Arrays one after another along an axis; None: their elements in row order."""
    arrays, traced = _with(arrays)
    if axis is None:
        arrays, axis = tuple(reshape(a, (-1,)) for a in arrays), 0
    return nodes.concatenate(arrays, axis) if traced else held(numpy.concatenate([numpy_of(a) for a in arrays], axis))


def stack(arrays, /, *, axis=0):
    """Arrays of one shape along a new axis."""
    arrays, traced = _with(arrays)
    if traced:
        axis = axis_in(axis, rank_of(arrays[0]) + 1)
        return nodes.concatenate([nodes.expand_dims(a, axis) for a in arrays], axis)
    return held(numpy.stack([numpy_of(a) for a in arrays], axis))


def unstack(x, /, *, axis=0):
    """The arrays along an axis, a tuple."""
    x = moveaxis(x, axis, 0)
    if not isinstance(x.shape[0], int):
        raise TypeError("unstack along an axis whose size the trace does not know: write porism.scan or porism.vmap")
    return tuple(x[i] for i in range(x.shape[0]))


def expand_dims(x, /, axis=0):
    """x with a new axis of size 1 at this place."""
    rank = rank_of(x)
    if not -rank - 1 <= axis <= rank:
        raise IndexError(f"axis {axis} of an array of {rank + 1} axes")
    return nodes.expand_dims(x, axis) if is_node(x) else held(numpy.expand_dims(numpy_of(x), axis))


def squeeze(x, /, axis):
    """x without these axes, which have size 1."""
    return nodes.squeeze(x, axis) if is_node(x) else held(numpy.squeeze(numpy_of(x), axis))


def flip(x, /, *, axis=None):
    """x backwards along these axes; None: along all."""
    return nodes.flip(x, axis) if is_node(x) else held(numpy.flip(numpy_of(x), axis))


def permute_dims(x, /, axes):
    """Axis j of the result is axis axes[j] of x."""
    return nodes.transpose(x, axes) if is_node(x) else held(numpy.transpose(numpy_of(x), axes))


def matrix_transpose(x, /):
    """x with its last two axes turned."""
    if rank_of(x) < 2:
        raise ValueError(f"matrix_transpose of {rank_of(x)} axes: it turns the last two")
    return permute_dims(x, (*range(rank_of(x) - 2), rank_of(x) - 1, rank_of(x) - 2))


def moveaxis(x, source, destination, /):
    """x with axes moved to other places."""
    rank = rank_of(x)
    given = [(axis_in(a, rank), axis_in(b, rank)) for a, b in zip(_axes(source), _axes(destination), strict=True)]
    order = [k for k in range(rank) if k not in [a for a, _ in given]]
    for a, b in sorted(given, key=lambda pair: pair[1]):
        order.insert(b, a)
    return permute_dims(x, tuple(order))


def _axes(axis):
    return (axis,) if isinstance(axis, int) else tuple(axis)


def reshape(x, /, shape, *, copy=None):
    """The same elements in row order with other sizes; one size may be -1, which the others give."""
    if is_node(x):
        return nodes.reshape(x, shape)
    a = numpy.reshape(numpy_of(x), shape)
    if copy is False and not numpy.shares_memory(a, numpy_of(x)) and a.size:
        raise ValueError("reshape with copy=False of an array whose elements do not lie in row order")
    return held(a.copy() if copy and numpy.shares_memory(a, numpy_of(x)) else a)


def repeat(x, repeats, /, *, axis=None):
    """Each element of an axis so many times; axis None: of all elements in row order."""
    if not is_node(x):
        return held(numpy.repeat(numpy_of(x), numpy_of(repeats), axis))
    if not isinstance(repeats, int):
        raise TypeError("repeat of a traced value by an array: the size of the result is not known; repeat by one int")
    x, axis = (reshape(x, (-1,)), 0) if axis is None else (x, axis_in(axis, rank_of(x)))
    shape, wide = list(x.shape), list(x.shape)
    wide.insert(axis + 1, repeats)
    spread = nodes.broadcast_to(nodes.expand_dims(x, axis + 1), tuple(wide))
    shape[axis] = shape[axis]*repeats
    return nodes.reshape(spread, tuple(shape))


def roll(x, /, shift, *, axis=None):
    """x with its elements moved along axes, what leaves at one end coming in at the other."""
    if not is_node(x):
        return held(numpy.roll(numpy_of(x), shift, axis))
    if axis is None:
        return reshape(roll(reshape(x, (-1,)), shift, axis=0), x.shape)
    for s, a in zip(_axes(shift)*(len(_axes(axis)) if isinstance(shift, int) else 1), _axes(axis)):
        a = axis_in(a, rank_of(x))
        n = x.shape[a]
        place = (nodes.arange(n) - s) % n
        x = indices.take(x, (slice(None),)*a + (place,))
    return x


def tile(x, repetitions, /):
    """x side by side with itself, so many times along each axis."""
    if not is_node(x):
        return held(numpy.tile(numpy_of(x), repetitions))
    rank = max(rank_of(x), len(repetitions))
    times = (1,)*(rank - len(repetitions)) + tuple(repetitions)
    x = nodes.reshape(x, (1,)*(rank - rank_of(x)) + tuple(x.shape))
    for axis, n in enumerate(times):
        x = x if n == 1 else concat([x]*n, axis=axis) if n else x[(slice(None),)*axis + (slice(0, 0),)]
    return x


def take(x, indices_, /, *, axis=None):
    """The elements of x along an axis at these places."""
    if axis is None:
        if rank_of(x) != 1:
            raise ValueError(f"take of an array of {rank_of(x)} axes: give the axis")
        axis = 0
    if not is_node(x) and not is_node(indices_):
        return held(numpy.take(numpy_of(x), numpy_of(indices_), axis))
    return indices.take(x if is_node(x) else numpy_of(x), (slice(None),)*axis_in(axis, rank_of(x)) + (numpy_of(indices_),))


def take_along_axis(x, indices_, /, *, axis=-1):
    """The elements of x at places along an axis, a place for each element of the result."""
    if not is_node(x) and not is_node(indices_):
        return held(numpy.take_along_axis(numpy_of(x), numpy_of(indices_), axis))
    rank, axis = rank_of(x), axis_in(axis, rank_of(x))
    index = []
    for k in range(rank):
        if k == axis:
            index.append(numpy_of(indices_))
            continue
        here = nodes.arange(x.shape[k])
        index.append(nodes.expand_dims(here, tuple(j for j in range(rank) if j != k)))
    shape = tuple(indices_.shape[k] if k == axis else x.shape[k] for k in range(rank))
    return indices.take(x, tuple(nodes.broadcast_to(i, shape) for i in index))


# ---- through NumPy ----


@through_numpy("no operator sorts; porism.top_k has the largest")
def sort(x, /, *, axis=-1, descending=False, stable=True):
    """x in ascending order along an axis."""
    y = numpy.sort(x, axis, kind="stable" if stable else None)
    return numpy.flip(y, axis) if descending else y


@through_numpy("no operator sorts; porism.top_k has the largest and their places")
def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The places of the elements of x in ascending order along an axis."""
    if not descending:
        return numpy.argsort(x, axis, kind="stable" if stable else None)
    places = numpy.argsort(numpy.flip(x, axis), axis, kind="stable" if stable else None)
    return (x.shape[axis] if x.ndim else 1) - 1 - numpy.flip(places, axis)


@through_numpy("no operator searches what is sorted")
def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """The places in x1, which is ascending, where the elements of x2 belong."""
    return numpy.searchsorted(x1, x2, side, sorter).astype("int64")


@through_numpy("the sizes of its results are not known before; the notation's `nonzero` has masks of one axis")
def nonzero(x, /):
    """The places of elements that are not 0, an array for each axis."""
    if x.ndim == 0:
        raise ValueError("nonzero of an array without axes")
    return tuple(p.astype("int64") for p in numpy.nonzero(x))


ALL = collections.namedtuple("unique_all_result", "values indices inverse_indices counts")
COUNTS = collections.namedtuple("unique_counts_result", "values counts")
INVERSE = collections.namedtuple("unique_inverse_result", "values inverse_indices")
_SETS = "the sizes of its results are not known before; the notation's `unique` has arrays of one axis"


def _unique(x):
    values, first, inverse, counts = numpy.unique(x.reshape(-1), return_index=True, return_inverse=True, return_counts=True,
                                                  equal_nan=False)
    return values, first.astype("int64"), inverse.reshape(x.shape).astype("int64"), counts.astype("int64")


@through_numpy(_SETS)
def unique_all(x, /):
    """The different elements, where each is first, which of them every element is, and how many there are."""
    return ALL(*_unique(x))


@through_numpy(_SETS)
def unique_counts(x, /):
    """The different elements, and how many there are of each."""
    return COUNTS(*_unique(x)[::3])


@through_numpy(_SETS)
def unique_inverse(x, /):
    """The different elements, and which of them every element is."""
    return INVERSE(*_unique(x)[::2])


@through_numpy(_SETS)
def unique_values(x, /):
    """The different elements."""
    return numpy.unique(x.reshape(-1), equal_nan=False)
