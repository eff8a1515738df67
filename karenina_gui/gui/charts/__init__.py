"""Charts of a run: each answers a question, with a sentence, a figure and the same as a table."""
