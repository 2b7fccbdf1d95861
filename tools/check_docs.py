#!/usr/bin/env python3
"""Checks the pages: links lead somewhere, files that they name exist, lines are not too long (tables, links and code
apart), `make help` tells of every target that is not a part of another, and docs/identities.md has every number from 1 to 48 and names no rule that the books lack.

    check_docs.py
"""
import os
import re
import sys

sys.dont_write_bytecode = True

from make_header import operators               # noqa: E402, one reader of ops.h

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LONGEST = 110
IDENTITIES = 48
DERIVED = [("ODD", "neg"), ("EVEN", "neg"), ("IDEM", "self"), ("IDEM", "again"), ("TO_WHOLE", "whole"),
           ("LINEAR", "neg"), ("LINEAR", "none"), ("BILINEAR", "neg_l"), ("BILINEAR", "neg_r")]     # flags.c
ABOUT_0 = {"OVER": ("{}_over", "{}_over_square"), "OVER_LESS": ("{}_over_minus",), "UNDER": ("over_{}",),
           "UNDER_LESS": ("over_{}_minus",), "LESS": ("{}_minus", "{}_bend"), "MORE": ("minus_{}", "{}_bend")}
COMPARED = ["same", "known", "not"]     # of comparisons, the same
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
    names = set()
    for book in os.listdir(os.path.join(ROOT, "rules")):
        with open(os.path.join(ROOT, "rules", book), encoding="utf-8") as f:
            names |= set(re.findall(r"^(\w+)(?:\[[\w, ]+\])?:", f.read(), re.M))
    ops = os.path.join(ROOT, "src", "ir", "ops.h")
    names |= {f"{o.name}_{end}" for o in operators(ops) if o.dtype in ("TEST", "RTEST") for end in COMPARED}
    with open(ops, encoding="utf-8") as f:
        text = f.read()
    texts = {o.name.lower(): o.text for o in operators(ops)}
    for f, g in re.findall(r"^(?:INVERSE|ONE_WAY)\((\w+), *(\w+),", text, re.M):
        f, g = texts[f.lower()], texts[g.lower()]
        names |= {f"{f}_{g}", f"{g}_{f}"}
    names |= {f"{op.lower()}_{word}" for op, word in re.findall(r'^(?:NEUTRAL|ABSORBING)\((\w+), *"[^"]*", *"(\w+)"', text, re.M)}
    names |= {f"{texts[f.lower()]}_{end}" for f in re.findall(r"^EXPONENTIAL\((\w+)\)", text, re.M) for end in ("mul", "div")}
    for f, has in re.findall(r"^ABOUT_0\((\w+), *([\w |]+),", text, re.M):
        names |= {form.format(texts[f.lower()]) for one in has.split("|") for form in ABOUT_0.get(one.strip(), ())}
    with open(os.path.join(ROOT, "src/rewrite/flags_about.c"), encoding="utf-8") as f:
        differences = re.findall(r'\{OP_(\w+), (NULL|")', f.read())
    names |= {f"{texts[f.lower()]}_diff" for f, _ in differences} | {f"{texts[f.lower()]}_apart" for f, how in differences if how != "NULL"}
    with open(os.path.join(ROOT, "src", "rewrite", "flags_about.c"), encoding="utf-8") as f:
        about = f.read()
    names |= set(re.findall(r'"(\w+)(?:\[\w+\])?: [^"%]* =>', about))
    neighbours = re.search(r"neighbours\[\] = \{(.*?)\}", about, re.S)[1]
    names |= {f"{texts[f.lower()]}_less" for f in re.findall(r"OP_(\w+)", neighbours)}
    with open(os.path.join(ROOT, "src", "rewrite", "flags.c"), encoding="utf-8") as f:
        duals = re.search(r"static void of_duals.*?\n}\n", f.read(), re.S)[0]
    pairs = [re.findall(r'"(\w+)"', pair) for pair in re.findall(r"\[\] = \{(.*?)\}", duals)]
    names |= {form.replace("%s", f) for form in re.findall(r'"((?:arg)?%s_\w+)\[', duals)
              for f in pairs[form.endswith("_not")]}
    return names | {f"{o.text}_{end}" for o in operators(ops) for flag, end in DERIVED if flag in o.flags.split("|")}


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
