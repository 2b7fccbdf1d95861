#!/usr/bin/env python3
"""What `porism view` writes: the JSON of its page, which needs no browser to be read."""
import json
import os
import re
import shutil

from command import EXAMPLES, HERE, Failed, call, holds, main, same, test

MODEL = os.path.normpath(os.path.join(HERE, "..", "page", "gru.por"))


def page(folder, *words):
    """The data of a page."""
    path = os.path.join(folder, "page.html")
    same(call("view", *words, "-o", path)[0], path + "\n")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for word in "http://www.w3.org/2000/svg", :
        text = text.replace(word, "")
    if "http:" in text or "https:" in text or " src=" in text:
        raise Failed("the page asks for something that it does not hold")
    return json.loads(re.search(r'id="data">\n(.*?)</script>', text, re.S).group(1))


def function(data, stage):
    """A stage's function: its nodes as (text, class, type, operands by place), its bodies, parameters, results."""
    graphs = data["graphs"]["graphs"]
    number = dict(data["graphs"]["stages"])[stage] if isinstance(stage, str) else stage
    f = graphs["functions"][number]
    nodes = []
    for i, (label, kind, _, *back) in enumerate(f["nodes"]):
        text, _, sort = graphs["labels"][label]
        nodes.append((text, sort, graphs["types"][kind], [i - k for k in back]))
    names = graphs["texts"]
    return {"nodes": nodes, "bodies": f["bodies"], "params": [names[n] for n, _ in f["params"]],
            "results": [(at, names[n]) for at, n in f["results"]]}


@test
def nodes_have_their_operands_in_order(folder):
    # x - 2*y over parameters: the difference's second operand is the product, whose literal stands in its text
    f = function(page(folder, "x - 2*y", "x: f64[n]", "y: f64[n]"), "written")
    texts = [n[0] for n in f["nodes"]]
    minus, times = texts.index("$0 - $1"), texts.index("2*$1")
    same(f["nodes"][minus][3][1], times)
    x, y = f["nodes"][minus][3][0], f["nodes"][times][3][1]
    same([f["params"][int(f["nodes"][k][0])] for k in (x, y)], ["x", "y"])
    same(f["nodes"][f["nodes"][times][3][0]][1], "literal")
    same(f["nodes"][minus][2], "f64[n]")
    same(f["results"], [(minus, "")])


@test
def loops_have_their_bodies(folder):
    data = page(folder, f"{MODEL}:gradient")
    f = function(data, "stable")
    loops = [i for i, n in enumerate(f["nodes"]) if n[0].startswith("scan")]
    same(sorted(f["nodes"][i][0] for i in loops), ["scan back, t passes"] + 3 * ["scan, t passes"])
    for i in loops:
        (number, bound, first, carried, walked), = f["bodies"][str(i)]
        body = function(data, number)
        same(first, 0)
        same(bound, 1 + carried + walked)                       # the index, what is carried, what is walked along
        same(len(body["params"]), len(f["nodes"][i][3]))        # parameter k is operand k: the index stands for the steps
        # sizes of the body are those of the function around it
        holds(" ".join(n[2] for n in body["nodes"]), "f64[h]")
        same("s1" in " ".join(n[2] for n in body["nodes"]), False)
    same([name for _, name in f["results"]], ["bh", "br", "bz", "uh", "ur", "uz", "wh", "wr", "wz"])


@test
def sides_of_a_branch(folder):
    data = page(folder, f"{MODEL}:branch")
    f = function(data, "algebra")
    at = next(i for i, n in enumerate(f["nodes"]) if n[0] == "if $0")
    yes, no = [function(data, b[0]) for b in f["bodies"][str(at)]]
    holds(" ".join(n[0] for n in yes["nodes"]), "log($0)")
    holds(" ".join(n[0] for n in no["nodes"]), "2*$1")


@test
def rules_step_by_step(folder):
    data = page(folder, f"{MODEL}:branch")["graphs"]
    steps = {s[1]: s for s in data["steps"]}
    stage, _, place, before, after, *_ = steps["softplus"]
    same(data["stages"][stage][0], "stable")
    same((before, after, place), ("log1p(exp(x))", "softplus(x)", f"{MODEL}:28"))
    text, where = data["rules"]["softplus"]
    holds(text, "softplus", "=>")
    holds(where, "stable:")
    # what came stands in the graph after the stage: in which function, and where
    function_at, node_at = steps["softplus"][7:9]
    body = data["graphs"]["functions"][function_at]
    same(data["graphs"]["labels"][body["nodes"][node_at][0]][0], "softplus($0)")


