#!/usr/bin/env python3
"""Mistakes of those who use the package, and what is said of each.

    mistakes.py BUILD

The cases stand in errors.txt.  The last line is `N passed, N failed`; where there is no package it says so.
"""
import os
import re
import sys


def cases():
    """(code, what is to be said), white space as one blank."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "errors.txt")
    with open(path, encoding="utf-8") as f:
        blocks = re.split(r"\n{2,}", f.read().split("\n\n", 1)[1].strip())
    for block in blocks:
        code, wanted = block.rsplit("\n! ", 1)
        yield code, " ".join(wanted.split())


def said(code):
    """What the code raises, as `Type: text`; "" where it raises nothing."""
    import numpy as np
    import porism
    try:
        exec(compile(code, "user.py", "exec"), {"np": np, "porism": porism, "x": np.array([1.0, 2, 3])})
    except Exception as e:
        return " ".join(f"{type(e).__name__}: {e}".split())
    return ""


def main(build):
    sys.path.insert(0, os.path.join(os.path.abspath(build), "python"))
    try:
        import numpy, porism    # noqa: E401, F401
    except ImportError as e:
        print(f"left out: {e}")
        return 0
    faults = [(code, wanted, said(code)) for code, wanted in cases() if said(code) != wanted]
    for code, wanted, got in faults:
        print(f"{code}\n    says: {got}\n    not: {wanted}")
    print(f"{sum(1 for _ in cases()) - len(faults)} passed, {len(faults)} failed")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
