"""Derivatives, vmap and checkpoint: functions of functions, at trace time, in any order; outside of a trace they are
compiled and computed at once."""
from __future__ import annotations

import functools
import itertools

from . import _core
from .build import sizes_differ, typed
from .effects import Order, invoked, quiet
from .named import named
from .nodes import transpose
from .trace import graph_for, jit, name_of, names_of
from .tree import flatten, parts_of, paths, shown, unflatten

_numbers = itertools.count()

# what to write where a node is given in place of a function
OF_NODES = {
    "hvp": "its Hessian by a node is porism.hessian(y, x)",
    "jvp": "of nodes there are porism.grad(y, x), porism.jacobian(y, x) and porism.hessian(y, x)",
    "vjp": "of nodes there are porism.grad(y, x), porism.jacobian(y, x) and porism.hessian(y, x)",
    None: "give the function that makes it, as in lambda x: x*x; porism.substitute(y, x, v) puts v in the place of x",
}


def fresh_name():
    """A name that no input has: a variable of its own, also where its value is another's."""
    return f"v_{next(_numbers)}"


def wants_function(what, function):
    if not callable(function):
        node = f", but a node: {OF_NODES.get(what, OF_NODES[None])}" if isinstance(function, _core.Node) else ""
        raise TypeError(f"{what} of {function!r}, which is no function{node}")


def transform(make, of_node=None):
    """A function of a function, whose result is computed at once where no argument is traced.  of_node: what it is of a
    node of a graph, where it is something."""
    @functools.wraps(make)
    def made(function, *how, **named):
        if of_node and isinstance(function, _core.Node):
            return of_node(function, *how, **named)
        wants_function(make.__name__, function)
        run = make(function, *how, **named)

        @functools.wraps(function, updated=())
        def call(*args, **more):
            graph = graph_for(flatten((args, more))[0])
            return at_once(*args, **more) if graph is None else run(graph, *args, **more)
        at_once = jit(call)
        return call
    return made


class Variables:
    """Some arguments, each leaf replaced by a variable of its own."""

    def __init__(self, graph, args, chosen):
        self.graph = graph
        self.tuple = isinstance(chosen, (tuple, list))
        self.places = [_place(c, args) for c in (chosen if self.tuple else (chosen,))]
        opened = {}                             # by place: one that is given twice is one variable
        self.args = list(args)
        self.values, self.fresh, self.structures = [], [], []
        for place in self.places:
            leaves, structure = flatten(args[place])
            values = [_real(graph.constant(typed(x)), place, len(leaves)) for x in leaves]
            fresh = opened.setdefault(place, [graph.input_like(fresh_name(), v) for v in values])
            self.args[place] = unflatten(structure, fresh)
            self.values += values
            self.fresh += fresh
            self.structures.append((structure, len(leaves)))

    def back(self, nodes):
        """These nodes, the variables replaced by what they stand for."""
        order = self.graph.__dict__.get("order")
        tokens = order.tokens if order else []
        if not nodes and not tokens:
            return []
        found = list(_core.substitute((*nodes, *tokens), self.fresh, self.values))
        if tokens:
            order.token = found.pop()
        return found

    def like(self, leaves):
        """One thing for each leaf, in the structure of the chosen arguments."""
        made, at = [], 0
        for structure, n in self.structures:
            made.append(unflatten(structure, leaves[at:at + n]))
            at += n
        return tuple(made) if self.tuple else made[0]


def _real(node, place, leaves):
    if node.dtype[0] != "f":
        what = f"argument {place}" if leaves == 1 else f"a part of argument {place}"
        raise TypeError(f"a derivative by {what}, which is {node.type}: wanted real floats; give 3.0 for 3, or write "
                        "x.astype(\"f64\") before")
    return node


def _place(chosen, args):
    if not isinstance(chosen, int):
        raise TypeError(f"argnums: numbers of arguments from 0, and not {chosen!r}")
    if not -len(args) <= chosen < len(args):
        raise ValueError(f"there is no argument {chosen}: {len(args)} are given by place")
    return chosen % len(args)


def _scalar(graph, value, what):
    leaves, structure = flatten(value)
    if structure != "leaf":
        raise TypeError(f"{what} of a function that gives {shown(structure)}: wanted one real scalar")
    y = graph.constant(value)
    if y.shape:
        raise TypeError(f"{what} of a function that gives {y.type}: wanted a scalar; write .sum(), or porism.jacobian")
    if y.dtype[0] != "f":
        raise TypeError(f"{y.where}: {what} of a function that gives {y.dtype}: wanted a real scalar; give floats, 3.0 for "
                        "3, or write x.astype(\"f64\")")
    return y


