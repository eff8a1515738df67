"""Calibration of judges: answers are drawn, labeled blind by an author, and compared with what judges say."""
