"""All benchmarks, and what is true of a whole one."""
