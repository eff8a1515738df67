"""Table of all questions, whose cells are edited in place."""
