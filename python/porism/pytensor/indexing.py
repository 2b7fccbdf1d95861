"""x[...] and changed copies as PyTensor means them: bounds are cut to the axis, numbers below 0 count from the end, of
arrays of indices too, and axes lie where NumPy puts them."""
from __future__ import annotations

import numpy
from pytensor.graph.basic import Constant
from pytensor.tensor.subtensor import indices_from_subtensor
from pytensor.tensor.type_other import NoneTypeT

from .. import operators
from ..build import build
from ..indices import add_at, put, take
from ..nodes import expand_dims, flip
from . import sizes
from .arrays import cut, on, spread, with_sizes
from .scalars import Missing, cast, number, truth, where

OP = operators.OP


class Bounds:
    """A slice of an axis: elements start, start + step, ..., count of them."""

    def __init__(self, start, count, step):
        self.start, self.count, self.step = start, count, step


def given(t, node, v):
    """What stands in a slice: None, an int, or a node."""
    if v is None or (isinstance(v, Constant) and (v.data is None or isinstance(v.type, NoneTypeT))):
        return None
    if isinstance(v, Constant):
        return int(v.data)
    if isinstance(v, (int, numpy.integer)):
        return int(v)
    x = t.value(v)
    return int(x.value) if x.op == "CONST" else x


def place(t, v, n, low):
    """A bound of a slice as a number of elements before it, 0 <= place <= n; `low`: what is added to one that counts
    from the start (1 where the bound is an element that is taken)."""
    if isinstance(v, int):
        return sizes.least(v + low, n) if v >= 0 else sizes.less(sizes.add(n, low), -v)
    if sizes.is_count(v):
        return sizes.least(sizes.add(sizes.of_node(v), low), n)
    v, all_ = cast(v, "int64"), sizes.node(t.graph, n)
    zero, more = number(v, 0, "int64"), number(v, low, "int64")
    from_end = build(OP["MAXIMUM"], (v + all_ + more, zero))
    from_start = build(OP["MINIMUM"], (v + more, all_))
    return sizes.of_node(where(build(OP["LT"], (v, zero)), from_end, from_start))


def bounds_of(t, node, s, n):
    """A slice of an axis of n elements."""
    start, stop, step = (given(t, node, v) for v in (s.start, s.stop, s.step))
    step = 1 if step is None else step
    if not isinstance(step, int):
        raise Missing("a slice by a step that is computed")
    if step == 0:
        raise Missing("a slice by the step 0")
    if step > 0:
        first = 0 if start is None else place(t, start, n, 0)
        last = n if stop is None else place(t, stop, n, 0)
    else:
        first = 0 if stop is None else place(t, stop, n, 1)
        last = n if start is None else place(t, start, n, 1)
    if isinstance(first, int) and first == 0:
        length = last
    elif step > 0 and stop is None and isinstance(start, int) and start >= 0:
        length = sizes.less(n, start)
    else:
        length = sizes.sub(sizes.most(last, first), first)
    if isinstance(length, int) and length == 0:
        return Bounds(0, 0, 1)
    wide = abs(step)
    count = length if wide == 1 else sizes.floordiv(sizes.add(length, wide - 1), wide)
    return Bounds(first, count, 1 if step == 1 else step) if step > 0 else Bounds((first, length), count, step)


def sliced(x, axis, b):
    if b.step > 0:
        return cut(x, axis, b.start, b.count, b.step)
    first, length = b.start
    return cut(flip(cut(x, axis, first, length), axis), axis, 0, b.count, -b.step)


def index_nodes(t, b):
    """The numbers of the elements of a slice."""
    i = t.graph.iota(b.count)
    if b.step > 0:
        start, step = b.start, b.step
        return i*number(i, step, "int64") + sizes.node(t.graph, start)
    first, length = b.start
    last = sizes.node(t.graph, first) + sizes.node(t.graph, length) - number(i, 1, "int64")
    return last + i*number(i, b.step, "int64")