@named
@functools.partial(transform, of_node=lambda y, argnums=0: (y, _grad_of_node("value_and_grad", y, argnums)))
def value_and_grad(function, argnums=0, has_aux=False):
    """A function that gives function(...) and its gradient by the arguments at `argnums`, an int or a tuple of them.

    has_aux: function gives (value, more), and so does what is made: ((value, more), gradient).

    Of a node, value_and_grad(y, x) is (y, porism.grad(y, x))."""
    def run(graph, *args, **named):
        v = Variables(graph, args, argnums)
        value = function(*v.args, **named)
        if has_aux and not (isinstance(value, (tuple, list)) and len(value) == 2):
            raise TypeError(f"has_aux: the function gives a pair, (value, more), and not {shown(flatten(value)[1])}")
        value, aux = value if has_aux else (value, None)
        y = _scalar(graph, value, "the gradient")
        slopes = _core.grad([y], v.fresh)
        leaves, structure = flatten(aux)
        nodes = v.back([y, *slopes, *(graph.constant(x) for x in leaves)])
        gradient = v.like(nodes[1:1 + len(slopes)])
        more = unflatten(structure, nodes[1 + len(slopes):])
        return ((nodes[0], more) if has_aux else nodes[0]), gradient
    return run


@named
def grad(function, argnums=0, has_aux=False):
    """A function that gives the gradient of `function` by the arguments at `argnums`.

    Of a node, grad(y, x) is the node of its derivative by x, or one for each of several x."""
    if isinstance(function, _core.Node):
        return _grad_of_node("grad", function, argnums)
    wants_function("grad", function)
    if not isinstance(argnums, (int, tuple, list, str)):
        raise TypeError(f"grad: argnums are numbers of arguments, and not {argnums!r}: the gradient at x is porism.grad(f)(x)")
    both = value_and_grad(function, argnums, has_aux)

    @functools.wraps(function, updated=())
    def gradient(*args, **named):
        value, slope = both(*args, **named)
        return (slope, value[1]) if has_aux else slope
    gradient.__name__ = gradient.__qualname__ = name_of(function) + "_gradient"
    return gradient


def _nodes_of(what, y, x):
    """[x, ...]: the nodes by which a node is differentiated, and whether they are several."""
    many = isinstance(x, (tuple, list))
    found = list(x) if many else [x]
    if not found or not all(isinstance(v, _core.Node) for v in found):
        raise TypeError(f"{what} of {y!r}, a node: wanted the node by which, or a tuple of nodes, as in porism.{what}(y, x)")
    return found, many


def _grad_of_node(what, y, x):
    found, many = _nodes_of(what, y, x)
    if y.ndim:
        raise TypeError(f"{y.where}: {what} of {y!r}: wanted a scalar; write porism.{what}(y.sum(), x), or "
                        "porism.jacobian(y, x)")
    d = _core.grad([y], found)
    return tuple(d) if many else d[0]


def _each_of_node(what, y, x, each):
    """`each` of a node by a node, or by each of several."""
    found, many = _nodes_of(what, y, x)
    d = [each(y, v) for v in found]
    return tuple(d) if many else d[0]


def _open_all(graph, primals):
    return Variables(graph, primals, tuple(range(len(primals))))


def _spreads(a, b):
    """Is an axis of size a none of size b, but may be spread to it, or not even that?"""
    return sizes_differ(a, b) or (isinstance(a, int) and a == 1 and not isinstance(b, int))


def _like(what, node, wanted):
    """In the dtype of what it belongs to, whose shape it has."""
    if node.ndim != wanted.ndim or any(map(_spreads, node.shape, wanted.shape)):
        raise TypeError(f"{what} is {node.type}, and what it belongs to {wanted.type}: wanted the same shape")
    return node.astype(wanted.dtype)


def _jvp(graph, function, primals, tangents):
    v = _open_all(graph, primals)
    along, structure = flatten(tuple(tangents))
    if structure != flatten(tuple(primals))[1]:
        raise TypeError(f"tangents are {shown(structure)}, the arguments {shown(flatten(tuple(primals))[1])}")
    along = [_like("the tangent", graph.constant(x), p) for x, p in zip(along, v.fresh)]
    leaves, result = flatten(function(*v.args))
    y = [graph.constant(x) for x in leaves]
    nodes = v.back([*y, *_core.jvp(y, v.fresh, along)])
    return unflatten(result, nodes[:len(y)]), unflatten(result, nodes[len(y):])


