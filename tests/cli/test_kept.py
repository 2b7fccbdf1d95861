#!/usr/bin/env python3
"""test_kept.py PORISM [NAME...]: functions that stay functions: values, derivatives, lanes, what of them is one."""

import re

from command import TIERS, alike, call, holds, main, near, same, test, write_files

WORDS = "x=[0.5, -1.0, 2.0]", "w=0.75"

FORMS = ("kept((v) => sin(exp(v)*w))(x)*exp(w)",
         "let f = kept((v, s) => {a = exp(v*s), b = sin(s)}) in let r = f(x, w) in r.a*r.b*f(x*2, w).b",
         "kept((v) => v*kept((u) => sin(u)*w)(v + 1))(x)",
         "scan (h = x, i < 3) => kept((h) => sin(exp(h)*w + i))(h)",
         "kept((w) => scan (h = x) while sum(h) < 9 => exp(h)*w + 1)(w)",
         "if w > 0 then kept((v) => exp(v)*w)(x) else kept((v) => sin(v/w))(x)",
         "kept((v) => if w < 0 then exp(v)*w else sin(v/w))(x)",
         "[v in x] => kept((v) => exp(v)*sin(w*v))(v)",
         "[v in x] => if v > 0 then kept((v) => sqrt(v)*w)(v) else kept((v) => v^2/w)(v)",
         "checkpoint((v) => kept((u) => exp(u)*w)(v)*v)(x)",
         "kept((v) => checkpoint((u) => exp(u)*w)(v)*v)(x)",
         "kept((v, k) => v[k:])(x, 1)*2 + sum(x)*w",
         # called again: with another number, of another type, where what it has from outside is the same
         "let f = kept((v, k) => k*v + sin(v*w)) in f(x, 2) + f(x + 1, 3)*f(w, 2) + f(f(x, 2), 2)",
         "let f = kept((v) => sin(v)*w + exp(v)) in scan (h = f(x), i < 2) => f(h) + f(x*i)*(if w > 0 then f(w) else f(x[0]))")


@test
def values_derivatives_and_lanes():
    for e in FORMS:
        for f in (e, f"grad(sum(({e})^2), x)", f"grad(sum(({e})^2), w)", f"jvp({e}, w, 2.0)",
                  f"hessian(sum(({e})^2), x)", f"jacobian[forward](grad(sum(({e})^2), x), w)",
                  f"[s in [1.0, 2.0]] => grad(sum((({e})*s)^2), w)"):
            alike(f, f.replace("kept", ""), *WORDS, within=1e-12)


def program(blocks, gradient=True, called="block"):
    """Equal blocks one upon the other, each with weights of its own; the loss, or its gradient by all of them."""
    names = [f"p{i}" for i in range(blocks)]
    given = ", ".join(f"{n}: Block" for n in names)
    lets = "".join(f"    let x{i + 1} = {called}(x{i}, p{i})\n" for i in range(blocks))
    result = f"grad(loss(x, {', '.join(names)}), ({', '.join(names)},))" if gradient else f"loss(x, {', '.join(names)})"
    return f"""type Block = {{u: f64[8, 16], w: f64[16, 8], g: f64[8], b: f64[8]}}
fn norm(x: f64[t, 8], g: f64[8]) =
    let c = x - mean[1, keep = true](x)
    in c*rsqrt(mean[1, keep = true](c^2) + 1e-5)*g
fn block(x: f64[t, 8], p: Block) =
    let y = x + gelu(norm(x, p.g) @ p.u) @ p.w
    in y + tanh(norm(y, p.b))*p.g
fn loss(x0: f64[t, 8], {given}) =
{lets}    in mean(x{blocks}^2)
fn f(x: f64[t, 8], {given}) = {result}
"""


def arguments(blocks):
    weights = (f"p{i}=" + "{" + f"u = f64[8, 16](0.1), w = iota[16]()[:, _]*f64[16, 8](0.01) - 0.05, "
               f"g = iota[8]()*0.1 + {i}.0/10, b = 1 - iota[8]()*0.2" + "}" for i in range(blocks))
    return ["x=iota[3]()[:, _]*0.5 + iota[8]()*0.25", *weights]


