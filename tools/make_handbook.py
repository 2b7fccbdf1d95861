#!/usr/bin/env python3
"""Makes docs/handbook.md: every rule that Porism carries, book by book, as `porism rules list` has them.

    make_handbook.py PORISM DOC.md           writes it
    make_handbook.py --check PORISM DOC.md   says whether it is up to date

The measured effect of a rule of stable is that of docs/stability.md.
"""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

import made                                     # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = """# Handbook

Every rule that Porism carries, as its books have it (`rules/*.por`; *flags* follows from what
`src/ir/ops.h` says of operators), in the order in which rules are tried. Made by
`tools/make_handbook.py`; [rules.md](rules.md) says what laws, guards and stages are.

*Effect* is what was measured of a rule that makes errors smaller, by itself and below its gradient and
second derivative: by how many ulp it may be farther from the true value than what was written, in
brackets at how many numbers that is more than 8, where any, and of how many numbers, NaN or infinite as
they are written, it makes finite ones ([stability.md](stability.md)).

A *tag* switches all rules that have it ([rules.md](rules.md)): below a heading stand those of its rules, in
brackets behind a name the rule's own.
"""
RULE = re.compile(r"^(?P<sides>.*?)(?:\s+(?:exact|real|finite|approx\([^)]*\)))?(?:\s+if\s+(?P<guard>.*))?$")


def effects():
    """What docs/stability.md has of each rule: the first column and the last."""
    found = {}
    for line in made.read(os.path.join(HERE, "../docs/stability.md")).splitlines():
        cells = [c.strip() for c in line.strip("|").split(" | ")]
        if line.startswith("| ") and cells[-1].endswith("%"):
            far = " ".join(cells[1].split())
            found[cells[0].replace("(late)", "").replace("*", "").strip()] = \
                "" if far == "-, -, -" else f"farther by {far}; {cells[-1]} saved"
    return found


def sections(book):
    """The headings of a book, behind the tags of what follows: line, words, tags."""
    text = made.read(os.path.join(HERE, f"../rules/{book}.por")) or ""
    lines = [(n, *line.partition("# ----")) for n, line in enumerate(text.splitlines(), 1)]
    return [(n, words.strip(" -"), tags.removeprefix("tag ").strip()) for n, tags, mark, words in lines if mark]


def row(rule, effect):
    """Name, identity, law, guard and effect of one rule."""
    text = " ".join(line for line in rule["text"].splitlines() if not line.startswith("#"))
    title = re.match(re.escape(rule["name"]) + r"(\[[^\]]*\])?:", text)
    name = title.group()[:-1] if title else ""
    text = text[title.end():] if title else text
    parts = RULE.match(text.strip())
    code = [f"`{part}`".replace("|", "\\|") if part else "" for part in (parts["sides"], parts["guard"])]
    return f"| {name} | {code[0]} | {rule['law']} | {code[1]} | {effect.get(rule['name'], '')} |"


def page(porism, doc):
    """The page; a table for each section of each book."""
    rules = json.loads(subprocess.run([*porism.split(), "rules", "list", "--json"], check=True, capture_output=True).stdout)
    effect, lines, book, left = effects(), [PAGE], None, []
    for rule in rules:
        begins = rule["book"] != book
        if begins:
            book = rule["book"]
            lines += ["", f"## {book}"]
            left = sections(book)
        while left and left[0][0] < rule["line"]:
            (_, heading, tags), begins = left.pop(0), True
            if len(left) == 0 or left[0][0] > rule["line"]:
                lines += ["", f"### {heading[0].upper() + heading[1:]}"]
                lines += ["", "Tags: " + ", ".join(f"`{tag}`" for tag in tags.split(", "))] if tags else []
        if begins:
            lines += ["", "| name | identity | law | guard | effect |", "|---|---|---|---|---|"]
        lines.append(row(rule, effect))
    return {doc: "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"}


if __name__ == "__main__":
    made.main((__doc__, __file__), page, 2)
