"""Outcome of a trait judged by a model, an agent or a function, and the settings of each outcome."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.pages.rubric.form import TraitForm
from karenina_gui.gui.pages.rubric.form_values import outcome
from karenina_gui.gui.pages.rubric.kinds import OUTCOMES, directions
from karenina_gui.gui.pages.rubric.ordered_rows import OrderedRows, RowColumn
from karenina_gui.gui.pages.rubric.template_fields import TYPES

CLASS_COLUMNS = [
    RowColumn("name", "Name", width="minmax(90px, 3fr)"),
    RowColumn("description", "Applies when", area=True, width="7fr"),
]
FIELD_COLUMNS = [
    RowColumn("name", "Name", width="minmax(90px, 5fr)"),
    RowColumn("type", "Type", width="minmax(138px, 3fr)", kind="choice", options=TYPES),
    RowColumn("optional", "Optional", width="52px", kind="tick"),
    RowColumn("default", "Default", width="minmax(56px, 2fr)"),
    RowColumn("description", "Instructions", area=True, below=True),
]


class OutcomeForm:
    """Outcome settings. Entries of a previous outcome are kept until the form is closed."""

    def __init__(self, form: TraitForm, offered: tuple[str, ...]) -> None:
        self.form = form
        with ui.element("div").classes("field-row"):
            form.choice("kind", "Result", {key: OUTCOMES[key] for key in offered}, "boolean")
            self.direction = ui.element("div")
        self.part = ui.element("div").classes("trait-part")
        self._draw(outcome(form.values))
        form.on_problems(lambda _: self._follow(outcome(form.values)))

    def _follow(self, chosen: str) -> None:
        if chosen != self._drawn:
            self._draw(chosen)

    def _draw(self, chosen: str) -> None:
        self._drawn = chosen
        self.direction.clear()
        self.part.clear()
        with self.direction:
            if chosen != "template":
                draw_direction(self.form, chosen)
        with self.part:
            if chosen == "score":
                self._range()
            elif chosen == "literal":
                self._classes()
            elif chosen == "template":
                self._fields()
            elif self.form.type_name == "callable":
                self.form.tick("invert_result", "Invert result")

    def _range(self) -> None:
        is_open = self.form.type_name == "callable"  # a function has no range of its own
        with ui.element("div").classes("field-row"):
            self.form.number("min_score", "Minimum score", "any" if is_open else "")
            self.form.number("max_score", "Maximum score", "any" if is_open else "")

    def _classes(self) -> None:
        hint = "2 to 20, in order; scored 0, 1, 2, and so on"
        with self.form.section("Classes", hint):
            OrderedRows(self.form, "classes", CLASS_COLUMNS, "class", least=2)

    def _fields(self) -> None:
        with self.form.section(
            "Fields", "each becomes a results column; Default: value of an optional one if the judge gives none"
        ):
            OrderedRows(self.form, "fields", FIELD_COLUMNS, "field", least=1)
        ui.label("A structured score has no direction: no value counts as better.").classes("hint")


def draw_direction(form: TraitForm, chosen: str) -> None:
    """Draw the direction. Its labels depend on the outcome."""
    default = None if form.type_name == "metric" else True
    form.choice("higher_is_better", "Direction", directions(form.type_name, chosen), default)
