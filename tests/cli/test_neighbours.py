#!/usr/bin/env python3
"""test_neighbours.py PORISM [NAME...]: differences of a function at two arguments, where these are anything.

Each rule that tells f(x) - f(y) by what x and y are apart, at all pairs of the ends and the middle of what numbers there are:
where as written it is a number so it is by the rule, the same one but for what f(x) and f(y) were rounded by.
"""

import itertools
import json
import math
import os
import re
import struct

from command import Failed, call, main, parse_npy, test, write_files, write_npy

BOOKS = "flags_neighbours", "flags_differences"
BESIDES = "square_diff", "exp_less", "recip_diff", "leg_root", "log1p_diff"
# What x + y is rounded by, or what is below the line, is more than the values are rounded by: that it is a number is all.
ROUGH = "recip_diff", "sin_diff", "cos_diff", "cbrt_diff", "atan_diff", "log1p_ratio", "log_mean"
# Of subnormal numbers what is written is rounded too: of others to the last one.
ROUNDED = "part_less", "part_less_by", "erf_less", "erfc_less", "ndtr_less", "sigmoid_less", "softplus_less"
PLAIN = math.inf, math.nan, 0, 0.25, 0.75, 0.75 + 2**-20, 1, 1.5, 3, 40, 1e4
ENDS = {"f64": (5e-324, 1e-323, 3e-308, 1e-160, 1e16, 1e160, 8e307, 1.7e308),
        "f32": (1e-45, 3e-45, 2e-38, 1e-20, 1e9, 1e20, 1.5e38, 3e38)}


def rules():
    """Their names, left sides and guards."""
    for r in json.loads(call("rules", "list", "--json")[0]):
        if r["book"] in BOOKS or r["name"] in BESIDES and r["book"] == "stable_last":
            left, right = r["text"].split(": ", 1)[1].split(" => ")
            yield r["name"], left, right.partition(" if ")[2]


def terms(left):
    """Of a difference; of what is none, that."""
    depth = 0
    for i, c in enumerate(left):
        depth += (c in "([") - (c in ")]")
        if not depth and left.startswith(" - ", i):
            return left[:i], left[i + 3:]
    return left, "0"


def functions(dtype):
    """The text of both sides of each rule, and of what the terms are in all."""
    lines, names = [], []
    for name, left, guard in rules():
        used = sorted(set(re.findall(r"\b[xyzn]\b", left)), key="xyzn".index)
        facts = [f for f in guard.split(" and ") if f and f[0] in "xyzn" and f[1] == " "]
        told = ", ".join(f"{v}: {dtype}[k]" + "".join(f" if {f}" for f in facts if f[0] == v) for v in used)
        a, b = terms(left)
        lines += [f"fn {name}({told}) = {left}", f"fn {name}_all({told}) = abs({a}) + abs({b})"]
        names.append((name, left, used, {f[0] for f in facts}))
    return "\n".join(lines) + "\n", names


def points(dtype, used, positive):
    some = PLAIN + ENDS[dtype]
    each = [[v for v in some if v > 0] if u in positive else [*some, *(-v for v in some)] for u in used]
    for k, u in enumerate(used):
        if u == "n" or k > 1:
            each[k] = [v for v in (0.5, 3, -2) if v > 0 or u not in positive]
    return list(itertools.product(*each))


def values(folder, words):
    path = os.path.join(folder, "out.npy")
    call(*words, "-o", path)
    with open(path, "rb") as f:
        return parse_npy(f.read())[1]


def worse(dtype, code, folder):
    text, names = functions(dtype)
    write_files(folder, less=text)
    file = os.path.join(folder, "less.por")
    eps, least = (2**-53, 2**-1074) if dtype == "f64" else (2**-24, 2**-149)
    for name, left, used, positive in names:
        last = least if name in ROUNDED else 0
        at = points(dtype, used, positive)
        given = []
        for k, v in enumerate(used):
            path = os.path.join(folder, v + ".npy")
            write_npy(path, f"<f{struct.calcsize(code)}", (len(at),), struct.pack(f"<{len(at)}{code}", *(p[k] for p in at)))
            given.append(f"{v}=@{path}")
        now, was, scale = (values(folder, ("run", f"{file}:{name}{more}", *given, "--tier", "interpret", *off))
                           for more, off in (("", ()), ("", ("--no-rules",)), ("_all", ("--no-rules",))))
        def good(w, r, s):
            if math.isfinite(w):
                return math.isfinite(r) and (s > 1e300 or name in ROUGH or abs(r - w) <= 40*eps*s + last)
            return w != w or r == r

        bad = [(p, w, r) for p, w, r, s in zip(at, was, now, scale) if not good(w, r, s)]
        if bad:
            yield f"{dtype} {left}, {len(bad)} of {len(at)}: " + "; ".join(f"{p}: {r}, as written {w}" for p, w, r in bad[:6])


@test
def doubles(folder):
    bad = list(worse("f64", "d", folder))
    if bad:
        raise Failed("\n".join(bad))


@test
def singles(folder):
    bad = list(worse("f32", "f", folder))
    if bad:
        raise Failed("\n".join(bad))


main(__doc__)
