"""What traced functions print, assert and check: effects, which happen in the order in which they are traced."""
from __future__ import annotations

import functools
import re

from . import _core, operators
from .build import current, graph_of, typed
from .tree import parts_of

PRINT, ASSERT, CHECK = 0, 1, 2
SHOWN = 60                              # letters of a condition that are told


class Order:
    """The effects of what is traced while it lasts, one after another: `token` is that of the last, None: there are none.

    first()  the token that the first of them comes after; asked where there is one alone"""

    def __init__(self, graph, first=None):
        self.graph, self.token = graph, None
        self.first = first or functools.partial(_core.no_effect, graph)

    def __enter__(self):
        self.outer = self.graph.__dict__.get("order")
        self.graph.order = self
        return self

    def __exit__(self, *error):
        self.graph.order = self.outer

    def now(self):
        if self.token is None:
            self.token = self.first()
        return self.token

    @property
    def tokens(self):
        """What is a result more of a function: [] or [token]."""
        return [] if self.token is None else [self.token]


def order_of(graph, what):
    order = graph.__dict__.get("order")
    if order is None:
        raise TypeError(f"{what} has effects, which are of functions that are traced, as by porism.jit, and not of a graph by "
                        "hand")
    return order


def order_of_loop(graph, loop):
    """Of a loop's body: the loop carries the token."""
    outer, order = graph.__dict__.get("order"), Order(graph)

    def first():
        order.carried = loop.carry((outer or order_of(graph, "what is done in a loop")).now())
        return order.carried
    def asked():
        """The token behind a condition, which stands in the body for what it goes on from; None: it has no effects."""
        token = order.token
        if token is not None:
            order.token = order.carried
        return token
    order.first, order.asked = first, asked
    return order


def closing_loop(order, loop):
    """Closes a loop whose body had these effects."""
    if order.token is not None:
        loop.next(order.carried, order.token)
    loop.close()
    if order.token is not None:
        order.outer.token = loop.last(order.carried)


def order_of_side(graph):
    """Of a side of a branch."""
    outer = graph.__dict__.get("order")
    return Order(graph, lambda: (outer or order_of(graph, "what is done in a branch")).now())


def none(graph, what):
    """While it lasts an effect is an error: `what` has none."""
    def first():
        raise TypeError(f"{what} has no effects: print, assert or check around it")
    return Order(graph, first)


def quiet(function):
    """The function, traced once more: its effects are those of the first time."""
    @functools.wraps(function, updated=())
    def call(*args, **named):
        graph = current()
        if graph is None:
            return function(*args, **named)
        with Order(graph):
            return function(*args, **named)
    return call


def invoked(graph, function, args, n):
    """The n results of a function of the graph, whose effects come next."""
    if not function.effects:
        node = function.invoke(args)
        return [node] if n == 1 else [_core.get(node, i) for i in range(n)]
    order = order_of(graph, function.name)
    node = function.invoke_after(order.now(), args)
    order.token = _core.get(node, n) if n else node
    return [_core.get(node, i) for i in range(n)]


# ---- effects by name ----


def leaves_of(x, path):
    """[(p.w, array)]"""
    found = parts_of(x)
    if found is None:
        return [(path, x)]
    places = found[0][0] in ("tuple", "list")
    names = [str(k) if places else word(str(k)) for k in found[1]]
    return [leaf for name, part in zip(names, found[2]) for leaf in leaves_of(part, f"{path}.{name}" if path else name)]


def word(name):
    """A name as the notation writes one."""
    from .trace import RESERVED
    name = re.sub(r"\W", "_", name)
    return name + "_" if name in RESERVED else f"_{name}" if not name or name[0].isdigit() else name


def parts_named(values):
    """([(name, value)], a text that stands last); a text names the value behind it, several without are numbered."""
    found, name = [], ""
    for x in values:
        if isinstance(x, str) and not name:
            name = x
            continue
        found.append((word(name) if name else "", x))
        name = ""
    return found, name


def named_values(what, values, named):
    """[(p.w, array)]"""
    parts, name = parts_named(values)
    bare = [x for n, x in parts if not n]
    if len(bare) == len(parts) + len(named) > 1:
        parts = [(str(i), x) for i, x in enumerate(bare)]
    elif bare and len(parts) + len(named) > 1:
        raise TypeError(f"{what}: of several values all have names, or none, as in porism.{what}(step=i, loss=l)")
    found = [leaf for n, x in [*parts, *named.items()] for leaf in leaves_of(x, n)]
    if name:
        how = "values by their names" if "{" in name else "a value behind it"
        raise TypeError(f"{what}: given the text {name!r}, wanted {how}, as in porism.{what}(step=i, loss=l), which prints "
                        "step = 3, loss = 0.25")
    for _, x in found:
        if isinstance(x, str):
            raise TypeError(f"{what}: given the text {x!r}, wanted an array or a number")
    return found


def happens(what, kind, names, values):
    graph = graph_of(values)
    if graph is None:
        at_once(what, kind, names)(*values)
        return
    order = order_of(graph, f"porism.{what}")
    order.token = _core.do(order.now(), kind, names, tuple(graph.constant(typed(x)) for x in values))


@functools.lru_cache(256)
def at_once(what, kind, names):
    from .trace import jit
    return jit(lambda *values: happens(what, kind, names, values), tier="interpret")


def print(*values, **named):
    """Prints arrays, or structures of them, when the function that is traced runs: porism.print(step=i, loss=l) prints the
    line step = 3, loss = 0.25, porism.print("loss", l) the line loss = 0.25.

    It happens once for each call, each pass of a loop, each element of vmap in ascending order, and where its side of cond is
    taken; derivatives do not repeat it.  Lines go through Python's print."""
    found = named_values("print", values, named)
    if not found:
        raise TypeError("print: no value is given")
    happens("print", PRINT, tuple(n for n, _ in found), [x for _, x in found])


def assert_(condition, message="", **named):
    """The call fails where the condition, a bool or an array of them, does not hold: with a ValueError that has the line, the
    message (or the condition), and the values given by name."""
    if not isinstance(message, str):
        raise TypeError("assert_: what stands behind the condition is a text; values have names: porism.assert_(x > 0, x=x)")
    if isinstance(condition, (str, tuple, list)):
        raise TypeError(f"assert_: given {condition!r}, wanted a condition")
    found = named_values("assert_", (), named)
    text = message or shown(condition)
    if getattr(condition, "ndim", 0):
        condition = operators.all(condition)
    happens("assert_", ASSERT, (text, *(n for n, _ in found)), [condition, *(x for _, x in found)])


def shown(condition):
    text = str(condition) if isinstance(condition, _core.Node) else ""
    return text if text and "\n" not in text and len(text) <= SHOWN else "condition"


def check(*values, **named):
    """The call fails where an element is NaN or infinite: with a ValueError that has the line, the name and the place."""
    found = named_values("check", values, named)
    if not found:
        raise TypeError("check: no value is given")
    happens("check", CHECK, tuple(n for n, _ in found), [x for _, x in found])
