#!/usr/bin/env python3
"""Runs what a page says beside others' words: its tables, whose columns are called

    NumPy, JAX, PyTensor, SciPy   a line of Python, computed where that package is; `z = x.copy(); z[0] = 9; z` too
    Porism                        the notation, with what the page's `data.por` declares and opens
    in Python                     the same by the package
    gives                         what the command prints of it
    shape                         the sizes of all, where only these are the same

and its blocks of Python, in their order.  What all of them give is compared; a package that is not here is left out.
Blocks that name a file or begin with `$` are tools/check_readme.py's.

    check_beside.py PAGE FOLDER           with the porism of FOLDER, a folder of builds
    check_beside.py --write PAGE FOLDER   puts what comes into the column `gives`
"""
import doctest
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
os.environ.setdefault("PYTENSOR_FLAGS", "cxx=,linker=vm")

import check_readme                             # noqa: E402, which knows blocks and numbers

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = {"NumPy": "numpy", "JAX": "jax", "PyTensor": "pytensor", "SciPy": "scipy"}
NEAR = 1e-7
DTYPES = ["bool", "f16", "bf16", "f32", "f64", "i64", "i8", "i16", "i32", "u8", "u16", "u32", "u64", "c64", "c128"]
USING = re.compile(r"^import (\w+)|^from (\w+)", re.M)


