"""Work of an author on benchmarks, without a screen."""
