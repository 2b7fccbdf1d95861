#!/usr/bin/env python3
"""test_thresholds.py PORISM [NAME...]: derivatives of the library's ops where their meanings change sides.

Every op of lib/prelude.por that is a map, at each number that stands in its meaning or in that of an op there, and what
makes a part of it such a number: there the first and second derivatives are those of the floats beside it.
"""

import itertools
import math
import os
import re
import struct

from command import Failed, call, main, read_npz, same, test, write_files, write_npy

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Those that truly bend, or whose first derivative by another argument is infinite there.
BENDS = "relu", "clip", "i1e_over", "great_circle", "cbrt_diff"
POSITIVE = {"ratio_power": "xc", "minus_leg_square": "y", "leg_square": "y", "gamma_ratio": "xy", "kl_by": "xy"}
EVEN = {"log1p_power": "n"}
DIFFERENCES = {"part_less_by": "z - y"}
OTHERS = 0.5, 1, 2, 3, 7, -1, 0.125
TYPES = {"f64": ("d", 2**-52, (1e-12, 1e-9, 1e-6), 1e-6), "f32": ("f", 2**-23, (1e-6, 1e-4), 5e-3)}


def definitions():
    """name: (op or fn, parameters, body) of the maps of the prelude."""
    text = re.sub(r"#.*", "", open(os.path.join(ROOT, "lib", "prelude.por"), encoding="utf-8").read())
    found = {}
    for part in re.split(r"^(?=op |fn )", text, flags=re.M)[1:]:
        head = re.match(r"(op|fn) (\w+)\(([\w, ]*)\)\s*=(.*)", part, re.S)
        if head:
            found[head[2]] = head[1], head[3].split(", "), head[4]
    return found


def rules():
    """name: what the book of derivatives has for it."""
    text = open(os.path.join(ROOT, "rules", "derivative.por"), encoding="utf-8").read()
    found = {}
    for line in re.sub(r"\n    ", " ", text).split("\n"):
        head = re.match(r"d\((\w+)\([\w, ]*\)\)\s*=>(.*)", line)
        if head:
            found[head[1]] = found.get(head[1], "") + head[2]
    return found


def numbers_of(name, known, derivatives, seen):
    """Those that stand in the meaning and in the derivatives; without the terms of series."""
    if name in seen:
        return set()
    seen.add(name)
    text = re.sub(r"poly\(\w+,[^()]*\)", "", (known[name][2] if name in known else "") + derivatives.get(name, ""))
    found = {abs(float(w)) for w in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?", text)}
    for used in set(re.findall(r"\b[a-z]\w*(?=\()", text)):
        found |= numbers_of(used, known, derivatives, seen)
    return found


def places(numbers):
    """Where a part that is a map of an argument is one of the numbers."""
    found = {0.0}
    for c in numbers:
        ways = c, c/2, 2*c, c - 1, c + 1, math.sqrt(c), c*c, c and 1/c, math.tan(c), c and math.log(c), math.sinh(min(c, 40))
        found |= {s*v for v in ways for s in (1, -1) if abs(v) < 1e30}
    return sorted(found)


def near(c, dtype):
    """The place, and floats beside it on either side; of 0 several times."""
    code, eps, least, _ = TYPES[dtype]
    c = struct.unpack(code, struct.pack(code, c))[0]
    for unit in (math.ldexp(eps, math.frexp(c)[1] - 1),) if c else least:
        steps = [n*unit for n in (1, 2, 5, 16)]
        yield [c - s for s in reversed(steps)] + [c] + [c + s for s in steps]


def function(name, of, dtype):
    """Its derivatives; a d among the parameters is the difference of two others, which may be known better."""
    free = [v for v in of if v != "d"]
    f = f"{name}({', '.join(DIFFERENCES.get(name, 'x - y') if v == 'd' else v for v in of)})"
    first = [f"grad(sum({f}), {v})" for v in free]
    second = [f"grad(sum({d}), {v})" for i, d in enumerate(first) for v in free[i:]]
    told = ", ".join(f"{v}: {dtype}[k_]" for v in free)
    parts = ", ".join(f"d{i} = {d}" for i, d in enumerate([f] + first + second))
    return free, f"fn at_{name}({told}) = {{{parts}}}\n"


def rows(name, of, at, dtype):
    """Points in groups along one argument: (argument, place, the others, from, to)."""
    groups, points = [], []
    positive, even = POSITIVE.get(name, ""), EVEN.get(name, "")
    for k, v in enumerate(of):
        others = [[c for c in OTHERS if (c > 0 or u not in positive) and (c == 2 or u not in even)] for u in of if u != v]
        for c, rest in itertools.product(at, itertools.product(*(o[:4] if len(of) > 3 else o for o in others))):
            for line in near(c, dtype) if c > 0 or v not in positive else ():
                groups.append((v, c, rest, len(points), len(points) + len(line)))
                points += [(*rest[:k], p, *rest[k:]) for p in line]
    return groups, points


def unlike(values, within):
    """Is one not what those beside it are, which on either side agree with one another?"""
    middle = len(values)//2
    sides = values[:middle], values[middle + 1:]
    if not all(map(math.isfinite, sides[0] + sides[1])):
        return False
    room = within*(max(map(abs, sides[0] + sides[1])) + 0.01)
    apart = max(max(side) - min(side) for side in sides)
    if apart > room:
        return False
    return not all(abs(v - values[0]) <= room + 8*apart for v in values)


def jumps(dtype, folder):
    known, derivatives = definitions(), rules()
    ops = [name for name, (kind, _, _) in known.items() if kind == "op" and name not in BENDS]
    assert len(ops) > 120
    functions = {name: function(name, known[name][1], dtype) for name in ops}
    write_files(folder, ops="".join(text for _, text in functions.values()))
    code, _, _, within = TYPES[dtype]
    for name in ops:
        of = functions[name][0]
        groups, points = rows(name, of, places(numbers_of(name, known, derivatives, set())), dtype)
        given = []
        for k, v in enumerate(of):
            given.append(f"{v}=@{os.path.join(folder, v)}.npy")
            column = struct.pack(f"<{len(points)}{code}", *(p[k] for p in points))
            write_npy(os.path.join(folder, v + ".npy"), f"<f{struct.calcsize(code)}", (len(points),), column)
        out = os.path.join(folder, "out.npz")
        call("run", os.path.join(folder, "ops.por") + ":at_" + name, *given, "--tier", "interpret", "-o", out)
        parts = {part: values for part, (_, values) in read_npz(out).items()}
        for v, c, rest, a, b in groups:
            for part in sorted(parts)[1:] if math.isfinite(parts["d0"][(a + b)//2]) else ():
                if unlike(parts[part][a:b], within):
                    yield f"{dtype} {name}({', '.join(of)}), {part} along {v} at {c}, others {rest}: {parts[part][a:b]}"


def check(dtype, folder):
    bad = list(jumps(dtype, folder))
    if bad:
        raise Failed(f"{len(bad)}:\n" + "\n".join(bad))


@test
def doubles(folder):
    check("f64", folder)


@test
def singles(folder):
    check("f32", folder)


main(__doc__)
