"""Functions of Python that functions of the notation take: each is traced for what it is called with."""
from __future__ import annotations

import inspect
import re

from . import _core
from .build import tracing
from .nodes import Graph
from .trace import as_node, name_of
from .tree import flatten

NEVER = "key[7919]"                 # a type that nothing is called with: what is given instead tells the type


def is_function(x):
    return callable(x) and not isinstance(x, (_core.Node, _core.Size)) and not hasattr(x, "__array__")


def split_list(text):
    """The parts of "a: f64[m, n], b: (f64, i64)"."""
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not depth:
            parts.append(text[begin:i].strip())
            begin = i + 1
    return [p for p in parts + [text[begin:].strip()] if p]


def argument(text, path, leaves):
    """What stands for an argument of this type: a dict, a tuple, or of an array what `leaves` gives for (path, type)."""
    if text.startswith("{"):
        fields = [f.split(":", 1) for f in split_list(text[1:-1])]
        return {name.strip(): argument(t.strip(), f"{path}.{name.strip()}", leaves) for name, t in fields}
    if text.startswith("("):
        return tuple(argument(t, f"get[{i}]({path})", leaves) for i, t in enumerate(split_list(text[1:-1])))
    return leaves(path, text)


def written(x, parts):
    """A structure of results as the notation writes it."""
    if isinstance(x, dict):
        return "{" + ", ".join(f"{k} = {written(v, parts)}" for k, v in x.items()) + "}"
    if isinstance(x, (tuple, list)):
        return "(" + ", ".join(written(v, parts) for v in x) + ("," if len(x) == 1 else "") + ")"
    return next(parts)


def definition(name, function, types):
    """The text of `fn name(...)`: the function of Python, traced for arguments of these types."""
    graph = Graph()
    nodes, paths = [], []

    def leaf(path, text):
        paths.append(path)
        nodes.append(graph.input(f"x{len(nodes)}", text))
        return nodes[-1]
    names = [f"a{i}" for i in range(len(types))]
    args = [argument(t, n, leaf) for n, t in zip(names, types)]
    with tracing(graph):
        try:
            result = function(*args)
        except ValueError as e:
            if "of another graph" not in str(e):
                raise
            raise TypeError(f"{name_of(function)} takes a traced value from outside, which a function that the notation calls "
                            "cannot: call it outside of jit and grad, or write both in the notation") from None
        found, _ = flatten(result)
        if not found:
            raise TypeError(f"{name_of(function)} gives no array: return what is to be computed")
        results = [as_node(graph, x, name_of(function)) for x in found]
    text = graph.function(f"{name}_traced", nodes, results).text()
    call = f"{name}_traced({', '.join(paths)})"
    places = iter(["r"] if len(results) == 1 else [f"get[{i}](r)" for i in range(len(results))])
    params = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    return f"{text}\nfn {name}({params}) =\n    let r = {call}\n    in {written(result, places)}\n"


def parameters(function):
    """The names of its parameters by place that have no default."""
    if hasattr(function, "names"):                      # of the notation
        return function.names
    found = inspect.signature(function).parameters.values()
    return [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]


def definitions(functions, build):
    """Their texts.  functions: {name: function}.  build(text): elaborates the call with these definitions.

    What one is called with may come from another: so it is asked again, until no type changes."""
    texts = {k: f"fn {k}({', '.join(parameters(f))}) = 0.0\n" for k, f in functions.items()}
    found = {}
    for _ in range(len(functions) + 1):
        before, refused = dict(found), None
        for name, function in functions.items():
            others = "".join(text for k, text in texts.items() if k != name)
            try:
                types = types_of(name, function, others, build)
                if types != found.get(name):
                    texts[name], found[name] = definition(name, function, types), types
            except (TypeError, ValueError) as e:
                refused = e
        if found == before:
            break
    if refused:
        raise refused
    return "".join(texts.values())


def with_names_of(e, functions):
    """The error, with the functions' own names."""
    text = str(e)
    for name, function in functions.items():
        text = text.replace(name, getattr(function, "__name__", name_of(function)))
    return type(e)(text)


def types_of(name, function, others, build):
    """The types that the function is called with, found parameter by parameter."""
    params, types, sizes = parameters(function), [], {}
    for k in range(len(params)):
        wanted = types + [NEVER] + [""]*(len(params) - k - 1)
        declared = ", ".join(f"{n}: {t}" if t else n for n, t in zip(params, wanted))
        try:
            build(f"{others}fn {name}({declared}) = 0.0\n")
            return types + ["f64"]*(len(params) - k)            # nobody calls it
        except (TypeError, ValueError) as e:
            found = re.search(rf"\b{re.escape(params[k])}: given (.+), wanted {re.escape(NEVER)}", str(e).splitlines()[0])
            if not found:
                raise
            if "a function" in found[1]:
                raise TypeError(f"{name_of(function)}: the notation calls it with a function, which a function of Python "
                                "cannot take; write it in the notation") from None
            types.append(with_names(found[1], sizes))
    return types


def with_names(text, sizes):
    """The type, with a name for each size that is more than a name, a number, or one of both: `sizes` has them."""
    def size(s):
        if re.fullmatch(r"\d+|[^\W\d]\w*( [+-] \d+)?", s):
            return s
        return sizes.setdefault(s, f"size{len(sizes) + 1}")
    shown, depth, begin = [], 0, 0
    for i, c in enumerate(text):
        if c == "[" and not depth:
            shown.append(text[begin:i + 1])
            begin = i + 1
        depth += (c == "[") - (c == "]")
        if c == "]" and not depth:
            shown.append(", ".join(map(size, split_list(text[begin:i]))))
            begin = i
    return "".join(shown) + text[begin:]
