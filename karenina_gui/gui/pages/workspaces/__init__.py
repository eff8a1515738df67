"""Workspaces of agent tasks: root folder, file browser and file editor."""
