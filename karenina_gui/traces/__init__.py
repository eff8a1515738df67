"""Recorded conversations: readers, parser, metrics."""