def without(text, name):
    """The same text in which each call is of a definition of its own."""
    definition = re.search(rf"^fn {name}\(.*?(?=^fn |^type |\Z)", text, re.M | re.S)[0]
    parts = text.replace(definition, "\0").split(name + "(")
    calls = "".join(f"{part}{name}{i}(" for i, part in enumerate(parts[:-1])) + parts[-1]
    return calls.replace("\0", "".join(definition.replace(f"fn {name}(", f"fn {name}{i}(") for i in range(len(parts) - 1)))


def stage(folder, name, text, stage):
    write_files(folder, **{name: text})
    return call("explain", f"{folder}/{name}.por:f", "--stage", stage)[0]


@test
def equal_blocks_are_one(folder):
    """Text and graph of 12 and of 48 differ by the calls, for the loss and for its gradient; so do the kernels."""
    for gradient, calls in (False, 1), (True, 2):
        lines, nodes, kernels = {}, {}, {}
        for n in 12, 24, 48:
            text = program(n, gradient=gradient)
            for s in "written", "algebra", "stable":
                printed = stage(folder, f"p{n}", text, s)
                lines[n, s] = printed.count("\n")
                nodes[n, s] = int(re.search(r"(\d+) nodes", printed)[1])
                same(len(re.findall(r"^fn block\w*\(", printed, re.M)), calls)
                same(printed.count("kept("), n*calls)
            kernels[n] = call("explain", f"{folder}/p{n}.por:f", "--stage", "kernels")[0].count("\nkernel ")
        for s in "written", "algebra", "stable":
            for table, most in (lines, 4), (nodes, 25):
                each = (table[24, s] - table[12, s])/12
                assert each <= most and table[48, s] - table[24, s] == 24*each, (gradient, s, table)
        same(kernels[12], kernels[48])


def layers(count, called="layer"):
    """Recurrent layers one upon the other, and the gradient by all of their weights."""
    names = [f"p{i}" for i in range(count)]
    given = ", ".join(f"{n}: Layer" for n in names)
    lets = "".join(f"    let x{i + 1} = {called}(x{i}, p{i})\n" for i in range(count))
    return f"""type Layer = {{u: f64[4, 3, 3], w: f64[4, 3, 3], b: f64[4, 3]}}
fn layer(x: f64[t, 3], p: Layer) =
    let s = scan (h = f64[3](0), c = f64[3](0), z in x) =>
        let g = p.u @ z + p.w @ h + p.b
        let c = c*sigmoid(g[0]) + sigmoid(g[1])*tanh(g[2])
        let h = tanh(c)*sigmoid(g[3])
        in {{h = h, c = c, out = h}}
    in x + s.out
fn loss(x0: f64[t, 3], {given}) =
{lets}    in mean(x{count}^2)
fn f(x: f64[t, 3], {given}) = grad(loss(x, {', '.join(names)}), ({', '.join(names)},))
"""


@test
def equal_layers_that_hold_loops_are_one(folder):
    """What a body computes counts as what stands around the loop does. When all is lowered, each layer runs the loops
    that it runs when it is written out: forwards once, though its gradient needs it too, and back."""
    lines, nodes = {}, {}
    for n in 12, 24:
        for s in "written", "stable":
            printed = stage(folder, f"l{n}", layers(n), s)
            same(printed.count("kept("), 2*n)
            lines[n, s], nodes[n, s] = printed.count("\n"), int(re.search(r"(\d+) nodes", printed)[1])
        same(stage(folder, f"l{n}", layers(n), "lower").count(" scan"), 2*n)
    for s in "written", "stable":
        for table, most in (lines, 4), (nodes, 25):
            assert table[24, s] - table[12, s] <= 12*most, (s, table)
    shown = [f"p{i}=" + "{" + f"u = f64[4, 3, 3](0.1), w = f64[4, 3, 3]({i}.0/10), b = f64[4, 3](0.2)" + "}"
             for i in range(6)]
    write_files(folder, once=layers(6), apart=without(layers(6), "layer"))
    one, other = (call("run", f"{folder}/{name}.por:f", "x=iota[5]()[:, _]*0.1 + iota[3]()*0.2", *shown)[0]
                  for name in ("once", "apart"))
    near(one, other, 1e-12)



