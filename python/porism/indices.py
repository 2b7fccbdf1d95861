"""x[...] of nodes, and changed copies: written in the notation, with NumPy's meaning."""
from __future__ import annotations

import re

import numpy

from . import _core, operators
from .build import as_value, build, graph_in, graph_of, rank_of
from .keys import Key
from .named import named


def _written(index, names):
    """One part of an index as the notation writes it; nodes get a name."""
    if index is None:
        return "_"
    if index is Ellipsis:
        return ".."
    if isinstance(index, slice):
        ends = ["" if s is None else _written(s, names) for s in (index.start, index.stop)]
        return ":".join(ends) + ("" if index.step is None else f":{int(index.step)}")
    if isinstance(index, (int, numpy.integer)) and not isinstance(index, (bool, numpy.bool_)):
        return str(int(index))
    if isinstance(index, (str, bytes, dict)):
        raise TypeError(f"an index {index!r}: there are numbers, slices, None, ..., arrays of integers and masks of bools")
    name = f"i_{len(names)}"
    if isinstance(index, list) and not index:
        index = numpy.zeros(0, int)
    names[name] = index.node() if isinstance(index, _core.Size) else index
    return name


def _parsed(x, text, names):
    """What an index written so is; an error does not tell of a text that nobody wrote."""
    try:
        return x.graph.parse(text, tuple(names), tuple(names.values()))
    except (TypeError, ValueError, IndexError) as e:
        said = re.sub(r"; line 1, column \d+ of the text", "", str(e))
        said = said.replace("; write if m then x else y", "; write porism.where(m, x, y)")
        raise type(e)(re.sub(r"\bi_\d+: ", "the index: ", said)) from None


def _of_slices(parts):
    """Parts of an index, slices as their ends."""
    return [e for p in parts for e in ((p.start, p.stop) if isinstance(p, slice) else (p,))]


def _axes_taken(part):
    """How many axes a part of an index is of."""
    mask = getattr(part, "dtype", None) if isinstance(part, (_core.Node, numpy.ndarray)) else None
    return 0 if part is None else rank_of(part) if mask == "bool" else 1


def _from_start(x, parts):
    """Parts of an index of x, in which numbers in arrays and lists count from the start, those below 0 too."""
    found, axis = [], 0
    for i, part in enumerate(parts):
        if part is Ellipsis:
            axis = x.ndim - sum(map(_axes_taken, parts[i + 1:]))
        elif isinstance(part, (list, numpy.ndarray)) and axis < x.ndim:
            part = _elements_from_start(x, part, axis)
        elif isinstance(part, slice) and axis < x.ndim:
            part = _of_slice(part, x.shape[axis])
        axis += 0 if part is Ellipsis else _axes_taken(part)
        found.append(part)
    return tuple(found)


def _is_whole(number):
    return isinstance(number, (int, numpy.integer)) and not isinstance(number, bool)


def _of_slice(part, size):
    """A slice as the notation takes it: of an axis whose size is known as NumPy clips it, without elements where it ends
    before it begins."""
    ends, step = (part.start, part.stop), 1 if part.step is None else part.step
    if not _is_whole(step) or not all(e is None or _is_whole(e) for e in ends):
        return part
    if step == 0:
        raise ValueError("a slice of step 0")
    if isinstance(size, int):
        places = range(*part.indices(size))
        if not places:
            return slice(0, 0)
        start, stop = places[0], places[-1] + (1 if step > 0 else -1)
        return slice(start, stop if stop >= 0 else None, None if step == 1 else step)
    if ends[1] == 0 and step > 0:
        return slice(0, 0)
    if None in ends or (ends[0] < 0) != (ends[1] < 0):
        return part
    return slice(0, 0) if (ends[1] - ends[0])*step <= 0 else part


def _elements_from_start(x, part, axis):
    if isinstance(part, list) and any(isinstance(p, (_core.Node, _core.Size)) for p in part):
        return part
    numbers = numpy.asarray(part)
    if numbers.dtype.kind == "b":
        return numbers
    if numbers.dtype.kind != "i" or numbers.ndim == 0 or not (numbers < 0).any():
        return part
    graph, size = x.graph, x.shape[axis]
    return graph.constant(numbers.astype("i8")) + graph.constant((numbers < 0).astype("i8"))*size


def _moved_first(x, parts):
    """(at, n): the n axes of arrays of indices, which the notation has at place `at`, come first, as NumPy has it where
    those and numbers stand apart; at = 0: they stay."""
    arrays = [i for i, p in enumerate(parts) if isinstance(p, (list, numpy.ndarray, _core.Node)) and rank_of(p)]
    numbers = [i for i, p in enumerate(parts) if i not in arrays and p is not None and p is not Ellipsis
               and not isinstance(p, slice)]
    chosen = sorted(arrays + numbers)
    if not arrays or chosen[-1] - chosen[0] == len(chosen) - 1:
        return 0, 0
    rest = x.ndim - sum(_axes_taken(p) for p in parts if p is not Ellipsis)
    before = [rest if p is Ellipsis else 1 for i, p in enumerate(parts[:arrays[0]]) if i not in numbers]
    return sum(before), max(1 if _axes_taken(parts[i]) > 1 else rank_of(parts[i]) for i in arrays)


