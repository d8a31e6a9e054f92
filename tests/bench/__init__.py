"""Benchmarks: each a program that runs the project beside its peers, interleaved, and prints ratios.  Not tests.

Every contestant has one thread: those of a library for matrices spin on after a product, and their processor time would
be counted against whoever comes next.
"""

import os

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
