"""Arrays of nothing but shapes and numbers.  In a trace they are nodes where sizes are, or where the trace computes them."""
from __future__ import annotations

import numpy

from .. import _core, nodes, operators
from ..arrays import Array, held, numpy_of, to_numpy
from ..build import current
from ..tree import flatten
from .calls import is_node

__all__ = ["arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace", "meshgrid",
           "ones", "ones_like", "tril", "triu", "zeros", "zeros_like"]


def _here(device):
    if device not in (None, "cpu"):
        raise ValueError(f"device {device!r}: there is \"cpu\"")


def _numpy_dtype(dtype):
    return None if dtype is None else to_numpy(dtype)


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of numbers, lists of them, an array, or what has DLPack or the buffer protocol.

    copy: True makes one, False is an error where one is needed, None shares memory where it can."""
    _here(device)
    if is_node(obj) or isinstance(obj, _core.Size):
        node = obj.node() if isinstance(obj, _core.Size) else obj
        return node if dtype is None or node.dtype == dtype else node.astype(dtype)
    if isinstance(obj, (list, tuple)):
        return _of_list(obj, dtype)
    wanted, a = _numpy_dtype(dtype), numpy_of(obj)
    if not isinstance(a, (numpy.ndarray, numpy.generic)) and hasattr(a, "__dlpack__"):
        a = numpy.from_dlpack(a)
    if copy is False:
        found = numpy.asarray(a)
        if not isinstance(a, numpy.ndarray) and not hasattr(a, "__array__") and not _has_buffer(a):
            raise ValueError(f"copy=False of {obj!r}, whose numbers lie in no memory to share")
        if wanted is not None and found.dtype != wanted:
            raise ValueError(f"copy=False of dtype {found.dtype}, wanted {dtype}")
        return held(found)
    if isinstance(obj, Array) and not copy and (wanted is None or a.dtype == wanted):
        return obj
    return held(numpy.array(a, wanted) if copy else numpy.asarray(a, wanted))


def _has_buffer(x):
    try:
        memoryview(x)
    except TypeError:
        return False
    return True


def _of_list(obj, dtype):
    leaves = flatten(obj)[0]
    if any(is_node(x) or isinstance(x, _core.Size) for x in leaves):
        return nodes.stack([asarray(x, dtype=dtype) for x in obj])
    return held(numpy.asarray(_plain(obj), _numpy_dtype(dtype)))


def _plain(x):
    return [_plain(v) for v in x] if isinstance(x, (list, tuple)) else numpy_of(x)


def _sizes(shape):
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def full(shape, fill_value, *, dtype=None, device=None):
    """An array that holds fill_value everywhere."""
    _here(device)
    sizes = _sizes(shape)
    if current() is not None or is_node(fill_value) or any(isinstance(s, _core.Size) for s in sizes):
        return nodes.full(sizes, numpy_of(fill_value), dtype)
    return held(numpy.full(sizes, numpy_of(fill_value), _numpy_dtype(dtype)))


def zeros(shape, *, dtype=None, device=None):
    """An array of zeros."""
    return full(shape, 0, dtype=dtype or "f64", device=device)


def ones(shape, *, dtype=None, device=None):
    """An array of ones."""
    return full(shape, 1, dtype=dtype or "f64", device=device)


def empty(shape, *, dtype=None, device=None):
    """An array of any numbers: zeros."""
    return zeros(shape, dtype=dtype, device=device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """full(x.shape, fill_value), of the dtype of x."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device)


def zeros_like(x, /, *, dtype=None, device=None):
    """zeros(x.shape), of the dtype of x."""
    return full(x.shape, 0, dtype=dtype or x.dtype, device=device)


def ones_like(x, /, *, dtype=None, device=None):
    """ones(x.shape), of the dtype of x."""
    return full(x.shape, 1, dtype=dtype or x.dtype, device=device)


def empty_like(x, /, *, dtype=None, device=None):
    """zeros_like(x)"""
    return zeros_like(x, dtype=dtype, device=device)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """start, start + step, ... below stop; of one number: 0, 1, ... below it."""
    _here(device)
    first, end = (0, start) if stop is None else (start, stop)
    if not any(isinstance(v, (_core.Size, _core.Node)) for v in (first, end, step)):
        if current() is None:
            return held(numpy.arange(first, end, step, dtype=_numpy_dtype(dtype)))
        return _core.Graph.constant(current(), numpy.arange(first, end, step, dtype=_numpy_dtype(dtype)))
    count = -((first - end)//step) if step != 1 else end - first
    numbers = nodes.arange(count)
    numbers = numbers if step == 1 else numbers*step
    numbers = numbers if isinstance(first, int) and first == 0 else numbers + first
    return numbers if dtype is None else numbers.astype(dtype)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """`num` numbers from start to stop, equally far apart; endpoint: stop is the last of them."""
    _here(device)
    if not any(isinstance(v, (_core.Size, _core.Node)) for v in (start, stop, num)):
        return held(numpy.linspace(start, stop, num, endpoint=endpoint, dtype=_numpy_dtype(dtype)))
    parts = num - 1 if endpoint else num
    numbers = start + (stop - start)*(nodes.arange(num)/parts)
    return numbers if dtype is None else numbers.astype(dtype)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    """1 where column - row is k, else 0."""
    _here(device)
    columns = n_rows if n_cols is None else n_cols
    if not any(isinstance(n, _core.Size) for n in (n_rows, columns)) and current() is None:
        return held(numpy.eye(n_rows, columns, k, dtype=to_numpy(dtype or "f64")))
    row, column = nodes.arange(n_rows), nodes.arange(columns)
    return (column - nodes.expand_dims(row, 1) == k).astype(dtype or "f64")


def from_dlpack(x, /, *, device=None, copy=None):
    """The array of another library, by DLPack; it shares memory unless copy is True."""
    _here(device if device is None or isinstance(device, str) else "cpu")
    a = numpy_of(x) if isinstance(x, (Array, numpy.ndarray)) else numpy.from_dlpack(x)
    return held(a.copy() if copy else a)


def meshgrid(*arrays, indexing="xy"):
    """Arrays of one axis as arrays of one axis for each of them, spread over the others."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing {indexing!r}: there are \"xy\" and \"ij\"")
    if not any(map(is_node, arrays)):
        return [held(a.copy()) for a in numpy.meshgrid(*map(numpy_of, arrays), indexing=indexing)]
    rank = len(arrays)
    order = [1, 0, *range(2, rank)] if indexing == "xy" and rank > 1 else list(range(rank))
    from .manipulation import broadcast_arrays
    placed = [nodes.expand_dims(a, tuple(k for k in range(rank) if k != order[i])) for i, a in enumerate(arrays)]
    return broadcast_arrays(*placed)


def _triangle(x, keep):
    rows, columns = x.shape[-2:]
    row, column = nodes.expand_dims(nodes.arange(rows), 1), nodes.arange(columns)
    zero = nodes.full((), False if x.dtype == "bool" else 0, x.dtype)
    return operators.where(keep(column - row), x, zero)


def tril(x, /, *, k=0):
    """x with zeros above diagonal k of its last two axes."""
    return _triangle(x, lambda d: d <= k) if is_node(x) else held(numpy.tril(numpy_of(x), k))


def triu(x, /, *, k=0):
    """x with zeros below diagonal k of its last two axes."""
    return _triangle(x, lambda d: d >= k) if is_node(x) else held(numpy.triu(numpy_of(x), k))
