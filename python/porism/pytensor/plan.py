"""What a PyTensor function runs: one program where every operator is known, else programs with Ops between them that
PyTensor computes itself."""
from __future__ import annotations

import collections
import copy
import logging
import re

import numpy
from pytensor.graph.basic import Constant
from pytensor.ifelse import IfElse
from pytensor.scalar.basic import ScalarType
from pytensor.tensor.type import TensorType


from .linear import QUICK
from .translate import is_known, prepared

log = logging.getLogger("porism.pytensor")
counts = {"native": collections.Counter(), "perform": collections.Counter(), "why": collections.Counter()}


def name_of_op(op):
    """Its class; of Blockwise and Elemwise, of what, too."""
    core = getattr(op, "core_op", None) or getattr(op, "scalar_op", None)
    name = type(op).__name__
    return f"{name} of {type(core).__name__}" if core is not None and name != "CAReduce" else name


class Segment:
    """A program of several Ops."""

    def __init__(self, order, inputs, outputs, options, everything=False):
        self.order, self.inputs, self.outputs, self.options = order, inputs, outputs, options
        self.translation = t = prepared(order, inputs, outputs, everything=everything)
        self.errors = t.errors
        self.code = t.code()
        nodes = [t.value(v) for v in outputs]
        self.nodes = nodes
        self.program = self.compile(nodes + ([self.code] if self.code is not None else []))
        self.program.arrays = True
        self.numbers = [k for k, v in enumerate(outputs) if isinstance(v.type, ScalarType)]
        self.checker = None

    def compile(self, nodes):
        t = self.translation
        return t.graph.function("f", tuple(t.inputs), tuple(nodes)).compile(**self.options)

    def __call__(self, *args):
        try:
            results = self.program(*args)
        except Exception as e:
            self.say_what_fails(args)
            raise type(e)(as_pytensor_says(str(e))) from None
        if self.code is not None:
            code = int(results[-1])
            if code:
                error, text = self.errors[code - 1]
                raise error(text)
            results = results[:-1]
        elif len(self.outputs) == 1:
            results = (results,)
        return self.with_numbers(results) if self.numbers else results

    def with_numbers(self, results):
        results = list(results)
        for k in self.numbers:
            results[k] = results[k][()]
        return results

    def say_what_fails(self, args):
        """A call failed: if a check of the graph says why, that is its error."""
        if self.code is None:
            return
        if self.checker is None:
            self.checker = self.compile([self.code])
        try:
            code = int(self.checker(*args))
        except Exception:
            return
        if code:
            error, text = self.errors[code - 1]
            raise error(text) from None


def as_pytensor_says(text):
    """What a call says, without the line of PyTensor's that called it."""
    text = re.sub(r"^\S+\.py:\d+: ", "", text)
    found = re.search(r"size (\d+) on axis \d+, wanted (\d+)$|must equal .*: (\d+) and (\d+)$", text)
    if found and "1" in found.groups():
        return "Runtime broadcasting not allowed: an axis of size 1 is not known to be one. " + text
    return text


class Perform:
    """An Op that PyTensor computes."""

    def __init__(self, node):
        self.node, self.inputs, self.outputs = node, node.inputs, node.outputs
        self.in_cells = [[v.data if isinstance(v, Constant) else None] for v in node.inputs]
        self.out_cells = [[None] for _ in node.outputs]
        destroyed = {k for ks in getattr(node.op, "destroy_map", {}).values() for k in ks}
        self.copied = [k in destroyed for k in range(len(node.inputs))]
        self.thunk = None
        quick = QUICK.get(type(node.op).__name__)
        self.quick = quick and quick(node)

    def start(self):
        node = self.node
        cells = dict(zip(node.inputs, self.in_cells)) | dict(zip(node.outputs, self.out_cells))
        self.in_cells = [cells[v] for v in node.inputs]
        done = {v: [True] for v in node.inputs} | {v: [False] for v in node.outputs}
        self.thunk = node.op.make_thunk(node, cells, done, [], impl="py")

    def __call__(self, *args):
        if isinstance(self.node.op, IfElse):
            n = self.node.op.n_outs
            return args[1:1 + n] if args[0] else args[1 + n:]
        made = self.quick and self.quick(*args)
        if made:
            return made
        if self.thunk is None:
            self.start()
        for cell, value, copied in zip(self.in_cells, args, self.copied):
            cell[0] = copy_of(value) if copied else value
        for cell in self.out_cells:
            cell[0] = None
        self.thunk()
        results = [cell[0] for cell in self.out_cells]
        for cell in self.in_cells:
            cell[0] = None
        return results


def copy_of(value):
    return value.copy() if isinstance(value, numpy.ndarray) else copy.deepcopy(value)


