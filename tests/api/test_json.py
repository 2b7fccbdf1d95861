#!/usr/bin/env python3
"""JSON of everything that por_explain tells, read by Python: of many programs, with names of any bytes, in any locale.

    test_json.py LIBPORISM
"""
import ctypes
import json
import locale
import sys

KINDS = ["calls", "rules", "stages", "profile", "kernels", "plan", "memory", "c", "log"]
STAGES = ["written", "merge", "map", "algebra", "stable", "remerge", "lower", "groups", "kernels", "plan", "code"]
PROGRAMS = [
    ("fn f(x: f64[n]) = sum(exp(x)*2.0)", 1),
    ("fn f(x: f64[n]) = log(sum(exp(x)))", 1),
    ("fn f(x: f64[n]) = softmax(x)*inf + nan", 1),
    ("fn f(x: f64[n]) = where(x > 0, -inf, 1e300*x)", 1),
    ("fn f(x: f64[n]) = grad(sum(sin(x)^3), x)", 1),
    ("fn f(x: f64[n]) = scan (r = 0.0, a in x) => r*0.5 + a", 1),
    ("fn f(x: f64[n]) = {a = x + x, b = (sum(x), max(x))}", 1),
    ("fn σ(größe: f64[n]) = größe*größe", 1),
    ("# \"quoted\" \\ and a tab\t\nfn f(x: f64[n]) = let y = x*1 + 0 in y*y", 1),
]
# as names of files: quotes, what controls, halves of characters, what is too long, a surrogate, any byte
FILES = [b"m.por", b'a "b" \\c.por', b"\x01\x1f\x7f.por", b"\xff\xfe.por", b"\xc3.por", b"\xe2\x82.por", b"\xc0\xaf.por",
         b"\xed\xa0\x80.por", b"\xf4\x90\x80\x80.por", "größe→.por".encode(), bytes(range(1, 256)).replace(b"\n", b"")[:200]]


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("tier", ctypes.c_int32), ("threads", ctypes.c_int32), ("laws", ctypes.c_uint32),
                ("no_rules", ctypes.c_int32), ("rules_off", ctypes.c_char_p), ("target", ctypes.c_char_p),
                ("cache", ctypes.c_char_p), ("compiler", ctypes.c_char_p), ("compile_seconds", ctypes.c_double),
                ("memory_cap", ctypes.c_uint64), ("donate", ctypes.c_int32), ("facts_unchecked", ctypes.c_int32),
                ("keep_stages", ctypes.c_int32), ("profile", ctypes.c_int32)]


def library(path):
    lib = ctypes.CDLL(path)
    for name, result, args in [
            ("por_open", "p", "p"), ("por_close", None, "p"), ("por_load", "p", "psls"), ("por_function_named", "p", "psip"),
            ("por_compile_function", "p", "pp"), ("por_explain", "p", "ps"), ("por_text_free", None, "p"),
            ("por_module_name", "s", "pi"), ("por_program_free", None, "p"), ("por_graph_error", "p", "p")]:
        kinds = {"p": ctypes.c_void_p, "s": ctypes.c_char_p, "i": ctypes.c_int, "l": ctypes.c_int64}
        f = getattr(lib, name)
        f.restype, f.argtypes = kinds.get(result), [kinds[a] for a in args]
    return lib


def no_constant(text):
    raise ValueError("JSON has no " + text)


def explained(lib, program, what):
    text = lib.por_explain(program, what.encode())
    if not text:
        return None
    data = ctypes.string_at(text)
    lib.por_text_free(text)
    return data


def check(lib, text, file, no_rules):
    graph = lib.por_open(None)
    module = lib.por_load(graph, text.encode(), -1, file)
    name = lib.por_module_name(module, 0)
    function = lib.por_function_named(module, name, 0, None)
    o = Options(size=ctypes.sizeof(Options), tier=1, keep_stages=2, profile=1, no_rules=no_rules)
    program = lib.por_compile_function(function, ctypes.byref(o))
    assert program, (text, ctypes.string_at(lib.por_graph_error(graph) + 256))
    asked = KINDS + ([] if no_rules else ["stage:" + s for s in STAGES])
    for what in asked:
        data = explained(lib, program, what + ".json")
        assert data, (text, file, what)
        value = json.loads(data.decode("utf-8"), parse_constant=no_constant)
        if what in ("rules", "stages", "profile"):
            assert isinstance(value, list), what
        else:
            assert value["what"] == what and value["text"].encode() == explained(lib, program, what).decode(
                "utf-8", "replace").encode(), what
        if what == "stages" and not no_rules:
            assert [s["stage"] for s in value] == STAGES
            assert all(s["milliseconds"] >= 0 for s in value)
    for what, keys in ("graphs", ["graphs", "stages", "rules", "steps"]), ("arrays", ["sizes", "steps", "arrays"]):
        value = json.loads(explained(lib, program, what + ".json").decode("utf-8"), parse_constant=no_constant)
        assert list(value) == keys, what
    assert explained(lib, program, "nothing.json") is None
    lib.por_program_free(program)
    lib.por_close(graph)
    return len(asked)


def main(path):
    lib, n = library(path), 0
    for name in ("C", "de_DE.UTF-8", "de_DE.utf8"):
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            continue
        for text, _ in PROGRAMS:
            n += check(lib, text, b"m.por", 0)
    for file in FILES:
        for no_rules in (0, 1):
            n += check(lib, PROGRAMS[0][0], file, no_rules)
    print(f"{n} texts of JSON read")


main(sys.argv[1])
