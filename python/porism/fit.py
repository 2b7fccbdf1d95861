"""fit: a loss is minimised over rows of data by an optimiser of the notation's library, step by step."""
from __future__ import annotations

import contextlib
import difflib
import inspect
import math
import re
import time

import numpy

from . import operators
from .explicit import File, library
from .fitted import Fit, State, state_of
from .keys import Key
from .own import operator
from .progress import progress_of
from .trace import as_leaf, called, jit
from .transforms import value_and_grad
from .tree import flatten, paths, unflatten, written

LOSS = "porism.fit calls loss(parameters, *data)"
OPTIMISERS = ("sgd", "momentum", "nesterov", "rmsprop", "adam", "adamw")
MINIMISERS = ("lbfgs", "newton_cg")     # they take all rows, and make their steps by themselves
OPTIONS = ("tier", "threads", "check_finite", "rules", "cache")
ALSO = {"by": ("optimizer", "optimiser", "method", "rule", "solver"), "rate": ("lr", "learning_rate", "step_size"),
        "steps": ("n_steps", "num_steps", "maxiter", "max_iter", "iterations"), "batch": ("batch_size",),
        "hold": ("validation", "validation_data", "validation_split"), "patience": ("early_stopping",),
        "progress": ("verbose", "callback"), "seed": ("random_state",)}


def fit(loss, parameters, *data, by="adam", rate=None, steps=None, epochs=None, batch=None, hold=None, patience=None,
        seed=None, progress=None, resume=None, **options):
    """The parameters with which loss(parameters, *data), a real scalar, is least: a Fit, whose `parameters` are these.

        found = porism.fit(loss, {"w": numpy.zeros(3), "b": 0.0}, X, y, by="adam", rate=0.1, steps=200)
        found.parameters["w"], found.losses, found.curve()

    parameters  a float, an array of floats, or a structure of them, from which it begins
    data        arrays, X: f64[m, n] and y: f64[m], or structures of them; a key (porism.key) gives each step its own
    by          "sgd", "momentum", "nesterov", "rmsprop", "adam" or "adamw"; an expression of the notation, as in
                "scheduled(adam(rate = 0.1), cosine(500))"; two functions, start(p), which gives a state, and step(p, g, s),
                which gives (next p, next s); or "lbfgs" or "newton_cg", minimisers of all rows
    rate        of the optimiser, where `by` is its name
    steps       so many, or 1000; or epochs, passes over the rows
    batch       so many rows in a step (the last of a pass has what is left), in a new order in each pass: every array in
                data has the same first axis; numbers without axes are given to each step
    hold        the part of the rows that is kept out, 0.2, or a tuple of other data: its loss is measured after each pass
    patience    end when that loss was not lower in so many measurements; parameters are those of the lowest
    seed        of the order of rows, 0 if not given, which is that of the command `porism fit`
    progress    None: a bar on terminals and in notebooks; True: anywhere, if tqdm is installed; False: none;
                or a function of (step, loss)
    resume      a Fit, or the file that its `save` wrote: it goes on from there, with the same bits, to so many steps in all
    options     of porism.jit: tier, threads, ...

    An interrupt from the keyboard ends it: what there is until then is given back, with ended = "interrupted".  A loss that is
    not finite is an ArithmeticError, whose `fit` is what there was before."""
    began = time.monotonic()
    if not callable(loss):
        raise TypeError(f"fit: given {loss!r}, wanted a function: loss(parameters, *data)")
    known(options)
    leaves, put = starting(parameters)
    before = None if resume is None else state_of(resume, seed)
    data = Data(data, names_of(loss, len(data)), batch, hold, before.seed if before else seed or 0)
    steps = steps_of(steps, epochs, data.blocks)
    whole("patience", patience)
    if by in MINIMISERS:
        if batch or hold is not None or patience or rate is not None or epochs or before:
            raise ValueError(f"fit: {by} takes all rows, and no batch, hold, patience, rate, epochs or resume: give "
                             "found.parameters to begin where another ended")
        with data.told():
            return minimised(by, loss, leaves, put, data, steps, options, began, progress_of(progress, steps))
    shown = progress_of(progress, steps, before.step if before else 0)
    start, step = rule_of(by, rate, put)
    loop = Loop(loss, leaves, put, step, data, patience, began, options)
    try:
        loop.s = jit(lambda p: (p[0], start(p)))(leaves)[1]
        if before:
            loop.go_on(before)
        with data.told():
            ended = loop.run(steps, shown)
    except KeyboardInterrupt:
        ended = "interrupted"
    finally:
        shown.close()
    return loop.result(ended)


