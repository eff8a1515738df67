"""The code editor of the template tab: Python with problems at their lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from karenina_gui.gui.templates.problems import plainly
from karenina_gui.gui.templates.words import completions
from karenina_gui.schemas.template import TemplateProblem
from karenina_gui.static_files import module


class TemplateEditor(ui.codemirror):
    """Its properties are never set after it was made: that would send back older text over what is being typed."""

    def __init__(self, value: str, on_change: Any, on_focus: Callable[[bool], Any]) -> None:
        """`on_focus` hears whether somebody is in the text."""
        super().__init__(
            value,
            language="Python",
            theme="vscodeLight",
            line_wrapping=True,
            on_change=on_change,
            on_focus_change=lambda event: on_focus(event.focused),
        )
        self.classes("template-code")
        self._js("attach", {"words": completions(), "label": "Answer template"})

    def show_problems(self, problems: Sequence[TemplateProblem]) -> None:
        """Mark each problem at its line."""
        self._js("problems", [{**problem.model_dump(), "message": plainly(problem.message)} for problem in problems])

    def replace(self, text: str, *, instead_of: str | None) -> None:
        """Put another text in, as if it had been typed: it comes back by `on_change`, and Ctrl+Z takes it back.

        `instead_of`: only if this is still the text, so that nothing typed meanwhile is lost (None: in any case).
        """
        self._js("replace", {"text": text, "instead": instead_of})

    def keep(self, place: str, base: str) -> None:
        """Keep what is typed in the browser until it is stored."""
        self._js("keep", {"place": place, "base": base, "drawn": self.value or ""})

    def focus(self) -> None:
        self._js("focus", None)

    def reveal(self, line: int) -> None:
        """Put the cursor on a line (1-based) and show it."""
        self._js("reveal", line)

    def _js(self, function: str, argument: Any) -> None:
        call = f"{module('template_editor')}.then(m => m.{function}({self.id}, {json.dumps(argument)}))"
        self.client.run_javascript(call)
