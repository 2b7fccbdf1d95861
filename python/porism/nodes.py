"""Nodes, sizes and graphs: what is there while a computation is traced or built."""
from __future__ import annotations

import string
import sys

import numpy

from . import _core, operators
from .build import (arrays_of, as_value, axes_of, axis_in, build, dtype_name, graph_of, library, numpy_dtype, parts_of, rank_of,
                    sizes_of, with_one_more)
from .indices import take
from .instead import of_numpy, of_node
from .named import named
from .tree import LEAVES


def _no(what, instead):
    def refuse(self, *unused, **more):
        raise TypeError(f"{what} of a traced value: it has no value yet, as the function is compiled for all values. "
                        + instead)
    return refuse


class Node(operators.Signs, _core.Node):
    """A value of a graph: it has a dtype and a shape, and what it is computed from."""
    __slots__ = ()
    __array_priority__ = 1000

    def __repr__(self):
        return f"<{self.type}: {self}>" if self.count == 0 else f"<{self}>"

    def __str__(self):
        return _core.print_nodes((self,))

    def __format__(self, how):
        if how:
            _no("a format", "Return it, or write porism.print(x), to see it")(self)
        return str(self)

    def __reduce__(self):
        from .explicit import node_again, parts_to_pickle
        return node_again, parts_to_pickle(self)

    def same(self, other):
        """Whether both are one node: equal values of one graph that were built alike are."""
        return isinstance(other, _core.Node) and self.graph is other.graph and self.id == other.id

    __bool__ = _no("bool()", "Instead of `if`, `and`, `or` or `assert` write porism.where(c, a, b), which chooses for each "
                   "element, or porism.cond(c, f, g, x), which computes one side; instead of `while`, porism.while_loop")
    __float__ = _no("float()", "Leave it as it is, or x.astype(\"f64\"); write porism.sin(x) for math.sin(x); return it, or "
                    "write porism.print(x), to see it")
    __int__ = _no("int()", "Leave it as it is, or x.astype(\"i64\"); return it, or write porism.print(x), to see it")
    __round__ = _no("round()", "Write porism.round(x)")
    __complex__ = _no("complex()", "Leave it as it is; return it, or write porism.print(x), to see it")
    __index__ = _no("an index or a count", "Write porism.fori(0, n, body, first) for a loop of n passes, x[i] for an "
                    "element of a traced x, porism.take(a, i) for a[i] of an array of NumPy's")
    __array__ = _no("numpy.asarray()", "Use porism's functions of the same name, porism.stack([a, b]) for an array of "
                    "several, porism.take(a, i) for a[i] of an array of NumPy's; return it, or write porism.print(x), to see it")

    def __getattr__(self, name):
        raise AttributeError(f"a traced value has no {name}{of_node(name, operators.__all__)}")

    def __iter__(self):
        if self.shape and isinstance(self.shape[0], int):       # a, b = porism.split(k)
            return (self[i] for i in range(self.shape[0]))
        raise TypeError("`for` over a traced value: its length is not known yet, as the function is compiled for all "
                        "lengths. Write porism.scan(f, first, x), which calls f(carry, element) for each, or "
                        "porism.vmap(f)(x) where no pass needs another")

    def __len__(self):
        size = self.shape[0] if self.shape else None
        if isinstance(size, int):
            return size
        if size is None:
            raise TypeError("len() of a value without axes")
        raise TypeError("len() of a traced value: write x.shape[0], which is a size to compute with")

    def __array_ufunc__(self, ufunc, method, *inputs, **more):
        function = operators.UFUNCS.get(ufunc.__name__)
        if ufunc.__name__ == "matmul":
            function = matmul
        if "out" in more:
            raise TypeError(f"numpy.{ufunc.__name__} of a traced value into an array of NumPy's: write y = y + x, say, in "
                            "place of y += x or out=y")
        if method != "__call__" or set(more) > {"dtype"} or function is None:
            raise TypeError(f"numpy.{ufunc.__name__} of a traced value: porism has no such function, or not with these "
                            f"arguments{of_numpy(ufunc.__name__)}")
        return function(*inputs, **more)

    def __array_function__(self, function, types, args, named):
        name = function.__name__
        same = getattr(numpy, name, None) is function                   # and not one of numpy.linalg's, say
        ours = AS_NUMPY.get(name, getattr(sys.modules["porism"], name, None)) if same else None
        if not callable(ours) or "out" in named:
            raise TypeError(f"{function.__module__}.{name} of a traced value: porism has no such function, or not with "
                            f"these arguments{of_numpy(name)}")
        return ours(*args, **named)

    @classmethod
    def __torch_function__(cls, function, types, args=(), named=None):
        raise TypeError(f"torch.{function.__name__} of a traced value: write porism's functions, porism.sin(x) for torch.sin(x)")

    def __setitem__(self, index, value):
        raise TypeError("x[i] = v of a traced value, which does not change: write x = porism.put(x, i, v), or "
                        "x = porism.add_at(x, i, v) for x[i] += v")

    def __pos__(self):
        return self

    def __matmul__(self, other):
        return matmul(self, other)

    def __rmatmul__(self, other):
        return matmul(other, self)

    def __getitem__(self, index):
        return take(self, index)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        n = 1
        for s in self.shape:
            n = n*s
        return n

    @property
    def T(self):
        return transpose(self)

    @property
    def mT(self):
        rank = self.ndim
        return transpose(self, (*range(rank - 2), rank - 1, rank - 2))

    @property
    def device(self):
        return "cpu"

    def to_device(self, device, /, *, stream=None):
        return self

    def __array_namespace__(self, *, api_version=None):
        from . import array_api
        return array_api.of_version(api_version)

    def simplify(self, stages=None):
        """The node as the books rewrite it; stages: "algebra, stable", which is None too."""
        return _core.simplify((self,), stages)[0]

    def astype(self, dtype):
        return build(operators.OP["CAST"], (self,), (dtype_name(dtype),))

    def reshape(self, *shape):
        return reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes):
        return transpose(self, axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None)

    @named
    def sum(self, axis=None, keepdims=False):
        return operators.sum(self, axis, keepdims)

    @named
    def prod(self, axis=None, keepdims=False):
        return operators.prod(self, axis, keepdims)

    @named
    def max(self, axis=None, keepdims=False):
        return operators.max(self, axis, keepdims)

    @named
    def min(self, axis=None, keepdims=False):
        return operators.min(self, axis, keepdims)

    @named
    def any(self, axis=None, keepdims=False):
        return operators.any(self, axis, keepdims)

    @named
    def all(self, axis=None, keepdims=False):
        return operators.all(self, axis, keepdims)

    @named
    def argmax(self, axis=None, keepdims=False):
        return operators.argmax(self, axis, keepdims)

    @named
    def argmin(self, axis=None, keepdims=False):
        return operators.argmin(self, axis, keepdims)

    @named
    def mean(self, axis=None, keepdims=False):
        return mean(self, axis, keepdims)

    @named
    def cumsum(self, axis=0):
        return operators.cumsum(self, axis)


