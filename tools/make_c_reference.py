#!/usr/bin/env python3
"""Makes docs/c_reference.md of include/porism.h and include/porism_operators.h: every public name, under the heading
that it has there, with what the headers say of it.

    make_c_reference.py DOC.md           writes the page
    make_c_reference.py --check DOC.md   says whether it is up to date, and whether a public name has no line of its own
"""
import os
import re
import sys

sys.dont_write_bytecode = True

import made                                     # noqa: E402

INCLUDE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "include"))
PAGE = """# Reference of the C interface

`#include <porism.h>` and `-lporism`, which pkg-config knows. [c_api.md](c_api.md) is a tour of it,
[tutorial-c.md](tutorial-c.md) a first hour. What follows is what the headers say, under their headings; every
constructor has a twin with the user's line, `por_exp_at(x, "model.c:31")`, which a macro of the plain name
calls. Made by `tools/make_c_reference.py`.
"""
HEADING = re.compile(r"/\* ---- (.*?) -+ \*/")
NAME = re.compile(r"POR_API\s+[^;()]*?\b(por_\w+)\s*\(|^typedef (?:enum|struct) (por_\w+)|^typedef [^;{]*?(por_\w+)(?:;|\)\()|"
                  r"#define (POR_\w+)", re.M)


def sections():
    """(heading, its lines) of porism.h: from the first heading to the twins."""
    title, lines = "version and handles", []
    for line in made.read(os.path.join(INCLUDE, "porism.h")).split("\n"):
        found = HEADING.fullmatch(line)
        if found:
            yield title, lines
            title, lines = found.group(1), []
        else:
            lines.append(line)
    yield title, lines


def shown(lines):
    """What a reader wants of them: no twins, no macros of twins, no preprocessor."""
    text = "\n".join(line for line in lines if not re.match(r"#(if|endif|else|elif|include|ifndef|undef)|}$|#define por_", line))
    text = re.sub(r"POR_API [^;]*?\bpor_\w+_at\([^;]*?const char \*where\);\n?", "", text)
    text = re.sub(r"(?m)^#define POR_API.*\n?|^extern \"C\" {\n?|^#define PORISM_H\n?|^POR_API ", "", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def names(text):
    return [n for groups in NAME.findall(text) for n in groups if n and not n.endswith("_at")]


def anchor(title):
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def operators():
    """The constructors of operators: name and prototype, from the header that is made of the table."""
    text = made.read(os.path.join(INCLUDE, "porism_operators.h"))
    return [p for p in re.findall(r"^POR_API (por_node \*por_\w+\([^;]*\));", text, re.M) if "const char *where" not in p]


def page(doc):
    out, index = "", []
    for title, lines in sections():
        code = shown(lines)
        if not code:
            continue
        found = names("\n".join(lines))
        title = title[0].upper() + title[1:]
        index.append(f"- [{title}](#{anchor(title)}): " + ", ".join(f"`{n}`" for n in dict.fromkeys(found)))
        out += f"## {title}\n\n```c\n{code}\n```\n\n"
    made_of = operators()
    index.append("- [Constructors of operators](#constructors-of-operators): " +
                 ", ".join(f"`{re.search(r'por_[a-z0-9_]+(?=[(])', p).group()}`" for p in made_of))
    out += ("## Constructors of operators\n\nFormulas, dtypes and edge cases are in [operators.md](operators.md).\n\n```c\n" +
            "\n".join(p + ";" for p in made_of) + "\n```\n")
    return {doc: PAGE + "\n" + "\n".join(wrapped(i) for i in index) + "\n\n" + out}


def wrapped(text, width=110):
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) >= width:
            lines.append(" ")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def missing(doc):
    """Public names of the headers that the page does not have."""
    text = made.read(doc) or ""
    for header in ("porism.h", "porism_operators.h"):
        for name in dict.fromkeys(re.findall(r"\b(por_\w+)\s*\(", re.sub(r"/\*.*?\*/", "", made.read(os.path.join(INCLUDE, header)), flags=re.S))):
            if not name.endswith("_at") and name + "(" not in text:
                yield f"{doc}: no {name} of {header}"


def main():
    if sys.argv[1:2] == ["--check"] and len(sys.argv) == 3:
        faults = list(missing(sys.argv[2]))
        if faults:
            sys.exit("\n".join(faults))
    made.main((__doc__, __file__), page, 1)


if __name__ == "__main__":
    main()
