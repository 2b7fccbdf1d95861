"""Derivatives of one's own, and operators of one's own: kernels of C, C functions of numbers, functions of Python."""
from __future__ import annotations

import ctypes
import functools
import re

from . import _core
from .build import parts_of, tracing, typed
from .effects import invoked, none
from .nodes import Graph, broadcast_to
from .trace import called, graph_for, jit, name_of
from .transforms import fresh_name, transform
from .tree import flatten, shown, unflatten

# ---- derivatives ----


def _like(graph, values):
    return [graph.input_like(fresh_name(), v) for v in values]


def _leaves_like(graph, tree, structure, what):
    leaves, given = flatten(tree)
    if given != structure:
        raise TypeError(f"{what} gives {shown(given)}, wanted {shown(structure)}")
    return [graph.constant(x) for x in leaves]


def _fitting(d, x):
    """A tangent of x: plain numbers and other floats take its dtype, what has no axes its shape."""
    d = d if d.dtype == x.dtype else d.astype(x.dtype)
    return broadcast_to(d, x.shape) if not d.shape and x.shape else d


def _with(function, own, forward, what):
    def run(graph, *args, **named):
        if named:
            raise TypeError(f"{what}: argument {next(iter(named))} is given by name: give it by place")
        with none(graph, f"a function {'with_derivative' if forward else 'with_vjp'}"):
            return told(graph, args)

    def told(graph, args):
        leaves, structure = flatten(args)
        values = [graph.constant(typed(x)) for x in leaves]
        inner = _like(graph, values)
        result, result_structure = flatten(function(*unflatten(structure, inner)))
        results = [graph.constant(x) for x in result]
        if not forward and len(results) != 1:
            raise TypeError(f"{what} of a function that gives {shown(result_structure)}: wanted one array")
        ys = _like(graph, results)
        ds = _like(graph, inner if forward else results)
        y = unflatten(result_structure, ys)
        if forward:
            given = called(f"{what} calls derivative(*args, result, *tangents)", own,
                           *unflatten(structure, inner), y, *unflatten(structure, ds))
            out = [_fitting(d, r) for d, r in zip(_leaves_like(graph, given, result_structure, what), results)]
        else:
            given = called(f"{what} calls pullback(*args, result, u)", own,
                           *unflatten(structure, inner), y, unflatten(result_structure, ds))
            one = len(args) == 1 and not isinstance(given, tuple)
            out = [_fitting(d, x) for d, x in zip(_leaves_like(graph, (given,) if one else given, structure, f"{what}: the pullback"), inner)]
        return unflatten(result_structure, _called(graph, function, (inner, ys, ds, results, out), values, forward))
    return run


def _called(graph, function, parts, values, forward):
    """The function with its own derivative, of these values.  What both use from outside is held fixed."""
    inner, ys, ds, results, out = parts
    captured = list(_core.captured(tuple(results + out), tuple(inner + ys + ds)))
    own = _like(graph, captured)
    if captured:
        changed = list(_core.substitute(tuple(results + out), captured, own))
        results, out = changed[:len(results)], changed[len(results):]
    name = name_of(function)
    f = graph.function(name, tuple(inner + own), tuple(results))
    if forward:
        d = graph.function(name + "_derivative", tuple(inner + own + ys + ds + _like(graph, captured)), tuple(out))
        called = f.with_derivative(d)
    else:
        still = [c*0 if c.dtype != "bool" else c for c in own]
        d = graph.function(name + "_vjp", tuple(inner + own + ys + ds), tuple(out + still))
        called = f.with_vjp(d)
    return invoked(graph, called, tuple(values + captured), len(results))


def _decorator(function, own, forward, what):
    if own is None:
        return functools.partial(_turned, function, forward, what)

    @transform
    def make(function, own):
        return _with(function, own, forward, what)
    return make(function, own)


def _turned(own, forward, what, function):
    if not callable(function):
        raise TypeError(f"{what} of one function is a decorator, @porism.{what}(d) above `def f`, where d tells the derivative: "
                        f"given {function!r} in the place of f")
    return _decorator(function, own, forward, what)


def with_derivative(function, derivative=None):
    """`function`, whose derivative is told: derivative(*args, result, *tangents) gives the tangent of the result.

    As a decorator: @with_derivative(lambda x, y, dx: y*dx) above `def f(x): return porism.exp(x)`.  The derivative is a
    function like any other: it has derivatives itself, of its arguments and of the result.  What both take from outside is
    held fixed."""
    return _decorator(function, derivative, True, "with_derivative")


def with_vjp(function, pullback=None):
    """`function`, of one result, whose derivative backwards is told: pullback(*args, result, u) gives u times the
    derivatives by each argument, a tuple; of one argument it may stand alone.  There is no derivative forwards."""
    return _decorator(function, pullback, False, "with_vjp")


# ---- operators ----


