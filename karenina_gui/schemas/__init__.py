"""Data classes: the contents of a benchmark, the configuration of a run, and its results."""
