"""PyTensor's loops and branches as those of a graph."""
from __future__ import annotations

import numpy

from .. import _core, operators
from ..build import build
from ..nodes import broadcast_to, concatenate
from . import sizes
from .arrays import cut, on, squeezed, with_sizes
from .scalars import Missing, cast, number, truth, where, x_dtype

OP = operators.OP


def row(x, i):
    """x[i] for a computed i."""
    return x.graph.parse("x[i]", ("x", "i"), (x, i))


def with_row(x, i, v):
    return x.graph.parse("x with [i] = v", ("x", "i", "v"), (x, i, v))


@on("IfElse")
def _(t, op, node, a):
    n, which = op.n_outs, truth(a[0])
    for side in (0, 1):
        asked_on_side(t, node, which, side)
    results = []
    for out, yes, no in zip(node.outputs, a[1:1 + n], a[1 + n:]):
        if not yes.ndim == no.ndim == getattr(out.type, "ndim", 0):
            raise Missing("sides of other ranks")
        results.append(_core.cond(which, *of_one_shape(which, yes, no)))
    return results


def asked_on_side(t, node, which, side):
    """What is computed for one side alone is checked where that is taken."""
    codes = t.checks.codes
    if not codes:
        return
    n, zero = node.op.n_outs, t.graph.constant(numpy.asarray(0))
    for apply in needed_alone(t.scope, node, range(1 + side*n, 1 + (side + 1)*n)):
        for k in t.checks.made.get(apply, ()):
            codes[k] = _core.cond(which, zero, codes[k]) if side else _core.cond(which, codes[k], zero)


def needed_alone(scope, node, places):
    """The Applies of a graph that are computed for these inputs of the node and for nothing else."""
    order, outputs = scope
    others = set(outputs)                           # variables that something else needs
    others.update(v for k, v in enumerate(node.inputs) if k not in places)
    wanted, found = {node.inputs[k] for k in places}, []
    for apply in reversed(order):
        if apply is node:
            continue
        if wanted.intersection(apply.outputs) and not others.intersection(apply.outputs):
            wanted.update(apply.inputs)
            found.append(apply)
        else:
            others.update(apply.inputs)
    return found


def of_one_shape(which, yes, no):
    """Both sides in the sizes of the one that is taken, which are numbers that the call computes."""
    for axis, (n, m) in enumerate(zip(yes.shape, no.shape)):
        if not sizes.same(n, m):
            n, m = (sizes.node(which.graph, s) for s in (n, m))
            taken = sizes.of_node(where(which, n, m))
            yes, no = cut(yes, axis, 0, taken), cut(no, axis, 0, taken)
    return yes, no


@on("OpFromGraph")
def _(t, op, node, a):
    return t.inner(op.fgraph, a)


class Storage:
    """An output of a Scan that looks back at its own values: PyTensor gives an array whose first `before` rows are the
    values before the loop, and in which the loop writes, around its end where it is short."""

    def __init__(self, t, loop, array, taps, steps, traced, dtype):
        self.t, self.loop, self.array, self.steps = t, loop, array, steps
        self.before = -min(min(taps), 0)
        self.taps = taps
        length = array.shape[0]
        self.full = traced and sizes.same(length, sizes.add(steps, self.before))
        self.short = isinstance(length, int) and length == self.before
        if self.full or self.short:             # the last rows alone are carried; the others are stacked
            self.rows = [loop.carry(squeezed(cut(array, 0, j, 1), [0])) for j in range(self.before)]
        else:
            self.rows = None
            self.buffer = loop.carry(array)

    def place(self, tap):
        at = self.loop.index() + number(self.array, self.before + tap, "int64")
        size = sizes.node(self.t.graph, self.array.shape[0])
        return build(OP["MOD"], (at, size))

    def read(self):
        if self.rows is not None:
            return [self.rows[self.before + tap] for tap in self.taps]
        return [row(self.buffer, self.place(tap)) for tap in self.taps]

    def follow(self, value):
        like = self.rows[-1] if self.rows is not None else None
        if like is not None:
            value = with_sizes(cast_like(value, like), like.shape)
            for now, after in zip(self.rows, self.rows[1:] + [value]):
                self.loop.next(now, after)
            self.stack = self.loop.stack(value) if self.full else None
        else:
            shape = self.buffer.shape[1:]
            self.loop.next(self.buffer, with_row(self.buffer, self.place(0), with_sizes(cast_like(value, self.buffer), shape)))

    def last(self, passes):
        if self.full:
            return concatenate([cut(self.array, 0, 0, self.before), self.loop.stacked(self.stack)], 0)
        if self.short:
            return concatenate([_core.unsqueeze(self.loop.last(r), (0,)) for r in self.rows], 0)
        return ended(self.t, self.loop.last(self.buffer), passes, self.before)


def cast_like(x, like):
    return cast(x, x_dtype(like))


