#!/usr/bin/env python3
"""test_fmt.py PORISM [NAME...]: files laid out by fmt, and what comes from standard input."""

import glob
import json
import os
import re
import subprocess
import tempfile

from command import EXAMPLES, HERE, PORISM, Failed, call, holds, main, same, test, write_files

ROOT = os.path.join(HERE, "..", "..")


def fed(text, *words, status=0):
    """The command with this text as its standard input: its output and its messages."""
    p = subprocess.run([PORISM, *words], input=text, capture_output=True, text=True, timeout=100)
    if p.returncode != status:
        raise Failed(f"{words}: status {p.returncode}, not {status}: {p.stdout[-500:]}{p.stderr[-500:]}")
    return p.stdout, p.stderr


@test
def files_are_laid_out():
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, bad="fn f( x:f64 )=x*2   # twice\n", good="fn g(x) = x\n", wrong="fn f(x) = x +\n")
        bad, good, wrong = (f"{folder}/{name}.por" for name in ("bad", "good", "wrong"))
        same(call("fmt", "--check", good)[0], "")
        same(call("fmt", "--check", bad, good, status=1)[0], bad + "\n")
        same(json.loads(call("fmt", "--check", "--json", bad, good, status=1)[0]), {"laid_out": [bad]})
        call("fmt", bad, good)
        with open(bad, encoding="utf-8") as f:
            same(f.read(), "fn f(x: f64) = x*2  # twice\n")
        call("fmt", "--check", bad, good)
        holds(call("fmt", wrong, good, status=1)[1], "wrong.por:2:1: the text ends")
        same(os.path.getsize(wrong), 14)               # as it was
        holds(call("fmt", f"{folder}/none.por", status=3)[1], "none.por: cannot be read")
    holds(call("fmt", status=2)[1], "what is to be laid out?")


@test
def standard_input():
    same(fed("let  a=1", "fmt", "-")[0], "let a = 1\n")
    same(fed("x^2 +\n  1\n", "eval", "-", "x=3")[0], "10.0\n")
    same(fed("fn f(x: f64) = x + 1\nfn g(x: f64) = 2*f(x)\n", "run", "-:g", "x=3")[0], "8.0\n")
    same(fed("fn f(x: f64) = x + 1\n", "run", "-")[0], "fn f(x: f64) -> f64\n")
    same(fed("fn f(x: f64) = x + 1\n", "list", "-")[0], "fn f(x: f64) -> f64\n")
    same(fed("x^3", "grad", "-")[0], "3*x^2\n")
    same(fed("fn f(x: f64) = x^3\n", "grad", "-:f")[0], "fn f_gradient(x: f64) -> f64 = 3*x^2\n")
    holds(fed("fn f(x: f64) =\n    x + * 2\n", "run", "-:f", "x=1", status=1)[1], "<stdin>:2:9: found *; wanted",
          "    x + * 2\n            ^")
    holds(fed("x +", "eval", "-", status=1)[1], "the text ends")


def graph(text):
    """What explain prints, without lines of the source and times."""
    return re.sub(r" *#.*", "", text)


@test
def meaning_stays():
    """The graphs of every function of the examples and of the tests' programs, before and after."""
    for path in sorted(glob.glob(f"{EXAMPLES}/*.por") + glob.glob(f"{ROOT}/tests/lang/cases/*.por")):
        if os.path.basename(path) in ("rules.por", "printed.por"):
            continue                                   # of their rules the trees are compared
        with tempfile.TemporaryDirectory() as folder:
            laid = os.path.join(folder, os.path.basename(path))
            with open(path, encoding="utf-8") as f, open(laid, "w", encoding="utf-8") as to:
                to.write(fed(f.read(), "fmt", "-")[0])
            for name in json.loads(call("list", path, "--json")[0]):
                if name["kind"] == "fn" and "(" in name["text"] and "->" in name["text"]:
                    words = "--stage", "written", "--tier", "interpret"
                    try:
                        before = call("explain", f"{path}:{name['name']}", *words)[0]
                    except Failed:                     # what needs values
                        continue
                    same(graph(call("explain", f"{laid}:{name['name']}", *words)[0]), graph(before))


@test
def lines_do_not_choose_names():
    """Of several names of one value the first is printed, wherever the text is cut."""
    text = "fn g(a: f64) = (2*sin(a) + h(a))*(let q = sin(a) in q) fn h(a: f64) = let p = sin(a) in p + 1"
    for one in text, text.replace(" fn", "\nfn"), text.replace(" + ", " +\n"), text.replace(" ", "\n"):
        holds(fed(one, "explain", "-:g", "--stage", "written")[0], "let p = sin(a)", "(2*p + (p + 1))*p")


@test
def random_programs_keep_their_meaning():
    """Those of `check --random`: the graph that is written, before and after."""
    printed = call("check", "--random", "24", "--seed", "5", "--nodes", "20", "--print", "--no-native")[0]
    seen = 0
    for text in re.split(r"^(?:# --seed .*|--seed .*|same .*)\n", printed, flags=re.M):
        if "fn main" not in text:
            continue
        seen += 1
        laid = fed(text, "fmt", "-")[0]
        words = "explain", "-:main", "--stage", "written", "--tier", "interpret"
        same(graph(fed(laid, *words)[0]), graph(fed(text, *words)[0]))
        same(fed(laid, "fmt", "-")[0], laid)
    same(seen > 14, True)


@test
def ours_are_laid_out():
    lists = "/tests/rewrite/"                   # of rules, right and wrong ones, and no files
    files = [f for folder in ("lib", "rules", "examples", "tests")
             for f in glob.glob(f"{ROOT}/{folder}/**/*.por", recursive=True) if lists not in f]
    call("fmt", "--check", *files, *glob.glob(f"{EXAMPLES}/*.por"), *glob.glob(f"{EXAMPLES}/*/*.por"))


main(__doc__)
