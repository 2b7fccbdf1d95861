#!/usr/bin/env python3
"""The library through ctypes: every public function with NULL and 0, and one computation.

    test_ctypes.py LIBPORISM.SO HEADER...
"""
import ctypes as c
import math
import os
import re
import sys
import tempfile

class Array(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device", c.c_int32 * 2), ("ndim", c.c_int32), ("code", c.c_uint8),
                ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]

class Error(c.Structure):
    _fields_ = [("code", c.c_int32), ("line", c.c_int32), ("column", c.c_int32), ("argument", c.c_int32),
                ("file", c.c_char * 240), ("text", c.c_char * 768)]

def declarations(headers):
    """(result, name, parameters) of every function of the headers."""
    text = ""
    for path in headers:
        with open(path, encoding="utf-8") as f:
            text += re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    for m in re.finditer(r"POR_API\s+([\w ]+?[ *]+)(por_\w+)\(([^;]*)\);", text):
        yield m.group(1).strip(), m.group(2), [p.strip() for p in m.group(3).replace("\n", " ").split(",")]

def kind(text):
    if "*" in text or "por_rewrite" in text:
        return c.c_void_p
    for word, type_ in (("double", c.c_double), ("int64_t", c.c_int64), ("por_size", c.c_int64),
                        ("uint64_t", c.c_uint64), ("size_t", c.c_size_t), ("unsigned", c.c_uint),
                        ("uint32_t", c.c_uint32), ("int", c.c_int)):
        if re.search(r"\b%s\b" % word, text):
            return type_
    if "por_entry" in text:
        return c.c_void_p
    return None

def call_all(lib, headers):
    n = 0
    for result, name, params in declarations(headers):
        if name == "por_view":
            continue
        f = getattr(lib, name)
        args = [] if params == ["void"] else [kind(p) for p in params]
        f.restype, f.argtypes = kind(result), args
        assert None not in args, (name, params)
        value = f(*[a(0) for a in args])
        if name in ("por_open", "por_context_new"):
            getattr(lib, "por_close" if name == "por_open" else "por_context_free")(c.c_void_p(value))
        elif name.endswith("_at") and result.startswith("por_node"):
            assert not value, name
        n += 1
    return n

def compute(lib):
    """softplus(x) and its derivative at 0."""
    pointer = lambda *x: (c.c_void_p * len(x))(*x)
    g = c.c_void_p(lib.por_open(None))
    x = lib.por_input(g, b"x", b"f64")
    y = lib.por_log(lib.por_add(lib.por_exp(x), lib.por_number(g, 1.0)))
    d = pointer(None)
    assert lib.por_grad(y, 1, pointer(x), d) == 0
    p = c.c_void_p(lib.por_compile(g, 1, pointer(x), 2, pointer(y, d[0]), None))
    lib.por_close(g)
    values = (c.c_double * 3)(0.0, 0.0, 0.0)
    lib.por_view.restype = Array
    lib.por_view.argtypes = [c.c_void_p, c.c_int, c.c_int, c.c_void_p]
    f64 = lib.por_dtype_named(b"f64")
    arrays = [lib.por_view(c.addressof(values) + 8 * i, f64, 0, None) for i in range(3)]
    outs = (Array * 2)(*arrays[1:])
    assert lib.por_call(p, None, 1, c.byref(arrays[0]), 2, outs) == 0
    assert abs(values[1] - math.log(2)) < 1e-15 and values[2] == 0.5, list(values)
    assert lib.por_call(p, None, 2, c.byref(arrays[0]), 2, outs) == 11
    error = c.cast(lib.por_program_error(p), c.POINTER(Error)).contents
    assert error.text == b"given 2 arguments, wanted 1: x: f64", error.text
    lib.por_program_free(p)

def main(so, *headers):
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PORISM_CACHE"] = folder
        lib = c.CDLL(os.path.abspath(so))
        n = call_all(lib, headers)
        compute(lib)
    print("%d functions take NULL" % n)

main(*sys.argv[1:])
