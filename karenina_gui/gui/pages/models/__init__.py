"""Models page: saved models and their settings."""
