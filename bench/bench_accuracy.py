#!/usr/bin/env python3
"""Expressions as one writes them without thinking of rounding: values, first and second derivatives by the first
variable, in f32 and f64, each at points over the whole range, against mpmath.  Counted are the expressions that are
within 4 ulp of the true value at every point, in both dtypes: at least 95 in value and 80 in gradient; and those that
are NaN or infinite where the true value is a number.  Beside NumPy, JAX and PyTensor, where they are installed.

    bench_accuracy.py [NAME...]      these expressions alone, each with its worst points
    bench_accuracy.py --page         writes docs/expressions.md too
"""
import concurrent.futures
import math
import os
import random
import struct
import sys
import textwrap

import binding
from naive import EXPRESSIONS
from table import FULL, ROOT, Table, peer, use_peers

POINTS = 120 if FULL else 32
WITHIN = 4                              # ulp
BITS = 4600                             # of mpmath: in 1 + x^2 + x^4 there is 1e-1200 beside 1
ROWS = 4                                # numbers in a vector
WHAT = ("value", "gradient", "second derivative")
SPANS = {"f32": (30, 127, 24, "<f", "<I"), "f64": (300, 1023, 53, "<d", "<Q")}
PAGE = os.path.join(ROOT, "docs", "expressions.md")


# ---- points -------------------------------------------------------------------------------------------------------

def rounded(x, dtype):
    return struct.unpack(SPANS[dtype][3], struct.pack(SPANS[dtype][3], x))[0]


def draw(domain, dtype, r):
    """A number of a domain: half of them of all sizes, half of everyday ones."""
    most = SPANS[dtype][0] if r.random() < 0.5 else 3
    size = 10.0**r.uniform(-most, most)
    below = 10.0**r.uniform(-min(most, 30), 0)
    sign = r.choice((-1, 1))
    if domain == "real":
        x = sign*size
    elif domain == "positive":
        x = size
    elif domain == "unit":              # near 0, or as near to 1 as there are numbers
        x = below if r.random() < 0.5 else 1 - 10.0**r.uniform(-7 if dtype == "f32" else -15, 0)
    elif domain == "ball":
        x = sign*draw("unit", dtype, r)
    else:                               # above 1
        x = 1 + (10.0**r.uniform(-6 if dtype == "f32" else -15, 0) if r.random() < 0.3 else size)
    return rounded(x, dtype)


FACTS = {"real": "", "positive": " if {0} > 0", "unit": " if {0} > 0 and {0} < 1", "ball": " if {0} > -1 and {0} < 1",
         "above": " if {0} > 1"}


def points(expression, dtype):
    """Values of the variables; of a vector there are so many."""
    r = random.Random("accuracy %s %s" % (expression[0], dtype))
    found = []
    while len(found) < POINTS:
        point = [draw(d, dtype, r) for v, d in expression[2].items() for _ in range(ROWS if v == "v" else 1)]
        if all(0 < abs(x) < math.inf for x in point) and inside(expression, point):
            found.append(point)
    return found


def inside(expression, point):
    return all(abs(x) < 1 if d in ("unit", "ball") else x > 1 if d == "above" else True
               for x, d in zip(point, expression[2].values()))


# ---- true values ----------------------------------------------------------------------------------------------------

class Jet:
    """A number with its first and second derivative."""
    def __init__(self, v, d=0, s=0):
        self.v, self.d, self.s = v, d, s

    @staticmethod
    def of(x):
        return x if isinstance(x, Jet) else Jet(x)

    def after(self, f, f1, f2):
        """f of it, of value, first and second derivative as given."""
        return Jet(f, f1*self.d, f2*self.d*self.d + f1*self.s)

    def __add__(self, o):
        o = Jet.of(o)
        return Jet(self.v + o.v, self.d + o.d, self.s + o.s)

    def __mul__(self, o):
        o = Jet.of(o)
        return Jet(self.v*o.v, self.d*o.v + self.v*o.d, self.s*o.v + 2*self.d*o.d + self.v*o.s)

    def __neg__(self):
        return Jet(-self.v, -self.d, -self.s)

    def __sub__(self, o):
        return self + -Jet.of(o)

    def __rsub__(self, o):
        return Jet.of(o) - self

    def __truediv__(self, o):
        o = Jet.of(o)
        if not o.v:
            raise ZeroDivisionError
        return self*o.after(1/o.v, -1/o.v**2, 2/o.v**3)

    def __rtruediv__(self, o):
        return Jet.of(o)/self

    def __pow__(self, n):
        if isinstance(n, int):
            return self.after(self.v**n, n*self.v**(n - 1), n*(n - 1)*self.v**(n - 2) if n != 1 else 0)
        raise TypeError
    __radd__, __rmul__ = __add__, __mul__


