"""porism.Array: the arrays of porism.array_api, in the memory of NumPy's, with dtypes of their own."""
from __future__ import annotations

import numpy

from . import _core
from .build import numpy_dtype


class DType:
    """A dtype of porism.array_api.  It is equal to Porism's name of it, "f64", which the dtype of a node is."""
    __slots__ = ("short",)

    def __init__(self, short):
        self.short = short

    def __repr__(self):
        return f"porism.{self.name}"

    def __str__(self):
        return self.short

    def __eq__(self, other):
        return self is other or (other.short if isinstance(other, DType) else other) == self.short

    def __hash__(self):
        return hash(self.short)

    def __reduce__(self):
        return _dtype, (self.short,)

    @property
    def name(self):
        """The standard's name: "float64"."""
        return NAMES[self.short]

    @property
    def dtype(self):
        """NumPy's dtype, which NumPy asks for."""
        return numpy_dtype(self.short)

    __numpy_dtype__ = dtype


# in the order of the graph's dtypes; bfloat16 is none of NumPy's, so that no array has it
SHORT = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "c64", "c128")
NAMES = dict(zip(SHORT, ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                         "bfloat16", "float32", "float64", "complex64", "complex128")))
DTYPES = {name: DType(name) for name in SHORT}


def _dtype(short):
    return DTYPES[short]


class Array(_core.Array):
    """An array that is computed at once: operators are small programs, which are compiled once for each dtype and rank."""
    __slots__ = ()
    __array_ufunc__ = None              # NumPy's arrays leave signs to this class
    __hash__ = None

    def __repr__(self):
        if self.ndim:
            return "Array" + repr(self._numpy)[5:]
        return f"Array({self._numpy.item()!r}, {self.dtype})"

    def __str__(self):
        return str(self._numpy)

    def __format__(self, how):
        return format(self._numpy[()], how) if self.ndim == 0 else format(self._numpy, how)

    def __array__(self, dtype=None, copy=None):
        a = self._numpy
        if dtype is not None and a.dtype != dtype:
            return a.astype(dtype)
        return a.copy() if copy else a

    def __array_namespace__(self, *, api_version=None):
        from . import array_api
        return array_api.of_version(api_version)

    def __complex__(self):
        if self.ndim:
            raise TypeError("complex() of an array with axes: there is one of arrays without alone")
        return complex(self._numpy.item())

    def __len__(self):
        return len(self._numpy)

    def __iter__(self):
        return (self[i] for i in range(len(self._numpy)))

    def __getitem__(self, index):
        if _has_node(index):
            from .indices import take
            return take(self._numpy, _unwrapped(index))
        found = self._numpy[_unwrapped(index)]
        return _core.as_held(found if isinstance(found, numpy.ndarray) else numpy.asarray(found))

    def __setitem__(self, index, value):
        if isinstance(value, Array):
            value = value._numpy
        self._numpy[_unwrapped(index)] = value

    def __reduce__(self):
        return _again, (self._numpy,)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError("the arrays of porism lie in the processor's memory")
        a = self._numpy.copy() if copy else self._numpy
        try:
            return a.__dlpack__(stream=stream, max_version=max_version)
        except TypeError:                                   # NumPy 1 has the protocol without versions
            return a.__dlpack__(stream=stream)

    def __dlpack_device__(self):
        return self._numpy.__dlpack_device__()

    @property
    def device(self):
        """"cpu": where all arrays lie."""
        return "cpu"

    def to_device(self, device, /, *, stream=None):
        """The same array, on the one device that there is."""
        if device != "cpu":
            raise ValueError(f"device {device!r}: there is \"cpu\"")
        return self

    @property
    def T(self):
        """The matrix turned: rows are columns."""
        if self.ndim != 2:
            raise ValueError(f"x.T of {self.ndim} axes: it is of matrices; write x.mT, or permute_dims(x, axes)")
        return _core.as_held(self._numpy.T)

    @property
    def mT(self):
        """The last two axes turned."""
        if self.ndim < 2:
            raise ValueError(f"x.mT of {self.ndim} axes: it turns the last two")
        return _core.as_held(self._numpy.swapaxes(-1, -2))


def _again(a):
    """What pickle calls."""
    from . import array_api             # noqa: F401: without which there are no arrays of this class
    return held(a)


def _has_node(index):
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(p, (_core.Node, _core.Size)) for part in parts
               for p in ((part.start, part.stop) if isinstance(part, slice) else (part,)))


def _unwrapped(index):
    if isinstance(index, tuple):
        return tuple(_unwrapped(i) for i in index)
    return index._numpy if isinstance(index, Array) else index


def held(a):
    """An array of NumPy's, or a number of its, as an Array; a copy where its bytes are turned around."""
    a = numpy.asarray(a)
    return _core.as_held(a if a.dtype.isnative else a.astype(a.dtype.newbyteorder("=")))


def numpy_of(x):
    """An Array as NumPy's; all else as it is."""
    return x._numpy if isinstance(x, Array) else x


def to_numpy(dtype):
    """NumPy's dtype of one of ours."""
    return numpy_dtype(dtype)
