"""jit: a function of Python is called once with nodes in the place of arrays, and what it did with them is compiled."""
from __future__ import annotations

import contextlib
import functools
import inspect
import linecache
import re
import sys

import numpy

from . import _core
from .arrays import SHORT
from .build import compiled, current, dtype_name, tracing
from .effects import Order
from .keys import Key
from .nodes import Graph
from .page import in_frame, page_of
from .tree import flatten, paths, unflatten

OPTIONS = ("tier", "threads", "check_finite", "keep_stages", "profile", "rules", "cache")
SIZES_OF = re.compile(r"\w+")
TOLD = 8                                # arguments that a message names
SYMBOLS = "nmklpqrstuvwabcdefgh"        # for sizes, in order; then n1, n2, ...


def jit(function=None, *, static=(), donate=(), **options):
    """`function`, compiled for the dtypes, ranks and structures that it is called with.

    It is traced once for all sizes, but for those that are 0 or 1.  `static` names arguments that are no arrays: it is
    traced for each of their values.  `donate` names arguments whose memory results take: the arrays in it are written over,
    and are the results of their dtype and shape.  Options are those of porism.compile: tier, threads, ..."""
    if function is None:
        return functools.partial(jit, static=static, donate=donate, **options)
    if not callable(function):
        raise TypeError(f"jit of {function!r}, which is no function")
    unknown = [o for o in options if o not in OPTIONS]
    if unknown:
        if unknown[0] in ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames"):
            option = unknown[0].split("_")[0]
            raise TypeError(f"jit has no option {unknown[0]}: write {option}=\"name\" of the argument")
        raise TypeError(f"jit has no option {unknown[0]}: there are static, donate (names of arguments), "
                        f"{', '.join(OPTIONS)}")
    if not isinstance(options.get("threads", 0), int):
        raise TypeError(f"threads: a whole number, 0 for as many as there are cores, and not {options['threads']!r}")
    _core.check_tier(options.get("tier", "background"))
    return Jit(function, _names("static", static), options, _names("donate", donate)).dispatch


def _names(what, given):
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, (tuple, list)) or not all(isinstance(s, str) for s in given):
        raise TypeError(f"{what}: a name of an argument, or a tuple of names, and not {given!r}")
    return tuple(given)


def kinds_in(value):
    """What tells True, 1 and 1.0 apart, which are equal."""
    return (type(value), *map(kinds_in, value)) if isinstance(value, tuple) else type(value)


TRACED = (_core.Node, _core.Size)


def is_traced(leaves):
    return any(isinstance(x, TRACED) for x in leaves if type(x) is not numpy.ndarray)


