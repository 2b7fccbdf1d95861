#!/usr/bin/env python3
"""list.py FOLDER ENDING: the files of a folder with that ending, sorted, one a line (files made per instruction
set are not among them)."""
import os
import sys

folder, ending = sys.argv[1:]
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
apart = ("isa.c", "prim.c", "prim_0.c", "prim_1.c", "prim_2.c")
found = os.path.join(root, folder)
names = sorted(os.listdir(found)) if os.path.isdir(found) else []
print("\n".join(folder + "/" + name for name in names
                if name.endswith(ending) and name not in apart and not name.startswith("fuzz_")))
