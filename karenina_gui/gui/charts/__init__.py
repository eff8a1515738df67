"""Charts of a run: each with a question, a sentence, a figure and a table."""
