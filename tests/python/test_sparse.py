"""Sparse Jacobians and Hessians of random programs in the array form, beside dense ones: indices, branches, loops.

SPARSE_EXAMPLES=1000 goes through so many programs."""

import os
import random

import numpy as np
import pytest

import porism

EXAMPLES = int(os.environ.get("SPARSE_EXAMPLES", 120))
ROWS, COUNT = 3, 4
WALKS = ("[w in C] => {}", "[i < m] => let w = C[at[i]] in {}", "[i < m] => let w = C[at[i]] let v = C[at[m - 1 - i]] in {}",
         "[i < c - 1] => let w = C[i] let v = C[i + 1] in {}",
         "[i < m] => if at[i] > 0 then (let w = C[at[i] - 1] let v = C[at[i]] in {}) else C[0]")


class Bodies:
    """Formulas of vectors of three elements, and of numbers."""

    def __init__(self, seed, names):
        self.random, self.names = random.Random(seed), names

    def vector(self, depth):
        name, n = self.random.choice(self.names), self.number
        if not depth:
            return name
        v, kept = (lambda: self.vector(depth - 1)), self.names
        forms = [
            lambda: f"({v()} {self.random.choice('+-*')} {v()})", lambda: f"({n(depth - 1)}*{v()})", lambda: f"tanh({v()})",
            lambda: f"concat({v()}[1:], {v()}[:1])", lambda: f"{v()}[::-1]", lambda: f"{v()}[[2, 0, 1]]",
            lambda: f"[{n(depth - 1)}, {n(depth - 1)}, {n(depth - 1)}]", lambda: f"where({v()} > 0.2, {v()}, {v()})",
            lambda: f"(if {n(depth - 1)} > 0.3 then {v()} else {v()})", lambda: f"cumsum({v()})",
            lambda: f"({name} with [{self.random.randrange(3)}] = {n(depth - 1)})",
            lambda: f"(scan (q = {v()}, j < 2) => sin(q) + {name}*{n(depth - 1)})",
            lambda: f"([j < 3] => if j > 0 then {name}[j - 1]*{name}[j] else {n(depth - 1)})"]
        if self.random.random() > 0.4:
            return self.random.choice(forms)()
        value, size = v(), n(depth - 1)                  # what both sides and the condition use
        self.names = [*kept, "k"]
        taken = self.vector(depth - 1)
        self.names = kept
        return f"(let k = {value} let t = {size} in if t > 0.1 then {taken}*t else k)"

    def number(self, depth):
        name = self.random.choice(self.names)
        if not depth:
            return f"{name}[{self.random.randrange(3)}]"
        v, n = (lambda: self.vector(depth - 1)), (lambda: self.number(depth - 1))
        return self.random.choice([
            lambda: f"{name}[{self.random.randrange(3)}]", lambda: f"sum({v()})", lambda: f"dot({v()}, {v()})", lambda: f"cos({n()})",
            lambda: f"max({v()})", lambda: f"({n()} + {n()}*{n()})", lambda: f"(if {n()} > 0 then {n()} else {n()})"])()


def program(seed):
    walk = WALKS[seed % len(WALKS)]
    body = Bodies(seed, ["w", "v"] if " v =" in walk else ["w"]).vector(1 + seed % 4)
    given = "C: f64[c, 3], at: i64[m]"
    return "\n".join([f"fn e({given}) = {walk.format(body)}"] + [
        f"fn {name}({given}) = {form}" for name, form in (
            ("sparse", "sparse_jacobian(e(C, at), C)"), ("dense", "jacobian(e(C, at), C)"),
            ("sparse_second", "sparse_hessian(sum(e(C, at)^2), C)"), ("dense_second", "hessian(sum(e(C, at)^2), C)"))]) + "\n"


def filled(parts, shape):
    dense = np.zeros(shape)
    np.add.at(dense, (parts["rows"], parts["columns"]), parts["values"])
    return dense


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_dense_ones_agree(tmp_path, seed):
    path = tmp_path / "p.por"
    path.write_text(program(seed))
    p = porism.load(path)
    args = np.random.default_rng(seed).normal(size=(ROWS, 3)), np.array([2, 0, 1, 1])[:COUNT]
    for sparse, dense in (p.sparse, p.dense), (p.sparse_second, p.dense_second):
        want = np.reshape(dense(*args), (-1, 3*ROWS))
        np.testing.assert_allclose(filled(sparse(*args), want.shape), want, rtol=1e-8, atol=1e-9*(1 + np.abs(want).max(initial=0)))
