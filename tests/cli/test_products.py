#!/usr/bin/env python3
"""test_products.py PORISM [NAME...]: sums of products of arrays are made pair by pair, where that costs less."""

import itertools
import json
import random
import re

from command import Failed, call, main, near, same, test

UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
LABELS = "ijkl"


class Product:
    """A sum over some labels of a product of arrays; each has some, and each label is in one of them."""

    def __init__(self, chance, factors):
        self.has = ["".join(chance.sample(LABELS, chance.randint(1, 3))) for _ in range(factors)]
        used = sorted(set("".join(self.has)))
        summed = set(chance.sample(used, chance.randint(1, len(used))))
        self.result = [label for label in used if label not in summed]
        chance.shuffle(self.result)
        self.summed = sorted(summed)
        self.arrays = "abcd"[:factors]

    def text(self, size):
        terms = "*".join(f"{a}[{', '.join(has)}]" for a, has in zip(self.arrays, self.has))
        total = f"sum([{', '.join(f'{label} < {size[label]}' for label in self.summed)}] => {terms})"
        lanes = ", ".join(f"{label} < {size[label]}" for label in self.result)
        return f"[{lanes}] => {total}" if lanes else total

    def types(self, size):
        return [f"{a}: f64[{', '.join(str(size[label]) for label in has)}]" for a, has in zip(self.arrays, self.has)]

    def cheapest(self, size):
        """The fewest operations of any order of pairs, as explain counts them: 2 for each number of a product of
        arrays, 4 for one that is summed alone, and 6 where two of the same labels are multiplied and summed."""
        def elements(labels):
            n = 1
            for label in labels:
                n *= size[label]
            return n

        def best(left):
            least = None
            for a, b in itertools.combinations(range(len(left)), 2):
                rest = [has for i, has in enumerate(left) if i not in (a, b)]
                kept = (left[a] | left[b]) & set(self.result).union(*rest)
                each = 6 if left[a] & kept == left[b] & kept else 2
                cost = each*elements(left[a] | left[b]) + (best(rest + [kept]) if rest else 0)
                least = cost if least is None else min(cost, least)
            return least
        wanted = [set(self.result).union(*self.has[:n], *self.has[n + 1:]) for n in range(len(self.has))]
        first = sum(4*elements(has) for has, others in zip(self.has, wanted) if set(has) - others)
        return first + best([set(has) & others for has, others in zip(self.has, wanted)])


def operations(text, *types):
    told = json.loads(call("explain", text, *types, "--show", "summary", "--json")[0])["summary"]
    return sum(float(n)*UNITS[unit] for n, unit in re.findall(r"([\d.]+) ?([kMGT]?) operations", told))


def drawn(count):
    chance = random.Random(1)
    return [Product(chance, 2 + n % 3) for n in range(count)]


def nested(chance, sizes):
    if not sizes:
        return float(chance.randint(-9, 9))/8
    return [nested(chance, sizes[1:]) for _ in range(sizes[0])]


@test
def any_order_of_pairs_has_the_value_of_the_sum():
    """And so have its derivatives, which are such products too."""
    size = dict(zip(LABELS, (2, 3, 4, 5)))
    chance = random.Random(2)
    for p in drawn(24):
        value = [nested(chance, [size[label] for label in has]) for has in p.has]
        words = [f"{a}={v}" for a, v in zip(p.arrays, value)]
        total = f"sum(sin({p.text(size)}))"
        for text in (p.text(size), f"grad({total}, {p.arrays[0]})", f"grad(sum(grad({total}, {p.arrays[-1]})^2), a)"):
            near(call("eval", text, *words)[0], call("eval", text, *words, "--no-rules")[0], 1e-12)


@test
def no_order_of_pairs_does_much_less():
    """A kernel's operations count more where it strides: much is six times as many."""
    size = dict(zip(LABELS, (20, 30, 40, 50)))
    for p in drawn(96):
        least, done = p.cheapest(size), operations(p.text(size), *p.types(size))
        if done > 4*least + 3000:
            raise Failed(f"{p.text(size)}: {done:.3g} operations, not {least:.3g}")


@test
def what_one_pass_does_stays_one():
    for text, types in (("sum(x*y*z)", ("x: f64[n]", "y: f64[n]", "z: f64[n]")),
                        ("sum[1](A*B*x)", ("A: f64[n, m]", "B: f64[n, m]", "x: f64[m]")),
                        ("[s < 8] => sum([i < n, j < n] => x[i]*exp(T[s, i, j])*y[j])",
                         ("x: f64[n]", "y: f64[n]", "T: f64[8, n, n]"))):
        same("einsum" in call("explain", text, *types, "--stage", "lower")[0], False)


@test
def what_a_product_of_arrays_multiplies_goes_to_the_smaller_one():
    """Where that saves much: a layer's gain stays with the values, whose number is not known."""
    for text, types, wanted in (
            ("[i < n] => sum([j < n] => x[j]*A[i, j]*y[j])", ("x: f64[n]", "y: f64[n]", "A: f64[n, n]"), "A @ (x*y)"),
            ("(x[:, _]*A*y) @ z", ("x: f64[n]", "y: f64[n]", "z: f64[n]", "A: f64[n, n]"), "x*(A @ (y*z))"),
            ("sum([i < n, j < n] => x[i]*A[i, j]*x[j])", ("x: f64[n]", "A: f64[n, n]"), "A @ x @ x"),
            ("sum[1](A[:, :, _]*B[_, :, :])", ("A: f64[n, m]", "B: f64[m, k]"), "A @ B"),
            ("(g*X) @ W", ("X: f64[n, 8]", "g: f64[8]", "W: f64[8, 16]"), "g*X @ W")):
        lowered = call("explain", text, *types, "--stage", "lower")[0]
        same(lowered.strip().split(" = ")[-1], wanted)


main(__doc__)
