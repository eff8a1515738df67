"""Tables in files: CSV, JSON, workbooks, and the questions in them."""
