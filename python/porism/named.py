"""Keywords that NumPy, PyTorch and JAX have for the same functions: they are taken, or answered with what to write."""
from __future__ import annotations

import functools
import inspect

from . import _core

# by the name of a parameter of ours: what others call it
ALSO = {"axis": ("dim", "axes", "dims"), "axes": ("axis", "dims", "perm"), "keepdims": ("keepdim",),
        "x": ("a", "x1", "input", "arr", "array", "operand", "object"), "y": ("b", "x2", "other"), "n": ("num_classes", "N"),
        "shape": ("size", "newshape", "new_sizes"), "value": ("fill_value",), "arrays": ("tensors", "xs", "seq", "operands"),
        "low": ("min", "a_min"), "high": ("max", "a_max"), "labels": ("equation", "subscripts"),
        "start": ("low",), "stop": ("end",), "index": ("indices",), "i": ("indices",), "c": ("condition",), "k": ("key", "rng")}
# of functions whose letters are others
OF = {"where": {"x": ("input", "a"), "y": ("other", "b")}, "vmap": {"in_axes": ("in_dims",), "out_axes": ("out_dims",)},
      "grad": {"argnums": ("argnum",)}, "value_and_grad": {"argnums": ("argnum",)}, "scan": {"function": ("f", "body_fun", "fn"),
      "first": ("init", "init_val", "outputs_info"), "xs": ("sequences",), "length": ("n_steps",), "reverse": ("go_backwards",)},
      "while_loop": {"condition": ("cond_fun",), "body": ("body_fun",), "first": ("init_val",)},
      "fori": {"body": ("body_fun",), "first": ("init_val",)}, "checkpoint": {"function": ("fun", "f")}}
# what others say of where and how results lie, with the value that holds here anyhow
PASSED = {"out": None, "dtype": None, "where": True, "casting": "same_kind", "order": "K", "subok": True, "device": "cpu",
          "requires_grad": False, "layout": None, "precision": None, "copy": None, "mode": "reduced", "sparse": False,
          "unroll": 1, "largest": True, "sorted": True, "optimize": True, "strict": True}
SAYS = {
    "out": "results are arrays of their own; write y = {f}(...)", "casting": "write x.astype(dtype) before",
    "order": "arrays lie in the order of rows; leave it out", "device": "all is computed by the processor; leave it out",
    "requires_grad": "derivatives are of functions: porism.grad(f)", "unroll": "loops are unrolled where it pays; leave it out",
    "precision": "the dtype of the operands decides: x.astype(\"f64\")", "where": "write porism.where(c, {f}(x), y)",
    "mode": "leave it out",
}
# what to write for a keyword, or for operands more (+) or fewer (-) than there are
WRITE = {
    "norm axis": "porism.sqrt(porism.sum(x*x, axis))", "norm ord": "porism.sum(porism.abs(x)) or porism.max(porism.abs(x))",
    "norm keepdims": "porism.sqrt(porism.sum(x*x, axis, True))", "norm +": "porism.sum(porism.abs(x)), say",
    "round +": "porism.round(x*100)/100", "round decimals": "porism.round(x*100)/100",
    "log +": "porism.log(x)/porism.log(base), porism.log2(x) or porism.log10(x)", "log base": "porism.log(x)/porism.log(base)",
    "squeeze -": "the axes of size 1: sizes are known with the values alone",
    "top_k axis": "porism.top_k(porism.transpose(x, axes), k): it goes along the last axis",
    "tri_solve upper": "lower=False", "tri_solve trans": "turned=True", "tri_solve transpose": "turned=True",
    "logsumexp b": "porism.logsumexp(x + porism.log(b))", "take axis": "x[:, i]", "take mode": "x[i]",
    "softmax +": "porism.softmax(x, axis)", "transpose +": "porism.transpose(x, (0, 1)), the axes as a tuple",
    "reshape +": "porism.reshape(x, (m, n)), the sizes as a tuple", "zeros +": "porism.zeros((m, n)), the sizes as a tuple",
    "ones +": "porism.ones((m, n)), the sizes as a tuple", "flip +": "porism.flip(x, (0, 1)), the axes as a tuple",
    "qr mode": "porism.qr(x), which is reduced", "normal loc": "loc + scale*porism.normal(porism.key(seed), shape)",
    "normal scale": "loc + scale*porism.normal(porism.key(seed), shape)",
    "normal -": "porism.normal(porism.key(seed), shape)", "uniform -": "porism.uniform(porism.key(seed), shape)",
    "uniform low": "low + (high - low)*porism.uniform(porism.key(seed), shape)",
    "uniform high": "low + (high - low)*porism.uniform(porism.key(seed), shape)",
    "uniform minval": "low + (high - low)*porism.uniform(k, shape)",
    "uniform maxval": "low + (high - low)*porism.uniform(k, shape)",
    "vmap axis_name": "porism.sum(x, axis) outside of it", "vmap chunk_size": "it without, as batches are computed whole",
    "grad holomorphic": "it without", "grad allow_int": "x.astype(\"f64\") before", "scan non_sequences": "a function that holds them",
    "grad create_graph": "porism.grad(porism.grad(f))", "grad retain_graph": "it without, as nothing is let go",
    "clip out": "y = porism.clip(x, low, high)",
}
SEVERAL = {"matmul", "dot", "maximum", "minimum", "add", "mul", "logical_and", "logical_or", "hypot", "logaddexp"}
EMPTY = {"sum": 0, "prod": 1, "any": False, "all": True}        # what an element that is left out counts as


