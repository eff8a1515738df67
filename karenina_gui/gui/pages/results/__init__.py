"""Results of a run, and the trace of each."""
