"""Branches and loops of a graph; outside of a trace they are compiled and computed at once."""
from __future__ import annotations

from . import _core, operators
from .build import dtype_name, sizes_differ, typed
from .effects import closing_loop, order_of, order_of_loop, order_of_side
from .named import named
from .nodes import reshape
from .trace import called, graph_for, jit
from .tree import flatten, paths, shown, unflatten


def cond(condition, yes, no, *operands):
    """yes(*operands) where the condition, one bool, holds, else no(*operands): one of them alone is computed."""
    if not callable(yes) or not callable(no):
        raise TypeError("cond: wanted two functions, as in porism.cond(c, lambda: a, lambda: b); porism.where(c, a, b) "
                        "chooses among values")
    if getattr(condition, "ndim", 0):
        raise TypeError("cond: its condition is one bool, and no array: porism.where(c, a, b) chooses for each element, "
                        "porism.all(c) and porism.any(c) are one")
    if not isinstance(condition, _core.Node):
        return called("porism.cond(c, f, g, *args) calls f(*args) and g(*args)", yes if condition else no, *operands)
    graph = condition.graph
    sides, orders = [], []
    for side in (yes, no):
        with order_of_side(graph) as order:
            sides.append(flatten(called("porism.cond(c, f, g, *args) calls f(*args) and g(*args)", side, *operands)))
        orders.append(order)
    if sides[0][1] != sides[1][1]:
        raise TypeError(f"cond: one side gives {shown(sides[0][1])}, the other {shown(sides[1][1])}")
    if any(o.token is not None for o in orders):
        return with_effects(graph, condition, sides, orders)
    pairs = zip(*([graph.constant(x) for x in leaves] for leaves, _ in sides))
    return unflatten(sides[0][1], [_core.cond(condition, a, b) for a, b in pairs])


def with_effects(graph, condition, sides, orders):
    """One branch of values and of what happens."""
    outer = order_of(graph, "cond")
    both = [(*map(graph.constant, leaves), outer.now() if order.token is None else order.token)
            for (leaves, _), order in zip(sides, orders)]
    *values, outer.token = _core.cond_all(condition, *both)
    return unflatten(sides[0][1], values)


class Carried:
    """What a loop carries from pass to pass."""

    def __init__(self, graph, loop, first):
        leaves, self.structure = flatten(first)
        if not leaves:
            raise TypeError("a loop carries at least one array")
        self.graph, self.loop = graph, loop
        self.nodes = [loop.carry(typed(x)) for x in leaves]

    def value(self):
        return unflatten(self.structure, self.nodes)

    def follow(self, value):
        leaves, structure = flatten(value)
        if structure != self.structure:
            hint = ": return what is carried on" if value is None else ""
            raise TypeError(f"a loop that begins with {shown(self.structure)} goes on with {shown(structure)}{hint}")
        for node, x in zip(self.nodes, leaves):
            self.loop.next(node, self.fitting(node, x))

    def fitting(self, node, x):
        """The next value of what is carried, which keeps its dtype and shape."""
        x = x if isinstance(x, (float, int)) else self.graph.constant(x)
        given = x.type if isinstance(x, _core.Node) else dtype_name(type(x))
        if given[0] == "f" and node.dtype[0] not in "fc":
            raise TypeError(f"a loop that begins with {node.type} goes on with {given}: begin with a float, 0.0 for 0")
        return self.of_shape(node, x) if isinstance(x, _core.Node) else x

    def of_shape(self, node, x):
        """x, whose numbers are the carried symbols of sizes, or the other way around: which the call checks."""
        pairs = list(zip(node.shape, x.shape))
        differ = [(a, b) for a, b in pairs if isinstance(a, int) != isinstance(b, int)]
        if len(node.shape) != len(x.shape) or not differ or any(n < self.graph.least for pair in differ for n in pair
                                                               if isinstance(n, int)):
            return x
        return reshape(x, tuple(a if isinstance(a, int) != isinstance(b, int) else b for a, b in pairs))

    def last(self):
        return unflatten(self.structure, [self.loop.last(n) for n in self.nodes])


