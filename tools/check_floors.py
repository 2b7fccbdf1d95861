#!/usr/bin/env python3
"""Checks that a file includes only from its own room and the floors below it, and a few other rules of the house.

    check_floors.py [ROOT]      exit 1 with a line for each breach
    check_floors.py --self      checks the check: made-up sources with one breach of each kind

A room is a folder of src/; rooms of one floor know nothing of each other.  Of another room only the public headers
are seen.  src/cli, examples and bench see porism.h alone.  Nothing below src/ names an example or a benchmark.
A type's name means one thing, a comment names files that there are, a function has six parameters at most, a statement
does one thing, and no conditional stands in another (the last two not in src/math and src/cores, whose text compilers
and a reader of constants have to know).
"""
import os
import re
import sys
import tempfile

import c_text

FLOOR = {"base": 0, "math": 0, "cores": 1, "ir": 1, "oracle": 2, "parse": 2, "elab": 3, "print": 4, "rewrite": 5,
         "prove": 6, "batch": 6, "search": 7, "diff": 7, "group": 8, "loop": 9, "kernels": 10, "interp": 10, "standalone": 11, "run": 12, "api": 13}
PUBLIC = {"base": "base.h stack.h", "math": "math.h", "cores": "items.h", "ir": "ir.h sizes.h dtype.h dtypes.h op.h ops.h map_ops.h whole.h own.h pass.h",
          "oracle": "oracle.h quad.h", "parse": "syntax.h", "elab": "elab.h", "print": "print.h", "rewrite": "rewrite.h",
          "prove": "prove.h", "search": "search.h", "batch": "batch.h", "diff": "diff.h", "group": "group.h", "loop": "loop.h order.h", "kernels": "kernels.h",
          "interp": "interp.h", "standalone": "standalone.h", "run": "run.h compiler.h", "api": ""}
# Headers that one more room sees: rules are proved from inside, and a whole program is C as its kernels are.
LENT = {("rules.h", "prove"), ("rules.h", "search"), ("c_text.h", "standalone")}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
COLUMNS = 110                                     # of a line; a text is not cut, nor a macro, nor a table's line
TABLES = {"ops.h", "dtypes.h", "map_ops.h"}
LONGEST_FILE = 600                                # 450 is long already
PARAMETERS = 6                                    # of a function of src/
# What still has more; no other may.  Coefficients are written as in a paper; a function of porism.h has lists as C has
# them, pointer and number, which ctypes and others call without a struct, and its twin has the line behind all that.
MANY = {"src/math/poly.h": {"poly6_f64", "poly8_f64"},
        "src/api/lines.c": {"por_compile_at", "por_function_of_at", "por_jvp_at", "por_substitute_at", "por_vjp_at"},
        "src/api/walk.c": {"por_apply"}}


