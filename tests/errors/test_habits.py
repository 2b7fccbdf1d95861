#!/usr/bin/env python3
"""Names and words of other languages are answered by what is written here.

    test_habits.py PORISM

Every example of src/parse/habits.c computes; a call of its name says it.  Every name of names.txt is there, or answered.
Every mistake of mistakes.txt gets the message that stands behind it.  The last line is `N passed, N failed`.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HABITS = os.path.join(HERE, "..", "..", "src", "parse", "habits.c")
GIVEN = {"x": "x=[1.0, 2.0, 3.0, 4.0]", "y": "y=[2.0, 2.5, 3.5, 5.0]", "A": "A=[[4.0, 1.0], [2.0, 3.0]]", "s": "s=1.5", "i": "i=i64(2)",
         "k": "k=key(7)", "c": "c=true"}


def run(porism, *words):
    done = subprocess.run([porism, *words], capture_output=True, text=True, check=False, timeout=100)
    return done.returncode, done.stdout, done.stderr


def given(expression):
    names = re.findall(r"(?<![\w.])[A-Za-z]\w*(?!\w*\()", expression)
    return [value for name, value in GIVEN.items() if name in names]


def examples():
    with open(HABITS, encoding="utf-8") as f:
        return re.findall(r'^\t\{"(\w+)", (?:"((?:[^"\\]|\\.)*)"|NULL), (?:"((?:[^"\\]|\\.)*)"|NULL)\},$', f.read(), flags=re.M)


def lines(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]


def main(porism):
    passed, faults = 0, []

    def judge(good, text):
        nonlocal passed
        passed += bool(good)
        if not good:
            faults.append(text)

    table = examples()
    judge(len(table) > 250, f"{len(table)} habits in {HABITS}")
    for name, example, _ in table:
        if example:
            code, _, said = run(porism, "eval", example, *given(example))
            judge(code == 0, f"{name}: {example} does not compute: {said}")
    functions = table[:next(i for i, t in enumerate(table) if t[0] == "return")]
    for name, example, says in functions:
        code, _, said = run(porism, "eval", f"{name}(x)", GIVEN["x"])
        judge(code == 1 and (example or says) in said, f"{name}(x): {said}")
    for name in " ".join(lines("names.txt")).split():
        _, _, said = run(porism, "eval", name if name[0].isupper() and len(name) > 3 else f"{name}(x)", GIVEN["x"])
        bare = re.search(r"is not declared$", said, flags=re.M)
        judge(not bare, f"{name}: {said}")
    for line in lines("mistakes.txt"):
        wrong, wanted = line.split(" :: ")
        code, _, said = run(porism, "eval", wrong, GIVEN["x"])
        judge(code and wanted in said, f"{wrong}: does not say {wanted}: {said}")
    for fault in faults:
        print(fault)
    print(f"{passed} passed, {len(faults)} failed")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