def _keys(f):
    """The function's parameters by what they may be called, and how many operands it must and may have."""
    found, of_function = {}, OF.get(f.__name__, {})
    params = list(inspect.signature(f).parameters.values())
    own = {p.name for p in params}
    for p in params:
        for name in of_function.get(p.name, ALSO.get(p.name, ())):
            if name not in own:
                found.setdefault(name, p.name)
    least = sum(1 for p in params if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD)
    several = any(p.kind is p.VAR_POSITIONAL for p in params)
    return own, found, least, len(params) if not several else 1 << 20, [p.name for p in params]


def _shown(f, names):
    given = [p for p in names if p != "self"]
    return f"{'x.' if 'self' in names else 'porism.'}{f.__name__}({', '.join(given)})"


def _cast(x, dtype):
    from .build import dtype_name, numpy_dtype
    import numpy
    return x.astype(dtype_name(dtype)) if isinstance(x, _core.Node) else numpy.asarray(x).astype(numpy_dtype(dtype))


def _chosen(f, first, call, where):
    """A fold of those elements alone for which `where` holds."""
    from . import operators as o
    x, rest = call[first], {k: v for k, v in call.items() if k != first}
    if f.__name__ in EMPTY:
        return f(o.where(where, x, EMPTY[f.__name__]), **rest)
    if f.__name__ == "mean":
        count = o.sum(o.where(where, o.add(o.mul(x, 0), 1), 0), **rest)
        return o.div(o.sum(o.where(where, x, 0), **rest), count)
    raise TypeError(f"{f.__name__} has no where=: write porism.{f.__name__}(porism.where(c, x, y)), where y is what the "
                    "others count as")


def _joined(f, result, initial):
    from . import operators as o
    join = {"sum": o.add, "prod": o.mul, "max": o.maximum, "min": o.minimum}.get(f.__name__)
    if join is None:
        raise TypeError(f"{f.__name__} has no initial=: leave it out")
    return join(result, initial)


def _less_free(f, call, ddof):
    """A variance by n - ddof."""
    from . import operators as o
    from .build import axes_of, rank_of
    import numpy
    x, n = call["x"], 1
    x = x if isinstance(x, _core.Node) else numpy.asarray(x)
    for k in axes_of(call.get("axis"), rank_of(x)):
        n = n*x.shape[k]
    return o.mul(f(**call), o.div(n, n - int(ddof)))


def _refused(f, name, names):
    write, text = WRITE.get(f"{f.__name__} {'axis' if name in ALSO['axis'] else name}"), SAYS.get(name)
    says = f"write {write}" if write else text.format(f="porism." + f.__name__) if text else f"it is {_shown(f, names)}"
    return TypeError(f"{f.__name__} has no {name}=: {says}")


def _counted(f, what, sign, names):
    write = WRITE.get(f"{f.__name__} {sign}")
    more = f"; write {write}" if write else _many(f, sign)
    if f.__name__ == "where" and sign == "-":
        more = "; how many elements hold is known with the values alone, and porism.sum(porism.where(c, x, 0)) takes those"
    return TypeError(f"{f.__name__} {what}: it is {_shown(f, names)}{more}")


def _many(f, sign):
    return f"; of several porism.{f.__name__}(porism.{f.__name__}(x, y), z)" if sign == "+" and f.__name__ in SEVERAL else ""


def _understood(f, keys, args, named):
    own, also, least, most, names = keys
    if len(args) > most:
        raise _counted(f, f"of {len(args)} operands", "+", names)
    call, more = dict(zip(names, args)), {}
    for name, value in named.items():
        ours = name if name in own else also.get(name)
        if ours is None:
            more[name] = value
        elif ours in call:
            raise TypeError(f"{f.__name__} has {ours} twice: it is {_shown(f, names)}")
        else:
            call[ours] = value
    missing = [n for n in names[:least] if n not in call]
    if missing and most < 1 << 20:
        raise _counted(f, "without " + ", ".join(missing), "-", names)
    return _computed(f, names, call, more)


def _is_passed(name, value):
    """Does it say what holds anyhow?"""
    return name in PASSED and (value is None or (isinstance(value, (str, bool)) and value == PASSED[name]))


def _computed(f, names, call, more):
    from . import operators as o
    more = {k: v for k, v in more.items() if not _is_passed(k, v)}
    first, folds, spread = names[0] if names else None, "keepdims" in names, f.__name__ == "variance"
    if "dtype" in more and first in ("x", "self"):
        call[first] = _cast(call[first], more.pop("dtype"))
    where, initial = (more.pop(k, None) if folds else None for k in ("where", "initial"))
    free = [int(more.pop(k)) for k in ("ddof", "correction", "unbiased") if spread and k in more]
    for name in more:
        raise _refused(f, name, names)
    if where is not None and initial is not None and f.__name__ in ("max", "min"):
        call[first], where = o.where(where, call[first], initial), None
    if any(free):
        return _less_free(f, call, max(free))
    result = f(**call) if where is None else _chosen(f, first, call, where)
    return result if initial is None else _joined(f, result, initial)


def named(f):
    """f, which understands what others call its parameters."""
    keys = _keys(f)
    own, _, least, most, names = keys

    def fits(count, given):
        return own >= given and given.isdisjoint(names[:count]) and given.issuperset(names[count:least])

    @functools.wraps(f)
    def function(*args, **named):
        if fits(len(args), set(named)) if named else least <= len(args) <= most:
            return f(*args, **named)
        return _understood(f, keys, args, named)
    return function
