#!/usr/bin/env python3
"""test_rules.py PORISM [NAME...]: rules listed, shown and checked, in files and on the command line."""

import json
import os
import re

from command import HERE, Failed, call, holds, main, same, test, write_files


@test
def rules(folder):
    holds(call("rules", "list")[0], "log1p", "stable")
    holds(call("rules", "show", "log1p")[0], "log(1 + x) => log1p(x)")
    call("rules", "show", "no_such_rule", status=1)
    path = os.path.join(folder, "r.por")
    with open(path, "w") as f:
        f.write("book mine: algebra\ngood: cbrt(x)^3 => x   real\n")
    holds(call("rules", "check", path)[0], "1 rules hold, 0 fail")
    with open(path, "w") as f:
        f.write("book mine: algebra\nwrong: log(x^2)/2 => log(x)   real\n")
    holds("".join(call("rules", "check", path, status=1)), "wrong")


@test
def a_file_of_carried_books_is_checked_as_it_is_carried(folder):
    """Its rules are there: they are not read a second time, as a user's, in which some would be refused."""
    books = os.path.join(HERE, "..", "..", "rules")
    for name in ("index", "lower", "last", "transposition"):
        out = call("rules", "check", os.path.join(books, name + ".por"))[0]
        holds(out.splitlines()[-1], " rules hold, 0 fail")
        if out.startswith("0 "):
            raise Failed(f"of {name} no rule is checked")
    same(call("eval", "sqrt(x^2)", "x=-3.0", "--rules", os.path.join(books, "algebra.por"))[1], "")
    write_files(folder, index="fn f(x) = x\n", mine="book mine: algebra\n")
    for name in ("index", "mine"):
        holds(call("rules", "check", f"{folder}/{name}.por")[0], "0 rules hold, 0 fail")


@test
def a_rule_has_its_own_comment(folder):
    """A line `# ---- ...` heads a section of a book: it is the comment of no rule."""
    shown = "# book algebra, law real, tags neutral, algebra:9\nadd_zero: x + 0 => x real\n"     # the first below a heading
    same(call("rules", "show", "add_zero")[0], shown)
    write_files(folder, r="book mine: algebra\n# ---- roots\n# of cubes\n# and more\nback: cbrt(x)^3 => x\n")
    same(call("rules", "show", "back", f"{folder}/r.por")[0].split("\n")[2:5], ["# of cubes", "# and more", "back: cbrt(x)^3 => x"])


@test
def rules_on_the_command_line(folder):
    rule = "mine: sin(x)*cos(x) => sin(2*x)/2"
    holds(call("explain", "sin(x)*cos(x)", "x: f64[n]", "--rule", rule)[0], "algebra: mine: sin(x)*cos(x)  =>  sin(2*x)/2")
    path = os.path.join(folder, "mine.por")
    with open(path, "w") as f:
        f.write("book mine: algebra\ncube: cbrt(x)^3 => x\n")
    holds(call("explain", "cbrt(x)^3", "x: f64[n]", "--rules", path)[0], "algebra: cube: cbrt(x)^3  =>  x")
    told = call("explain", "sin(x)*cos(x)", "--rule", rule)[1]
    holds(told, "mine: real, ", "in stage algebra, of floats but f16", "operations: 3 on the left, 3 on the right")
    holds(call("rules", "show", "mine", "--rule", rule)[0], "\n# " + told[len("porism: "):], "\nmine: sin(x)*cos(x) =>")
    told = call("eval", "1", "--rule", "sqrt(x^2) => x if x >= 0")[1]
    holds(told, "others do its work: sqrt_square (algebra:", ") always comes first, `sqrt(x^2)` becoming `x`")
    op = "op axpb(a: T[..s], x: T[..s], b: T[..s]) = a*x + b\n"
    write_files(folder, lost=op + "book lost: algebra\nfar: log(exp(x))*a + b => axpb(a, x, b)\n")
    lost = call("eval", "1", "--rules", f"{folder}/lost.por", status=1)[1]
    holds(lost, "lost.por:3:1: rule far, law real: it can never be found: log_exp (ops:")
    wrong = call("eval", "sqrt(x^2)", "x=-3.0", "--rule", "sqrt(x^2) => x", status=1)[1]
    holds(wrong, "left is")
    holds(wrong, "add `if x >= 0`")
    holds(call("eval", "1", "--rules", os.path.join(folder, "none.por"), status=3)[1], "none.por")


@test
def advice_that_holds():
    """No guard is proposed that its own counterexample meets, nor one that leaves a number or two of a variable."""
    def said(rule):
        return call("eval", "1", "--rule", rule, status=1)[1]
    for rule in ("cbrt(x) == cbrt(y) => x == y exact", "f64(x) == f64(y) => x == y exact if integer(x)"):
        told = said(rule)
        holds(told, "left is true, right is false")
        same("add `" in told, False)
    holds(said("x^y/x => x^(y - 1)"), "at x = -1.0", "left is -1.0, right is 1.0; add `if x >= 0`")
    same("add `and y <= 0`" in said("x//y => floor(x/y) exact if y >= 0"), False)
    same("x <= 0" in said("sqrt(x*y) => sqrt(x)*sqrt(y)"), False)