class Plan:
    """Steps in order over numbered places: arguments, constants, results."""

    def __init__(self, fgraph, steps, written):
        self.steps = steps
        self.native = [n for s in steps if isinstance(s, Segment) for n in s.order]
        self.performed = [s.node for s in steps if isinstance(s, Perform)]
        places = {v: k for k, v in enumerate(fgraph.inputs)}
        self.count = len(fgraph.inputs)
        base = [None]*self.count

        def place(v):
            if v not in places:
                places[v] = len(base)
                base.append(v.data if isinstance(v, Constant) else None)
            return places[v]
        self.run = [(s, [place(v) for v in s.inputs], [place(v) for v in s.outputs]) for s in steps]
        self.results = [place(v) for v in fgraph.outputs]
        self.base = base[self.count:]
        self.written = [(places[v], place(last)) for v, last in written.items()]
        self.whole = None
        if not written and len(steps) == 1 and isinstance(steps[0], Segment) and \
                list(steps[0].inputs) == list(fgraph.inputs) and list(steps[0].outputs) == list(fgraph.outputs):
            self.whole = steps[0]
            self.whole.plan = self

    def __call__(self, *args):
        at = [*args, *self.base]
        for step, inputs, outputs in self.run:
            for k, v in zip(outputs, step(*[at[k] for k in inputs])):
                at[k] = v
        for k, last in self.written:
            numpy.copyto(args[k], at[last])
            at[last] = args[k]
        return tuple([at[k] for k in self.results])


def unknown_nodes(order):
    return {n for n in order if not all(is_known(v) for v in list(n.inputs) + list(n.outputs))}


def why_not(fgraph, order, everything):
    """{Apply: why} of those that have no translation, found in one go: what they give is taken as given."""
    bad = {n: "its types" for n in unknown_nodes(order)}

    def note(t, node, error):
        bad[node] = str(error)
        for k, v in enumerate(node.outputs):
            if is_known(v):
                t.values[v] = t.graph.input(f"y{len(bad)}_{k}", open_type(v, f"z{len(bad)}_{k}"))
    inputs = [v for v in fgraph.inputs if is_known(v)]
    given = [v for n in bad for v in n.outputs if is_known(v)]
    prepared([n for n in order if n not in bad], inputs + given, [], note, everything)
    return bad


def open_type(v, name):
    from .scalars import name_of
    shape = [str(s) if s is not None else f"{name}_{j}" for j, s in enumerate(getattr(v.type, "shape", ()))]
    return name_of(v.type.dtype) + (f"[{', '.join(shape)}]" if shape else "")


def levels_of(order, bad):
    """Ops in groups, each of which needs earlier ones alone: even ones are programs, odd ones are performed."""
    level = {}
    for node in order:
        odd = node in bad
        at = 0
        for v in node.inputs:
            if v.owner in level:
                before = level[v.owner]
                at = max(at, before + ((before % 2 == 1) != odd))
        level[node] = at + ((at % 2 == 1) != odd)
    return level


def written_inputs(fgraph, order):
    """{input: what it holds in the end} of those that Ops are to write in place."""
    root, last = {v: v for v in fgraph.inputs}, {}
    for node in order:
        for out, destroyed in getattr(node.op, "destroy_map", {}).items():
            v = root.get(node.inputs[destroyed[0]]) if len(destroyed) == 1 else None
            if v is not None and isinstance(v.type, TensorType) and v.type.ndim:
                root[node.outputs[out]] = v
                last[v] = node.outputs[out]
    return last


def steps_of(fgraph, order, bad, options, written, everything):
    level = levels_of(order, bad)
    groups = {}
    for node in order:
        groups.setdefault(level[node], []).append(node)
    wanted = set(fgraph.outputs) | set(written.values())
    steps = []
    for k in sorted(groups):
        nodes = groups[k]
        if k % 2:
            steps += [Perform(n) for n in nodes]
            continue
        made = {v for n in nodes for v in n.outputs}
        inputs = list(dict.fromkeys(v for n in nodes for v in n.inputs if v not in made and not isinstance(v, Constant)))
        outputs = [v for n in nodes for v in n.outputs
                   if v in wanted or any(level.get(c[0], k) != k for c in fgraph.clients.get(v, ()))]
        if len(groups) == 1 and len(set(fgraph.outputs)) == len(fgraph.outputs) and \
                set(outputs) == set(fgraph.outputs):
            outputs = list(fgraph.outputs)
            inputs = list(fgraph.inputs) if set(inputs) <= set(fgraph.inputs) and all(map(is_known, fgraph.inputs)) \
                else inputs
        if outputs:
            steps.append(Segment(nodes, inputs, outputs, options, everything))
    return steps


def plan(fgraph, order, options, everything=False):
    """What computes the outputs of a FunctionGraph of its inputs; everything: also what PyTensor computes faster."""
    bad = {n: "its types" for n in unknown_nodes(order)}
    written = written_inputs(fgraph, order)
    tried = 0
    while True:
        try:
            made = Plan(fgraph, steps_of(fgraph, order, bad, options, written, everything), written)
            break
        except Exception as e:
            node = getattr(e, "node", None)
            if node is None:                    # a program that does not compile: PyTensor computes it all
                log.warning("PyTensor computes a graph: %s", e)
                bad = {n: str(e) for n in order}
            elif tried:
                bad[node] = str(e)
            else:
                tried = 1
                bad = why_not(fgraph, order, everything)
                bad.setdefault(node, str(e))
    made.why = bad
    for node in made.native:
        counts["native"][name_of_op(node.op)] += 1
    for node in made.performed:
        counts["perform"][name_of_op(node.op)] += 1
        counts["why"][f"{name_of_op(node.op)}: {bad[node]}"] += 1
    return made


