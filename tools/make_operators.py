#!/usr/bin/env python3
"""Makes docs/operators.md from the table of operators.

    make_operators.py OPS.H DOC.md           writes it
    make_operators.py --check OPS.H DOC.md   says whether it is up to date
"""
import re
import sys
import textwrap

sys.dont_write_bytecode = True

import made                                     # noqa: E402
from make_header import operators               # noqa: E402, one reader of ops.h

SECTIONS = [
    ("LEAF", "Leaves", "What a graph begins with. They have no operands."),
    ("MAP", "Maps", "Elementwise. All operands have one shape when the node is built: NumPy's broadcasting has become "
     "`expand` by then. The result has that shape."),
    ("FOLD", "Folds", "The axes of the attribute go: of `f64[m, n]`, `sum[1](x)` is `f64[m]` and `sum(x)` is `f64`. "
     "`[axis, keep]` leaves axes of size 1; it stands for a fold and a reshape. Order is defined: blocks of 4,096 "
     "terms, joined pairwise (see architecture.md)."),
    ("CUMULATIVE", "Cumulative", "The shape stays."),
    ("VIEW", "Views", "The same elements elsewhere; no arithmetic."),
    ("INDEX", "Indices", "Elements chosen by data."),
    ("CONTRACT", "Contraction", "Matrix products, with batches, and every other sum of products of two arrays."),
    ("SOLVE", "Decompositions and solving", "On the last two axes; what leads is a batch."),
    ("RANDOM", "Random numbers", "Counter-based: the same key gives the same numbers, in any order and on any number "
     "of threads."),
    ("CONTROL", "Control", "Tuples, functions, loops, operators of the user's, order of effects."),
]
DTYPES = {
    "SAME": "any number", "MODULUS": "number; complex to real", "REAL": "real number", "FLOAT": "float or complex", "RFLOAT": "real float",
    "INT": "integer", "BITS": "integer or bool", "BOOL": "bool", "TEST": "any to bool", "RTEST": "real or bool to bool",
    "FTEST": "real float to bool", "SELECT": "(bool, T, T) to T", "OWN": "see notes",
}
OWN = {
    "INPUT": "any", "PARAM": "any", "FRESH": "any", "CONST": "any", "SIZE": "i64", "IOTA": "i64",
    "CAST": "number or bool to any", "BITCAST": "same width",
    "STOP": "any", "COMPLEX": "(f32, f32) to c64, (f64, f64) to c128", "RE": "number to real", "IM": "number to real",
    "CONJ": "number", "SUM": "number or bool; small integers to 64 bits", "PROD": "number or bool; as sum",
    "ARGMAX": "real to i64", "ARGMIN": "real to i64", "CUMSUM": "number; integers to 64 bits",
    "GATHER": "any, indices any integer", "SCATTER_ADD": "number, indices any integer",
    **{f"SCATTER_{n}": f"{t}, indices any integer" for n, t in (("MAX", "real"), ("MIN", "real"), ("MUL", "number"),
                                                               ("AND", "bool"), ("OR", "bool"))},
    "SCATTER_SET": "any, indices any integer", "ONE_HOT": "integer to the named dtype", "TOP_K": "real to (T, i64)",
    "CONTRACT": "number", "QR": "f32, f64", "TRI_SOLVE": "f32, f64", "KEY": "integer to key",
    "KEY_AT": "(key, integer) to key", "UNIFORM": "key to the named float", "NORMAL": "key to the named float",
    "UNIFORM_OPEN": "key to the named float", "EXPONENTIAL": "key to the named float", "GAMMA_DRAW": "(key, real float T) to T",
    "TUPLE": "any", "GET": "any", "CALL": "as the function says", "SCAN": "as the body says",
    "IF": "bool, then any",
    "CUSTOM": "as its signature says", "TOKEN": "token", "ORDER": "(token, any) to token",
}
SHAPES = {
    "INPUT": "as declared", "PARAM": "as declared", "FRESH": "as declared", "CONST": "any", "SIZE": "[]", "IOTA": "[n]",
    "CUMSUM": "[..s] to [..s]", "RESHAPE": "[..s] to [sizes]", "TRANSPOSE": "axes permuted",
    "EXPAND": "new axes inserted", "SLICE": "[length...]", "FLIP": "[..s] to [..s]",
    "PAD": "before + step*(n - 1) + 1 + after; 0 elements: before + after", "CONCAT": "sizes along the axis add up",
    "GATHER": "[..a, n, ..b], [..i] to [..a, ..i, ..b]", "SCATTER_ADD": "[..a, n, ..b], [..i], [..a, ..i, ..b] to "
    "[..a, n, ..b]", **{f"SCATTER_{n}": "as scatter_add" for n in ("MAX", "MIN", "MUL", "AND", "OR")},
    "SCATTER_SET": "as scatter_add", "ONE_HOT": "[..s] to [..s, n]",
    "TOP_K": "[..s, n] to ([..s, k], [..s, k])", "CONTRACT": "by labels",
    "QR": "[..s, m, n] to ([..s, m, n], [..s, n, n])", "TRI_SOLVE": "[..s, n, n], [..s, n, k] or [n] to [..s, n, k] or [n]",
    "KEY": "[] to []", "KEY_AT": "[..s] to [..s]", "UNIFORM": "[sizes]", "NORMAL": "[sizes]",
    "UNIFORM_OPEN": "[sizes]", "EXPONENTIAL": "[sizes]", "GAMMA_DRAW": "[..s], [..s] to [..s]", "TUPLE": "-", "GET": "-",
    "CALL": "as the function says", "SCAN": "carried: unchanged; trace: [steps, ..s]", "IF": "as both sides say", "CUSTOM": "as its signature says",
    "TOKEN": "-", "ORDER": "-",
}
# How the notation writes what is neither a sign nor NAME(x, y).  Of leaves and control, only the graph has the name.
WRITTEN = {
    "INPUT": "a name", "PARAM": "a name", "FRESH": "a name", "CONST": "`1.5`", "SIZE": "a size's name",
    "IOTA": "`iota[n]()`", "TOKEN": "-", "WHERE": "`where(c, x, y)`", "CAST": "`f32(x)`",
    "BITCAST": "`bitcast[u64](x)`", "NOT": "`not x`",
    "RESHAPE": "`reshape[m, n](x)`", "TRANSPOSE": "`x.T`, `transpose[1, 0](x)`", "EXPAND": "`expand[0, n](x)`",
    "SLICE": "`x[1:3]`, `slice[1, 2, 1](x)`", "FLIP": "`x[::-1]`, `flip[0](x)`", "PAD": "`pad[1, 2, 1](x)`",
    "CONCAT": "`concat[0](x, y)`", "CUMSUM": "`cumsum[0](x)`", "GATHER": "`x[i]`, `gather[0](x, i)`",
    "SCATTER_ADD": "`x with [i] += v`, `scatter_add[0](x, i, v)`",
    "SCATTER_SET": "`x with [i] = v`, `scatter_set[0](x, i, v)`",
    "SCATTER_MAX": "`scatter_max[0](x, i, v)`", "SCATTER_MIN": "`scatter_min[0](x, i, v)`",
    "SCATTER_MUL": "`scatter_mul[0](x, i, v)`", "SCATTER_AND": "`scatter_and[0](c, i, true)`",
    "SCATTER_OR": "`scatter_or[0](c, i, true)`", "ONE_HOT": "`one_hot[n](i)`, `one_hot[n, f32](i)`",
    "TOP_K": "`top_k[2](x)`", "CONTRACT": "`X @ Y`, `einsum[(i, j), (j, k), (i, k)](X, Y)`", "QR": "`qr(X)`",
    "TRI_SOLVE": "`tri_solve[lower](X, b)`, `tri_solve[upper, turned](X, b)`", "KEY": "`key(s)`", "KEY_AT": "`k[i]`",
    "UNIFORM": "`uniform[f64[n]](k)`", "NORMAL": "`normal[f64[n]](k)`", "UNIFORM_OPEN": "`uniform_open[f64[n]](k)`",
    "EXPONENTIAL": "`exponential[f64[n]](k)`", "GAMMA_DRAW": "`gamma_draw(k, x)`", "TUPLE": "`(x, y)`",
    "GET": "`get[0](t)`, `let (a, b) = t in a`", "CALL": "`f(x)`", "SCAN": "`scan (z = x, i < 3) => 2*z`",
    "IF": "`if s > 0 then cumsum(x) else x`",
    "CUSTOM": "its own name", "ORDER": "`do print(x) in x`, `do check(x) in x`",
}
FOLDS = {"FOLD": "`%s(x)`, `%s[0](x)`, `%s[0, keep](x)`"}
FLAGS = {"COMM": "commutative", "ASSOC": "associative", "IDEM": "idempotent", "LINEAR": "linear",
         "BILINEAR": "bilinear", "ZERO": "maps 0 to 0", "INCREASING": "increasing", "DECREASING": "decreasing", "EVEN": "even", "ODD": "odd",
         "REFLEXIVE": "reflexive", "EFFECT": "effect"}
