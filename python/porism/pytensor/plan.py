"""What a PyTensor function runs: one program, in which PyTensor computes what has no operator here."""
from __future__ import annotations

import collections
import logging
import re

import numpy
from pytensor.graph.basic import Constant
from pytensor.scalar.basic import ScalarType
from pytensor.tensor.type import TensorType

from .performed import Call, Perform, is_array
from .translate import prepared

log = logging.getLogger("porism.pytensor")
counts = {"native": collections.Counter(), "perform": collections.Counter(), "why": collections.Counter(),
          "mistakes": collections.Counter()}


def name_of_op(op):
    """Its class; of Blockwise and Elemwise, of what, too."""
    core = getattr(op, "core_op", None) or getattr(op, "scalar_op", None)
    name = type(op).__name__
    return f"{name} of {type(core).__name__}" if core is not None and name != "CAReduce" else name


class Program:
    """A graph as a program: a function of what its inputs hold that gives what its outputs hold."""

    def __init__(self, order, inputs, outputs, options, everything=False):
        self.order, self.inputs, self.outputs, self.options = order, inputs, outputs, options
        self.translation = t = prepared(order, inputs, outputs, everything)
        self.errors = t.errors
        self.code = t.code()
        self.nodes = [t.value(v) for v in outputs]
        self.program = self.compile(self.nodes + ([self.code] if self.code is not None else []))
        self.program.arrays = True
        self.numbers = [k for k, v in enumerate(outputs) if isinstance(v.type, ScalarType)]
        self.given = [k for k, v in enumerate(inputs) if not is_array(v)]
        self.kept = [k for k, v in enumerate(outputs) if not is_array(v)]
        self.checker = None
        if t.number_of_call is not None:
            self.of = self.with_call

    def compile(self, nodes):
        t = self.translation
        call = () if t.number_of_call is None else (t.number_of_call,)
        return t.graph.function("f", (*t.inputs, *call), tuple(nodes)).compile(**self.options)

    def __call__(self, *args):
        return self.of(args)

    def of(self, args):
        try:
            results = self.program(*args)
        except Exception as e:
            self.say_what_fails(args, e)
        return self.checked(results)

    def with_call(self, args):
        """What is no array stays with the call, in whose place stands a number."""
        args, given = list(args), []
        for k in self.given:
            given.append(args[k])
            args[k] = numpy.int64(len(given) - 1)
        with Call(given, self.translation.fixed) as call:
            results = list(Program.of(self, (*args, numpy.int64(call.number))))
            for k in self.kept:
                results[k] = call[results[k]]
        return results

    def checked(self, results):
        if self.code is not None:
            code = int(results[-1])
            if code:
                error, text = self.errors[code - 1]
                raise error(text)
            results = results[:-1]
        elif len(self.outputs) == 1:
            results = (results,)
        if self.numbers:
            results = list(results)
            for k in self.numbers:
                results[k] = results[k][()]
        return results

    def say_what_fails(self, args, e):
        """A call failed: by a check of the graph, by what PyTensor computed, or by the program."""
        if self.code is not None:
            if self.checker is None:
                self.checker = self.compile([self.code])
            try:
                code = int(self.checker(*args))
            except Exception:
                code = 0
            if code:
                error, text = self.errors[code - 1]
                raise error(text) from None
        if getattr(e, "performed", False):
            raise e
        raise type(e)(as_pytensor_says(str(e))) from None


def as_pytensor_says(text):
    """What a call says, without the line of PyTensor's that called it."""
    text = re.sub(r"^\S+\.py:\d+: ", "", text)
    found = re.search(r"size (\d+) on axis \d+, wanted (\d+)$|must equal .*: (\d+) and (\d+)$", text)
    if found and "1" in found.groups():
        return "Runtime broadcasting not allowed: an axis of size 1 is not known to be one. " + text
    return text


class Performed:
    """A graph that PyTensor computes, Op by Op."""

    def __init__(self, order, inputs, outputs):
        self.steps = [Perform(n) for n in order]
        self.inputs, self.outputs = inputs, outputs

    def __call__(self, *args):
        at = dict(zip(self.inputs, args))
        for step in self.steps:
            at.update(zip(step.node.outputs, step(*[at[v] for v in step.given])))
        return [v.data if isinstance(v, Constant) else at[v] for v in self.outputs]


class Plan:
    """What computes the outputs of a FunctionGraph, and writes those inputs in which Ops are to write."""

    def __init__(self, fgraph, order, options, everything):
        written = written_inputs(fgraph, order)
        inputs, outputs = list(fgraph.inputs), list(fgraph.outputs)
        try:
            self.program = Program(order, inputs, outputs + list(written.values()), options, everything)
            translation = self.program.translation
            self.why, self.mistakes = translation.performed, translation.mistakes
        except Exception as e:
            log.warning("PyTensor computes a graph of %d Ops: %s", len(order), e)
            self.program = Performed(order, inputs, outputs + list(written.values()))
            self.why, self.mistakes = [(n, str(e)) for n in order], []
        self.performed = [n for n, _ in self.why]
        self.native = [n for n in order if n not in set(self.performed)]
        self.written = [(inputs.index(v), v) for v in written]
        self.whole = None
        if not written:
            self.whole = self.program
            self.whole.plan = self

    def __call__(self, *args):
        results = self.program(*args)
        n = len(results) - len(self.written)
        now = {}
        for (k, v), last in zip(self.written, results[n:]):
            numpy.copyto(args[k], last)
            now[v] = args[k]
        return tuple([now.get(v, r) for v, r in zip(self.program.outputs, results[:n])])


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


def plan(fgraph, order, options, everything=False):
    """What computes the outputs of a FunctionGraph of its inputs; everything: also what PyTensor computes faster."""
    made = Plan(fgraph, order, options, everything)
    for node in made.native:
        counts["native"][name_of_op(node.op)] += 1
    for node, why in made.why:
        counts["perform"][name_of_op(node.op)] += 1
        counts["why"][f"{name_of_op(node.op)}: {why}"] += 1
    for node, e in made.mistakes:
        counts["mistakes"][f"{name_of_op(node.op)}: {type(e).__name__}: {e}"] += 1
        log.warning("PyTensor computes %s, whose translation failed: %s: %s", node.op, type(e).__name__, e)
    return made