def room_of(path):
    """Of a path from the root: the folder below src, or None outside of it."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def resolve(root, path, target):
    """The path from the root of a quoted include, or None where it is generated or not ours."""
    for base in (os.path.dirname(path), "src", "include", ""):
        found = os.path.normpath(os.path.join(base, target))
        if os.path.exists(os.path.join(root, found)):
            return found.replace(os.sep, "/")
    return None


def examples(root):
    """Words that must not be in src/: names of the examples and of the benchmarks."""
    words = set()
    folder = os.path.join(root, "examples")
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if os.path.isdir(os.path.join(folder, name)) and len(name) > 3:
            words.add(name)
    return words


def is_seen(header, of, by):
    """Is the header of one room seen by another?"""
    return header in PUBLIC[of].split() or (header, by) in LENT


def check_file(root, path, words):
    with open(os.path.join(root, path), encoding="utf-8") as f:
        text = f.read()
    own = room_of(path)
    for m in INCLUDE.finditer(text):
        quoted, target = m.group(1) == '"', m.group(2)
        line = text.count("\n", 0, m.start()) + 1
        if not quoted:
            if target == "porism.h" and own in FLOOR and own != "api":
                yield f"{path}:{line}: floor {FLOOR[own]} includes <porism.h>, which is above it"
            continue
        found = resolve(root, path, target)
        if found is None:
            continue
        other = room_of(found)
        if own == "cli" or path.startswith(("examples/", "bench/")):
            if other in FLOOR:
                yield f"{path}:{line}: {target}: of the library it may see porism.h alone"
        elif own in FLOOR:
            if found.startswith("include/") and own != "api":
                yield f"{path}:{line}: floor {FLOOR[own]} includes porism.h, which is above it"
            elif other in FLOOR and other != own and FLOOR[other] >= FLOOR[own]:
                yield (f"{path}:{line}: src/{own} is floor {FLOOR[own]} and includes {target} of floor "
                       f"{FLOOR[other]}")
            elif other in FLOOR and other != own and not is_seen(os.path.basename(found), other, own):
                yield f"{path}:{line}: {target} is private to src/{other}"
            elif other == "cli":
                yield f"{path}:{line}: src/{own} includes {target} of the command"
    if own in FLOOR:
        for number, line in enumerate(text.split("\n"), 1):
            for word in words:
                if re.search(r'"[^"]*\b' + re.escape(word) + r'\b[^"]*"', line, re.I):
                    yield f"{path}:{number}: a text names the example {word}"
        if own != "base":                               # an arena without a trap aborts
            code = re.sub(r"/\*.*?\*/", lambda c: "\n" * c.group(0).count("\n"), text, flags=re.S)
            for number, line in enumerate(code.split("\n"), 1):
                if re.search(r"(?<![_\w])(abort|exit)\s*\(", line):
                    yield f"{path}:{number}: a library neither aborts nor exits"
    lines = text.count("\n")
    if own and lines > LONGEST_FILE:
        yield f"{path}: {lines} lines; {LONGEST_FILE} are too long"


def check_thoughts(path, text):
    """Of src/: what is folded into one line."""
    code = c_text.tokens(text)
    for line in c_text.nested_conditionals(code):
        yield f"{path}:{line}: a conditional within another one"
    for line in c_text.comma_statements(code):
        yield f"{path}:{line}: a statement that is several"


def check_parameters(path, text):
    many = set(MANY.get(path, ()))
    for name, count, line in c_text.functions(c_text.tokens(text)):
        if count > PARAMETERS and name not in many:
            yield f"{path}:{line}: {name} has {count} parameters; {PARAMETERS} are many already"
        elif count > PARAMETERS:
            many.discard(name)
    for name in sorted(many):
        yield f"{path}: {name} has no more than {PARAMETERS} parameters, and need not be excepted"


def check_columns(path, text):
    macro = False
    for number, line in enumerate(text.split("\n"), 1):
        macro = macro or line.startswith("#")
        if len(line.expandtabs(8)) > COLUMNS and not macro and '"' not in line:
            yield f"{path}:{number}: {len(line.expandtabs(8))} columns; {COLUMNS} are as many as there are"
        macro = line.endswith("\\")


def file_names(root):
    """Of all sources, and of what is made while building."""
    names = set()
    for top in ("src", "tests", "tools", "bench", "include"):
        for _, _, found in os.walk(os.path.join(root, top)):
            names.update(found)
    build = os.path.join(root, "meson.build")
    if os.path.exists(build):
        with open(build, encoding="utf-8") as f:
            names.update(re.findall(r"'(\w+\.[ch])'", f.read()))
    return names


def check_names(root, paths):
    """Types that two files define, and files that comments name and that are not there."""
    names, defined = file_names(root), {}
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as f:
            text = f.read()
        for line, name in c_text.named_files(text):
            if name not in names:
                yield f"{path}:{line}: there is no file {name}"
        for name in sorted(c_text.types(c_text.tokens(text))):
            if name in defined:
                yield f"{path}: {name} is another type in {defined[name]}"
            defined[name] = path


def sources(root):
    for top in ("src", "examples", "bench"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def check(root):
    words = examples(root)
    breaches = []
    count = 0
    for path in sorted(sources(root)):
        count += 1
        if not path.startswith("bench/core_"):          # measures the inside of a core
            breaches += check_file(root, path, words)
    paths = [p for p in sorted(sources(root)) if p.startswith("src/")]
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as f:
            text = f.read()
        breaches += check_parameters(path, text)
        if room_of(path) not in ("math", "cores"):
            breaches += check_thoughts(path, text)
            if os.path.basename(path) not in TABLES:
                breaches += check_columns(path, text)
    header = os.path.join(root, "include", "porism.h")
    if os.path.exists(header):
        with open(header, encoding="utf-8") as f:
            breaches += check_columns("include/porism.h", f.read())
    return count, breaches + list(check_names(root, paths))


def self_test():
    """One breach of each kind must be found, and none where there is none."""
    good = {"include/porism.h": "", "src/base/base.h": "", "src/ir/ir.h": '#include "../base/base.h"\n',
            "src/ir/size.h": '#include "ir.h"\nstruct Size {\n\tint n;\n};\n',
            "src/ir/plain.c": "/* ir.h */\nint f(int a, int b)\n{\n\tint *p = &a, **q = &p, t[] = {a, b};\n"
                              "\tfor (int i = 0, k = 1; i < k; i++) **q = t[a ? 0 : 1];\n\treturn a ? b : t[0];\n}\n", "src/parse/syntax.h": "", "src/rewrite/rules.h": "",
            "src/prove/lent.c": '#include "../rewrite/rules.h"\n',
            "src/api/api.c": '#include <porism.h>\n#include "../ir/ir.h"\n', "src/cli/main.c": "#include <porism.h>\n",
            "examples/digits/digits.por": "", "src/base/error.c": '#include "base.h"\n'}
    bad = {"src/base/up.c": '#include "../ir/ir.h"\n', "src/ir/face.c": "#include <porism.h>\n",
           "src/cli/deep.c": '#include "../ir/ir.h"\n', "src/ir/stop.c": "void f(void)\n{\n\tabort();\n}\n",
           "src/oracle/beside.c": '#include "../parse/syntax.h"\n', "src/api/inside.c": '#include "../ir/size.h"\n',
           "src/ir/nested.c": "int f(int a, int b)\n{\n\treturn a ? 1 : g(b ? 2 : 3);\n}\n",
           "src/ir/comma.c": "void f(int *a)\n{\n\tfor (;;)\n\t\tif (*a) a[0] = 1, a[1] = 2;\n}\n",
           "src/ir/both.c": "bool f(int *a)\n{\n\treturn *a = 1, true;\n}\n",
           "src/print/twice.c": "typedef struct Size {\n\tint a;\n} Size;\n",
           "src/ir/many.c": "static int f(int a, int b[2], int (*c)(int, int), int d, int e, int f)\n{\n\treturn a;\n}\n"
                            "static int g(int a, int b, int c, int d, int e, int f, int g)\n{\n\treturn a;\n}\n",
           "src/cores/many.h": "CORE void N(h)(int a, int b, int c, int d, int e, int f, int g)\n{\n}\n",
           "src/math/poly.h": "double poly6_f64(double a)\n{\n\treturn a;\n}\n"
                              "double poly8_f64(int a, int b, int c, int d, int e, int f, int g)\n{\n\treturn a;\n}\n",
           "src/ir/wide.c": "/* " + "word " * 22 + "*/\n",
           "src/ir/stale.c": "/* gone.c does the rest */\n",
           "src/ir/knows.c": 'const char *s = "digits.por";\n', "src/ir/long.c": "\n" * (LONGEST_FILE + 1)}
    for extra, wanted in [({}, 0)] + [({k: v}, 1) for k, v in bad.items()]:
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**good, **extra}.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                    f.write(text)
            _, found = check(root)
            if len(found) != wanted:
                sys.exit(f"check_floors: {list(extra) or 'clean sources'}: {len(found)} breaches, wanted {wanted}: "
                         f"{found}")
    print(f"check_floors: finds each of {len(bad)} kinds of breach")


def main(args):
    if args == ["--self"]:
        return self_test()
    root = args[0] if args else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    count, breaches = check(root)
    print("\n".join(breaches) if breaches else f"check_floors: {count} files, each in its room")
    sys.exit(bool(breaches))


main(sys.argv[1:])
