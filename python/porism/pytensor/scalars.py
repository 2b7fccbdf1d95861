"""PyTensor's scalar operators as nodes, with its meanings: what an integer division by 0 gives, clip with min > max, ..."""
from __future__ import annotations

import numpy

from .. import _core, operators
from ..build import build
from ..nodes import Node

OP = operators.OP


class Missing(Exception):
    """An operator, or a use of one, that has no translation: PyTensor computes it."""


def name_of(dtype):
    """Porism's name of a dtype of NumPy's, "f64"."""
    return _core.dtype_name(numpy.dtype(dtype))


def number(like, value, dtype):
    """A constant in the graph of a node."""
    return like.graph.constant(numpy.asarray(value, dtype))


def cast(x, dtype):
    """x as another dtype of NumPy's, converted as C does: integers wrap."""
    name = name_of(dtype)
    if x.dtype == name:
        return x
    if x.dtype[0] in "iu" and name[0] in "iu" and int(name[1:]) < int(x.dtype[1:]):
        return _narrowed(x, name)
    if x.dtype[0] in "iu" and name[0] in "iu" and name[1:] == x.dtype[1:]:
        return build(OP["BITCAST"], (x,), (name,))
    if x.dtype[0] == "i" and name[0] == "u":
        return cast(build(OP["CAST"], (x,), ("i" + name[1:],)), dtype)
    return build(OP["CAST"], (x,), (name,))


def _narrowed(x, name):
    """The low bits of an integer."""
    width, wide = int(name[1:]), int(x.dtype[1:])
    if name[0] == "u":
        low = x.dtype if x.dtype[0] == "i" else f"i{wide}"
        x = x if x.dtype == low else build(OP["BITCAST"], (x,), (low,))
        mask = number(x, (1 << width) - 1, f"int{wide}")
        return build(OP["CAST"], (build(OP["BIT_AND"], (x, mask)),), (name,))
    x = x if x.dtype[0] == "i" else build(OP["BITCAST"], (x,), (f"i{wide}",))
    shift = number(x, wide - width, f"int{wide}")
    return build(OP["CAST"], (build(OP["SHIFT_RIGHT"], (build(OP["SHIFT_LEFT"], (x, shift)), shift)),), (name,))


def binary(name, x, y):
    return build(OP[name], (x, y))


def truth(x):
    """x != 0"""
    return x if x.dtype == "bool" else binary("NE", x, number(x, 0, x_dtype(x)))


def x_dtype(x):
    """NumPy's dtype of a node."""
    kind = {"f": "float", "i": "int", "u": "uint"}.get(x.dtype[0])
    return numpy.dtype("bool" if x.dtype == "bool" else kind + x.dtype[1:])


def where(c, x, y):
    return build(OP["WHERE"], (c, x, y))


# ---- operators of one operand, of floats: computed in the dtype of the result ----

FLOAT = {"Sqrt": "SQRT", "Exp": "EXP", "Exp2": "EXP2", "Expm1": "EXPM1", "Log": "LOG", "Log2": "LOG2", "Log10": "LOG10",
         "Log1p": "LOG1P", "Sin": "SIN", "Cos": "COS", "Tan": "TAN", "ArcSin": "ASIN", "ArcCos": "ACOS", "ArcTan": "ATAN",
         "Sinh": "SINH", "Cosh": "COSH", "Tanh": "TANH", "ArcSinh": "ASINH", "ArcCosh": "ACOSH", "ArcTanh": "ATANH",
         "Sigmoid": "SIGMOID", "Softplus": "SOFTPLUS", "Erf": "ERF", "Erfc": "ERFC", "Erfcx": "ERFCX", "Erfinv": "ERFINV",
         "Gamma": "GAMMA", "Psi": "DIGAMMA", "GammaLn": "LGAMMA", "TriGamma": "TRIGAMMA"}
WHOLE = {"Floor": "FLOOR", "Ceil": "CEIL", "RoundHalfToEven": "ROUND", "Trunc": "TRUNC"}
SAME = {"Neg": "NEG", "Abs": "ABS", "Sign": "SIGN"}
BINARY = {"Sub": "SUB", "TrueDiv": "DIV", "ArcTan2": "ATAN2", "PolyGamma": "POLYGAMMA"}
COMPARE = {"EQ": "EQ", "NEQ": "NE", "LT": "LT", "LE": "LE", "GT": "GT", "GE": "GE"}
BITS = {"AND": ("AND", "BIT_AND"), "OR": ("OR", "BIT_OR"), "XOR": (None, "BIT_XOR")}
FOLDED = {"Add": "ADD", "Mul": "MUL", "Maximum": "MAXIMUM", "Minimum": "MINIMUM"}

SCALAR = {}


def on(*names):
    def keep(function):
        for name in names:
            SCALAR[name] = function
        return function
    return keep


@on(*FLOAT)
def _(op, a, out):
    return build(OP[FLOAT[type(op).__name__]], (cast(a[0], out),))


@on(*WHOLE)
def _(op, a, out):
    x = a[0]
    return cast(build(OP[WHOLE[type(op).__name__]], (x,)) if x.dtype[0] == "f" else x, out)


