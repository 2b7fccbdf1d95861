#!/usr/bin/env python3
"""What someone new adds, each thing a patch in tests/newcomer: applied to a copy of the sources, built, checked.

    newcomer.py            all of tests/newcomer/*.patch, in one copy
    newcomer.py --fit      does every patch fit, is it short enough, and do the sources keep the rules of the house
                           with all of them?  (nothing is built)

A patch begins with a line that says what is added; then `lines: N`, the most that it may change outside of what is
generated (made anew here); `test: NAME...`, the tests that must pass; and `run: COMMAND => TEXT`, commands whose output
holds the text.  The last line is `N passed, N failed`; exit 1 if something failed.
"""
import os
import re
import shlex
import shutil
import sys
import tempfile

import mutants as copy

ROOT = copy.ROOT
PATCHES = os.path.join(ROOT, "tests", "newcomer")
copy.PATCHES = PATCHES
copy.WORK = os.path.join(ROOT, "build", "newcomer")
copy.TREE = os.path.join(copy.WORK, "tree")
copy.BUILD = os.path.join(copy.WORK, "build")
GENERATED = (["tools/make_header.py", "src/ir/ops.h", "include/porism_operators.h", "src/api/operators.c"],
             ["tools/make_operators.py", "src/ir/ops.h", "docs/operators.md"],
             ["tools/make_dtypes.py", "src/ir/dtypes.h", "include/porism_dtypes.h", "src/cores", "docs/dtypes.md"],
             ["tools/make_library.py", "docs/library-reference.md"], ["tools/make_c_reference.py", "docs/c_reference.md"])
RECORD = "tests/math/bits.txt"      # the sums of every function's results, which its test prints


class Patch:
    def __init__(self, name):
        self.name = name
        with open(os.path.join(PATCHES, name), encoding="utf-8") as f:
            lines = f.read().split("\n")
        head = lines[:next(i for i, line in enumerate(lines) if line.startswith("--- "))]
        self.what = head[0]
        self.most = int(next(line.split()[1] for line in head if line.startswith("lines: ")))
        self.tests = [word for line in head if line.startswith("test: ") for word in line.split()[1:]]
        self.runs = [line[5:].rsplit(" => ", 1) for line in head if line.startswith("run: ")]
        body = [line for line in lines[len(head):] if not line.startswith(("--- ", "+++ "))]
        added = sum(line.startswith("+") for line in body)
        gone = sum(line.startswith("-") for line in body)
        self.changed = max(added, gone)


class Score:
    passed = failed = 0

    def of(self, good, what, said=""):
        self.passed += bool(good)
        self.failed += not good
        print(("ok    " if good else "FAIL  ") + what, flush=True)
        if not good and said:
            print(said[-3000:])


def short(patches, score):
    for p in patches:
        score.of(p.changed <= p.most, f"{p.name}: {p.changed} lines of {p.most}: {p.what}")


def record():
    """The sums of functions that bits.txt has not yet."""
    said = copy.run([os.path.join(copy.BUILD, "tests/math_test_bits")])[1]
    with open(os.path.join(copy.TREE, RECORD), "a", encoding="utf-8") as f:
        for name, total in re.findall(r"other bits than bits.txt has: (\w+) (\w+)", said):
            f.write(f"{name} {total}\n")


def check(p, score):
    for command, text in p.runs:
        words = [w.replace("BUILD", copy.BUILD) for w in shlex.split(command)]
        status, said = copy.run(words)
        score.of(status == 0 and text in said, f"{p.name}: {command}", said)


def fit(patches):
    copy.TREE = tempfile.mkdtemp()
    try:
        copy.copy_tree()
        for p in patches:
            fitting, said = copy.fits(p.name, copy.TREE)
            if not fitting or p.changed > p.most:
                return f"tests/newcomer/{p.name}: {said if not fitting else f'{p.changed} lines'}"
        status, said = copy.run([sys.executable, "tools/check_floors.py"])
        return said if status else 0
    finally:
        shutil.rmtree(copy.TREE)


def main(args):
    patches = [Patch(name) for name in sorted(os.listdir(PATCHES)) if name.endswith(".patch")]
    if args == ["--fit"]:
        sys.exit(fit(patches))
    score = Score()
    short(patches, score)
    os.makedirs(copy.WORK, exist_ok=True)
    copy.copy_tree()
    for p in patches:
        fitting, said = copy.fits(p.name, copy.TREE)
        score.of(fitting, f"{p.name}: fits", said)
    for words in GENERATED:
        copy.run([sys.executable] + words)
    again = os.path.exists(os.path.join(copy.BUILD, "build.ninja"))
    copy.run(["meson", "setup", "-Doptimization=1", copy.BUILD] + (["--reconfigure"] if again else []))
    targets = sorted({copy.target(t) for p in patches for t in p.tests} | {"porism", "tests/check_math"})
    status, said = copy.run(["ninja", "-C", copy.BUILD] + targets)
    score.of(status == 0, "builds", said)
    if status == 0:
        record()
        for p in patches:
            check(p, score)
        for test in sorted({t for p in patches for t in p.tests}):
            status, said = copy.run(["meson", "test", "-C", copy.BUILD, "--no-rebuild", "--print-errorlogs", test])
            score.of(status == 0, test, said)
    print(f"{score.passed} passed, {score.failed} failed")
    sys.exit(score.failed > 0)


if __name__ == "__main__":
    main(sys.argv[1:])
