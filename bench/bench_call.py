#!/usr/bin/env python3
"""What a call costs: a compiled scalar function called from C in under 100 ns, without an allocation."""
import sys

from table import FULL, run_c

sys.exit(run_c("call", ["full"] if FULL else []))
