"""Presets of runs: management, choice on the Run page, import and export."""
