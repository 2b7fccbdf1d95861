#!/usr/bin/env python3
"""summary.py TESTLOG.json...: the tests that did not pass, and a line `N passed, N failed`; exit 1 if any failed.

What was skipped could not run, and counts as failed.
"""
import json
import sys


def results(path):
    """(name, result) of each test of a log of Meson's."""
    try:
        with open(path, encoding="utf-8") as f:
            for line in f:
                if line.strip():
                    test = json.loads(line)
                    yield test["name"], test["result"]
    except OSError:
        yield path, "has no tests: nothing was built, or nothing ran"


def main(paths):
    passed, failed = 0, []
    for path in paths:
        for name, result in results(path):
            if result in ("OK", "EXPECTEDFAIL"):
                passed += 1
            else:
                failed.append((name, result))
    for name, result in failed:
        print(f"{name}: {result}")
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(bool(failed) or not passed)


main(sys.argv[1:])