LEAVES.add(Node)


class Size(_core.Size):
    """The size of an axis, a symbol or an expression of symbols.  It can be computed with, is a size wherever one
    is wanted, and is a number (an i64 scalar) among nodes."""
    __slots__ = ()
    __array_ufunc__ = Node.__array_ufunc__

    def __repr__(self):
        return self.text

    def __hash__(self):
        return hash(self.key)

    def node(self):
        """Its value, as a node."""
        return _core.size_node(self)

    def __bool__(self):
        raise TypeError(f"bool() of the size {self.text}: the function is compiled for all sizes. Write "
                        "porism.cond(n > 3, f, g, x); 0 and 1 are numbers and not sizes while tracing")

    def __index__(self):
        raise TypeError(f"the size {self.text} as a number: the function is compiled for all sizes. Write "
                        "porism.zeros(shape), porism.arange(n) for arrays of it, "
                        "porism.fori(0, n, body, first) for a loop of n passes, porism.scan(f, first, x) for one over x, "
                        "porism.take(a, slice(0, n)) for a[:n] of an array of NumPy's")

    def _compare(self, other, name):
        """True or False where that is so for all sizes, else a node."""
        if not isinstance(other, (int, Size)):
            return getattr(self.node(), name)(other)
        difference = _core.size_op("sub", self, other) if isinstance(other, Size) or other >= 0 else None
        if isinstance(difference, int):
            return bool(getattr(difference, name)(0))
        if isinstance(other, int) and self.text.isidentifier() and other < self.graph.least:
            return name in ("__gt__", "__ge__", "__ne__")
        if isinstance(other, int) and self.text.isidentifier() and other == self.graph.least and name in ("__ge__", "__lt__"):
            return name == "__ge__"
        return getattr(self.node(), name)(other)


