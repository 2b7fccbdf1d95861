"""What the benches share: peers, rows, and the table at the end.

A row is (case, ours, peer, bound): seconds, or whatever else both are counted in; ratio = ours/peer, and the row is
good when ratio <= bound, or when it has no bound (None) and only shows.  Against a limit the peer is the limit and the
bound 1.

Of two sides that are timed in pairs (timing.in_pairs) the ratio is the pairs' median, with its standard error; the row is
good when ratio - 3*error <= bound, where 3*error counts for at most a hundredth, and its line says so.
"""
import ctypes
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
FULL = os.environ.get("FULL", "") not in ("", "0")


# A peer chooses its kernels itself: what tells it otherwise is taken out of its environment.
CHOSEN = re.compile("OPENBLAS_(CORETYPE|VERBOSE|MAIN_FREE|BLOCK_FACTOR)|GOTO_.*|BLIS_.*|MKL_.*|NPY_(DIS|EN)ABLE_CPU_FEATURES|"
                    "OMP_.*|GOMP_.*|KMP_.*|JAX_.*|XLA_.*|ATEN_CPU_CAPABILITY|DNNL_.*|ONEDNN_.*")
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def peer_environment(threads=None, **more):
    """The environment for peers with so many threads for their BLAS (None: as they like)."""
    env = {name: value for name, value in os.environ.items() if not CHOSEN.fullmatch(name)}
    env.update({name: str(threads) for name in THREADS} if threads else {}, PYTHONDONTWRITEBYTECODE="1", **more)
    return env


def use_peers(threads=None, venv="venv"):
    """Runs this program again under the Python of build/VENV, with one or two threads for the peers' BLAS."""
    if os.environ.get("BENCH_INSIDE"):
        return
    unset = sorted(name for name in os.environ if CHOSEN.fullmatch(name))
    if unset:
        print("not passed on to the peers: " + " ".join(unset), flush=True)
    python = os.path.join(ROOT, "build", venv, "bin", "python")
    python = python if os.path.exists(python) else sys.executable
    os.execve(python, [python] + sys.argv, peer_environment(threads, BENCH_INSIDE="1"))


def peer(name, tell=True):
    """The module, or None: then its rows are `skipped`.  tell: prints what it runs."""
    try:
        module = __import__(name)
    except ImportError:
        print("no %s here: `make bench-peers` installs it" % name, flush=True)
        return None
    if tell:
        print(peers_say(name), flush=True)
    return module


def blas():
    """What the BLAS that this process has loaded says of itself: its kernels and threads."""
    with open("/proc/self/maps", encoding="utf-8") as f:
        paths = sorted({line.split()[-1] for line in f if re.search(r"/[^/]*(openblas|mkl_rt|blis)[^/]*\.so", line)})
    said = []
    for path in paths:
        lib, found = ctypes.CDLL(path), {}
        for what, kind in (("corename", ctypes.c_char_p), ("num_threads", ctypes.c_int)):
            for before, after in (("", ""), ("", "64_"), ("scipy_", ""), ("scipy_", "64_")):     # as it was packed
                function = getattr(lib, before + "openblas_get_" + what + after, None)
                if function:
                    function.argtypes, function.restype = [], kind
                    found[what] = function()
        said.append("OpenBLAS kernels %s, threads %d" % (found["corename"].decode(), found["num_threads"])
                    if len(found) == 2 else os.path.basename(path))
    return "; ".join(said) or "no BLAS that tells its name"


def peers_say(name="numpy"):
    """A line: the module, its version, and what it runs."""
    return "peer: %s %s, %s" % (name, __import__(name).__version__, blas())


class Table:
    def __init__(self, name):
        self.name, self.rows = name, []

    def add(self, case, ours, peer, bound, pairs=None):
        """pairs: ratio and its standard error, where the sides were timed in pairs."""
        ratio, error = pairs or (ours/peer if peer else None, 0)
        slack = min(3*error, 0.01)
        good = ratio is not None and (bound is None or ratio - slack <= bound)
        self.rows.append((case, ours, peer, ratio, bound, good))
        said = "no bound" if bound is None else "bound %g" % bound + (", and %.2g for the error" % slack if pairs else "")
        measured = "skipped" if ratio is None else "%.3g against %.3g, ratio %.3g" % (ours, peer, ratio)
        measured = "%.3g against %.3g, ratio %.4f +- %.4f" % (ours, peer, ratio, error) if pairs else measured
        print("%-44s %s" % (case, measured if ratio is None else f"{measured} ({said})" + ("" if good else "  MISS")), flush=True)

    def failed(self, case, why):
        self.rows.append((case, None, None, None, None, False))
        print("%-44s failed: %s" % (case, why), flush=True)

    def done(self):
        """Writes build/bench/NAME.tsv, prints the worst row, gives the exit status."""
        path = os.path.join(ROOT, "build", "bench", self.name + ".tsv")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write("case\tours\tpeer\tratio\tbound\tok\n")
            for row in self.rows:
                f.write("%s\n" % "\t".join(self.cells(row)))
        bad = [r for r in self.rows if not r[5]]
        ranked = sorted(self.rows, key=lambda r: -1e300 if r[5] and not (r[3] and r[4]) else
                        (1e300 if r[3] is None else r[3]/r[4]))
        print("%d rows, %d missed" % (len(self.rows), len(bad)))
        if ranked:
            print("worst: " + "  ".join(self.cells(ranked[-1])))
        return 1 if bad or not self.rows else 0

    @staticmethod
    def cells(row):
        case, ours, peer_, ratio, bound, ok = row
        number = lambda x: "-" if x is None else "%.6g" % x                      # noqa: E731
        return [case, number(ours), "skipped" if peer_ is None else number(peer_), number(ratio), number(bound),
                "yes" if ok else "no"]


def run_c(name, args=(), more=None):
    """Runs build/release/bench/NAME, whose lines are `case TAB ours TAB peer TAB bound`, or `case TAB failed TAB why`.
    more: is given the table and the other lines, and may add rows."""
    import subprocess
    table = Table(name)
    program = os.path.join(os.environ.get("BUILD", os.path.join(ROOT, "build", "release")), "bench", name)
    run, told = subprocess.Popen([program] + list(args), stdout=subprocess.PIPE, text=True, cwd=ROOT), []
    for line in run.stdout:
        cells = line.rstrip("\n").split("\t")
        if len(cells) == 4:
            table.add(cells[0], float(cells[1]), float(cells[2]), float(cells[3]))
        elif len(cells) == 3 and cells[1] == "failed":
            table.failed(cells[0], cells[2])
        else:
            print(line, end="")
            told.append(line)
    if run.wait():
        table.failed(name, "ended with %d" % run.returncode)
    if more:
        more(table, told)
    return table.done()
