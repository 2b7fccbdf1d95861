#!/usr/bin/env python3
"""Building, rewriting and printing graphs of 100,000 nodes in under a second, of 1,000,000 in under 12 s; bytes that are
held for a live node when compiling is done: at most 250. What 48 equal blocks have more than 12."""
import sys

from table import run_c

sys.exit(run_c("graph"))