def _size_signs():
    def sign(name, mine, turned):
        def compute(self, other):
            if isinstance(other, Size) or (isinstance(other, int) and not isinstance(other, bool) and other >= 0):
                return _core.size_op(name, other, self) if turned else _core.size_op(name, self, other)
            if isinstance(other, (list, tuple)):
                raise TypeError(f"a list and the size {self.text}: the function is compiled for all sizes. Write "
                                "porism.full(n, v) for [v]*n")
            node = self.node()
            return getattr(node, mine)(other)
        return compute
    for name, sign_ in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("floordiv", "floordiv"), ("mod", "mod")):
        setattr(Size, f"__{sign_}__", sign(name, f"__{sign_}__", False))
        setattr(Size, f"__r{sign_}__", sign(name, f"__r{sign_}__", True))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Size, f"__{name}__", lambda self, other, n=f"__{name}__": self._compare(other, n))
    for name in ("truediv", "rtruediv", "pow", "rpow", "neg"):
        setattr(Size, f"__{name}__", lambda self, *other, n=f"__{name}__": getattr(self.node(), n)(*other))


_size_signs()


class Graph(_core.Graph):
    """A graph: inputs, and what is built on them."""
    least = 0                           # a symbol stands for no smaller size

    def __reduce__(self):               # nodes that are pickled with it are built on a new one
        return Graph, ()

    def rule(self, text, stage=None, *, law="real", check=True):
        """Adds a rule of rewriting, "log1p: log(1 + x) => log1p(x)  real"; it is checked by numbers first.

        Of a pattern alone, "x^n", it is a decorator: the function is given the nodes that the pattern's variables stand
        for, in their order, and gives the node that takes the place of what was matched, a number, or None.  A parameter of the
        name `matched` is given that node.  What it gives is held to what it replaces by numbers, when it is applied to nodes of
        a kind for the first time, as its law has it: "exact", "real", "finite" (or "approx", which asks for nothing).
        check=False: it is taken on trust."""
        if "=>" in text:
            self.add_rule(text, stage)
            return None

        from .rewrites import Rewrite

        def added(function):
            if not callable(function):
                raise TypeError(f"rule: a function was wanted for {text}, given {function!r}")
            self.functions = [*self.__dict__.get("functions", ()), Rewrite(text, function, law, check)]
            self.add_function_rule(text, law, len(self.functions) - 1)
            return function
        return added

    def compile(self, inputs, outputs, **options):
        """As porism.compile."""
        from .explicit import compile
        return compile(inputs, outputs, **options)


# ---- shapes and indices ----


@named
def reshape(x, shape):
    """The same elements in row order with other sizes; one size may be -1, which the others give."""
    x = as_value(x)
    if not isinstance(x, Node):
        return numpy.reshape(x, shape)
    sizes = list(sizes_of(shape))
    free = [i for i, s in enumerate(sizes) if isinstance(s, int) and s == -1]
    if len(free) > 1:
        raise ValueError(f"reshape to {tuple(sizes)}: one size may be -1, which the others give, and here are {len(free)}")
    if free:
        rest = 1
        for s in sizes:
            rest = rest if isinstance(s, int) and s == -1 else rest*s
        sizes[free[0]] = x.size//rest
    return build(operators.OP["RESHAPE"], (x,), tuple((s,) for s in sizes))


@named
def transpose(x, axes=None):
    """Axis j of the result is axis axes[j] of x; without axes they are turned around."""
    x = as_value(x)
    if not isinstance(x, Node):
        return numpy.transpose(x, axes)
    rank = x.ndim
    order = tuple(reversed(range(rank))) if axes is None else tuple(a % rank for a in axes)
    return x if order == tuple(range(rank)) else build(operators.OP["TRANSPOSE"], (x,), order)


@named
def broadcast_to(x, shape):
    """x spread to this shape, as NumPy spreads it."""
    x = as_value(x)
    return _core.broadcast_to(x, sizes_of(shape)) if isinstance(x, Node) else numpy.broadcast_to(x, shape)


@named
def expand_dims(x, axis):
    """New axes of size 1, at these places of the result."""
    x = as_value(x)
    if not isinstance(x, Node):
        return numpy.expand_dims(x, axis)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    return _core.unsqueeze(x, axes_of(axes, x.ndim + len(axes)))


@named
def squeeze(x, axis):
    """Without these axes, which have size 1."""
    x = as_value(x)
    if not isinstance(x, Node):
        return numpy.squeeze(x, axis)
    axes = axes_of(axis, x.ndim)
    for k in axes:
        if (x.shape[k] == 1) is False:
            raise ValueError(f"squeeze: axis {k} of {x.type} is not of size 1")
    return _core.squeeze(x, axes)


