"""What the standard's namespace tells of itself."""
from __future__ import annotations

from ..arrays import DTYPES, NAMES
from .dtypes import KINDS, complex128, float64, int64

__all__ = ["__array_namespace_info__"]


class Info:
    """Devices, dtypes and what depends on data."""

    def capabilities(self):
        """What the namespace can do."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 16}

    def default_device(self):
        """Where arrays lie."""
        return "cpu"

    def devices(self):
        """All devices."""
        return ["cpu"]

    def default_dtypes(self, *, device=None):
        """Dtypes of what is given none."""
        return {"real floating": float64, "complex floating": complex128, "integral": int64, "indexing": int64}

    def dtypes(self, *, device=None, kind=None):
        """Dtypes by their names; of a kind, or of one of several, alone."""
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for k in kinds:
            if k not in KINDS:
                raise ValueError(f"kind {k!r}: there are {', '.join(KINDS)}")
        wanted = {d for k in kinds for d in KINDS[k]}
        return {NAMES[d]: DTYPES[d] for d in DTYPES if d in wanted}


def __array_namespace_info__():
    """What the namespace tells of itself."""
    return Info()
