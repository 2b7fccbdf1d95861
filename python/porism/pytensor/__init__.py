"""PyTensor's graphs, run here: a linker and a mode.

    import porism.pytensor
    f = pytensor.function([x], y, mode="PORISM")

docs/pytensor.md has the rest."""
from __future__ import annotations

from pytensor.compile.mode import Mode, predefined_linkers, predefined_modes
from pytensor.graph.rewriting.db import RewriteDatabaseQuery
from pytensor.link.basic import JITLinker

from .. import _core
from .density import value_and_grad                    # noqa: F401
from .plan import Plan, name_of_op, plan


class PorismLinker(JITLinker):
    """What compiles a FunctionGraph to a program; what it has no operator for, PyTensor computes within it, and large
    decompositions, unless `everything` is to run here."""

    required_rewrites = ("minimum_compile",)
    incompatible_rewrites = ("cxx_only", "numba_only", "BlasOpt", "InplaceBlasOpt", "c_blas_destructive", "fusion",
                             "local_careduce_fusion", "inplace_elemwise", "blockwise_inplace",
                             "local_inplace_setsubtensor", "local_inplace_AdvancedIncSubtensor1",
                             "local_inplace_AdvancedIncSubtensor", "scan_reduce_trace_prealloc")

    def __init__(self, tier="background", threads=0, allow_gc=None, schedule=None, everything=False):
        super().__init__(allow_gc=allow_gc, schedule=schedule)
        self.tier, self.threads, self.everything = tier, threads, everything

    def accept(self, fgraph, no_recycling=None, profile=None):
        if self.fgraph is not None and self.fgraph is not fgraph:
            return self.clone().accept(fgraph, no_recycling, profile)
        return super().accept(fgraph, no_recycling, profile)

    def clone(self, allow_gc=None, everything=None):
        return type(self)(self.tier, self.threads, self.allow_gc if allow_gc is None else allow_gc,
                          everything=self.everything if everything is None else everything)

    def fgraph_convert(self, fgraph, order=None, **unused):
        return plan(fgraph, order or fgraph.toposort(), {"tier": self.tier, "threads": self.threads},
                    self.everything)

    def jit_compile(self, made):
        return made.whole or made

    def create_thunk_inputs(self, storage_map):
        return [storage_map[v] for v in self.fgraph.inputs]


def mode(tier="background", threads=0):
    """A mode; tier and threads as porism.compile has them."""
    _core.check_tier(tier)
    return Mode(PorismLinker(tier, threads), RewriteDatabaseQuery(include=["fast_run"]))


PORISM = mode()
predefined_linkers.setdefault("porism", PORISM.linker)
predefined_modes.setdefault("PORISM", PORISM)


def plan_of(function):
    """The Plan of a function of PyTensor's that this mode compiled."""
    made = getattr(function.vm, "jit_fn", None)
    made = getattr(made, "plan", made)
    if not isinstance(made, Plan):
        raise TypeError("a function that was not compiled in this mode: pytensor.function(..., mode=\"PORISM\")")
    return made


def report(function):
    """{"native": how many Ops are operators of the program, "perform": {Op: how many PyTensor computes in it},
    "why": {Op: why}}"""
    made = plan_of(function)
    performed, reasons = {}, {}
    for node, why in made.why:
        name = name_of_op(node.op)
        performed[name] = performed.get(name, 0) + 1
        reasons[name] = why
    return {"native": len(made.native), "perform": performed, "why": reasons}
