"""PyTensor's operators of arrays as nodes.  Each function gets the translation, the operator, its Apply and nodes in the
place of its inputs, and gives a node, or a list of them for several results."""
from __future__ import annotations

import numpy
from pytensor.graph.basic import Constant
from pytensor.tensor.type_other import NoneTypeT

from .. import _core, operators
from ..build import build
from ..nodes import broadcast_to, concatenate, expand_dims, matmul, transpose, tri_solve
from . import sizes
from .scalars import Missing, cast, number, scalar, truth, where

OP = operators.OP
ARRAYS = {}


def on(*names):
    def keep(function):
        for name in names:
            ARRAYS[name] = function
        return function
    return keep


# ---- shapes ----


def with_sizes(x, shape):
    """x with these sizes, which the call checks where they are not known to be its own."""
    shape = tuple(shape)
    if all(map(sizes.same, x.shape, shape)):
        return x
    return build(OP["RESHAPE"], (x,), tuple((s,) for s in shape))


def spread(x, shape):
    """x broadcast to a shape; axes of size 1 alone are repeated."""
    shape = tuple(shape)
    last = shape[len(shape) - x.ndim:]
    own = x.shape
    x = with_sizes(x, [o if isinstance(o, int) and o == 1 else s for o, s in zip(own, last)])
    return x if x.ndim == len(shape) and all(map(sizes.same, x.shape, shape)) else broadcast_to(x, shape)


def squeezed(x, axes):
    keep = [s for k, s in enumerate(x.shape) if k not in axes]
    if not axes:
        return x
    if all(isinstance(x.shape[k], int) and x.shape[k] == 1 for k in axes):
        return _core.squeeze(x, tuple(axes))
    return build(OP["RESHAPE"], (x,), tuple((s,) for s in keep))


def element(v, i):
    """Element i of a vector, as a scalar."""
    return squeezed(build(OP["SLICE"], (v,), ((i,), (1,), 1)), [0])


def constant_of(v):
    """The value of a constant, or None."""
    return v.data if isinstance(v, Constant) and v.data is not None else None


@on("DimShuffle")
def _(t, op, node, a):
    x = a[0]
    keep = [d for d in op.new_order if d != "x"]
    drop = [i for i in range(x.ndim) if i not in keep]
    x = squeezed(transpose(x, keep + drop), range(len(keep), x.ndim)) if x.ndim else x
    new = tuple(i for i, d in enumerate(op.new_order) if d == "x")
    return _core.unsqueeze(x, new) if new else x


@on("Alloc")
def _(t, op, node, a):
    return spread(a[0], [sizes.of_node(n) for n in a[1:]])


@on("AllocEmpty")
def _(t, op, node, a):
    zero = t.graph.constant(numpy.zeros((), op.dtype))
    return broadcast_to(zero, tuple(sizes.of_node(n) for n in a)) if a else zero


@on("Shape")
def _(t, op, node, a):
    parts = [_core.unsqueeze(sizes.node(t.graph, s), (0,)) for s in a[0].shape]
    return concatenate(parts) if parts else t.graph.constant(numpy.zeros(0, "int64"))


@on("Shape_i")
def _(t, op, node, a):
    return sizes.node(t.graph, a[0].shape[op.i])


@on("SpecifyShape")
def _(t, op, node, a):
    shape = []
    for own, wanted, n in zip(a[0].shape, node.inputs[1:], a[1:]):
        s = own if isinstance(wanted.type, NoneTypeT) else sizes.of_node(n)
        if not sizes.same(own, s):
            holds = build(OP["EQ"], (sizes.node(t.graph, own), sizes.node(t.graph, s)))
            t.check(holds, AssertionError, f"SpecifyShape: an axis has another size than {s}")
        shape.append(s)
    return with_sizes(a[0], shape)



@on("Reshape")
def _(t, op, node, a):
    x, n = a[0], op.ndim
    static = node.outputs[0].type.shape
    wanted = [s if s is not None else e for s, e in zip(static, t.elements(node.inputs[1], a[1], n))]
    known = [isinstance(w, int) and w >= 0 or (not isinstance(w, int) and sizes.is_count(w)) for w in wanted]
    whole = sizes.product(x.shape)
    if sum(not k for k in known) > 1 or (sum(not k for k in known) == 1 and not any(isinstance(w, int) and w < 0
                                                                                   for w in wanted)):
        return with_sizes_of_data(t, x, wanted, whole)
    shape = [None if isinstance(w, int) and w < 0 else w if isinstance(w, int) else sizes.of_node(w) for w in wanted]
    free = [k for k, s in enumerate(shape) if s is None]
    if free:
        rest = sizes.product(s for s in shape if s is not None)
        shape[free[0]] = 0 if isinstance(rest, int) and rest == 0 else sizes.floordiv(whole, rest)
    return build(OP["RESHAPE"], (x,), tuple((s,) for s in shape))


