"""Pages to start a run, to follow it, and to list all runs."""
