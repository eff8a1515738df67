"""Runs on a cluster (Dask `distributed`): a coordinator keeps the run, workers verify its jobs."""