UNLIKE = """fn block(x: f64[n, d], w: f64[d, e], v: f64[e, d]) =
    let a = tanh(x @ w)
    let b = exp(-a^2)*a + sin(a)*cos(a)
    in x + (b/(1 + sum[1](b^2)[:, _])) @ v
fn four(x: f64[n, d], w1: f64[d, e1], v1: f64[e1, d], w2: f64[d, e2], v2: f64[e2, d], w3: f64[d, d], v3: f64[d, d]) =
    let b = BLOCK
    in sum(b(b(b(b(x, w1, v1), w2, v2), w3, v3), w1[:, :1], v1[:1])^2)
fn f(x: f64[n, d], w1: f64[d, e1], v1: f64[e1, d], w2: f64[d, e2], v2: f64[e2, d], w3: f64[d, d], v3: f64[d, d]) =
    let y = four(x, w1, v1, w2, v2, w3, v3)
    in {d = grad(y, x, w1, v2, w3, v3), h = jvp(grad(y, w2), w1, w1)}
"""


@test
def calls_of_other_sizes_have_their_own_derivatives(folder):
    """Where two sizes of one call are the same, a number, or another name, the derivatives are those of its text."""
    words = ("x=[[0.5, -0.2], [1.0, 0.3], [0.1, 0.9]]", "w1=[[0.1, 0.2, 0.3], [0.4, -0.5, 0.6]]", "v1=[[0.1, 0.2], [0.4, -0.5], [0.3, 0.3]]",
             "w2=[[0.1], [0.4]]", "v2=[[0.3, -0.7]]", "w3=[[0.1, 0.2], [-0.4, 0.5]]", "v3=[[0.1, 0.2], [0.4, -0.5]]")
    write_files(folder, apart=UNLIKE.replace("BLOCK", "block"))
    wanted = call("run", f"{folder}/apart.por:f", *words)[0]
    for kept in "kept(block)", "checkpoint(block)":
        write_files(folder, p=UNLIKE.replace("BLOCK", kept))
        for tier in "reference", "interpret":
            near(call("run", f"{folder}/p.por:f", *words, "--tier", tier)[0], wanted, 1e-12)
    holds(call("check", f"{folder}/p.por:f")[0], "differ 0")


BLOCKS = (False, "block", 12), (True, "block", 35), (True, "checkpoint(block)", 30)


@test
def c_differs_by_the_calls(folder):
    """And by what is told and checked of their sizes and arrays; written out, a block takes 300 lines, and 900."""
    for gradient, called, most in BLOCKS:
        lines = {}
        for n in 12, 24, 48:
            write_files(folder, **{f"p{n}": program(n, gradient, called)})
            call("build", f"{folder}/p{n}.por:f", "-o", f"{folder}/c{n}", "--name", "f")
            with open(f"{folder}/c{n}/f.c") as f:
                text = f.read()
            lines[n] = text.count("\n")
            assert n - 4 <= text.count("_run_same1(r, ") <= n, (n, text.count("_run_same1(r, "))
        assert lines[24] - lines[12] <= 12*most and lines[48] - lines[24] <= 24*most, lines


@test
def the_plan_differs_by_the_calls(folder):
    """A run of steps is told once; then come rows of arrays."""
    for gradient, called, _ in BLOCKS:
        runs, lines = {}, {}
        for n in 12, 24, 48:
            plan = stage(folder, "p", program(n, gradient, called), "plan")
            steps = plan[plan.index("r0("):]
            runs[n] = steps.count("times:\n")
            lines[n] = plan.count("\n")
            assert n - 1 <= steps.count("\nr0(b") <= n
        same(runs[12], runs[48])
        assert lines[48] - lines[24] == 2*(lines[24] - lines[12]) <= 24*3, lines


LISTS = """type Block = {u: f64[8, 8], g: f64[8]}
fn block(x: f64[t, 8], p: Block) = let y = cumsum[0](tanh(x @ p.u)*p.g) in x + sin(y @ p.u)
fn four(x: f64[t, 8], p: Block, q: Block) = block(block(block(block(x, p), q), p), q)
fn passes(x: f64[t, 8], n: i64, p: Block, q: Block) = scan (x = x, i < n) => block(four(x, p, q), q)*0.5
fn sides(x: f64[t, 8], n: i64, p: Block, q: Block) = if n > 2 then four(x, p, q) else four(x*2, q, p)
fn sizes(x: f64[t, 8], n: i64, p: Block, q: Block) =
    let y = four(x, p, q)[:n] in let z = four(y, p, q) in z[:sum(i64(z[:, 0] > 0))]
fn two(x: f64[t, 8], p: Block, q: Block) = let y = cumsum[0](tanh(x @ p.u)*q.g) in x + sin(y @ q.u)
fn pairs(x: f64[t, 8], n: i64, p: Block, q: Block) = two(two(two(two(x, p, p), p, q), q, p), q, q)
fn all(x: f64[t, 8], n: i64, p: Block, q: Block) =
    {a = passes(x, n, p, q), b = sides(x, n, p, q), c = sizes(x, n, p, q), d = pairs(x, n, p, q)}
"""


