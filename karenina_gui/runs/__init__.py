"""Runs: from a benchmark and a configuration to results, one job at a time, watched, cancelled and kept."""
