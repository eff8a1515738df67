"""Rubric editor: the list of traits and a form for each trait type."""
