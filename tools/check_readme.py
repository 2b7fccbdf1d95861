#!/usr/bin/env python3
"""Does what README.md says, word by word, from an empty folder: each block is the file that the line before it names,
each `$ COMMAND` is run by sh, and what it prints is compared with the lines below it.  Times may differ.

    check_readme.py                  all commands but `make`, with what is installed: porism in PATH, pkg-config's porism
    check_readme.py --make           only `make ...`, in the folder of the sources
    check_readme.py --page P FOLDER  what page P says, with the porism of FOLDER (a folder of builds), numbers to eight
                                     digits; its blocks of Python too where it is a page of Python alone, tutorial-python.md
"""
import doctest
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PROGRESS = re.compile(r" *\d+%  \d+/\d+ ")    # of a fit that takes longer than a reader likes to wait
NUMBER = re.compile(r"-?\d+\.\d+(e-?\d+)?")
TIME = re.compile(r"\b\d+(\.\d+)?(?= (ms|s|seconds)\b)")


def blocks(text):
    """(the last line of text before it, what it is in, lines) of each block of code."""
    before, inside, found, what = "", False, [], ""
    for line in text.split("\n"):
        if line.startswith("```"):
            if inside:
                yield before, what, found
                before = ""
            inside, found, what = not inside, [], line[3:]
        elif inside:
            found.append(line)
        elif line.strip():
            before = line


def sessions(lines):
    """(command, what it prints) of a block."""
    command, printed = None, []
    for line in lines:
        if command is not None and command.endswith("\\"):
            command = command[:-1] + line.strip()
        elif line.startswith("$ "):
            if command is not None:
                yield command, printed
            command, printed = line[2:], []
        elif command is not None:
            printed.append(line)
    if command is not None:
        yield command, printed


def plain(line, rounded):
    """A line without what may differ."""
    line = TIME.sub("T", line.rstrip())
    return NUMBER.sub(lambda n: "%.8g" % float(n[0]), line) if rounded else line


def run(command, folder, wanted, rounded):
    done = subprocess.run(["sh", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    got = done.stdout.rstrip("\n").split("\n") if done.stdout else []
    got = [line for line in got if not PROGRESS.match(line)]
    while wanted and not wanted[-1]:
        wanted = wanted[:-1]
    same = [plain(line, rounded) for line in got] == [plain(line, rounded) for line in wanted]
    print("%s  %s" % ("ok  " if same else "FAIL", command), flush=True)
    if not same:
        print("  wanted:\n    %s\n  got:\n    %s" % ("\n    ".join(wanted), "\n    ".join(got)))
    return same


def run_python(lines, names, folder):
    """Runs what stands behind `>>>`, with and for the names of the blocks before."""
    test = doctest.DocTestParser().get_doctest("\n".join(lines) + "\n", names, "Python", "page", 0)
    report, before = [], os.getcwd()
    os.chdir(folder)
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append, clear_globs=False).failed
    os.chdir(before)
    names.update(test.globs)
    print("%s  %s" % ("FAIL" if failed else "ok  ", test.examples[0].source.split("\n")[0]), "".join(report), flush=True)
    return not failed


def use_builds(folder):
    """The command, the library and the package of a folder of builds come first."""
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
    os.environ["LD_LIBRARY_PATH"] = folder
    sys.path.insert(0, os.path.join(folder, "python"))


def tell_pkg_config(folder, builds):
    """pkg-config knows the library as it is built, not installed."""
    with open(os.path.join(folder, "porism.pc"), "w", encoding="utf-8") as f:
        f.write("Name: porism\nDescription: as it is built\nVersion: 0\nCflags: -I%s/include\nLibs: -L%s -lporism\n" %
                (ROOT, builds))
    os.environ["PKG_CONFIG_PATH"] = folder


def main():
    make = sys.argv[1:] == ["--make"]
    page = "README.md"
    if sys.argv[1:2] == ["--page"]:
        page = sys.argv[2]
        use_builds(os.path.abspath(sys.argv[3]))
    names = {} if page.endswith("-python.md") else None
    if names is not None:
        try:
            import numpy
            import porism           # noqa: F401, all that such a page needs
            if int(numpy.__version__.split(".")[0]) >= 2:
                numpy.set_printoptions(legacy="1.25")      # scalars are shown as their numbers
        except ImportError as e:
            print("left out: %s" % e)
            return 77
    good, count = True, 0
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as beside:
        if page != "README.md":
            tell_pkg_config(beside, os.path.abspath(sys.argv[3]))
        for before, what, lines in blocks(text):
            if what == "python" and names is not None:
                good &= run_python(lines, names, empty)
                count += 1
                continue
            named = re.search(r"^This is `(\w+\.(?:c|h|por|py|csv))`", before)
            if named:
                with open(os.path.join(empty, named.group(1)), "w", encoding="utf-8") as f:
                    f.write("\n".join(lines) + "\n")
            for command, wanted in sessions(lines):
                if command.startswith("make ") == make:
                    good &= run(command, ROOT if make else empty, wanted, page != "README.md")
                    count += 1
    print("%s: %d commands%s" % (page, count, "" if good else ", not all as it says"))
    return 0 if good and count else 1


if __name__ == "__main__":
    sys.exit(main())
