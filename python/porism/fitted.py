"""What porism.fit gives: parameters, losses, and pictures of these."""
from __future__ import annotations

import html
import math
import os

import numpy

from .effects import leaves_of
from .tree import flatten, unflatten

WIDTH, HEIGHT, LEFT, LOW, TOP, POINTS = 560, 250, 80, 36, 28, 400
SPAN = 30                               # losses that differ by such a factor are shown by their logarithms


class Fit:
    """What a fit came to.

    parameters  in the structure that was given; with `hold` or `patience` see `best`
    losses      f64[steps]: of the rows of each step, before it
    held        f64[k]: of the rows that are held out (with `patience` and none held out: of all), after `held_at` steps
    best        the step after which the parameters are: of the lowest in `held` with `patience`, else the last
    state       what `resume` goes on from; None of a minimiser.  save(path) writes it to a file, pickle keeps it too
    ended       why: "steps" (all are made), "patience", "interrupted", "met" (a minimiser found the minimum) or "not finite"
    seconds     of all of it, compiling too"""

    def __init__(self, parameters, losses, held, held_at, best, steps, seconds, ended, state=None):
        self.state = state
        self.parameters, self.best, self.steps, self.seconds, self.ended = parameters, best, steps, seconds, ended
        self.losses = numpy.array(losses, dtype="f8")
        self.held, self.held_at = numpy.array(held, dtype="f8"), numpy.array(held_at, dtype="i8")

    def __repr__(self):
        loss = f", loss {self.losses[-1]:.6g}" if len(self.losses) else ""
        held = f", {self.held.min():.6g} at best on held out rows" if len(self.held) else ""
        return f"<porism fit: {self.steps} steps{loss}{held}, ended by {self.ended}>"

    def save(self, path):
        """Writes an .npz file: the parameters under their names ("w", "layers.0.b"; "parameters" where it is one array), and
        what porism.fit(..., resume=path) goes on from."""
        if self.state is None:
            raise ValueError("save: a minimiser of all rows has no state to go on from: keep its parameters, by numpy.savez")
        arrays = {name or "parameters": x for name, x in leaves_of(self.parameters, "")}
        self.state.write(path, arrays)

    def lines(self):
        """(name, steps, losses) of each curve; those of two and more points."""
        found = [("loss", numpy.arange(len(self.losses)), self.losses), ("held out", self.held_at, self.held)]
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
        by = "loss, logarithmic" if self.by_logarithm() else "loss"
        middle = (TOP + HEIGHT - LOW)/2
        parts = [head, f'<title>{html.escape(repr(self)[1:-1])}</title>',
                 f'<text x="{(LEFT + WIDTH)/2}" y="16" text-anchor="middle" font-size="13" fill="#888">'
                 f'{html.escape(repr(self)[1:-1].partition(", ended")[0])}</text>',
                 f'<text x="14" y="{middle}" text-anchor="middle" fill="#888" transform="rotate(-90 14 {middle})">{by}</text>',
                 f'<path d="M{LEFT} {TOP}V{HEIGHT - LOW}H{WIDTH - 8}" fill="none" stroke="#8888"/>']
        for k, (name, at, y) in enumerate(lines):
            x = LEFT + (WIDTH - 8 - LEFT)*at/last
            height = HEIGHT - LOW - 4 - (HEIGHT - LOW - TOP - 8)*(scale(y) - scale(low))/span
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, height))
            color = ("#2a78c8", "#d06a1c")[k]
            parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5"/>')
            parts.append(f'<text x="{WIDTH - 12}" y="{TOP + 12 + 14*k}" text-anchor="end" fill="{color}">{name}</text>')
        for x, y, text in ((LEFT - 4, TOP + 8, f"{high:.4g}"), (LEFT - 4, HEIGHT - LOW - 4, f"{low:.4g}"),
                           (LEFT + 4, HEIGHT - LOW + 14, "0"), (WIDTH - 8, HEIGHT - LOW + 14, f"{last:.0f}"),
                           ((LEFT + WIDTH)/2, HEIGHT - LOW + 26, "step")):
            parts.append(f'<text x="{x}" y="{y}" text-anchor="end" fill="#888">{text}</text>')
        return "".join(parts) + "</svg>"

    def _repr_html_(self):
        return f"<div>{self.svg()}<br><code>{html.escape(repr(self))}</code></div>"