@test
def rules_that_others_take_back():
    told = call("eval", "tanh(x/2)", "x=1.0", "--rule", "tanh(x/2) => 2*sigmoid(x) - 1", status=1)[1]
    holds(told, "there is no end to it: in what it makes its left side is found again, brought back by tanh_sigmoid (")


@test
def operands_in_any_grouping():
    """Those of max, min, and, or and the bit operations; what is left stands around, and no number is turned."""
    types = ("p: bool[n]", "q: bool[n]")
    for written in "p and (q and not p)", "(not p and q) and p", "q and p and not p":
        holds(call("explain", written, *types)[0], "algebra: and_opposite: ")
    rule = "never: x % 2 == 0 and x % 2 == 1 => false  exact if integer(x)"
    for written in "{0} and (q and {1})", "({1} and q) and {0}", "q and {0} and {1}":
        written = written.format("k % 2 == 0", "k % 2 == 1")
        holds(call("explain", written, "k: i64[n]", "q: bool[n]", "--rule", rule)[0], "algebra: never: ")
    bits = "any: bit_or(x, bit_xor(x, y)) => bit_or(x, y)  exact"
    types = ("x: i64[n]", "y: i64[n]", "z: i64[n]")
    holds(call("explain", "bit_or(x, bit_or(z, bit_xor(x, y)))", *types, "--rule", bits)[0], "any: bit_or(")
    floors = "floors: floor(max(x, 2)) => max(floor(x), 2)  exact"
    same(call("eval", "floor(max(max(x, -2), y + 2))", "x=5.5", "y=-7.0", "--rule", floors)[0], "5.0\n")
    same(call("eval", "floor(max(max(x, 2), y))", "x=5.5", "y=-7.0", "--rule", floors)[0], "5.0\n")
    holds(call("explain", "floor(max(max(x, 2), y))", "x: f64", "y: f64", "--rule", floors)[0], "floors: floor(")


@test
def rules_name_library_ops_with_structures():
    """layer_norm's structure may be written out or named; a default left out is matched by its value alone."""
    types = ("x: f32[m, n]", "g: f32[n]", "b: f32[n]", "--stage", "stable")
    norm = "layer_norm({gain = g, bias = b}, 2*x)"
    for rule in ("layer_norm(p, 2*x) => p.bias approx(1e9)", "layer_norm({gain = g, bias = b}, 2*x) => b approx(1e9)",
                 "layer_norm(b, g, 2*x, 1e-5) => b approx(1e9)"):
        holds(call("explain", norm, *types, "--laws", "real,approx", "--rule", rule)[0], "= f32[m, n](b)")
    rule = "rms_norm(g, -x) => -rms_norm(g, x)"
    holds(call("explain", "rms_norm(g, -x)", *types, "--rule", rule)[0], "-rms_norm(g, x, f32(1e-5))")
    holds(call("explain", "rms_norm(g, -x, 0.1)", *types, "--rule", rule)[0], "rms_norm(g, -x, f32(0.1))")
    rule = "layer_norm(p, x) - p.bias => layer_norm({gain = p.gain, bias = 0*p.bias}, x)"
    holds(call("explain", "layer_norm({gain = g, bias = b}, y) - b", "y: f32[n]", *types[1:], "--rule", rule)[0],
          "layer_norm({bias = 0*b, gain = g}, y")
    for rule, says in (("layer_norm(p) => p", "layer_norm takes p, x, eps = 1e-5"),
                       ("layer_norm({gain = g}, x) => x", "layer_norm takes p, x, eps = 1e-5"),
                       ("softmax(x) => x", "softmax has brackets: write softmax[a](...)")):
        holds(call("explain", "x", "--rule", rule, status=1)[1], says)


@test
def coverage_has_every_number():
    lines = call("rules", "coverage")[0].splitlines()
    same(sorted({int(line.split()[0]) for line in lines}), list(range(1, 49)))
    marks = []
    for name in ("cases.txt", "peers.txt"):     # each name is a test
        with open(os.path.join(HERE, "..", "rewrite", name), encoding="utf-8") as f:
            marks += re.findall(r"^\[(\d+) (absent )?(\w+)\]", f.read(), re.M)
    same(sorted(lines), sorted(f"{number} {absent or 'test '}{name}" for number, absent, name in marks))


@test
def json_lists_what_text_lists(folder):
    write_files(folder, good="book b\nsq: sqrt(x^2) => x real if x >= 0\n")
    report = json.loads(call("rules", "check", f"{folder}/good.por", "--json")[0])
    text = call("rules", "check", f"{folder}/good.por")[0].splitlines()
    same([report["hold"], report["fail"], report["rules"][0]["name"]], [1, 0, "sq"])
    same(report["rules"][0]["report"], text[0])
    os.environ["PORISM_CACHE"], before = f"{folder}/cache", os.environ.get("PORISM_CACHE")
    call("eval", "exp(x)", "x=1", "--tier", "native")
    listed = json.loads(call("cache", "list", "--json")[0])
    words = call("cache", "list")[0].splitlines()[0].split()
    same([listed["entries"], len(listed["list"])], [1, 1])
    same([listed["list"][0]["name"], str(listed["list"][0]["bytes"])], words[:2])
    os.environ.pop("PORISM_CACHE") if before is None else os.environ.update(PORISM_CACHE=before)


main(__doc__)