def with_sizes_of_data(t, x, wanted, whole):
    """x reshaped to sizes that the call computes, one of which may be -1."""
    nodes = [sizes.node(t.graph, w) if isinstance(w, int) and w >= 0 else
             t.graph.constant(numpy.asarray(w)) if isinstance(w, int) else cast(w, "int64") for w in wanted]
    one, all_ = number(x, 1, "int64"), sizes.node(t.graph, whole)
    shape = []
    for i, (w, n) in enumerate(zip(wanted, nodes)):
        if isinstance(w, int) and w >= 0:
            shape.append(w)
            continue
        rest = one
        for k, m in enumerate(nodes):
            rest = rest if k == i else rest*m
        free = build(OP["FLOORDIV"], (all_, build(OP["MAXIMUM"], (rest, one))))
        shape.append(_core.size_of_node(where(build(OP["LT"], (n, number(x, 0, "int64"))), free, n)))
    return build(OP["RESHAPE"], (x,), tuple((s,) for s in shape))


@on("MakeVector")
def _(t, op, node, a):
    return concatenate([_core.unsqueeze(cast(x, op.dtype), (0,)) for x in a]) if a else \
        t.graph.constant(numpy.zeros(0, op.dtype))


@on("ScalarFromTensor", "TensorFromScalar", "DeepCopyOp", "ViewOp", "Unbroadcast", "OutputGuard", "CpuContiguous",
    "ZeroGrad", "DisconnectedGrad", "GradClip", "GradScale", "Identity", "Rebroadcast")
def _(t, op, node, a):
    return a[0]


@on("CheckAndRaise", "Assert", "CheckParameterValue")
def _(t, op, node, a):
    for c in a[1:]:
        t.check(build(OP["ALL"], (truth(c),), tuple(range(c.ndim))) if c.ndim else truth(c), op.exc_type, op.msg)
    return a[0]


# ---- elementwise, folds ----


@on("Elemwise")
def _(t, op, node, a):
    a = t.together(a)
    y = scalar(op.scalar_op, a, node.outputs[0].type.dtype)
    if isinstance(y, list):
        return [spread(v, t.common(a)) for v in y]
    return spread(y, t.common(a))


FOLDS = {"Add": "SUM", "Mul": "PROD", "Maximum": "MAX", "Minimum": "MIN", "AND": "ALL", "OR": "ANY"}


@on("CAReduce", "Sum", "Prod", "Max", "Min", "All", "Any", "FixedOpCAReduce", "NonZeroDimsCAReduce")
def _(t, op, node, a):
    what = FOLDS.get(type(op.scalar_op).__name__)
    x, out = a[0], node.outputs[0].type.dtype
    axes = tuple(range(x.ndim)) if op.axis is None else tuple(int(k) for k in op.axis)
    if what is None or (what in ("ALL", "ANY") and x.dtype != "bool") or (what in ("SUM", "PROD") and out == "bool"):
        raise Missing(f"a fold by {op.scalar_op}")
    if what in ("MAX", "MIN") and x.dtype == "bool":
        what = "ANY" if what == "MAX" else "ALL"
    if what in ("MAX", "MIN", "ANY", "ALL") and "NonZero" in "".join(c.__name__ for c in type(op).__mro__):
        not_empty(t, x, axes, "zero-size array to reduction operation")
    if what in ("SUM", "PROD"):
        x = cast(x, getattr(op, "acc_dtype", None) or out)
    return cast(build(OP[what], (x,), axes) if axes else x, out)


def not_empty(t, x, axes, text):
    for k in axes:
        n = x.shape[k]
        if not isinstance(n, int) or n == 0:
            t.check(build(OP["NE"], (sizes.node(t.graph, n), number(x, 0, "int64"))), ValueError, text)


@on("ProdWithoutZeros")
def _(t, op, node, a):
    out = node.outputs[0].type.dtype
    x = cast(a[0], getattr(op, "acc_dtype", None) or out)
    x = where(truth(x), x, number(x, 1, getattr(op, "acc_dtype", None) or out))
    axes = tuple(range(x.ndim)) if op.axis is None else tuple(int(k) for k in op.axis)
    return cast(build(OP["PROD"], (x,), axes) if axes else x, out)


@on("Argmax", "Argmin")
def _(t, op, node, a):
    x = a[0] if a[0].dtype != "bool" else cast(a[0], "int8")
    axes = list(range(x.ndim)) if op.axis is None else [int(k) for k in op.axis]
    if not x.ndim or not axes:
        return number(x, 0, "int64") if not x.ndim else broadcast_to(number(x, 0, "int64"), x.shape)
    not_empty(t, x, axes, "attempt to get argmax of an empty sequence")
    keep = [k for k in range(x.ndim) if k not in axes]
    if 1 < len(axes) < x.ndim:
        x = transpose(x, keep + axes)
        x = with_sizes_merged(x, len(keep))
        axes = [len(keep)]
    return build(OP[type(op).__name__.upper()], (x,), tuple(axes))


