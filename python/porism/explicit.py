"""Graphs built by hand, files of the notation, expressions of it; programs compiled from them."""
from __future__ import annotations

import difflib
import functools
import html
import os
import re

import numpy

from . import _core, operators
from .build import compiled, current, parts_of as parts_of_node
from .effects import invoked
from .given import definitions, is_function, with_names_of
from .instead import of_module
from .keys import Key
from .nodes import Graph
from .page import in_frame, page_of
from .trace import RESERVED, as_leaf, graph_for, is_traced, type_texts
from .tree import flatten, parts_of, written


def graph():
    """A new graph."""
    return Graph()


def compile(inputs, outputs, *, name="f", **options):
    """A program: the arrays of `outputs` as a function of those of `inputs`.

    tier     "background" (interpreted at once, native code when it is ready), "interpret", "native" (waits for it),
             "cached" or "reference"
    threads  of a call, at most; 0: as many as there are cores
    donate   so many first results are written over the first arguments, and are these
    check_finite, keep_stages, profile, rules, cache: as por_options has them"""
    outputs, inputs = ((x,) if isinstance(x, _core.Node) else tuple(x) if isinstance(x, (tuple, list)) else (x,)
                       for x in (outputs, inputs))
    nodes = inputs + outputs
    if not outputs or not all(isinstance(n, _core.Node) for n in nodes):
        raise TypeError("compile: inputs and outputs are nodes of a graph, an output at least")
    return compiled(outputs[0].graph.function(name, inputs, outputs), options)


def substitute(of, nodes, others):
    """`of`, a node or several, with `others` in the place of `nodes`: one of each, or as many."""
    lists = [x if isinstance(x, (tuple, list)) else (x,) for x in (of, nodes, others)]
    graph = next((x.graph for x in lists[0] if isinstance(x, _core.Node)), None)
    if graph is None or not all(isinstance(x, _core.Node) for x in (*lists[0], *lists[1])):
        raise TypeError("substitute: wanted nodes, as in porism.substitute(y, x, 2*x)")
    found = _core.substitute(tuple(lists[0]), tuple(lists[1]), tuple(graph.constant(x) for x in lists[2]))
    return tuple(found) if isinstance(of, (tuple, list)) else found[0]


def compile_again(text, name, options, order):
    """What pickle calls: the same program, from its notation."""
    file = Graph().load_text(text, "<pickled>")
    return compiled(file.function(name, {}), dict(options), order)


def inputs_of(node):
    """The inputs that a node is computed from."""
    seen, found, left = {node.id}, [], [node]
    while left:
        x = left.pop()
        if x.op == "INPUT":
            found.append(x)
        for a in x.args:
            if a.id not in seen:
                seen.add(a.id)
                left.append(a)
    return sorted(found, key=lambda x: x.id)


def parts_to_pickle(node):
    """(graph, names of the inputs, text): what node_again makes the node of."""
    inputs = inputs_of(node)
    return node.graph, tuple(x.name for x in inputs), node.graph.function("f", tuple(inputs), (node,)).text()


def node_again(graph, names, text):
    """What pickle calls: the node, in the graph that is pickled with it."""
    file = graph.load_text(text, "<pickled>")
    written = file.params("f")
    inputs = tuple(graph.input(name, t + (f" if {fact}" if fact else "")) for name, (_, t, _, fact) in zip(names, written))
    alone = re.match(r"fn f\(.*?\)(?: -> [^=]*)? =\s", text, re.S) if "\nfn " not in text else None
    if alone:
        return graph.parse(text[alone.end():], tuple(p[0] for p in written), inputs)
    return file.function("f", {}).invoke(inputs)


def load(path):
    """A file of the notation: its functions are attributes.  `use NAME` is NAME.por beside it, or of the library."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"load of {path!r}: it is the name of a file, as in porism.load(\"model.por\")")
    path = os.fspath(path)
    with open(path, encoding="utf-8") as f:
        return File(f.read(), path)


def library(name):
    """A module of the notation's library, "logp": its functions are attributes, called with arrays or nodes."""
    if not isinstance(name, str):
        raise TypeError(f"library of {name!r}: it is the name of a module, as in porism.library(\"logp\")")
    return File(None, name)


