#!/usr/bin/env python3
"""The list of identities, read from the cases that test them.

    make_identities.py OUT.h CASES.txt...    `[23 log1p] stable: a => b` becomes IDENTITY(23, log1p, "stable", "a", "b",
                                             "x: f64[n]\\n..."), with what its file declares by `let NAME: TYPE` of the
                                             names in it, and `[34 absent inv]` becomes ABSENT(34, inv); other lines are
                                             left out
"""
import re
import sys


def quoted(text):
    return '"' + text.strip().replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def sides(case):
    """What stands left and right of the first arrow outside brackets."""
    depth = 0
    for i, char in enumerate(case):
        depth += (char in "([{") - (char in ")]}")
        if not depth and case.startswith(" => ", i):
            return case[:i], case[i + 4:]
    sys.exit(f"no arrow in {case}")


def entry(line, declared):
    absent = re.fullmatch(r"\[(\d+) absent (\w+)\]", line)
    if absent:
        return f"ABSENT({absent[1]}, {absent[2]})"
    if line.startswith("let "):
        declared[line[4:].split(":")[0]] = line[4:]
        return None
    case = re.fullmatch(r"\[(\d+) (\w+)\] (\w+): (.*)", line)
    if case:
        before, after = sides(case[4])
        words = set(re.findall(r"\w+", case[4]))
        given = "\n".join(text for name, text in declared.items() if name in words)
        return f"IDENTITY({case[1]}, {case[2]}, {quoted(case[3])}, {quoted(before)}, {quoted(after)}, {quoted(given)})"
    if line.startswith("["):
        sys.exit(f"this is neither `[NUMBER NAME] stage: before => after` nor `[NUMBER absent OPERATOR]`: {line}")
    return None


def entries_of(path):
    declared = {}
    with open(path, encoding="utf-8") as f:
        return [e for line in f.read().splitlines() if (e := entry(line, declared))]


def main(out, *cases):
    entries = [e for path in cases for e in entries_of(path)]
    entries.sort(key=lambda e: int(re.search(r"\d+", e)[0]))
    with open(out, "w", encoding="utf-8") as f:
        f.write("/* made of tests/rewrite/cases.txt and peers.txt by tools/make_identities.py */\n" + "\n".join(entries) + "\n")


main(*sys.argv[1:])