def wants_function(function, call):
    if not callable(function):
        raise TypeError(f"given {function!r} where a function was wanted: it is {call}")


def one_length(graph, rows, names):
    """An error where it is known that parts of xs do not have one length; what is not, the call checks."""
    rows = [graph.constant(x) for x in rows]
    for row, name in zip(rows, names):
        if not row.ndim:
            raise TypeError(f"scan: {name} is {row.type}: wanted arrays, along whose first axes it goes")
        if sizes_differ(row.shape[0], rows[0].shape[0]):
            raise TypeError(f"scan: {name} is {row.type} and {names[0]} is {rows[0].type}: it goes along the first axes of all "
                            "of xs, which have one length")


@named
def scan(function, first, xs=None, length=None, reverse=False):
    """(last, ys): function(carried, x) gives (next carried, y) for each x along the first axes of xs.

    Without xs it is called `length` times with x = None.  reverse: from the end; ys lie as xs do."""
    wants_function(function, "porism.scan(f, first, xs)")
    graph = graph_for(flatten((first, xs, length))[0])
    rows, structure = flatten(xs)
    if any(isinstance(x, (int, float)) for x in rows):
        raise TypeError(f"scan: xs has the number {next(x for x in rows if isinstance(x, (int, float)))}, wanted arrays; so "
                        "many passes are length=n")
    if graph is None:
        return jit(lambda first, xs: scan(function, first, xs, length, reverse))(first, xs)
    if not rows and length is None:
        raise TypeError("scan: give xs, or the length")
    one_length(graph, rows, paths(structure, "xs", "."))
    loop = _core.Loop(graph, length, reverse)
    each = [loop.each(x) for x in rows]
    carried = Carried(graph, loop, first)
    with order_of_loop(graph, loop) as order:
        result = called("porism.scan calls f(carried, x)", function, carried.value(), unflatten(structure, each))
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError("scan: the function gives a pair: what is carried on, and what is stacked (or None)")
    carried.follow(result[0])
    leaves, stacked = flatten(result[1])
    numbers = [loop.stack(y) for y in leaves]
    closing_loop(order, loop)
    return carried.last(), unflatten(stacked, [loop.stacked(n) for n in numbers])


@named
def while_loop(condition, body, first):
    """body(...body(first)), as long as condition(carried), one bool, holds."""
    for f in (condition, body):
        wants_function(f, "porism.while_loop(condition, body, first)")
    graph = graph_for(flatten(first)[0])
    if graph is None:
        return jit(lambda first: while_loop(condition, body, first))(first)
    loop = _core.Loop(graph, None, False)
    carried = Carried(graph, loop, first)
    with order_of_loop(graph, loop) as order:
        goes = called("porism.while_loop calls condition(carried)", condition, carried.value())
        if goes is None:
            raise TypeError("while_loop: the condition gives None: return one bool")
        loop.while_(goes, order.asked())
        carried.follow(called("porism.while_loop calls body(carried)", body, carried.value()))
    closing_loop(order, loop)
    return carried.last()


def _passes(lower, upper):
    """upper - lower, or 0 where that is below it."""
    n = upper - lower
    if isinstance(n, int):
        return max(n, 0)
    if isinstance(lower, int) and lower == 0 and isinstance(upper, _core.Size):
        return n
    return _core.size_op("max", n, 0) if isinstance(n, _core.Size) else operators.maximum(n, 0)


@named
def fori(lower, upper, body, first):
    """body(i, carried) for i = lower, ..., upper - 1; gives what is carried at the end."""
    wants_function(body, "porism.fori(lower, upper, body, first), where body(i, carried) gives what is carried on")
    graph = graph_for(flatten((lower, upper, first))[0])
    if graph is None:
        return jit(lambda lower, upper, first: fori(lower, upper, body, first))(lower, upper, first)
    loop = _core.Loop(graph, _passes(lower, upper), False)
    carried = Carried(graph, loop, first)
    with order_of_loop(graph, loop) as order:
        carried.follow(called("porism.fori calls body(i, carried)", body, loop.index() + lower, carried.value()))
    closing_loop(order, loop)
    return carried.last()