def notation(text, **names):
    """An expression of the notation.  Over nodes, given by name, it is a node, of several results a tuple of nodes; else a
    function of its free names."""
    if not isinstance(text, str):
        raise TypeError(f"notation of {text!r}: it is a text, as in porism.notation(\"sum(x^2)\")")
    whole = functools.partial(Function, None, "expression", text)
    graph = graph_for(names.values())
    if graph is None and names:
        raise TypeError("notation: names are given nodes; call the function with arrays: notation(text)(...)")
    if graph is None or not names and whole().names:
        return whole()
    try:
        return parts_of_node(graph.parse(text, tuple(names), tuple(names.values())))
    except TypeError as e:
        if "where one array is wanted" not in str(e):
            raise
    f = whole()                         # a record, or a tuple in a tuple: as a function gives it
    return f(**{n: names[n] for n in f.names if n in names})


class File:
    """The functions of a file; of a module of the library where there is no text."""

    def __init__(self, text, path, operators=()):
        self.path, self.text, self.operators = path, text, operators
        self.file = self.loaded(Graph())
        declared = self.file.declarations()
        self.functions = {name: Function(self, name, doc) for kind, name, doc, _ in declared if kind in ("fn", "op")}
        self.types = {name for kind, name, _, _ in declared if kind == "type"}

    def loaded(self, graph):
        """The file in that graph, with the operators of one's own that its text names."""
        for operator, count in self.operators:
            operator.define(graph, count)
        return graph.load_text(self.text, self.path)

    def is_open(self, text):
        """Is this the type of a parameter that a value has to complete: none, T[n], f64[..s]?"""
        return not text or ".." in text or not set(re.findall(r"\b[A-Z]\w*", text)) <= self.types

    def __getattr__(self, name):
        functions = self.__dict__.get("functions", {})
        if name in functions:
            return functions[name]
        near = difflib.get_close_matches(name, functions, 1)
        elsewhere = "" if near else of_module(name).lstrip("; ")
        raise AttributeError(f"{self.__dict__.get('path')} has no function {name}; " +
                             (f"the nearest is {near[0]}" if near else elsewhere or f"it has {', '.join(functions)}"))

    def __dir__(self):
        return sorted(self.functions)

    def __reduce__(self):
        return File, (self.text, self.path)

    def __repr__(self):
        return f"<porism {'module' if self.text is None else 'file'} {self.path}: {', '.join(self.functions)}>"