@test
def times_and_memory(folder):
    data = page(folder, "exp(X @ X)", "X=f64[100, 100](0.01)", "--tier", "interpret")
    steps = data["profile"]
    product = next(s for s in steps if s["what"] == "contract")
    same(product["work"], product["calls"] * 100**3)
    same(product["bytes"], product["calls"] * 2 * 100 * 100 * 8)  # one operand, twice, and one result
    same(min(data["peaks"].values()) > 0, True)
    work = [a for a in data["memory"]["arrays"] if a["space"] == "work"]
    same([a["bytes"] for a in work], [100 * 100 * 8])             # the product, which the exponential reads
    same(data["memory"]["sizes"], "given")
    same("profile" in page(folder, "exp(x)", "x: f64[n]"), False)
    # inputs whose sizes are numbers are drawn
    data = page(folder, "where(f, x[i], normal[f64](k))", "x: f64[1000]", "i: i64[7]", "f: bool", "k: key", "--tier", "interpret")
    same(max(a["bytes"] for a in data["memory"]["arrays"] if a["space"] == "input"), 8000)
    same(all(s["calls"] > 4 for s in data["profile"]), True)


@test
def every_form(folder):
    """Of each function of forms.por all labels and types have their names, and Graphviz's input its frames."""
    file = os.path.join(HERE, "..", "lang", "cases", "forms.por")
    with open(file, encoding="utf-8") as f:
        generic = {"applied", "folded"}                       # a value must give their types
        names = [n for n in re.findall(r"^(?:fn|op) (\w+)", f.read(), re.M) if n not in generic]
    same(len(names) > 90, True)
    for name in names:
        graphs = page(folder, f"{file}:{name}")["graphs"]["graphs"]
        for text in [label[0] for label in graphs["labels"]] + graphs["types"]:
            if "?" in text or "(null)" in text:
                raise Failed(f"{name}: {text}")
        for f in graphs["functions"]:
            for i, (_, _, _, *back) in enumerate(f["nodes"]):
                same(all(0 < k <= i for k in back), True)     # operands are before their users
        call("view", f"{file}:{name}", "-o", f"{folder}/p.dot")
        with open(f"{folder}/p.dot", encoding="utf-8") as f:
            text = f.read()
        same((text.count("{"), "(null)" in text), (text.count("}"), False))


@test
def operands_are_told_apart(folder):
    """Places of operands, of which several are dots and have an order; a sum, and what has a name, needs none."""
    call("view", "(exp(x) + sin(x)) - exp(x)/x", "--stage", "written", "-o", f"{folder}/p.dot")
    with open(f"{folder}/p.dot", encoding="utf-8") as f:
        text = f.read().split("cluster_after")[0]
    node = {m[2]: m[1] for m in re.finditer(r'(before_n\d+) \[label="(.*?)\\n', text)}
    less = node["· - ·"]
    same(re.findall(rf'(before_n\d+) -> {less} \[headlabel="(\d)"', text), [(node["· + ·"], "1"), (node["·/x"], "2")])
    same(text.count("headlabel"), 2)


@test
def wide_pictures_stand_below(folder):
    """Two graphs beside each other that are wider than a screen stand one below the other."""
    if not shutil.which("dot"):
        return
    for target, below in ("exp(x)", False), (f"{EXAMPLES}/logistic.por:step", True):
        call("view", target, "-o", f"{folder}/p.svg")
        with open(f"{folder}/p.svg", encoding="utf-8") as f:
            text = f.read()
        (_, low), (high, _) = (sorted({float(y) for y in re.findall(r",([-0-9.]+)", points)}) for points in re.findall(
            r'<title>cluster_(?:before|after)</title>\n<polygon [^>]*points="(.*?)"', text))
        same(low <= high, below)


@test
def texts_end_no_script(folder):
    with open(f"{folder}/p.por", "w", encoding="utf-8") as f:
        f.write("# </script><script>alert(1)</script>\nfn f(x: f64) = x + 1\n")
    data = page(folder, f"{folder}/p.por:f")
    holds(data["sources"][0]["text"], "</script>")


main(__doc__)
