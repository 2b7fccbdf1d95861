#!/usr/bin/env python3
"""test_same.py PORISM [NAME...]: runs of steps that come again are told once, with the loops and branches that they hold."""

import re

from command import call, main, same, test, write_files

LSTM = """
    let s = scan (h = f64[8](0), c = f64[8](0), z in x) =>
        let g = p.u @ z + p.w @ h + p.b
        let c = c*sigmoid(g[:8] + 1) + sigmoid(g[8:16])*tanh(g[16:24])
        let h = tanh(c)*sigmoid(g[24:])
        in {h = h, c = c, out = h}
    in x + s.out"""
WHILE = """
    let y = scan (h = x, i < 20) while sum(h^2) < 50 => h*1.5 + tanh(h @ p.u[:8])*p.b[:8]
    in x + y*p.b[8:16]"""
BRANCH = """
    let y = if sum(x) > 0 then tanh(x @ p.u[:8])*p.b[:8] else cumsum[0](x*p.b[8:16])
    in x + y*p.b[8:16]"""
NESTED = """
    let y = scan (h = x, i < 3) =>
        let z = scan (z = h, j < 2) => tanh(z @ p.u[:8])*p.b[:8] + h*p.b[8:16]
        in z @ p.w[:8] + h
    in x + y"""
EFFECTS = """
    let y = scan (h = x, i < 2) => do print({h, i}) in tanh(h @ p.u[:8])*p.b[:8]
    in do assert(sum(y) < 1e9) in cumsum[0](x*p.b[8:16]) + y"""
KINDS = {"lstm": LSTM, "while": WHILE, "branch": BRANCH, "nested": NESTED, "effects": EFFECTS}

# What a further block may take: for the loss, and for its gradient.
LINES = {"lstm": (6, 15), "while": (6, 50), "branch": (20, 30), "nested": (6, 20), "effects": (6, 18)}


def program(blocks, body, result):
    """Equal blocks one upon the other, each with weights of its own."""
    names = [f"p{i}" for i in range(blocks)]
    given = ", ".join(f"{n}: Block" for n in names)
    lets = "".join(f"    let x{i + 1} = block(x{i}, p{i})\n" for i in range(blocks))
    weights = ", ".join(names)
    result = {"loss": "LOSS", "gradient": f"grad(LOSS, ({weights},))", "both": f"{{v = LOSS, d = grad(LOSS, ({weights},))}}"}[result]
    return f"""type Block = {{u: f64[32, 8], w: f64[32, 8], b: f64[32]}}
fn block(x: f64[t, 8], p: Block) ={body}
fn loss(x0: f64[t, 8], {given}) =
{lets}    in mean(x{blocks}^2)
fn f(x: f64[t, 8], {given}) = {result.replace("LOSS", f"loss(x, {weights})")}
"""


def arguments(blocks):
    return ["x=iota[3]()[:, _]*0.3 + iota[8]()*0.05 - 0.5",
            *(f"p{i}=" + "{" + f"u = iota[32]()[:, _]*f64[32, 8](0.01) - 0.1, w = f64[32, 8](0.03), b = iota[32]()*0.01 - 0.{i}"
              + "}" for i in range(blocks))]


def told(folder, text):
    """The lines of a program's C and of its plan, and the runs of the plan."""
    write_files(folder, p=text)
    call("build", f"{folder}/p.por:f", "-o", f"{folder}/c", "--name", "f")
    plan = call("explain", f"{folder}/p.por:f", "--stage", "plan")[0]
    with open(f"{folder}/c/f.c") as f:
        return f.read().count("\n"), plan.count("\n"), re.findall(r"^r\d+\(.*times:\n(?:  .*\n)*", plan, re.M)


@test
def blocks_that_hold_loops_differ_by_the_calls(folder):
    """Of the loss and of its gradient, in C and in plans; a loop written out takes from 20 lines of C to 300."""
    for kind, body in KINDS.items():
        for result, most in zip(("loss", "gradient"), LINES[kind]):
            (few, plan_few, _), (many, plan_many, runs) = (told(folder, program(n, body, result)) for n in (24, 48))
            loops = [r for r in runs if re.search(r"^  +(loop|if) ", r, re.M)]
            assert loops and many - few <= 24*most, (kind, result, many - few, len(loops))
            assert plan_many - plan_few <= 24*12, (kind, result, plan_many - plan_few)