class Function:
    """A function of the notation, called with arrays (it is compiled when it is first called) or with nodes."""

    def __init__(self, file, name, doc, brackets=""):
        self.file, self.name, self.closed, self.brackets = file, name, None, brackets
        self.__doc__ = doc
        self.program = None
        self.by_types, self.by_some = {}, {}
        self.params = file.file.params(name) if file else None
        self.names = [p[0] for p in self.params] if file else self.free_names()

    def free_names(self):
        """Of an expression.  Where it cannot be numbers alone, the call's types tell more: its words, in order."""
        try:
            return [p[0] for p in self.function().signature()["params"]]
        except TypeError:
            words = re.findall(r"(?<![\w.])[^\W\d]\w*(?![\w]|\s*[.(\[=])", self.__doc__)
            heads = re.findall(r"\(([\w\s,]*)\)\s*=>|\blet\s+(\w+)|\blet\s+\(([\w\s,]*)\)", self.__doc__)
            bound = {n for head in heads for n in re.findall(r"\w+", " ".join(head))}
            return [n for n in dict.fromkeys(words) if n not in RESERVED and n not in bound]

    def __reduce__(self):
        if self.file is None:
            return notation, (self.__doc__,)
        return (Function, (self.file, self.name, self.__doc__, self.brackets)) if self.brackets else \
            (getattr, (self.file, self.name))

    @property
    def signature(self):
        """"loss(p: params[n], X: f64[m, n])", as it is declared."""
        if self.params is None:
            return ", ".join(self.names)
        given = [n + (f": {t}" if t else "") + (f" = {d}" if d else "") + (f" if {fact}" if fact else "")
                 for n, t, d, fact in self.params]
        return f"{self.name}{self.brackets}({', '.join(given)})"

    def __repr__(self):
        return f"<porism function {self.signature}>" if self.file else f"<porism expression {self.__doc__}>"

    def function(self):
        """The closed function of the graph; of one whose parameters have no types, see typed."""
        if self.closed is None:
            self.closed = self.file.file.function(self.name, {}) if self.file else Graph().expression(self.__doc__, {})
        return self.closed

    def text(self):
        """Its definition as the graph has it, in the notation."""
        return self.function().text()

    def compile(self, **options):
        """A program of its leaves: the arrays in its structures, in the order of program.inputs."""
        return compiled(self.function(), options)

    def page(self, *args, **named):
        """A page of HTML that needs nothing else: what became of it, with times where it is given arguments."""
        texts = {self.file.path: self.file.text} if self.file else {"": self.__doc__}
        if not args and not named:
            return page_of(self.function(), {}, texts)
        args = self.by_place(args, named)
        function = self.function_for(args, None)
        signature = function.signature()
        leaves = [None]*len(signature["inputs"])
        for (name, _, structure), arg in zip(signature["params"], args):
            place_leaves(structure, arg, leaves, name)
        return page_of(function, {}, texts, leaves)

    def _repr_html_(self):
        if any(not p[1] for p in self.params or ()):     # it has no types before it is called
            return f"<code>{html.escape(self.signature)}</code>"
        return in_frame(self.page())

    def __getitem__(self, brackets):
        """The function with these numbers in its brackets: stats.bincount[4]."""
        if self.params is None:
            raise TypeError(f"{self!r} has no brackets")
        numbers = brackets if isinstance(brackets, tuple) else (brackets,)
        return Function(self.file, self.name, self.__doc__, f"[{', '.join(map(str, numbers))}]")

    def with_some(self, names):
        """The function of these parameters, with its brackets; the others have their defaults."""
        key = names
        if key not in self.by_some:
            text, called, types = self.text_before()
            params = ", ".join(n + (f": {types[n]}" if n in types else "") for n in names)
            text += f"\nfn called_{self.name}({params}) = {called}{self.brackets}({', '.join(f'{n} = {n}' for n in names)})\n"
            self.by_some[key] = getattr(File(text, self.file.path), f"called_{self.name}")
        return self.by_some[key]

    def with_empty(self, args):
        """(the function of leaves in the place of these structures, leaves): an empty structure has no leaf that tells a type."""
        empty = [n for n, a in zip(self.names, args) if is_empty(a)]
        open_ = {p[0] for p in self.params if self.file.is_open(p[1])}
        if not set(empty) & open_:
            return None
        text, called, types = self.text_before()
        params, given, leaves = [], [], []
        for name, arg in zip(self.names, args):
            found, structure = flatten(arg) if name in open_ else ([arg], "leaf")
            names = [f"{name}_{i}_" for i in range(len(found))] if structure != "leaf" else [name]
            params += [n + (f": {types[n]}" if n in types else "") for n in names]
            given.append(f"{name} = {written(structure, iter(names))}")
            leaves += found
        text += f"\nfn called_{self.name}({', '.join(params)}) = {called}({', '.join(given)})\n"
        if text not in self.by_some:
            self.by_some[text] = getattr(File(text, self.file.path, self.file.operators), f"called_{self.name}")
        return self.by_some[text], leaves

    def with_functions(self, functions, seeds, args):
        """(the function of the other parameters, what is given to it): these are functions of Python, and of these keys the
        seeds are given.  What they take from outside is given too."""
        types, typed = {}, dict(self.written_types())
        for name, arg in zip(self.names, args):
            if name not in functions and name not in seeds and self.file.is_open(typed[name]):
                leaf_types(name, arg, types)
        key = tuple(functions.items()), seeds, tuple(types.items())
        rest = [a for n, a in zip(self.names, args) if n not in functions]
        if key in self.by_some:
            return self.by_some[key], rest
        inside = {f"given_{n}": f for n, f in functions.items()}
        name = f"with_{self.name}"

        def text_with(texts, traced):
            return self.text_of_call(name, texts, functions, seeds, {t.name: t for t in traced})

        def called(texts, traced, which):
            text = text_with(texts, traced)
            return File(text, self.file.path, operators_of(traced)).file.called(name, types | outside_types(traced), which)
        try:
            traced = list(definitions(inside, called).values())
            file = File(text_with("".join(t.text for t in traced), traced), self.file.path, operators_of(traced))
            file.file.function(name, types | outside_types(traced))
        except (TypeError, ValueError) as e:
            raise with_names_of(e, inside) from None
        found = getattr(file, name)
        outer = [x for t in traced for x in t.outside]
        if not outer and current() is None:
            self.by_some[key] = found
        return found, rest + outer

    def text_of_call(self, name, texts, functions, seeds, traced):
        """The text of the file, of these definitions, and of a call, fn `name`, in which functions stand for their names."""
        text, called, kept = self.text_before()
        params = [n + (": i64" if n in seeds else f": {kept[n]}" if n in kept else "") for n in self.names
                  if n not in functions]
        params += [n for t in traced.values() for n in t.outer]
        given = []
        for n in self.names:
            inner = traced.get(f"given_{n}")
            value = inner.as_lambda() if inner else f"given_{n}" if n in functions else f"key({n})" if n in seeds else n
            given.append(f"{n} = {value}")
        return f"{text}\nfn {name}({', '.join(params)}) = {called}({', '.join(given)})\n{texts}"

    def written_types(self):
        return [(p[0], p[1]) for p in self.params]

    def text_before(self):
        """(a text that has the function, what it is called there, types of parameters that can be written behind it)"""
        module = self.file.path if self.file.text is None and self.file.path != "prelude" else None
        kept = {n: t for n, t in self.written_types() if re.fullmatch(r"(bool|key|b?[fiu]\d+)(\[[\w, ]*\])?", t)}
        return f"use {module}\n" if module else self.file.text or "", (f"{module}." if module else "") + self.name, kept

    def __call__(self, *args, **named):
        if self.params is not None:
            given = {p[0] for p in self.params[:len(args)]} | set(named)
            left = [p for p in self.params if p[0] not in given]
            if self.brackets or (left and all(p[2] for p in left)):
                names = tuple(p[0] for p in self.params if p[0] in given or not p[2])
                return self.with_some(names)(*args, **named)
        args = self.by_place(args, named)
        functions = {n: a for n, a in zip(self.names, args) if is_function(a)}
        seeds = tuple(p[0] for p, a in zip(self.params or (), args) if p[1] == "key" and is_seed(a))
        for p, a in zip(self.params or (), args):
            if p[1] == "key" and not is_seed(a) and not isinstance(a, (_core.Node, Key)):
                raise TypeError(f"{self.name}: {p[0]} is given {a!r}, wanted a key, or a whole number, of which the key is made")
        if seeds or (functions and self.params):
            function, given = self.with_functions(functions, seeds, args)
            return function(*given)
        if self.params and any(map(is_empty, args)):
            whole = self.with_empty(args)
            if whole:
                return whole[0](*whole[1])
        traced = graph_for(flatten(args)[0]) if is_traced(flatten(args)[0]) else None
        function = self.function_for(args, traced)
        signature = function.signature()
        leaves = [None]*len(signature["inputs"])
        for (name, _, structure), arg in zip(signature["params"], args):
            place_leaves(structure, arg, leaves, name)
        if traced is not None:
            given = [as_input(traced, x, t) for x, (_, t) in zip(leaves, signature["inputs"])]
            results = invoked(traced, function, given, len(signature["outputs"]))
        else:
            result = self.program_of(function)(*leaves)
            results = [result] if len(signature["outputs"]) == 1 else result
        return take_leaves(signature["result"], results)

    def by_place(self, args, named):
        names = self.names
        if len(args) > len(names):
            raise TypeError(f"{self.name}: given {len(args)} arguments, wanted {len(names)}")
        found = dict(zip(names, args))
        for k, v in named.items():
            if k not in names or k in found:
                raise TypeError(f"{self.name}: there is no argument {k}, or it is given twice; there are {', '.join(names)}")
            found[k] = v
        missing = [n for n in names if n not in found]
        if missing:
            raise TypeError(f"{self.name if self.file else self.__doc__}: argument {missing[0]} is missing")
        return tuple(found[n] for n in names)

    def program_of(self, function):
        if function is self.closed:
            if self.program is None:
                self.program = self.compile()
            return self.program
        program = self.by_types.get(id(function))
        if program is None:
            program = self.by_types[id(function)] = function.compile()
        return program

    def function_for(self, args, traced):
        """The function for these arguments, in their graph."""
        untyped = [p[0] for p in self.params if self.file.is_open(p[1])] if self.file else self.names
        if traced is None and not untyped:
            return self.function()
        types = {}
        for name, arg in zip(self.names, args):
            if name in untyped:
                leaf_types(name, arg, types)
        if traced is None:
            key = tuple(types.items())
            if key not in self.by_types:
                self.by_types[key] = self.file.file.function(self.name, types) if self.file else \
                    Graph().expression(self.__doc__, types)
            return self.by_types[key]
        if self.file is None:
            return traced.expression(self.__doc__, types)
        return self.file.loaded(traced).function(self.name, types)


