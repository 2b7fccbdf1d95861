#!/usr/bin/env python3
"""test_words.py PORISM [NAME...]: words, options, exit codes and messages of every command."""

import json
import os
import re
import tempfile

from command import EXAMPLES, HERE, Failed, call, holds, main, same, test, write_files

LIBRARY = os.path.join(HERE, "..", "..", "lib")


@test
def usage_errors():
    for words in [[], ["bogus"], ["eval"], ["eval", "--bogus", "x"], ["eval", "x"], ["eval", "x+1", "x=1", "z=2"],
                  ["eval", "x", "x=1", "x=2"], ["eval", "1", "--tier", "quick"], ["eval", "1", "--threads", "many"],
                  ["eval", "1", "-o"], ["grad", f"{EXAMPLES}/hmm.por"], ["list", "nn", "mcmc"],
                  ["list", f"{EXAMPLES}/hmm.por:viterbi"], ["rules", "bogus"], ["cache"], ["check"],
                  ["grad", "x*y"], ["explain", "1", "--show", "bogus"], ["eval", "1", "two words"]]:
        out, err = call(*words, status=2)
        if not err:
            raise Failed(f"{words}: no message")


@test
def help_everywhere():
    holds(call("--help")[0], "eval", "fit", "rules")
    for command in "eval run list repl grad explain fit build rules view check fmt cache".split():
        holds(call(command, "--help")[0], f"porism {command}", "--json")
    holds(call("--version")[0], "porism 0.")


DECLARED = """# A length.
# Of two sides.
fn side(x: f64, y: f64 = 2*x if y > 0) = hypot(x, y)
# Two things.
type pair[n] = {a: f64[n], b: i64}
fn both[k](p: pair[n], ..more) = p
fn total(p: pair[n]) = {sum = sum(p.a), n = p.b}
op twice(x) = 2*x
let start = 3
let later = side(1.0, 2.0)*side(3.0, 4.0)*side(5.0, 6.0)*side(7.0, 8.0)*side(9.0, 10.0)*side(11.0, 12.0)*side(13.0, 14.0)
fn off(x: f64[n]) = x @ f64[3](1)
"""


@test
def declarations_are_listed():
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, some=DECLARED)
        file = f"{folder}/some.por"
        listed = call("list", file)[0].splitlines()
        same(listed[:11], ["fn side(x: f64, y: f64 = 2*x if y > 0) -> f64", "    A length.", "    Of two sides.",
                           "type pair[n] = {a: f64[n], b: i64}", "    Two things.", "fn both[k](p: pair[n], ..more)",
                           "fn total(p: pair[n]) -> {sum: f64, n: i64}", "op twice(x)", "let start = 3", listed[9],
                           "fn off(x: f64[n]) -> f64"])
        holds(listed[9], "let later = side(1.0, 2.0)*", " ...")
        same(call("run", file)[0].splitlines(), listed)
        told = json.loads(call("list", file, "--json")[0])
        same([t["name"] for t in told], "side pair both total twice start later off".split())
        same((told[0]["comment"], told[0]["line"], told[0]["kind"]), ("A length.\nOf two sides.", 3, "fn"))
    holds(call("list")[0], "logp", "student_t", "ode")
    holds(call("list", "prelude")[0], "fn mean[..axes, keep = false](x: T[..s])\n    The mean over the axes")
    same(sorted(json.loads(call("list", "--json")[0])), sorted(f[:-4] for f in os.listdir(LIBRARY)))
    holds(call("list", "nothing", status=1)[1], "no module nothing")
    holds(call("list", "nothing.por", status=3)[1], "nothing.por: cannot be read")


