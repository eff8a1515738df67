"""Grid of retry settings: one line for each category of transient errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from nicegui import ui

from karenina_gui.gui.forms.form import draw_control
from karenina_gui.gui.pages.models.retry_numbers import RETRY_PARTS, RETRY_TITLES
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.gui.records.optimistic_edit import Field
from karenina_gui.schemas.retry import RETRY_CATEGORIES

T = TypeVar("T")


class RetryGrid(ui.element):
    """Numbers of a retry policy; `bind` returns where one is read and saved."""

    def __init__(self, fields: Mapping[tuple[str, str], FormField[T]], bind: Callable[[FormField[T]], Field]) -> None:
        super().__init__("div")
        with self.classes("model-form-retries"):
            ui.label("After").classes("hint")
            for title, _ in RETRY_PARTS.values():
                ui.label(title).classes("hint")
            for category in RETRY_CATEGORIES:
                ui.label(RETRY_TITLES[category])
                for part in RETRY_PARTS:
                    with ui.element("div"):
                        draw_control(fields[category, part], bind(fields[category, part]))
