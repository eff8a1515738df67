"""Workspaces of agent tasks: where they are, their files, and a place to edit them."""
