#!/usr/bin/env python3
"""test_improve.py PORISM [NAME...]: forms of less error, and what is no task for it."""

import json
import os
import re
import tempfile

from command import Failed, call, main, test, write_files


def forms(*words):
    """What the command tells: the whole, and the forms by what they are."""
    told = json.loads(call("improve", "--json", *words)[0])
    return told, {f["what"]: f for f in told["forms"]}


@test
def roots_that_cancel():
    """Of a quadratic equation: where -b and the root cancel another form is right, and the root of a discriminant out
    of range is a hypot."""
    told, form = forms("(-b + sqrt(b*b - a*c))/a")
    if form["written"]["mean"] < 20 or form["improved"]["mean"] > 1 or "hypot" not in form["improved"]["text"]:
        raise Failed(f"{told}")


@test
def columns_and_forms_have_names():
    """What each number and each line of the table is, and pieces below the form that chooses between them."""
    lines = call("improve", "(-b + sqrt(b*b - a*c))/a")[0].splitlines()
    if not lines[0].endswith("bits of error: 0 is right, 1 is next to it, 64 is lost") or lines[1] != "  mean largest  form":
        raise Failed("\n".join(lines[:2]))
    found = [re.fullmatch(r" *[0-9.]+ +[0-9.]+  (.{12})  \S.*", line)[1].strip() for line in lines[2:lines.index("")]]
    if found != ["as written", "by the rules", "found", "piece of it", "piece of it"]:
        raise Failed(f"{found}")


@test
def the_rule_is_one():
    """Logarithms that cancel: the rule that is told holds in a file, too."""
    told, form = forms("log(n + 1)/log(n) - 1", "n: f64 if n > 100 and n < 1e6")
    if form["improved"]["mean"] > 1 or not told["holds"] or "n > 100" not in told["rule"]:
        raise Failed(f"{told}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.por")
        with open(path, "w", encoding="utf-8") as f:
            f.write("book mine: stable\n" + told["rule"] + "\n")
        if "1 rules hold, 0 fail" not in call("rules", "check", path)[0]:
            raise Failed("the rule is none in a file")
        words = "explain", "log(n + 1)/log(n) - 1", "n: f64 if n > 200 and n < 1e5", "--stage", "stable", "--rules", path
        if "= log_diff(n, f64(1))/log(n)" not in call(*words)[0]:
            raise Failed(f"the rule does not fire: {told['rule']}: {call(*words)[0]}")


@test
def what_is_divided_by_0_equals_nothing():
    """A quotient of two small values, one of whose forms has a 0 below: y/(v/0) was 0, and all that was equal to it."""
    told, form = forms("log(1 - x)/log(1 + x)", "x: f64 if x >= -0.5 and x <= 0.5")
    if form["books"]["mean"] > 0.1 or form.get("improved", form["books"])["mean"] > 0.1:
        raise Failed(f"{told}")


@test
def operators_of_many_operands():
    """One of six is no form that is measured; those beside it are found."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.por")
        with open(path, "w", encoding="utf-8") as f:
            f.write("op six(x, a, b, c, d, e) = log(x + a*b*c*d*e)/log(x)\nbook mine: algebra\n"
                    "to_six: log(x + 1)/log(x) => six(x, 1, 1, 1, 1, 1)  real if x > 2\n")
        words = "improve", "log(x + 1)/log(x) - 1", "x: f64 if x > 100 and x < 1e6", "--rules", path
        if "=> log_diff(x, 1)/log(x)" not in call(*words)[0]:
            raise Failed(call(*words)[0])


# A function of which the books that Porism carries know no difference.
SLOPES = """op slope(x) = 2*(sin(x/2)*cos(x/2))/cos(x)
op incline(x) = sin(x)/cos(x)
book slopes: improve
slope_difference: slope(x) - slope(y) => sin(x - y)/(cos(x)*cos(y))
slopes: slope(x) => incline(x)
"""


def plain(text):
    """Without comments, the names of `let` in the order in which they come."""
    text = re.sub(r" *#.*", "", text)
    names = list(dict.fromkeys(re.findall(r"\bv[0-9]+\b", text)))
    return re.sub(r"\bv[0-9]+\b", lambda m: f"v{names.index(m[0])}", text)


def does_it(rule, written, *declared, beside=""):
    """The rule in a file of the user's makes the improved form of what was written: its right side, as it stands then."""
    right = rule.split(" => ", 1)[1].rsplit("  real", 1)[0]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mine.por")
        with open(path, "w", encoding="utf-8") as f:
            f.write(beside + "book mine: stable\n" + rule + "\n")
        lines = [call("explain", text, *declared, "--rules", path, "--stage", "stable")[0].split("=", 1)[1] for text in (written, right)]
        shown = call("explain", written, *declared, "--rules", path, "--show", "rules")[0]
    if f"stable: {rule.split(':')[0]}: " not in shown or plain(lines[0]) != plain(lines[1]):
        raise Failed(f"{rule}: {shown}{lines}")


@test
def the_rules_of_roots_are_taken_and_do_it(folder):
    """Both roots of a quadratic equation, as they are written; differences of a function at numbers near one another."""
    write_files(folder, slopes=SLOPES)
    for written, beside in (("(-b + sqrt(b^2 - 4*a*c))/(2*a)", ""),
                            ("(-b - sqrt(b*b - 4*(a*c)))/(2*a)", ""), ("slope(x) - slope(y)", SLOPES)):
        told, form = forms(written, *(("--rules", os.path.join(folder, "slopes.por")) if beside else ()))
        if not told["holds"] or form["improved"]["mean"] > form["written"]["mean"] - 0.25:
            raise Failed(f"{told}")
        does_it(told["rule"], written, beside=beside)


