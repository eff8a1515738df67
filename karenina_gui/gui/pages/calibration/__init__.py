"""Calibration of a trait or a template field: blind labels, agreement with judges, and other wordings."""
