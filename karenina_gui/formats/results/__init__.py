"""Results in files: readers and writers."""