def address_of(x):
    """(address, what it belongs to) of a C function, of ctypes, cffi, numba, SciPy's LowLevelCallable, a PyCapsule, an int;
    None: it is none."""
    if isinstance(x, int):
        return x, None
    if isinstance(getattr(x, "address", None), int):                            # numba.cfunc
        return x.address, x
    if isinstance(x, ctypes._CFuncPtr):
        return ctypes.cast(x, ctypes.c_void_p).value, x
    if type(x).__name__ == "PyCapsule":
        return _capsule_address(x), x
    if type(x).__module__ == "_cffi_backend":
        import _cffi_backend
        ffi = _cffi_backend.FFI()
        return int(ffi.cast("uintptr_t", x)), x
    if hasattr(x, "function") and type(x).__name__ == "LowLevelCallable":
        return address_of(x.function)
    return None


def _capsule_address(capsule):
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))


FIRST_PAGE = 4096                   # below it nothing lies
ELEMENTWISE, ONE_THREAD, NOT_PURE = 1, 2, 4


class Operator:
    """An operator of one's own, which nodes and arrays are given to; see porism.operator."""

    def __init__(self, signature, kernel, each, flags, c, derivative, vjp, batch):
        named = re.match(r"\s*([A-Za-z_]\w*)\s*\((.*)\)\s*->\s*(.+)$", signature, re.S)
        if not named:
            raise ValueError(f"operator {signature!r}: wanted a signature, as in \"spring(x: f64[n], k: f64) -> f64[n]\"")
        self.name, self.signature, self.each, self.batch = named[1], signature, each, batch
        at = address_of(kernel)
        if at and (at[0] or 0) < FIRST_PAGE:
            raise ValueError(f"operator {self.name}: {kernel!r} is the address of no function")
        if at is None and not callable(kernel):
            raise TypeError(f"operator {self.name}: given {kernel!r}: wanted a function of Python, or a pointer to one of C")
        if at is None and each:
            raise TypeError(f"operator {self.name}: each=True is of a C function, as numba.cfunc makes it: one of Python is "
                            "given whole arrays")
        self.of_python = at is None
        address, keep = at or (0, None)
        self.core = _core.Operator(self.name, signature, None if at else kernel, address, 0, each, flags, c, keep)
        self.__name__, self.__doc__ = self.name, f"{signature}, an operator of {'Python' if self.of_python else 'C'}."
        self.params = named[2]
        self.lanes = "lanes"            # the size of the first axis more, which is none of the signature's
        while re.search(rf"\b{self.lanes}\b", signature):
            self.lanes += "_"
        if batch is not None and (callable(batch) and not isinstance(batch, Operator) or ".." not in self.params):
            self.check_batch()
        self.alone = self.of_typed
        if derivative or vjp:
            self.alone = with_derivative(self.of_typed, derivative) if derivative else with_vjp(self.of_typed, vjp)
        self.at_once = jit(self.of_nodes, tier="interpret")

    def __repr__(self):
        return f"<porism operator {self.signature}>"

    def of_nodes(self, *args):
        graph = graph_for(args)
        values = [graph.constant(typed(x)) for x in args]
        return self.alone(*(_spread(values) if self.each else values))

    def of_typed(self, *values):
        graph = graph_for(values)
        self.define(graph, len(values))
        return parts_of(graph.custom(self.name, values))

    def define(self, graph, count):
        """Makes it and what it is for all along an axis known to the graph."""
        graph.define(self.core)
        graph.__dict__.setdefault("own", {})[self.name] = self, count
        if self.batch is None or self.name in graph.__dict__.setdefault("batched", set()):
            return
        graph.batched.add(self.name)
        given = ", ".join(f"x{i}" for i in range(count))
        if isinstance(self.batch, Operator):
            self.batch.define(graph, count)
            graph.rule(f"batch({self.name}({given})) => {self.batch.name}({given})", "batching")
            self.batch.define_over_more(graph)
        else:
            graph.load_text(_batched(self.name, given, self.told_for_all(graph)), self.name)

    def define_over_more(self, graph):
        """Of one that is another for all along a first axis: for all along one more, both axes are that one."""
        if self.batch is not None or self.name in graph.batched or ".." in self.params:
            return
        graph.batched.add(self.name)
        one = self.inputs_of(Graph())
        values = one[0].graph
        values.define(self.core)
        results = parts(values.custom(self.name, one))
        given = ", ".join(f"reshape[{', '.join([f'{self.lanes}*({x.shape[0]})', *map(str, x.shape[1:])])}]({x.name})" for x in one)
        shapes = [f"reshape[{', '.join(map(str, (self.lanes, *x.shape)))}]" for x in results]
        body = f"{self.name}({given})"
        if len(results) == 1:
            body = f"{shapes[0]}({body})"
        else:
            names = ", ".join(f"r{i}" for i in range(len(results)))
            body = f"let ({names}) = {body} in ({', '.join(f'{s}(r{i})' for i, s in enumerate(shapes))})"
        params = ", ".join(f"{x.name}: {self.for_all(x)}" for x in one)
        text = f"op {_name_for_all(self.name)}({params}) = {body}\n"
        graph.load_text(_batched(self.name, ", ".join(x.name for x in one), text), self.name)

    def inputs_of(self, graph):
        """Inputs of this graph, as the signature has them."""
        found = graph.load_text(f"fn one({self.params}) = 0.0\n", self.name).function("one", {}).signature()["inputs"]
        return [graph.input(*x) for x in found]

    def told_for_all(self, graph):
        """The text of an op: what the function of Python gives, for all along a first axis."""
        one = self.inputs_of(Graph())
        lanes = [graph.input(fresh_name(), self.for_all(x)) for x in one]
        with tracing(graph):
            results = tuple(graph.constant(x) for x in flatten(self.batch(*lanes))[0])
        self.check_types(one, lanes, results)
        text = graph.function(_name_for_all(self.name), tuple(lanes), results).text()
        return re.sub(r"^fn ", "op ", text)

    def check_batch(self):
        """Does what it is for all take what this one takes, with an axis more, and give what it gives?"""
        graph = Graph()
        if not isinstance(self.batch, Operator):
            self.define(graph, len(self.inputs_of(Graph())))
            return
        one = self.inputs_of(graph)
        self.batch.define(graph, len(one))
        lanes = [graph.input(f"all{i}", self.for_all(x)) for i, x in enumerate(one)]
        self.check_types(one, lanes, parts(graph.custom(self.batch.name, lanes)))

    def for_all(self, x):
        """The type of a node, with a first axis more."""
        return f"{x.dtype}[{', '.join(map(str, (self.lanes, *x.shape)))}]"

    def check_types(self, one, lanes, results):
        graph = one[0].graph
        graph.define(self.core)
        given = [x.type for x in results]
        wanted = [self.for_all(x) for x in parts(graph.custom(self.name, one))]
        if given != wanted:
            raise TypeError(f"operator {self.name}: batch gives {', '.join(given)} for {', '.join(x.type for x in lanes)}, wanted "
                            f"{', '.join(wanted)}")

    def __call__(self, *args):
        return self.at_once(*args) if graph_for(args) is None else self.of_nodes(*args)