class Jit:
    """What stands behind a function of `jit`: its traces, by the structure of its arguments."""

    def __init__(self, function, static, options, donate=()):
        self.function, self.static, self.options, self.donate = function, static, options, donate
        self.by_structure = {}
        self.name = name_of(function)
        self.params = names_of(function)
        for what, names in (("static", static), ("donate", donate)):
            unknown = [s for s in names if s not in self.params]
            if unknown:
                raise ValueError(f"{what}: {self.name} has no argument {unknown[0]}")
        self.dispatch = _core.Dispatch(None if static else self.plain, self.other)
        functools.update_wrapper(self.dispatch, function)
        self.dispatch.made = static, donate, tuple(options.items())
        self.dispatch.notation = self.notation
        self.dispatch.by_structure = self.by_structure      # whose programs are the function's too
        self.dispatch.page = self.page
        self.dispatch.signature = f"{self.name}({', '.join(self.params)})"
        self.dispatch._repr_html_ = self.shown
        self.last = None                # what was traced last, for a notebook

    def plain(self, types, sizes):
        """A trace of arguments that are arrays and numbers, by place."""
        structure = (("tuple",), tuple(range(len(types))), ("leaf",)*len(types))
        return self.trace(((structure, (("dict",), (), ())), (), ()), types, sizes)

    def other(self, *args, **named):
        """A call whose arguments are structures or nodes, or are given by name."""
        key, leaves = self.taken_apart(args, named)
        if is_traced(leaves) or current() is not None:
            return self.function(*args, **named)
        at = self.by_structure.get(key)
        if at is None:
            at = self.by_structure[key] = _core.Dispatch(functools.partial(self.trace, key), None)
        return at(*[as_leaf(x) for x in leaves])

    def taken_apart(self, args, named):
        """((structures, static values), leaves) of a call."""
        static = []
        if self.static:
            bound = inspect.signature(self.function).bind(*args, **named)
            static = [(k, bound.arguments.pop(k)) for k in self.static if k in bound.arguments]
            args, named = (), bound.arguments
        leaves, structure = flatten(tuple(args))
        more, named_structure = flatten(dict(named))
        key = (structure, named_structure), tuple(static), tuple(kinds_in(v) for _, v in static)
        try:
            hash(key)
        except TypeError as e:
            raise TypeError(f"{self.name}: a static argument is a key of its traces: {e}") from None
        return key, leaves + more

    def trace(self, key, types, sizes):
        """(program, what makes the structure of the results of its own, or None)"""
        self.last = key, types
        name, graph, nodes, results, rebuild = self.traced(key, types, sizes)
        if not self.donate:
            return compiled(closed(name, graph, nodes, results), self.options), rebuild
        given = [i for i, owner in enumerate(self.owners(key)) if owner in self.donate]
        order, results, places = donated(name, given, nodes, results)
        function = closed(name, graph, [nodes[i] for i in order], results)
        program = compiled(function, {"donate": len(given), **self.options}, tuple(order))
        return program, reordered(places, rebuild)

    def owners(self, key):
        """The name of the argument that each leaf is of."""
        (structure, named_structure), _, _ = key
        names = [*self.params[:len(structure[2])], *(f"x{i}" for i in range(len(self.params), len(structure[2])))]
        parts = [*zip(names, structure[2]), *zip(named_structure[1], named_structure[2])]
        return [name for name, part in parts for _ in range(leaf_count(part))]

    def traced(self, key, types, sizes=()):
        """(name, graph, inputs, results, what makes their structure)"""
        (structure, named_structure), static, _ = key
        graph = Graph()
        graph.least = 2
        names = distinct(self.leaf_names(structure, named_structure))
        texts = type_texts(types, names)
        nodes = [graph.input(name, text) for name, text in zip(names, texts)]
        count = len(nodes) - leaf_count(named_structure)
        args, named = unflatten(structure, nodes[:count]), unflatten(named_structure, nodes[count:])
        with tracing(graph), Order(graph) as graph.traced:
            with lists_told([*zip(self.params, args), *named.items()]), sizes_told(self.told_names(structure, names), texts, sizes):
                result = self.function(*args, **named, **dict(static))
            leaves, result_structure = flatten(result)
            if not leaves and not graph.traced.tokens:
                raise TypeError(f"{self.name} gives no array: return what is to be computed")
            results = [as_node(graph, x, self.name) for x in leaves]
        return self.name, graph, nodes, results, rebuilder(result_structure, len(leaves))

    def told_names(self, structure, names):
        """Those of the user's parameters; None for others, as of *args."""
        count = leaf_count(structure) - sum(map(leaf_count, structure[2][len(self.params):]))
        own = leaf_count(structure)
        return [*names[:count], *(None for _ in range(own - count)), *names[own:]]

    def leaf_names(self, structure, named_structure):
        names = []
        for i, part in enumerate(structure[2]):
            names += paths(part, self.params[i] if i < len(self.params) else f"x{i}")
        for k, part in zip(named_structure[1], named_structure[2]):
            names += paths(part, k)
        return names

    def notation(self, *args, **named):
        """What a call with these arguments computes, in the notation."""
        key, leaves = self.taken_apart(args, named)
        found = []

        def keep(types, sizes):
            name, graph, nodes, results, _ = self.traced(key, types, sizes)
            found.append(closed(name, graph, nodes, results).text())
            raise Found
        try:
            _core.Dispatch(keep, None)(*[as_leaf(x) for x in leaves])
        except Found:
            return found[0]

    def page(self, *args, **named):
        """A page of HTML that needs nothing else: what became of the function for these arguments, with the times of calls."""
        key, leaves = self.taken_apart(args, named)
        leaves = [as_leaf(x) for x in leaves]
        found = []

        def keep(types, sizes):
            found.extend((types, sizes))
            raise Found
        try:
            _core.Dispatch(keep, None)(*leaves)
        except Found:
            pass
        name, graph, nodes, results, _ = self.traced(key, *found)
        return page_of(closed(name, graph, nodes, results), self.options, self.texts(), leaves)

    def shown(self):
        """In a notebook: the page of what was traced last, without times."""
        if self.last is None:
            return f"<code>{self.name}: call it, and it is shown</code>"
        name, graph, nodes, results, _ = self.traced(*self.last)
        return in_frame(page_of(closed(name, graph, nodes, results), self.options, self.texts()))

    def texts(self):
        """The user's file that the function is in."""
        code = getattr(self.function, "__code__", None)
        lines = linecache.getlines(code.co_filename) if code else []
        return {code.co_filename: "".join(lines)} if lines else {}


