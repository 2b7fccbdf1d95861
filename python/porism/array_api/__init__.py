"""The array API standard, 2024.12: arrays that are computed at once, and, given nodes, the same in porism.jit.

    from porism import array_api as xp

    x = xp.linspace(0, 1, 5)
    xp.sum(xp.sin(x)**2)

docs/python.md has what goes through NumPy."""
from __future__ import annotations

import math as _math

from .. import _core
from ..arrays import DTYPES as _DTYPES, Array
from . import fft, linalg
from .calls import THROUGH_NUMPY, page
from .creation import *                 # noqa: F401, F403: the functions that __all__ of it names, here and below
from .dtypes import *                   # noqa: F401, F403
from .elementwise import *              # noqa: F401, F403
from .folds import *                    # noqa: F401, F403
from .info import *                     # noqa: F401, F403
from .linalg import matmul, matrix_transpose, tensordot, vecdot
from .manipulation import *             # noqa: F401, F403

__array_api_version__ = "2024.12"
e, inf, nan, pi, newaxis = _math.e, _math.inf, _math.nan, _math.pi, None


def of_version(version):
    """This module, if it has that version of the standard."""
    if version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"version {version!r} of the array API: there are those up to 2024.12")
    import sys
    return sys.modules[__name__]


def _signs():
    names = ("add subtract multiply divide floor_divide remainder pow matmul bitwise_and bitwise_or bitwise_xor "
             "bitwise_left_shift bitwise_right_shift less less_equal equal not_equal greater greater_equal negative positive "
             "abs bitwise_invert")
    return tuple(globals()[name] for name in names.split())


_core.set_array(Array, tuple(_DTYPES.values()), _signs())
