"""What docs/python.md and README.md show of Python."""
import doctest
import os
import re

import numpy as np
import pytest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_page(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    if int(np.__version__.split(".")[0]) >= 2:
        np.set_printoptions(legacy="1.25")              # scalars are shown as their numbers
    with open(page, encoding="utf-8") as f:
        blocks = re.findall(r"^```python\n(.*?)^```", f.read(), re.M | re.S)
    assert blocks
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    report = []
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
