#!/usr/bin/env python3
"""check_forms.py: which names of the notation stand in no function of tests/lang/cases/forms.por.

That file is where fuzzing begins and what failing allocations, limits and cancelled work go through, so what is not in
it is in none of them.  Asked of it are the names that the elaborator has (src/elab) and every operator of src/ir/ops.h
that is no map of elements and no leaf.  Kinds of syntax are asked of it by tests/lang/test_syntax.c.
"""

import os
import re
import sys

sys.dont_write_bytecode = True

from make_header import operators               # noqa: E402, one reader of ops.h

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
FORMS = "tests/lang/cases/forms.por"
# Operators that have a sign of their own, or come of other forms, and where a form of them stands there.
SIGNS = {"slice": "[1:]", "pad": "[1:] +=", "key_at": "k[i]", "tuple": "(s, p)", "get": "(s, p)", "call": "kept(", "if": "if ",
         "scan": "scan (", "order": "do "}
# Each needs a function in C beside the notation: tests/api/test_forms.c.
IN_C = {"custom"}
# Forms that the prelude makes of operators, with a line of their own in docs/notation.md.
PRELUDE = "nonzero", "repeat", "unique", "permutation", "categorical", "stop_gradient", "dropout"


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def table(path, begin, word):
    """The names of a table in C, from its first line up to the brace that ends it."""
    text = read(path)
    at = text.index(begin)
    return re.findall(word, text[at:text.index("\n}", at)]) or sys.exit(f"check_forms: no names in {path}")


def wanted():
    """What is to stand there: the name, and a pattern."""
    names = table("src/elab/elab_builtin.c", "} special[] = {", r'\t\{"(\w+)",')
    names += table("src/elab/elab_derivative.c", "const names[] = {", r'"(\w+)"')
    names += table("src/elab/elab_effect.c", "const kinds[] = {", r'= "(\w+)"')
    flags = table("src/elab/elab_scan.c", "static bool read_flags", r'strcmp\(f->name, "(\w+)"\)')
    ops = [o.text for o in operators(os.path.join(ROOT, "src/ir/ops.h")) if o.cls not in ("MAP", "LEAF")]
    for name in [*names, *PRELUDE, *(o for o in ops if o not in SIGNS and o not in IN_C)]:
        yield name, rf"\b{name}(\[[^=]*\])?\("
    for flag in flags:
        yield f"scan[{flag}]", rf"\bscan\[[^]]*\b{flag}\b"
    for op in ops:
        if op in SIGNS:
            yield op, re.escape(SIGNS[op])


def missing(text):
    functions = re.sub("#.*", "", text[:text.index("book forms:")])
    return [name for name, pattern in wanted() if not re.search(pattern, functions)]


def main():
    text = read(FORMS)
    if "--self" in sys.argv:                     # each one that goes is found
        for name, pattern in wanted():
            if name not in missing(re.sub(pattern, "gone", text)):
                sys.exit(f"check_forms: without {name} nothing is missing")
        return
    gone = missing(text)
    for name in gone:
        print(f"{FORMS} has no function with {name}")
    if gone:
        sys.exit(1)
    print(f"check_forms: {len(list(wanted()))} names of the notation")


main()