class State:
    """Where a fit is: leaves of the optimiser's state and of parameters, the number of steps, losses."""
    NUMBERS = {"seed": int, "step": int, "waited": int}
    ROWS = ("losses", "held", "held_at", "best")
    LEAVES = {"s": "state", "p": "now", "best_p": "lowest"}

    def __init__(self, s, p, seed, step, losses, held, held_at, waited, best, best_p):
        self.s, self.p, self.best_p = ([numpy.array(x) for x in leaves] for leaves in (s, p, best_p))
        self.seed, self.step, self.waited = seed, step, waited
        self.losses, self.held, self.held_at, self.best = list(losses), list(held), list(held_at), tuple(best)

    def write(self, path, arrays):
        for name in self.NUMBERS:
            arrays[f"fit.{name}"] = numpy.int64(getattr(self, name))
        for name in self.ROWS:
            arrays[f"fit.{name}"] = numpy.array(getattr(self, name), "i8" if name == "held_at" else "f8")
        for name, key in self.LEAVES.items():
            for i, x in enumerate(getattr(self, name)):
                arrays[f"fit.{key}.{i}"] = x
        part = f"{os.fspath(path)}.part"
        with open(part, "wb") as f:                     # whole, or not at all
            numpy.savez(f, **arrays)
        os.replace(part, path)

    @classmethod
    def read(cls, path):
        with numpy.load(path, allow_pickle=False) as file:
            missing = [k for k in (*cls.NUMBERS, *cls.ROWS) if f"fit.{k}" not in file]
            if missing:
                raise ValueError(f"fit: resume: {os.fspath(path)} has no array fit.{missing[0]}: it is no file of a fit's save")
            found = {name: take(file[f"fit.{name}"]) for name, take in cls.NUMBERS.items()}
            found.update({name: file[f"fit.{name}"].tolist() for name in cls.ROWS})
            for name, key in cls.LEAVES.items():
                count = sum(k.startswith(f"fit.{key}.") for k in file)
                found[name] = [file[f"fit.{key}.{i}"] for i in range(count)]
        return cls(**found)

    def fill(self, p, s):
        """(parameters, state, parameters of the lowest loss) like those with which this fit begins."""
        leaves, structure = flatten(s)
        for what, own, wanted in (("parameters", self.p, p), ("the optimiser's state", self.s, leaves)):
            given, want = ([f"{numpy.asarray(x).dtype}{list(numpy.shape(x))}" for x in row] for row in (own, wanted))
            if given != want:
                raise ValueError(f"fit: resume: {what} of another fit: {', '.join(given) or 'nothing'}, where this one has "
                                 f"{', '.join(want) or 'nothing'}")
        own = [x if x.ndim else x[()] for x in self.s]
        return tuple(self.p), unflatten(structure, own), tuple(self.best_p)


def state_of(resume, seed):
    """What a fit goes on from: that of a Fit, or of a file."""
    if isinstance(resume, Fit):
        state = resume.state
        if state is None:
            raise ValueError("fit: resume: a minimiser of all rows has no state: give its parameters to begin with")
    elif isinstance(resume, (str, os.PathLike)):
        state = State.read(resume)
    else:
        raise TypeError(f"fit: resume: given {resume!r}, wanted a Fit, or the path of a file that its save wrote")
    if seed is not None and seed != state.seed:
        raise ValueError(f"fit: seed {seed}: what it goes on from has seed {state.seed}")
    return state


def thinned(at, y):
    """At most POINTS of a curve: means of as many neighbours."""
    many = math.ceil(len(y)/POINTS)
    if many == 1:
        return at, y
    starts = numpy.arange(0, len(y), many)
    counts = numpy.diff(numpy.append(starts, len(y)))
    return numpy.add.reduceat(at, starts)/counts, numpy.add.reduceat(y, starts)/counts