@named
def concatenate(arrays, axis=0):
    """Arrays one after another along an axis."""
    if not isinstance(axis, (int, numpy.integer)):
        raise TypeError("concatenate takes a list of arrays: porism.concatenate([x, y])")
    arrays = tuple(arrays)
    rank = max((rank_of(a) for a in arrays), default=0)
    return build(operators.OP["CONCAT"], arrays, (axis % rank if rank else axis,))


@named
def stack(arrays, axis=0):
    """Arrays of one shape along a new axis."""
    if not isinstance(axis, (int, numpy.integer)):
        raise TypeError("stack takes a list of arrays: porism.stack([x, y])")
    arrays = [as_value(a) for a in arrays]
    return concatenate([expand_dims(a if isinstance(a, Node) else numpy.asarray(a), axis) for a in arrays], axis)


@named
def flip(x, axis=None):
    """x backwards along these axes; without them along all."""
    x = as_value(x)
    return build(operators.OP["FLIP"], (x,), axes_of(axis, x.ndim)) if isinstance(x, Node) else numpy.flip(x, axis)


# ---- products, and what the library has ----


def _matmul(unused, operands, more):
    return _core.matmul(operands[0], operands[1], operands[0].graph)


@named
def matmul(x, y):
    """x @ y as NumPy's: batches lead and broadcast."""
    from .build import at_once
    graph = graph_of((x, y))
    return at_once(_matmul, "@", 2, ())(*arrays_of((x, y))) if graph is None else _core.matmul(x, y, graph)


@named
def einsum(labels=None, *arrays):
    """The sum, over the labels that the result lacks, of the product of the arrays: "ij,jk->ik", "ii->i", "...i,...i->...";
    without "->" the result has the labels that stand once."""
    if not isinstance(labels, str):
        raise TypeError("einsum: its labels are a text, before the arrays: porism.einsum(\"ij,jk->ik\", x, y)")
    if not arrays:
        raise TypeError(f"einsum without arrays: it is porism.einsum({labels!r}, x, y)")
    names = _labels(labels, [rank_of(x) for x in arrays])
    return library(f"einsum[{', '.join('(' + ', '.join(letters) + ')' for letters in names)}]", arrays)


def _labels(text, ranks):
    """The letters of each array, then those of the result; "..." has letters that stand nowhere else, the last axes alike."""
    of, arrow, result = text.replace(" ", "").partition("->")
    parts = of.split(",")
    wanted = f"\"{text}\" for {len(ranks)} array{'s'*(len(ranks) != 1)} of {', '.join(map(str, ranks))} axes"
    if len(parts) != len(ranks):
        raise ValueError(f"einsum: {wanted}: it names {len(parts)}")
    spare = [c for c in string.ascii_letters if c not in text]
    more = [max(rank - len(p.replace("...", "")), 0) if "..." in p else 0 for p, rank in zip(parts, ranks)]
    filled = [p.replace("...", "".join(spare[max(more) - n:max(more)])) for p, n in zip(parts, more)]
    if any(len(p) != rank or not p.isalpha() and p for p, rank in zip(filled, ranks)):
        raise ValueError(f"einsum: {wanted}: wanted a letter for each axis, as in \"ij,jk->ik\", or ... for those in front")
    every = "".join(spare[:max(more)])
    if not arrow:
        result = every + "".join(sorted(c for c in set(of) if c.isalpha() and of.count(c) == 1))
    return [*filled, result.replace("...", every)]


def _of_axes(name, x, axis, keepdims):
    if isinstance(axis, (tuple, list)) and not axis:
        return _of_axes(name, with_one_more(x), -1, False)
    words = [str(a) for a in axes_of(axis, rank_of(x))] if axis is not None else []
    if keepdims:
        words = words or [str(a) for a in range(rank_of(x))]
        words.append("keep")
    return library(f"{name}[{', '.join(words)}]" if words else name, (x,))


@named
def mean(x, axis=None, keepdims=False):
    """The mean over the axes."""
    return _of_axes("mean", x, axis, keepdims)


@named
def variance(x, axis=None, keepdims=False):
    """The mean of the squared distances from the mean."""
    return _of_axes("variance", x, axis, keepdims)


@named
def softmax(x, axis=-1):
    """e^x / sum of e^x along the axis."""
    return library(f"softmax[{axis_in(int(axis), rank_of(x))}]", (x,))