@test
def runs_that_hold_loops_compute_the_same(folder):
    """Interpreted, native and as C, with one thread and with two: blocks that hold all of these, and their gradient."""
    whole = "".join("\n    let x =" + body.replace("\n", "\n    ") for kind, body in KINDS.items() if kind != "effects")
    for body, result in (whole + "\n    in x", "both"), (EFFECTS, "loss"):
        runs = told(folder, program(4, body, result))[2]
        assert any(re.search(r"^  +(loop|if) x", r, re.M) for r in runs)
        call("check", f"{folder}/p.por:f", *arguments(4))


UNLIKE = """type Block = {u: f64[8, 8], g: f64[8]}
fn some(x: f64[8], n: i64, p: Block) = let y = scan (y = x, i < n) => tanh(p.u @ y)*p.g in y + x
fn lengths(x: f64[8], n: i64, m: i64, p: Block, q: Block) = some(some(some(some(x, n, p), m, p), n + m, q), m, q)
fn sizes(x: f64[8], n: i64, m: i64, p: Block, q: Block) =
    let a = sum(i64(x > 0)) in let b = some(x, a, p) in let c = sum(i64(b > 0)) in some(some(b, c, q), a, q)
fn three(x: f64[8], p: Block) = let y = scan (y = x, i < 3) => tanh(p.u @ y)*p.g in y + x
fn four(x: f64[8], p: Block) = let y = scan (y = x, i < 4) => tanh(p.u @ y)*p.g in y + x
fn known(x: f64[8], n: i64, m: i64, p: Block, q: Block) = four(three(four(three(three(four(x, p), p), q), q), p), q)
fn grown(x: f64[8], n: i64, p: Block) =
    let y = scan (y = x, i < n) => let k = sum(i64(y > 0)) in tanh(p.u[:, :k] @ y[:k])*p.g in y + x
fn inside(x: f64[8], n: i64, m: i64, p: Block, q: Block) = grown(grown(grown(grown(x, n, p), n, q), m, p), m, q)
fn back(x: f64[8], p: Block) = let y = scan[back] (y = x, v in p.u) => tanh(y)*v in y + x
fn forth(x: f64[8], p: Block) = let y = scan (y = x, v in p.u) => tanh(y)*v in y + x
fn ways(x: f64[8], n: i64, m: i64, p: Block, q: Block) =
    back(forth(back(forth(back(back(forth(forth(x, p), p), q), q), p), q), q), p)
fn sides(x: f64[8], n: i64, m: i64, p: Block, q: Block) =
    let f = (x: f64[8], c: bool) => if c then three(x, p) else four(x, q)
    in f(f(f(f(x, n > 2), n > 3), m > 2), m > 3)
fn passes(x: f64[8], n: i64, m: i64, p: Block, q: Block) =
    let layers = (x: f64[8]) => lengths(ways(x, n, m, p, q), n, m, q, p)
    in scan (x = x, i < n) => layers(scan (x = x, i < m) => layers(layers(x*0.5)))
"""
# The runs with loops of each, by how often they come.
COMES = {"lengths": [4], "sizes": [3], "known": [3, 3], "inside": [], "ways": [4, 4], "sides": [4, 4, 4],
         "passes": [12, 12, 12]}


@test
def loops_that_differ_stay_apart(folder):
    """By their passes, in direction, and where sizes come with a pass; runs of loops may lie in loops that are one."""
    given = "x: f64[8], n: i64, m: i64, p: Block, q: Block"
    results = ", ".join(f"{k} = {k}(x, n, m, p, q)" for k in COMES)
    write_files(folder, p=UNLIKE + f"fn f({given}) = " + "{" + results + "}\n")
    words = [f"{k}=" + "{" + f"u = iota[8]()[:, _]*0.05 + f64[8, 8]({w}), g = iota[8]()*0.1 + {w}" + "}"
             for k, w in (("p", 0.2), ("q", -0.3))]
    for n, m in (3, 2), (0, 1):
        call("check", f"{folder}/p.por:f", "x=iota[8]()*0.3 - 1", f"n={n}", f"m={m}", *words)
    for k, times in COMES.items():
        runs = told(folder, UNLIKE + f"fn f({given}) = {k}(x, n, m, p, q)\n")[2]
        same([k, [int(re.search(r"(\d+) times", r)[1]) for r in runs if re.search(r"^  +(loop|if) ", r, re.M)]], [k, times])


main(__doc__)
