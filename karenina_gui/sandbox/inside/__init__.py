"""What runs inside a cell: loading author-written code, and answering questions about it with plain data.

Nothing here opens a file or imports a module after it has been loaded: by then the cell is locked.
"""
