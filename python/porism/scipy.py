"""SciPy's solvers over traced functions: derivatives are made here and given to SciPy.

    r = porism.scipy.minimize(loss, {"w": np.zeros(3), "b": 0.0}, args=(X, y), method="trust-exact")
    r.x["w"]

What is solved for may be an array, or a structure of arrays (tuples, dicts, dataclasses); args stay as they are."""
from __future__ import annotations

import numpy
from scipy import integrate, optimize

from . import _core
from .nodes import concatenate, reshape, stack
from .trace import jit, lists_told
from .transforms import grad, hessian, hvp, jacobian, value_and_grad
from .tree import flatten, unflatten

NO_SLOPE = {"nelder-mead", "powell", "cobyla", "cobyqa"}
HESSIAN = {"dogleg", "trust-exact"}
PRODUCT = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}
IMPLICIT = {"Radau", "BDF", "LSODA"}


class Vector:
    """A structure of arrays as one vector of f64."""

    def __init__(self, like):
        leaves, self.structure = flatten(like)
        leaves = [numpy.asarray(x, dtype=float) for x in leaves]
        self.shapes = [x.shape for x in leaves]
        self.first = numpy.concatenate([x.ravel() for x in leaves]) if leaves else numpy.zeros(0)

    def take(self, x):
        """The structure of a vector, of nodes or of numbers."""
        leaves, at = [], 0
        for shape in self.shapes:
            n = int(numpy.prod(shape, dtype=int))
            part = x[at:at + n]
            leaves.append(reshape(part, shape) if isinstance(part, _core.Node) else numpy.reshape(part, shape))
            at += n
        return unflatten(self.structure, leaves)

    def put(self, value):
        """A structure of nodes as a vector."""
        if self.structure == "leaf" and isinstance(value, (tuple, list)):         # [y[1], -y[0]]
            value = stack(value)
        leaves, structure = flatten(value)
        if structure != self.structure:
            raise TypeError("the function gives another structure than it is given")
        parts = [self.flat(x, shape) for x, shape in zip(leaves, self.shapes)]
        return concatenate(parts) if len(parts) > 1 else parts[0]


    def flat(self, x, shape):
        """A part of a vector, which has as many elements as what it belongs to."""
        n = int(numpy.prod(shape, dtype=int))
        if not isinstance(x, _core.Node):
            x = numpy.asarray(x, float)
        if isinstance(x.size, int) and x.size != n:
            raise TypeError(f"the function gives {x.size} numbers where it is given {n}")
        return reshape(x, (n,))


class Objective:
    """A scalar function of a vector with its derivatives, as SciPy wants them:

    fun(x), jac(x), both(x): (value, gradient), hess(x), hessp(x, v), each with further arguments after these"""

    def __init__(self, function, like=None):
        self.vector = None if like is None else Vector(like)

        def of_vector(x, *args):
            x = x if self.vector is None else self.vector.take(x)
            with lists_told([("x0", x)]):
                return function(x, *args)

        def along(x, v, *args):
            return hvp(lambda z: of_vector(z, *args))(x, v)
        self.fun = jit(of_vector)
        self.jac = jit(grad(of_vector))
        self.both = jit(value_and_grad(of_vector))
        self.hess = jit(hessian(of_vector))
        self.hessp = jit(along)


def minimize(function, x0, args=(), method=None, **options):
    """scipy.optimize.minimize of a function traced here: gradient, Hessian, or Hessian times a vector are given as the
    method wants them.  The result's x has the structure of x0."""
    args = args if isinstance(args, tuple) else (args,)
    f = Objective(function, x0)
    name = method.lower() if isinstance(method, str) else method
    given = {}
    if name in NO_SLOPE:
        fun = f.fun
    else:
        fun, given["jac"] = f.both, True
    if name in HESSIAN:
        given["hess"] = f.hess
    elif name in PRODUCT:
        given["hessp"] = f.hessp
    result = optimize.minimize(fun, f.vector.first, args=args, method=method, **{**given, **options})
    result.x = f.vector.take(result.x)
    return result


def root(function, x0, args=(), method="hybr", **options):
    """scipy.optimize.root with the Jacobian; the function gives the structure that it is given."""
    args = args if isinstance(args, tuple) else (args,)
    v = Vector(x0)

    def of_vector(x, *more):
        x = v.take(x)
        with lists_told([("x0", x)]):
            return v.put(function(x, *more))
    given = {"jac": jit(jacobian(of_vector))} if method in ("hybr", "lm") else {}
    result = optimize.root(jit(of_vector), v.first, args=args, method=method, **{**given, **options})
    result.x = v.take(result.x)
    return result


def solve_ivp(function, t_span, y0, method="RK45", args=(), **options):
    """scipy.integrate.solve_ivp of function(t, y, *args); methods that are implicit are given the Jacobian.  Of a
    structure y, the columns of the result's y are its leaves, raveled, one after another."""
    v = Vector(y0)

    def of_vector(t, y, *more):
        y = v.take(y)
        with lists_told([("y0", y)]):
            return v.put(function(t, y, *more))
    given = {"jac": jit(jacobian(of_vector, 1))} if method in IMPLICIT else {}
    return integrate.solve_ivp(jit(of_vector), t_span, v.first, method=method, args=tuple(args) or None,
                               **{**given, **options})
