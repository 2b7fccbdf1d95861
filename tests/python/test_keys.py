"""Keys outside of jit: the same keys, and draws of the same numbers, as within."""
import pickle

import numpy as np
import pytest
from conftest import TIERS

import porism


def words(k):
    return np.frombuffer(np.asarray(k).tobytes(), "u8").reshape(*k.shape, 2)


DRAWS = [porism.normal, porism.uniform, porism.uniform_open, porism.exponential]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("dtype", ["f16", "f32", "f64"])
def test_draws_as_within(draw, dtype):
    within = porism.jit(lambda s: draw(porism.subkey(porism.key(s), 3), (4, 2), dtype))(7)
    k = porism.key(7)
    for of in (porism.subkey(k, 3), k[3], porism.split(k, 5)[3], porism.split(k, 5)[-2]):
        got = draw(of, (4, 2), dtype)
        assert type(got) is np.ndarray and got.dtype == within.dtype
        np.testing.assert_array_equal(got, within)
    assert draw(k) == porism.jit(lambda s: draw(porism.key(s)))(7)


def test_what_a_key_is():
    k = porism.key(7)
    assert repr(k) == "Key(7, 0)" and k.shape == () and k.ndim == 0 and k.dtype == "key"
    np.testing.assert_array_equal(words(k), [7, 0])
    np.testing.assert_array_equal(words(porism.key(-1)), [2**64 - 1, 0])
    many = porism.key(np.array([1, 2, 3]))
    assert many.shape == (3,) and len(many) == 3 and repr(many) == "Key[3]"
    np.testing.assert_array_equal(words(many[1]), [2, 0])
    np.testing.assert_array_equal(words(many[1:]), [[2, 0], [3, 0]])
    np.testing.assert_array_equal(words(many[1, 5]), words(porism.subkey(porism.key(2), 5)))
    np.testing.assert_array_equal(words(k[np.arange(3)]), words(porism.subkey(k, np.arange(3))))
    np.testing.assert_array_equal([words(x) for x in many], words(many))
    np.testing.assert_array_equal(words(pickle.loads(pickle.dumps(many))), words(many))
    assert k == porism.key(7) and k != k[0] and list(many == porism.key(2)) == [False, True, False]
    a, b = porism.split(k)
    np.testing.assert_array_equal([words(a), words(b)], words(porism.split(k)))


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8"])
@pytest.mark.parametrize("tier", TIERS)
def test_every_seed_is_another(dtype, tier):
    """Seeds below 0 and past 2^63 too, as data as where they are written."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    seeds = np.array([low, low + 1, low//2 + 3, 0, 5, high//2 + 7, high], dtype)
    got = porism.jit(porism.key, tier=tier)(seeds)
    np.testing.assert_array_equal(words(got)[:, 0], seeds.astype("u8"))
    one = [porism.jit(lambda x, s=s: x + porism.normal(porism.key(s)), tier=tier)(0.0) for s in seeds]
    np.testing.assert_array_equal(porism.jit(lambda s: porism.normal(porism.key(s)), tier=tier)(seeds), one)
    assert len(set(one)) == len(set(seeds))


def test_split_within():
    def f(s):
        a, b = porism.split(porism.key(s))
        keys = porism.split(b, 3)
        return porism.normal(a, (2,)), porism.vmap(lambda k: porism.normal(k, (2,)))(keys)
    k = porism.key(5)
    for got, wanted in zip(porism.jit(f)(5), (porism.normal(k[0], (2,)), [porism.normal(k[1][i], (2,)) for i in range(3)])):
        np.testing.assert_array_equal(got, wanted)
    with pytest.raises(TypeError, match=r"split of f64\[n\]: it is of keys; of an array write x\[:k\] and x\[k:\]"):
        porism.jit(porism.split)(np.ones(3))
    with pytest.raises(TypeError, match="split of an array: it is of keys"):
        porism.split(np.ones(3))


def test_keys_go_in_and_out():
    @porism.jit
    def step(p, key):
        a, b = porism.split(key)
        return {"p": p + porism.normal(a, p.shape), "key": b}
    state, k, p = {"p": np.zeros(3), "key": porism.key(1)}, porism.key(1), np.zeros(3)
    for _ in range(4):
        state = step(state["p"], state["key"])
        p, k = p + porism.normal(k[0], (3,)), k[1]
    np.testing.assert_array_equal(state["p"], p)
    assert state["key"] == k and len(step.programs) == 1
    assert porism.jit(lambda k: k[0])(k) == k[0] and porism.jit(lambda s: porism.key(s))(3) == porism.key(3)
    held = porism.jit(lambda x: x + porism.normal(k, x.shape))(np.zeros(3))        # a key from outside
    np.testing.assert_array_equal(held, porism.normal(k, (3,)))
    assert step.notation(p, k).startswith("fn step(p: f64[n], key_: key) -> (key, f64[n]) =")
    again = porism.graph().load_text(step.notation(p, k), "")
    assert again.function("step", {}).signature()["inputs"] == [("p", "f64[n]"), ("key_", "key")]
    write = porism.jit(lambda k: k[1], donate="k")
    many = porism.split(k, 3)
    np.testing.assert_array_equal(words(porism.jit(lambda k: porism.subkey(k, 1))(many)), [words(x[1]) for x in many])
    assert write(k) == k[1]


def test_transforms_and_loops_of_keys():
    k = porism.key(11)
    keys = porism.split(k, 4)
    wanted = np.array([porism.normal(x, (2,)) for x in keys])
    np.testing.assert_array_equal(porism.vmap(lambda k: porism.normal(k, (2,)))(keys), wanted)
    np.testing.assert_array_equal(porism.normal(keys, (2,)), wanted)
    np.testing.assert_array_equal(porism.vmap(lambda k, m: m + porism.normal(k, ()), in_axes=(None, 0))(k, np.arange(3.0)),
                                  np.arange(3.0) + porism.normal(k))
    both = porism.vmap(lambda k: porism.vmap(porism.normal)(porism.split(k, 3)))(keys)
    np.testing.assert_array_equal(both, [[porism.normal(x[i]) for i in range(3)] for x in keys])
    turned = porism.vmap(lambda k: k[0])(keys)
    np.testing.assert_array_equal(words(turned), [words(x[0]) for x in keys])
    last, drawn = porism.scan(lambda k, x: (k[0], x + porism.normal(k)), k, np.zeros(3))
    np.testing.assert_array_equal(drawn, [porism.normal(k), porism.normal(k[0]), porism.normal(k[0][0])])
    assert last == k[0][0][0]
    assert porism.fori(0, 3, lambda i, k: k[i], k) == k[0][1][2]
    slope = porism.grad(lambda m, k: porism.sum((m*porism.normal(k, (3,)))**2))(2.0, k)
    np.testing.assert_allclose(slope, 4*np.sum(porism.normal(k, (3,))**2))
    assert porism.cond(True, lambda k: k[0], lambda k: k[1], k) == k[0]
    assert porism.jit(lambda c, k: porism.cond(c, lambda k: k[0], lambda k: k[1], k))(False, k) == k[1]
    np.testing.assert_array_equal(porism.gamma_draw(k, np.array([1.0, 2.0])),
                                  porism.jit(lambda s, a: porism.gamma_draw(porism.key(s), a))(11, np.array([1.0, 2.0])))


def test_keys_of_the_library():
    draw, mcmc = porism.library("draw"), porism.library("mcmc")
    k = porism.key(3)
    assert draw.normal(k, 0.0, 1.0) == draw.normal(3, 0.0, 1.0)
    assert draw.normal(k[2], 0.0, 1.0) == porism.jit(lambda s: draw.normal(porism.key(s)[2], 0.0, 1.0))(3)
    np.testing.assert_array_equal(porism.vmap(lambda k: draw.normal(k, 0.0, 1.0))(porism.split(k, 3)),
                                  [draw.normal(x, 0.0, 1.0) for x in porism.split(k, 3)])
    logp = lambda p: -p["x"]**2/2                                                                   # noqa: E731
    np.testing.assert_array_equal(mcmc.nuts(logp, {"x": 0.0}, k, draws=5)["q"]["x"],
                                  mcmc.nuts(logp, {"x": 0.0}, 3, draws=5)["q"]["x"])


def test_what_is_no_key():
    with pytest.raises(TypeError, match="normal: given i64, wanted a key, as key"):
        porism.normal(1, (3,))
    with pytest.raises(TypeError, match="Porism has no such|is no dtype of Porism"):
        porism.jit(lambda x: x)(np.zeros(2, dtype=[("a", "f8"), ("b", "f8")]))
    with pytest.raises(TypeError):
        porism.key(1) + 1
    with pytest.raises(TypeError, match="key"):
        porism.jit(lambda k: k + 1)(porism.key(1))
    with pytest.raises(TypeError, match="an index"):
        porism.key(1)["a"]
    with pytest.raises(IndexError):
        porism.split(porism.key(1))[5]


def test_a_traced_seed_is_the_key_that_it_is_outside(tmp_path):
    path = tmp_path / "draws.por"
    path.write_text("fn three(k: key) = normal[f64[3]](k)\n")
    three = porism.load(path).three
    assert porism.jit(three)(7).tolist() == porism.jit(lambda s: three(s + 1))(6).tolist() == three(7).tolist()
