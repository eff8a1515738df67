"""History: who did what and when, with earlier versions."""
