"""The store: benchmarks, runs and results in one SQLite file."""
