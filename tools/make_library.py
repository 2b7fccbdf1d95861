#!/usr/bin/env python3
"""Makes docs/library-reference.md from the comments of lib/*.por.  A comment directly above a definition is its text; a
line of it that stands in by five blanks is an example, `EXPRESSION is VALUE`.  What has an example is public; what has
none is a part of others.

    make_library.py DOC.md            writes the page
    make_library.py --check DOC.md    says whether it is up to date, and whether pages call what is no public function
    make_library.py --run PORISM      computes the examples, by the command PORISM
    make_library.py --values PORISM   writes what comes of them into lib/*.por
"""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import check_readme                             # noqa: E402, which compares numbers
import made                                     # noqa: E402

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
MODULES = ["prelude", "stats", "solve", "quad", "ode", "optim", "logp", "draw", "transform", "mcmc", "nn"]
SHOWN = 7                                       # lines of a definition that are shown whole
EXAMPLE = re.compile(r"#     (.*) is (.*)")
PAGE = """# Reference of the library

Every function of the prelude, which is open everywhere, and of the modules that `use NAME` opens: with its
definition where that is short, and an example with what it gives, which the tests run. `T` stands for any
dtype, `..s` for any axes; brackets hold what is fixed when the program is built, and what has a default may
be left out. [library.md](library.md) shows the modules at work; `porism list NAME` prints this for one of
them. Made by `tools/make_library.py` of the comments in `lib/*.por`.
"""


class Definition:
    def __init__(self, name, comment, lines):
        self.name, self.lines = name, lines
        self.text = [c[2:] for c in comment if not EXAMPLE.fullmatch(c)]
        self.examples = [EXAMPLE.fullmatch(c).groups() for c in comment if EXAMPLE.fullmatch(c)]

    def shown(self):
        """The definition, or its head where it is long."""
        if len(self.lines) <= SHOWN:
            return self.lines
        end = next(i for i, line in enumerate(self.lines) if line.rstrip().endswith("=") or ") = " in line)
        return self.lines[:end] + [re.split(r"(?<=\)) =", self.lines[end])[0]]


def module(name):
    """(text of the file's head, [a heading or a Definition])."""
    lines = made.read(os.path.join(ROOT, "lib", name + ".por")).rstrip("\n").split("\n")
    head, parts, comment, i = [], [], [], 0
    while i < len(lines):
        line = lines[i]
        found = re.match(r"(?:fn|op) (\w+)", line)
        i += 1
        if line.startswith("# ----"):
            more = [line.strip("# -")]
            while lines[i].startswith("#"):
                more.append(lines[i][2:])
                i += 1
            parts.append(more if not lines[i] else more[:1])
            i -= 0 if not lines[i] else len(more) - 1
            comment = []
        elif line.startswith("#"):
            comment.append(line)
        elif found:
            end = i
            while end < len(lines) and lines[end].startswith((" ", ")")):
                end += 1
            parts.append(Definition(found.group(1), comment, lines[i - 1:end]))
            i, comment = end, []
        else:
            head += [c[2:] for c in comment] + [""] if comment and not parts else []
            comment = []
    return head, parts


def public(parts):
    return [p for p in parts if isinstance(p, Definition) and p.examples]


def plain_signs(line):
    """A line of a comment as Markdown: no sign of mathematics is one of type."""
    spans = re.split(r"(`[^`]*`)", line)
    return "".join(s if s.startswith("`") else re.sub(r"([*<])", r"\\\1", s) for s in spans)


def prose(lines):
    """Comments as Markdown: paragraphs, and what stands in as it is."""
    out, words = [], []
    for line in list(lines) + [""]:
        if line and not line.startswith("  "):
            words.append(plain_signs(line).replace(".  ", ". "))
            continue
        if words:
            out += [wrapped(" ".join(words)), ""]
            words = []
        if line:
            out[-1:] = ["    " + line.strip()] if out[-2].startswith("    ") else ["", "    " + line.strip()]
            out.append("")
    return "\n".join(out).strip("\n")


