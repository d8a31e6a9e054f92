"""Benchmarks: each a program that runs the project beside its peers, interleaved, and prints ratios.  Not tests."""
