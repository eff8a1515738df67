"""Presets of runs: kept, chosen, carried in files."""
