"""The nouns: what a benchmark is made of, how a run is configured, and what comes out of it."""