@named
def log_softmax(x, axis=-1):
    """The logarithm of softmax."""
    return library(f"log_softmax[{axis_in(int(axis), rank_of(x))}]", (x,))


@named
def relu(x):
    """max(x, 0)"""
    return library("relu", (x,))


@named
def clip(x, low=None, high=None):
    """min(max(x, low), high); of one bound alone where the other is None"""
    if low is not None and high is not None:
        return library("clip", (x, low, high))
    x = x if low is None else operators.maximum(x, low)
    return x if high is None else operators.minimum(x, high)


@named
def dot(x, y):
    """The sum of x*y over all axes."""
    return library("dot", (x, y))


@named
def norm(x):
    """sqrt(dot(x, x))"""
    return library("norm", (x,))


# ---- arrays of nothing but their shape ----


@named
def arange(start, stop=None, step=1, dtype=None):
    """start, start + step, ... below stop; of one number those below it, from 0."""
    start, stop = (0, start) if stop is None else (start, stop)
    graph = graph_of((start, stop, step))
    if graph is None:
        return numpy.arange(start, stop, step, None if dtype is None else numpy_dtype(dtype))
    if not all(isinstance(n, (int, Size, numpy.integer)) for n in (start, stop)) or not isinstance(step, (int, numpy.integer)):
        raise TypeError("arange of a traced function: start and stop are whole numbers or sizes, and step is a number, as "
                        "how many there are is known before its values; write a + h*porism.arange(n)")
    if step == 0:
        raise ValueError("arange by steps of 0")
    numbers = graph.iota(_count(start, stop, step))
    numbers = numbers if step == 1 else numbers*step
    numbers = numbers + start if isinstance(start, Size) or start else numbers
    return numbers if dtype is None else numbers.astype(dtype)


def _count(start, stop, step):
    """How many numbers there are from start to stop."""
    n = (stop - start if step > 0 else start - stop)
    if isinstance(n, int):
        return max(0, -(-n//abs(step)))
    return n if abs(step) == 1 else (n + (abs(step) - 1))//abs(step)


@named
def full(shape, value, dtype=None):
    """An array that holds value everywhere."""
    sizes = sizes_of(shape)
    graph = graph_of(sizes + (value,))
    if graph is None:
        return numpy.full(sizes, value, None if dtype is None else numpy_dtype(dtype))
    node = graph.constant(numpy.asarray(value) if isinstance(value, (float, int)) else value)
    return broadcast_to(node if dtype is None else node.astype(dtype), sizes)


@named
def zeros(shape, dtype="f64"):
    """An array of zeros."""
    return full(shape, 0, dtype)


@named
def ones(shape, dtype="f64"):
    """An array of ones."""
    return full(shape, 1, dtype)


@named
def one_hot(i, n, dtype="f64"):
    """1 where i = j for a new last axis j < n, else 0."""
    return build(operators.OP["ONE_HOT"], (i,), ((n,), dtype_name(dtype)))


@named
def top_k(x, k):
    """The k largest along the last axis, descending, and their indices."""
    pair = build(operators.OP["TOP_K"], (x,), ((k,),))
    return parts_of(pair) if isinstance(pair, Node) else pair


@named
def qr(x):
    """x = q @ r, q with orthonormal columns, r upper triangular with a diagonal >= 0."""
    pair = build(operators.OP["QR"], (x,))
    return parts_of(pair) if isinstance(pair, Node) else pair


@named
def tri_solve(a, b, lower=True, turned=False):
    """z with a @ z = b, a triangular; turned: a.T @ z = b."""
    return build(operators.OP["TRI_SOLVE"], (a, b), (int(not lower), int(turned)))


# ---- what functions of NumPy do otherwise than ours of the same name ----


def _numpy_dot(x, y):
    if not rank_of(x) or not rank_of(y):
        return build(operators.OP["MUL"], (x, y))
    if rank_of(y) > 2:
        raise TypeError("numpy.dot of a traced value by an array of more than 2 axes: write porism.einsum")
    return matmul(x, y)


def _numpy_take(x, index, axis=None):
    if axis is None:
        return take(reshape(x, -1), index)
    axis = axis_in(axis, rank_of(x))
    return take(x, (slice(None),)*axis + (index,))


def _numpy_cumsum(x, axis=None):
    return operators.cumsum(reshape(x, -1), 0) if axis is None else operators.cumsum(x, axis)


AS_NUMPY = {"amax": operators.max, "amin": operators.min, "dot": _numpy_dot, "take": _numpy_take, "cumsum": _numpy_cumsum, "put": None}