def ended(t, x, passes, before):
    """A buffer after the loop: turned so that the newest is last where it was written around its end; cut, or zero,
    where the loop ended before."""
    n = x.shape[0]
    if isinstance(n, int) and n == 0:
        return x
    size = sizes.node(t.graph, n)
    written = passes.count + number(x, before, "int64")
    one = number(x, 1, "int64")
    around = build(OP["AND"], (build(OP["LT"], (size, written)), build(OP["LT"], (one, size))))
    shift = where(around, build(OP["MOD"], (written, build(OP["MAXIMUM"], (size, one)))), number(x, 0, "int64"))
    i = t.graph.iota(n)
    at = build(OP["MOD"], (i + shift, build(OP["MAXIMUM"], (size, one))))
    x = row(x, at)
    if passes.may_stop:
        return cut(x, 0, 0, _core.size_of_node(build(OP["MINIMUM"], (size, written))))
    done = build(OP["LT"], (i, written))
    done = _core.unsqueeze(done, tuple(range(1, x.ndim))) if x.ndim > 1 else done
    return where(done, x, cast_like(number(x, 0, "int64"), x))


class Passes:
    """How many passes a loop makes, at most and in the end."""

    def __init__(self, t, op, steps):
        self.t, self.may_stop = t, op.info.as_while
        self.steps = sizes.of_node(steps)
        self.loop = _core.Loop(t.graph, sizes.node(t.graph, self.steps), False)
        if self.may_stop:
            self.goes_on = self.loop.carry(t.graph.constant(numpy.asarray(True)))
            self.made = self.loop.carry(t.graph.constant(numpy.asarray(0)))
            self.loop.while_(self.goes_on, None)

    def follow(self, stop):
        if self.may_stop:
            self.loop.next(self.goes_on, build(OP["NOT"], (truth(stop),)))
            self.loop.next(self.made, self.made + number(self.made, 1, "int64"))

    def end(self):
        self.loop.close()
        self.count = self.loop.last(self.made) if self.may_stop else sizes.node(self.t.graph, self.steps)


@on("Scan")
def _(t, op, node, a):
    info = op.info
    passes = Passes(t, op, a[0])
    loop, steps = passes.loop, passes.steps
    sequences = [loop.each(of_steps(x, steps)) for x in op.outer_seqs(a)]
    mit_mots = [loop.carry(x) for x in op.outer_mitmot(a)]
    index = loop.index()
    taps_in = [row(b, index + number(b, tap, "int64")) for b, taps in zip(mit_mots, info.normalized_mit_mot_in_slices)
               for tap in taps]
    traced = not info.as_while
    back = [Storage(t, loop, x, taps, steps, traced, x.dtype) for x, taps in
            zip(op.outer_mitsot(a) + op.outer_sitsot(a), info.mit_sot_in_slices + info.sit_sot_in_slices)]
    seen = [x for s in back for x in s.read()]
    plain = [loop.carry(x) for x in op.outer_untraced_sit_sot(a)]
    inputs = sequences + taps_in + seen + plain + list(op.outer_non_seqs(a))
    with t.in_loop(loop) as body:
        outs = t.inner(op.fgraph, inputs)
        body.follow()
    for b, values, taps in zip(mit_mots, op.inner_mitmot_outs_grouped(outs), info.normalized_mit_mot_out_slices):
        now = b
        for v, tap in zip(values, taps):
            now = with_row(now, index + number(b, tap, "int64"), with_sizes(cast_like(v, b), b.shape[1:]))
        loop.next(b, now)
    for s, v in zip(back, op.inner_mitsot_outs(outs) + op.inner_sitsot_outs(outs)):
        s.follow(v)
    new = [New(t, passes, n, v) for n, v in zip(op.outer_nitsot(a), op.inner_nitsot_outs(outs))]
    for b, v in zip(plain, op.inner_untraced_sit_sot_outs(outs)):
        loop.next(b, with_sizes(cast_like(v, b), b.shape))
    passes.follow(outs[-1])
    passes.end()
    body.end()
    results = [loop.last(b) for b in mit_mots] + [s.last(passes) for s in back] + [s.last() for s in new]
    return results + [loop.last(b) for b in plain]


def of_steps(x, steps):
    """The first rows of a sequence, as many as there are passes."""
    return cut(x, 0, 0, steps)


class New:
    """An output of a Scan that looks at nothing before."""

    def __init__(self, t, passes, length, value):
        self.t, self.passes = t, passes
        n = sizes.of_node(length)
        self.full = not passes.may_stop and sizes.same(n, passes.steps)
        if self.full:
            self.stack = passes.loop.stack(value)
            return
        zero = cast_like(t.graph.constant(numpy.zeros((), "int8")), value)
        self.buffer = passes.loop.carry(broadcast_to(zero, (n,) + tuple(value.shape)))
        size = build(OP["MAXIMUM"], (sizes.node(t.graph, n), number(value, 1, "int64")))
        at = build(OP["MOD"], (passes.loop.index(), size))
        passes.loop.next(self.buffer, with_row(self.buffer, at, value))

    def last(self):
        loop = self.passes.loop
        if self.full:
            return loop.stacked(self.stack)
        return ended(self.t, loop.last(self.buffer), self.passes, 0)
