"""Execution of agents' commands: one bubblewrap box per command, and monitoring of what it uses."""
