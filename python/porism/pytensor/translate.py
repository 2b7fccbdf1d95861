"""A part of a PyTensor graph as a graph of Porism."""
from __future__ import annotations

import contextlib
import itertools

import numpy
from pytensor.compile.builders import OpFromGraph
from pytensor.graph.basic import Constant
from pytensor.scalar.basic import ScalarType

from .. import operators
from ..build import build
from ..nodes import Graph
from . import arrays, indexing, linear, loops, sizes               # noqa: F401: they fill ARRAYS
from .arrays import ARRAYS, with_sizes
from .performed import FIXED, WIDE, holds_graphs, is_array, is_known, performed
from .scalars import Missing, cast, name_of, number, where

OP = operators.OP


class Checks:
    """What must hold within a loop: the first number of what does not, of all passes, is carried."""

    def __init__(self, t, loop):
        self.t, self.loop = t, loop
        self.codes = []
        self.made = {}                              # {Apply: which codes are of it}

    def __enter__(self):
        self.outer = self.t.checks
        self.t.checks = self
        return self

    def __exit__(self, *error):
        self.t.checks = self.outer

    def follow(self):
        self.carried = None
        if self.codes:
            zero = self.t.graph.constant(numpy.asarray(0))
            self.carried = self.loop.carry(zero)
            code = first_of([self.carried] + self.codes)
            self.loop.next(self.carried, code)

    def end(self):
        if self.carried is not None:
            self.t.checks.codes.append(self.loop.last(self.carried))


def first_of(codes):
    """The first of several numbers that is not 0."""
    code = codes[-1]
    for c in reversed(codes[:-1]):
        code = where(build(OP["NE"], (c, number(c, 0, "int64"))), c, code)
    return code