def parts(node):
    return parts_of(node) if node.count else (node,)


def _name_for_all(name):
    return f"all_of_{name}"


def _batched(name, given, text):
    """A text that has this op, and the line that it is what `name` is for all along an axis."""
    return f"{text}\nbook batching\nbatch({name}({given})) => {_name_for_all(name)}({given})\n"


def _spread(values):
    from .array_api.manipulation import broadcast_arrays
    return broadcast_arrays(*(v if v.dtype == "f64" else v.astype("f64") for v in values))


def operator(signature, kernel=None, *, derivative=None, vjp=None, batch=None, each=False, pure=True, one_thread=False, c=None):
    """An operator of one's own.

    signature   "spring(x: f64[n], k: f64) -> f64[n]", in the notation: dtypes and shapes of arguments and results; a size
                of a result may be an argument, "first(x: f64[n], k: i64) -> f64[k]"
    kernel      a function of Python, called under the GIL with arrays of NumPy's, which gives the results; or one of C
                at an address (ctypes, cffi, numba.cfunc, a PyCapsule, SciPy's LowLevelCallable, an int) of the type
                por_kernel
    each        the C function is one of up to six doubles that gives a double, for each element of what is given; in vmap
                it is called for all at once
    derivative  derivative(*args, result, *tangents), as with_derivative takes it; vjp: as with_vjp does
    batch       another operator, or a function of nodes, which is this one for all along a first axis more of every
                argument, and gives each result with it: what vmap calls once, vmap of vmap too, where it otherwise calls
                this one for one after another.  The derivatives of what is mapped are those of this one, mapped, or, without
                any, those of the function
    pure        False: runs once for equal arguments in a call, whatever it gave before
    one_thread  never two calls at a time
    c           C for export_c: the text that defines static int NAME(void *const *arrays, const int64_t *sizes)"""
    if kernel is None:
        return lambda kernel: operator(signature, kernel, derivative=derivative, vjp=vjp, batch=batch, each=each,
                                       pure=pure, one_thread=one_thread, c=c)
    if derivative and vjp:
        raise TypeError("operator: give derivative, or vjp, and not both")
    if batch is not None and (each or not callable(batch)):
        raise TypeError(f"operator: batch is {batch!r}, wanted another operator, as porism.operator gives it, or a function" +
                        (", and none with each, which takes all at once" if each else ""))
    if each:
        signature = _signature_of_each(signature)
    return Operator(signature, kernel, bool(each), (0 if pure else NOT_PURE) | (ONE_THREAD if one_thread else 0) |
                    (ELEMENTWISE if each else 0), c, derivative, vjp, batch)


def _signature_of_each(signature):
    """"f(x: f64, y: f64) -> f64" for any shape."""
    found = re.match(r"\s*(\w+)\s*\((.*)\)\s*->\s*f64\s*$", signature)
    parameters = [p.split(":") for p in found[2].split(",")] if found else []
    if not found or not 1 <= len(parameters) <= 6 or any(len(p) != 2 or p[1].strip() != "f64" for p in parameters):
        raise ValueError(f"operator {signature!r} for each element: wanted one to six f64 and the result f64, as in "
                         "\"f(x: f64, y: f64) -> f64\"")
    return f"{found[1]}({', '.join(p[0].strip() + ': f64[..s]' for p in parameters)}) -> f64[..s]"
