#!/usr/bin/env python3
"""Runs the conformance tests of the array API standard, which others wrote, on porism.array_api.

    array_api.py [SUITES [WHICH...]]      SUITES: the folder that has array-api-tests in it; WHICH: of pytest, files or names

The suite is not written to: a folder of links stands in for it, in build/array-api-tests.  Failures are looked up in
tests/python/array_api.txt, which has the reason of each; one that it lacks, or fewer than 1,250 passed, is an error.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOME = os.path.join(ROOT, "build", "array-api-tests")
REASONS = os.path.join(ROOT, "tests", "python", "array_api.txt")
VERSION, LEAST = "2024.12", 1250


def link(at, to):
    if not os.path.islink(at) or os.readlink(at) != to:
        if os.path.lexists(at):
            os.remove(at)
        os.symlink(to, at)


def linked(suite):
    """The folder of links, in which the standard's signatures lie where the suite looks for them."""
    os.makedirs(os.path.join(HOME, "array-api", "spec", VERSION, "API_specification"), exist_ok=True)
    for name in ("conftest.py", "reporting.py", "pytest.ini", "array_api_tests"):
        link(os.path.join(HOME, name), os.path.join(suite, name))
    for place in ("array-api", os.path.join("array_api_tests", "array-api")):
        if os.path.isdir(os.path.join(suite, place, "src")):
            link(os.path.join(HOME, "array-api", "src"), os.path.join(suite, place, "src"))
            return
    sys.exit(f"array_api: {suite} has no signatures of the standard in it")


def reasons():
    """{test: why it fails}"""
    known, why = {}, ""
    with open(REASONS, encoding="utf-8") as f:
        for line in map(str.strip, f):
            if line.startswith("#"):
                why = line[1:].strip()
            elif line:
                known[line] = why
    return known


def run(which):
    env = dict(os.environ, ARRAY_API_TESTS_MODULE="porism.array_api", ARRAY_API_TESTS_VERSION=VERSION,
               PYTHONPATH=os.path.join(ROOT, "build", "release", "python"), PYTHONDONTWRITEBYTECODE="1",
               HYPOTHESIS_STORAGE_DIRECTORY=os.path.join(HOME, "hypothesis"))
    command = [os.path.join(ROOT, "build", "venv", "bin", "python"), "-m", "pytest", "-p", "no:cacheprovider", "-q",
               "--tb=short", "--max-examples", "20", "--derandomize", "--disable-deadline", "-rfE", *(which or ["array_api_tests"])]
    done = subprocess.run(command, cwd=HOME, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    with open(os.path.join(HOME, "out.txt"), "w", encoding="utf-8") as f:
        f.write(done.stdout)
    return done.stdout


def main(suites, which):
    suite = os.path.abspath(os.path.join(suites, "array-api-tests"))
    if not os.path.isdir(suite):
        sys.exit(f"array_api: there is no {suite}: say where it is, as in make test-array-api SUITES=../shared/suites")
    linked(suite)
    out = run(which)
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)\b",
                                                     out.strip().rsplit("\n", 1)[-1])}
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+?(?:\[.*?\])?)(?: - .*)?$", out, re.M)
    known = reasons()
    if not counts:
        sys.exit(out)
    for test in failed:
        print(f"{test}: {known.get(test, 'NO REASON IS KNOWN')}")
    passed, skipped = counts.get("passed", 0), counts.get("skipped", 0)
    print(f"of {sum(counts.values())} tests {skipped} are skipped by the suite itself")
    print(f"{passed} passed, {len(failed)} failed")
    new = [t for t in failed if t not in known]
    return bool(new) or (not which and passed < LEAST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "../shared/suites", sys.argv[2:]))
