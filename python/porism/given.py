"""Functions of Python that functions of the notation take: each is traced for what it is called with."""
from __future__ import annotations

import inspect

from . import _core
from .build import current, tracing
from .effects import Order
from .nodes import Graph
from .trace import as_node, name_of
from .transforms import fresh_name
from .tree import flatten, written


def is_function(x):
    return callable(x) and not isinstance(x, (_core.Node, _core.Size)) and not hasattr(x, "__array__")


def argument(structure, path, leaf):
    """What stands for an argument of this structure: a dict, a tuple, or of an array what leaf(its number, path) gives."""
    kind, inner = structure
    if kind == "array":
        return leaf(inner, path)
    if kind == "tuple":
        return tuple(argument(s, f"get[{i}]({path})", leaf) for i, s in enumerate(inner))
    return {name: argument(s, f"{path}.{name}", leaf) for name, s in inner}


def taken_from_outside(results, inputs):
    """The largest nodes that results are computed from and that depend on leaves, but on none of the inputs."""
    own, outside = {x.id for x in inputs}, set()
    met, left = set(own), list(results)
    while left:                                         # arguments before what is computed from them
        x = left[-1]
        waits = [a for a in x.args if a.id not in met]
        if x.id not in met and waits:
            left += waits
            continue
        left.pop()
        met.add(x.id)
        for which in (own, outside):
            if any(a.id in which for a in x.args):
                which.add(x.id)
        if x.op in ("INPUT", "FRESH") and x.id not in own:
            outside.add(x.id)
    found, met, left = [], set(), list(results)
    while left:
        x = left.pop()
        if x.id in outside and x.id not in met:
            met.add(x.id)
            if x.id in own or x.count or x.type == "token":     # an effect is the function's own
                left += x.args
            else:
                found.append(x)
    return found


class Traced:
    """A function of Python, traced for arguments of these types: its text in the notation, and what it takes from outside."""

    def __init__(self, name, function, signature):
        self.name, self.params = name, [p[0] for p in signature["params"]]
        graph = current() or Graph()
        nodes = [graph.input(fresh_name(), t) for _, t in signature["inputs"]]
        paths = [None]*len(nodes)

        def leaf(i, path):
            paths[i] = path
            return nodes[i]
        args = [argument(p[2], p[0], leaf) for p in signature["params"]]
        with tracing(graph), Order(graph) as order:
            result = function(*args)
            found, _ = flatten(result)
            if not found:
                raise TypeError(f"{name_of(function)} gives no array: return what is to be computed")
            results = [as_node(graph, x, name_of(function)) for x in found]
        count, results = len(results), results + order.tokens
        self.operators = tuple(graph.__dict__.get("own", {}).values())
        self.outside = taken_from_outside(results, nodes)
        inner = [graph.input(fresh_name(), x.type) for x in self.outside]
        results = _core.substitute(results, self.outside, inner) if inner else results
        self.text = graph.function(f"{name}_traced", nodes + inner, results).text() + "\n"
        self.outer = {f"{name}_from{i}": x for i, x in enumerate(self.outside)}
        places = iter(["r"] if count == 1 else [f"get[{i}](r)" for i in range(count)])
        self.body = f"let r = {name}_traced({', '.join([*paths, *self.outer])}) in {written(flatten(result)[1], places)}"

    def as_lambda(self):
        return f"({', '.join(self.params)}) => {self.body}"


def parameters(function):
    """The names of its parameters by place that have no default."""
    if hasattr(function, "names"):                      # of the notation
        return function.names
    found = inspect.signature(function).parameters.values()
    return [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]


def definitions(functions, called):
    """{name: Traced}.  called(definitions, given, which): the function of what fn `which` is called with, where there are these
    definitions, and lambdas are given for some names; None: it is not called.

    What one is called with may come from another: so it is asked again, until no type changes."""
    plain = {k: f"fn {k}({', '.join(parameters(f))}) = 0.0\n" for k, f in functions.items()}
    types, traced = {}, {}
    for _ in range(len(functions) + 1):
        before, refused = dict(types), None
        for name, function in functions.items():
            known = [t for k, t in traced.items() if k != name]
            others = "".join(text for k, text in plain.items() if k == name or k not in traced)
            try:
                found = called(others + "".join(t.text for t in known), known, name)
                signature = found.signature() if found else untyped(parameters(function))
                if signature != types.get(name):
                    traced[name], types[name] = Traced(name, function, signature), signature
            except NotImplementedError as e:
                if "is a function, which has no type" not in str(e):
                    raise
                raise TypeError(f"{name_of(function)}: the notation calls it with a function, which a function of Python "
                                "cannot take; write it in the notation") from None
            except (TypeError, ValueError) as e:
                refused = e
        if types == before:
            break
    if refused:
        raise refused
    return traced


def untyped(names):
    """The signature of a function that nobody calls: of numbers."""
    return {"params": [(n, "", ("array", i)) for i, n in enumerate(names)], "inputs": [(n, "f64") for n in names]}


def with_names_of(e, functions):
    """The error, with the functions' own names."""
    text = str(e)
    for name, function in functions.items():
        text = text.replace(name, getattr(function, "__name__", name_of(function)))
    return type(e)(text)
