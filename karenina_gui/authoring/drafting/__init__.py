"""Drafts of templates and traits by models."""
