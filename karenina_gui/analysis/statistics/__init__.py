"""Statistics on plain arrays, computed by SciPy, statsmodels and krippendorff.

Each function documents its formula, its source, and when no figure is possible. Importing these libraries takes
seconds, so only the chart process imports this package (see `analysis/chart_process.py`).
"""
