"""Ops that PyTensor computes itself, as operators of the program.

What is no array of a real dtype, a generator of random numbers say, is in a program the number under which its call keeps
it: `place`, and WIDE times which of the performs of the call gave it."""
from __future__ import annotations

import copy
import itertools
import re
import threading

import numpy
from pytensor.compile.builders import OpFromGraph
from pytensor.graph.basic import Constant
from pytensor.graph.fg import FunctionGraph
from pytensor.ifelse import IfElse
from pytensor.scalar.basic import ScalarType
from pytensor.scan.op import Scan
from pytensor.tensor.basic import as_tensor
from pytensor.tensor.random.type import RandomType
from pytensor.tensor.type import TensorType
from pytensor.tensor.type_other import NoneTypeT, SliceType

from .. import _core
from ..own import NOT_PURE
from . import sizes
from .linear import QUICK
from .scalars import Missing, name_of, number

DTYPES = {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"}
WIDE = 1 << 16                          # more than the results of an Op
ARRAYS_MOST, GIVEN_MOST = 30, 12        # of one operator, which the plan bounds; those given: more are kept by the call

# ---- what a call keeps ----

kept = {}                               # {call: {number: results of a perform}}
calls = itertools.count()
GIVEN, FIXED = 0, 1                     # the arguments of the call; the constants of the graph; from 2 on what performs gave


class Call:
    """What a call of a program keeps while it runs."""

    def __init__(self, given, fixed):
        self.number = next(calls)
        self.after = itertools.count(2)
        self.results = {GIVEN: given, FIXED: fixed}

    def __enter__(self):
        kept[self.number] = self
        return self

    def __exit__(self, *error):
        del kept[self.number]

    def keep(self, results):
        at = next(self.after)
        self.results[at] = results
        return at*WIDE

    def __getitem__(self, place):
        return self.results[int(place)//WIDE][int(place) % WIDE]


# ---- what PyTensor computes ----


def is_array(v):
    """Whether a variable is an array, or a number, of a dtype that runs here."""
    return isinstance(v.type, (TensorType, ScalarType)) and v.type.dtype in DTYPES


def is_known(v):
    """Whether operators of ours can take it: an array, or a constant that stands in brackets."""
    if isinstance(v.type, NoneTypeT):
        return isinstance(v, Constant)
    if isinstance(v.type, SliceType):
        return isinstance(v, Constant) and all(isinstance(e, int | None) for e in (v.data.start, v.data.stop, v.data.step))
    return is_array(v)


def holds_graphs(op):
    """Branches, functions and loops: what is no array may pass through them."""
    return isinstance(op, (IfElse, OpFromGraph, Scan))


class Perform:
    """An Op that PyTensor computes, as a function of what it is given that is not constant."""

    def __init__(self, node):
        self.node = node
        self.given = [v for v in node.inputs if not isinstance(v, Constant)]
        self.in_cells = [[v.data if isinstance(v, Constant) else None] for v in node.inputs]
        self.out_cells = [[None] for _ in node.outputs]
        self.destroyed = {k for ks in getattr(node.op, "destroy_map", {}).values() for k in ks}
        self.thunk = None
        self.lock = threading.Lock()
        quick = QUICK.get(type(node.op).__name__)
        self.quick = quick and quick(node)

    def start(self):
        node = self.node
        cells = dict(zip(node.inputs, self.in_cells)) | dict(zip(node.outputs, self.out_cells))
        self.in_cells = [cells[v] for v in node.inputs]
        done = {v: [True] for v in node.inputs} | {v: [False] for v in node.outputs}
        self.thunk = node.op.make_thunk(node, cells, done, [], impl="py")

    def __call__(self, *given):
        made = self.quick and self.quick(*given)
        if made:
            return made
        with self.lock:
            return self.of(iter(given))

    def of(self, given):
        """What is given, in the cells of the inputs that are not constant; what the Op is to write in is its own."""
        if isinstance(self.node.op, IfElse):
            return self.side_taken(given)
        if self.thunk is None:
            self.start()
        for k, (v, cell) in enumerate(zip(self.node.inputs, self.in_cells)):
            x = v.data if isinstance(v, Constant) else next(given)
            cell[0] = copy.deepcopy(x) if k in self.destroyed else x
        for cell in self.out_cells:
            cell[0] = None
        self.thunk()
        results = [cell[0] for cell in self.out_cells]
        for cell in self.in_cells:
            cell[0] = None
        return results

    def side_taken(self, given):
        values = [v.data if isinstance(v, Constant) else next(given) for v in self.node.inputs]
        n = self.node.op.n_outs
        return values[1:1 + n] if values[0] else values[1 + n:]


# ---- as operators ----


class Signature:
    """Of an operator in the making: what it is given and gives, and their types in the notation."""

    def __init__(self, t, name):
        self.t, self.name = t, f"pytensor_{re.sub('[^a-z0-9]', '_', name.lower())}_{next(t.numbers)}"
        self.values, self.params, self.results = [], [], []

    def take(self, x):
        k = len(self.values)
        self.values.append(x)
        self.params.append(f"x{k}: {typed(x.dtype, [f's{k}_{j}' for j in range(x.ndim)])}")

    def size(self, s):
        """A size of a result: a number, or an argument."""
        if isinstance(s, int):
            return str(s)
        k = len(self.values)
        self.values.append(sizes.node(self.t.graph, s))
        self.params.append(f"n{k}: i64")
        return f"n{k}"

    def give(self, dtype, shape):
        self.results.append(typed(dtype, [self.size(s) for s in shape]))

    def of(self, function):
        """The nodes of its results; function(*arrays): a tuple of arrays, or the one."""
        if len(self.values) + len(self.results) > ARRAYS_MOST:
            raise Missing(f"{len(self.values) + len(self.results)} arrays, wanted {ARRAYS_MOST} at most")
        results = self.results[0] if len(self.results) == 1 else f"({', '.join(self.results)})"
        text = f"{self.name}({', '.join(self.params)}) -> {results}"
        self.t.graph.define(_core.Operator(self.name, text, function, 0, 0, False, NOT_PURE, None, None))
        made = self.t.graph.custom(self.name, self.values)
        return [_core.get(made, i) for i in range(made.count)] if made.count else [made]


def typed(dtype, shape):
    return f"{dtype}[{', '.join(shape)}]" if shape else dtype


def shapes_of(t, node, given):
    """The shape of each result that is an array, None where it is known after the Op alone."""
    told = told_shapes(t, node, given)
    shapes = []
    for k, v in enumerate(node.outputs):
        static = getattr(v.type, "shape", ())
        own = [s if s is not None else told[k][j] if told else None for j, s in enumerate(static)]
        shapes.append(own if is_array(v) and not any(s is None for s in own) else None)
    return shapes


def told_shapes(t, node, given):
    """By the Op's own rule of shapes, as sizes; None: it has none, or one that is not computed here.  Of lists and the like
    these rules know nothing."""
    if not all(isinstance(v.type, TensorType | ScalarType | RandomType) for v in given):
        return None
    before = [shape_before(v) for v in node.inputs]
    try:
        told = node.op.infer_shape(None, node, before)
    except Exception:                       # no rule, or one that wants what is not known: PyTensor does without, too
        return None
    told = [[as_tensor(s, dtype="int64") for s in shape or ()] for shape in told]
    graph = FunctionGraph(given, [s for shape in told for s in shape], clone=True)
    try:
        with t.alone():
            values = iter(t.inner(graph, [t.value(v) for v in given]))
        return [[sizes.of_node(next(values)) for s in shape] for shape in told]
    except (Missing, ValueError):           # ValueError: a size too long to tell
        return None


def shape_before(v):
    """What a rule of shapes takes: sizes that are known as constants."""
    if not isinstance(v.type, TensorType):
        return () if isinstance(v.type, ScalarType) else None
    return tuple(v.shape[j] if s is None else as_tensor(s, dtype="int64") for j, s in enumerate(v.type.shape))


def performed(t, node, why):
    """The results of an Op that PyTensor computes, as nodes."""
    step = Perform(node)
    shapes = shapes_of(t, node, step.given)
    if t.checks.loop is not None and not (all(map(is_array, step.given)) and len(step.given) <= GIVEN_MOST and
                                          all(s is not None for s in shapes)):
        raise Missing(f"a loop that holds {node.op}, of which PyTensor alone knows what it gives")
    t.performed.append((node, why))
    values, groups = [t.value(v) for v in step.given], None
    if len(values) > GIVEN_MOST:
        groups = [values[k:k + GIVEN_MOST] for k in range(0, len(values), GIVEN_MOST)]
        values = [kept_together(t, group) for group in groups]
    if sum(1 + len(shape) for shape in shapes if shape is not None) > ARRAYS_MOST - GIVEN_MOST - 2:
        shapes = [None]*len(shapes)
    left = [k for k, shape in enumerate(shapes) if shape is None]
    s = Signature(t, type(node.op).__name__)
    with_call = bool(groups or left or not values) or not all(map(is_array, step.given))
    for x in ([t.call()] if with_call else []) + values:
        s.take(x)
    if left:
        s.give("i64", ())
    for v, shape in zip(node.outputs, shapes):
        if shape is not None:
            s.give(name_of(v.type.dtype), shape)
    found = iter(s.of(kernel(step, with_call, len(values), groups is not None, shapes)))
    first = next(found) if left else None
    return [next(found) if shape is not None else taken(t, v, first + number(first, k, "int64"))
            for k, (v, shape) in enumerate(zip(node.outputs, shapes))]


def kept_together(t, values):
    """Arrays that the call keeps: where."""
    s = Signature(t, "kept")
    for x in [t.call()] + values:
        s.take(x)
    s.give("i64", ())
    return s.of(lambda call, *given: numpy.int64(kept[int(call)].keep(given)))[0]


def kernel(step, with_call, count, grouped, shapes):
    """What the operator runs: arrays in and out; what else there is stays with the call."""
    tensors = [isinstance(v.type, TensorType) for v in step.given]
    arrays = [is_array(v) for v in step.given]
    direct = [(k, v.type.dtype) for k, (v, shape) in enumerate(zip(step.node.outputs, shapes)) if shape is not None]

    def run(*given):
        call = kept[int(given[0])] if with_call else None
        given = given[with_call:with_call + count]
        if grouped:
            given = [x for place in given for x in call.results[int(place)//WIDE]]
        try:
            results = step(*[(numpy.asarray(x) if tensor else x) if array else call[x]
                             for x, tensor, array in zip(given, tensors, arrays)])
        except Exception as e:
            e.performed = True              # what it says is PyTensor's
            raise
        out = [numpy.asarray(results[k], dtype) for k, dtype in direct]
        if len(direct) < len(shapes):
            out.insert(0, numpy.int64(call.keep(results)))
        return out[0] if len(out) == 1 else tuple(out)
    return run


def taken(t, v, place):
    """What a call keeps at a place: as it is, or as an array, of sizes that are asked first."""
    if not is_array(v):
        return place
    shape = []
    if v.type.ndim:
        s = Signature(t, "sizes")
        s.take(t.call())
        s.take(place)
        for _ in range(v.type.ndim):
            s.give("i64", ())
        shape = [sizes.of_node(n) if known is None else known for n, known in zip(s.of(sizes_kept), v.type.shape)]
    s = Signature(t, "result")
    s.take(t.call())
    s.take(place)
    s.give(name_of(v.type.dtype), shape)
    dtype = v.type.dtype
    return s.of(lambda call, place, *sizes: numpy.asarray(kept[int(call)][place], dtype))[0]


def sizes_kept(call, place):
    shape = tuple(map(numpy.int64, numpy.shape(kept[int(call)][place])))
    return shape[0] if len(shape) == 1 else shape
