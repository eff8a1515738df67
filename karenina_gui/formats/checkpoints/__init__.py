"""Benchmarks as checkpoint files (JSON-LD)."""