def closed(name, graph, nodes, results):
    """The function that was traced, with its effects."""
    return graph.function(name, nodes, [*results, *graph.traced.tokens])


def pickled(dispatch):
    """By its name where the module has it under that, else as what it was made of."""
    found = sys.modules.get(dispatch.__module__)
    for part in dispatch.__qualname__.split("."):
        found = getattr(found, part, None)
    return dispatch.__qualname__ if found is dispatch else (jit_again, (dispatch.__wrapped__, *dispatch.made))


def jit_again(function, static, donate, options):
    """What pickle calls."""
    return jit(function, static=static, donate=donate, **dict(options))


def donated(name, given, nodes, results):
    """(order of inputs, results, the place in them of each result): the inputs `given` come first, each before the first
    result of its type that no other has."""
    left, chosen = list(range(len(results))), []
    for i in given:
        like = [j for j in left if results[j].type == nodes[i].type]
        if not like:
            raise ValueError(f"{name}: donate: no result has the dtype and shape of {nodes[i]}, {nodes[i].type}")
        left.remove(like[0])
        chosen.append(like[0])
    order = [*given, *(i for i in range(len(nodes)) if i not in given)]
    chosen += left
    return order, [results[j] for j in chosen], [chosen.index(j) for j in range(len(results))]


def reordered(places, rebuild):
    """What makes results of those that stand at these places."""
    if places == sorted(places):
        return rebuild
    if rebuild is None:
        return lambda results: tuple(results[i] for i in places)
    return lambda results: rebuild(tuple(results[i] for i in places))


class Found(Exception):
    """The types of a call are known; it is not to be made."""


@contextlib.contextmanager
def lists_told(given):
    """Where a list that is given has no sign or method that an array has, the error says that it is one."""
    try:
        yield
    except (TypeError, AttributeError) as e:
        lists = [name for name, x in given if isinstance(x, list)]
        if lists and re.search(r"'list'|multiply sequence|numpy.asarray", str(e)):
            e.args = (f"{e}: {lists[0]} is given a list, which is a structure of arrays; give np.array(...) for one array",)
        raise


@contextlib.contextmanager
def sizes_told(names, texts, sizes):
    """Of an error that has names of several sizes it is told which arguments have them, and what they are in this call."""
    try:
        yield
    except (TypeError, ValueError) as e:
        told = len(e.args) == 1 and with_sizes(str(e), names, texts, sizes)
        if told:
            e.args = (told,)
        raise


def with_sizes(message, names, texts, sizes):
    """The message with the arguments whose sizes it names; None where it names fewer than two."""
    given = [(name and f"{name}: {text}", dict(zip(SIZES_OF.findall(text.partition("[")[2]), dims)))
             for name, text, dims in zip(names, texts, sizes)]
    said = {size for shape in re.findall(r"\b(?:bool|key|b?[fiuc]\d+)\[([^\]]*)\]", message) for size in re.findall(r"\b[^\W\d]\w*", shape)}
    given = [(text, {k: n for k, n in dims.items() if k in said}) for text, dims in given]
    shown = [text for text, dims in given if dims and text]
    values = {k: n for _, dims in given for k, n in dims.items()}
    if len(values) < 2 or len(shown) > TOLD:
        return None
    message = re.sub(r"; \w+ and \w+ are declared as two sizes: (keep .*), or give both one name", r"; \1", message)
    called_with = f"called with {', '.join(shown)}, " if shown else ""
    return f"{message}; {called_with}where {', '.join(f'{k} = {n}' for k, n in values.items())}"


def called(how, function, *args, **named):
    """function(*args, **named); where it does not take so many, the error says how it is called."""
    try:
        return function(*args, **named)
    except TypeError as e:
        if e.__traceback__.tb_next is None and "argument" in str(e):       # it is of this call, and of none within
            e.args = (f"{e}: {how}",)
        raise


