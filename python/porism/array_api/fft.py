"""Fourier transforms: no operator has them, so all go through NumPy."""
from __future__ import annotations

import numpy

from .calls import through_numpy

__all__ = ["fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft", "fftfreq", "rfftfreq",
           "fftshift", "ifftshift"]

_WHY = "no operator transforms to frequencies"


def _fitting(y, x, real):
    """NumPy 1 computes in 64 bits: the result has the precision of x."""
    if x.dtype in ("float32", "complex64"):
        return y.astype("float32" if real else "complex64", copy=False)
    return y


def _one(name, does, real=False):
    of = getattr(numpy.fft, name)

    def transform(x, /, *, n=None, axis=-1, norm="backward"):
        return _fitting(of(x, n, axis, norm), x, real)
    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = does
    return through_numpy(_WHY)(transform)


def _many(name, does, real=False):
    of = getattr(numpy.fft, name)

    def transform(x, /, *, s=None, axes=None, norm="backward"):
        return _fitting(of(x, s, tuple(range(x.ndim))[-len(s):] if axes is None and s is not None else axes, norm), x, real)
    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = does
    return through_numpy(_WHY)(transform)


fft = _one("fft", "Frequencies along an axis.")
ifft = _one("ifft", "What has these frequencies along an axis.")
rfft = _one("rfft", "Frequencies of real numbers, from 0 up.")
irfft = _one("irfft", "The real numbers that have these frequencies.", real=True)
hfft = _one("hfft", "Real frequencies of what is Hermitian.", real=True)
ihfft = _one("ihfft", "What is Hermitian and has these real frequencies.")
fftn = _many("fftn", "Frequencies along several axes.")
ifftn = _many("ifftn", "What has these frequencies along several axes.")
rfftn = _many("rfftn", "Frequencies of real numbers along several axes.")
irfftn = _many("irfftn", "The real numbers that have these frequencies along several axes.", real=True)


def _frequencies(of, n, d, dtype):
    from .creation import asarray
    return asarray(of(n, d), dtype=dtype or "f64")


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of fft of n numbers at distance d."""
    return _frequencies(numpy.fft.fftfreq, n, d, dtype)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of rfft of n numbers at distance d."""
    return _frequencies(numpy.fft.rfftfreq, n, d, dtype)


@through_numpy(_WHY)
def fftshift(x, /, *, axes=None):
    """Frequency 0 in the middle."""
    return numpy.fft.fftshift(x, axes)


@through_numpy(_WHY)
def ifftshift(x, /, *, axes=None):
    """Frequency 0 first, again."""
    return numpy.fft.ifftshift(x, axes)
