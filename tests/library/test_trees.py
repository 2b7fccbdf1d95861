#!/usr/bin/env python3
"""test_trees.py PORISM: a tree-LSTM over 1,000 trees of different shapes, examples/trees.por, against recursion in Python:
values of all roots, and the derivative along a direction, by complex steps and by the gradient."""
import cmath
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from command import EXAMPLES, Failed, call, main, parse_npy, test, write_npy    # noqa: E402

TREES, D, H = 1000, 2, 3
STEP = 1e-30


def random_tree(rng, size):
    """A number of each node's word, and its two children or None."""
    if size == 1:
        return [[rng.gauss(0, 1) for _ in range(D)], None, None]
    left = rng.randrange(size)
    parts = [random_tree(rng, n) if n else None for n in (left, size - 1 - left)]
    return [[rng.gauss(0, 1) for _ in range(D)], *parts]


def height(tree):
    return 0 if tree is None else 1 + max(height(tree[1]), height(tree[2]))


def by_levels(trees):
    """The nodes of all trees by height, as index arrays; the places of the roots."""
    levels = {}

    def place(tree):
        if tree:
            place(tree[1])
            place(tree[2])
            levels.setdefault(height(tree), []).append(tree)

    for t in trees:
        place(t)
    nodes = [n for level in sorted(levels) for n in levels[level]]
    at = {id(n): i for i, n in enumerate(nodes)}
    child = [[at[id(n[k])] if n[k] else len(nodes) for n in nodes] for k in (1, 2)]
    start = [0]
    for level in sorted(levels):
        start.append(start[-1] + len(levels[level]))
    return [n[0] for n in nodes], child[0], child[1], start, [at[id(t)] for t in trees]


def sigmoid(z):
    return 1/(1 + cmath.exp(-z))


def recurse(p, tree):
    if tree is None:
        return [0]*H, [0]*H
    hl, cl = recurse(p, tree[1])
    hr, cr = recurse(p, tree[2])
    z = [p["b"][j] + sum(tree[0][i]*p["x"][i][j] for i in range(D)) +
         sum(hl[i]*p["l"][i][j] + hr[i]*p["r"][i][j] for i in range(H)) for j in range(5*H)]
    c = [sigmoid(z[j])*cmath.tanh(z[2*H + j]) + sigmoid(z[3*H + j])*cl[j] + sigmoid(z[4*H + j])*cr[j] for j in range(H)]
    return [sigmoid(z[H + j])*cmath.tanh(c[j]) for j in range(H)], c


def flat(a):
    return [v for row in a for v in flat(row)] if isinstance(a, list) else [a]


def near(got, wanted, within):
    got, wanted = flat(got), flat(wanted)
    worst = max(abs(a - b) for a, b in zip(got, wanted)) if len(got) == len(wanted) else None
    if worst is None or not worst <= within:
        raise Failed(f"{len(got)} and {len(wanted)} numbers, at most {worst} apart")


def doubles(values):
    return struct.pack(f"<{len(values)}d", *values)


@test
def a_thousand_trees(folder):
    rng = random.Random(7)
    draw = lambda *shape: [draw(*shape[1:]) for _ in range(shape[0])] if shape else rng.uniform(-1, 1)
    p = {"b": draw(5*H), "l": draw(H, 5*H), "r": draw(H, 5*H), "x": draw(D, 5*H)}
    v = {"b": draw(5*H), "l": draw(H, 5*H), "r": draw(H, 5*H), "x": draw(D, 5*H)}
    trees = [random_tree(rng, rng.randint(1, 25)) for _ in range(TREES)]
    words, left, right, start, roots = by_levels(trees)
    n = len(words)
    write_npy(f"{folder}/x.npy", "<f8", (n, D), doubles(flat(words)))
    for name, numbers in ("left", left), ("right", right), ("start", start), ("roots", roots):
        write_npy(f"{folder}/{name}.npy", "<i8", (len(numbers),), struct.pack(f"<{len(numbers)}q", *numbers))
    add = lambda a, b: [add(s, t) for s, t in zip(a, b)] if isinstance(a, list) else a + STEP*1j*b
    moved = {k: add(p[k], v[k]) for k in p}
    found = [recurse(moved, t)[0] for t in trees]
    arguments = ["p=" + str(p).replace("'", "").replace(":", " =")]
    arguments += [f"{name}=@{folder}/{name}.npy" for name in ("x", "left", "right", "start", "roots")]
    for tier in "reference", "interpret":
        call("run", f"{EXAMPLES}/trees.por:tops", *arguments, "--tier", tier, "--output", f"{folder}/out.npy")
        with open(f"{folder}/out.npy", "rb") as f:
            near(parse_npy(f.read())[1], [h.real for h in flat(found)], 1e-13)
    g = eval(call("run", f"{EXAMPLES}/trees.por:gradient", *arguments)[0].replace("=", ":").translate(
        {ord("{"): "dict(", ord("}"): ")"}).replace(":", "="))
    along = sum(a*b for k in p for a, b in zip(flat(g[k]), flat(v[k])))
    near(along, sum(h.imag/STEP for h in flat(found)), 1e-9)


main(__doc__)
