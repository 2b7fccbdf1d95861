#!/usr/bin/env python3
"""Writes each function of a file in the notation to a file of its own, behind what it calls: seeds of a fuzzer.

    split.py FILE FOLDER
"""
import os
import re
import sys


def main(path, folder):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    parts = {m[2]: m[0] for m in re.finditer(r"^(use|type|let|fn|op) (\w+).*\n(?: +.*\n)*", text, re.M)}
    for m in re.finditer(r"^(?:d|vjp)\((\w+)\(.*\n", text, re.M):     # how an op's derivative is told
        parts[m[1]] += "book derivative\n" + m[0]
    for name, part in parts.items():
        if not part.startswith("fn"):
            continue
        wanted, behind = [name], [name]
        while behind:
            words = re.findall(r"\w+", parts[behind.pop()])
            new = [w for w in parts if w in words and w not in wanted]
            wanted += new
            behind += new
        with open(os.path.join(folder, name + ".por"), "w", encoding="utf-8") as f:
            f.write("".join(p for n, p in parts.items() if n in wanted and n != name) + part)


main(*sys.argv[1:])