def cells(line):
    """The cells of a line of a table; a bar within one is written with a backslash before it."""
    return [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def code(cell):
    """What stands in a cell as code, or None."""
    found = re.fullmatch(r"(`+)(.+?)\1", cell)
    return found.group(2) if found else None


def rows(lines):
    """(number of the line, {column: its code}) of each row that has something to run."""
    names, inside = [], False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            inside = not inside
        if inside or not line.startswith("|"):
            names = []
        elif not names:
            names = cells(line)
        elif "Porism" in names and not line.startswith("|-"):
            yield number, {n: code(c) for n, c in zip(names, cells(line)) if n and code(c)}


class Dtype:
    """What the command prints before values that their text does not tell the dtype of: f32[2]([1.0, 2.0])."""

    def __init__(self, name):
        self.name = name

    def __call__(self, v):
        return v

    def __getitem__(self, sizes):
        import numpy as np
        return lambda v: np.broadcast_to(v, sizes)


def value_of(text):
    """What the command prints, as Python's."""
    text = re.sub(r"\{([^{}]*)\}", r"dict(\1)", re.sub(r"\{([^{}]*)\}", r"dict(\1)", text))
    return eval(text, dict({d: Dtype(d) for d in DTYPES}, true=True, false=False, inf=float("inf"), nan=float("nan"),
                           key=lambda *words: 0))


def same(a, b):
    """Are two values as near as numbers of nine digits, with the same shape?"""
    import numpy as np
    if isinstance(b, dict):
        return isinstance(a, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(b, tuple):
        return isinstance(a, (tuple, list)) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and np.allclose(a, b, rtol=NEAR, atol=1e-12, equal_nan=True)


def plain_value(v):
    """A value of a package, without what waits to be computed."""
    return v.eval() if hasattr(v, "eval") and hasattr(v, "owner") else v


def computed(line, names):
    """The value of a line: of what stands behind its last semicolon."""
    before, _, last = line.rpartition("; ")
    names = dict(names)
    exec(before, names)
    return plain_value(eval(last, names))


class Page:
    def __init__(self, path, folder):
        self.path = path
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.lines = self.text.split("\n")
        self.faults, self.ran, self.left_out = [], 0, set()
        self.command = os.path.join(os.path.abspath(folder), "porism")
        self.names = {}

    def fault(self, number, says):
        self.faults.append("%s:%d: %s" % (self.path, number + 1, says))

    def missing(self, text):
        """The first package that some Python asks for and that is not here."""
        for a, b in USING.findall(text):
            try:
                __import__(a or b)
            except ImportError:
                return a or b
        return None

    def blocks(self):
        """Runs the blocks of Python; what they define stands for the tables."""
        found = re.findall(r"^```python\n(.*?)^```", self.text, re.M | re.S)
        lacks = self.missing(re.sub(r"^(>>>|\.\.\.) ?", "", "\n".join(found), flags=re.M))
        if lacks or not found:
            self.left_out.add(lacks) if lacks else None
            return
        test = doctest.DocTestParser().get_doctest("\n".join(found), self.names, self.path, self.path, 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        report = []
        runner.run(test, out=report.append, clear_globs=False)
        self.names = test.globs
        self.ran += len(test.examples)
        if runner.failures:
            self.faults.append("".join(report))

    def file(self):
        """The page's `data.por`, and its rows as functions."""
        data = ""
        for before, _, lines in check_readme.blocks(self.text):
            if re.match(r"This is `data\.por`", before):
                data = "\n".join(lines) + "\n"
        return data + "".join("fn row%d() = %s\n" % (number, row["Porism"]) for number, row in rows(self.lines)
                              if "Porism" in row)

    def ours(self, number, row, file, write):
        done = subprocess.run([self.command, "run", "%s:row%d" % (file, number)], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = re.sub(r"\s*\n\s*", " ", done.stdout.strip())
        if done.returncode:
            self.fault(number, "%s: %s" % (row["Porism"], done.stdout))
            return None
        self.ran += 1
        if write and "gives" in row:
            bar = lambda text: text.replace("|", "\\|")
            self.lines[number] = self.lines[number].replace("`%s`" % bar(row["gives"]), "`%s`" % bar(said))
        elif "gives" in row and check_readme.plain(said, True) != check_readme.plain(row["gives"], True):
            self.fault(number, "%s gives %s, not %s" % (row["Porism"], said, row["gives"]))
        if self.missing("import numpy"):
            return None
        try:
            return value_of(said)
        except Exception as e:
            return self.fault(number, "%s: %s" % (said, e))

    def beside(self, number, row, wanted):
        for name, line in row.items():
            package = PEERS.get(name, "porism" if name == "in Python" else None)
            if package is None or wanted is None:
                continue
            if not self.names or self.missing("import " + package):
                self.left_out.add(package)
                continue
            try:
                got = computed(line, self.names)
                self.ran += 1
                if "shape" in row:
                    import numpy as np
                    good = all(", ".join(map(str, np.shape(v))) == row["shape"] for v in (got, wanted))
                else:
                    good = same(got, wanted)
                if not good:
                    self.fault(number, "%s gives %s; %s gives %s" % (line, got, row["Porism"], wanted))
            except Exception as e:
                self.fault(number, "%s: %s: %s" % (line, type(e).__name__, e))

    def run(self, write):
        self.blocks()
        with tempfile.TemporaryDirectory() as empty:
            file = os.path.join(empty, "rows.por")
            with open(file, "w", encoding="utf-8") as f:
                f.write(self.file())
            for number, row in list(rows(self.lines)):
                if "Porism" in row:
                    self.beside(number, row, self.ours(number, row, file, write))
        if write:
            with open(self.path, "w", encoding="utf-8") as f:
                f.write("\n".join(self.lines))


def main():
    args = sys.argv[1:]
    write = args[:1] == ["--write"]
    path, folder = args[write:]
    sys.path.insert(0, os.path.join(os.path.abspath(folder), "python"))
    try:
        import numpy as np
        if int(np.__version__.split(".")[0]) >= 2:
            np.set_printoptions(legacy="1.25")      # scalars are shown as their numbers
    except ImportError:
        pass
    page = Page(path, folder)
    page.run(write)
    print("\n".join(page.faults))
    print("%s: %d lines run%s" % (path, page.ran, "; without " + ", ".join(sorted(page.left_out)) if page.left_out else ""))
    return 1 if page.faults or not page.ran else 0


if __name__ == "__main__":
    sys.exit(main())
