"""Problems of a run, found before it starts, as sentences: obstacles prevent it, doubts must be accepted."""
