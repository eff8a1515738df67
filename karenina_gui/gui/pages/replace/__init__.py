"""Find and replace over the questions of a benchmark."""
