"""Drafts by models: order them, watch their progress."""
