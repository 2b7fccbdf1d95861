#!/usr/bin/env python3
"""Puts faults into a copy of the sources, one at a time; the tests must catch each.

    mutants.py [PART-OF-A-NAME...]      all of tests/mutants/*.patch, or some
    mutants.py --fit                    does every patch fit the sources?  (nothing is built)

A patch begins with a line that says what is wrong, and a line `tests: a b` with the tests that are asked first; if
none of them fails, all others are asked.  Those tests must pass on the sources as they are.  A fault that does not
compile, or whose patch does not fit, is not caught.  The last line is `caught N of N`; exit 1 if one was not.
"""
import json
import os
import resource
import shutil
import subprocess
import sys
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PATCHES = os.path.join(ROOT, "tests", "mutants")
WORK = os.path.join(ROOT, "build", "mutants")
TREE = os.path.join(WORK, "tree")
BUILD = os.path.join(WORK, "build")
# what the tests of a folder need that are no programs
SCRIPTS = {"cli": "porism", "docs": "porism", "standalone": "porism", "errors": "all", "maps": "tests/check_maps"}
LIMIT = 600
MEMORY = 6 << 30  # bytes of addresses: a fault that makes a graph grow without end fails, and takes nothing else with it


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(args, cwd=None, limit=1800):
    """(exit status, output); a command that takes too long has status None."""
    env = dict(os.environ, PORISM_CACHE=os.path.join(WORK, "cache"))
    try:
        r = subprocess.run(args, cwd=cwd or TREE, capture_output=True, text=True, errors="replace", timeout=limit, env=env,
                           preexec_fn=bounded)
    except subprocess.TimeoutExpired:
        return None, ""
    return r.returncode, r.stdout + r.stderr


def copy_tree():
    """The tracked files as they are now, in place, so that what did not change is not built again."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wanted = {n for n in names.split("\0") if n and os.path.exists(os.path.join(ROOT, n))}
    for folder, _, files in os.walk(TREE):
        for f in files:
            if os.path.relpath(os.path.join(folder, f), TREE) not in wanted:
                os.remove(os.path.join(folder, f))
    for n in wanted:
        source, target = os.path.join(ROOT, n), os.path.join(TREE, n)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.exists(target):
            with open(source, "rb") as a, open(target, "rb") as b:
                if a.read() == b.read():
                    continue
        shutil.copy(source, target)


def fits(name, tree, *more):
    """Applies a patch; with --dry-run as one more argument only asks."""
    status, said = run(["patch", "-p1", "-l", "-s", "-f", "--no-backup-if-mismatch", *more, "-i",
                        os.path.join(PATCHES, name)], tree)
    return status == 0, said


def touched(name):
    """What the files of a patch hold now."""
    with open(os.path.join(PATCHES, name), encoding="utf-8") as f:
        paths = [os.path.join(TREE, line[6:].strip()) for line in f if line.startswith("+++ b/")]
    kept = {}
    for path in paths:
        with open(path, "rb") as f:
            kept[path] = f.read()
    return kept


def restore(kept):
    for path, data in kept.items():
        with open(path, "wb") as f:
            f.write(data)


def target(test):
    return SCRIPTS.get(test.split("/")[0], "tests/" + test.replace("/", "_"))


def build(tests):
    names = sorted({target(t) for t in tests}) if tests else ["all"]
    return run(["ninja", "-C", BUILD] + names)


def failing(tests, broken=()):
    """The first of these tests that fails, or None.  [] asks all."""
    log = os.path.join(BUILD, "meson-logs", "testlog.json")
    if not tests:
        if os.path.exists(log):
            os.remove(log)
        run(["meson", "test", "-C", BUILD, "--no-rebuild", "--no-suite", "house"] + ([] if broken else ["--maxfail", "1"]), limit=3600)
        with open(log, encoding="utf-8") as f:
            for line in f:
                t = json.loads(line)
                if t["result"] in ("FAIL", "ERROR", "TIMEOUT") and t["name"] not in broken:
                    return t["name"]
        return None
    for t in tests:
        status, _ = run(["meson", "test", "-C", BUILD, "--no-rebuild", t], limit=LIMIT)
        if status != 0:
            return t + (" (it did not end)" if status is None else "")
    return None


def read(path):
    with open(path, encoding="utf-8") as f:
        what, tests = f.readline().strip(), f.readline().split()[1:]
    return what, tests


def fit():
    bad = [p for p in sorted(os.listdir(PATCHES)) if p.endswith(".patch") and not fits(p, ROOT, "--dry-run")[0]]
    for p in bad:
        print(f"tests/mutants/{p} does not fit: make the patch anew")
    sys.exit(bool(bad))


def main(parts):
    if parts == ["--fit"]:
        fit()
    patches = sorted(p for p in os.listdir(PATCHES) if p.endswith(".patch") and (not parts or any(x in p for x in parts)))
    os.makedirs(WORK, exist_ok=True)
    copy_tree()
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        status, said = run(["meson", "setup", BUILD], TREE)
    else:
        status, said = run(["meson", "setup", "--reconfigure", BUILD], TREE)
    first = sorted({t for p in patches for t in read(os.path.join(PATCHES, p))[1]})
    if status == 0:
        status, said = build(first)
    if status != 0:
        print(said[-3000:])
        sys.exit("mutants: the sources do not build")
    broken = {t for t in first if failing([t])}
    for t in sorted(broken):
        print(f"{t} fails on the sources as they are: it catches nothing")
    caught = 0
    for p in patches:
        what, tests = read(os.path.join(PATCHES, p))
        start = time.time()
        kept = touched(p)
        fitting, said = fits(p, TREE)
        if not fitting:
            result = "does not fit: make the patch anew"
        else:
            status, said = build(tests)
            by = None
            if status != 0:
                result = "does not compile: " + next((x for x in said.split("\n") if "error" in x), "")[:100]
            else:
                by = failing([t for t in tests if t not in broken]) if set(tests) - broken else None
                if not by and build([])[0] == 0:
                    by = failing([], broken)
                result = "caught by " + by if by else "NOT CAUGHT"
            caught += by is not None
        restore(kept)
        print("%-32s %s  (%s; %.0f s)" % (p[:-6], result, what, time.time() - start), flush=True)
    print("caught %d of %d" % (caught, len(patches)))
    sys.exit(caught != len(patches))


if __name__ == "__main__":
    main(sys.argv[1:])