def with_sizes_merged(x, first):
    """The axes from `first` on as one."""
    shape = x.shape[:first] + (sizes.product(x.shape[first:]),)
    return build(OP["RESHAPE"], (x,), tuple((s,) for s in shape))


@on("CumOp")
def _(t, op, node, a):
    x = cast(a[0], node.outputs[0].type.dtype)
    if op.axis is None:
        x = with_sizes_merged(x, 0) if x.ndim != 1 else x
    axis = 0 if op.axis is None else op.axis % x.ndim
    if op.mode == "add":
        return cast(build(OP["CUMSUM"], (x,), (axis,)), node.outputs[0].type.dtype)
    order = [axis] + [k for k in range(x.ndim) if k != axis]
    y = transpose(x, order)
    one = number(x, 1, node.outputs[0].type.dtype)
    loop = _core.Loop(t.graph, None, False)
    each = loop.each(y)
    carried = loop.carry(broadcast_to(one, y.shape[1:]) if y.ndim > 1 else one)
    now = carried*each
    loop.next(carried, now)
    number_of = loop.stack(now)
    loop.close()
    return transpose(loop.stacked(number_of), [order.index(k) for k in range(x.ndim)])


# ---- joined, cut, made ----


@on("Join")
def _(t, op, node, a):
    axis, parts = getattr(op, "axis", None), a
    if axis is None:
        axis, parts = constant_of(node.inputs[0]), a[1:]
    if axis is None:
        raise Missing("Join along an axis that is computed")
    out = node.outputs[0].type.dtype
    axis = int(axis) % parts[0].ndim
    parts = [cast(x, out) for x in parts]
    parts = t.alike(parts, [k for k in range(parts[0].ndim) if k != axis])
    return concatenate(parts, axis)


@on("Split")
def _(t, op, node, a):
    axis = getattr(op, "axis", None)
    axis = constant_of(node.inputs[1]) if axis is None else axis
    if axis is None:
        raise Missing("Split along an axis that is computed")
    x, axis = a[0], int(axis) % a[0].ndim
    lengths = [n if isinstance(n, int) else sizes.of_node(n)
               for n in t.elements(node.inputs[-1], a[-1], op.len_splits)]
    if any(isinstance(n, int) and n < 0 for n in lengths):
        raise Missing("Split into lengths below 0")
    total = 0
    for n in lengths:
        total = sizes.add(total, n)
    if not sizes.same(total, x.shape[axis]):
        holds = build(OP["EQ"], (sizes.node(t.graph, total), sizes.node(t.graph, x.shape[axis])))
        t.check(holds, ValueError, "Split: the lengths do not add up to the size of the axis")
    parts, at = [], 0
    for n in lengths:
        parts.append(cut(x, axis, at, n))
        at = sizes.add(at, n)
    return parts


def cut(x, axis, start, length, step=1):
    """x[start : start + step*length : step] along an axis."""
    if isinstance(start, int) and start == 0 and step == 1 and sizes.same(length, x.shape[axis]):
        return x
    starts, lengths, steps = [0]*x.ndim, list(x.shape), [1]*x.ndim
    starts[axis], lengths[axis], steps[axis] = start, length, step
    return build(OP["SLICE"], (x,), tuple((s,) for s in starts) + tuple((n,) for n in lengths) + tuple(steps))


@on("ARange")
def _(t, op, node, a):
    given = [constant_of(v) for v in node.inputs]
    if all(v is not None for v in given):
        return t.graph.constant(numpy.arange(*[v.item() for v in given], dtype=op.dtype))
    if given[2] is None or op.dtype[0] not in "iu" or any(x.dtype[0] not in "iu" for x in a):
        return arange_of_data(t, op, a)
    start, stop = cast(a[0], "int64"), cast(a[1], "int64")
    step = int(given[2])
    if given[0] is not None and given[0] == 0 and step == 1 and sizes.is_count(stop):
        return cast(t.graph.iota(sizes.of_node(stop)), op.dtype)
    zero = number(start, 0, "int64")
    way = stop - start if step > 0 else start - stop
    count = build(OP["FLOORDIV"], (way + number(start, abs(step) - 1, "int64"), number(start, abs(step), "int64")))
    n = _core.size_of_node(build(OP["MAXIMUM"], (count, zero)))
    return cast(start + t.graph.iota(n)*number(start, step, "int64"), op.dtype)


