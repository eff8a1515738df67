"""Prices page, and costs in words."""