@test
def every_mistake_is_told():
    """Those of a file that does not parse, one for each declaration; with --check those of functions."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, broken="fn f(x: f64) = (x + 1\nfn g(x: f64) = x +* 2\nfn good(x: f64) = x\nlet a = [1, 2\n"
                                   "fn h(x: f64) = {a = x\nuse nn\nfn last(x: f64) = x[1\n",
                    wrong="fn f(n: f64) = zeroes(n)\nfn g(x: f64[n]) = np.sum(x)\nfn good(x: f64) = x\nfn h(x: f64) = x.shape\n"
                          "fn open(x) = absent(x)\nfn r(n: f64) = if n < 1 then 1 else r(n - 1)*n\n")
        for command in "list", "run":
            err = call(command, f"{folder}/broken.por", status=1)[1]
            same([line.split(".por:")[1].split(": ")[0] for line in err.splitlines() if ".por:" in line],
                 ["1:16", "2:19", "4:9", "5:16", "7:20"])
            holds(err, "this ( is not closed: line 2 begins a definition before its )", "found *; wanted an expression",
                  "this [ is not closed: line 5", "this { is not closed: line 6", "this [ is not closed: the text ends before its ]")
        err = call("list", "--check", f"{folder}/wrong.por", status=1)[1]
        holds(err, "1:16: zeroes is not declared; the nearest name is zeros: write f64[3](0)",
              "2:19: np is not declared: functions stand by themselves here, without a module, as sum(x)", "4:16: x.shape",
              "which is not known while building; a loop does: scan (...) while", "^")
        same(err.count(".por:"), 4)
        same(call("list", "--check", f"{folder}/wrong.por", "--json", status=1)[0].count('{"error"'), 4)


# What a command takes beside --json and --help: what computes takes a tier, what rewrites laws, what reads rules rules;
# what reads programs has limits, and what computes a limit of a call.
COMPUTES, DRAWS, REWRITES, READS = ["tier", "threads", "call-seconds"], ["seed"], ["laws", "no-rules", "rules-off"], ["rule", "rules"]
READS += ["max-nodes", "max-bytes", "max-seconds"]
SHARED = COMPUTES + DRAWS + REWRITES + READS
TAKES = {"eval": SHARED + ["output", "full", "check-finite"], "run": SHARED + ["output", "full", "check-finite"], "grad": SHARED + ["wrt", "stage", "output", "full"],
         "explain": SHARED + ["stage", "diff", "stop", "show", "c"],
         "fit": SHARED + ["steps", "block", "hold", "by", "rate", "patience", "history", "curve", "save", "resume", "quiet", "text"],
         "build": REWRITES + READS + ["output", "name", "shared"], "view": SHARED + ["output", "stage"],
         "rules": READS + ["seed"],
         "check": READS + ["seed", "random", "nodes", "no-native", "native-every", "slopes-every", "curves-every", "print", "call-seconds", "verbose"],
         "cache": ["folder"], "list": ["check", "max-nodes", "max-bytes", "max-seconds"], "repl": SHARED,
         "fmt": ["check", "max-nodes", "max-bytes", "max-seconds"]}


@test
def help_lists_what_a_command_takes():
    """Neither more nor less; an option that the command would not use is refused."""
    bash, zsh = call("--completion", "bash")[0], call("--completion=zsh")[0]
    for command, wanted in TAKES.items():
        listed = re.findall(r"^  (?:-.,|   ) --([\w-]+)", call(command, "--help")[0], re.M)
        completed = re.search(rf"^\t{command}\) options='([^']*)'", bash, re.M).group(1)
        same(sorted(re.findall(r"--([\w-]+)", completed)), sorted(listed))
        told = zsh[zsh.index(f"\n\t{command})"):].split(";;")[0]
        same(sorted(re.findall(r"--([\w-]+)[}\[]", told)), sorted(listed))
        same(sorted(listed), sorted(wanted + ["json", "help"]))
        for option in set(SHARED) - set(wanted):
            holds(call(command, f"--{option}", "1", status=2)[1], f"porism {command}: no option --{option}")
    holds(call("--help")[0], *(f"--{option} " for option in SHARED))


@test
def manual_tells_what_help_tells():
    page = re.sub(r"\\f.|\\&", "", call("--manual")[0]).replace("\\-", "-").replace("\\(aq", "'")
    for command in TAKES:
        told = page[page.index(f"\n.SS {command}\n"):].split("\n.S", 2)[1]
        for line in call(command, "--help")[0].split("\n"):
            option = re.match(r"^  (?:-.,|   ) (--[\w-]+)(?: \S+)? {2,}(.*)", line)
            if option and option.group(1)[2:] not in SHARED + ["json", "help"]:
                holds(told, *option.groups())
    holds(page, "PORISM_CACHE", "EXIT STATUS", "'y: f64[m]'")
    holds(call("--completion", "tcsh", status=2)[1], "bash or zsh")
    call("--completion", status=2)


@test
def slips_are_told(folder):
    """What was meant is named: commands, options, functions, parameters, files without @."""
    holds(call("evl", "1", status=2)[1], "no command evl; did you mean eval?")
    holds(call("--bogus", status=2)[1], "no option --bogus;")
    holds(call("eval", "--teir", "native", "1", status=2)[1], "no option --teir; did you mean --tier?")
    holds(call("fit", "--stesp=3", "a.por:b", status=2)[1], "did you mean --steps?")
    if "did you mean" in call("eval", "--zzz", "1", status=2)[1]:
        raise Failed("--zzz is no slip")
    holds(call("eval", "x + y", "X=2", "y=1", "x=1", status=2)[1], "X is no parameter of the expression; it has x, y")
    holds(call("eval", "1 + 1", "X=2", status=2)[1], "it has none")
    holds(call("eval", "x", "x=abc", status=1)[1], "x=abc: abc has no value")
    holds(call("run", f"{EXAMPLES}/logistic.por:los", status=1)[1], "there is no los; it has init, loss, gradient")
    path = f"{folder}/numbers.npy"
    call("eval", "iota[3]()", "-o", path)
    holds(call("eval", "x", f"x={path}", status=1)[1], f"x={path}: a file is given as x=@{path}")


@test
def environment_errors():
    for words in [["run", "/nowhere/f.por:f"], ["eval", "x", "x=@/nowhere/x.npy"], ["eval", "1.0", "-o", "/nowhere/x.npy"]]:
        holds(call(*words, status=3)[1], "/nowhere/")


@test
def errors_have_a_caret(folder):
    same(call("eval", "sum(x", status=1)[1].split("\n")[1:3], ["    sum(x", "       ^"])
    path = os.path.join(folder, "bad.por")
    with open(path, "w") as f:
        f.write("fn f(X: f64[m, n], p: f64[k]) =\n    X @ p\n")
    err = call("run", f"{path}:f", "X=[[1.0]]", "p=[1.0, 2.0]", status=1)[1]
    holds(err, "bad.por:2:5: X @ p: inner sizes differ", "\n        X @ p\n        ^")
    got = json.loads(call("run", "--json", f"{path}:f", "X=[[1.0]]", "p=[1.0, 2.0]", status=1)[0])
    same(got["error"]["line"], 2)


@test
def no_colour_when_piped():
    out, err = call("eval", "sum(x", status=1)
    if "\x1b" in out + err:
        raise Failed("an escape sequence")


@test
def usage_as_json():
    for words in (["eval"], ["eval", "x"], ["eval", "--nope"], ["eval", "1", "--tier", "fast"], ["cache"]):
        out, message = call(*words, "--json", status=2)
        told = json.loads(out)["error"]["text"]
        holds(message, told)
    same(json.loads(call("rules", "show", "nope", "--json", status=1)[0])["error"]["text"], "there is no rule nope")


@test
def words_too_many(folder):
    for words in (["list", "nofile"], ["coverage", "more"], ["check", "a.por", "b.por"], ["show", "log_exp", "nofile"]):
        call("rules", *words, status=2)
    same(call("help", "eval")[0], call("eval", "--help")[0])
    holds(call("grad", "x*y", "--wrt", "", status=2)[1], "--wrt names no variable")
    holds(call("grad", "x^3", "-o", f"{folder}/g.npy", status=2)[1], "-o saves a value")


main(__doc__)
