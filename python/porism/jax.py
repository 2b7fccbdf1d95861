"""Functions of Porism inside of JAX's: in jax.jit, jax.grad, jax.jvp and jax.vmap.

    f = porism.jax.call(loss)
    jax.jit(jax.grad(lambda w: f(w, X, y) + w @ w))(w)"""
from __future__ import annotations

import functools
import typing

import jax
import jax.experimental
import numpy

from . import _core, transforms
from .build import numpy_dtype, tracing
from .effects import Order, quiet
from .nodes import Graph
from .trace import as_node, jit, name_of
from .tree import flatten, unflatten


def call(function, *, forward=False):
    """`function`, traced and compiled by Porism, as a function of JAX's arrays.

    XLA calls the program itself, on the CPU, without Python in between; where it cannot, as of operators in Python, it
    is a callback.  Derivatives are Porism's, of any order: in reverse (jax.grad, jax.vjp), or with forward=True forwards
    (jax.jvp, jax.jacfwd).  jax.vmap makes one call of all.

    What it prints, asserts and checks happens in each call of XLA's, in order, also of calls whose results nobody uses, and
    not again in derivatives; XLA may take two calls, neither of which needs the other, in any order."""
    run = _run(function, jit(function))
    known = (_forward if forward else _reverse)(function, run)
    following = (_following_forward if forward else _following_reverse)(function)

    @functools.wraps(function)
    def called(*args):
        if not run.effects(args):
            return known(*args)
        leaves, structure = flatten(args)
        fixed = unflatten(structure, [jax.lax.stop_gradient(jax.numpy.asarray(x)) for x in leaves])
        return following(args, run(*fixed))
    return called


def _types(leaves):
    return [(str(numpy.dtype(x.dtype).name), tuple(x.shape)) for x in leaves]


def _traced(function, structure, leaves):
    """(function of the notation, structure of what it gives, [jax.ShapeDtypeStruct]) for leaves of these types."""
    graph = Graph()
    nodes = []
    for i, (dtype, shape) in enumerate(_types(leaves)):
        text = dtype_text(dtype) + (f"[{', '.join(map(str, shape))}]" if shape else "")
        nodes.append(graph.input(f"x{i}", text))
    with tracing(graph), Order(graph) as order:
        results, made = flatten(function(*unflatten(structure, nodes)))
        results = [as_node(graph, r, name_of(function)) for r in results]
    types = [jax.ShapeDtypeStruct(r.shape, numpy_dtype(r.dtype)) for r in results]
    return graph.function("f", tuple(nodes), (*results, *order.tokens)), made, types


class Known(typing.NamedTuple):
    """What calls of one structure and types run."""
    attributes: object                              # of a call of XLA's; None: it is a callback
    structure: tuple                                # of what it gives
    types: list                                     # [jax.ShapeDtypeStruct]
    effects: bool


@functools.cache
def _registered():
    """Whether XLA can call programs: on the CPU, by its foreign function interface."""
    if not hasattr(jax, "ffi"):
        return False
    try:
        jax.ffi.register_ffi_target("porism_program", _core.xla_handler(), platform="cpu")
    except Exception:                               # an interface of another version
        return False
    return jax.default_backend() == "cpu"


def dtype_text(dtype):
    return dtype if dtype == "bool" else {"f": "f", "i": "i", "u": "u"}[dtype[0]] + dtype.lstrip("floatuin")


