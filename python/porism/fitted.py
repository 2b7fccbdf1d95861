"""What porism.fit gives: parameters, losses, and pictures of these."""
from __future__ import annotations

import html
import math

import numpy

WIDTH, HEIGHT, LEFT, LOW, POINTS = 560, 220, 64, 24, 400
SPAN = 30                               # losses that differ by such a factor are shown by their logarithms


class Fit:
    """What a fit came to.

    parameters  in the structure that was given; with `hold` or `patience` see `best`
    losses      f64[steps]: of the rows of each step, before it
    held        f64[k]: of the rows that are held out (with `patience` and none held out: of all), after `held_at` steps
    best        the step after which the parameters are: of the lowest in `held` with `patience`, else the last
    ended       why: "steps" (all are made), "patience", "interrupted", "met" (a minimiser found the minimum) or "not finite"
    seconds     of all of it, compiling too"""

    def __init__(self, parameters, losses, held, held_at, best, steps, seconds, ended):
        self.parameters, self.best, self.steps, self.seconds, self.ended = parameters, best, steps, seconds, ended
        self.losses = numpy.array(losses, dtype="f8")
        self.held, self.held_at = numpy.array(held, dtype="f8"), numpy.array(held_at, dtype="i8")

    def __repr__(self):
        loss = f", loss {self.losses[-1]:.6g}" if len(self.losses) else ""
        held = f", {self.held.min():.6g} at best on held out rows" if len(self.held) else ""
        return f"<porism fit: {self.steps} steps{loss}{held}, ended by {self.ended}>"

    def lines(self):
        """(name, steps, losses) of each curve; those of two and more points."""
        at = numpy.arange(len(self.losses)) if self.ended != "met" else numpy.linspace(0, self.steps, len(self.losses))
        found = [("loss", at, self.losses), ("held out", self.held_at, self.held)]
        return [line for line in found if len(line[2]) > 1]

    def by_logarithm(self):
        y = numpy.concatenate([self.losses, self.held])
        return len(y) > 0 and y.min() > 0 and y.max() > SPAN*y.min()

    def curve(self, ax=None):
        """The losses by their steps, drawn by matplotlib in `ax`, or in axes of its own: these are given back."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("curve: matplotlib is not installed (pip install matplotlib); "
                              "svg() draws without it, losses are the numbers") from None
        if ax is None:
            _, ax = pyplot.subplots()
        for name, at, y in self.lines():
            ax.plot(at, y, label=name)
        if self.by_logarithm():
            ax.set_yscale("log")
        ax.set_xlabel("step")
        ax.set_ylabel("loss")
        ax.legend()
        return ax

    def svg(self):
        """The same curve as the text of an .svg file."""
        lines = [(name, *thinned(at, y)) for name, at, y in self.lines()]
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
                f'height="{HEIGHT}" font-family="sans-serif" font-size="11">')
        if not lines:
            return head + "</svg>"
        last = max(max(at[-1] for _, at, _ in lines), 1)
        scale = numpy.log if self.by_logarithm() else numpy.asarray
        every = numpy.concatenate([y for _, _, y in lines])
        low, high = every.min(), every.max()
        span = scale(high) - scale(low) or 1.0
        parts = [head, f'<path d="M{LEFT} 8V{HEIGHT - LOW}H{WIDTH - 8}" fill="none" stroke="#8888"/>']
        for k, (name, at, y) in enumerate(lines):
            x = LEFT + (WIDTH - 8 - LEFT)*at/last
            height = HEIGHT - LOW - 4 - (HEIGHT - LOW - 16)*(scale(y) - scale(low))/span
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, height))
            color = ("#2a78c8", "#d06a1c")[k]
            parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5"/>')
            parts.append(f'<text x="{WIDTH - 12}" y="{20 + 14*k}" text-anchor="end" fill="{color}">{name}</text>')
        for x, y, text in ((LEFT - 4, 16, f"{high:.4g}"), (LEFT - 4, HEIGHT - LOW - 4, f"{low:.4g}"),
                           (WIDTH - 8, HEIGHT - 8, f"step {last:.0f}")):
            parts.append(f'<text x="{x}" y="{y}" text-anchor="end" fill="#888">{text}</text>')
        return "".join(parts) + "</svg>"

    def _repr_html_(self):
        return f"<div>{self.svg()}<br><code>{html.escape(repr(self))}</code></div>"


def thinned(at, y):
    """At most POINTS of a curve: means of as many neighbours."""
    many = math.ceil(len(y)/POINTS)
    if many == 1:
        return at, y
    starts = numpy.arange(0, len(y), many)
    counts = numpy.diff(numpy.append(starts, len(y)))
    return numpy.add.reduceat(at, starts)/counts, numpy.add.reduceat(y, starts)/counts
