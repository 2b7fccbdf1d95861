#!/usr/bin/env python3
"""test_words.py PORISM [NAME...]: words, options, exit codes and messages of every command."""

import json
import os
import re

from command import EXAMPLES, Failed, call, holds, main, same, test


@test
def usage_errors():
    for words in [[], ["bogus"], ["eval"], ["eval", "--bogus", "x"], ["eval", "x"], ["eval", "x+1", "x=1", "z=2"],
                  ["eval", "x", "x=1", "x=2"], ["eval", "1", "--tier", "quick"], ["eval", "1", "--threads", "many"],
                  ["eval", "1", "-o"], ["run", f"{EXAMPLES}/hmm.por"], ["rules", "bogus"], ["cache"], ["check"],
                  ["grad", "x*y"], ["explain", "1", "--show", "bogus"], ["eval", "1", "two words"]]:
        out, err = call(*words, status=2)
        if not err:
            raise Failed(f"{words}: no message")


@test
def help_everywhere():
    holds(call("--help")[0], "eval", "fit", "rules")
    for command in "eval run grad explain fit build rules view check cache".split():
        holds(call(command, "--help")[0], f"porism {command}", "--json")
    holds(call("--version")[0], "porism 0.")


# What a command takes beside --json and --help: what computes takes a tier, what rewrites laws, what reads rules rules;
# what reads programs has limits, and what computes a limit of a call.
COMPUTES, DRAWS, REWRITES, READS = ["tier", "threads", "call-seconds"], ["seed"], ["laws", "no-rules"], ["rule", "rules"]
READS += ["max-nodes", "max-bytes", "max-seconds"]
SHARED = COMPUTES + DRAWS + REWRITES + READS
TAKES = {"eval": SHARED + ["o", "full"], "run": SHARED + ["o", "full"], "grad": SHARED + ["wrt", "stage", "o", "full"],
         "explain": SHARED + ["stage", "show", "c"],
         "fit": SHARED + ["steps", "block", "hold", "history", "curve", "save", "resume", "quiet", "text"],
         "build": REWRITES + READS + ["o", "name", "shared"], "view": REWRITES + READS + ["o", "stage"],
         "rules": READS + ["seed"], "check": READS + ["seed", "random", "nodes", "no-native", "print", "verbose"],
         "cache": ["folder"]}


@test
def help_lists_what_a_command_takes():
    """Neither more nor less; an option that the command would not use is refused."""
    for command, wanted in TAKES.items():
        listed = re.findall(r"^  (?:-.,|   ) --([\w-]+)", call(command, "--help")[0], re.M)
        same(sorted(listed), sorted(wanted + ["json", "help"]))
        for option in set(SHARED) - set(wanted):
            holds(call(command, f"--{option}", "1", status=2)[1], f"porism {command}: no option --{option}")
    holds(call("--help")[0], *(f"--{option} " for option in SHARED))


@test
def environment_errors():
    for words in [["run", "/nowhere/f.por:f"], ["eval", "x", "x=@/nowhere/x.npy"], ["eval", "1.0", "-o", "/nowhere/x.npy"]]:
        holds(call(*words, status=3)[1], "/nowhere/")


@test
def errors_have_a_caret(folder):
    same(call("eval", "sum(x", status=1)[1].split("\n")[1:3], ["    sum(x", "         ^"])
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
