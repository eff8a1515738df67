"""Comparison of two versions of a benchmark, and taking over their differences."""
