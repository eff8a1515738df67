"""Benchmarks page and the pages of one benchmark."""
