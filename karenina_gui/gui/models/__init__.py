"""Models by name and how they are reached."""
