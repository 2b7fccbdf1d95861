"""Fitting: parameters for which a loss over data is small, by an optimiser of the notation, in steps over blocks of rows."""
from __future__ import annotations

import html
import logging
import math
import sys
import time

import numpy

from .explicit import Function
from .trace import jit
from .transforms import value_and_grad
from .tree import flatten, paths, unflatten

log = logging.getLogger("porism")


# ---- the optimiser: {start, step} of structures, which the notation has ------------------------------------------------

def written(value, name, given):
    """A structure in the notation, whose leaves are names; given[name] is each."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {written(v, f'{name}_{k}', given)}" for k, v in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        parts = [written(v, f"{name}_{i}", given) for i, v in enumerate(value)]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    given[name] = value
    return name


def evaluated(text, given):
    return Function(None, "expression", text)(**given)


class Optimiser:
    """By the text of one, optim.adam(rate = 1e-3), over the leaves of parameters."""

    def __init__(self, by):
        self.by = by

    def start(self, leaves):
        given = {}
        record = written({f"p{i}": x for i, x in enumerate(leaves)}, "x", given)
        return evaluated(f"({self.by}).start({record})", given)

    def step(self, leaves, slopes, state):
        """(leaves, state) of nodes."""
        given = {}
        p, g = ({f"p{i}": x for i, x in enumerate(v)} for v in (leaves, slopes))
        text = f"({self.by}).step({written(p, 'x', given)}, {written(g, 'g', given)}, {written(state, 's', given)})"
        after, state = evaluated(text, given)
        return [after[k] for k in p], state


# ---- what is given ---------------------------------------------------------------------------------------------------

def parameters_of(start):
    """(leaves as floats, structure)"""
    leaves, structure = flatten(start)
    leaves = [numpy.asarray(x) for x in leaves]
    for name, x in zip(paths(structure, "start"), leaves):
        if not numpy.issubdtype(x.dtype, numpy.floating):
            raise TypeError(f"fit: {name} holds {x.dtype}; floats are fitted: {name}.astype(float)")
    if not leaves:
        raise TypeError(f"fit: start = {start!r} has no number that could be fitted")
    return leaves, structure


def rows_of(data, block, hold):
    """How many rows the data have; None: they are taken whole."""
    if block is None and not hold:
        return None
    counts = [len(x) if numpy.ndim(x) else None for x in data]
    if not data or len(set(counts)) != 1 or counts[0] is None:
        raise ValueError("fit: block and hold cut the first axis of all data, which has to be one; it is "
                         f"{', '.join('none' if n is None else str(n) for n in counts) or 'of no data'}")
    if not 0 <= hold < 1:
        raise ValueError(f"fit: hold = {hold} is a part of the rows: 0 <= hold < 1")
    kept = counts[0] - int(hold*counts[0])
    if block is not None and not 1 <= block <= kept:
        raise ValueError(f"fit: block = {block} rows in a step, of {kept} that there are")
    return counts[0]


def blocks(rows, block, draw):
    """Rows of one step after the other, each once before any is taken again."""
    while True:
        order = draw.permutation(rows) if block is not None else rows
        size = block or len(rows)
        for i in range(0, len(order) - size + 1, size):
            yield order[i:i + size]


# ---- what is seen ----------------------------------------------------------------------------------------------------

class Progress:
    """By tqdm where it is installed, else a line on a terminal that is written anew; or a function of step and loss."""

    def __init__(self, asked, steps):
        self.steps, self.bar, self.call, self.last = steps, None, asked if callable(asked) else None, 0.0
        self.line = asked is not False and not self.call
        if not self.line:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self.line = bool(asked) or sys.stderr.isatty()
            return
        self.bar = tqdm(total=steps, unit="step", disable=None if asked is None else False)

    def step(self, n, loss):
        if self.call:
            self.call(n, loss)
        elif self.bar is not None:
            self.bar.set_postfix(loss=f"{loss:.4g}", refresh=False)
            self.bar.update(1)
        elif self.line and (n == self.steps or time.monotonic() - self.last > 0.1):
            self.last = time.monotonic()
            print(f"\rstep {n} of {self.steps}, loss {loss:.4g}\x1b[K", end="", file=sys.stderr, flush=True)

    def close(self):
        if self.bar is not None:
            self.bar.close()
        elif self.line and self.last:
            print(file=sys.stderr)


class Fit:
    """What came of it: parameters, in the structure of start; losses, of each step before it is made; held, of pairs (step,
    loss of the rows kept out); seconds; ended: "steps", "patience", "nan" or "interrupted"."""

    def __init__(self, parameters, losses, held, seconds, ended):
        self.parameters, self.losses, self.held = parameters, numpy.array(losses), numpy.array(held).reshape(-1, 2)
        self.seconds, self.ended = seconds, ended

    def __repr__(self):
        last = f", loss {self.losses[0]:.4g} to {self.losses[-1]:.4g}" if len(self.losses) else ""
        held = f", held out {self.held[:, 1].min():.4g}" if len(self.held) else ""
        return f"<porism fit: {len(self.losses)} steps{last}{held}, ended by {self.ended}>"

    def lines(self):
        """(name, steps, losses) of each curve"""
        steps = numpy.arange(len(self.losses))
        return [("loss", steps, self.losses)] + ([("held out", self.held[:, 0], self.held[:, 1])] if len(self.held) else [])

    def curve(self, axes=None):
        """The losses, drawn by matplotlib in these axes, or in new ones, which are given back."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("curve: matplotlib is not installed: pip install matplotlib; svg() needs nothing") from None
        axes = axes if axes is not None else pyplot.subplots()[1]
        for name, steps, losses in self.lines():
            axes.plot(steps, losses, label=name)
        axes.set_xlabel("step")
        axes.set_yscale("log" if all((y > 0).all() for _, _, y in self.lines()) else "linear")
        axes.legend()
        return axes

    def svg(self, width=480, height=200):
        """The same as a picture, the text of an SVG."""
        lines = [(name, x[numpy.isfinite(y)], y[numpy.isfinite(y)]) for name, x, y in self.lines()]
        all_y = numpy.concatenate([y for _, _, y in lines])
        if not len(all_y):
            return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"></svg>'
        scale = numpy.log10 if (all_y > 0).all() else numpy.asarray
        low, high = scale(all_y).min(), scale(all_y).max()
        most = max(1, len(self.losses) - 1)
        drawn = []
        for (name, x, y), colour in zip(lines, ("#1f77b4", "#d62728")):
            keep = numpy.unique(numpy.linspace(0, len(x) - 1, min(len(x), width)).astype(int)) if len(x) else []
            px = 60 + (width - 70)*x[keep]/most
            py = 10 + (height - 40)*(high - scale(y[keep]))/(high - low or 1)
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(px, py))
            drawn.append(f'<polyline fill="none" stroke="{colour}" points="{points}"><title>{name}</title></polyline>')
        labels = [f'<text x="4" y="{y}">{v:.3g}</text>' for y, v in ((18, all_y.max()), (height - 26, all_y.min()))]
        labels.append(f'<text x="{width - 90}" y="{height - 8}">step {len(self.losses)}</text>')
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
                f'font-size="11">{"".join(drawn + labels)}</svg>')

    def _repr_html_(self):
        return f"<div>{html.escape(repr(self)[1:-1])}</div>{self.svg()}"