@on(*SAME)
def _(op, a, out):
    x = cast(a[0], out)
    if x.dtype == "bool":
        raise Missing("a sign of bools")
    if x.dtype[0] == "u":
        if type(op).__name__ == "Sign":
            return cast(truth(x), out)
        return x if type(op).__name__ == "Abs" else cast(build(OP["NEG"], (cast(x, f"int{x.dtype[1:]}"),)), out)
    return build(OP[SAME[type(op).__name__]], (x,))


@on("RoundHalfAwayFromZero")
def _(op, a, out):
    x = cast(a[0], out)
    half = number(x, 0.5, out)
    return where(binary("LT", x, number(x, 0, out)), build(OP["CEIL"], (x - half,)), build(OP["FLOOR"], (x + half,)))


@on("IsNan", "IsInf")
def _(op, a, out):
    x = a[0]
    if x.dtype[0] == "f":
        return build(OP["ISNAN" if type(op).__name__ == "IsNan" else "ISINF"], (x,))
    return binary("NE", x, x)


@on("Log1mexp")
def _(op, a, out):
    return build(OP["LOG1MEXP"], (-cast(a[0], out),))


@on("Sqr")
def _(op, a, out):
    x = cast(a[0], out)
    return binary("AND" if x.dtype == "bool" else "MUL", x, x)


@on("Reciprocal")
def _(op, a, out):
    x = cast(a[0], out)
    return binary("DIV", number(x, 1, out), x)


@on("Deg2Rad", "Rad2Deg")
def _(op, a, out):
    x = cast(a[0], out)
    return x*number(x, numpy.pi/180 if type(op).__name__ == "Deg2Rad" else 180/numpy.pi, out)


@on("I0", "I1")
def _(op, a, out):
    x = cast(a[0], out)
    return build(OP[type(op).__name__.upper() + "E"], (x,))*build(OP["EXP"], (build(OP["ABS"], (x,)),))


@on("Conj", "Real", "Identity", "Cast")
def _(op, a, out):
    return cast(a[0], out)


@on("Invert")
def _(op, a, out):
    return build(OP["NOT" if a[0].dtype == "bool" else "BIT_NOT"], (a[0],))


# ---- of two and more ----


@on(*FOLDED)
def _(op, a, out):
    what = FOLDED[type(op).__name__]
    if name_of(out) == "bool":
        what = {"ADD": "OR", "MUL": "AND", "MAXIMUM": "OR", "MINIMUM": "AND"}[what]
    y = cast(a[0], out)
    for x in a[1:]:
        y = binary(what, y, cast(x, out))
    return y


@on("IntDiv")
def _(op, a, out):
    if name_of(out) == "bool":
        raise Missing("a quotient of bools")
    return binary("FLOORDIV", cast(a[0], out), cast(a[1], out))


@on("Mod")
def _(op, a, out):
    if name_of(out) == "bool":
        raise Missing("a remainder of bools")
    x, y = cast(a[0], out), cast(a[1], out)
    z = binary("MOD", x, y)
    if z.dtype[0] == "f" or (y.op == "CONST" and y.value.all()):
        return z
    zero = number(y, 0, out)
    return where(binary("EQ", y, zero), zero, z)                 # as NumPy has x % 0


@on("Pow")
def _(op, a, out):
    if name_of(out) == "bool":
        raise Missing("a power of bools")
    return binary("POW", cast(a[0], out), cast(a[1], out))


@on(*BINARY)
def _(op, a, out):
    return binary(BINARY[type(op).__name__], cast(a[0], out), cast(a[1], out))


@on(*COMPARE)
def _(op, a, out):
    both = numpy.result_type(x_dtype(a[0]), x_dtype(a[1]))
    return binary(COMPARE[type(op).__name__], cast(a[0], both), cast(a[1], both))


@on(*BITS)
def _(op, a, out):
    of_bools, of_bits = BITS[type(op).__name__]
    y = cast(a[0], out)
    for x in a[1:]:
        x = cast(x, out)
        y = binary("NE", y, x) if y.dtype == "bool" and not of_bools else \
            binary(of_bools if y.dtype == "bool" else of_bits, y, x)
    return y


@on("Switch")
def _(op, a, out):
    return where(truth(a[0]), cast(a[1], out), cast(a[2], out))


@on("Clip")
def _(op, a, out):
    x, low, high = (cast(v, out) for v in a)
    return where(binary("LT", x, low), low, where(binary("GT", x, high), high, x))


@on("Second")
def _(op, a, out):
    return cast(a[1], out)                                        # Elemwise gives it the shape of both


@on("MulWithoutZeros")
def _(op, a, out):
    x, y = cast(a[0], out), cast(a[1], out)
    zero = number(x, 0, out)
    return where(binary("EQ", x, zero), y, where(binary("EQ", y, zero), x, binary("MUL", x, y)))


@on("Composite")
def _(op, a, out):
    values = dict(zip(op.fgraph.inputs, a))

    def value(v):
        return values[v] if v in values else number(a[0], v.data, v.type.dtype)
    for node in op.fgraph.toposort():
        values[node.outputs[0]] = scalar(node.op, [value(v) for v in node.inputs], node.outputs[0].type.dtype)
    return [value(v) for v in op.fgraph.outputs]


def scalar(op, a, out):
    """The value of a scalar operator of nodes, of dtype `out`; a list where it has several."""
    make = SCALAR.get(type(op).__name__)
    if make is None:
        raise Missing(f"the scalar operator {type(op).__name__}")
    y = make(op, a, out)
    return cast(y, out) if isinstance(y, Node) else y
