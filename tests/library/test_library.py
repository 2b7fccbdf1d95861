#!/usr/bin/env python3
"""test_library.py PORISM [NAME...]: the modules of the library, by the programs in NAME.por beside this file.

Above a function stand the calls that test it, a line each:

    #: a=2.0 b='[1, 2]' => [1.5, 2.5] within 1e-12      numbers, each within that much of the greater of 1 and itself
    #: a=2.0 => error: inner sizes differ               an error that says so

Each call is made by the reference and by the interpreter, by native code too where the line begins with `#native:`, and
by the interpreter alone where it begins with `#fast:`.
"""
import os
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True

HERE = os.path.dirname(os.path.abspath(__file__))
LINE = re.compile(r"#(native|fast)?: (.*?)=> (.*?)(?: within (\S+))?$")
NUMBER = re.compile(r"(?<![\w.])(-?(?:\d[\d.]*(?:e[-+]?\d+)?|inf)|nan|true|false)(?![\w.])")
TIERS = {None: ["reference", "interpret"], "native": ["reference", "interpret", "native"], "fast": ["interpret"]}
WORDS = {"true": 1.0, "false": 0.0}


def numbers(text):
    return [WORDS[w] if w in WORDS else float(w) for w in NUMBER.findall(text)]


def calls(path):
    """(function, arguments, what is wanted, tolerance, tiers) of a file."""
    waiting = []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            found = LINE.match(line.rstrip("\n"))
            if re.match(r"#\w*:", line):
                if not found:
                    raise SystemExit(f"{path}:{number}: no call: {line}")
                waiting.append((found[2], found[3], float(found[4] or 0), TIERS[found[1]]))
            name = re.match(r"fn (\w+)", line)
            if name:
                for call in waiting:
                    yield (name[1], *call)
                waiting = []


def fault(got, wanted, within):
    """What is wrong with the numbers; None: nothing."""
    if len(got) != len(wanted):
        return f"{len(got)} numbers, not {len(wanted)}"
    for a, b in zip(got, wanted):
        same = a == b or (a != a and b != b)
        if not same and not abs(a - b) <= within*max(1, abs(b)):
            return f"{a!r}, not {b!r}"
    return None


def check(porism, path, name, words, wanted, within, tier):
    done = subprocess.run([porism, "run", f"{path}:{name}", *shlex.split(words), "--tier", tier], capture_output=True,
                          text=True, timeout=600)
    if wanted.startswith("error: "):
        if done.returncode != 1 or wanted[7:] not in done.stderr:
            return f"status {done.returncode}: {done.stderr or done.stdout}"
        return None
    if done.returncode:
        return f"status {done.returncode}: {done.stderr}"
    return fault(numbers(done.stdout), numbers(wanted), within)


def main():
    porism, only = os.path.abspath(sys.argv[1]), sys.argv[2:]
    passed = failed = 0
    for file in sorted(os.listdir(HERE)):
        if not file.endswith(".por") or (only and not any(file.startswith(o) for o in only)):
            continue
        path = os.path.join(HERE, file)
        for name, words, wanted, within, tiers in calls(path):
            for tier in tiers:
                wrong = check(porism, path, name, words, wanted, within, tier)
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f"{file}: {name} {words}({tier}): {wrong}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
