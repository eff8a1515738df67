"""Statistics on plain arrays. Libraries do the arithmetic; here stands which one answers which question, and when none
does.

Loading this takes seconds, so that only the process that computes does it (see `analysis/worker.py`).
"""