class Translation:
    """A graph in the making: what each variable is in it."""

    def __init__(self, inputs, names, everything=False):
        self.everything = everything                # also what PyTensor computes faster
        self.graph = Graph()
        self.values = {}
        self.checks = Checks(self, None)
        self.errors = []
        self.joined = {}                            # sizes of inputs that an operator needs to be one
        self.given = {}
        self.performed = []                         # (Apply, why) of what PyTensor computes
        self.mistakes = []                          # (Apply, error) of those whose translation failed
        self.may_perform = True
        self.scope = (), ()                         # the Applies of the graph that is being translated, and its outputs
        self.numbers = itertools.count()
        self.number_of_call, self.fixed = None, []
        self.inputs = [self.input(v, k, names) for k, v in enumerate(inputs)]

    def input(self, v, k, names):
        if not is_array(v):
            self.call()
            x = self.values[v] = self.graph.input(f"x{k}", "i64")
            return x
        shape = getattr(v.type, "shape", ())
        shown = []
        for j, s in enumerate(shape):
            name = f"s{k}_{j}"
            shown.append(str(s if s is not None else names.get(name, name)))
        text = name_of(v.type.dtype) + (f"[{', '.join(shown)}]" if shown else "")
        x = self.values[v] = self.graph.input(f"x{k}", text)
        for s in x.shape:
            if not isinstance(s, int):
                self.given[s.text] = s
        return x

    # ---- values ----

    def value(self, v):
        """The node of a variable of the graph that is being translated."""
        if v in self.values:
            return self.values[v]
        if isinstance(v, Constant):
            return self.constant(v)
        raise KeyError(v)

    def constant(self, v):
        if is_known(v) and not is_array(v):
            return None
        if not is_array(v):
            self.call()
            self.fixed.append(v.data)
            x = self.values[v] = self.graph.constant(numpy.int64(FIXED*WIDE + len(self.fixed) - 1))
            return x
        x = self.values[v] = self.graph.constant(numpy.asarray(v.data, v.type.dtype))
        return x

    def call(self):
        """The number of the call, where something stays with it that is no array."""
        if self.number_of_call is None:
            self.number_of_call = self.graph.input("call", "i64")
        return self.number_of_call

    @contextlib.contextmanager
    def alone(self):
        """All within has a translation, or is Missing; what it checks is not asked."""
        before = self.may_perform, self.checks
        self.may_perform, self.checks = False, Checks(self, self.checks.loop)
        try:
            yield
        finally:
            self.may_perform, self.checks = before

    def node(self, node):
        """An Apply as operators of ours, or as one that has PyTensor compute it."""
        before, first = len(self.performed), len(self.checks.codes)
        try:
            made = self.translated(node)
        except Exception as e:
            del self.performed[before:]
            if not self.may_perform:
                raise Missing(str(e)) from e
            if not isinstance(e, Missing):
                self.mistakes.append((node, e))
            made = performed(self, node, str(e))
        self.checks.made[node] = range(first, len(self.checks.codes))
        for v, x in zip(node.outputs, made):
            self.values[v] = x

    def translated(self, node):
        op = node.op
        if not holds_graphs(op) and not all(map(is_known, [*node.inputs, *node.outputs])):
            raise Missing("its types")
        make = ARRAYS.get(type(op).__name__)
        if make is None and isinstance(op, OpFromGraph):
            make = ARRAYS["OpFromGraph"]
        if make is None and hasattr(op, "nin") and all(isinstance(v.type, ScalarType) for v in node.outputs):
            from .scalars import scalar
            made = scalar(op, [self.value(v) for v in node.inputs], node.outputs[0].type.dtype)
        elif make is None:
            raise Missing(type(op).__name__)
        else:
            made = make(self, op, node, [self.value(v) for v in node.inputs])
        return [self.fitting(node, v, x) for v, x in zip(node.outputs, made if isinstance(made, list) else [made])]

    def fitting(self, node, v, x):
        """A result with the dtype, and the sizes, that PyTensor knows of it."""
        if not is_array(v):
            return x
        if x.ndim != v.type.ndim:
            raise Missing(f"{node.op}, which gave {x.type} for {v.type}")
        if x.dtype != name_of(v.type.dtype):
            x = cast(x, v.type.dtype)
        static = getattr(v.type, "shape", ())
        return with_sizes(x, [s if s is not None else own for s, own in zip(static, x.shape)])

    def inner(self, fgraph, a):
        """The outputs of an inner graph of these inputs."""
        outer, self.values = self.values, dict(zip(fgraph.inputs, a))
        around, self.scope = self.scope, (fgraph.toposort(), fgraph.outputs)
        try:
            for v, x in zip(fgraph.inputs, a):
                if x is not None:
                    self.values[v] = self.as_inner(v, x)
            for node in self.scope[0]:
                self.node(node)
            return [self.value(v) for v in fgraph.outputs]
        finally:
            self.values, self.scope = outer, around

    def as_inner(self, v, x):
        if not is_array(v):
            return x
        if x.ndim != getattr(v.type, "ndim", x.ndim):
            raise Missing(f"an inner graph that takes {v.type}, given {x.type}")
        static = getattr(v.type, "shape", (None,)*x.ndim)
        return with_sizes(cast(x, v.type.dtype), [s if s is not None else own for s, own in zip(static, x.shape)])

    def in_loop(self, loop):
        return Checks(self, loop)

    def check(self, condition, error, text):
        """The call raises error(text) unless the condition holds."""
        if condition.op == "CONST" and bool(condition.value):
            return
        self.errors.append((error, text))
        code = number(condition, len(self.errors), "int64")
        self.checks.codes.append(where(condition, number(condition, 0, "int64"), code))

    def code(self):
        """The number of the first check that does not hold, 0 if all do; None: there is none."""
        return first_of(self.checks.codes) if self.checks.codes else None

    # ---- sizes ----

    def equal(self, a, b):
        """The size that two are, which the operator needs to be equal."""
        if isinstance(a, int) and isinstance(b, int) or sizes.same(a, b):
            return a
        if isinstance(b, int):
            a, b = b, a
        texts = [str(a) if isinstance(a, int) else a.text, b.text]
        if (isinstance(a, int) or texts[0] in self.given) and texts[1] in self.given:
            self.joined[texts[1]] = texts[0]
        return a

    def common(self, operands):
        """The shape of operands of one rank, of which axes of size 1 are repeated."""
        shape = []
        for axis in zip(*(x.shape for x in operands)):
            wide = [s for s in axis if not (isinstance(s, int) and s == 1)]
            n = wide[0] if wide else 1
            for s in wide[1:]:
                n = self.equal(n, s)
            shape.append(n)
        return tuple(shape)

    def together(self, operands):
        """Operands of one rank, whose axes are of one size each, or 1."""
        shape = self.common(operands)
        return [with_sizes(x, [own if isinstance(own, int) and own == 1 else s for own, s in zip(x.shape, shape)])
                for x in operands]

    def alike(self, parts, axes):
        """Arrays that have the same sizes along some axes."""
        for k in axes:
            n = parts[0].shape[k]
            for x in parts[1:]:
                n = self.equal(n, x.shape[k])
            parts = [with_sizes(x, x.shape[:k] + (n,) + x.shape[k + 1:]) for x in parts]
        return parts

    def batches(self, x, y):
        """Two arrays of matrices, whose leading axes broadcast."""
        lead = min(x.ndim, y.ndim) - 2
        for k in range(-lead - 2, -2):
            a, b = x.shape[k], y.shape[k]
            if 1 not in (a if isinstance(a, int) else 0, b if isinstance(b, int) else 0):
                n = self.equal(a, b)
                x, y = (with_sizes(z, z.shape[:k] + (n,) + z.shape[k + 1:]) for z in (x, y))
        return x, y

    def elements(self, v, x, count):
        """The elements of a vector: ints, or scalars."""
        if isinstance(v, Constant):
            return [int(e) for e in numpy.broadcast_to(v.data, (count,))]
        found = known_elements(x)
        if found is None or len(found) != count:
            return [arrays.element(x, i) for i in range(count)]
        return [int(e.value) if not isinstance(e, int) and e.op == "CONST" else e for e in found]


