"""A model's own rules for trying again: how often and how patiently, for each kind of passing fault."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.models.fields import RETRIES, RETRY_PARTS, RETRY_TITLES
from karenina_gui.gui.models.record import KeptField, ModelRecord
from karenina_gui.gui.parts.bound_field import BoundField
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.retry import RETRY_CATEGORIES


class RetryGrid(ui.element):
    """A line for each kind of fault."""

    def __init__(self, record: ModelRecord) -> None:
        super().__init__("div")
        self._bound: dict[tuple[str, str], BoundField] = {}
        with self.classes("mf-retries"):
            ui.label("After").classes("hint")
            for title, _ in RETRY_PARTS.values():
                ui.label(title).classes("hint")
            for category in RETRY_CATEGORIES:
                ui.label(RETRY_TITLES[category])
                for part, (title, _) in RETRY_PARTS.items():
                    with ui.element("div"):
                        box = ui.number(value=None).classes("inp")
                        box.props["aria-label"] = f"{RETRY_TITLES[category]}: {title}"
                        box.props("outlined dense")
                        self._bound[category, part] = BoundField(box, KeptField(record, RETRIES[category, part]))

    def show(self, model: ModelConfig) -> None:
        """The numbers as they are kept; nothing where the model has no rules of its own."""
        self.set_visibility(model.retry_policy is not None)
        for key, bound in self._bound.items():
            bound.show(RETRIES[key].of(model))
