"""What builds nodes: the graph that is being traced, operators by number, and what happens where there is no graph."""
from __future__ import annotations

import functools
import threading
from typing import Any, Sequence, Union

import numpy

from . import _core

Value = Any                             # a Node while tracing; else an array of NumPy's
Operand = Any                           # a Node, a Size, an array or a number
Axes = Union[int, Sequence[int], None]
Shape = Union[int, Any, Sequence[Any]]

_local = threading.local()


class tracing:
    """While it lasts, operators of plain numbers and arrays are nodes of this graph, too."""

    def __init__(self, graph):
        self.graph = graph

    def __enter__(self):
        self.outer = getattr(_local, "graph", None)
        _local.graph = self.graph
        _core.trace_opened(1)
        return self.graph

    def __exit__(self, *error):
        _local.graph = self.outer
        _core.trace_opened(-1)


def current():
    """The graph that is being traced on this thread, or None."""
    return getattr(_local, "graph", None)


def graph_of(values):
    """The graph of the first node or size among values, or the one that is being traced, or None."""
    return graph_in(values) or current()


def graph_in(values):
    """The graph of the first node or size among values, and in lists among them."""
    for v in values:
        found = v.graph if isinstance(v, (_core.Node, _core.Size)) else graph_in(v) if isinstance(v, (list, tuple)) else None
        if found is not None:
            return found
    return None


def arrays_of(operands):
    """Operands, lists and tuples of numbers as arrays of NumPy's."""
    return [numpy.asarray(x) if isinstance(x, (list, tuple)) else x for x in operands]


def build(op, operands, attributes=()):
    """The operator with this number; of arrays and numbers alone, outside of a trace, its value."""
    graph = graph_of(operands)
    if graph is None:
        return at_once(build, op, len(operands), attributes)(*arrays_of(operands))
    return _core.apply(op, operands, attributes, graph)


@functools.lru_cache(1024)
def at_once(make, what, count, more):
    """A compiled function of `count` arrays."""
    from .trace import jit
    return jit(lambda *x: parts_of(make(what, x, more)), tier="interpret")


def parts_of(node):
    """A tuple of the graph as one of Python; other nodes as they are."""
    return tuple(_core.get(node, i) for i in range(node.count)) if node.count else node


def library(text, operands, unused=()):
    """A function of the notation's library, "softmax[0]"."""
    graph = graph_of(operands)
    if graph is None:
        return at_once(library, text, len(operands), ())(*arrays_of(operands))
    return _core.library(text, tuple(operands), graph)


def compiled(function, options, order=None):
    """The function's program, which pickle keeps by its notation; order: the place of each argument in a call."""
    program = function.compile(**options)
    if order:
        program.order = order
    program.source = (function.text(), function.name, tuple(sorted(options.items())), order)
    return program


def typed(x):
    """What stands for all values of its kind has one dtype: plain numbers are f64 or i64, or bool."""
    return numpy.asarray(x) if isinstance(x, (float, int)) else x


def sizes_differ(a, b):
    """Are they two?  Two numbers, and two names, are; of sizes that are computed the call knows."""
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    return str(a) != str(b) and str(a).isidentifier() and str(b).isidentifier()


def as_value(x):
    """A list that holds nodes as the node of its array; else x."""
    graph = graph_in((x,)) if isinstance(x, (list, tuple)) else None
    return x if graph is None else graph.constant(x)


def rank_of(x):
    if isinstance(x, (list, tuple)) and x:
        return 1 + rank_of(x[0])
    return len(x.shape) if isinstance(x, _core.Node) else numpy.ndim(x)


def axis_in(axis, rank):
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} of an array of {rank} axes")
    return axis % rank


def axes_of(axis, rank):
    """The axes that `axis` means, in ascending order: None means all."""
    if axis is None:
        return tuple(range(rank))
    if not isinstance(axis, (int, tuple, list, numpy.integer)):
        raise TypeError("an axis is a number, axes are several in a tuple, and no array: of two arrays there are "
                        "porism.add, porism.maximum, porism.concatenate([x, y]), ...")
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    found = sorted(axis_in(a, rank) for a in axes)
    if len(set(found)) < len(found):
        raise ValueError(f"axis {axis}: one stands there twice")
    return tuple(found)


def with_one_more(x):
    """x with a last axis of size 1: folds of no axis are folds of this one."""
    rank = rank_of(x)
    return _core.unsqueeze(x, (rank,)) if isinstance(x, _core.Node) else numpy.expand_dims(x, rank)


def fold(op, x, axis, keepdims):
    """A sum, a maximum, ... over axes."""
    axes = axes_of(axis, rank_of(x))
    if isinstance(axis, (tuple, list)) and not axis:
        return fold(op, with_one_more(x), -1, False)
    y = build(op, (x,), axes)
    if not keepdims or not axes:
        return y
    if not isinstance(y, _core.Node):
        return numpy.expand_dims(y, axes)
    return _core.unsqueeze(y, axes)


def sizes_of(shape):
    """A shape as a tuple of numbers and Sizes."""
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def dtype_name(dtype):
    """Porism's name of a dtype: of "f32", numpy.float32, float."""
    if isinstance(dtype, (int, _core.Size)) and not isinstance(dtype, bool):
        raise TypeError(f"{dtype} where a dtype was wanted: several sizes are a tuple, as in porism.zeros((3, 4)) and "
                        "porism.normal(key, (3, 4))")
    return _core.dtype_name(dtype)


def numpy_dtype(dtype):
    """NumPy's dtype of this name."""
    name = dtype_name(dtype)
    if name == "key":
        raise TypeError("keys are made of seeds and of keys: porism.key(seed), porism.split(k, n)")
    kinds = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
    return numpy.dtype(name if name == "bool" else kinds[name[0]] + name[1:])


def sized(op, x, shape, dtype):
    """A draw of this shape and dtype."""
    sizes = tuple((s,) for s in sizes_of(shape))
    return build(op, (x,), (dtype_name(dtype),) + sizes)
