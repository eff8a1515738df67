"""Grid of retry settings: one line for each category of transient errors."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from karenina_gui.gui.binding.bound_field import BoundField
from karenina_gui.gui.binding.fields import Field
from karenina_gui.gui.components.elements import number_input
from karenina_gui.gui.models.retry_numbers import RETRY_PARTS, RETRY_TITLES
from karenina_gui.schemas.retry import RETRY_CATEGORIES


class RetryGrid(ui.element):
    """Retry settings. `kept` returns the field adapter of a category and part."""

    def __init__(self, field_of: Callable[[str, str], Field]) -> None:
        super().__init__("div")
        with self.classes("model-form-retries"):
            ui.label("After").classes("hint")
            for title, _ in RETRY_PARTS.values():
                ui.label(title).classes("hint")
            for category in RETRY_CATEGORIES:
                ui.label(RETRY_TITLES[category])
                for part, (title, _) in RETRY_PARTS.items():
                    with ui.element("div"):
                        box = number_input(f"{RETRY_TITLES[category]}: {title}")
                        BoundField(box, field_of(category, part))
