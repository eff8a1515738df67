"""The editors of traits."""
