"""Code editor. Its properties are set only once: a later update would send old text over the user's typing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from karenina_gui.schemas.template import TemplateProblem
from karenina_gui.static_files import module


class CodeEditor(ui.codemirror):
    def __init__(
        self,
        value: str,
        language: Any,
        label: str,
        on_change: Any,
        on_focus: Callable[[bool], Any],
        **completions: Any,
    ) -> None:
        """`language` None: plain text. `on_focus` is called with True when the editor gets the focus, and with False
        when it loses it. `completions`: see `attach` in `static/template_editor.js`.
        """
        super().__init__(
            value,
            language=language,
            theme="vscodeLight",
            line_wrapping=True,
            on_change=on_change,
            on_focus_change=lambda event: on_focus(event.focused),
        )
        self.classes("template-code")
        self._js("attach", {"words": [], "calls": {}, **completions, "label": label})

    def replace(self, text: str, *, instead_of: str | None) -> None:
        """Replace the text as an edit: `on_change` reports it and Ctrl+Z undoes it.

        `instead_of`: replace only this text, so that newer typing is not lost. None: replace any text.
        """
        self._js("replace", {"text": text, "instead": instead_of})

    def keep_in_browser(self, address: str, base: str) -> None:
        """Keep the text in the browser until it is saved."""
        self._js("keep", {"place": address, "base": base, "drawn": self.value or ""})

    def focus(self) -> None:
        self._js("focus", None)

    def show_problems(self, problems: Sequence[TemplateProblem]) -> None:
        """Mark each problem at its line."""
        self._js("showProblems", [problem.model_dump() for problem in problems])

    def reveal(self, line: int) -> None:
        """Move the cursor to a line (1-based) and scroll to it."""
        self._js("reveal", line)

    def _js(self, function: str, argument: Any) -> None:
        call = f"{module('template_editor')}.then(m => m.{function}({self.id}, {json.dumps(argument)}))"
        self.client.run_javascript(call)
