"""Fixtures of the pages about runs."""

from tests.gui.run_pages import application, planner, show

__all__ = ["application", "planner", "show"]
