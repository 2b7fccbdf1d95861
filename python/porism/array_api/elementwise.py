"""Functions of each element.  Those that an operator of the graph is alone are made from a table."""
from __future__ import annotations

import inspect

import numpy

from .. import operators
from .calls import is_node, small, through_numpy
from .dtypes import is_float, is_integer

# of floats, by the names of the operators; NumPy's names are those of ufuncs
FLOATS = ("acos acosh asin asinh atan atan2 atanh copysign cos cosh exp expm1 hypot log log10 log1p log2 logaddexp signbit "
          "sin sinh sqrt tan tanh")
# what is the number itself where it is an integer, as it has no fraction
WHOLE = "ceil floor round trunc"
# name: (operator, name in NumPy)
OTHERS = {"add": "add", "subtract": "sub", "multiply": "mul", "floor_divide": "floordiv", "equal": "eq", "not_equal": "ne",
          "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "maximum": "maximum",
          "minimum": "minimum", "bitwise_and": "bit_and", "bitwise_or": "bit_or", "bitwise_xor": "bit_xor",
          "bitwise_invert": "bit_not", "bitwise_left_shift": "shift_left", "bitwise_right_shift": "shift_right",
          "logical_and": "logical_and", "logical_or": "logical_or", "logical_not": "logical_not", "negative": "neg",
          "abs": "abs", "remainder": "mod", "divide": "div", "pow": "pow"}
UFUNC = {function: numpy_name for numpy_name, function in operators.UFUNCS.items()}

__all__ = FLOATS.split() + WHOLE.split() + list(OTHERS) + [
    "clip", "conj", "imag", "isfinite", "isinf", "isnan", "logical_xor", "nextafter", "positive", "real", "reciprocal",
    "sign", "square", "where"]


def _named(name, operator, of):
    """`of` under the standard's name: its parameters are given by place."""
    count = len(inspect.signature(operator).parameters)
    names = ("x",) if count == 1 else ("x1", "x2")
    of.__name__ = of.__qualname__ = name
    of.__doc__ = operator.__doc__
    of.__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names])
    return small(getattr(numpy, UFUNC.get(operator, name), None))(of)


def _operator(name, operator):
    return _named(name, operator, lambda *x: operator(*x))


def _whole(name):
    operator = getattr(operators, name)
    return _named(name, operator, lambda x: x if is_integer(x) else operator(x))


for _name in FLOATS.split():
    globals()[_name] = _operator(_name, getattr(operators, _name))
for _name, _operator_name in OTHERS.items():
    globals()[_name] = _operator(_name, getattr(operators, _operator_name))
for _name in WHOLE.split():
    globals()[_name] = _whole(_name)


@small(numpy.isfinite)
def isfinite(x, /):
    """Whether x is neither NaN nor infinite."""
    return operators.isfinite(x) if is_float(x) else operators.eq(x, x)


@small(numpy.isinf)
def isinf(x, /):
    """Whether x is infinite."""
    return operators.isinf(x) if is_float(x) else operators.ne(x, x)


@small(numpy.isnan)
def isnan(x, /):
    """Whether x is no number."""
    return operators.isnan(x) if is_float(x) else operators.ne(x, x)


@small()
def logical_xor(x1, x2, /):
    """Whether one of both holds."""
    return operators.ne(x1, x2)


@small(numpy.positive)
def positive(x, /):
    """x"""
    return x


@small(numpy.square)
def square(x, /):
    """x*x"""
    return x*x


@small(numpy.reciprocal)
def reciprocal(x, /):
    """1/x"""
    return 1/x


def _numpy_sign(x):
    size = numpy.abs(x)
    return numpy.where(size == 0, 0, x/numpy.where(size == 0, 1, size)).astype(x.dtype)


@small(_numpy_sign)
def sign(x, /):
    """-1, 0 or 1, NaN of NaN; of complex x, x/abs(x)."""
    return operators.where(operators.eq(x, 0), 0, operators.sign(x))


@small(numpy.conj)
def conj(x, /):
    """The complex conjugate."""
    return operators.conj(x)


@small(numpy.real)
def real(x, /):
    """The real part."""
    return operators.real(x)


@small(numpy.imag)
def imag(x, /):
    """The imaginary part."""
    return operators.imag(x)


@small(numpy.where, weak=1)
def where(condition, x1, x2, /):
    """x1 where the condition holds, else x2."""
    return operators.where(condition, x1, x2)


@small(numpy.clip, weak=0)
def _clip_both(x, low, high):
    return operators.minimum(operators.maximum(x, low), high)


@small(weak=0)
def _clip_low(x, low):
    return operators.maximum(x, low)


@small(weak=0)
def _clip_high(x, high):
    return operators.minimum(x, high)


def clip(x, /, min=None, max=None):
    """min(max(x, low), high), in the dtype of x; None: no bound."""
    from .creation import asarray
    low, high = (b if isinstance(b, (int, float)) or b is None or is_node(b) or b.dtype == x.dtype else
                 asarray(b, dtype=x.dtype) for b in (min, max))
    if low is None and high is None:
        return positive(x)
    if low is None:
        return _clip_high(x, high)
    return _clip_low(x, low) if high is None else _clip_both(x, low, high)


@through_numpy("no operator tells a float's neighbours")
def nextafter(x1, x2, /):
    """The next number from x1 towards x2."""
    return numpy.nextafter(x1, x2)
