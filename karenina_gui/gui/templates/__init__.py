"""The editor of an answer template, and the place to try it."""
