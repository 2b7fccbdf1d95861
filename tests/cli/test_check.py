#!/usr/bin/env python3
"""test_check.py PORISM [NAME...]: every way of computing a function, compared."""

import os

from command import EXAMPLES, call, holds, main, same, test, write_files


@test
def check_compares_bits():
    same(call("check", "sum(exp(x)*y)", "x: f64[n]", "y: f64[n]")[0].splitlines()[-1], "same 1 differ 0")
    # random expressions; what every fourth seed makes
    for seed in range(0, 40, 4):
        same(call("check", "--random", "1", "--seed", str(seed), "--no-native")[0], "same 1 differ 0\n")


@test
def check_makes_programs():
    out = call("check", "--random", "3", "--seed", "1", "--no-native", "--print")[0]
    holds(out, "# --seed 1\nfn f0(", "\nfn main(", "scan")
    same(out, call("check", "--random", "3", "--seed", "1", "--no-native", "--print")[0])


@test
def check_counts_what_it_does_not_check(folder):
    write_files(folder, none="fn any(x) = x\nfn z(z: c128[n]) = z*z\n", fails="fn f(x: f64[n]) = (x[:0])[0]\n")
    out, told = call("check", f"{folder}/none.por", status=1)
    same(out, "same 0 differ 0\n")
    holds(told, "any: not checked: ", "parameter x has no type", "z: complex numbers run on the reference tier only", "2 not checked")
    out, told = call("check", f"{folder}/fails.por", "--no-native", status=1)
    same(out, "same 0 differ 0\n")
    holds(told, "1 not checked")


@test
def check_a_file():
    same(call("check", f"{EXAMPLES}/logistic.por")[0].splitlines()[-1], "same 4 differ 0")


@test
def check_tells_what_compiled_tiers_refuse(folder):
    write_files(folder, c="fn f(z: c128[n]) = z*z\nfn g(x: f64[n]) = x*x\n"
                          "fn h(x: f64[n]) = scan (y = x, i < 3) => y*(1 + (scan (s = 0.0, j < i) => s + 1))\n")
    out, told = call("check", f"{folder}/c.por")
    same(out, "same 2 differ 0\n")
    holds(told, "1 not checked", "f: complex numbers run on the reference tier only")
    for command in ["run", f"{folder}/c.por:f", "z=[1i, 2.0]", "--tier", "native"], ["build", f"{folder}/c.por:f", "-o", folder]:
        holds(call(*command, status=1)[1], "complex numbers run on the reference tier only")


@test
def check_books(folder):
    path = os.path.join(folder, "b.por")
    with open(path, "w") as f:
        f.write("book good: check\nlarge: softplus(1000.0) <=> 1000.0\nfound: log(1 + exp(x)) => softplus(x)\n")
    same(call("check", path)[0], "same 2 differ 0\n")
    with open(path, "w") as f:
        f.write("book bad: check\nvalue: x + 1 <=> x + 1.001\nfound: log(2 + exp(x)) => softplus(x)\n")
    same(call("check", path, status=1)[0], "same 0 differ 2\n")


@test
def check_of_a_name_that_is_none(folder):
    write_files(folder, m="fn sq(x: f64[n]) = x^2\nfn any(x) = x\n")
    same(call("check", f"{folder}/m.por:sq")[0], "same 1 differ 0\n")
    holds(call("check", f"{folder}/m.por:nope", status=1)[1], "there is no nope")
    holds(call("check", f"{folder}/m.por:any", status=1)[1], "parameter x has no type")


main(__doc__)
