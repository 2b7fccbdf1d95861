"""What the tests of the command share: it is run, and what it prints, leaves and answers is compared.

A file of tests ends with main(__doc__): it takes the command and, perhaps, names; runs its tests, or those whose
names hold one of these; prints what failed and, last, `N passed, N failed`.  Needs Python alone.
"""

import ast
import itertools
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
DIGITS = os.path.join(EXAMPLES, "digits")
TIERS = "reference", "interpret", "native"
PORISM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else None
EVERY = int(os.environ.get("PORISM_EVERY", "1"))
tests = []


class Failed(Exception):
    pass


def test(function):
    """A test; one with a parameter gets an empty folder."""
    tests.append(function)
    return function


def few(cases):
    """All of many like cases; each PORISM_EVERY-th, where sanitizers make each take twenty times as long."""
    return itertools.islice(cases, 0, None, EVERY)


def start(*words):
    return subprocess.Popen([PORISM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))   # ignored behind &


def call(*words, status=0, stdin=None, cwd=None):
    """Runs the command; the exit status must be this one.  Gives its output and its messages."""
    p = subprocess.run([PORISM, *words], capture_output=True, text=True, timeout=1000, input=stdin, cwd=cwd)
    if p.returncode != status:
        raise Failed(f"{words}: status {p.returncode}, not {status}: {p.stdout[-500:]}{p.stderr[-500:]}")
    return p.stdout, p.stderr


def same(got, wanted):
    if got != wanted:
        raise Failed(f"{got!r}, not {wanted!r}")


def numbers(text):
    """Those of a printed value, nan and inf too; not the digits of a name."""
    number = r"(?:[-+]|(?<![\w.]))(?:nan|inf|\d+\.?\d*(?:e[-+]?\d+)?)(?=i?(?![\w.]))"
    return [float(w) for w in re.findall(number, text)]


def near(got, wanted, within=1e-13):
    """A text's numbers are those of another, or of a list, within this share of 1 or of what is wanted; nan is nan."""
    a, b = numbers(got), numbers(wanted) if isinstance(wanted, str) else wanted
    same(len(a), len(b))
    for p, q in zip(a, b):
        if not (p == q or abs(p - q) <= within*max(1, abs(q)) or p != p and q != q):
            raise Failed(f"{got}, not {wanted}")


def alike(a, b, *words, within=1e-13, tiers=TIERS):
    """Expression `a` in each tier has the numbers of `b` in the reference tier."""
    wanted = call("eval", b, *words, "--tier", "reference")[0]
    for tier in tiers:
        near(call("eval", a, *words, "--tier", tier)[0], wanted, within)


def holds(text, *parts):
    for part in parts:
        if part not in text:
            raise Failed(f"{part!r} is not in {text!r}")


def evaluates(expression, wanted, *words):
    same(call("eval", expression, *words)[0], wanted + "\n")


def write_files(folder, **texts):
    for name, text in texts.items():
        with open(os.path.join(folder, name + ".por"), "w") as f:
            f.write(text)


def write_npy(path, descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def parse_npy(data):
    n = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + n].decode())
    code = {"<f8": "d", "<f4": "f", "<i8": "q", "<i4": "i", "|u1": "B"}[header["descr"]]
    return header["shape"], list(struct.unpack(f"<{(len(data) - 10 - n) // struct.calcsize(code)}{code}", data[10 + n:]))


def read_npz(path):
    with zipfile.ZipFile(path) as z:
        return {name[:-4]: parse_npy(z.read(name)) for name in z.namelist()}


def main(usage):
    if not PORISM:
        sys.exit(usage)
    passed = failed = 0
    for t in tests:
        if len(sys.argv) > 2 and not any(name in t.__name__ for name in sys.argv[2:]):
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                t(folder) if t.__code__.co_argcount else t()
            passed += 1
        except Exception as problem:  # a test that breaks has failed, whatever broke
            failed += 1
            print(f"{t.__name__}: {type(problem).__name__}: {problem}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
