#!/usr/bin/env python3
"""Eight functions in one kernel of 10^5 elements cost at most 1.15 times the sum of the eight in first-level cache."""
import sys

from table import run_c

sys.exit(run_c("eight"))
