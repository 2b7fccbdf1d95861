#!/usr/bin/env python3
"""Expressions of models in the form that the search of operations finds, beside what rules alone leave: less time."""
import sys

from table import run_c

sys.exit(run_c("search"))