def is_empty(x):
    """Is a structure without leaves in it?"""
    found = parts_of(x)
    return found is not None and (not found[2] or any(map(is_empty, found[2])))


def operators_of(traced):
    return tuple(dict.fromkeys(o for t in traced for o in t.operators))


def outside_types(traced):
    return {n: x.type for t in traced for n, x in t.outer.items()}


def is_seed(x):
    return isinstance(x, (int, numpy.integer)) and not isinstance(x, bool)


def as_input(graph, x, text):
    """An argument among nodes: a plain number has the dtype that is wanted, and a seed is its key, as in a call with arrays."""
    if text == "key" and isinstance(x, _core.Node) and x.dtype[0] in "iu":
        return operators.key(x)
    if isinstance(x, (float, int)):
        return graph.constant(numpy.asarray(x)).astype(text.split("[")[0])
    return x


def leaf_types(path, x, types):
    """The type of each leaf of an argument, by path."""
    found = parts_of(x)
    if found is not None:
        for key, part in zip(found[1], found[2]):
            leaf_types(f"{path}.{key}", part, types)
    elif isinstance(x, _core.Node):
        types[path] = x.type
    else:
        a = as_leaf(x)
        dtype = _core.dtype_name(getattr(a, "dtype", type(a)))
        types[path] = type_texts([(dtype, getattr(a, "shape", ()))], [])[0]