@named
def jvp(function, primals, tangents):
    """(function(*primals), its derivative along the tangents)"""
    wants_function("jvp", function)
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError("jvp: arguments and tangents are tuples, as in porism.jvp(f, (x,), (v,))")
    graph = graph_for(flatten((primals, tangents))[0])
    if graph is None:
        return jit(lambda primals, tangents: jvp(function, primals, tangents))(tuple(primals), tuple(tangents))
    return _jvp(graph, function, tuple(primals), tuple(tangents))


def vjp(function, *primals):
    """(function(*primals), back): back(u) gives u times the derivatives by each argument, a tuple."""
    wants_function("vjp", function)
    graph = graph_for(flatten(primals)[0])
    if graph is None:
        return _vjp_at_once(function, primals)
    v = _open_all(graph, primals)
    leaves, result = flatten(function(*v.args))
    y = [graph.constant(x) for x in leaves]

    def back(u):
        against, structure = flatten(u)
        if structure != result:
            raise TypeError(f"given {shown(structure)}, the function gives {shown(result)}")
        against = [_like("the cotangent", graph.constant(x), p) for x, p in zip(against, y)]
        return v.like(v.back(_core.vjp(y, v.fresh, against)))
    return unflatten(result, v.back(y)), back


def _vjp_at_once(function, primals):
    both = jit(lambda primals, u: vjp(quiet(function), *primals)[1](u))
    return jit(function)(*primals), lambda u: both(tuple(primals), u)


def _matrices(graph, function, args, chosen, each):
    """`each(y, x)` for each leaf of the results and of the chosen arguments."""
    v = Variables(graph, args, chosen)
    leaves, result = flatten(function(*v.args))
    y = [graph.constant(x) for x in leaves]
    nodes = v.back([each(a, x) for a in y for x in v.fresh])
    n = len(v.fresh)
    return unflatten(result, [v.like(nodes[i*n:(i + 1)*n]) for i in range(len(y))])


@named
@functools.partial(transform, of_node=lambda y, argnums=0, forward=False: _each_of_node(
    "jacobian", y, argnums, lambda y, x: _core.jacobian(y, x, forward)))
def jacobian(function, argnums=0, forward=False):
    """A function that gives all derivatives: axes of the result, then axes of the argument.  forward: by columns.

    Of a node, jacobian(y, x) is the node of its derivatives by x, or one for each of several x."""
    def run(graph, *args, **named):
        f = functools.partial(function, **named)
        return _matrices(graph, f, args, argnums, lambda y, x: _core.jacobian(y, x, forward))
    return run


@named
def hessian(function, argnums=0):
    """A function that gives all second derivatives of a scalar: axes of the argument twice.

    Of a node, hessian(y, x) is the node of its second derivatives by x, or one for each of several x by itself."""
    if isinstance(function, _core.Node):
        if function.ndim:
            raise TypeError(f"{function.where}: hessian of {function!r}: wanted a scalar; write porism.hessian(y.sum(), x)")
        return _each_of_node("hessian", function, argnums, _core.hessian)
    wants_function("hessian", function)
    slopes = grad(function, argnums)
    by_all = jacobian(slopes, argnums)

    @transform
    def whole(function, argnums):
        def run(graph, *args, **named):
            leaves, structure = flatten(args[argnums]) if isinstance(argnums, int) else ((), ())
            if structure != "leaf":
                return by_all(*args, **named)
            v = Variables(graph, args, argnums)
            y = _scalar(graph, function(*v.args, **named), "the Hessian")
            return v.back([_core.hessian(y, v.fresh[0])])[0]
        return run
    return whole(function, argnums)


@named
def hvp(function):
    """A function of x and v that gives the Hessian of `function` at x times v, without the matrix."""
    wants_function("hvp", function)

    def hessian_times(x, v):
        return jvp(grad(function), (x,), (v,))[1]
    return hessian_times


# ---- functions of the graph: closed over what they use from outside ----


def _closed(graph, function, own, results):
    """(function of `own` and what `results` use besides, that)"""
    captured = _core.captured(tuple(results), tuple(own))
    inner = [graph.input_like(fresh_name(), c) for c in captured]
    if captured:
        results = _core.substitute(tuple(results), captured, inner)
    return graph.function(name_of(function), tuple(own) + tuple(inner), tuple(results)), captured


def _kept_apart(function, kind):
    """The same function as one of the graph, of that kind."""
    def run(graph, *args, **named):
        leaves, structure = flatten((args, named))
        values = [graph.constant(typed(x)) for x in leaves]
        own = [graph.input_like(fresh_name(), v) for v in values]
        args, named = unflatten(structure, own)
        with Order(graph) as order:
            results, result = flatten(function(*args, **named))
        f, captured = _closed(graph, function, own, [*map(graph.constant, results), *order.tokens])
        return unflatten(result, invoked(graph, kind(f), tuple(values) + tuple(captured), len(results)))
    return run