def _run(function, compiled):
    """The function of JAX's arrays, without derivatives."""
    known = {}                                      # by structure and types: Known

    def known_of(args):
        leaves, structure = flatten(args)
        leaves = [jax.numpy.asarray(x) for x in leaves]
        key = (structure, tuple(_types(leaves)))
        if key not in known:
            known[key] = _known(function, structure, leaves)
        return known[key], leaves, structure

    def run(*args):
        found, leaves, structure = known_of(args)
        if found.attributes:
            call_ = jax.ffi.ffi_call("porism_program", tuple(found.types), vmap_method="broadcast_all",
                                     has_side_effect=found.effects)
            program, session = found.attributes
            return unflatten(found.structure, list(call_(*leaves, program=program, session=session)))

        def compute(*values):
            results = flatten(compiled(*unflatten(structure, [numpy.asarray(v) for v in values])))[0]
            return tuple(numpy.asarray(r, t.dtype).reshape(t.shape) for r, t in zip(results, found.types))
        if found.effects:
            results = jax.experimental.io_callback(compute, tuple(found.types), *leaves)
        else:
            results = jax.pure_callback(compute, tuple(found.types), *leaves, vmap_method="sequential")
        return unflatten(found.structure, list(results))
    run.effects = lambda args: known_of(args)[0].effects
    return run


def _known(function, structure, leaves):
    """Of a function for leaves of these types."""
    traced, made, types = _traced(function, structure, leaves)
    kept = None
    if leaves and types and _registered() and all(isinstance(n, int) for t in types for n in t.shape):
        kept = _core.xla_keep(traced.compile())
    return Known(kept and [numpy.int64(n) for n in kept], made, types, traced.effects)


# ---- derivatives: of calls, and of values that calls have given ----


def _cotangents(function, args, u):
    """u times the derivatives by each argument."""
    def slopes(*all_):
        primals, against = all_[:-1], all_[-1]
        floats, fixed = _floats(primals)
        return transforms.vjp(quiet(lambda *x: function(*fixed(x))), *floats)[1](against)
    found = iter(flatten(_reverse(slopes)(*args, u))[0])
    leaves, structure = flatten(args)
    return tuple(unflatten(structure, [next(found) if is_float(x) else numpy.zeros(x.shape, jax.dtypes.float0)
                                       for x in map(jax.numpy.asarray, leaves)]))


def _tangents(function, primals, tangents):
    """The derivative of what it gives, along the tangents."""
    def slope(primals, tangents):
        floats, fixed = _floats(primals)
        return transforms.jvp(quiet(lambda *x: function(*fixed(x))), tuple(floats), tuple(tangents))[1]
    leaves = flatten(tuple(primals))[0]
    flat = [t for x, t in zip(leaves, flatten(tuple(tangents))[0]) if is_float(jax.numpy.asarray(x))]
    return _forward(slope)(tuple(primals), tuple(flat))


def _reverse(function, run=None):
    made = jax.custom_vjp(run or _run(function, jit(function)))
    made.defvjp(lambda *args: (made(*args), args), functools.partial(_cotangents, function))
    return made


def _forward(function, run=None):
    made = jax.custom_jvp(run or _run(function, jit(function)))
    made.defjvp(lambda primals, tangents: (made(*primals), _tangents(function, primals, tangents)))
    return made


def _following_reverse(function):
    """results, that function(*args) has given, with its derivatives by args: JAX has no effects in what is derived."""
    made = jax.custom_vjp(lambda args, results: results)
    made.defvjp(lambda args, results: (results, args), lambda args, u: (_cotangents(function, args, u), None))
    return made


def _following_forward(function):
    made = jax.custom_jvp(lambda args, results: results)
    made.defjvp(lambda primals, tangents: (primals[1], _tangents(function, primals[0], tangents[0])))
    return made


def is_float(x):
    return jax.numpy.issubdtype(x.dtype, jax.numpy.floating) if hasattr(x, "dtype") and not hasattr(x, "graph") else \
        x.dtype[0] == "f"


def _floats(args):
    """(leaves that are floats, what puts others in between)"""
    leaves, structure = flatten(args)
    places = [i for i, x in enumerate(leaves) if is_float(x if hasattr(x, "dtype") else jax.numpy.asarray(x))]

    def fixed(floats):
        all_ = list(leaves)
        for i, x in zip(places, floats):
            all_[i] = x
        return unflatten(structure, all_)
    return [leaves[i] for i in places], fixed