def from_start(t, i, n):
    """Indices of an axis of n elements, of which those below 0 count from the end."""
    if i.op == "CONST":
        v = i.value
        if (v >= 0).all():
            return i
        if isinstance(n, int):
            return t.graph.constant(numpy.where(v < 0, v + n, v).astype("int64"))
    if i.op in ("SIZE", "IOTA") or i.dtype[0] == "u":
        return i
    i = cast(i, "int64")
    return where(build(OP["LT"], (i, number(i, 0, "int64"))), i + sizes.node(t.graph, n), i)


def parts_of(t, op, node, first, x):
    """The parts of an index: Bounds, ints, scalars, arrays of indices; numbers count from the start."""
    parts = []
    indices = indices_from_subtensor(node.inputs[first:], getattr(op, "idx_list", None))    # before PyTensor 3: None
    for s in indices:
        s = s.data if isinstance(s, Constant) and isinstance(s.data, slice) else s
        n = x.shape[len(parts)]
        if isinstance(s, slice):
            whole = s == slice(None) or all(given(t, node, v) is None for v in (s.start, s.stop, s.step))
            parts.append(Bounds(0, n, 1) if whole else bounds_of(t, node, s, n))
            continue
        i = t.value(s)
        if i.dtype == "bool":
            shape = x.shape[len(parts):len(parts) + i.ndim]
            m = mask_of(t, i, shape)
            parts += [m] if m.ndim == 1 and len(indices) == 1 else nonzero(t, m)
            continue
        i = from_start(t, i, n)
        parts.append(int(i.value) if i.op == "CONST" and not i.ndim else i)
    return parts


def mask_of(t, m, shape):
    """A mask, which has the sizes of the axes."""
    for own, n in zip(m.shape, shape):
        if not sizes.same(own, n):
            holds = build(OP["EQ"], (sizes.node(t.graph, own), sizes.node(t.graph, n)))
            t.check(holds, IndexError, "boolean index did not match indexed tensor along its axis")
    return with_sizes(m, shape)


def nonzero(t, m):
    """The places where a mask holds, an array of indices for each axis."""
    flat = m if m.ndim == 1 else build(OP["RESHAPE"], (m,), ((sizes.product(m.shape),),))
    place = t.graph.parse("nonzero(m)", ("m",), (flat,))
    found = []
    for n in reversed(m.shape[1:]):
        n = sizes.node(t.graph, n)
        found.append(build(OP["MOD"], (place, n)))
        place = build(OP["FLOORDIV"], (place, n))
    return [place] + found[::-1]


def is_array(p):
    return not isinstance(p, (Bounds, int)) and p.ndim > 0


def aligned(t, parts):
    """Arrays of indices, which broadcast together."""
    arrays = [p for p in parts if is_array(p) and p.dtype != "bool"]
    if len(arrays) < 2:
        return parts
    rank = max(p.ndim for p in arrays)
    arrays = [p if p.ndim == rank else expand_dims(p, tuple(range(rank - p.ndim))) for p in arrays]
    made = iter(t.together(arrays))
    return [next(made) if is_array(p) and p.dtype != "bool" else p for p in parts]


def parts_for(t, op, node, first, x):
    """The parts of an index as take has them."""
    parts = parts_of(t, op, node, first, x)
    given_masks = sum(getattr(v.type, "dtype", "") == "bool" for v in node.inputs[first:])
    if given_masks and sum(getattr(v.type, "ndim", 0) > 0 for v in node.inputs[first:]) > 1:
        raise Missing("a mask beside other arrays of indices")
    return aligned(t, parts)


@on("Subtensor", "AdvancedSubtensor", "AdvancedSubtensor1")
def _(t, op, node, a):
    x = a[0]
    parts = parts_for(t, op, node, 1, x)
    return taken(t, x, parts)


