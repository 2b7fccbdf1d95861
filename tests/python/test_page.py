"""What a notebook shows of a function, and the page that it is."""
import html
import json
import re

import numpy as np
import porism

X = np.linspace(0, 1, 12).reshape(4, 3)
W = np.array([0.1, -0.2, 0.3])


def data_of(page):
    return json.loads(re.search(r'id="data">\n(.*?)</script>', page, re.S).group(1))


@porism.jit
def loss(w, X):
    z = X @ w
    return porism.mean(porism.log(1 + porism.exp(z)))


def test_a_function_that_is_compiled_has_a_page():
    data = data_of(loss.page(W, X))
    assert data["title"] == "loss"
    assert [name for name, _ in data["graphs"]["stages"]] == ["written", "merge", "map", "algebra", "stable", "remerge", "lower"]
    assert "softplus" in data["graphs"]["rules"]
    (source,) = data["sources"]
    assert source["file"] == __file__ and "porism.log(1 + porism.exp(z))" in source["text"]
    line = 1 + source["text"].splitlines().index("    z = X @ w")
    texts, origins = data["graphs"]["graphs"]["texts"], data["graphs"]["graphs"]["origins"]
    assert [__file__, line, "z"] in [[texts[f], at, "z"] for f, at, *_ in origins]       # nodes have the lines of Python
    assert sum(s["calls"] for s in data["profile"]) > 0 and data["peaks"]["memory"] > 0


def test_a_notebook_shows_it():
    fresh = porism.jit(lambda x: porism.sum(x*x))
    assert "call it" in fresh._repr_html_()
    fresh(X)
    shown = fresh._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and shown.count("<") == 2
    data = data_of(html.unescape(re.search(r'srcdoc="([^"]*)"', shown).group(1)))
    assert "profile" not in data                                # without values there are no times
    assert any(label[0] == "sum($0)" or label[0].startswith("sum[") for label in data["graphs"]["graphs"]["labels"]) or \
        any(label[1] in ("sum", "einsum") for label in data["graphs"]["graphs"]["labels"])


def test_functions_of_the_notation(tmp_path):
    path = tmp_path / "m.por"
    path.write_text("fn f(x: f64[n]) = log(1 + exp(x))\nfn g(x) = x + 1\n")
    file = porism.load(path)
    assert data_of(file.f.page())["sources"] == [{"file": str(path), "text": path.read_text()}]
    assert "profile" in data_of(file.f.page(W))
    assert file.f._repr_html_().startswith("<iframe") and file.g._repr_html_() == "<code>g(x)</code>"
    assert "profile" in data_of(file.g.page(W))
    assert "profile" in data_of(porism.notation("x*2").page(3.0))