class Vector(list):
    """What the notation does with arrays, element by element."""
    def each(self, f, o):
        return Vector(f(a, b) for a, b in zip(self, o if isinstance(o, Vector) else [o]*len(self)))

    def __add__(self, o):
        return self.each(lambda a, b: a + b, o)

    def __sub__(self, o):
        return self.each(lambda a, b: a - b, o)

    def __mul__(self, o):
        return self.each(lambda a, b: a*b, o)

    def __truediv__(self, o):
        return self.each(lambda a, b: a/b, o)

    def __pow__(self, n):
        return Vector(a**n for a in self)

    def __neg__(self):
        return Vector(-a for a in self)
    __rmul__, __radd__ = __mul__, __add__


class Truths:
    """mpmath, and what the notation calls its functions."""
    def __init__(self):
        import mpmath
        self.mp = mp = mpmath.mp.clone()
        mp.prec = BITS
        p = {"exp": lambda x: (mp.exp(x),)*3,
             "log": lambda x: (self.real(mp.log, x), 1/x, -1/x**2),
             "sqrt": lambda x: (self.real(mp.sqrt, x), 1/(2*mp.sqrt(x)), -1/(4*x*mp.sqrt(x))),
             "sin": lambda x: (mp.sin(x), mp.cos(x), -mp.sin(x)),
             "cos": lambda x: (mp.cos(x), -mp.sin(x), -mp.cos(x)),
             "tan": lambda x: (mp.tan(x), 1 + mp.tan(x)**2, 2*mp.tan(x)*(1 + mp.tan(x)**2)),
             "atan": lambda x: (mp.atan(x), 1/(1 + x*x), -2*x/(1 + x*x)**2),
             "asin": lambda x: (self.real(mp.asin, x), 1/mp.sqrt(1 - x*x), x/mp.sqrt(1 - x*x)**3),
             "acos": lambda x: (self.real(mp.acos, x), -1/mp.sqrt(1 - x*x), -x/mp.sqrt(1 - x*x)**3),
             "sinh": lambda x: (mp.sinh(x), mp.cosh(x), mp.sinh(x)),
             "cosh": lambda x: (mp.cosh(x), mp.sinh(x), mp.cosh(x)),
             "tanh": lambda x: self.tanh(mp.exp(-2*abs(x)), 1 if x > 0 else -1),
             "cbrt": lambda x: self.cbrt(mp.cbrt(abs(x)), x),
             "abs": lambda x: (abs(x), 1 if x > 0 else -1, 0)}
        self.scope = {name: self.lift(f) for name, f in p.items()}
        self.scope["sum"] = lambda v: sum(v[1:], v[0])
        self.scope["mean"] = lambda v: sum(v[1:], v[0])/len(v)

    @staticmethod
    def real(f, x):
        y = f(x)
        if hasattr(y, "imag") and y.imag:
            raise ValueError
        return y

    @staticmethod
    def tanh(e, sign):
        t, u = sign*(1 - e)/(1 + e), 4*e/(1 + e)**2
        return t, u, -2*t*u

    @staticmethod
    def cbrt(c, x):
        return (c if x > 0 else -c), 1/(3*c*c), -2*c/(9*x*x)*(1 if x > 0 else -1)

    @staticmethod
    def lift(f):
        def one(x):
            return x.after(*f(x.v))
        return lambda x: Vector(one(a) for a in x) if isinstance(x, Vector) else one(x)

    def at(self, expression, point):
        """Value, first and second derivative, as numbers of mpmath; None where there is none."""
        jets = [Jet(self.mp.mpf(x), self.mp.mpf(not i), self.mp.mpf(0)) for i, x in enumerate(point)]
        scope, at = dict(self.scope), 0
        for name in expression[2]:
            n = ROWS if name == "v" else 1
            scope[name] = Vector(jets[at:at + n]) if name == "v" else jets[at]
            at += n
        try:
            y = eval(expression[1].replace("^", "**"), {"__builtins__": {}}, scope)      # pylint: disable=eval-used
        except (ZeroDivisionError, ValueError, OverflowError, TypeError):
            return None
        return y.v, y.d, y.s


def ulps(mp, x, truth, dtype):
    """How many units in the last place of the true value; None: that is out of range."""
    _, top, digits, _, _ = SPANS[dtype]
    exponent = mp.frexp(truth)[1] if truth else -10**6
    if exponent > top + 1 or abs(truth) > (2 - mp.mpf(2)**(1 - digits))*mp.mpf(2)**top:
        return None
    if not math.isfinite(x):
        return math.inf
    unit = mp.mpf(2)**max(exponent - digits, 2 - top - digits)
    return float(min(abs(mp.mpf(x) - truth)/unit, mp.mpf(1e300)))


