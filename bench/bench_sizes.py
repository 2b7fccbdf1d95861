#!/usr/bin/env python3
"""One compiled program, 200 shapes, zeros and ones among them: the compiler is started no more often than for the
first shape, and every result is that of the reference evaluator, to the bit."""
import array
import math
import os
import random
import shutil
import stat
import sys

import binding as p
from table import ROOT, Table

FOLDER = os.path.join(ROOT, "build", "bench", "sizes")
SHAPES = 200
# name, inputs as tuples of sizes (names or numbers), dtype of all
PROGRAMS = {
    "chain": ["f64", ["n"], ["n"]],
    "rows": ["f32", ["m", "n"]],
    "product": ["f32", ["m", "k"], ["k", "n"]],
    "logistic": ["f64", ["n"], ["m", "n"], ["m"]],
    "statistics": ["f64", ["m", "n"]],
    "viterbi": ["f64", ["n"], ["n", "n"], ["m", "n"]],
    "step": ["f32", ["n"], ["k"], ["l", "n"], ["n", "k"], ["m", "l"], ["m", "k"], []],
}
NEEDS = {"viterbi": ["n"]}                           # an empty axis has no argmax


def counting_compiler():
    """A compiler that notes each start."""
    os.makedirs(FOLDER)
    path, log = os.path.join(FOLDER, "cc"), os.path.join(FOLDER, "log")
    with open(path, "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\necho start >>"%s"\nexec "${REAL_CC:-cc}" "$@"\n' % log)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    open(log, "w").close()
    return path, lambda: sum(1 for _ in open(log))


def main():
    table = Table("sizes")
    shutil.rmtree(FOLDER, ignore_errors=True)
    compiler, starts = counting_compiler()
    text = open(p.ROOT + "/bench/bench.por", encoding="utf-8").read()
    choose = random.Random(5)
    values = random.Random(6)
    for name, (dtype, *inputs) in PROGRAMS.items():
        cache = os.path.join(FOLDER, "cache-" + name)
        before = starts()
        try:
            native = p.Program(text, name, p.NATIVE, 2, cache, compiler, dtype=dtype)
            oracle = p.Program(text, name, p.REFERENCE, 1, dtype=dtype)
        except p.Failed as e:
            table.failed(name, e)
            continue
        first, differ, why = 0, 0, ""
        for call in range(SHAPES):
            size = {s: choose.choice([0, 1, 2, 3]) if call % 4 == 0 else choose.randint(1, 40) for s in "klmn"}
            size.update({s: max(size[s], 1) for s in NEEDS.get(name, [])})
            shapes = [[size[s] for s in shape] for shape in inputs]
            xs = [p.plain(s, dtype, [values.gauss(0, 1) for _ in range(math.prod(s))]) for s in shapes]
            results = []
            try:
                for program in (native, oracle):
                    if p.lib.por_call(program.handle, program.frame, len(xs), p.arrays(xs), 0, None):
                        raise p.Failed(p.lib.por_frame_error(program.frame).contents.text.decode())
                    results.append([read(p.lib.por_frame_result(program.frame, i).contents)
                                    for i in range(p.lib.por_program_outputs(program.handle))])
            except p.Failed as e:
                differ, why = differ + 1, "%s: %s" % (size, e)
                continue
            if results[0] != results[1]:
                differ, why = differ + 1, "%s: other bits" % size
            if call == 0:
                first = starts() - before
        table.add("%s: starts of the compiler" % name, starts() - before, max(first, 1), 1)
        table.add("%s: results that differ, plus 1" % name, differ + 1, 1, 1)
        if why:
            print("    " + why)
        native.free()
        oracle.free()
    return table.done()


def read(a):
    """Shape and bytes of a result; every NaN the same."""
    shape = tuple(a.shape[i] for i in range(a.ndim))
    each = a.bits*a.lanes//8
    raw = p.c.string_at(a.data + a.byte_offset, each*math.prod(shape)) if math.prod(shape) else b""
    if a.code == 2:
        numbers = array.array({32: "f", 64: "d"}[a.bits], raw)
        if any(x != x for x in numbers):
            raw = b"".join(raw[i*each:i*each + each] if x == x else b"NaN" for i, x in enumerate(numbers))
    return shape, raw


if __name__ == "__main__":
    sys.exit(main())
