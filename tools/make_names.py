#!/usr/bin/env python3
"""Makes docs/names.md: names and words of other languages, and what is written here, from src/parse/habits.c.

    make_names.py DOC.md           writes it
    make_names.py --check DOC.md   says whether it is up to date
"""
import os
import re
import sys

sys.dont_write_bytecode = True

import made                                     # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = """# Names of other languages

What users of NumPy, SciPy, JAX, PyTorch, Stan and Julia type, and what is written here: the messages of
Porism say the same. What is not in this list is called as it is there (`sin`, `sum`, `softmax`, ...):
[operators.md](operators.md) and [library.md](library.md). `s` is a number, `x` and `y` are vectors of four,
`A` is a matrix of two by two, `i` a whole number, `k` a key, `c` a bool. Made by `tools/make_names.py`.
"""


def rows():
    """Headings, and (name, example, what is to know beside it)."""
    text = made.read(os.path.join(HERE, "../src/parse/habits.c"))
    for line in text.split("\n"):
        heading = re.fullmatch(r"\t/\* (.*) \*/", line)
        entry = re.fullmatch(r'\t\{"(\w+)", (?:"(.*?)"|NULL), (?:"(.*?)"|NULL)\},', line)
        if heading:
            yield heading.group(1)
        elif entry:
            yield entry.groups()
        elif line.startswith("static const Habit words"):
            yield "words"


def page(doc):
    out = PAGE
    for row in rows():
        if isinstance(row, str):
            out += f"\n## {row[0].upper() + row[1:]}\n\n| there | here | |\n|---|---|---|\n"
        else:
            name, example, says = row
            out += f"| `{name}` | {'`' + example + '`' if example else ''} | {says or ''} |\n"
    return {doc: out}


if __name__ == "__main__":
    made.main((__doc__, __file__), page, 1)
