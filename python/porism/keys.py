"""Keys outside of a trace: what porism.key gives there.  A key is two words, which draws and keys are made of."""
from __future__ import annotations

import numpy

from . import _core, operators
from .build import graph_of
from .named import named


class Key:
    """A key, or an array of keys: k[i] is key i of a key without axes, and an element of an array of keys."""
    __slots__ = ("_words",)
    __array_ufunc__ = None              # it takes no signs
    __hash__ = None
    dtype = "key"

    def __init__(self, words):
        self._words = words

    @property
    def shape(self):
        return self._words.shape

    @property
    def ndim(self):
        return self._words.ndim

    @property
    def size(self):
        return self._words.size

    def __repr__(self):
        return f"Key[{', '.join(map(str, self.shape))}]" if self.ndim else f"Key{self._words.item()}"

    def __array__(self, dtype=None, copy=None):
        return self._words.copy() if copy else self._words

    def __reduce__(self):
        return Key, (self._words,)

    def __eq__(self, other):
        return self._words == other._words if isinstance(other, Key) else NotImplemented

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of a key, which has keys without end: porism.split(k, n) are n of them")
        return len(self._words)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index):
        parts = index if isinstance(index, tuple) else (index,)
        graph = graph_of(parts) if any(isinstance(p, (_core.Node, _core.Size)) for p in parts) else None
        if graph is not None:
            return graph.constant(self)[index]
        own, more = parts[:self.ndim], parts[self.ndim:]
        k = Key(numpy.asarray(self._words[own])) if own else self
        for i in more:
            if not isinstance(i, (int, list, numpy.integer, numpy.ndarray)) or isinstance(i, bool):
                raise TypeError(f"an index {i!r} of a key: key i is k[i] of a whole number, or an array of them")
            k = operators.subkey(k, i)
        return k

    def reshape(self, *shape, order="C"):
        return Key(self._words.reshape(*shape, order=order))


@named
def split(k, n=2):
    """n keys of the key k, an array: k[0], ..., k[n - 1]."""
    if getattr(k, "dtype", None) != "key":
        given = k.type if isinstance(k, _core.Node) else "an array" if hasattr(k, "dtype") else repr(k)
        raise TypeError(f"split of {given}: it is of keys; of an array write x[:k] and x[k:]")
    if k.shape:
        raise TypeError("split of an array of keys: write porism.vmap(porism.split)(keys)")
    from .nodes import arange
    graph = graph_of((k, n))
    return operators.subkey(k, arange(n) if graph is None else graph.iota(n))


_core.set_key(Key)