@test
def runs_of_steps_in_every_list(folder):
    """In bodies, in sides, and where sizes come with the steps between them: these are given, too."""
    write_files(folder, p=LISTS)
    words = [f"{k}=" + "{" + f"u = f64[8, 8]({w}), g = iota[8]()*0.1 + {w}" + "}" for k, w in (("p", 0.2), ("q", 0.3))]
    for name, rows in ("passes", 4), ("sides", 7), ("sizes", 8), ("pairs", 4):
        plan = call("explain", f"{folder}/p.por:{name}", "--stage", "plan")[0]
        same([name, len(re.findall(r"^ *r0\(\w*\d+, b", plan, re.M))], [name, rows])
    call("check", f"{folder}/p.por:all", "x=(iota[5]()*0.3)[:, _]*f64[5, 8](0.2) - 0.1", "n=3", *words)


@test
def the_values_are_those_of_what_is_written_out(folder):
    """Four calls stay; by three the same function is written out."""
    four = program(4)
    write_files(folder, four=four, none=without(four, "block"))
    holds(call("explain", f"{folder}/four.por:f", "--stage", "written")[0], "kept(block)(")
    assert "kept" not in call("explain", f"{folder}/none.por:f", "--stage", "written")[0]
    plain = call("run", f"{folder}/none.por:f", *arguments(4), "--tier", "reference")[0]
    for tier in TIERS:
        for threads in "12":
            near(call("run", f"{folder}/four.por:f", *arguments(4), "--tier", tier, "--threads", threads)[0], plain, 1e-12)


@test
def what_is_printed_reads_back(folder):
    for e in FORMS[:3] + (f"grad(sum({FORMS[0]}), x)", f"grad(sum({FORMS[1]}), w)"):
        printed = call("explain", e, "x: f64[n]", "w: f64", "--stage", "written")[0]
        write_files(folder, p=printed)
        name = re.findall(r"^fn (\w+)\(", printed, re.M)[-1]
        words = [w for w in WORDS if re.search(rf"\b{w[0]}: ", printed.split(f"fn {name}(")[1].split("->")[0])]
        same(call("run", f"{folder}/p.por:{name}", *words)[0], call("eval", e, *words)[0])
    for gradient in False, True:
        for s in "written", "stable":
            printed = stage(folder, "p", program(5, gradient=gradient), s)
            same(stage(folder, "q", printed, "written").split("\n", 1)[1].replace("q.por", "p.por").split("#")[0],
                 printed.split("\n", 1)[1].split("#")[0])


SMALL = "fn f(x: f64[n]) =\n    let g0 = {0}\n    let g1 = {1}\n    let g2 = {2}\n    let g3 = {3}\n    in g0 + g1 + g2 + g3\n"


def often(definition, *calls):
    return definition + "\n" + SMALL.format(*calls)


LONG = "sin(x) + " + " + ".join(f"cos(x*{i}.5)*tanh(x + {i})" for i in range(9))


@test
def what_is_written_out(folder):
    """Small functions, those that take what is known while building or what has no type yet, and those of few calls."""
    cases = {"small": often("fn h(x) = sin(x)*2", "h(x)", "h(x + 1)", "h(x + 2)", "h(x + 3)"),
             "index": often(f"fn h(x, k) = ({LONG})*x[k]", "h(x, 0)", "h(x, 1)", "h(x, 2)", "h(x, 1)"),
             "same index": often(f"fn h(x, k) = ({LONG})*x[k]", "h(x, 1)", "h(x + 1, 1)", "h(x + 2, 1)", "h(x + 3, 1)"),
             "large": often(f"fn h(x) = {LONG}", "h(x)", "h(x + 1)", "h(x + 2)", "h(x + 3)"),
             "weak": often(f"fn h(x) = {LONG}", "h(x) + h(x*2)", "h(x + 1)", "h(x + 2)", "h(sqrt(2))*x"),
             "function": often(f"fn h(g, x) = g({LONG})", "h(sin, x)", "h(cos, x + 1)", "h(sin, x + 2)", "h(sin, x + 3)"),
             "gives": often(f"fn h(x) = {{v = {LONG}, n = 2}}", "h(x).v", "h(x + 1).v", "h(x + 2).v", "h(x + 3).v*x[h(x).n]"),
             "thrice": often(f"fn h(x) = {LONG}", "h(x)", "h(x + 1)", "h(x + 2)", "x")}
    kept = {"large": 4, "weak": 4, "same index": 4}
    for name, text in cases.items():
        write_files(folder, p=text)
        written = call("explain", f"{folder}/p.por:f", "--stage", "written")[0]
        same([name, written.count("kept(h)(")], [name, kept.get(name, 0)])
        write_files(folder, q=without(text, "h"))
        near(call("run", f"{folder}/p.por:f", "x=[0.5, 1.0, 2.0]")[0],
             call("run", f"{folder}/q.por:f", "x=[0.5, 1.0, 2.0]", "--tier", "reference")[0], 1e-12)


