"""Pages, a folder for each, and what several of them draw."""
