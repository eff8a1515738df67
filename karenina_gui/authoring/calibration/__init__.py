"""Calibration of judges: answers are drawn, labelled blind by an author, and compared with what judges say."""
