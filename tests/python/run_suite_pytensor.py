#!/usr/bin/env python3
"""PyTensor's own tests with porism.pytensor as the default mode: run_suite_pytensor.py SUITES BUILD [FILES...]

What fails is run again with PyTensor's own linker in the same environment.  What passes there must be listed, with its
reason, in suite_pytensor.txt beside this file; what fails there too is no concern of ours.  The last line counts."""
import collections
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = "cxx=,linker=vm,base_compiledir="
SHARE = 0.99


def run(suites, build, folder, mode, what, junit):
    """{test: "passed", "failed" or "skipped"}"""
    env = dict(os.environ, SUITE_MODE=mode, SUITE_COUNTS=os.path.join(folder, "counts.json"), PYTHONDONTWRITEBYTECODE="1",
               PYTENSOR_FLAGS=FLAGS + os.path.join(folder, "compiled"),
               PYTHONPATH=os.pathsep.join([HERE, os.path.join(build, "python")]))
    junit = os.path.join(folder, junit)
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "suite_pytensor",
                    "--continue-on-collection-errors", f"--junitxml={junit}", *what],
                   cwd=os.path.join(suites, "pytensor"), env=env, stdout=sys.stderr, check=False)
    return outcomes(junit)


def outcomes(junit):
    found = {}
    for case in xml.parse(junit).getroot().iter("testcase"):
        name = test_name(case.get("classname"), case.get("name"))
        kinds = {child.tag for child in case}
        found[name] = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
    return found


def test_name(place, name):
    """"tests/tensor/test_math.py::TestDot::test_x" of what JUnit has."""
    parts = place.split(".")
    last = max((i for i, p in enumerate(parts) if p.startswith("test_")), default=len(parts) - 1)
    return "::".join(["/".join(parts[:last + 1]) + ".py", *parts[last + 1:], name])


def listed():
    """{test: reason}"""
    with open(os.path.join(HERE, "suite_pytensor.txt"), encoding="utf-8") as f:
        lines = [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def reason_of(test, reasons):
    """A reason of the test, or of all of its parameters."""
    return reasons.get(test) or reasons.get(test.split("[")[0])


def main():
    suites, build = (os.path.abspath(p) for p in sys.argv[1:3])
    files = sys.argv[3:] or ["tests"]
    with tempfile.TemporaryDirectory() as folder:
        here = run(suites, build, folder, "PORISM", files, "here.xml")
        with open(os.path.join(folder, "counts.json"), encoding="utf-8") as f:
            counts = json.load(f)
        failed = sorted(t for t, how in here.items() if how == "failed")
        there = run(suites, build, folder, "", failed, "there.xml") if failed else {}
    ours = [t for t in failed if there.get(t) == "passed"]
    reasons = listed()
    print(f"{len(failed) - len(ours)} fail with PyTensor's own linker too, {list(here.values()).count('skipped')} are skipped")
    new = [t for t in ours if not reason_of(t, reasons)]
    for t in ours:
        print(f"failed: {t}: {reason_of(t, reasons) or 'NOT LISTED'}")
    native, performed = sum(counts["native"].values()), sum(counts["perform"].values())
    print(f"nodes: {native} native, {performed} by perform ({100*native/max(native + performed, 1):.1f}% native)")
    for op, n in collections.Counter(counts["perform"]).most_common(12):
        print(f"  by perform: {n} {op}")
    for mistake, n in collections.Counter(counts["mistakes"]).most_common():
        print(f"  translation failed: {n} {mistake}")
    passed = list(here.values()).count("passed")
    print(f"{passed} passed, {len(ours)} failed")
    return bool(new) or passed < SHARE*(passed + len(ours))


if __name__ == "__main__":
    sys.exit(main())