def taken(t, x, parts):
    rest = []
    for axis, p in enumerate(parts):
        if isinstance(p, Bounds):
            x = sliced(x, axis, p)
        rest.append(slice(None) if isinstance(p, Bounds) else p)
    return x if all(isinstance(p, slice) for p in rest) else take(x, tuple(rest))


@on("IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1")
def _(t, op, node, a):
    x, y = a[0], a[1]
    parts = parts_for(t, op, node, 2, x)
    if x.dtype == "bool" and not op.set_instead_of_inc:
        raise Missing("sums of bools")
    y = cast(y, node.outputs[0].type.dtype)
    once = op.set_instead_of_inc or getattr(op, "ignore_duplicates", False)
    if once and not op.set_instead_of_inc:
        part = taken(t, x, parts)
        y = part + spread_in_call(t, y, part.shape, False)
    return changed(t, x, parts, y, once, type(op).__name__ == "AdvancedIncSubtensor1")


def spread_in_call(t, y, shape, strict):
    """y broadcast to a shape; an axis whose size only the call knows may be 1, unless that is refused."""
    last = shape[len(shape) - y.ndim:]
    for k, (own, n) in enumerate(zip(y.shape, last)):
        if sizes.same(own, n) or (isinstance(own, int) and own == 1):
            continue
        one = number(y, 1, "int64")
        size, wanted = sizes.node(t.graph, own), sizes.node(t.graph, n)
        holds = build(OP["EQ"], (size, wanted))
        if strict:
            t.check(holds, ValueError, "Runtime broadcasting not allowed. AdvancedIncSubtensor was asked to broadcast an "
                    "axis that is not known to be of size 1")
            y = with_sizes(y, y.shape[:k] + (n,) + y.shape[k + 1:])
            continue
        t.check(build(OP["OR"], (holds, build(OP["EQ"], (size, one)))), ValueError,
                "a value that is written at an index does not have its shape")
        i = t.graph.iota(n)
        i = where(build(OP["EQ"], (size, one)), i*number(i, 0, "int64"), i)
        y = take(y, (slice(None),)*k + (i,))
    return spread(y, shape)


def changed(t, x, parts, y, once, strict=False):
    """x with y written, or added, at an index."""
    change = put if once else add_at
    cuts = [k for k, p in enumerate(parts) if isinstance(p, Bounds) and not whole(x, k, p)]
    rest = tuple(slice(None) if isinstance(p, Bounds) else p for p in parts)
    points = any(not isinstance(p, slice) for p in rest)
    if not cuts and not points:
        y = spread_in_call(t, y, x.shape, strict)
        return y if once else x + y
    if not cuts:
        return change(x, rest, spread_in_call(t, y, take(x, rest).shape, strict))
    if len(cuts) > 1 or points:                     # one axis at a time: the part, changed, in its place
        k = cuts[0]
        only = [Bounds(0, n, 1) for n in x.shape]
        only[k] = parts[k]
        inner = list(parts)
        part = taken(t, x, only)
        inner[k] = Bounds(0, part.shape[k], 1)
        part = changed(t, part, inner, y, once, strict)
        return changed(t, x, only, part, True)
    k = cuts[0]
    b = parts[k]
    y = spread_in_call(t, y, x.shape[:k] + (b.count,) + x.shape[k + 1:], strict)
    if b.step == 1:
        at = (slice(None),)*k + (slice(position(t, b.start), position(t, sizes.add(b.start, b.count))),)
        return change(x, at, y)
    return change(x, (slice(None),)*k + (index_nodes(t, b),), y)


def position(t, s):
    return s if isinstance(s, int) else sizes.node(t.graph, s)


def whole(x, axis, b):
    return b.step == 1 and isinstance(b.start, int) and b.start == 0 and sizes.same(b.count, x.shape[axis])


@on("Nonzero")
def _(t, op, node, a):
    return nonzero(t, truth(a[0]))