# ---- who computes ---------------------------------------------------------------------------------------------------

class Scalar(binding.Program):
    """Interpreted, with all rules."""
    def __init__(self, text):
        super().__init__(text, "f", tier=binding.INTERPRET)


def porism(expression, dtype, order, at):
    _, text, names = expression
    first = next(iter(names))
    if first == "v":
        forms = text, "grad(%s, v)[0]" % text, "grad(grad(%s, v)[0], v)[0]" % text
        inputs, body = "V: %s[points, %d]" % (dtype, ROWS), "[v in V] => " + forms[order]
        columns = [binding.plain([len(at), ROWS], dtype, [x for p in at for x in p])]
    else:
        body = text
        for _ in range(order):
            body = "grad(sum(%s), %s)" % (body, first)
        inputs = ", ".join("%s: %s[points]%s" % (v, dtype, FACTS[d].format(v)) for v, d in names.items())
        columns = [binding.plain([len(at)], dtype, [p[i] for p in at]) for i in range(len(names))]
    program = Scalar("fn f(%s) = %s\n" % (inputs, body))
    out = binding.plain([len(at)], dtype, [0.0]*len(at))
    program.call(columns, [out])
    program.free()
    return list(out.held)


def numpy(expression, dtype, order, at):
    import numpy as np
    if order:
        return None
    scope = {f: getattr(np, f) for f in "exp log sqrt sin cos tan sinh cosh tanh cbrt abs".split()}
    scope.update(atan=np.arctan, asin=np.arcsin, acos=np.arccos)
    X = np.array(at, {"f32": np.float32, "f64": np.float64}[dtype])
    if "v" in expression[2]:
        scope.update(v=X.T, sum=lambda v: np.sum(v, axis=0), mean=lambda v: np.mean(v, axis=0))
    else:
        scope.update(zip(expression[2], X.T))
    with np.errstate(all="ignore"):
        return [float(y) for y in eval(expression[1].replace("^", "**"), {}, scope)]     # pylint: disable=eval-used


def jax(expression, dtype, order, at):
    import jax as j
    j.config.update("jax_enable_x64", True)
    j.config.update("jax_platforms", "cpu")
    np = j.numpy
    scope = {f: getattr(np, f) for f in "exp log sqrt sin cos tan sinh cosh tanh cbrt abs sum mean".split()}
    scope.update(atan=np.arctan, asin=np.arcsin, acos=np.arccos)
    X, names, vector = np.array(at, dtype=dtype.replace("f", "float")), list(expression[2]), "v" in expression[2]
    code = compile(expression[1].replace("^", "**"), expression[0], "eval")

    def f(*x):
        return eval(code, {}, dict(scope, **dict(zip(names, x))))                        # pylint: disable=eval-used
    for _ in range(order):
        f = (lambda g: lambda v: j.grad(g)(v)[0])(f) if vector else j.grad(f)
    return [float(y) for y in (j.vmap(f)(X) if vector else j.vmap(f)(*X.T))]


def pytensor(expression, dtype, order, at):
    """Its own rewrites, all of them; each operator as Python calls it, so that nothing is compiled."""
    import numpy as np
    import pytensor as p
    import pytensor.tensor as pt
    p.config.cxx = ""
    scope = {f: getattr(pt, f) for f in "exp log sqrt sin cos tan sinh cosh tanh abs sum mean".split()}
    scope.update(atan=pt.arctan, asin=pt.arcsin, acos=pt.arccos, cbrt=lambda x: pt.sign(x)*abs(x)**(1/3))
    X, vector = np.array(at, dtype=dtype.replace("f", "float")), "v" in expression[2]
    names = [pt.vector(name, dtype=X.dtype.name) for name in expression[2]]
    y = eval(expression[1].replace("^", "**"), {}, dict(scope, **dict(zip(expression[2], names))))  # pylint: disable=eval-used
    for _ in range(order):
        g = p.grad(y if vector else y.sum(), names[0], disconnected_inputs="ignore")
        y = g[0] if vector else g
    f = p.function(names, y, mode=p.compile.mode.Mode(linker="py", optimizer="fast_run"), on_unused_input="ignore")
    with np.errstate(all="ignore"):
        return [float(f(row)) for row in X] if vector else [float(value) for value in f(*X.T)]


SIDES = {"Porism": porism, "NumPy": numpy, "JAX": jax, "PyTensor": pytensor}


# ---- what is measured -----------------------------------------------------------------------------------------------

