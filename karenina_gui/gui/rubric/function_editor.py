"""Code editor of function traits: Python with error markers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from nicegui import ui

from karenina_gui.gui.templates.problems import plain_message
from karenina_gui.schemas.template import TemplateProblem
from karenina_gui.static_files import module

WORDS = [
    {"label": "text", "type": "variable", "detail": "the answer"},
    {"label": "len", "type": "function", "detail": "length of a text or list"},
    {"label": "lower", "type": "function", "detail": "text in lowercase"},
    {"label": "split", "type": "function", "detail": "text split into words"},
    {"label": "return", "type": "keyword", "detail": "the result"},
]


class FunctionEditor(ui.codemirror):
    """Code editor. Its properties are set only once.

    A later update would send old text over the user's typing.
    """

    def __init__(self, value: str, on_change: Any) -> None:
        super().__init__(value, language="Python", theme="vscodeLight", line_wrapping=True, on_change=on_change)
        self.classes("template-code trait-code")
        self._js("attach", {"words": WORDS, "label": "Trait function"})

    def keep_in_browser(self, place: str, base: str) -> None:
        """Keep the text in the browser until it is saved."""
        self._js("keep", {"place": place, "base": base, "drawn": self.value or ""})

    def show_problems(self, problems: Sequence[TemplateProblem]) -> None:
        """Mark each problem at its line."""
        marked = [{**problem.model_dump(), "message": plain_message(problem.message)} for problem in problems]
        self._js("showProblems", marked)

    def reveal(self, line: int) -> None:
        """Move the cursor to a line (1-based) and scroll to it."""
        self._js("reveal", line)

    def _js(self, function: str, argument: Any) -> None:
        call = f"{module('template_editor')}.then(m => m.{function}({self.id}, {json.dumps(argument)}))"
        self.client.run_javascript(call)
