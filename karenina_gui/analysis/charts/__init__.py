"""Charts of a run, computed without a user interface; one module per chart."""
