"""Calls of judges, shared by templates, traits and evidence."""
