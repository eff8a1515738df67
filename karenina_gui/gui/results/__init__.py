"""The results of a run, down to the trace of one."""