def known(options):
    for option in options:
        if option not in OPTIONS:
            ours = [name for name, others in ALSO.items() if option in others]
            raise TypeError(f"fit has no option {option}: " + (f"write {ours[0]}=" if ours else "there are by, rate, steps, "
                            f"epochs, batch, hold, patience, seed, progress, {', '.join(OPTIONS)}"))


def whole(name, n):
    if n is not None and (isinstance(n, bool) or not isinstance(n, (int, numpy.integer)) or n < 1):
        raise (ValueError if isinstance(n, int) else TypeError)(f"fit: {name}: given {n!r}, wanted a whole number above 0")


def starting(parameters):
    """(leaves of the parameters, what makes the structure of leaves)"""
    given, structure = flatten(parameters)
    if not given:
        raise TypeError("fit: the parameters are an empty structure: wanted an array of floats at least")
    leaves = []
    for x, name in zip(given, paths(structure, "parameters")):
        a = numpy.asarray(as_leaf(x))
        if a.dtype.kind != "f":
            raise TypeError(f"fit: {name} is {a.dtype}, wanted real floats: give 3.0 for 3, or x.astype(\"f8\")")
        leaves.append(a)
    return tuple(leaves), lambda leaves: unflatten(structure, leaves)


def steps_of(steps, epochs, blocks):
    whole("steps", steps)
    whole("epochs", epochs)
    if steps and epochs:
        raise TypeError("fit: steps and epochs are given: wanted one of them")
    return int(epochs*blocks if epochs else steps or 1000)


