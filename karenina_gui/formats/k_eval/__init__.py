"""Files of k-eval: configurations, data sets, results."""
