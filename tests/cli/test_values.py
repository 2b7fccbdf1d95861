#!/usr/bin/env python3
"""test_values.py PORISM [NAME...]: values of the command line and of files."""

import os
import struct
import zipfile

from command import call, evaluates, holds, main, parse_npy, read_npz, same, test, write_files, write_npy


@test
def arrays_in_and_out(folder):
    path, result = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npy")
    write_npy(path, "<f8", (2, 2), struct.pack("<4d", 1, 2, 3, 4))
    same(call("eval", "x.T", f"x=@{path}", "-o", result)[0], "")
    with open(result, "rb") as f:
        same(parse_npy(f.read()), ((2, 2), [1.0, 3.0, 2.0, 4.0]))
    write_npy(path, "|u1", (3,), bytes([1, 2, 250]))
    evaluates("f64(x)*2", "[2.0, 4.0, 500.0]", f"x=@{path}")


@test
def nans_are_one_value(folder):
    """A NaN of a file, whatever its bits, and one that is computed are written alike by every tier."""
    path, result = os.path.join(folder, "x.npy"), os.path.join(folder, "y.npy")
    for dtype, form, bits, plain in (("<f8", "Q", 0xfff8000000000001, 0x7ff8000000000000),
                                     ("<f4", "I", 0xffc00001, 0x7fc00000), ("<f2", "H", 0xfe01, 0x7e00)):
        write_npy(path, dtype, (2,), struct.pack("<2" + form, bits, 0))
        for text in ("x", "sigmoid(x) - sigmoid(x)*x", "log(x - 1)"):
            for tier in ("reference", "interpret", "native"):
                call("eval", text, f"x=@{path}", "--tier", tier, "-o", result)
                with open(result, "rb") as f:
                    data = f.read()
                words = struct.unpack("<2" + form, data[-2*struct.calcsize(form):])
                same([w for w in words if w & plain == plain], [plain]*(2 if "log" in text else 1))


@test
def defaults_that_name_parameters(folder):
    """y = 2*x where y is not given: 3 + 6; z = k*x likewise, with the type that is declared."""
    write_files(folder, d="fn f(x: f64, y: f64 = 2*x) = x + y\nfn g(x: f32[n], k: f32, z: f32[n] = k*x) = z\n")
    same(call("run", f"{folder}/d.por:f", "x=3")[0], "9.0\n")
    same(call("run", f"{folder}/d.por:f", "x=3", "y=1")[0], "4.0\n")
    same(call("run", f"{folder}/d.por:g", "x=[1.0, 2.0]", "k=2")[0], "f32[2]([2.0, 4.0])\n")
    holds(call("run", f"{folder}/d.por:f", "y=1", status=2)[1], "x: f64 is not given")


@test
def structures_in_and_out(folder):
    path = os.path.join(folder, "p.npz")
    call("eval", "{w = [1.0, 2.0], b = 3.0}", "-o", path)
    same(read_npz(path), {"w": ((2,), [1.0, 2.0]), "b": ((), [3.0])})
    evaluates("p.w*p.b", "[3.0, 6.0]", f"p=@{path}")
    evaluates("w", "[1.0, 2.0]", f"w=@{path}:w")
    holds(call("eval", "w", f"w=@{path}:v", status=3)[1], "w", "b")


@test
def csv_columns(folder):
    path = os.path.join(folder, "t.csv")
    with open(path, "w") as f:
        f.write("a,b\n1,2\n3,4.5\n")
    evaluates("b", "[2.0, 4.5]", f"b=@{path}:b")


@test
def npz_without_arrays(folder):
    zipfile.ZipFile(f"{folder}/none.npz", "w").close()
    holds(call("eval", "x", f"x=@{folder}/none.npz", status=3)[1], "none.npz: there is no array in it")


@test
def keys_and_complex_arrays_print(folder):
    # a derived key has two words; 4 rows of 2 parts begin in the column of their first
    text = call("eval", "key(1)[1]")[0].strip()
    same(call("eval", "uniform[f64](k)", f"k={text}")[0], call("eval", "uniform[f64](key(1)[1])")[0])
    write_npy(f"{folder}/z.npy", "<c16", (2, 1), struct.pack("<4d", 1, 2, 3, 4))
    same(call("eval", "z", f"z=@{folder}/z.npy")[0],
         "complex(f64[2, 1]([[1.0],\n                   [3.0]]),\n        f64[2, 1]([[2.0],\n                   [4.0]]))\n")


@test
def values_take_the_declared_dtype(folder):
    path = os.path.join(folder, "f.por")
    with open(path, "w") as f:
        f.write("fn f(x: f32[n], k: i32, scale: f32 = 2.0) = x*scale + k\n")
    same(call("run", f"{path}:f", "x=[1, 2]", "k=1")[0], "f32[2]([3.0, 5.0])\n")
    same(call("run", f"{path}:f", "x=[1, 2]", "k=1", "scale=0.5")[0], "f32[2]([1.5, 2.0])\n")
    holds(call("run", f"{path}:f", "x=[1, 2]", "k=1.5", status=1)[1], "k", "i32", "1.5")


@test
def declared_and_given():
    # the declaration tells type and facts, the value sizes and elements, in either order
    same(call("eval", "x + 1", "x: i32", "x=2")[0], "i32(3)\n")
    same(call("eval", "x + 1", "x=[1, 2]", "x: f32[n]")[0], "f32[2]([2.0, 3.0])\n")
    same(call("eval", "p.w*2", "p: {w: f32[n], b: f64}", "p={w = [1, 2], b = 1}")[0], "f32[2]([2.0, 4.0])\n")
    same(call("grad", "x^2", "x: f32", "x=3")[0], "2*x\nf32(6.0)\n")
    holds(call("eval", "x", "x: f64[3]", "x=[1, 2]", status=1)[1], "size 2 on axis 0, wanted 3")
    holds(call("eval", "x", "x: f64 if x > 0", "x=-1", status=1)[1], "which breaks its promise")
    holds(call("eval", "x", "x: i32", "x=2.5", status=1)[1], "which has no 2.5")
    for twice in (("x=1", "x=2"), ("x: f64", "x: f64")):
        holds(call("eval", "x", *twice, status=2)[1], "x is given twice")


@test
def columns_are_what_is_declared(folder):
    """Whole numbers of a table are i64 without a word; what f32 only comes near is told."""
    path = os.path.join(folder, "t.csv")
    with open(path, "w", encoding="utf-8") as f:
        f.write("a,b,c\n1,2,0.1\n3,0.5,0.2\n")
    write_files(folder, d="fn f(x: i64[n]) = sum(x)\nfn g(x: f32[n]) = sum(x)\n")
    same(call("run", f"{folder}/d.por:f", f"x=@{path}:a"), ("4\n", ""))
    same(call("run", f"{folder}/d.por:g", f"x=@{path}:b"), ("f32(2.5)\n", ""))
    same(call("run", f"{folder}/d.por:g", f"x=@{path}:c")[1], "porism: x: f64 rounded to f32\n")
    holds(call("run", f"{folder}/d.por:f", f"x=@{path}:b", status=1)[1], "x is f64, and i64 is wanted, which has no 0.5")


@test
def errors_name_the_value():
    same(call("eval", "x", "x=1+", status=1)[1].splitlines()[0], "x:1:3: the text ends; wanted an expression")
    holds(call("eval", "x", "x=", status=2)[1], "x=: a value after = was wanted")
    holds(call("eval", "x", "x=@", status=2)[1], "x=@: a file's name after @ was wanted")


main(__doc__)