@test
def why_is_told(folder):
    cases = {"fn h(x) = sin(x)*2": ("f calls h at 4 places: written out, of 4 operators, kept from 32 on", 4),
             f"fn h(x) = {LONG}": ("f calls h at 4 places: kept, of 74 operators", 4),
             f"fn h(x: f64[n] if x > 0) = {LONG}": ("f calls h at 4 places: written out, it has brackets, or facts", 4),
             f"fn h(x: f64[n]) = ({LONG})[:2]": ("f calls h at 3 places: written out, kept from 4 on", 3)}
    for definition, (text, places) in cases.items():
        calls = [f"h(x + {i})" for i in range(places)] + ["0.0"]*(4 - places)
        write_files(folder, p=often(definition, *calls))
        out = call("explain", f"{folder}/p.por:f", "--show", "calls")[0]
        assert out.startswith("# ---- calls\n" + text) and out.count("\n") == 3, out
        holds(call("explain", f"{folder}/p.por:f")[0], text)
    holds(call("explain", "kept((v) => sin(v))(x)", "--show", "calls")[0], "kept, of 2 operators, as is said")
    assert "calls" not in call("explain", "sin(x)")[0]


NESTED = """
use optim
use solve
fn minima(a: f64) = optim.newton_cg((x) => let y = optim.newton_cg((y) => let z = optim.newton_cg((z) =>
    (z - y)^2 + z^4/10 + x*z, 0.5).x in (y - x)^2 + z^2, 0.5).x in (x - a)^2 + y^2, 0.5).x
fn third(a: f64) = solve.newton((z) => z^3 + z - a, 1.0).x
fn second(a: f64) = solve.newton((y) => y + third(y) - a, 1.0).x
fn first(a: f64) = solve.newton((x) => x + second(x) - a, 1.0).x
fn roots(a: f64) = solve.newton((x) => x + first(x) - a, 1.0).x
fn slope(a: f64) = grad(roots(a), a)
"""


@test
def solvers_within_solvers(folder):
    """A solver evaluates its function at several places: it is elaborated once.  Numbers: mpmath's findroot."""
    write_files(folder, n=NESTED)
    for name, nodes, value, within in (("minima", 150000, 0.82516998904934498, 1e-8),
                                       ("roots", 150000, 0.78314610998330350, 1e-15),
                                       ("slope", 250000, 0.60676882027581726, 1e-15)):
        out = call("eval", f"{folder}/n.por:{name}", "a=1.3", "--tier", "interpret", "--max-nodes", str(nodes))[0]
        near(out, [value], within)


@test
def effects_stay_in_order(folder):
    body = f"do print({{x}}) in {LONG}"
    write_files(folder, p=often(f"fn h(x) =\n    {body}", "h(x)", "h(x + 1)", "h(x + 2)", "h(x + 3)"))
    for tier in TIERS:
        err = call("run", f"{folder}/p.por:f", "x=[0.5]", "--tier", tier)[1]
        same(re.findall(r"x = \[([\d.]+)\]", err), ["0.5", "1.5", "2.5", "3.5"])


@test
def errors_inside():
    for tier in TIERS:
        holds(call("eval", "kept((v) => v[k])(x)", "x=[1.0]", "k=7", "--tier", tier, status=1)[1], "7")
    holds(call("eval", "kept(2)(x)", *WORDS, status=1)[1], "kept", "function")


@test
def every_way_agrees(folder):
    write_files(folder, p=program(5))
    call("check", f"{folder}/p.por:f", *arguments(5))


main(__doc__)
