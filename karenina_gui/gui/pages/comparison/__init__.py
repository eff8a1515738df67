"""Comparison with other versions, published versions, and linked files."""
