"""Editor and trial of an answer template."""
