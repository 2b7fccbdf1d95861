"""What tools that make files have in common: they write them, or say which are not up to date.

    TOOL.py FROM... TO...           writes what has changed
    TOOL.py --check FROM... TO...   exit 1 and a line for the first file that is not up to date
"""
import os
import sys


def read(path):
    """The file's text; None where there is none."""
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return None


def main(tool, make, count):
    """`make` gives the texts of files, by path, for `count` words of the command line; `tool` is its __doc__ and path."""
    text, path = tool
    check, words = sys.argv[1:2] == ["--check"], [w for w in sys.argv[1:] if w != "--check"]
    if len(words) != count or any(w.startswith("-") for w in words):
        sys.exit(text)
    for name, new in make(*words).items():
        if read(name) == new:
            continue
        if check:
            sys.exit(f"{name} is not up to date: run tools/{os.path.basename(path)}")
        with open(name, "w", encoding="utf-8") as f:
            f.write(new)