def heading(lines):
    """Of a line `# ---- title: text`, and what follows until a blank line."""
    title, text = re.fullmatch(r"(.*?)(?:(?:: |\.  |$)(.*))?", lines[0]).groups()
    rest = ([text if text[1] == " " else text[0].upper() + text[1:]] if text else []) + lines[1:]
    if rest and not rest[-1].startswith(" ") and not rest[-1].endswith("."):
        rest[-1] += "."
    return f"### {title[0].upper() + title[1:]}\n\n" + (prose(rest) + "\n\n" if rest else "")


def title(name, p):
    return p.name if name == "prelude" else f"{name}.{p.name}"


def entry(name, p):
    out = f"#### {title(name, p)}\n\n" + (prose(p.text) + "\n\n" if p.text else "") + "```\n" + "\n".join(p.shown()) + "\n\n"
    for expression, value in p.examples:
        line = f"{expression}    # {value}"
        out += (line if len(line) <= 110 else f"{expression}\n# {value}") + "\n"
    return out + "```\n\n"


def index():
    """The names of each module, which lead to them."""
    for name in MODULES:
        links = [f"[{p.name}](#{title(name, p).replace('.', '')})" for p in public(module(name)[1])]
        yield f"- **{name}**: " + ", ".join(links)


def page(doc):
    out = PAGE + "\n" + "\n".join(index()) + "\n\n"
    for name in MODULES:
        head, parts = module(name)
        out += f"## {name}\n\n" + (prose(head) + "\n\n" if head else "")
        open_heading = ""
        for p in parts:
            if isinstance(p, list):
                open_heading = heading(p)
            elif p.examples:
                out += open_heading
                open_heading = ""
                out += entry(name, p)
        others = [f"`{p.name}`" for p in parts if isinstance(p, Definition) and not p.examples]
        if others:
            out += wrapped("Parts of these, which may change: " + ", ".join(others) + ".") + "\n\n"
    return {doc: out.rstrip("\n") + "\n"}


def wrapped(text, width=110):
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def pages():
    for folder, ends in (("docs", ".md"), ("examples", ".por"), ("examples/digits", ".por"), (".", "README.md")):
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if name.endswith(ends) and name not in ("handbook.md", "architecture.md", "library-reference.md"):
                yield os.path.join(folder, name)


def check_calls():
    """What pages and examples call of a module is public."""
    known = {name: {p.name for p in public(module(name)[1])} for name in MODULES if name != "prelude"}
    known["optim"].add("moments")               # a type
    for path in pages():
        for name, function in re.findall(r"(?<![\w./])(\w+)\.(\w+)[\[(]", made.read(os.path.join(ROOT, path))):
            if name in known and function not in known[name]:
                yield f"{path}: {name}.{function} has no example in lib/{name}.por: it is no public function"


def computed(command, write):
    """Runs the examples; gives what is not as it says."""
    with tempfile.TemporaryDirectory() as folder:
        for name in MODULES:
            path = os.path.join(ROOT, "lib", name + ".por")
            examples = [e for p in public(module(name)[1]) for e in p.examples]
            with open(os.path.join(folder, "e.por"), "w", encoding="utf-8") as f:
                f.write("".join(f"use {m}\n" for m in MODULES[1:]) +
                        "".join(f"fn e{i}() = {e}\n" for i, (e, _) in enumerate(examples)))
            text = made.read(path)
            for i, (expression, value) in enumerate(examples):
                done = subprocess.run([command, "run", os.path.join(folder, f"e.por:e{i}")], text=True, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                got = re.sub(r"\s*\n\s*", " ", done.stdout.strip())
                if write:
                    text = text.replace(f"#     {expression} is {value}\n", f"#     {expression} is {got}\n")
                elif done.returncode or check_readme.plain(got, True) != check_readme.plain(value, True):
                    yield f"lib/{name}.por: {expression} gives {got}, not {value}"
            if write:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)


def main():
    if sys.argv[1:2] in (["--run"], ["--values"]) and len(sys.argv) == 3:
        faults = list(computed(os.path.abspath(sys.argv[2]), sys.argv[1] == "--values"))
        sys.exit("\n".join(faults) if faults else print("the examples of the library give what they say"))
    if sys.argv[1:2] == ["--check"]:
        faults = list(check_calls())
        if faults:
            sys.exit("\n".join(faults))
    made.main((__doc__, __file__), page, 1)


if __name__ == "__main__":
    main()
