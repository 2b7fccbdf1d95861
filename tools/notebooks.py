#!/usr/bin/env python3
"""The notebooks of examples/notebooks: runs them and compares what comes with what they hold.

    notebooks.py FOLDER           by Jupyter's kernel where nbclient and ipykernel are here, else their cells as a script;
                                  FOLDER has the builds; exit 77 where there is no package of Python
    notebooks.py --write FOLDER   writes what comes into them
"""
import ast
import contextlib
import io
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PLACE = os.path.join(ROOT, "examples", "notebooks")


def text_of(outputs):
    """What a cell shows, as text."""
    out = ""
    for o in outputs:
        if o["output_type"] == "stream":
            out += "".join(o["text"])
        elif o["output_type"] == "error":
            out += o["ename"] + ": " + o["evalue"] + "\n"
        elif "text/plain" in o.get("data", {}):
            out += "".join(o["data"]["text/plain"]) + "\n"
    return out


def by_jupyter(book, folder):
    """The outputs of each cell of code, by a kernel of Jupyter's."""
    import nbformat
    from nbclient import NotebookClient
    nb = nbformat.reads(json.dumps(book), as_version=4)
    NotebookClient(nb, timeout=300, kernel_name="python3", allow_errors=True,
                   resources={"metadata": {"path": folder}}).execute()
    return [[dict(o) for o in c.outputs] for c in nb.cells if c.cell_type == "code"]


def by_script(book, folder):
    """The same without Jupyter: the last expression of a cell is shown as Python shows it."""
    names, before, found = {"__name__": "__main__"}, os.getcwd(), []
    os.chdir(folder)
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(tree, "<cell>", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
        outputs = [{"output_type": "stream", "name": "stdout", "text": out.getvalue()}] if out.getvalue() else []
        if value is not None:
            outputs.append({"output_type": "execute_result", "data": {"text/plain": repr(value)}})
        found.append(outputs)
    os.chdir(before)
    return found


def plain(output):
    """What a notebook keeps of an output: texts as lists of lines, no times."""
    kept = {"output_type": output["output_type"]}
    if output["output_type"] == "stream":
        return dict(kept, name=output["name"], text="".join(output["text"]).splitlines(True))
    if output["output_type"] == "error":
        sys.exit("%s: %s" % (output["ename"], output["evalue"]))
    return dict(kept, data={"text/plain": "".join(output["data"]["text/plain"]).splitlines(True)}, metadata={},
                execution_count=None)


def main():
    args = sys.argv[1:]
    write = args[:1] == ["--write"]
    builds = os.path.abspath(args[write])
    os.environ["PYTHONPATH"] = os.path.join(builds, "python")
    sys.path.insert(0, os.environ["PYTHONPATH"])
    os.environ["PATH"] = builds + os.pathsep + os.environ["PATH"]
    try:
        import porism       # noqa: F401
    except ImportError as e:
        print("left out: %s" % e)
        return 77
    try:
        import ipykernel, nbclient, nbformat    # noqa: E401, F401
        run = by_jupyter
    except ImportError:
        run = by_script
    good, names = True, sorted(n for n in os.listdir(PLACE) if n.endswith(".ipynb"))
    for name in names:
        path = os.path.join(PLACE, name)
        with open(path, encoding="utf-8") as f:
            book = json.load(f)
        with tempfile.TemporaryDirectory() as folder:
            found = run(book, folder)
        cells = [c for c in book["cells"] if c["cell_type"] == "code"]
        for number, (cell, got) in enumerate(zip(cells, found), 1):
            if write:
                cell["outputs"] = [plain(o) for o in got]
            elif text_of(got) != text_of(cell["outputs"]):
                good = False
                print("%s, cell %d gives\n%s\nand not\n%s" % (name, number, text_of(got), text_of(cell["outputs"])))
        if write:
            with open(path, "w", encoding="utf-8") as f:
                f.write(json.dumps(book, indent=1, ensure_ascii=False) + "\n")
        print("%s: %d cells, %s" % (name, len(cells), "by Jupyter" if run is by_jupyter else "as a script"))
    return 0 if good and len(names) == 5 else 1


if __name__ == "__main__":
    sys.exit(main())
