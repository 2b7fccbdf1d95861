"""Structures of arrays: tuples, lists, dicts, NamedTuples, dataclasses and None, in each other; all else is a leaf."""
from __future__ import annotations

import dataclasses

import numpy

from . import _core

# seen at a glance, as a call goes through all of its arguments
LEAVES = {numpy.ndarray, numpy.float64, numpy.float32, float, int, bool, _core.Node}


def ordered(keys):
    """Of a dict, whatever the order in which it was filled."""
    if all(type(k) is str for k in keys):
        return tuple(sorted(keys))
    return tuple(sorted(keys, key=lambda k: (type(k).__name__, k)))


def parts_of(x):
    """(kind, keys, parts) of a structure; None: it is a leaf.  Equal kinds and keys can hold the same parts."""
    if type(x) in LEAVES:
        return None
    if x is None:
        return ("none",), (), ()
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return ("named", type(x)), x._fields, tuple(x)
    if isinstance(x, (tuple, list)):
        return (type(x).__name__,), tuple(range(len(x))), tuple(x)
    if isinstance(x, dict):
        keys = ordered(x)
        return ("dict",), keys, tuple(x[k] for k in keys)
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        keys = tuple(f.name for f in dataclasses.fields(x))
        return ("data", type(x)), keys, tuple(getattr(x, k) for k in keys)
    return None


def flatten(x):
    """(leaves, structure); structures are equal where they are, and can be keys of a dict."""
    leaves = []

    def walk(x):
        if type(x) in LEAVES:
            leaves.append(x)
            return "leaf"
        found = parts_of(x)
        if found is None:
            leaves.append(x)
            return "leaf"
        kind, keys, parts = found
        return kind, keys, tuple(walk(p) for p in parts)
    return leaves, walk(x)


def unflatten(structure, leaves):
    """The structure with these leaves."""
    leaves = iter(leaves)

    def make(s):
        if s == "leaf":
            return next(leaves)
        kind, keys, parts = s
        made = [make(p) for p in parts]
        if kind[0] == "none":
            return None
        if kind[0] == "dict":
            return dict(zip(keys, made))
        if kind[0] == "named":
            return kind[1](*made)
        if kind[0] == "data":
            return rebuilt(kind[1], dict(zip(keys, made)))
        return made if kind[0] == "list" else tuple(made)
    return make(structure)


def rebuilt(cls, fields):
    """A dataclass from its fields; those that its constructor does not take are set."""
    taken = {f.name for f in dataclasses.fields(cls) if f.init}
    x = cls(**{k: v for k, v in fields.items() if k in taken})
    for k, v in fields.items():
        if k not in taken:
            object.__setattr__(x, k, v)
    return x


def written(structure, names):
    """A structure in the notation, whose leaves have these names."""
    if structure == "leaf":
        return next(names)
    kind, keys, parts = structure
    inner = [written(part, names) for part in parts]
    if kind[0] in ("none", "tuple", "list"):
        return "(" + ", ".join(inner) + ("," if len(inner) == 1 else "") + ")"
    return "{" + ", ".join(f"{k} = {part}" for k, part in zip(keys, inner)) + "}"


def paths(structure, name, sign="_"):
    """A name for each leaf, "p_w" of the leaf w of p."""
    if structure == "leaf":
        return [name]
    kind, keys, parts = structure
    return [p for k, part in zip(keys, parts) for p in paths(part, f"{name}{sign}{k}", sign)]


def tree_map(f, tree, *more):
    """The structure with f of each leaf, and of those at its place in more structures."""
    if not callable(f):
        raise TypeError(f"tree_map of {f!r}, which is no function: it is porism.tree_map(f, tree, ...)")
    leaves, structure = flatten(tree)
    others = [flatten(t) for t in more]
    for _, s in others:
        if s != structure:
            raise TypeError(f"structures differ: {shown(structure)} and {shown(s)}")
    return unflatten(structure, [f(*row) for row in zip(leaves, *(t for t, _ in others))])


def shown(structure):
    """A structure, for messages: an array, or {w: array, b: array}."""
    if structure == "leaf":
        return "an array"
    kind, keys, parts = structure
    inner = ["array" if p == "leaf" else shown(p) for p in parts]
    if kind[0] == "none":
        return "None"
    if kind[0] in ("tuple", "list"):
        text = ", ".join(inner)
        return f"[{text}]" if kind[0] == "list" else f"({text}{',' if len(inner) == 1 else ''})"
    text = ", ".join(f"{k}: {p}" for k, p in zip(keys, inner))
    return "{" + text + "}" if kind[0] == "dict" else f"{kind[1].__name__}({text})"
