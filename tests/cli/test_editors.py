#!/usr/bin/env python3
"""test_editors.py PORISM [NAME...]: what colours the notation in editors has every word and sign, and colours."""

import json
import os
import re
import shutil
import subprocess
import tempfile

from command import HERE, Failed, call, holds, main, same, test

ROOT = os.path.join(HERE, "..", "..")
TEXT = """use optim
# A comment with fn in it
fn loss(p: f64[n], k: i32) =
    let z = exp(p.weight)*1_000.5e-3
    in where(z <= 2, 0x1.8p3, inf)
book mine: algebra
one_rule[tag]: x*1 => x   real
"""
# line, column, group: what stands there
SEEN = [(1, 1, "porismKeyword"), (2, 5, "porismComment"), (2, 19, "porismComment"), (3, 1, "porismKeyword"), (3, 4, "porismFunction"),
        (3, 9, ""), (3, 12, "porismType"), (4, 13, "porismOperatorName"), (4, 19, "porismField"), (4, 26, "porismOperator"),
        (4, 27, "porismNumber"), (4, 35, "porismNumber"), (5, 16, "porismOperator"), (5, 19, "porismNumber"), (5, 28, "porismNumber"),
        (5, 31, "porismConstant"), (6, 1, "porismKeyword"), (7, 1, "porismRule"), (7, 18, "porismNumber"), (7, 20, "porismOperator")]


def table():
    """Keywords and signs of the lexer's table; dtypes; names of operators."""
    with open(f"{ROOT}/src/parse/lex.c", encoding="utf-8") as f:
        words = re.findall(r'"([^"]+)"', re.search(r"token_texts\[\] = \{(.*?)\};", f.read(), re.S).group(1))
    with open(f"{ROOT}/include/porism_dtypes.h", encoding="utf-8") as f:
        dtypes = re.findall(r"POR_([A-Z]+\d*) = \d", f.read())
    words = words[3:]
    return ([w for w in words if w.isalpha()], [w for w in words if not w.isalpha() and w not in list("()[]{},:.")],
            [d.lower() for d in dtypes if d != "NO"])


@test
def all_words_are_there():
    keywords, signs, dtypes = table()
    same(len(keywords), 17)
    vim, textmate = call("--syntax", "vim")[0], json.loads(call("--syntax=textmate")[0])
    rules = {p["name"]: p["match"] for p in textmate["patterns"] if "name" in p}
    grouped = {m[0]: m[1].split() for m in re.findall(r"syn keyword (\w+) (.*)", vim)}
    for word in keywords:
        holds(" ".join(grouped["porismKeyword"]), word)
        same(re.fullmatch(rules["keyword.control.porism"], word) is not None, True)
    for dtype in dtypes:
        if dtype not in grouped["porismType"] or not re.fullmatch(rules["support.type.porism"], dtype):
            raise Failed(f"{dtype} is no type")
    for name in "grad", "exp", "sum", "where", "einsum", "typeof", "logsumexp", "hessian", "gather":
        if name not in grouped["porismOperatorName"] or not re.fullmatch(rules["support.function.porism"], name):
            raise Failed(f"{name} is no operator")
    for sign in signs:
        found = re.match(rules["keyword.operator.porism"], sign)
        if not found or found.group() != sign:
            raise Failed(f"{sign} is no sign")
    for number in "12", "1_000", "0.5", "1e-3", "2i", "0x1.8p3":
        found = re.match(rules["constant.numeric.porism"], number)
        if not found or found.group() != number:
            raise Failed(f"{number} is no number")


@test
def vim_colours():
    """Vim itself, where it is, reads the file, finds it for *.por, and says what stands where."""
    if not shutil.which("vim") or "+syntax" not in subprocess.run(["vim", "--version"], capture_output=True, text=True).stdout:
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, kind in ("syntax/porism.vim", "vim"), ("ftdetect/por.vim", "ftdetect"):
            os.makedirs(f"{folder}/{os.path.dirname(name)}", exist_ok=True)
            with open(f"{folder}/{name}", "w", encoding="utf-8") as f:
                f.write(call("--syntax", kind)[0])
        with open(f"{folder}/some.por", "w", encoding="utf-8") as f:
            f.write(TEXT)
        asks = "\n".join(f"call add(seen, synIDattr(synID({line}, {column}, 1), 'name'))" for line, column, _ in SEEN)
        with open(f"{folder}/ask.vim", "w", encoding="utf-8") as f:
            f.write(f"let seen = [&filetype]\n{asks}\ncall writefile(seen, '{folder}/seen')\nqall!\n")
        subprocess.run(["vim", "-u", "NONE", "-es", "-N", "--cmd", f"set runtimepath^={folder}", "-c", "filetype on", "-c",
                        "syntax on", "-c", f"edit {folder}/some.por", "-S", f"{folder}/ask.vim"], check=False, timeout=60,
                       stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, "HOME": folder})
        with open(f"{folder}/seen", encoding="utf-8") as f:
            seen = f.read().splitlines()
        same(seen[0], "porism")
        same([(*place[:2], got) for place, got in zip(SEEN, seen[1:])], SEEN)


@test
def other_editors():
    holds(call("--syntax", "emacs", status=2)[1], "vim, ftdetect or textmate was wanted")
    call("--syntax", status=2)
    holds(call("--help")[0], "--syntax EDITOR")


main(__doc__)
