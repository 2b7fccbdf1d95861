#!/usr/bin/env python3
"""Turns text files into C tables, so that a program carries them.

    embed.py OUT.c NAME FILE...        a table of {name, text}, ended by {0, 0}; the name is the file's without
                                       folder and extension
    embed.py --math OUT.c NAME MATH.h  the functions of the headers that MATH.h includes, in order: a table of
                                       {name, text, uses}, uses being the numbers of those that the text names,
                                       ended by 65535; comments are dropped
"""
import os
import re
import sys


def literal(text, indent="\t"):
    """The text as C string literals, one for each line."""
    lines = text.split("\n")
    parts = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    quoted = []
    for part in parts or [""]:
        out = ""
        for byte in part.encode("utf-8"):
            char = chr(byte)
            if char in '"\\':
                out += "\\" + char
            elif char == "\n":
                out += "\\n"
            elif char == "\t":
                out += "\\t"
            elif 32 <= byte < 127 and char != "?":
                out += char
            else:
                out += "\\%03o" % byte
        quoted.append('"' + out + '"')
    return ("\n" + indent).join(quoted)


def texts(name, files):
    """The plain table."""
    out = ["typedef struct EmbeddedText { const char *name, *text; } EmbeddedText;",
           "extern const EmbeddedText %s[];" % name,
           "const EmbeddedText %s[] = {" % name]
    for path in files:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        stem = os.path.splitext(os.path.basename(path))[0]
        out.append('\t{ "%s",\n\t%s },' % (stem, literal(text)))
    out += ["\t{ 0, 0 }", "};"]
    return out


def paragraphs(path):
    """(name, text) of each function and type of a header, comments dropped."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = "\n".join(line.rstrip() for line in text.split("\n"))
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("typedef "):
            yield re.search(r"(\w+);$", line).group(1), line + "\n"
        elif line.startswith("M "):
            name = re.match(r"M [\w ]+?\**(\w+)\(", line).group(1)
            body = [line]
            while not (body[-1] == "}" or (len(body) == 1 and line.endswith("}"))):
                if at == len(lines):
                    sys.exit("%s: %s has no end" % (path, name))
                body.append(lines[at])
                at += 1
            yield name, "\n".join(part for part in body if part) + "\n"
        elif line and not line.startswith("#"):
            sys.exit("%s: neither function nor type: %s" % (path, line))


def math(name, header):
    """The table of scalar functions."""
    folder = os.path.dirname(header)
    with open(header, encoding="utf-8") as f:
        parts = re.findall(r'^#include "(\w+\.h)"', f.read(), flags=re.M)
    found = []
    for part in parts:
        found += paragraphs(os.path.join(folder, part))
    number = {}
    for i, (snippet, _) in enumerate(found):
        if snippet in number:
            sys.exit("%s: two functions called %s" % (header, snippet))
        number[snippet] = i
    out = ["typedef struct MathSnippet { const char *name, *text; const unsigned short *uses; } MathSnippet;",
           "extern const MathSnippet %s[];" % name]
    rows = []
    for i, (snippet, text) in enumerate(found):
        uses = sorted({number[word] for word in re.findall(r"\b[A-Za-z_]\w*", text) if word in number} - {i})
        if uses and uses[-1] > i:
            sys.exit("%s: %s uses what comes after it" % (header, snippet))
        out.append("static const unsigned short u%d[] = { %s };" % (i, ", ".join(map(str, uses + [65535]))))
        rows.append('\t{ "%s",\n\t%s, u%d },' % (snippet, literal(text), i))
    return out + ["const MathSnippet %s[] = {" % name] + rows + ["\t{ 0, 0, 0 }", "};"]


def main(args):
    as_math = args[:1] == ["--math"]
    args = args[1:] if as_math else args
    if len(args) < 2 or (as_math and len(args) != 3):
        sys.exit(__doc__)
    lines = math(args[1], args[2]) if as_math else texts(args[1], args[2:])
    head = ["/* Made by tools/embed.py: do not edit. */",
            "#if defined(__GNUC__)", '#pragma GCC diagnostic ignored "-Woverlength-strings"', "#endif"]
    with open(args[0], "w", encoding="utf-8") as f:
        f.write("\n".join(head + lines) + "\n")


main(sys.argv[1:])