def names_of(loss, count):
    """What the loss calls its data."""
    try:
        taken = list(inspect.signature(loss).parameters.values())[1:]
    except (TypeError, ValueError):
        taken = []
    names = [p.name for p in taken if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    return names + [f"data_{i}" for i in range(len(names), count)]


def rows_of(sizes):
    return ", ".join(f"{name} has {n}" for name, n in sizes.items()) + " rows"


class Data:
    """The rows: what is held out, the order of a pass, blocks.  A step's block depends on its number alone."""

    def __init__(self, data, names, batch, hold, seed):
        whole("batch", batch)
        self.leaves, self.structure = flatten(data)
        self.names = [path for part, name in zip(self.structure[2], names) for path in paths(part, name)]
        self.leaves = [x if isinstance(x, Key) else as_leaf(x) for x in self.leaves]
        self.keys = [i for i, x in enumerate(self.leaves) if isinstance(x, Key)]
        self.cut = [i for i, x in enumerate(self.leaves) if i not in self.keys and getattr(x, "ndim", 0)]
        self.seed, self.batch, self.epoch, self.held = seed, batch, -1, None
        part = hold if isinstance(hold, float) else None
        if not (hold is None or isinstance(hold, tuple) or (part and 0 < part < 1)):
            raise ValueError(f"fit: hold: given {hold!r}, wanted a part of the rows between 0 and 1, or a tuple of data")
        rows = self.rows() if batch or part else 0
        train = numpy.arange(rows)
        if isinstance(hold, tuple):
            self.held = self.like(hold)
        elif part:
            order, n = self.order(rows, 1), int(part*rows)
            if not n or n == rows:
                raise ValueError(f"fit: hold: {part} of {rows} rows are {n}: wanted one at least, and one that is left")
            self.held, train = self.take(numpy.sort(order[:n])), numpy.sort(order[n:])
            self.leaves = self.take(train)
        self.count = len(train)
        self.blocks = math.ceil(self.count/batch) if batch else 1

    def sizes(self):
        """The first size of every array, by name."""
        return {self.names[i]: self.leaves[i].shape[0] for i in self.cut}

    def rows(self):
        """How many: the first size of every array."""
        sizes = self.sizes()
        if not sizes:
            raise ValueError("fit: batch and hold cut the first axis of data, and no array is given in it")
        if len(set(sizes.values())) > 1 or not min(sizes.values()):
            raise ValueError(f"fit: batch and hold cut the first axis of every array: {rows_of(sizes)}; arrays of another kind "
                             "come from around the loss")
        return min(sizes.values())

    @contextlib.contextmanager
    def told(self):
        """While it lasts an error of sizes tells of the data, where these have different numbers of rows."""
        try:
            yield
        except (TypeError, ValueError) as e:
            sizes = self.sizes()
            if len(set(sizes.values())) > 1 and re.search("size|shape|must equal", str(e)):
                e.args = (f"{e}; fit was given data of which {rows_of(sizes)}",)
            raise

    def like(self, hold):
        leaves, structure = flatten(hold)
        if structure != self.structure:
            raise ValueError(f"fit: hold: given {len(hold)} arguments, wanted a tuple of {len(self.structure[2])}, as the "
                             "data are")
        return [x if isinstance(x, Key) else as_leaf(x) for x in leaves]

    def order(self, n, *which):
        """0..n-1 in the order of a key."""
        k = operators.key(self.seed)
        for i in which:
            k = k[i]
        return numpy.argsort(numpy.asarray(operators.uniform(k, (n,))), kind="stable")

    def take(self, rows):
        return [numpy.asarray(x)[rows] if i in self.cut else x for i, x in enumerate(self.leaves)]

    def block(self, t):
        """The data of step t."""
        leaves = self.leaves
        if self.batch:
            epoch, k = divmod(t, self.blocks)
            if epoch != self.epoch:
                self.epoch, self.rows_now = epoch, self.order(self.count, 2, epoch)
            leaves = self.take(self.rows_now[k*self.batch:(k + 1)*self.batch])
        if self.keys:
            leaves = [x[t] if i in self.keys else x for i, x in enumerate(leaves)]
        return unflatten(self.structure, leaves)

    def measured(self):
        return unflatten(self.structure, self.leaves if self.held is None else self.held)


class Loop:
    """Steps, with what they leave behind."""

    def __init__(self, loss, p, put, step, data, patience, began, options):
        def of_leaves(p, *data):
            return called(LOSS, loss, put(p), *data)

        def one(p, s, *data):
            value, slope = value_and_grad(of_leaves)(p, *data)
            new, s = step(p, slope, s)
            return value, tuple(x if x.dtype == old.dtype else x.astype(old.dtype) for x, old in zip(new, p)), s
        self.one, self.loss = jit(one, **options), jit(of_leaves, **options)
        self.put, self.data, self.patience, self.began = put, data, patience, began
        self.measures = patience is not None or data.held is not None
        self.losses, self.held, self.held_at, self.at, self.waited = [], [], [], 0, 0
        self.p, self.best, self.s = p, (math.inf, 0, p), None

    def go_on(self, state):
        """From where another fit ended."""
        self.p, self.s, best = state.fill(self.p, self.s)
        self.losses, self.held, self.held_at = (list(x) for x in (state.losses, state.held, state.held_at))
        self.at, self.waited, self.best = state.step, state.waited, (state.best[0], int(state.best[1]), best)

    def run(self, steps, shown):
        """Why it ended."""
        last, blocks = self.held_at[-1] if self.held_at else 0, self.data.blocks
        for t in range(self.at, steps):
            value, new, s = self.one(self.p, self.s, *self.data.block(t))
            if not math.isfinite(value):
                self.not_finite(f"the loss is {value} in step {t}")
            self.losses.append(float(value))
            self.p, self.s, self.at = new, s, t + 1
            shown.step(t + 1, self.losses[-1])
            if self.measures and (t + 1 == steps or ((t + 1) % blocks == 0 and t + 1 - last >= steps//200)):
                last = t + 1
                if self.measure():
                    return "patience"
        if not all(numpy.isfinite(x).all() for x in self.p):
            self.not_finite(f"a parameter is not finite after step {steps - 1}")
        return "steps"

    def measure(self):
        """Whether it is to end."""
        value = float(self.loss(self.p, *self.data.measured()))
        self.held.append(value)
        self.held_at.append(self.at)
        if value < self.best[0]:
            self.best, self.waited = (value, self.at, self.p), 0
        else:
            self.waited += 1
        return self.patience is not None and self.waited >= self.patience

    def not_finite(self, what):
        e = ArithmeticError(f"fit: {what}: a smaller rate may help, or shortened(...) around the optimiser; its `fit` is "
                            "what there was before")
        e.fit = self.result("not finite")
        raise e

    def result(self, ended):
        p, at = self.p, self.at
        if self.patience is not None and self.held and self.best[1]:
            _, at, p = self.best
        state = State(flatten(self.s)[0], self.p, self.data.seed, self.at, self.losses, self.held, self.held_at,
                      self.waited, self.best[:2], self.best[2])
        return Fit(self.put(p), self.losses, self.held, self.held_at, at, self.at,
                   time.monotonic() - self.began, ended, state)


def rule_of(by, rate, put):
    """(start, step) of an optimiser, over leaves."""
    if isinstance(by, (tuple, list)) and len(by) == 2 and all(map(callable, by)):
        if rate is not None:
            raise TypeError("fit: rate is of an optimiser that is named; these functions have their own")
        return own_rule(*by, put)
    if not isinstance(by, str):
        raise TypeError(f"fit: by: given {by!r}, wanted the name of an optimiser, an expression of the notation, or two "
                        "functions: start(p) and step(p, g, s)")
    if re.fullmatch(r"\w+", by):
        if by not in OPTIMISERS:
            near = difflib.get_close_matches(by, OPTIMISERS + MINIMISERS, 1)
            raise ValueError(f"fit: there is no optimiser {by}; " +
                             (f"the nearest is {near[0]}" if near else f"there are {', '.join(OPTIMISERS + MINIMISERS)}"))
        by = f"{by}()" if rate is None else f"{by}(rate = {number(rate)!r})"
    elif rate is not None:
        raise TypeError(f"fit: rate: {by} has its own; write it there")
    names = "|".join(library("optim").functions)
    by = re.sub(rf"(?<![\w.])({names})(?=\s*\()", r"optim.\1", by)
    return notation_rule(f"use optim\nlet by = {by}\n")


def number(rate):
    if isinstance(rate, (int, float, numpy.number)) and not isinstance(rate, bool) and 0 < rate < math.inf:
        return float(rate)
    raise (ValueError if isinstance(rate, (int, float)) else TypeError)(
        f"fit: rate: given {rate!r}, wanted a number above 0; one that changes is written in `by`: "
        "\"scheduled(adam(rate = 0.1), cosine(500))\"")


def own_rule(start, step, put):
    def over_leaves(p, g, s):
        new, s = step(put(p), put(g), s)
        leaves, structure = flatten(new)
        if structure != flatten(put(p))[1]:
            raise TypeError("fit: step gives another structure than that of the parameters")
        return tuple(leaves), s
    return lambda p: start(put(p)), over_leaves


def notation_rule(text):
    first = File(f"{text}fn start(p) = by.start(p)\n", "by")

    def inner(p):
        return p[0] if len(p) == 1 else p

    def step(p, g, s):
        leaves, structure = flatten(s)
        names = [f"s{i}" for i in range(len(leaves))]
        given = ", ".join(["p", "g", *names])
        file = File(f"{text}fn step({given}) = by.step(p, g, {written(structure, iter(names))})\n", "by")
        new, s = file.step(inner(p), inner(g), *leaves)
        return (new,) if len(p) == 1 else new, s
    return lambda p: first.start(inner(p)), step


def minimised(by, loss, leaves, put, data, steps, options, began, shown):
    """What a minimiser of all rows finds; its losses are the first, and those behind each step."""
    minimiser, one, seen = getattr(library("optim"), by), len(leaves) == 1, [(0, None, leaves)]

    def tell(i, value, *x):
        seen.append((int(i) + 1, float(value), x))
        shown.step(*seen[-1][:2])
        return value

    def told(i, value, x):
        x = (x,) if one else x
        given = ", ".join(f"x{k}: {v.type}" for k, v in enumerate(x))
        return operator(f"fit_step(i: i64, value: {value.type}, {given}) -> {value.type}", tell, pure=False)(i, value, *x)

    def found(p, *data):
        def of_record(q):
            return called(LOSS, loss, put((q,) if one else q), *data)
        first = p[0] if one else p
        return of_record(first), minimiser(of_record, first, most=steps, told=told)
    rows = data.block(0)
    first = float(jit(lambda p, *data: called(LOSS, loss, put(p), *data), **options)(leaves, *rows))
    if not math.isfinite(first):
        raise ArithmeticError(f"fit: the loss is {first} where it begins")
    try:
        end = jit(found, **options)(leaves, *rows)[1]
        made, p = int(end["steps"]), (end["x"],) if one else end["x"]
        ended = "met" if end["met"] else "steps"
    except KeyboardInterrupt:
        made, _, p = seen[-1]
        ended = "interrupted"
    finally:
        shown.close()
    return Fit(put(tuple(p)), [first, *(value for _, value, _ in seen[1:])], [], [], made, made, time.monotonic() - began, ended)
