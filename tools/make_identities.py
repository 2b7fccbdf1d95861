#!/usr/bin/env python3
"""The list of identities, read from the cases that test them.

    make_identities.py OUT.h CASES.txt    `let NAME: TYPE` becomes DECLARED("..."), `[23 log1p] stable: a => b`
                                          becomes IDENTITY(23, log1p, "stable", "a", "b"), and `[34 absent inv]`
                                          becomes ABSENT(34, inv); other lines are left out
"""
import re
import sys


def quoted(text):
    return '"' + text.strip().replace("\\", "\\\\").replace('"', '\\"') + '"'


def sides(case):
    """What stands left and right of the first arrow outside brackets."""
    depth = 0
    for i, char in enumerate(case):
        depth += (char in "([{") - (char in ")]}")
        if not depth and case.startswith(" => ", i):
            return case[:i], case[i + 4:]
    sys.exit(f"no arrow in {case}")


def entry(line):
    absent = re.fullmatch(r"\[(\d+) absent (\w+)\]", line)
    if absent:
        return f"ABSENT({absent[1]}, {absent[2]})"
    if line.startswith("let "):
        return f"DECLARED({quoted(line[4:])})"
    case = re.fullmatch(r"\[(\d+) (\w+)\] (\w+): (.*)", line)
    if case:
        before, after = sides(case[4])
        return f"IDENTITY({case[1]}, {case[2]}, {quoted(case[3])}, {quoted(before)}, {quoted(after)})"
    if line.startswith("["):
        sys.exit(f"this is neither `[NUMBER NAME] stage: before => after` nor `[NUMBER absent OPERATOR]`: {line}")
    return None


def main(out, cases):
    with open(cases, encoding="utf-8") as f:
        entries = [e for e in map(entry, f.read().splitlines()) if e]
    order = {"DECLARED": -1}
    entries.sort(key=lambda e: order.get(e.split("(")[0]) or int(re.search(r"\d+", e)[0]))
    with open(out, "w", encoding="utf-8") as f:
        f.write("/* made of tests/rewrite/cases.txt by tools/make_identities.py */\n" + "\n".join(entries) + "\n")


main(*sys.argv[1:])
