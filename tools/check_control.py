#!/usr/bin/env python3
"""check_control.py: which files of src name an operator that holds functions, and why.

Such an operator is to touch little: its type rule, its evaluator, its step, its printer, its two derivative rules and
its lanes; whoever else meets one asks node_bodies(), whatever it is.  The files that know more of one than that stand
below with what they know.  A file that names one and is not there is an error, and so is one that no longer does.
"""

import os
import re
import sys

OPERATORS = "IF", "SCAN", "CALL"

# What every such operator has: the files in which it is named for that.
ROLES = {
    "bodies": "src/ir/bodies.c", "type rule": "src/ir/type_control.c", "evaluator": "src/oracle/eval.c",
    "step": "src/loop/build.c", "printer": "src/print/print_node.c", "forward": "src/diff/forward.c",
    "reverse": "src/diff/reverse.c", "lanes": "src/batch/batch.c"}
# A call of the library's is no step: it is written out before there are any.  Its reverse is that of calls that stay.
WITHOUT = {"CALL": {"step", "reverse"}}

# What else is known of one, and where.
MORE = {
    "IF": {
        "src/ir/effect_pass.c": "its effects tell of loops around it",
        "src/ir/branch.c": "makes it", "src/ir/branch_around.c": "captures what is computed around it", "src/ir/pure.c": "without its effects",
        "src/ir/branch_still.c": "captures what is the same in each pass",
        "src/ir/held.c": "is looked into for what sides of several hold",
        "src/ir/held_put.c": "holds once what sides of several hold",
        "src/ir/within.c": "over leaves in place of what it holds", "src/ir/node.c": "are there any",
        "src/ir/total.c": "fails where its side is taken alone",
        "src/rewrite/drive.c": "what its sides have in common, and sides that are known",
        "src/rewrite/branches.c": "its sides write into what zeros with writes are added to",
        "src/batch/branches.c": "what a side stands in for is asked of sides within",
        "src/batch/maps.c": "no pass of a loop that is a map has one",
        "src/diff/merge_branches.c": "branches of one condition are one",
        "src/diff/stack_sides.c": "what it gives again is parted from what is new",
        "src/diff/stack_reads.c": "what its sides read of an element is read before it",
        "src/diff/stack_cells.c": "rows that its sides give are made of their cells",
        "src/diff/around.c": "captures a loop that runs around it",
        "src/diff/sparse_sweep.c": "its diagonals are those of its sides",
        "src/print/print_graph.c": "a form that reaches to the right",
        "src/print/print_json.c": "its label", "src/api/picture.c": "two frames, and what chooses"},
    "SCAN": {
        "src/ir/node.c": "what a pass counts what it carries by is an operand",
        "src/ir/effect_pass.c": "its effects tell of loops around it",
        "src/ir/branch_around.c": "a guard of one pass captures what is computed around it",
        "src/ir/build_loop.c": "makes it", "src/ir/pure.c": "without its effects",
        "src/ir/branch_still.c": "is worth computing once",
        "src/ir/held.c": "asks for what sides of several hold, where it has a pass",
        "src/ir/within.c": "over leaves in place of what it holds",
        "src/ir/total.c": "fails only where it has a pass", "src/ir/verify.c": "its state keeps its types",
        "src/rewrite/carried.c": "ranges of its state", "src/rewrite/drive.c": "dead state, equal captures, passes known",
        "src/rewrite/passes.c": "its first pass apart", "src/rewrite/turned.c": "turns before it what its passes read across",
        "src/rewrite/loops.c": "an element of what it stacks",
        "src/batch/maps.c": "is a map where no pass needs another",
        "src/batch/before.c": "walks along what it would make of elements alone",
        "src/diff/around.c": "is one around a branch that holds it",
        "src/diff/join.c": "is one with a loop that walks along what it stacks",
        "src/diff/merge_find.c": "loops that walk alike are one", "src/diff/merge_whiles.c": "loops that one condition ends are one",
        "src/loop/record.c": "what a loop that a condition ends goes through is written down", "src/group/fuse.c": "how often, as a size",
        "src/loop/guards.c": "sizes that a pass alone asks for", "src/loop/needs.c": "how often, as a size",
        "src/print/print_graph.c": "a form that reaches to the right",
        "src/print/print_json.c": "its label, what it carries", "src/api/picture.c": "what it carries comes back"},
    "CALL": {
        "src/ir/effect_pass.c": "its effects tell of loops around it",
        "src/ir/build_loop.c": "makes it", "src/ir/own.c": "is one that tells its derivative",
        "src/ir/system.c": "is one that solves a system", "src/ir/checkpoint.c": "is one that stays",
        "src/ir/verify.c": "may need what its caller proves",
        "src/rewrite/inline.c": "is taken apart", "src/rewrite/bodies.c": "a body for all callers has no facts of one",
        "src/rewrite/forest.c": "patterns of ops", "src/rewrite/books.c": "lines of ops",
        "src/rewrite/match.c": "the op of a pattern, and its brackets",
        "src/rewrite/rules.h": "is it one of an op? Asked of each node that is matched",
        "src/prove/order.c": "patterns of ops", "src/batch/calls.c": "the op over lanes",
        "src/batch/branches.c": "what a side stands in for is asked of calls within",
        "src/diff/sparse_sweep.c": "its diagonals are those of its body",
        "src/print/print_called.c": "an op's meaning is not in its text, a derivative that is told is",
        "src/print/print_json.c": "one that stays is called by its name"}}


def named():
    """Of each operator the files that name it, comments aside."""
    found = {op: set() for op in OPERATORS}
    for folder, _, files in os.walk("src"):
        for file in files:
            path = os.path.join(folder, file)
            if file.endswith((".c", ".h")):
                with open(path, encoding="utf-8") as f:
                    text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
                for op in OPERATORS:
                    if re.search(rf"\bOP_{op}\b", text):
                        found[op].add(path)
    return found


def faults(found):
    for op in OPERATORS:
        roles = {path for role, path in ROLES.items() if role not in WITHOUT.get(op, ())}
        for path in sorted(found[op] - roles - set(MORE[op])):
            yield f"{path} names OP_{op}: node_bodies() tells what it holds; if that is not enough, say here why"
        for path in sorted((roles | set(MORE[op])) - found[op]):
            yield f"{path} no longer names OP_{op}: it goes from the list"


def main():
    found = named()
    if "--self" in sys.argv:                     # each fault is found
        for op in OPERATORS:
            some = next(iter(MORE[op]))
            for other in found[op] | {"src/base/x.c"}, found[op] - {some}, found[op] - {ROLES["printer"]}:
                if len(list(faults({**found, op: other}))) != 1:
                    sys.exit(f"check_control: a fault of OP_{op} is not found")
        return
    all_faults = list(faults(found))
    for fault in all_faults:
        print(fault)
    if all_faults:
        sys.exit(1)
    print("check_control: " + ", ".join(f"OP_{op} in {len(found[op])} files" for op in OPERATORS))


main()
