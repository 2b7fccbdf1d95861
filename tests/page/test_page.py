#!/usr/bin/env python3
"""The pages of `porism view` in a headless browser: drawn, clicked through, searched; nothing goes wrong in them and
nothing is asked of a network.

    test_page.py PORISM [FOLDER]      FOLDER: pictures of what was seen are left there
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
LARGEST = 2_000_000                                   # bytes of a page
shown = {"folder": None, "failed": 0, "passed": 0}


def check(what, good, found=""):
    """Counts, and tells what is not so."""
    shown["passed" if good else "failed"] += 1
    if not good:
        print(f"not so: {what}: {found}")


def make(porism, folder, target, *words):
    """The page of a target."""
    path = os.path.join(folder, "page.html")
    subprocess.run([porism, "view", target, *words, "-o", path], check=True, stdout=subprocess.DEVNULL)
    return path


def texts(b, selector):
    """What the elements say."""
    return b.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")


def picture(b, name):
    if shown["folder"]:
        b.picture(os.path.join(shown["folder"], name + ".png"))


def loops(b, porism, folder):
    """The gradient of a recurrent unit: a body is opened, rules are stepped through, a line and a name found."""
    path = make(porism, folder, f"{HERE}/gru.por:gradient")
    check("the page is small", os.path.getsize(path) < LARGEST, os.path.getsize(path))
    b.open(path)
    names = b.run("[...document.querySelectorAll('.stages button')].map(e => e.dataset.stage)")
    check("stages", names == ["written", "merge", "map", "algebra", "stable", "remerge", "lower"], names)
    picture(b, "gradient")
    b.click("#fold")
    folded = b.run("document.querySelectorAll('g.node').length")
    titles = texts(b, "g.closed .title")
    check("loops are boxes", sorted(titles) == ["scan back, t passes"] + 3 * ["scan, t passes"], titles)
    b.click("g.closed .toggle")
    opened = b.run("document.querySelectorAll('g.node').length")
    check("a body is opened in its box", opened > folded + 15, (folded, opened))
    inner = texts(b, "g.open g.node text")
    check("the body has the user's names", {"candidate", "z", "r", "next s"} <= set(inner), inner)
    check("and what it captures by name", any("p.bz" in t for t in inner), inner)
    check("types stand on edges", {"f64[h]"} <= set(texts(b, "g.open .edge ~ .type, g.open text.type")))
    b.click("g.open > .toggle")
    check("and closed again", b.run("document.querySelectorAll('g.node').length") == folded)
    steps(b)
    lines(b)
    found(b)
    b.click("#compare")
    captions = texts(b, ".caption")
    check("two stages stand beside each other", captions == ["before: algebra", "after: stable"], captions)
    check("what goes and what comes is marked", b.run("document.querySelectorAll('g.gone').length > 0 && "
                                                     "document.querySelectorAll('g.new').length > 0"))
    picture(b, "compare")
    b.click("#compare")


# How many types on edges stand over a box without parts, or over another type.
MEETING = """(() => {
    const inner = (e) => {
        const r = e.getBoundingClientRect(), y = e.tagName === "text" ? r.height*0.2 : 0;
        return [r.left, r.top + y, r.right, r.bottom - y];
    };
    document.querySelectorAll(".far").forEach((e) => e.classList.remove("far"));
    const types = [...document.querySelectorAll("svg.graph text.type")].map(inner).filter((r) => r[2] > r[0]);
    const boxes = [...document.querySelectorAll("svg.graph g.node:not(.open) > rect")].map(inner);
    const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    return types.filter((t, i) => boxes.some((r) => meet(t, r)) || types.some((o, k) => k < i && meet(t, o))).length;
})()"""


# How many nodes of the graph are in sight; how wide it is, and all its boxes beside one another.
SEEN = """(() => {
    const pane = document.querySelector("svg.graph").getBoundingClientRect();
    const boxes = [...document.querySelectorAll("svg.graph > g > g.node > rect")].map(e => e.getBoundingClientRect());
    const scale = boxes[0].width / +document.querySelector("svg.graph > g > g.node > rect").getAttribute("width");
    const sight = boxes.filter(r => r.right > pane.left && r.left < pane.right && r.bottom > pane.top && r.top < pane.bottom);
    return [sight.length, Math.max(...boxes.map(r => r.right)) - Math.min(...boxes.map(r => r.left)),
        boxes.reduce((sum, r) => sum + r.width + 60 * scale, 0)];
})()"""


def steps(b):
    """Through all applications of rules, and back."""
    b.click("[data-tab=rules]")
    many = b.run("steps.length")
    for k in range(many):
        b.click("#next")
        check("the counter counts", texts(b, "#where") == [f"{k + 1} of {many}"], texts(b, "#where"))
    names = b.run("steps.map(s => s.rule)")
    check("rules by name", "sech_square" in names, names)
    at = names.index("sech_square")
    for _ in range(many - 1 - at):
        b.key("p")
    check("its text and place", texts(b, "pre.rule") == ["sech_square: 1 - tanh(x)^2 => sech(x)^2 real"], texts(b, "pre.rule"))
    check("its book", "rules/lower.por:" in texts(b, ".step .sub")[0], texts(b, ".step .sub"))
    check("before and after", ("1 - tanh(" in texts(b, "pre.before")[0] or "candidate" in texts(b, "pre.before")[0]) and
          "sech(" in texts(b, "pre.after")[0], (texts(b, "pre.before"), texts(b, "pre.after")))
    picture(b, "step")
    b.click("[data-stage=stable]")


def lines(b):
    """A line shows its nodes, a node its line."""
    line = b.run("[...document.querySelectorAll('.lines li')].findIndex(e => e.textContent.includes('let candidate'))")
    b.key("Escape")
    b.click("#unfold")
    b.click(".lines li code", line)
    lined = texts(b, "g.lined > text")
    check("nodes of the line", "candidate" in lined and "tanh(\u00b7)" in lined and "z" not in lined, lined)
    picture(b, "line")
    b.key("Escape")
    b.run("showTab('node')")
    b.run("(() => { const s = view.panes[0].shown.find(k => k.b.name === 'r'); view.panes[0].center(s.g); })()")
    b.run("view.panes[0].shown.find(k => k.b.name === 'r').g.setAttribute('id', 'wanted')")
    b.click("#wanted text")
    chosen = texts(b, ".lines li.chosen code")
    check("the line of a node", len(chosen) == 1 and "let r =" in chosen[0], chosen)
    check("its formula", "sigmoid(" in texts(b, "pre.formula")[0] and "p.br" in texts(b, "pre.formula")[0], texts(b, "pre.formula"))
    check("its type", "f64[h]" in texts(b, "dl dd"), texts(b, "dl dd"))


def found(b):
    """The search opens what hides a node."""
    b.click("#fold")
    b.run("document.getElementById('search').focus()")
    b.ask("Input.insertText", text="candidate")
    rows = texts(b, ".found li")
    check("found by name", rows and rows[0].startswith("candidate = tanh("), rows)
    b.key("\r")
    chosen = texts(b, "g.chosen > text.name")
    check("and shown", chosen == ["candidate"], chosen)
    b.run("document.getElementById('search').value = ''")


def blocks(b, porism, folder):
    """Twelve equal blocks are one box."""
    b.open(make(porism, folder, f"{HERE}/gru.por:tower"))
    titles = texts(b, "g.again .title")
    check("equal blocks are drawn once", titles == ["12 \u00d7 a block of 8"], titles)
    picture(b, "blocks")
    b.click("g.again .toggle")
    check("one of them is inside", "x @ \u00b7" in texts(b, "g.again g.node text") or "\u00b7 @ \u00b7" in texts(b, "g.again g.node text"),
          texts(b, "g.again g.node text"))
    check("which goes on from the one before", "the block before" in texts(b, "g.again g.ghost text"))


def types(b, porism, folder):
    """Types stand where there is room: over no box, over no other type."""
    for target in f"{HERE}/../../examples/digits/digits.por:gradient", f"{HERE}/gru.por:gradient":
        b.open(make(porism, folder, target))
        check("types stand on edges of " + os.path.basename(target), b.run("document.querySelectorAll('text.type').length") > 20)
        check("and meet nothing", b.run(MEETING) == 0, b.run(MEETING))


def places(b, porism, folder):
    """Every graph of the examples is seen as its page opens, with no more room between two boxes than a box takes."""
    for target in ("flow.por:flow", "flow.por:gradient", "flow.por:path", "logistic.por:gradient", "leapfrog.por:pendulum",
                   "leapfrog.por:sample", "hmm.por:gradient", "hmm.por:viterbi", "rosenbrock.por:newton", "formulas.por:roots",
                   "trees.por:gradient"):
        b.open(make(porism, folder, f"{HERE}/../../examples/{target}"))
        seen, wide, together = b.run(SEEN)
        check(f"{target}: nodes are seen", seen > 0, seen)
        check(f"{target}: nodes stand together", wide <= together, (wide, together))


def sides(b, porism, folder):
    """A branch has both sides; numbers stand in the formula that uses them."""
    b.open(make(porism, folder, f"{HERE}/gru.por:branch"))
    b.click("[data-stage=algebra]")
    text = texts(b, "g.node text")
    check("two sides", "where it holds" in text and "where it does not" in text, text)
    check("numbers are folded into who uses them", "2*x" in text and "1 + \u00b7" in text, text)
    b.click("[data-stage=stable]")
    check("a rule has changed it", "softplus(x)" in texts(b, "g.node text, g.node .title"), texts(b, "g.node text"))
    light = b.run("getComputedStyle(document.body).backgroundColor")
    b.click("#theme")
    dark = b.run("getComputedStyle(document.body).backgroundColor")
    check("dark and light", light != dark, (light, dark))
    picture(b, "dark")


def times(b, porism, folder):
    """With values: the time of each step and line, bytes, shares; the memory over steps."""
    b.open(make(porism, folder, "sum(exp(X @ X)*2)", "X=f64[200, 200](0.001)"))
    b.click("[data-tab=times]")
    rows = texts(b, "tbody td:first-child")
    check("lines and steps", any("line 1" in r for r in rows) and any(r.startswith("contract") for r in rows), rows)
    check("shares of peaks", any(re.match(r"\d+% (cache|memory|products)$", t) for t in texts(b, "td.num")), texts(b, "td.num"))
    check("a bar beside the line", b.run("document.querySelectorAll('.lines .bar i').length") == 1)
    picture(b, "times")
    b.click("[data-tab=memory]")
    check("memory over steps", b.run("document.querySelectorAll('svg.chart .area').length") == 1)
    b.click("[data-tab=text]")
    check("the notation", "logsumexp" in "".join(texts(b, "pre.notation")) or "exp(" in "".join(texts(b, "pre.notation")))


def large(b, porism, folder):
    """Ten thousand nodes that are all different: parts are folded, one is opened."""
    file = os.path.join(folder, "large.por")
    names = ["sin", "tanh", "cos", "exp", "abs"]
    with open(file, "w", encoding="utf-8") as f:
        f.write("fn large(x: f64[n], y: f64[n]) =\n    let a0 = x\n    let a1 = y\n")
        for k in range(2, 2500):
            f.write(f"    let a{k} = {names[k * k % 5]}(a{k - 1}*{1 + k % 97 / 128} + a{max(0, k - 2 - k % 7)}) - a{max(0, k - 3 - k % 11)}*x\n")
        f.write("    in sum(a2499)\n")
    path = make(porism, folder, f"{file}:large")
    check("the page is small", os.path.getsize(path) < LARGEST, os.path.getsize(path))
    begin = time.monotonic()
    b.open(path)
    took = time.monotonic() - begin
    nodes = b.run("sizeOf(stages[0].fn)")
    check("so many nodes", nodes >= 9_990, nodes)
    check("parts are drawn", b.run("document.querySelectorAll('g.part').length") > 10)
    check("and they alone", b.run("document.querySelectorAll('g.node').length") < 200)
    b.click("g.part .toggle")
    picture(b, "large")
    check("a part is opened", b.run("document.querySelectorAll('g.part.open g.node').length") > 5)
    print(f"{nodes} nodes: {os.path.getsize(path)/1e6:.2f} MB, drawn in {took:.2f} s")


def main(porism, folder=None):
    if not browser.find():
        print("skipped: there is no chromium here (tools/setup.sh all installs it)")
        sys.exit(SKIPPED)
    shown["folder"] = folder
    if folder:
        os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as own, browser.Browser() as b:
        for part in loops, types, places, blocks, sides, times, large:
            part(b, porism, own)
            check(part.__name__ + ": nothing goes wrong, nothing is asked of a network", not b.said, b.said)
            b.said.clear()
    print(f"{shown['passed']} passed, {shown['failed']} failed")
    sys.exit(shown["failed"] > 0)


main(*sys.argv[1:])