def name_of(function):
    name = getattr(function, "__name__", "f")
    return name if name.isidentifier() and name.isascii() else "f"


def names_of(function):
    """The parameters that arguments by place go to."""
    try:
        params = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in params if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


RESERVED = {"let", "in", "if", "then", "else", "fn", "op", "type", "use", "book", "scan", "with", "and", "or", "not", "do",
            "while", "back", "pi", "inf", "nan", "true", "false", "key", *SHORT}


def distinct(names):
    """Names that the notation takes for inputs, each once."""
    seen = set()
    for i, name in enumerate(names):
        name = re.sub(r"\W", "_", name, flags=re.ASCII).lstrip("_") or "x"
        name = "x" + name if name[0].isdigit() else name
        while name in seen or name in RESERVED:
            name += "_"
        seen.add(name)
        names[i] = name
    return names


def symbol_names(taken):
    for letter in SYMBOLS:
        if letter not in taken:
            yield letter
    number = 0
    while True:
        number += 1
        if f"n{number}" not in taken:
            yield f"n{number}"


def type_texts(types, names):
    """"f64[n, m]" of each leaf; equal numbers of sizes are one symbol."""
    symbols, letters = {}, symbol_names(set(names))
    texts = []
    for dtype, sizes in types:
        shown = []
        for s in sizes:
            if s < 0 and s not in symbols:
                symbols[s] = next(letters)
            shown.append(str(s) if s >= 0 else symbols[s])
        texts.append(f"{dtype}[{', '.join(shown)}]" if shown else dtype)
    return texts


def leaf_count(structure):
    return 1 if structure == "leaf" else sum(leaf_count(s) for s in structure[2])


def from_dlpack(x):
    try:
        return numpy.from_dlpack(x)
    except (RuntimeError, BufferError, TypeError, ValueError) as e:
        if "grad" in str(e):                            # PyTorch says what to write
            raise
        what = f"a {type(x).__name__} of {getattr(x, 'dtype', 'a dtype')} on {getattr(x, 'device', 'a device')}"
        raise TypeError(f"{what}: wanted one on the CPU, of a dtype that NumPy has, as x.cpu().float() is ({e})") from None


def as_leaf(x):
    """An argument as an array of NumPy's, without a copy where there need be none."""
    if type(x) is numpy.ndarray and x.dtype.isnative:
        return x
    if isinstance(x, (float, int, _core.Array)):
        return x
    if isinstance(x, complex):
        return numpy.asarray(x)
    if isinstance(x, numpy.ma.MaskedArray):
        raise TypeError("a masked array: give x.filled(v), or x.data and its mask x.mask")
    if isinstance(x, (numpy.ndarray, numpy.generic)) or hasattr(x, "__array_interface__"):
        a = numpy.asarray(x)
    elif hasattr(x, "__dlpack__"):
        a = from_dlpack(x)
    elif hasattr(x, "__array__"):
        a = numpy.asarray(x)
    else:
        try:
            a = numpy.asarray(memoryview(x))
        except TypeError:
            if callable(x):
                name = getattr(x, "__name__", repr(x))
                raise TypeError(f"{name} is a function, where an array was wanted: of porism.jit it is static "
                                "(porism.jit(f, static=\"name\"))") from None
            raise TypeError(f"{x!r} is no array: give arrays and numbers, and name others as static "
                            "(porism.jit(f, static=\"name\"))") from None
    dtype_name(a.dtype.newbyteorder("="))               # or it says that Porism does not have it
    return a if a.dtype.isnative else a.astype(a.dtype.newbyteorder("="))


def as_node(graph, x, what):
    if isinstance(x, (_core.Node, _core.Size, _core.Array, Key, numpy.ndarray, numpy.generic, float, int)):
        return graph.constant(x)
    raise TypeError(f"{what} gives {x!r}, which is no array")


def rebuilder(structure, count):
    """What makes the results' structure of a program's results; None: they have it already."""
    if structure == "leaf" or (count > 1 and structure[0] == ("tuple",) and set(structure[2]) == {"leaf"}):
        return None
    if count == 1:
        return lambda result: unflatten(structure, (result,))
    return lambda results: unflatten(structure, results)


def graph_for(leaves):
    """The graph in which a transform of these leaves is built; None: there is none, and it is computed at once."""
    for x in leaves:
        if isinstance(x, (_core.Node, _core.Size)):
            return x.graph
    return current()