@test
def inputs_come_near_one_another(folder):
    """Where x is beside y the difference cancels, and a choice by how near they are keeps what is right elsewhere."""
    write_files(folder, slopes=SLOPES)
    words = "slope(x) - slope(y)", "--rules", os.path.join(folder, "slopes.por")
    told, form = forms(*words)
    if form["written"]["mean"] < 0.5 or form["improved"]["mean"] > 0.1 or "abs(v1/y) <" not in form["improved"]["text"]:
        raise Failed(f"{told}")
    if not told["holds"] or "slope(x) - slope(y)" in told["rule"].split("=>")[1]:  # which the rule would find again
        raise Failed(f"{told}")
    told, form = forms(*words, "x: f64 if x > -10 and x < 10", "y: f64 if y > -10 and y < 10")
    if not told["holds"] or form["written"]["mean"] < 0.5 or form["improved"]["mean"] > 0.1:
        raise Failed(f"{told}")


@test
def zeros_and_ends_are_points():
    """Where b and c are 0 both are 0, the other form is NaN: it has no part there.  At the end of a domain, too."""
    told, form = forms("(-b + sqrt(b*b - a*c))/a")
    if "where(b <= 0, " not in form["improved"]["text"]:
        raise Failed(f"{told}")
    for condition in "x == 1", "x == 2", "x == y", "abs(x - y) < 1e-12*y", "y == 0", "x == 2 and y == 0":
        call("improve", "(x + 1)*(y + 1)", "x: f64 if x >= 1 and x <= 2", "y: f64", "--where", condition)


@test
def a_rule_of_a_sum_is_found():
    """Whatever the order of its terms."""
    told, _ = forms("log(n^3 + n) - 3*log(n)", "n: f64 if n > 100 and n < 1e5")
    if not told["holds"]:
        raise Failed(f"{told}")


@test
def other_points_for_another_seed():
    words = "exp(x) - 2 + exp(-x)", "x: f64 if x >= -700 and x <= 700"
    first, again, other = (call("improve", *words, "--seed", seed)[0] for seed in ("1", "1", "2"))
    if first != again or first == other:
        raise Failed("the seed does not choose the points, or something else does")
    if "sinh" not in first:
        raise Failed(f"{first}")


@test
def the_rule_is_of_what_the_books_leave():
    """Rules of the books come before one of what was written: sigmoids are found there."""
    told, _ = forms("1/(1 + exp(x)) - (1 - x)/2", "x: f64 if x > 1e-10 and x < 1e-3")
    if not told["holds"] or not told["rule"].startswith("improved: sigmoid(-x) - (1 - x)/2 => "):
        raise Failed(f"{told}")
    if told["forms"][-1]["most"] > 1:
        raise Failed(f"{told}")


@test
def books_may_make_what_is_not_measured():
    rule = "exp(sin(x))*cos(x)*tan(y)*cos(y) => re(exp(complex(sin(x), x)))*sin(y) real"
    words = rule.split(" =>")[0], "x: f64 if x > 1 and x < 1.5", "y: f64 if y > 1 and y < 1.5", "--rule", rule
    if "     -       -  by the rules  sin(y)*re(" not in call("improve", *words)[0]:
        raise Failed(call("improve", *words)[0])
    forms(*words)


@test
def ands_of_an_op_are_measured():
    """part says `abs(x) == inf and abs(y) < inf`: what the books leave is measured, so that nothing worse is offered."""
    told, form = forms("x/(x + 1) - 1", "x: f64 if x > 0")
    if form["books"]["mean"] > 0.1 or "improved" in form:
        raise Failed(f"{told}")


@test
def only_where_it_is_asked_for():
    """The condition keeps eps beside x; without it most sums x + eps are one of the two."""
    told, form = forms("sin(x + eps) - sin(x)", "x: f64 if x > 1e-3 and x < 1e3", "eps: f64 if eps > 0 and eps < 1",
                       "--where", "eps < 1e-3*x and eps > 1e-12*x")
    if told["judged"] < 300 or form["written"]["mean"] < 5 or min(f["mean"] for f in told["forms"]) > 1.5:
        raise Failed(f"{told}")


@test
def points_are_found_where_the_condition_holds():
    for condition in "x > 1", "abs(x) < 1e-3", "x < 1e-300 and x > 0", "x > 1 or x < -1":
        call("improve", "x - sin(x)", "x: f64", "--where", condition)


@test
def nothing_to_be_better():
    """Where the books leave nothing to be found, nothing is searched."""
    for text in "x*y + 1", "log(1 + exp(x))":
        out = call("improve", text)[0]
        if "no better one is searched for" not in out:
            raise Failed(out)


@test
def what_it_does_not_take():
    for words, code, text in ((("sum(x)", "x: f64[n]"), 1, "f64"), (("x + 1", "x: f32"), 1, "f64"),
                              (("sqrt(x + 1) - sqrt(x)", "x: f64[n]"), 1, "numbers of f64 were wanted"),
                              (("x + 1", "x: f64 if x > 5 and x < 4"), 1, "what is promised of x"),
                              (("x + 1", "x=2.0"), 2, "a type was wanted"),
                              (("x + 1", "x: f64", "--where", "x > x"), 1, "none of the points"),
                              (("x + 1", "x: f64", "--where", "x + 1"), 1, "bool")):
        err = call("improve", *words, status=code)[1]
        if text not in err:
            raise Failed(f"{words}: {err}")


main(__doc__)
