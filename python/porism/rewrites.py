"""Rules of rewriting whose right side is a function of Python, held to what they replace by numbers."""
from __future__ import annotations

import inspect
import re

import numpy

from . import _core
from .build import numpy_dtype
from .trace import called

LAWS = ("exact", "real", "finite", "approx")
NEAR = {"f64": 1e-9, "f32": 1e-4, "f16": 2e-2, "bf16": 1e-1}
MOST_NODES, MOST_KINDS, SAMPLES = 300, 50, 24
BOUND = ("INPUT", "PARAM", "FRESH")     # leaves that stand for any value


class Rewrite:
    """What stands behind a rule: the function, and the kinds of nodes with which it has been held to numbers."""

    def __init__(self, text, function, law, check):
        self.text, self.function, self.law = text, function, law
        self.seen = set() if check and law != "approx" else None
        try:
            self.wants = "matched" in inspect.signature(function).parameters
        except (TypeError, ValueError):
            self.wants = False

    def __call__(self, matched, *variables):
        y = called(f"the rule {self.text} gives it the variables of its pattern", self.function, *variables,
                   **({"matched": matched} if self.wants else {}))
        if isinstance(y, (bool, int, float)):
            y = spread(matched.graph.constant(numpy.asarray(y)).astype(matched.dtype), matched)
        if self.seen is None or not isinstance(y, _core.Node) or y.graph is not matched.graph or y.type != matched.type:
            return y
        kind = tuple((x.op, x.type, constant(x)) for x in variables)
        if len(self.seen) < MOST_KINDS and kind not in self.seen:
            self.seen.add(kind)
            self.check(matched, y, variables)
        return y

    def check(self, matched, y, variables):
        """Both sides for some numbers: where they are others, an error that shows them."""
        found = text_of(matched, y, variables)
        if found is None:
            return
        from .nodes import Graph
        function = Graph().load_text(found, "<rule>").function("sides", {})
        program = function.compile(tier="interpret", rules=False)
        inputs = function.signature()["inputs"]
        random = numpy.random.default_rng(1)
        for k in range(SAMPLES):
            sizes = {}
            sample = [drawn(text, sizes, random, k) for _, text in inputs]
            if any(x is None for x in sample):
                return
            try:
                a, b = map(numpy.asarray, program(*sample))
            except (ValueError, IndexError):            # of a promise that the sample breaks, an index
                continue
            if not self.holds(a, b):
                raise ValueError(self.told(matched, inputs, sample, a, b))

    def holds(self, a, b):
        if self.law == "exact" or a.dtype.kind != "f":
            return bool(numpy.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
        near = {8: NEAR["f64"], 4: NEAR["f32"]}.get(a.dtype.itemsize, NEAR["f16"])
        with numpy.errstate(all="ignore"):
            return bool(numpy.all(~numpy.isfinite(a) | (numpy.abs(a - b) <= near*(1 + numpy.abs(a)))))

    def told(self, matched, inputs, sample, a, b):
        code = getattr(self.function, "__code__", None)
        line = f"{code.co_filename}:{code.co_firstlineno}: " if code else ""
        name = getattr(self.function, "__name__", "its function")
        at = ", ".join(f"{n} = {one_line(x)}" for n, x in zip(letters([n for n, _ in inputs]), sample))
        where = ""
        if a.ndim:                                      # the element alone
            place = next(i for i in numpy.ndindex(a.shape) if not self.holds(a[i], b[i]))
            where = f"element {list(place)} of "
            a, b = a[place], b[place]
        return (f"{line}rule {self.text}, law {self.law}: at {at} {where}left is {one_line(a)}, right, of {name}, is "
                f"{one_line(b)}; check=False takes it on trust")


def constant(x):
    """The value of a small one, of others None."""
    value = numpy.asarray(x.value) if x.op == "CONST" else None
    return value.tobytes() if value is not None and value.size <= 16 else None


def spread(y, like):
    return _core.broadcast_to(y, like.shape) if like.shape else y


def one_line(x):
    return " ".join(numpy.array2string(numpy.asarray(x), max_line_width=10**6, threshold=12, floatmode="unique").split())


def region(roots, most):
    """The nodes that these are made of; None: they are more."""
    met, left = {x.id: x for x in roots}, list(roots)
    while left:
        for a in left.pop().args:
            if a.id not in met:
                met[a.id] = a
                left.append(a)
        if len(met) > most:
            return None
    return list(met.values())


def text_of(matched, y, variables):
    """fn sides, which gives both sides of the leaves that they are made of; None: they are not to be written."""
    sides = (matched, y)
    nodes = region(sides, MOST_NODES)
    if nodes is None:                                   # of the variables, as if they were leaves
        free = [x for x in variables if x.op != "CONST"]
        sides = with_inputs(sides, free)
        nodes = region(sides, MOST_NODES)
    if nodes is None or any(x.op in ("TOKEN", "ORDER") for x in nodes):
        return None
    sides = with_inputs(sides, [x for x in nodes if x.op in BOUND and x.op != "INPUT"])
    inputs = sorted((x for x in region(sides, 2*MOST_NODES) or () if x.op == "INPUT"), key=lambda x: x.id)
    return matched.graph.function("sides", tuple(inputs), tuple(sides)).text()


def with_inputs(sides, nodes):
    """Both with inputs in the place of these nodes."""
    if not nodes:
        return sides
    from .transforms import fresh_name
    graph = sides[0].graph
    return _core.substitute(sides, nodes, [graph.input_like(fresh_name(), x) for x in nodes])


def letters(names):
    """What messages call the inputs: those that were made here have letters."""
    free = (n for n in (*"xyzuvw", *(f"x{i}" for i in range(len(names)))) if n not in names)
    return [next(free) if n.startswith("v_") else n for n in names]


SIZES = (3, 2, 4, 5, 6, 7)


def shape_of(text, sizes):
    shape = []
    for part in text.split("[", 1)[1].rstrip("]").split(",") if "[" in text else ():
        for name in re.findall(r"[^\W\d]\w*", part):
            if name not in ("min", "max"):
                sizes.setdefault(name, SIZES[len(sizes) % len(SIZES)])
        shape.append(max(int(eval(part, {"__builtins__": {}}, {**sizes, "min": min, "max": max})), 0))
    return tuple(shape)


def drawn(text, sizes, random, k):
    """Sample k of this type: of both signs and positive alone, small and large; None: there are none."""
    dtype, shape = text.split("[")[0], shape_of(text, sizes)
    if dtype == "bool":
        return random.random(shape) < 0.5
    if dtype[0] in "iu":
        x = random.integers(0 if dtype[0] == "u" or k % 2 else -3, 4, shape)
    elif dtype in NEAR and dtype != "bf16":
        x = random.normal(size=shape)*(0.5, 2.0)[k % 2]
        x = numpy.abs(x) if k % 4 > 1 else x
    else:
        return None
    return numpy.asarray(x).astype(numpy_dtype(dtype))
