#!/usr/bin/env python3
"""Checks the pages: links lead somewhere, files that they name exist, lines are not too long (tables, links and code
apart), `make help` tells of every target that is not a part of another, and docs/identities.md has every number from 1 to 48 and names no rule that the books lack.

    check_docs.py
"""
import os
import re
import sys

sys.dont_write_bytecode = True

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LONGEST = 110
IDENTITIES = 48
NAMED = re.compile(r"`((?:src|docs|tools|tests|bench|rules|lib|examples|include)/[a-z0-9_./*-]+)`")


def pages():
    yield "README.md"
    for name in sorted(os.listdir(os.path.join(ROOT, "docs"))):
        if name.endswith(".md"):
            yield "docs/" + name


def exists(path):
    if "*" in path:
        folder, pattern = os.path.split(path)
        want = re.compile(re.escape(pattern).replace(r"\*", ".*") + "$")
        full = os.path.join(ROOT, folder)
        return os.path.isdir(full) and any(want.match(n) for n in os.listdir(full))
    return os.path.exists(os.path.join(ROOT, path))


def check_page(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        lines = f.read().split("\n")
    code = False
    for number, line in enumerate(lines, 1):
        at = f"{page}:{number}"
        if line.startswith("```"):
            code = not code
            continue
        if len(line) > LONGEST and not line.startswith("|") and not code and "](" not in line:
            yield f"{at}: {len(line)} columns"
        if code:
            continue
        for target in re.findall(r"\]\(([\w./-]+\.[a-z]+|https?:[^)]+)(?:#[^)]*)?\)", re.sub(r"`[^`]*`", "", line)):
            if not target.startswith("http") and not os.path.exists(os.path.join(ROOT, os.path.dirname(page), target)):
                yield f"{at}: no page {target}"
        for path in NAMED.findall(line):
            if not exists(path):
                yield f"{at}: no file {path}"
    if code:
        yield f"{page}: code without an end"


PARTS = {"all", "help", "build", "ready", "benches"}       # of the Makefile's targets: told of under other names


def check_makefile():
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as f:
        text = f.read()
    targets = set(re.search(r"^\.PHONY: ((?:.*\\\n)*.*)", text, re.M).group(1).replace("\\\n", " ").split())
    for target in re.findall(r"^([a-z][a-z-]*):", text, re.M):
        if target not in targets:
            yield f"Makefile: {target} is not among .PHONY"
    for target in sorted(targets - PARTS):
        if not re.search(rf"^#:.*\bmake {target}\b", text, re.M):
            yield f"Makefile: make help does not tell of {target}"


def rule_names():
    """Those of docs/handbook.md, which a test of its own compares with the rules that there are."""
    with open(os.path.join(ROOT, "docs", "handbook.md"), encoding="utf-8") as f:
        return set(re.findall(r"^\| (\w+)(?:\[[\w, ]+\])? \| `", f.read(), re.M))


def check_identities():
    path = "docs/identities.md"
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        text = f.read()
    known = rule_names()
    for number in range(1, IDENTITIES + 1):
        if not re.search(r"^\| %d \|" % number, text, re.M):
            yield f"{path}: number {number} is missing"
    for line in text.split("\n"):
        cells = line.split("|")
        if re.match(r"\| \d+ \|", line):
            for name in re.findall(r"`(\w+)`", cells[-2]):
                if name not in known:
                    yield f"{path}: no rule {name}"


def numbers():
    """{name: values} of the enums in src."""
    found = {}
    for folder, _, files in os.walk(os.path.join(ROOT, "src")):
        for name in files:
            if name.endswith((".h", ".c")):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    for enum in re.findall(r"enum[^{;=()]*\{([^}]*)\}", re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)):
                        for one, value in re.findall(r"\b([A-Z][A-Z_]+) = (\d+(?: << \d+)?)", enum):
                            shift = [int(v) for v in value.split(" << ")]
                            found.setdefault(one, set()).add(shift[0] << (shift[1] if len(shift) > 1 else 0))
    return found


def check_limits():
    path, known = "docs/limits.md", numbers()
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        rows = re.findall(r"^\| [^|]*\| (\d+) \| `(\w+)` \|$", f.read(), re.M)
    for number, name in rows:
        if int(number) not in known.get(name, ()):
            yield f"{path}: {name} is {known.get(name)} in src, not {number}"
    if len(rows) < 10:
        yield f"{path}: only {len(rows)} numbers have names"


def main():
    faults = [fault for page in pages() for fault in check_page(page)] + list(check_makefile()) + list(check_identities()) + list(check_limits())
    print("\n".join(faults) if faults else "the pages hold together")
    sys.exit(bool(faults))


main()