def known_elements(x):
    """The elements of a vector that is made of scalars; None: it is not."""
    if x.op == "CONST":
        return [int(e) for e in numpy.atleast_1d(x.value)] if x.ndim == 1 else None
    if x.op == "CONCAT":
        parts = [known_elements(part) for part in x.args]
        return None if any(part is None for part in parts) else [e for part in parts for e in part]
    if x.op in ("EXPAND", "RESHAPE") and not x.args[0].shape and sizes.same(x.shape[0], 1):
        return [x.args[0]]
    if x.op in ("EXPAND", "RESHAPE") and x.args[0].op == "CONST":
        return None
    if x.op == "CAST" or isinstance(x.shape[0], int):
        return [arrays.element(x, i) for i in range(x.shape[0])] if isinstance(x.shape[0], int) else None
    return None


def prepared(order, inputs, outputs, everything=False):
    """A Translation of Applies in order; sizes of inputs that must be equal are one symbol."""
    names = {}
    for _ in range(8):
        t = Translation(inputs, names, everything)
        t.scope = order, outputs
        for node in order:
            t.node(node)
        new = {k: v for k, v in t.joined.items() if names.get(k) != v and k != v}
        if not new or any(type(n.op).__name__ == "IfElse" for n in order):
            return t
        names = merged(names, new)
    return t


def merged(names, new):
    """Names of sizes, each the one that stands for all that are equal."""
    def root(name):
        seen = set()
        while name in names and name not in seen:
            seen.add(name)
            name = names[name]
        return name
    names = dict(names)
    for a, b in new.items():
        a, b = root(a), root(b)
        if a == b:
            continue
        if a.isdigit():
            a, b = b, a
        if not a.isdigit():
            names[a] = b
    return {a: root(a) for a in names}
