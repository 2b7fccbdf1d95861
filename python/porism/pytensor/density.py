"""A scalar of PyTensor's, differentiated here: PyTensor builds no graph of the gradient."""
from __future__ import annotations

import numpy
import pytensor
from pytensor.compile.mode import get_mode

from .. import _core
from .performed import is_array
from .plan import name_of_op


class ValueAndGrad:
    """A function of the inputs: (value, [gradient by each of wrt]).  Shared variables are read at each call."""

    def __init__(self, cost, wrt, inputs, mode):
        from . import plan_of
        if cost.type.ndim:
            raise TypeError(f"value_and_grad of {cost.type}: wanted a scalar")
        wrt = list(wrt) if isinstance(wrt, (list, tuple)) else [wrt]
        self.inputs = wrt if inputs is None else list(inputs)
        missing = [v for v in wrt if v not in self.inputs]
        if missing:
            raise ValueError(f"value_and_grad by {missing[0]}, which is none of the inputs")
        whole = [v for v in wrt if v.type.dtype not in ("float16", "float32", "float64")]
        if whole:
            raise TypeError(f"value_and_grad by {whole[0]}, which is {whole[0].type}: wanted real floats")
        mode = get_mode(mode)
        if hasattr(mode.linker, "everything"):              # what is differentiated runs here
            mode = mode.clone(link_kwargs={"everything": True})
        function = pytensor.function(self.inputs, cost, mode=mode, on_unused_input="ignore")
        made = plan_of(function)
        if made.performed:
            names = sorted({name_of_op(n.op) for n in made.performed})
            raise NotImplementedError(f"value_and_grad: {', '.join(names)} has no operator here, so no derivative; "
                                      "pytensor.grad in the mode PORISM has PyTensor compute it")
        others = [v for v in function.maker.fgraph.inputs if not is_array(v)]
        if others:
            raise NotImplementedError(f"value_and_grad: {others[0]} is {others[0].type}, and no array of real numbers: what is "
                                      "differentiated takes arrays alone")
        self.computed = made.program
        self.shared = function.input_storage[len(self.inputs):]
        t = self.computed.translation
        value = self.computed.nodes[0]
        slopes = _core.grad([value], [t.inputs[self.inputs.index(v)] for v in wrt])
        self.program = self.computed.compile([value, *slopes] + ([self.computed.code] if self.computed.code is not None else []))
        self.count = 1 + len(wrt)
        self.errors = self.computed.errors

    def __call__(self, *args):
        if len(args) != len(self.inputs):
            raise TypeError(f"given {len(args)} arguments, wanted {len(self.inputs)}")
        values = [numpy.asarray(x, v.type.dtype) for x, v in zip(args, self.inputs)]
        values += [c.storage[0] for c in self.shared]
        try:
            results = self.program(*values)
        except Exception as e:
            self.computed.say_what_fails(values, e)
        if len(results) > self.count and results[self.count]:
            error, text = self.errors[int(results[self.count]) - 1]
            raise error(text)
        return results[0], list(results[1:self.count])


def value_and_grad(cost, wrt, inputs=None, mode="PORISM"):
    """A function of `inputs` (those of wrt, if None) that gives the scalar `cost` and its gradient by each of wrt."""
    return ValueAndGrad(cost, wrt, inputs, mode)
