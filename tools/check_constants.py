#!/usr/bin/env python3
"""Every constant of src/math is one that tools/minimax.py, chebyshev.py or splits.py derives.

    check_constants.py      derives all of them (half a minute), prints for each set where it stands and the bound of its
                            error, and each constant that no script gives

Looked at are numbers of four hexadecimal digits and more; parts of constants (splits.py) may stand there times a power of
two.  The status is 1 if a constant has no source, a coefficient is not in src/math, or a set is not used; 77 without mpmath.
"""
import glob
import math
import multiprocessing
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FLOAT = re.compile(r"(?<![\w.])0x[0-9a-f]+(?:\.[0-9a-f]*)?p[+-]?[0-9]+")
WHOLE = re.compile(r"(?<![\w.])0x[0-9a-f]{8,}(?![\w.])")
ENDS = {float.fromhex("0x1.fffffep127"), float.fromhex("0x1.fffffffffffffp1023")}     # of the formats
PUBLISHED = {0xd2511f53, 0xcd9e8d57, 0x9e3779b9, 0xbb67ae85,     # Philox: random.h names the paper
             0x9e3779b97f4a7c15}                                 # 2^64 over the golden ratio
BITS_OF = {0x3f3504f3, 0x3fe6a09e667f3bcd,                       # sqrt(1/2)
           0x7f7fffff, 0x7fefffffffffffff,                       # the largest numbers
           0x477ff000, 0x4330000000000400}                       # 65520, from where f16 is infinite; 2^52 + 1024
LESS_ONE = {"erf_far_f32"}                                       # the coefficient of x stands there less 1


def derive(task):
    """(script, name, [value...], [value that may stand there...], bound as text)"""
    script, name = task
    rests = []
    module = __import__(script)
    with module.mp.workdps(module.DIGITS):
        if script == "minimax":
            lists, error = module.derive(name)
            values = [v for c in lists for v in c]
        elif script == "chebyshev":
            values, rest, error = module.derive(name)
            values += [values[1] - 1] if name in LESS_ONE else []
            rests = [abs(float(rest))]
        else:
            values, error = module.derive(name)
        bound = "error below 2^%.1f" % module.mp.log(error, 2) if error else ""
    return script, name, [v if isinstance(v, int) else abs(float(v)) for v in values], rests, bound


def constants():
    """(file:line, text, value) of each constant, signs dropped"""
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "math", "*.h"))):
        with open(path, encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)), f.read(), flags=re.S)
        for number, line in enumerate(text.split("\n"), 1):
            at = "%s:%d" % (os.path.basename(path), number)
            for found in FLOAT.findall(line):
                yield at, found, float.fromhex(found)
            for found in WHOLE.findall(line):
                yield at, found, int(found, 16)


def is_plain(value):
    """a few digits, a mask, or the bits of a power of two or a few more"""
    if isinstance(value, float):
        m = math.frexp(value)[0]
        return value in ENDS or m*2**13 == int(m*2**13)
    text = "%x" % value
    patterns = [int((unit*16)[:digits], 16) for unit in ("55", "33", "0f") for digits in (8, 16)]
    ones = value // (value & -value)
    return value in PUBLISHED | BITS_OF or value in patterns or len(text.strip("0")) <= 4 or (ones + 1) & ones == 0


def scaled(value):
    return value if isinstance(value, int) else math.frexp(value)[0]


def main():
    try:
        import chebyshev
        import minimax
        import splits
    except ModuleNotFoundError as error:
        print("check_constants: skipped: there is no %s" % error.name)
        return 77
    tasks = [("minimax", n) for n in (*minimax.TABLE, *minimax.QUOTIENTS)] + [("chebyshev", n) for n in chebyshev.TABLE]
    tasks += [("splits", n) for n in splits.NAMES]
    with multiprocessing.Pool() as pool:
        derived = pool.map(derive, tasks, 1)
    used = [c for c in constants() if not is_plain(c[2])]
    places, wrong, sources = {}, 0, set()
    for at, _, value in used:
        places.setdefault(value, at)
        places.setdefault(("scaled", scaled(value)), at)
    for script, name, values, rests, bound in derived:
        keys = [("scaled", scaled(v)) for v in values] if script == "splits" else values
        asked = [(k, v) for k, v in zip(keys, values) if not is_plain(v)]
        asked = [a for i, a in enumerate(asked) if not (name in LESS_ONE and i == 1)]
        absent = [v for k, v in asked if k not in places]
        sources.update(keys + rests)
        wrong += len(absent)
        first = next((places[k] for k, _ in asked if k in places), "nowhere")
        print("%-10s %-22s %-16s %s%s" % (script, name, first, bound, "   MISSING: %s" % " ".join(
            v.hex() if isinstance(v, float) else hex(v) for v in absent) if absent else ""))
    for at, text, value in used:
        if value not in sources and ("scaled", scaled(value)) not in sources:
            print("%s: %s comes from nowhere" % (at, text))
            wrong += 1
    print("%d constants of %d sets, %d wrong" % (len(used), len(derived), wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