def row(task):
    """For one expression and each side: [order][dtype] -> the worst error, how many are no numbers, and where."""
    expression, sides = task
    truths, found = Truths(), {}
    for dtype in SPANS:
        at = points(expression, dtype)
        true = [truths.at(expression, p) for p in at]
        for side in sides:
            for order in range(3):
                values = SIDES[side](expression, dtype, order, at)
                if values is None:
                    continue
                worst, lost, judged, where = 0.0, 0, 0, None
                for x, t, p in zip(values, true, at):
                    error = None if t is None else ulps(truths.mp, x, t[order], dtype)
                    if error is None:
                        continue
                    judged += 1
                    lost += error == math.inf
                    if error > worst:
                        worst, where = error, (p, x, float(t[order]))
                found[side, order, dtype] = worst, lost, judged, where
    return expression, found


def word(found, side, order):
    """The worse of both dtypes, as the page has it."""
    both = [found.get((side, order, d)) for d in SPANS]
    if None in both:
        return "-"
    worst = max(b[0] for b in both)
    return "no number" if worst == math.inf else "%.2g" % worst if worst < 9.5e9 else "all"


def page(rows, sides, counts):
    lines = ["# Expressions as they are written", "", *textwrap.wrap(__doc__.strip().split("\n\n", maxsplit=1)[0], 106), "",
             "Made by `make bench-accuracy`, `bench/bench_accuracy.py --page`: do not edit. Half of the points are spread",
             "evenly over the magnitudes of the domain, to 1e300 in f64 and 1e30 in f32, half over those from 0.001 to",
             "1000. The largest error in ulp, the worse of the two dtypes; *no number*: NaN or infinity where the true",
             "value is a number; *all*: no digit is right.", "",
             "| within 4 ulp at every point, of %d | %s |" % (len(rows), " | ".join(sides)), "|---|" + "---|"*len(sides)]
    for order, what in enumerate(WHAT):
        lines.append("| %s | %s |" % (what, " | ".join(str(counts[s, order][0]) if (s, order) in counts else "-" for s in sides)))
        lines.append("| %s no number | %s |" % (what, " | ".join(str(counts[s, order][1]) if (s, order) in counts else "-" for s in sides)))
    heads = [(s, o) for s in sides for o in range(3) if (s, o) in counts]
    lines += ["", "| expression | " + " | ".join("%s, %s" % (s, WHAT[o]) for s, o in heads) + " |", "|---|" + "---|"*len(heads)]
    for expression, found in rows:
        lines.append("| `%s` | %s |" % (expression[1], " | ".join(word(found, s, o) for s, o in heads)))
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def main(words):
    if not peer("mpmath", tell=False):
        return 0
    chosen = [w for w in words if w != "--page"]
    sides = ["Porism"] + [s for s in ("NumPy", "JAX", "PyTensor") if peer(s.lower(), tell=False)]
    todo = [(e, sides) for e in EXPRESSIONS if not chosen or e[0] in chosen]
    rows, counts = [], {}
    with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
        for expression, found in pool.map(row, todo):
            rows.append((expression, found))
            bad = [o for o in range(3) if max(found["Porism", o, d][0] for d in SPANS) > WITHIN]
            if bad:
                print("%-14s %-48s %s" % (expression[0], expression[1], "  ".join(word(found, "Porism", o) for o in range(3))), flush=True)
            for (side, order, dtype), (worst, lost, judged, where) in found.items() if chosen else ():
                print("%-6s %-17s %s  %3d points  %9.3g ulp  %3d no number  %s" % (side, WHAT[order], dtype, judged, worst, lost, where))
    for side in sides:
        for order in range(3 if side != "NumPy" else 1):
            worst = [max(f[side, order, d][0] for d in SPANS) for _, f in rows]
            counts[side, order] = sum(w <= WITHIN for w in worst), sum(w == math.inf for w in worst)
            print("%-7s %-18s within 4 ulp %3d of %d, no number %3d" % (side, WHAT[order], counts[side, order][0], len(rows), counts[side, order][1]))
    if chosen:
        return 0
    if "--page" in words:
        page(rows, sides, counts)
    table = Table("accuracy")
    for order, bar in ((0, 95), (1, 80)):
        table.add("expressions beyond 4 ulp in " + WHAT[order], len(rows) - counts["Porism", order][0], len(rows) - bar, 1)
    for order, what in enumerate(WHAT):
        table.add("no number where there is one, " + what, counts["Porism", order][1] + 1, 1, 1)
    return table.done()


if __name__ == "__main__":
    if os.path.exists(os.path.join(ROOT, "build", "venv", "bin", "python")):
        use_peers()
    sys.exit(main(sys.argv[1:]))
