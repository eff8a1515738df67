"""Read-only view of rubric content without a form. It is saved unchanged."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.authoring.trait_catalog import traits_in
from karenina_gui.gui.components.elements import heading, key_values
from karenina_gui.gui.rubric.kinds import Record, kind_of, outcome_of


def dynamic_traits(beside: Record) -> None:
    """List dynamic traits by name and unknown content by key. Draws nothing if there is neither."""
    dynamic = beside.get("dynamic")
    traits = list(traits_in(dynamic)) if isinstance(dynamic, dict) else []
    if traits:
        with ui.element("section").classes("trait-beside").props('aria-label="Dynamic traits"'):
            heading("Dynamic traits")
            ui.label(
                "Dynamic traits apply only to answers that mention their subject. They are preserved in the file, but "
                "you can’t edit them here, and runs don’t rate them."
            ).classes("hint")
            key_values([(str(trait.get("name")), _about(type_name, trait)) for type_name, trait in traits])
    unknown = [key for key in beside if key != "dynamic"]
    if unknown:
        ui.label(f"Also preserved: {', '.join(unknown)}.").classes("hint")


def _about(type_name: str, trait: Record) -> str:
    kind = kind_of(type_name, outcome_of(trait))
    return str(trait.get("description") or kind.line)
