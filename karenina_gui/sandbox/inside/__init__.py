"""Code that runs inside a cell: it loads author-written code and answers requests about it as plain data.

Nothing here may open a file or import a module after start-up: by then the cell is locked.
"""
