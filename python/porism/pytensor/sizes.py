"""Sizes of axes: numbers of Python, and Sizes of a graph, computed alike."""
from __future__ import annotations

import numpy

from .. import _core
from .scalars import cast


def _op(name, a, b, plain):
    return plain(a, b) if isinstance(a, int) and isinstance(b, int) else _core.size_op(name, a, b)


def add(a, b):
    return _op("add", a, b, lambda x, y: x + y)


def sub(a, b):
    """a - b, where a >= b"""
    return _op("sub", a, b, lambda x, y: x - y)


def mul(a, b):
    return _op("mul", a, b, lambda x, y: x*y)


def floordiv(a, b):
    return _op("floordiv", a, b, lambda x, y: x//y)


def least(a, b):
    return a if same(a, b) else _op("min", a, b, min)


def most(a, b):
    return a if same(a, b) else _op("max", a, b, max)


def less(a, n):
    """max(a - n, 0)"""
    return sub(most(a, n), n)


def product(sizes):
    n = 1
    for s in sizes:
        n = mul(n, s)
    return n


def same(a, b):
    """Whether both are one size, for all calls."""
    if isinstance(a, int) or isinstance(b, int):
        return isinstance(a, int) and isinstance(b, int) and a == b
    return a.key == b.key


def node(graph, s):
    """A size as an i64 scalar."""
    return graph.constant(numpy.asarray(s)) if isinstance(s, int) else _core.size_node(s)


def of_node(x):
    """A scalar as a size: the call checks that it is not below 0."""
    if x.op == "CONST":
        n = int(x.value)
        if n < 0:
            raise ValueError(f"a size of {n}")
        return n
    return _core.size_of_node(cast(x, "int64"))


def is_count(x):
    """Whether a scalar is the size of an axis, which is not below 0."""
    return x.op == "SIZE" and "-" not in str(x)
