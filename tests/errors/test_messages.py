#!/usr/bin/env python3
"""Mistakes on the command line and in files, and what is said of each: what, where, what instead.

    test_messages.py PORISM

The cases stand in messages.txt, mistakes of expressions in mistakes.txt (test_habits.py).  The last line is
`N passed, N failed`.
"""
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def cases():
    """(the mistake, what is to be said): `$ words` of the command, or a file, whose lines have | between them."""
    with open(os.path.join(HERE, "messages.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                yield line.rstrip("\n").split(" :: ")


def main(porism):
    faults, passed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.por")
        for wrong, *wanted in cases():
            words = shlex.split(wrong[2:]) if wrong.startswith("$ ") else ["list", "--check", "m.por"]
            with open(path, "w", encoding="utf-8") as f:
                text = "fn f(x: f64, k: i64) = x*k|fn g(v: f64[n]) = sum(v)|let t = 3" if wrong.startswith("$ ") else wrong
                f.write(text.replace("|", "\n") + "\n")
            done = subprocess.run([porism, *words], capture_output=True, text=True, check=False, timeout=100, cwd=folder,
                                  stdin=subprocess.DEVNULL)
            missing = [w for w in wanted if w not in done.stderr]
            passed += done.returncode != 0 and not missing
            if not done.returncode or missing:
                faults.append(f"{wrong}: {missing} is not in: {done.stderr.strip()}")
    print("\n".join(faults))
    print(f"{passed} passed, {len(faults)} failed")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
