#!/usr/bin/env python3
"""test_tables.py PORISM [NAME...]: what loops fill, cell by cell: what its derivatives do and keep grows as the value does.

Programs that fill arrays and tables, with orders and modes of derivatives, at n and at 2*n: the work and the bytes that
a profile counts, which are the same in each call.  Values are those of differences of what is one order lower."""

import json
import re

from command import TIERS, call, main, near, numbers, same, test, write_files

# name -> what loops fill of x and whole numbers k, what is read of it (_), the sizes of x, n
PROGRAMS = {
    "walk": ("scan (a = f64[n + 1](1.0), i < n) => a with [i + 1] = sin(a[i])*x[i]", "sum(_)", "n", 64),
    "guard": ("scan (a = f64[n](0.0), i < n) => a with [i] = (if i > 0 then a[i - 1] else 1.0)*x[i]", "sum(_)", "n", 64),
    "two_back": ("scan (a = f64[n](0.5), i < n) => a with [i] = (if i > 1 then sin(a[i - 1])*a[i - 2] + x[i] else x[i])",
                 "_[n - 1]", "n", 64),
    "pick": ("scan (a = f64[n](0.5), i < n) => a with [i] = sin(a[k[i]])*x[i]", "sum(_)", "n", 64),
    "while_fill": ("(scan (a = f64[n + 1](1.0), i = 0) while i < n => {a = a with [i + 1] = sin(a[i])*x[i], i = i + 1}).a",
                   "sum(_)", "n", 64),
    "edit": ("scan (t = f64[n + 1, n + 1](0.0), i < n) => scan (t = t, j < n) =>"
             " t with [i + 1, j + 1] = min(t[i, j], min(t[i, j + 1], t[i + 1, j])) + x[i, j]", "_[n, n]", "n, n", 12),
    "soft": ("scan (t = f64[n + 1, n + 1](0.0), i < n) => scan (t = t, j < n) =>"
             " t with [i + 1, j + 1] = x[i, j] - logsumexp(-[t[i, j], t[i, j + 1], t[i + 1, j]])", "_[n, n]", "n, n", 12),
    "guard_table": ("scan (t = f64[n, n](0.5), i < n) => scan (t = t, j < n) => t with [i, j] ="
                    " (if i > 0 and j > 0 then t[i - 1, j - 1]*t[i, j - 1] else 1.0)*x[i, j]", "sum(_)", "n, n", 12),
    "stack": ("(scan (s = f64[n](0.0), p = 0, i < n) =>"
              " if k[i] == 0 then {s = s with [p] = x[i], p = p + 1}"
              " else {s = s with [p - 2] = s[p - 2]*s[p - 1], p = p - 1}).s", "_[0]", "n", 64),
    "machine": ("(scan (s = f64[n](0.0), p = 0, i < n) =>"
                " if k[i] == 0 then {s = s with [p] = x[i], p = p + 1}"
                " else if i % 4 == 2 then {s = s with [p - 2] = s[p - 2] + s[p - 1], p = p - 1}"
                " else {s = s with [p - 2] = s[p - 2]*s[p - 1], p = p - 1}).s", "_[0]", "n", 64),
    "while_machine": ("(scan (s = f64[n](0.0), p = 0, i = 0) while i < n =>"
                      " if k[i] == 0 then {s = s with [p] = x[i], p = p + 1, i = i + 1}"
                      " else {s = s with [p - 2] = s[p - 2]*s[p - 1], p = p - 1, i = i + 1}).s", "_[0]", "n", 64),
}

DERIVATIVES = {
    "value": "f(x, k)",
    "slope": "grad(f(x, k), x)",
    "tangent": "jvp(f(x, k), x, d)",
    "forward_reverse": "jvp(grad(f(x, k), x), x, d)",
    "reverse_forward": "grad(jvp(f(x, k), x, d), x)",
    "reverse_reverse": "grad(sum(grad(f(x, k), x)*d), x)",
}