# ---- the fit ---------------------------------------------------------------------------------------------------------

def fit(loss, start, *data, by="optim.adam()", steps=1000, block=None, hold=0.0, patience=None, seed=0, progress=None):
    """Steps of an optimiser from `start` against the gradient of loss(parameters, *data), a number.

    start is an array of floats or a structure of them.  by is an optimiser of the notation, "optim.adam(rate = 1e-2)",
    "optim.scheduled(optim.momentum(), optim.cosine(1000))", or any expression of {start, step}.  With block, a step takes so
    many rows of the data, cut from their first axis, in an order drawn by seed.  hold is the part of the rows that is kept
    out; their loss is looked at about a hundred times, and where it was not lower `patience` times in turn the fit ends; the
    parameters are then those of the lowest.  progress: False, none; a function of (step, loss); None, a bar by tqdm where it
    is installed, else a line where stderr is a terminal.

    A loss that is no number ends the fit, is told through logging, and leaves the parameters before it; so does ^C, with
    what there is.  -> Fit: parameters, losses, held, curve(), svg()

        fitted = porism.fit(lambda p, x, y: porism.mean((p["a"]*x + p["b"] - y)**2), {"a": 0.0, "b": 0.0}, x, y, steps=500)
    """
    leaves, structure = parameters_of(start)
    if steps < 0 or int(steps) != steps:
        raise ValueError(f"fit: steps = {steps} is no count")
    data = [numpy.asarray(x) for x in data]
    n = rows_of(data, block, hold)
    if patience is not None and not hold:
        raise ValueError("fit: patience looks at rows that are kept out: hold = 0.2")
    optimiser = Optimiser(by)
    state = optimiser.start(leaves)
    slope = value_and_grad(lambda v, *d: loss(unflatten(structure, v), *d))

    @jit
    def step(leaves, state, *data):
        value, slopes = slope(leaves, *data)
        return (value, *optimiser.step(leaves, slopes, state))

    value_of = jit(lambda v, *d: loss(unflatten(structure, v), *d))
    draw = numpy.random.default_rng(seed)
    order = draw.permutation(n) if hold else numpy.arange(n or 0)
    out = order[:int(hold*n)] if hold else None
    takes = blocks(order[len(out) if hold else 0:], block, draw) if n is not None else None
    losses, held, best, ended, every = [], [], (math.inf, leaves), "steps", max(1, steps//100)
    began, seen = time.monotonic(), Progress(progress, steps)
    try:
        for i in range(int(steps)):
            rows = next(takes) if takes else None
            value, after, state = step(leaves, state, *(data if rows is None else [x[rows] for x in data]))
            losses.append(float(value))
            if not math.isfinite(losses[-1]):
                log.warning("fit: the loss of step %d is %s; the parameters are those before it", i, losses[-1])
                ended = "nan"
                break
            leaves = after
            seen.step(i + 1, losses[-1])
            if hold and ((i + 1) % every == 0 or i + 1 == steps):
                held.append((i + 1, float(value_of(leaves, *(x[out] for x in data)))))
                if held[-1][1] < best[0]:
                    best = held[-1][1], leaves
                lowest = min(range(len(held)), key=lambda k: held[k][1])
                if patience is not None and len(held) - 1 - lowest >= patience:
                    ended = "patience"
                    break
    except KeyboardInterrupt:
        ended = "interrupted"
    finally:
        seen.close()
    if patience is not None and math.isfinite(best[0]):
        leaves = best[1]
    return Fit(unflatten(structure, list(leaves)), losses, held, time.monotonic() - began, ended)
