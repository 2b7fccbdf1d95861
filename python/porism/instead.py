"""What to write in place of functions and methods that other packages have, for messages."""
from __future__ import annotations

import re
import sys

# of x, y: expressions that mean the same
EXPRESSIONS = {
    "ravel": "x.reshape(-1)", "flatten": "x.reshape(-1)", "dot": "x @ y", "square": "x*x", "reciprocal": "1/x",
    "float_power": "x**y", "fabs": "abs(x)", "positive": "x", "copy": "x", "var": "porism.variance(x)",
    "std": "porism.sqrt(porism.variance(x))", "average": "porism.mean(x)", "amax": "porism.max(x)",
    "amin": "porism.min(x)", "ptp": "porism.max(x) - porism.min(x)", "norm": "porism.norm(x)",
    "zeros_like": "porism.zeros(x.shape, x.dtype)", "ones_like": "porism.ones(x.shape, x.dtype)",
    "inner": "porism.sum(x*y, -1)", "vdot": "porism.dot(x, y)", "outer": "x[:, None]*y", "diff": "x[1:] - x[:-1]",
    "hstack": "porism.concatenate([x, y])", "append": "porism.concatenate([x, y])",
    "array_equal": "porism.all(x == y)", "count_nonzero": "porism.sum(x != 0)",
    "degrees": "x*(180/np.pi)", "rad2deg": "x*(180/np.pi)", "radians": "x*(np.pi/180)", "deg2rad": "x*(np.pi/180)",
}
# functions that the standard's module has, traced too
STANDARD = {"eye": "n", "linspace": "a, b, n", "tril": "x", "triu": "x",
            "roll": "x, k", "repeat": "x, k", "tile": "x, (k,)", "meshgrid": "x, y"}
# of sizes, axes, bounds and functions too, and of other packages than NumPy
SHAPED = {
    **{name: f"porism.array_api.{name}({given})" for name, given in STANDARD.items()}, "identity": "porism.array_api.eye(n)", "absolute": "abs(x)", "power": "x**y", "multiply": "x*y",
    "subtract": "x - y", "divide": "x/y", "true_divide": "x/y", "negative": "-x", "remainder": "x % y",
    "floor_divide": "x//y", "matrix_power": "x @ x", "equal": "x == y", "not_equal": "x != y", "less": "x < y",
    "less_equal": "x <= y", "greater": "x > y", "greater_equal": "x >= y", "isclose": "abs(x - y) <= 1e-8",
    "allclose": "porism.all(abs(x - y) <= 1e-8)",
    "trace": "porism.sum(x[porism.arange(n), porism.arange(n)])",
    "diagonal": "x[porism.arange(n), porism.arange(n)]",
    "diag": "x[porism.arange(n), porism.arange(n)] of a matrix, x[:, None]*porism.one_hot(porism.arange(n), n) of a vector",
    "fliplr": "x[:, ::-1]",
    "sort": "porism.top_k(x, n)[0][..., ::-1]", "argsort": "porism.top_k(x, n)[1][..., ::-1]",
    "flipud": "x[::-1]", "ln": "porism.log(x)", "rint": "porism.round(x)", "sgn": "porism.sign(x)", "arcsin": "porism.asin(x)",
    "arccos": "porism.acos(x)", "arctan": "porism.atan(x)", "arctan2": "porism.atan2(x, y)", "expit": "porism.sigmoid(x)",
    "clamp": "porism.clip(x, low, high)", "cat": "porism.concatenate([x, y])", "mm": "x @ y", "bmm": "x @ y",
    "fori_loop": "porism.fori(lower, upper, body, first)", "jacfwd": "porism.jacobian(f)",
    "jacrev": "porism.jacobian(f)", "pmap": "porism.vmap(f)", "remat": "porism.checkpoint(f)", "map": "porism.vmap(f)(x)",
    "heaviside": "porism.where(x < 0, 0.0, 1.0)", "nan_to_num": "porism.where(porism.isnan(x), 0, x)", "log_sum_exp": "porism.logsumexp(x)"
}
# what takes more than x and y, or means a statement
OTHERS = {
    "at": "porism.put(x, i, v) or porism.add_at(x, i, v)", "put": "porism.put(x, i, v), a changed copy",
    "fill": "x = porism.full(x.shape, v, x.dtype)", "full_like": "porism.full(x.shape, v, x.dtype)",
    "vstack": "porism.stack, or porism.concatenate along axis 0", "tensordot": "porism.einsum",
    "swapaxes": "porism.transpose(x, axes)", "moveaxis": "porism.transpose(x, axes)",
    "permute": "porism.transpose(x, axes)", "unsqueeze": "porism.expand_dims(x, axis)", "view": "x.reshape(...)",
    "detach": "porism.stop_gradient(x)", "item": "return x to see it: while tracing it has no value yet",
    "tolist": "return x to see it: while tracing it has no value yet",
    "numpy": "return x to see it: while tracing it has no value yet",
    "backward": "porism.grad(f), of the function", "float": "x.astype(\"f32\")", "double": "x.astype(\"f64\")",
}
# parts of other packages, and functions that stand in them
MODULES = {
    "inv": "porism.array_api.linalg.inv(A)", "solve": "porism.array_api.linalg.solve(A, b)",
    "numpy": "porism.NAME, or the standard's functions, porism.array_api.NAME", "np": "porism.NAME",
    "lax": "porism.NAME: scan, cond, fori, while_loop",
    "nn": "porism.NAME: relu, sigmoid, softmax, ..., or porism.library(\"nn\")",
    "linalg": "porism.array_api.linalg.NAME", "special": "porism.lgamma, porism.erf and the like",
    "random": "porism.normal(porism.key(seed), shape), uniform, ..., or porism.library(\"draw\")",
    "tensor": "porism.NAME", "optimize": "porism.library(\"optim\")", "stats": "porism.library(\"stats\")",
    "autograd": "porism.grad(f)",
    "PRNGKey": "porism.key(seed)", "fold_in": "porism.subkey(key, i)", "set_subtensor": "porism.put(x, i, v)",
    "inc_subtensor": "porism.add_at(x, i, v)", "scatter": "porism.put(x, i, v)",
    **{f"{kind}{n}": f'"{kind[0]}{n}", the name of the dtype' for kind in ("float", "int") for n in (16, 32, 64)},
    **{f: f"np.{f}(...): functions take NumPy's arrays, lists and numbers" for f in ("array", "asarray")},
    "debug": "porism.print(x=x), porism.check(x=x)", "checkify": "porism.assert_(c, x=x) or porism.check(x=x)",
    "Print": "porism.print(x=x)", "printing": "porism.print(x=x)", "Assert": "porism.assert_(c, x=x)",
    "check_numerics": "porism.check(x=x)", "shared": "an argument, and return its next value", "function": "porism.jit(f)",
    "MX": "porism.jit(f): x is traced where f is called", "SX": "porism.jit(f): x is traced where f is called",
    "vertcat": "porism.stack or porism.concatenate", "horzcat": "porism.stack or porism.concatenate",
}
SPECIAL = {"gammaln": "porism.lgamma(x)", "psi": "porism.digamma(x)", "ndtri": "sqrt(2)*porism.erfinv(2*x - 1)"}   # of SciPy's
METHODS = {"cuda": "x, as all is computed by the processor", "cpu": "x", "to": "x.astype(\"f32\") for a dtype; there is one device",
           "requires_grad_": "porism.grad(f), of the function", "grad": "porism.grad(f), of the function", "type": "x.astype(\"f32\")",
           "clip": "porism.clip(x, low, high)", "squeeze": "porism.squeeze(x, axis)", "softmax": "porism.softmax(x)",
           "norm": "porism.norm(x)", "relu": "porism.relu(x)"}