MOST = 1.4   # times what the value grows by where n is twice as much

# In these it grows with a power more of n: second derivatives of tables, where what a loop within a pass gives is
# stacked whole, as another adds to it what it began with itself.
EXCEPT = {(program, name, what) for name, what, programs in (
    ("forward_reverse", "work", "guard_table"),
    ("reverse_forward", "work", "guard_table"),
    ("reverse_reverse", "work", "guard_table"),
    ("reverse_reverse", "bytes", "guard_table soft"),
) for program in programs.split()}


def source(formula, read, size):
    text = f"fn f(x: f64[{size}], k: i64[n]) -> f64 = {read.replace('_', f'({formula})')}\n"
    for name, what in DERIVATIVES.items():
        text += f"fn {name}(x: f64[{size}], k: i64[n], d: f64[{size}]) = {what}\n"
    return text


def inputs(size, n):
    m = n*n if size == "n, n" else n
    x, d = ([round(a + b*(c*i % 7)/7, 6) for i in range(m)] for a, b, c in ((0.5, 0.9, 3), (-0.5, 1.3, 5)))
    if size == "n, n":
        x, d = ([v[i*n:(i + 1)*n] for i in range(n)] for v in (x, d))
    k = [int(i and i % 2 == 0) for i in range(n)]
    return {"x": x, "k": k, "d": d}


def words(values):
    return [f"{name}={value}" for name, value in values.items()]


def counted(path, name, values):
    """Operations and bytes: of all steps, and of the workspace."""
    shown = json.loads(call("explain", f"{path}:{name}", *words(values), "--json", "--show", "profile,memory")[0])
    return (sum(step["work"] for step in shown["profile"]),
            int(re.match(r"workspace of (\d+) bytes", shown["memory"])[1]))


def tables(folder):
    for name, (formula, read, size, n) in PROGRAMS.items():
        write_files(folder, **{name: source(formula, read, size)})
        yield name, f"{folder}/{name}.por", size, n


@test
def what_derivatives_do_and_keep_grows_as_the_value(folder):
    """And an exception is one: what does not grow any more is no longer in the list."""
    found = set()
    for program, path, size, n in tables(folder):
        grows = {}
        for name in DERIVATIVES:
            small, large = (counted(path, name, inputs(size, m)) for m in (n, 2*n))
            grows[name] = [b/max(a, 1) for a, b in zip(small, large)]
        for k, what in enumerate(("work", "bytes")):
            found |= {(program, name, what) for name in grows if grows[name][k] > MOST*grows["value"][k]}
    same((sorted(found - EXCEPT), sorted(EXCEPT - found)), ([], []))


def flat(value):
    return [w for v in value for w in flat(v)] if isinstance(value, list) else [value]


def moved(values, e):
    """Along d."""
    def step(x, d):
        return [step(a, b) for a, b in zip(x, d)] if isinstance(x, list) else x + e*d
    return {**values, "x": step(values["x"], values["d"])}


@test
def their_values_are_those_of_differences(folder):
    e = 1e-5
    for program, path, size, n in tables(folder):
        values = inputs(size, 7 if size == "n" else 3)

        def run(name, values=values, tier="reference"):
            return numbers(call("run", f"{path}:{name}", *words(values), "--tier", tier)[0])

        low, high = moved(values, -e), moved(values, e)
        tangent = [(b - a)/(2*e) for a, b in zip(run("value", low), run("value", high))]
        second = [(b - a)/(2*e) for a, b in zip(run("slope", low), run("slope", high))]
        for tier in TIERS:
            slope = run("slope", tier=tier)
            near(str(sum(a*b for a, b in zip(slope, flat(values["d"])))), tangent, 1e-7)
            near(str(run("tangent", tier=tier)), tangent, 1e-7)
            for name in "forward_reverse", "reverse_forward", "reverse_reverse":
                near(str(run(name, tier=tier)), second, 1e-6)


main(__doc__)
