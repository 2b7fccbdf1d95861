#!/usr/bin/env python3
"""test_brackets.py PORISM [NAME...]: rules with brackets of every operator, made from src/ir/ops.h, are taken or refused
with a message: none ends the process, and none takes long.
"""

import os
import re
import subprocess

from command import PORISM, few, main, same, test

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LINE = re.compile(r'OP\(\w+,\s*\w+,\s*"([a-z_0-9]+)",\s*(\w+),.*?(?:ANY|\)),\s*"([^"]*)",\s*"')

def operators():
    """(name, number of operands, brackets) of those that are called by name."""
    with open(os.path.join(ROOT, "src", "ir", "ops.h"), encoding="utf-8") as f:
        for line in f:
            found = LINE.match(line)
            if found:
                name, args, brackets = found.groups()
                yield name, 2 if args == "VARIADIC" else int(args), brackets


def call_of(operator, brackets, inner, other):
    name, n, _ = operator
    return f"{name}{brackets}({', '.join([inner, *(other + str(i) for i in range(1, n))][:n])})"


def is_told(rule):
    """Taken, or refused with the place and the name of the rule."""
    done = subprocess.run([PORISM, "eval", "1", "--rule", rule], capture_output=True, text=True, timeout=60, check=False)
    told = done.returncode == 0 or (done.returncode in (1, 2) and "rule" in done.stderr)
    return [] if told else [f"{rule}: status {done.returncode}: {done.stderr[:200]}"]


@test
def one_name_in_two_brackets():
    """f[a](g[a](x)), each kind of brackets within each: one operator stands for those with the same."""
    kinds = {}
    for o in operators():
        if o[2]:
            kinds.setdefault((o[2], o[1]), o)
    wrong = []
    for outer in few(kinds.values()):
        for inner in kinds.values():
            wrong += is_told(call_of(outer, "[a]", call_of(inner, "[a]", "x", "z"), "y") + " => x")
    same(wrong, [])


@test
def brackets_of_every_operator():
    """None, a name, and lists of other kinds than the operator's, on either side."""
    wrong = []
    for o in few(operators()):
        for brackets in ("", "[a]", "[f32]", "[0, 1]") if o[2] else ("[a]",):
            wrong += is_told(call_of(o, brackets, "x", "y") + " => x")
        if o[2]:
            for brackets in ("", "[f32]", "[a]"):
                wrong += is_told(f"exp(sum[a](sin(x + y1 + y2))) => {call_of(o, brackets, 'x', 'y')}")
                wrong += is_told(f"exp(transpose[a](sin(x + y1 + y2))) => {call_of(o, brackets, 'x', 'y')}")
    same(wrong, [])


main(__doc__)