def _stand_apart(parts):
    """Do arrays of indices stand apart, as in x[i, :, j]?  The notation has no such."""
    at = [k for k, p in enumerate(parts) if isinstance(p, (list, numpy.ndarray, _core.Node)) and rank_of(p)]
    return len(at) > 1 and any(p is None or p is Ellipsis or isinstance(p, slice) for p in parts[at[0]:at[-1]])


def _arrays_first(x, parts):
    """(x with the axes first that arrays and numbers choose of, their order, parts of an index of that)"""
    rest = x.ndim - sum(_axes_taken(p) for p in parts if p is not Ellipsis)
    parts = [q for p in parts for q in ([slice(None)]*rest if p is Ellipsis else [p])]
    chosen, first, then, axis = [], [], [], 0
    for p in parts:
        stays = p is None or isinstance(p, slice)
        (then if stays else first).append(p)
        chosen += [] if stays else range(axis, axis + _axes_taken(p))
        axis += _axes_taken(p)
    order = (*chosen, *(k for k in range(x.ndim) if k not in chosen))
    return build(operators.OP["TRANSPOSE"], (x,), order), order, (*first, *then)


def _has_node(parts):
    return graph_in(_of_slices(parts)) is not None


@named
def take(x, index):
    """x[index]: numbers, slices, None, ..., arrays of integers, masks of bools."""
    x, parts = as_value(x), index if isinstance(index, tuple) else (index,)
    if isinstance(x, Key):
        return x[index]
    if not isinstance(x, _core.Node):
        if not _has_node(parts):
            return numpy.asarray(x)[index]
        x = graph_of(_of_slices(parts)).constant(numpy.asarray(x))
    if _stand_apart(parts):
        x, _, parts = _arrays_first(x, parts)
    names, parts = {"x": x}, _from_start(x, parts)
    text = f"x[{', '.join(_written(p, names) for p in parts)}]"
    y, (at, n) = _parsed(x, text, names), _moved_first(x, parts)
    order = (*range(at, at + n), *range(at), *range(at + n, y.ndim))
    return build(operators.OP["TRANSPOSE"], (y,), order) if at else y


def _changed_at_once(x, index, value, sign):
    x = numpy.array(x)
    if sign == "=":
        x[index] = value
    else:
        numpy.add.at(x, index, value)
    return x


def _changed(x, index, value, sign):
    parts = index if isinstance(index, tuple) else (index,)
    if not isinstance(x, _core.Node):
        if not _has_node((value,) + parts):
            return _changed_at_once(x, index, value, sign)
        x = graph_of(_of_slices((value,) + parts)).constant(numpy.asarray(x))
    if _stand_apart(parts) or rank_of(value) and _moved_first(x, _from_start(x, parts))[0]:
        y, order, parts = _arrays_first(x, parts)
        back = tuple(sorted(range(x.ndim), key=order.__getitem__))
        return build(operators.OP["TRANSPOSE"], (_changed(y, parts, value, sign),), back)
    names, parts = {"x": x, "v": value}, _from_start(x, parts)
    text = f"x with [{', '.join(_written(p, names) for p in parts)}] {sign} v"
    return _parsed(x, text, names)


@named
def put(x, index, value):
    """A copy of x with x[index] = value; of equal indices the last stays."""
    return _changed(x, index, value, "=")


@named
def add_at(x, index, value):
    """A copy of x with value added at x[index]; of equal indices all are added."""
    return _changed(x, index, value, "+=")


def _joined(name, at_once, x, index, value):
    """A copy of x, each element that x[index] names joined with the value's, by the operator of that name."""
    parts = index if isinstance(index, tuple) else (index,)
    if not isinstance(x, _core.Node):
        if not _has_node((value,) + parts):
            x = numpy.array(x)
            at_once.at(x, index, value)
            return x
        x = graph_of(_of_slices((value,) + parts)).constant(numpy.asarray(x))
    if isinstance(index, _core.Node) and index.dtype != "bool":
        return build(operators.OP[name], (x, index, value), (0,))
    every = x.graph.iota(x.size).reshape(x.shape)               # the place of each element among all
    changed = build(operators.OP[name], (x.reshape(-1), take(every, index), value), (0,))
    return changed.reshape(x.shape)


@named
def max_at(x, index, value):
    """A copy of x with the larger of it and value at x[index]; of equal indices the largest of all."""
    return _joined("SCATTER_MAX", numpy.maximum, x, index, value)


@named
def min_at(x, index, value):
    """A copy of x with the smaller of it and value at x[index]; of equal indices the smallest of all."""
    return _joined("SCATTER_MIN", numpy.minimum, x, index, value)


@named
def mul_at(x, index, value):
    """A copy of x with value multiplied in at x[index]; of equal indices all are."""
    return _joined("SCATTER_MUL", numpy.multiply, x, index, value)


@named
def and_at(x, index, value):
    """A copy of the bools x with `x and value` at x[index]; of equal indices all have to hold."""
    return _joined("SCATTER_AND", numpy.logical_and, x, index, value)


@named
def or_at(x, index, value):
    """A copy of the bools x with `x or value` at x[index]; of equal indices one has to hold."""
    return _joined("SCATTER_OR", numpy.logical_or, x, index, value)
