from __future__ import annotations
def draw(window, benchmark_id): pass
