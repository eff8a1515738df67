"""Problems of a run, found before it starts: cases, the functions that find them, and their sentences."""
