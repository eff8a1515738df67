"""Runs: execution of a benchmark with a configuration, with progress, cancellation and resumption."""
