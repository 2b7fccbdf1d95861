"""Porism: a compiler for tensor mathematics.

    import numpy, porism

    @porism.jit
    def loss(w, x, y):
        z = x @ w
        return porism.mean(porism.log(1 + porism.exp(z)) - y*z)

    slope = porism.jit(porism.grad(loss))

docs/python.md has the rest.
"""
from __future__ import annotations

import atexit as _atexit
import os as _os

from . import _core, nodes, operators
from .arrays import Array
from .control import cond, fori, scan, while_loop
from .effects import assert_, check, print
from .explicit import compile, graph, library, load, notation, substitute
from .fit import fit
from .keys import Key, split
from .indices import add_at, and_at, max_at, min_at, mul_at, or_at, put, take
from .nodes import (Graph, Node, Size, arange, broadcast_to, clip, concatenate, dot, einsum, expand_dims, flip, full,
                    log_softmax, matmul, mean, norm, one_hot, ones, qr, relu, reshape, softmax, squeeze,
                    stack, top_k, transpose, tri_solve, variance, zeros)
from .operators import *                # noqa: F401, F403: the functions that __all__ of it names
from .own import operator, with_derivative, with_vjp
from .trace import jit
from .transforms import checkpoint, exact, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp, vmap
from .tree import tree_map


__all__ = [name for name in dir() if not name.startswith("_") and name not in ("annotations", "print")]


def __getattr__(name):
    if name == "array_api":             # made of many small functions: when it is asked for
        from importlib import import_module
        return import_module(".array_api", __name__)
    from .instead import of_module
    if name in ("jax", "pytensor", "scipy"):
        raise AttributeError(f"porism.{name} is a module of its own: import porism.{name}, which uses {name} itself")
    raise AttributeError(f"module 'porism' has no {name}{of_module(name)}")


__version__ = _core.version
Program = _core.Program
_core.set_classes(nodes.Node, nodes.Size, _os.path.dirname(_os.path.abspath(__file__)) + _os.sep)
_atexit.register(_core.end_log)
