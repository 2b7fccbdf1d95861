"""A plugin of pytest's (-p suite_pytensor) under which PyTensor's own tests run with our mode as the default one.

SUITE_MODE=PORISM  the mode; empty: that of PYTENSOR_FLAGS
SUITE_COUNTS=FILE  where to write how many nodes ran natively and how many by perform, by operator
What those tests import of files that are not among them (a helper that calls a linker, a type of no use) stands here."""
import collections
import json
import os
import sys
import types

import pytest
from pytensor import config
from pytensor.graph.type import Type

MODE = os.environ.get("SUITE_MODE", "")


def make_function(linker):
    """What a linker makes, as a function of values by place."""
    thunk, inputs, outputs = linker.make_thunk()[:3]

    def call(*values):
        for container, value in zip(inputs, values):
            container.data = value
        thunk()
        results = [container.data for container in outputs]
        return results[0] if len(results) == 1 else results
    return call


class OtherType(Type):
    """A type that is no array."""

    def filter(self, data, strict=False, allow_downcast=None):
        raise TypeError(data)

    def __eq__(self, other):
        return isinstance(other, OtherType)

    def __hash__(self):
        return hash(OtherType)


class DerivativeChecker:
    """The base of tests of derivatives that lies in a file that is not here: they are skipped."""

    def __getattr__(self, name):
        if name.split("_")[0] in ("check", "x", "v", "mx", "mv", "in", "mat"):
            pytest.skip("needs a file of PyTensor's tests that is not among these")
        raise AttributeError(name)


def _module(name, **contents):
    module = types.ModuleType(name)
    module.__dict__.update(contents)
    module.__path__ = []
    sys.modules[name] = module


_module("tests.link")
_module("tests.link.test_link", make_function=make_function)
_module("tests.graph")
_module("tests.graph.utils", MyType2=OtherType)

_module("tests.test_rop", RopLopChecker=DerivativeChecker, PushforwardPullbackChecker=DerivativeChecker)

if MODE:
    import porism.pytensor
    import pytensor.compile.mode as modes
    config.mode = getattr(porism.pytensor, MODE)
    modes.fast_run_linkers_to_mode["vm"] = config.mode           # mode="FAST_RUN" in a test is ours, too


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long")


def pytest_sessionfinish():
    path = os.environ.get("SUITE_COUNTS")
    if MODE and path:
        from porism.pytensor.plan import counts
        with open(path, "w", encoding="utf-8") as f:
            json.dump({k: dict(v) if isinstance(v, collections.Counter) else v for k, v in counts.items()}, f)
