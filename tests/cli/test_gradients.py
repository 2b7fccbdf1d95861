#!/usr/bin/env python3
"""test_gradients.py PORISM [NAME...]: gradients read as a person would write them: gradients.txt."""

import os
import re

from command import call, main, same, test


def blocks(path):
    """(function, inputs, the lines wanted) of each block."""
    found = []
    for line in open(path, encoding="utf-8"):
        if line.startswith("    "):
            found[-1][2].append(line.strip())
        elif line.strip() and not line.startswith("#"):
            function, inputs = line.strip().split(" | ")
            found.append((function, inputs.split("; "), []))
    return found


@test
def gradients_read_as_written_by_hand():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gradients.txt")
    every = blocks(path)
    assert len(every) >= 30
    for function, inputs, wanted in every:
        by = inputs[0].split(":")[0]
        text = call("explain", f"grad({function}, {by})", *inputs, "--stage", "stable")[0]
        head = re.search(r"\) -> \w+(\[[^]]*\])? =\s", text)
        lines = [re.sub(r"\s+# .*", "", line).strip() for line in text[head.end() :].strip().split("\n")]
        same((function, by, lines), (function, by, wanted))


main(__doc__)