INFIX = re.compile(r"^[^\w]+$|^(and|or)$")
HEAD = """# Operators

Made from `src/ir/ops.h` by `tools/make_operators.py`; do not edit. Every operator of the graph has a row. The
functions of the library (`softmax`, `relu`, `mean`, ...) are written in the notation itself, in `lib/*.por`.

*Written* is how the notation writes it; `[ ]` holds what is fixed when the graph is built. *Number* is the
operator's number in C (`POR_OP_...`), which never changes. *Dtypes*: T is one dtype for all operands and the
result. An integer meets a float as that float; two integers as the array API says; literals take the dtype
that they meet. An axis may be counted from the end: `sum[-1](x)`.
"""


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def written(op):
    if op.NAME in WRITTEN:
        return WRITTEN[op.NAME]
    if op.cls in FOLDS:
        return FOLDS[op.cls] % (op.text, op.text, op.text)
    if INFIX.match(op.text):
        return "`%sx`" % op.text if op.args == "1" else "`x %s y`" % op.text
    return "`%s(%s)`" % (op.text, {"1": "x", "2": "x, y", "3": "x, y, z"}[op.args])


def document(ops):
    out = [HEAD]
    known = {cls for cls, _, _ in SECTIONS}
    for number, op in enumerate(ops, 1):
        if op.cls not in known:
            sys.exit("make_operators: class %s of %s has no section" % (op.cls, op.NAME))
        if op.dtype not in DTYPES or (op.dtype == "OWN" and op.NAME not in OWN and op.cls != "VIEW"):
            sys.exit("make_operators: the dtypes of %s have no words" % op.NAME)
    for cls, title, says in SECTIONS:
        rows = [(n, op) for n, op in enumerate(ops, 1) if op.cls == cls]
        if not rows:
            continue
        out.append("\n## %s\n\n%s\n" % (title, textwrap.fill(says, 108)))
        shaped = cls not in ("MAP", "FOLD")
        out.append("\n| number | written | formula | dtypes |%s flags | edge cases |" % (" shapes |" if shaped else ""))
        out.append("\n|---|---|---|---|%s---|---|\n" % ("---|" if shaped else ""))
        for n, op in rows:
            name = op.NAME
            dt = OWN.get(name, "any") if op.dtype == "OWN" else DTYPES[op.dtype]
            marks = ", ".join(FLAGS[f] for f in op.flags.split("|") if f in FLAGS)
            if shaped and name not in SHAPES:
                sys.exit("make_operators: the shapes of %s have no words" % name)
            shape = " %s |" % cell(SHAPES[name]) if shaped else ""
            out.append("| %d `%s` | %s | %s | %s |%s %s | %s |\n" % (
                n, name, written(op).replace("|", "\\|"), cell(op.formula), cell(dt), shape, marks,
                cell(op.notes)))
    return "".join(out)


def files(table, page):
    return {page: document(list(operators(table)))}


if __name__ == "__main__":
    made.main((__doc__, __file__), files, 2)