def place_leaves(structure, x, leaves, path):
    """The leaves of an argument, each at its place among the inputs."""
    kind, inner = structure
    found = parts_of(x)
    if kind == "array":
        if found is not None and not (isinstance(x, (list, tuple)) and x):      # of numbers it is an array
            raise TypeError(f"{path}: given {x!r}, wanted an array")
        leaves[inner] = x
        return
    if found is None:
        raise TypeError(f"{path}: given {x!r}, wanted a {kind}: {shown_structure(structure)}")
    keys, parts = found[1], found[2]
    if kind == "tuple":
        if len(parts) != len(inner):
            raise TypeError(f"{path}: given {len(parts)} parts, wanted {len(inner)}")
        for i, (s, part) in enumerate(zip(inner, parts)):
            place_leaves(s, part, leaves, f"{path}.{i}")
        return
    by_key = dict(zip(keys, parts))
    if set(by_key) != {k for k, _ in inner}:
        raise TypeError(f"{path}: given the fields {', '.join(map(str, keys))}, wanted {shown_structure(structure)}")
    for key, s in inner:
        place_leaves(s, by_key[key], leaves, f"{path}.{key}")


def take_leaves(structure, results):
    """Results in their structure: records are dicts."""
    kind, inner = structure
    if kind == "array":
        return results[inner]
    if kind == "tuple":
        return tuple(take_leaves(s, results) for s in inner)
    return {key: take_leaves(s, results) for key, s in inner}


def shown_structure(structure):
    kind, inner = structure
    if kind == "array":
        return "array"
    if kind == "tuple":
        return "(" + ", ".join(shown_structure(s) for s in inner) + ")"
    return "{" + ", ".join(f"{k}: {shown_structure(s)}" for k, s in inner) + "}"
