"""Starting a run, watching it, and all runs."""
