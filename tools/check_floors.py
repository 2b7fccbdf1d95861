#!/usr/bin/env python3
"""Checks that a file includes only from its own floor and those below it, and a few other rules of the house.

    check_floors.py [ROOT]      exit 1 with a line for each breach
    check_floors.py --self      checks the check: made-up sources with one breach of each kind

Floors: src/base and src/math are 0, src/ir is 1, and so on up to src/api.  src/cli, examples and bench see
porism.h alone.  Nothing below src/ names an example or a benchmark.
"""
import os
import re
import sys
import tempfile

FLOOR = {"base": 0, "math": 0, "ir": 1, "lang": 2, "rewrite": 3, "diff": 4, "group": 5, "loop": 6, "emit": 7,
         "run": 8, "api": 9}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
LONGEST_FILE = 600                                # 450 is long already


def floor_of(path):
    """Of a path from the root: the folder below src, or None outside of it."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def resolve(root, path, target):
    """The path from the root of a quoted include, or None where it is generated or not ours."""
    for base in (os.path.dirname(path), "src", "include", ""):
        found = os.path.normpath(os.path.join(base, target))
        if os.path.exists(os.path.join(root, found)):
            return found.replace(os.sep, "/")
    return None


def examples(root):
    """Words that must not be in src/: names of the examples and of the benchmarks."""
    words = set()
    folder = os.path.join(root, "examples")
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if os.path.isdir(os.path.join(folder, name)) and len(name) > 3:
            words.add(name)
    return words


def check_file(root, path, words):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        text = f.read()
    own = floor_of(path)
    for m in INCLUDE.finditer(text):
        quoted, target = m.group(1) == '"', m.group(2)
        line = text.count("\n", 0, m.start()) + 1
        if not quoted:
            if target == "porism.h" and own in FLOOR and own != "api":
                yield f"{path}:{line}: floor {FLOOR[own]} includes <porism.h>, which is above it"
            continue
        found = resolve(root, path, target)
        if found is None:
            continue
        other = floor_of(found)
        if own == "cli" or path.startswith(("examples/", "bench/")):
            if other in FLOOR:
                yield f"{path}:{line}: {target}: of the library it may see porism.h alone"
        elif own in FLOOR:
            if found.startswith("include/") and own != "api":
                yield f"{path}:{line}: floor {FLOOR[own]} includes porism.h, which is above it"
            elif other in FLOOR and FLOOR[other] > FLOOR[own]:
                yield (f"{path}:{line}: src/{own} is floor {FLOOR[own]} and includes {target} of floor "
                       f"{FLOOR[other]}")
            elif other == "cli":
                yield f"{path}:{line}: src/{own} includes {target} of the command"
    if own in FLOOR:
        for number, line in enumerate(text.split("\n"), 1):
            for word in words:
                if re.search(r'"[^"]*\b' + re.escape(word) + r'\b[^"]*"', line, re.I):
                    yield f"{path}:{number}: a text names the example {word}"
        if own != "base":                               # an arena without a trap aborts
            code = re.sub(r"/\*.*?\*/", lambda c: "\n" * c.group(0).count("\n"), text, flags=re.S)
            for number, line in enumerate(code.split("\n"), 1):
                if re.search(r"(?<![_\w])(abort|exit)\s*\(", line):
                    yield f"{path}:{number}: a library neither aborts nor exits"
    lines = text.count("\n")
    if own and lines > LONGEST_FILE:
        yield f"{path}: {lines} lines; {LONGEST_FILE} are too long"


def sources(root):
    for top in ("src", "examples", "bench"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def check(root):
    words = examples(root)
    breaches = []
    count = 0
    for path in sorted(sources(root)):
        count += 1
        if not path.startswith("bench/core_"):          # measures the inside of a core
            breaches += check_file(root, path, words)
    return count, breaches


def self_test():
    """One breach of each kind must be found, and none where there is none."""
    good = {"include/porism.h": "", "src/base/base.h": "", "src/ir/ir.h": '#include "../base/base.h"\n',
            "src/api/api.c": '#include <porism.h>\n#include "../ir/ir.h"\n', "src/cli/main.c": "#include <porism.h>\n",
            "examples/digits/digits.por": "", "src/base/error.c": '#include "base.h"\n'}
    bad = {"src/base/up.c": '#include "../ir/ir.h"\n', "src/ir/face.c": "#include <porism.h>\n",
           "src/cli/deep.c": '#include "../ir/ir.h"\n', "src/ir/stop.c": "void f(void)\n{\n\tabort();\n}\n",
           "src/ir/knows.c": 'const char *s = "digits.por";\n', "src/ir/long.c": "\n" * (LONGEST_FILE + 1)}
    for extra, wanted in [({}, 0)] + [({k: v}, 1) for k, v in bad.items()]:
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**good, **extra}.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                    f.write(text)
            _, found = check(root)
            if len(found) != wanted:
                sys.exit(f"check_floors: {list(extra) or 'clean sources'}: {len(found)} breaches, wanted {wanted}: "
                         f"{found}")
    print(f"check_floors: finds each of {len(bad)} kinds of breach")


def main(args):
    if args == ["--self"]:
        return self_test()
    root = args[0] if args else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    count, breaches = check(root)
    print("\n".join(breaches) if breaches else f"check_floors: {count} files, each on its floor")
    sys.exit(bool(breaches))


main(sys.argv[1:])
