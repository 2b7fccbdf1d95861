"""What functions of the standard are made of: small programs over the graph, and calls of NumPy where there is no
operator.  Both are listed, for the page of documents and for messages."""
from __future__ import annotations

import functools
import inspect

import numpy

from .. import _core
from ..arrays import Array, held, numpy_of
from ..trace import Jit, is_traced
from ..tree import flatten

COMPLEX = "complex numbers run on the reference tier alone"
THROUGH_NUMPY = {"every function of complex `x`": COMPLEX}      # name: why


def page():
    """The table of what goes through NumPy, as docs/python.md has it."""
    names = {}
    for name, why in THROUGH_NUMPY.items():
        names.setdefault(why, []).append(name if "`" in name else f"`{name}`")
    rows = [f"| {', '.join(of)} | {why} |\n" for why, of in names.items()]
    return "| through NumPy | why |\n|---|---|\n" + "".join(rows)


def no_nodes(name):
    return TypeError(f"{name} of a traced value: it has no operator yet and goes through NumPy, which needs values; call it "
                     "outside of porism.jit")


def is_complex(x):
    return isinstance(x, complex) or getattr(x, "dtype", "") in ("c64", "c128", "complex64", "complex128")


class Call(Jit):
    """A function of arrays as small programs: `function` builds them from nodes, `fallback`, of NumPy, takes complex
    numbers.  From argument `weak` on, plain numbers take the dtype of the arrays."""

    def __init__(self, function, fallback, weak):
        super().__init__(function, (), {"tier": "interpret"})
        self.fallback = fallback
        self.dispatch = _core.Dispatch(self.plain, self.other, True, weak)
        functools.update_wrapper(self.dispatch, function)

    def other(self, *args, **named):
        if is_traced(args) or is_traced(named.values()):
            return self.function(*args, **named)
        if named:
            bound = inspect.signature(self.function).bind(*args, **named)
            return self.dispatch(*bound.args)
        if any(map(is_complex, args)):
            return self.complex(args)
        raise TypeError(f"{self.name}: given {', '.join(map(kind, args))}: wanted arrays (one at least), and plain numbers "
                        "of their kind")

    def complex(self, args):
        if self.fallback is None:
            raise TypeError(f"{self.name} of complex numbers: it is of real ones")
        args = [numpy_of(x) for x in args]
        arrays = [x.dtype for x in args if not isinstance(x, (int, float, complex))]
        if not arrays:
            raise TypeError(f"{self.name}: wanted arrays, one at least")
        if any(isinstance(x, complex) for x in args) and all(d.kind in "bui" for d in arrays):
            raise TypeError(f"{self.name}: a complex number beside {arrays[0]}")
        common = numpy.result_type(*arrays, *(numpy.complex64 for x in args if isinstance(x, complex)))
        with numpy.errstate(all="ignore"):
            result = self.fallback(*(numpy.asarray(x, common) if isinstance(x, (int, float, complex)) else x for x in args))
        return tuple(map(held, result)) if isinstance(result, tuple) else held(result)


def kind(x):
    return f"{x.dtype}[{', '.join(map(str, x.shape))}]" if isinstance(x, Array) else type(x).__name__


def small(fallback=None, weak=0):
    """The decorated function, which builds nodes, called with arrays at once and with nodes as it is."""
    def make(function):
        return Call(function, fallback, weak).dispatch
    return make


class Chosen(Jit):
    """A function whose arguments by name choose a small program; without them it is one itself, and costs no more."""

    def __init__(self, function):
        super().__init__(function, (), {"tier": "interpret"})
        self.dispatch = _core.Dispatch(self.plain, function, True, -1)
        functools.update_wrapper(self.dispatch, function)


def chosen(function):
    """The decorated function of one array and names, which calls a Family."""
    return Chosen(function).dispatch


class Family:
    """Small programs that what is no array of a call chooses: axes, dtypes, flags."""

    def __init__(self, make, fallback=None, weak=-1):
        self.make, self.fallback, self.weak, self.known = make, fallback, weak, {}

    def __call__(self, *chosen):
        call = self.known.get(chosen)
        if call is None:
            def function(*x):
                return self.make(*x, *chosen)
            function.__name__ = self.make.__name__
            fallback = self.fallback and (lambda *x: self.fallback(*x, *chosen))
            call = self.known[chosen] = Call(function, fallback, self.weak).dispatch
        return call


def family(fallback=None):
    return lambda make: Family(make, fallback)


def through_numpy(why, told=None):
    """The decorated function, of NumPy's arrays, called with Arrays; an error of nodes.  The table of documents has it, by
    its name, or as it is told."""
    def make(function):
        name = told or function.__name__
        THROUGH_NUMPY[name] = why

        @functools.wraps(function)
        def call(*args, **named):
            if is_traced(flatten((args, named))[0]):
                raise no_nodes(name)
            with numpy.errstate(all="ignore"):
                result = function(*(unwrapped(x) for x in args), **{k: unwrapped(v) for k, v in named.items()})
            return wrapped(result)
        return call
    return make


def unwrapped(x):
    if isinstance(x, (tuple, list)):
        return type(x)(map(unwrapped, x)) if not hasattr(x, "_fields") else x
    return numpy_of(x)


def wrapped(x):
    if isinstance(x, (numpy.ndarray, numpy.generic)):
        return held(x)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(wrapped, x))
    return type(x)(map(wrapped, x)) if isinstance(x, (tuple, list)) else x


def is_node(x):
    return isinstance(x, _core.Node)


def common_axis(axis):
    """An axis or axes as what can be a key."""
    return tuple(axis) if isinstance(axis, list) else axis