@named
@transform
def checkpoint(function):
    """The same function, of which nothing within is kept for a derivative: it is computed again."""
    return _kept_apart(function, _core.Function.checkpoint)


@named
@transform
def exact(function):
    """The same function, computed as it is written: no rule that holds of real numbers alone changes it."""
    return _kept_apart(function, _core.Function.exact)


def _axes_of_leaves(args, in_axes):
    """The axis, or None, of each leaf of the arguments; an axis of a structure is that of all within."""
    if not isinstance(in_axes, (tuple, list)):
        in_axes = (in_axes,)*len(args)
    if len(in_axes) != len(args):
        raise ValueError(f"in_axes has {len(in_axes)} axes for {len(args)} arguments")
    return [axis for axes, arg in zip(in_axes, args) for axis in _axes_within("in_axes", arg, axes)]


def _axes_within(name, value, axes):
    if axes is None or isinstance(axes, int):
        return [axes]*len(flatten(value)[0])
    parts, inner = parts_of(value), parts_of(axes)
    if parts is None or inner is None or parts[:2] != inner[:2]:
        of = "an array" if parts is None else shown(flatten(value)[1])
        raise TypeError(f"{name} has {axes!r} for {of}: wanted a number, None, or the like structure")
    return [a for part, axis in zip(parts[2], inner[2]) for a in _axes_within(name, part, axis)]


def names_of_leaves(function, args):
    """What messages call each leaf of the arguments by place: "X", or "p.w" of a structure."""
    params = names_of(function)
    named = [(params[i] if i < len(params) else f"argument {i}", flatten(arg)[1]) for i, arg in enumerate(args)]
    return [path for name, structure in named for path in paths(structure, name, ".")]


def check_sizes(nodes, places, names):
    """An error where a batch goes along axes of different sizes."""
    for node, place, name in zip(nodes, places, names):
        if str(node.shape[place]) != str(nodes[0].shape[places[0]]):
            raise ValueError(f"vmap: axis {place} of {name}, {node.type}, beside axis {places[0]} of {names[0]}, "
                             f"{nodes[0].type}: those that it goes along have one size; in in_axes stands None for what all "
                             "share") from None


def _moved(node, out):
    """The first axis at place `out`."""
    rank = node.ndim
    if out is None:
        raise TypeError(f"vmap: out_axes has None: of all the result is {node.type}; wanted where its axis of them is to be")
    if not out:
        return node
    if not -rank <= out < rank:
        raise ValueError(f"vmap: out_axes is {out}, and of all the result is {node.type}, which has {rank} axes")
    order = list(range(1, rank))
    order.insert(out % rank, 0)
    return transpose(node, order)


@named
@transform
def vmap(function, in_axes=0, out_axes=0):
    """The function for all along an axis of its arguments at once; None as an axis: all take the same.  out_axes: where the
    axis is in the results, one for all, or in their structure."""
    def run(graph, *args, **named):
        if named:
            raise TypeError(f"vmap: argument {next(iter(named))} is given by name: give it by place, or bind it with "
                            "functools.partial where all take the same")
        axes = _axes_of_leaves(args, in_axes)
        leaves, structure = flatten(args)
        values = [graph.constant(typed(x)) for x in leaves]
        own, mapped, places, names = [], [], [], []
        inner = []
        for value, axis, name in zip(values, axes, names_of_leaves(function, args)):
            if axis is None:
                inner.append(value)
                continue
            if not -value.ndim <= axis < value.ndim:
                raise ValueError(f"vmap: axis {axis} of {name}, {value.type}, which has {value.ndim} axes: in in_axes stands None for "
                                 "what all share, as in porism.vmap(f, in_axes=(0, None))")
            own.append(graph.input_like(fresh_name(), value, axis % value.ndim))
            mapped.append(value)
            names.append(name)
            places.append(axis % value.ndim)
            inner.append(own[-1])
        if not own:
            raise ValueError("vmap: no argument has an axis to map along")
        with Order(graph) as order:
            results, result = flatten(function(*unflatten(structure, inner)))
        f, captured = _closed(graph, function, own, [*map(graph.constant, results), *order.tokens])
        every = f.vmap(places + [None]*len(captured))
        try:
            nodes = invoked(graph, every, tuple(mapped) + tuple(captured), len(results))
        except TypeError:
            check_sizes(mapped, places, names)
            raise
        places = _axes_within("out_axes", unflatten(result, nodes), out_axes)
        return unflatten(result, [_moved(n, place) for n, place in zip(nodes, places)])
    return run