def arange_of_data(t, op, a):
    """As NumPy has it: rounded up, by the difference of the first two."""
    start, stop, step = (cast(x, "float64") for x in a)
    count = cast(build(OP["CEIL"], (build(OP["DIV"], (stop - start, step)),)), "int64")
    n = _core.size_of_node(build(OP["MAXIMUM"], (count, number(count, 0, "int64"))))
    start, step = cast(a[0], op.dtype), cast(a[2], op.dtype)
    return start + cast(t.graph.iota(n), op.dtype)*((start + step) - start)


@on("Eye")
def _(t, op, node, a):
    rows, columns = (t.graph.iota(sizes.of_node(n)) for n in a[:2])
    on_it = build(OP["EQ"], (expand_dims(rows, 1) + cast(a[2], "int64"), columns))
    return cast(on_it, op.dtype)


@on("ExtractDiag")
def _(t, op, node, a):
    x = a[0]
    first, second = op.axis1 % x.ndim, op.axis2 % x.ndim
    rest = [k for k in range(x.ndim) if k not in (first, second)]
    x = transpose(x, [first, second] + rest)
    below, right = max(-op.offset, 0), max(op.offset, 0)
    n = sizes.least(sizes.less(x.shape[0], below), sizes.less(x.shape[1], right))
    i = t.graph.iota(n)
    y = t.graph.parse("x[i, j]", ("x", "i", "j"), (x, i + number(x, below, "int64"), i + number(x, right, "int64")))
    return transpose(y, list(range(1, y.ndim)) + [0])


# ---- products, solving ----


@on("Dot", "Dot22", "BatchedDot", "MatMul")
def _(t, op, node, a):
    return product(t, *a, node.outputs[0].type.dtype)


def product(t, x, y, dtype):
    x, y = cast(x, dtype), cast(y, dtype)
    if dtype == "bool":
        raise Missing("a product of bools")
    inner = x.shape[-1], y.shape[-2 if y.ndim > 1 else 0]
    if not sizes.same(*inner):
        s = t.equal(*inner)
        x = with_sizes(x, x.shape[:-1] + (s,))
        y = with_sizes(y, y.shape[:-2] + (s,) + y.shape[-1:] if y.ndim > 1 else (s,))
    if x.ndim > 2 and y.ndim > 2:
        x, y = t.batches(x, y)
    return matmul(x, y)


@on("Dot22Scalar")
def _(t, op, node, a):
    return product(t, a[0], a[1], node.outputs[0].type.dtype)*a[2]


@on("Gemm", "Gemv")
def _(t, op, node, a):
    z, scale, x, y, keep = a
    return spread(keep*z, z.shape) + with_sizes(scale*product(t, x, y, node.outputs[0].type.dtype), z.shape)


@on("Ger", "CGer")
def _(t, op, node, a):
    x, scale, u, v = a
    return x + with_sizes(expand_dims(scale*u, 1)*v, x.shape)


@on("SolveTriangular")
def _(t, op, node, a):
    out = node.outputs[0].type.dtype
    x, b = cast(a[0], out), cast(a[1], out)
    if op.unit_diagonal or x.ndim != 2 or b.ndim != op.b_ndim:
        raise Missing("SolveTriangular of a unit diagonal, or of batches of vectors")
    if x.dtype not in ("f64", "f32"):
        raise Missing("SolveTriangular of this dtype")
    n = t.equal(x.shape[0], x.shape[1])
    n = t.equal(n, b.shape[0])
    return tri_solve(with_sizes(x, (n, n)), with_sizes(b, (n,) + b.shape[1:]), lower=op.lower)


@on("Blockwise", "BlockwiseWithCoreShape")
def _(t, op, node, a):
    core = op.core_op
    if type(core).__name__ in ("Dot", "MatMul") and all(x.ndim >= 2 for x in a):
        return product(t, *a, node.outputs[0].type.dtype)
    raise Missing(f"Blockwise of {type(core).__name__}")


@on("Softmax", "LogSoftmax")
def _(t, op, node, a):
    axis = op.axis[0] if isinstance(op.axis, (tuple, list)) and len(op.axis) == 1 else op.axis
    if isinstance(axis, (tuple, list)):
        raise Missing("softmax along several axes")
    name = "softmax" if type(op).__name__ == "Softmax" else "log_softmax"
    if axis is None:
        y = with_sizes_merged(a[0], 0)
        return build(OP["RESHAPE"], (_core.library(f"{name}[0]", (y,), t.graph),), tuple((s,) for s in a[0].shape))
    return _core.library(f"{name}[{axis}]", (a[0],), t.graph)


@on("SoftmaxGrad")
def _(t, op, node, a):
    slope, y = t.together(a)
    z = slope*y
    axes = tuple(range(z.ndim)) if op.axis is None else (op.axis,) if isinstance(op.axis, int) else tuple(op.axis)
    total = build(OP["SUM"], (z,), axes)
    return z - _core.unsqueeze(total, tuple(sorted(k % z.ndim for k in axes)))*y
