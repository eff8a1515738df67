"""Problems panel, and the way from one problem of a benchmark to the next."""