def of_numpy(name):
    """"; write ..." in place of a function of NumPy's of nodes x and y; "" where there is nothing to say."""
    found = EXPRESSIONS.get(name) or SHAPED.get(name) or OTHERS.get(name) or SPECIAL.get(name)
    return f"; write {found}" if found else "" if hasattr(sys.modules["porism"], name) else of_notation(name)


def of_node(name, functions):
    """The same in place of x.name."""
    found = METHODS.get(name) or EXPRESSIONS.get(name) or SHAPED.get(name) or OTHERS.get(name)
    found = found or (f"porism.{name}(x)" if name in functions else None)
    return (": " if found and found.startswith("return") else ": write ") + found if found else of_notation(name)


def of_module(name):
    """The same in place of porism.name; else what the notation has of that name, or says to write."""
    found = MODULES.get(name) or EXPRESSIONS.get(name) or SHAPED.get(name) or OTHERS.get(name) or SPECIAL.get(name)
    if found or name.startswith("_") or not name.isascii():
        return f"; write {found}" if found else ""
    return of_notation(name)


def of_notation(name):
    """What the notation has of that name: a function of its library, or what is written there."""
    from .nodes import Graph
    if name.startswith("_") or not name.isascii():
        return ""
    try:
        Graph().expression(f"{name}(x)", {})
    except Exception as e:
        hint = re.search(re.escape(name) + " is not declared: (.*)", str(e))
        of_library = re.search(r"\b(\w+)\.(\w+)\([^;]*(?:, by use|; in a file after use) \1", hint[1]) if hint else None
        if of_library:
            return f"; write porism.library(\"{of_library[1]}\").{of_library[2]}(...)"
        if hint and hint[1] == "there is none":
            return "; there is none"
        module = re.search(r"it is a module of the library", hint[1]) if hint else None
        if module:
            return f"; write porism.library(\"{name}\")"
        return f"; in the notation: {hint[1]}" if hint and "nearest name" not in hint[1] else ""
    return f"; the notation has it: porism.notation(\"{name}(x)\")(x)"
