"""Dtypes of the standard, and what is known of them."""
from __future__ import annotations

import dataclasses

import numpy

from .. import _core
from ..arrays import DTYPES, Array, DType, to_numpy

__all__ = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
           "complex64", "complex128", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]

bool = DTYPES["bool"]
int8, int16, int32, int64 = (DTYPES[d] for d in ("i8", "i16", "i32", "i64"))
uint8, uint16, uint32, uint64 = (DTYPES[d] for d in ("u8", "u16", "u32", "u64"))
float32, float64, complex64, complex128 = (DTYPES[d] for d in ("f32", "f64", "c64", "c128"))

KINDS = {"bool": ("bool",), "signed integer": ("i8", "i16", "i32", "i64"), "unsigned integer": ("u8", "u16", "u32", "u64"),
         "real floating": ("f32", "f64"), "complex floating": ("c64", "c128")}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


def dtype_of(x):
    """The dtype that an argument is, or has."""
    if isinstance(x, (Array, _core.Node)):
        return DTYPES[x.dtype]
    return x if isinstance(x, DType) else DTYPES[_core.dtype_name(x)]


def is_float(x):
    return str(x.dtype)[0] in "fb" and x.dtype != "bool"


def is_integer(x):
    return str(x.dtype)[0] in "iu"


def isdtype(dtype, kind):
    """Whether a dtype is of a kind, "integral" say, is another dtype, or is one of a tuple of both."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str) and kind in KINDS:
        return dtype in KINDS[kind]
    if isinstance(kind, str) and kind not in DTYPES:
        raise ValueError(f"kind {kind!r}: there are {', '.join(KINDS)}, and dtypes")
    return dtype == kind


def _promoted(dtypes):
    return DTYPES[_core.dtype_name(numpy.result_type(*map(to_numpy, dtypes)))]


def result_type(*arrays_and_dtypes):
    """The dtype that elements of these have together; plain numbers take that of the arrays beside them."""
    numbers = [x for x in arrays_and_dtypes if isinstance(x, (int, float, complex)) and not isinstance(x, Array)]
    strong = [dtype_of(x) for x in arrays_and_dtypes if not isinstance(x, (int, float, complex))]
    if not strong:
        raise ValueError("result_type: wanted an array or a dtype, one at least")
    found = _promoted(strong)
    for x in numbers:
        if isinstance(x, complex) and found in KINDS["real floating"]:
            found = complex64 if found == "f32" else complex128
        elif isinstance(x, float) and found in ("bool",) + KINDS["integral"]:
            found = float64
    return found


def can_cast(from_, to, /):
    """Whether every number of one dtype is one of another, by the standard's lattice."""
    a, b = dtype_of(from_), dtype_of(to)
    kinds = [next(i for i, k in enumerate(("bool", "integral", "real floating", "complex floating")) if d in KINDS[k])
             for d in (a, b)]
    if a == b or kinds[0] == kinds[1]:
        return a == b or (kinds[0] > 0 and _fits(a, b))
    return kinds[0] > 1 and _fits(a, b)


def _fits(a, b):
    try:
        return _promoted((a, b)) == b
    except TypeError:
        return False


@dataclasses.dataclass(frozen=True)
class Floats:
    """What is known of a dtype of floats."""
    dtype: DType
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float


@dataclasses.dataclass(frozen=True)
class Integers:
    """What is known of a dtype of integers."""
    dtype: DType
    bits: int
    max: int
    min: int


def finfo(type, /):
    """Bits, eps, max, min and the smallest normal number of floats; of complex numbers those of their parts."""
    dtype = dtype_of(type)
    of = numpy.finfo(to_numpy(dtype))
    return Floats(DTYPES[_core.dtype_name(of.dtype)], of.bits, *(float(v) for v in (of.eps, of.max, of.min,
                                                                                     of.smallest_normal)))


def iinfo(type, /):
    """Bits, max and min of integers."""
    dtype = dtype_of(type)
    of = numpy.iinfo(to_numpy(dtype))
    return Integers(dtype, of.bits, int(of.max), int(of.min))
